"""The log cleaner: compacts the topics whose ``cleanup.policy`` has ``compact``, one log at a time.

The log with the largest share of dirty bytes is the next (`core.log_state.cleanable`); if there is none, the cleaner
looks again after ``log.cleaner.backoff.ms``. The work (`shell.storage.log.cleaning`) is done in slices, in a lane of
its own, and after each slice the cleaner waits: for as long as the slice took, because threads share the interpreter,
and so long that it stays within ``log.cleaner.io.max.bytes.per.second``. Only the swap of a new segment is a job of the
log's directory.

Up to where a log is clean is in the ``cleaner-offset-checkpoint`` of its directory. A log that cannot be read is
uncleanable from then on, until the broker starts again; it is served all the same. Apache Kafka has this in LogCleaner
and LogCleanerManager.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

import msgspec
import trio

from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.config.settings import CurrentSettings, SettingsTable
from kafkaproto_server.core.log_state.cleanable import DirtyRange, dirty_range
from kafkaproto_server.core.log_state.compaction import LastBatch
from kafkaproto_server.core.replicas.partition import Role
from kafkaproto_server.shell.process.threads import Jobs
from kafkaproto_server.shell.replicas.files.checkpointed import PartitionId
from kafkaproto_server.shell.replicas.files.disk_jobs import DiskJob, do_jobs
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas
from kafkaproto_server.shell.replicas.files.producer_snapshots import PRODUCERS_A_TURN
from kafkaproto_server.shell.replicas.files.survey import DirectorySurvey
from kafkaproto_server.shell.replicas.local_node import LocalMachine
from kafkaproto_server.shell.storage.errors import StorageError, UnusableFileError, is_shortage
from kafkaproto_server.shell.storage.log.cleaning import CleanedGroup, Cleaning, CleaningPlan
from kafkaproto_server.shell.storage.log.topic_log import TopicLog
from kafkaproto_server.shell.storage.offset_checkpoints import CLEANED, TopicPartition, write_offsets

_log = logging.getLogger("kafkaproto.server.replicas")

T = TypeVar("T")

SLICE_BYTES = 1 << 16
"""How much is read and written in one slice; it takes some milliseconds."""
REPLICAS_PER_TURN = 200
"""How many replicas are looked at in one turn of the event loop."""


class CleanerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of the cleaner."""

    enable: bool
    """Whether there is a cleaner at all. Looked at once: Kafka cannot change it while it runs."""
    backoff_ms: float
    """How long it rests if there is nothing to clean."""
    dedupe_buffer_bytes: int
    """For the newest offset of each key, whose hashes are kept in memory."""
    buffer_load_factor: float
    """How much of that may be filled."""
    max_bytes_per_second: float
    """Of what is read and written."""


CLEANER_SETTINGS = SettingsTable(
    CleanerSettings,
    {
        "enable": "log.cleaner.enable",
        "backoff_ms": "log.cleaner.backoff.ms",
        "dedupe_buffer_bytes": "log.cleaner.dedupe.buffer.size",
        "buffer_load_factor": "log.cleaner.io.buffer.load.factor",
        "max_bytes_per_second": "log.cleaner.io.max.bytes.per.second",
    },
)


class CleanerStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """What a cleaner has done."""

    last_s: float
    """How long its last cleaning took."""
    recopy_percent: float
    """What that wrote, as percents of what it read."""
    since_last_run_ms: int
    """Since it looked for a log to clean."""
    max_dirty_percent: float
    """Percents of the dirtiest log that were dirty then."""
    uncleanable: Mapping[str, int]
    """The number of logs that cannot be cleaned, by log directory."""


