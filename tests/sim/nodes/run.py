"""One seed of whole nodes: a cluster, clients, faults; then everything heals, and has to come to rest."""

from __future__ import annotations

import contextlib
import logging
import random
import resource
import time
import traceback
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias
from unittest import mock

import trio

from kafkaproto_server.core.coordinators.groups.classic import group as classic_group
from kafkaproto_server.core.coordinators.transactions import ends, producer_initialization, transaction
from kafkaproto_server.core.log_state import producer_state_entry
from kafkaproto_server.core.raft.model import progress
from kafkaproto_server.core.replicas import fetch_session
from kafkaproto_server.core.share_partitions import sessions
from kafkaproto_server.node import startup
from kafkaproto_server.shell.quorum.image import log_cleaning
from kafkaproto_server.shell.replicas.files import topic_settings
from kafkaproto_server.shell.storage.directories.format import QuorumStart
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.to_controller import forwarding
from tests.sim.checkers.invariants import Invariant, ViolationError
from tests.sim.nodes import timeline as virtual
from tests.sim.nodes.brokers import BrokerRequests
from tests.sim.nodes.checkers import (
    MAX_OBSERVERS,
    MAX_TURN_INSTRUCTIONS,
    CountingChecker,
    ErrorLog,
    StepChecker,
    check_strangers,
    forgotten_election,
)
from tests.sim.nodes.coordination.traffic import CoordinationTraffic
from tests.sim.nodes.data.decisions import Decisions
from tests.sim.nodes.data.losses import FileLosses
from tests.sim.nodes.data.traffic import DataTraffic
from tests.sim.nodes.directories.operators import DirectoryOperator
from tests.sim.nodes.directories.trials import DirectoryTrials
from tests.sim.nodes.disks import check_closed, check_stopped
from tests.sim.nodes.faults import Faults
from tests.sim.nodes.host import CONTROLLER_PORT, DIRECTORIES, Host
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.late_peers.peer import LatePeer
from tests.sim.nodes.network import Net
from tests.sim.nodes.options import JOINERS, LAYOUTS, NodesOptions
from tests.sim.nodes.rest import REST_S, offset_of, reach, settle, until_at_rest, until_nothing_is_left
from tests.sim.nodes.strangers import Stranger
from tests.sim.nodes.swarms import LOST_FILES, draw
from tests.sim.nodes.timeline import Timeline, Trace
from tests.sim.nodes.traffic import Administrator, Histories, TopicMaker, Upgrade
from tests.sim.nodes.voters import VoterChanges

RUN_S = 600.0
"""A run is over by then, of virtual time."""
MOST_WAIT_FOR_THREAD_S = 2.0
CLEANING_INTERVAL_S = 3.0
FORWARD_TIMEOUT_MS = 10_000
LOOK_AT_RECORDS_S = 0.1
INDEX_INTERVAL_BYTES = 500
INDEX_BYTES = 40_000
"""Smaller than those of a node, so that all of it happens within seconds."""

EARLY_LIMITS: Sequence[tuple[Any, str, int]] = (
    (ends, "MAX_EPOCH", 5),
    (producer_initialization, "MAX_EPOCH", 5),
    (transaction, "MAX_EPOCH", 5),
    (producer_state_entry, "_MAX_PRODUCER_EPOCH", 5),
    (classic_group, "MAX_GENERATION", 8),
    (fetch_session, "_MAX_EPOCH", 20),
    (sessions, "_MAX_EPOCH", 10),
)
"""What a node counts for years before it has to begin anew, and in some runs within seconds."""
WORKING_HERE = 4
"""In one of so many seeds, the event loop does short work on disks itself."""


_Client: TypeAlias = Administrator | Stranger | VoterChanges | DirectoryOperator | LatePeer


