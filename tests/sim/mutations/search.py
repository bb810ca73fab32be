"""Finds which seeds notice which mutation, and by which invariant; ``bin/simulate --mutations`` prints the table."""

from __future__ import annotations

import enum
import functools
import itertools
import multiprocessing
from dataclasses import dataclass

from tests.sim.mutations import (
    administration,
    epochs,
    liveness,
    logs,
    metadata,
    snapshots,
    unknown_nodes,
    voters,
    votes,
)
from tests.sim.mutations.mutation import Mutation, mutated
from tests.sim.runner import LEVELS

MOST_SEEDS = 1500
"""That are tried for one mutation."""

MUTATIONS = (
    *votes.MUTATIONS,
    *logs.MUTATIONS,
    *voters.MUTATIONS,
    *liveness.MUTATIONS,
    *unknown_nodes.MUTATIONS,
    *metadata.MUTATIONS,
    *administration.MUTATIONS,
    *snapshots.MUTATIONS,
    *epochs.MUTATIONS,
)
"""At least one for each invariant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """How a mutation was noticed."""

    mutation: Mutation
    seed: int | None
    """A seed in which the mutation's invariant did not hold; None if none was found."""
    seeds: int
    """So many of its class were tried."""
    others: tuple[enum.Enum, ...]
    """Invariants that did not hold in seeds before."""
    is_clean: bool
    """Whether the unchanged core has no failure with that seed."""


def find(mutation: Mutation, most: int = MOST_SEEDS, first: int = 1) -> Finding:
    """Run the seed ``first``, then the lowest ones that suit the mutation, until the rule's invariant does not hold; at
    most so many."""
    others: dict[enum.Enum, None] = {}
    simulate, options_of = LEVELS[mutation.level]
    lower = (seed for seed in itertools.count(1) if seed != first)
    suited = (seed for seed in itertools.chain((first,), lower) if mutation.suits(options_of(seed)))
    for tried, seed in enumerate(itertools.islice(suited, most), 1):
        with mutated(mutation):
            result = simulate(seed, options_of(seed), None)
        if result.invariant is mutation.noticed_by:
            return Finding(
                mutation=mutation,
                seed=seed,
                seeds=tried,
                others=tuple(others),
                is_clean=_is_clean(mutation.level, seed),
            )
        if result.invariant is not None:
            others[result.invariant] = None
    return Finding(mutation=mutation, seed=None, seeds=most, others=tuple(others), is_clean=True)


@functools.cache
def _is_clean(level: str, seed: int) -> bool:
    """Whether the unchanged core has no failure with a seed. Several mutations share a seed, and this run."""
    simulate, options_of = LEVELS[level]
    return simulate(seed, options_of(seed), None).invariant is None


def find_by_index(index: int) -> Finding:
    """Any seed that notices, by the mutation's number: another process cannot be handed functions."""
    return find(MUTATIONS[index], first=MUTATIONS[index].likely_seed)


def print_table(processes: int) -> bool:
    """Print the first seed that notices each mutation; returns whether all were noticed."""
    print(f"{'the core ...':48} {'is noticed by':26} {'seeds':>5} {'seed':>5}  and by")
    is_complete = True
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        for line, is_found in pool.imap(_describe_finding, range(len(MUTATIONS))):
            is_complete = is_complete and is_found
            print(line, flush=True)
    return is_complete


def _describe_finding(index: int) -> tuple[str, bool]:
    # One that no other seed notices is shown by the seed that is known.
    likely = MUTATIONS[index].likely_seed
    found = find(MUTATIONS[index], first=likely if likely > MOST_SEEDS else 1)
    mutation = found.mutation
    seed = "-" if found.seed is None else str(found.seed)
    others = ", ".join(other.name for other in found.others)
    line = f"{mutation.rule:48} {mutation.noticed_by.name:26} {found.seeds:5} {seed:>5}  {others}"
    return line, found.seed is not None and found.is_clean
