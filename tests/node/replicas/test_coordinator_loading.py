"""Reading a partition for the coordinator that begins there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kafkaproto.messages import DeleteRecordsRequest, OffsetCommitKey, OffsetCommitValue
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto.records.coordinator import GROUP_RECORDS, encode_coordinator_record
from kafkaproto_server.coordinator.values import RecordError
from kafkaproto_server.node.replicas.coordinator_loading import LoadedRecord, Loading
from kafkaproto_server.node.replicas.timers import Timers
from tests.apis.support.data_broker import DataBroker

Job = tuple[Callable[[], Any], Callable[[Any], None]]


class Loaded:
    """The partition t-0 with the committed offsets 0 to 3, and what a coordinator is given of it. A test does what is
    left to the thread."""

    def __init__(self) -> None:
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
        self.loading = Loading(
            hosted,
            GROUP_RECORDS,
            clock=replicas.clock,
            timers=Timers(replicas.clock),
            in_thread=lambda work, done: self.jobs.append((work, done)),
            take=self._take,
            done=self.ended.append,
            read_failed=lambda *failed: self.failed.append(failed),
        )

    def _take(self, record: LoadedRecord) -> None:
        if self.refusal is not None:
            raise self.refusal
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
