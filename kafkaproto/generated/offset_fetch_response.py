"""OffsetFetchResponse: versions 1-10, flexible from 6, api key 9.

Generated from api/OffsetFetchResponse.json by codegen; change the schema, not this file.
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
_unpack_h = struct.Struct(">h").unpack_from
_unpack_hB = struct.Struct(">hB").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ii = struct.Struct(">ii").unpack_from
_unpack_iqh = struct.Struct(">iqh").unpack_from
_unpack_iqiB = struct.Struct(">iqiB").unpack_from
_unpack_iqih = struct.Struct(">iqih").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ii = struct.Struct(">ii").pack
_pack_iqh = struct.Struct(">iqh").pack
_pack_iqi = struct.Struct(">iqi").pack
_pack_iqiB = struct.Struct(">iqiB").pack
_pack_iqih = struct.Struct(">iqih").pack


class OffsetFetchResponsePartition(Struct):
    """OffsetFetchResponsePartition of OffsetFetchResponse."""

    __slots__ = (
        "partition_index",
        "committed_offset",
        "committed_leader_epoch",
        "metadata",
        "error_code",
        "unknown_tags",
    )

    partition_index: int
    """Versions 0-7."""
    committed_offset: int
    """Versions 0-7."""
    committed_leader_epoch: int
    """Versions 5-7, dropped where a version lacks it."""
    metadata: str | None
    """Versions 0-7, null in 0-7."""
    error_code: int
    """Versions 0-7."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        committed_offset: int = 0,
        committed_leader_epoch: int = -1,
        metadata: str | None = "",
        error_code: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.metadata = metadata
        self.error_code = error_code
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetFetchResponsePartition)
            and self.partition_index == other.partition_index
            and self.committed_offset == other.committed_offset
            and self.committed_leader_epoch == other.committed_leader_epoch
            and self.metadata == other.metadata
            and self.error_code == other.error_code
            and self.unknown_tags == other.unknown_tags
        )



class OffsetFetchResponseTopic(Struct):
    """OffsetFetchResponseTopic of OffsetFetchResponse."""

    __slots__ = ("name", "partitions", "unknown_tags")

    name: str
    """Versions 0-7."""
    partitions: list[OffsetFetchResponsePartition]
    """Versions 0-7."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        partitions: list[OffsetFetchResponsePartition] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetFetchResponseTopic)
            and self.name == other.name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class OffsetFetchResponsePartitions(Struct):
    """OffsetFetchResponsePartitions of OffsetFetchResponse."""

    __slots__ = (
        "partition_index",
        "committed_offset",
        "committed_leader_epoch",
        "metadata",
        "error_code",
        "unknown_tags",
    )

    partition_index: int
    """Versions 8+."""
    committed_offset: int
    """Versions 8+."""
    committed_leader_epoch: int
    """Versions 8+, dropped where a version lacks it."""
    metadata: str | None
    """Versions 8+, null in 8+."""
    error_code: int
    """Versions 8+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        committed_offset: int = 0,
        committed_leader_epoch: int = -1,
        metadata: str | None = "",
        error_code: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.metadata = metadata
        self.error_code = error_code
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetFetchResponsePartitions)
            and self.partition_index == other.partition_index
            and self.committed_offset == other.committed_offset
            and self.committed_leader_epoch == other.committed_leader_epoch
            and self.metadata == other.metadata
            and self.error_code == other.error_code
            and self.unknown_tags == other.unknown_tags
        )



class OffsetFetchResponseTopics(Struct):
    """OffsetFetchResponseTopics of OffsetFetchResponse."""

    __slots__ = ("name", "topic_id", "partitions", "unknown_tags")

    name: str
    """Versions 8-9, dropped where a version lacks it."""
    topic_id: bytes
    """Versions 10+, dropped where a version lacks it."""
    partitions: list[OffsetFetchResponsePartitions]
    """Versions 8+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: list[OffsetFetchResponsePartitions] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetFetchResponseTopics)
            and self.name == other.name
            and self.topic_id == other.topic_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class OffsetFetchResponseGroup(Struct):
    """OffsetFetchResponseGroup of OffsetFetchResponse."""

    __slots__ = ("group_id", "topics", "error_code", "unknown_tags")

    group_id: str
    """Versions 8+."""
    topics: list[OffsetFetchResponseTopics]
    """Versions 8+."""
    error_code: int
    """Versions 8+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        group_id: str = "",
        topics: list[OffsetFetchResponseTopics] = EMPTY,
        error_code: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is EMPTY else topics
        self.error_code = error_code
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetFetchResponseGroup)
            and self.group_id == other.group_id
            and self.topics == other.topics
            and self.error_code == other.error_code
            and self.unknown_tags == other.unknown_tags
        )



