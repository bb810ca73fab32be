"""Every rule of the core is broken once, and the invariant that protects it has to notice."""

from __future__ import annotations

import pytest

from tests.sim.checkers.invariants import Invariant
from tests.sim.metadata.checker import MetadataInvariant
from tests.sim.mutations.search import MUTATIONS, find_by_index
from tests.sim.mutations.searcher import Searcher

pytestmark = pytest.mark.simulation

LONGEST_S = 600.0
"""For one mutation, of processor time."""


def _search(index: int) -> tuple[int | None, bool]:
    found = find_by_index(index)
    return found.seed, found.is_clean


@pytest.mark.parametrize("index", range(len(MUTATIONS)), ids=[mutation.rule for mutation in MUTATIONS])
def test_the_invariant_notices(index: int, searcher: Searcher) -> None:
    seed, is_clean = searcher(_search, index, LONGEST_S)
    assert seed is not None, f"no seed notices: the core {MUTATIONS[index].rule}"
    assert is_clean, f"seed {seed} fails without the mutation as well"


def test_every_invariant_is_alive() -> None:
    assert {mutation.noticed_by for mutation in MUTATIONS} == {*Invariant, *MetadataInvariant}
