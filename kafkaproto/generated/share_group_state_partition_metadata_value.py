"""ShareGroupStatePartitionMetadataValue: versions 0, flexible from 0, record type 15.

Generated from group/ShareGroupStatePartitionMetadataValue.json by codegen; change the schema, not this file.
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
    PACK_INT32,
    TABLE_SIZE,
    UNPACK_INT32,
    Buffer,
    Malformed,
    Pieces,
    pack_length,
    pack_many,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    unpack_many,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_uB = struct.Struct(">16sB").unpack_from
_pack_uB = struct.Struct(">16sB").pack


class ShareGroupStatePartitionMetadataValueTopicPartitionsInfo(Struct):
    """TopicPartitionsInfo of ShareGroupStatePartitionMetadataValue."""

    __slots__ = ("topic_id", "topic_name", "partitions", "unknown_tags")

    topic_id: bytes
    """Versions 0+."""
    topic_name: str
    """Versions 0+."""
    partitions: list[int]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        topic_name: str = "",
        partitions: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.topic_name = topic_name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareGroupStatePartitionMetadataValueTopicPartitionsInfo)
            and self.topic_id == other.topic_id
            and self.topic_name == other.topic_name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class ShareGroupStatePartitionMetadataValueTopicInfo(Struct):
    """TopicInfo of ShareGroupStatePartitionMetadataValue."""

    __slots__ = ("topic_id", "topic_name", "unknown_tags")

    topic_id: bytes
    """Versions 0+."""
    topic_name: str
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        topic_name: str = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.topic_name = topic_name
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareGroupStatePartitionMetadataValueTopicInfo)
            and self.topic_id == other.topic_id
            and self.topic_name == other.topic_name
            and self.unknown_tags == other.unknown_tags
        )



class ShareGroupStatePartitionMetadataValue(Message):
    """Coordinator-value ShareGroupStatePartitionMetadataValue."""

    __slots__ = ("initializing_topics", "initialized_topics", "deleting_topics", "unknown_tags")

    NAME: ClassVar[str] = "ShareGroupStatePartitionMetadataValue"
    TYPE: ClassVar[str] = "coordinator-value"
    API_KEY: ClassVar[int | None] = 15
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    TopicPartitionsInfo: TypeAlias = ShareGroupStatePartitionMetadataValueTopicPartitionsInfo
    TopicInfo: TypeAlias = ShareGroupStatePartitionMetadataValueTopicInfo

    initializing_topics: list[ShareGroupStatePartitionMetadataValueTopicPartitionsInfo]
    """Versions 0+."""
    initialized_topics: list[ShareGroupStatePartitionMetadataValueTopicPartitionsInfo]
    """Versions 0+."""
    deleting_topics: list[ShareGroupStatePartitionMetadataValueTopicInfo]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        initializing_topics: list[ShareGroupStatePartitionMetadataValueTopicPartitionsInfo] = EMPTY,
        initialized_topics: list[ShareGroupStatePartitionMetadataValueTopicPartitionsInfo] = EMPTY,
        deleting_topics: list[ShareGroupStatePartitionMetadataValueTopicInfo] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.initializing_topics = [] if initializing_topics is EMPTY else initializing_topics
        self.initialized_topics = [] if initialized_topics is EMPTY else initialized_topics
        self.deleting_topics = [] if deleting_topics is EMPTY else deleting_topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareGroupStatePartitionMetadataValue)
            and self.initializing_topics == other.initializing_topics
            and self.initialized_topics == other.initialized_topics
            and self.deleting_topics == other.deleting_topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(
        buffer: Buffer,
        position: int,
        version: int,
    ) -> tuple[ShareGroupStatePartitionMetadataValue, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_topic_partitions_info_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ShareGroupStatePartitionMetadataValueTopicPartitionsInfo], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ShareGroupStatePartitionMetadataValueTopicPartitionsInfo] = []
    for _ in range(size):
        message = ShareGroupStatePartitionMetadataValueTopicPartitionsInfo.__new__(
            ShareGroupStatePartitionMetadataValueTopicPartitionsInfo,
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
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.partitions = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.partitions = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_topic_info_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ShareGroupStatePartitionMetadataValueTopicInfo], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ShareGroupStatePartitionMetadataValueTopicInfo] = []
    for _ in range(size):
        message = ShareGroupStatePartitionMetadataValueTopicInfo.__new__(
            ShareGroupStatePartitionMetadataValueTopicInfo,
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
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[ShareGroupStatePartitionMetadataValue, int]:
    message = ShareGroupStatePartitionMetadataValue.__new__(ShareGroupStatePartitionMetadataValue)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.initializing_topics, position = _read_many_topic_partitions_info_v0(buffer, position, count - 1)
    elif count:
        message.initializing_topics = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.initialized_topics, position = _read_many_topic_partitions_info_v0(buffer, position, count - 1)
    elif count:
        message.initialized_topics = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.deleting_topics, position = _read_many_topic_info_v0(buffer, position, count - 1)
    elif count:
        message.deleting_topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_topic_partitions_info_v0(
    out: Pieces,
    message: ShareGroupStatePartitionMetadataValueTopicPartitionsInfo,
) -> None:
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
    partitions = message.partitions
    count = len(partitions) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(partitions) < TABLE_SIZE:
        out.append(PACK_INT32[len(partitions)](*partitions))
    else:
        out.append(pack_many("i", partitions))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topic_info_v0(out: Pieces, message: ShareGroupStatePartitionMetadataValueTopicInfo) -> None:
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
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: ShareGroupStatePartitionMetadataValue) -> None:
    initializing_topics = message.initializing_topics
    count = len(initializing_topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for initializing_topics_item in initializing_topics:
        _write_topic_partitions_info_v0(out, initializing_topics_item)
    initialized_topics = message.initialized_topics
    count = len(initialized_topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for initialized_topics_item in initialized_topics:
        _write_topic_partitions_info_v0(out, initialized_topics_item)
    deleting_topics = message.deleting_topics
    count = len(deleting_topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for deleting_topics_item in deleting_topics:
        _write_topic_info_v0(out, deleting_topics_item)
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
    topic_partitions_info_struct = StructSchema(
        python_class=ShareGroupStatePartitionMetadataValueTopicPartitionsInfo,
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
                name="Partitions",
                attribute="partitions",
                type="int32",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    topic_info_struct = StructSchema(
        python_class=ShareGroupStatePartitionMetadataValueTopicInfo,
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
        ),
    )
    share_group_state_partition_metadata_value_struct = StructSchema(
        python_class=ShareGroupStatePartitionMetadataValue,
        fields=(
            FieldSchema(
                name="InitializingTopics",
                attribute="initializing_topics",
                type="TopicPartitionsInfo",
                struct=topic_partitions_info_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="InitializedTopics",
                attribute="initialized_topics",
                type="TopicPartitionsInfo",
                struct=topic_partitions_info_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="DeletingTopics",
                attribute="deleting_topics",
                type="TopicInfo",
                struct=topic_info_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="ShareGroupStatePartitionMetadataValue",
        flexible_from=0,
        root=share_group_state_partition_metadata_value_struct,
    )
