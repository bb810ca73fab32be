"""AddPartitionsToTxn and AddOffsetsToTxn, and what leaders ask before they take records.

Tests: `core.coordinators.transactions.coordinator`, `core.coordinators.transactions.state_manager`.
"""

from __future__ import annotations

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.transactions.coordinator import ADDITION_WAIT_MS
from kafkaproto_server.core.coordinators.transactions.state_manager import RETRY_MS
from kafkaproto_server.core.coordinators.transactions.transaction import TransactionState
from kafkaproto_server.requests.transaction_requests import ProducerOutcome
from tests.core.coordinators.support.transaction_world import OFFSETS, P0, P1, TransactionWorld
from tests.core.coordinators.transactions.test_init_producer_id import with_epoch

NONE = ErrorCode.NONE


def outcome_codes(outcomes: list[ProducerOutcome]) -> list[ErrorCode]:
    return [each.code for each in outcomes]


def test_partitions_are_added_to_those_that_there_are() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.advance(5)
    started_ms = world.wall_ms()
    assert world.add(producer, P0) == [NONE]
    world.advance(5)
    assert world.add(producer, P1) == [NONE]
    assert world.add(producer, OFFSETS, version=4) == [NONE]
    value = world.last_value
    assert value.transaction_start_timestamp_ms == started_ms
    assert value.transaction_last_update_timestamp_ms == started_ms + 5
    assert value.transaction_partitions is not None
    assert [(each.topic, each.partition_ids) for each in value.transaction_partitions] == [
        ("__consumer_offsets", [7]),
        ("topic", [0, 1]),
    ]


def test_partitions_that_take_part_already_are_not_written_again() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.add(producer, P0, P1)
    size = len(world.log.records)
    assert world.add(producer, P1) == [NONE]
    assert len(world.log.records) == size


def test_the_same_partition_in_the_next_transaction_is_written() -> None:
    world = TransactionWorld(transaction_version=1)
    producer = world.begin()
    world.add(producer, P0)
    world.end(producer)
    world.brokers.respond()
    assert world.add(producer, P0) == [NONE]
    assert world.state() == "Ongoing"


def test_who_may_not_add_partitions() -> None:
    world = TransactionWorld()
    assert world.add((1001, 0), P0) == [ErrorCode.INVALID_PRODUCER_ID_MAPPING]
    assert world.add((1001, 0), P0, transactional_id="") == [ErrorCode.INVALID_REQUEST]
    world.begin()
    producer = world.begin()
    assert world.add((77, 0), P0) == [ErrorCode.INVALID_PRODUCER_ID_MAPPING]
    assert world.add((producer[0], 0), P0) == [ErrorCode.PRODUCER_FENCED]
    assert world.add((producer[0], 2), P0) == [ErrorCode.PRODUCER_FENCED]
    assert world.state() == "Empty"


@pytest.mark.parametrize(
    ("version", "code"), [(1, ErrorCode.INVALID_PRODUCER_EPOCH), (2, ErrorCode.PRODUCER_FENCED)]
)
def test_old_clients_do_not_know_that_they_are_fenced(version: int, code: ErrorCode) -> None:
    world = TransactionWorld()
    former = world.begin()
    world.begin()
    assert world.add(former, P0, version=version) == [code]


def test_partitions_wait_for_the_end_of_the_transaction_before() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.add(producer, P0)
    (outcome,) = world.end(producer)
    following = (outcome.producer_id, outcome.producer_epoch)
    codes = world.add(following, P0)
    fenced = world.add(producer, P0)
    world.advance(ADDITION_WAIT_MS - 1)
    assert (codes, fenced) == ([], [])
    world.brokers.respond()
    assert (codes, fenced) == ([NONE], [ErrorCode.PRODUCER_FENCED])
    assert world.state() == "Ongoing"
    world.advance(ADDITION_WAIT_MS)
    assert codes == [NONE]


def test_partitions_do_not_wait_for_long() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.add(producer, P0)
    (outcome,) = world.end(producer)
    codes = world.add((outcome.producer_id, outcome.producer_epoch), P0)
    world.advance(ADDITION_WAIT_MS)
    assert codes == [ErrorCode.CONCURRENT_TRANSACTIONS]
    size = len(world.log.records)
    world.brokers.respond()
    assert world.state() == "CompleteCommit", "what was refused is not done later"
    assert len(world.log.records) == size + 1


def test_partitions_that_wait_hear_of_another_coordinator() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.add(producer, P0)
    (outcome,) = world.end(producer)
    codes = world.add((outcome.producer_id, outcome.producer_epoch), P0)
    world.coordinator.unload()
    assert codes == [ErrorCode.NOT_COORDINATOR]


