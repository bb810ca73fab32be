"""The real disk: implements ``ports.Disk`` with the operating system's calls. No other module of storage uses them.

Durability follows POSIX: ``File.sync`` covers a file's bytes and length, ``sync_directory`` covers names, and neither
replaces the other. A failed write may have left a part of its bytes behind. After a failed sync nobody knows what the
disk holds: the caller gives up the file, and recovers by opening it again.

A shortage of file descriptors or memory is no failure of a disk. The operation did not happen, so it is repeated after
a pause until it succeeds. A sync is never repeated, whatever its error: the system may by then count as written what
the first attempt could not write.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import logging
import os
import stat
import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from kafkaproto_server.base.file_part import Descriptor, FilePart, Sendable
from kafkaproto_server.base.ports import Buffer, File, Lock
from kafkaproto_server.shell.storage.errors import is_shortage, named

_log = logging.getLogger("kafkaproto.server.disk")

T = TypeVar("T")

_libc = ctypes.CDLL(None, use_errno=True)
_libc_with_gil = ctypes.PyDLL(None)
"""For calls that take about a microsecond: to let other threads run meanwhile would cost more."""

MAX_BUFFERS_PER_WRITE = 1024
"""The number of buffers for one gathered write; IOV_MAX of Linux and of the BSDs."""

FILE_MODE = 0o600
"""The metadata contains passwords and SCRAM credentials. No other user may read it."""
DIRECTORY_MODE = 0o700
READ_ONLY_MODE = 0o400

SMALLEST_PART_BYTES = 128 * 1024
"""Shorter records are copied. So there are not many parts in the responses that wait for their readers: each may hold
the descriptor of a file that is removed meanwhile."""

CACHESTAT = 451
"""Number of the system call, on all processors (Linux 6.5)."""
BOOT_ID_PATH = "/proc/sys/kernel/random/boot_id"
PAGE_BYTES = os.sysconf("SC_PAGESIZE")

SHORTAGE_PAUSE_S = 0.05
"""The pause between two attempts during a shortage of file descriptors or memory."""


class _Thread(threading.local):
    has_time = True


_thread = _Thread()


class _WithoutPauses:
    def __enter__(self) -> None:
        _thread.has_time = False

    def __exit__(self, *reason: object) -> None:
        _thread.has_time = True


without_pauses = _WithoutPauses()
"""For a thread that must not wait until descriptors or memory are free, since it is the one to free some: in a block
with this, a shortage is raised at once."""


def _despite_shortages(operation: str, path: str, attempt: Callable[[], T]) -> T:
    """The result of ``attempt``, which is repeated while the process or the system is short of descriptors or memory.

    Use it only for operations that change nothing if they fail, and that can be repeated. Raises any other OSError.
    """
    has_waited = False
    while True:
        try:
            result = attempt()
        except OSError as error:
            if not is_shortage(error) or not _thread.has_time:
                raise
            if not has_waited:
                _log.warning(
                    "%s of %s failed for lack of resources and is retried: %s",
                    operation,
                    path,
                    os.strerror(error.errno or 0),
                )
            has_waited = True
        else:
            if has_waited:
                _log.warning("%s of %s succeeded after retries", operation, path)
            return result
        # Blocking is right here: disk work runs in threads of its own, and the event loop goes on
        # closing the connections that give descriptors back.
        time.sleep(SHORTAGE_PAUSE_S)


class OsFile:
    """An open file. It remembers its own length, so an append is one system call. Several threads may read."""

    __slots__ = ("_descriptor", "_end", "_path", "_shared")

    def __init__(self, descriptor: int, path: str) -> None:
        # The descriptor's owner, once parts of the file are on their way: then the last of them closes it.
        self._shared: Descriptor | None = None
        self._descriptor = descriptor
        self._path = path
        # Appends are written at this position and not with O_APPEND: on Linux, pwrite ignores its
        # position for a file that was opened so, and a repeated write could then double its bytes.
        self._end = os.fstat(descriptor).st_size

    def read_at(self, position: int, length: int) -> bytes:
        """Up to ``length`` bytes from ``position``; fewer only at the end of the file."""
        # A read allocates its length, so a length that was read from a damaged file must not reach it.
        remaining = min(length, os.fstat(self._descriptor).st_size - position)
        chunks: list[bytes] = []
        try:
            # POSIX allows a read to return less than asked for before the end of the file. Linux
            # limits one call to about 2 GiB.
            while remaining > 0 and (chunk := self._pread(remaining, position)):
                chunks.append(chunk)
                position += len(chunk)
                remaining -= len(chunk)
        except OSError as error:
            raise named("read", self._path, error) from error
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def read_now(self, position: int, length: int) -> bytearray:
        """The same without waiting for the disk: raises BlockingIOError unless all of it is in the page cache."""
        data = bytearray(length)
        try:
            # RWF_NOWAIT returns what is in the page cache, and fails with EAGAIN if that is nothing.
            done = os.preadv(self._descriptor, [data], position, os.RWF_NOWAIT)
        except OSError as error:
            # Some file systems do not know the flag: then a thread has to read.
            if error.errno in (errno.EAGAIN, errno.EOPNOTSUPP):
                raise BlockingIOError(errno.EAGAIN, "not in memory", self._path) from None
            raise named("read", self._path, error) from error
        if done < length:
            if position + done < self._end:
                raise BlockingIOError(errno.EAGAIN, "not in memory", self._path)
            del data[done:]
        return data

    def part_now(self, position: int, length: int) -> Sendable:
        """The same for a response: much is not read at all, but sent from the page cache."""
        length = min(length, self._end - position)
        if length < SMALLEST_PART_BYTES or not _is_in_page_cache(self._descriptor, position, length):
            return self.read_now(position, length)
        if self._shared is None:
            self._shared = Descriptor(self._descriptor)
        return FilePart(self._shared, position, length)

    def append(self, buffers: Sequence[Buffer]) -> None:
        """Write all buffers, one after the other, at the end of the file."""
        pending = [view for view in (memoryview(buffer).cast("B") for buffer in buffers) if view]
        position = self._end
        try:
            while pending:
                written = self._pwritev(pending[:MAX_BUFFERS_PER_WRITE], position)
                position += written
                # A full disk or a signal may cut a gathered write short, even in the middle of a
                # buffer.
                pending = _without_prefix(pending, written)
        except OSError as error:
            raise named("write", self._path, error) from error
        # Only after the last byte: if a write fails half way, the next append must not begin behind
        # a torn batch.
        self._end = position

    def write_at(self, position: int, data: Buffer) -> None:
        """Write all of ``data`` at ``position``."""
        view = memoryview(data).cast("B")
        try:
            while view:
                written = self._pwritev([view], position)
                position += written
                view = view[written:]
        except OSError as error:
            raise named("write", self._path, error) from error
        # An index file is preallocated, so a write inside of it does not move its end.
        self._end = max(self._end, position)

    def size(self) -> int:
        """Length of the file in bytes."""
        return os.fstat(self._descriptor).st_size

    def truncate(self, size: int) -> None:
        """Cut the file, or extend it with zeros, to ``size`` bytes."""
        try:
            _despite_shortages("truncation", self._path, lambda: os.ftruncate(self._descriptor, size))
        except OSError as error:
            raise named("truncate", self._path, error) from error
        self._end = size

    def sync(self) -> None:
        """Return only after everything written is durable. Timestamps are not waited for."""
        try:
            # The length is covered: fdatasync skips only metadata that reading the bytes back does
            # not need. It is not repeated on any error, since Linux reports a failed writeback to a
            # descriptor only once.
            os.fdatasync(self._descriptor)
        except OSError as error:
            raise named("sync", self._path, error) from error

    def close(self) -> None:
        """Close the file; the object must not be used again."""
        if self._shared is None:
            os.close(self._descriptor)
        self._shared = None

    def _pread(self, length: int, position: int) -> bytes:
        return _despite_shortages("read", self._path, lambda: os.pread(self._descriptor, length, position))

    def _pwritev(self, buffers: Sequence[memoryview], position: int) -> int:
        # It writes at a given position, so a second attempt overwrites what the first one may have written.
        return _despite_shortages(
            "write", self._path, lambda: os.pwritev(self._descriptor, buffers, position)
        )


def _is_in_page_cache(descriptor: int, position: int, length: int) -> bool:
    """Whether all these bytes of a file are known to be in memory. Not every kernel and file system tells."""
    asked = (ctypes.c_uint64 * 2)(position, length)
    # Pages in the cache, and four numbers that say more of them.
    found = (ctypes.c_uint64 * 5)()
    if _libc_with_gil.syscall(CACHESTAT, descriptor, asked, found, 0):
        return False
    pages = (position + length - 1) // PAGE_BYTES - position // PAGE_BYTES + 1
    return bool(found[0] >= pages)


def _without_prefix(buffers: list[memoryview], length: int) -> list[memoryview]:
    """The buffers that remain after the first ``length`` bytes are written."""
    index = 0
    while index < len(buffers) and length >= len(buffers[index]):
        length -= len(buffers[index])
        index += 1
    remaining = buffers[index:]
    if length:
        remaining[0] = remaining[0][length:]
    return remaining


_locked_paths: set[str] = set()
"""The lock files that this process holds. The system's record locks do not exclude a process from itself, and closing
any descriptor of a file drops them. So a second lock must be refused before the file is opened."""


class OsLock:
    """A record lock. A Java process takes the same kind, so Apache Kafka's brokers and tools respect it."""

    __slots__ = ("_descriptor", "_path")

    def __init__(self, descriptor: int, path: str) -> None:
        self._descriptor = descriptor
        self._path = path

    def release(self) -> None:
        """Release the lock; the file stays."""
        os.close(self._descriptor)
        _locked_paths.discard(self._path)


