"""Request and response headers. They are decoded and encoded by hand, because every request needs it.

The generated `RequestHeader` and `ResponseHeader` read and write the same bytes; tests compare the two. This module is
more tolerant in the one place where Kafka is: a client id that is not UTF-8, or whose length is negative, is no reason
to close a connection. `kafkaproto.api` has the header version of each API version.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

import msgspec

from kafkaproto import api
from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.primitives import Buffer, read_unsigned_varint
from kafkaproto.support import MAX_TAGGED_FIELDS

_MAX_CLIENT_ID_BYTES = 0x7FFF

# API key, API version, correlation id, length of the client id. The client id keeps its old two-byte length even in
# header version 2, whose other strings would be compact.
_request_start = struct.Struct(">hhih")
_correlation_id = struct.Struct(">i")


def request_header_version(api_key: int, api_version: int) -> int:
    """The header version of a request of this API key and version.

    Raises RemoteProtocolError for an API key that does not exist.
    """
    info = api.api_by_key(api_key)
    if info is None:
        raise RemoteProtocolError(f"there is no api key {api_key}", where="RequestHeader.request_api_key")
    return info.request_header_version(api_version)


class RequestHeader(msgspec.Struct, frozen=True, kw_only=True):
    """The header before the body of every request."""

    api_key: int
    api_version: int
    correlation_id: int
    """Chosen by the client, repeated in the response."""
    client_id: str | None
    """The client's name for itself; bytes that are not UTF-8 are replaced by U+FFFD."""
    unknown_tags: dict[int, bytes] | None = None
    """Tagged fields of header version 2, of which Kafka has defined none so far. None if there are none."""


def decode_request_header(
    frame: Buffer,
    header_version_of: Callable[[int, int], int] = request_header_version,
) -> tuple[RequestHeader, int]:
    """Decode the header at the start of a request. Returns it, and the offset at which the body starts.

    ``header_version_of`` returns the header version (1 or 2) of an API key and version, and raises RemoteProtocolError
    for those that it refuses. Also raises RemoteProtocolError if the frame ends inside the header.
    """
    try:
        api_key, api_version, correlation_id, client_id_size = _request_start.unpack_from(frame)
    except struct.error:
        raise RemoteProtocolError(
            f"{len(frame)} bytes are too few for a request", where="RequestHeader", offset=len(frame)
        ) from None
    header_version = header_version_of(api_key, api_version)
    position = _request_start.size
    client_id = None
    # Any negative length means null here, as in Kafka.
    if client_id_size >= 0:
        end = position + client_id_size
        if end > len(frame):
            raise RemoteProtocolError(
                f"a length of {client_id_size} is announced, {len(frame) - position} bytes are left",
                where="RequestHeader.client_id",
                offset=position,
            )
        # A client id is for logs and quotas only. To close the connection for it would help nobody.
        client_id = str(frame[position:end], "utf-8", "replace")
        position = end
    unknown_tags = None
    if header_version >= 2:
        unknown_tags, position = _decode_tags(frame, position, "RequestHeader")
    header = RequestHeader(
        api_key=api_key,
        api_version=api_version,
        correlation_id=correlation_id,
        client_id=client_id,
        unknown_tags=unknown_tags,
    )
    return header, position


def encode_request_header(
    *, api_key: int, api_version: int, correlation_id: int, client_id: str | None
) -> bytes:
    """The header of a request, in the header version of the API version, without tagged fields.

    Raises LocalProtocolError for a client id longer than 32767 bytes.
    """
    name = b"" if client_id is None else client_id.encode("utf-8", "replace")
    if len(name) > _MAX_CLIENT_ID_BYTES:
        raise LocalProtocolError(
            f"{len(name)} bytes are more than {_MAX_CLIENT_ID_BYTES}", where="RequestHeader.client_id"
        )
    size = -1 if client_id is None else len(name)
    start = _request_start.pack(api_key, api_version, correlation_id, size)
    has_tags = request_header_version(api_key, api_version) >= 2
    return start + name + b"\0" if has_tags else start + name


def decode_response_header(frame: Buffer, header_version: int) -> tuple[int, int]:
    """Decode the header of a response; returns the correlation id and the offset at which the body starts.

    Raises RemoteProtocolError if the frame ends inside the header.
    """
    try:
        (correlation_id,) = _correlation_id.unpack_from(frame)
    except struct.error:
        raise RemoteProtocolError(
            f"{len(frame)} bytes are too few for a response", where="ResponseHeader", offset=len(frame)
        ) from None
    position = _correlation_id.size
    if header_version >= 1:
        _, position = _decode_tags(frame, position, "ResponseHeader")
    return correlation_id, position


def encode_response_header(correlation_id: int, header_version: int) -> bytes:
    """The header of a response (version 0 or 1), without tagged fields."""
    start = _correlation_id.pack(correlation_id)
    return start + b"\0" if header_version >= 1 else start


def _decode_tags(frame: Buffer, position: int, where: str) -> tuple[dict[int, bytes] | None, int]:
    """The tagged fields at ``position`` and the position after them; None for an empty section."""
    if position < len(frame) and frame[position] == 0:
        return None, position + 1
    try:
        count, position = read_unsigned_varint(frame, position)
        if count > MAX_TAGGED_FIELDS:
            raise RemoteProtocolError(
                f"{count} tagged fields are more than {MAX_TAGGED_FIELDS}", offset=position
            )
        tags: dict[int, bytes] = {}
        for _ in range(count):
            tag, position = read_unsigned_varint(frame, position)
            size, position = read_unsigned_varint(frame, position)
            if size > len(frame) - position:
                raise RemoteProtocolError(
                    f"tagged field {tag} announces {size} bytes, {len(frame) - position} are left",
                    offset=position,
                )
            tags[tag] = bytes(frame[position : position + size])
            position += size
    except RemoteProtocolError as error:
        error.where = where
        raise
    return tags or None, position
