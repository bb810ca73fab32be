"""DescribeProducersRequest: versions 0, flexible from 0, api key 61.

Generated from api/DescribeProducersRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    EMPTY,
    PACK_INT32,
    TABLE_SIZE,
    UNPACK_INT32,
    Budget,
    Buffer,
    Malformed,
    Pieces,
    Steps,
    pack_length,
    pack_many,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    unpack_many,
    write_tag_section,
)



class DescribeProducersRequestTopicRequest(Struct):
    """TopicRequest of DescribeProducersRequest."""

    __slots__ = ("name", "partition_indexes", "unknown_tags")

    name: str
    """Versions 0+."""
    partition_indexes: list[int]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        partition_indexes: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.partition_indexes = [] if partition_indexes is EMPTY else partition_indexes
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeProducersRequestTopicRequest)
            and self.name == other.name
            and self.partition_indexes == other.partition_indexes
            and self.unknown_tags == other.unknown_tags
        )



class DescribeProducersRequest(Message):
    """Request DescribeProducersRequest."""

    __slots__ = ("topics", "unknown_tags")

    NAME: ClassVar[str] = "DescribeProducersRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 61
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    TopicRequest: TypeAlias = DescribeProducersRequestTopicRequest

    topics: list[DescribeProducersRequestTopicRequest]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topics: list[DescribeProducersRequestTopicRequest] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeProducersRequest)
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DescribeProducersRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[DescribeProducersRequest, int]] | None:
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
) -> tuple[list[DescribeProducersRequestTopicRequest], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeProducersRequestTopicRequest] = []
    for _ in range(size):
        message = DescribeProducersRequestTopicRequest.__new__(DescribeProducersRequestTopicRequest)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.partition_indexes = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.partition_indexes = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_topic_request_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[DescribeProducersRequestTopicRequest], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeProducersRequestTopicRequest] = []
    for _ in range(size):
        message = DescribeProducersRequestTopicRequest.__new__(DescribeProducersRequestTopicRequest)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "DescribeProducersRequest.partition_indexes")
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.partition_indexes = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.partition_indexes = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        yield
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[DescribeProducersRequest, int]:
    message = DescribeProducersRequest.__new__(DescribeProducersRequest)
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
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[DescribeProducersRequest, int]]:
    message = DescribeProducersRequest.__new__(DescribeProducersRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "DescribeProducersRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_topic_request_v0(buffer, position, count - 1, budget)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_topic_request_v0(out: Pieces, message: DescribeProducersRequestTopicRequest) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    partition_indexes = message.partition_indexes
    count = len(partition_indexes) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(partition_indexes) < TABLE_SIZE:
        out.append(PACK_INT32[len(partition_indexes)](*partition_indexes))
    else:
        out.append(pack_many("i", partition_indexes))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: DescribeProducersRequest) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_request_v0(out, topics_item)
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
        python_class=DescribeProducersRequestTopicRequest,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="PartitionIndexes",
                attribute="partition_indexes",
                type="int32",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    describe_producers_request_struct = StructSchema(
        python_class=DescribeProducersRequest,
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
        ),
    )
    return MessageSchema(
        name="DescribeProducersRequest",
        flexible_from=0,
        root=describe_producers_request_struct,
    )
