"""DescribeGroupsResponse: versions 0-6, flexible from 5, api key 15.

Generated from api/DescribeGroupsResponse.json by codegen; change the schema, not this file.
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
_unpack_hh = struct.Struct(">hh").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ii = struct.Struct(">ii").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_hh = struct.Struct(">hh").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ii = struct.Struct(">ii").pack


class DescribeGroupsResponseDescribedGroupMember(Struct):
    """DescribedGroupMember of DescribeGroupsResponse."""

    __slots__ = (
        "member_id",
        "group_instance_id",
        "client_id",
        "client_host",
        "member_metadata",
        "member_assignment",
        "unknown_tags",
    )

    member_id: str
    """Versions 0+."""
    group_instance_id: str | None
    """Versions 4+, null in 4+, dropped where a version lacks it."""
    client_id: str
    """Versions 0+."""
    client_host: str
    """Versions 0+."""
    member_metadata: bytes
    """Versions 0+."""
    member_assignment: bytes
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        member_id: str = "",
        group_instance_id: str | None = None,
        client_id: str = "",
        client_host: str = "",
        member_metadata: bytes = b'',
        member_assignment: bytes = b'',
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.client_id = client_id
        self.client_host = client_host
        self.member_metadata = member_metadata
        self.member_assignment = member_assignment
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeGroupsResponseDescribedGroupMember)
            and self.member_id == other.member_id
            and self.group_instance_id == other.group_instance_id
            and self.client_id == other.client_id
            and self.client_host == other.client_host
            and self.member_metadata == other.member_metadata
            and self.member_assignment == other.member_assignment
            and self.unknown_tags == other.unknown_tags
        )



class DescribeGroupsResponseDescribedGroup(Struct):
    """DescribedGroup of DescribeGroupsResponse."""

    __slots__ = (
        "error_code",
        "error_message",
        "group_id",
        "group_state",
        "protocol_type",
        "protocol_data",
        "members",
        "authorized_operations",
        "unknown_tags",
    )

    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 6+, null in 6+."""
    group_id: str
    """Versions 0+."""
    group_state: str
    """Versions 0+."""
    protocol_type: str
    """Versions 0+."""
    protocol_data: str
    """Versions 0+."""
    members: list[DescribeGroupsResponseDescribedGroupMember]
    """Versions 0+."""
    authorized_operations: int
    """Versions 3+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = None,
        group_id: str = "",
        group_state: str = "",
        protocol_type: str = "",
        protocol_data: str = "",
        members: list[DescribeGroupsResponseDescribedGroupMember] = EMPTY,
        authorized_operations: int = -2147483648,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.group_id = group_id
        self.group_state = group_state
        self.protocol_type = protocol_type
        self.protocol_data = protocol_data
        self.members = [] if members is EMPTY else members
        self.authorized_operations = authorized_operations
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeGroupsResponseDescribedGroup)
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.group_id == other.group_id
            and self.group_state == other.group_state
            and self.protocol_type == other.protocol_type
            and self.protocol_data == other.protocol_data
            and self.members == other.members
            and self.authorized_operations == other.authorized_operations
            and self.unknown_tags == other.unknown_tags
        )



class DescribeGroupsResponse(Message):
    """Response DescribeGroupsResponse."""

    __slots__ = ("throttle_time_ms", "groups", "unknown_tags")

    NAME: ClassVar[str] = "DescribeGroupsResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 15
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 6
    FLEXIBLE_FROM: ClassVar[int | None] = 5
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    DescribedGroupMember: TypeAlias = DescribeGroupsResponseDescribedGroupMember
    DescribedGroup: TypeAlias = DescribeGroupsResponseDescribedGroup

    throttle_time_ms: int
    """Versions 1+, dropped where a version lacks it."""
    groups: list[DescribeGroupsResponseDescribedGroup]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        groups: list[DescribeGroupsResponseDescribedGroup] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = [] if groups is EMPTY else groups
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeGroupsResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.groups == other.groups
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DescribeGroupsResponse, int]:
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


def _read_many_described_group_member_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeGroupsResponseDescribedGroupMember], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeGroupsResponseDescribedGroupMember] = []
    for _ in range(size):
        message = DescribeGroupsResponseDescribedGroupMember.__new__(
            DescribeGroupsResponseDescribedGroupMember,
        )
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
            raise Malformed
        end = position + length
        message.client_id = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.client_host = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_i(buffer, position)
        position += 4
        if length < 0:
            raise Malformed
        end = position + length
        message.member_metadata = bytes(buffer[position:end])
        position = end
        (length,) = _unpack_i(buffer, position)
        position += 4
        if length < 0:
            raise Malformed
        end = position + length
        message.member_assignment = bytes(buffer[position:end])
        position = end
        message.group_instance_id = None
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_described_group_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeGroupsResponseDescribedGroup], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeGroupsResponseDescribedGroup] = []
    for _ in range(size):
        message = DescribeGroupsResponseDescribedGroup.__new__(DescribeGroupsResponseDescribedGroup)
        message.error_code, length = _unpack_hh(buffer, position)
        position += 4
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
        message.group_state = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.protocol_type = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.protocol_data = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.members, position = _read_many_described_group_member_v0(buffer, position, count)
        elif not count:
            message.members = []
        else:
            raise Malformed
        message.error_message = None
        message.authorized_operations = -2147483648
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[DescribeGroupsResponse, int]:
    message = DescribeGroupsResponse.__new__(DescribeGroupsResponse)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.groups, position = _read_many_described_group_v0(buffer, position, count)
    elif not count:
        message.groups = []
    else:
        raise Malformed
    message.throttle_time_ms = 0
    message.unknown_tags = None
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[DescribeGroupsResponse, int]:
    message = DescribeGroupsResponse.__new__(DescribeGroupsResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.groups, position = _read_many_described_group_v0(buffer, position, count)
    elif not count:
        message.groups = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_described_group_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeGroupsResponseDescribedGroup], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeGroupsResponseDescribedGroup] = []
    for _ in range(size):
        message = DescribeGroupsResponseDescribedGroup.__new__(DescribeGroupsResponseDescribedGroup)
        message.error_code, length = _unpack_hh(buffer, position)
        position += 4
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
        message.group_state = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.protocol_type = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.protocol_data = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.members, position = _read_many_described_group_member_v0(buffer, position, count)
        elif not count:
            message.members = []
        else:
            raise Malformed
        (message.authorized_operations,) = _unpack_i(buffer, position)
        position += 4
        message.error_message = None
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v3(buffer: Buffer, position: int) -> tuple[DescribeGroupsResponse, int]:
    message = DescribeGroupsResponse.__new__(DescribeGroupsResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.groups, position = _read_many_described_group_v3(buffer, position, count)
    elif not count:
        message.groups = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_described_group_member_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeGroupsResponseDescribedGroupMember], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeGroupsResponseDescribedGroupMember] = []
    for _ in range(size):
        message = DescribeGroupsResponseDescribedGroupMember.__new__(
            DescribeGroupsResponseDescribedGroupMember,
        )
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
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.client_id = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.client_host = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_i(buffer, position)
        position += 4
        if length < 0:
            raise Malformed
        end = position + length
        message.member_metadata = bytes(buffer[position:end])
        position = end
        (length,) = _unpack_i(buffer, position)
        position += 4
        if length < 0:
            raise Malformed
        end = position + length
        message.member_assignment = bytes(buffer[position:end])
        position = end
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_described_group_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeGroupsResponseDescribedGroup], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeGroupsResponseDescribedGroup] = []
    for _ in range(size):
        message = DescribeGroupsResponseDescribedGroup.__new__(DescribeGroupsResponseDescribedGroup)
        message.error_code, length = _unpack_hh(buffer, position)
        position += 4
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
        message.group_state = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.protocol_type = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.protocol_data = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.members, position = _read_many_described_group_member_v4(buffer, position, count)
        elif not count:
            message.members = []
        else:
            raise Malformed
        (message.authorized_operations,) = _unpack_i(buffer, position)
        position += 4
        message.error_message = None
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v4(buffer: Buffer, position: int) -> tuple[DescribeGroupsResponse, int]:
    message = DescribeGroupsResponse.__new__(DescribeGroupsResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.groups, position = _read_many_described_group_v4(buffer, position, count)
    elif not count:
        message.groups = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_described_group_member_v5(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeGroupsResponseDescribedGroupMember], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeGroupsResponseDescribedGroupMember] = []
    for _ in range(size):
        message = DescribeGroupsResponseDescribedGroupMember.__new__(
            DescribeGroupsResponseDescribedGroupMember,
        )
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
            raise Malformed
        end = position + length - 1
        message.client_id = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.client_host = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_long_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.member_metadata = bytes(buffer[position:end])
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_long_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.member_assignment = bytes(buffer[position:end])
        position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_described_group_v5(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeGroupsResponseDescribedGroup], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeGroupsResponseDescribedGroup] = []
    for _ in range(size):
        message = DescribeGroupsResponseDescribedGroup.__new__(DescribeGroupsResponseDescribedGroup)
        message.error_code, length = _unpack_hB(buffer, position)
        position += 3
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.group_id = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.group_state = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.protocol_type = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.protocol_data = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.members, position = _read_many_described_group_member_v5(buffer, position, count - 1)
        elif count:
            message.members = []
        else:
            raise Malformed
        message.authorized_operations, tags = _unpack_iB(buffer, position)
        position += 5
        message.error_message = None
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v5(buffer: Buffer, position: int) -> tuple[DescribeGroupsResponse, int]:
    message = DescribeGroupsResponse.__new__(DescribeGroupsResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.groups, position = _read_many_described_group_v5(buffer, position, count - 1)
    elif count:
        message.groups = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_described_group_v6(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeGroupsResponseDescribedGroup], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeGroupsResponseDescribedGroup] = []
    for _ in range(size):
        message = DescribeGroupsResponseDescribedGroup.__new__(DescribeGroupsResponseDescribedGroup)
        message.error_code, length = _unpack_hB(buffer, position)
        position += 3
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
            raise Malformed
        end = position + length - 1
        message.group_id = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.group_state = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.protocol_type = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.protocol_data = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.members, position = _read_many_described_group_member_v5(buffer, position, count - 1)
        elif count:
            message.members = []
        else:
            raise Malformed
        message.authorized_operations, tags = _unpack_iB(buffer, position)
        position += 5
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v6(buffer: Buffer, position: int) -> tuple[DescribeGroupsResponse, int]:
    message = DescribeGroupsResponse.__new__(DescribeGroupsResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.groups, position = _read_many_described_group_v6(buffer, position, count - 1)
    elif count:
        message.groups = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_described_group_member_v0(
    out: Pieces,
    message: DescribeGroupsResponseDescribedGroupMember,
) -> None:
    member_id = message.member_id
    data = member_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    client_id = message.client_id
    data = client_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    client_host = message.client_host
    data = client_host.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    member_metadata = message.member_metadata
    length = len(member_metadata)
    out.append(_pack_i(length))
    out.append(member_metadata)
    member_assignment = message.member_assignment
    length = len(member_assignment)
    out.append(_pack_i(length))
    out.append(member_assignment)
    if message.unknown_tags:
        raise Malformed


def _write_described_group_v0(out: Pieces, message: DescribeGroupsResponseDescribedGroup) -> None:
    if message.error_message is not None:
        raise Malformed
    if message.authorized_operations != -2147483648:
        raise Malformed
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    group_state = message.group_state
    data = group_state.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    protocol_type = message.protocol_type
    data = protocol_type.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    protocol_data = message.protocol_data
    data = protocol_data.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    members = message.members
    count = len(members)
    out.append(_pack_i(count))
    for members_item in members:
        _write_described_group_member_v0(out, members_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_described_group_v0(out: Pieces, message: DescribeGroupsResponseDescribedGroup) -> Steps[None]:
    if message.error_message is not None:
        raise Malformed
    if message.authorized_operations != -2147483648:
        raise Malformed
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    group_state = message.group_state
    data = group_state.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    protocol_type = message.protocol_type
    data = protocol_type.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    protocol_data = message.protocol_data
    data = protocol_data.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    members = message.members
    count = len(members)
    out.append(_pack_i(count))
    for members_item in members:
        _write_described_group_member_v0(out, members_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: DescribeGroupsResponse) -> None:
    groups = message.groups
    count = len(groups)
    out.append(_pack_i(count))
    for groups_item in groups:
        _write_described_group_v0(out, groups_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v0(out: Pieces, message: DescribeGroupsResponse) -> Steps[None]:
    groups = message.groups
    count = len(groups)
    out.append(_pack_i(count))
    for groups_item in groups:
        yield from _step_write_described_group_v0(out, groups_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: DescribeGroupsResponse) -> None:
    groups = message.groups
    count = len(groups)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for groups_item in groups:
        _write_described_group_v0(out, groups_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v1(out: Pieces, message: DescribeGroupsResponse) -> Steps[None]:
    groups = message.groups
    count = len(groups)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for groups_item in groups:
        yield from _step_write_described_group_v0(out, groups_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_described_group_v3(out: Pieces, message: DescribeGroupsResponseDescribedGroup) -> None:
    if message.error_message is not None:
        raise Malformed
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    group_state = message.group_state
    data = group_state.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    protocol_type = message.protocol_type
    data = protocol_type.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    protocol_data = message.protocol_data
    data = protocol_data.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    members = message.members
    count = len(members)
    out.append(_pack_i(count))
    for members_item in members:
        _write_described_group_member_v0(out, members_item)
    out.append(_pack_i(message.authorized_operations))
    if message.unknown_tags:
        raise Malformed


def _step_write_described_group_v3(out: Pieces, message: DescribeGroupsResponseDescribedGroup) -> Steps[None]:
    if message.error_message is not None:
        raise Malformed
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    group_state = message.group_state
    data = group_state.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    protocol_type = message.protocol_type
    data = protocol_type.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    protocol_data = message.protocol_data
    data = protocol_data.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    members = message.members
    count = len(members)
    out.append(_pack_i(count))
    for members_item in members:
        _write_described_group_member_v0(out, members_item)
        yield
    out.append(_pack_i(message.authorized_operations))
    if message.unknown_tags:
        raise Malformed


def _write_v3(out: Pieces, message: DescribeGroupsResponse) -> None:
    groups = message.groups
    count = len(groups)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for groups_item in groups:
        _write_described_group_v3(out, groups_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v3(out: Pieces, message: DescribeGroupsResponse) -> Steps[None]:
    groups = message.groups
    count = len(groups)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for groups_item in groups:
        yield from _step_write_described_group_v3(out, groups_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_described_group_member_v4(
    out: Pieces,
    message: DescribeGroupsResponseDescribedGroupMember,
) -> None:
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
    client_id = message.client_id
    data = client_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    client_host = message.client_host
    data = client_host.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    member_metadata = message.member_metadata
    length = len(member_metadata)
    out.append(_pack_i(length))
    out.append(member_metadata)
    member_assignment = message.member_assignment
    length = len(member_assignment)
    out.append(_pack_i(length))
    out.append(member_assignment)
    if message.unknown_tags:
        raise Malformed


def _write_described_group_v4(out: Pieces, message: DescribeGroupsResponseDescribedGroup) -> None:
    if message.error_message is not None:
        raise Malformed
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    group_state = message.group_state
    data = group_state.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    protocol_type = message.protocol_type
    data = protocol_type.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    protocol_data = message.protocol_data
    data = protocol_data.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    members = message.members
    count = len(members)
    out.append(_pack_i(count))
    for members_item in members:
        _write_described_group_member_v4(out, members_item)
    out.append(_pack_i(message.authorized_operations))
    if message.unknown_tags:
        raise Malformed


def _step_write_described_group_v4(out: Pieces, message: DescribeGroupsResponseDescribedGroup) -> Steps[None]:
    if message.error_message is not None:
        raise Malformed
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    group_state = message.group_state
    data = group_state.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    protocol_type = message.protocol_type
    data = protocol_type.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    protocol_data = message.protocol_data
    data = protocol_data.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    members = message.members
    count = len(members)
    out.append(_pack_i(count))
    for members_item in members:
        _write_described_group_member_v4(out, members_item)
        yield
    out.append(_pack_i(message.authorized_operations))
    if message.unknown_tags:
        raise Malformed


def _write_v4(out: Pieces, message: DescribeGroupsResponse) -> None:
    groups = message.groups
    count = len(groups)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for groups_item in groups:
        _write_described_group_v4(out, groups_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v4(out: Pieces, message: DescribeGroupsResponse) -> Steps[None]:
    groups = message.groups
    count = len(groups)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for groups_item in groups:
        yield from _step_write_described_group_v4(out, groups_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_described_group_member_v5(
    out: Pieces,
    message: DescribeGroupsResponseDescribedGroupMember,
) -> None:
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
    client_id = message.client_id
    data = client_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    client_host = message.client_host
    data = client_host.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    member_metadata = message.member_metadata
    length = len(member_metadata) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    out.append(member_metadata)
    member_assignment = message.member_assignment
    length = len(member_assignment) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    out.append(member_assignment)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_described_group_v5(out: Pieces, message: DescribeGroupsResponseDescribedGroup) -> None:
    if message.error_message is not None:
        raise Malformed
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    group_state = message.group_state
    data = group_state.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    protocol_type = message.protocol_type
    data = protocol_type.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    protocol_data = message.protocol_data
    data = protocol_data.encode()
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
        _write_described_group_member_v5(out, members_item)
    if message.unknown_tags:
        out.append(_pack_i(message.authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.authorized_operations, 0))


def _step_write_described_group_v5(out: Pieces, message: DescribeGroupsResponseDescribedGroup) -> Steps[None]:
    if message.error_message is not None:
        raise Malformed
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    group_state = message.group_state
    data = group_state.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    protocol_type = message.protocol_type
    data = protocol_type.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    protocol_data = message.protocol_data
    data = protocol_data.encode()
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
        _write_described_group_member_v5(out, members_item)
        yield
    if message.unknown_tags:
        out.append(_pack_i(message.authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.authorized_operations, 0))


def _write_v5(out: Pieces, message: DescribeGroupsResponse) -> None:
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for groups_item in groups:
        _write_described_group_v5(out, groups_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v5(out: Pieces, message: DescribeGroupsResponse) -> Steps[None]:
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for groups_item in groups:
        yield from _step_write_described_group_v5(out, groups_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_described_group_v6(out: Pieces, message: DescribeGroupsResponseDescribedGroup) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    group_state = message.group_state
    data = group_state.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    protocol_type = message.protocol_type
    data = protocol_type.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    protocol_data = message.protocol_data
    data = protocol_data.encode()
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
        _write_described_group_member_v5(out, members_item)
    if message.unknown_tags:
        out.append(_pack_i(message.authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.authorized_operations, 0))


def _step_write_described_group_v6(out: Pieces, message: DescribeGroupsResponseDescribedGroup) -> Steps[None]:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    group_state = message.group_state
    data = group_state.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    protocol_type = message.protocol_type
    data = protocol_type.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    protocol_data = message.protocol_data
    data = protocol_data.encode()
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
        _write_described_group_member_v5(out, members_item)
        yield
    if message.unknown_tags:
        out.append(_pack_i(message.authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.authorized_operations, 0))


def _write_v6(out: Pieces, message: DescribeGroupsResponse) -> None:
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for groups_item in groups:
        _write_described_group_v6(out, groups_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v6(out: Pieces, message: DescribeGroupsResponse) -> Steps[None]:
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for groups_item in groups:
        yield from _step_write_described_group_v6(out, groups_item)
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
    _read_v5,
    _read_v6,
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v1,
    _write_v3,
    _write_v4,
    _write_v5,
    _write_v6,
)

_STEP_WRITERS = (
    _step_write_v0,
    _step_write_v1,
    _step_write_v1,
    _step_write_v3,
    _step_write_v4,
    _step_write_v5,
    _step_write_v6,
)


@cache
def _schema() -> MessageSchema:
    described_group_member_struct = StructSchema(
        python_class=DescribeGroupsResponseDescribedGroupMember,
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
                versions=(4, 32767),
                nullable=(4, 32767),
                default=None,
                ignorable=True,
            ),
            FieldSchema(
                name="ClientId",
                attribute="client_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="ClientHost",
                attribute="client_host",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="MemberMetadata",
                attribute="member_metadata",
                type="bytes",
                versions=(0, 32767),
                default=b'',
            ),
            FieldSchema(
                name="MemberAssignment",
                attribute="member_assignment",
                type="bytes",
                versions=(0, 32767),
                default=b'',
            ),
        ),
    )
    described_group_struct = StructSchema(
        python_class=DescribeGroupsResponseDescribedGroup,
        fields=(
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
                versions=(6, 32767),
                nullable=(6, 32767),
                default=None,
            ),
            FieldSchema(
                name="GroupId",
                attribute="group_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="GroupState",
                attribute="group_state",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="ProtocolType",
                attribute="protocol_type",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="ProtocolData",
                attribute="protocol_data",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Members",
                attribute="members",
                type="DescribedGroupMember",
                struct=described_group_member_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="AuthorizedOperations",
                attribute="authorized_operations",
                type="int32",
                versions=(3, 32767),
                default=-2147483648,
            ),
        ),
    )
    describe_groups_response_struct = StructSchema(
        python_class=DescribeGroupsResponse,
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
                name="Groups",
                attribute="groups",
                type="DescribedGroup",
                struct=described_group_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="DescribeGroupsResponse", flexible_from=5, root=describe_groups_response_struct)
