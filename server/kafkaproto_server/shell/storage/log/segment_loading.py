"""Opens a segment at a start: reads all of it, or believes its indexes if its first and last batches confirm them.

A segment below the recovery point is opened by its indexes, because to read thousands of segments as a whole would take
long. Anything may have happened to files while no node ran, so both ends of the segment are read and checked, crc
included. Apache Kafka looks at the indexes alone there (LogSegment.sanityCheck). Everything else is read as a whole,
after the rules of `recovery`, and gets new indexes.

All functions are for the thread that opens the log. Nobody reads yet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kafkaproto.records.batch import RecordBatchView
from kafkaproto_server.base.ports import File
from kafkaproto_server.shell.storage.log.index import NO_TIMESTAMP
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.recovery import RecoveredSegment, RecoveryPolicy, recover_segment
from kafkaproto_server.shell.storage.log.scan import FileScan
from kafkaproto_server.shell.storage.log.segment_file import SegmentFile
from kafkaproto_server.shell.storage.log.segment_indexes import IndexRebuild, SegmentIndexes
from kafkaproto_server.shell.storage.log.unsynced import cut_again, write_again
from kafkaproto_server.shell.storage.log.whole_batches import LOCATE_BYTES

NO_EPOCH = -1
"""Leader epoch of the last record of a log or segment that has none."""

REWRITTEN_BYTES = 32 * 1024 * 1024
"""How much of a log's end recovery writes again: more than one sync covers, as batches have 8 MiB at the most."""


class ConfirmedSegment(NamedTuple):
    """A segment whose indexes were believed."""

    size: int
    next_offset: int
    epoch: int
    """Leader epoch of the last record, `NO_EPOCH` if compaction has left none."""


def recover(
    log: SegmentFile,
    indexes: SegmentIndexes,
    config: LogConfig,
    *,
    epoch: int,
    next_base: int | None,
    visit: Callable[[RecordBatchView], None],
    policy: RecoveryPolicy,
) -> RecoveredSegment:
    """Read and check the file, cut off what is not valid, repair the indexes. See `Segment.recover`."""
    is_last = next_base is None
    rebuild = IndexRebuild(indexes)
    file = log.file

    def note(position: int, view: RecordBatchView) -> None:
        rebuild.note(position, view)
        visit(view)

    recovered = recover_segment(
        file,
        log.path,
        base_offset=indexes.base_offset,
        epoch=epoch,
        is_last=is_last,
        visit=note,
        policy=policy,
        has_gaps=config.has_gaps,
        proof_of_loss=indexes.proof_of_loss(next_base, policy),
    )
    if is_last and config.is_durable_at_once:
        # Appended records that were not synced may have survived their process only in the system's memory. They
        # count from now on, so they have to be durable. What a sync that failed has left is written again. So is a
        # cut: records behind it must not come back, as the next segment begins where it ended the log.
        write_again(file, max(0, recovered.size - REWRITTEN_BYTES), recovered.size)
        cut_again(file, recovered.size)
        file.sync()
    rebuild.settle()
    if not config.is_durable_at_once:
        # What was read may be in the system's memory only, if it was the process that died.
        log.is_synced = False
        indexes.must_sync()
    return recovered


def load(
    log: SegmentFile, indexes: SegmentIndexes, config: LogConfig, end_offset: int | None
) -> ConfirmedSegment | None:
    """Believe the indexes of a completed segment if its first and last batches agree with them. See `Segment.load`."""
    file = log.file
    size = file.size()
    if not size and config.has_gaps and end_offset is not None:
        # Compaction leaves no entry either. If there is one, somebody has emptied the file.
        return None if indexes.have_entries_in_files() else ConfirmedSegment(0, indexes.base_offset, NO_EPOCH)
    # Another empty segment has no batch that could confirm its indexes. To read it costs nothing.
    if size and indexes.offsets.load(size) and indexes.times.load():
        first, last = _first_batch(file, indexes, config), _last_batch(file, size, indexes, config)
        if first is not None and last is not None and _may_end_at(last.next_offset, end_offset, config):
            indexes.believe(first.max_timestamp)
            return ConfirmedSegment(size, last.next_offset, last.partition_leader_epoch)
    # `recover` adds the entries anew. Entries that were taken from the file would come twice.
    indexes.forget()
    return None


def _may_end_at(offset: int, next_base: int | None, config: LogConfig) -> bool:
    """Whether a segment may end at an offset if the next one begins at ``next_base``."""
    return next_base is None or offset == next_base or (config.has_gaps and offset < next_base)


def _first_batch(file: File, indexes: SegmentIndexes, config: LogConfig) -> RecordBatchView | None:
    """The first batch of the file; None if it is not valid, or if the segment does not begin with it."""
    # A small window: of what it holds, one batch is wanted.
    _, first = next(iter(FileScan(file, with_old_formats=True, window_bytes=LOCATE_BYTES)), (0, None))
    if first is None:
        return None
    # Compaction may have removed what came before.
    return first if first.base_offset == indexes.base_offset or config.has_gaps else None


def _last_batch(file: File, size: int, indexes: SegmentIndexes, config: LogConfig) -> RecordBatchView | None:
    """The last batch of the file, found from the newest index entry on. None if a batch there is not valid, is not
    that of the entry, or should have an entry of its own."""
    entry, newest = indexes.offsets.last, indexes.times.last
    start = 0 if entry is None else entry.position
    scan = FileScan(file, start=start, next_offset=indexes.base_offset, with_old_formats=True)
    last = None
    for position, view in scan:
        is_indexed = (
            view.last_offset == entry.offset
            if position == start and entry is not None
            else position - start <= config.index_interval_bytes
        )
        # A completed segment has an entry for its newest timestamp, whatever the distance.
        if not is_indexed or view.max_timestamp > (NO_TIMESTAMP if newest is None else newest.timestamp):
            return None
        # The crc does not cover the base offset.
        if not indexes.can_hold(view.last_offset):
            return None
        last = view
    return last if scan.valid_end == size else None
