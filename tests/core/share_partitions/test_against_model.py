"""A share partition against one that keeps a state for each record, with random histories."""

from __future__ import annotations

from itertools import groupby, pairwise

import hypothesis.strategies as st
from hypothesis import given, settings

from kafkaproto_server.core.share_partitions.acknowledging import (
    Acknowledgement,
    acknowledge,
    complete,
    release,
)
from kafkaproto_server.core.share_partitions.acquiring import LogBatch, Wanted, acquire
from kafkaproto_server.core.share_partitions.dead_letters import DeadLetter, spent_letters
from kafkaproto_server.core.share_partitions.expiring import expire
from kafkaproto_server.core.share_partitions.in_flight import NO_MEMBER, InFlight, RecordState, StateChange
from kafkaproto_server.core.share_partitions.partition import SharePartition
from kafkaproto_server.core.share_partitions.settings import ShareSettings
from kafkaproto_server.requests.share_requests import ShareError
from kafkaproto_server.requests.share_state import ShareState
from tests.core.share_partitions.support.model import Model

LOCK_MS = 100
MEMBERS = ("ada", "bob", "cyd")


class World:
    """The two share partitions, and the log that they read."""

    def __init__(self, sizes: list[int], limit: int, max_locks: int, topic: str) -> None:
        self.sizes = sizes
        self.core = SharePartition(
            ShareState(0, 0),
            0,
            ShareSettings(
                record_lock_duration_ms=LOCK_MS,
                delivery_count_limit=limit,
                partition_max_record_locks=max_locks,
                dead_letter_topic=topic,
            ),
        )
        self.model = Model(limit=limit, lock_ms=LOCK_MS, spent="archiving" if topic else "archived")
        self.letters: list[DeadLetter] = []
        self.now_ms = 0
        self.changes: list[StateChange] = []

    def log_from(self, offset: int, count: int) -> list[LogBatch]:
        """So many batches of the log, the first of which has an offset."""
        found: list[LogBatch] = []
        first = position = 0
        while len(found) < count:
            last = first + self.sizes[position % len(self.sizes)] - 1
            if last >= offset:
                found.append(LogBatch(first, last))
            first, position = last + 1, position + 1
        return found

    def acquire(self, member: str, max_records: int, batches: int, *, is_record_limit: bool) -> None:
        core = self.core
        if not core.can_acquire():
            assert core.in_flight_count >= core.settings.partition_max_record_locks
            return
        fetch_offset = core.next_fetch_offset()
        wanted = Wanted(
            member_id=member, max_records=max_records, batch_size=4, is_record_limit=is_record_limit
        )
        log = self.log_from(fetch_offset, batches)
        ranges = acquire(core, wanted, fetch_offset, log, (), self.now_ms)
        if is_record_limit:
            assert sum(last - first + 1 for first, last, _ in ranges) <= max_records
        for one, another in pairwise(ranges):
            assert one.last < another.first, "the ranges ascend"
        assert ranges, "what is fetched next can be acquired"
        self.model.acquired(ranges, member, self.now_ms)
        for offset in range(self.model.start, core.end_offset + 1):
            self.model.skipped(offset)

    def acknowledge(self, member: str, first: int, length: int, kinds: list[int]) -> None:
        last = first + length - 1
        types = kinds[:1] if len(kinds) < length else kinds[:length]
        each = dict(zip(range(first, last + 1), types * length if len(types) == 1 else types, strict=True))
        wanted = [offset for offset in each if offset >= self.model.start]
        is_good = last <= self.model.end and all(
            self.model.may_acknowledge(offset, member) for offset in wanted
        )
        try:
            change = StateChange()
            said = [Acknowledgement(first, last, types)]
            acknowledge(self.core, member, said, change, self.now_ms)
        except ShareError:
            assert not is_good or not wanted or first < self.model.start
            # Locks are renewed up to the first record that is refused.
            for offset in wanted:
                if not self.model.may_acknowledge(offset, member):
                    break
                if each[offset] == 4:
                    self.sync_lock(offset)
            return
        assert is_good or not wanted
        for offset in wanted:
            self.model.acknowledge(offset, each[offset], change, self.now_ms)
        self._begun(change)

    def sync_lock(self, offset: int) -> None:
        """Take the lock of a record over."""
        (batch,) = self.core.in_flight.over(offset, offset)
        until_ms = batch.run_at(offset).lock_until_ms
        assert until_ms is not None
        self.model.records[offset].lock_until_ms = until_ms

    def release(self, member: str) -> None:
        change = release(self.core, member)
        self.model.release(member, change)
        self._begun(change)

    def _begun(self, change: StateChange) -> None:
        if change.batches:
            self.changes.append(change)

    def complete(self, at: int, *, is_kept: bool) -> None:
        if self.changes:
            change = self.changes.pop(at % len(self.changes))
            complete(self.core, change, is_kept=is_kept, now_ms=self.now_ms)
            self.model.complete(change, is_kept=is_kept, now_ms=self.now_ms)
            self.letters += change.letters

    def write(self, at: int) -> None:
        """A dead letter is written."""
        if self.letters:
            letter = self.letters.pop(at % len(self.letters))
            assert self.core.archive_letters([letter])
            self.core.move_start()
            self.model.written(letter.first, letter.last)

    def pass_time(self, passed_ms: int) -> None:
        self.now_ms += passed_ms
        if batches := expire(self.core, self.now_ms):
            self.letters += spent_letters(batches)
            self.core.move_start()
            self.model.expire(self.now_ms)
            self.model.move_start()

    def lose(self, count: int) -> None:
        offset = self.core.start_offset + count
        self.core.log_start_moved(offset)
        self.model.log_start_moved(offset)

    def check(self) -> None:
        core, model = self.core, self.model
        assert core.start_offset == model.start
        assert core.delivery_complete_count == model.terminal_count()
        available = model.first_available()
        expected = available if available is not None else max(model.end + 1, model.start)
        assert core.next_fetch_offset() == expected
        _check_in_flight(core.in_flight)
        told = [offset for each in self.letters for offset in range(each.first, each.last + 1)]
        archiving = {
            offset
            for offset, record in model.records.items()
            if record.state == "archiving" and record.pending is None
        }
        assert len(told) == len(set(told))
        assert set(told) == archiving
        for batch in core.in_flight:
            for run in batch.runs:
                for offset in range(max(run.first, core.start_offset), run.last + 1):
                    record = model.records[offset]
                    assert run.state.name.lower() == record.state, offset
                    assert run.member_id == record.member
                    assert run.delivery_count == record.count
                    assert run.change is record.pending
        if any(each.state == "acquired" for each in model.records.values()):
            assert core.locks.next_deadline_ms() is not None


