"""A run of a small project: units go to processes, and every test is told of once, whatever becomes of its process."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from tests.running.costs import Cost, Costs
from tests.running.parts import ROOT, Part
from tests.running.results import Failure
from tests.running.run import Run
from tests.running.units import Plan, files_with_tests
from tests.running.worker import outcome_of

COSTS = Costs(calibration_s=1.0, listed={}, others={part: (Cost(0.1, 0.1, 2), 1) for part in Part})
CONFTEST = """
import pytest

@pytest.fixture(scope="session")
def server(tmp_path_factory):
    with open("servers.txt", "a") as file:
        file.write("started\\n")
    yield "server"
    with open("servers.txt", "a") as file:
        file.write("stopped\\n")
"""


class Kept:
    """A display that keeps what it is told."""

    def __init__(self) -> None:
        self.failures: list[Failure] = []
        self.updates = 0

    def failed(self, failure: Failure) -> None:
        self.failures.append(failure)

    def update(self, run: Run) -> None:
        self.updates += 1
        assert run.left_s >= 0
        assert 0 <= run.share_done <= 1
        assert run.tests >= run.results.done


def run_of(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_all: bool = True,
    processors: int = 1,
    drawn_by: str | None = None,
    **texts: str,
) -> tuple[Run, Kept]:
    """Run a project with these files."""
    run = made_run(root, monkeypatch, is_all=is_all, processors=processors, drawn_by=drawn_by, **texts)
    kept = Kept()
    run.go(kept)
    return run, kept


def made_run(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_all: bool,
    processors: int,
    drawn_by: str | None,
    **texts: str,
) -> Run:
    """That of a project with these files, not begun."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    tests = root / "tests"
    tests.mkdir()
    (tests / "conftest.py").write_text(CONFTEST)
    for name, text in texts.items():
        (tests / f"test_{name}.py").write_text(text)
    (root / "pytest.ini").write_text(
        "[pytest]\naddopts = --import-mode=importlib\nmarkers =\n  slow\n  simulation\n"
    )
    plan = Plan(COSTS, is_all=is_all)
    return Run(
        plan,
        plan.units(files_with_tests(root), root),
        root,
        processors=processors,
        scale=1.0,
        drawn_by=drawn_by,
        covers=False,
        root=root,
    )


HIDDEN_MARK = """
import pytest
MARK = getattr(pytest.mark, "slow")
def test_quick(): pass
@MARK
def test_slow(): pass
"""
SERVER_OF_A_FILE = """
import pytest

class TestSlow:
    @pytest.fixture(scope="class")
    def own(self, server): return server + " of a class"

    @pytest.mark.slow
    def test_asks(self, own, monkeypatch): assert own == "server of a class"

    def test_quick(self, own): pass

    @pytest.mark.parametrize("number", range(4))
    def test_numbers(self, number): pass
"""


def test_all_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, kept = run_of(
        tmp_path,
        monkeypatch,
        a="""
import pytest
from tests.running.counting import count

def test_passes():
    count("things", 2)

def test_fails():
    count("things", 100)
    print("told")
    assert 1 == 2, "one is not two"

@pytest.mark.skip(reason="not today")
def test_is_skipped():
    pass

@pytest.fixture
def broken():
    raise ValueError("no fixture")

def test_has_no_fixture(broken):
    pass
""",
        b="import pytest\n@pytest.mark.parametrize('number', range(5))\ndef test_many(number): pass\n",
        c="import nothing_of_that_name\n",
        d=HIDDEN_MARK,
        e=SERVER_OF_A_FILE,
        f=SERVER_OF_A_FILE,
        processors=2,
    )
    assert run.results.outcomes == {"passed": 20, "failed": 2, "skipped": 1}
    assert run.results.skipped == {"not today": 1}
    assert dict(run.results.counts) == {"things": 2}
    told = {failure.test: failure for failure in run.results.failures}
    assert told.keys() == {
        "tests/test_a.py::test_fails",
        "tests/test_a.py::test_has_no_fixture",
        "tests/test_c.py",
    }
    assert kept.failures == run.results.failures
    failed = told["tests/test_a.py::test_fails"]
    assert failed.reason.startswith("AssertionError: one is not two")
    assert "assert 1 == 2" in failed.report
    assert "told" in failed.report
    assert failed.command == ".venv/bin/python -m pytest tests/test_a.py::test_fails"
    assert told["tests/test_a.py::test_has_no_fixture"].reason == "setup: ValueError: no fixture"
    assert "nothing_of_that_name" in told["tests/test_c.py"].reason
    assert run.results.costs["tests/test_b.py", Part.QUICK].tests == 5
    # No text shows the mark: the process that collects the file finds it.
    assert run.results.passed[Part.LONG, "tests/test_d.py"] == 1
    assert run.results.passed[Part.LONG, "tests/test_e.py"] == 1
    assert kept.updates > 0


SERVER = "import pytest\npytestmark = pytest.mark.slow\ndef test_asks(server): assert server == 'server'\n"


def test_a_server_of_the_session_is_started_once_for_all_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, _ = run_of(tmp_path, monkeypatch, a=SERVER, b=SERVER, c=SERVER, processors=2)
    assert run.results.failures == []
    assert run.results.outcomes == {"passed": 3}
    assert (tmp_path / "servers.txt").read_text().split() == ["started", "stopped"]


