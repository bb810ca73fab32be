"""A quorum of processes under attack: what unknown nodes know and send, and a writer that must not notice."""

from __future__ import annotations

import socket
import struct
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from compat.process import wait_until
from kafkaproto import messages as kafka
from kafkaproto.client import Client, parse_servers
from kafkaproto.error_codes import ErrorCode
from kafkaproto.headers import decode_response_header
from kafkaproto.message import Message
from tests.fuzz.support.raft_requests import (
    METADATA_TOPIC,
    METADATA_TOPIC_ID,
    QuorumFacts,
    api_of,
    framed,
    request_frame,
)
from tests.integration.support.asking import quorum
from tests.integration.support.clusters import NodeCluster

CLIENT_METRICS = 16
"""Resource type of client metrics subscriptions: any name is a resource, so that each write leaves its own trace."""
WRITER_PAUSE_S = 0.005


class UnknownNode:
    """A connection to one node on which any request is sent as it is, and its answer read."""

    def __init__(self, address: str) -> None:
        ((host, port),) = parse_servers(address)
        self._socket = socket.create_connection((host, port), timeout=10)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._reader = self._socket.makefile("rb")
        self._correlation_id = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._reader.close()
        self._socket.close()

    def send(self, message: Message, version: int | None = None) -> None:
        """Send a request, in its latest version unless another is given, and do not wait."""
        self._correlation_id += 1
        version = message.MAX_VERSION if version is None else version
        self._socket.sendall(framed(request_frame(message, version, self._correlation_id)))

    def is_hung_up_on(self, message: Message) -> bool:
        """Whether a request costs the connection."""
        try:
            self.send(message)
            return self._reader.read(1) == b""
        except ConnectionError:
            return True

    def ask(self, message: Message, version: int | None = None) -> Any:
        """The same, and the response as a message."""
        self.send(message, version)
        version = message.MAX_VERSION if version is None else version
        size = self._reader.read(4)
        assert len(size) == 4, f"no answer to {message} in version {version}: the connection was closed"
        frame = self._reader.read(struct.unpack(">i", size)[0])
        info = api_of(message)
        correlation_id, start = decode_response_header(frame, info.response_header_version(version))
        assert correlation_id == self._correlation_id
        response, end = info.response_class.decode(frame, version, start)
        assert end == len(frame)
        return response


