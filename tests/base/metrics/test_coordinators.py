"""The numbers of a broker's coordinators.

Tests: `base.metrics.controller`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from kafkaproto_server.base.metrics.coordinators import CoordinatorMetrics, SharePartitionMetrics
from kafkaproto_server.base.metrics.histogram import Histogram


def histograms(metrics: object) -> Iterator[Histogram]:
    """All histograms in a dataclass, and in those in it."""
    assert is_dataclass(metrics)
    for each in fields(metrics):
        value = getattr(metrics, each.name)
        if isinstance(value, Histogram):
            yield value
        elif is_dataclass(value):
            yield from histograms(value)


def test_every_window_moves_on() -> None:
    metrics = CoordinatorMetrics()
    found = list(histograms(metrics))
    assert len(found) == 11
    for each in found:
        each.add(0.25)
    metrics.rotate()
    assert {each.max_ms for each in found} == {250}
    metrics.rotate()
    assert {each.max_ms for each in found} == {0}
    assert {each.count for each in found} == {1}


def test_acknowledged_records_add_up_by_type() -> None:
    metrics = SharePartitionMetrics()
    metrics.acknowledged((0, 2, 0, 1, 0))
    metrics.acknowledged(())
    metrics.acknowledged((1, 1, 0, 0, 0))
    assert metrics.acknowledgements == [1, 3, 0, 1, 0]
