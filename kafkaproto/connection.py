"""Both ends of a Kafka connection, without a socket: bytes in, events out; messages in, bytes out.

`ServerConnection` turns the bytes that a client sends into requests, in order. It insists that responses are sent in
the same order: the protocol matches them by position, and the correlation id only confirms the match.
`ClientConnection` starts with ApiVersions, so that every request is sent at the highest version that both ends know.

Give received bytes to ``receive``, then call ``next_event`` until it returns NEED_DATA. RemoteProtocolError means that
the peer broke the protocol: close the connection, because nothing more can be read from it.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from kafkaproto.api import ApiInfo, ApiKey, api_by_key
from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.errors import RemoteProtocolError, UnsupportedVersionError
from kafkaproto.frame import NEED_DATA, FrameReader, NeedData, Piece, encode_frame
from kafkaproto.headers import (
    decode_request_header,
    decode_response_header,
    encode_request_header,
    encode_response_header,
)
from kafkaproto.message import Message
from kafkaproto.messages import ApiVersionsRequest, ApiVersionsResponse
from kafkaproto.primitives import Buffer

SOFTWARE_NAME: Final = "kafkaproto"
SOFTWARE_VERSION: Final = "0.1.0"
"""The version of this package. ApiVersions tells it to the server."""

MAX_RESPONSE_SIZE_BYTES: Final = 1 << 30
"""Largest response accepted. Requests limit their responses to far less. If the peer is an HTTP server, its first
bytes, read as a size, are more than this: the response is refused at once, and nobody waits for it.
"""

_NEGOTIATION_VERSION: Final = 4
"""Version of the first ApiVersions request. A server that does not know it responds in version 0 and says so."""

ServedVersions = Callable[[int], tuple[int, int] | None]
"""Returns the lowest and highest version served of an API key; None for a key that is not served at all."""

FrameLimit = Callable[[int], int]
"""Returns the largest request accepted of an API key, in bytes of its frame, header included. It is called for APIs
that are served in the version of the request, and for ApiVersions in any version.
"""

_API_AND_VERSION: Final = struct.Struct(">hh")
"""The first bytes of every request: API key and version."""


class IncomingRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A whole request of an API and version that are served. Its body is not decoded yet."""

    api_key: int
    api_version: int
    correlation_id: int
    client_id: str | None
    frame: bytes
    """Header and body."""
    body_offset: int
    """The offset in ``frame`` at which the body starts."""


class UnsupportedApiVersions(msgspec.Struct, frozen=True, kw_only=True):
    """An ApiVersions request of a version that is not served.

    Its body cannot be read. The server responds all the same, with an ApiVersions response of version 0 and error 35,
    so that the client can choose another version (KIP-511). Any other request of a version that is not served ends the
    connection.
    """

    api_version: int
    correlation_id: int
    client_id: str | None


