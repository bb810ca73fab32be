"""Answers of two servers brought to a form in which they can be compared: what must differ is taken out.

Two nodes with the same cluster id still differ in ports, topic ids, directory ids, times and log offsets. Texts
meant for people are for each implementation to write, and either may say something where the other only gives a code.
"""

from typing import Any

from compat.node import Node
from compat.probe import ClosedByServerError, Probe
from kafkaproto.message import Message

ZERO_UUID = "AAAAAAAAAAAAAAAAAAAAAA"
IDS = {"topicId", "replicaDirectoryId"}
# Numbers of a node's own life: that they are there is compared, not what they are.
OWN_NUMBERS = {
    "highWatermark",
    "logEndOffset",
    "lastFetchTimestamp",
    "lastCaughtUpTimestamp",
    "finalizedFeaturesEpoch",
}
# Kafka answers these in the order of a hash table, or errors before the rest: no client may rely on it.
UNORDERED = {"configs", "finalizedFeatures", "responses", "results", "supportedFeatures", "topics"}
# But here the order is part of what is asked for: the cursor goes through the topics by name.
ORDERED_REQUESTS = {"DescribeTopicPartitionsRequest"}

# What stands for an answer where the server closed the connection instead.
CLOSED = "closed"


def answer(node: Node, listener: str, request: Message, version: int) -> Any:
    """The comparable answer to one request on a connection of its own, or CLOSED."""
    address = node.bootstrap_server if listener == "broker" else node.bootstrap_controller
    try:
        with Probe(address) as probe:
            told = comparable(node, probe.ask(request, version).to_json(version))
    except ClosedByServerError:
        return CLOSED
    return told if request.NAME in ORDERED_REQUESTS else _sorted(told)


def comparable(node: Node, value: Any) -> Any:
    """The JSON form of an answer of this node without what only this node can say."""
    if isinstance(value, list):
        return [comparable(node, element) for element in value]
    if isinstance(value, dict):
        return {
            name: _comparable_field(node, name, content)
            for name, content in value.items()
            if not (name == "errorMessage" and value["errorCode"] != 0)
        }
    return value


def _comparable_field(node: Node, name: str, content: Any) -> Any:
    if name == "port":
        return _listener_of(node, content)
    if name in IDS:
        return "zero" if content == ZERO_UUID else "an id"
    if name in OWN_NUMBERS:
        return "positive" if content > 0 else content
    if name == "documentation":
        return "a text" if content else content
    return comparable(node, content)


def _listener_of(node: Node, port: int) -> str | int:
    for listener, address in (("broker", node.bootstrap_server), ("controller", node.bootstrap_controller)):
        if address.endswith(f":{port}"):
            return f"port of the {listener} listener"
    return port


def _sorted(told: dict[str, Any]) -> dict[str, Any]:
    def in_order(name: str, content: Any) -> Any:
        if not isinstance(content, list):
            return content
        inner = [_sorted(entry) if isinstance(entry, dict) else entry for entry in content]
        return sorted(inner, key=str) if name in UNORDERED else inner

    return {name: in_order(name, content) for name, content in told.items()}
