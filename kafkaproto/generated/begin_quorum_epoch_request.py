"""BeginQuorumEpochRequest: versions 0-1, flexible from 1, api key 53.

Generated from api/BeginQuorumEpochRequest.json by codegen; change the schema, not this file.
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
_unpack_HB = struct.Struct(">HB").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iuiiB = struct.Struct(">i16siiB").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_iii = struct.Struct(">iii").unpack_from
_pack_H = struct.Struct(">H").pack
_pack_HB = struct.Struct(">HB").pack
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_iuii = struct.Struct(">i16sii").pack
_pack_iuiiB = struct.Struct(">i16siiB").pack
_pack_iB = struct.Struct(">iB").pack
_pack_iii = struct.Struct(">iii").pack


class BeginQuorumEpochRequestPartitionData(Struct):
    """PartitionData of BeginQuorumEpochRequest."""

    __slots__ = ("partition_index", "voter_directory_id", "leader_id", "leader_epoch", "unknown_tags")

    partition_index: int
    """Versions 0+."""
    voter_directory_id: bytes
    """Directory id that the receiver is taken for; zero leaves it unchecked. Versions 1+, dropped
    where a version lacks it.
    """
    leader_id: int
    """The sender, which won the election. Versions 0+."""
    leader_epoch: int
    """The epoch that it won. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        voter_directory_id: bytes = ZERO_UUID,
        leader_id: int = 0,
        leader_epoch: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.voter_directory_id = voter_directory_id
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BeginQuorumEpochRequestPartitionData)
            and self.partition_index == other.partition_index
            and self.voter_directory_id == other.voter_directory_id
            and self.leader_id == other.leader_id
            and self.leader_epoch == other.leader_epoch
            and self.unknown_tags == other.unknown_tags
        )



class BeginQuorumEpochRequestTopicData(Struct):
    """TopicData of BeginQuorumEpochRequest."""

    __slots__ = ("topic_name", "partitions", "unknown_tags")

    topic_name: str
    """Versions 0+."""
    partitions: list[BeginQuorumEpochRequestPartitionData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_name: str = "",
        partitions: list[BeginQuorumEpochRequestPartitionData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BeginQuorumEpochRequestTopicData)
            and self.topic_name == other.topic_name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class BeginQuorumEpochRequestLeaderEndpoint(Struct):
    """LeaderEndpoint of BeginQuorumEpochRequest."""

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
            isinstance(other, BeginQuorumEpochRequestLeaderEndpoint)
            and self.name == other.name
            and self.host == other.host
            and self.port == other.port
            and self.unknown_tags == other.unknown_tags
        )



