"""The replicas that the metadata places on this broker.

`core.broker.replica_directories` says which replica belongs in which directory. What lies in the directories already is
read once at the start (`survey`). Here each replica is added, its log fails or is begun anew, and it is removed again.
How logs are opened is in `log_loader`, what happens to an open one in `hosted_logs`, and the broker's stop in
`clean_stop`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import partial
from typing import Protocol

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.config.settings import CurrentSettings
from kafkaproto_server.core.broker.start_table import FoundReplica
from kafkaproto_server.core.log_state.leader_epochs import LeaderEpochs
from kafkaproto_server.core.replicas.partition import Partition
from kafkaproto_server.metadata.image.entries import PartitionImage
from kafkaproto_server.shell.replicas.files.boot_notes import BootNotes
from kafkaproto_server.shell.replicas.files.checkpointed import (
    CHECKPOINTS,
    EMPTIED,
    Checkpointed,
    PartitionId,
)
from kafkaproto_server.shell.replicas.files.checkpoints import Checkpoints
from kafkaproto_server.shell.replicas.files.clean_stop import CleanStop
from kafkaproto_server.shell.replicas.files.failed_logs import FailedLogs, is_of_log
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.hosted_logs import HostedLogs
from kafkaproto_server.shell.replicas.files.log_loader import HostedLogLoader
from kafkaproto_server.shell.replicas.files.log_settings import LOG_SETTINGS
from kafkaproto_server.shell.replicas.files.removals import Removals
from kafkaproto_server.shell.replicas.files.renames import Renames
from kafkaproto_server.shell.replicas.files.topic_settings import TopicSettings
from kafkaproto_server.shell.replicas.files.unopened import UnopenedReplicas
from kafkaproto_server.shell.replicas.files.unused_directories import UnusedDirectories
from kafkaproto_server.shell.replicas.files.working_directories import WorkingDirectories
from kafkaproto_server.shell.replicas.local_node import LocalMachine
from kafkaproto_server.shell.storage.directories.partition_directories import directory_name
from kafkaproto_server.shell.storage.errors import (
    LogFailedError,
    StorageError,
    UnusableFileError,
    is_shortage,
)
from kafkaproto_server.shell.storage.log.topic_log import TopicLog
from kafkaproto_server.shell.storage.log.topic_state import Found
from kafkaproto_server.shell.storage.offset_checkpoints import TopicPartition

_log = logging.getLogger("kafkaproto.server.replicas")


class LogListener(Protocol):
    """Who has to know what becomes of the logs of a broker's replicas."""

    def log_opened(self, hosted: Hosted) -> None:
        """A replica's log is open, or was cut: the newest state in the metadata can be applied to it."""

    def log_closed(self, hosted: Hosted) -> None:
        """A replica's log failed, and was closed."""

    def log_damaged(self, hosted: Hosted) -> None:
        """It cannot be used any more. Comes after `log_closed`."""

    def replica_lost(self, replica: PartitionId, is_lost: bool) -> None:
        """The controllers are to be told that a replica is lost in a directory that works; or that it is not lost any
        more."""


