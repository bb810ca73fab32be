"""ReadShareGroupStateResponse: versions 0, flexible from 0, api key 84.

Generated from api/ReadShareGroupStateResponse.json by codegen; change the schema, not this file.
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

ZERO_UUID = bytes(16)
_unpack_uB = struct.Struct(">16sB").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_iqB = struct.Struct(">iqB").unpack_from
_unpack_qqbhB = struct.Struct(">qqbhB").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_iq = struct.Struct(">iq").pack
_pack_iqB = struct.Struct(">iqB").pack
_pack_qqbh = struct.Struct(">qqbh").pack
_pack_qqbhB = struct.Struct(">qqbhB").pack


class ReadShareGroupStateResponseStateBatch(Struct):
    """StateBatch of ReadShareGroupStateResponse."""

    __slots__ = ("first_offset", "last_offset", "delivery_state", "delivery_count", "unknown_tags")

    first_offset: int
    """Versions 0+."""
    last_offset: int
    """Versions 0+."""
    delivery_state: int
    """Versions 0+."""
    delivery_count: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        first_offset: int = 0,
        last_offset: int = 0,
        delivery_state: int = 0,
        delivery_count: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.delivery_state = delivery_state
        self.delivery_count = delivery_count
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ReadShareGroupStateResponseStateBatch)
            and self.first_offset == other.first_offset
            and self.last_offset == other.last_offset
            and self.delivery_state == other.delivery_state
            and self.delivery_count == other.delivery_count
            and self.unknown_tags == other.unknown_tags
        )



class ReadShareGroupStateResponsePartitionResult(Struct):
    """PartitionResult of ReadShareGroupStateResponse."""

    __slots__ = (
        "partition",
        "error_code",
        "error_message",
        "state_epoch",
        "start_offset",
        "state_batches",
        "unknown_tags",
    )

    partition: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    state_epoch: int
    """Versions 0+."""
    start_offset: int
    """Versions 0+."""
    state_batches: list[ReadShareGroupStateResponseStateBatch]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        state_epoch: int = 0,
        start_offset: int = 0,
        state_batches: list[ReadShareGroupStateResponseStateBatch] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition = partition
        self.error_code = error_code
        self.error_message = error_message
        self.state_epoch = state_epoch
        self.start_offset = start_offset
        self.state_batches = [] if state_batches is EMPTY else state_batches
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ReadShareGroupStateResponsePartitionResult)
            and self.partition == other.partition
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.state_epoch == other.state_epoch
            and self.start_offset == other.start_offset
            and self.state_batches == other.state_batches
            and self.unknown_tags == other.unknown_tags
        )



class ReadShareGroupStateResponseReadStateResult(Struct):
    """ReadStateResult of ReadShareGroupStateResponse."""

    __slots__ = ("topic_id", "partitions", "unknown_tags")

    topic_id: bytes
    """Versions 0+."""
    partitions: list[ReadShareGroupStateResponsePartitionResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[ReadShareGroupStateResponsePartitionResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ReadShareGroupStateResponseReadStateResult)
            and self.topic_id == other.topic_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class ReadShareGroupStateResponse(Message):
    """Response ReadShareGroupStateResponse."""

    __slots__ = ("results", "unknown_tags")

    NAME: ClassVar[str] = "ReadShareGroupStateResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 84
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    StateBatch: TypeAlias = ReadShareGroupStateResponseStateBatch
    PartitionResult: TypeAlias = ReadShareGroupStateResponsePartitionResult
    ReadStateResult: TypeAlias = ReadShareGroupStateResponseReadStateResult

    results: list[ReadShareGroupStateResponseReadStateResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        results: list[ReadShareGroupStateResponseReadStateResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.results = [] if results is EMPTY else results
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ReadShareGroupStateResponse)
            and self.results == other.results
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ReadShareGroupStateResponse, int]:
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


def _read_many_state_batch_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ReadShareGroupStateResponseStateBatch], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ReadShareGroupStateResponseStateBatch] = []
    for _ in range(size):
        message = ReadShareGroupStateResponseStateBatch.__new__(ReadShareGroupStateResponseStateBatch)
        (
            message.first_offset,
            message.last_offset,
            message.delivery_state,
            message.delivery_count,
            tags,
        ) = _unpack_qqbhB(buffer, position)
        position += 20
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_partition_result_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ReadShareGroupStateResponsePartitionResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ReadShareGroupStateResponsePartitionResult] = []
    for _ in range(size):
        message = ReadShareGroupStateResponsePartitionResult.__new__(
            ReadShareGroupStateResponsePartitionResult,
        )
        message.partition, message.error_code, length = _unpack_ihB(buffer, position)
        position += 7
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.error_message = None
        else:
            end = position + length - 1
            message.error_message = str(buffer[position:end], "utf-8")
            position = end
        message.state_epoch, message.start_offset, count = _unpack_iqB(buffer, position)
        position += 13
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.state_batches, position = _read_many_state_batch_v0(buffer, position, count - 1)
        elif count:
            message.state_batches = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_read_state_result_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ReadShareGroupStateResponseReadStateResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ReadShareGroupStateResponseReadStateResult] = []
    for _ in range(size):
        message = ReadShareGroupStateResponseReadStateResult.__new__(
            ReadShareGroupStateResponseReadStateResult,
        )
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_partition_result_v0(buffer, position, count - 1)
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


def _read_v0(buffer: Buffer, position: int) -> tuple[ReadShareGroupStateResponse, int]:
    message = ReadShareGroupStateResponse.__new__(ReadShareGroupStateResponse)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.results, position = _read_many_read_state_result_v0(buffer, position, count - 1)
    elif count:
        message.results = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_state_batch_v0(out: Pieces, message: ReadShareGroupStateResponseStateBatch) -> None:
    if message.unknown_tags:
        out.append(_pack_qqbh(
            message.first_offset,
            message.last_offset,
            message.delivery_state,
            message.delivery_count,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_qqbhB(
            message.first_offset,
            message.last_offset,
            message.delivery_state,
            message.delivery_count,
            0,
        ))


def _write_partition_result_v0(out: Pieces, message: ReadShareGroupStateResponsePartitionResult) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihB(message.partition, message.error_code, length))
    else:
        out.append(_pack_ih(message.partition, message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    state_batches = message.state_batches
    count = len(state_batches) + 1
    if count < 128:
        out.append(_pack_iqB(message.state_epoch, message.start_offset, count))
    else:
        out.append(_pack_iq(message.state_epoch, message.start_offset))
        out.append(pack_length(count))
    for state_batches_item in state_batches:
        _write_state_batch_v0(out, state_batches_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_partition_result_v0(
    out: Pieces,
    message: ReadShareGroupStateResponsePartitionResult,
) -> Steps[None]:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihB(message.partition, message.error_code, length))
    else:
        out.append(_pack_ih(message.partition, message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    state_batches = message.state_batches
    count = len(state_batches) + 1
    if count < 128:
        out.append(_pack_iqB(message.state_epoch, message.start_offset, count))
    else:
        out.append(_pack_iq(message.state_epoch, message.start_offset))
        out.append(pack_length(count))
    for state_batches_item in state_batches:
        _write_state_batch_v0(out, state_batches_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_read_state_result_v0(out: Pieces, message: ReadShareGroupStateResponseReadStateResult) -> None:
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    partitions = message.partitions
    count = len(partitions) + 1
    if count < 128:
        out.append(_pack_uB(topic_id, count))
    else:
        out.append(topic_id)
        out.append(pack_length(count))
    for partitions_item in partitions:
        _write_partition_result_v0(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_read_state_result_v0(
    out: Pieces,
    message: ReadShareGroupStateResponseReadStateResult,
) -> Steps[None]:
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    partitions = message.partitions
    count = len(partitions) + 1
    if count < 128:
        out.append(_pack_uB(topic_id, count))
    else:
        out.append(topic_id)
        out.append(pack_length(count))
    for partitions_item in partitions:
        yield from _step_write_partition_result_v0(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: ReadShareGroupStateResponse) -> None:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for results_item in results:
        _write_read_state_result_v0(out, results_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v0(out: Pieces, message: ReadShareGroupStateResponse) -> Steps[None]:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for results_item in results:
        yield from _step_write_read_state_result_v0(out, results_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


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
    state_batch_struct = StructSchema(
        python_class=ReadShareGroupStateResponseStateBatch,
        fields=(
            FieldSchema(
                name="FirstOffset",
                attribute="first_offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LastOffset",
                attribute="last_offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="DeliveryState",
                attribute="delivery_state",
                type="int8",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="DeliveryCount",
                attribute="delivery_count",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    partition_result_struct = StructSchema(
        python_class=ReadShareGroupStateResponsePartitionResult,
        fields=(
            FieldSchema(
                name="Partition",
                attribute="partition",
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
                name="ErrorMessage",
                attribute="error_message",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="StateEpoch",
                attribute="state_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="StartOffset",
                attribute="start_offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="StateBatches",
                attribute="state_batches",
                type="StateBatch",
                struct=state_batch_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    read_state_result_struct = StructSchema(
        python_class=ReadShareGroupStateResponseReadStateResult,
        fields=(
            FieldSchema(
                name="TopicId",
                attribute="topic_id",
                type="uuid",
                versions=(0, 32767),
                default=ZERO_UUID,
            ),
            FieldSchema(
                name="Partitions",
                attribute="partitions",
                type="PartitionResult",
                struct=partition_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    read_share_group_state_response_struct = StructSchema(
        python_class=ReadShareGroupStateResponse,
        fields=(
            FieldSchema(
                name="Results",
                attribute="results",
                type="ReadStateResult",
                struct=read_state_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="ReadShareGroupStateResponse",
        flexible_from=0,
        root=read_share_group_state_response_struct,
    )
