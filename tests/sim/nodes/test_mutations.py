"""Each rule of a node is broken once; an invariant has to notice, in the seed known for it."""

from __future__ import annotations

import pytest

from tests.running.counting import BROKEN_RULES, NODES, count, count_run
from tests.sim.mutations.known import invariants_of
from tests.sim.mutations.searcher import Searcher
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.mutations.search import MUTATIONS, RULES, find
from tests.sim.nodes.run import run
from tests.sim.nodes.runner import report

LONGEST_S = 300.0
"""For one mutation, of processor time: a node that spins in one turn would never end."""
SEEDS = RULES.known_seeds()


def test_every_invariant_of_nodes_is_alive() -> None:
    found = {name for mutation in MUTATIONS for name in invariants_of(mutation)}
    assert {each.name for each in NodeInvariant} <= found


def test_every_rule_has_a_known_seed() -> None:
    rules = [mutation.rule for mutation in MUTATIONS]
    assert len(set(rules)) == len(rules)
    assert SEEDS.keys() == set(rules), f"{RULES.command} --renew writes those that are missing"


@pytest.mark.simulation
@pytest.mark.parametrize("index", range(len(MUTATIONS)), ids=[mutation.rule for mutation in MUTATIONS])
def test_the_known_seed_notices(index: int, searcher: Searcher) -> None:
    found = searcher(find, index, LONGEST_S)
    assert found.seed is not None, (
        f"seed {SEEDS.get(found.rule)} does not notice: a node {found.rule}; {RULES.command} --renew finds another"
    )
    count(BROKEN_RULES)


@pytest.mark.simulation
@pytest.mark.parametrize("seed", [seed for _, seed in RULES.levels_and_seeds()])
def test_the_known_seed_has_nothing_to_notice_unless_a_rule_is_broken(seed: int) -> None:
    result = run(seed)
    assert result.invariant is None, report(result)
    count_run(NODES, result.simulated_s, result.records["acknowledged"])
