"""Fetch sessions of a broker: what Apache Kafka answered, a slow model, and the rules one by one.

Tests: `core.replicas.fetch_session`.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import FetchRequest
from kafkaproto_server.base.types import ZERO_UUID
from kafkaproto_server.core.replicas.fetch_session import Counted, next_epoch
from kafkaproto_server.core.replicas.fetch_sessions import FetchContext, FetchSessions, FinishedFetch
from kafkaproto_server.requests.data import PartitionResult
from kafkaproto_server.requests.fetch_requests import FetchValues, PartitionFetch, fetch_values
from tests.core.replicas.support.fetch_dialogues import (
    DEFAULTS,
    PARTITIONS,
    UNKNOWN_TOPIC_ID,
    dialogues,
    fetch_request,
)
from tests.core.replicas.support.fetch_world import World
from tests.core.replicas.support.fetches import TOPIC_ID, fetch, request
from tests.core.replicas.support.slow_sessions import SlowSessions
from tests.shell.storage.support.helpers import SeededRng

NOW = 1_000


def nobody_counts(topic: bytes | str, number: int) -> None:
    """Requests are not counted."""


def sessions_of(world: World, max_slots: int = 1000, counted: Counted = nobody_counts) -> FetchSessions:
    return FetchSessions(SeededRng(), world.find, world.names.get, max_slots, counted)


def world_of(count: int) -> World:
    world = World()
    for index in range(count):
        world.create((TOPIC_ID, index))
    return world


def serve(
    world: World, sessions: FetchSessions, values: FetchValues, max_bytes: int = 1 << 20
) -> FinishedFetch[PartitionResult]:
    """One request from begin to finish."""
    context = sessions.begin(values, NOW)
    return context.finish(world.read(context.look(), max_bytes), NOW)


def indexes(finished: FinishedFetch[PartitionResult]) -> list[int]:
    assert finished.error_code == 0
    return [each.index for each, _ in finished.responses]


def begin_session(world: World, sessions: FetchSessions, count: int, *, is_quiet: bool = True) -> int:
    """A session with partitions 0 to ``count`` - 1, whose epoch is 2 if all of them have been found quiet, else 1."""
    session_id = serve(world, sessions, request(0, 0, [fetch(index) for index in range(count)])).session_id
    assert session_id > 0
    if is_quiet:
        assert indexes(serve(world, sessions, request(session_id, 1))) == []
    return session_id


class Replay:
    """One dialogue with the tested sessions, in the place of Apache Kafka's node."""

    def __init__(self) -> None:
        self.world = World()
        self.sessions = sessions_of(self.world)
        self.ids = {name: bytes([number]) * 16 for number, name in enumerate(PARTITIONS, start=1)}
        self.names = {name: name for name in PARTITIONS} | {"unknown": "unknown", "zero": ""}
        self.keys = {
            (name, index): ((self.ids[name], index), (name, index))
            for name, count in PARTITIONS.items()
            for index in range(count)
        }
        for keys in self.keys.values():
            self.world.create(*keys)
        self.ids |= {"unknown": UNKNOWN_TOPIC_ID, "zero": ZERO_UUID}
        self.session_id = 0

    def fetch(self, step: dict[str, Any]) -> dict[str, Any]:
        step = DEFAULTS | step
        named = {"none": 0, "current": self.session_id}.get(step["session"], step["session"])
        version = step["version"]
        encoded = fetch_request(step, self.names, self.ids, named).encode(version)
        values = fetch_values(FetchRequest.decode(encoded, version)[0], version)
        context = self.sessions.begin(values, NOW)
        fetches = context.look()
        results = self.world.read(fetches, step["max_bytes"])
        finished = context.finish(
            [self._as_broker(*each, values) for each in zip(fetches, results, strict=True)], NOW
        )
        label = "none" if finished.session_id == 0 else "new"
        if finished.session_id not in (0, self.session_id):
            self.session_id = finished.session_id
        elif finished.session_id:
            label = "current"
        partitions = [self._shown(*each, version) for each in finished.responses]
        # Apache Kafka's handler puts partitions behind the others that it does not find in the metadata.
        partitions.sort(key=lambda each: each[2] in (3, 100))
        return {"error": finished.error_code, "session": label, "partitions": partitions}

    def _as_broker(
        self, each: PartitionFetch, result: PartitionResult, values: FetchValues
    ) -> PartitionResult:
        """With the errors that the handler of the request finds."""
        error = 0
        if each.topic_name is None and each.topic_id in (ZERO_UUID, UNKNOWN_TOPIC_ID):
            error = ErrorCode.UNKNOWN_TOPIC_ID
        elif values.is_from_follower:
            error = ErrorCode.NOT_LEADER_OR_FOLLOWER
        elif each.current_leader_epoch > 0:
            error = ErrorCode.UNKNOWN_LEADER_EPOCH
        if error:
            return PartitionResult(error_code=error, high_watermark=-1, log_start_offset=-1)
        return result

    def _shown(self, each: PartitionFetch, result: PartitionResult, version: int) -> list[Any]:
        topic = each.topic_name or next(name for name, known in self.ids.items() if known == each.topic_id)
        return [
            topic,
            each.index,
            result.error_code,
            result.high_watermark,
            result.log_start_offset if version >= 5 else -1,
            list(range(each.fetch_offset, each.fetch_offset + result.records_bytes)),
        ]


