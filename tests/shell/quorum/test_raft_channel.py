"""The Raft core's requests over real loopback sockets: versions, lanes, and how each way of failing is told."""

from __future__ import annotations

import logging
import socket
import struct
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

import pytest
import trio

from compat.ports import free_port
from kafkaproto.api import api_by_key
from kafkaproto.connection import UnsupportedApiVersions
from kafkaproto.message import Message
from kafkaproto.messages import ApiVersionsResponse, FetchRequest, FetchResponse, VoteRequest, VoteResponse
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.base.types import METADATA_TOPIC_ID, Endpoint, LeaderAndEpoch, ReplicaKey
from kafkaproto_server.core.raft.values import messages
from kafkaproto_server.core.raft.values.effects import SendRequest
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.events import RequestFailed, RequestFailure, ResponseReceived
from kafkaproto_server.core.raft.values.messages import Destination
from kafkaproto_server.shell.net.connections import CloseConnection, ConnectionInfo, Request
from kafkaproto_server.shell.process.log_limit import LIMITED_LOGGERS
from kafkaproto_server.shell.quorum import raft_channel
from kafkaproto_server.shell.quorum.raft_channel import RaftChannel
from tests.shell.net.support.connections import listening, wait_until

pytestmark = pytest.mark.trio

WAIT_S = 10.0
TIMEOUT_MS = 5_000
SERVED = {1: (4, 18), 18: (0, 4), 52: (0, 2)}
KEY = ReplicaKey(id=1, directory_id=bytes(range(16)))

Response = Callable[[Message, int], Message]
End = ResponseReceived | RequestFailed


class Rng:
    def below(self, limit: int) -> int:
        return 0

    def uuid(self) -> bytes:
        return bytes(16)


class Peer:
    """Answers ApiVersions and what it was given an answer for; notes the requests and their connections."""

    def __init__(
        self, responses: Mapping[int, Response], served: Mapping[int, tuple[int, int]] = SERVED
    ) -> None:
        self._responses = responses
        self._served = served
        self.seen: list[tuple[int, int, int]] = []
        """Api key, version and connection of each request."""
        self.client_ids: set[str | None] = set()
        self.gates: dict[int, trio.Event] = {}
        """Requests of these keys are parked until the event."""

    async def __call__(self, request: Request, connection: ConnectionInfo) -> Sequence[Buffer]:
        assert not isinstance(request, UnsupportedApiVersions)
        self.client_ids.add(request.client_id)
        if request.api_key == 18:
            keys = [
                ApiVersionsResponse.ApiVersion(api_key=key, min_version=low, max_version=high)
                for key, (low, high) in self._served.items()
            ]
            return [ApiVersionsResponse(api_keys=keys).encode(request.api_version)]
        self.seen.append((request.api_key, request.api_version, connection.connection_id))
        api = api_by_key(request.api_key)
        assert api is not None
        message, _ = api.request_class.decode(request.frame, request.api_version, request.body_offset)
        if request.api_key in self.gates:
            await self.gates[request.api_key].wait()
        return [self._responses[request.api_key](message, request.api_version).encode(request.api_version)]


def vote_response(request: Message, version: int) -> Message:
    assert isinstance(request, VoteRequest)
    partition = VoteResponse.PartitionData(leader_id=-1, leader_epoch=3, vote_granted=True)
    topic = VoteResponse.TopicData(topic_name="__cluster_metadata", partitions=[partition])
    return VoteResponse(topics=[topic])


def fetch_response(request: Message, version: int) -> Message:
    assert isinstance(request, FetchRequest)
    partition = FetchResponse.PartitionData(
        high_watermark=7,
        current_leader=FetchResponse.LeaderIdAndEpoch(leader_id=2, leader_epoch=3),
        records=b"",
    )
    topic = FetchResponse.FetchableTopicResponse(topic_id=METADATA_TOPIC_ID, partitions=[partition])
    node = FetchResponse.NodeEndpoint(node_id=2, host="leader.example", port=9093)
    return FetchResponse(responses=[topic], node_endpoints=[node] if version >= 16 else [])


RESPONSES = {1: fetch_response, 52: vote_response}


def vote(*, is_pre_vote: bool = False) -> messages.VoteRequest:
    return messages.VoteRequest(
        replica=KEY,
        voter_id=2,
        voter_directory_id=None,
        epoch=3,
        last_epoch=2,
        last_offset=7,
        is_pre_vote=is_pre_vote,
    )


