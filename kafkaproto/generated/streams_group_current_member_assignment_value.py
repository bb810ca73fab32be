"""StreamsGroupCurrentMemberAssignmentValue: versions 0, flexible from 0, record type 22.

Generated from group/StreamsGroupCurrentMemberAssignmentValue.json by codegen; change the schema, not this file.
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
    pack_length,
    pack_many,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_tag_section,
    read_unknown_tags,
    unpack_many,
    write_tag_section,
)

_unpack_iibB = struct.Struct(">iibB").unpack_from
_pack_iib = struct.Struct(">iib").pack
_pack_iibB = struct.Struct(">iibB").pack


class StreamsGroupCurrentMemberAssignmentValueTaskIds(Struct):
    """TaskIds of StreamsGroupCurrentMemberAssignmentValue."""

    __slots__ = ("subtopology_id", "partitions", "assignment_epochs", "unknown_tags")

    subtopology_id: str
    """Versions 0+."""
    partitions: list[int]
    """Versions 0+."""
    assignment_epochs: list[int] | None
    """Versions 0+, null in 0+, tag 0 in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        subtopology_id: str = "",
        partitions: list[int] = EMPTY,
        assignment_epochs: list[int] | None = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.assignment_epochs = [] if assignment_epochs is EMPTY else assignment_epochs
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupCurrentMemberAssignmentValueTaskIds)
            and self.subtopology_id == other.subtopology_id
            and self.partitions == other.partitions
            and self.assignment_epochs == other.assignment_epochs
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupCurrentMemberAssignmentValue(Message):
    """Coordinator-value StreamsGroupCurrentMemberAssignmentValue."""

    __slots__ = (
        "member_epoch",
        "previous_member_epoch",
        "state",
        "active_tasks",
        "standby_tasks",
        "warmup_tasks",
        "active_tasks_pending_revocation",
        "standby_tasks_pending_revocation",
        "warmup_tasks_pending_revocation",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "StreamsGroupCurrentMemberAssignmentValue"
    TYPE: ClassVar[str] = "coordinator-value"
    API_KEY: ClassVar[int | None] = 22
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    TaskIds: TypeAlias = StreamsGroupCurrentMemberAssignmentValueTaskIds

    member_epoch: int
    """Versions 0+."""
    previous_member_epoch: int
    """Versions 0+."""
    state: int
    """Versions 0+."""
    active_tasks: list[StreamsGroupCurrentMemberAssignmentValueTaskIds]
    """Versions 0+."""
    standby_tasks: list[StreamsGroupCurrentMemberAssignmentValueTaskIds]
    """Versions 0+."""
    warmup_tasks: list[StreamsGroupCurrentMemberAssignmentValueTaskIds]
    """Versions 0+."""
    active_tasks_pending_revocation: list[StreamsGroupCurrentMemberAssignmentValueTaskIds]
    """Versions 0+."""
    standby_tasks_pending_revocation: list[StreamsGroupCurrentMemberAssignmentValueTaskIds]
    """Versions 0+."""
    warmup_tasks_pending_revocation: list[StreamsGroupCurrentMemberAssignmentValueTaskIds]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        member_epoch: int = 0,
        previous_member_epoch: int = 0,
        state: int = 0,
        active_tasks: list[StreamsGroupCurrentMemberAssignmentValueTaskIds] = EMPTY,
        standby_tasks: list[StreamsGroupCurrentMemberAssignmentValueTaskIds] = EMPTY,
        warmup_tasks: list[StreamsGroupCurrentMemberAssignmentValueTaskIds] = EMPTY,
        active_tasks_pending_revocation: list[StreamsGroupCurrentMemberAssignmentValueTaskIds] = EMPTY,
        standby_tasks_pending_revocation: list[StreamsGroupCurrentMemberAssignmentValueTaskIds] = EMPTY,
        warmup_tasks_pending_revocation: list[StreamsGroupCurrentMemberAssignmentValueTaskIds] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.member_epoch = member_epoch
        self.previous_member_epoch = previous_member_epoch
        self.state = state
        self.active_tasks = [] if active_tasks is EMPTY else active_tasks
        self.standby_tasks = [] if standby_tasks is EMPTY else standby_tasks
        self.warmup_tasks = [] if warmup_tasks is EMPTY else warmup_tasks
        self.active_tasks_pending_revocation = [] if active_tasks_pending_revocation is EMPTY else active_tasks_pending_revocation
        self.standby_tasks_pending_revocation = [] if standby_tasks_pending_revocation is EMPTY else standby_tasks_pending_revocation
        self.warmup_tasks_pending_revocation = [] if warmup_tasks_pending_revocation is EMPTY else warmup_tasks_pending_revocation
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupCurrentMemberAssignmentValue)
            and self.member_epoch == other.member_epoch
            and self.previous_member_epoch == other.previous_member_epoch
            and self.state == other.state
            and self.active_tasks == other.active_tasks
            and self.standby_tasks == other.standby_tasks
            and self.warmup_tasks == other.warmup_tasks
            and self.active_tasks_pending_revocation == other.active_tasks_pending_revocation
            and self.standby_tasks_pending_revocation == other.standby_tasks_pending_revocation
            and self.warmup_tasks_pending_revocation == other.warmup_tasks_pending_revocation
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(
        buffer: Buffer,
        position: int,
        version: int,
    ) -> tuple[StreamsGroupCurrentMemberAssignmentValue, int]:
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
) -> tuple[list[StreamsGroupCurrentMemberAssignmentValueTaskIds], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupCurrentMemberAssignmentValueTaskIds] = []
    for _ in range(size):
        message = StreamsGroupCurrentMemberAssignmentValueTaskIds.__new__(
            StreamsGroupCurrentMemberAssignmentValueTaskIds,
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
        message.assignment_epochs = []
        message.unknown_tags = None
        if tags:
            sections, end_of_tags = read_tag_section(buffer, position - 1)
            for tag, position, stop in sections:
                if tag == 0:
                    count = buffer[position]
                    position += 1
                    if count > 127:
                        count, position = read_long_length(buffer, position, count)
                    if not count:
                        message.assignment_epochs = None
                    else:
                        if count - 1 < TABLE_SIZE:
                            message.assignment_epochs = [*UNPACK_INT32[count - 1](buffer, position)]
                        else:
                            message.assignment_epochs = unpack_many("i", 4, count - 1, buffer, position)
                        position += count * 4 - 4
                else:
                    if message.unknown_tags is None:
                        message.unknown_tags = {}
                    message.unknown_tags[tag] = bytes(buffer[position:stop])
                    position = stop
                if position != stop:
                    raise Malformed
            position = end_of_tags
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[StreamsGroupCurrentMemberAssignmentValue, int]:
    message = StreamsGroupCurrentMemberAssignmentValue.__new__(StreamsGroupCurrentMemberAssignmentValue)
    message.member_epoch, message.previous_member_epoch, message.state, count = _unpack_iibB(buffer, position)
    position += 10
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
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.active_tasks_pending_revocation, position = _read_many_task_ids_v0(buffer, position, count - 1)
    elif count:
        message.active_tasks_pending_revocation = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.standby_tasks_pending_revocation, position = _read_many_task_ids_v0(buffer, position, count - 1)
    elif count:
        message.standby_tasks_pending_revocation = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.warmup_tasks_pending_revocation, position = _read_many_task_ids_v0(buffer, position, count - 1)
    elif count:
        message.warmup_tasks_pending_revocation = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_task_ids_v0(out: Pieces, message: StreamsGroupCurrentMemberAssignmentValueTaskIds) -> None:
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
    tagged = []
    section: Pieces
    if message.assignment_epochs is None or len(message.assignment_epochs) != 0:
        section = []
        assignment_epochs = message.assignment_epochs
        if assignment_epochs is None:
            assignment_epochs = EMPTY
            count = 0
        else:
            count = len(assignment_epochs) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        if len(assignment_epochs) < TABLE_SIZE:
            section.append(PACK_INT32[len(assignment_epochs)](*assignment_epochs))
        else:
            section.append(pack_many("i", assignment_epochs))
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: StreamsGroupCurrentMemberAssignmentValue) -> None:
    active_tasks = message.active_tasks
    count = len(active_tasks) + 1
    if count < 128:
        out.append(_pack_iibB(message.member_epoch, message.previous_member_epoch, message.state, count))
    else:
        out.append(_pack_iib(message.member_epoch, message.previous_member_epoch, message.state))
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
    active_tasks_pending_revocation = message.active_tasks_pending_revocation
    count = len(active_tasks_pending_revocation) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for active_tasks_pending_revocation_item in active_tasks_pending_revocation:
        _write_task_ids_v0(out, active_tasks_pending_revocation_item)
    standby_tasks_pending_revocation = message.standby_tasks_pending_revocation
    count = len(standby_tasks_pending_revocation) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for standby_tasks_pending_revocation_item in standby_tasks_pending_revocation:
        _write_task_ids_v0(out, standby_tasks_pending_revocation_item)
    warmup_tasks_pending_revocation = message.warmup_tasks_pending_revocation
    count = len(warmup_tasks_pending_revocation) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for warmup_tasks_pending_revocation_item in warmup_tasks_pending_revocation:
        _write_task_ids_v0(out, warmup_tasks_pending_revocation_item)
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
        python_class=StreamsGroupCurrentMemberAssignmentValueTaskIds,
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
            FieldSchema(
                name="AssignmentEpochs",
                attribute="assignment_epochs",
                type="int32",
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                tagged=(0, 32767),
                tag=0,
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    streams_group_current_member_assignment_value_struct = StructSchema(
        python_class=StreamsGroupCurrentMemberAssignmentValue,
        fields=(
            FieldSchema(
                name="MemberEpoch",
                attribute="member_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="PreviousMemberEpoch",
                attribute="previous_member_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="State",
                attribute="state",
                type="int8",
                versions=(0, 32767),
                default=0,
            ),
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
            FieldSchema(
                name="ActiveTasksPendingRevocation",
                attribute="active_tasks_pending_revocation",
                type="TaskIds",
                struct=task_ids_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="StandbyTasksPendingRevocation",
                attribute="standby_tasks_pending_revocation",
                type="TaskIds",
                struct=task_ids_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="WarmupTasksPendingRevocation",
                attribute="warmup_tasks_pending_revocation",
                type="TaskIds",
                struct=task_ids_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="StreamsGroupCurrentMemberAssignmentValue",
        flexible_from=0,
        root=streams_group_current_member_assignment_value_struct,
    )
