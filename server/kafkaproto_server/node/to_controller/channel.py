"""A node's way to the active controller: finds it, keeps one connection to it, asks again elsewhere when it moved.

One request is in flight at a time. A connection that is lost and an answer NOT_CONTROLLER both mean: look the
controller up again and send again, at once if another one is known, else after a little, until the sender's time is
over. A controller that was replaced while it owed an answer gets a moment to give it, since it mostly still does: what
it has carried out should not be asked for twice. Brokers have several such channels, so that a slow request of one kind
does not hold up another (the heartbeat above all).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import UnsupportedVersionError
from kafkaproto.message import Message
from kafkaproto_server.backoff import Backoff
from kafkaproto_server.net.peers import PeerChannel, PeerError
from kafkaproto_server.ports import Rng
from kafkaproto_server.requests.error_codes import error_codes
from kafkaproto_server.types import Endpoint

RETRY_INTERVAL_MS = 20
"""Between two looks for a controller that is not known, or two attempts at one that does not answer."""
REPLACED_GRACE_MS = 500
"""How long a controller that was replaced may take to answer what it was asked before. One that runs needs a round
trip to learn of its successor; one that hangs would otherwise hold the sender to the end of its time."""
_NOBODY_KNOWN = "no active controller is known"
_RECONNECT_BACKOFF = Backoff(first_ms=20, longest_ms=1000)


class ControllerUnavailable(Exception):
    """No active controller answered in time; what was sent may have been carried out all the same."""


class ControllerChannel:
    """One connection to whichever controller is active."""

    def __init__(
        self,
        *,
        client_id: str,
        locate: Callable[[], Endpoint | None],
        news: Callable[[], trio.Event],
        rng: Rng,
    ) -> None:
        """``locate`` gives the active controller's endpoint as this node knows it now, None while unknown;
        ``news`` an event that is set when it may give another one."""
        self._client_id = client_id
        self._locate = locate
        self._news = news
        self._rng = rng
        self._peer: PeerChannel | None = None
        self._one_at_a_time = trio.Lock()

    @property
    def served_versions(self) -> Mapping[int, tuple[int, int]] | None:
        """What the controller at the other end serves; None while there is no connection."""
        return None if self._peer is None else self._peer.served_versions

    async def send(self, request: Message, *, timeout_ms: int) -> Message:
        """The active controller's response; raises ControllerUnavailable if none comes in time."""
        reason = "the one before it is still being answered"
        with trio.move_on_after(timeout_ms / 1000):
            async with self._one_at_a_time:
                reason = _NOBODY_KNOWN
                while True:
                    peer = self._connected_to_active()
                    if peer is not None:
                        if reason == _NOBODY_KNOWN:
                            reason = f"{peer.host}:{peer.port} is silent"
                        # Our own limit comes first, so that a reason that is known stays the one that is told.
                        answer = await self._answer_of(peer, request, timeout_ms)
                        if isinstance(answer, Message):
                            return answer
                        reason = answer
                    with trio.move_on_after(RETRY_INTERVAL_MS / 1000):
                        await self._wait_for_another(peer)
        raise ControllerUnavailable(f"{request.NAME}: no answer within {timeout_ms} ms: {reason}")

    def close(self) -> None:
        """Give up the connection."""
        if self._peer is not None:
            self._peer.close()
            self._peer = None

    async def _answer_of(self, peer: PeerChannel, request: Message, timeout_ms: int) -> Message | str:
        """The response of a controller that is active, else what is wrong with it."""
        answer: Message | str = f"{peer.host}:{peer.port} is silent, and no longer the active controller"
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._cancel_when_replaced, peer, nursery.cancel_scope)
            try:
                answer = await peer.send(request, timeout_ms=timeout_ms)
            except (PeerError, UnsupportedVersionError) as error:
                answer = str(error)
            nursery.cancel_scope.cancel()
        if isinstance(answer, Message) and ErrorCode.NOT_CONTROLLER in error_codes(answer):
            return f"{peer.host}:{peer.port} is not the active controller"
        return answer

    async def _cancel_when_replaced(self, peer: PeerChannel, scope: trio.CancelScope) -> None:
        await self._wait_for_another(peer)
        await trio.sleep(REPLACED_GRACE_MS / 1000)
        scope.cancel()

    async def _wait_for_another(self, peer: PeerChannel | None) -> None:
        """Return once a controller is known that is at another address than this one."""
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
            )
        return self._peer


def _is_at(peer: PeerChannel | None, endpoint: Endpoint) -> bool:
    return peer is not None and (peer.host, peer.port) == (endpoint.host, endpoint.port)
