"""Death by proof, on real sockets of the loopback: what proves that a broker's process is gone, and what does not."""

from __future__ import annotations

import errno
import logging
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio

from kafkaproto.messages import BrokerHeartbeatRequest
from kafkaproto_server.base.backoff import Backoff
from kafkaproto_server.base.types import Endpoint, ListenerKind
from kafkaproto_server.core.controller.values.events import BrokerFailed
from kafkaproto_server.metadata.image.entries import BrokerRegistration
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.net.connections import ConnectionInfo
from kafkaproto_server.shell.net.names import NameLookups
from kafkaproto_server.shell.net.network import TcpNetwork
from kafkaproto_server.shell.process.system import SystemClock
from kafkaproto_server.shell.quorum import broker_probe
from kafkaproto_server.shell.quorum.broker_probe import BrokerProbe, Prober, ProbeResult
from kafkaproto_server.shell.quorum.image.published import Published

pytestmark = pytest.mark.trio

EPOCH = 40
ACTIVE_EPOCH = 7
INTERVAL_MS = 30
HEARTBEAT_INTERVAL_MS = 300
TRY_ENDPOINTS = Prober.try_endpoints
"""The real one, where a test puts another in its place."""


@pytest.fixture(autouse=True)
def short_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker_probe, "PROBE_INTERVAL_MS", INTERVAL_MS)
    monkeypatch.setattr(broker_probe, "CONNECT_TIMEOUT_MS", 200)


class Ports:
    """Where a broker listens, or does not."""

    def __init__(self, count: int = 1) -> None:
        self._sockets: dict[int, socket.socket] = {}
        self.numbers: list[int] = []
        for _ in range(count):
            with socket.create_server(("127.0.0.1", 0)) as found:
                self.numbers.append(found.getsockname()[1])

    def open(self, *indexes: int, backlog: int = 128) -> None:
        for index in indexes or range(len(self.numbers)):
            address = ("127.0.0.1", self.numbers[index])
            self._sockets[index] = socket.create_server(address, backlog=backlog)

    def close(self, *indexes: int) -> None:
        for index in indexes or list(self._sockets):
            self._sockets.pop(index).close()

    def endpoints(self) -> tuple[Endpoint, ...]:
        return tuple(
            Endpoint(name=f"L{index}", host="127.0.0.1", port=port) for index, port in enumerate(self.numbers)
        )


@pytest.fixture
def ports() -> Iterator[Ports]:
    given = Ports()
    yield given
    given.close()


@pytest.fixture
def two_ports() -> Iterator[Ports]:
    given = Ports(2)
    yield given
    given.close()


def connection(number: int) -> ConnectionInfo:
    return ConnectionInfo(
        connection_id=number,
        listener_name="CONTROLLER",
        listener_kind=ListenerKind.CONTROLLER,
        peer_host="127.0.0.1",
        peer_port=50_000 + number,
    )


class Scene:
    """A probe, what the controller's node publishes, and what the probe reported."""

    def __init__(self) -> None:
        self.published = Published(active_epoch=ACTIVE_EPOCH)
        self.deaths: list[tuple[BrokerFailed, str]] = []
        self.probe = BrokerProbe(
            published=self.published,
            report=lambda death, proof: self.deaths.append((death, proof)),
            heartbeat_interval_ms=HEARTBEAT_INTERVAL_MS,
            clock=SystemClock(),
        )

    def register(
        self, broker_id: int, endpoints: tuple[Endpoint, ...], *, epoch: int = EPOCH, fenced: bool = False
    ) -> None:
        registration = BrokerRegistration(
            broker_id=broker_id,
            incarnation_id=bytes(16),
            epoch=epoch,
            endpoints=endpoints,
            features=(),
            rack=None,
            fenced=fenced,
            in_controlled_shutdown=False,
            directories=(),
            cordoned_directories=None,
        )
        self.published.image = ClusterImage(brokers=self.published.image.brokers.set(broker_id, registration))
        self.published.notify()

    def become_active(self, epoch: int | None) -> None:
        """This node's controller is active in an epoch, or is not."""
        self.published.active_epoch = epoch
        self.published.notify()

    def heartbeat(self, broker_id: int, over: int, *, epoch: int = EPOCH) -> None:
        request = BrokerHeartbeatRequest(broker_id=broker_id, broker_epoch=epoch)
        self.probe.heartbeat(request, connection(over))

    def end(self, number: int) -> None:
        self.probe.connection_ended(connection(number))

    async def until_met(self, broker_id: int) -> None:
        await until(lambda: broker_id in self.probe._brokers and self.probe._brokers[broker_id].has_accepted)

    async def until_probed(self) -> None:
        """Long enough for every round of a probe, and more."""
        await trio.sleep((broker_probe.PROOF_ROUNDS + 2) * INTERVAL_MS / 1000)


