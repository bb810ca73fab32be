"""The work on a log directory: a lane of jobs, whose results come back to the event loop together.

All changes of all logs in a directory are jobs of one lane, so each log has one writer, and what waits together costs
one wake-up of the thread and one of the loop. An error of the disk or of a file is the job's result: it costs the
directory or the partition, and not the node."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from kafkaproto_server.node.io_workers import Report
from kafkaproto_server.storage.errors import StorageError

TURN_S = 0.002
"""How long jobs are collected before their results are reported, so that the first does not wait long for the last."""


class DiskJob(NamedTuple):
    """Something to do in the thread of a directory."""

    work: Callable[[], Any]
    done: Callable[[Any], None]
    """Called in the event loop with what ``work`` returned."""
    failed: Callable[[Exception], None]
    """Called in the event loop with the OSError or StorageError that ``work`` raised."""


def do_jobs(waiting: deque[DiskJob], report: Report) -> None:
    """Do some of the waiting jobs and report their results; the work of a lane (`node.io_workers`)."""
    results: list[tuple[Callable[[Any], None], Any]] = []
    end = time.perf_counter() + TURN_S
    while waiting:
        job = waiting.popleft()
        try:
            result = job.work()
        except (OSError, StorageError) as error:
            results.append((job.failed, error))
        else:
            results.append((job.done, result))
        if time.perf_counter() >= end:
            break
    report(_deliver, results)


def _deliver(results: list[tuple[Callable[[Any], None], Any]]) -> None:
    for take, result in results:
        take(result)
