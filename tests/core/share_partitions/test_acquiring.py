"""Which records a member gets: whole batches, no more than asked for, few of those that were delivered often."""

from __future__ import annotations

import pytest

from kafkaproto_server.core.share_partitions.acknowledging import Acknowledgement, acknowledge, complete
from kafkaproto_server.core.share_partitions.acquiring import (
    AcquiredRange,
    LogBatch,
    Wanted,
    acquire,
    give_back,
    without,
)
from kafkaproto_server.core.share_partitions.in_flight import StateChange
from kafkaproto_server.core.share_partitions.partition import SharePartition
from kafkaproto_server.core.share_partitions.settings import ShareSettings
from kafkaproto_server.requests.share_state import AVAILABLE, ShareState, StateBatch

LOG = [LogBatch(0, 3), LogBatch(4, 5), LogBatch(6, 9), LogBatch(10, 19)]


def partition(batches: tuple[StateBatch, ...] = (), **settings: int) -> SharePartition:
    return SharePartition(ShareState(0, 0, batches=batches), 0, ShareSettings(**settings))  # type: ignore[arg-type]


def get(
    core: SharePartition,
    *,
    most: int = 500,
    size: int = 500,
    limits: bool = False,
    member: str = "m",
    log: list[LogBatch] = LOG,
) -> list[tuple[int, int, int]]:
    fetch_offset = core.next_fetch_offset()
    log = [each for each in log if each.last >= fetch_offset]
    wanted = Wanted(member_id=member, max_records=most, batch_size=size, is_record_limit=limits)
    return [tuple(each) for each in acquire(core, wanted, fetch_offset, log, (), 0)]  # type: ignore[misc]


def release(core: SharePartition, first: int, last: int, member: str = "m") -> None:
    say(core, first, last, 2, member)


def accept(core: SharePartition, first: int, last: int, member: str = "m") -> None:
    say(core, first, last, 1, member)


def say(core: SharePartition, first: int, last: int, kind: int, member: str) -> None:
    change = StateChange()
    acknowledge(core, member, [Acknowledgement(first, last, [kind])], change, 0)
    complete(core, change, is_kept=True, now_ms=0)


def test_a_batch_is_not_divided_for_a_member_that_asks_for_less() -> None:
    core = partition()
    assert get(core, most=2) == [(0, 3, 1)]
    assert get(core, most=1) == [(4, 5, 1)]


def test_no_more_than_asked_for_if_the_member_says_so() -> None:
    core = partition()
    assert get(core, most=2, limits=True) == [(0, 1, 1)]
    assert get(core, most=3, limits=True) == [(2, 3, 1), (4, 4, 1)]
    assert get(core) == [(5, 5, 1), (6, 19, 1)]


def test_ranges_have_the_size_asked_for_as_far_as_batches_allow() -> None:
    assert get(partition(), size=4) == [(0, 3, 1), (4, 9, 1), (10, 19, 1)]
    assert get(partition(), size=1) == [(0, 3, 1), (4, 5, 1), (6, 9, 1), (10, 19, 1)]
    assert get(partition(), size=0) == [(0, 3, 1), (4, 5, 1), (6, 9, 1), (10, 19, 1)]


def test_no_more_are_in_flight_than_the_group_allows() -> None:
    core = partition(partition_max_record_locks=5)
    # The limit is passed by the rest of a batch at most.
    assert get(core) == [(0, 5, 1)]
    assert not core.can_acquire()
    release(core, 2, 3)
    assert core.can_acquire()
    assert get(core) == [(2, 3, 2)]


def test_what_is_available_in_flight_counts_as_new_as_long_as_there_is_room() -> None:
    batches = (StateBatch(0, 3, AVAILABLE, 1),)
    assert get(partition(batches, partition_max_record_locks=5), most=5, limits=True) == [(0, 0, 2)]
    assert get(partition(batches, partition_max_record_locks=4), most=5, limits=True) == [(0, 3, 2)]
    assert get(partition(batches, partition_max_record_locks=4), most=3, limits=True) == [(0, 2, 2)]
    assert get(partition(batches, partition_max_record_locks=8), most=9) == [(0, 3, 2)]


