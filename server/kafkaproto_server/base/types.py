"""Small values that all packages of the server use: ids of replicas and nodes, endpoints, offsets.

Nothing here does I/O, reads a clock or knows the bytes of a message.
"""

from __future__ import annotations

import enum

import msgspec

MAX_PORT = 65_535
BATCH_HEADER_BYTES = 61
"""Size of a record batch's header."""
MAX_BATCH_BYTES = 8 * 1024 * 1024
"""The largest batch of the metadata log; Apache Kafka's nodes hold batches in buffers of this size."""
METADATA_TOPIC = "__cluster_metadata"
METADATA_TOPIC_ID = bytes(15) + b"\x01"
"""Topic id of the metadata log: most significant half 0, least significant half 1."""
METADATA_LOG_NAME = f"{METADATA_TOPIC}-0"
"""The directory of the metadata partition in its log directory."""

ZERO_UUID = bytes(16)
NO_NODE = -1
"""Node id that stands for "none" on the wire (no leader, no vote)."""


class ListenerKind(enum.Enum):
    """Whether a listener belongs to a node's broker or its controller. It decides which requests are served there."""

    BROKER = "broker"
    CONTROLLER = "controller"


class OffsetAndEpoch(msgspec.Struct, frozen=True, kw_only=True, order=True, gc=False):
    """A position in a log: an offset and the leader epoch it belongs to, compared epoch first."""

    epoch: int
    offset: int


class Endpoint(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One address under which a node serves one listener."""

    name: str
    """Listener name, for example ``CONTROLLER``."""
    host: str
    port: int
    security_protocol: int = 0
    """0 PLAINTEXT, 1 SSL, 2 SASL_PLAINTEXT, 3 SASL_SSL."""


class ReplicaKey(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Identity of a replica: a node id and, if known, the id of the directory that holds its log."""

    id: int
    directory_id: bytes | None = None
    """16 bytes; None if unknown (all zeros on the wire)."""


class Voter(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One member of the quorum as a KRAFT_VOTERS record describes it (KIP-853)."""

    key: ReplicaKey
    endpoints: tuple[Endpoint, ...]
    min_kraft_version: int = 0
    max_kraft_version: int = 1


class LeaderAndEpoch(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The quorum's leader and epoch as one node knows them; ``leader_id`` is -1 if it knows no leader."""

    leader_id: int
    epoch: int


def earliest(*times: int | None) -> int | None:
    """The earliest of the moments. None stands for a moment that never comes; the result is None if all are None."""
    first: int | None = None
    for each in times:
        if each is not None and (first is None or each < first):
            first = each
    return first
