"""Measures which lines of the two cores and of the library their own quick tests run, in the processes that run them.

A process imports what is measured under coverage first. After that only tests that count are measured, so nothing else
gets slower. pyproject.toml says what is measured, and how much of it has to be covered.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import pkgutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import coverage

from tests.running.parts import ROOT, Part
from tests.running.results import Failure, Results

FOLDERS = ("tests/core/controller", "tests/kafkaproto", "tests/core/raft")
"""Only the tests of these count."""
MEASURED = ("kafkaproto", "kafkaproto_server.core.raft", "kafkaproto_server.core.controller")
COMMAND = ".venv/bin/python -m coverage report -m"
GENERATED = "kafkaproto.generated"


def is_covered(path: str, part: Part) -> bool:
    """Whether the tests of a file count."""
    return part is Part.QUICK and path.startswith(tuple(f"{folder}/" for folder in FOLDERS))


class Covering:
    """What one process has covered."""

    def __init__(self, file: str) -> None:
        self._coverage = coverage.Coverage(data_file=file, config_file=str(ROOT / "pyproject.toml"))
        with self.measuring():
            for name in MEASURED:
                _import_all(name)

    @contextlib.contextmanager
    def measuring(self) -> Iterator[None]:
        """What runs in this context counts."""
        self._coverage.start()
        try:
            yield
        finally:
            self._coverage.stop()

    def save(self) -> None:
        """Write it down."""
        self._coverage.save()


def _import_all(name: str) -> None:
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, f"{name}."):
        if not module.name.startswith(GENERATED):
            importlib.import_module(module.name)


def check(files: Sequence[Path], results: Results, into: Path = ROOT / ".coverage") -> float | None:
    """How much of it several processes have covered together, in percent; None if nothing was measured.

    What is less than pyproject.toml wants is a failure.
    """
    if not files:
        return None
    together = coverage.Coverage(data_file=str(into), config_file=str(ROOT / "pyproject.toml"))
    together.combine([str(file) for file in files])
    together.save()
    report = io.StringIO()
    covered = together.report(file=report)
    wanted = float(str(together.get_option("report:fail_under")))
    if round(covered, int(str(together.get_option("report:precision")))) < wanted:
        reason = (
            f"the quick tests of the cores and of the library cover {covered:.2f} %, {wanted} % are wanted"
        )
        results.add_failure(Failure("coverage", reason, report.getvalue(), command=COMMAND))
    return covered
