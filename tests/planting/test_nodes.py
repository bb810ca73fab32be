"""How many seeds of whole nodes a fault is put to, and what is remembered of them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.planting import faults, nodes
from tests.planting.faults import COUNTER, planted
from tests.planting.nodes import CleanRuns, Ran, attempt
from tests.planting.outcomes import NodesOutcome

FAULT = next(
    each.fault for each in faults.all_sites("core/raft/node.py") if each.fault.operator == "operand dropped"
)
MODULE, _ = planted(FAULT)


class Runs:
    """In place of the simulator: what comes of each seed, with and without a fault."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, clean: Mapping[int, Ran], faulty: Mapping[int, Ran]
    ) -> None:
        self.ran: list[tuple[int, bool]] = []
        self._results = {False: clean, True: faulty}
        monkeypatch.setattr(nodes, "run_forked", self._run)

    def _run(self, seed: int, functions: Any, _: itertools.count[int], limit_s: float) -> Ran:
        has_fault = bool(functions)
        self.ran.append((seed, has_fault))
        assert hasattr(MODULE, COUNTER) or not has_fault
        ran = self._results[has_fault].get(seed, Ran(failure="", times=0, seconds=10.0))
        assert not has_fault or limit_s > ran.seconds
        return ran


def _failed(name: str) -> Ran:
    return Ran(failure=name, times=3, seconds=1.0)


def test_seeds_are_run_until_one_notices(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    runs = Runs(monkeypatch, {}, {5: Ran(failure="", times=2, seconds=8.0), 7: _failed("READY_AT_LAST")})
    outcome = attempt(FAULT, itertools.count(5), 60, CleanRuns(tmp_path))
    assert outcome == NodesOutcome(noticed_by=7, how="READY_AT_LAST", seeds=3, times=5, seconds=19.0)
    assert runs.ran == [(5, False), (5, True), (6, False), (6, True), (7, False), (7, True)]
    assert not hasattr(MODULE, COUNTER)


def test_a_budget_is_not_exceeded_where_one_can_know(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    Runs(monkeypatch, {}, {})
    assert attempt(FAULT, itertools.count(5), 35, CleanRuns(tmp_path)).seeds == 3


def test_one_seed_is_run_at_least(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    Runs(monkeypatch, {}, {})
    assert attempt(FAULT, itertools.count(5), 0, CleanRuns(tmp_path)).seeds == 1


def test_a_seed_that_fails_anyway_says_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    runs = Runs(monkeypatch, {5: _failed("NO_FAILURE")}, {5: _failed("NO_FAILURE")})
    outcome = attempt(FAULT, itertools.count(5), 10, CleanRuns(tmp_path))
    assert outcome.noticed_by is None
    assert (5, True) not in runs.ran


def test_clean_runs_are_remembered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    runs = Runs(monkeypatch, {5: _failed("NO_FAILURE")}, {})
    for _ in range(2):
        clean = CleanRuns(tmp_path / "clean")
        assert clean.seconds(5) is None
        assert clean.seconds(6) == 10.0
    assert runs.ran == [(5, False), (6, False)]
