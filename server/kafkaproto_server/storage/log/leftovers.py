"""Finishes at the next start what a crash interrupted when segments were deleted."""

from __future__ import annotations

from kafkaproto.directory_files import DELETED_SUFFIX
from kafkaproto.log import (
    LOG_SUFFIX,
    OFFSET_INDEX_SUFFIX,
    TIME_INDEX_SUFFIX,
    parse_segment_file_name,
)
from kafkaproto.transaction_index import TRANSACTION_INDEX_SUFFIX
from kafkaproto_server.ports import Disk

_INDEX_SUFFIXES = (OFFSET_INDEX_SUFFIX, TIME_INDEX_SUFFIX, TRANSACTION_INDEX_SUFFIX)


def remove_leftovers(disk: Disk, directory: str, names: list[str]) -> None:
    """Remove the files in a log's directory that are marked as deleted, and indexes whose segment is gone. ``names``
    are those in the directory. Raises OSError."""
    segments = {base for name in names if (base := parse_segment_file_name(name, LOG_SUFFIX)) is not None}
    for name in names:
        bases = [parse_segment_file_name(name, suffix) for suffix in _INDEX_SUFFIXES]
        # A deletion renames the .log file first. A crash between may leave the indexes of a
        # segment that does not exist any more.
        is_orphan = any(base is not None and base not in segments for base in bases)
        if name.endswith(DELETED_SUFFIX) or is_orphan:
            disk.remove(f"{directory}/{name}")
