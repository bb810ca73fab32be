"""Makes a part of a log durable, beside its appends.

A sync of a whole segment may take seconds. So it is done by another thread than the one that changes the log, with file
descriptors of its own: `Log.unsynced` says what to sync, `make_durable` does it, and `Log.was_synced` takes note of it.
Apache Kafka flushes a segment in the background that was rolled (UnifiedLog.roll).
"""

from __future__ import annotations

import contextlib
from typing import NamedTuple

from kafkaproto.directory_files import PARTITION_METADATA_NAME
from kafkaproto_server.ports import Disk


class Unsynced(NamedTuple):
    """What is to be made durable."""

    directory: str
    paths: tuple[str, ...]
    end_offset: int
    """All records before are durable then."""
    cuts: int
    """How often the log had been cut at its end."""
    has_durable_names: bool
    """Whether the name of the directory is durable, and what says whose log it is."""


def make_durable(disk: Disk, unsynced: Unsynced) -> None:
    """Sync the files; those that were deleted meanwhile need not be. Raises OSError."""
    directory = unsynced.directory
    paths = unsynced.paths
    if not unsynced.has_durable_names:
        paths = (*paths, f"{directory}/{PARTITION_METADATA_NAME}")
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            file = disk.open(path)
            try:
                file.sync()
            finally:
                file.close()
    # All of the log may have been deleted.
    with contextlib.suppress(FileNotFoundError):
        if not unsynced.has_durable_names:
            disk.sync_directory(directory.rpartition("/")[0] or "/")
        disk.sync_directory(directory)
