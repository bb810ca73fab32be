"""Events, topics, reassignments, features, controllers and tokens: against the same told one record at a time.

Tests: `kafkaproto_pipeline.jobs.history.cluster_changes`.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from kafkaproto import uuids
from kafkaproto.messages import (
    AbortTransactionRecord,
    BeginTransactionRecord,
    ConfigRecord,
    DelegationTokenRecord,
    EndTransactionRecord,
    NoOpRecord,
    PartitionRecord,
    TopicRecord,
    UserScramCredentialRecord,
)
from kafkaproto_pipeline.datasource import KraftDataSource
from kafkaproto_pipeline.jobs import history
from kafkaproto_pipeline.synthetic import Made
from tests.pipeline import events_oracle as oracle
from tests.pipeline.frames import frame
from tests.pipeline.histories import History
from tests.pipeline.history_oracle import Step, random_history
from tests.pipeline.jobs.history.test_tables import frames_of, of_clusters, rows, stated_by, told

pytestmark = pytest.mark.jvm

SEEDS = range(8)
RECORDS = 260
SPAN = ("fromOffset", "fromTimestamp", "toOffset", "toTimestamp", "durationMs")
COLUMNS: dict[str, tuple[str, ...]] = {
    "events": (
        "offset",
        "timestamp",
        "partitionLeaderEpoch",
        "kind",
        "subject",
        "topicName",
        "brokerId",
        "text",
    ),
    "topics": (
        *("topicName", "topicId", "partitionCount", "replicationFactor", "createdOffset", "createdTimestamp"),
        *("deletedOffset", "deletedTimestamp", "lifetimeMs"),
    ),
    "topic_changes": (
        *("offset", "timestamp", "topicName", "topicId", "change", "oldPartitionCount", "newPartitionCount"),
        "replicationFactor",
    ),
    "reassignments": (
        *("topicName", "topicId", "partitionId", "fromReplicas", "toReplicas"),
        *("addingReplicas", "removingReplicas", *SPAN, "outcome"),
    ),
    "features": ("offset", "timestamp", "featureName", "oldFeatureLevel", "newFeatureLevel"),
    "controllers": (
        *("offset", "timestamp", "controllerId", "change", "incarnationId", "zkMigrationReady"),
        "endPoints",
    ),
    "tokens": (
        *("offset", "timestamp", "change", "tokenId", "owner", "requester", "renewers"),
        *("issueTimestamp", "expirationTimestamp", "maxTimestamp"),
    ),
}
OF_THE_LOG = ("topic_changes", "features", "controllers", "tokens")
"""Tables of changes that show what a snapshot at the beginning states, which is no change of the log."""
WITH_BASE = ("events", "reassignments")


@pytest.fixture(scope="module")
def histories() -> list[list[Step]]:
    return [random_history(seed, RECORDS) for seed in SEEDS]


@pytest.fixture(scope="module")
def logs(spark: SparkSession, histories: list[list[Step]]) -> DataFrame:
    """The logs, and a snapshot in the midst of each: it says nothing that is not known, so no table shows it."""
    whole = frames_of(spark, [told(steps) for steps in histories])
    stated = frames_of(spark, [stated_by(steps[RECORDS // 2]) for steps in histories], snapshot=True)
    return whole.unionByName(stated).cache()


def compare(found: Counter[tuple[Any, ...]], expected: Counter[tuple[Any, ...]]) -> None:
    """Of what differs, a few."""
    surplus, lack = found - expected, expected - found
    assert (sorted(surplus, key=repr)[:5], sorted(lack, key=repr)[:5]) == ([], [])
    assert surplus == lack == Counter()


@pytest.mark.parametrize("name", COLUMNS)
def test_table_is_what_a_walk_over_the_records_tells(
    name: str, logs: DataFrame, histories: list[list[Step]]
) -> None:
    expected = of_clusters([getattr(oracle, name)(steps) for steps in histories])
    compare(Counter(rows(history.JOB.tables[name](logs), "clusterId", *COLUMNS[name])), expected)
    assert len(expected) > 25


@pytest.fixture(scope="module")
def cut_logs(spark: SparkSession, histories: list[list[Step]]) -> DataFrame:
    """Histories that begin with a snapshot."""
    starts = frames_of(spark, [stated_by(steps[cut]) for cut, steps in cuts(histories)], snapshot=True)
    return starts.unionByName(
        frames_of(spark, [told(steps[cut + 1 :]) for cut, steps in cuts(histories)])
    ).cache()


def cuts(histories: list[list[Step]]) -> list[tuple[int, list[Step]]]:
    """Early or late in each."""
    return [
        (RECORDS * (3 if number % 2 else 1) // 4 + number, steps) for number, steps in enumerate(histories)
    ]


@pytest.mark.parametrize("name", COLUMNS)
def test_history_begins_with_a_snapshot(name: str, cut_logs: DataFrame, histories: list[list[Step]]) -> None:
    expected = []
    for cut, steps in cuts(histories):
        base = ((steps[cut].offset, steps[cut].timestamp_ms), steps[cut].after)
        how = {"base": base} if name in WITH_BASE else {}
        expected.append(getattr(oracle, name)(steps[cut + 1 :], **how))
    table = history.JOB.tables[name](cut_logs)
    if name in OF_THE_LOG:
        table = table.filter("source = 'log'")
    compare(Counter(rows(table, "clusterId", *COLUMNS[name])), of_clusters(expected))


KINDS = {
    "synthetic_history": {
        *("leader elected", "voters changed", "feature changed", "controller registered"),
        *("broker registered", "broker unfenced", "broker fenced", "broker in controlled shutdown"),
        *("topic created", "topic deleted", "partitions added", "leader lost", "leader regained"),
        *("reassignment begun", "reassignment ended", "config changed", "ACL created", "ACL removed"),
        *("quota changed", "SCRAM credential created", "token created", "token removed"),
    },
    "our_history": {"leader elected", "broker registered", "broker fenced", "topic created", "topic deleted"},
    "stock_history": {
        "leader elected",
        "broker registered",
        "broker fenced",
        "topic created",
        "topic deleted",
    },
}


@pytest.mark.parametrize(
    "make",
    [
        "synthetic_history",
        pytest.param("our_history", marks=pytest.mark.slow),
        pytest.param("stock_history", marks=pytest.mark.slow),
    ],
)
def test_tables_of_files(make: str, spark: SparkSession, request: pytest.FixtureRequest) -> None:
    made: Made | History = request.getfixturevalue(make)
    node = made.nodes[0] if isinstance(made, Made) else Path(made.paths[0])
    steps = oracle.steps_of_log(node)
    spark.dataSource.register(KraftDataSource)
    reader = spark.read.format("kraft").options(
        view="typed",
        replicas="one",
        recordTypes=",".join(history.JOB.record_types),
        **history.JOB.source_options,
    )
    df = reader.load(str(node))
    for name, columns in COLUMNS.items():
        found = Counter(rows(history.JOB.tables[name](df), *columns))
        compare(found, Counter(getattr(oracle, name)(steps)))
        if name == "events":
            assert {row[3] for row in found} >= KINDS[make]
    history.forget(df)


def test_texts_have_no_secrets(spark: SparkSession) -> None:
    secret = "hunter2"
    log = frame(
        spark,
        [
            (0, 0, config(4, "1", "listener.name.x.ssl.keystore.password", secret)),
            (1, 0, config(4, "", "nobody.knows", secret)),
            (2, 0, config(2, "t", "retention.ms", "5")),
            (3, 0, config(4, "", "nobody.knows", None)),
            (4, 0, DelegationTokenRecord(owner="User:a", token_id=secret)),
            (5, 0, UserScramCredentialRecord(name="a", mechanism=1, salt=b"1", iterations=4096)),
        ],
        record_types=history.JOB.record_types,
    )
    assert sorted(rows(history.events(log), "offset", "text")) == [
        (0, "listener.name.x.ssl.keystore.password of broker 1 was set to [redacted]"),
        (1, "nobody.knows of all brokers was set to [redacted]"),
        (2, "retention.ms of topic t was set to 5"),
        (3, "nobody.knows of all brokers was removed (it was [redacted])"),
        (4, "A delegation token of User:a was created"),
        (5, "SCRAM-SHA-256 credential of a was created"),
    ]
    assert not [row for row in history.events(log).collect() if secret in str(row)]


def config(resource_type: int, name: str, key: str, value: str | None) -> ConfigRecord:
    return ConfigRecord(resource_type=resource_type, resource_name=name, name=key, value=value)


TOPIC = bytes(15) + b"\x11"


def partition(index: int) -> PartitionRecord:
    return PartitionRecord(
        partition_id=index, topic_id=TOPIC, replicas=[1, 2], isr=[1], leader=1, directories=[bytes(16)] * 2
    )


def test_partitions_that_come_in_one_transaction_are_one_change(spark: SparkSession) -> None:
    """Its batches have times of their own; two other changes at different times are two, also one after the other."""
    log = frame(
        spark,
        [
            (0, 100, BeginTransactionRecord()),
            (1, 100, TopicRecord(name="t", topic_id=TOPIC)),
            (2, 100, partition(0)),
            (3, 107, partition(1)),
            (4, 109, EndTransactionRecord()),
            (5, 111, partition(2)),
            (6, 113, partition(3)),
            (7, 120, BeginTransactionRecord()),
            (8, 120, partition(4)),
            (9, 125, AbortTransactionRecord()),
            (10, 130, NoOpRecord()),
        ],
        record_types=history.JOB.record_types,
    )
    columns = ("offset", "timestamp", "change", "oldPartitionCount", "newPartitionCount")
    assert sorted(rows(history.topic_changes(log), *columns)) == [
        (1, 100, "created", 0, 2),
        (5, 111, "partitions added", 2, 3),
        (6, 113, "partitions added", 3, 4),
    ]
    texts = sorted(rows(history.events(log), "offset", "text"))
    assert texts[0] == (1, "Topic t was created with 2 partitions of replication factor 2")
    assert rows(history.topics(log), "topicId", "partitionCount", "createdOffset", "lifetimeMs") == [
        (uuids.to_text(TOPIC), 4, 1, None)
    ]
