"""A broker that coordinates groups."""

from __future__ import annotations

import pytest

from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC
from tests.apis.support.data_broker import ME, DataBroker
from tests.apis.support.services import with_changes


@pytest.fixture
def broker() -> DataBroker:
    """It leads the one partition of the groups' topic, and there is the topic t with two partitions."""
    broker = DataBroker(group_initial_rebalance_delay_ms="0")
    broker.topic(GROUPS_TOPIC)
    broker.topic("t", [ME], [ME])
    # As if the features group.version and streams.version were there.
    broker.services = with_changes(
        broker.services, serves_consumer_groups=lambda: True, serves_streams_groups=lambda: True
    )
    return broker
