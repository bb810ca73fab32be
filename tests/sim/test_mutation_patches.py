"""Every mutation replaces a function that exists, so that a rename fails here at once and not only in the long run."""

from __future__ import annotations

import pytest

from tests.sim.mutations import search as of_cores
from tests.sim.mutations.mutation import Mutation, mutated
from tests.sim.nodes.mutations import search as of_nodes

MUTATIONS = (*of_cores.MUTATIONS, *of_nodes.MUTATIONS)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.rule)
def test_what_a_mutation_replaces_is_there_and_is_put_back(mutation: Mutation) -> None:
    places = [(owner, name) for owner, name, _ in mutation.patches()]
    assert places
    before = [vars(owner)[name] for owner, name in places]
    with mutated(mutation):
        during = [vars(owner)[name] for owner, name in places]
        assert not any(old is new for old, new in zip(before, during, strict=True))
    assert [vars(owner)[name] for owner, name in places] == before
