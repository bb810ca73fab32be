"""Conversions that the wire files share: small values of the core from and to the fields of Kafka's messages.

Ours alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from kafkaproto.errors import RemoteProtocolError
from kafkaproto_server.base.types import (
    MAX_PORT,
    METADATA_TOPIC,
    NO_NODE,
    ZERO_UUID,
    Endpoint,
    LeaderAndEpoch,
    ReplicaKey,
)
from kafkaproto_server.core.raft.values.errors import RaftError

METADATA_PARTITION = 0
"""The metadata log's only partition."""


PartitionT = TypeVar("PartitionT", bound="PartitionFields")


class PartitionFields(Protocol):
    """The common field of all structs that are about a partition."""

    partition_index: int


class TopicFields(Protocol[PartitionT]):
    """The common fields of all structs that are about partitions of a topic."""

    topic_name: str
    partitions: list[PartitionT]


def only_partition(topics: Sequence[TopicFields[PartitionT]]) -> PartitionT | None:
    """The metadata log's partition if ``topics`` names exactly that one; else None."""
    if len(topics) == 1 and topics[0].topic_name == METADATA_TOPIC and len(topics[0].partitions) == 1:
        partition = topics[0].partitions[0]
        if partition.partition_index == METADATA_PARTITION:
            return partition
    return None


class ListenerFields(Protocol):
    """The common fields of all structs that name a listener's address."""

    name: str
    host: str
    port: int


ListenerT = TypeVar("ListenerT", covariant=True)


class _ListenerClass(Protocol[ListenerT]):
    def __call__(self, *, name: str, host: str, port: int) -> ListenerT: ...


class NodeEndpoint(Protocol):
    """The common fields of all structs that name a node's address."""

    node_id: int
    host: str
    port: int


def directory_id(on_wire: bytes) -> bytes | None:
    """A directory id as the core has it: all zeros stand for none."""
    # The messages have no null for a UUID.
    return None if on_wire == ZERO_UUID else on_wire


def directory_on_wire(directory: bytes | None) -> bytes:
    """A directory id as messages have it."""
    return ZERO_UUID if directory is None else directory


def replica_key(node_id: int, directory_on_the_wire: bytes) -> ReplicaKey:
    """A replica as the core has it."""
    return ReplicaKey(id=node_id, directory_id=directory_id(directory_on_the_wire))


def endpoints(listeners: Iterable[ListenerFields]) -> tuple[Endpoint, ...]:
    """The listeners of a request, in its order; the messages have no security protocol for them."""
    return tuple(
        Endpoint(name=listener.name, host=listener.host, port=listener.port) for listener in listeners
    )


def listeners(own: Iterable[Endpoint], make: _ListenerClass[ListenerT]) -> list[ListenerT]:
    """Endpoints as a message has them; each message has a struct of its own for them, which ``make`` is."""
    return [make(name=endpoint.name, host=endpoint.host, port=endpoint.port) for endpoint in own]


def raft_error(code: int) -> RaftError:
    """The error with this number; UNKNOWN_SERVER_ERROR if the core does not know the number."""
    try:
        return RaftError(code)
    # A newer peer may know other codes. To the core all that it does not know is the same:
    # something went wrong over there.
    except ValueError:
        return RaftError.UNKNOWN_SERVER_ERROR


def leader_and_epoch(leader_id: int, epoch: int, where: str) -> LeaderAndEpoch:
    """The leader and epoch of a response. Raises RemoteProtocolError for impossible ids and epochs."""
    # Epoch -1 is what an error leaves there; with a leader, it contradicts itself.
    if leader_id < NO_NODE or epoch < -1 or (leader_id != NO_NODE and epoch < 0):
        raise RemoteProtocolError(f"leader {leader_id} of epoch {epoch} cannot be", where=where)
    return LeaderAndEpoch(leader_id=leader_id, epoch=epoch)


def endpoint_of(
    leader_id: int, nodes: Sequence[NodeEndpoint], listener_name: str, where: str
) -> Endpoint | None:
    """The leader's endpoint for ``listener_name`` by the response; None if the response does not have it."""
    for node in nodes:
        # By id: the list may hold other nodes in a Fetch, whose response is shared with the data of
        # topics.
        if node.node_id == leader_id != NO_NODE:
            return endpoint(listener_name, node.host, node.port, where)
    return None


def endpoint(listener_name: str, host: str, port: int, where: str) -> Endpoint:
    """An address that a response names. Raises RemoteProtocolError if the port is impossible."""
    if not 0 <= port <= MAX_PORT:
        raise RemoteProtocolError(f"port {port} is not within 0 to {MAX_PORT}", where=where)
    return Endpoint(name=listener_name, host=host, port=port)
