"""Transactions that stay open for too long, and transactional ids that nobody uses.

Tests: `core.coordinators.transactions.config`, `core.coordinators.transactions.scans`.
"""

from __future__ import annotations

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import TransactionLogKey
from kafkaproto_server.core.coordinators.transactions.config import TransactionConfig
from kafkaproto_server.core.coordinators.transactions.scans import IDS_AT_ONCE
from tests.core.coordinators.support.transaction_world import P0, TransactionWorld

HOUR_MS = 3_600_000


@pytest.mark.parametrize("transaction_version", [0, 1, 2])
def test_a_transaction_is_aborted_after_its_timeout_and_its_producer_is_fenced(
    transaction_version: int,
) -> None:
    world = TransactionWorld(transaction_version=transaction_version)
    producer = world.begin(timeout_ms=10_000)
    world.add(producer, P0)
    world.advance(10_000)
    assert world.state() == "Ongoing", "it is late only after that"
    world.advance(10_000)
    assert world.state() == "PrepareAbort"
    assert world.brokers.sent == [(1, [(producer[0], 1, False, (P0,))])]
    world.brokers.respond()
    assert world.identity() == (producer[0], 1)
    assert world.add(producer, P0) == [ErrorCode.PRODUCER_FENCED]


def test_the_time_counts_from_the_first_partition() -> None:
    world = TransactionWorld()
    producer = world.begin(timeout_ms=15_000)
    world.advance(60_000)
    world.add(producer, P0)
    world.advance(10_000)
    assert world.state() == "Ongoing"


def test_a_decided_transaction_is_not_aborted() -> None:
    world = TransactionWorld()
    producer = world.begin(timeout_ms=15_000)
    world.add(producer, P0)
    world.end(producer)
    world.advance(60_000)
    assert world.state() == "PrepareCommit"


def test_a_transaction_whose_end_is_under_way_is_not_aborted() -> None:
    world = TransactionWorld()
    producer = world.begin(timeout_ms=15_000)
    world.add(producer, P0)
    world.log.commits_at_once = False
    world.end(producer)
    world.advance(60_000)
    world.log.commit()
    assert world.state() == "PrepareCommit"


def test_a_transaction_with_two_phase_commit_stays_open() -> None:
    config = TransactionConfig(two_phase_commit_enable=True, abort_interval_ms=HOUR_MS)
    world = TransactionWorld(config=config)
    (outcome,) = world.init(enable_2pc=True)
    world.add((outcome.producer_id, outcome.producer_epoch), P0)
    world.advance(100 * 24 * HOUR_MS)
    assert world.state() == "Ongoing"


def test_an_abort_that_the_log_refuses_is_tried_again() -> None:
    world = TransactionWorld()
    world.add(world.begin(timeout_ms=5_000), P0)
    world.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    world.advance(30_000)
    assert world.state() == "Ongoing"
    world.log.refusal = None
    world.advance(10_000)
    assert world.state() == "PrepareAbort"


def test_an_id_that_is_not_used_is_removed() -> None:
    world = TransactionWorld(config=TransactionConfig(expiration_ms=5 * HOUR_MS))
    world.begin("a")
    completed = world.begin("b")
    world.add(completed, P0, transactional_id="b")
    world.end(completed, transactional_id="b")
    world.brokers.respond()
    world.advance(4 * HOUR_MS)
    world.begin("c")
    assert world.state("a") == "Empty"
    world.advance(2 * HOUR_MS)
    assert [world.state(each) for each in "abc"] == ["TRANSACTIONAL_ID_NOT_FOUND"] * 2 + ["Empty"]
    removed = {
        each.key.transactional_id
        for each in world.log.records
        if isinstance(each.key, TransactionLogKey) and each.value is None
    }
    assert removed == {"a", "b"}
    assert world.add(completed, P0, transactional_id="b") == [ErrorCode.INVALID_PRODUCER_ID_MAPPING]
    world.move()
    assert world.state("a") == "TRANSACTIONAL_ID_NOT_FOUND"