class OffsetFetchResponse(Message):
    """Response OffsetFetchResponse."""

    __slots__ = ("throttle_time_ms", "topics", "error_code", "groups", "unknown_tags")

    NAME: ClassVar[str] = "OffsetFetchResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 9
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 10
    FLEXIBLE_FROM: ClassVar[int | None] = 6
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    Partition: TypeAlias = OffsetFetchResponsePartition
    Topic: TypeAlias = OffsetFetchResponseTopic
    Partitions: TypeAlias = OffsetFetchResponsePartitions
    Topics: TypeAlias = OffsetFetchResponseTopics
    Group: TypeAlias = OffsetFetchResponseGroup

    throttle_time_ms: int
    """Versions 3+, dropped where a version lacks it."""
    topics: list[OffsetFetchResponseTopic]
    """Versions 0-7."""
    error_code: int
    """Versions 2-7, dropped where a version lacks it."""
    groups: list[OffsetFetchResponseGroup]
    """Versions 8+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[OffsetFetchResponseTopic] = EMPTY,
        error_code: int = 0,
        groups: list[OffsetFetchResponseGroup] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is EMPTY else topics
        self.error_code = error_code
        self.groups = [] if groups is EMPTY else groups
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetFetchResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.topics == other.topics
            and self.error_code == other.error_code
            and self.groups == other.groups
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[OffsetFetchResponse, int]:
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


def _read_many_partition_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetFetchResponsePartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchResponsePartition] = []
    for _ in range(size):
        message = OffsetFetchResponsePartition.__new__(OffsetFetchResponsePartition)
        message.partition_index, message.committed_offset, length = _unpack_iqh(buffer, position)
        position += 14
        if length < 0:
            message.metadata = None
        else:
            end = position + length
            message.metadata = str(buffer[position:end], "utf-8")
            position = end
        (message.error_code,) = _unpack_h(buffer, position)
        position += 2
        message.committed_leader_epoch = -1
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_topic_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetFetchResponseTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchResponseTopic] = []
    for _ in range(size):
        message = OffsetFetchResponseTopic.__new__(OffsetFetchResponseTopic)
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
            message.partitions, position = _read_many_partition_v1(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[OffsetFetchResponse, int]:
    message = OffsetFetchResponse.__new__(OffsetFetchResponse)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.topics, position = _read_many_topic_v1(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.throttle_time_ms = 0
    message.error_code = 0
    message.groups = []
    message.unknown_tags = None
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[OffsetFetchResponse, int]:
    message = OffsetFetchResponse.__new__(OffsetFetchResponse)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.topics, position = _read_many_topic_v1(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    (message.error_code,) = _unpack_h(buffer, position)
    position += 2
    message.throttle_time_ms = 0
    message.groups = []
    message.unknown_tags = None
    return message, position


def _read_v3(buffer: Buffer, position: int) -> tuple[OffsetFetchResponse, int]:
    message = OffsetFetchResponse.__new__(OffsetFetchResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.topics, position = _read_many_topic_v1(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    (message.error_code,) = _unpack_h(buffer, position)
    position += 2
    message.groups = []
    message.unknown_tags = None
    return message, position


def _read_many_partition_v5(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetFetchResponsePartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchResponsePartition] = []
    for _ in range(size):
        message = OffsetFetchResponsePartition.__new__(OffsetFetchResponsePartition)
        (
            message.partition_index,
            message.committed_offset,
            message.committed_leader_epoch,
            length,
        ) = _unpack_iqih(buffer, position)
        position += 18
        if length < 0:
            message.metadata = None
        else:
            end = position + length
            message.metadata = str(buffer[position:end], "utf-8")
            position = end
        (message.error_code,) = _unpack_h(buffer, position)
        position += 2
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_topic_v5(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetFetchResponseTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchResponseTopic] = []
    for _ in range(size):
        message = OffsetFetchResponseTopic.__new__(OffsetFetchResponseTopic)
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
            message.partitions, position = _read_many_partition_v5(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v5(buffer: Buffer, position: int) -> tuple[OffsetFetchResponse, int]:
    message = OffsetFetchResponse.__new__(OffsetFetchResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.topics, position = _read_many_topic_v5(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    (message.error_code,) = _unpack_h(buffer, position)
    position += 2
    message.groups = []
    message.unknown_tags = None
    return message, position


def _read_many_partition_v6(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetFetchResponsePartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchResponsePartition] = []
    for _ in range(size):
        message = OffsetFetchResponsePartition.__new__(OffsetFetchResponsePartition)
        (
            message.partition_index,
            message.committed_offset,
            message.committed_leader_epoch,
            length,
        ) = _unpack_iqiB(buffer, position)
        position += 17
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.metadata = None
        else:
            end = position + length - 1
            message.metadata = str(buffer[position:end], "utf-8")
            position = end
        message.error_code, tags = _unpack_hB(buffer, position)
        position += 3
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_topic_v6(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetFetchResponseTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchResponseTopic] = []
    for _ in range(size):
        message = OffsetFetchResponseTopic.__new__(OffsetFetchResponseTopic)
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
            message.partitions, position = _read_many_partition_v6(buffer, position, count - 1)
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


def _read_v6(buffer: Buffer, position: int) -> tuple[OffsetFetchResponse, int]:
    message = OffsetFetchResponse.__new__(OffsetFetchResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_v6(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    message.error_code, tags = _unpack_hB(buffer, position)
    position += 3
    message.groups = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_partitions_v8(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetFetchResponsePartitions], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchResponsePartitions] = []
    for _ in range(size):
        message = OffsetFetchResponsePartitions.__new__(OffsetFetchResponsePartitions)
        (
            message.partition_index,
            message.committed_offset,
            message.committed_leader_epoch,
            length,
        ) = _unpack_iqiB(buffer, position)
        position += 17
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.metadata = None
        else:
            end = position + length - 1
            message.metadata = str(buffer[position:end], "utf-8")
            position = end
        message.error_code, tags = _unpack_hB(buffer, position)
        position += 3
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_topics_v8(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetFetchResponseTopics], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchResponseTopics] = []
    for _ in range(size):
        message = OffsetFetchResponseTopics.__new__(OffsetFetchResponseTopics)
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
            message.partitions, position = _read_many_partitions_v8(buffer, position, count - 1)
        elif count:
            message.partitions = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_group_v8(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetFetchResponseGroup], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchResponseGroup] = []
    for _ in range(size):
        message = OffsetFetchResponseGroup.__new__(OffsetFetchResponseGroup)
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
            message.topics, position = _read_many_topics_v8(buffer, position, count - 1)
        elif count:
            message.topics = []
        else:
            raise Malformed
        message.error_code, tags = _unpack_hB(buffer, position)
        position += 3
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v8(buffer: Buffer, position: int) -> tuple[OffsetFetchResponse, int]:
    message = OffsetFetchResponse.__new__(OffsetFetchResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.groups, position = _read_many_group_v8(buffer, position, count - 1)
    elif count:
        message.groups = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.topics = []
    message.error_code = 0
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_topics_v10(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetFetchResponseTopics], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchResponseTopics] = []
    for _ in range(size):
        message = OffsetFetchResponseTopics.__new__(OffsetFetchResponseTopics)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_partitions_v8(buffer, position, count - 1)
        elif count:
            message.partitions = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.name = ""
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_group_v10(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetFetchResponseGroup], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchResponseGroup] = []
    for _ in range(size):
        message = OffsetFetchResponseGroup.__new__(OffsetFetchResponseGroup)
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
            message.topics, position = _read_many_topics_v10(buffer, position, count - 1)
        elif count:
            message.topics = []
        else:
            raise Malformed
        message.error_code, tags = _unpack_hB(buffer, position)
        position += 3
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v10(buffer: Buffer, position: int) -> tuple[OffsetFetchResponse, int]:
    message = OffsetFetchResponse.__new__(OffsetFetchResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.groups, position = _read_many_group_v10(buffer, position, count - 1)
    elif count:
        message.groups = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.topics = []
    message.error_code = 0
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_partition_v1(out: Pieces, message: OffsetFetchResponsePartition) -> None:
    metadata = message.metadata
    if metadata is None:
        data = b""
        length = -1
    else:
        data = metadata.encode()
        length = len(data)
    out.append(_pack_iqh(message.partition_index, message.committed_offset, length))
    out.append(data)
    out.append(_pack_h(message.error_code))
    if message.unknown_tags:
        raise Malformed


def _write_topic_v1(out: Pieces, message: OffsetFetchResponseTopic) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_partition_v1(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_topic_v1(out: Pieces, message: OffsetFetchResponseTopic) -> Steps[None]:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_partition_v1(out, partitions_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: OffsetFetchResponse) -> None:
    if len(message.groups) != 0:
        raise Malformed
    topics = message.topics
    count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        _write_topic_v1(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v1(out: Pieces, message: OffsetFetchResponse) -> Steps[None]:
    if len(message.groups) != 0:
        raise Malformed
    topics = message.topics
    count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        yield from _step_write_topic_v1(out, topics_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: Pieces, message: OffsetFetchResponse) -> None:
    if len(message.groups) != 0:
        raise Malformed
    topics = message.topics
    count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        _write_topic_v1(out, topics_item)
    out.append(_pack_h(message.error_code))
    if message.unknown_tags:
        raise Malformed


def _step_write_v2(out: Pieces, message: OffsetFetchResponse) -> Steps[None]:
    if len(message.groups) != 0:
        raise Malformed
    topics = message.topics
    count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        yield from _step_write_topic_v1(out, topics_item)
        yield
    out.append(_pack_h(message.error_code))
    if message.unknown_tags:
        raise Malformed


def _write_v3(out: Pieces, message: OffsetFetchResponse) -> None:
    if len(message.groups) != 0:
        raise Malformed
    topics = message.topics
    count = len(topics)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for topics_item in topics:
        _write_topic_v1(out, topics_item)
    out.append(_pack_h(message.error_code))
    if message.unknown_tags:
        raise Malformed


def _step_write_v3(out: Pieces, message: OffsetFetchResponse) -> Steps[None]:
    if len(message.groups) != 0:
        raise Malformed
    topics = message.topics
    count = len(topics)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for topics_item in topics:
        yield from _step_write_topic_v1(out, topics_item)
        yield
    out.append(_pack_h(message.error_code))
    if message.unknown_tags:
        raise Malformed


def _write_partition_v5(out: Pieces, message: OffsetFetchResponsePartition) -> None:
    metadata = message.metadata
    if metadata is None:
        data = b""
        length = -1
    else:
        data = metadata.encode()
        length = len(data)
    out.append(_pack_iqih(
        message.partition_index,
        message.committed_offset,
        message.committed_leader_epoch,
        length,
    ))
    out.append(data)
    out.append(_pack_h(message.error_code))
    if message.unknown_tags:
        raise Malformed


def _write_topic_v5(out: Pieces, message: OffsetFetchResponseTopic) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_partition_v5(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_topic_v5(out: Pieces, message: OffsetFetchResponseTopic) -> Steps[None]:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_partition_v5(out, partitions_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v5(out: Pieces, message: OffsetFetchResponse) -> None:
    if len(message.groups) != 0:
        raise Malformed
    topics = message.topics
    count = len(topics)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for topics_item in topics:
        _write_topic_v5(out, topics_item)
    out.append(_pack_h(message.error_code))
    if message.unknown_tags:
        raise Malformed


def _step_write_v5(out: Pieces, message: OffsetFetchResponse) -> Steps[None]:
    if len(message.groups) != 0:
        raise Malformed
    topics = message.topics
    count = len(topics)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for topics_item in topics:
        yield from _step_write_topic_v5(out, topics_item)
        yield
    out.append(_pack_h(message.error_code))
    if message.unknown_tags:
        raise Malformed


def _write_partition_v6(out: Pieces, message: OffsetFetchResponsePartition) -> None:
    metadata = message.metadata
    if metadata is None:
        data = b""
        length = 0
    else:
        data = metadata.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_iqiB(
            message.partition_index,
            message.committed_offset,
            message.committed_leader_epoch,
            length,
        ))
    else:
        out.append(_pack_iqi(
            message.partition_index,
            message.committed_offset,
            message.committed_leader_epoch,
        ))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_h(message.error_code))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hB(message.error_code, 0))


def _write_topic_v6(out: Pieces, message: OffsetFetchResponseTopic) -> None:
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
        _write_partition_v6(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_topic_v6(out: Pieces, message: OffsetFetchResponseTopic) -> Steps[None]:
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
        _write_partition_v6(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v6(out: Pieces, message: OffsetFetchResponse) -> None:
    if len(message.groups) != 0:
        raise Malformed
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_v6(out, topics_item)
    if message.unknown_tags:
        out.append(_pack_h(message.error_code))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hB(message.error_code, 0))


def _step_write_v6(out: Pieces, message: OffsetFetchResponse) -> Steps[None]:
    if len(message.groups) != 0:
        raise Malformed
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_topic_v6(out, topics_item)
        yield
    if message.unknown_tags:
        out.append(_pack_h(message.error_code))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hB(message.error_code, 0))


def _write_partitions_v8(out: Pieces, message: OffsetFetchResponsePartitions) -> None:
    metadata = message.metadata
    if metadata is None:
        data = b""
        length = 0
    else:
        data = metadata.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_iqiB(
            message.partition_index,
            message.committed_offset,
            message.committed_leader_epoch,
            length,
        ))
    else:
        out.append(_pack_iqi(
            message.partition_index,
            message.committed_offset,
            message.committed_leader_epoch,
        ))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_h(message.error_code))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hB(message.error_code, 0))


def _write_topics_v8(out: Pieces, message: OffsetFetchResponseTopics) -> None:
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
        _write_partitions_v8(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_topics_v8(out: Pieces, message: OffsetFetchResponseTopics) -> Steps[None]:
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
        _write_partitions_v8(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_group_v8(out: Pieces, message: OffsetFetchResponseGroup) -> None:
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
        _write_topics_v8(out, topics_item)
    if message.unknown_tags:
        out.append(_pack_h(message.error_code))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hB(message.error_code, 0))


def _step_write_group_v8(out: Pieces, message: OffsetFetchResponseGroup) -> Steps[None]:
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
        yield from _step_write_topics_v8(out, topics_item)
        yield
    if message.unknown_tags:
        out.append(_pack_h(message.error_code))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hB(message.error_code, 0))


def _write_v8(out: Pieces, message: OffsetFetchResponse) -> None:
    if len(message.topics) != 0:
        raise Malformed
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for groups_item in groups:
        _write_group_v8(out, groups_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v8(out: Pieces, message: OffsetFetchResponse) -> Steps[None]:
    if len(message.topics) != 0:
        raise Malformed
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for groups_item in groups:
        yield from _step_write_group_v8(out, groups_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topics_v10(out: Pieces, message: OffsetFetchResponseTopics) -> None:
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
        _write_partitions_v8(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_topics_v10(out: Pieces, message: OffsetFetchResponseTopics) -> Steps[None]:
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
        _write_partitions_v8(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_group_v10(out: Pieces, message: OffsetFetchResponseGroup) -> None:
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
        _write_topics_v10(out, topics_item)
    if message.unknown_tags:
        out.append(_pack_h(message.error_code))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hB(message.error_code, 0))


def _step_write_group_v10(out: Pieces, message: OffsetFetchResponseGroup) -> Steps[None]:
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
        yield from _step_write_topics_v10(out, topics_item)
        yield
    if message.unknown_tags:
        out.append(_pack_h(message.error_code))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hB(message.error_code, 0))


def _write_v10(out: Pieces, message: OffsetFetchResponse) -> None:
    if len(message.topics) != 0:
        raise Malformed
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for groups_item in groups:
        _write_group_v10(out, groups_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v10(out: Pieces, message: OffsetFetchResponse) -> Steps[None]:
    if len(message.topics) != 0:
        raise Malformed
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for groups_item in groups:
        yield from _step_write_group_v10(out, groups_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v1,
    _read_v2,
    _read_v3,
    _read_v3,
    _read_v5,
    _read_v6,
    _read_v6,
    _read_v8,
    _read_v8,
    _read_v10,
)

_WRITERS = (
    _write_v1,
    _write_v2,
    _write_v3,
    _write_v3,
    _write_v5,
    _write_v6,
    _write_v6,
    _write_v8,
    _write_v8,
    _write_v10,
)

_STEP_WRITERS = (
    _step_write_v1,
    _step_write_v2,
    _step_write_v3,
    _step_write_v3,
    _step_write_v5,
    _step_write_v6,
    _step_write_v6,
    _step_write_v8,
    _step_write_v8,
    _step_write_v10,
)


@cache
def _schema() -> MessageSchema:
    offset_fetch_response_partition_struct = StructSchema(
        python_class=OffsetFetchResponsePartition,
        fields=(
            FieldSchema(
                name="PartitionIndex",
                attribute="partition_index",
                type="int32",
                versions=(0, 7),
                default=0,
            ),
            FieldSchema(
                name="CommittedOffset",
                attribute="committed_offset",
                type="int64",
                versions=(0, 7),
                default=0,
            ),
            FieldSchema(
                name="CommittedLeaderEpoch",
                attribute="committed_leader_epoch",
                type="int32",
                versions=(5, 7),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="Metadata",
                attribute="metadata",
                type="string",
                versions=(0, 7),
                nullable=(0, 7),
                default="",
            ),
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 7),
                default=0,
            ),
        ),
    )
    offset_fetch_response_topic_struct = StructSchema(
        python_class=OffsetFetchResponseTopic,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 7),
                default="",
            ),
            FieldSchema(
                name="Partitions",
                attribute="partitions",
                type="OffsetFetchResponsePartition",
                struct=offset_fetch_response_partition_struct,
                array=True,
                versions=(0, 7),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    offset_fetch_response_partitions_struct = StructSchema(
        python_class=OffsetFetchResponsePartitions,
        fields=(
            FieldSchema(
                name="PartitionIndex",
                attribute="partition_index",
                type="int32",
                versions=(8, 32767),
                default=0,
            ),
            FieldSchema(
                name="CommittedOffset",
                attribute="committed_offset",
                type="int64",
                versions=(8, 32767),
                default=0,
            ),
            FieldSchema(
                name="CommittedLeaderEpoch",
                attribute="committed_leader_epoch",
                type="int32",
                versions=(8, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="Metadata",
                attribute="metadata",
                type="string",
                versions=(8, 32767),
                nullable=(8, 32767),
                default="",
            ),
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(8, 32767),
                default=0,
            ),
        ),
    )
    offset_fetch_response_topics_struct = StructSchema(
        python_class=OffsetFetchResponseTopics,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(8, 9),
                default="",
                ignorable=True,
            ),
            FieldSchema(
                name="TopicId",
                attribute="topic_id",
                type="uuid",
                versions=(10, 32767),
                default=ZERO_UUID,
                ignorable=True,
            ),
            FieldSchema(
                name="Partitions",
                attribute="partitions",
                type="OffsetFetchResponsePartitions",
                struct=offset_fetch_response_partitions_struct,
                array=True,
                versions=(8, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    offset_fetch_response_group_struct = StructSchema(
        python_class=OffsetFetchResponseGroup,
        fields=(
            FieldSchema(
                name="GroupId",
                attribute="group_id",
                type="string",
                versions=(8, 32767),
                default="",
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="OffsetFetchResponseTopics",
                struct=offset_fetch_response_topics_struct,
                array=True,
                versions=(8, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(8, 32767),
                default=0,
            ),
        ),
    )
    offset_fetch_response_struct = StructSchema(
        python_class=OffsetFetchResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(3, 32767),
                default=0,
                ignorable=True,
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="OffsetFetchResponseTopic",
                struct=offset_fetch_response_topic_struct,
                array=True,
                versions=(0, 7),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(2, 7),
                default=0,
                ignorable=True,
            ),
            FieldSchema(
                name="Groups",
                attribute="groups",
                type="OffsetFetchResponseGroup",
                struct=offset_fetch_response_group_struct,
                array=True,
                versions=(8, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="OffsetFetchResponse", flexible_from=6, root=offset_fetch_response_struct)
