"""Which events are on the page, and which changes are marked: against a slow model."""

from __future__ import annotations

import random
from collections import Counter, defaultdict

import pytest
from pyspark.sql import DataFrame, SparkSession

from kafkaproto_pipeline.jobs.report import event_rows
from kafkaproto_pipeline.jobs.report.data import (
    EVENT_GROUPS,
    EVENTS_OF_A_KIND,
    MARKED_KINDS,
    MAX_EVENTS,
    MAX_MARK_BINS,
    MAX_MARK_CHANGES,
    TELLING_FIRST,
    Bins,
    DirectoryFailure,
    Event,
    bins_of,
)

pytestmark = pytest.mark.jvm

START_MS = 1_795_000_000_000
LENGTH_MS = 3_600_000
KINDS = [kind for kinds in EVENT_GROUPS.values() for kind in kinds]
SCHEMA = (
    "offset BIGINT, atMs BIGINT, kind STRING, subject STRING, text STRING, topicName STRING, brokerId INT"
)


def drawn(count: int) -> list[Event]:
    """Events out of a seed, in the log's order; some kinds are frequent, and one is not known."""
    rng = random.Random(7)
    kinds = [*KINDS, "kind of a later release", *["leader lost", "ACL created"] * 40]
    rows = []
    for at in range(count):
        topic = rng.choice((None, "orders", "payments"))
        rows.append(
            Event(
                at_ms=START_MS + rng.randrange(LENGTH_MS // 60) * 60 + at,
                offset=at // 2,
                kind=rng.choice(kinds),
                subject=f"topic {topic}" if topic else f"subject {at}",
                topic=topic,
                text=f"Event {at:05}",
            )
        )
    return rows


def told(spark: SparkSession, rows: list[Event]) -> DataFrame:
    values = [(each.offset, each.at_ms, each.kind, each.subject, each.text, each.topic, 7) for each in rows]
    return spark.createDataFrame(random.Random(1).sample(values, len(values)), SCHEMA)


def test_every_kind_has_a_group_and_room() -> None:
    assert len(KINDS) == len(set(KINDS))
    assert set(TELLING_FIRST) | set(MARKED_KINDS) <= set(KINDS)
    assert (len(KINDS) + 5) * EVENTS_OF_A_KIND <= MAX_EVENTS


def test_no_kind_crowds_the_others_out(spark: SparkSession) -> None:
    rows = drawn(3_000)
    found = event_rows.events(told(spark, rows))
    assert found.counts == Counter(each.kind for each in rows)
    by_kind: dict[str, list[Event]] = defaultdict(list)
    for each in sorted(rows, key=lambda each: (-each.offset, each.subject, each.text)):
        by_kind[each.kind].append(each)
    order = [*TELLING_FIRST, *sorted(set(by_kind) - set(TELLING_FIRST))]
    kept: list[Event] = []
    for turn in range(0, len(rows), EVENTS_OF_A_KIND):
        for kind in order:
            kept += by_kind[kind][turn : turn + EVENTS_OF_A_KIND]
    expected = sorted(kept[:MAX_EVENTS], key=lambda each: (each.offset, each.at_ms))
    assert [(each.offset, each.text) for each in found.rows] == [
        (each.offset, each.text) for each in expected
    ]
    assert len(found.rows) == MAX_EVENTS
    assert set(by_kind) == {each.kind for each in found.rows}


def test_changes_that_are_close_to_each_other_are_one_mark(spark: SparkSession) -> None:
    rows = drawn(3_000)
    found = event_rows.marks(told(spark, rows), START_MS, START_MS + LENGTH_MS)
    bins = bins_of(START_MS, START_MS + LENGTH_MS, MAX_MARK_BINS)
    by_bin: dict[int, list[Event]] = defaultdict(list)
    for each in sorted(rows, key=lambda each: (each.offset, each.subject, each.text)):
        if each.kind in MARKED_KINDS:
            by_bin[(each.at_ms - bins.first_ms) // bins.step_ms].append(each)
    expected = [by_bin[at] for at in sorted(by_bin)]
    assert [mark.count for mark in found] == list(map(len, expected))
    for mark, changes in zip(found, expected, strict=True):
        assert mark.changes == changes[:MAX_MARK_CHANGES]
    assert max(mark.count for mark in found) > MAX_MARK_CHANGES
    assert len(found) <= MAX_MARK_BINS


def test_failed_directories_in_a_bin_are_one(spark: SparkSession) -> None:
    def lost(at_ms: int, offset: int, kind: str = "directory failed") -> Event:
        return Event(
            at_ms=at_ms, offset=offset, kind=kind, subject="broker 7", topic=None, text=f"At {offset}"
        )

    rows = [lost(5, 3), lost(19, 4), lost(12, 2, "directory missing"), lost(11, 1, "directory cordoned")]
    bins = Bins(first_ms=0, step_ms=10, count=2)
    expected = [
        DirectoryFailure(broker_id=7, at_ms=5, offset=3, text="At 3"),
        DirectoryFailure(broker_id=7, at_ms=12, offset=2, text="At 2", count=2),
    ]
    assert event_rows.failures(told(spark, rows), [7], bins) == expected
    assert event_rows.failures(told(spark, rows), [8], bins) == []
