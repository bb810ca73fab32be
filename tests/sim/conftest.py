"""Fixtures of the simulator's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.sim.mutations.searcher import Searcher


@pytest.fixture(scope="session")
def searcher() -> Iterator[Searcher]:
    made = Searcher()
    yield made
    made.close()
