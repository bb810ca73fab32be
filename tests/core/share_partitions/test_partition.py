"""A share partition as it is loaded, and as the log start moves."""

from __future__ import annotations

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.share_partitions.in_flight import InFlight, InFlightBatch, RecordState, Run
from kafkaproto_server.core.share_partitions.partition import SharePartition
from kafkaproto_server.core.share_partitions.settings import ShareSettings
from kafkaproto_server.requests.share_requests import ShareError
from kafkaproto_server.requests.share_state import ShareState, StateBatch


def load(start_offset: int, *batches: StateBatch) -> SharePartition:
    return SharePartition(ShareState(1, start_offset, batches=batches), start_offset, ShareSettings())


def test_what_is_done_with_is_not_in_flight() -> None:
    core = load(3, StateBatch(3, 5, 2, 1), StateBatch(6, 6, 4, 2))
    assert (core.start_offset, core.end_offset, core.next_fetch_offset()) == (7, 7, 7)
    assert core.delivery_complete_count == 0


def test_available_records_are_fetched_first() -> None:
    core = load(3, StateBatch(3, 5, 0, 1), StateBatch(6, 6, 2, 2))
    assert (core.start_offset, core.end_offset, core.next_fetch_offset()) == (3, 6, 3)
    assert core.delivery_complete_count == 1


def test_a_gap_at_the_start_holds_it_back() -> None:
    core = load(0, StateBatch(2, 5, 2, 1))
    assert (core.start_offset, core.next_fetch_offset()) == (0, 0)
    core.log_start_moved(1)
    # The log has lost a part of the gap.
    assert (core.start_offset, core.next_fetch_offset()) == (1, 1)


def test_a_gap_behind_records_that_are_done_with_is_where_the_start_stays() -> None:
    core = load(0, StateBatch(0, 3, 2, 1), StateBatch(6, 9, 2, 1))
    assert (core.start_offset, core.end_offset, core.next_fetch_offset()) == (4, 9, 4)
    assert core.delivery_complete_count == 4
    core.log_start_moved(5)
    assert (core.start_offset, core.next_fetch_offset()) == (5, 5)


def test_another_batch_at_the_same_offset_takes_the_place_of_the_first() -> None:
    in_flight = InFlight()
    batches = [
        InFlightBatch(Run(first, last, RecordState.AVAILABLE, 1)) for first, last in ((4, 5), (0, 1), (0, 3))
    ]
    for each in batches:
        in_flight.add(each)
    assert list(in_flight) == [batches[2], batches[0]]
    assert in_flight.floor(3) is batches[2]


def test_what_ends_before_offsets_is_not_over_them() -> None:
    in_flight = InFlight()
    batches = [InFlightBatch(Run(first, last, RecordState.AVAILABLE, 1)) for first, last in ((0, 1), (4, 5))]
    for each in batches:
        in_flight.add(each)
    assert in_flight.over(1, 4) == batches
    assert in_flight.over(2, 9) == batches[1:]
    assert in_flight.over(2, 3) == in_flight.over(6, 9) == []


def test_a_state_with_records_before_its_start_is_refused() -> None:
    with pytest.raises(ShareError) as error:
        load(3, StateBatch(2, 5, 2, 1))
    assert error.value.code is ErrorCode.UNKNOWN_SERVER_ERROR


def test_the_log_start_moves_past_all_that_is_in_flight() -> None:
    core = load(0, StateBatch(0, 5, 0, 1), StateBatch(6, 6, 2, 2))
    core.log_start_moved(4)
    assert (core.start_offset, core.next_fetch_offset(), core.delivery_complete_count) == (4, 4, 1)
    core.log_start_moved(20)
    assert (core.start_offset, core.end_offset, core.next_fetch_offset()) == (20, 20, 20)
    assert core.delivery_complete_count == 0
    core.log_start_moved(10)
    assert core.start_offset == 20
    # What was in flight is archived, and done with.
    assert core.move_start()
    assert (core.start_offset, core.end_offset, core.next_fetch_offset()) == (20, 20, 20)
    assert len(core.in_flight) == 0


def test_of_records_done_with_those_that_the_log_still_has_are_counted() -> None:
    core = load(0, StateBatch(0, 3, 0, 1), StateBatch(4, 9, 2, 1))
    core.log_start_moved(7)
    assert (core.start_offset, core.delivery_complete_count) == (7, 3)


def test_a_gap_that_the_log_has_lost_is_none_any_more() -> None:
    core = load(0, StateBatch(4, 5, 0, 1))
    assert core.gap_start == 0
    core.log_start_moved(20)
    assert core.gap_start is None


def test_the_log_start_moves_before_anything_was_fetched() -> None:
    core = load(5)
    core.log_start_moved(8)
    assert (core.start_offset, core.end_offset, core.next_fetch_offset()) == (8, 8, 8)


@pytest.mark.parametrize(
    "batches",
    [
        [StateBatch(5, 9, 9, 1)],
        [StateBatch(5, 9, 1, 1)],
        [StateBatch(5, 9, -1, 1)],
        [StateBatch(5, 4, 0, 1)],
        [StateBatch(5, 9, 0, -1)],
        [StateBatch(5, 2**63 - 1, 2, 1)],
        [StateBatch(5, 9, 0, 1), StateBatch(9, 10, 2, 1)],
        [StateBatch(8, 9, 0, 1), StateBatch(5, 6, 2, 1)],
    ],
    ids=repr,
)
def test_a_state_that_no_leader_can_have_written_is_refused(batches: list[StateBatch]) -> None:
    with pytest.raises(ShareError, match="could not be initialized") as error:
        load(3, *batches)
    assert error.value.code is ErrorCode.UNKNOWN_SERVER_ERROR


def test_more_records_done_with_than_a_count_can_say() -> None:
    core = load(0, StateBatch(0, 10, 0, 1), StateBatch(11, 2**63 - 2, 2, 1))
    assert core.delivery_complete_count == 2**63 - 12
    assert core.state(()).delivery_complete_count == 2**31 - 1


def test_a_delivery_count_ends_where_its_field_does() -> None:
    run = Run(0, 9, RecordState.AVAILABLE, 32_767)
    run.acquire("m", 1_000)
    assert run.state_batch().delivery_count == 32_767