@dataclass(slots=True, kw_only=True)
class NodesResult:
    """What came of one run."""

    seed: int
    options: NodesOptions
    events: int = 0
    simulated_s: float = 0.0
    seconds: float = 0.0
    """Processor time."""
    epochs: int = 0
    images: int = 0
    requests: int = 0
    answered: int = 0
    voter_changes: int = 0
    delivered_bytes: int = 0
    disk_operations: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    records: Counter[str] = field(default_factory=Counter)
    """What became of batches and partitions."""
    late: Counter[str] = field(default_factory=Counter)
    """By case, the late requests that were refused."""
    longest_turn_s: float = 0.0
    suspect_turns: Sequence[int] = ()
    """Numbers of the turns that took long."""
    most_instructions: int = 0
    """Of the turns that were counted."""
    largest_turn: str = ""
    """The task that took them."""
    """The task that took it."""
    digest: str = ""
    lines: list[str] = field(default_factory=list)
    invariant: str | None = None
    failure: str = ""


def run(seed: int, options: NodesOptions | None = None, *, kept_lines: int = 0) -> NodesResult:
    """Simulate one seed."""
    result = _run(seed, options or draw(seed), kept_lines)
    if result.invariant is not None or not result.suspect_turns:
        return result
    # What turns do is the same each time, and how long the machine takes for it is not.
    counted = _run(seed, result.options, 0, frozenset(result.suspect_turns))
    result.most_instructions, result.largest_turn = counted.most_instructions, counted.largest_turn
    result.seconds += counted.seconds
    if result.most_instructions > MAX_TURN_INSTRUCTIONS:
        result.invariant = NodeInvariant.SHORT_TURNS.name
        result.failure = f"{result.most_instructions:,} instructions in one turn of {result.largest_turn}"
    return result


def _run(
    seed: int, options: NodesOptions, kept_lines: int, counted_turns: Collection[int] = ()
) -> NodesResult:
    result = NodesResult(seed=seed, options=options)
    began = time.process_time()
    limits = EARLY_LIMITS if options.has_early_limits else ()
    with _surroundings(options.descriptors, options.segment_bytes_of_topics, limits) as errors:
        simulation = _Simulation(seed, options, result, errors, Trace(kept_lines), counted_turns)
        try:
            virtual.run(seed, simulation.main)
        except BaseException as error:
            violation = _first(error)
            if isinstance(violation, KeyboardInterrupt):
                raise
            is_known = isinstance(violation, ViolationError)
            result.invariant = violation.invariant.name if is_known else NodeInvariant.NO_FAILURE.name  # type: ignore[attr-defined]
            result.failure = "".join(traceback.format_exception(violation))
    result.seconds = time.process_time() - began
    return result


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


@contextlib.contextmanager
def _surroundings(
    limit: int, segment_bytes: int | None = None, more: Sequence[tuple[Any, str, int]] = ()
) -> Iterator[ErrorLog]:
    """The process as the nodes' code finds it: descriptors that do not depend on the machine, a quiet log. ``more`` are
    further constants of modules, with their values."""
    logger = logging.getLogger("kafkaproto")
    errors = ErrorLog()
    saved = logger.level, logger.propagate, resource.getrlimit
    limits = [
        (log_cleaning, "CLEANING_INTERVAL_S", CLEANING_INTERVAL_S),
        (progress, "MAX_OBSERVERS", MAX_OBSERVERS),
        (forwarding, "FORWARD_TIMEOUT_MS", FORWARD_TIMEOUT_MS),
    ]
    log_config = partial(
        LogConfig, index_interval_bytes=INDEX_INTERVAL_BYTES, segment_index_bytes=INDEX_BYTES
    )
    replaced = [
        mock.patch.object(owner, name, value)
        for owner, name, value in [*limits, *more, (startup, "LogConfig", log_config)]
    ]
    if segment_bytes is not None:
        # Smaller than the configs of a topic may have it.
        small = partial(_small_segments, segment_bytes)
        replaced.append(mock.patch.object(topic_settings, "LogConfig", small))
    logger.addHandler(errors)
    logger.setLevel(logging.ERROR)
    logger.propagate = False
    resource.getrlimit = lambda _: (limit, limit)
    try:
        with contextlib.ExitStack() as stack:
            for each in replaced:
                stack.enter_context(each)
            yield errors
    finally:
        logger.removeHandler(errors)
        level, logger.propagate, resource.getrlimit = saved
        # The attribute alone would leave what loggers below remember of it.
        logger.setLevel(level)


