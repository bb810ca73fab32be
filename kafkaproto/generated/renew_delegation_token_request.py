"""RenewDelegationTokenRequest: versions 1-2, flexible from 2, api key 39.

Generated from api/RenewDelegationTokenRequest.json by codegen; change the schema, not this file.
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
_unpack_q = struct.Struct(">q").unpack_from
_unpack_qB = struct.Struct(">qB").unpack_from
_pack_i = struct.Struct(">i").pack
_pack_q = struct.Struct(">q").pack
_pack_qB = struct.Struct(">qB").pack


class RenewDelegationTokenRequest(Message):
    """Request RenewDelegationTokenRequest."""

    __slots__ = ("hmac", "renew_period_ms", "unknown_tags")

    NAME: ClassVar[str] = "RenewDelegationTokenRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 39
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker", "controller",)

    hmac: bytes
    """Versions 0+."""
    renew_period_ms: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        hmac: bytes = b'',
        renew_period_ms: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.hmac = hmac
        self.renew_period_ms = renew_period_ms
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RenewDelegationTokenRequest)
            and self.hmac == other.hmac
            and self.renew_period_ms == other.renew_period_ms
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[RenewDelegationTokenRequest, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v1(buffer: Buffer, position: int) -> tuple[RenewDelegationTokenRequest, int]:
    message = RenewDelegationTokenRequest.__new__(RenewDelegationTokenRequest)
    (length,) = _unpack_i(buffer, position)
    position += 4
    if length < 0:
        raise Malformed
    end = position + length
    message.hmac = bytes(buffer[position:end])
    position = end
    (message.renew_period_ms,) = _unpack_q(buffer, position)
    position += 8
    message.unknown_tags = None
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[RenewDelegationTokenRequest, int]:
    message = RenewDelegationTokenRequest.__new__(RenewDelegationTokenRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_long_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.hmac = bytes(buffer[position:end])
    position = end
    message.renew_period_ms, tags = _unpack_qB(buffer, position)
    position += 9
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v1(out: Pieces, message: RenewDelegationTokenRequest) -> None:
    hmac = message.hmac
    length = len(hmac)
    out.append(_pack_i(length))
    out.append(hmac)
    out.append(_pack_q(message.renew_period_ms))
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: Pieces, message: RenewDelegationTokenRequest) -> None:
    hmac = message.hmac
    length = len(hmac) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    out.append(hmac)
    if message.unknown_tags:
        out.append(_pack_q(message.renew_period_ms))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_qB(message.renew_period_ms, 0))


_READERS = (
    _read_v1,
    _read_v2,
)

_WRITERS = (
    _write_v1,
    _write_v2,
)


@cache
def _schema() -> MessageSchema:
    renew_delegation_token_request_struct = StructSchema(
        python_class=RenewDelegationTokenRequest,
        fields=(
            FieldSchema(
                name="Hmac",
                attribute="hmac",
                type="bytes",
                versions=(0, 32767),
                default=b'',
            ),
            FieldSchema(
                name="RenewPeriodMs",
                attribute="renew_period_ms",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(
        name="RenewDelegationTokenRequest",
        flexible_from=2,
        root=renew_delegation_token_request_struct,
    )
