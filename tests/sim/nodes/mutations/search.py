"""Finds which seeds of whole nodes notice which mutation; ``bin/simulate --nodes --mutations`` prints the table."""

from __future__ import annotations

import functools
import multiprocessing
from collections.abc import Iterator
from dataclasses import dataclass

from tests.sim.mutations.mutation import Mutation, mutated
from tests.sim.nodes.mutations import (
    coordination,
    directories,
    network,
    quorum,
    record_logs,
    records,
    shares,
    storage,
    streams,
    transactions,
)
from tests.sim.nodes.run import run

MUTATIONS = (
    *storage.MUTATIONS,
    *quorum.MUTATIONS,
    *network.MUTATIONS,
    *records.MUTATIONS,
    *record_logs.MUTATIONS,
    *coordination.MUTATIONS,
    *shares.MUTATIONS,
    *streams.MUTATIONS,
    *transactions.MUTATIONS,
    *directories.MUTATIONS,
)

MOST_SEEDS = 40
"""That are tried, from the likely one on: a change of the product or of the faults makes it another run."""
LONGEST_S = 600.0
"""For one mutation, as a node that spins in one turn would never end: of processor time in tests, by the clock in the
table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFinding:
    """How a mutation was noticed."""

    rule: str
    seed: int | None
    """The first seed that notices it, by one of its invariants; None if none was found."""
    seeds: int
    """So many were tried."""
    invariant: str
    """That noticed it."""
    is_clean: bool
    """Whether the unchanged node has no failure with that seed."""
    seconds: float
    """Processor time of the runs with the mutation."""


def invariants_of(mutation: Mutation) -> set[str]:
    """The names of those that may notice it."""
    return {each.name for each in (mutation.noticed_by, *mutation.also)}


def find(index: int, most: int = MOST_SEEDS) -> NodeFinding:
    """Run some seeds until one notices the mutation with this number."""
    mutation = MUTATIONS[index]
    tried, seconds = 0, 0.0
    for seed in range(mutation.likely_seed, mutation.likely_seed + most):
        with mutated(mutation):
            result = run(seed)
        tried += 1
        seconds += result.seconds
        if result.invariant is not None and result.invariant in invariants_of(mutation):
            return NodeFinding(
                rule=mutation.rule,
                seed=seed,
                seeds=tried,
                invariant=result.invariant,
                is_clean=_is_clean(seed),
                seconds=seconds,
            )
    return NodeFinding(
        rule=mutation.rule, seed=None, seeds=tried, invariant="-", is_clean=True, seconds=seconds
    )


@functools.cache
def _is_clean(seed: int) -> bool:
    """Whether an unchanged node has no failure with a seed. Several mutations share a seed, and this run."""
    return run(seed).invariant is None


def findings(processes: int) -> Iterator[NodeFinding]:
    """Of all mutations, in their order. Raises TimeoutError if one of them hangs."""
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        results = pool.imap(find, range(len(MUTATIONS)))
        for _ in MUTATIONS:
            yield results.next(LONGEST_S)


def print_table(processes: int) -> bool:
    """Print which seed notices each mutation; returns whether all were noticed."""
    print(f"{'a node ...':45} {'is noticed by':20} {'seed':>5} {'seeds':>5} {'s':>5}")
    is_complete = True
    for found in findings(processes):
        is_complete = is_complete and found.seed is not None and found.is_clean
        seed = "-" if found.seed is None else str(found.seed)
        print(
            f"{found.rule:45} {found.invariant:20} {seed:>5} {found.seeds:5} {found.seconds:5.1f}", flush=True
        )
    return is_complete
