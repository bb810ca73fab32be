"""Connections that go wrong: half a request, garbage, a length that cannot be, no word at all."""

from __future__ import annotations

import socket
import struct
from collections import deque
from collections.abc import Callable

from compat.soaking.load import Ground, Load
from kafkaproto.headers import encode_request_header
from kafkaproto.messages import MetadataRequest

CONNECT_S = 10.0
SILENT_KEPT = 12
"""Connections without a word that are open at a time."""
MAX_GARBAGE = 4_000


class BrokenConnections(Load):
    """Each step is a connection to one listener of one node, in one of the ways."""

    INTERVAL_S = 1.0

    def __init__(self, ground: Ground) -> None:
        """No connection yet."""
        super().__init__("broken connections", ground)
        self._addresses = [*ground.brokers, *ground.controllers]
        self._silent: deque[socket.socket] = deque()
        self._ways: list[Callable[[socket.socket], None]] = [
            self._half_a_request,
            self._only_a_length,
            self._garbage,
            self._impossible_length,
            self._another_protocol,
            self._no_response_wanted,
            self._reset,
        ]

    def step(self) -> None:
        """See Load."""
        host, port = self._addresses[self.done % len(self._addresses)].rsplit(":", 1)
        connection = socket.create_connection((host, int(port)), CONNECT_S)
        if self.done % (len(self._ways) + 1) == len(self._ways):
            self._silent.append(connection)
            if len(self._silent) > SILENT_KEPT:
                self._silent.popleft().close()
        else:
            with connection:
                self._ways[self.done % (len(self._ways) + 1)](connection)
        self.done += 1

    def _request(self) -> bytes:
        header = encode_request_header(
            api_key=MetadataRequest.API_KEY or 0,
            api_version=12,
            correlation_id=1,
            client_id=f"broken-{self.done}",
        )
        payload = header + MetadataRequest(topics=None).encode(12)
        return struct.pack(">i", len(payload)) + payload

    def _half_a_request(self, connection: socket.socket) -> None:
        request = self._request()
        connection.sendall(request[: self.random.randrange(1, len(request))])

    def _only_a_length(self, connection: socket.socket) -> None:
        connection.sendall(struct.pack(">i", self.random.randrange(1, 1 << 20)))

    def _garbage(self, connection: socket.socket) -> None:
        connection.sendall(self.random.randbytes(self.random.randrange(1, MAX_GARBAGE)))

    def _impossible_length(self, connection: socket.socket) -> None:
        connection.sendall(struct.pack(">i", self.random.choice((-1, -(1 << 31), 0, (1 << 31) - 1))))

    def _another_protocol(self, connection: socket.socket) -> None:
        hello = b"\x16\x03\x01\x00\xc4\x01\x00\x00\xc0\x03\x03" + self.random.randbytes(32)
        connection.sendall(self.random.choice((hello, b"GET / HTTP/1.1\r\nHost: kafka\r\n\r\n")))

    def _no_response_wanted(self, connection: socket.socket) -> None:
        connection.sendall(self._request() * 3)

    def _reset(self, connection: socket.socket) -> None:
        connection.sendall(self._request())
        # Closing sends a reset, not an orderly end.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def close(self) -> None:
        """See Load."""
        for each in self._silent:
            each.close()
