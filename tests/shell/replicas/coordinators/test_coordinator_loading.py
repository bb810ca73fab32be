"""Reading a partition for the coordinator that begins there."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

import pytest

from kafkaproto.messages import (
    DeleteRecordsRequest,
    OffsetCommitKey,
    OffsetCommitValue,
    WriteTxnMarkersRequest,
)
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto.records.coordinator import GROUP_RECORDS, encode_coordinator_record
from kafkaproto_server.core.coordinators.values import RecordError
from kafkaproto_server.requests.data import ProduceItem
from kafkaproto_server.shell.replicas.coordinators import coordinator_loading
from kafkaproto_server.shell.replicas.coordinators.coordinator_loading import WAIT_MS, LoadedRecord, Loading
from kafkaproto_server.shell.replicas.timers import Timers
from tests.apis.support.data_broker import DataBroker
from tests.support.old_messages import message

Job = tuple[Callable[[], Any], Callable[[Any], None]]


class Loaded:
    """The partition t-0 with the committed offsets 0 to 3, and what a coordinator is given of it. A test does what is
    left to the thread."""

    def __init__(self, *, waits_for_commit: bool = False) -> None:
        self.broker = DataBroker()
        self.broker.topic("t")
        for offset in range(4):
            value = OffsetCommitValue(offset=offset)
            key = OffsetCommitKey(group="g", topic="x", partition=offset)
            record = NewRecord(*encode_coordinator_record(key, value, 4))
            self.broker.produce("t", build_batch([record], base_offset=0, timestamp_ms=0))
        self.jobs: list[Job] = []
        self.refusal: Exception | None = None
        self.taken: list[int] = []
        self.ended: list[Exception | None] = []
        self.failed: list[object] = []
        replicas = self.broker.replicas
        hosted = replicas.manager.replicas.get(self.broker.topic_id("t"), 0)
        assert hosted is not None
        assert hosted.log is not None
        self.partition, self.log = hosted.partition, hosted.log
        self.timers = Timers(replicas.clock)
        self.records: list[LoadedRecord] = []
        self.loading = Loading(
            hosted,
            GROUP_RECORDS,
            timers=self.timers,
            in_thread=lambda work, done: self.jobs.append((work, done)),
            take=self._take,
            done=self.ended.append,
            read_failed=lambda *failed: self.failed.append(failed),
            waits_for_commit=waits_for_commit,
        )

    def _take(self, record: LoadedRecord) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.records.append(record)
        if record.key is None:
            return
        assert isinstance(record.value, OffsetCommitValue)
        self.taken.append(record.value.offset)

    def produce(self, key: bytes, value: bytes | None) -> None:
        """A client writes to the topic."""
        self.broker.produce("t", build_batch([NewRecord(key, value)], base_offset=0, timestamp_ms=0))

    def delete_to(self, offset: int) -> None:
        """An administrator, or the share coordinator itself, deletes the first records."""
        partition = DeleteRecordsRequest.DeleteRecordsPartition(partition_index=0, offset=offset)
        topic = DeleteRecordsRequest.DeleteRecordsTopic(name="t", partitions=[partition])
        self.broker.ask(DeleteRecordsRequest(topics=[topic], timeout_ms=1000), 2)

    def do_all(self) -> None:
        """All work of the thread."""
        while self.jobs:
            work, done = self.jobs.pop(0)
            done(work())

    def pass_time(self, ms: int) -> None:
        """Let time pass, and do what is due then."""
        self.broker.replicas.clock.now += ms
        self.timers.call_due()
        self.do_all()


@pytest.mark.parametrize("start", [0, 2, 4])
def test_records_that_are_deleted_meanwhile_are_not_missed(start: int) -> None:
    loaded = Loaded()
    loaded.loading.begin()
    if start:
        loaded.delete_to(start)
    loaded.do_all()
    assert (loaded.taken, loaded.ended, loaded.failed) == (list(range(start, 4)), [None], [])


def test_an_offset_that_is_not_there_for_another_reason_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = Loaded()
    loaded.loading.begin()
    monkeypatch.setattr(loaded.loading, "_offset", 9)
    loaded.do_all()
    assert (loaded.taken, len(loaded.ended), len(loaded.failed)) == ([], 1, 1)
    assert loaded.ended != [None]


@pytest.mark.parametrize(
    ("key", "value"),
    [(b"", b""), (b"\0", None), (b"\0\1", None), (b"\0\2\0\1g", b"\xff\xff"), (b"\0\2\0\1g", b"\0\3\0")],
    ids=["no key", "half a type", "half a key", "version", "half a value"],
)
def test_a_record_that_cannot_be_read_ends_the_loading_and_names_its_offset(
    key: bytes, value: bytes | None
) -> None:
    loaded = Loaded()
    loaded.produce(key, value)
    loaded.loading.begin()
    loaded.do_all()
    (error,) = loaded.ended
    assert isinstance(error, RecordError)
    assert str(error).startswith("the record at offset 4: ")


@pytest.mark.parametrize("refusal", [RecordError("no"), KeyError("m1"), ValueError("no"), IndexError("no")])
def test_a_record_that_the_coordinator_cannot_take_ends_the_loading(refusal: Exception) -> None:
    loaded = Loaded()
    loaded.refusal = refusal
    loaded.loading.begin()
    loaded.do_all()
    (error,) = loaded.ended
    assert isinstance(error, RecordError)
    assert str(error).startswith(f"the record at offset 0: {type(refusal).__name__}: ")
    assert not loaded.failed


def test_a_broken_assertion_of_the_coordinator_is_not_taken_for_a_bad_record() -> None:
    loaded = Loaded()
    loaded.refusal = AssertionError("ours")
    loaded.loading.begin()
    with pytest.raises(AssertionError, match="ours"):
        loaded.do_all()


@pytest.mark.parametrize("magic", [0, 1])
def test_records_in_an_old_format_are_loaded(magic: int) -> None:
    """As the cleaners of brokers before 4.0 kept them in __consumer_offsets."""
    loaded = Loaded()
    inner = b""
    for offset in range(4, 7):
        key = OffsetCommitKey(group="g", topic="x", partition=offset)
        pair = encode_coordinator_record(key, OffsetCommitValue(offset=offset), 4)
        inner += message(offset, pair[1], magic=magic, key=pair[0])
    loaded.log.append([message(6, gzip.compress(inner), magic=magic, attributes=1)])
    loaded.partition.next_offset = 7
    loaded.partition.appended(7, now_ms=0)
    loaded.loading.begin()
    loaded.do_all()
    assert (loaded.taken, loaded.ended) == (list(range(7)), [None])


def in_transaction(loaded: Loaded, producer_id: int, offset: int, *, is_commit: bool) -> None:
    """A member commits an offset in a transaction, which ends at once."""
    record = NewRecord(
        *encode_coordinator_record(
            OffsetCommitKey(group="g", topic="x", partition=0), OffsetCommitValue(offset=offset), 4
        )
    )
    batch = build_batch(
        [record],
        base_offset=0,
        timestamp_ms=0,
        transactional=True,
        producer_id=producer_id,
        producer_epoch=0,
        base_sequence=0,
    )
    item = ProduceItem(topic_id=loaded.broker.topic_id("t"), index=0, records=batch, allows_zstd=True)
    loaded.broker.services.replicas.produce([item], 1, 1000, lambda results: None)
    request = WriteTxnMarkersRequest
    marker = request.WritableTxnMarker(
        producer_id=producer_id,
        producer_epoch=0,
        transaction_result=is_commit,
        topics=[request.WritableTxnMarkerTopic(name="t", partition_indexes=[0])],
    )
    loaded.broker.ask(request(markers=[marker]), 1)


def test_the_coordinator_learns_of_transactions_and_of_their_ends() -> None:
    loaded = Loaded()
    loaded.broker.trust_producers()
    in_transaction(loaded, 7, 70, is_commit=True)
    in_transaction(loaded, 8, 80, is_commit=False)
    loaded.loading.begin()
    loaded.do_all()
    assert loaded.ended == [None]
    assert [(each.offset, each.producer_id, each.is_commit, each.key is None) for each in loaded.records] == [
        *((offset, -1, False, False) for offset in range(4)),
        *((4, 7, False, False), (5, 7, True, True), (6, 8, False, False), (7, 8, False, True)),
    ]


def test_records_of_types_that_are_not_known_are_passed_over_and_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    loaded = Loaded()
    for _ in range(2):
        loaded.produce(b"\0\x63key", b"value")
    loaded.loading.begin()
    loaded.do_all()
    assert (loaded.taken, loaded.ended) == ([0, 1, 2, 3], [None])
    assert [each for each in caplog.messages if ": 2 records of unknown types" in each]


def test_all_that_was_handed_out_to_be_written_is_read(caplog: pytest.LogCaptureFixture) -> None:
    loaded = Loaded()
    loaded.partition.next_offset += 1
    loaded.loading.begin()
    loaded.do_all()
    assert (loaded.taken, loaded.ended) == ([0, 1, 2, 3], [])
    loaded.pass_time(WAIT_MS - 1)
    assert loaded.ended == []
    loaded.partition.next_offset -= 1
    loaded.pass_time(1)
    assert loaded.ended == [None]
    assert not caplog.messages


@pytest.mark.parametrize("waits", [True, False])
def test_it_may_wait_for_the_commit_of_all_that_was_read(waits: bool) -> None:
    loaded = Loaded(waits_for_commit=waits)
    loaded.partition.high_watermark = 3
    loaded.loading.begin()
    loaded.do_all()
    assert loaded.ended == ([] if waits else [None])
    loaded.partition.high_watermark = 4
    loaded.pass_time(WAIT_MS)
    assert loaded.ended == [None]


@pytest.mark.parametrize("limit", ["records", "time"])
def test_other_tasks_run_between_parts_of_what_is_loaded(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = Loaded()
    if limit == "records":
        monkeypatch.setattr(coordinator_loading, "RECORDS_AT_ONCE", 3)
    else:
        monkeypatch.setattr(coordinator_loading, "TURN_MS", 3)
        take = loaded._take

        def slowly(record: LoadedRecord) -> None:
            take(record)
            loaded.broker.replicas.clock.now += 1

        monkeypatch.setattr(loaded.loading, "_take", slowly)
    loaded.loading.begin()
    loaded.do_all()
    assert (loaded.taken, loaded.ended) == ([0, 1, 2], [])
    assert loaded.loading.elapsed_ms == (3 if limit == "time" else 0)
    loaded.pass_time(1)
    assert (loaded.taken, loaded.ended) == ([0, 1, 2, 3], [None])


def test_a_gap_that_compaction_has_left_at_the_end_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = Loaded()
    monkeypatch.setattr(loaded.loading._log, "read_records", lambda *arguments, **named: b"")
    loaded.loading.begin()
    ((work, done),) = loaded.jobs
    loaded.jobs.clear()
    done(work())
    assert (loaded.ended, loaded.jobs) == ([None], [])


def test_nothing_is_taken_of_what_is_read_when_the_loading_is_over() -> None:
    loaded = Loaded()
    loaded.loading.begin()
    (work, done), loaded.jobs = loaded.jobs[0], []
    part = work()
    loaded.loading.is_over = True
    done(part)
    assert (loaded.taken, loaded.jobs, loaded.ended) == ([], [], [])
    # A log that was closed meanwhile cannot be read, and that is no failure either.
    done(OSError("it is closed"))
    assert (loaded.ended, loaded.failed) == ([], [])
    loaded.loading.begin()
    assert loaded.jobs == []


def test_no_other_part_is_taken_once_the_loading_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coordinator_loading, "RECORDS_AT_ONCE", 3)
    loaded = Loaded()
    loaded.loading.begin()
    loaded.do_all()
    assert loaded.taken == [0, 1, 2]
    loaded.loading.is_over = True
    loaded.pass_time(1)
    assert (loaded.taken, loaded.ended) == ([0, 1, 2], [])
