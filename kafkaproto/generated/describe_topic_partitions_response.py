"""DescribeTopicPartitionsResponse: versions 0, flexible from 0, api key 75.

Generated from api/DescribeTopicPartitionsResponse.json by codegen; change the schema, not this file.
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
    Steps,
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
_unpack_utB = struct.Struct(">16s?B").unpack_from
_unpack_b = struct.Struct(">b").unpack_from
_unpack_hB = struct.Struct(">hB").unpack_from
_unpack_hiiiB = struct.Struct(">hiiiB").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_pack_ut = struct.Struct(">16s?").pack
_pack_utB = struct.Struct(">16s?B").pack
_pack_b = struct.Struct(">b").pack
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_hiii = struct.Struct(">hiii").pack
_pack_hiiiB = struct.Struct(">hiiiB").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack


class DescribeTopicPartitionsResponsePartition(Struct):
    """DescribeTopicPartitionsResponsePartition of DescribeTopicPartitionsResponse."""

    __slots__ = (
        "error_code",
        "partition_index",
        "leader_id",
        "leader_epoch",
        "replica_nodes",
        "isr_nodes",
        "eligible_leader_replicas",
        "last_known_elr",
        "offline_replicas",
        "unknown_tags",
    )

    error_code: int
    """Versions 0+."""
    partition_index: int
    """Versions 0+."""
    leader_id: int
    """-1 if there is none. Versions 0+."""
    leader_epoch: int
    """Versions 0+, dropped where a version lacks it."""
    replica_nodes: list[int]
    """Versions 0+."""
    isr_nodes: list[int]
    """Versions 0+."""
    eligible_leader_replicas: list[int] | None
    """Replicas out of the ISR that still have all committed records. Versions 0+, null in 0+."""
    last_known_elr: list[int] | None
    """Replicas that were eligible until they stopped uncleanly. Versions 0+, null in 0+."""
    offline_replicas: list[int]
    """Versions 0+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        error_code: int = 0,
        partition_index: int = 0,
        leader_id: int = 0,
        leader_epoch: int = -1,
        replica_nodes: list[int] = EMPTY,
        isr_nodes: list[int] = EMPTY,
        eligible_leader_replicas: list[int] | None = None,
        last_known_elr: list[int] | None = None,
        offline_replicas: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.error_code = error_code
        self.partition_index = partition_index
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.replica_nodes = [] if replica_nodes is EMPTY else replica_nodes
        self.isr_nodes = [] if isr_nodes is EMPTY else isr_nodes
        self.eligible_leader_replicas = eligible_leader_replicas
        self.last_known_elr = last_known_elr
        self.offline_replicas = [] if offline_replicas is EMPTY else offline_replicas
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeTopicPartitionsResponsePartition)
            and self.error_code == other.error_code
            and self.partition_index == other.partition_index
            and self.leader_id == other.leader_id
            and self.leader_epoch == other.leader_epoch
            and self.replica_nodes == other.replica_nodes
            and self.isr_nodes == other.isr_nodes
            and self.eligible_leader_replicas == other.eligible_leader_replicas
            and self.last_known_elr == other.last_known_elr
            and self.offline_replicas == other.offline_replicas
            and self.unknown_tags == other.unknown_tags
        )



