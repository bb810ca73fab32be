"""AlterPartitionReassignmentsRequest: versions 0-1, flexible from 0, api key 45.

Generated from api/AlterPartitionReassignmentsRequest.json by codegen; change the schema, not this file.
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
    Budget,
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

_unpack_itB = struct.Struct(">i?B").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_pack_i = struct.Struct(">i").pack
_pack_it = struct.Struct(">i?").pack
_pack_itB = struct.Struct(">i?B").pack
_pack_iB = struct.Struct(">iB").pack


class AlterPartitionReassignmentsRequestReassignablePartition(Struct):
    """ReassignablePartition of AlterPartitionReassignmentsRequest."""

    __slots__ = ("partition_index", "replicas", "unknown_tags")

    partition_index: int
    """Versions 0+."""
    replicas: list[int] | None
    """Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        replicas: list[int] | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.replicas = replicas
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterPartitionReassignmentsRequestReassignablePartition)
            and self.partition_index == other.partition_index
            and self.replicas == other.replicas
            and self.unknown_tags == other.unknown_tags
        )



class AlterPartitionReassignmentsRequestReassignableTopic(Struct):
    """ReassignableTopic of AlterPartitionReassignmentsRequest."""

    __slots__ = ("name", "partitions", "unknown_tags")

    name: str
    """Versions 0+."""
    partitions: list[AlterPartitionReassignmentsRequestReassignablePartition]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        partitions: list[AlterPartitionReassignmentsRequestReassignablePartition] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterPartitionReassignmentsRequestReassignableTopic)
            and self.name == other.name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class AlterPartitionReassignmentsRequest(Message):
    """Request AlterPartitionReassignmentsRequest."""

    __slots__ = ("timeout_ms", "allow_replication_factor_change", "topics", "unknown_tags")

    NAME: ClassVar[str] = "AlterPartitionReassignmentsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 45
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker", "controller",)
    ReassignablePartition: TypeAlias = AlterPartitionReassignmentsRequestReassignablePartition
    ReassignableTopic: TypeAlias = AlterPartitionReassignmentsRequestReassignableTopic

    timeout_ms: int
    """Versions 0+."""
    allow_replication_factor_change: bool
    """Versions 1+."""
    topics: list[AlterPartitionReassignmentsRequestReassignableTopic]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        timeout_ms: int = 60000,
        allow_replication_factor_change: bool = True,
        topics: list[AlterPartitionReassignmentsRequestReassignableTopic] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.timeout_ms = timeout_ms
        self.allow_replication_factor_change = allow_replication_factor_change
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterPartitionReassignmentsRequest)
            and self.timeout_ms == other.timeout_ms
            and self.allow_replication_factor_change == other.allow_replication_factor_change
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[AlterPartitionReassignmentsRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[AlterPartitionReassignmentsRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_reassignable_partition_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterPartitionReassignmentsRequestReassignablePartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterPartitionReassignmentsRequestReassignablePartition] = []
    for _ in range(size):
        message = AlterPartitionReassignmentsRequestReassignablePartition.__new__(
            AlterPartitionReassignmentsRequestReassignablePartition,
        )
        message.partition_index, count = _unpack_iB(buffer, position)
        position += 5
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            message.replicas = None
        else:
            if count - 1 < TABLE_SIZE:
                message.replicas = [*UNPACK_INT32[count - 1](buffer, position)]
            else:
                message.replicas = unpack_many("i", 4, count - 1, buffer, position)
            position += count * 4 - 4
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_reassignable_partition_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[AlterPartitionReassignmentsRequestReassignablePartition], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterPartitionReassignmentsRequestReassignablePartition] = []
    for _ in range(size):
        message = AlterPartitionReassignmentsRequestReassignablePartition.__new__(
            AlterPartitionReassignmentsRequestReassignablePartition,
        )
        message.partition_index, count = _unpack_iB(buffer, position)
        position += 5
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "AlterPartitionReassignmentsRequest.replicas")
        if not count:
            message.replicas = None
        else:
            if count - 1 < TABLE_SIZE:
                message.replicas = [*UNPACK_INT32[count - 1](buffer, position)]
            else:
                message.replicas = unpack_many("i", 4, count - 1, buffer, position)
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


