"""Death by proof: tells when a broker's process is gone, long before its session is over.

When a process dies the kernel closes its connections and its listening sockets. So once the connection that carried a
broker's newest heartbeat has ended, the active controller's node tries to connect to each endpoint that the broker
registered. Refused at all of them, several times in a row, while no heartbeat comes over another connection: nobody is
there any more. That is told to the controller, which fences the broker.

Nothing else is proof. A broker that goes on accepting lives; to accept once may be the last that a process does whose
connections the kernel closes one after the other. One whose machine is cut off, switched off or hangs refuses nothing:
connects time out, hosts are unreachable, and its session has to decide as ever. A name that nobody resolves may be our
trouble alone.

To be refused says something only where one was accepted before: a stock broker binds its ports a moment after it is
unfenced, and what a broker registers need not be what leads to it from here (``localhost``, in a container). So every
controller meets each broker once, when it is unfenced or as soon as it listens after that.

A broker may die together with the active controller, where one process is both, or after it and before its first
heartbeat to the next one: no connection of it ends at that. So a controller that has become active probes all those
that it has met and not heard of yet, at once and again when each that lives has had the time for a heartbeat. What it
saw before, of connections and refusals, counts no more.
"""

from __future__ import annotations

import enum
import logging
import math
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import trio
from immutables import Map

from kafkaproto.messages import BrokerHeartbeatRequest
from kafkaproto_server.backoff import Backoff
from kafkaproto_server.controller.values.events import BrokerFailed
from kafkaproto_server.image.entries import BrokerRegistration
from kafkaproto_server.net.names import NameLookups
from kafkaproto_server.net.pump import ConnectionInfo
from kafkaproto_server.node.quorum.published import Published
from kafkaproto_server.ports import Clock
from kafkaproto_server.types import Endpoint

_log = logging.getLogger("kafkaproto.server.broker_probe")

PROOF_ROUNDS = 3
"""How often in a row every endpoint has to refuse: once could be a moment's trouble of the network before it."""

NO_PROOF_ROUNDS = 2
"""How often in a row something else has to happen for a probe to end that a connection's end began. The first time it
may be the last thing that a dying process does."""

MAX_ROUNDS = 10
"""After this many, with no end in sight, whatever is there is not dead."""

PROBE_INTERVAL_MS = 50
"""From one round to the next. A broker that lost nothing but a connection has a new one by then, or still listens."""

CONNECT_TIMEOUT_MS = 1_000
"""An endpoint that has not answered by then does not refuse."""

MAX_ENDPOINTS = 32
"""No broker has so many listeners; one that says so is left to its session."""

MEETING_BACKOFF = Backoff(first_ms=500, longest_ms=64_000)
"""How long to leave a broker alone that did not accept when it was to be met."""

MAX_MET_BROKERS = 16
"""Brokers that are met at a time: a controller that has just started has all of them to meet."""

MAX_PROBED_BROKERS = 64
"""Brokers that are probed at a time: a switch that fails ends all connections at once."""

MAX_PROBE_SOCKETS = 32
"""Connects at a time, of all probes and meetings together: a bound of file descriptors."""

MAX_PROBE_LOOKUPS = 4
"""Names of brokers that are looked up at a time. Brokers call themselves what they like; names that nobody resolves
must not keep this node from finding the other controllers."""

_Connection: TypeAlias = tuple[str, int]
"""Listener name and connection id."""


class Answer(enum.Enum):
    """What became of connects to endpoints."""

    REFUSED = "refused"
    """By every one, at every address it has."""
    ACCEPTED = "accepted"
    """By at least one."""
    UNKNOWN = "unknown"
    """None accepted, and at least one neither refused: timed out, unreachable, unresolvable. Or there is none, or there
    are too many."""


class Prober:
    """Connects to endpoints, with a bound on how many it does at a time."""

    def __init__(self, names: NameLookups | None = None) -> None:
        self._names = names or NameLookups(MAX_PROBE_LOOKUPS)
        self._sockets = trio.CapacityLimiter(MAX_PROBE_SOCKETS)

    async def try_endpoints(self, endpoints: Sequence[Endpoint]) -> Answer:
        """Connect to all endpoints at once, and hang up."""
        if len(endpoints) > MAX_ENDPOINTS:
            return Answer.UNKNOWN
        answers: list[Answer] = []

        async def try_one(endpoint: Endpoint) -> None:
            answers.append(await self._try_endpoint(endpoint))

        async with trio.open_nursery() as nursery:
            for endpoint in endpoints:
                nursery.start_soon(try_one, endpoint)
        return _together(answers)

    async def _try_endpoint(self, endpoint: Endpoint) -> Answer:
        with trio.move_on_after(CONNECT_TIMEOUT_MS / 1000):
            try:
                found = await self._names.tcp_addresses(endpoint.host, endpoint.port)
            except (OSError, ValueError):
                # Some of what a broker may call a host is no name at all, and is refused before anybody is asked.
                return Answer.UNKNOWN
            return _together([await self._try_address(family, address) for family, _, _, _, address in found])
        return Answer.UNKNOWN

    async def _try_address(self, family: int, address: tuple[Any, ...]) -> Answer:
        try:
            # Even to make a socket fails if the process has no file descriptor left.
            async with self._sockets:
                with trio.socket.socket(family, socket.SOCK_STREAM) as probe:
                    await probe.connect(address)
        except ConnectionRefusedError:
            return Answer.REFUSED
        except OSError:
            return Answer.UNKNOWN
        return Answer.ACCEPTED