class HostedReplicas:
    """All replicas of one broker, by topic id and partition."""

    def __init__(
        self,
        machine: LocalMachine,
        directories: WorkingDirectories,
        node_configs: Callable[[], NodeConfigs],
        listener: LogListener,
        call_at: Callable[[int, Callable[[], None]], None],
    ) -> None:
        """``call_at`` calls a function at a time of the clock."""
        disk, clock = machine.disk, machine.clock
        settings = CurrentSettings(LOG_SETTINGS, node_configs)
        self._clock = clock
        self.directories = directories
        self._listener = listener
        self.by_id: dict[PartitionId, Hosted] = {}
        self.offline: set[PartitionId] = set()
        """Replicas whose log was not opened, because it is or may be in a directory that is offline."""
        surveys, paths = directories.surveys, directories.paths
        self._unopened = UnopenedReplicas(each for survey in surveys.values() for each in survey.found)
        self._boot_notes = BootNotes(disk, paths, surveys, directories.put_job)
        self.checkpoints = Checkpoints(
            disk,
            paths,
            surveys,
            current=self._offsets_in,
            is_online=directories.is_online,
            put_job=directories.put_job,
        )
        self.removals = Removals(
            disk, clock, directories.background, directories.failed, directories.is_online
        )
        self._renames = Renames(disk, directories.configured)
        self.unused = UnusedDirectories(machine.rng, directories, self._renames, self.removals, settings)
        self.failed_logs = FailedLogs(clock, call_at, self._reopen, listener.replica_lost)
        self._loader = HostedLogLoader(
            disk,
            clock,
            directories,
            self._renames,
            settings,
            opened=self._opened,
            failed=self.failed,
        )
        self.changes = HostedLogs(
            disk,
            clock,
            directories,
            self.checkpoints,
            self.removals,
            failed=self.failed,
            call_at=call_at,
        )
        self.clean_stop = CleanStop(self.by_id, directories, self.checkpoints, self._unopened, self.failed)

    @property
    def are_open(self) -> bool:
        """Whether no log is being opened."""
        return self._loader.are_open

    def __iter__(self) -> Iterator[Hosted]:
        return iter(self.by_id.values())

    def get(self, topic_id: bytes, index: int) -> Hosted | None:
        """The replica of a partition; None if this broker has none."""
        return self.by_id.get((topic_id, index))

    # -- what comes and goes -----------------------------------------------------------------------------------

    def add(
        self,
        partition: Partition,
        image: PartitionImage,
        directory_id: bytes,
        settings: TopicSettings,
        *,
        has_lost_all: bool = False,
    ) -> None:
        """Open the log of a replica, or begin one. ``has_lost_all``: see `replica_lost_all` of `ReplicaListener`."""
        key = (partition.topic_id, partition.index)
        assert key not in self.by_id, "a replica is added once"
        survey = self.directories.surveys[directory_id]
        found = self._unopened.take(directory_id, partition)
        known = EMPTIED if has_lost_all else Checkpointed()
        if found is not None:
            known = self.checkpoints.known(found)
        hosted = Hosted(partition, directory_id, self.directories.lanes[directory_id], settings, known)
        hosted.image = image
        # First here, then not there any more: a thread may write a checkpoint meanwhile.
        self.by_id[key] = hosted
        if found is not None:
            self.checkpoints.claim(found)
            hosted.found_path = f"{self.directories.paths[directory_id]}/{found.name}"
        if found is not None and not found.is_future:
            self._loader.open(hosted, is_kept=survey.is_kept, is_clean=survey.is_clean)
        else:
            # What the checkpoints say of its name is of another topic, or of a log that is not here any more.
            self.changes.lower_checkpoints(hosted)
            # Of a copy the survey promises nothing: it may lack the end of what was being copied.
            self._loader.open(hosted)

    def discard_future(self, found: FoundReplica) -> None:
        """Delete a copy that a move left when the broker stopped."""
        self._unopened.drop(found)
        self.unused.discard_future(found)

    def set_aside(self, found: FoundReplica) -> None:
        """Rename what lies in a directory and is no replica of this broker. It stays there for the administrator."""
        self._unopened.drop(found)
        if not found.is_future:
            # A copy has no entries: those of its partition are of the replica, which may lie in the same directory.
            self.checkpoints.claim(found)
            self.checkpoints.give_up(found.directory_id, (found.topic, found.index))
        if found.is_gone:
            # Only the checkpoints had it.
            return
        self.unused.set_aside(found)

    def remove(self, topic_id: bytes, index: int, code: ErrorCode) -> Hosted | None:
        """Delete a replica: its directory is renamed, and its files are removed later. Whoever waits for it gets the
        error code. Returns what it was."""
        hosted = self.by_id.pop((topic_id, index), None)
        if hosted is None:
            return None
        # For a thread that is opening its log: what comes of that is abandoned.
        hosted.is_gone = True
        self.failed_logs.forget((topic_id, index))
        partition, log = hosted.partition, hosted.log
        partition.failed(code)
        hosted.log = None
        # Before the rename: a checkpoint that has what no directory has looks like a loss at the next start.
        self.checkpoints.give_up(hosted.directory_id, hosted.key)
        path = f"{self.directories.paths[hosted.directory_id]}/{directory_name(*hosted.key)}"
        self.unused.discard(
            hosted.directory_id, path, hosted.key, hosted.lane, None if log is None else log.log
        )
        return hosted

    # -- logs --------------------------------------------------------------------------------------------------

    def _opened(self, hosted: Hosted, log: TopicLog, found: Found) -> None:
        if hosted.is_gone or self.clean_stop.has_begun:
            # Nothing was written to it, and the stop has passed it over.
            log.log.abandon()
            return
        hosted.log = log
        hosted.is_damaged = False
        # It has the replica's own name by now.
        hosted.found_path = None
        partition = hosted.partition
        partition.opened(
            log_start_offset=found.log_start_offset,
            log_end_offset=found.log_end_offset,
            epochs=LeaderEpochs(found.epoch_starts),
            producers=found.producers,
            aborted=found.aborted,
            # A log that is opened again knows a newer one than the checkpoint: consumers have read up to there.
            high_watermark=max(partition.high_watermark, hosted.checkpointed.high_watermark),
        )
        # The directory may have failed while a thread was opening the log in it.
        if self.directories.is_online(hosted.directory_id):
            partition.works_again()
        # An empty log has nothing of what the controllers count on: it is lost until it has that (`has_all_again`).
        if not hosted.is_anew:
            self.failed_logs.opened((partition.topic_id, partition.index))
        # `flush.ms` is measured from here, as it is from each flush.
        hosted.flushed_ms = self._clock.now_ms()
        # The log may have lost its end, or begin later than the checkpoint says.
        self.changes.lower_checkpoints(hosted)
        self.changes.remove_deleted(hosted, log)
        self._listener.log_opened(hosted)

    def apply(self, hosted: Hosted) -> None:
        """Give a replica the newest state in the metadata."""
        self._listener.log_opened(hosted)

    def failed(self, hosted: Hosted, error: Exception) -> None:
        """Its log cannot be used: its files are wrong, its directory fails, or something is short."""
        if isinstance(error, LogFailedError):
            # The first failure has led to all that there is to do.
            return
        partition = hosted.partition
        partition.failed()
        self.directories.failed(hosted.directory_id, error)
        # If the directory failed, the log stays open and unused: nothing is done in such a directory any more.
        if hosted.is_gone or not is_of_log(error):
            return
        if hosted.log is not None:
            # While there is a log to ask. The checkpoints keep saying so until it is open again.
            hosted.checkpointed = hosted.offsets()
            self.changes.put(hosted, hosted.log.log.abandon)
            hosted.log = None
        # The job that was to cut it may be the one that failed.
        hosted.is_being_cut, hosted.cut_to = False, None
        self._listener.log_closed(hosted)
        replica = (partition.topic_id, partition.index)
        if isinstance(error, StorageError):
            hosted.is_damaged = True
            self.failed_logs.damaged(replica)
            self._listener.log_damaged(hosted)
        else:
            # Its files are as they should be: it is opened again once there are descriptors or memory.
            self.failed_logs.ran_short(replica)

    def read_failed(self, hosted: Hosted, log: TopicLog, error: Exception) -> None:
        """A reader got this error of a log. If the log is still in use, the disk is the reason."""
        # A shortage costs the read and not the log: the client asks again, and appends go on.
        is_lasting = isinstance(error, OSError) and not is_shortage(error)
        if hosted.log is log and (is_lasting or isinstance(error, UnusableFileError)):
            self.failed(hosted, error)

    def _reopen(self, replica: PartitionId) -> None:
        hosted = self.by_id[replica]
        if not self.clean_stop.has_begun and self.directories.is_online(hosted.directory_id):
            self._loader.open(hosted)

    def begin_anew(self, hosted: Hosted) -> None:
        """Set the log of a replica aside, if it is damaged, and begin an empty one, to fetch all from the leader. The
        controllers must not count on what it has; they are told of it once it has all (`has_all_again`)."""
        if not hosted.is_damaged or not self.directories.is_online(hosted.directory_id):
            return
        hosted.is_damaged, hosted.is_anew = False, True
        directory = self.directories.paths[hosted.directory_id]
        path = hosted.found_path or f"{directory}/{directory_name(*hosted.key)}"
        target = f"{directory}/{self.unused.stray_name(hosted.key)}"
        _log.warning("%s is fetched anew from the leader; what is left of it is renamed to %s", path, target)
        hosted.found_path, hosted.checkpointed = None, Checkpointed()
        # Set aside and not deleted: if all other replicas are lost as well, an administrator has these records still.
        self.changes.put(hosted, partial(self._renames.stray, hosted.directory_id, path, target))
        self.changes.lower_checkpoints(hosted)
        self._loader.open(hosted)

    def has_all_again(self, hosted: Hosted) -> None:
        """A replica that was begun anew has all that is committed."""
        hosted.is_anew = False
        self.failed_logs.opened((hosted.partition.topic_id, hosted.partition.index))

    # -- checkpoints -------------------------------------------------------------------------------------------

    def write_checkpoint(self, name: str) -> None:
        """Write one of the checkpoints of all directories."""
        for directory_id in self.directories.lanes:
            self.checkpoints.write(directory_id, name)
        self._boot_notes.note(self._unread)

    def write_checkpoints_of(self, directory_id: bytes, done: Callable[[], None]) -> None:
        """Write all checkpoints of a directory. ``done`` is called at the end, also if the disk failed."""
        self.checkpoints.begin(directory_id)
        for name in CHECKPOINTS:
            self.checkpoints.write(directory_id, name)
        self.directories.await_jobs(directory_id, done)

    def _unread(self) -> Iterator[bytes]:
        """The directories with logs that were not opened since the start."""
        yield from self._unopened.directory_ids()
        # One that is damaged was looked at.
        yield from (each.directory_id for each in self if each.log is None and not each.is_damaged)

    def _offsets_in(self, directory_id: bytes) -> list[tuple[TopicPartition, Checkpointed]]:
        """What the checkpoints of a directory are to say of its replicas. The thread of the directory asks."""
        # A copy in one step: the event loop adds and removes replicas meanwhile.
        everything = tuple(self.by_id.values())
        return [(each.key, each.offsets()) for each in everything if each.directory_id == directory_id]
