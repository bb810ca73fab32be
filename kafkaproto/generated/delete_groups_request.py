"""DeleteGroupsRequest: versions 0-3, flexible from 2, api key 42.

Generated from api/DeleteGroupsRequest.json by codegen; change the schema, not this file.
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
    MAX_VERSION: ClassVar[int] = 3
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

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[DeleteGroupsRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[DeleteGroupsRequest, int]:
    message = DeleteGroupsRequest.__new__(DeleteGroupsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count < 0:
        raise Malformed
    groups_names: list[str] = []
    message.groups_names = groups_names
    if count > len(buffer) - position:
        raise Malformed
    for _ in range(count):
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        groups_names_item = str(buffer[position:end], "utf-8")
        position = end
        groups_names.append(groups_names_item)
    message.unknown_tags = None
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[DeleteGroupsRequest, int]]:
    message = DeleteGroupsRequest.__new__(DeleteGroupsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "DeleteGroupsRequest.groups_names")
    if count < 0:
        raise Malformed
    groups_names: list[str] = []
    message.groups_names = groups_names
    if count > len(buffer) - position:
        raise Malformed
    for _ in range(count):
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        groups_names_item = str(buffer[position:end], "utf-8")
        position = end
        groups_names.append(groups_names_item)
        yield
    message.unknown_tags = None
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[DeleteGroupsRequest, int]:
    message = DeleteGroupsRequest.__new__(DeleteGroupsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    groups_names: list[str] = []
    message.groups_names = groups_names
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
        groups_names_item = str(buffer[position:end], "utf-8")
        position = end
        groups_names.append(groups_names_item)
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v2(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[DeleteGroupsRequest, int]]:
    message = DeleteGroupsRequest.__new__(DeleteGroupsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "DeleteGroupsRequest.groups_names")
    if not count:
        raise Malformed
    groups_names: list[str] = []
    message.groups_names = groups_names
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
        groups_names_item = str(buffer[position:end], "utf-8")
        position = end
        groups_names.append(groups_names_item)
        yield
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_v0(out: Pieces, message: DeleteGroupsRequest) -> None:
    groups_names = message.groups_names
    count = len(groups_names)
    out.append(_pack_i(count))
    for groups_names_item in groups_names:
        data = groups_names_item.encode()
        length = len(data)
        out.append(_pack_h(length))
        out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: Pieces, message: DeleteGroupsRequest) -> None:
    groups_names = message.groups_names
    count = len(groups_names) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for groups_names_item in groups_names:
        data = groups_names_item.encode()
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


_READERS = (
    _read_v0,
    _read_v0,
    _read_v2,
    _read_v2,
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v2,
    _write_v2,
)

_STEP_READERS = (
    _step_v0,
    _step_v0,
    _step_v2,
    _step_v2,
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
