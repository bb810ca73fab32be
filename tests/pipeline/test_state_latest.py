"""Changes put together in any portions end in the partitions that the server's own replay ends in."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa
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
from pipeline import latest
from pipeline.latest import END_OF_RANGE
from server.image.image import EMPTY_IMAGE, MIGRATING_DIRECTORY, ClusterImage, PartitionImage
from server.image.replay import replay

TOPICS = {"a": b"a" * 16, "b": b"b" * 16}
FEW_ROWS = 7
"""Rows to gather in these tests, so that much is put together again and again."""


@pytest.fixture(autouse=True)
def _small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latest, "MAX_BUFFERED_ROWS", FEW_ROWS)
    monkeypatch.setattr(latest, "MAX_REDUCED_ROWS", FEW_ROWS)


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
    """Records about partitions of two topics, and what the server makes of them."""
    records: list[Message] = [TopicRecord(name=name, topic_id=each) for name, each in TOPICS.items()]
    image = EMPTY_IMAGE
    for offset in range(count):
        if offset >= len(records):
            name = rng.choice(sorted(TOPICS))
            topic_id, index = TOPICS[name], rng.randint(0, 2)
            old = image.partition(topic_id, index)
            if rng.random() < 0.1:
                records.append(ClearElrRecord(topic_name=rng.choice(("", name))))
            elif old is None or rng.random() < 0.05:
                records.append(_partition(rng, topic_id, index))
            else:
                records.append(_change(rng, topic_id, index, old))
        image = replay(image, records[offset], offset)
    return records, image


def _ids(values: Sequence[bytes] | None) -> list[str] | None:
    return None if values is None else [uuids.to_text(each) for each in values]


def _rows(records: Sequence[Message]) -> list[dict[str, Any]]:
    """The records as rows of `latest.ROWS`."""
    rows = []
    for offset, record in enumerate(records):
        place = {"offset": offset, "epoch": offset // 10, "timestampMs": offset * 1000}
        if not isinstance(record, PartitionRecord | PartitionChangeRecord):
            rows.append({"recordType": record.NAME, "position": offset, **place})
            continue
        row: dict[str, Any] = {
            **place,
            "topicId": uuids.to_text(record.topic_id),
            "partitionId": record.partition_id,
            "firstPosition": offset,
            "position": offset,
            "changes": 0,
            "leaderChanges": 0,
            "replicas": record.replicas,
            "directories": _ids(record.directories),
            "isr": record.isr,
            "removingReplicas": record.removing_replicas,
            "addingReplicas": record.adding_replicas,
            "leader": record.leader,
            "leaderRecoveryState": record.leader_recovery_state,
            "eligibleLeaderReplicas": record.eligible_leader_replicas,
            "lastKnownElr": record.last_known_elr,
        }
        if isinstance(record, PartitionRecord):
            row |= {"basePosition": offset, "leaderEpoch": record.leader_epoch}
            row |= {"partitionEpoch": record.partition_epoch}
            row["directories"] = _ids(record.directories or [MIGRATING_DIRECTORY] * len(record.replicas))
            row["eligibleLeaderReplicas"] = record.eligible_leader_replicas or []
            row["lastKnownElr"] = record.last_known_elr or []
        else:
            row |= {"changes": 1, "leaderChanges": int(record.leader != -2)}
            row["leader"] = None if record.leader == -2 else record.leader
            row["leaderRecoveryState"] = (
                None if record.leader_recovery_state == -1 else record.leader_recovery_state
            )
        rows.append(row)
    return rows


def _batches(rng: random.Random, rows: list[dict[str, Any]]) -> Iterator[pa.RecordBatch]:
    cuts = sorted({0, len(rows), *(rng.randint(0, len(rows)) for _ in range(len(rows) // 3))})
    for start, end in pairwise(cuts):
        yield pa.RecordBatch.from_pylist(rows[start:end], schema=latest.ROWS)


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


def _reduced(rng: random.Random, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for batch in latest.latest(_batches(rng, rows)) for row in batch.to_pylist()]


def _resolved(records: Sequence[Message], rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    def clears(topic_id: str, end: int) -> int:
        about = ("", next(name for name, each in TOPICS.items() if uuids.to_text(each) == topic_id))
        return sum(isinstance(each, ClearElrRecord) and each.topic_name in about for each in records[:end])

    unresolved = [
        {
            **{name: row[name] for name in latest.CHANGES.names},
            "clears": clears(row["topicId"], row["position"]),
            "clearsInAll": clears(row["topicId"], len(records)),
        }
        for row in rows
        if row["topicId"] is not None
    ]
    batch = pa.RecordBatch.from_pylist(unresolved, schema=latest.UNRESOLVED)
    return [row for batch in latest.resolved([batch]) for row in batch.to_pylist()]


@given(st.integers(min_value=0, max_value=2**32))
def test_any_split_ends_in_what_the_server_replays(seed: int) -> None:
    rng = random.Random(seed)
    records, image = _history(rng, rng.randint(3, 90))
    rows = _rows(records)
    cuts = [0, *sorted(rng.randint(0, len(rows)) for _ in range(rng.randint(0, 4))), len(rows)]
    reduced = [row for start, end in pairwise(cuts) for row in _reduced(rng, rows[start:end])]
    rng.shuffle(reduced)
    found = _resolved(records, reduced)
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
    return [row["changes"] for row in rows if row["topicId"] is not None]


def test_changes_of_a_partition_become_one_row() -> None:
    assert _of_changes(_reduced(random.Random(1), _rows(_changes(1000)))) == [1000]


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
    assert sorted(_of_changes(_reduced(rng, _rows(records)))) == [2, 3]


@pytest.mark.parametrize("begin", [1, 5, 6, 7, 8, 20])
def test_ends_are_told_before_transactions_and_at_the_end(begin: int) -> None:
    records = [*_changes(begin), BeginTransactionRecord(), NoOpRecord()]
    ends = [
        row for row in _reduced(random.Random(begin), _rows(records)) if row["recordType"] == END_OF_RANGE
    ]
    assert [(row["offset"], row["epoch"], row["timestampMs"], row["position"]) for row in ends] == [
        (offset, offset // 10, offset * 1000, offset) for offset in (begin - 1, begin + 1)
    ]


def test_other_records_pass_through() -> None:
    records = [NoOpRecord(), *_changes(2), TopicRecord(name="a", topic_id=TOPICS["a"]), *_changes(1)]
    passed = [row for row in _reduced(random.Random(1), _rows(records)) if row["topicId"] is None]
    assert [(row["recordType"], row["offset"]) for row in passed[:-1]] == [
        ("NoOpRecord", 0),
        ("TopicRecord", 3),
    ]


def test_a_change_without_its_partition_is_told() -> None:
    records = [ClearElrRecord(topic_name="a"), *_changes(1)]
    with pytest.raises(ValueError, match=r"offset 1: no PartitionRecord of YWFhYWFhYWFhYWFhYWFhYQ-3.*asOf"):
        _resolved(records, _reduced(random.Random(1), _rows(records)))


@pytest.mark.parametrize("taken", [(0, 1, 2, 1), (0, 1, 2, 2)])
def test_rows_that_come_twice_are_told(taken: tuple[int, ...]) -> None:
    rows = _rows(_changes(3))
    with pytest.raises(ValueError, match=r"replicas=one.*repartitionByRange"):
        _reduced(random.Random(2), [rows[each] for each in taken])


def test_ranges_that_overlap_are_told() -> None:
    rng = random.Random(3)
    records = [_partition(rng, TOPICS["a"], 3), *_changes(4)]
    rows = _rows(records)
    reduced = [*_reduced(rng, rows[0::2]), *_reduced(rng, rows[1::2])]
    with pytest.raises(ValueError, match="out of order"):
        _resolved(records, reduced)


def test_snapshot_rows_are_named_by_their_number() -> None:
    assert latest.describe_position(latest.SNAPSHOT_START + 12) == "snapshot record 12"
    assert latest.describe_position(12) == "offset 12"


def test_nothing_comes_of_nothing() -> None:
    assert list(latest.latest([])) == []
    assert list(latest.resolved([])) == []
    assert list(latest.latest([pa.RecordBatch.from_pylist([], schema=latest.ROWS)])) == []
