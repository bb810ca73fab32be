"""SaslHandshakeResponse: versions 0-1, never flexible, api key 17.

Generated from api/SaslHandshakeResponse.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import EMPTY, Buffer, Malformed, Pieces, Steps

_unpack_h = struct.Struct(">h").unpack_from
_unpack_hi = struct.Struct(">hi").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_hi = struct.Struct(">hi").pack


class SaslHandshakeResponse(Message):
    """Response SaslHandshakeResponse."""

    __slots__ = ("error_code", "mechanisms", "unknown_tags")

    NAME: ClassVar[str] = "SaslHandshakeResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 17
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = None
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    error_code: int
    """Versions 0+."""
    mechanisms: list[str]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        error_code: int = 0,
        mechanisms: list[str] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.error_code = error_code
        self.mechanisms = [] if mechanisms is EMPTY else mechanisms
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SaslHandshakeResponse)
            and self.error_code == other.error_code
            and self.mechanisms == other.mechanisms
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[SaslHandshakeResponse, int]:
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


def _read_v0(buffer: Buffer, position: int) -> tuple[SaslHandshakeResponse, int]:
    message = SaslHandshakeResponse.__new__(SaslHandshakeResponse)
    message.error_code, count = _unpack_hi(buffer, position)
    position += 6
    if count < 0:
        raise Malformed
    mechanisms: list[str] = []
    message.mechanisms = mechanisms
    if count > len(buffer) - position:
        raise Malformed
    for _ in range(count):
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        mechanisms_item = str(buffer[position:end], "utf-8")
        position = end
        mechanisms.append(mechanisms_item)
    message.unknown_tags = None
    return message, position


def _write_v0(out: Pieces, message: SaslHandshakeResponse) -> None:
    mechanisms = message.mechanisms
    count = len(mechanisms)
    out.append(_pack_hi(message.error_code, count))
    for mechanisms_item in mechanisms:
        data = mechanisms_item.encode()
        length = len(data)
        out.append(_pack_h(length))
        out.append(data)
    if message.unknown_tags:
        raise Malformed


def _step_write_v0(out: Pieces, message: SaslHandshakeResponse) -> Steps[None]:
    mechanisms = message.mechanisms
    count = len(mechanisms)
    out.append(_pack_hi(message.error_code, count))
    for mechanisms_item in mechanisms:
        data = mechanisms_item.encode()
        length = len(data)
        out.append(_pack_h(length))
        out.append(data)
        yield
    if message.unknown_tags:
        raise Malformed


_READERS = (
    _read_v0,
    _read_v0,
)

_WRITERS = (
    _write_v0,
    _write_v0,
)

_STEP_WRITERS = (
    _step_write_v0,
    _step_write_v0,
)


@cache
def _schema() -> MessageSchema:
    sasl_handshake_response_struct = StructSchema(
        python_class=SaslHandshakeResponse,
        fields=(
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Mechanisms",
                attribute="mechanisms",
                type="string",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="SaslHandshakeResponse",
        flexible_from=None,
        root=sasl_handshake_response_struct,
    )
