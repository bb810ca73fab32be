"""Fast codec for partitions in snapshots: encodes a `PartitionImage` as the bytes of its PartitionRecord, and back.

Nearly all of a large snapshot is partitions. By way of `kafkaproto.messages.PartitionRecord` it takes four times as
long. Everything unusual (tagged fields, long lists, damaged bytes) still goes that way, so this file need not handle
it. The layout in versions 1 and 2: frame version, record type and record version, one byte each; partition index int32;
topic id; replicas, ISR, removing and adding replicas, compact arrays of int32; leader, leader epoch and partition
epoch, int32 each; directories, a compact array of uuids; a tag section.

Ours alone: Apache Kafka's nodes use the generated classes for all records.
"""

from __future__ import annotations

from collections.abc import Sized
from functools import lru_cache
from struct import Struct, pack, unpack

from kafkaproto.messages import PartitionRecord
from kafkaproto.primitives import write_unsigned_varint
from kafkaproto.records.metadata import FRAME_VERSION, encode_metadata_record
from kafkaproto_server.metadata.image.entries import RECOVERED, PartitionImage
from kafkaproto_server.metadata.image.records import partition_record, record_version

PARTITION_START = bytes((FRAME_VERSION, 3))
"""Frame version and record type: every PartitionRecord begins with these two; the record version follows."""

_PLAIN_VERSIONS = (1, 2)
"""The versions with directories."""
_START = Struct(">3si16s")
_POSITION = Struct(">i16s")
_LEADER = Struct(">iii")
_LEADER_AND_LENGTH = Struct(">iiiB")
_ARRAYS_START = _START.size
_NO_TAGS = 0
_END = bytes((_NO_TAGS,))
_MAX_SHORT_LENGTH = 127
"""Largest length of an array that takes one byte. Kafka writes the length plus one."""

_KNOWN_ARRAYS = 1 << 15
"""How many lists of replicas or directories are cached; a cluster has few compared with its partitions."""


class PartitionEncoder:
    """Writes partitions at one level of metadata.version."""

    def __init__(self, metadata_version: int) -> None:
        self._metadata_version = metadata_version
        self._version = record_version(PartitionRecord(), metadata_version)
        # The same three bytes for every partition of the snapshot.
        self._frame = PARTITION_START + bytes((self._version,))
        # Version 0 has no directories, so the layout is another one. It takes the slow way.
        self._is_plain = self._version in _PLAIN_VERSIONS

    def encode(self, topic_id: bytes, index: int, partition: PartitionImage) -> bytes:
        """The value of the partition's record."""
        assert len(partition.directories) == len(partition.replicas), f"partition {index} lacks directories"
        if (
            # Tagged fields are written only if they differ from their default, and then change the
            # layout behind the directories.
            not self._is_plain
            or partition.elr
            or partition.last_known_elr
            or partition.leader_recovery_state != RECOVERED
        ):
            record = partition_record(topic_id, index, partition, self._metadata_version)
            return encode_metadata_record(record, self._version)
        return b"".join(
            (
                # In one pack each, as far as sizes are fixed: nearly all time is spent in calls.
                _START.pack(self._frame, index, topic_id),
                _int_array(partition.replicas),
                _int_array(partition.isr),
                _int_array(partition.removing_replicas),
                _int_array(partition.adding_replicas),
                _LEADER.pack(partition.leader, partition.leader_epoch, partition.partition_epoch),
                _uuid_array(partition.directories),
                _END,
            )
        )


# A cluster has few different lists: partitions that share brokers share their bytes.
@lru_cache(_KNOWN_ARRAYS)
def _int_array(values: tuple[int, ...]) -> bytes:
    # Of equal length in most clusters; `pack` keeps the formats that it has seen.
    return _length(values) + pack(f">{len(values)}i", *values)


@lru_cache(_KNOWN_ARRAYS)
def _uuid_array(values: tuple[bytes, ...]) -> bytes:
    return _length(values) + b"".join(values)


def _length(values: Sized) -> bytes:
    out = bytearray()
    write_unsigned_varint(out, len(values) + 1)
    return bytes(out)


def decode_partition(value: bytes) -> tuple[bytes, int, PartitionImage] | None:
    """Topic id, index and partition of a PartitionRecord's value; None if it is not of the plain kind, or damaged.

    Equal lists become the same tuple, which saves most of the memory.
    """
    size = len(value)
    # None is no error: the general decoder takes the value, and finds what is wrong with it.
    if size <= _ARRAYS_START or value[2] not in _PLAIN_VERSIONS:
        return None
    # There are as many directories as replicas, so all positions follow from the first length; 0 stands for null there,
    # and one above 127 takes more bytes.
    length = value[_ARRAYS_START]
    leader_start = size - _LEADER.size - 1 - 16 * (length - 1) - 1
    if not 1 < length <= _MAX_SHORT_LENGTH or leader_start <= _ARRAYS_START or value[-1] != _NO_TAGS:
        return None
    arrays = _arrays_of(value[_ARRAYS_START:leader_start])
    leader, leader_epoch, partition_epoch, length_again = _LEADER_AND_LENGTH.unpack_from(value, leader_start)
    # The position of the leader was derived from the first length. Only if the second one agrees
    # was the guess right.
    if arrays is None or length_again != length:
        return None
    index, topic_id = _POSITION.unpack_from(value, len(PARTITION_START) + 1)
    # Checked by the length above: what is between leader and tags is one uuid a replica.
    directories = _uuids_of(value[leader_start + _LEADER.size + 1 : -1])
    partition = PartitionImage(
        replicas=arrays[0],
        directories=directories,
        isr=arrays[1],
        removing_replicas=arrays[2],
        adding_replicas=arrays[3],
        leader=leader,
        leader_epoch=leader_epoch,
        partition_epoch=partition_epoch,
    )
    return topic_id, index, partition


@lru_cache(_KNOWN_ARRAYS)
def _arrays_of(data: bytes) -> tuple[tuple[int, ...], ...] | None:
    """The four arrays that ``data`` holds; None if it holds something else."""
    arrays = []
    position = 0
    # Bounded by the bytes: each array takes one at least.
    while position < len(data):
        length = data[position]
        end = position + 4 * length - 3
        if not 0 < length <= _MAX_SHORT_LENGTH or end > len(data):
            return None
        arrays.append(_ints_of(data[position + 1 : end]))
        position = end
    # More or fewer are bytes of another layout that happened to look alike.
    return tuple(arrays) if len(arrays) == 4 else None


@lru_cache(_KNOWN_ARRAYS)
def _ints_of(data: bytes) -> tuple[int, ...]:
    return unpack(f">{len(data) // 4}i", data)


@lru_cache(_KNOWN_ARRAYS)
def _uuids_of(data: bytes) -> tuple[bytes, ...]:
    return tuple(data[start : start + 16] for start in range(0, len(data), 16))
