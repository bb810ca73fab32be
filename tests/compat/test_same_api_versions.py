"""What a node advertises, against Apache Kafka: clients infer the release, and what to switch on, from it.

A node may serve fewer keys than Kafka, never other versions of a key.
"""

from typing import Any

import pytest

from compat.node import Node
from kafkaproto.messages import ApiVersionsRequest
from tests.compat.support.responses import answer

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

VERSIONS = range(5)
# ApiVersions, CreateTopics, DeleteTopics, DescribeConfigs, CreatePartitions, DescribeQuorum and DescribeCluster are
# needed on both listeners, Metadata and DescribeTopicPartitions on the broker's.
NEEDED_KEYS = {"broker": {3, 18, 19, 20, 32, 37, 55, 60, 75}, "controller": {18, 19, 20, 32, 37, 55, 60}}
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
