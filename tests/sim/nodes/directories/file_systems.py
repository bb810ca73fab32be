"""A host's disk that is divided into file systems, one for each log directory: each has its own room and its own
failures, and one may fail while the others work.

A file system that fails refuses operations of some kinds, once or until it is repaired; its content stays. One that is
gone shows nothing at all, as a mount point without its disk: only files that are open are still there, and fail.
"""

from __future__ import annotations

import contextlib
import errno
import os
import posixpath
import random
from collections.abc import Callable, Iterator, Mapping

from kafkaproto_server.shell.storage.errors import named
from tests.sim.disk import MemoryFile, _apply
from tests.sim.nodes.threads import TimedDisk

READS = ("read",)
WRITES = ("write", "create", "rename", "remove")
SYNCS = ("sync", "sync_directory")
_SPARE = "/data/spare"


class FileSystem:
    """One of them: what is wrong with it."""

    def __init__(self) -> None:
        self.capacity_bytes: int | None = None
        """What all of its files together may hold; None for no limit."""
        self.is_gone = False
        self._errors: dict[str, int] = {}
        self._is_lasting = False

    @property
    def is_well(self) -> bool:
        """Whether nothing is wrong with it."""
        return not self._errors and not self.is_gone and self.capacity_bytes is None

    def fail(self, errors: Mapping[str, int], *, is_lasting: bool) -> None:
        """Fail operations with these error numbers: the next one, or all until it is repaired."""
        self._errors = dict(errors)
        self._is_lasting = is_lasting

    def repair(self) -> None:
        """Work again."""
        self.capacity_bytes, self.is_gone, self._errors = None, False, {}

    def error_of(self, operation: str) -> int | None:
        """The number of the error that an operation meets now; None if it meets none."""
        if self.is_gone:
            return errno.EIO
        found = self._errors.get(operation)
        if found is not None and not self._is_lasting:
            self._errors = {}
        return found


class DividedDisk(TimedDisk):
    """A disk with file systems under some paths. What is under none of them is as in a `TimedDisk`."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.file_systems: dict[str, FileSystem] = {}
        """By the path of the directory that is the whole of one."""
        self.changing: Callable[[str], None] = lambda path: None
        """Called with the path of what is about to be changed or synced."""
        self.renaming: Callable[[str, str], None] = lambda source, target: None
        """Called with the present and the next path of what is about to get another name."""
        self._is_looked_at = False

    def root_of(self, path: str) -> str | None:
        """The path of the file system that a path is in."""
        return next((each for each in self.file_systems if path == each or path.startswith(f"{each}/")), None)

    def swap(self, one: str, other: str) -> None:
        """Exchange the mount points of two file systems, between two lives of the process."""
        for source, target in ((one, _SPARE), (other, one), (_SPARE, other)):
            self._rename_directory(source, target)
        found = self.file_systems
        found[one], found[other] = found[other], found[one]

    def empty(self, root: str) -> None:
        """Put a new disk in the place of a file system, between two lives of the process."""
        for names in (self._names, self._durable_names):
            for path in reversed(names.below(root)):
                del names[path]
        for path in [each for each in self._unsynced_names if self.root_of(each) == root]:
            del self._unsynced_names[path]
        self.file_systems[root] = FileSystem()

    # -- failures --------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def looked_at(self) -> Iterator[None]:
        """Nothing fails meanwhile."""
        self._is_looked_at = True
        try:
            with super().looked_at():
                yield
        finally:
            self._is_looked_at = False

    def before(self, operation: str, path: str) -> None:
        self.changing(path)
        super().before(operation, path)

    def maybe_fail(self, operation: str, path: str) -> None:
        self._meet(operation, path)
        super().maybe_fail(operation, path)

    def _meet(self, operation: str, path: str) -> None:
        root = None if self._is_looked_at else self.root_of(path)
        error = None if root is None else self.file_systems[root].error_of(operation)
        if error is not None:
            raise named(operation, path, OSError(error, os.strerror(error), path))

    def _is_gone(self, path: str) -> bool:
        root = None if self._is_looked_at else self.root_of(posixpath.normpath(path))
        return root is not None and self.file_systems[root].is_gone

    def _reach(self, path: str) -> None:
        """Before something is read of a file or directory by its name."""
        if self._is_gone(path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        self._meet("read", posixpath.normpath(path))

    def open(self, path: str, *, create: bool = False) -> MemoryFile:
        self._reach(path)
        return super().open(path, create=create)

    def open_read_only(self, path: str) -> MemoryFile:
        self._reach(path)
        return super().open_read_only(path)

    def read_file(self, path: str) -> bytes:
        self._reach(path)
        return super().read_file(path)

    def list_directory(self, path: str) -> list[str]:
        self._reach(path)
        return super().list_directory(path)

    def exists(self, path: str) -> bool:
        return self._says(path) and super().exists(path)

    def is_directory(self, path: str) -> bool:
        return self._says(path) and super().is_directory(path)

    def _says(self, path: str) -> bool:
        """Whether there is something to say of a name. Raises OSError if the disk says nothing."""
        if self._is_gone(path):
            return False
        self._meet("read", posixpath.normpath(path))
        return True

    def rename(self, source: str, target: str) -> None:
        if self._is_gone(source):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), source)
        self.renaming(source, target)
        super().rename(source, target)

    # -- room and durability ---------------------------------------------------------------------------------------

    def used_below(self, root: str) -> int:
        """What the files of a file system hold."""
        return sum(len(self._names[path].data) for path in self._names.below(root))

    def free_bytes(self, path: str) -> int:
        root = self.root_of(path)
        capacity_bytes = None if root is None else self.file_systems[root].capacity_bytes
        free = super().free_bytes(path)
        if root is None or capacity_bytes is None:
            return free
        return min(free, capacity_bytes - self.used_below(root))

    def sync_file_system(self, path: str) -> None:
        root = self.root_of(path)
        if root is None:
            super().sync_file_system(path)
            return
        self.before("sync", path)
        names = (root, *self._names.below(root))
        for each in (*self._durable_names.below(root), root):
            if each not in self._names:
                del self._durable_names[each]
        for each in names:
            node = self._names[each]
            self._durable_names[each] = node
            for position, written in node.unsynced:
                _apply(node.synced, position, written)
            node.unsynced.clear()
            self._unsynced_names.pop(each, None)
