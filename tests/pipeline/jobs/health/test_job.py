"""Health by the hour: against the same added up one hour at a time, and each rule by hand.

Tests: `kafkaproto_pipeline.jobs.health.hours`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
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
from kafkaproto_pipeline.jobs.health import job as health
from kafkaproto_pipeline.jobs.history.rows import forget
from kafkaproto_server.metadata.image.image import ClusterImage
from tests.pipeline import history_oracle as oracle
from tests.pipeline.frames import Row, frame

pytestmark = pytest.mark.jvm

SEEDS = range(3)
RECORDS = 150
HOUR_MS = 3_600_000
_EPOCHS = 1000
"""Epochs stand for clusters, as several histories share a frame: "c0" is that of the first thousand."""
TOPIC = bytes(15) + b"\x09"
STATED, LAGGING, BACKWARDS = BY_HAND = ("c3", "c4", "c5")
"""Clusters whose logs are written by hand."""

Log = list[oracle.Step]
Table = list[dict[str, Any]]


@pytest.fixture(scope="module")
def logs() -> list[Log]:
    return [oracle.random_history(100 + seed, RECORDS) for seed in SEEDS]


def stated_trouble() -> tuple[list[Row], list[Row]]:
    """A snapshot with a partition that is under-replicated, and a log that begins much later."""
    partition = PartitionRecord(
        partition_id=0, topic_id=TOPIC, replicas=[1, 2], isr=[1], leader=1, leader_epoch=4, directories=[]
    )
    healed = PartitionChangeRecord(partition_id=0, topic_id=TOPIC, isr=[1, 2])
    epoch = 3 * _EPOCHS
    return [
        (99, 1_000, TopicRecord(name="t", topic_id=TOPIC), epoch),
        (99, 1_000, partition, epoch),
    ], [(100, 10 * HOUR_MS + 5_000, NoOpRecord(), epoch), (101, 12 * HOUR_MS + 3_000, healed, epoch)]


def lagging_snapshots() -> tuple[list[Row], list[Row]]:
    """Two snapshots, and a log of two records an hour."""
    epoch = 4 * _EPOCHS
    return (
        [(offset, offset * HOUR_MS // 2, SnapshotHeaderRecord(), epoch) for offset in (3, 6)],
        [(offset, offset * HOUR_MS // 2, NoOpRecord(), epoch) for offset in range(8)],
    )


def clock_behind() -> tuple[list[Row], list[Row]]:
    """The second leader's clock is more than an hour behind that of the first."""
    epoch = 5 * _EPOCHS
    partition = PartitionRecord(
        partition_id=0, topic_id=TOPIC, replicas=[1, 2], isr=[2], leader=1, leader_epoch=0, directories=[]
    )
    healed = PartitionChangeRecord(partition_id=0, topic_id=TOPIC, isr=[1, 2], leader=2)
    return [], [
        (0, 5 * HOUR_MS + 1_000, TopicRecord(name="t", topic_id=TOPIC), epoch),
        (1, 5 * HOUR_MS + 2_000, partition, epoch),
        (2, 4 * HOUR_MS - 3_000, healed, epoch),
    ]


@pytest.fixture(scope="module")
def tables(spark: SparkSession, logs: list[Log]) -> dict[str, Table]:
    """All tables of one frame with all histories; hours and other times in milliseconds."""
    snapshots, listed = zip(stated_trouble(), lagging_snapshots(), clock_behind(), strict=True)
    told = [
        (step.offset, step.timestamp_ms, step.record, number * _EPOCHS + 1)
        for number, steps in enumerate(logs)
        for step in steps
    ]
    df = frame(spark, [*told, *chain(*listed)]).unionByName(frame(spark, chain(*snapshots), snapshot=True))
    df = df.withColumn("clusterId", F.expr(f"concat('c', partitionLeaderEpoch div {_EPOCHS})"))
    found = {name: rows(make(df)) for name, make in health.JOB.tables.items()}
    forget(df)
    return found


def rows(table: DataFrame) -> Table:
    chosen = [
        F.unix_millis(name).alias(name) if kind == "timestamp" else F.col(name) for name, kind in table.dtypes
    ]
    return [row.asDict() for row in table.select(*chosen).collect()]


def columns(table: Table, *names: str, cluster: str | None = None) -> list[tuple[Any, ...]]:
    """Some columns of one cluster's rows, or of all random histories' with the cluster before them."""
    if cluster is not None:
        return [tuple(row[name] for name in names) for row in table if row["clusterId"] == cluster]
    others = [row for row in table if row["clusterId"] not in BY_HAND]
    return [tuple(row[name] for name in ("clusterId", *names)) for row in others]


def by_hour(table: Table, *names: str) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    return {row[:2]: row[2:] for row in columns(table, "hour", *names)}


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


def test_hours_add_up(tables: dict[str, Table], logs: list[Log]) -> None:
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
    found = by_hour(tables["by_hour"], *names, "leaderChanges", "brokerTransitions", "records")
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


