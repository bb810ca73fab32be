"""Moves replicas between the log directories of a broker (AlterReplicaLogDirs, KIP-113, KIP-858).

`core.replicas.moving` decides the steps; here they are done. A copy ``<topic>-<partition>.<id>-future`` is filled in
the other directory by one of ``num.replica.alter.log.dirs.threads`` lanes. All that is done to copies is done there, so
that neither directory's own lane waits for it. For the switch, the changes of the replica's log are held back, until
the copy has the last of them; then they are done in the new place. To clients that is a short pause.

What a move needs of its lane it waits for by callbacks, and has one job under way at a time. If a directory fails, or
the replica is deleted, the move is given up; a job that is under way then ends it. A move begins again at the next
start if a stop or a crash of the broker interrupted it. It also does once the replica's log is open again, if that
failed. Apache Kafka has this in ReplicaAlterLogDirsThread, Partition and LogManager.
"""

from __future__ import annotations

import logging
import os
import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.ports import Clock, Disk, Rng
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.core.broker.directories import LogDirectories
from kafkaproto_server.core.broker.replica_directories import ReplicaMoves
from kafkaproto_server.core.broker.start_table import FoundReplica
from kafkaproto_server.core.replicas.moving import Act, Extent, Move, Pace, Step
from kafkaproto_server.core.replicas.partition import Role
from kafkaproto_server.requests.data import LogStatus
from kafkaproto_server.shell.process.threads import Jobs, Workers
from kafkaproto_server.shell.replicas.files.checkpointed import Checkpointed, PartitionId
from kafkaproto_server.shell.replicas.files.disk_jobs import DiskJob, do_jobs
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas
from kafkaproto_server.shell.replicas.files.topic_settings import number_of
from kafkaproto_server.shell.replicas.timers import Timers
from kafkaproto_server.shell.storage.directories.partition_directories import (
    FUTURE_SUFFIX,
    MAX_NAME_LENGTH,
    directory_name,
    set_aside_name,
)
from kafkaproto_server.shell.storage.errors import OffsetOutOfRangeError, StorageError, is_shortage
from kafkaproto_server.shell.storage.log.copying import Slice, Unreadable, copy_slice, settle_copy
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.topic_log import TopicLog

_log = logging.getLogger("kafkaproto.server.replicas")

SLICE_BYTES = 1 << 20
"""How much is copied by one job; it takes some milliseconds."""
WAIT_MS = 200
"""How often a move looks whether it can go on, if nobody wakes it."""
RETRY_MS = 1000
"""Pause after the replica could not be read for a reason that goes away."""
_FUTURE_NAME_EXTRA = len("-.") + 32 + len(FUTURE_SUFFIX)
RATE_KEY = "replica.alter.log.dirs.io.max.bytes.per.second"
THREADS_KEY = "num.replica.alter.log.dirs.threads"


class _Moving:
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