class LogCleaner:
    """Compacts the logs of one broker."""

    def __init__(
        self,
        replicas: HostedReplicas,
        machine: LocalMachine,
        node_configs: Callable[[], NodeConfigs],
        refresh: Callable[[Hosted], None],
    ) -> None:
        """``refresh`` gives a replica the newest settings of its topic."""
        self._replicas = replicas
        self._directories = replicas.directories
        self._disk = machine.disk
        self._clock = machine.clock
        self._lane: Jobs[DiskJob] = machine.workers.lane(do_jobs)
        self._settings = CurrentSettings(CLEANER_SETTINGS, node_configs)
        self._refresh = refresh
        # Of each directory: up to where its logs are clean, by their ids.
        self._cleaned = {
            each: _cleaned_at_start(survey) for each, survey in self._directories.surveys.items()
        }
        self._uncleanable: set[PartitionId] = set()
        # See `CleanerStatistics`.
        self._last_s = self._recopy_percent = self._max_dirty_percent = 0.0
        self._last_run_ms = machine.clock.now_ms()

    async def run(self) -> None:
        """Clean what is dirty, until cancelled."""
        if not self._settings().enable:
            return
        while True:
            chosen = await self._choose()
            # After a cleaning that succeeded the next log has its turn at once, as in Apache Kafka: only an idle
            # cleaner, or one that met an error, rests.
            if chosen is None or not await self._clean(*chosen):
                await trio.sleep(max(1.0, self._settings().backoff_ms) / 1000)

    def statistics(self) -> CleanerStatistics:
        """What it has done until now."""
        uncleanable = dict.fromkeys(map(self._directories.paths.__getitem__, self._cleaned), 0)
        for topic_id, index in self._uncleanable:
            hosted = self._replicas.get(topic_id, index)
            if hosted is not None:
                uncleanable[self._directories.paths[hosted.directory_id]] += 1
        return CleanerStatistics(
            last_s=self._last_s,
            recopy_percent=self._recopy_percent,
            since_last_run_ms=self._clock.now_ms() - self._last_run_ms,
            max_dirty_percent=self._max_dirty_percent,
            uncleanable=uncleanable,
        )

    def was_cut(self, hosted: Hosted) -> None:
        """A log was cut: what follows from here on is dirty."""
        log = hosted.log
        before = self._checkpoint(hosted)
        if log is not None and before is not None:
            # The cleaner takes whole segments only. If it came to this one, it would take what follows the cut for
            # clean.
            # All of the segment that is active now: what comes next belongs to it.
            active_base = log.log.segment_bases[-1]
            if before > active_base:
                self._set_checkpoint(hosted, active_base)

    def moved(self, hosted: Hosted, former_id: bytes) -> None:
        """A replica is in another directory than before, with the same records."""
        found = self._cleaned[former_id].pop(_id(hosted), None)
        if found is not None:
            self._set_checkpoint(hosted, found[1])
            self._write_checkpoint(former_id)

    def forget(self, hosted: Hosted) -> None:
        key = _id(hosted)
        self._uncleanable.discard(key)
        # A topic that gets the name later would count as clean up to there.
        if self._cleaned[hosted.directory_id].pop(key, None) is not None:
            self._write_checkpoint(hosted.directory_id)

    # -- the choice --------------------------------------------------------------------------------------------

    async def _choose(self) -> tuple[Hosted, TopicLog, DirtyRange] | None:
        """The log that is to be cleaned next; None if there is none."""
        best: tuple[Hosted, TopicLog, DirtyRange] | None = None
        # Wall time, as the times of records are: lags of compaction are measured by those.
        wall_ms = self._clock.wall_ms()
        self._last_run_ms = self._clock.now_ms()
        dirtiest = 0.0
        for number, hosted in enumerate(tuple(self._replicas)):
            # A broker may have 10,000 replicas: other tasks have a turn in between.
            if number % REPLICAS_PER_TURN == 0:
                await trio.lowlevel.checkpoint()
            log = hosted.log
            # A log that cannot be read is not tried again, or no other would ever be cleaned.
            if log is None or not _is_in_use(hosted, log) or _id(hosted) in self._uncleanable:
                continue
            self._refresh(hosted)
            dirty = self._dirty(hosted, log, wall_ms)
            if dirty is not None:
                dirtiest = max(dirtiest, dirty.ratio)
            if dirty is not None and dirty.is_wanted and (best is None or dirty.ratio > best[2].ratio):
                best = hosted, log, dirty
        self._max_dirty_percent = 100 * dirtiest
        return None if best is None else self._look_again(best[0], best[1])

    def _look_again(self, hosted: Hosted, log: TopicLog) -> tuple[Hosted, TopicLog, DirtyRange] | None:
        """What is to be cleaned now of the log that was chosen; None if nothing is. Other tasks have had turns since it
        was looked at: it may have been cut or closed, or its topic not be compacted any more."""
        dirty = self._dirty(hosted, log, self._clock.wall_ms()) if _is_in_use(hosted, log) else None
        return None if dirty is None or not dirty.is_wanted else (hosted, log, dirty)

    def _dirty(self, hosted: Hosted, log: TopicLog, wall_ms: int) -> DirtyRange | None:
        limits = hosted.settings.compaction
        if limits is None:
            return None
        partition = hosted.partition
        found = dirty_range(
            [segment.age for segment in log.log.segments],
            log_start_offset=partition.log_start_offset,
            log_end_offset=partition.log_end_offset,
            last_stable_offset=partition.last_stable_offset,
            checkpoint=self._checkpoint(hosted),
            limits=limits,
            now_ms=wall_ms,
        )
        # DeleteRecords or a cut has passed the checkpoint. It is written anew, or each look would find the same.
        if found.is_reset:
            self._set_checkpoint(hosted, found.first_dirty_offset)
        return found

    # -- the work ----------------------------------------------------------------------------------------------

    async def _clean(self, hosted: Hosted, log: TopicLog, dirty: DirtyRange) -> bool:
        """Clean a log. Returns whether that succeeded."""
        # By these it is seen later whether the log is the same: each cut is counted, and a move to another directory
        # exchanges the inner log.
        cuts, inner, first_s = log.log.cuts, log.log, trio.current_time()
        # What the plan has is of one moment, but for the batches of producers. These are collected first, some in a
        # turn, since a newer batch of a producer does no harm.
        plan = self._plan(hosted, log, dirty, await _last_batches(hosted))
        cleaning = Cleaning(self._disk, plan)
        name = f"{hosted.partition.topic}-{hosted.partition.index}"
        try:
            while not cleaning.is_done:
                begin_s = trio.current_time()
                before = cleaning.read_bytes + cleaning.written_bytes
                # In a lane of its own: appends to the directory do not wait for a slice.
                group = await _do(self._lane, partial(cleaning.work, SLICE_BYTES))
                # Closed, or in another directory: a segment that was made of the old files must not get into it.
                if not _is_in_use(hosted, log) or log.log is not inner:
                    return False
                if group is not None and not await self._swap(hosted, log, group, cuts):
                    _log.info("%s was cut while it was cleaned; it is cleaned again later", name)
                    return False
                await self._pause(begin_s, cleaning.read_bytes + cleaning.written_bytes - before)
            # Once more, because of the last slice: a log that was cut is dirty from there on.
            if not _is_in_use(hosted, log) or log.log is not inner or inner.cuts != cuts:
                return False
        except StorageError as error:
            # Uncleanable and not failed: what is damaged may be records that nobody asks for. Readers and followers
            # find out about the others.
            self._uncleanable.add(_id(hosted))
            _log.error(
                "%s cannot be compacted, and is not tried again before the next start: %s", name, error
            )
            return False
        except FileNotFoundError:
            # A segment went with the log's start, or with the whole log.
            return False
        except OSError as error:
            if is_shortage(error):
                _log.warning("%s is cleaned later: %s", name, error)
            # The disk. Of a log that is closed, somebody has met the error before.
            elif _is_in_use(hosted, log):
                self._replicas.failed(hosted, error)
            return False
        finally:
            # What was written of a new segment goes, in the lane, since a slice may be under way.
            if not cleaning.is_done:
                self._lane.put(DiskJob(cleaning.abandon, lambda _: None, lambda error: None))
        # Last of all. After a crash before this, the log is cleaned again, and loses nothing.
        self._set_checkpoint(hosted, cleaning.cleaned_to)
        self._last_s = trio.current_time() - first_s
        self._recopy_percent = 100 * cleaning.written_bytes / max(1, cleaning.read_bytes)
        _log.info(
            "%s is compacted up to offset %d: %d bytes were read and %d written",
            name,
            cleaning.cleaned_to,
            cleaning.read_bytes,
            cleaning.written_bytes,
        )
        return True

    def _plan(
        self, hosted: Hosted, log: TopicLog, dirty: DirtyRange, last_batches: Mapping[int, LastBatch]
    ) -> CleaningPlan:
        limits = hosted.settings.compaction
        assert limits is not None, "a log was chosen that is not compacted"
        partition = hosted.partition
        return CleaningPlan(
            directory=log.directory,
            segments=log.log.segments,
            config=hosted.settings.log,
            first_dirty_offset=dirty.first_dirty_offset,
            end_offset=dirty.end_offset,
            high_watermark=partition.high_watermark,
            # A copy: a thread reads it, while the event loop adds to the list.
            aborted=tuple(partition.aborted),
            last_batches=last_batches,
            delete_retention_ms=limits.delete_retention_ms,
            now_ms=self._clock.wall_ms(),
            dedupe_buffer_bytes=self._settings().dedupe_buffer_bytes,
            load_factor=self._settings().buffer_load_factor,
        )

    async def _swap(self, hosted: Hosted, log: TopicLog, group: CleanedGroup, cuts: int) -> bool:
        """Put a new segment in its place. Returns whether the log still had those that it was made of."""
        begin, end = group.gone[0].base_offset, group.end_offset
        try:
            deleted = await _do(hosted.lane, partial(log.replace, group.gone, group.cleaned, cuts=cuts))
        except UnusableFileError as error:
            # Half of the change may have been made: no more can be made to that log.
            if _is_in_use(hosted, log):
                self._replicas.failed(hosted, error)
            raise
        # The lane has found that a segment is no longer there, or was cut: the swap is refused as a whole.
        if deleted is None:
            return False
        self._replicas.removals.later(hosted.directory_id, deleted, hosted.settings.file_delete_delay_ms)
        if _is_in_use(hosted, log):
            # In place of those that were in the old index. A marker whose entry is gone is still in the log now: it
            # goes when its delete horizon has passed, and not before a later cleaning.
            partition, kept = hosted.partition, set(group.aborted)
            partition.aborted = [
                each for each in partition.aborted if not begin <= each.last_offset < end or each in kept
            ]
        return True

    async def _pause(self, begin_s: float, io_bytes: int) -> None:
        took_s = trio.current_time() - begin_s
        # The rate counts reads and writes together, as Apache Kafka's does.
        due_s = io_bytes / max(1.0, self._settings().max_bytes_per_second)
        await trio.sleep(max(took_s, due_s - took_s))

    # -- the checkpoint ----------------------------------------------------------------------------------------

    def _checkpoint(self, hosted: Hosted) -> int | None:
        found = self._cleaned[hosted.directory_id].get(_id(hosted))
        return None if found is None else found[1]

    def _set_checkpoint(self, hosted: Hosted, offset: int) -> None:
        partition = hosted.partition
        self._cleaned[hosted.directory_id][_id(hosted)] = (partition.topic, partition.index), offset
        self._write_checkpoint(hosted.directory_id)

    def _write_checkpoint(self, directory_id: bytes) -> None:
        """Write the checkpoint of a directory."""
        path, offsets = (
            self._directories.paths[directory_id],
            dict(self._cleaned[directory_id].values()),
        )
        self._directories.put_job(directory_id, partial(write_offsets, self._disk, path, CLEANED, offsets))


