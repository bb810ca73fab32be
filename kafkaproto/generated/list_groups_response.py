"""ListGroupsResponse: versions 0-5, flexible from 3, api key 16.

Generated from api/ListGroupsResponse.json by codegen; change the schema, not this file.
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
_unpack_hi = struct.Struct(">hi").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_ihi = struct.Struct(">ihi").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_hi = struct.Struct(">hi").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_ihi = struct.Struct(">ihi").pack


class ListGroupsResponseListedGroup(Struct):
    """ListedGroup of ListGroupsResponse."""

    __slots__ = ("group_id", "protocol_type", "group_state", "group_type", "unknown_tags")

    group_id: str
    """Versions 0+."""
    protocol_type: str
    """Versions 0+."""
    group_state: str
    """Versions 4+, dropped where a version lacks it."""
    group_type: str
    """Versions 5+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        group_id: str = "",
        protocol_type: str = "",
        group_state: str = "",
        group_type: str = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.group_id = group_id
        self.protocol_type = protocol_type
        self.group_state = group_state
        self.group_type = group_type
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ListGroupsResponseListedGroup)
            and self.group_id == other.group_id
            and self.protocol_type == other.protocol_type
            and self.group_state == other.group_state
            and self.group_type == other.group_type
            and self.unknown_tags == other.unknown_tags
        )



class ListGroupsResponse(Message):
    """Response ListGroupsResponse."""

    __slots__ = ("throttle_time_ms", "error_code", "groups", "unknown_tags")

    NAME: ClassVar[str] = "ListGroupsResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 16
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    ListedGroup: TypeAlias = ListGroupsResponseListedGroup

    throttle_time_ms: int
    """Versions 1+, dropped where a version lacks it."""
    error_code: int
    """Versions 0+."""
    groups: list[ListGroupsResponseListedGroup]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        groups: list[ListGroupsResponseListedGroup] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.groups = [] if groups is EMPTY else groups
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ListGroupsResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.groups == other.groups
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ListGroupsResponse, int]:
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


def _read_many_listed_group_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ListGroupsResponseListedGroup], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListGroupsResponseListedGroup] = []
    for _ in range(size):
        message = ListGroupsResponseListedGroup.__new__(ListGroupsResponseListedGroup)
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
        message.protocol_type = str(buffer[position:end], "utf-8")
        position = end
        message.group_state = ""
        message.group_type = ""
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[ListGroupsResponse, int]:
    message = ListGroupsResponse.__new__(ListGroupsResponse)
    message.error_code, count = _unpack_hi(buffer, position)
    position += 6
    if count > 0:
        message.groups, position = _read_many_listed_group_v0(buffer, position, count)
    elif not count:
        message.groups = []
    else:
        raise Malformed
    message.throttle_time_ms = 0
    message.unknown_tags = None
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[ListGroupsResponse, int]:
    message = ListGroupsResponse.__new__(ListGroupsResponse)
    message.throttle_time_ms, message.error_code, count = _unpack_ihi(buffer, position)
    position += 10
    if count > 0:
        message.groups, position = _read_many_listed_group_v0(buffer, position, count)
    elif not count:
        message.groups = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_listed_group_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ListGroupsResponseListedGroup], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListGroupsResponseListedGroup] = []
    for _ in range(size):
        message = ListGroupsResponseListedGroup.__new__(ListGroupsResponseListedGroup)
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
        message.protocol_type = str(buffer[position:end], "utf-8")
        position = end
        tags = buffer[position]
        position += 1
        message.group_state = ""
        message.group_type = ""
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v3(buffer: Buffer, position: int) -> tuple[ListGroupsResponse, int]:
    message = ListGroupsResponse.__new__(ListGroupsResponse)
    message.throttle_time_ms, message.error_code, count = _unpack_ihB(buffer, position)
    position += 7
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.groups, position = _read_many_listed_group_v3(buffer, position, count - 1)
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


def _read_many_listed_group_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ListGroupsResponseListedGroup], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListGroupsResponseListedGroup] = []
    for _ in range(size):
        message = ListGroupsResponseListedGroup.__new__(ListGroupsResponseListedGroup)
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
        message.protocol_type = str(buffer[position:end], "utf-8")
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
        tags = buffer[position]
        position += 1
        message.group_type = ""
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v4(buffer: Buffer, position: int) -> tuple[ListGroupsResponse, int]:
    message = ListGroupsResponse.__new__(ListGroupsResponse)
    message.throttle_time_ms, message.error_code, count = _unpack_ihB(buffer, position)
    position += 7
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.groups, position = _read_many_listed_group_v4(buffer, position, count - 1)
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


