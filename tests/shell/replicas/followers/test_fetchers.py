"""A fetcher takes a response only for what it asked, and nobody leads with a log that is being cut.

Tests: `shell.replicas.followers.fetcher_values`, `shell.replicas.followers.followed`,
`shell.replicas.followers.log_changes`.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import EndTxnMarker, FetchResponse, ListOffsetsRequest, ListOffsetsResponse
from kafkaproto.records.batch import NewRecord, RecordBatchView, build_batch
from kafkaproto.records.control import ControlRecordType, encode_control_record
from kafkaproto.transaction_index import AbortedTransaction
from kafkaproto_server.base.metrics.topics import TopicMetrics
from kafkaproto_server.core.log_state.leader_epochs import LeaderEpochs
from kafkaproto_server.core.replicas.partition import NO_EPOCH, Role
from kafkaproto_server.metadata.features import LATEST_METADATA_VERSION
from kafkaproto_server.shell.net.peers import PeerError
from kafkaproto_server.shell.replicas.files.checkpointed import Checkpointed
from kafkaproto_server.shell.replicas.files.disk_jobs import DiskJob
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.followers.fetcher_values import FetcherConfig
from kafkaproto_server.shell.replicas.followers.fetchers import (
    PARTITIONS_AT_ONCE,
    Fetchers,
    PartitionData,
    _Fetcher,
)
from kafkaproto_server.shell.replicas.followers.followed import Followed
from kafkaproto_server.shell.replicas.followers.log_changes import LogChanges
from tests.apis.support.data_broker import ME, OTHER, DataBroker, batch
from tests.core.replicas.test_partition import Replica
from tests.node.support.nodes import SeededRng
from tests.node.support.tasks import Turns
from tests.support.old_logs import RECORDS, files

TOPIC_ID = bytes(range(16))
WALL_MS = 1_700_000_000_000
BATCH = build_batch([NewRecord(None, b"value")], base_offset=0, partition_leader_epoch=1, timestamp_ms=1)


def cut(offset: int, wall_ms: int) -> int:
    """In place of the methods that cut a log: returns to where."""
    return offset


class Following:
    """Broker 1 follows broker 2; the jobs for its disk wait in a list."""

    def __init__(self, *, log_end: int = 0) -> None:
        self.replica = Replica(log_end=log_end)
        self.replica.see(leader=2, epoch=2)
        self.jobs: list[DiskJob] = []
        self.applied: list[Hosted] = []
        lane = SimpleNamespace(put=self.jobs.append)
        self.hosted = Hosted(
            self.replica.partition, bytes(16), cast(Any, lane), cast(Any, None), Checkpointed()
        )
        self.hosted.log = cast(
            Any,
            SimpleNamespace(
                append=len,
                truncate_to=cut,
                truncate_fully_to=cut,
                is_short_append=lambda size_bytes, end_offset: False,
            ),
        )
        config = FetcherConfig(
            max_wait_ms=500,
            min_bytes=1,
            partition_max_bytes=1000,
            response_max_bytes=1000,
            timeout_ms=1000,
            backoff_ms=100,
        )
        clock = SimpleNamespace(now_ms=lambda: 0, wall_ms=lambda: WALL_MS)
        self.cuts: list[Any] = []
        self.complete: list[Hosted] = []
        self.promised: list[int] = []
        """What is still there while a log is cut, for each cut."""
        replicas = SimpleNamespace(
            apply=self.applied.append,
            will_be_cut=lambda hosted, promised: self.promised.append(promised),
            was_cut=lambda hosted, found: self.cuts.append(found),
            has_all_again=lambda hosted: self.complete.append(hosted),
        )
        replicas.changes = replicas
        owner = self.owner = SimpleNamespace(
            config=config,
            clock=clock,
            replicas=replicas,
            call_at=None,
            was_cut=lambda hosted: None,
            throttle=SimpleNamespace(holds_for=lambda hosted: False),
            broker_id=1,
            metadata_version=lambda: LATEST_METADATA_VERSION.level,
            metrics=TopicMetrics(),
        )
        # It is the way to the leaders as well.
        owner.leaders = owner
        owner.logs = LogChanges(
            cast(Any, replicas),
            cast(Any, clock),
            owner.throttle,
            owner.metrics,
            lambda hosted: owner.was_cut(hosted),
        )
        self.tasks: list[tuple[Any, Followed]] = []
        owner.start_soon = lambda task, followed: self.tasks.append((task, followed))
        self.fetcher = _Fetcher(cast(Fetchers, owner), (2, 0))
        self.fetcher.add(Followed(self.hosted))

    def ask(self) -> list[tuple[int, int]]:
        """Send a request: leader epoch and offset of each partition in it."""
        request = self.fetcher._next_request(7)
        return [
            (each.current_leader_epoch, each.fetch_offset)
            for topic in request.topics
            for each in topic.partitions
        ]

    def respond(self, **data: Any) -> None:
        """Take a response to it."""
        given = FetchResponse.PartitionData(partition_index=0, **{"high_watermark": 0, **data})
        topic = FetchResponse.FetchableTopicResponse(topic_id=TOPIC_ID, partitions=[given])
        trio.run(self.fetcher._take, FetchResponse(session_id=1, responses=[topic]))

    def respond_to_nothing(self) -> None:
        """Take a response in which there is no partition."""
        trio.run(self.fetcher._take, FetchResponse(session_id=1))


def test_a_follower_asks_for_what_follows_once_it_has_written_what_it_took_before() -> None:
    """Otherwise its leader would count records that it does not have yet."""
    following = Following()
    following.ask()
    following.respond(error_code=0, records=BATCH)
    following.replica.see(leader=3, epoch=3, partition_epoch=3)
    following.fetcher = _Fetcher(cast(Fetchers, following.owner), (3, 0))
    following.fetcher.add(Followed(following.hosted))
    assert len(following.fetcher._session) == 0
    for job in following.jobs:
        job.done(False)
    assert following.ask() == [(3, 1)]


@pytest.mark.parametrize("adding", [(), (1,), (3,)])
def test_what_is_copied_counts_also_as_reassigned_if_the_reassignment_adds_this_replica(
    adding: tuple[int, ...],
) -> None:
    following = Following()
    following.hosted.image = cast(Any, SimpleNamespace(adding_replicas=adding))
    following.ask()
    # The leader's limit may have cut a batch short, which is not copied.
    following.respond(error_code=0, records=BATCH + BATCH[:20])
    metrics = following.owner.metrics
    assert metrics.replication_bytes_in == len(BATCH)
    assert metrics.reassignment_bytes_in == (len(BATCH) if adding == (1,) else 0)


def of_producer(base_offset: int, sequence: int, end: ControlRecordType | None = None) -> bytes:
    """A record in a transaction, or the end of one."""
    marker = EndTxnMarker(coordinator_epoch=0)
    record = NewRecord(None, b"v") if end is None else NewRecord(*encode_control_record(end, marker))
    return build_batch(
        [record],
        base_offset=base_offset,
        partition_leader_epoch=1,
        timestamp_ms=1,
        control=end is not None,
        transactional=True,
        producer_id=9,
        producer_epoch=0,
        base_sequence=sequence,
    )


def test_only_the_end_of_an_aborted_transaction_is_noted_as_one() -> None:
    following = Following()
    noted: list[list[AbortedTransaction]] = []
    cast(Any, following.hosted.log).append = lambda batches, aborted, wall_ms: noted.append(aborted)
    for sent in (
        of_producer(0, 0),
        of_producer(1, -1, ControlRecordType.COMMIT),
        of_producer(2, 1),
        of_producer(3, -1, ControlRecordType.ABORT),
    ):
        following.ask()
        following.respond(records=sent)
        job = following.jobs.pop()
        job.work()
        job.done(False)
    aborted = following.replica.partition.aborted
    assert [(each.first_offset, each.last_offset) for each in aborted] == [(2, 3)]
    assert noted == [[], [], [], aborted]


def test_a_follower_knows_a_producer_as_long_as_after_a_batch_of_today_though_its_records_are_old() -> None:
    following = Following()
    sent = build_batch(
        [NewRecord(None, b"v")],
        base_offset=0,
        partition_leader_epoch=1,
        timestamp_ms=1,
        producer_id=9,
        producer_epoch=0,
        base_sequence=0,
    )
    following.ask()
    following.respond(records=sent)
    producers = following.replica.partition.producers
    for passed_ms, is_known in ((999, True), (1_000, False)):
        for _ in producers.expire(WALL_MS + passed_ms, 1_000):
            pass
        assert producers.knows(9) is is_known


def test_what_was_asked_before_a_full_request_is_not_kept() -> None:
    following = Following()
    following.ask()
    following.fetcher.remove((TOPIC_ID, 0))
    following.fetcher._session.handle_failure()
    assert following.ask() == []
    assert following.fetcher._asked == {}


def test_a_refusal_of_the_epoch_before_does_not_end_the_fetching_in_the_new_one() -> None:
    following = Following()
    assert following.ask() == [(2, 0)]
    following.replica.see(leader=2, epoch=3, partition_epoch=3)
    following.fetcher.add(Followed(following.hosted))
    following.respond(error_code=ErrorCode.FENCED_LEADER_EPOCH)
    assert following.ask() == [(3, 0)]


def test_records_for_another_offset_are_not_appended() -> None:
    following = Following(log_end=5)
    assert following.ask() == [(2, 5)]
    following.replica.partition.next_offset = 3
    later = BATCH[:7] + bytes([5]) + BATCH[8:]
    following.respond(error_code=0, records=later)
    assert not following.jobs
    assert following.ask() == [(2, 3)]


@pytest.mark.parametrize("log", ["v0-none", "v0-gzip", "v1-lz4", "mixed"])
def test_batches_of_old_formats_are_appended_as_they_come(log: str) -> None:
    """They have no epoch, so they begin none."""
    following = Following()
    content = b"".join(data for name, data in files(log).items() if name.endswith(".log"))
    following.ask()
    # A part of another batch at the end is left out.
    following.respond(error_code=0, records=content + content[:30], high_watermark=40)
    partition = following.replica.partition
    assert partition.next_offset == len(RECORDS[log])
    assert partition.epochs.entries == (((1, 80),) if log == "mixed" else ())
    (job,) = following.jobs
    job.done(False)
    assert following.ask() == [(2, len(RECORDS[log]))]


def test_what_the_metadata_says_while_a_log_is_cut_is_applied_to_what_is_left() -> None:
    following = Following(log_end=5)
    following.ask()
    diverging = FetchResponse.EpochEndOffset(epoch=1, end_offset=3)
    following.respond(error_code=0, diverging_epoch=diverging)
    told: list[Hosted] = []
    following.owner.was_cut = told.append
    (job,) = following.jobs
    assert following.hosted.is_being_cut
    job.done("what is left")
    assert not following.hosted.is_being_cut
    assert (following.cuts, told) == (["what is left"], [following.hosted])
    assert following.applied == [following.hosted]
    # The next response is taken again.
    following.ask()
    following.respond(error_code=0, diverging_epoch=diverging)
    assert len(following.jobs) == 2


def test_a_log_is_cut_also_where_the_first_of_all_epochs_ends() -> None:
    following = Following(log_end=5)
    following.replica.partition.epochs = LeaderEpochs([(0, 0)])
    following.ask()
    following.respond(error_code=0, diverging_epoch=FetchResponse.EpochEndOffset(epoch=0, end_offset=3))
    (job,) = following.jobs
    assert job.work() == 3


@pytest.mark.parametrize(("log_start", "expected"), [(3, 3), (4, "all, to 3")])
def test_a_log_that_starts_behind_its_leaders_end_is_emptied(log_start: int, expected: object) -> None:
    following = Following(log_end=5)
    following.replica.partition.log_start_offset = log_start
    cast(Any, following.hosted.log).truncate_fully_to = lambda offset, wall_ms: f"all, to {offset}"
    following.ask()
    diverging = FetchResponse.EpochEndOffset(epoch=1, end_offset=3)
    following.respond(error_code=0, diverging_epoch=diverging)
    (job,) = following.jobs
    assert job.work() == expected


def test_a_log_may_diverge_from_the_first_epoch_of_all() -> None:
    following = Following(log_end=5)
    following.replica.partition.epochs.begin(0, 0)
    following.ask()
    diverging = FetchResponse.EpochEndOffset(epoch=0, end_offset=3)
    following.respond(diverging_epoch=diverging)
    assert following.hosted.is_being_cut


@pytest.mark.parametrize(
    ("leader_start", "base_offset", "begins_again"),
    [(5, 4, True), (7, 4, True), (5, 5, False), (3, 4, False)],
    ids=["within a batch", "farther", "at a batch", "it has more"],
)
def test_a_log_of_which_the_leader_has_nothing_begins_again_within_its_first_batch(
    leader_start: int, base_offset: int, begins_again: bool
) -> None:
    # An unclean election: the new leader's log began anew, and records were deleted from it.
    following = Following(log_end=5)
    following.owner.call_at = lambda at_ms, call: None
    following.owner.rng = SeededRng(1)
    log = cast(Any, following.hosted.log)
    log.truncate_fully_to, log.append = (lambda offset, wall_ms: f"all, to {offset}"), lambda *_: False
    cast(Any, following.owner.replicas).move_start = lambda *arguments: None
    following.ask()
    records = build_batch(
        [(None, b"v", ())] * 4, base_offset=base_offset, partition_leader_epoch=1, timestamp_ms=1
    )
    following.respond(error_code=0, records=records, high_watermark=9, log_start_offset=leader_start)
    works = [job.work() for job in following.jobs]
    assert (works == [f"all, to {leader_start}"]) is begins_again


def test_the_epoch_of_a_batch_in_which_an_empty_log_begins_begins_with_the_log() -> None:
    """So the list of epochs is the same as after a restart."""
    following = Following(log_end=5)
    following.replica.partition.log_start_offset = 5
    following.replica.partition.epochs = LeaderEpochs()
    log = cast(Any, following.hosted.log)
    log.begin_within = lambda *_: False
    following.ask()
    records = build_batch([(None, b"v", ())] * 4, base_offset=4, partition_leader_epoch=1, timestamp_ms=1)
    following.respond(error_code=0, records=records, high_watermark=9, log_start_offset=5)
    assert following.replica.partition.next_offset == 8
    assert following.replica.partition.epochs.entries == ((1, 5),)


def test_a_part_of_a_batch_is_not_copied() -> None:
    following = Following()
    following.ask()
    following.respond(error_code=0, records=BATCH[:-1])
    assert following.jobs == []
    (followed,) = following.fetcher._followed.values()
    assert not followed.is_busy


def test_records_that_come_when_the_log_was_closed_are_dropped() -> None:
    following = Following()
    following.ask()
    following.hosted.log = None
    following.respond(error_code=0, records=BATCH)
    assert not following.jobs


def test_records_that_come_when_the_directory_has_failed_are_dropped() -> None:
    # The log stays as it is, in the epoch in which it was.
    following = Following()
    following.ask()
    following.replica.partition.failed()
    following.respond(error_code=0, records=BATCH)
    assert not following.jobs


def test_a_log_that_cannot_be_written_is_copied_no_more() -> None:
    following = Following()
    failures: list[Exception] = []
    following.owner.replicas.failed = lambda hosted, error: failures.append(error)
    following.ask()
    following.respond(error_code=0, records=BATCH)
    (job,) = following.jobs
    error = OSError("a broken disk")
    job.failed(error)
    assert failures == [error]
    assert (following.fetcher._followed, following.fetcher.busy) == ({}, 0)


def test_who_has_no_records_has_no_last_epoch() -> None:
    request = Following().fetcher._next_request(7)
    [partition] = request.topics[0].partitions
    assert partition.last_fetched_epoch == NO_EPOCH


@pytest.mark.trio
async def test_requests_have_the_versions_of_the_metadata(monkeypatch: pytest.MonkeyPatch) -> None:
    following = Following()
    sent: list[tuple[str, int | None]] = []
    level = 26

    class Leader:
        async def send(self, request: Message, version: int | None = None, *, timeout_ms: int) -> Message:
            nonlocal level
            sent.append((request.NAME, version))
            if len(sent) == 1:
                level = 29
                # A log that is out of the leader's range: the follower asks what the leader has.
                return FetchResponse(
                    session_id=0,
                    responses=[
                        FetchResponse.FetchableTopicResponse(
                            topic_id=TOPIC_ID,
                            partitions=[
                                PartitionData(partition_index=0, error_code=ErrorCode.OFFSET_OUT_OF_RANGE)
                            ],
                        )
                    ],
                )
            raise PeerError("leader", 1, "it is gone")

    fetcher = following.fetcher
    monkeypatch.setattr(fetcher._leader, "connected", Leader)
    monkeypatch.setattr(fetcher._leader, "_peer", Leader())
    async with trio.open_nursery() as nursery:
        owner = cast(Any, fetcher._owner)
        owner.broker_epoch, owner.metadata_version = lambda: 1, lambda: level
        owner.start_soon, owner.rng = nursery.start_soon, SimpleNamespace(below=lambda limit: 0)
        owner.call_at = lambda at_ms, call: nursery.cancel_scope.cancel()
        nursery.start_soon(fetcher.run)
    assert sent[:3] == [("FetchRequest", 17), ("ListOffsetsRequest", 11), ("ListOffsetsRequest", 11)]


class Offsets:
    """In place of the connection to the leader: says where its log ends and starts."""

    def __init__(self, latest: int, earliest: int, meanwhile: Callable[[], object] = lambda: None) -> None:
        self._offsets = {-1: latest, -2: earliest}
        self._meanwhile = meanwhile

    async def send(
        self, request: ListOffsetsRequest, version: int, *, timeout_ms: int
    ) -> ListOffsetsResponse:
        await trio.lowlevel.checkpoint()
        self._meanwhile()
        offset = self._offsets[request.topics[0].partitions[0].timestamp]
        found = ListOffsetsResponse.ListOffsetsPartitionResponse(partition_index=0, offset=offset)
        topic = ListOffsetsResponse.ListOffsetsTopicResponse(name="t", partitions=[found])
        return ListOffsetsResponse(topics=[topic])


def find_start(following: Following, offsets: Offsets) -> None:
    """The leader does not have what it was asked for."""
    following.ask()
    following.respond(error_code=ErrorCode.OFFSET_OUT_OF_RANGE)
    following.fetcher._leader._peer = cast(Any, offsets)
    ((task, followed),) = following.tasks
    trio.run(task, followed)


@pytest.mark.parametrize(("latest", "earliest", "to"), [(3, 0, 3), (20, 9, 9)], ids=["behind", "ahead"])
def test_a_log_that_is_out_of_the_leaders_range_is_cut_to_it(latest: int, earliest: int, to: int) -> None:
    following = Following(log_end=5)
    find_start(following, Offsets(latest, earliest))
    (job,) = following.jobs
    assert following.hosted.is_being_cut
    assert job.work() == to
    # A log that is emptied has nothing that is durable, for a moment.
    assert following.promised == [to if to < 5 else 0]


@pytest.mark.parametrize("records", [None, BATCH], ids=["empty", "records"])
def test_a_replica_that_was_begun_anew_counts_once_it_has_all_that_is_committed(
    records: bytes | None,
) -> None:
    following = Following()
    following.hosted.is_anew = True
    end = following.hosted.partition.log_end_offset
    following.ask()
    following.respond(high_watermark=end + 5)
    assert not following.complete
    following.ask()
    following.respond(high_watermark=end, records=records)
    for job in following.jobs:
        job.done(False)
    assert following.complete == [following.hosted]


@pytest.mark.parametrize(
    ("latest", "earliest"), [(7, 2), (5, 2), (7, 5)], ids=["within", "at end", "at start"]
)
def test_a_log_that_is_in_the_leaders_range_by_now_is_fetched_as_it_was(latest: int, earliest: int) -> None:
    following = Following(log_end=5)
    find_start(following, Offsets(latest, earliest))
    assert not following.jobs
    assert (TOPIC_ID, 0) in following.fetcher._session
    (followed,) = following.fetcher._followed.values()
    assert not followed.is_busy


def test_a_leader_that_was_asked_what_it_has_is_told_where_the_log_starts_by_now() -> None:
    following = Following(log_end=5)

    def delete() -> None:
        following.replica.partition.log_start_offset = 1

    find_start(following, Offsets(7, 2, delete))
    assert following.ask() == [(2, 5)]


@pytest.mark.parametrize("leader", [1, 3], ids=["leads", "follows another one"])
@pytest.mark.parametrize(("latest", "earliest"), [(3, 0), (20, 9)])
def test_the_log_of_a_replica_that_has_a_new_leader_by_now_is_not_cut(
    latest: int, earliest: int, leader: int
) -> None:
    following = Following(log_end=5)
    find_start(
        following,
        Offsets(latest, earliest, lambda: following.replica.see(leader=leader, epoch=3, partition_epoch=3)),
    )
    assert not following.jobs
    assert not following.hosted.is_being_cut
    assert following.ask() == []


def test_a_log_that_was_closed_meanwhile_is_not_cut() -> None:
    following = Following(log_end=5)

    def close() -> None:
        following.hosted.log = None

    find_start(following, Offsets(3, 0, close))
    assert not following.jobs


def test_a_log_that_was_opened_again_meanwhile_is_not_cut_by_what_was_asked_for_the_former_one() -> None:
    following = Following(log_end=5)

    def open_again() -> None:
        following.hosted.log = copy(following.hosted.log)

    find_start(following, Offsets(3, 0, open_again))
    assert not following.jobs


def test_a_log_that_is_closed_while_it_is_cut_gets_no_role() -> None:
    following = Following(log_end=5)
    following.ask()
    diverging = FetchResponse.EpochEndOffset(epoch=1, end_offset=3)
    following.respond(error_code=0, diverging_epoch=diverging)
    (job,) = following.jobs
    following.hosted.log = None
    job.done("what is left")
    assert following.cuts == ["what is left"]
    assert following.applied == []


def test_nobody_leads_with_a_log_that_is_being_cut() -> None:
    broker = DataBroker()
    broker.topic("t", [OTHER, ME])
    broker.report()
    hosted = broker.replicas.manager.replicas.get(broker.topic_id("t"), 0)
    assert hosted is not None
    assert hosted.partition.role is Role.FOLLOWER
    hosted.is_being_cut = True
    broker.harness.heartbeat(OTHER, want_fence=True)
    broker.report()
    assert broker.harness.partition("t").leader == ME
    assert hosted.partition.role is Role.FOLLOWER
    assert broker.produce("t", batch()).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    hosted.is_being_cut = False
    broker.replicas.manager.replicas.apply(hosted)
    assert broker.produce("t", batch()).error_code == 0


def test_an_empty_log_may_begin_within_a_batch() -> None:
    # The leader's log starts there since records were deleted.
    following = Following(log_end=10)
    partition = following.replica.partition
    partition.log_start_offset = 10
    begun: list[tuple[bytes, int]] = []
    cast(Any, following.owner.replicas).move_start = lambda *arguments: None

    def begin(batches: memoryview, base_offset: int, aborted: object, wall_ms: int) -> bool:
        begun.append((bytes(batches), base_offset))
        return False

    cast(Any, following.hosted.log).begin_within = begin
    assert following.ask() == [(2, 10)]
    straddling = build_batch([(None, b"v", ())] * 8, base_offset=4, partition_leader_epoch=1, timestamp_ms=1)
    # Of the leader's present epoch.
    last = build_batch([(None, b"v", ())], base_offset=12, partition_leader_epoch=2, timestamp_ms=1)
    following.respond(error_code=0, records=straddling + last, high_watermark=13, log_start_offset=10)
    (job,) = following.jobs
    job.done(job.work())
    assert begun == [(straddling + last, 4)]
    assert (partition.log_start_offset, partition.log_end_offset, partition.next_offset) == (10, 13, 13)
    assert following.ask() == [(2, 13)]


def test_only_the_first_batch_of_an_empty_log_may_begin_before_its_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    following = Following(log_end=10)
    following.replica.partition.log_start_offset = 10
    refusals: list[str] = []
    monkeypatch.setattr(following.fetcher, "_refused", lambda followed, why: refusals.append(why))
    following.ask()
    straddling = build_batch([(None, b"v", ())] * 8, base_offset=4, partition_leader_epoch=1, timestamp_ms=1)
    following.respond(error_code=0, records=straddling * 2, high_watermark=12)
    assert refusals == ["a batch of epoch 1 begins at 4, expected is 12"]
    assert not following.jobs


@pytest.mark.parametrize(("start", "base_offset"), [(5, 4), (10, 2), (10, 10)], ids=["full", "before", "at"])
def test_no_other_log_begins_within_a_batch(start: int, base_offset: int) -> None:
    following = Following(log_end=10)
    following.replica.partition.log_start_offset = start
    following.ask()
    records = build_batch(
        [(None, b"v", ())] * 8, base_offset=base_offset, partition_leader_epoch=1, timestamp_ms=1
    )
    header = RecordBatchView(records).header()
    assert not following.replica.partition.begins_within(header)


@pytest.mark.trio
async def test_other_tasks_run_between_the_partitions_of_a_large_response(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fetcher = Following().fetcher
    (followed,) = fetcher._followed.values()
    count = 3 * PARTITIONS_AT_ONCE
    partitions = [PartitionData(partition_index=index) for index in range(count)]
    fetcher._followed = {(TOPIC_ID, index): followed for index in range(count)}
    turns, seen = Turns(), []

    session = SimpleNamespace(handle_response=lambda **response: True)
    monkeypatch.setattr(fetcher, "_session", session)
    monkeypatch.setattr(fetcher, "_take_partition", lambda followed, data: seen.append(turns.count))
    topic = FetchResponse.FetchableTopicResponse(topic_id=TOPIC_ID, partitions=partitions)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(turns.run)
        await fetcher._take(FetchResponse(session_id=1, responses=[topic]))
        nursery.cancel_scope.cancel()
    assert len(seen) == count
    # Trio runs ready tasks in any order. Between one part and the next but one, each other task has run.
    assert len(set(seen)) > 1
