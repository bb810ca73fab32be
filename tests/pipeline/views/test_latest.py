"""Changes put together in any portions end in the partitions that the server's own replay ends in.

Tests: `kafkaproto_pipeline.views.state`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto import uuids
from kafkaproto.message import Message
from kafkaproto.messages import (
    AbortTransactionRecord,
    BeginTransactionRecord,
    ClearElrRecord,
    EndTransactionRecord,
    NoOpRecord,
    PartitionChangeRecord,
    PartitionRecord,
    TopicRecord,
)
from kafkaproto_pipeline.views import latest
from kafkaproto_pipeline.views.latest import CHANGED_PARTITION, END_OF_RANGE, MARKERS
from kafkaproto_server.metadata.image.entries import PartitionImage
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.loader import LoadState, load_records
from tests.pipeline.frames import state_rows, typed_table

TOPICS = {"a": b"a" * 16, "b": b"b" * 16}
FEW_ROWS = 7
"""Rows to gather in these tests, so that much is put together again and again."""


@pytest.fixture(autouse=True)
def _small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latest, "MAX_BUFFERED_ROWS", FEW_ROWS)
    monkeypatch.setattr(latest, "MAX_REDUCED_ROWS", FEW_ROWS)
    monkeypatch.setattr(latest, "MAX_PASSED_ROWS", FEW_ROWS)


def _some(rng: random.Random, items: Sequence[int]) -> list[int]:
    return rng.sample(list(items), rng.randint(0, len(items)))


def _directories(rng: random.Random, replicas: Sequence[int]) -> list[bytes]:
    return [rng.randbytes(16) for _ in replicas]


def _partition(rng: random.Random, topic_id: bytes, index: int) -> Message:
    replicas = rng.sample(range(6), rng.randint(1, 4))
    return PartitionRecord(
        topic_id=topic_id,
        partition_id=index,
        replicas=replicas,
        isr=_some(rng, replicas),
        removing_replicas=_some(rng, replicas),
        adding_replicas=_some(rng, replicas),
        leader=rng.choice([-1, *replicas]),
        leader_recovery_state=rng.randint(0, 1),
        leader_epoch=rng.randint(0, 9),
        partition_epoch=rng.randint(0, 9),
        directories=rng.choice(([], _directories(rng, replicas))),
        eligible_leader_replicas=rng.choice((None, [], _some(rng, replicas))),
        last_known_elr=rng.choice((None, [], _some(rng, replicas))),
    )


def _change(rng: random.Random, topic_id: bytes, index: int, old: PartitionImage) -> Message:
    replicas = rng.choice((None, None, rng.sample(range(6), rng.randint(1, 4))))
    current = list(old.replicas) if replicas is None else replicas
    return PartitionChangeRecord(
        topic_id=topic_id,
        partition_id=index,
        isr=rng.choice((None, _some(rng, current))),
        leader=rng.choice([-2, -2, -1, *current]),
        replicas=replicas,
        removing_replicas=rng.choice((None, [], _some(rng, current))),
        adding_replicas=rng.choice((None, [], _some(rng, current))),
        leader_recovery_state=rng.randint(-1, 1),
        directories=rng.choice((None, None, _directories(rng, current))),
        eligible_leader_replicas=rng.choice((None, None, [], _some(rng, current))),
        last_known_elr=rng.choice((None, None, [], _some(rng, current))),
    )


def _history(rng: random.Random, count: int) -> tuple[list[Message], ClusterImage]:
    """Records about partitions of two topics, in transactions and outside, and what the server makes of them."""
    records: list[Message] = []
    loaded = LoadState()
    for offset in range(count):
        records.append(_record(rng, loaded, offset))
        loaded = load_records(loaded, base_offset=offset, epoch=1, timestamp_ms=0, records=records[-1:])
    return records, loaded.stable


def _record(rng: random.Random, loaded: LoadState, offset: int) -> Message:
    if offset < len(TOPICS):
        name = sorted(TOPICS)[offset]
        return TopicRecord(name=name, topic_id=TOPICS[name])
    if loaded.in_transaction and rng.random() < 0.2:
        return rng.choice((EndTransactionRecord(), AbortTransactionRecord()))
    if not loaded.in_transaction and rng.random() < 0.1:
        return BeginTransactionRecord()
    name = rng.choice(sorted(TOPICS))
    topic_id, index = TOPICS[name], rng.randint(0, 2)
    old = loaded.latest.partition(topic_id, index)
    if rng.random() < 0.1:
        return ClearElrRecord(topic_name=rng.choice(("", name)))
    if old is None or rng.random() < 0.05:
        return _partition(rng, topic_id, index)
    return _change(rng, topic_id, index, old)


def _table(records: Sequence[Message]) -> pa.Table:
    """The records as rows of the view ``typed``."""
    rows = [(offset, offset * 1000, record, offset // 10) for offset, record in enumerate(records)]
    return typed_table(rows)


def _reduced(rng: random.Random, table: pa.Table) -> list[dict[str, Any]]:
    """What the view ``state`` makes of the rows, which come in portions of any size."""
    cuts = sorted({0, table.num_rows, *(rng.randint(0, table.num_rows) for _ in range(table.num_rows // 3))})
    portions = [
        batch for start, end in pairwise(cuts) for batch in table.slice(start, end - start).to_batches()
    ]
    return [row for batch in state_rows(portions) for row in batch.to_pylist()]


def _as_image(row: dict[str, Any]) -> PartitionImage:
    return PartitionImage(
        replicas=tuple(row["replicas"]),
        directories=tuple(uuids.from_text(each) for each in row["directories"]),
        isr=tuple(row["isr"]),
        removing_replicas=tuple(row["removingReplicas"]),
        adding_replicas=tuple(row["addingReplicas"]),
        leader=row["leader"],
        leader_recovery_state=row["leaderRecoveryState"],
        leader_epoch=row["leaderEpoch"],
        partition_epoch=row["partitionEpoch"],
        elr=tuple(row["eligibleLeaderReplicas"]),
        last_known_elr=tuple(row["lastKnownElr"]),
    )


def _counted(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows without those of transactions that were taken back or are open; `test_transactions` has Spark do it."""
    markers = sorted((row["position"], row["recordType"]) for row in rows if row["recordType"] in MARKERS)
    spans = []
    for at, (position, record_type) in enumerate(markers):
        if record_type == BeginTransactionRecord.NAME:
            following = markers[at + 1] if at + 1 < len(markers) else (1 << 63, "")
            if following[1] != EndTransactionRecord.NAME:
                spans.append((position, following[0]))
    return [row for row in rows if not any(first <= row["offset"] <= last for first, last in spans)]


