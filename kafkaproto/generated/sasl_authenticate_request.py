"""SaslAuthenticateRequest: versions 0-2, flexible from 2, api key 36.

Generated from api/SaslAuthenticateRequest.json by codegen; change the schema, not this file.
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
    read_long_length,
    read_unknown_tags,
    write_tag_section,
)

_unpack_i = struct.Struct(">i").unpack_from
_pack_i = struct.Struct(">i").pack


class SaslAuthenticateRequest(Message):
    """Request SaslAuthenticateRequest."""

    __slots__ = ("auth_bytes", "unknown_tags")

    NAME: ClassVar[str] = "SaslAuthenticateRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 36
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker", "controller",)

    auth_bytes: bytes
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(self, auth_bytes: bytes = b'', unknown_tags: dict[int, bytes] | None = None) -> None:
        self.auth_bytes = auth_bytes
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SaslAuthenticateRequest)
            and self.auth_bytes == other.auth_bytes
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[SaslAuthenticateRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[SaslAuthenticateRequest, int]:
    message = SaslAuthenticateRequest.__new__(SaslAuthenticateRequest)
    (length,) = _unpack_i(buffer, position)
    position += 4
    if length < 0:
        raise Malformed
    end = position + length
    message.auth_bytes = bytes(buffer[position:end])
    position = end
    message.unknown_tags = None
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[SaslAuthenticateRequest, int]:
    message = SaslAuthenticateRequest.__new__(SaslAuthenticateRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_long_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.auth_bytes = bytes(buffer[position:end])
    position = end
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: SaslAuthenticateRequest) -> None:
    auth_bytes = message.auth_bytes
    length = len(auth_bytes)
    out.append(_pack_i(length))
    out.append(auth_bytes)
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: Pieces, message: SaslAuthenticateRequest) -> None:
    auth_bytes = message.auth_bytes
    length = len(auth_bytes) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    out.append(auth_bytes)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


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
    sasl_authenticate_request_struct = StructSchema(
        python_class=SaslAuthenticateRequest,
        fields=(
            FieldSchema(
                name="AuthBytes",
                attribute="auth_bytes",
                type="bytes",
                versions=(0, 32767),
                default=b'',
            ),
        ),
    )
    return MessageSchema(
        name="SaslAuthenticateRequest",
        flexible_from=2,
        root=sasl_authenticate_request_struct,
    )
