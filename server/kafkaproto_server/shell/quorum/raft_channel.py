"""Sends the Raft core's requests to other nodes, over two connections to each, one request at a time on each.

Fetch and FetchSnapshot use one connection, which a long poll may occupy for half a second. All other requests to the
same node use the other one. The core decides which node to ask what, when, and when to retry: this module neither
pauses nor retries, and every request ends in exactly one event.

Nodes that the quorum knows (voters, the leader, bootstrap servers) have lasting connections and statistics of their
own. Any client can make the core ask an unknown node (AddRaftVoter). Such a request gets a connection that is closed
after it, and counts for `UNKNOWN_NODES`. When the quorum no longer knows a node, its connections and statistics are
removed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import trio

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError, UnsupportedVersionError
from kafkaproto.message import Message
from kafkaproto_server.base.ports import Rng
from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.core.raft import wire
from kafkaproto_server.core.raft.model.requests import RequestLane, lane_of
from kafkaproto_server.core.raft.values.effects import SendRequest
from kafkaproto_server.core.raft.values.events import RequestFailed, RequestFailure, ResponseReceived
from kafkaproto_server.core.raft.values.messages import Destination
from kafkaproto_server.shell.net.peers import DisconnectCause, PeerChannel, PeerDisconnected, PeerTimeout
from kafkaproto_server.shell.net.streams import Connect, connect_tcp

_log = logging.getLogger("kafkaproto.server.quorum")

_log_unknown = logging.getLogger("kafkaproto.server.quorum.unknown_nodes")
"""Any client can cause requests to unknown nodes, so these lines are limited (`shell.process.log_limit`)."""

READY_INTERVAL_S = 1.0
"""How often lost connections to other voters are re-established. An absent node refuses the attempt at little cost."""

UNKNOWN_NODES = NO_NODE
"""In the statistics: all unknown nodes together."""

_FAILURES: Mapping[DisconnectCause, RequestFailure] = {
    DisconnectCause.REFUSED: RequestFailure.REFUSED,
    DisconnectCause.UNREACHABLE: RequestFailure.UNREACHABLE,
    DisconnectCause.RESET: RequestFailure.DISCONNECTED,
    DisconnectCause.CLOSED: RequestFailure.DISCONNECTED,
    DisconnectCause.BAD_RESPONSE: RequestFailure.BAD_RESPONSE,
}


@dataclass(slots=True, kw_only=True)
class PeerStatistics:
    """What was sent to one destination since the start."""

    requests: dict[str, int] = field(default_factory=dict)
    """By the name of the request."""
    failures: dict[RequestFailure, int] = field(default_factory=dict)
    sent_bytes: int = 0
    received_bytes: int = 0


class RaftChannel:
    """Sends the core's requests, and reports the end of each as an event."""

    def __init__(
        self,
        *,
        node_id: int,
        cluster_id: str,
        listener_name: str,
        request_timeout_ms: int,
        rng: Rng,
        is_known: Callable[[int], bool],
        report: Callable[[ResponseReceived | RequestFailed], None],
        connect: Connect = connect_tcp,
    ) -> None:
        """``listener_name`` is the listener to which the destinations belong. ``is_known`` says whether an id is that
        of a voter, the leader or a bootstrap server. ``report`` is called with the end of each request, at the latest
        ``request_timeout_ms`` after its start."""
        self._client_id = f"raft-client-{node_id}"
        self._cluster_id = cluster_id
        self._listener_name = listener_name
        self._request_timeout_ms = request_timeout_ms
        self._rng = rng
        self._connect = connect
        self._is_known = is_known
        self._report = report
        self._peers: dict[tuple[int, RequestLane], PeerChannel] = {}
        # The failures of a lane that were logged since its last success.
        self._said: dict[tuple[int, RequestLane], set[RequestFailure]] = {}
        self.statistics: dict[int, PeerStatistics] = {}
        """By the destination's id, or `UNKNOWN_NODES`."""

    def send(self, nursery: trio.Nursery, send: SendRequest) -> None:
        """Start a request; its end is passed to ``report``."""
        # One task a request, so that a slow node holds up no other. The core has at most one a lane
        # under way.
        nursery.start_soon(self._ask, send, name=f"raft request {send.request_id}")

    async def keep_ready(self, destinations: Callable[[], Iterable[Destination]]) -> None:
        """Until cancelled: establish connections to these destinations before they are needed, and close those to nodes
        that are no longer known.

        An election takes a few exchanges with nodes that this one has not contacted for hours. Connecting to them and
        agreeing on versions would take half of its time. The destinations are computed anew each time. If one cannot be
        reached, nothing is reported: the core learns of it when it sends a request.
        """
        while True:
            # Once a second is enough: voters are removed by an operator, one at a time (KIP-853).
            self._forget_unknown()
            async with trio.open_nursery() as nursery:
                for destination in destinations():
                    for lane in RequestLane:
                        nursery.start_soon(self._make_ready, (destination.id, lane), destination)
            await trio.sleep(READY_INTERVAL_S)

    async def _make_ready(self, lane: tuple[int, RequestLane], destination: Destination) -> None:
        address = (destination.host, destination.port)
        peer = self._peers.get(lane) or self._peer(lane, destination)
        # If the core knows another address than the one in the voters' record, the core's address is right.
        if (peer.host, peer.port) == address and not peer.is_ready:
            with suppress(PeerDisconnected, PeerTimeout):
                await peer.prepare(timeout_ms=self._request_timeout_ms)

    def remote_hosts(self, destination: Destination) -> frozenset[str]:
        """The addresses at which a destination was reached; none if it never was."""
        address = (destination.host, destination.port)
        # Both lanes: a name may lead to several addresses, and each lane may have another one.
        peers = (self._peers.get((destination.id, lane)) for lane in RequestLane)
        return frozenset(
            peer.remote_host
            for peer in peers
            if peer is not None and peer.remote_host is not None and (peer.host, peer.port) == address
        )

    def close(self) -> None:
        """Close all connections; requests in progress fail."""
        for peer in self._peers.values():
            peer.close()
        self._peers.clear()

    def _forget_unknown(self) -> None:
        for lane, peer in list(self._peers.items()):
            # A request to a removed node is completed first.
            if not self._is_known(lane[0]) and not peer.is_busy:
                peer.close()
                del self._peers[lane]
        for node_id in list(self.statistics):
            if node_id != UNKNOWN_NODES and not self._is_known(node_id):
                del self.statistics[node_id]
        for lane in list(self._said):
            if not self._is_known(lane[0]):
                del self._said[lane]

    async def _ask(self, send: SendRequest) -> None:
        if self._is_known(send.destination.id):
            lane = (send.destination.id, lane_of(send.request))
            await self._ask_over(self._peer(lane, send.destination), lane, send)
            return
        # No lasting connection: anybody could make this node keep one to each address that they
        # name.
        peer = self._new_peer(send.destination)
        try:
            await self._ask_over(peer, (UNKNOWN_NODES, lane_of(send.request)), send)
        finally:
            peer.close()

    async def _ask_over(self, peer: PeerChannel, lane: tuple[int, RequestLane], send: SendRequest) -> None:
        statistics = self.statistics.setdefault(lane[0], PeerStatistics())
        name = type(send.request).__name__.removesuffix("Request")
        statistics.requests[name] = statistics.requests.get(name, 0) + 1
        # The connection outlives the request, so only the difference belongs to it.
        sent, received = peer.sent_bytes, peer.received_bytes
        end: ResponseReceived | RequestFailed
        try:
            end = await self._exchange(peer, lane, send)
        except PeerDisconnected as error:
            end = self._failed(send, lane, _FAILURES[error.cause], str(error))
        except PeerTimeout as error:
            # Without a connection nothing has reached the node. With one it may have acted on the
            # request, and the core has to reckon with that.
            failure = RequestFailure.TIMED_OUT if error.was_connected else RequestFailure.UNREACHABLE
            end = self._failed(send, lane, failure, str(error))
        except LocalProtocolError as error:
            # The versions in common cannot say what the core wants: a pre-vote of a node before
            # 4.0, for example.
            end = self._failed(send, lane, RequestFailure.UNSUPPORTED, str(error))
        except RemoteProtocolError as error:
            # The rest of this connection cannot be trusted either.
            peer.close()
            end = self._failed(send, lane, RequestFailure.BAD_RESPONSE, str(error))
        statistics.sent_bytes += peer.sent_bytes - sent
        statistics.received_bytes += peer.received_bytes - received
        if isinstance(end, RequestFailed):
            statistics.failures[end.failure] = statistics.failures.get(end.failure, 0) + 1
        else:
            self._said.pop(lane, None)
        # In every case: the core waits for the end of each request before it asks this node again.
        self._report(end)

    async def _exchange(
        self, peer: PeerChannel, lane: tuple[int, RequestLane], send: SendRequest
    ) -> ResponseReceived | RequestFailed:
        name = type(send.request).__name__

        def prepare(served: Mapping[int, tuple[int, int]]) -> tuple[Message, int]:
            version = _common_version(send, served)
            return wire.encode_request(send.request, version, cluster_id=self._cluster_id), version

        answer = await peer.ask(name, prepare, timeout_ms=self._request_timeout_ms)
        response = wire.decode_response(send.request, answer, listener_name=self._listener_name)
        # Logged louder than other failures: mostly a wrong cluster id or missing rights, which only
        # an operator mends.
        if isinstance(response, wire.TopLevelError):
            what = f"{peer.host}:{peer.port} refuses {name} with {response.error.name}"
            failure = RequestFailure.TOP_LEVEL_ERROR
            self._log_once(lane, failure, logging.WARNING, what)
            return RequestFailed(request_id=send.request_id, failure=failure, error=response.error)
        return ResponseReceived(request_id=send.request_id, response=response)

    def _peer(self, lane: tuple[int, RequestLane], destination: Destination) -> PeerChannel:
        """The connection of a lane. If the destination has moved, it gets a new one, and the old one is closed."""
        peer = self._peers.get(lane)
        if peer is not None and (peer.host, peer.port) == (destination.host, destination.port):
            return peer
        if peer is not None:
            peer.close()
        self._peers[lane] = self._new_peer(destination)
        return self._peers[lane]

    def _new_peer(self, destination: Destination) -> PeerChannel:
        return PeerChannel(
            destination.host,
            destination.port,
            client_id=self._client_id,
            # The core makes the pauses. A second backoff here would delay an election.
            backoff=None,
            rng=self._rng,
            connect_timeout_ms=self._request_timeout_ms,
            connect=self._connect,
        )

    def _failed(
        self, send: SendRequest, lane: tuple[int, RequestLane], failure: RequestFailure, what: str
    ) -> RequestFailed:
        name = type(send.request).__name__
        self._log_once(lane, failure, logging.INFO, f"{name} to node {send.destination.id}: {what}")
        return RequestFailed(request_id=send.request_id, failure=failure)

    def _log_once(
        self, lane: tuple[int, RequestLane], failure: RequestFailure, level: int, what: str
    ) -> None:
        if lane[0] == UNKNOWN_NODES:
            _log_unknown.log(level, "%s", what)
            return
        # The core sends many requests a second to a peer that is gone or refuses. Log one line until the peer responds
        # again.
        said = self._said.setdefault(lane, set())
        _log.log(logging.DEBUG if failure in said else level, "%s", what)
        said.add(failure)


def _common_version(send: SendRequest, served: Mapping[int, tuple[int, int]]) -> int:
    """The highest version that this node may send and the peer serves. Raises UnsupportedVersionError."""
    # Chosen for each request, because the peer may have been restarted with another release.
    api_key, lowest, highest = wire.request_versions(send.request)
    peer_lowest, peer_highest = served.get(api_key, (0, -1))
    version = min(highest, peer_highest)
    if version < max(lowest, peer_lowest):
        raise UnsupportedVersionError(
            f"no version is common: the peer serves {peer_lowest} to {peer_highest}, we ask with {lowest} to {highest}",
            where=type(send.request).__name__,
        )
    return version
