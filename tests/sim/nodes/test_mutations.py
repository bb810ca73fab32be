"""Every rule of a node is broken once, and an invariant has to notice."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from multiprocessing.pool import AsyncResult

import pytest

from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.mutations.search import LONGEST_S, MUTATIONS, NodeFinding, find, invariants_of

PROCESSES = 2


@pytest.fixture(scope="module")
def findings() -> Iterator[list[AsyncResult[NodeFinding]]]:
    """All of them, being searched by processes of their own."""
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        yield [pool.apply_async(find, (index,)) for index in range(len(MUTATIONS))]


def test_every_invariant_of_nodes_is_alive() -> None:
    found = {name for mutation in MUTATIONS for name in invariants_of(mutation)}
    assert {each.name for each in NodeInvariant} <= found


@pytest.mark.simulation
@pytest.mark.parametrize("index", range(len(MUTATIONS)), ids=[mutation.rule for mutation in MUTATIONS])
def test_the_mutation_is_noticed(index: int, findings: list[AsyncResult[NodeFinding]]) -> None:
    found = findings[index].get(LONGEST_S)
    assert found.seed is not None, f"no seed notices: a node {found.rule}"
    assert found.is_clean, f"seed {found.seed} fails without the mutation as well: a node {found.rule}"
