"""The scenario of `compat.alerts` on nodes of Apache Kafka: the same rules fire for the same reasons, and end.

Its MBeans are told under the names that the JMX exporter gives them. `tests/integration/test_alerts.py` has ours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from compat.alerts import LOG_DIRECTORIES, OVERRIDES, Page, Scenario, Watch, rules
from compat.cluster import CombinedCluster
from compat.kafka.jvm import SMALL_HEAP
from compat.kafka.stock import MeasuredStockNode
from tests.node.observability.test_coordinator_metrics import exported

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

SCRAPE_TIMEOUT_S = 1.0
_MBEAN = re.compile(r"[\w.]+:type=[\w-]+(?:,name=\w+)?(?:,(?!name=)[^,=]+=[^,=]*)*")


def scrape(node: MeasuredStockNode) -> Page | None:
    """Its metrics, by the exporter's names; None while it does not answer."""
    try:
        beans = node.mbeans(SCRAPE_TIMEOUT_S)
    except OSError:
        return None
    found = {}
    for (mbean, attribute), value in beans.items():
        if _MBEAN.fullmatch(mbean) and attribute in ("Count", "Value"):
            name, *values = exported(mbean, attribute)
            labels = [each.split("=")[0] for each in mbean.partition(":")[2].split(",")]
            found[name, tuple(zip(labels[-len(values) :], values, strict=True)) if values else ()] = value
    return found


def test_each_alert_fires_and_ends_on_apache_kafka(tmp_path: Path) -> None:
    nodes: dict[int, MeasuredStockNode] = {}

    def make(folder: Path, properties: Mapping[str, str]) -> MeasuredStockNode:
        node = MeasuredStockNode(folder, properties, SMALL_HEAP)
        nodes[node.node_id] = node
        return node

    with CombinedCluster(make, tmp_path, overrides=OVERRIDES, log_directories=LOG_DIRECTORIES) as cluster:
        cluster.format()
        cluster.start()
        watch = Watch(nodes, lambda node_id: scrape(nodes[node_id]))
        Scenario(cluster, watch).run()
    assert watch.fired == {rule.name for rule in rules()}
