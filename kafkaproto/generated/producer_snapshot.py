"""ProducerSnapshot: versions 1, never flexible.

Generated from storage/ProducerSnapshot.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import EMPTY, Buffer, Malformed, Pieces

_unpack_Ii = struct.Struct(">Ii").unpack_from
_unpack_qhiqiqiq = struct.Struct(">qhiqiqiq").unpack_from
_pack_Ii = struct.Struct(">Ii").pack
_pack_qhiqiqiq = struct.Struct(">qhiqiqiq").pack


class ProducerSnapshotProducerEntry(Struct):
    """ProducerEntry of ProducerSnapshot."""

    __slots__ = (
        "producer_id",
        "epoch",
        "last_sequence",
        "last_offset",
        "offset_delta",
        "timestamp",
        "coordinator_epoch",
        "current_txn_first_offset",
        "unknown_tags",
    )

    producer_id: int
    """Versions 1."""
    epoch: int
    """Versions 1."""
    last_sequence: int
    """Versions 1."""
    last_offset: int
    """Versions 1."""
    offset_delta: int
    """LastOffset less the first offset of that batch. Versions 1."""
    timestamp: int
    """Versions 1."""
    coordinator_epoch: int
    """Versions 1."""
    current_txn_first_offset: int
    """Where the open transaction begins, or -1. Versions 1."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        producer_id: int = 0,
        epoch: int = 0,
        last_sequence: int = 0,
        last_offset: int = 0,
        offset_delta: int = 0,
        timestamp: int = 0,
        coordinator_epoch: int = 0,
        current_txn_first_offset: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.producer_id = producer_id
        self.epoch = epoch
        self.last_sequence = last_sequence
        self.last_offset = last_offset
        self.offset_delta = offset_delta
        self.timestamp = timestamp
        self.coordinator_epoch = coordinator_epoch
        self.current_txn_first_offset = current_txn_first_offset
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ProducerSnapshotProducerEntry)
            and self.producer_id == other.producer_id
            and self.epoch == other.epoch
            and self.last_sequence == other.last_sequence
            and self.last_offset == other.last_offset
            and self.offset_delta == other.offset_delta
            and self.timestamp == other.timestamp
            and self.coordinator_epoch == other.coordinator_epoch
            and self.current_txn_first_offset == other.current_txn_first_offset
            and self.unknown_tags == other.unknown_tags
        )



class ProducerSnapshot(Message):
    """Data ProducerSnapshot."""

    __slots__ = ("crc", "producer_entries", "unknown_tags")

    NAME: ClassVar[str] = "ProducerSnapshot"
    TYPE: ClassVar[str] = "data"
    API_KEY: ClassVar[int | None] = None
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = None
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    ProducerEntry: TypeAlias = ProducerSnapshotProducerEntry

    crc: int
    """CRC-32C of what follows. Versions 1."""
    producer_entries: list[ProducerSnapshotProducerEntry]
    """Versions 1."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        crc: int = 0,
        producer_entries: list[ProducerSnapshotProducerEntry] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.crc = crc
        self.producer_entries = [] if producer_entries is EMPTY else producer_entries
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ProducerSnapshot)
            and self.crc == other.crc
            and self.producer_entries == other.producer_entries
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ProducerSnapshot, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_producer_entry_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ProducerSnapshotProducerEntry], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ProducerSnapshotProducerEntry] = []
    for _ in range(size):
        message = ProducerSnapshotProducerEntry.__new__(ProducerSnapshotProducerEntry)
        (
            message.producer_id,
            message.epoch,
            message.last_sequence,
            message.last_offset,
            message.offset_delta,
            message.timestamp,
            message.coordinator_epoch,
            message.current_txn_first_offset,
        ) = _unpack_qhiqiqiq(buffer, position)
        position += 46
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[ProducerSnapshot, int]:
    message = ProducerSnapshot.__new__(ProducerSnapshot)
    message.crc, count = _unpack_Ii(buffer, position)
    position += 8
    if count > 0:
        message.producer_entries, position = _read_many_producer_entry_v1(buffer, position, count)
    elif not count:
        message.producer_entries = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _write_producer_entry_v1(out: Pieces, message: ProducerSnapshotProducerEntry) -> None:
    out.append(_pack_qhiqiqiq(
        message.producer_id,
        message.epoch,
        message.last_sequence,
        message.last_offset,
        message.offset_delta,
        message.timestamp,
        message.coordinator_epoch,
        message.current_txn_first_offset,
    ))
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: ProducerSnapshot) -> None:
    producer_entries = message.producer_entries
    count = len(producer_entries)
    out.append(_pack_Ii(message.crc, count))
    for producer_entries_item in producer_entries:
        _write_producer_entry_v1(out, producer_entries_item)
    if message.unknown_tags:
        raise Malformed


_READERS = (
    _read_v1,
)

_WRITERS = (
    _write_v1,
)


@cache
def _schema() -> MessageSchema:
    producer_entry_struct = StructSchema(
        python_class=ProducerSnapshotProducerEntry,
        fields=(
            FieldSchema(
                name="ProducerId",
                attribute="producer_id",
                type="int64",
                versions=(1, 1),
                default=0,
            ),
            FieldSchema(
                name="Epoch",
                attribute="epoch",
                type="int16",
                versions=(1, 1),
                default=0,
            ),
            FieldSchema(
                name="LastSequence",
                attribute="last_sequence",
                type="int32",
                versions=(1, 1),
                default=0,
            ),
            FieldSchema(
                name="LastOffset",
                attribute="last_offset",
                type="int64",
                versions=(1, 1),
                default=0,
            ),
            FieldSchema(
                name="OffsetDelta",
                attribute="offset_delta",
                type="int32",
                versions=(1, 1),
                default=0,
            ),
            FieldSchema(
                name="Timestamp",
                attribute="timestamp",
                type="int64",
                versions=(1, 1),
                default=0,
            ),
            FieldSchema(
                name="CoordinatorEpoch",
                attribute="coordinator_epoch",
                type="int32",
                versions=(1, 1),
                default=0,
            ),
            FieldSchema(
                name="CurrentTxnFirstOffset",
                attribute="current_txn_first_offset",
                type="int64",
                versions=(1, 1),
                default=0,
            ),
        ),
    )
    producer_snapshot_struct = StructSchema(
        python_class=ProducerSnapshot,
        fields=(
            FieldSchema(
                name="Crc",
                attribute="crc",
                type="uint32",
                versions=(1, 1),
                default=0,
            ),
            FieldSchema(
                name="ProducerEntries",
                attribute="producer_entries",
                type="ProducerEntry",
                struct=producer_entry_struct,
                array=True,
                versions=(1, 1),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="ProducerSnapshot", flexible_from=None, root=producer_snapshot_struct)
