"""What is told at the end of a run: what failed, and in five lines what was proved."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from compat.parity.jars import release
from tests.running.counting import ACKNOWLEDGED, BROKEN_RULES, CORES, HOURS, NODES, SCENARIOS, SEEDS
from tests.running.displays import in_words
from tests.running.parts import ROOT, SHARE, Part
from tests.running.results import Results, folder_of
from tests.running.units import Plan, Unit

FOLDERS = 8
"""So many folders are named: those with the most tests."""

LOADED = 0.5
"""If the load is higher for each processor, other programs make the run longer."""


def number_of_rules() -> int:
    """How many rules can be broken on purpose."""
    return sum(
        1
        for file in (ROOT / "tests" / "sim").rglob("known_seeds.txt")
        for line in file.read_text().splitlines()
        if line and not line.startswith("#")
    )


def beginning(
    plan: Plan, units: Sequence[Unit], *, scale: float, processors: int, drawn_by: str | None
) -> Iterator[str]:
    """What is going to run, and how long it takes."""
    tests = sum(map(plan.tests, units))
    needed_s = plan.seconds(units, scale, processors)
    yield (
        f"about {tests:,.0f} tests: about {in_words(needed_s)} on this machine"
        f" ({processors} processors, {1 / scale:.1f} times as fast as the one the tests were measured on)"
    )
    load = os.getloadavg()[0]
    if load > LOADED * processors:
        yield f"other programs keep it busy (load {load:.1f}): it takes longer"
    if drawn_by is not None:
        yield f"of the simulator's tests one in {SHARE} runs, drawn by commit {drawn_by or '(none)'}"


def proved(results: Results, *, elapsed_s: float, rules: int, covered: float | None) -> list[str]:
    """Five lines of what the tests that passed have proved. ``rules`` are all that can be broken on purpose."""
    counts = results.counts
    by_folder: Counter[str] = Counter()
    for (part, path), passed in results.passed.items():
        if part is not Part.SIMULATION:
            by_folder[folder_of(path)] += passed
    most = by_folder.most_common(FOLDERS)
    named = ", ".join(f"{folder} {number:,}" for folder, number in most)
    others = by_folder.total() - sum(number for _, number in most)
    failed = sum(failure.test.startswith("tests/sim/") for failure in results.failures)
    lost = f"{failed} tests of it failed" if failed else "nothing lost"
    return [
        f"{results.outcomes['passed']:,} tests passed in {in_words(elapsed_s)}, {in_words(results.cpu_s)} of processor"
        f" time: {named}, others {others:,}; {counts[SCENARIOS]:,.0f} scenarios of the cores to the letter",
        f"simulator: {_runs(counts, NODES)}; {_runs(counts, CORES)}; {lost}",
        f"{counts[BROKEN_RULES]:,.0f} of {rules:,} rules broken on purpose, and noticed",
        _beside(results),
        "coverage of the cores and the library: bin/test --all measures it"
        if covered is None
        else f"the quick tests of the cores and the library cover {covered:.1f} % of their lines and branches",
    ]


def _runs(counts: Mapping[str, float], what: str) -> str:
    return (
        f"{counts[SEEDS.format(what)]:,.0f} seeds of {what}, {counts[HOURS.format(what)]:.1f} simulated hours,"
        f" {counts[ACKNOWLEDGED.format(what)]:,.0f} writes acknowledged"
    )


def _beside(results: Results) -> str:
    if not results.marks["jvm"]:
        return "beside Apache Kafka and foreign clients: bin/test --all runs that"
    same = sum(
        number for (_, path), number in results.passed.items() if path.startswith("tests/compat/test_same_")
    )
    return (
        f"{results.marks['jvm']:,} tests with Apache Kafka {release()} or Spark, {same:,} of which compare what both"
        f" servers say; {results.marks['clients']:,} with foreign clients"
    )


def failures(results: Results) -> Iterator[str]:
    """Each failure in full, then all of them in a line each, with what runs them again."""
    if not results.failures:
        return
    for failure in results.failures:
        yield f"\n{'=' * 20} {failure.test}\n{failure.report.rstrip()}"
    yield f"\n{len(results.failures)} failed:"
    for failure in results.failures:
        yield f"  {failure.command}\n    {failure.reason}"


def skipped(results: Results) -> Iterator[str]:
    """Why tests were skipped."""
    for reason, number in results.skipped.most_common():
        yield f"{number} skipped: {reason}"
