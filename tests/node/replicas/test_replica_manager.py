"""Who may join an ISR, as a leader sees it (KIP-841, KIP-858, KIP-903), and what replicas say whose logs are closed."""

from __future__ import annotations

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DeleteRecordsRequest, RegisterBrokerRecord, WriteTxnMarkersRequest
from kafkaproto_server.image.image import EMPTY_IMAGE, ClusterImage
from kafkaproto_server.image.replay import replay
from tests.apis.support.data_broker import ME, DataBroker, batch, only_partition, wanted
from tests.apis.support.replicas import BrokerReplicas

WORKS, FAILED = b"w" * 16, b"f" * 16
"""Directories of broker 2."""


def image(*, fenced: bool = False, leaves: bool = False) -> ClusterImage:
    """Of a cluster with broker 2, in epoch 9."""
    record = RegisterBrokerRecord(
        broker_id=2,
        incarnation_id=bytes(16),
        broker_epoch=9,
        fenced=fenced,
        in_controlled_shutdown=leaves,
        log_dirs=[WORKS],
    )
    return replay(EMPTY_IMAGE, record, 9)


@pytest.mark.parametrize(
    ("epoch", "found", "directory_id", "may_join"),
    [
        (9, image(), WORKS, True),
        (9, image(), FAILED, False),
        (-1, image(), WORKS, True),
        (8, image(), WORKS, False),
        (9, image(fenced=True), WORKS, False),
        (9, image(leaves=True), WORKS, False),
        (9, EMPTY_IMAGE, WORKS, False),
    ],
)
def test_who_may_join_an_isr(epoch: int, found: ClusterImage, directory_id: bytes, may_join: bool) -> None:
    broker = BrokerReplicas(1, lambda: found)
    assert broker.manager.is_eligible(2, epoch, directory_id) is may_join


def test_whose_log_is_closed_leads_no_more() -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    broker.report()
    assert broker.produce("t", batch(b"a")).error_code == 0
    broker.replicas.manager.replicas.close_all(lambda: None)
    delete = DeleteRecordsRequest.DeleteRecordsTopic(
        name="t",
        partitions=[DeleteRecordsRequest.DeleteRecordsPartition(partition_index=0, offset=1)],
    )
    marker = WriteTxnMarkersRequest.WritableTxnMarker(
        producer_id=1,
        topics=[WriteTxnMarkersRequest.WritableTxnMarkerTopic(name="t", partition_indexes=[0])],
    )
    deleted = broker.ask(DeleteRecordsRequest(topics=[delete], timeout_ms=1000), 2)
    (marked,) = broker.ask(WriteTxnMarkersRequest(markers=[marker]), 1).markers
    responses = (
        broker.produce("t", batch(b"b")),
        broker.fetch("t", wanted(0, 0)),
        *(broker.offset("t", timestamp) for timestamp in (-1, -2, -3, 1)),
        only_partition(deleted.topics),
        only_partition(marked.topics),
    )
    assert [each.error_code for each in responses] == [ErrorCode.NOT_LEADER_OR_FOLLOWER] * len(responses)
