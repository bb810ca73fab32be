"""ShareGroupCurrentMemberAssignmentValue: versions 0, flexible from 0, record type 14.

Generated from group/ShareGroupCurrentMemberAssignmentValue.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
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


class ShareGroupCurrentMemberAssignmentValueTopicPartitions(Struct):
    """TopicPartitions of ShareGroupCurrentMemberAssignmentValue."""

    __slots__ = ("topic_id", "partitions", "unknown_tags")

    topic_id: bytes
    """Versions 0+."""
    partitions: list[int]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareGroupCurrentMemberAssignmentValueTopicPartitions)
            and self.topic_id == other.topic_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class ShareGroupCurrentMemberAssignmentValue(Message):
    """Coordinator-value ShareGroupCurrentMemberAssignmentValue."""

    __slots__ = (
        "member_epoch",
        "previous_member_epoch",
        "state",
        "assigned_partitions",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "ShareGroupCurrentMemberAssignmentValue"
    TYPE: ClassVar[str] = "coordinator-value"
    API_KEY: ClassVar[int | None] = 14
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    TopicPartitions: TypeAlias = ShareGroupCurrentMemberAssignmentValueTopicPartitions

    member_epoch: int
    """Versions 0+."""
    previous_member_epoch: int
    """Versions 0+."""
    state: int
    """Versions 0+."""
    assigned_partitions: list[ShareGroupCurrentMemberAssignmentValueTopicPartitions]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        member_epoch: int = 0,
        previous_member_epoch: int = 0,
        state: int = 0,
        assigned_partitions: list[ShareGroupCurrentMemberAssignmentValueTopicPartitions] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.member_epoch = member_epoch
        self.previous_member_epoch = previous_member_epoch
        self.state = state
        self.assigned_partitions = [] if assigned_partitions is EMPTY else assigned_partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareGroupCurrentMemberAssignmentValue)
            and self.member_epoch == other.member_epoch
            and self.previous_member_epoch == other.previous_member_epoch
            and self.state == other.state
            and self.assigned_partitions == other.assigned_partitions
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(
        buffer: Buffer,
        position: int,
        version: int,
    ) -> tuple[ShareGroupCurrentMemberAssignmentValue, int]:
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
) -> tuple[list[ShareGroupCurrentMemberAssignmentValueTopicPartitions], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ShareGroupCurrentMemberAssignmentValueTopicPartitions] = []
    for _ in range(size):
        message = ShareGroupCurrentMemberAssignmentValueTopicPartitions.__new__(
            ShareGroupCurrentMemberAssignmentValueTopicPartitions,
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
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[ShareGroupCurrentMemberAssignmentValue, int]:
    message = ShareGroupCurrentMemberAssignmentValue.__new__(ShareGroupCurrentMemberAssignmentValue)
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
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_topic_partitions_v0(
    out: Pieces,
    message: ShareGroupCurrentMemberAssignmentValueTopicPartitions,
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
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: ShareGroupCurrentMemberAssignmentValue) -> None:
    assigned_partitions = message.assigned_partitions
    count = len(assigned_partitions) + 1
    if count < 128:
        out.append(_pack_iibB(message.member_epoch, message.previous_member_epoch, message.state, count))
    else:
        out.append(_pack_iib(message.member_epoch, message.previous_member_epoch, message.state))
        out.append(pack_length(count))
    for assigned_partitions_item in assigned_partitions:
        _write_topic_partitions_v0(out, assigned_partitions_item)
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
        python_class=ShareGroupCurrentMemberAssignmentValueTopicPartitions,
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
        ),
    )
    share_group_current_member_assignment_value_struct = StructSchema(
        python_class=ShareGroupCurrentMemberAssignmentValue,
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
        ),
    )
    return MessageSchema(
        name="ShareGroupCurrentMemberAssignmentValue",
        flexible_from=0,
        root=share_group_current_member_assignment_value_struct,
    )