class DescribeTopicPartitionsResponseTopic(Struct):
    """DescribeTopicPartitionsResponseTopic of DescribeTopicPartitionsResponse."""

    __slots__ = (
        "error_code",
        "name",
        "topic_id",
        "is_internal",
        "partitions",
        "topic_authorized_operations",
        "unknown_tags",
    )

    error_code: int
    """Versions 0+."""
    name: str | None
    """Versions 0+, null in 0+."""
    topic_id: bytes
    """Versions 0+, dropped where a version lacks it."""
    is_internal: bool
    """Versions 0+, dropped where a version lacks it."""
    partitions: list[DescribeTopicPartitionsResponsePartition]
    """Versions 0+."""
    topic_authorized_operations: int
    """Bit per operation allowed to the requester; the lowest int32 if it did not ask. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        error_code: int = 0,
        name: str | None = "",
        topic_id: bytes = ZERO_UUID,
        is_internal: bool = False,
        partitions: list[DescribeTopicPartitionsResponsePartition] = EMPTY,
        topic_authorized_operations: int = -2147483648,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.error_code = error_code
        self.name = name
        self.topic_id = topic_id
        self.is_internal = is_internal
        self.partitions = [] if partitions is EMPTY else partitions
        self.topic_authorized_operations = topic_authorized_operations
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeTopicPartitionsResponseTopic)
            and self.error_code == other.error_code
            and self.name == other.name
            and self.topic_id == other.topic_id
            and self.is_internal == other.is_internal
            and self.partitions == other.partitions
            and self.topic_authorized_operations == other.topic_authorized_operations
            and self.unknown_tags == other.unknown_tags
        )



class DescribeTopicPartitionsResponseCursor(Struct):
    """Cursor of DescribeTopicPartitionsResponse."""

    __slots__ = ("topic_name", "partition_index", "unknown_tags")

    topic_name: str
    """Versions 0+."""
    partition_index: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_name: str = "",
        partition_index: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.partition_index = partition_index
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeTopicPartitionsResponseCursor)
            and self.topic_name == other.topic_name
            and self.partition_index == other.partition_index
            and self.unknown_tags == other.unknown_tags
        )



class DescribeTopicPartitionsResponse(Message):
    """Response DescribeTopicPartitionsResponse."""

    __slots__ = ("throttle_time_ms", "topics", "next_cursor", "unknown_tags")

    NAME: ClassVar[str] = "DescribeTopicPartitionsResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 75
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    Partition: TypeAlias = DescribeTopicPartitionsResponsePartition
    Topic: TypeAlias = DescribeTopicPartitionsResponseTopic
    Cursor: TypeAlias = DescribeTopicPartitionsResponseCursor

    throttle_time_ms: int
    """Versions 0+, dropped where a version lacks it."""
    topics: list[DescribeTopicPartitionsResponseTopic]
    """Versions 0+."""
    next_cursor: DescribeTopicPartitionsResponseCursor | None
    """Where to go on; null when this was all. Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[DescribeTopicPartitionsResponseTopic] = EMPTY,
        next_cursor: DescribeTopicPartitionsResponseCursor | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is EMPTY else topics
        self.next_cursor = next_cursor
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeTopicPartitionsResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.topics == other.topics
            and self.next_cursor == other.next_cursor
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DescribeTopicPartitionsResponse, int]:
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


