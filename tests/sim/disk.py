"""A disk in memory that loses data as a real disk does when power is lost, and that fails on request.

After ``crash`` it keeps the least that POSIX promises: bytes that a file's ``sync`` covered, and names that a
``sync_directory`` covered. Of the rest, each file keeps a prefix of its writes, and the last write of that prefix may
be torn at any byte; each directory keeps a prefix of its renames, creations and removals. The caller's random
generator draws these prefixes.

Faults: ``fail(operation, path, error)`` makes coming calls raise; ``crash_before`` raises ``PowerLossError`` before
the n-th changing operation, for tests that crash at every one; ``capacity_bytes`` makes the disk run full.
"""

from __future__ import annotations

import contextlib
import errno
import os
import posixpath
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kafkaproto_server.base.ports import Buffer, Rng
from kafkaproto_server.shell.storage.errors import named


class PowerLossError(Exception):
    """The machine died before the operation it is raised from; call ``crash`` and open everything again."""


@dataclass(slots=True)
class _Node:
    """A file or a directory, apart from its names."""

    is_directory: bool
    data: bytearray = field(default_factory=bytearray)
    synced: bytearray = field(default_factory=bytearray)
    unsynced: list[tuple[int, bytes | None]] = field(default_factory=list)
    """Changes since the last sync: (position, bytes written there), or (size, None) for a truncation."""
    read_only: bool = False
    modified_ms: int = 0
    rewrites: int = 0
    """How often anything of ``data`` was changed, other than by what was added at its end: who has read it has to read
    it again."""

    def change(self, position: int, written: bytes | None) -> None:
        if position < len(self.data):
            self.rewrites += 1
        _apply(self.data, position, written)
        self.unsynced.append((position, written))


_NameChange = dict[str, _Node | None]
"""Names that change together, with the file that each stands for afterwards."""


@dataclass(slots=True)
class _Fault:
    operation: str
    path_suffix: str
    error: int
    times: int


def _apply(data: bytearray, position: int, written: bytes | None) -> None:
    if written is None:
        del data[position:]
        data.extend(bytes(position - len(data)))
        return
    if position > len(data):
        data.extend(bytes(position - len(data)))
    data[position : position + len(written)] = written


