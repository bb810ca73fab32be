"""Many seeds of whole nodes on a given number of processes, and what is printed of them."""

from __future__ import annotations

import multiprocessing
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

from tests.sim.nodes.run import NodesResult, run
from tests.sim.nodes.swarms import draw
from tests.sim.runner import pace


@dataclass(slots=True, kw_only=True)
class NodesTotals:
    """Sums over runs."""

    runs: int = 0
    failed: int = 0
    events: int = 0
    simulated_s: float = 0.0
    seconds: float = 0.0
    epochs: int = 0
    images: int = 0
    requests: int = 0
    answered: int = 0
    voter_changes: int = 0
    delivered_bytes: int = 0
    disk_operations: int = 0
    longest_turn_s: float = 0.0
    faults: Counter[str] = field(default_factory=Counter)
    records: Counter[str] = field(default_factory=Counter)

    def add(self, result: NodesResult) -> None:
        """Count one run."""
        self.runs += 1
        self.failed += result.invariant is not None
        self.events += result.events
        self.simulated_s += result.simulated_s
        self.seconds += result.seconds
        self.epochs += result.epochs
        self.images += result.images
        self.requests += result.requests
        self.answered += result.answered
        self.voter_changes += result.voter_changes
        self.delivered_bytes += result.delivered_bytes
        self.disk_operations += result.disk_operations
        self.longest_turn_s = max(self.longest_turn_s, result.longest_turn_s)
        self.faults += result.faults
        self.records += result.records

    def __str__(self) -> str:
        rate = self.events / self.seconds if self.seconds else 0.0
        return (
            f"{pace(self.runs, self.seconds)}, {self.failed} failed, {self.simulated_s / 3600:.2f} simulated hours,"
            f" {self.events:,} events ({rate:,.0f} a second a core), {self.delivered_bytes / 2**20:.0f} MiB over"
            f" the network, {self.disk_operations:,} operations on disks, {self.epochs:,} epochs,"
            f" {self.images:,} images, {self.requests:,} requests, {self.answered:,} with a certain outcome,"
            f" {self.voter_changes:,} voter changes,"
            f" longest turn {self.longest_turn_s * 1000:.0f} ms\n"
            f"faults: {', '.join(f'{count:,} {name}' for name, count in sorted(self.faults.items()))}\n"
            f"records: {', '.join(f'{count:,} {name}' for name, count in sorted(self.records.items()))}"
        )


def run_many(seeds: Iterable[int], processes: int, like: int | None = None) -> Iterator[NodesResult]:
    """Results in the order of the seeds. All runs have the options of the seed ``like``, if there is one."""
    run_one = partial(run, options=None if like is None else draw(like))
    if processes == 1:
        yield from map(run_one, seeds)
        return
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap(run_one, seeds, chunksize=2)


def report(result: NodesResult, like: int | None = None) -> str:
    """A failed run, and how to see it again. ``like``: see `run_many`."""
    options = "" if like is None else f" --like {like}"
    return (
        f"SEED={result.seed} {result.options}\n{result.failure.rstrip()}\n"
        f"after {result.simulated_s:.3f} s: {result.invariant}\n"
        f"bin/simulate --nodes --seed {result.seed}{options} --events 200"
    )