class ServerConnection:
    """The server's end of one connection."""

    __slots__ = ("_frame_limit", "_frames", "_is_begun_accepted", "_served_versions", "_unanswered")

    def __init__(
        self,
        served_versions: ServedVersions,
        *,
        max_request_size: int,
        frame_limit: FrameLimit | None = None,
    ) -> None:
        """``max_request_size`` is the largest request accepted, in bytes; ``frame_limit`` may return less for an API.

        ``frame_limit`` is called as soon as the first four bytes of a request have arrived. So a request that is too
        large, or of an API that is not served, is refused before its body is kept.
        """
        self._served_versions = served_versions
        self._frame_limit = frame_limit
        # Whether the request that is arriving was checked and accepted.
        self._is_begun_accepted = False
        self._frames = FrameReader(max_request_size)
        # Correlation id and response header version of each request without a response, oldest first.
        self._unanswered: deque[tuple[int, int]] = deque()

    @property
    def buffered_bytes(self) -> int:
        """Bytes received that are not part of an event yet."""
        return self._frames.buffered_bytes

    @property
    def is_inside_request(self) -> bool:
        """Whether a request has begun to arrive and is not complete."""
        return self._frames.is_inside_frame

    @property
    def missing_bytes(self) -> int:
        """How many bytes the request that is arriving still lacks, as far as its size is known; at most 0 if it is
        there."""
        return self._frames.missing_bytes

    def receive(self, data: Buffer) -> None:
        """Take the next bytes that arrived."""
        self._frames.receive(data)

    def next_event(self) -> IncomingRequest | UnsupportedApiVersions | NeedData:
        """The next request, or NEED_DATA.

        Raises RemoteProtocolError if the size is out of bounds, the header cannot be parsed, or the API key or version
        is not served. Kafka closes the connection in all these cases, without a response.
        """
        frame = self._frames.next_frame()
        if frame is NEED_DATA:
            # Once for each request: a peer that sends single bytes must not have it checked at each
            # of them.
            if not self._is_begun_accepted:
                self._check_begun()
            return NEED_DATA
        self._is_begun_accepted = False
        header, body_offset = decode_request_header(frame, self._request_header_version)
        api_key, api_version = header.api_key, header.api_version
        # Again for a request that arrived at once: then nothing was checked before it was complete.
        self._check_size(api_key, api_version, len(frame))
        if api_key == ApiKey.API_VERSIONS and not self._is_served(api_key, api_version):
            # Header version 0, which is that of ApiVersions in any version (KIP-511).
            self._unanswered.append((header.correlation_id, 0))
            return UnsupportedApiVersions(
                api_version=api_version, correlation_id=header.correlation_id, client_id=header.client_id
            )
        self._unanswered.append((header.correlation_id, _api(api_key).response_header_version(api_version)))
        return IncomingRequest(
            api_key=api_key,
            api_version=api_version,
            correlation_id=header.correlation_id,
            client_id=header.client_id,
            frame=frame,
            body_offset=body_offset,
        )

    def send_response(self, correlation_id: int, body: Sequence[Piece]) -> list[Buffer | Piece]:
        """The buffers to send for a response whose encoded body is ``body``; nothing is copied. A piece may be
        anything that has a length (`frame.encode_frame`).

        Responses must be sent in the order of the requests: ``correlation_id`` must be that of the oldest request
        without a response.
        """
        header: Buffer = encode_response_header(correlation_id, self._answer(correlation_id))
        return encode_frame([header, *body])

    def skip_response(self, correlation_id: int) -> None:
        """Send no response to the oldest open request, which has this correlation id (Produce with acks 0)."""
        self._answer(correlation_id)

    def _check_begun(self) -> None:
        """Refuse a request that has arrived in part, if its first four bytes are reason enough."""
        frame_size = self._frames.frame_size
        if frame_size is None or frame_size < _API_AND_VERSION.size:
            return
        begin = self._frames.peek(_API_AND_VERSION.size)
        if len(begin) < _API_AND_VERSION.size:
            return
        api_key, api_version = _API_AND_VERSION.unpack(begin)
        self._request_header_version(api_key, api_version)
        self._check_size(api_key, api_version, frame_size)
        self._is_begun_accepted = True

    def _check_size(self, api_key: int, api_version: int, frame_size: int) -> None:
        if self._frame_limit is None:
            return
        limit = self._frame_limit(api_key)
        if frame_size > limit:
            raise RemoteProtocolError(
                f"{_api(api_key).name} version {api_version}: a request of {frame_size} bytes is announced, allowed"
                f" are {limit}"
            )

    def _answer(self, correlation_id: int) -> int:
        assert self._unanswered, "there is no request to answer"
        oldest, header_version = self._unanswered.popleft()
        # A client matches responses by their position. One in the wrong place would answer another
        # request.
        assert oldest == correlation_id, f"request {oldest} is to be answered before {correlation_id}"
        return header_version

    def _is_served(self, api_key: int, api_version: int) -> bool:
        served = self._served_versions(api_key)
        return served is not None and served[0] <= api_version <= served[1]

    def _request_header_version(self, api_key: int, api_version: int) -> int:
        """The header version. Refuses an API or version that is not served before anything depends on it."""
        if self._is_served(api_key, api_version):
            return _api(api_key).request_header_version(api_version)
        if api_key == ApiKey.API_VERSIONS:
            # Version 1 is enough to find the client id. Where the header of an unknown version ends is not known.
            return 1
        served = self._served_versions(api_key)
        if served is None:
            raise RemoteProtocolError(f"api key {api_key} is not served here")
        raise RemoteProtocolError(
            f"{_api(api_key).name} version {api_version} is not served here,"
            f" versions {served[0]} to {served[1]} are"
        )


class Negotiated(msgspec.Struct, frozen=True, kw_only=True):
    """The server has sent its supported versions; requests may be sent from now on."""

    api_versions: ApiVersionsResponse


class IncomingResponse(msgspec.Struct, frozen=True, kw_only=True):
    """The response to the oldest request that waited for one."""

    correlation_id: int
    api_version: int
    response: Message


