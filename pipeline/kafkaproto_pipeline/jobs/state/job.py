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
SCRAM mechanisms.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafkaproto_pipeline.jobs.job import Job, Transform
from kafkaproto_pipeline.jobs.state import security_tables, topic_tables
from kafkaproto_pipeline.jobs.state.cluster_tables import brokers, controllers, features
from kafkaproto_pipeline.jobs.state.security_tables import delegation_tokens, producer_ids, quotas
from kafkaproto_pipeline.jobs.state.topic_tables import partitions, topics
from kafkaproto_pipeline.jobs.words import word
from kafkaproto_pipeline.views.words import ACL_WORDS, CONFIG_RESOURCES, SCRAM_MECHANISMS

RECORDED: Mapping[str, Transform] = {
    "topics": topics,
    "partitions": partitions,
    "brokers": brokers,
    "controllers": controllers,
    "configs": topic_tables.configs,
    "acls": security_tables.acls,
    "features": features,
    "quotas": quotas,
    "scram_credentials": security_tables.scram_credentials,
    "delegation_tokens": delegation_tokens,
    "producer_ids": producer_ids,
}
"""All of it as the records have it: numbers where the tables of the job have Kafka's words."""


def configs(df: DataFrame) -> DataFrame:
    """The values that were set: a row for each resource ("topic", "broker", ...) and key. A topic's go with it."""
    return _in_words(topic_tables.configs(df), {"resourceType": CONFIG_RESOURCES})


def acls(df: DataFrame) -> DataFrame:
    """The ACL bindings, by their ids."""
    return _in_words(security_tables.acls(df), ACL_WORDS)


def scram_credentials(df: DataFrame) -> DataFrame:
    """What is kept of users' SCRAM passwords: a row for each user and mechanism ("SCRAM-SHA-256", ...)."""
    return _in_words(security_tables.scram_credentials(df), {"mechanism": SCRAM_MECHANISMS})


def _in_words(df: DataFrame, columns: Mapping[str, Mapping[int, str]]) -> DataFrame:
    return df.withColumns({name: word(F.col(name), words) for name, words in columns.items()})


JOB = Job(
    name="state",
    view="state",
    record_types=(),
    tables={**RECORDED, "configs": configs, "acls": acls, "scram_credentials": scram_credentials},
    source_options={"asOf": "latest"},
    order=(
        *("topicName", "partitionId", "brokerId", "controllerId", "resourceType", "resourceName", "name"),
        *("principal", "entity", "tokenId"),
    ),
)
