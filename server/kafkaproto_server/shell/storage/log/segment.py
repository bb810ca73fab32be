"""One segment of a log: ``<base offset>.log``, batches without gaps, and its two indexes.

It is made of a file (`segment_file`) and indexes (`segment_indexes`), which `segment_loading` opens. This module says
what is in them: which batches, and what a reader gets. Apache Kafka has this in LogSegment.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence

from kafkaproto.log import segment_file_name
from kafkaproto.records.batch import RecordBatchView
from kafkaproto_server.base.file_part import Sendable
from kafkaproto_server.base.ports import Buffer, Disk
from kafkaproto_server.core.log_state.cleanable import SegmentAge
from kafkaproto_server.shell.storage.deletion import mark_deleted
from kafkaproto_server.shell.storage.log import batch_walk, segment_loading
from kafkaproto_server.shell.storage.log.index import NO_TIMESTAMP
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.recovery import RecoveredSegment, RecoveryPolicy
from kafkaproto_server.shell.storage.log.segment_file import SegmentFile
from kafkaproto_server.shell.storage.log.segment_indexes import SegmentIndexes
from kafkaproto_server.shell.storage.log.segment_rolling import SegmentRolling
from kafkaproto_server.shell.storage.log.timestamp_search import TimestampedOffset, TimestampSearch
from kafkaproto_server.shell.storage.log.whole_batches import batches_in, locate


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
        # The file is not preallocated, as by default in Kafka: after a crash, zeros behind the last batch would look
        # like a torn append.
        path = f"{directory}/{segment_file_name(base_offset)}{suffix}"
        self._log = SegmentFile(disk, path, is_new=bool(suffix))
        self._indexes = SegmentIndexes(
            disk,
            directory,
            base_offset,
            interval_bytes=config.index_interval_bytes,
            max_bytes=config.segment_index_bytes,
            suffix=suffix,
        )
        self._search = TimestampSearch(self._log, self._indexes)
        self.rolling = SegmentRolling(self._log, self._indexes, config)
        """When another segment has to follow."""

    @classmethod
    def create(cls, disk: Disk, directory: str, base_offset: int, config: LogConfig) -> Segment:
        """An empty segment for appends. The names of its files are not durable before the directory is synced."""
        segment = cls(disk, directory, base_offset, config)
        segment._log.is_new = True
        # Appends are made at the end of the file. Bytes of an older file would come before them.
        assert segment._log.file.size() == 0, f"{segment.path} exists already"
        segment.become_active()
        # A broker makes thousands of segments that nobody uses yet.
        segment._close_files()
        segment._log.is_new = False
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
        recovered = segment_loading.recover(
            self._log,
            self._indexes,
            self._config,
            epoch=epoch,
            next_base=next_base,
            visit=visit,
            policy=policy,
        )
        self.size, self.next_offset = recovered.size, recovered.next_offset
        self._close_files()
        return recovered

    def load(self, end_offset: int | None) -> int | None:
        """Open a segment that was completed (`become_inactive`), by its indexes: only its first and last batches are
        read.

        ``end_offset`` is where the next segment begins; None if this is the last one. Returns the leader epoch of the
        last record, -1 if compaction has left none. None, with nothing changed, if indexes and batches do not agree:
        then `recover` has to read it all.
        """
        confirmed = segment_loading.load(self._log, self._indexes, self._config, end_offset)
        if confirmed is None:
            return None
        self.size, self.next_offset = confirmed.size, confirmed.next_offset
        self._close_files()
        return confirmed.epoch

    def configure(self, config: LogConfig) -> None:
        """Use other limits; an index keeps the length that it has."""
        self._config = config
        self.rolling.config = config
        self._indexes.configure(config.index_interval_bytes)

    def become_active(self) -> None:
        """Prepare for appends: give the index files their full length, with zeros after the entries. Without entries,
        a log of a topic leaves that to the first one."""
        if self._config.is_durable_at_once or self._indexes.offsets.file.count:
            self._indexes.preallocate()

    def append(self, views: Sequence[RecordBatchView]) -> None:
        """Append batches with one call to the disk. Raises OSError, after which the segment must not be used."""
        next_offset, size = self.next_offset, self.size
        for view in views:
            assert view.base_offset == next_offset or (
                self._config.has_gaps and view.base_offset > next_offset
            ), f"{self.path}: a batch begins at offset {view.base_offset}, expected is {next_offset}"
            next_offset = view.next_offset
        # Before the write: if the write fails half way, a later sync must not be left out.
        self._log.is_synced = False
        self._log.file.append([view.raw for view in views])
        indexes = self._indexes
        for view in views:
            if indexes.wants_entry(size, view):
                indexes.offsets.append(view.last_offset, size)
                indexes.times.maybe_append(indexes.max_timestamp, indexes.offset_of_max_timestamp)
            size += view.size_in_bytes
        # In this order, because other threads read meanwhile: who sees the offset must find its bytes.
        self.size = size
        self.next_offset = next_offset

    def read(self, offset: int, max_bytes: int) -> bytes:
        """Whole batches, starting with the one that holds ``offset``: at least one, and further ones up to
        ``max_bytes``."""
        assert self.base_offset <= offset < self.next_offset
        self._log.check_open()
        file, path, size = self._log.file, self._log.path, self.size
        position, first = locate(file, path, self._indexes.offsets.position_for(offset), size, offset)
        # Behind this, an append may be half written.
        readable = self.size - position
        # One batch is returned even if it exceeds the limit. A reader that got nothing would ask for the same offset
        # for ever.
        data = file.read_at(position, min(max(max_bytes, first.size_in_bytes), readable))
        end = 0
        for view in batches_in(data, path, position):
            end = view.position + view.size_in_bytes
        return data[:end]

    def read_records(self, offset: int, max_bytes: int, end_offset: int, whole_first: bool) -> Buffer:
        """The bytes of the batches from the one that holds ``offset`` on, up to ``end_offset``; the last one may be cut
        short by ``max_bytes``.

        If the first batch is larger than ``max_bytes``, all of it with ``whole_first``, else nothing.
        """
        self._log.check_open()
        read = self._log.file.read_at
        return read(*self._find_records(read, offset, max_bytes, end_offset, whole_first))

    def records_now(
        self, offset: int, max_bytes: int, end_offset: int, whole_first: bool, copied: bool
    ) -> Sendable:
        """The same without waiting for the disk: raises BlockingIOError. It may be a part of the file, unless
        ``copied`` is set."""
        log = self._log
        log.check_open()
        file = log.opened
        if file is None:
            # To open a file may take long as well.
            raise BlockingIOError(errno.EAGAIN, "not open", log.path)
        found = self._find_records(file.read_now, offset, max_bytes, end_offset, whole_first)
        return file.read_now(*found) if copied else file.part_now(*found)

    def _find_records(
        self, read: batch_walk.Read, offset: int, max_bytes: int, end_offset: int, whole_first: bool
    ) -> tuple[int, int]:
        """Position and length of what is to be read."""
        path, offsets = self._log.path, self._indexes.offsets
        # Once: an append of another thread may move it meanwhile.
        size = limit = self.size
        first = batch_walk.find(read, path, offsets.position_for(offset), size, offset)
        if first is None or first.base_offset >= end_offset:
            return 0, 0
        position = first.position
        # Else all up to the end is wanted, and nobody has to look for the place where it stops.
        if end_offset < self.next_offset:
            start = max(position, offsets.position_for(end_offset))
            last = batch_walk.find(read, path, start, size, end_offset)
            if last is not None:
                # A batch that reaches beyond the end, or lies behind a gap there, is not returned.
                limit = last.position
        length = limit - position
        if length > max_bytes:
            # A batch that is cut short would be sent again as a whole.
            length = offsets.last_position_up_to(position + max_bytes) - position
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
        return self._search.find(timestamp, start_offset, self.size)

    @property
    def max_timestamp(self) -> int:
        """The largest timestamp of its records; -1 if there is none."""
        return self._indexes.max_timestamp

    def truncate_to(self, offset: int) -> None:
        """Cut off the batch that holds ``offset`` and all batches after it, durably on return."""
        assert self.base_offset <= offset < self.next_offset
        file, path, indexes = self._log.file, self._log.path, self._indexes
        position, first = locate(file, path, indexes.offsets.position_for(offset), self.size, offset)
        # Offsets may be missing before the first batch that goes.
        self.next_offset = min(offset, first.first_offset)
        self.size = position
        self._search.forget()
        # Before the file: an entry for what is not there would show that it was lost.
        indexes.cut(self.next_offset)
        file.truncate(position)
        # The cut must reach the disk before bytes that are appended later. Otherwise old batches would follow new ones
        # there, or come back in their place, also in a log that is durable later: they are those of another leader, and
        # this replica would show them below its high watermark.
        file.sync()
        self._log.is_synced = True
        indexes.find_max_timestamp(file.read_at, path, position)

    @property
    def path(self) -> str:
        """Of its ``.log`` file."""
        return self._log.path

    @property
    def paths(self) -> tuple[str, str, str]:
        """Its files; those of the indexes are made with their first entry."""
        return self._log.path, self._indexes.offsets.path, self._indexes.times.path

    def was_synced(self) -> None:
        """Somebody else made everything appended durable, after the last append."""
        self._log.is_synced = True

    def sync(self) -> None:
        """Make the batches durable; what the indexes lack after a crash follows from these."""
        self._log.sync(is_durable_at_once=self._config.is_durable_at_once)

    def become_inactive(self) -> None:
        """End the appends: complete the time index and trim both indexes; durable on return if the log has to be."""
        self._indexes.add_newest_timestamp()
        if self.size or self._config.is_durable_at_once:
            self._indexes.trim()
        if self._config.is_durable_at_once:
            self.flush()

    def flush(self) -> None:
        """Make data and indexes durable."""
        self.sync()
        self._indexes.sync()

    def complete(self) -> None:
        """End the appends to a segment that compaction has made; all its files are there, and durable on return."""
        self._indexes.add_newest_timestamp()
        # Also if nothing was appended: then the file is made only now.
        self._log.is_synced = False
        self._indexes.trim()
        self.flush()
        self._close_files()

    def renamed(self, suffix: str) -> None:
        """Its files were renamed, and end with another suffix now. They have to be closed."""
        directory = self.path.rpartition("/")[0]
        self._log.renamed(f"{directory}/{segment_file_name(self.base_offset)}{suffix}")
        self._indexes.renamed(directory, suffix)

    @property
    def age(self) -> SegmentAge:
        """What the choice of the log to be compacted needs to know of it."""
        first = self._indexes.first_timestamp
        first_ms = NO_TIMESTAMP if first is None else first
        return SegmentAge(self.base_offset, self.size, first_ms, self._indexes.max_timestamp)

    @property
    def index_bytes(self) -> tuple[int, int]:
        """The length of the entries of its offset index, and of its time index."""
        return self._indexes.offsets.file.size_in_bytes, self._indexes.times.file.size_in_bytes

    def close(self) -> None:
        """Close the files. A second call does nothing."""
        # A descriptor may belong to another file by now. To close it twice would close that one.
        if self._log.close():
            self._close_files()

    def _close_files(self) -> None:
        self._log.release()
        self._indexes.close()

    def delete(self) -> list[str]:
        """Close, and rename the files so that ``deletion.remove_deleted`` removes them; durable once the directory is
        synced. Returns the new paths."""
        self.close()
        log_path, *index_paths = self.paths
        # Indexes first: if they are there and their segment is not, somebody has removed it (`leftovers`).
        return mark_deleted(
            self._disk, (*(path for path in index_paths if self._disk.exists(path)), log_path)
        )
