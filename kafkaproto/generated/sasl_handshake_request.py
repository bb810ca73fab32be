"""SaslHandshakeRequest: versions 0-1, never flexible, api key 17.

Generated from api/SaslHandshakeRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Malformed, Pieces

_unpack_h = struct.Struct(">h").unpack_from
_pack_h = struct.Struct(">h").pack


class SaslHandshakeRequest(Message):
    """Request SaslHandshakeRequest."""

    __slots__ = ("mechanism", "unknown_tags")

    NAME: ClassVar[str] = "SaslHandshakeRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 17
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = None
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker", "controller",)

    mechanism: str
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(self, mechanism: str = "", unknown_tags: dict[int, bytes] | None = None) -> None:
        self.mechanism = mechanism
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SaslHandshakeRequest)
            and self.mechanism == other.mechanism
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[SaslHandshakeRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[SaslHandshakeRequest, int]:
    message = SaslHandshakeRequest.__new__(SaslHandshakeRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.mechanism = str(buffer[position:end], "utf-8")
    position = end
    message.unknown_tags = None
    return message, position


def _write_v0(out: Pieces, message: SaslHandshakeRequest) -> None:
    mechanism = message.mechanism
    data = mechanism.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
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


@cache
def _schema() -> MessageSchema:
    sasl_handshake_request_struct = StructSchema(
        python_class=SaslHandshakeRequest,
        fields=(
            FieldSchema(
                name="Mechanism",
                attribute="mechanism",
                type="string",
                versions=(0, 32767),
                default="",
            ),
        ),
    )
    return MessageSchema(name="SaslHandshakeRequest", flexible_from=None, root=sasl_handshake_request_struct)
