"""Detects that a broker's process is gone, long before its session ends ("death by proof").

When a process dies, the kernel closes its connections and its listening sockets. So after the connection of a broker's
newest heartbeat has ended, the active controller's node tries to connect to each endpoint that the broker registered.
If all of them refuse, several times in a row, and no heartbeat arrives over another connection, the broker's process is
gone. The node reports this to the controller, which fences the broker.

Nothing else is proof:

- A broker that continues to accept connections lives. One accepted connection is not enough, though: it may be the last
  act of a dying process, because the kernel closes its sockets one after the other.
- If a broker's machine is cut off, switched off or hangs, nothing refuses: connects time out or hosts are unreachable.
  Then the session decides, as usual.
- A name that cannot be resolved may be a problem of this node only.

A refusal counts only if an endpoint accepted a connection before. An Apache Kafka broker binds its ports a moment after
it is unfenced, and a registered endpoint need not lead from here to the broker (``localhost``, in a container). So
every controller connects to each broker once, when the broker is unfenced or as soon as it listens after that: it
"meets" the broker.

A broker may die together with the active controller, if one process is both, or after that controller and before its
first heartbeat to the next one. Then no connection ends at the next controller. So a controller that has become active
probes all brokers that it has met and that have not sent it a heartbeat yet: once immediately, and once more after
every live broker has had time for a heartbeat. Connections and refusals from before no longer count.
"""

from __future__ import annotations

import enum
import logging
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import trio
from immutables import Map

from kafkaproto.messages import BrokerHeartbeatRequest
from kafkaproto_server.base.backoff import Backoff
from kafkaproto_server.base.ports import Clock
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.core.controller.values.events import BrokerFailed
from kafkaproto_server.metadata.image.entries import BrokerRegistration
from kafkaproto_server.shell.net.network import TCP, Network
from kafkaproto_server.shell.net.pump import ConnectionInfo
from kafkaproto_server.shell.quorum.image.published import Published

_log = logging.getLogger("kafkaproto.server.broker_probe")

PROOF_ROUNDS = 3
"""The number of consecutive rounds in which every endpoint has to refuse. A single refusal could be a short network
problem."""

NO_PROOF_ROUNDS = 2
"""The number of consecutive rounds without a refusal that end a probe which the end of a connection started. A single
such round may be the last act of a dying process."""

MAX_ROUNDS = 10
"""After this many rounds without a result, the broker counts as not dead."""

PROBE_INTERVAL_MS = 50
"""Time between two rounds. A broker that lost only a connection has a new one by then, or still listens."""

CONNECT_TIMEOUT_MS = 1_000
"""An endpoint that has not responded by then has not refused."""

MAX_ENDPOINTS = 32
"""No broker has so many listeners. If one registers more, only its session decides."""

MEETING_BACKOFF = Backoff(first_ms=500, longest_ms=64_000)
"""The pause after a broker accepted no connection at the attempt to meet it."""

MAX_MET_BROKERS = 16
"""The number of brokers that are met at a time: a controller that has just started has to meet all of them."""

MAX_PROBED_BROKERS = 64
"""The number of brokers that are probed at a time: a failing switch ends all connections at once."""

MAX_PROBE_SOCKETS = 32
"""The number of connects at a time, for all probes and meetings together. It bounds file descriptors."""

MAX_PROBE_LOOKUPS = 4
"""The number of broker names that are looked up at a time. Brokers choose their names freely; names that cannot be
resolved must not keep this node from finding the other controllers."""

_Connection: TypeAlias = tuple[str, int]
"""Listener name and connection id."""


class ProbeResult(enum.Enum):
    """The result of connects to endpoints."""

    REFUSED = "refused"
    """Every endpoint refused, at each of its addresses."""
    ACCEPTED = "accepted"
    """At least one endpoint accepted."""
    UNKNOWN = "unknown"
    """None accepted, and at least one did not refuse either: it timed out, was unreachable, or its name could not be
    resolved. Also if there is no endpoint, or if there are too many."""


class Prober:
    """Connects to endpoints, with a limit on the number of simultaneous connects."""

    def __init__(self, network: Network = TCP) -> None:
        self._network = network
        self._names = network.names(MAX_PROBE_LOOKUPS)
        self._sockets = trio.CapacityLimiter(MAX_PROBE_SOCKETS)

    async def try_endpoints(self, endpoints: Sequence[Endpoint]) -> ProbeResult:
        """Connect to all endpoints at once, and close the connections."""
        # A registration may name any number, and each one would cost this node a socket.
        if len(endpoints) > MAX_ENDPOINTS:
            return ProbeResult.UNKNOWN
        responses: list[ProbeResult] = []

        async def try_one(endpoint: Endpoint) -> None:
            responses.append(await self._try_endpoint(endpoint))

        # All at once: one that does not answer must not make the round longer for the others.
        async with trio.open_nursery() as nursery:
            for endpoint in endpoints:
                nursery.start_soon(try_one, endpoint)
        return _together(responses)

    async def _try_endpoint(self, endpoint: Endpoint) -> ProbeResult:
        # For the look-up, too: a name server that hangs is no refusal either.
        with trio.move_on_after(CONNECT_TIMEOUT_MS / 1000):
            try:
                found = await self._names.tcp_addresses(endpoint.host, endpoint.port)
            except (OSError, ValueError):
                # Some texts that a broker may register as a host are no valid names, and fail before any lookup.
                return ProbeResult.UNKNOWN
            # One after the other: each address of a name has to refuse, since any of them may be
            # the broker's.
            return _together([await self._try_address(family, address) for family, _, _, _, address in found])
        return ProbeResult.UNKNOWN

    async def _try_address(self, family: int, address: tuple[Any, ...]) -> ProbeResult:
        try:
            # Even creating a socket fails if the process has no file descriptor left.
            async with self._sockets:
                await self._network.touch(family, address)
        # ECONNREFUSED comes from a kernel that has no listening socket there. A firewall that drops
        # packets leads to a timeout instead.
        except ConnectionRefusedError:
            return ProbeResult.REFUSED
        except OSError:
            return ProbeResult.UNKNOWN
        return ProbeResult.ACCEPTED


