"""OffsetForLeaderEpochResponse: versions 2-4, flexible from 4, api key 23.

Generated from api/OffsetForLeaderEpochResponse.json by codegen; change the schema, not this file.
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
    Buffer,
    Malformed,
    Pieces,
    Steps,
    pack_length,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

_unpack_h = struct.Struct(">h").unpack_from
_unpack_hiiq = struct.Struct(">hiiq").unpack_from
_unpack_hiiqB = struct.Struct(">hiiqB").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ii = struct.Struct(">ii").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_hiiq = struct.Struct(">hiiq").pack
_pack_hiiqB = struct.Struct(">hiiqB").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ii = struct.Struct(">ii").pack


class OffsetForLeaderEpochResponseEpochEndOffset(Struct):
    """EpochEndOffset of OffsetForLeaderEpochResponse."""

    __slots__ = ("error_code", "partition", "leader_epoch", "end_offset", "unknown_tags")

    error_code: int
    """Versions 0+."""
    partition: int
    """Versions 0+."""
    leader_epoch: int
    """Versions 1+, dropped where a version lacks it."""
    end_offset: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        error_code: int = 0,
        partition: int = 0,
        leader_epoch: int = -1,
        end_offset: int = -1,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.error_code = error_code
        self.partition = partition
        self.leader_epoch = leader_epoch
        self.end_offset = end_offset
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetForLeaderEpochResponseEpochEndOffset)
            and self.error_code == other.error_code
            and self.partition == other.partition
            and self.leader_epoch == other.leader_epoch
            and self.end_offset == other.end_offset
            and self.unknown_tags == other.unknown_tags
        )



class OffsetForLeaderEpochResponseOffsetForLeaderTopicResult(Struct):
    """OffsetForLeaderTopicResult of OffsetForLeaderEpochResponse."""

    __slots__ = ("topic", "partitions", "unknown_tags")

    topic: str
    """Versions 0+."""
    partitions: list[OffsetForLeaderEpochResponseEpochEndOffset]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic: str = "",
        partitions: list[OffsetForLeaderEpochResponseEpochEndOffset] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic = topic
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetForLeaderEpochResponseOffsetForLeaderTopicResult)
            and self.topic == other.topic
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class OffsetForLeaderEpochResponse(Message):
    """Response OffsetForLeaderEpochResponse."""

    __slots__ = ("throttle_time_ms", "topics", "unknown_tags")

    NAME: ClassVar[str] = "OffsetForLeaderEpochResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 23
    MIN_VERSION: ClassVar[int] = 2
    MAX_VERSION: ClassVar[int] = 4
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    EpochEndOffset: TypeAlias = OffsetForLeaderEpochResponseEpochEndOffset
    OffsetForLeaderTopicResult: TypeAlias = OffsetForLeaderEpochResponseOffsetForLeaderTopicResult

    throttle_time_ms: int
    """Versions 2+, dropped where a version lacks it."""
    topics: list[OffsetForLeaderEpochResponseOffsetForLeaderTopicResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[OffsetForLeaderEpochResponseOffsetForLeaderTopicResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetForLeaderEpochResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[OffsetForLeaderEpochResponse, int]:
        return _READERS[version - 2](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 2](out, self)

    def _step_write(self, out: Pieces, version: int) -> Steps[None] | None:
        write = _STEP_WRITERS[version - 2]
        return None if write is None else write(out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_epoch_end_offset_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetForLeaderEpochResponseEpochEndOffset], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetForLeaderEpochResponseEpochEndOffset] = []
    for _ in range(size):
        message = OffsetForLeaderEpochResponseEpochEndOffset.__new__(
            OffsetForLeaderEpochResponseEpochEndOffset,
        )
        (
            message.error_code,
            message.partition,
            message.leader_epoch,
            message.end_offset,
        ) = _unpack_hiiq(buffer, position)
        position += 18
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_offset_for_leader_topic_result_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetForLeaderEpochResponseOffsetForLeaderTopicResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetForLeaderEpochResponseOffsetForLeaderTopicResult] = []
    for _ in range(size):
        message = OffsetForLeaderEpochResponseOffsetForLeaderTopicResult.__new__(
            OffsetForLeaderEpochResponseOffsetForLeaderTopicResult,
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
        if count > 0:
            message.partitions, position = _read_many_epoch_end_offset_v2(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v2(buffer: Buffer, position: int) -> tuple[OffsetForLeaderEpochResponse, int]:
    message = OffsetForLeaderEpochResponse.__new__(OffsetForLeaderEpochResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.topics, position = _read_many_offset_for_leader_topic_result_v2(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_epoch_end_offset_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetForLeaderEpochResponseEpochEndOffset], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetForLeaderEpochResponseEpochEndOffset] = []
    for _ in range(size):
        message = OffsetForLeaderEpochResponseEpochEndOffset.__new__(
            OffsetForLeaderEpochResponseEpochEndOffset,
        )
        (
            message.error_code,
            message.partition,
            message.leader_epoch,
            message.end_offset,
            tags,
        ) = _unpack_hiiqB(buffer, position)
        position += 19
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_offset_for_leader_topic_result_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetForLeaderEpochResponseOffsetForLeaderTopicResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetForLeaderEpochResponseOffsetForLeaderTopicResult] = []
    for _ in range(size):
        message = OffsetForLeaderEpochResponseOffsetForLeaderTopicResult.__new__(
            OffsetForLeaderEpochResponseOffsetForLeaderTopicResult,
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
        if count > 1:
            message.partitions, position = _read_many_epoch_end_offset_v4(buffer, position, count - 1)
        elif count:
            message.partitions = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v4(buffer: Buffer, position: int) -> tuple[OffsetForLeaderEpochResponse, int]:
    message = OffsetForLeaderEpochResponse.__new__(OffsetForLeaderEpochResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_offset_for_leader_topic_result_v4(buffer, position, count - 1)
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


def _write_epoch_end_offset_v2(out: Pieces, message: OffsetForLeaderEpochResponseEpochEndOffset) -> None:
    out.append(_pack_hiiq(message.error_code, message.partition, message.leader_epoch, message.end_offset))
    if message.unknown_tags:
        raise Malformed


def _write_offset_for_leader_topic_result_v2(
    out: Pieces,
    message: OffsetForLeaderEpochResponseOffsetForLeaderTopicResult,
) -> None:
    topic = message.topic
    data = topic.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_epoch_end_offset_v2(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_offset_for_leader_topic_result_v2(
    out: Pieces,
    message: OffsetForLeaderEpochResponseOffsetForLeaderTopicResult,
) -> Steps[None]:
    topic = message.topic
    data = topic.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_epoch_end_offset_v2(out, partitions_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: Pieces, message: OffsetForLeaderEpochResponse) -> None:
    topics = message.topics
    count = len(topics)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for topics_item in topics:
        _write_offset_for_leader_topic_result_v2(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v2(out: Pieces, message: OffsetForLeaderEpochResponse) -> Steps[None]:
    topics = message.topics
    count = len(topics)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for topics_item in topics:
        yield from _step_write_offset_for_leader_topic_result_v2(out, topics_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_epoch_end_offset_v4(out: Pieces, message: OffsetForLeaderEpochResponseEpochEndOffset) -> None:
    if message.unknown_tags:
        out.append(_pack_hiiq(
            message.error_code,
            message.partition,
            message.leader_epoch,
            message.end_offset,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hiiqB(
            message.error_code,
            message.partition,
            message.leader_epoch,
            message.end_offset,
            0,
        ))


def _write_offset_for_leader_topic_result_v4(
    out: Pieces,
    message: OffsetForLeaderEpochResponseOffsetForLeaderTopicResult,
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
    for partitions_item in partitions:
        _write_epoch_end_offset_v4(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_offset_for_leader_topic_result_v4(
    out: Pieces,
    message: OffsetForLeaderEpochResponseOffsetForLeaderTopicResult,
) -> Steps[None]:
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
    for partitions_item in partitions:
        _write_epoch_end_offset_v4(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v4(out: Pieces, message: OffsetForLeaderEpochResponse) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_offset_for_leader_topic_result_v4(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v4(out: Pieces, message: OffsetForLeaderEpochResponse) -> Steps[None]:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_offset_for_leader_topic_result_v4(out, topics_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v2,
    _read_v2,
    _read_v4,
)

_WRITERS = (
    _write_v2,
    _write_v2,
    _write_v4,
)

_STEP_WRITERS = (
    _step_write_v2,
    _step_write_v2,
    _step_write_v4,
)


@cache
def _schema() -> MessageSchema:
    epoch_end_offset_struct = StructSchema(
        python_class=OffsetForLeaderEpochResponseEpochEndOffset,
        fields=(
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Partition",
                attribute="partition",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LeaderEpoch",
                attribute="leader_epoch",
                type="int32",
                versions=(1, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="EndOffset",
                attribute="end_offset",
                type="int64",
                versions=(0, 32767),
                default=-1,
            ),
        ),
    )
    offset_for_leader_topic_result_struct = StructSchema(
        python_class=OffsetForLeaderEpochResponseOffsetForLeaderTopicResult,
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
                type="EpochEndOffset",
                struct=epoch_end_offset_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    offset_for_leader_epoch_response_struct = StructSchema(
        python_class=OffsetForLeaderEpochResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(2, 32767),
                default=0,
                ignorable=True,
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="OffsetForLeaderTopicResult",
                struct=offset_for_leader_topic_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="OffsetForLeaderEpochResponse",
        flexible_from=4,
        root=offset_for_leader_epoch_response_struct,
    )
