"""Administrators as clients: each speaks Kafka's protocol through `kafkaproto` to any node, several requests at a time,
in any version that both know, in pieces, and hangs up when it likes. What they ask for, and what they were told, is
kept as one history for each thing; see `tests.sim.metadata.history`.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Sequence
from typing import Any

import trio

from kafkaproto.connection import ClientConnection, IncomingResponse, Negotiated
from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.frame import NEED_DATA
from kafkaproto.message import Message
from kafkaproto.messages import (
    CreateTopicsRequest,
    DescribeClusterRequest,
    DescribeQuorumRequest,
    MetadataRequest,
    UpdateFeaturesResponse,
)
from kafkaproto_server.metadata.image.entries import TOPIC_RESOURCE
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.net.peers import PeerChannel, PeerError
from tests.core.controller.support.harness import update_features_request
from tests.sim.checkers.invariants import ViolationError
from tests.sim.metadata.administrators import _REQUESTS as TOPIC_REQUESTS
from tests.sim.metadata.checker import MetadataInvariant
from tests.sim.metadata.history import Call, is_linearizable
from tests.sim.metadata.models import LOOK, Operation, TopicModel
from tests.sim.metadata.notebook import CALLS_PER_SUBJECT, Request, Subject
from tests.sim.metadata.settings import KINDS as ALL_KINDS
from tests.sim.nodes.brokers import BrokerRequests
from tests.sim.nodes.host import BROKER_PORT, CONTROLLER_PORT, Host
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.network import LONGEST_DELAY_S, NetHost, SimStream

RESPONSE_TIMEOUT_S = 8.0
PATIENCE_S = 75.0
"""Of some clients: longer than a broker tries to reach a controller."""
KINDS = {name: kind for name, kind in ALL_KINDS.items() if name != "feature"}
"""A formatted cluster has features at their newest levels: there is nothing to set."""
ASKED_AGAIN_US = 20_000
"""A broker that loses its connection to the controller sends a request again no sooner than after this."""
CONTROLLER_ONLY = ("visitor", "controller")
_TOPIC_RESPONSES = frozenset((0, 3, 36, 37))
_UNKNOWN = (ErrorCode.NOT_CONTROLLER, ErrorCode.REQUEST_TIMED_OUT, ErrorCode.UNKNOWN_SERVER_ERROR)


class Histories:
    """What was asked of each thing, and what came back."""

    def __init__(self, rng: random.Random, brokers: int) -> None:
        self._rng = rng
        self._brokers = brokers
        self._subjects: dict[str, Subject] = {}
        self._repeats: list[tuple[Subject, Call]] = []
        self._numbers = dict.fromkeys(("topic", *KINDS), 0)
        self._value = 0

    @property
    def answered(self) -> int:
        """The number of requests whose result is known."""
        return sum(call.answered_at is not None for each in self._subjects.values() for call in each.calls)

    def next(self, *, at_controller: bool) -> tuple[Subject, Call, Request]:
        """Something to ask for."""
        kinds = [name for name in KINDS if at_controller or name not in CONTROLLER_ONLY]
        kind_name = "topic" if self._rng.random() < 0.5 else self._rng.choice(kinds)
        name = f"{kind_name}-{self._numbers[kind_name]}"
        if name in self._subjects and len(self._subjects[name].calls) >= CALLS_PER_SUBJECT:
            self._numbers[kind_name] += 1
            most = None if kind_name == "topic" else KINDS[kind_name].most
            if most is not None and self._numbers[kind_name] >= most:
                self._numbers[kind_name] = most
                return self.next(at_controller=at_controller)
            name = f"{kind_name}-{self._numbers[kind_name]}"
        if kind_name != "topic" and KINDS[kind_name].most == self._numbers[kind_name]:
            return self.next(at_controller=at_controller)
        self._value += 1
        return self._topic(name) if kind_name == "topic" else self._setting(kind_name, name)

    def _topic(self, name: str) -> tuple[Subject, Call, Request]:
        def state(image: ClusterImage) -> object:
            topic = image.topic_by_name(name)
            if topic is None:
                return None
            return len(topic.partitions), int(image.config(TOPIC_RESOURCE, name).get("retention.ms", "0"))

        subject = self._subjects.setdefault(
            name, Subject(model=TopicModel(), responses=_TOPIC_RESPONSES, look=state, initial=None)
        )
        kind = self._rng.choices(["create", "exists", "delete", "set", "grow"], [5, 1, 2, 4, 2])[0]
        argument = {"create": self._rng.randint(1, 3), "grow": self._rng.randint(2, 5), "set": self._value}
        operation = Operation(kind, argument.get(kind, 0))
        request = TOPIC_REQUESTS[kind](name, operation.argument)
        _limit_replicas(request[0], self._brokers)
        return subject, self._called(subject, operation), request

    def _setting(self, kind_name: str, name: str) -> tuple[Subject, Call, Request]:
        kind = KINDS[kind_name]
        subject = self._subjects.setdefault(
            name,
            Subject(
                model=kind.model,
                responses=frozenset((0, kind.model.present, kind.model.absent)),
                look=lambda image: kind.look(image, name),
                initial=0,
            ),
        )
        operation = Operation(self._rng.choice(kind.operations))
        if operation.kind == "set":
            operation = Operation("set", kind.value(self._value))
        return subject, self._called(subject, operation), kind.request(name, operation)

    @staticmethod
    def _called(subject: Subject, operation: Operation) -> Call:
        call = Call(operation=operation, called_at=_now_us())
        subject.calls.append(call)
        return call

    def answer(self, subject: Subject, call: Call, code: int, *, at_controller: bool) -> None:
        """A response has come."""
        assert isinstance(call.operation, Operation)
        if code in _UNKNOWN:
            return
        # A broker asks again if its connection to the controller is lost, as Kafka's do: it may be the second time that
        # is answered, and the first that did it.
        if (
            not at_controller
            and (code or call.operation.kind == "remove")
            and call.operation.kind != "exists"
        ):
            return
        if code not in subject.responses:
            # It was not done: too few brokers, for example.
            subject.calls.remove(call)
            return
        call.answered_at, call.response = _now_us(), code
        if not at_controller and call.answered_at - call.called_at >= ASKED_AGAIN_US:
            # Both times it may have been done, and something else in between.
            self._repeats.append((subject, Call(operation=call.operation, called_at=call.called_at)))

    @staticmethod
    def not_sent(subject: Subject, call: Call) -> None:
        """Nothing of the request has left."""
        subject.calls.remove(call)

    def check(self, image: ClusterImage) -> None:
        """Raise ViolationError for responses, or a state at last, that no cluster could have given."""
        for subject, call in self._repeats:
            subject.calls.append(call)
        for name, subject in self._subjects.items():
            _check(name, subject, MetadataInvariant.LINEARIZABLE)
            end = Call(operation=LOOK, called_at=_now_us(), answered_at=_now_us() + 1)
            end.response = subject.look(image)
            subject.calls.append(end)
            _check(name, subject, MetadataInvariant.ACKNOWLEDGED_STAYS)


def _check(name: str, subject: Subject, invariant: MetadataInvariant) -> None:
    if not is_linearizable(subject.calls, subject.model, subject.initial):
        calls = "; ".join(
            f"{call.operation} at {call.called_at}: {call.response} at {call.answered_at}"
            for call in subject.calls
        )
        raise ViolationError(invariant, f"{name}: {calls}")


def _limit_replicas(request: Message, brokers: int) -> None:
    """Have a request ask for no more replicas than there are brokers."""
    if isinstance(request, CreateTopicsRequest):
        for topic in request.topics:
            topic.replication_factor = min(topic.replication_factor, brokers)


def _now_us() -> int:
    return round(trio.current_time() * 1_000_000)


class HungUp(Exception):
    """The connection is gone."""


class Administrator:
    """One client. `run` it until the traffic is to end."""

    def __init__(
        self,
        net: NetHost,
        hosts: Sequence[Host],
        histories: Histories,
        brokers: BrokerRequests,
        rng: random.Random,
    ) -> None:
        self._net = net
        self._hosts = hosts
        self._histories = histories
        self._brokers = brokers
        self._rng = rng
        self.address = net.address
        self.requests = 0
        self.is_over = False
        self._timeout_s = RESPONSE_TIMEOUT_S

    async def run(self) -> None:
        """Connect, ask, hang up, again and again."""
        while not self.is_over:
            await trio.sleep(self._rng.expovariate(1 / 0.1))
            host = self._rng.choice(self._hosts)
            port = BROKER_PORT if host.is_broker and self._rng.random() < 0.7 else CONTROLLER_PORT
            if port == CONTROLLER_PORT and not host.is_controller:
                continue
            try:
                with trio.fail_after(3):
                    stream = await self._net.connect(host.net.address, port)
            except (OSError, trio.TooSlowError):
                continue
            life, self._timeout_s = host.life, PATIENCE_S if self._rng.random() < 0.2 else RESPONSE_TIMEOUT_S
            try:
                await self._use(stream, at_controller=port == CONTROLLER_PORT)
            except trio.TooSlowError:
                if (
                    self._timeout_s == PATIENCE_S
                    and host.life == life
                    and host.is_up
                    and not host.is_stopping
                ):
                    what = f"node {host.id}, port {port}: no response within {PATIENCE_S} s"
                    raise ViolationError(NodeInvariant.ONE_RESPONSE, what) from None
            except (HungUp, trio.BrokenResourceError, trio.ClosedResourceError):
                pass
            finally:
                stream.close()

    async def _use(self, stream: SimStream, *, at_controller: bool) -> None:
        connection = ClientConnection(client_id=self._net.name)
        with trio.fail_after(self._timeout_s):
            event = await self._next(stream, connection)
        assert isinstance(event, Negotiated)
        for _ in range(self._rng.randint(1, 6)):
            if self.is_over:
                return
            await self._exchange(stream, connection, at_controller=at_controller)
            await trio.sleep(self._rng.expovariate(1 / 0.05))

    async def _exchange(
        self, stream: SimStream, connection: ClientConnection, *, at_controller: bool
    ) -> None:
        waiting: dict[int, Callable[[Any], None]] = {}
        for _ in range(self._rng.choice((1, 1, 1, 2, 4))):
            number, heard = self._ask(connection, at_controller=at_controller)
            if number is not None:
                waiting[number] = heard
        await self._write(stream, b"".join(connection.data_to_send()))
        with trio.fail_after(self._timeout_s):
            while waiting:
                event = await self._next(stream, connection)
                assert isinstance(event, IncomingResponse)
                waiting.pop(event.correlation_id)(event.response)

    def _ask(
        self, connection: ClientConnection, *, at_controller: bool
    ) -> tuple[int | None, Callable[[Any], None]]:
        served = connection.served_versions
        assert served is not None
        if self._rng.random() < 0.25:
            look = self._rng.choice(
                (MetadataRequest(topics=None), DescribeClusterRequest(), _DESCRIBE_QUORUM)
            )
            if look.API_KEY not in served:
                return None, lambda _: None
            self.requests += 1
            return self._send(connection, look), lambda _: None
        if at_controller and self._rng.random() < 0.1:
            asked = self._brokers.next()
            if asked is None:
                return None, lambda _: None
            self.requests += 1
            return self._send(connection, asked[0]), asked[1]
        subject, call, (request, result) = self._histories.next(at_controller=at_controller)
        if request.API_KEY not in served:
            self._histories.not_sent(subject, call)
            return None, lambda _: None
        self.requests += 1
        return self._send(connection, request), lambda response: self._histories.answer(
            subject, call, result(response), at_controller=at_controller
        )

    def _send(self, connection: ClientConnection, request: Message) -> int:
        assert connection.served_versions is not None
        assert request.API_KEY is not None
        low, high = connection.served_versions[request.API_KEY]
        low, high = max(low, request.MIN_VERSION), min(high, connection.version_for(request))
        if self._rng.random() < 0.4:
            try:
                return connection.send_request(request, self._rng.randint(low, high))
            except LocalProtocolError:
                # The version has no field for what is asked.
                pass
        return connection.send_request(request)

    async def _write(self, stream: SimStream, data: bytes) -> None:
        chance = self._rng.random()
        if chance < 0.03:
            # Breaks off in the middle.
            await stream.send_all(data[: self._rng.randrange(len(data) + 1)])
            raise HungUp
        if chance < 0.15:
            cut = self._rng.randrange(len(data) + 1)
            await stream.send_all(data[:cut])
            await trio.sleep(self._rng.random())
            data = data[cut:]
        await stream.send_all(data)
        if chance > 0.97:
            # Does not wait for the answers.
            raise HungUp

    async def _next(self, stream: SimStream, connection: ClientConnection) -> Negotiated | IncomingResponse:
        while True:
            pending = b"".join(connection.data_to_send())
            if pending:
                await stream.send_all(pending)
            try:
                event = connection.next_event()
            except RemoteProtocolError as error:
                raise ViolationError(NodeInvariant.WHOLE_RESPONSES, str(error)) from error
            if event is not NEED_DATA:
                return event
            data = await stream.receive_some(self._rng.choice((1, 7, 100, 65_536)))
            if not data:
                raise HungUp
            connection.receive(data)


class Upgrade:
    """Raises kraft.version once, in the middle of everything else: the quorum, not the image, keeps its level.

    It is held back on its way, together with other commands, so that a controller gets all of them in one turn.
    """

    def __init__(self, net: NetHost, hosts: Sequence[Host], rng: random.Random) -> None:
        self._net = net
        self._hosts = [host for host in hosts if host.is_controller]
        self._rng = rng
        self._topics = 0
        self._has_level = False

    async def run(self) -> None:
        """Ask until the level is 1."""
        await trio.sleep(self._rng.uniform(0.5, 8))
        while not self._has_level:
            await trio.sleep(0.1)
            host = self._rng.choice(self._hosts)
            peers = [peer_of(self._net, host, CONTROLLER_PORT) for _ in range(5)]
            try:
                for peer in peers:
                    await peer.prepare(timeout_ms=1000)
                await self._send_together(host, peers)
            except PeerError:
                pass
            finally:
                for peer in peers:
                    peer.close()

    async def _send_together(self, host: Host, peers: Sequence[PeerChannel]) -> None:
        self._net.net.cut(self._net, host.net)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._raise_level, host, peers[0])
                for peer in peers[1:]:
                    nursery.start_soon(self._make_topic, peer)
                await trio.sleep(LONGEST_DELAY_S)
                self._net.net.join(self._net, host.net)
        finally:
            self._net.net.join(self._net, host.net)

    async def _raise_level(self, host: Host, peer: PeerChannel) -> None:
        try:
            response = await peer.send(update_features_request(("kraft.version", 1, 1)), timeout_ms=5000)
        except PeerError:
            return
        assert isinstance(response, UpdateFeaturesResponse)
        is_raised = not response.error_code and host.quorum is not None and host.quorum.kraft_version > 0
        self._has_level = self._has_level or is_raised

    async def _make_topic(self, peer: PeerChannel) -> None:
        self._topics += 1
        request, _ = TOPIC_REQUESTS["create"](f"beside-upgrade-{self._topics}", 1)
        _limit_replicas(request, 1)
        with contextlib.suppress(PeerError):
            await peer.send(request, timeout_ms=5000)


def peer_of(net: NetHost, host: Host, port: int) -> PeerChannel:
    """A channel of a client's to one of a host's listeners; to be closed."""
    return PeerChannel(
        host.net.address, port, client_id=net.name, backoff=None, rng=_Middle(), connect=net.connect
    )


class TopicMaker:
    """Has a broker make topics, and asks again until it has."""

    def __init__(self, net: NetHost) -> None:
        self._net = net

    async def run(self, host: Host, name: str, partitions: int, within_s: float) -> None:
        """Raise ViolationError if it is not done in time."""
        request, result = TOPIC_REQUESTS["create"](name, partitions)
        _limit_replicas(request, 1)
        peer = peer_of(self._net, host, BROKER_PORT)
        said: object = None
        with trio.move_on_after(within_s):
            while said not in (ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS):
                try:
                    said = result(await peer.send(request, timeout_ms=5000))
                except PeerError as error:
                    said = error
                await trio.sleep(0.1)
            peer.close()
            return
        raise ViolationError(NodeInvariant.ACKNOWLEDGES_AT_LAST, f"{name} by node {host.id}: {said}")


class _Middle:
    """See `ports.Rng`."""

    def below(self, limit: int) -> int:
        return limit // 2

    def uuid(self) -> bytes:
        return bytes(16)


_DESCRIBE_QUORUM = DescribeQuorumRequest(
    topics=[
        DescribeQuorumRequest.TopicData(
            topic_name="__cluster_metadata",
            partitions=[DescribeQuorumRequest.PartitionData(partition_index=0)],
        )
    ]
)
