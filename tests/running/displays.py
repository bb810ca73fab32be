"""How far a run is: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn
from rich.text import Text

from tests.running.results import Failure
from tests.running.run import Run

LINE_S = 30.0
"""Between two lines."""
LONG_S = 30.0
"""A test that has been running for so long is named."""


def in_words(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02} min"


def _told(run: Run) -> str:
    name, seconds = run.longest
    parts = [f"{run.results.done:,} of {run.tests:,} tests"]
    if run.results.failures:
        parts.append(f"{len(run.results.failures)} failed")
    parts.append(f"about {in_words(run.left_s)} left")
    if seconds > LONG_S:
        parts.append(f"{seconds:.0f} s in {name}")
    return ", ".join(parts)


class Lines:
    """For what is no terminal."""

    def __init__(self) -> None:
        self._next_s = LINE_S

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to put back."""

    def failed(self, failure: Failure) -> None:
        print(f"FAILED {failure.test}: {failure.reason}", flush=True)

    def update(self, run: Run) -> None:
        if run.elapsed_s >= self._next_s:
            self._next_s += LINE_S
            print(f"{in_words(run.elapsed_s)}: {_told(run)}", flush=True)


class Bar:
    """For a terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._progress = Progress(
            SpinnerColumn(),
            BarColumn(bar_width=40),
            TextColumn("{task.description}", markup=False),
            console=console,
        )
        self._task: TaskID = self._progress.add_task("starting", total=1.0)

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def failed(self, failure: Failure) -> None:
        self._console.print(Text.assemble(("FAILED ", "red"), f"{failure.test}: {failure.reason}"))

    def update(self, run: Run) -> None:
        self._progress.update(self._task, completed=run.share_done, description=_told(run))


def make_display() -> Bar | Lines:
    """The one that fits where the output goes."""
    return Bar(Console()) if sys.stdout.isatty() else Lines()