@pytest.mark.parametrize("dialogue", dialogues(), ids=lambda each: each["shows"])
def test_responses_are_those_of_apache_kafka(dialogue: dict[str, Any]) -> None:
    replay = Replay()
    for step in dialogue["steps"]:
        if "append" in step:
            topic, index = step["append"]
            replay.world.append(replay.keys[topic, index][0])
        elif "delete_records" in step:
            topic, index, offset = step["delete_records"]
            replay.world.delete_records(replay.keys[topic, index][0], offset)
        else:
            assert replay.fetch(step["fetch"]) == step["response"], step["fetch"]


ACTIONS = st.one_of(
    st.tuples(st.just("append"), st.integers(0, 5)),
    st.tuples(st.just("append"), st.integers(0, 5)),
    st.tuples(st.just("delete_records"), st.integers(0, 5)),
    st.tuples(st.just("remove"), st.integers(0, 5)),
    st.tuples(st.just("create"), st.integers(0, 5)),
    st.tuples(
        st.just("fetch"),
        st.integers(0, 1),
        st.sampled_from(["next", "next", "next", "next", "next", "full", "final", "wrong"]),
        st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), max_size=5),
        st.lists(st.integers(0, 6), max_size=2),
        st.sampled_from([1, 2, 3, 1 << 20]),
    ),
)


class Clients:
    """Two clients, the second of which uses topic names, against the tested sessions and the model."""

    def __init__(self) -> None:
        self.world = World()
        self.sessions = sessions_of(self.world)
        self.model = SlowSessions(self.world)
        self.state = [(0, 0), (0, 0)]
        for index in range(6):
            self.create(index)

    def create(self, index: int) -> None:
        if (TOPIC_ID, index) not in self.world.hosted:
            self.world.create((TOPIC_ID, index), ("name", index))

    def remove(self, index: int) -> None:
        self.world.remove((TOPIC_ID, index))
        self.world.hosted.pop(("name", index), None)

    def act(self, action: tuple[Any, ...]) -> None:
        match action:
            case ("append", index) if (TOPIC_ID, index) in self.world.hosted:
                self.world.append((TOPIC_ID, index))
            case ("delete_records", index) if (TOPIC_ID, index) in self.world.hosted:
                self.world.delete_records((TOPIC_ID, index), self.world.hosted[TOPIC_ID, index].log_end - 1)
            case ("remove", index):
                self.remove(index)
            case ("create", index):
                self.create(index)
            case ("fetch", *rest):
                self.fetch(*rest)

    def fetch(
        self, client: int, kind: str, named: list[tuple[int, int]], forgotten: list[int], max_bytes: int
    ) -> None:
        name = "name" if client else None
        session_id, epoch = self.state[client]
        wanted_epoch = {"next": epoch, "full": 0, "final": -1, "wrong": epoch + 1}[kind]
        values = request(
            session_id,
            wanted_epoch,
            [fetch(index, offset, name=name) for index, offset in named],
            forgotten=[(name or TOPIC_ID, index) for index in forgotten],
            uses_topic_ids=not client,
        )
        finished = serve(self.world, self.sessions, values, max_bytes)
        (error, has_session, responses), new = self.model.fetch(values, max_bytes)
        assert (finished.error_code, finished.session_id != 0) == (error, has_session)
        assert finished.responses == responses
        if new is not None:
            self.model.sessions[finished.session_id] = new
        if not error:
            self.state[client] = (finished.session_id, next_epoch(wanted_epoch) if has_session else 0)

    def check(self) -> None:
        """The sessions have the same partitions, and no partition is watched for nothing."""
        cache = self.sessions.cache
        assert len(cache) == len(self.model.sessions)
        assert cache.partitions == sum(len(each.partitions) for each in self.model.sessions.values())
        entries: dict[Any, None] = {}
        for session_id, slow in self.model.sessions.items():
            session = cache.get(session_id)
            assert session is not None
            assert session.epoch == slow.epoch
            in_order = sorted(session.partitions.items(), key=lambda each: each[1].order)
            assert [(key, each.fetch) for key, each in in_order] == [
                (key, each.fetch) for key, each in slow.partitions
            ]
            assert session.pending.keys() <= set(session.partitions.values())
            entries |= dict.fromkeys(session.partitions.values())
        for partition in self.world.hosted.values():
            assert partition.watchers.keys() <= entries.keys()


