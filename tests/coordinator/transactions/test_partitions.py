"""AddPartitionsToTxn and AddOffsetsToTxn, and what leaders ask before they take records."""

from __future__ import annotations

import pytest

from kafkaproto.error_codes import ErrorCode
from tests.coordinator.support.transaction_world import OFFSETS, P0, P1, TransactionWorld

NONE = ErrorCode.NONE


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


def test_a_change_under_way_refuses_the_next_one() -> None:
    world = TransactionWorld()
    producer = world.begin()
    world.log.commits_at_once = False
    first = world.add(producer, P0)
    assert not first
    assert world.add(producer, P0) == [ErrorCode.CONCURRENT_TRANSACTIONS]
    world.log.commit()
    assert first == [NONE]
    assert world.add(producer, P0) == [NONE]


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
