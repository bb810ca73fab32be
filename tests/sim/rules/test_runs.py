"""Runs with probes: what they keep, what is new in them, and that they are the runs that they are without."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sim.nodes.run import _run
from tests.sim.nodes.swarms import draw
from tests.sim.rules.moments import Found
from tests.sim.rules.report import decisive_lines, table_of, tallies
from tests.sim.rules.runs import (
    FIRST_SEEDS,
    RuleRun,
    digests_of,
    keep,
    kept,
    run_many,
    seeds_of,
    states_of,
    write_corpus,
)
from tests.sim.rules.table import ROOMS, Rule


def rule(expression: str) -> Rule:
    return Rule(
        row="sample.txt:1",
        room="replica",
        path="replica/sample.py",
        function="joins",
        expression=expression,
        cost="Something is lost.",
    )


FIRST, SECOND = rule("end >= start"), rule("end >= high_watermark")
DIGESTS = digests_of([FIRST, SECOND])


def run(seed: int, *found: tuple[Rule, Found]) -> RuleRun:
    return RuleRun(seed=seed, rooms=DIGESTS, found={each.key: what for each, what in found}, invariant=None)


RUNS = [
    run(1, (FIRST, Found(5, 0, 1, ()))),
    run(2, (FIRST, Found(5, 2, 0, ("kill",)))),
    run(3),
    run(4, (FIRST, Found(7, 1, 0, ("kill", "stop")))),
]


def test_seeds_are_spread_over_their_kinds() -> None:
    assert seeds_of(len(FIRST_SEEDS)) == list(FIRST_SEEDS)
    assert seeds_of(2 * len(FIRST_SEEDS))[-1] == FIRST_SEEDS[-1] + 1
    assert len(set(seeds_of(100))) == 100


def test_rules_are_counted_by_runs() -> None:
    first, second = tallies([FIRST, SECOND], RUNS)
    assert (first.runs, first.reached, first.decisive, first.maybe) == (4, 3, 2, 1)
    assert first.per_thousand == 500
    assert (second.runs, second.reached, second.decisive, second.maybe) == (4, 0, 0, 0)
    lines = table_of([first, second])
    assert "DECISIVE IN NONE" not in lines[0]
    assert lines[3] == f"{SECOND}  DECISIVE IN NONE"
    assert decisive_lines([FIRST, SECOND], RUNS)[-3:] == [
        "# replica: 4 runs, seeds 1 to 4",
        f" 500.0  {FIRST}",
        f"   0.0  {SECOND}",
    ]


def test_what_was_found_with_other_rules_does_not_count() -> None:
    third = rule("end > log_start")
    assert {each.runs for each in tallies([FIRST, SECOND, third], RUNS)} == {0}


def test_a_seed_counts_once() -> None:
    found = tallies([FIRST, SECOND], [*RUNS, run(2, (SECOND, Found(1, 1, 0, ())))])
    assert [(each.runs, each.decisive) for each in found] == [(4, 1), (4, 1)]


def test_states_are_rules_and_the_faults_during_which_they_decide() -> None:
    assert states_of(RUNS[0]) == {f"{FIRST.key} reached"}
    assert states_of(RUNS[1]) == {
        f"{FIRST.key} reached",
        f"{FIRST.key} decisive",
        f"{FIRST.key} decisive during kill",
    }


def test_runs_are_kept_and_the_corpus_has_those_that_reached_something_new(tmp_path: Path) -> None:
    for each in RUNS:
        keep(each, tmp_path)
    with (tmp_path / "runs.jsonl").open("a") as file:
        file.write('{"seed": 5, "ro')
    assert kept(tmp_path) == RUNS
    write_corpus(RUNS, tmp_path)
    assert (tmp_path / "corpus.txt").read_text().splitlines()[1:] == ["1 1", "2 2", "4 1"]


@pytest.mark.simulation
def test_runs_are_the_same_with_probes() -> None:
    seeds = [seed + 1 for seed in FIRST_SEEDS]
    for found in run_many(ROOMS, seeds, 1):
        assert found.digest == _run(found.seed, draw(found.seed), 0).digest, found.seed
        assert any(each.decisive for each in found.found.values()), found.seed
