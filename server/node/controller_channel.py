"""A node's way to the active controller: finds it, keeps one connection to it, asks again elsewhere when it moved.

One request is in flight at a time. A connection that is lost and an answer NOT_CONTROLLER both mean: look the
controller up again, wait a little, send again, until the sender's time is over. Brokers have several such channels, so
that a slow request of one kind does not hold up another (the heartbeat above all).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import UnsupportedVersionError
from kafkaproto.message import Message
from server.apis.envelope import contains_error
from server.net.peers import PeerChannel, PeerError, ReconnectBackoff
from server.ports import Rng
from server.types import Endpoint

RETRY_INTERVAL_MS = 20
"""Between two looks for a controller that is not known, or two attempts at one that does not answer."""
_NOBODY_KNOWN = "no active controller is known"
_RECONNECT_BACKOFF = ReconnectBackoff(initial_ms=20, max_ms=1000)


class ControllerUnavailable(Exception):
    """No active controller answered in time; what was sent may have been carried out all the same."""


class ControllerChannel:
    """One connection to whichever controller is active."""

    def __init__(self, *, client_id: str, locate: Callable[[], Endpoint | None], rng: Rng) -> None:
        """``locate`` gives the active controller's endpoint as this node knows it now, None while unknown."""
        self._client_id = client_id
        self._locate = locate
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
                        try:
                            # Our own limit comes first, so that a reason that is known stays the one that is told.
                            response = await peer.send(request, timeout_ms=timeout_ms)
                        except (PeerError, UnsupportedVersionError) as error:
                            reason = str(error)
                        else:
                            if not contains_error(response, ErrorCode.NOT_CONTROLLER):
                                return response
                            reason = f"{peer.host}:{peer.port} is not the active controller"
                    await trio.sleep(RETRY_INTERVAL_MS / 1000)
        raise ControllerUnavailable(f"{request.NAME}: no answer within {timeout_ms} ms: {reason}")

    def close(self) -> None:
        """Give up the connection."""
        if self._peer is not None:
            self._peer.close()
            self._peer = None

    def _connected_to_active(self) -> PeerChannel | None:
        endpoint = self._locate()
        if endpoint is None:
            return None
        if self._peer is None or (self._peer.host, self._peer.port) != (endpoint.host, endpoint.port):
            self.close()
            self._peer = PeerChannel(
                endpoint.host,
                endpoint.port,
                client_id=self._client_id,
                backoff=_RECONNECT_BACKOFF,
                rng=self._rng,
            )
        return self._peer
