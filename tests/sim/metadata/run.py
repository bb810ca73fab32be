"""One seed of the whole simulation: quorum, controllers, brokers, administrators, and the checks of all of them."""

from __future__ import annotations

import dataclasses
import enum
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.core.controller.values import batches
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.security.delegation_tokens import is_expired
from kafkaproto_server.shell.quorum import controller_runner
from tests.sim.checkers.invariants import ViolationError
from tests.sim.checkers.progress import ProgressChecker
from tests.sim.faults import Faults
from tests.sim.metadata.administrators import Administrators
from tests.sim.metadata.brokers import Broker
from tests.sim.metadata.calls import Calls
from tests.sim.metadata.checker import ImageChecker, MetadataInvariant
from tests.sim.metadata.deaths import check_death
from tests.sim.metadata.node import Node, NodeClock
from tests.sim.metadata.records import Asked, RecordChecker
from tests.sim.metadata.snapshot_files import SnapshotFiles
from tests.sim.options import Options, draw, with_unknown_node
from tests.sim.replica import Replica
from tests.sim.run import Result, result_of
from tests.sim.unknown_node import UnknownNode
from tests.sim.world import Trace, World
from tests.support.garbage import own_garbage

BROKERS = 3
_OF_A_RUN = {"images", "records", "died"}
"""Attributes of the class `Node` by which all nodes of a run find each other."""
LARGE_BATCH = 8 * 1024 * 1024
SMALL_BATCH = 800
"""Holds what one append of few records takes, and little more."""
CHUNK_FACTOR = 8
"""Real snapshots are that much longer than those that stand for a state."""
LEAVE_MS = 6_000
DIRECTORY_FAILURE_MS = 8_000
GOAL_BOUND_US = 30_000_000
RECORDS_PER_BATCH = 4
POLL_US = 100_000


def options_of(seed: int) -> Options:
    """What a seed draws, as far as it fits a whole cluster."""
    drawn = draw(seed)
    return dataclasses.replace(
        drawn,
        scenario="chaos",
        brokers=BROKERS,
        max_batch_bytes=SMALL_BATCH if drawn.max_batch_bytes <= SMALL_BATCH else LARGE_BATCH,
        oversized_appends=False,
        chunk_bytes=drawn.chunk_bytes * CHUNK_FACTOR,
        fetch_max_bytes=max(drawn.fetch_max_bytes, 1000),
        append_interval_ms=max(drawn.append_interval_ms, 50),
        fault_ms=min(drawn.fault_ms, 20_000),
        # Without them two histories of an ISR differ by what failed, and by nothing else.
        other_epochs=seed % 3 != 2,
    )


def options_with_unknown_node(seed: int) -> Options:
    """The same with an unknown node."""
    return with_unknown_node(options_of(seed), seed)


def run(seed: int, options: Options | None = None, trace: Trace | None = None) -> Result:
    """Simulate one seed."""
    with own_garbage():
        try:
            return _run(seed, options or options_of(seed), trace)
        finally:
            for name in _OF_A_RUN & vars(Node).keys():
                delattr(Node, name)


def _run(seed: int, options: Options, trace: Trace | None) -> Result:
    images = ImageChecker()
    asked = Asked()
    Node.images, Node.records = images, RecordChecker(asked)
    world = World(seed, options, trace, Node, SnapshotFiles())
    faults = Faults(world)
    calls = Calls(world, asked)
    administrators = Administrators(world, faults, calls)
    progress = ProgressChecker(world, faults, administrators)
    error: BaseException | None = None
    invariant: enum.Enum | None = None
    try:
        with unforeseen_failures_raised(), small_batches():
            _simulate(world, faults, calls, administrators, progress)
            administrators.notebook.check(images.newest)
    except ViolationError as violation:
        error, invariant = violation, violation.invariant
    except Exception as contradiction:
        error, invariant = contradiction, MetadataInvariant.NO_FAILURE
    return result_of(
        world,
        progress,
        faults,
        invariant,
        error,
        acknowledged=administrators.notebook.answered,
        level="cluster",
        commands=calls.done,
    )


