"""A small blocking client: one connection, one request at a time. It is for command lines and jobs, not for traffic.

This is the only module of the package that opens a socket. It retries nothing; only `Client.bootstrap` tries several
addresses in turn.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Final, Self

from kafkaproto.connection import ClientConnection, IncomingResponse, Negotiated
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.frame import NEED_DATA
from kafkaproto.message import Message
from kafkaproto.messages import ApiVersionsResponse

DEFAULT_TIMEOUT_MS: Final = 30_000
"""Kafka's default of ``request.timeout.ms``."""

_RECEIVE_BYTES: Final = 65_536


def parse_servers(text: str) -> list[tuple[str, int]]:
    """The addresses in ``host:port,host:port``; an IPv6 address is in brackets.

    Raises ValueError, which names the part that is no such address.
    """
    servers = []
    for part in text.split(","):
        host, colon, port = part.strip().rpartition(":")
        host = host.removeprefix("[").removesuffix("]")
        if not colon or not host or not (port.isascii() and port.isdigit()) or not 0 < int(port) < 65536:
            raise ValueError(f"{part.strip()!r} is not HOST:PORT")
        servers.append((host, int(port)))
    return servers


class Client:
    """A connection to one server, whose versions are known; made by `connect` or `bootstrap`.

    An exception other than UnsupportedVersionError closes the connection. Otherwise a response that comes late would
    be taken for the response to the next request.
    """

    def __init__(
        self, stream: socket.socket, host: str, port: int, *, client_id: str | None, timeout_ms: int
    ) -> None:
        """Take over a connected socket and ask for the server's versions; raises as `send` does."""
        self.host = host
        self.port = port
        self._socket = stream
        self._timeout_ms = timeout_ms
        self._connection = ClientConnection(client_id=client_id)
        negotiated = self._exchange("ApiVersionsRequest")
        assert isinstance(negotiated, Negotiated)
        self.api_versions: ApiVersionsResponse = negotiated.api_versions

    @classmethod
    def connect(
        cls,
        host: str,
        port: int,
        *,
        timeout_ms: int = DEFAULT_TIMEOUT_MS,
        client_id: str | None = "kafkaproto",
    ) -> Self:
        """Connect to one server.

        ``timeout_ms`` limits connecting, and then each request with its response. Raises ConnectionError or
        TimeoutError; the text names host and port.
        """
        try:
            stream = socket.create_connection((host, port), timeout_ms / 1000)
        except TimeoutError as error:
            raise TimeoutError(f"{host}:{port} took no connection within {timeout_ms} ms") from error
        except OSError as error:
            raise ConnectionError(f"cannot connect to {host}:{port}: {error.strerror or error}") from error
        # Without this, Nagle's algorithm may hold a short request back until an earlier one is
        # acknowledged.
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return cls(stream, host, port, client_id=client_id, timeout_ms=timeout_ms)

    @classmethod
    def bootstrap(
        cls,
        servers: Sequence[tuple[str, int]],
        *,
        timeout_ms: int = DEFAULT_TIMEOUT_MS,
        client_id: str | None = "kafkaproto",
    ) -> Self:
        """Connect to the first server that responds, in the order given.

        Raises ConnectionError if none responds; its text says what happened at each.
        """
        failures = []
        for host, port in servers:
            try:
                return cls.connect(host, port, timeout_ms=timeout_ms, client_id=client_id)
            except OSError as error:
                failures.append(str(error))
        raise ConnectionError("; ".join(failures) or "no servers were given")

    def version_for(self, request: type[Message] | Message) -> int:
        """The highest version of a request that both ends know; raises UnsupportedVersionError."""
        return self._connection.version_for(request)

    def send(self, request: Message, version: int | None = None) -> Message:
        """Send a request and wait for its response. Without ``version``, the highest version that both ends know is
        used.

        Raises UnsupportedVersionError if both ends have no version in common, LocalProtocolError if the request cannot
        be encoded, TimeoutError if the response does not come in time, ConnectionError if the connection is lost or
        the response breaks the protocol.
        """
        self._connection.send_request(request, version)
        answer = self._exchange(request.NAME)
        assert isinstance(answer, IncomingResponse)
        return answer.response

    def close(self) -> None:
        """Close the connection; closing twice does nothing."""
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _exchange(self, request_name: str) -> Negotiated | IncomingResponse:
        """Write the pending data and read until the next event."""
        server = f"{self.host}:{self.port}"
        deadline = time.monotonic() + self._timeout_ms / 1000
        try:
            while True:
                self._limit_next_call(deadline)
                self._socket.sendall(b"".join(self._connection.data_to_send()))
                self._limit_next_call(deadline)
                data = self._socket.recv(_RECEIVE_BYTES)
                if not data:
                    raise ConnectionResetError("the server closed it")
                self._connection.receive(data)
                if (event := self._connection.next_event()) is not NEED_DATA:
                    return event
        except RemoteProtocolError as error:
            self.close()
            raise ConnectionError(
                f"{server} answered {request_name} with what is no answer: {error}"
            ) from error
        except TimeoutError as error:
            self.close()
            raise TimeoutError(
                f"{server} did not answer {request_name} within {self._timeout_ms} ms"
            ) from error
        except OSError as error:
            self.close()
            raise ConnectionError(
                f"lost the connection to {server} before {request_name} was answered: {error.strerror or error}"
            ) from error

    def _limit_next_call(self, deadline: float) -> None:
        """Give the next call on the socket the time that is left until ``deadline``. A fixed limit for each call would
        let a server that sends single bytes hold us for ever.
        """
        seconds = deadline - time.monotonic()
        if seconds <= 0:
            raise TimeoutError
        self._socket.settimeout(seconds)