async def until(condition: Callable[[], bool]) -> None:
    with trio.fail_after(10):
        while not condition():
            await trio.sleep(0.002)


@asynccontextmanager
async def running() -> AsyncIterator[Scene]:
    """A probe that runs."""
    scene = Scene()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(scene.probe.run)
        yield scene
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def met(ports: Ports) -> AsyncIterator[Scene]:
    """Broker 1 serves, and its heartbeats come over connection 5."""
    ports.open()
    async with running() as scene:
        scene.register(1, ports.endpoints())
        scene.heartbeat(1, over=5)
        await scene.until_met(1)
        yield scene


async def test_a_broker_whose_endpoints_all_refuse_is_dead(two_ports: Ports) -> None:
    async with met(two_ports) as scene:
        two_ports.close()
        before = SystemClock().now_ms()
        scene.end(5)
        await until(lambda: bool(scene.deaths))
        ((death, proof),) = scene.deaths
        assert (death.broker_id, death.broker_epoch) == (1, EPOCH)
        assert before <= death.silent_since_ms <= before + INTERVAL_MS
        first, second = two_ports.numbers
        assert f"L0://127.0.0.1:{first}, L1://127.0.0.1:{second} refused 3 times" in proof
        await scene.until_probed()
        assert len(scene.deaths) == 1


async def test_a_broker_that_accepts_anywhere_lives(
    two_ports: Ports, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, broker_probe._log.name):
        async with met(two_ports) as scene:
            two_ports.close(0)
            scene.end(5)
            await scene.until_probed()
            assert scene.deaths == []
    assert "broker 1: the connection of its heartbeats ended, but L0://127.0.0.1:" in caplog.text
    assert ": accepted; the broker is fenced when its session ends" in caplog.text


async def test_a_broker_that_listens_again_in_time_lives(ports: Ports) -> None:
    async with met(ports) as scene:
        ports.close()
        scene.end(5)
        await trio.sleep(1.5 * INTERVAL_MS / 1000)
        ports.open()
        await scene.until_probed()
        assert scene.deaths == []


async def test_a_process_that_accepts_with_its_last_breath_is_dead(ports: Ports) -> None:
    async with met(ports) as scene:
        scene.end(5)
        await trio.sleep(0.5 * INTERVAL_MS / 1000)
        assert scene.deaths == []
        ports.close()
        await until(lambda: bool(scene.deaths))


