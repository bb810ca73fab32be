"""Loads the segments of a log at a start, and notices what a crash took, what is damaged, and what somebody removed.

Segments below the recovery point are opened by their indexes, all others are read (``segment_loading``). What must not
be repaired by guessing is an error for the operator (``recovery``, ``losses``, ``reached``). Apache Kafka has this in
LogLoader.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial

from kafkaproto.log import LOG_SUFFIX, parse_segment_file_name
from kafkaproto.records.batch import RecordBatchView
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.core.log_state.leader_epochs import LeaderEpochs
from kafkaproto_server.shell.storage.atomic import make_directory_durably
from kafkaproto_server.shell.storage.log.leftovers import remove_leftovers
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.log_epochs import LogEpochs
from kafkaproto_server.shell.storage.log.log_segments import LogSegments
from kafkaproto_server.shell.storage.log.losses import check_beginning, check_continues, check_no_gap
from kafkaproto_server.shell.storage.log.old_formats import is_old, refuse_unknown
from kafkaproto_server.shell.storage.log.partition_metadata import ensure_partition_metadata
from kafkaproto_server.shell.storage.log.reached import Reached
from kafkaproto_server.shell.storage.log.recovery import EVERYTHING, RecoveryPolicy
from kafkaproto_server.shell.storage.log.segment import Segment
from kafkaproto_server.shell.storage.log.segment_loading import NO_EPOCH
from kafkaproto_server.shell.storage.log.swap_files import complete_swaps


def prepare_directory(
    disk: Disk, directory: str, topic_id: bytes, config: LogConfig, policy: RecoveryPolicy
) -> list[int]:
    """Make the directory of a log, or complete there what a crash interrupted. Returns the base offsets of its
    segments. Raises CorruptFileError if it belongs to another topic, StorageError, OSError."""
    is_durable = config.is_durable_at_once
    if is_durable:
        make_directory_durably(disk, directory)
    else:
        disk.make_directory(directory)
    # Before anything is removed or cut: a directory of another topic must stay as it is.
    may_lack_it = is_durable or not (policy.is_kept or policy.reached)
    ensure_partition_metadata(disk, directory, topic_id, is_durable=is_durable, may_lack_it=may_lack_it)
    # Swaps first: of a segment that is swapped in, no file is a leftover.
    names = complete_swaps(disk, directory, disk.list_directory(directory))
    remove_leftovers(disk, directory, names, policy)
    return [base for name in names if (base := parse_segment_file_name(name, LOG_SUFFIX)) is not None]


class LogLoader:
    """Loads one log, in the thread that opens it: nobody reads yet."""

    def __init__(self, disk: Disk, segments: LogSegments, epochs: LogEpochs, policy: RecoveryPolicy) -> None:
        """``segments`` and ``epochs`` are empty; they get what is found."""
        self._disk = disk
        self._directory = segments.directory
        self._config = segments.config
        self._segments = segments
        self._epochs = epochs
        self._policy = policy
        self.recovery_note: str | None = None
        """See `Log.recovery_note`."""

    def load(self, bases: list[int]) -> None:
        """Load the segments with these base offsets, or begin an empty log if there are none. Raises StorageError,
        OSError; some segments may be open then."""
        segments, epochs, policy = self._segments, self._epochs, self._policy
        reached = policy.reached
        # First: whatever is found below has to agree with it, or to show that it is stale.
        epochs.read_file()
        if not bases:
            # With a witness, it is a log that was lost, not a new one: the node would forget what it acknowledged.
            if reached is not None:
                raise reached.lost(self._directory, 0)
            segments.begin(0)
        has_old_format = partial(is_old, self._disk, self._directory, bases)
        following = dict(itertools.pairwise(bases))
        # Before any segment is read, since reading may cut files. A log that is refused stays as it is.
        check_beginning(self._disk, self._directory, bases, epochs.written, policy)
        epoch = self._load_durable_segments(bases) if bases else NO_EPOCH
        for base in bases[len(segments.all) :]:
            check_no_gap(segments.all, base, policy, has_old_format)
            if self._lost_records_before(base, reached) and not has_old_format(base):
                ends = f"{segments.active.path}: the log ends at offset {segments.end_offset}"
                self.recovery_note = (
                    f"{ends}, because a crash took records and the next segment begins at {base}"
                )
                self._remove_segments_behind(bases[bases.index(base) :])
                break
            if self._lost_cut_at(base):
                segments.active.truncate_to(base)
                epochs.known.truncate_to(segments.end_offset)
                epoch = NO_EPOCH if epochs.known.latest is None else epochs.known.latest
            check_continues(segments.all, base, has_gaps=self._config.has_gaps)
            # The segment is registered before it is read, so that `open` closes its files if reading fails.
            segments.all = (*segments.all, Segment(self._disk, self._directory, base, self._config))
            recovered = segments.active.recover(
                epoch=epoch, next_base=following.get(base), visit=self._note_epoch, policy=policy
            )
            epoch = recovered.epoch
            if recovered.cut_bytes:
                self.recovery_note = (
                    f"{segments.active.path}: cut {recovered.cut_bytes} bytes of an unfinished append off at byte "
                    f"{recovered.size}; the log ends at offset {recovered.next_offset}"
                )
                # What follows would have a gap before it. The leader has it all.
                if not policy.keeps_behind:
                    self._remove_segments_behind(bases[bases.index(base) + 1 :])
                    break
        if reached is not None and segments.end_offset < reached.offset:
            raise reached.lost(self._directory, segments.end_offset)
        segments.start_offset = segments.all[0].base_offset
        segments.active.become_active()

    def _lost_records_before(self, base: int, reached: Reached | None) -> bool:
        """Whether records are missing before a segment that were never durable."""
        segments = self._segments.all
        end, cuts = segments[-1].next_offset if segments else base, self._config.cuts_at_gaps
        # Not below what the log is known to have reached: that was durable, and no crash has taken it.
        return cuts and base > end and (reached is None or end >= reached.offset)

    def _lost_cut_at(self, base: int) -> bool:
        """Whether the log was cut where a segment begins, which is newer, and a crash took the cut."""
        policy, segments = self._policy, self._segments.all
        is_cut = policy.cuts_damage and not policy.is_kept and bool(segments)
        return is_cut and policy.recovery_point <= base < segments[-1].next_offset

    def _remove_segments_behind(self, bases: Sequence[int]) -> None:
        """Give up segments behind a cut. Newest first, so that a crash half way leaves no gap."""
        refuse_unknown(self._disk, self._directory, bases)
        for base in reversed(bases):
            self._segments.delete_files(Segment(self._disk, self._directory, base, self._config))

    def _load_durable_segments(self, bases: Sequence[int]) -> int:
        """Open segments below the recovery point by their indexes, up to the first for which this does not work: that
        one and all after it have to be read. Returns the epoch of the last record, `NO_EPOCH` if there is none.

        The epochs of their records come from leader-epoch-checkpoint.
        """
        segments, policy = self._segments, self._policy
        has_old_format = partial(is_old, self._disk, self._directory, bases)
        epochs = LeaderEpochs(self._epochs.written)
        last_epoch = NO_EPOCH
        for base, end in itertools.zip_longest(bases, bases[1:]):
            # A crash may have torn what lies above the recovery point. The last segment has no end yet, so only a clean
            # close makes it durable.
            if (EVERYTHING if end is None else end) > policy.recovery_point:
                break
            check_no_gap(segments.all, base, policy, has_old_format)
            segment = Segment(self._disk, self._directory, base, self._config)
            try:
                epoch = segment.load(end)
            except BaseException:
                segment.close()
                raise
            # That file may be stale. The last batch has to confirm it (old formats cannot), else the segment is read.
            epoch_there = NO_EPOCH if epoch == NO_EPOCH else epochs.epoch_at(segment.next_offset - 1)
            if epoch is None or (segment.size and epoch_there != epoch):
                segment.close()
                break
            segments.all = (*segments.all, segment)
            last_epoch = max(last_epoch, epoch)
        if segments.all:  # Epochs of those that are still to be read come from their batches.
            epochs.truncate_to(segments.end_offset)
            self._epochs.known = epochs
        return last_epoch

    def _note_epoch(self, view: RecordBatchView) -> None:
        self._epochs.begin(view.partition_leader_epoch, view.base_offset)
