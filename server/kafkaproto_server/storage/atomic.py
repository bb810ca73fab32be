"""Changes that a crash cannot leave half done: a file replaced as a whole, a directory made for good."""

from __future__ import annotations

import errno

from kafkaproto_server.ports import Disk

TEMPORARY_SUFFIX = ".tmp"


def replace_file(disk: Disk, directory: str, name: str, content: bytes) -> None:
    """Give ``directory/name`` new content, durable on return; at every moment it has the old or the new one.

    Writes ``name.tmp``, syncs it, renames it over the name, syncs the directory. Raises OSError; the old
    content is in place then, or the new one where only the last sync failed.
    """
    path = f"{directory}/{name}"
    temporary = path + TEMPORARY_SUFFIX
    file = disk.open(temporary, create=True)
    try:
        # A crash may have left an older one behind.
        file.truncate(0)
        file.append([content])
        file.sync()
    finally:
        file.close()
    disk.rename(temporary, path)
    disk.sync_directory(directory)


def make_directory_durably(disk: Disk, path: str) -> None:
    """Make a directory with its parents, so that a crash does not take any of them away again.

    Raises NotADirectoryError with the file that stands in the place of one of them; OSError of the disk.
    """
    missing: list[str] = []
    ancestor = path.rstrip("/")
    while ancestor and not disk.exists(ancestor):
        missing.append(ancestor)
        ancestor = ancestor.rpartition("/")[0]
    if ancestor and not disk.is_directory(ancestor):
        raise NotADirectoryError(errno.ENOTDIR, "a file stands in the place of a directory", ancestor)
    disk.make_directory(path)
    for made in reversed(missing):
        disk.sync_directory(made.rpartition("/")[0] or ("/" if made.startswith("/") else "."))
