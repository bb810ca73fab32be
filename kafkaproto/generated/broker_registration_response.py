"""BrokerRegistrationResponse: versions 0-4, flexible from 0, api key 62.

Generated from api/BrokerRegistrationResponse.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Pieces, read_unknown_tags, write_tag_section

_unpack_ihqB = struct.Struct(">ihqB").unpack_from
_pack_ihq = struct.Struct(">ihq").pack
_pack_ihqB = struct.Struct(">ihqB").pack


class BrokerRegistrationResponse(Message):
    """Response BrokerRegistrationResponse."""

    __slots__ = ("throttle_time_ms", "error_code", "broker_epoch", "unknown_tags")

    NAME: ClassVar[str] = "BrokerRegistrationResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 62
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 4
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    throttle_time_ms: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    broker_epoch: int
    """Offset at which the registration is written to the metadata log, or -1. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        broker_epoch: int = -1,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.broker_epoch = broker_epoch
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BrokerRegistrationResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.broker_epoch == other.broker_epoch
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[BrokerRegistrationResponse, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[BrokerRegistrationResponse, int]:
    message = BrokerRegistrationResponse.__new__(BrokerRegistrationResponse)
    message.throttle_time_ms, message.error_code, message.broker_epoch, tags = _unpack_ihqB(buffer, position)
    position += 15
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: BrokerRegistrationResponse) -> None:
    if message.unknown_tags:
        out.append(_pack_ihq(message.throttle_time_ms, message.error_code, message.broker_epoch))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_ihqB(message.throttle_time_ms, message.error_code, message.broker_epoch, 0))


_READERS = (
    _read_v0,
    _read_v0,
    _read_v0,
    _read_v0,
    _read_v0,
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v0,
    _write_v0,
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    broker_registration_response_struct = StructSchema(
        python_class=BrokerRegistrationResponse,
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
                name="BrokerEpoch",
                attribute="broker_epoch",
                type="int64",
                versions=(0, 32767),
                default=-1,
            ),
        ),
    )
    return MessageSchema(
        name="BrokerRegistrationResponse",
        flexible_from=0,
        root=broker_registration_response_struct,
    )
