"""OffsetDeleteResponse: versions 0, never flexible, api key 47.

Generated from api/OffsetDeleteResponse.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import EMPTY, Buffer, Malformed, Pieces, Steps

_unpack_h = struct.Struct(">h").unpack_from
_unpack_hii = struct.Struct(">hii").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_ih = struct.Struct(">ih").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_hii = struct.Struct(">hii").pack
_pack_i = struct.Struct(">i").pack
_pack_ih = struct.Struct(">ih").pack


class OffsetDeleteResponsePartition(Struct):
    """OffsetDeleteResponsePartition of OffsetDeleteResponse."""

    __slots__ = ("partition_index", "error_code", "unknown_tags")

    partition_index: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetDeleteResponsePartition)
            and self.partition_index == other.partition_index
            and self.error_code == other.error_code
            and self.unknown_tags == other.unknown_tags
        )



class OffsetDeleteResponseTopic(Struct):
    """OffsetDeleteResponseTopic of OffsetDeleteResponse."""

    __slots__ = ("name", "partitions", "unknown_tags")

    name: str
    """Versions 0+."""
    partitions: list[OffsetDeleteResponsePartition]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        partitions: list[OffsetDeleteResponsePartition] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetDeleteResponseTopic)
            and self.name == other.name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class OffsetDeleteResponse(Message):
    """Response OffsetDeleteResponse."""

    __slots__ = ("error_code", "throttle_time_ms", "topics", "unknown_tags")

    NAME: ClassVar[str] = "OffsetDeleteResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 47
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = None
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    Partition: TypeAlias = OffsetDeleteResponsePartition
    Topic: TypeAlias = OffsetDeleteResponseTopic

    error_code: int
    """Versions 0+."""
    throttle_time_ms: int
    """Versions 0+, dropped where a version lacks it."""
    topics: list[OffsetDeleteResponseTopic]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        error_code: int = 0,
        throttle_time_ms: int = 0,
        topics: list[OffsetDeleteResponseTopic] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.error_code = error_code
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetDeleteResponse)
            and self.error_code == other.error_code
            and self.throttle_time_ms == other.throttle_time_ms
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[OffsetDeleteResponse, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    def _step_write(self, out: Pieces, version: int) -> Steps[None] | None:
        write = _STEP_WRITERS[version]
        return None if write is None else write(out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_partition_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetDeleteResponsePartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetDeleteResponsePartition] = []
    for _ in range(size):
        message = OffsetDeleteResponsePartition.__new__(OffsetDeleteResponsePartition)
        message.partition_index, message.error_code = _unpack_ih(buffer, position)
        position += 6
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_topic_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetDeleteResponseTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetDeleteResponseTopic] = []
    for _ in range(size):
        message = OffsetDeleteResponseTopic.__new__(OffsetDeleteResponseTopic)
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


def _read_v0(buffer: Buffer, position: int) -> tuple[OffsetDeleteResponse, int]:
    message = OffsetDeleteResponse.__new__(OffsetDeleteResponse)
    message.error_code, message.throttle_time_ms, count = _unpack_hii(buffer, position)
    position += 10
    if count > 0:
        message.topics, position = _read_many_topic_v0(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _write_partition_v0(out: Pieces, message: OffsetDeleteResponsePartition) -> None:
    out.append(_pack_ih(message.partition_index, message.error_code))
    if message.unknown_tags:
        raise Malformed


def _write_topic_v0(out: Pieces, message: OffsetDeleteResponseTopic) -> None:
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


def _step_write_topic_v0(out: Pieces, message: OffsetDeleteResponseTopic) -> Steps[None]:
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
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: OffsetDeleteResponse) -> None:
    topics = message.topics
    count = len(topics)
    out.append(_pack_hii(message.error_code, message.throttle_time_ms, count))
    for topics_item in topics:
        _write_topic_v0(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v0(out: Pieces, message: OffsetDeleteResponse) -> Steps[None]:
    topics = message.topics
    count = len(topics)
    out.append(_pack_hii(message.error_code, message.throttle_time_ms, count))
    for topics_item in topics:
        yield from _step_write_topic_v0(out, topics_item)
        yield
    if message.unknown_tags:
        raise Malformed


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)

_STEP_WRITERS = (
    _step_write_v0,
)


@cache
def _schema() -> MessageSchema:
    offset_delete_response_partition_struct = StructSchema(
        python_class=OffsetDeleteResponsePartition,
        fields=(
            FieldSchema(
                name="PartitionIndex",
                attribute="partition_index",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    offset_delete_response_topic_struct = StructSchema(
        python_class=OffsetDeleteResponseTopic,
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
                type="OffsetDeleteResponsePartition",
                struct=offset_delete_response_partition_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    offset_delete_response_struct = StructSchema(
        python_class=OffsetDeleteResponse,
        fields=(
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
                ignorable=True,
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="OffsetDeleteResponseTopic",
                struct=offset_delete_response_topic_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="OffsetDeleteResponse", flexible_from=None, root=offset_delete_response_struct)
