"""A replica whose directory failed, in every version of every API about records.

Tests: `apis.data.write_txn_markers`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.api import ApiKey, api_by_key
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    DescribeProducersRequest,
    OffsetForLeaderEpochRequest,
    WriteTxnMarkersRequest,
)
from tests.apis.support.data_broker import DataBroker, batch, only_partition

LATEST = -1
FIRST_FETCH_WITH_STORAGE_ERROR = 6


@pytest.fixture(params=["under write", "while it was opened"])
def broker(request: pytest.FixtureRequest) -> DataBroker:
    """There is the topic t, whose only replica is here and has failed."""
    broker = DataBroker()
    if request.param == "under write":
        broker.topic("t")
        broker.produce("t", batch())
        broker.replicas.disk.fail("write", ".log")
        broker.produce("t", batch())
    else:
        broker.replicas.disk.fail("write", "")
        broker.topic("t")
        broker.replicas.follow()
    return broker


def produce(broker: DataBroker, version: int) -> Any:
    return broker.produce("t", batch(), version=version).error_code


def fetch(broker: DataBroker, version: int) -> Any:
    return broker.fetch("t", version=version).error_code


def list_offsets(broker: DataBroker, version: int) -> Any:
    return broker.offset("t", LATEST, version=version).error_code


def end_of_epoch(broker: DataBroker, version: int) -> Any:
    request = OffsetForLeaderEpochRequest
    asked = request.OffsetForLeaderPartition(partition=0, leader_epoch=0)
    topic = request.OffsetForLeaderTopic(topic="t", partitions=[asked])
    return only_partition(broker.ask(request(topics=[topic]), version).topics).error_code


def producers(broker: DataBroker, version: int) -> Any:
    topic = DescribeProducersRequest.TopicRequest(name="t", partition_indexes=[0])
    return only_partition(broker.ask(DescribeProducersRequest(topics=[topic]), version).topics).error_code


def markers(broker: DataBroker, version: int) -> Any:
    request = WriteTxnMarkersRequest
    topic = request.WritableTxnMarkerTopic(name="t", partition_indexes=[0])
    marker = request.WritableTxnMarker(producer_id=7, producer_epoch=0, topics=[topic])
    return only_partition(broker.ask(request(markers=[marker]), version).markers[0].topics).error_code


@pytest.mark.parametrize(
    ("key", "code_of"),
    [
        (ApiKey.PRODUCE, produce),
        (ApiKey.FETCH, fetch),
        (ApiKey.LIST_OFFSETS, list_offsets),
        (ApiKey.OFFSET_FOR_LEADER_EPOCH, end_of_epoch),
        (ApiKey.WRITE_TXN_MARKERS, markers),
        (ApiKey.DESCRIBE_PRODUCERS, producers),
    ],
)
def test_a_failed_directory_is_told_in_every_version(broker: DataBroker, key: ApiKey, code_of: Any) -> None:
    api = api_by_key(key)
    assert api is not None
    for version in range(api.min_version, api.max_stable_version + 1):
        is_old = key is ApiKey.FETCH and version < FIRST_FETCH_WITH_STORAGE_ERROR
        expected = ErrorCode.NOT_LEADER_OR_FOLLOWER if is_old else ErrorCode.KAFKA_STORAGE_ERROR
        assert code_of(broker, version) == expected, version
