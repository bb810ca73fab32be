"""ResponseHeader: versions 0-1, flexible from 1.

Generated from api/ResponseHeader.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Malformed, Pieces, read_unknown_tags, write_tag_section

_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack


class ResponseHeader(Message):
    """Header ResponseHeader."""

    __slots__ = ("correlation_id", "unknown_tags")

    NAME: ClassVar[str] = "ResponseHeader"
    TYPE: ClassVar[str] = "header"
    API_KEY: ClassVar[int | None] = None
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    correlation_id: int
    """That of the request this answers. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(self, correlation_id: int = 0, unknown_tags: dict[int, bytes] | None = None) -> None:
        self.correlation_id = correlation_id
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ResponseHeader)
            and self.correlation_id == other.correlation_id
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ResponseHeader, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[ResponseHeader, int]:
    message = ResponseHeader.__new__(ResponseHeader)
    (message.correlation_id,) = _unpack_i(buffer, position)
    position += 4
    message.unknown_tags = None
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[ResponseHeader, int]:
    message = ResponseHeader.__new__(ResponseHeader)
    message.correlation_id, tags = _unpack_iB(buffer, position)
    position += 5
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: ResponseHeader) -> None:
    out.append(_pack_i(message.correlation_id))
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: ResponseHeader) -> None:
    if message.unknown_tags:
        out.append(_pack_i(message.correlation_id))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.correlation_id, 0))


_READERS = (
    _read_v0,
    _read_v1,
)

_WRITERS = (
    _write_v0,
    _write_v1,
)


@cache
def _schema() -> MessageSchema:
    response_header_struct = StructSchema(
        python_class=ResponseHeader,
        fields=(
            FieldSchema(
                name="CorrelationId",
                attribute="correlation_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(name="ResponseHeader", flexible_from=1, root=response_header_struct)