def _small_segments(smaller_bytes: int, /, **given: Any) -> LogConfig:
    return LogConfig(
        **{
            **given,
            "segment_bytes": smaller_bytes,
            "index_interval_bytes": INDEX_INTERVAL_BYTES,
            "segment_index_bytes": INDEX_BYTES,
        }
    )


class _Simulation:
    def __init__(
        self,
        seed: int,
        options: NodesOptions,
        result: NodesResult,
        errors: ErrorLog,
        trace: Trace,
        counted_turns: Collection[int],
    ) -> None:
        self._seed = seed
        self._rng = random.Random(f"run {seed}")
        self._options = options
        self._result = result
        self._errors = errors
        self._trace = trace
        self._counted_turns = counted_turns

    async def main(self) -> None:
        try:
            async with trio.open_nursery() as nursery:
                with trio.move_on_after(RUN_S) as limit:
                    await self._run(nursery)
                if limit.cancelled_caught:
                    raise ViolationError(NodeInvariant.READY_AT_LAST, f"the run is not over after {RUN_S} s")
                nursery.cancel_scope.cancel()
        finally:
            self._result.events = self._trace.events
            self._result.simulated_s = trio.current_time()
            self._result.digest = self._trace.digest
            self._result.lines = self._trace.lines

    async def _run(self, nursery: trio.Nursery) -> None:
        options, rng = self._options, self._rng
        timeline = Timeline(self._trace)
        nursery.start_soon(timeline.run)
        net = Net(self._seeded(), timeline, delay_ms=options.delay_ms)
        net.narrow_share = options.narrow_share
        hosts = self._hosts(net, nursery)
        config = self._config(hosts)
        turns = self._counted_turns
        checker = CountingChecker(hosts, turns) if turns else StepChecker(hosts)
        trio.lowlevel.add_instrument(checker)
        faults = Faults(hosts, net, timeline, self._seeded(), config, options.down_s)
        histories = Histories(self._seeded(), sum(host.is_broker for host in hosts))
        brokers = BrokerRequests(hosts, self._seeded(), has_old_brokers=options.has_old_brokers)
        clients = [
            Administrator(net.host(f"client{number}"), hosts, histories, brokers, self._seeded())
            for number in range(options.clients)
        ]
        strangers = [
            Stranger(net.host(f"stranger{number}"), hosts, self._seeded())
            for number in range(options.strangers)
        ]
        changes = [
            VoterChanges(net.host("operator"), hosts, self._seeded()) for _ in JOINERS.get(options.layout, ())
        ]
        data = self._traffic(net, hosts)
        strikes = random.Random(f"strikes {self._seed}")
        decisions = Decisions(
            None if data is None else data.ledger,
            checker.found,
            partial(faults.strike, options.strikes, strikes),
        )
        trials = self._trials(data, hosts, net, timeline, faults, checker)
        operators = [] if trials is None else [trials.operator]
        everybody: list[_Client] = [*clients, *strangers, *changes, *operators]
        everybody += self._late_peers(net, hosts)
        try:
            with decisions.watched(), trio.CancelScope() as scope:
                checker.stop = scope
                for host in hosts:
                    host.start(config)
                async with trio.open_nursery() as traffic:
                    for client in everybody:
                        traffic.start_soon(client.run)
                    if options.has_static_voters:
                        traffic.start_soon(Upgrade(net.host("upgrade"), hosts, rng).run)
                    maker = TopicMaker(net.host("maker"))
                    if options.large_partitions:
                        broker = next(host for host in hosts if host.is_broker)
                        traffic.start_soon(maker.run, broker, "large", options.large_partitions, RUN_S)
                    timeline.every(0.25, partial(self._watch, hosts, faults))
                    if data is not None:
                        traffic.start_soon(data.run)
                        timeline.every(LOOK_AT_RECORDS_S, data.ledger.look)
                    losses = self._losses(data, net, timeline, faults)
                    more = {} if trials is None else trials.faults.acts
                    faults.begin(options.faults, more if losses is None else {**more, **losses.acts})
                    await trio.sleep(options.fault_s)
                    await faults.heal()
                    await self._come_to_rest(hosts, maker, everybody, data, trials, losses)
                gone = [client.address for client in everybody]
                gone += data.addresses if data is not None else []
                await self._end(hosts, gone, histories, checker, faults)
                check_strangers(checker.images.newest, checker.highest_epoch, trio.current_time())
            if checker.violation is not None:
                raise checker.violation
        finally:
            trio.lowlevel.remove_instrument(checker)
            self._note(checker, faults, data, clients, histories, net, hosts)
            self._result.voter_changes = sum(each.done for each in changes)

    async def _come_to_rest(
        self,
        hosts: list[Host],
        maker: TopicMaker,
        clients: Sequence[_Client],
        data: DataTraffic | CoordinationTraffic | None,
        trials: DirectoryTrials | None,
        losses: FileLosses | None,
    ) -> None:
        """All faults have ended."""
        if self._options.coordination is not None:
            _set_clocks(hosts)
        if trials is not None:
            trials.healed()
        elif data is not None:
            # Load on a healed cluster finds little, and would be most of a run. The trials need it.
            data.finish()
        await until_at_rest(hosts)
        if losses is not None:
            await losses.rescue()
        for host in hosts:
            if host.is_broker:
                await maker.run(host, f"last-{host.id}", 1, REST_S)
        for client in clients:
            client.is_over = True
        if trials is not None:
            await trials.run()
        if data is not None:
            await settle(data)
        if trials is not None:
            await trials.until_settled()

    def _traffic(self, net: Net, hosts: list[Host]) -> DataTraffic | CoordinationTraffic | None:
        options = self._options
        if options.coordination is not None:
            return CoordinationTraffic(self._seed, options.coordination, net, hosts)
        return None if options.data is None else DataTraffic(self._seed, options.data, net, hosts)

    def _late_peers(self, net: Net, hosts: list[Host]) -> list[LatePeer]:
        dice = random.Random(f"late {self._seed}")
        return [
            LatePeer(net.host("late-peer"), hosts, dice, self._result.late)
            for _ in range(self._options.has_late_peer)
        ]

    def _trials(
        self,
        data: DataTraffic | CoordinationTraffic | None,
        hosts: list[Host],
        net: Net,
        timeline: Timeline,
        faults: Faults,
        checker: StepChecker,
    ) -> DirectoryTrials | None:
        options = self._options.directories
        if options is None or data is None:
            return None
        trials = DirectoryTrials(
            options,
            hosts=hosts,
            net=net,
            timeline=timeline,
            faults=faults,
            ledger=data.ledger,
            newest=lambda: checker.images.newest,
            rng=random.Random(f"directories {self._seed}"),
        )
        checker.published = trials.checker.published
        return trials

    def _losses(
        self, data: DataTraffic | CoordinationTraffic | None, net: Net, timeline: Timeline, faults: Faults
    ) -> FileLosses | None:
        if data is None or not LOST_FILES.keys() <= self._options.faults.keys():
            return None
        dice = random.Random(f"lost files {self._seed}")
        return FileLosses(faults, timeline, dice, data.ledger, net.host("rescuer"))

    def _seeded(self) -> random.Random:
        return random.Random(self._rng.getrandbits(64))

    def _note(
        self,
        checker: StepChecker,
        faults: Faults,
        data: DataTraffic | CoordinationTraffic | None,
        clients: Sequence[Administrator],
        histories: Histories,
        net: Net,
        hosts: Sequence[Host],
    ) -> None:
        """Keep what a run came to."""
        result = self._result
        result.epochs, result.images = checker.highest_epoch, checker.images.images
        result.longest_turn_s, result.suspect_turns = checker.longest_turn_s, checker.suspect_turns
        if isinstance(checker, CountingChecker):
            result.most_instructions, result.largest_turn = checker.most_instructions, checker.largest_turn
        result.faults = faults.counts
        result.records = data.ledger.counts if data is not None else Counter()
        result.requests = sum(client.requests for client in clients)
        result.answered = histories.answered
        result.delivered_bytes = net.delivered_bytes
        result.disk_operations = sum(host.disk.operations for host in hosts)

    def _hosts(self, net: Net, nursery: trio.Nursery) -> list[Host]:
        hosts = [
            Host(number, roles, net.host(f"node{number}"), random.Random(self._rng.getrandbits(64)), nursery)
            for number, roles in enumerate(LAYOUTS[self._options.layout], 1)
        ]
        joiners = JOINERS.get(self._options.layout, ())
        voters = tuple(host.voter for host in hosts if host.is_controller and host.id not in joiners)
        for host in hosts:
            host.net.descriptor_limit = self._options.descriptors
            if self._options.directories is not None:
                host.directories = DIRECTORIES[: self._options.directories.counts[host.id - 1]]
            host.segment_bytes = self._options.segment_bytes
            # Where all is left to lanes, more can happen before an append has its result.
            host.works_here = self._seed % WORKING_HERE == WORKING_HERE - 1
            host.ended_in_order = check_closed
            if self._options.has_static_voters:
                host.format(QuorumStart.UNSPECIFIED, has_static_voters=True)
            elif host.id in joiners:
                host.format(QuorumStart.NO_INITIAL_CONTROLLERS)
            elif host.is_controller:
                host.format(QuorumStart.INITIAL_CONTROLLERS, voters)
            else:
                host.format(QuorumStart.UNSPECIFIED)
        return hosts

    def _config(self, hosts: list[Host]) -> dict[str, str]:
        addresses = {host.id: f"{host.net.name}:{CONTROLLER_PORT}" for host in hosts if host.is_controller}
        if self._options.has_static_voters:
            voters = ",".join(f"{node_id}@{address}" for node_id, address in addresses.items())
            return {"controller.quorum.voters": voters, **self._options.config}
        return {"controller.quorum.bootstrap.servers": ",".join(addresses.values()), **self._options.config}

    def _watch(self, hosts: list[Host], faults: Faults) -> None:
        faults.check_failures()
        forgotten = next((each for host in hosts if (each := forgotten_election(host)) is not None), None)
        waited = max(hosts, key=lambda host: host.longest_wait_for_thread_s)
        if waited.longest_wait_for_thread_s > MOST_WAIT_FOR_THREAD_S:
            what = f"node {waited.id} waited {waited.longest_wait_for_thread_s:.1f} s for a thread"
            raise ViolationError(NodeInvariant.THREADS_ARE_FREE, what)
        if forgotten is not None:
            raise ViolationError(Invariant.DURABLE_BEFORE_TOLD, forgotten)
        first = self._errors.first
        if first is not None:
            cause = first.exc_info[1] if first.exc_info else None
            raise ViolationError(NodeInvariant.NO_FAILURE, first.getMessage()) from cause

    async def _end(
        self,
        hosts: list[Host],
        clients: list[str],
        histories: Histories,
        checker: StepChecker,
        faults: Faults,
    ) -> None:
        faults.is_over = True
        # Until everybody has what was committed last.
        await reach(
            lambda: len({offset_of(host) for host in hosts}) == 1,
            NodeInvariant.READY_AT_LAST,
            lambda: [offset_of(host) for host in hosts],
        )
        committed = min(map(offset_of, hosts)) + 1
        histories.check(checker.images.newest)
        await until_nothing_is_left(hosts, clients)
        for host in hosts:
            host.stop()
        await reach(
            lambda: all(host.has_ended.is_set() for host in hosts),
            NodeInvariant.STOPS_AT_LAST,
            lambda: [(host.id, host.has_ended.is_set()) for host in hosts],
        )
        faults.check_failures()
        self._watch(hosts, faults)
        check_stopped(hosts, checker.images, committed)


def _set_clocks(hosts: Sequence[Host]) -> None:
    """Somebody sets all clocks to the latest one: the timeout of a transaction is a matter of the clock on the wall."""
    latest = max(host.clock.wall_offset_ms for host in hosts)
    for host in hosts:
        host.clock.wall_offset_ms = latest
