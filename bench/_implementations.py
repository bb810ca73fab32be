"""The two implementations of node that a benchmark compares, each with the settings that its users give it."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from compat.kafka.stock import StockNode
from compat.node import Node
from compat.ours import OurNode
from compat.ports import free_port
from compat.quorum import NodeClass

STOCK_OPTIONS = (
    "-server",
    "-Xms512m",
    "-Xmx512m",
    "-XX:+UseG1GC",
    "-XX:MaxGCPauseMillis=20",
    "-XX:InitiatingHeapOccupancyPercent=35",
    "-XX:+ExplicitGCInvokesConcurrent",
)
"""Those of Kafka's own start script, with half of its heap: three nodes have to fit on a small machine."""

HTTP_KEY = "http.listener"


def ours(directory: Path, properties: Mapping[str, str]) -> Node:
    """A node of ours, with its metrics on."""
    port = free_port()
    return OurNode(directory, {**properties, HTTP_KEY: f"127.0.0.1:{port}"})


IMPLEMENTATIONS: dict[str, NodeClass] = {"stock": partial(StockNode, jvm_options=STOCK_OPTIONS), "ours": ours}
"""In the order in which they run."""


def end_in_order_when_told() -> None:
    """Have SIGTERM end this process as an exception does, so that no node is left behind."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