def test_of_a_full_share_partition_only_what_was_read_is_acquired() -> None:
    core = partition((StateBatch(0, 9, AVAILABLE, 1),), partition_max_record_locks=10)
    assert get(core, log=LOG[:1]) == [(0, 3, 2)]


def test_records_delivered_often_are_delivered_with_fewer_others() -> None:
    core = partition(delivery_count_limit=6)
    for count in (1, 2, 3):
        assert get(core, log=[LogBatch(0, 15)]) == [(0, 15, count)]
        release(core, 0, 15)
    # From half of the limit on: half of the batch, then a quarter.
    assert get(core, log=[LogBatch(0, 15)]) == [(0, 7, 4)]
    release(core, 0, 7)
    assert get(core, log=[LogBatch(0, 15)]) == [(0, 3, 5)]
    release(core, 0, 3)
    # The last delivery is of one record.
    assert get(core, log=[LogBatch(0, 15)]) == [(0, 0, 6)]
    assert get(core, log=[LogBatch(0, 15)]) == [(1, 1, 6)]


def test_records_delivered_often_are_not_delivered_behind_others() -> None:
    core = partition((StateBatch(0, 1, 0, 1), StateBatch(2, 3, 0, 4), StateBatch(4, 5, 0, 1)))
    assert get(core) == [(0, 1, 2)]
    assert get(core) == [(2, 2, 5)]
    core = partition((StateBatch(0, 0, 0, 1), StateBatch(1, 3, 0, 4)))
    assert get(core) == [(0, 0, 2)], "one record is enough to be behind"


def delivered(core: SharePartition, first: int, last: int, count: int) -> None:
    """Records of a batch in flight were delivered so often."""
    (batch,) = core.in_flight.over(first, last)
    batch.is_tracked = True
    for run in batch.runs_between(first, last):
        run.delivery_count = count


def test_records_delivered_often_that_were_not_read_hold_no_others_back() -> None:
    core = partition((StateBatch(0, 1, 0, 1), StateBatch(2, 9, 0, 1)), delivery_count_limit=6)
    delivered(core, 4, 9, 3)
    assert get(core, log=[LogBatch(0, 1), LogBatch(2, 3)]) == [(0, 1, 2), (2, 3, 2)]


def test_the_first_records_delivered_often_say_how_many_come_together() -> None:
    core = partition((StateBatch(0, 15, 0, 3),), delivery_count_limit=6)
    delivered(core, 2, 15, 4)
    # Half of the batch, though a quarter would be left if its first records had been delivered once more.
    assert get(core, log=[LogBatch(0, 15)]) == [(0, 1, 4), (2, 7, 5)]
    core = partition((StateBatch(0, 14, 0, 3),), delivery_count_limit=6)
    assert get(core, log=[LogBatch(0, 14)]) == [(0, 6, 4)]
    core = partition((StateBatch(0, 15, 0, 1),), delivery_count_limit=6)
    delivered(core, 2, 15, 4)
    assert get(core, log=[LogBatch(0, 15)]) == [(0, 1, 2), (2, 3, 5)]


def test_the_last_delivery_is_not_behind_others_of_its_batch() -> None:
    core = partition((StateBatch(0, 3, 0, 1),), delivery_count_limit=4)
    delivered(core, 2, 3, 3)
    assert [get(core, log=LOG[:1]) for _ in range(3)] == [[(0, 1, 2)], [(2, 2, 4)], [(3, 3, 4)]]


def test_the_last_delivery_is_of_one_record_however_large_its_batch_is() -> None:
    core = partition((StateBatch(0, 15, 0, 1),), delivery_count_limit=4)
    delivered(core, 0, 0, 3)
    assert get(core, log=[LogBatch(0, 15)]) == [(0, 0, 4)]
    core = partition((StateBatch(0, 15, 0, 3),), delivery_count_limit=4)
    assert get(core, log=[LogBatch(0, 15)]) == [(0, 0, 4)]
    core = partition((StateBatch(0, 15, 0, 2),), delivery_count_limit=3)
    assert get(core, log=[LogBatch(0, 15)]) == [(0, 0, 3)]
    # With two deliveries there is only one before the last one.
    core = partition((StateBatch(0, 15, 0, 1),), delivery_count_limit=2)
    assert get(core, log=[LogBatch(0, 15)]) == [(0, 15, 2)]


