"""Threads for blocking work on disks.

Work comes in lanes, usually one for each log. The jobs of a lane are done in the order of their arrival and never
beside each other; different lanes are done beside each other, as far as there are threads. A lane sees all its waiting
jobs, so that appends that wait together can share a write and a sync.

A pool has one failure: the first exception of a job ends it, and with it the node. Nobody knows what a disk holds after
an error, so nothing may depend on it.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import trio

J = TypeVar("J")
T = TypeVar("T")

Report = Callable[..., None]
"""``report(function, *arguments)`` has the event loop's thread call the function."""

Work = Callable[[deque[J], Report], None]
"""Does at least the first of the waiting jobs, in a thread, and removes those that it did. The event loop may add jobs
meanwhile."""


class Lane(Generic[J]):
    """Jobs that are done one after the other; made by `IoWorkers.lane`."""

    def __init__(self, workers: IoWorkers, work: Work[J]) -> None:
        self._workers = workers
        self._work = work
        self._waiting: deque[J] = deque()
        self._is_scheduled = False

    def put(self, job: J) -> None:
        """Queue a job. For the event loop's thread."""
        with self._workers.changing:
            # Not before: a thread that runs this lane could do the job and leave, and the lane would be scheduled with
            # nothing to do.
            self._waiting.append(job)
            # At most once in the queue: two threads must never do the jobs of one lane beside each other.
            if not self._is_scheduled:
                self._is_scheduled = True
                self._workers.ready.put(self)

    def run(self, report: Report) -> None:
        """Do some jobs, and all of them if the pool ends. For the pool's threads."""
        while True:
            # Without the lock, since it may take seconds: one thread may append to a deque while another one takes from
            # it.
            self._work(self._waiting, report)
            with self._workers.changing:
                # Under the lock: a job that is put at this moment either is seen here or schedules
                # the lane again.
                self._is_scheduled = bool(self._waiting)
                if not self._waiting:
                    return
                if not self._workers.is_ending:
                    # At the end of the queue, because other lanes wait as well.
                    self._workers.ready.put(self)
                    return


class IoWorkers:
    """A pool of threads and the lanes that share them."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self.ready: queue.SimpleQueue[Lane[Any] | None] = queue.SimpleQueue()
        """Lanes with jobs, each at most once; None ends one thread."""
        self.changing = threading.Lock()
        """Held while a lane is scheduled, and while the pool is told to end."""
        self.is_ending = False

    @staticmethod
    def call_here(function: Callable[[], T]) -> T:
        """Call a function in this thread."""
        return function()

    def lane(self, work: Work[J]) -> Lane[J]:
        """A new lane, whose jobs are done by ``work``."""
        return Lane(self, work)

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Work until cancelled; jobs that were queued by then are done first. Raises the error of a failed job."""
        # Results come back in the order in which threads report them, and the loop is woken once for many.
        report = trio.lowlevel.current_trio_token().run_sync_soon
        # Not trio's own limiter: these threads stay until the node ends, and would take the places of all other calls.
        limiter = trio.CapacityLimiter(self._threads)
        async with trio.open_nursery() as nursery:
            try:
                for _ in range(self._threads):
                    nursery.start_soon(self._run_thread, report, limiter)
                task_status.started()
                await trio.sleep_forever()
            finally:
                with self.changing:
                    # From now on a lane is worked off at once: nobody would take it out of the
                    # queue again.
                    self.is_ending = True
                for _ in range(self._threads):
                    self.ready.put(None)

    async def _run_thread(self, report: Report, limiter: trio.CapacityLimiter) -> None:
        # A thread must not be abandoned in the middle of a write, so it ends by an order.
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(self._serve, report, limiter=limiter)

    def _serve(self, report: Report) -> None:
        while (lane := self.ready.get()) is not None:
            lane.run(report)
