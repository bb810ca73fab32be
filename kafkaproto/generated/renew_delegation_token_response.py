"""RenewDelegationTokenResponse: versions 1-2, flexible from 2, api key 39.

Generated from api/RenewDelegationTokenResponse.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Malformed, Pieces, read_unknown_tags, write_tag_section

_unpack_hqi = struct.Struct(">hqi").unpack_from
_unpack_hqiB = struct.Struct(">hqiB").unpack_from
_pack_hqi = struct.Struct(">hqi").pack
_pack_hqiB = struct.Struct(">hqiB").pack


class RenewDelegationTokenResponse(Message):
    """Response RenewDelegationTokenResponse."""

    __slots__ = ("error_code", "expiry_timestamp_ms", "throttle_time_ms", "unknown_tags")

    NAME: ClassVar[str] = "RenewDelegationTokenResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 39
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    error_code: int
    """Versions 0+."""
    expiry_timestamp_ms: int
    """Versions 0+."""
    throttle_time_ms: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        error_code: int = 0,
        expiry_timestamp_ms: int = 0,
        throttle_time_ms: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.error_code = error_code
        self.expiry_timestamp_ms = expiry_timestamp_ms
        self.throttle_time_ms = throttle_time_ms
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RenewDelegationTokenResponse)
            and self.error_code == other.error_code
            and self.expiry_timestamp_ms == other.expiry_timestamp_ms
            and self.throttle_time_ms == other.throttle_time_ms
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[RenewDelegationTokenResponse, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v1(buffer: Buffer, position: int) -> tuple[RenewDelegationTokenResponse, int]:
    message = RenewDelegationTokenResponse.__new__(RenewDelegationTokenResponse)
    message.error_code, message.expiry_timestamp_ms, message.throttle_time_ms = _unpack_hqi(buffer, position)
    position += 14
    message.unknown_tags = None
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[RenewDelegationTokenResponse, int]:
    message = RenewDelegationTokenResponse.__new__(RenewDelegationTokenResponse)
    (
        message.error_code,
        message.expiry_timestamp_ms,
        message.throttle_time_ms,
        tags,
    ) = _unpack_hqiB(buffer, position)
    position += 15
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v1(out: Pieces, message: RenewDelegationTokenResponse) -> None:
    out.append(_pack_hqi(message.error_code, message.expiry_timestamp_ms, message.throttle_time_ms))
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: Pieces, message: RenewDelegationTokenResponse) -> None:
    if message.unknown_tags:
        out.append(_pack_hqi(message.error_code, message.expiry_timestamp_ms, message.throttle_time_ms))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hqiB(message.error_code, message.expiry_timestamp_ms, message.throttle_time_ms, 0))


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
    renew_delegation_token_response_struct = StructSchema(
        python_class=RenewDelegationTokenResponse,
        fields=(
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ExpiryTimestampMs",
                attribute="expiry_timestamp_ms",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(
        name="RenewDelegationTokenResponse",
        flexible_from=2,
        root=renew_delegation_token_response_struct,
    )
