"""The segments of a log and where it starts among them: what its readers see.

Readers in other threads iterate over the segments while one thread appends and rolls. So the tuple of segments is
replaced as a whole, never changed. What closes or cuts files that somebody may be reading waits for the readers, by a
lock. Apache Kafka has this in LogSegments and LocalLog.
"""

from __future__ import annotations

import errno
import threading
from bisect import bisect_right
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from operator import attrgetter, is_not

from kafkaproto_server.base.file_part import Sendable
from kafkaproto_server.base.ports import Buffer, Disk
from kafkaproto_server.shell.storage.errors import OffsetOutOfRangeError
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.segment import Segment
from kafkaproto_server.shell.storage.log.swap_files import swap_in
from kafkaproto_server.shell.storage.log.timestamp_search import TimestampedOffset

_base_offset = attrgetter("base_offset")


class LogSegments:
    """The segments of one log, ascending. There is always one but while the log is opened; the last one is active.

    Any thread may read, and use ``all``, ``start_offset``, ``end_offset`` and ``size_in_bytes``. All else belongs to
    the thread that changes the log. It holds `reading` while it deletes, cuts, replaces or closes segments; to add one
    needs no lock.
    """

    def __init__(self, disk: Disk, directory: str, config: LogConfig) -> None:
        self._disk = disk
        self.directory = directory
        self.config = config
        """The limits that new segments get."""
        self.all: tuple[Segment, ...] = ()
        """Replaced as a whole, because readers in other threads iterate over it."""
        self.start_offset = 0
        """The first offset that the log holds."""
        self.deleted: deque[str] = deque()
        """Paths of files that were deleted by a rename. Whoever owns the log takes them out and removes them later; a
        log that is durable at once is tidied by its directory's name instead."""
        self.reading = threading.Lock()
        """Held by reads, and by operations that close or cut the files that they read."""

    @property
    def active(self) -> Segment:
        """The last one, which takes appends."""
        return self.all[-1]

    @property
    def end_offset(self) -> int:
        """The offset that the next record gets."""
        return self.all[-1].next_offset

    @property
    def bases(self) -> tuple[int, ...]:
        """The base offset of each segment, ascending."""
        return tuple(segment.base_offset for segment in self.all)

    @property
    def size_in_bytes(self) -> int:
        """Bytes of all segments, without their indexes."""
        return sum(segment.size for segment in self.all)

    def configure(self, config: LogConfig) -> None:
        """Use other limits from the next append on."""
        self.config = config
        for segment in self.all:
            segment.configure(config)

    # -- reading, in any thread --------------------------------------------------------------------------------

    def read(self, offset: int, max_bytes: int) -> bytes:
        """See `Log.read`."""
        with self.reading:
            segments, start = self.all, self.start_offset
            # Once, since an append may move it: the check and the search have to agree.
            end = segments[-1].next_offset
            if not start <= offset <= end:
                raise OffsetOutOfRangeError(self.directory, offset, start, end)
            if offset == end:
                return b""
            index = bisect_right(segments, offset, key=_base_offset)
            return segments[index - 1].read(offset, max_bytes)

    def read_records(
        self, offset: int, max_bytes: int, end_offset: int, *, whole_first: bool = False
    ) -> Buffer:
        """The bytes of the batches from the one that holds ``offset`` on, or from the first one behind it, up to
        ``end_offset``. The last batch may be cut short by ``max_bytes``; a read ends at the end of a segment.

        If the first batch is larger than ``max_bytes``, all of it with ``whole_first``, else nothing. Nothing also if
        no batch begins before ``end_offset``. Raises OffsetOutOfRangeError, CorruptFileError, OSError.
        """
        with self.reading:
            segment = self._segment_to_read(offset)
            return segment.read_records(offset, max_bytes, end_offset, whole_first) if segment else b""

    def records_now(
        self, offset: int, max_bytes: int, end_offset: int, *, whole_first: bool, copied: bool
    ) -> Sendable:
        """The same without waiting for the disk, or for another thread that cuts the log: raises BlockingIOError.
        Unless ``copied`` is set, the log may return a part of a file, which it must not cut while that is sent."""
        # The event loop calls this. A cut syncs its file, which may take seconds on a slow disk.
        if not self.reading.acquire(blocking=False):
            raise BlockingIOError(errno.EAGAIN, "the log is being cut", self.directory)
        try:
            segment = self._segment_to_read(offset)
            return segment.records_now(offset, max_bytes, end_offset, whole_first, copied) if segment else b""
        finally:
            self.reading.release()

    def _segment_to_read(self, offset: int) -> Segment | None:
        """The segment with the first batch at or behind an offset; None if there is none."""
        segments, start = self.all, self.start_offset
        end = segments[-1].next_offset
        if not start <= offset <= end:
            raise OffsetOutOfRangeError(self.directory, offset, start, end)
        # The log may start in a gap before its first segment.
        first = max(0, bisect_right(segments, offset, key=_base_offset) - 1)
        # Behind the last batch of a segment, offsets may be missing up to the next one. It may also be that compaction
        # has left no batch.
        return next((each for each in segments[first:] if offset < each.next_offset and each.size), None)

    def find_timestamp(self, timestamp: int) -> TimestampedOffset | None:
        """The first record whose timestamp is ``timestamp`` or later; None if there is none. Raises CorruptFileError,
        OSError."""
        with self.reading:
            for segment in self.all:
                # No file is touched of segments whose records are all earlier.
                if segment.max_timestamp >= timestamp:
                    found = segment.find_timestamp(timestamp, self.start_offset)
                    if found is not None:
                        return found
            return None

    def find_max_timestamp(self) -> TimestampedOffset | None:
        """The first record with the largest timestamp of all; None if no record has one. Raises CorruptFileError,
        OSError."""
        largest = max(segment.max_timestamp for segment in self.all)
        return self.find_timestamp(largest) if largest >= 0 else None

    # -- changes, by the thread of the log ---------------------------------------------------------------------

    def begin(self, base_offset: int) -> None:
        """Begin a new segment behind the others."""
        assert not self.all or base_offset >= self.end_offset, "a segment begins within the one before"
        segment = Segment.create(self._disk, self.directory, base_offset, self.config)
        self.all = (*self.all, segment)
        # A sync of the new file does not cover its name. If a crash took the name, records that were acknowledged in
        # this segment would be gone with it.
        self.sync_directory_at_once()

    def roll(self, offset: int | None) -> None:
        """Begin a new segment, at the log's end or at a later offset."""
        self.active.become_inactive()
        self.begin(self.end_offset if offset is None else offset)

    def delete(self, gone: Sequence[Segment], kept: tuple[Segment, ...], *, is_cut: bool = False) -> None:
        """Delete segments in the given order. The last one that is kept takes appends. What was cut stays away."""
        if not gone:
            return
        assert kept, f"{self.directory}: a log has one segment at least"
        active = self.active
        for segment in gone:
            self.delete_files(segment)
        self.all = kept
        # Old segments that come back after a crash only take room: the log's start is elsewhere. Records that were cut
        # would come back among those of another leader.
        if is_cut or self.config.is_durable_at_once:
            self._disk.sync_directory(self.directory)
        if self.active is not active:
            self.active.become_active()

    def delete_files(self, segment: Segment) -> None:
        """Delete the files of one segment by a rename."""
        paths = segment.delete()
        if not self.config.is_durable_at_once:
            self.deleted.extend(paths)

    def restart(self, start_offset: int) -> None:
        """Delete all, and begin again with an empty segment at ``start_offset``."""
        # Newest first again: after a crash half way, what remains is a beginning of the log without a gap.
        for segment in reversed(self.all):
            self.delete_files(segment)
        # Before the new segment is made, which may have a name that is to go.
        self._disk.sync_directory(self.directory)
        # Others may ask for the end all the time, so there is no moment without a segment.
        self.all = (Segment.create(self._disk, self.directory, start_offset, self.config),)
        self.start_offset = start_offset
        self.sync_directory_at_once()

    def find(self, segments: Sequence[Segment]) -> int | None:
        """The index of the first of these segments, if all of them are the log's, one after the other; else None."""
        begin = bisect_right(self.all, segments[0].base_offset, key=_base_offset) - 1
        there = self.all[begin : begin + len(segments)]
        # The same objects: another segment may have the same base offset by now.
        if begin < 0 or len(there) < len(segments) or any(map(is_not, there, segments)):
            return None
        assert there[-1] is not self.active, f"{self.directory}: the active segment was compacted"
        return begin

    def replace(self, begin: int, gone: Sequence[Segment], cleaned: Segment) -> list[str]:
        """Put a segment that compaction has made in the place of those from an index on, durably on return. Returns
        the paths of the files that are to be removed."""
        deleted = swap_in(self._disk, self.directory, gone, cleaned)
        self.all = (*self.all[:begin], cleaned, *self.all[begin + len(gone) :])
        return deleted

    def sync_directory_at_once(self) -> None:
        """Make the names of files durable, if the log is durable at once."""
        if self.config.is_durable_at_once:
            self._disk.sync_directory(self.directory)

    def close(self, *ignored: type[OSError]) -> None:
        """Close the files of all segments. Errors of the given types are ignored."""
        with self.reading:
            for segment in self.all:
                with suppress(*ignored):
                    segment.close()
