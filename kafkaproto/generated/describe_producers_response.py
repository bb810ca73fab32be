"""DescribeProducersResponse: versions 0, flexible from 0, api key 61.

Generated from api/DescribeProducersResponse.json by codegen; change the schema, not this file.
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

_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_qiiqiqB = struct.Struct(">qiiqiqB").unpack_from
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_qiiqiq = struct.Struct(">qiiqiq").pack
_pack_qiiqiqB = struct.Struct(">qiiqiqB").pack


class DescribeProducersResponseProducerState(Struct):
    """ProducerState of DescribeProducersResponse."""

    __slots__ = (
        "producer_id",
        "producer_epoch",
        "last_sequence",
        "last_timestamp",
        "coordinator_epoch",
        "current_txn_start_offset",
        "unknown_tags",
    )

    producer_id: int
    """Versions 0+."""
    producer_epoch: int
    """Versions 0+."""
    last_sequence: int
    """Versions 0+."""
    last_timestamp: int
    """Versions 0+."""
    coordinator_epoch: int
    """Versions 0+."""
    current_txn_start_offset: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        producer_id: int = 0,
        producer_epoch: int = 0,
        last_sequence: int = -1,
        last_timestamp: int = -1,
        coordinator_epoch: int = 0,
        current_txn_start_offset: int = -1,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.last_sequence = last_sequence
        self.last_timestamp = last_timestamp
        self.coordinator_epoch = coordinator_epoch
        self.current_txn_start_offset = current_txn_start_offset
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeProducersResponseProducerState)
            and self.producer_id == other.producer_id
            and self.producer_epoch == other.producer_epoch
            and self.last_sequence == other.last_sequence
            and self.last_timestamp == other.last_timestamp
            and self.coordinator_epoch == other.coordinator_epoch
            and self.current_txn_start_offset == other.current_txn_start_offset
            and self.unknown_tags == other.unknown_tags
        )



class DescribeProducersResponsePartitionResponse(Struct):
    """PartitionResponse of DescribeProducersResponse."""

    __slots__ = ("partition_index", "error_code", "error_message", "active_producers", "unknown_tags")

    partition_index: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    active_producers: list[DescribeProducersResponseProducerState]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        active_producers: list[DescribeProducersResponseProducerState] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.active_producers = [] if active_producers is EMPTY else active_producers
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeProducersResponsePartitionResponse)
            and self.partition_index == other.partition_index
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.active_producers == other.active_producers
            and self.unknown_tags == other.unknown_tags
        )



class DescribeProducersResponseTopicResponse(Struct):
    """TopicResponse of DescribeProducersResponse."""

    __slots__ = ("name", "partitions", "unknown_tags")

    name: str
    """Versions 0+."""
    partitions: list[DescribeProducersResponsePartitionResponse]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        partitions: list[DescribeProducersResponsePartitionResponse] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeProducersResponseTopicResponse)
            and self.name == other.name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class DescribeProducersResponse(Message):
    """Response DescribeProducersResponse."""

    __slots__ = ("throttle_time_ms", "topics", "unknown_tags")

    NAME: ClassVar[str] = "DescribeProducersResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 61
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    ProducerState: TypeAlias = DescribeProducersResponseProducerState
    PartitionResponse: TypeAlias = DescribeProducersResponsePartitionResponse
    TopicResponse: TypeAlias = DescribeProducersResponseTopicResponse

    throttle_time_ms: int
    """Versions 0+."""
    topics: list[DescribeProducersResponseTopicResponse]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[DescribeProducersResponseTopicResponse] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeProducersResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DescribeProducersResponse, int]:
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


def _read_many_producer_state_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeProducersResponseProducerState], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeProducersResponseProducerState] = []
    for _ in range(size):
        message = DescribeProducersResponseProducerState.__new__(DescribeProducersResponseProducerState)
        (
            message.producer_id,
            message.producer_epoch,
            message.last_sequence,
            message.last_timestamp,
            message.coordinator_epoch,
            message.current_txn_start_offset,
            tags,
        ) = _unpack_qiiqiqB(buffer, position)
        position += 37
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_partition_response_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeProducersResponsePartitionResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeProducersResponsePartitionResponse] = []
    for _ in range(size):
        message = DescribeProducersResponsePartitionResponse.__new__(
            DescribeProducersResponsePartitionResponse,
        )
        message.partition_index, message.error_code, length = _unpack_ihB(buffer, position)
        position += 7
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.error_message = None
        else:
            end = position + length - 1
            message.error_message = str(buffer[position:end], "utf-8")
            position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.active_producers, position = _read_many_producer_state_v0(buffer, position, count - 1)
        elif count:
            message.active_producers = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_topic_response_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeProducersResponseTopicResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeProducersResponseTopicResponse] = []
    for _ in range(size):
        message = DescribeProducersResponseTopicResponse.__new__(DescribeProducersResponseTopicResponse)
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
            message.partitions, position = _read_many_partition_response_v0(buffer, position, count - 1)
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


def _read_v0(buffer: Buffer, position: int) -> tuple[DescribeProducersResponse, int]:
    message = DescribeProducersResponse.__new__(DescribeProducersResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_response_v0(buffer, position, count - 1)
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


def _write_producer_state_v0(out: Pieces, message: DescribeProducersResponseProducerState) -> None:
    if message.unknown_tags:
        out.append(_pack_qiiqiq(
            message.producer_id,
            message.producer_epoch,
            message.last_sequence,
            message.last_timestamp,
            message.coordinator_epoch,
            message.current_txn_start_offset,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_qiiqiqB(
            message.producer_id,
            message.producer_epoch,
            message.last_sequence,
            message.last_timestamp,
            message.coordinator_epoch,
            message.current_txn_start_offset,
            0,
        ))


def _write_partition_response_v0(out: Pieces, message: DescribeProducersResponsePartitionResponse) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihB(message.partition_index, message.error_code, length))
    else:
        out.append(_pack_ih(message.partition_index, message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    active_producers = message.active_producers
    count = len(active_producers) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for active_producers_item in active_producers:
        _write_producer_state_v0(out, active_producers_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_partition_response_v0(
    out: Pieces,
    message: DescribeProducersResponsePartitionResponse,
) -> Steps[None]:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihB(message.partition_index, message.error_code, length))
    else:
        out.append(_pack_ih(message.partition_index, message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    active_producers = message.active_producers
    count = len(active_producers) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for active_producers_item in active_producers:
        _write_producer_state_v0(out, active_producers_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topic_response_v0(out: Pieces, message: DescribeProducersResponseTopicResponse) -> None:
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
        _write_partition_response_v0(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_topic_response_v0(
    out: Pieces,
    message: DescribeProducersResponseTopicResponse,
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
        yield from _step_write_partition_response_v0(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: DescribeProducersResponse) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_response_v0(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v0(out: Pieces, message: DescribeProducersResponse) -> Steps[None]:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_topic_response_v0(out, topics_item)
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
    producer_state_struct = StructSchema(
        python_class=DescribeProducersResponseProducerState,
        fields=(
            FieldSchema(
                name="ProducerId",
                attribute="producer_id",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ProducerEpoch",
                attribute="producer_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LastSequence",
                attribute="last_sequence",
                type="int32",
                versions=(0, 32767),
                default=-1,
            ),
            FieldSchema(
                name="LastTimestamp",
                attribute="last_timestamp",
                type="int64",
                versions=(0, 32767),
                default=-1,
            ),
            FieldSchema(
                name="CoordinatorEpoch",
                attribute="coordinator_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="CurrentTxnStartOffset",
                attribute="current_txn_start_offset",
                type="int64",
                versions=(0, 32767),
                default=-1,
            ),
        ),
    )
    partition_response_struct = StructSchema(
        python_class=DescribeProducersResponsePartitionResponse,
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
                name="ErrorMessage",
                attribute="error_message",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="ActiveProducers",
                attribute="active_producers",
                type="ProducerState",
                struct=producer_state_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    topic_response_struct = StructSchema(
        python_class=DescribeProducersResponseTopicResponse,
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
                type="PartitionResponse",
                struct=partition_response_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    describe_producers_response_struct = StructSchema(
        python_class=DescribeProducersResponse,
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
                type="TopicResponse",
                struct=topic_response_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="DescribeProducersResponse",
        flexible_from=0,
        root=describe_producers_response_struct,
    )
