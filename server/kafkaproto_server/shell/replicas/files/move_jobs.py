"""The jobs of moves between log directories: each is done in a lane of its own, one at a time for each move.

All that is done to copies is done in ``num.replica.alter.log.dirs.threads`` lanes (that many threads does Apache Kafka
have for it), so that neither directory's own lane waits for a copy.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import trio

from kafkaproto_server.base.ports import Clock
from kafkaproto_server.core.replicas.moving import Move
from kafkaproto_server.core.replicas.partition import Partition
from kafkaproto_server.shell.process.threads import Jobs, Workers
from kafkaproto_server.shell.replicas.files.disk_jobs import DiskJob, do_jobs
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.timers import Timers
from kafkaproto_server.shell.storage.log.topic_log import TopicLog


class MovingReplica:
    """One replica on its way to another directory, with its copy there."""

    __slots__ = (
        "hosted",
        "is_busy",
        "is_cancelled",
        "is_held",
        "is_over",
        "is_settling",
        "keeps_files",
        "lane",
        "log",
        "move",
        "next_target",
        "path",
        "target_id",
        "waits",
    )

    def __init__(self, hosted: Hosted, target_id: bytes, path: str, lane: Jobs[DiskJob]) -> None:
        self.hosted = hosted
        self.target_id = target_id
        self.path = path
        """Of the copy."""
        self.lane = lane
        self.move = Move()
        self.log: TopicLog | None = None
        """The copy; None until it is open."""
        self.is_busy = False
        """Whether a job is under way."""
        self.is_held = False
        """Whether the changes of the replica's log are held back."""
        self.is_settling = False
        """Whether a job lets the copy take the replica's place."""
        self.is_cancelled = False
        self.is_over = False
        self.keeps_files = False
        """Whether a copy that is given up stays for the next start."""
        self.next_target: bytes | None = None
        """Where an administrator wants the replica who came too late to stop this move."""
        self.waits = 0
        """How often it waited: only the newest wait counts."""


class MoveJobs:
    """The jobs of one broker's moves."""

    def __init__(self, workers: Workers, threads: int, clock: Clock, timers: Timers) -> None:
        self._lanes: list[Jobs[DiskJob]] = [workers.lane(do_jobs) for _ in range(threads)]
        self._clock = clock
        self._timers = timers
        self._jobs = 0
        self._idle = trio.Event()

    def lane_of(self, partition: Partition) -> Jobs[DiskJob]:
        """The lane of a partition's copies: always the same, so that what a move leaves is gone, or closed, before
        the next one of the partition begins."""
        number = (zlib.crc32(partition.topic_id) + partition.index) % len(self._lanes)
        return self._lanes[number]

    def do(
        self,
        moving: MovingReplica,
        work: Callable[[], Any],
        done: Callable[[Any], None],
        failed: Callable[[MovingReplica, Exception], None],
    ) -> None:
        """Have something done for a move. One of the two functions is called at the end."""
        assert not moving.is_busy, "a move has one job under way at a time"
        moving.is_busy = True
        self._jobs += 1

        def succeeded(result: Any) -> None:
            # Before `done`, which may begin the next job.
            moving.is_busy = False
            self._job_ended()
            done(result)

        def not_done(error: Exception) -> None:
            # Before `failed`, which ends a move only if it has no job.
            moving.is_busy = False
            self._job_ended()
            failed(moving, error)

        moving.lane.put(DiskJob(work, succeeded, not_done))

    def put_last(self, moving: MovingReplica, work: Callable[[], object]) -> None:
        """Have the last thing done for a move. Nobody hears of it but `wait_idle`, which waits for all that is before
        it in the lane as well."""
        self._jobs += 1
        # An error has no effect: the copy is given up, and the next start deletes what is left of it.
        moving.lane.put(DiskJob(work, lambda _: self._job_ended(), lambda error: self._job_ended()))

    def later(self, moving: MovingReplica, delay_ms: int, go: Callable[[MovingReplica], None]) -> None:
        """Call ``go`` after a while, unless the move waits anew before, or is over."""
        # A move may be woken while it waits. Its step may wait in turn: the older wait must not begin another step
        # beside it.
        moving.waits += 1
        number = moving.waits

        def call() -> None:
            if moving.waits == number:
                go(moving)

        self._timers.add(
            self._clock.now_ms() + delay_ms, call, lambda: moving.is_over or moving.waits != number
        )

    async def wait_idle(self) -> None:
        """Wait until no job is under way."""
        # A job that has ended may have put the next one.
        while self._jobs:
            self._idle = trio.Event()
            await self._idle.wait()

    def _job_ended(self) -> None:
        self._jobs -= 1
        assert self._jobs >= 0, "a job ended that nobody began"
        if not self._jobs:
            self._idle.set()
