"""Topic names that metrics cannot tell apart: there '.' and '_' are the same.

An index for whoever creates a topic: looking through all names for each new one takes tens of milliseconds where there
are many. Names without '.' and '_' are like no other name, and are not kept.
"""

from __future__ import annotations

from immutables import Map


def metric_name(name: str) -> str:
    """The name as metrics show it."""
    return name.replace(".", "_")


def is_ambiguous(name: str) -> bool:
    """Whether another name can look the same in metrics."""
    return "." in name or "_" in name


def with_name(names: Map[str, tuple[str, ...]], name: str) -> Map[str, tuple[str, ...]]:
    """The index with one more topic; topics by the name in metrics, in order."""
    if not is_ambiguous(name):
        return names
    key = metric_name(name)
    return names.set(key, tuple(sorted((*names.get(key, ()), name))))


def without_name(names: Map[str, tuple[str, ...]], name: str) -> Map[str, tuple[str, ...]]:
    """The index with one topic less."""
    if not is_ambiguous(name):
        return names
    key = metric_name(name)
    others = tuple(other for other in names[key] if other != name)
    return names.set(key, others) if others else names.delete(key)