@given(actions=st.lists(ACTIONS, max_size=40))
def test_responses_are_those_of_a_model_that_reads_all_partitions(actions: list[tuple[Any, ...]]) -> None:
    clients = Clients()
    for action in actions:
        clients.act(action)
        clients.check()
    for session_id, _ in clients.state:
        clients.sessions.begin(request(session_id, -1), NOW)
    assert not any(each.watchers for each in clients.world.hosted.values())


def test_long_random_histories_end_like_the_model() -> None:
    rng = random.Random(4)
    clients = Clients()
    for _ in range(3_000):
        index = rng.randrange(6)
        kind = rng.choices(["append", "delete_records", "remove", "create", "fetch"], [8, 2, 1, 4, 12])[0]
        if kind != "fetch":
            clients.act((kind, index))
            continue
        named = [(rng.randrange(7), rng.randrange(6)) for _ in range(rng.choice([0, 0, 1, 3]))]
        forgotten = [rng.randrange(7)] if rng.random() < 0.2 else []
        step = rng.choices(["next", "full", "final", "wrong"], [40, 1, 1, 1])[0]
        clients.act(("fetch", rng.randrange(2), step, named, forgotten, rng.choice([1, 3, 1 << 20])))
        clients.check()


def test_a_request_counts_for_all_partitions_of_its_session_by_topic() -> None:
    other = b"\x07" * 16
    # A topic takes a place in the metrics once something is counted.
    counts: dict[bytes | str, int] = {}

    def counted(topic: bytes | str, number: int) -> None:
        counts[topic] = counts.get(topic, 0) + number

    world = world_of(3)
    sessions = sessions_of(world, counted=counted)
    fetches = [*map(fetch, range(3)), fetch(0, topic_id=other)]
    # The request that begins a session is counted by who serves it.
    session_id = serve(world, sessions, request(0, 0, fetches[:2])).session_id
    session = sessions.cache.get(session_id)
    assert session is not None
    assert session.settle() == 1
    assert counts == {}
    serve(world, sessions, request(session_id, 1))
    serve(world, sessions, request(session_id, 2))
    session.settle()
    assert counts == {TOPIC_ID: 4}
    # One more of each topic, then one less; each request counts with the partitions that there were.
    serve(world, sessions, request(session_id, 3))
    serve(world, sessions, request(session_id, 4, fetches[2:]))
    assert session.settle() == 2
    serve(world, sessions, request(session_id, 5, forgotten=[(TOPIC_ID, 0), (other, 0)]))
    assert session.settle() == 1
    assert counts == {TOPIC_ID: 4 + 2 + 3 + 2, other: 1}
    serve(world, sessions, request(session_id, 6))
    sessions.cache.remove(session_id)
    assert counts == {TOPIC_ID: 13, other: 1}
    assert session.settle() == 0
    assert counts == {TOPIC_ID: 13, other: 1}


