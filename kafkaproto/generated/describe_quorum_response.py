"""DescribeQuorumResponse: versions 0-2, flexible from 0, api key 55.

Generated from api/DescribeQuorumResponse.json by codegen; change the schema, not this file.
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
_unpack_HB = struct.Struct(">HB").unpack_from
_unpack_hB = struct.Struct(">hB").unpack_from
_unpack_iuqqqB = struct.Struct(">i16sqqqB").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_ihiiqB = struct.Struct(">ihiiqB").unpack_from
_unpack_iiqB = struct.Struct(">iiqB").unpack_from
_unpack_iqB = struct.Struct(">iqB").unpack_from
_unpack_iqqqB = struct.Struct(">iqqqB").unpack_from
_pack_H = struct.Struct(">H").pack
_pack_HB = struct.Struct(">HB").pack
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_i = struct.Struct(">i").pack
_pack_iuqqq = struct.Struct(">i16sqqq").pack
_pack_iuqqqB = struct.Struct(">i16sqqqB").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_ihiiq = struct.Struct(">ihiiq").pack
_pack_ihiiqB = struct.Struct(">ihiiqB").pack
_pack_iiq = struct.Struct(">iiq").pack
_pack_iiqB = struct.Struct(">iiqB").pack
_pack_iq = struct.Struct(">iq").pack
_pack_iqB = struct.Struct(">iqB").pack
_pack_iqqq = struct.Struct(">iqqq").pack
_pack_iqqqB = struct.Struct(">iqqqB").pack


class DescribeQuorumResponseReplicaState(Struct):
    """ReplicaState of DescribeQuorumResponse."""

    __slots__ = (
        "replica_id",
        "replica_directory_id",
        "log_end_offset",
        "last_fetch_timestamp",
        "last_caught_up_timestamp",
        "unknown_tags",
    )

    replica_id: int
    """Versions 0+."""
    replica_directory_id: bytes
    """Versions 2+."""
    log_end_offset: int
    """As of the replica's last Fetch; -1 if it has not fetched from this leader. Versions 0+."""
    last_fetch_timestamp: int
    """In ms since 1970 by the leader's clock; -1 if unknown. Versions 1+, dropped where a version
    lacks it.
    """
    last_caught_up_timestamp: int
    """Last time at which it had all of the leader's log, in ms since 1970; -1 if unknown. Versions
    1+, dropped where a version lacks it.
    """
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        replica_id: int = 0,
        replica_directory_id: bytes = ZERO_UUID,
        log_end_offset: int = 0,
        last_fetch_timestamp: int = -1,
        last_caught_up_timestamp: int = -1,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.replica_id = replica_id
        self.replica_directory_id = replica_directory_id
        self.log_end_offset = log_end_offset
        self.last_fetch_timestamp = last_fetch_timestamp
        self.last_caught_up_timestamp = last_caught_up_timestamp
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeQuorumResponseReplicaState)
            and self.replica_id == other.replica_id
            and self.replica_directory_id == other.replica_directory_id
            and self.log_end_offset == other.log_end_offset
            and self.last_fetch_timestamp == other.last_fetch_timestamp
            and self.last_caught_up_timestamp == other.last_caught_up_timestamp
            and self.unknown_tags == other.unknown_tags
        )



class DescribeQuorumResponsePartitionData(Struct):
    """PartitionData of DescribeQuorumResponse."""

    __slots__ = (
        "partition_index",
        "error_code",
        "error_message",
        "leader_id",
        "leader_epoch",
        "high_watermark",
        "current_voters",
        "observers",
        "unknown_tags",
    )

    partition_index: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 2+, null in 2+, dropped where a version lacks it."""
    leader_id: int
    """Leader known to the answering node, or -1. Versions 0+."""
    leader_epoch: int
    """Versions 0+."""
    high_watermark: int
    """-1 while a new leader does not know it. Versions 0+."""
    current_voters: list[DescribeQuorumResponseReplicaState]
    """Versions 0+."""
    observers: list[DescribeQuorumResponseReplicaState]
    """Nodes that fetch without a vote, brokers above all. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        leader_id: int = 0,
        leader_epoch: int = 0,
        high_watermark: int = 0,
        current_voters: list[DescribeQuorumResponseReplicaState] = EMPTY,
        observers: list[DescribeQuorumResponseReplicaState] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.high_watermark = high_watermark
        self.current_voters = [] if current_voters is EMPTY else current_voters
        self.observers = [] if observers is EMPTY else observers
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeQuorumResponsePartitionData)
            and self.partition_index == other.partition_index
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.leader_id == other.leader_id
            and self.leader_epoch == other.leader_epoch
            and self.high_watermark == other.high_watermark
            and self.current_voters == other.current_voters
            and self.observers == other.observers
            and self.unknown_tags == other.unknown_tags
        )



