"""A coordinator of transactions that reads records which make no sense: requests get codes, nothing else happens."""

from __future__ import annotations

import random
from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import TransactionLogKey, TransactionLogValue, WriteTxnMarkersRequest
from kafkaproto.records.coordinator import TRANSACTION_RECORDS, CoordinatorRecord
from kafkaproto_server.core.coordinators.transactions.config import TransactionConfig
from kafkaproto_server.core.coordinators.transactions.transaction import TransactionState
from kafkaproto_server.core.coordinators.values import RecordError
from kafkaproto_server.requests.transaction_requests import ListValues, TopicPartition
from tests.core.coordinators.support.foreign_records import GROUPS, Foreign
from tests.core.coordinators.support.transaction_world import P0, P1, TransactionWorld

SEEDS = 200
RECORDS = 8
REQUESTS = 40
STEPS_MS = (1, 30, 1_000, 20_000)
LONG_MS = 7_300_000
PRODUCERS = (-1, 0, 1, 2, 5, 1000, 2**63 - 1)
EPOCHS = (-1, 0, 1, 2, 32_766, 32_767)


class Life:
    """A coordinator that has read such records, and those who ask it."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.world = TransactionWorld(
            transaction_version=self.rng.choice((0, 1, 2)), config=TransactionConfig(expiration_ms=3_600_000)
        )
        self.world.brokers.leaders |= {TopicPartition(each, 0): 1 for each in ("a", "b")}
        foreign = Foreign(self.rng, TRANSACTION_RECORDS)
        coordinator = self.world.begin_loading()
        for _ in range(RECORDS):
            key, value = foreign.decoded(foreign.record())
            try:
                coordinator.replay(key, value, 0, -1)
            except RecordError:
                # The partition would not be loaded.
                continue
            self.world.log.records.append(CoordinatorRecord(key=key, value=value))
        self.world.log.commit()
        self.world.coordinator.unload()
        self.world.coordinator = coordinator
        coordinator.loaded()

    def ask(self) -> None:
        """One request, of any kind."""
        rng, world = self.rng, self.world
        name = rng.choice(GROUPS)
        producer = rng.choice(PRODUCERS), rng.choice(EPOCHS)
        if rng.random() < 0.7:
            # Who says what the coordinator knows gets further.
            producer = world.identity(name)
        requests = (
            lambda: world.init(name),
            lambda: world.init(name, expected=producer),
            lambda: world.add(producer, P0, P1, transactional_id=name, bumps_epoch=rng.random() < 0.5),
            lambda: world.verify(producer, P0, transactional_id=name),
            lambda: world.end(producer, commit=rng.random() < 0.5, transactional_id=name, version=4),
            lambda: world.end(producer, commit=rng.random() < 0.5, transactional_id=name, version=5),
            lambda: tuple(world.coordinator.list_transactions(ListValues(duration_filter_ms=5))),
            lambda: world.advance(rng.choice(STEPS_MS)),
            self.respond,
        )
        rng.choice(requests)()

    def respond(self) -> None:
        """Brokers get markers, which have to fit into the request, and respond somehow."""
        for request in self.world.brokers.requests:
            for each in request.markers:
                WriteTxnMarkersRequest(
                    markers=[
                        WriteTxnMarkersRequest.WritableTxnMarker(
                            producer_id=each.producer_id,
                            producer_epoch=each.producer_epoch,
                            coordinator_epoch=each.coordinator_epoch,
                            transaction_version=each.transaction_version,
                        )
                    ]
                ).encode(WriteTxnMarkersRequest.MAX_VERSION)
        self.world.brokers.refuse(self.rng.choice((ErrorCode.NONE, ErrorCode.INVALID_PRODUCER_EPOCH)))


@pytest.mark.parametrize("first", range(0, SEEDS, 100))
def test_what_makes_no_sense_does_no_harm(first: int) -> None:
    for seed in range(first, first + 100):
        one(seed)


def one(seed: int) -> None:
    """What comes of the records of a seed."""
    life = Life(seed)
    for _ in range(REQUESTS):
        life.ask()
    life.world.brokers.leaders.clear()
    life.respond()
    life.world.advance(LONG_MS)
    life.world.move()
    life.world.advance(LONG_MS)
    for name in GROUPS:
        life.world.state(name)


def replay(**fields: Any) -> None:
    value = TransactionLogValue(**fields)
    TransactionWorld().begin_loading().replay(TransactionLogKey(transactional_id="a"), value, 0, -1)


@pytest.mark.parametrize("status", [-1, 8, 99])
def test_a_record_with_an_unknown_state_is_refused(status: int) -> None:
    with pytest.raises(RecordError, match=f"state {status}"):
        replay(transaction_status=status)


@pytest.mark.parametrize("version", [-1, 3, 1000])
def test_a_record_with_an_unknown_version_of_its_client_is_refused(version: int) -> None:
    with pytest.raises(RecordError, match=f"version {version}"):
        replay(client_transaction_version=version)


@pytest.mark.parametrize("state", [TransactionState.DEAD, TransactionState.PREPARE_EPOCH_FENCE])
def test_a_state_that_no_broker_writes_allows_nothing(state: TransactionState) -> None:
    world = TransactionWorld()
    key = TransactionLogKey(transactional_id="a")
    value = TransactionLogValue(producer_id=5, producer_epoch=1, transaction_status=state)
    world.log.records.append(CoordinatorRecord(key=key, value=value))
    world.log.commit()
    world.move()
    refused = ErrorCode.UNKNOWN_SERVER_ERROR
    assert [each.code for each in world.init()] == [refused]
    assert world.add((5, 1), P0) == [refused]
    assert world.verify((5, 1), P0) == {P0: refused}
    assert [each.code for each in world.end((5, 1))] == [refused]
    assert world.state() == state.label
