"""CreateTopicsRequest: versions 2-7, flexible from 5, api key 19.

Generated from api/CreateTopicsRequest.json by codegen; change the schema, not this file.
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

_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_it = struct.Struct(">i?").unpack_from
_unpack_itB = struct.Struct(">i?B").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_ihi = struct.Struct(">ihi").unpack_from
_unpack_ii = struct.Struct(">ii").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_it = struct.Struct(">i?").pack
_pack_itB = struct.Struct(">i?B").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_ihi = struct.Struct(">ihi").pack
_pack_ii = struct.Struct(">ii").pack


class CreateTopicsRequestCreatableReplicaAssignment(Struct):
    """CreatableReplicaAssignment of CreateTopicsRequest."""

    __slots__ = ("partition_index", "broker_ids", "unknown_tags")

    partition_index: int
    """Versions 0+."""
    broker_ids: list[int]
    """The first is the preferred leader. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        broker_ids: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.broker_ids = [] if broker_ids is EMPTY else broker_ids
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CreateTopicsRequestCreatableReplicaAssignment)
            and self.partition_index == other.partition_index
            and self.broker_ids == other.broker_ids
            and self.unknown_tags == other.unknown_tags
        )



class CreateTopicsRequestCreatableTopicConfig(Struct):
    """CreatableTopicConfig of CreateTopicsRequest."""

    __slots__ = ("name", "value", "unknown_tags")

    name: str
    """Versions 0+."""
    value: str | None
    """Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        value: str | None = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.value = value
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CreateTopicsRequestCreatableTopicConfig)
            and self.name == other.name
            and self.value == other.value
            and self.unknown_tags == other.unknown_tags
        )



class CreateTopicsRequestCreatableTopic(Struct):
    """CreatableTopic of CreateTopicsRequest."""

    __slots__ = (
        "name",
        "num_partitions",
        "replication_factor",
        "assignments",
        "configs",
        "unknown_tags",
    )

    name: str
    """Versions 0+."""
    num_partitions: int
    """-1 for the cluster's default, and with Assignments. Versions 0+."""
    replication_factor: int
    """-1 for the cluster's default, and with Assignments. Versions 0+."""
    assignments: list[CreateTopicsRequestCreatableReplicaAssignment]
    """Brokers of each partition, if they are not to be chosen. Versions 0+."""
    configs: list[CreateTopicsRequestCreatableTopicConfig]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        num_partitions: int = 0,
        replication_factor: int = 0,
        assignments: list[CreateTopicsRequestCreatableReplicaAssignment] = EMPTY,
        configs: list[CreateTopicsRequestCreatableTopicConfig] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.num_partitions = num_partitions
        self.replication_factor = replication_factor
        self.assignments = [] if assignments is EMPTY else assignments
        self.configs = [] if configs is EMPTY else configs
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CreateTopicsRequestCreatableTopic)
            and self.name == other.name
            and self.num_partitions == other.num_partitions
            and self.replication_factor == other.replication_factor
            and self.assignments == other.assignments
            and self.configs == other.configs
            and self.unknown_tags == other.unknown_tags
        )



