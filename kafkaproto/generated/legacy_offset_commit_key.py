"""LegacyOffsetCommitKey: versions 0, never flexible, record type 0.

Generated from group/LegacyOffsetCommitKey.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Malformed, Pieces

_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack


class LegacyOffsetCommitKey(Message):
    """Coordinator-key LegacyOffsetCommitKey."""

    __slots__ = ("group", "topic", "partition", "unknown_tags")

    NAME: ClassVar[str] = "LegacyOffsetCommitKey"
    TYPE: ClassVar[str] = "coordinator-key"
    API_KEY: ClassVar[int | None] = 0
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = None
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    group: str
    """Versions 0."""
    topic: str
    """Versions 0."""
    partition: int
    """Versions 0."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        group: str = "",
        topic: str = "",
        partition: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.group = group
        self.topic = topic
        self.partition = partition
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, LegacyOffsetCommitKey)
            and self.group == other.group
            and self.topic == other.topic
            and self.partition == other.partition
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[LegacyOffsetCommitKey, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[LegacyOffsetCommitKey, int]:
    message = LegacyOffsetCommitKey.__new__(LegacyOffsetCommitKey)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group = str(buffer[position:end], "utf-8")
    position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.topic = str(buffer[position:end], "utf-8")
    position = end
    (message.partition,) = _unpack_i(buffer, position)
    position += 4
    message.unknown_tags = None
    return message, position


def _write_v0(out: Pieces, message: LegacyOffsetCommitKey) -> None:
    group = message.group
    data = group.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    topic = message.topic
    data = topic.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    out.append(_pack_i(message.partition))
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
    legacy_offset_commit_key_struct = StructSchema(
        python_class=LegacyOffsetCommitKey,
        fields=(
            FieldSchema(
                name="group",
                attribute="group",
                type="string",
                versions=(0, 0),
                default="",
            ),
            FieldSchema(
                name="topic",
                attribute="topic",
                type="string",
                versions=(0, 0),
                default="",
            ),
            FieldSchema(
                name="partition",
                attribute="partition",
                type="int32",
                versions=(0, 0),
                default=0,
            ),
        ),
    )
    return MessageSchema(
        name="LegacyOffsetCommitKey",
        flexible_from=None,
        root=legacy_offset_commit_key_struct,
    )