def _read_many_reassignable_topic_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterPartitionReassignmentsRequestReassignableTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterPartitionReassignmentsRequestReassignableTopic] = []
    for _ in range(size):
        message = AlterPartitionReassignmentsRequestReassignableTopic.__new__(
            AlterPartitionReassignmentsRequestReassignableTopic,
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
            message.partitions, position = _read_many_reassignable_partition_v0(buffer, position, count - 1)
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


def _step_many_reassignable_topic_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[AlterPartitionReassignmentsRequestReassignableTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterPartitionReassignmentsRequestReassignableTopic] = []
    for _ in range(size):
        message = AlterPartitionReassignmentsRequestReassignableTopic.__new__(
            AlterPartitionReassignmentsRequestReassignableTopic,
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
        budget.take(count - 1, "AlterPartitionReassignmentsRequest.partitions")
        if count > 1:
            message.partitions, position = yield from _step_many_reassignable_partition_v0(buffer, position, count - 1, budget)
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


def _read_v0(buffer: Buffer, position: int) -> tuple[AlterPartitionReassignmentsRequest, int]:
    message = AlterPartitionReassignmentsRequest.__new__(AlterPartitionReassignmentsRequest)
    message.timeout_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_reassignable_topic_v0(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.allow_replication_factor_change = True
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v0(
    buffer: Buffer,
    position: int,
    budget: Budget,
) -> Steps[tuple[AlterPartitionReassignmentsRequest, int]]:
    message = AlterPartitionReassignmentsRequest.__new__(AlterPartitionReassignmentsRequest)
    message.timeout_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "AlterPartitionReassignmentsRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_reassignable_topic_v0(buffer, position, count - 1, budget)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.allow_replication_factor_change = True
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[AlterPartitionReassignmentsRequest, int]:
    message = AlterPartitionReassignmentsRequest.__new__(AlterPartitionReassignmentsRequest)
    message.timeout_ms, message.allow_replication_factor_change, count = _unpack_itB(buffer, position)
    position += 6
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_reassignable_topic_v0(buffer, position, count - 1)
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


def _step_v1(
    buffer: Buffer,
    position: int,
    budget: Budget,
) -> Steps[tuple[AlterPartitionReassignmentsRequest, int]]:
    message = AlterPartitionReassignmentsRequest.__new__(AlterPartitionReassignmentsRequest)
    message.timeout_ms, message.allow_replication_factor_change, count = _unpack_itB(buffer, position)
    position += 6
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "AlterPartitionReassignmentsRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_reassignable_topic_v0(buffer, position, count - 1, budget)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_reassignable_partition_v0(
    out: Pieces,
    message: AlterPartitionReassignmentsRequestReassignablePartition,
) -> None:
    replicas = message.replicas
    if replicas is None:
        replicas = EMPTY
        count = 0
    else:
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
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_reassignable_topic_v0(
    out: Pieces,
    message: AlterPartitionReassignmentsRequestReassignableTopic,
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
        _write_reassignable_partition_v0(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: AlterPartitionReassignmentsRequest) -> None:
    if not message.allow_replication_factor_change:
        raise Malformed
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.timeout_ms, count))
    else:
        out.append(_pack_i(message.timeout_ms))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_reassignable_topic_v0(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: AlterPartitionReassignmentsRequest) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_itB(message.timeout_ms, message.allow_replication_factor_change, count))
    else:
        out.append(_pack_it(message.timeout_ms, message.allow_replication_factor_change))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_reassignable_topic_v0(out, topics_item)
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
    reassignable_partition_struct = StructSchema(
        python_class=AlterPartitionReassignmentsRequestReassignablePartition,
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
                nullable=(0, 32767),
                default=None,
            ),
        ),
    )
    reassignable_topic_struct = StructSchema(
        python_class=AlterPartitionReassignmentsRequestReassignableTopic,
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
                type="ReassignablePartition",
                struct=reassignable_partition_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    alter_partition_reassignments_request_struct = StructSchema(
        python_class=AlterPartitionReassignmentsRequest,
        fields=(
            FieldSchema(
                name="TimeoutMs",
                attribute="timeout_ms",
                type="int32",
                versions=(0, 32767),
                default=60000,
            ),
            FieldSchema(
                name="AllowReplicationFactorChange",
                attribute="allow_replication_factor_change",
                type="bool",
                versions=(1, 32767),
                default=True,
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="ReassignableTopic",
                struct=reassignable_topic_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="AlterPartitionReassignmentsRequest",
        flexible_from=0,
        root=alter_partition_reassignments_request_struct,
    )
