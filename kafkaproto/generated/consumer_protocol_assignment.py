"""ConsumerProtocolAssignment: versions 0-3, never flexible.

Generated from group/ConsumerProtocolAssignment.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    EMPTY,
    PACK_INT32,
    TABLE_SIZE,
    UNPACK_INT32,
    Buffer,
    Buffers,
    Malformed,
    Pieces,
    pack_many,
    unpack_many,
)

_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack


class ConsumerProtocolAssignmentTopicPartition(Struct):
    """TopicPartition of ConsumerProtocolAssignment."""

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
            isinstance(other, ConsumerProtocolAssignmentTopicPartition)
            and self.topic == other.topic
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class ConsumerProtocolAssignment(Message):
    """Data ConsumerProtocolAssignment."""

    __slots__ = ("assigned_partitions", "user_data", "unknown_tags")

    NAME: ClassVar[str] = "ConsumerProtocolAssignment"
    TYPE: ClassVar[str] = "data"
    API_KEY: ClassVar[int | None] = None
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int | None] = None
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    TopicPartition: TypeAlias = ConsumerProtocolAssignmentTopicPartition

    assigned_partitions: list[ConsumerProtocolAssignmentTopicPartition]
    """Versions 0+."""
    user_data: Buffers | None
    """Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        assigned_partitions: list[ConsumerProtocolAssignmentTopicPartition] = EMPTY,
        user_data: Buffers | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.assigned_partitions = [] if assigned_partitions is EMPTY else assigned_partitions
        self.user_data = user_data
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ConsumerProtocolAssignment)
            and self.assigned_partitions == other.assigned_partitions
            and self.user_data == other.user_data
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ConsumerProtocolAssignment, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_topic_partition_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ConsumerProtocolAssignmentTopicPartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ConsumerProtocolAssignmentTopicPartition] = []
    for _ in range(size):
        message = ConsumerProtocolAssignmentTopicPartition.__new__(ConsumerProtocolAssignmentTopicPartition)
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


def _read_v0(buffer: Buffer, position: int) -> tuple[ConsumerProtocolAssignment, int]:
    view = memoryview(buffer)
    message = ConsumerProtocolAssignment.__new__(ConsumerProtocolAssignment)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.assigned_partitions, position = _read_many_topic_partition_v0(buffer, position, count)
    elif not count:
        message.assigned_partitions = []
    else:
        raise Malformed
    (length,) = _unpack_i(buffer, position)
    position += 4
    if length < 0:
        message.user_data = None
    else:
        end = position + length
        message.user_data = view[position:end]
        position = end
    message.unknown_tags = None
    return message, position


def _write_topic_partition_v0(out: Pieces, message: ConsumerProtocolAssignmentTopicPartition) -> None:
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


def _write_v0(out: Pieces, message: ConsumerProtocolAssignment) -> None:
    assigned_partitions = message.assigned_partitions
    count = len(assigned_partitions)
    out.append(_pack_i(count))
    for assigned_partitions_item in assigned_partitions:
        _write_topic_partition_v0(out, assigned_partitions_item)
    user_data = message.user_data
    if user_data is None:
        user_data = b""
        length = -1
    else:
        length = sum(map(len, user_data)) if isinstance(user_data, list) else len(user_data)
    out.append(_pack_i(length))
    if isinstance(user_data, list):
        out.extend(user_data)
    else:
        out.append(user_data)
    if message.unknown_tags:
        raise Malformed


_READERS = (
    _read_v0,
    _read_v0,
    _read_v0,
    _read_v0,
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v0,
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    topic_partition_struct = StructSchema(
        python_class=ConsumerProtocolAssignmentTopicPartition,
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
    consumer_protocol_assignment_struct = StructSchema(
        python_class=ConsumerProtocolAssignment,
        fields=(
            FieldSchema(
                name="AssignedPartitions",
                attribute="assigned_partitions",
                type="TopicPartition",
                struct=topic_partition_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="UserData",
                attribute="user_data",
                type="bytes",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
                zero_copy=True,
            ),
        ),
    )
    return MessageSchema(
        name="ConsumerProtocolAssignment",
        flexible_from=None,
        root=consumer_protocol_assignment_struct,
    )
