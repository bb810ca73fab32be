"""What is told of a run: at its start, on the way, and at its end."""

from __future__ import annotations

import shlex

import pytest

from compat.parity.jars import release
from tests.running.costs import Cost, Costs
from tests.running.counting import (
    ACKNOWLEDGED,
    BROKEN_RULES,
    CORES,
    HOURS,
    NODES,
    SCENARIOS,
    SEEDS,
    count,
    count_run,
    take_counts,
)
from tests.running.displays import in_words
from tests.running.parts import Part
from tests.running.results import Results, failure_of, folder_of
from tests.running.summary import beginning, failures, number_of_rules, proved, skipped
from tests.running.units import Plan, Unit


def results(*, failing: str = "") -> Results:
    """Of three tests of the cores, a seed and a rule, and one beside Apache Kafka."""
    made = Results()
    units = {
        "tests/core/raft/test_scenarios.py::test[a]": (Part.QUICK, {SCENARIOS: 1}, []),
        "tests/core/raft/test_scenarios.py::test[b]": (Part.QUICK, {SCENARIOS: 1}, []),
        "tests/base/test_backoff.py::test": (Part.QUICK, {}, []),
        "tests/sim/nodes/test_nodes.py::test": (
            Part.SIMULATION,
            {SEEDS.format(NODES): 2, HOURS.format(NODES): 1.5, ACKNOWLEDGED.format(NODES): 1234},
            ["simulation"],
        ),
        "tests/sim/test_mutations.py::test": (Part.QUICK, {BROKEN_RULES: 1}, []),
        "tests/compat/test_same_groups.py::test": (Part.LONG, {}, ["jvm", "slow"]),
    }
    for number, (name, (part, counts, marks)) in enumerate(units.items()):
        has_failed = bool(failing) and failing in name
        made.add_test(
            Unit(number=number, path=name.partition("::")[0], part=part),
            {
                "test": name,
                "outcome": "failed" if has_failed else "passed",
                "reason": "AssertionError: lost" if has_failed else "",
                "report": "where it was lost" if has_failed else "",
                "cpu_s": 2.0,
                "wall_s": 3.0,
                "counts": {} if has_failed else counts,
                "marks": marks,
            },
        )
    return made


@pytest.mark.parametrize(
    ("drawn_by", "drawn"), [("0123456789ab", "0123456789ab"), ("", "(none)"), (None, None)]
)
def test_the_beginning_tells_how_long_a_run_takes(
    monkeypatch: pytest.MonkeyPatch, drawn_by: str | None, drawn: str | None
) -> None:
    costs = Costs(calibration_s=1.0, listed={}, others={Part.QUICK: (Cost(200.0, 200.0, 1_500), 1)})
    plan = Plan(costs, is_all=True)
    units = plan.units_of("tests/core/raft/test_a.py", Part.QUICK)
    told = []
    for load in (1.0, 1.1):
        monkeypatch.setattr("os.getloadavg", lambda load=load: (load, 0.0, 9.0))
        told.append(list(beginning(plan, units, scale=2.0, processors=2, drawn_by=drawn_by)))
    first = (
        "about 1,500 tests: about 3 min on this machine"
        " (2 processors, 0.5 times as fast as the one the tests were measured on)"
    )
    last = [] if drawn is None else [f"of the simulator's tests one in 8 runs, drawn by commit {drawn}"]
    assert told[0] == [first, *last]
    assert told[1] == [first, "other programs keep it busy (load 1.1): it takes longer", *last]


def test_the_costs_of_each_test_are_kept() -> None:
    assert results().tests[2] == (2.0, 3.0, "tests/base/test_backoff.py::test")
    assert len(results().tests) == 6


def test_five_lines_tell_what_was_proved() -> None:
    lines = proved(results(), elapsed_s=120.0, rules=9, covered=99.7)
    assert lines == [
        "6 tests passed in 2 min, 12 s of processor time: core/raft 2, base 1, sim 1, compat 1, others 0;"
        " 2 scenarios of the cores to the letter",
        "simulator: 2 seeds of whole nodes, 1.5 simulated hours, 1,234 writes acknowledged; 0 seeds of the cores,"
        " 0.0 simulated hours, 0 writes acknowledged; nothing lost",
        "1 of 9 rules broken on purpose, and noticed",
        f"1 tests with Apache Kafka {release()} or Spark, 1 of which compare what both servers say; 0 with foreign"
        " clients",
        "the quick tests of the cores and the library cover 99.7 % of their lines and branches",
    ]


def test_nothing_is_told_of_what_failed() -> None:
    made = results(failing="test_nodes")
    lines = proved(made, elapsed_s=120.0, rules=9, covered=None)
    assert lines[1].startswith("simulator: 0 seeds of whole nodes")
    assert lines[1].endswith("1 tests of it failed")
    assert lines[4] == "coverage of the cores and the library: bin/test --all measures it"
    told = "\n".join(failures(made))
    assert "where it was lost" in told
    assert (
        "  .venv/bin/python -m pytest tests/sim/nodes/test_nodes.py::test\n    AssertionError: lost" in told
    )
    assert list(failures(results())) == []


def test_the_command_that_shows_a_failure_again_is_for_a_shell() -> None:
    test = "tests/test_a.py::test['a b' $HOME]"
    *_, argument = shlex.split(failure_of(test, "", "").command)
    assert argument == test


def test_why_tests_were_skipped_is_told_once_for_each_reason() -> None:
    made = Results()
    made.skipped.update({"no disk": 3, "not here": 1})
    assert list(skipped(made)) == ["3 skipped: no disk", "1 skipped: not here"]


def test_tests_count_what_they_prove() -> None:
    # What tests before this one have counted, if they ran in this process without bin/test.
    take_counts()
    count_run(CORES, simulated_s=1800.0, acknowledged=7)
    count_run(CORES, simulated_s=1800.0, acknowledged=3)
    count(BROKEN_RULES)
    assert take_counts() == {
        SEEDS.format(CORES): 2,
        HOURS.format(CORES): 1.0,
        ACKNOWLEDGED.format(CORES): 10,
        BROKEN_RULES: 1,
    }
    assert take_counts() == {}


def test_rules_are_those_with_a_known_seed() -> None:
    from tests.sim.mutations.search import RULES as of_cores
    from tests.sim.nodes.mutations.search import RULES as of_nodes

    assert number_of_rules() == len(of_cores.mutations) + len(of_nodes.mutations)


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("tests/core/raft/roles/test_leader.py", "core/raft"),
        ("tests/base/test_backoff.py", "base"),
        ("tests/sim/test_a.py", "sim"),
    ],
)
def test_folders_of_the_product(path: str, folder: str) -> None:
    assert folder_of(path) == folder


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 s"), (89.0, "89 s"), (200.0, "3 min"), (5400.0, "1 h 30 min"), (7260.0, "2 h 01 min")],
)
def test_times_in_words(seconds: float, words: str) -> None:
    assert in_words(seconds) == words
