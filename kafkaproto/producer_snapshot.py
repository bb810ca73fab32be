"""``<offset>.snapshot`` in the directory of a partition, as bytes: the state of its idempotent and transactional
producers.

A snapshot holds what all batches below its offset say about producers (KIP-98), so that a log's recovery replays only
the batches from that offset on. This module does no I/O. All numbers are big endian::

    offset  field           type
    0       version         int16   1
    2       crc             uint32  CRC-32C of everything that follows
    6       entry count     int32
    10      entries         46 bytes each: the fields of `ProducerSnapshotEntry` in their order

Only the newest batch of a producer is in the file, although a broker keeps the newest five in memory. Apache Kafka
has the format in ProducerStateManager and in the schema ProducerSnapshot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from struct import Struct
from struct import error as StructError
from typing import NamedTuple

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.primitives import Buffer
from kafkaproto.records.crc32c import crc32c

VERSION = 1
_HEAD = Struct(">hI")
_COUNT = Struct(">i")
_ENTRY = Struct(">qhiqiqiq")
_ENTRIES_START = _HEAD.size + _COUNT.size


class ProducerSnapshotEntry(NamedTuple):
    """The state of one producer. Sequence and offset are -1, and the delta is 0, if no batch of its epoch is kept."""

    producer_id: int
    producer_epoch: int
    last_sequence: int
    """Sequence number of the last record of the producer's newest batch."""
    last_offset: int
    """Offset of that record."""
    offset_delta: int
    """``last_offset`` less the offset of the batch's first record."""
    timestamp: int
    """When the producer was last heard of, in milliseconds: the timestamp of its newest batch or transaction
    marker."""
    coordinator_epoch: int
    """Epoch of the coordinator that wrote the producer's last transaction marker; -1 if there is none."""
    current_txn_first_offset: int
    """Offset of the first record of the open transaction; -1 if none is open."""


def encode_producer_snapshot(entries: Sequence[ProducerSnapshotEntry]) -> bytes:
    """The bytes of a whole file. Raises LocalProtocolError if a number does not fit in its field."""
    return producer_snapshot_of([encode_producer_entries(entries)])


def encode_producer_entries(entries: Iterable[ProducerSnapshotEntry]) -> bytes:
    """The bytes of some entries. Raises LocalProtocolError if a number does not fit in its field."""
    try:
        return b"".join([_ENTRY.pack(*entry) for entry in entries])
    except StructError as error:
        raise LocalProtocolError(f"a number does not fit in a producer snapshot: {error}") from None


def producer_snapshot_of(parts: Sequence[bytes]) -> bytes:
    """The bytes of a whole file whose entries were encoded in parts."""
    count = _COUNT.pack(sum(map(len, parts)) // _ENTRY.size)
    crc = crc32c(count)
    for part in parts:
        crc = crc32c(part, crc)
    return b"".join((_HEAD.pack(VERSION, crc), count, *parts))


def decode_producer_snapshot(data: Buffer) -> list[ProducerSnapshotEntry]:
    """The entries of a whole file, in its order.

    Raises RemoteProtocolError if the bytes end early, the version is not 1, the crc is wrong, or there are not as
    many entries as the file says.
    """
    if len(data) < _ENTRIES_START:
        raise RemoteProtocolError(f"{len(data)} bytes are no producer snapshot", offset=len(data))
    version, crc = _HEAD.unpack_from(data)
    if version != VERSION:
        raise RemoteProtocolError(
            f"producer snapshot version {version} is unknown, only 1 is known", offset=0
        )
    view = memoryview(data)
    found = crc32c(view[_HEAD.size :])
    if found != crc:
        raise RemoteProtocolError(
            f"the crc of the producer snapshot is {found:#010x}, the file says {crc:#010x}", offset=2
        )
    (count,) = _COUNT.unpack_from(data, _HEAD.size)
    entries = view[_ENTRIES_START:]
    if count * _ENTRY.size != len(entries):
        raise RemoteProtocolError(
            f"a producer snapshot of {count} entries cannot have {len(entries)} bytes of entries",
            offset=_HEAD.size,
        )
    return list(map(ProducerSnapshotEntry._make, _ENTRY.iter_unpack(entries)))
