"""Access of command lines to the metadata quorum: through a broker, which forwards requests, or through a controller,
which names the leader. The leader may change meanwhile; requests that fail because of this are retried for a while."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import click

from kafkaproto.client import Client
from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.errors import ProtocolError
from kafkaproto.message import Message
from kafkaproto.messages import (
    AddRaftVoterRequest,
    AddRaftVoterResponse,
    DescribeClusterRequest,
    DescribeClusterResponse,
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    RemoveRaftVoterRequest,
    RemoveRaftVoterResponse,
    UnregisterBrokerRequest,
    UnregisterBrokerResponse,
    UnregisterControllerRequest,
    UnregisterControllerResponse,
)
from kafkaproto_server.base.types import METADATA_TOPIC, ZERO_UUID, Endpoint, ReplicaKey

T = TypeVar("T")
U = TypeVar("U")

RETRY_TIMEOUT_S = 15.0
"""How long a request is retried while the quorum elects a leader: several elections."""
RETRY_INTERVAL_S = 0.2
REQUEST_TIMEOUT_MS = 10_000
"""For one request; adding a voter takes a controller at most two seconds."""
_BROKERS, _CONTROLLERS = 1, 2
"""Endpoint types of DescribeCluster."""
_LEADER_IS_ELSEWHERE = (ErrorCode.NOT_CONTROLLER, ErrorCode.NOT_LEADER_OR_FOLLOWER)

Address = tuple[str, int]

_Change = AddRaftVoterRequest | RemoveRaftVoterRequest | UnregisterBrokerRequest | UnregisterControllerRequest
_Changed = (
    AddRaftVoterResponse | RemoveRaftVoterResponse | UnregisterBrokerResponse | UnregisterControllerResponse
)


class QuorumUnavailable(click.ClickException):
    """No response is available now, but may be in a moment: the quorum has no leader, or another one."""


class ResponseLost(click.ClickException):
    """A change was sent, and it is unknown whether it was carried out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeResult:
    """The result of a change of the voters, or of the registrations."""

    error: ErrorCode
    message: str
    """The reason in words if it failed."""


class DescribedQuorum:
    """One description of the quorum."""

    def __init__(self, cluster_id: str, response: DescribeQuorumResponse) -> None:
        """Raises ClickException if the response has an error, is about something else, or names no leader."""
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
        raise QuorumUnavailable(
            f"the leader, {self.partition.leader_id}, is not among the voters; try again in a moment"
        )

    @property
    def leader_addresses(self) -> list[tuple[str, Address]]:
        """Name and address of each listener of the leader."""
        listeners = self.endpoints.get(self.partition.leader_id, [])
        return [(each.name, (each.host, each.port)) for each in listeners]

    def lag(self, replica: DescribeQuorumResponse.ReplicaState) -> int:
        """The number of records by which the replica is behind the leader."""
        return self.leader.log_end_offset - replica.log_end_offset


def _check(error_code: int, error_message: str | None) -> None:
    if error_code:
        info = describe(error_code)
        failure = QuorumUnavailable if error_code in _LEADER_IS_ELSEWHERE else click.ClickException
        raise failure(f"the quorum cannot be described: {info.name}: {error_message or info.message}")


