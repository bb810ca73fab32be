"""A client's connection to a broker, and what a client knows of a cluster's partitions."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import trio

from kafkaproto.connection import ClientConnection, IncomingResponse, Negotiated
from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import RemoteProtocolError, UnsupportedVersionError
from kafkaproto.frame import NEED_DATA
from kafkaproto.message import Message
from kafkaproto.messages import CreateTopicsRequest, CreateTopicsResponse, MetadataRequest, MetadataResponse
from kafkaproto_server.shell.net.peers import PeerError
from tests.sim.checkers.invariants import ViolationError
from tests.sim.nodes.host import BROKER_PORT, Host
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.network import NetHost, SimStream
from tests.sim.nodes.traffic import peer_of

CONNECT_S = 2.0
_READ_BYTES = 65_536

Place = tuple[str, int]
"""Topic name and partition index."""


class LinkLostError(Exception):
    """The connection is gone, or nothing came in time."""


@contextlib.contextmanager
def _lost(within_s: float) -> Iterator[None]:
    try:
        with trio.fail_after(within_s):
            yield
    except (OSError, trio.TooSlowError, trio.BrokenResourceError, trio.ClosedResourceError) as error:
        raise LinkLostError from error


class Link:
    """One connection. Raises LinkLostError from all that waits."""

    def __init__(self, host: Host, stream: SimStream, connection: ClientConnection) -> None:
        self.host = host
        self.life = host.life
        """Of the process at the other end."""
        self._stream = stream
        self._connection = connection

    @classmethod
    async def connect(cls, net: NetHost, host: Host, *, port: int = BROKER_PORT) -> Link:
        """Connect to a host's broker, or to another one of its listeners."""
        with _lost(CONNECT_S):
            stream = await net.connect(host.net.address, port)
        link = cls(host, stream, ClientConnection(client_id=net.name))
        try:
            event = await link.receive(CONNECT_S)
        except BaseException:
            # The process may end at any moment, and nobody else knows of this stream.
            stream.close()
            raise
        assert isinstance(event, Negotiated)
        return link

    def versions_of(self, request: type[Message]) -> tuple[int, int]:
        """The lowest and the highest version that both know; (0, -1) if the broker does not serve it."""
        served = self._connection.served_versions
        assert served is not None
        assert request.API_KEY is not None
        low, high = served.get(request.API_KEY, (0, -1))
        return max(low, request.MIN_VERSION), min(high, request.MAX_VERSION)

    def send(self, request: Message, version: int | None = None) -> int:
        """Put a request into the pipe; its correlation id. `receive` sends it."""
        try:
            return self._connection.send_request(request, version)
        except UnsupportedVersionError as error:
            raise LinkLostError from error

    async def flush(self, within_s: float) -> None:
        """Send what is in the pipe."""
        with _lost(within_s):
            pending = b"".join(self._connection.data_to_send())
            if pending:
                await self._stream.send_all(pending)

    async def receive(self, within_s: float) -> Negotiated | IncomingResponse:
        """The next response."""
        with _lost(within_s):
            while True:
                pending = b"".join(self._connection.data_to_send())
                if pending:
                    await self._stream.send_all(pending)
                try:
                    event = self._connection.next_event()
                except RemoteProtocolError as error:
                    raise ViolationError(NodeInvariant.WHOLE_RESPONSES, str(error)) from error
                if event is not NEED_DATA:
                    return event
                data = await self._stream.receive_some(_READ_BYTES)
                if not data:
                    raise trio.BrokenResourceError
                self._connection.receive(data)

    async def ask(self, request: Message, within_s: float) -> Message:
        """Send one request; its response."""
        self.send(request)
        event = await self.receive(within_s)
        assert isinstance(event, IncomingResponse)
        return event.response

    def close(self) -> None:
        """Hang up."""
        self._stream.close()


class ClusterView:
    """What a client was told of leaders. Older epochs do not take the place of newer ones."""

    def __init__(self) -> None:
        self.topic_ids: dict[str, bytes] = {}
        self.leaders: dict[Place, tuple[int, int]] = {}
        """Broker and leader epoch."""

    async def look(self, link: Link, names: list[str], within_s: float) -> None:
        """Ask a broker."""
        request = MetadataRequest(topics=[MetadataRequest.Topic(name=name) for name in names])
        request.allow_auto_topic_creation = False
        response = await link.ask(request, within_s)
        assert isinstance(response, MetadataResponse)
        for topic in response.topics:
            if topic.error_code or topic.name is None:
                continue
            self.topic_ids[topic.name] = topic.topic_id
            for each in topic.partitions:
                place = (topic.name, each.partition_index)
                if each.leader_epoch >= self.leaders.get(place, (-1, -1))[1]:
                    self.leaders[place] = (each.leader_id, each.leader_epoch)


async def make_topic(
    net: NetHost, hosts: list[Host], name: str, partitions: int, replicas: int, configs: dict[str, str]
) -> None:
    """Have a topic made, however often that takes. Its replicas are on the hosts: a stranger may have registered as a
    broker, too."""
    ids = [host.id for host in hosts]
    request = CreateTopicsRequest(
        topics=[
            CreateTopicsRequest.CreatableTopic(
                name=name,
                num_partitions=-1,
                replication_factor=-1,
                assignments=[
                    CreateTopicsRequest.CreatableReplicaAssignment(
                        partition_index=index,
                        broker_ids=[ids[(index + number) % len(ids)] for number in range(replicas)],
                    )
                    for index in range(partitions)
                ],
                configs=[
                    CreateTopicsRequest.CreatableTopicConfig(name=key, value=value)
                    for key, value in configs.items()
                ],
            )
        ],
        timeout_ms=3000,
    )
    turn = 0
    while True:
        peer = peer_of(net, hosts[turn % len(hosts)], BROKER_PORT)
        turn += 1
        try:
            response = await peer.send(request, timeout_ms=4000)
        except PeerError:
            pass
        else:
            assert isinstance(response, CreateTopicsResponse)
            if response.topics[0].error_code in (ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS):
                return
        finally:
            peer.close()
        await trio.sleep(0.2)
