"""One segment of a log: ``<base offset>.log``, batches back to back, and its two indexes (see ``index``).

An index entry is made for a batch that begins more than ``index_interval_bytes`` behind the previous entry's;
the time index gets one more when the segment is closed or left behind, for its newest timestamp.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kafkaproto.log import segment_file_name
from kafkaproto.records.batch import RecordBatchView, iterate_batches
from kafkaproto_server.ports import Disk, File
from kafkaproto_server.storage.deletion import mark_deleted
from kafkaproto_server.storage.log.index import OffsetIndex, TimeIndex
from kafkaproto_server.storage.log.reached import Reached
from kafkaproto_server.storage.log.recovery import RecoveredSegment, recover_segment

LOCATE_BYTES = 1 << 16
"""How much is read at once while looking for a batch."""

MAX_RELATIVE_OFFSET = (1 << 31) - 1
"""An index has 32 bits for an offset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogConfig:
    """Limits of a log; defaults are those of the metadata log."""

    segment_bytes: int = 1 << 30
    """A batch that would make a segment longer goes into a new one (``metadata.log.segment.bytes``)."""
    segment_ms: int = 7 * 24 * 3600 * 1000
    """A batch that is this much younger than a segment's first one goes into a new one
    (``metadata.log.segment.ms``)."""
    index_interval_bytes: int = 4096
    segment_index_bytes: int = 10 * 1024 * 1024
    """Length of an index while its segment is appended to."""


