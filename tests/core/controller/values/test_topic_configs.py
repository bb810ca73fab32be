"""What topics inherit, from one image to the next."""

from __future__ import annotations

import pytest

from kafkaproto_server.core.controller.values.topic_configs import (
    UNCLEAN_LEADER_ELECTION_ENABLE,
    InheritedConfigs,
    TopicConfigs,
)
from kafkaproto_server.metadata.image.entries import BROKER_RESOURCE
from tests.core.controller.support.harness import SET, Harness, alter_configs_request

NODE_ID = 1


@pytest.mark.parametrize("resource_name", ["", str(NODE_ID)], ids=["cluster", "node"])
def test_topics_inherit_what_the_cluster_or_the_node_has_by_now(resource_name: str) -> None:
    harness = Harness()
    harness.start_brokers(NODE_ID)
    harness.create_topic("t", [NODE_ID])
    inherited = InheritedConfigs({}, NODE_ID)
    for value in ("true", "false"):
        change = (UNCLEAN_LEADER_ELECTION_ENABLE, SET, value)
        harness.call(alter_configs_request(BROKER_RESOURCE, resource_name, change))
        configs = TopicConfigs(harness.image, inherited)
        assert configs.unclean_election_enabled("t") == (value == "true")
