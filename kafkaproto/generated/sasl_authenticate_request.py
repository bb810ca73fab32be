"""SaslAuthenticateRequest: versions 0-2, flexible from 2, api key 36.

Generated from api/SaslAuthenticateRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.primitives import read_unsigned_varint, write_unsigned_varint
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Malformed, read_unknown_tags, write_tag_section

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

    def _write(self, out: bytearray, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[SaslAuthenticateRequest, int]:
    (length,) = _unpack_i(buffer, position)
    position += 4
    if length < 0:
        raise Malformed
    end = position + length
    auth_bytes = bytes(buffer[position:end])
    position = end
    return SaslAuthenticateRequest(auth_bytes), position


def _read_v2(buffer: Buffer, position: int) -> tuple[SaslAuthenticateRequest, int]:
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_unsigned_varint(buffer, position - 1)
    if not length:
        raise Malformed
    end = position + length - 1
    auth_bytes = bytes(buffer[position:end])
    position = end
    tags = buffer[position]
    position += 1
    unknown: dict[int, bytes] | None = None
    if tags:
        unknown, position = read_unknown_tags(buffer, position - 1)
    return SaslAuthenticateRequest(auth_bytes, unknown), position


def _write_v0(out: bytearray, message: SaslAuthenticateRequest) -> None:
    auth_bytes = message.auth_bytes
    data = auth_bytes
    length = len(data)
    out += _pack_i(length)
    out += data
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: bytearray, message: SaslAuthenticateRequest) -> None:
    auth_bytes = message.auth_bytes
    data = auth_bytes
    length = len(data) + 1
    if length < 128:
        out.append(length)
    else:
        write_unsigned_varint(out, length)
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
