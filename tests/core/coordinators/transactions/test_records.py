"""The records of transactional ids, by the cluster's transaction.version."""

from __future__ import annotations

import pytest

from kafkaproto.messages import TransactionLogKey, TransactionLogValue
from kafkaproto.records.coordinator import TRANSACTION_RECORDS
from kafkaproto_server.core.coordinators.transactions.records import record_of, tombstone_of, transaction_of
from kafkaproto_server.core.coordinators.transactions.transaction import (
    STATES_BY_LABEL,
    Transaction,
    TransactionState,
)
from kafkaproto_server.core.coordinators.values import Record
from tests.core.coordinators.support.transaction_log import MemoryLog
from tests.core.coordinators.support.transaction_world import OFFSETS, P0, P1, TransactionWorld

TRANSACTION = Transaction(
    transactional_id="a",
    producer_id=7,
    previous_producer_id=6,
    next_producer_id=8,
    producer_epoch=3,
    last_producer_epoch=2,
    state=TransactionState.PREPARE_ABORT,
    timeout_ms=1_000,
    partitions=frozenset({P1, P0, OFFSETS}),
    started_ms=100,
    updated_ms=200,
    client_version=2,
)


def read(record: Record) -> Transaction:
    """What a broker reads that loads the partition."""
    log = MemoryLog(TRANSACTION_RECORDS)
    log.append([record])
    (found,) = log.records
    assert isinstance(found.key, TransactionLogKey)
    assert found.value is not None
    return transaction_of(found.key, found.value)


def test_a_flexible_record_has_all_but_the_last_epoch() -> None:
    record = record_of(TRANSACTION, 1)
    assert record.version == 1
    found = read(record)
    assert found.last_producer_epoch == -1
    assert found.previous_producer_id == 6
    assert found.next_producer_id == 8
    assert found.client_version == 2
    assert (found.state, found.partitions) == (TRANSACTION.state, TRANSACTION.partitions)
    assert (found.producer_id, found.producer_epoch) == (7, 3)
    assert (found.timeout_ms, found.started_ms, found.updated_ms) == (1_000, 100, 200)


def test_an_early_record_has_no_place_for_other_ids_and_versions() -> None:
    record = record_of(TRANSACTION, 0)
    assert record.version == 0
    found = read(record)
    assert (found.previous_producer_id, found.next_producer_id, found.client_version) == (-1, -1, 0)
    assert (found.producer_id, found.producer_epoch) == (7, 3)


@pytest.mark.parametrize(("transaction_version", "version"), [(0, 0), (1, 1), (2, 1)])
def test_the_feature_decides_the_version(transaction_version: int, version: int) -> None:
    world = TransactionWorld(transaction_version=transaction_version)
    producer = world.begin()
    world.add(producer, P0)
    world.end(producer)
    world.brokers.respond()
    assert world.log.versions == [version] * 4


def test_an_empty_transaction_has_null_partitions_and_others_have_a_list() -> None:
    world = TransactionWorld()
    producer = world.begin()
    assert world.last_value.transaction_partitions is None
    world.add(producer, P1, OFFSETS, P0)
    assert world.last_value.transaction_partitions == [
        TransactionLogValue.PartitionsSchema(topic="__consumer_offsets", partition_ids=[7]),
        TransactionLogValue.PartitionsSchema(topic="topic", partition_ids=[0, 1]),
    ]
    assert world.last_value.next_producer_epoch == -1, "Apache Kafka 4.4.0 does not write it"


def test_a_tombstone_names_the_id() -> None:
    assert tombstone_of("a") == Record(TransactionLogKey(transactional_id="a"), None)


def test_records_of_other_topics_are_passed_over() -> None:
    world = TransactionWorld()
    world.begin()
    world.coordinator.replay(TransactionLogValue(), None, 0, -1)
    assert world.state() == "Empty"


def test_states_have_the_names_and_numbers_of_kafka() -> None:
    assert {label: int(state) for label, state in STATES_BY_LABEL.items()} == {
        "Empty": 0,
        "Ongoing": 1,
        "PrepareCommit": 2,
        "PrepareAbort": 3,
        "CompleteCommit": 4,
        "CompleteAbort": 5,
        "Dead": 6,
        "PrepareEpochFence": 7,
    }
