"""ListOffsetsResponse: versions 1-11, flexible from 6, api key 2.

Generated from api/ListOffsetsResponse.json by codegen; change the schema, not this file.
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
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ihqq = struct.Struct(">ihqq").unpack_from
_unpack_ihqqi = struct.Struct(">ihqqi").unpack_from
_unpack_ihqqiB = struct.Struct(">ihqqiB").unpack_from
_unpack_ii = struct.Struct(">ii").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ihqq = struct.Struct(">ihqq").pack
_pack_ihqqi = struct.Struct(">ihqqi").pack
_pack_ihqqiB = struct.Struct(">ihqqiB").pack
_pack_ii = struct.Struct(">ii").pack


class ListOffsetsResponseListOffsetsPartitionResponse(Struct):
    """ListOffsetsPartitionResponse of ListOffsetsResponse."""

    __slots__ = ("partition_index", "error_code", "timestamp", "offset", "leader_epoch", "unknown_tags")

    partition_index: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    timestamp: int
    """Versions 1+."""
    offset: int
    """Versions 1+."""
    leader_epoch: int
    """Versions 4+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        timestamp: int = -1,
        offset: int = -1,
        leader_epoch: int = -1,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.timestamp = timestamp
        self.offset = offset
        self.leader_epoch = leader_epoch
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ListOffsetsResponseListOffsetsPartitionResponse)
            and self.partition_index == other.partition_index
            and self.error_code == other.error_code
            and self.timestamp == other.timestamp
            and self.offset == other.offset
            and self.leader_epoch == other.leader_epoch
            and self.unknown_tags == other.unknown_tags
        )



