"""Markers: to whom they go, what results mean, and what becomes of them when the coordinator moves.

Tests: `core.coordinators.transactions.values`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.transactions.values import (
    NO_LEADER,
    MarkerResults,
    TransactionMarker,
)
from tests.core.coordinators.support.transaction_world import P0, P1, P2, SentMarkers, TransactionWorld

MarkersDone = Callable[[MarkerResults | None], None]


def prepared(*, partitions: int = 3) -> TransactionWorld:
    """A transaction of the topic's first partitions whose commit is decided."""
    world = TransactionWorld()
    producer = world.begin()
    world.add(producer, *(P0, P1, P2)[:partitions])
    world.end(producer)
    return world


def test_a_broker_gets_the_partitions_that_it_leads_in_one_request() -> None:
    world = prepared()
    assert world.brokers.sent == [(1, [(1001, 1, True, (P0, P2))]), (2, [(1001, 1, True, (P1,))])]
    (marker,) = world.brokers.requests[0].markers
    assert marker.coordinator_epoch == 1
    assert marker.transaction_version == 2


def test_a_transaction_is_complete_when_the_last_broker_has_responded() -> None:
    world = prepared()
    first, second = world.brokers.requests
    first.done(world.brokers.write(first))
    assert world.state() == "PrepareCommit"
    second.done(world.brokers.write(second))
    assert world.state() == "CompleteCommit"


def test_a_transaction_is_completed_once_if_all_brokers_respond_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = TransactionWorld()
    brokers = world.brokers

    def send_markers(broker_id: int, markers: Sequence[TransactionMarker], done: MarkersDone) -> None:
        done(brokers.write(SentMarkers(broker_id, markers, done)))

    monkeypatch.setattr(brokers, "send_markers", send_markers)
    producer = world.begin()
    world.add(producer, P0, P1)
    size = len(world.log.records)
    world.end(producer)
    assert world.state() == "CompleteCommit"
    assert len(world.log.records) == size + 2


def test_a_transaction_without_partitions_is_complete_at_once() -> None:
    world = TransactionWorld()
    world.end(world.begin(), commit=False)
    assert not world.brokers.sent
    assert world.state() == "CompleteAbort"


@pytest.mark.parametrize(
    "code",
    [
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.KAFKA_STORAGE_ERROR,
        ErrorCode.UNKNOWN_SERVER_ERROR,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ],
)
def test_a_failure_is_tried_again_with_the_leader_of_then(code: ErrorCode) -> None:
    world = prepared(partitions=1)
    world.brokers.refuse(code)
    assert not world.brokers.sent, "not at once"
    world.brokers.leaders[P0] = 3
    world.advance(100)
    assert world.brokers.sent == [(3, [(1001, 1, True, (P0,))])]
    world.brokers.respond()
    assert world.state() == "CompleteCommit"


def test_only_what_failed_is_tried_again() -> None:
    world = prepared()
    (request, other) = world.brokers.requests
    world.brokers.requests.clear()
    results = {1001: {P0: ErrorCode.NONE, P2: ErrorCode.REQUEST_TIMED_OUT}}
    request.done(results)
    world.advance(100)
    assert world.brokers.sent == [(1, [(1001, 1, True, (P2,))])]
    other.done(world.brokers.write(other))
    world.brokers.respond()
    assert world.state() == "CompleteCommit"


@pytest.mark.parametrize("results", [None, {}, {1001: {}}])
def test_a_broker_that_does_not_respond_is_asked_again(
    results: dict[int, dict[object, ErrorCode]] | None,
) -> None:
    world = prepared(partitions=1)
    request = world.brokers.requests.pop()
    request.done(None if results is None else {producer: {} for producer in results})
    world.advance(100)
    assert world.brokers.sent == [(1, [(1001, 1, True, (P0,))])]


@pytest.mark.parametrize("code", [ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT, ErrorCode.UNSUPPORTED_VERSION])
def test_a_log_that_can_have_no_transactions_is_done(code: ErrorCode) -> None:
    world = prepared(partitions=1)
    world.brokers.refuse(code)
    assert world.state() == "CompleteCommit"


