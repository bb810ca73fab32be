"""What nodes of each release of Apache Kafka serve, support and read: `golden/served_versions.txt`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

GOLDEN = Path(__file__).parents[1] / "golden" / "served_versions.txt"
BROKER, CONTROLLER = "broker", "controller"
"""Kinds of listeners."""
_SUPPORTS, _READS = "supports", "reads"

Served = Mapping[int, tuple[int, int]]
"""Lowest and highest version by API key."""


@cache
def _rows() -> Mapping[tuple[str, str], Mapping[str, tuple[int, int]]]:
    found: dict[tuple[str, str], dict[str, tuple[int, int]]] = defaultdict(dict)
    for line in GOLDEN.read_text().splitlines():
        if line.startswith("#"):
            continue
        release, kind, name, lowest, highest = line.split()
        found[release, kind][name] = (int(lowest), int(highest))
    return found


def releases() -> list[str]:
    """All releases, oldest first."""
    return list(dict.fromkeys(release for release, _ in _rows()))


def served(release: str, listener: str) -> Served:
    """What a listener of a release serves."""
    return {int(key): versions for key, versions in _rows()[release, listener].items()}


def supported(release: str) -> Mapping[str, tuple[int, int]]:
    """Lowest and highest level of each feature that a release supports."""
    return _rows()[release, _SUPPORTS]


def readable(release: str) -> Mapping[str, tuple[int, int]]:
    """Lowest and highest version of each metadata record that a release reads, by its name."""
    return _rows()[release, _READS]
