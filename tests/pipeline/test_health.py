"""Health by the hour: against the same added up one hour at a time, and each rule by hand."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafkaproto.messages import (
    NoOpRecord,
    PartitionChangeRecord,
    PartitionRecord,
    SnapshotHeaderRecord,
    TopicRecord,
)
from pipeline.jobs import health
from server.image.image import ClusterImage
from tests.pipeline import history_oracle as oracle
from tests.pipeline.frames import frame

pytestmark = pytest.mark.jvm

SEEDS = range(6)
RECORDS = 200
HOUR_MS = 3_600_000
_EPOCHS = 1000
"""Epochs stand for clusters where several histories share a frame."""

Log = list[oracle.Step]


def rows(table: DataFrame, *columns: str) -> list[tuple[Any, ...]]:
    """What a table holds, with hours and other times as milliseconds."""
    chosen = [
        F.unix_millis(name).alias(name) if kind == "timestamp" else F.col(name)
        for name, kind in table.select(*columns).dtypes
    ]
    return [tuple(row) for row in table.select(*chosen).collect()]


def table(df: DataFrame, name: str, *columns: str) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """Rows of one of the tables by cluster and hour."""
    found = rows(health.JOB.tables[name](df), "clusterId", *columns)
    return {(row[0], row[1]): row[2:] for row in found}


@pytest.fixture(scope="module")
def logs() -> list[Log]:
    return [oracle.random_history(100 + seed, RECORDS) for seed in SEEDS]


@pytest.fixture(scope="module")
def df(spark: SparkSession, logs: list[Log]) -> DataFrame:
    listed = [
        (step.offset, step.timestamp_ms, step.record, number * _EPOCHS + 1)
        for number, steps in enumerate(logs)
        for step in steps
    ]
    cluster = F.expr(f"concat('c', partitionLeaderEpoch div {_EPOCHS})")
    return frame(spark, listed).withColumn("clusterId", cluster).cache()


def axis(steps: Log) -> range:
    return range(steps[0].timestamp_ms // HOUR_MS, steps[-1].timestamp_ms // HOUR_MS + 1)


def in_hour(hour: int, start_ms: int, end_ms: int) -> int:
    """How many of these milliseconds lie in that hour."""
    return max(0, min(end_ms, (hour + 1) * HOUR_MS) - max(start_ms, hour * HOUR_MS))


def transitions(steps: Log) -> Iterator[tuple[int, int, str]]:
    """(milliseconds, broker, what it became) for each time that a broker was fenced or unfenced."""
    last: dict[int, str] = {}
    for row in sorted(oracle.brokers(steps), key=lambda row: row[4]):
        broker, state, timestamp_ms = row[0], row[1], row[5]
        if broker in last and state in ("active", "fenced"):
            yield timestamp_ms, broker, state
        last[broker] = state


def leader_changes(steps: Log) -> list[tuple[int, tuple[Any, ...]]]:
    return [
        (row[8], row[:3]) for row in oracle.leadership(steps) if row[10] in ("another leader", "leaderless")
    ]


def trouble(steps: Log) -> Iterator[tuple[tuple[Any, ...], tuple[bool, ...], int, int]]:
    """(partition, its troubles, from, to) in milliseconds, what lasts up to the log's end."""
    for row in oracle.isr(steps):
        end_ms = steps[-1].timestamp_ms if row[13] is None else row[13]
        yield row[:3], row[7:10], row[11], end_ms


