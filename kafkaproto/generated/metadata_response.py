"""MetadataResponse: versions 0-13, flexible from 9, api key 3.

Generated from api/MetadataResponse.json by codegen; change the schema, not this file.
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
_unpack_tB = struct.Struct(">?B").unpack_from
_unpack_ti = struct.Struct(">?i").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_unpack_hB = struct.Struct(">hB").unpack_from
_unpack_hh = struct.Struct(">hh").unpack_from
_unpack_hiii = struct.Struct(">hiii").unpack_from
_unpack_hiiiB = struct.Struct(">hiiiB").unpack_from
_unpack_hiiii = struct.Struct(">hiiii").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ih = struct.Struct(">ih").unpack_from
_unpack_ii = struct.Struct(">ii").unpack_from
_pack_ut = struct.Struct(">16s?").pack
_pack_utB = struct.Struct(">16s?B").pack
_pack_t = struct.Struct(">?").pack
_pack_tB = struct.Struct(">?B").pack
_pack_ti = struct.Struct(">?i").pack
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_hh = struct.Struct(">hh").pack
_pack_hiii = struct.Struct(">hiii").pack
_pack_hiiiB = struct.Struct(">hiiiB").pack
_pack_hiiii = struct.Struct(">hiiii").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ii = struct.Struct(">ii").pack


class MetadataResponseBroker(Struct):
    """MetadataResponseBroker of MetadataResponse."""

    __slots__ = ("node_id", "host", "port", "rack", "unknown_tags")

    node_id: int
    """Versions 0+."""
    host: str
    """Versions 0+."""
    port: int
    """Versions 0+."""
    rack: str | None
    """Versions 1+, null in 1+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        rack: str | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.rack = rack
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, MetadataResponseBroker)
            and self.node_id == other.node_id
            and self.host == other.host
            and self.port == other.port
            and self.rack == other.rack
            and self.unknown_tags == other.unknown_tags
        )



class MetadataResponsePartition(Struct):
    """MetadataResponsePartition of MetadataResponse."""

    __slots__ = (
        "error_code",
        "partition_index",
        "leader_id",
        "leader_epoch",
        "replica_nodes",
        "isr_nodes",
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
    """Versions 7+, dropped where a version lacks it."""
    replica_nodes: list[int]
    """Versions 0+."""
    isr_nodes: list[int]
    """Versions 0+."""
    offline_replicas: list[int]
    """Replicas on brokers or log directories that are down. Versions 5+, dropped where a version
    lacks it.
    """
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
        offline_replicas: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.error_code = error_code
        self.partition_index = partition_index
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.replica_nodes = [] if replica_nodes is EMPTY else replica_nodes
        self.isr_nodes = [] if isr_nodes is EMPTY else isr_nodes
        self.offline_replicas = [] if offline_replicas is EMPTY else offline_replicas
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, MetadataResponsePartition)
            and self.error_code == other.error_code
            and self.partition_index == other.partition_index
            and self.leader_id == other.leader_id
            and self.leader_epoch == other.leader_epoch
            and self.replica_nodes == other.replica_nodes
            and self.isr_nodes == other.isr_nodes
            and self.offline_replicas == other.offline_replicas
            and self.unknown_tags == other.unknown_tags
        )



class MetadataResponseTopic(Struct):
    """MetadataResponseTopic of MetadataResponse."""

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
    """Null for a topic id that is not known. Versions 0+, null in 12+."""
    topic_id: bytes
    """Versions 10+, dropped where a version lacks it."""
    is_internal: bool
    """Whether the topic belongs to Kafka itself. Versions 1+, dropped where a version lacks it."""
    partitions: list[MetadataResponsePartition]
    """Versions 0+."""
    topic_authorized_operations: int
    """Bit per operation allowed to the requester; the lowest int32 if it did not ask. Versions 8+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        error_code: int = 0,
        name: str | None = "",
        topic_id: bytes = ZERO_UUID,
        is_internal: bool = False,
        partitions: list[MetadataResponsePartition] = EMPTY,
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
            isinstance(other, MetadataResponseTopic)
            and self.error_code == other.error_code
            and self.name == other.name
            and self.topic_id == other.topic_id
            and self.is_internal == other.is_internal
            and self.partitions == other.partitions
            and self.topic_authorized_operations == other.topic_authorized_operations
            and self.unknown_tags == other.unknown_tags
        )



class MetadataResponse(Message):
    """Response MetadataResponse."""

    __slots__ = (
        "throttle_time_ms",
        "brokers",
        "cluster_id",
        "controller_id",
        "topics",
        "cluster_authorized_operations",
        "error_code",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "MetadataResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 3
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 13
    FLEXIBLE_FROM: ClassVar[int | None] = 9
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    Broker: TypeAlias = MetadataResponseBroker
    Partition: TypeAlias = MetadataResponsePartition
    Topic: TypeAlias = MetadataResponseTopic

    throttle_time_ms: int
    """Versions 3+, dropped where a version lacks it."""
    brokers: list[MetadataResponseBroker]
    """Versions 0+."""
    cluster_id: str | None
    """Versions 2+, null in 2+, dropped where a version lacks it."""
    controller_id: int
    """A broker that takes controller requests, or -1. Versions 1+, dropped where a version lacks it."""
    topics: list[MetadataResponseTopic]
    """Versions 0+."""
    cluster_authorized_operations: int
    """Bit per operation allowed to the requester; the lowest int32 if it did not ask. Versions 8-10."""
    error_code: int
    """Versions 13+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        brokers: list[MetadataResponseBroker] = EMPTY,
        cluster_id: str | None = None,
        controller_id: int = -1,
        topics: list[MetadataResponseTopic] = EMPTY,
        cluster_authorized_operations: int = -2147483648,
        error_code: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.brokers = [] if brokers is EMPTY else brokers
        self.cluster_id = cluster_id
        self.controller_id = controller_id
        self.topics = [] if topics is EMPTY else topics
        self.cluster_authorized_operations = cluster_authorized_operations
        self.error_code = error_code
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, MetadataResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.brokers == other.brokers
            and self.cluster_id == other.cluster_id
            and self.controller_id == other.controller_id
            and self.topics == other.topics
            and self.cluster_authorized_operations == other.cluster_authorized_operations
            and self.error_code == other.error_code
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[MetadataResponse, int]:
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


