"""Which records a member gets: whole batches, no more than asked for, few of those that were delivered often."""

from __future__ import annotations

import pytest

from kafkaproto_server.requests.share_state import AVAILABLE, ShareState, StateBatch
from kafkaproto_server.share.acknowledging import Acknowledgement, acknowledge
from kafkaproto_server.share.acquiring import AcquiredRange, LogBatch, Wanted, acquire, give_back, without
from kafkaproto_server.share.in_flight import Change
from kafkaproto_server.share.partition import SharePartition
from kafkaproto_server.share.settings import ShareSettings

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
    change = Change()
    acknowledge(core, member, [Acknowledgement(first, last, [2])], change, 0)
    core.complete(change, is_kept=True, now_ms=0)


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


def test_what_is_in_flight_is_not_acquired_as_new_if_the_start_lies_within_it() -> None:
    # The end of a batch of the log was in flight with the leader before.
    core = SharePartition(ShareState(0, 2, batches=(StateBatch(2, 3, AVAILABLE, 1),)), 2, ShareSettings())
    assert get(core, log=LOG[:1]) == [(2, 3, 2)]
    change = Change()
    acknowledge(core, "m", [Acknowledgement(2, 3, [1, 2])], change, 0)
    core.complete(change, is_kept=True, now_ms=0)
    assert core.start_offset == 3
    assert get(core) == [(3, 3, 3), (4, 19, 1)]
    assert [(batch.first, batch.last) for batch in core.in_flight] == [(2, 3), (4, 19)]


def test_gaps_of_the_persisted_state_are_filled_first() -> None:
    core = partition((StateBatch(4, 5, 2, 1), StateBatch(8, 8, 0, 2)))
    assert (core.start_offset, core.end_offset) == (0, 8)
    assert core.next_fetch_offset() == 0
    assert get(core, most=3) == [(0, 3, 1)]
    assert core.next_fetch_offset() == 6
    assert get(core) == [(6, 7, 1), (8, 8, 3), (9, 19, 1)]


def test_what_the_log_has_lost_to_compaction_is_archived() -> None:
    core = partition((StateBatch(0, 3, 0, 1), StateBatch(4, 5, 0, 1)))
    assert get(core, log=[LogBatch(4, 5), LogBatch(10, 19)]) == [(4, 5, 2), (6, 19, 1)]
    core.move_start()
    assert core.start_offset == 4


def test_records_of_aborted_transactions_are_archived() -> None:
    core = partition()
    wanted = Wanted(member_id="m", max_records=500, batch_size=500, is_record_limit=False)
    ranges = acquire(core, wanted, 0, LOG, [LogBatch(4, 5), LogBatch(10, 19)], 0)
    assert ranges == [(0, 3, 1), (6, 9, 1)]
    assert core.delivery_complete_count == 12
    assert core.next_fetch_offset() == 20


@pytest.mark.parametrize(
    ("ranges", "taken_out", "left"),
    [
        ([(0, 9, 1)], [], [(0, 9, 1)]),
        ([(0, 9, 1)], [(0, 9)], []),
        ([(0, 9, 1)], [(2, 3), (5, 5)], [(0, 1, 1), (4, 4, 1), (6, 9, 1)]),
        ([(0, 4, 1), (7, 9, 2)], [(3, 8)], [(0, 2, 1), (9, 9, 2)]),
        ([(5, 6, 1)], [(0, 5), (8, 9)], [(6, 6, 1)]),
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
