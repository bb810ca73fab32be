"""One segment of a log: ``<base offset>.log``, batches without gaps, and its two indexes (see ``index``).

A batch gets an index entry if it begins more than ``index_interval_bytes`` behind the batch of the previous entry. When
the segment is closed or rolled, the time index gets one more entry, for the newest timestamp.
"""

from __future__ import annotations

import errno
import logging
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.log import MAX_OFFSET, segment_file_name
from kafkaproto.records.batch import RecordBatchView
from kafkaproto.records.legacy import iterate_stored_batches, view_of_batch
from kafkaproto.records.times import record_times
from kafkaproto_server.base.file_part import Sendable
from kafkaproto_server.base.ports import Buffer, Disk, File
from kafkaproto_server.core.log_state.cleanable import SegmentAge
from kafkaproto_server.shell.storage.deletion import mark_deleted
from kafkaproto_server.shell.storage.errors import CorruptFileError, LogClosedError
from kafkaproto_server.shell.storage.log import batch_walk
from kafkaproto_server.shell.storage.log.index import (
    MAX_RELATIVE_OFFSET,
    NO_TIMESTAMP,
    OffsetIndex,
    TimeIndex,
)
from kafkaproto_server.shell.storage.log.recovery import (
    ProofOfLoss,
    RecoveredSegment,
    RecoveryPolicy,
    recover_segment,
)
from kafkaproto_server.shell.storage.log.scan import FileScan, batch_size
from kafkaproto_server.shell.storage.log.unsynced import cut_again, sync, write_again

LOCATE_BYTES = 1 << 16
"""How much is read at once to find a batch."""

REWRITTEN_BYTES = 32 * 1024 * 1024
"""How much of a log's end recovery writes again: more than one sync covers, as batches have 8 MiB at the most."""

_log = logging.getLogger("kafkaproto.server.replicas")

MAX_FALSE_TIMESTAMPS = 1000
"""How many batches are remembered whose headers claim a later timestamp than their records have."""

