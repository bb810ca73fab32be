"""DescribeShareGroupOffsetsRequest: versions 0-1, flexible from 0, api key 90.

Generated from api/DescribeShareGroupOffsetsRequest.json by codegen; change the schema, not this file.
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



class DescribeShareGroupOffsetsRequestTopic(Struct):
    """DescribeShareGroupOffsetsRequestTopic of DescribeShareGroupOffsetsRequest."""

    __slots__ = ("topic_name", "partitions", "unknown_tags")

    topic_name: str
    """Versions 0+."""
    partitions: list[int]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_name: str = "",
        partitions: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeShareGroupOffsetsRequestTopic)
            and self.topic_name == other.topic_name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class DescribeShareGroupOffsetsRequestGroup(Struct):
    """DescribeShareGroupOffsetsRequestGroup of DescribeShareGroupOffsetsRequest."""

    __slots__ = ("group_id", "topics", "unknown_tags")

    group_id: str
    """Versions 0+."""
    topics: list[DescribeShareGroupOffsetsRequestTopic] | None
    """Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        group_id: str = "",
        topics: list[DescribeShareGroupOffsetsRequestTopic] | None = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeShareGroupOffsetsRequestGroup)
            and self.group_id == other.group_id
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )



class DescribeShareGroupOffsetsRequest(Message):
    """Request DescribeShareGroupOffsetsRequest."""

    __slots__ = ("groups", "unknown_tags")

    NAME: ClassVar[str] = "DescribeShareGroupOffsetsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 90
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    Topic: TypeAlias = DescribeShareGroupOffsetsRequestTopic
    Group: TypeAlias = DescribeShareGroupOffsetsRequestGroup

    groups: list[DescribeShareGroupOffsetsRequestGroup]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        groups: list[DescribeShareGroupOffsetsRequestGroup] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.groups = [] if groups is EMPTY else groups
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeShareGroupOffsetsRequest)
            and self.groups == other.groups
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DescribeShareGroupOffsetsRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[DescribeShareGroupOffsetsRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_topic_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeShareGroupOffsetsRequestTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeShareGroupOffsetsRequestTopic] = []
    for _ in range(size):
        message = DescribeShareGroupOffsetsRequestTopic.__new__(DescribeShareGroupOffsetsRequestTopic)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.topic_name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.partitions = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.partitions = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_topic_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[DescribeShareGroupOffsetsRequestTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeShareGroupOffsetsRequestTopic] = []
    for _ in range(size):
        message = DescribeShareGroupOffsetsRequestTopic.__new__(DescribeShareGroupOffsetsRequestTopic)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.topic_name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "DescribeShareGroupOffsetsRequest.partitions")
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.partitions = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.partitions = unpack_many("i", 4, count - 1, buffer, position)
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


def _read_many_group_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeShareGroupOffsetsRequestGroup], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeShareGroupOffsetsRequestGroup] = []
    for _ in range(size):
        message = DescribeShareGroupOffsetsRequestGroup.__new__(DescribeShareGroupOffsetsRequestGroup)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.group_id = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.topics, position = _read_many_topic_v0(buffer, position, count - 1)
        elif count:
            message.topics = []
        else:
            message.topics = None
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_group_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[DescribeShareGroupOffsetsRequestGroup], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeShareGroupOffsetsRequestGroup] = []
    for _ in range(size):
        message = DescribeShareGroupOffsetsRequestGroup.__new__(DescribeShareGroupOffsetsRequestGroup)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.group_id = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "DescribeShareGroupOffsetsRequest.topics")
        if count > 1:
            message.topics, position = yield from _step_many_topic_v0(buffer, position, count - 1, budget)
        elif count:
            message.topics = []
        else:
            message.topics = None
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[DescribeShareGroupOffsetsRequest, int]:
    message = DescribeShareGroupOffsetsRequest.__new__(DescribeShareGroupOffsetsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.groups, position = _read_many_group_v0(buffer, position, count - 1)
    elif count:
        message.groups = []
    else:
        raise Malformed
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
) -> Steps[tuple[DescribeShareGroupOffsetsRequest, int]]:
    message = DescribeShareGroupOffsetsRequest.__new__(DescribeShareGroupOffsetsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "DescribeShareGroupOffsetsRequest.groups")
    if count > 1:
        message.groups, position = yield from _step_many_group_v0(buffer, position, count - 1, budget)
    elif count:
        message.groups = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_topic_v0(out: Pieces, message: DescribeShareGroupOffsetsRequestTopic) -> None:
    topic_name = message.topic_name
    data = topic_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(partitions) < TABLE_SIZE:
        out.append(PACK_INT32[len(partitions)](*partitions))
    else:
        out.append(pack_many("i", partitions))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_group_v0(out: Pieces, message: DescribeShareGroupOffsetsRequestGroup) -> None:
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topics = message.topics
    if topics is None:
        topics = EMPTY
        count = 0
    else:
        count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_v0(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: DescribeShareGroupOffsetsRequest) -> None:
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for groups_item in groups:
        _write_group_v0(out, groups_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
    _read_v0,
)

_WRITERS = (
    _write_v0,
    _write_v0,
)

_STEP_READERS = (
    _step_v0,
    _step_v0,
)


@cache
def _schema() -> MessageSchema:
    describe_share_group_offsets_request_topic_struct = StructSchema(
        python_class=DescribeShareGroupOffsetsRequestTopic,
        fields=(
            FieldSchema(
                name="TopicName",
                attribute="topic_name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Partitions",
                attribute="partitions",
                type="int32",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    describe_share_group_offsets_request_group_struct = StructSchema(
        python_class=DescribeShareGroupOffsetsRequestGroup,
        fields=(
            FieldSchema(
                name="GroupId",
                attribute="group_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="DescribeShareGroupOffsetsRequestTopic",
                struct=describe_share_group_offsets_request_topic_struct,
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    describe_share_group_offsets_request_struct = StructSchema(
        python_class=DescribeShareGroupOffsetsRequest,
        fields=(
            FieldSchema(
                name="Groups",
                attribute="groups",
                type="DescribeShareGroupOffsetsRequestGroup",
                struct=describe_share_group_offsets_request_group_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="DescribeShareGroupOffsetsRequest",
        flexible_from=0,
        root=describe_share_group_offsets_request_struct,
    )
