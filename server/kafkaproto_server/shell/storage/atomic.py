"""Changes that a crash cannot leave half done: a file replaced as a whole, a directory created durably."""

from __future__ import annotations

import errno

from kafkaproto_server.base.ports import Disk

TEMPORARY_SUFFIX = ".tmp"


def replace_file(disk: Disk, directory: str, name: str, content: bytes, *, is_durable: bool = True) -> None:
    """Replace the content of ``directory/name``, durably on return. At every moment the file has the old or the new
    content.

    If it need not be durable, a crash of the machine may leave it empty, or with a part of both: then whoever reads it
    has to notice, and to do without.

    Writes ``name.tmp``, syncs it, renames it to ``name`` and syncs the directory. Raises OSError. Then the old content
    is in place, or the new one if only the last sync failed.
    """
    path = f"{directory}/{name}"
    if not is_durable and _overwrite(disk, path, content):
        return
    temporary = path + TEMPORARY_SUFFIX
    file = disk.open(temporary, create=True)
    try:
        file.write_at(0, content)
        if file.size() > len(content):
            # A crash may have left an older temporary file behind.
            file.truncate(len(content))
        if is_durable:
            file.sync()
    finally:
        file.close()
    # Without the sync before it, a file system may write the new name before the bytes. After a
    # crash the file would then be empty or hold zeros.
    disk.rename(temporary, path)
    if is_durable:
        disk.sync_directory(directory)


def _overwrite(disk: Disk, path: str, content: bytes) -> bool:
    """Write over a file that is not longer than its new content, with one write: whoever ends this process leaves the
    old content or the new one. Returns whether it was done. A new file in its place takes ten times as long."""
    try:
        file = disk.open(path)
    except FileNotFoundError:
        return False
    try:
        if file.size() > len(content):
            return False
        file.write_at(0, content)
    finally:
        file.close()
    return True


def make_directory_durably(disk: Disk, path: str) -> None:
    """Create a directory with its parents, so that a crash cannot remove any of them again.

    Raises NotADirectoryError if a file is in the place of one of them, naming that file, and OSError of the disk.
    """
    missing: list[str] = []
    ancestor = path.rstrip("/")
    while ancestor and not disk.exists(ancestor):
        missing.append(ancestor)
        ancestor = ancestor.rpartition("/")[0]
    if ancestor and not disk.is_directory(ancestor):
        raise NotADirectoryError(errno.ENOTDIR, "a file stands in the place of a directory", ancestor)
    disk.make_directory(path)
    # Each new name is an entry of its parent, so the parent is synced, the outermost one first.
    for made in reversed(missing):
        disk.sync_directory(made.rpartition("/")[0] or ("/" if made.startswith("/") else "."))
