"""ListPartitionReassignmentsResponse: versions 0, flexible from 0, api key 46.

Generated from api/ListPartitionReassignmentsResponse.json by codegen; change the schema, not this file.
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

_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack


class ListPartitionReassignmentsResponseOngoingPartitionReassignment(Struct):
    """OngoingPartitionReassignment of ListPartitionReassignmentsResponse."""

    __slots__ = ("partition_index", "replicas", "adding_replicas", "removing_replicas", "unknown_tags")

    partition_index: int
    """Versions 0+."""
    replicas: list[int]
    """Versions 0+."""
    adding_replicas: list[int]
    """Versions 0+."""
    removing_replicas: list[int]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        replicas: list[int] = EMPTY,
        adding_replicas: list[int] = EMPTY,
        removing_replicas: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.replicas = [] if replicas is EMPTY else replicas
        self.adding_replicas = [] if adding_replicas is EMPTY else adding_replicas
        self.removing_replicas = [] if removing_replicas is EMPTY else removing_replicas
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ListPartitionReassignmentsResponseOngoingPartitionReassignment)
            and self.partition_index == other.partition_index
            and self.replicas == other.replicas
            and self.adding_replicas == other.adding_replicas
            and self.removing_replicas == other.removing_replicas
            and self.unknown_tags == other.unknown_tags
        )



class ListPartitionReassignmentsResponseOngoingTopicReassignment(Struct):
    """OngoingTopicReassignment of ListPartitionReassignmentsResponse."""

    __slots__ = ("name", "partitions", "unknown_tags")

    name: str
    """Versions 0+."""
    partitions: list[ListPartitionReassignmentsResponseOngoingPartitionReassignment]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        partitions: list[ListPartitionReassignmentsResponseOngoingPartitionReassignment] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ListPartitionReassignmentsResponseOngoingTopicReassignment)
            and self.name == other.name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class ListPartitionReassignmentsResponse(Message):
    """Response ListPartitionReassignmentsResponse."""

    __slots__ = ("throttle_time_ms", "error_code", "error_message", "topics", "unknown_tags")

    NAME: ClassVar[str] = "ListPartitionReassignmentsResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 46
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    OngoingPartitionReassignment: TypeAlias = ListPartitionReassignmentsResponseOngoingPartitionReassignment
    OngoingTopicReassignment: TypeAlias = ListPartitionReassignmentsResponseOngoingTopicReassignment

    throttle_time_ms: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    topics: list[ListPartitionReassignmentsResponseOngoingTopicReassignment]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        topics: list[ListPartitionReassignmentsResponseOngoingTopicReassignment] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ListPartitionReassignmentsResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ListPartitionReassignmentsResponse, int]:
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


def _read_many_ongoing_partition_reassignment_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ListPartitionReassignmentsResponseOngoingPartitionReassignment], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListPartitionReassignmentsResponseOngoingPartitionReassignment] = []
    for _ in range(size):
        message = ListPartitionReassignmentsResponseOngoingPartitionReassignment.__new__(
            ListPartitionReassignmentsResponseOngoingPartitionReassignment,
        )
        message.partition_index, count = _unpack_iB(buffer, position)
        position += 5
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.replicas = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.replicas = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.adding_replicas = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.adding_replicas = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.removing_replicas = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.removing_replicas = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_ongoing_topic_reassignment_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ListPartitionReassignmentsResponseOngoingTopicReassignment], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListPartitionReassignmentsResponseOngoingTopicReassignment] = []
    for _ in range(size):
        message = ListPartitionReassignmentsResponseOngoingTopicReassignment.__new__(
            ListPartitionReassignmentsResponseOngoingTopicReassignment,
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
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_ongoing_partition_reassignment_v0(buffer, position, count - 1)
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


def _read_v0(buffer: Buffer, position: int) -> tuple[ListPartitionReassignmentsResponse, int]:
    message = ListPartitionReassignmentsResponse.__new__(ListPartitionReassignmentsResponse)
    message.throttle_time_ms, message.error_code, length = _unpack_ihB(buffer, position)
    position += 7
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
        message.topics, position = _read_many_ongoing_topic_reassignment_v0(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_ongoing_partition_reassignment_v0(
    out: Pieces,
    message: ListPartitionReassignmentsResponseOngoingPartitionReassignment,
) -> None:
    replicas = message.replicas
    count = len(replicas) + 1
    if count < 128:
        out.append(_pack_iB(message.partition_index, count))
    else:
        out.append(_pack_i(message.partition_index))
        out.append(pack_length(count))
    if len(replicas) < TABLE_SIZE:
        out.append(PACK_INT32[len(replicas)](*replicas))
    else:
        out.append(pack_many("i", replicas))
    adding_replicas = message.adding_replicas
    count = len(adding_replicas) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(adding_replicas) < TABLE_SIZE:
        out.append(PACK_INT32[len(adding_replicas)](*adding_replicas))
    else:
        out.append(pack_many("i", adding_replicas))
    removing_replicas = message.removing_replicas
    count = len(removing_replicas) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(removing_replicas) < TABLE_SIZE:
        out.append(PACK_INT32[len(removing_replicas)](*removing_replicas))
    else:
        out.append(pack_many("i", removing_replicas))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_ongoing_topic_reassignment_v0(
    out: Pieces,
    message: ListPartitionReassignmentsResponseOngoingTopicReassignment,
) -> None:
    name = message.name
    data = name.encode()
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
        _write_ongoing_partition_reassignment_v0(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_ongoing_topic_reassignment_v0(
    out: Pieces,
    message: ListPartitionReassignmentsResponseOngoingTopicReassignment,
) -> Steps[None]:
    name = message.name
    data = name.encode()
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
        _write_ongoing_partition_reassignment_v0(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: ListPartitionReassignmentsResponse) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, length))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        _write_ongoing_topic_reassignment_v0(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v0(out: Pieces, message: ListPartitionReassignmentsResponse) -> Steps[None]:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, length))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_ongoing_topic_reassignment_v0(out, topics_item)
        yield
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
    ongoing_partition_reassignment_struct = StructSchema(
        python_class=ListPartitionReassignmentsResponseOngoingPartitionReassignment,
        fields=(
            FieldSchema(
                name="PartitionIndex",
                attribute="partition_index",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Replicas",
                attribute="replicas",
                type="int32",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="AddingReplicas",
                attribute="adding_replicas",
                type="int32",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="RemovingReplicas",
                attribute="removing_replicas",
                type="int32",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    ongoing_topic_reassignment_struct = StructSchema(
        python_class=ListPartitionReassignmentsResponseOngoingTopicReassignment,
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
                type="OngoingPartitionReassignment",
                struct=ongoing_partition_reassignment_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    list_partition_reassignments_response_struct = StructSchema(
        python_class=ListPartitionReassignmentsResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
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
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="OngoingTopicReassignment",
                struct=ongoing_topic_reassignment_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="ListPartitionReassignmentsResponse",
        flexible_from=0,
        root=list_partition_reassignments_response_struct,
    )
