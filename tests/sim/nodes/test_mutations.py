"""Every rule of a node is broken once, and an invariant has to notice."""

from __future__ import annotations

import pytest

from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.mutations.search import MUTATIONS, findings, invariants_of

PROCESSES = 2


def test_every_invariant_of_nodes_is_alive() -> None:
    found = {name for mutation in MUTATIONS for name in invariants_of(mutation)}
    assert {each.name for each in NodeInvariant} <= found


@pytest.mark.simulation
def test_every_mutation_is_noticed() -> None:
    for found in findings(PROCESSES):
        assert found.seed is not None, f"no seed notices: a node {found.rule}"
        assert found.is_clean, f"seed {found.seed} fails without the mutation as well: a node {found.rule}"