def test_records_of_a_batch_are_one_range_if_they_are_consecutive_and_were_delivered_as_often() -> None:
    core = partition((StateBatch(0, 9, 0, 1),), delivery_count_limit=6)
    delivered(core, 2, 3, 1)
    delivered(core, 5, 6, 2)
    assert get(core, log=[LogBatch(0, 9)]) == [(0, 4, 2), (5, 6, 3), (7, 9, 2)]
    for first, last in ((0, 0), (2, 2), (4, 4)):
        release(core, first, last)
    assert get(core, log=[LogBatch(0, 9)]) == [(0, 0, 3), (2, 2, 3), (4, 4, 3)]


def test_no_more_of_a_batch_than_asked_for_whatever_its_parts_are() -> None:
    core = partition((StateBatch(0, 9, 0, 1),))
    delivered(core, 2, 3, 1)
    assert get(core, most=3, limits=True, log=[LogBatch(0, 9)]) == [(0, 2, 2)]
    assert get(core, most=1, limits=True, log=[LogBatch(0, 9)]) == [(3, 3, 2)]
    assert get(core, most=1, log=[LogBatch(0, 9)]) == [(4, 9, 2)]


def test_only_what_was_read_is_acquired() -> None:
    core = partition((StateBatch(0, 9, 0, 1),))
    assert get(core, log=[LogBatch(0, 3)]) == [(0, 3, 2)]
    core = partition((StateBatch(0, 9, 0, 1),))
    wanted = Wanted(member_id="m", max_records=9, batch_size=9, is_record_limit=False)
    # The first records have become available since the log was read.
    assert acquire(core, wanted, 4, [LogBatch(4, 7)], (), 0) == [(4, 7, 2)]
    core = partition()
    core.log_start_moved(20)
    assert acquire(core, wanted, 0, LOG, (), 0) == []
    assert len(core.in_flight) == 0


def test_new_records_come_behind_those_in_flight() -> None:
    core = partition((StateBatch(0, 3, 0, 1), StateBatch(4, 5, 0, 1)))
    assert get(core) == [(0, 3, 2), (4, 5, 2), (6, 19, 1)]
    core = partition((StateBatch(0, 3, 0, 1), StateBatch(4, 5, 0, 1)))
    assert get(core, most=3) == [(0, 3, 2)]
    assert get(core, most=2) == [(4, 5, 2)]
    assert get(core, most=6) == [(6, 19, 1)]


def test_nothing_follows_a_batch_in_flight_that_has_as_many_records_as_asked_for() -> None:
    core = partition((StateBatch(0, 3, 0, 1), StateBatch(4, 5, 0, 1)))
    assert get(core, most=4) == [(0, 3, 2)]
    assert get(core, most=2) == [(4, 5, 2)]


def test_a_batch_of_which_all_may_be_acquired_has_no_state_for_each_offset() -> None:
    core = partition()
    assert get(core, most=4, limits=True, log=LOG[:1]) == [(0, 3, 1)]
    assert get(core, most=1, limits=True, log=LOG[:2]) == [(4, 4, 1)]
    assert [batch.is_tracked for batch in core.in_flight] == [False, True]
    core = partition((StateBatch(0, 3, 0, 1), StateBatch(4, 5, 0, 1)))
    assert get(core, most=6, limits=True) == [(0, 3, 2), (4, 5, 2)]
    assert [batch.is_tracked for batch in core.in_flight] == [False, False]


def test_what_the_log_loses_of_a_batch_is_no_matter_of_others() -> None:
    core = partition((StateBatch(0, 3, 0, 1), StateBatch(4, 9, 0, 1)))
    core.log_start_moved(2)
    assert [batch.is_tracked for batch in core.in_flight] == [True, False]
    # A member has the batch: nothing of it is archived.
    core = partition()
    assert get(core, log=LOG[:1]) == [(0, 3, 1)]
    core.log_start_moved(2)
    assert [batch.is_tracked for batch in core.in_flight] == [False]


