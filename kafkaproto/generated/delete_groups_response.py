"""DeleteGroupsResponse: versions 0-3, flexible from 2, api key 42.

Generated from api/DeleteGroupsResponse.json by codegen; change the schema, not this file.
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
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ii = struct.Struct(">ii").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ii = struct.Struct(">ii").pack


class DeleteGroupsResponseDeletableGroupResult(Struct):
    """DeletableGroupResult of DeleteGroupsResponse."""

    __slots__ = ("group_id", "error_code", "error_message", "unknown_tags")

    group_id: str
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 3+, null in 3+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        group_id: str = "",
        error_code: int = 0,
        error_message: str | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.group_id = group_id
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DeleteGroupsResponseDeletableGroupResult)
            and self.group_id == other.group_id
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.unknown_tags == other.unknown_tags
        )



class DeleteGroupsResponse(Message):
    """Response DeleteGroupsResponse."""

    __slots__ = ("throttle_time_ms", "results", "unknown_tags")

    NAME: ClassVar[str] = "DeleteGroupsResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 42
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    DeletableGroupResult: TypeAlias = DeleteGroupsResponseDeletableGroupResult

    throttle_time_ms: int
    """Versions 0+."""
    results: list[DeleteGroupsResponseDeletableGroupResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: list[DeleteGroupsResponseDeletableGroupResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = [] if results is EMPTY else results
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DeleteGroupsResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.results == other.results
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DeleteGroupsResponse, int]:
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


def _read_many_deletable_group_result_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DeleteGroupsResponseDeletableGroupResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteGroupsResponseDeletableGroupResult] = []
    for _ in range(size):
        message = DeleteGroupsResponseDeletableGroupResult.__new__(DeleteGroupsResponseDeletableGroupResult)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.group_id = str(buffer[position:end], "utf-8")
        position = end
        (message.error_code,) = _unpack_h(buffer, position)
        position += 2
        message.error_message = None
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[DeleteGroupsResponse, int]:
    message = DeleteGroupsResponse.__new__(DeleteGroupsResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.results, position = _read_many_deletable_group_result_v0(buffer, position, count)
    elif not count:
        message.results = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_deletable_group_result_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DeleteGroupsResponseDeletableGroupResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteGroupsResponseDeletableGroupResult] = []
    for _ in range(size):
        message = DeleteGroupsResponseDeletableGroupResult.__new__(DeleteGroupsResponseDeletableGroupResult)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.group_id = str(buffer[position:end], "utf-8")
        position = end
        message.error_code, tags = _unpack_hB(buffer, position)
        position += 3
        message.error_message = None
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v2(buffer: Buffer, position: int) -> tuple[DeleteGroupsResponse, int]:
    message = DeleteGroupsResponse.__new__(DeleteGroupsResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.results, position = _read_many_deletable_group_result_v2(buffer, position, count - 1)
    elif count:
        message.results = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_deletable_group_result_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DeleteGroupsResponseDeletableGroupResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DeleteGroupsResponseDeletableGroupResult] = []
    for _ in range(size):
        message = DeleteGroupsResponseDeletableGroupResult.__new__(DeleteGroupsResponseDeletableGroupResult)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.group_id = str(buffer[position:end], "utf-8")
        position = end
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
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v3(buffer: Buffer, position: int) -> tuple[DeleteGroupsResponse, int]:
    message = DeleteGroupsResponse.__new__(DeleteGroupsResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.results, position = _read_many_deletable_group_result_v3(buffer, position, count - 1)
    elif count:
        message.results = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_deletable_group_result_v0(out: Pieces, message: DeleteGroupsResponseDeletableGroupResult) -> None:
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    out.append(_pack_h(message.error_code))
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: DeleteGroupsResponse) -> None:
    results = message.results
    count = len(results)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for results_item in results:
        _write_deletable_group_result_v0(out, results_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v0(out: Pieces, message: DeleteGroupsResponse) -> Steps[None]:
    results = message.results
    count = len(results)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for results_item in results:
        _write_deletable_group_result_v0(out, results_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_deletable_group_result_v2(out: Pieces, message: DeleteGroupsResponseDeletableGroupResult) -> None:
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_h(message.error_code))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hB(message.error_code, 0))


def _write_v2(out: Pieces, message: DeleteGroupsResponse) -> None:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for results_item in results:
        _write_deletable_group_result_v2(out, results_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v2(out: Pieces, message: DeleteGroupsResponse) -> Steps[None]:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for results_item in results:
        _write_deletable_group_result_v2(out, results_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_deletable_group_result_v3(out: Pieces, message: DeleteGroupsResponseDeletableGroupResult) -> None:
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
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
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v3(out: Pieces, message: DeleteGroupsResponse) -> None:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for results_item in results:
        _write_deletable_group_result_v3(out, results_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v3(out: Pieces, message: DeleteGroupsResponse) -> Steps[None]:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for results_item in results:
        _write_deletable_group_result_v3(out, results_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
    _read_v0,
    _read_v2,
    _read_v3,
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v2,
    _write_v3,
)

_STEP_WRITERS = (
    _step_write_v0,
    _step_write_v0,
    _step_write_v2,
    _step_write_v3,
)


@cache
def _schema() -> MessageSchema:
    deletable_group_result_struct = StructSchema(
        python_class=DeleteGroupsResponseDeletableGroupResult,
        fields=(
            FieldSchema(
                name="GroupId",
                attribute="group_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
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
                versions=(3, 32767),
                nullable=(3, 32767),
                default=None,
                ignorable=True,
            ),
        ),
    )
    delete_groups_response_struct = StructSchema(
        python_class=DeleteGroupsResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Results",
                attribute="results",
                type="DeletableGroupResult",
                struct=deletable_group_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="DeleteGroupsResponse", flexible_from=2, root=delete_groups_response_struct)
