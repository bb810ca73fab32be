"""The scenario of `compat.alerts` on nodes of Apache Kafka and of ours: the same rules fire and end, and for the same
reasons.

MBeans are told under the names that the JMX exporter gives them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from compat.alerts import LOG_DIRECTORIES, OVERRIDES, Labels, Page, Scenario, Watch, rules
from compat.cluster import CombinedCluster
from compat.kafka.stock import MeasuredStockNode
from compat.node import Node
from compat.ours import OurNode
from compat.ports import free_port
from tests.integration.test_alerts import scrape as our_scrape
from tests.node.observability.test_coordinator_metrics import exported

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

SCRAPE_TIMEOUT_S = 10.0
STATES = (
    "kafka_cluster_partition_",
    "kafka_controller_kafkacontroller_global",
    "kafka_controller_kafkacontroller_offline",
    "kafka_controller_kafkacontroller_preferred",
    "kafka_log_log_",
    "kafka_log_logmanager_offlinelogdirectorycount",
    "kafka_server_replicafetchermanager_maxlag",
    "kafka_server_replicamanager_",
)
_MBEAN = re.compile(r"[\w.]+:type=[\w-]+(?:,name=\w+)?(?:,(?!name=)[^,=]+=[^,=]*)*")


def listening(folder: Path, properties: Mapping[str, str]) -> OurNode:
    """A node of ours that tells its metrics."""
    return OurNode(folder, {**properties, "http.listener": f"127.0.0.1:{free_port()}"})


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


def final_values(pages: Iterable[Page]) -> dict[tuple[str, Labels], float]:
    """What says in which state the partitions and logs are, summed over all nodes: who leads may differ."""
    found: dict[tuple[str, Labels], float] = {}
    for page in pages:
        for (name, labels), value in page.items():
            topic = dict(labels).get("topic", "")
            if name.startswith(STATES) and not name.endswith("_total") and not topic.startswith("__"):
                key = name, tuple(sorted(each for each in labels if each[0] in ("topic", "partition")))
                found[key] = found.get(key, 0.0) + value
    return found


def test_each_alert_fires_and_ends_on_both_and_leaves_the_same_values(tmp_path: Path) -> None:
    values = []
    for make_node, make_page in ((MeasuredStockNode, scrape), (listening, our_scrape)):
        nodes: dict[int, Any] = {}

        def make(folder: Path, properties: Mapping[str, str]) -> Node:
            node = make_node(folder, properties)  # noqa: B023
            nodes[node.node_id] = node  # noqa: B023
            return node

        def page_of(node_id: int) -> Page | None:
            return make_page(nodes[node_id])  # noqa: B023

        folder = tmp_path / make_page.__module__
        with CombinedCluster(make, folder, overrides=OVERRIDES, log_directories=LOG_DIRECTORIES) as cluster:
            cluster.format()
            cluster.start()
            watch = Watch(nodes, page_of)
            Scenario(cluster, watch, counts_each_shrink=make_node is listening).run()
            values.append(final_values(filter(None, map(page_of, nodes))))
        assert watch.fired == {rule.name for rule in rules()}
    stock, ours = values
    assert len(stock) > 60
    differences = {
        key: (ours.get(key), stock.get(key)) for key in {*ours, *stock} if ours.get(key) != stock.get(key)
    }
    assert differences == {}
