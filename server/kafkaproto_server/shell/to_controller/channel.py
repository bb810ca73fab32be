"""Sends requests to the active controller: finds it, keeps one connection to it, and retries if another controller has
become active.

One request is in flight at a time. After a lost connection or a response NOT_CONTROLLER, the channel looks up the
controller again and resends the request until the sender's time is over: at once if it knows another controller, else
after a short pause. If a controller is replaced before it has responded, the channel waits a moment longer, since the
response mostly still comes: a request that was carried out should not be sent twice. A broker has several channels, so
that a slow request of one kind does not delay others (above all heartbeats).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import LocalProtocolError
from kafkaproto.message import Message
from kafkaproto_server.base.backoff import Backoff
from kafkaproto_server.base.ports import Rng
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.requests.error_codes import error_codes
from kafkaproto_server.shell.net.peers import PeerChannel, PeerError
from kafkaproto_server.shell.net.streams import Connect, connect_tcp

RETRY_INTERVAL_MS = 20
"""Time between two lookups of an unknown controller, or between two attempts at one that does not respond."""
UNSENDABLE_PAUSE_MS = 1_000
"""Time between two attempts if no version that the controller serves can hold the request. To find that out costs a
millisecond each time, and it changes only with the controller's release."""
REPLACED_GRACE_MS = 500
"""How long a replaced controller may take to respond to an earlier request. If it runs, it needs a round trip to learn
of the new leader. If it hangs, it would otherwise hold the sender until its timeout."""
_NOBODY_KNOWN = "no active controller is known"
_RECONNECT_BACKOFF = Backoff(first_ms=20, longest_ms=1000)


class ControllerUnavailable(Exception):
    """No active controller responded in time. The request may have been carried out all the same."""


class ControllerChannel:
    """One connection to the active controller, whichever node that is."""

    def __init__(
        self,
        *,
        client_id: str,
        locate: Callable[[], Endpoint | None],
        news: Callable[[], trio.Event],
        rng: Rng,
        connect: Connect = connect_tcp,
    ) -> None:
        """``locate`` returns the active controller's endpoint as this node knows it now, None if it is unknown.
        ``news`` returns an event that is set when ``locate`` may return another one."""
        self._client_id = client_id
        self._locate = locate
        self._news = news
        self._rng = rng
        self._connect = connect
        self._peer: PeerChannel | None = None
        self._one_at_a_time = trio.Lock()

    @property
    def served_versions(self) -> Mapping[int, tuple[int, int]] | None:
        """The versions that the connected controller serves; None without a connection."""
        return None if self._peer is None else self._peer.served_versions

    async def send(self, request: Message, *, timeout_ms: int) -> Message:
        """The active controller's response. Raises ControllerUnavailable if none arrives in time."""
        reason = "the one before it is still being answered"
        with trio.move_on_after(timeout_ms / 1000):
            # The time limit includes the wait for the request before: the sender's time is over all
            # the same.
            async with self._one_at_a_time:
                reason = _NOBODY_KNOWN
                while True:
                    pause_ms = RETRY_INTERVAL_MS
                    peer = self._connected_to_active()
                    if peer is not None:
                        if reason == _NOBODY_KNOWN:
                            reason = f"{peer.host}:{peer.port} is silent"
                        # The limit above expires first, so that the error has the most specific reason.
                        response = await self._answer_of(peer, request, timeout_ms)
                        if isinstance(response, Message):
                            return response
                        if isinstance(response, LocalProtocolError):
                            pause_ms = UNSENDABLE_PAUSE_MS
                        reason = str(response)
                    with trio.move_on_after(pause_ms / 1000):
                        await self._wait_for_another(peer)
        raise ControllerUnavailable(f"{request.NAME}: no response within {timeout_ms} ms: {reason}")

    def close(self) -> None:
        if self._peer is not None:
            self._peer.close()
            self._peer = None

    async def _answer_of(
        self, peer: PeerChannel, request: Message, timeout_ms: int
    ) -> Message | LocalProtocolError | str:
        """The response of an active controller, or the reason why there is none: an error if the request cannot be
        sent to it."""
        response: Message | LocalProtocolError | str = (
            f"{peer.host}:{peer.port} is silent, and no longer the active controller"
        )
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._cancel_when_replaced, peer, nursery.cancel_scope)
            try:
                response = await peer.send(request, timeout_ms=timeout_ms)
            except PeerError as error:
                response = str(error)
            except LocalProtocolError as error:
                response = error
            nursery.cancel_scope.cancel()
        if isinstance(response, Message) and ErrorCode.NOT_CONTROLLER in error_codes(response):
            return f"{peer.host}:{peer.port} is not the active controller"
        return response

    async def _cancel_when_replaced(self, peer: PeerChannel, scope: trio.CancelScope) -> None:
        await self._wait_for_another(peer)
        await trio.sleep(REPLACED_GRACE_MS / 1000)
        scope.cancel()

    async def _wait_for_another(self, peer: PeerChannel | None) -> None:
        """Return once a controller is known whose address differs from that of ``peer``."""
        while (endpoint := self._locate()) is None or _is_at(peer, endpoint):
            await self._news().wait()

    def _connected_to_active(self) -> PeerChannel | None:
        endpoint = self._locate()
        if endpoint is None:
            return None
        if not _is_at(self._peer, endpoint):
            self.close()
            self._peer = PeerChannel(
                endpoint.host,
                endpoint.port,
                client_id=self._client_id,
                backoff=_RECONNECT_BACKOFF,
                rng=self._rng,
                connect=self._connect,
            )
        return self._peer


def _is_at(peer: PeerChannel | None, endpoint: Endpoint) -> bool:
    return peer is not None and (peer.host, peer.port) == (endpoint.host, endpoint.port)
