"""What large changes, large metadata and many brokers cost the active controller.

Three controllers of one implementation with placeholder brokers, which register and send heartbeats, no more.

- admin: 10,000 partitions x 3 replicas created as 10 topics of 1,000 and as 1,000 topics of 10 (1,000 partitions a
  request), 1,000 of them reassigned, all deleted: seconds until the last answer, each request after the one before.
- scale: many partitions x 3 replicas on 50 brokers: seconds to create them, memory of the leader's process, a
  follower's restart from its snapshot until it has all that the leader has, the leader killed: milliseconds until
  another node acknowledges a write.
- loss: stock brokers on these controllers, 10,000 partitions x 3 replicas; one broker gets SIGKILL: seconds until
  the kernel has taken its process apart, until a survivor's Metadata shows a live leader for all of them, and from the
  record that fenced it until then.
- heartbeats: 1,000 brokers, one heartbeat each every 2 seconds: the share of a core that the leader needs.

    bin/bench controller [--parts admin,scale,loss,heartbeats] [--partitions 200000]
        [--loss-partitions 10000] [--implementations stock,ours]
"""

from __future__ import annotations

import argparse
import os
import selectors
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench._broker_loss import broker_loss
from bench._brokers import PlaceholderBrokers
from bench._filling import (
    BYTES_BETWEEN_SNAPSHOTS,
    REQUEST_TIMEOUT_MS,
    Filled,
    create_topics,
)
from bench._implementations import IMPLEMENTATIONS, end_in_order_when_told
from bench._parts import Measurements, Part, run_parts
from bench.failover import Attempts, wait_until_follows
from compat.node import Node
from compat.quorum import Quorum, connect
from kafkaproto.client import Client, parse_servers
from kafkaproto.error_codes import describe
from kafkaproto.headers import encode_request_header
from kafkaproto.messages import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
)

VOTERS = 3
REPLICAS = 3
ADMIN_PARTITIONS = 10_000
PARTITIONS_PER_REQUEST = 1_000
SCALE_BROKERS = 50
PARTITIONS_PER_TOPIC = 100
HEARTBEAT_BROKERS = 1_000
HEARTBEAT_INTERVAL_S = 2.0
HEARTBEATS_S = 20.0
HEARTBEAT_KEY, HEARTBEAT_VERSION = 63, 2
GIVE_UP_S = 60.0
BROKER_IDS = range(1000, 1000 + HEARTBEAT_BROKERS)


@contextmanager
def cluster(implementation: str, folder: Path, brokers: int) -> Iterator[tuple[Quorum, PlaceholderBrokers]]:
    """Three controllers and so many brokers."""
    properties = {"metadata.log.max.record.bytes.between.snapshots": str(BYTES_BETWEEN_SNAPSHOTS)}
    with Quorum(IMPLEMENTATIONS[implementation], folder, VOTERS, properties) as quorum:
        quorum.format()
        quorum.start()
        with PlaceholderBrokers(quorum.leader, BROKER_IDS[:brokers]) as placeholders:
            yield quorum, placeholders


# -- admin -------------------------------------------------------------------------------------------------------------