def test_an_id_with_an_open_or_prepared_transaction_is_not_removed() -> None:
    world = TransactionWorld(config=TransactionConfig(expiration_ms=1, abort_interval_ms=1_000 * HOUR_MS))
    for each, ends in (("a", False), ("b", True)):
        producer = world.begin(each)
        world.add(producer, P0, transactional_id=each)
        if ends:
            world.end(producer, transactional_id=each)
    world.advance(3 * HOUR_MS)
    assert [world.state(each) for each in "ab"] == ["Ongoing", "PrepareCommit"]


def test_an_id_whose_removal_is_under_way_is_busy() -> None:
    world = TransactionWorld(config=TransactionConfig(expiration_ms=1))
    producer = world.begin()
    world.log.commits_at_once = False
    world.advance(2 * HOUR_MS)
    assert world.state() == "Empty"
    assert world.add_at_last(producer, P0) == [ErrorCode.CONCURRENT_TRANSACTIONS]
    assert world.init()[0].code is ErrorCode.CONCURRENT_TRANSACTIONS
    world.log.commit()
    world.log.commits_at_once = True
    assert world.begin() == (1002, 0)


def test_a_removal_that_the_log_refuses_is_tried_again() -> None:
    world = TransactionWorld(config=TransactionConfig(expiration_ms=1))
    world.begin()
    world.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    world.advance(2 * HOUR_MS)
    assert world.state() == "Empty"
    world.log.refusal = None
    world.advance(HOUR_MS)
    assert world.state() == "TRANSACTIONAL_ID_NOT_FOUND"


def test_many_ids_are_removed_in_several_batches() -> None:
    world = TransactionWorld(config=TransactionConfig(expiration_ms=1))
    for index in range(1_100):
        world.begin(f"id-{index}")
    world.advance(HOUR_MS)
    assert world.log.versions.count(-1) == 500
    world.advance(10)
    assert world.log.versions.count(-1) == 1_100


def test_many_transactions_are_aborted_some_at_a_time() -> None:
    world = TransactionWorld()
    for index in range(IDS_AT_ONCE + 10):
        world.add(world.begin(f"id-{index}", timeout_ms=5_000), P0, transactional_id=f"id-{index}")
    before = len(world.log.records)
    world.advance(10_000)
    assert len(world.log.records) == before + IDS_AT_ONCE
    world.advance(10)
    assert len(world.log.records) == before + IDS_AT_ONCE + 10


def test_many_ids_that_rest_do_not_keep_a_late_transaction_waiting() -> None:
    world = TransactionWorld()
    for index in range(3 * IDS_AT_ONCE):
        world.begin(f"id-{index}")
    world.add(world.begin("late", timeout_ms=5_000), P0, transactional_id="late")
    world.advance(10_000)
    assert world.state("late") == "PrepareAbort"


def test_the_markers_of_many_transactions_are_sent_some_at_a_time() -> None:
    world = TransactionWorld()
    count = IDS_AT_ONCE + 10
    for index in range(count):
        producer = world.begin(f"id-{index}")
        world.add(producer, P0, transactional_id=f"id-{index}")
        world.end(producer, transactional_id=f"id-{index}")
    world.brokers.requests.clear()
    world.move()
    assert len(world.coordinator._ends._markers._endings) == IDS_AT_ONCE
    world.advance(10)
    world.brokers.respond()
    assert {world.state(f"id-{index}") for index in range(count)} == {"CompleteCommit"}


def test_a_coordinator_that_was_moved_from_keeps_no_transactions_until_its_timers_are_over() -> None:
    world = TransactionWorld()
    world.begin("a")
    world.log.commits_at_once = False
    world.init("b")
    states = world.coordinator._states
    assert list(states.ids()) == ["a", "b"]
    world.coordinator.unload()
    assert list(states.ids()) == []


def test_a_coordinator_that_was_moved_from_does_nothing_with_time() -> None:
    world = TransactionWorld(config=TransactionConfig(expiration_ms=1))
    world.begin("a")
    world.add(world.begin("b", timeout_ms=5_000), P0, transactional_id="b")
    size = len(world.log.records)
    world.coordinator.unload()
    world.advance(10 * HOUR_MS)
    assert len(world.log.records) == size
