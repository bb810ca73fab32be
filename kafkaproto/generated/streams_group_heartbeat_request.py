"""StreamsGroupHeartbeatRequest: versions 0-1, flexible from 0, api key 88.

Generated from api/StreamsGroupHeartbeatRequest.json by codegen; change the schema, not this file.
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

_unpack_tB = struct.Struct(">?B").unpack_from
_unpack_HB = struct.Struct(">HB").unpack_from
_unpack_b = struct.Struct(">b").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ib = struct.Struct(">ib").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_iiB = struct.Struct(">iiB").unpack_from
_unpack_iqB = struct.Struct(">iqB").unpack_from
_pack_t = struct.Struct(">?").pack
_pack_tB = struct.Struct(">?B").pack
_pack_H = struct.Struct(">H").pack
_pack_HB = struct.Struct(">HB").pack
_pack_b = struct.Struct(">b").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ib = struct.Struct(">ib").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_ii = struct.Struct(">ii").pack
_pack_iiB = struct.Struct(">iiB").pack
_pack_iq = struct.Struct(">iq").pack
_pack_iqB = struct.Struct(">iqB").pack


class StreamsGroupHeartbeatRequestKeyValue(Struct):
    """KeyValue of StreamsGroupHeartbeatRequest."""

    __slots__ = ("key", "value", "unknown_tags")

    key: str
    """Versions 0+."""
    value: str
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        key: str = "",
        value: str = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.key = key
        self.value = value
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupHeartbeatRequestKeyValue)
            and self.key == other.key
            and self.value == other.value
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupHeartbeatRequestTopicInfo(Struct):
    """TopicInfo of StreamsGroupHeartbeatRequest."""

    __slots__ = ("name", "partitions", "replication_factor", "topic_configs", "unknown_tags")

    name: str
    """Versions 0+."""
    partitions: int
    """Versions 0+."""
    replication_factor: int
    """Versions 0+."""
    topic_configs: list[StreamsGroupHeartbeatRequestKeyValue]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        partitions: int = 0,
        replication_factor: int = 0,
        topic_configs: list[StreamsGroupHeartbeatRequestKeyValue] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.replication_factor = replication_factor
        self.topic_configs = [] if topic_configs is EMPTY else topic_configs
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupHeartbeatRequestTopicInfo)
            and self.name == other.name
            and self.partitions == other.partitions
            and self.replication_factor == other.replication_factor
            and self.topic_configs == other.topic_configs
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupHeartbeatRequestCopartitionGroup(Struct):
    """CopartitionGroup of StreamsGroupHeartbeatRequest."""

    __slots__ = ("source_topics", "source_topic_regex", "repartition_source_topics", "unknown_tags")

    source_topics: list[int]
    """Versions 0+."""
    source_topic_regex: list[int]
    """Versions 0+."""
    repartition_source_topics: list[int]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        source_topics: list[int] = EMPTY,
        source_topic_regex: list[int] = EMPTY,
        repartition_source_topics: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.source_topics = [] if source_topics is EMPTY else source_topics
        self.source_topic_regex = [] if source_topic_regex is EMPTY else source_topic_regex
        self.repartition_source_topics = [] if repartition_source_topics is EMPTY else repartition_source_topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupHeartbeatRequestCopartitionGroup)
            and self.source_topics == other.source_topics
            and self.source_topic_regex == other.source_topic_regex
            and self.repartition_source_topics == other.repartition_source_topics
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupHeartbeatRequestSubtopology(Struct):
    """Subtopology of StreamsGroupHeartbeatRequest."""

    __slots__ = (
        "subtopology_id",
        "source_topics",
        "source_topic_regex",
        "state_changelog_topics",
        "repartition_sink_topics",
        "repartition_source_topics",
        "copartition_groups",
        "unknown_tags",
    )

    subtopology_id: str
    """Versions 0+."""
    source_topics: list[str]
    """Versions 0+."""
    source_topic_regex: list[str]
    """Versions 0+."""
    state_changelog_topics: list[StreamsGroupHeartbeatRequestTopicInfo]
    """Versions 0+."""
    repartition_sink_topics: list[str]
    """Versions 0+."""
    repartition_source_topics: list[StreamsGroupHeartbeatRequestTopicInfo]
    """Versions 0+."""
    copartition_groups: list[StreamsGroupHeartbeatRequestCopartitionGroup]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        subtopology_id: str = "",
        source_topics: list[str] = EMPTY,
        source_topic_regex: list[str] = EMPTY,
        state_changelog_topics: list[StreamsGroupHeartbeatRequestTopicInfo] = EMPTY,
        repartition_sink_topics: list[str] = EMPTY,
        repartition_source_topics: list[StreamsGroupHeartbeatRequestTopicInfo] = EMPTY,
        copartition_groups: list[StreamsGroupHeartbeatRequestCopartitionGroup] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.subtopology_id = subtopology_id
        self.source_topics = [] if source_topics is EMPTY else source_topics
        self.source_topic_regex = [] if source_topic_regex is EMPTY else source_topic_regex
        self.state_changelog_topics = [] if state_changelog_topics is EMPTY else state_changelog_topics
        self.repartition_sink_topics = [] if repartition_sink_topics is EMPTY else repartition_sink_topics
        self.repartition_source_topics = [] if repartition_source_topics is EMPTY else repartition_source_topics
        self.copartition_groups = [] if copartition_groups is EMPTY else copartition_groups
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupHeartbeatRequestSubtopology)
            and self.subtopology_id == other.subtopology_id
            and self.source_topics == other.source_topics
            and self.source_topic_regex == other.source_topic_regex
            and self.state_changelog_topics == other.state_changelog_topics
            and self.repartition_sink_topics == other.repartition_sink_topics
            and self.repartition_source_topics == other.repartition_source_topics
            and self.copartition_groups == other.copartition_groups
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupHeartbeatRequestTopology(Struct):
    """Topology of StreamsGroupHeartbeatRequest."""

    __slots__ = ("epoch", "subtopologies", "unknown_tags")

    epoch: int
    """Versions 0+."""
    subtopologies: list[StreamsGroupHeartbeatRequestSubtopology]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        epoch: int = 0,
        subtopologies: list[StreamsGroupHeartbeatRequestSubtopology] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.epoch = epoch
        self.subtopologies = [] if subtopologies is EMPTY else subtopologies
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupHeartbeatRequestTopology)
            and self.epoch == other.epoch
            and self.subtopologies == other.subtopologies
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupHeartbeatRequestTaskIds(Struct):
    """TaskIds of StreamsGroupHeartbeatRequest."""

    __slots__ = ("subtopology_id", "partitions", "unknown_tags")

    subtopology_id: str
    """Versions 0+."""
    partitions: list[int]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        subtopology_id: str = "",
        partitions: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupHeartbeatRequestTaskIds)
            and self.subtopology_id == other.subtopology_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupHeartbeatRequestEndpoint(Struct):
    """Endpoint of StreamsGroupHeartbeatRequest."""

    __slots__ = ("host", "port", "unknown_tags")

    host: str
    """Versions 0+."""
    port: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        host: str = "",
        port: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.host = host
        self.port = port
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupHeartbeatRequestEndpoint)
            and self.host == other.host
            and self.port == other.port
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupHeartbeatRequestTaskOffset(Struct):
    """TaskOffset of StreamsGroupHeartbeatRequest."""

    __slots__ = ("subtopology_id", "partition", "offset", "unknown_tags")

    subtopology_id: str
    """Versions 0+."""
    partition: int
    """Versions 0+."""
    offset: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        subtopology_id: str = "",
        partition: int = 0,
        offset: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partition = partition
        self.offset = offset
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupHeartbeatRequestTaskOffset)
            and self.subtopology_id == other.subtopology_id
            and self.partition == other.partition
            and self.offset == other.offset
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupHeartbeatRequest(Message):
    """Request StreamsGroupHeartbeatRequest."""

    __slots__ = (
        "group_id",
        "member_id",
        "member_epoch",
        "endpoint_information_epoch",
        "instance_id",
        "rack_id",
        "rebalance_timeout_ms",
        "topology",
        "active_tasks",
        "standby_tasks",
        "warmup_tasks",
        "process_id",
        "user_endpoint",
        "client_tags",
        "task_offsets",
        "task_end_offsets",
        "shutdown_application",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "StreamsGroupHeartbeatRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 88
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    KeyValue: TypeAlias = StreamsGroupHeartbeatRequestKeyValue
    TopicInfo: TypeAlias = StreamsGroupHeartbeatRequestTopicInfo
    CopartitionGroup: TypeAlias = StreamsGroupHeartbeatRequestCopartitionGroup
    Subtopology: TypeAlias = StreamsGroupHeartbeatRequestSubtopology
    Topology: TypeAlias = StreamsGroupHeartbeatRequestTopology
    TaskIds: TypeAlias = StreamsGroupHeartbeatRequestTaskIds
    Endpoint: TypeAlias = StreamsGroupHeartbeatRequestEndpoint
    TaskOffset: TypeAlias = StreamsGroupHeartbeatRequestTaskOffset

    group_id: str
    """Versions 0+."""
    member_id: str
    """Versions 0+."""
    member_epoch: int
    """Versions 0+."""
    endpoint_information_epoch: int
    """Versions 0+."""
    instance_id: str | None
    """Versions 0+, null in 0+."""
    rack_id: str | None
    """Versions 0+, null in 0+."""
    rebalance_timeout_ms: int
    """Versions 0+."""
    topology: StreamsGroupHeartbeatRequestTopology | None
    """Versions 0+, null in 0+."""
    active_tasks: list[StreamsGroupHeartbeatRequestTaskIds] | None
    """Versions 0+, null in 0+."""
    standby_tasks: list[StreamsGroupHeartbeatRequestTaskIds] | None
    """Versions 0+, null in 0+."""
    warmup_tasks: list[StreamsGroupHeartbeatRequestTaskIds] | None
    """Versions 0+, null in 0+."""
    process_id: str | None
    """Versions 0+, null in 0+."""
    user_endpoint: StreamsGroupHeartbeatRequestEndpoint | None
    """Versions 0+, null in 0+."""
    client_tags: list[StreamsGroupHeartbeatRequestKeyValue] | None
    """Versions 0+, null in 0+."""
    task_offsets: list[StreamsGroupHeartbeatRequestTaskOffset] | None
    """Versions 0+, null in 0+."""
    task_end_offsets: list[StreamsGroupHeartbeatRequestTaskOffset] | None
    """Versions 0+, null in 0+."""
    shutdown_application: bool
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
        member_epoch: int = 0,
        endpoint_information_epoch: int = 0,
        instance_id: str | None = None,
        rack_id: str | None = None,
        rebalance_timeout_ms: int = -1,
        topology: StreamsGroupHeartbeatRequestTopology | None = None,
        active_tasks: list[StreamsGroupHeartbeatRequestTaskIds] | None = None,
        standby_tasks: list[StreamsGroupHeartbeatRequestTaskIds] | None = None,
        warmup_tasks: list[StreamsGroupHeartbeatRequestTaskIds] | None = None,
        process_id: str | None = None,
        user_endpoint: StreamsGroupHeartbeatRequestEndpoint | None = None,
        client_tags: list[StreamsGroupHeartbeatRequestKeyValue] | None = None,
        task_offsets: list[StreamsGroupHeartbeatRequestTaskOffset] | None = None,
        task_end_offsets: list[StreamsGroupHeartbeatRequestTaskOffset] | None = None,
        shutdown_application: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.endpoint_information_epoch = endpoint_information_epoch
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.topology = topology
        self.active_tasks = active_tasks
        self.standby_tasks = standby_tasks
        self.warmup_tasks = warmup_tasks
        self.process_id = process_id
        self.user_endpoint = user_endpoint
        self.client_tags = client_tags
        self.task_offsets = task_offsets
        self.task_end_offsets = task_end_offsets
        self.shutdown_application = shutdown_application
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupHeartbeatRequest)
            and self.group_id == other.group_id
            and self.member_id == other.member_id
            and self.member_epoch == other.member_epoch
            and self.endpoint_information_epoch == other.endpoint_information_epoch
            and self.instance_id == other.instance_id
            and self.rack_id == other.rack_id
            and self.rebalance_timeout_ms == other.rebalance_timeout_ms
            and self.topology == other.topology
            and self.active_tasks == other.active_tasks
            and self.standby_tasks == other.standby_tasks
            and self.warmup_tasks == other.warmup_tasks
            and self.process_id == other.process_id
            and self.user_endpoint == other.user_endpoint
            and self.client_tags == other.client_tags
            and self.task_offsets == other.task_offsets
            and self.task_end_offsets == other.task_end_offsets
            and self.shutdown_application == other.shutdown_application
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[StreamsGroupHeartbeatRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[StreamsGroupHeartbeatRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_key_value_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupHeartbeatRequestKeyValue], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupHeartbeatRequestKeyValue] = []
    for _ in range(size):
        message = StreamsGroupHeartbeatRequestKeyValue.__new__(StreamsGroupHeartbeatRequestKeyValue)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.key = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.value = str(buffer[position:end], "utf-8")
        position = end
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
) -> tuple[list[StreamsGroupHeartbeatRequestTopicInfo], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupHeartbeatRequestTopicInfo] = []
    for _ in range(size):
        message = StreamsGroupHeartbeatRequestTopicInfo.__new__(StreamsGroupHeartbeatRequestTopicInfo)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.partitions, message.replication_factor, count = _unpack_ihB(buffer, position)
        position += 7
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.topic_configs, position = _read_many_key_value_v0(buffer, position, count - 1)
        elif count:
            message.topic_configs = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_topic_info_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[StreamsGroupHeartbeatRequestTopicInfo], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupHeartbeatRequestTopicInfo] = []
    for _ in range(size):
        message = StreamsGroupHeartbeatRequestTopicInfo.__new__(StreamsGroupHeartbeatRequestTopicInfo)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.partitions, message.replication_factor, count = _unpack_ihB(buffer, position)
        position += 7
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "StreamsGroupHeartbeatRequest.topic_configs")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.topic_configs, position = yield from read_pieces(
                    _read_many_key_value_v0,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.topic_configs, position = _read_many_key_value_v0(buffer, position, count - 1)
                budget.take_tags(message.topic_configs)
        elif count:
            message.topic_configs = []
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


def _read_many_copartition_group_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupHeartbeatRequestCopartitionGroup], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupHeartbeatRequestCopartitionGroup] = []
    for _ in range(size):
        message = StreamsGroupHeartbeatRequestCopartitionGroup.__new__(
            StreamsGroupHeartbeatRequestCopartitionGroup,
        )
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        message.source_topics = unpack_many("h", 2, count - 1, buffer, position)
        position += count * 2 - 2
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        message.source_topic_regex = unpack_many("h", 2, count - 1, buffer, position)
        position += count * 2 - 2
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        message.repartition_source_topics = unpack_many("h", 2, count - 1, buffer, position)
        position += count * 2 - 2
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_copartition_group_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[StreamsGroupHeartbeatRequestCopartitionGroup], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupHeartbeatRequestCopartitionGroup] = []
    for _ in range(size):
        message = StreamsGroupHeartbeatRequestCopartitionGroup.__new__(
            StreamsGroupHeartbeatRequestCopartitionGroup,
        )
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "StreamsGroupHeartbeatRequest.source_topics")
        if not count:
            raise Malformed
        message.source_topics = unpack_many("h", 2, count - 1, buffer, position)
        position += count * 2 - 2
        yield
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "StreamsGroupHeartbeatRequest.source_topic_regex")
        if not count:
            raise Malformed
        message.source_topic_regex = unpack_many("h", 2, count - 1, buffer, position)
        position += count * 2 - 2
        yield
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "StreamsGroupHeartbeatRequest.repartition_source_topics")
        if not count:
            raise Malformed
        message.repartition_source_topics = unpack_many("h", 2, count - 1, buffer, position)
        position += count * 2 - 2
        yield
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_many_subtopology_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupHeartbeatRequestSubtopology], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupHeartbeatRequestSubtopology] = []
    for _ in range(size):
        message = StreamsGroupHeartbeatRequestSubtopology.__new__(StreamsGroupHeartbeatRequestSubtopology)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.subtopology_id = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        source_topics: list[str] = []
        message.source_topics = source_topics
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
            source_topics_item = str(buffer[position:end], "utf-8")
            position = end
            source_topics.append(source_topics_item)
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        source_topic_regex: list[str] = []
        message.source_topic_regex = source_topic_regex
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
            source_topic_regex_item = str(buffer[position:end], "utf-8")
            position = end
            source_topic_regex.append(source_topic_regex_item)
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.state_changelog_topics, position = _read_many_topic_info_v0(buffer, position, count - 1)
        elif count:
            message.state_changelog_topics = []
        else:
            raise Malformed
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        repartition_sink_topics: list[str] = []
        message.repartition_sink_topics = repartition_sink_topics
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
            repartition_sink_topics_item = str(buffer[position:end], "utf-8")
            position = end
            repartition_sink_topics.append(repartition_sink_topics_item)
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.repartition_source_topics, position = _read_many_topic_info_v0(buffer, position, count - 1)
        elif count:
            message.repartition_source_topics = []
        else:
            raise Malformed
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.copartition_groups, position = _read_many_copartition_group_v0(buffer, position, count - 1)
        elif count:
            message.copartition_groups = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_subtopology_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[StreamsGroupHeartbeatRequestSubtopology], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupHeartbeatRequestSubtopology] = []
    for _ in range(size):
        message = StreamsGroupHeartbeatRequestSubtopology.__new__(StreamsGroupHeartbeatRequestSubtopology)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.subtopology_id = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "StreamsGroupHeartbeatRequest.source_topics")
        if not count:
            raise Malformed
        source_topics: list[str] = []
        message.source_topics = source_topics
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
            source_topics_item = str(buffer[position:end], "utf-8")
            position = end
            source_topics.append(source_topics_item)
            yield
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "StreamsGroupHeartbeatRequest.source_topic_regex")
        if not count:
            raise Malformed
        source_topic_regex: list[str] = []
        message.source_topic_regex = source_topic_regex
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
            source_topic_regex_item = str(buffer[position:end], "utf-8")
            position = end
            source_topic_regex.append(source_topic_regex_item)
            yield
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "StreamsGroupHeartbeatRequest.state_changelog_topics")
        if count > 1:
            message.state_changelog_topics, position = yield from _step_many_topic_info_v0(buffer, position, count - 1, budget)
        elif count:
            message.state_changelog_topics = []
        else:
            raise Malformed
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "StreamsGroupHeartbeatRequest.repartition_sink_topics")
        if not count:
            raise Malformed
        repartition_sink_topics: list[str] = []
        message.repartition_sink_topics = repartition_sink_topics
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
            repartition_sink_topics_item = str(buffer[position:end], "utf-8")
            position = end
            repartition_sink_topics.append(repartition_sink_topics_item)
            yield
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "StreamsGroupHeartbeatRequest.repartition_source_topics")
        if count > 1:
            message.repartition_source_topics, position = yield from _step_many_topic_info_v0(buffer, position, count - 1, budget)
        elif count:
            message.repartition_source_topics = []
        else:
            raise Malformed
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "StreamsGroupHeartbeatRequest.copartition_groups")
        if count > 1:
            message.copartition_groups, position = yield from _step_many_copartition_group_v0(buffer, position, count - 1, budget)
        elif count:
            message.copartition_groups = []
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


def _read_topology_v0(buffer: Buffer, position: int) -> tuple[StreamsGroupHeartbeatRequestTopology, int]:
    message = StreamsGroupHeartbeatRequestTopology.__new__(StreamsGroupHeartbeatRequestTopology)
    message.epoch, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.subtopologies, position = _read_many_subtopology_v0(buffer, position, count - 1)
    elif count:
        message.subtopologies = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_topology_v0(
    buffer: Buffer,
    position: int,
    budget: Budget,
) -> Steps[tuple[StreamsGroupHeartbeatRequestTopology, int]]:
    message = StreamsGroupHeartbeatRequestTopology.__new__(StreamsGroupHeartbeatRequestTopology)
    message.epoch, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "StreamsGroupHeartbeatRequest.subtopologies")
    if count > 1:
        message.subtopologies, position = yield from _step_many_subtopology_v0(buffer, position, count - 1, budget)
    elif count:
        message.subtopologies = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_many_task_ids_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupHeartbeatRequestTaskIds], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupHeartbeatRequestTaskIds] = []
    for _ in range(size):
        message = StreamsGroupHeartbeatRequestTaskIds.__new__(StreamsGroupHeartbeatRequestTaskIds)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.subtopology_id = str(buffer[position:end], "utf-8")
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


def _step_many_task_ids_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[StreamsGroupHeartbeatRequestTaskIds], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupHeartbeatRequestTaskIds] = []
    for _ in range(size):
        message = StreamsGroupHeartbeatRequestTaskIds.__new__(StreamsGroupHeartbeatRequestTaskIds)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.subtopology_id = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "StreamsGroupHeartbeatRequest.partitions")
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.partitions = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.partitions = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        yield
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_endpoint_v0(buffer: Buffer, position: int) -> tuple[StreamsGroupHeartbeatRequestEndpoint, int]:
    message = StreamsGroupHeartbeatRequestEndpoint.__new__(StreamsGroupHeartbeatRequestEndpoint)
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
    return message, position


def _read_many_task_offset_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupHeartbeatRequestTaskOffset], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupHeartbeatRequestTaskOffset] = []
    for _ in range(size):
        message = StreamsGroupHeartbeatRequestTaskOffset.__new__(StreamsGroupHeartbeatRequestTaskOffset)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.subtopology_id = str(buffer[position:end], "utf-8")
        position = end
        message.partition, message.offset, tags = _unpack_iqB(buffer, position)
        position += 13
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[StreamsGroupHeartbeatRequest, int]:
    message = StreamsGroupHeartbeatRequest.__new__(StreamsGroupHeartbeatRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    message.member_epoch, message.endpoint_information_epoch, length = _unpack_iiB(buffer, position)
    position += 9
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.instance_id = None
    else:
        end = position + length - 1
        message.instance_id = str(buffer[position:end], "utf-8")
        position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.rack_id = None
    else:
        end = position + length - 1
        message.rack_id = str(buffer[position:end], "utf-8")
        position = end
    message.rebalance_timeout_ms, mark = _unpack_ib(buffer, position)
    position += 5
    if mark < 0:
        message.topology = None
    else:
        message.topology, position = _read_topology_v0(buffer, position)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.active_tasks, position = _read_many_task_ids_v0(buffer, position, count - 1)
    elif count:
        message.active_tasks = []
    else:
        message.active_tasks = None
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.standby_tasks, position = _read_many_task_ids_v0(buffer, position, count - 1)
    elif count:
        message.standby_tasks = []
    else:
        message.standby_tasks = None
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.warmup_tasks, position = _read_many_task_ids_v0(buffer, position, count - 1)
    elif count:
        message.warmup_tasks = []
    else:
        message.warmup_tasks = None
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.process_id = None
    else:
        end = position + length - 1
        message.process_id = str(buffer[position:end], "utf-8")
        position = end
    (mark,) = _unpack_b(buffer, position)
    position += 1
    if mark < 0:
        message.user_endpoint = None
    else:
        message.user_endpoint, position = _read_endpoint_v0(buffer, position)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.client_tags, position = _read_many_key_value_v0(buffer, position, count - 1)
    elif count:
        message.client_tags = []
    else:
        message.client_tags = None
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.task_offsets, position = _read_many_task_offset_v0(buffer, position, count - 1)
    elif count:
        message.task_offsets = []
    else:
        message.task_offsets = None
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.task_end_offsets, position = _read_many_task_offset_v0(buffer, position, count - 1)
    elif count:
        message.task_end_offsets = []
    else:
        message.task_end_offsets = None
    message.shutdown_application, tags = _unpack_tB(buffer, position)
    position += 2
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v0(
    buffer: Buffer,
    position: int,
    budget: Budget,
) -> Steps[tuple[StreamsGroupHeartbeatRequest, int]]:
    message = StreamsGroupHeartbeatRequest.__new__(StreamsGroupHeartbeatRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    message.member_epoch, message.endpoint_information_epoch, length = _unpack_iiB(buffer, position)
    position += 9
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.instance_id = None
    else:
        end = position + length - 1
        message.instance_id = str(buffer[position:end], "utf-8")
        position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.rack_id = None
    else:
        end = position + length - 1
        message.rack_id = str(buffer[position:end], "utf-8")
        position = end
    message.rebalance_timeout_ms, mark = _unpack_ib(buffer, position)
    position += 5
    if mark < 0:
        message.topology = None
    else:
        message.topology, position = yield from _step_topology_v0(buffer, position, budget)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "StreamsGroupHeartbeatRequest.active_tasks")
    if count > 1:
        message.active_tasks, position = yield from _step_many_task_ids_v0(buffer, position, count - 1, budget)
    elif count:
        message.active_tasks = []
    else:
        message.active_tasks = None
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "StreamsGroupHeartbeatRequest.standby_tasks")
    if count > 1:
        message.standby_tasks, position = yield from _step_many_task_ids_v0(buffer, position, count - 1, budget)
    elif count:
        message.standby_tasks = []
    else:
        message.standby_tasks = None
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "StreamsGroupHeartbeatRequest.warmup_tasks")
    if count > 1:
        message.warmup_tasks, position = yield from _step_many_task_ids_v0(buffer, position, count - 1, budget)
    elif count:
        message.warmup_tasks = []
    else:
        message.warmup_tasks = None
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.process_id = None
    else:
        end = position + length - 1
        message.process_id = str(buffer[position:end], "utf-8")
        position = end
    (mark,) = _unpack_b(buffer, position)
    position += 1
    if mark < 0:
        message.user_endpoint = None
    else:
        message.user_endpoint, position = _read_endpoint_v0(buffer, position)
        budget.take_tags((message.user_endpoint,))
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "StreamsGroupHeartbeatRequest.client_tags")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.client_tags, position = yield from read_pieces(
                _read_many_key_value_v0,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.client_tags, position = _read_many_key_value_v0(buffer, position, count - 1)
            budget.take_tags(message.client_tags)
    elif count:
        message.client_tags = []
    else:
        message.client_tags = None
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "StreamsGroupHeartbeatRequest.task_offsets")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.task_offsets, position = yield from read_pieces(
                _read_many_task_offset_v0,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.task_offsets, position = _read_many_task_offset_v0(buffer, position, count - 1)
            budget.take_tags(message.task_offsets)
    elif count:
        message.task_offsets = []
    else:
        message.task_offsets = None
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "StreamsGroupHeartbeatRequest.task_end_offsets")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.task_end_offsets, position = yield from read_pieces(
                _read_many_task_offset_v0,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.task_end_offsets, position = _read_many_task_offset_v0(buffer, position, count - 1)
            budget.take_tags(message.task_end_offsets)
    elif count:
        message.task_end_offsets = []
    else:
        message.task_end_offsets = None
    message.shutdown_application, tags = _unpack_tB(buffer, position)
    position += 2
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_key_value_v0(out: Pieces, message: StreamsGroupHeartbeatRequestKeyValue) -> None:
    key = message.key
    data = key.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    value = message.value
    data = value.encode()
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


def _write_topic_info_v0(out: Pieces, message: StreamsGroupHeartbeatRequestTopicInfo) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topic_configs = message.topic_configs
    count = len(topic_configs) + 1
    if count < 128:
        out.append(_pack_ihB(message.partitions, message.replication_factor, count))
    else:
        out.append(_pack_ih(message.partitions, message.replication_factor))
        out.append(pack_length(count))
    for topic_configs_item in topic_configs:
        _write_key_value_v0(out, topic_configs_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_copartition_group_v0(out: Pieces, message: StreamsGroupHeartbeatRequestCopartitionGroup) -> None:
    source_topics = message.source_topics
    count = len(source_topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    out.append(pack_many("h", source_topics))
    source_topic_regex = message.source_topic_regex
    count = len(source_topic_regex) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    out.append(pack_many("h", source_topic_regex))
    repartition_source_topics = message.repartition_source_topics
    count = len(repartition_source_topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    out.append(pack_many("h", repartition_source_topics))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_subtopology_v0(out: Pieces, message: StreamsGroupHeartbeatRequestSubtopology) -> None:
    subtopology_id = message.subtopology_id
    data = subtopology_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    source_topics = message.source_topics
    count = len(source_topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for source_topics_item in source_topics:
        data = source_topics_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
    source_topic_regex = message.source_topic_regex
    count = len(source_topic_regex) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for source_topic_regex_item in source_topic_regex:
        data = source_topic_regex_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
    state_changelog_topics = message.state_changelog_topics
    count = len(state_changelog_topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for state_changelog_topics_item in state_changelog_topics:
        _write_topic_info_v0(out, state_changelog_topics_item)
    repartition_sink_topics = message.repartition_sink_topics
    count = len(repartition_sink_topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for repartition_sink_topics_item in repartition_sink_topics:
        data = repartition_sink_topics_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
    repartition_source_topics = message.repartition_source_topics
    count = len(repartition_source_topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for repartition_source_topics_item in repartition_source_topics:
        _write_topic_info_v0(out, repartition_source_topics_item)
    copartition_groups = message.copartition_groups
    count = len(copartition_groups) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for copartition_groups_item in copartition_groups:
        _write_copartition_group_v0(out, copartition_groups_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topology_v0(out: Pieces, message: StreamsGroupHeartbeatRequestTopology) -> None:
    subtopologies = message.subtopologies
    count = len(subtopologies) + 1
    if count < 128:
        out.append(_pack_iB(message.epoch, count))
    else:
        out.append(_pack_i(message.epoch))
        out.append(pack_length(count))
    for subtopologies_item in subtopologies:
        _write_subtopology_v0(out, subtopologies_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_task_ids_v0(out: Pieces, message: StreamsGroupHeartbeatRequestTaskIds) -> None:
    subtopology_id = message.subtopology_id
    data = subtopology_id.encode()
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
    if len(partitions) < TABLE_SIZE:
        out.append(PACK_INT32[len(partitions)](*partitions))
    else:
        out.append(pack_many("i", partitions))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_endpoint_v0(out: Pieces, message: StreamsGroupHeartbeatRequestEndpoint) -> None:
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


def _write_task_offset_v0(out: Pieces, message: StreamsGroupHeartbeatRequestTaskOffset) -> None:
    subtopology_id = message.subtopology_id
    data = subtopology_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_iq(message.partition, message.offset))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iqB(message.partition, message.offset, 0))


def _write_v0(out: Pieces, message: StreamsGroupHeartbeatRequest) -> None:
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    instance_id = message.instance_id
    if instance_id is None:
        data = b""
        length = 0
    else:
        data = instance_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_iiB(message.member_epoch, message.endpoint_information_epoch, length))
    else:
        out.append(_pack_ii(message.member_epoch, message.endpoint_information_epoch))
        out.append(pack_string_length(length))
    out.append(data)
    rack_id = message.rack_id
    if rack_id is None:
        data = b""
        length = 0
    else:
        data = rack_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topology = message.topology
    out.append(_pack_ib(message.rebalance_timeout_ms, -1 if topology is None else 1))
    if topology is not None:
        _write_topology_v0(out, topology)
    active_tasks = message.active_tasks
    if active_tasks is None:
        active_tasks = EMPTY
        count = 0
    else:
        count = len(active_tasks) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for active_tasks_item in active_tasks:
        _write_task_ids_v0(out, active_tasks_item)
    standby_tasks = message.standby_tasks
    if standby_tasks is None:
        standby_tasks = EMPTY
        count = 0
    else:
        count = len(standby_tasks) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for standby_tasks_item in standby_tasks:
        _write_task_ids_v0(out, standby_tasks_item)
    warmup_tasks = message.warmup_tasks
    if warmup_tasks is None:
        warmup_tasks = EMPTY
        count = 0
    else:
        count = len(warmup_tasks) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for warmup_tasks_item in warmup_tasks:
        _write_task_ids_v0(out, warmup_tasks_item)
    process_id = message.process_id
    if process_id is None:
        data = b""
        length = 0
    else:
        data = process_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    user_endpoint = message.user_endpoint
    out.append(_pack_b(-1 if user_endpoint is None else 1))
    if user_endpoint is not None:
        _write_endpoint_v0(out, user_endpoint)
    client_tags = message.client_tags
    if client_tags is None:
        client_tags = EMPTY
        count = 0
    else:
        count = len(client_tags) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for client_tags_item in client_tags:
        _write_key_value_v0(out, client_tags_item)
    task_offsets = message.task_offsets
    if task_offsets is None:
        task_offsets = EMPTY
        count = 0
    else:
        count = len(task_offsets) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for task_offsets_item in task_offsets:
        _write_task_offset_v0(out, task_offsets_item)
    task_end_offsets = message.task_end_offsets
    if task_end_offsets is None:
        task_end_offsets = EMPTY
        count = 0
    else:
        count = len(task_end_offsets) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for task_end_offsets_item in task_end_offsets:
        _write_task_offset_v0(out, task_end_offsets_item)
    if message.unknown_tags:
        out.append(_pack_t(message.shutdown_application))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_tB(message.shutdown_application, 0))


_READERS = (
    _read_v0,
    _read_v0,
)

_WRITERS = (
    _write_v0,
    _write_v0,
)

_STEP_READERS = (
    _step_v0,
    _step_v0,
)


@cache
def _schema() -> MessageSchema:
    key_value_struct = StructSchema(
        python_class=StreamsGroupHeartbeatRequestKeyValue,
        fields=(
            FieldSchema(
                name="Key",
                attribute="key",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Value",
                attribute="value",
                type="string",
                versions=(0, 32767),
                default="",
            ),
        ),
    )
    topic_info_struct = StructSchema(
        python_class=StreamsGroupHeartbeatRequestTopicInfo,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Partitions",
                attribute="partitions",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ReplicationFactor",
                attribute="replication_factor",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="TopicConfigs",
                attribute="topic_configs",
                type="KeyValue",
                struct=key_value_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    copartition_group_struct = StructSchema(
        python_class=StreamsGroupHeartbeatRequestCopartitionGroup,
        fields=(
            FieldSchema(
                name="SourceTopics",
                attribute="source_topics",
                type="int16",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="SourceTopicRegex",
                attribute="source_topic_regex",
                type="int16",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="RepartitionSourceTopics",
                attribute="repartition_source_topics",
                type="int16",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    subtopology_struct = StructSchema(
        python_class=StreamsGroupHeartbeatRequestSubtopology,
        fields=(
            FieldSchema(
                name="SubtopologyId",
                attribute="subtopology_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="SourceTopics",
                attribute="source_topics",
                type="string",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="SourceTopicRegex",
                attribute="source_topic_regex",
                type="string",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="StateChangelogTopics",
                attribute="state_changelog_topics",
                type="TopicInfo",
                struct=topic_info_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="RepartitionSinkTopics",
                attribute="repartition_sink_topics",
                type="string",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="RepartitionSourceTopics",
                attribute="repartition_source_topics",
                type="TopicInfo",
                struct=topic_info_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="CopartitionGroups",
                attribute="copartition_groups",
                type="CopartitionGroup",
                struct=copartition_group_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    topology_struct = StructSchema(
        python_class=StreamsGroupHeartbeatRequestTopology,
        fields=(
            FieldSchema(
                name="Epoch",
                attribute="epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Subtopologies",
                attribute="subtopologies",
                type="Subtopology",
                struct=subtopology_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    task_ids_struct = StructSchema(
        python_class=StreamsGroupHeartbeatRequestTaskIds,
        fields=(
            FieldSchema(
                name="SubtopologyId",
                attribute="subtopology_id",
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
    endpoint_struct = StructSchema(
        python_class=StreamsGroupHeartbeatRequestEndpoint,
        fields=(
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
                type="uint16",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    task_offset_struct = StructSchema(
        python_class=StreamsGroupHeartbeatRequestTaskOffset,
        fields=(
            FieldSchema(
                name="SubtopologyId",
                attribute="subtopology_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Partition",
                attribute="partition",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Offset",
                attribute="offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    streams_group_heartbeat_request_struct = StructSchema(
        python_class=StreamsGroupHeartbeatRequest,
        fields=(
            FieldSchema(
                name="GroupId",
                attribute="group_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="MemberId",
                attribute="member_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="MemberEpoch",
                attribute="member_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="EndpointInformationEpoch",
                attribute="endpoint_information_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="InstanceId",
                attribute="instance_id",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="RackId",
                attribute="rack_id",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="RebalanceTimeoutMs",
                attribute="rebalance_timeout_ms",
                type="int32",
                versions=(0, 32767),
                default=-1,
            ),
            FieldSchema(
                name="Topology",
                attribute="topology",
                type="Topology",
                struct=topology_struct,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="ActiveTasks",
                attribute="active_tasks",
                type="TaskIds",
                struct=task_ids_struct,
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="StandbyTasks",
                attribute="standby_tasks",
                type="TaskIds",
                struct=task_ids_struct,
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="WarmupTasks",
                attribute="warmup_tasks",
                type="TaskIds",
                struct=task_ids_struct,
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="ProcessId",
                attribute="process_id",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="UserEndpoint",
                attribute="user_endpoint",
                type="Endpoint",
                struct=endpoint_struct,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="ClientTags",
                attribute="client_tags",
                type="KeyValue",
                struct=key_value_struct,
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="TaskOffsets",
                attribute="task_offsets",
                type="TaskOffset",
                struct=task_offset_struct,
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="TaskEndOffsets",
                attribute="task_end_offsets",
                type="TaskOffset",
                struct=task_offset_struct,
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="ShutdownApplication",
                attribute="shutdown_application",
                type="bool",
                versions=(0, 32767),
                default=False,
            ),
        ),
    )
    return MessageSchema(
        name="StreamsGroupHeartbeatRequest",
        flexible_from=0,
        root=streams_group_heartbeat_request_struct,
    )
