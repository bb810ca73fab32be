"""Protocols for what the server's packages need from outside: a disk, clocks, randomness.

The real implementations are in ``shell.storage.disk`` and ``node``; tests use their own, which fail on purpose.
Everything here is synchronous; the shell runs blocking calls in worker threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from kafkaproto_server.base.file_part import Sendable

Buffer = bytes | bytearray | memoryview


class File(Protocol):
    """One open data file. Every method raises OSError as the operating system reports it."""

    def read_at(self, position: int, length: int) -> bytes:
        """Up to ``length`` bytes from ``position``; fewer only at the end of the file."""

    def read_now(self, position: int, length: int) -> Buffer:
        """The same without waiting for the disk: raises BlockingIOError unless all of it is in memory."""

    def part_now(self, position: int, length: int) -> Sendable:
        """The same for a response: if possible, without reading it."""

    def append(self, buffers: Sequence[Buffer]) -> None:
        """Write all buffers, one after the other, at the end of the file."""

    def write_at(self, position: int, data: Buffer) -> None:
        """Write all of ``data`` at ``position`` (a preallocated index file is filled this way)."""

    def size(self) -> int:
        """Length of the file in bytes."""

    def truncate(self, size: int) -> None:
        """Cut the file, or extend it with zeros, to ``size`` bytes."""

    def sync(self) -> None:
        """Return only once everything that was written is durable (fsync)."""

    def close(self) -> None:
        """Close the file; the object is not used again."""


class Lock(Protocol):
    """An exclusive lock on a directory, held by one process."""

    def release(self) -> None:
        """Let another process have the directory."""


class Disk(Protocol):
    """The file operations that storage is built on. Paths are strings; errors are OSError."""

    def open(self, path: str, *, create: bool = False) -> File:
        """Open for reading and writing. ``create`` makes a missing file; an existing file is never emptied."""

    def open_read_only(self, path: str) -> File:
        """Open for reading only; this works with a read-only file."""

    def read_file(self, path: str) -> bytes:
        """The whole content of a small file."""

    def list_directory(self, path: str) -> list[str]:
        """Names in a directory, sorted."""

    def exists(self, path: str) -> bool:
        """Whether a file or directory is there. Raises OSError if the disk does not say."""

    def is_directory(self, path: str) -> bool:
        """Whether the path is a directory. Raises OSError if the disk does not say."""

    def make_directory(self, path: str) -> None:
        """Make a directory and its parents; an existing directory stays as it is."""

    def rename(self, source: str, target: str) -> None:
        """Atomically move a file over another name."""

    def remove(self, path: str) -> None:
        """Delete a file."""

    def remove_directory(self, path: str) -> None:
        """Delete a directory. Raises OSError unless it is empty."""

    def modified_ms(self, path: str) -> int:
        """When a file was written to for the last time, as wall time."""

    def set_read_only(self, path: str) -> None:
        """Remove the write permissions (mode 0400)."""

    def sync_directory(self, path: str) -> None:
        """Make renames, creations and removals in a directory durable."""

    def sync_file_system(self, path: str) -> None:
        """Make everything durable in the file system that holds the path: the names and bytes of all files."""

    def boot_id(self) -> str:
        """What names the present start of the machine: what was written since then is there, durable or not, if the
        disk works. Empty if the system does not tell."""

    def space(self, path: str) -> tuple[int, int]:
        """Size in bytes of the file system that holds the path: (total, usable by this process)."""

    def lock(self, path: str) -> Lock:
        """Lock the lock file at ``path``; raises BlockingIOError if another process holds it."""


class Clock(Protocol):
    """Time as integers of milliseconds."""

    def now_ms(self) -> int:
        """Monotonic time, for every timeout."""

    def wall_ms(self) -> int:
        """Time since the epoch, for timestamps that are written down or shown, never for timeouts."""


class Rng(Protocol):
    """Randomness that a seed can reproduce."""

    def below(self, limit: int) -> int:
        """An integer from 0 to ``limit`` - 1."""

    def uuid(self) -> bytes:
        """16 random bytes in the form of a version 4 UUID."""
