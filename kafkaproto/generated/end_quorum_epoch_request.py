"""EndQuorumEpochRequest: versions 0-1, flexible from 1, api key 54.

Generated from api/EndQuorumEpochRequest.json by codegen; change the schema, not this file.
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
    PACK_INT32,
    TABLE_SIZE,
    UNPACK_INT32,
    Budget,
    Buffer,
    Malformed,
    Pieces,
    Steps,
    pack_length,
    pack_many,
    pack_string_length,
    read_long_length,
    read_pieces,
    read_string_length,
    read_unknown_tags,
    unpack_many,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_HB = struct.Struct(">HB").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iuB = struct.Struct(">i16sB").unpack_from
_unpack_iiiB = struct.Struct(">iiiB").unpack_from
_unpack_iiii = struct.Struct(">iiii").unpack_from
_pack_H = struct.Struct(">H").pack
_pack_HB = struct.Struct(">HB").pack
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_iu = struct.Struct(">i16s").pack
_pack_iuB = struct.Struct(">i16sB").pack
_pack_iii = struct.Struct(">iii").pack
_pack_iiiB = struct.Struct(">iiiB").pack
_pack_iiii = struct.Struct(">iiii").pack


class EndQuorumEpochRequestReplicaInfo(Struct):
    """ReplicaInfo of EndQuorumEpochRequest."""

    __slots__ = ("candidate_id", "candidate_directory_id", "unknown_tags")

    candidate_id: int
    """Versions 1+."""
    candidate_directory_id: bytes
    """Versions 1+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        candidate_id: int = 0,
        candidate_directory_id: bytes = ZERO_UUID,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.candidate_id = candidate_id
        self.candidate_directory_id = candidate_directory_id
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, EndQuorumEpochRequestReplicaInfo)
            and self.candidate_id == other.candidate_id
            and self.candidate_directory_id == other.candidate_directory_id
            and self.unknown_tags == other.unknown_tags
        )



class EndQuorumEpochRequestPartitionData(Struct):
    """PartitionData of EndQuorumEpochRequest."""

    __slots__ = (
        "partition_index",
        "leader_id",
        "leader_epoch",
        "preferred_successors",
        "preferred_candidates",
        "unknown_tags",
    )

    partition_index: int
    """Versions 0+."""
    leader_id: int
    """The sender, which resigns. Versions 0+."""
    leader_epoch: int
    """The epoch that ends. Versions 0+."""
    preferred_successors: list[int]
    """Voters by how much of the log they have; the first should stand at once. Versions 0, dropped
    where a version lacks it.
    """
    preferred_candidates: list[EndQuorumEpochRequestReplicaInfo]
    """Voters by how much of the log they have; the first should stand at once. Versions 1+, dropped
    where a version lacks it.
    """
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        leader_id: int = 0,
        leader_epoch: int = 0,
        preferred_successors: list[int] = EMPTY,
        preferred_candidates: list[EndQuorumEpochRequestReplicaInfo] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.preferred_successors = [] if preferred_successors is EMPTY else preferred_successors
        self.preferred_candidates = [] if preferred_candidates is EMPTY else preferred_candidates
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, EndQuorumEpochRequestPartitionData)
            and self.partition_index == other.partition_index
            and self.leader_id == other.leader_id
            and self.leader_epoch == other.leader_epoch
            and self.preferred_successors == other.preferred_successors
            and self.preferred_candidates == other.preferred_candidates
            and self.unknown_tags == other.unknown_tags
        )



class EndQuorumEpochRequestTopicData(Struct):
    """TopicData of EndQuorumEpochRequest."""

    __slots__ = ("topic_name", "partitions", "unknown_tags")

    topic_name: str
    """Versions 0+."""
    partitions: list[EndQuorumEpochRequestPartitionData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_name: str = "",
        partitions: list[EndQuorumEpochRequestPartitionData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, EndQuorumEpochRequestTopicData)
            and self.topic_name == other.topic_name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class EndQuorumEpochRequestLeaderEndpoint(Struct):
    """LeaderEndpoint of EndQuorumEpochRequest."""

    __slots__ = ("name", "host", "port", "unknown_tags")

    name: str
    """Versions 1+."""
    host: str
    """Versions 1+."""
    port: int
    """Versions 1+."""
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
            isinstance(other, EndQuorumEpochRequestLeaderEndpoint)
            and self.name == other.name
            and self.host == other.host
            and self.port == other.port
            and self.unknown_tags == other.unknown_tags
        )



