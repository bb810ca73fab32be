"""``kafka-metadata-quorum``: who leads the metadata quorum, who votes, how far each replica is.

Takes the options of Kafka's tool and prints its lines. It talks to a broker, which passes the question on, or to a
controller, from where it goes to the quorum's leader itself.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence

import click

from kafkaproto import uuids
from kafkaproto.client import Client, parse_servers
from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.errors import ProtocolError
from kafkaproto.messages import (
    DescribeClusterRequest,
    DescribeClusterResponse,
    DescribeQuorumRequest,
    DescribeQuorumResponse,
)
from server.types import METADATA_TOPIC, NO_NODE

_CONTROLLERS = 2
_COLUMNS = ("NodeId", "DirectoryId", "LogEndOffset", "Lag", "LastFetchTimestamp", "LastCaughtUpTimestamp", "Status")


class Quorum:
    """One answer about the quorum."""

    def __init__(self, cluster_id: str, response: DescribeQuorumResponse) -> None:
        """Raises ClickException where the answer carries an error."""
        code, message = response.error_code, response.error_message
        if not code:
            self.partition = response.topics[0].partitions[0]
            code, message = self.partition.error_code, self.partition.error_message
        if code:
            info = describe(code)
            raise click.ClickException(f"the quorum cannot be described: {info.name}: {message or info.message}")
        self.cluster_id = cluster_id
        self.endpoints = {node.node_id: node.listeners for node in response.nodes}
        self.leader_end_offset = next(
            (
                replica.log_end_offset
                for replica in self.partition.current_voters
                if replica.replica_id == self.partition.leader_id
            ),
            self.partition.high_watermark,
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
@click.option("--status", is_flag=True, help="A short summary of the quorum and the other information.")
@click.option("--replication", is_flag=True, help="How far each replica is.")
@click.option("--human-readable", is_flag=True, help="With --replication: times as dates and lags.")
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
        cluster = client.send(DescribeClusterRequest(endpoint_type=_CONTROLLERS if are_controllers else 1))
        assert isinstance(cluster, DescribeClusterResponse)
        if cluster.error_code:
            info = describe(cluster.error_code)
            raise click.ClickException(f"{client.host}:{client.port}: {cluster.error_message or info.message}")
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
    if response.error_code == ErrorCode.NONE and not response.topics:
        raise click.ClickException(f"{client.host}:{client.port} gave an empty answer")
    return response


def _status(quorum: Quorum) -> list[str]:
    partition = quorum.partition
    followers = [voter for voter in partition.current_voters if voter.replica_id != partition.leader_id]
    max_lag = max((quorum.leader_end_offset - each.log_end_offset for each in followers), default=0)
    leader = next((v for v in partition.current_voters if v.replica_id == partition.leader_id), None)
    max_lag_time_ms = 0
    if leader is not None and followers:
        behind = [each.last_caught_up_timestamp for each in followers]
        max_lag_time_ms = -1 if min(behind) < 0 else leader.last_caught_up_timestamp - min(behind)
    voters = [_replica_json(quorum, voter, with_endpoints=True) for voter in partition.current_voters]
    observers = [_replica_json(quorum, observer, with_endpoints=False) for observer in partition.observers]
    rows = {
        "ClusterId": quorum.cluster_id,
        "LeaderId": partition.leader_id,
        "LeaderEpoch": partition.leader_epoch,
        "HighWatermark": partition.high_watermark,
        "MaxFollowerLag": max_lag,
        "MaxFollowerLagTimeMs": max_lag_time_ms,
        "CurrentVoters": f"[{', '.join(voters)}]",
        "CurrentObservers": f"[{', '.join(observers)}]",
    }
    return [f"{name + ':':<24}{value}" for name, value in rows.items()]


def _replica_json(
    quorum: Quorum, replica: DescribeQuorumResponse.ReplicaState, *, with_endpoints: bool
) -> str:
    document: dict[str, object] = {
        "id": replica.replica_id,
        "directoryId": uuids.to_text(replica.replica_directory_id),
    }
    if replica.replica_directory_id == bytes(16):
        document["directoryId"] = None
    if with_endpoints:
        listeners = quorum.endpoints.get(replica.replica_id, [])
        document["endpoints"] = [f"{each.name}://{each.host}:{each.port}" for each in listeners]
    return json.dumps(document)


def _replication(quorum: Quorum, human_readable: bool) -> list[str]:
    partition = quorum.partition
    rows = [_COLUMNS]
    for status, replicas in (
        ("Leader", [each for each in partition.current_voters if each.replica_id == partition.leader_id]),
        ("Follower", [each for each in partition.current_voters if each.replica_id != partition.leader_id]),
        ("Observer", partition.observers),
    ):
        for replica in replicas:
            rows.append(
                (
                    str(replica.replica_id),
                    uuids.to_text(replica.replica_directory_id),
                    str(replica.log_end_offset),
                    str(quorum.leader_end_offset - replica.log_end_offset),
                    _time(replica.last_fetch_timestamp, human_readable),
                    _time(replica.last_caught_up_timestamp, human_readable),
                    status,
                )
            )
    widths = [max(len(row[index]) for row in rows) for index in range(len(_COLUMNS))]
    return ["\t".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]


def _time(timestamp_ms: int, human_readable: bool) -> str:
    if not human_readable:
        return str(timestamp_ms)
    if timestamp_ms == NO_NODE:
        return "unknown"
    now = datetime.datetime.now(tz=datetime.UTC)
    then = datetime.datetime.fromtimestamp(timestamp_ms / 1000, tz=datetime.UTC)
    return f"{max(0, int((now - then).total_seconds() * 1000))} ms ago"


if __name__ == "__main__":
    main(prog_name="kafka-metadata-quorum")
