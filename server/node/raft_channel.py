"""The Raft core's way to its peers: two connections to each, one request at a time on each.

Fetch and FetchSnapshot go over one connection, which a long poll may hold for half a second; all other requests to
the same node over another. Who is asked what, when, and when again after a failure is the core's business: here is no
pause, no repetition, and every request ends in exactly one event.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import trio

from kafkaproto.errors import RemoteProtocolError, UnsupportedVersionError
from kafkaproto.message import Message
from server.net.peers import DisconnectCause, PeerChannel, PeerDisconnected, PeerTimeout
from server.ports import Rng
from server.raft import wire
from server.raft.effects import SendRequest
from server.raft.events import RequestFailed, RequestFailure, ResponseReceived
from server.raft.messages import Destination
from server.raft.requests import Lane, lane_of

_log = logging.getLogger("kafkaproto.server.quorum")

READY_INTERVAL_S = 1.0
"""How often lost connections to other voters are made again. A node that is away refuses that at little cost."""

_FAILURES: Mapping[DisconnectCause, RequestFailure] = {
    DisconnectCause.REFUSED: RequestFailure.REFUSED,
    DisconnectCause.UNREACHABLE: RequestFailure.UNREACHABLE,
    DisconnectCause.RESET: RequestFailure.DISCONNECTED,
    DisconnectCause.CLOSED: RequestFailure.DISCONNECTED,
    DisconnectCause.BAD_ANSWER: RequestFailure.BAD_ANSWER,
}


@dataclass(slots=True, kw_only=True)
class PeerStatistics:
    """What went to one destination since the start."""

    requests: dict[str, int] = field(default_factory=dict)
    """By the request's name."""
    failures: dict[RequestFailure, int] = field(default_factory=dict)
    sent_bytes: int = 0
    received_bytes: int = 0