def _read_many_partition_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeTopicPartitionsResponsePartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeTopicPartitionsResponsePartition] = []
    for _ in range(size):
        message = DescribeTopicPartitionsResponsePartition.__new__(DescribeTopicPartitionsResponsePartition)
        (
            message.error_code,
            message.partition_index,
            message.leader_id,
            message.leader_epoch,
            count,
        ) = _unpack_hiiiB(buffer, position)
        position += 15
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.replica_nodes = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.replica_nodes = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.isr_nodes = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.isr_nodes = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            message.eligible_leader_replicas = None
        else:
            if count - 1 < TABLE_SIZE:
                message.eligible_leader_replicas = [*UNPACK_INT32[count - 1](buffer, position)]
            else:
                message.eligible_leader_replicas = unpack_many("i", 4, count - 1, buffer, position)
            position += count * 4 - 4
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            message.last_known_elr = None
        else:
            if count - 1 < TABLE_SIZE:
                message.last_known_elr = [*UNPACK_INT32[count - 1](buffer, position)]
            else:
                message.last_known_elr = unpack_many("i", 4, count - 1, buffer, position)
            position += count * 4 - 4
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.offline_replicas = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.offline_replicas = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_topic_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeTopicPartitionsResponseTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeTopicPartitionsResponseTopic] = []
    for _ in range(size):
        message = DescribeTopicPartitionsResponseTopic.__new__(DescribeTopicPartitionsResponseTopic)
        message.error_code, length = _unpack_hB(buffer, position)
        position += 3
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.name = None
        else:
            end = position + length - 1
            message.name = str(buffer[position:end], "utf-8")
            position = end
        message.topic_id, message.is_internal, count = _unpack_utB(buffer, position)
        position += 18
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_partition_v0(buffer, position, count - 1)
        elif count:
            message.partitions = []
        else:
            raise Malformed
        message.topic_authorized_operations, tags = _unpack_iB(buffer, position)
        position += 5
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_cursor_v0(buffer: Buffer, position: int) -> tuple[DescribeTopicPartitionsResponseCursor, int]:
    message = DescribeTopicPartitionsResponseCursor.__new__(DescribeTopicPartitionsResponseCursor)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.topic_name = str(buffer[position:end], "utf-8")
    position = end
    message.partition_index, tags = _unpack_iB(buffer, position)
    position += 5
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v0(buffer: Buffer, position: int) -> tuple[DescribeTopicPartitionsResponse, int]:
    message = DescribeTopicPartitionsResponse.__new__(DescribeTopicPartitionsResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_v0(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    (mark,) = _unpack_b(buffer, position)
    position += 1
    if mark < 0:
        message.next_cursor = None
    else:
        message.next_cursor, position = _read_cursor_v0(buffer, position)
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_partition_v0(out: Pieces, message: DescribeTopicPartitionsResponsePartition) -> None:
    replica_nodes = message.replica_nodes
    count = len(replica_nodes) + 1
    if count < 128:
        out.append(_pack_hiiiB(
            message.error_code,
            message.partition_index,
            message.leader_id,
            message.leader_epoch,
            count,
        ))
    else:
        out.append(_pack_hiii(
            message.error_code,
            message.partition_index,
            message.leader_id,
            message.leader_epoch,
        ))
        out.append(pack_length(count))
    if len(replica_nodes) < TABLE_SIZE:
        out.append(PACK_INT32[len(replica_nodes)](*replica_nodes))
    else:
        out.append(pack_many("i", replica_nodes))
    isr_nodes = message.isr_nodes
    count = len(isr_nodes) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(isr_nodes) < TABLE_SIZE:
        out.append(PACK_INT32[len(isr_nodes)](*isr_nodes))
    else:
        out.append(pack_many("i", isr_nodes))
    eligible_leader_replicas = message.eligible_leader_replicas
    if eligible_leader_replicas is None:
        eligible_leader_replicas = EMPTY
        count = 0
    else:
        count = len(eligible_leader_replicas) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(eligible_leader_replicas) < TABLE_SIZE:
        out.append(PACK_INT32[len(eligible_leader_replicas)](*eligible_leader_replicas))
    else:
        out.append(pack_many("i", eligible_leader_replicas))
    last_known_elr = message.last_known_elr
    if last_known_elr is None:
        last_known_elr = EMPTY
        count = 0
    else:
        count = len(last_known_elr) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(last_known_elr) < TABLE_SIZE:
        out.append(PACK_INT32[len(last_known_elr)](*last_known_elr))
    else:
        out.append(pack_many("i", last_known_elr))
    offline_replicas = message.offline_replicas
    count = len(offline_replicas) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(offline_replicas) < TABLE_SIZE:
        out.append(PACK_INT32[len(offline_replicas)](*offline_replicas))
    else:
        out.append(pack_many("i", offline_replicas))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topic_v0(out: Pieces, message: DescribeTopicPartitionsResponseTopic) -> None:
    name = message.name
    if name is None:
        data = b""
        length = 0
    else:
        data = name.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    partitions = message.partitions
    count = len(partitions) + 1
    if count < 128:
        out.append(_pack_utB(topic_id, message.is_internal, count))
    else:
        out.append(_pack_ut(topic_id, message.is_internal))
        out.append(pack_length(count))
    for partitions_item in partitions:
        _write_partition_v0(out, partitions_item)
    if message.unknown_tags:
        out.append(_pack_i(message.topic_authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.topic_authorized_operations, 0))


def _step_write_topic_v0(out: Pieces, message: DescribeTopicPartitionsResponseTopic) -> Steps[None]:
    name = message.name
    if name is None:
        data = b""
        length = 0
    else:
        data = name.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    partitions = message.partitions
    count = len(partitions) + 1
    if count < 128:
        out.append(_pack_utB(topic_id, message.is_internal, count))
    else:
        out.append(_pack_ut(topic_id, message.is_internal))
        out.append(pack_length(count))
    for partitions_item in partitions:
        _write_partition_v0(out, partitions_item)
        yield
    if message.unknown_tags:
        out.append(_pack_i(message.topic_authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.topic_authorized_operations, 0))


def _write_cursor_v0(out: Pieces, message: DescribeTopicPartitionsResponseCursor) -> None:
    topic_name = message.topic_name
    data = topic_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_i(message.partition_index))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.partition_index, 0))


