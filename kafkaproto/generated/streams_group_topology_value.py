"""StreamsGroupTopologyValue: versions 0, flexible from 0, record type 23.

Generated from group/StreamsGroupTopologyValue.json by codegen; change the schema, not this file.
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
    pack_length,
    pack_many,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    unpack_many,
    write_tag_section,
)

_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack


class StreamsGroupTopologyValueTopicConfig(Struct):
    """TopicConfig of StreamsGroupTopologyValue."""

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
            isinstance(other, StreamsGroupTopologyValueTopicConfig)
            and self.key == other.key
            and self.value == other.value
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupTopologyValueTopicInfo(Struct):
    """TopicInfo of StreamsGroupTopologyValue."""

    __slots__ = ("name", "partitions", "replication_factor", "topic_configs", "unknown_tags")

    name: str
    """Versions 0+."""
    partitions: int
    """Versions 0+."""
    replication_factor: int
    """Versions 0+."""
    topic_configs: list[StreamsGroupTopologyValueTopicConfig]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        partitions: int = 0,
        replication_factor: int = 0,
        topic_configs: list[StreamsGroupTopologyValueTopicConfig] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.replication_factor = replication_factor
        self.topic_configs = [] if topic_configs is EMPTY else topic_configs
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupTopologyValueTopicInfo)
            and self.name == other.name
            and self.partitions == other.partitions
            and self.replication_factor == other.replication_factor
            and self.topic_configs == other.topic_configs
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupTopologyValueCopartitionGroup(Struct):
    """CopartitionGroup of StreamsGroupTopologyValue."""

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
            isinstance(other, StreamsGroupTopologyValueCopartitionGroup)
            and self.source_topics == other.source_topics
            and self.source_topic_regex == other.source_topic_regex
            and self.repartition_source_topics == other.repartition_source_topics
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupTopologyValueSubtopology(Struct):
    """Subtopology of StreamsGroupTopologyValue."""

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
    state_changelog_topics: list[StreamsGroupTopologyValueTopicInfo]
    """Versions 0+."""
    repartition_sink_topics: list[str]
    """Versions 0+."""
    repartition_source_topics: list[StreamsGroupTopologyValueTopicInfo]
    """Versions 0+."""
    copartition_groups: list[StreamsGroupTopologyValueCopartitionGroup]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        subtopology_id: str = "",
        source_topics: list[str] = EMPTY,
        source_topic_regex: list[str] = EMPTY,
        state_changelog_topics: list[StreamsGroupTopologyValueTopicInfo] = EMPTY,
        repartition_sink_topics: list[str] = EMPTY,
        repartition_source_topics: list[StreamsGroupTopologyValueTopicInfo] = EMPTY,
        copartition_groups: list[StreamsGroupTopologyValueCopartitionGroup] = EMPTY,
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
            isinstance(other, StreamsGroupTopologyValueSubtopology)
            and self.subtopology_id == other.subtopology_id
            and self.source_topics == other.source_topics
            and self.source_topic_regex == other.source_topic_regex
            and self.state_changelog_topics == other.state_changelog_topics
            and self.repartition_sink_topics == other.repartition_sink_topics
            and self.repartition_source_topics == other.repartition_source_topics
            and self.copartition_groups == other.copartition_groups
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupTopologyValue(Message):
    """Coordinator-value StreamsGroupTopologyValue."""

    __slots__ = ("epoch", "subtopologies", "unknown_tags")

    NAME: ClassVar[str] = "StreamsGroupTopologyValue"
    TYPE: ClassVar[str] = "coordinator-value"
    API_KEY: ClassVar[int | None] = 23
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    TopicConfig: TypeAlias = StreamsGroupTopologyValueTopicConfig
    TopicInfo: TypeAlias = StreamsGroupTopologyValueTopicInfo
    CopartitionGroup: TypeAlias = StreamsGroupTopologyValueCopartitionGroup
    Subtopology: TypeAlias = StreamsGroupTopologyValueSubtopology

    epoch: int
    """Versions 0+."""
    subtopologies: list[StreamsGroupTopologyValueSubtopology]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        epoch: int = 0,
        subtopologies: list[StreamsGroupTopologyValueSubtopology] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.epoch = epoch
        self.subtopologies = [] if subtopologies is EMPTY else subtopologies
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupTopologyValue)
            and self.epoch == other.epoch
            and self.subtopologies == other.subtopologies
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[StreamsGroupTopologyValue, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_topic_config_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupTopologyValueTopicConfig], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupTopologyValueTopicConfig] = []
    for _ in range(size):
        message = StreamsGroupTopologyValueTopicConfig.__new__(StreamsGroupTopologyValueTopicConfig)
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
) -> tuple[list[StreamsGroupTopologyValueTopicInfo], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupTopologyValueTopicInfo] = []
    for _ in range(size):
        message = StreamsGroupTopologyValueTopicInfo.__new__(StreamsGroupTopologyValueTopicInfo)
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
            message.topic_configs, position = _read_many_topic_config_v0(buffer, position, count - 1)
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


def _read_many_copartition_group_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupTopologyValueCopartitionGroup], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupTopologyValueCopartitionGroup] = []
    for _ in range(size):
        message = StreamsGroupTopologyValueCopartitionGroup.__new__(StreamsGroupTopologyValueCopartitionGroup)
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


def _read_many_subtopology_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupTopologyValueSubtopology], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupTopologyValueSubtopology] = []
    for _ in range(size):
        message = StreamsGroupTopologyValueSubtopology.__new__(StreamsGroupTopologyValueSubtopology)
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


def _read_v0(buffer: Buffer, position: int) -> tuple[StreamsGroupTopologyValue, int]:
    message = StreamsGroupTopologyValue.__new__(StreamsGroupTopologyValue)
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


def _write_topic_config_v0(out: Pieces, message: StreamsGroupTopologyValueTopicConfig) -> None:
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


def _write_topic_info_v0(out: Pieces, message: StreamsGroupTopologyValueTopicInfo) -> None:
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
        _write_topic_config_v0(out, topic_configs_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_copartition_group_v0(out: Pieces, message: StreamsGroupTopologyValueCopartitionGroup) -> None:
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


def _write_subtopology_v0(out: Pieces, message: StreamsGroupTopologyValueSubtopology) -> None:
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


def _write_v0(out: Pieces, message: StreamsGroupTopologyValue) -> None:
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


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    topic_config_struct = StructSchema(
        python_class=StreamsGroupTopologyValueTopicConfig,
        fields=(
            FieldSchema(
                name="key",
                attribute="key",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="value",
                attribute="value",
                type="string",
                versions=(0, 32767),
                default="",
            ),
        ),
    )
    topic_info_struct = StructSchema(
        python_class=StreamsGroupTopologyValueTopicInfo,
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
                type="TopicConfig",
                struct=topic_config_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    copartition_group_struct = StructSchema(
        python_class=StreamsGroupTopologyValueCopartitionGroup,
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
        python_class=StreamsGroupTopologyValueSubtopology,
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
    streams_group_topology_value_struct = StructSchema(
        python_class=StreamsGroupTopologyValue,
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
    return MessageSchema(
        name="StreamsGroupTopologyValue",
        flexible_from=0,
        root=streams_group_topology_value_struct,
    )