def test_hours_add_up(df: DataFrame, logs: list[Log]) -> None:
    expected = {}
    for number, steps in enumerate(logs):
        for hour in axis(steps):
            sums = [0, 0, 0]
            for _, flags, start_ms, end_ms in trouble(steps):
                for index, flag in enumerate(flags):
                    sums[index] += flag * in_hour(hour, start_ms, end_ms)
            expected[(f"c{number}", hour * HOUR_MS)] = (
                *(each / 1000 for each in sums),
                sum(at_ms // HOUR_MS == hour for at_ms, _ in leader_changes(steps)),
                sum(at_ms // HOUR_MS == hour for at_ms, *_ in transitions(steps)),
                sum(step.timestamp_ms // HOUR_MS == hour for step in steps),
            )
    names = ("underReplicatedSeconds", "underMinIsrSeconds", "leaderlessSeconds")
    found = table(df, "by_hour", "hour", *names, "leaderChanges", "brokerTransitions", "records")
    assert found == expected


def skew_at(image: ClusterImage) -> tuple[Any, ...]:
    partitions = [each for topic in image.topics.values() for each in topic.partitions.values()]
    led = Counter(each.leader for each in partitions if each.leader >= 0)
    active = {each.broker_id for each in image.brokers.values() if each.is_active()}
    brokers = len(active | set(led))
    most = max(led.values(), default=0)
    first = min((broker for broker, count in led.items() if count == most), default=None)
    skew = most * brokers / sum(led.values()) if led else None
    strayed = sum((each.leader,) != each.replicas[:1] for each in partitions)
    return (brokers, len(partitions), sum(led.values()), most, first, skew) + (
        (strayed / len(partitions),) if partitions else (None,)
    )


def test_balance_is_that_of_the_image_at_each_hours_end(df: DataFrame, logs: list[Log]) -> None:
    expected = {}
    for number, steps in enumerate(logs):
        for hour in axis(steps):
            last = [step for step in steps if step.timestamp_ms < (hour + 1) * HOUR_MS][-1]
            expected[(f"c{number}", hour * HOUR_MS)] = skew_at(last.after)
    columns = ("brokers", "partitions", "led", "mostLed", "mostLedBy", "skew", "drift")
    found = table(df, "leadership_skew", "hour", *columns)
    # Before a cluster has partitions or brokers there is nothing to be balanced.
    assert found == {key: value for key, value in expected.items() if key in found}
    assert all(value[0] == value[1] == 0 for key, value in expected.items() if key not in found)
    assert len(found) > 100
    skews = [value[5] or 0 for value in found.values()]
    assert skews == sorted(skews, reverse=True)


def counted(events: Iterable[tuple[int, Any]]) -> dict[Any, Counter[int]]:
    found: dict[Any, Counter[int]] = defaultdict(Counter)
    for at_ms, key in events:
        found[key][at_ms // HOUR_MS] += 1
    return found


def worst(by_hour: Counter[int]) -> tuple[int, int, int | None]:
    """(events, most in an hour, the first such hour)"""
    if not by_hour:
        return 0, 0, None
    most = max(by_hour.values())
    return by_hour.total(), most, min(hour for hour, count in by_hour.items() if count == most) * HOUR_MS


def test_worst_partitions(df: DataFrame, logs: list[Log]) -> None:
    expected = set()
    for number, steps in enumerate(logs):
        changes = counted(leader_changes(steps))
        sums: dict[Any, list[float]] = defaultdict(lambda: [0, 0, 0])
        for partition, flags, start_ms, end_ms in trouble(steps):
            for index, flag in enumerate(flags):
                sums[partition][index] += flag * (end_ms - start_ms)
        in_trouble = {partition for partition, flags, *_ in trouble(steps) if any(flags)}
        for partition in in_trouble | set(changes):
            seconds = (each / 1000 for each in sums[partition])
            expected.add((f"c{number}", *partition, *seconds, *worst(changes[partition])))
    columns = (
        "topic",
        "topicId",
        "partition",
        *health.TROUBLES,
        "leaderChanges",
        "mostInAnHour",
        "worstHour",
    )
    found = rows(health.worst_partitions(df), "clusterId", *columns)
    assert {_rounded(row) for row in found} == {_rounded(row) for row in expected}
    assert len(found) == len(expected)
    order = [(row[6], row[5], row[4], row[7]) for row in found]
    assert order == sorted(order, reverse=True)


def _rounded(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(round(each, 3) if isinstance(each, float) else each for each in row)


def test_worst_brokers(df: DataFrame, logs: list[Log]) -> None:
    expected = set()
    for number, steps in enumerate(logs):
        moved = counted((at_ms, broker) for at_ms, broker, _ in transitions(steps))
        lives = oracle.brokers(steps)
        for broker in {row[0] for row in lives}:
            own = [row for row in lives if row[0] == broker]
            fenced = sum(
                (steps[-1].timestamp_ms if row[7] is None else row[7]) - row[5]
                for row in own
                if row[1] in ("fenced", "registered")
            )
            registrations = len({row[2] for row in own})
            expected.add((f"c{number}", broker, fenced / 1000, registrations, *worst(moved[broker])))
    columns = ("brokerId", "fencedSeconds", "registrations", "transitions", "mostInAnHour", "worstHour")
    found = {_rounded(row) for row in rows(health.worst_brokers(df), "clusterId", *columns)}
    assert found == {_rounded(row) for row in expected}


def test_flapping_and_growth(df: DataFrame, logs: list[Log]) -> None:
    partitions, brokers, growth = Counter(), Counter(), Counter()
    for number, steps in enumerate(logs):
        cluster = f"c{number}"
        for at_ms, partition in leader_changes(steps):
            partitions[(cluster, at_ms // HOUR_MS * HOUR_MS, *partition)] += 1
        for at_ms, broker, state in transitions(steps):
            brokers[(cluster, at_ms // HOUR_MS * HOUR_MS, broker, state)] += 1
        for step in steps:
            growth[(cluster, step.timestamp_ms // HOUR_MS * HOUR_MS, step.record.NAME)] += 1
    found = rows(
        health.flapping_partitions(df), "clusterId", "hour", "topic", "topicId", "partition", "leaderChanges"
    )
    assert {row[:-1]: row[-1] for row in found} == partitions
    assert [row[-1] for row in found] == sorted((row[-1] for row in found), reverse=True)
    for cluster, hour, broker, fenced, unfenced, both in rows(
        health.flapping_brokers(df), "clusterId", "hour", "brokerId", "fenced", "unfenced", "transitions"
    ):
        assert brokers.pop((cluster, hour, broker, "fenced"), 0) == fenced
        assert brokers.pop((cluster, hour, broker, "active"), 0) == unfenced
        assert both == fenced + unfenced
    assert not brokers
    grown = rows(health.record_growth(df), "clusterId", "recordType", "hour", "records", "recordsUntilThen")
    assert {(row[0], row[2], row[1]): row[3] for row in grown} == growth
    until: Counter[tuple[str, str]] = Counter()
    for cluster, kind, _, count, total in sorted(grown, key=lambda row: row[2]):
        until[(cluster, kind)] += count
        assert until[(cluster, kind)] == total


TOPIC = bytes(15) + b"\x09"


def test_trouble_that_a_snapshot_states_counts_from_the_log_on(spark: SparkSession) -> None:
    partition = PartitionRecord(
        partition_id=0, topic_id=TOPIC, replicas=[1, 2], isr=[1], leader=1, leader_epoch=4, directories=[]
    )
    start = frame(
        spark,
        [(99, 1_000, each) for each in (TopicRecord(name="t", topic_id=TOPIC), partition)],
        snapshot=True,
    )
    healed = PartitionChangeRecord(partition_id=0, topic_id=TOPIC, isr=[1, 2])
    log = frame(
        spark,
        [(100, 10 * HOUR_MS + 5_000, NoOpRecord()), (101, 12 * HOUR_MS + 3_000, healed)],
    )
    found = rows(health.by_hour(start.unionByName(log)), "hour", "underReplicatedSeconds", "records")
    assert found == [
        (11 * HOUR_MS, 3600.0, 0),
        (10 * HOUR_MS, 3595.0, 1),
        (12 * HOUR_MS, 3.0, 1),
    ]


def test_snapshot_lag_is_to_the_newest_that_ended_by_then(spark: SparkSession) -> None:
    log = frame(
        spark,
        [(offset, offset * HOUR_MS // 2, NoOpRecord()) for offset in range(8)],
    )
    snapshots = [
        frame(spark, [(offset, offset * HOUR_MS // 2, SnapshotHeaderRecord())], snapshot=True)
        for offset in (3, 6)
    ]
    df = log.unionByName(snapshots[0]).unionByName(snapshots[1])
    found = rows(health.snapshot_lag(df), "hour", "lastOffset", "snapshotOffset", "records", "behindMs")
    assert found == [
        (0, 1, None, None, None),
        (2 * HOUR_MS, 5, 3, 2, HOUR_MS),
        (3 * HOUR_MS, 7, 6, 1, HOUR_MS // 2),
        (1 * HOUR_MS, 3, 3, 0, 0),
    ]
