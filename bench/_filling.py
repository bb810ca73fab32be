"""Fills a quorum's log: with so many records, or with so many partitions and a snapshot of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from bench._writers import TOPIC_RESOURCE
from compat.node import Node
from compat.process import wait_until
from compat.quorum import connect, describe_quorum
from kafkaproto.client import Client
from kafkaproto.error_codes import describe
from kafkaproto.messages import (
    CreateTopicsRequest,
    CreateTopicsResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from kafkaproto.snapshot import parse_snapshot_file_name

BYTES_BETWEEN_SNAPSHOTS = 4 * 1024 * 1024
ALTERED_TOPICS = 500
ALTERED_KEYS = ("retention.ms", "flush.ms", "segment.ms", "delete.retention.ms")
"""Changed for each of the topics in one request, which makes 2,000 records."""
PARTITIONS_PER_TOPIC = 2000
SNAPSHOT_TIMEOUT_S = 120.0
REQUEST_TIMEOUT_MS = 120_000


def create_topics(
    client: Client,
    names: Sequence[str],
    partitions: int,
    replication_factor: int = 1,
    *,
    assigned_to: int | None = None,
) -> None:
    """Create topics of so many partitions each, in one request; all on one broker with ``assigned_to``."""
    topics = [
        CreateTopicsRequest.CreatableTopic(
            name=name, num_partitions=partitions, replication_factor=replication_factor
        )
        if assigned_to is None
        else CreateTopicsRequest.CreatableTopic(
            name=name,
            num_partitions=-1,
            replication_factor=-1,
            assignments=[
                CreateTopicsRequest.CreatableReplicaAssignment(
                    partition_index=index, broker_ids=[assigned_to]
                )
                for index in range(partitions)
            ],
        )
        for name in names
    ]
    response = client.send(CreateTopicsRequest(topics=topics, timeout_ms=REQUEST_TIMEOUT_MS))
    assert isinstance(response, CreateTopicsResponse)
    for result in response.topics:
        if result.error_code:
            raise LookupError(f"CreateTopics: {describe(result.error_code).name} {result.error_message}")


def alter_topics(client: Client, names: list[str], value: int) -> None:
    """One config record for each of the keys of each topic, in one request."""
    configs = [
        IncrementalAlterConfigsRequest.AlterableConfig(name=key, config_operation=0, value=str(value))
        for key in ALTERED_KEYS
    ]
    resources = [
        IncrementalAlterConfigsRequest.AlterConfigsResource(
            resource_type=TOPIC_RESOURCE, resource_name=name, configs=configs
        )
        for name in names
    ]
    response = client.send(IncrementalAlterConfigsRequest(resources=resources))
    assert isinstance(response, IncrementalAlterConfigsResponse)
    for result in response.responses:
        if result.error_code:
            raise LookupError(f"IncrementalAlterConfigs: {describe(result.error_code).name}")


def log_end(client: Client) -> int:
    """The leader's own log end offset."""
    response = describe_quorum(client)
    return max(voter.log_end_offset for voter in response.current_voters)


class Filled:
    """A leader's connection over which its log is filled."""

    def __init__(self, leader: Node) -> None:
        self.leader = leader
        self.client = connect(leader.bootstrap_controller, timeout_ms=REQUEST_TIMEOUT_MS)
        self._altered = [f"altered-{number}" for number in range(ALTERED_TOPICS)]
        self._values = count(10**9)
        create_topics(self.client, self._altered, 1)

    def alter(self) -> None:
        """Append a batch of config records."""
        alter_topics(self.client, self._altered, next(self._values))

    def records(self, number: int) -> None:
        """Fill the log up to so many records."""
        while log_end(self.client) < number:
            self.alter()

    def partitions(self, number: int) -> None:
        """Create so many partitions, and have the leader write a snapshot of them all."""
        for topic in range(number // PARTITIONS_PER_TOPIC):
            create_topics(self.client, [f"large-{topic}"], PARTITIONS_PER_TOPIC)
        self.write_snapshot()

    def write_snapshot(self) -> None:
        """Have the leader write a snapshot of all that there is now."""
        target = log_end(self.client)
        begin = log_bytes(self.leader)
        # A node writes one once enough has come after the last.
        while log_bytes(self.leader) < begin + 2 * BYTES_BETWEEN_SNAPSHOTS:
            self.alter()
        wait_until(
            lambda: newest_snapshot(self.leader)[0] >= target,
            SNAPSHOT_TIMEOUT_S,
            "a snapshot of all partitions",
        )


def newest_snapshot(node: Node) -> tuple[int, int]:
    """End offset and size of a node's newest snapshot."""
    found = [(0, 0)]
    for path in node.metadata_log_directory.glob("*.checkpoint"):
        snapshot = parse_snapshot_file_name(path.name)
        if snapshot is not None:
            found.append((snapshot.end_offset, path.stat().st_size))
    return max(found)


def log_bytes(node: Node) -> int:
    """Size of all segments of a node's log."""
    return sum(path.stat().st_size for path in node.metadata_log_directory.glob("*.log"))