def admin(implementation: str, folder: Path) -> Measurements:
    """Create, reassign, delete."""
    measurements: Measurements = {}
    with (
        cluster(implementation, folder, REPLICAS) as (quorum, _),
        connect(quorum.leader().bootstrap_controller, timeout_ms=REQUEST_TIMEOUT_MS) as client,
    ):
        large = [f"large-{number}" for number in range(ADMIN_PARTITIONS // PARTITIONS_PER_REQUEST)]
        small = [f"small-{number}" for number in range(ADMIN_PARTITIONS // 10)]
        per_request = PARTITIONS_PER_REQUEST // 10

        def delete_all() -> None:
            delete_topics(client, large)
            for at in range(0, len(small), per_request):
                delete_topics(client, small[at : at + per_request])

        measurements["create 10 topics of 1000 s"] = timed(
            lambda: create_in_requests(client, large, 1, PARTITIONS_PER_REQUEST)
        )
        measurements["create 1000 topics of 10 s"] = timed(
            lambda: create_in_requests(client, small, per_request, 10)
        )
        measurements["reassign 1000 partitions s"] = timed(lambda: reassign(client, large[0]))
        measurements["delete all s"] = timed(delete_all)
    return measurements


def timed(work: Callable[[], object]) -> float:
    """Seconds that it takes."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def create_in_requests(client: Client, names: list[str], per_request: int, partitions: int) -> None:
    """Create topics of so many partitions each, so many topics in a request."""
    for at in range(0, len(names), per_request):
        create_topics(client, names[at : at + per_request], partitions, REPLICAS)


def reassign(client: Client, topic: str) -> None:
    """Turn the order of the replicas of every partition of a topic."""
    ids = list(BROKER_IDS[:REPLICAS])
    partitions = [
        AlterPartitionReassignmentsRequest.ReassignablePartition(
            partition_index=index, replicas=[ids[(index + step) % REPLICAS] for step in range(REPLICAS)]
        )
        for index in range(PARTITIONS_PER_REQUEST)
    ]
    reassigned = AlterPartitionReassignmentsRequest.ReassignableTopic(name=topic, partitions=partitions)
    response = client.send(
        AlterPartitionReassignmentsRequest(topics=[reassigned], timeout_ms=REQUEST_TIMEOUT_MS)
    )
    assert isinstance(response, AlterPartitionReassignmentsResponse)
    codes = {response.error_code, *(each.error_code for each in response.responses[0].partitions)}
    if codes != {0}:
        raise LookupError(f"AlterPartitionReassignments: {[describe(code).name for code in codes]}")


def delete_topics(client: Client, names: list[str]) -> None:
    """Delete topics, in one request."""
    topics = [DeleteTopicsRequest.DeleteTopicState(name=name) for name in names]
    response = client.send(DeleteTopicsRequest(topics=topics, timeout_ms=REQUEST_TIMEOUT_MS))
    assert isinstance(response, DeleteTopicsResponse)
    for result in response.responses:
        if result.error_code:
            raise LookupError(f"DeleteTopics: {describe(result.error_code).name}")


# -- scale -------------------------------------------------------------------------------------------------------------


def scale(implementation: str, folder: Path, partitions: int) -> Measurements:
    """Hold many partitions, and go through a restart and the loss of the leader with them."""
    measurements: Measurements = {}
    with cluster(implementation, folder, SCALE_BROKERS) as (quorum, _):
        leader = quorum.leader()
        filled = Filled(leader)
        topics = [f"topic-{number}" for number in range(partitions // PARTITIONS_PER_TOPIC)]
        per_request = PARTITIONS_PER_REQUEST // PARTITIONS_PER_TOPIC
        measurements["create s"] = timed(
            lambda: create_in_requests(filled.client, topics, per_request, PARTITIONS_PER_TOPIC)
        )
        filled.write_snapshot()
        measurements["leader MiB"] = resident_mib(leader)
        follower = next(node for node in quorum.nodes.values() if node is not leader)
        follower.stop()

        def restart() -> None:
            follower.start()
            wait_until_follows(leader, follower.node_id)

        measurements["restart s"] = timed(restart)
        filled.client.close()
        measurements["failover ms"] = failover_ms(quorum)
    return measurements


def resident_mib(node: Node) -> float:
    """Memory that the node's process holds."""
    status = Path(f"/proc/{node.process.pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


def failover_ms(quorum: Quorum) -> float:
    """Kill the leader; how long until another node acknowledges a write."""
    leader = quorum.leader()
    attempts = Attempts()
    attempts.connect(node for node in quorum.nodes.values() if node is not leader)
    begin = time.perf_counter()
    os.kill(leader.process.pid, signal.SIGKILL)
    attempts.run(GIVE_UP_S, until_other_than=leader.node_id)
    attempts.close()
    assert attempts.acknowledged, f"no new leader within {GIVE_UP_S} s"
    return (attempts.acknowledged[-1][0] - begin) * 1000


# -- heartbeats --------------------------------------------------------------------------------------------------------


def heartbeats(implementation: str, folder: Path) -> Measurements:
    """Keep many brokers alive, each over a connection of its own."""
    with cluster(implementation, folder, HEARTBEAT_BROKERS) as (quorum, placeholders):
        leader = quorum.leader()
        frames = [frame(request.encode(HEARTBEAT_VERSION)) for request in placeholders.heartbeat_requests()]
        ((host, port),) = parse_servers(leader.bootstrap_controller)
        sockets = [socket.create_connection((host, port)) for _ in frames]
        try:
            drive(sockets, frames, HEARTBEAT_INTERVAL_S)
            begin, begin_cpu = time.perf_counter(), processor_seconds(leader)
            answered = drive(sockets, frames, HEARTBEATS_S)
            seconds, cpu = time.perf_counter() - begin, processor_seconds(leader) - begin_cpu
        finally:
            for each in sockets:
                each.close()
    return {"heartbeats a second": answered / seconds, "share of a core": cpu / seconds}


def frame(body: bytes) -> bytes:
    """A heartbeat as it goes over the wire."""
    header = encode_request_header(
        api_key=HEARTBEAT_KEY, api_version=HEARTBEAT_VERSION, correlation_id=1, client_id="bench"
    )
    return len(header + body).to_bytes(4) + header + body


def drive(sockets: list[socket.socket], frames: list[bytes], seconds: float) -> int:
    """Send each broker's heartbeat once an interval, spread evenly; returns how many were answered."""
    selector = selectors.DefaultSelector()
    for each in sockets:
        selector.register(each, selectors.EVENT_READ, each)
    begin = time.perf_counter()
    sent = answered = 0
    while (now := time.perf_counter()) < begin + seconds:
        due = int((now - begin) / HEARTBEAT_INTERVAL_S * len(sockets))
        while sent < due:
            sockets[sent % len(sockets)].sendall(frames[sent % len(sockets)])
            sent += 1
        for key, _ in selector.select(0.002):
            if not key.data.recv(4096):
                raise ConnectionResetError("the controller hung up")
            answered += 1
    selector.close()
    return answered


def processor_seconds(node: Node) -> float:
    """Processor time that the node's process has used."""
    fields = Path(f"/proc/{node.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Run the parts for both implementations; print a table for each and one line of JSON."""
    end_in_order_when_told()
    parser = argparse.ArgumentParser(prog="bin/bench controller", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--parts", type=lambda text: text.split(","), default=["admin", "scale", "loss", "heartbeats"]
    )
    parser.add_argument("--partitions", type=int, default=200_000, help="of the scale part (200000)")
    parser.add_argument("--loss-partitions", type=int, default=10_000, help="of the loss part (10000)")
    parser.add_argument("--implementations", type=lambda text: text.split(","), default=list(IMPLEMENTATIONS))
    arguments = parser.parse_args()
    parts: dict[str, Part] = {
        "admin": admin,
        "scale": lambda implementation, folder: scale(implementation, folder, arguments.partitions),
        "loss": lambda implementation, folder: broker_loss(implementation, folder, arguments.loss_partitions),
        "heartbeats": heartbeats,
    }
    run_parts(parts, arguments.parts, arguments.implementations)


if __name__ == "__main__":
    main()
