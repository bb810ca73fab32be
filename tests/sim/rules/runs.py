"""Runs seeds of whole nodes with probes, and keeps what they have found."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import json
import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import trio

from tests.sim.nodes.coordination.traffic import (
    FIRST_WITH_COORDINATORS,
    FIRST_WITH_DEAD_LETTERS,
    FIRST_WITH_SHARES,
    FIRST_WITH_STREAMS,
)
from tests.sim.nodes.data.traffic import FIRST_WITH_RECORDS, WITH_NEW_EPOCHS
from tests.sim.nodes.directories.options import FIRST_WITH_DIRECTORIES
from tests.sim.nodes.faults import Faults
from tests.sim.nodes.late.options import WITH_LATE_REQUESTS
from tests.sim.nodes.late_peers.peer import WITH_LATE_PEERS
from tests.sim.nodes.run import _run
from tests.sim.nodes.swarms import FIRST_OF_SWARMS, draw
from tests.sim.nodes.timeline import VirtualClock
from tests.sim.rules.moments import Found, Recorder
from tests.sim.rules.probes import watched
from tests.sim.rules.table import CORPUS, Rule, read_rules

KEPT = Path(__file__).parents[3] / ".search" / "states"
"""Git does not know it."""
OTHER_FIRST_SEEDS = (
    1,
    FIRST_WITH_RECORDS,
    FIRST_WITH_COORDINATORS,
    FIRST_WITH_SHARES,
    FIRST_WITH_DEAD_LETTERS,
    FIRST_WITH_STREAMS,
    WITH_NEW_EPOCHS.start,
    FIRST_WITH_DIRECTORIES,
    WITH_LATE_PEERS.start,
    WITH_LATE_REQUESTS.start,
)
"""Of each kind of seeds beside swarms."""
FIRST_SEEDS = (*OTHER_FIRST_SEEDS, FIRST_OF_SWARMS)
"""Of each kind of seeds."""
ACTIVE_S = 2.0
"""So long after a fault it is taken for active."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRun:
    """What one seed has found."""

    seed: int
    rooms: Mapping[str, str]
    """The rooms whose rules were watched, and a digest of these rules."""
    found: Mapping[str, Found]
    """Of the rules that were reached, by their keys."""
    invariant: str | None
    """What did not hold."""
    digest: str = ""
    """Of all that happened."""


def states_of(run: RuleRun) -> frozenset[str]:
    """The states that a run has reached: that a rule was reached, that it has decided, and during which fault."""
    states = set()
    for key, found in run.found.items():
        states.add(f"{key} reached")
        if found.decisive:
            states.add(f"{key} decisive")
            states.update(f"{key} decisive during {each}" for each in found.during)
    return frozenset(states)


def all_seeds() -> Iterator[int]:
    """Seeds without end. Every second one is a swarm; the others are spread over their kinds."""
    for number in itertools.count():
        turn, kind = divmod(number, len(OTHER_FIRST_SEEDS))
        yield OTHER_FIRST_SEEDS[kind] + turn
        yield FIRST_OF_SWARMS + number


def seeds_of(count: int) -> list[int]:
    """The first ones of `all_seeds`."""
    return list(itertools.islice(all_seeds(), count))


def by_room(rules: Iterable[Rule]) -> dict[str, list[Rule]]:
    """Rules by their rooms."""
    rooms: dict[str, list[Rule]] = {}
    for rule in rules:
        rooms.setdefault(rule.room, []).append(rule)
    return rooms


def digests_of(rules: Iterable[Rule]) -> dict[str, str]:
    """A digest of the rules of each room. What was found with other rules does not count for it."""
    return {
        room: hashlib.sha256("\n".join(sorted(map(str, found))).encode()).hexdigest()[:10]
        for room, found in by_room(rules).items()
    }


def _clock() -> VirtualClock:
    clock = trio.lowlevel.current_clock()
    assert isinstance(clock, VirtualClock), "a run has virtual time"
    return clock


def _now_s() -> float:
    """The virtual time. To ask trio for it counts as a look at the processor's clock, and makes it another run."""
    return _clock()._now


def _no_look() -> int:
    return 0


def _untold() -> float:
    raise RuntimeError("the processor's clock cannot be told without a look at it")


@contextlib.contextmanager
def _without_looks() -> Iterator[None]:
    """Have no look at a clock count. Virtual time stands still between two jumps, so it can be told without one."""
    clock, stopwatch = _clock(), time.perf_counter
    look = clock._look
    clock._look, time.perf_counter = _no_look, _untold
    try:
        yield
    finally:
        clock._look, time.perf_counter = look, stopwatch


