"""Deletes files in two stages: a rename at once, the removal later.

A file system may take long to free a gigabyte, and the thread that changes the log must not wait for that. So a
deletion is a rename to ``<name>.deleted``. A file with that ending counts as gone. Another thread removes it later, or
the next start does.
"""

from __future__ import annotations

from collections.abc import Iterable

from kafkaproto.directory_files import DELETED_SUFFIX
from kafkaproto_server.base.ports import Disk


def mark_deleted(disk: Disk, paths: Iterable[str]) -> list[str]:
    """Rename files so that they count as deleted, in this order. It is durable once their directory is synced. Returns
    the new paths. Raises OSError."""
    # The order matters to the log: it renames from one end, so that a crash half way leaves no gap.
    renamed = []
    for path in paths:
        disk.rename(path, path + DELETED_SUFFIX)
        renamed.append(path + DELETED_SUFFIX)
    return renamed


def remove_deleted(disk: Disk, directory: str) -> int:
    """Remove the files that are marked as deleted, and return their number. Any thread may call this. Raises OSError.

    If a crash undoes a removal, the next call repeats it.
    """
    names = [name for name in disk.list_directory(directory) if name.endswith(DELETED_SUFFIX)]
    for name in names:
        disk.remove(f"{directory}/{name}")
    return len(names)
