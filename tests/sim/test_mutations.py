"""Each rule of the cores is broken once; the invariant that is there for it has to notice, in the seed known for it."""

from __future__ import annotations

import pytest

from tests.running.counting import BROKEN_RULES, count
from tests.sim.checkers.invariants import Invariant
from tests.sim.metadata.checker import MetadataInvariant
from tests.sim.mutations.search import MUTATIONS, RULES, find
from tests.sim.mutations.searcher import Searcher
from tests.sim.seeds import FEW, MANY, run_well

LONGEST_S = 120.0
"""For one mutation, of processor time: a core that spins in one call would never end."""
SEEDS = RULES.known_seeds()
HELD = [
    (level, seed)
    for level, seed in RULES.levels_and_seeds()
    if seed not in FEW.get(level, ()) and seed not in MANY.get(level, ())
]
"""Those that no other test runs with unchanged cores."""


@pytest.mark.parametrize("index", range(len(MUTATIONS)), ids=[mutation.rule for mutation in MUTATIONS])
def test_the_known_seed_notices(index: int, searcher: Searcher) -> None:
    found = searcher(find, index, LONGEST_S)
    assert found.seed is not None, (
        f"seed {SEEDS.get(found.rule)} does not notice: the core {found.rule}; {RULES.command} --renew finds another"
    )
    count(BROKEN_RULES)


@pytest.mark.parametrize(("level", "seed"), HELD)
def test_the_known_seed_has_nothing_to_notice_unless_a_rule_is_broken(level: str, seed: int) -> None:
    run_well(seed, level)


def test_every_rule_has_a_known_seed() -> None:
    rules = [mutation.rule for mutation in MUTATIONS]
    assert len(set(rules)) == len(rules)
    assert SEEDS.keys() == set(rules), f"{RULES.command} --renew writes those that are missing"


def test_every_invariant_is_alive() -> None:
    assert {mutation.noticed_by for mutation in MUTATIONS} == {*Invariant, *MetadataInvariant}
