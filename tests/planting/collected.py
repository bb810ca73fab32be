"""Collects tests once, and runs some of them in forked processes, as often as one likes.

pytest imports and collects; where it would run what it has, it calls a function of ours instead. That function forks.
A child runs tests by pytest's own protocol, so fixtures, plugins and reports are what they always are.
"""

from __future__ import annotations

import contextlib
import gc
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import pytest

from tests.planting.forks import limit_cpu
from tests.running.parts import NEWCOMERS, ROOT

QUICK = f"{NEWCOMERS} and not simulation"
"""What ``bin/test`` runs, less the simulations, as pytest's option -m has it."""
_OPTIONS = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--capture=no")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A test that did not pass."""

    test: str
    why: str
    """In one line."""


class Collected:
    """The tests that pytest collected, in this process."""

    def __init__(self, items: Sequence[pytest.Item], reports: list[pytest.TestReport]) -> None:
        self.items: Mapping[str, pytest.Item] = {each.nodeid: each for each in items}
        self._reports = reports

    def run(
        self, tests: Sequence[str], limits_s: Mapping[str, float] | None = None
    ) -> Iterator[Failed | None]:
        """Run tests in this order, and yield for each how it failed, if it did. For a forked process only.

        The process dies of a test that takes more processor time than its limit.
        """
        for test in tests:
            if limits_s is not None:
                limit_cpu(limits_s[test])
            self._reports.clear()
            item = self.items[test]
            # With no test to follow, fixtures of modules and sessions end as well: each test has its own.
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            failed = next((each for each in self._reports if each.failed), None)
            yield None if failed is None else Failed(test=test, why=_why(failed))


Job: TypeAlias = Callable[[Collected], None]


def collect(tests: Sequence[str], job: Job) -> None:
    """Collect the quick ones of some tests, and do a job with them. Raises RuntimeError if pytest or the job fails."""
    chosen = [str(ROOT / each) for each in tests]
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        status = pytest.main([*_OPTIONS, "-m", QUICK, *chosen], plugins=[_Plugin(job)])
    if status is not pytest.ExitCode.OK:
        raise RuntimeError(f"pytest ends with {status!r}\n{said.getvalue()}")


class _Plugin:
    """What pytest asks."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._reports: list[pytest.TestReport] = []

    def pytest_configure(self) -> None:
        """A property that fails is enough; nobody reads the smallest example."""
        # pytest wants to be the first that imports it.
        from hypothesis import Phase, settings

        default = settings.get_profile("default")
        phases = [each for each in default.phases if each not in (Phase.shrink, Phase.explain)]
        settings.register_profile("planting", default, phases=phases, report_multiple_bugs=False)
        settings.load_profile("planting")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            raise session.Failed("some tests cannot be imported")
        # `forked` freezes what there is, and garbage would stay for ever.
        gc.collect()
        self._job(Collected(session.items, self._reports))
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._reports.append(report)


def _why(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = str(report.longrepr) if crash is None else crash.message
    return text.strip().splitlines()[0][:200] if text.strip() else report.outcome
