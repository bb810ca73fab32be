"""Faults that are known to be noticed are noticed again: other ones at each commit."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import pytest

from tests.planting import sample
from tests.planting.faults import Fault, all_sites
from tests.planting.forks import Ended
from tests.planting.process import in_new_process
from tests.planting.quick import LIMIT_S
from tests.planting.sample import unnoticed
from tests.running.parts import commit


@pytest.mark.simulation
def test_a_sample_of_known_faults_is_noticed() -> None:
    drawn_by = commit()
    assert in_new_process(unnoticed, drawn_by) == [], f"bin/simulate --plant --sample {drawn_by}"


def test_one_fault_is_planted_at_least_and_others_as_long_as_there_is_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    used_s = itertools.count(100.0)
    monkeypatch.setattr(sample, "_used_s", lambda: next(used_s))
    faults = dict.fromkeys((each.fault for each in all_sites("core/raft/node.py")[:4]), 7)
    for most_cpu_s, count in ((0.0, 1), (2.0, 3), (60.0, 4)):
        monkeypatch.setattr(sample, "MOST_CPU_S", most_cpu_s)
        assert list(sample._some(faults)) == list(faults.items())[:count]


def test_with_its_fault_a_test_has_ten_times_as_long_as_without_and_a_little_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limits_s: list[float] = []

    def run(collected: object, test: str, functions: object, limit_s: float) -> Ended:
        limits_s.append(limit_s)
        return Ended(said=[None], failure="" if len(limits_s) == 1 else "it does not end", seconds=0.5)

    monkeypatch.setattr(sample, "_run", run)
    monkeypatch.setattr(sample, "collect", lambda tests, job: job(None))
    assert sample.of_tests({all_sites("core/raft/node.py")[0].fault: "tests/test_a.py::test"}) == []
    assert limits_s == [sample.TEST_LIMIT_S, 5.0 + LIMIT_S]


def test_another_text_draws_another_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = [each.fault for each in all_sites("core/raft/node.py")]
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