def fetch() -> messages.FetchRequest:
    return messages.FetchRequest(
        replica=KEY,
        epoch=3,
        fetch_offset=7,
        last_fetched_epoch=2,
        max_wait_ms=500,
        max_bytes=1000,
        high_watermark=7,
    )


class Harness:
    """A channel, and the ends of what was sent over it."""

    def __init__(self, nursery: trio.Nursery, timeout_ms: int) -> None:
        self._nursery = nursery
        self.ends: dict[int, End] = {}
        self.known = {2, 3}
        self._ended = trio.Event()
        self.channel = RaftChannel(
            node_id=1,
            cluster_id="cluster",
            listener_name="CONTROLLER",
            request_timeout_ms=timeout_ms,
            rng=Rng(),
            is_known=self.known.__contains__,
            report=self._report,
        )

    def _report(self, end: End) -> None:
        assert end.request_id not in self.ends, f"request {end.request_id} ended twice"
        self.ends[end.request_id] = end
        ended, self._ended = self._ended, trio.Event()
        ended.set()

    def send(
        self,
        request_id: int,
        port: int,
        request: messages.OutboundRequest,
        *,
        node_id: int = 2,
        host: str = "127.0.0.1",
    ) -> None:
        destination = Destination(id=node_id, host=host, port=port)
        send = SendRequest(request_id=request_id, destination=destination, request=request)
        self.channel.send(self._nursery, send)

    async def end(self, request_id: int) -> End:
        while request_id not in self.ends:
            await self._ended.wait()
        return self.ends[request_id]

    async def ask(self, request_id: int, port: int, request: messages.OutboundRequest) -> End:
        self.send(request_id, port, request)
        return await self.end(request_id)

    async def failure(self, request_id: int) -> RequestFailure:
        end = await self.end(request_id)
        assert isinstance(end, RequestFailed)
        return end.failure


@asynccontextmanager
async def harness(*, timeout_ms: int = TIMEOUT_MS) -> AsyncIterator[Harness]:
    with trio.fail_after(WAIT_S):
        async with trio.open_nursery() as nursery:
            it = Harness(nursery, timeout_ms)
            yield it
            it.channel.close()
            nursery.cancel_scope.cancel()


@asynccontextmanager
async def raw_server(handle: Callable[[trio.SocketStream], object]) -> AsyncIterator[int]:
    """A server that does to each connection what ``handle`` does, then closes it."""

    async def run(stream: trio.SocketStream) -> None:
        async with stream:
            await handle(stream)  # type: ignore[misc]

    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.serve_listeners, run, [listener])
        yield listener.socket.getsockname()[1]
        nursery.cancel_scope.cancel()


async def test_where_a_name_was_reached_is_known_and_stays_known() -> None:
    async with listening(Peer(RESPONSES), served_versions=SERVED.get) as (_, port), harness() as it:
        named = Destination(id=2, host="localhost", port=port)
        assert it.channel.remote_hosts(named) == frozenset()
        it.send(1, port, vote(), host="localhost")
        await it.end(1)
        assert it.channel.remote_hosts(named) == {"127.0.0.1"}
        assert it.channel.remote_hosts(Destination(id=3, host="localhost", port=port)) == frozenset()
        moved = Destination(id=2, host="elsewhere", port=port)
        assert it.channel.remote_hosts(moved) == frozenset()


async def test_a_response_comes_back_as_the_core_has_it() -> None:
    peer = Peer(RESPONSES)
    async with listening(peer, served_versions=SERVED.get) as (_, port), harness() as it:
        end = await it.ask(1, port, fetch())
        assert isinstance(end, ResponseReceived)
        assert end.response == messages.FetchResponse(
            leader=LeaderAndEpoch(leader_id=2, epoch=3),
            leader_endpoint=Endpoint(name="CONTROLLER", host="leader.example", port=9093),
            high_watermark=7,
        )
        assert peer.seen == [(1, 18, 1)]
        assert peer.client_ids == {"raft-client-1"}


async def test_the_highest_version_that_both_know_is_used() -> None:
    served = {1: (4, 17), 18: (0, 4), 52: (0, 1)}
    peer = Peer(RESPONSES, served)
    async with listening(peer, served_versions=served.get) as (_, port), harness() as it:
        await it.ask(1, port, fetch())
        await it.ask(2, port, vote())
        assert [(key, version) for key, version, _ in peer.seen] == [(1, 17), (52, 1)]
        assert await it.ask(3, port, vote(is_pre_vote=True)) == RequestFailed(
            request_id=3, failure=RequestFailure.UNSUPPORTED
        )


