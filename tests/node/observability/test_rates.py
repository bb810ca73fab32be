"""Rates and averages of a moment, from the counters of then and of the oldest reading."""

from __future__ import annotations

import math

from kafkaproto_server.base.metrics.window import Window
from kafkaproto_server.node.observability.families import PeerRates
from kafkaproto_server.node.observability.rates import Rates


def rates(**counters: float) -> Rates:
    """Ten seconds after a reading in which all counters were 100."""
    window = Window(6)
    window.look(5.0, dict.fromkeys(counters, 100.0))
    return Rates(window, 15.0, counters)


def test_a_counter_grows_by_so_much_a_second() -> None:
    assert rates(appended=130.0).of("appended") == 3.0


def test_the_average_is_the_growth_of_a_sum_by_that_of_its_number() -> None:
    assert rates(commit_ms=180.0, commits=120.0).ratio("commit_ms", "commits") == 4.0


def test_without_growth_there_is_no_average() -> None:
    assert math.isnan(rates(commit_ms=180.0, commits=100.0).ratio("commit_ms", "commits"))


def test_a_peer_has_its_own_counters() -> None:
    found = rates(
        **{"requests to 3": 110.0, "bytes to 3": 200.0, "bytes from 3": 1100.0, "bytes to 4": 9000.0}
    ).of_peer(3)
    assert found == PeerRates(requests=1.0, sent_bytes=10.0, received_bytes=100.0)
