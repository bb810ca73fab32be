"""A log of record batches in one directory: append, roll, read, truncate, recover.

The files are Kafka's: segments with their indexes (``segment``), ``leader-epoch-checkpoint`` (``epoch_file``),
``partition.metadata``, and ``<offset>.snapshot`` (``producer_state_file``). Batches arrive as bytes. The leader of the
log has set their offsets and leader epochs; the log only checks that each batch continues the one before.

What ``sync`` covered survives any crash. After an OSError nobody knows what the disk holds, so the log refuses every
further change with a LogFailedError; only opening it again shows its state.

Logs of topics differ by their `LogConfig`: offsets may be missing, and nothing is made durable before ``flush``. What a
crash of the machine destroys there comes back from other replicas.

The log ends where the last batch ends. It starts where the first segment does or, after ``move_start_to``, at an offset
inside that segment. Kafka has no file for this offset, so it is not stored: after a restart the log starts with the
segment again. What lies before the log start is in a snapshot (see ``reconciliation``).
"""

from __future__ import annotations

import errno
import itertools
import threading
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from operator import attrgetter, is_not

from kafkaproto.directory_files import PARTITION_METADATA_NAME
from kafkaproto.log import LOG_SUFFIX, parse_segment_file_name
from kafkaproto.records.batch import RecordBatchView
from kafkaproto.records.legacy import iterate_stored_batches
from kafkaproto_server.base.file_part import Sendable
from kafkaproto_server.base.ports import Buffer, Disk
from kafkaproto_server.base.types import OffsetAndEpoch
from kafkaproto_server.core.log_state.leader_epochs import LeaderEpochs
from kafkaproto_server.shell.storage.atomic import make_directory_durably
from kafkaproto_server.shell.storage.errors import LogFailedError, OffsetOutOfRangeError
from kafkaproto_server.shell.storage.log.epoch_file import (
    read_epoch_file,
    settle_epoch_file,
    write_epoch_file,
)
from kafkaproto_server.shell.storage.log.index import MAX_RELATIVE_OFFSET
from kafkaproto_server.shell.storage.log.leftovers import remove_leftovers
from kafkaproto_server.shell.storage.log.losses import check_beginning, check_continues, check_no_gap
from kafkaproto_server.shell.storage.log.old_formats import is_old, refuse_unknown
from kafkaproto_server.shell.storage.log.partition_metadata import ensure_partition_metadata
from kafkaproto_server.shell.storage.log.producer_state_file import (
    NO_PRODUCERS,
    remove_producer_states_after,
    write_producer_state,
)
from kafkaproto_server.shell.storage.log.reached import Reached
from kafkaproto_server.shell.storage.log.recovery import EVERYTHING, RecoveryPolicy
from kafkaproto_server.shell.storage.log.segment import LogConfig, Segment, TimestampedOffset
from kafkaproto_server.shell.storage.log.swap_files import complete_swaps, swap_in
from kafkaproto_server.shell.storage.log.transaction_index_files import index_path, sync_aborted
from kafkaproto_server.shell.storage.log.unsynced import Unsynced

NO_EPOCH = -1

_base_offset = attrgetter("base_offset")


