"""Guards of transactional batches: they hold until something of the transaction is in the log."""

from __future__ import annotations

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.records.batch import BatchHeader, NewRecord, RecordBatchView, build_batch
from kafkaproto_server.core.log_state.producer_state_entry import ProducerRefused
from kafkaproto_server.core.log_state.producers import ProducerStates
from kafkaproto_server.core.replicas.verification import Guard, Verifications


def begin(
    verifications: Verifications,
    *,
    producer_id: int = 7,
    epoch: int = 0,
    sequence: int = 0,
    leader_epoch: int = 1,
    now_ms: int = 0,
    bumps_epoch: bool = False,
) -> Guard:
    return verifications.begin(
        producer_id, epoch, sequence, bumps_epoch=bumps_epoch, leader_epoch=leader_epoch, now_ms=now_ms
    )


def header(sequence: int, epoch: int = 0) -> BatchHeader:
    batch = build_batch(
        [NewRecord(b"k", b"v")],
        base_offset=0,
        timestamp_ms=1,
        producer_id=7,
        producer_epoch=epoch,
        base_sequence=sequence,
        transactional=True,
    )
    return RecordBatchView(batch).header()


def test_a_guard_holds_until_the_transaction_is_in_the_log() -> None:
    verifications = Verifications()
    assert not verifications.is_valid(7, None, 1)
    guard = begin(verifications)
    assert verifications.is_valid(7, guard, 1)
    # Other batches of the producer have the same one.
    assert begin(verifications, sequence=5) is guard
    assert not verifications.is_valid(7, None, 1)
    assert not verifications.is_valid(8, guard, 1)
    verifications.end(7)
    assert not verifications.is_valid(7, guard, 1)
    assert not verifications.is_valid(7, guard, 1)
    assert begin(verifications) is not guard


@pytest.mark.parametrize(
    ("bumps_epoch", "marker_epoch", "is_kept"),
    [(True, 4, True), (True, 3, False), (True, 5, False), (False, 4, False)],
)
def test_the_marker_of_the_transaction_before_leaves_a_guard(
    bumps_epoch: bool, marker_epoch: int, is_kept: bool
) -> None:
    verifications = Verifications()
    verifications.end_by_marker(7, marker_epoch)
    guard = begin(verifications, epoch=4, bumps_epoch=bumps_epoch)
    verifications.end_by_marker(8, marker_epoch)
    assert verifications.is_valid(7, guard, 1)
    verifications.end_by_marker(7, marker_epoch)
    assert verifications.is_valid(7, guard, 1) == is_kept


def test_a_guard_holds_in_its_leader_epoch() -> None:
    verifications = Verifications()
    guard = begin(verifications)
    assert not verifications.is_valid(7, guard, 2)
    assert begin(verifications, leader_epoch=2) is not guard
    assert not verifications.is_valid(7, guard, 2)


def refusal(
    verifications: Verifications, sequence: int, producers: ProducerStates, epoch: int = 0
) -> ErrorCode | None:
    try:
        verifications.check_sequence(header(sequence, epoch), producers)
    except ProducerRefused as error:
        return error.code
    return None


def test_a_batch_must_not_overtake_an_earlier_one() -> None:
    verifications, producers = Verifications(), ProducerStates()
    assert refusal(verifications, 9, producers) is None
    begin(verifications, sequence=5)
    begin(verifications, sequence=3)
    begin(verifications, sequence=8)
    assert refusal(verifications, 3, producers) is None
    assert refusal(verifications, 5, producers) is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    # A later epoch begins anew; an earlier one changes nothing.
    begin(verifications, epoch=1, sequence=6)
    begin(verifications, epoch=0, sequence=0)
    for epoch in (0, 1):
        assert refusal(verifications, 6, producers, epoch) is None
        assert refusal(verifications, 7, producers, epoch) is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert refusal(verifications, 7, producers, 2) is None


@pytest.mark.parametrize("is_known", [True, False])
def test_with_epoch_bumps_an_unknown_producer_begins_with_sequence_0(is_known: bool) -> None:
    verifications, producers = Verifications(), ProducerStates()
    if is_known:
        producers.update(header(0))
    begin(verifications, sequence=4, bumps_epoch=True)
    expected = None if is_known else ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert refusal(verifications, 4, producers) is expected


def test_old_guards_are_forgotten() -> None:
    verifications = Verifications()
    verifications.expire(100, 10)
    old, young = begin(verifications, producer_id=7), begin(verifications, producer_id=8, now_ms=95)
    verifications.expire(100, 10)
    assert not verifications.is_valid(7, old, 1)
    assert verifications.is_valid(8, young, 1)


def test_a_producer_that_the_coordinator_does_not_know_leaves_nothing() -> None:
    verifications = Verifications()
    verifications.refused(7, object())
    first = begin(verifications, producer_id=7)
    verifications.refused(7, None)
    assert verifications.is_valid(7, first, 1)
    verifications.refused(7, first)
    assert not verifications.is_valid(7, first, 1)
    # A later question has a guard of its own.
    second = begin(verifications, producer_id=7)
    verifications.refused(7, first)
    assert verifications.is_valid(7, second, 1)


def test_who_is_in_a_transaction() -> None:
    producers = ProducerStates()
    assert not producers.is_in_transaction(7, 0)
    assert not producers.knows(7)
    producers.update(header(0))
    assert producers.knows(7)
    assert producers.is_in_transaction(7, 0)
    assert not producers.is_in_transaction(7, 1)
