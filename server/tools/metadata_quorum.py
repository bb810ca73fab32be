"""``kafka-metadata-quorum``: who leads the metadata quorum, who votes, how far each replica is.

Takes the options of Kafka's tool and prints its lines. It talks to a broker, which passes the question on, or to a
controller, from where it goes to the quorum's leader itself.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence

import click

from kafkaproto import uuids
from kafkaproto.client import Client, parse_servers
from kafkaproto.error_codes import describe
from kafkaproto.errors import ProtocolError
from kafkaproto.messages import (
    DescribeClusterRequest,
    DescribeClusterResponse,
    DescribeQuorumRequest,
    DescribeQuorumResponse,
)
from server.types import METADATA_TOPIC, ZERO_UUID

_BROKERS, _CONTROLLERS = 1, 2
"""Endpoint types of DescribeCluster."""
_UNKNOWN_TIME = -1
_COLUMNS = (
    "NodeId",
    "DirectoryId",
    "LogEndOffset",
    "Lag",
    "LastFetchTimestamp",
    "LastCaughtUpTimestamp",
    "Status",
)


class Quorum:
    """One answer about the quorum."""

    def __init__(self, cluster_id: str, response: DescribeQuorumResponse) -> None:
        """Raises ClickException where the answer carries an error, is about something else or names no leader."""
        _check(response.error_code, response.error_message)
        if [topic.topic_name for topic in response.topics] != [METADATA_TOPIC]:
            raise click.ClickException(f"the answer is not about {METADATA_TOPIC} alone")
        partitions = response.topics[0].partitions
        if [partition.partition_index for partition in partitions] != [0]:
            raise click.ClickException(f"the answer is not about partition 0 of {METADATA_TOPIC} alone")
        self.partition = partitions[0]
        _check(self.partition.error_code, self.partition.error_message)
        self.cluster_id = cluster_id
        self.endpoints = {node.node_id: node.listeners for node in response.nodes}
        self.leader = self._leader()
        self.followers = [each for each in self.partition.current_voters if each is not self.leader]

    def _leader(self) -> DescribeQuorumResponse.ReplicaState:
        for voter in self.partition.current_voters:
            if voter.replica_id == self.partition.leader_id:
                return voter
        # A leader that has just removed itself is in this state until another one is elected.
        raise click.ClickException(
            f"the leader, {self.partition.leader_id}, is not among the voters; try again in a moment"
        )

    def lag(self, replica: DescribeQuorumResponse.ReplicaState) -> int:
        """How many records the replica is behind the leader."""
        return self.leader.log_end_offset - replica.log_end_offset


def _check(error_code: int, error_message: str | None) -> None:
    if error_code:
        info = describe(error_code)
        raise click.ClickException(
            f"the quorum cannot be described: {info.name}: {error_message or info.message}"
        )


@click.group()
@click.option("--bootstrap-server", metavar="HOST:PORT,...", help="Brokers to ask.")
@click.option("--bootstrap-controller", metavar="HOST:PORT,...", help="Controllers to ask.")
@click.pass_context
def main(context: click.Context, bootstrap_server: str | None, bootstrap_controller: str | None) -> None:
    """Describe the metadata quorum."""
    if (bootstrap_server is None) == (bootstrap_controller is None):
        raise click.UsageError("exactly one of --bootstrap-server and --bootstrap-controller is needed")
    try:
        servers = parse_servers(bootstrap_server or bootstrap_controller or "")
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    context.obj = (servers, bootstrap_controller is not None)


@main.command("describe")
@click.option("--status", is_flag=True, help="Leader, epoch, high watermark, lag and members, a line each.")
@click.option("--replication", is_flag=True, help="A table of the replicas and how far each has come.")
@click.option(
    "--human-readable", is_flag=True, help="With --replication: how long ago instead of timestamps."
)
@click.pass_obj
def describe_command(
    target: tuple[list[tuple[str, int]], bool], status: bool, replication: bool, human_readable: bool
) -> None:
    """Describe the quorum's state."""
    if status == replication:
        raise click.UsageError("exactly one of --status and --replication is needed")
    if human_readable and status:
        raise click.UsageError("--human-readable goes with --replication")
    try:
        quorum = ask(*target)
    except (OSError, ProtocolError) as error:
        raise click.ClickException(str(error)) from None
    for line in _status(quorum) if status else _replication(quorum, human_readable):
        click.echo(line)


