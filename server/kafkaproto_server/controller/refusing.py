"""Refusals of large requests, in steps: their responses are as large as they are."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from kafkaproto_server.types import Steps

T = TypeVar("T")
H = TypeVar("H", bound=Hashable)
R = TypeVar("R")


def refuse_each(items: Iterable[T], result: Callable[[T], R]) -> Steps[list[R]]:
    """One result for each item."""
    results = []
    for item in items:
        results.append(result(item))
        yield
    return results


def refuse_each_once(items: Iterable[H], result: Callable[[H], R]) -> Steps[list[R]]:
    """One result for each item that is different from all before it."""
    results = []
    seen = set()
    for item in items:
        if item not in seen:
            seen.add(item)
            results.append(result(item))
        yield
    return results
