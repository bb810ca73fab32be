"""StreamsGroupTargetAssignmentMemberValue: versions 0, flexible from 0, record type 21.

Generated from group/StreamsGroupTargetAssignmentMemberValue.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

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
    pack_length,
    pack_many,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    unpack_many,
    write_tag_section,
)



class StreamsGroupTargetAssignmentMemberValueTaskIds(Struct):
    """TaskIds of StreamsGroupTargetAssignmentMemberValue."""

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
            isinstance(other, StreamsGroupTargetAssignmentMemberValueTaskIds)
            and self.subtopology_id == other.subtopology_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupTargetAssignmentMemberValue(Message):
    """Coordinator-value StreamsGroupTargetAssignmentMemberValue."""

    __slots__ = ("active_tasks", "standby_tasks", "warmup_tasks", "unknown_tags")

    NAME: ClassVar[str] = "StreamsGroupTargetAssignmentMemberValue"
    TYPE: ClassVar[str] = "coordinator-value"
    API_KEY: ClassVar[int | None] = 21
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    TaskIds: TypeAlias = StreamsGroupTargetAssignmentMemberValueTaskIds

    active_tasks: list[StreamsGroupTargetAssignmentMemberValueTaskIds]
    """Versions 0+."""
    standby_tasks: list[StreamsGroupTargetAssignmentMemberValueTaskIds]
    """Versions 0+."""
    warmup_tasks: list[StreamsGroupTargetAssignmentMemberValueTaskIds]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        active_tasks: list[StreamsGroupTargetAssignmentMemberValueTaskIds] = EMPTY,
        standby_tasks: list[StreamsGroupTargetAssignmentMemberValueTaskIds] = EMPTY,
        warmup_tasks: list[StreamsGroupTargetAssignmentMemberValueTaskIds] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.active_tasks = [] if active_tasks is EMPTY else active_tasks
        self.standby_tasks = [] if standby_tasks is EMPTY else standby_tasks
        self.warmup_tasks = [] if warmup_tasks is EMPTY else warmup_tasks
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupTargetAssignmentMemberValue)
            and self.active_tasks == other.active_tasks
            and self.standby_tasks == other.standby_tasks
            and self.warmup_tasks == other.warmup_tasks
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(
        buffer: Buffer,
        position: int,
        version: int,
    ) -> tuple[StreamsGroupTargetAssignmentMemberValue, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_task_ids_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupTargetAssignmentMemberValueTaskIds], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupTargetAssignmentMemberValueTaskIds] = []
    for _ in range(size):
        message = StreamsGroupTargetAssignmentMemberValueTaskIds.__new__(
            StreamsGroupTargetAssignmentMemberValueTaskIds,
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


def _read_v0(buffer: Buffer, position: int) -> tuple[StreamsGroupTargetAssignmentMemberValue, int]:
    message = StreamsGroupTargetAssignmentMemberValue.__new__(StreamsGroupTargetAssignmentMemberValue)
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


def _write_task_ids_v0(out: Pieces, message: StreamsGroupTargetAssignmentMemberValueTaskIds) -> None:
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


def _write_v0(out: Pieces, message: StreamsGroupTargetAssignmentMemberValue) -> None:
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


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    task_ids_struct = StructSchema(
        python_class=StreamsGroupTargetAssignmentMemberValueTaskIds,
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
    streams_group_target_assignment_member_value_struct = StructSchema(
        python_class=StreamsGroupTargetAssignmentMemberValue,
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
    return MessageSchema(
        name="StreamsGroupTargetAssignmentMemberValue",
        flexible_from=0,
        root=streams_group_target_assignment_member_value_struct,
    )
