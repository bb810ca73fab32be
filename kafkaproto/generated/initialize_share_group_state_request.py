"""InitializeShareGroupStateRequest: versions 0, flexible from 0, api key 83.

Generated from api/InitializeShareGroupStateRequest.json by codegen; change the schema, not this file.
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
_unpack_iiqB = struct.Struct(">iiqB").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_iiq = struct.Struct(">iiq").pack
_pack_iiqB = struct.Struct(">iiqB").pack


class InitializeShareGroupStateRequestPartitionData(Struct):
    """PartitionData of InitializeShareGroupStateRequest."""

    __slots__ = ("partition", "state_epoch", "start_offset", "unknown_tags")

    partition: int
    """Versions 0+."""
    state_epoch: int
    """Versions 0+."""
    start_offset: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition: int = 0,
        state_epoch: int = 0,
        start_offset: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition = partition
        self.state_epoch = state_epoch
        self.start_offset = start_offset
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, InitializeShareGroupStateRequestPartitionData)
            and self.partition == other.partition
            and self.state_epoch == other.state_epoch
            and self.start_offset == other.start_offset
            and self.unknown_tags == other.unknown_tags
        )



class InitializeShareGroupStateRequestInitializeStateData(Struct):
    """InitializeStateData of InitializeShareGroupStateRequest."""

    __slots__ = ("topic_id", "partitions", "unknown_tags")

    topic_id: bytes
    """Versions 0+."""
    partitions: list[InitializeShareGroupStateRequestPartitionData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[InitializeShareGroupStateRequestPartitionData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, InitializeShareGroupStateRequestInitializeStateData)
            and self.topic_id == other.topic_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class InitializeShareGroupStateRequest(Message):
    """Request InitializeShareGroupStateRequest."""

    __slots__ = ("group_id", "topics", "unknown_tags")

    NAME: ClassVar[str] = "InitializeShareGroupStateRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 83
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    PartitionData: TypeAlias = InitializeShareGroupStateRequestPartitionData
    InitializeStateData: TypeAlias = InitializeShareGroupStateRequestInitializeStateData

    group_id: str
    """Versions 0+."""
    topics: list[InitializeShareGroupStateRequestInitializeStateData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        group_id: str = "",
        topics: list[InitializeShareGroupStateRequestInitializeStateData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, InitializeShareGroupStateRequest)
            and self.group_id == other.group_id
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[InitializeShareGroupStateRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[InitializeShareGroupStateRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_partition_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[InitializeShareGroupStateRequestPartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[InitializeShareGroupStateRequestPartitionData] = []
    for _ in range(size):
        message = InitializeShareGroupStateRequestPartitionData.__new__(
            InitializeShareGroupStateRequestPartitionData,
        )
        message.partition, message.state_epoch, message.start_offset, tags = _unpack_iiqB(buffer, position)
        position += 17
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_initialize_state_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[InitializeShareGroupStateRequestInitializeStateData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[InitializeShareGroupStateRequestInitializeStateData] = []
    for _ in range(size):
        message = InitializeShareGroupStateRequestInitializeStateData.__new__(
            InitializeShareGroupStateRequestInitializeStateData,
        )
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


def _step_many_initialize_state_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[InitializeShareGroupStateRequestInitializeStateData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[InitializeShareGroupStateRequestInitializeStateData] = []
    for _ in range(size):
        message = InitializeShareGroupStateRequestInitializeStateData.__new__(
            InitializeShareGroupStateRequestInitializeStateData,
        )
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "InitializeShareGroupStateRequest.partitions")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_partition_data_v0,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.partitions, position = _read_many_partition_data_v0(buffer, position, count - 1)
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


def _read_v0(buffer: Buffer, position: int) -> tuple[InitializeShareGroupStateRequest, int]:
    message = InitializeShareGroupStateRequest.__new__(InitializeShareGroupStateRequest)
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
        message.topics, position = _read_many_initialize_state_data_v0(buffer, position, count - 1)
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


def _step_v0(
    buffer: Buffer,
    position: int,
    budget: Budget,
) -> Steps[tuple[InitializeShareGroupStateRequest, int]]:
    message = InitializeShareGroupStateRequest.__new__(InitializeShareGroupStateRequest)
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
    budget.take(count - 1, "InitializeShareGroupStateRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_initialize_state_data_v0(buffer, position, count - 1, budget)
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


def _write_partition_data_v0(out: Pieces, message: InitializeShareGroupStateRequestPartitionData) -> None:
    if message.unknown_tags:
        out.append(_pack_iiq(message.partition, message.state_epoch, message.start_offset))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iiqB(message.partition, message.state_epoch, message.start_offset, 0))


def _write_initialize_state_data_v0(
    out: Pieces,
    message: InitializeShareGroupStateRequestInitializeStateData,
) -> None:
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


def _write_v0(out: Pieces, message: InitializeShareGroupStateRequest) -> None:
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
        _write_initialize_state_data_v0(out, topics_item)
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

_STEP_READERS = (
    _step_v0,
)


@cache
def _schema() -> MessageSchema:
    partition_data_struct = StructSchema(
        python_class=InitializeShareGroupStateRequestPartitionData,
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
                name="StartOffset",
                attribute="start_offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    initialize_state_data_struct = StructSchema(
        python_class=InitializeShareGroupStateRequestInitializeStateData,
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
    initialize_share_group_state_request_struct = StructSchema(
        python_class=InitializeShareGroupStateRequest,
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
                type="InitializeStateData",
                struct=initialize_state_data_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="InitializeShareGroupStateRequest",
        flexible_from=0,
        root=initialize_share_group_state_request_struct,
    )
