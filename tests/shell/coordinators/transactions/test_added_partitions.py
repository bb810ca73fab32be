"""What leaders ask the coordinators of transactions on other brokers."""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AddPartitionsToTxnRequest, AddPartitionsToTxnResponse
from kafkaproto_server.apis.bounds import PARTICIPANTS
from kafkaproto_server.metadata.topic_names import TRANSACTIONS_TOPIC
from kafkaproto_server.requests.transaction_requests import (
    AsksCoordinator,
    PartitionCodes,
    Producer,
    TopicPartition,
)
from kafkaproto_server.shell.coordinators.transactions import added_partitions as module
from kafkaproto_server.shell.coordinators.transactions.added_partitions import MAX_ELEMENTS
from tests.apis.support.data_broker import ME, OTHER, DataBroker

VERIFIES = AsksCoordinator(adds=False, knows_abortable=False)
KNOWS = AsksCoordinator(adds=False, knows_abortable=True)
ADDS = AsksCoordinator(adds=True, knows_abortable=True)
P0, P1 = TopicPartition("t", 0), TopicPartition("t", 1)
Response = AddPartitionsToTxnResponse


class Asking:
    """Broker 1 asks; its requests are kept."""

    def __init__(self, *coordinators: int) -> None:
        self.broker = DataBroker()
        if coordinators:
            self.broker.topic(TRANSACTIONS_TOPIC, *([each] for each in coordinators))
        self.broker.replicas.follow()
        self.added = self.broker.replicas.transactions.added
        self.sent: list[tuple[int, Any]] = []
        self.added._requests.send = (  # type: ignore[method-assign]
            lambda broker_id, item: self.sent.append((broker_id, item))
        )
        self.told: list[PartitionCodes] = []

    def ask(self, *partitions: TopicPartition, asks: AsksCoordinator = ADDS, name: str = "id") -> None:
        self.added.ask(Producer(name, 7, 3), partitions, asks, self.told.append)

    @property
    def items(self) -> list[Any]:
        return [item for _, item in self.sent]


def response(*codes: int, name: str = "id") -> AddPartitionsToTxnResponse:
    """The response about the first partitions of t."""
    results = [
        Response.AddPartitionsToTxnPartitionResult(partition_index=index, partition_error_code=code)
        for index, code in enumerate(codes)
    ]
    topic = Response.AddPartitionsToTxnTopicResult(name="t", results_by_partition=results)
    transaction = Response.AddPartitionsToTxnResult(transactional_id=name, topic_results=[topic])
    return Response(results_by_transaction=[transaction])


def test_without_the_topic_there_is_no_coordinator() -> None:
    asking = Asking()
    asking.ask(P0)
    assert asking.told == [{P0: ErrorCode.COORDINATOR_NOT_AVAILABLE}]


def test_the_coordinator_on_this_broker_is_asked_at_once() -> None:
    asking = Asking(ME)
    asking.ask(P0)
    asking.ask(P0, asks=VERIFIES)
    assert asking.told == [{P0: ErrorCode.INVALID_PRODUCER_ID_MAPPING}] * 2
    assert asking.sent == []


def test_another_broker_is_asked_for_many_transactions_at_once() -> None:
    asking = Asking(OTHER)
    asking.ask(P0, P1)
    asking.ask(P0, asks=KNOWS, name="another")
    assert [broker_id for broker_id, _ in asking.sent] == [OTHER, OTHER]
    request = module._request(asking.items)
    for version in (4, 5):
        decoded, _ = AddPartitionsToTxnRequest.decode(request.encode(version), version)
        assert [
            (each.transactional_id, each.producer_id, each.producer_epoch, each.verify_only)
            for each in decoded.transactions
        ] == [("id", 7, 3, False), ("another", 7, 3, True)]
        assert [each.topics[0].partitions for each in decoded.transactions] == [[0, 1], [0]]


@pytest.mark.parametrize(
    ("asks", "code", "told"),
    [
        (ADDS, ErrorCode.PRODUCER_FENCED, ErrorCode.INVALID_PRODUCER_EPOCH),
        (VERIFIES, ErrorCode.TRANSACTION_ABORTABLE, ErrorCode.INVALID_TXN_STATE),
        (KNOWS, ErrorCode.TRANSACTION_ABORTABLE, ErrorCode.TRANSACTION_ABORTABLE),
        (ADDS, ErrorCode.CONCURRENT_TRANSACTIONS, ErrorCode.CONCURRENT_TRANSACTIONS),
        (ADDS, 999, ErrorCode.UNKNOWN_SERVER_ERROR),
    ],
)
def test_producers_are_told_what_they_expect(asks: AsksCoordinator, code: int, told: ErrorCode) -> None:
    asking = Asking(OTHER)
    asking.ask(P0, P1, asks=asks)
    module._responded(asking.items, response(0, code))
    assert asking.told == [{P1: told}]


def test_what_a_response_leaves_out_is_not_part_of_a_transaction() -> None:
    asking = Asking(OTHER)
    asking.ask(P0, P1)
    module._responded(asking.items, response(0))
    asking.ask(P0)
    module._responded(asking.items[1:], response(0, name="another"))
    unknown = ErrorCode.UNKNOWN_SERVER_ERROR
    assert asking.told == [{P1: unknown}, {P0: unknown}]


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (ErrorCode.CLUSTER_AUTHORIZATION_FAILED, ErrorCode.INVALID_TXN_STATE),
        (ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS),
    ],
)
def test_an_error_on_top_is_that_of_all(code: ErrorCode, told: ErrorCode) -> None:
    asking = Asking(OTHER)
    asking.ask(P0, P1)
    module._responded(asking.items, Response(error_code=code))
    assert asking.told == [{P0: told, P1: told}]


def test_without_a_response_producers_hear_of_the_network() -> None:
    asking = Asking(OTHER)
    asking.ask(P0)
    module._responded(asking.items, None)
    assert asking.told == [{P0: ErrorCode.NETWORK_EXCEPTION}]


def test_no_request_exceeds_what_a_broker_takes() -> None:
    asking = Asking(OTHER)
    asking.ask(*(TopicPartition(str(number), 0) for number in range(500)))
    assert asking.added._requests.max_elements == MAX_ELEMENTS
    assert MAX_ELEMENTS + asking.items[0].elements <= PARTICIPANTS.max_elements
