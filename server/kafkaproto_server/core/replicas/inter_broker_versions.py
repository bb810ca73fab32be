"""The versions of requests between brokers. They follow metadata.version, not what the leader would take: during a
rolling upgrade all brokers speak alike. Apache Kafka has them in MetadataVersion."""

from __future__ import annotations

from bisect import bisect_right

_FETCH = ((0, 17), (27, 18))
"""From which level on followers use which version of Fetch: 18, whose followers tell their high watermark, from
4.1-IV1 on."""
_LIST_OFFSETS = ((0, 9), (25, 10), (29, 11))
"""The same of ListOffsets: from 4.0-IV3 and 4.2-IV1 on."""


def fetch_version(metadata_version: int) -> int:
    """The version of a follower's Fetch at a level of metadata.version."""
    return _at(_FETCH, metadata_version)


def list_offsets_version(metadata_version: int) -> int:
    """The version of a follower's ListOffsets at a level of metadata.version."""
    return _at(_LIST_OFFSETS, metadata_version)


def _at(versions: tuple[tuple[int, int], ...], metadata_version: int) -> int:
    # The last row whose level is reached; levels that a later release adds have the newest version that is known here.
    return versions[bisect_right(versions, metadata_version, key=lambda each: each[0]) - 1][1]
