"""BrokerHeartbeatResponse: versions 0-2, flexible from 0, api key 63.

Generated from api/BrokerHeartbeatResponse.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Pieces, read_unknown_tags, write_tag_section

_unpack_ihtttB = struct.Struct(">ih???B").unpack_from
_pack_ihttt = struct.Struct(">ih???").pack
_pack_ihtttB = struct.Struct(">ih???B").pack


class BrokerHeartbeatResponse(Message):
    """Response BrokerHeartbeatResponse."""

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "is_caught_up",
        "is_fenced",
        "should_shut_down",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "BrokerHeartbeatResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 63
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    throttle_time_ms: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    is_caught_up: bool
    """Whether the broker has applied its own registration. Versions 0+."""
    is_fenced: bool
    """Versions 0+."""
    should_shut_down: bool
    """Whether nothing keeps the broker from stopping any more. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        is_caught_up: bool = False,
        is_fenced: bool = True,
        should_shut_down: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.is_caught_up = is_caught_up
        self.is_fenced = is_fenced
        self.should_shut_down = should_shut_down
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BrokerHeartbeatResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.is_caught_up == other.is_caught_up
            and self.is_fenced == other.is_fenced
            and self.should_shut_down == other.should_shut_down
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[BrokerHeartbeatResponse, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[BrokerHeartbeatResponse, int]:
    message = BrokerHeartbeatResponse.__new__(BrokerHeartbeatResponse)
    (
        message.throttle_time_ms,
        message.error_code,
        message.is_caught_up,
        message.is_fenced,
        message.should_shut_down,
        tags,
    ) = _unpack_ihtttB(buffer, position)
    position += 10
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: BrokerHeartbeatResponse) -> None:
    if message.unknown_tags:
        out.append(_pack_ihttt(
            message.throttle_time_ms,
            message.error_code,
            message.is_caught_up,
            message.is_fenced,
            message.should_shut_down,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_ihtttB(
            message.throttle_time_ms,
            message.error_code,
            message.is_caught_up,
            message.is_fenced,
            message.should_shut_down,
            0,
        ))


_READERS = (
    _read_v0,
    _read_v0,
    _read_v0,
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    broker_heartbeat_response_struct = StructSchema(
        python_class=BrokerHeartbeatResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="IsCaughtUp",
                attribute="is_caught_up",
                type="bool",
                versions=(0, 32767),
                default=False,
            ),
            FieldSchema(
                name="IsFenced",
                attribute="is_fenced",
                type="bool",
                versions=(0, 32767),
                default=True,
            ),
            FieldSchema(
                name="ShouldShutDown",
                attribute="should_shut_down",
                type="bool",
                versions=(0, 32767),
                default=False,
            ),
        ),
    )
    return MessageSchema(
        name="BrokerHeartbeatResponse",
        flexible_from=0,
        root=broker_heartbeat_response_struct,
    )
