"""AlterUserScramCredentialsResponse: versions 0, flexible from 0, api key 51.

Generated from api/AlterUserScramCredentialsResponse.json by codegen; change the schema, not this file.
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

_unpack_hB = struct.Struct(">hB").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack


class AlterUserScramCredentialsResponseAlterUserScramCredentialsResult(Struct):
    """AlterUserScramCredentialsResult of AlterUserScramCredentialsResponse."""

    __slots__ = ("user", "error_code", "error_message", "unknown_tags")

    user: str
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        user: str = "",
        error_code: int = 0,
        error_message: str | None = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.user = user
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterUserScramCredentialsResponseAlterUserScramCredentialsResult)
            and self.user == other.user
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.unknown_tags == other.unknown_tags
        )



class AlterUserScramCredentialsResponse(Message):
    """Response AlterUserScramCredentialsResponse."""

    __slots__ = ("throttle_time_ms", "results", "unknown_tags")

    NAME: ClassVar[str] = "AlterUserScramCredentialsResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 51
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    AlterUserScramCredentialsResult: TypeAlias = AlterUserScramCredentialsResponseAlterUserScramCredentialsResult

    throttle_time_ms: int
    """Versions 0+."""
    results: list[AlterUserScramCredentialsResponseAlterUserScramCredentialsResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: list[AlterUserScramCredentialsResponseAlterUserScramCredentialsResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = [] if results is EMPTY else results
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterUserScramCredentialsResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.results == other.results
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[AlterUserScramCredentialsResponse, int]:
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


def _read_many_alter_user_scram_credentials_result_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterUserScramCredentialsResponseAlterUserScramCredentialsResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterUserScramCredentialsResponseAlterUserScramCredentialsResult] = []
    for _ in range(size):
        message = AlterUserScramCredentialsResponseAlterUserScramCredentialsResult.__new__(
            AlterUserScramCredentialsResponseAlterUserScramCredentialsResult,
        )
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.user = str(buffer[position:end], "utf-8")
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


def _read_v0(buffer: Buffer, position: int) -> tuple[AlterUserScramCredentialsResponse, int]:
    message = AlterUserScramCredentialsResponse.__new__(AlterUserScramCredentialsResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.results, position = _read_many_alter_user_scram_credentials_result_v0(buffer, position, count - 1)
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


def _write_alter_user_scram_credentials_result_v0(
    out: Pieces,
    message: AlterUserScramCredentialsResponseAlterUserScramCredentialsResult,
) -> None:
    user = message.user
    data = user.encode()
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


def _write_v0(out: Pieces, message: AlterUserScramCredentialsResponse) -> None:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for results_item in results:
        _write_alter_user_scram_credentials_result_v0(out, results_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v0(out: Pieces, message: AlterUserScramCredentialsResponse) -> Steps[None]:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for results_item in results:
        _write_alter_user_scram_credentials_result_v0(out, results_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)

_STEP_WRITERS = (
    _step_write_v0,
)


@cache
def _schema() -> MessageSchema:
    alter_user_scram_credentials_result_struct = StructSchema(
        python_class=AlterUserScramCredentialsResponseAlterUserScramCredentialsResult,
        fields=(
            FieldSchema(
                name="User",
                attribute="user",
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
                default="",
            ),
        ),
    )
    alter_user_scram_credentials_response_struct = StructSchema(
        python_class=AlterUserScramCredentialsResponse,
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
                type="AlterUserScramCredentialsResult",
                struct=alter_user_scram_credentials_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="AlterUserScramCredentialsResponse",
        flexible_from=0,
        root=alter_user_scram_credentials_response_struct,
    )