def test_a_request_looks_at_what_changed_and_nothing_else() -> None:
    world = world_of(10_000)
    sessions = sessions_of(world)
    session_id = begin_session(world, sessions, 10_000)
    for index in (17, 9_999, 4_000):
        world.append((TOPIC_ID, index))
    world.finds = 0
    context = sessions.begin(request(session_id, 2, [fetch(3)]), NOW)
    assert [each.index for each in context.look()] == [3, 17, 4_000, 9_999]
    assert world.finds == 4


def test_a_partition_with_records_is_looked_at_until_they_are_fetched() -> None:
    world = world_of(2)
    sessions = sessions_of(world)
    session_id = begin_session(world, sessions, 2)
    world.append((TOPIC_ID, 1))
    for epoch in (2, 3):
        assert indexes(serve(world, sessions, request(session_id, epoch))) == [1]
    assert indexes(serve(world, sessions, request(session_id, 4, [fetch(1, 1)]))) == []
    assert sessions.begin(request(session_id, 5), NOW).look() == []


def test_records_that_a_quota_holds_back_are_looked_at_again() -> None:
    world = world_of(1)
    sessions = sessions_of(world)
    session_id = begin_session(world, sessions, 1)
    world.append((TOPIC_ID, 0))
    for epoch in (2, 3):
        context = sessions.begin(request(session_id, epoch), NOW)
        assert len(context.look()) == 1
        held_back = PartitionResult(high_watermark=1, log_start_offset=0, is_limited=True)
        context.finish([held_back], NOW)
    assert indexes(serve(world, sessions, request(session_id, 4))) == [0]


@pytest.mark.parametrize(
    "result",
    [
        PartitionResult(high_watermark=0, log_start_offset=0, preferred_read_replica=3),
        PartitionResult(high_watermark=0, log_start_offset=0, is_diverging=True),
        PartitionResult(high_watermark=-1, log_start_offset=-1, error_code=6),
        PartitionResult(high_watermark=0, log_start_offset=0, records_bytes=1),
    ],
)
def test_what_would_be_said_again_is_said_in_each_response(result: PartitionResult) -> None:
    world = world_of(1)
    sessions = sessions_of(world)
    session_id = begin_session(world, sessions, 1)
    world.hosted[TOPIC_ID, 0].changed()
    for epoch in (2, 3):
        context = sessions.begin(request(session_id, epoch), NOW)
        context.look()
        assert len(context.finish([result], NOW).responses) == 1


@pytest.mark.parametrize(
    "result",
    [
        PartitionResult(high_watermark=7, log_start_offset=0),
        PartitionResult(high_watermark=0, log_start_offset=7),
    ],
)
def test_a_moved_offset_is_said_once(result: PartitionResult) -> None:
    world = world_of(1)
    sessions = sessions_of(world)
    session_id = begin_session(world, sessions, 1)
    world.hosted[TOPIC_ID, 0].changed()
    context = sessions.begin(request(session_id, 2), NOW)
    context.look()
    assert len(context.finish([result], NOW).responses) == 1
    assert sessions.begin(request(session_id, 3), NOW).look() == []


def test_a_partition_is_said_once_more_when_its_error_is_gone() -> None:
    world = world_of(1)
    sessions = sessions_of(world)
    session_id = begin_session(world, sessions, 1)
    world.hosted[TOPIC_ID, 0].changed()
    for epoch, error, said in ((2, 6, 1), (3, 0, 1), (4, 0, 0)):
        context = sessions.begin(request(session_id, epoch), NOW)
        results = [PartitionResult(error_code=error, high_watermark=5, log_start_offset=0)] * len(
            context.look()
        )
        assert len(context.finish(results, NOW).responses) == said


@pytest.mark.parametrize("is_first", [True, False])
def test_offsets_that_came_with_diverging_logs_are_said_once_more_when_they_agree(is_first: bool) -> None:
    # The follower cuts its log, and takes no high watermark from such a response.
    world = world_of(1)
    sessions = sessions_of(world)
    diverging = PartitionResult(high_watermark=5, log_start_offset=0, is_diverging=True)
    agreeing = PartitionResult(high_watermark=5, log_start_offset=0)
    if is_first:
        context = sessions.begin(request(0, 0, [fetch(0)]), NOW)
        context.look()
        session_id, epoch = context.finish([diverging], NOW).session_id, 1
    else:
        session_id, epoch = begin_session(world, sessions, 1), 3
        context = sessions.begin(request(session_id, 2, [fetch(0)]), NOW)
        context.look()
        context.finish([diverging], NOW)
    for said in (1, 0):
        context = sessions.begin(request(session_id, epoch, [fetch(0)]), NOW)
        context.look()
        assert len(context.finish([agreeing], NOW).responses) == said
        epoch += 1


