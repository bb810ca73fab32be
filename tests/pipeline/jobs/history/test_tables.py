"""The history's tables: against the same told one record at a time, and each rule by hand.

Tests: `kafkaproto_pipeline.jobs.history.broker_intervals`, `kafkaproto_pipeline.jobs.history.job`,
`kafkaproto_pipeline.jobs.history.partition_intervals`, `kafkaproto_pipeline.jobs.history.quorum_intervals`,
`kafkaproto_pipeline.jobs.history.topic_intervals`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafkaproto_pipeline.jobs import history
from kafkaproto_server.metadata.image.snapshot import image_records
from tests.pipeline import history_oracle as oracle
from tests.pipeline.frames import frame

pytestmark = pytest.mark.jvm

SEEDS = range(12)
RECORDS = 220
_EPOCHS = 1000
"""Epochs stand for clusters where several histories share a frame."""

SPAN = ("fromOffset", "fromTimestamp", "toOffset", "toTimestamp", "durationMs")
COLUMNS: dict[str, tuple[str, ...]] = {
    "leadership": ("topicName", "topicId", "partitionId", "leader", "leaderEpoch", *SPAN, "endedBy"),
    "isr": (
        *("topicName", "topicId", "partitionId", "isr", "replicas", "eligibleLeaderReplicas", "minIsr"),
        *("underReplicated", "underMinIsr", "leaderless", *SPAN),
    ),
    "brokers": ("brokerId", "state", "brokerEpoch", "incarnationId", *SPAN),
    "directories": (
        *("offset", "timestamp", "brokerId", "change", "directoryId", "fromDirectoryId"),
        *("topicName", "topicId", "partitionId"),
    ),
    "config_changes": (
        *("offset", "timestamp", "resourceType", "resourceName", "configName"),
        *("oldConfigValue", "newConfigValue", "deleted", "topicDeleted"),
    ),
    "acl_changes": ("offset", "timestamp", "change", "aclId", "principal", "resourceName"),
    "quota_changes": (
        "offset",
        "timestamp",
        "entity",
        "quotaKey",
        "oldQuotaValue",
        "newQuotaValue",
        "deleted",
    ),
    "scram_changes": ("offset", "timestamp", "userName", "mechanism", "change"),
}
CHANGES = ("PartitionChangeRecord", "BrokerRegistrationChangeRecord")
INTERVALS = ("leadership", "isr", "brokers")


def rows(table: DataFrame, *columns: str) -> list[tuple[Any, ...]]:
    """What a table holds: times as milliseconds, lists as tuples."""
    chosen = [
        F.unix_millis(name).alias(name) if kind == "timestamp" else F.col(name)
        for name, kind in table.select(*columns).dtypes
    ]
    return [tuple(map(_plain, row)) for row in table.select(*chosen).collect()]


def _plain(value: Any) -> Any:
    return tuple(map(_plain, value)) if isinstance(value, list | tuple) else value


def frames_of(
    spark: SparkSession, histories: Sequence[Iterable[tuple[int, int, Any]]], **how: Any
) -> DataFrame:
    """Histories of many clusters in one frame."""
    listed = [
        (offset, timestamp, record, number * _EPOCHS + 1)
        for number, history_rows in enumerate(histories)
        for offset, timestamp, record in history_rows
    ]
    df = frame(spark, listed, record_types=history.JOB.record_types, **how)
    cluster = F.concat(F.lit("cluster-"), F.expr(f"partitionLeaderEpoch div {_EPOCHS}"))
    return df.withColumns(
        {"clusterId": cluster, "partitionLeaderEpoch": F.col("partitionLeaderEpoch") % _EPOCHS}
    )


def of_clusters(table: Sequence[Iterable[tuple[Any, ...]]]) -> Counter[tuple[Any, ...]]:
    return Counter((f"cluster-{number}", *row) for number, part in enumerate(table) for row in part)


def told(steps: Iterable[oracle.Step]) -> list[tuple[int, int, Any]]:
    return [(step.offset, step.timestamp_ms, step.record) for step in steps]


def stated_by(step: oracle.Step) -> list[tuple[int, int, Any]]:
    """The rows of a snapshot that ends with this step."""
    return [(step.offset, step.timestamp_ms, record) for record, _ in image_records(step.after)]


@pytest.fixture(scope="module")
def histories() -> list[list[oracle.Step]]:
    return [oracle.random_history(seed, RECORDS) for seed in SEEDS]


@pytest.fixture(scope="module")
def logs(spark: SparkSession, histories: list[list[oracle.Step]]) -> DataFrame:
    """The logs, and a snapshot in the midst of each: it says nothing that is not known, so no table shows it."""
    whole = frames_of(spark, [told(steps) for steps in histories])
    stated = frames_of(spark, [stated_by(steps[RECORDS // 2]) for steps in histories], snapshot=True)
    return whole.unionByName(stated).cache()


@pytest.mark.parametrize("name", COLUMNS)
def test_table_is_what_a_walk_over_the_records_tells(
    name: str, logs: DataFrame, histories: list[list[oracle.Step]]
) -> None:
    tell: Callable[[list[oracle.Step]], list[tuple[Any, ...]]] = getattr(oracle, name)
    expected = of_clusters([tell(steps) for steps in histories])
    found = Counter(rows(history.JOB.tables[name](logs), "clusterId", *COLUMNS[name]))
    assert found - expected == expected - found == Counter()
    assert len(expected) > 100


@pytest.mark.parametrize("name", INTERVALS)
def test_history_begins_with_a_snapshot(
    name: str, spark: SparkSession, histories: list[list[oracle.Step]]
) -> None:
    starts, logs, expected = [], [], []
    for number, steps in enumerate(histories):
        # Early, with much to come, or late, with much in the snapshot: settings of min.insync.replicas, too.
        cut = RECORDS * (3 if number % 2 else 1) // 4 + number
        last = steps[cut]
        starts.append(stated_by(last))
        # Changes tell nothing without what they build on.
        changes = [step for step in steps[cut // 2 : cut + 1] if step.record.NAME in CHANGES]
        logs.append(told([*changes, *steps[cut + 1 :]]))
        tell = getattr(oracle, name)
        base = ((last.offset, last.timestamp_ms), last.after)
        expected.append(tell(steps[cut + 1 :], base=base))
    df = frames_of(spark, starts, snapshot=True).unionByName(frames_of(spark, logs))
    found = Counter(rows(history.JOB.tables[name](df), "clusterId", *COLUMNS[name]))
    wanted = of_clusters(expected)
    assert found - wanted == wanted - found == Counter()
