"""One of the two controllers: asked over our client library, and its metadata log read from its data directory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from compat.admin_difference.state import State
from compat.node import Node, controller_properties
from compat.ports import free_port
from compat.process import wait_until
from compat.quorum import CLUSTER_ID, NodeClass, connect
from kafkaproto import uuids
from kafkaproto.client import Client
from kafkaproto.error_codes import ErrorCode
from kafkaproto.log import segment_file_name
from kafkaproto.message import Message

NODE_ID = 1
RESPONSE_TIMEOUT_MS = 30_000
BEGIN_TIMEOUT_S = 20.0
_AN_HOUR = "3600000"
PROPERTIES = {
    # Nothing may happen but what is asked for.
    "auto.leader.rebalance.enable": "false",
    "broker.session.timeout.ms": _AN_HOUR,
    "unclean.leader.election.interval.ms": _AN_HOUR,
    "metadata.log.max.snapshot.interval.ms": "0",
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
}

_LEFT_OUT = frozenset({"throttleTimeMs", "errorMessage", "documentation", "partitionEpoch"})


class Side:
    """A sole controller, formatted and started."""

    def __init__(self, node_class: NodeClass, directory: Path) -> None:
        """Starts it; the client is connected when this returns."""
        port = free_port()
        properties = controller_properties(directory / "data", NODE_ID, [f"127.0.0.1:{port}"])
        self.node: Node = node_class(directory, {**properties, **PROPERTIES})
        self.node.format(CLUSTER_ID)
        self.node.start()
        self.state = State(NODE_ID)
        self._client: Client | None = None
        self._read_to = 0
        wait_until(self._has_begun, BEGIN_TIMEOUT_S, f"the first records of {self.node.kind}")

    @property
    def client(self) -> Client:
        """A connection; a new one after the controller hung up."""
        if self._client is None:
            self._client = connect(self.node.bootstrap_controller, timeout_ms=RESPONSE_TIMEOUT_MS)
        return self._client

    def serves(self, api_key: int) -> bool:
        """Whether the controller advertises it."""
        return any(api.api_key == api_key for api in self.client.api_versions.api_keys)

    def ask(self, request: Message) -> object:
        """The answer in a form that compares, with the records that came of it taken into `state`.

        A connection that the controller closes is an answer, too.
        """
        try:
            version = self.client.version_for(request)
            response = self.client.send(request, version)
        except ConnectionError:
            self._client = None
            self.node.assert_running()
            return "connection closed"
        self.read_log()
        return comparable(response.to_json(version), self.state)

    def _has_begun(self) -> bool:
        self.read_log()
        return ("feature", "metadata.version") in self.state.entries

    def read_log(self) -> None:
        """Take in what the log has beyond what was read."""
        path = self.node.metadata_log_directory / segment_file_name(0)
        self._read_to = self.state.read_on(path, self._read_to)

    def close(self) -> None:
        """Leaves no process behind."""
        if self._client is not None:
            self._client.close()
        self.node.kill()


def comparable(response: Any, state: State) -> Any:
    """Kafka's JSON of an answer without texts, with names for ids that are random, lists in an order of their own."""
    if isinstance(response, list):
        return sorted((comparable(one, state) for one in response), key=json.dumps)
    if not isinstance(response, dict):
        return response
    result: dict[str, Any] = {}
    for name, value in response.items():
        if name in _LEFT_OUT:
            continue
        if name == "topicId":
            result[name] = state.topic_names.get(uuids.from_text(value), "unknown")
        elif name == "brokerEpoch":
            owners = [broker for broker, epoch in state.broker_epochs.items() if epoch == value]
            result[name] = f"of broker {owners}" if owners else value
        elif name == "errorCode":
            result[name] = ErrorCode(value).name
        else:
            result[name] = comparable(value, state)
    return result
