"""DeleteAclsRequest: versions 1-3, flexible from 2, api key 31.

Generated from api/DeleteAclsRequest.json by codegen; change the schema, not this file.
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

_unpack_bB = struct.Struct(">bB").unpack_from
_unpack_bb = struct.Struct(">bb").unpack_from
_unpack_bbB = struct.Struct(">bbB").unpack_from
_unpack_bh = struct.Struct(">bh").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_pack_b = struct.Struct(">b").pack
_pack_bB = struct.Struct(">bB").pack
_pack_bb = struct.Struct(">bb").pack
_pack_bbB = struct.Struct(">bbB").pack
_pack_bh = struct.Struct(">bh").pack
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack


class DeleteAclsRequestDeleteAclsFilter(Struct):
    """DeleteAclsFilter of DeleteAclsRequest."""

    __slots__ = (
        "resource_type_filter",
        "resource_name_filter",
        "pattern_type_filter",
        "principal_filter",
        "host_filter",
        "operation",
        "permission_type",
        "unknown_tags",
    )

    resource_type_filter: int
    """Versions 0+."""
    resource_name_filter: str | None
    """Versions 0+, null in 0+."""
    pattern_type_filter: int
    """Versions 1+."""
    principal_filter: str | None
    """Versions 0+, null in 0+."""
    host_filter: str | None
    """Versions 0+, null in 0+."""
    operation: int
    """Versions 0+."""
    permission_type: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        resource_type_filter: int = 0,
        resource_name_filter: str | None = "",
        pattern_type_filter: int = 3,
        principal_filter: str | None = "",
        host_filter: str | None = "",
        operation: int = 0,
        permission_type: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.resource_type_filter = resource_type_filter
        self.resource_name_filter = resource_name_filter
        self.pattern_type_filter = pattern_type_filter
        self.principal_filter = principal_filter
        self.host_filter = host_filter
        self.operation = operation
        self.permission_type = permission_type
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DeleteAclsRequestDeleteAclsFilter)
            and self.resource_type_filter == other.resource_type_filter
            and self.resource_name_filter == other.resource_name_filter
            and self.pattern_type_filter == other.pattern_type_filter
            and self.principal_filter == other.principal_filter
            and self.host_filter == other.host_filter
            and self.operation == other.operation
            and self.permission_type == other.permission_type
            and self.unknown_tags == other.unknown_tags
        )



class DeleteAclsRequest(Message):
    """Request DeleteAclsRequest."""

    __slots__ = ("filters", "unknown_tags")

    NAME: ClassVar[str] = "DeleteAclsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 31
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker", "controller",)
    DeleteAclsFilter: TypeAlias = DeleteAclsRequestDeleteAclsFilter

    filters: list[DeleteAclsRequestDeleteAclsFilter]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        filters: list[DeleteAclsRequestDeleteAclsFilter] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.filters = [] if filters is EMPTY else filters
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DeleteAclsRequest)
            and self.filters == other.filters
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DeleteAclsRequest, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[DeleteAclsRequest, int]] | None:
        read = _STEP_READERS[version - 1]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_delete_acls_filter_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DeleteAclsRequestDeleteAclsFilter], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteAclsRequestDeleteAclsFilter] = []
    for _ in range(size):
        message = DeleteAclsRequestDeleteAclsFilter.__new__(DeleteAclsRequestDeleteAclsFilter)
        message.resource_type_filter, length = _unpack_bh(buffer, position)
        position += 3
        if length < 0:
            message.resource_name_filter = None
        else:
            end = position + length
            message.resource_name_filter = str(buffer[position:end], "utf-8")
            position = end
        message.pattern_type_filter, length = _unpack_bh(buffer, position)
        position += 3
        if length < 0:
            message.principal_filter = None
        else:
            end = position + length
            message.principal_filter = str(buffer[position:end], "utf-8")
            position = end
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            message.host_filter = None
        else:
            end = position + length
            message.host_filter = str(buffer[position:end], "utf-8")
            position = end
        message.operation, message.permission_type = _unpack_bb(buffer, position)
        position += 2
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[DeleteAclsRequest, int]:
    message = DeleteAclsRequest.__new__(DeleteAclsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.filters, position = _read_many_delete_acls_filter_v1(buffer, position, count)
    elif not count:
        message.filters = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[DeleteAclsRequest, int]]:
    message = DeleteAclsRequest.__new__(DeleteAclsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "DeleteAclsRequest.filters")
    if count > 0:
        if count > ELEMENTS_A_STEP:
            message.filters, position = yield from read_pieces(
                _read_many_delete_acls_filter_v1,
                buffer,
                position,
                count,
                budget,
            )
        else:
            message.filters, position = _read_many_delete_acls_filter_v1(buffer, position, count)
            budget.take_tags(message.filters)
    elif not count:
        message.filters = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_delete_acls_filter_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DeleteAclsRequestDeleteAclsFilter], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteAclsRequestDeleteAclsFilter] = []
    for _ in range(size):
        message = DeleteAclsRequestDeleteAclsFilter.__new__(DeleteAclsRequestDeleteAclsFilter)
        message.resource_type_filter, length = _unpack_bB(buffer, position)
        position += 2
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.resource_name_filter = None
        else:
            end = position + length - 1
            message.resource_name_filter = str(buffer[position:end], "utf-8")
            position = end
        message.pattern_type_filter, length = _unpack_bB(buffer, position)
        position += 2
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.principal_filter = None
        else:
            end = position + length - 1
            message.principal_filter = str(buffer[position:end], "utf-8")
            position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.host_filter = None
        else:
            end = position + length - 1
            message.host_filter = str(buffer[position:end], "utf-8")
            position = end
        message.operation, message.permission_type, tags = _unpack_bbB(buffer, position)
        position += 3
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v2(buffer: Buffer, position: int) -> tuple[DeleteAclsRequest, int]:
    message = DeleteAclsRequest.__new__(DeleteAclsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.filters, position = _read_many_delete_acls_filter_v2(buffer, position, count - 1)
    elif count:
        message.filters = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v2(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[DeleteAclsRequest, int]]:
    message = DeleteAclsRequest.__new__(DeleteAclsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "DeleteAclsRequest.filters")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.filters, position = yield from read_pieces(
                _read_many_delete_acls_filter_v2,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.filters, position = _read_many_delete_acls_filter_v2(buffer, position, count - 1)
            budget.take_tags(message.filters)
    elif count:
        message.filters = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_delete_acls_filter_v1(out: Pieces, message: DeleteAclsRequestDeleteAclsFilter) -> None:
    resource_name_filter = message.resource_name_filter
    if resource_name_filter is None:
        data = b""
        length = -1
    else:
        data = resource_name_filter.encode()
        length = len(data)
    out.append(_pack_bh(message.resource_type_filter, length))
    out.append(data)
    principal_filter = message.principal_filter
    if principal_filter is None:
        data = b""
        length = -1
    else:
        data = principal_filter.encode()
        length = len(data)
    out.append(_pack_bh(message.pattern_type_filter, length))
    out.append(data)
    host_filter = message.host_filter
    if host_filter is None:
        data = b""
        length = -1
    else:
        data = host_filter.encode()
        length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    out.append(_pack_bb(message.operation, message.permission_type))
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: DeleteAclsRequest) -> None:
    filters = message.filters
    count = len(filters)
    out.append(_pack_i(count))
    for filters_item in filters:
        _write_delete_acls_filter_v1(out, filters_item)
    if message.unknown_tags:
        raise Malformed


def _write_delete_acls_filter_v2(out: Pieces, message: DeleteAclsRequestDeleteAclsFilter) -> None:
    resource_name_filter = message.resource_name_filter
    if resource_name_filter is None:
        data = b""
        length = 0
    else:
        data = resource_name_filter.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_bB(message.resource_type_filter, length))
    else:
        out.append(_pack_b(message.resource_type_filter))
        out.append(pack_string_length(length))
    out.append(data)
    principal_filter = message.principal_filter
    if principal_filter is None:
        data = b""
        length = 0
    else:
        data = principal_filter.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_bB(message.pattern_type_filter, length))
    else:
        out.append(_pack_b(message.pattern_type_filter))
        out.append(pack_string_length(length))
    out.append(data)
    host_filter = message.host_filter
    if host_filter is None:
        data = b""
        length = 0
    else:
        data = host_filter.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_bb(message.operation, message.permission_type))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_bbB(message.operation, message.permission_type, 0))


def _write_v2(out: Pieces, message: DeleteAclsRequest) -> None:
    filters = message.filters
    count = len(filters) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for filters_item in filters:
        _write_delete_acls_filter_v2(out, filters_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v1,
    _read_v2,
    _read_v2,
)

_WRITERS = (
    _write_v1,
    _write_v2,
    _write_v2,
)

_STEP_READERS = (
    _step_v1,
    _step_v2,
    _step_v2,
)


@cache
def _schema() -> MessageSchema:
    delete_acls_filter_struct = StructSchema(
        python_class=DeleteAclsRequestDeleteAclsFilter,
        fields=(
            FieldSchema(
                name="ResourceTypeFilter",
                attribute="resource_type_filter",
                type="int8",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ResourceNameFilter",
                attribute="resource_name_filter",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="PatternTypeFilter",
                attribute="pattern_type_filter",
                type="int8",
                versions=(1, 32767),
                default=3,
            ),
            FieldSchema(
                name="PrincipalFilter",
                attribute="principal_filter",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="HostFilter",
                attribute="host_filter",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Operation",
                attribute="operation",
                type="int8",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="PermissionType",
                attribute="permission_type",
                type="int8",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    delete_acls_request_struct = StructSchema(
        python_class=DeleteAclsRequest,
        fields=(
            FieldSchema(
                name="Filters",
                attribute="filters",
                type="DeleteAclsFilter",
                struct=delete_acls_filter_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="DeleteAclsRequest", flexible_from=2, root=delete_acls_request_struct)