def _read_many_broker_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[MetadataResponseBroker], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[MetadataResponseBroker] = []
    for _ in range(size):
        message = MetadataResponseBroker.__new__(MetadataResponseBroker)
        message.node_id, length = _unpack_ih(buffer, position)
        position += 6
        if length < 0:
            raise Malformed
        end = position + length
        message.host = str(buffer[position:end], "utf-8")
        position = end
        (message.port,) = _unpack_i(buffer, position)
        position += 4
        message.rack = None
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_partition_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[MetadataResponsePartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[MetadataResponsePartition] = []
    for _ in range(size):
        message = MetadataResponsePartition.__new__(MetadataResponsePartition)
        message.error_code, message.partition_index, message.leader_id, count = _unpack_hiii(buffer, position)
        position += 14
        if count < 0:
            raise Malformed
        if count < TABLE_SIZE:
            message.replica_nodes = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.replica_nodes = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count < 0:
            raise Malformed
        if count < TABLE_SIZE:
            message.isr_nodes = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.isr_nodes = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        message.leader_epoch = -1
        message.offline_replicas = []
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_topic_v0(buffer: Buffer, position: int, size: int) -> tuple[list[MetadataResponseTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[MetadataResponseTopic] = []
    for _ in range(size):
        message = MetadataResponseTopic.__new__(MetadataResponseTopic)
        message.error_code, length = _unpack_hh(buffer, position)
        position += 4
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.partitions, position = _read_many_partition_v0(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.topic_id = ZERO_UUID
        message.is_internal = False
        message.topic_authorized_operations = -2147483648
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[MetadataResponse, int]:
    message = MetadataResponse.__new__(MetadataResponse)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.brokers, position = _read_many_broker_v0(buffer, position, count)
    elif not count:
        message.brokers = []
    else:
        raise Malformed
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.topics, position = _read_many_topic_v0(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.throttle_time_ms = 0
    message.cluster_id = None
    message.controller_id = -1
    message.cluster_authorized_operations = -2147483648
    message.error_code = 0
    message.unknown_tags = None
    return message, position


def _read_many_broker_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[MetadataResponseBroker], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[MetadataResponseBroker] = []
    for _ in range(size):
        message = MetadataResponseBroker.__new__(MetadataResponseBroker)
        message.node_id, length = _unpack_ih(buffer, position)
        position += 6
        if length < 0:
            raise Malformed
        end = position + length
        message.host = str(buffer[position:end], "utf-8")
        position = end
        message.port, length = _unpack_ih(buffer, position)
        position += 6
        if length < 0:
            message.rack = None
        else:
            end = position + length
            message.rack = str(buffer[position:end], "utf-8")
            position = end
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_topic_v1(buffer: Buffer, position: int, size: int) -> tuple[list[MetadataResponseTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[MetadataResponseTopic] = []
    for _ in range(size):
        message = MetadataResponseTopic.__new__(MetadataResponseTopic)
        message.error_code, length = _unpack_hh(buffer, position)
        position += 4
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.is_internal, count = _unpack_ti(buffer, position)
        position += 5
        if count > 0:
            message.partitions, position = _read_many_partition_v0(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.topic_id = ZERO_UUID
        message.topic_authorized_operations = -2147483648
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[MetadataResponse, int]:
    message = MetadataResponse.__new__(MetadataResponse)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.brokers, position = _read_many_broker_v1(buffer, position, count)
    elif not count:
        message.brokers = []
    else:
        raise Malformed
    message.controller_id, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.topics, position = _read_many_topic_v1(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.throttle_time_ms = 0
    message.cluster_id = None
    message.cluster_authorized_operations = -2147483648
    message.error_code = 0
    message.unknown_tags = None
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[MetadataResponse, int]:
    message = MetadataResponse.__new__(MetadataResponse)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.brokers, position = _read_many_broker_v1(buffer, position, count)
    elif not count:
        message.brokers = []
    else:
        raise Malformed
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        message.cluster_id = None
    else:
        end = position + length
        message.cluster_id = str(buffer[position:end], "utf-8")
        position = end
    message.controller_id, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.topics, position = _read_many_topic_v1(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.throttle_time_ms = 0
    message.cluster_authorized_operations = -2147483648
    message.error_code = 0
    message.unknown_tags = None
    return message, position


def _read_v3(buffer: Buffer, position: int) -> tuple[MetadataResponse, int]:
    message = MetadataResponse.__new__(MetadataResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.brokers, position = _read_many_broker_v1(buffer, position, count)
    elif not count:
        message.brokers = []
    else:
        raise Malformed
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        message.cluster_id = None
    else:
        end = position + length
        message.cluster_id = str(buffer[position:end], "utf-8")
        position = end
    message.controller_id, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.topics, position = _read_many_topic_v1(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.cluster_authorized_operations = -2147483648
    message.error_code = 0
    message.unknown_tags = None
    return message, position


def _read_many_partition_v5(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[MetadataResponsePartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[MetadataResponsePartition] = []
    for _ in range(size):
        message = MetadataResponsePartition.__new__(MetadataResponsePartition)
        message.error_code, message.partition_index, message.leader_id, count = _unpack_hiii(buffer, position)
        position += 14
        if count < 0:
            raise Malformed
        if count < TABLE_SIZE:
            message.replica_nodes = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.replica_nodes = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count < 0:
            raise Malformed
        if count < TABLE_SIZE:
            message.isr_nodes = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.isr_nodes = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count < 0:
            raise Malformed
        if count < TABLE_SIZE:
            message.offline_replicas = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.offline_replicas = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        message.leader_epoch = -1
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_topic_v5(buffer: Buffer, position: int, size: int) -> tuple[list[MetadataResponseTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[MetadataResponseTopic] = []
    for _ in range(size):
        message = MetadataResponseTopic.__new__(MetadataResponseTopic)
        message.error_code, length = _unpack_hh(buffer, position)
        position += 4
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.is_internal, count = _unpack_ti(buffer, position)
        position += 5
        if count > 0:
            message.partitions, position = _read_many_partition_v5(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.topic_id = ZERO_UUID
        message.topic_authorized_operations = -2147483648
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v5(buffer: Buffer, position: int) -> tuple[MetadataResponse, int]:
    message = MetadataResponse.__new__(MetadataResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.brokers, position = _read_many_broker_v1(buffer, position, count)
    elif not count:
        message.brokers = []
    else:
        raise Malformed
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        message.cluster_id = None
    else:
        end = position + length
        message.cluster_id = str(buffer[position:end], "utf-8")
        position = end
    message.controller_id, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.topics, position = _read_many_topic_v5(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.cluster_authorized_operations = -2147483648
    message.error_code = 0
    message.unknown_tags = None
    return message, position


def _read_many_partition_v7(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[MetadataResponsePartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[MetadataResponsePartition] = []
    for _ in range(size):
        message = MetadataResponsePartition.__new__(MetadataResponsePartition)
        (
            message.error_code,
            message.partition_index,
            message.leader_id,
            message.leader_epoch,
            count,
        ) = _unpack_hiiii(buffer, position)
        position += 18
        if count < 0:
            raise Malformed
        if count < TABLE_SIZE:
            message.replica_nodes = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.replica_nodes = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count < 0:
            raise Malformed
        if count < TABLE_SIZE:
            message.isr_nodes = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.isr_nodes = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count < 0:
            raise Malformed
        if count < TABLE_SIZE:
            message.offline_replicas = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.offline_replicas = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_topic_v7(buffer: Buffer, position: int, size: int) -> tuple[list[MetadataResponseTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[MetadataResponseTopic] = []
    for _ in range(size):
        message = MetadataResponseTopic.__new__(MetadataResponseTopic)
        message.error_code, length = _unpack_hh(buffer, position)
        position += 4
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.is_internal, count = _unpack_ti(buffer, position)
        position += 5
        if count > 0:
            message.partitions, position = _read_many_partition_v7(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.topic_id = ZERO_UUID
        message.topic_authorized_operations = -2147483648
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v7(buffer: Buffer, position: int) -> tuple[MetadataResponse, int]:
    message = MetadataResponse.__new__(MetadataResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.brokers, position = _read_many_broker_v1(buffer, position, count)
    elif not count:
        message.brokers = []
    else:
        raise Malformed
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        message.cluster_id = None
    else:
        end = position + length
        message.cluster_id = str(buffer[position:end], "utf-8")
        position = end
    message.controller_id, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.topics, position = _read_many_topic_v7(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.cluster_authorized_operations = -2147483648
    message.error_code = 0
    message.unknown_tags = None
    return message, position


def _read_many_topic_v8(buffer: Buffer, position: int, size: int) -> tuple[list[MetadataResponseTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[MetadataResponseTopic] = []
    for _ in range(size):
        message = MetadataResponseTopic.__new__(MetadataResponseTopic)
        message.error_code, length = _unpack_hh(buffer, position)
        position += 4
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.is_internal, count = _unpack_ti(buffer, position)
        position += 5
        if count > 0:
            message.partitions, position = _read_many_partition_v7(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        (message.topic_authorized_operations,) = _unpack_i(buffer, position)
        position += 4
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v8(buffer: Buffer, position: int) -> tuple[MetadataResponse, int]:
    message = MetadataResponse.__new__(MetadataResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.brokers, position = _read_many_broker_v1(buffer, position, count)
    elif not count:
        message.brokers = []
    else:
        raise Malformed
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        message.cluster_id = None
    else:
        end = position + length
        message.cluster_id = str(buffer[position:end], "utf-8")
        position = end
    message.controller_id, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.topics, position = _read_many_topic_v8(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    (message.cluster_authorized_operations,) = _unpack_i(buffer, position)
    position += 4
    message.error_code = 0
    message.unknown_tags = None
    return message, position


def _read_many_broker_v9(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[MetadataResponseBroker], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[MetadataResponseBroker] = []
    for _ in range(size):
        message = MetadataResponseBroker.__new__(MetadataResponseBroker)
        message.node_id, length = _unpack_iB(buffer, position)
        position += 5
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.host = str(buffer[position:end], "utf-8")
        position = end
        message.port, length = _unpack_iB(buffer, position)
        position += 5
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.rack = None
        else:
            end = position + length - 1
            message.rack = str(buffer[position:end], "utf-8")
            position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_partition_v9(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[MetadataResponsePartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[MetadataResponsePartition] = []
    for _ in range(size):
        message = MetadataResponsePartition.__new__(MetadataResponsePartition)
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


def _read_many_topic_v9(buffer: Buffer, position: int, size: int) -> tuple[list[MetadataResponseTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[MetadataResponseTopic] = []
    for _ in range(size):
        message = MetadataResponseTopic.__new__(MetadataResponseTopic)
        message.error_code, length = _unpack_hB(buffer, position)
        position += 3
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.is_internal, count = _unpack_tB(buffer, position)
        position += 2
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_partition_v9(buffer, position, count - 1)
        elif count:
            message.partitions = []
        else:
            raise Malformed
        message.topic_authorized_operations, tags = _unpack_iB(buffer, position)
        position += 5
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v9(buffer: Buffer, position: int) -> tuple[MetadataResponse, int]:
    message = MetadataResponse.__new__(MetadataResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.brokers, position = _read_many_broker_v9(buffer, position, count - 1)
    elif count:
        message.brokers = []
    else:
        raise Malformed
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
    message.controller_id, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_v9(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    message.cluster_authorized_operations, tags = _unpack_iB(buffer, position)
    position += 5
    message.error_code = 0
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_topic_v10(buffer: Buffer, position: int, size: int) -> tuple[list[MetadataResponseTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[MetadataResponseTopic] = []
    for _ in range(size):
        message = MetadataResponseTopic.__new__(MetadataResponseTopic)
        message.error_code, length = _unpack_hB(buffer, position)
        position += 3
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.topic_id, message.is_internal, count = _unpack_utB(buffer, position)
        position += 18
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_partition_v9(buffer, position, count - 1)
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


def _read_v10(buffer: Buffer, position: int) -> tuple[MetadataResponse, int]:
    message = MetadataResponse.__new__(MetadataResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.brokers, position = _read_many_broker_v9(buffer, position, count - 1)
    elif count:
        message.brokers = []
    else:
        raise Malformed
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
    message.controller_id, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_v10(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    message.cluster_authorized_operations, tags = _unpack_iB(buffer, position)
    position += 5
    message.error_code = 0
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v11(buffer: Buffer, position: int) -> tuple[MetadataResponse, int]:
    message = MetadataResponse.__new__(MetadataResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.brokers, position = _read_many_broker_v9(buffer, position, count - 1)
    elif count:
        message.brokers = []
    else:
        raise Malformed
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
    message.controller_id, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_v10(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.cluster_authorized_operations = -2147483648
    message.error_code = 0
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_topic_v12(buffer: Buffer, position: int, size: int) -> tuple[list[MetadataResponseTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[MetadataResponseTopic] = []
    for _ in range(size):
        message = MetadataResponseTopic.__new__(MetadataResponseTopic)
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
            message.partitions, position = _read_many_partition_v9(buffer, position, count - 1)
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


def _read_v12(buffer: Buffer, position: int) -> tuple[MetadataResponse, int]:
    message = MetadataResponse.__new__(MetadataResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.brokers, position = _read_many_broker_v9(buffer, position, count - 1)
    elif count:
        message.brokers = []
    else:
        raise Malformed
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
    message.controller_id, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_v12(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.cluster_authorized_operations = -2147483648
    message.error_code = 0
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v13(buffer: Buffer, position: int) -> tuple[MetadataResponse, int]:
    message = MetadataResponse.__new__(MetadataResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.brokers, position = _read_many_broker_v9(buffer, position, count - 1)
    elif count:
        message.brokers = []
    else:
        raise Malformed
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
    message.controller_id, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_v12(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    message.error_code, tags = _unpack_hB(buffer, position)
    position += 3
    message.cluster_authorized_operations = -2147483648
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_broker_v0(out: Pieces, message: MetadataResponseBroker) -> None:
    host = message.host
    data = host.encode()
    length = len(data)
    out.append(_pack_ih(message.node_id, length))
    out.append(data)
    out.append(_pack_i(message.port))
    if message.unknown_tags:
        raise Malformed


def _write_partition_v0(out: Pieces, message: MetadataResponsePartition) -> None:
    replica_nodes = message.replica_nodes
    count = len(replica_nodes)
    out.append(_pack_hiii(message.error_code, message.partition_index, message.leader_id, count))
    if len(replica_nodes) < TABLE_SIZE:
        out.append(PACK_INT32[len(replica_nodes)](*replica_nodes))
    else:
        out.append(pack_many("i", replica_nodes))
    isr_nodes = message.isr_nodes
    count = len(isr_nodes)
    out.append(_pack_i(count))
    if len(isr_nodes) < TABLE_SIZE:
        out.append(PACK_INT32[len(isr_nodes)](*isr_nodes))
    else:
        out.append(pack_many("i", isr_nodes))
    if message.unknown_tags:
        raise Malformed


def _write_topic_v0(out: Pieces, message: MetadataResponseTopic) -> None:
    if message.topic_authorized_operations != -2147483648:
        raise Malformed
    name = message.name
    if name is None:
        raise Malformed
    data = name.encode()
    length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_partition_v0(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_topic_v0(out: Pieces, message: MetadataResponseTopic) -> Steps[None]:
    if message.topic_authorized_operations != -2147483648:
        raise Malformed
    name = message.name
    if name is None:
        raise Malformed
    data = name.encode()
    length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_partition_v0(out, partitions_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: MetadataResponse) -> None:
    if message.cluster_authorized_operations != -2147483648:
        raise Malformed
    brokers = message.brokers
    count = len(brokers)
    out.append(_pack_i(count))
    for brokers_item in brokers:
        _write_broker_v0(out, brokers_item)
    topics = message.topics
    count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        _write_topic_v0(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v0(out: Pieces, message: MetadataResponse) -> Steps[None]:
    if message.cluster_authorized_operations != -2147483648:
        raise Malformed
    brokers = message.brokers
    count = len(brokers)
    out.append(_pack_i(count))
    for brokers_item in brokers:
        _write_broker_v0(out, brokers_item)
        yield
    topics = message.topics
    count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        yield from _step_write_topic_v0(out, topics_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_broker_v1(out: Pieces, message: MetadataResponseBroker) -> None:
    host = message.host
    data = host.encode()
    length = len(data)
    out.append(_pack_ih(message.node_id, length))
    out.append(data)
    rack = message.rack
    if rack is None:
        data = b""
        length = -1
    else:
        data = rack.encode()
        length = len(data)
    out.append(_pack_ih(message.port, length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_topic_v1(out: Pieces, message: MetadataResponseTopic) -> None:
    if message.topic_authorized_operations != -2147483648:
        raise Malformed
    name = message.name
    if name is None:
        raise Malformed
    data = name.encode()
    length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_ti(message.is_internal, count))
    for partitions_item in partitions:
        _write_partition_v0(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_topic_v1(out: Pieces, message: MetadataResponseTopic) -> Steps[None]:
    if message.topic_authorized_operations != -2147483648:
        raise Malformed
    name = message.name
    if name is None:
        raise Malformed
    data = name.encode()
    length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_ti(message.is_internal, count))
    for partitions_item in partitions:
        _write_partition_v0(out, partitions_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: MetadataResponse) -> None:
    if message.cluster_authorized_operations != -2147483648:
        raise Malformed
    brokers = message.brokers
    count = len(brokers)
    out.append(_pack_i(count))
    for brokers_item in brokers:
        _write_broker_v1(out, brokers_item)
    topics = message.topics
    count = len(topics)
    out.append(_pack_ii(message.controller_id, count))
    for topics_item in topics:
        _write_topic_v1(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v1(out: Pieces, message: MetadataResponse) -> Steps[None]:
    if message.cluster_authorized_operations != -2147483648:
        raise Malformed
    brokers = message.brokers
    count = len(brokers)
    out.append(_pack_i(count))
    for brokers_item in brokers:
        _write_broker_v1(out, brokers_item)
        yield
    topics = message.topics
    count = len(topics)
    out.append(_pack_ii(message.controller_id, count))
    for topics_item in topics:
        yield from _step_write_topic_v1(out, topics_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: Pieces, message: MetadataResponse) -> None:
    if message.cluster_authorized_operations != -2147483648:
        raise Malformed
    brokers = message.brokers
    count = len(brokers)
    out.append(_pack_i(count))
    for brokers_item in brokers:
        _write_broker_v1(out, brokers_item)
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
    out.append(_pack_ii(message.controller_id, count))
    for topics_item in topics:
        _write_topic_v1(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v2(out: Pieces, message: MetadataResponse) -> Steps[None]:
    if message.cluster_authorized_operations != -2147483648:
        raise Malformed
    brokers = message.brokers
    count = len(brokers)
    out.append(_pack_i(count))
    for brokers_item in brokers:
        _write_broker_v1(out, brokers_item)
        yield
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
    out.append(_pack_ii(message.controller_id, count))
    for topics_item in topics:
        yield from _step_write_topic_v1(out, topics_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v3(out: Pieces, message: MetadataResponse) -> None:
    if message.cluster_authorized_operations != -2147483648:
        raise Malformed
    brokers = message.brokers
    count = len(brokers)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for brokers_item in brokers:
        _write_broker_v1(out, brokers_item)
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
    out.append(_pack_ii(message.controller_id, count))
    for topics_item in topics:
        _write_topic_v1(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v3(out: Pieces, message: MetadataResponse) -> Steps[None]:
    if message.cluster_authorized_operations != -2147483648:
        raise Malformed
    brokers = message.brokers
    count = len(brokers)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for brokers_item in brokers:
        _write_broker_v1(out, brokers_item)
        yield
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
    out.append(_pack_ii(message.controller_id, count))
    for topics_item in topics:
        yield from _step_write_topic_v1(out, topics_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_partition_v5(out: Pieces, message: MetadataResponsePartition) -> None:
    replica_nodes = message.replica_nodes
    count = len(replica_nodes)
    out.append(_pack_hiii(message.error_code, message.partition_index, message.leader_id, count))
    if len(replica_nodes) < TABLE_SIZE:
        out.append(PACK_INT32[len(replica_nodes)](*replica_nodes))
    else:
        out.append(pack_many("i", replica_nodes))
    isr_nodes = message.isr_nodes
    count = len(isr_nodes)
    out.append(_pack_i(count))
    if len(isr_nodes) < TABLE_SIZE:
        out.append(PACK_INT32[len(isr_nodes)](*isr_nodes))
    else:
        out.append(pack_many("i", isr_nodes))
    offline_replicas = message.offline_replicas
    count = len(offline_replicas)
    out.append(_pack_i(count))
    if len(offline_replicas) < TABLE_SIZE:
        out.append(PACK_INT32[len(offline_replicas)](*offline_replicas))
    else:
        out.append(pack_many("i", offline_replicas))
    if message.unknown_tags:
        raise Malformed


def _write_topic_v5(out: Pieces, message: MetadataResponseTopic) -> None:
    if message.topic_authorized_operations != -2147483648:
        raise Malformed
    name = message.name
    if name is None:
        raise Malformed
    data = name.encode()
    length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_ti(message.is_internal, count))
    for partitions_item in partitions:
        _write_partition_v5(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_topic_v5(out: Pieces, message: MetadataResponseTopic) -> Steps[None]:
    if message.topic_authorized_operations != -2147483648:
        raise Malformed
    name = message.name
    if name is None:
        raise Malformed
    data = name.encode()
    length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_ti(message.is_internal, count))
    for partitions_item in partitions:
        _write_partition_v5(out, partitions_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v5(out: Pieces, message: MetadataResponse) -> None:
    if message.cluster_authorized_operations != -2147483648:
        raise Malformed
    brokers = message.brokers
    count = len(brokers)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for brokers_item in brokers:
        _write_broker_v1(out, brokers_item)
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
    out.append(_pack_ii(message.controller_id, count))
    for topics_item in topics:
        _write_topic_v5(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v5(out: Pieces, message: MetadataResponse) -> Steps[None]:
    if message.cluster_authorized_operations != -2147483648:
        raise Malformed
    brokers = message.brokers
    count = len(brokers)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for brokers_item in brokers:
        _write_broker_v1(out, brokers_item)
        yield
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
    out.append(_pack_ii(message.controller_id, count))
    for topics_item in topics:
        yield from _step_write_topic_v5(out, topics_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_partition_v7(out: Pieces, message: MetadataResponsePartition) -> None:
    replica_nodes = message.replica_nodes
    count = len(replica_nodes)
    out.append(_pack_hiiii(
        message.error_code,
        message.partition_index,
        message.leader_id,
        message.leader_epoch,
        count,
    ))
    if len(replica_nodes) < TABLE_SIZE:
        out.append(PACK_INT32[len(replica_nodes)](*replica_nodes))
    else:
        out.append(pack_many("i", replica_nodes))
    isr_nodes = message.isr_nodes
    count = len(isr_nodes)
    out.append(_pack_i(count))
    if len(isr_nodes) < TABLE_SIZE:
        out.append(PACK_INT32[len(isr_nodes)](*isr_nodes))
    else:
        out.append(pack_many("i", isr_nodes))
    offline_replicas = message.offline_replicas
    count = len(offline_replicas)
    out.append(_pack_i(count))
    if len(offline_replicas) < TABLE_SIZE:
        out.append(PACK_INT32[len(offline_replicas)](*offline_replicas))
    else:
        out.append(pack_many("i", offline_replicas))
    if message.unknown_tags:
        raise Malformed


def _write_topic_v7(out: Pieces, message: MetadataResponseTopic) -> None:
    if message.topic_authorized_operations != -2147483648:
        raise Malformed
    name = message.name
    if name is None:
        raise Malformed
    data = name.encode()
    length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_ti(message.is_internal, count))
    for partitions_item in partitions:
        _write_partition_v7(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_topic_v7(out: Pieces, message: MetadataResponseTopic) -> Steps[None]:
    if message.topic_authorized_operations != -2147483648:
        raise Malformed
    name = message.name
    if name is None:
        raise Malformed
    data = name.encode()
    length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_ti(message.is_internal, count))
    for partitions_item in partitions:
        _write_partition_v7(out, partitions_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v7(out: Pieces, message: MetadataResponse) -> None:
    if message.cluster_authorized_operations != -2147483648:
        raise Malformed
    brokers = message.brokers
    count = len(brokers)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for brokers_item in brokers:
        _write_broker_v1(out, brokers_item)
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
    out.append(_pack_ii(message.controller_id, count))
    for topics_item in topics:
        _write_topic_v7(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v7(out: Pieces, message: MetadataResponse) -> Steps[None]:
    if message.cluster_authorized_operations != -2147483648:
        raise Malformed
    brokers = message.brokers
    count = len(brokers)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for brokers_item in brokers:
        _write_broker_v1(out, brokers_item)
        yield
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
    out.append(_pack_ii(message.controller_id, count))
    for topics_item in topics:
        yield from _step_write_topic_v7(out, topics_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_topic_v8(out: Pieces, message: MetadataResponseTopic) -> None:
    name = message.name
    if name is None:
        raise Malformed
    data = name.encode()
    length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_ti(message.is_internal, count))
    for partitions_item in partitions:
        _write_partition_v7(out, partitions_item)
    out.append(_pack_i(message.topic_authorized_operations))
    if message.unknown_tags:
        raise Malformed


def _step_write_topic_v8(out: Pieces, message: MetadataResponseTopic) -> Steps[None]:
    name = message.name
    if name is None:
        raise Malformed
    data = name.encode()
    length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_ti(message.is_internal, count))
    for partitions_item in partitions:
        _write_partition_v7(out, partitions_item)
        yield
    out.append(_pack_i(message.topic_authorized_operations))
    if message.unknown_tags:
        raise Malformed


def _write_v8(out: Pieces, message: MetadataResponse) -> None:
    brokers = message.brokers
    count = len(brokers)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for brokers_item in brokers:
        _write_broker_v1(out, brokers_item)
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
    out.append(_pack_ii(message.controller_id, count))
    for topics_item in topics:
        _write_topic_v8(out, topics_item)
    out.append(_pack_i(message.cluster_authorized_operations))
    if message.unknown_tags:
        raise Malformed


def _step_write_v8(out: Pieces, message: MetadataResponse) -> Steps[None]:
    brokers = message.brokers
    count = len(brokers)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for brokers_item in brokers:
        _write_broker_v1(out, brokers_item)
        yield
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
    out.append(_pack_ii(message.controller_id, count))
    for topics_item in topics:
        yield from _step_write_topic_v8(out, topics_item)
        yield
    out.append(_pack_i(message.cluster_authorized_operations))
    if message.unknown_tags:
        raise Malformed


def _write_broker_v9(out: Pieces, message: MetadataResponseBroker) -> None:
    host = message.host
    data = host.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_iB(message.node_id, length))
    else:
        out.append(_pack_i(message.node_id))
        out.append(pack_string_length(length))
    out.append(data)
    rack = message.rack
    if rack is None:
        data = b""
        length = 0
    else:
        data = rack.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_iB(message.port, length))
    else:
        out.append(_pack_i(message.port))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_partition_v9(out: Pieces, message: MetadataResponsePartition) -> None:
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


def _write_topic_v9(out: Pieces, message: MetadataResponseTopic) -> None:
    name = message.name
    if name is None:
        raise Malformed
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions) + 1
    if count < 128:
        out.append(_pack_tB(message.is_internal, count))
    else:
        out.append(_pack_t(message.is_internal))
        out.append(pack_length(count))
    for partitions_item in partitions:
        _write_partition_v9(out, partitions_item)
    if message.unknown_tags:
        out.append(_pack_i(message.topic_authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.topic_authorized_operations, 0))


def _step_write_topic_v9(out: Pieces, message: MetadataResponseTopic) -> Steps[None]:
    name = message.name
    if name is None:
        raise Malformed
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions) + 1
    if count < 128:
        out.append(_pack_tB(message.is_internal, count))
    else:
        out.append(_pack_t(message.is_internal))
        out.append(pack_length(count))
    for partitions_item in partitions:
        _write_partition_v9(out, partitions_item)
        yield
    if message.unknown_tags:
        out.append(_pack_i(message.topic_authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.topic_authorized_operations, 0))


def _write_v9(out: Pieces, message: MetadataResponse) -> None:
    brokers = message.brokers
    count = len(brokers) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for brokers_item in brokers:
        _write_broker_v9(out, brokers_item)
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
        out.append(_pack_iB(message.controller_id, count))
    else:
        out.append(_pack_i(message.controller_id))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_v9(out, topics_item)
    if message.unknown_tags:
        out.append(_pack_i(message.cluster_authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.cluster_authorized_operations, 0))


def _step_write_v9(out: Pieces, message: MetadataResponse) -> Steps[None]:
    brokers = message.brokers
    count = len(brokers) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for brokers_item in brokers:
        _write_broker_v9(out, brokers_item)
        yield
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
        out.append(_pack_iB(message.controller_id, count))
    else:
        out.append(_pack_i(message.controller_id))
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_topic_v9(out, topics_item)
        yield
    if message.unknown_tags:
        out.append(_pack_i(message.cluster_authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.cluster_authorized_operations, 0))


def _write_topic_v10(out: Pieces, message: MetadataResponseTopic) -> None:
    name = message.name
    if name is None:
        raise Malformed
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
        _write_partition_v9(out, partitions_item)
    if message.unknown_tags:
        out.append(_pack_i(message.topic_authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.topic_authorized_operations, 0))


def _step_write_topic_v10(out: Pieces, message: MetadataResponseTopic) -> Steps[None]:
    name = message.name
    if name is None:
        raise Malformed
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
        _write_partition_v9(out, partitions_item)
        yield
    if message.unknown_tags:
        out.append(_pack_i(message.topic_authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.topic_authorized_operations, 0))


def _write_v10(out: Pieces, message: MetadataResponse) -> None:
    brokers = message.brokers
    count = len(brokers) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for brokers_item in brokers:
        _write_broker_v9(out, brokers_item)
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
        out.append(_pack_iB(message.controller_id, count))
    else:
        out.append(_pack_i(message.controller_id))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_v10(out, topics_item)
    if message.unknown_tags:
        out.append(_pack_i(message.cluster_authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.cluster_authorized_operations, 0))


def _step_write_v10(out: Pieces, message: MetadataResponse) -> Steps[None]:
    brokers = message.brokers
    count = len(brokers) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for brokers_item in brokers:
        _write_broker_v9(out, brokers_item)
        yield
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
        out.append(_pack_iB(message.controller_id, count))
    else:
        out.append(_pack_i(message.controller_id))
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_topic_v10(out, topics_item)
        yield
    if message.unknown_tags:
        out.append(_pack_i(message.cluster_authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.cluster_authorized_operations, 0))


def _write_v11(out: Pieces, message: MetadataResponse) -> None:
    if message.cluster_authorized_operations != -2147483648:
        raise Malformed
    brokers = message.brokers
    count = len(brokers) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for brokers_item in brokers:
        _write_broker_v9(out, brokers_item)
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
        out.append(_pack_iB(message.controller_id, count))
    else:
        out.append(_pack_i(message.controller_id))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_v10(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v11(out: Pieces, message: MetadataResponse) -> Steps[None]:
    if message.cluster_authorized_operations != -2147483648:
        raise Malformed
    brokers = message.brokers
    count = len(brokers) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for brokers_item in brokers:
        _write_broker_v9(out, brokers_item)
        yield
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
        out.append(_pack_iB(message.controller_id, count))
    else:
        out.append(_pack_i(message.controller_id))
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_topic_v10(out, topics_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topic_v12(out: Pieces, message: MetadataResponseTopic) -> None:
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
        _write_partition_v9(out, partitions_item)
    if message.unknown_tags:
        out.append(_pack_i(message.topic_authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.topic_authorized_operations, 0))


def _step_write_topic_v12(out: Pieces, message: MetadataResponseTopic) -> Steps[None]:
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
        _write_partition_v9(out, partitions_item)
        yield
    if message.unknown_tags:
        out.append(_pack_i(message.topic_authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.topic_authorized_operations, 0))


def _write_v12(out: Pieces, message: MetadataResponse) -> None:
    if message.cluster_authorized_operations != -2147483648:
        raise Malformed
    brokers = message.brokers
    count = len(brokers) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for brokers_item in brokers:
        _write_broker_v9(out, brokers_item)
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
        out.append(_pack_iB(message.controller_id, count))
    else:
        out.append(_pack_i(message.controller_id))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_v12(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v12(out: Pieces, message: MetadataResponse) -> Steps[None]:
    if message.cluster_authorized_operations != -2147483648:
        raise Malformed
    brokers = message.brokers
    count = len(brokers) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for brokers_item in brokers:
        _write_broker_v9(out, brokers_item)
        yield
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
        out.append(_pack_iB(message.controller_id, count))
    else:
        out.append(_pack_i(message.controller_id))
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_topic_v12(out, topics_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v13(out: Pieces, message: MetadataResponse) -> None:
    if message.cluster_authorized_operations != -2147483648:
        raise Malformed
    brokers = message.brokers
    count = len(brokers) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for brokers_item in brokers:
        _write_broker_v9(out, brokers_item)
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
        out.append(_pack_iB(message.controller_id, count))
    else:
        out.append(_pack_i(message.controller_id))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_v12(out, topics_item)
    if message.unknown_tags:
        out.append(_pack_h(message.error_code))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hB(message.error_code, 0))


def _step_write_v13(out: Pieces, message: MetadataResponse) -> Steps[None]:
    if message.cluster_authorized_operations != -2147483648:
        raise Malformed
    brokers = message.brokers
    count = len(brokers) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for brokers_item in brokers:
        _write_broker_v9(out, brokers_item)
        yield
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
        out.append(_pack_iB(message.controller_id, count))
    else:
        out.append(_pack_i(message.controller_id))
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_topic_v12(out, topics_item)
        yield
    if message.unknown_tags:
        out.append(_pack_h(message.error_code))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hB(message.error_code, 0))


_READERS = (
    _read_v0,
    _read_v1,
    _read_v2,
    _read_v3,
    _read_v3,
    _read_v5,
    _read_v5,
    _read_v7,
    _read_v8,
    _read_v9,
    _read_v10,
    _read_v11,
    _read_v12,
    _read_v13,
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v2,
    _write_v3,
    _write_v3,
    _write_v5,
    _write_v5,
    _write_v7,
    _write_v8,
    _write_v9,
    _write_v10,
    _write_v11,
    _write_v12,
    _write_v13,
)

_STEP_WRITERS = (
    _step_write_v0,
    _step_write_v1,
    _step_write_v2,
    _step_write_v3,
    _step_write_v3,
    _step_write_v5,
    _step_write_v5,
    _step_write_v7,
    _step_write_v8,
    _step_write_v9,
    _step_write_v10,
    _step_write_v11,
    _step_write_v12,
    _step_write_v13,
)


@cache
def _schema() -> MessageSchema:
    metadata_response_broker_struct = StructSchema(
        python_class=MetadataResponseBroker,
        fields=(
            FieldSchema(
                name="NodeId",
                attribute="node_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Host",
                attribute="host",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Port",
                attribute="port",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Rack",
                attribute="rack",
                type="string",
                versions=(1, 32767),
                nullable=(1, 32767),
                default=None,
                ignorable=True,
            ),
        ),
    )
    metadata_response_partition_struct = StructSchema(
        python_class=MetadataResponsePartition,
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
                versions=(7, 32767),
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
                name="OfflineReplicas",
                attribute="offline_replicas",
                type="int32",
                array=True,
                versions=(5, 32767),
                default=Default.EMPTY_ARRAY,
                ignorable=True,
            ),
        ),
    )
    metadata_response_topic_struct = StructSchema(
        python_class=MetadataResponseTopic,
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
                nullable=(12, 32767),
                default="",
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
                name="IsInternal",
                attribute="is_internal",
                type="bool",
                versions=(1, 32767),
                default=False,
                ignorable=True,
            ),
            FieldSchema(
                name="Partitions",
                attribute="partitions",
                type="MetadataResponsePartition",
                struct=metadata_response_partition_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="TopicAuthorizedOperations",
                attribute="topic_authorized_operations",
                type="int32",
                versions=(8, 32767),
                default=-2147483648,
            ),
        ),
    )
    metadata_response_struct = StructSchema(
        python_class=MetadataResponse,
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
                name="Brokers",
                attribute="brokers",
                type="MetadataResponseBroker",
                struct=metadata_response_broker_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="ClusterId",
                attribute="cluster_id",
                type="string",
                versions=(2, 32767),
                nullable=(2, 32767),
                default=None,
                ignorable=True,
            ),
            FieldSchema(
                name="ControllerId",
                attribute="controller_id",
                type="int32",
                versions=(1, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="MetadataResponseTopic",
                struct=metadata_response_topic_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="ClusterAuthorizedOperations",
                attribute="cluster_authorized_operations",
                type="int32",
                versions=(8, 10),
                default=-2147483648,
            ),
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(13, 32767),
                default=0,
                ignorable=True,
            ),
        ),
    )
    return MessageSchema(name="MetadataResponse", flexible_from=9, root=metadata_response_struct)
