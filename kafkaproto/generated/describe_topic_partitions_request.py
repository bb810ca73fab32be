"""DescribeTopicPartitionsRequest: versions 0, flexible from 0, api key 75.

Generated from api/DescribeTopicPartitionsRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    ELEMENTS_A_STEP,
    EMPTY,
    Budget,
    Buffer,
    Malformed,
    Pieces,
    Steps,
    pack_length,
    pack_string_length,
    read_long_length,
    read_pieces,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ib = struct.Struct(">ib").unpack_from
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ib = struct.Struct(">ib").pack


class DescribeTopicPartitionsRequestTopicRequest(Struct):
    """TopicRequest of DescribeTopicPartitionsRequest."""

    __slots__ = ("name", "unknown_tags")

    name: str
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(self, name: str = "", unknown_tags: dict[int, bytes] | None = None) -> None:
        self.name = name
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeTopicPartitionsRequestTopicRequest)
            and self.name == other.name
            and self.unknown_tags == other.unknown_tags
        )



class DescribeTopicPartitionsRequestCursor(Struct):
    """Cursor of DescribeTopicPartitionsRequest."""

    __slots__ = ("topic_name", "partition_index", "unknown_tags")

    topic_name: str
    """Versions 0+."""
    partition_index: int
    """First partition to answer. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_name: str = "",
        partition_index: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.partition_index = partition_index
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeTopicPartitionsRequestCursor)
            and self.topic_name == other.topic_name
            and self.partition_index == other.partition_index
            and self.unknown_tags == other.unknown_tags
        )



class DescribeTopicPartitionsRequest(Message):
    """Request DescribeTopicPartitionsRequest."""

    __slots__ = ("topics", "response_partition_limit", "cursor", "unknown_tags")

    NAME: ClassVar[str] = "DescribeTopicPartitionsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 75
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    TopicRequest: TypeAlias = DescribeTopicPartitionsRequestTopicRequest
    Cursor: TypeAlias = DescribeTopicPartitionsRequestCursor

    topics: list[DescribeTopicPartitionsRequestTopicRequest]
    """Empty for all topics. Versions 0+."""
    response_partition_limit: int
    """Versions 0+."""
    cursor: DescribeTopicPartitionsRequestCursor | None
    """Where to go on, as the last answer said. Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topics: list[DescribeTopicPartitionsRequestTopicRequest] = EMPTY,
        response_partition_limit: int = 2000,
        cursor: DescribeTopicPartitionsRequestCursor | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topics = [] if topics is EMPTY else topics
        self.response_partition_limit = response_partition_limit
        self.cursor = cursor
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeTopicPartitionsRequest)
            and self.topics == other.topics
            and self.response_partition_limit == other.response_partition_limit
            and self.cursor == other.cursor
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DescribeTopicPartitionsRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[DescribeTopicPartitionsRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_topic_request_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeTopicPartitionsRequestTopicRequest], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeTopicPartitionsRequestTopicRequest] = []
    for _ in range(size):
        message = DescribeTopicPartitionsRequestTopicRequest.__new__(
            DescribeTopicPartitionsRequestTopicRequest,
        )
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_cursor_v0(buffer: Buffer, position: int) -> tuple[DescribeTopicPartitionsRequestCursor, int]:
    message = DescribeTopicPartitionsRequestCursor.__new__(DescribeTopicPartitionsRequestCursor)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.topic_name = str(buffer[position:end], "utf-8")
    position = end
    message.partition_index, tags = _unpack_iB(buffer, position)
    position += 5
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v0(buffer: Buffer, position: int) -> tuple[DescribeTopicPartitionsRequest, int]:
    message = DescribeTopicPartitionsRequest.__new__(DescribeTopicPartitionsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_request_v0(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    message.response_partition_limit, mark = _unpack_ib(buffer, position)
    position += 5
    if mark < 0:
        message.cursor = None
    else:
        message.cursor, position = _read_cursor_v0(buffer, position)
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v0(
    buffer: Buffer,
    position: int,
    budget: Budget,
) -> Steps[tuple[DescribeTopicPartitionsRequest, int]]:
    message = DescribeTopicPartitionsRequest.__new__(DescribeTopicPartitionsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "DescribeTopicPartitionsRequest.topics")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.topics, position = yield from read_pieces(
                _read_many_topic_request_v0,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.topics, position = _read_many_topic_request_v0(buffer, position, count - 1)
            budget.take_tags(message.topics)
    elif count:
        message.topics = []
    else:
        raise Malformed
    message.response_partition_limit, mark = _unpack_ib(buffer, position)
    position += 5
    if mark < 0:
        message.cursor = None
    else:
        message.cursor, position = _read_cursor_v0(buffer, position)
        budget.take_tags((message.cursor,))
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_topic_request_v0(out: Pieces, message: DescribeTopicPartitionsRequestTopicRequest) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_cursor_v0(out: Pieces, message: DescribeTopicPartitionsRequestCursor) -> None:
    topic_name = message.topic_name
    data = topic_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_i(message.partition_index))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.partition_index, 0))


def _write_v0(out: Pieces, message: DescribeTopicPartitionsRequest) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_request_v0(out, topics_item)
    cursor = message.cursor
    out.append(_pack_ib(message.response_partition_limit, -1 if cursor is None else 1))
    if cursor is not None:
        _write_cursor_v0(out, cursor)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)

_STEP_READERS = (
    _step_v0,
)


@cache
def _schema() -> MessageSchema:
    topic_request_struct = StructSchema(
        python_class=DescribeTopicPartitionsRequestTopicRequest,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
        ),
    )
    cursor_struct = StructSchema(
        python_class=DescribeTopicPartitionsRequestCursor,
        fields=(
            FieldSchema(
                name="TopicName",
                attribute="topic_name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="PartitionIndex",
                attribute="partition_index",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    describe_topic_partitions_request_struct = StructSchema(
        python_class=DescribeTopicPartitionsRequest,
        fields=(
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="TopicRequest",
                struct=topic_request_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="ResponsePartitionLimit",
                attribute="response_partition_limit",
                type="int32",
                versions=(0, 32767),
                default=2000,
            ),
            FieldSchema(
                name="Cursor",
                attribute="cursor",
                type="Cursor",
                struct=cursor_struct,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
        ),
    )
    return MessageSchema(
        name="DescribeTopicPartitionsRequest",
        flexible_from=0,
        root=describe_topic_partitions_request_struct,
    )
