"""InitProducerId: who gets which id and epoch, and who is fenced by that.

Tests: `core.coordinators.transactions.producer_initialization`.
"""

from __future__ import annotations

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import TransactionLogKey, TransactionLogValue
from kafkaproto_server.core.coordinators.transactions.config import TransactionConfig
from kafkaproto_server.core.coordinators.values import Record
from kafkaproto_server.requests.transaction_requests import (
    ProducerOutcome,
)
from tests.core.coordinators.support.transaction_world import P0, TransactionWorld


def codes(outcomes: list[ProducerOutcome]) -> list[ErrorCode]:
    return [each.code for each in outcomes]


def with_epoch(epoch: int, *, status: int = 0, transaction_version: int = 2) -> TransactionWorld:
    """Transactional id "a" has producer id 500 with this epoch."""
    world = TransactionWorld(transaction_version=transaction_version)
    value = TransactionLogValue(
        producer_id=500,
        previous_producer_id=500,
        producer_epoch=epoch,
        transaction_timeout_ms=60_000,
        transaction_status=status,
        transaction_partitions=None if status == 0 else [],
        transaction_last_update_timestamp_ms=world.wall_ms(),
        transaction_start_timestamp_ms=-1,
    )
    world.log.append([Record(TransactionLogKey(transactional_id="a"), value, 1)])
    world.move()
    return world


def test_a_new_transactional_id_gets_a_new_producer_id_and_epoch_zero() -> None:
    world = TransactionWorld()
    assert world.begin("a") == (1001, 0)
    assert world.begin("b") == (1002, 0)
    assert world.state("a") == "Empty"


def test_the_next_producer_has_the_next_epoch_and_fences_the_one_before() -> None:
    world = TransactionWorld()
    first = world.begin()
    second = world.begin()
    assert second == (first[0], 1)
    assert world.add(first, P0) == [ErrorCode.PRODUCER_FENCED]
    assert world.add(second, P0) == [ErrorCode.NONE]


def test_the_response_leaves_when_the_record_is_committed() -> None:
    world = TransactionWorld()
    world.log.commits_at_once = False
    outcomes = world.init()
    assert not outcomes
    assert codes(world.init()) == [ErrorCode.CONCURRENT_TRANSACTIONS]
    assert world.state() == "TRANSACTIONAL_ID_NOT_FOUND"
    world.log.commit()
    assert codes(outcomes) == [ErrorCode.NONE]
    assert world.state() == "Empty"


def test_while_a_producer_id_is_on_its_way_the_transactional_id_is_busy() -> None:
    world = TransactionWorld()
    world.holds_ids = True
    outcomes = world.init()
    assert codes(world.init()) == [ErrorCode.CONCURRENT_TRANSACTIONS]
    world.give_ids()
    assert outcomes == [ProducerOutcome(code=ErrorCode.NONE, producer_id=1001, producer_epoch=0)]
    assert codes(world.init()) == [ErrorCode.NONE]


def test_without_a_producer_id_the_producer_is_told_why() -> None:
    world = TransactionWorld()
    world.id_refusal = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    assert codes(world.init()) == [ErrorCode.COORDINATOR_LOAD_IN_PROGRESS]
    world.id_refusal = None
    assert codes(world.init()) == [ErrorCode.NONE]


def test_a_producer_id_that_comes_after_the_coordinator_has_moved_is_of_no_use() -> None:
    world = TransactionWorld()
    world.holds_ids = True
    outcomes = world.init()
    world.coordinator.unload()
    world.give_ids()
    assert codes(outcomes) == [ErrorCode.NOT_COORDINATOR]
    assert not world.log.records


@pytest.mark.parametrize(
    ("refused", "told"),
    [
        (ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NOT_COORDINATOR),
        (ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.NOT_COORDINATOR),
        (ErrorCode.RECORD_LIST_TOO_LARGE, ErrorCode.UNKNOWN_SERVER_ERROR),
        (ErrorCode.INVALID_RECORD, ErrorCode.INVALID_RECORD),
    ],
)
def test_what_the_log_refuses_changes_nothing(refused: ErrorCode, told: ErrorCode) -> None:
    world = TransactionWorld()
    world.log.refusal = refused
    assert codes(world.init()) == [told]
    world.log.refusal = None
    assert world.begin() == (1002, 0)
    world.log.refusal = refused
    assert codes(world.init()) == [told]
    world.log.refusal = None
    assert world.begin() == (1002, 1)


def test_a_record_whose_commit_is_not_known_in_time_is_waited_for() -> None:
    world = TransactionWorld()
    world.log.commits_at_once = False
    outcomes = world.init()
    world.log.give_up(ErrorCode.REQUEST_TIMED_OUT)
    assert codes(outcomes) == [ErrorCode.COORDINATOR_NOT_AVAILABLE]
    assert codes(world.init()) == [ErrorCode.CONCURRENT_TRANSACTIONS]
    world.advance(1_000)
    world.log.commit()
    assert codes(outcomes) == [ErrorCode.COORDINATOR_NOT_AVAILABLE], "one response"
    world.log.commits_at_once = True
    assert world.begin() == (1001, 1)


