"""An index of topic names that are the same in metrics, where '.' and '_' are not distinguished.

CreateTopics uses it: to look through all names for each new topic would take tens of milliseconds if there are many.
Names without '.' and '_' cannot collide, and are not in the index.
"""

from __future__ import annotations

from immutables import Map


def metric_name(name: str) -> str:
    """The name as metrics show it."""
    # Kafka's metrics replace the dots, so two names that differ only there get one metric.
    return name.replace(".", "_")


def is_ambiguous(name: str) -> bool:
    """Whether another name can look the same in metrics."""
    return "." in name or "_" in name


def with_name(names: Map[str, tuple[str, ...]], name: str) -> Map[str, tuple[str, ...]]:
    """The index with one more topic name. It holds the names in order, by their name in metrics."""
    if not is_ambiguous(name):
        return names
    key = metric_name(name)
    # A tuple: two new names of one CreateTopics request may collide with each other, and a log of
    # Kafka may hold such topics.
    return names.set(key, tuple(sorted((*names.get(key, ()), name))))


def without_name(names: Map[str, tuple[str, ...]], name: str) -> Map[str, tuple[str, ...]]:
    """The index without one of its topic names."""
    if not is_ambiguous(name):
        return names
    key = metric_name(name)
    assert name in names[key], f"topic name {name} is not in the index"
    others = tuple(other for other in names[key] if other != name)
    return names.set(key, others) if others else names.delete(key)