class DescribeQuorumResponseTopicData(Struct):
    """TopicData of DescribeQuorumResponse."""

    __slots__ = ("topic_name", "partitions", "unknown_tags")

    topic_name: str
    """Versions 0+."""
    partitions: list[DescribeQuorumResponsePartitionData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_name: str = "",
        partitions: list[DescribeQuorumResponsePartitionData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeQuorumResponseTopicData)
            and self.topic_name == other.topic_name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class DescribeQuorumResponseListener(Struct):
    """Listener of DescribeQuorumResponse."""

    __slots__ = ("name", "host", "port", "unknown_tags")

    name: str
    """Versions 2+."""
    host: str
    """Versions 2+."""
    port: int
    """Versions 2+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        host: str = "",
        port: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeQuorumResponseListener)
            and self.name == other.name
            and self.host == other.host
            and self.port == other.port
            and self.unknown_tags == other.unknown_tags
        )



class DescribeQuorumResponseNode(Struct):
    """Node of DescribeQuorumResponse."""

    __slots__ = ("node_id", "listeners", "unknown_tags")

    node_id: int
    """Versions 2+."""
    listeners: list[DescribeQuorumResponseListener]
    """Versions 2+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        node_id: int = 0,
        listeners: list[DescribeQuorumResponseListener] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.node_id = node_id
        self.listeners = [] if listeners is EMPTY else listeners
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeQuorumResponseNode)
            and self.node_id == other.node_id
            and self.listeners == other.listeners
            and self.unknown_tags == other.unknown_tags
        )



class DescribeQuorumResponse(Message):
    """Response DescribeQuorumResponse."""

    __slots__ = ("error_code", "error_message", "topics", "nodes", "unknown_tags")

    NAME: ClassVar[str] = "DescribeQuorumResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 55
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    ReplicaState: TypeAlias = DescribeQuorumResponseReplicaState
    PartitionData: TypeAlias = DescribeQuorumResponsePartitionData
    TopicData: TypeAlias = DescribeQuorumResponseTopicData
    Listener: TypeAlias = DescribeQuorumResponseListener
    Node: TypeAlias = DescribeQuorumResponseNode

    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 2+, null in 2+, dropped where a version lacks it."""
    topics: list[DescribeQuorumResponseTopicData]
    """Versions 0+."""
    nodes: list[DescribeQuorumResponseNode]
    """The voters, with all their listeners. Versions 2+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        topics: list[DescribeQuorumResponseTopicData] = EMPTY,
        nodes: list[DescribeQuorumResponseNode] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.topics = [] if topics is EMPTY else topics
        self.nodes = [] if nodes is EMPTY else nodes
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeQuorumResponse)
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.topics == other.topics
            and self.nodes == other.nodes
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DescribeQuorumResponse, int]:
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


def _read_many_replica_state_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeQuorumResponseReplicaState], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeQuorumResponseReplicaState] = []
    for _ in range(size):
        message = DescribeQuorumResponseReplicaState.__new__(DescribeQuorumResponseReplicaState)
        message.replica_id, message.log_end_offset, tags = _unpack_iqB(buffer, position)
        position += 13
        message.replica_directory_id = ZERO_UUID
        message.last_fetch_timestamp = -1
        message.last_caught_up_timestamp = -1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_partition_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeQuorumResponsePartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeQuorumResponsePartitionData] = []
    for _ in range(size):
        message = DescribeQuorumResponsePartitionData.__new__(DescribeQuorumResponsePartitionData)
        (
            message.partition_index,
            message.error_code,
            message.leader_id,
            message.leader_epoch,
            message.high_watermark,
            count,
        ) = _unpack_ihiiqB(buffer, position)
        position += 23
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.current_voters, position = _read_many_replica_state_v0(buffer, position, count - 1)
        elif count:
            message.current_voters = []
        else:
            raise Malformed
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.observers, position = _read_many_replica_state_v0(buffer, position, count - 1)
        elif count:
            message.observers = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.error_message = ""
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_topic_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeQuorumResponseTopicData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeQuorumResponseTopicData] = []
    for _ in range(size):
        message = DescribeQuorumResponseTopicData.__new__(DescribeQuorumResponseTopicData)
        length = buffer[position]
        position += 1
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


