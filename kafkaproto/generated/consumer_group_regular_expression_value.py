"""ConsumerGroupRegularExpressionValue: versions 0, flexible from 0, record type 16.

Generated from group/ConsumerGroupRegularExpressionValue.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    EMPTY,
    Buffer,
    Malformed,
    Pieces,
    pack_length,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

_unpack_qqB = struct.Struct(">qqB").unpack_from
_pack_qq = struct.Struct(">qq").pack
_pack_qqB = struct.Struct(">qqB").pack


class ConsumerGroupRegularExpressionValue(Message):
    """Coordinator-value ConsumerGroupRegularExpressionValue."""

    __slots__ = ("topics", "version", "timestamp", "unknown_tags")

    NAME: ClassVar[str] = "ConsumerGroupRegularExpressionValue"
    TYPE: ClassVar[str] = "coordinator-value"
    API_KEY: ClassVar[int | None] = 16
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    topics: list[str]
    """Versions 0+."""
    version: int
    """Versions 0+."""
    timestamp: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topics: list[str] = EMPTY,
        version: int = 0,
        timestamp: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topics = [] if topics is EMPTY else topics
        self.version = version
        self.timestamp = timestamp
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ConsumerGroupRegularExpressionValue)
            and self.topics == other.topics
            and self.version == other.version
            and self.timestamp == other.timestamp
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ConsumerGroupRegularExpressionValue, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[ConsumerGroupRegularExpressionValue, int]:
    message = ConsumerGroupRegularExpressionValue.__new__(ConsumerGroupRegularExpressionValue)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    topics: list[str] = []
    message.topics = topics
    if count - 1 > len(buffer) - position:
        raise Malformed
    for _ in range(1, count):
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        topics_item = str(buffer[position:end], "utf-8")
        position = end
        topics.append(topics_item)
    message.version, message.timestamp, tags = _unpack_qqB(buffer, position)
    position += 17
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: ConsumerGroupRegularExpressionValue) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        data = topics_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
    if message.unknown_tags:
        out.append(_pack_qq(message.version, message.timestamp))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_qqB(message.version, message.timestamp, 0))


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    consumer_group_regular_expression_value_struct = StructSchema(
        python_class=ConsumerGroupRegularExpressionValue,
        fields=(
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="string",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="Version",
                attribute="version",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Timestamp",
                attribute="timestamp",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(
        name="ConsumerGroupRegularExpressionValue",
        flexible_from=0,
        root=consumer_group_regular_expression_value_struct,
    )
