"""Durations are counted in seconds, and those of long ago are forgotten."""

from __future__ import annotations

from kafkaproto_server.node.quorum.metrics import QuorumMetrics


def test_each_duration_goes_to_its_own_histogram_until_the_window_is_over() -> None:
    metrics = QuorumMetrics()
    metrics.count_commit(250)
    metrics.count_persist(500)
    metrics.count_flush(125)
    histograms = (metrics.commits, metrics.persists, metrics.flushes)
    assert [(each.count, each.sum_ms) for each in histograms] == [(1, 250), (1, 500), (1, 125)]
    longest = [each.max_ms for each in histograms]
    assert all(longest)
    metrics.rotate()
    assert [each.max_ms for each in histograms] == longest
    metrics.rotate()
    assert [each.max_ms for each in histograms] == [0, 0, 0]
    # The sums only grow.
    assert [each.sum_ms for each in histograms] == [250, 500, 125]
