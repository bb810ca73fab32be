"""Counting requests by api."""

from __future__ import annotations

from kafkaproto_server.metrics.requests import RequestMetrics


def test_an_api_is_there_once_it_was_asked_for() -> None:
    metrics = RequestMetrics()
    assert metrics.apis == {}
    assert metrics.of(52) is metrics.of(52)
    assert list(metrics.apis) == [52]


def test_versions_and_codes_are_counted_apart() -> None:
    api = RequestMetrics().of(1)
    for version in (17, 18, 18):
        api.add_request(version)
    for code in (0, 6, 0):
        api.add_error(code)
    assert api.requests == {17: 1, 18: 2}
    assert api.errors == {0: 2, 6: 1}


def test_the_windows_of_all_spans_move_together() -> None:
    metrics = RequestMetrics()
    spans = metrics.of(1).spans
    for span in spans.values():
        span.add(0.5)
    metrics.rotate()
    assert {span.max_ms for span in spans.values()} == {500.0}
    metrics.rotate()
    assert {span.max_ms for span in spans.values()} == {0.0}
    assert {span.count for span in spans.values()} == {1}