def _simulate(
    world: World, faults: Faults, calls: Calls, administrators: Administrators, progress: ProgressChecker
) -> None:
    brokers = [
        Broker(world, node, calls, faults)
        for node in world.replicas.values()
        if isinstance(node, Node) and not node.can_be_voter
    ]
    by_id = {broker.node.id: broker for broker in brokers}
    Node.died = staticmethod(partial(check_death, by_id))
    for replica in world.replicas.values():
        replica.start()
    administrators.begin()
    unknown_node = UnknownNode(world, faults)
    unknown_node.begin()
    faults.repeat(LEAVE_MS, lambda: world.rng.choice(brokers).leave())
    faults.repeat(DIRECTORY_FAILURE_MS, lambda: world.rng.choice(brokers).fail_directory())
    faults.begin()
    world.run_until(world.options.fault_ms * 1000)
    faults.heal()
    progress.check()
    unknown_node.check()
    _check_what_comes_at_last(world, administrators, brokers)


def _check_what_comes_at_last(
    world: World, administrators: Administrators, brokers: Sequence[Broker]
) -> None:
    """Wait until a healed cluster has reached each of the required states, one after the other."""

    def image() -> ClusterImage:
        assert isinstance(Node.images, ImageChecker)
        return Node.images.newest

    goals: tuple[tuple[MetadataInvariant, Callable[[], bool], Callable[[], object]], ...] = (
        (
            MetadataInvariant.DIRECTORIES_KNOWN_AT_LAST,
            lambda: all(broker.has_agreed_directories for broker in brokers),
            lambda: [broker.has_agreed_directories for broker in brokers],
        ),
        (
            MetadataInvariant.UNFENCED_AT_LAST,
            lambda: all(broker.is_serving for broker in brokers),
            lambda: [(broker.lifecycle.state.value, broker.lifecycle.last_refusal) for broker in brokers],
        ),
        (
            MetadataInvariant.PREFERRED_AT_LAST,
            lambda: not _not_preferred(image()),
            lambda: _not_preferred(image()),
        ),
        (
            MetadataInvariant.EXPIRED_AT_LAST,
            lambda: not _expired_tokens(image(), administrators.active()),
            lambda: _expired_tokens(image(), administrators.active()),
        ),
    )
    for invariant, is_reached, state in goals:
        _reach(world, invariant, is_reached, state)
    lost = brokers[0].node
    active = administrators.active()
    if active is not None:
        # The next active controller has to find out by itself.
        active.resign()
    lost.crash()
    _reach(
        world,
        MetadataInvariant.FENCED_AT_LAST,
        lambda: image().brokers[lost.id].fenced,
        lambda: image().brokers[lost.id],
    )


def _reach(
    world: World,
    invariant: MetadataInvariant,
    is_reached: Callable[[], bool],
    state: Callable[[], object],
) -> None:
    limit = world.now + GOAL_BOUND_US
    while not is_reached():
        if world.now > limit:
            raise ViolationError(invariant, str(state()))
        world.run_until(world.now + POLL_US)


def _not_preferred(image: ClusterImage) -> list[str]:
    """Partitions that another replica leads than the first one, which could."""
    found = []
    for topic in image.topics_in_order():
        for index, partition in topic.partitions_in_order():
            first = partition.replicas[0]
            broker = image.brokers.get(first)
            could = broker is not None and broker.has_online_directory(partition.directory_of(first))
            if partition.leader not in (NO_NODE, first) and first in partition.isr and could:
                found.append(f"{topic.name}-{index}")
    return found


def _expired_tokens(image: ClusterImage, active: Replica | None) -> list[str]:
    """Those that the active controller has to take away."""
    if active is None:
        return []
    now_ms = NodeClock(active).wall_ms()
    return [name for name, token in image.delegation_tokens.items() if is_expired(token, now_ms)]


@contextmanager
def small_batches() -> Iterator[None]:
    """Batches that hold few records, so that what the loss of a broker leads to is more than one of them."""
    limits = batches.MAX_RECORDS_PER_BATCH, controller_runner.MAX_GATHERED_BYTES
    batches.MAX_RECORDS_PER_BATCH, controller_runner.MAX_GATHERED_BYTES = RECORDS_PER_BATCH, 0
    try:
        yield
    finally:
        batches.MAX_RECORDS_PER_BATCH, controller_runner.MAX_GATHERED_BYTES = limits


class _UnforeseenFailure(logging.Handler):
    """Fails the run if a controller reports an unforeseen failure of a command."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.failure: BaseException | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the first failure."""
        if record.exc_info and self.failure is None:
            self.failure = record.exc_info[1]


@contextmanager
def unforeseen_failures_raised() -> Iterator[None]:
    """Failures that a controller would log, and then continue, are raised at the end."""
    logger = logging.getLogger("kafkaproto.server.quorum")
    handler = _UnforeseenFailure()
    was_propagating, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = was_propagating
    if handler.failure is not None:
        raise handler.failure
