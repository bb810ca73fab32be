"""What a node advertises, against Apache Kafka: clients infer the release, and what to switch on, from it.

A node may serve fewer keys than Kafka, never other versions of a key.
"""

from typing import Any

import pytest

from compat.node import Node
from kafkaproto.messages import ApiVersionsRequest
from tests.compat.support.nodes import CLUSTER_ID
from tests.compat.support.responses import answer

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

VERSIONS = range(6)
# ApiVersions, CreateTopics, DeleteTopics, DescribeConfigs, CreatePartitions, DescribeQuorum, DescribeCluster and
# UnregisterController are needed on both listeners, Metadata and DescribeTopicPartitions on the broker's.
NEEDED_KEYS = {
    "broker": {3, 18, 19, 20, 32, 37, 55, 60, 75, 94},
    "controller": {18, 19, 20, 32, 37, 55, 60, 94},
}
# Levels of metadata.version, of which a node may leave out those before 3.9-IV0.
LEVEL_3_3_IV3, LEVEL_3_9_IV0 = 7, 21


def advertised(node: Node, listener: str, version: int) -> dict[str, Any]:
    """The answer to ApiVersions in that version."""
    request = ApiVersionsRequest(client_software_name="probe", client_software_version="1")
    told = answer(node, listener, request, version)
    assert isinstance(told, dict)
    return told


@pytest.mark.parametrize("listener", ["broker", "controller"])
@pytest.mark.parametrize("version", VERSIONS)
def test_every_advertised_range_is_kafkas(
    rival_node: Node, stock_node: Node, listener: str, version: int
) -> None:
    told = advertised(rival_node, listener, version)["apiKeys"]
    right = {entry["apiKey"]: entry for entry in advertised(stock_node, listener, version)["apiKeys"]}

    keys = [entry["apiKey"] for entry in told]
    assert keys == sorted(set(keys))
    assert NEEDED_KEYS[listener] <= set(keys) <= right.keys()
    assert told == [right[key] for key in keys]


@pytest.mark.parametrize("listener", ["broker", "controller"])
@pytest.mark.parametrize("version", VERSIONS)
def test_everything_else_that_is_advertised_is_kafkas(
    rival_node: Node, stock_node: Node, listener: str, version: int
) -> None:
    told = advertised(rival_node, listener, version)
    right = advertised(stock_node, listener, version)
    for answered in (told, right):
        del answered["apiKeys"]
        for feature in answered.get("supportedFeatures", []):
            if feature["name"] == "metadata.version":
                assert feature.pop("minVersion") in (LEVEL_3_3_IV3, LEVEL_3_9_IV0)
    assert told == right


@pytest.mark.parametrize("node_id", [-1, 1, 7, -2])
@pytest.mark.parametrize("cluster_id", [None, "", CLUSTER_ID, "another"])
@pytest.mark.parametrize("listener", ["broker", "controller"])
def test_a_cluster_and_a_node_that_are_named_are_checked_as_kafka_does(
    rival_node: Node, stock_node: Node, listener: str, cluster_id: str | None, node_id: int
) -> None:
    """KIP-1242. Both nodes have the id 1."""
    request = ApiVersionsRequest(
        client_software_name="probe", client_software_version="1", cluster_id=cluster_id, node_id=node_id
    )
    told, right = (answer(node, listener, request, VERSIONS[-1]) for node in (rival_node, stock_node))
    assert told["errorCode"] == right["errorCode"]
    assert bool(told["apiKeys"]) == bool(right["apiKeys"])
    if right["errorCode"]:
        assert told == right
