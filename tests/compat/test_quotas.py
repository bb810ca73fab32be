"""Quotas that stock tools set, as other people's clients meet them; the same of a stock broker."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from compat.kafka.stock import StockNode
from compat.kafka.tools import run_tool
from compat.node import Node
from compat.ours import OurNode
from compat.process import wait_until
from tests.compat.support.nodes import create, make_node

TOKENS_S = 10.0

pytestmark = [pytest.mark.jvm, pytest.mark.clients, pytest.mark.slow]

RATE = 1_000_000
"""Bytes a second."""
MESSAGE = bytes(range(250)) * 40
MESSAGES = 500
"""5 MB: five seconds, if they are held to the rate from the first second on."""
TOLERANCE = 0.2
LIMIT_S = 30.0


@pytest.fixture(scope="module", params=[OurNode, StockNode])
def limited_node(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A node that measures rates over two seconds instead of eleven, with the topic t and quotas of the client c."""
    node = make_node(request.param, tmp_path_factory.mktemp("node"), {"quota.window.num": "2"})
    try:
        node.start()
        create(node, "t")
        quotas = f"producer_byte_rate={RATE},consumer_byte_rate={RATE}"
        alter(node, "--entity-type", "clients", "--entity-name", "c", "--add-config", quotas)
        yield node
    finally:
        node.close()


def alter(node: Node, *arguments: str) -> None:
    run_tool("kafka-configs", "--bootstrap-server", node.bootstrap_server, "--alter", *arguments).output()


def config(node: Node, throttled: list[float], **more: Any) -> dict[str, Any]:
    return {
        "bootstrap.servers": node.bootstrap_server,
        "client.id": "c",
        "throttle_cb": lambda event: throttled.append(event.throttle_time),
        **more,
    }


def check(seconds: float, throttled: list[float]) -> None:
    rate = MESSAGES * len(MESSAGE) / seconds
    assert abs(rate - RATE) < TOLERANCE * RATE, f"{rate:.0f} bytes a second"
    assert any(throttled)


def test_clients_keep_to_their_quotas(limited_node: Node) -> None:
    throttled: list[float] = []
    producer = Producer(config(limited_node, throttled, **{"batch.size": 100_000}))
    began = time.monotonic()
    for _ in range(MESSAGES):
        producer.produce("t", MESSAGE, partition=0)
    assert producer.flush(LIMIT_S) == 0
    check(time.monotonic() - began, throttled)

    throttled = []
    limits = {"group.id": "g", "enable.auto.commit": False, "fetch.message.max.bytes": 100_000}
    consumer = Consumer(config(limited_node, throttled, **limits))
    consumer.assign([TopicPartition("t", 0, 0)])
    began, count = time.monotonic(), 0
    while count < MESSAGES and time.monotonic() < began + LIMIT_S:
        count += len(consumer.consume(MESSAGES, 0.05))
    seconds = time.monotonic() - began
    consumer.close()
    assert count == MESSAGES
    check(seconds, throttled)


def test_partition_changes_beyond_the_quota_are_refused_until_there_are_tokens(limited_node: Node) -> None:
    default_user = ("--entity-type", "users", "--entity-default")
    alter(limited_node, *default_user, "--add-config", "controller_mutation_rate=1")
    admin = ("kafka-topics", "--bootstrap-server", limited_node.bootstrap_server, "--create", "--topic")
    try:
        # 11 partitions come at once, and for 129 more it would have to wait two minutes, which the tool does not.
        run_tool(*admin, "m1", "--partitions", "140").output()
        assert "ThrottlingQuotaExceeded" in str(run_tool(*admin, "m2", "--partitions", "1"))
        alter(limited_node, *default_user, "--add-config", "controller_mutation_rate=1000")
        # 129 tokens are missing, and a thousand come in a second.
        create_m2 = (*admin, "m2", "--partitions", "1")
        wait_until(lambda: run_tool(*create_m2).exit_code == 0, TOKENS_S, "tokens")
    finally:
        alter(limited_node, *default_user, "--delete-config", "controller_mutation_rate")