class BeginQuorumEpochRequest(Message):
    """Request BeginQuorumEpochRequest."""

    __slots__ = ("cluster_id", "voter_id", "topics", "leader_endpoints", "unknown_tags")

    NAME: ClassVar[str] = "BeginQuorumEpochRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 53
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("controller",)
    PartitionData: TypeAlias = BeginQuorumEpochRequestPartitionData
    TopicData: TypeAlias = BeginQuorumEpochRequestTopicData
    LeaderEndpoint: TypeAlias = BeginQuorumEpochRequestLeaderEndpoint

    cluster_id: str | None
    """If given, must be the receiver's cluster id. Versions 0+, null in 0+."""
    voter_id: int
    """Id that the receiver is taken for; -1 leaves it unchecked. Versions 1+, dropped where a
    version lacks it.
    """
    topics: list[BeginQuorumEpochRequestTopicData]
    """The metadata partition: __cluster_metadata, 0. Versions 0+."""
    leader_endpoints: list[BeginQuorumEpochRequestLeaderEndpoint]
    """All of the leader's controller listeners. Versions 1+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        cluster_id: str | None = None,
        voter_id: int = -1,
        topics: list[BeginQuorumEpochRequestTopicData] = EMPTY,
        leader_endpoints: list[BeginQuorumEpochRequestLeaderEndpoint] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.cluster_id = cluster_id
        self.voter_id = voter_id
        self.topics = [] if topics is EMPTY else topics
        self.leader_endpoints = [] if leader_endpoints is EMPTY else leader_endpoints
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BeginQuorumEpochRequest)
            and self.cluster_id == other.cluster_id
            and self.voter_id == other.voter_id
            and self.topics == other.topics
            and self.leader_endpoints == other.leader_endpoints
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[BeginQuorumEpochRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[BeginQuorumEpochRequest, int]] | None:
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
) -> tuple[list[BeginQuorumEpochRequestPartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[BeginQuorumEpochRequestPartitionData] = []
    for _ in range(size):
        message = BeginQuorumEpochRequestPartitionData.__new__(BeginQuorumEpochRequestPartitionData)
        message.partition_index, message.leader_id, message.leader_epoch = _unpack_iii(buffer, position)
        position += 12
        message.voter_directory_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_topic_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[BeginQuorumEpochRequestTopicData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[BeginQuorumEpochRequestTopicData] = []
    for _ in range(size):
        message = BeginQuorumEpochRequestTopicData.__new__(BeginQuorumEpochRequestTopicData)
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
) -> Steps[tuple[list[BeginQuorumEpochRequestTopicData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[BeginQuorumEpochRequestTopicData] = []
    for _ in range(size):
        message = BeginQuorumEpochRequestTopicData.__new__(BeginQuorumEpochRequestTopicData)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.topic_name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "BeginQuorumEpochRequest.partitions")
        if count > 0:
            if count > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_partition_data_v0,
                    buffer,
                    position,
                    count,
                    budget,
                )
            else:
                message.partitions, position = _read_many_partition_data_v0(buffer, position, count)
                budget.take_tags(message.partitions)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[BeginQuorumEpochRequest, int]:
    message = BeginQuorumEpochRequest.__new__(BeginQuorumEpochRequest)
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
    message.voter_id = -1
    message.leader_endpoints = []
    message.unknown_tags = None
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[BeginQuorumEpochRequest, int]]:
    message = BeginQuorumEpochRequest.__new__(BeginQuorumEpochRequest)
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
    budget.take(count, "BeginQuorumEpochRequest.topics")
    if count > 0:
        message.topics, position = yield from _step_many_topic_data_v0(buffer, position, count, budget)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.voter_id = -1
    message.leader_endpoints = []
    message.unknown_tags = None
    return message, position


def _read_many_partition_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[BeginQuorumEpochRequestPartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[BeginQuorumEpochRequestPartitionData] = []
    for _ in range(size):
        message = BeginQuorumEpochRequestPartitionData.__new__(BeginQuorumEpochRequestPartitionData)
        (
            message.partition_index,
            message.voter_directory_id,
            message.leader_id,
            message.leader_epoch,
            tags,
        ) = _unpack_iuiiB(buffer, position)
        position += 29
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_topic_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[BeginQuorumEpochRequestTopicData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[BeginQuorumEpochRequestTopicData] = []
    for _ in range(size):
        message = BeginQuorumEpochRequestTopicData.__new__(BeginQuorumEpochRequestTopicData)
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
) -> Steps[tuple[list[BeginQuorumEpochRequestTopicData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[BeginQuorumEpochRequestTopicData] = []
    for _ in range(size):
        message = BeginQuorumEpochRequestTopicData.__new__(BeginQuorumEpochRequestTopicData)
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
        budget.take(count - 1, "BeginQuorumEpochRequest.partitions")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_partition_data_v1,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.partitions, position = _read_many_partition_data_v1(buffer, position, count - 1)
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


def _read_many_leader_endpoint_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[BeginQuorumEpochRequestLeaderEndpoint], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[BeginQuorumEpochRequestLeaderEndpoint] = []
    for _ in range(size):
        message = BeginQuorumEpochRequestLeaderEndpoint.__new__(BeginQuorumEpochRequestLeaderEndpoint)
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


def _read_v1(buffer: Buffer, position: int) -> tuple[BeginQuorumEpochRequest, int]:
    message = BeginQuorumEpochRequest.__new__(BeginQuorumEpochRequest)
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
    message.voter_id, count = _unpack_iB(buffer, position)
    position += 5
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


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[BeginQuorumEpochRequest, int]]:
    message = BeginQuorumEpochRequest.__new__(BeginQuorumEpochRequest)
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
    message.voter_id, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "BeginQuorumEpochRequest.topics")
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
    budget.take(count - 1, "BeginQuorumEpochRequest.leader_endpoints")
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


def _write_partition_data_v0(out: Pieces, message: BeginQuorumEpochRequestPartitionData) -> None:
    out.append(_pack_iii(message.partition_index, message.leader_id, message.leader_epoch))
    if message.unknown_tags:
        raise Malformed


def _write_topic_data_v0(out: Pieces, message: BeginQuorumEpochRequestTopicData) -> None:
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


def _write_v0(out: Pieces, message: BeginQuorumEpochRequest) -> None:
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


def _write_partition_data_v1(out: Pieces, message: BeginQuorumEpochRequestPartitionData) -> None:
    voter_directory_id = message.voter_directory_id
    if len(voter_directory_id) != 16:
        raise Malformed
    if message.unknown_tags:
        out.append(_pack_iuii(
            message.partition_index,
            voter_directory_id,
            message.leader_id,
            message.leader_epoch,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iuiiB(
            message.partition_index,
            voter_directory_id,
            message.leader_id,
            message.leader_epoch,
            0,
        ))


def _write_topic_data_v1(out: Pieces, message: BeginQuorumEpochRequestTopicData) -> None:
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


def _write_leader_endpoint_v1(out: Pieces, message: BeginQuorumEpochRequestLeaderEndpoint) -> None:
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


def _write_v1(out: Pieces, message: BeginQuorumEpochRequest) -> None:
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
        out.append(_pack_iB(message.voter_id, count))
    else:
        out.append(_pack_i(message.voter_id))
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
    partition_data_struct = StructSchema(
        python_class=BeginQuorumEpochRequestPartitionData,
        fields=(
            FieldSchema(
                name="PartitionIndex",
                attribute="partition_index",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="VoterDirectoryId",
                attribute="voter_directory_id",
                type="uuid",
                versions=(1, 32767),
                default=ZERO_UUID,
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
        ),
    )
    topic_data_struct = StructSchema(
        python_class=BeginQuorumEpochRequestTopicData,
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
        python_class=BeginQuorumEpochRequestLeaderEndpoint,
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
    begin_quorum_epoch_request_struct = StructSchema(
        python_class=BeginQuorumEpochRequest,
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
                name="VoterId",
                attribute="voter_id",
                type="int32",
                versions=(1, 32767),
                default=-1,
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
    return MessageSchema(
        name="BeginQuorumEpochRequest",
        flexible_from=1,
        root=begin_quorum_epoch_request_struct,
    )
