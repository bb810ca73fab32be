"""Puts a fault to seeds of whole nodes, each in a forked process, until one notices it or the budget is spent."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.planting.faults import COUNTER, Fault, planted
from tests.planting.forks import Say, forked, limit_cpu
from tests.planting.outcomes import NodesOutcome
from tests.planting.swap import Exchange, exchange, exchanged
from tests.sim.nodes.run import run

LIMIT_FACTOR = 5.0
LIMIT_S = 20.0
"""A run with a fault may take so much longer than without it, and so many seconds more, before it counts as endless."""
_CLEAN_LIMIT_S = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    failure: str
    """An invariant, or empty."""
    times: int
    seconds: float


class CleanRuns:
    """What seeds come to without any fault; remembered in a folder, in a file for each seed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def seconds(self, seed: int) -> float | None:
        """The processor time of a run; None if it fails without any fault."""
        path = self._folder / str(seed)
        if not path.is_file():
            ran = run_forked(seed, (), itertools.count(), _CLEAN_LIMIT_S)
            self._folder.mkdir(parents=True, exist_ok=True)
            # Another process may read it meanwhile.
            unfinished = path.with_suffix(f".{os.getpid()}")
            unfinished.write_text(json.dumps(None if ran.failure else ran.seconds))
            unfinished.rename(path)
        seconds: float | None = json.loads(path.read_text())
        return seconds


def attempt(fault: Fault, seeds: Iterable[int], budget_s: float, clean: CleanRuns) -> NodesOutcome:
    """Plant a fault in whole nodes. At least one seed is run, and no more than the budget lets expect.

    Raises UnfitTreeError if it cannot be planted, and LookupError if there is no such place.
    """
    counter = itertools.count()
    module, tree = planted(fault, is_counted=True)
    setattr(module, COUNTER, counter.__next__)
    functions = exchange(module, tree)
    tried, times, seconds = 0, 0, 0.0
    noticed_by, how = None, ""
    for seed in seeds:
        expected_s = clean.seconds(seed)
        if expected_s is None:
            continue
        if tried and seconds + expected_s > budget_s:
            break
        ran = run_forked(seed, functions, counter, LIMIT_FACTOR * expected_s + LIMIT_S)
        tried, times, seconds = tried + 1, times + ran.times, seconds + ran.seconds
        if ran.failure:
            noticed_by, how = seed, ran.failure
            break
    delattr(module, COUNTER)
    return NodesOutcome(noticed_by=noticed_by, how=how, seeds=tried, times=times, seconds=seconds)


def run_forked(seed: int, functions: Exchange, counter: itertools.count[int], limit_s: float) -> Ran:
    def child(say: Say) -> None:
        limit_cpu(limit_s)
        with exchanged(functions):
            result = run(seed)
        say((result.invariant or "", next(counter)))

    ended = forked(child)
    failure, times = ended.said[0] if ended.said else (ended.failure, 0)
    return Ran(failure=failure, times=times, seconds=ended.seconds)
