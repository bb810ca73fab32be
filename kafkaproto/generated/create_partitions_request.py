"""CreatePartitionsRequest: versions 0-3, flexible from 2, api key 37.

Generated from api/CreatePartitionsRequest.json by codegen; change the schema, not this file.
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

_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_it = struct.Struct(">i?").unpack_from
_unpack_itB = struct.Struct(">i?B").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ii = struct.Struct(">ii").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_it = struct.Struct(">i?").pack
_pack_itB = struct.Struct(">i?B").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ii = struct.Struct(">ii").pack


class CreatePartitionsRequestCreatePartitionsAssignment(Struct):
    """CreatePartitionsAssignment of CreatePartitionsRequest."""

    __slots__ = ("broker_ids", "unknown_tags")

    broker_ids: list[int]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        broker_ids: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.broker_ids = [] if broker_ids is EMPTY else broker_ids
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CreatePartitionsRequestCreatePartitionsAssignment)
            and self.broker_ids == other.broker_ids
            and self.unknown_tags == other.unknown_tags
        )



class CreatePartitionsRequestCreatePartitionsTopic(Struct):
    """CreatePartitionsTopic of CreatePartitionsRequest."""

    __slots__ = ("name", "count", "assignments", "unknown_tags")

    name: str
    """Versions 0+."""
    count: int
    """Number of partitions afterwards. Versions 0+."""
    assignments: list[CreatePartitionsRequestCreatePartitionsAssignment] | None
    """Brokers of each partition that is added; null to have them chosen. Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        count: int = 0,
        assignments: list[CreatePartitionsRequestCreatePartitionsAssignment] | None = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.count = count
        self.assignments = [] if assignments is EMPTY else assignments
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CreatePartitionsRequestCreatePartitionsTopic)
            and self.name == other.name
            and self.count == other.count
            and self.assignments == other.assignments
            and self.unknown_tags == other.unknown_tags
        )



