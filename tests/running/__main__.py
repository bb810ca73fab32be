"""``bin/test``: see its help."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import click

from tests.running import costs
from tests.running.covering import check
from tests.running.displays import make_display
from tests.running.findings import report
from tests.running.parts import NEWCOMERS, ROOT, commit
from tests.running.run import Run
from tests.running.search import FOLDER, Hunt
from tests.running.searches import table
from tests.running.summary import beginning, failures, number_of_rules, proved, skipped
from tests.running.units import Plan, files_with_tests

MOST_PROCESSES = 16
DEAREST = 40
"""Tests that ``--measure`` prints."""
NIGHT_H = 8.0
INTERRUPTED = 130


def _marks() -> str:
    """The marks of pyproject.toml, a line each."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        told = tomllib.load(file)["tool"]["pytest"]["ini_options"]["markers"]
    pairs = [line.partition(": ")[::2] for line in told]
    return "\n".join(f"  {name:12}{meaning}" for name, meaning in pairs)


EPILOG = f"""\
Marks say when a test runs. A test without any is quick: both commands run it.

\b
{_marks()}

\b
  bin/test                 {NEWCOMERS}
  bin/test --all           everything
  bin/test --search        runs no tests, but the searches in tests/running/searches.py
"""


@click.command(context_settings={"ignore_unknown_options": True, "max_content_width": 110}, epilog=EPILOG)
@click.option(
    "--all",
    "is_all",
    is_flag=True,
    help="Also what needs Java, Apache Kafka, foreign clients or time; installs them first.",
)
@click.option(
    "--measure",
    is_flag=True,
    help="With --all: write tests/running/costs.txt anew, and print the dearest tests.",
)
@click.option(
    "--search",
    "hours",
    is_flag=False,
    flag_value=NIGHT_H,
    type=click.FloatRange(0, min_open=True),
    metavar="[HOURS]",
    help=f"Search for new failures for so long ({NIGHT_H:.0f} unless told), from where the last search ended. What it"
    " finds is in .search/report.md.",
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[PYTEST ARGUMENTS]")
def main(is_all: bool, measure: bool, hours: float | None, arguments: tuple[str, ...]) -> None:
    """Run the tests: those that need neither Java nor foreign programs, and a share of the simulator's that each commit
    draws anew.

    Arguments go to pytest. So bin/test tests/core/raft -k pre_vote runs some of the same tests in one process;
    -n auto takes all processors, and -m MARKS selects others.
    """
    if measure and (arguments or not is_all):
        raise click.UsageError("--measure goes with --all, and with nothing else")
    if hours is not None and (arguments or is_all):
        raise click.UsageError("--search goes with nothing else but the hours")
    for number in (signal.SIGINT, signal.SIGTERM):
        # A shell has what it puts into the background ignore interrupts, and what that starts as well.
        signal.signal(number, signal.default_int_handler)
    if hours is not None:
        sys.exit(_search(hours))
    if is_all:
        subprocess.run([ROOT / "compat" / "install", "--jvm", "--clients"], check=True)
    if arguments:
        command = [sys.executable, "-m", "pytest"]
        if not is_all:
            command += ["-m", NEWCOMERS, "-p", "tests.running.parts", f"--share={commit()}"]
        os.execv(sys.executable, [*command, *arguments])
    sys.exit(_run(is_all=is_all, measure=measure))


def _run(*, is_all: bool, measure: bool) -> int:
    processors = _processors()
    known, calibration_s = costs.read(), costs.calibrate()
    scale = calibration_s / known.calibration_s
    plan = Plan(known, is_all=is_all)
    units = plan.units(files_with_tests())
    drawn_by = None if is_all else commit()
    for line in beginning(plan, units, scale=scale, processors=processors, drawn_by=drawn_by):
        click.echo(line)
    with tempfile.TemporaryDirectory(prefix="kafkaproto-test-") as folder:
        run = Run(
            plan, units, Path(folder), processors=processors, scale=scale, drawn_by=drawn_by, covers=is_all
        )
        try:
            with make_display() as display:
                run.go(display)
        except KeyboardInterrupt:
            click.echo(
                f"interrupted after {run.results.done:,} tests, {len(run.results.failures)} of which failed"
            )
            for line in failures(run.results):
                click.echo(line)
            return INTERRUPTED
        covered = check(run.coverage_files, run.results)
    results = run.results
    if measure:
        costs.write(results.costs, calibration_s)
        for cpu_s, wall_s, name in sorted(results.tests, reverse=True)[:DEAREST]:
            click.echo(f"{cpu_s:8.2f} {wall_s:8.2f} {name}")
    for line in (
        *skipped(results),
        *proved(results, elapsed_s=run.elapsed_s, rules=number_of_rules(), covered=covered),
        *failures(results),
    ):
        click.echo(line)
    return 1 if results.failures else 0


def _search(hours: float) -> int:
    searches = table()
    hunt = Hunt(searches, FOLDER, seconds=3600 * hours, tell=click.echo)
    file = FOLDER / "report.md"

    def write_report() -> None:
        file.write_text(report(hunt.journal, searches, FOLDER))

    before = len(hunt.journal.steps)
    click.echo(f"searching for {hours:g} hours; what was found so far: {file.relative_to(ROOT)}")
    try:
        hunt.go(_processors(), write_report)
    except KeyboardInterrupt:
        click.echo("interrupted; the next search goes on from here")
    write_report()
    click.echo(file.read_text())
    return 1 if any(step.found for step in hunt.journal.steps[before:]) else 0


def _processors() -> int:
    return min(len(os.sched_getaffinity(0)), MOST_PROCESSES)


if __name__ == "__main__":
    main(prog_name="bin/test")
