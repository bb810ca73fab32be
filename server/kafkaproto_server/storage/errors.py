"""What storage refuses, files that do not say what they should, and how it tells that the disk failed.

A failure of the disk is an OSError, raised where it happened. Whoever changed a file then knows nothing of what the
disk holds: a change that failed is not tried again as if the first attempt had not been.
"""

from __future__ import annotations

import errno

SHORTAGES = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS})
"""Errors of a process or system that is short of file descriptors or memory. No disk has to do with them."""


class StorageError(Exception):
    """A file or directory is not as it must be. The message names it, the fault, and what to do where that
    helps."""


class CorruptFileError(StorageError):
    """A file's content is no valid file of its kind."""

    def __init__(self, path: str, reason: str, *, position: int | None = None) -> None:
        at = "" if position is None else f" at byte {position}"
        super().__init__(f"{path}{at}: {reason}")
        self.path = path
        self.reason = reason
        self.position = position
        """Byte offset in the file; None where no single place is at fault."""


class OffsetOutOfRangeError(Exception):
    """An offset was asked for that a log does not hold."""

    def __init__(self, directory: str, offset: int, start: int, end: int) -> None:
        super().__init__(
            f"{directory}: offset {offset} is outside of the log, which holds {start} to {end} (exclusive)"
        )
        self.offset = offset
        self.start = start
        self.end = end


class DiskError(OSError):
    """The disk could not do what was asked of it (EIO, ENOSPC, EROFS, ...); says what that was, and of which file."""

    def __init__(self, operation: str, path: str, error: OSError) -> None:
        super().__init__(error.errno, f"{operation} failed: {error.strerror}", path)
        self.operation = operation
        """"read", "write", "truncate", "sync", "sync_directory", "open", "create", "rename" or "remove"."""


def is_shortage(error: OSError) -> bool:
    """Whether an error says nothing of a disk, because the disk was not asked."""
    return error.errno in SHORTAGES


def named(operation: str, path: str, error: OSError) -> OSError:
    """An error of the operating system as a DiskError; one that has a class of its own (missing file, ...) as it is."""
    return DiskError(operation, path, error) if type(error) is OSError else error
