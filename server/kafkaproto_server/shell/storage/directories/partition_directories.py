"""The directories of partitions inside a log directory: ``<topic>-<partition>``, and what is set aside there.

A directory that does not belong to a replica in use has a unique part and a suffix at its end:

- ``<topic>-<partition>.<32 hex digits>-delete``: the replica was deleted, and the files are removed later.
- ``<topic>-<partition>.<32 hex digits>-future``: the replica is being moved to this log directory (KIP-113).
- ``<topic>-<partition>.<32 hex digits>-stray``: the metadata does not assign the replica to this broker. It is kept.

A name of a file has at most 255 characters, so the topic's name is cut in the first and third form if necessary. Apache
Kafka has this in LocalLog.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

DELETE_SUFFIX: Final = "-delete"
FUTURE_SUFFIX: Final = "-future"
STRAY_SUFFIX: Final = "-stray"
MAX_NAME_LENGTH: Final = 255

_IN_USE = re.compile(r"(.+)-(0|[1-9][0-9]{0,9})")
_SET_ASIDE = re.compile(r"(.+)-(0|[1-9][0-9]{0,9})\.[0-9a-f]{32}(-delete|-future|-stray)")


class PartitionDirectory(NamedTuple):
    """What the name of a directory says."""

    topic: str
    partition: int
    suffix: str
    """Empty for a replica in use."""


def directory_name(topic: str, index: int) -> str:
    """The directory of a replica in use."""
    return f"{topic}-{index}"


def set_aside_name(topic: str, index: int, unique: bytes, suffix: str) -> str:
    """The directory of a replica that is moved, deleted or a stray. ``unique`` are 16 bytes."""
    end = f"-{index}.{unique.hex()}{suffix}"
    return topic[: MAX_NAME_LENGTH - len(end)] + end


def parse_directory_name(name: str) -> PartitionDirectory | None:
    """What a name says; None if it is not that of a partition's directory."""
    if (found := _SET_ASIDE.fullmatch(name)) is not None:
        return PartitionDirectory(found[1], int(found[2]), found[3])
    if (found := _IN_USE.fullmatch(name)) is not None and not name.endswith((DELETE_SUFFIX, STRAY_SUFFIX)):
        return PartitionDirectory(found[1], int(found[2]), "")
    return None