def _resolved(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    names = {uuids.to_text(each): name for name, each in TOPICS.items()}
    cleared = [
        (row["position"], row["record"]["ClearElrRecord"]["topicName"])
        for row in rows
        if row["recordType"] == ClearElrRecord.NAME
    ]
    unresolved = []
    for row in rows:
        if row["change"] is not None:
            about = [position for position, name in cleared if name in ("", names[row["change"]["topicId"]])]
            before = sum(position < row["position"] for position in about)
            unresolved.append(row["change"] | {"clears": before, "clearsInAll": len(about)})
    batch = pa.RecordBatch.from_pylist(unresolved, schema=latest.UNRESOLVED)
    return [row for batch in latest.resolved([batch]) for row in batch.to_pylist()]


@given(st.integers(min_value=0, max_value=2**32))
def test_any_split_ends_in_what_the_server_replays(seed: int) -> None:
    rng = random.Random(seed)
    records, image = _history(rng, rng.randint(3, 90))
    table = _table(records)
    cuts = [0, *sorted(rng.randint(0, len(records)) for _ in range(rng.randint(0, 4))), len(records)]
    reduced = [row for start, end in pairwise(cuts) for row in _reduced(rng, table.slice(start, end - start))]
    rng.shuffle(reduced)
    found = _resolved(_counted(reduced))
    assert {(row["topicId"], row["partitionId"]): _as_image(row) for row in found} == {
        (uuids.to_text(topic.topic_id), index): partition
        for topic in image.topics.values()
        for index, partition in topic.partitions.items()
    }
    assert len(found) == sum(len(topic.partitions) for topic in image.topics.values())


def _changes(count: int) -> list[Message]:
    """Changes of one partition's leader."""
    return [PartitionChangeRecord(topic_id=TOPICS["a"], partition_id=3, leader=each) for each in range(count)]


def _of_changes(rows: Sequence[dict[str, Any]]) -> list[int]:
    return [row["change"]["changes"] for row in rows if row["change"] is not None]


def test_changes_of_a_partition_become_one_row() -> None:
    assert _of_changes(_reduced(random.Random(1), _table(_changes(1000)))) == [1000]


@pytest.mark.parametrize(
    "barrier",
    [
        BeginTransactionRecord(),
        EndTransactionRecord(),
        AbortTransactionRecord(),
        ClearElrRecord(topic_name="a"),
    ],
)
def test_nothing_is_put_together_across_a_barrier(barrier: Message) -> None:
    rng = random.Random(1)
    records = [*_changes(3), barrier, _partition(rng, TOPICS["a"], 3), *_changes(2)]
    assert sorted(_of_changes(_reduced(rng, _table(records)))) == [2, 3]


@pytest.mark.parametrize(("last", "changes"), [(EndTransactionRecord(), 9), (AbortTransactionRecord(), 4)])
def test_a_transaction_that_the_range_holds_leaves_no_trace_but_what_counts_of_it(
    monkeypatch: pytest.MonkeyPatch, last: Message, changes: int
) -> None:
    monkeypatch.setattr(latest, "MAX_PASSED_ROWS", 1000)
    topic = TopicRecord(name="a", topic_id=TOPICS["a"])
    records = [*_changes(2), BeginTransactionRecord(), topic, *_changes(5), last, *_changes(2)]
    rows = _reduced(random.Random(1), _table(records))
    assert _of_changes(rows) == [changes]
    is_counted = isinstance(last, EndTransactionRecord)
    expected = [TopicRecord.NAME] * is_counted + [CHANGED_PARTITION, END_OF_RANGE]
    assert [row["recordType"] for row in rows] == expected


@pytest.mark.parametrize("begin", [1, 5, 6, 7, 8, 20])
def test_ends_are_told_before_an_open_transaction_and_at_the_end(begin: int) -> None:
    records = [*_changes(begin), BeginTransactionRecord(), NoOpRecord()]
    ends = [
        row for row in _reduced(random.Random(begin), _table(records)) if row["recordType"] == END_OF_RANGE
    ]
    assert sorted((row["offset"], row["epoch"], row["timestampMs"], row["position"]) for row in ends) == [
        (offset, offset // 10, offset * 1000, offset) for offset in (begin - 1, begin + 1)
    ]


def test_other_records_of_the_state_pass_through() -> None:
    records = [NoOpRecord(), *_changes(2), TopicRecord(name="a", topic_id=TOPICS["a"]), *_changes(1)]
    passed = [row for row in _reduced(random.Random(1), _table(records)) if row["change"] is None]
    assert [(row["recordType"], row["offset"]) for row in passed] == [
        (TopicRecord.NAME, 3),
        (END_OF_RANGE, 4),
    ]
    assert passed[0]["record"][TopicRecord.NAME] == {"name": "a", "topicId": uuids.to_text(TOPICS["a"])}


def test_a_change_without_its_partition_is_told() -> None:
    records = [ClearElrRecord(topic_name="a"), *_changes(1)]
    with pytest.raises(ValueError, match=r"offset 1: no PartitionRecord of YWFhYWFhYWFhYWFhYWFhYQ-3.*asOf"):
        _resolved(_reduced(random.Random(1), _table(records)))


@pytest.mark.parametrize("taken", [(0, 1, 2, 1), (0, 1, 2, 2)])
def test_rows_that_come_twice_are_told(taken: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"came twice or out of order.*replicas=one"):
        _reduced(random.Random(2), _table(_changes(3)).take(list(taken)))


def test_ranges_that_overlap_are_told() -> None:
    rng = random.Random(3)
    table = _table([_partition(rng, TOPICS["a"], 3), *_changes(4)])
    reduced = [*_reduced(rng, table.take([0, 2, 4])), *_reduced(rng, table.take([1, 3]))]
    with pytest.raises(ValueError, match="out of order"):
        _resolved(reduced)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        (
            "raw",
            b"\0",
            r"NoOpRecord at offset 0 of /data/__cluster_metadata-0/0+\.log: version 0 is newer than this release knows",
        ),
        (
            "_corrupt_record",
            {"file": "f", "position": 9, "offset": 3, "reason": "CRC"},
            r"/data/.*\.log, byte 9, offset 3: CRC",
        ),
    ],
)
def test_what_no_state_can_be_told_without_is_named(column: str, value: object, message: str) -> None:
    table = _table([NoOpRecord()])
    field = table.schema.field(column)
    table = table.set_column(table.column_names.index(column), field, pa.array([value], field.type))
    with pytest.raises(ValueError, match=message):
        list(state_rows(table.to_batches()))


def test_snapshot_rows_are_named_by_their_number() -> None:
    assert latest.describe_position(latest.SNAPSHOT_START + 12) == "snapshot record 12"
    assert latest.describe_position(12) == "offset 12"


def test_nothing_comes_of_nothing() -> None:
    assert list(state_rows([])) == []
    assert list(state_rows(_table([]).to_batches())) == []
    assert list(latest.resolved([])) == []
