"""Faults that are known to be noticed are noticed again: other ones at each commit."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.planting import sample
from tests.planting.faults import all_sites
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
    drawn: list[list[object]] = []
    monkeypatch.setattr(sample, "noticed_by_tests", lambda: dict.fromkeys(faults, "a test"))
    monkeypatch.setattr(sample, "noticed_by_seeds", lambda: dict.fromkeys(faults, 7))
    monkeypatch.setattr(sample, "of_tests", lambda faults: drawn.append(list(faults)) or ["a problem"])
    monkeypatch.setattr(sample, "of_seeds", lambda faults: drawn.append(list(faults)) or [])
    for text in ("a", "a", "b"):
        assert unnoticed(text) == ["a problem"]
    of_tests, of_seeds = drawn[:2]
    assert len(of_tests) == sample.MOST_TESTS
    assert len(of_seeds) == len(faults)
    assert drawn[2:4] == drawn[:2]
    assert drawn[4] != drawn[0]
