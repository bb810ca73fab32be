"""Outbound connections to other nodes: connect, agree on versions, one request in flight, reconnect with backoff.

This module makes no decision about Kafka's protocol, and repeats no request: only the sender knows whether a lost
request may be sent again. After a timeout, a cancellation or an invalid response the connection is closed, because the
late response would be taken for the next one.

The end of a connection is noticed as soon as the system reports it: at once while a response is awaited, however long
that takes, and before the next request if it ended in between. That request then uses a new connection: nothing of it
was lost with the old one.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping

import trio

from kafkaproto.connection import ClientConnection, IncomingResponse, Negotiated
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.frame import NEED_DATA
from kafkaproto.message import Message
from kafkaproto_server.base.backoff import Backoff
from kafkaproto_server.base.ports import Rng
from kafkaproto_server.shell.net.chunks import chunked
from kafkaproto_server.shell.net.limits import (
    CONNECT_TIMEOUT_MS,
    RECEIVE_CHUNK_BYTES,
    SEND_CHUNK_BYTES,
)
from kafkaproto_server.shell.net.older_nodes import fitted
from kafkaproto_server.shell.net.streams import Connect, OutboundStream, connect_tcp

Prepare = Callable[[Mapping[int, tuple[int, int]]], tuple[Message, int | None]]
"""Makes a request and its version (None for the highest common one) from the versions that a node serves, by API
key."""


class DisconnectCause(enum.Enum):
    """Why a node could not be reached, or why its connection was lost."""

    REFUSED = "refused"
    """Nothing listens at the address."""
    UNREACHABLE = "unreachable"
    """No route, no such name, or no response to connecting in time."""
    RESET = "reset"
    """The connection broke."""
    CLOSED = "closed"
    """The node closed the connection. Nodes also refuse requests in this way."""
    BAD_RESPONSE = "bad answer"
    """The received bytes are not Kafka's protocol."""


class PeerError(Exception):
    """A request to another node got no response. The node may have carried it out all the same."""

    def __init__(self, host: str, port: int, what: str) -> None:
        super().__init__(f"{host}:{port} {what}")
        self.host = host
        self.port = port


class PeerDisconnected(PeerError):
    """There is no connection to the node, or it was lost before the response came."""

    def __init__(self, host: str, port: int, cause: DisconnectCause, detail: str) -> None:
        super().__init__(host, port, f"{cause.value}: {detail}")
        self.cause = cause


class PeerTimeout(PeerError):
    """The response did not come in time."""

    def __init__(self, host: str, port: int, what: str, *, was_connected: bool) -> None:
        super().__init__(host, port, what)
        self.was_connected = was_connected
        """Whether there was a connection, and the request may have been read."""


