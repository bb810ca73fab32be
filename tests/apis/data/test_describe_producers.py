"""DescribeProducers. `tests/compat/test_same_data_responses.py` compares its responses with those of Kafka."""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeProducersRequest, DescribeProducersResponse
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.data import MarkerItem, ProduceItem
from tests.apis.support.data_broker import ME, OTHER, THIRD, DataBroker, batch, only_partition

State = DescribeProducersResponse.ProducerState


@pytest.fixture
def broker() -> DataBroker:
    """Producer 7 has written three records to t in its epoch 2."""
    broker = DataBroker()
    broker.topic("t")
    sent = batch(b"a", b"b", b"c", producer_id=7, producer_epoch=2, base_sequence=0, timestamp_ms=500)
    assert broker.produce("t", sent).error_code == 0
    return broker


def request_for(*topics: tuple[str, list[int]]) -> DescribeProducersRequest:
    topic = DescribeProducersRequest.TopicRequest
    return DescribeProducersRequest(
        topics=[topic(name=name, partition_indexes=indexes) for name, indexes in topics]
    )


def described(broker: DataBroker, name: str = "t", index: int = 0) -> Any:
    return only_partition(broker.ask(request_for((name, [index])), 0).topics)


def codes(broker: DataBroker, *topics: tuple[str, list[int]]) -> list[tuple[str, int, int, int]]:
    return [
        (topic.name, each.partition_index, each.error_code, len(each.active_producers))
        for topic in broker.ask(request_for(*topics), 0).topics
        for each in topic.partitions
    ]


def test_an_idempotent_producer_is_described(broker: DataBroker) -> None:
    found = described(broker)
    assert (found.error_code, found.error_message) == (0, None)
    assert found.active_producers == [
        State(
            producer_id=7,
            producer_epoch=2,
            last_sequence=2,
            last_timestamp=500,
            coordinator_epoch=-1,
            current_txn_start_offset=-1,
        )
    ]


def test_a_transaction_is_described_until_its_marker(broker: DataBroker) -> None:
    broker.trust_producers()
    sent = batch(producer_id=8, producer_epoch=0, base_sequence=0, transactional=True, timestamp_ms=900)
    item = ProduceItem(topic_id=broker.topic_id("t"), index=0, records=sent, allows_zstd=True)
    broker.services.replicas.produce([item], 1, 1000, lambda results: None)
    found = described(broker).active_producers
    assert [(each.producer_id, each.current_txn_start_offset) for each in found] == [(7, -1), (8, 3)]
    marker = MarkerItem(
        topic="t",
        index=0,
        producer_id=8,
        producer_epoch=1,
        coordinator_epoch=4,
        is_abort=True,
        transaction_version=2,
    )
    broker.services.replicas.write_markers([marker], lambda results: None)
    (_, ended) = described(broker).active_producers
    assert (ended.producer_epoch, ended.coordinator_epoch) == (1, 4)
    assert (ended.last_sequence, ended.current_txn_start_offset) == (-1, -1)


def test_a_partition_without_producers_has_none(broker: DataBroker) -> None:
    broker.topic("other")
    assert broker.produce("other", batch()).error_code == 0
    found = described(broker, "other")
    assert (found.error_code, found.active_producers) == (0, [])


def test_a_follower_responds_too(broker: DataBroker) -> None:
    broker.topic("followed", [OTHER, ME])
    assert codes(broker, ("followed", [0])) == [("followed", 0, 0, 0)]


@pytest.mark.parametrize(
    ("name", "index", "code"),
    [
        ("unknown", 0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("t", 1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("t", -1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("theirs", 0, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        ("a b", 0, ErrorCode.INVALID_TOPIC_EXCEPTION),
        ("", 0, ErrorCode.INVALID_TOPIC_EXCEPTION),
    ],
)
def test_where_there_is_no_log_an_error_says_why(
    broker: DataBroker, name: str, index: int, code: ErrorCode
) -> None:
    broker.topic("theirs", [OTHER, THIRD])
    assert described(broker, name, index).error_code == code


def test_an_offline_replica_says_so(broker: DataBroker) -> None:
    broker.replicas.partition("t", 0).failed()
    assert described(broker).error_code == ErrorCode.KAFKA_STORAGE_ERROR


@pytest.mark.parametrize("operation", [Operation.READ, Operation.DESCRIBE])
def test_asking_needs_read_on_the_topic(broker: DataBroker, operation: Operation) -> None:
    broker.allow((operation, ResourceType.TOPIC, "t"))
    may = operation is Operation.READ
    refused = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    assert codes(broker, ("t", [0]), ("unknown", [0]), ("a b", [0])) == [
        ("t", 0, 0 if may else refused, int(may)),
        ("unknown", 0, refused, 0),
        ("a b", 0, ErrorCode.INVALID_TOPIC_EXCEPTION, 0),
    ]


def test_a_partition_that_is_named_again_has_no_second_answer(broker: DataBroker) -> None:
    assert codes(broker, ("t", [0, 0]), ("t", [0])) == [
        ("t", 0, 0, 1),
        ("t", 0, ErrorCode.INVALID_REQUEST, 0),
        ("t", 0, ErrorCode.INVALID_REQUEST, 0),
    ]
