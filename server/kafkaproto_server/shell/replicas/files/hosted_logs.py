"""Changes of a replica's log that are not appends: it is made durable, it loses its oldest records, its end is cut.

Each of them is a job of the log's lane, and changes in the event loop what is known of the replica once it is done. So
each may find then that the log was closed or replaced meanwhile, and has nothing to say of the new one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kafkaproto_server.base.metrics.histogram import Histogram
from kafkaproto_server.base.ports import Clock, Disk
from kafkaproto_server.core.log_state.leader_epochs import LeaderEpochs
from kafkaproto_server.shell.replicas.files.checkpoints import Checkpoints
from kafkaproto_server.shell.replicas.files.disk_jobs import DiskJob
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.producer_snapshots import ProducerSnapshots
from kafkaproto_server.shell.replicas.files.removals import Removals
from kafkaproto_server.shell.replicas.files.working_directories import WorkingDirectories
from kafkaproto_server.shell.storage.log.topic_log import TopicLog
from kafkaproto_server.shell.storage.log.topic_state import Found
from kafkaproto_server.shell.storage.log.unsynced import Unsynced, time_to_make_durable


class HostedLogs:
    """The open logs of one broker, and what is changed in them."""

    def __init__(
        self,
        disk: Disk,
        clock: Clock,
        directories: WorkingDirectories,
        checkpoints: Checkpoints,
        removals: Removals,
        *,
        failed: Callable[[Hosted, Exception], None],
        call_at: Callable[[int, Callable[[], None]], None],
    ) -> None:
        """``failed`` is called with a replica whose log cannot be used, ``call_at`` calls a function at a time."""
        self._disk = disk
        self._clock = clock
        self._directories = directories
        self._checkpoints = checkpoints
        self._removals = removals
        self._failed = failed
        self.flushes = Histogram()
        self._snapshots: ProducerSnapshots[Hosted] = ProducerSnapshots(clock, call_at, self.put)

    def put(self, hosted: Hosted, work: Callable[[], object]) -> None:
        """Have something done in the lane of a replica's log. An error is that of the log."""
        hosted.lane.put(DiskJob(work, lambda _: None, partial(self._failed, hosted)))

    # -- segments ----------------------------------------------------------------------------------------------

    def has_rolled(self, hosted: Hosted) -> None:
        """A log has begun a new segment: write the states of its producers, and make older segments durable."""
        # Kafka's order as well: a snapshot at the segment's first offset, then the flush (UnifiedLog.roll). At the next
        # start the producers are read from the snapshot, and only the batches behind it.
        self._snapshots.write(hosted)
        self.make_durable(hosted, with_active=False)

    def make_durable(self, hosted: Hosted, *, with_active: bool) -> None:
        """Make a log durable, or all of it but the last segment, beside its appends; then its recovery point moves."""
        log = hosted.log
        assert log is not None, "the log is open"
        # From now on, not only while a thread is at it: a move must not rename the files that the thread will open.
        hosted.syncs += 1
        if with_active:
            hosted.flushed_ms = self._clock.now_ms()

        # Three jobs. The log's lane says what is not durable, since only its own thread knows the segments. The sync
        # is done in the background, because appends would wait for it. The result goes through the log's lane again,
        # because the recovery point is the log's.
        def asked(unsynced: Unsynced | None) -> None:
            if unsynced is None or hosted.log is not log:
                hosted.syncs -= 1
                return
            work = partial(time_to_make_durable, self._disk, unsynced, self._clock)
            lane = self._directories.background[hosted.directory_id]
            lane.put(DiskJob(work, partial(synced, unsynced), failed))

        def synced(unsynced: Unsynced, took_ms: int) -> None:
            self.flushes.add(took_ms / 1000)
            hosted.syncs -= 1
            if hosted.log is log:
                self.put(hosted, partial(log.was_synced, unsynced))

        def failed(error: Exception) -> None:
            hosted.syncs -= 1
            self._failed(hosted, error)

        hosted.lane.put(DiskJob(partial(log.unsynced, with_active=with_active), asked, failed))

    # -- the start ---------------------------------------------------------------------------------------------

    def move_start(
        self, hosted: Hosted, offset: int, moved: Callable[[], None], failed: Callable[[], None]
    ) -> None:
        """Delete the records of a log before an offset, or as many of them as there are. One of the two functions is
        called at the end."""
        log = hosted.log
        assert log is not None, "the log is open"

        def done(log_start_offset: int) -> None:
            # If the log was closed meanwhile, its successor begins where its files say.
            if hosted.log is log:
                self.start_moved(hosted, log_start_offset)
                moved()
            else:
                failed()

        def not_done(error: Exception) -> None:
            self._failed(hosted, error)
            failed()

        hosted.lane.put(DiskJob(partial(log.move_start_to, offset), done, not_done))

    def start_moved(self, hosted: Hosted, log_start_offset: int) -> None:
        """The records of a log before an offset are gone."""
        hosted.partition.log_start_moved(log_start_offset, now_ms=self._clock.now_ms())
        # For the type checker: both callers have seen that the log is open.
        if hosted.log is not None:
            self.remove_deleted(hosted, hosted.log)

    # -- the end -----------------------------------------------------------------------------------------------

    def will_be_cut(self, hosted: Hosted, offset: int) -> None:
        """A job is put next that cuts a log, or begins it anew so that nothing before an offset is promised any more:
        have the checkpoints say so before. If the log ended before what they say, it would look like a loss."""
        hosted.cut_to = offset
        self.lower_checkpoints(hosted)

    def was_cut(self, hosted: Hosted, found: Found) -> None:
        """A log was cut at its end, and is as found now."""
        hosted.cut_to = None
        log = hosted.log
        if log is not None:
            # What is known of epochs and producers came from records that are gone: all of it is what the log says.
            hosted.partition.opened(
                log_start_offset=found.log_start_offset,
                log_end_offset=found.log_end_offset,
                epochs=LeaderEpochs(found.epoch_starts),
                producers=found.producers,
                aborted=found.aborted,
                high_watermark=hosted.partition.high_watermark,
            )
            # Again: the cut may have gone further than was asked, to the beginning of a batch.
            self.lower_checkpoints(hosted)
            self.remove_deleted(hosted, log)

    def lower_checkpoints(self, hosted: Hosted) -> None:
        """Have no checkpoint say more of a replica than it is known to have, before its log is changed."""
        self._checkpoints.lower(hosted.directory_id, hosted.key, hosted.offsets())

    def remove_deleted(self, hosted: Hosted, log: TopicLog) -> None:
        """Have the files removed that a log has given up."""
        self._removals.later(hosted.directory_id, log.take_deleted(), hosted.settings.file_delete_delay_ms)
