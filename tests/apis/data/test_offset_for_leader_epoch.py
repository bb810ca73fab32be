"""OffsetForLeaderEpoch. `tests/compat/test_same_data_responses.py` compares its responses with those of Kafka.

Tests: `shell.replicas.requests.questions`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import OffsetForLeaderEpochRequest
from kafkaproto_server.metadata.security.acls import CLUSTER_NAME, Operation, ResourceType
from tests.apis.support.data_broker import ME, OTHER, THIRD, DataBroker, batch, only_partition

VERSIONS = range(2, 5)
UNDEFINED = (0, -1, -1)


@pytest.fixture
def broker() -> DataBroker:
    """It leads t in epoch 2, with one record of epoch 0, and two of epoch 2 from offset 1 on."""
    broker = DataBroker()
    broker.topic("t", [ME, OTHER])
    assert broker.produce("t", batch()).error_code == 0
    broker.replicate("t", 1)
    broker.lead_anew("t")
    for _ in range(2):
        assert broker.produce("t", batch()).error_code == 0
    return broker


def request_for(
    *topics: tuple[str, list[int]], epoch: int = 0, current_epoch: int = -1, replica_id: int = -1
) -> OffsetForLeaderEpochRequest:
    request = OffsetForLeaderEpochRequest
    return request(
        replica_id=replica_id,
        topics=[
            request.OffsetForLeaderTopic(
                topic=name,
                partitions=[
                    request.OffsetForLeaderPartition(
                        partition=index, current_leader_epoch=current_epoch, leader_epoch=epoch
                    )
                    for index in indexes
                ],
            )
            for name, indexes in topics
        ],
    )


def end(broker: DataBroker, *, name: str = "t", index: int = 0, version: int = 4, **fields: Any) -> Any:
    found = only_partition(broker.ask(request_for((name, [index]), **fields), version).topics)
    return found.error_code, found.leader_epoch, found.end_offset


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("epoch", "expected"),
    [
        (0, (0, 0, 1)),
        # Nothing was written in it: the one before.
        (1, (0, 0, 1)),
        (2, (0, 2, 3)),
        (3, UNDEFINED),
        (2**31 - 1, UNDEFINED),
        (-1, UNDEFINED),
        # Older than all: where the first begins.
        (-2, (0, -2, 0)),
    ],
)
def test_the_leader_names_the_end_of_an_epoch(
    broker: DataBroker, epoch: int, expected: tuple[int, int, int], version: int
) -> None:
    assert end(broker, epoch=epoch, version=version) == expected


@pytest.mark.parametrize("replica_id", [-2, -1, OTHER, 77])
def test_the_replica_id_means_nothing(broker: DataBroker, replica_id: int) -> None:
    assert end(broker, epoch=2, replica_id=replica_id) == (0, 2, 3)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("current_epoch", "code"),
    [
        (-5, ErrorCode.FENCED_LEADER_EPOCH),
        (1, ErrorCode.FENCED_LEADER_EPOCH),
        (2, ErrorCode.NONE),
        (3, ErrorCode.UNKNOWN_LEADER_EPOCH),
    ],
)
def test_the_epoch_of_the_leader_has_to_be_the_present_one(
    broker: DataBroker, current_epoch: int, code: ErrorCode, version: int
) -> None:
    expected = (code, -1, -1) if code else (0, 0, 1)
    assert end(broker, current_epoch=current_epoch, version=version) == expected


@pytest.mark.parametrize(
    ("name", "index", "code"),
    [
        ("unknown", 0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("t", 1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("followed", 0, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        ("theirs", 0, ErrorCode.NOT_LEADER_OR_FOLLOWER),
    ],
)
def test_the_leader_has_to_be_asked(broker: DataBroker, name: str, index: int, code: ErrorCode) -> None:
    broker.topic("followed", [OTHER, ME])
    broker.topic("theirs", [OTHER, THIRD])
    assert end(broker, name=name, index=index) == (code, -1, -1)


def test_an_offline_replica_says_so_whatever_epoch_is_meant(broker: DataBroker) -> None:
    broker.replicas.partition("t", 0).failed()
    assert end(broker, current_epoch=9) == (ErrorCode.KAFKA_STORAGE_ERROR, -1, -1)


def codes(broker: DataBroker, *topics: tuple[str, list[int]]) -> list[tuple[str, int, int]]:
    return [
        (topic.topic, each.partition, each.error_code)
        for topic in broker.ask(request_for(*topics), 4).topics
        for each in topic.partitions
    ]


@pytest.mark.parametrize("operation", [Operation.DESCRIBE, Operation.READ, Operation.WRITE])
def test_clients_need_describe_on_the_topic_and_refusals_come_last(
    broker: DataBroker, operation: Operation
) -> None:
    broker.allow((operation, ResourceType.TOPIC, "t"))
    refused = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    assert codes(broker, ("unknown", [0, 1]), ("t", [0])) == [
        ("t", 0, 0),
        ("unknown", 0, refused),
        ("unknown", 1, refused),
    ]


def test_brokers_may_ask_for_everything(broker: DataBroker) -> None:
    broker.allow((Operation.CLUSTER_ACTION, ResourceType.CLUSTER, CLUSTER_NAME))
    assert codes(broker, ("unknown", [0]), ("t", [0])) == [
        ("unknown", 0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("t", 0, 0),
    ]


def test_what_is_named_twice_has_two_answers(broker: DataBroker) -> None:
    assert codes(broker, ("t", [0, 0]), ("t", [0])) == [("t", 0, 0)] * 3
