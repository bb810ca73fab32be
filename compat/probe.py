"""One raw connection to a server of either implementation: whole requests, or any bytes at all, and what comes back.

Deliberately simpler than a client. It sends exactly what it is told, never retries, negotiates nothing, and tells
an answer from a closed connection, so that a test can compare how two servers treat the same bytes.
"""

import socket
import struct
from types import TracebackType
from typing import Self

from kafkaproto.api import api_by_key
from kafkaproto.headers import decode_response_header, encode_request_header
from kafkaproto.message import Message

# Servers on this machine answer in milliseconds; only a wedged one needs longer.
RESPONSE_TIMEOUT_S = 20.0


class ClosedByServerError(Exception):
    """The server closed the connection instead of answering."""


class Probe:
    """A connection to HOST:PORT, to be used in a `with` block."""

    def __init__(self, address: str, source_host: str = "") -> None:
        """Connects, from this address of ours if one is given; raises OSError if nobody listens there."""
        host, port = address.rsplit(":", 1)
        self._socket = socket.create_connection(
            (host, int(port)), timeout=RESPONSE_TIMEOUT_S, source_address=(source_host, 0)
        )
        self._correlation_id = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def send(self, data: bytes) -> None:
        """Sends these bytes as they are."""
        self._socket.sendall(data)

    def send_frame(self, payload: bytes) -> None:
        """Sends the bytes after their length, which is how every request goes."""
        self.send(struct.pack(">i", len(payload)) + payload)

    def receive_frame(self) -> bytes:
        """The next answer without its length; raises ClosedByServerError, or TimeoutError if nothing comes."""
        (size,) = struct.unpack(">i", self._receive_exactly(4))
        return self._receive_exactly(size)

    def exchange(self, payload: bytes) -> bytes:
        """Sends a frame and returns the answer to it; raises as receive_frame does."""
        self.send_frame(payload)
        return self.receive_frame()

    def send_request(self, request: Message, version: int) -> None:
        """Sends a request in that version, and does not wait for the answer."""
        assert request.API_KEY is not None
        self._correlation_id += 1
        header = encode_request_header(
            api_key=request.API_KEY,
            api_version=version,
            correlation_id=self._correlation_id,
            client_id="probe",
        )
        self.send_frame(header + request.encode(version))

    def ask(self, request: Message, version: int) -> Message:
        """Sends a request in that version and returns the decoded answer; raises as receive_frame does."""
        assert request.API_KEY is not None
        api = api_by_key(request.API_KEY)
        assert api is not None
        self.send_request(request, version)
        received = self.receive_frame()
        correlation_id, body = decode_response_header(received, api.response_header_version(version))
        assert correlation_id == self._correlation_id, "an answer to another request"
        response, end = api.response_class.decode(received, version, body)
        assert end == len(received), f"{len(received) - end} bytes after the answer"
        return response

    def _receive_exactly(self, size: int) -> bytes:
        received = bytearray()
        while len(received) < size:
            try:
                chunk = self._socket.recv(size - len(received))
            except ConnectionError:
                chunk = b""
            if not chunk:
                raise ClosedByServerError(f"closed after {len(received)} of {size} bytes")
            received += chunk
        return bytes(received)