def _check_in_flight(in_flight: InFlight) -> None:
    behind = -1
    for batch in in_flight:
        assert batch.first > behind
        assert batch.runs[0].first == batch.first
        assert batch.runs[-1].last == batch.last
        for one, another in pairwise(batch.runs):
            assert one.last + 1 == another.first
        assert batch.is_tracked or len(batch.runs) == 1
        assert all((run.member_id != NO_MEMBER) is (run.state is RecordState.ACQUIRED) for run in batch.runs)
        behind = batch.last


MEMBER = st.sampled_from(MEMBERS)
STEP = st.one_of(
    st.tuples(st.just("acquire"), MEMBER, st.integers(1, 12), st.integers(1, 4), st.booleans()),
    st.tuples(
        st.just("acknowledge"),
        MEMBER,
        st.integers(0, 30),
        st.integers(1, 8),
        st.lists(st.integers(0, 4), min_size=1, max_size=8),
    ),
    st.tuples(st.just("own"), MEMBER, st.lists(st.integers(0, 4), min_size=1, max_size=6)),
    st.tuples(st.just("release"), MEMBER),
    st.tuples(st.just("complete"), st.integers(0, 5), st.sampled_from((True, True, True, False))),
    st.tuples(st.just("time"), st.integers(1, 150)),
    st.tuples(st.just("write"), st.integers(0, 5)),
    st.tuples(st.just("lose"), st.integers(1, 6)),
)


@settings(max_examples=300, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 7), min_size=1, max_size=5),
    limit=st.integers(2, 5),
    max_locks=st.integers(5, 40),
    topic=st.sampled_from(("", "dlq.t")),
    steps=st.lists(STEP, max_size=40),
)
def test_share_partition_is_as_a_state_for_each_record(
    sizes: list[int], limit: int, max_locks: int, topic: str, steps: list[tuple[object, ...]]
) -> None:
    world = World(sizes, limit, max_locks, topic)
    for name, *arguments in steps:
        _run(world, name, arguments)
        world.check()


def _run(world: World, name: object, arguments: list[object]) -> None:
    match name, arguments:
        case "acquire", [str(member), int(most), int(batches), bool(is_limit)]:
            world.acquire(member, most, batches, is_record_limit=is_limit)
        case "acknowledge", [str(member), int(first), int(length), list(kinds)]:
            world.acknowledge(member, world.core.start_offset + first, length, kinds)
        case "own", [str(member), list(kinds)]:
            # The first records that the member has.
            held = [
                offset
                for offset, record in sorted(world.model.records.items())
                if record.state == "acquired" and record.member == member and offset >= world.model.start
            ]
            runs = groupby(enumerate(held), key=lambda pair: pair[1] - pair[0])
            for _, run in runs:
                offsets = [offset for _, offset in run]
                world.acknowledge(member, offsets[0], min(len(offsets), len(kinds)), kinds)
                break
        case "release", [str(member)]:
            world.release(member)
        case "complete", [int(at), bool(is_kept)]:
            world.complete(at, is_kept=is_kept)
        case "time", [int(passed_ms)]:
            world.pass_time(passed_ms)
        case "write", [int(at)]:
            world.write(at)
        case "lose", [int(count)]:
            world.lose(count)