def _together(responses: Sequence[ProbeResult]) -> ProbeResult:
    # One is enough. A process that listens anywhere is there.
    if ProbeResult.ACCEPTED in responses:
        return ProbeResult.ACCEPTED
    # A broker without endpoints cannot refuse, and nothing follows from that.
    is_refused = bool(responses) and all(response is ProbeResult.REFUSED for response in responses)
    return ProbeResult.REFUSED if is_refused else ProbeResult.UNKNOWN


@dataclass(slots=True, kw_only=True, eq=False)
class _Broker:
    """One registration of a broker, as this node knows it."""

    broker_id: int
    broker_epoch: int
    endpoints: tuple[Endpoint, ...]
    is_being_met: bool = False
    has_accepted: bool = False
    """Whether one of the endpoints ever accepted a connection from this node."""
    heartbeats: int = 0
    connection: _Connection | None = None
    """The connection of its newest heartbeat."""
    heard_in_epoch: int | None = None
    """The controller's epoch at its newest heartbeat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Suspicion:
    """Why a broker may be dead."""

    broker: _Broker
    active_epoch: int
    heartbeats: int
    """The number of its heartbeats when the suspicion arose. One more heartbeat ends the suspicion."""
    since_ms: int
    reason: str
    no_proof_rounds: int


class BrokerProbe:
    """Takes notice of heartbeats and ended connections. `run` it beside the node's listeners."""

    def __init__(
        self,
        *,
        published: Published,
        report: Callable[[BrokerFailed, str], None],
        heartbeat_interval_ms: int,
        clock: Clock,
        prober: Prober | None = None,
    ) -> None:
        """``report`` is called with each death and, in words, its proof. Each broker is expected to send a heartbeat
        once in ``heartbeat_interval_ms``."""
        self._published = published
        self._report = report
        self._heartbeat_interval_ms = heartbeat_interval_ms
        self._clock = clock
        self._brokers: dict[int, _Broker] = {}
        # By connection, the brokers whose newest heartbeat came over it. Inner dicts replace sets, because they keep
        # the order.
        self._carried: dict[_Connection, dict[int, None]] = {}
        self._seen_brokers: Map[int, BrokerRegistration] = Map()
        self._seen_epoch: int | None = None
        # There are about as many tasks as brokers, so the channel needs no bound.
        self._tasks_in, self._tasks_out = trio.open_memory_channel[Callable[[], Awaitable[None]]](math.inf)
        self._prober = prober or Prober()
        self._meeting = trio.CapacityLimiter(MAX_MET_BROKERS)
        self._probing = trio.CapacityLimiter(MAX_PROBED_BROKERS)

    # -- notifications from the node ---------------------------------------------------------------------------

    def heartbeat(self, request: BrokerHeartbeatRequest, connection: ConnectionInfo) -> None:
        """A heartbeat has arrived. It counts if it comes from a registered broker and this controller is active."""
        active_epoch = self._published.active_epoch
        registration = self._published.image.brokers.get(request.broker_id)
        # A heartbeat of an earlier incarnation says nothing about the one that is registered.
        if active_epoch is None or registration is None or registration.epoch != request.broker_epoch:
            return
        broker = self._known(registration)
        key = (connection.listener_name, connection.connection_id)
        # Only the newest connection counts: a broker that reconnects ends the old one itself.
        if broker.connection != key:
            self._carry_no_more(broker)
            broker.connection = key
            self._carried.setdefault(key, {})[broker.broker_id] = None
        # Counted, not timed: whether one has come since a suspicion arose then depends on no clock.
        broker.heartbeats += 1
        broker.heard_in_epoch = active_epoch

    def connection_ended(self, connection: ConnectionInfo) -> None:
        """A connection to this node has ended, for any reason."""
        for broker_id in self._carried.pop((connection.listener_name, connection.connection_id), ()):
            broker = self._brokers[broker_id]
            broker.connection = None
            # A controller that is not active fences nobody: heartbeats go elsewhere, and their
            # connections end.
            if broker.has_accepted and broker.heard_in_epoch == self._published.active_epoch:
                self._start_probe(broker, "the connection of its heartbeats ended", NO_PROOF_ROUNDS)

    def _known(self, registration: BrokerRegistration) -> _Broker:
        broker = self._brokers.get(registration.broker_id)
        if (
            broker is None
            or broker.broker_epoch != registration.epoch
            # Another endpoint has to be met first: it may not lead to the broker from here.
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
        # A broker that is fenced already, or registered anew, needs no proof of anything.
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
            # Taken before the look: what changes while this task looks must wake it again.
            changed = self._published.changed
            self._meet_new_brokers()
            if self._published.active_epoch != self._seen_epoch:
                self._seen_epoch = self._published.active_epoch
                if self._seen_epoch is not None:
                    self._tasks_in.send_nowait(partial(self._look_after_failover, self._seen_epoch))
            await changed.wait()

    def _meet_new_brokers(self) -> None:
        registered = self._published.image.brokers
        # An image changes with each batch. The map of brokers is the same object until one of them
        # changes.
        if registered is self._seen_brokers:
            return
        self._seen_brokers = registered
        for broker_id in [each for each in self._brokers if each not in registered]:
            self._forget(broker_id)
        for registration in self._published.image.brokers_in_order():
            # A fenced broker is not missed, and may have been gone for years.
            if not registration.fenced:
                broker = self._known(registration)
                if not broker.has_accepted and not broker.is_being_met:
                    broker.is_being_met = True
                    self._tasks_in.send_nowait(partial(self._meet, broker))

    async def _look_after_failover(self, active_epoch: int) -> None:
        """Probe the brokers whose connections, if any, ended at the previous active controller."""
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
            # Only while connecting: brokers that pause between two attempts must not keep others
            # from being met.
            async with self._meeting:
                broker.has_accepted = (
                    await self._prober.try_endpoints(broker.endpoints) is ProbeResult.ACCEPTED
                )
            if not broker.has_accepted:
                # It may bind its ports a moment later, or its endpoint may never lead from here to
                # it: so the pauses grow.
                failures += 1
                await trio.sleep(MEETING_BACKOFF.delay_ms(failures) / 1000)
        broker.is_being_met = False

    async def _probe(self, suspicion: _Suspicion) -> None:
        """Find out whether a broker is still there."""
        broker = suspicion.broker
        responses: list[ProbeResult] = []
        async with self._probing:
            # Several rounds, because one refusal may be a restart: then a heartbeat, or a port that
            # listens, ends it.
            while not _has_result(responses, suspicion.no_proof_rounds):
                if responses:
                    await trio.sleep(PROBE_INTERVAL_MS / 1000)
                if self._holds(suspicion):
                    responses.append(await self._prober.try_endpoints(broker.endpoints))
                # Checked after the attempt as well: a heartbeat may have arrived while it was being
                # made.
                if not self._holds(suspicion):
                    return
        where = ", ".join(f"{each.name}://{each.host}:{each.port}" for each in broker.endpoints)
        passed_ms = self._clock.now_ms() - suspicion.since_ms
        if _is_proof(responses):
            # With the epoch of its registration: if it has registered anew meanwhile, the
            # controller does not take this for the new process.
            death = BrokerFailed(
                broker_id=broker.broker_id,
                broker_epoch=broker.broker_epoch,
                silent_since_ms=suspicion.since_ms,
            )
            self._report(
                death, f"{suspicion.reason}, and {where} refused {PROOF_ROUNDS} times in {passed_ms} ms"
            )
        # After a failover every broker is probed, and a line for each that lives would be noise.
        elif suspicion.no_proof_rounds > 1:
            _log.info(
                "broker %d: %s, but %s: %s; the broker is fenced when its session ends",
                broker.broker_id,
                suspicion.reason,
                where,
                responses[-1].value,
            )

    def _serves(self, broker: _Broker) -> bool:
        """Whether that registration is in force and unfenced."""
        registration = self._published.image.brokers.get(broker.broker_id)
        return (
            registration is not None
            and registration.epoch == broker.broker_epoch
            and registration.endpoints == broker.endpoints
            and not registration.fenced
        )

    def _holds(self, suspicion: _Suspicion) -> bool:
        """Whether the broker's state is still unknown: no heartbeat since then, not fenced, not registered anew, and
        this controller still active in the same epoch."""
        return (
            suspicion.broker.heartbeats == suspicion.heartbeats
            and self._published.active_epoch == suspicion.active_epoch
            and self._serves(suspicion.broker)
        )


def _has_result(responses: Sequence[ProbeResult], no_proof_rounds: int) -> bool:
    """Whether the newest results decide the probe."""
    # A broker that is dying may accept once more: its kernel closes one socket after the other.
    lives = len(responses) >= no_proof_rounds and ProbeResult.REFUSED not in responses[-no_proof_rounds:]
    return lives or _is_proof(responses) or len(responses) == MAX_ROUNDS


def _is_proof(responses: Sequence[ProbeResult]) -> bool:
    return list(responses[-PROOF_ROUNDS:]) == [ProbeResult.REFUSED] * PROOF_ROUNDS