class QuorumAccess:
    """Access to the quorum through the servers that the user named."""

    def __init__(
        self, servers: Sequence[Address], *, are_controllers: bool, retry_timeout_s: float | None = None
    ) -> None:
        """``retry_timeout_s`` is how long to retry if the leader changes; None for `RETRY_TIMEOUT_S`."""
        self._servers = list(servers)
        self._are_controllers = are_controllers
        self._retry_timeout_s = RETRY_TIMEOUT_S if retry_timeout_s is None else retry_timeout_s

    def describe(self) -> DescribedQuorum:
        """The quorum as its leader knows it. Raises ClickException, OSError, ProtocolError."""

        def attempt() -> DescribedQuorum:
            try:
                return self._ask(_describe_quorum, DescribedQuorum)
            except _LeaderLost as error:
                raise QuorumUnavailable(str(error)) from error

        return self._patiently(attempt)

    def add_voter(
        self, key: ReplicaKey, endpoints: Sequence[Endpoint], cluster_id: str | None = None
    ) -> ChangeResult:
        """Make a controller a voter. Raises as `describe` does, and ResponseLost."""
        request = AddRaftVoterRequest(
            cluster_id=cluster_id,
            timeout_ms=REQUEST_TIMEOUT_MS,
            voter_id=key.id,
            voter_directory_id=key.directory_id or ZERO_UUID,
            listeners=[
                AddRaftVoterRequest.Listener(name=each.name, host=each.host, port=each.port)
                for each in endpoints
            ],
        )
        return self._change(request)

    def remove_voter(self, key: ReplicaKey, cluster_id: str | None = None) -> ChangeResult:
        """Make a voter an observer. Raises as `add_voter` does."""
        return self._change(
            RemoveRaftVoterRequest(
                cluster_id=cluster_id, voter_id=key.id, voter_directory_id=key.directory_id or ZERO_UUID
            )
        )

    def unregister_broker(self, broker_id: int) -> ChangeResult:
        """Remove the registration of a broker. Raises as `add_voter` does."""
        return self._change(UnregisterBrokerRequest(broker_id=broker_id))

    def unregister_controller(self, controller_id: int) -> ChangeResult:
        """Remove the registration of a controller (KIP-1312). Raises as `add_voter` does."""
        return self._change(UnregisterControllerRequest(controller_id=controller_id))

    def describe_cluster(self, *, include_fenced: bool = False) -> DescribeClusterResponse:
        """What the first server that can be reached knows of its kind: brokers, with or without those that are fenced,
        or controllers. Raises as `describe` does."""

        def attempt() -> DescribeClusterResponse:
            with Client.bootstrap(self._servers, timeout_ms=REQUEST_TIMEOUT_MS) as client:
                return _describe_cluster(client, self._endpoint_type, include_fenced=include_fenced)

        return self._patiently(attempt)

    def controller_endpoints(self, quorum: DescribedQuorum) -> dict[int, list[Endpoint]]:
        """By node id, the endpoints of each registered controller for the listeners of the quorum's leader.

        Raises OSError if the leader cannot be reached from here, and ClickException if it does not return them.
        """
        found: dict[int, list[Endpoint]] = {}
        for name, (host, port) in quorum.leader_addresses:
            with Client.connect(host, port, timeout_ms=REQUEST_TIMEOUT_MS) as client:
                # A controller lists the others' endpoints for the listener on which it was asked.
                for node in _describe_cluster(client, _CONTROLLERS).brokers:
                    endpoint = Endpoint(name=name, host=node.host, port=node.port)
                    found.setdefault(node.broker_id, []).append(endpoint)
        return found

    # -- one request -------------------------------------------------------------------------------------------

    @property
    def _endpoint_type(self) -> int:
        return _CONTROLLERS if self._are_controllers else _BROKERS

    def _change(self, request: _Change) -> ChangeResult:
        def attempt() -> ChangeResult:
            try:
                outcome = self._ask(
                    lambda client: client.send(request), lambda _, response: _outcome(response)
                )
            except _LeaderLost as error:
                raise ResponseLost(str(error)) from error
            if outcome.error in _LEADER_IS_ELSEWHERE:
                raise QuorumUnavailable(f"{outcome.error.name}: {outcome.message}")
            return outcome

        return self._patiently(attempt)

    def _patiently(self, attempt: Callable[[], T]) -> T:
        """The result of an attempt, which is repeated while no leader responds, until the timeout."""
        deadline = time.monotonic() + self._retry_timeout_s
        while True:
            try:
                return attempt()
            except QuorumUnavailable:
                if time.monotonic() >= deadline:
                    raise
            # Another server may know more by now.
            self._servers.append(self._servers.pop(0))
            time.sleep(RETRY_INTERVAL_S)

    def _ask(self, ask: Callable[[Client], T], take: Callable[[str, T], U]) -> U:
        """Send a request to a broker, which forwards it, or to the leader itself. ``take`` gets the cluster id and the
        response.

        Raises _LeaderLost if the request was sent and no response came.
        """
        with Client.bootstrap(self._servers, timeout_ms=REQUEST_TIMEOUT_MS) as client:
            cluster = _describe_cluster(client, self._endpoint_type)
            if not self._are_controllers:
                return take(cluster.cluster_id, _sent(ask, client))
        leader = next((node for node in cluster.brokers if node.broker_id == cluster.controller_id), None)
        if leader is None:
            raise QuorumUnavailable("the quorum has no leader that is registered")
        try:
            client = Client.connect(leader.host, leader.port, timeout_ms=REQUEST_TIMEOUT_MS)
        except ConnectionError as error:
            raise QuorumUnavailable(str(error)) from error
        with client:
            return take(cluster.cluster_id, _sent(ask, client))


class _LeaderLost(Exception):
    """The connection broke, or the timeout expired, before the response came."""


def _sent(ask: Callable[[Client], T], client: Client) -> T:
    try:
        return ask(client)
    except (ConnectionError, TimeoutError) as error:
        raise _LeaderLost(str(error)) from error


def _describe_cluster(
    client: Client, endpoint_type: int, *, include_fenced: bool = False
) -> DescribeClusterResponse:
    cluster = client.send(
        DescribeClusterRequest(endpoint_type=endpoint_type, include_fenced_brokers=include_fenced)
    )
    assert isinstance(cluster, DescribeClusterResponse)
    if cluster.error_code:
        info = describe(cluster.error_code)
        # A controller that has just started does not know the metadata.version yet, and responds as with an early one.
        is_starting = cluster.error_code == ErrorCode.UNSUPPORTED_VERSION
        failure = QuorumUnavailable if is_starting else click.ClickException
        raise failure(f"{client.host}:{client.port}: {cluster.error_message or info.message}")
    return cluster


def _describe_quorum(client: Client) -> DescribeQuorumResponse:
    partition = DescribeQuorumRequest.PartitionData(partition_index=0)
    topic = DescribeQuorumRequest.TopicData(topic_name=METADATA_TOPIC, partitions=[partition])
    response = client.send(DescribeQuorumRequest(topics=[topic]))
    assert isinstance(response, DescribeQuorumResponse)
    return response


def _outcome(response: Message) -> ChangeResult:
    assert isinstance(response, _Changed)
    info = describe(response.error_code)
    return ChangeResult(error=info.code, message=response.error_message or info.message)


FAILURES = (OSError, ProtocolError)
"""The errors of reaching a server, beside ClickException."""
