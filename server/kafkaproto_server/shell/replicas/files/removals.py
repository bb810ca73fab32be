"""Removes files and directories a while after they were deleted by a rename (``file.delete.delay.ms``).

A reader may still use a file when its log gives it up, and to free a gigabyte may take a file system long. So a
deletion is a rename; the removal comes later, in a thread that no append waits for. What is left at a stop of the
broker, or in a directory that has failed, is removed after the next start. Apache Kafka has it in LocalLog and in
LogManager.deleteLogs.
"""

from __future__ import annotations

import heapq
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import count

import trio

from kafkaproto_server.base.ports import Clock, Disk
from kafkaproto_server.shell.process.threads import Jobs
from kafkaproto_server.shell.replicas.files.disk_jobs import DiskJob
from kafkaproto_server.shell.storage.errors import OF_FILES

_log = logging.getLogger("kafkaproto.server.replicas")

MAX_PATHS_PER_JOB = 100
"""How many files one job removes, so that other work of the lane gets its turn."""


class Removals:
    """What is to be removed from the log directories of a broker, and when."""

    def __init__(
        self,
        disk: Disk,
        clock: Clock,
        lanes: Mapping[bytes, Jobs[DiskJob]],
        failed: Callable[[bytes, Exception], None],
        is_online: Callable[[bytes], bool],
    ) -> None:
        """``lanes`` are for work that may take long, by the id of the log directory. ``failed`` is called with that id
        and the error of a removal, ``is_online`` says whether a directory works."""
        self._disk = disk
        self._clock = clock
        self._lanes = lanes
        self._failed = failed
        self._is_online = is_online
        self._heap: list[tuple[int, int, bytes, Sequence[str]]] = []
        self._numbers = count()
        self._wake = trio.Event()

    def later(self, directory_id: bytes, paths: Iterable[str], delay_ms: int) -> None:
        """Remove files, or directories with all files in them, after a delay."""
        paths = tuple(paths)
        at_ms = self._clock.now_ms() + delay_ms
        for begin in range(0, len(paths), MAX_PATHS_PER_JOB):
            part = paths[begin : begin + MAX_PATHS_PER_JOB]
            heapq.heappush(self._heap, (at_ms, next(self._numbers), directory_id, part))
        # The next one may be due earlier than what `run` sleeps for: delays differ by topic.
        if paths:
            self._wake.set()

    async def run(self) -> None:
        """Remove what is due, until cancelled."""
        while True:
            self._wake = trio.Event()
            self.remove_due()
            wait_s = (self._heap[0][0] - self._clock.now_ms()) / 1000 if self._heap else float("inf")
            with trio.move_on_after(max(0, wait_s)):
                await self._wake.wait()

    def remove_due(self) -> None:
        """Remove what is due now."""
        now_ms = self._clock.now_ms()
        while self._heap and self._heap[0][0] <= now_ms:
            _, _, directory_id, paths = heapq.heappop(self._heap)
            # A directory that has failed stays as it is. What is to be removed there says so by its name, and the next
            # start removes it.
            if not self._is_online(directory_id):
                continue
            self._lanes[directory_id].put(
                DiskJob(
                    partial(_remove, self._disk, paths), lambda _: None, partial(self._failed, directory_id)
                )
            )


def _remove(disk: Disk, paths: Sequence[str]) -> None:
    # Not durable: what a crash brings back is found at the next start, under the same name.
    for path in paths:
        # Its directory may have been renamed with the topic's deletion, and a name may come twice.
        try:
            if disk.is_directory(path):
                # If a crash comes in between, the rest has a name still that says that it is to be removed.
                for name in disk.list_directory(path):
                    disk.remove(f"{path}/{name}")
                disk.remove_directory(path)
            else:
                disk.remove(path)
        except FileNotFoundError:
            pass
        except OSError as error:
            if error.errno not in OF_FILES:
                raise
            # Somebody put it there, or let nobody remove it. The directory works.
            _log.warning("%s stays: %s", path, error)
