"""How large a request of each API may be: the bytes of its frame and the number of its elements.

Apache Kafka limits neither for each API; ``socket.request.max.bytes`` is one limit for all. A large request there
occupies one of many threads. Here it would occupy the event loop, which the quorum shares. So each API has limits,
which follow from the largest useful request:

- A request between replicas of the quorum names one topic, one partition and a few endpoints.
- A registration names listeners, features and some hundred directories.
- A request about topics, partitions, configs, ACLs or users has one element for each, and may cover all of a large
  cluster: 100,000 partitions with their replicas, 45,000 topics with their keys.

Elements of arrays count at every depth, and so do unknown tagged fields. A decoded element takes up to
`BYTES_AN_ELEMENT` of memory, and as much again in the response. The server closes the connection of a sender whose
request exceeds the limits.
"""

from __future__ import annotations

from typing import Final

import msgspec

KIB: Final = 1024
MIB: Final = 1024 * 1024

BYTES_AN_ELEMENT: Final = 400
"""Memory of one decoded element, without the bytes of its strings."""


BYTES_A_VALUE: Final = 64
"""Memory of one value in a list of a response that is made in one step."""


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """The largest request of an API."""

    max_elements: int
    max_bytes: int
    """Bytes of the frame, header included."""


SMALL = Bounds(max_elements=1_000, max_bytes=256 * KIB)
"""For requests that name few things. The bytes are for the strings, of at most 32 KiB each."""
REGISTRATION = Bounds(max_elements=4_000, max_bytes=512 * KIB)
ITEMS = Bounds(max_elements=100_000, max_bytes=16 * MIB)
MARKERS = Bounds(max_elements=40_000, max_bytes=16 * MIB)
"""What 10,000 transactions that end together send to one leader. Their markers are decoded and answered as a whole."""
JOINS = Bounds(max_elements=1_000, max_bytes=1 * MIB)
"""What a member says with each protocol may name thousands of topics. A record with the group has to hold it."""
HEARTBEATS = Bounds(max_elements=5_000, max_bytes=1 * MIB)
"""A member may name thousands of topics, or have thousands of partitions."""
SHARE_FETCHES = Bounds(max_elements=20_000, max_bytes=1 * MIB)
"""What a member acknowledges at once, perhaps with a type for each record of a large batch."""
DELETED_OFFSETS = Bounds(max_elements=5_000, max_bytes=1 * MIB)
"""What an administrator deletes at once. It is one batch of records."""
PARTICIPANTS = Bounds(max_elements=20_000, max_bytes=4 * MIB)
"""10,000 partitions that take part in a transaction, which is written as a whole with each change."""
PARTITIONS = Bounds(max_elements=600_000, max_bytes=16 * MIB)
"""100,000 partitions, each with its replicas or its ISR."""
INDEXES = Bounds(max_elements=250_000, max_bytes=16 * MIB)
"""100,000 partitions by index only, each of another topic."""
RECORDS = Bounds(max_elements=100_000, max_bytes=100 * MIB)
"""Records of up to 50,000 partitions. The bytes are Kafka's default of ``socket.request.max.bytes``."""
KEYS = Bounds(max_elements=150_000, max_bytes=16 * MIB)
"""45,000 topics, each with two keys."""