def _read_v0(buffer: Buffer, position: int) -> tuple[DescribeQuorumResponse, int]:
    message = DescribeQuorumResponse.__new__(DescribeQuorumResponse)
    message.error_code, count = _unpack_hB(buffer, position)
    position += 3
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
    message.error_message = ""
    message.nodes = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_replica_state_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeQuorumResponseReplicaState], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeQuorumResponseReplicaState] = []
    for _ in range(size):
        message = DescribeQuorumResponseReplicaState.__new__(DescribeQuorumResponseReplicaState)
        (
            message.replica_id,
            message.log_end_offset,
            message.last_fetch_timestamp,
            message.last_caught_up_timestamp,
            tags,
        ) = _unpack_iqqqB(buffer, position)
        position += 29
        message.replica_directory_id = ZERO_UUID
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_partition_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeQuorumResponsePartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeQuorumResponsePartitionData] = []
    for _ in range(size):
        message = DescribeQuorumResponsePartitionData.__new__(DescribeQuorumResponsePartitionData)
        (
            message.partition_index,
            message.error_code,
            message.leader_id,
            message.leader_epoch,
            message.high_watermark,
            count,
        ) = _unpack_ihiiqB(buffer, position)
        position += 23
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.current_voters, position = _read_many_replica_state_v1(buffer, position, count - 1)
        elif count:
            message.current_voters = []
        else:
            raise Malformed
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.observers, position = _read_many_replica_state_v1(buffer, position, count - 1)
        elif count:
            message.observers = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.error_message = ""
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_topic_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeQuorumResponseTopicData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeQuorumResponseTopicData] = []
    for _ in range(size):
        message = DescribeQuorumResponseTopicData.__new__(DescribeQuorumResponseTopicData)
        length = buffer[position]
        position += 1
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


def _read_v1(buffer: Buffer, position: int) -> tuple[DescribeQuorumResponse, int]:
    message = DescribeQuorumResponse.__new__(DescribeQuorumResponse)
    message.error_code, count = _unpack_hB(buffer, position)
    position += 3
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_data_v1(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.error_message = ""
    message.nodes = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_replica_state_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeQuorumResponseReplicaState], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeQuorumResponseReplicaState] = []
    for _ in range(size):
        message = DescribeQuorumResponseReplicaState.__new__(DescribeQuorumResponseReplicaState)
        (
            message.replica_id,
            message.replica_directory_id,
            message.log_end_offset,
            message.last_fetch_timestamp,
            message.last_caught_up_timestamp,
            tags,
        ) = _unpack_iuqqqB(buffer, position)
        position += 45
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_partition_data_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeQuorumResponsePartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeQuorumResponsePartitionData] = []
    for _ in range(size):
        message = DescribeQuorumResponsePartitionData.__new__(DescribeQuorumResponsePartitionData)
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
        (
            message.leader_id,
            message.leader_epoch,
            message.high_watermark,
            count,
        ) = _unpack_iiqB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.current_voters, position = _read_many_replica_state_v2(buffer, position, count - 1)
        elif count:
            message.current_voters = []
        else:
            raise Malformed
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.observers, position = _read_many_replica_state_v2(buffer, position, count - 1)
        elif count:
            message.observers = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_topic_data_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeQuorumResponseTopicData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeQuorumResponseTopicData] = []
    for _ in range(size):
        message = DescribeQuorumResponseTopicData.__new__(DescribeQuorumResponseTopicData)
        length = buffer[position]
        position += 1
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
        if count > 1:
            message.partitions, position = _read_many_partition_data_v2(buffer, position, count - 1)
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


