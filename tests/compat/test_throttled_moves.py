"""A replica is moved to a broker of ours with `kafka-reassign-partitions --throttle`, from a broker of either kind."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from confluent_kafka import Producer

from compat.cluster import FIRST_BROKER_ID, Cluster
from compat.kafka.stock import small_stock_node
from compat.kafka.tools import run_tool
from compat.node import Node
from compat.ours import OurNode
from compat.probe import Probe
from compat.process import wait_until
from kafkaproto.messages import DescribeConfigsRequest, DescribeConfigsResponse
from tests.compat.support.nodes import metadata

pytestmark = [pytest.mark.jvm, pytest.mark.clients, pytest.mark.slow]

LEADER, NEW = FIRST_BROKER_ID, FIRST_BROKER_ID + 1
RATE = 1_000_000
"""Bytes a second."""
MESSAGE = bytes(range(250)) * 40
MESSAGES = 500
"""5 MB."""
LIMIT_S = 60.0
TOPIC, BROKER = 2, 4


def tool(cluster: Cluster, plan: Path, *arguments: str) -> str:
    given = ("--bootstrap-server", cluster.servers, "--reassignment-json-file", str(plan))
    return run_tool("kafka-reassign-partitions", *given, *arguments).output()


def leader(cluster: Cluster) -> int | None:
    """The leader of the topic t, as the new broker knows it."""
    found = [topic for topic in metadata(cluster.brokers[NEW]).topics if topic.name == "t"]
    return found[0].partitions[0].leader_id if found and found[0].partitions else None


def throttles(cluster: Cluster, kind: int, name: str) -> dict[str, str]:
    """The configs of throttles that are set."""
    resource = DescribeConfigsRequest.DescribeConfigsResource(resource_type=kind, resource_name=name)
    node = cluster.brokers[NEW if kind == TOPIC else int(name)]
    with Probe(node.bootstrap_server) as probe:
        response = probe.ask(DescribeConfigsRequest(resources=[resource]), 4)
    assert isinstance(response, DescribeConfigsResponse)
    return {
        each.name: each.value
        for result in response.results
        for each in result.configs
        if "throttled" in each.name and each.value
    }


@pytest.mark.parametrize("make_leader", [OurNode, small_stock_node], ids=["ours", "stock"])
def test_a_move_is_held_to_the_rate_and_ends_without_throttle(
    make_leader: type[Node], tmp_path: Path
) -> None:
    def make_broker(directory: Path, properties: Mapping[str, str]) -> Node:
        return (make_leader if int(properties["node.id"]) == LEADER else OurNode)(directory, properties)

    with Cluster(OurNode, make_broker, tmp_path, controllers=1, brokers=2) as cluster:
        cluster.format()
        cluster.start()
        run_tool(
            "kafka-topics", "--bootstrap-server", cluster.servers, "--create", "--topic", "t",
            "--replica-assignment", str(LEADER),
        ).output()  # fmt: skip
        wait_until(lambda: leader(cluster) == LEADER, LIMIT_S, "a leader")
        producer = Producer({"bootstrap.servers": cluster.servers})
        for _ in range(MESSAGES):
            producer.produce("t", MESSAGE)
        assert producer.flush(LIMIT_S) == 0
        plan = tmp_path / "plan.json"
        moves = [{"topic": "t", "partition": 0, "replicas": [NEW]}]
        plan.write_text(json.dumps({"version": 1, "partitions": moves}))
        begin = time.monotonic()
        assert "Successfully started" in tool(cluster, plan, "--execute", "--throttle", str(RATE))
        assert throttles(cluster, TOPIC, "t") == {
            "leader.replication.throttled.replicas": f"0:{LEADER}",
            "follower.replication.throttled.replicas": f"0:{NEW}",
        }
        for broker_id in (LEADER, NEW):
            found = throttles(cluster, BROKER, str(broker_id))
            assert {each: found[each] for each in sorted(found) if "alter" not in each} == {
                "follower.replication.throttled.rate": str(RATE),
                "leader.replication.throttled.rate": str(RATE),
            }
        wait_until(lambda: leader(cluster) == NEW, LIMIT_S, "the new leader")
        # The last megabyte is sent at once, when the rate was below its bound.
        assert time.monotonic() - begin > (len(MESSAGE) * MESSAGES - 1.5 * RATE) / RATE
        assert "is completed" in tool(cluster, plan, "--verify")
        assert throttles(cluster, TOPIC, "t") == {}
        assert throttles(cluster, BROKER, str(NEW)) == {}