class CreatePartitionsRequest(Message):
    """Request CreatePartitionsRequest."""

    __slots__ = ("topics", "timeout_ms", "validate_only", "unknown_tags")

    NAME: ClassVar[str] = "CreatePartitionsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 37
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker", "controller",)
    CreatePartitionsAssignment: TypeAlias = CreatePartitionsRequestCreatePartitionsAssignment
    CreatePartitionsTopic: TypeAlias = CreatePartitionsRequestCreatePartitionsTopic

    topics: list[CreatePartitionsRequestCreatePartitionsTopic]
    """Versions 0+."""
    timeout_ms: int
    """Versions 0+."""
    validate_only: bool
    """Whether to check only, and add nothing. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topics: list[CreatePartitionsRequestCreatePartitionsTopic] = EMPTY,
        timeout_ms: int = 0,
        validate_only: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topics = [] if topics is EMPTY else topics
        self.timeout_ms = timeout_ms
        self.validate_only = validate_only
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CreatePartitionsRequest)
            and self.topics == other.topics
            and self.timeout_ms == other.timeout_ms
            and self.validate_only == other.validate_only
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[CreatePartitionsRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[CreatePartitionsRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_create_partitions_assignment_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[CreatePartitionsRequestCreatePartitionsAssignment], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreatePartitionsRequestCreatePartitionsAssignment] = []
    for _ in range(size):
        message = CreatePartitionsRequestCreatePartitionsAssignment.__new__(
            CreatePartitionsRequestCreatePartitionsAssignment,
        )
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count < 0:
            raise Malformed
        if count < TABLE_SIZE:
            message.broker_ids = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.broker_ids = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_create_partitions_assignment_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[CreatePartitionsRequestCreatePartitionsAssignment], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreatePartitionsRequestCreatePartitionsAssignment] = []
    for _ in range(size):
        message = CreatePartitionsRequestCreatePartitionsAssignment.__new__(
            CreatePartitionsRequestCreatePartitionsAssignment,
        )
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "CreatePartitionsRequest.broker_ids")
        if count < 0:
            raise Malformed
        if count < TABLE_SIZE:
            message.broker_ids = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.broker_ids = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        yield
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_many_create_partitions_topic_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[CreatePartitionsRequestCreatePartitionsTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreatePartitionsRequestCreatePartitionsTopic] = []
    for _ in range(size):
        message = CreatePartitionsRequestCreatePartitionsTopic.__new__(
            CreatePartitionsRequestCreatePartitionsTopic,
        )
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.count, count = _unpack_ii(buffer, position)
        position += 8
        if count > 0:
            message.assignments, position = _read_many_create_partitions_assignment_v0(buffer, position, count)
        elif not count:
            message.assignments = []
        else:
            message.assignments = None
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_create_partitions_topic_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[CreatePartitionsRequestCreatePartitionsTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreatePartitionsRequestCreatePartitionsTopic] = []
    for _ in range(size):
        message = CreatePartitionsRequestCreatePartitionsTopic.__new__(
            CreatePartitionsRequestCreatePartitionsTopic,
        )
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.count, count = _unpack_ii(buffer, position)
        position += 8
        budget.take(count, "CreatePartitionsRequest.assignments")
        if count > 0:
            message.assignments, position = yield from _step_many_create_partitions_assignment_v0(buffer, position, count, budget)
        elif not count:
            message.assignments = []
        else:
            message.assignments = None
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[CreatePartitionsRequest, int]:
    message = CreatePartitionsRequest.__new__(CreatePartitionsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.topics, position = _read_many_create_partitions_topic_v0(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.timeout_ms, message.validate_only = _unpack_it(buffer, position)
    position += 5
    message.unknown_tags = None
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[CreatePartitionsRequest, int]]:
    message = CreatePartitionsRequest.__new__(CreatePartitionsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "CreatePartitionsRequest.topics")
    if count > 0:
        message.topics, position = yield from _step_many_create_partitions_topic_v0(buffer, position, count, budget)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.timeout_ms, message.validate_only = _unpack_it(buffer, position)
    position += 5
    message.unknown_tags = None
    return message, position


def _read_many_create_partitions_assignment_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[CreatePartitionsRequestCreatePartitionsAssignment], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreatePartitionsRequestCreatePartitionsAssignment] = []
    for _ in range(size):
        message = CreatePartitionsRequestCreatePartitionsAssignment.__new__(
            CreatePartitionsRequestCreatePartitionsAssignment,
        )
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.broker_ids = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.broker_ids = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_create_partitions_assignment_v2(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[CreatePartitionsRequestCreatePartitionsAssignment], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreatePartitionsRequestCreatePartitionsAssignment] = []
    for _ in range(size):
        message = CreatePartitionsRequestCreatePartitionsAssignment.__new__(
            CreatePartitionsRequestCreatePartitionsAssignment,
        )
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "CreatePartitionsRequest.broker_ids")
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.broker_ids = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.broker_ids = unpack_many("i", 4, count - 1, buffer, position)
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


def _read_many_create_partitions_topic_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[CreatePartitionsRequestCreatePartitionsTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreatePartitionsRequestCreatePartitionsTopic] = []
    for _ in range(size):
        message = CreatePartitionsRequestCreatePartitionsTopic.__new__(
            CreatePartitionsRequestCreatePartitionsTopic,
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
        message.count, count = _unpack_iB(buffer, position)
        position += 5
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.assignments, position = _read_many_create_partitions_assignment_v2(buffer, position, count - 1)
        elif count:
            message.assignments = []
        else:
            message.assignments = None
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_create_partitions_topic_v2(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[CreatePartitionsRequestCreatePartitionsTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreatePartitionsRequestCreatePartitionsTopic] = []
    for _ in range(size):
        message = CreatePartitionsRequestCreatePartitionsTopic.__new__(
            CreatePartitionsRequestCreatePartitionsTopic,
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
        message.count, count = _unpack_iB(buffer, position)
        position += 5
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "CreatePartitionsRequest.assignments")
        if count > 1:
            message.assignments, position = yield from _step_many_create_partitions_assignment_v2(buffer, position, count - 1, budget)
        elif count:
            message.assignments = []
        else:
            message.assignments = None
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_v2(buffer: Buffer, position: int) -> tuple[CreatePartitionsRequest, int]:
    message = CreatePartitionsRequest.__new__(CreatePartitionsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_create_partitions_topic_v2(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    message.timeout_ms, message.validate_only, tags = _unpack_itB(buffer, position)
    position += 6
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v2(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[CreatePartitionsRequest, int]]:
    message = CreatePartitionsRequest.__new__(CreatePartitionsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "CreatePartitionsRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_create_partitions_topic_v2(buffer, position, count - 1, budget)
    elif count:
        message.topics = []
    else:
        raise Malformed
    message.timeout_ms, message.validate_only, tags = _unpack_itB(buffer, position)
    position += 6
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_create_partitions_assignment_v0(
    out: Pieces,
    message: CreatePartitionsRequestCreatePartitionsAssignment,
) -> None:
    broker_ids = message.broker_ids
    count = len(broker_ids)
    out.append(_pack_i(count))
    if len(broker_ids) < TABLE_SIZE:
        out.append(PACK_INT32[len(broker_ids)](*broker_ids))
    else:
        out.append(pack_many("i", broker_ids))
    if message.unknown_tags:
        raise Malformed


def _write_create_partitions_topic_v0(
    out: Pieces,
    message: CreatePartitionsRequestCreatePartitionsTopic,
) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    assignments = message.assignments
    if assignments is None:
        assignments = EMPTY
        count = -1
    else:
        count = len(assignments)
    out.append(_pack_ii(message.count, count))
    for assignments_item in assignments:
        _write_create_partitions_assignment_v0(out, assignments_item)
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: CreatePartitionsRequest) -> None:
    topics = message.topics
    count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        _write_create_partitions_topic_v0(out, topics_item)
    out.append(_pack_it(message.timeout_ms, message.validate_only))
    if message.unknown_tags:
        raise Malformed


def _write_create_partitions_assignment_v2(
    out: Pieces,
    message: CreatePartitionsRequestCreatePartitionsAssignment,
) -> None:
    broker_ids = message.broker_ids
    count = len(broker_ids) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(broker_ids) < TABLE_SIZE:
        out.append(PACK_INT32[len(broker_ids)](*broker_ids))
    else:
        out.append(pack_many("i", broker_ids))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_create_partitions_topic_v2(
    out: Pieces,
    message: CreatePartitionsRequestCreatePartitionsTopic,
) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    assignments = message.assignments
    if assignments is None:
        assignments = EMPTY
        count = 0
    else:
        count = len(assignments) + 1
    if count < 128:
        out.append(_pack_iB(message.count, count))
    else:
        out.append(_pack_i(message.count))
        out.append(pack_length(count))
    for assignments_item in assignments:
        _write_create_partitions_assignment_v2(out, assignments_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v2(out: Pieces, message: CreatePartitionsRequest) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        _write_create_partitions_topic_v2(out, topics_item)
    if message.unknown_tags:
        out.append(_pack_it(message.timeout_ms, message.validate_only))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_itB(message.timeout_ms, message.validate_only, 0))


_READERS = (
    _read_v0,
    _read_v0,
    _read_v2,
    _read_v2,
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v2,
    _write_v2,
)

_STEP_READERS = (
    _step_v0,
    _step_v0,
    _step_v2,
    _step_v2,
)


@cache
def _schema() -> MessageSchema:
    create_partitions_assignment_struct = StructSchema(
        python_class=CreatePartitionsRequestCreatePartitionsAssignment,
        fields=(
            FieldSchema(
                name="BrokerIds",
                attribute="broker_ids",
                type="int32",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    create_partitions_topic_struct = StructSchema(
        python_class=CreatePartitionsRequestCreatePartitionsTopic,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Count",
                attribute="count",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Assignments",
                attribute="assignments",
                type="CreatePartitionsAssignment",
                struct=create_partitions_assignment_struct,
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    create_partitions_request_struct = StructSchema(
        python_class=CreatePartitionsRequest,
        fields=(
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="CreatePartitionsTopic",
                struct=create_partitions_topic_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="TimeoutMs",
                attribute="timeout_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ValidateOnly",
                attribute="validate_only",
                type="bool",
                versions=(0, 32767),
                default=False,
            ),
        ),
    )
    return MessageSchema(
        name="CreatePartitionsRequest",
        flexible_from=2,
        root=create_partitions_request_struct,
    )
