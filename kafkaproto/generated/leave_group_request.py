"""LeaveGroupRequest: versions 0-5, flexible from 4, api key 13.

Generated from api/LeaveGroupRequest.json by codegen; change the schema, not this file.
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
    Budget,
    Buffer,
    Malformed,
    Pieces,
    Steps,
    pack_length,
    pack_string_length,
    read_long_length,
    read_pieces,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack


class LeaveGroupRequestMemberIdentity(Struct):
    """MemberIdentity of LeaveGroupRequest."""

    __slots__ = ("member_id", "group_instance_id", "reason", "unknown_tags")

    member_id: str
    """Versions 3+."""
    group_instance_id: str | None
    """Versions 3+, null in 3+."""
    reason: str | None
    """Versions 5+, null in 5+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        member_id: str = "",
        group_instance_id: str | None = None,
        reason: str | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.reason = reason
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, LeaveGroupRequestMemberIdentity)
            and self.member_id == other.member_id
            and self.group_instance_id == other.group_instance_id
            and self.reason == other.reason
            and self.unknown_tags == other.unknown_tags
        )



class LeaveGroupRequest(Message):
    """Request LeaveGroupRequest."""

    __slots__ = ("group_id", "member_id", "members", "unknown_tags")

    NAME: ClassVar[str] = "LeaveGroupRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 13
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    MemberIdentity: TypeAlias = LeaveGroupRequestMemberIdentity

    group_id: str
    """Versions 0+."""
    member_id: str
    """Versions 0-2."""
    members: list[LeaveGroupRequestMemberIdentity]
    """Versions 3+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
        members: list[LeaveGroupRequestMemberIdentity] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.members = [] if members is EMPTY else members
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, LeaveGroupRequest)
            and self.group_id == other.group_id
            and self.member_id == other.member_id
            and self.members == other.members
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[LeaveGroupRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[LeaveGroupRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[LeaveGroupRequest, int]:
    message = LeaveGroupRequest.__new__(LeaveGroupRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    message.members = []
    message.unknown_tags = None
    return message, position


def _read_many_member_identity_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[LeaveGroupRequestMemberIdentity], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[LeaveGroupRequestMemberIdentity] = []
    for _ in range(size):
        message = LeaveGroupRequestMemberIdentity.__new__(LeaveGroupRequestMemberIdentity)
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
        message.reason = None
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v3(buffer: Buffer, position: int) -> tuple[LeaveGroupRequest, int]:
    message = LeaveGroupRequest.__new__(LeaveGroupRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.members, position = _read_many_member_identity_v3(buffer, position, count)
    elif not count:
        message.members = []
    else:
        raise Malformed
    message.member_id = ""
    message.unknown_tags = None
    return message, position


def _step_v3(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[LeaveGroupRequest, int]]:
    message = LeaveGroupRequest.__new__(LeaveGroupRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "LeaveGroupRequest.members")
    if count > 0:
        if count > ELEMENTS_A_STEP:
            message.members, position = yield from read_pieces(
                _read_many_member_identity_v3,
                buffer,
                position,
                count,
                budget,
            )
        else:
            message.members, position = _read_many_member_identity_v3(buffer, position, count)
            budget.take_tags(message.members)
    elif not count:
        message.members = []
    else:
        raise Malformed
    message.member_id = ""
    message.unknown_tags = None
    return message, position


def _read_many_member_identity_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[LeaveGroupRequestMemberIdentity], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[LeaveGroupRequestMemberIdentity] = []
    for _ in range(size):
        message = LeaveGroupRequestMemberIdentity.__new__(LeaveGroupRequestMemberIdentity)
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
        tags = buffer[position]
        position += 1
        message.reason = None
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v4(buffer: Buffer, position: int) -> tuple[LeaveGroupRequest, int]:
    message = LeaveGroupRequest.__new__(LeaveGroupRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.members, position = _read_many_member_identity_v4(buffer, position, count - 1)
    elif count:
        message.members = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.member_id = ""
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v4(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[LeaveGroupRequest, int]]:
    message = LeaveGroupRequest.__new__(LeaveGroupRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "LeaveGroupRequest.members")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.members, position = yield from read_pieces(
                _read_many_member_identity_v4,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.members, position = _read_many_member_identity_v4(buffer, position, count - 1)
            budget.take_tags(message.members)
    elif count:
        message.members = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.member_id = ""
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_many_member_identity_v5(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[LeaveGroupRequestMemberIdentity], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[LeaveGroupRequestMemberIdentity] = []
    for _ in range(size):
        message = LeaveGroupRequestMemberIdentity.__new__(LeaveGroupRequestMemberIdentity)
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
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.reason = None
        else:
            end = position + length - 1
            message.reason = str(buffer[position:end], "utf-8")
            position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v5(buffer: Buffer, position: int) -> tuple[LeaveGroupRequest, int]:
    message = LeaveGroupRequest.__new__(LeaveGroupRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.members, position = _read_many_member_identity_v5(buffer, position, count - 1)
    elif count:
        message.members = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.member_id = ""
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v5(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[LeaveGroupRequest, int]]:
    message = LeaveGroupRequest.__new__(LeaveGroupRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "LeaveGroupRequest.members")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.members, position = yield from read_pieces(
                _read_many_member_identity_v5,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.members, position = _read_many_member_identity_v5(buffer, position, count - 1)
            budget.take_tags(message.members)
    elif count:
        message.members = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.member_id = ""
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_v0(out: Pieces, message: LeaveGroupRequest) -> None:
    if len(message.members) != 0:
        raise Malformed
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_member_identity_v3(out: Pieces, message: LeaveGroupRequestMemberIdentity) -> None:
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
    if message.unknown_tags:
        raise Malformed


def _write_v3(out: Pieces, message: LeaveGroupRequest) -> None:
    if message.member_id != "":
        raise Malformed
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    members = message.members
    count = len(members)
    out.append(_pack_i(count))
    for members_item in members:
        _write_member_identity_v3(out, members_item)
    if message.unknown_tags:
        raise Malformed


def _write_member_identity_v4(out: Pieces, message: LeaveGroupRequestMemberIdentity) -> None:
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
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v4(out: Pieces, message: LeaveGroupRequest) -> None:
    if message.member_id != "":
        raise Malformed
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    members = message.members
    count = len(members) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for members_item in members:
        _write_member_identity_v4(out, members_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_member_identity_v5(out: Pieces, message: LeaveGroupRequestMemberIdentity) -> None:
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
    reason = message.reason
    if reason is None:
        data = b""
        length = 0
    else:
        data = reason.encode()
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


def _write_v5(out: Pieces, message: LeaveGroupRequest) -> None:
    if message.member_id != "":
        raise Malformed
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    members = message.members
    count = len(members) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for members_item in members:
        _write_member_identity_v5(out, members_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
    _read_v0,
    _read_v0,
    _read_v3,
    _read_v4,
    _read_v5,
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v0,
    _write_v3,
    _write_v4,
    _write_v5,
)

_STEP_READERS = (
    None,
    None,
    None,
    _step_v3,
    _step_v4,
    _step_v5,
)


@cache
def _schema() -> MessageSchema:
    member_identity_struct = StructSchema(
        python_class=LeaveGroupRequestMemberIdentity,
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
                default=None,
            ),
            FieldSchema(
                name="Reason",
                attribute="reason",
                type="string",
                versions=(5, 32767),
                nullable=(5, 32767),
                default=None,
                ignorable=True,
            ),
        ),
    )
    leave_group_request_struct = StructSchema(
        python_class=LeaveGroupRequest,
        fields=(
            FieldSchema(
                name="GroupId",
                attribute="group_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="MemberId",
                attribute="member_id",
                type="string",
                versions=(0, 2),
                default="",
            ),
            FieldSchema(
                name="Members",
                attribute="members",
                type="MemberIdentity",
                struct=member_identity_struct,
                array=True,
                versions=(3, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="LeaveGroupRequest", flexible_from=4, root=leave_group_request_struct)
