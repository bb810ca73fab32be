"""A fetcher's task: when it asks and when it pauses, whom it is connected to, and which fetcher has which partition.

Tests: `shell.replicas.followers.leader_endpoint`.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
from trio.testing import MockClock

from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import UnsupportedVersionError
from kafkaproto.message import Message
from kafkaproto.messages import EndTxnMarker, FetchRequest, FetchResponse, ListOffsetsResponse
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto.records.control import ControlRecordType, encode_control_record
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.shell.net.peers import PeerError
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.followers import leader_endpoint
from kafkaproto_server.shell.replicas.followers.fetchers import (
    FIRST_BACKOFF_MS,
    THROTTLE_PAUSE_MS,
    Fetchers,
    PartitionData,
)
from kafkaproto_server.shell.replicas.followers.followed import Followed
from kafkaproto_server.shell.replicas.followers.leader_endpoint import ToLeaders
from kafkaproto_server.shell.replicas.followers.offsets import EARLIEST, LATEST
from tests.node.support.controllers import TrioClock, in_order
from tests.node.support.edge_rng import EdgeRng
from tests.shell.replicas.followers.test_fetchers import TOPIC_ID, Following, Offsets

BACKOFF_MS = 100
"""Of the fetchers' settings."""
SHORTEST = EdgeRng(is_greatest=False)
"""Makes each pause nine tenths as long, the least that may come."""
GONE = PeerError("leader", 1, "it is gone")


def records(base_offset: int, epoch: int = 1) -> bytes:
    return build_batch(
        [NewRecord(None, b"value")], base_offset=base_offset, partition_leader_epoch=epoch, timestamp_ms=1
    )


class Leader:
    """In place of connections to the leader. Its responses are those of `in_order`."""

    def __init__(self, *responses: Message | Exception) -> None:
        self._respond = in_order(*responses)
        self.asked_ms: list[int] = []
        self.requests: list[FetchRequest] = []
        self.connected: list[str] = []

    def connect(self, host: str, port: int, **named: Any) -> Any:
        name = f"{host}:{port}"
        self.connected.append(name)
        return SimpleNamespace(
            host=host, port=port, send=self.send, close=lambda: self.connected.append(f"not {name}")
        )

    async def send(self, request: Message, version: int, *, timeout_ms: int) -> Message:
        assert isinstance(request, FetchRequest)
        self.asked_ms.append(TrioClock().now_ms())
        self.requests.append(request)
        return await self._respond(request)


def fetched(**data: Any) -> FetchResponse:
    given = PartitionData(partition_index=0, **{"high_watermark": 0, **data})
    topic = FetchResponse.FetchableTopicResponse(topic_id=TOPIC_ID, partitions=[given])
    return FetchResponse(session_id=1, responses=[topic])


