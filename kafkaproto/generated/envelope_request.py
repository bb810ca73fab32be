"""EnvelopeRequest: versions 0, flexible from 0, api key 58.

Generated from api/EnvelopeRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    Buffer,
    Buffers,
    Malformed,
    Pieces,
    pack_length,
    read_long_length,
    read_unknown_tags,
    write_tag_section,
)



class EnvelopeRequest(Message):
    """Request EnvelopeRequest."""

    __slots__ = ("request_data", "request_principal", "client_host_address", "unknown_tags")

    NAME: ClassVar[str] = "EnvelopeRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 58
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("controller",)

    request_data: Buffers
    """Header and body of the forwarded request, without its size. Versions 0+."""
    request_principal: bytes | None
    """The client's principal, as DefaultPrincipalData behind its version. Versions 0+, null in 0+."""
    client_host_address: bytes
    """The client's address: 4 or 16 raw bytes. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        request_data: Buffers = b'',
        request_principal: bytes | None = b'',
        client_host_address: bytes = b'',
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.request_data = request_data
        self.request_principal = request_principal
        self.client_host_address = client_host_address
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, EnvelopeRequest)
            and self.request_data == other.request_data
            and self.request_principal == other.request_principal
            and self.client_host_address == other.client_host_address
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[EnvelopeRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[EnvelopeRequest, int]:
    view = memoryview(buffer)
    message = EnvelopeRequest.__new__(EnvelopeRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_long_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.request_data = view[position:end]
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_long_length(buffer, position, length)
    if not length:
        message.request_principal = None
    else:
        end = position + length - 1
        message.request_principal = bytes(buffer[position:end])
        position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_long_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.client_host_address = bytes(buffer[position:end])
    position = end
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: EnvelopeRequest) -> None:
    request_data = message.request_data
    length = (sum(map(len, request_data)) if isinstance(request_data, list) else len(request_data)) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    if isinstance(request_data, list):
        out.extend(request_data)
    else:
        out.append(request_data)
    request_principal = message.request_principal
    if request_principal is None:
        request_principal = b""
        length = 0
    else:
        length = len(request_principal) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    out.append(request_principal)
    client_host_address = message.client_host_address
    length = len(client_host_address) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    out.append(client_host_address)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    envelope_request_struct = StructSchema(
        python_class=EnvelopeRequest,
        fields=(
            FieldSchema(
                name="RequestData",
                attribute="request_data",
                type="bytes",
                versions=(0, 32767),
                default=b'',
                zero_copy=True,
            ),
            FieldSchema(
                name="RequestPrincipal",
                attribute="request_principal",
                type="bytes",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=b'',
            ),
            FieldSchema(
                name="ClientHostAddress",
                attribute="client_host_address",
                type="bytes",
                versions=(0, 32767),
                default=b'',
            ),
        ),
    )
    return MessageSchema(name="EnvelopeRequest", flexible_from=0, root=envelope_request_struct)
