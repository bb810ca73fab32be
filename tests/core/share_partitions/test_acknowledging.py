"""Acknowledgements: what holds when, what is refused and taken back, and long ones in pieces.

Tests: `core.share_partitions.expiring`, `core.share_partitions.in_flight`, `core.share_partitions.locks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import msgspec
import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.share_partitions import acknowledging
from kafkaproto_server.core.share_partitions.acknowledging import (
    Acknowledgement,
    acknowledge,
    complete,
    count_types,
    in_pieces,
    release,
)
from kafkaproto_server.core.share_partitions.acquiring import LogBatch, Wanted, acquire
from kafkaproto_server.core.share_partitions.expiring import expire
from kafkaproto_server.core.share_partitions.in_flight import StateChange
from kafkaproto_server.core.share_partitions.partition import SharePartition
from kafkaproto_server.core.share_partitions.settings import ShareSettings
from kafkaproto_server.requests.share_requests import ShareError
from kafkaproto_server.requests.share_state import ShareState, StateBatch

LOCK_MS = 1_000


def partition(sizes: Sequence[int] = (10,), **settings: int) -> SharePartition:
    """Ten records in batches of these sizes, which ada has."""
    core = SharePartition(
        ShareState(3, 0),
        0,
        ShareSettings(record_lock_duration_ms=LOCK_MS, **settings),  # type: ignore[arg-type]
    )
    log = [LogBatch(end - size, end - 1) for size, end in zip(sizes, accumulate(sizes), strict=True)]
    wanted = Wanted(member_id="ada", max_records=10, batch_size=1, is_record_limit=False)
    assert sum(last - first + 1 for first, last, _ in acquire(core, wanted, 0, log, (), 0)) == 10
    return core


def say(core: SharePartition, *said: tuple[int, int, list[int]], member: str = "ada") -> StateChange:
    change = StateChange()
    acknowledge(core, member, [Acknowledgement(*each) for each in said], change, 0)
    return change


def code(core: SharePartition, *said: tuple[int, int, list[int]], member: str = "ada") -> ErrorCode:
    with pytest.raises(ShareError) as error:
        say(core, *said, member=member)
    return error.value.code


def test_the_start_offset_moves_once_it_is_persisted() -> None:
    core = partition()
    change = say(core, (0, 3, [1]))
    assert change.batches == [StateBatch(0, 3, 2, 1)]
    assert core.state(tuple(change.batches)) == ShareState(3, 0, 4, (StateBatch(0, 3, 2, 1),))
    assert core.start_offset == 0
    assert complete(core, change, is_kept=True, now_ms=0)
    assert (core.start_offset, core.delivery_complete_count) == (4, 0)


def test_what_could_not_be_persisted_is_acquired_as_before() -> None:
    core = partition()
    change = say(core, (0, 3, [1]))
    assert code(core, (0, 3, [1])) is ErrorCode.INVALID_RECORD_STATE
    complete(core, change, is_kept=False, now_ms=0)
    assert (core.start_offset, core.delivery_complete_count) == (0, 0)
    assert say(core, (0, 3, [1])).batches == [StateBatch(0, 3, 2, 1)]


def test_a_lock_that_expires_meanwhile_is_gone() -> None:
    core = partition()
    change = say(core, (0, 3, [1]))
    expire(core, LOCK_MS)
    complete(core, change, is_kept=False, now_ms=LOCK_MS)
    assert core.next_fetch_offset() == 0
    assert code(core, (0, 3, [1])) is ErrorCode.INVALID_RECORD_STATE


def test_the_last_delivery_ends_in_the_archive() -> None:
    core = partition(delivery_count_limit=1)
    change = say(core, (0, 3, [2]))
    assert change.batches == [StateBatch(0, 3, 4, 1)]
    (batch,) = expire(core, LOCK_MS)
    assert batch == StateBatch(4, 9, 4, 1)
    assert core.delivery_complete_count == 10


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ((3, 12, [1]), ErrorCode.INVALID_REQUEST),
        ((10, 12, [1]), ErrorCode.INVALID_REQUEST),
        ((-5, -1, [1]), None),
        ((0, 9, [1] * 10), None),
    ],
)
def test_ranges_outside_of_what_was_fetched(
    said: tuple[int, int, list[int]], expected: ErrorCode | None
) -> None:
    core = partition()
    if expected is None:
        say(core, said)
    else:
        assert code(core, said) is expected


def test_what_was_not_fetched_is_told_apart() -> None:
    with pytest.raises(ShareError, match=r"^The records from 10 to 12 were not fetched yet"):
        say(partition(), (10, 12, [1]))
    with pytest.raises(ShareError, match=r"^The last of the records from 9 to 12 were not fetched yet"):
        say(partition(), (9, 12, [1]))


def test_a_refusal_takes_everything_back_but_renewed_locks() -> None:
    core = partition()
    assert code(core, (0, 1, [1]), (4, 5, [4]), (8, 11, [1])) is ErrorCode.INVALID_REQUEST
    assert core.delivery_complete_count == 0
    assert [run.state.name for batch in core.in_flight for run in batch.runs if run.change] == []
    assert expire(core, LOCK_MS - 1) == ()
    assert say(core, (0, 9, [1])).batches[0].first_offset == 0


def test_another_member_may_not_acknowledge() -> None:
    assert code(partition(), (0, 9, [1]), member="bob") is ErrorCode.INVALID_RECORD_STATE
    core = partition()
    say(core, (0, 0, [4]))
    assert code(core, (3, 4, [1]), member="bob") is ErrorCode.INVALID_RECORD_STATE


def test_a_renewed_lock_expires_later() -> None:
    core = partition()
    change = StateChange()
    acknowledge(core, "ada", [Acknowledgement(2, 3, [4])], change, 600)
    assert change.batches == []
    assert expire(core, LOCK_MS) == (StateBatch(0, 1, 0, 1), StateBatch(4, 9, 0, 1))
    assert core.locks.next_deadline_ms() == LOCK_MS + 600
    assert expire(core, LOCK_MS + 600) == (StateBatch(2, 3, 0, 1),)


def test_locks_of_later_records_may_expire_first() -> None:
    core = partition([4, 6])
    acknowledge(core, "ada", [Acknowledgement(0, 3, [4])], StateChange(), 600)
    assert expire(core, LOCK_MS) == (StateBatch(4, 9, 0, 1),)
    wanted = Wanted(member_id="bob", max_records=10, batch_size=1, is_record_limit=False)
    assert acquire(core, wanted, 4, [LogBatch(4, 9)], (), LOCK_MS)
    acknowledge(core, "ada", [Acknowledgement(0, 3, [4])], StateChange(), LOCK_MS + 500)
    assert expire(core, LOCK_MS + 600) == ()
    assert expire(core, 3 * LOCK_MS) == (StateBatch(0, 3, 0, 1), StateBatch(4, 9, 0, 2))
    assert core.locks.next_deadline_ms() is None


@pytest.mark.parametrize(
    ("said", "counted"),
    [
        (Acknowledgement(0, 10**9, [1]), [0, 10**9 - 99, 0, 0, 0]),
        (Acknowledgement(0, 99, [1]), [0] * 5),
        (Acknowledgement(0, 50, [1]), [0] * 5),
        (Acknowledgement(98, 101, [1, 2, 3, 1]), [0, 1, 0, 1, 0]),
        (Acknowledgement(100, 101, [0, 2]), [1, 0, 1, 0, 0]),
    ],
)
def test_records_before_the_start_offset_are_not_counted(said: Acknowledgement, counted: list[int]) -> None:
    counts = [0] * 5
    count_types(counts, [said], 100)
    assert counts == counted


def test_many_locks_expire_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkaproto_server.core.share_partitions.expiring.MAX_EXPIRED", 2)
    core = partition()
    for offset in range(10):
        acknowledge(core, "ada", [Acknowledgement(offset, offset, [4])], StateChange(), 1)
    seen = []
    while (due_ms := core.locks.next_deadline_ms()) is not None:
        assert due_ms <= LOCK_MS + 1
        seen.append(len(expire(core, LOCK_MS + 1)))
    assert sum(seen) == 10
    assert max(seen) < 10


def test_a_member_that_leaves_gives_all_up() -> None:
    core = partition()
    complete(core, say(core, (0, 1, [1]), (4, 4, [2])), is_kept=True, now_ms=0)
    change = release(core, "ada")
    assert change.batches == [StateBatch(2, 3, 0, 1), StateBatch(5, 9, 0, 1)]
    assert release(core, "bob").batches == []


def test_records_that_the_log_has_lost_are_not_given_up_for_others() -> None:
    core = partition()
    core.log_start_moved(4)
    assert release(core, "ada").batches == [StateBatch(0, 3, 4, 1), StateBatch(4, 9, 0, 1)]


def test_long_acknowledgements_come_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acknowledging, "PIECE_WEIGHT", 4)
    said = [Acknowledgement(0, 0, [1]), Acknowledgement(1, 9, [1, 2, 3, 0, 1, 2, 3, 0, 1])]
    pieces = list(in_pieces(said))
    assert pieces == [
        [Acknowledgement(0, 0, [1])],
        [Acknowledgement(1, 4, [1, 2, 3, 0])],
        [Acknowledgement(5, 8, [1, 2, 3, 0])],
        [Acknowledgement(9, 9, [1])],
    ]
    whole, parts = partition(), partition()
    changes = [StateChange(), StateChange()]
    acknowledge(whole, "ada", said, changes[0], 0)
    for piece in pieces:
        acknowledge(parts, "ada", piece, changes[1], 0)
    assert changes[0].batches == changes[1].batches
    assert list(in_pieces([])) == [[]]


def test_what_nobody_has_cannot_be_acknowledged() -> None:
    core = partition()
    complete(core, say(core, (0, 9, [2])), is_kept=True, now_ms=0)
    for types in ([1], [1] * 10, [1]):
        with pytest.raises(ShareError, match="from 0 to 9 are acquired by no member"):
            say(core, (0, 9, types))
        core.in_flight.first.is_tracked = True


@pytest.mark.parametrize("is_tracked", [False, True])
def test_what_another_member_has_cannot_be_acknowledged(is_tracked: bool) -> None:
    core = partition()
    core.in_flight.first.is_tracked = is_tracked
    with pytest.raises(ShareError, match="from 0 to 9 are acquired by another member"):
        say(core, (0, 9, [1]), member="bob")


def test_a_group_may_forbid_its_members_to_renew_locks() -> None:
    core = partition(may_renew=False)
    for said in ((0, 9, [4]), (2, 3, [4])):
        assert code(core, said) is ErrorCode.INVALID_RECORD_STATE
    assert core.locks.next_deadline_ms() == LOCK_MS


def test_the_lock_that_expires_first_is_the_deadline() -> None:
    core = partition((4, 6))
    acknowledge(core, "ada", [Acknowledgement(0, 3, [4])], StateChange(), 1)
    assert core.locks.next_deadline_ms() == LOCK_MS
    # The one that expires last lies before the other.
    assert expire(core, LOCK_MS + 1) == (StateBatch(0, 3, 0, 1), StateBatch(4, 9, 0, 1))


def test_batches_that_are_treated_as_a_whole_have_no_state_for_each_offset() -> None:
    core = partition((4, 6))
    complete(core, say(core, (0, 3, [2]), (4, 9, [3])), is_kept=True, now_ms=0)
    wanted = Wanted(member_id="bob", max_records=10, batch_size=10, is_record_limit=True)
    assert acquire(core, wanted, 0, [LogBatch(0, 3)], (), 0) == [(0, 3, 2)]
    assert expire(core, LOCK_MS) == (StateBatch(0, 3, 0, 2),)
    assert [batch.is_tracked for batch in core.in_flight] == [False, False]
    assert acquire(core, msgspec.structs.replace(wanted, max_records=3), 0, [LogBatch(0, 3)], (), 0)
    assert [batch.is_tracked for batch in core.in_flight] == [True, False]


def test_what_lies_in_batches_before_the_start_is_passed_over() -> None:
    core = partition((2, 2, 6))
    core.log_start_moved(3)
    # Offsets 0 to 2 are gone, and part of a batch with them.
    assert say(core, (0, 9, [1])).batches == [StateBatch(3, 3, 2, 1), StateBatch(4, 9, 2, 1)]
    core = partition((2, 2, 6))
    core.log_start_moved(3)
    assert say(core, (0, 9, [1] * 9 + [2])).batches == [
        StateBatch(3, 3, 2, 1),
        StateBatch(4, 8, 2, 1),
        StateBatch(9, 9, 0, 1),
    ]
    core = partition((2, 2, 6))
    acknowledge(core, "ada", [Acknowledgement(2, 9, [4])], StateChange(), 1)
    core.log_start_moved(3)
    assert expire(core, LOCK_MS) == (StateBatch(0, 1, 4, 1),)
    # Nobody has the first batch any more.
    assert say(core, (0, 9, [1])).batches == [StateBatch(3, 3, 2, 1), StateBatch(4, 9, 2, 1)]


def test_nothing_happens_to_what_lies_before_the_start_in_a_batch() -> None:
    core = partition()
    core.log_start_moved(4)
    assert say(core, (0, 9, [1, 1, 2, 2, 1, 1, 1, 1, 1, 1])).batches == [StateBatch(4, 9, 2, 1)]
    assert expire(core, LOCK_MS) == (StateBatch(0, 3, 4, 1),)


def test_records_that_the_log_has_lost_hold_the_start_back_until_their_lock_is_over() -> None:
    core = partition((4, 6))
    core.log_start_moved(4)
    change = say(core, (4, 9, [1]))
    assert not core.move_start()
    assert not complete(core, change, is_kept=True, now_ms=0)
    assert core.start_offset == 4
    assert expire(core, LOCK_MS) == (StateBatch(0, 3, 4, 1),)
    assert core.move_start()
    assert (core.start_offset, core.next_fetch_offset(), core.delivery_complete_count) == (10, 10, 0)
    assert not core.move_start()


@pytest.mark.parametrize("sizes", [(4, 6), (10,)])
def test_the_start_does_not_go_back_to_what_a_member_has_of_lost_records(sizes: Sequence[int]) -> None:
    core = partition(sizes)
    complete(core, say(core, (0, 3, [2])), is_kept=True, now_ms=0)
    # Of the lost records, the first are archived, and ada has two more.
    core.log_start_moved(6)
    complete(core, say(core, (6, 8, [1])), is_kept=True, now_ms=0)
    assert core.start_offset == 6


def test_a_change_that_is_not_done_holds_the_start_back() -> None:
    core = partition((4, 6))
    core.log_start_moved(4)
    acknowledge(core, "ada", [Acknowledgement(4, 9, [4])], StateChange(), 1)
    assert expire(core, LOCK_MS) == (StateBatch(0, 3, 4, 1),)
    change = say(core, (4, 9, [1]))
    assert not core.move_start()
    assert complete(core, change, is_kept=True, now_ms=LOCK_MS)
    assert core.start_offset == 10


def test_what_the_log_has_lost_is_not_taken_back() -> None:
    core = partition()
    change = say(core, (0, 3, [2]))
    core.log_start_moved(4)
    complete(core, change, is_kept=False, now_ms=0)
    assert release(core, "ada").batches == [StateBatch(4, 9, 0, 1)]


def test_records_done_with_behind_those_that_the_log_has_lost_stay_counted() -> None:
    core = partition()
    complete(core, say(core, (4, 9, [1])), is_kept=True, now_ms=0)
    core.log_start_moved(3)
    assert core.delivery_complete_count == 6


def test_what_is_done_with_takes_no_memory() -> None:
    core = partition((2, 2, 6))
    for last, first_left in ((1, 2), (3, 4), (5, 4), (8, 4)):
        complete(core, say(core, (core.start_offset, last, [1])), is_kept=True, now_ms=0)
        assert core.in_flight.first.first == first_left
        assert (core.start_offset, core.delivery_complete_count) == (last + 1, 0)
    complete(core, say(core, (9, 9, [1])), is_kept=True, now_ms=0)
    assert len(core.in_flight) == 0


def test_what_is_taken_back_is_not_available_if_the_log_has_lost_it() -> None:
    core = partition()
    change = say(core, (0, 3, [1]))
    core.log_start_moved(4)
    complete(core, change, is_kept=False, now_ms=LOCK_MS)
    expire(core, LOCK_MS)
    assert core.next_fetch_offset() == 4
    assert core.delivery_complete_count == 0


def test_locks_that_are_gone_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkaproto_server.core.share_partitions.locks.FEW_LOCKS", 4)
    core = partition()
    for now_ms in range(1, 100):
        acknowledge(core, "ada", [Acknowledgement(0, 9, [4])], StateChange(), now_ms)
        assert len(core.locks) <= core.locks._clean_at == 4
    assert expire(core, LOCK_MS + 98) == ()
    assert expire(core, LOCK_MS + 99) == (StateBatch(0, 9, 0, 1),)
    others = partition()
    complete(others, say(others, (0, 9, [2])), is_kept=True, now_ms=0)
    for each in (core, others):
        for _ in range(4):
            each.lock(0, 9, 0)
        each.locks.clean(each.in_flight)
        assert each.locks.next_deadline_ms() is None, "nobody has anything"
    core = partition()
    for offset in range(10):
        acknowledge(core, "ada", [Acknowledgement(offset, offset, [4])], StateChange(), offset)
    # Few were gone: the next time is when their number has doubled.
    assert (len(core.locks), core.locks._clean_at) == (11, 16)
