"""ShareGroupHeartbeatResponse: versions 1, flexible from 0, api key 76.

Generated from api/ShareGroupHeartbeatResponse.json by codegen; change the schema, not this file.
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

ZERO_UUID = bytes(16)
_unpack_uB = struct.Struct(">16sB").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_iib = struct.Struct(">iib").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_iib = struct.Struct(">iib").pack


class ShareGroupHeartbeatResponseTopicPartitions(Struct):
    """TopicPartitions of ShareGroupHeartbeatResponse."""

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
            isinstance(other, ShareGroupHeartbeatResponseTopicPartitions)
            and self.topic_id == other.topic_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class ShareGroupHeartbeatResponseAssignment(Struct):
    """Assignment of ShareGroupHeartbeatResponse."""

    __slots__ = ("topic_partitions", "unknown_tags")

    topic_partitions: list[ShareGroupHeartbeatResponseTopicPartitions]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_partitions: list[ShareGroupHeartbeatResponseTopicPartitions] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_partitions = [] if topic_partitions is EMPTY else topic_partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareGroupHeartbeatResponseAssignment)
            and self.topic_partitions == other.topic_partitions
            and self.unknown_tags == other.unknown_tags
        )



class ShareGroupHeartbeatResponse(Message):
    """Response ShareGroupHeartbeatResponse."""

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "member_id",
        "member_epoch",
        "heartbeat_interval_ms",
        "assignment",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "ShareGroupHeartbeatResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 76
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    TopicPartitions: TypeAlias = ShareGroupHeartbeatResponseTopicPartitions
    Assignment: TypeAlias = ShareGroupHeartbeatResponseAssignment

    throttle_time_ms: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    member_id: str | None
    """Versions 0+, null in 0+."""
    member_epoch: int
    """Versions 0+."""
    heartbeat_interval_ms: int
    """Versions 0+."""
    assignment: ShareGroupHeartbeatResponseAssignment | None
    """Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        member_id: str | None = None,
        member_epoch: int = 0,
        heartbeat_interval_ms: int = 0,
        assignment: ShareGroupHeartbeatResponseAssignment | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.heartbeat_interval_ms = heartbeat_interval_ms
        self.assignment = assignment
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareGroupHeartbeatResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.member_id == other.member_id
            and self.member_epoch == other.member_epoch
            and self.heartbeat_interval_ms == other.heartbeat_interval_ms
            and self.assignment == other.assignment
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ShareGroupHeartbeatResponse, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    def _step_write(self, out: Pieces, version: int) -> Steps[None] | None:
        write = _STEP_WRITERS[version - 1]
        return None if write is None else write(out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_topic_partitions_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ShareGroupHeartbeatResponseTopicPartitions], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ShareGroupHeartbeatResponseTopicPartitions] = []
    for _ in range(size):
        message = ShareGroupHeartbeatResponseTopicPartitions.__new__(
            ShareGroupHeartbeatResponseTopicPartitions,
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


def _read_assignment_v1(buffer: Buffer, position: int) -> tuple[ShareGroupHeartbeatResponseAssignment, int]:
    message = ShareGroupHeartbeatResponseAssignment.__new__(ShareGroupHeartbeatResponseAssignment)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topic_partitions, position = _read_many_topic_partitions_v1(buffer, position, count - 1)
    elif count:
        message.topic_partitions = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[ShareGroupHeartbeatResponse, int]:
    message = ShareGroupHeartbeatResponse.__new__(ShareGroupHeartbeatResponse)
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
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.member_id = None
    else:
        end = position + length - 1
        message.member_id = str(buffer[position:end], "utf-8")
        position = end
    message.member_epoch, message.heartbeat_interval_ms, mark = _unpack_iib(buffer, position)
    position += 9
    if mark < 0:
        message.assignment = None
    else:
        message.assignment, position = _read_assignment_v1(buffer, position)
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_topic_partitions_v1(out: Pieces, message: ShareGroupHeartbeatResponseTopicPartitions) -> None:
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


def _write_assignment_v1(out: Pieces, message: ShareGroupHeartbeatResponseAssignment) -> None:
    topic_partitions = message.topic_partitions
    count = len(topic_partitions) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topic_partitions_item in topic_partitions:
        _write_topic_partitions_v1(out, topic_partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_assignment_v1(out: Pieces, message: ShareGroupHeartbeatResponseAssignment) -> Steps[None]:
    topic_partitions = message.topic_partitions
    count = len(topic_partitions) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topic_partitions_item in topic_partitions:
        _write_topic_partitions_v1(out, topic_partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: ShareGroupHeartbeatResponse) -> None:
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
    member_id = message.member_id
    if member_id is None:
        data = b""
        length = 0
    else:
        data = member_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    assignment = message.assignment
    out.append(_pack_iib(
        message.member_epoch,
        message.heartbeat_interval_ms,
        -1 if assignment is None else 1,
    ))
    if assignment is not None:
        _write_assignment_v1(out, assignment)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v1(out: Pieces, message: ShareGroupHeartbeatResponse) -> Steps[None]:
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
    member_id = message.member_id
    if member_id is None:
        data = b""
        length = 0
    else:
        data = member_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    assignment = message.assignment
    out.append(_pack_iib(
        message.member_epoch,
        message.heartbeat_interval_ms,
        -1 if assignment is None else 1,
    ))
    if assignment is not None:
        yield from _step_write_assignment_v1(out, assignment)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v1,
)

_WRITERS = (
    _write_v1,
)

_STEP_WRITERS = (
    _step_write_v1,
)


@cache
def _schema() -> MessageSchema:
    topic_partitions_struct = StructSchema(
        python_class=ShareGroupHeartbeatResponseTopicPartitions,
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
    assignment_struct = StructSchema(
        python_class=ShareGroupHeartbeatResponseAssignment,
        fields=(
            FieldSchema(
                name="TopicPartitions",
                attribute="topic_partitions",
                type="TopicPartitions",
                struct=topic_partitions_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    share_group_heartbeat_response_struct = StructSchema(
        python_class=ShareGroupHeartbeatResponse,
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
                default=None,
            ),
            FieldSchema(
                name="MemberId",
                attribute="member_id",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="MemberEpoch",
                attribute="member_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="HeartbeatIntervalMs",
                attribute="heartbeat_interval_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Assignment",
                attribute="assignment",
                type="Assignment",
                struct=assignment_struct,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
        ),
    )
    return MessageSchema(
        name="ShareGroupHeartbeatResponse",
        flexible_from=0,
        root=share_group_heartbeat_response_struct,
    )
