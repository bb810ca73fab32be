"""HeartbeatResponse: versions 0-4, flexible from 4, api key 12.

Generated from api/HeartbeatResponse.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Malformed, Pieces, read_unknown_tags, write_tag_section

_unpack_h = struct.Struct(">h").unpack_from
_unpack_ih = struct.Struct(">ih").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack


class HeartbeatResponse(Message):
    """Response HeartbeatResponse."""

    __slots__ = ("throttle_time_ms", "error_code", "unknown_tags")

    NAME: ClassVar[str] = "HeartbeatResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 12
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 4
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    throttle_time_ms: int
    """Versions 1+, dropped where a version lacks it."""
    error_code: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, HeartbeatResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[HeartbeatResponse, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[HeartbeatResponse, int]:
    message = HeartbeatResponse.__new__(HeartbeatResponse)
    (message.error_code,) = _unpack_h(buffer, position)
    position += 2
    message.throttle_time_ms = 0
    message.unknown_tags = None
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[HeartbeatResponse, int]:
    message = HeartbeatResponse.__new__(HeartbeatResponse)
    message.throttle_time_ms, message.error_code = _unpack_ih(buffer, position)
    position += 6
    message.unknown_tags = None
    return message, position


def _read_v4(buffer: Buffer, position: int) -> tuple[HeartbeatResponse, int]:
    message = HeartbeatResponse.__new__(HeartbeatResponse)
    message.throttle_time_ms, message.error_code, tags = _unpack_ihB(buffer, position)
    position += 7
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: HeartbeatResponse) -> None:
    out.append(_pack_h(message.error_code))
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: HeartbeatResponse) -> None:
    out.append(_pack_ih(message.throttle_time_ms, message.error_code))
    if message.unknown_tags:
        raise Malformed


def _write_v4(out: Pieces, message: HeartbeatResponse) -> None:
    if message.unknown_tags:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, 0))


_READERS = (
    _read_v0,
    _read_v1,
    _read_v1,
    _read_v1,
    _read_v4,
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v1,
    _write_v1,
    _write_v4,
)


@cache
def _schema() -> MessageSchema:
    heartbeat_response_struct = StructSchema(
        python_class=HeartbeatResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(1, 32767),
                default=0,
                ignorable=True,
            ),
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(name="HeartbeatResponse", flexible_from=4, root=heartbeat_response_struct)