def _mode(path: str) -> int | None:
    """The mode of what has this name; None if nothing has. Raises OSError for any other reason: with os.path.exists a
    disk that fails would look like one on which nothing is."""
    try:
        return os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def _open_regular(path: str, flags: int) -> int:
    """Open a regular file. Anything else is refused: opening a pipe would wait, and a device would be written to.
    Raises OSError."""
    # O_NONBLOCK only makes opening a pipe return at once. It has no effect on a regular file.
    descriptor = os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK, FILE_MODE)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    # As the system says of a socket.
    raise OSError(errno.ENXIO, "it is no regular file", path)


class OsDisk:
    """The file system of this machine."""

    def open(self, path: str, *, create: bool = False) -> File:
        """Open for reading and writing. ``create`` makes a missing file; an existing file is never emptied."""
        flags = os.O_RDWR | (os.O_CREAT if create else 0)
        operation = "create" if create else "open"
        try:
            descriptor = _despite_shortages(operation, path, lambda: _open_regular(path, flags))
            return OsFile(descriptor, path)
        except OSError as error:
            raise named(operation, path, error) from error

    def open_read_only(self, path: str) -> File:
        """Open for reading only, which a read-only file allows."""
        return OsFile(_despite_shortages("open", path, lambda: _open_regular(path, os.O_RDONLY)), path)

    def read_file(self, path: str) -> bytes:
        """The whole content of a small file."""
        descriptor = _despite_shortages("open", path, lambda: _open_regular(path, os.O_RDONLY))
        with open(descriptor, "rb") as file:
            return file.read()

    def list_directory(self, path: str) -> list[str]:
        """Names in a directory, sorted."""
        return sorted(_despite_shortages("listing", path, lambda: os.listdir(path)))

    def exists(self, path: str) -> bool:
        """Whether a file or directory is there. Raises OSError if the disk does not say."""
        return _mode(path) is not None

    def is_directory(self, path: str) -> bool:
        """Whether the path is a directory. Raises OSError if the disk does not say."""
        mode = _mode(path)
        return mode is not None and stat.S_ISDIR(mode)

    def make_directory(self, path: str) -> None:
        """Create a directory with its parents, for this user only. An existing one is left as it is."""
        # The mode of makedirs applies to the last directory only. Its parents would get what umask
        # allows.
        parent = os.path.dirname(path.rstrip("/"))
        if parent and not os.path.exists(parent):
            self.make_directory(parent)
        os.makedirs(path, DIRECTORY_MODE, exist_ok=True)

    def rename(self, source: str, target: str) -> None:
        """Move a file to another name atomically, replacing what has that name."""
        try:
            os.replace(source, target)
        except OSError as error:
            raise named("rename", source, error) from error

    def remove(self, path: str) -> None:
        try:
            os.unlink(path)
        except OSError as error:
            raise named("remove", path, error) from error

    def remove_directory(self, path: str) -> None:
        try:
            os.rmdir(path)
        except OSError as error:
            raise named("remove", path, error) from error

    def modified_ms(self, path: str) -> int:
        """When a file was written to for the last time, as wall time."""
        return os.stat(path).st_mtime_ns // 1_000_000

    def set_read_only(self, path: str) -> None:
        """Take the write permissions away (mode 0400)."""
        os.chmod(path, READ_ONLY_MODE)

    def sync_directory(self, path: str) -> None:
        """Make renames, creations and removals in a directory durable."""
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
        descriptor = _despite_shortages("open", path, lambda: os.open(path, flags))
        try:
            # Not fdatasync: that need not write the entries that a rename changed.
            os.fsync(descriptor)
        except OSError as error:
            raise named("sync_directory", path, error) from error
        finally:
            os.close(descriptor)

    def sync_file_system(self, path: str) -> None:
        """Make everything durable in the file system that holds the path."""
        descriptor = _despite_shortages("open", path, lambda: os.open(path, os.O_RDONLY | os.O_CLOEXEC))
        try:
            # Python has no function for it. On Linux it reports what could not be written, which sync() does not.
            if _libc.syncfs(descriptor):
                error = ctypes.get_errno()
                raise named("sync", path, OSError(error, os.strerror(error), path))
        finally:
            os.close(descriptor)

    def boot_id(self) -> str:
        """See `Disk`. Only Linux tells."""
        try:
            with open(BOOT_ID_PATH, encoding="ascii") as file:
                return file.read().strip()
        except (OSError, ValueError):
            return ""

    def space(self, path: str) -> tuple[int, int]:
        """(total bytes, bytes usable by this process) of the file system that a path lies on."""
        found = os.statvfs(path)
        return found.f_blocks * found.f_frsize, found.f_bavail * found.f_frsize

    def lock(self, path: str) -> Lock:
        """Lock the file at ``path``. Raises BlockingIOError if it is already locked."""
        real_path = os.path.realpath(path)
        # The check uses the real path, because one file under two names has one set of record
        # locks.
        if real_path in _locked_paths:
            raise BlockingIOError(errno.EAGAIN, "locked by this process already", path)
        descriptor = _open_regular(real_path, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            if error.errno in (errno.EAGAIN, errno.EACCES):
                raise BlockingIOError(error.errno, "locked by another process", path) from error
            raise
        _locked_paths.add(real_path)
        return OsLock(descriptor, real_path)
