"""A node's threads, without threads: blocking work is done at once in the event loop's thread, at a time that the seed
chooses, and takes as long as its disk needs.
"""

from __future__ import annotations

import contextlib
import errno
import os
import random
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, TypeVarTuple

import trio

from kafkaproto_server.shell.process.io_workers import Report, Work
from tests.sim.disk import MemoryDisk, MemoryFile, PowerLossError, _Node
from tests.support.instructions import InstructionCounter

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")

MOST_THREADS = 8
"""Of a process. trio has 40: fewer here, so that what takes them and keeps them is noticed within seconds."""
MOST_WAIT_S = 30.0
"""For one of them."""
SWITCH_S = 0.0002
"""Until a thread begins with what it was given."""
_wall_s = time.perf_counter
"""The real one, which a run replaces."""


class Spent:
    """What a process would have spent beside its event loop, and what checkers spend in its turns."""

    seconds = 0.0
    """So far, of real time: to ask for the processor's would take longer than most of what is done there."""
    counter: InstructionCounter | None = None
    """That counts the event loop's instructions, and not those."""

    @classmethod
    @contextlib.contextmanager
    def beside(cls) -> Iterator[None]:
        """While this lasts, nothing is spent in the turn."""
        began_s = _wall_s()
        counter, cls.counter = cls.counter, None
        if counter is not None:
            counter.stop()
        try:
            yield
        finally:
            if counter is not None:
                cls.counter = counter
                counter.start()
            cls.seconds += _wall_s() - began_s


