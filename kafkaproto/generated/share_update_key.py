"""ShareUpdateKey: versions 0, never flexible, record type 1.

Generated from share/ShareUpdateKey.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Malformed, Pieces

ZERO_UUID = bytes(16)
_unpack_ui = struct.Struct(">16si").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_pack_ui = struct.Struct(">16si").pack
_pack_h = struct.Struct(">h").pack


class ShareUpdateKey(Message):
    """Coordinator-key ShareUpdateKey."""

    __slots__ = ("group_id", "topic_id", "partition", "unknown_tags")

    NAME: ClassVar[str] = "ShareUpdateKey"
    TYPE: ClassVar[str] = "coordinator-key"
    API_KEY: ClassVar[int | None] = 1
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = None
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    group_id: str
    """Versions 0."""
    topic_id: bytes
    """Versions 0."""
    partition: int
    """Versions 0."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        group_id: str = "",
        topic_id: bytes = ZERO_UUID,
        partition: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.group_id = group_id
        self.topic_id = topic_id
        self.partition = partition
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareUpdateKey)
            and self.group_id == other.group_id
            and self.topic_id == other.topic_id
            and self.partition == other.partition
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ShareUpdateKey, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[ShareUpdateKey, int]:
    message = ShareUpdateKey.__new__(ShareUpdateKey)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.topic_id, message.partition = _unpack_ui(buffer, position)
    position += 20
    message.unknown_tags = None
    return message, position


def _write_v0(out: Pieces, message: ShareUpdateKey) -> None:
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    out.append(_pack_ui(topic_id, message.partition))
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
    share_update_key_struct = StructSchema(
        python_class=ShareUpdateKey,
        fields=(
            FieldSchema(
                name="GroupId",
                attribute="group_id",
                type="string",
                versions=(0, 0),
                default="",
            ),
            FieldSchema(
                name="TopicId",
                attribute="topic_id",
                type="uuid",
                versions=(0, 0),
                default=ZERO_UUID,
            ),
            FieldSchema(
                name="Partition",
                attribute="partition",
                type="int32",
                versions=(0, 0),
                default=0,
            ),
        ),
    )
    return MessageSchema(name="ShareUpdateKey", flexible_from=None, root=share_update_key_struct)