def ask(servers: Sequence[tuple[str, int]], are_controllers: bool) -> Quorum:
    """Ask for the quorum; a controller that does not lead says who does.

    Raises ConnectionError, TimeoutError, ClickException.
    """
    with Client.bootstrap(servers) as client:
        cluster = client.send(
            DescribeClusterRequest(endpoint_type=_CONTROLLERS if are_controllers else _BROKERS)
        )
        assert isinstance(cluster, DescribeClusterResponse)
        if cluster.error_code:
            info = describe(cluster.error_code)
            raise click.ClickException(
                f"{client.host}:{client.port}: {cluster.error_message or info.message}"
            )
        if not are_controllers:
            return Quorum(cluster.cluster_id, _describe_quorum(client))
    leader = next((node for node in cluster.brokers if node.broker_id == cluster.controller_id), None)
    if leader is None:
        raise click.ClickException("the quorum has no leader that is registered")
    with Client.connect(leader.host, leader.port) as client:
        return Quorum(cluster.cluster_id, _describe_quorum(client))


def _describe_quorum(client: Client) -> DescribeQuorumResponse:
    partition = DescribeQuorumRequest.PartitionData(partition_index=0)
    topic = DescribeQuorumRequest.TopicData(topic_name=METADATA_TOPIC, partitions=[partition])
    response = client.send(DescribeQuorumRequest(topics=[topic]))
    assert isinstance(response, DescribeQuorumResponse)
    return response


def _status(quorum: Quorum) -> list[str]:
    partition, leader = quorum.partition, quorum.leader
    # The leader is among those that can be last, so that nobody ahead of it makes a negative lag.
    last = min(partition.current_voters, key=lambda voter: voter.log_end_offset)
    max_lag_time_ms = 0
    if last is not leader:
        times = leader.last_caught_up_timestamp, last.last_caught_up_timestamp
        max_lag_time_ms = _UNKNOWN_TIME if _UNKNOWN_TIME in times else times[0] - times[1]
    rows = {
        "ClusterId": quorum.cluster_id,
        "LeaderId": partition.leader_id,
        "LeaderEpoch": partition.leader_epoch,
        "HighWatermark": partition.high_watermark,
        "MaxFollowerLag": quorum.lag(last),
        "MaxFollowerLagTimeMs": max_lag_time_ms,
        "CurrentVoters": _replicas_json(quorum, partition.current_voters),
        "CurrentObservers": _replicas_json(quorum, partition.observers),
    }
    return [f"{name + ':':<24}{value}" for name, value in rows.items()]


def _replicas_json(quorum: Quorum, replicas: Sequence[DescribeQuorumResponse.ReplicaState]) -> str:
    """A JSON list of replicas; what is not known of one is left out."""
    documents = []
    for replica in replicas:
        document: dict[str, object] = {"id": replica.replica_id}
        if replica.replica_directory_id != ZERO_UUID:
            document["directoryId"] = uuids.to_text(replica.replica_directory_id)
        if listeners := quorum.endpoints.get(replica.replica_id):
            document["endpoints"] = [
                f"{each.name}://{f'[{each.host}]' if ':' in each.host else each.host}:{each.port}"
                for each in listeners
            ]
        documents.append(document)
    return json.dumps(documents)


def _replication(quorum: Quorum, human_readable: bool) -> list[str]:
    rows = [_COLUMNS]
    for status, replicas in (
        ("Leader", [quorum.leader]),
        ("Follower", quorum.followers),
        ("Observer", quorum.partition.observers),
    ):
        for replica in replicas:
            rows.append(
                (
                    str(replica.replica_id),
                    uuids.to_text(replica.replica_directory_id),
                    str(replica.log_end_offset),
                    str(quorum.lag(replica)),
                    _time(replica.last_fetch_timestamp, human_readable),
                    _time(replica.last_caught_up_timestamp, human_readable),
                    status,
                )
            )
    widths = [max(len(row[index]) for row in rows) for index in range(len(_COLUMNS))]
    return [
        "".join(f"{cell.ljust(width)}\t" for cell, width in zip(row, widths, strict=True)) for row in rows
    ]


def _time(timestamp_ms: int, human_readable: bool) -> str:
    if not human_readable or timestamp_ms == _UNKNOWN_TIME:
        return str(timestamp_ms)
    # A clock that lags behind the quorum's must not make it look as if replicas fetched in the future.
    return f"{max(0, time.time_ns() // 1_000_000 - timestamp_ms)} ms ago"


if __name__ == "__main__":
    main(prog_name="kafka-metadata-quorum")
