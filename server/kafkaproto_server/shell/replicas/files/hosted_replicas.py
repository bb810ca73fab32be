"""The replicas that the metadata places on this broker: opens and makes their logs, sets aside what is not theirs.

`core.broker.replica_directories` says which replica belongs in which directory. What lies in the directories already is
read once at the start (`survey`). A log is opened by a job of its directory (`disk_jobs`); until then its partition is
in no role, and clients ask again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import partial

from msgspec import structs

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.later import Gather
from kafkaproto_server.base.metrics.histogram import Histogram
from kafkaproto_server.base.ports import Clock, Disk, Rng
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.core.broker.directories import LogDirectories
from kafkaproto_server.core.broker.start_table import FoundReplica
from kafkaproto_server.core.log_state.leader_epochs import LeaderEpochs
from kafkaproto_server.core.replicas.partition import Partition, Role
from kafkaproto_server.metadata.image.entries import PartitionImage
from kafkaproto_server.shell.process.threads import Jobs, Workers
from kafkaproto_server.shell.replicas.files.boot_notes import BootNotes
from kafkaproto_server.shell.replicas.files.checkpointed import (
    CHECKPOINTS,
    EMPTIED,
    Checkpointed,
    PartitionId,
)
from kafkaproto_server.shell.replicas.files.checkpoints import Checkpoints
from kafkaproto_server.shell.replicas.files.disk_jobs import DiskJob, DiskLane, HeldJobs, do_jobs
from kafkaproto_server.shell.replicas.files.failed_logs import FailedLogs, is_of_log
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.producer_snapshots import ProducerSnapshots
from kafkaproto_server.shell.replicas.files.removals import Removals
from kafkaproto_server.shell.replicas.files.renames import Renames
from kafkaproto_server.shell.replicas.files.survey import DirectorySurvey
from kafkaproto_server.shell.replicas.files.topic_settings import TopicSettings, number_of
from kafkaproto_server.shell.storage.directories.partition_directories import (
    DELETE_SUFFIX,
    STRAY_SUFFIX,
    directory_name,
    set_aside_name,
)
from kafkaproto_server.shell.storage.errors import (
    LogFailedError,
    StorageError,
    UnusableFileError,
    is_shortage,
)
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.topic_log import TopicLog
from kafkaproto_server.shell.storage.log.topic_state import Found
from kafkaproto_server.shell.storage.log.unsynced import Unsynced, time_to_make_durable
from kafkaproto_server.shell.storage.offset_checkpoints import TopicPartition

_log = logging.getLogger("kafkaproto.server.replicas")


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
        damaged: Callable[[Hosted], None],
        lost: Callable[[PartitionId, bool], None],
        call_at: Callable[[int, Callable[[], None]], None],
    ) -> None:
        """``surveys`` has what lies in each directory that works, by its id. ``applied`` is called when a partition's
        log is open or its image has changed, ``closed`` when its log had to be closed, ``damaged`` when its log cannot
        be used any more. For the others see `FailedLogs`."""
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
        self._renames = Renames(disk, directories)
        found = [each for survey in surveys.values() for each in survey.found]
        # What lies in the directories and was neither opened nor set aside.
        self._unopened = {
            (each.directory_id, each.topic_id, each.index, each.is_future): each
            for each in found
            if not each.is_damaged
        }
        # The same but future copies, by name, with those that do not say whose replica they are, as they once did.
        self._unopened_names = {(each.directory_id, each.name): each for each in found if not each.is_future}
        self._boot_notes = BootNotes(disk, self._paths, surveys, self.put_job)
        self._checkpoints = Checkpoints(
            disk,
            self._paths,
            surveys,
            current=self._offsets_in,
            is_online=directories.is_online,
            put_job=self.put_job,
        )
        self.arriving = self._checkpoints.arriving
        """See `Checkpoints.arriving`."""
        self.removals = Removals(disk, clock, background, self._not_removed, directories.is_online)
        for directory_id, survey in surveys.items():
            paths = [f"{self._paths[directory_id]}/{name}" for name in survey.deleted]
            self.removals.later(directory_id, paths, self._delete_delay_ms)
        self._applied, self._closed, self._damaged = applied, closed, damaged
        self._directory_failed = directory_failed
        self.failed_logs = FailedLogs(clock, call_at, self._reopen, lost)
        self.flushes = Histogram()
        self._snapshots: ProducerSnapshots[Hosted] = ProducerSnapshots(clock, call_at, self._put)
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
        self,
        partition: Partition,
        image: PartitionImage,
        directory_id: bytes,
        settings: TopicSettings,
        *,
        has_lost_all: bool = False,
    ) -> None:
        """Open the log of a replica, or begin one. ``has_lost_all``: see `replica_lost_all` of `ReplicaListener`."""
        survey = self._surveys[directory_id]
        found = self._take_found(directory_id, partition)
        known = EMPTIED if has_lost_all else Checkpointed()
        if found is not None:
            known = self._checkpoints.known(found)
        hosted = Hosted(partition, directory_id, self._lanes[directory_id], settings, known)
        hosted.image = image
        # First here, then not there any more: a thread may write a checkpoint meanwhile.
        self.by_id[partition.topic_id, partition.index] = hosted
        if found is not None:
            self._checkpoints.claim(found)
            hosted.found_path = f"{self._paths[directory_id]}/{found.name}"
        if found is not None and not found.is_future:
            self._put_open(hosted, is_kept=survey.is_kept, is_clean=survey.is_clean)
        else:
            # What the checkpoints say of its name is of another topic, or of a log that is not here any more.
            self._lower_checkpoints(hosted)
            self._put_open(hosted)

    def begin_anew(self, hosted: Hosted) -> None:
        """Set the log of a replica aside, if it is damaged, and begin an empty one, to fetch all from the leader. The
        controllers must not count on what it has; they are told of it once it has all (`has_all_again`)."""
        if not hosted.is_damaged or not self._directories.is_online(hosted.directory_id):
            return
        hosted.is_damaged, hosted.is_anew = False, True
        directory = self._paths[hosted.directory_id]
        path = hosted.found_path or f"{directory}/{directory_name(*hosted.key)}"
        target = f"{directory}/{set_aside_name(*hosted.key, self._rng.uuid(), STRAY_SUFFIX)}"
        _log.warning("%s is fetched anew from the leader; what is left of it is renamed to %s", path, target)
        hosted.found_path, hosted.checkpointed = None, Checkpointed()
        self._put(hosted, partial(self._renames.stray, hosted.directory_id, path, target))
        self._lower_checkpoints(hosted)
        self._put_open(hosted)

    def has_all_again(self, hosted: Hosted) -> None:
        """A replica that was begun anew has all that is committed."""
        hosted.is_anew = False
        self.failed_logs.opened((hosted.partition.topic_id, hosted.partition.index))

    def _put_open(self, hosted: Hosted, *, is_kept: bool = False, is_clean: bool = False) -> None:
        """``is_kept``: all that was ever appended has to be there. ``is_clean``: and it was closed in order."""
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
                    is_kept,
                    is_clean,
                    hosted.key in self._surveys[hosted.directory_id].cleaned,
                    number_of(self._node_configs(), "producer.id.expiration.ms"),
                ),
                partial(self._opened, hosted),
                partial(self._not_opened, hosted),
            )
        )

    def _take_found(self, directory_id: bytes, partition: Partition) -> FoundReplica | None:
        """What lies of a replica in the directory in which it belongs: itself, or a copy that is to become it. What is
        another's was set aside before."""
        name = directory_name(partition.topic, partition.index)
        found = self._unopened_names.pop((directory_id, name), None)
        topic_id, is_future = (partition.topic_id, True) if found is None else (found.topic_id, False)
        future = self._unopened.pop((directory_id, topic_id, partition.index, is_future), None)
        return future if found is None else found

    # -- moves to another directory ----------------------------------------------------------------------------

    def hold(self, hosted: Hosted) -> None:
        """Keep the jobs of a replica from now on, until `release` or `moved`."""
        hosted.lane = HeldJobs()

    def release(self, hosted: Hosted) -> None:
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
        former = hosted.directory_id
        hosted.directory_id = directory_id
        self.release(hosted)
        path = f"{self._paths[former]}/{directory_name(*hosted.key)}"
        self._checkpoints.give_up(former, hosted.key)
        self.discard(former, path, hosted.key, self._lanes[former])
        for checkpoint in CHECKPOINTS:
            self._checkpoints.write(directory_id, checkpoint)
        self.has_rolled(hosted)

    def write_checkpoints_of(self, directory_id: bytes, done: Callable[[], None]) -> None:
        """Write all checkpoints of a directory. ``done`` is called at the end, also if the disk failed."""
        self._checkpoints.begin(directory_id)
        for name in CHECKPOINTS:
            self._checkpoints.write(directory_id, name)
        self._lanes[directory_id].put(DiskJob(lambda: None, lambda _: done(), lambda error: None))

    def discard(
        self,
        directory_id: bytes,
        path: str,
        key: TopicPartition,
        lane: Jobs[DiskJob],
        log: Log | None = None,
    ) -> None:
        """Have the directory of a replica or of a copy renamed in a lane, and removed later. ``log`` is what is still
        open of it."""
        directory = self._paths[directory_id]
        target = f"{directory}/{set_aside_name(*key, self._rng.uuid(), DELETE_SUFFIX)}"

        def renamed(is_renamed: bool) -> None:
            if is_renamed:
                self.removals.later(directory_id, [target], self._delete_delay_ms)

        work = partial(self._renames.deleted, directory_id, log, path, target)
        lane.put(DiskJob(work, renamed, partial(self._lane_failed, directory)))

    def discard_future(self, found: FoundReplica) -> None:
        """Delete a copy that a move left when the broker stopped."""
        directory_id = found.directory_id
        self._unopened.pop((directory_id, found.topic_id, found.index, True), None)
        path = f"{self._paths[directory_id]}/{found.name}"
        self.discard(directory_id, path, (found.topic, found.index), self._lanes[directory_id])

    def set_aside(self, found: FoundReplica) -> None:
        """Rename what lies in a directory and is no replica of this broker. It stays there for the administrator."""
        self._unopened.pop((found.directory_id, found.topic_id, found.index, found.is_future), None)
        if not found.is_future:
            self._unopened_names.pop((found.directory_id, found.name), None)
            self._checkpoints.claim(found)
            self._checkpoints.give_up(found.directory_id, (found.topic, found.index))
        if found.is_gone:
            return
        path = self._paths[found.directory_id]
        name = set_aside_name(found.topic, found.index, self._rng.uuid(), STRAY_SUFFIX)
        _log.warning("%s/%s is no replica of this broker and is renamed to %s", path, found.name, name)
        self._lanes[found.directory_id].put(
            DiskJob(
                partial(self._renames.stray, found.directory_id, f"{path}/{found.name}", f"{path}/{name}"),
                lambda _: None,
                partial(self._lane_failed, path),
            )
        )

    def _open(
        self,
        path: str,
        found_path: str,
        topic_id: bytes,
        settings: TopicSettings,
        known: Checkpointed,
        is_kept: bool,
        is_clean: bool,
        was_compacted: bool,
        producer_expiration_ms: int,
    ) -> tuple[TopicLog, Found]:
        if found_path != path and self._disk.exists(found_path):
            # A future copy becomes the replica. Durably, before anything is appended: it would be taken for an
            # unfinished copy again.
            self._renames.durably(found_path, path)
        log = TopicLog.open(
            self._disk,
            path,
            topic_id=topic_id,
            config=settings.log,
            recovery_point=known.recovery_point,
            log_start_offset=known.log_start_offset,
            # A log that was closed in order has a checkpoint, unless an administrator gave up what it says.
            is_clean=is_clean and known.recovery_point > 0,
            reached=known.reached(is_kept=is_kept),
            is_kept=is_kept,
            was_compacted=was_compacted,
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
            high_watermark=max(partition.high_watermark, hosted.checkpointed.high_watermark),
        )
        if self._directories.is_online(hosted.directory_id):
            partition.works_again()
        if not hosted.is_anew:
            self.failed_logs.opened((partition.topic_id, partition.index))
        hosted.flushed_ms = self._clock.now_ms()
        self._lower_checkpoints(hosted)
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
        if hosted.is_gone or not is_of_log(error):
            return
        if hosted.log is not None:
            hosted.checkpointed = hosted.offsets()
            self._put(hosted, hosted.log.log.abandon)
            hosted.log = None
        # The job that was to cut it may be the one that failed.
        hosted.is_being_cut, hosted.cut_to = False, None
        self._closed(hosted)
        replica = (partition.topic_id, partition.index)
        if isinstance(error, StorageError):
            hosted.is_damaged = True
            self.failed_logs.damaged(replica)
            self._damaged(hosted)
        else:
            self.failed_logs.ran_short(replica)

    def _reopen(self, replica: PartitionId) -> None:
        hosted = self.by_id[replica]
        if not self._is_stopping and self._directories.is_online(hosted.directory_id):
            self._put_open(hosted)

    def directory_had(self, directory_id: bytes, error: Exception) -> None:
        """A directory's disk had an error, or a log in it is damaged."""
        self._lane_failed(self._paths[directory_id], error)

    def _lane_failed(self, path: str, error: Exception) -> None:
        # Without a free descriptor, nothing is known of the directory.
        if is_of_log(error):
            _log.error("%s", error)
        else:
            self._directory_failed(path, str(error))

    def read_failed(self, hosted: Hosted, log: TopicLog, error: Exception) -> None:
        """A reader got this error of a log. If the log is still in use, the disk is the reason."""
        is_lasting = isinstance(error, OSError) and not is_shortage(error)
        if hosted.log is log and (is_lasting or isinstance(error, UnusableFileError)):
            self.failed(hosted, error)

    def remove(self, topic_id: bytes, index: int, code: ErrorCode) -> Hosted | None:
        """Delete a replica: its directory is renamed, and its files are removed later. Whoever waits for it gets the
        error code. Returns what it was."""
        hosted = self.by_id.pop((topic_id, index), None)
        if hosted is None:
            return None
        hosted.is_gone = True
        self.failed_logs.forget((topic_id, index))
        partition, log = hosted.partition, hosted.log
        partition.failed(code)
        hosted.log = None
        self._checkpoints.give_up(hosted.directory_id, hosted.key)
        path = f"{self._paths[hosted.directory_id]}/{directory_name(*hosted.key)}"
        self.discard(hosted.directory_id, path, hosted.key, hosted.lane, None if log is None else log.log)
        return hosted

    def close_all(self, done: Callable[[], None]) -> None:
        """Close all logs in order, and write the checkpoints; ``done`` is called at the end."""
        self._is_stopping = True
        directories = Gather(done)
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
            directories.asked()
            lane.put(
                DiskJob(
                    partial(self._write_closed, directory_id),
                    lambda _: directories.came(),
                    lambda _: directories.came(),
                )
            )
        directories.all_asked()

    @property
    def unread_directories(self) -> frozenset[bytes]:
        """The directories in which a crash before this start may have left damage that nobody has looked at: logs that
        were not opened, or not closed in order. And those with replicas that still lack what they once had. To be asked
        after `close_all`."""
        unread = {each.directory_id for each in self._unopened.values()}
        unread.update(hosted.directory_id for hosted in self if not hosted.is_closed)
        incomplete = {hosted.directory_id for hosted in self if hosted.is_anew}
        return frozenset(each for each in unread if not self._surveys[each].is_clean) | incomplete

    def put_job(self, directory_id: bytes, work: Callable[[], object]) -> None:
        """Have something done in the lane of a directory."""
        self._lanes[directory_id].put(
            DiskJob(work, lambda _: None, partial(self._lane_failed, self._paths[directory_id]))
        )

    def write_checkpoint(self, name: str) -> None:
        """Write one of the checkpoints of all directories."""
        for directory_id in self._lanes:
            self._checkpoints.write(directory_id, name)
        self._boot_notes.note(self._unread)

    def _unread(self) -> Iterator[bytes]:
        """The directories with logs that were not opened since the start."""
        yield from (each.directory_id for each in self._unopened.values())
        yield from (each.directory_id for each in self if each.log is None and not each.is_damaged)

    def _offsets_in(self, directory_id: bytes) -> list[tuple[TopicPartition, Checkpointed]]:
        """What the checkpoints of a directory are to say of its replicas. The thread of the directory asks."""
        everything = tuple(self.by_id.values())
        return [(each.key, each.offsets()) for each in everything if each.directory_id == directory_id]

    def _lower_checkpoints(self, hosted: Hosted) -> None:
        """Have no checkpoint say more of a replica than it is known to have, before its log is changed."""
        self._checkpoints.lower(hosted.directory_id, hosted.key, hosted.offsets())

    def _write_closed(self, directory_id: bytes) -> None:
        """Write the checkpoints of a directory whose logs are closed."""
        closed = []
        for hosted in tuple(self.by_id.values()):
            if hosted.directory_id == directory_id:
                offsets = hosted.checkpointed
                if hosted.is_closed and hosted.partition.role is not Role.OFFLINE:
                    end_offset = hosted.partition.log_end_offset
                    offsets = structs.replace(offsets, recovery_point=end_offset)
                closed.append((hosted.key, offsets))
        self._checkpoints.write_closed(directory_id, closed)

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
            work = partial(time_to_make_durable, self._disk, unsynced, self._clock)
            self._background[hosted.directory_id].put(DiskJob(work, partial(synced, unsynced), failed))

        def synced(unsynced: Unsynced, took_ms: int) -> None:
            self.flushes.add(took_ms / 1000)
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

    def will_be_cut(self, hosted: Hosted, offset: int) -> None:
        """A job is put next that cuts a log, or begins it anew so that nothing before an offset is promised any more:
        have the checkpoints say so before. If the log ended before what they say, it would look like a loss."""
        hosted.cut_to = offset
        self._lower_checkpoints(hosted)

    def was_cut(self, hosted: Hosted, found: Found) -> None:
        """A log was cut at its end, and is as found now."""
        hosted.cut_to = None
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
            self._lower_checkpoints(hosted)
            self._remove_deleted(hosted, log)

    def _remove_deleted(self, hosted: Hosted, log: TopicLog) -> None:
        """Have the files removed that a log has given up."""
        self.removals.later(hosted.directory_id, log.take_deleted(), hosted.settings.file_delete_delay_ms)

    def _not_removed(self, directory_id: bytes, error: Exception) -> None:
        self._lane_failed(self._paths[directory_id], error)

    def _put(self, hosted: Hosted, work: Callable[[], object]) -> None:
        hosted.lane.put(DiskJob(work, lambda _: None, partial(self.failed, hosted)))
