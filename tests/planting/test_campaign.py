"""Faults are tried on several processes, and what came of them is remembered and printed."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.planting import campaign, report
from tests.planting.__main__ import main
from tests.planting.campaign import Task, run_tasks
from tests.planting.faults import Fault, all_sites
from tests.planting.outcomes import NodesOutcome, QuickOutcome
from tests.planting.recording import Recording
from tests.planting.report import Summary
from tests.planting.results import Results
from tests.planting.rooms import ROOMS
from tests.planting.support.children import fail_as_a_task, fork_as_a_task, say_as_a_task
from tests.running.parts import ROOT

FAULTS = [each.fault for each in all_sites("core/raft/node.py")]
NOTICED = QuickOutcome(noticed_by="tests/core/raft/test_node.py::test", how="assert 0", tests=2, seconds=0.5)
PASSED = QuickOutcome(noticed_by=None, how="", tests=2, seconds=1.5)
SURVIVED = NodesOutcome(noticed_by=None, how="", seeds=3, times=12, seconds=50.0)
FAILED = NodesOutcome(noticed_by=7, how="READY_AT_LAST", seeds=2, times=9, seconds=20.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "planting" / "results.jsonl"


def test_tasks_run_on_some_processes() -> None:
    tasks: list[Task] = [(say_as_a_task, (number,)) for number in range(3)]
    assert sorted(run_tasks(tasks, 2)) == [0, 0, 1, 1, 2, 2]


def test_a_task_that_fails_ends_all(tmp_path: Path) -> None:
    file = tmp_path / "child"
    with pytest.raises(RuntimeError, match="ends with 1"):
        list(run_tasks([(fork_as_a_task, (file,)), (fail_as_a_task, (file,))], 2))
    assert not Path("/proc", file.read_text()).exists()


def test_results_are_remembered(path: Path) -> None:
    results = Results(path, 60)
    assert not results.has_quick(FAULTS[0])
    results.add_quick(FAULTS[0], PASSED)
    results.add_quick(FAULTS[1], None)
    results.add_nodes(FAULTS[0], SURVIVED)
    for each in (results, Results(path, 60)):
        assert each.quick(FAULTS[0]) == PASSED
        assert each.quick(FAULTS[1]) is None
        assert each.nodes(FAULTS[0]) == SURVIVED
        assert each.nodes(FAULTS[1]) is None


def test_a_larger_budget_asks_whole_nodes_again(path: Path) -> None:
    results = Results(path, 60)
    results.add_nodes(FAULTS[0], SURVIVED)
    results.add_nodes(FAULTS[1], FAILED)
    larger = Results(path, 100)
    assert larger.nodes(FAULTS[0]) is None
    assert larger.nodes(FAULTS[1]) == FAILED


def test_other_sources_have_results_of_their_own(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = Results(path, 60)
    results.add_quick(FAULTS[0], PASSED)
    results.add_nodes(FAULTS[0], SURVIVED)
    monkeypatch.setattr("tests.planting.rooms.Room.digest", lambda _: "another")
    assert not Results(path, 60).has_quick(FAULTS[0])
    assert Results(path, 60).nodes(FAULTS[0]) == SURVIVED
    monkeypatch.setattr("tests.planting.results.all_sources", lambda: "another")
    assert Results(path, 60).nodes(FAULTS[0]) is None


def test_what_tests_share_is_one_of_their_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Path] = []

    def digest_of(paths: Iterable[Path]) -> str:
        seen.extend(paths)
        return ""

    monkeypatch.setattr("tests.planting.rooms.digest_of", digest_of)
    ROOMS["core/replicas"].digest()
    below = {each.relative_to(ROOT).as_posix() for each in seen}
    assert {
        "server/kafkaproto_server/core/replicas",
        "tests/core/replicas",
        "tests/apis/support",
        "tests/support",
    } <= below


def test_what_is_asked_for_again_is_forgotten(path: Path) -> None:
    results = Results(path, 60)
    results.add_quick(FAULTS[0], PASSED)
    results.add_nodes(FAULTS[0], SURVIVED)
    results.forget(FAULTS[:1])
    assert not results.has_quick(FAULTS[0])
    assert results.nodes(FAULTS[0]) is None


def test_what_was_tried_is_not_tried_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks: list[Task] = []

    def run(given: list[Task], _: int) -> list[tuple[Fault, object]]:
        tasks.extend(given)
        of_rooms = any(arguments[0] is ROOMS["core/raft"] for _, arguments in given)
        return [(FAULTS[1], PASSED if of_rooms else SURVIVED)] if given else []

    monkeypatch.setattr(campaign, "run_tasks", run)
    results = Results(path, 60)
    results.add_quick(FAULTS[0], NOTICED)
    said: list[str] = []
    for _ in range(2):
        campaign.try_all(FAULTS[:2], results, processes=1, budget_s=60, say=said.append)
    assert [arguments for _, arguments in tasks] == [
        (ROOMS["core/raft"], FAULTS[1:2], results.recording_path(ROOMS["core/raft"])),
        (FAULTS[1:2], 60, results.clean_runs_path()),
    ]
    for function, arguments in tasks:
        inspect.signature(function).bind(None, *arguments)
    assert said[0] == "1 go on to whole nodes"


def test_without_a_budget_no_nodes_are_asked(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        campaign, "run_tasks", lambda tasks, _: pytest.fail("nothing is left") if tasks else []
    )
    results = Results(path, 0)
    results.add_quick(FAULTS[0], PASSED)
    campaign.try_all(FAULTS[:1], results, processes=1, budget_s=0, say=pytest.fail)
    assert Summary(FAULTS[:1], (), results).survivors == FAULTS[:1]


def test_a_survivor_is_shown_with_its_place(path: Path) -> None:
    site = all_sites("core/raft/node.py")[0]
    test = "tests/core/raft/test_node.py::test"
    lines = {"core/raft/node.py": {site.first_line: [test]}}
    recording = Recording(seconds={test: 1.0}, failing={}, lines=lines)
    results = Results(path, 60)
    recording.save(results.recording_path(ROOMS["core/raft"]))
    for fault, quick, nodes in (
        (FAULTS[0], PASSED, SURVIVED),
        (FAULTS[1], NOTICED, None),
        (FAULTS[2], PASSED, FAILED),
        (FAULTS[3], None, None),
    ):
        results.add_quick(fault, quick)
        if nodes is not None:
            results.add_nodes(fault, nodes)
    summary = Summary(FAULTS[:5], {FAULTS[4]}, results)
    assert summary.survivors == [FAULTS[0]]
    text = str(summary).splitlines()
    assert text[1].split() == ["core/raft", "4", "1", "1", "1", "1"]
    assert "1 could not be planted" in text
    assert f"server/kafkaproto_server/core/raft/node.py:{site.first_line}: {FAULTS[0].operator}" in text
    assert f"    {FAULTS[0].text}  ->  {site.change.after}" in text
    assert f"    {FAULTS[0]}" in text
    assert f"    tests that run it: {test}" in text
    assert "    3 seeds ran it 12 times" in text


def test_places_are_counted() -> None:
    text = report.places(FAULTS)
    assert text.startswith(f"{len(FAULTS):,} places: {len(FAULTS):,} core/raft\n")
    assert "condition always true" in text


def test_a_fault_that_has_no_place_is_refused() -> None:
    for line in ("nothing", "core/raft/node.py | nobody | del skipped | del a | 1"):
        result = CliRunner().invoke(main, ["--fault", line])
        assert result.exit_code == 2