def test_a_partition_that_nobody_can_watch_is_looked_at_in_each_request() -> None:
    world = World()
    sessions = sessions_of(world)
    session_id = serve(world, sessions, request(0, 0, [fetch(0)])).session_id
    for epoch in (1, 2, 3):
        context = sessions.begin(request(session_id, epoch), NOW)
        assert len(context.look()) == 1
        context.finish([PartitionResult(high_watermark=0, log_start_offset=0)], NOW)


def test_a_change_between_look_and_response_is_looked_at_in_the_next_request() -> None:
    world = world_of(1)
    sessions = sessions_of(world)
    session_id = begin_session(world, sessions, 1, is_quiet=False)
    context = sessions.begin(request(session_id, 1), NOW)
    results = world.read(context.look(), 1)
    world.append((TOPIC_ID, 0))
    assert indexes(context.finish(results, NOW)) == []
    assert indexes(serve(world, sessions, request(session_id, 2))) == [0]


def test_partitions_without_result_stay_pending() -> None:
    world = world_of(3)
    sessions = sessions_of(world)
    session_id = begin_session(world, sessions, 3, is_quiet=False)
    context = sessions.begin(request(session_id, 1), NOW)
    assert indexes(context.finish(world.read(context.look(), 1)[:1], NOW)) == []
    assert [each.index for each in sessions.begin(request(session_id, 2), NOW).look()] == [1, 2]


def test_a_partition_that_comes_to_this_broker_is_watched_from_then_on() -> None:
    world = World()
    sessions = sessions_of(world)
    session_id = serve(world, sessions, request(0, 0, [fetch(0)])).session_id
    assert indexes(serve(world, sessions, request(session_id, 1))) == [0]
    world.create((TOPIC_ID, 0))
    assert indexes(serve(world, sessions, request(session_id, 2))) == [0]
    assert indexes(serve(world, sessions, request(session_id, 3))) == []
    world.append((TOPIC_ID, 0))
    assert indexes(serve(world, sessions, request(session_id, 4))) == [0]


def test_a_partition_that_is_hosted_anew_is_watched_instead_of_the_old_one() -> None:
    world = world_of(1)
    sessions = sessions_of(world)
    session_id = begin_session(world, sessions, 1)
    old = world.hosted[TOPIC_ID, 0]
    world.remove((TOPIC_ID, 0))
    world.create((TOPIC_ID, 0))
    assert indexes(serve(world, sessions, request(session_id, 2))) == []
    assert not old.watchers
    world.append((TOPIC_ID, 0))
    assert indexes(serve(world, sessions, request(session_id, 3))) == [0]


def test_a_closed_session_and_a_forgotten_partition_are_watchers_no_more() -> None:
    world = world_of(2)
    sessions = sessions_of(world)
    session_id = begin_session(world, sessions, 2)
    assert [len(each.watchers) for each in world.hosted.values()] == [1, 1]
    serve(world, sessions, request(session_id, 2, forgotten=[(TOPIC_ID, 0)]))
    assert [len(each.watchers) for each in world.hosted.values()] == [0, 1]
    assert sessions.cache.partitions == 1
    serve(world, sessions, request(session_id, -1))
    assert [len(each.watchers) for each in world.hosted.values()] == [0, 0]
    assert (len(sessions.cache), sessions.cache.partitions) == (0, 0)


def test_a_repeated_request_that_overtakes_is_served_and_the_first_one_refused() -> None:
    world = world_of(1)
    sessions = sessions_of(world)
    session_id = begin_session(world, sessions, 1, is_quiet=False)
    first = sessions.begin(request(session_id, 1), NOW)
    results = world.read(first.look(), 1)
    second = sessions.begin(request(session_id, 2), NOW)
    assert first.look() == []
    first.wait(lambda _: pytest.fail("another request has continued the session"))
    first.cancel()
    world.append((TOPIC_ID, 0))
    refused = first.finish(results, NOW)
    assert refused == (ErrorCode.INVALID_FETCH_SESSION_EPOCH, session_id, [])
    assert indexes(second.finish(world.read(second.look(), 1), NOW)) == [0]


