"""Each alert of docs/alerts.yml fires on a cluster of ours when it should, and ends."""

from __future__ import annotations

import urllib.request
from collections.abc import Mapping
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from compat.alerts import LOG_DIRECTORIES, OVERRIDES, Page, Scenario, Watch, rules
from compat.cluster import CombinedCluster
from compat.ours import OurNode
from compat.ports import free_port

SCRAPE_TIMEOUT_S = 10.0
GOLDEN = Path(__file__).parents[1] / "node" / "observability" / "golden" / "exporter_names.txt"
LEFT_OUT = (
    # Clients' metrics, tiered storage, conversions of old formats.
    "kafka_server_client_metrics_",
    "kafka_server_delayedremote",
    "_messageconversionstimems",
    "_temporarymemorybytes",
    # Threads, queues and buffers of the JVM's node; pools of memory; what /proc tells of the process.
    "_linux_disk_",
    "_yammer_metrics_count",
    "kafka_server_kafka_metrics_count",
    "kafka_server_app_info_",
    "kafka_network_processor_",
    "kafka_network_acceptor_",
    "kafka_network_socketserver_memorypool",
    "kafka_network_socketserver_expiredconnections",
    "kafka_server_kafkarequesthandlerpool_broker",
    "kafka_server_kafkarequesthandlerpool_controller",
    "kafka_server_kafkarequesthandlerpool_requesthandleravgidlepercent_count",
    "kafka_server_metadataloader_avgidleratio",
    "kafka_server_brokermetadatalistener_",
    "_event_queue_",
    "_event_processing_",
    "_batch_",
    "_background_",
    "_thread_idle_ratio_avg",
    "_queue_size",
    "kafka_server_request_exempt_request_time",
    "kafka_server_socket_server_metrics_broker_connection_accept_rate",
    "kafka_utils_throttler_cleaner_io",
    # One cleaner's work in bytes and seconds that it could do or wait.
    "kafka_log_logcleaner_max_buffer_utilization_percent",
    "kafka_log_logcleaner_max_compaction_delay_secs",
    "kafka_log_logcleanermanager_uncleanable_bytes",
    "kafka_server_replicaalterlogdirsmanager_failedpartitionscount",
    "kafka_server_replicaalterlogdirsmanager_minfetchrate",
    # A label here, a part of the name there.
    "_group_count",
    "_num_partitions",
    "_event_purgatory_time_ms_p",
    "kafka_server_node_metrics_feature_name_",
    # Descriptions of topologies, evictions of share sessions.
    "_streams_group_topology_description_",
    "kafka_server_sharesessioncache_sharesessionevictions_total",
)
"""What docs/running.md says is not there, or is there as a label."""


def scrape(node: OurNode) -> Page | None:
    """Its metrics; None while it does not answer."""
    url = f"http://{node.properties['http.listener']}/metrics"
    try:
        with urllib.request.urlopen(url, timeout=SCRAPE_TIMEOUT_S) as response:
            text = response.read().decode()
    except OSError:
        return None
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_every_expression_is_of_a_metric_that_apache_kafka_has() -> None:
    names = set(GOLDEN.read_text().splitlines())
    assert len({rule.name for rule in rules()}) == len(rules()) > 10
    assert {rule.metric for rule in rules()} - {"up"} <= names


@pytest.mark.slow
def test_each_alert_fires_and_ends(tmp_path: Path) -> None:
    nodes: dict[int, OurNode] = {}

    def make(folder: Path, properties: Mapping[str, str]) -> OurNode:
        node = OurNode(folder, {**properties, "http.listener": f"127.0.0.1:{free_port()}"})
        nodes[node.node_id] = node
        return node

    with CombinedCluster(make, tmp_path, overrides=OVERRIDES, log_directories=LOG_DIRECTORIES) as cluster:
        cluster.format()
        cluster.start()
        watch = Watch(nodes, lambda node_id: scrape(nodes[node_id]))
        Scenario(cluster, watch).run()
        pages = [page for node in nodes.values() if (page := scrape(node)) is not None]
    assert watch.fired == {rule.name for rule in rules()}
    kafkas = {line for line in GOLDEN.read_text().splitlines() if not line.startswith("#")}
    missing = kafkas - {name for page in pages for name, _ in page}
    assert {name for name in missing if not any(part in name for part in LEFT_OUT)} == set()
