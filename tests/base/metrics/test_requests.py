"""Counting requests by api."""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.api import ApiKey
from kafkaproto.messages import FetchRequest
from kafkaproto_server.base.metrics.requests import FOLLOWER_FETCH, ApiMetrics, RequestMetrics

FETCH_VERSIONS = range(FetchRequest.MIN_VERSION, FetchRequest.MAX_VERSION + 1)
HEADER = b"\0\1 of a request"


def fetch(version: int, replica_id: int, **more: Any) -> bytes:
    """A Fetch request behind a header."""
    request = FetchRequest(max_wait_ms=1, min_bytes=1, **more)
    if version >= 15:
        if replica_id >= 0:
            request.replica_state = FetchRequest.ReplicaState(replica_id=replica_id, replica_epoch=9)
    else:
        request.replica_id = replica_id
    return HEADER + request.encode(version)


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


@pytest.mark.parametrize("version", FETCH_VERSIONS)
def test_fetches_of_followers_are_told_from_those_of_consumers(version: int) -> None:
    metrics = RequestMetrics()
    more = [{}, {"cluster_id": "a cluster"}] if version >= 12 else [{}]
    for each in more:
        for replica_id, key in ((0, FOLLOWER_FETCH), (7, FOLLOWER_FETCH), (-1, ApiKey.FETCH)):
            frame = fetch(version, replica_id, **each)
            found = metrics.of_request(ApiKey.FETCH, version, frame, len(HEADER))
            assert found is metrics.of(key)


def test_no_bytes_are_too_few_to_tell() -> None:
    metrics = RequestMetrics()
    for version in FETCH_VERSIONS:
        for size in range(20):
            metrics.of_request(ApiKey.FETCH, version, b"\1" * size, size)
    assert metrics.of_request(ApiKey.PRODUCE, 9, fetch(17, 3), len(HEADER)) is metrics.of(ApiKey.PRODUCE)


def test_the_sum_of_apis_has_all_of_each() -> None:
    several = [ApiMetrics(), ApiMetrics()]
    for number, each in enumerate(several, 1):
        each.add_request(17)
        each.add_request(16 + number)
        each.add_error(number)
        for span in each.spans.values():
            span.add(number / 10)
        each.request_bytes.add_number(number * 57)
    total = ApiMetrics.sum_of(several)
    assert total.requests == {17: 3, 18: 1}
    assert total.errors == {1: 1, 2: 1}
    assert {(each.count, each.sum_ms, each.max_ms) for each in total.spans.values()} == {(2, 300.0, 200.0)}
    assert (total.request_bytes.count, total.request_bytes.sum_us) == (2, 3 * 57)
