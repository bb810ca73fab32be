"""ProducerIdsRecord: versions 0, flexible from 0, record type 15.

Generated from metadata/ProducerIdsRecord.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Pieces, read_unknown_tags, write_tag_section

_unpack_iqqB = struct.Struct(">iqqB").unpack_from
_pack_iqq = struct.Struct(">iqq").pack
_pack_iqqB = struct.Struct(">iqqB").pack


class ProducerIdsRecord(Message):
    """Metadata ProducerIdsRecord."""

    __slots__ = ("broker_id", "broker_epoch", "next_producer_id", "unknown_tags")

    NAME: ClassVar[str] = "ProducerIdsRecord"
    TYPE: ClassVar[str] = "metadata"
    API_KEY: ClassVar[int | None] = 15
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    broker_id: int
    """The broker that was given the block. Versions 0+."""
    broker_epoch: int
    """Versions 0+."""
    next_producer_id: int
    """First id that was not given out yet. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
        next_producer_id: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.next_producer_id = next_producer_id
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ProducerIdsRecord)
            and self.broker_id == other.broker_id
            and self.broker_epoch == other.broker_epoch
            and self.next_producer_id == other.next_producer_id
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ProducerIdsRecord, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[ProducerIdsRecord, int]:
    message = ProducerIdsRecord.__new__(ProducerIdsRecord)
    message.broker_id, message.broker_epoch, message.next_producer_id, tags = _unpack_iqqB(buffer, position)
    position += 21
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: ProducerIdsRecord) -> None:
    if message.unknown_tags:
        out.append(_pack_iqq(message.broker_id, message.broker_epoch, message.next_producer_id))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iqqB(message.broker_id, message.broker_epoch, message.next_producer_id, 0))


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    producer_ids_record_struct = StructSchema(
        python_class=ProducerIdsRecord,
        fields=(
            FieldSchema(
                name="BrokerId",
                attribute="broker_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="BrokerEpoch",
                attribute="broker_epoch",
                type="int64",
                versions=(0, 32767),
                default=-1,
            ),
            FieldSchema(
                name="NextProducerId",
                attribute="next_producer_id",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(name="ProducerIdsRecord", flexible_from=0, root=producer_ids_record_struct)
