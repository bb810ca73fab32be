"""How large a request of each api may be: bytes of its frame, and elements of what it says.

Kafka bounds neither (``socket.request.max.bytes`` holds for all apis alike): there, a large request holds up one of
many threads. Here it would hold up the loop that the quorum shares, so each api has bounds that follow from what it
can mean:

- What replicas of the quorum ask each other names one topic, one partition and a few endpoints.
- A registration names listeners, features and some hundred directories.
- A request about topics, partitions, configs, ACLs or users has an element for each, and may be about all of a large
  cluster: 100,000 partitions with their replicas, 45,000 topics with their keys.

Elements are those of arrays at every depth, and unknown tagged fields. An element takes up to `BYTES_AN_ELEMENT` of
memory once it is decoded, and as much again in the response. A request beyond its bounds costs its sender the
connection.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kafkaproto.api import ApiKey

_KIB: Final = 1024
_MIB: Final = 1024 * 1024

BYTES_AN_ELEMENT: Final = 400
"""Memory of one decoded element, apart from the bytes of its strings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The largest request of an api."""

    max_elements: int
    max_bytes: int
    """Of the frame, header included."""


_SMALL = Bounds(max_elements=1_000, max_bytes=256 * _KIB)
"""Names hardly anything. The bytes are for the strings, of 32 KiB at most each."""
_REGISTRATION = Bounds(max_elements=4_000, max_bytes=512 * _KIB)
_ITEMS = Bounds(max_elements=100_000, max_bytes=16 * _MIB)
_PARTITIONS = Bounds(max_elements=600_000, max_bytes=16 * _MIB)
"""100,000 partitions, each with its replicas or its ISR."""
_INDEXES = Bounds(max_elements=250_000, max_bytes=16 * _MIB)
"""100,000 partitions by their indexes alone, if each is of another topic."""
_KEYS = Bounds(max_elements=150_000, max_bytes=16 * _MIB)
"""45,000 topics, each with two keys."""

BOUNDS: Final[dict[int, Bounds]] = {
    ApiKey.FETCH: _SMALL,
    ApiKey.METADATA: _ITEMS,
    ApiKey.API_VERSIONS: _SMALL,
    ApiKey.CREATE_TOPICS: _KEYS,
    ApiKey.DELETE_TOPICS: _ITEMS,
    ApiKey.DESCRIBE_ACLS: _SMALL,
    ApiKey.CREATE_ACLS: _ITEMS,
    ApiKey.DELETE_ACLS: _ITEMS,
    ApiKey.DESCRIBE_CONFIGS: _KEYS,
    ApiKey.ALTER_CONFIGS: _KEYS,
    ApiKey.DESCRIBE_LOG_DIRS: _INDEXES,
    ApiKey.CREATE_PARTITIONS: _KEYS,
    ApiKey.CREATE_DELEGATION_TOKEN: _SMALL,
    ApiKey.RENEW_DELEGATION_TOKEN: _SMALL,
    ApiKey.EXPIRE_DELEGATION_TOKEN: _SMALL,
    ApiKey.DESCRIBE_DELEGATION_TOKEN: _SMALL,
    ApiKey.ELECT_LEADERS: _INDEXES,
    ApiKey.INCREMENTAL_ALTER_CONFIGS: _KEYS,
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: _PARTITIONS,
    ApiKey.LIST_PARTITION_REASSIGNMENTS: _KEYS,
    ApiKey.DESCRIBE_CLIENT_QUOTAS: Bounds(max_elements=100, max_bytes=256 * _KIB),
    ApiKey.ALTER_CLIENT_QUOTAS: _ITEMS,
    ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS: _ITEMS,
    ApiKey.ALTER_USER_SCRAM_CREDENTIALS: _ITEMS,
    ApiKey.VOTE: _SMALL,
    ApiKey.BEGIN_QUORUM_EPOCH: _SMALL,
    ApiKey.END_QUORUM_EPOCH: _SMALL,
    ApiKey.DESCRIBE_QUORUM: _SMALL,
    ApiKey.ALTER_PARTITION: _PARTITIONS,
    ApiKey.UPDATE_FEATURES: _SMALL,
    # The largest request that is passed on, its client's principal and address.
    ApiKey.ENVELOPE: Bounds(max_elements=1_000, max_bytes=16 * _MIB + 128 * _KIB),
    ApiKey.FETCH_SNAPSHOT: _SMALL,
    ApiKey.DESCRIBE_CLUSTER: _SMALL,
    ApiKey.BROKER_REGISTRATION: _REGISTRATION,
    ApiKey.BROKER_HEARTBEAT: _REGISTRATION,
    ApiKey.UNREGISTER_BROKER: _SMALL,
    ApiKey.ALLOCATE_PRODUCER_IDS: _SMALL,
    ApiKey.CONTROLLER_REGISTRATION: _REGISTRATION,
    ApiKey.ASSIGN_REPLICAS_TO_DIRS: _INDEXES,
    ApiKey.LIST_CONFIG_RESOURCES: _SMALL,
    ApiKey.DESCRIBE_TOPIC_PARTITIONS: _ITEMS,
    ApiKey.ADD_RAFT_VOTER: _SMALL,
    ApiKey.REMOVE_RAFT_VOTER: _SMALL,
    ApiKey.UPDATE_RAFT_VOTER: _SMALL,
}
"""By api key."""

_MOST_ELEMENTS: Final = max(each.max_elements for each in BOUNDS.values())


def bounds_of(api_key: int) -> Bounds:
    """The bounds of an api; those of the smallest for one that is not served."""
    return BOUNDS.get(api_key, _SMALL)


def possible_elements(api_key: int, body_bytes: int) -> int:
    """The most elements that the body of a request can hold, in so many bytes and within its api's bounds; what is
    inside an envelope counts."""
    # Every element takes a byte at least.
    most = _MOST_ELEMENTS if api_key == ApiKey.ENVELOPE else bounds_of(api_key).max_elements
    return min(body_bytes, most)


def frame_limit(api_key: int) -> int:
    """The largest frame, in bytes without its size, that is taken of an api on any listener."""
    return bounds_of(api_key).max_bytes
