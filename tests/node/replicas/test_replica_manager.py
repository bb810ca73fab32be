"""Who may join an ISR, as a leader sees it (KIP-841, KIP-858, KIP-903)."""

from __future__ import annotations

import pytest

from kafkaproto.messages import RegisterBrokerRecord
from kafkaproto_server.image.image import EMPTY_IMAGE, ClusterImage
from kafkaproto_server.image.replay import replay
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
