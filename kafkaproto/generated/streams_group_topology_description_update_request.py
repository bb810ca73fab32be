"""StreamsGroupTopologyDescriptionUpdateRequest: versions 0, flexible from 0, api key 93.

Generated from api/StreamsGroupTopologyDescriptionUpdateRequest.json by codegen; change the schema, not this file.
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
    Budget,
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

_unpack_bB = struct.Struct(">bB").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_pack_b = struct.Struct(">b").pack
_pack_bB = struct.Struct(">bB").pack
_pack_i = struct.Struct(">i").pack


class StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode(Struct):
    """TopologyDescriptionNode of StreamsGroupTopologyDescriptionUpdateRequest."""

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
    """Versions 0+."""
    node_type: int
    """Versions 0+."""
    source_topics: list[str]
    """Versions 0+."""
    sink_topic: str | None
    """Versions 0+, null in 0+."""
    stores: list[str]
    """Versions 0+."""
    successors: list[str]
    """Names of the nodes that get what this one forwards. Versions 0+."""
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
            isinstance(other, StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode)
            and self.name == other.name
            and self.node_type == other.node_type
            and self.source_topics == other.source_topics
            and self.sink_topic == other.sink_topic
            and self.stores == other.stores
            and self.successors == other.successors
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionSubtopology(Struct):
    """TopologyDescriptionSubtopology of StreamsGroupTopologyDescriptionUpdateRequest."""

    __slots__ = ("subtopology_id", "nodes", "unknown_tags")

    subtopology_id: str
    """Versions 0+."""
    nodes: list[StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        subtopology_id: str = "",
        nodes: list[StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.subtopology_id = subtopology_id
        self.nodes = [] if nodes is EMPTY else nodes
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionSubtopology)
            and self.subtopology_id == other.subtopology_id
            and self.nodes == other.nodes
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionGlobalStore(Struct):
    """TopologyDescriptionGlobalStore of StreamsGroupTopologyDescriptionUpdateRequest."""

    __slots__ = ("_source", "_processor", "unknown_tags")

    _source: StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode | None
    _processor: StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode | None
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        source: StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode | None = None,
        processor: StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self._source = source
        self._processor = processor
        self.unknown_tags = unknown_tags

    @property
    def source(self) -> StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode:
        """Versions 0+."""
        if self._source is None:
            self._source = StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode()
        return self._source

    @source.setter
    def source(self, value: StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode) -> None:
        self._source = value

    @property
    def processor(self) -> StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode:
        """Versions 0+."""
        if self._processor is None:
            self._processor = StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode()
        return self._processor

    @processor.setter
    def processor(self, value: StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode) -> None:
        self._processor = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionGlobalStore)
            and self.source == other.source
            and self.processor == other.processor
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupTopologyDescriptionUpdateRequestTopologyDescription(Struct):
    """TopologyDescription of StreamsGroupTopologyDescriptionUpdateRequest."""

    __slots__ = ("subtopologies", "global_stores", "unknown_tags")

    subtopologies: list[StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionSubtopology]
    """Versions 0+."""
    global_stores: list[StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionGlobalStore]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        subtopologies: list[StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionSubtopology] = EMPTY,
        global_stores: list[StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionGlobalStore] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.subtopologies = [] if subtopologies is EMPTY else subtopologies
        self.global_stores = [] if global_stores is EMPTY else global_stores
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupTopologyDescriptionUpdateRequestTopologyDescription)
            and self.subtopologies == other.subtopologies
            and self.global_stores == other.global_stores
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupTopologyDescriptionUpdateRequest(Message):
    """Request StreamsGroupTopologyDescriptionUpdateRequest."""

    __slots__ = ("group_id", "member_id", "topology_epoch", "_topology_description", "unknown_tags")

    NAME: ClassVar[str] = "StreamsGroupTopologyDescriptionUpdateRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 93
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    TopologyDescriptionNode: TypeAlias = StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode
    TopologyDescriptionSubtopology: TypeAlias = StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionSubtopology
    TopologyDescriptionGlobalStore: TypeAlias = StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionGlobalStore
    TopologyDescription: TypeAlias = StreamsGroupTopologyDescriptionUpdateRequestTopologyDescription

    group_id: str
    """Versions 0+."""
    member_id: str
    """Versions 0+."""
    topology_epoch: int
    """Versions 0+."""
    _topology_description: StreamsGroupTopologyDescriptionUpdateRequestTopologyDescription | None
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
        topology_epoch: int = 0,
        topology_description: StreamsGroupTopologyDescriptionUpdateRequestTopologyDescription | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.topology_epoch = topology_epoch
        self._topology_description = topology_description
        self.unknown_tags = unknown_tags

    @property
    def topology_description(self) -> StreamsGroupTopologyDescriptionUpdateRequestTopologyDescription:
        """Versions 0+."""
        if self._topology_description is None:
            self._topology_description = StreamsGroupTopologyDescriptionUpdateRequestTopologyDescription()
        return self._topology_description

    @topology_description.setter
    def topology_description(self, value: StreamsGroupTopologyDescriptionUpdateRequestTopologyDescription) -> None:
        self._topology_description = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupTopologyDescriptionUpdateRequest)
            and self.group_id == other.group_id
            and self.member_id == other.member_id
            and self.topology_epoch == other.topology_epoch
            and self.topology_description == other.topology_description
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(
        buffer: Buffer,
        position: int,
        version: int,
    ) -> tuple[StreamsGroupTopologyDescriptionUpdateRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[StreamsGroupTopologyDescriptionUpdateRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_topology_description_node_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode] = []
    for _ in range(size):
        message = StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode.__new__(
            StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode,
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


def _step_many_topology_description_node_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode] = []
    for _ in range(size):
        message = StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode.__new__(
            StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode,
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
        budget.take(count - 1, "StreamsGroupTopologyDescriptionUpdateRequest.source_topics")
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
        budget.take(count - 1, "StreamsGroupTopologyDescriptionUpdateRequest.stores")
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
            yield
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "StreamsGroupTopologyDescriptionUpdateRequest.successors")
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


def _read_many_topology_description_subtopology_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionSubtopology], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionSubtopology] = []
    for _ in range(size):
        message = StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionSubtopology.__new__(
            StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionSubtopology,
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
            message.nodes, position = _read_many_topology_description_node_v0(buffer, position, count - 1)
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


def _step_many_topology_description_subtopology_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionSubtopology], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionSubtopology] = []
    for _ in range(size):
        message = StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionSubtopology.__new__(
            StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionSubtopology,
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
        budget.take(count - 1, "StreamsGroupTopologyDescriptionUpdateRequest.nodes")
        if count > 1:
            message.nodes, position = yield from _step_many_topology_description_node_v0(buffer, position, count - 1, budget)
        elif count:
            message.nodes = []
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


def _read_topology_description_node_v0(
    buffer: Buffer,
    position: int,
) -> tuple[StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode, int]:
    message = StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode.__new__(
        StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode,
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


def _step_topology_description_node_v0(
    buffer: Buffer,
    position: int,
    budget: Budget,
) -> Steps[tuple[StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode, int]]:
    message = StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode.__new__(
        StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode,
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
    budget.take(count - 1, "StreamsGroupTopologyDescriptionUpdateRequest.source_topics")
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
    budget.take(count - 1, "StreamsGroupTopologyDescriptionUpdateRequest.stores")
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
        yield
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "StreamsGroupTopologyDescriptionUpdateRequest.successors")
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
        yield
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_many_topology_description_global_store_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionGlobalStore], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionGlobalStore] = []
    for _ in range(size):
        message = StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionGlobalStore.__new__(
            StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionGlobalStore,
        )
        message._source, position = _read_topology_description_node_v0(buffer, position)
        message._processor, position = _read_topology_description_node_v0(buffer, position)
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_topology_description_global_store_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionGlobalStore], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionGlobalStore] = []
    for _ in range(size):
        message = StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionGlobalStore.__new__(
            StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionGlobalStore,
        )
        message._source, position = yield from _step_topology_description_node_v0(buffer, position, budget)
        message._processor, position = yield from _step_topology_description_node_v0(buffer, position, budget)
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_topology_description_v0(
    buffer: Buffer,
    position: int,
) -> tuple[StreamsGroupTopologyDescriptionUpdateRequestTopologyDescription, int]:
    message = StreamsGroupTopologyDescriptionUpdateRequestTopologyDescription.__new__(
        StreamsGroupTopologyDescriptionUpdateRequestTopologyDescription,
    )
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.subtopologies, position = _read_many_topology_description_subtopology_v0(buffer, position, count - 1)
    elif count:
        message.subtopologies = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.global_stores, position = _read_many_topology_description_global_store_v0(buffer, position, count - 1)
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


def _step_topology_description_v0(
    buffer: Buffer,
    position: int,
    budget: Budget,
) -> Steps[tuple[StreamsGroupTopologyDescriptionUpdateRequestTopologyDescription, int]]:
    message = StreamsGroupTopologyDescriptionUpdateRequestTopologyDescription.__new__(
        StreamsGroupTopologyDescriptionUpdateRequestTopologyDescription,
    )
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "StreamsGroupTopologyDescriptionUpdateRequest.subtopologies")
    if count > 1:
        message.subtopologies, position = yield from _step_many_topology_description_subtopology_v0(buffer, position, count - 1, budget)
    elif count:
        message.subtopologies = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "StreamsGroupTopologyDescriptionUpdateRequest.global_stores")
    if count > 1:
        message.global_stores, position = yield from _step_many_topology_description_global_store_v0(buffer, position, count - 1, budget)
    elif count:
        message.global_stores = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_v0(buffer: Buffer, position: int) -> tuple[StreamsGroupTopologyDescriptionUpdateRequest, int]:
    message = StreamsGroupTopologyDescriptionUpdateRequest.__new__(
        StreamsGroupTopologyDescriptionUpdateRequest,
    )
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
    (message.topology_epoch,) = _unpack_i(buffer, position)
    position += 4
    message._topology_description, position = _read_topology_description_v0(buffer, position)
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v0(
    buffer: Buffer,
    position: int,
    budget: Budget,
) -> Steps[tuple[StreamsGroupTopologyDescriptionUpdateRequest, int]]:
    message = StreamsGroupTopologyDescriptionUpdateRequest.__new__(
        StreamsGroupTopologyDescriptionUpdateRequest,
    )
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
    (message.topology_epoch,) = _unpack_i(buffer, position)
    position += 4
    message._topology_description, position = yield from _step_topology_description_v0(buffer, position, budget)
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_topology_description_node_v0(
    out: Pieces,
    message: StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode,
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


def _write_topology_description_subtopology_v0(
    out: Pieces,
    message: StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionSubtopology,
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
        _write_topology_description_node_v0(out, nodes_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topology_description_global_store_v0(
    out: Pieces,
    message: StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionGlobalStore,
) -> None:
    source = message.source
    _write_topology_description_node_v0(out, source)
    processor = message.processor
    _write_topology_description_node_v0(out, processor)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topology_description_v0(
    out: Pieces,
    message: StreamsGroupTopologyDescriptionUpdateRequestTopologyDescription,
) -> None:
    subtopologies = message.subtopologies
    count = len(subtopologies) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for subtopologies_item in subtopologies:
        _write_topology_description_subtopology_v0(out, subtopologies_item)
    global_stores = message.global_stores
    count = len(global_stores) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for global_stores_item in global_stores:
        _write_topology_description_global_store_v0(out, global_stores_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: StreamsGroupTopologyDescriptionUpdateRequest) -> None:
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
    topology_description = message.topology_description
    out.append(_pack_i(message.topology_epoch))
    _write_topology_description_v0(out, topology_description)
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

_STEP_READERS = (
    _step_v0,
)


@cache
def _schema() -> MessageSchema:
    topology_description_node_struct = StructSchema(
        python_class=StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionNode,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="NodeType",
                attribute="node_type",
                type="int8",
                versions=(0, 32767),
                default=0,
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
                name="SinkTopic",
                attribute="sink_topic",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="Stores",
                attribute="stores",
                type="string",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="Successors",
                attribute="successors",
                type="string",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    topology_description_subtopology_struct = StructSchema(
        python_class=StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionSubtopology,
        fields=(
            FieldSchema(
                name="SubtopologyId",
                attribute="subtopology_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Nodes",
                attribute="nodes",
                type="TopologyDescriptionNode",
                struct=topology_description_node_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    topology_description_global_store_struct = StructSchema(
        python_class=StreamsGroupTopologyDescriptionUpdateRequestTopologyDescriptionGlobalStore,
        fields=(
            FieldSchema(
                name="Source",
                attribute="source",
                type="TopologyDescriptionNode",
                struct=topology_description_node_struct,
                versions=(0, 32767),
                default=Default.EMPTY_STRUCT,
            ),
            FieldSchema(
                name="Processor",
                attribute="processor",
                type="TopologyDescriptionNode",
                struct=topology_description_node_struct,
                versions=(0, 32767),
                default=Default.EMPTY_STRUCT,
            ),
        ),
    )
    topology_description_struct = StructSchema(
        python_class=StreamsGroupTopologyDescriptionUpdateRequestTopologyDescription,
        fields=(
            FieldSchema(
                name="Subtopologies",
                attribute="subtopologies",
                type="TopologyDescriptionSubtopology",
                struct=topology_description_subtopology_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="GlobalStores",
                attribute="global_stores",
                type="TopologyDescriptionGlobalStore",
                struct=topology_description_global_store_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    streams_group_topology_description_update_request_struct = StructSchema(
        python_class=StreamsGroupTopologyDescriptionUpdateRequest,
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
                name="TopologyEpoch",
                attribute="topology_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="TopologyDescription",
                attribute="topology_description",
                type="TopologyDescription",
                struct=topology_description_struct,
                versions=(0, 32767),
                default=Default.EMPTY_STRUCT,
            ),
        ),
    )
    return MessageSchema(
        name="StreamsGroupTopologyDescriptionUpdateRequest",
        flexible_from=0,
        root=streams_group_topology_description_update_request_struct,
    )