def test_balance_is_that_of_the_image_at_each_hours_end(tables: dict[str, Table], logs: list[Log]) -> None:
    expected = {}
    for number, steps in enumerate(logs):
        for hour in axis(steps):
            last = [step for step in steps if step.timestamp_ms < (hour + 1) * HOUR_MS][-1]
            expected[(f"c{number}", hour * HOUR_MS)] = skew_at(last.after)
    names = ("brokerCount", "partitionCount", "led", "mostLed", "mostLedBy", "skew", "drift")
    found = by_hour(tables["leadership_skew"], *names)
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


def test_worst_partitions(tables: dict[str, Table], logs: list[Log]) -> None:
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
    names = (
        "topicName",
        "topicId",
        "partitionId",
        *health.TROUBLES,
        "leaderChanges",
        "mostInAnHour",
        "worstHour",
    )
    found = columns(tables["worst_partitions"], *names)
    assert {_rounded(row) for row in found} == {_rounded(row) for row in expected}
    assert len(found) == len(expected)
    order = [(row[6], row[5], row[4], row[7]) for row in found]
    assert order == sorted(order, reverse=True)


def _rounded(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(round(each, 3) if isinstance(each, float) else each for each in row)


def test_worst_brokers(tables: dict[str, Table], logs: list[Log]) -> None:
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
    names = ("brokerId", "fencedSeconds", "registrations", "brokerTransitions", "mostInAnHour", "worstHour")
    found = {_rounded(row) for row in columns(tables["worst_brokers"], *names)}
    assert found == {_rounded(row) for row in expected}


def test_flapping_and_growth(tables: dict[str, Table], logs: list[Log]) -> None:
    partitions: Counter[Any] = Counter()
    brokers: Counter[Any] = Counter()
    growth: Counter[Any] = Counter()
    for number, steps in enumerate(logs):
        cluster = f"c{number}"
        for at_ms, partition in leader_changes(steps):
            partitions[(cluster, at_ms // HOUR_MS * HOUR_MS, *partition)] += 1
        for at_ms, broker, state in transitions(steps):
            brokers[(cluster, at_ms // HOUR_MS * HOUR_MS, broker, state)] += 1
        for step in steps:
            growth[(cluster, step.timestamp_ms // HOUR_MS * HOUR_MS, step.record.NAME)] += 1
    names = ("hour", "topicName", "topicId", "partitionId", "leaderChanges")
    found = columns(tables["flapping_partitions"], *names)
    assert {row[:-1]: row[-1] for row in found} == partitions
    assert [row[-1] for row in found] == sorted((row[-1] for row in found), reverse=True)
    for cluster, hour, broker, fenced, unfenced, both in columns(
        tables["flapping_brokers"], "hour", "brokerId", "timesFenced", "timesUnfenced", "brokerTransitions"
    ):
        assert brokers.pop((cluster, hour, broker, "fenced"), 0) == fenced
        assert brokers.pop((cluster, hour, broker, "active"), 0) == unfenced
        assert both == fenced + unfenced
    assert not brokers
    grown = columns(tables["record_growth"], "recordType", "hour", "records", "recordsUntilThen")
    assert {(row[0], row[2], row[1]): row[3] for row in grown} == growth
    until: Counter[tuple[str, str]] = Counter()
    for cluster, kind, _, count, total in sorted(grown, key=lambda row: row[2]):
        until[(cluster, kind)] += count
        assert until[(cluster, kind)] == total


def test_trouble_that_a_snapshot_states_counts_from_the_log_on(tables: dict[str, Table]) -> None:
    found = columns(tables["by_hour"], "hour", "underReplicatedSeconds", "records", cluster=STATED)
    assert found == [
        (11 * HOUR_MS, 3600.0, 0),
        (10 * HOUR_MS, 3595.0, 1),
        (12 * HOUR_MS, 3.0, 1),
    ]


def test_snapshot_lag_is_to_the_newest_that_ended_by_then(tables: dict[str, Table]) -> None:
    names = ("hour", "lastOffset", "snapshotOffset", "recordsBehind", "behindMs")
    assert columns(tables["snapshot_lag"], *names, cluster=LAGGING) == [
        (0, 1, None, None, None),
        (2 * HOUR_MS, 5, 3, 2, HOUR_MS),
        (3 * HOUR_MS, 7, 6, 1, HOUR_MS // 2),
        (1 * HOUR_MS, 3, 3, 0, 0),
    ]


def test_what_ended_before_it_began_took_no_time(tables: dict[str, Table]) -> None:
    names = ("hour", "underReplicatedSeconds", "leaderChanges")
    assert sorted(columns(tables["by_hour"], *names, cluster=BACKWARDS)) == [
        (3 * HOUR_MS, 0, 1),
        (4 * HOUR_MS, 0, 0),
        (5 * HOUR_MS, 0, 0),
    ]
    balance = columns(
        tables["leadership_skew"], "hour", "partitionCount", "led", "mostLedBy", cluster=BACKWARDS
    )
    assert sorted(balance) == [(hour * HOUR_MS, 1, 1, 2) for hour in (3, 4, 5)]
