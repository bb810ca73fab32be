"""The broker that Metadata and DescribeCluster show to clients as the controller.

Clients send administrative requests there, and every broker forwards them, so Kafka shows any that is alive. This
broker shows itself while it is not fenced. librdkafka's admin client keeps the first id that it hears, and waits for
minutes if that broker dies; a client that got an answer from here has a connection to a broker that lives.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafkaproto_server.apis.ports.node import NodePort
from kafkaproto_server.base.types import NO_NODE


def shown_controller(alive: Sequence[int], node: NodePort) -> int:
    """The id to show: this broker's if it is among those that are ``alive``, else that of any of them; NO_NODE if there
    is none."""
    if node.id in alive:
        return node.id
    return alive[node.choose(len(alive))] if alive else NO_NODE
