"""One seed of the whole: quorum, controllers, brokers, administrators, and what has to hold of all of them."""

from __future__ import annotations

import dataclasses
import enum
import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from tests.sim.checkers.invariants import ViolationError
from tests.sim.checkers.progress import ProgressChecker
from tests.sim.faults import Faults
from tests.sim.metadata.administrators import Administrators, TopicModel
from tests.sim.metadata.brokers import Broker
from tests.sim.metadata.calls import Calls
from tests.sim.metadata.checker import ImageChecker, MetadataInvariant
from tests.sim.metadata.history import is_linearizable
from tests.sim.metadata.node import Node
from tests.sim.options import Options, draw
from tests.sim.run import Result
from tests.sim.world import Trace, World

BROKERS = 3
LARGE_BATCH = 8 * 1024 * 1024
LEAVE_MS = 6_000
DIRECTORY_FAILURE_MS = 8_000
UNFENCED_BOUND_US = 30_000_000
POLL_US = 100_000


def options_of(seed: int) -> Options:
    """What a seed draws, as far as it fits a whole cluster."""
    drawn = draw(seed)
    return dataclasses.replace(
        drawn,
        scenario="chaos",
        brokers=BROKERS,
        max_batch_bytes=LARGE_BATCH,
        oversized_appends=False,
        fetch_max_bytes=max(drawn.fetch_max_bytes, 1000),
        append_interval_ms=max(drawn.append_interval_ms, 50),
        fault_ms=min(drawn.fault_ms, 20_000),
    )


def run(seed: int, options: Options | None = None, trace: Trace | None = None) -> Result:
    """Simulate one seed."""
    options = options or options_of(seed)
    images = ImageChecker()
    Node.images = images
    world = World(seed, options, trace, Node)
    faults = Faults(world)
    calls = Calls(world)
    administrators = Administrators(world, faults, calls)
    progress = ProgressChecker(world, faults, administrators)
    error: BaseException | None = None
    invariant: enum.Enum | None = None
    try:
        with unforeseen_failures_raised():
            _simulate(world, faults, calls, administrators, progress)
            _check_histories(administrators)
    except ViolationError as violation:
        error, invariant = violation, violation.invariant
    except Exception as contradiction:
        error, invariant = contradiction, MetadataInvariant.NO_FAILURE
    return Result(
        seed=seed,
        options=options,
        events=world.events - world.idle,
        simulated_us=world.now,
        epochs=world.elections.highest_epoch,
        committed=world.commits.end_offset,
        acknowledged=sum(
            call.answered_at is not None for history in administrators.histories.values() for call in history
        ),
        voter_changes=administrators.voter_changes,
        election_us=progress.election_us,
        faults=faults.counts,
        invariant=invariant,
        failure=None if error is None else f"{type(error).__name__}: {error}",
        trace_back="" if error is None else "".join(traceback.format_exception(error)),
        level="cluster",
    )


def _simulate(
    world: World, faults: Faults, calls: Calls, administrators: Administrators, progress: ProgressChecker
) -> None:
    brokers = [
        Broker(world, node, calls, faults)
        for node in world.replicas.values()
        if isinstance(node, Node) and not node.can_be_voter
    ]
    for replica in world.replicas.values():
        replica.start()
    administrators.begin()
    faults.repeat(LEAVE_MS, lambda: world.rng.choice(brokers).leave())
    faults.repeat(DIRECTORY_FAILURE_MS, lambda: world.rng.choice(brokers).fail_directory())
    faults.begin()
    world.run_until(world.options.fault_ms * 1000)
    faults.heal()
    progress.check()
    limit = world.now + UNFENCED_BOUND_US
    while not all(broker.is_serving for broker in brokers):
        if world.now > limit:
            states = [(broker.lifecycle.state.value, broker.lifecycle.last_refusal) for broker in brokers]
            raise ViolationError(MetadataInvariant.UNFENCED_AT_LAST, str(states))
        world.run_until(world.now + POLL_US)


def _check_histories(administrators: Administrators) -> None:
    model = TopicModel()
    for name, history in administrators.histories.items():
        if not is_linearizable(history, model, None):
            calls = "; ".join(
                f"{call.operation} at {call.called_at}: {call.answer} at {call.answered_at}"
                for call in history
            )
            raise ViolationError(MetadataInvariant.LINEARIZABLE, f"{name}: {calls}")


class _UnforeseenFailure(logging.Handler):
    """Fails the run where a controller reports that a command failed in a way that nobody foresaw."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.failure: BaseException | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the first failure."""
        if record.exc_info and self.failure is None:
            self.failure = record.exc_info[1]


@contextmanager
def unforeseen_failures_raised() -> Iterator[None]:
    """What a controller would log and go on after is raised at the end."""
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
