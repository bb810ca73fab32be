"""A small module of the server with tests of its own, and some faults in it put to these, for a new process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import kafkaproto_server
from tests.planting import faults, quick
from tests.planting.collected import Collected, collect
from tests.planting.faults import all_sites
from tests.planting.outcomes import QuickOutcome
from tests.planting.quick import Trials
from tests.planting.recording import Recording, record
from tests.planting.swap import live_functions

PATH = "planted/small.py"
OPERATORS = ("assignment skipped", "bound off by one", "plus to minus")
MODULE = """
def count(most):
    found = 0
    while found < most:
        found += 1
    return found

def twice(value):
    return value + value

def unused(value):
    return value + 1

def once(value):
    return value + 2
"""
TESTS = """
import os
from pathlib import Path

import pytest
from hypothesis import given, strategies
from kafkaproto_server.planted import small

def test_count():
    assert small.count(3) == 3

def test_nothing_is_counted():
    assert small.count(0) == 0

def test_many_are_counted():
    assert small.count(30_000) == 30_000

@given(strategies.integers())
def test_twice(value):
    assert small.twice(value) == 2 * value

def test_that_fails():
    assert small.twice(1) == 3

@pytest.fixture(scope="module")
def doubled():
    return small.twice(2)

def test_fixture(doubled):
    assert doubled == 4

def test_fixture_of_another_test(doubled):
    assert doubled > 0

def test_that_dies():
    os._exit(1)

def test_that_passes_once():
    small.once(1)
    path = Path(__file__).with_name("passed")
    assert not path.exists()
    path.touch()
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of it."""

    recording: Recording
    recording_read_again: Recording
    outcomes: dict[str, QuickOutcome]
    """By the fault's name."""
    distrusted: dict[str, str]


def try_faults(folder: Path) -> Tried:
    """Record, and plant all faults of some operators."""
    (folder / "planted").mkdir()
    (folder / "planted" / "__init__.py").touch()
    (folder / PATH).write_text(MODULE)
    tests = folder / "test_small.py"
    tests.write_text(TESTS)
    kafkaproto_server.__path__.append(str(folder))
    faults.SERVER = folder
    quick.LIMIT_S = 0.5
    found: list[Tried] = []

    def job(collected: Collected) -> None:
        recording = record(collected, [PATH])
        file = folder / "recording.json"
        recording.save(file)
        trials = Trials(collected, recording, live_functions({str(folder / PATH)}))
        planted = [site.fault for site in all_sites(PATH) if site.fault.operator in OPERATORS]
        outcomes = {str(fault): trials.attempt(fault) for fault in planted}
        found.append(
            Tried(
                recording=recording,
                recording_read_again=Recording.load(file),
                outcomes=outcomes,
                distrusted=trials.distrusted,
            )
        )

    collect([str(tests)], job)
    return found[0]
