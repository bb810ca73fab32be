"""Runs a plan: starts the processes, gives them units of work, and takes in the results.

Each lane has its processes, which ask for one unit after the other until there are none. One that ends in the middle is
a failure of the test that it ran, and another one takes its place.
"""

from __future__ import annotations

import selectors
import time
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

import pytest

from tests.running.parts import ROOT, Part
from tests.running.processes import INTERRUPT_S, WorkerProcess
from tests.running.results import Failure, Results, failure_of
from tests.running.units import Lane, Plan, Unit

REDRAW_S = 0.25
PACE_KNOWN = 0.05
"""After this part of a run its pace is known."""
LOG_CHARACTERS = 20_000
"""So much is shown of what a process printed before it ended in the middle of its tests."""
RIGHT_ENDS = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
"""Exit statuses of processes of which no test failed."""


class Display(Protocol):
    """Shows how far a run is."""

    def failed(self, failure: Failure) -> None:
        """A test has failed."""

    def update(self, run: Run) -> None:
        """Time has passed."""


class Run:
    """One run of the units of a plan."""

    def __init__(
        self,
        plan: Plan,
        units: list[Unit],
        folder: Path,
        *,
        processors: int,
        scale: float,
        drawn_by: str | None,
        covers: bool,
        root: Path = ROOT,
    ) -> None:
        self.results = Results()
        self._plan = plan
        self._units = {unit.number: unit for unit in units}
        self._planned = {(unit.path, unit.part) for unit in units}
        self._waiting = {lane: [unit for unit in units if unit.lane is lane] for lane in Lane}
        self._left: dict[int, int] = {}
        """Tests that are left of units that were collected."""
        self._names: dict[tuple[str, Part], str] = {}
        """A digest of the names of a part's tests, as the first process has collected them."""
        self._done: set[int] = set()
        self._expected = {unit.number: plan.tests(unit) for unit in units}
        """How many tests each unit has, or may have."""
        self._folder = folder
        self._processors = processors
        self._scale = scale
        self._drawn_by = drawn_by
        self._covers = covers
        self._root = root
        self._selector = selectors.DefaultSelector()
        self._running: list[WorkerProcess] = []
        self._coverage: list[Path] = []
        self._started = 0
        self._began_s = time.monotonic()
        self._estimate_s = self._seconds_of(self._units.values())
        self._rest = (0, 0), 0.0
        """What the units that are left take, for so many units and so many that are done."""

    def go(self, display: Display) -> None:
        """Run everything. An interrupt ends all processes and is raised again."""
        with ExitStack() as stack:
            stack.callback(self._selector.close)
            stack.callback(self._end_all)
            while self._start():
                display.update(self)
                due_s = time.monotonic() + REDRAW_S
                while self._running and (left_s := due_s - time.monotonic()) > 0:
                    for key, _ in self._selector.select(left_s):
                        self._read(key.data, display)

    @property
    def coverage_files(self) -> list[Path]:
        """What processes have covered."""
        return [file for file in self._coverage if file.exists()]

    @property
    def elapsed_s(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self._began_s

    @property
    def tests(self) -> int:
        """How many there are, as far as that is known."""
        return max(self.results.done, round(sum(self._expected.values())))

    @property
    def share_done(self) -> float:
        """How far it is, by what the table says of the rest."""
        return 1 - self._rest_s() / self._estimate_s if self._estimate_s else 1.0

    @property
    def left_s(self) -> float:
        """How long it still takes, at the pace so far."""
        share = self.share_done
        return self._rest_s() if share < PACE_KNOWN else self.elapsed_s * (1 - share) / share

    @property
    def longest(self) -> tuple[str, float]:
        """The test that has been running longest, and for how long."""
        process = max(self._running, key=WorkerProcess.seconds_of_test, default=None)
        return ("", 0.0) if process is None else (process.test or "", process.seconds_of_test())

    def _seconds_of(self, units: Iterable[Unit]) -> float:
        return self._plan.seconds(list(units), self._scale, self._processors)

    def _rest_s(self) -> float:
        # Displays ask several times a second, and some hundred units are added up.
        state = len(self._units), len(self._done)
        if state != self._rest[0]:
            left = [unit for unit in self._units.values() if unit.number not in self._done]
            self._rest = state, self._seconds_of(left)
        return self._rest[1]

    def _start(self) -> bool:
        """Start the processes that are due; returns whether any runs."""
        for process in self._running:
            process.end_if_late()
            process.close_if_gone()
        for lane in Lane:
            wanted = self._processors if lane is Lane.COMPUTING else 1
            running = sum(process.lane is lane for process in self._running)
            for _ in range(min(wanted - running, len(self._waiting[lane]))):
                self._start_process(lane)
        return bool(self._running)

    def _start_process(self, lane: Lane) -> None:
        covers = self._covers and lane is Lane.COMPUTING
        process = WorkerProcess(
            self._started, lane, self._folder, drawn_by=self._drawn_by, covers=covers, root=self._root
        )
        self._started += 1
        self._running.append(process)
        if process.coverage is not None:
            self._coverage.append(process.coverage)
        self._selector.register(process.connection, selectors.EVENT_READ, process)

    def _read(self, process: WorkerProcess, display: Display) -> None:
        try:
            for event in process.events():
                self._take(process, event, display)
        except EOFError:
            self._ended(process, display)

    def _take(self, process: WorkerProcess, event: dict[str, Any], display: Display) -> None:
        kind = event["event"]
        if kind == "want":
            waiting = self._waiting[process.lane]
            unit = waiting.pop(0) if waiting else None
            if unit is not None:
                process.units.append(unit.number)
            process.give(unit)
            return
        if kind == "ended":
            process.ended_s = time.monotonic()
            return
        unit = self._units[event["unit"]]
        if kind == "collected":
            self._collected(unit, event, display)
        elif kind == "spent":
            self.results.add_cost(unit, event["cpu_s"], event["wall_s"])
        elif kind == "broken":
            process.has_failed = True
            failure = failure_of(unit.path, event["reason"], event["report"])
            # Other processes may have found that as well.
            if failure.command not in {each.command for each in self.results.failures}:
                display.failed(self.results.add_failure(failure))
        elif kind == "began":
            process.test, process.began_s = event["test"], time.monotonic()
        else:
            process.test = None
            failed = self.results.add_test(unit, event)
            if failed is not None:
                process.has_failed = True
                display.failed(failed)
            self._left[unit.number] -= 1
            self._maybe_done(unit)

    def _collected(self, unit: Unit, event: dict[str, Any], display: Display) -> None:
        self._left[unit.number] = self._expected[unit.number] = event["tests"]
        if self._names.setdefault((unit.path, unit.part), event["names"]) != event["names"]:
            # Each slice is every so many-th of them: some may be in none.
            reason = "its tests are others, or in another order, in another process"
            display.failed(self.results.add_failure(failure_of(unit.path, reason, "")))
        for name in event["others"]:
            key = (unit.path, Part(name))
            if key[1] in self._plan.parts and key not in self._planned:
                self._planned.add(key)
                for found in self._plan.units_of(*key):
                    self._units[found.number] = found
                    self._expected[found.number] = self._plan.tests(found)
                    self._waiting[found.lane].append(found)
                self._estimate_s = self._seconds_of(self._units.values())
        self._maybe_done(unit)

    def _maybe_done(self, unit: Unit) -> None:
        if not self._left[unit.number]:
            self._done.add(unit.number)

    def _ended(self, process: WorkerProcess, display: Display) -> None:
        """Its connection has ended."""
        self._selector.unregister(process.connection)
        self._running.remove(process)
        status = process.wait()
        left = [number for number in process.units if number not in self._done]
        # Python has the same status for an exception after all tests as pytest has for a failed test.
        has_told = process.has_failed and status == pytest.ExitCode.TESTS_FAILED
        if process.ended_s is not None and not left and (status in RIGHT_ENDS or has_told):
            return
        if not process.units:
            # Another process would not begin either.
            left = [unit.number for unit in self._waiting[process.lane]]
            self._waiting[process.lane].clear()
        self._done.update(left)
        paths = list(dict.fromkeys(self._units[number].path for number in left))
        rest = f"; not all tests of {', '.join(paths)} have run" if paths else ""
        failure = failure_of(
            process.test or next(iter(paths), "tests"),
            f"its process ended with status {status}{rest}",
            process.log.read_text(errors="replace")[-LOG_CHARACTERS:],
        )
        display.failed(self.results.add_failure(failure))

    def _end_all(self) -> None:
        for process in self._running:
            process.interrupt()
        for process in self._running:
            process.wait(INTERRUPT_S)