def _write_v0(out: Pieces, message: DescribeTopicPartitionsResponse) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_v0(out, topics_item)
    next_cursor = message.next_cursor
    out.append(_pack_b(-1 if next_cursor is None else 1))
    if next_cursor is not None:
        _write_cursor_v0(out, next_cursor)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v0(out: Pieces, message: DescribeTopicPartitionsResponse) -> Steps[None]:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_topic_v0(out, topics_item)
        yield
    next_cursor = message.next_cursor
    out.append(_pack_b(-1 if next_cursor is None else 1))
    if next_cursor is not None:
        _write_cursor_v0(out, next_cursor)
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
    describe_topic_partitions_response_partition_struct = StructSchema(
        python_class=DescribeTopicPartitionsResponsePartition,
        fields=(
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="PartitionIndex",
                attribute="partition_index",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LeaderId",
                attribute="leader_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LeaderEpoch",
                attribute="leader_epoch",
                type="int32",
                versions=(0, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="ReplicaNodes",
                attribute="replica_nodes",
                type="int32",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="IsrNodes",
                attribute="isr_nodes",
                type="int32",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="EligibleLeaderReplicas",
                attribute="eligible_leader_replicas",
                type="int32",
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="LastKnownElr",
                attribute="last_known_elr",
                type="int32",
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="OfflineReplicas",
                attribute="offline_replicas",
                type="int32",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
                ignorable=True,
            ),
        ),
    )
    describe_topic_partitions_response_topic_struct = StructSchema(
        python_class=DescribeTopicPartitionsResponseTopic,
        fields=(
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="TopicId",
                attribute="topic_id",
                type="uuid",
                versions=(0, 32767),
                default=ZERO_UUID,
                ignorable=True,
            ),
            FieldSchema(
                name="IsInternal",
                attribute="is_internal",
                type="bool",
                versions=(0, 32767),
                default=False,
                ignorable=True,
            ),
            FieldSchema(
                name="Partitions",
                attribute="partitions",
                type="DescribeTopicPartitionsResponsePartition",
                struct=describe_topic_partitions_response_partition_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="TopicAuthorizedOperations",
                attribute="topic_authorized_operations",
                type="int32",
                versions=(0, 32767),
                default=-2147483648,
            ),
        ),
    )
    cursor_struct = StructSchema(
        python_class=DescribeTopicPartitionsResponseCursor,
        fields=(
            FieldSchema(
                name="TopicName",
                attribute="topic_name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="PartitionIndex",
                attribute="partition_index",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    describe_topic_partitions_response_struct = StructSchema(
        python_class=DescribeTopicPartitionsResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
                ignorable=True,
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="DescribeTopicPartitionsResponseTopic",
                struct=describe_topic_partitions_response_topic_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="NextCursor",
                attribute="next_cursor",
                type="Cursor",
                struct=cursor_struct,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
        ),
    )
    return MessageSchema(
        name="DescribeTopicPartitionsResponse",
        flexible_from=0,
        root=describe_topic_partitions_response_struct,
    )
