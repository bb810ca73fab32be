"""StreamsGroupDescribeResponse: versions 0-1, flexible from 0, api key 89.

Generated from api/StreamsGroupDescribeResponse.json by codegen; change the schema, not this file.
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

_unpack_tB = struct.Struct(">?B").unpack_from
_unpack_HB = struct.Struct(">HB").unpack_from
_unpack_b = struct.Struct(">b").unpack_from
_unpack_bB = struct.Struct(">bB").unpack_from
_unpack_hB = struct.Struct(">hB").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ib = struct.Struct(">ib").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_iib = struct.Struct(">iib").unpack_from
_unpack_iqB = struct.Struct(">iqB").unpack_from
_pack_t = struct.Struct(">?").pack
_pack_tB = struct.Struct(">?B").pack
_pack_H = struct.Struct(">H").pack
_pack_HB = struct.Struct(">HB").pack
_pack_b = struct.Struct(">b").pack
_pack_bB = struct.Struct(">bB").pack
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ib = struct.Struct(">ib").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_iib = struct.Struct(">iib").pack
_pack_iq = struct.Struct(">iq").pack
_pack_iqB = struct.Struct(">iqB").pack


class StreamsGroupDescribeResponseKeyValue(Struct):
    """KeyValue of StreamsGroupDescribeResponse."""

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
            isinstance(other, StreamsGroupDescribeResponseKeyValue)
            and self.key == other.key
            and self.value == other.value
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupDescribeResponseTopicInfo(Struct):
    """TopicInfo of StreamsGroupDescribeResponse."""

    __slots__ = ("name", "partitions", "replication_factor", "topic_configs", "unknown_tags")

    name: str
    """Versions 0+."""
    partitions: int
    """Versions 0+."""
    replication_factor: int
    """Versions 0+."""
    topic_configs: list[StreamsGroupDescribeResponseKeyValue]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        partitions: int = 0,
        replication_factor: int = 0,
        topic_configs: list[StreamsGroupDescribeResponseKeyValue] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.replication_factor = replication_factor
        self.topic_configs = [] if topic_configs is EMPTY else topic_configs
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupDescribeResponseTopicInfo)
            and self.name == other.name
            and self.partitions == other.partitions
            and self.replication_factor == other.replication_factor
            and self.topic_configs == other.topic_configs
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupDescribeResponseSubtopology(Struct):
    """Subtopology of StreamsGroupDescribeResponse."""

    __slots__ = (
        "subtopology_id",
        "source_topics",
        "repartition_sink_topics",
        "state_changelog_topics",
        "repartition_source_topics",
        "unknown_tags",
    )

    subtopology_id: str
    """Versions 0+."""
    source_topics: list[str]
    """Versions 0+."""
    repartition_sink_topics: list[str]
    """Versions 0+."""
    state_changelog_topics: list[StreamsGroupDescribeResponseTopicInfo]
    """Versions 0+."""
    repartition_source_topics: list[StreamsGroupDescribeResponseTopicInfo]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        subtopology_id: str = "",
        source_topics: list[str] = EMPTY,
        repartition_sink_topics: list[str] = EMPTY,
        state_changelog_topics: list[StreamsGroupDescribeResponseTopicInfo] = EMPTY,
        repartition_source_topics: list[StreamsGroupDescribeResponseTopicInfo] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.subtopology_id = subtopology_id
        self.source_topics = [] if source_topics is EMPTY else source_topics
        self.repartition_sink_topics = [] if repartition_sink_topics is EMPTY else repartition_sink_topics
        self.state_changelog_topics = [] if state_changelog_topics is EMPTY else state_changelog_topics
        self.repartition_source_topics = [] if repartition_source_topics is EMPTY else repartition_source_topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupDescribeResponseSubtopology)
            and self.subtopology_id == other.subtopology_id
            and self.source_topics == other.source_topics
            and self.repartition_sink_topics == other.repartition_sink_topics
            and self.state_changelog_topics == other.state_changelog_topics
            and self.repartition_source_topics == other.repartition_source_topics
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupDescribeResponseTopology(Struct):
    """Topology of StreamsGroupDescribeResponse."""

    __slots__ = ("epoch", "subtopologies", "unknown_tags")

    epoch: int
    """Versions 0+."""
    subtopologies: list[StreamsGroupDescribeResponseSubtopology] | None
    """Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        epoch: int = 0,
        subtopologies: list[StreamsGroupDescribeResponseSubtopology] | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.epoch = epoch
        self.subtopologies = subtopologies
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupDescribeResponseTopology)
            and self.epoch == other.epoch
            and self.subtopologies == other.subtopologies
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupDescribeResponseEndpoint(Struct):
    """Endpoint of StreamsGroupDescribeResponse."""

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
            isinstance(other, StreamsGroupDescribeResponseEndpoint)
            and self.host == other.host
            and self.port == other.port
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupDescribeResponseTaskOffset(Struct):
    """TaskOffset of StreamsGroupDescribeResponse."""

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
            isinstance(other, StreamsGroupDescribeResponseTaskOffset)
            and self.subtopology_id == other.subtopology_id
            and self.partition == other.partition
            and self.offset == other.offset
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupDescribeResponseTaskIds(Struct):
    """TaskIds of StreamsGroupDescribeResponse."""

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
            isinstance(other, StreamsGroupDescribeResponseTaskIds)
            and self.subtopology_id == other.subtopology_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupDescribeResponseAssignment(Struct):
    """Assignment of StreamsGroupDescribeResponse."""

    __slots__ = ("active_tasks", "standby_tasks", "warmup_tasks", "unknown_tags")

    active_tasks: list[StreamsGroupDescribeResponseTaskIds]
    """Versions 0+."""
    standby_tasks: list[StreamsGroupDescribeResponseTaskIds]
    """Versions 0+."""
    warmup_tasks: list[StreamsGroupDescribeResponseTaskIds]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        active_tasks: list[StreamsGroupDescribeResponseTaskIds] = EMPTY,
        standby_tasks: list[StreamsGroupDescribeResponseTaskIds] = EMPTY,
        warmup_tasks: list[StreamsGroupDescribeResponseTaskIds] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.active_tasks = [] if active_tasks is EMPTY else active_tasks
        self.standby_tasks = [] if standby_tasks is EMPTY else standby_tasks
        self.warmup_tasks = [] if warmup_tasks is EMPTY else warmup_tasks
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupDescribeResponseAssignment)
            and self.active_tasks == other.active_tasks
            and self.standby_tasks == other.standby_tasks
            and self.warmup_tasks == other.warmup_tasks
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupDescribeResponseMember(Struct):
    """Member of StreamsGroupDescribeResponse."""

    __slots__ = (
        "member_id",
        "member_epoch",
        "instance_id",
        "rack_id",
        "client_id",
        "client_host",
        "topology_epoch",
        "process_id",
        "user_endpoint",
        "client_tags",
        "task_offsets",
        "task_end_offsets",
        "_assignment",
        "_target_assignment",
        "is_classic",
        "unknown_tags",
    )

    member_id: str
    """Versions 0+."""
    member_epoch: int
    """Versions 0+."""
    instance_id: str | None
    """Versions 0+, null in 0+."""
    rack_id: str | None
    """Versions 0+, null in 0+."""
    client_id: str
    """Versions 0+."""
    client_host: str
    """Versions 0+."""
    topology_epoch: int
    """Versions 0+."""
    process_id: str
    """Versions 0+."""
    user_endpoint: StreamsGroupDescribeResponseEndpoint | None
    """Versions 0+, null in 0+."""
    client_tags: list[StreamsGroupDescribeResponseKeyValue]
    """Versions 0+."""
    task_offsets: list[StreamsGroupDescribeResponseTaskOffset]
    """Versions 0+."""
    task_end_offsets: list[StreamsGroupDescribeResponseTaskOffset]
    """Versions 0+."""
    _assignment: StreamsGroupDescribeResponseAssignment | None
    _target_assignment: StreamsGroupDescribeResponseAssignment | None
    is_classic: bool
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        member_id: str = "",
        member_epoch: int = 0,
        instance_id: str | None = None,
        rack_id: str | None = None,
        client_id: str = "",
        client_host: str = "",
        topology_epoch: int = 0,
        process_id: str = "",
        user_endpoint: StreamsGroupDescribeResponseEndpoint | None = None,
        client_tags: list[StreamsGroupDescribeResponseKeyValue] = EMPTY,
        task_offsets: list[StreamsGroupDescribeResponseTaskOffset] = EMPTY,
        task_end_offsets: list[StreamsGroupDescribeResponseTaskOffset] = EMPTY,
        assignment: StreamsGroupDescribeResponseAssignment | None = None,
        target_assignment: StreamsGroupDescribeResponseAssignment | None = None,
        is_classic: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.topology_epoch = topology_epoch
        self.process_id = process_id
        self.user_endpoint = user_endpoint
        self.client_tags = [] if client_tags is EMPTY else client_tags
        self.task_offsets = [] if task_offsets is EMPTY else task_offsets
        self.task_end_offsets = [] if task_end_offsets is EMPTY else task_end_offsets
        self._assignment = assignment
        self._target_assignment = target_assignment
        self.is_classic = is_classic
        self.unknown_tags = unknown_tags

    @property
    def assignment(self) -> StreamsGroupDescribeResponseAssignment:
        """Versions 0+."""
        if self._assignment is None:
            self._assignment = StreamsGroupDescribeResponseAssignment()
        return self._assignment

    @assignment.setter
    def assignment(self, value: StreamsGroupDescribeResponseAssignment) -> None:
        self._assignment = value

    @property
    def target_assignment(self) -> StreamsGroupDescribeResponseAssignment:
        """Versions 0+."""
        if self._target_assignment is None:
            self._target_assignment = StreamsGroupDescribeResponseAssignment()
        return self._target_assignment

    @target_assignment.setter
    def target_assignment(self, value: StreamsGroupDescribeResponseAssignment) -> None:
        self._target_assignment = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupDescribeResponseMember)
            and self.member_id == other.member_id
            and self.member_epoch == other.member_epoch
            and self.instance_id == other.instance_id
            and self.rack_id == other.rack_id
            and self.client_id == other.client_id
            and self.client_host == other.client_host
            and self.topology_epoch == other.topology_epoch
            and self.process_id == other.process_id
            and self.user_endpoint == other.user_endpoint
            and self.client_tags == other.client_tags
            and self.task_offsets == other.task_offsets
            and self.task_end_offsets == other.task_end_offsets
            and self.assignment == other.assignment
            and self.target_assignment == other.target_assignment
            and self.is_classic == other.is_classic
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupDescribeResponseTopologyDescriptionNode(Struct):
    """TopologyDescriptionNode of StreamsGroupDescribeResponse."""

    __slots__ = (
        "name",
        "node_type",
        "source_topics",
        "sink_topic",
        "stores",
        "successors",
        "unknown_tags",
    )

    name: str
    """Versions 1+."""
    node_type: int
    """Versions 1+."""
    source_topics: list[str]
    """Versions 1+."""
    sink_topic: str | None
    """Versions 1+, null in 1+."""
    stores: list[str]
    """Versions 1+."""
    successors: list[str]
    """Names of the nodes that get what this one forwards. Versions 1+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        node_type: int = 0,
        source_topics: list[str] = EMPTY,
        sink_topic: str | None = None,
        stores: list[str] = EMPTY,
        successors: list[str] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.node_type = node_type
        self.source_topics = [] if source_topics is EMPTY else source_topics
        self.sink_topic = sink_topic
        self.stores = [] if stores is EMPTY else stores
        self.successors = [] if successors is EMPTY else successors
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupDescribeResponseTopologyDescriptionNode)
            and self.name == other.name
            and self.node_type == other.node_type
            and self.source_topics == other.source_topics
            and self.sink_topic == other.sink_topic
            and self.stores == other.stores
            and self.successors == other.successors
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupDescribeResponseTopologyDescriptionSubtopology(Struct):
    """TopologyDescriptionSubtopology of StreamsGroupDescribeResponse."""

    __slots__ = ("subtopology_id", "nodes", "unknown_tags")

    subtopology_id: str
    """Versions 1+."""
    nodes: list[StreamsGroupDescribeResponseTopologyDescriptionNode]
    """Versions 1+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        subtopology_id: str = "",
        nodes: list[StreamsGroupDescribeResponseTopologyDescriptionNode] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.subtopology_id = subtopology_id
        self.nodes = [] if nodes is EMPTY else nodes
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupDescribeResponseTopologyDescriptionSubtopology)
            and self.subtopology_id == other.subtopology_id
            and self.nodes == other.nodes
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupDescribeResponseTopologyDescriptionGlobalStore(Struct):
    """TopologyDescriptionGlobalStore of StreamsGroupDescribeResponse."""

    __slots__ = ("_source", "_processor", "unknown_tags")

    _source: StreamsGroupDescribeResponseTopologyDescriptionNode | None
    _processor: StreamsGroupDescribeResponseTopologyDescriptionNode | None
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        source: StreamsGroupDescribeResponseTopologyDescriptionNode | None = None,
        processor: StreamsGroupDescribeResponseTopologyDescriptionNode | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self._source = source
        self._processor = processor
        self.unknown_tags = unknown_tags

    @property
    def source(self) -> StreamsGroupDescribeResponseTopologyDescriptionNode:
        """Versions 1+."""
        if self._source is None:
            self._source = StreamsGroupDescribeResponseTopologyDescriptionNode()
        return self._source

    @source.setter
    def source(self, value: StreamsGroupDescribeResponseTopologyDescriptionNode) -> None:
        self._source = value

    @property
    def processor(self) -> StreamsGroupDescribeResponseTopologyDescriptionNode:
        """Versions 1+."""
        if self._processor is None:
            self._processor = StreamsGroupDescribeResponseTopologyDescriptionNode()
        return self._processor

    @processor.setter
    def processor(self, value: StreamsGroupDescribeResponseTopologyDescriptionNode) -> None:
        self._processor = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupDescribeResponseTopologyDescriptionGlobalStore)
            and self.source == other.source
            and self.processor == other.processor
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupDescribeResponseTopologyDescription(Struct):
    """TopologyDescription of StreamsGroupDescribeResponse."""

    __slots__ = ("subtopologies", "global_stores", "unknown_tags")

    subtopologies: list[StreamsGroupDescribeResponseTopologyDescriptionSubtopology]
    """Versions 1+."""
    global_stores: list[StreamsGroupDescribeResponseTopologyDescriptionGlobalStore]
    """Versions 1+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        subtopologies: list[StreamsGroupDescribeResponseTopologyDescriptionSubtopology] = EMPTY,
        global_stores: list[StreamsGroupDescribeResponseTopologyDescriptionGlobalStore] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.subtopologies = [] if subtopologies is EMPTY else subtopologies
        self.global_stores = [] if global_stores is EMPTY else global_stores
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupDescribeResponseTopologyDescription)
            and self.subtopologies == other.subtopologies
            and self.global_stores == other.global_stores
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupDescribeResponseDescribedGroup(Struct):
    """DescribedGroup of StreamsGroupDescribeResponse."""

    __slots__ = (
        "error_code",
        "error_message",
        "group_id",
        "group_state",
        "group_epoch",
        "assignment_epoch",
        "topology",
        "members",
        "authorized_operations",
        "topology_description",
        "topology_description_status",
        "assignor_name",
        "unknown_tags",
    )

    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    group_id: str
    """Versions 0+."""
    group_state: str
    """Versions 0+."""
    group_epoch: int
    """Versions 0+."""
    assignment_epoch: int
    """Versions 0+."""
    topology: StreamsGroupDescribeResponseTopology | None
    """Versions 0+, null in 0+."""
    members: list[StreamsGroupDescribeResponseMember]
    """Versions 0+."""
    authorized_operations: int
    """Versions 0+."""
    topology_description: StreamsGroupDescribeResponseTopologyDescription | None
    """Versions 1+, null in 1+."""
    topology_description_status: int
    """Versions 1+."""
    assignor_name: str | None
    """Versions 1+, null in 1+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = None,
        group_id: str = "",
        group_state: str = "",
        group_epoch: int = 0,
        assignment_epoch: int = 0,
        topology: StreamsGroupDescribeResponseTopology | None = None,
        members: list[StreamsGroupDescribeResponseMember] = EMPTY,
        authorized_operations: int = -2147483648,
        topology_description: StreamsGroupDescribeResponseTopologyDescription | None = None,
        topology_description_status: int = 0,
        assignor_name: str | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.group_id = group_id
        self.group_state = group_state
        self.group_epoch = group_epoch
        self.assignment_epoch = assignment_epoch
        self.topology = topology
        self.members = [] if members is EMPTY else members
        self.authorized_operations = authorized_operations
        self.topology_description = topology_description
        self.topology_description_status = topology_description_status
        self.assignor_name = assignor_name
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupDescribeResponseDescribedGroup)
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.group_id == other.group_id
            and self.group_state == other.group_state
            and self.group_epoch == other.group_epoch
            and self.assignment_epoch == other.assignment_epoch
            and self.topology == other.topology
            and self.members == other.members
            and self.authorized_operations == other.authorized_operations
            and self.topology_description == other.topology_description
            and self.topology_description_status == other.topology_description_status
            and self.assignor_name == other.assignor_name
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupDescribeResponse(Message):
    """Response StreamsGroupDescribeResponse."""

    __slots__ = ("throttle_time_ms", "groups", "unknown_tags")

    NAME: ClassVar[str] = "StreamsGroupDescribeResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 89
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    KeyValue: TypeAlias = StreamsGroupDescribeResponseKeyValue
    TopicInfo: TypeAlias = StreamsGroupDescribeResponseTopicInfo
    Subtopology: TypeAlias = StreamsGroupDescribeResponseSubtopology
    Topology: TypeAlias = StreamsGroupDescribeResponseTopology
    Endpoint: TypeAlias = StreamsGroupDescribeResponseEndpoint
    TaskOffset: TypeAlias = StreamsGroupDescribeResponseTaskOffset
    TaskIds: TypeAlias = StreamsGroupDescribeResponseTaskIds
    Assignment: TypeAlias = StreamsGroupDescribeResponseAssignment
    Member: TypeAlias = StreamsGroupDescribeResponseMember
    TopologyDescriptionNode: TypeAlias = StreamsGroupDescribeResponseTopologyDescriptionNode
    TopologyDescriptionSubtopology: TypeAlias = StreamsGroupDescribeResponseTopologyDescriptionSubtopology
    TopologyDescriptionGlobalStore: TypeAlias = StreamsGroupDescribeResponseTopologyDescriptionGlobalStore
    TopologyDescription: TypeAlias = StreamsGroupDescribeResponseTopologyDescription
    DescribedGroup: TypeAlias = StreamsGroupDescribeResponseDescribedGroup

    throttle_time_ms: int
    """Versions 0+."""
    groups: list[StreamsGroupDescribeResponseDescribedGroup]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        groups: list[StreamsGroupDescribeResponseDescribedGroup] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = [] if groups is EMPTY else groups
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupDescribeResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.groups == other.groups
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[StreamsGroupDescribeResponse, int]:
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


