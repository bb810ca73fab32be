"""DeleteAclsResponse: versions 1-3, flexible from 2, api key 31.

Generated from api/DeleteAclsResponse.json by codegen; change the schema, not this file.
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

_unpack_bB = struct.Struct(">bB").unpack_from
_unpack_bb = struct.Struct(">bb").unpack_from
_unpack_bbB = struct.Struct(">bbB").unpack_from
_unpack_bh = struct.Struct(">bh").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_unpack_hB = struct.Struct(">hB").unpack_from
_unpack_hh = struct.Struct(">hh").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ii = struct.Struct(">ii").unpack_from
_pack_b = struct.Struct(">b").pack
_pack_bB = struct.Struct(">bB").pack
_pack_bb = struct.Struct(">bb").pack
_pack_bbB = struct.Struct(">bbB").pack
_pack_bh = struct.Struct(">bh").pack
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_hh = struct.Struct(">hh").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ii = struct.Struct(">ii").pack


class DeleteAclsResponseDeleteAclsMatchingAcl(Struct):
    """DeleteAclsMatchingAcl of DeleteAclsResponse."""

    __slots__ = (
        "error_code",
        "error_message",
        "resource_type",
        "resource_name",
        "pattern_type",
        "principal",
        "host",
        "operation",
        "permission_type",
        "unknown_tags",
    )

    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    resource_type: int
    """Versions 0+."""
    resource_name: str
    """Versions 0+."""
    pattern_type: int
    """Versions 1+."""
    principal: str
    """Versions 0+."""
    host: str
    """Versions 0+."""
    operation: int
    """Versions 0+."""
    permission_type: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        resource_type: int = 0,
        resource_name: str = "",
        pattern_type: int = 3,
        principal: str = "",
        host: str = "",
        operation: int = 0,
        permission_type: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.pattern_type = pattern_type
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DeleteAclsResponseDeleteAclsMatchingAcl)
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.resource_type == other.resource_type
            and self.resource_name == other.resource_name
            and self.pattern_type == other.pattern_type
            and self.principal == other.principal
            and self.host == other.host
            and self.operation == other.operation
            and self.permission_type == other.permission_type
            and self.unknown_tags == other.unknown_tags
        )



class DeleteAclsResponseDeleteAclsFilterResult(Struct):
    """DeleteAclsFilterResult of DeleteAclsResponse."""

    __slots__ = ("error_code", "error_message", "matching_acls", "unknown_tags")

    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    matching_acls: list[DeleteAclsResponseDeleteAclsMatchingAcl]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        matching_acls: list[DeleteAclsResponseDeleteAclsMatchingAcl] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.matching_acls = [] if matching_acls is EMPTY else matching_acls
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DeleteAclsResponseDeleteAclsFilterResult)
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.matching_acls == other.matching_acls
            and self.unknown_tags == other.unknown_tags
        )



class DeleteAclsResponse(Message):
    """Response DeleteAclsResponse."""

    __slots__ = ("throttle_time_ms", "filter_results", "unknown_tags")

    NAME: ClassVar[str] = "DeleteAclsResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 31
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    DeleteAclsMatchingAcl: TypeAlias = DeleteAclsResponseDeleteAclsMatchingAcl
    DeleteAclsFilterResult: TypeAlias = DeleteAclsResponseDeleteAclsFilterResult

    throttle_time_ms: int
    """Versions 0+."""
    filter_results: list[DeleteAclsResponseDeleteAclsFilterResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        filter_results: list[DeleteAclsResponseDeleteAclsFilterResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.filter_results = [] if filter_results is EMPTY else filter_results
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DeleteAclsResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.filter_results == other.filter_results
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DeleteAclsResponse, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    def _step_write(self, out: Pieces, version: int) -> Steps[None] | None:
        write = _STEP_WRITERS[version - 1]
        return None if write is None else write(out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_delete_acls_matching_acl_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DeleteAclsResponseDeleteAclsMatchingAcl], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteAclsResponseDeleteAclsMatchingAcl] = []
    for _ in range(size):
        message = DeleteAclsResponseDeleteAclsMatchingAcl.__new__(DeleteAclsResponseDeleteAclsMatchingAcl)
        message.error_code, length = _unpack_hh(buffer, position)
        position += 4
        if length < 0:
            message.error_message = None
        else:
            end = position + length
            message.error_message = str(buffer[position:end], "utf-8")
            position = end
        message.resource_type, length = _unpack_bh(buffer, position)
        position += 3
        if length < 0:
            raise Malformed
        end = position + length
        message.resource_name = str(buffer[position:end], "utf-8")
        position = end
        message.pattern_type, length = _unpack_bh(buffer, position)
        position += 3
        if length < 0:
            raise Malformed
        end = position + length
        message.principal = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.host = str(buffer[position:end], "utf-8")
        position = end
        message.operation, message.permission_type = _unpack_bb(buffer, position)
        position += 2
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_delete_acls_filter_result_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DeleteAclsResponseDeleteAclsFilterResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteAclsResponseDeleteAclsFilterResult] = []
    for _ in range(size):
        message = DeleteAclsResponseDeleteAclsFilterResult.__new__(DeleteAclsResponseDeleteAclsFilterResult)
        message.error_code, length = _unpack_hh(buffer, position)
        position += 4
        if length < 0:
            message.error_message = None
        else:
            end = position + length
            message.error_message = str(buffer[position:end], "utf-8")
            position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.matching_acls, position = _read_many_delete_acls_matching_acl_v1(buffer, position, count)
        elif not count:
            message.matching_acls = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[DeleteAclsResponse, int]:
    message = DeleteAclsResponse.__new__(DeleteAclsResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.filter_results, position = _read_many_delete_acls_filter_result_v1(buffer, position, count)
    elif not count:
        message.filter_results = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_delete_acls_matching_acl_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DeleteAclsResponseDeleteAclsMatchingAcl], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteAclsResponseDeleteAclsMatchingAcl] = []
    for _ in range(size):
        message = DeleteAclsResponseDeleteAclsMatchingAcl.__new__(DeleteAclsResponseDeleteAclsMatchingAcl)
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
        message.resource_type, length = _unpack_bB(buffer, position)
        position += 2
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.resource_name = str(buffer[position:end], "utf-8")
        position = end
        message.pattern_type, length = _unpack_bB(buffer, position)
        position += 2
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.principal = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.host = str(buffer[position:end], "utf-8")
        position = end
        message.operation, message.permission_type, tags = _unpack_bbB(buffer, position)
        position += 3
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_delete_acls_filter_result_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DeleteAclsResponseDeleteAclsFilterResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteAclsResponseDeleteAclsFilterResult] = []
    for _ in range(size):
        message = DeleteAclsResponseDeleteAclsFilterResult.__new__(DeleteAclsResponseDeleteAclsFilterResult)
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
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.matching_acls, position = _read_many_delete_acls_matching_acl_v2(buffer, position, count - 1)
        elif count:
            message.matching_acls = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v2(buffer: Buffer, position: int) -> tuple[DeleteAclsResponse, int]:
    message = DeleteAclsResponse.__new__(DeleteAclsResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.filter_results, position = _read_many_delete_acls_filter_result_v2(buffer, position, count - 1)
    elif count:
        message.filter_results = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_delete_acls_matching_acl_v1(out: Pieces, message: DeleteAclsResponseDeleteAclsMatchingAcl) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = -1
    else:
        data = error_message.encode()
        length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    resource_name = message.resource_name
    data = resource_name.encode()
    length = len(data)
    out.append(_pack_bh(message.resource_type, length))
    out.append(data)
    principal = message.principal
    data = principal.encode()
    length = len(data)
    out.append(_pack_bh(message.pattern_type, length))
    out.append(data)
    host = message.host
    data = host.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    out.append(_pack_bb(message.operation, message.permission_type))
    if message.unknown_tags:
        raise Malformed


def _write_delete_acls_filter_result_v1(
    out: Pieces,
    message: DeleteAclsResponseDeleteAclsFilterResult,
) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = -1
    else:
        data = error_message.encode()
        length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    matching_acls = message.matching_acls
    count = len(matching_acls)
    out.append(_pack_i(count))
    for matching_acls_item in matching_acls:
        _write_delete_acls_matching_acl_v1(out, matching_acls_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_delete_acls_filter_result_v1(
    out: Pieces,
    message: DeleteAclsResponseDeleteAclsFilterResult,
) -> Steps[None]:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = -1
    else:
        data = error_message.encode()
        length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    matching_acls = message.matching_acls
    count = len(matching_acls)
    out.append(_pack_i(count))
    for matching_acls_item in matching_acls:
        _write_delete_acls_matching_acl_v1(out, matching_acls_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: DeleteAclsResponse) -> None:
    filter_results = message.filter_results
    count = len(filter_results)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for filter_results_item in filter_results:
        _write_delete_acls_filter_result_v1(out, filter_results_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v1(out: Pieces, message: DeleteAclsResponse) -> Steps[None]:
    filter_results = message.filter_results
    count = len(filter_results)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for filter_results_item in filter_results:
        yield from _step_write_delete_acls_filter_result_v1(out, filter_results_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_delete_acls_matching_acl_v2(out: Pieces, message: DeleteAclsResponseDeleteAclsMatchingAcl) -> None:
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
    resource_name = message.resource_name
    data = resource_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_bB(message.resource_type, length))
    else:
        out.append(_pack_b(message.resource_type))
        out.append(pack_string_length(length))
    out.append(data)
    principal = message.principal
    data = principal.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_bB(message.pattern_type, length))
    else:
        out.append(_pack_b(message.pattern_type))
        out.append(pack_string_length(length))
    out.append(data)
    host = message.host
    data = host.encode()
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


def _write_delete_acls_filter_result_v2(
    out: Pieces,
    message: DeleteAclsResponseDeleteAclsFilterResult,
) -> None:
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
    matching_acls = message.matching_acls
    count = len(matching_acls) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for matching_acls_item in matching_acls:
        _write_delete_acls_matching_acl_v2(out, matching_acls_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_delete_acls_filter_result_v2(
    out: Pieces,
    message: DeleteAclsResponseDeleteAclsFilterResult,
) -> Steps[None]:
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
    matching_acls = message.matching_acls
    count = len(matching_acls) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for matching_acls_item in matching_acls:
        _write_delete_acls_matching_acl_v2(out, matching_acls_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v2(out: Pieces, message: DeleteAclsResponse) -> None:
    filter_results = message.filter_results
    count = len(filter_results) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for filter_results_item in filter_results:
        _write_delete_acls_filter_result_v2(out, filter_results_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v2(out: Pieces, message: DeleteAclsResponse) -> Steps[None]:
    filter_results = message.filter_results
    count = len(filter_results) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for filter_results_item in filter_results:
        yield from _step_write_delete_acls_filter_result_v2(out, filter_results_item)
        yield
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

_STEP_WRITERS = (
    _step_write_v1,
    _step_write_v2,
    _step_write_v2,
)


@cache
def _schema() -> MessageSchema:
    delete_acls_matching_acl_struct = StructSchema(
        python_class=DeleteAclsResponseDeleteAclsMatchingAcl,
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
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="ResourceType",
                attribute="resource_type",
                type="int8",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ResourceName",
                attribute="resource_name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="PatternType",
                attribute="pattern_type",
                type="int8",
                versions=(1, 32767),
                default=3,
            ),
            FieldSchema(
                name="Principal",
                attribute="principal",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Host",
                attribute="host",
                type="string",
                versions=(0, 32767),
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
    delete_acls_filter_result_struct = StructSchema(
        python_class=DeleteAclsResponseDeleteAclsFilterResult,
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
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="MatchingAcls",
                attribute="matching_acls",
                type="DeleteAclsMatchingAcl",
                struct=delete_acls_matching_acl_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    delete_acls_response_struct = StructSchema(
        python_class=DeleteAclsResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="FilterResults",
                attribute="filter_results",
                type="DeleteAclsFilterResult",
                struct=delete_acls_filter_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="DeleteAclsResponse", flexible_from=2, root=delete_acls_response_struct)
