"""Every rule of the core is broken once, and the invariant that protects it has to notice."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from multiprocessing.pool import AsyncResult, Pool

import pytest

from tests.sim.checkers.invariants import Invariant
from tests.sim.metadata.checker import MetadataInvariant
from tests.sim.mutations.search import MUTATIONS, Finding, find_by_index

pytestmark = pytest.mark.simulation

PROCESSES = 2


@pytest.fixture(scope="module")
def findings() -> Iterator[list[AsyncResult[tuple[str | None, int | None, bool]]]]:
    pool: Pool
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        yield [pool.apply_async(_search, (index,)) for index in range(len(MUTATIONS))]


def _search(index: int) -> tuple[str | None, int | None, bool]:
    found: Finding = find_by_index(index)
    return found.mutation.rule, found.seed, found.is_clean


@pytest.mark.parametrize("index", range(len(MUTATIONS)), ids=[mutation.rule for mutation in MUTATIONS])
def test_the_invariant_notices(
    index: int, findings: list[AsyncResult[tuple[str | None, int | None, bool]]]
) -> None:
    _, seed, is_clean = findings[index].get()
    assert seed is not None, f"no seed notices: the core {MUTATIONS[index].rule}"
    assert is_clean, f"seed {seed} fails without the mutation as well"


def test_every_invariant_is_alive() -> None:
    assert {mutation.noticed_by for mutation in MUTATIONS} == {*Invariant, *MetadataInvariant}
