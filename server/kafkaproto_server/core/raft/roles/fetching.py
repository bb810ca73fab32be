"""The Fetch that a node sends: to its leader to follow it, or to another node to find the leader.

Apache Kafka: ``KafkaRaftClient.buildFetchRequest``.
"""

from __future__ import annotations

from kafkaproto_server.core.raft.model.core import Core, destination_of
from kafkaproto_server.core.raft.model.states import Follower
from kafkaproto_server.core.raft.values.messages import NO_HIGH_WATERMARK, Destination, FetchRequest
from kafkaproto_server.core.raft.values.voters import endpoint_named


def fetch_request(core: Core, max_wait_ms: int | None = None) -> FetchRequest:
    """A Fetch from the end of this node's log, which the leader may hold for so long; by default as long as it may."""
    return FetchRequest(
        # With the directory id even at kraft.version 0, as in Kafka: the leader can tell two
        # replicas with one id apart (`Progress`).
        replica=core.config.key,
        epoch=core.state.epoch,
        # For a node that can be a voter this is a promise, and so the Fetch waits for the disk
        # (`Core.ask`).
        fetch_offset=core.log.end_offset,
        last_fetched_epoch=core.log.last_epoch,
        max_wait_ms=core.config.fetch_max_wait_ms if max_wait_ms is None else max_wait_ms,
        max_bytes=core.config.fetch_max_bytes,
        # KIP-1166: the leader answers at once if it knows a higher one.
        high_watermark=NO_HIGH_WATERMARK if core.high_watermark is None else core.high_watermark,
    )


def leader_destination(core: Core, follower: Follower) -> Destination:
    """The address at which this node reaches its leader."""
    endpoint = endpoint_named(follower.leader_endpoints, core.config.listener_name)
    assert endpoint is not None, f"leader {follower.leader_id} is followed at no address"
    return destination_of(follower.leader_id, endpoint)
