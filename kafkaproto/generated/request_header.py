"""RequestHeader: versions 1-2, flexible from 2.

Generated from api/RequestHeader.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Malformed, Pieces, read_unknown_tags, write_tag_section

_unpack_hhih = struct.Struct(">hhih").unpack_from
_pack_hhih = struct.Struct(">hhih").pack


class RequestHeader(Message):
    """Header RequestHeader."""

    __slots__ = (
        "request_api_key",
        "request_api_version",
        "correlation_id",
        "client_id",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "RequestHeader"
    TYPE: ClassVar[str] = "header"
    API_KEY: ClassVar[int | None] = None
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    request_api_key: int
    """Versions 0+."""
    request_api_version: int
    """Versions 0+."""
    correlation_id: int
    """Comes back in the response; answers keep the order of the requests of a connection. Versions
    0+.
    """
    client_id: str | None
    """Never compact, so that it can be read before the version is known to be supported. Versions
    1+, null in 1+.
    """
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        request_api_key: int = 0,
        request_api_version: int = 0,
        correlation_id: int = 0,
        client_id: str | None = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.request_api_key = request_api_key
        self.request_api_version = request_api_version
        self.correlation_id = correlation_id
        self.client_id = client_id
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RequestHeader)
            and self.request_api_key == other.request_api_key
            and self.request_api_version == other.request_api_version
            and self.correlation_id == other.correlation_id
            and self.client_id == other.client_id
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[RequestHeader, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v1(buffer: Buffer, position: int) -> tuple[RequestHeader, int]:
    message = RequestHeader.__new__(RequestHeader)
    (
        message.request_api_key,
        message.request_api_version,
        message.correlation_id,
        length,
    ) = _unpack_hhih(buffer, position)
    position += 10
    if length < 0:
        message.client_id = None
    else:
        end = position + length
        message.client_id = str(buffer[position:end], "utf-8")
        position = end
    message.unknown_tags = None
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[RequestHeader, int]:
    message = RequestHeader.__new__(RequestHeader)
    (
        message.request_api_key,
        message.request_api_version,
        message.correlation_id,
        length,
    ) = _unpack_hhih(buffer, position)
    position += 10
    if length < 0:
        message.client_id = None
    else:
        end = position + length
        message.client_id = str(buffer[position:end], "utf-8")
        position = end
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v1(out: Pieces, message: RequestHeader) -> None:
    client_id = message.client_id
    if client_id is None:
        data = b""
        length = -1
    else:
        data = client_id.encode()
        length = len(data)
    out.append(_pack_hhih(
        message.request_api_key,
        message.request_api_version,
        message.correlation_id,
        length,
    ))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: Pieces, message: RequestHeader) -> None:
    client_id = message.client_id
    if client_id is None:
        data = b""
        length = -1
    else:
        data = client_id.encode()
        length = len(data)
    out.append(_pack_hhih(
        message.request_api_key,
        message.request_api_version,
        message.correlation_id,
        length,
    ))
    out.append(data)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


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
    request_header_struct = StructSchema(
        python_class=RequestHeader,
        fields=(
            FieldSchema(
                name="RequestApiKey",
                attribute="request_api_key",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="RequestApiVersion",
                attribute="request_api_version",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="CorrelationId",
                attribute="correlation_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ClientId",
                attribute="client_id",
                type="string",
                versions=(1, 32767),
                nullable=(1, 32767),
                never_compact=True,
                default="",
            ),
        ),
    )
    return MessageSchema(name="RequestHeader", flexible_from=2, root=request_header_struct)
