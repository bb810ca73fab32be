"""Files that are about to go: renamed at once, removed later.

Whoever changes the log must not wait for a file system that frees a gigabyte, so deleting is a rename to
``<name>.deleted``. What has that ending counts as gone; it is removed by whoever has the time, and at start.
"""

from __future__ import annotations

from collections.abc import Iterable

from kafkaproto_server.ports import Disk

DELETED_SUFFIX = ".deleted"


def mark_deleted(disk: Disk, paths: Iterable[str]) -> None:
    """Take files out of use, in this order; durable once their directory is synced. Raises OSError."""
    for path in paths:
        disk.rename(path, path + DELETED_SUFFIX)


def remove_deleted(disk: Disk, directory: str) -> int:
    """Remove what was marked, in any thread; returns how many files that were. Raises OSError.

    A removal that a crash undoes is done again next time.
    """
    names = [name for name in disk.list_directory(directory) if name.endswith(DELETED_SUFFIX)]
    for name in names:
        disk.remove(f"{directory}/{name}")
    return len(names)
