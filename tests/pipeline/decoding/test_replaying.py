"""The replay of bytes: snapshots, ranges of the log in parts, what is not known, and what cannot be replayed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kafkaproto.message import Message
from kafkaproto.messages import (
    AbortTransactionRecord,
    BeginTransactionRecord,
    KRaftVersionRecord,
    NoOpRecord,
    RemoveTopicRecord,
    TopicRecord,
)
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto_pipeline.decoding.replaying import Replaying
from kafkaproto_pipeline.views.schema import RECORD_VIEWS
from kafkaproto_pipeline.views.wanted import CorruptInputError
from tests.pipeline.decoder_logs import LOG, SNAPSHOT, encoded, wanted

WANTED = wanted("topics")
UNKNOWN = b"\x01\x70\x00\x00"
"""Frame version 1, type 112, version 0."""
NEWER = b"\x01\x02\x05\x00"
"""A TopicRecord of version 5."""
FILE = "/data/__cluster_metadata-0/00000000000000000000.log"


def topic(name: str) -> TopicRecord:
    return TopicRecord(name=name, topic_id=name.encode().rjust(16, b"x"))


def batch(base_offset: int, *records: Message | bytes, control: bool = False) -> bytes:
    entries = [
        NewRecord(None, record)
        if isinstance(record, bytes)
        else encoded(RECORD_VIEWS[record.NAME], record, 0 if control else record.MAX_VERSION)
        for record in records
    ]
    return build_batch(
        entries, base_offset=base_offset, partition_leader_epoch=1, timestamp_ms=0, control=control
    )


def replayed(*parts: bytes, snapshot: bytes | None = None) -> list[str]:
    """Names of the topics after these parts of a log."""
    replaying = Replaying()
    if snapshot is not None:
        replaying.take(snapshot, position=0, origin=SNAPSHOT, wanted=WANTED, next_offset=0)
    for part in parts:
        replaying.take(part, position=0, origin=LOG, wanted=WANTED, next_offset=None)
    return [each.name for each in replaying.image().topics_in_order()]


def test_a_log_in_parts_with_records_that_say_nothing() -> None:
    control = batch(1, KRaftVersionRecord(kraft_version=1), control=True)
    assert replayed(batch(0, topic("a")), control, batch(2, NoOpRecord(), topic("b"))) == ["a", "b"]


def test_a_snapshot_and_the_log_after_it() -> None:
    snapshot = batch(0, topic("a"), topic("b"))
    log = batch(100, RemoveTopicRecord(topic_id=topic("a").topic_id), topic("c"))
    assert replayed(snapshot=snapshot) == ["a", "b"]
    assert replayed(log, snapshot=snapshot) == ["b", "c"]


def test_transactions_count_when_they_end() -> None:
    open_at_the_end = batch(0, topic("a"), BeginTransactionRecord(), topic("b"))
    assert replayed(open_at_the_end) == ["a"]
    assert replayed(open_at_the_end, batch(3, AbortTransactionRecord(), topic("c"))) == ["a", "c"]


def test_only_wanted_offsets_count() -> None:
    replaying = Replaying()
    log = batch(0, topic("a"), topic("b"), topic("c"))
    until_b = replace(WANTED, end_offset=2)
    replaying.take(log, position=0, origin=LOG, wanted=until_b, next_offset=0)
    assert [each.name for each in replaying.image().topics_in_order()] == ["a", "b"]


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ([batch(0, NEWER)], f"TopicRecord at offset 0 of {FILE}: version 5 is newer"),
        ([batch(0, topic("a"), UNKNOWN)], f"a record of type 112 at offset 1 of {FILE}: the type is newer"),
        ([batch(0, topic("a"), topic("a"))], "TopicRecord at offset 1: "),
        ([batch(0, topic("a")), batch(3, topic("b"))], "TopicRecord at offset 3: offset 1 is missing"),
        ([batch(7, topic("a"))], "TopicRecord at offset 7: offset 0 is missing"),
        ([batch(0, topic("a"))[:-1]], f"{FILE}, byte 0: the bytes end inside"),
        ([batch(0, encode_metadata_record(topic("a"), 0) + b"x")], "1 bytes follow the record"),
    ],
)
def test_what_cannot_be_replayed_is_named(parts: list[bytes], text: str) -> None:
    with pytest.raises(CorruptInputError) as caught:
        replayed(*parts)
    assert text in str(caught.value)
