"""The work on a log directory: a lane of jobs, whose results come back to the event loop together.

All changes of all logs in a directory are jobs of one lane, so each log has one writer, and what waits together costs
one wake-up of the thread and one of the loop. An error of the disk or of a file is the job's result: it costs the
directory or the partition, and not the node.

A short job is done by the event loop itself while the lane is idle (`DiskLane.put_short`). To hand an append of 16 KiB
to a thread and back takes longer than the append: both threads want Python's lock, and each has to be woken."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeAlias

from kafkaproto_server.shell.process.io_workers import Report
from kafkaproto_server.shell.process.threads import Jobs, Workers
from kafkaproto_server.shell.storage.disk import without_pauses
from kafkaproto_server.shell.storage.errors import StorageError

TURN_S = 0.002
"""How long jobs are collected before their results are reported, so that the first does not wait long for the last."""
SLOW_S = 0.01
"""A short job that took longer had to wait for the disk."""
FIRST_PAUSE_S = 0.1
"""How long all jobs are left to the thread then; twice as long each time that the next short job is slow again."""
LONGEST_PAUSE_S = 10.0


class DiskJob(NamedTuple):
    """Something to do in the thread of a directory."""

    work: Callable[[], Any]
    done: Callable[[Any], None]
    """Called in the event loop with what ``work`` returned."""
    failed: Callable[[Exception], None]
    """Called in the event loop with the OSError or StorageError that ``work`` raised."""


class LogLane(Protocol):
    """Where the changes of a log are done, one after the other."""

    def put(self, job: DiskJob) -> None:
        """Queue a job."""

    def put_short(self, job: DiskJob) -> None:
        """Do a job that only writes to the page cache before this returns, or queue it."""


class DiskLane:
    """The lane of one directory's logs; a `LogLane`."""

    def __init__(self, workers: Workers) -> None:
        self._jobs: Jobs[DiskJob] = workers.lane(self._do)
        self._workers = workers
        # Jobs whose results were not taken yet.
        self._unfinished = 0
        self._is_taking = False
        self._slow_until = 0.0
        self._pause_s = FIRST_PAUSE_S

    def put(self, job: DiskJob) -> None:
        # Counted until its result is taken, not only until it is done: a short job must not overtake what follows from
        # that result.
        self._unfinished += 1
        self._jobs.put(job)

    def put_short(self, job: DiskJob) -> None:
        """Do a job that only writes to the page cache, before this returns, unless other jobs are under way or the
        disk was slow a moment ago. Then it is queued."""
        call_here = self._workers.call_here
        # A job that overtook one of the same log would write records out of order, so the lane has to be empty: its
        # results count as well, since an append counts for clients only when its result is taken.
        if (
            self._unfinished
            # What takes a result must not be overtaken by its own next job.
            or self._is_taking
            or call_here is None
            or (self._slow_until and time.perf_counter() < self._slow_until)
        ):
            self.put(job)
            return
        began = time.perf_counter()
        # No pause for descriptors either: in the event loop it would be one for all clients.
        try:
            with without_pauses:
                result = call_here(job.work)
        except (OSError, StorageError) as error:
            self._take(job.failed, error)
            return
        ended = time.perf_counter()
        if ended - began > SLOW_S:
            # The kernel makes writers wait once too much is not written back. The event loop waits once, not each time.
            self._slow_until = ended + self._pause_s
            self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)
        else:
            # One quick write is enough: the pause that grew belongs to the overload before it.
            self._slow_until, self._pause_s = 0.0, FIRST_PAUSE_S
        self._take(job.done, result)

    def _take(self, take: Callable[[Any], None], result: Any) -> None:
        self._is_taking = True
        try:
            take(result)
        finally:
            self._is_taking = False

    def _do(self, waiting: deque[DiskJob], report: Report) -> None:
        # Still in the thread. `report` has the rest done in the event loop.
        report(self._deliver, _results(waiting))

    def _deliver(self, results: list[_Result]) -> None:
        for take, result in results:
            self._unfinished -= 1
            self._take(take, result)


class HeldJobs:
    """A lane that keeps its jobs until it is known where they are done. Implements `LogLane`."""

    def __init__(self) -> None:
        self.waiting: list[DiskJob] = []

    def put(self, job: DiskJob) -> None:
        self.waiting.append(job)

    def put_short(self, job: DiskJob) -> None:
        self.waiting.append(job)


_Result: TypeAlias = tuple[Callable[[Any], None], Any]


def do_jobs(waiting: deque[DiskJob], report: Report) -> None:
    """Do some of the waiting jobs and report their results; the work of other lanes (`shell.process.io_workers`)."""
    report(_deliver, _results(waiting))


def _results(waiting: deque[DiskJob]) -> list[_Result]:
    results: list[_Result] = []
    end = time.perf_counter() + TURN_S
    # Some of them together: one wake-up of the event loop serves many appends. But not all, however many wait: the
    # first would be reported when the last is done, and its producer wait for all others.
    try:
        while waiting:
            results.append(_result(waiting.popleft()))
            if time.perf_counter() >= end:
                break
        return results
    finally:
        # An error knows the frames in which it was raised and caught, and those that called them. If one of them knew
        # the error as well, all that is in these frames would stay until the collector comes: large buffers, too.
        del results


def _result(job: DiskJob) -> _Result:
    try:
        return job.done, job.work()
    # Any other error is a mistake of this program: it ends the process, since nobody knows what the job has left half
    # done.
    except (OSError, StorageError) as error:
        return job.failed, error


def _deliver(results: list[_Result]) -> None:
    for take, result in results:
        take(result)
