"""ConsumerGroupCurrentMemberAssignmentValue: versions 0, flexible from 0, record type 8.

Generated from group/ConsumerGroupCurrentMemberAssignmentValue.json by codegen; change the schema, not this file.
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
    read_long_length,
    read_tag_section,
    read_unknown_tags,
    unpack_many,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_uB = struct.Struct(">16sB").unpack_from
_unpack_iibB = struct.Struct(">iibB").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_iib = struct.Struct(">iib").pack
_pack_iibB = struct.Struct(">iibB").pack


class ConsumerGroupCurrentMemberAssignmentValueTopicPartitions(Struct):
    """TopicPartitions of ConsumerGroupCurrentMemberAssignmentValue."""

    __slots__ = ("topic_id", "partitions", "assignment_epochs", "unknown_tags")

    topic_id: bytes
    """Versions 0+."""
    partitions: list[int]
    """Versions 0+."""
    assignment_epochs: list[int] | None
    """Versions 0+, null in 0+, tag 0 in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[int] = EMPTY,
        assignment_epochs: list[int] | None = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.assignment_epochs = [] if assignment_epochs is EMPTY else assignment_epochs
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ConsumerGroupCurrentMemberAssignmentValueTopicPartitions)
            and self.topic_id == other.topic_id
            and self.partitions == other.partitions
            and self.assignment_epochs == other.assignment_epochs
            and self.unknown_tags == other.unknown_tags
        )



class ConsumerGroupCurrentMemberAssignmentValue(Message):
    """Coordinator-value ConsumerGroupCurrentMemberAssignmentValue."""

    __slots__ = (
        "member_epoch",
        "previous_member_epoch",
        "state",
        "assigned_partitions",
        "partitions_pending_revocation",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "ConsumerGroupCurrentMemberAssignmentValue"
    TYPE: ClassVar[str] = "coordinator-value"
    API_KEY: ClassVar[int | None] = 8
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    TopicPartitions: TypeAlias = ConsumerGroupCurrentMemberAssignmentValueTopicPartitions

    member_epoch: int
    """Versions 0+."""
    previous_member_epoch: int
    """Versions 0+."""
    state: int
    """Versions 0+."""
    assigned_partitions: list[ConsumerGroupCurrentMemberAssignmentValueTopicPartitions]
    """Versions 0+."""
    partitions_pending_revocation: list[ConsumerGroupCurrentMemberAssignmentValueTopicPartitions]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        member_epoch: int = 0,
        previous_member_epoch: int = 0,
        state: int = 0,
        assigned_partitions: list[ConsumerGroupCurrentMemberAssignmentValueTopicPartitions] = EMPTY,
        partitions_pending_revocation: list[ConsumerGroupCurrentMemberAssignmentValueTopicPartitions] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.member_epoch = member_epoch
        self.previous_member_epoch = previous_member_epoch
        self.state = state
        self.assigned_partitions = [] if assigned_partitions is EMPTY else assigned_partitions
        self.partitions_pending_revocation = [] if partitions_pending_revocation is EMPTY else partitions_pending_revocation
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ConsumerGroupCurrentMemberAssignmentValue)
            and self.member_epoch == other.member_epoch
            and self.previous_member_epoch == other.previous_member_epoch
            and self.state == other.state
            and self.assigned_partitions == other.assigned_partitions
            and self.partitions_pending_revocation == other.partitions_pending_revocation
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(
        buffer: Buffer,
        position: int,
        version: int,
    ) -> tuple[ConsumerGroupCurrentMemberAssignmentValue, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_topic_partitions_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ConsumerGroupCurrentMemberAssignmentValueTopicPartitions], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ConsumerGroupCurrentMemberAssignmentValueTopicPartitions] = []
    for _ in range(size):
        message = ConsumerGroupCurrentMemberAssignmentValueTopicPartitions.__new__(
            ConsumerGroupCurrentMemberAssignmentValueTopicPartitions,
        )
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
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


def _read_v0(buffer: Buffer, position: int) -> tuple[ConsumerGroupCurrentMemberAssignmentValue, int]:
    message = ConsumerGroupCurrentMemberAssignmentValue.__new__(ConsumerGroupCurrentMemberAssignmentValue)
    message.member_epoch, message.previous_member_epoch, message.state, count = _unpack_iibB(buffer, position)
    position += 10
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.assigned_partitions, position = _read_many_topic_partitions_v0(buffer, position, count - 1)
    elif count:
        message.assigned_partitions = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.partitions_pending_revocation, position = _read_many_topic_partitions_v0(buffer, position, count - 1)
    elif count:
        message.partitions_pending_revocation = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_topic_partitions_v0(
    out: Pieces,
    message: ConsumerGroupCurrentMemberAssignmentValueTopicPartitions,
) -> None:
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    partitions = message.partitions
    count = len(partitions) + 1
    if count < 128:
        out.append(_pack_uB(topic_id, count))
    else:
        out.append(topic_id)
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


def _write_v0(out: Pieces, message: ConsumerGroupCurrentMemberAssignmentValue) -> None:
    assigned_partitions = message.assigned_partitions
    count = len(assigned_partitions) + 1
    if count < 128:
        out.append(_pack_iibB(message.member_epoch, message.previous_member_epoch, message.state, count))
    else:
        out.append(_pack_iib(message.member_epoch, message.previous_member_epoch, message.state))
        out.append(pack_length(count))
    for assigned_partitions_item in assigned_partitions:
        _write_topic_partitions_v0(out, assigned_partitions_item)
    partitions_pending_revocation = message.partitions_pending_revocation
    count = len(partitions_pending_revocation) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for partitions_pending_revocation_item in partitions_pending_revocation:
        _write_topic_partitions_v0(out, partitions_pending_revocation_item)
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
    topic_partitions_struct = StructSchema(
        python_class=ConsumerGroupCurrentMemberAssignmentValueTopicPartitions,
        fields=(
            FieldSchema(
                name="TopicId",
                attribute="topic_id",
                type="uuid",
                versions=(0, 32767),
                default=ZERO_UUID,
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
    consumer_group_current_member_assignment_value_struct = StructSchema(
        python_class=ConsumerGroupCurrentMemberAssignmentValue,
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
                name="AssignedPartitions",
                attribute="assigned_partitions",
                type="TopicPartitions",
                struct=topic_partitions_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="PartitionsPendingRevocation",
                attribute="partitions_pending_revocation",
                type="TopicPartitions",
                struct=topic_partitions_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="ConsumerGroupCurrentMemberAssignmentValue",
        flexible_from=0,
        root=consumer_group_current_member_assignment_value_struct,
    )
