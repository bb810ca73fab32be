"""Compacts a log: writes new segments that hold what `core.log_state.compaction` keeps of the old ones.

A cleaning is done a slice at a time, in a thread that no append waits for. It reads the old segments through files of
its own, so the log may change meanwhile. When a new segment is complete, the log's own thread puts it in the place of
the old ones (`Log.replace`), which fails if these are not the log's any more: then the cleaning has to be given up.
Apache Kafka has this in Cleaner.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.records.batch import RecordBatchView
from kafkaproto.transaction_index import AbortedTransaction
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.core.log_state.cleanable import GroupedSegment, group_sizes
from kafkaproto_server.core.log_state.compaction import (
    CleanedTransactions,
    Compaction,
    LastBatch,
    note_batch,
)
from kafkaproto_server.core.log_state.key_offsets import KeyOffsets
from kafkaproto_server.shell.storage.errors import CorruptFileError, of_log_in_use
from kafkaproto_server.shell.storage.log.index import MAX_RELATIVE_OFFSET
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.scan import FileScan
from kafkaproto_server.shell.storage.log.segment import Segment
from kafkaproto_server.shell.storage.log.swap_files import CLEANED_SUFFIX, remove_cleaned
from kafkaproto_server.shell.storage.log.transaction_index_files import write_cleaned_index

WRITE_BYTES = 1 << 16
"""How much is collected before it is written."""


class CleaningPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be cleaned of a log, and what is known about it at that moment."""

    directory: str
    segments: Sequence[Segment]
    """All of the log's segments."""
    config: LogConfig
    first_dirty_offset: int
    end_offset: int
    """The base offset of the first segment that is not cleaned."""
    high_watermark: int
    aborted: Sequence[AbortedTransaction]
    """All aborted transactions of the log."""
    last_batches: Mapping[int, LastBatch]
    """Of the log's producers, by their ids."""
    delete_retention_ms: int
    now_ms: int
    """Wall time."""
    dedupe_buffer_bytes: int
    """How much memory the keys may take (``log.cleaner.dedupe.buffer.size``)."""
    load_factor: float
    """How much of that keys may fill (``log.cleaner.io.buffer.load.factor``)."""


class CleanedGroup(NamedTuple):
    """A complete new segment, and the ones that it was made of."""

    gone: Sequence[Segment]
    cleaned: Segment
    end_offset: int
    """Where the next segment begins."""
    aborted: Sequence[AbortedTransaction]
    """The aborted transactions that ended in it, and that its transaction index still has."""