async def test_a_peer_that_does_not_serve_a_request_at_all_does_not_support_it() -> None:
    served = {18: (0, 4)}
    async with listening(Peer(RESPONSES, served), served_versions=served.get) as (_, port), harness() as it:
        it.send(1, port, vote())
        assert await it.failure(1) is RequestFailure.UNSUPPORTED


async def test_a_peer_that_knows_no_topic_ids_in_a_fetch_does_not_support_it() -> None:
    served = {1: (4, 12), 18: (0, 4)}
    peer = Peer(RESPONSES, served)
    async with listening(peer, served_versions=served.get) as (_, port), harness() as it:
        it.send(1, port, fetch())
        assert await it.failure(1) is RequestFailure.UNSUPPORTED
        assert peer.seen == []


async def test_a_parked_fetch_does_not_hold_up_a_vote_and_each_lane_keeps_its_connection() -> None:
    peer = Peer(RESPONSES)
    peer.gates[1] = trio.Event()
    async with listening(peer, served_versions=SERVED.get) as (_, port), harness() as it:
        it.send(1, port, fetch())
        end = await it.ask(2, port, vote())
        assert isinstance(end, ResponseReceived)
        assert 1 not in it.ends
        peer.gates[1].set()
        await it.end(1)
        await it.ask(3, port, vote())
        connections = {key: {seen for asked, _, seen in peer.seen if asked == key} for key in (1, 52)}
        assert {key: len(each) for key, each in connections.items()} == {1: 1, 52: 1}
        assert connections[1] != connections[52]


async def test_nobody_listening_is_told_as_refused_at_once_and_every_time() -> None:
    async with harness() as it:
        port = free_port()
        begin = trio.current_time()
        for request_id in range(1, 6):
            it.send(request_id, port, fetch())
            assert await it.failure(request_id) is RequestFailure.REFUSED
        assert trio.current_time() - begin < 1, "no pause of the channel's own"


@pytest.mark.parametrize("is_reset", [False, True])
async def test_a_connection_that_dies_under_a_long_poll_is_noticed_at_once(is_reset: bool) -> None:
    peer = Peer(RESPONSES)
    parked: list[trio.SocketStream] = []

    async def relay(stream: trio.SocketStream) -> None:
        """Between channel and peer, to be able to cut the line."""
        parked.append(stream)
        async with await trio.open_tcp_stream("127.0.0.1", port) as inner, trio.open_nursery() as nursery:
            nursery.start_soon(pass_on, stream, inner)
            nursery.start_soon(pass_on, inner, stream)

    async def pass_on(source: trio.SocketStream, target: trio.SocketStream) -> None:
        try:
            while data := await source.receive_some():
                await target.send_all(data)
        except (trio.ClosedResourceError, trio.BrokenResourceError):
            pass

    peer.gates[1] = trio.Event()
    async with (
        listening(peer, served_versions=SERVED.get) as (_, port),
        raw_server(relay) as relayed,
        harness(timeout_ms=60_000) as it,
    ):
        it.send(1, relayed, fetch())
        while not peer.seen:
            await trio.sleep(0.001)
        begin = trio.current_time()
        if is_reset:
            linger = struct.pack("ii", 1, 0)
            parked[0].socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        parked[0].socket.close()
        assert await it.failure(1) is RequestFailure.DISCONNECTED
        assert trio.current_time() - begin < 0.5


async def test_a_connection_that_died_while_idle_costs_the_next_request_nothing() -> None:
    peer = Peer(RESPONSES)
    async with harness() as it:
        async with listening(peer, served_versions=SERVED.get) as (_, port):
            await it.ask(1, port, vote())
        async with listening(peer, served_versions=SERVED.get, port=port):
            end = await it.ask(2, port, vote())
            assert isinstance(end, ResponseReceived)


async def test_a_peer_that_takes_the_request_and_is_silent_times_out() -> None:
    peer = Peer(RESPONSES)
    peer.gates[52] = trio.Event()
    async with (
        listening(peer, served_versions=SERVED.get) as (_, port),
        # In this time the connection is made as well, which takes a while on a machine that does much else.
        harness(timeout_ms=1_000) as it,
    ):
        it.send(1, port, vote())
        assert await it.failure(1) is RequestFailure.TIMED_OUT


