"""The declared layouts, as a second opinion on the fast readers and writers."""

from __future__ import annotations

import struct

import construct  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto import layouts
from kafkaproto.log import (
    OffsetIndexEntry,
    TimeIndexEntry,
    encode_offset_index_entry,
    encode_time_index_entry,
)
from kafkaproto.primitives import wrap_int64
from kafkaproto.records.batch import NewRecord, RecordBatchView, build_batch
from kafkaproto.records.control import ControlRecordType
from kafkaproto.records.crc32c import crc32c
from tests.kafkaproto.support import golden_batches
from tests.kafkaproto.support.golden_batches import DATA_BATCHES, SOLE_VOTER_BATCH
from tests.kafkaproto.support.strategies import COMPRESSIONS, RECORD_LISTS

INT16 = st.integers(-(2**15), 2**15 - 1)
INT32 = st.integers(-(2**31), 2**31 - 1)
INT64 = st.integers(-(2**63), 2**63 - 1)
GOLDEN_BATCHES = [
    value
    for name, value in vars(golden_batches).items()
    if name.endswith("_BATCH") or name in ("BOOTSTRAP_CHECKPOINT", "STANDALONE_CHECKPOINT")
]


def assert_same(data: bytes) -> None:
    """Both readings of a batch agree on every field, and the layout builds the same bytes again."""
    fast = RecordBatchView(data)
    slow = layouts.record_batch.parse(data)
    header = slow.header
    assert fast.base_offset == header.base_offset
    assert fast.batch_length == header.batch_length
    assert fast.partition_leader_epoch == header.partition_leader_epoch
    assert fast.magic == header.magic
    assert fast.crc == header.crc
    assert fast.compression == header.attributes.compression
    assert fast.timestamp_type == header.attributes.timestamp_type
    assert fast.is_transactional == header.attributes.is_transactional
    assert fast.is_control == header.attributes.is_control
    assert (fast.delete_horizon_ms is not None) == header.attributes.has_delete_horizon
    assert fast.last_offset_delta == header.last_offset_delta
    assert fast.base_timestamp == header.base_timestamp
    assert fast.max_timestamp == header.max_timestamp
    assert fast.producer_id == header.producer_id
    assert fast.producer_epoch == header.producer_epoch
    assert fast.base_sequence == header.base_sequence
    assert fast.record_count == header.record_count
    assert layouts.record_batch.build(slow) == data[: fast.size_in_bytes]
    if fast.compression:
        assert slow.records is None
        assert slow.compressed == fast.raw[61:]
        return
    for ours, theirs in zip(fast.records(), slow.records, strict=True):
        assert ours.offset == header.base_offset + theirs.offset_delta
        if fast.timestamp_type:
            assert ours.timestamp == header.max_timestamp
        else:
            assert ours.timestamp == wrap_int64(header.base_timestamp + theirs.timestamp_delta)
        assert (ours.key, ours.value) == (theirs.key, theirs.value)
        headers = [(key.encode("utf-8", "surrogateescape"), value) for key, value in ours.headers]
        assert headers == [(each.key, each.value) for each in theirs.headers]


@pytest.mark.parametrize("data", [*GOLDEN_BATCHES, *DATA_BATCHES.values()])
def test_kafkas_batches(data: bytes) -> None:
    assert_same(data)


@given(
    records=RECORD_LISTS,
    base_offset=INT64,
    compression=COMPRESSIONS,
    flags=st.tuples(st.booleans(), st.booleans(), st.booleans()),
    epoch=INT32,
    producer=st.tuples(INT64, INT16, INT32),
    timestamp=INT64,
    delete_horizon=st.none() | INT64,
)
def test_random_batches(
    records: list[NewRecord],
    base_offset: int,
    compression: int,
    flags: tuple[bool, bool, bool],
    epoch: int,
    producer: tuple[int, int, int],
    timestamp: int,
    delete_horizon: int | None,
) -> None:
    assert_same(
        build_batch(
            records,
            base_offset=base_offset,
            partition_leader_epoch=epoch,
            timestamp_ms=timestamp,
            compression=compression,
            control=flags[0],
            transactional=flags[1],
            timestamp_type=flags[2],
            producer_id=producer[0],
            producer_epoch=producer[1],
            base_sequence=producer[2],
            delete_horizon_ms=delete_horizon,
        )
    )


def test_a_record_that_is_longer_than_its_fields_is_refused() -> None:
    assert layouts.record.parse(bytes.fromhex("0c000000010100")).headers == []
    with pytest.raises(construct.TerminatedError):
        layouts.record.parse(bytes.fromhex("0e00000001010000"))


def test_control_record_keys() -> None:
    keys = [
        layouts.control_record_key.parse(record.key) for record in RecordBatchView(SOLE_VOTER_BATCH).records()
    ]
    assert [key.version for key in keys] == [0, 0, 0]
    assert [key.type for key in keys] == [
        ControlRecordType.LEADER_CHANGE,
        ControlRecordType.KRAFT_VERSION,
        ControlRecordType.KRAFT_VOTERS,
    ]


@given(offset=st.integers(0, 2**31 - 1), position=st.integers(0, 2**31 - 1), timestamp=INT64)
def test_index_entries(offset: int, position: int, timestamp: int) -> None:
    entry = layouts.offset_index_entry.parse(
        encode_offset_index_entry(1000, OffsetIndexEntry(1000 + offset, position))
    )
    assert (entry.relative_offset, entry.position) == (offset, position)
    entry = layouts.time_index_entry.parse(
        encode_time_index_entry(1000, TimeIndexEntry(timestamp, 1000 + offset))
    )
    assert (entry.timestamp, entry.relative_offset) == (timestamp, offset)


def test_sizes_of_entries() -> None:
    assert layouts.record_batch_header.sizeof() == 61
    assert layouts.offset_index_entry.sizeof() == 8
    assert layouts.time_index_entry.sizeof() == 12
    assert layouts.transaction_index_entry.sizeof() == 34
    assert layouts.producer_snapshot_entry.sizeof() == 46


def test_transaction_index_entry() -> None:
    entry = layouts.transaction_index_entry.parse(struct.pack(">hqqqq", 0, 4000, 10, 20, 15))
    assert (entry.version, entry.producer_id) == (0, 4000)
    assert (entry.first_offset, entry.last_offset, entry.last_stable_offset) == (10, 20, 15)


def test_empty_producer_snapshot_of_a_metadata_log() -> None:
    # Read from the directory of a live node of Apache Kafka 4.3.1.
    data = bytes.fromhex("0001 48674bc7 00000000")
    snapshot = layouts.producer_snapshot.parse(data)
    assert (snapshot.version, snapshot.entries) == (1, [])
    assert snapshot.crc == crc32c(data[6:])
    assert layouts.producer_snapshot.build(snapshot) == data


def test_producer_snapshot_entry() -> None:
    entry = struct.pack(">qhiqiqiq", 4000, 3, 12, 102, 2, 1_700_000_000_005, 8, 100)
    snapshot = layouts.producer_snapshot.parse(struct.pack(">hIi", 1, 0, 1) + entry)
    assert dict(snapshot.entries[0], _io=None) == {
        "_io": None,
        "producer_id": 4000,
        "producer_epoch": 3,
        "last_sequence": 12,
        "last_offset": 102,
        "offset_delta": 2,
        "timestamp": 1_700_000_000_005,
        "coordinator_epoch": 8,
        "current_transaction_first_offset": 100,
    }
