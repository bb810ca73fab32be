"""Many runs on a given number of processes, and what is printed of them."""

from __future__ import annotations

import dataclasses
import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from tests.sim.metadata import run as cluster
from tests.sim.options import Options, draw, draw_with_unknown_node
from tests.sim.run import Result, run
from tests.sim.world import Trace

SEEDS_FILE = Path(__file__).with_name("seeds.txt")

Simulate = Callable[[int, Options | None, Trace | None], Result]
LEVELS: Mapping[str, tuple[Simulate, Callable[[int], Options]]] = {
    "quorum": (run, draw),
    "unknown-node": (run, draw_with_unknown_node),
    "cluster": (cluster.run, cluster.options_of),
    "cluster-unknown-node": (cluster.run, cluster.options_with_unknown_node),
}
"""What can be simulated: how to run a seed, and what options it draws."""


@dataclasses.dataclass(slots=True, kw_only=True)
class Totals:
    """Sums over runs."""

    runs: int = 0
    events: int = 0
    simulated_us: int = 0
    epochs: int = 0
    committed: int = 0
    acknowledged: int = 0
    voter_changes: int = 0
    faults: int = 0
    longest_election_us: int = 0
    process_seconds: float = 0.0
    """Of all processes together."""

    def add(self, result: Result) -> None:
        """Count one run."""
        self.runs += 1
        self.events += result.events
        self.simulated_us += result.simulated_us
        self.epochs += result.epochs
        self.committed += result.committed
        self.acknowledged += result.acknowledged
        self.voter_changes += result.voter_changes
        self.faults += sum(result.faults.values())
        self.longest_election_us = max(self.longest_election_us, result.election_us)
        self.process_seconds += result.seconds

    def __str__(self) -> str:
        rate = self.events / self.process_seconds if self.process_seconds else 0.0
        return (
            f"{pace(self.runs, self.process_seconds)}, "
            f"{self.simulated_us / 3.6e9:.2f} simulated hours, {self.events:,} events "
            f"({rate:,.0f} a second a core), {self.faults:,} faults, {self.epochs:,} epochs, "
            f"{self.committed:,} records committed, {self.acknowledged:,} appends acknowledged, "
            f"{self.voter_changes:,} voter changes, "
            f"longest election after healing {self.longest_election_us / 1e6:.1f} s"
        )


def pace(runs: int, process_seconds: float) -> str:
    """How many runs there were, and how fast."""
    rate = 60 * runs / process_seconds if process_seconds else 0.0
    return f"{runs} runs ({rate:,.1f} a minute of processor time)"


def timed_run(seed: int, level: str = "quorum") -> Result:
    """One run with the seed's own options, and the time it took."""
    began = time.process_time()
    simulate, options_of = LEVELS[level]
    result = simulate(seed, options_of(seed), None)
    return dataclasses.replace(result, seconds=time.process_time() - began, level=level)


def run_many(seeds: Iterable[int], processes: int, level: str = "quorum") -> Iterator[Result]:
    """Results in the order of the seeds."""
    if processes == 1:
        yield from map(partial(timed_run, level=level), seeds)
        return
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap(partial(timed_run, level=level), seeds, chunksize=4)


def known_seeds() -> list[tuple[int, str, str]]:
    """Seeds that once failed, each with its level and cause."""
    seeds = []
    for line in SEEDS_FILE.read_text().splitlines():
        if line and not line.startswith("#"):
            seed, _, cause = line.partition(" ")
            level = "quorum"
            if cause.startswith("--"):
                level, _, cause = cause[2:].partition(" ")
            seeds.append((int(seed), level, cause.strip()))
    return seeds


def heading(seed: int, options: Options) -> str:
    """The first line of a run."""
    return f"SEED={seed} {options}"


def command(result: Result) -> str:
    """How to see a run again."""
    parts = [f"bin/simulate --seed {result.seed} --events 200"]
    if result.level != "quorum":
        parts.append(f"--{result.level}")
    drawn = LEVELS[result.level][1](result.seed)
    for field in dataclasses.fields(Options):
        value = getattr(result.options, field.name)
        if value != getattr(drawn, field.name):
            parts.append(f"--option {field.name}={value}")
    return " ".join(parts)


def report(result: Result) -> str:
    """A failed run: its heading, what does not hold, how to see it again."""
    assert result.invariant is not None
    return "\n".join(
        (
            heading(result.seed, result.options),
            f"{result.invariant.name}: {result.invariant.value}",
            result.trace_back.rstrip(),
            f"after {result.simulated_us / 1e6:.3f} s: {result.failure}",
            command(result),
        )
    )
