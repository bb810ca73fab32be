"""Producer snapshots: the bytes of Apache Kafka, every number, and every kind of damage."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.producer_snapshot import (
    ProducerSnapshotEntry,
    decode_producer_snapshot,
    encode_producer_snapshot,
)
from kafkaproto.records.crc32c import crc32c
from tests.kafkaproto.support.golden_producers import PARTITIONS, partition_files

FILES = partition_files()
GOLDEN = FILES["transactions-0"].snapshot
GOLDEN_ENTRIES = [
    ProducerSnapshotEntry(0, 0, 7, 49, 0, 1795522145030, 0, -1),
    ProducerSnapshotEntry(1, 0, 20, 104, 4, 1795522145949, -1, -1),
    ProducerSnapshotEntry(2, 0, 11, 22, 5, 1795522144838, -1, -1),
    ProducerSnapshotEntry(3, 0, 5, 46, 2, 1795522145021, 0, -1),
    ProducerSnapshotEntry(4, 0, 3, 99, 3, 1795522145942, -1, 96),
    ProducerSnapshotEntry(5, 4, -1, -1, 0, 1795522145921, 0, -1),
]
"""What Kafka's snapshot of that partition says."""
EMPTY = bytes.fromhex("0001 48674bc7 00000000")
"""The file of a partition without producers, as Apache Kafka writes it."""

BITS = dict(zip(ProducerSnapshotEntry._fields, (64, 16, 32, 64, 32, 64, 32, 64), strict=True))
"""The width of each field."""


def signed(bits: int) -> st.SearchStrategy[int]:
    return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


ENTRIES = st.builds(ProducerSnapshotEntry, **{name: signed(bits) for name, bits in BITS.items()})


def with_crc(body: bytes) -> bytes:
    return struct.pack(">hI", 1, crc32c(body)) + body


def test_entries_of_apache_kafka_are_read() -> None:
    assert decode_producer_snapshot(GOLDEN) == GOLDEN_ENTRIES
    assert decode_producer_snapshot(memoryview(GOLDEN)) == GOLDEN_ENTRIES
    assert decode_producer_snapshot(EMPTY) == []


@pytest.mark.parametrize("partition", PARTITIONS)
def test_bytes_are_those_of_apache_kafka(partition: str) -> None:
    data = FILES[partition].snapshot
    assert encode_producer_snapshot(decode_producer_snapshot(data)) == data
    assert encode_producer_snapshot([]) == EMPTY


@given(st.lists(ENTRIES, max_size=5))
def test_entries_survive(entries: list[ProducerSnapshotEntry]) -> None:
    assert decode_producer_snapshot(encode_producer_snapshot(entries)) == entries


@pytest.mark.parametrize("field", BITS)
def test_a_number_that_does_not_fit_is_refused(field: str) -> None:
    for number in (2 ** (BITS[field] - 1), -(2 ** (BITS[field] - 1)) - 1):
        with pytest.raises(LocalProtocolError, match="does not fit in a producer snapshot"):
            encode_producer_snapshot([GOLDEN_ENTRIES[0]._replace(**{field: number})])


def test_a_file_that_ends_early_is_refused() -> None:
    for length in range(len(GOLDEN)):
        with pytest.raises(RemoteProtocolError):
            decode_producer_snapshot(GOLDEN[:length])


def test_a_file_without_a_count_is_refused() -> None:
    with pytest.raises(RemoteProtocolError, match="9 bytes are no producer snapshot") as caught:
        decode_producer_snapshot(EMPTY[:-1])
    assert caught.value.offset == 9


def test_every_changed_byte_is_noticed() -> None:
    for position in range(len(GOLDEN)):
        damaged = bytearray(GOLDEN)
        damaged[position] ^= 0x40
        with pytest.raises(RemoteProtocolError) as caught:
            decode_producer_snapshot(damaged)
        assert caught.value.offset == (0 if position < 2 else 2)


@pytest.mark.parametrize("version", [-1, 0, 2])
def test_another_version_is_refused(version: int) -> None:
    with pytest.raises(RemoteProtocolError, match=f"version {version} is unknown") as caught:
        decode_producer_snapshot(struct.pack(">h", version) + GOLDEN[2:])
    assert caught.value.offset == 0


@pytest.mark.parametrize("count", [-1, 0, 5, 7, 2**31 - 1])
def test_a_count_that_is_not_that_of_the_entries_is_refused(count: int) -> None:
    with pytest.raises(RemoteProtocolError, match=f"of {count} entries cannot have 276 bytes") as caught:
        decode_producer_snapshot(with_crc(struct.pack(">i", count) + GOLDEN[10:]))
    assert caught.value.offset == 6


def test_bytes_behind_the_entries_are_refused() -> None:
    with pytest.raises(RemoteProtocolError, match="of 6 entries cannot have 277 bytes"):
        decode_producer_snapshot(with_crc(GOLDEN[6:] + b"\0"))