def _together(answers: Sequence[Answer]) -> Answer:
    if Answer.ACCEPTED in answers:
        return Answer.ACCEPTED
    is_refused = bool(answers) and all(answer is Answer.REFUSED for answer in answers)
    return Answer.REFUSED if is_refused else Answer.UNKNOWN


@dataclass(slots=True, kw_only=True, eq=False)
class _Broker:
    """One registration of a broker, as this node knows it."""

    broker_id: int
    broker_epoch: int
    endpoints: tuple[Endpoint, ...]
    is_being_met: bool = False
    has_accepted: bool = False
    """Whether one of the endpoints accepted a connection of ours."""
    heartbeats: int = 0
    connection: _Connection | None = None
    """That of the newest heartbeat."""
    heard_in_epoch: int | None = None
    """The controller's epoch at that time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Suspicion:
    """Why a broker may be dead."""

    broker: _Broker
    active_epoch: int
    heartbeats: int
    """Those that had come by then: one more lifts the suspicion."""
    since_ms: int
    reason: str
    no_proof_rounds: int


class BrokerProbe:
    """Hears of heartbeats and of connections' ends; `run` it beside the node's listeners."""

    def __init__(
        self,
        *,
        published: Published,
        report: Callable[[BrokerFailed, str], None],
        heartbeat_interval_ms: int,
        clock: Clock,
    ) -> None:
        """``report`` gets each death and, in words, its proof. Brokers are expected to be heard of once in
        ``heartbeat_interval_ms``."""
        self._published = published
        self._report = report
        self._heartbeat_interval_ms = heartbeat_interval_ms
        self._clock = clock
        self._brokers: dict[int, _Broker] = {}
        # By connection, the brokers whose newest heartbeat came over it. Dicts in place of sets, for their order.
        self._carried: dict[_Connection, dict[int, None]] = {}
        self._seen_brokers: Map[int, BrokerRegistration] = Map()
        self._seen_epoch: int | None = None
        # As many as there are brokers, about, so that it needs no bound.
        self._tasks_in, self._tasks_out = trio.open_memory_channel[Callable[[], Awaitable[None]]](math.inf)
        self._prober = Prober()
        self._meeting = trio.CapacityLimiter(MAX_MET_BROKERS)
        self._probing = trio.CapacityLimiter(MAX_PROBED_BROKERS)

    # -- what the node tells -----------------------------------------------------------------------------------

    def heartbeat(self, request: BrokerHeartbeatRequest, connection: ConnectionInfo) -> None:
        """A heartbeat has arrived. It counts if it is a registered broker's and this controller is the active one."""
        active_epoch = self._published.active_epoch
        registration = self._published.image.brokers.get(request.broker_id)
        if active_epoch is None or registration is None or registration.epoch != request.broker_epoch:
            return
        broker = self._known(registration)
        key = (connection.listener_name, connection.connection_id)
        if broker.connection != key:
            self._carry_no_more(broker)
            broker.connection = key
            self._carried.setdefault(key, {})[broker.broker_id] = None
        broker.heartbeats += 1
        broker.heard_in_epoch = active_epoch

    def connection_ended(self, connection: ConnectionInfo) -> None:
        """A connection to this node is no more, for whatever reason."""
        for broker_id in self._carried.pop((connection.listener_name, connection.connection_id), ()):
            broker = self._brokers[broker_id]
            broker.connection = None
            if broker.has_accepted and broker.heard_in_epoch == self._published.active_epoch:
                self._start_probe(broker, "the connection of its heartbeats ended", NO_PROOF_ROUNDS)

    def _known(self, registration: BrokerRegistration) -> _Broker:
        broker = self._brokers.get(registration.broker_id)
        if (
            broker is None
            or broker.broker_epoch != registration.epoch
            or broker.endpoints != registration.endpoints
        ):
            self._forget(registration.broker_id)
            broker = self._brokers[registration.broker_id] = _Broker(
                broker_id=registration.broker_id,
                broker_epoch=registration.epoch,
                endpoints=registration.endpoints,
            )
        return broker

    def _forget(self, broker_id: int) -> None:
        broker = self._brokers.pop(broker_id, None)
        if broker is not None:
            self._carry_no_more(broker)

    def _carry_no_more(self, broker: _Broker) -> None:
        if broker.connection is not None:
            carried = self._carried[broker.connection]
            del carried[broker.broker_id]
            if not carried:
                del self._carried[broker.connection]
            broker.connection = None

    def _start_probe(self, broker: _Broker, reason: str, no_proof_rounds: int) -> None:
        active_epoch = self._published.active_epoch
        assert active_epoch is not None, "only the active controller has brokers probed"
        suspicion = _Suspicion(
            broker=broker,
            active_epoch=active_epoch,
            heartbeats=broker.heartbeats,
            since_ms=self._clock.now_ms(),
            reason=reason,
            no_proof_rounds=no_proof_rounds,
        )
        if self._holds(suspicion):
            self._tasks_in.send_nowait(partial(self._probe, suspicion))

    # -- the tasks ---------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Meet and probe brokers until cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._watch)
            async for task in self._tasks_out:
                nursery.start_soon(task)

    async def _watch(self) -> None:
        while True:
            changed = self._published.changed
            self._meet_new_brokers()
            if self._published.active_epoch != self._seen_epoch:
                self._seen_epoch = self._published.active_epoch
                if self._seen_epoch is not None:
                    self._tasks_in.send_nowait(partial(self._look_after_failover, self._seen_epoch))
            await changed.wait()

    def _meet_new_brokers(self) -> None:
        registered = self._published.image.brokers
        if registered is self._seen_brokers:
            return
        self._seen_brokers = registered
        for broker_id in [each for each in self._brokers if each not in registered]:
            self._forget(broker_id)
        for registration in self._published.image.brokers_in_order():
            # Who is fenced is not missed, and may have been gone for years.
            if not registration.fenced:
                broker = self._known(registration)
                if not broker.has_accepted and not broker.is_being_met:
                    broker.is_being_met = True
                    self._tasks_in.send_nowait(partial(self._meet, broker))

    async def _look_after_failover(self, active_epoch: int) -> None:
        """Probe those whose connections had their end, if they had, at the controller before this one."""
        self._probe_unheard(active_epoch)
        await trio.sleep(self._heartbeat_interval_ms / 1000)
        self._probe_unheard(active_epoch)

    def _probe_unheard(self, active_epoch: int) -> None:
        if self._published.active_epoch == active_epoch:
            for broker in self._brokers.values():
                if broker.has_accepted and broker.heard_in_epoch != active_epoch:
                    self._start_probe(broker, "this controller has not heard of it", no_proof_rounds=1)

    async def _meet(self, broker: _Broker) -> None:
        failures = 0
        while not broker.has_accepted and self._serves(broker):
            async with self._meeting:
                broker.has_accepted = await self._prober.try_endpoints(broker.endpoints) is Answer.ACCEPTED
            if not broker.has_accepted:
                failures += 1
                await trio.sleep(MEETING_BACKOFF.delay_ms(failures) / 1000)
        broker.is_being_met = False

    async def _probe(self, suspicion: _Suspicion) -> None:
        """See whether a broker is still there."""
        broker = suspicion.broker
        answers: list[Answer] = []
        async with self._probing:
            while not _has_result(answers, suspicion.no_proof_rounds):
                if answers:
                    await trio.sleep(PROBE_INTERVAL_MS / 1000)
                if self._holds(suspicion):
                    answers.append(await self._prober.try_endpoints(broker.endpoints))
                if not self._holds(suspicion):
                    return
        where = ", ".join(f"{each.name}://{each.host}:{each.port}" for each in broker.endpoints)
        passed_ms = self._clock.now_ms() - suspicion.since_ms
        if _is_proof(answers):
            death = BrokerFailed(
                broker_id=broker.broker_id,
                broker_epoch=broker.broker_epoch,
                silent_since_ms=suspicion.since_ms,
            )
            self._report(
                death, f"{suspicion.reason}, and {where} refused {PROOF_ROUNDS} times in {passed_ms} ms"
            )
        elif suspicion.no_proof_rounds > 1:
            _log.info(
                "broker %d: %s, but %s: %s; its session decides",
                broker.broker_id,
                suspicion.reason,
                where,
                answers[-1].value,
            )

    def _serves(self, broker: _Broker) -> bool:
        """Whether that registration is in force, and unfenced."""
        registration = self._published.image.brokers.get(broker.broker_id)
        return (
            registration is not None
            and registration.epoch == broker.broker_epoch
            and registration.endpoints == broker.endpoints
            and not registration.fenced
        )

    def _holds(self, suspicion: _Suspicion) -> bool:
        """Whether the broker is still to be found out about: not heard of since, not fenced, not registered anew, no
        other controller's business."""
        return (
            suspicion.broker.heartbeats == suspicion.heartbeats
            and self._published.active_epoch == suspicion.active_epoch
            and self._serves(suspicion.broker)
        )


def _has_result(answers: Sequence[Answer], no_proof_rounds: int) -> bool:
    """Whether the newest answers say as much as can be known."""
    lives = len(answers) >= no_proof_rounds and Answer.REFUSED not in answers[-no_proof_rounds:]
    return lives or _is_proof(answers) or len(answers) == MAX_ROUNDS


def _is_proof(answers: Sequence[Answer]) -> bool:
    return list(answers[-PROOF_ROUNDS:]) == [Answer.REFUSED] * PROOF_ROUNDS