class Segment:
    """A stretch of consecutive offsets. Only the last segment of a log is appended to.

    ``read`` may run in other threads while one appends and syncs: what it looks at only grows, and ``size`` and
    ``next_offset`` count nothing before it is in the file. Nothing else may run beside a read.
    """

    def __init__(self, disk: Disk, directory: str, base_offset: int, config: LogConfig) -> None:
        self._disk = disk
        self._config = config
        self.base_offset = base_offset
        self.next_offset = base_offset
        self.size = 0
        self.path = f"{directory}/{segment_file_name(base_offset)}"
        self._file: File = disk.open(self.path, create=True)
        self._offset_index = OffsetIndex(disk, directory, base_offset, config.segment_index_bytes)
        self._time_index = TimeIndex(disk, directory, base_offset, config.segment_index_bytes)
        self._first_timestamp: int | None = None
        self._max_timestamp = -1
        self._offset_of_max_timestamp = base_offset
        self._is_synced = True
        self._is_closed = False

    @classmethod
    def create(cls, disk: Disk, directory: str, base_offset: int, config: LogConfig) -> Segment:
        """An empty segment to append to. Its names are not durable before the directory is synced."""
        segment = cls(disk, directory, base_offset, config)
        assert segment._file.size() == 0, f"{segment.path} exists already"
        segment.become_active()
        return segment

    def recover(
        self,
        *,
        epoch: int,
        is_last: bool,
        visit: Callable[[RecordBatchView], None],
        reached: Reached | None = None,
    ) -> RecoveredSegment:
        """Read and check what is on disk, cut a torn tail off, mend the indexes (see ``recovery``).

        ``epoch`` is that of the record ahead of the segment; ``visit`` is shown every batch. Raises
        CorruptFileError.
        """
        offset_entries: list[bytes] = []
        time_entries: list[bytes] = []

        def note(position: int, view: RecordBatchView) -> None:
            if self._wants_entry(position, view):
                offset_entries.append(self._offset_index.note(view.last_offset, position))
                time_entries.append(self._time_index.note(self._max_timestamp, self._offset_of_max_timestamp))
            visit(view)

        recovered = recover_segment(
            self._file,
            self.path,
            base_offset=self.base_offset,
            epoch=epoch,
            is_last=is_last,
            visit=note,
            reached=reached,
        )
        if is_last:
            # What was appended but not synced may have outlived its process in memory alone, and counts from now on.
            self._file.sync()
        self.size, self.next_offset = recovered.size, recovered.next_offset
        time_entries.append(self._time_index.note(self._max_timestamp, self._offset_of_max_timestamp))
        self._offset_index.file.settle(b"".join(offset_entries))
        self._time_index.file.settle(b"".join(time_entries))
        return recovered

    def become_active(self) -> None:
        """Prepare for appends: give the indexes their full length, with zeros behind the entries."""
        self._offset_index.file.preallocate()
        self._time_index.file.preallocate()

    def must_roll_before(self, view: RecordBatchView, unwritten_bytes: int = 0) -> bool:
        """Whether a batch has to go into a new segment; ``unwritten_bytes`` go into this one ahead of it."""
        size = self.size + unwritten_bytes
        if size == 0:
            return False
        return (
            size + view.size_in_bytes > self._config.segment_bytes
            or (
                self._first_timestamp is not None
                and view.max_timestamp - self._first_timestamp > self._config.segment_ms
            )
            or view.last_offset - self.base_offset > MAX_RELATIVE_OFFSET
            or self._offset_index.file.is_full
            or self._time_index.file.is_full
        )

    def append(self, views: Sequence[RecordBatchView]) -> None:
        """Write batches at the end, in one call to the disk. Raises OSError, after which the segment is
        lost."""
        next_offset, size = self.next_offset, self.size
        for view in views:
            assert view.base_offset == next_offset, (
                f"{self.path}: a batch begins at offset {view.base_offset}, expected is {next_offset}"
            )
            next_offset = view.next_offset
        self._is_synced = False
        self._file.append([view.raw for view in views])
        for view in views:
            if self._wants_entry(size, view):
                self._offset_index.append(view.last_offset, size)
                self._time_index.maybe_append(self._max_timestamp, self._offset_of_max_timestamp)
            size += view.size_in_bytes
        # In this order, for those who read meanwhile.
        self.size = size
        self.next_offset = next_offset

    def read(self, offset: int, max_bytes: int) -> bytes:
        """Whole batches from the one that holds ``offset`` on, at least one, else up to ``max_bytes``."""
        assert self.base_offset <= offset < self.next_offset
        assert not self._is_closed, f"{self.path} was closed"
        position, first = self._locate(offset)
        # Beyond it, an append may be half written.
        readable = self.size - position
        data = self._file.read_at(position, min(max(max_bytes, first.size_in_bytes), readable))
        end = 0
        for view in iterate_batches(data):
            end = view.position + view.size_in_bytes
        return data[:end]

    def truncate_to(self, offset: int) -> None:
        """Cut off the batch that holds ``offset`` and all after it, durable on return."""
        assert self.base_offset <= offset < self.next_offset
        position, first = self._locate(offset)
        self.next_offset = first.base_offset
        self.size = position
        self._file.truncate(position)
        # Bytes appended later must not reach the disk ahead of this cut, or old batches would follow new ones
        # there.
        self._file.sync()
        self._is_synced = True
        self._offset_index.truncate_to(self.next_offset)
        self._time_index.truncate_to(self.next_offset)
        self._find_max_timestamp()

    def sync(self) -> None:
        """Make what was appended durable."""
        if not self._is_synced:
            self._file.sync()
            self._is_synced = True

    def become_inactive(self) -> None:
        """Nothing is appended any more: sync, complete the time index, trim both."""
        self.sync()
        self._time_index.maybe_append(self._max_timestamp, self._offset_of_max_timestamp)
        self._offset_index.file.trim()
        self._time_index.file.trim()

    def close(self) -> None:
        """Give the files up; a second time does nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        self._file.close()
        self._offset_index.file.close()
        self._time_index.file.close()

    def delete(self) -> None:
        """Close, and rename what ``deletion.remove_deleted`` removes; durable once the directory is synced."""
        self.close()
        mark_deleted(self._disk, (self.path, self._offset_index.path, self._time_index.path))

    def _wants_entry(self, position: int, view: RecordBatchView) -> bool:
        """Take the batch at ``position`` into account, and say whether it gets an index entry."""
        if self._first_timestamp is None:
            self._first_timestamp = view.max_timestamp
        if view.max_timestamp > self._max_timestamp:
            self._max_timestamp = view.max_timestamp
            self._offset_of_max_timestamp = view.last_offset
        return position - self._offset_index.last_position > self._config.index_interval_bytes

    def _locate(self, offset: int) -> tuple[int, RecordBatchView]:
        """Position and view of the batch that holds ``offset``."""
        position = self._offset_index.position_for(offset)
        length = LOCATE_BYTES
        while True:
            data = self._file.read_at(position, length)
            skipped = 0
            for view in iterate_batches(data):
                if view.next_offset > offset:
                    return position + view.position, view
                skipped = view.position + view.size_in_bytes
            if skipped == 0:
                # The batch is larger than what was read.
                length *= 2
            position += skipped

    def _find_max_timestamp(self) -> None:
        """Set what is known of timestamps to what the batches left say."""
        last = self._time_index.last
        self._max_timestamp, self._offset_of_max_timestamp = (-1, self.base_offset) if last is None else last
        position = self._offset_index.last_position
        data = self._file.read_at(position, self.size - position)
        for view in iterate_batches(data):
            if view.max_timestamp > self._max_timestamp:
                self._max_timestamp, self._offset_of_max_timestamp = view.max_timestamp, view.last_offset
        if self.size == 0:
            self._first_timestamp = None
