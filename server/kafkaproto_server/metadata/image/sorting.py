"""Sorting in steps (`types.Steps`): sorting a hundred thousand names at once would take a tenth of a second.

Short runs are sorted and then merged. So few runs are merged at a time that the beginning of a merge is a short step,
too. The order in which the values come does not change how long a step takes.

Ours alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import merge
from itertools import islice
from typing import Any, TypeVar

from kafkaproto_server.base.later import Steps

T = TypeVar("T")

VALUES_PER_RUN = 128
KEYED_VALUES_PER_RUN = 16
"""Values sorted in one step, which takes tens of microseconds. If there are keys, making them takes most of that."""
RUNS_PER_MERGE = 128
_VALUES_PER_STEP = 8
"""Values merged in one step, which takes some ten microseconds. Beginning a merge takes some hundred."""


def sorted_steps(values: Iterable[T], key: Callable[[T], Any] | None = None) -> Steps[list[T]]:
    """The values in order; values with the same key keep the order in which they came."""
    runs = []
    remaining = iter(values)
    per_run = VALUES_PER_RUN if key is None else KEYED_VALUES_PER_RUN
    # Not list.sort of all values: it cannot be interrupted, and heartbeats wait meanwhile.
    while run := sorted(islice(remaining, per_run), key=key):  # type: ignore[type-var,arg-type]
        runs.append(run)
        yield
    # Several rounds of few runs: heapq.merge looks at every run before it yields its first value.
    while len(runs) > 1:
        merged_runs = []
        while runs:
            merged = yield from _merged(runs[:RUNS_PER_MERGE], key)
            # Free the merged runs here, not all of them at the end.
            del runs[:RUNS_PER_MERGE]
            merged_runs.append(merged)
        runs = merged_runs
    assert len(runs) <= 1, "all runs are merged"
    return runs[0] if runs else []


def _merged(runs: list[list[T]], key: Callable[[T], Any] | None) -> Steps[list[T]]:
    in_order: list[T] = []
    merged = iter(merge(*runs, key=key))  # type: ignore[arg-type]
    while some := list(islice(merged, _VALUES_PER_STEP)):
        in_order += some
        yield
    return in_order