class Log:
    """One log. Create it with ``Log.open``.

    One thread at a time changes the log, and only that thread may ask for epochs. Any other may read at any time, and
    use ``log_start_offset``, ``log_end_offset`` and ``size_in_bytes``. Reads neither wait for appends and syncs nor
    delay them. What shortens the log waits for running reads. A read sees all that was appended before it began.
    """

    def __init__(self, disk: Disk, directory: str, config: LogConfig) -> None:
        self._disk = disk
        self._config = config
        self.directory = directory
        self.recovery_note: str | None = None
        """The torn tail that ``open`` cut off, with file and offset; None if there was none."""
        self._segments: tuple[Segment, ...] = ()
        """Replaced as a whole, because readers in other threads iterate over it."""
        self._start_offset = 0
        self._epochs = LeaderEpochs()
        self._written_epochs: tuple[tuple[int, int], ...] = ()
        """The epochs that leader-epoch-checkpoint contains."""
        self.recovery_point = 0
        """Records below this offset are durable."""
        self.deleted: deque[str] = deque()
        """Paths of files that were deleted by a rename. Whoever owns the log takes them out and removes them later; a
        log that is durable at once is tidied by its directory's name instead."""
        self.cuts = 0
        """How often the log was cut at its end."""
        self._failure: OSError | None = None
        self._has_durable_names = config.is_durable_at_once
        self._reading = threading.Lock()
        """Held by reads, and by operations that close or cut the files that they read."""

    @classmethod
    def open(
        cls,
        disk: Disk,
        directory: str,
        *,
        topic_id: bytes,
        config: LogConfig | None = None,
        policy: RecoveryPolicy | None = None,
    ) -> Log:
        """Open the log in ``directory``, or begin an empty one there, after the repairs that ``recovery`` describes.

        Everything that the log holds afterwards is durable. By default all of it is read. Raises CorruptFileError for
        damage that must not be repaired by guessing, or if the directory belongs to another topic; StorageError if the
        log ends before ``policy.reached``; OSError of the disk.
        """
        log = cls(disk, directory, config or LogConfig())
        is_durable = log._config.is_durable_at_once
        if is_durable:
            make_directory_durably(disk, directory)
        else:
            disk.make_directory(directory)
        # Before anything is removed or cut: a directory of another topic must stay as it is.
        policy = policy or RecoveryPolicy()
        may_lack_it = is_durable or not (policy.is_kept or policy.reached)
        ensure_partition_metadata(disk, directory, topic_id, is_durable=is_durable, may_lack_it=may_lack_it)
        names = complete_swaps(disk, directory, disk.list_directory(directory))
        remove_leftovers(disk, directory, names, policy)
        bases = [base for name in names if (base := parse_segment_file_name(name, LOG_SUFFIX)) is not None]
        try:
            log._load_segments(bases, policy)
        except BaseException:
            log.abandon()
            raise
        return log

    @property
    def config(self) -> LogConfig:
        """The limits that it uses."""
        return self._config

    @property
    def log_start_offset(self) -> int:
        """The first offset that the log holds."""
        return self._start_offset

    @property
    def log_end_offset(self) -> int:
        """The offset that the next record gets."""
        return self._segments[-1].next_offset

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The segments, ascending. The last one is active."""
        return self._segments

    @property
    def segment_bases(self) -> tuple[int, ...]:
        """The base offset of each segment, ascending."""
        return tuple(segment.base_offset for segment in self._segments)

    @property
    def size_in_bytes(self) -> int:
        """Bytes of all segments, without their indexes."""
        return sum(segment.size for segment in self._segments)

    @property
    def epoch_starts(self) -> tuple[tuple[int, int], ...]:
        """(leader epoch, first offset) of every epoch that has records, ascending."""
        return self._epochs.entries

    @property
    def last_epoch(self) -> int | None:
        """Leader epoch of the last record; None if there is none."""
        return self._epochs.latest

    def epoch_at(self, offset: int) -> int | None:
        """Leader epoch of the record at ``offset``; None if the log holds nothing at or before it."""
        return self._epochs.epoch_at(offset)

    def end_offset_for_epoch(self, epoch: int) -> OffsetAndEpoch | None:
        """The end of ``epoch`` in this log: the newest epoch that is not above it, and the offset after that epoch's
        last record.

        For an epoch older than all in the log: that epoch and the log's first offset. None for an epoch newer than all
        of them, or if the log is empty.
        """
        return self._epochs.end_offset_for(epoch, self.log_end_offset)

    def append(self, batches: Sequence[Buffer], *, wall_ms: int | None = None) -> None:
        """Append whole batches, one or several in each buffer. They are not durable before ``sync``. ``wall_ms`` is the
        time now; it is needed to roll segments by age whose batches have no timestamps.

        The first batch must begin at the log's end offset, each other one at the end of the one before. Leader epochs
        must not decrease. Anything else is a mistake of this program and fails an assertion. Raises OSError, after
        which the log has failed.
        """
        views: list[RecordBatchView] = []
        for buffer in batches:
            count = len(views)
            views.extend(iterate_stored_batches(buffer))
            # A buffer without a whole batch would be appended as a torn tail that this node made itself.
            assert len(views) > count, "a buffer to append holds no whole batch"
            assert views[-1].position + views[-1].size_in_bytes == len(buffer), (
                "a batch to append is cut short"
            )
        assert views, "nothing to append"
        with self._changing():
            begin, size = 0, 0
            for index, view in enumerate(views):
                if self._active.must_roll_before(view, size, wall_ms):
                    if size:
                        self._active.append(views[begin:index])
                        begin, size = index, 0
                    # So many offsets may be missing that no segment can hold both ends.
                    is_far = view.last_offset - self.log_end_offset > MAX_RELATIVE_OFFSET
                    self._roll(view.first_offset if is_far else None)
                size += view.size_in_bytes
            self._active.append(views[begin:])
            # Only in memory. `sync` writes the file once the records of the epoch are durable: it is a witness of them.
            for view in views:
                self.begin_epoch(view.partition_leader_epoch, view.base_offset)

    def sync(self) -> None:
        """Make everything appended durable. Raises OSError, after which the log has failed."""
        with self._changing():
            # Older segments were synced when they were rolled.
            self._active.sync()
            self._write_epochs()

    def flush(self) -> int:
        """Make everything durable in a log that does not do so at once. Returns the log's end offset at that moment,
        the new recovery point. Raises OSError, after which the log has failed."""
        with self._changing():
            end_offset = self.log_end_offset
            for segment in self._segments:
                segment.flush()
            sync_aborted(self._disk, self.directory, self.segment_bases)
            # Before the epochs, which may have been shortened: segments that went with them must not come back.
            self._sync_names()
            self._write_epochs()
            self.recovery_point = end_offset
            return end_offset

    def unsynced(self, *, with_active: bool) -> Unsynced | None:
        """What has to be made durable for a later recovery point: all of the log, or all but its last segment. None if
        that is durable already. Only the thread that changes the log may ask: it must not see half of a change."""
        segments = self._segments
        if with_active:
            end_offset = segments[-1].next_offset
        else:
            end_offset = segments[-1].base_offset
            segments = segments[:-1]
        if end_offset <= self.recovery_point:
            return None
        return Unsynced(
            directory=self.directory,
            paths=tuple(
                path
                for segment in segments
                if segment.next_offset > self.recovery_point
                for path in (*segment.paths, index_path(self.directory, segment.base_offset))
            ),
            end_offset=end_offset,
            cuts=self.cuts,
            has_durable_names=self._has_durable_names,
        )

    def was_synced(self, unsynced: Unsynced) -> None:
        """`make_durable` has made it durable: the recovery point moves, unless the log was cut meanwhile. Raises
        OSError, after which the log has failed."""
        if unsynced.cuts != self.cuts or unsynced.end_offset <= self.recovery_point:
            return
        with self._changing():
            for segment in self._segments[:-1]:
                if segment.next_offset <= unsynced.end_offset:
                    segment.was_synced()
            self._has_durable_names = True
            # A segment below the recovery point is opened by its indexes, and the epochs of its records come from
            # the file.
            self._write_epochs()
            self.recovery_point = unsynced.end_offset

    def roll(self, offset: int | None = None) -> bool:
        """Begin a new segment, unless the last one is empty: at the log's end, or at a later ``offset`` in any case.
        Returns whether there is a new one. Raises OSError, after which the log has failed."""
        if not self._active.size and offset is None:
            return False
        with self._changing():
            self._roll(offset)
        return True

    def _sync_names(self) -> None:
        """Make the names of the log's files durable, the directory's own, and what says whose log it is."""
        if not self._has_durable_names:
            file = self._disk.open(f"{self.directory}/{PARTITION_METADATA_NAME}")
            try:
                file.sync()
            finally:
                file.close()
            self._disk.sync_directory(self.directory.rpartition("/")[0] or "/")
            self._has_durable_names = True
        self._disk.sync_directory(self.directory)

    def configure(self, config: LogConfig) -> None:
        """Use other limits from the next append on."""
        self._config = config
        for segment in self._segments:
            segment.configure(config)

    def begin_epoch(self, epoch: int, start_offset: int) -> None:
        """Note that an epoch begins, at the log's end."""
        if self._config.has_gaps:
            # The leader of a topic may begin an epoch without a record, and the next leader at the same offset.
            self._epochs.begin(epoch, start_offset)
        else:
            self._epochs.assign(epoch, start_offset)

    def read(self, offset: int, max_bytes: int) -> bytes:
        """Whole batches, starting with the one that holds ``offset``: at least one, and further ones up to
        ``max_bytes`` in all.

        Empty at the log's end. A read ends at the end of a segment, so it may return fewer bytes than asked for. The
        first batch may begin before ``offset``. Raises OffsetOutOfRangeError, OSError.
        """
        with self._reading:
            segments, start = self._segments, self._start_offset
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
        with self._reading:
            segment = self._segment_to_read(offset)
            return segment.read_records(offset, max_bytes, end_offset, whole_first) if segment else b""

    def records_now(
        self, offset: int, max_bytes: int, end_offset: int, *, whole_first: bool, copied: bool
    ) -> Sendable:
        """The same without waiting for the disk, or for another thread that cuts the log: raises BlockingIOError.
        Unless ``copied`` is set, the log may return a part of a file, which it must not cut while that is sent."""
        if not self._reading.acquire(blocking=False):
            raise BlockingIOError(errno.EAGAIN, "the log is being cut", self.directory)
        try:
            segment = self._segment_to_read(offset)
            return segment.records_now(offset, max_bytes, end_offset, whole_first, copied) if segment else b""
        finally:
            self._reading.release()

    def _segment_to_read(self, offset: int) -> Segment | None:
        """The segment with the first batch at or behind an offset; None if there is none."""
        segments, start = self._segments, self._start_offset
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
        with self._reading:
            for segment in self._segments:
                if segment.max_timestamp >= timestamp:
                    found = segment.find_timestamp(timestamp, self._start_offset)
                    if found is not None:
                        return found
            return None

    def find_max_timestamp(self) -> TimestampedOffset | None:
        """The first record with the largest timestamp of all; None if no record has one. Raises CorruptFileError,
        OSError."""
        largest = max(segment.max_timestamp for segment in self._segments)
        return self.find_timestamp(largest) if largest >= 0 else None

    def truncate_to(self, offset: int) -> None:
        """Remove all records from ``offset`` on, durably on return. If ``offset`` is inside a batch, the whole batch is
        removed.

        Does nothing if the log ends at or before it. Raises OffsetOutOfRangeError below the log start, and OSError,
        after which the log has failed.
        """
        if offset < self.log_start_offset:
            raise OffsetOutOfRangeError(self.directory, offset, self.log_start_offset, self.log_end_offset)
        if offset >= self.log_end_offset:
            return
        with self._changing(), self._reading:
            # First shorten the files that say how far the log reaches. Else a crash would look like lost records.
            self._epochs.truncate_to(offset)
            self._sync_and_write_epochs()
            self._remove_producer_states_after(offset)
            self.cuts += 1
            self.recovery_point = min(self.recovery_point, offset)
            # Newest first, so that a crash half way leaves no gap. The first segment always stays: its name is the only
            # record of where the log begins.
            kept = max(1, sum(segment.base_offset < offset for segment in self._segments))
            self._delete_segments(tuple(reversed(self._segments[kept:])), self._segments[:kept], is_cut=True)
            if offset < self._active.next_offset:
                self._active.truncate_to(offset)
            # If the offset was inside a batch, that one went as well.
            self.recovery_point = min(self.recovery_point, self.log_end_offset)
            self._epochs.truncate_to(self.log_end_offset)
            self._keep_epochs()

    def truncate_fully_to(self, start_offset: int) -> None:
        """Remove every record: the log then starts and ends at ``start_offset``, durably on return.

        The snapshot that ends there has to be durable before. After a crash on the way the log holds its beginning or
        nothing; ``reconciliation`` then finds the snapshot ahead of the log and completes the operation. Raises
        OSError, after which the log has failed.
        """
        with self._changing(), self._reading:
            self._epochs = LeaderEpochs()
            self._write_epochs(is_durable=self._config.is_durable_at_once)
            self._remove_producer_states_after(0)
            self.cuts += 1
            # Not even the name of the new segment is durable if the log is flushed later.
            self.recovery_point = 0
            # Newest first again: after a crash half way, what remains is a beginning of the log without a gap.
            for segment in reversed(self._segments):
                self._delete(segment)
            self._disk.sync_directory(self.directory)
            self._segments = (Segment.create(self._disk, self.directory, start_offset, self._config),)
            self._start_offset = start_offset
            self._sync_directory()

    def move_start_to(self, offset: int) -> None:
        """Move the log start to ``offset``, the end of a durable snapshot. Does nothing if the log starts there or
        later.

        Segments that lie wholly below it are deleted, durably on return; the last segment always stays. Raises
        OffsetOutOfRangeError past the log's end, and OSError, after which the log has failed.
        """
        if offset > self.log_end_offset:
            raise OffsetOutOfRangeError(self.directory, offset, self.log_start_offset, self.log_end_offset)
        if offset <= self.log_start_offset:
            return
        with self._changing(), self._reading:
            # The last segment stays even if the snapshot covers it, because it takes the next append.
            gone = sum(segment.next_offset <= offset for segment in self._segments[:-1])
            self._start_offset = offset
            count = len(self._epochs.entries)
            self._move_epochs_start()
            if gone and not self._config.is_durable_at_once:
                # It says where the log begins (`losses`), also if only the process dies.
                self._write_epochs(is_durable=False)
            # Oldest first, so that a crash half way leaves no gap.
            self._delete_segments(self._segments[:gone], self._segments[gone:])
            self._sync_and_write_epochs()
            if not self._config.is_durable_at_once and len(self._epochs.entries) != count:
                # The epochs of a segment below the recovery point come from the file. If one came back after a crash
                # whose epochs are gone, it would have to be read.
                self._disk.sync_directory(self.directory)
                self._write_epochs()

    def replace(self, gone: Sequence[Segment], cleaned: Segment, *, cuts: int) -> list[str] | None:
        """Put a segment that compaction has made in the place of those that it was made of, durably on return. Returns
        the paths of the files that are to be removed; they count as deleted already.

        None, with nothing changed, if those are not segments of the log any more, or if it was cut since ``cuts`` was
        its number of cuts. Raises OSError, after which the log has failed.
        """
        if cuts != self.cuts:
            return None
        begin = bisect_right(self._segments, gone[0].base_offset, key=_base_offset) - 1
        there = self._segments[begin : begin + len(gone)]
        if begin < 0 or len(there) < len(gone) or any(map(is_not, there, gone)):
            return None
        assert there[-1] is not self._active, f"{self.directory}: the active segment was compacted"
        with self._changing(), self._reading:
            deleted = swap_in(self._disk, self.directory, gone, cleaned)
            self._segments = (*self._segments[:begin], cleaned, *self._segments[begin + len(gone) :])
        return deleted

    def close(self, producers: bytes | None = NO_PRODUCERS) -> None:
        """Stop cleanly: sync everything, trim the indexes, write the producer state. A failed log only closes its
        files. Without the state of ``producers``, the next start derives it from the batches. What a log does not make
        durable at once, the owner of all logs in a file system does with one sync."""
        is_durable = self._config.is_durable_at_once
        try:
            if self._failure is None:
                self._active.become_inactive()
                self._write_epochs(is_durable=is_durable)
                # Last, since it testifies that the log reached its end.
                if producers is not None:
                    write_producer_state(
                        self._disk, self.directory, self.log_end_offset, producers, is_durable=is_durable
                    )
        finally:
            self._close_segments()

    def abandon(self) -> None:
        """Close the files and testify to nothing, so that the next start recovers the log as after a crash. After
        `close`, or a second time, there is nothing left to do."""
        # Nothing is promised, and whatever led here is told by somebody else.
        self._close_segments(OSError)

    @property
    def _active(self) -> Segment:
        return self._segments[-1]

    def _delete_segments(
        self, gone: Sequence[Segment], kept: tuple[Segment, ...], *, is_cut: bool = False
    ) -> None:
        """Delete segments in the given order. The last one that is kept takes appends. What was cut stays away."""
        if not gone:
            return
        active = self._active
        for segment in gone:
            self._delete(segment)
        self._segments = kept
        if is_cut or self._config.is_durable_at_once:
            self._disk.sync_directory(self.directory)
        if self._active is not active:
            self._active.become_active()

    def _close_segments(self, *ignored: type[OSError]) -> None:
        with self._reading:
            for segment in self._segments:
                with suppress(*ignored):
                    segment.close()

    @contextmanager
    def _changing(self) -> Iterator[None]:
        if self._failure is not None:
            raise LogFailedError(self.directory, self._failure)
        try:
            yield
        except OSError as error:
            self._failure = error
            raise

    def _delete(self, segment: Segment) -> None:
        paths = segment.delete()
        if not self._config.is_durable_at_once:
            self.deleted.extend(paths)

    def _move_epochs_start(self) -> None:
        # The leader of a topic compares its followers' last epoch with its own, also if its log is empty.
        end_offset = None if self._config.has_gaps else self.log_end_offset
        self._epochs.move_start_to(self._start_offset, end_offset)

    def _roll(self, offset: int | None) -> None:
        """Begin a new segment, at the log's end or at a later offset."""
        self._active.become_inactive()
        base_offset = self.log_end_offset if offset is None else offset
        segment = Segment.create(self._disk, self.directory, base_offset, self._config)
        self._segments = (*self._segments, segment)
        # A sync of the new file does not cover its name. If a crash took the name, records that
        # were acknowledged in this segment would be gone with it.
        self._sync_directory()

    def _sync_directory(self) -> None:
        if self._config.is_durable_at_once:
            self._disk.sync_directory(self.directory)

    def _remove_producer_states_after(self, offset: int) -> None:
        remove_producer_states_after(
            self._disk, self.directory, offset, is_durable=self._config.is_durable_at_once
        )

    def _sync_and_write_epochs(self) -> None:
        if self._config.is_durable_at_once and self._epochs.entries != self._written_epochs:
            self._active.sync()
            self._write_epochs()

    def _keep_epochs(self) -> None:
        # A log that is flushed later writes its epochs then. Until then they follow from the batches, which are read
        # after a crash.
        if self._config.is_durable_at_once:
            self._write_epochs()

    def _write_epochs(self, *, is_durable: bool = True) -> None:
        """Bring leader-epoch-checkpoint up to date, durably on return. The records of its epochs have to be durable
        before. If it need not be durable, neither need they."""
        if self._epochs.entries != self._written_epochs:
            write_epoch_file(self._disk, self.directory, self._epochs, is_durable=is_durable)
            self._written_epochs = self._epochs.entries

    def _load_segments(self, bases: list[int], policy: RecoveryPolicy) -> None:
        reached = policy.reached
        self._written_epochs = read_epoch_file(self._disk, self.directory)
        if not bases:
            # With a witness, it is a log that was lost, not a new one: the node would forget what it acknowledged.
            if reached is not None:
                raise reached.lost(self.directory, 0)
            self._segments = (Segment.create(self._disk, self.directory, 0, self._config),)
            self._sync_directory()
        has_old_format = partial(is_old, self._disk, self.directory, bases)
        following = dict(itertools.pairwise(bases))
        check_beginning(self._disk, self.directory, bases, self._written_epochs, policy)
        epoch = self._load_durable_segments(bases, policy) if bases else NO_EPOCH
        for base in bases[len(self._segments) :]:
            check_no_gap(self._segments, base, policy, has_old_format)
            if self._lost_records_before(base, reached) and not has_old_format(base):
                ends = f"{self._active.path}: the log ends at offset {self.log_end_offset}"
                self.recovery_note = (
                    f"{ends}, because a crash took records and the next segment begins at {base}"
                )
                self._remove_segments_behind(bases[bases.index(base) :])
                break
            if self._lost_cut_at(base, policy):
                self._active.truncate_to(base)
                self._epochs.truncate_to(self.log_end_offset)
                epoch = NO_EPOCH if self._epochs.latest is None else self._epochs.latest
            check_continues(self._segments, base, has_gaps=self._config.has_gaps)
            # The segment is registered before it is read, so that `open` closes its files if reading fails.
            self._segments = (*self._segments, Segment(self._disk, self.directory, base, self._config))
            recovered = self._active.recover(
                epoch=epoch, next_base=following.get(base), visit=self._note_epoch, policy=policy
            )
            epoch = recovered.epoch
            if recovered.cut_bytes:
                self.recovery_note = (
                    f"{self._active.path}: cut {recovered.cut_bytes} bytes of an unfinished append off at byte "
                    f"{recovered.size}; the log ends at offset {recovered.next_offset}"
                )
                if not policy.keeps_behind:
                    self._remove_segments_behind(bases[bases.index(base) + 1 :])
                    break
        if reached is not None and self.log_end_offset < reached.offset:
            raise reached.lost(self.directory, self.log_end_offset)
        self._start_offset = self._segments[0].base_offset
        self._active.become_active()
        self.recovery_point = min(policy.recovery_point, self.log_end_offset)
        self._settle_epoch_file()
        if policy.log_start_offset > self.log_end_offset:
            self.truncate_fully_to(policy.log_start_offset)
        else:
            self.move_start_to(policy.log_start_offset)
            self._move_epochs_start()

    def _lost_records_before(self, base: int, reached: Reached | None) -> bool:
        """Whether records are missing before a segment that were never durable."""
        end, cuts = self._segments[-1].next_offset if self._segments else base, self._config.cuts_at_gaps
        return cuts and base > end and (reached is None or end >= reached.offset)

    def _lost_cut_at(self, base: int, policy: RecoveryPolicy) -> bool:
        """Whether the log was cut where a segment begins, which is newer, and a crash took the cut."""
        is_cut = policy.cuts_damage and not policy.is_kept and bool(self._segments)
        return is_cut and policy.recovery_point <= base < self.log_end_offset

    def _remove_segments_behind(self, bases: Sequence[int]) -> None:
        """Give up segments behind a cut. Newest first, so that a crash half way leaves no gap."""
        refuse_unknown(self._disk, self.directory, bases)
        for base in reversed(bases):
            self._delete(Segment(self._disk, self.directory, base, self._config))

    def _load_durable_segments(self, bases: Sequence[int], policy: RecoveryPolicy) -> int:
        """Open segments below the recovery point by their indexes, up to the first for which this does not work: that
        one and all after it have to be read. Returns the epoch of the last record, `NO_EPOCH` if there is none.

        The epochs of their records come from leader-epoch-checkpoint.
        """
        epochs = LeaderEpochs(self._written_epochs)
        last_epoch = NO_EPOCH
        for base, end in itertools.zip_longest(bases, bases[1:]):
            # A crash may have torn what lies above the recovery point. The last segment has no end yet, so only a clean
            # close makes it durable.
            if (EVERYTHING if end is None else end) > policy.recovery_point:
                break
            check_no_gap(self._segments, base, policy, partial(is_old, self._disk, self.directory, bases))
            segment = Segment(self._disk, self.directory, base, self._config)
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
            self._segments = (*self._segments, segment)
            last_epoch = max(last_epoch, epoch)
        if self._segments:  # Epochs of those that are still to be read come from their batches.
            epochs.truncate_to(self.log_end_offset)
            self._epochs = epochs
        return last_epoch

    def _note_epoch(self, view: RecordBatchView) -> None:
        self.begin_epoch(view.partition_leader_epoch, view.base_offset)

    def _settle_epoch_file(self) -> None:
        if self._config.is_durable_at_once:
            settle_epoch_file(self._disk, self.directory, self._epochs)
            self._written_epochs = self._epochs.entries
