"""The way of a fetcher to its leader: one connection, which follows the leader to wherever its broker listens.

Apache Kafka: ``LeaderEndPoint``, ``RemoteLeaderEndPoint``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import LocalProtocolError
from kafkaproto.messages import ListOffsetsRequest, ListOffsetsResponse
from kafkaproto_server.base.ports import Rng
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.core.replicas.inter_broker_versions import list_offsets_version
from kafkaproto_server.shell.net.peers import PeerChannel, PeerError
from kafkaproto_server.shell.net.streams import Connect
from kafkaproto_server.shell.replicas.followers.fetcher_values import FetcherConfig
from kafkaproto_server.shell.replicas.followers.followed import Followed


class ToLeaders(NamedTuple):
    """Who this broker is to others as their follower, and how it reaches them."""

    broker_id: int
    rng: Rng
    connect: Connect
    endpoint: Callable[[int], Endpoint | None]
    """Where a broker listens for other brokers; None while it is fenced."""
    broker_epoch: Callable[[], int | None]
    """Of this broker; None before it is registered. The leader refuses followers of an earlier run (KIP-903)."""
    metadata_version: Callable[[], int]


class LeaderEndPoint:
    """One leader as its fetcher reaches it."""

    def __init__(self, leaders: ToLeaders, config: FetcherConfig, leader_id: int) -> None:
        self._leaders = leaders
        self._config = config
        self._leader_id = leader_id
        self._peer: PeerChannel | None = None

    def close(self) -> None:
        if self._peer is not None:
            self._peer.close()

    def connected(self) -> PeerChannel | None:
        """The connection to where the leader is now; None while that is not known."""
        endpoint = self._leaders.endpoint(self._leader_id)
        if endpoint is None:
            return None
        # A broker may listen elsewhere after a restart. The old connection would lead to whoever has its port now.
        if self._peer is None or (self._peer.host, self._peer.port) != (endpoint.host, endpoint.port):
            if self._peer is not None:
                self._peer.close()
            self._peer = PeerChannel(
                endpoint.host,
                endpoint.port,
                client_id=f"broker-{self._leaders.broker_id}-fetcher",
                # The fetcher itself pauses after a failure. Two pauses would add up.
                backoff=None,
                rng=self._leaders.rng,
                connect=self._leaders.connect,
            )
        return self._peer

    async def offset(self, followed: Followed, timestamp: int) -> int | None:
        """The leader's answer to ListOffsets; None if there is none."""
        partition = followed.hosted.partition
        if self._peer is None:
            return None
        request = ListOffsetsRequest(
            replica_id=self._leaders.broker_id,
            topics=[
                ListOffsetsRequest.ListOffsetsTopic(
                    name=partition.topic,
                    partitions=[
                        ListOffsetsRequest.ListOffsetsPartition(
                            partition_index=partition.index,
                            current_leader_epoch=followed.leader_epoch,
                            timestamp=timestamp,
                        )
                    ],
                )
            ],
        )
        # By metadata.version, as Kafka's brokers among each other: the version says what all of them can read.
        version = list_offsets_version(self._leaders.metadata_version())
        try:
            response = await self._peer.send(request, version, timeout_ms=self._config.timeout_ms)
        except (PeerError, LocalProtocolError):
            return None
        assert isinstance(response, ListOffsetsResponse)
        for each in _all_partitions(response):
            # One partition was asked for.
            return each.offset if each.error_code == ErrorCode.NONE else None
        return None


def _all_partitions(
    response: ListOffsetsResponse,
) -> Iterable[ListOffsetsResponse.ListOffsetsPartitionResponse]:
    return (each for topic in response.topics for each in topic.partitions)
