"""WriteTxnMarkersResponse: versions 1-2, flexible from 1, api key 27.

Generated from api/WriteTxnMarkersResponse.json by codegen; change the schema, not this file.
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

_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_qB = struct.Struct(">qB").unpack_from
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_q = struct.Struct(">q").pack
_pack_qB = struct.Struct(">qB").pack


class WriteTxnMarkersResponseWritableTxnMarkerPartitionResult(Struct):
    """WritableTxnMarkerPartitionResult of WriteTxnMarkersResponse."""

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
            isinstance(other, WriteTxnMarkersResponseWritableTxnMarkerPartitionResult)
            and self.partition_index == other.partition_index
            and self.error_code == other.error_code
            and self.unknown_tags == other.unknown_tags
        )



class WriteTxnMarkersResponseWritableTxnMarkerTopicResult(Struct):
    """WritableTxnMarkerTopicResult of WriteTxnMarkersResponse."""

    __slots__ = ("name", "partitions", "unknown_tags")

    name: str
    """Versions 0+."""
    partitions: list[WriteTxnMarkersResponseWritableTxnMarkerPartitionResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        partitions: list[WriteTxnMarkersResponseWritableTxnMarkerPartitionResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, WriteTxnMarkersResponseWritableTxnMarkerTopicResult)
            and self.name == other.name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class WriteTxnMarkersResponseWritableTxnMarkerResult(Struct):
    """WritableTxnMarkerResult of WriteTxnMarkersResponse."""

    __slots__ = ("producer_id", "topics", "unknown_tags")

    producer_id: int
    """Versions 0+."""
    topics: list[WriteTxnMarkersResponseWritableTxnMarkerTopicResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        producer_id: int = 0,
        topics: list[WriteTxnMarkersResponseWritableTxnMarkerTopicResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.producer_id = producer_id
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, WriteTxnMarkersResponseWritableTxnMarkerResult)
            and self.producer_id == other.producer_id
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )



class WriteTxnMarkersResponse(Message):
    """Response WriteTxnMarkersResponse."""

    __slots__ = ("markers", "unknown_tags")

    NAME: ClassVar[str] = "WriteTxnMarkersResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 27
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    WritableTxnMarkerPartitionResult: TypeAlias = WriteTxnMarkersResponseWritableTxnMarkerPartitionResult
    WritableTxnMarkerTopicResult: TypeAlias = WriteTxnMarkersResponseWritableTxnMarkerTopicResult
    WritableTxnMarkerResult: TypeAlias = WriteTxnMarkersResponseWritableTxnMarkerResult

    markers: list[WriteTxnMarkersResponseWritableTxnMarkerResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        markers: list[WriteTxnMarkersResponseWritableTxnMarkerResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.markers = [] if markers is EMPTY else markers
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, WriteTxnMarkersResponse)
            and self.markers == other.markers
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[WriteTxnMarkersResponse, int]:
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


def _read_many_writable_txn_marker_partition_result_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[WriteTxnMarkersResponseWritableTxnMarkerPartitionResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[WriteTxnMarkersResponseWritableTxnMarkerPartitionResult] = []
    for _ in range(size):
        message = WriteTxnMarkersResponseWritableTxnMarkerPartitionResult.__new__(
            WriteTxnMarkersResponseWritableTxnMarkerPartitionResult,
        )
        message.partition_index, message.error_code, tags = _unpack_ihB(buffer, position)
        position += 7
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_writable_txn_marker_topic_result_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[WriteTxnMarkersResponseWritableTxnMarkerTopicResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[WriteTxnMarkersResponseWritableTxnMarkerTopicResult] = []
    for _ in range(size):
        message = WriteTxnMarkersResponseWritableTxnMarkerTopicResult.__new__(
            WriteTxnMarkersResponseWritableTxnMarkerTopicResult,
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
            message.partitions, position = _read_many_writable_txn_marker_partition_result_v1(buffer, position, count - 1)
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


def _read_many_writable_txn_marker_result_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[WriteTxnMarkersResponseWritableTxnMarkerResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[WriteTxnMarkersResponseWritableTxnMarkerResult] = []
    for _ in range(size):
        message = WriteTxnMarkersResponseWritableTxnMarkerResult.__new__(
            WriteTxnMarkersResponseWritableTxnMarkerResult,
        )
        message.producer_id, count = _unpack_qB(buffer, position)
        position += 9
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.topics, position = _read_many_writable_txn_marker_topic_result_v1(buffer, position, count - 1)
        elif count:
            message.topics = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[WriteTxnMarkersResponse, int]:
    message = WriteTxnMarkersResponse.__new__(WriteTxnMarkersResponse)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.markers, position = _read_many_writable_txn_marker_result_v1(buffer, position, count - 1)
    elif count:
        message.markers = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_writable_txn_marker_partition_result_v1(
    out: Pieces,
    message: WriteTxnMarkersResponseWritableTxnMarkerPartitionResult,
) -> None:
    if message.unknown_tags:
        out.append(_pack_ih(message.partition_index, message.error_code))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_ihB(message.partition_index, message.error_code, 0))


def _write_writable_txn_marker_topic_result_v1(
    out: Pieces,
    message: WriteTxnMarkersResponseWritableTxnMarkerTopicResult,
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
        _write_writable_txn_marker_partition_result_v1(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_writable_txn_marker_topic_result_v1(
    out: Pieces,
    message: WriteTxnMarkersResponseWritableTxnMarkerTopicResult,
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
        _write_writable_txn_marker_partition_result_v1(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_writable_txn_marker_result_v1(
    out: Pieces,
    message: WriteTxnMarkersResponseWritableTxnMarkerResult,
) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_qB(message.producer_id, count))
    else:
        out.append(_pack_q(message.producer_id))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_writable_txn_marker_topic_result_v1(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_writable_txn_marker_result_v1(
    out: Pieces,
    message: WriteTxnMarkersResponseWritableTxnMarkerResult,
) -> Steps[None]:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_qB(message.producer_id, count))
    else:
        out.append(_pack_q(message.producer_id))
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_writable_txn_marker_topic_result_v1(out, topics_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: WriteTxnMarkersResponse) -> None:
    markers = message.markers
    count = len(markers) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for markers_item in markers:
        _write_writable_txn_marker_result_v1(out, markers_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v1(out: Pieces, message: WriteTxnMarkersResponse) -> Steps[None]:
    markers = message.markers
    count = len(markers) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for markers_item in markers:
        yield from _step_write_writable_txn_marker_result_v1(out, markers_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v1,
    _read_v1,
)

_WRITERS = (
    _write_v1,
    _write_v1,
)

_STEP_WRITERS = (
    _step_write_v1,
    _step_write_v1,
)


@cache
def _schema() -> MessageSchema:
    writable_txn_marker_partition_result_struct = StructSchema(
        python_class=WriteTxnMarkersResponseWritableTxnMarkerPartitionResult,
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
    writable_txn_marker_topic_result_struct = StructSchema(
        python_class=WriteTxnMarkersResponseWritableTxnMarkerTopicResult,
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
                type="WritableTxnMarkerPartitionResult",
                struct=writable_txn_marker_partition_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    writable_txn_marker_result_struct = StructSchema(
        python_class=WriteTxnMarkersResponseWritableTxnMarkerResult,
        fields=(
            FieldSchema(
                name="ProducerId",
                attribute="producer_id",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="WritableTxnMarkerTopicResult",
                struct=writable_txn_marker_topic_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    write_txn_markers_response_struct = StructSchema(
        python_class=WriteTxnMarkersResponse,
        fields=(
            FieldSchema(
                name="Markers",
                attribute="markers",
                type="WritableTxnMarkerResult",
                struct=writable_txn_marker_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="WriteTxnMarkersResponse",
        flexible_from=1,
        root=write_txn_markers_response_struct,
    )
