"""SaslAuthenticateResponse: versions 0-2, flexible from 2, api key 36.

Generated from api/SaslAuthenticateResponse.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    Buffer,
    Malformed,
    Pieces,
    pack_length,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

_unpack_hB = struct.Struct(">hB").unpack_from
_unpack_hh = struct.Struct(">hh").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_q = struct.Struct(">q").unpack_from
_unpack_qB = struct.Struct(">qB").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_hh = struct.Struct(">hh").pack
_pack_i = struct.Struct(">i").pack
_pack_q = struct.Struct(">q").pack
_pack_qB = struct.Struct(">qB").pack


class SaslAuthenticateResponse(Message):
    """Response SaslAuthenticateResponse."""

    __slots__ = ("error_code", "error_message", "auth_bytes", "session_lifetime_ms", "unknown_tags")

    NAME: ClassVar[str] = "SaslAuthenticateResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 36
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    auth_bytes: bytes
    """Versions 0+."""
    session_lifetime_ms: int
    """Versions 1+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        auth_bytes: bytes = b'',
        session_lifetime_ms: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.auth_bytes = auth_bytes
        self.session_lifetime_ms = session_lifetime_ms
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SaslAuthenticateResponse)
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.auth_bytes == other.auth_bytes
            and self.session_lifetime_ms == other.session_lifetime_ms
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[SaslAuthenticateResponse, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[SaslAuthenticateResponse, int]:
    message = SaslAuthenticateResponse.__new__(SaslAuthenticateResponse)
    message.error_code, length = _unpack_hh(buffer, position)
    position += 4
    if length < 0:
        message.error_message = None
    else:
        end = position + length
        message.error_message = str(buffer[position:end], "utf-8")
        position = end
    (length,) = _unpack_i(buffer, position)
    position += 4
    if length < 0:
        raise Malformed
    end = position + length
    message.auth_bytes = bytes(buffer[position:end])
    position = end
    message.session_lifetime_ms = 0
    message.unknown_tags = None
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[SaslAuthenticateResponse, int]:
    message = SaslAuthenticateResponse.__new__(SaslAuthenticateResponse)
    message.error_code, length = _unpack_hh(buffer, position)
    position += 4
    if length < 0:
        message.error_message = None
    else:
        end = position + length
        message.error_message = str(buffer[position:end], "utf-8")
        position = end
    (length,) = _unpack_i(buffer, position)
    position += 4
    if length < 0:
        raise Malformed
    end = position + length
    message.auth_bytes = bytes(buffer[position:end])
    position = end
    (message.session_lifetime_ms,) = _unpack_q(buffer, position)
    position += 8
    message.unknown_tags = None
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[SaslAuthenticateResponse, int]:
    message = SaslAuthenticateResponse.__new__(SaslAuthenticateResponse)
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
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_long_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.auth_bytes = bytes(buffer[position:end])
    position = end
    message.session_lifetime_ms, tags = _unpack_qB(buffer, position)
    position += 9
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: SaslAuthenticateResponse) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = -1
    else:
        data = error_message.encode()
        length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    auth_bytes = message.auth_bytes
    length = len(auth_bytes)
    out.append(_pack_i(length))
    out.append(auth_bytes)
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: SaslAuthenticateResponse) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = -1
    else:
        data = error_message.encode()
        length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    auth_bytes = message.auth_bytes
    length = len(auth_bytes)
    out.append(_pack_i(length))
    out.append(auth_bytes)
    out.append(_pack_q(message.session_lifetime_ms))
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: Pieces, message: SaslAuthenticateResponse) -> None:
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
    auth_bytes = message.auth_bytes
    length = len(auth_bytes) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    out.append(auth_bytes)
    if message.unknown_tags:
        out.append(_pack_q(message.session_lifetime_ms))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_qB(message.session_lifetime_ms, 0))


_READERS = (
    _read_v0,
    _read_v1,
    _read_v2,
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v2,
)


@cache
def _schema() -> MessageSchema:
    sasl_authenticate_response_struct = StructSchema(
        python_class=SaslAuthenticateResponse,
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
                name="AuthBytes",
                attribute="auth_bytes",
                type="bytes",
                versions=(0, 32767),
                default=b'',
            ),
            FieldSchema(
                name="SessionLifetimeMs",
                attribute="session_lifetime_ms",
                type="int64",
                versions=(1, 32767),
                default=0,
                ignorable=True,
            ),
        ),
    )
    return MessageSchema(
        name="SaslAuthenticateResponse",
        flexible_from=2,
        root=sasl_authenticate_response_struct,
    )
