"""Durations of commits, of writes and of syncs. The longest one is forgotten after two halves of a window.

Tests: `shell.quorum.metrics`.
"""

from __future__ import annotations

from kafkaproto_server.shell.quorum.metrics import QuorumMetrics


def test_each_duration_goes_to_its_own_histogram_and_is_the_longest_until_the_window_is_over() -> None:
    metrics = QuorumMetrics()
    metrics.count_commit(250)
    metrics.count_persist(500)
    metrics.count_flush(125)
    durations_ms = [250, 500, 125]
    histograms = (metrics.commits, metrics.persists, metrics.flushes)
    for longest_ms in (durations_ms, durations_ms, [0, 0, 0]):
        assert [each.max_ms for each in histograms] == longest_ms
        # These are of all time.
        assert [(each.count, each.sum_ms) for each in histograms] == [(1, each) for each in durations_ms]
        metrics.rotate()
