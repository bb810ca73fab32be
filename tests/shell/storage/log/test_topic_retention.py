"""Which segments retention removes, against Apache Kafka's three passes written down one by one; and what a log of a
topic holds after each, also if the machine dies at any operation of the disk.

Tests: `shell.storage.log.durability`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkaproto.producer_snapshot import encode_producer_snapshot
from kafkaproto.records.batch import iterate_batches
from kafkaproto_server.shell.storage.log.epoch_file import read_epoch_file
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.topic_log import Removed, TopicLog
from kafkaproto_server.shell.storage.log.topic_retention import (
    AgedSegment,
    TopicRetention,
    removable_segments,
)
from kafkaproto_server.shell.storage.log.unsynced import make_durable
from tests.shell.storage.support.helpers import SeededRng, batch
from tests.sim.disk import MemoryDisk, PowerLossError

LOG = "/data/topic-0"
CONFIG = LogConfig(
    segment_bytes=250,
    segment_ms=5_000,
    index_interval_bytes=100,
    segment_index_bytes=1024,
    has_gaps=True,
    cuts_at_gaps=True,
    is_durable_at_once=False,
)

# --- the decision ---


def kafkas_choice(
    segments: list[AgedSegment], retention: TopicRetention, end: int, high_watermark: int, now_ms: int
) -> int:
    """How many segments go, in the passes of UnifiedLog: sizes first, then times."""
    left = list(segments)

    def remove_while(predicate: Callable[[AgedSegment], bool]) -> None:
        while left:
            upper = left[1].base_offset if len(left) > 1 else end
            is_last_and_empty = len(left) == 1 and left[0].size_bytes == 0
            if high_watermark < upper or not predicate(left[0]) or is_last_and_empty:
                return
            del left[0]

    size = sum(each.size_bytes for each in segments)
    if 0 <= retention.max_bytes <= size:
        surplus = size - retention.max_bytes

        def is_surplus(segment: AgedSegment) -> bool:
            nonlocal surplus
            if surplus - segment.size_bytes < 0:
                return False
            surplus -= segment.size_bytes
            return True

        remove_while(is_surplus)
    if retention.max_age_ms >= 0:
        remove_while(lambda segment: now_ms - segment.newest_timestamp_ms > retention.max_age_ms)
    return len(segments) - len(left)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 30), st.integers(0, 100)), min_size=1, max_size=8),
    st.integers(-1, 100),
    st.integers(-1, 100),
    st.data(),
)
def test_the_segments_that_go_are_those_of_apache_kafka(
    made: list[tuple[int, int, int]], max_bytes: int, max_age_ms: int, data: st.DataObject
) -> None:
    segments, offset = [], 0
    for count, size, timestamp in made:
        segments.append(AgedSegment(offset, size, timestamp))
        offset += count
    retention = TopicRetention(max_bytes=max_bytes, max_age_ms=max_age_ms)
    high_watermark, now_ms = data.draw(st.integers(0, offset)), data.draw(st.integers(0, 150))
    assert removable_segments(
        segments, retention, log_end_offset=offset, high_watermark=high_watermark, now_ms=now_ms
    ) == kafkas_choice(segments, retention, offset, high_watermark, now_ms)


# --- a log on a disk ---


def disk() -> MemoryDisk:
    made = MemoryDisk()
    made.make_directory("/data")
    made.sync_directory("/")
    return made


def open_log(
    store: MemoryDisk, *, recovery_point: int = 0, log_start_offset: int = 0, config: LogConfig = CONFIG
) -> TopicLog:
    return TopicLog.open(
        store,
        LOG,
        topic_id=bytes(16),
        config=config,
        recovery_point=recovery_point,
        log_start_offset=log_start_offset,
        producer_expiration_ms=1 << 62,
    )


def content(log: TopicLog) -> list[bytes]:
    """The batches from the log start on."""
    found = []
    offset = log.log.log_start_offset
    while part := bytes(log.read_records(offset, 1 << 20, 1 << 62, whole_first=True)):
        for view in iterate_batches(part):
            found.append(bytes(view.raw))
            offset = view.next_offset
    return found


def append(log: TopicLog, *, timestamp_ms: int = 1_000, epoch: int = 1, count: int = 1) -> bytes:
    made = batch(log.log.log_end_offset, timestamp_ms=timestamp_ms, epoch=epoch, count=count)
    log.append([made])
    return made


def remove_old(
    log: TopicLog, *, max_bytes: int = -1, max_age_ms: int = -1, now_ms: int = 0
) -> Removed | None:
    return log.remove_old(
        TopicRetention(max_bytes=max_bytes, max_age_ms=max_age_ms),
        high_watermark=log.log.log_end_offset,
        wall_ms=now_ms,
    )


def test_a_log_whose_records_are_all_too_old_begins_an_empty_segment() -> None:
    log = open_log(disk())
    for _ in range(5):
        append(log)
    assert len(log.log.segment_bases) > 1
    assert remove_old(log, max_age_ms=100, now_ms=1_100) is None
    assert remove_old(log, max_age_ms=100, now_ms=1_101) == Removed(log_start_offset=5, has_rolled=True)
    assert (log.log.log_start_offset, log.log.log_end_offset, log.log.segment_bases) == (5, 5, (5,))
    # The leader still knows the epoch of the last record: its followers name it.
    assert log.log.epoch_starts == ((1, 5),)
    assert remove_old(log, max_bytes=0, max_age_ms=0, now_ms=9_999) is None
    append(log)
    assert len(content(log)) == 1


def test_records_without_a_time_are_as_old_as_their_file() -> None:
    store = disk()
    store.wall_ms = lambda: 7_000
    log = open_log(store)
    for _ in range(4):
        append(log, timestamp_ms=-1)
    assert remove_old(log, max_age_ms=100, now_ms=7_100) is None
    assert remove_old(log, max_age_ms=100, now_ms=7_101) == Removed(log_start_offset=4, has_rolled=True)


def test_deleted_files_are_renamed_and_told_once() -> None:
    store = disk()
    log = open_log(store)
    for _ in range(5):
        append(log)
    log.write_producers(encode_producer_snapshot([]), 2)
    remove_old(log, max_bytes=0)
    deleted = log.take_deleted()
    assert {path.rpartition(".")[2] for path in deleted} == {"deleted"}
    names = {path.rpartition("/")[2] for path in deleted}
    assert {name for name in names if ".log" in name} == {f"{base:020}.log.deleted" for base in (0, 3)}
    assert names <= set(store.list_directory(LOG))
    assert not log.take_deleted()
    # A state of producers before the log start is of no use.
    assert not [name for name in store.list_directory(LOG) if name.endswith(".snapshot")]
    # The next start removes what is still there.
    log.log.abandon()
    open_log(store)
    assert not names & set(store.list_directory(LOG))


def test_epochs_before_the_log_start_are_gone_from_the_file_too() -> None:
    store = disk()
    log = open_log(store)
    for epoch in (1, 1, 2, 2, 3, 3):
        append(log, epoch=epoch)
    log.log.flush()
    assert read_epoch_file(store, LOG) == ((1, 0), (2, 2), (3, 4))
    log.move_start_to(4)
    assert read_epoch_file(store, LOG) == ((3, 4),)
    log.move_start_to(5)
    assert log.log.epoch_starts == ((3, 5),)
    # This start is not worth a sync, and the next opening finds it.
    log.log.abandon()
    again = open_log(store, recovery_point=6, log_start_offset=5)
    assert again.log.epoch_starts == ((3, 5),)


# --- recovery points ---


def sync_in_background(log: TopicLog, store: MemoryDisk, *, with_active: bool) -> None:
    unsynced = log.unsynced(with_active=with_active)
    if unsynced is not None:
        make_durable(store, unsynced)
        log.was_synced(unsynced)


def test_the_recovery_point_follows_what_is_synced() -> None:
    store = disk()
    log = open_log(store)
    for _ in range(5):
        append(log)
    assert log.log.recovery_point == 0
    sync_in_background(log, store, with_active=False)
    assert log.log.recovery_point == log.log.segment_bases[-1] == 3
    assert log.unsynced(with_active=False) is None
    sync_in_background(log, store, with_active=True)
    assert log.log.recovery_point == 5


def test_a_log_that_is_cut_meanwhile_is_not_taken_for_synced() -> None:
    store = disk()
    log = open_log(store)
    for _ in range(5):
        append(log)
    unsynced = log.unsynced(with_active=True)
    assert unsynced is not None
    make_durable(store, unsynced)
    log.truncate_to(1, 0)
    append(log, count=4)
    log.was_synced(unsynced)
    assert log.log.recovery_point == 0


def test_a_cut_takes_the_recovery_point_back() -> None:
    log = open_log(disk())
    for _ in range(5):
        append(log)
    log.log.flush()
    log.truncate_to(3, 0)
    assert log.log.recovery_point == 3
    log.truncate_fully_to(9, 0)
    # Not even the name of the new segment is durable.
    assert log.log.recovery_point == 0


def test_a_cut_where_the_log_ends_is_none() -> None:
    """What is being synced becomes durable."""
    store = disk()
    log = open_log(store)
    append(log)
    unsynced = log.unsynced(with_active=True)
    assert unsynced is not None
    make_durable(store, unsynced)
    log.truncate_to(1, 0)
    log.was_synced(unsynced)
    assert log.log.recovery_point == 1


def test_what_was_synced_in_another_directory_is_not_durable_in_this_one() -> None:
    log = open_log(disk())
    append(log)
    unsynced = log.unsynced(with_active=True)
    assert unsynced is not None
    log.was_synced(unsynced._replace(directory="/other/topic-0"))
    assert log.log.recovery_point == 0


def test_so_many_records_are_made_durable_at_once() -> None:
    store = disk()
    log = open_log(store, config=LogConfig(has_gaps=True, is_durable_at_once=False, flush_messages=3))
    points = []
    for _ in range(7):
        append(log)
        points.append(log.log.recovery_point)
    assert points == [0, 0, 3, 3, 3, 6, 6]
    store.crash(SeededRng(3))
    assert len(content(open_log(store, recovery_point=6))) >= 6


def test_a_state_of_producers_beyond_the_end_is_removed_at_the_start() -> None:
    store = disk()
    log = open_log(store)
    append(log, count=3)
    log.write_producers(encode_producer_snapshot([]), 3)
    log.truncate_to(0, 0)
    log.write_producers(encode_producer_snapshot([]), 3)
    log.log.abandon()
    # Records that come later must not be taken for those of the state.
    open_log(store).found(0)
    assert not [name for name in store.list_directory(LOG) if name.endswith(".snapshot")]


# --- everything at once ---

STEP = st.one_of(
    st.tuples(st.just("append"), st.integers(0, 3), st.integers(0, 1)),
    st.tuples(st.just("append"), st.integers(0, 3), st.integers(0, 1)),
    st.tuples(st.sampled_from(["old", "large", "start"]), st.integers(0, 10), st.just(0)),
    st.tuples(st.sampled_from(["flush", "sync", "sync all", "restart"]), st.just(0), st.just(0)),
)


@dataclass
class Life:
    """A log, what it has to hold, and the checkpoints of its directory."""

    store: MemoryDisk
    log: TopicLog
    batches: list[tuple[int, bytes, int]] = field(default_factory=list)
    """(next offset, bytes, epoch) of all that was ever appended."""
    start: int = 0
    epoch: int = 1
    now_ms: int = 1_000
    recovery_point: int = 0
    log_start_offset: int = 0

    @property
    def end(self) -> int:
        return self.batches[-1][0] if self.batches else 0

    def kept(self) -> list[bytes]:
        return [data for next_offset, data, _ in self.batches if next_offset > self.start]

    def segments(self) -> list[list[tuple[int, bytes, int]]]:
        """The batches by segment."""
        bases = self.log.log.segment_bases
        limits = [*bases[1:], 1 << 62]
        return [
            [each for each in self.batches if low < each[0] <= high]
            for low, high in zip(bases, limits, strict=True)
        ]

    def do(self, step: tuple[str, int, int]) -> None:
        name, amount, more = step
        if name == "append":
            self.epoch += more
            self.now_ms += 100
            begin = self.end
            made = batch(begin, timestamp_ms=self.now_ms, epoch=self.epoch, count=1 + amount)
            # Before: a crash may come after the write.
            self.batches.append((begin + 1 + amount, made, self.epoch))
            self.log.append([made])
        elif name in ("old", "large"):
            self._retain(by_age=name == "old", amount=amount)
        elif name == "start":
            self.start = max(self.start, min(amount, self.end))
            self.log.move_start_to(self.start)
        elif name == "flush":
            self.log.log.flush()
        elif name == "restart":
            self.log_start_offset = self.log.log.log_start_offset
            self.log.log.abandon()
            self.open()
        else:
            sync_in_background(self.log, self.store, with_active=name == "sync all")
        # As the broker does from time to time.
        self.recovery_point = self.log.log.recovery_point
        if name != "start":
            self.log_start_offset = self.log.log.log_start_offset

    def _retain(self, *, by_age: bool, amount: int) -> None:
        segments = self.segments()
        keep = 0
        max_age_ms, max_bytes = -1, -1
        if by_age:
            max_age_ms = amount * 100
            newest = [
                self.now_ms - 100 * (len(self.batches) - 1 - self.batches.index(each[-1])) if each else 0
                for each in segments
            ]
            for each, time_ms in zip(segments, newest, strict=True):
                if not each or self.now_ms - time_ms <= max_age_ms:
                    break
                keep = each[-1][0]
        else:
            max_bytes = amount * 90
            left = sum(len(each[1]) for segment in segments for each in segment)
            for segment in segments:
                left -= sum(len(each[1]) for each in segment)
                if left < max_bytes or not segment:
                    break
                keep = segment[-1][0]
        expected = max(self.start, keep)
        # Before: a crash may come when some of it is done.
        self.start = expected
        self.log.remove_old(
            TopicRetention(max_bytes=max_bytes, max_age_ms=max_age_ms),
            high_watermark=self.end,
            wall_ms=self.now_ms,
        )

    def open(self) -> None:
        self.log = open_log(
            self.store, recovery_point=self.recovery_point, log_start_offset=self.log_start_offset
        )

    def check(self) -> None:
        log = self.log.log
        assert (log.log_start_offset, log.log_end_offset) == (self.start, self.end)
        assert content(self.log) == self.kept()
        first: dict[int, int] = {}
        for next_offset, data, epoch in self.batches:
            if next_offset > self.start:
                begin = next(iterate_batches(data)).base_offset
                first.setdefault(epoch, max(begin, self.start))
        if first:
            assert log.epoch_starts == tuple(first.items())


@given(st.lists(STEP, max_size=30))
def test_a_log_holds_what_a_list_holds(steps: list[tuple[str, int, int]]) -> None:
    store = disk()
    life = Life(store, open_log(store))
    for step in steps:
        life.do(step)
        life.check()


@settings(max_examples=25)
@given(st.lists(STEP, min_size=8, max_size=20), st.integers(0, 9))
def test_power_loss_at_any_operation_takes_no_durable_record_and_brings_none_back(
    steps: list[tuple[str, int, int]], seed: int
) -> None:
    """Steps are repeated up to each operation of the disk."""
    at = 0
    while True:
        store = disk()
        life = Life(store, open_log(store))
        store.crash_before = store.operations + at
        at += 1
        try:
            for step in steps:
                durable, start_before = life.recovery_point, life.start
                life.do(step)
        except PowerLossError:
            pass
        else:
            return
        store.crash(SeededRng(seed + at))
        life.open()
        check_after_crash(life, durable, start_before)


def check_after_crash(life: Life, durable: int, start_before: int) -> None:
    log = life.log.log
    held = content(life.log)
    # A part of the history, whole and in order.
    history = [data for _, data, _ in life.batches]
    if held:
        begin = history.index(held[0])
        assert held == history[begin : begin + len(held)]
    # What was deleted durably stays so, and nothing else is gone of what was durable.
    assert log.log_start_offset >= life.log_start_offset
    assert log.log_start_offset <= max(life.start, life.log_start_offset)
    assert log.log_end_offset >= durable
    # Only what was just given up is left to be removed.
    names = [name for name in life.store.list_directory(LOG) if name.endswith(".deleted")]
    assert sorted(names) == sorted({path.rpartition("/")[2] for path in life.log.take_deleted()})
    # It goes on from there.
    append(life.log, epoch=life.epoch + 1)
    remove_old(life.log, max_bytes=0)
    assert log.log_start_offset == log.log_end_offset


# --- what a start reads ---


@pytest.mark.parametrize("flushed", [0, 10, 25, 40])
def test_a_start_after_a_kill_reads_what_lies_past_the_recovery_point(
    flushed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = disk()
    config = LogConfig(
        segment_bytes=200_000,
        segment_index_bytes=1024,
        index_interval_bytes=4096,
        has_gaps=True,
        is_durable_at_once=False,
    )
    log = open_log(store, config=config)
    for number in range(40):
        log.append([batch(number, value_bytes=20_000)])
        if number + 1 == flushed:
            sync_in_background(log, store, with_active=True)
    states = log.found(0).producers
    log.write_producers(encode_producer_snapshot(states.snapshot_entries()), states.map_end_offset)
    point, bases = log.log.recovery_point, log.log.segment_bases
    log.log.abandon()
    read = 0
    read_at = type(store.open(f"{LOG}/{0:020}.log")).read_at

    def counted(file: object, position: int, length: int) -> bytes:
        nonlocal read
        data = read_at(file, position, length)  # type: ignore[arg-type]
        read += len(data)
        return data

    monkeypatch.setattr("tests.sim.disk.MemoryFile.read_at", counted)
    again = open_log(store, recovery_point=point, config=config)
    again.found(0)
    assert again.log.log_end_offset == 40
    unread = sum(1 for _, end in itertools.pairwise(bases) if end <= point)
    segments = len(bases)
    assert unread == (0 if not flushed else max(0, flushed // 9))
    # Whole segments are read from the one that holds the recovery point on, for the batches and for their producers; of
    # others, their first and last batches.
    assert read <= (segments - unread) * 2 * 200_000 + segments * 90_000
    assert read >= (segments - 1 - unread) * 150_000