def test_partitions_wait_for_a_producer_that_begins() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.log.commits_at_once = False
    world.init()
    codes = world.add(producer, P0)
    assert codes == []
    world.log.commit()
    assert codes == [ErrorCode.PRODUCER_FENCED]


def test_no_transaction_begins_while_its_producer_is_to_get_another_id() -> None:
    world = with_epoch(32_766, status=TransactionState.COMPLETE_COMMIT)
    world.holds_ids = True
    world.init()
    assert world.add_at_last((500, 32_766), P0) == [ErrorCode.CONCURRENT_TRANSACTIONS]
    world.give_ids()
    assert world.identity() == (1001, 0)
    assert world.state() == "Empty"


def test_partitions_are_added_behind_others_that_are_not_committed() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.log.commits_at_once = False
    first, second, repeated = world.add(producer, P0), world.add(producer, P1), world.add(producer, P0)
    offset = len(world.log.records)
    assert world.state() == "Empty"
    world.log.commit(offset - 2)
    assert (first, second, repeated) == ([NONE], [], [])
    assert world.verify(producer, P0, P1) == {P0: NONE, P1: ErrorCode.TRANSACTION_ABORTABLE}
    world.log.commit()
    assert (second, repeated) == ([NONE], [NONE])
    assert world.verify(producer, P0, P1) == {P0: NONE, P1: NONE}


def test_partitions_are_added_behind_a_completion_that_is_not_committed() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.add(producer, P0)
    (outcome,) = world.end(producer)
    following = (outcome.producer_id, outcome.producer_epoch)
    codes = world.add(following, P1)
    world.log.commits_at_once = False
    world.brokers.respond()
    offset = len(world.log.records)
    assert world.last_value.transaction_status == TransactionState.ONGOING
    assert (world.state(), codes) == ("PrepareCommit", [])
    assert outcome_codes(world.end(following)) == [ErrorCode.CONCURRENT_TRANSACTIONS]
    world.log.commit(offset - 1)
    assert (world.state(), codes) == ("CompleteCommit", [])
    world.log.commit()
    assert (world.state(), codes) == ("Ongoing", [NONE])


def test_a_later_commit_says_that_the_earlier_change_is_committed() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.log.commits_at_once = False
    first = world.add(producer, P0)
    world.log.give_up(ErrorCode.REQUEST_TIMED_OUT)
    second = world.add(producer, P1)
    world.log.commit()
    assert (first, second) == ([ErrorCode.COORDINATOR_NOT_AVAILABLE], [NONE])
    assert world.verify(producer, P0, P1) == {P0: NONE, P1: NONE}
    world.advance(RETRY_MS)
    assert world.verify(producer, P0, P1) == {P0: NONE, P1: NONE}


def test_nobody_who_waited_is_remembered() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.add(producer, P0)
    (outcome,) = world.end(producer)
    for _ in range(50):
        world.add_at_last((outcome.producer_id, outcome.producer_epoch), P0)
    assert world.coordinator._states._waiting == {}


def test_the_client_version_is_that_of_the_request() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.add(producer, P0, bumps_epoch=False)
    assert world.last_value.client_transaction_version == 0
    world.add(producer, P1, bumps_epoch=True)
    assert world.last_value.client_transaction_version == 2


def test_leaders_may_ask_whether_a_partition_takes_part() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.add(producer, P0)
    assert world.verify(producer, P0, P1) == {P0: NONE, P1: ErrorCode.TRANSACTION_ABORTABLE}
    assert world.verify((77, 0), P0) == {P0: ErrorCode.INVALID_PRODUCER_ID_MAPPING}
    assert world.verify((producer[0], 1), P0) == {P0: ErrorCode.PRODUCER_FENCED}
    assert world.verify(producer, P0, transactional_id="b") == {P0: ErrorCode.INVALID_PRODUCER_ID_MAPPING}
    assert world.verify(producer, P0, transactional_id="") == {P0: ErrorCode.INVALID_REQUEST}


def test_a_partition_takes_part_once_that_is_committed() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.add(producer, P0)
    world.log.commits_at_once = False
    world.add(producer, P1)
    assert world.verify(producer, P0, P1) == {P0: NONE, P1: ErrorCode.TRANSACTION_ABORTABLE}
    world.log.commit()
    assert world.verify(producer, P0, P1) == {P0: NONE, P1: NONE}


def test_nothing_takes_part_while_the_transaction_ends() -> None:
    world = TransactionWorld(transaction_version=1)
    producer = world.begin()
    world.add(producer, P0)
    world.end(producer)
    assert world.verify(producer, P0) == {P0: ErrorCode.CONCURRENT_TRANSACTIONS}
    world.brokers.respond()
    assert world.verify(producer, P0) == {P0: ErrorCode.TRANSACTION_ABORTABLE}
