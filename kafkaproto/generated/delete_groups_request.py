"""DeleteGroupsRequest: versions 0-2, flexible from 2, api key 42.

Generated from api/DeleteGroupsRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.primitives import read_unsigned_varint, write_unsigned_varint
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    EMPTY,
    Buffer,
    Malformed,
    read_string_length,
    read_unknown_tags,
    write_string_length,
    write_tag_section,
)

_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack


class DeleteGroupsRequest(Message):
    """Request DeleteGroupsRequest."""

    __slots__ = ("groups_names", "unknown_tags")

    NAME: ClassVar[str] = "DeleteGroupsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 42
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)

    groups_names: list[str]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        groups_names: list[str] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.groups_names = [] if groups_names is EMPTY else groups_names
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DeleteGroupsRequest)
            and self.groups_names == other.groups_names
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DeleteGroupsRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: bytearray, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[DeleteGroupsRequest, int]:
    groups_names: list[str]
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count < 0:
        raise Malformed
    if count > len(buffer) - position:
        raise Malformed
    groups_names = []
    for _ in range(count):
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        groups_names_item = str(buffer[position:end], "utf-8")
        position = end
        groups_names.append(groups_names_item)
    return DeleteGroupsRequest(groups_names), position


def _read_v2(buffer: Buffer, position: int) -> tuple[DeleteGroupsRequest, int]:
    groups_names: list[str]
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_unsigned_varint(buffer, position - 1)
    if not count:
        raise Malformed
    count -= 1
    if count > len(buffer) - position:
        raise Malformed
    groups_names = []
    for _ in range(count):
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position - 1)
        if not length:
            raise Malformed
        end = position + length - 1
        groups_names_item = str(buffer[position:end], "utf-8")
        position = end
        groups_names.append(groups_names_item)
    tags = buffer[position]
    position += 1
    unknown: dict[int, bytes] | None = None
    if tags:
        unknown, position = read_unknown_tags(buffer, position - 1)
    return DeleteGroupsRequest(groups_names, unknown), position


def _write_v0(out: bytearray, message: DeleteGroupsRequest) -> None:
    groups_names = message.groups_names
    count = len(groups_names)
    out += _pack_i(count)
    for groups_names_item in groups_names:
        data = groups_names_item.encode()
        length = len(data)
        out += _pack_h(length)
        out += data
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: bytearray, message: DeleteGroupsRequest) -> None:
    groups_names = message.groups_names
    count = len(groups_names) + 1
    if count < 128:
        out.append(count)
    else:
        write_unsigned_varint(out, count)
    for groups_names_item in groups_names:
        data = groups_names_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(length)
        else:
            write_string_length(out, length)
        out += data
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(0)


_READERS = (
    _read_v0,
    _read_v0,
    _read_v2,
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v2,
)


@cache
def _schema() -> MessageSchema:
    delete_groups_request_struct = StructSchema(
        python_class=DeleteGroupsRequest,
        fields=(
            FieldSchema(
                name="GroupsNames",
                attribute="groups_names",
                type="string",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="DeleteGroupsRequest", flexible_from=2, root=delete_groups_request_struct)
