"""The lane of a directory: short jobs are done at once, but never before others, nor while the disk is slow."""

from __future__ import annotations

import errno
import gc
import time
import weakref
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kafkaproto_server.shell.process.io_workers import IoWorkers, Work
from kafkaproto_server.shell.replicas.files.disk_jobs import (
    FIRST_PAUSE_S,
    LONGEST_PAUSE_S,
    SLOW_S,
    TURN_S,
    DiskJob,
    DiskLane,
)
from kafkaproto_server.shell.storage.disk import OsDisk
from kafkaproto_server.shell.storage.errors import DiskError


class HeldWorkers:
    """A lane whose thread works when the test says so."""

    def __init__(self) -> None:
        self.call_here: Callable[[Callable[[], Any]], Any] | None = IoWorkers.call_here
        self.waiting: deque[DiskJob] = deque()
        self.reports: list[Callable[[], None]] = []

    def lane(self, work: Work[Any]) -> Any:
        self._work = work
        return self

    def put(self, job: DiskJob) -> None:
        self.waiting.append(job)

    def work(self) -> None:
        """Do all jobs; their results are under way."""
        self._work(
            self.waiting, lambda function, *arguments: self.reports.append(partial(function, *arguments))
        )

    def report(self) -> None:
        """Hand over the results."""
        for each in self.reports:
            each()
        self.reports.clear()

    async def run(self, task_status: Any = None) -> None:
        raise AssertionError("the test works")


class Jobs:
    """Short and other jobs for a lane; `log` has what was done and taken."""

    def __init__(self) -> None:
        self.workers = HeldWorkers()
        self.lane = DiskLane(self.workers)
        self.log: list[str] = []

    def job(self, name: str, *, then: Callable[[], None] = lambda: None) -> DiskJob:
        """A job that notes when it is done, and when its result is taken."""

        def taken(result: object) -> None:
            self.log.append(f"took {name}")
            then()

        return DiskJob(lambda: self.log.append(f"did {name}"), taken, taken)

    def short(self, name: str) -> None:
        """Put a short job."""
        self.lane.put_short(self.job(name))


def test_a_short_job_is_done_before_the_call_returns() -> None:
    jobs = Jobs()
    jobs.short("a")
    assert jobs.log == ["did a", "took a"]


def test_a_short_job_overtakes_no_other_nor_its_result() -> None:
    jobs = Jobs()
    jobs.lane.put(jobs.job("long"))
    jobs.short("a")
    assert jobs.log == []
    jobs.workers.work()
    assert jobs.log == ["did long", "did a"]
    # Done, but nobody has taken the results.
    jobs.short("b")
    jobs.workers.report()
    assert jobs.log == ["did long", "did a", "took long", "took a"]
    jobs.workers.work()
    jobs.workers.report()
    jobs.short("c")
    assert jobs.log[4:] == ["did b", "took b", "did c", "took c"]


def test_a_result_is_taken_whole_before_the_next_short_job() -> None:
    jobs = Jobs()
    jobs.lane.put_short(jobs.job("a", then=lambda: jobs.short("b")))
    assert jobs.log == ["did a", "took a"]
    jobs.workers.work()
    jobs.workers.report()
    assert jobs.log[2:] == ["did b", "took b"]


def test_a_result_from_the_thread_is_taken_whole_before_the_next_short_job() -> None:
    jobs = Jobs()
    jobs.lane.put(jobs.job("a", then=lambda: jobs.short("b")))
    jobs.workers.work()
    jobs.workers.report()
    assert jobs.log == ["did a", "took a"]


def test_an_error_of_the_disk_is_the_result_and_any_other_is_raised() -> None:
    jobs = Jobs()
    errors: list[Exception] = []

    def fails(error: Exception) -> None:
        raise error

    full, broken = OSError(28, "full"), RuntimeError("broken")
    jobs.lane.put_short(DiskJob(lambda: fails(full), lambda result: None, errors.append))
    assert errors == [full]
    with pytest.raises(RuntimeError, match="broken"):
        jobs.lane.put_short(DiskJob(lambda: fails(broken), lambda result: None, errors.append))


def test_a_short_job_does_not_wait_for_file_descriptors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = Jobs()
    errors: list[Exception] = []

    def short_of(*arguments: object) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr("kafkaproto_server.shell.storage.disk.os.open", short_of)
    # In a thread this would be tried until the event loop closes a connection.
    work = partial(OsDisk().open, str(tmp_path / "a"), create=True)
    jobs.lane.put_short(DiskJob(work, lambda result: None, errors.append))
    assert [type(each) for each in errors] == [DiskError]


def test_without_work_in_the_event_loop_all_is_left_to_the_thread() -> None:
    jobs = Jobs()
    jobs.workers.call_here = None
    jobs.short("a")
    assert jobs.log == []


def test_after_a_slow_job_the_thread_does_all_for_a_time_that_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs, now = Jobs(), [100.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    def slow() -> None:
        now[0] += 2 * SLOW_S

    def put_slow() -> bool:
        """Whether it was done at once."""
        before = now[0]
        jobs.lane.put_short(DiskJob(slow, lambda result: None, lambda error: None))
        was_done = now[0] != before
        jobs.workers.work()
        jobs.workers.report()
        return was_done

    pause_s = FIRST_PAUSE_S
    for _ in range(10):
        assert put_slow()
        now[0] += pause_s - 3 * SLOW_S
        assert not put_slow()
        now[0] += pause_s
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
    # One that is quick ends it.
    jobs.short("a")
    assert jobs.log == ["did a", "took a"]
    assert put_slow()
    now[0] += FIRST_PAUSE_S
    jobs.short("b")
    assert jobs.log[2:] == ["did b", "took b"]


def test_results_are_reported_when_the_turn_is_over_though_jobs_still_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    jobs, now = Jobs(), [100.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    def takes_half_a_turn(name: str) -> str:
        now[0] += TURN_S / 2
        return name

    for name in ("a", "b", "c"):
        jobs.lane.put(DiskJob(partial(takes_half_a_turn, name), jobs.log.append, lambda error: None))
    jobs.workers.work()
    jobs.workers.report()
    assert jobs.log == ["a", "b"]
    jobs.workers.work()
    jobs.workers.report()
    assert jobs.log == ["a", "b", "c"]


class _Buffer(bytearray):
    """As bytes, but its end can be seen."""


@pytest.mark.parametrize("is_returned", [True, False], ids=["returned", "raised"])
def test_what_a_job_had_when_it_failed_goes_with_its_error(*, is_returned: bool) -> None:
    buffers: list[weakref.ref[_Buffer]] = []
    errors: list[str] = []

    def fail() -> None:
        buffer = _Buffer(100)
        buffers.append(weakref.ref(buffer))
        raise OSError(errno.EIO, "it failed")

    def work() -> Exception | None:
        try:
            fail()
        except OSError as error:
            if is_returned:
                return error
            raise
        return None

    def take(error: Exception) -> None:
        errors.append(str(error))

    workers = HeldWorkers()
    lane = DiskLane(workers)
    gc.collect()
    gc.disable()
    try:
        lane.put(DiskJob(work, take, take))
        workers.work()
        workers.report()
    finally:
        gc.enable()
    assert errors == ["[Errno 5] it failed"]
    assert [each() for each in buffers] == [None]
