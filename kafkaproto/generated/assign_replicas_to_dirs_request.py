"""AssignReplicasToDirsRequest: versions 0, flexible from 0, api key 73.

Generated from api/AssignReplicasToDirsRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    ELEMENTS_A_STEP,
    EMPTY,
    Budget,
    Buffer,
    Malformed,
    Pieces,
    Steps,
    pack_length,
    read_long_length,
    read_pieces,
    read_unknown_tags,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_uB = struct.Struct(">16sB").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_iqB = struct.Struct(">iqB").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_iq = struct.Struct(">iq").pack
_pack_iqB = struct.Struct(">iqB").pack


class AssignReplicasToDirsRequestPartitionData(Struct):
    """PartitionData of AssignReplicasToDirsRequest."""

    __slots__ = ("partition_index", "unknown_tags")

    partition_index: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(self, partition_index: int = 0, unknown_tags: dict[int, bytes] | None = None) -> None:
        self.partition_index = partition_index
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AssignReplicasToDirsRequestPartitionData)
            and self.partition_index == other.partition_index
            and self.unknown_tags == other.unknown_tags
        )



class AssignReplicasToDirsRequestTopicData(Struct):
    """TopicData of AssignReplicasToDirsRequest."""

    __slots__ = ("topic_id", "partitions", "unknown_tags")

    topic_id: bytes
    """Versions 0+."""
    partitions: list[AssignReplicasToDirsRequestPartitionData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[AssignReplicasToDirsRequestPartitionData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AssignReplicasToDirsRequestTopicData)
            and self.topic_id == other.topic_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class AssignReplicasToDirsRequestDirectoryData(Struct):
    """DirectoryData of AssignReplicasToDirsRequest."""

    __slots__ = ("id", "topics", "unknown_tags")

    id: bytes
    """Versions 0+."""
    topics: list[AssignReplicasToDirsRequestTopicData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        id: bytes = ZERO_UUID,
        topics: list[AssignReplicasToDirsRequestTopicData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.id = id
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AssignReplicasToDirsRequestDirectoryData)
            and self.id == other.id
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )



class AssignReplicasToDirsRequest(Message):
    """Request AssignReplicasToDirsRequest."""

    __slots__ = ("broker_id", "broker_epoch", "directories", "unknown_tags")

    NAME: ClassVar[str] = "AssignReplicasToDirsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 73
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("controller",)
    PartitionData: TypeAlias = AssignReplicasToDirsRequestPartitionData
    TopicData: TypeAlias = AssignReplicasToDirsRequestTopicData
    DirectoryData: TypeAlias = AssignReplicasToDirsRequestDirectoryData

    broker_id: int
    """Versions 0+."""
    broker_epoch: int
    """Versions 0+."""
    directories: list[AssignReplicasToDirsRequestDirectoryData]
    """Log directories of the sender, each with the replicas now in it. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
        directories: list[AssignReplicasToDirsRequestDirectoryData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.directories = [] if directories is EMPTY else directories
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AssignReplicasToDirsRequest)
            and self.broker_id == other.broker_id
            and self.broker_epoch == other.broker_epoch
            and self.directories == other.directories
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[AssignReplicasToDirsRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[AssignReplicasToDirsRequest, int]] | None:
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
) -> tuple[list[AssignReplicasToDirsRequestPartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AssignReplicasToDirsRequestPartitionData] = []
    for _ in range(size):
        message = AssignReplicasToDirsRequestPartitionData.__new__(AssignReplicasToDirsRequestPartitionData)
        message.partition_index, tags = _unpack_iB(buffer, position)
        position += 5
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_topic_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AssignReplicasToDirsRequestTopicData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AssignReplicasToDirsRequestTopicData] = []
    for _ in range(size):
        message = AssignReplicasToDirsRequestTopicData.__new__(AssignReplicasToDirsRequestTopicData)
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


def _step_many_topic_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[AssignReplicasToDirsRequestTopicData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AssignReplicasToDirsRequestTopicData] = []
    for _ in range(size):
        message = AssignReplicasToDirsRequestTopicData.__new__(AssignReplicasToDirsRequestTopicData)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "AssignReplicasToDirsRequest.partitions")
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


