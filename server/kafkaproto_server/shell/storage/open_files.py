"""A limit for the files that the logs of topics hold open.

A broker has thousands of segments and keeps each of them open from its first use on, as Apache Kafka does. Without a
limit they would take the descriptors that the metadata log and connections need. So `OpenFiles` stands between the logs
and the disk: its files stay open for their users, and beyond the limit the one that was used least recently gives up
its descriptor until it is used again.

A file whose descriptor was given up is found by its path. So whoever renames or removes a file closes it before.
"""

from __future__ import annotations

import errno
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TypeVar

from kafkaproto_server.base.file_part import Sendable
from kafkaproto_server.base.ports import Buffer, Disk, File, Lock

T = TypeVar("T")


class _PooledFile:
    """A file that may have given up its descriptor. Implements `ports.File`."""

    __slots__ = ("_path", "_pool", "file", "is_closed", "users")

    def __init__(self, pool: OpenFiles, path: str) -> None:
        self._pool = pool
        self._path = path
        self.file: File | None = None
        self.users = 0
        """How many threads use the descriptor at this moment."""
        self.is_closed = False

    def _use(self, operation: Callable[[File], T]) -> T:
        file = self._pool.take(self, self._path)
        try:
            return operation(file)
        finally:
            self._pool.put_back(self)

    def read_at(self, position: int, length: int) -> bytes:
        return self._use(lambda file: file.read_at(position, length))

    def _use_now(self, operation: Callable[[File], T]) -> T:
        file = self._pool.take_open(self)
        if file is None:
            # To open a file may take long as well.
            raise BlockingIOError(errno.EAGAIN, "not open", self._path)
        try:
            return operation(file)
        finally:
            self._pool.put_back(self)

    def read_now(self, position: int, length: int) -> Buffer:
        return self._use_now(lambda file: file.read_now(position, length))

    def part_now(self, position: int, length: int) -> Sendable:
        return self._use_now(lambda file: file.part_now(position, length))

    def append(self, buffers: Sequence[Buffer]) -> None:
        self._use(lambda file: file.append(buffers))

    def write_at(self, position: int, data: Buffer) -> None:
        self._use(lambda file: file.write_at(position, data))

    def size(self) -> int:
        return self._use(lambda file: file.size())

    def truncate(self, size: int) -> None:
        self._use(lambda file: file.truncate(size))

    def sync(self) -> None:
        self._use(lambda file: file.sync())

    def close(self) -> None:
        self._pool.close(self)


class OpenFiles:
    """A disk whose files share a limited number of descriptors. Any thread may use it. See `ports.Disk`."""

    def __init__(self, disk: Disk, limit: int) -> None:
        """``limit`` is how many files may be open while nobody uses them at this very moment."""
        assert limit > 0, "a file has to be open to be used"
        self._disk = disk
        self._limit = limit
        self._changing = threading.Lock()
        # Those that have a descriptor, the one that was used least recently first.
        self._open: OrderedDict[_PooledFile, None] = OrderedDict()

    def __len__(self) -> int:
        """How many files are open."""
        return len(self._open)

    def open(self, path: str, *, create: bool = False) -> File:
        pooled = _PooledFile(self, path)
        # `_keep` counts the caller as one who uses it.
        self._keep(pooled, self._disk.open(path, create=create))
        self.put_back(pooled)
        return pooled

    def take(self, pooled: _PooledFile, path: str) -> File:
        """The open file, until `put_back`. Raises OSError if it has to be opened again and cannot."""
        file = self.take_open(pooled)
        if file is not None:
            return file
        # Under its path, there may be another file by now.
        assert not pooled.is_closed, f"{path} was closed"
        # Opened outside of the lock: that may take long, and others need their files.
        return self._keep(pooled, self._disk.open(path))

    def take_open(self, pooled: _PooledFile) -> File | None:
        """The same; None if it has no descriptor."""
        with self._changing:
            file = pooled.file
            if file is not None:
                pooled.users += 1
                self._open.move_to_end(pooled)
            return file

    def put_back(self, pooled: _PooledFile) -> None:
        """The use of a file is over."""
        with self._changing:
            assert pooled.users > 0, "a file that nobody uses was put back"
            pooled.users -= 1

    def close(self, pooled: _PooledFile) -> None:
        """Nobody uses a file any more."""
        with self._changing:
            pooled.is_closed = True
            file, pooled.file = pooled.file, None
            self._open.pop(pooled, None)
        if file is not None:
            file.close()

    def _keep(self, pooled: _PooledFile, opened: File) -> File:
        with self._changing:
            closing = self._surplus()
            file = pooled.file
            if file is None:
                file = pooled.file = opened
            else:
                # Another thread opened it as well.
                closing.append(opened)
            pooled.users += 1
            self._open[pooled] = None
            self._open.move_to_end(pooled)
        for each in closing:
            each.close()
        return file

    def _surplus(self) -> list[File]:
        """The descriptors that have to go so that there is room for one more; those in use stay."""
        closing: list[File] = []
        while len(self._open) >= self._limit:
            # In the order of their use: the first one was used least recently.
            pooled = next((each for each in self._open if not each.users), None)
            # All are in use at this moment. Then there are more than the limit until the next one is opened.
            if pooled is None:
                break
            file, pooled.file = pooled.file, None
            del self._open[pooled]
            assert file is not None, "it is open"
            closing.append(file)
        return closing

    # -- what needs no limit -----------------------------------------------------------------------------------

    def open_read_only(self, path: str) -> File:
        return self._disk.open_read_only(path)

    def read_file(self, path: str) -> bytes:
        return self._disk.read_file(path)

    def list_directory(self, path: str) -> list[str]:
        return self._disk.list_directory(path)

    def exists(self, path: str) -> bool:
        return self._disk.exists(path)

    def is_directory(self, path: str) -> bool:
        return self._disk.is_directory(path)

    def make_directory(self, path: str) -> None:
        self._disk.make_directory(path)

    def rename(self, source: str, target: str) -> None:
        self._disk.rename(source, target)

    def remove(self, path: str) -> None:
        self._disk.remove(path)

    def remove_directory(self, path: str) -> None:
        self._disk.remove_directory(path)

    def modified_ms(self, path: str) -> int:
        return self._disk.modified_ms(path)

    def set_read_only(self, path: str) -> None:
        self._disk.set_read_only(path)

    def sync_directory(self, path: str) -> None:
        self._disk.sync_directory(path)

    def sync_file_system(self, path: str) -> None:
        self._disk.sync_file_system(path)

    def boot_id(self) -> str:
        return self._disk.boot_id()

    def space(self, path: str) -> tuple[int, int]:
        return self._disk.space(path)

    def lock(self, path: str) -> Lock:
        return self._disk.lock(path)
