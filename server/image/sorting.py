"""Sorting in steps: of a hundred thousand names at once it takes a tenth of a second."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import merge
from itertools import islice
from typing import Any, TypeVar

from server.types import Steps

T = TypeVar("T")

_VALUES_PER_RUN = 128
_VALUES_PER_STEP = 8
"""Sorted at once, and merged at once: tens of microseconds each."""


def sorted_steps(values: Iterable[T], key: Callable[[T], Any] | None = None) -> Steps[list[T]]:
    """The values in order."""
    runs = []
    remaining = iter(values)
    while run := sorted(islice(remaining, _VALUES_PER_RUN), key=key):  # type: ignore[type-var,arg-type]
        runs.append(run)
        yield
    if len(runs) <= 1:
        return runs[0] if runs else []
    in_order: list[T] = []
    merged = iter(merge(*runs, key=key))  # type: ignore[arg-type]
    while some := list(islice(merged, _VALUES_PER_STEP)):
        in_order += some
        yield
    return in_order
