"""DeleteRecordsRequest: versions 0-2, flexible from 2, api key 21.

Generated from api/DeleteRecordsRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    ELEMENTS_A_STEP,
    EMPTY,
    Budget,
    Buffer,
    Malformed,
    Pieces,
    Steps,
    pack_length,
    pack_string_length,
    read_long_length,
    read_pieces,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_iq = struct.Struct(">iq").unpack_from
_unpack_iqB = struct.Struct(">iqB").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_iq = struct.Struct(">iq").pack
_pack_iqB = struct.Struct(">iqB").pack


class DeleteRecordsRequestDeleteRecordsPartition(Struct):
    """DeleteRecordsPartition of DeleteRecordsRequest."""

    __slots__ = ("partition_index", "offset", "unknown_tags")

    partition_index: int
    """Versions 0+."""
    offset: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        offset: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.offset = offset
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DeleteRecordsRequestDeleteRecordsPartition)
            and self.partition_index == other.partition_index
            and self.offset == other.offset
            and self.unknown_tags == other.unknown_tags
        )



class DeleteRecordsRequestDeleteRecordsTopic(Struct):
    """DeleteRecordsTopic of DeleteRecordsRequest."""

    __slots__ = ("name", "partitions", "unknown_tags")

    name: str
    """Versions 0+."""
    partitions: list[DeleteRecordsRequestDeleteRecordsPartition]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        partitions: list[DeleteRecordsRequestDeleteRecordsPartition] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DeleteRecordsRequestDeleteRecordsTopic)
            and self.name == other.name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class DeleteRecordsRequest(Message):
    """Request DeleteRecordsRequest."""

    __slots__ = ("topics", "timeout_ms", "unknown_tags")

    NAME: ClassVar[str] = "DeleteRecordsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 21
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    DeleteRecordsPartition: TypeAlias = DeleteRecordsRequestDeleteRecordsPartition
    DeleteRecordsTopic: TypeAlias = DeleteRecordsRequestDeleteRecordsTopic

    topics: list[DeleteRecordsRequestDeleteRecordsTopic]
    """Versions 0+."""
    timeout_ms: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topics: list[DeleteRecordsRequestDeleteRecordsTopic] = EMPTY,
        timeout_ms: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topics = [] if topics is EMPTY else topics
        self.timeout_ms = timeout_ms
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DeleteRecordsRequest)
            and self.topics == other.topics
            and self.timeout_ms == other.timeout_ms
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DeleteRecordsRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[DeleteRecordsRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_delete_records_partition_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DeleteRecordsRequestDeleteRecordsPartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteRecordsRequestDeleteRecordsPartition] = []
    for _ in range(size):
        message = DeleteRecordsRequestDeleteRecordsPartition.__new__(
            DeleteRecordsRequestDeleteRecordsPartition,
        )
        message.partition_index, message.offset = _unpack_iq(buffer, position)
        position += 12
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_delete_records_topic_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DeleteRecordsRequestDeleteRecordsTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteRecordsRequestDeleteRecordsTopic] = []
    for _ in range(size):
        message = DeleteRecordsRequestDeleteRecordsTopic.__new__(DeleteRecordsRequestDeleteRecordsTopic)
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
            message.partitions, position = _read_many_delete_records_partition_v0(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_delete_records_topic_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[DeleteRecordsRequestDeleteRecordsTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteRecordsRequestDeleteRecordsTopic] = []
    for _ in range(size):
        message = DeleteRecordsRequestDeleteRecordsTopic.__new__(DeleteRecordsRequestDeleteRecordsTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "DeleteRecordsRequest.partitions")
        if count > 0:
            if count > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_delete_records_partition_v0,
                    buffer,
                    position,
                    count,
                    budget,
                )
            else:
                message.partitions, position = _read_many_delete_records_partition_v0(buffer, position, count)
                budget.take_tags(message.partitions)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[DeleteRecordsRequest, int]:
    message = DeleteRecordsRequest.__new__(DeleteRecordsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.topics, position = _read_many_delete_records_topic_v0(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    (message.timeout_ms,) = _unpack_i(buffer, position)
    position += 4
    message.unknown_tags = None
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[DeleteRecordsRequest, int]]:
    message = DeleteRecordsRequest.__new__(DeleteRecordsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "DeleteRecordsRequest.topics")
    if count > 0:
        message.topics, position = yield from _step_many_delete_records_topic_v0(buffer, position, count, budget)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    (message.timeout_ms,) = _unpack_i(buffer, position)
    position += 4
    message.unknown_tags = None
    return message, position


def _read_many_delete_records_partition_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DeleteRecordsRequestDeleteRecordsPartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteRecordsRequestDeleteRecordsPartition] = []
    for _ in range(size):
        message = DeleteRecordsRequestDeleteRecordsPartition.__new__(
            DeleteRecordsRequestDeleteRecordsPartition,
        )
        message.partition_index, message.offset, tags = _unpack_iqB(buffer, position)
        position += 13
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_delete_records_topic_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DeleteRecordsRequestDeleteRecordsTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteRecordsRequestDeleteRecordsTopic] = []
    for _ in range(size):
        message = DeleteRecordsRequestDeleteRecordsTopic.__new__(DeleteRecordsRequestDeleteRecordsTopic)
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
            message.partitions, position = _read_many_delete_records_partition_v2(buffer, position, count - 1)
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


def _step_many_delete_records_topic_v2(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[DeleteRecordsRequestDeleteRecordsTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteRecordsRequestDeleteRecordsTopic] = []
    for _ in range(size):
        message = DeleteRecordsRequestDeleteRecordsTopic.__new__(DeleteRecordsRequestDeleteRecordsTopic)
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
        budget.take(count - 1, "DeleteRecordsRequest.partitions")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_delete_records_partition_v2,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.partitions, position = _read_many_delete_records_partition_v2(buffer, position, count - 1)
                budget.take_tags(message.partitions)
        elif count:
            message.partitions = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_v2(buffer: Buffer, position: int) -> tuple[DeleteRecordsRequest, int]:
    message = DeleteRecordsRequest.__new__(DeleteRecordsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_delete_records_topic_v2(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    message.timeout_ms, tags = _unpack_iB(buffer, position)
    position += 5
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v2(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[DeleteRecordsRequest, int]]:
    message = DeleteRecordsRequest.__new__(DeleteRecordsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "DeleteRecordsRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_delete_records_topic_v2(buffer, position, count - 1, budget)
    elif count:
        message.topics = []
    else:
        raise Malformed
    message.timeout_ms, tags = _unpack_iB(buffer, position)
    position += 5
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_delete_records_partition_v0(
    out: Pieces,
    message: DeleteRecordsRequestDeleteRecordsPartition,
) -> None:
    out.append(_pack_iq(message.partition_index, message.offset))
    if message.unknown_tags:
        raise Malformed


def _write_delete_records_topic_v0(out: Pieces, message: DeleteRecordsRequestDeleteRecordsTopic) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_delete_records_partition_v0(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: DeleteRecordsRequest) -> None:
    topics = message.topics
    count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        _write_delete_records_topic_v0(out, topics_item)
    out.append(_pack_i(message.timeout_ms))
    if message.unknown_tags:
        raise Malformed


def _write_delete_records_partition_v2(
    out: Pieces,
    message: DeleteRecordsRequestDeleteRecordsPartition,
) -> None:
    if message.unknown_tags:
        out.append(_pack_iq(message.partition_index, message.offset))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iqB(message.partition_index, message.offset, 0))


def _write_delete_records_topic_v2(out: Pieces, message: DeleteRecordsRequestDeleteRecordsTopic) -> None:
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
        _write_delete_records_partition_v2(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v2(out: Pieces, message: DeleteRecordsRequest) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        _write_delete_records_topic_v2(out, topics_item)
    if message.unknown_tags:
        out.append(_pack_i(message.timeout_ms))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.timeout_ms, 0))


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

_STEP_READERS = (
    _step_v0,
    _step_v0,
    _step_v2,
)


@cache
def _schema() -> MessageSchema:
    delete_records_partition_struct = StructSchema(
        python_class=DeleteRecordsRequestDeleteRecordsPartition,
        fields=(
            FieldSchema(
                name="PartitionIndex",
                attribute="partition_index",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Offset",
                attribute="offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    delete_records_topic_struct = StructSchema(
        python_class=DeleteRecordsRequestDeleteRecordsTopic,
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
                type="DeleteRecordsPartition",
                struct=delete_records_partition_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    delete_records_request_struct = StructSchema(
        python_class=DeleteRecordsRequest,
        fields=(
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="DeleteRecordsTopic",
                struct=delete_records_topic_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="TimeoutMs",
                attribute="timeout_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(name="DeleteRecordsRequest", flexible_from=2, root=delete_records_request_struct)