async def test_a_peer_that_does_not_even_say_its_versions_is_unreachable() -> None:
    async with raw_server(lambda stream: trio.sleep_forever()) as port, harness(timeout_ms=100) as it:
        it.send(1, port, vote())
        assert await it.failure(1) is RequestFailure.UNREACHABLE


async def test_what_is_not_kafkas_protocol_is_a_bad_response() -> None:
    async def talk(stream: trio.SocketStream) -> None:
        await stream.send_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await trio.sleep_forever()

    async with raw_server(talk) as port, harness() as it:
        it.send(1, port, vote())
        assert await it.failure(1) is RequestFailure.BAD_RESPONSE


async def test_a_response_about_another_partition_is_a_bad_response_and_ends_the_connection() -> None:
    def elsewhere(request: Message, version: int) -> Message:
        response = vote_response(request, version)
        assert isinstance(response, VoteResponse)
        response.topics[0].partitions[0].partition_index = 1
        return response

    peer = Peer({52: elsewhere})
    async with listening(peer, served_versions=SERVED.get) as (_, port), harness() as it:
        it.send(1, port, vote())
        assert await it.failure(1) is RequestFailure.BAD_RESPONSE
        it.send(2, port, vote())
        await it.failure(2)
        assert len({connection for _, _, connection in peer.seen}) == 2


@pytest.mark.parametrize(
    ("code", "error"),
    [(104, RaftError.INCONSISTENT_CLUSTER_ID), (999, RaftError.UNKNOWN_SERVER_ERROR)],
)
async def test_a_top_level_error_carries_its_code(code: int, error: RaftError) -> None:
    peer = Peer({52: lambda request, version: VoteResponse(error_code=code)})
    async with listening(peer, served_versions=SERVED.get) as (_, port), harness() as it:
        assert await it.ask(1, port, vote()) == RequestFailed(
            request_id=1, failure=RequestFailure.TOP_LEVEL_ERROR, error=error
        )


async def test_a_refusal_is_logged_once_until_the_peer_answers(caplog: pytest.LogCaptureFixture) -> None:
    codes = [31, 31, 0, 31]

    def answer(request: Message, version: int) -> Message:
        code = codes.pop(0)
        return VoteResponse(error_code=code) if code else vote_response(request, version)

    peer = Peer({52: answer})
    async with listening(peer, served_versions=SERVED.get) as (_, port), harness() as it:
        for number in range(2, 6):
            await it.ask(number, port, vote())
    warned = [each.message for each in caplog.records if each.levelname == "WARNING"]
    assert warned == [f"127.0.0.1:{port} refuses VoteRequest with CLUSTER_AUTHORIZATION_FAILED"] * 2


async def test_a_node_that_moved_is_asked_at_its_new_address_and_the_old_request_fails() -> None:
    old, new = Peer(RESPONSES), Peer(RESPONSES)
    old.gates[1] = trio.Event()
    async with (
        listening(old, served_versions=SERVED.get) as (_, old_port),
        listening(new, served_versions=SERVED.get) as (_, new_port),
        harness(timeout_ms=60_000) as it,
    ):
        it.send(1, old_port, fetch())
        while not old.seen:
            await trio.sleep(0.001)
        assert isinstance(await it.ask(2, new_port, fetch()), ResponseReceived)
        assert await it.failure(1) is RequestFailure.DISCONNECTED
        assert len(new.seen) == 1


async def test_a_peer_that_hangs_up_instead_of_answering_is_disconnected() -> None:
    def hang_up(request: Message, version: int) -> Message:
        raise CloseConnection("no")

    async with (
        listening(Peer({52: hang_up}), served_versions=SERVED.get) as (_, port),
        harness() as it,
    ):
        it.send(1, port, vote())
        assert await it.failure(1) is RequestFailure.DISCONNECTED


async def test_what_goes_to_each_peer_is_counted() -> None:
    async with listening(Peer(RESPONSES), served_versions=SERVED.get) as (_, port), harness() as it:
        await it.ask(1, port, vote())
        await it.ask(2, port, fetch())
        it.send(3, free_port(), vote(), node_id=3)
        await it.failure(3)
        assert it.channel.statistics[2].requests == {"Vote": 1, "Fetch": 1}
        assert it.channel.statistics[2].failures == {}
        assert it.channel.statistics[3].failures == {RequestFailure.REFUSED: 1}


