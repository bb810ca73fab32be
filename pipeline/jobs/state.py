"""The cluster as it was at an offset or a time: topics, partitions, brokers and all else, as tables.

In a notebook::

    from pipeline.datasource import KraftDataSource
    from pipeline.jobs import state

    spark.dataSource.register(KraftDataSource)
    rows = spark.read.format("kraft").options(view="state", asOf="2026-11-21T14:03:00Z").load("/var/lib/kafka")
    state.partitions(rows).filter("leader = -1").show()
    state.brokers(rows).show()

``asOf`` takes an offset, a time or ``latest``. The first table reads the snapshot and the log behind it, once; the rest
are made of what that has left, until ``state.forget(rows)``. Every table is what the controllers' own replay has in
memory at that point (`server.image`): records of a metadata transaction that is open then, or was aborted, do not
count.
"""

from __future__ import annotations

from pipeline.jobs.job import Job
from pipeline.jobs.state_cluster import brokers, controllers, features
from pipeline.jobs.state_rows import forget
from pipeline.jobs.state_security import acls, delegation_tokens, producer_ids, quotas, scram_credentials
from pipeline.jobs.state_topics import configs, partitions, topics

__all__ = [
    "JOB",
    "acls",
    "brokers",
    "configs",
    "controllers",
    "delegation_tokens",
    "features",
    "forget",
    "partitions",
    "producer_ids",
    "quotas",
    "scram_credentials",
    "topics",
]

JOB = Job(
    name="state",
    view="state",
    record_types=(),
    tables={
        "topics": topics,
        "partitions": partitions,
        "brokers": brokers,
        "controllers": controllers,
        "configs": configs,
        "acls": acls,
        "features": features,
        "quotas": quotas,
        "scram_credentials": scram_credentials,
        "delegation_tokens": delegation_tokens,
        "producer_ids": producer_ids,
    },
    source_options={"asOf": "latest"},
    order=(
        *("topicName", "partitionId", "brokerId", "controllerId", "resourceType", "resourceName", "name"),
        *("principal", "entity", "tokenId"),
    ),
)
