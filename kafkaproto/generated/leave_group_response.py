"""LeaveGroupResponse: versions 0-5, flexible from 4, api key 13.

Generated from api/LeaveGroupResponse.json by codegen; change the schema, not this file.
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
    Steps,
    pack_length,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

_unpack_h = struct.Struct(">h").unpack_from
_unpack_hB = struct.Struct(">hB").unpack_from
_unpack_ih = struct.Struct(">ih").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_ihi = struct.Struct(">ihi").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_ihi = struct.Struct(">ihi").pack


class LeaveGroupResponseMemberResponse(Struct):
    """MemberResponse of LeaveGroupResponse."""

    __slots__ = ("member_id", "group_instance_id", "error_code", "unknown_tags")

    member_id: str
    """Versions 3+."""
    group_instance_id: str | None
    """Versions 3+, null in 3+."""
    error_code: int
    """Versions 3+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        member_id: str = "",
        group_instance_id: str | None = "",
        error_code: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.error_code = error_code
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, LeaveGroupResponseMemberResponse)
            and self.member_id == other.member_id
            and self.group_instance_id == other.group_instance_id
            and self.error_code == other.error_code
            and self.unknown_tags == other.unknown_tags
        )



class LeaveGroupResponse(Message):
    """Response LeaveGroupResponse."""

    __slots__ = ("throttle_time_ms", "error_code", "members", "unknown_tags")

    NAME: ClassVar[str] = "LeaveGroupResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 13
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    MemberResponse: TypeAlias = LeaveGroupResponseMemberResponse

    throttle_time_ms: int
    """Versions 1+, dropped where a version lacks it."""
    error_code: int
    """Versions 0+."""
    members: list[LeaveGroupResponseMemberResponse]
    """Versions 3+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        members: list[LeaveGroupResponseMemberResponse] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.members = [] if members is EMPTY else members
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, LeaveGroupResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.members == other.members
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[LeaveGroupResponse, int]:
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


def _read_v0(buffer: Buffer, position: int) -> tuple[LeaveGroupResponse, int]:
    message = LeaveGroupResponse.__new__(LeaveGroupResponse)
    (message.error_code,) = _unpack_h(buffer, position)
    position += 2
    message.throttle_time_ms = 0
    message.members = []
    message.unknown_tags = None
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[LeaveGroupResponse, int]:
    message = LeaveGroupResponse.__new__(LeaveGroupResponse)
    message.throttle_time_ms, message.error_code = _unpack_ih(buffer, position)
    position += 6
    message.members = []
    message.unknown_tags = None
    return message, position


def _read_many_member_response_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[LeaveGroupResponseMemberResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[LeaveGroupResponseMemberResponse] = []
    for _ in range(size):
        message = LeaveGroupResponseMemberResponse.__new__(LeaveGroupResponseMemberResponse)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.member_id = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            message.group_instance_id = None
        else:
            end = position + length
            message.group_instance_id = str(buffer[position:end], "utf-8")
            position = end
        (message.error_code,) = _unpack_h(buffer, position)
        position += 2
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v3(buffer: Buffer, position: int) -> tuple[LeaveGroupResponse, int]:
    message = LeaveGroupResponse.__new__(LeaveGroupResponse)
    message.throttle_time_ms, message.error_code, count = _unpack_ihi(buffer, position)
    position += 10
    if count > 0:
        message.members, position = _read_many_member_response_v3(buffer, position, count)
    elif not count:
        message.members = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_member_response_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[LeaveGroupResponseMemberResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[LeaveGroupResponseMemberResponse] = []
    for _ in range(size):
        message = LeaveGroupResponseMemberResponse.__new__(LeaveGroupResponseMemberResponse)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.member_id = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.group_instance_id = None
        else:
            end = position + length - 1
            message.group_instance_id = str(buffer[position:end], "utf-8")
            position = end
        message.error_code, tags = _unpack_hB(buffer, position)
        position += 3
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v4(buffer: Buffer, position: int) -> tuple[LeaveGroupResponse, int]:
    message = LeaveGroupResponse.__new__(LeaveGroupResponse)
    message.throttle_time_ms, message.error_code, count = _unpack_ihB(buffer, position)
    position += 7
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.members, position = _read_many_member_response_v4(buffer, position, count - 1)
    elif count:
        message.members = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: LeaveGroupResponse) -> None:
    if len(message.members) != 0:
        raise Malformed
    out.append(_pack_h(message.error_code))
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: LeaveGroupResponse) -> None:
    if len(message.members) != 0:
        raise Malformed
    out.append(_pack_ih(message.throttle_time_ms, message.error_code))
    if message.unknown_tags:
        raise Malformed


def _write_member_response_v3(out: Pieces, message: LeaveGroupResponseMemberResponse) -> None:
    member_id = message.member_id
    data = member_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    group_instance_id = message.group_instance_id
    if group_instance_id is None:
        data = b""
        length = -1
    else:
        data = group_instance_id.encode()
        length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    out.append(_pack_h(message.error_code))
    if message.unknown_tags:
        raise Malformed


def _write_v3(out: Pieces, message: LeaveGroupResponse) -> None:
    members = message.members
    count = len(members)
    out.append(_pack_ihi(message.throttle_time_ms, message.error_code, count))
    for members_item in members:
        _write_member_response_v3(out, members_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v3(out: Pieces, message: LeaveGroupResponse) -> Steps[None]:
    members = message.members
    count = len(members)
    out.append(_pack_ihi(message.throttle_time_ms, message.error_code, count))
    for members_item in members:
        _write_member_response_v3(out, members_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_member_response_v4(out: Pieces, message: LeaveGroupResponseMemberResponse) -> None:
    member_id = message.member_id
    data = member_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    group_instance_id = message.group_instance_id
    if group_instance_id is None:
        data = b""
        length = 0
    else:
        data = group_instance_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_h(message.error_code))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hB(message.error_code, 0))


def _write_v4(out: Pieces, message: LeaveGroupResponse) -> None:
    members = message.members
    count = len(members) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for members_item in members:
        _write_member_response_v4(out, members_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v4(out: Pieces, message: LeaveGroupResponse) -> Steps[None]:
    members = message.members
    count = len(members) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for members_item in members:
        _write_member_response_v4(out, members_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
    _read_v1,
    _read_v1,
    _read_v3,
    _read_v4,
    _read_v4,
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v1,
    _write_v3,
    _write_v4,
    _write_v4,
)

_STEP_WRITERS = (
    None,
    None,
    None,
    _step_write_v3,
    _step_write_v4,
    _step_write_v4,
)


@cache
def _schema() -> MessageSchema:
    member_response_struct = StructSchema(
        python_class=LeaveGroupResponseMemberResponse,
        fields=(
            FieldSchema(
                name="MemberId",
                attribute="member_id",
                type="string",
                versions=(3, 32767),
                default="",
            ),
            FieldSchema(
                name="GroupInstanceId",
                attribute="group_instance_id",
                type="string",
                versions=(3, 32767),
                nullable=(3, 32767),
                default="",
            ),
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(3, 32767),
                default=0,
            ),
        ),
    )
    leave_group_response_struct = StructSchema(
        python_class=LeaveGroupResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(1, 32767),
                default=0,
                ignorable=True,
            ),
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Members",
                attribute="members",
                type="MemberResponse",
                struct=member_response_struct,
                array=True,
                versions=(3, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="LeaveGroupResponse", flexible_from=4, root=leave_group_response_struct)