def test_what_is_in_flight_is_not_acquired_as_new_if_the_start_lies_within_it() -> None:
    # The end of a batch of the log was in flight with the leader before.
    core = SharePartition(ShareState(0, 2, batches=(StateBatch(2, 3, AVAILABLE, 1),)), 2, ShareSettings())
    assert get(core, log=LOG[:1]) == [(2, 3, 2)]
    change = StateChange()
    acknowledge(core, "m", [Acknowledgement(2, 3, [1, 2])], change, 0)
    complete(core, change, is_kept=True, now_ms=0)
    assert core.start_offset == 3
    assert get(core) == [(3, 3, 3), (4, 19, 1)]
    assert [(batch.first, batch.last) for batch in core.in_flight] == [(2, 3), (4, 19)]


@pytest.mark.parametrize(
    ("batches", "before", "start_offset", "expected"),
    [
        ((), (0, 3, 1), 5, [(5, 19, 1)]),
        ((StateBatch(0, 1, AVAILABLE, 1),), (0, 1, 2), 3, [(3, 19, 1)]),
        (
            (StateBatch(0, 1, AVAILABLE, 1), StateBatch(6, 19, AVAILABLE, 1)),
            (0, 1, 2),
            3,
            [(3, 5, 1), (6, 19, 2)],
        ),
    ],
    ids=["the next batch", "the rest of a batch", "a gap"],
)
def test_lost_records_of_a_batch_that_the_log_still_has_are_not_acquired(
    batches: tuple[StateBatch, ...],
    before: tuple[int, int, int],
    start_offset: int,
    expected: list[tuple[int, int, int]],
) -> None:
    core = partition(batches)
    # A member has records before those, so the log's first batch is not the first in flight.
    assert get(core, most=1) == [before]
    core.log_start_moved(start_offset)
    assert get(core) == expected
    assert core.start_offset == start_offset


def test_gaps_of_the_persisted_state_are_filled_first() -> None:
    core = partition((StateBatch(4, 5, 2, 1), StateBatch(8, 8, 0, 2)))
    assert (core.start_offset, core.end_offset) == (0, 8)
    assert core.next_fetch_offset() == 0
    assert get(core, most=3) == [(0, 3, 1)]
    assert core.next_fetch_offset() == 6
    accept(core, 0, 3)
    assert (core.start_offset, core.gap_start) == (4, 4)
    assert get(core) == [(6, 7, 1), (8, 8, 3), (9, 19, 1)]
    accept(core, 6, 19)
    assert (core.start_offset, core.gap_start) == (20, None)


def test_a_batch_of_the_log_may_lie_over_what_is_in_flight() -> None:
    core = partition((StateBatch(4, 5, 2, 1), StateBatch(8, 8, 0, 2)))
    assert get(core, most=2, log=[LogBatch(0, 9)]) == [(0, 3, 1)]
    assert get(core, most=1, log=[LogBatch(0, 9)]) == [(6, 7, 1)]
    assert get(core, most=2, log=[LogBatch(0, 9)]) == [(8, 8, 3), (9, 9, 1)]


def test_offsets_that_the_log_does_not_have_count_as_others() -> None:
    log = [LogBatch(0, 1), LogBatch(6, 9)]
    core = partition()
    assert get(core, most=4, log=log) == [(0, 3, 1)]
    assert get(core, most=1, log=log) == [(6, 9, 1)]


def test_a_gap_is_filled_as_far_as_it_was_read() -> None:
    core = partition((StateBatch(4, 5, 2, 1),))
    assert get(core, most=2, log=[LogBatch(0, 1), LogBatch(2, 3)]) == [(0, 1, 1)]
    assert (core.next_fetch_offset(), core.gap_start) == (2, 2)
    # The log has nothing in the gap.
    core = partition((StateBatch(4, 5, 0, 1), StateBatch(8, 8, 0, 1)))
    assert get(core, log=[LogBatch(4, 5)]) == [(4, 5, 2)]
    assert (core.next_fetch_offset(), core.gap_start) == (6, 6)


