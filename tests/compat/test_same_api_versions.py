"""What a node advertises, against Apache Kafka: clients infer the release, and what to switch on, from it.

A node serves the keys of Kafka and no others, in the same versions.
"""

from typing import Any

import pytest

from compat.node import Node
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ApiVersionsRequest, SaslAuthenticateRequest, SaslHandshakeRequest
from tests.compat.support.nodes import CLUSTER_ID
from tests.compat.support.responses import answer

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

VERSIONS = range(6)
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
    assert told == list(right.values())


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


@pytest.mark.parametrize("listener", ["broker", "controller"])
@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", ""])
@pytest.mark.parametrize("version", range(2))
def test_there_is_no_handshake_where_nobody_authenticates(
    rival_node: Node, stock_node: Node, listener: str, mechanism: str, version: int
) -> None:
    request = SaslHandshakeRequest(mechanism=mechanism)
    told, right = (answer(node, listener, request, version) for node in (rival_node, stock_node))
    assert told == right
    assert right["errorCode"] == ErrorCode.ILLEGAL_SASL_STATE


@pytest.mark.parametrize("listener", ["broker", "controller"])
@pytest.mark.parametrize("proof", [b"", b"\0user\0password"])
@pytest.mark.parametrize("version", range(3))
def test_nobody_authenticates_there(
    rival_node: Node, stock_node: Node, listener: str, proof: bytes, version: int
) -> None:
    request = SaslAuthenticateRequest(auth_bytes=proof)
    told, right = (answer(node, listener, request, version) for node in (rival_node, stock_node))
    assert told == right
    assert right["errorCode"] == ErrorCode.ILLEGAL_SASL_STATE
