"""OffsetDeleteRequest: versions 0, never flexible, api key 47.

Generated from api/OffsetDeleteRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import ELEMENTS_A_STEP, EMPTY, Budget, Buffer, Malformed, Pieces, Steps, read_pieces

_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack


class OffsetDeleteRequestPartition(Struct):
    """OffsetDeleteRequestPartition of OffsetDeleteRequest."""

    __slots__ = ("partition_index", "unknown_tags")

    partition_index: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(self, partition_index: int = 0, unknown_tags: dict[int, bytes] | None = None) -> None:
        self.partition_index = partition_index
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetDeleteRequestPartition)
            and self.partition_index == other.partition_index
            and self.unknown_tags == other.unknown_tags
        )



class OffsetDeleteRequestTopic(Struct):
    """OffsetDeleteRequestTopic of OffsetDeleteRequest."""

    __slots__ = ("name", "partitions", "unknown_tags")

    name: str
    """Versions 0+."""
    partitions: list[OffsetDeleteRequestPartition]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        partitions: list[OffsetDeleteRequestPartition] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetDeleteRequestTopic)
            and self.name == other.name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class OffsetDeleteRequest(Message):
    """Request OffsetDeleteRequest."""

    __slots__ = ("group_id", "topics", "unknown_tags")

    NAME: ClassVar[str] = "OffsetDeleteRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 47
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = None
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    Partition: TypeAlias = OffsetDeleteRequestPartition
    Topic: TypeAlias = OffsetDeleteRequestTopic

    group_id: str
    """Versions 0+."""
    topics: list[OffsetDeleteRequestTopic]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        group_id: str = "",
        topics: list[OffsetDeleteRequestTopic] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetDeleteRequest)
            and self.group_id == other.group_id
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[OffsetDeleteRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[OffsetDeleteRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_partition_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetDeleteRequestPartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetDeleteRequestPartition] = []
    for _ in range(size):
        message = OffsetDeleteRequestPartition.__new__(OffsetDeleteRequestPartition)
        (message.partition_index,) = _unpack_i(buffer, position)
        position += 4
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_topic_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetDeleteRequestTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetDeleteRequestTopic] = []
    for _ in range(size):
        message = OffsetDeleteRequestTopic.__new__(OffsetDeleteRequestTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.partitions, position = _read_many_partition_v0(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_topic_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[OffsetDeleteRequestTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetDeleteRequestTopic] = []
    for _ in range(size):
        message = OffsetDeleteRequestTopic.__new__(OffsetDeleteRequestTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "OffsetDeleteRequest.partitions")
        if count > 0:
            if count > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_partition_v0,
                    buffer,
                    position,
                    count,
                    budget,
                )
            else:
                message.partitions, position = _read_many_partition_v0(buffer, position, count)
                budget.take_tags(message.partitions)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[OffsetDeleteRequest, int]:
    message = OffsetDeleteRequest.__new__(OffsetDeleteRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.topics, position = _read_many_topic_v0(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[OffsetDeleteRequest, int]]:
    message = OffsetDeleteRequest.__new__(OffsetDeleteRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "OffsetDeleteRequest.topics")
    if count > 0:
        message.topics, position = yield from _step_many_topic_v0(buffer, position, count, budget)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _write_partition_v0(out: Pieces, message: OffsetDeleteRequestPartition) -> None:
    out.append(_pack_i(message.partition_index))
    if message.unknown_tags:
        raise Malformed


def _write_topic_v0(out: Pieces, message: OffsetDeleteRequestTopic) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_partition_v0(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: OffsetDeleteRequest) -> None:
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    topics = message.topics
    count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        _write_topic_v0(out, topics_item)
    if message.unknown_tags:
        raise Malformed


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
    offset_delete_request_partition_struct = StructSchema(
        python_class=OffsetDeleteRequestPartition,
        fields=(
            FieldSchema(
                name="PartitionIndex",
                attribute="partition_index",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    offset_delete_request_topic_struct = StructSchema(
        python_class=OffsetDeleteRequestTopic,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Partitions",
                attribute="partitions",
                type="OffsetDeleteRequestPartition",
                struct=offset_delete_request_partition_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    offset_delete_request_struct = StructSchema(
        python_class=OffsetDeleteRequest,
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
                type="OffsetDeleteRequestTopic",
                struct=offset_delete_request_topic_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="OffsetDeleteRequest", flexible_from=None, root=offset_delete_request_struct)
