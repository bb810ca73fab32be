"""Runs with probes: what they keep, what is new in them, and that they are the runs that they are without."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest import mock

import pytest

from tests.running.searches import Ended, by_commands
from tests.running.searches import Found as Failed
from tests.sim.nodes.run import _run
from tests.sim.nodes.swarms import FIRST_OF_SWARMS, draw
from tests.sim.nodes.test_faults import Cluster
from tests.sim.rules import report, runs
from tests.sim.rules.moments import Found
from tests.sim.rules.report import decisive_lines, table_of, tallies
from tests.sim.rules.runs import (
    OTHER_FIRST_SEEDS,
    RuleRun,
    corpus_text,
    digests_of,
    keep,
    kept,
    read_corpus,
    run_many,
    seeds_of,
    states_of,
)
from tests.sim.rules.table import ROOMS, Rule, read_rules


def rule(expression: str) -> Rule:
    return Rule(
        row="sample.txt:1",
        room="replica",
        path="core/replicas/sample.py",
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


def test_half_of_the_seeds_are_swarms_and_the_others_are_spread_over_their_kinds() -> None:
    seeds = seeds_of(4 * len(OTHER_FIRST_SEEDS))
    others, swarms = seeds[::2], seeds[1::2]
    assert others == [first + turn for turn in (0, 1) for first in OTHER_FIRST_SEEDS]
    assert swarms == list(range(FIRST_OF_SWARMS, FIRST_OF_SWARMS + len(others)))


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


def test_a_room_keeps_its_numbers_of_more_runs() -> None:
    rules = [FIRST, SECOND]
    of_more = ["# replica: 5 runs, seeds 1 to 5", f" 200.0  {FIRST}", f" 600.0  {SECOND}"]
    of_fewer = ["# replica: 3 runs, seeds 1 to 3", *of_more[1:]]
    of_others = ["# replica: 5 runs, seeds 1 to 5", of_more[1]]
    own = decisive_lines(rules, RUNS)
    assert decisive_lines(rules, RUNS, "\n".join(["# A head", "", *of_more])) == [*own[:-3], *of_more]
    for before in (of_more, of_others):
        assert decisive_lines(rules, [], "\n".join(before)) == [*own[:-3], *before]
    for others in (of_fewer, of_others):
        assert decisive_lines(rules, RUNS, "\n".join(others)) == own


def test_the_corpus_is_written_anew_only_by_who_ran_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, results = tmp_path / "corpus.txt", tmp_path / "decisive.txt"
    monkeypatch.setattr(report, "CORPUS", known)
    monkeypatch.setattr(report, "RESULTS", results)
    results.touch()
    for seed, is_kept in ((7, True), (2, False)):
        text = f"# Seeds\n{seed} 9\n"
        known.write_text(text)
        report.write_tables(RUNS)
        assert (known.read_text() == text) is is_kept


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
    assert corpus_text(RUNS).splitlines()[1:] == ["1 1", "2 2", "4 1"]


def test_searches_begin_with_the_seeds_that_reached_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, folder = tmp_path / "corpus.txt", tmp_path / "more"
    known.write_text("# Seeds\n7 2\n8 5\n")
    monkeypatch.setattr(runs, "CORPUS", known)
    assert read_corpus(folder) == [8, 7]
    folder.mkdir()
    (folder / known.name).write_text("# Seeds\n7 9\n9 3\n")
    assert read_corpus(folder) == [8, 9, 7]


def test_more_seeds_are_those_that_were_not_run_and_failures_are_told_with_their_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = []

    def run_many(rooms: Sequence[str], seeds: Sequence[int], _processes: int) -> Iterator[RuleRun]:
        for seed in seeds:
            ran.append(seed)
            invariant = "LOST" if seed == FIRST_OF_SWARMS else None
            digests = digests_of(read_rules(rooms))
            yield RuleRun(
                seed=seed, rooms=digests, found={str(seed % 2): Found(1, 0, 0, ())}, invariant=invariant
            )

    monkeypatch.setattr(report, "run_many", run_many)
    assert report.simulate_more(["share_partitions"], 1, 1, tmp_path)
    assert not report.simulate_more(["share_partitions"], 3, 1, tmp_path)
    assert ran == seeds_of(4)
    output = capsys.readouterr().out
    assert f"seed {ran[0]}: 1 states that no run before it reached, 1 in all" in output
    assert f"seed {ran[3]}: nothing new, 2 in all" in output
    assert by_commands(Ended("", 1, output)) == [
        Failed(f"bin/simulate --nodes --seed {FIRST_OF_SWARMS}", "LOST does not hold:")
    ]
    assert (tmp_path / "corpus.txt").read_text().splitlines()[1:] == [f"{seed} 1" for seed in ran[:2]]


def test_rules_that_cannot_be_read_end_all() -> None:
    with pytest.raises(FileNotFoundError, match=r"no_room\.txt"):
        list(run_many(["no_room"], [1], 1))


def test_strikes_are_faults_during_which_rules_decide() -> None:
    active = runs._ActiveFaults()
    with active.watched():
        cluster = Cluster()
        with mock.patch.object(runs, "_now_s", return_value=5.0):
            cluster.strike(("itself", "kill"), ("a follower", "hide"))
            assert set(active()) == {"kill at an event", "hide at an event"}
        with mock.patch.object(runs, "_now_s", return_value=5.1 + runs.ACTIVE_S):
            assert not active()


@pytest.mark.simulation
def test_runs_are_the_same_with_probes() -> None:
    # Short runs, of six kinds.
    for found in run_many(ROOMS, [5, 1_000_001, 2_750_003, 3_000_005, 3_500_003, 4_000_005], 1):
        assert found.digest == _run(found.seed, draw(found.seed), 0).digest, found.seed
        assert any(each.decisive for each in found.found.values()), found.seed
