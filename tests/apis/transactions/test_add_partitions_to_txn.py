"""AddPartitionsToTxn, as producers and as brokers ask.

Tests: `apis.transactions.add_offsets_to_txn`.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AddPartitionsToTxnRequest
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.transaction_requests import AddPartitionsValues, Told
from tests.apis.support.services import Changed, with_changes
from tests.apis.support.transactional_broker import ID, TransactionalBroker

NOT_ATTEMPTED = ErrorCode.OPERATION_NOT_ATTEMPTED
WRITE_ID = (Operation.WRITE, ResourceType.TRANSACTIONAL_ID, ID)
BY_PRODUCERS, BY_BROKERS = range(4), (4, 5)


@pytest.mark.parametrize("version", [*BY_PRODUCERS, *BY_BROKERS])
def test_partitions_take_part(broker: TransactionalBroker, version: int) -> None:
    producer = broker.begin()
    added = broker.add(producer, ("t", 0), ("other", 0), version=version)
    assert added == {("t", 0): 0, ("other", 0): 0}
    assert broker.state() == "Ongoing"


@pytest.mark.parametrize("version", [*BY_PRODUCERS, *BY_BROKERS])
def test_if_one_does_not_exist_none_is_added(broker: TransactionalBroker, version: int) -> None:
    producer = broker.begin()
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    added = broker.add(producer, ("t", 0), ("t", 7), ("nowhere", 0), version=version)
    assert added == {("t", 0): NOT_ATTEMPTED, ("t", 7): unknown, ("nowhere", 0): unknown}
    assert broker.state() == "Empty"


@pytest.mark.parametrize("version", BY_BROKERS)
def test_a_broker_may_only_ask(broker: TransactionalBroker, version: int) -> None:
    producer = broker.begin()
    broker.add(producer, ("t", 0))
    found = broker.add(producer, ("t", 0), ("t", 1), version=version, verify_only=True)
    assert found == {("t", 0): 0, ("t", 1): ErrorCode.TRANSACTION_ABORTABLE}


def test_brokers_ask_for_many_transactions(broker: TransactionalBroker) -> None:
    request = AddPartitionsToTxnRequest
    topic = request.AddPartitionsToTxnTopic(name="t", partitions=[0])
    known, unknown = broker.begin("a"), (77, 0)
    transactions = [
        request.AddPartitionsToTxnTransaction(
            transactional_id=name, producer_id=producer[0], producer_epoch=producer[1], topics=[topic]
        )
        for name, producer in (("a", known), ("b", unknown))
    ]
    response = broker.ask(request(transactions=transactions), 5)
    found = {
        each.transactional_id: each.topic_results[0].results_by_partition[0].partition_error_code
        for each in response.results_by_transaction
    }
    assert found == {"a": 0, "b": ErrorCode.INVALID_PRODUCER_ID_MAPPING}
    assert broker.ask(request(), 5).results_by_transaction == []


@pytest.mark.parametrize(
    ("version", "code"), [(1, ErrorCode.INVALID_PRODUCER_EPOCH), (2, ErrorCode.PRODUCER_FENCED)]
)
def test_old_clients_do_not_know_that_they_are_fenced(
    broker: TransactionalBroker, version: int, code: ErrorCode
) -> None:
    former = broker.begin()
    broker.begin()
    assert broker.add(former, ("t", 0), version=version) == {("t", 0): code}


def test_a_partition_that_is_named_twice_has_one_result(broker: TransactionalBroker) -> None:
    producer = broker.begin()
    request = AddPartitionsToTxnRequest
    topic = request.AddPartitionsToTxnTopic(name="t", partitions=[0, 1, 0])
    asked = request(
        v3_and_below_transactional_id=ID,
        v3_and_below_producer_id=producer[0],
        v3_and_below_producer_epoch=producer[1],
        v3_and_below_topics=[topic, topic],
    )
    (found,) = broker.ask(asked, 3).results_by_topic_v3_and_below
    assert [each.partition_index for each in found.results_by_partition] == [0, 1]


@pytest.mark.parametrize("version", BY_PRODUCERS)
@pytest.mark.parametrize(
    ("needs", "codes"),
    [
        ([], (ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,) * 2),
        ([WRITE_ID], (ErrorCode.TOPIC_AUTHORIZATION_FAILED,) * 2),
        (
            [WRITE_ID, (Operation.WRITE, ResourceType.TOPIC, "t")],
            (NOT_ATTEMPTED, ErrorCode.TOPIC_AUTHORIZATION_FAILED),
        ),
        ([WRITE_ID, (Operation.WRITE, ResourceType.TOPIC, "*")], (0, 0)),
    ],
)
def test_a_producer_needs_write_on_its_id_and_the_topics(
    broker: TransactionalBroker, version: int, needs: list[Any], codes: tuple[int, int]
) -> None:
    producer = broker.begin()
    broker.allow(*needs)
    added = broker.add(producer, ("t", 0), ("other", 0), version=version)
    assert tuple(added.values()) == codes


def test_a_producer_does_not_add_kafkas_own_topics(broker: TransactionalBroker) -> None:
    producer = broker.begin()
    assert broker.add(producer, ("__consumer_offsets", 0)) == {
        ("__consumer_offsets", 0): ErrorCode.TOPIC_AUTHORIZATION_FAILED
    }
    # Brokers do, for producers that commit offsets.
    assert broker.add(producer, ("__consumer_offsets", 0), version=5) == {("__consumer_offsets", 0): 0}


@pytest.mark.parametrize("version", BY_BROKERS)
def test_only_brokers_ask_for_many(broker: TransactionalBroker, version: int) -> None:
    broker.begin()
    broker.allow(WRITE_ID, (Operation.WRITE, ResourceType.TOPIC, "*"))
    response = broker.ask(AddPartitionsToTxnRequest(), version)
    assert response.error_code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED


@pytest.mark.parametrize(("version", "bumps"), [(0, False), (3, False), (4, True), (5, True)])
def test_the_version_tells_whether_the_client_expects_epochs_to_be_bumped(
    broker: TransactionalBroker, version: int, bumps: bool
) -> None:
    producer = broker.begin()
    values: list[AddPartitionsValues] = []

    def take(asked: AddPartitionsValues, done: Told) -> None:
        values.append(asked)
        done(ErrorCode.NONE)

    coordinator = SimpleNamespace(add_partitions=take)
    transactions = Changed(broker.services.transactions, of=lambda transactional_id: coordinator)
    broker.services = with_changes(broker.services, transactions=transactions)
    broker.add(producer, ("t", 0), version=version)
    assert broker.add_offsets(producer) == 0
    assert [(each.version, each.bumps_epoch) for each in values] == [(version, bumps), (4, False)]
