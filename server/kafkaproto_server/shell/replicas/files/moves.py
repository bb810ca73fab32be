"""Moves replicas between the log directories of a broker (AlterReplicaLogDirs, KIP-113, KIP-858).

A copy ``<topic>-<partition>.<id>-future`` is filled in the other directory (`move_steps`), and takes the replica's
place at last (`move_switch`). Here is what starts a move and what ends it early: if a directory fails, or the replica
is deleted, the move is given up. It begins again at the next start if a stop or a crash of the broker interrupted it,
and once the replica's log is open again, if that failed. Apache Kafka has this in ReplicaAlterLogDirsManager,
Partition and LogManager.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from functools import partial

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.config.settings import CurrentSettings
from kafkaproto_server.core.broker.replica_directories import ReplicaMoves
from kafkaproto_server.core.broker.start_table import FoundReplica
from kafkaproto_server.core.replicas.partition import Role
from kafkaproto_server.requests.data import LogStatus
from kafkaproto_server.shell.replicas.files.checkpointed import PartitionId
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas
from kafkaproto_server.shell.replicas.files.log_settings import LOG_SETTINGS
from kafkaproto_server.shell.replicas.files.move_jobs import MoveJobs, MovingReplica
from kafkaproto_server.shell.replicas.files.move_steps import MoveSteps
from kafkaproto_server.shell.replicas.files.move_switch import MoveSwitch
from kafkaproto_server.shell.replicas.local_node import LocalMachine
from kafkaproto_server.shell.replicas.timers import Timers
from kafkaproto_server.shell.storage.directories.partition_directories import (
    FUTURE_SUFFIX,
    MAX_NAME_LENGTH,
    set_aside_name,
)
from kafkaproto_server.shell.storage.log.topic_log import TopicLog

_log = logging.getLogger("kafkaproto.server.replicas")

_FUTURE_NAME_EXTRA = len("-.") + 32 + len(FUTURE_SUFFIX)
THREADS_KEY = "num.replica.alter.log.dirs.threads"


class Moves:
    """All moves of one broker. Implements `move_steps.MoveListener`."""

    def __init__(
        self,
        replicas: HostedReplicas,
        machine: LocalMachine,
        timers: Timers,
        *,
        broker_id: int,
        node_configs: Callable[[], NodeConfigs],
        unknown: Callable[[str, int], ErrorCode],
        moved: Callable[[Hosted, bytes], None],
    ) -> None:
        """``unknown`` says why there is no open log of a partition here. ``moved`` is called with a replica that moved,
        and the id of the directory that it left."""
        self._replicas = replicas
        self._directories = replicas.directories.configured
        self._disk, self._rng, clock = machine.disk, machine.rng, machine.clock
        self._unknown = unknown
        self._moved = moved
        self._settings = CurrentSettings(LOG_SETTINGS, node_configs)
        # One thread a directory is Kafka's default as well, for which the key has no value.
        threads = node_configs().value_of(THREADS_KEY)
        number = max(1, int(threads or len(self._directories.all)))
        self._jobs = MoveJobs(machine.workers, number, clock, timers)
        self._switch = MoveSwitch(
            replicas,
            machine.disk,
            self._settings,
            lambda delay_ms, call: timers.add(clock.now_ms() + delay_ms, call),
        )
        self._steps = MoveSteps(replicas, broker_id, clock, node_configs, self._jobs, self._switch, self)
        self._by_id: dict[PartitionId, MovingReplica] = {}
        # Moves that the last stop interrupted, or a failure of the replica's log, until that is open.
        self._interrupted: dict[PartitionId, bytes] = {}
        self._reports: ReplicaMoves | None = None
        self._is_stopping = False

    def attach(self, reports: ReplicaMoves) -> None:
        """Tell ``reports`` what becomes of moves."""
        self._reports = reports

    # -- what an administrator wants ---------------------------------------------------------------------------

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
            # It takes no new replicas, and to it a replica that moves is one (KIP-1066).
            return ErrorCode.INVALID_REPLICA_ASSIGNMENT
        assert directory.directory_id is not None, "a directory that works has an id"
        # Its copy would have what could be read, and count as the replica.
        if hosted is not None and hosted.partition.role is Role.OFFLINE:
            return ErrorCode.KAFKA_STORAGE_ERROR
        if hosted is None or hosted.log is None:
            code = self._unknown(topic, index)
            if hosted is None and code is not ErrorCode.KAFKA_STORAGE_ERROR and self._reports is not None:
                # KIP-113: the directory is remembered, and the replica begins there if this broker gets it.
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
                # Too late to give it up: the copy may have the replica's name already. It moves on from there.
                current.next_target = target_id
                return ErrorCode.NONE
            # The newest order counts, as in Apache Kafka. The copy in the other directory is deleted.
            self._steps.give_up(current)
        if target_id == hosted.directory_id:
            return ErrorCode.NONE
        # A move begins with an empty copy. Two of one replica would be found at a start at which that directory works.
        # There might be a copy in the directory that is offline.
        if self._directories.has_offline:
            return ErrorCode.KAFKA_STORAGE_ERROR
        self._start(hosted, target_id)
        return ErrorCode.NONE

    def _start(self, hosted: Hosted, target_id: bytes) -> None:
        # Nobody would close its copy.
        if self._is_stopping:
            return
        partition = hosted.partition
        directory = self._replicas.directories.paths[target_id]
        name = set_aside_name(partition.topic, partition.index, self._rng.uuid(), FUTURE_SUFFIX)
        path = f"{directory}/{name}"
        moving = MovingReplica(hosted, target_id, path, self._jobs.lane_of(partition))
        # It is not compacted from now on: the copy would have records that the replica does not have.
        hosted.is_moving = True
        self._by_id[_id(hosted)] = moving
        _log.info("%s-%d is moved to %s", partition.topic, partition.index, directory)
        work = partial(
            TopicLog.open,
            self._disk,
            path,
            topic_id=partition.topic_id,
            config=hosted.settings.log,
            producer_expiration_ms=self._settings().producer_expiration_ms,
        )
        self._steps.begin(moving, work)

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

    # -- what happens to replicas ------------------------------------------------------------------------------

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
        # Once the log is open, not when the copy was found: until then there is nothing to copy from.
        interrupted = self._interrupted.pop(key, None)
        if interrupted is not None and self._directories.is_online(interrupted):
            self._move(hosted, interrupted)
        moving = self._by_id.get(key)
        if moving is not None:
            # The metadata may have the new directory now: the move waits for that.
            self._steps.go(moving)

    def was_cut(self, hosted: Hosted) -> None:
        """A replica's log was cut at its end."""
        moving = self._by_id.get(_id(hosted))
        if moving is not None:
            # Before the next step: the copy may have what was cut off, and has to lose it before anything is appended.
            moving.move.source_was_cut(hosted.partition.log_end_offset)
            self._steps.go(moving)

    def log_closed(self, hosted: Hosted) -> None:
        """A replica's log failed. If it is opened again, it may have lost what its copy has: the move begins anew."""
        moving = self._by_id.get(_id(hosted))
        if moving is not None:
            # Where the administrator wants it in the end, if the order came while the copy was settling.
            self._interrupted[_id(hosted)] = moving.next_target or moving.target_id
            self._steps.give_up(moving)

    def removed(self, partition_id: PartitionId) -> None:
        """A replica is about to be deleted."""
        # A replica of the same id may come back, and has no order then.
        self._interrupted.pop(partition_id, None)
        moving = self._by_id.get(partition_id)
        if moving is not None:
            self._steps.give_up(moving)

    def directories_changed(self) -> None:
        """A directory failed. What it held stays as it is; so does a copy of a replica that is offline now."""
        # What failed may be the copy's directory or the replica's. In both cases the next start decides: a copy may be
        # all that is left.
        for moving in tuple(self._by_id.values()):
            both = (moving.target_id, moving.hosted.directory_id)
            if not all(self._directories.is_online(each) for each in both):
                self._steps.give_up(moving, keeps_files=True)

    async def stop(self) -> None:
        """Let no job run any more. Copies stay for the next start."""
        self._is_stopping = True
        for moving in tuple(self._by_id.values()):
            # What has begun to settle goes on to its end: half of it would leave two replicas.
            if not moving.is_settling:
                self._steps.give_up(moving, keeps_files=True)
        await self._jobs.wait_idle()
        self._switch.leave_all()

    # -- how far moves are -------------------------------------------------------------------------------------

    def copy_prepared(self, moving: MovingReplica) -> None:
        if self._reports is not None:
            self._reports.will_move(_id(moving.hosted), moving.target_id)

    def move_ended(self, moving: MovingReplica) -> None:
        # Before anything else hears of the end: it may begin another move of the replica.
        del self._by_id[_id(moving.hosted)]

    def move_given_up(self, moving: MovingReplica) -> None:
        partition = moving.hosted.partition
        _log.info("the move of %s-%d is given up", partition.topic, partition.index)
        if self._reports is not None:
            self._reports.stays(_id(moving.hosted))

    def replica_moved(self, moving: MovingReplica, former_id: bytes) -> None:
        hosted, partition = moving.hosted, moving.hosted.partition
        self._moved(hosted, former_id)
        if self._reports is not None:
            self._reports.has_moved(_id(hosted), moving.target_id)
        directory = self._switch.path_in_use(moving)
        _log.info("%s-%d was moved to %s", partition.topic, partition.index, directory)
        if moving.next_target is not None:
            self._move(hosted, moving.next_target)


def _id(hosted: Hosted) -> PartitionId:
    return hosted.partition.topic_id, hosted.partition.index
