"""EndTxn: decisions, repetitions, and epochs that are bumped by them.

Tests: `core.coordinators.transactions.ends`, `core.coordinators.transactions.transaction`.
"""

from __future__ import annotations

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.transactions import scans
from kafkaproto_server.requests.transaction_requests import (
    ProducerOutcome,
)
from tests.core.coordinators.support.transaction_world import P0, P1, TransactionWorld
from tests.core.coordinators.transactions.test_init_producer_id import codes, with_epoch

NONE = ErrorCode.NONE
FENCED = ErrorCode.PRODUCER_FENCED
INVALID = ErrorCode.INVALID_TXN_STATE


def completed(world: TransactionWorld, *, commit: bool) -> tuple[int, int]:
    """A producer whose transaction is complete, as it was when it asked for that."""
    producer = world.begin()
    world.add(producer, P0)
    assert codes(world.end(producer, commit=commit)) == [NONE]
    world.brokers.respond()
    assert world.state() == ("CompleteCommit" if commit else "CompleteAbort")
    return producer


@pytest.mark.parametrize("transaction_version", [0, 1, 2])
@pytest.mark.parametrize("commit", [True, False])
def test_a_transaction_ends_in_all_its_partitions(transaction_version: int, commit: bool) -> None:
    world = TransactionWorld(transaction_version=transaction_version)
    producer = world.begin()
    world.add(producer, P0, P1)
    assert world.state() == "Ongoing"
    world.end(producer, commit=commit)
    assert world.state() == ("PrepareCommit" if commit else "PrepareAbort")
    epoch = 1 if transaction_version == 2 else 0
    assert world.brokers.sent == [
        (1, [(producer[0], epoch, commit, (P0,))]),
        (2, [(producer[0], epoch, commit, (P1,))]),
    ]
    world.brokers.respond()
    assert world.state() == ("CompleteCommit" if commit else "CompleteAbort")
    assert world.last_value.transaction_partitions == []


def test_the_response_leaves_when_the_decision_is_committed_and_so_do_markers() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.add(producer, P0)
    world.log.commits_at_once = False
    outcomes = world.end(producer)
    assert not outcomes
    assert not world.brokers.sent
    assert world.state() == "Ongoing"
    world.log.commit()
    assert outcomes == [ProducerOutcome(code=NONE, producer_id=1001, producer_epoch=1)]
    assert len(world.brokers.sent) == 1


def test_a_decision_whose_commit_is_not_known_in_time_is_carried_out_later() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.add(producer, P0)
    world.log.commits_at_once = False
    outcomes = world.end(producer)
    world.log.give_up(ErrorCode.REQUEST_TIMED_OUT)
    assert codes(outcomes) == [ErrorCode.COORDINATOR_NOT_AVAILABLE]
    assert not world.brokers.sent
    assert codes(world.end(producer)) == [ErrorCode.CONCURRENT_TRANSACTIONS]
    world.advance(1_000)
    world.log.commit()
    assert len(world.brokers.sent) == 1
    world.brokers.respond()
    world.log.commit()
    # The producer asks again, and learns what became of it.
    assert world.end(producer) == [ProducerOutcome(code=NONE, producer_id=1001, producer_epoch=1)]


@pytest.mark.parametrize("version", [4, 5])
def test_an_end_changes_nothing_if_the_log_refuses_it(version: int) -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.add(producer, P0)
    world.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    assert codes(world.end(producer, version=version)) == [ErrorCode.COORDINATOR_NOT_AVAILABLE]
    assert world.state() == "Ongoing"
    world.log.refusal = None
    assert codes(world.end(producer, commit=False, version=version)) == [NONE]


@pytest.mark.parametrize("transaction_version", [1, 2])
def test_who_may_not_end_a_transaction(transaction_version: int) -> None:
    world = TransactionWorld(transaction_version=transaction_version)
    assert codes(world.end((1001, 0))) == [ErrorCode.INVALID_PRODUCER_ID_MAPPING]
    assert codes(world.end((1001, 0), transactional_id="")) == [ErrorCode.INVALID_REQUEST]
    world.begin()
    producer = world.begin()
    world.add(producer, P0)
    size = len(world.log.records)
    assert codes(world.end((77, 0))) == [ErrorCode.INVALID_PRODUCER_ID_MAPPING]
    assert codes(world.end((producer[0], 0))) == [FENCED]
    assert codes(world.end((producer[0], 2))) == [FENCED]
    assert len(world.log.records) == size
    assert world.state() == "Ongoing"