async def test_connections_are_ready_before_they_are_needed_and_again_after_they_were_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(raft_channel, "READY_INTERVAL_S", 0.01)
    peer = Peer(RESPONSES)
    async with trio.open_nursery() as nursery, harness() as it:
        async with listening(peer, served_versions=SERVED.get) as (listener, port):
            destination = Destination(id=2, host="127.0.0.1", port=port)
            nursery.start_soon(it.channel.keep_ready, lambda: [destination])
            await wait_until(lambda: listener.statistics().accepted_connections == 2)
            await it.ask(1, port, vote())
            await it.ask(2, port, fetch())
            assert listener.statistics().accepted_connections == 2
        async with listening(peer, served_versions=SERVED.get, port=port) as (listener, _):
            await wait_until(lambda: listener.statistics().accepted_connections == 2)
            assert isinstance(await it.ask(3, port, vote()), ResponseReceived)
        assert set(it.ends) == {1, 2, 3}
        nursery.cancel_scope.cancel()


async def test_an_address_that_the_core_knows_better_is_not_taken_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(raft_channel, "READY_INTERVAL_S", 0.01)
    peer = Peer(RESPONSES)
    async with (
        trio.open_nursery() as nursery,
        listening(peer, served_versions=SERVED.get) as (_, port),
        harness() as it,
    ):
        await it.ask(1, port, vote())
        recorded = Destination(id=2, host="127.0.0.1", port=free_port())
        nursery.start_soon(it.channel.keep_ready, lambda: [recorded])
        await trio.sleep(0.05)
        await it.ask(2, port, vote())
        assert len({connection for _, _, connection in peer.seen}) == 1
        nursery.cancel_scope.cancel()


def held(it: Harness) -> tuple[int, set[int], int]:
    """What is kept: connections, ids with statistics, lanes of which something was said."""
    return len(it.channel._peers), set(it.channel.statistics), len(it.channel._said)


async def test_of_unknown_nodes_nothing_is_kept_but_one_count(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with harness() as it:
        async with listening(Peer(RESPONSES), served_versions=SERVED.get) as (listener, port):
            for node_id in range(1000, 1010):
                it.send(node_id, port, vote(), node_id=node_id)
                assert isinstance(await it.end(node_id), ResponseReceived)
            await wait_until(lambda: listener.statistics().open_connections == 0)
            assert listener.statistics().accepted_connections == 10
        for node_id in range(1010, 1015):
            it.send(node_id, port, vote(), node_id=node_id)
            assert await it.failure(node_id) is RequestFailure.REFUSED
        assert held(it) == (0, {raft_channel.UNKNOWN_NODES}, 0)
        statistics = it.channel.statistics[raft_channel.UNKNOWN_NODES]
        assert statistics.requests == {"Vote": 15}
        assert statistics.failures == {RequestFailure.REFUSED: 5}
    # Each is another node, for all that is known.
    lines = [record for record in caplog.records if "refused" in record.getMessage()]
    assert len(lines) == 5
    # Anybody may cause them.
    assert {record.name for record in lines} <= set(LIMITED_LOGGERS)


async def test_what_is_kept_of_a_node_goes_once_it_is_known_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raft_channel, "READY_INTERVAL_S", 0.01)
    peer = Peer(RESPONSES)
    gate = peer.gates[52] = trio.Event()
    async with (
        trio.open_nursery() as nursery,
        listening(peer, served_versions=SERVED.get) as (listener, port),
        harness() as it,
    ):
        await it.ask(1, port, fetch())
        it.send(2, free_port(), vote(), node_id=3)
        assert await it.failure(2) is RequestFailure.REFUSED
        it.send(3, port, vote())
        await wait_until(lambda: len(peer.seen) == 2)
        assert held(it) == (3, {2, 3}, 1)
        it.known.clear()
        nursery.start_soon(it.channel.keep_ready, list)
        await wait_until(lambda: held(it) == (1, set(), 0))
        # What was under way is answered.
        gate.set()
        assert isinstance(await it.end(3), ResponseReceived)
        await wait_until(lambda: held(it)[0] == 0)
        await wait_until(lambda: listener.statistics().open_connections == 0)
        nursery.cancel_scope.cancel()
