"""DescribeLogDirsRequest: versions 1-5, flexible from 2, api key 35.

Generated from api/DescribeLogDirsRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
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

_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack


class DescribeLogDirsRequestDescribableLogDirTopic(Struct):
    """DescribableLogDirTopic of DescribeLogDirsRequest."""

    __slots__ = ("topic", "partitions", "unknown_tags")

    topic: str
    """Versions 0+."""
    partitions: list[int]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic: str = "",
        partitions: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic = topic
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeLogDirsRequestDescribableLogDirTopic)
            and self.topic == other.topic
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class DescribeLogDirsRequest(Message):
    """Request DescribeLogDirsRequest."""

    __slots__ = ("topics", "unknown_tags")

    NAME: ClassVar[str] = "DescribeLogDirsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 35
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    DescribableLogDirTopic: TypeAlias = DescribeLogDirsRequestDescribableLogDirTopic

    topics: list[DescribeLogDirsRequestDescribableLogDirTopic] | None
    """Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topics: list[DescribeLogDirsRequestDescribableLogDirTopic] | None = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeLogDirsRequest)
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DescribeLogDirsRequest, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[DescribeLogDirsRequest, int]] | None:
        read = _STEP_READERS[version - 1]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_describable_log_dir_topic_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeLogDirsRequestDescribableLogDirTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeLogDirsRequestDescribableLogDirTopic] = []
    for _ in range(size):
        message = DescribeLogDirsRequestDescribableLogDirTopic.__new__(
            DescribeLogDirsRequestDescribableLogDirTopic,
        )
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.topic = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count < 0:
            raise Malformed
        if count < TABLE_SIZE:
            message.partitions = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.partitions = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_describable_log_dir_topic_v1(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[DescribeLogDirsRequestDescribableLogDirTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeLogDirsRequestDescribableLogDirTopic] = []
    for _ in range(size):
        message = DescribeLogDirsRequestDescribableLogDirTopic.__new__(
            DescribeLogDirsRequestDescribableLogDirTopic,
        )
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.topic = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "DescribeLogDirsRequest.partitions")
        if count < 0:
            raise Malformed
        if count < TABLE_SIZE:
            message.partitions = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.partitions = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        yield
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[DescribeLogDirsRequest, int]:
    message = DescribeLogDirsRequest.__new__(DescribeLogDirsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.topics, position = _read_many_describable_log_dir_topic_v1(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        message.topics = None
    message.unknown_tags = None
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[DescribeLogDirsRequest, int]]:
    message = DescribeLogDirsRequest.__new__(DescribeLogDirsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "DescribeLogDirsRequest.topics")
    if count > 0:
        message.topics, position = yield from _step_many_describable_log_dir_topic_v1(buffer, position, count, budget)
    elif not count:
        message.topics = []
    else:
        message.topics = None
    message.unknown_tags = None
    return message, position


def _read_many_describable_log_dir_topic_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeLogDirsRequestDescribableLogDirTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeLogDirsRequestDescribableLogDirTopic] = []
    for _ in range(size):
        message = DescribeLogDirsRequestDescribableLogDirTopic.__new__(
            DescribeLogDirsRequestDescribableLogDirTopic,
        )
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.topic = str(buffer[position:end], "utf-8")
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


def _step_many_describable_log_dir_topic_v2(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[DescribeLogDirsRequestDescribableLogDirTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeLogDirsRequestDescribableLogDirTopic] = []
    for _ in range(size):
        message = DescribeLogDirsRequestDescribableLogDirTopic.__new__(
            DescribeLogDirsRequestDescribableLogDirTopic,
        )
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.topic = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "DescribeLogDirsRequest.partitions")
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


def _read_v2(buffer: Buffer, position: int) -> tuple[DescribeLogDirsRequest, int]:
    message = DescribeLogDirsRequest.__new__(DescribeLogDirsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_describable_log_dir_topic_v2(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        message.topics = None
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v2(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[DescribeLogDirsRequest, int]]:
    message = DescribeLogDirsRequest.__new__(DescribeLogDirsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "DescribeLogDirsRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_describable_log_dir_topic_v2(buffer, position, count - 1, budget)
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
    return message, position


def _write_describable_log_dir_topic_v1(
    out: Pieces,
    message: DescribeLogDirsRequestDescribableLogDirTopic,
) -> None:
    topic = message.topic
    data = topic.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    if len(partitions) < TABLE_SIZE:
        out.append(PACK_INT32[len(partitions)](*partitions))
    else:
        out.append(pack_many("i", partitions))
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: DescribeLogDirsRequest) -> None:
    topics = message.topics
    if topics is None:
        topics = EMPTY
        count = -1
    else:
        count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        _write_describable_log_dir_topic_v1(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _write_describable_log_dir_topic_v2(
    out: Pieces,
    message: DescribeLogDirsRequestDescribableLogDirTopic,
) -> None:
    topic = message.topic
    data = topic.encode()
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


def _write_v2(out: Pieces, message: DescribeLogDirsRequest) -> None:
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
        _write_describable_log_dir_topic_v2(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v1,
    _read_v2,
    _read_v2,
    _read_v2,
    _read_v2,
)

_WRITERS = (
    _write_v1,
    _write_v2,
    _write_v2,
    _write_v2,
    _write_v2,
)

_STEP_READERS = (
    _step_v1,
    _step_v2,
    _step_v2,
    _step_v2,
    _step_v2,
)


@cache
def _schema() -> MessageSchema:
    describable_log_dir_topic_struct = StructSchema(
        python_class=DescribeLogDirsRequestDescribableLogDirTopic,
        fields=(
            FieldSchema(
                name="Topic",
                attribute="topic",
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
    describe_log_dirs_request_struct = StructSchema(
        python_class=DescribeLogDirsRequest,
        fields=(
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="DescribableLogDirTopic",
                struct=describable_log_dir_topic_struct,
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="DescribeLogDirsRequest",
        flexible_from=2,
        root=describe_log_dirs_request_struct,
    )