def _read_many_listener_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeQuorumResponseListener], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeQuorumResponseListener] = []
    for _ in range(size):
        message = DescribeQuorumResponseListener.__new__(DescribeQuorumResponseListener)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.host = str(buffer[position:end], "utf-8")
        position = end
        message.port, tags = _unpack_HB(buffer, position)
        position += 3
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_node_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeQuorumResponseNode], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeQuorumResponseNode] = []
    for _ in range(size):
        message = DescribeQuorumResponseNode.__new__(DescribeQuorumResponseNode)
        message.node_id, count = _unpack_iB(buffer, position)
        position += 5
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.listeners, position = _read_many_listener_v2(buffer, position, count - 1)
        elif count:
            message.listeners = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v2(buffer: Buffer, position: int) -> tuple[DescribeQuorumResponse, int]:
    message = DescribeQuorumResponse.__new__(DescribeQuorumResponse)
    message.error_code, length = _unpack_hB(buffer, position)
    position += 3
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
        message.topics, position = _read_many_topic_data_v2(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.nodes, position = _read_many_node_v2(buffer, position, count - 1)
    elif count:
        message.nodes = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_replica_state_v0(out: Pieces, message: DescribeQuorumResponseReplicaState) -> None:
    if message.replica_directory_id != ZERO_UUID:
        raise Malformed
    if message.unknown_tags:
        out.append(_pack_iq(message.replica_id, message.log_end_offset))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iqB(message.replica_id, message.log_end_offset, 0))


