"""The leader that a response names."""

from __future__ import annotations

from kafkaproto_server.apis.leaders import leader_of
from tests.apis.support.data_broker import ME, DataBroker


def test_of_a_partition_that_is_not_known_no_leader_is_told() -> None:
    broker = DataBroker()
    topic_id = broker.topic("t", [ME])
    image = broker.services.metadata.image()
    assert leader_of(image, topic_id, 0) == (ME, 0)
    assert leader_of(image, topic_id, 1) == leader_of(image, b"?" * 16, 0) == (-1, -1)
