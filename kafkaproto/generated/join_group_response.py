"""JoinGroupResponse: versions 0-9, flexible from 6, api key 11.

Generated from api/JoinGroupResponse.json by codegen; change the schema, not this file.
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

_unpack_tB = struct.Struct(">?B").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_unpack_hih = struct.Struct(">hih").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_ihiB = struct.Struct(">ihiB").unpack_from
_unpack_ihih = struct.Struct(">ihih").unpack_from
_pack_t = struct.Struct(">?").pack
_pack_tB = struct.Struct(">?B").pack
_pack_h = struct.Struct(">h").pack
_pack_hih = struct.Struct(">hih").pack
_pack_i = struct.Struct(">i").pack
_pack_ihi = struct.Struct(">ihi").pack
_pack_ihiB = struct.Struct(">ihiB").pack
_pack_ihih = struct.Struct(">ihih").pack


class JoinGroupResponseMember(Struct):
    """JoinGroupResponseMember of JoinGroupResponse."""

    __slots__ = ("member_id", "group_instance_id", "metadata", "unknown_tags")

    member_id: str
    """Versions 0+."""
    group_instance_id: str | None
    """Versions 5+, null in 5+, dropped where a version lacks it."""
    metadata: bytes
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        member_id: str = "",
        group_instance_id: str | None = None,
        metadata: bytes = b'',
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.metadata = metadata
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, JoinGroupResponseMember)
            and self.member_id == other.member_id
            and self.group_instance_id == other.group_instance_id
            and self.metadata == other.metadata
            and self.unknown_tags == other.unknown_tags
        )



class JoinGroupResponse(Message):
    """Response JoinGroupResponse."""

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "generation_id",
        "protocol_type",
        "protocol_name",
        "leader",
        "skip_assignment",
        "member_id",
        "members",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "JoinGroupResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 11
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 9
    FLEXIBLE_FROM: ClassVar[int | None] = 6
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    Member: TypeAlias = JoinGroupResponseMember

    throttle_time_ms: int
    """Versions 2+, dropped where a version lacks it."""
    error_code: int
    """Versions 0+."""
    generation_id: int
    """Versions 0+."""
    protocol_type: str | None
    """Versions 7+, null in 7+, dropped where a version lacks it."""
    protocol_name: str | None
    """Versions 0+, null in 7+."""
    leader: str
    """Versions 0+."""
    skip_assignment: bool
    """Versions 9+."""
    member_id: str
    """Versions 0+."""
    members: list[JoinGroupResponseMember]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        generation_id: int = -1,
        protocol_type: str | None = None,
        protocol_name: str | None = "",
        leader: str = "",
        skip_assignment: bool = False,
        member_id: str = "",
        members: list[JoinGroupResponseMember] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.generation_id = generation_id
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.leader = leader
        self.skip_assignment = skip_assignment
        self.member_id = member_id
        self.members = [] if members is EMPTY else members
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, JoinGroupResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.generation_id == other.generation_id
            and self.protocol_type == other.protocol_type
            and self.protocol_name == other.protocol_name
            and self.leader == other.leader
            and self.skip_assignment == other.skip_assignment
            and self.member_id == other.member_id
            and self.members == other.members
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[JoinGroupResponse, int]:
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


def _read_many_member_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[JoinGroupResponseMember], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[JoinGroupResponseMember] = []
    for _ in range(size):
        message = JoinGroupResponseMember.__new__(JoinGroupResponseMember)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.member_id = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_i(buffer, position)
        position += 4
        if length < 0:
            raise Malformed
        end = position + length
        message.metadata = bytes(buffer[position:end])
        position = end
        message.group_instance_id = None
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[JoinGroupResponse, int]:
    message = JoinGroupResponse.__new__(JoinGroupResponse)
    message.error_code, message.generation_id, length = _unpack_hih(buffer, position)
    position += 8
    if length < 0:
        raise Malformed
    end = position + length
    message.protocol_name = str(buffer[position:end], "utf-8")
    position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.leader = str(buffer[position:end], "utf-8")
    position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.members, position = _read_many_member_v0(buffer, position, count)
    elif not count:
        message.members = []
    else:
        raise Malformed
    message.throttle_time_ms = 0
    message.protocol_type = None
    message.skip_assignment = False
    message.unknown_tags = None
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[JoinGroupResponse, int]:
    message = JoinGroupResponse.__new__(JoinGroupResponse)
    (
        message.throttle_time_ms,
        message.error_code,
        message.generation_id,
        length,
    ) = _unpack_ihih(buffer, position)
    position += 12
    if length < 0:
        raise Malformed
    end = position + length
    message.protocol_name = str(buffer[position:end], "utf-8")
    position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.leader = str(buffer[position:end], "utf-8")
    position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.members, position = _read_many_member_v0(buffer, position, count)
    elif not count:
        message.members = []
    else:
        raise Malformed
    message.protocol_type = None
    message.skip_assignment = False
    message.unknown_tags = None
    return message, position


def _read_many_member_v5(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[JoinGroupResponseMember], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[JoinGroupResponseMember] = []
    for _ in range(size):
        message = JoinGroupResponseMember.__new__(JoinGroupResponseMember)
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
        (length,) = _unpack_i(buffer, position)
        position += 4
        if length < 0:
            raise Malformed
        end = position + length
        message.metadata = bytes(buffer[position:end])
        position = end
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v5(buffer: Buffer, position: int) -> tuple[JoinGroupResponse, int]:
    message = JoinGroupResponse.__new__(JoinGroupResponse)
    (
        message.throttle_time_ms,
        message.error_code,
        message.generation_id,
        length,
    ) = _unpack_ihih(buffer, position)
    position += 12
    if length < 0:
        raise Malformed
    end = position + length
    message.protocol_name = str(buffer[position:end], "utf-8")
    position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.leader = str(buffer[position:end], "utf-8")
    position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.members, position = _read_many_member_v5(buffer, position, count)
    elif not count:
        message.members = []
    else:
        raise Malformed
    message.protocol_type = None
    message.skip_assignment = False
    message.unknown_tags = None
    return message, position


def _read_many_member_v6(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[JoinGroupResponseMember], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[JoinGroupResponseMember] = []
    for _ in range(size):
        message = JoinGroupResponseMember.__new__(JoinGroupResponseMember)
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
            length, position = read_long_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.metadata = bytes(buffer[position:end])
        position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v6(buffer: Buffer, position: int) -> tuple[JoinGroupResponse, int]:
    message = JoinGroupResponse.__new__(JoinGroupResponse)
    (
        message.throttle_time_ms,
        message.error_code,
        message.generation_id,
        length,
    ) = _unpack_ihiB(buffer, position)
    position += 11
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.protocol_name = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.leader = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.members, position = _read_many_member_v6(buffer, position, count - 1)
    elif count:
        message.members = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.protocol_type = None
    message.skip_assignment = False
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v7(buffer: Buffer, position: int) -> tuple[JoinGroupResponse, int]:
    message = JoinGroupResponse.__new__(JoinGroupResponse)
    (
        message.throttle_time_ms,
        message.error_code,
        message.generation_id,
        length,
    ) = _unpack_ihiB(buffer, position)
    position += 11
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.protocol_type = None
    else:
        end = position + length - 1
        message.protocol_type = str(buffer[position:end], "utf-8")
        position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.protocol_name = None
    else:
        end = position + length - 1
        message.protocol_name = str(buffer[position:end], "utf-8")
        position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.leader = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.members, position = _read_many_member_v6(buffer, position, count - 1)
    elif count:
        message.members = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.skip_assignment = False
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v9(buffer: Buffer, position: int) -> tuple[JoinGroupResponse, int]:
    message = JoinGroupResponse.__new__(JoinGroupResponse)
    (
        message.throttle_time_ms,
        message.error_code,
        message.generation_id,
        length,
    ) = _unpack_ihiB(buffer, position)
    position += 11
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.protocol_type = None
    else:
        end = position + length - 1
        message.protocol_type = str(buffer[position:end], "utf-8")
        position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.protocol_name = None
    else:
        end = position + length - 1
        message.protocol_name = str(buffer[position:end], "utf-8")
        position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.leader = str(buffer[position:end], "utf-8")
    position = end
    message.skip_assignment, length = _unpack_tB(buffer, position)
    position += 2
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.members, position = _read_many_member_v6(buffer, position, count - 1)
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


def _write_member_v0(out: Pieces, message: JoinGroupResponseMember) -> None:
    member_id = message.member_id
    data = member_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    metadata = message.metadata
    length = len(metadata)
    out.append(_pack_i(length))
    out.append(metadata)
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: JoinGroupResponse) -> None:
    if message.skip_assignment:
        raise Malformed
    protocol_name = message.protocol_name
    if protocol_name is None:
        raise Malformed
    data = protocol_name.encode()
    length = len(data)
    out.append(_pack_hih(message.error_code, message.generation_id, length))
    out.append(data)
    leader = message.leader
    data = leader.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    members = message.members
    count = len(members)
    out.append(_pack_i(count))
    for members_item in members:
        _write_member_v0(out, members_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v0(out: Pieces, message: JoinGroupResponse) -> Steps[None]:
    if message.skip_assignment:
        raise Malformed
    protocol_name = message.protocol_name
    if protocol_name is None:
        raise Malformed
    data = protocol_name.encode()
    length = len(data)
    out.append(_pack_hih(message.error_code, message.generation_id, length))
    out.append(data)
    leader = message.leader
    data = leader.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    members = message.members
    count = len(members)
    out.append(_pack_i(count))
    for members_item in members:
        _write_member_v0(out, members_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: Pieces, message: JoinGroupResponse) -> None:
    if message.skip_assignment:
        raise Malformed
    protocol_name = message.protocol_name
    if protocol_name is None:
        raise Malformed
    data = protocol_name.encode()
    length = len(data)
    out.append(_pack_ihih(message.throttle_time_ms, message.error_code, message.generation_id, length))
    out.append(data)
    leader = message.leader
    data = leader.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    members = message.members
    count = len(members)
    out.append(_pack_i(count))
    for members_item in members:
        _write_member_v0(out, members_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v2(out: Pieces, message: JoinGroupResponse) -> Steps[None]:
    if message.skip_assignment:
        raise Malformed
    protocol_name = message.protocol_name
    if protocol_name is None:
        raise Malformed
    data = protocol_name.encode()
    length = len(data)
    out.append(_pack_ihih(message.throttle_time_ms, message.error_code, message.generation_id, length))
    out.append(data)
    leader = message.leader
    data = leader.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    members = message.members
    count = len(members)
    out.append(_pack_i(count))
    for members_item in members:
        _write_member_v0(out, members_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_member_v5(out: Pieces, message: JoinGroupResponseMember) -> None:
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
    metadata = message.metadata
    length = len(metadata)
    out.append(_pack_i(length))
    out.append(metadata)
    if message.unknown_tags:
        raise Malformed


def _write_v5(out: Pieces, message: JoinGroupResponse) -> None:
    if message.skip_assignment:
        raise Malformed
    protocol_name = message.protocol_name
    if protocol_name is None:
        raise Malformed
    data = protocol_name.encode()
    length = len(data)
    out.append(_pack_ihih(message.throttle_time_ms, message.error_code, message.generation_id, length))
    out.append(data)
    leader = message.leader
    data = leader.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    members = message.members
    count = len(members)
    out.append(_pack_i(count))
    for members_item in members:
        _write_member_v5(out, members_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v5(out: Pieces, message: JoinGroupResponse) -> Steps[None]:
    if message.skip_assignment:
        raise Malformed
    protocol_name = message.protocol_name
    if protocol_name is None:
        raise Malformed
    data = protocol_name.encode()
    length = len(data)
    out.append(_pack_ihih(message.throttle_time_ms, message.error_code, message.generation_id, length))
    out.append(data)
    leader = message.leader
    data = leader.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    members = message.members
    count = len(members)
    out.append(_pack_i(count))
    for members_item in members:
        _write_member_v5(out, members_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_member_v6(out: Pieces, message: JoinGroupResponseMember) -> None:
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
    metadata = message.metadata
    length = len(metadata) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    out.append(metadata)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v6(out: Pieces, message: JoinGroupResponse) -> None:
    if message.skip_assignment:
        raise Malformed
    protocol_name = message.protocol_name
    if protocol_name is None:
        raise Malformed
    data = protocol_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_ihiB(message.throttle_time_ms, message.error_code, message.generation_id, length))
    else:
        out.append(_pack_ihi(message.throttle_time_ms, message.error_code, message.generation_id))
        out.append(pack_string_length(length))
    out.append(data)
    leader = message.leader
    data = leader.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
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
        _write_member_v6(out, members_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v6(out: Pieces, message: JoinGroupResponse) -> Steps[None]:
    if message.skip_assignment:
        raise Malformed
    protocol_name = message.protocol_name
    if protocol_name is None:
        raise Malformed
    data = protocol_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_ihiB(message.throttle_time_ms, message.error_code, message.generation_id, length))
    else:
        out.append(_pack_ihi(message.throttle_time_ms, message.error_code, message.generation_id))
        out.append(pack_string_length(length))
    out.append(data)
    leader = message.leader
    data = leader.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
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
        _write_member_v6(out, members_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v7(out: Pieces, message: JoinGroupResponse) -> None:
    if message.skip_assignment:
        raise Malformed
    protocol_type = message.protocol_type
    if protocol_type is None:
        data = b""
        length = 0
    else:
        data = protocol_type.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihiB(message.throttle_time_ms, message.error_code, message.generation_id, length))
    else:
        out.append(_pack_ihi(message.throttle_time_ms, message.error_code, message.generation_id))
        out.append(pack_string_length(length))
    out.append(data)
    protocol_name = message.protocol_name
    if protocol_name is None:
        data = b""
        length = 0
    else:
        data = protocol_name.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    leader = message.leader
    data = leader.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
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
        _write_member_v6(out, members_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v7(out: Pieces, message: JoinGroupResponse) -> Steps[None]:
    if message.skip_assignment:
        raise Malformed
    protocol_type = message.protocol_type
    if protocol_type is None:
        data = b""
        length = 0
    else:
        data = protocol_type.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihiB(message.throttle_time_ms, message.error_code, message.generation_id, length))
    else:
        out.append(_pack_ihi(message.throttle_time_ms, message.error_code, message.generation_id))
        out.append(pack_string_length(length))
    out.append(data)
    protocol_name = message.protocol_name
    if protocol_name is None:
        data = b""
        length = 0
    else:
        data = protocol_name.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    leader = message.leader
    data = leader.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
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
        _write_member_v6(out, members_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v9(out: Pieces, message: JoinGroupResponse) -> None:
    protocol_type = message.protocol_type
    if protocol_type is None:
        data = b""
        length = 0
    else:
        data = protocol_type.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihiB(message.throttle_time_ms, message.error_code, message.generation_id, length))
    else:
        out.append(_pack_ihi(message.throttle_time_ms, message.error_code, message.generation_id))
        out.append(pack_string_length(length))
    out.append(data)
    protocol_name = message.protocol_name
    if protocol_name is None:
        data = b""
        length = 0
    else:
        data = protocol_name.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    leader = message.leader
    data = leader.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_tB(message.skip_assignment, length))
    else:
        out.append(_pack_t(message.skip_assignment))
        out.append(pack_string_length(length))
    out.append(data)
    members = message.members
    count = len(members) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for members_item in members:
        _write_member_v6(out, members_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v9(out: Pieces, message: JoinGroupResponse) -> Steps[None]:
    protocol_type = message.protocol_type
    if protocol_type is None:
        data = b""
        length = 0
    else:
        data = protocol_type.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihiB(message.throttle_time_ms, message.error_code, message.generation_id, length))
    else:
        out.append(_pack_ihi(message.throttle_time_ms, message.error_code, message.generation_id))
        out.append(pack_string_length(length))
    out.append(data)
    protocol_name = message.protocol_name
    if protocol_name is None:
        data = b""
        length = 0
    else:
        data = protocol_name.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    leader = message.leader
    data = leader.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_tB(message.skip_assignment, length))
    else:
        out.append(_pack_t(message.skip_assignment))
        out.append(pack_string_length(length))
    out.append(data)
    members = message.members
    count = len(members) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for members_item in members:
        _write_member_v6(out, members_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
    _read_v0,
    _read_v2,
    _read_v2,
    _read_v2,
    _read_v5,
    _read_v6,
    _read_v7,
    _read_v7,
    _read_v9,
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v2,
    _write_v2,
    _write_v2,
    _write_v5,
    _write_v6,
    _write_v7,
    _write_v7,
    _write_v9,
)

_STEP_WRITERS = (
    _step_write_v0,
    _step_write_v0,
    _step_write_v2,
    _step_write_v2,
    _step_write_v2,
    _step_write_v5,
    _step_write_v6,
    _step_write_v7,
    _step_write_v7,
    _step_write_v9,
)


@cache
def _schema() -> MessageSchema:
    join_group_response_member_struct = StructSchema(
        python_class=JoinGroupResponseMember,
        fields=(
            FieldSchema(
                name="MemberId",
                attribute="member_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="GroupInstanceId",
                attribute="group_instance_id",
                type="string",
                versions=(5, 32767),
                nullable=(5, 32767),
                default=None,
                ignorable=True,
            ),
            FieldSchema(
                name="Metadata",
                attribute="metadata",
                type="bytes",
                versions=(0, 32767),
                default=b'',
            ),
        ),
    )
    join_group_response_struct = StructSchema(
        python_class=JoinGroupResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(2, 32767),
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
                name="GenerationId",
                attribute="generation_id",
                type="int32",
                versions=(0, 32767),
                default=-1,
            ),
            FieldSchema(
                name="ProtocolType",
                attribute="protocol_type",
                type="string",
                versions=(7, 32767),
                nullable=(7, 32767),
                default=None,
                ignorable=True,
            ),
            FieldSchema(
                name="ProtocolName",
                attribute="protocol_name",
                type="string",
                versions=(0, 32767),
                nullable=(7, 32767),
                default="",
            ),
            FieldSchema(
                name="Leader",
                attribute="leader",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="SkipAssignment",
                attribute="skip_assignment",
                type="bool",
                versions=(9, 32767),
                default=False,
            ),
            FieldSchema(
                name="MemberId",
                attribute="member_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Members",
                attribute="members",
                type="JoinGroupResponseMember",
                struct=join_group_response_member_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="JoinGroupResponse", flexible_from=6, root=join_group_response_struct)