class Cleaning:
    """One cleaning of a log. One thread at a time works on it."""

    def __init__(self, disk: Disk, plan: CleaningPlan) -> None:
        self._disk = disk
        self._plan = plan
        self._steps = self._run()
        self._writing: Segment | None = None
        self.is_done = False
        """Whether everything is cleaned."""
        self.read_bytes = 0
        """Of the log, for each of the two passes."""
        self.written_bytes = 0
        self.cleaned_to = plan.first_dirty_offset
        """Up to where the log is clean in the end."""

    def work(self, max_bytes: int) -> CleanedGroup | None:
        """Go on, for about so many bytes that are read and written. Returns a new segment when one is complete, else
        None; see `is_done`. Raises CorruptFileError if the log cannot be cleaned, and OSError."""
        end = self.read_bytes + self.written_bytes + max_bytes
        with of_log_in_use(self._disk, self._plan.directory):
            for group in self._steps:
                if group is not None or self.read_bytes + self.written_bytes >= end:
                    return group
        self.is_done = True
        return None

    def abandon(self) -> None:
        """Give up: remove the files that were written. After the end of a cleaning there is nothing left to do. Raises
        OSError."""
        self._steps.close()
        writing, self._writing = self._writing, None
        if writing is not None:
            writing.close()
        if self._disk.exists(self._plan.directory):
            remove_cleaned(self._disk, self._plan.directory)

    def _run(self) -> Generator[CleanedGroup | None]:
        plan = self._plan
        # What an earlier attempt left.
        remove_cleaned(self._disk, plan.directory)
        keys = KeyOffsets(
            buffer_bytes=plan.dedupe_buffer_bytes,
            load_factor=plan.load_factor,
            wanted=plan.end_offset - plan.first_dirty_offset,
        )
        yield from self._note_keys(keys)
        self.cleaned_to = keys.latest_offset + 1
        transactions = CleanedTransactions(plan.aborted)
        compaction = Compaction(
            keys=keys,
            transactions=transactions,
            last_batches=plan.last_batches,
            high_watermark=plan.high_watermark,
            now_ms=plan.now_ms,
            delete_retention_ms=plan.delete_retention_ms,
        )
        segments = [segment for segment in plan.segments if segment.base_offset < self.cleaned_to]
        for group, end_offset in self._groups(segments):
            cleaned = Segment(
                self._disk, plan.directory, group[0].base_offset, plan.config, suffix=CLEANED_SUFFIX
            )
            self._writing = cleaned
            yield from self._fill(cleaned, group, compaction)
            cleaned.complete()
            kept, transactions.kept = transactions.kept, []
            write_cleaned_index(self._disk, plan.directory, cleaned.base_offset, CLEANED_SUFFIX, kept)
            self._writing = None
            yield CleanedGroup(group, cleaned, end_offset, kept)

    def _note_keys(self, keys: KeyOffsets) -> Iterator[None]:
        plan = self._plan
        transactions = CleanedTransactions(
            each for each in plan.aborted if each.last_offset >= plan.first_dirty_offset
        )
        bases = [*(segment.base_offset for segment in plan.segments[1:]), plan.end_offset]
        for segment, next_base in zip(plan.segments, bases, strict=True):
            # It is clean already.
            if next_base <= plan.first_dirty_offset:
                continue
            # The active segment at the latest: it may still be appended to.
            if segment.base_offset >= plan.end_offset:
                break
            for path, batch in self._batches(segment):
                with _reading(path):
                    if not note_batch(keys, transactions, batch, plan.first_dirty_offset):
                        return
                yield None
            # Also what is missing at the segment's end is clean.
            keys.latest_offset = next_base - 1

    def _groups(self, segments: Sequence[Segment]) -> Iterator[tuple[Sequence[Segment], int]]:
        """The segments that become one, each time with the offset at which they end."""
        plan = self._plan
        bases = [segment.base_offset for segment in plan.segments]
        sizes = group_sizes(
            (GroupedSegment(segment.base_offset, segment.size, *segment.index_bytes) for segment in segments),
            end_offset=plan.end_offset,
            max_bytes=plan.config.segment_bytes,
            max_index_bytes=plan.config.segment_index_bytes,
            max_offsets=MAX_RELATIVE_OFFSET,
        )
        begin = 0
        for count in sizes:
            group = segments[begin : begin + count]
            begin += count
            # The active segment is none of them.
            yield group, bases[begin]

    def _fill(self, cleaned: Segment, group: Sequence[Segment], compaction: Compaction) -> Iterator[None]:
        waiting: list[RecordBatchView] = []
        waiting_bytes = 0
        for segment in group:
            for path, batch in self._batches(segment):
                with _reading(path):
                    kept = compaction.clean(batch)
                if kept is not None:
                    # A copy: what was read is not kept for it.
                    waiting.append(RecordBatchView(bytes(kept)))
                    waiting_bytes += len(kept)
                # A write for each batch would cost more than the batch.
                if waiting_bytes >= WRITE_BYTES:
                    self._write(cleaned, waiting)
                    waiting, waiting_bytes = [], 0
                yield None
        self._write(cleaned, waiting)

    def _write(self, cleaned: Segment, batches: Sequence[RecordBatchView]) -> None:
        if batches:
            with _reading(cleaned.path):
                cleaned.append(batches)
            self.written_bytes += sum(batch.size_in_bytes for batch in batches)

    def _batches(self, segment: Segment) -> Iterator[tuple[str, RecordBatchView]]:
        """The batches of a segment, each with the path of its file."""
        path = segment.path
        # A file of its own: the log may close, rename or delete its own at any time.
        file = self._disk.open_read_only(path)
        try:
            scan = FileScan(file, next_offset=segment.base_offset, with_old_formats=True)
            for _, batch in scan:
                self.read_bytes += batch.size_in_bytes
                yield path, batch
            # What cannot be read must not be left out, as if nobody had ever written it.
            if scan.valid_end < segment.size:
                raise CorruptFileError(path, str(scan.fault), position=scan.valid_end)
        finally:
            file.close()


class _reading:
    """A batch that cannot be read, or not be written anew, is a fault of its file: the log cannot be cleaned."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, (RemoteProtocolError, LocalProtocolError)):
            raise CorruptFileError(self._path, str(error)) from error