class Writer:
    """Writes one resource after the other at the active controller, and keeps what was acknowledged."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.acknowledged: dict[str, str] = {}
        """Interval by name of the resource."""
        self.failure: str | None = None

    def _run(self) -> None:
        ((host, port),) = parse_servers(self._address)
        try:
            with Client.connect(host, port, timeout_ms=10_000) as client:
                number = 0
                while not self._stop.wait(WRITER_PAUSE_S):
                    number += 1
                    self._write(client, f"kept-{number}", str(1000 + number))
        except (OSError, AssertionError) as error:
            self.failure = f"write {len(self.acknowledged)}: {error}"

    def _write(self, client: Client, name: str, interval_ms: str) -> None:
        kind = kafka.IncrementalAlterConfigsRequest
        config = kind.AlterableConfig(name="interval.ms", config_operation=0, value=interval_ms)
        resource = kind.AlterConfigsResource(
            resource_type=CLIENT_METRICS, resource_name=name, configs=[config]
        )
        response = client.send(kind(resources=[resource]))
        assert isinstance(response, kafka.IncrementalAlterConfigsResponse)
        assert response.responses[0].error_code == ErrorCode.NONE, f"{name}: {response.responses[0]}"
        self.acknowledged[name] = interval_ms

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(30)
        assert not self._thread.is_alive()


class AttackedQuorum:
    """The cluster under attack, what an unknown node knows of it, and the writer beside."""

    def __init__(self, cluster: NodeCluster) -> None:
        self.cluster = cluster
        # Voters of a local cluster have the ids 1, 2, 3, in the order of their addresses.
        self.addresses = dict(enumerate(cluster.controllers.split(","), start=1))
        wait_until(lambda: self._leader() is not None, 30, "a leader")
        self.leader_id = self._leader() or -1
        self.followers = [node_id for node_id in self.addresses if node_id != self.leader_id]
        self.writer = Writer(self.addresses[self.leader_id])
        self.writer.start()
        self._epoch = quorum(self.addresses[self.leader_id]).leader_epoch
        wait_until(lambda: self._snapshot() is not None or bool(self.writer.failure), 30, "a snapshot")
        assert self.writer.failure is None, self.writer.failure
        self.facts = self._learn()

    def _leader(self) -> int | None:
        for node_id, address in self.addresses.items():
            if quorum(address).error_code == ErrorCode.NONE:
                return node_id
        return None

    def _snapshot(self) -> tuple[int, int] | None:
        partition = self.fetch(self.leader_id, epoch=self._epoch)
        if partition.snapshot_id.epoch < 0:
            return None
        return partition.snapshot_id.end_offset, partition.snapshot_id.epoch

    def _learn(self) -> QuorumFacts:
        described = quorum(self.addresses[self.leader_id])
        snapshot = self._snapshot()
        facts = QuorumFacts(
            cluster_id=self.cluster.cluster_id,
            leader_id=described.leader_id,
            epoch=described.leader_epoch,
            end_offset=described.high_watermark,
            voters={voter.replica_id: voter.replica_directory_id for voter in described.current_voters},
            snapshot=snapshot,
            snapshot_size=0,
        )
        assert set(facts.voters) == set(self.addresses)
        with UnknownNode(self.addresses[self.leader_id]) as unknown_node:
            piece = unknown_node.ask(fetch_snapshot(facts, max_bytes=0)).topics[0].partitions[0]
        return replace(facts, snapshot_size=piece.size)

    def fetch(self, node_id: int, *, epoch: int) -> Any:
        """A node's answer to a reader's Fetch from the log's start, about the metadata log."""
        kind = kafka.FetchRequest
        partition = kind.FetchPartition(current_leader_epoch=epoch, last_fetched_epoch=0)
        topic = kind.FetchTopic(topic_id=METADATA_TOPIC_ID, partitions=[partition])
        with UnknownNode(self.addresses[node_id]) as unknown_node:
            return (
                unknown_node.ask(kind(replica_state=kind.ReplicaState(replica_id=-1), topics=[topic]))
                .responses[0]
                .partitions[0]
            )

    def check(self) -> None:
        """Every process runs, and knows the leader and the epoch that it knew from the start."""
        self.cluster.assert_running()
        for node_id, pid in self.cluster.pids.items():
            assert Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] in "RSD", f"node {node_id} ended"
            leader = self.fetch(node_id, epoch=self.facts.epoch).current_leader
            seen = (leader.leader_id, leader.leader_epoch)
            assert seen == (self.facts.leader_id, self.facts.epoch), f"node {node_id}"
        assert self.writer.failure is None, self.writer.failure

    def check_after(self, seconds: float) -> None:
        """The same for a while, during which the writer gets on."""
        done = len(self.writer.acknowledged)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.check()
            time.sleep(0.1)
        assert len(self.writer.acknowledged) > done

    def has_all(self, node_id: int) -> bool:
        """Whether a node shows every acknowledged write."""
        kind = kafka.DescribeConfigsRequest
        written = dict(self.writer.acknowledged)
        resources = [
            kind.DescribeConfigsResource(
                resource_type=CLIENT_METRICS, resource_name=name, configuration_keys=["interval.ms"]
            )
            for name in written
        ]
        with UnknownNode(self.addresses[node_id]) as unknown_node:
            response = unknown_node.ask(kind(resources=resources))
        shown = {result.resource_name: result.configs[0].value for result in response.results}
        return shown == written


def fetch_snapshot(facts: QuorumFacts, **changes: Any) -> kafka.FetchSnapshotRequest:
    """A request that a leader serves, but for the changes; those of the partition by their names."""
    kind = kafka.FetchSnapshotRequest
    end_offset, epoch = changes.pop("snapshot", facts.snapshot)
    top: dict[str, Any] = {
        name: changes.pop(name) for name in ("max_bytes", "replica_id", "topics") if name in changes
    }
    name = changes.pop("topic", METADATA_TOPIC)
    fields: dict[str, Any] = {
        "current_leader_epoch": facts.epoch,
        "snapshot_id": kind.SnapshotId(end_offset=end_offset, epoch=epoch),
        **changes,
    }
    topic = kind.TopicSnapshot(name=name, partitions=[kind.PartitionSnapshot(**fields)])
    top = {"cluster_id": facts.cluster_id, "topics": [topic], **top}
    return kind(**top)
