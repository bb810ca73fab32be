"""ElectLeadersRequest: versions 0-2, flexible from 2, api key 43.

Generated from api/ElectLeadersRequest.json by codegen; change the schema, not this file.
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

_unpack_bB = struct.Struct(">bB").unpack_from
_unpack_bi = struct.Struct(">bi").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_pack_b = struct.Struct(">b").pack
_pack_bB = struct.Struct(">bB").pack
_pack_bi = struct.Struct(">bi").pack
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack


class ElectLeadersRequestTopicPartitions(Struct):
    """TopicPartitions of ElectLeadersRequest."""

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
            isinstance(other, ElectLeadersRequestTopicPartitions)
            and self.topic == other.topic
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class ElectLeadersRequest(Message):
    """Request ElectLeadersRequest."""

    __slots__ = ("election_type", "topic_partitions", "timeout_ms", "unknown_tags")

    NAME: ClassVar[str] = "ElectLeadersRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 43
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker", "controller",)
    TopicPartitions: TypeAlias = ElectLeadersRequestTopicPartitions

    election_type: int
    """Versions 1+."""
    topic_partitions: list[ElectLeadersRequestTopicPartitions] | None
    """Versions 0+, null in 0+."""
    timeout_ms: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        election_type: int = 0,
        topic_partitions: list[ElectLeadersRequestTopicPartitions] | None = EMPTY,
        timeout_ms: int = 60000,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.election_type = election_type
        self.topic_partitions = [] if topic_partitions is EMPTY else topic_partitions
        self.timeout_ms = timeout_ms
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ElectLeadersRequest)
            and self.election_type == other.election_type
            and self.topic_partitions == other.topic_partitions
            and self.timeout_ms == other.timeout_ms
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ElectLeadersRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[ElectLeadersRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_topic_partitions_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ElectLeadersRequestTopicPartitions], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ElectLeadersRequestTopicPartitions] = []
    for _ in range(size):
        message = ElectLeadersRequestTopicPartitions.__new__(ElectLeadersRequestTopicPartitions)
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


def _step_many_topic_partitions_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[ElectLeadersRequestTopicPartitions], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ElectLeadersRequestTopicPartitions] = []
    for _ in range(size):
        message = ElectLeadersRequestTopicPartitions.__new__(ElectLeadersRequestTopicPartitions)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.topic = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "ElectLeadersRequest.partitions")
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


def _read_v0(buffer: Buffer, position: int) -> tuple[ElectLeadersRequest, int]:
    message = ElectLeadersRequest.__new__(ElectLeadersRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.topic_partitions, position = _read_many_topic_partitions_v0(buffer, position, count)
    elif not count:
        message.topic_partitions = []
    else:
        message.topic_partitions = None
    (message.timeout_ms,) = _unpack_i(buffer, position)
    position += 4
    message.election_type = 0
    message.unknown_tags = None
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[ElectLeadersRequest, int]]:
    message = ElectLeadersRequest.__new__(ElectLeadersRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "ElectLeadersRequest.topic_partitions")
    if count > 0:
        message.topic_partitions, position = yield from _step_many_topic_partitions_v0(buffer, position, count, budget)
    elif not count:
        message.topic_partitions = []
    else:
        message.topic_partitions = None
    (message.timeout_ms,) = _unpack_i(buffer, position)
    position += 4
    message.election_type = 0
    message.unknown_tags = None
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[ElectLeadersRequest, int]:
    message = ElectLeadersRequest.__new__(ElectLeadersRequest)
    message.election_type, count = _unpack_bi(buffer, position)
    position += 5
    if count > 0:
        message.topic_partitions, position = _read_many_topic_partitions_v0(buffer, position, count)
    elif not count:
        message.topic_partitions = []
    else:
        message.topic_partitions = None
    (message.timeout_ms,) = _unpack_i(buffer, position)
    position += 4
    message.unknown_tags = None
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[ElectLeadersRequest, int]]:
    message = ElectLeadersRequest.__new__(ElectLeadersRequest)
    message.election_type, count = _unpack_bi(buffer, position)
    position += 5
    budget.take(count, "ElectLeadersRequest.topic_partitions")
    if count > 0:
        message.topic_partitions, position = yield from _step_many_topic_partitions_v0(buffer, position, count, budget)
    elif not count:
        message.topic_partitions = []
    else:
        message.topic_partitions = None
    (message.timeout_ms,) = _unpack_i(buffer, position)
    position += 4
    message.unknown_tags = None
    return message, position


def _read_many_topic_partitions_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ElectLeadersRequestTopicPartitions], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ElectLeadersRequestTopicPartitions] = []
    for _ in range(size):
        message = ElectLeadersRequestTopicPartitions.__new__(ElectLeadersRequestTopicPartitions)
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


def _step_many_topic_partitions_v2(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[ElectLeadersRequestTopicPartitions], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ElectLeadersRequestTopicPartitions] = []
    for _ in range(size):
        message = ElectLeadersRequestTopicPartitions.__new__(ElectLeadersRequestTopicPartitions)
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
        budget.take(count - 1, "ElectLeadersRequest.partitions")
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


def _read_v2(buffer: Buffer, position: int) -> tuple[ElectLeadersRequest, int]:
    message = ElectLeadersRequest.__new__(ElectLeadersRequest)
    message.election_type, count = _unpack_bB(buffer, position)
    position += 2
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topic_partitions, position = _read_many_topic_partitions_v2(buffer, position, count - 1)
    elif count:
        message.topic_partitions = []
    else:
        message.topic_partitions = None
    message.timeout_ms, tags = _unpack_iB(buffer, position)
    position += 5
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v2(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[ElectLeadersRequest, int]]:
    message = ElectLeadersRequest.__new__(ElectLeadersRequest)
    message.election_type, count = _unpack_bB(buffer, position)
    position += 2
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ElectLeadersRequest.topic_partitions")
    if count > 1:
        message.topic_partitions, position = yield from _step_many_topic_partitions_v2(buffer, position, count - 1, budget)
    elif count:
        message.topic_partitions = []
    else:
        message.topic_partitions = None
    message.timeout_ms, tags = _unpack_iB(buffer, position)
    position += 5
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_topic_partitions_v0(out: Pieces, message: ElectLeadersRequestTopicPartitions) -> None:
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


def _write_v0(out: Pieces, message: ElectLeadersRequest) -> None:
    if message.election_type != 0:
        raise Malformed
    topic_partitions = message.topic_partitions
    if topic_partitions is None:
        topic_partitions = EMPTY
        count = -1
    else:
        count = len(topic_partitions)
    out.append(_pack_i(count))
    for topic_partitions_item in topic_partitions:
        _write_topic_partitions_v0(out, topic_partitions_item)
    out.append(_pack_i(message.timeout_ms))
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: ElectLeadersRequest) -> None:
    topic_partitions = message.topic_partitions
    if topic_partitions is None:
        topic_partitions = EMPTY
        count = -1
    else:
        count = len(topic_partitions)
    out.append(_pack_bi(message.election_type, count))
    for topic_partitions_item in topic_partitions:
        _write_topic_partitions_v0(out, topic_partitions_item)
    out.append(_pack_i(message.timeout_ms))
    if message.unknown_tags:
        raise Malformed


def _write_topic_partitions_v2(out: Pieces, message: ElectLeadersRequestTopicPartitions) -> None:
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


def _write_v2(out: Pieces, message: ElectLeadersRequest) -> None:
    topic_partitions = message.topic_partitions
    if topic_partitions is None:
        topic_partitions = EMPTY
        count = 0
    else:
        count = len(topic_partitions) + 1
    if count < 128:
        out.append(_pack_bB(message.election_type, count))
    else:
        out.append(_pack_b(message.election_type))
        out.append(pack_length(count))
    for topic_partitions_item in topic_partitions:
        _write_topic_partitions_v2(out, topic_partitions_item)
    if message.unknown_tags:
        out.append(_pack_i(message.timeout_ms))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.timeout_ms, 0))


_READERS = (
    _read_v0,
    _read_v1,
    _read_v2,
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v2,
)

_STEP_READERS = (
    _step_v0,
    _step_v1,
    _step_v2,
)


@cache
def _schema() -> MessageSchema:
    topic_partitions_struct = StructSchema(
        python_class=ElectLeadersRequestTopicPartitions,
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
    elect_leaders_request_struct = StructSchema(
        python_class=ElectLeadersRequest,
        fields=(
            FieldSchema(
                name="ElectionType",
                attribute="election_type",
                type="int8",
                versions=(1, 32767),
                default=0,
            ),
            FieldSchema(
                name="TopicPartitions",
                attribute="topic_partitions",
                type="TopicPartitions",
                struct=topic_partitions_struct,
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="TimeoutMs",
                attribute="timeout_ms",
                type="int32",
                versions=(0, 32767),
                default=60000,
            ),
        ),
    )
    return MessageSchema(name="ElectLeadersRequest", flexible_from=2, root=elect_leaders_request_struct)
