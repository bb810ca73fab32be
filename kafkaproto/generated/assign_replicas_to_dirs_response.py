"""AssignReplicasToDirsResponse: versions 0, flexible from 0, api key 73.

Generated from api/AssignReplicasToDirsResponse.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    EMPTY,
    Buffer,
    Malformed,
    Pieces,
    Steps,
    pack_length,
    read_long_length,
    read_unknown_tags,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_uB = struct.Struct(">16sB").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack


class AssignReplicasToDirsResponsePartitionData(Struct):
    """PartitionData of AssignReplicasToDirsResponse."""

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
            isinstance(other, AssignReplicasToDirsResponsePartitionData)
            and self.partition_index == other.partition_index
            and self.error_code == other.error_code
            and self.unknown_tags == other.unknown_tags
        )



class AssignReplicasToDirsResponseTopicData(Struct):
    """TopicData of AssignReplicasToDirsResponse."""

    __slots__ = ("topic_id", "partitions", "unknown_tags")

    topic_id: bytes
    """Versions 0+."""
    partitions: list[AssignReplicasToDirsResponsePartitionData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[AssignReplicasToDirsResponsePartitionData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AssignReplicasToDirsResponseTopicData)
            and self.topic_id == other.topic_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class AssignReplicasToDirsResponseDirectoryData(Struct):
    """DirectoryData of AssignReplicasToDirsResponse."""

    __slots__ = ("id", "topics", "unknown_tags")

    id: bytes
    """Versions 0+."""
    topics: list[AssignReplicasToDirsResponseTopicData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        id: bytes = ZERO_UUID,
        topics: list[AssignReplicasToDirsResponseTopicData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.id = id
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AssignReplicasToDirsResponseDirectoryData)
            and self.id == other.id
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )



class AssignReplicasToDirsResponse(Message):
    """Response AssignReplicasToDirsResponse."""

    __slots__ = ("throttle_time_ms", "error_code", "directories", "unknown_tags")

    NAME: ClassVar[str] = "AssignReplicasToDirsResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 73
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    PartitionData: TypeAlias = AssignReplicasToDirsResponsePartitionData
    TopicData: TypeAlias = AssignReplicasToDirsResponseTopicData
    DirectoryData: TypeAlias = AssignReplicasToDirsResponseDirectoryData

    throttle_time_ms: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    directories: list[AssignReplicasToDirsResponseDirectoryData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        directories: list[AssignReplicasToDirsResponseDirectoryData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.directories = [] if directories is EMPTY else directories
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AssignReplicasToDirsResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.directories == other.directories
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[AssignReplicasToDirsResponse, int]:
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


def _read_many_partition_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AssignReplicasToDirsResponsePartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AssignReplicasToDirsResponsePartitionData] = []
    for _ in range(size):
        message = AssignReplicasToDirsResponsePartitionData.__new__(AssignReplicasToDirsResponsePartitionData)
        message.partition_index, message.error_code, tags = _unpack_ihB(buffer, position)
        position += 7
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_topic_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AssignReplicasToDirsResponseTopicData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AssignReplicasToDirsResponseTopicData] = []
    for _ in range(size):
        message = AssignReplicasToDirsResponseTopicData.__new__(AssignReplicasToDirsResponseTopicData)
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


def _read_many_directory_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AssignReplicasToDirsResponseDirectoryData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AssignReplicasToDirsResponseDirectoryData] = []
    for _ in range(size):
        message = AssignReplicasToDirsResponseDirectoryData.__new__(AssignReplicasToDirsResponseDirectoryData)
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


def _read_v0(buffer: Buffer, position: int) -> tuple[AssignReplicasToDirsResponse, int]:
    message = AssignReplicasToDirsResponse.__new__(AssignReplicasToDirsResponse)
    message.throttle_time_ms, message.error_code, count = _unpack_ihB(buffer, position)
    position += 7
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


def _write_partition_data_v0(out: Pieces, message: AssignReplicasToDirsResponsePartitionData) -> None:
    if message.unknown_tags:
        out.append(_pack_ih(message.partition_index, message.error_code))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_ihB(message.partition_index, message.error_code, 0))


def _write_topic_data_v0(out: Pieces, message: AssignReplicasToDirsResponseTopicData) -> None:
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


def _step_write_topic_data_v0(out: Pieces, message: AssignReplicasToDirsResponseTopicData) -> Steps[None]:
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
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_directory_data_v0(out: Pieces, message: AssignReplicasToDirsResponseDirectoryData) -> None:
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


def _step_write_directory_data_v0(
    out: Pieces,
    message: AssignReplicasToDirsResponseDirectoryData,
) -> Steps[None]:
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
        yield from _step_write_topic_data_v0(out, topics_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: AssignReplicasToDirsResponse) -> None:
    directories = message.directories
    count = len(directories) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for directories_item in directories:
        _write_directory_data_v0(out, directories_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v0(out: Pieces, message: AssignReplicasToDirsResponse) -> Steps[None]:
    directories = message.directories
    count = len(directories) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for directories_item in directories:
        yield from _step_write_directory_data_v0(out, directories_item)
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
    partition_data_struct = StructSchema(
        python_class=AssignReplicasToDirsResponsePartitionData,
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
    topic_data_struct = StructSchema(
        python_class=AssignReplicasToDirsResponseTopicData,
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
        python_class=AssignReplicasToDirsResponseDirectoryData,
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
    assign_replicas_to_dirs_response_struct = StructSchema(
        python_class=AssignReplicasToDirsResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
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
        name="AssignReplicasToDirsResponse",
        flexible_from=0,
        root=assign_replicas_to_dirs_response_struct,
    )
