"""The queue of assignments of replicas to directories: what is sent when, what an answer takes from it (KIP-858)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AssignReplicasToDirsRequest, AssignReplicasToDirsResponse
from kafkaproto_server.core.broker.assignments import (
    ACCEPTED_PAUSE_MS,
    BACKOFF,
    MAX_ASSIGNMENTS_PER_REQUEST,
    AssignmentQueue,
    Replica,
)
from tests.core.broker.support.controller_responses import answer

X, Y = (bytes([each] * 16) for each in (0x31, 0x32))
TOPIC, OTHER = (bytes([each] * 16) for each in (0x41, 0x42))
EPOCH = 28


def sent(request: AssignReplicasToDirsRequest) -> dict[Replica, bytes]:
    """Directory by replica, after a passage through the wire's bytes."""
    decoded, _ = AssignReplicasToDirsRequest.decode(request.encode(0), 0)
    assert (decoded.broker_id, decoded.broker_epoch) == (1, EPOCH)
    return {
        (topic.topic_id, partition.partition_index): directory.id
        for directory in decoded.directories
        for topic in directory.topics
        for partition in topic.partitions
    }


def queue(**assignments: bytes) -> AssignmentQueue:
    """A queue that holds partitions of one topic, ``p3=X`` for partition 3."""
    made = AssignmentQueue(1)
    for name, directory_id in assignments.items():
        made.assign((TOPIC, int(name[1:])), directory_id)
    return made


def test_an_empty_queue_has_nothing_to_send() -> None:
    assert (queue().due_ms, len(queue())) == (None, 0)


def test_a_request_groups_replicas_by_directory_and_topic() -> None:
    assignments = queue(p2=Y, p1=X, p0=X)
    assignments.assign((OTHER, 7), X)
    assert (assignments.due_ms, len(assignments)) == (0, 4)
    request = assignments.next_request(EPOCH, 0)
    assert [each.id for each in request.directories] == [X, Y]
    assert [each.topic_id for each in request.directories[0].topics] == [TOPIC, OTHER]
    assert sent(request) == {(TOPIC, 0): X, (TOPIC, 1): X, (TOPIC, 2): Y, (OTHER, 7): X}


def test_what_is_confirmed_leaves_the_queue_and_one_request_is_under_way_at_a_time() -> None:
    assignments = queue(p0=X)
    request = assignments.next_request(EPOCH, 0)
    assignments.assign((TOPIC, 1), Y)
    assert (assignments.due_ms, len(assignments)) == (None, 2)
    assert assignments.handle_response(answer(request), 500) == {}
    assert (assignments.due_ms, len(assignments)) == (500, 1)
    assert sent(assignments.next_request(EPOCH, 0)) == {(TOPIC, 1): Y}


def test_what_was_accepted_is_told_again_unless_it_is_seen() -> None:
    assignments = queue(p0=X, p1=X)
    assert assignments.handle_response(answer(assignments.next_request(EPOCH, 0)), 500) == {}
    assert (assignments.due_ms, len(assignments)) == (500 + ACCEPTED_PAUSE_MS, 0)
    # The metadata show the one; the other was taken away and given back, and is nowhere.
    assignments.drop((TOPIC, 0))
    assert sent(assignments.next_request(EPOCH, 500 + ACCEPTED_PAUSE_MS)) == {(TOPIC, 1): X}


def test_what_was_accepted_gives_way_to_a_newer_assignment() -> None:
    assignments = queue(p0=X)
    assignments.handle_response(answer(assignments.next_request(EPOCH, 0)), 0)
    assignments.assign((TOPIC, 0), Y)
    assert sent(assignments.next_request(EPOCH, ACCEPTED_PAUSE_MS)) == {(TOPIC, 0): Y}
    assignments.drop((TOPIC, 0))
    assignments.handle_failure(ACCEPTED_PAUSE_MS)
    assert assignments.due_ms is None


def test_the_newest_assignment_wins() -> None:
    assignments = queue(p0=X)
    assignments.assign((TOPIC, 0), Y)
    request = assignments.next_request(EPOCH, 0)
    assert sent(request) == {(TOPIC, 0): Y}
    # While that is under way the replica's directory is another once more: the answer does not count for it.
    assignments.assign((TOPIC, 0), X)
    assert len(assignments) == 1
    assignments.handle_response(answer(request), 10)
    assert sent(assignments.next_request(EPOCH, 0)) == {(TOPIC, 0): X}


def test_what_was_dropped_is_not_sent_again() -> None:
    assignments = queue(p0=X, p1=X)
    assignments.drop((TOPIC, 0))
    assignments.drop((TOPIC, 9))
    assert sent(assignments.next_request(EPOCH, 0)) == {(TOPIC, 1): X}
    assignments.drop((TOPIC, 1))
    assert len(assignments) == 1, "it is still under way"
    assignments.handle_failure(0)
    assert (assignments.due_ms, len(assignments)) == (None, 0)


