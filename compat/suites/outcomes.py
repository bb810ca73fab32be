"""What came of the tests of a foreign suite, and which of them are left out."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from compat.runs.telling import Tell

LEFT_OUT = Path(__file__).parent / "left_out"


class SuiteFailedError(Exception):
    """Tests of a suite failed, or a name that is left out is none of the suite's; the message has the names."""


class Verdict(enum.StrEnum):
    """How a test ended, in its own runner's words."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One test that was run."""

    name: str
    verdict: Verdict
    # Why it was skipped, or what failed; empty if there is nothing to say.
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.verdict:8}{self.name}{': ' if self.detail else ''}{self.detail}"


class Suite(Protocol):
    """A suite that is installed and can be run against brokers."""

    @property
    def title(self) -> str:
        """Its name and version."""

    @property
    def left_out_file(self) -> str:
        """The name of its file in `left_out/`."""

    def tests(self) -> list[str]:
        """All tests that need a broker."""

    def run(self, tests: Sequence[str], folder: Path) -> Iterable[Outcome]:
        """Runs these, each outcome as it comes; logs go to the folder. A test that is not reported has failed."""


def read_left_out(text: str) -> dict[str, str]:
    """Reasons by name: a test a line, its name, blanks and the reason; lines that begin with # are comments.

    Raises ValueError for a name without a reason, or twice.
    """
    reasons: dict[str, str] = {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, _, reason = line.partition(" ")
        if not reason.strip() or name in reasons:
            raise ValueError(f"a test has one line with one reason: {line!r}")
        reasons[name] = reason.strip()
    return reasons


def run_suite(
    suite: Suite, folder: Path, *, tell: Tell, is_all: bool = False, only: str = ""
) -> list[Outcome]:
    """Runs a suite without what is left out, tells each outcome, and returns them.

    With `is_all` nothing is left out; `only` picks the tests that have this in their name. Raises SuiteFailedError if a
    test fails that is not left out, or if one that is left out does not exist.
    """
    names = suite.tests()
    left_out = read_left_out((LEFT_OUT / suite.left_out_file).read_text())
    unknown = sorted(left_out.keys() - set(names))
    if unknown:
        raise SuiteFailedError(
            f"{suite.left_out_file} names tests that {suite.title} does not have: {unknown}"
        )
    chosen = [name for name in names if only in name and (is_all or name not in left_out)]
    outcomes = []
    for outcome in suite.run(chosen, folder):
        tell(str(outcome))
        outcomes.append(outcome)
    tell(f"{suite.title}: {summary(outcomes, len(names))}")
    failed = [each.name for each in outcomes if each.verdict is Verdict.FAILED and each.name not in left_out]
    if failed:
        raise SuiteFailedError(f"{suite.title}: {len(failed)} failed: {', '.join(failed)}; logs in {folder}")
    return outcomes


def summary(outcomes: Iterable[Outcome], total: int) -> str:
    """How many of all tests ended in which way, in one line."""
    verdicts = [outcome.verdict for outcome in outcomes]
    counts = [f"{verdicts.count(verdict)} {verdict}" for verdict in Verdict]
    return f"{total} tests, {', '.join(counts)}, {total - len(verdicts)} not run"


def in_order(names: Sequence[str], reported: Mapping[str, Outcome]) -> list[Outcome]:
    """The outcomes of these tests; one that was not reported counts as failed."""
    return [
        reported.get(name, Outcome(name=name, verdict=Verdict.FAILED, detail="its runner did not report it"))
        for name in names
    ]
