"""EnvelopeResponse: versions 0, flexible from 0, api key 58.

Generated from api/EnvelopeResponse.json by codegen; change the schema, not this file.
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
    Buffers,
    Pieces,
    pack_length,
    read_long_length,
    read_unknown_tags,
    write_tag_section,
)

_unpack_hB = struct.Struct(">hB").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack


class EnvelopeResponse(Message):
    """Response EnvelopeResponse."""

    __slots__ = ("response_data", "error_code", "unknown_tags")

    NAME: ClassVar[str] = "EnvelopeResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 58
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    response_data: Buffers | None
    """Header and body of the response, without its size. Versions 0+, null in 0+."""
    error_code: int
    """Concerns the forwarding; errors of the inner request are in its response. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        response_data: Buffers | None = None,
        error_code: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.response_data = response_data
        self.error_code = error_code
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, EnvelopeResponse)
            and self.response_data == other.response_data
            and self.error_code == other.error_code
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[EnvelopeResponse, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[EnvelopeResponse, int]:
    view = memoryview(buffer)
    message = EnvelopeResponse.__new__(EnvelopeResponse)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_long_length(buffer, position, length)
    if not length:
        message.response_data = None
    else:
        end = position + length - 1
        message.response_data = view[position:end]
        position = end
    message.error_code, tags = _unpack_hB(buffer, position)
    position += 3
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: EnvelopeResponse) -> None:
    response_data = message.response_data
    if response_data is None:
        response_data = b""
        length = 0
    else:
        length = (sum(map(len, response_data)) if isinstance(response_data, list) else len(response_data)) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    if isinstance(response_data, list):
        out.extend(response_data)
    else:
        out.append(response_data)
    if message.unknown_tags:
        out.append(_pack_h(message.error_code))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hB(message.error_code, 0))


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    envelope_response_struct = StructSchema(
        python_class=EnvelopeResponse,
        fields=(
            FieldSchema(
                name="ResponseData",
                attribute="response_data",
                type="bytes",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
                zero_copy=True,
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
    return MessageSchema(name="EnvelopeResponse", flexible_from=0, root=envelope_response_struct)