def _write_partition_data_v0(out: Pieces, message: DescribeQuorumResponsePartitionData) -> None:
    current_voters = message.current_voters
    count = len(current_voters) + 1
    if count < 128:
        out.append(_pack_ihiiqB(
            message.partition_index,
            message.error_code,
            message.leader_id,
            message.leader_epoch,
            message.high_watermark,
            count,
        ))
    else:
        out.append(_pack_ihiiq(
            message.partition_index,
            message.error_code,
            message.leader_id,
            message.leader_epoch,
            message.high_watermark,
        ))
        out.append(pack_length(count))
    for current_voters_item in current_voters:
        _write_replica_state_v0(out, current_voters_item)
    observers = message.observers
    count = len(observers) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for observers_item in observers:
        _write_replica_state_v0(out, observers_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_partition_data_v0(out: Pieces, message: DescribeQuorumResponsePartitionData) -> Steps[None]:
    current_voters = message.current_voters
    count = len(current_voters) + 1
    if count < 128:
        out.append(_pack_ihiiqB(
            message.partition_index,
            message.error_code,
            message.leader_id,
            message.leader_epoch,
            message.high_watermark,
            count,
        ))
    else:
        out.append(_pack_ihiiq(
            message.partition_index,
            message.error_code,
            message.leader_id,
            message.leader_epoch,
            message.high_watermark,
        ))
        out.append(pack_length(count))
    for current_voters_item in current_voters:
        _write_replica_state_v0(out, current_voters_item)
        yield
    observers = message.observers
    count = len(observers) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for observers_item in observers:
        _write_replica_state_v0(out, observers_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topic_data_v0(out: Pieces, message: DescribeQuorumResponseTopicData) -> None:
    topic_name = message.topic_name
    data = topic_name.encode()
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
        _write_partition_data_v0(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_topic_data_v0(out: Pieces, message: DescribeQuorumResponseTopicData) -> Steps[None]:
    topic_name = message.topic_name
    data = topic_name.encode()
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
        yield from _step_write_partition_data_v0(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: DescribeQuorumResponse) -> None:
    if len(message.nodes) != 0:
        raise Malformed
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_hB(message.error_code, count))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_data_v0(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v0(out: Pieces, message: DescribeQuorumResponse) -> Steps[None]:
    if len(message.nodes) != 0:
        raise Malformed
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_hB(message.error_code, count))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_topic_data_v0(out, topics_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_replica_state_v1(out: Pieces, message: DescribeQuorumResponseReplicaState) -> None:
    if message.replica_directory_id != ZERO_UUID:
        raise Malformed
    if message.unknown_tags:
        out.append(_pack_iqqq(
            message.replica_id,
            message.log_end_offset,
            message.last_fetch_timestamp,
            message.last_caught_up_timestamp,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iqqqB(
            message.replica_id,
            message.log_end_offset,
            message.last_fetch_timestamp,
            message.last_caught_up_timestamp,
            0,
        ))


def _write_partition_data_v1(out: Pieces, message: DescribeQuorumResponsePartitionData) -> None:
    current_voters = message.current_voters
    count = len(current_voters) + 1
    if count < 128:
        out.append(_pack_ihiiqB(
            message.partition_index,
            message.error_code,
            message.leader_id,
            message.leader_epoch,
            message.high_watermark,
            count,
        ))
    else:
        out.append(_pack_ihiiq(
            message.partition_index,
            message.error_code,
            message.leader_id,
            message.leader_epoch,
            message.high_watermark,
        ))
        out.append(pack_length(count))
    for current_voters_item in current_voters:
        _write_replica_state_v1(out, current_voters_item)
    observers = message.observers
    count = len(observers) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for observers_item in observers:
        _write_replica_state_v1(out, observers_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_partition_data_v1(out: Pieces, message: DescribeQuorumResponsePartitionData) -> Steps[None]:
    current_voters = message.current_voters
    count = len(current_voters) + 1
    if count < 128:
        out.append(_pack_ihiiqB(
            message.partition_index,
            message.error_code,
            message.leader_id,
            message.leader_epoch,
            message.high_watermark,
            count,
        ))
    else:
        out.append(_pack_ihiiq(
            message.partition_index,
            message.error_code,
            message.leader_id,
            message.leader_epoch,
            message.high_watermark,
        ))
        out.append(pack_length(count))
    for current_voters_item in current_voters:
        _write_replica_state_v1(out, current_voters_item)
        yield
    observers = message.observers
    count = len(observers) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for observers_item in observers:
        _write_replica_state_v1(out, observers_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topic_data_v1(out: Pieces, message: DescribeQuorumResponseTopicData) -> None:
    topic_name = message.topic_name
    data = topic_name.encode()
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
        _write_partition_data_v1(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_topic_data_v1(out: Pieces, message: DescribeQuorumResponseTopicData) -> Steps[None]:
    topic_name = message.topic_name
    data = topic_name.encode()
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
        yield from _step_write_partition_data_v1(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: DescribeQuorumResponse) -> None:
    if len(message.nodes) != 0:
        raise Malformed
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_hB(message.error_code, count))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_data_v1(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v1(out: Pieces, message: DescribeQuorumResponse) -> Steps[None]:
    if len(message.nodes) != 0:
        raise Malformed
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_hB(message.error_code, count))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_topic_data_v1(out, topics_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_replica_state_v2(out: Pieces, message: DescribeQuorumResponseReplicaState) -> None:
    replica_directory_id = message.replica_directory_id
    if len(replica_directory_id) != 16:
        raise Malformed
    if message.unknown_tags:
        out.append(_pack_iuqqq(
            message.replica_id,
            replica_directory_id,
            message.log_end_offset,
            message.last_fetch_timestamp,
            message.last_caught_up_timestamp,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iuqqqB(
            message.replica_id,
            replica_directory_id,
            message.log_end_offset,
            message.last_fetch_timestamp,
            message.last_caught_up_timestamp,
            0,
        ))


def _write_partition_data_v2(out: Pieces, message: DescribeQuorumResponsePartitionData) -> None:
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
    current_voters = message.current_voters
    count = len(current_voters) + 1
    if count < 128:
        out.append(_pack_iiqB(message.leader_id, message.leader_epoch, message.high_watermark, count))
    else:
        out.append(_pack_iiq(message.leader_id, message.leader_epoch, message.high_watermark))
        out.append(pack_length(count))
    for current_voters_item in current_voters:
        _write_replica_state_v2(out, current_voters_item)
    observers = message.observers
    count = len(observers) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for observers_item in observers:
        _write_replica_state_v2(out, observers_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_partition_data_v2(out: Pieces, message: DescribeQuorumResponsePartitionData) -> Steps[None]:
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
    current_voters = message.current_voters
    count = len(current_voters) + 1
    if count < 128:
        out.append(_pack_iiqB(message.leader_id, message.leader_epoch, message.high_watermark, count))
    else:
        out.append(_pack_iiq(message.leader_id, message.leader_epoch, message.high_watermark))
        out.append(pack_length(count))
    for current_voters_item in current_voters:
        _write_replica_state_v2(out, current_voters_item)
        yield
    observers = message.observers
    count = len(observers) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for observers_item in observers:
        _write_replica_state_v2(out, observers_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topic_data_v2(out: Pieces, message: DescribeQuorumResponseTopicData) -> None:
    topic_name = message.topic_name
    data = topic_name.encode()
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
        _write_partition_data_v2(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_topic_data_v2(out: Pieces, message: DescribeQuorumResponseTopicData) -> Steps[None]:
    topic_name = message.topic_name
    data = topic_name.encode()
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
        yield from _step_write_partition_data_v2(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_listener_v2(out: Pieces, message: DescribeQuorumResponseListener) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    host = message.host
    data = host.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_H(message.port))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_HB(message.port, 0))


def _write_node_v2(out: Pieces, message: DescribeQuorumResponseNode) -> None:
    listeners = message.listeners
    count = len(listeners) + 1
    if count < 128:
        out.append(_pack_iB(message.node_id, count))
    else:
        out.append(_pack_i(message.node_id))
        out.append(pack_length(count))
    for listeners_item in listeners:
        _write_listener_v2(out, listeners_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_node_v2(out: Pieces, message: DescribeQuorumResponseNode) -> Steps[None]:
    listeners = message.listeners
    count = len(listeners) + 1
    if count < 128:
        out.append(_pack_iB(message.node_id, count))
    else:
        out.append(_pack_i(message.node_id))
        out.append(pack_length(count))
    for listeners_item in listeners:
        _write_listener_v2(out, listeners_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v2(out: Pieces, message: DescribeQuorumResponse) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_data_v2(out, topics_item)
    nodes = message.nodes
    count = len(nodes) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for nodes_item in nodes:
        _write_node_v2(out, nodes_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v2(out: Pieces, message: DescribeQuorumResponse) -> Steps[None]:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_topic_data_v2(out, topics_item)
        yield
    nodes = message.nodes
    count = len(nodes) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for nodes_item in nodes:
        yield from _step_write_node_v2(out, nodes_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
    _read_v1,
    _read_v2,
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v2,
)

_STEP_WRITERS = (
    _step_write_v0,
    _step_write_v1,
    _step_write_v2,
)


@cache
def _schema() -> MessageSchema:
    replica_state_struct = StructSchema(
        python_class=DescribeQuorumResponseReplicaState,
        fields=(
            FieldSchema(
                name="ReplicaId",
                attribute="replica_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ReplicaDirectoryId",
                attribute="replica_directory_id",
                type="uuid",
                versions=(2, 32767),
                default=ZERO_UUID,
            ),
            FieldSchema(
                name="LogEndOffset",
                attribute="log_end_offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LastFetchTimestamp",
                attribute="last_fetch_timestamp",
                type="int64",
                versions=(1, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="LastCaughtUpTimestamp",
                attribute="last_caught_up_timestamp",
                type="int64",
                versions=(1, 32767),
                default=-1,
                ignorable=True,
            ),
        ),
    )
    partition_data_struct = StructSchema(
        python_class=DescribeQuorumResponsePartitionData,
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
                versions=(2, 32767),
                nullable=(2, 32767),
                default="",
                ignorable=True,
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
                default=0,
            ),
            FieldSchema(
                name="HighWatermark",
                attribute="high_watermark",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="CurrentVoters",
                attribute="current_voters",
                type="ReplicaState",
                struct=replica_state_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="Observers",
                attribute="observers",
                type="ReplicaState",
                struct=replica_state_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    topic_data_struct = StructSchema(
        python_class=DescribeQuorumResponseTopicData,
        fields=(
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
                type="PartitionData",
                struct=partition_data_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    listener_struct = StructSchema(
        python_class=DescribeQuorumResponseListener,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(2, 32767),
                default="",
            ),
            FieldSchema(
                name="Host",
                attribute="host",
                type="string",
                versions=(2, 32767),
                default="",
            ),
            FieldSchema(
                name="Port",
                attribute="port",
                type="uint16",
                versions=(2, 32767),
                default=0,
            ),
        ),
    )
    node_struct = StructSchema(
        python_class=DescribeQuorumResponseNode,
        fields=(
            FieldSchema(
                name="NodeId",
                attribute="node_id",
                type="int32",
                versions=(2, 32767),
                default=0,
            ),
            FieldSchema(
                name="Listeners",
                attribute="listeners",
                type="Listener",
                struct=listener_struct,
                array=True,
                versions=(2, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    describe_quorum_response_struct = StructSchema(
        python_class=DescribeQuorumResponse,
        fields=(
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
                versions=(2, 32767),
                nullable=(2, 32767),
                default="",
                ignorable=True,
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
            FieldSchema(
                name="Nodes",
                attribute="nodes",
                type="Node",
                struct=node_struct,
                array=True,
                versions=(2, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="DescribeQuorumResponse", flexible_from=0, root=describe_quorum_response_struct)