class RaftChannel:
    """Sends the core's requests and brings their ends back as events."""

    def __init__(
        self,
        *,
        node_id: int,
        cluster_id: str,
        listener_name: str,
        request_timeout_ms: int,
        rng: Rng,
        report: Callable[[ResponseReceived | RequestFailed], None],
    ) -> None:
        """``listener_name`` is the listener that the destinations belong to. ``report`` gets each request's end, at
        the latest ``request_timeout_ms`` after its start."""
        self._client_id = f"raft-client-{node_id}"
        self._cluster_id = cluster_id
        self._listener_name = listener_name
        self._request_timeout_ms = request_timeout_ms
        self._rng = rng
        self._report = report
        self._peers: dict[tuple[int, Lane], PeerChannel] = {}
        # What was said of a lane since it answered last.
        self._said: dict[tuple[int, Lane], set[RequestFailure]] = {}
        self.statistics: dict[int, PeerStatistics] = {}
        """By the destination's id."""

    def send(self, nursery: trio.Nursery, send: SendRequest) -> None:
        """Begin to ask; the end comes by ``report``."""
        nursery.start_soon(self._ask, send, name=f"raft request {send.request_id}")

    async def keep_ready(self, destinations: Callable[[], Iterable[Destination]]) -> None:
        """See to it, until cancelled, that there are connections to these destinations before they are needed.

        An election is a few exchanges with nodes that were not asked for hours; connecting and agreeing on versions
        would be half of its time. The destinations are looked at anew each time. Whoever cannot be reached is left to
        the core, which learns of it when it asks.
        """
        while True:
            async with trio.open_nursery() as nursery:
                for destination in destinations():
                    for lane in Lane:
                        nursery.start_soon(self._make_ready, (destination.id, lane), destination)
            await trio.sleep(READY_INTERVAL_S)

    async def _make_ready(self, lane: tuple[int, Lane], destination: Destination) -> None:
        address = (destination.host, destination.port)
        peer = self._peers.get(lane) or self._peer(lane, destination)
        # Where the core knows another address than the voters' record, it knows better.
        if (peer.host, peer.port) == address and not peer.is_ready:
            with suppress(PeerDisconnected, PeerTimeout):
                await peer.prepare(timeout_ms=self._request_timeout_ms)

    def remote_hosts(self, destination: Destination) -> frozenset[str]:
        """The addresses at which a destination was reached; none where it never was."""
        address = (destination.host, destination.port)
        peers = (self._peers.get((destination.id, lane)) for lane in Lane)
        return frozenset(
            peer.remote_host
            for peer in peers
            if peer is not None and peer.remote_host is not None and (peer.host, peer.port) == address
        )

    def close(self) -> None:
        """Give all connections up; what is under way fails."""
        for peer in self._peers.values():
            peer.close()
        self._peers.clear()

    async def _ask(self, send: SendRequest) -> None:
        lane = (send.destination.id, lane_of(send.request))
        statistics = self.statistics.setdefault(send.destination.id, PeerStatistics())
        name = type(send.request).__name__.removesuffix("Request")
        statistics.requests[name] = statistics.requests.get(name, 0) + 1
        peer = self._peer(lane, send.destination)
        sent, received = peer.sent_bytes, peer.received_bytes
        end: ResponseReceived | RequestFailed
        try:
            end = await self._exchange(peer, send)
        except PeerDisconnected as error:
            end = self._failed(send, lane, _FAILURES[error.cause], str(error))
        except PeerTimeout as error:
            failure = RequestFailure.TIMED_OUT if error.was_connected else RequestFailure.UNREACHABLE
            end = self._failed(send, lane, failure, str(error))
        except UnsupportedVersionError as error:
            end = self._failed(send, lane, RequestFailure.UNSUPPORTED, str(error))
        except RemoteProtocolError as error:
            # Whatever comes next on this connection is not to be trusted either.
            peer.close()
            end = self._failed(send, lane, RequestFailure.BAD_ANSWER, str(error))
        statistics.sent_bytes += peer.sent_bytes - sent
        statistics.received_bytes += peer.received_bytes - received
        if isinstance(end, RequestFailed):
            statistics.failures[end.failure] = statistics.failures.get(end.failure, 0) + 1
        else:
            self._said.pop(lane, None)
        self._report(end)

    async def _exchange(self, peer: PeerChannel, send: SendRequest) -> ResponseReceived | RequestFailed:
        name = type(send.request).__name__

        def prepare(served: Mapping[int, tuple[int, int]]) -> tuple[Message, int]:
            version = _common_version(send, served)
            return wire.encode_request(send.request, version, cluster_id=self._cluster_id), version

        answer = await peer.ask(name, prepare, timeout_ms=self._request_timeout_ms)
        response = wire.decode_response(send.request, answer, listener_name=self._listener_name)
        if isinstance(response, wire.TopLevelError):
            what = f"{peer.host}:{peer.port} refuses {name} with {response.error.name}"
            failure = RequestFailure.TOP_LEVEL_ERROR
            self._log_once((send.destination.id, lane_of(send.request)), failure, logging.WARNING, what)
            return RequestFailed(request_id=send.request_id, failure=failure, error=response.error)
        return ResponseReceived(request_id=send.request_id, response=response)

    def _peer(self, lane: tuple[int, Lane], destination: Destination) -> PeerChannel:
        """The connection of a lane; a destination that moved gets a new one, and the old one ends."""
        peer = self._peers.get(lane)
        if peer is not None and (peer.host, peer.port) == (destination.host, destination.port):
            return peer
        if peer is not None:
            peer.close()
        self._peers[lane] = PeerChannel(
            destination.host,
            destination.port,
            client_id=self._client_id,
            backoff=None,
            rng=self._rng,
            connect_timeout_ms=self._request_timeout_ms,
        )
        return self._peers[lane]

    def _failed(
        self, send: SendRequest, lane: tuple[int, Lane], failure: RequestFailure, what: str
    ) -> RequestFailed:
        name = type(send.request).__name__
        self._log_once(lane, failure, logging.INFO, f"{name} to node {send.destination.id}: {what}")
        return RequestFailed(request_id=send.request_id, failure=failure)

    def _log_once(self, lane: tuple[int, Lane], failure: RequestFailure, level: int, what: str) -> None:
        # The core asks a peer that is gone, or that refuses, many times a second: one line until it answers again.
        said = self._said.setdefault(lane, set())
        _log.log(logging.DEBUG if failure in said else level, "%s", what)
        said.add(failure)


def _common_version(send: SendRequest, served: Mapping[int, tuple[int, int]]) -> int:
    """The highest version that we are willing to send and the peer serves; raises UnsupportedVersionError."""
    api_key, lowest, highest = wire.request_versions(send.request)
    peer_lowest, peer_highest = served.get(api_key, (0, -1))
    version = min(highest, peer_highest)
    if version < max(lowest, peer_lowest):
        raise UnsupportedVersionError(
            f"no version is common: the peer serves {peer_lowest} to {peer_highest}, we ask with {lowest} to {highest}",
            where=type(send.request).__name__,
        )
    return version
