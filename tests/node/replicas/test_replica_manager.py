"""Who may join an ISR, as a leader sees it (KIP-841, KIP-903)."""

from __future__ import annotations

import pytest

from kafkaproto.messages import RegisterBrokerRecord
from kafkaproto_server.image.image import EMPTY_IMAGE, ClusterImage
from kafkaproto_server.image.replay import replay
from tests.apis.support.replicas import BrokerReplicas


def image(*, fenced: bool = False, leaves: bool = False) -> ClusterImage:
    """Of a cluster with broker 2, in epoch 9."""
    record = RegisterBrokerRecord(
        broker_id=2, incarnation_id=bytes(16), broker_epoch=9, fenced=fenced, in_controlled_shutdown=leaves
    )
    return replay(EMPTY_IMAGE, record, 9)


@pytest.mark.parametrize(
    ("epoch", "found", "may_join"),
    [
        (9, image(), True),
        (-1, image(), True),
        (8, image(), False),
        (9, image(fenced=True), False),
        (9, image(leaves=True), False),
        (9, EMPTY_IMAGE, False),
    ],
)
def test_who_may_join_an_isr(epoch: int, found: ClusterImage, may_join: bool) -> None:
    broker = BrokerReplicas(1, lambda: found)
    assert broker.manager.is_eligible(2, epoch) is may_join
