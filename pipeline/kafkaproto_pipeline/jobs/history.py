"""What happened to the cluster: one table a question, intervals wherever something lasts.

The tables are in files of their own by what they are about: `history_partitions`, `history_brokers`, `history_quorum`,
`history_changes`. Offsets and timestamps are those of the records that began and ended a thing; the end is exclusive,
and null while it lasts, as is the duration, in milliseconds. Times are the leaders' clocks: where two of them disagree
so much that an end lies before its beginning, the duration is 0.

Snapshots are read as well, for a log that starts later than the cluster. The rows of a frame are read once for all
tables and kept in Spark's cache until ``history.forget(rows)``.
"""

from __future__ import annotations

from kafkaproto_pipeline.jobs import history_brokers, history_changes, history_partitions, history_quorum
from kafkaproto_pipeline.jobs.history_brokers import brokers, directories
from kafkaproto_pipeline.jobs.history_changes import acl_changes, config_changes, quota_changes, scram_changes
from kafkaproto_pipeline.jobs.history_partitions import isr, leadership
from kafkaproto_pipeline.jobs.history_quorum import quorum, voters
from kafkaproto_pipeline.jobs.history_rows import forget
from kafkaproto_pipeline.jobs.job import Job
from kafkaproto_pipeline.views.latest import MARKERS

JOB = Job(
    name="history",
    view="typed",
    record_types=tuple(
        dict.fromkeys(
            (
                *history_partitions.RECORD_TYPES,
                *history_partitions.SETTING_TYPES,
                *history_brokers.LIFE_TYPES,
                *history_brokers.DIRECTORY_TYPES,
                *history_changes.CONFIG_TYPES,
                *history_changes.ACL_TYPES,
                *history_changes.QUOTA_TYPES,
                *history_changes.SCRAM_TYPES,
                *history_quorum.VOTER_TYPES,
                "LeaderChangeMessage",
                *MARKERS,
            )
        )
    ),
    tables={
        "leadership": leadership,
        "isr": isr,
        "brokers": brokers,
        "quorum": quorum,
        "voters": voters,
        "directories": directories,
        "config_changes": config_changes,
        "acl_changes": acl_changes,
        "quota_changes": quota_changes,
        "scram_changes": scram_changes,
    },
    source_options={"includeSnapshots": "true"},
    order=("topic", "partition", "brokerId", "fromOffset", "offset"),
)

__all__ = [
    "JOB",
    "acl_changes",
    "brokers",
    "config_changes",
    "directories",
    "forget",
    "isr",
    "leadership",
    "quorum",
    "quota_changes",
    "scram_changes",
    "voters",
]
