"""Every rule of a node is broken once, and an invariant has to notice."""

from __future__ import annotations

import pytest

from tests.sim.mutations.searcher import Searcher
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.mutations.search import LONGEST_S, MUTATIONS, find, invariants_of


def test_every_invariant_of_nodes_is_alive() -> None:
    found = {name for mutation in MUTATIONS for name in invariants_of(mutation)}
    assert {each.name for each in NodeInvariant} <= found


@pytest.mark.simulation
@pytest.mark.parametrize("index", range(len(MUTATIONS)), ids=[mutation.rule for mutation in MUTATIONS])
def test_the_mutation_is_noticed(index: int, searcher: Searcher) -> None:
    found = searcher(find, index, LONGEST_S)
    assert found.seed is not None, f"no seed notices: a node {found.rule}"
    assert found.is_clean, f"seed {found.seed} fails without the mutation as well: a node {found.rule}"
