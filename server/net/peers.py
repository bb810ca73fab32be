"""Outbound connections to other nodes: connect, agree on versions, one request in flight, reconnect with
backoff.

Makes no Kafka decision and repeats no request: whether a lost one may be sent again only its sender knows.
After a timeout, a cancellation or a broken answer the connection is given up, because the late answer would
be taken for the next one.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

import trio

from kafkaproto.connection import ClientConnection, Negotiated, ResponseReceived
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.frame import NEED_DATA
from kafkaproto.message import Message
from server.net.chunks import chunked
from server.net.limits import (
    CONNECT_TIMEOUT_MS,
    RECEIVE_CHUNK_BYTES,
    SEND_CHUNK_BYTES,
)
from server.ports import Rng


class DisconnectCause(enum.Enum):
    """Why a node could not be reached, or was lost."""

    REFUSED = "refused"
    """Nobody listens there."""
    UNREACHABLE = "unreachable"
    """No route, no such name, or no answer to connecting in time."""
    RESET = "reset"
    """The connection broke."""
    CLOSED = "closed"
    """The node closed the connection, which is also how it refuses requests."""
    BAD_ANSWER = "bad answer"
    """What it sent is not Kafka's protocol."""


class PeerError(Exception):
    """A request to another node got no answer. The node may have acted on it all the same."""

    def __init__(self, host: str, port: int, what: str) -> None:
        super().__init__(f"{host}:{port} {what}")
        self.host = host
        self.port = port


class PeerDisconnected(PeerError):
    """There is no connection to the node, or it was lost before the answer came."""

    def __init__(self, host: str, port: int, cause: DisconnectCause, detail: str) -> None:
        super().__init__(host, port, f"{cause.value}: {detail}")
        self.cause = cause


class PeerTimeout(PeerError):
    """The answer did not come in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconnectBackoff:
    """How long to wait between attempts to connect: doubled each time, a fifth of it random."""

    initial_ms: int
    max_ms: int

    def delay_ms(self, failures: int, rng: Rng) -> int:
        """The wait after this many failures in a row, at least one."""
        # The exponent is capped because a node may be away for days.
        delay = min(self.max_ms, self.initial_ms << min(failures - 1, 20))
        return delay - delay // 10 + rng.below(delay // 5 + 1)


class PeerChannel:
    """One connection to one node, made when first needed and again when it was lost."""

    def __init__(
        self,
        host: str,
        port: int,
        *,
        client_id: str,
        backoff: ReconnectBackoff,
        rng: Rng,
        connect_timeout_ms: int = CONNECT_TIMEOUT_MS,
    ) -> None:
        self.host = host
        self.port = port
        self._client_id = client_id
        self._backoff = backoff
        self._rng = rng
        self._connect_timeout_ms = connect_timeout_ms
        self._one_at_a_time = trio.Lock()
        self._stream: trio.SocketStream | None = None
        self._connection: ClientConnection | None = None
        self._failures = 0
        self._may_connect_at = trio.current_time()

    @property
    def served_versions(self) -> Mapping[int, tuple[int, int]] | None:
        """Lowest and highest version of each api key that the node serves; None while there is no connection."""
        return None if self._connection is None else self._connection.served_versions

    async def send(self, request: Message, version: int | None = None, *, timeout_ms: int) -> Message:
        """Send a request, at the highest common version unless one is given, and wait for its response.

        The time counts from the call on: waiting for an earlier request, for the backoff and for the
        connection are all in it. Raises PeerDisconnected, PeerTimeout, UnsupportedVersionError if no version
        is common.
        """
        with trio.move_on_after(timeout_ms / 1000):
            async with self._one_at_a_time:
                connection = await self._connected()
                # Raises before anything is written, so that the connection stays usable.
                connection.send_request(request, version)
                answer = await self._exchange(connection)
                assert isinstance(answer, ResponseReceived)
                return answer.response
        raise PeerTimeout(self.host, self.port, f"did not answer {request.NAME} within {timeout_ms} ms")

    def close(self) -> None:
        """Give the connection up; a request in flight fails, a later one connects again."""
        self._disconnect()

    async def _connected(self) -> ClientConnection:
        if self._connection is not None:
            return self._connection
        await trio.sleep_until(self._may_connect_at)
        # Counted as a failure until it succeeds, so that being cancelled half-way counts as one.
        self._failures += 1
        self._put_off_connecting(self._failures)
        await self._open_stream()
        connection = ClientConnection(client_id=self._client_id)
        answer = await self._exchange(connection)
        assert isinstance(answer, Negotiated)
        self._failures = 0
        # A node that takes connections and then drops them is not called without a pause either.
        self._put_off_connecting(failures=1)
        self._connection = connection
        return connection

    def _put_off_connecting(self, failures: int) -> None:
        self._may_connect_at = trio.current_time() + self._backoff.delay_ms(failures, self._rng) / 1000

    async def _open_stream(self) -> None:
        try:
            with trio.fail_after(self._connect_timeout_ms / 1000):
                self._stream = await trio.open_tcp_stream(self.host, self.port)
        except trio.TooSlowError:
            raise self._disconnected(
                DisconnectCause.UNREACHABLE, f"no connection within {self._connect_timeout_ms} ms"
            ) from None
        except OSError as error:
            # trio gathers what went wrong at each of a name's addresses.
            attempts = error.__cause__
            last = attempts.exceptions[-1] if isinstance(attempts, ExceptionGroup) else error
            is_refused = isinstance(last, ConnectionRefusedError)
            cause = DisconnectCause.REFUSED if is_refused else DisconnectCause.UNREACHABLE
            raise self._disconnected(cause, str(last)) from error

    async def _exchange(self, connection: ClientConnection) -> Negotiated | ResponseReceived:
        """Write what is to be written and read up to the next event; anything that goes wrong disconnects."""
        stream = self._stream
        assert stream is not None
        try:
            while True:
                for chunk in chunked(connection.data_to_send(), SEND_CHUNK_BYTES):
                    await stream.send_all(chunk)
                data = await stream.receive_some(RECEIVE_CHUNK_BYTES)
                if not data:
                    raise self._disconnected(DisconnectCause.CLOSED, "it closed the connection")
                connection.receive(data)
                if (event := connection.next_event()) is not NEED_DATA:
                    return event
        except trio.BrokenResourceError as error:
            raise self._disconnected(DisconnectCause.RESET, str(error)) from error
        except trio.ClosedResourceError:
            raise self._disconnected(DisconnectCause.CLOSED, "we closed the connection") from None
        except RemoteProtocolError as error:
            raise self._disconnected(DisconnectCause.BAD_ANSWER, str(error)) from error
        except trio.Cancelled:
            self._disconnect()
            raise

    def _disconnected(self, cause: DisconnectCause, detail: str) -> PeerDisconnected:
        self._disconnect()
        return PeerDisconnected(self.host, self.port, cause, detail)

    def _disconnect(self) -> None:
        stream, self._stream, self._connection = self._stream, None, None
        if stream is not None:
            stream.socket.close()
