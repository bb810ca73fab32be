"""Which tests run when. Their marks decide, and nothing else.

``bin/test`` runs what is quick, and of what is marked ``simulation`` a share that changes with each commit.
``bin/test --all`` runs everything. As a plugin of pytest this module adds ``--share``, which leaves out what is not in
the share.
"""

from __future__ import annotations

import enum
import hashlib
import subprocess
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

NEWCOMERS = "not jvm and not clients and not slow"
"""What ``bin/test`` runs, as pytest's option -m has it."""

SHARE = 8
"""One of so many tests that are marked ``simulation`` is in the share."""


class Part(enum.Enum):
    """The tests of a file that run together."""

    QUICK = "quick"
    SIMULATION = "simulation"
    LONG = "long"


def part_of(marks: Collection[str]) -> Part:
    """The part that a test with these marks belongs to."""
    if {"slow", "jvm", "clients"} & set(marks):
        return Part.LONG
    return Part.SIMULATION if "simulation" in marks else Part.QUICK


def part_of_item(item: pytest.Item) -> Part:
    """The part that a collected test belongs to."""
    return part_of({mark.name for mark in item.iter_markers()})


def share_of(names: Sequence[str], drawn_by: str) -> set[str]:
    """One in SHARE of the tests of a file, at least one. Another text draws others."""
    drawn = sorted(names, key=lambda name: hashlib.sha256(f"{drawn_by} {name}".encode()).digest())
    return set(drawn[: -(-len(drawn) // SHARE)])


def commit() -> str:
    """The commit at hand, by which the share is drawn; empty outside of a repository."""
    asked = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return asked.stdout.strip()


def outside_of_share(items: Iterable[pytest.Item], drawn_by: str) -> list[pytest.Item]:
    """The simulations among some tests that are not in the share of their file."""
    files: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if part_of_item(item) is Part.SIMULATION:
            files[item.nodeid.partition("::")[0]].append(item)
    left_out = []
    for of_file in files.values():
        share = share_of([item.nodeid for item in of_file], drawn_by)
        left_out += [item for item in of_file if item.nodeid not in share]
    return left_out


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option ``--share``."""
    parser.addoption("--share", metavar="TEXT", help="Of the simulations run a share, drawn by this text.")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not in the share. A test that the command line names is always in it."""
    drawn_by = config.getoption("--share")
    if drawn_by is None:
        return
    named = tuple(
        f"{config.invocation_params.dir / file}::{name}"
        for file, separator, name in (argument.partition("::") for argument in config.args)
        if separator
    )
    drawn = [item for item in items if not _full_name(item).startswith(named)]
    left_out = outside_of_share(drawn, drawn_by)
    config.hook.pytest_deselected(items=left_out)
    gone = {item.nodeid for item in left_out}
    items[:] = [item for item in items if item.nodeid not in gone]


def _full_name(item: pytest.Item) -> str:
    return f"{item.path}::{item.nodeid.partition('::')[2]}"