def test_a_request_is_of_a_limited_size() -> None:
    assignments = queue(**{f"p{index}": X for index in range(MAX_ASSIGNMENTS_PER_REQUEST + 3)})
    request = assignments.next_request(EPOCH, 0)
    assert len(sent(request)) == MAX_ASSIGNMENTS_PER_REQUEST
    assignments.handle_response(answer(request), 0)
    assert len(sent(assignments.next_request(EPOCH, 0))) == 3


def test_pauses_between_failures_double_up_to_a_limit_and_start_over_with_a_success() -> None:
    assignments = queue(p0=X)
    pauses = []
    for _ in range(30):
        assignments.next_request(EPOCH, 0)
        assignments.handle_failure(1_000)
        assert assignments.due_ms is not None
        pauses.append(assignments.due_ms - 1_000)
    assert pauses[:8] == [100, 200, 400, 800, 1600, 3200, 6400, BACKOFF.longest_ms]
    assert frozenset(pauses[8:]) == {BACKOFF.longest_ms}
    assignments.handle_response(answer(assignments.next_request(EPOCH, 0)), 2_000)
    assignments.assign((TOPIC, 1), X)
    assert assignments.due_ms == 2_000
    assignments.next_request(EPOCH, 0)
    assignments.handle_failure(2_000)
    assert assignments.due_ms == 2_000 + BACKOFF.first_ms


@pytest.mark.parametrize("code", [ErrorCode.STALE_BROKER_EPOCH, ErrorCode.UNSUPPORTED_VERSION])
def test_a_request_that_is_refused_as_a_whole_is_sent_again(code: ErrorCode) -> None:
    assignments = queue(p0=X, p1=Y)
    first = sent(assignments.next_request(EPOCH, 0))
    refused = assignments.handle_response(AssignReplicasToDirsResponse(error_code=code), 0)
    assert refused == dict.fromkeys(first, code)
    assert (assignments.due_ms, sent(assignments.next_request(EPOCH, 0))) == (BACKOFF.first_ms, first)


def test_a_request_that_is_refused_as_a_whole_assigns_nothing_whatever_its_response_says_of_replicas() -> (
    None
):
    assignments = queue(p0=X)
    response = answer(assignments.next_request(EPOCH, 0))
    response.error_code = int(ErrorCode.STALE_BROKER_EPOCH)
    assert assignments.handle_response(response, 0) == {(TOPIC, 0): ErrorCode.STALE_BROKER_EPOCH}
    assert len(assignments) == 1


def test_what_is_refused_by_itself_is_sent_again_after_the_others() -> None:
    assignments = queue(**{f"p{index}": X for index in range(MAX_ASSIGNMENTS_PER_REQUEST)})
    request = assignments.next_request(EPOCH, 0)
    assignments.assign((OTHER, 0), Y)
    errors = {(TOPIC, 4): int(ErrorCode.NOT_LEADER_OR_FOLLOWER)}
    assert assignments.handle_response(answer(request, errors), 0) == errors
    assert len(assignments) == 2
    assert list(assignments._wanted) == [(OTHER, 0), (TOPIC, 4)]


def test_a_replica_that_the_response_does_not_name_was_not_assigned() -> None:
    assignments = queue(p0=X)
    assignments.next_request(EPOCH, 0)
    refused = assignments.handle_response(AssignReplicasToDirsResponse(), 0)
    assert refused == {(TOPIC, 0): ErrorCode.UNKNOWN_SERVER_ERROR}
    assert len(assignments) == 1


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("assign"), st.integers(0, 4), st.sampled_from([X, Y])),
        st.tuples(st.just("drop"), st.integers(0, 4)),
        st.tuples(st.just("answer"), st.frozensets(st.integers(0, 4))),
        st.tuples(st.just("fail")),
    ),
    max_size=40,
)


@given(STEPS)
def test_in_the_end_the_controller_knows_the_newest_assignment_of_each(
    steps: list[tuple[object, ...]],
) -> None:
    """Whatever is assigned, refused and lost meanwhile; a dropped replica may have been told or not."""
    assignments, newest, recorded = AssignmentQueue(1), {}, {}

    def ask(refused: frozenset[int]) -> None:
        if len(assignments):
            request = assignments.next_request(EPOCH, 0)
            told = sent(request)
            recorded.update({each: told[each] for each in told if each[1] not in refused})
            assignments.handle_response(answer(request, {each: 6 for each in told if each[1] in refused}), 0)

    for step in steps:
        match step:
            case ("assign", int(index), bytes(directory_id)):
                assignments.assign((TOPIC, index), directory_id)
                newest[TOPIC, index] = directory_id
            case ("drop", int(index)):
                assignments.drop((TOPIC, index))
                newest.pop((TOPIC, index), None)
            case ("answer", frozenset() as refused):
                ask(refused)
            case ("fail",) if len(assignments):
                # The controller may have recorded it all the same.
                recorded.update(sent(assignments.next_request(EPOCH, 0)))
                assignments.handle_failure(0)
    ask(frozenset())
    assert len(assignments) == 0
    assert {each: recorded[each] for each in newest} == newest
