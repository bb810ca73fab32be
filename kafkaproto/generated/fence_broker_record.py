"""FenceBrokerRecord: versions 0, flexible from 0, record type 7.

Generated from metadata/FenceBrokerRecord.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Pieces, read_unknown_tags, write_tag_section

_unpack_iqB = struct.Struct(">iqB").unpack_from
_pack_iq = struct.Struct(">iq").pack
_pack_iqB = struct.Struct(">iqB").pack


class FenceBrokerRecord(Message):
    """Metadata FenceBrokerRecord."""

    __slots__ = ("id", "epoch", "unknown_tags")

    NAME: ClassVar[str] = "FenceBrokerRecord"
    TYPE: ClassVar[str] = "metadata"
    API_KEY: ClassVar[int | None] = 7
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    id: int
    """Versions 0+."""
    epoch: int
    """Broker epoch; the record is for metadata versions below 3.3-IV2. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        id: int = 0,
        epoch: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.id = id
        self.epoch = epoch
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FenceBrokerRecord)
            and self.id == other.id
            and self.epoch == other.epoch
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[FenceBrokerRecord, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[FenceBrokerRecord, int]:
    message = FenceBrokerRecord.__new__(FenceBrokerRecord)
    message.id, message.epoch, tags = _unpack_iqB(buffer, position)
    position += 13
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: FenceBrokerRecord) -> None:
    if message.unknown_tags:
        out.append(_pack_iq(message.id, message.epoch))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iqB(message.id, message.epoch, 0))


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    fence_broker_record_struct = StructSchema(
        python_class=FenceBrokerRecord,
        fields=(
            FieldSchema(
                name="Id",
                attribute="id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Epoch",
                attribute="epoch",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(name="FenceBrokerRecord", flexible_from=0, root=fence_broker_record_struct)