class CreateTopicsRequest(Message):
    """Request CreateTopicsRequest."""

    __slots__ = ("topics", "timeout_ms", "validate_only", "unknown_tags")

    NAME: ClassVar[str] = "CreateTopicsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 19
    MIN_VERSION: ClassVar[int] = 2
    MAX_VERSION: ClassVar[int] = 7
    FLEXIBLE_FROM: ClassVar[int | None] = 5
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker", "controller",)
    CreatableReplicaAssignment: TypeAlias = CreateTopicsRequestCreatableReplicaAssignment
    CreatableTopicConfig: TypeAlias = CreateTopicsRequestCreatableTopicConfig
    CreatableTopic: TypeAlias = CreateTopicsRequestCreatableTopic

    topics: list[CreateTopicsRequestCreatableTopic]
    """Versions 0+."""
    timeout_ms: int
    """Versions 0+."""
    validate_only: bool
    """Whether to check only, and create nothing. Versions 1+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topics: list[CreateTopicsRequestCreatableTopic] = EMPTY,
        timeout_ms: int = 60000,
        validate_only: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topics = [] if topics is EMPTY else topics
        self.timeout_ms = timeout_ms
        self.validate_only = validate_only
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CreateTopicsRequest)
            and self.topics == other.topics
            and self.timeout_ms == other.timeout_ms
            and self.validate_only == other.validate_only
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[CreateTopicsRequest, int]:
        return _READERS[version - 2](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 2](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[CreateTopicsRequest, int]] | None:
        read = _STEP_READERS[version - 2]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_creatable_replica_assignment_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[CreateTopicsRequestCreatableReplicaAssignment], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreateTopicsRequestCreatableReplicaAssignment] = []
    for _ in range(size):
        message = CreateTopicsRequestCreatableReplicaAssignment.__new__(
            CreateTopicsRequestCreatableReplicaAssignment,
        )
        message.partition_index, count = _unpack_ii(buffer, position)
        position += 8
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


def _step_many_creatable_replica_assignment_v2(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[CreateTopicsRequestCreatableReplicaAssignment], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreateTopicsRequestCreatableReplicaAssignment] = []
    for _ in range(size):
        message = CreateTopicsRequestCreatableReplicaAssignment.__new__(
            CreateTopicsRequestCreatableReplicaAssignment,
        )
        message.partition_index, count = _unpack_ii(buffer, position)
        position += 8
        budget.take(count, "CreateTopicsRequest.broker_ids")
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


def _read_many_creatable_topic_config_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[CreateTopicsRequestCreatableTopicConfig], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreateTopicsRequestCreatableTopicConfig] = []
    for _ in range(size):
        message = CreateTopicsRequestCreatableTopicConfig.__new__(CreateTopicsRequestCreatableTopicConfig)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            message.value = None
        else:
            end = position + length
            message.value = str(buffer[position:end], "utf-8")
            position = end
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_creatable_topic_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[CreateTopicsRequestCreatableTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreateTopicsRequestCreatableTopic] = []
    for _ in range(size):
        message = CreateTopicsRequestCreatableTopic.__new__(CreateTopicsRequestCreatableTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.num_partitions, message.replication_factor, count = _unpack_ihi(buffer, position)
        position += 10
        if count > 0:
            message.assignments, position = _read_many_creatable_replica_assignment_v2(buffer, position, count)
        elif not count:
            message.assignments = []
        else:
            raise Malformed
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.configs, position = _read_many_creatable_topic_config_v2(buffer, position, count)
        elif not count:
            message.configs = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_creatable_topic_v2(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[CreateTopicsRequestCreatableTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreateTopicsRequestCreatableTopic] = []
    for _ in range(size):
        message = CreateTopicsRequestCreatableTopic.__new__(CreateTopicsRequestCreatableTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.num_partitions, message.replication_factor, count = _unpack_ihi(buffer, position)
        position += 10
        budget.take(count, "CreateTopicsRequest.assignments")
        if count > 0:
            message.assignments, position = yield from _step_many_creatable_replica_assignment_v2(buffer, position, count, budget)
        elif not count:
            message.assignments = []
        else:
            raise Malformed
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "CreateTopicsRequest.configs")
        if count > 0:
            if count > ELEMENTS_A_STEP:
                message.configs, position = yield from read_pieces(
                    _read_many_creatable_topic_config_v2,
                    buffer,
                    position,
                    count,
                    budget,
                )
            else:
                message.configs, position = _read_many_creatable_topic_config_v2(buffer, position, count)
                budget.take_tags(message.configs)
        elif not count:
            message.configs = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_v2(buffer: Buffer, position: int) -> tuple[CreateTopicsRequest, int]:
    message = CreateTopicsRequest.__new__(CreateTopicsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.topics, position = _read_many_creatable_topic_v2(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.timeout_ms, message.validate_only = _unpack_it(buffer, position)
    position += 5
    message.unknown_tags = None
    return message, position


def _step_v2(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[CreateTopicsRequest, int]]:
    message = CreateTopicsRequest.__new__(CreateTopicsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "CreateTopicsRequest.topics")
    if count > 0:
        message.topics, position = yield from _step_many_creatable_topic_v2(buffer, position, count, budget)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.timeout_ms, message.validate_only = _unpack_it(buffer, position)
    position += 5
    message.unknown_tags = None
    return message, position


def _read_many_creatable_replica_assignment_v5(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[CreateTopicsRequestCreatableReplicaAssignment], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreateTopicsRequestCreatableReplicaAssignment] = []
    for _ in range(size):
        message = CreateTopicsRequestCreatableReplicaAssignment.__new__(
            CreateTopicsRequestCreatableReplicaAssignment,
        )
        message.partition_index, count = _unpack_iB(buffer, position)
        position += 5
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


def _step_many_creatable_replica_assignment_v5(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[CreateTopicsRequestCreatableReplicaAssignment], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreateTopicsRequestCreatableReplicaAssignment] = []
    for _ in range(size):
        message = CreateTopicsRequestCreatableReplicaAssignment.__new__(
            CreateTopicsRequestCreatableReplicaAssignment,
        )
        message.partition_index, count = _unpack_iB(buffer, position)
        position += 5
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "CreateTopicsRequest.broker_ids")
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


def _read_many_creatable_topic_config_v5(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[CreateTopicsRequestCreatableTopicConfig], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreateTopicsRequestCreatableTopicConfig] = []
    for _ in range(size):
        message = CreateTopicsRequestCreatableTopicConfig.__new__(CreateTopicsRequestCreatableTopicConfig)
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
            message.value = None
        else:
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


def _read_many_creatable_topic_v5(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[CreateTopicsRequestCreatableTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreateTopicsRequestCreatableTopic] = []
    for _ in range(size):
        message = CreateTopicsRequestCreatableTopic.__new__(CreateTopicsRequestCreatableTopic)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.num_partitions, message.replication_factor, count = _unpack_ihB(buffer, position)
        position += 7
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.assignments, position = _read_many_creatable_replica_assignment_v5(buffer, position, count - 1)
        elif count:
            message.assignments = []
        else:
            raise Malformed
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.configs, position = _read_many_creatable_topic_config_v5(buffer, position, count - 1)
        elif count:
            message.configs = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_creatable_topic_v5(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[CreateTopicsRequestCreatableTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreateTopicsRequestCreatableTopic] = []
    for _ in range(size):
        message = CreateTopicsRequestCreatableTopic.__new__(CreateTopicsRequestCreatableTopic)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.num_partitions, message.replication_factor, count = _unpack_ihB(buffer, position)
        position += 7
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "CreateTopicsRequest.assignments")
        if count > 1:
            message.assignments, position = yield from _step_many_creatable_replica_assignment_v5(buffer, position, count - 1, budget)
        elif count:
            message.assignments = []
        else:
            raise Malformed
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "CreateTopicsRequest.configs")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.configs, position = yield from read_pieces(
                    _read_many_creatable_topic_config_v5,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.configs, position = _read_many_creatable_topic_config_v5(buffer, position, count - 1)
                budget.take_tags(message.configs)
        elif count:
            message.configs = []
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


def _read_v5(buffer: Buffer, position: int) -> tuple[CreateTopicsRequest, int]:
    message = CreateTopicsRequest.__new__(CreateTopicsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_creatable_topic_v5(buffer, position, count - 1)
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


def _step_v5(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[CreateTopicsRequest, int]]:
    message = CreateTopicsRequest.__new__(CreateTopicsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "CreateTopicsRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_creatable_topic_v5(buffer, position, count - 1, budget)
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


def _write_creatable_replica_assignment_v2(
    out: Pieces,
    message: CreateTopicsRequestCreatableReplicaAssignment,
) -> None:
    broker_ids = message.broker_ids
    count = len(broker_ids)
    out.append(_pack_ii(message.partition_index, count))
    if len(broker_ids) < TABLE_SIZE:
        out.append(PACK_INT32[len(broker_ids)](*broker_ids))
    else:
        out.append(pack_many("i", broker_ids))
    if message.unknown_tags:
        raise Malformed


def _write_creatable_topic_config_v2(out: Pieces, message: CreateTopicsRequestCreatableTopicConfig) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    value = message.value
    if value is None:
        data = b""
        length = -1
    else:
        data = value.encode()
        length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_creatable_topic_v2(out: Pieces, message: CreateTopicsRequestCreatableTopic) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    assignments = message.assignments
    count = len(assignments)
    out.append(_pack_ihi(message.num_partitions, message.replication_factor, count))
    for assignments_item in assignments:
        _write_creatable_replica_assignment_v2(out, assignments_item)
    configs = message.configs
    count = len(configs)
    out.append(_pack_i(count))
    for configs_item in configs:
        _write_creatable_topic_config_v2(out, configs_item)
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: Pieces, message: CreateTopicsRequest) -> None:
    topics = message.topics
    count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        _write_creatable_topic_v2(out, topics_item)
    out.append(_pack_it(message.timeout_ms, message.validate_only))
    if message.unknown_tags:
        raise Malformed


def _write_creatable_replica_assignment_v5(
    out: Pieces,
    message: CreateTopicsRequestCreatableReplicaAssignment,
) -> None:
    broker_ids = message.broker_ids
    count = len(broker_ids) + 1
    if count < 128:
        out.append(_pack_iB(message.partition_index, count))
    else:
        out.append(_pack_i(message.partition_index))
        out.append(pack_length(count))
    if len(broker_ids) < TABLE_SIZE:
        out.append(PACK_INT32[len(broker_ids)](*broker_ids))
    else:
        out.append(pack_many("i", broker_ids))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_creatable_topic_config_v5(out: Pieces, message: CreateTopicsRequestCreatableTopicConfig) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    value = message.value
    if value is None:
        data = b""
        length = 0
    else:
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


def _write_creatable_topic_v5(out: Pieces, message: CreateTopicsRequestCreatableTopic) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    assignments = message.assignments
    count = len(assignments) + 1
    if count < 128:
        out.append(_pack_ihB(message.num_partitions, message.replication_factor, count))
    else:
        out.append(_pack_ih(message.num_partitions, message.replication_factor))
        out.append(pack_length(count))
    for assignments_item in assignments:
        _write_creatable_replica_assignment_v5(out, assignments_item)
    configs = message.configs
    count = len(configs) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for configs_item in configs:
        _write_creatable_topic_config_v5(out, configs_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v5(out: Pieces, message: CreateTopicsRequest) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        _write_creatable_topic_v5(out, topics_item)
    if message.unknown_tags:
        out.append(_pack_it(message.timeout_ms, message.validate_only))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_itB(message.timeout_ms, message.validate_only, 0))


_READERS = (
    _read_v2,
    _read_v2,
    _read_v2,
    _read_v5,
    _read_v5,
    _read_v5,
)

_WRITERS = (
    _write_v2,
    _write_v2,
    _write_v2,
    _write_v5,
    _write_v5,
    _write_v5,
)

_STEP_READERS = (
    _step_v2,
    _step_v2,
    _step_v2,
    _step_v5,
    _step_v5,
    _step_v5,
)


@cache
def _schema() -> MessageSchema:
    creatable_replica_assignment_struct = StructSchema(
        python_class=CreateTopicsRequestCreatableReplicaAssignment,
        fields=(
            FieldSchema(
                name="PartitionIndex",
                attribute="partition_index",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
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
    creatable_topic_config_struct = StructSchema(
        python_class=CreateTopicsRequestCreatableTopicConfig,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Value",
                attribute="value",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
        ),
    )
    creatable_topic_struct = StructSchema(
        python_class=CreateTopicsRequestCreatableTopic,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="NumPartitions",
                attribute="num_partitions",
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
                name="Assignments",
                attribute="assignments",
                type="CreatableReplicaAssignment",
                struct=creatable_replica_assignment_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="Configs",
                attribute="configs",
                type="CreatableTopicConfig",
                struct=creatable_topic_config_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    create_topics_request_struct = StructSchema(
        python_class=CreateTopicsRequest,
        fields=(
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="CreatableTopic",
                struct=creatable_topic_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="timeoutMs",
                attribute="timeout_ms",
                type="int32",
                versions=(0, 32767),
                default=60000,
            ),
            FieldSchema(
                name="validateOnly",
                attribute="validate_only",
                type="bool",
                versions=(1, 32767),
                default=False,
            ),
        ),
    )
    return MessageSchema(name="CreateTopicsRequest", flexible_from=5, root=create_topics_request_struct)
