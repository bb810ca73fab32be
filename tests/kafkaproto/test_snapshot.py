"""Snapshots: the files that Apache Kafka's format wrote, our own, and damaged ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.messages import (
    KRaftVersionRecord,
    LeaderChangeMessage,
    SnapshotFooterRecord,
    SnapshotHeaderRecord,
    VotersRecord,
)
from kafkaproto.records.batch import PlainRecord, RecordBatchView, build_batch, iterate_batches
from kafkaproto.records.control import ControlRecordType, decode_control_record, encode_control_record
from kafkaproto.snapshot import (
    ControlRecord,
    SnapshotId,
    build_snapshot,
    parse_snapshot_file_name,
    read_snapshot,
    snapshot_file_name,
)
from tests.kafkaproto.support.golden_batches import (
    BOOTSTRAP_CHECKPOINT,
    BOOTSTRAP_DATA_BATCH,
    BOOTSTRAP_FOOTER_BATCH,
    BOOTSTRAP_HEADER_BATCH,
    STANDALONE_CHECKPOINT,
)

HEADER = ControlRecord(ControlRecordType.SNAPSHOT_HEADER, SnapshotHeaderRecord())
FOOTER = ControlRecord(ControlRecordType.SNAPSHOT_FOOTER, SnapshotFooterRecord())
LEADER_CHANGE = ControlRecord(ControlRecordType.LEADER_CHANGE, LeaderChangeMessage())


def batch(base_offset: int, records: list[PlainRecord], *, control: bool = False) -> bytes:
    return build_batch(records, base_offset=base_offset, timestamp_ms=1000, control=control)


def control_batch(base_offset: int, *records: ControlRecord) -> bytes:
    encoded: list[PlainRecord] = [(*encode_control_record(*record), ()) for record in records]
    return batch(base_offset, encoded, control=True)


# Names.


@pytest.mark.parametrize(
    ("end_offset", "epoch", "name"),
    [
        (0, 0, "00000000000000000000-0000000000.checkpoint"),
        (100, 3, "00000000000000000100-0000000003.checkpoint"),
        (2**63 - 1, 2**31 - 1, "09223372036854775807-2147483647.checkpoint"),
    ],
)
def test_file_names(end_offset: int, epoch: int, name: str) -> None:
    snapshot_id = SnapshotId(end_offset=end_offset, epoch=epoch)
    assert snapshot_file_name(snapshot_id) == name
    assert parse_snapshot_file_name(name) == snapshot_id


@pytest.mark.parametrize(
    "name",
    [
        "00000000000000000100-0000000003.checkpoint.part",
        "00000000000000000100-0000000003-1234.checkpoint.part",
        "00000000000000000100-0000000003.checkpoint.deleted",
        "00000000000000000100-000000003.checkpoint",
        "0000000000000000100-0000000003.checkpoint",
        "09223372036854775808-0000000003.checkpoint",
        "00000000000000000100-2147483648.checkpoint",
        "00000000000000000100-0000000003.checkpoint\n",
        "bootstrap.checkpoint",
    ],
)
def test_other_names_are_no_snapshots(name: str) -> None:
    assert parse_snapshot_file_name(name) is None


def test_ids_compare_by_epoch_first() -> None:
    ids = [
        SnapshotId(epoch=2, end_offset=5),
        SnapshotId(epoch=1, end_offset=9),
        SnapshotId(epoch=1, end_offset=8),
    ]
    assert sorted(ids) == ids[::-1]


# Apache Kafka's files.


def test_bootstrap_checkpoint() -> None:
    first, *values, last = read_snapshot(BOOTSTRAP_CHECKPOINT)
    assert (first, last) == (HEADER, FOOTER)
    assert values == [record.value for record in RecordBatchView(BOOTSTRAP_DATA_BATCH).records()]


def test_standalone_checkpoint() -> None:
    header, version, voters, footer = read_snapshot(memoryview(STANDALONE_CHECKPOINT))
    assert header == ControlRecord(
        ControlRecordType.SNAPSHOT_HEADER, SnapshotHeaderRecord(last_contained_log_timestamp=0x1A1FC965B6E)
    )
    assert version == ControlRecord(ControlRecordType.KRAFT_VERSION, KRaftVersionRecord(kraft_version=1))
    assert isinstance(voters, ControlRecord)
    assert isinstance(voters.message, VotersRecord)
    assert [voter.voter_id for voter in voters.message.voters] == [1]
    assert voters.message.voters[0].endpoints[0].port == 21701
    assert footer == FOOTER


def test_standalone_checkpoint_is_built_but_for_the_time_of_its_footer() -> None:
    header_batch = next(iterate_batches(STANDALONE_CHECKPOINT))
    header, _, voters = (
        decode_control_record(record.key, record.value)[1] for record in header_batch.records()
    )
    assert isinstance(header, SnapshotHeaderRecord)
    assert isinstance(voters, VotersRecord)
    built = build_snapshot(
        [],
        epoch=0,
        timestamp_ms=header_batch.base_timestamp,
        last_contained_log_timestamp=header.last_contained_log_timestamp,
        kraft_version=1,
        voters=voters,
    )
    assert next(built) == header_batch.raw
    assert [bytes(view.raw[:17]) for view in iterate_batches(b"".join(built))] == [
        STANDALONE_CHECKPOINT[166:183]
    ]


# Our own.


@given(
    values=st.lists(st.binary(min_size=1, max_size=100), max_size=20),
    kraft_version=st.integers(0, 1),
    max_batch_bytes=st.integers(1, 400),
)
def test_round_trip(values: list[bytes], kraft_version: int, max_batch_bytes: int) -> None:
    voters = VotersRecord(voters=[VotersRecord.Voter(voter_id=3)])
    batches = list(
        build_snapshot(
            values,
            epoch=9,
            timestamp_ms=1000,
            last_contained_log_timestamp=77,
            kraft_version=kraft_version,
            voters=voters,
            max_batch_bytes=max_batch_bytes,
        )
    )
    first = ControlRecord(
        ControlRecordType.SNAPSHOT_HEADER, SnapshotHeaderRecord(last_contained_log_timestamp=77)
    )
    controls = [
        ControlRecord(ControlRecordType.KRAFT_VERSION, KRaftVersionRecord(kraft_version=1)),
        ControlRecord(ControlRecordType.KRAFT_VOTERS, voters),
    ]
    data = b"".join(batches)
    assert list(read_snapshot(data)) == [first, *(controls if kraft_version else []), *values, FOOTER]
    views = list(iterate_batches(data))
    assert {view.partition_leader_epoch for view in views} == {9}
    assert [view.base_offset for view in views[1:]] == [view.next_offset for view in views[:-1]]
    for view in views[1:-1]:
        assert view.size_in_bytes <= max_batch_bytes or view.record_count == 1


def test_voters_that_are_not_known_are_left_out() -> None:
    data = b"".join(
        build_snapshot([], epoch=1, timestamp_ms=0, last_contained_log_timestamp=0, kraft_version=1)
    )
    version = ControlRecord(ControlRecordType.KRAFT_VERSION, KRaftVersionRecord(kraft_version=1))
    assert list(read_snapshot(data)) == [HEADER, version, FOOTER]


# Damaged ones.


@pytest.mark.parametrize(
    ("data", "reason", "offset"),
    [
        (b"", "the snapshot ends without SNAPSHOT_FOOTER", 0),
        (BOOTSTRAP_HEADER_BATCH, "the snapshot ends without SNAPSHOT_FOOTER", 83),
        (BOOTSTRAP_DATA_BATCH, "begins with SNAPSHOT_HEADER", 0),
        (BOOTSTRAP_FOOTER_BATCH, "begins with SNAPSHOT_HEADER", 0),
        (control_batch(0, LEADER_CHANGE, HEADER, FOOTER), "begins with SNAPSHOT_HEADER", 0),
        (control_batch(0, HEADER, HEADER, FOOTER), "begins with SNAPSHOT_HEADER and has no other", 0),
        (BOOTSTRAP_CHECKPOINT + batch(8, [(None, b"x", ())]), "a record follows the snapshot's footer", 411),
        (control_batch(0, HEADER, FOOTER, FOOTER), "a record follows the snapshot's footer", 0),
        (BOOTSTRAP_CHECKPOINT + bytes(70), "magic 0 is too old", 427),
        (BOOTSTRAP_CHECKPOINT * 2, "has base offset 0, expected is 8 or more", 411),
        (
            BOOTSTRAP_HEADER_BATCH + batch(1, [(b"", b"x", ())]),
            "record 1 of the snapshot has a key or no value",
            83,
        ),
        (
            BOOTSTRAP_HEADER_BATCH + batch(1, [(None, b"", ())]),
            "record 1 of the snapshot has a key or no value",
            83,
        ),
        (BOOTSTRAP_HEADER_BATCH + batch(1, [(None, None, ())]), "has a key or no value", 83),
        (
            BOOTSTRAP_HEADER_BATCH + batch(1, [(b"\x00\x00\x00\x09", b"", ())], control=True),
            "control record type 9 is unknown",
            83,
        ),
    ],
)
def test_what_is_wrong_is_named(data: bytes, reason: str, offset: int) -> None:
    with pytest.raises(RemoteProtocolError, match=reason) as caught:
        list(read_snapshot(data))
    assert caught.value.offset == offset


@pytest.mark.parametrize("data", [BOOTSTRAP_CHECKPOINT, STANDALONE_CHECKPOINT])
def test_cut_anywhere(data: bytes) -> None:
    for size in range(len(data)):
        with pytest.raises(RemoteProtocolError):
            list(read_snapshot(data[:size]))


def test_any_changed_byte_is_found() -> None:
    batches = list(iterate_batches(STANDALONE_CHECKPOINT))
    outside_the_crc = {view.position + place for view in batches for place in (*range(8), *range(12, 16))}
    for position in set(range(len(STANDALONE_CHECKPOINT))) - outside_the_crc:
        changed = bytearray(STANDALONE_CHECKPOINT)
        changed[position] ^= 0x10
        with pytest.raises(RemoteProtocolError):
            list(read_snapshot(changed))
