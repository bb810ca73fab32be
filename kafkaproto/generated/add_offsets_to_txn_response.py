"""AddOffsetsToTxnResponse: versions 0-4, flexible from 3, api key 25.

Generated from api/AddOffsetsToTxnResponse.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Malformed, Pieces, read_unknown_tags, write_tag_section

_unpack_ih = struct.Struct(">ih").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack


class AddOffsetsToTxnResponse(Message):
    """Response AddOffsetsToTxnResponse."""

    __slots__ = ("throttle_time_ms", "error_code", "unknown_tags")

    NAME: ClassVar[str] = "AddOffsetsToTxnResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 25
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 4
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    throttle_time_ms: int
    """Versions 0+."""
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
            isinstance(other, AddOffsetsToTxnResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[AddOffsetsToTxnResponse, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[AddOffsetsToTxnResponse, int]:
    message = AddOffsetsToTxnResponse.__new__(AddOffsetsToTxnResponse)
    message.throttle_time_ms, message.error_code = _unpack_ih(buffer, position)
    position += 6
    message.unknown_tags = None
    return message, position


def _read_v3(buffer: Buffer, position: int) -> tuple[AddOffsetsToTxnResponse, int]:
    message = AddOffsetsToTxnResponse.__new__(AddOffsetsToTxnResponse)
    message.throttle_time_ms, message.error_code, tags = _unpack_ihB(buffer, position)
    position += 7
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: AddOffsetsToTxnResponse) -> None:
    out.append(_pack_ih(message.throttle_time_ms, message.error_code))
    if message.unknown_tags:
        raise Malformed


def _write_v3(out: Pieces, message: AddOffsetsToTxnResponse) -> None:
    if message.unknown_tags:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, 0))


_READERS = (
    _read_v0,
    _read_v0,
    _read_v0,
    _read_v3,
    _read_v3,
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v0,
    _write_v3,
    _write_v3,
)


@cache
def _schema() -> MessageSchema:
    add_offsets_to_txn_response_struct = StructSchema(
        python_class=AddOffsetsToTxnResponse,
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
        ),
    )
    return MessageSchema(
        name="AddOffsetsToTxnResponse",
        flexible_from=3,
        root=add_offsets_to_txn_response_struct,
    )