def test_the_end_of_a_request_that_was_overtaken_does_not_end_the_wait_of_the_next() -> None:
    world = world_of(1)
    sessions = sessions_of(world)
    session_id = begin_session(world, sessions, 1)
    first = sessions.begin(request(session_id, 2), NOW)
    first.look()
    second = sessions.begin(request(session_id, 3), NOW)
    second.look()
    woken: list[PartitionFetch] = []
    second.wait(woken.append)
    first.cancel()
    world.append((TOPIC_ID, 0))
    assert len(woken) == 1


def test_a_request_whose_session_is_evicted_meanwhile_is_answered_and_the_next_one_refused() -> None:
    world = world_of(2)
    sessions = sessions_of(world, max_slots=1)
    session_id = begin_session(world, sessions, 1, is_quiet=False)
    world.append((TOPIC_ID, 0))
    context = sessions.begin(request(session_id, 1), NOW)
    results = world.read(context.look(), 1)
    follower = request(0, 0, [fetch(1)], replica_id=2)
    assert serve(world, sessions, follower).session_id != session_id
    assert not world.hosted[TOPIC_ID, 0].watchers
    assert context.finish(results, NOW).session_id == session_id
    refused = serve(world, sessions, request(session_id, 2))
    assert refused.error_code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND


def test_a_session_in_which_nothing_is_pending_has_something_to_wait_for() -> None:
    world = world_of(1)
    sessions = sessions_of(world)
    session_id = begin_session(world, sessions, 1)
    quiet = sessions.begin(request(session_id, 2), NOW)
    assert (quiet.look(), quiet.size > 0) == ([], True)
    assert sessions.begin(request(0, -1), NOW).size == 0


def test_without_a_place_a_full_request_has_no_session() -> None:
    world = world_of(1)
    sessions = sessions_of(world, max_slots=0)
    finished = serve(world, sessions, request(0, 0, [fetch(0)]))
    assert (finished.session_id, indexes(finished)) == (0, [0])


def test_epoch_one_follows_the_largest() -> None:
    world = world_of(1)
    sessions = sessions_of(world)
    session_id = begin_session(world, sessions, 1)
    session = sessions.cache.get(session_id)
    assert session is not None
    session.epoch = 2**31 - 1
    assert serve(world, sessions, request(session_id, 2**31 - 1)).error_code == 0
    assert serve(world, sessions, request(session_id, 1)).error_code == 0
    assert serve(world, sessions, request(session_id, 2)).error_code == 0


def waiting_contexts() -> list[tuple[str, World, FetchContext]]:
    world = world_of(2)
    sessions = sessions_of(world)
    session_id = begin_session(world, sessions, 2)
    other = world_of(2)
    without = sessions_of(other).begin(request(0, -1, [fetch(0), fetch(1), fetch(9)]), NOW)
    return [
        ("with a session", world, sessions.begin(request(session_id, 2), NOW)),
        ("without a session", other, without),
    ]


@pytest.mark.parametrize("case", [0, 1], ids=lambda case: waiting_contexts()[case][0])
@pytest.mark.parametrize("end", ["cancel", "finish", "throttled"])
def test_a_waiting_request_hears_of_changes_until_it_ends(case: int, end: str) -> None:
    _, world, context = waiting_contexts()[case]
    calls: list[None] = []
    fetches = context.look()
    assert context.size > 0
    context.wait(lambda _: calls.append(None))
    world.append((TOPIC_ID, 1))
    assert len(calls) == 1
    if end == "cancel":
        context.cancel()
    elif end == "throttled":
        assert context.throttled().responses == []
    else:
        context.finish(world.read(fetches, 1), NOW)
    world.append((TOPIC_ID, 0))
    assert len(calls) == 1


