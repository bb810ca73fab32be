"""BeginQuorumEpochResponse: versions 0-1, flexible from 1, api key 53.

Generated from api/BeginQuorumEpochResponse.json by codegen; change the schema, not this file.
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
    read_tag_section,
    read_unknown_tags,
    write_tag_section,
)

_unpack_HB = struct.Struct(">HB").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_unpack_hB = struct.Struct(">hB").unpack_from
_unpack_hi = struct.Struct(">hi").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ihii = struct.Struct(">ihii").unpack_from
_unpack_ihiiB = struct.Struct(">ihiiB").unpack_from
_pack_H = struct.Struct(">H").pack
_pack_HB = struct.Struct(">HB").pack
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_hi = struct.Struct(">hi").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ihii = struct.Struct(">ihii").pack
_pack_ihiiB = struct.Struct(">ihiiB").pack


class BeginQuorumEpochResponsePartitionData(Struct):
    """PartitionData of BeginQuorumEpochResponse."""

    __slots__ = ("partition_index", "error_code", "leader_id", "leader_epoch", "unknown_tags")

    partition_index: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    leader_id: int
    """Leader known to the answering node, or -1. Versions 0+."""
    leader_epoch: int
    """Epoch of the answering node. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        leader_id: int = 0,
        leader_epoch: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BeginQuorumEpochResponsePartitionData)
            and self.partition_index == other.partition_index
            and self.error_code == other.error_code
            and self.leader_id == other.leader_id
            and self.leader_epoch == other.leader_epoch
            and self.unknown_tags == other.unknown_tags
        )



