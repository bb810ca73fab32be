"""Pools of threads: order within a lane, lanes beside each other, ends and failures."""

from __future__ import annotations

import threading
from collections import deque

import pytest
import trio

from kafkaproto_server.shell.process.io_workers import IoWorkers, Report

pytestmark = pytest.mark.trio

WAIT_S = 10


class Recorder:
    """A lane's work: notes each job, and waits at those that are gates."""

    def __init__(self) -> None:
        self.done: list[object] = []
        self.reported: list[object] = []
        self.threads: set[int] = set()
        self.beside = 0
        self.most_beside = 0

    def work(self, waiting: deque[object], report: Report) -> None:
        self.beside += 1
        self.most_beside = max(self.most_beside, self.beside)
        job = waiting.popleft()
        self.threads.add(threading.get_ident())
        if isinstance(job, threading.Event):
            assert job.wait(WAIT_S)
        elif isinstance(job, Exception):
            raise job
        self.done.append(job)
        self.beside -= 1
        report(self.reported.append, job)


async def test_a_lane_keeps_its_order_whatever_thread_it_gets() -> None:
    workers, recorders = IoWorkers(threads=3), [Recorder() for _ in range(5)]
    lanes = [workers.lane(recorder.work) for recorder in recorders]
    with trio.fail_after(WAIT_S):
        async with trio.open_nursery() as nursery:
            await nursery.start(workers.run)
            for number in range(200):
                for lane in lanes:
                    lane.put(number)
                if number % 50 == 0:
                    await trio.sleep(0)
            while any(len(recorder.reported) < 200 for recorder in recorders):
                await trio.sleep(0.001)
            nursery.cancel_scope.cancel()
    for recorder in recorders:
        assert recorder.done == recorder.reported == [*range(200)]
        assert recorder.most_beside == 1
    assert len(set().union(*(recorder.threads for recorder in recorders))) <= 3


async def test_a_lane_that_waits_holds_up_no_other_one() -> None:
    workers, slow, quick = IoWorkers(threads=2), Recorder(), Recorder()
    slow_lane, quick_lane = workers.lane(slow.work), workers.lane(quick.work)
    gate = threading.Event()
    with trio.fail_after(WAIT_S):
        async with trio.open_nursery() as nursery:
            await nursery.start(workers.run)
            slow_lane.put(gate)
            for number in range(3):
                quick_lane.put(number)
            while quick.reported != [0, 1, 2]:
                await trio.sleep(0.001)
            assert not slow.done
            gate.set()
            nursery.cancel_scope.cancel()
    assert slow.done == [gate]


async def test_one_thread_serves_its_lanes_in_turn() -> None:
    """No lane that has much to do keeps the others waiting until it is done."""
    workers, first, second = IoWorkers(threads=1), Recorder(), Recorder()
    first_lane, second_lane = workers.lane(first.work), workers.lane(second.work)
    gate = threading.Event()
    with trio.fail_after(WAIT_S):
        async with trio.open_nursery() as nursery:
            await nursery.start(workers.run)
            first_lane.put(gate)
            stop = threading.Event()
            for job in (1, stop, 3):
                first_lane.put(job)
            second_lane.put("other")
            gate.set()
            while second.reported != ["other"]:
                await trio.sleep(0.001)
            assert stop not in first.done
            stop.set()
            nursery.cancel_scope.cancel()
    assert first.done == [gate, 1, stop, 3]


@pytest.mark.parametrize("threads", [1, 3])
async def test_what_was_queued_is_done_before_the_pool_ends(threads: int) -> None:
    workers, recorders = IoWorkers(threads=threads), [Recorder() for _ in range(4)]
    lanes = [workers.lane(recorder.work) for recorder in recorders]
    gates = [threading.Event() for _ in lanes]
    with trio.fail_after(WAIT_S):
        async with trio.open_nursery() as nursery:
            await nursery.start(workers.run)
            for lane, gate in zip(lanes, gates, strict=True):
                for job in (gate, *range(20)):
                    lane.put(job)
            nursery.cancel_scope.cancel()
            for gate in gates:
                gate.set()
    for recorder, gate in zip(recorders, gates, strict=True):
        assert recorder.done == [gate, *range(20)]


async def test_a_job_that_fails_ends_the_pool_with_its_error() -> None:
    workers, good, bad = IoWorkers(threads=2), Recorder(), Recorder()
    good_lane, bad_lane = workers.lane(good.work), workers.lane(bad.work)
    with (
        pytest.RaisesGroup(pytest.RaisesExc(OSError, match="no disk"), flatten_subgroups=True),
        trio.fail_after(WAIT_S),
    ):
        async with trio.open_nursery() as nursery:
            await nursery.start(workers.run)
            bad_lane.put(OSError("no disk"))
            bad_lane.put("after it")
            good_lane.put("other")
    assert bad.done == []
    assert good.done == ["other"]


class LateLock:
    """A lock that the event loop's thread gets only once a lane has done all that it could see."""

    def __init__(self, lane_is_done: threading.Event) -> None:
        self._lock = threading.Lock()
        self._lane_is_done = lane_is_done
        self._loop = threading.get_ident()
        self.is_late = False

    def __enter__(self) -> None:
        if self.is_late and threading.get_ident() == self._loop:
            assert self._lane_is_done.wait(WAIT_S)
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()
        if threading.get_ident() != self._loop:
            self._lane_is_done.set()


async def test_a_job_that_comes_while_the_others_are_done_is_done_once_and_never_missed() -> None:
    """A lane that takes all waiting jobs together must not be scheduled again for one that it has done already."""
    done: list[int] = []
    has_begun, gate, lane_is_done = threading.Event(), threading.Event(), threading.Event()

    def work(waiting: deque[int], report: Report) -> None:
        has_begun.set()
        assert gate.wait(WAIT_S)
        done.append(waiting.popleft())
        while waiting:
            done.append(waiting.popleft())

    workers = IoWorkers(threads=1)
    workers.changing = lock = LateLock(lane_is_done)  # type: ignore[assignment]
    lane = workers.lane(work)
    with trio.fail_after(WAIT_S):
        async with trio.open_nursery() as nursery:
            await nursery.start(workers.run)
            lane.put(1)
            assert await trio.to_thread.run_sync(has_begun.wait, WAIT_S)
            lock.is_late = True
            gate.set()
            lane.put(2)
            lock.is_late = False
            while done != [1, 2]:
                await trio.sleep(0.001)
            nursery.cancel_scope.cancel()
    assert done == [1, 2]