def _read_many_key_value_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupDescribeResponseKeyValue], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupDescribeResponseKeyValue] = []
    for _ in range(size):
        message = StreamsGroupDescribeResponseKeyValue.__new__(StreamsGroupDescribeResponseKeyValue)
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
) -> tuple[list[StreamsGroupDescribeResponseTopicInfo], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupDescribeResponseTopicInfo] = []
    for _ in range(size):
        message = StreamsGroupDescribeResponseTopicInfo.__new__(StreamsGroupDescribeResponseTopicInfo)
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


def _read_many_subtopology_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupDescribeResponseSubtopology], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupDescribeResponseSubtopology] = []
    for _ in range(size):
        message = StreamsGroupDescribeResponseSubtopology.__new__(StreamsGroupDescribeResponseSubtopology)
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
            message.state_changelog_topics, position = _read_many_topic_info_v0(buffer, position, count - 1)
        elif count:
            message.state_changelog_topics = []
        else:
            raise Malformed
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
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_topology_v0(buffer: Buffer, position: int) -> tuple[StreamsGroupDescribeResponseTopology, int]:
    message = StreamsGroupDescribeResponseTopology.__new__(StreamsGroupDescribeResponseTopology)
    message.epoch, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.subtopologies, position = _read_many_subtopology_v0(buffer, position, count - 1)
    elif count:
        message.subtopologies = []
    else:
        message.subtopologies = None
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_endpoint_v0(buffer: Buffer, position: int) -> tuple[StreamsGroupDescribeResponseEndpoint, int]:
    message = StreamsGroupDescribeResponseEndpoint.__new__(StreamsGroupDescribeResponseEndpoint)
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
) -> tuple[list[StreamsGroupDescribeResponseTaskOffset], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupDescribeResponseTaskOffset] = []
    for _ in range(size):
        message = StreamsGroupDescribeResponseTaskOffset.__new__(StreamsGroupDescribeResponseTaskOffset)
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