@pytest.mark.parametrize(("version", "code"), [(1, ErrorCode.INVALID_PRODUCER_EPOCH), (2, FENCED)])
def test_old_clients_do_not_know_that_they_are_fenced(version: int, code: ErrorCode) -> None:
    world = TransactionWorld(transaction_version=1)
    former = world.begin()
    world.begin()
    assert codes(world.end(former, version=version)) == [code]


# -- transaction.version 0 and 1 ------------------------------------------------------------------------------------


@pytest.mark.parametrize("commit", [True, False])
def test_a_repetition_has_the_same_epoch(commit: bool) -> None:
    world = TransactionWorld(transaction_version=1)
    producer = completed(world, commit=commit)
    assert world.identity() == producer
    assert world.end(producer, commit=commit) == [ProducerOutcome(code=NONE)]
    assert codes(world.end(producer, commit=not commit)) == [INVALID]
    assert world.add(producer, P0) == [NONE]


def test_without_bumps_an_empty_transaction_does_not_end() -> None:
    world = TransactionWorld(transaction_version=1)
    producer = world.begin()
    assert codes(world.end(producer)) == [INVALID]
    assert codes(world.end(producer, commit=False)) == [INVALID]


def test_a_transaction_whose_end_is_being_written_is_not_ended_once_more() -> None:
    world = TransactionWorld(transaction_version=1)
    producer = world.begin()
    world.add(producer, P0)
    world.log.commits_at_once = False
    outcomes = world.end(producer)
    assert codes(world.end(producer, commit=False)) == [ErrorCode.CONCURRENT_TRANSACTIONS]
    world.log.commit()
    assert codes(outcomes) == [NONE]
    assert world.state() == "PrepareCommit"


def test_while_markers_are_sent_nothing_else_may_be_done() -> None:
    world = TransactionWorld(transaction_version=1)
    producer = world.begin()
    world.add(producer, P0)
    world.end(producer)
    for commit in (True, False):
        assert codes(world.end(producer, commit=commit)) == [ErrorCode.CONCURRENT_TRANSACTIONS]
    assert world.add_at_last(producer, P0) == [ErrorCode.CONCURRENT_TRANSACTIONS]
    assert codes(world.init()) == [ErrorCode.CONCURRENT_TRANSACTIONS]
    assert codes(world.end((producer[0], 5))) == [FENCED]


# -- transaction.version 2 (KIP-890) --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "is_repetition", "commit", "code"),
    [
        ("Empty", True, False, FENCED),
        ("Empty", True, True, FENCED),
        ("Empty", False, False, NONE),
        ("Empty", False, True, INVALID),
        ("CompleteAbort", True, False, NONE),
        ("CompleteAbort", True, True, INVALID),
        ("CompleteAbort", False, False, NONE),
        ("CompleteAbort", False, True, INVALID),
        ("CompleteCommit", True, False, INVALID),
        ("CompleteCommit", True, True, NONE),
        ("CompleteCommit", False, False, NONE),
        ("CompleteCommit", False, True, INVALID),
    ],
)
def test_an_end_without_an_open_transaction(
    state: str, is_repetition: bool, commit: bool, code: ErrorCode
) -> None:
    world = TransactionWorld()
    if state == "Empty":
        world.begin()
        world.begin()
    else:
        completed(world, commit=state == "CompleteCommit")
    producer_id, epoch = world.identity()
    size = len(world.log.records)
    (outcome,) = world.end((producer_id, epoch - 1 if is_repetition else epoch), commit=commit)
    assert outcome.code is code
    if code is not NONE:
        assert outcome == ProducerOutcome(code=code)
        assert len(world.log.records) == size
    elif is_repetition:
        assert (outcome.producer_id, outcome.producer_epoch) == (producer_id, epoch)
        assert len(world.log.records) == size
    else:
        # An abort of partitions that the coordinator has not heard of, as the producer has written nothing, or nothing
        # that arrived: the epoch makes sure that nothing of it will.
        assert (outcome.producer_id, outcome.producer_epoch) == (producer_id, epoch + 1)
        assert world.state() == "CompleteAbort"
        assert world.last_value.transaction_start_timestamp_ms == world.wall_ms()


def test_while_markers_are_sent_the_producer_with_its_new_epoch_waits() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.add(producer, P0)
    (outcome,) = world.end(producer)
    following = (outcome.producer_id, outcome.producer_epoch)
    assert following == (producer[0], 1)
    assert world.add_at_last(following, P0) == [ErrorCode.CONCURRENT_TRANSACTIONS]
    assert codes(world.end(following, commit=False)) == [ErrorCode.CONCURRENT_TRANSACTIONS]
    assert codes(world.end(producer)) == [ErrorCode.CONCURRENT_TRANSACTIONS]
    world.brokers.respond()
    assert world.add(following, P0) == [NONE]
    assert world.add(producer, P0) == [FENCED]


