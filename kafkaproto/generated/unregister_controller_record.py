"""UnregisterControllerRecord: versions 0, flexible from 0, record type 29.

Generated from metadata/UnregisterControllerRecord.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Pieces, read_unknown_tags, write_tag_section

_unpack_iB = struct.Struct(">iB").unpack_from
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack


class UnregisterControllerRecord(Message):
    """Metadata UnregisterControllerRecord."""

    __slots__ = ("controller_id", "unknown_tags")

    NAME: ClassVar[str] = "UnregisterControllerRecord"
    TYPE: ClassVar[str] = "metadata"
    API_KEY: ClassVar[int | None] = 29
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    controller_id: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(self, controller_id: int = 0, unknown_tags: dict[int, bytes] | None = None) -> None:
        self.controller_id = controller_id
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, UnregisterControllerRecord)
            and self.controller_id == other.controller_id
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[UnregisterControllerRecord, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[UnregisterControllerRecord, int]:
    message = UnregisterControllerRecord.__new__(UnregisterControllerRecord)
    message.controller_id, tags = _unpack_iB(buffer, position)
    position += 5
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: UnregisterControllerRecord) -> None:
    if message.unknown_tags:
        out.append(_pack_i(message.controller_id))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.controller_id, 0))


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    unregister_controller_record_struct = StructSchema(
        python_class=UnregisterControllerRecord,
        fields=(
            FieldSchema(
                name="ControllerId",
                attribute="controller_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(
        name="UnregisterControllerRecord",
        flexible_from=0,
        root=unregister_controller_record_struct,
    )
