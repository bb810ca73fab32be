"""StreamsGroupDescribeRequest: versions 0-1, flexible from 0, api key 89.

Generated from api/StreamsGroupDescribeRequest.json by codegen; change the schema, not this file.
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

_unpack_ttB = struct.Struct(">??B").unpack_from
_unpack_tB = struct.Struct(">?B").unpack_from
_pack_t = struct.Struct(">?").pack
_pack_tt = struct.Struct(">??").pack
_pack_ttB = struct.Struct(">??B").pack
_pack_tB = struct.Struct(">?B").pack


class StreamsGroupDescribeRequest(Message):
    """Request StreamsGroupDescribeRequest."""

    __slots__ = (
        "group_ids",
        "include_authorized_operations",
        "include_topology_description",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "StreamsGroupDescribeRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 89
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)

    group_ids: list[str]
    """Versions 0+."""
    include_authorized_operations: bool
    """Versions 0+."""
    include_topology_description: bool
    """Versions 1+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        group_ids: list[str] = EMPTY,
        include_authorized_operations: bool = False,
        include_topology_description: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.group_ids = [] if group_ids is EMPTY else group_ids
        self.include_authorized_operations = include_authorized_operations
        self.include_topology_description = include_topology_description
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupDescribeRequest)
            and self.group_ids == other.group_ids
            and self.include_authorized_operations == other.include_authorized_operations
            and self.include_topology_description == other.include_topology_description
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[StreamsGroupDescribeRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[StreamsGroupDescribeRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[StreamsGroupDescribeRequest, int]:
    message = StreamsGroupDescribeRequest.__new__(StreamsGroupDescribeRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    group_ids: list[str] = []
    message.group_ids = group_ids
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
        group_ids_item = str(buffer[position:end], "utf-8")
        position = end
        group_ids.append(group_ids_item)
    message.include_authorized_operations, tags = _unpack_tB(buffer, position)
    position += 2
    message.include_topology_description = False
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[StreamsGroupDescribeRequest, int]]:
    message = StreamsGroupDescribeRequest.__new__(StreamsGroupDescribeRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "StreamsGroupDescribeRequest.group_ids")
    if not count:
        raise Malformed
    group_ids: list[str] = []
    message.group_ids = group_ids
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
        group_ids_item = str(buffer[position:end], "utf-8")
        position = end
        group_ids.append(group_ids_item)
        yield
    message.include_authorized_operations, tags = _unpack_tB(buffer, position)
    position += 2
    message.include_topology_description = False
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[StreamsGroupDescribeRequest, int]:
    message = StreamsGroupDescribeRequest.__new__(StreamsGroupDescribeRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    group_ids: list[str] = []
    message.group_ids = group_ids
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
        group_ids_item = str(buffer[position:end], "utf-8")
        position = end
        group_ids.append(group_ids_item)
    (
        message.include_authorized_operations,
        message.include_topology_description,
        tags,
    ) = _unpack_ttB(buffer, position)
    position += 3
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[StreamsGroupDescribeRequest, int]]:
    message = StreamsGroupDescribeRequest.__new__(StreamsGroupDescribeRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "StreamsGroupDescribeRequest.group_ids")
    if not count:
        raise Malformed
    group_ids: list[str] = []
    message.group_ids = group_ids
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
        group_ids_item = str(buffer[position:end], "utf-8")
        position = end
        group_ids.append(group_ids_item)
        yield
    (
        message.include_authorized_operations,
        message.include_topology_description,
        tags,
    ) = _unpack_ttB(buffer, position)
    position += 3
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_v0(out: Pieces, message: StreamsGroupDescribeRequest) -> None:
    if message.include_topology_description:
        raise Malformed
    group_ids = message.group_ids
    count = len(group_ids) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for group_ids_item in group_ids:
        data = group_ids_item.encode()
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


def _write_v1(out: Pieces, message: StreamsGroupDescribeRequest) -> None:
    group_ids = message.group_ids
    count = len(group_ids) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for group_ids_item in group_ids:
        data = group_ids_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
    if message.unknown_tags:
        out.append(_pack_tt(message.include_authorized_operations, message.include_topology_description))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_ttB(message.include_authorized_operations, message.include_topology_description, 0))


_READERS = (
    _read_v0,
    _read_v1,
)

_WRITERS = (
    _write_v0,
    _write_v1,
)

_STEP_READERS = (
    _step_v0,
    _step_v1,
)


@cache
def _schema() -> MessageSchema:
    streams_group_describe_request_struct = StructSchema(
        python_class=StreamsGroupDescribeRequest,
        fields=(
            FieldSchema(
                name="GroupIds",
                attribute="group_ids",
                type="string",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="IncludeAuthorizedOperations",
                attribute="include_authorized_operations",
                type="bool",
                versions=(0, 32767),
                default=False,
            ),
            FieldSchema(
                name="IncludeTopologyDescription",
                attribute="include_topology_description",
                type="bool",
                versions=(1, 32767),
                default=False,
            ),
        ),
    )
    return MessageSchema(
        name="StreamsGroupDescribeRequest",
        flexible_from=0,
        root=streams_group_describe_request_struct,
    )
