"""RemoveAccessControlEntryRecord: versions 0, flexible from 0, record type 19.

Generated from metadata/RemoveAccessControlEntryRecord.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Malformed, Pieces, read_unknown_tags, write_tag_section

ZERO_UUID = bytes(16)
_unpack_uB = struct.Struct(">16sB").unpack_from
_pack_uB = struct.Struct(">16sB").pack


class RemoveAccessControlEntryRecord(Message):
    """Metadata RemoveAccessControlEntryRecord."""

    __slots__ = ("id", "unknown_tags")

    NAME: ClassVar[str] = "RemoveAccessControlEntryRecord"
    TYPE: ClassVar[str] = "metadata"
    API_KEY: ClassVar[int | None] = 19
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    id: bytes
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(self, id: bytes = ZERO_UUID, unknown_tags: dict[int, bytes] | None = None) -> None:
        self.id = id
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RemoveAccessControlEntryRecord)
            and self.id == other.id
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[RemoveAccessControlEntryRecord, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[RemoveAccessControlEntryRecord, int]:
    message = RemoveAccessControlEntryRecord.__new__(RemoveAccessControlEntryRecord)
    message.id, tags = _unpack_uB(buffer, position)
    position += 17
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: RemoveAccessControlEntryRecord) -> None:
    id = message.id
    if len(id) != 16:
        raise Malformed
    if message.unknown_tags:
        out.append(id)
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_uB(id, 0))


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    remove_access_control_entry_record_struct = StructSchema(
        python_class=RemoveAccessControlEntryRecord,
        fields=(
            FieldSchema(
                name="Id",
                attribute="id",
                type="uuid",
                versions=(0, 32767),
                default=ZERO_UUID,
            ),
        ),
    )
    return MessageSchema(
        name="RemoveAccessControlEntryRecord",
        flexible_from=0,
        root=remove_access_control_entry_record_struct,
    )