def test_the_end_of_a_process_is_a_failure_and_the_rest_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = "import os\ndef test_first(): pass\ndef test_ends(): os._exit(7)\ndef test_last(): pass\n"
    run, _ = run_of(tmp_path, monkeypatch, a=ends, b="def test_b(): pass\n", c="def test_c(): pass\n")
    assert run.results.outcomes["passed"] == 3
    (failure,) = run.results.failures
    assert failure.test == "tests/test_a.py::test_ends"
    assert failure.reason == "its process ended with status 7; not all tests of tests/test_a.py have run"


def test_a_process_that_it_forked_does_not_hold_up_the_end_of_a_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = "import os, time\ndef test_ends():\n    if os.fork() == 0:\n        time.sleep(600)\n    os._exit(7)\n"
    run, _ = run_of(tmp_path, monkeypatch, a=ends)
    (failure,) = run.results.failures
    assert failure.reason == "its process ended with status 7; not all tests of tests/test_a.py have run"


def test_an_exception_after_all_tests_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = made_run(tmp_path, monkeypatch, is_all=True, processors=1, drawn_by=None, a="def test_a(): pass\n")
    with (tmp_path / "tests" / "conftest.py").open("a") as file:
        file.write("def pytest_unconfigure(): raise ValueError('too late')\n")
    run.go(Kept())
    assert run.results.outcomes == {"passed": 1}
    (failure,) = run.results.failures
    assert failure.reason == "its process ended with status 1"
    assert "ValueError: too late" in failure.report


def test_slices_of_a_file_have_to_be_of_the_same_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.running.units.SLICE_S", 0.05)
    run = made_run(tmp_path, monkeypatch, is_all=True, processors=1, drawn_by=None, a="", b="")
    kept = Kept()
    first, second, *others = run._units.values()
    assert (first.path, first.slices) == (second.path, 2)
    run._collected(first, {"tests": 1, "names": "one order", "others": {}}, kept)
    for each in others:
        run._collected(each, {"tests": 1, "names": "other tests", "others": {}}, kept)
    assert run.results.failures == []
    run._collected(second, {"tests": 1, "names": "another order", "others": {}}, kept)
    (failure,) = kept.failures
    assert failure.test == first.path
    assert failure.reason == "its tests are others, or in another order, in another process"


def test_what_is_left_counts_parts_that_no_text_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = made_run(tmp_path, monkeypatch, is_all=True, processors=1, drawn_by=None, a="")
    (unit,) = run._units.values()
    run._collected(unit, {"tests": 2, "names": "", "others": {"simulation": 2}}, Kept())
    assert run.share_done == 0
    run._done.add(unit.number)
    assert run.share_done == pytest.approx(0.5)


def test_a_test_that_was_not_called_has_not_passed() -> None:
    def report(when: Literal["setup", "call", "teardown"]) -> pytest.TestReport:
        return pytest.TestReport("a", ("a", 1, "a"), {}, "passed", None, when)

    assert outcome_of([report("setup"), report("call"), report("teardown")]) == ("passed", "")
    assert outcome_of([report("setup"), report("teardown")]) == ("failed", "it was not called")


def test_a_newcomer_runs_a_share_of_the_simulations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = (
        "import pytest\n@pytest.mark.simulation\n@pytest.mark.parametrize('seed', range(20))\n"
        "def test_seed(seed): pass\n@pytest.mark.slow\ndef test_slow(): assert False\n"
    )
    run, _ = run_of(tmp_path, monkeypatch, is_all=False, drawn_by="a commit", a=seeds)
    assert run.results.outcomes == {"passed": 3}


class Interrupting(Kept):
    """A display of somebody who interrupts once a test waits."""

    def __init__(self, waits: Path) -> None:
        super().__init__()
        self._waits = waits

    def update(self, run: Run) -> None:
        super().update(run)
        if self._waits.exists():
            raise KeyboardInterrupt


@pytest.fixture(params=["as usual", "ignored"])
def interrupts(request: pytest.FixtureRequest) -> Iterator[None]:
    """What this process does with an interrupt, which those that it starts inherit."""
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.SIG_IGN if request.param == "ignored" else signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_ends_what_tests_have_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits = (
        "import pathlib, time\n"
        "def test_first(server): pass\n"
        "def test_waits(server):\n    pathlib.Path('waits').touch()\n    time.sleep(600)\n"
    )
    run = made_run(tmp_path, monkeypatch, is_all=False, processors=1, drawn_by=None, a=waits)
    with pytest.raises(KeyboardInterrupt):
        run.go(Interrupting(tmp_path / "waits"))
    assert run.results.outcomes == {"passed": 1}
    assert (tmp_path / "servers.txt").read_text().split() == ["started", "stopped"]


def test_processes_that_cannot_begin_are_not_started_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = made_run(tmp_path, monkeypatch, is_all=True, processors=1, drawn_by=None, a="", b="")
    (tmp_path / "tests" / "conftest.py").write_text("import nothing_of_that_name\n")
    run.go(Kept())
    (failure,) = run.results.failures
    assert (
        failure.reason
        == "its process ended with status 4; not all tests of tests/test_a.py, tests/test_b.py have run"
    )
    assert "nothing_of_that_name" in failure.report