class Moves:
    """All moves of one broker."""

    def __init__(
        self,
        *,
        replicas: HostedReplicas,
        broker_id: int,
        disk: Disk,
        clock: Clock,
        rng: Rng,
        workers: Workers,
        timers: Timers,
        directories: LogDirectories,
        node_configs: Callable[[], NodeConfigs],
        unknown: Callable[[str, int], ErrorCode],
        moved: Callable[[Hosted, bytes], None],
    ) -> None:
        """``unknown`` says why there is no open log of a partition here. ``moved`` is called with a replica that moved,
        and the id of the directory that it left."""
        self._replicas = replicas
        self._broker_id = broker_id
        self._disk = disk
        self._clock = clock
        self._rng = rng
        self._timers = timers
        self._directories = directories
        self._node_configs = node_configs
        self._unknown = unknown
        self._moved = moved
        threads = node_configs().value_of(THREADS_KEY)
        self._lanes: list[Jobs[DiskJob]] = [
            workers.lane(do_jobs) for _ in range(max(1, int(threads or len(directories.all))))
        ]
        self._pace = Pace()
        self._by_id: dict[PartitionId, _Moving] = {}
        # Moves that the last stop interrupted, or a failure of the replica's log, until that is open.
        self._interrupted: dict[PartitionId, bytes] = {}
        # Logs that replicas have left. Threads may still be reading there.
        self._left: dict[Log, None] = {}
        self._reports: ReplicaMoves | None = None
        self._is_stopping = False
        self._jobs = 0
        self._idle = trio.Event()

    def attach(self, reports: ReplicaMoves) -> None:
        """Tell ``reports`` what becomes of moves."""
        self._reports = reports

    # -- what starts and ends a move ---------------------------------------------------------------------------

    def alter(self, topic: str, index: int, hosted: Hosted | None, path: str) -> ErrorCode:
        """Move a replica to the log directory with this path, or have it begin there if there is none yet.

        A move to another directory is given up. The codes are those of AlterReplicaLogDirs.
        """
        if len(topic) + len(str(index)) + _FUTURE_NAME_EXTRA > MAX_NAME_LENGTH:
            return ErrorCode.INVALID_TOPIC_EXCEPTION
        # As DescribeLogDirs shows them.
        directory = next((each for each in self._directories.all if os.path.abspath(each.path) == path), None)
        if directory is None:
            return ErrorCode.LOG_DIR_NOT_FOUND
        if directory.problem is not None:
            return ErrorCode.KAFKA_STORAGE_ERROR
        if directory.is_cordoned:
            return ErrorCode.INVALID_REPLICA_ASSIGNMENT
        assert directory.directory_id is not None, "a directory that works has an id"
        if hosted is not None and hosted.partition.role is Role.OFFLINE:
            return ErrorCode.KAFKA_STORAGE_ERROR
        if hosted is None or hosted.log is None:
            code = self._unknown(topic, index)
            if hosted is None and code is not ErrorCode.KAFKA_STORAGE_ERROR and self._reports is not None:
                self._reports.prefer(topic, index, directory.directory_id)
            # What clients have got since before there was the other code.
            is_known = code is ErrorCode.NOT_LEADER_OR_FOLLOWER
            return ErrorCode.REPLICA_NOT_AVAILABLE if is_known else code
        return self._move(hosted, directory.directory_id)

    def _move(self, hosted: Hosted, target_id: bytes) -> ErrorCode:
        current = self._by_id.get(_id(hosted))
        if current is not None:
            if current.target_id == target_id:
                current.next_target = None
                return ErrorCode.NONE
            if current.is_settling:
                current.next_target = target_id
                return ErrorCode.NONE
            self._give_up(current)
        if target_id == hosted.directory_id:
            return ErrorCode.NONE
        # There might be a copy in the directory that is offline.
        if self._directories.has_offline:
            return ErrorCode.KAFKA_STORAGE_ERROR
        self._start(hosted, target_id)
        return ErrorCode.NONE

    def found_future(self, found: FoundReplica) -> None:
        """A copy of an interrupted move: it may differ from the replica by now, and is made anew."""
        assert found.topic_id is not None, "a copy without a topic id is a stray"
        self._replicas.discard_future(found)
        self._interrupted[found.topic_id, found.index] = found.directory_id

    def follow(self, hosted: Hosted) -> None:
        """A replica's log was opened, or the metadata has something new of it."""
        if hosted.log is None:
            return
        key = _id(hosted)
        interrupted = self._interrupted.pop(key, None)
        if interrupted is not None and self._directories.is_online(interrupted):
            self._move(hosted, interrupted)
        moving = self._by_id.get(key)
        if moving is not None:
            self._go(moving)

    def was_cut(self, hosted: Hosted) -> None:
        """A replica's log was cut at its end."""
        moving = self._by_id.get(_id(hosted))
        if moving is not None:
            moving.move.source_was_cut(hosted.partition.log_end_offset)
            self._go(moving)

    def log_closed(self, hosted: Hosted) -> None:
        """A replica's log failed. If it is opened again, it may have lost what its copy has: the move begins anew."""
        moving = self._by_id.get(_id(hosted))
        if moving is not None:
            self._interrupted[_id(hosted)] = moving.next_target or moving.target_id
            self._give_up(moving)

    def removed(self, partition_id: PartitionId) -> None:
        """A replica is about to be deleted."""
        self._interrupted.pop(partition_id, None)
        moving = self._by_id.get(partition_id)
        if moving is not None:
            self._give_up(moving)

    def directories_changed(self) -> None:
        """A directory failed. What it held stays as it is; so does a copy of a replica that is offline now."""
        for moving in tuple(self._by_id.values()):
            both = (moving.target_id, moving.hosted.directory_id)
            if not all(self._directories.is_online(each) for each in both):
                self._give_up(moving, keeps_files=True)

    def copies(self) -> Iterator[LogStatus]:
        """The copies that are being made."""
        for moving in tuple(self._by_id.values()):
            if moving.log is not None:
                partition = moving.hosted.partition
                yield LogStatus(
                    directory_id=moving.target_id,
                    topic=partition.topic,
                    index=partition.index,
                    size=moving.log.log.size_in_bytes,
                    offset_lag=partition.log_end_offset - moving.move.copy.end,
                    is_future=True,
                )

    async def stop(self) -> None:
        """Let no job run any more. Copies stay for the next start."""
        self._is_stopping = True
        for moving in tuple(self._by_id.values()):
            if not moving.is_settling:
                self._give_up(moving, keeps_files=True)
        while self._jobs:
            self._idle = trio.Event()
            await self._idle.wait()
        for log in self._left:
            log.abandon()

    def _start(self, hosted: Hosted, target_id: bytes) -> None:
        if self._is_stopping:
            return
        partition = hosted.partition
        name = set_aside_name(partition.topic, partition.index, self._rng.uuid(), FUTURE_SUFFIX)
        path = f"{self._replicas.path(target_id)}/{name}"
        number = (zlib.crc32(partition.topic_id) + partition.index) % len(self._lanes)
        moving = _Moving(hosted, target_id, path, self._lanes[number])
        hosted.is_moving = True
        self._by_id[_id(hosted)] = moving
        _log.info("%s-%d is moved to %s", partition.topic, partition.index, self._replicas.path(target_id))
        work = partial(
            TopicLog.open,
            self._disk,
            path,
            topic_id=partition.topic_id,
            config=hosted.settings.log,
            producer_expiration_ms=number_of(self._node_configs(), "producer.id.expiration.ms"),
        )
        self._do(moving, work, partial(self._opened, moving))

    def _opened(self, moving: _Moving, log: TopicLog) -> None:
        moving.log = log
        self._go(moving)

    def _give_up(self, moving: _Moving, *, keeps_files: bool = False) -> None:
        moving.is_cancelled = True
        moving.keeps_files = keeps_files
        self._close(moving)
        self._release(moving)
        partition = moving.hosted.partition
        _log.info("the move of %s-%d is given up", partition.topic, partition.index)
        if self._reports is not None:
            self._reports.stays(_id(moving.hosted))
        if not moving.is_busy:
            self._end(moving)

    def _release(self, moving: _Moving) -> None:
        if moving.is_held:
            moving.is_held = False
            self._replicas.release(moving.hosted)

    def _close(self, moving: _Moving) -> None:
        """A move has no effect any more on what is known of the replica."""
        moving.hosted.is_moving = False
        del self._by_id[_id(moving.hosted)]
        self._replicas.arriving[moving.target_id].pop(moving.hosted.key, None)

    def _end(self, moving: _Moving) -> None:
        """Leave the copy of a move that was given up."""
        moving.is_over = True
        log = None if moving.log is None else moving.log.log
        close = _nothing if log is None else log.abandon
        if self._directories.is_online(moving.target_id) and not moving.keeps_files:
            self._replicas.discard(moving.target_id, moving.path, moving.hosted.key, moving.lane, log)
            close = _nothing
        # `stop` waits for it, and so for what is before it in the lane: no file is open then.
        self._jobs += 1
        moving.lane.put(DiskJob(close, lambda _: self._job_ended(), lambda error: self._job_ended()))

    # -- the steps ---------------------------------------------------------------------------------------------

    def _go(self, moving: _Moving) -> None:
        """Do what is next, unless a job is under way."""
        if moving.is_over or moving.is_busy:
            return
        if moving.is_cancelled:
            self._end(moving)
            return
        hosted, log, partition = moving.hosted, moving.log, moving.hosted.partition
        assert log is not None, "the copy is open"
        step = moving.move.next_step(
            Extent(partition.log_start_offset, partition.log_end_offset),
            # A cut that is held back is done in the new place.
            is_being_cut=hosted.is_being_cut and not moving.is_held,
            is_recorded=self._is_recorded(moving),
        )
        if step.act in (Act.WAIT, Act.PREPARE):
            self._release(moving)
        if step.act is Act.WAIT:
            self._later(moving, WAIT_MS)
        elif step.act is Act.CUT:
            self._change(moving, step.act, partial(log.cut_to, step.offset))
        elif step.act is Act.MOVE_START:
            self._change(moving, step.act, partial(log.move_start_to, step.offset))
        elif step.act is Act.PREPARE:
            self._do(moving, log.log.flush, partial(self._flushed, moving))
        elif step.act is Act.SWITCH:
            self._switch(moving, log)
        else:
            self._copy(moving, log, step)

    def _is_recorded(self, moving: _Moving) -> bool:
        image = moving.hosted.image
        if image is None or self._broker_id not in image.replicas:
            return False
        return image.directory_of(self._broker_id) == moving.target_id

    def _change(self, moving: _Moving, act: Act, work: Callable[[], object]) -> None:
        """Change the copy in some way."""
        log = moving.log
        assert log is not None, "the copy is open"

        def done(_: object) -> None:
            moving.move.copy = Extent(log.log.log_start_offset, log.log.log_end_offset)
            self._replicas.removals.later(moving.target_id, log.take_deleted(), 0)
            self._go(moving)

        moving.move.begins(act)
        self._do(moving, work, done)

    def _copy(self, moving: _Moving, log: TopicLog, step: Step) -> None:
        hosted, source = moving.hosted, moving.hosted.log
        assert source is not None, "the replica's log is open"
        begin_ms = self._clock.now_ms()
        rate = self._node_configs().value_of(RATE_KEY)
        limit = None if rate is None else int(rate)
        if not moving.is_held and (wait_ms := self._pace.wait_ms(limit, begin_ms)):
            self._later(moving, wait_ms)
            return
        end_offset, aborted = hosted.partition.log_end_offset, hosted.partition.aborted
        first, last = (
            bisect_left(aborted, offset, key=lambda each: each.last_offset)
            for offset in (step.offset, end_offset)
        )
        part = Slice(
            offset=step.offset,
            end_offset=end_offset,
            max_bytes=SLICE_BYTES if limit is None else max(1, min(SLICE_BYTES, limit)),
            aborted=aborted[first:last],
            wall_ms=self._clock.wall_ms(),
        )

        def done(result: int | Unreadable) -> None:
            moving.move.copy = Extent(log.log.log_start_offset, log.log.log_end_offset)
            if moving.is_cancelled:
                self._end(moving)
                return
            if isinstance(result, Unreadable):
                self._not_read(moving, source, result.error)
                return
            self._pace.moved(result)
            took_ms = self._clock.now_ms() - begin_ms
            # Threads share the interpreter: what else there is to do gets half of the time.
            if took_ms and not moving.is_held:
                self._later(moving, took_ms)
            else:
                self._go(moving)

        work = partial(copy_slice, source, log, part, begins=step.act is Act.BEGIN)
        moving.move.begins(step.act)
        self._do(moving, work, done)

    def _not_read(self, moving: _Moving, source: TopicLog, error: Exception) -> None:
        self._release(moving)
        # It was cut meanwhile, or its start moved, or it is short of something.
        is_passing = isinstance(error, OffsetOutOfRangeError | FileNotFoundError) or (
            isinstance(error, OSError) and is_shortage(error)
        )
        if not is_passing:
            if isinstance(error, StorageError):
                _log.error("%s cannot be moved: %s", source.directory, error)
                self._give_up(moving)
            self._replicas.read_failed(moving.hosted, source, error)
        self._later(moving, RETRY_MS)

    def _flushed(self, moving: _Moving, recovery_point: int) -> None:
        if moving.is_cancelled:
            self._end(moving)
            return
        hosted, move = moving.hosted, moving.move
        # Before the copy can be the replica: without it, records that were deleted would come back after a crash.
        self._replicas.arriving[moving.target_id][hosted.key] = Checkpointed(
            recovery_point=recovery_point,
            log_start_offset=move.copy.start,
            high_watermark=min(hosted.partition.high_watermark, move.copy.end),
        )
        moving.is_busy = True
        self._replicas.write_checkpoints_of(moving.target_id, partial(self._prepared, moving))

    def _prepared(self, moving: _Moving) -> None:
        moving.is_busy = False
        if not moving.is_cancelled:
            moving.move.is_prepared = True
            if self._reports is not None:
                self._reports.will_move(_id(moving.hosted), moving.target_id)
        self._go(moving)

    # -- the switch --------------------------------------------------------------------------------------------

    def _switch(self, moving: _Moving, log: TopicLog) -> None:
        hosted, source = moving.hosted, moving.hosted.log
        assert source is not None, "the replica's log is open"
        if hosted.syncs:
            # A thread syncs its files under their present names.
            self._release(moving)
            self._later(moving, WAIT_MS)
        elif not moving.is_held:
            moving.is_held = True
            self._replicas.hold(hosted)
            moving.is_busy = True
            self._replicas.await_jobs(hosted, partial(self._drained, moving))
        else:
            moving.is_settling = True
            work = partial(
                settle_copy,
                self._disk,
                log,
                self._path_in_use(moving),
                epochs=source.log.epoch_starts,
                config=hosted.settings.log,
                producer_expiration_ms=number_of(self._node_configs(), "producer.id.expiration.ms"),
            )
            self._do(moving, work, partial(self._settled, moving))

    def _path_in_use(self, moving: _Moving) -> str:
        partition = moving.hosted.partition
        name = directory_name(partition.topic, partition.index)
        return f"{self._replicas.path(moving.target_id)}/{name}"

    def _drained(self, moving: _Moving) -> None:
        """What was put before the jobs were held back is done."""
        moving.is_busy = False
        self._go(moving)

    def _settled(self, moving: _Moving, log: TopicLog) -> None:
        moving.is_settling = False
        moving.log, moving.path = log, self._path_in_use(moving)
        if moving.is_cancelled:
            self._end(moving)
            return
        hosted, partition, source = moving.hosted, moving.hosted.partition, moving.hosted.log
        assert source is not None, "the replica's log is open"
        self._close(moving)
        moving.is_over = True
        former_id, former = hosted.directory_id, source.continue_as(log.log)
        self._left[former] = None
        delay_ms = number_of(self._node_configs(), "log.segment.delete.delay.ms")
        self._timers.add(self._clock.now_ms() + delay_ms, partial(self._leave, former))
        self._replicas.moved(hosted, moving.target_id)
        if partition.role is Role.LEADER:
            work = partial(source.begin_epoch, partition.leader_epoch, partition.leader_epoch_start)
            hosted.lane.put(DiskJob(work, lambda _: None, partial(self._replicas.failed, hosted)))
        self._moved(hosted, former_id)
        if self._reports is not None:
            self._reports.has_moved(_id(hosted), moving.target_id)
        _log.info("%s-%d was moved to %s", partition.topic, partition.index, source.directory)
        if moving.next_target is not None:
            self._move(hosted, moving.next_target)

    def _leave(self, former: Log) -> None:
        """Close the files of a log that moved away."""
        del self._left[former]
        former.abandon()

    # -- jobs --------------------------------------------------------------------------------------------------

    def _do(self, moving: _Moving, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        moving.is_busy = True
        self._jobs += 1

        def succeeded(result: Any) -> None:
            moving.is_busy = False
            self._job_ended()
            done(result)

        def failed(error: Exception) -> None:
            moving.is_busy = False
            self._job_ended()
            self._failed(moving, error)

        moving.lane.put(DiskJob(work, succeeded, failed))

    def _job_ended(self) -> None:
        self._jobs -= 1
        if not self._jobs:
            self._idle.set()

    def _failed(self, moving: _Moving, error: Exception) -> None:
        """The copy cannot be written."""
        self._replicas.directory_had(moving.target_id, error)
        is_alive = isinstance(error, StorageError) or (isinstance(error, OSError) and is_shortage(error))
        if moving.is_settling and is_alive:
            # It may have its new name already.
            self._replicas.discard(
                moving.target_id, self._path_in_use(moving), moving.hosted.key, moving.lane
            )
        if moving.is_cancelled:
            self._end(moving)
        else:
            self._give_up(moving, keeps_files=not is_alive)

    def _later(self, moving: _Moving, delay_ms: int) -> None:
        moving.waits += 1
        number = moving.waits

        def go() -> None:
            if moving.waits == number:
                self._go(moving)

        self._timers.add(
            self._clock.now_ms() + delay_ms, go, lambda: moving.is_over or moving.waits != number
        )


def _id(hosted: Hosted) -> PartitionId:
    return hosted.partition.topic_id, hosted.partition.index


def _nothing() -> None:
    """For a place in a lane."""