class MemoryFile:
    """An open file of a ``MemoryDisk``; of no use after a crash, as a descriptor would be."""

    def __init__(self, disk: MemoryDisk, path: str, node: _Node, writable: bool) -> None:
        self._disk = disk
        self._path = path
        self._node = node
        self._writable = writable
        self._generation = disk.generation
        self._open = True
        disk.open_files[self] = None

    def _check(self) -> None:
        assert self._open, f"{self._path} is used after it was closed"
        assert self._generation == self._disk.generation, f"{self._path} is used after a crash"

    def _before_write(self) -> None:
        self._check()
        self._node.modified_ms = self._disk.wall_ms()
        if not self._writable:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF), self._path)
        self._disk.before("write", self._path)

    def read_at(self, position: int, length: int) -> bytes:
        self._check()
        self._disk.maybe_fail("read", self._path)
        return bytes(self._node.data[position : position + length])

    def read_now(self, position: int, length: int) -> bytes:
        return self.read_at(position, length)

    def part_now(self, position: int, length: int) -> bytes:
        return self.read_at(position, length)

    def append(self, buffers: Sequence[Buffer]) -> None:
        self._before_write()
        self._write(len(self._node.data), b"".join(buffers))

    def write_at(self, position: int, data: Buffer) -> None:
        self._before_write()
        self._write(position, bytes(data))

    def _write(self, position: int, data: bytes) -> None:
        room = max(0, self._disk.free_bytes(self._path)) - max(0, position - len(self._node.data))
        overwritten = max(0, len(self._node.data) - position)
        if len(data) - overwritten > room:
            # A full disk takes what fits and only then complains.
            self._node.change(position, data[: max(0, overwritten + room)])
            raise named("write", self._path, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
        if data:
            self._node.change(position, data)

    def size(self) -> int:
        self._check()
        return len(self._node.data)

    def truncate(self, size: int) -> None:
        self._before_write()
        self._node.change(size, None)

    def sync(self) -> None:
        self._check()
        try:
            self._disk.before("sync", self._path)
        except OSError:
            # As on Linux: the pages count as clean afterwards, so a later sync that succeeds saves nothing of
            # them.
            self._node.unsynced.clear()
            raise
        for position, written in self._node.unsynced:
            _apply(self._node.synced, position, written)
        self._node.unsynced.clear()

    def close(self) -> None:
        self._check()
        self._open = False
        del self._disk.open_files[self]

    def __repr__(self) -> str:
        return self._path


class MemoryLock:
    """A claim that ends with its release or with a crash."""

    def __init__(self, locked: set[str], path: str) -> None:
        self._locked = locked
        self._path = path

    def release(self) -> None:
        self._locked.discard(self._path)


class _Names(dict[str, _Node]):
    """Files and directories by path, and what each directory holds: a node may have thousands of directories."""

    def __init__(self, names: Mapping[str, _Node]) -> None:
        super().__init__()
        self.children: dict[str, dict[str, None]] = {}
        self.changes: Counter[str] = Counter()
        """How often any of a directory's children has come, gone or become another one."""
        for path, node in names.items():
            self[path] = node

    def __setitem__(self, path: str, node: _Node) -> None:
        super().__setitem__(path, node)
        if path != "/":
            parent, _, name = path.rpartition("/")
            self.children.setdefault(parent or "/", {})[name] = None
            self.changes[parent or "/"] += 1

    def __delitem__(self, path: str) -> None:
        super().__delitem__(path)
        parent, _, name = path.rpartition("/")
        self.children[parent or "/"].pop(name, None)
        self.changes[parent or "/"] += 1

    def below(self, directory: str) -> list[str]:
        """The paths of all that is in a directory, at any depth."""
        found = [f"{directory}/{name}" for name in self.children.get(directory, ())]
        return found + [inner for path in found for inner in self.below(path)]

    def move(self, source: str, target: str) -> None:
        """Give a directory, if it is there, and all that is in it other paths."""
        for path in (source, *self.below(source)):
            if path in self:
                self[target + path.removeprefix(source)] = self[path]
                del self[path]


class MemoryDisk:
    """``ports.Disk`` in memory."""

    def __init__(self, *, capacity_bytes: int | None = None) -> None:
        self.capacity_bytes = capacity_bytes
        """What all files together may hold, counted by their lengths; None for no limit."""
        self.operations = 0
        """Changing operations so far: writes, truncations, syncs, and changes of names."""
        self.crash_before: int | None = None
        """Number of the operation (0 is the first one ever) that power loss comes ahead of."""
        self.wall_ms: Callable[[], int] = lambda: 0
        """The time that files get when they are written."""
        self.generation = 0
        self.boots = 0
        """How often the machine was started, but for the first time."""
        self.open_files: dict[MemoryFile, None] = {}
        self.failures: Counter[str] = Counter()
        """How often each operation has failed because that was planned."""
        """What the process has open; nothing after a crash."""
        self._names = _Names({"/": _Node(is_directory=True)})
        self._durable_names = _Names(self._names)
        self._unsynced_names: dict[str, list[_NameChange]] = {}
        self._locked: set[str] = set()
        self._faults: list[_Fault] = []

    # What tests ask for.

    def fail(self, operation: str, path_suffix: str, error: int = errno.EIO, *, times: int = 1) -> None:
        """Make the next ``times`` calls of "read", "write", "sync", "sync_directory", "rename" or "remove"
        fail.

        Only paths that end in ``path_suffix`` are meant.
        """
        self._faults.append(_Fault(operation, path_suffix, error, times))

    def rot(
        self,
        path_suffixes: tuple[str, ...],
        rng: Rng,
        length_of: Callable[[str, bytes], int] = lambda _path, content: len(content),
    ) -> Callable[[], None] | None:
        """Flip one bit of a file that ends so, durably. Returns what flips it back; None if there is no such file.

        ``length_of`` gets a path and the content, and says how many of the first bytes may be hit.
        """
        paths = sorted(
            path for path, node in self._names.items() if path.endswith(path_suffixes) and node.synced
        )
        if not paths:
            return None
        path = paths[rng.below(len(paths))]
        node = self._names[path]
        length = length_of(path, bytes(node.synced))
        if not length:
            return None
        position = rng.below(length)
        right = node.synced[position]
        wrong = right ^ 1 << rng.below(8)

        def change(before: int, after: int) -> None:
            node.rewrites += 1
            for data in (node.data, node.synced):
                # Something else may have been written there since.
                if position < len(data) and data[position] == before:
                    data[position] = after

        change(right, wrong)
        return lambda: change(wrong, right)

    def take_end(self, path: str, size: int) -> None:
        """Leave the first bytes of a file only, durably, while nobody has it open."""
        node = self._names[path]
        node.rewrites += 1
        del node.data[size:], node.synced[size:]
        node.unsynced.clear()
        node.synced[:] = node.data

    def take_away(self, path: str) -> None:
        """Remove a file durably, while nobody has it open."""
        del self._names[path]
        if path in self._durable_names:
            del self._durable_names[path]

    def no_faults(self) -> None:
        """Take back all `fail`."""
        self._faults.clear()

    @contextlib.contextmanager
    def looked_at(self) -> Iterator[None]:
        """For a checker that reads: what is to fail fails later."""
        faults, self._faults = self._faults, []
        try:
            yield
        finally:
            self._faults = faults

    def crash(self, rng: Rng) -> None:
        """Lose power and come back: open files and locks are gone, and so is a part of what was not
        synced."""
        self.generation += 1
        self.boots += 1
        self.crash_before = None
        self._locked.clear()
        self.open_files.clear()
        for directory in sorted(self._unsynced_names):
            changes = self._unsynced_names[directory]
            for change in changes[: rng.below(len(changes) + 1)]:
                _set_names(self._durable_names, change)
        self._unsynced_names.clear()
        reachable = {path: node for path, node in self._durable_names.items() if self._is_reachable(path)}
        self._durable_names = _Names(reachable)
        self._names = _Names(reachable)
        for path in sorted(reachable):
            _lose_unsynced(reachable[path], rng)

    def free_bytes(self, path: str) -> int:
        """How much more the file at this path may grow."""
        if self.capacity_bytes is None:
            return 1 << 62
        return self.capacity_bytes - sum(len(node.data) for node in list(self._names.values()))

    def used_bytes(self) -> int:
        """What the files hold, counted by their lengths."""
        return sum(len(node.data) for node in self._names.values())

    def is_read_only(self, path: str) -> bool:
        """Whether ``set_read_only`` was called on a file."""
        return self._node(path).read_only

    # What files and the disk itself call ahead of an operation.

    def maybe_fail(self, operation: str, path: str) -> None:
        """Raise the fault that is planned for this call, if there is one."""
        for fault in self._faults:
            if fault.operation == operation and path.endswith(fault.path_suffix):
                fault.times -= 1
                if fault.times == 0:
                    self._faults.remove(fault)
                self.failures[operation] += 1
                raise named(operation, path, OSError(fault.error, os.strerror(fault.error), path))

    def before(self, operation: str, path: str) -> None:
        """Count a changing operation, and let it fail if that is planned."""
        if self.crash_before is not None and self.operations >= self.crash_before:
            raise PowerLossError(f"power loss before operation {self.operations}: {operation} {path}")
        self.operations += 1
        self.maybe_fail(operation, path)

    # The port.

    def boot_id(self) -> str:
        return f"boot {self.boots}"

    def open(self, path: str, *, create: bool = False) -> MemoryFile:
        path = posixpath.normpath(path)
        if create and path not in self._names:
            self._need_parent(path)
            self.before("create", path)
            self._change_names({path: _Node(is_directory=False)})
        node = self._file(path)
        if node.read_only:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return MemoryFile(self, path, node, writable=True)

    def open_read_only(self, path: str) -> MemoryFile:
        path = posixpath.normpath(path)
        return MemoryFile(self, path, self._file(path), writable=False)

    def read_file(self, path: str) -> bytes:
        path = posixpath.normpath(path)
        self.maybe_fail("read", path)
        return bytes(self._file(path).data)

    def list_directory(self, path: str) -> list[str]:
        path = posixpath.normpath(path)
        if not self._node(path).is_directory:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        return sorted(self._names.children.get(path, ()))

    def exists(self, path: str) -> bool:
        return posixpath.normpath(path) in self._names

    def is_directory(self, path: str) -> bool:
        node = self._names.get(posixpath.normpath(path))
        return node is not None and node.is_directory

    def make_directory(self, path: str) -> None:
        path = posixpath.normpath(path)
        if path in self._names:
            if not self._names[path].is_directory:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
            return
        self.make_directory(_parent(path))
        self.before("create", path)
        self._change_names({path: _Node(is_directory=True)})

    def rename(self, source: str, target: str) -> None:
        source, target = posixpath.normpath(source), posixpath.normpath(target)
        assert _parent(source) == _parent(target), (
            "a rename across directories is two changes that may part in a crash"
        )
        node = self._node(source)
        self.before("rename", source)
        if node.is_directory:
            self._rename_directory(source, target)
        else:
            self._change_names({source: None, target: node})

    def remove(self, path: str) -> None:
        path = posixpath.normpath(path)
        self._file(path)
        self.before("remove", path)
        self._change_names({path: None})

    def remove_directory(self, path: str) -> None:
        path = posixpath.normpath(path)
        if not self._node(path).is_directory:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        if self._names.children.get(path):
            raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), path)
        self.before("remove", path)
        self._unsynced_names.pop(path, None)
        self._change_names({path: None})

    def modified_ms(self, path: str) -> int:
        return self._file(path).modified_ms

    def set_read_only(self, path: str) -> None:
        self._file(posixpath.normpath(path)).read_only = True

    def sync_directory(self, path: str) -> None:
        path = posixpath.normpath(path)
        self._node(path)
        self.before("sync_directory", path)
        for change in self._unsynced_names.pop(path, []):
            _set_names(self._durable_names, change)

    def sync_file_system(self, path: str) -> None:
        self._node(path)
        self.before("sync", path)
        for node in self._names.values():
            for position, written in node.unsynced:
                _apply(node.synced, position, written)
            node.unsynced.clear()
        self._durable_names = _Names(self._names)
        self._unsynced_names.clear()

    def space(self, path: str) -> tuple[int, int]:
        self._node(path)
        total = 1 << 62 if self.capacity_bytes is None else self.capacity_bytes
        return total, max(0, self.free_bytes(path))

    def lock(self, path: str) -> MemoryLock:
        path = posixpath.normpath(path)
        if path in self._locked:
            raise BlockingIOError(errno.EAGAIN, "locked already", path)
        self.open(path, create=True).close()
        self._locked.add(path)
        return MemoryLock(self._locked, path)

    # Names.

    def _node(self, path: str) -> _Node:
        node = self._names.get(posixpath.normpath(path))
        if node is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return node

    def _file(self, path: str) -> _Node:
        node = self._node(path)
        if node.is_directory:
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        return node

    def _need_parent(self, path: str) -> None:
        if not self.is_directory(_parent(path)):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)

    def _change_names(self, change: _NameChange) -> None:
        _set_names(self._names, change)
        self._unsynced_names.setdefault(_parent(next(iter(change))), []).append(change)

    def _rename_directory(self, source: str, target: str) -> None:
        """Durable at once: names here are whole paths, and what is inside would have two of them after a crash."""
        assert target not in self._names, f"{target} exists already"

        directories = dict.fromkeys((source, *self._names.below(source), *self._durable_names.below(source)))
        for names in (self._names, self._durable_names):
            names.move(source, target)
        # In the directory above, too: its changes name the directory itself.
        for changed in (_parent(source), *directories):
            changes = self._unsynced_names.pop(changed, None)
            if changes is not None:
                self._unsynced_names[_moved(changed, source, target)] = [
                    {_moved(path, source, target): node for path, node in change.items()}
                    for change in changes
                ]

    def _is_reachable(self, path: str) -> bool:
        while path != "/":
            path = _parent(path)
            if path not in self._durable_names:
                return False
        return True


def _parent(path: str) -> str:
    return posixpath.dirname(path)


def _moved(path: str, source: str, target: str) -> str:
    return target + path.removeprefix(source) if path == source or path.startswith(f"{source}/") else path


def _set_names(names: _Names, change: _NameChange) -> None:
    for path, node in change.items():
        if node is not None:
            names[path] = node
        elif path in names:
            del names[path]


def _lose_unsynced(node: _Node, rng: Rng) -> None:
    kept = rng.below(len(node.unsynced) + 1)
    for position, written in node.unsynced[:kept]:
        _apply(node.synced, position, written)
    if kept < len(node.unsynced):
        position, written = node.unsynced[kept]
        if written is not None:
            _apply(node.synced, position, written[: rng.below(len(written) + 1)])
    node.unsynced.clear()
    node.data = bytearray(node.synced)
    node.rewrites += 1
