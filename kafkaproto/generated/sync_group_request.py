"""SyncGroupRequest: versions 0-5, flexible from 4, api key 14.

Generated from api/SyncGroupRequest.json by codegen; change the schema, not this file.
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
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ih = struct.Struct(">ih").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ih = struct.Struct(">ih").pack


class SyncGroupRequestAssignment(Struct):
    """SyncGroupRequestAssignment of SyncGroupRequest."""

    __slots__ = ("member_id", "assignment", "unknown_tags")

    member_id: str
    """Versions 0+."""
    assignment: bytes
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        member_id: str = "",
        assignment: bytes = b'',
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.member_id = member_id
        self.assignment = assignment
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SyncGroupRequestAssignment)
            and self.member_id == other.member_id
            and self.assignment == other.assignment
            and self.unknown_tags == other.unknown_tags
        )



class SyncGroupRequest(Message):
    """Request SyncGroupRequest."""

    __slots__ = (
        "group_id",
        "generation_id",
        "member_id",
        "group_instance_id",
        "protocol_type",
        "protocol_name",
        "assignments",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "SyncGroupRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 14
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    Assignment: TypeAlias = SyncGroupRequestAssignment

    group_id: str
    """Versions 0+."""
    generation_id: int
    """Versions 0+."""
    member_id: str
    """Versions 0+."""
    group_instance_id: str | None
    """Versions 3+, null in 3+."""
    protocol_type: str | None
    """Versions 5+, null in 5+, dropped where a version lacks it."""
    protocol_name: str | None
    """Versions 5+, null in 5+, dropped where a version lacks it."""
    assignments: list[SyncGroupRequestAssignment]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        group_id: str = "",
        generation_id: int = 0,
        member_id: str = "",
        group_instance_id: str | None = None,
        protocol_type: str | None = None,
        protocol_name: str | None = None,
        assignments: list[SyncGroupRequestAssignment] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.group_id = group_id
        self.generation_id = generation_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.assignments = [] if assignments is EMPTY else assignments
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SyncGroupRequest)
            and self.group_id == other.group_id
            and self.generation_id == other.generation_id
            and self.member_id == other.member_id
            and self.group_instance_id == other.group_instance_id
            and self.protocol_type == other.protocol_type
            and self.protocol_name == other.protocol_name
            and self.assignments == other.assignments
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[SyncGroupRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[SyncGroupRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_assignment_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[SyncGroupRequestAssignment], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[SyncGroupRequestAssignment] = []
    for _ in range(size):
        message = SyncGroupRequestAssignment.__new__(SyncGroupRequestAssignment)
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
        message.assignment = bytes(buffer[position:end])
        position = end
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[SyncGroupRequest, int]:
    message = SyncGroupRequest.__new__(SyncGroupRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.generation_id, length = _unpack_ih(buffer, position)
    position += 6
    if length < 0:
        raise Malformed
    end = position + length
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.assignments, position = _read_many_assignment_v0(buffer, position, count)
    elif not count:
        message.assignments = []
    else:
        raise Malformed
    message.group_instance_id = None
    message.protocol_type = None
    message.protocol_name = None
    message.unknown_tags = None
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[SyncGroupRequest, int]]:
    message = SyncGroupRequest.__new__(SyncGroupRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.generation_id, length = _unpack_ih(buffer, position)
    position += 6
    if length < 0:
        raise Malformed
    end = position + length
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "SyncGroupRequest.assignments")
    if count > 0:
        if count > ELEMENTS_A_STEP:
            message.assignments, position = yield from read_pieces(
                _read_many_assignment_v0,
                buffer,
                position,
                count,
                budget,
            )
        else:
            message.assignments, position = _read_many_assignment_v0(buffer, position, count)
            budget.take_tags(message.assignments)
    elif not count:
        message.assignments = []
    else:
        raise Malformed
    message.group_instance_id = None
    message.protocol_type = None
    message.protocol_name = None
    message.unknown_tags = None
    return message, position


def _read_v3(buffer: Buffer, position: int) -> tuple[SyncGroupRequest, int]:
    message = SyncGroupRequest.__new__(SyncGroupRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.generation_id, length = _unpack_ih(buffer, position)
    position += 6
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
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.assignments, position = _read_many_assignment_v0(buffer, position, count)
    elif not count:
        message.assignments = []
    else:
        raise Malformed
    message.protocol_type = None
    message.protocol_name = None
    message.unknown_tags = None
    return message, position


def _step_v3(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[SyncGroupRequest, int]]:
    message = SyncGroupRequest.__new__(SyncGroupRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.generation_id, length = _unpack_ih(buffer, position)
    position += 6
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
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "SyncGroupRequest.assignments")
    if count > 0:
        if count > ELEMENTS_A_STEP:
            message.assignments, position = yield from read_pieces(
                _read_many_assignment_v0,
                buffer,
                position,
                count,
                budget,
            )
        else:
            message.assignments, position = _read_many_assignment_v0(buffer, position, count)
            budget.take_tags(message.assignments)
    elif not count:
        message.assignments = []
    else:
        raise Malformed
    message.protocol_type = None
    message.protocol_name = None
    message.unknown_tags = None
    return message, position


def _read_many_assignment_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[SyncGroupRequestAssignment], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[SyncGroupRequestAssignment] = []
    for _ in range(size):
        message = SyncGroupRequestAssignment.__new__(SyncGroupRequestAssignment)
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
            length, position = read_long_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.assignment = bytes(buffer[position:end])
        position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v4(buffer: Buffer, position: int) -> tuple[SyncGroupRequest, int]:
    message = SyncGroupRequest.__new__(SyncGroupRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.generation_id, length = _unpack_iB(buffer, position)
    position += 5
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
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.assignments, position = _read_many_assignment_v4(buffer, position, count - 1)
    elif count:
        message.assignments = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.protocol_type = None
    message.protocol_name = None
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v4(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[SyncGroupRequest, int]]:
    message = SyncGroupRequest.__new__(SyncGroupRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.generation_id, length = _unpack_iB(buffer, position)
    position += 5
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
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "SyncGroupRequest.assignments")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.assignments, position = yield from read_pieces(
                _read_many_assignment_v4,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.assignments, position = _read_many_assignment_v4(buffer, position, count - 1)
            budget.take_tags(message.assignments)
    elif count:
        message.assignments = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.protocol_type = None
    message.protocol_name = None
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_v5(buffer: Buffer, position: int) -> tuple[SyncGroupRequest, int]:
    message = SyncGroupRequest.__new__(SyncGroupRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.generation_id, length = _unpack_iB(buffer, position)
    position += 5
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
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.assignments, position = _read_many_assignment_v4(buffer, position, count - 1)
    elif count:
        message.assignments = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v5(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[SyncGroupRequest, int]]:
    message = SyncGroupRequest.__new__(SyncGroupRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.generation_id, length = _unpack_iB(buffer, position)
    position += 5
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
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "SyncGroupRequest.assignments")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.assignments, position = yield from read_pieces(
                _read_many_assignment_v4,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.assignments, position = _read_many_assignment_v4(buffer, position, count - 1)
            budget.take_tags(message.assignments)
    elif count:
        message.assignments = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_assignment_v0(out: Pieces, message: SyncGroupRequestAssignment) -> None:
    member_id = message.member_id
    data = member_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    assignment = message.assignment
    length = len(assignment)
    out.append(_pack_i(length))
    out.append(assignment)
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: SyncGroupRequest) -> None:
    if message.group_instance_id is not None:
        raise Malformed
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
    length = len(data)
    out.append(_pack_ih(message.generation_id, length))
    out.append(data)
    assignments = message.assignments
    count = len(assignments)
    out.append(_pack_i(count))
    for assignments_item in assignments:
        _write_assignment_v0(out, assignments_item)
    if message.unknown_tags:
        raise Malformed


def _write_v3(out: Pieces, message: SyncGroupRequest) -> None:
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
    length = len(data)
    out.append(_pack_ih(message.generation_id, length))
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
    assignments = message.assignments
    count = len(assignments)
    out.append(_pack_i(count))
    for assignments_item in assignments:
        _write_assignment_v0(out, assignments_item)
    if message.unknown_tags:
        raise Malformed


def _write_assignment_v4(out: Pieces, message: SyncGroupRequestAssignment) -> None:
    member_id = message.member_id
    data = member_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    assignment = message.assignment
    length = len(assignment) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    out.append(assignment)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v4(out: Pieces, message: SyncGroupRequest) -> None:
    group_id = message.group_id
    data = group_id.encode()
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
        out.append(_pack_iB(message.generation_id, length))
    else:
        out.append(_pack_i(message.generation_id))
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
    assignments = message.assignments
    count = len(assignments) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for assignments_item in assignments:
        _write_assignment_v4(out, assignments_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v5(out: Pieces, message: SyncGroupRequest) -> None:
    group_id = message.group_id
    data = group_id.encode()
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
        out.append(_pack_iB(message.generation_id, length))
    else:
        out.append(_pack_i(message.generation_id))
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
    protocol_type = message.protocol_type
    if protocol_type is None:
        data = b""
        length = 0
    else:
        data = protocol_type.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
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
    assignments = message.assignments
    count = len(assignments) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for assignments_item in assignments:
        _write_assignment_v4(out, assignments_item)
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
    _step_v0,
    _step_v0,
    _step_v0,
    _step_v3,
    _step_v4,
    _step_v5,
)


@cache
def _schema() -> MessageSchema:
    sync_group_request_assignment_struct = StructSchema(
        python_class=SyncGroupRequestAssignment,
        fields=(
            FieldSchema(
                name="MemberId",
                attribute="member_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Assignment",
                attribute="assignment",
                type="bytes",
                versions=(0, 32767),
                default=b'',
            ),
        ),
    )
    sync_group_request_struct = StructSchema(
        python_class=SyncGroupRequest,
        fields=(
            FieldSchema(
                name="GroupId",
                attribute="group_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="GenerationId",
                attribute="generation_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
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
                versions=(3, 32767),
                nullable=(3, 32767),
                default=None,
            ),
            FieldSchema(
                name="ProtocolType",
                attribute="protocol_type",
                type="string",
                versions=(5, 32767),
                nullable=(5, 32767),
                default=None,
                ignorable=True,
            ),
            FieldSchema(
                name="ProtocolName",
                attribute="protocol_name",
                type="string",
                versions=(5, 32767),
                nullable=(5, 32767),
                default=None,
                ignorable=True,
            ),
            FieldSchema(
                name="Assignments",
                attribute="assignments",
                type="SyncGroupRequestAssignment",
                struct=sync_group_request_assignment_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="SyncGroupRequest", flexible_from=4, root=sync_group_request_struct)
