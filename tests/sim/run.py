"""One run of one seed: the scenarios, the result, and the command that repeats the run."""

from __future__ import annotations

import enum
import traceback
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.sim.checkers.invariants import Invariant, ViolationError
from tests.sim.checkers.progress import ProgressChecker
from tests.sim.clients import Clients
from tests.sim.faults import Faults
from tests.sim.options import Options, draw
from tests.sim.scenarios import SCENARIOS
from tests.sim.unknown_node import UnknownNode
from tests.sim.world import Trace, World


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of one run."""

    seed: int
    options: Options
    events: int
    """Everything that happened, without what turned out to be no news."""
    simulated_us: int
    epochs: int
    committed: int
    """Offsets."""
    acknowledged: int
    voter_changes: int
    election_us: int
    """From healing to a leader that takes appends."""
    faults: dict[str, int] = field(default_factory=dict)
    invariant: enum.Enum | None = None
    """The invariant that does not hold; None if all do."""
    failure: str | None = None
    trace_back: str = ""
    seconds: float = 0.0
    """Processor time, if it was measured."""
    level: str = "quorum"
    """What was simulated: the quorum alone, or a whole cluster on top."""
    commands: frozenset[int | None] = frozenset()
    """Api keys of the controller's commands that were carried out without any error, where a cluster was simulated."""


def run(seed: int, options: Options | None = None, trace: Trace | None = None) -> Result:
    """Simulate one seed, with the options that it draws unless others are given."""
    options = options or draw(seed)
    world = World(seed, options, trace)
    faults = Faults(world)
    clients = Clients(world, faults)
    progress = ProgressChecker(world, faults, clients)
    unknown_node = UnknownNode(world, faults)
    error: BaseException | None = None
    invariant: enum.Enum | None = None
    try:
        for replica in world.replicas.values():
            replica.start()
        clients.begin()
        unknown_node.begin()
        SCENARIOS[options.scenario](world, faults, clients)
        faults.heal()
        progress.check()
        unknown_node.check()
    except ViolationError as violation:
        error, invariant = violation, violation.invariant
    except Exception as contradiction:
        error, invariant = contradiction, Invariant.NO_ILLEGAL_STATE
    return result_of(world, progress, faults, invariant, error, acknowledged=world.commits.acknowledged)


def result_of(
    world: World,
    progress: ProgressChecker,
    faults: Faults,
    invariant: enum.Enum | None,
    error: BaseException | None,
    *,
    acknowledged: int,
    level: str = "quorum",
    commands: Iterable[int | None] = (),
) -> Result:
    """What came of a run that is over."""
    return Result(
        seed=world.seed,
        options=world.options,
        events=world.events - world.idle,
        simulated_us=world.now,
        epochs=world.elections.highest_epoch,
        committed=world.commits.end_offset,
        acknowledged=acknowledged,
        voter_changes=progress.voter_changes,
        election_us=progress.election_us,
        faults=faults.counts,
        invariant=invariant,
        failure=None if error is None else f"{type(error).__name__}: {error}",
        trace_back="" if error is None else "".join(traceback.format_exception(error)),
        level=level,
        commands=frozenset(commands),
    )
