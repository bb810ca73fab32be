"""DescribeGroupsRequest: versions 0-6, flexible from 5, api key 15.

Generated from api/DescribeGroupsRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    EMPTY,
    Budget,
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
_unpack_i = struct.Struct(">i").unpack_from
_pack_t = struct.Struct(">?").pack
_pack_tB = struct.Struct(">?B").pack
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack


class DescribeGroupsRequest(Message):
    """Request DescribeGroupsRequest."""

    __slots__ = ("groups", "include_authorized_operations", "unknown_tags")

    NAME: ClassVar[str] = "DescribeGroupsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 15
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 6
    FLEXIBLE_FROM: ClassVar[int | None] = 5
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)

    groups: list[str]
    """Versions 0+."""
    include_authorized_operations: bool
    """Versions 3+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        groups: list[str] = EMPTY,
        include_authorized_operations: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.groups = [] if groups is EMPTY else groups
        self.include_authorized_operations = include_authorized_operations
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeGroupsRequest)
            and self.groups == other.groups
            and self.include_authorized_operations == other.include_authorized_operations
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DescribeGroupsRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[DescribeGroupsRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[DescribeGroupsRequest, int]:
    message = DescribeGroupsRequest.__new__(DescribeGroupsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count < 0:
        raise Malformed
    groups: list[str] = []
    message.groups = groups
    if count > len(buffer) - position:
        raise Malformed
    for _ in range(count):
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        groups_item = str(buffer[position:end], "utf-8")
        position = end
        groups.append(groups_item)
    message.include_authorized_operations = False
    message.unknown_tags = None
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[DescribeGroupsRequest, int]]:
    message = DescribeGroupsRequest.__new__(DescribeGroupsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "DescribeGroupsRequest.groups")
    if count < 0:
        raise Malformed
    groups: list[str] = []
    message.groups = groups
    if count > len(buffer) - position:
        raise Malformed
    for _ in range(count):
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        groups_item = str(buffer[position:end], "utf-8")
        position = end
        groups.append(groups_item)
        yield
    message.include_authorized_operations = False
    message.unknown_tags = None
    return message, position


def _read_v3(buffer: Buffer, position: int) -> tuple[DescribeGroupsRequest, int]:
    message = DescribeGroupsRequest.__new__(DescribeGroupsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count < 0:
        raise Malformed
    groups: list[str] = []
    message.groups = groups
    if count > len(buffer) - position:
        raise Malformed
    for _ in range(count):
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        groups_item = str(buffer[position:end], "utf-8")
        position = end
        groups.append(groups_item)
    message.include_authorized_operations = buffer[position] != 0
    position += 1
    message.unknown_tags = None
    return message, position


def _step_v3(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[DescribeGroupsRequest, int]]:
    message = DescribeGroupsRequest.__new__(DescribeGroupsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "DescribeGroupsRequest.groups")
    if count < 0:
        raise Malformed
    groups: list[str] = []
    message.groups = groups
    if count > len(buffer) - position:
        raise Malformed
    for _ in range(count):
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        groups_item = str(buffer[position:end], "utf-8")
        position = end
        groups.append(groups_item)
        yield
    message.include_authorized_operations = buffer[position] != 0
    position += 1
    message.unknown_tags = None
    return message, position


def _read_v5(buffer: Buffer, position: int) -> tuple[DescribeGroupsRequest, int]:
    message = DescribeGroupsRequest.__new__(DescribeGroupsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    groups: list[str] = []
    message.groups = groups
    if count - 1 > len(buffer) - position:
        raise Malformed
    for _ in range(1, count):
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        groups_item = str(buffer[position:end], "utf-8")
        position = end
        groups.append(groups_item)
    message.include_authorized_operations, tags = _unpack_tB(buffer, position)
    position += 2
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v5(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[DescribeGroupsRequest, int]]:
    message = DescribeGroupsRequest.__new__(DescribeGroupsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "DescribeGroupsRequest.groups")
    if not count:
        raise Malformed
    groups: list[str] = []
    message.groups = groups
    if count - 1 > len(buffer) - position:
        raise Malformed
    for _ in range(1, count):
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        groups_item = str(buffer[position:end], "utf-8")
        position = end
        groups.append(groups_item)
        yield
    message.include_authorized_operations, tags = _unpack_tB(buffer, position)
    position += 2
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_v0(out: Pieces, message: DescribeGroupsRequest) -> None:
    if message.include_authorized_operations:
        raise Malformed
    groups = message.groups
    count = len(groups)
    out.append(_pack_i(count))
    for groups_item in groups:
        data = groups_item.encode()
        length = len(data)
        out.append(_pack_h(length))
        out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_v3(out: Pieces, message: DescribeGroupsRequest) -> None:
    groups = message.groups
    count = len(groups)
    out.append(_pack_i(count))
    for groups_item in groups:
        data = groups_item.encode()
        length = len(data)
        out.append(_pack_h(length))
        out.append(data)
    out.append(_pack_t(message.include_authorized_operations))
    if message.unknown_tags:
        raise Malformed


def _write_v5(out: Pieces, message: DescribeGroupsRequest) -> None:
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for groups_item in groups:
        data = groups_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
    if message.unknown_tags:
        out.append(_pack_t(message.include_authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_tB(message.include_authorized_operations, 0))


_READERS = (
    _read_v0,
    _read_v0,
    _read_v0,
    _read_v3,
    _read_v3,
    _read_v5,
    _read_v5,
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v0,
    _write_v3,
    _write_v3,
    _write_v5,
    _write_v5,
)

_STEP_READERS = (
    _step_v0,
    _step_v0,
    _step_v0,
    _step_v3,
    _step_v3,
    _step_v5,
    _step_v5,
)


@cache
def _schema() -> MessageSchema:
    describe_groups_request_struct = StructSchema(
        python_class=DescribeGroupsRequest,
        fields=(
            FieldSchema(
                name="Groups",
                attribute="groups",
                type="string",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="IncludeAuthorizedOperations",
                attribute="include_authorized_operations",
                type="bool",
                versions=(3, 32767),
                default=False,
            ),
        ),
    )
    return MessageSchema(name="DescribeGroupsRequest", flexible_from=5, root=describe_groups_request_struct)
