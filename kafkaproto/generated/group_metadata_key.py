"""GroupMetadataKey: versions 0, never flexible, record type 2.

Generated from group/GroupMetadataKey.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Malformed, Pieces

_unpack_h = struct.Struct(">h").unpack_from
_pack_h = struct.Struct(">h").pack


class GroupMetadataKey(Message):
    """Coordinator-key GroupMetadataKey."""

    __slots__ = ("group", "unknown_tags")

    NAME: ClassVar[str] = "GroupMetadataKey"
    TYPE: ClassVar[str] = "coordinator-key"
    API_KEY: ClassVar[int | None] = 2
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = None
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    group: str
    """Versions 0."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(self, group: str = "", unknown_tags: dict[int, bytes] | None = None) -> None:
        self.group = group
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, GroupMetadataKey)
            and self.group == other.group
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[GroupMetadataKey, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[GroupMetadataKey, int]:
    message = GroupMetadataKey.__new__(GroupMetadataKey)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group = str(buffer[position:end], "utf-8")
    position = end
    message.unknown_tags = None
    return message, position


def _write_v0(out: Pieces, message: GroupMetadataKey) -> None:
    group = message.group
    data = group.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    group_metadata_key_struct = StructSchema(
        python_class=GroupMetadataKey,
        fields=(
            FieldSchema(
                name="group",
                attribute="group",
                type="string",
                versions=(0, 0),
                default="",
            ),
        ),
    )
    return MessageSchema(name="GroupMetadataKey", flexible_from=None, root=group_metadata_key_struct)
