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

from typing import Final

import msgspec

KIB: Final = 1024
MIB: Final = 1024 * 1024

BYTES_AN_ELEMENT: Final = 400
"""Memory of one decoded element, apart from the bytes of its strings."""


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """The largest request of an api."""

    max_elements: int
    max_bytes: int
    """Of the frame, header included."""


SMALL = Bounds(max_elements=1_000, max_bytes=256 * KIB)
"""Names hardly anything. The bytes are for the strings, of 32 KiB at most each."""
REGISTRATION = Bounds(max_elements=4_000, max_bytes=512 * KIB)
ITEMS = Bounds(max_elements=100_000, max_bytes=16 * MIB)
PARTITIONS = Bounds(max_elements=600_000, max_bytes=16 * MIB)
"""100,000 partitions, each with its replicas or its ISR."""
INDEXES = Bounds(max_elements=250_000, max_bytes=16 * MIB)
"""100,000 partitions by their indexes alone, if each is of another topic."""
KEYS = Bounds(max_elements=150_000, max_bytes=16 * MIB)
"""45,000 topics, each with two keys."""
