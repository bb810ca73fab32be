"""ConsumerGroupPartitionMetadataValue: versions 0, flexible from 0, record type 4.

Generated from group/ConsumerGroupPartitionMetadataValue.json by codegen; change the schema, not this file.
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
    pack_length,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_uB = struct.Struct(">16sB").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack


class ConsumerGroupPartitionMetadataValuePartitionMetadata(Struct):
    """PartitionMetadata of ConsumerGroupPartitionMetadataValue."""

    __slots__ = ("partition", "racks", "unknown_tags")

    partition: int
    """Versions 0+."""
    racks: list[str]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition: int = 0,
        racks: list[str] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition = partition
        self.racks = [] if racks is EMPTY else racks
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ConsumerGroupPartitionMetadataValuePartitionMetadata)
            and self.partition == other.partition
            and self.racks == other.racks
            and self.unknown_tags == other.unknown_tags
        )



class ConsumerGroupPartitionMetadataValueTopicMetadata(Struct):
    """TopicMetadata of ConsumerGroupPartitionMetadataValue."""

    __slots__ = ("topic_id", "topic_name", "num_partitions", "partition_metadata", "unknown_tags")

    topic_id: bytes
    """Versions 0+."""
    topic_name: str
    """Versions 0+."""
    num_partitions: int
    """Versions 0+."""
    partition_metadata: list[ConsumerGroupPartitionMetadataValuePartitionMetadata]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        topic_name: str = "",
        num_partitions: int = 0,
        partition_metadata: list[ConsumerGroupPartitionMetadataValuePartitionMetadata] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.topic_name = topic_name
        self.num_partitions = num_partitions
        self.partition_metadata = [] if partition_metadata is EMPTY else partition_metadata
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ConsumerGroupPartitionMetadataValueTopicMetadata)
            and self.topic_id == other.topic_id
            and self.topic_name == other.topic_name
            and self.num_partitions == other.num_partitions
            and self.partition_metadata == other.partition_metadata
            and self.unknown_tags == other.unknown_tags
        )



class ConsumerGroupPartitionMetadataValue(Message):
    """Coordinator-value ConsumerGroupPartitionMetadataValue."""

    __slots__ = ("topics", "unknown_tags")

    NAME: ClassVar[str] = "ConsumerGroupPartitionMetadataValue"
    TYPE: ClassVar[str] = "coordinator-value"
    API_KEY: ClassVar[int | None] = 4
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    PartitionMetadata: TypeAlias = ConsumerGroupPartitionMetadataValuePartitionMetadata
    TopicMetadata: TypeAlias = ConsumerGroupPartitionMetadataValueTopicMetadata

    topics: list[ConsumerGroupPartitionMetadataValueTopicMetadata]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topics: list[ConsumerGroupPartitionMetadataValueTopicMetadata] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ConsumerGroupPartitionMetadataValue)
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ConsumerGroupPartitionMetadataValue, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_partition_metadata_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ConsumerGroupPartitionMetadataValuePartitionMetadata], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ConsumerGroupPartitionMetadataValuePartitionMetadata] = []
    for _ in range(size):
        message = ConsumerGroupPartitionMetadataValuePartitionMetadata.__new__(
            ConsumerGroupPartitionMetadataValuePartitionMetadata,
        )
        message.partition, count = _unpack_iB(buffer, position)
        position += 5
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        racks: list[str] = []
        message.racks = racks
        if count - 1 > len(buffer) - position:
            raise Malformed
        for _ in range(1, count):
            length = buffer[position]
            position += 1
            if length > 127:
                length, position = read_string_length(buffer, position, length)
            if not length:
                raise Malformed
            end = position + length - 1
            racks_item = str(buffer[position:end], "utf-8")
            position = end
            racks.append(racks_item)
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_topic_metadata_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ConsumerGroupPartitionMetadataValueTopicMetadata], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ConsumerGroupPartitionMetadataValueTopicMetadata] = []
    for _ in range(size):
        message = ConsumerGroupPartitionMetadataValueTopicMetadata.__new__(
            ConsumerGroupPartitionMetadataValueTopicMetadata,
        )
        message.topic_id, length = _unpack_uB(buffer, position)
        position += 17
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.topic_name = str(buffer[position:end], "utf-8")
        position = end
        message.num_partitions, count = _unpack_iB(buffer, position)
        position += 5
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partition_metadata, position = _read_many_partition_metadata_v0(buffer, position, count - 1)
        elif count:
            message.partition_metadata = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[ConsumerGroupPartitionMetadataValue, int]:
    message = ConsumerGroupPartitionMetadataValue.__new__(ConsumerGroupPartitionMetadataValue)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_metadata_v0(buffer, position, count - 1)
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


def _write_partition_metadata_v0(
    out: Pieces,
    message: ConsumerGroupPartitionMetadataValuePartitionMetadata,
) -> None:
    racks = message.racks
    count = len(racks) + 1
    if count < 128:
        out.append(_pack_iB(message.partition, count))
    else:
        out.append(_pack_i(message.partition))
        out.append(pack_length(count))
    for racks_item in racks:
        data = racks_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topic_metadata_v0(out: Pieces, message: ConsumerGroupPartitionMetadataValueTopicMetadata) -> None:
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    topic_name = message.topic_name
    data = topic_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_uB(topic_id, length))
    else:
        out.append(topic_id)
        out.append(pack_string_length(length))
    out.append(data)
    partition_metadata = message.partition_metadata
    count = len(partition_metadata) + 1
    if count < 128:
        out.append(_pack_iB(message.num_partitions, count))
    else:
        out.append(_pack_i(message.num_partitions))
        out.append(pack_length(count))
    for partition_metadata_item in partition_metadata:
        _write_partition_metadata_v0(out, partition_metadata_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: ConsumerGroupPartitionMetadataValue) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_metadata_v0(out, topics_item)
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


@cache
def _schema() -> MessageSchema:
    partition_metadata_struct = StructSchema(
        python_class=ConsumerGroupPartitionMetadataValuePartitionMetadata,
        fields=(
            FieldSchema(
                name="Partition",
                attribute="partition",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Racks",
                attribute="racks",
                type="string",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    topic_metadata_struct = StructSchema(
        python_class=ConsumerGroupPartitionMetadataValueTopicMetadata,
        fields=(
            FieldSchema(
                name="TopicId",
                attribute="topic_id",
                type="uuid",
                versions=(0, 32767),
                default=ZERO_UUID,
            ),
            FieldSchema(
                name="TopicName",
                attribute="topic_name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="NumPartitions",
                attribute="num_partitions",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="PartitionMetadata",
                attribute="partition_metadata",
                type="PartitionMetadata",
                struct=partition_metadata_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    consumer_group_partition_metadata_value_struct = StructSchema(
        python_class=ConsumerGroupPartitionMetadataValue,
        fields=(
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="TopicMetadata",
                struct=topic_metadata_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="ConsumerGroupPartitionMetadataValue",
        flexible_from=0,
        root=consumer_group_partition_metadata_value_struct,
    )
