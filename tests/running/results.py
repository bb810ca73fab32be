"""What came of a run of tests so far."""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from tests.running.costs import Cost
from tests.running.parts import Part
from tests.running.units import Unit

NO_COST = Cost(0.0, 0.0, 0)


@dataclass(frozen=True, slots=True)
class Failure:
    """A test that failed, or a file that cannot be collected."""

    test: str
    """Its name for pytest."""
    reason: str
    """A line."""
    report: str
    command: str
    """What shows it again."""


@dataclass(slots=True)
class Results:
    """Sums over the tests that have run."""

    outcomes: Counter[str] = field(default_factory=Counter)
    """``passed``, ``failed`` and ``skipped``."""
    passed: Counter[tuple[Part, str]] = field(default_factory=Counter)
    """By part and file."""
    marks: Counter[str] = field(default_factory=Counter)
    """Tests that have passed, by mark."""
    failures: list[Failure] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    """By reason."""
    counts: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    """What tests have counted."""
    costs: dict[tuple[str, Part], Cost] = field(default_factory=dict)
    """By file and part."""
    tests: list[tuple[float, float, str]] = field(default_factory=list)
    """Processor time, time by the clock and name of each."""

    @property
    def done(self) -> int:
        """How many tests have run."""
        return self.outcomes.total()

    @property
    def cpu_s(self) -> float:
        """Processor time of everything."""
        return sum(cost.cpu_s for cost in self.costs.values())

    def add_test(self, unit: Unit, event: dict[str, Any]) -> Failure | None:
        """Take in what came of a test; returns the failure if it is one."""
        name, outcome = str(event["test"]), str(event["outcome"])
        self.outcomes[outcome] += 1
        self.tests.append((event["cpu_s"], event["wall_s"], name))
        self.add_cost(unit, event["cpu_s"], event["wall_s"], tests=1)
        for what, number in event["counts"].items():
            self.counts[what] += number
        if outcome == "failed":
            return self.add_failure(failure_of(name, event["reason"], event["report"]))
        if outcome == "skipped":
            self.skipped[event["reason"]] += 1
        else:
            self.passed[unit.part, unit.path] += 1
            self.marks.update(event["marks"])
        return None

    def add_failure(self, failure: Failure) -> Failure:
        """Take in what failed, and return it."""
        self.failures.append(failure)
        return failure

    def add_cost(self, unit: Unit, cpu_s: float, wall_s: float, tests: int = 0) -> None:
        """Take in what was spent on a unit."""
        key = (unit.path, unit.part)
        self.costs[key] = self.costs.get(key, NO_COST) + Cost(cpu_s, wall_s, tests)


def failure_of(test: str, reason: str, report: str) -> Failure:
    """The failure of a test, or of a file of them."""
    return Failure(test, reason, report, command=f".venv/bin/python -m pytest {shlex.quote(test)}")


def folder_of(path: str) -> str:
    """The folder below ``tests`` that a file is in; ``tests`` for those at the top."""
    _, *folders, _ = path.split("/")
    if not folders:
        return "tests"
    # Of the server, the rooms of these are what somebody works on.
    return "/".join(folders[: 2 if folders[0] in ("base", "core", "metadata", "shell") else 1])
