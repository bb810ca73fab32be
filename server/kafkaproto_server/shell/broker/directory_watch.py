"""Detects log directories that stop working while the node runs (KIP-858).

Each directory is checked separately every `CHECK_INTERVAL_S`, in a thread, so that a disk that hangs does not delay the
checks of the others. A check that lacks file descriptors or memory says nothing about the directory. Other code that
gets an error from the disk calls `failed`. A directory that failed once stays offline until the node restarts. A node
cannot continue without the metadata log's directory, or without any directory of ``log.dirs``; it then stops.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from functools import partial

import trio

from kafkaproto_server.apis.ports.node import LogDirectoryStatus
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.core.broker.directories import LogDirectories
from kafkaproto_server.shell.process.threads import SYSTEM_THREADS, Threads
from kafkaproto_server.shell.storage.directories.directories import check_directory
from kafkaproto_server.shell.storage.errors import StorageError, is_shortage

_log = logging.getLogger("kafkaproto.server.directories")

CHECK_INTERVAL_S = 1.0
_UNKNOWN_SPACE = (-1, -1)


class DirectoryFailureError(StorageError):
    """Directories failed that the node cannot do without."""


class DirectoryWatch:
    """Watches the directories of one node."""

    def __init__(
        self,
        *,
        disk: Disk,
        metadata_path: str,
        metadata_directory_id: bytes,
        is_controller: bool,
        directories: LogDirectories | None,
        changed: Callable[[], None],
        threads: Threads = SYSTEM_THREADS,
    ) -> None:
        """``directories`` are those of a broker, None on a node that is no broker; ``changed`` is called after a
        failure."""
        self._is_controller = is_controller
        self._disk = disk
        self._metadata_path = metadata_path
        self._directories = directories
        self._changed = changed
        self._threads = threads
        self._watched = {metadata_path: metadata_directory_id}
        if directories is not None:
            for each in directories.all:
                if each.problem is None and each.directory_id is not None:
                    # The metadata directory may be one of log.dirs, and one check of it is enough.
                    self._watched.setdefault(each.path, each.directory_id)
        self._unknown: set[str] = set()
        """Directories that could not be checked the last time."""
        self._space: dict[str, tuple[int, int]] = {}

    def statuses(self) -> tuple[LogDirectoryStatus, ...]:
        """The state of the broker's directories for clients; empty on a node that is no broker."""
        return tuple(
            LogDirectoryStatus(
                path=os.path.abspath(each.path),
                directory_id=each.directory_id,
                is_online=each.problem is None,
                is_cordoned=each.is_cordoned,
                total_bytes=self._space.get(each.path, _UNKNOWN_SPACE)[0],
                usable_bytes=self._space.get(each.path, _UNKNOWN_SPACE)[1],
            )
            for each in ([] if self._directories is None else self._directories.all)
        )

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Check until cancelled; it has started once each directory was checked. Raises DirectoryFailureError."""
        async with trio.open_nursery() as nursery:
            for path, directory_id in self._watched.items():
                await nursery.start(self._watch, path, directory_id)
            task_status.started()

    def failed(self, path: str, problem: str) -> None:
        """A directory has failed. Raises DirectoryFailureError if the node cannot continue without it."""
        if path == self._metadata_path:
            raise DirectoryFailureError(
                f"the metadata log's directory {path} failed: {problem}. This node stops at once"
            )
        directories = self._directories
        assert directories is not None
        self._space.pop(path, None)
        # It may have been reported already, by code that got an error from the disk.
        if not directories.fail(path, problem):
            return
        _log.error("log directory %s failed and is offline until the next start: %s", path, problem)
        if not directories.online_ids:
            raise DirectoryFailureError(
                f"all directories in log.dirs failed, the last one was {path}: {problem}. This broker stops"
            )
        self._changed()

    async def _watch(
        self, path: str, directory_id: bytes, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
    ) -> None:
        while not self._has_failed(path):
            problem = await self._check(path, directory_id)
            if problem is not None:
                self.failed(path, problem)
            task_status.started()
            if problem is not None:
                return
            # A second call of `started` must have no effect.
            task_status = trio.TASK_STATUS_IGNORED
            await trio.sleep(CHECK_INTERVAL_S)

    def _has_failed(self, path: str) -> bool:
        """Whether other code got an error from a directory's disk. Nothing is written there until the next start."""
        directories = () if self._directories is None else self._directories.all
        return any(each.path == path and each.problem is not None for each in directories)

    async def _check(self, path: str, directory_id: bytes) -> str | None:
        """What is wrong with a directory; None if nothing is, or if it could not be checked."""
        # A controller syncs its log at least twice a second, and another sync at the same time would delay commits.
        must_sync = path != self._metadata_path or not self._is_controller
        check = partial(check_directory, self._disk, path, directory_id, must_sync=must_sync)
        try:
            # A disk that hangs must not keep the node from stopping.
            self._space[path] = await self._threads.run(check, abandon_on_cancel=True)
        except (OSError, StorageError) as error:
            if isinstance(error, OSError) and is_shortage(error):
                # The state of the directory is unknown, and that is no failure.
                _log.log(
                    logging.DEBUG if path in self._unknown else logging.WARNING,
                    "log directory %s could not be looked at: %s",
                    path,
                    error,
                )
                self._unknown.add(path)
                return None
            return str(error)
        self._unknown.discard(path)
        return None