def test_a_throttled_request_begins_no_session_and_settles_nothing_in_one() -> None:
    world = world_of(1)
    sessions = sessions_of(world)
    assert sessions.begin(request(0, 0, [fetch(0)]), NOW).throttled() == (0, 0, [])
    assert len(sessions.cache) == 0
    session_id = begin_session(world, sessions, 1, is_quiet=False)
    world.append((TOPIC_ID, 0))
    context = sessions.begin(request(session_id, 1), NOW)
    context.look()
    assert context.throttled() == (0, session_id, [])
    assert indexes(serve(world, sessions, request(session_id, 2))) == [0]


def test_results_have_to_be_those_of_the_look() -> None:
    world = world_of(1)
    sessions = sessions_of(world)
    session_id = begin_session(world, sessions, 1)
    context = sessions.begin(request(session_id, 2), NOW)
    context.look()
    with pytest.raises(AssertionError, match="more results"):
        context.finish([PartitionResult(high_watermark=0, log_start_offset=0)], NOW)
    with pytest.raises(ValueError, match="shorter"):
        sessions.begin(request(0, -1, [fetch(0)]), NOW).finish([], NOW)


def test_a_session_that_grows_beyond_its_room_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkaproto_server.core.replicas.fetch_session_cache.MAX_PARTITIONS", 5)
    monkeypatch.setattr("kafkaproto_server.core.replicas.fetch_session_cache.FEW_PARTITIONS", 2)
    world = world_of(10)
    sessions = sessions_of(world)
    session_id = begin_session(world, sessions, 4, is_quiet=False)
    grown = serve(world, sessions, request(session_id, 1, [fetch(4)]))
    assert (grown.error_code, grown.session_id) == (0, session_id)
    refused = serve(world, sessions, request(session_id, 2, [fetch(5)]))
    assert refused.error_code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert sessions.cache.partitions == len(sessions.cache) == 0
    # Without a session, it is served all the same.
    full = serve(world, sessions, request(0, 0, [fetch(index) for index in range(6)]))
    assert (full.error_code, full.session_id, len(full.responses)) == (0, 0, 6)


def test_without_room_a_session_goes_on_as_long_as_it_does_not_become_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kafkaproto_server.core.replicas.fetch_session_cache.FEW_PARTITIONS", 2)
    world = world_of(10)
    sessions = sessions_of(world)
    large = begin_session(world, sessions, 4, is_quiet=False)
    small = begin_session(world, sessions, 2, is_quiet=False)
    monkeypatch.setattr("kafkaproto_server.core.replicas.fetch_session_cache.MAX_PARTITIONS", 5)
    for session_id in (large, small):
        assert serve(world, sessions, request(session_id, 1)).error_code == 0
    grown = serve(world, sessions, request(small, 2, [fetch(2)]))
    assert grown.error_code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert sessions.cache.partitions == 4


def test_a_session_knows_the_names_that_its_topics_had() -> None:
    world = world_of(2)
    world.names[TOPIC_ID] = "t"
    sessions = sessions_of(world)
    session_id = begin_session(world, sessions, 2, is_quiet=False)
    del world.names[TOPIC_ID]
    late = b"\x09" * 16
    context = sessions.begin(request(session_id, 1, [fetch(0, topic_id=late)]), NOW)
    assert (context.known_name(TOPIC_ID), context.known_name(late)) == ("t", None)
    context.finish(world.read(context.look(), 1), NOW)
    # The metadata comes later than the request.
    world.names[late] = "late"
    context = sessions.begin(request(session_id, 2), NOW)
    assert (context.known_name(TOPIC_ID), context.known_name(late)) == ("t", "late")
    context.finish(world.read(context.look(), 1), NOW)
    context = sessions.begin(request(session_id, 3, forgotten=[(late, 0)]), NOW)
    assert context.known_name(late) is None


def test_a_request_knows_the_names_of_its_topics_while_it_waits() -> None:
    world = world_of(1)
    world.names[TOPIC_ID] = "t"
    sessions = sessions_of(world)
    for epoch in (-1, 0):
        context = sessions.begin(request(0, epoch, [fetch(0)]), NOW)
        del world.names[TOPIC_ID]
        assert context.known_name(TOPIC_ID) == "t"
        assert sessions.begin(request(0, epoch, [fetch(0)]), NOW).known_name(TOPIC_ID) is None
        world.names[TOPIC_ID] = "t"