def _id(hosted: Hosted) -> PartitionId:
    return hosted.partition.topic_id, hosted.partition.index


async def _last_batches(hosted: Hosted) -> Mapping[int, LastBatch]:
    """The newest batch of each producer, some of them in a turn. One that writes meanwhile may have a newer one, which
    is in the log as well."""
    found: dict[int, LastBatch] = {}
    snapshot = hosted.partition.producers.snapshot()
    while True:
        for each in snapshot.take(PRODUCERS_A_TURN):
            found[each.producer_id] = LastBatch(each.last_offset, each.producer_epoch)
        if snapshot.is_complete:
            return found
        await trio.lowlevel.checkpoint()


def _is_in_use(hosted: Hosted, log: TopicLog) -> bool:
    # A copy in another directory would have records that are compacted here.
    return hosted.log is log and hosted.partition.role is not Role.OFFLINE and not hosted.is_moving


def _cleaned_at_start(survey: DirectorySurvey) -> dict[PartitionId, tuple[TopicPartition, int]]:
    """What the checkpoint of a directory says of the partitions in it."""
    # Entries of names that no replica has are dropped: they may be of a topic that had the name before.
    cleaned: dict[PartitionId, tuple[TopicPartition, int]] = {}
    for each in survey.found:
        key = each.topic, each.index
        # A copy has no entry of its own: that of its name is the replica's.
        if each.topic_id is not None and not each.is_future and key in survey.cleaned:
            cleaned[each.topic_id, each.index] = key, survey.cleaned[key]
    return cleaned


async def _do(lane: Jobs[DiskJob], work: Callable[[], T]) -> T:
    """Do a job of a lane, and return or raise what it does."""
    done = trio.Event()
    results: list[T] = []
    errors: list[Exception] = []

    def take(result: T) -> None:
        results.append(result)
        done.set()

    def fail(error: Exception) -> None:
        errors.append(error)
        done.set()

    lane.put(DiskJob(work, take, fail))
    await done.wait()
    if errors:
        raise errors[0]
    return results[0]