def test_at_the_last_epoch_the_next_transaction_has_another_producer_id() -> None:
    world = with_epoch(32_766)
    producer = (500, 32_766)
    world.add(producer, P0)
    assert world.end(producer) == [ProducerOutcome(code=NONE, producer_id=1001, producer_epoch=0)]
    # The marker still has the former id.
    assert world.brokers.sent == [(1, [(500, 32_767, True, (P0,))])]
    assert world.add_at_last((1001, 0), P0) == [ErrorCode.CONCURRENT_TRANSACTIONS]
    world.brokers.respond()
    assert world.identity() == (1001, 0)
    assert world.last_value.next_producer_id == -1
    assert codes(world.end((500, 32_765))) == [ErrorCode.INVALID_PRODUCER_ID_MAPPING]
    assert world.end(producer) == [ProducerOutcome(code=NONE, producer_id=1001, producer_epoch=0)]
    assert codes(world.end(producer, commit=False)) == [INVALID]
    assert world.add((1001, 0), P0) == [NONE]
    assert codes(world.end(producer)) == [ErrorCode.INVALID_PRODUCER_ID_MAPPING]


def test_the_other_producer_id_survives_a_move_in_between() -> None:
    world = with_epoch(32_766)
    world.add((500, 32_766), P0)
    world.end((500, 32_766))
    assert world.last_value.next_producer_id == 1001
    world.brokers.requests.clear()
    world.move()
    world.brokers.respond()
    assert world.identity() == (1001, 0)
    assert world.end((500, 32_766)) == [ProducerOutcome(code=NONE, producer_id=1001, producer_epoch=0)]


def test_without_another_producer_id_the_transaction_stays_open() -> None:
    world = with_epoch(32_766)
    world.add((500, 32_766), P0)
    world.id_refusal = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    assert codes(world.end((500, 32_766))) == [ErrorCode.COORDINATOR_LOAD_IN_PROGRESS]
    assert world.state() == "Ongoing"


def test_a_request_of_the_last_transaction_does_not_end_the_next_one() -> None:
    world = TransactionWorld()
    producer = completed(world, commit=True)
    following = world.identity()
    world.add(following, P0)
    assert codes(world.end(producer, commit=False)) == [FENCED]
    assert world.state() == "Ongoing"


def test_the_producer_before_is_fenced_also_if_it_has_ended_a_transaction() -> None:
    world = TransactionWorld()
    completed(world, commit=True)
    former = world.identity()
    world.begin()
    for commit in (True, False):
        assert codes(world.end(former, commit=commit)) == [FENCED]


def test_an_end_that_bumped_nothing_is_no_reason_for_a_repetition() -> None:
    world = TransactionWorld()
    former = world.begin()
    producer = world.begin()
    world.add(producer, P0, version=3)
    world.end(producer, version=4)
    world.brokers.respond()
    assert world.identity() == producer
    assert codes(world.end(former)) == [FENCED]


@pytest.fixture
def looking(monkeypatch: pytest.MonkeyPatch) -> TransactionWorld:
    """A new coordinator that has not looked yet whether "z" was left to it, and where the end of "z" is decided."""
    monkeypatch.setattr(scans, "LOOKS_AT_ONCE", 1)
    world = TransactionWorld()
    world.begin("a")
    producer = world.begin("z")
    world.add(producer, P0, transactional_id="z")
    world.move()
    world.end(producer, transactional_id="z")
    return world


def test_a_new_coordinator_sends_no_marker_twice_of_what_ends_while_it_looks_at_others(
    looking: TransactionWorld,
) -> None:
    looking.advance(1)
    (sent,) = looking.brokers.requests
    looking.brokers.requests.clear()
    sent.done(looking.brokers.write(sent))
    assert not looking.brokers.sent
    assert looking.state("z") == "CompleteCommit"


def test_a_new_coordinator_completes_once_what_ends_while_it_looks_at_others(
    looking: TransactionWorld,
) -> None:
    looking.log.commits_at_once = False
    looking.brokers.respond()
    assert looking.state("z") == "PrepareCommit"
    looking.advance(1)
    looking.brokers.respond()
    looking.log.commit()
    assert looking.state("z") == "CompleteCommit"


def test_what_ends_here_is_not_ended_again_while_its_completion_is_refused(looking: TransactionWorld) -> None:
    looking.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    looking.brokers.respond()
    looking.brokers.requests.clear()
    looking.advance(1)
    assert not looking.brokers.requests
    looking.log.refusal = None
    looking.log.commits_at_once = False
    looking.advance(200)
    looking.brokers.respond()
    looking.log.commit()
    assert looking.state("z") == "CompleteCommit"