@pytest.mark.parametrize("timeout_ms", [0, -1, 900_001])
def test_the_timeout_has_limits(timeout_ms: int) -> None:
    assert codes(TransactionWorld().init(timeout_ms=timeout_ms)) == [ErrorCode.INVALID_TRANSACTION_TIMEOUT]


def test_the_largest_timeout_is_allowed() -> None:
    assert codes(TransactionWorld().init(timeout_ms=900_000)) == [ErrorCode.NONE]


def test_a_transactional_id_is_not_empty() -> None:
    assert codes(TransactionWorld().init("")) == [ErrorCode.INVALID_REQUEST]


@pytest.mark.parametrize("expected", [(5, -1), (-1, 5)])
def test_id_and_epoch_are_given_together(expected: tuple[int, int]) -> None:
    assert codes(TransactionWorld().init(expected=expected)) == [ErrorCode.INVALID_REQUEST]


def test_two_phase_commit_has_to_be_enabled() -> None:
    world = TransactionWorld()
    assert codes(world.init(enable_2pc=True)) == [ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED]
    world.config = TransactionConfig(two_phase_commit_enable=True)
    # The timeout of the request is of no meaning then.
    assert codes(world.init(enable_2pc=True, timeout_ms=0)) == [ErrorCode.NONE]
    assert world.last_value.transaction_timeout_ms == 2_147_483_647


def test_a_prepared_transaction_cannot_be_kept() -> None:
    world = TransactionWorld(config=TransactionConfig(two_phase_commit_enable=True))
    assert codes(world.init(enable_2pc=True, keep_prepared=True)) == [ErrorCode.UNSUPPORTED_VERSION]


# -- an expected id and epoch (KIP-360) -----------------------------------------------------------------------------


def test_a_producer_that_recovers_gets_the_next_epoch() -> None:
    world = TransactionWorld()
    producer = world.begin()
    (outcome,) = world.init(expected=producer)
    assert (outcome.code, outcome.producer_epoch) == (ErrorCode.NONE, 1)


def test_a_repeated_recovery_gets_the_epoch_that_the_first_one_got() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.init(expected=producer)
    (outcome,) = world.init(expected=producer)
    assert (outcome.code, outcome.producer_epoch) == (ErrorCode.NONE, 1)


def test_a_recovery_is_no_repetition_once_another_producer_has_begun() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.init(expected=producer)
    world.begin()
    size = len(world.log.records)
    assert codes(world.init(expected=producer)) == [ErrorCode.PRODUCER_FENCED]
    assert codes(world.init(expected=(producer[0], 1))) == [ErrorCode.PRODUCER_FENCED]
    assert len(world.log.records) == size


def test_a_producer_with_another_id_is_fenced() -> None:
    world = TransactionWorld()
    world.begin()
    assert codes(world.init(expected=(77, 0))) == [ErrorCode.PRODUCER_FENCED]


def test_an_expected_identity_of_an_unknown_transactional_id_is_replaced() -> None:
    (outcome,) = TransactionWorld().init(expected=(77, 5))
    assert (outcome.producer_id, outcome.producer_epoch) == (1001, 0)


@pytest.mark.parametrize(
    ("version", "code"), [(3, ErrorCode.INVALID_PRODUCER_EPOCH), (4, ErrorCode.PRODUCER_FENCED)]
)
def test_old_clients_do_not_know_that_they_are_fenced(version: int, code: ErrorCode) -> None:
    world = TransactionWorld()
    world.begin()
    assert codes(world.init(expected=(77, 0), version=version)) == [code]


# -- an open transaction --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("transaction_version", "client_version"), [(0, 0), (1, 0), (2, 2)])
def test_what_the_former_producer_left_open_is_aborted_first(
    transaction_version: int, client_version: int
) -> None:
    world = TransactionWorld(transaction_version=transaction_version)
    former = world.begin()
    world.add(former, P0)
    assert codes(world.init()) == [ErrorCode.CONCURRENT_TRANSACTIONS]
    assert world.state() == "PrepareAbort"
    # The marker has the epoch that fences, so that the leaders refuse the former producer as well.
    assert world.brokers.sent == [(1, [(former[0], 1, False, (P0,))])]
    assert world.brokers.requests[0].markers[0].transaction_version == client_version
    assert codes(world.init()) == [ErrorCode.CONCURRENT_TRANSACTIONS]
    world.brokers.respond()
    assert world.state() == "CompleteAbort"
    assert world.begin() == (former[0], 2)


def test_the_abort_of_what_was_open_may_fail() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.add(producer, P0)
    world.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    assert codes(world.init()) == [ErrorCode.COORDINATOR_NOT_AVAILABLE]
    assert world.state() == "Ongoing"
    world.log.refusal = None
    assert codes(world.end(producer)) == [ErrorCode.NONE]


