"""The replicas that the metadata places on this broker: opens and makes their logs, sets aside what is not theirs.

`broker.replica_directories` says which replica belongs in which directory. What lies in the directories already is read
once at the start (`survey`). A log is opened by a job of its directory (`disk_jobs`); until then its partition is in no
role, and clients ask again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from msgspec import structs

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.broker.directories import LogDirectories
from kafkaproto_server.broker.start_table import FoundReplica
from kafkaproto_server.config_keys.node_configs import NodeConfigs
from kafkaproto_server.image.entries import PartitionImage
from kafkaproto_server.log_state.leader_epochs import LeaderEpochs
from kafkaproto_server.node.replicas.checkpointed import (
    CHECKPOINTS,
    Checkpointed,
    PartitionId,
    checkpointed_at_start,
)
from kafkaproto_server.node.replicas.disk_jobs import DiskJob, DiskLane, LogLane, do_jobs
from kafkaproto_server.node.replicas.failed_logs import FailedLogs
from kafkaproto_server.node.replicas.producer_snapshots import ProducerSnapshots
from kafkaproto_server.node.replicas.removals import Removals
from kafkaproto_server.node.replicas.survey import DirectorySurvey
from kafkaproto_server.node.replicas.topic_settings import TopicSettings, number_of
from kafkaproto_server.node.threads import Jobs, Workers
from kafkaproto_server.ports import Clock, Disk, Rng
from kafkaproto_server.replica.partition import Partition, Role
from kafkaproto_server.storage.directories.offset_checkpoints import (
    LOG_STARTS,
    RECOVERY_POINTS,
    TopicPartition,
    write_offsets,
)
from kafkaproto_server.storage.directories.partition_directories import (
    DELETE_SUFFIX,
    STRAY_SUFFIX,
    directory_name,
    set_aside_name,
)
from kafkaproto_server.storage.errors import DiskError, LogFailedError, StorageError, is_shortage
from kafkaproto_server.storage.log.log import Log
from kafkaproto_server.storage.log.topic_log import Found, TopicLog
from kafkaproto_server.storage.log.unsynced import Unsynced, make_durable

_log = logging.getLogger("kafkaproto.server.replicas")


class HeldJobs:
    """A lane that keeps its jobs until it is known where they are done."""

    def __init__(self) -> None:
        self.waiting: list[DiskJob] = []

    def put(self, job: DiskJob) -> None:
        """See `LogLane`."""
        self.waiting.append(job)

    def put_short(self, job: DiskJob) -> None:
        """See `LogLane`."""
        self.waiting.append(job)


class Hosted:
    """One replica on this broker."""

    __slots__ = (
        "checkpointed",
        "directory_id",
        "flushed_ms",
        "found_path",
        "image",
        "is_being_cut",
        "is_closed",
        "is_gone",
        "is_moving",
        "lane",
        "log",
        "partition",
        "settings",
        "syncs",
    )

    def __init__(
        self,
        partition: Partition,
        directory_id: bytes,
        lane: LogLane,
        settings: TopicSettings,
        checkpointed: Checkpointed,
    ) -> None:
        self.partition = partition
        self.directory_id = directory_id
        self.lane = lane
        self.settings = settings
        self.log: TopicLog | None = None
        """None until it is open, and after it was closed."""
        self.image: PartitionImage | None = None
        """The newest state in the metadata."""
        self.checkpointed = checkpointed
        """What the checkpoints say while the log is not open."""
        self.found_path: str | None = None
        """Where its directory lay when the broker started, if it was there."""
        self.flushed_ms = 0
        """When the log was opened, or made durable for the last time, by the monotonic clock."""
        self.syncs = 0
        """How many threads are making it durable, or wait to do so."""
        self.is_closed = False
        """Whether its log was closed in order."""
        self.is_being_cut = False
        """Whether a job cuts its log: what the metadata says meanwhile is applied to what is left."""
        self.is_gone = False
        """Whether it was deleted, or moved away, while its log was being opened."""
        self.is_moving = False
        """Whether its log is being copied to another directory: it is not compacted meanwhile."""

    @property
    def key(self) -> TopicPartition:
        """Its name in checkpoints."""
        return self.partition.topic, self.partition.index

    def offsets(self) -> Checkpointed:
        """What the checkpoints are to say."""
        log, partition = self.log, self.partition
        if log is None:
            return self.checkpointed
        return Checkpointed(
            recovery_point=log.log.recovery_point,
            log_start_offset=partition.log_start_offset,
            high_watermark=partition.high_watermark,
        )


class HostedReplicas:
    """All replicas of one broker, by topic id and partition."""

    def __init__(
        self,
        *,
        disk: Disk,
        clock: Clock,
        rng: Rng,
        workers: Workers,
        directories: LogDirectories,
        surveys: dict[bytes, DirectorySurvey],
        node_configs: Callable[[], NodeConfigs],
        applied: Callable[[Hosted], None],
        directory_failed: Callable[[str, str], None],
        closed: Callable[[Hosted], None],
        lost: Callable[[PartitionId, bool], None],
        call_at: Callable[[int, Callable[[], None]], None],
    ) -> None:
        """``surveys`` has what lies in each directory that works, by its id. ``applied`` is called when a partition's
        log is open or its image has changed, ``closed`` when its log had to be closed. For the others see
        `FailedLogs`."""
        self._node_configs = node_configs
        self._disk = disk
        self._clock = clock
        self._rng = rng
        self._paths = {
            each.directory_id: each.path for each in directories.all if each.directory_id in surveys
        }
        self._lanes = {each: DiskLane(workers) for each in surveys}
        # For what may take long, and changes no log.
        background = {each: workers.lane(do_jobs) for each in surveys}
        self._background: dict[bytes, Jobs[DiskJob]] = background
        self._surveys = surveys
        self._directories = directories
        # What lies in the directories and was neither opened nor set aside.
        self._unopened = {
            (each.directory_id, each.topic_id, each.index, each.is_future): each
            for survey in surveys.values()
            for each in survey.found
            if not each.is_damaged
        }
        # Of replicas that the metadata has not placed here yet.
        self._unclaimed = {each: checkpointed_at_start(survey) for each, survey in surveys.items()}
        self._written: dict[tuple[bytes, str], Mapping[TopicPartition, int]] = {
            (each, name): offsets
            for each, survey in surveys.items()
            for name, offsets in ((RECOVERY_POINTS, survey.recovery_points), (LOG_STARTS, survey.log_starts))
        }
        self.arriving: dict[bytes, dict[TopicPartition, Checkpointed]] = {each: {} for each in surveys}
        """Of each directory: what its checkpoints are to say of copies that may become replicas at any moment."""
        # Checkpoints that are about to be written, as directory and name.
        self._settling: set[tuple[bytes, str]] = set()
        self.removals = Removals(disk, clock, background, self._not_removed, directories.is_online)
        for each, survey in surveys.items():
            paths = [f"{self._paths[each]}/{name}" for name in survey.deleted]
            self.removals.later(each, paths, self._delete_delay_ms)
        self._applied = applied
        self._directory_failed = directory_failed
        self._closed = closed
        self._snapshots: ProducerSnapshots[Hosted] = ProducerSnapshots(clock, call_at, self._put)
        self._failed_logs = FailedLogs(clock, call_at, self._reopen, lost)
        self._is_stopping = False
        self._opening = 0
        self.by_id: dict[PartitionId, Hosted] = {}
        self.offline: set[PartitionId] = set()
        """Replicas whose log was not opened, because it is or may be in a directory that is offline."""

    @property
    def are_open(self) -> bool:
        """Whether no log is being opened."""
        return self._opening == 0

    def __iter__(self) -> Iterator[Hosted]:
        return iter(self.by_id.values())

    @property
    def _delete_delay_ms(self) -> int:
        """How long the directory of a deleted replica stays."""
        return number_of(self._node_configs(), "log.segment.delete.delay.ms")

    def path(self, directory_id: bytes) -> str:
        """The path of a log directory that worked at the start."""
        return self._paths[directory_id]

    def get(self, topic_id: bytes, index: int) -> Hosted | None:
        """The replica of a partition; None if this broker has none."""
        return self.by_id.get((topic_id, index))

    def add(
        self, partition: Partition, image: PartitionImage, directory_id: bytes, settings: TopicSettings
    ) -> None:
        """Open the log of a replica, or begin one."""
        partition_id = (partition.topic_id, partition.index)
        _, known = self._unclaimed[directory_id].get(partition_id, (None, Checkpointed()))
        hosted = Hosted(partition, directory_id, self._lanes[directory_id], settings, known)
        hosted.image = image
        # First here, then not there any more: a thread may write a checkpoint meanwhile.
        self.by_id[partition_id] = hosted
        self._unclaimed[directory_id].pop(partition_id, None)
        found = self._take_found(directory_id, partition)
        if found is not None:
            hosted.found_path = f"{self._paths[directory_id]}/{found.name}"
        self._put_open(hosted, is_clean=found is not None and self._surveys[directory_id].is_clean)

    def _put_open(self, hosted: Hosted, *, is_clean: bool) -> None:
        partition = hosted.partition
        path = f"{self._paths[hosted.directory_id]}/{directory_name(partition.topic, partition.index)}"
        self._opening += 1
        hosted.lane.put(
            DiskJob(
                partial(
                    self._open,
                    path,
                    hosted.found_path or path,
                    partition.topic_id,
                    hosted.settings,
                    hosted.checkpointed,
                    is_clean,
                    number_of(self._node_configs(), "producer.id.expiration.ms"),
                ),
                partial(self._opened, hosted),
                partial(self._not_opened, hosted),
            )
        )

    def _take_found(self, directory_id: bytes, partition: Partition) -> FoundReplica | None:
        """What lies of a replica in the directory in which it belongs: itself, or a copy that is to become it."""
        key = (directory_id, partition.topic_id, partition.index)
        found = self._unopened.pop((*key, False), None)
        return self._unopened.pop((*key, True), None) if found is None else found

    # -- moves to another directory ----------------------------------------------------------------------------

    def hold(self, hosted: Hosted) -> None:
        """Keep the jobs of a replica from now on, until `release` or `moved`."""
        hosted.lane = HeldJobs()

    def release(self, hosted: Hosted) -> None:
        """Do what was kept."""
        held, hosted.lane = hosted.lane, self._lanes[hosted.directory_id]
        assert isinstance(held, HeldJobs), "jobs were kept"
        for job in held.waiting:
            hosted.lane.put(job)

    def await_jobs(self, hosted: Hosted, done: Callable[[], None]) -> None:
        """Call ``done`` once all jobs are done that were not kept."""
        self._lanes[hosted.directory_id].put(
            DiskJob(lambda: None, lambda _: done(), partial(self.failed, hosted))
        )

    def moved(self, hosted: Hosted, directory_id: bytes) -> None:
        """A replica is in another directory, as ``hosted.log`` says already. What it leaves is deleted; what was kept
        is done."""
        partition, former = hosted.partition, hosted.directory_id
        hosted.directory_id = directory_id
        self.release(hosted)
        name = directory_name(partition.topic, partition.index)
        self.discard(former, f"{self._paths[former]}/{name}", partition, self._lanes[former])
        for each in (directory_id, former):
            for checkpoint in CHECKPOINTS:
                self._put_checkpoint(each, checkpoint)
        self.has_rolled(hosted)

    def write_checkpoints_of(self, directory_id: bytes, done: Callable[[], None]) -> None:
        """Write all checkpoints of a directory. ``done`` is called at the end, also if the disk failed."""
        for name in CHECKPOINTS:
            self._put_checkpoint(directory_id, name)
        self._lanes[directory_id].put(DiskJob(lambda: None, lambda _: done(), lambda error: None))

    def discard(
        self,
        directory_id: bytes,
        path: str,
        partition: Partition,
        lane: Jobs[DiskJob],
        log: Log | None = None,
    ) -> None:
        """Have the directory of a replica or of a copy renamed in a lane, and removed later. ``log`` is what is still
        open of it."""
        self._discard(directory_id, path, (partition.topic, partition.index), lane, log)

    def discard_future(self, found: FoundReplica) -> None:
        """Delete a copy that a move left when the broker stopped."""
        directory_id = found.directory_id
        self._unopened.pop((directory_id, found.topic_id, found.index, True), None)
        path = f"{self._paths[directory_id]}/{found.name}"
        self._discard(directory_id, path, (found.topic, found.index), self._lanes[directory_id], None)

    def _discard(
        self, directory_id: bytes, path: str, key: TopicPartition, lane: Jobs[DiskJob], log: Log | None
    ) -> None:
        directory = self._paths[directory_id]
        target = f"{directory}/{set_aside_name(*key, self._rng.uuid(), DELETE_SUFFIX)}"

        def renamed(is_renamed: bool) -> None:
            if is_renamed:
                self.removals.later(directory_id, [target], self._delete_delay_ms)

        work = partial(self._set_aside, directory_id, log, path, target)
        lane.put(DiskJob(work, renamed, partial(self._lane_failed, directory)))

    def set_aside(self, found: FoundReplica) -> None:
        """Rename what lies in a directory and is no replica of this broker. It stays there for the administrator."""
        self._unopened.pop((found.directory_id, found.topic_id, found.index, found.is_future), None)
        if found.topic_id is not None and not found.is_future:
            self._unclaimed[found.directory_id].pop((found.topic_id, found.index), None)
        path = self._paths[found.directory_id]
        name = set_aside_name(found.topic, found.index, self._rng.uuid(), STRAY_SUFFIX)
        _log.warning("%s/%s is no replica of this broker and is renamed to %s", path, found.name, name)
        self._lanes[found.directory_id].put(
            DiskJob(
                partial(self._rename_stray, found.directory_id, f"{path}/{found.name}", f"{path}/{name}"),
                lambda _: None,
                partial(self._lane_failed, path),
            )
        )

    def _rename_stray(self, directory_id: bytes, source: str, target: str) -> None:
        # A directory that failed stays as it is.
        if self._directories.is_online(directory_id):
            self._rename(source, target)

    def _rename(self, source: str, target: str) -> None:
        self._disk.rename(source, target)
        self._disk.sync_directory(source.rpartition("/")[0])

    def _open(
        self,
        path: str,
        found_path: str,
        topic_id: bytes,
        settings: TopicSettings,
        known: Checkpointed,
        is_clean: bool,
        producer_expiration_ms: int,
    ) -> tuple[TopicLog, Found]:
        if found_path != path and self._disk.exists(found_path):
            # A future copy becomes the replica. Durably, before anything is appended: it would be taken for an
            # unfinished copy again.
            self._rename(found_path, path)
        log = TopicLog.open(
            self._disk,
            path,
            topic_id=topic_id,
            config=settings.log,
            recovery_point=known.recovery_point,
            log_start_offset=known.log_start_offset,
            is_clean=is_clean,
            producer_expiration_ms=producer_expiration_ms,
        )
        return log, log.found(self._clock.wall_ms())

    def _opened(self, hosted: Hosted, result: tuple[TopicLog, Found]) -> None:
        self._opening -= 1
        log, found = result
        if log.log.recovery_note is not None:
            _log.warning("%s", log.log.recovery_note)
        if hosted.is_gone or self._is_stopping:
            # Nothing was written to it, and `close_all` has passed it over.
            log.log.abandon()
            return
        hosted.log = log
        partition = hosted.partition
        partition.opened(
            log_start_offset=found.log_start_offset,
            log_end_offset=found.log_end_offset,
            epochs=LeaderEpochs(found.epoch_starts),
            producers=found.producers,
            aborted=found.aborted,
            high_watermark=max(partition.high_watermark, hosted.checkpointed.high_watermark),
        )
        if self._directories.is_online(hosted.directory_id):
            partition.works_again()
        self._failed_logs.opened((partition.topic_id, partition.index))
        hosted.flushed_ms = self._clock.now_ms()
        self._settle_checkpoints(hosted)
        self._remove_deleted(hosted, log)
        self._applied(hosted)

    def apply(self, hosted: Hosted) -> None:
        """Give a replica the newest state in the metadata."""
        self._applied(hosted)

    def _not_opened(self, hosted: Hosted, error: Exception) -> None:
        self._opening -= 1
        self.failed(hosted, error)

    def failed(self, hosted: Hosted, error: Exception) -> None:
        """Its log cannot be used: its files are wrong, its directory fails, or something is short."""
        if isinstance(error, LogFailedError):
            # The first failure has led to all that there is to do.
            return
        partition = hosted.partition
        partition.failed()
        self._lane_failed(self._paths[hosted.directory_id], error)
        if hosted.is_gone or not _is_of_log(error):
            return
        if hosted.log is not None:
            hosted.checkpointed = hosted.offsets()
            self._put(hosted, hosted.log.log.abandon)
            hosted.log = None
        # The job that was to cut it may be the one that failed.
        hosted.is_being_cut = False
        self._closed(hosted)
        replica = (partition.topic_id, partition.index)
        if isinstance(error, StorageError):
            self._failed_logs.damaged(replica)
        else:
            self._failed_logs.ran_short(replica)

    def _reopen(self, replica: PartitionId) -> None:
        hosted = self.by_id[replica]
        if not self._is_stopping and self._directories.is_online(hosted.directory_id):
            self._put_open(hosted, is_clean=False)

    def directory_had(self, directory_id: bytes, error: Exception) -> None:
        """A directory's disk had an error, or a log in it is damaged."""
        self._lane_failed(self._paths[directory_id], error)

    def _lane_failed(self, path: str, error: Exception) -> None:
        # Without a free descriptor, nothing is known of the directory.
        if _is_of_log(error):
            _log.error("%s", error)
        else:
            self._directory_failed(path, str(error))

    def read_failed(self, hosted: Hosted, log: TopicLog, error: Exception) -> None:
        """A reader got this error of a log. If the log is still in use, the disk is the reason."""
        if hosted.log is log and isinstance(error, OSError) and not is_shortage(error):
            self.failed(hosted, error)

    def remove(self, topic_id: bytes, index: int, code: ErrorCode) -> Hosted | None:
        """Delete a replica: its directory is renamed, and its files are removed later. Whoever waits for it gets the
        error code. Returns what it was."""
        for unclaimed in self._unclaimed.values():
            unclaimed.pop((topic_id, index), None)
        hosted = self.by_id.pop((topic_id, index), None)
        if hosted is None:
            return None
        hosted.is_gone = True
        self._failed_logs.forget((topic_id, index))
        partition, log = hosted.partition, hosted.log
        partition.failed(code)
        hosted.log = None
        path = f"{self._paths[hosted.directory_id]}/{directory_name(partition.topic, index)}"
        self.discard(hosted.directory_id, path, partition, hosted.lane, None if log is None else log.log)
        return hosted

    def _set_aside(self, directory_id: bytes, log: Log | None, source: str, target: str) -> bool:
        """Rename the directory of a replica or of a copy that is deleted. Returns whether there was anything to do."""
        if log is not None:
            log.abandon()
        # A directory that failed stays as it is. The next start finds there what is no replica of this broker.
        if not self._directories.is_online(directory_id) or not self._disk.exists(source):
            return False
        self._disk.rename(source, target)
        return True

    def close_all(self, done: Callable[[], None]) -> None:
        """Close all logs in order, and write the checkpoints; ``done`` is called at the end."""
        self._is_stopping = True
        left = len(self._lanes)
        if not left:
            done()

        def closed(_: object) -> None:
            nonlocal left
            left -= 1
            if not left:
                done()

        for hosted in self:
            log = hosted.log
            if log is not None:
                hosted.checkpointed = hosted.offsets()
                hosted.is_closed = True
                hosted.log = None
                is_online = self._directories.is_online(hosted.directory_id)
                hosted.lane.put(
                    DiskJob(
                        partial(log.close, hosted.partition.producers) if is_online else log.log.abandon,
                        lambda _: None,
                        partial(self.failed, hosted),
                    )
                )
        for directory_id, lane in self._lanes.items():
            lane.put(DiskJob(partial(self._write_closed, directory_id), closed, closed))

    @property
    def unread_directories(self) -> frozenset[bytes]:
        """The directories in which a crash before this start may have left damage that nobody has looked at: logs that
        were not opened, or not closed in order. To be asked after `close_all`."""
        unread = {each.directory_id for each in self._unopened.values()}
        unread.update(hosted.directory_id for hosted in self if not hosted.is_closed)
        return frozenset(each for each in unread if not self._surveys[each].is_clean)

    def put_job(self, directory_id: bytes, work: Callable[[], object]) -> None:
        """Have something done in the lane of a directory."""
        self._lanes[directory_id].put(
            DiskJob(work, lambda _: None, partial(self._lane_failed, self._paths[directory_id]))
        )

    def write_checkpoint(self, name: str) -> None:
        """Write one of the checkpoints of all directories."""
        for directory_id in self._lanes:
            self._put_checkpoint(directory_id, name)

    def _put_checkpoint(self, directory_id: bytes, name: str) -> None:
        self.put_job(directory_id, partial(self._write_checkpoint, directory_id, name))

    def _settle_checkpoints(self, hosted: Hosted) -> None:
        """Have checkpoints written before the next append that promise more than a log has: what is appended below its
        recovery point is not durable, and the next start would delete what is appended below its start."""
        assert hosted.log is not None, "the log is open"
        log = hosted.log.log
        for name, offset in ((RECOVERY_POINTS, log.recovery_point), (LOG_STARTS, log.log_start_offset)):
            place = (hosted.directory_id, name)
            if self._written[place].get(hosted.key, 0) > offset and place not in self._settling:
                self._settling.add(place)
                self._put_checkpoint(*place)

    def _write_checkpoint(self, directory_id: bytes, name: str) -> None:
        # Before the logs are looked at.
        self._settling.discard((directory_id, name))
        # The replicas of a directory that failed are offline. Its checkpoints stay as they are, for the next start.
        if not self._directories.is_online(directory_id):
            return
        known = dict(tuple(self._unclaimed[directory_id].values()))
        known.update(tuple(self.arriving[directory_id].items()))
        for hosted in tuple(self.by_id.values()):
            if hosted.directory_id == directory_id:
                known[hosted.key] = hosted.offsets()
        self._write_offsets(directory_id, name, known)

    def _write_offsets(
        self, directory_id: bytes, name: str, known: Mapping[TopicPartition, Checkpointed]
    ) -> None:
        offsets = {key: each.offset(name) for key, each in known.items()}
        if name == LOG_STARTS:
            offsets = {key: offset for key, offset in offsets.items() if offset}
        write_offsets(self._disk, self._paths[directory_id], name, offsets)
        self._written[directory_id, name] = offsets

    def _write_closed(self, directory_id: bytes) -> None:
        """Write the checkpoints of a directory whose logs are closed."""
        if not self._directories.is_online(directory_id):
            return
        # Once for all logs. Only then may the checkpoints say that everything is durable.
        self._disk.sync_file_system(self._paths[directory_id])
        known = dict(tuple(self._unclaimed[directory_id].values()))
        for hosted in tuple(self.by_id.values()):
            if hosted.directory_id == directory_id:
                known[hosted.key] = hosted.checkpointed
                if hosted.is_closed and hosted.partition.role is not Role.OFFLINE:
                    end_offset = hosted.partition.log_end_offset
                    known[hosted.key] = structs.replace(hosted.checkpointed, recovery_point=end_offset)
        for name in CHECKPOINTS:
            self._write_offsets(directory_id, name, known)

    # -- changes of logs ---------------------------------------------------------------------------------------

    def has_rolled(self, hosted: Hosted) -> None:
        """A log has begun a new segment: write the states of its producers, and make older segments durable."""
        self._snapshots.write(hosted)
        self.make_durable(hosted, with_active=False)

    def make_durable(self, hosted: Hosted, *, with_active: bool) -> None:
        """Make a log durable, or all of it but the last segment, beside its appends; then its recovery point moves."""
        log = hosted.log
        assert log is not None, "the log is open"
        hosted.syncs += 1
        if with_active:
            hosted.flushed_ms = self._clock.now_ms()

        def asked(unsynced: Unsynced | None) -> None:
            if unsynced is None or hosted.log is not log:
                hosted.syncs -= 1
                return
            work = partial(make_durable, self._disk, unsynced)
            self._background[hosted.directory_id].put(DiskJob(work, partial(synced, unsynced), failed))

        def synced(unsynced: Unsynced, _: object) -> None:
            hosted.syncs -= 1
            if hosted.log is log:
                self._put(hosted, partial(log.was_synced, unsynced))

        def failed(error: Exception) -> None:
            hosted.syncs -= 1
            self.failed(hosted, error)

        hosted.lane.put(DiskJob(partial(log.unsynced, with_active=with_active), asked, failed))

    def move_start(
        self, hosted: Hosted, offset: int, moved: Callable[[], None], failed: Callable[[], None]
    ) -> None:
        """Delete the records of a log before an offset, or as many of them as there are. One of the two functions is
        called at the end."""
        log = hosted.log
        assert log is not None, "the log is open"

        def done(log_start_offset: int) -> None:
            if hosted.log is log:
                self.start_moved(hosted, log_start_offset)
                moved()
            else:
                failed()

        def not_done(error: Exception) -> None:
            self.failed(hosted, error)
            failed()

        hosted.lane.put(DiskJob(partial(log.move_start_to, offset), done, not_done))

    def start_moved(self, hosted: Hosted, log_start_offset: int) -> None:
        """The records of a log before an offset are gone."""
        hosted.partition.log_start_moved(log_start_offset, now_ms=self._clock.now_ms())
        if hosted.log is not None:
            self._remove_deleted(hosted, hosted.log)

    def was_cut(self, hosted: Hosted, found: Found) -> None:
        """A log was cut at its end, and is as found now."""
        log = hosted.log
        if log is not None:
            hosted.partition.opened(
                log_start_offset=found.log_start_offset,
                log_end_offset=found.log_end_offset,
                epochs=LeaderEpochs(found.epoch_starts),
                producers=found.producers,
                aborted=found.aborted,
                high_watermark=hosted.partition.high_watermark,
            )
            self._settle_checkpoints(hosted)
            self._remove_deleted(hosted, log)

    def _remove_deleted(self, hosted: Hosted, log: TopicLog) -> None:
        """Have the files removed that a log has given up."""
        self.removals.later(hosted.directory_id, log.take_deleted(), hosted.settings.file_delete_delay_ms)

    def _not_removed(self, directory_id: bytes, error: Exception) -> None:
        self._lane_failed(self._paths[directory_id], error)

    def _put(self, hosted: Hosted, work: Callable[[], object]) -> None:
        hosted.lane.put(DiskJob(work, lambda _: None, partial(self.failed, hosted)))


def _is_of_log(error: Exception) -> bool:
    """Whether an error says nothing about the directory: files of a log are wrong, or descriptors or memory are short.
    After a sync that failed, nobody knows what the disk holds, whatever the reason."""
    if isinstance(error, StorageError):
        return True
    is_sync = isinstance(error, DiskError) and error.operation == "sync"
    return isinstance(error, OSError) and is_shortage(error) and not is_sync