class _ActiveFaults:
    """The kinds of faults that happened a moment ago."""

    def __init__(self) -> None:
        self._at_s: dict[str, float] = {}
        self._names: tuple[str, ...] = ()
        self._looked_s = 0.0

    def happened(self, name: str) -> None:
        """A fault has happened."""
        self._at_s[name] = _now_s()
        self._look()

    def __call__(self) -> Sequence[str]:
        """Their names."""
        if self._at_s and _now_s() != self._looked_s:
            self._look()
        return self._names

    def _look(self) -> None:
        self._looked_s = _now_s()
        since_s = self._looked_s - ACTIVE_S
        self._at_s = {name: at_s for name, at_s in self._at_s.items() if at_s >= since_s}
        names = tuple(self._at_s)
        if names != self._names:
            self._names = names

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Hear of the faults of one run."""
        self._at_s, self._names = {}, ()
        with (
            mock.patch.object(Faults, "_fire", self._noted(Faults._fire)),
            mock.patch.object(Faults, "_strike", self._noted(Faults._strike)),
        ):
            yield

    def _noted(self, act: Callable[..., None]) -> Callable[..., None]:
        def noted(faults: Faults, *given: Any) -> None:
            before = faults.counts.copy()
            act(faults, *given)
            for name in faults.counts - before:
                self.happened(name)

        return noted


def run_watched(seed: int, recorder: Recorder, rooms: Mapping[str, str]) -> RuleRun:
    """Run a seed while `watched` holds. Long turns are not looked into: probes make them longer."""
    faults = _ActiveFaults()
    recorder.active, recorder.unnoticed = faults, _without_looks
    with faults.watched():
        result = _run(seed, draw(seed), 0)
    return RuleRun(
        seed=seed, rooms=rooms, found=recorder.found(), invariant=result.invariant, digest=result.digest
    )


class _Watching:
    """What a process of `run_many` watches, for as long as it lives."""

    def __init__(self, rooms: Sequence[str]) -> None:
        rules = read_rules(rooms)
        self._digests = digests_of(rules)
        self._ends = contextlib.ExitStack()
        self._recorder = self._ends.enter_context(watched(rules))

    def run(self, seed: int) -> RuleRun:
        """See `run_watched`."""
        return run_watched(seed, self._recorder, self._digests)


@functools.cache
def _watching(rooms: Sequence[str]) -> _Watching:
    return _Watching(rooms)


def _run_in_process(rooms: Sequence[str], seed: int) -> RuleRun:
    # Not in an initializer of the pool: for each process whose initializer raises it starts another one, without end.
    return _watching(rooms).run(seed)


def run_many(rooms: Sequence[str], seeds: Iterable[int], processes: int) -> Iterator[RuleRun]:
    """Results in the order of the seeds, from processes that watch the rules of some rooms. Raises RowError if a rule
    names what is not there."""
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap(functools.partial(_run_in_process, tuple(rooms)), seeds)


def keep(run: RuleRun, folder: Path = KEPT) -> None:
    """Add a run to those that are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    line = {
        "seed": run.seed,
        "rooms": dict(run.rooms),
        "invariant": run.invariant,
        "digest": run.digest,
        "found": {key: list(found) for key, found in run.found.items()},
    }
    with (folder / "runs.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")


def kept(folder: Path = KEPT) -> list[RuleRun]:
    """The runs that are kept, in the order in which they were made."""
    path = folder / "runs.jsonl"
    if not path.exists():
        return []
    runs = []
    for line in path.read_text().splitlines():
        # A process that was ended may have left half a line.
        with contextlib.suppress(ValueError):
            read = json.loads(line)
            runs.append(
                RuleRun(
                    seed=read["seed"],
                    rooms=read["rooms"],
                    found={
                        key: Found(reached, decisive, maybe, tuple(during))
                        for key, (reached, decisive, maybe, during) in read["found"].items()
                    },
                    invariant=read["invariant"],
                    digest=read["digest"],
                )
            )
    return runs


def corpus_text(runs: Iterable[RuleRun]) -> str:
    """The seeds that reached states which no run before them had reached, each with the number of these."""
    lines = ["# Seeds that reached what no seed above them had reached, and how many such states."]
    known: set[str] = set()
    for run in runs:
        states = states_of(run)
        if not states <= known:
            lines.append(f"{run.seed} {len(states - known)}")
            known |= states
    return "\n".join(lines) + "\n"


def read_corpus(folder: Path = KEPT) -> list[int]:
    """The seeds of the corpus of the repository and of that of this machine, those with the most new states first."""
    states = {**seeds_in(folder / CORPUS.name), **seeds_in(CORPUS)}
    return sorted(states, key=lambda seed: -states[seed])


def seeds_in(path: Path) -> dict[int, int]:
    """The seeds of a corpus, if there is one, each with its number of new states."""
    lines = path.read_text().splitlines() if path.exists() else []
    return {
        int(seed): int(count) for seed, count in (line.split() for line in lines if not line.startswith("#"))
    }