class ClientConnection:
    """The client's end of one connection. ``data_to_send`` returns the bytes to write."""

    def __init__(self, *, client_id: str | None, max_response_size: int = MAX_RESPONSE_SIZE_BYTES) -> None:
        """``max_response_size`` is the largest response accepted, in bytes. An ApiVersions request is ready to be sent
        at once. No other request may be sent before its response, which is the event `Negotiated`.
        """
        self._client_id = client_id
        self._frames = FrameReader(max_response_size)
        self._outgoing: list[Buffer] = []
        self._next_correlation_id = 0
        # Correlation id, api and version of each request sent, oldest first.
        self._waiting: deque[tuple[int, ApiInfo, int]] = deque()
        self._served: dict[int, tuple[int, int]] | None = None
        self._send_api_versions(_NEGOTIATION_VERSION)

    @property
    def served_versions(self) -> Mapping[int, tuple[int, int]] | None:
        """Lowest and highest version of each API key that the server serves; None until the server has sent them."""
        return self._served

    @property
    def is_inside_response(self) -> bool:
        """Whether bytes have arrived that no event has used yet. If no request waits, these bytes are no response."""
        return self._frames.is_inside_frame

    def data_to_send(self) -> list[Buffer]:
        """The buffers to write now; each is returned once."""
        outgoing, self._outgoing = self._outgoing, []
        return outgoing

    def receive(self, data: Buffer) -> None:
        """Take the next bytes that arrived."""
        self._frames.receive(data)

    def version_for(self, request: type[Message] | Message) -> int:
        """The highest version of a request that both ends know, unreleased ones left out.

        Raises UnsupportedVersionError, which says what each end knows, if there is none.
        """
        lowest, highest = self._served_range(request)
        # An unreleased version may still change. By default, Kafka's servers do not advertise one.
        ours = request.MAX_VERSION - request.LATEST_VERSION_UNSTABLE
        version = min(ours, highest)
        if version < max(request.MIN_VERSION, lowest):
            raise UnsupportedVersionError(
                f"no version is common: the server knows {lowest} to {highest}, we know"
                f" {request.MIN_VERSION} to {ours}",
                where=request.NAME,
            )
        return version

    def send_request(self, request: Message, version: int | None = None) -> int:
        """Add a request to the data to send. Without ``version``, the highest version that both ends know is used.

        Returns its correlation id. Raises UnsupportedVersionError if the server does not know the version, and what
        ``request.encode`` raises.
        """
        if version is None:
            version = self.version_for(request)
        else:
            lowest, highest = self._served_range(request)
            if not lowest <= version <= highest:
                raise UnsupportedVersionError(
                    f"version {version} is not among the server's, which are {lowest} to {highest}",
                    where=request.NAME,
                )
        return self._send(request, version)

    def next_event(self) -> Negotiated | IncomingResponse | NeedData:
        """The next response, or NEED_DATA; there may be new data to send after it.

        Raises RemoteProtocolError if a response cannot be parsed, if no request waits for it, and if the response to
        ApiVersions is an error that leaves no version to try.
        """
        while (frame := self._frames.next_frame()) is not NEED_DATA:
            if not self._waiting:
                raise RemoteProtocolError("a response came that no request waits for")
            correlation_id, info, version = self._waiting.popleft()
            answered, offset = decode_response_header(frame, info.response_header_version(version))
            # From here on every response would belong to another request, so nothing after it is of
            # use.
            if answered != correlation_id:
                raise RemoteProtocolError(
                    f"the response has correlation id {answered}, that of request {correlation_id} is due"
                )
            if self._served is None:
                negotiated = self._negotiate(frame, offset, version)
                if negotiated is not None:
                    return negotiated
            else:
                response, _ = info.response_class.decode(frame, version, offset)
                return IncomingResponse(correlation_id=correlation_id, api_version=version, response=response)
        return NEED_DATA

    def _negotiate(self, frame: bytes, offset: int, version: int) -> Negotiated | None:
        """Read the response to ApiVersions; None if the request has to be sent again at another version."""
        is_refused = frame[offset : offset + 2] == ErrorCode.UNSUPPORTED_VERSION.to_bytes(2)
        # A server that does not know the version responds in version 0, the only one that every client can read.
        response, _ = ApiVersionsResponse.decode(frame, 0 if is_refused else version, offset)
        served = {entry.api_key: (entry.min_version, entry.max_version) for entry in response.api_keys}
        if is_refused and version > 0:
            _, highest = served.get(ApiKey.API_VERSIONS, (0, 0))
            # Always lower than the last attempt, so that a server that refuses every version ends
            # the exchange.
            self._send_api_versions(max(0, min(highest, version - 1)))
            return None
        if response.error_code:
            error = describe(response.error_code)
            raise RemoteProtocolError(f"ApiVersions is answered with error {error.code} {error.name}")
        self._served = served
        return Negotiated(api_versions=response)

    def _send_api_versions(self, version: int) -> None:
        request = ApiVersionsRequest(
            client_software_name=SOFTWARE_NAME, client_software_version=SOFTWARE_VERSION
        )
        self._send(request, version)

    def _send(self, request: Message, version: int) -> int:
        info = _api(request.API_KEY)
        body = request.encode(version)
        correlation_id = self._next_correlation_id
        header = encode_request_header(
            api_key=info.key, api_version=version, correlation_id=correlation_id, client_id=self._client_id
        )
        self._outgoing += encode_frame([header, body])
        self._waiting.append((correlation_id, info, version))
        # The field is a signed int32, and a connection may live for years.
        self._next_correlation_id = (correlation_id + 1) & 0x7FFF_FFFF
        return correlation_id

    def _served_range(self, request: type[Message] | Message) -> tuple[int, int]:
        assert self._served is not None, "a request before the server said what it serves"
        served = self._served.get(_api(request.API_KEY).key)
        if served is None:
            raise UnsupportedVersionError("the server does not serve this api", where=request.NAME)
        return served


def _api(api_key: int | None) -> ApiInfo:
    """The api of a key that is known to exist."""
    info = None if api_key is None else api_by_key(api_key)
    assert info is not None, f"api key {api_key} does not exist"
    return info