def _read_many_task_ids_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupDescribeResponseTaskIds], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupDescribeResponseTaskIds] = []
    for _ in range(size):
        message = StreamsGroupDescribeResponseTaskIds.__new__(StreamsGroupDescribeResponseTaskIds)
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


def _read_assignment_v0(buffer: Buffer, position: int) -> tuple[StreamsGroupDescribeResponseAssignment, int]:
    message = StreamsGroupDescribeResponseAssignment.__new__(StreamsGroupDescribeResponseAssignment)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.active_tasks, position = _read_many_task_ids_v0(buffer, position, count - 1)
    elif count:
        message.active_tasks = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.standby_tasks, position = _read_many_task_ids_v0(buffer, position, count - 1)
    elif count:
        message.standby_tasks = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.warmup_tasks, position = _read_many_task_ids_v0(buffer, position, count - 1)
    elif count:
        message.warmup_tasks = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_member_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupDescribeResponseMember], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupDescribeResponseMember] = []
    for _ in range(size):
        message = StreamsGroupDescribeResponseMember.__new__(StreamsGroupDescribeResponseMember)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.member_id = str(buffer[position:end], "utf-8")
        position = end
        message.member_epoch, length = _unpack_iB(buffer, position)
        position += 5
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
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.client_id = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.client_host = str(buffer[position:end], "utf-8")
        position = end
        message.topology_epoch, length = _unpack_iB(buffer, position)
        position += 5
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
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
            raise Malformed
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.task_offsets, position = _read_many_task_offset_v0(buffer, position, count - 1)
        elif count:
            message.task_offsets = []
        else:
            raise Malformed
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.task_end_offsets, position = _read_many_task_offset_v0(buffer, position, count - 1)
        elif count:
            message.task_end_offsets = []
        else:
            raise Malformed
        message._assignment, position = _read_assignment_v0(buffer, position)
        message._target_assignment, position = _read_assignment_v0(buffer, position)
        message.is_classic, tags = _unpack_tB(buffer, position)
        position += 2
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_described_group_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupDescribeResponseDescribedGroup], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupDescribeResponseDescribedGroup] = []
    for _ in range(size):
        message = StreamsGroupDescribeResponseDescribedGroup.__new__(
            StreamsGroupDescribeResponseDescribedGroup,
        )
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
        message.group_state = str(buffer[position:end], "utf-8")
        position = end
        message.group_epoch, message.assignment_epoch, mark = _unpack_iib(buffer, position)
        position += 9
        if mark < 0:
            message.topology = None
        else:
            message.topology, position = _read_topology_v0(buffer, position)
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.members, position = _read_many_member_v0(buffer, position, count - 1)
        elif count:
            message.members = []
        else:
            raise Malformed
        message.authorized_operations, tags = _unpack_iB(buffer, position)
        position += 5
        message.topology_description = None
        message.topology_description_status = 0
        message.assignor_name = None
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[StreamsGroupDescribeResponse, int]:
    message = StreamsGroupDescribeResponse.__new__(StreamsGroupDescribeResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.groups, position = _read_many_described_group_v0(buffer, position, count - 1)
    elif count:
        message.groups = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_topology_description_node_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupDescribeResponseTopologyDescriptionNode], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupDescribeResponseTopologyDescriptionNode] = []
    for _ in range(size):
        message = StreamsGroupDescribeResponseTopologyDescriptionNode.__new__(
            StreamsGroupDescribeResponseTopologyDescriptionNode,
        )
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.node_type, count = _unpack_bB(buffer, position)
        position += 2
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
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.sink_topic = None
        else:
            end = position + length - 1
            message.sink_topic = str(buffer[position:end], "utf-8")
            position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        stores: list[str] = []
        message.stores = stores
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
            stores_item = str(buffer[position:end], "utf-8")
            position = end
            stores.append(stores_item)
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        successors: list[str] = []
        message.successors = successors
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
            successors_item = str(buffer[position:end], "utf-8")
            position = end
            successors.append(successors_item)
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_topology_description_subtopology_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupDescribeResponseTopologyDescriptionSubtopology], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupDescribeResponseTopologyDescriptionSubtopology] = []
    for _ in range(size):
        message = StreamsGroupDescribeResponseTopologyDescriptionSubtopology.__new__(
            StreamsGroupDescribeResponseTopologyDescriptionSubtopology,
        )
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
        if count > 1:
            message.nodes, position = _read_many_topology_description_node_v1(buffer, position, count - 1)
        elif count:
            message.nodes = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_topology_description_node_v1(
    buffer: Buffer,
    position: int,
) -> tuple[StreamsGroupDescribeResponseTopologyDescriptionNode, int]:
    message = StreamsGroupDescribeResponseTopologyDescriptionNode.__new__(
        StreamsGroupDescribeResponseTopologyDescriptionNode,
    )
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.name = str(buffer[position:end], "utf-8")
    position = end
    message.node_type, count = _unpack_bB(buffer, position)
    position += 2
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
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.sink_topic = None
    else:
        end = position + length - 1
        message.sink_topic = str(buffer[position:end], "utf-8")
        position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    stores: list[str] = []
    message.stores = stores
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
        stores_item = str(buffer[position:end], "utf-8")
        position = end
        stores.append(stores_item)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    successors: list[str] = []
    message.successors = successors
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
        successors_item = str(buffer[position:end], "utf-8")
        position = end
        successors.append(successors_item)
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_topology_description_global_store_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupDescribeResponseTopologyDescriptionGlobalStore], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupDescribeResponseTopologyDescriptionGlobalStore] = []
    for _ in range(size):
        message = StreamsGroupDescribeResponseTopologyDescriptionGlobalStore.__new__(
            StreamsGroupDescribeResponseTopologyDescriptionGlobalStore,
        )
        message._source, position = _read_topology_description_node_v1(buffer, position)
        message._processor, position = _read_topology_description_node_v1(buffer, position)
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_topology_description_v1(
    buffer: Buffer,
    position: int,
) -> tuple[StreamsGroupDescribeResponseTopologyDescription, int]:
    message = StreamsGroupDescribeResponseTopologyDescription.__new__(
        StreamsGroupDescribeResponseTopologyDescription,
    )
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.subtopologies, position = _read_many_topology_description_subtopology_v1(buffer, position, count - 1)
    elif count:
        message.subtopologies = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.global_stores, position = _read_many_topology_description_global_store_v1(buffer, position, count - 1)
    elif count:
        message.global_stores = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_described_group_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupDescribeResponseDescribedGroup], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupDescribeResponseDescribedGroup] = []
    for _ in range(size):
        message = StreamsGroupDescribeResponseDescribedGroup.__new__(
            StreamsGroupDescribeResponseDescribedGroup,
        )
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
        message.group_state = str(buffer[position:end], "utf-8")
        position = end
        message.group_epoch, message.assignment_epoch, mark = _unpack_iib(buffer, position)
        position += 9
        if mark < 0:
            message.topology = None
        else:
            message.topology, position = _read_topology_v0(buffer, position)
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.members, position = _read_many_member_v0(buffer, position, count - 1)
        elif count:
            message.members = []
        else:
            raise Malformed
        message.authorized_operations, mark = _unpack_ib(buffer, position)
        position += 5
        if mark < 0:
            message.topology_description = None
        else:
            message.topology_description, position = _read_topology_description_v1(buffer, position)
        message.topology_description_status, length = _unpack_bB(buffer, position)
        position += 2
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.assignor_name = None
        else:
            end = position + length - 1
            message.assignor_name = str(buffer[position:end], "utf-8")
            position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[StreamsGroupDescribeResponse, int]:
    message = StreamsGroupDescribeResponse.__new__(StreamsGroupDescribeResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.groups, position = _read_many_described_group_v1(buffer, position, count - 1)
    elif count:
        message.groups = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_key_value_v0(out: Pieces, message: StreamsGroupDescribeResponseKeyValue) -> None:
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


def _write_topic_info_v0(out: Pieces, message: StreamsGroupDescribeResponseTopicInfo) -> None:
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


def _step_write_topic_info_v0(out: Pieces, message: StreamsGroupDescribeResponseTopicInfo) -> Steps[None]:
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
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_subtopology_v0(out: Pieces, message: StreamsGroupDescribeResponseSubtopology) -> None:
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
    state_changelog_topics = message.state_changelog_topics
    count = len(state_changelog_topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for state_changelog_topics_item in state_changelog_topics:
        _write_topic_info_v0(out, state_changelog_topics_item)
    repartition_source_topics = message.repartition_source_topics
    count = len(repartition_source_topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for repartition_source_topics_item in repartition_source_topics:
        _write_topic_info_v0(out, repartition_source_topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_subtopology_v0(out: Pieces, message: StreamsGroupDescribeResponseSubtopology) -> Steps[None]:
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
        yield
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
        yield
    state_changelog_topics = message.state_changelog_topics
    count = len(state_changelog_topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for state_changelog_topics_item in state_changelog_topics:
        yield from _step_write_topic_info_v0(out, state_changelog_topics_item)
        yield
    repartition_source_topics = message.repartition_source_topics
    count = len(repartition_source_topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for repartition_source_topics_item in repartition_source_topics:
        yield from _step_write_topic_info_v0(out, repartition_source_topics_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topology_v0(out: Pieces, message: StreamsGroupDescribeResponseTopology) -> None:
    subtopologies = message.subtopologies
    if subtopologies is None:
        subtopologies = EMPTY
        count = 0
    else:
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


def _step_write_topology_v0(out: Pieces, message: StreamsGroupDescribeResponseTopology) -> Steps[None]:
    subtopologies = message.subtopologies
    if subtopologies is None:
        subtopologies = EMPTY
        count = 0
    else:
        count = len(subtopologies) + 1
    if count < 128:
        out.append(_pack_iB(message.epoch, count))
    else:
        out.append(_pack_i(message.epoch))
        out.append(pack_length(count))
    for subtopologies_item in subtopologies:
        yield from _step_write_subtopology_v0(out, subtopologies_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_endpoint_v0(out: Pieces, message: StreamsGroupDescribeResponseEndpoint) -> None:
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


def _write_task_offset_v0(out: Pieces, message: StreamsGroupDescribeResponseTaskOffset) -> None:
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


def _write_task_ids_v0(out: Pieces, message: StreamsGroupDescribeResponseTaskIds) -> None:
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


def _write_assignment_v0(out: Pieces, message: StreamsGroupDescribeResponseAssignment) -> None:
    active_tasks = message.active_tasks
    count = len(active_tasks) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for active_tasks_item in active_tasks:
        _write_task_ids_v0(out, active_tasks_item)
    standby_tasks = message.standby_tasks
    count = len(standby_tasks) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for standby_tasks_item in standby_tasks:
        _write_task_ids_v0(out, standby_tasks_item)
    warmup_tasks = message.warmup_tasks
    count = len(warmup_tasks) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for warmup_tasks_item in warmup_tasks:
        _write_task_ids_v0(out, warmup_tasks_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_assignment_v0(out: Pieces, message: StreamsGroupDescribeResponseAssignment) -> Steps[None]:
    active_tasks = message.active_tasks
    count = len(active_tasks) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for active_tasks_item in active_tasks:
        _write_task_ids_v0(out, active_tasks_item)
        yield
    standby_tasks = message.standby_tasks
    count = len(standby_tasks) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for standby_tasks_item in standby_tasks:
        _write_task_ids_v0(out, standby_tasks_item)
        yield
    warmup_tasks = message.warmup_tasks
    count = len(warmup_tasks) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for warmup_tasks_item in warmup_tasks:
        _write_task_ids_v0(out, warmup_tasks_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_member_v0(out: Pieces, message: StreamsGroupDescribeResponseMember) -> None:
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
        out.append(_pack_iB(message.member_epoch, length))
    else:
        out.append(_pack_i(message.member_epoch))
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
    client_id = message.client_id
    data = client_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    client_host = message.client_host
    data = client_host.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    process_id = message.process_id
    data = process_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_iB(message.topology_epoch, length))
    else:
        out.append(_pack_i(message.topology_epoch))
        out.append(pack_string_length(length))
    out.append(data)
    user_endpoint = message.user_endpoint
    out.append(_pack_b(-1 if user_endpoint is None else 1))
    if user_endpoint is not None:
        _write_endpoint_v0(out, user_endpoint)
    client_tags = message.client_tags
    count = len(client_tags) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for client_tags_item in client_tags:
        _write_key_value_v0(out, client_tags_item)
    task_offsets = message.task_offsets
    count = len(task_offsets) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for task_offsets_item in task_offsets:
        _write_task_offset_v0(out, task_offsets_item)
    task_end_offsets = message.task_end_offsets
    count = len(task_end_offsets) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for task_end_offsets_item in task_end_offsets:
        _write_task_offset_v0(out, task_end_offsets_item)
    assignment = message.assignment
    _write_assignment_v0(out, assignment)
    target_assignment = message.target_assignment
    _write_assignment_v0(out, target_assignment)
    if message.unknown_tags:
        out.append(_pack_t(message.is_classic))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_tB(message.is_classic, 0))


def _step_write_member_v0(out: Pieces, message: StreamsGroupDescribeResponseMember) -> Steps[None]:
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
        out.append(_pack_iB(message.member_epoch, length))
    else:
        out.append(_pack_i(message.member_epoch))
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
    client_id = message.client_id
    data = client_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    client_host = message.client_host
    data = client_host.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    process_id = message.process_id
    data = process_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_iB(message.topology_epoch, length))
    else:
        out.append(_pack_i(message.topology_epoch))
        out.append(pack_string_length(length))
    out.append(data)
    user_endpoint = message.user_endpoint
    out.append(_pack_b(-1 if user_endpoint is None else 1))
    if user_endpoint is not None:
        _write_endpoint_v0(out, user_endpoint)
    client_tags = message.client_tags
    count = len(client_tags) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for client_tags_item in client_tags:
        _write_key_value_v0(out, client_tags_item)
        yield
    task_offsets = message.task_offsets
    count = len(task_offsets) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for task_offsets_item in task_offsets:
        _write_task_offset_v0(out, task_offsets_item)
        yield
    task_end_offsets = message.task_end_offsets
    count = len(task_end_offsets) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for task_end_offsets_item in task_end_offsets:
        _write_task_offset_v0(out, task_end_offsets_item)
        yield
    assignment = message.assignment
    yield from _step_write_assignment_v0(out, assignment)
    target_assignment = message.target_assignment
    yield from _step_write_assignment_v0(out, target_assignment)
    if message.unknown_tags:
        out.append(_pack_t(message.is_classic))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_tB(message.is_classic, 0))


def _write_described_group_v0(out: Pieces, message: StreamsGroupDescribeResponseDescribedGroup) -> None:
    if message.topology_description is not None:
        raise Malformed
    if message.topology_description_status != 0:
        raise Malformed
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
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    group_state = message.group_state
    data = group_state.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topology = message.topology
    out.append(_pack_iib(message.group_epoch, message.assignment_epoch, -1 if topology is None else 1))
    if topology is not None:
        _write_topology_v0(out, topology)
    members = message.members
    count = len(members) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for members_item in members:
        _write_member_v0(out, members_item)
    if message.unknown_tags:
        out.append(_pack_i(message.authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.authorized_operations, 0))


def _step_write_described_group_v0(
    out: Pieces,
    message: StreamsGroupDescribeResponseDescribedGroup,
) -> Steps[None]:
    if message.topology_description is not None:
        raise Malformed
    if message.topology_description_status != 0:
        raise Malformed
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
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    group_state = message.group_state
    data = group_state.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topology = message.topology
    out.append(_pack_iib(message.group_epoch, message.assignment_epoch, -1 if topology is None else 1))
    if topology is not None:
        yield from _step_write_topology_v0(out, topology)
    members = message.members
    count = len(members) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for members_item in members:
        yield from _step_write_member_v0(out, members_item)
        yield
    if message.unknown_tags:
        out.append(_pack_i(message.authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.authorized_operations, 0))


def _write_v0(out: Pieces, message: StreamsGroupDescribeResponse) -> None:
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for groups_item in groups:
        _write_described_group_v0(out, groups_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v0(out: Pieces, message: StreamsGroupDescribeResponse) -> Steps[None]:
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for groups_item in groups:
        yield from _step_write_described_group_v0(out, groups_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topology_description_node_v1(
    out: Pieces,
    message: StreamsGroupDescribeResponseTopologyDescriptionNode,
) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    source_topics = message.source_topics
    count = len(source_topics) + 1
    if count < 128:
        out.append(_pack_bB(message.node_type, count))
    else:
        out.append(_pack_b(message.node_type))
        out.append(pack_length(count))
    for source_topics_item in source_topics:
        data = source_topics_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
    sink_topic = message.sink_topic
    if sink_topic is None:
        data = b""
        length = 0
    else:
        data = sink_topic.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    stores = message.stores
    count = len(stores) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for stores_item in stores:
        data = stores_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
    successors = message.successors
    count = len(successors) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for successors_item in successors:
        data = successors_item.encode()
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


def _step_write_topology_description_node_v1(
    out: Pieces,
    message: StreamsGroupDescribeResponseTopologyDescriptionNode,
) -> Steps[None]:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    source_topics = message.source_topics
    count = len(source_topics) + 1
    if count < 128:
        out.append(_pack_bB(message.node_type, count))
    else:
        out.append(_pack_b(message.node_type))
        out.append(pack_length(count))
    for source_topics_item in source_topics:
        data = source_topics_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
        yield
    sink_topic = message.sink_topic
    if sink_topic is None:
        data = b""
        length = 0
    else:
        data = sink_topic.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    stores = message.stores
    count = len(stores) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for stores_item in stores:
        data = stores_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
        yield
    successors = message.successors
    count = len(successors) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for successors_item in successors:
        data = successors_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topology_description_subtopology_v1(
    out: Pieces,
    message: StreamsGroupDescribeResponseTopologyDescriptionSubtopology,
) -> None:
    subtopology_id = message.subtopology_id
    data = subtopology_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    nodes = message.nodes
    count = len(nodes) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for nodes_item in nodes:
        _write_topology_description_node_v1(out, nodes_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_topology_description_subtopology_v1(
    out: Pieces,
    message: StreamsGroupDescribeResponseTopologyDescriptionSubtopology,
) -> Steps[None]:
    subtopology_id = message.subtopology_id
    data = subtopology_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    nodes = message.nodes
    count = len(nodes) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for nodes_item in nodes:
        yield from _step_write_topology_description_node_v1(out, nodes_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topology_description_global_store_v1(
    out: Pieces,
    message: StreamsGroupDescribeResponseTopologyDescriptionGlobalStore,
) -> None:
    source = message.source
    _write_topology_description_node_v1(out, source)
    processor = message.processor
    _write_topology_description_node_v1(out, processor)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_topology_description_global_store_v1(
    out: Pieces,
    message: StreamsGroupDescribeResponseTopologyDescriptionGlobalStore,
) -> Steps[None]:
    source = message.source
    yield from _step_write_topology_description_node_v1(out, source)
    processor = message.processor
    yield from _step_write_topology_description_node_v1(out, processor)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topology_description_v1(
    out: Pieces,
    message: StreamsGroupDescribeResponseTopologyDescription,
) -> None:
    subtopologies = message.subtopologies
    count = len(subtopologies) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for subtopologies_item in subtopologies:
        _write_topology_description_subtopology_v1(out, subtopologies_item)
    global_stores = message.global_stores
    count = len(global_stores) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for global_stores_item in global_stores:
        _write_topology_description_global_store_v1(out, global_stores_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_topology_description_v1(
    out: Pieces,
    message: StreamsGroupDescribeResponseTopologyDescription,
) -> Steps[None]:
    subtopologies = message.subtopologies
    count = len(subtopologies) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for subtopologies_item in subtopologies:
        yield from _step_write_topology_description_subtopology_v1(out, subtopologies_item)
        yield
    global_stores = message.global_stores
    count = len(global_stores) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for global_stores_item in global_stores:
        yield from _step_write_topology_description_global_store_v1(out, global_stores_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_described_group_v1(out: Pieces, message: StreamsGroupDescribeResponseDescribedGroup) -> None:
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
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    group_state = message.group_state
    data = group_state.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topology = message.topology
    out.append(_pack_iib(message.group_epoch, message.assignment_epoch, -1 if topology is None else 1))
    if topology is not None:
        _write_topology_v0(out, topology)
    members = message.members
    count = len(members) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for members_item in members:
        _write_member_v0(out, members_item)
    topology_description = message.topology_description
    out.append(_pack_ib(message.authorized_operations, -1 if topology_description is None else 1))
    if topology_description is not None:
        _write_topology_description_v1(out, topology_description)
    assignor_name = message.assignor_name
    if assignor_name is None:
        data = b""
        length = 0
    else:
        data = assignor_name.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_bB(message.topology_description_status, length))
    else:
        out.append(_pack_b(message.topology_description_status))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_described_group_v1(
    out: Pieces,
    message: StreamsGroupDescribeResponseDescribedGroup,
) -> Steps[None]:
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
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    group_state = message.group_state
    data = group_state.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topology = message.topology
    out.append(_pack_iib(message.group_epoch, message.assignment_epoch, -1 if topology is None else 1))
    if topology is not None:
        yield from _step_write_topology_v0(out, topology)
    members = message.members
    count = len(members) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for members_item in members:
        yield from _step_write_member_v0(out, members_item)
        yield
    topology_description = message.topology_description
    out.append(_pack_ib(message.authorized_operations, -1 if topology_description is None else 1))
    if topology_description is not None:
        yield from _step_write_topology_description_v1(out, topology_description)
    assignor_name = message.assignor_name
    if assignor_name is None:
        data = b""
        length = 0
    else:
        data = assignor_name.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_bB(message.topology_description_status, length))
    else:
        out.append(_pack_b(message.topology_description_status))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: StreamsGroupDescribeResponse) -> None:
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for groups_item in groups:
        _write_described_group_v1(out, groups_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v1(out: Pieces, message: StreamsGroupDescribeResponse) -> Steps[None]:
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for groups_item in groups:
        yield from _step_write_described_group_v1(out, groups_item)
        yield
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

_STEP_WRITERS = (
    _step_write_v0,
    _step_write_v1,
)


@cache
def _schema() -> MessageSchema:
    key_value_struct = StructSchema(
        python_class=StreamsGroupDescribeResponseKeyValue,
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
        python_class=StreamsGroupDescribeResponseTopicInfo,
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
    subtopology_struct = StructSchema(
        python_class=StreamsGroupDescribeResponseSubtopology,
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
                name="RepartitionSinkTopics",
                attribute="repartition_sink_topics",
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
                name="RepartitionSourceTopics",
                attribute="repartition_source_topics",
                type="TopicInfo",
                struct=topic_info_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    topology_struct = StructSchema(
        python_class=StreamsGroupDescribeResponseTopology,
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
                nullable=(0, 32767),
                default=None,
            ),
        ),
    )
    endpoint_struct = StructSchema(
        python_class=StreamsGroupDescribeResponseEndpoint,
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
        python_class=StreamsGroupDescribeResponseTaskOffset,
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
    task_ids_struct = StructSchema(
        python_class=StreamsGroupDescribeResponseTaskIds,
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
    assignment_struct = StructSchema(
        python_class=StreamsGroupDescribeResponseAssignment,
        fields=(
            FieldSchema(
                name="ActiveTasks",
                attribute="active_tasks",
                type="TaskIds",
                struct=task_ids_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="StandbyTasks",
                attribute="standby_tasks",
                type="TaskIds",
                struct=task_ids_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="WarmupTasks",
                attribute="warmup_tasks",
                type="TaskIds",
                struct=task_ids_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    member_struct = StructSchema(
        python_class=StreamsGroupDescribeResponseMember,
        fields=(
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
                name="ClientId",
                attribute="client_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="ClientHost",
                attribute="client_host",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="TopologyEpoch",
                attribute="topology_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ProcessId",
                attribute="process_id",
                type="string",
                versions=(0, 32767),
                default="",
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
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="TaskOffsets",
                attribute="task_offsets",
                type="TaskOffset",
                struct=task_offset_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="TaskEndOffsets",
                attribute="task_end_offsets",
                type="TaskOffset",
                struct=task_offset_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="Assignment",
                attribute="assignment",
                type="Assignment",
                struct=assignment_struct,
                versions=(0, 32767),
                default=Default.EMPTY_STRUCT,
            ),
            FieldSchema(
                name="TargetAssignment",
                attribute="target_assignment",
                type="Assignment",
                struct=assignment_struct,
                versions=(0, 32767),
                default=Default.EMPTY_STRUCT,
            ),
            FieldSchema(
                name="IsClassic",
                attribute="is_classic",
                type="bool",
                versions=(0, 32767),
                default=False,
            ),
        ),
    )
    topology_description_node_struct = StructSchema(
        python_class=StreamsGroupDescribeResponseTopologyDescriptionNode,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(1, 32767),
                default="",
            ),
            FieldSchema(
                name="NodeType",
                attribute="node_type",
                type="int8",
                versions=(1, 32767),
                default=0,
            ),
            FieldSchema(
                name="SourceTopics",
                attribute="source_topics",
                type="string",
                array=True,
                versions=(1, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="SinkTopic",
                attribute="sink_topic",
                type="string",
                versions=(1, 32767),
                nullable=(1, 32767),
                default=None,
            ),
            FieldSchema(
                name="Stores",
                attribute="stores",
                type="string",
                array=True,
                versions=(1, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="Successors",
                attribute="successors",
                type="string",
                array=True,
                versions=(1, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    topology_description_subtopology_struct = StructSchema(
        python_class=StreamsGroupDescribeResponseTopologyDescriptionSubtopology,
        fields=(
            FieldSchema(
                name="SubtopologyId",
                attribute="subtopology_id",
                type="string",
                versions=(1, 32767),
                default="",
            ),
            FieldSchema(
                name="Nodes",
                attribute="nodes",
                type="TopologyDescriptionNode",
                struct=topology_description_node_struct,
                array=True,
                versions=(1, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    topology_description_global_store_struct = StructSchema(
        python_class=StreamsGroupDescribeResponseTopologyDescriptionGlobalStore,
        fields=(
            FieldSchema(
                name="Source",
                attribute="source",
                type="TopologyDescriptionNode",
                struct=topology_description_node_struct,
                versions=(1, 32767),
                default=Default.EMPTY_STRUCT,
            ),
            FieldSchema(
                name="Processor",
                attribute="processor",
                type="TopologyDescriptionNode",
                struct=topology_description_node_struct,
                versions=(1, 32767),
                default=Default.EMPTY_STRUCT,
            ),
        ),
    )
    topology_description_struct = StructSchema(
        python_class=StreamsGroupDescribeResponseTopologyDescription,
        fields=(
            FieldSchema(
                name="Subtopologies",
                attribute="subtopologies",
                type="TopologyDescriptionSubtopology",
                struct=topology_description_subtopology_struct,
                array=True,
                versions=(1, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="GlobalStores",
                attribute="global_stores",
                type="TopologyDescriptionGlobalStore",
                struct=topology_description_global_store_struct,
                array=True,
                versions=(1, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    described_group_struct = StructSchema(
        python_class=StreamsGroupDescribeResponseDescribedGroup,
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
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="GroupId",
                attribute="group_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="GroupState",
                attribute="group_state",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="GroupEpoch",
                attribute="group_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="AssignmentEpoch",
                attribute="assignment_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
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
                name="Members",
                attribute="members",
                type="Member",
                struct=member_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="AuthorizedOperations",
                attribute="authorized_operations",
                type="int32",
                versions=(0, 32767),
                default=-2147483648,
            ),
            FieldSchema(
                name="TopologyDescription",
                attribute="topology_description",
                type="TopologyDescription",
                struct=topology_description_struct,
                versions=(1, 32767),
                nullable=(1, 32767),
                default=None,
            ),
            FieldSchema(
                name="TopologyDescriptionStatus",
                attribute="topology_description_status",
                type="int8",
                versions=(1, 32767),
                default=0,
            ),
            FieldSchema(
                name="AssignorName",
                attribute="assignor_name",
                type="string",
                versions=(1, 32767),
                nullable=(1, 32767),
                default=None,
                ignorable=True,
            ),
        ),
    )
    streams_group_describe_response_struct = StructSchema(
        python_class=StreamsGroupDescribeResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Groups",
                attribute="groups",
                type="DescribedGroup",
                struct=described_group_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="StreamsGroupDescribeResponse",
        flexible_from=0,
        root=streams_group_describe_response_struct,
    )
