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

_ENVELOPE_KEY: Final = 58

BOUNDS: Final[dict[int, Bounds]] = {
    1: _SMALL,
    3: _ITEMS,
    18: _SMALL,
    19: _KEYS,
    20: _ITEMS,
    29: _SMALL,
    30: _ITEMS,
    31: _ITEMS,
    32: _KEYS,
    33: _KEYS,
    35: _INDEXES,
    37: _KEYS,
    38: _SMALL,
    39: _SMALL,
    40: _SMALL,
    41: _SMALL,
    43: _INDEXES,
    44: _KEYS,
    45: _PARTITIONS,
    46: _KEYS,
    48: Bounds(max_elements=100, max_bytes=256 * _KIB),
    49: _ITEMS,
    50: _ITEMS,
    51: _ITEMS,
    52: _SMALL,
    53: _SMALL,
    54: _SMALL,
    55: _SMALL,
    56: _PARTITIONS,
    57: _SMALL,
    # The largest request that is passed on, its client's principal and address.
    _ENVELOPE_KEY: Bounds(max_elements=1_000, max_bytes=16 * _MIB + 128 * _KIB),
    59: _SMALL,
    60: _SMALL,
    62: _REGISTRATION,
    63: _REGISTRATION,
    64: _SMALL,
    67: _SMALL,
    70: _REGISTRATION,
    73: _INDEXES,
    74: _SMALL,
    75: _ITEMS,
    80: _SMALL,
    81: _SMALL,
    82: _SMALL,
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
    most = _MOST_ELEMENTS if api_key == _ENVELOPE_KEY else bounds_of(api_key).max_elements
    return min(body_bytes, most)


def frame_limit(api_key: int) -> int:
    """The largest frame, in bytes without its size, that is taken of an api on any listener."""
    return bounds_of(api_key).max_bytes
