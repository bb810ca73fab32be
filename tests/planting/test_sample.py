"""Faults that are known to be noticed are noticed again: other ones at each commit."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.planting import sample
from tests.planting.faults import Fault, all_sites
from tests.planting.process import in_new_process
from tests.planting.sample import unnoticed


@pytest.mark.simulation
def test_a_sample_of_known_faults_is_noticed() -> None:
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=Path(__file__).parent, capture_output=True, text=True, check=True
    ).stdout.strip()
    assert in_new_process(unnoticed, commit) == [], f"bin/simulate --plant --sample {commit}"


def test_another_text_draws_another_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = [each.fault for each in all_sites("raft/node.py")]
    drawn: list[list[Fault]] = []

    def take(faults: Mapping[Fault, object]) -> list[str]:
        drawn.append(list(faults))
        return ["a problem"]

    monkeypatch.setattr(sample, "noticed_by_tests", lambda: dict.fromkeys(faults, "a test"))
    monkeypatch.setattr(sample, "noticed_by_seeds", lambda: dict.fromkeys(faults, 7))
    monkeypatch.setattr(sample, "of_tests", take)
    monkeypatch.setattr(sample, "of_seeds", take)
    for text in ("a", "a", "b"):
        assert unnoticed(text) == ["a problem"] * 2
    of_tests, of_seeds = drawn[:2]
    assert len(of_tests) == sample.MOST_TESTS
    assert len(of_seeds) == len(faults)
    assert drawn[2:4] == drawn[:2]
    assert drawn[4] != drawn[0]
