"""WriteShareGroupStateRequest: versions 0-1, flexible from 0, api key 85.

Generated from api/WriteShareGroupStateRequest.json by codegen; change the schema, not this file.
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

ZERO_UUID = bytes(16)
_unpack_uB = struct.Struct(">16sB").unpack_from
_unpack_iiiqB = struct.Struct(">iiiqB").unpack_from
_unpack_iiiqiB = struct.Struct(">iiiqiB").unpack_from
_unpack_qqbhB = struct.Struct(">qqbhB").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_iiiq = struct.Struct(">iiiq").pack
_pack_iiiqB = struct.Struct(">iiiqB").pack
_pack_iiiqi = struct.Struct(">iiiqi").pack
_pack_iiiqiB = struct.Struct(">iiiqiB").pack
_pack_qqbh = struct.Struct(">qqbh").pack
_pack_qqbhB = struct.Struct(">qqbhB").pack


class WriteShareGroupStateRequestStateBatch(Struct):
    """StateBatch of WriteShareGroupStateRequest."""

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
            isinstance(other, WriteShareGroupStateRequestStateBatch)
            and self.first_offset == other.first_offset
            and self.last_offset == other.last_offset
            and self.delivery_state == other.delivery_state
            and self.delivery_count == other.delivery_count
            and self.unknown_tags == other.unknown_tags
        )



class WriteShareGroupStateRequestPartitionData(Struct):
    """PartitionData of WriteShareGroupStateRequest."""

    __slots__ = (
        "partition",
        "state_epoch",
        "leader_epoch",
        "start_offset",
        "delivery_complete_count",
        "state_batches",
        "unknown_tags",
    )

    partition: int
    """Versions 0+."""
    state_epoch: int
    """Versions 0+."""
    leader_epoch: int
    """Versions 0+."""
    start_offset: int
    """Versions 0+."""
    delivery_complete_count: int
    """Versions 1+, dropped where a version lacks it."""
    state_batches: list[WriteShareGroupStateRequestStateBatch]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition: int = 0,
        state_epoch: int = 0,
        leader_epoch: int = 0,
        start_offset: int = 0,
        delivery_complete_count: int = -1,
        state_batches: list[WriteShareGroupStateRequestStateBatch] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition = partition
        self.state_epoch = state_epoch
        self.leader_epoch = leader_epoch
        self.start_offset = start_offset
        self.delivery_complete_count = delivery_complete_count
        self.state_batches = [] if state_batches is EMPTY else state_batches
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, WriteShareGroupStateRequestPartitionData)
            and self.partition == other.partition
            and self.state_epoch == other.state_epoch
            and self.leader_epoch == other.leader_epoch
            and self.start_offset == other.start_offset
            and self.delivery_complete_count == other.delivery_complete_count
            and self.state_batches == other.state_batches
            and self.unknown_tags == other.unknown_tags
        )



class WriteShareGroupStateRequestWriteStateData(Struct):
    """WriteStateData of WriteShareGroupStateRequest."""

    __slots__ = ("topic_id", "partitions", "unknown_tags")

    topic_id: bytes
    """Versions 0+."""
    partitions: list[WriteShareGroupStateRequestPartitionData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[WriteShareGroupStateRequestPartitionData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, WriteShareGroupStateRequestWriteStateData)
            and self.topic_id == other.topic_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class WriteShareGroupStateRequest(Message):
    """Request WriteShareGroupStateRequest."""

    __slots__ = ("group_id", "topics", "unknown_tags")

    NAME: ClassVar[str] = "WriteShareGroupStateRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 85
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    StateBatch: TypeAlias = WriteShareGroupStateRequestStateBatch
    PartitionData: TypeAlias = WriteShareGroupStateRequestPartitionData
    WriteStateData: TypeAlias = WriteShareGroupStateRequestWriteStateData

    group_id: str
    """Versions 0+."""
    topics: list[WriteShareGroupStateRequestWriteStateData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        group_id: str = "",
        topics: list[WriteShareGroupStateRequestWriteStateData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, WriteShareGroupStateRequest)
            and self.group_id == other.group_id
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[WriteShareGroupStateRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[WriteShareGroupStateRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_state_batch_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[WriteShareGroupStateRequestStateBatch], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[WriteShareGroupStateRequestStateBatch] = []
    for _ in range(size):
        message = WriteShareGroupStateRequestStateBatch.__new__(WriteShareGroupStateRequestStateBatch)
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


def _read_many_partition_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[WriteShareGroupStateRequestPartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[WriteShareGroupStateRequestPartitionData] = []
    for _ in range(size):
        message = WriteShareGroupStateRequestPartitionData.__new__(WriteShareGroupStateRequestPartitionData)
        (
            message.partition,
            message.state_epoch,
            message.leader_epoch,
            message.start_offset,
            count,
        ) = _unpack_iiiqB(buffer, position)
        position += 21
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
        message.delivery_complete_count = -1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_partition_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[WriteShareGroupStateRequestPartitionData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[WriteShareGroupStateRequestPartitionData] = []
    for _ in range(size):
        message = WriteShareGroupStateRequestPartitionData.__new__(WriteShareGroupStateRequestPartitionData)
        (
            message.partition,
            message.state_epoch,
            message.leader_epoch,
            message.start_offset,
            count,
        ) = _unpack_iiiqB(buffer, position)
        position += 21
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "WriteShareGroupStateRequest.state_batches")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.state_batches, position = yield from read_pieces(
                    _read_many_state_batch_v0,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.state_batches, position = _read_many_state_batch_v0(buffer, position, count - 1)
                budget.take_tags(message.state_batches)
        elif count:
            message.state_batches = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.delivery_complete_count = -1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_many_write_state_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[WriteShareGroupStateRequestWriteStateData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[WriteShareGroupStateRequestWriteStateData] = []
    for _ in range(size):
        message = WriteShareGroupStateRequestWriteStateData.__new__(WriteShareGroupStateRequestWriteStateData)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_partition_data_v0(buffer, position, count - 1)
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


def _step_many_write_state_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[WriteShareGroupStateRequestWriteStateData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[WriteShareGroupStateRequestWriteStateData] = []
    for _ in range(size):
        message = WriteShareGroupStateRequestWriteStateData.__new__(WriteShareGroupStateRequestWriteStateData)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "WriteShareGroupStateRequest.partitions")
        if count > 1:
            message.partitions, position = yield from _step_many_partition_data_v0(buffer, position, count - 1, budget)
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


def _read_v0(buffer: Buffer, position: int) -> tuple[WriteShareGroupStateRequest, int]:
    message = WriteShareGroupStateRequest.__new__(WriteShareGroupStateRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_write_state_data_v0(buffer, position, count - 1)
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


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[WriteShareGroupStateRequest, int]]:
    message = WriteShareGroupStateRequest.__new__(WriteShareGroupStateRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "WriteShareGroupStateRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_write_state_data_v0(buffer, position, count - 1, budget)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_many_partition_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[WriteShareGroupStateRequestPartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[WriteShareGroupStateRequestPartitionData] = []
    for _ in range(size):
        message = WriteShareGroupStateRequestPartitionData.__new__(WriteShareGroupStateRequestPartitionData)
        (
            message.partition,
            message.state_epoch,
            message.leader_epoch,
            message.start_offset,
            message.delivery_complete_count,
            count,
        ) = _unpack_iiiqiB(buffer, position)
        position += 25
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


def _step_many_partition_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[WriteShareGroupStateRequestPartitionData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[WriteShareGroupStateRequestPartitionData] = []
    for _ in range(size):
        message = WriteShareGroupStateRequestPartitionData.__new__(WriteShareGroupStateRequestPartitionData)
        (
            message.partition,
            message.state_epoch,
            message.leader_epoch,
            message.start_offset,
            message.delivery_complete_count,
            count,
        ) = _unpack_iiiqiB(buffer, position)
        position += 25
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "WriteShareGroupStateRequest.state_batches")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.state_batches, position = yield from read_pieces(
                    _read_many_state_batch_v0,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.state_batches, position = _read_many_state_batch_v0(buffer, position, count - 1)
                budget.take_tags(message.state_batches)
        elif count:
            message.state_batches = []
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


def _read_many_write_state_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[WriteShareGroupStateRequestWriteStateData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[WriteShareGroupStateRequestWriteStateData] = []
    for _ in range(size):
        message = WriteShareGroupStateRequestWriteStateData.__new__(WriteShareGroupStateRequestWriteStateData)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_partition_data_v1(buffer, position, count - 1)
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


def _step_many_write_state_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[WriteShareGroupStateRequestWriteStateData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[WriteShareGroupStateRequestWriteStateData] = []
    for _ in range(size):
        message = WriteShareGroupStateRequestWriteStateData.__new__(WriteShareGroupStateRequestWriteStateData)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "WriteShareGroupStateRequest.partitions")
        if count > 1:
            message.partitions, position = yield from _step_many_partition_data_v1(buffer, position, count - 1, budget)
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


def _read_v1(buffer: Buffer, position: int) -> tuple[WriteShareGroupStateRequest, int]:
    message = WriteShareGroupStateRequest.__new__(WriteShareGroupStateRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_write_state_data_v1(buffer, position, count - 1)
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


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[WriteShareGroupStateRequest, int]]:
    message = WriteShareGroupStateRequest.__new__(WriteShareGroupStateRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "WriteShareGroupStateRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_write_state_data_v1(buffer, position, count - 1, budget)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_state_batch_v0(out: Pieces, message: WriteShareGroupStateRequestStateBatch) -> None:
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


def _write_partition_data_v0(out: Pieces, message: WriteShareGroupStateRequestPartitionData) -> None:
    state_batches = message.state_batches
    count = len(state_batches) + 1
    if count < 128:
        out.append(_pack_iiiqB(
            message.partition,
            message.state_epoch,
            message.leader_epoch,
            message.start_offset,
            count,
        ))
    else:
        out.append(_pack_iiiq(
            message.partition,
            message.state_epoch,
            message.leader_epoch,
            message.start_offset,
        ))
        out.append(pack_length(count))
    for state_batches_item in state_batches:
        _write_state_batch_v0(out, state_batches_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_write_state_data_v0(out: Pieces, message: WriteShareGroupStateRequestWriteStateData) -> None:
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
        _write_partition_data_v0(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: WriteShareGroupStateRequest) -> None:
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        _write_write_state_data_v0(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_partition_data_v1(out: Pieces, message: WriteShareGroupStateRequestPartitionData) -> None:
    state_batches = message.state_batches
    count = len(state_batches) + 1
    if count < 128:
        out.append(_pack_iiiqiB(
            message.partition,
            message.state_epoch,
            message.leader_epoch,
            message.start_offset,
            message.delivery_complete_count,
            count,
        ))
    else:
        out.append(_pack_iiiqi(
            message.partition,
            message.state_epoch,
            message.leader_epoch,
            message.start_offset,
            message.delivery_complete_count,
        ))
        out.append(pack_length(count))
    for state_batches_item in state_batches:
        _write_state_batch_v0(out, state_batches_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_write_state_data_v1(out: Pieces, message: WriteShareGroupStateRequestWriteStateData) -> None:
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
        _write_partition_data_v1(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: WriteShareGroupStateRequest) -> None:
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        _write_write_state_data_v1(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
    _read_v1,
)

_WRITERS = (
    _write_v0,
    _write_v1,
)

_STEP_READERS = (
    _step_v0,
    _step_v1,
)


@cache
def _schema() -> MessageSchema:
    state_batch_struct = StructSchema(
        python_class=WriteShareGroupStateRequestStateBatch,
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
    partition_data_struct = StructSchema(
        python_class=WriteShareGroupStateRequestPartitionData,
        fields=(
            FieldSchema(
                name="Partition",
                attribute="partition",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="StateEpoch",
                attribute="state_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LeaderEpoch",
                attribute="leader_epoch",
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
                name="DeliveryCompleteCount",
                attribute="delivery_complete_count",
                type="int32",
                versions=(1, 32767),
                default=-1,
                ignorable=True,
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
    write_state_data_struct = StructSchema(
        python_class=WriteShareGroupStateRequestWriteStateData,
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
                type="PartitionData",
                struct=partition_data_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    write_share_group_state_request_struct = StructSchema(
        python_class=WriteShareGroupStateRequest,
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
                type="WriteStateData",
                struct=write_state_data_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="WriteShareGroupStateRequest",
        flexible_from=0,
        root=write_share_group_state_request_struct,
    )