def _read_many_listed_group_v5(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ListGroupsResponseListedGroup], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListGroupsResponseListedGroup] = []
    for _ in range(size):
        message = ListGroupsResponseListedGroup.__new__(ListGroupsResponseListedGroup)
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
        message.protocol_type = str(buffer[position:end], "utf-8")
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
        message.group_type = str(buffer[position:end], "utf-8")
        position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v5(buffer: Buffer, position: int) -> tuple[ListGroupsResponse, int]:
    message = ListGroupsResponse.__new__(ListGroupsResponse)
    message.throttle_time_ms, message.error_code, count = _unpack_ihB(buffer, position)
    position += 7
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.groups, position = _read_many_listed_group_v5(buffer, position, count - 1)
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


def _write_listed_group_v0(out: Pieces, message: ListGroupsResponseListedGroup) -> None:
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    protocol_type = message.protocol_type
    data = protocol_type.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: ListGroupsResponse) -> None:
    groups = message.groups
    count = len(groups)
    out.append(_pack_hi(message.error_code, count))
    for groups_item in groups:
        _write_listed_group_v0(out, groups_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v0(out: Pieces, message: ListGroupsResponse) -> Steps[None]:
    groups = message.groups
    count = len(groups)
    out.append(_pack_hi(message.error_code, count))
    for groups_item in groups:
        _write_listed_group_v0(out, groups_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: ListGroupsResponse) -> None:
    groups = message.groups
    count = len(groups)
    out.append(_pack_ihi(message.throttle_time_ms, message.error_code, count))
    for groups_item in groups:
        _write_listed_group_v0(out, groups_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v1(out: Pieces, message: ListGroupsResponse) -> Steps[None]:
    groups = message.groups
    count = len(groups)
    out.append(_pack_ihi(message.throttle_time_ms, message.error_code, count))
    for groups_item in groups:
        _write_listed_group_v0(out, groups_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_listed_group_v3(out: Pieces, message: ListGroupsResponseListedGroup) -> None:
    group_id = message.group_id
    data = group_id.encode()
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
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v3(out: Pieces, message: ListGroupsResponse) -> None:
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for groups_item in groups:
        _write_listed_group_v3(out, groups_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v3(out: Pieces, message: ListGroupsResponse) -> Steps[None]:
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for groups_item in groups:
        _write_listed_group_v3(out, groups_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_listed_group_v4(out: Pieces, message: ListGroupsResponseListedGroup) -> None:
    group_id = message.group_id
    data = group_id.encode()
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
    group_state = message.group_state
    data = group_state.encode()
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


def _write_v4(out: Pieces, message: ListGroupsResponse) -> None:
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for groups_item in groups:
        _write_listed_group_v4(out, groups_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v4(out: Pieces, message: ListGroupsResponse) -> Steps[None]:
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for groups_item in groups:
        _write_listed_group_v4(out, groups_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_listed_group_v5(out: Pieces, message: ListGroupsResponseListedGroup) -> None:
    group_id = message.group_id
    data = group_id.encode()
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
    group_state = message.group_state
    data = group_state.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    group_type = message.group_type
    data = group_type.encode()
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


def _write_v5(out: Pieces, message: ListGroupsResponse) -> None:
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for groups_item in groups:
        _write_listed_group_v5(out, groups_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v5(out: Pieces, message: ListGroupsResponse) -> Steps[None]:
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for groups_item in groups:
        _write_listed_group_v5(out, groups_item)
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
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v1,
    _write_v3,
    _write_v4,
    _write_v5,
)

_STEP_WRITERS = (
    _step_write_v0,
    _step_write_v1,
    _step_write_v1,
    _step_write_v3,
    _step_write_v4,
    _step_write_v5,
)


@cache
def _schema() -> MessageSchema:
    listed_group_struct = StructSchema(
        python_class=ListGroupsResponseListedGroup,
        fields=(
            FieldSchema(
                name="GroupId",
                attribute="group_id",
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
                name="GroupState",
                attribute="group_state",
                type="string",
                versions=(4, 32767),
                default="",
                ignorable=True,
            ),
            FieldSchema(
                name="GroupType",
                attribute="group_type",
                type="string",
                versions=(5, 32767),
                default="",
                ignorable=True,
            ),
        ),
    )
    list_groups_response_struct = StructSchema(
        python_class=ListGroupsResponse,
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
                name="Groups",
                attribute="groups",
                type="ListedGroup",
                struct=listed_group_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="ListGroupsResponse", flexible_from=3, root=list_groups_response_struct)
