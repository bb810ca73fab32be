"""Rates and averages of what counters did lately."""

from __future__ import annotations

import math

from kafkaproto_server.base.metrics.window import Window


def test_a_rate_is_taken_from_the_oldest_look() -> None:
    window = Window(looks=2)
    window.look(0.0, {"records": 0})
    window.look(10.0, {"records": 100})
    assert window.rate("records", 20.0, {"records": 400}) == 20.0
    window.look(20.0, {"records": 400})
    assert window.rate("records", 30.0, {"records": 500}) == 20.0
    window.look(30.0, {"records": 500})
    assert window.rate("records", 40.0, {"records": 500}) == 5.0


def test_no_time_makes_no_rate() -> None:
    window = Window(looks=2)
    window.look(5.0, {"records": 1})
    assert window.rate("records", 5.0, {"records": 2}) == 0.0


def test_a_counter_that_is_new_started_at_zero() -> None:
    window = Window(looks=2)
    window.look(0.0, {})
    assert window.rate("peer 2", 2.0, {"peer 2": 8}) == 4.0


def test_a_ratio_is_that_of_the_growth_of_both() -> None:
    window = Window(looks=2)
    window.look(0.0, {"ms": 100.0, "count": 10})
    assert window.ratio("ms", "count", {"ms": 130.0, "count": 15}) == 6.0
    assert math.isnan(window.ratio("ms", "count", {"ms": 100.0, "count": 10}))