class BeginQuorumEpochResponseTopicData(Struct):
    """TopicData of BeginQuorumEpochResponse."""

    __slots__ = ("topic_name", "partitions", "unknown_tags")

    topic_name: str
    """Versions 0+."""
    partitions: list[BeginQuorumEpochResponsePartitionData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_name: str = "",
        partitions: list[BeginQuorumEpochResponsePartitionData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BeginQuorumEpochResponseTopicData)
            and self.topic_name == other.topic_name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class BeginQuorumEpochResponseNodeEndpoint(Struct):
    """NodeEndpoint of BeginQuorumEpochResponse."""

    __slots__ = ("node_id", "host", "port", "unknown_tags")

    node_id: int
    """Versions 1+."""
    host: str
    """Versions 1+."""
    port: int
    """Versions 1+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BeginQuorumEpochResponseNodeEndpoint)
            and self.node_id == other.node_id
            and self.host == other.host
            and self.port == other.port
            and self.unknown_tags == other.unknown_tags
        )



class BeginQuorumEpochResponse(Message):
    """Response BeginQuorumEpochResponse."""

    __slots__ = ("error_code", "topics", "node_endpoints", "unknown_tags")

    NAME: ClassVar[str] = "BeginQuorumEpochResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 53
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    PartitionData: TypeAlias = BeginQuorumEpochResponsePartitionData
    TopicData: TypeAlias = BeginQuorumEpochResponseTopicData
    NodeEndpoint: TypeAlias = BeginQuorumEpochResponseNodeEndpoint

    error_code: int
    """Concerns the request as a whole; the partition has its own. Versions 0+."""
    topics: list[BeginQuorumEpochResponseTopicData]
    """Versions 0+."""
    node_endpoints: list[BeginQuorumEpochResponseNodeEndpoint]
    """How the leader is reached, on the listener name over which the request came. Versions 1+, tag
    0 in 1+.
    """
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        error_code: int = 0,
        topics: list[BeginQuorumEpochResponseTopicData] = EMPTY,
        node_endpoints: list[BeginQuorumEpochResponseNodeEndpoint] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.error_code = error_code
        self.topics = [] if topics is EMPTY else topics
        self.node_endpoints = [] if node_endpoints is EMPTY else node_endpoints
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BeginQuorumEpochResponse)
            and self.error_code == other.error_code
            and self.topics == other.topics
            and self.node_endpoints == other.node_endpoints
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[BeginQuorumEpochResponse, int]:
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
) -> tuple[list[BeginQuorumEpochResponsePartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[BeginQuorumEpochResponsePartitionData] = []
    for _ in range(size):
        message = BeginQuorumEpochResponsePartitionData.__new__(BeginQuorumEpochResponsePartitionData)
        (
            message.partition_index,
            message.error_code,
            message.leader_id,
            message.leader_epoch,
        ) = _unpack_ihii(buffer, position)
        position += 14
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_topic_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[BeginQuorumEpochResponseTopicData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[BeginQuorumEpochResponseTopicData] = []
    for _ in range(size):
        message = BeginQuorumEpochResponseTopicData.__new__(BeginQuorumEpochResponseTopicData)
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


def _read_v0(buffer: Buffer, position: int) -> tuple[BeginQuorumEpochResponse, int]:
    message = BeginQuorumEpochResponse.__new__(BeginQuorumEpochResponse)
    message.error_code, count = _unpack_hi(buffer, position)
    position += 6
    if count > 0:
        message.topics, position = _read_many_topic_data_v0(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.node_endpoints = []
    message.unknown_tags = None
    return message, position


def _read_many_partition_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[BeginQuorumEpochResponsePartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[BeginQuorumEpochResponsePartitionData] = []
    for _ in range(size):
        message = BeginQuorumEpochResponsePartitionData.__new__(BeginQuorumEpochResponsePartitionData)
        (
            message.partition_index,
            message.error_code,
            message.leader_id,
            message.leader_epoch,
            tags,
        ) = _unpack_ihiiB(buffer, position)
        position += 15
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_topic_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[BeginQuorumEpochResponseTopicData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[BeginQuorumEpochResponseTopicData] = []
    for _ in range(size):
        message = BeginQuorumEpochResponseTopicData.__new__(BeginQuorumEpochResponseTopicData)
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


def _read_many_node_endpoint_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[BeginQuorumEpochResponseNodeEndpoint], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[BeginQuorumEpochResponseNodeEndpoint] = []
    for _ in range(size):
        message = BeginQuorumEpochResponseNodeEndpoint.__new__(BeginQuorumEpochResponseNodeEndpoint)
        message.node_id, length = _unpack_iB(buffer, position)
        position += 5
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


def _read_v1(buffer: Buffer, position: int) -> tuple[BeginQuorumEpochResponse, int]:
    message = BeginQuorumEpochResponse.__new__(BeginQuorumEpochResponse)
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
    message.node_endpoints = []
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                count = buffer[position]
                position += 1
                if count > 127:
                    count, position = read_long_length(buffer, position, count)
                if count > 1:
                    message.node_endpoints, position = _read_many_node_endpoint_v1(buffer, position, count - 1)
                elif count:
                    message.node_endpoints = []
                else:
                    raise Malformed
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _write_partition_data_v0(out: Pieces, message: BeginQuorumEpochResponsePartitionData) -> None:
    out.append(_pack_ihii(
        message.partition_index,
        message.error_code,
        message.leader_id,
        message.leader_epoch,
    ))
    if message.unknown_tags:
        raise Malformed


def _write_topic_data_v0(out: Pieces, message: BeginQuorumEpochResponseTopicData) -> None:
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


def _step_write_topic_data_v0(out: Pieces, message: BeginQuorumEpochResponseTopicData) -> Steps[None]:
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
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: BeginQuorumEpochResponse) -> None:
    if len(message.node_endpoints) != 0:
        raise Malformed
    topics = message.topics
    count = len(topics)
    out.append(_pack_hi(message.error_code, count))
    for topics_item in topics:
        _write_topic_data_v0(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v0(out: Pieces, message: BeginQuorumEpochResponse) -> Steps[None]:
    if len(message.node_endpoints) != 0:
        raise Malformed
    topics = message.topics
    count = len(topics)
    out.append(_pack_hi(message.error_code, count))
    for topics_item in topics:
        yield from _step_write_topic_data_v0(out, topics_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_partition_data_v1(out: Pieces, message: BeginQuorumEpochResponsePartitionData) -> None:
    if message.unknown_tags:
        out.append(_pack_ihii(
            message.partition_index,
            message.error_code,
            message.leader_id,
            message.leader_epoch,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_ihiiB(
            message.partition_index,
            message.error_code,
            message.leader_id,
            message.leader_epoch,
            0,
        ))


def _write_topic_data_v1(out: Pieces, message: BeginQuorumEpochResponseTopicData) -> None:
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


def _step_write_topic_data_v1(out: Pieces, message: BeginQuorumEpochResponseTopicData) -> Steps[None]:
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
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_node_endpoint_v1(out: Pieces, message: BeginQuorumEpochResponseNodeEndpoint) -> None:
    host = message.host
    data = host.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_iB(message.node_id, length))
    else:
        out.append(_pack_i(message.node_id))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_H(message.port))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_HB(message.port, 0))


def _write_v1(out: Pieces, message: BeginQuorumEpochResponse) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_hB(message.error_code, count))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_data_v1(out, topics_item)
    tagged = []
    section: Pieces
    if len(message.node_endpoints) != 0:
        section = []
        node_endpoints = message.node_endpoints
        count = len(node_endpoints) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        for node_endpoints_item in node_endpoints:
            _write_node_endpoint_v1(section, node_endpoints_item)
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v1(out: Pieces, message: BeginQuorumEpochResponse) -> Steps[None]:
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
    tagged = []
    section: Pieces
    if len(message.node_endpoints) != 0:
        section = []
        node_endpoints = message.node_endpoints
        count = len(node_endpoints) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        for node_endpoints_item in node_endpoints:
            _write_node_endpoint_v1(section, node_endpoints_item)
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
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

_STEP_WRITERS = (
    _step_write_v0,
    _step_write_v1,
)


@cache
def _schema() -> MessageSchema:
    partition_data_struct = StructSchema(
        python_class=BeginQuorumEpochResponsePartitionData,
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
        python_class=BeginQuorumEpochResponseTopicData,
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
    node_endpoint_struct = StructSchema(
        python_class=BeginQuorumEpochResponseNodeEndpoint,
        fields=(
            FieldSchema(
                name="NodeId",
                attribute="node_id",
                type="int32",
                versions=(1, 32767),
                default=0,
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
    begin_quorum_epoch_response_struct = StructSchema(
        python_class=BeginQuorumEpochResponse,
        fields=(
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
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
                name="NodeEndpoints",
                attribute="node_endpoints",
                type="NodeEndpoint",
                struct=node_endpoint_struct,
                array=True,
                versions=(1, 32767),
                tagged=(1, 32767),
                tag=0,
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="BeginQuorumEpochResponse",
        flexible_from=1,
        root=begin_quorum_epoch_response_struct,
    )
