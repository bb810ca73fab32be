"""DeleteRecordsResponse: versions 0-2, flexible from 2, api key 21.

Generated from api/DeleteRecordsResponse.json by codegen; change the schema, not this file.
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
_unpack_ii = struct.Struct(">ii").unpack_from
_unpack_iqh = struct.Struct(">iqh").unpack_from
_unpack_iqhB = struct.Struct(">iqhB").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ii = struct.Struct(">ii").pack
_pack_iqh = struct.Struct(">iqh").pack
_pack_iqhB = struct.Struct(">iqhB").pack


class DeleteRecordsResponseDeleteRecordsPartitionResult(Struct):
    """DeleteRecordsPartitionResult of DeleteRecordsResponse."""

    __slots__ = ("partition_index", "low_watermark", "error_code", "unknown_tags")

    partition_index: int
    """Versions 0+."""
    low_watermark: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        low_watermark: int = 0,
        error_code: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.low_watermark = low_watermark
        self.error_code = error_code
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DeleteRecordsResponseDeleteRecordsPartitionResult)
            and self.partition_index == other.partition_index
            and self.low_watermark == other.low_watermark
            and self.error_code == other.error_code
            and self.unknown_tags == other.unknown_tags
        )



class DeleteRecordsResponseDeleteRecordsTopicResult(Struct):
    """DeleteRecordsTopicResult of DeleteRecordsResponse."""

    __slots__ = ("name", "partitions", "unknown_tags")

    name: str
    """Versions 0+."""
    partitions: list[DeleteRecordsResponseDeleteRecordsPartitionResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        partitions: list[DeleteRecordsResponseDeleteRecordsPartitionResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DeleteRecordsResponseDeleteRecordsTopicResult)
            and self.name == other.name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class DeleteRecordsResponse(Message):
    """Response DeleteRecordsResponse."""

    __slots__ = ("throttle_time_ms", "topics", "unknown_tags")

    NAME: ClassVar[str] = "DeleteRecordsResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 21
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    DeleteRecordsPartitionResult: TypeAlias = DeleteRecordsResponseDeleteRecordsPartitionResult
    DeleteRecordsTopicResult: TypeAlias = DeleteRecordsResponseDeleteRecordsTopicResult

    throttle_time_ms: int
    """Versions 0+."""
    topics: list[DeleteRecordsResponseDeleteRecordsTopicResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[DeleteRecordsResponseDeleteRecordsTopicResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DeleteRecordsResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DeleteRecordsResponse, int]:
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


def _read_many_delete_records_partition_result_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DeleteRecordsResponseDeleteRecordsPartitionResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteRecordsResponseDeleteRecordsPartitionResult] = []
    for _ in range(size):
        message = DeleteRecordsResponseDeleteRecordsPartitionResult.__new__(
            DeleteRecordsResponseDeleteRecordsPartitionResult,
        )
        message.partition_index, message.low_watermark, message.error_code = _unpack_iqh(buffer, position)
        position += 14
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_delete_records_topic_result_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DeleteRecordsResponseDeleteRecordsTopicResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteRecordsResponseDeleteRecordsTopicResult] = []
    for _ in range(size):
        message = DeleteRecordsResponseDeleteRecordsTopicResult.__new__(
            DeleteRecordsResponseDeleteRecordsTopicResult,
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
            message.partitions, position = _read_many_delete_records_partition_result_v0(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[DeleteRecordsResponse, int]:
    message = DeleteRecordsResponse.__new__(DeleteRecordsResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.topics, position = _read_many_delete_records_topic_result_v0(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_delete_records_partition_result_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DeleteRecordsResponseDeleteRecordsPartitionResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteRecordsResponseDeleteRecordsPartitionResult] = []
    for _ in range(size):
        message = DeleteRecordsResponseDeleteRecordsPartitionResult.__new__(
            DeleteRecordsResponseDeleteRecordsPartitionResult,
        )
        (
            message.partition_index,
            message.low_watermark,
            message.error_code,
            tags,
        ) = _unpack_iqhB(buffer, position)
        position += 15
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_delete_records_topic_result_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DeleteRecordsResponseDeleteRecordsTopicResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteRecordsResponseDeleteRecordsTopicResult] = []
    for _ in range(size):
        message = DeleteRecordsResponseDeleteRecordsTopicResult.__new__(
            DeleteRecordsResponseDeleteRecordsTopicResult,
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
            message.partitions, position = _read_many_delete_records_partition_result_v2(buffer, position, count - 1)
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


def _read_v2(buffer: Buffer, position: int) -> tuple[DeleteRecordsResponse, int]:
    message = DeleteRecordsResponse.__new__(DeleteRecordsResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_delete_records_topic_result_v2(buffer, position, count - 1)
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


def _write_delete_records_partition_result_v0(
    out: Pieces,
    message: DeleteRecordsResponseDeleteRecordsPartitionResult,
) -> None:
    out.append(_pack_iqh(message.partition_index, message.low_watermark, message.error_code))
    if message.unknown_tags:
        raise Malformed


def _write_delete_records_topic_result_v0(
    out: Pieces,
    message: DeleteRecordsResponseDeleteRecordsTopicResult,
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
        _write_delete_records_partition_result_v0(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_delete_records_topic_result_v0(
    out: Pieces,
    message: DeleteRecordsResponseDeleteRecordsTopicResult,
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
        _write_delete_records_partition_result_v0(out, partitions_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: DeleteRecordsResponse) -> None:
    topics = message.topics
    count = len(topics)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for topics_item in topics:
        _write_delete_records_topic_result_v0(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v0(out: Pieces, message: DeleteRecordsResponse) -> Steps[None]:
    topics = message.topics
    count = len(topics)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for topics_item in topics:
        yield from _step_write_delete_records_topic_result_v0(out, topics_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_delete_records_partition_result_v2(
    out: Pieces,
    message: DeleteRecordsResponseDeleteRecordsPartitionResult,
) -> None:
    if message.unknown_tags:
        out.append(_pack_iqh(message.partition_index, message.low_watermark, message.error_code))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iqhB(message.partition_index, message.low_watermark, message.error_code, 0))


def _write_delete_records_topic_result_v2(
    out: Pieces,
    message: DeleteRecordsResponseDeleteRecordsTopicResult,
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
        _write_delete_records_partition_result_v2(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_delete_records_topic_result_v2(
    out: Pieces,
    message: DeleteRecordsResponseDeleteRecordsTopicResult,
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
        _write_delete_records_partition_result_v2(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v2(out: Pieces, message: DeleteRecordsResponse) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_delete_records_topic_result_v2(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v2(out: Pieces, message: DeleteRecordsResponse) -> Steps[None]:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_delete_records_topic_result_v2(out, topics_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
    _read_v0,
    _read_v2,
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v2,
)

_STEP_WRITERS = (
    _step_write_v0,
    _step_write_v0,
    _step_write_v2,
)


@cache
def _schema() -> MessageSchema:
    delete_records_partition_result_struct = StructSchema(
        python_class=DeleteRecordsResponseDeleteRecordsPartitionResult,
        fields=(
            FieldSchema(
                name="PartitionIndex",
                attribute="partition_index",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LowWatermark",
                attribute="low_watermark",
                type="int64",
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
    delete_records_topic_result_struct = StructSchema(
        python_class=DeleteRecordsResponseDeleteRecordsTopicResult,
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
                type="DeleteRecordsPartitionResult",
                struct=delete_records_partition_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    delete_records_response_struct = StructSchema(
        python_class=DeleteRecordsResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="DeleteRecordsTopicResult",
                struct=delete_records_topic_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="DeleteRecordsResponse", flexible_from=2, root=delete_records_response_struct)