async def test_a_broker_that_comes_and_goes_is_left_to_its_session(
    ports: Ports, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with met(ports) as scene:
        rounds = 0

        async def changing(prober: Prober, endpoints: Sequence[Endpoint]) -> ProbeResult:
            nonlocal rounds
            rounds += 1
            await trio.lowlevel.checkpoint()
            return ProbeResult.ACCEPTED if rounds % 3 == 0 else ProbeResult.REFUSED

        monkeypatch.setattr(Prober, "try_endpoints", changing)
        scene.end(5)
        await until(lambda: rounds == broker_probe.MAX_ROUNDS)
        await scene.until_probed()
        assert rounds == broker_probe.MAX_ROUNDS
        assert scene.deaths == []


async def test_a_heartbeat_over_another_connection_ends_the_probe(ports: Ports) -> None:
    async with met(ports) as scene:
        ports.close()
        scene.end(5)
        await trio.sleep(1.5 * INTERVAL_MS / 1000)
        scene.heartbeat(1, over=6)
        await scene.until_probed()
        assert scene.deaths == []
        # It has nothing to do with how the next one ends.
        scene.end(6)
        await until(lambda: bool(scene.deaths))


async def test_a_heartbeat_between_the_end_and_the_probe_counts(ports: Ports) -> None:
    async with met(ports) as scene:
        ports.close()
        scene.end(5)
        scene.heartbeat(1, over=6)
        await scene.until_probed()
        assert scene.deaths == []


async def test_a_heartbeat_that_comes_during_the_last_round_counts(
    ports: Ports, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with met(ports) as scene:
        rounds = 0

        async def with_heartbeat(prober: Prober, endpoints: Sequence[Endpoint]) -> ProbeResult:
            nonlocal rounds
            rounds += 1
            if rounds == broker_probe.PROOF_ROUNDS:
                scene.heartbeat(1, over=6)
            return await TRY_ENDPOINTS(prober, endpoints)

        monkeypatch.setattr(Prober, "try_endpoints", with_heartbeat)
        ports.close()
        scene.end(5)
        await scene.until_probed()
        assert rounds == broker_probe.PROOF_ROUNDS
        assert scene.deaths == []


async def test_only_the_connection_of_the_newest_heartbeat_counts(ports: Ports) -> None:
    async with met(ports) as scene:
        scene.heartbeat(1, over=6)
        ports.close()
        scene.end(5)
        scene.end(99)
        await scene.until_probed()
        assert scene.deaths == []


async def test_to_be_refused_says_nothing_of_a_broker_that_never_accepted(ports: Ports) -> None:
    async with running() as scene:
        scene.register(1, ports.endpoints())
        scene.heartbeat(1, over=5)
        await scene.until_probed()
        scene.end(5)
        await scene.until_probed()
        assert scene.deaths == []


async def test_a_broker_that_listens_late_is_met_then_but_not_tried_all_the_time(
    ports: Ports, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broker_probe, "MEETING_BACKOFF", Backoff(first_ms=5, longest_ms=40))
    tries = 0

    async def counted(prober: Prober, endpoints: Sequence[Endpoint]) -> ProbeResult:
        nonlocal tries
        tries += 1
        return await TRY_ENDPOINTS(prober, endpoints)

    monkeypatch.setattr(Prober, "try_endpoints", counted)
    async with running() as scene:
        # Who is fenced is not looked for.
        scene.register(1, ports.endpoints(), fenced=True)
        await trio.sleep(0.05)
        assert tries == 0
        scene.register(1, ports.endpoints())
        await trio.sleep(0.5)
        assert 3 < tries < 20
        ports.open()
        await scene.until_met(1)
        met_after = tries
        # Neither what else happens nor its heartbeats have it tried again.
        scene.register(2, (), fenced=True)
        scene.heartbeat(1, over=5)
        await trio.sleep(0.1)
        assert tries == met_after
        # At other endpoints it is another matter.
        scene.register(1, (*ports.endpoints(), Endpoint(name="NEW", host="127.0.0.1", port=1)))
        await until(lambda: tries == met_after + 1)


async def test_a_broker_that_was_fenced_before_it_was_met_is_met_when_it_serves_again(
    ports: Ports, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broker_probe, "MEETING_BACKOFF", Backoff(first_ms=5, longest_ms=64_000))
    async with running() as scene:
        scene.register(1, ports.endpoints())
        await until(lambda: 1 in scene.probe._brokers and scene.probe._brokers[1].is_being_met)
        scene.register(1, ports.endpoints(), fenced=True)
        await until(lambda: not scene.probe._brokers[1].is_being_met)
        ports.open()
        scene.register(1, ports.endpoints())
        await scene.until_met(1)


async def test_what_neither_accepts_nor_refuses_is_no_proof(ports: Ports) -> None:
    async with met(ports) as scene:
        ports.close()
        # The kernel answers nothing while the queue of a listener that takes nobody is full.
        ports.open(backlog=0)
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(("127.0.0.1", ports.numbers[0]))
        assert await Prober().try_endpoints(ports.endpoints()) is ProbeResult.UNKNOWN
        scene.end(5)
        await trio.sleep(0.8)
        assert scene.deaths == []
        for each in waiting:
            each.close()


class NetworkWithNames(TcpNetwork):
    """The machine's network with other lookups."""

    def __init__(self, names: NameLookups) -> None:
        self._names = names

    def names(self, max_lookups: int) -> NameLookups:
        return self._names


class Resolver:
    """Resolves by a table; what is not there does not exist, what is None takes until the test is over."""

    def __init__(self, **addresses: list[str] | None) -> None:
        self._addresses = addresses
        self.is_over = threading.Event()

    def __call__(self, host: str, port: None, *args: int) -> list[tuple[Any, ...]]:
        if host not in self._addresses:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        found = self._addresses[host]
        if found is None:
            self.is_over.wait()
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found or []]


@pytest.mark.parametrize(
    ("host", "response"),
    [
        ("here", ProbeResult.REFUSED),
        ("twice", ProbeResult.REFUSED),
        ("nowhere", ProbeResult.UNKNOWN),
        ("slow", ProbeResult.UNKNOWN),
        ("partly", ProbeResult.ACCEPTED),
        ("empty", ProbeResult.UNKNOWN),
    ],
)
async def test_a_name_counts_by_all_its_addresses(two_ports: Ports, host: str, response: ProbeResult) -> None:
    # Other addresses of the loopback are other machines' for all that the probe can tell.
    listener = socket.create_server(("127.0.0.3", two_ports.numbers[0]))
    resolver = Resolver(
        here=["127.0.0.1"],
        twice=["127.0.0.1", "127.0.0.2"],
        slow=None,
        partly=["127.0.0.1", "127.0.0.3"],
        empty=[],
    )
    try:
        named = Endpoint(name="NAMED", host=host, port=two_ports.numbers[0])
        other = Endpoint(name="OTHER", host="127.0.0.1", port=two_ports.numbers[1])
        assert (
            await Prober(NetworkWithNames(NameLookups(2, resolver))).try_endpoints([named, other]) is response
        )
    finally:
        resolver.is_over.set()
        listener.close()


@pytest.mark.parametrize("code", [errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ETIMEDOUT, errno.EACCES])
async def test_an_address_that_cannot_be_reached_is_no_proof(
    ports: Ports, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    async def fails(self: object, address: object) -> None:
        raise OSError(code, "cannot be reached")

    async with met(ports) as scene:
        ports.close()
        monkeypatch.setattr("trio._socket._SocketType.connect", fails)
        scene.end(5)
        await scene.until_probed()
        assert scene.deaths == []


@pytest.mark.parametrize("host", ["", ".", "a..b", "x" * 300, "x" * 64, "\u200d", "\N{SNOWMAN}" * 70])
async def test_whatever_a_broker_calls_a_host_does_no_harm(host: str) -> None:
    assert await Prober().try_endpoints([Endpoint(name="ODD", host=host, port=1)]) is ProbeResult.UNKNOWN


async def test_no_endpoints_are_no_proof_and_too_many_are_not_tried(ports: Ports) -> None:
    assert await Prober().try_endpoints([]) is ProbeResult.UNKNOWN
    ports.open()
    assert (
        await Prober().try_endpoints(ports.endpoints() * broker_probe.MAX_ENDPOINTS) is ProbeResult.ACCEPTED
    )
    assert (
        await Prober().try_endpoints(ports.endpoints() * (broker_probe.MAX_ENDPOINTS + 1))
        is ProbeResult.UNKNOWN
    )


async def test_without_a_file_descriptor_left_nothing_is_known(
    ports: Ports, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(family: int, kind: int) -> socket.socket:
        raise OSError(errno.EMFILE, "too many open files")

    monkeypatch.setattr(trio.socket, "socket", fails)
    assert await Prober().try_endpoints(ports.endpoints()) is ProbeResult.UNKNOWN


async def test_what_happens_to_the_broker_meanwhile_ends_the_probe(ports: Ports) -> None:
    def fence(scene: Scene) -> None:
        scene.register(1, ports.endpoints(), fenced=True)

    def register_anew(scene: Scene) -> None:
        scene.register(1, ports.endpoints(), epoch=EPOCH + 1)

    def amend(scene: Scene) -> None:
        elsewhere = Endpoint(name="ELSEWHERE", host="127.0.0.1", port=1)
        scene.register(1, (*ports.endpoints(), elsewhere))

    def unregister(scene: Scene) -> None:
        scene.published.image = ClusterImage()

    def fail_over(scene: Scene) -> None:
        scene.published.active_epoch = None

    def come_back(scene: Scene) -> None:
        scene.published.active_epoch = ACTIVE_EPOCH + 2

    for happens in (fence, register_anew, amend, unregister, fail_over, come_back):
        async with met(ports) as scene:
            ports.close()
            scene.end(5)
            await trio.sleep(1.5 * INTERVAL_MS / 1000)
            happens(scene)
            await scene.until_probed()
            assert scene.deaths == [], happens


async def test_the_next_life_of_a_broker_is_met_anew_and_may_end_as_well(ports: Ports) -> None:
    async with met(ports) as scene:
        ports.close()
        scene.register(1, ports.endpoints(), epoch=EPOCH + 1)
        scene.heartbeat(1, over=6, epoch=EPOCH + 1)
        assert not scene.probe._brokers[1].has_accepted
        ports.open()
        await scene.until_met(1)
        ports.close()
        scene.end(6)
        await until(lambda: bool(scene.deaths))
        assert [death.broker_epoch for death, _ in scene.deaths] == [EPOCH + 1]


async def test_a_new_activity_does_not_rely_on_what_was_seen_in_the_one_before(ports: Ports) -> None:
    async with met(ports) as scene:
        scene.become_active(ACTIVE_EPOCH + 2)
        await scene.until_probed()
        # It was heard in another epoch, over a connection whose end says nothing here.
        ports.close()
        scene.end(5)
        await scene.until_probed()
        assert scene.deaths == []


async def test_a_broker_that_died_with_the_controller_before_is_found_by_the_next(
    ports: Ports, two_ports: Ports
) -> None:
    async with running() as scene:
        scene.become_active(None)
        ports.open()
        two_ports.open()
        scene.register(1, ports.endpoints())
        scene.register(2, two_ports.endpoints())
        scene.register(3, (Endpoint(name="NEVER_MET", host="127.0.0.1", port=1),))
        await scene.until_met(1)
        await scene.until_met(2)
        ports.close()
        await scene.until_probed()
        assert scene.deaths == []
        scene.become_active(ACTIVE_EPOCH)
        await until(lambda: bool(scene.deaths))
        await scene.until_probed()
        ((death, proof),) = scene.deaths
        assert (death.broker_id, death.broker_epoch) == (1, EPOCH)
        assert proof.startswith("this controller has not heard of it, and L0://127.0.0.1:")


async def until_looked_again() -> None:
    await trio.sleep((HEARTBEAT_INTERVAL_MS + (broker_probe.PROOF_ROUNDS + 2) * INTERVAL_MS) / 1000)


@pytest.mark.parametrize("dies", [True, False])
async def test_a_broker_that_dies_before_its_first_heartbeat_to_a_new_controller_is_found(
    ports: Ports, dies: bool
) -> None:
    async with met(ports) as scene:
        scene.become_active(ACTIVE_EPOCH + 2)
        # The probe at once finds it alive.
        await scene.until_probed()
        if dies:
            ports.close()
            await until(lambda: bool(scene.deaths))
        await until_looked_again()
        assert [death.broker_id for death, _ in scene.deaths] == ([1] if dies else [])


@pytest.mark.parametrize("happens", ["heard of", "failed over", "fenced"])
async def test_who_is_not_missed_any_more_is_not_looked_for_again(ports: Ports, happens: str) -> None:
    async with met(ports) as scene:
        scene.become_active(ACTIVE_EPOCH + 2)
        await scene.until_probed()
        if happens == "heard of":
            scene.heartbeat(1, over=6)
        elif happens == "failed over":
            scene.become_active(None)
        else:
            scene.register(1, ports.endpoints(), fenced=True)
        ports.close()
        await until_looked_again()
        assert scene.deaths == []


async def test_a_broker_that_a_new_controller_has_heard_of_is_not_probed(ports: Ports) -> None:
    async with met(ports) as scene:
        scene.published.active_epoch = ACTIVE_EPOCH + 2
        scene.heartbeat(1, over=6)
        ports.close()
        scene.published.notify()
        await scene.until_probed()
        assert scene.deaths == []


async def test_heartbeats_that_the_controller_refuses_count_for_nothing(ports: Ports) -> None:
    async with met(ports) as scene:
        scene.heartbeat(1, over=6, epoch=EPOCH - 1)
        scene.heartbeat(2, over=6)
        scene.published.active_epoch = None
        scene.heartbeat(1, over=6)
        scene.published.active_epoch = ACTIVE_EPOCH
        ports.close()
        scene.end(6)
        await scene.until_probed()
        assert scene.deaths == []
        scene.end(5)
        await until(lambda: bool(scene.deaths))


async def test_every_broker_of_a_connection_is_probed(ports: Ports, two_ports: Ports) -> None:
    async with met(ports) as scene:
        two_ports.open()
        for broker_id in (2, 3, 4):
            scene.register(broker_id, two_ports.endpoints())
            scene.heartbeat(broker_id, over=5 if broker_id != 4 else 6)
            await scene.until_met(broker_id)
        two_ports.close()
        scene.end(5)
        await until(lambda: len(scene.deaths) == 2)
        await scene.until_probed()
        assert sorted(death.broker_id for death, _ in scene.deaths) == [2, 3]


async def test_nothing_is_kept_of_connections_that_brokers_left(ports: Ports) -> None:
    async with met(ports) as scene:
        for number in range(100):
            scene.heartbeat(1, over=number)
        assert scene.probe._carried == {("CONTROLLER", 99): {1: None}}
        scene.register(1, ports.endpoints(), epoch=EPOCH + 1)
        scene.heartbeat(1, over=100, epoch=EPOCH + 1)
        assert scene.probe._carried == {("CONTROLLER", 100): {1: None}}
        scene.end(100)
        assert scene.probe._carried == {}
        scene.published.image = ClusterImage()
        scene.published.notify()
        await until(lambda: scene.probe._brokers == {})
