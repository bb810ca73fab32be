"""The errors of storage: refused requests, files with wrong content, failures of the disk.

A failure of the disk is an OSError, raised where it happened. After it, the caller does not know what the disk holds.
So a change that failed is never repeated as if the first attempt had not happened.
"""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator

from kafkaproto.directory_files import META_PROPERTIES_NAME
from kafkaproto_server.base.ports import Disk

SHORTAGES = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS})
"""Errors of a process or system that is short of file descriptors or memory. They do not come from a disk."""


class StorageError(Exception):
    """A file or directory is not as it must be. The message names it, the fault, and what to do if that helps."""


class CorruptFileError(StorageError):
    """The content of a file is not valid for its kind."""

    def __init__(self, path: str, reason: str, *, position: int | None = None) -> None:
        at = "" if position is None else f" at byte {position}"
        super().__init__(f"{path}{at}: {reason}")
        self.path = path
        self.reason = reason
        self.position = position
        """Byte offset in the file; None if no single place is wrong."""


class LogFailedError(StorageError):
    """A log is to be changed after a change of it failed. Whoever asked for that change was told why."""

    def __init__(self, directory: str, failure: OSError) -> None:
        super().__init__(f"{directory}: the log has failed before: {failure}")


class LogClosedError(StorageError):
    """A log was closed, since its replica is not here any more, before somebody had read it."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} was closed")


class OffsetOutOfRangeError(Exception):
    """A log does not hold the requested offset."""

    def __init__(self, directory: str, offset: int, start: int, end: int) -> None:
        super().__init__(
            f"{directory}: offset {offset} is outside of the log, which holds {start} to {end} (exclusive)"
        )
        self.offset = offset
        self.start = start
        self.end = end


class DiskError(OSError):
    """The disk could not perform an operation (EIO, ENOSPC, EROFS, ...). The error names the operation and the file."""

    def __init__(self, operation: str, path: str, error: OSError) -> None:
        super().__init__(error.errno, f"{operation} failed: {error.strerror}", path)
        self.operation = operation
        """"read", "write", "truncate", "sync", "sync_directory", "open", "create", "rename" or "remove"."""


OF_FILES = frozenset(
    {errno.EISDIR, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.EEXIST, errno.ELOOP, errno.ENAMETOOLONG}
    | {errno.ENXIO}
)
"""Errors that a disk gives which works: something else is in the place of a file, or the process may not use it."""


class UnusableFileError(CorruptFileError):
    """A file of a log is not there, is something else or may not be used, and the disk works."""

    def __init__(self, directory: str, error: OSError) -> None:
        super().__init__(str(error.filename or directory), f"cannot be used: {error.strerror}")


@contextlib.contextmanager
def of_log(directory: str) -> Iterator[None]:
    """While the files of one log are opened: an error that says nothing about the disk becomes an
    UnusableFileError."""
    try:
        yield
    except OSError as error:
        if error.errno not in OF_FILES:
            raise
        raise UnusableFileError(directory, error) from error


@contextlib.contextmanager
def of_log_in_use(disk: Disk, directory: str) -> Iterator[None]:
    """While the log in a directory is used: an error that speaks of one of its files becomes an UnusableFileError."""
    try:
        yield
    except OSError as error:
        if not is_of_file(disk, directory, error):
            raise
        raise UnusableFileError(directory, error) from error


def is_of_file(disk: Disk, directory: str, error: OSError) -> bool:
    """Whether an error of the log in a directory speaks of one of its files, and not of the log directory. A log
    directory that was taken away, or was replaced by something else, gives the same errors."""
    if error.errno not in OF_FILES and error.errno != errno.ENOENT:
        return False
    try:
        return disk.exists(f"{directory.rpartition('/')[0]}/{META_PROPERTIES_NAME}")
    except OSError:
        return False


def is_shortage(error: OSError) -> bool:
    """Whether an error is a shortage, which says nothing about the disk because the disk was not reached."""
    return error.errno in SHORTAGES


def named(operation: str, path: str, error: OSError) -> OSError:
    """The DiskError for an error of the operating system. An error with a class of its own (missing file, ...) is
    returned as it is."""
    # A subclass (FileNotFoundError, ...) has a meaning of its own to callers, which a DiskError
    # would hide. The exact type is compared for this reason.
    return DiskError(operation, path, error) if type(error) is OSError else error
