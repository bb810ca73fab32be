"""A broker is killed: how long partitions are without a leader for those who ask a survivor."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench._filling import REQUEST_TIMEOUT_MS, create_topics
from bench._implementations import IMPLEMENTATIONS
from compat.cluster import Cluster
from compat.node import Node
from compat.process import wait_until
from compat.quorum import connect
from kafkaproto.client import Client
from kafkaproto.messages import BrokerRegistrationChangeRecord, MetadataRequest, MetadataResponse
from kafkaproto.records.batch import iterate_batches
from kafkaproto.records.metadata import decode_metadata_record
from kafkaproto_server.base.types import NO_NODE

PARTITIONS_PER_TOPIC = 1_000
REPLICAS = 3
MARKERS = 2
SETTLE_S = 10.0
READY_S = 300.0
GIVE_UP_S = 60.0
_FENCED = 1


def broker_loss(implementation: str, folder: Path, partitions: int) -> dict[str, float]:
    """Three controllers of one implementation, three stock brokers, so many partitions; one broker gets SIGKILL."""
    with Cluster(IMPLEMENTATIONS[implementation], IMPLEMENTATIONS["stock"], folder) as cluster:
        cluster.format()
        cluster.start()
        fill(cluster, partitions)
        victim, *survivors = cluster.brokers.values()
        with connect(survivors[0].bootstrap_server, timeout_ms=REQUEST_TIMEOUT_MS) as client:
            begin, begin_wall = time.perf_counter(), time.time()
            victim.kill()
            gone_s = time.perf_counter() - begin
            alive = {node.node_id for node in survivors}
            wait_until(lambda: leaders(client) <= alive, GIVE_UP_S, "new leaders")
            seconds, wall = time.perf_counter() - begin, time.time()
        fenced = max(fenced_at(cluster.quorum.leader(), victim.node_id))
        assert fenced >= begin_wall - 1, "the fencing record is that of an earlier time"
        return {
            "kill to process gone s": gone_s,
            "kill to all led s": seconds,
            "fenced to all led s": wall - fenced,
        }


def fill(cluster: Cluster, partitions: int) -> int:
    """Have so many partitions, and a few more, whole on all brokers; returns how many there are."""
    topics = [f"large-{number}" for number in range(partitions // PARTITIONS_PER_TOPIC)]
    with connect(cluster.quorum.leader().bootstrap_controller, timeout_ms=REQUEST_TIMEOUT_MS) as client:
        for topic in topics:
            create_topics(client, [topic], PARTITIONS_PER_TOPIC, REPLICAS)
        # A broker shows a change before it makes the logs that the change wants, and the next change after that.
        for marker in range(MARKERS):
            create_topics(client, [f"marker-{marker}"], 1, REPLICAS)
            wait_until_known(cluster, partitions + marker + 1)
    # Making so many logs, replicas fall out of the ISR and come back.
    time.sleep(SETTLE_S)
    wait_until_known(cluster, partitions + MARKERS)
    return partitions + MARKERS


def wait_until_known(cluster: Cluster, partitions: int) -> None:
    """Until every broker tells of so many partitions, each with a leader and with all replicas in sync."""
    for node in cluster.brokers.values():
        with connect(node.bootstrap_server, timeout_ms=REQUEST_TIMEOUT_MS) as client:
            wait_until(partial(is_whole, client, partitions), READY_S, "all partitions")


def is_whole(client: Client, partitions: int) -> bool:
    """Whether there are so many partitions, each with a leader and all replicas in the ISR, as a broker tells it."""
    found = all_partitions(client)
    return len(found) == partitions and all(
        each.leader_id != NO_NODE and len(each.isr_nodes) == REPLICAS for each in found
    )


def leaders(client: Client) -> set[int]:
    """Who leads, as one broker tells it; -1 is among them while anything has no leader."""
    return {partition.leader_id for partition in all_partitions(client)}


def all_partitions(client: Client) -> list[MetadataResponse.Partition]:
    """What one broker tells of all partitions."""
    return [partition for topic in all_topics(client) for partition in topic.partitions]


def all_topics(client: Client) -> list[MetadataResponse.Topic]:
    """What one broker tells of all topics."""
    response = client.send(MetadataRequest(topics=None))
    assert isinstance(response, MetadataResponse)
    return response.topics


def fenced_at(controller: Node, broker_id: int) -> Iterator[float]:
    """When a broker was fenced, by the metadata log: seconds since the epoch of each such record."""
    for path in sorted(controller.metadata_log_directory.glob("*.log")):
        for batch in iterate_batches(path.read_bytes()):
            for value in () if batch.is_control else (record.value for record in batch.records()):
                record, _ = decode_metadata_record(value or b"")
                if (
                    isinstance(record, BrokerRegistrationChangeRecord)
                    and record.broker_id == broker_id
                    and record.fenced == _FENCED
                ):
                    yield batch.max_timestamp / 1000