def test_a_gap_begins_where_the_log_has_records() -> None:
    core = partition((StateBatch(8, 9, 0, 1),))
    assert get(core, log=[LogBatch(4, 5), LogBatch(6, 9)]) == [(4, 7, 1), (8, 9, 2)]


def test_a_gap_at_the_start_begins_there_though_its_batch_of_the_log_does_not() -> None:
    core = SharePartition(ShareState(0, 5, batches=(StateBatch(8, 9, 0, 1),)), 5, ShareSettings())
    assert get(core, log=[LogBatch(0, 9)]) == [(5, 7, 1), (8, 9, 2)]
    assert core.start_offset == 5


def test_the_first_records_of_all_are_those_that_the_log_has() -> None:
    core = partition()
    assert get(core, log=[LogBatch(4, 5)]) == [(4, 5, 1)]
    assert core.start_offset == 4


def test_what_the_log_has_lost_to_compaction_is_archived() -> None:
    core = partition((StateBatch(0, 1, 0, 1), StateBatch(2, 3, 0, 1), StateBatch(4, 5, 0, 1)))
    assert get(core, log=[LogBatch(4, 5), LogBatch(10, 19)]) == [(4, 5, 2), (6, 19, 1)]
    assert core.delivery_complete_count == 4
    core.move_start()
    assert (core.start_offset, core.delivery_complete_count) == (4, 0)


def test_records_of_aborted_transactions_are_archived() -> None:
    core = partition()
    wanted = Wanted(member_id="m", max_records=500, batch_size=500, is_record_limit=False)
    ranges = acquire(core, wanted, 0, LOG, [LogBatch(4, 5), LogBatch(10, 19)], 0)
    assert ranges == [(0, 3, 1), (6, 9, 1)]
    assert core.delivery_complete_count == 12
    assert core.next_fetch_offset() == 20


def test_what_a_member_has_of_aborted_transactions_stays_its_own_if_nothing_else_is_acquired() -> None:
    core = partition()
    # The group has read all, and reads only what is committed from now on.
    assert get(core, log=LOG[:1]) == [(0, 3, 1)]
    wanted = Wanted(member_id="bob", max_records=500, batch_size=500, is_record_limit=False)
    assert acquire(core, wanted, 0, LOG[:1], LOG[:1], 0) == []
    accept(core, 0, 3)
    assert core.start_offset == 4


@pytest.mark.parametrize(
    ("ranges", "taken_out", "left"),
    [
        ([(0, 9, 1)], [], [(0, 9, 1)]),
        ([(0, 9, 1)], [(0, 9)], []),
        ([(0, 9, 1)], [(2, 3), (5, 5)], [(0, 1, 1), (4, 4, 1), (6, 9, 1)]),
        ([(0, 4, 1), (7, 9, 2)], [(3, 8)], [(0, 2, 1), (9, 9, 2)]),
        ([(5, 6, 1)], [(0, 5), (8, 9)], [(6, 6, 1)]),
        ([(5, 6, 1)], [(0, 2), (6, 6)], [(5, 5, 1)]),
        ([(5, 6, 1)], [(0, 4), (7, 9)], [(5, 6, 1)]),
    ],
)
def test_ranges_without_others(
    ranges: list[tuple[int, int, int]], taken_out: list[tuple[int, int]], left: list[tuple[int, int, int]]
) -> None:
    found = without([AcquiredRange(*each) for each in ranges], [LogBatch(*each) for each in taken_out])
    assert found == left


def test_what_does_not_reach_the_member_does_not_count_as_delivered() -> None:
    core = partition()
    give_back(core, [AcquiredRange(*each) for each in get(core, most=4)])
    assert core.next_fetch_offset() == 0
    assert get(core, most=4) == [(0, 3, 1)]


def test_locks_of_records_acquired_again_and_again_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkaproto_server.core.share_partitions.locks.FEW_LOCKS", 4)
    core = partition()
    for _ in range(20):
        give_back(core, [AcquiredRange(*each) for each in get(core, log=LOG[:1])])
        assert len(core.locks) <= 4
