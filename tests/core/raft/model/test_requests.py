"""Lanes, one request at a time on each, and their rests."""

from __future__ import annotations

from kafkaproto_server.base.types import ReplicaKey
from kafkaproto_server.core.raft.model.requests import RequestLane, RequestManager
from kafkaproto_server.core.raft.values.messages import ApiVersionsRequest, Destination, RemoveVoterRequest

HERE = Destination(id=2, host="127.0.0.1", port=2)
THERE = Destination(id=2, host="127.0.0.1", port=3)


def test_one_request_a_lane_until_it_is_over() -> None:
    requests = RequestManager(20)
    first = requests.begin(HERE, ApiVersionsRequest(), 0)
    assert first == 1
    assert requests.begin(HERE, RemoveVoterRequest(voter=ReplicaKey(id=1)), 0) is None
    assert requests.ready_at_ms(HERE, RequestLane.OTHER) == float("inf")
    # The same node at another address is another destination.
    assert requests.begin(THERE, ApiVersionsRequest(), 0) == 2
    assert requests.is_in_flight(1)
    done = requests.complete(1)
    assert done is not None
    assert (done.destination, done.request) == (HERE, ApiVersionsRequest())
    assert requests.complete(1) is None
    assert requests.begin(HERE, ApiVersionsRequest(), 0) == 3


def test_a_lane_rests_after_a_failure_and_the_other_does_not() -> None:
    requests = RequestManager(20)
    requests.begin(HERE, ApiVersionsRequest(), 0)
    done = requests.complete(1)
    assert done is not None
    requests.back_off(done, 100)
    assert requests.ready_at_ms(HERE, RequestLane.OTHER) == 120
    assert requests.ready_at_ms(HERE, RequestLane.FETCH) == 0
    assert requests.begin(HERE, ApiVersionsRequest(), 119) is None
    requests.end_rest(HERE, RequestLane.OTHER)
    assert requests.begin(HERE, ApiVersionsRequest(), 119) == 2


def test_a_longer_rest_is_not_cut_short_by_a_failure() -> None:
    requests = RequestManager(20)
    requests.begin(HERE, ApiVersionsRequest(), 0)
    requests.rest(HERE, RequestLane.OTHER, 0, 1000)
    done = requests.complete(1)
    assert done is not None
    requests.back_off(done, 100)
    assert requests.ready_at_ms(HERE, RequestLane.OTHER) == 1000
    requests.back_off(done, 990)
    assert requests.ready_at_ms(HERE, RequestLane.OTHER) == 1010


def test_rests_that_are_over_are_forgotten_when_there_are_many() -> None:
    requests = RequestManager(20)
    for port in range(64):
        requests.rest(Destination(id=port, host="h", port=port), RequestLane.OTHER, port)
    requests.rest(HERE, RequestLane.OTHER, 50)
    assert requests.ready_at_ms(Destination(id=3, host="h", port=3), RequestLane.OTHER) == 0
    assert requests.ready_at_ms(Destination(id=63, host="h", port=63), RequestLane.OTHER) == 83
