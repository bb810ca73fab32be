"""How far a log is durable, and what has to be synced to make it durable further.

A log that is durable at once syncs its newest segment after each append, and whatever it does to names of files before
it returns. A log of a topic has a *recovery point*: records below it are durable, and what lies above is read again
after a crash. It moves with `flush`, by the thread that changes the log, or with the two halves of a sync that another
thread does meanwhile (``unsynced``). Apache Kafka has this in LocalLog.recoveryPoint and UnifiedLog.flush.
"""

from __future__ import annotations

from kafkaproto.directory_files import PARTITION_METADATA_NAME
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.storage.log.log_epochs import LogEpochs
from kafkaproto_server.shell.storage.log.log_segments import LogSegments
from kafkaproto_server.shell.storage.log.transaction_index_files import index_path, sync_aborted
from kafkaproto_server.shell.storage.log.unsynced import Unsynced


class Durability:
    """The durability of one log. Only the thread that changes the log uses it."""

    def __init__(self, disk: Disk, segments: LogSegments, epochs: LogEpochs) -> None:
        self._disk = disk
        self._segments = segments
        self._epochs = epochs
        self.recovery_point = 0
        """Records below this offset are durable."""
        self.cuts = 0
        """How often the log was cut at its end."""
        self._has_durable_names = segments.config.is_durable_at_once

    def sync(self) -> None:
        """Make everything appended durable, in a log that is durable at once."""
        # Older segments were synced when they were rolled.
        self._segments.active.sync()
        self._epochs.write()

    def flush(self) -> int:
        """Make everything durable in a log that does not do so at once. Returns the new recovery point."""
        segments = self._segments
        end_offset = segments.end_offset
        for segment in segments.all:
            segment.flush()
        sync_aborted(self._disk, segments.directory, segments.bases)
        # Before the epochs, which may have been shortened: segments that went with them must not come back.
        self._sync_names()
        self._epochs.write()
        assert end_offset >= self.recovery_point, "a log ends before its recovery point"
        self.recovery_point = end_offset
        return end_offset

    def unsynced(self, *, with_active: bool) -> Unsynced | None:
        """What has to be made durable for a later recovery point: all of the log, or all but its last segment. None if
        that is durable already."""
        segments, directory = self._segments.all, self._segments.directory
        if with_active:
            end_offset = segments[-1].next_offset
        else:
            end_offset = segments[-1].base_offset
            segments = segments[:-1]
        if end_offset <= self.recovery_point:
            return None
        return Unsynced(
            directory=directory,
            paths=tuple(
                path
                for segment in segments
                if segment.next_offset > self.recovery_point
                for path in (*segment.paths, index_path(directory, segment.base_offset))
            ),
            end_offset=end_offset,
            cuts=self.cuts,
            has_durable_names=self._has_durable_names,
        )

    def is_outdated(self, unsynced: Unsynced) -> bool:
        """Whether a sync that has ended says nothing new."""
        # Behind a cut there may be other records, which that sync did not see.
        return unsynced.cuts != self.cuts or unsynced.end_offset <= self.recovery_point

    def was_synced(self, unsynced: Unsynced) -> None:
        """`make_durable` has made it durable: the recovery point moves."""
        assert not self.is_outdated(unsynced), "a sync that says nothing new moves no recovery point"
        assert unsynced.end_offset <= self._segments.end_offset, "more was synced than there is"
        # Not the last segment, which may have got further records since.
        for segment in self._segments.all[:-1]:
            if segment.next_offset <= unsynced.end_offset:
                segment.was_synced()
        self._has_durable_names = True
        # A segment below the recovery point is opened by its indexes, and the epochs of its records come from the
        # file.
        self._epochs.write()
        self.recovery_point = unsynced.end_offset

    def was_cut(self, offset: int) -> None:
        """The log is about to lose its records from ``offset`` on."""
        self.cuts += 1
        self.recovery_point = min(self.recovery_point, offset)

    def _sync_names(self) -> None:
        """Make the names of the log's files durable, the directory's own, and what says whose log it is."""
        directory = self._segments.directory
        if not self._has_durable_names:
            file = self._disk.open(f"{directory}/{PARTITION_METADATA_NAME}")
            try:
                file.sync()
            finally:
                file.close()
            self._disk.sync_directory(directory.rpartition("/")[0] or "/")
            self._has_durable_names = True
        self._disk.sync_directory(directory)