def test_a_fenced_producer_cannot_abort_the_transaction_of_the_next_one() -> None:
    world = TransactionWorld()
    former = world.begin()
    producer = world.begin()
    world.add(producer, P0)
    assert codes(world.init(expected=former)) == [ErrorCode.PRODUCER_FENCED]
    assert world.state() == "Ongoing"
    assert codes(world.init(expected=producer)) == [ErrorCode.CONCURRENT_TRANSACTIONS]


# -- epochs at their end --------------------------------------------------------------------------------------------


def test_a_producer_at_the_last_epoch_gets_a_new_id() -> None:
    world = with_epoch(32_765)
    assert world.begin() == (500, 32_766)
    assert world.begin() == (1001, 0)


def test_a_recovery_at_the_last_epoch_may_be_repeated() -> None:
    world = with_epoch(32_766)
    for _ in range(2):
        (outcome,) = world.init(expected=(500, 32_766))
        assert (outcome.code, outcome.producer_id, outcome.producer_epoch) == (ErrorCode.NONE, 1001, 0)
    # It is a repetition as long as no other producer has begun.
    world.begin()
    assert codes(world.init(expected=(500, 32_766))) == [ErrorCode.PRODUCER_FENCED]


def test_a_repetition_that_leads_to_the_last_epoch_takes_no_new_id() -> None:
    world = with_epoch(32_765)
    for _ in range(2):
        (outcome,) = world.init(expected=(500, 32_765))
        assert (outcome.code, outcome.producer_id, outcome.producer_epoch) == (ErrorCode.NONE, 500, 32_766)
    assert codes(world.init(expected=(500, 32_764))) == [ErrorCode.PRODUCER_FENCED]


def test_another_id_is_only_expected_at_its_last_epoch() -> None:
    world = with_epoch(32_766)
    world.init(expected=(500, 32_766))
    for epoch in (0, 32_765):
        assert codes(world.init(expected=(500, epoch))) == [ErrorCode.PRODUCER_FENCED]


def test_at_the_last_epoch_too_a_producer_of_another_id_is_fenced() -> None:
    world = with_epoch(32_766)
    assert codes(world.init(expected=(77, 32_766))) == [ErrorCode.PRODUCER_FENCED]
    assert world.identity() == (500, 32_766)


@pytest.mark.parametrize(("transaction_version", "identity"), [(1, (500, 32_767)), (2, (1001, 0))])
def test_fencing_the_last_epoch_leads_to_a_new_id(
    transaction_version: int, identity: tuple[int, int]
) -> None:
    world = with_epoch(32_766, transaction_version=transaction_version)
    world.add((500, 32_766), P0)
    assert codes(world.init()) == [ErrorCode.CONCURRENT_TRANSACTIONS]
    assert world.brokers.sent == [(1, [(500, 32_767, False, (P0,))])]
    world.brokers.respond()
    # By version 2 the end of the transaction brings the new id (KAFKA-20090), before that the next producer.
    assert world.identity() == identity
    producer = world.begin()
    assert producer == ((1001, 0) if transaction_version == 1 else (1001, 1))
    assert world.add(producer, P0) == [ErrorCode.NONE]


@pytest.mark.parametrize("transaction_version", [1, 2])
def test_no_epoch_is_behind_the_last_one(transaction_version: int) -> None:
    world = with_epoch(32_766, transaction_version=1)
    world.add((500, 32_766), P0)
    world.init()
    world.brokers.respond()
    # The fenced epoch is the last one. Whoever says that he has it is fenced in turn.
    world.transaction_version = transaction_version
    assert world.add((500, 32_767), P0) == [ErrorCode.NONE]
    assert codes(world.init()) == [ErrorCode.CONCURRENT_TRANSACTIONS]
    assert world.brokers.sent == [(1, [(500, 32_767, False, (P0,))])]
    world.brokers.respond()
    assert world.begin()[0] == 1001


def test_a_fenced_producer_is_no_repetition_of_the_one_before() -> None:
    world = TransactionWorld(transaction_version=1)
    producer = world.begin()
    world.init(expected=producer)
    world.add((producer[0], 1), P0)
    world.init()
    world.brokers.respond()
    assert world.identity() == (producer[0], 2)
    assert codes(world.init(expected=producer)) == [ErrorCode.PRODUCER_FENCED]


def test_an_end_that_bumps_may_be_followed_by_a_recovery_that_missed_it() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.add(producer, P0)
    world.end(producer)
    world.brokers.respond()
    (outcome,) = world.init(expected=producer)
    assert (outcome.code, outcome.producer_epoch) == (ErrorCode.NONE, 1)


def test_the_log_may_refuse_what_waited_for_a_producer_id() -> None:
    world = TransactionWorld()
    world.holds_ids = True
    outcomes = world.init()
    world.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    world.give_ids()
    assert codes(outcomes) == [ErrorCode.COORDINATOR_NOT_AVAILABLE]


def test_nobody_asks_for_a_commit_once_the_coordinator_has_moved() -> None:
    world = TransactionWorld()
    world.log.commits_at_once = False
    world.init()
    world.log.give_up(ErrorCode.REQUEST_TIMED_OUT)
    world.coordinator.unload()
    world.advance(1_000)
    assert not world.log.waiting