def test_a_partition_that_does_not_exist_any_more_is_done() -> None:
    world = prepared(partitions=2)
    del world.brokers.leaders[P0]
    world.brokers.refuse(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    world.advance(100)
    assert world.brokers.sent == [(2, [(1001, 1, True, (P1,))])]
    del world.brokers.leaders[P1]
    world.brokers.refuse(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    world.advance(100)
    assert world.state() == "CompleteCommit"


def test_a_partition_without_a_leader_waits_for_one() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.add(producer, P0, P1)
    world.brokers.leaders[P0] = NO_LEADER
    world.end(producer)
    assert world.brokers.sent == [(2, [(1001, 1, True, (P1,))])]
    world.brokers.respond()
    world.advance(1_000)
    assert world.state() == "PrepareCommit"
    assert world.coordinator.leaderless_markers == 1
    world.brokers.leaders[P0] = 4
    world.advance(100)
    assert world.coordinator.leaderless_markers == 0
    world.brokers.respond()
    assert world.state() == "CompleteCommit"


def test_a_broker_has_one_request_under_way_and_the_next_one_has_all_that_came_since() -> None:
    world = TransactionWorld()
    for each in ("a", "b", "c"):
        producer = world.begin(each)
        world.add(producer, P0, transactional_id=each)
        world.end(producer, transactional_id=each)
    assert world.brokers.sent == [(1, [(1001, 1, True, (P0,))])]
    request = world.brokers.requests.pop()
    request.done(world.brokers.write(request))
    assert world.brokers.sent == [(1, [(1002, 1, True, (P0,)), (1003, 1, True, (P0,))])]
    world.brokers.respond()
    assert [world.state(each) for each in ("a", "b", "c")] == ["CompleteCommit"] * 3


def test_a_fenced_coordinator_sends_nothing_more_of_the_transaction() -> None:
    world = prepared()
    world.brokers.refuse(ErrorCode.TRANSACTION_COORDINATOR_FENCED)
    world.advance(10_000)
    assert not world.brokers.sent
    assert world.state() == "PrepareCommit"


def test_a_later_epoch_of_the_producer_leaves_the_transaction_to_the_next_coordinator() -> None:
    world = prepared()
    first, second = world.brokers.requests
    world.brokers.requests.clear()
    first.done({1001: {P0: ErrorCode.INVALID_PRODUCER_EPOCH, P2: ErrorCode.NOT_LEADER_OR_FOLLOWER}})
    second.done(world.brokers.write(second))
    world.advance(100)
    # The other partitions still get their markers.
    assert world.brokers.sent == [(1, [(1001, 1, True, (P2,))])]
    world.brokers.respond()
    world.advance(10_000)
    assert world.state() == "PrepareCommit"
    world.move()
    world.brokers.respond()
    assert world.state() == "CompleteCommit"


# -- the coordinator moves ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("commit", [True, False])
def test_the_next_coordinator_sends_the_markers_again_with_its_own_epoch(commit: bool) -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.add(producer, P0)
    world.end(producer, commit=commit)
    former = world.brokers.requests.pop()
    world.move()
    assert world.brokers.sent == [(1, [(1001, 1, commit, (P0,))])]
    assert world.brokers.requests[0].markers[0].coordinator_epoch == 2
    world.brokers.respond()
    assert world.state() == ("CompleteCommit" if commit else "CompleteAbort")
    size = len(world.log.records)
    # The former coordinator's request arrives late, and what it tells the former coordinator changes nothing.
    assert world.brokers.write(former) == {1001: {P0: ErrorCode.TRANSACTION_COORDINATOR_FENCED}}
    former.done({1001: {P0: ErrorCode.NONE}})
    world.advance(1_000)
    assert len(world.log.records) == size


def test_a_coordinator_that_was_moved_from_retries_nothing() -> None:
    world = prepared(partitions=1)
    world.brokers.refuse(ErrorCode.NOT_LEADER_OR_FOLLOWER)
    world.coordinator.unload()
    world.advance(1_000)
    assert not world.brokers.sent


def test_a_decision_that_was_not_committed_may_be_lost_and_nobody_has_acted_on_it() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.add(producer, P0)
    world.log.commits_at_once = False
    outcomes = world.end(producer)
    world.move()
    assert [each.code for each in outcomes] == [ErrorCode.NOT_COORDINATOR]
    assert world.state() == "Ongoing"
    assert not world.brokers.sent


def test_the_completion_is_written_again_if_the_log_refuses_it() -> None:
    world = prepared(partitions=1)
    world.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    world.brokers.respond()
    world.advance(1_000)
    assert world.state() == "PrepareCommit"
    world.log.refusal = None
    world.advance(100)
    assert world.state() == "CompleteCommit"


def test_requests_wait_until_the_partition_is_read() -> None:
    world = prepared(partitions=1)
    world.brokers.requests.clear()
    world.coordinator.unload()
    world.coordinator = world.begin_loading()
    assert world.add((1001, 1), P0) == [ErrorCode.COORDINATOR_LOAD_IN_PROGRESS]
    assert world.state() == "COORDINATOR_LOAD_IN_PROGRESS"
    assert not world.brokers.sent
    world.coordinator.loaded()
    assert len(world.brokers.sent) == 1
    world.coordinator.unload()
    assert world.add((1001, 1), P0) == [ErrorCode.NOT_COORDINATOR]
    assert world.state() == "NOT_COORDINATOR"


def test_a_decision_that_is_committed_after_a_move_is_left_to_the_next_coordinator() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.add(producer, P0)
    world.log.commits_at_once = False
    outcomes = world.end(producer)
    world.coordinator.unload()
    world.log.commit()
    assert [each.code for each in outcomes] == [ErrorCode.NONE]
    assert not world.brokers.sent


def test_a_completion_that_was_refused_is_left_to_the_next_coordinator() -> None:
    world = prepared(partitions=1)
    world.log.refusal = ErrorCode.NOT_LEADER_OR_FOLLOWER
    world.brokers.respond()
    world.coordinator.unload()
    world.log.refusal = None
    size = len(world.log.records)
    world.advance(1_000)
    assert len(world.log.records) == size


def test_what_waits_for_another_try_is_dropped_with_a_fenced_coordinator() -> None:
    world = prepared()
    first, second = world.brokers.requests
    world.brokers.requests.clear()
    first.done(None)
    second.done({1001: {P1: ErrorCode.TRANSACTION_COORDINATOR_FENCED}})
    world.advance(1_000)
    assert not world.brokers.sent


def test_what_is_queued_is_dropped_with_a_fenced_coordinator() -> None:
    world = TransactionWorld()
    for each, partitions in (("a", (P0,)), ("b", (P0, P1))):
        producer = world.begin(each)
        world.add(producer, *partitions, transactional_id=each)
        world.end(producer, transactional_id=each)
    first, second = world.brokers.requests
    world.brokers.requests.clear()
    second.done({1002: {P1: ErrorCode.TRANSACTION_COORDINATOR_FENCED}})
    first.done(world.brokers.write(first))
    assert not world.brokers.sent


def test_the_next_coordinator_counts_anew_who_waits_for_a_leader() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.add(producer, P0, P1)
    world.brokers.leaders[P0] = world.brokers.leaders[P1] = NO_LEADER
    world.end(producer)
    before = world.coordinator
    world.move()
    world.advance(1_000)
    assert before.leaderless_markers == 0
    assert world.coordinator.leaderless_markers == 2


def test_a_completion_that_the_log_does_not_take_is_counted_until_it_does() -> None:
    world = prepared(partitions=1)
    world.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    world.brokers.respond()
    world.advance(1_000)
    assert world.coordinator.unwritten_completions == 1
    world.log.refusal = None
    world.advance(1_000)
    assert world.coordinator.unwritten_completions == 0
    assert world.state() == "CompleteCommit"
