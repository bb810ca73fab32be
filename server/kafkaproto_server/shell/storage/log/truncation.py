"""Removes records of a log: from an offset on, all of them, or those before the log start.

Each way has an order that leaves, after a crash at any moment, a log without a gap that admits what it has lost. First
the files go that say how far the log reaches (``reached``): else the crash would look like lost records. Then segments
go, from the end that is cut, one by one. The first segment never goes with a cut, since its name is the only record of
where the log begins. Apache Kafka has this in UnifiedLog.truncateTo, truncateFullyAndStartAt and
maybeIncrementLogStartOffset.
"""

from __future__ import annotations

from kafkaproto_server.base.ports import Disk
from kafkaproto_server.core.log_state.leader_epochs import LeaderEpochs
from kafkaproto_server.shell.storage.log.durability import Durability
from kafkaproto_server.shell.storage.log.log_epochs import LogEpochs
from kafkaproto_server.shell.storage.log.log_segments import LogSegments
from kafkaproto_server.shell.storage.log.producer_state_file import remove_producer_states_after


class Truncation:
    """The removal of records of one log, by the thread that changes it, which holds the lock of the log's readers."""

    def __init__(self, disk: Disk, segments: LogSegments, epochs: LogEpochs, durability: Durability) -> None:
        self._disk = disk
        self._segments = segments
        self._epochs = epochs
        self._durability = durability

    def truncate_to(self, offset: int) -> None:
        """Remove all records from ``offset``, which is in the log, on. See `Log.truncate_to`."""
        segments, epochs = self._segments, self._epochs
        assert segments.start_offset <= offset < segments.end_offset, "there is nothing to cut"
        # First shorten the files that say how far the log reaches. Else a crash would look like lost records.
        epochs.known.truncate_to(offset)
        self._sync_and_write_epochs()
        self._remove_producer_states_after(offset)
        # Before anything is removed: if that fails half way, nothing above counts as durable.
        self._durability.was_cut(offset)
        # Newest first, so that a crash half way leaves no gap. The first segment always stays: its name is the only
        # record of where the log begins.
        kept = max(1, sum(segment.base_offset < offset for segment in segments.all))
        segments.delete(tuple(reversed(segments.all[kept:])), segments.all[:kept], is_cut=True)
        if offset < segments.active.next_offset:
            segments.active.truncate_to(offset)
        # If the offset was inside a batch, that one went as well.
        self._durability.recovery_point = min(self._durability.recovery_point, segments.end_offset)
        epochs.known.truncate_to(segments.end_offset)
        epochs.keep()

    def truncate_fully_to(self, start_offset: int) -> None:
        """Remove every record: the log then starts and ends at ``start_offset``. See `Log.truncate_fully_to`."""
        self._epochs.known = LeaderEpochs()
        self._epochs.write(is_durable=self._segments.config.is_durable_at_once)
        self._remove_producer_states_after(0)
        # Not even the name of the new segment is durable if the log is flushed later.
        self._durability.was_cut(0)
        self._segments.restart(start_offset)

    def move_start_to(self, offset: int) -> None:
        """Move the log start to a later ``offset`` of the log. See `Log.move_start_to`."""
        segments, epochs = self._segments, self._epochs
        assert segments.start_offset < offset <= segments.end_offset, "the log start moves within the log"
        is_durable_at_once = segments.config.is_durable_at_once
        # The last segment stays even if the snapshot covers it, because it takes the next append.
        gone = sum(segment.next_offset <= offset for segment in segments.all[:-1])
        segments.start_offset = offset
        count = len(epochs.known.entries)
        # In memory only. The file follows below, in the order that each kind of log needs.
        epochs.move_start_to(offset, segments.end_offset)
        if gone and not is_durable_at_once:
            # It says where the log begins (`losses`), also if only the process dies.
            epochs.write(is_durable=False)
        # Oldest first, so that a crash half way leaves no gap.
        segments.delete(segments.all[:gone], segments.all[gone:])
        self._sync_and_write_epochs()
        if not is_durable_at_once and len(epochs.known.entries) != count:
            # The epochs of a segment below the recovery point come from the file. If one came back after a crash whose
            # epochs are gone, it would have to be read.
            self._disk.sync_directory(segments.directory)
            epochs.write()

    def _sync_and_write_epochs(self) -> None:
        if self._segments.config.is_durable_at_once and not self._epochs.are_written:
            # The file must name no epoch whose records a crash could still take.
            self._segments.active.sync()
            self._epochs.write()

    def _remove_producer_states_after(self, offset: int) -> None:
        segments = self._segments
        remove_producer_states_after(
            self._disk, segments.directory, offset, is_durable=segments.config.is_durable_at_once
        )
