"""Brokers with many partitions: memory, restarts, a death; and two brokers on the machine of one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from bench import _raw_clients, beside
from bench._data_servers import large, sole_node
from bench._filling import REQUEST_TIMEOUT_MS, create_topics
from bench._parts import Measurements
from bench._raw_clients import Batches
from bench.start import resident_mib
from compat.cluster import Cluster
from compat.node import Node
from compat.process import wait_until
from compat.quorum import connect
from kafkaproto.client import Client
from kafkaproto.messages import ListOffsetsRequest, ListOffsetsResponse

PARTITIONS_PER_TOPIC = 1_000
FULL_PARTITIONS = 1_000
"""Those that hold much."""
LATEST = -1
READY_S = 600.0
MEGABYTE = 1_000_000
KILLS = 3
SETTLE_S = 3.0


def partitions(implementation: str, folder: Path, count: int) -> Measurements:
    """One broker with so many partitions, a record in each."""
    topics = [f"many-{number}" for number in range(count // PARTITIONS_PER_TOPIC)]
    node = sole_node(implementation, folder)
    node.start()
    try:
        found = {"memory, empty, MiB": resident_mib(node.process.pid)}
        begin = time.perf_counter()
        with connect(node.bootstrap_server, timeout_ms=REQUEST_TIMEOUT_MS) as client:
            for topic in topics:
                create_topics(client, [topic], PARTITIONS_PER_TOPIC)
            wait_until(partial(_all_lead, client, topics), READY_S, "leaders of all partitions")
        found["created, s"] = time.perf_counter() - begin
        beside.write_at(node, beside.led_by(node), [])
        found["memory, MiB"] = resident_mib(node.process.pid)
        found |= _restarts(node, topics)
    finally:
        node.close()
    return found


def contents(implementation: str, folder: Path, gigabytes: int) -> Measurements:
    """One broker whose partitions hold so much."""
    node = sole_node(implementation, folder)
    node.start()
    try:
        with connect(node.bootstrap_server, timeout_ms=REQUEST_TIMEOUT_MS) as client:
            create_topics(client, ["full"], FULL_PARTITIONS)
            wait_until(partial(_all_lead, client, ["full"]), READY_S, "leaders of all partitions")
        total = gigabytes * 1000 * MEGABYTE
        begin = time.perf_counter()
        batches = Batches(1_000, 131_072)
        _raw_clients.write(
            node.bootstrap_server, "full", FULL_PARTITIONS, batches, total_bytes=total, acks=-1
        )
        found = {"written, MB/s": total / MEGABYTE / (time.perf_counter() - begin)}
        found |= _restarts(node, ["full"])
    finally:
        node.close()
    return found


def _restarts(node: Node, topics: Sequence[str]) -> Measurements:
    time.sleep(SETTLE_S)
    begin = time.perf_counter()
    node.stop()
    found = {"stopped in order, s": time.perf_counter() - begin}
    found["started after that, s"] = _start(node, topics)
    found["memory then, MiB"] = resident_mib(node.process.pid)
    beside.write_at(node, beside.led_by(node), [])
    node.kill()
    found["started after kill -9, s"] = _start(node, topics)
    return found


def _start(node: Node, topics: Sequence[str]) -> float:
    """Seconds from the start of the process until all partitions tell where they end."""
    begin = time.perf_counter()
    node.start()
    with connect(node.bootstrap_server, timeout_ms=REQUEST_TIMEOUT_MS) as client:
        wait_until(partial(_all_lead, client, topics), READY_S, "all partitions")
    return time.perf_counter() - begin


def _all_lead(client: Client, topics: Sequence[str]) -> bool:
    """Whether this broker leads all partitions of these topics, and has opened their logs."""
    for topic in topics:
        asked = [
            ListOffsetsRequest.ListOffsetsPartition(
                partition_index=index, timestamp=LATEST, current_leader_epoch=-1
            )
            for index in range(PARTITIONS_PER_TOPIC)
        ]
        request = ListOffsetsRequest(
            replica_id=-1, topics=[ListOffsetsRequest.ListOffsetsTopic(name=topic, partitions=asked)]
        )
        response = client.send(request)
        assert isinstance(response, ListOffsetsResponse)
        if any(each.error_code for found in response.topics for each in found.partitions):
            return False
    return True


def loss(implementation: str, folder: Path, count: int) -> Measurements:
    """Three brokers, so many partitions on each; one is killed: until each partition that it led takes a record."""
    make = large(implementation)
    return beside.deaths(Cluster(make, make, folder), count, KILLS)


def scaling(implementation: str, folder: Path, megabytes: int) -> Measurements:
    """One broker, then two, each with a client of its own that costs next to nothing."""
    found: Measurements = {}
    for brokers in (1, 2):
        make = large(implementation)
        with Cluster(make, make, folder / str(brokers), controllers=1, brokers=brokers) as cluster:
            cluster.format()
            cluster.start()
            nodes = list(cluster.brokers.values())
            with connect(nodes[0].bootstrap_server, timeout_ms=REQUEST_TIMEOUT_MS) as client:
                for node in nodes:
                    create_topics(client, [f"on-{node.node_id}"], 1, assigned_to=node.node_id)
            time.sleep(SETTLE_S)
            for size, batch_bytes in ((1_000, 131_072), (100, 16_384)):
                rate = _written_at_once(nodes, Batches(size, batch_bytes), megabytes * MEGABYTE)
                found[f"{brokers} brokers, {size} B in {batch_bytes} B, MB/s"] = rate
    return found


def _written_at_once(nodes: Sequence[Node], batches: Batches, total_bytes: int) -> float:
    def write(node: Node) -> None:
        topic = f"on-{node.node_id}"
        _raw_clients.write(node.bootstrap_server, topic, 1, batches, total_bytes=total_bytes, acks=-1)

    begin = time.perf_counter()
    with ThreadPoolExecutor(len(nodes)) as pool:
        list(pool.map(write, nodes))
    return len(nodes) * total_bytes / MEGABYTE / (time.perf_counter() - begin)