_opening = threading.Lock()
"""Held while the file of a segment is opened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogConfig:
    """Limits of a log; the defaults are those of the metadata log."""

    segment_bytes: int = 1 << 30
    """A batch that would exceed this size begins a new segment (``metadata.log.segment.bytes``)."""
    segment_ms: int = 7 * 24 * 3600 * 1000
    """A batch that is younger than a segment's first one by more than this begins a new segment
    (``metadata.log.segment.ms``)."""
    segment_jitter_ms: int = 0
    """By how much less than ``segment_ms`` it may be, so that not all logs roll at the same time."""
    index_interval_bytes: int = 4096
    segment_index_bytes: int = 10 * 1024 * 1024
    """Length of an index file while its segment takes appends."""
    has_gaps: bool = False
    """Whether offsets may be missing, because compaction removes records."""
    cuts_at_gaps: bool = False
    """Whether offsets that are missing before a segment above the recovery point mean that a crash of the machine took
    them. The log then ends there. Without compaction there is no other reason."""
    is_durable_at_once: bool = True
    """Whether rolls and cuts return only once they are durable. If not, the owner calls `Log.flush` from time to time,
    as Apache Kafka does for topics: replication keeps the records, not the disk of one broker."""
    flush_messages: int = MAX_OFFSET
    """How many offsets may be appended to such a log before all of it is made durable (``flush.messages``)."""


class TimestampedOffset(NamedTuple):
    """A record, as a search by time finds it."""

    offset: int
    timestamp: int
    leader_epoch: int


class Segment:
    """A range of consecutive offsets. Only the last segment of a log takes appends.

    ``read`` may run in other threads while one thread appends and syncs: the data that it uses only grows, and ``size``
    and ``next_offset`` count a batch only once it is in the file. No other method may run beside a read.
    """

    def __init__(
        self, disk: Disk, directory: str, base_offset: int, config: LogConfig, suffix: str = ""
    ) -> None:
        """``suffix`` is what the names of its files end with, if it is not part of a log yet."""
        self._disk = disk
        self._config = config
        self.base_offset = base_offset
        self.next_offset = base_offset
        self.size = 0
        self.path = f"{directory}/{segment_file_name(base_offset)}{suffix}"
        # The file is not preallocated, as by default in Kafka: after a crash, zeros behind the last
        # batch would look like a torn append.
        self._opened: File | None = None
        index_bytes = config.segment_index_bytes
        self._offset_index = OffsetIndex(disk, directory, base_offset, index_bytes, suffix)
        self._time_index = TimeIndex(disk, directory, base_offset, index_bytes, suffix)
        self._first_timestamp: int | None = None
        self._max_timestamp = -1
        self._offset_of_max_timestamp = base_offset
        # By position, of batches whose headers claim a later one: a search by time goes through their records once.
        self._largest_timestamps: dict[int, int] = {}
        self._has_told_of_lie = False
        self._first_append_ms: int | None = None
        self._is_synced = True
        self._is_closed = False
        # Any other segment has a file. If somebody removed it, an empty one must not take its place.
        self._is_new = bool(suffix)

    @property
    def _file(self) -> File:
        """The file, opened when it is first needed: a broker has thousands of segments that nobody uses."""
        if self._opened is None:
            with _opening:
                # A reader and the writer may both need it for the first time.
                if self._opened is None:
                    self._check_open()
                    self._opened = self._disk.open(self.path, create=self._is_new)
        return self._opened

    def _check_open(self) -> None:
        """Raises LogClosedError: whoever reads may have waited while the log was deleted."""
        if self._is_closed:
            raise LogClosedError(self.path)

    @classmethod
    def create(cls, disk: Disk, directory: str, base_offset: int, config: LogConfig) -> Segment:
        """An empty segment for appends. The names of its files are not durable before the directory is synced."""
        segment = cls(disk, directory, base_offset, config)
        segment._is_new = True
        # Appends are made at the end of the file. Bytes of an older file would come before them.
        assert segment._file.size() == 0, f"{segment.path} exists already"
        segment.become_active()
        segment._close_files()
        segment._is_new = False
        return segment

    def recover(
        self,
        *,
        epoch: int,
        next_base: int | None,
        visit: Callable[[RecordBatchView], None],
        policy: RecoveryPolicy,
    ) -> RecoveredSegment:
        """Read and check the file, cut off what is not valid, repair the indexes (see ``recovery``).

        ``epoch`` is that of the record before the segment, ``next_base`` is where the next one begins; None if there is
        none. ``visit`` is called for every batch. Raises StorageError, with no file changed.
        """
        is_last = next_base is None
        offset_entries, time_entries = bytearray(), bytearray()

        def note(position: int, view: RecordBatchView) -> None:
            # With a shorter interval than when they were appended, batches may want more entries than there is room.
            if (
                self._wants_entry(position, view)
                and self._offset_index.file.has_room_behind(len(offset_entries))
                and self._time_index.file.has_room_behind(len(time_entries))
            ):
                offset_entries.extend(self._offset_index.note(view.last_offset, position))
                time_entries.extend(self._time_index.note(self._max_timestamp, self._offset_of_max_timestamp))
            visit(view)

        recovered = recover_segment(
            self._file,
            self.path,
            base_offset=self.base_offset,
            epoch=epoch,
            is_last=is_last,
            visit=note,
            policy=policy,
            has_gaps=self._config.has_gaps,
            proof_of_loss=self._proof_of_loss(next_base, policy),
        )
        if is_last and self._config.is_durable_at_once:
            # Appended records that were not synced may have survived their process only in the system's memory. They
            # count from now on, so they have to be durable. What a sync that failed has left is written again. So is a
            # cut: records behind it must not come back, as the next segment begins where it ended the log.
            write_again(self._file, max(0, recovered.size - REWRITTEN_BYTES), recovered.size)
            cut_again(self._file, recovered.size)
            self._file.sync()
        self.size, self.next_offset = recovered.size, recovered.next_offset
        time_entries.extend(self._time_index.note(self._max_timestamp, self._offset_of_max_timestamp))
        # The indexes follow from the batches. Those that a crash left may name batches that were
        # cut off.
        self._offset_index.file.settle(offset_entries)
        self._time_index.file.settle(time_entries)
        if not self._config.is_durable_at_once:
            # What was read may be in the system's memory only, if it was the process that died.
            self._is_synced = False
            self._offset_index.file.must_sync()
            self._time_index.file.must_sync()
        self._close_files()
        return recovered

    def _proof_of_loss(self, next_base: int | None, policy: RecoveryPolicy) -> ProofOfLoss | None:
        """What shows from a topic's segment's indexes that records at its end are gone; None if they prove nothing.

        They prove something unless a crash may have kept them and lost the records: if all that was appended must be
        there, or if the whole segment is durable. A wrong bit in an index is no proof: both numbers of an entry have to
        lie behind what was found.
        """
        reached = policy.reached
        is_durable = next_base is not None and reached is not None and next_base <= reached.offset
        if not policy.cuts_damage or not (policy.is_kept or is_durable):
            return None
        entry, newest = self._offset_index.newest_in_file(), self._time_index.newest_in_file()

        def proof(next_offset: int, size: int) -> int | None:
            found = []
            if entry is not None and entry.offset >= next_offset and entry.position >= size:
                found.append(entry.offset)
            if newest is not None and newest.offset >= next_offset and newest.timestamp > self._max_timestamp:
                found.append(newest.offset)
            return max(found, default=None)

        return proof

    def _close_files(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()
        self._offset_index.file.close()
        self._time_index.file.close()

    def load(self, end_offset: int | None) -> int | None:
        """Open a segment that was completed (`become_inactive`), by its indexes: only its first and last batches are
        read.

        ``end_offset`` is where the next segment begins; None if this is the last one. Returns the leader epoch of the
        last record, -1 if compaction has left none. None, with nothing changed, if indexes and batches do not agree:
        then `recover` has to read it all.
        """
        size = self._file.size()
        if not size and self._config.has_gaps and end_offset is not None:
            is_emptied = bool(self._time_index.newest_in_file() or self._offset_index.newest_in_file())
            self._close_files()
            # Compaction leaves no entry either.
            return None if is_emptied else -1
        # Another empty segment has no batch that could confirm its indexes. To read it costs nothing.
        if size and self._offset_index.load(size) and self._time_index.load():
            first, last = self._first_batch(), self._last_batch(size)
            if first is not None and last is not None and self._may_end_at(last.next_offset, end_offset):
                if (newest := self._time_index.last) is not None:
                    self._max_timestamp, self._offset_of_max_timestamp = newest
                self._first_timestamp = first.max_timestamp
                self.size, self.next_offset = size, last.next_offset
                self._close_files()
                return last.partition_leader_epoch
        # `recover` adds the entries anew. Entries that were taken from the file would come twice.
        self._offset_index.forget()
        self._time_index.forget()
        return None

    def _may_end_at(self, offset: int, next_base: int | None) -> bool:
        """Whether the segment may end at an offset if the next one begins at ``next_base``."""
        return next_base is None or offset == next_base or (self._config.has_gaps and offset < next_base)

    def _first_batch(self) -> RecordBatchView | None:
        """The first batch of the file; None if it is not valid, or if the segment does not begin with it."""
        _, first = next(
            iter(FileScan(self._file, with_old_formats=True, window_bytes=LOCATE_BYTES)), (0, None)
        )
        if first is None:
            return None
        return first if first.base_offset == self.base_offset or self._config.has_gaps else None

    def _last_batch(self, size: int) -> RecordBatchView | None:
        """The last batch of the file, found from the newest index entry on. None if a batch there is not valid, is not
        that of the entry, or should have an entry of its own."""
        entry, newest = self._offset_index.last, self._time_index.last
        start = 0 if entry is None else entry.position
        scan = FileScan(self._file, start=start, next_offset=self.base_offset, with_old_formats=True)
        last = None
        for position, view in scan:
            is_indexed = (
                view.last_offset == entry.offset
                if position == start and entry is not None
                else position - start <= self._config.index_interval_bytes
            )
            if not is_indexed or view.max_timestamp > (NO_TIMESTAMP if newest is None else newest.timestamp):
                return None
            # The crc does not cover the base offset.
            if not self.can_hold(view.last_offset):
                return None
            last = view
        return last if scan.valid_end == size else None

    def configure(self, config: LogConfig) -> None:
        """Use other limits; an index keeps the length that it has."""
        self._config = config

    def become_active(self) -> None:
        """Prepare for appends: give the index files their full length, with zeros after the entries. Without entries,
        a log of a topic leaves that to the first one."""
        if self._config.is_durable_at_once or self._offset_index.file.count:
            self._offset_index.file.preallocate()
            self._time_index.file.preallocate()

    def must_roll_before(
        self, view: RecordBatchView, unwritten_bytes: int = 0, wall_ms: int | None = None
    ) -> bool:
        """Whether a batch has to begin a new segment. ``unwritten_bytes`` will be appended to this one before it.

        ``wall_ms`` is the time now: a segment whose first batch has no timestamp is rolled by the time since it was
        first asked for one.
        """
        # LogSegment of Kafka rolls for the same reason: an index entry could not hold the offset.
        if not self.can_hold(view.last_offset):
            return True
        size = self.size + unwritten_bytes
        if size == 0:
            return False
        return (
            size + view.size_in_bytes > self._config.segment_bytes
            or self._waited_ms(view, wall_ms) > self._config.segment_ms - self._jitter_ms
            # A full index would leave ever more of the segment without entries, to be read batch by
            # batch.
            or self._offset_index.file.is_full
            or self._time_index.file.is_full
        )

    def has_room(self, size_bytes: int, end_offset: int) -> bool:
        """Whether so many bytes, up to that offset, can be appended without a new segment, whatever their timestamps
        are."""
        return (
            self.size + size_bytes <= self._config.segment_bytes
            and self.can_hold(end_offset)
            and not self._offset_index.file.is_full
            and not self._time_index.file.is_full
        )

    def can_hold(self, offset: int) -> bool:
        """Whether its indexes can have an entry for an offset."""
        return offset - self.base_offset <= MAX_RELATIVE_OFFSET

    def _waited_ms(self, view: RecordBatchView, wall_ms: int | None) -> int:
        """How long the segment has waited to be rolled: Kafka's LogSegment.timeWaitedForRoll."""
        if self._first_timestamp is not None and self._first_timestamp != NO_TIMESTAMP:
            return view.max_timestamp - self._first_timestamp
        if wall_ms is None:
            return 0
        if self._first_append_ms is None:
            self._first_append_ms = wall_ms
        return wall_ms - self._first_append_ms

    @property
    def _jitter_ms(self) -> int:
        """Any number up to the jitter, but always the same one for a segment; Kafka's is random."""
        most_ms = min(self._config.segment_jitter_ms, self._config.segment_ms)
        return zlib.crc32(self.path.encode()) % most_ms if most_ms > 0 else 0

    def append(self, views: Sequence[RecordBatchView]) -> None:
        """Append batches with one call to the disk. Raises OSError, after which the segment must not be used."""
        next_offset, size = self.next_offset, self.size
        for view in views:
            assert view.base_offset == next_offset or (
                self._config.has_gaps and view.base_offset > next_offset
            ), f"{self.path}: a batch begins at offset {view.base_offset}, expected is {next_offset}"
            next_offset = view.next_offset
        # Before the write: if the write fails half way, a later sync must not be left out.
        self._is_synced = False
        self._file.append([view.raw for view in views])
        for view in views:
            if self._wants_entry(size, view):
                self._offset_index.append(view.last_offset, size)
                self._time_index.maybe_append(self._max_timestamp, self._offset_of_max_timestamp)
            size += view.size_in_bytes
        # In this order, because other threads read meanwhile.
        self.size = size
        self.next_offset = next_offset

    def read(self, offset: int, max_bytes: int) -> bytes:
        """Whole batches, starting with the one that holds ``offset``: at least one, and further ones up to
        ``max_bytes``."""
        assert self.base_offset <= offset < self.next_offset
        self._check_open()
        position, first = self._locate(offset)
        # Behind this, an append may be half written.
        readable = self.size - position
        # One batch is returned even if it exceeds the limit. A reader that got nothing would ask
        # for the same offset for ever.
        data = self._file.read_at(position, min(max(max_bytes, first.size_in_bytes), readable))
        end = 0
        for view in self._batches_in(data, position):
            end = view.position + view.size_in_bytes
        return data[:end]

    def read_records(self, offset: int, max_bytes: int, end_offset: int, whole_first: bool) -> Buffer:
        """The bytes of the batches from the one that holds ``offset`` on, up to ``end_offset``; the last one may be cut
        short by ``max_bytes``.

        If the first batch is larger than ``max_bytes``, all of it with ``whole_first``, else nothing.
        """
        self._check_open()
        read = self._file.read_at
        return read(*self._find_records(read, offset, max_bytes, end_offset, whole_first))

    def records_now(
        self, offset: int, max_bytes: int, end_offset: int, whole_first: bool, copied: bool
    ) -> Sendable:
        """The same without waiting for the disk: raises BlockingIOError. It may be a part of the file, unless
        ``copied`` is set."""
        self._check_open()
        if self._opened is None:
            # To open a file may take long as well.
            raise BlockingIOError(errno.EAGAIN, "not open", self.path)
        file = self._file
        found = self._find_records(file.read_now, offset, max_bytes, end_offset, whole_first)
        return file.read_now(*found) if copied else file.part_now(*found)

    def _find_records(
        self, read: batch_walk.Read, offset: int, max_bytes: int, end_offset: int, whole_first: bool
    ) -> tuple[int, int]:
        """Position and length of what is to be read."""
        size, limit = self.size, self.size
        first = batch_walk.find(read, self.path, self._offset_index.position_for(offset), size, offset)
        if first is None or first.base_offset >= end_offset:
            return 0, 0
        position = first.position
        if end_offset < self.next_offset:
            start = max(position, self._offset_index.position_for(end_offset))
            last = batch_walk.find(read, self.path, start, size, end_offset)
            if last is not None:
                # A batch that reaches beyond the end, or lies behind a gap there, is not returned.
                limit = last.position
        length = limit - position
        if length > max_bytes:
            # A batch that is cut short would be sent again as a whole.
            length = self._offset_index.last_position_up_to(position + max_bytes) - position
            if length <= 0:
                length = max_bytes
        if length < first.size_in_bytes:
            if not whole_first:
                return 0, 0
            length = first.size_in_bytes
        return position, length

    def find_timestamp(self, timestamp: int, start_offset: int) -> TimestampedOffset | None:
        """The first record at or behind ``start_offset`` whose timestamp is ``timestamp`` or later; None if there is
        none. If the records of a batch are not what its header says, the header answers for them."""
        read = self._file.read_at
        start = self._offset_index.position_for(max(start_offset, self._time_index.offset_before(timestamp)))
        for place in batch_walk.walk(read, self.path, start, self.size):
            claimed = min(
                place.max_timestamp, self._largest_timestamps.get(place.position, place.max_timestamp)
            )
            if claimed >= timestamp and place.next_offset > start_offset:
                largest = -1
                for offset, found in self._times_at(place, start_offset):
                    if found >= timestamp and offset >= start_offset:
                        return TimestampedOffset(offset, found, place.leader_epoch)
                    largest = max(largest, found)
                if len(self._largest_timestamps) < MAX_FALSE_TIMESTAMPS:
                    self._largest_timestamps[place.position] = largest
        return None

    def _times_at(self, place: batch_walk.BatchPlace, start_offset: int) -> Iterator[tuple[int, int]]:
        try:
            view = view_of_batch(self._file.read_at(place.position, place.size_in_bytes))
        except RemoteProtocolError as error:
            # The file was whole when it was opened: somebody has shortened it since.
            raise CorruptFileError(self.path, str(error), position=place.position) from error
        try:
            for offset, timestamp in record_times(view):
                if not view.first_offset <= offset < place.next_offset:
                    raise RemoteProtocolError(f"offset {offset} is not one of the batch's")
                yield offset, timestamp
        except RemoteProtocolError as error:
            try:
                view.check()
            except RemoteProtocolError:
                raise CorruptFileError(self.path, str(error), position=place.position) from error
            # A producer wrote this; the file is as it was written. Releases of old, and other servers, took such
            # batches, and consumers have to get past them.
            if not self._has_told_of_lie:
                self._has_told_of_lie = True
                _log.warning(
                    "%s: the records of the batch at offset %d are not what its header says (%s); searches by time"
                    " go by the header",
                    self.path,
                    place.base_offset,
                    error.reason,
                )
            yield max(place.base_offset, start_offset), place.max_timestamp

    @property
    def max_timestamp(self) -> int:
        """The largest timestamp of its records; -1 if there is none."""
        return self._max_timestamp

    def truncate_to(self, offset: int) -> None:
        """Cut off the batch that holds ``offset`` and all batches after it, durably on return."""
        assert self.base_offset <= offset < self.next_offset
        position, first = self._locate(offset)
        # Offsets may be missing before the first batch that goes.
        self.next_offset = min(offset, first.first_offset)
        self.size = position
        self._largest_timestamps.clear()
        # Before the file: an entry for what is not there would show that it was lost.
        self._offset_index.truncate_to(self.next_offset)
        self._time_index.truncate_to(self.next_offset)
        self._file.truncate(position)
        # The cut must reach the disk before bytes that are appended later. Otherwise old batches would follow new ones
        # there, or come back in their place, also in a log that is durable later: they are those of another leader, and
        # this replica would show them below its high watermark.
        self._file.sync()
        self._is_synced = True
        self._find_max_timestamp()

    @property
    def paths(self) -> tuple[str, str, str]:
        """Its files; those of the indexes are made with their first entry."""
        return self.path, self._offset_index.path, self._time_index.path

    def was_synced(self) -> None:
        """Somebody else made everything appended durable, after the last append."""
        self._is_synced = True

    def sync(self) -> None:
        if not self._is_synced:
            if self._config.is_durable_at_once:
                # The node ends if that fails, and its next start writes the end of the log again.
                self._file.sync()
            else:
                sync(self._file)
            self._is_synced = True

    def become_inactive(self) -> None:
        """End the appends: complete the time index and trim both indexes; durable on return if the log has to be."""
        self._time_index.maybe_append(self._max_timestamp, self._offset_of_max_timestamp)
        if self.size or self._config.is_durable_at_once:
            self._offset_index.file.trim()
            self._time_index.file.trim()
        if self._config.is_durable_at_once:
            self.flush()

    def flush(self) -> None:
        """Make data and indexes durable."""
        self.sync()
        self._offset_index.file.sync()
        self._time_index.file.sync()

    def complete(self) -> None:
        """End the appends to a segment that compaction has made; all its files are there, and durable on return."""
        self._time_index.maybe_append(self._max_timestamp, self._offset_of_max_timestamp)
        self._is_synced = False
        self._offset_index.file.trim()
        self._time_index.file.trim()
        self.flush()
        self._close_files()

    def renamed(self, suffix: str) -> None:
        """Its files were renamed, and end with another suffix now. They have to be closed."""
        assert self._opened is None, f"{self.path} is open"
        self._is_new = False
        directory = self.path.rpartition("/")[0]
        self.path = f"{directory}/{segment_file_name(self.base_offset)}{suffix}"
        self._offset_index.renamed(directory, suffix)
        self._time_index.renamed(directory, suffix)

    @property
    def age(self) -> SegmentAge:
        """What the choice of the log to be compacted needs to know of it."""
        first = NO_TIMESTAMP if self._first_timestamp is None else self._first_timestamp
        return SegmentAge(self.base_offset, self.size, first, self._max_timestamp)

    @property
    def index_bytes(self) -> tuple[int, int]:
        """The length of the entries of its offset index, and of its time index."""
        return self._offset_index.file.size_in_bytes, self._time_index.file.size_in_bytes

    def close(self) -> None:
        """Close the files. A second call does nothing."""
        # A descriptor may belong to another file by now. To close it twice would close that one.
        if self._is_closed:
            return
        self._is_closed = True
        self._close_files()

    def delete(self) -> list[str]:
        """Close, and rename the files so that ``deletion.remove_deleted`` removes them; durable once the directory is
        synced. Returns the new paths."""
        self.close()
        indexes = (self._offset_index.path, self._time_index.path)
        # Indexes first: if they are there and their segment is not, somebody has removed it (`leftovers`).
        return mark_deleted(self._disk, (*(path for path in indexes if self._disk.exists(path)), self.path))

    def _wants_entry(self, position: int, view: RecordBatchView) -> bool:
        """Take the batch at ``position`` into account. Returns whether it gets an index entry."""
        if self._first_timestamp is None:
            self._first_timestamp = view.max_timestamp
        if view.max_timestamp > self._max_timestamp:
            self._max_timestamp = view.max_timestamp
            # Timestamps come from the leaders' clocks and may go back. The index holds the largest
            # so far, so its entries still ascend.
            self._offset_of_max_timestamp = view.last_offset
        return position - self._offset_index.last_position > self._config.index_interval_bytes

    def _locate(self, offset: int) -> tuple[int, RecordBatchView]:
        """Position and view of the batch that holds ``offset``. Raises CorruptFileError if no whole batch is there, as
        the disk may have changed what was written."""
        position = self._offset_index.position_for(offset)
        length = LOCATE_BYTES
        while True:
            data = self._file.read_at(position, length)
            skipped = 0
            for view in self._batches_in(data, position):
                if view.next_offset > offset:
                    return position + view.position, view
                skipped = view.position + view.size_in_bytes
            if skipped == 0:
                # The batch is larger than the bytes that were read, or the file ends inside of it.
                size = batch_size(data) if len(data) == length else 0
                if not length < size <= self.size - position:
                    text = f"no whole batch is there for offset {offset}, though it was appended"
                    raise CorruptFileError(self.path, text, position=position)
                length = size
            position += skipped

    def _batches_in(self, data: bytes, position: int) -> Iterator[RecordBatchView]:
        """The whole batches in bytes that were read at a position. Raises CorruptFileError for what is no batch."""
        try:
            yield from iterate_stored_batches(data)
        except RemoteProtocolError as error:
            raise CorruptFileError(self.path, str(error), position=position) from error

    def _find_max_timestamp(self) -> None:
        """Derive the largest timestamp from the remaining batches."""
        last = self._time_index.last
        self._max_timestamp, self._offset_of_max_timestamp = (-1, self.base_offset) if last is None else last
        position = self._offset_index.last_position
        for place in batch_walk.walk(self._file.read_at, self.path, position, self.size):
            if place.max_timestamp > self._max_timestamp:
                self._max_timestamp, self._offset_of_max_timestamp = (
                    place.max_timestamp,
                    place.next_offset - 1,
                )
        if self.size == 0:
            self._first_timestamp = None