class EndQuorumEpochRequest(Message):
    """Request EndQuorumEpochRequest."""

    __slots__ = ("cluster_id", "topics", "leader_endpoints", "unknown_tags")

    NAME: ClassVar[str] = "EndQuorumEpochRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 54
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("controller",)
    ReplicaInfo: TypeAlias = EndQuorumEpochRequestReplicaInfo
    PartitionData: TypeAlias = EndQuorumEpochRequestPartitionData
    TopicData: TypeAlias = EndQuorumEpochRequestTopicData
    LeaderEndpoint: TypeAlias = EndQuorumEpochRequestLeaderEndpoint

    cluster_id: str | None
    """If given, must be the receiver's cluster id. Versions 0+, null in 0+."""
    topics: list[EndQuorumEpochRequestTopicData]
    """The metadata partition: __cluster_metadata, 0. Versions 0+."""
    leader_endpoints: list[EndQuorumEpochRequestLeaderEndpoint]
    """All of the leader's controller listeners. Versions 1+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        cluster_id: str | None = None,
        topics: list[EndQuorumEpochRequestTopicData] = EMPTY,
        leader_endpoints: list[EndQuorumEpochRequestLeaderEndpoint] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.cluster_id = cluster_id
        self.topics = [] if topics is EMPTY else topics
        self.leader_endpoints = [] if leader_endpoints is EMPTY else leader_endpoints
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, EndQuorumEpochRequest)
            and self.cluster_id == other.cluster_id
            and self.topics == other.topics
            and self.leader_endpoints == other.leader_endpoints
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[EndQuorumEpochRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[EndQuorumEpochRequest, int]] | None:
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
) -> tuple[list[EndQuorumEpochRequestPartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[EndQuorumEpochRequestPartitionData] = []
    for _ in range(size):
        message = EndQuorumEpochRequestPartitionData.__new__(EndQuorumEpochRequestPartitionData)
        (
            message.partition_index,
            message.leader_id,
            message.leader_epoch,
            count,
        ) = _unpack_iiii(buffer, position)
        position += 16
        if count < 0:
            raise Malformed
        if count < TABLE_SIZE:
            message.preferred_successors = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.preferred_successors = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        message.preferred_candidates = []
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_partition_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[EndQuorumEpochRequestPartitionData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[EndQuorumEpochRequestPartitionData] = []
    for _ in range(size):
        message = EndQuorumEpochRequestPartitionData.__new__(EndQuorumEpochRequestPartitionData)
        (
            message.partition_index,
            message.leader_id,
            message.leader_epoch,
            count,
        ) = _unpack_iiii(buffer, position)
        position += 16
        budget.take(count, "EndQuorumEpochRequest.preferred_successors")
        if count < 0:
            raise Malformed
        if count < TABLE_SIZE:
            message.preferred_successors = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.preferred_successors = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        yield
        message.preferred_candidates = []
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_many_topic_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[EndQuorumEpochRequestTopicData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[EndQuorumEpochRequestTopicData] = []
    for _ in range(size):
        message = EndQuorumEpochRequestTopicData.__new__(EndQuorumEpochRequestTopicData)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.topic_name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.partitions, position = _read_many_partition_data_v0(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_topic_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[EndQuorumEpochRequestTopicData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[EndQuorumEpochRequestTopicData] = []
    for _ in range(size):
        message = EndQuorumEpochRequestTopicData.__new__(EndQuorumEpochRequestTopicData)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.topic_name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "EndQuorumEpochRequest.partitions")
        if count > 0:
            message.partitions, position = yield from _step_many_partition_data_v0(buffer, position, count, budget)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[EndQuorumEpochRequest, int]:
    message = EndQuorumEpochRequest.__new__(EndQuorumEpochRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        message.cluster_id = None
    else:
        end = position + length
        message.cluster_id = str(buffer[position:end], "utf-8")
        position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.topics, position = _read_many_topic_data_v0(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.leader_endpoints = []
    message.unknown_tags = None
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[EndQuorumEpochRequest, int]]:
    message = EndQuorumEpochRequest.__new__(EndQuorumEpochRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        message.cluster_id = None
    else:
        end = position + length
        message.cluster_id = str(buffer[position:end], "utf-8")
        position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "EndQuorumEpochRequest.topics")
    if count > 0:
        message.topics, position = yield from _step_many_topic_data_v0(buffer, position, count, budget)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.leader_endpoints = []
    message.unknown_tags = None
    return message, position


def _read_many_replica_info_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[EndQuorumEpochRequestReplicaInfo], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[EndQuorumEpochRequestReplicaInfo] = []
    for _ in range(size):
        message = EndQuorumEpochRequestReplicaInfo.__new__(EndQuorumEpochRequestReplicaInfo)
        message.candidate_id, message.candidate_directory_id, tags = _unpack_iuB(buffer, position)
        position += 21
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_partition_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[EndQuorumEpochRequestPartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[EndQuorumEpochRequestPartitionData] = []
    for _ in range(size):
        message = EndQuorumEpochRequestPartitionData.__new__(EndQuorumEpochRequestPartitionData)
        (
            message.partition_index,
            message.leader_id,
            message.leader_epoch,
            count,
        ) = _unpack_iiiB(buffer, position)
        position += 13
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.preferred_candidates, position = _read_many_replica_info_v1(buffer, position, count - 1)
        elif count:
            message.preferred_candidates = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.preferred_successors = []
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
) -> Steps[tuple[list[EndQuorumEpochRequestPartitionData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[EndQuorumEpochRequestPartitionData] = []
    for _ in range(size):
        message = EndQuorumEpochRequestPartitionData.__new__(EndQuorumEpochRequestPartitionData)
        (
            message.partition_index,
            message.leader_id,
            message.leader_epoch,
            count,
        ) = _unpack_iiiB(buffer, position)
        position += 13
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "EndQuorumEpochRequest.preferred_candidates")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.preferred_candidates, position = yield from read_pieces(
                    _read_many_replica_info_v1,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.preferred_candidates, position = _read_many_replica_info_v1(buffer, position, count - 1)
                budget.take_tags(message.preferred_candidates)
        elif count:
            message.preferred_candidates = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.preferred_successors = []
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_many_topic_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[EndQuorumEpochRequestTopicData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[EndQuorumEpochRequestTopicData] = []
    for _ in range(size):
        message = EndQuorumEpochRequestTopicData.__new__(EndQuorumEpochRequestTopicData)
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


def _step_many_topic_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[EndQuorumEpochRequestTopicData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[EndQuorumEpochRequestTopicData] = []
    for _ in range(size):
        message = EndQuorumEpochRequestTopicData.__new__(EndQuorumEpochRequestTopicData)
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
        budget.take(count - 1, "EndQuorumEpochRequest.partitions")
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


def _read_many_leader_endpoint_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[EndQuorumEpochRequestLeaderEndpoint], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[EndQuorumEpochRequestLeaderEndpoint] = []
    for _ in range(size):
        message = EndQuorumEpochRequestLeaderEndpoint.__new__(EndQuorumEpochRequestLeaderEndpoint)
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


def _read_v1(buffer: Buffer, position: int) -> tuple[EndQuorumEpochRequest, int]:
    message = EndQuorumEpochRequest.__new__(EndQuorumEpochRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.cluster_id = None
    else:
        end = position + length - 1
        message.cluster_id = str(buffer[position:end], "utf-8")
        position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_data_v1(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.leader_endpoints, position = _read_many_leader_endpoint_v1(buffer, position, count - 1)
    elif count:
        message.leader_endpoints = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[EndQuorumEpochRequest, int]]:
    message = EndQuorumEpochRequest.__new__(EndQuorumEpochRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.cluster_id = None
    else:
        end = position + length - 1
        message.cluster_id = str(buffer[position:end], "utf-8")
        position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "EndQuorumEpochRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_topic_data_v1(buffer, position, count - 1, budget)
    elif count:
        message.topics = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "EndQuorumEpochRequest.leader_endpoints")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.leader_endpoints, position = yield from read_pieces(
                _read_many_leader_endpoint_v1,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.leader_endpoints, position = _read_many_leader_endpoint_v1(buffer, position, count - 1)
            budget.take_tags(message.leader_endpoints)
    elif count:
        message.leader_endpoints = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_partition_data_v0(out: Pieces, message: EndQuorumEpochRequestPartitionData) -> None:
    preferred_successors = message.preferred_successors
    count = len(preferred_successors)
    out.append(_pack_iiii(message.partition_index, message.leader_id, message.leader_epoch, count))
    if len(preferred_successors) < TABLE_SIZE:
        out.append(PACK_INT32[len(preferred_successors)](*preferred_successors))
    else:
        out.append(pack_many("i", preferred_successors))
    if message.unknown_tags:
        raise Malformed


def _write_topic_data_v0(out: Pieces, message: EndQuorumEpochRequestTopicData) -> None:
    topic_name = message.topic_name
    data = topic_name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_partition_data_v0(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: EndQuorumEpochRequest) -> None:
    cluster_id = message.cluster_id
    if cluster_id is None:
        data = b""
        length = -1
    else:
        data = cluster_id.encode()
        length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    topics = message.topics
    count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        _write_topic_data_v0(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _write_replica_info_v1(out: Pieces, message: EndQuorumEpochRequestReplicaInfo) -> None:
    candidate_directory_id = message.candidate_directory_id
    if len(candidate_directory_id) != 16:
        raise Malformed
    if message.unknown_tags:
        out.append(_pack_iu(message.candidate_id, candidate_directory_id))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iuB(message.candidate_id, candidate_directory_id, 0))


def _write_partition_data_v1(out: Pieces, message: EndQuorumEpochRequestPartitionData) -> None:
    preferred_candidates = message.preferred_candidates
    count = len(preferred_candidates) + 1
    if count < 128:
        out.append(_pack_iiiB(message.partition_index, message.leader_id, message.leader_epoch, count))
    else:
        out.append(_pack_iii(message.partition_index, message.leader_id, message.leader_epoch))
        out.append(pack_length(count))
    for preferred_candidates_item in preferred_candidates:
        _write_replica_info_v1(out, preferred_candidates_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topic_data_v1(out: Pieces, message: EndQuorumEpochRequestTopicData) -> None:
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


def _write_leader_endpoint_v1(out: Pieces, message: EndQuorumEpochRequestLeaderEndpoint) -> None:
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


def _write_v1(out: Pieces, message: EndQuorumEpochRequest) -> None:
    cluster_id = message.cluster_id
    if cluster_id is None:
        data = b""
        length = 0
    else:
        data = cluster_id.encode()
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
        _write_topic_data_v1(out, topics_item)
    leader_endpoints = message.leader_endpoints
    count = len(leader_endpoints) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for leader_endpoints_item in leader_endpoints:
        _write_leader_endpoint_v1(out, leader_endpoints_item)
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
    replica_info_struct = StructSchema(
        python_class=EndQuorumEpochRequestReplicaInfo,
        fields=(
            FieldSchema(
                name="CandidateId",
                attribute="candidate_id",
                type="int32",
                versions=(1, 32767),
                default=0,
            ),
            FieldSchema(
                name="CandidateDirectoryId",
                attribute="candidate_directory_id",
                type="uuid",
                versions=(1, 32767),
                default=ZERO_UUID,
            ),
        ),
    )
    partition_data_struct = StructSchema(
        python_class=EndQuorumEpochRequestPartitionData,
        fields=(
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
                default=0,
            ),
            FieldSchema(
                name="PreferredSuccessors",
                attribute="preferred_successors",
                type="int32",
                array=True,
                versions=(0, 0),
                default=Default.EMPTY_ARRAY,
                ignorable=True,
            ),
            FieldSchema(
                name="PreferredCandidates",
                attribute="preferred_candidates",
                type="ReplicaInfo",
                struct=replica_info_struct,
                array=True,
                versions=(1, 32767),
                default=Default.EMPTY_ARRAY,
                ignorable=True,
            ),
        ),
    )
    topic_data_struct = StructSchema(
        python_class=EndQuorumEpochRequestTopicData,
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
    leader_endpoint_struct = StructSchema(
        python_class=EndQuorumEpochRequestLeaderEndpoint,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(1, 32767),
                default="",
            ),
            FieldSchema(
                name="Host",
                attribute="host",
                type="string",
                versions=(1, 32767),
                default="",
            ),
            FieldSchema(
                name="Port",
                attribute="port",
                type="uint16",
                versions=(1, 32767),
                default=0,
            ),
        ),
    )
    end_quorum_epoch_request_struct = StructSchema(
        python_class=EndQuorumEpochRequest,
        fields=(
            FieldSchema(
                name="ClusterId",
                attribute="cluster_id",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
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
                name="LeaderEndpoints",
                attribute="leader_endpoints",
                type="LeaderEndpoint",
                struct=leader_endpoint_struct,
                array=True,
                versions=(1, 32767),
                default=Default.EMPTY_ARRAY,
                ignorable=True,
            ),
        ),
    )
    return MessageSchema(name="EndQuorumEpochRequest", flexible_from=1, root=end_quorum_epoch_request_struct)