def _read_many_directory_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AssignReplicasToDirsRequestDirectoryData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AssignReplicasToDirsRequestDirectoryData] = []
    for _ in range(size):
        message = AssignReplicasToDirsRequestDirectoryData.__new__(AssignReplicasToDirsRequestDirectoryData)
        message.id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.topics, position = _read_many_topic_data_v0(buffer, position, count - 1)
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


def _step_many_directory_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[AssignReplicasToDirsRequestDirectoryData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AssignReplicasToDirsRequestDirectoryData] = []
    for _ in range(size):
        message = AssignReplicasToDirsRequestDirectoryData.__new__(AssignReplicasToDirsRequestDirectoryData)
        message.id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "AssignReplicasToDirsRequest.topics")
        if count > 1:
            message.topics, position = yield from _step_many_topic_data_v0(buffer, position, count - 1, budget)
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
        found.append(message)
        yield
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[AssignReplicasToDirsRequest, int]:
    message = AssignReplicasToDirsRequest.__new__(AssignReplicasToDirsRequest)
    message.broker_id, message.broker_epoch, count = _unpack_iqB(buffer, position)
    position += 13
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.directories, position = _read_many_directory_data_v0(buffer, position, count - 1)
    elif count:
        message.directories = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[AssignReplicasToDirsRequest, int]]:
    message = AssignReplicasToDirsRequest.__new__(AssignReplicasToDirsRequest)
    message.broker_id, message.broker_epoch, count = _unpack_iqB(buffer, position)
    position += 13
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "AssignReplicasToDirsRequest.directories")
    if count > 1:
        message.directories, position = yield from _step_many_directory_data_v0(buffer, position, count - 1, budget)
    elif count:
        message.directories = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_partition_data_v0(out: Pieces, message: AssignReplicasToDirsRequestPartitionData) -> None:
    if message.unknown_tags:
        out.append(_pack_i(message.partition_index))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.partition_index, 0))


def _write_topic_data_v0(out: Pieces, message: AssignReplicasToDirsRequestTopicData) -> None:
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


def _write_directory_data_v0(out: Pieces, message: AssignReplicasToDirsRequestDirectoryData) -> None:
    id = message.id
    if len(id) != 16:
        raise Malformed
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_uB(id, count))
    else:
        out.append(id)
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_data_v0(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: AssignReplicasToDirsRequest) -> None:
    directories = message.directories
    count = len(directories) + 1
    if count < 128:
        out.append(_pack_iqB(message.broker_id, message.broker_epoch, count))
    else:
        out.append(_pack_iq(message.broker_id, message.broker_epoch))
        out.append(pack_length(count))
    for directories_item in directories:
        _write_directory_data_v0(out, directories_item)
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
        python_class=AssignReplicasToDirsRequestPartitionData,
        fields=(
            FieldSchema(
                name="PartitionIndex",
                attribute="partition_index",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    topic_data_struct = StructSchema(
        python_class=AssignReplicasToDirsRequestTopicData,
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
    directory_data_struct = StructSchema(
        python_class=AssignReplicasToDirsRequestDirectoryData,
        fields=(
            FieldSchema(
                name="Id",
                attribute="id",
                type="uuid",
                versions=(0, 32767),
                default=ZERO_UUID,
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="TopicData",
                struct=topic_data_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    assign_replicas_to_dirs_request_struct = StructSchema(
        python_class=AssignReplicasToDirsRequest,
        fields=(
            FieldSchema(
                name="BrokerId",
                attribute="broker_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="BrokerEpoch",
                attribute="broker_epoch",
                type="int64",
                versions=(0, 32767),
                default=-1,
            ),
            FieldSchema(
                name="Directories",
                attribute="directories",
                type="DirectoryData",
                struct=directory_data_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="AssignReplicasToDirsRequest",
        flexible_from=0,
        root=assign_replicas_to_dirs_request_struct,
    )
