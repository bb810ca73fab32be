"""The rules of the cores that are broken on purpose; ``bin/simulate --mutations`` prints which seeds notice them."""

from __future__ import annotations

from pathlib import Path

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
from tests.sim.mutations.known import Finding, Rules
from tests.sim.mutations.mutation import Mutation
from tests.sim.runner import LEVELS

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


def _invariant_of(level: str, seed: int) -> str | None:
    simulate, options_of = LEVELS[level]
    invariant = simulate(seed, options_of(seed), None).invariant
    return None if invariant is None else invariant.name


def _suits(mutation: Mutation, seed: int) -> bool:
    return mutation.suits(LEVELS[mutation.level][1](seed))


RULES = Rules(
    subject="the core",
    command="bin/simulate --mutations",
    file=Path(__file__).with_name("known_seeds.txt"),
    mutations=MUTATIONS,
    invariant_of=_invariant_of,
    suits=_suits,
    most_seeds=1500,
)


def find(index: int) -> Finding:
    """See ``Rules.find``; another process cannot be handed the method."""
    return RULES.find(index)


def renew(index: int) -> Finding:
    """See ``Rules.renew``."""
    return RULES.renew(index)