class Task:
    """A fetcher that runs, and the leader that it asks."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *responses: Message | Exception) -> None:
        self.following = Following()
        self.leader = Leader(*responses)
        monkeypatch.setattr(leader_endpoint, "PeerChannel", self.leader.connect)
        self.endpoint: Endpoint | None = Endpoint(name="B", host="h", port=1)
        self.epoch: int | None = 7
        self.later: list[tuple[int, Callable[[], None]]] = []
        owner = self.following.owner
        owner.connect, owner.rng = None, SHORTEST
        owner.endpoint, owner.broker_epoch = lambda broker_id: self.endpoint, lambda: self.epoch
        owner.call_at = lambda at_ms, call: self.later.append((at_ms, call))
        self.fetcher = self.following.fetcher

    async def run(self, seconds: float) -> None:
        with trio.move_on_after(seconds):
            await self.fetcher.run()


@pytest.mark.trio
class TestTask:
    async def test_it_asks_again_as_soon_as_it_has_a_response(
        self, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task = Task(monkeypatch, fetched(), FetchResponse(session_id=1))
        await task.run(1)
        assert task.leader.asked_ms == [0, 0, 0]
        assert task.leader.connected == ["h:1"]
        [first, second, third] = task.leader.requests
        assert (first.session_id, first.session_epoch, len(first.topics)) == (0, 0, 1)
        assert (second.session_id, second.session_epoch) == (1, 1)
        assert (third.session_id, third.session_epoch) == (1, 2)
        state = first.replica_state
        assert (state.replica_id, state.replica_epoch) == (1, 7)
        assert (first.max_wait_ms, first.min_bytes, first.max_bytes) == (500, 1, 1000)

    async def test_it_asks_for_nothing_while_there_is_nothing_to_copy(
        self, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task = Task(monkeypatch)
        task.fetcher.remove((TOPIC_ID, 0))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(task.run, 1)
            await trio.sleep(0.5)
            assert task.leader.asked_ms == []
            task.fetcher.add(Followed(task.following.hosted))
        assert task.leader.asked_ms == [500]

    async def test_it_asks_once_what_came_is_written(
        self, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task = Task(monkeypatch, fetched(records=records(0), high_watermark=1))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(task.run, 1)
            await trio.sleep(0.5)
            assert task.leader.asked_ms == [0]
            (job,) = task.following.jobs
            job.done(False)
        assert task.leader.asked_ms == [0, 500]
        [partition] = task.leader.requests[1].topics[0].partitions
        assert (partition.fetch_offset, partition.last_fetched_epoch) == (1, 1)
        assert task.following.replica.partition.high_watermark == 1

    async def test_it_asks_for_the_others_once_what_is_copied_no_more_is_written(
        self, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task = Task(monkeypatch, fetched(records=records(0)))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(task.run, 1)
            await trio.sleep(0.5)
            (job,) = task.following.jobs
            task.fetcher.remove((TOPIC_ID, 0))
            other = Following()
            other.replica.partition.index = 1
            task.fetcher.add(Followed(other.hosted))
            await trio.sleep(0.1)
            assert task.leader.asked_ms == [0]
            job.done(False)
        assert task.leader.asked_ms == [0, 600]

    async def test_a_job_that_fails_ends_its_wait_as_well(
        self, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task = Task(monkeypatch, fetched(records=records(0)))
        task.following.owner.replicas.failed = lambda hosted, error: None
        async with trio.open_nursery() as nursery:
            nursery.start_soon(task.run, 1)
            await trio.sleep(0.5)
            (job,) = task.following.jobs
            job.failed(OSError(errno.EIO, "a broken disk"))
            await trio.sleep(0.1)
            task.following.replica.partition.next_offset = 0
            task.fetcher.add(Followed(task.following.hosted))
        assert task.leader.asked_ms == [0, 600]

    async def test_it_asks_for_the_others_once_a_log_cannot_be_written(
        self, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task = Task(monkeypatch, fetched(records=records(0)))
        task.following.owner.replicas.failed = lambda hosted, error: None
        other = Following()
        other.replica.partition.index = 1
        async with trio.open_nursery() as nursery:
            nursery.start_soon(task.run, 1)
            await trio.sleep(0.5)
            task.fetcher.add(Followed(other.hosted))
            await trio.sleep(0.1)
            assert task.leader.asked_ms == [0]
            (job,) = task.following.jobs
            job.failed(OSError(errno.EIO, "a broken disk"))
        assert task.leader.asked_ms == [0, 600]

    async def test_it_asks_for_the_others_once_it_is_known_what_the_leader_has(
        self, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task = Task(monkeypatch, fetched(error_code=ErrorCode.OFFSET_OUT_OF_RANGE))
        other = Following()
        other.replica.partition.index = 1
        async with trio.open_nursery() as nursery:
            nursery.start_soon(task.run, 1)
            await trio.sleep(0.5)
            task.fetcher.add(Followed(other.hosted))
            ((find, followed),) = task.following.tasks
            # The leader's answer is awaited.
            await trio.sleep(0.1)
            assert task.leader.asked_ms == [0]
            task.fetcher._leader._peer = None
            await find(followed)
        assert task.leader.asked_ms == [0, 600]

    @pytest.mark.parametrize("lacks", ["endpoint", "epoch"])
    async def test_it_waits_for_the_leaders_address_and_for_its_own_epoch(
        self, lacks: str, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task = Task(monkeypatch)
        had = getattr(task, lacks)
        setattr(task, lacks, None)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(task.run, 1)
            await trio.sleep(0.25)
            setattr(task, lacks, had)
        # It looks once in the backoff.
        assert task.leader.asked_ms == [3 * BACKOFF_MS]

    @pytest.mark.parametrize("error", [GONE, UnsupportedVersionError("Fetch has no version 17 there")])
    async def test_pauses_grow_and_a_full_request_follows(
        self,
        error: Exception,
        autojump_clock: MockClock,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        caplog.set_level("INFO")
        task = Task(monkeypatch, fetched(), error, error, error, error, fetched(), error)
        await task.run(10)
        # After pauses of 45, 90, 90 and 90 ms; after a response the next pause is 45 ms again.
        assert task.leader.asked_ms == [0, 0, 45, 135, 225, 315, 315, 360]
        epochs = [each.session_epoch for each in task.leader.requests]
        assert epochs == [0, 1, 0, 0, 0, 0, 1, 0]
        # Of failures in a row the first is logged.
        assert len([each for each in caplog.messages if each.startswith("fetching from broker 2: ")]) == 2

    async def test_a_session_that_the_leader_does_not_know_begins_again_after_a_pause(
        self, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lost = FetchResponse(error_code=ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
        task = Task(monkeypatch, fetched(), lost)
        await task.run(10)
        assert task.leader.asked_ms == [0, 0, 45]
        assert [each.session_epoch for each in task.leader.requests] == [0, 1, 0]

    async def test_it_follows_its_leader_to_another_address(
        self, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task = Task(monkeypatch, GONE, GONE)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(task.run, 1)
            await trio.sleep(0.06)
            task.endpoint = Endpoint(name="B", host="h", port=2)
        assert task.leader.connected == ["h:1", "not h:1", "h:2"]


class TestPartitions:
    def test_a_refusal_is_followed_by_a_pause_that_grows_and_ends_with_a_response(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level("INFO")
        task = Task(monkeypatch)
        following = task.following
        waits = []
        for is_refused in (True, True, True, True, False, True):
            following.ask()
            error = ErrorCode.NOT_LEADER_OR_FOLLOWER if is_refused else ErrorCode.NONE
            following.respond(error_code=error)
            if is_refused:
                assert len(task.fetcher._session) == 0
                [(at_ms, again)] = task.later
                waits.append(at_ms)
                task.later.clear()
                again()
            assert len(task.fetcher._session) == 1
        first, longest = FIRST_BACKOFF_MS * 9 // 10, BACKOFF_MS * 9 // 10
        assert waits == [first, longest, longest, longest, first]
        assert len([each for each in caplog.messages if "NOT_LEADER_OR_FOLLOWER" in each]) == 2

    def test_what_was_refused_and_is_followed_no_more_is_not_asked_for_again(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task = Task(monkeypatch)
        task.following.ask()
        task.following.respond(error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER)
        task.fetcher.remove((TOPIC_ID, 0))
        ((_, again),) = task.later
        again()
        assert len(task.fetcher._session) == 0

    def test_what_comes_for_a_partition_that_is_followed_no_more_is_dropped(self) -> None:
        following = Following()
        following.ask()
        following.fetcher.remove((TOPIC_ID, 0))
        following.respond(records=records(0))
        assert following.jobs == []

    def test_a_log_whose_start_has_moved_is_not_asked_for_until_its_records_are_written(self) -> None:
        """To ask for what follows says that they are."""
        following = Following()
        moved: list[Callable[[], None]] = []
        following.owner.replicas.changes.move_start = lambda hosted, offset, done, failed: moved.append(done)
        following.ask()
        following.respond(records=records(5), log_start_offset=5)
        (done,), (job,) = moved, following.jobs
        done()
        assert following.ask() == []
        following.respond_to_nothing()
        job.done(False)
        assert following.ask() == [(2, 6)]

    def test_damaged_records_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        task = Task(monkeypatch)
        task.following.ask()
        sent = records(0)
        task.following.respond(records=sent[:-1] + bytes([sent[-1] ^ 1]))
        assert (task.following.jobs, len(task.later)) == ([], 1)

    def test_records_of_a_later_epoch_than_the_leaders_are_refused(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task = Task(monkeypatch)
        task.following.ask()
        task.following.respond(records=records(0, epoch=3))
        assert (task.following.jobs, len(task.later)) == ([], 1)

    def test_records_that_were_damaged_on_the_way_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        task = Task(monkeypatch)
        task.following.ask()
        sent = records(0)
        task.following.respond(records=sent[:-1] + bytes([sent[-1] ^ 1]))
        assert (task.following.jobs, len(task.later)) == ([], 1)

    def test_a_transaction_that_was_aborted_is_known_here_too(self) -> None:
        following = Following()
        producer: dict[str, Any] = {"producer_id": 7, "producer_epoch": 0, "transactional": True}
        sent = build_batch(
            [NewRecord(None, b"v")],
            base_offset=0,
            base_sequence=0,
            partition_leader_epoch=1,
            timestamp_ms=1,
            **producer,
        )
        end = build_batch(
            [NewRecord(*encode_control_record(ControlRecordType.ABORT, EndTxnMarker()))],
            base_offset=1,
            partition_leader_epoch=1,
            timestamp_ms=1,
            control=True,
            **producer,
        )
        following.ask()
        following.respond(records=sent + end)
        found = [(each.producer_id, each.first_offset) for each in following.replica.partition.aborted]
        assert found == [(7, 0)]

    @pytest.mark.parametrize("epoch", [0, 1])
    def test_a_log_that_leaves_the_leaders_is_cut_and_who_moves_it_hears_of_that(self, epoch: int) -> None:
        following = Following(log_end=5)
        heard: list[Hosted] = []
        following.owner.was_cut = heard.append
        following.ask()
        following.respond(diverging_epoch=FetchResponse.EpochEndOffset(epoch=epoch, end_offset=3))
        (job,) = following.jobs
        assert heard == []
        job.done(None)
        assert heard == [following.hosted]

    def test_a_fenced_epoch_is_asked_for_no_more(self, monkeypatch: pytest.MonkeyPatch) -> None:
        task = Task(monkeypatch)
        task.following.ask()
        task.following.respond(error_code=ErrorCode.FENCED_LEADER_EPOCH)
        assert (len(task.fetcher._session), task.later) == (0, [])

    def test_while_the_leader_is_asked_what_it_has_no_response_is_taken(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task = Task(monkeypatch)
        task.following.ask()
        task.following.respond(error_code=ErrorCode.OFFSET_OUT_OF_RANGE)
        assert (len(task.following.tasks), task.fetcher.busy) == (1, 1)
        task.following.ask()
        task.following.respond(records=records(0))
        assert task.following.jobs == []

    def test_while_a_log_is_being_changed_no_response_is_taken(self) -> None:
        following = Following()
        following.ask()
        following.respond(records=records(0))
        following.ask()
        following.respond(records=records(1))
        assert (len(following.jobs), following.fetcher.busy) == (1, 1)
        # To ask for what follows would say that it is written.
        assert following.ask() == []

    def test_the_leaders_high_watermark_and_start_are_taken_as_far_as_the_log_goes(self) -> None:
        following = Following(log_end=5)
        moved: list[int] = []
        following.owner.replicas.changes.move_start = lambda hosted, offset, done, failed: moved.append(
            offset
        )
        for start, high_watermark in ((0, 3), (4, 4), (9, 9)):
            following.ask()
            following.respond(high_watermark=high_watermark, log_start_offset=start)
        assert moved == [4, 5]
        assert following.replica.partition.high_watermark == 5
        (followed,) = following.fetcher._followed.values()
        assert not followed.has_all
        following.ask()
        following.respond(high_watermark=5)
        assert followed.has_all

    @pytest.mark.parametrize("end_offset", [5, 7])
    def test_a_log_that_ends_where_the_leaders_epoch_ends_is_not_cut(self, end_offset: int) -> None:
        following = Following(log_end=5)
        following.replica.partition.epochs.begin(2, 5)
        following.fetcher.add(Followed(following.hosted))
        following.ask()
        diverging = FetchResponse.EpochEndOffset(epoch=1, end_offset=end_offset)
        following.respond(diverging_epoch=diverging)
        assert following.jobs == []
        assert following.replica.partition.epochs.latest == 1
        assert following.ask() == [(2, 5)]

    @pytest.mark.parametrize("has_rolled", [True, False])
    def test_a_new_segment_is_reported_once_it_is_there(self, has_rolled: bool) -> None:
        following = Following()
        rolled: list[Hosted] = []
        following.owner.replicas.changes.has_rolled = rolled.append
        following.ask()
        following.respond(records=records(0), high_watermark=9)
        (job,) = following.jobs
        assert following.replica.partition.log_end_offset == 0
        job.done(has_rolled)
        partition = following.replica.partition
        assert (partition.log_end_offset, partition.high_watermark) == (1, 1)
        assert rolled == [following.hosted] * has_rolled

    def test_what_is_written_after_the_log_was_closed_is_not_there(self) -> None:
        following = Following()
        following.ask()
        following.respond(records=records(0), high_watermark=9)
        (job,) = following.jobs
        following.hosted.log = None
        job.done(True)
        assert following.replica.partition.log_end_offset == 0

    def test_what_was_cut_off_while_it_was_written_is_not_there(self) -> None:
        following = Following()
        following.ask()
        following.respond(records=records(0), high_watermark=9)
        (job,) = following.jobs
        following.replica.partition.next_offset = 0
        job.done(False)
        partition = following.replica.partition
        assert (partition.log_end_offset, partition.high_watermark) == (0, 0)

    def test_short_appends_are_done_at_once(self) -> None:
        following = Following()
        short: list[Any] = []
        cast(Any, following.hosted.lane).put_short = short.append
        cast(Any, following.hosted.log).is_short_append = lambda size_bytes, end_offset: (
            (size_bytes, end_offset) == (len(records(0)), 1)
        )
        following.ask()
        following.respond(records=records(0))
        assert (len(short), following.jobs) == (1, [])


class TestThrottle:
    def throttled(self, monkeypatch: pytest.MonkeyPatch) -> tuple[Task, SimpleNamespace, list[int]]:
        task = Task(monkeypatch)
        recorded: list[int] = []
        throttle = SimpleNamespace(
            holds_for=lambda hosted: True, is_exceeded=lambda: True, record=recorded.append
        )
        task.following.owner.throttle = task.following.owner.logs._throttle = throttle
        return task, throttle, recorded

    def test_what_is_not_there_yet_is_not_asked_for_while_the_rate_is_exceeded(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task, throttle, _ = self.throttled(monkeypatch)
        fetcher = task.fetcher
        for _ in range(2):
            fetcher.add(Followed(task.following.hosted))
            assert len(fetcher._session) == 0
        (followed,) = fetcher._followed.values()
        fetcher.want(followed)
        # One look later for each time that it was followed, however often it was wanted.
        assert [at_ms for at_ms, _ in task.later] == [THROTTLE_PAUSE_MS] * 2
        task.later.pop()[1]()
        assert (len(fetcher._session), len(task.later)) == (0, 2)
        throttle.is_exceeded = lambda: False
        task.later.pop()[1]()
        assert len(fetcher._session) == 1

    @pytest.mark.parametrize("exempt", ["has all", "not held", "not exceeded"])
    def test_others_are_asked_for(self, exempt: str, monkeypatch: pytest.MonkeyPatch) -> None:
        task, throttle, _ = self.throttled(monkeypatch)
        followed = Followed(task.following.hosted)
        followed.has_all = exempt == "has all"
        if exempt == "not held":
            throttle.holds_for = lambda hosted: False
        elif exempt == "not exceeded":
            throttle.is_exceeded = lambda: False
        task.fetcher.add(followed)
        assert (len(task.fetcher._session), task.later) == (1, [])

    def test_what_comes_counts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        task, throttle, recorded = self.throttled(monkeypatch)
        task.following.ask()
        task.following.respond(records=records(0))
        assert recorded == [len(records(0))]
        throttle.holds_for = lambda hosted: False
        for job in task.following.jobs:
            job.done(False)
        task.following.ask()
        task.following.respond(records=records(1))
        assert len(recorded) == 1


class TestOffsetsOfTheLeader:
    """Without them the leader is asked again later."""

    def find(self, monkeypatch: pytest.MonkeyPatch, response: Message | Exception | None) -> Task:
        task = Task(monkeypatch)
        task.following.ask()
        task.following.respond(error_code=ErrorCode.OFFSET_OUT_OF_RANGE)

        async def send(request: Message, version: int, *, timeout_ms: int) -> Message:
            await trio.lowlevel.checkpoint()
            if isinstance(response, Exception):
                raise response
            assert response is not None
            return response

        if response is not None:
            task.fetcher._leader._peer = cast(Any, SimpleNamespace(send=send))
        ((find, followed),) = task.following.tasks
        trio.run(find, followed)
        return task

    @pytest.mark.parametrize("what", ["no connection", "gone", "too old", "error", "nothing"])
    def test_they_are_not_known(self, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
        of_partition = ListOffsetsResponse.ListOffsetsPartitionResponse(
            error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER, offset=0
        )
        topic = ListOffsetsResponse.ListOffsetsTopicResponse(name="t", partitions=[of_partition])
        responses: dict[str, Message | Exception | None] = {
            "no connection": None,
            "gone": GONE,
            "too old": UnsupportedVersionError("ListOffsets has no version 11 there"),
            "error": ListOffsetsResponse(topics=[topic]),
            "nothing": ListOffsetsResponse(topics=[]),
        }
        task = self.find(monkeypatch, responses[what])
        assert (len(task.later), task.following.jobs, task.fetcher.busy) == (1, [], 0)
        assert not task.following.hosted.is_being_cut

    @pytest.mark.parametrize("unknown", [LATEST, EARLIEST])
    def test_one_of_them_is_not_known(self, unknown: int, monkeypatch: pytest.MonkeyPatch) -> None:
        task = Task(monkeypatch)

        async def offset(followed: Followed, timestamp: int) -> int | None:
            await trio.lowlevel.checkpoint()
            return None if timestamp == unknown else 3

        monkeypatch.setattr(task.fetcher._leader, "offset", offset)
        task.following.ask()
        task.following.respond(error_code=ErrorCode.OFFSET_OUT_OF_RANGE)
        ((find, followed),) = task.following.tasks
        trio.run(find, followed)
        assert (len(task.later), task.following.jobs) == (1, [])


async def started(
    nursery: trio.Nursery, count: int, asked: list[int], later: list[Callable[[], None]]
) -> tuple[Fetchers, Following]:
    """Fetchers that run. ``asked`` gets the leaders whose addresses they want to know, ``later`` what is to be called
    later."""
    following = Following()
    owner = following.owner
    fetchers = Fetchers(
        owner.config,
        count,
        leaders=ToLeaders(
            broker_id=1,
            rng=SHORTEST,
            connect=cast(Any, None),
            endpoint=lambda broker_id: asked.append(broker_id),
            broker_epoch=lambda: 7,
            metadata_version=owner.metadata_version,
        ),
        logs=owner.logs,
        clock=owner.clock,
        call_at=lambda at_ms, call: later.append(call),
        throttle=owner.throttle,
    )
    await nursery.start(fetchers.run)
    return fetchers, following


@pytest.mark.trio
class TestFetchers:
    async def started(self, nursery: trio.Nursery, count: int) -> tuple[Fetchers, Following]:
        self.asked: list[int] = []
        return await started(nursery, count, self.asked, [])

    async def test_partitions_are_spread_over_the_fetchers_of_their_leader(
        self, autojump_clock: MockClock
    ) -> None:
        async with trio.open_nursery() as nursery:
            fetchers, following = await self.started(nursery, 2)
            for index in range(4):
                following.replica.partition.index = index
                fetchers.follow(following.hosted)
            following.replica.see(leader=3, epoch=3, partition_epoch=3)
            fetchers.follow(following.hosted)
            found = {
                place: sorted(index for _, index in fetcher._followed)
                for place, fetcher in fetchers._fetchers.items()
            }
            assert sorted(indexes for (leader, _), indexes in found.items() if leader == 2) == [[0, 2], [1]]
            # The last one has another leader now.
            assert [indexes for (leader, _), indexes in found.items() if leader == 3] == [[3]]
            # All of them run, and look for their leaders.
            await trio.testing.wait_all_tasks_blocked()
            assert sorted(self.asked) == [2, 2, 3]
            nursery.cancel_scope.cancel()

    async def test_a_follower_whose_offset_the_leader_does_not_have_begins_where_the_leader_does(
        self, autojump_clock: MockClock
    ) -> None:
        async with trio.open_nursery() as nursery:
            fetchers, following = await self.started(nursery, 1)
            fetchers.follow(following.hosted)
            following.fetcher = fetcher = fetchers._fetchers[2, 0]
            fetcher._leader._peer = cast(Any, Offsets(latest=20, earliest=9))
            following.ask()
            await fetcher._take(fetched(error_code=ErrorCode.OFFSET_OUT_OF_RANGE))
            await trio.testing.wait_all_tasks_blocked()
            (job,) = following.jobs
            assert job.work() == 9
            nursery.cancel_scope.cancel()

    async def test_tasks_run_beside_the_fetchers(self, autojump_clock: MockClock) -> None:
        async with trio.open_nursery() as nursery:
            fetchers, following = await self.started(nursery, 1)
            ran: list[Followed] = []

            async def task(followed: Followed) -> None:
                await trio.lowlevel.checkpoint()
                ran.append(followed)

            followed = Followed(following.hosted)
            fetchers.start_soon(task, followed)
            await trio.testing.wait_all_tasks_blocked()
            assert ran == [followed]
            nursery.cancel_scope.cancel()

    async def test_what_is_followed_no_more_is_not_asked_for(self, autojump_clock: MockClock) -> None:
        async with trio.open_nursery() as nursery:
            fetchers, following = await self.started(nursery, 1)
            fetchers.follow(following.hosted)
            (fetcher,) = fetchers._fetchers.values()
            assert len(fetcher._session) == 1
            fetchers.unfollow((TOPIC_ID, 0))
            fetchers.unfollow((TOPIC_ID, 0))
            assert (len(fetcher._session), fetcher._followed) == (0, {})
            nursery.cancel_scope.cancel()