class PeerChannel:
    """One connection to one node, made when it is first needed, and again after it was lost."""

    def __init__(
        self,
        host: str,
        port: int,
        *,
        client_id: str,
        backoff: Backoff | None,
        rng: Rng,
        connect_timeout_ms: int = CONNECT_TIMEOUT_MS,
        connect: Connect = connect_tcp,
    ) -> None:
        """Without ``backoff`` every request may try to connect at once; the sender then makes the pauses."""
        self.host = host
        self.port = port
        self.sent_bytes = 0
        self.received_bytes = 0
        self.remote_host: str | None = None
        """The address of ``host`` to which this node was last connected; None if it never was."""
        self._client_id = client_id
        self._backoff = backoff
        self._rng = rng
        self._connect_timeout_ms = connect_timeout_ms
        self._one_at_a_time = trio.Lock()
        self._connect = connect
        self._stream: OutboundStream | None = None
        self._connection: ClientConnection | None = None
        self._failures = 0
        self._may_connect_at = trio.current_time()

    @property
    def served_versions(self) -> Mapping[int, tuple[int, int]] | None:
        """Lowest and highest version of each API that the node serves, by API key; None without a connection."""
        return None if self._connection is None else self._connection.served_versions

    async def send(self, request: Message, version: int | None = None, *, timeout_ms: int) -> Message:
        """Send a request, at the highest common version unless one is given, and return its response.

        The timeout starts with the call: it includes waiting for an earlier request, for the backoff and for the
        connection. Raises PeerDisconnected, PeerTimeout, and LocalProtocolError if the request cannot be sent to this
        node: UnsupportedVersionError if there is no common version, or if that version lacks a field that may not be
        left out (`shell.net.older_nodes`).
        """
        return await self.ask(request.NAME, lambda served: (request, version), timeout_ms=timeout_ms)

    async def ask(self, name: str, prepare: Prepare, *, timeout_ms: int) -> Message:
        """As `send`, for a request that depends on the versions that the node serves.

        Exceptions from ``prepare`` are raised, and leave the connection usable; ``name`` is for messages.
        """
        connection = None
        with trio.move_on_after(timeout_ms / 1000):
            await self._take_turn()
            try:
                connection = await self._connected()
                served = connection.served_versions
                assert served is not None, "a connection knows the versions once it is made"
                # An exception here comes before anything is written, so the connection stays usable.
                request, version = prepare(served)
                if version is None:
                    version = connection.version_for(request)
                connection.send_request(fitted(request, version), version)
                response = await self._exchange(connection)
                assert isinstance(response, IncomingResponse)
                return response.response
            finally:
                self._one_at_a_time.release()
        raise PeerTimeout(
            self.host,
            self.port,
            f"did not answer {name} within {timeout_ms} ms",
            was_connected=connection is not None,
        )

    @property
    def is_busy(self) -> bool:
        """Whether a request is in flight."""
        return self._one_at_a_time.locked()

    @property
    def is_ready(self) -> bool:
        """Whether a request could be sent at once, or is in flight."""
        return self.is_busy or (self._connection is not None and not self._has_ended())

    async def prepare(self, *, timeout_ms: int) -> None:
        """Make a connection for the next request. Raises PeerDisconnected, PeerTimeout."""
        with trio.move_on_after(timeout_ms / 1000):
            await self._take_turn()
            try:
                await self._connected()
                return
            finally:
                self._one_at_a_time.release()
        raise PeerTimeout(
            self.host, self.port, f"took no connection within {timeout_ms} ms", was_connected=False
        )

    def close(self) -> None:
        """Close the connection. A request in flight fails; a later one connects again."""
        self._disconnect()

    async def _take_turn(self) -> None:
        try:
            # Awaiting a free lock would first cost a turn of the event loop.
            self._one_at_a_time.acquire_nowait()
        except trio.WouldBlock:
            await self._one_at_a_time.acquire()

    async def _connected(self) -> ClientConnection:
        if self._connection is not None and not self._has_ended():
            return self._connection
        self._disconnect()
        await trio.sleep_until(self._may_connect_at)
        # Counted as a failure until it succeeds, so that a cancellation on the way counts as one.
        self._failures += 1
        self._put_off_connecting(self._failures)
        await self._open_stream()
        connection = ClientConnection(client_id=self._client_id)
        response = await self._exchange(connection)
        assert isinstance(response, Negotiated)
        self._failures = 0
        # A node that accepts connections and then drops them is not contacted without a pause either.
        self._put_off_connecting(failures=1)
        # Only now, with the versions agreed on: a connection that was cancelled before is not used
        # again.
        self._connection = connection
        return connection

    def _has_ended(self) -> bool:
        """Whether the other end has closed or reset the connection, on which no response is due.

        Any data to read means that, because no data may come now.
        """
        assert self._stream is not None
        assert self._connection is not None
        # Bytes of a response to nothing: what follows could not be told apart from the next
        # response.
        if self._connection.is_inside_response:
            return True
        return self._stream.has_input()

    def _put_off_connecting(self, failures: int) -> None:
        if self._backoff is not None:
            self._may_connect_at = (
                trio.current_time() + self._backoff.random_delay_ms(failures, self._rng) / 1000
            )

    async def _open_stream(self) -> None:
        try:
            with trio.fail_after(self._connect_timeout_ms / 1000):
                # Of several addresses, the first that accepts counts; a name is looked up anew each time, as it may
                # have moved.
                self._stream = await self._connect(self.host, self.port)
            self.remote_host = self._stream.remote_host
        except trio.TooSlowError:
            raise self._disconnected(
                DisconnectCause.UNREACHABLE, f"no connection within {self._connect_timeout_ms} ms"
            ) from None
        except OSError as error:
            # trio collects the errors of all addresses of a name.
            attempts = error.__cause__
            last = attempts.exceptions[-1] if isinstance(attempts, ExceptionGroup) else error
            is_refused = isinstance(last, ConnectionRefusedError)
            cause = DisconnectCause.REFUSED if is_refused else DisconnectCause.UNREACHABLE
            raise self._disconnected(cause, str(last)) from error
        except ValueError as error:
            # The text that another node registers as its host may be no valid name. It then fails before any lookup.
            raise self._disconnected(DisconnectCause.UNREACHABLE, str(error)) from error

    async def _exchange(self, connection: ClientConnection) -> Negotiated | IncomingResponse:
        """Write the pending bytes, and read until the next event. Any error disconnects."""
        stream = self._stream
        assert stream is not None
        try:
            while True:
                for chunk in chunked(connection.data_to_send(), SEND_CHUNK_BYTES):
                    await stream.send_all(chunk)
                    self.sent_bytes += len(chunk)
                data = await stream.receive_some(RECEIVE_CHUNK_BYTES)
                if not data:
                    raise self._disconnected(DisconnectCause.CLOSED, "it closed the connection")
                self.received_bytes += len(data)
                connection.receive(data)
                if (event := connection.next_event()) is not NEED_DATA:
                    return event
        except trio.BrokenResourceError as error:
            raise self._disconnected(DisconnectCause.RESET, str(error)) from error
        except trio.ClosedResourceError:
            raise self._disconnected(DisconnectCause.CLOSED, "we closed the connection") from None
        except RemoteProtocolError as error:
            raise self._disconnected(DisconnectCause.BAD_RESPONSE, str(error)) from error
        # The response may still come, and would be taken for that of the next request.
        except trio.Cancelled:
            self._disconnect()
            raise

    def _disconnected(self, cause: DisconnectCause, detail: str) -> PeerDisconnected:
        self._disconnect()
        return PeerDisconnected(self.host, self.port, cause, detail)

    def _disconnect(self) -> None:
        stream, self._stream, self._connection = self._stream, None, None
        if stream is not None:
            stream.close()
