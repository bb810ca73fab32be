"""kafka-share-groups and kafka-console-share-consumer, unchanged. Members that the first one looks at are requests.

The expectations are what the tool prints of a node of Apache Kafka.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from compat.kafka.tools import ToolFailedError, run_tool
from compat.node import Node
from compat.probe import Probe
from compat.process import wait_until
from kafkaproto import messages as kafka
from kafkaproto_server.metadata.image.entries import GROUP_RESOURCE
from tests.compat.support.nodes import create, delete_topics

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

MEMBER = "member-of-a-share-group"
WAIT_S = 30.0


def groups(node: Node, *arguments: str) -> str:
    """What kafka-share-groups prints."""
    return run_tool("kafka-share-groups", "--bootstrap-server", node.bootstrap_server, *arguments).output()


def beat(node: Node, group: str, epoch: int, *names: str) -> Any:
    """A heartbeat of the member."""
    request = kafka.ShareGroupHeartbeatRequest(
        group_id=group, member_id=MEMBER, member_epoch=epoch, subscribed_topic_names=list(names) or None
    )
    with Probe(node.bootstrap_server) as probe:
        return probe.ask(request, 1)


def _joined(node: Node, group: str, topic: str) -> bool:
    """Whether the member has both partitions; it beats until then."""
    response = beat(node, group, 0, topic)
    return response.error_code == 0 and any(response.assignment.topic_partitions)


@pytest.fixture
def group(node: Node, topic: str) -> Iterator[str]:
    """A group with a member that reads a topic with two partitions."""
    create(node, topic)
    with Probe(node.bootstrap_server) as probe:
        # The first who looks for a coordinator has the topic of all of them made.
        probe.ask(kafka.FindCoordinatorRequest(key_type=0, coordinator_keys=[topic]), 4)
    wait_until(partial(_joined, node, f"{topic}-group", topic), WAIT_S, "an assignment")
    yield f"{topic}-group"
    delete_topics(node, [topic])


def offsets(node: Node, group: str, topic: str) -> dict[str, str]:
    """Start offset by partition, as --describe prints it."""
    text = groups(node, "--describe", "--group", group, "--offsets")
    return dict(re.findall(rf"^{group} +{topic} +(\d+) +(\S+)", text, re.M))


def test_a_share_groups_life_with_apache_kafkas_tool(node: Node, topic: str, group: str) -> None:
    assert group in groups(node, "--list").split()
    assert re.search(rf"^{group} +Stable *$", groups(node, "--list", "--state"), re.M)
    state = groups(node, "--describe", "--group", group, "--state", "--verbose")
    assert re.search(rf"^{group} +\S+ +\(1\) +Stable +\d+ +\d+ +1 *$", state, re.M), state
    members = groups(node, "--describe", "--group", group, "--members")
    assert re.search(rf"^{group} +{MEMBER} +/127.0.0.1 +probe +2 +{topic}:0,1 *$", members, re.M), members
    assert offsets(node, group, topic) == {"0": "-", "1": "-"}

    to_earliest = ("--reset-offsets", "--group", group, "--topic", topic, "--to-earliest", "--execute")
    with pytest.raises(ToolFailedError, match=f"Share group '{group}' is not empty"):
        groups(node, *to_earliest)
    assert beat(node, group, -1).error_code == 0
    reset = groups(node, *to_earliest)
    rows = re.findall(rf"^{group} +{topic} +(\d+) +(\d+) *$", reset, re.M)
    assert sorted(rows) == [("0", "0"), ("1", "0")], reset
    assert offsets(node, group, topic) == {"0": "0", "1": "0"}
    deleted = groups(node, "--delete-offsets", "--group", group, "--topic", topic)
    assert re.search(rf"^{topic} +Successful *$", deleted, re.M), deleted
    assert offsets(node, group, topic) == {}
    ended = groups(node, "--delete", "--group", group)
    assert "successful" in ended, ended
    assert group not in groups(node, "--list").split()


def test_console_consumers_share_a_topic(node: Node, topic: str) -> None:
    create(node, topic)
    values = [f"value {number}" for number in range(50)]
    lines = "".join(f"{value}\n" for value in values)
    address = ("--bootstrap-server", node.bootstrap_server, "--topic", topic)
    run_tool("kafka-console-producer", *address, stdin=lines).output()
    group = f"{topic}-group"
    earliest = kafka.IncrementalAlterConfigsRequest.AlterableConfig(
        name="share.auto.offset.reset", value="earliest"
    )
    resource = kafka.IncrementalAlterConfigsRequest.AlterConfigsResource(
        resource_type=GROUP_RESOURCE, resource_name=group, configs=[earliest]
    )
    with Probe(node.bootstrap_server) as probe:
        altered = probe.ask(kafka.IncrementalAlterConfigsRequest(resources=[resource]), 1)
    assert isinstance(altered, kafka.IncrementalAlterConfigsResponse)
    assert not altered.responses[0].error_code
    read: list[str] = []
    for count in (20, 30):
        consumed = run_tool(
            "kafka-console-share-consumer",
            *(*address, "--group", group),
            *("--max-messages", str(count), "--timeout-ms", str(int(WAIT_S * 1000))),
        )
        read += consumed.stdout.splitlines()
    # What the first one had got and not read is released when it ends, and delivered again.
    assert sorted(read) == sorted(values)
    delete_topics(node, [topic])
