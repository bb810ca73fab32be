"""Makes a part of a log durable, beside its appends.

A sync of a whole segment may take seconds. So it is done by another thread than the one that changes the log, with file
descriptors of its own: `Log.unsynced` says what to sync, `make_durable` does it, and `Log.was_synced` takes note of it.
Apache Kafka flushes a segment in the background that was rolled (UnifiedLog.roll).

After a sync that failed, Linux takes the pages for clean: no later sync would write them, neither of this process nor
of the next one, which finds the records in the page cache and takes them for durable once it has synced them. So they
are written to the file again at once, as they are. Then they count as unwritten once more.
"""

from __future__ import annotations

import contextlib
from typing import NamedTuple

from kafkaproto.directory_files import PARTITION_METADATA_NAME
from kafkaproto_server.base.ports import Clock, Disk, File
from kafkaproto_server.shell.storage.errors import of_log_in_use
from kafkaproto_server.shell.storage.log.scan import WINDOW_BYTES


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


def sync(file: File) -> None:
    """Make a file of a log of topics durable. Raises OSError, after which a later sync tries to write all of it."""
    try:
        file.sync()
    except OSError:
        # This disk may fail at that as well.
        with contextlib.suppress(OSError):
            write_again(file, 0, file.size())
        raise


def write_again(file: File, begin: int, end: int) -> None:
    """Write bytes of a file as they are, so that the next sync writes them to the disk. Raises OSError."""
    for position in range(begin, end, WINDOW_BYTES):
        file.write_at(position, file.read_at(position, min(WINDOW_BYTES, end - position)))


def cut_again(file: File, end: int) -> None:
    """Set a file's length to what it is: a cut whose sync failed becomes durable with the next sync. Raises OSError.

    Nobody else may append to the file meanwhile.
    """
    file.truncate(end)


def time_to_make_durable(disk: Disk, unsynced: Unsynced, clock: Clock) -> int:
    """As `make_durable`, of a log in use. Returns how many milliseconds that took. Raises UnusableFileError,
    OSError."""
    begin_ms = clock.now_ms()
    with of_log_in_use(disk, unsynced.directory):
        make_durable(disk, unsynced)
    return clock.now_ms() - begin_ms


def make_durable(disk: Disk, unsynced: Unsynced) -> None:
    """Sync the files; those that were deleted meanwhile need not be. Raises OSError."""
    directory = unsynced.directory
    paths = unsynced.paths
    if not unsynced.has_durable_names:
        # Once for each log: without it, nothing would say after a crash whose records these are.
        paths = (*paths, f"{directory}/{PARTITION_METADATA_NAME}")
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            # A descriptor of its own: the thread of the log may close its own meanwhile.
            file = disk.open(path)
            try:
                sync(file)
            finally:
                file.close()
    # All of the log may have been deleted.
    with contextlib.suppress(FileNotFoundError):
        if not unsynced.has_durable_names:
            disk.sync_directory(directory.rpartition("/")[0] or "/")
        disk.sync_directory(directory)
