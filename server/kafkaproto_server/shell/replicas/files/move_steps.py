"""The steps by which a replica moves to another log directory: `core.replicas.moving` decides, here they are done.

A copy is filled in the other directory, in slices, while the replica is in use. What a move needs of its lane it waits
for by callbacks, and has one job under way at a time. A move is given up if its copy cannot be written or the replica
not be read; a job that is under way then ends it. Apache Kafka has this in ReplicaAlterLogDirsThread.
"""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from kafkaproto_server.base.ports import Clock
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.core.replicas.moving import Act, Extent, Pace, Step
from kafkaproto_server.core.replicas.partition import Role
from kafkaproto_server.shell.replicas.files.checkpointed import Checkpointed
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas
from kafkaproto_server.shell.replicas.files.move_jobs import MoveJobs, MovingReplica
from kafkaproto_server.shell.replicas.files.move_switch import MoveSwitch
from kafkaproto_server.shell.storage.errors import OffsetOutOfRangeError, StorageError, is_shortage
from kafkaproto_server.shell.storage.log.copying import Slice, Unreadable, copy_slice
from kafkaproto_server.shell.storage.log.topic_log import TopicLog

_log = logging.getLogger("kafkaproto.server.replicas")

SLICE_BYTES = 1 << 20
"""How much is copied by one job; it takes some milliseconds."""
WAIT_MS = 200
"""How often a move looks whether it can go on, if nobody wakes it."""
RETRY_MS = 1000
"""Pause after the replica could not be read for a reason that goes away."""
RATE_KEY = "replica.alter.log.dirs.io.max.bytes.per.second"


class MoveListener(Protocol):
    """Who has to know how far moves are."""

    def copy_prepared(self, moving: MovingReplica) -> None:
        """A copy is durable, and has all that the replica had then: the controllers are to record its directory."""

    def move_ended(self, moving: MovingReplica) -> None:
        """A move is no longer under way."""

    def move_given_up(self, moving: MovingReplica) -> None:
        """The replica stays where it was. Comes after `move_ended`."""

    def replica_moved(self, moving: MovingReplica, former_id: bytes) -> None:
        """A replica is in another directory, and has left the one with this id. Comes after `move_ended`."""


