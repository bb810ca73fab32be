"""CreatePartitionsResponse: versions 0-3, flexible from 2, api key 37.

Generated from api/CreatePartitionsResponse.json by codegen; change the schema, not this file.
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
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ii = struct.Struct(">ii").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_hh = struct.Struct(">hh").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ii = struct.Struct(">ii").pack


class CreatePartitionsResponseCreatePartitionsTopicResult(Struct):
    """CreatePartitionsTopicResult of CreatePartitionsResponse."""

    __slots__ = ("name", "error_code", "error_message", "unknown_tags")

    name: str
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        error_code: int = 0,
        error_message: str | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CreatePartitionsResponseCreatePartitionsTopicResult)
            and self.name == other.name
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.unknown_tags == other.unknown_tags
        )



class CreatePartitionsResponse(Message):
    """Response CreatePartitionsResponse."""

    __slots__ = ("throttle_time_ms", "results", "unknown_tags")

    NAME: ClassVar[str] = "CreatePartitionsResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 37
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    CreatePartitionsTopicResult: TypeAlias = CreatePartitionsResponseCreatePartitionsTopicResult

    throttle_time_ms: int
    """Versions 0+."""
    results: list[CreatePartitionsResponseCreatePartitionsTopicResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: list[CreatePartitionsResponseCreatePartitionsTopicResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = [] if results is EMPTY else results
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CreatePartitionsResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.results == other.results
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[CreatePartitionsResponse, int]:
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


def _read_many_create_partitions_topic_result_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[CreatePartitionsResponseCreatePartitionsTopicResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreatePartitionsResponseCreatePartitionsTopicResult] = []
    for _ in range(size):
        message = CreatePartitionsResponseCreatePartitionsTopicResult.__new__(
            CreatePartitionsResponseCreatePartitionsTopicResult,
        )
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.error_code, length = _unpack_hh(buffer, position)
        position += 4
        if length < 0:
            message.error_message = None
        else:
            end = position + length
            message.error_message = str(buffer[position:end], "utf-8")
            position = end
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[CreatePartitionsResponse, int]:
    message = CreatePartitionsResponse.__new__(CreatePartitionsResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.results, position = _read_many_create_partitions_topic_result_v0(buffer, position, count)
    elif not count:
        message.results = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_create_partitions_topic_result_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[CreatePartitionsResponseCreatePartitionsTopicResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreatePartitionsResponseCreatePartitionsTopicResult] = []
    for _ in range(size):
        message = CreatePartitionsResponseCreatePartitionsTopicResult.__new__(
            CreatePartitionsResponseCreatePartitionsTopicResult,
        )
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
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


def _read_v2(buffer: Buffer, position: int) -> tuple[CreatePartitionsResponse, int]:
    message = CreatePartitionsResponse.__new__(CreatePartitionsResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.results, position = _read_many_create_partitions_topic_result_v2(buffer, position, count - 1)
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


def _write_create_partitions_topic_result_v0(
    out: Pieces,
    message: CreatePartitionsResponseCreatePartitionsTopicResult,
) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = -1
    else:
        data = error_message.encode()
        length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: CreatePartitionsResponse) -> None:
    results = message.results
    count = len(results)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for results_item in results:
        _write_create_partitions_topic_result_v0(out, results_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v0(out: Pieces, message: CreatePartitionsResponse) -> Steps[None]:
    results = message.results
    count = len(results)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for results_item in results:
        _write_create_partitions_topic_result_v0(out, results_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_create_partitions_topic_result_v2(
    out: Pieces,
    message: CreatePartitionsResponseCreatePartitionsTopicResult,
) -> None:
    name = message.name
    data = name.encode()
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


def _write_v2(out: Pieces, message: CreatePartitionsResponse) -> None:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for results_item in results:
        _write_create_partitions_topic_result_v2(out, results_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v2(out: Pieces, message: CreatePartitionsResponse) -> Steps[None]:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for results_item in results:
        _write_create_partitions_topic_result_v2(out, results_item)
        yield
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

_STEP_WRITERS = (
    _step_write_v0,
    _step_write_v0,
    _step_write_v2,
    _step_write_v2,
)


@cache
def _schema() -> MessageSchema:
    create_partitions_topic_result_struct = StructSchema(
        python_class=CreatePartitionsResponseCreatePartitionsTopicResult,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
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
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
        ),
    )
    create_partitions_response_struct = StructSchema(
        python_class=CreatePartitionsResponse,
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
                type="CreatePartitionsTopicResult",
                struct=create_partitions_topic_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="CreatePartitionsResponse",
        flexible_from=2,
        root=create_partitions_response_struct,
    )
