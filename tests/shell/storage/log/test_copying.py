"""A log that is copied to another directory, slice by slice, and takes its place there (KIP-113)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto.transaction_index import AbortedTransaction
from kafkaproto_server.shell.storage.errors import CorruptFileError, OffsetOutOfRangeError
from kafkaproto_server.shell.storage.log.copying import Slice, Unreadable, copy_slice, settle_copy
from kafkaproto_server.shell.storage.log.topic_log import TopicLog
from tests.shell.storage.log.test_topic_log import (
    MADE,
    NO_LIMIT,
    SMALL,
    TOPIC_ID,
    Made,
    batches,
    content,
    disk,
    open_log,
)
from tests.shell.storage.support.helpers import SeededRng
from tests.sim.disk import MemoryDisk

FUTURE = f"/other/topic-0.{'0' * 32}-future"
MOVED = "/other/topic-0"


def future(on: MemoryDisk) -> TopicLog:
    on.make_directory("/other")
    return TopicLog.open(on, FUTURE, topic_id=TOPIC_ID, config=SMALL, producer_expiration_ms=NO_LIMIT)


def copy_all(source: TopicLog, copy: TopicLog, max_bytes: int, aborted: list[AbortedTransaction]) -> None:
    begins = source.log.log_start_offset > 0
    while begins or copy.log.log_end_offset < source.log.log_end_offset:
        part = Slice(
            offset=source.log.log_start_offset if begins else copy.log.log_end_offset,
            end_offset=source.log.log_end_offset,
            max_bytes=max_bytes,
            aborted=[each for each in aborted if each.last_offset >= copy.log.log_end_offset],
            wall_ms=0,
        )
        assert isinstance(copy_slice(source, copy, part, begins=begins), int)
        begins = False
    copy.move_start_to(source.log.log_start_offset)


def settled(on: MemoryDisk, source: TopicLog, copy: TopicLog) -> TopicLog:
    return settle_copy(
        on, copy, MOVED, epochs=source.log.epoch_starts, config=SMALL, producer_expiration_ms=NO_LIMIT
    )


@given(
    st.lists(MADE, max_size=12),
    st.integers(0, 30),
    st.integers(0, 20),
    st.sampled_from([1, 300, 1 << 20]),
)
def test_a_copy_is_the_same_log(made: list[Made], start: int, gap: int, max_bytes: int) -> None:
    """With gaps, also at its end, and if it starts within a batch."""
    on = disk()
    source = open_log(on)
    for each in batches(made):
        source.append([each])
    source.move_start_to(start)
    if gap:
        source.log.roll(source.log.log_end_offset + gap)
    copy = future(on)
    copy_all(source, copy, max_bytes, [])
    moved = settled(on, source, copy)
    for log in (
        moved,
        TopicLog.open(
            on,
            MOVED,
            topic_id=TOPIC_ID,
            config=SMALL,
            log_start_offset=source.log.log_start_offset,
            producer_expiration_ms=NO_LIMIT,
        ),
    ):
        assert log.log.log_start_offset == source.log.log_start_offset
        assert log.log.log_end_offset == source.log.log_end_offset
        assert content(log) == content(source)
    assert not on.exists(FUTURE)
    assert moved.log.recovery_point == moved.log.log_end_offset


def test_epochs_whose_records_were_compacted_stay() -> None:
    on = disk()
    source = open_log(on)
    for offset, epoch in ((0, 0), (3, 4)):
        records = [NewRecord(None, b"v")]
        source.append(
            [build_batch(records, base_offset=offset, partition_leader_epoch=epoch, timestamp_ms=5)]
        )
    copy = future(on)
    copy_all(source, copy, 1, [])
    epochs = ((0, 0), (2, 1), (4, 3))
    moved = settle_copy(on, copy, MOVED, epochs=epochs, config=SMALL, producer_expiration_ms=NO_LIMIT)
    assert moved.log.epoch_starts == epochs


def test_aborted_transactions_are_in_the_index_of_the_copy() -> None:
    on = disk()
    source = open_log(on)
    for each in batches([Made(2, 0, False, 5, 400, -1)] * 4):
        source.append([each])
    ended = [
        AbortedTransaction(producer_id=7, first_offset=0, last_offset=last, last_stable_offset=last + 1)
        for last in (1, 5)
    ]
    copy = future(on)
    copy_all(source, copy, 1, ended)
    assert settled(on, source, copy).found(0).aborted == ended


def test_a_source_that_cannot_be_read_is_told_of() -> None:
    on = disk()
    source = open_log(on)
    for each in batches([Made(2, 0, False, 5, 5, -1)] * 2):
        source.append([each])
    source.move_start_to(2)
    copy = future(on)

    def read(offset: int) -> Exception:
        part = Slice(offset=offset, end_offset=4, max_bytes=1000, aborted=[], wall_ms=0)
        found = copy_slice(source, copy, part, begins=False)
        assert isinstance(found, Unreadable)
        return found.error

    assert isinstance(read(0), OffsetOutOfRangeError)
    source.log.flush()
    on.rot((f"{0:020}.log",), SeededRng(5))
    on.rot((f"{0:020}.log",), SeededRng(8))
    assert isinstance(read(2), CorruptFileError)
    on.fail("read", ".log")
    assert isinstance(read(2), OSError)


def test_a_copy_of_an_empty_log_has_one_segment() -> None:
    on = disk()
    source = open_log(on)
    source.truncate_fully_to(5, 0)
    copy = future(on)
    part = Slice(offset=5, end_offset=5, max_bytes=1000, aborted=[], wall_ms=0)
    assert copy_slice(source, copy, part, begins=True) == 0
    assert copy.log.segment_bases == (5,)


class TearingDisk(MemoryDisk):
    """A disk that takes the last byte of a log when its directory gets another name."""

    def rename(self, source: str, target: str) -> None:
        super().rename(source, target)
        if source == FUTURE:
            file = self.open(f"{target}/{0:020}.log")
            file.truncate(file.size() - 1)
            file.close()


def test_a_copy_that_lost_records_when_it_was_closed_does_not_count() -> None:
    on = TearingDisk()
    on.make_directory("/data")
    source = open_log(on)
    for each in batches([Made(1, 0, False, 5, 5, -1)] * 2):
        source.append([each])
    copy = future(on)
    copy_all(source, copy, 1 << 20, [])
    open_before = len(on.open_files)
    with pytest.raises(CorruptFileError, match=r"has offsets \(0, 1\), and was closed with \(0, 2\)"):
        settled(on, source, copy)
    assert len(on.open_files) <= open_before