class TimedDisk(MemoryDisk):
    """A disk in memory whose operations take time: whoever waits for it takes the time off with `spent_s`."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self._time_rng = rng
        self._spent_s = 0.0
        self.slowness = 1.0
        self.renamed: Callable[[str, str, _Node], None] = lambda source, target, node: None
        """Called before a file gets another name."""
        self.kept: Callable[[str], None] = lambda directory: None
        """Called when a directory was synced."""
        self.is_short: Callable[[], bool] = lambda: False
        """Whether the process has no descriptors left."""

    @property
    def descriptors(self) -> int:
        """How many the process uses for files."""
        return len(self.open_files) + len(self._locked)

    @contextlib.contextmanager
    def looked_at(self) -> Iterator[None]:
        """Nor does it take time or descriptors."""
        spent_s, is_short = self._spent_s, self.is_short
        self.is_short = lambda: False
        try:
            with super().looked_at():
                yield
        finally:
            self._spent_s, self.is_short = spent_s, is_short

    def open(self, path: str, *, create: bool = False) -> MemoryFile:
        self._need_descriptor(path)
        return super().open(path, create=create)

    def open_read_only(self, path: str) -> MemoryFile:
        self._need_descriptor(path)
        return super().open_read_only(path)

    def read_file(self, path: str) -> bytes:
        self._need_descriptor(path)
        return super().read_file(path)

    def _need_descriptor(self, path: str) -> None:
        if self.is_short():
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE), path)

    def rename(self, source: str, target: str) -> None:
        self.renamed(source, target, self._node(source))
        super().rename(source, target)

    def sync_directory(self, path: str) -> None:
        super().sync_directory(path)
        self.kept(path)

    def before(self, operation: str, path: str) -> None:
        super().before(operation, path)
        is_sync = operation in ("sync", "sync_directory")
        self._spent_s += self.slowness * self._time_rng.uniform(
            *((0.0003, 0.003) if is_sync else (1e-6, 3e-5))
        )

    def spent_s(self) -> float:
        """The time that the operations took since the last call."""
        spent, self._spent_s = self._spent_s, 0.0
        return spent

    def process_ended(self) -> None:
        """Its process was killed: files and locks are gone, and nothing of what was written."""
        self.generation += 1
        self.crash_before = None
        self._locked.clear()
        self.open_files.clear()


class SimThreads:
    """See `shell.process.threads.Threads`, for one life of one node."""

    def __init__(self, disk: TimedDisk, rng: random.Random, power_lost: Callable[[], None]) -> None:
        """``power_lost`` is called when the disk says that the machine lost power in the middle of an operation."""
        self.disk = disk
        self.rng = rng
        self.is_dead = False
        self.works_here = False
        """Whether short work is done by the event loop itself, as a real node does it, or by lanes, as all else."""
        self._power_lost = power_lost
        self._waits: dict[trio.CancelScope, None] = {}
        self.places = trio.CapacityLimiter(MOST_THREADS)
        self.longest_wait_s = 0.0
        """For one of them."""

    def die(self) -> None:
        """The process has ended: whoever waits for a thread goes on, and finds that there is none."""
        self.is_dead = True
        for scope in list(self._waits):
            scope.cancel()

    async def run(
        self, function: Callable[[*Arguments], T], *arguments: *Arguments, abandon_on_cancel: bool = False
    ) -> T:
        place = object()
        began = trio.current_time()
        try:
            with self._stopped_by_death(shield=not abandon_on_cancel):
                # Bounded: at the end of a run nobody gives places back.
                with trio.move_on_after(MOST_WAIT_S):
                    await self.places.acquire_on_behalf_of(place)
        finally:
            self.longest_wait_s = max(self.longest_wait_s, trio.current_time() - began)
        try:
            return await self._run_in_place(function, *arguments, abandon_on_cancel=abandon_on_cancel)
        finally:
            if place in self.places.statistics().borrowers:
                self.places.release_on_behalf_of(place)

    async def _run_in_place(
        self, function: Callable[[*Arguments], T], *arguments: *Arguments, abandon_on_cancel: bool
    ) -> T:
        await self._pass_s(self.rng.random() * SWITCH_S, shield=not abandon_on_cancel)
        error: Exception | None = None
        result: Any = None
        try:
            result = self.do(function, *arguments)
        except PowerLossError:
            raise
        except Exception as caught:
            error = caught
        await self._pass_s(self.disk.spent_s(), shield=not abandon_on_cancel)
        if error is not None:
            raise error
        return result  # type: ignore[no-any-return]

    def do(self, function: Callable[[*Arguments], T], *arguments: *Arguments) -> T:
        """Do it now."""
        if self.is_dead:
            raise PowerLossError("the process has ended")
        with Spent.beside():
            try:
                return function(*arguments)
            except PowerLossError:
                if not self.is_dead:
                    self._power_lost()
                raise

    async def _pass_s(self, delay_s: float, *, shield: bool) -> None:
        with self._stopped_by_death(shield=shield):
            await trio.sleep(delay_s)

    @contextlib.contextmanager
    def _stopped_by_death(self, *, shield: bool) -> Iterator[None]:
        with trio.CancelScope(shield=shield) as scope:
            self._waits[scope] = None
            try:
                yield
            finally:
                del self._waits[scope]
        if self.is_dead:
            raise PowerLossError("the process has ended")

    def workers(self, threads: int) -> SimWorkers:
        return SimWorkers(self)


class SimLane:
    """See `shell.process.io_workers.Lane`."""

    def __init__(self, workers: SimWorkers, work: Work[Any]) -> None:
        self._workers = workers
        self.work = work
        self.waiting: deque[Any] = deque()

    def put(self, job: Any) -> None:
        self.waiting.append(job)
        self._workers.ready(self)


class SimWorkers:
    """See `shell.process.io_workers.IoWorkers`: one lane after the other, in an order that the seed chooses."""

    def __init__(self, threads: SimThreads) -> None:
        self._threads = threads
        self._lanes: dict[SimLane, None] = {}
        self._wake = trio.Event()

    @property
    def call_here(self) -> Callable[[Callable[[], Any]], Any] | None:
        return self._threads.do if self._threads.works_here else None

    def lane(self, work: Work[Any]) -> SimLane:
        return SimLane(self, work)

    def ready(self, lane: SimLane) -> None:
        self._lanes[lane] = None
        self._wake.set()

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        task_status.started()
        try:
            while True:
                while not self._lanes:
                    self._wake = trio.Event()
                    await self._wake.wait()
                await self._work_one()
        except trio.Cancelled:
            # What was queued by then is done first.
            while self._lanes and not self._threads.is_dead:
                for function, arguments in self._reports():
                    function(*arguments)
            raise

    async def _work_one(self) -> None:
        threads = self._threads
        await threads._pass_s(threads.rng.random() * SWITCH_S, shield=False)
        reports = self._reports()
        # The disk's work is done and cannot be left: only its report comes later.
        await threads._pass_s(threads.disk.spent_s(), shield=True)
        for function, arguments in reports:
            function(*arguments)

    def _reports(self) -> list[tuple[Callable[..., None], tuple[Any, ...]]]:
        """Do the first of the jobs of some lane; what is to be reported of them."""
        lane = self._threads.rng.choice(list(self._lanes))
        reports: list[tuple[Callable[..., None], tuple[Any, ...]]] = []

        def report(function: Callable[..., None], *arguments: Any) -> None:
            reports.append((function, arguments))

        told: Report = report
        self._threads.do(lane.work, lane.waiting, told)
        if not lane.waiting:
            self._lanes.pop(lane, None)
        return reports
