"""The state of the cluster at an offset or a time: topics, partitions, brokers and everything else, as tables.

In a notebook::

    from kafkaproto_pipeline.datasource import KraftDataSource
    from kafkaproto_pipeline.jobs import state

    spark.dataSource.register(KraftDataSource)
    rows = spark.read.format("kraft").options(view="state", asOf="2026-11-21T14:03:00Z").load("/var/lib/kafka")
    state.partitions(rows).filter("leader = -1").show()
    state.brokers(rows).show()

``asOf`` takes an offset, a time or ``latest``. The first table reads the snapshot and the log after it, once. The
other tables are made of the rows that are left of it, until ``state.forget(rows)``. Every table has what the
controllers' own replay has in memory at that point (`image`): records of a metadata transaction that is open then, or
was aborted, do not count. Numbers that Kafka's tools show by name are names here too: types of resources, operations,
SCRAM mechanisms, security protocols. Columns have the names that they have in all tables (`views.names`).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafkaproto_pipeline.jobs.job import Job, Transform
from kafkaproto_pipeline.jobs.state import cluster_tables, security_tables, topic_tables
from kafkaproto_pipeline.jobs.words import shown
from kafkaproto_pipeline.views.names import column_of
from kafkaproto_pipeline.views.schema import STATE_RECORDS

RECORDED: Mapping[str, Transform] = {
    "topics": topic_tables.topics,
    "partitions": topic_tables.partitions,
    "brokers": cluster_tables.brokers,
    "controllers": cluster_tables.controllers,
    "configs": topic_tables.configs,
    "acls": security_tables.acls,
    "features": cluster_tables.features,
    "quotas": security_tables.quotas,
    "scram_credentials": security_tables.scram_credentials,
    "delegation_tokens": security_tables.delegation_tokens,
    "producer_ids": security_tables.producer_ids,
}
"""All of it as the records have it: their names of fields, and numbers where the job's tables have Kafka's words."""


def _shown(table: str, recorded: Transform) -> Transform:
    """The table as the job has it: each column by its name in all tables, with Kafka's words for numbers."""
    record = STATE_RECORDS[table]

    @functools.wraps(recorded)
    def made(df: DataFrame) -> DataFrame:
        found = recorded(df)
        return found.select(
            *(shown(f"{record}.{name}", F.col(name)).alias(column_of(record, name)) for name in found.columns)
        )

    return made


topics = _shown("topics", topic_tables.topics)
partitions = _shown("partitions", topic_tables.partitions)
brokers = _shown("brokers", cluster_tables.brokers)
controllers = _shown("controllers", cluster_tables.controllers)
configs = _shown("configs", topic_tables.configs)
acls = _shown("acls", security_tables.acls)
features = _shown("features", cluster_tables.features)
quotas = _shown("quotas", security_tables.quotas)
scram_credentials = _shown("scram_credentials", security_tables.scram_credentials)
delegation_tokens = _shown("delegation_tokens", security_tables.delegation_tokens)
producer_ids = _shown("producer_ids", security_tables.producer_ids)

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
        *(
            "topicName",
            "partitionId",
            "brokerId",
            "controllerId",
            "resourceType",
            "resourceName",
            "configName",
        ),
        *("featureName", "principal", "entity", "quotaKey", "userName", "tokenId"),
    ),
)
