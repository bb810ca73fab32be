"""What happened to the cluster: one table for each question, with intervals for everything that lasts.

The tables are in separate files by topic: `partition_intervals`, `topic_intervals`, `broker_intervals`,
`quorum_intervals`, `changes`, `cluster_changes`; `events` tells all of them in one.
Offsets and timestamps are those of the records that began and ended an interval. The end is exclusive. While an
interval lasts, its end is null, and so is its duration (in milliseconds). Times are from the leaders' clocks: if two
clocks disagree so much that an end lies before its beginning, the duration is 0.

Snapshots are read as well, for a log that starts later than the cluster. The rows of a frame are read once for all
tables and kept in Spark's cache until ``history.forget(rows)``.
"""

from __future__ import annotations

from collections.abc import Mapping

from kafkaproto_pipeline.jobs.history import (
    broker_intervals,
    changes,
    cluster_changes,
    partition_intervals,
    quorum_intervals,
    topic_intervals,
)
from kafkaproto_pipeline.jobs.history.broker_intervals import brokers, directories
from kafkaproto_pipeline.jobs.history.changes import acl_changes, config_changes, quota_changes, scram_changes
from kafkaproto_pipeline.jobs.history.cluster_changes import controllers, features, tokens
from kafkaproto_pipeline.jobs.history.events import events
from kafkaproto_pipeline.jobs.history.partition_intervals import isr, leadership
from kafkaproto_pipeline.jobs.history.quorum_intervals import quorum, voters
from kafkaproto_pipeline.jobs.history.rows import CLUSTER, kept_or_made
from kafkaproto_pipeline.jobs.history.topic_intervals import reassignments, topic_changes, topics
from kafkaproto_pipeline.jobs.job import Job, Transform
from kafkaproto_pipeline.views.latest import MARKERS

_TABLES: Mapping[str, Transform] = {
    "events": events,
    "topics": topics,
    "topic_changes": topic_changes,
    "reassignments": reassignments,
    "leadership": leadership,
    "isr": isr,
    "brokers": brokers,
    "quorum": quorum,
    "voters": voters,
    "controllers": controllers,
    "features": features,
    "directories": directories,
    "config_changes": config_changes,
    "acl_changes": acl_changes,
    "quota_changes": quota_changes,
    "scram_changes": scram_changes,
    "tokens": tokens,
}


def _as_kept(make: Transform) -> Transform:
    """A table as another one has kept it."""
    return lambda df: kept_or_made(df, make)


JOB = Job(
    name="history",
    view="typed",
    record_types=tuple(
        dict.fromkeys(
            (
                *partition_intervals.RECORD_TYPES,
                *partition_intervals.SETTING_TYPES,
                *broker_intervals.LIFE_TYPES,
                *broker_intervals.DIRECTORY_TYPES,
                *changes.CONFIG_TYPES,
                *changes.ACL_TYPES,
                *changes.QUOTA_TYPES,
                *changes.SCRAM_TYPES,
                *topic_intervals.TOPIC_TYPES,
                *cluster_changes.FEATURE_TYPES,
                *cluster_changes.CONTROLLER_TYPES,
                *cluster_changes.TOKEN_TYPES,
                *quorum_intervals.VOTER_TYPES,
                "LeaderChangeMessage",
                *MARKERS,
            )
        )
    ),
    tables={name: _as_kept(make) for name, make in _TABLES.items()},
    source_options={"includeSnapshots": "true"},
    order=("topicName", "partitionId", "brokerId", "controllerId", "fromOffset", "offset", "featureName"),
    orders={"events": (CLUSTER, "offset"), "features": (CLUSTER, "offset")},
)
