"""Faults in a small module, and its tests: who runs which line, who notices what."""

from __future__ import annotations

import pytest

from tests.planting.forks import DOES_NOT_END, ENDS
from tests.planting.outcomes import QuickOutcome
from tests.planting.process import in_new_process
from tests.planting.support.small_module import MODULE, PATH, Tried, try_faults


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Tried:
    found = in_new_process(try_faults, tmp_path_factory.mktemp("small"))
    assert isinstance(found, Tried)
    return found


def _short(test: str) -> str:
    return test.rpartition("::")[2]


def _outcome(tried: Tried, function: str, operator: str) -> QuickOutcome:
    [outcome] = [each for name, each in tried.outcomes.items() if f" {function} | {operator} " in name]
    return outcome


def test_a_line_has_the_tests_that_run_it(tried: Tried) -> None:
    lines = tried.recording.lines[PATH]
    of_text = {
        text: set(map(_short, lines.get(line, ()))) for line, text in enumerate(MODULE.splitlines(), 1)
    }
    assert of_text["        found += 1"] == {"test_count", "test_many_are_counted"}
    assert of_text["    return value + 1"] == set()


def test_what_a_fixture_runs_counts_for_each_test_that_has_it(tried: Tried) -> None:
    line = MODULE.splitlines().index("    return value + value") + 1
    found = set(map(_short, tried.recording.lines[PATH][line]))
    assert found == {"test_twice", "test_fixture", "test_fixture_of_another_test"}


def test_a_test_that_fails_anyway_says_nothing(tried: Tried) -> None:
    assert {_short(test): why for test, why in tried.recording.failing.items()} == {
        "test_that_fails": "assert 2 == 3",
        "test_that_dies": ENDS,
    }
    assert not tried.recording.seconds.keys() & tried.recording.failing.keys()


def test_a_recording_is_read_again(tried: Tried) -> None:
    assert tried.recording_read_again == tried.recording


def test_a_fault_is_noticed_by_a_test_that_fails(tried: Tried) -> None:
    outcome = _outcome(tried, "count", "bound off by one")
    assert outcome.noticed_by is not None
    assert _short(outcome.noticed_by) == "test_nothing_is_counted"
    assert outcome.how == "assert 1 == 0"
    assert outcome.tests == 3


def test_a_fault_is_noticed_by_a_test_that_does_not_end(tried: Tried) -> None:
    outcome = _outcome(tried, "count", "assignment skipped")
    assert outcome.how == DOES_NOT_END
    assert outcome.tests == 2


def test_a_fault_in_lines_that_nobody_runs_is_not_noticed(tried: Tried) -> None:
    outcome = _outcome(tried, "unused", "plus to minus")
    assert outcome.noticed_by is None
    assert outcome.tests == 0


def test_a_test_that_passes_by_chance_is_left_out(tried: Tried) -> None:
    assert set(map(_short, tried.distrusted)) == {"test_that_passes_once"}
    outcome = _outcome(tried, "once", "plus to minus")
    assert outcome.noticed_by is None
