"""The follower's side of a fetch session: its rules, and facing the broker's side under losses."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import FetchRequest
from kafkaproto_server.core.replicas.fetch_sessions import FetchSessions
from kafkaproto_server.core.replicas.fetcher_session import FetcherRequest, FetcherSession
from kafkaproto_server.requests.fetch_requests import (
    FetchValues,
    PartitionKey,
    fetch_topics,
    fetch_values,
    forgotten_topics,
    partition_key,
)
from tests.core.replicas.support.fetch_world import World
from tests.core.replicas.support.fetches import TOPIC_ID, fetch
from tests.shell.storage.support.helpers import SeededRng

VERSION = 17


def key(index: int) -> PartitionKey:
    return (TOPIC_ID, index)


def content(request: FetcherRequest) -> tuple[int, int, list[tuple[int, int]], list[int]]:
    """Session id, epoch, partitions with offsets, forgotten partitions."""
    return (
        request.session_id,
        request.session_epoch,
        [(each.index, each.fetch_offset) for each in request.partitions],
        [index for _, index in request.forgotten],
    )


def respond(session: FetcherSession, *indexes: int, session_id: int = 7, error_code: int = 0) -> bool:
    return session.handle_response(
        error_code=error_code, session_id=session_id, keys={key(index) for index in indexes}
    )


def session_with(count: int) -> FetcherSession:
    """A session 7 with partitions 0 to ``count`` - 1, whose next epoch is 1."""
    session = FetcherSession()
    for index in range(count):
        session.want(fetch(index))
    assert content(session.next_request()) == (0, 0, [(index, 0) for index in range(count)], [])
    assert respond(session, *range(count))
    return session


def test_an_incremental_request_names_what_changed() -> None:
    session = session_with(3)
    session.want(fetch(1, 5))
    session.want(fetch(2))
    session.want(fetch(9))
    session.forget(key(0))
    assert content(session.next_request()) == (7, 1, [(1, 5), (9, 0)], [0])
    assert respond(session, 1)
    assert content(session.next_request()) == (7, 2, [], [])
    assert (len(session), key(0) in session, key(9) in session) == (3, False, True)


def test_a_partition_that_an_incremental_request_named_may_be_in_responses_and_be_forgotten() -> None:
    session = session_with(1)
    session.want(fetch(1))
    session.next_request()
    assert respond(session, 1)
    session.forget(key(1))
    assert content(session.next_request()) == (7, 2, [], [1])


def test_epochs_count_up_and_one_follows_the_largest() -> None:
    session = session_with(1)
    session._epoch = 2**31 - 1
    assert content(session.next_request()) == (7, 2**31 - 1, [], [])
    assert respond(session)
    assert content(session.next_request())[:2] == (7, 1)


def test_a_partition_that_is_forgotten_and_wanted_again_is_not_forgotten() -> None:
    session = session_with(2)
    session.forget(key(0))
    session.want(fetch(0))
    assert content(session.next_request()) == (7, 1, [(0, 0)], [])


def test_a_partition_that_the_leader_never_heard_of_is_not_forgotten() -> None:
    session = session_with(1)
    session.want(fetch(1))
    session.forget(key(1))
    session.forget(key(2))
    assert content(session.next_request()) == (7, 1, [], [])


def test_changes_while_a_request_is_under_way_are_in_the_next_one() -> None:
    session = session_with(2)
    session.next_request()
    session.want(fetch(0, 3))
    session.forget(key(1))
    # The leader does not know yet that partition 1 is not wanted.
    assert respond(session, 0, 1)
    assert content(session.next_request()) == (7, 2, [(0, 3)], [1])


def test_without_a_session_each_request_is_full_and_what_was_fetched_last_comes_last() -> None:
    session = FetcherSession()
    for index in range(3):
        session.want(fetch(index))
    session.next_request()
    assert respond(session, 0, 1, 2, session_id=0)
    session.want(fetch(0, 4))
    assert content(session.next_request()) == (0, 0, [(1, 0), (2, 0), (0, 4)], [])


def test_a_session_that_the_leader_does_not_know_is_begun_anew() -> None:
    session = session_with(1)
    session.next_request()
    assert not respond(session, error_code=ErrorCode.FETCH_SESSION_ID_NOT_FOUND, session_id=0)
    assert content(session.next_request()) == (0, 0, [(0, 0)], [])


@pytest.mark.parametrize(
    "error", [ErrorCode.INVALID_FETCH_SESSION_EPOCH, ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR, -1]
)
def test_after_any_other_error_the_session_is_closed_by_a_full_request(error: int) -> None:
    session = session_with(2)
    session.forget(key(1))
    session.next_request()
    assert not respond(session, error_code=error, session_id=0)
    assert content(session.next_request()) == (7, 0, [(0, 0)], [])


def test_a_request_without_response_is_followed_by_a_full_one_that_closes_the_session() -> None:
    session = session_with(1)
    session.want(fetch(1))
    session.next_request()
    session.handle_failure()
    assert content(session.next_request()) == (7, 0, [(0, 0), (1, 0)], [])
    assert respond(session, 0, 1, session_id=8)
    assert content(session.next_request()) == (8, 1, [], [])


def test_a_session_that_the_leader_closes_is_begun_anew() -> None:
    session = session_with(1)
    session.next_request()
    assert respond(session, 0, session_id=0)
    assert content(session.next_request()) == (0, 0, [(0, 0)], [])


@pytest.mark.parametrize("indexes", [(), (0,), (0, 1, 2), (0, 2)])
def test_a_full_response_without_exactly_what_was_asked_for_is_of_no_use(indexes: tuple[int, ...]) -> None:
    session = FetcherSession()
    session.want(fetch(0))
    session.want(fetch(1))
    session.next_request()
    assert not respond(session, *indexes)
    assert content(session.next_request()) == (0, 0, [(0, 0), (1, 0)], [])


def test_an_incremental_response_with_a_partition_outside_the_session_is_of_no_use() -> None:
    session = session_with(2)
    session.forget(key(1))
    session.next_request()
    assert not respond(session, 1)
    assert content(session.next_request()) == (7, 0, [(0, 0)], [])


def test_one_request_is_under_way_at_a_time() -> None:
    session = FetcherSession()
    with pytest.raises(AssertionError, match="without a request"):
        respond(session)
    with pytest.raises(AssertionError, match="not under way"):
        session.handle_failure()
    session.next_request()
    with pytest.raises(AssertionError, match="two requests"):
        session.next_request()


class Pair:
    """A follower and its leader, between which messages are lost."""

    def __init__(self, max_slots: int) -> None:
        self.world = World()
        for index in range(5):
            self.world.create(key(index))
        self.leader = FetchSessions(
            SeededRng(), self.world.find, lambda topic_id: None, max_slots, lambda topic, number: None
        )
        self.follower = FetcherSession()
        self.wanted: dict[PartitionKey, int] = {}

    def want(self, index: int, offset: int) -> None:
        self.wanted[key(index)] = offset
        self.follower.want(fetch(index, offset))

    def forget(self, index: int) -> None:
        self.wanted.pop(key(index), None)
        self.follower.forget(key(index))

    def exchange(self, loss: str, meanwhile: list[tuple[str, int, int]]) -> bool:
        """A request and its response. Returns whether the follower could use the response."""
        asked = dict(self.wanted)
        values = over_the_wire(self.follower.next_request())
        context = self.leader.begin(values, 0) if loss != "request" else None
        for change in meanwhile:
            self.act(change)
        if context is None:
            self.follower.handle_failure()
            return False
        finished = context.finish(self.world.read(context.look(), 3), 0)
        if loss == "response":
            self.follower.handle_failure()
            return False
        keys = {partition_key(each) for each, _ in finished.responses}
        if finished.error_code == 0:
            self.check(values, finished.session_id, asked)
        return self.follower.handle_response(
            error_code=finished.error_code, session_id=finished.session_id, keys=keys
        )

    def check(self, values: FetchValues, session_id: int, asked: dict[PartitionKey, int]) -> None:
        """What the leader took the request for is what the follower wanted when it sent it."""
        session = self.leader.cache.get(session_id)
        if session is None:
            if session_id:
                # It was evicted while the request was served.
                return
            known = values.partitions
        else:
            known = {name: each.fetch for name, each in session.partitions.items()}
        assert {name: each.fetch_offset for name, each in known.items()} == asked

    def act(self, change: tuple[str, int, int]) -> None:
        kind, index, number = change
        if kind == "want":
            self.want(index, number)
        elif kind == "forget":
            self.forget(index)
        elif kind == "append":
            self.world.append(key(index))
        else:
            self.leader.cache.remove(self.follower._session_id)


def over_the_wire(request: FetcherRequest) -> FetchValues:
    message = FetchRequest(
        session_id=request.session_id,
        session_epoch=request.session_epoch,
        topics=fetch_topics(request.partitions),
        forgotten_topics_data=forgotten_topics(request.forgotten),
    )
    return fetch_values(FetchRequest.decode(message.encode(VERSION), VERSION)[0], VERSION)


CHANGES = st.tuples(
    st.sampled_from(["want", "want", "want", "forget", "append", "evict"]),
    st.integers(0, 4),
    st.integers(0, 3),
)
EXCHANGES = st.tuples(
    st.just("exchange"),
    st.sampled_from(["none", "none", "none", "request", "response"]),
    st.lists(CHANGES, max_size=3),
)


@given(max_slots=st.sampled_from([0, 1, 1, 1]), actions=st.lists(st.one_of(CHANGES, EXCHANGES), max_size=40))
def test_both_sides_agree_on_the_partitions_whatever_is_lost(
    max_slots: int, actions: list[tuple[Any, ...]]
) -> None:
    pair = Pair(max_slots)
    for action in actions:
        if action[0] == "exchange":
            pair.exchange(*action[1:])
        else:
            pair.act(action)
    # At most one response may be refused after the losses: the one that finds the session gone.
    assert pair.exchange("none", []) or pair.exchange("none", [])
    assert pair.exchange("none", [])
    assert len(pair.follower) == len(pair.wanted)


def test_a_request_costs_what_changed_and_not_what_there_is() -> None:
    pair = Pair(1)
    for index in range(10_000):
        pair.want(index, 0)
    assert pair.exchange("none", [])
    pair.want(17, 2)
    pair.want(4_000, 0)
    pair.forget(18)
    request = pair.follower.next_request()
    assert ([each.index for each in request.partitions], request.forgotten) == ([17], [key(18)])