class MoveSteps:
    """The steps of one broker's moves."""

    def __init__(
        self,
        replicas: HostedReplicas,
        broker_id: int,
        clock: Clock,
        node_configs: Callable[[], NodeConfigs],
        jobs: MoveJobs,
        switch: MoveSwitch,
        listener: MoveListener,
    ) -> None:
        self._replicas = replicas
        self._directories = replicas.directories
        self._broker_id = broker_id
        self._clock = clock
        self._node_configs = node_configs
        self._jobs = jobs
        self._switching = switch
        self._listener = listener
        self._pace = Pace()

    def begin(self, moving: MovingReplica, work: Callable[[], TopicLog]) -> None:
        """Have a thread make the copy, and go on from there."""
        self._do(moving, work, partial(self._opened, moving))

    def _opened(self, moving: MovingReplica, log: TopicLog) -> None:
        moving.log = log
        self.go(moving)

    def go(self, moving: MovingReplica) -> None:
        """Do what is next, unless a job is under way."""
        if moving.is_over or moving.is_busy:
            return
        # Whoever gave it up left its end to the job that was under way.
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
        # Both may last: the replica's appends must not wait meanwhile.
        if step.act in (Act.WAIT, Act.PREPARE):
            self._switching.release(moving)
        if step.act is Act.WAIT:
            self._jobs.later(moving, WAIT_MS, self.go)
        elif step.act is Act.CUT:
            self._change(moving, step.act, partial(log.cut_to, step.offset))
        elif step.act is Act.MOVE_START:
            self._change(moving, step.act, partial(log.move_start_to, step.offset))
        elif step.act is Act.PREPARE:
            # Kafka syncs nothing before the switch. But then what was durable is deleted in the former directory, and
            # here it might be in memory only.
            self._do(moving, log.log.flush, partial(self._flushed, moving))
        elif step.act is Act.SWITCH:
            self._switch(moving, log)
        else:
            self._copy(moving, log, step)

    def _is_recorded(self, moving: MovingReplica) -> bool:
        """Whether the metadata has the new directory. Not before may the copy be the replica (KIP-858): if the new
        directory failed, the controllers would believe that the replica is in the other one, and leave it the lead."""
        image = moving.hosted.image
        if image is None or self._broker_id not in image.replicas:
            return False
        return image.directory_of(self._broker_id) == moving.target_id

    def _change(self, moving: MovingReplica, act: Act, work: Callable[[], object]) -> None:
        """Change the copy in some way."""
        log = moving.log
        assert log is not None, "the copy is open"

        def done(_: object) -> None:
            moving.move.copy = Extent(log.log.log_start_offset, log.log.log_end_offset)
            # At once: nobody reads a copy.
            self._replicas.removals.later(moving.target_id, log.take_deleted(), 0)
            self.go(moving)

        # Before the job and not after it: a cut that comes while it is done counts again.
        moving.move.begins(act)
        self._do(moving, work, done)

    # -- records -----------------------------------------------------------------------------------------------

    def _copy(self, moving: MovingReplica, log: TopicLog, step: Step) -> None:
        hosted, source = moving.hosted, moving.hosted.log
        assert source is not None, "the replica's log is open"
        begin_ms = self._clock.now_ms()
        rate = self._node_configs().value_of(RATE_KEY)
        limit = None if rate is None else int(rate)
        # While the replica's jobs are held back, producers wait for the last records of the copy: no pause then.
        if not moving.is_held and (wait_ms := self._pace.wait_ms(limit, begin_ms)):
            self._jobs.later(moving, wait_ms, self.go)
            return
        # As they are now, in the event loop: what the thread reads behind this end, it leaves for the next slice.
        end_offset, aborted = hosted.partition.log_end_offset, hosted.partition.aborted
        first, last = (
            bisect_left(aborted, offset, key=lambda each: each.last_offset)
            for offset in (step.offset, end_offset)
        )
        part = Slice(
            offset=step.offset,
            end_offset=end_offset,
            # A slice of a low rate is small: else each would exceed the rate by a whole MiB.
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
            # All moves share one rate: what one has copied, the others wait for.
            self._pace.moved(result)
            took_ms = self._clock.now_ms() - begin_ms
            # Threads share the interpreter: what else there is to do gets half of the time.
            if took_ms and not moving.is_held:
                self._jobs.later(moving, took_ms, self.go)
            else:
                self.go(moving)

        work = partial(copy_slice, source, log, part, begins=step.act is Act.BEGIN)
        moving.move.begins(step.act)
        self._do(moving, work, done)

    def _not_read(self, moving: MovingReplica, source: TopicLog, error: Exception) -> None:
        self._switching.release(moving)
        # It was cut meanwhile, or its start moved, or it is short of something.
        is_passing = isinstance(error, OffsetOutOfRangeError | FileNotFoundError) or (
            isinstance(error, OSError) and is_shortage(error)
        )
        if not is_passing:
            if isinstance(error, StorageError):
                # The replica is damaged where nobody has looked. Its copy would be made again and again.
                _log.error("%s cannot be moved: %s", source.directory, error)
                self.give_up(moving)
            # The error of a disk is the replica's, as that of any other reader.
            self._replicas.read_failed(moving.hosted, source, error)
        self._jobs.later(moving, RETRY_MS, self.go)

    # -- preparation -------------------------------------------------------------------------------------------

    def _flushed(self, moving: MovingReplica, recovery_point: int) -> None:
        if moving.is_cancelled:
            self._end(moving)
            return
        hosted, move = moving.hosted, moving.move
        # Before the copy can be the replica: without it, records that were deleted would come back after a crash.
        self._replicas.checkpoints.arriving[moving.target_id][hosted.key] = Checkpointed(
            recovery_point=recovery_point,
            log_start_offset=move.copy.start,
            high_watermark=min(hosted.partition.high_watermark, move.copy.end),
        )
        # No job of this move is under way, but the checkpoints are: nothing else may begin.
        moving.is_busy = True
        self._replicas.write_checkpoints_of(moving.target_id, partial(self._prepared, moving))

    def _prepared(self, moving: MovingReplica) -> None:
        moving.is_busy = False
        if not moving.is_cancelled:
            # From here on the copy may become the replica at any time. If it is cut, it has to be prepared anew
            # (`Move.begins`).
            moving.move.is_prepared = True
            self._listener.copy_prepared(moving)
        self.go(moving)

    # -- the end -----------------------------------------------------------------------------------------------

    def _switch(self, moving: MovingReplica, log: TopicLog) -> None:
        hosted, source = moving.hosted, moving.hosted.log
        assert source is not None, "the replica's log is open"
        if hosted.syncs:
            # A thread syncs its files under their present names.
            self._switching.release(moving)
            self._jobs.later(moving, WAIT_MS, self.go)
        elif not moving.is_held:
            # The jobs that were put before may append: then the next step is to copy that, and not to switch.
            moving.is_busy = True
            self._switching.hold(moving, partial(self._drained, moving))
        else:
            moving.is_settling = True
            self._do(moving, self._switching.settling(moving, log, source), partial(self._settled, moving))

    def _drained(self, moving: MovingReplica) -> None:
        """What was put before the jobs were held back is done."""
        moving.is_busy = False
        self.go(moving)

    def _settled(self, moving: MovingReplica, log: TopicLog) -> None:
        # The copy has the replica's name from here on: if the move was given up meanwhile, that is what has to go.
        moving.is_settling = False
        moving.log, moving.path = log, self._switching.path_in_use(moving)
        if moving.is_cancelled:
            self._end(moving)
            return
        hosted, partition, source = moving.hosted, moving.hosted.partition, moving.hosted.log
        assert source is not None, "the replica's log is open"
        self._close(moving)
        moving.is_over = True
        former_id = self._switching.take_place(moving, log, source)
        if partition.role is Role.LEADER:
            # Its epoch may have begun while jobs were held back, when the epochs were copied already.
            work = partial(source.begin_epoch, partition.leader_epoch, partition.leader_epoch_start)
            self._replicas.changes.put(hosted, work)
        self._listener.replica_moved(moving, former_id)

    def give_up(self, moving: MovingReplica, *, keeps_files: bool = False) -> None:
        """Let a replica stay where it is."""
        moving.is_cancelled = True
        moving.keeps_files = keeps_files
        self._close(moving)
        self._switching.release(moving)
        self._listener.move_given_up(moving)
        if not moving.is_busy:
            self._end(moving)

    def _close(self, moving: MovingReplica) -> None:
        """A move has no effect any more on what is known of the replica."""
        # Compaction of the replica may go on.
        moving.hosted.is_moving = False
        self._listener.move_ended(moving)
        self._replicas.checkpoints.arriving[moving.target_id].pop(moving.hosted.key, None)

    def _end(self, moving: MovingReplica) -> None:
        """Leave the copy of a move that was given up."""
        moving.is_over = True
        log = None if moving.log is None else moving.log.log
        close = _nothing if log is None else log.abandon
        if self._directories.is_online(moving.target_id) and not moving.keeps_files:
            self._replicas.unused.discard(moving.target_id, moving.path, moving.hosted.key, moving.lane, log)
            close = _nothing
        # The stop waits for it, and so for what is before it in the lane: no file is open then.
        self._jobs.put_last(moving, close)

    def _do(self, moving: MovingReplica, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        self._jobs.do(moving, work, done, self._failed)

    def _failed(self, moving: MovingReplica, error: Exception) -> None:
        """The copy cannot be written."""
        self._directories.failed(moving.target_id, error)
        # A directory that has failed is left as it is, also the copy. Of a copy that is damaged, or was short of
        # something, nothing is of use.
        is_alive = isinstance(error, StorageError) or (isinstance(error, OSError) and is_shortage(error))
        if moving.is_settling and is_alive:
            # It may have its new name already.
            self._replicas.unused.discard(
                moving.target_id, self._switching.path_in_use(moving), moving.hosted.key, moving.lane
            )
        if moving.is_cancelled:
            self._end(moving)
        else:
            self.give_up(moving, keeps_files=not is_alive)


def _nothing() -> None:
    """For a place in a lane."""