class ListOffsetsResponseListOffsetsTopicResponse(Struct):
    """ListOffsetsTopicResponse of ListOffsetsResponse."""

    __slots__ = ("name", "partitions", "unknown_tags")

    name: str
    """Versions 0+."""
    partitions: list[ListOffsetsResponseListOffsetsPartitionResponse]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        partitions: list[ListOffsetsResponseListOffsetsPartitionResponse] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ListOffsetsResponseListOffsetsTopicResponse)
            and self.name == other.name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class ListOffsetsResponse(Message):
    """Response ListOffsetsResponse."""

    __slots__ = ("throttle_time_ms", "topics", "unknown_tags")

    NAME: ClassVar[str] = "ListOffsetsResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 2
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 11
    FLEXIBLE_FROM: ClassVar[int | None] = 6
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    ListOffsetsPartitionResponse: TypeAlias = ListOffsetsResponseListOffsetsPartitionResponse
    ListOffsetsTopicResponse: TypeAlias = ListOffsetsResponseListOffsetsTopicResponse

    throttle_time_ms: int
    """Versions 2+, dropped where a version lacks it."""
    topics: list[ListOffsetsResponseListOffsetsTopicResponse]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[ListOffsetsResponseListOffsetsTopicResponse] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ListOffsetsResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ListOffsetsResponse, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    def _step_write(self, out: Pieces, version: int) -> Steps[None] | None:
        write = _STEP_WRITERS[version - 1]
        return None if write is None else write(out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_list_offsets_partition_response_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ListOffsetsResponseListOffsetsPartitionResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListOffsetsResponseListOffsetsPartitionResponse] = []
    for _ in range(size):
        message = ListOffsetsResponseListOffsetsPartitionResponse.__new__(
            ListOffsetsResponseListOffsetsPartitionResponse,
        )
        (
            message.partition_index,
            message.error_code,
            message.timestamp,
            message.offset,
        ) = _unpack_ihqq(buffer, position)
        position += 22
        message.leader_epoch = -1
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_list_offsets_topic_response_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ListOffsetsResponseListOffsetsTopicResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListOffsetsResponseListOffsetsTopicResponse] = []
    for _ in range(size):
        message = ListOffsetsResponseListOffsetsTopicResponse.__new__(
            ListOffsetsResponseListOffsetsTopicResponse,
        )
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
            message.partitions, position = _read_many_list_offsets_partition_response_v1(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[ListOffsetsResponse, int]:
    message = ListOffsetsResponse.__new__(ListOffsetsResponse)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.topics, position = _read_many_list_offsets_topic_response_v1(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.throttle_time_ms = 0
    message.unknown_tags = None
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[ListOffsetsResponse, int]:
    message = ListOffsetsResponse.__new__(ListOffsetsResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.topics, position = _read_many_list_offsets_topic_response_v1(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_list_offsets_partition_response_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ListOffsetsResponseListOffsetsPartitionResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListOffsetsResponseListOffsetsPartitionResponse] = []
    for _ in range(size):
        message = ListOffsetsResponseListOffsetsPartitionResponse.__new__(
            ListOffsetsResponseListOffsetsPartitionResponse,
        )
        (
            message.partition_index,
            message.error_code,
            message.timestamp,
            message.offset,
            message.leader_epoch,
        ) = _unpack_ihqqi(buffer, position)
        position += 26
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_list_offsets_topic_response_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ListOffsetsResponseListOffsetsTopicResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListOffsetsResponseListOffsetsTopicResponse] = []
    for _ in range(size):
        message = ListOffsetsResponseListOffsetsTopicResponse.__new__(
            ListOffsetsResponseListOffsetsTopicResponse,
        )
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
            message.partitions, position = _read_many_list_offsets_partition_response_v4(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v4(buffer: Buffer, position: int) -> tuple[ListOffsetsResponse, int]:
    message = ListOffsetsResponse.__new__(ListOffsetsResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.topics, position = _read_many_list_offsets_topic_response_v4(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_list_offsets_partition_response_v6(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ListOffsetsResponseListOffsetsPartitionResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListOffsetsResponseListOffsetsPartitionResponse] = []
    for _ in range(size):
        message = ListOffsetsResponseListOffsetsPartitionResponse.__new__(
            ListOffsetsResponseListOffsetsPartitionResponse,
        )
        (
            message.partition_index,
            message.error_code,
            message.timestamp,
            message.offset,
            message.leader_epoch,
            tags,
        ) = _unpack_ihqqiB(buffer, position)
        position += 27
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_list_offsets_topic_response_v6(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ListOffsetsResponseListOffsetsTopicResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListOffsetsResponseListOffsetsTopicResponse] = []
    for _ in range(size):
        message = ListOffsetsResponseListOffsetsTopicResponse.__new__(
            ListOffsetsResponseListOffsetsTopicResponse,
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
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_list_offsets_partition_response_v6(buffer, position, count - 1)
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


def _read_v6(buffer: Buffer, position: int) -> tuple[ListOffsetsResponse, int]:
    message = ListOffsetsResponse.__new__(ListOffsetsResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_list_offsets_topic_response_v6(buffer, position, count - 1)
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


def _write_list_offsets_partition_response_v1(
    out: Pieces,
    message: ListOffsetsResponseListOffsetsPartitionResponse,
) -> None:
    if message.leader_epoch != -1:
        raise Malformed
    out.append(_pack_ihqq(message.partition_index, message.error_code, message.timestamp, message.offset))
    if message.unknown_tags:
        raise Malformed


def _write_list_offsets_topic_response_v1(
    out: Pieces,
    message: ListOffsetsResponseListOffsetsTopicResponse,
) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_list_offsets_partition_response_v1(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_list_offsets_topic_response_v1(
    out: Pieces,
    message: ListOffsetsResponseListOffsetsTopicResponse,
) -> Steps[None]:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_list_offsets_partition_response_v1(out, partitions_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: ListOffsetsResponse) -> None:
    topics = message.topics
    count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        _write_list_offsets_topic_response_v1(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v1(out: Pieces, message: ListOffsetsResponse) -> Steps[None]:
    topics = message.topics
    count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        yield from _step_write_list_offsets_topic_response_v1(out, topics_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: Pieces, message: ListOffsetsResponse) -> None:
    topics = message.topics
    count = len(topics)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for topics_item in topics:
        _write_list_offsets_topic_response_v1(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v2(out: Pieces, message: ListOffsetsResponse) -> Steps[None]:
    topics = message.topics
    count = len(topics)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for topics_item in topics:
        yield from _step_write_list_offsets_topic_response_v1(out, topics_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_list_offsets_partition_response_v4(
    out: Pieces,
    message: ListOffsetsResponseListOffsetsPartitionResponse,
) -> None:
    out.append(_pack_ihqqi(
        message.partition_index,
        message.error_code,
        message.timestamp,
        message.offset,
        message.leader_epoch,
    ))
    if message.unknown_tags:
        raise Malformed


def _write_list_offsets_topic_response_v4(
    out: Pieces,
    message: ListOffsetsResponseListOffsetsTopicResponse,
) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_list_offsets_partition_response_v4(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_list_offsets_topic_response_v4(
    out: Pieces,
    message: ListOffsetsResponseListOffsetsTopicResponse,
) -> Steps[None]:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_list_offsets_partition_response_v4(out, partitions_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v4(out: Pieces, message: ListOffsetsResponse) -> None:
    topics = message.topics
    count = len(topics)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for topics_item in topics:
        _write_list_offsets_topic_response_v4(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v4(out: Pieces, message: ListOffsetsResponse) -> Steps[None]:
    topics = message.topics
    count = len(topics)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for topics_item in topics:
        yield from _step_write_list_offsets_topic_response_v4(out, topics_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_list_offsets_partition_response_v6(
    out: Pieces,
    message: ListOffsetsResponseListOffsetsPartitionResponse,
) -> None:
    if message.unknown_tags:
        out.append(_pack_ihqqi(
            message.partition_index,
            message.error_code,
            message.timestamp,
            message.offset,
            message.leader_epoch,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_ihqqiB(
            message.partition_index,
            message.error_code,
            message.timestamp,
            message.offset,
            message.leader_epoch,
            0,
        ))


def _write_list_offsets_topic_response_v6(
    out: Pieces,
    message: ListOffsetsResponseListOffsetsTopicResponse,
) -> None:
    name = message.name
    data = name.encode()
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
        _write_list_offsets_partition_response_v6(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_list_offsets_topic_response_v6(
    out: Pieces,
    message: ListOffsetsResponseListOffsetsTopicResponse,
) -> Steps[None]:
    name = message.name
    data = name.encode()
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
        _write_list_offsets_partition_response_v6(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v6(out: Pieces, message: ListOffsetsResponse) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_list_offsets_topic_response_v6(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v6(out: Pieces, message: ListOffsetsResponse) -> Steps[None]:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_list_offsets_topic_response_v6(out, topics_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v1,
    _read_v2,
    _read_v2,
    _read_v4,
    _read_v4,
    _read_v6,
    _read_v6,
    _read_v6,
    _read_v6,
    _read_v6,
    _read_v6,
)

_WRITERS = (
    _write_v1,
    _write_v2,
    _write_v2,
    _write_v4,
    _write_v4,
    _write_v6,
    _write_v6,
    _write_v6,
    _write_v6,
    _write_v6,
    _write_v6,
)

_STEP_WRITERS = (
    _step_write_v1,
    _step_write_v2,
    _step_write_v2,
    _step_write_v4,
    _step_write_v4,
    _step_write_v6,
    _step_write_v6,
    _step_write_v6,
    _step_write_v6,
    _step_write_v6,
    _step_write_v6,
)


@cache
def _schema() -> MessageSchema:
    list_offsets_partition_response_struct = StructSchema(
        python_class=ListOffsetsResponseListOffsetsPartitionResponse,
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
            FieldSchema(
                name="Timestamp",
                attribute="timestamp",
                type="int64",
                versions=(1, 32767),
                default=-1,
            ),
            FieldSchema(
                name="Offset",
                attribute="offset",
                type="int64",
                versions=(1, 32767),
                default=-1,
            ),
            FieldSchema(
                name="LeaderEpoch",
                attribute="leader_epoch",
                type="int32",
                versions=(4, 32767),
                default=-1,
            ),
        ),
    )
    list_offsets_topic_response_struct = StructSchema(
        python_class=ListOffsetsResponseListOffsetsTopicResponse,
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
                type="ListOffsetsPartitionResponse",
                struct=list_offsets_partition_response_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    list_offsets_response_struct = StructSchema(
        python_class=ListOffsetsResponse,
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
                type="ListOffsetsTopicResponse",
                struct=list_offsets_topic_response_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="ListOffsetsResponse", flexible_from=6, root=list_offsets_response_struct)
