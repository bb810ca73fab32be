"""The log of one partition of a topic: a `Log` with the states of producers and the transaction index.

What a broker needs of it at once is found when it is opened: offsets, epochs, producers. From then on the broker keeps
these itself (`core.replicas.partition`) and this object does what it is told, in the thread of its directory. A
snapshot of the producers is written after each roll, at a clean close and when the log was recovered.

A crash may leave snapshots and transaction indexes behind the recovery point that do not fit the batches there. So
recovery begins at the newest snapshot that is not behind that point, and makes the rest again from the batches.

Files that are no longer needed are renamed at once. `take_deleted` says which are to be removed later."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from itertools import groupby
from typing import Concatenate, ParamSpec, TypeVar

import msgspec

from kafkaproto.directory_files import PARTITION_METADATA_NAME, decode_partition_metadata
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.producer_snapshot import decode_producer_snapshot, encode_producer_snapshot
from kafkaproto.records.batch import RecordBatchView
from kafkaproto.records.legacy import iterate_stored_batches
from kafkaproto.transaction_index import AbortedTransaction
from kafkaproto_server.base.file_part import Sendable
from kafkaproto_server.base.ports import Buffer, Disk
from kafkaproto_server.core.log_state.producers import ProducerStates
from kafkaproto_server.core.log_state.transactions import EndTransactionMarker, end_transaction_marker
from kafkaproto_server.shell.storage.errors import (
    CorruptFileError,
    UnusableFileError,
    is_of_file,
    of_log,
    of_log_in_use,
)
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.producer_state_file import (
    remove_producer_states_outside,
    write_producer_state,
)
from kafkaproto_server.shell.storage.log.reached import Reached, reached_by_producers
from kafkaproto_server.shell.storage.log.recovery import EVERYTHING, RecoveryPolicy
from kafkaproto_server.shell.storage.log.segment import LogConfig, Segment, TimestampedOffset
from kafkaproto_server.shell.storage.log.topic_retention import (
    AgedSegment,
    TopicRetention,
    removable_segments,
)
from kafkaproto_server.shell.storage.log.transaction_index_files import (
    IndexFile,
    append_aborted,
    cut_aborted,
    read_indexes,
    write_index,
)
from kafkaproto_server.shell.storage.log.unsynced import Unsynced

REPLAY_BYTES = 1 << 20
"""How much of the log is read at once to rebuild the states of producers."""
SHORT_APPEND_BYTES = 1 << 20
"""To write so much to the page cache takes half a millisecond."""
_NO_LIMIT = (1 << 63) - 1

P = ParamSpec("P")
T = TypeVar("T")


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a log that was opened, or cut."""

    log_start_offset: int
    log_end_offset: int
    epoch_starts: tuple[tuple[int, int], ...]
    producers: ProducerStates
    """For the caller alone."""
    aborted: list[AbortedTransaction]
    """The aborted transactions, in the order of their ends; for the caller alone."""


class Removed(msgspec.Struct, frozen=True, kw_only=True):
    """What retention has done to a log."""

    log_start_offset: int
    has_rolled: bool
    """Whether a new segment was begun, because the last one was removed."""


def _in_use(method: Callable[Concatenate[TopicLog, P], T]) -> Callable[Concatenate[TopicLog, P], T]:
    """A method of a log whose files may be opened for it only now, see `of_log_in_use`. It costs nothing unless there
    is an error."""

    @wraps(method)
    def call(log: TopicLog, /, *arguments: P.args, **named: P.kwargs) -> T:
        try:
            return method(log, *arguments, **named)
        except OSError as error:
            if not is_of_file(log._disk, log.directory, error):
                raise
            raise UnusableFileError(log.directory, error) from error

    return call


class TopicLog:
    """One log. Its changes are made by one thread at a time; any thread may read.

    An error that speaks of one of its files is an UnusableFileError; any other OSError is one of the disk.
    """

    def __init__(self, disk: Disk, log: Log, topic_id: bytes, producer_expiration_ms: int) -> None:
        self._disk = disk
        self._producer_expiration_ms = producer_expiration_ms
        self.log = log
        self.topic_id = topic_id

    @classmethod
    def open(
        cls,
        disk: Disk,
        directory: str,
        *,
        topic_id: bytes,
        config: LogConfig,
        recovery_point: int = 0,
        log_start_offset: int = 0,
        is_clean: bool = False,
        reached: Reached | None = None,
        is_kept: bool = False,
        was_compacted: bool = True,
        producer_expiration_ms: int,
    ) -> TopicLog:
        """Open the log in ``directory``, or begin an empty one. ``is_clean``: it was closed in order. ``reached`` is
        how far it reached at least, ``is_kept`` whether all that was ever appended has to be there.

        Raises StorageError if records are gone or damaged that no crash can have taken, if the directory belongs to
        another topic, or if a file of the log cannot be used, and the disk works; OSError.
        """
        with of_log_in_use(disk, directory), of_log(directory):
            if reached is not None and not disk.exists(directory):
                raise reached.lost(directory, 0)
            policy = RecoveryPolicy(
                recovery_point=EVERYTHING if is_clean else recovery_point,
                log_start_offset=log_start_offset,
                reached=reached_by_producers(disk, directory, reached) if is_kept else reached,
                cuts_damage=True,
                is_kept=is_kept,
                has_no_gaps=config.cuts_at_gaps and not was_compacted,
            )
            log = Log.open(disk, directory, topic_id=topic_id, config=config, policy=policy)
        return cls(disk, log, topic_id, producer_expiration_ms)

    @property
    def directory(self) -> str:
        """Path of the partition's directory."""
        return self.log.directory

    def found(self, now_ms: int) -> Found:
        """The state of the log, which was just opened, with that of its producers. ``now_ms`` is wall time. Raises
        CorruptFileError, OSError."""
        with of_log_in_use(self._disk, self.directory), of_log(self.directory):
            return self._found_at_start(now_ms)

    def _found_at_start(self, now_ms: int) -> Found:
        log = self.log
        names = self._disk.list_directory(self.directory)
        indexes = read_indexes(self._disk, self.directory, names)
        damaged = (base for base, index in indexes.items() if not index.is_whole)
        known_end = min(log.recovery_point, min(damaged, default=log.recovery_point))
        states = self._known_states(names, known_end)
        producers, completed = self._producers(states, now_ms)
        aborted = [
            each for index in indexes.values() for each in index.entries if each.last_offset < known_end
        ]
        # What is missing before, compaction has dropped with the transaction's records.
        begin = max(known_end, log.log_start_offset)
        aborted += (each for each in completed if each.last_offset >= begin)
        self._settle_indexes(indexes, aborted)
        return self._found(producers, aborted)

    def _settle_indexes(
        self, indexes: Mapping[int, IndexFile], aborted: Sequence[AbortedTransaction]
    ) -> None:
        """Let the transaction indexes have those entries."""
        wanted: dict[int, list[AbortedTransaction]] = {base: [] for base in indexes}
        for base, part in self._by_segment(aborted):
            wanted[base] = part
        for base, entries in wanted.items():
            if indexes.get(base) != IndexFile(entries, is_whole=True):
                write_index(self._disk, self.directory, base, entries)

    def _found_after_cut(self, now_ms: int) -> Found:
        """The state of the log, which was just cut. What lies in its files is what was written there."""
        end_offset = self.log.log_end_offset
        self._cut_aborted(end_offset)
        names = self._disk.list_directory(self.directory)
        producers, _ = self._producers(self._known_states(names, end_offset), now_ms)
        indexes = read_indexes(self._disk, self.directory, names)
        return self._found(producers, [each for index in indexes.values() for each in index.entries])

    def _known_states(self, names: list[str], end_offset: int) -> dict[int, str]:
        """The names of the producers' states up to an offset, by theirs. Others are removed: they would be taken for
        those of records that are appended later."""
        start_offset = self.log.segment_bases[0]
        return remove_producer_states_outside(self._disk, self.directory, names, start_offset, end_offset)

    def _found(self, producers: ProducerStates, aborted: list[AbortedTransaction]) -> Found:
        log = self.log
        return Found(
            log_start_offset=log.log_start_offset,
            log_end_offset=log.log_end_offset,
            epoch_starts=log.epoch_starts,
            producers=producers,
            aborted=aborted,
        )

    def _producers(
        self, known: dict[int, str], now_ms: int
    ) -> tuple[ProducerStates, list[AbortedTransaction]]:
        """The producers, and the transactions whose abort was seen on the way. ``known`` has the names of the states in
        files, by offset."""
        log = self.log
        completed: list[AbortedTransaction] = []
        # Also from records below the log's start, as far as they are still there: a producer whose records were deleted
        # may write again.
        states = ProducerStates(log.segment_bases[0])
        for offset in sorted(known, reverse=True):
            try:
                entries = decode_producer_snapshot(self._disk.read_file(f"{self.directory}/{known[offset]}"))
            except RemoteProtocolError:
                # It follows from an older one, or from the batches.
                continue
            states.load(entries, end_offset=offset, now_ms=now_ms, expiration_ms=self._producer_expiration_ms)
            break
        for segment in log.segments:
            while (offset := max(states.map_end_offset, segment.base_offset)) < segment.next_offset:
                data = segment.read_records(offset, REPLAY_BYTES, _NO_LIMIT, whole_first=True)
                for view in iterate_stored_batches(data):
                    header = view.header()
                    if header.next_offset > offset:
                        aborted = states.take(
                            header, _marker(segment.path, view) if header.is_control else None, now_ms
                        )
                        if aborted is not None:
                            completed.append(aborted)
                if states.map_end_offset <= offset:
                    # Nothing lies behind: compaction removed the last records.
                    states.map_end_offset = segment.next_offset
        states.log_start_moved(log.log_start_offset)
        return states, completed

    @_in_use
    def append(
        self,
        batches: Sequence[Buffer],
        aborted: Sequence[AbortedTransaction] = (),
        wall_ms: int | None = None,
    ) -> bool:
        """Append batches, and make the log durable if its config says so; see `Log.append` for ``wall_ms``. Returns
        whether a new segment was begun: the caller then has the producers' states written, and older segments made
        durable (`unsynced`)."""
        log = self.log
        segments = log.segments
        log.append(batches, wall_ms=wall_ms)
        self._append_aborted(aborted)
        if log.log_end_offset - log.recovery_point >= log.config.flush_messages:
            log.flush()
        return log.segments is not segments

    def is_short_append(self, size_bytes: int, end_offset: int) -> bool:
        """Whether to append so much, up to that offset, only writes a little to the page cache: no sync, and no new
        segment unless timestamps want it. For the thread that appends, while the log is not being changed."""
        log = self.log
        return (
            size_bytes <= SHORT_APPEND_BYTES
            and end_offset - log.recovery_point < log.config.flush_messages
            and log.segments[-1].has_room(size_bytes, end_offset)
        )

    def _append_aborted(self, aborted: Sequence[AbortedTransaction]) -> None:
        """Add transactions to the index of the segment that holds the marker of each."""
        for base, part in self._by_segment(aborted):
            append_aborted(self._disk, self.directory, base, part)

    def _by_segment(
        self, aborted: Sequence[AbortedTransaction]
    ) -> Iterator[tuple[int, list[AbortedTransaction]]]:
        """Transactions in the order of their ends, by the segment that holds the marker of each."""
        bases = self.log.segment_bases
        for index, part in groupby(aborted, lambda each: bisect_right(bases, each.last_offset)):
            yield bases[index - 1], list(part)

    @_in_use
    def write_producers(self, states: bytes, offset: int) -> None:
        """Write the producers' states at an offset (`encode_producer_snapshot`), unless the log was cut before it
        meanwhile."""
        if offset <= self.log.log_end_offset:
            write_producer_state(self._disk, self.directory, offset, states)

    @_in_use
    def truncate_to(self, offset: int, now_ms: int) -> Found:
        """Remove all records from ``offset`` on, but none before the log's start. Returns the new state."""
        start = self.log.log_start_offset
        self.log.truncate_to(max(offset, start))
        if self.log.log_end_offset < start:
            # The start lay in the batch that went.
            self.log.truncate_fully_to(start)
        return self._found_after_cut(now_ms)

    @_in_use
    def truncate_fully_to(self, offset: int, now_ms: int) -> Found:
        """Remove all records and begin again at ``offset``."""
        self.log.truncate_fully_to(offset)
        return self._found_after_cut(now_ms)

    @_in_use
    def begin_within(
        self, batches: Buffer, base_offset: int, aborted: Sequence[AbortedTransaction], wall_ms: int
    ) -> bool:
        """Append the first batches to an empty log that starts within the first of them, at whose ``base_offset`` the
        segment then begins. See `append` for the rest."""
        start = self.log.log_start_offset
        self.log.truncate_fully_to(base_offset)
        has_rolled = self.append((batches,), aborted, wall_ms)
        self.log.move_start_to(start)
        return has_rolled

    @_in_use
    def move_start_to(self, offset: int) -> int:
        """Let the log start at ``offset``, but not before where it does and not behind its end; whole segments before
        are deleted. Returns where the log starts. Raises OSError."""
        log = self.log
        bases = log.segment_bases
        log.move_start_to(min(offset, log.log_end_offset))
        if log.segment_bases != bases:
            self._cut_aborted(log.log_end_offset)
            names = self._disk.list_directory(self.directory)
            remove_producer_states_outside(
                self._disk, self.directory, names, log.segment_bases[0], log.log_end_offset
            )
        return log.log_start_offset

    @_in_use
    def remove_old(self, retention: TopicRetention, *, high_watermark: int, wall_ms: int) -> Removed | None:
        """Remove the segments that retention does not keep. Returns None if it keeps all. Raises OSError."""
        log = self.log
        segments = self._aged_segments(with_times=retention.max_age_ms >= 0)
        count = removable_segments(
            segments,
            retention,
            log_end_offset=log.log_end_offset,
            high_watermark=high_watermark,
            now_ms=wall_ms,
        )
        if not count:
            return None
        has_rolled = count == len(segments) and log.roll()
        self.move_start_to(log.segment_bases[count])
        return Removed(log_start_offset=log.log_start_offset, has_rolled=has_rolled)

    def _aged_segments(self, *, with_times: bool) -> list[AgedSegment]:
        found = []
        *older, active = self.log.segments
        for segment in (*older, active):
            newest_ms = segment.max_timestamp
            if newest_ms < 0 and with_times and (segment is not active or segment.size):
                newest_ms = self._disk.modified_ms(segment.path)
            found.append(AgedSegment(segment.base_offset, segment.size, newest_ms))
        return found

    def unsynced(self, *, with_active: bool) -> Unsynced | None:
        return self.log.unsynced(with_active=with_active)

    @_in_use
    def was_synced(self, unsynced: Unsynced) -> None:
        """See `Log.was_synced`. Nothing happens if the log is in another directory now."""
        if unsynced.directory == self.directory:
            self.log.was_synced(unsynced)

    @_in_use
    def replace(self, gone: Sequence[Segment], cleaned: Segment, *, cuts: int) -> list[str] | None:
        return self.log.replace(gone, cleaned, cuts=cuts)

    def configure(self, config: LogConfig) -> None:
        self.log.configure(config)

    def begin_epoch(self, epoch: int, start_offset: int) -> None:
        self.log.begin_epoch(epoch, start_offset)

    def continue_as(self, log: Log) -> Log:
        """Be the same log in another directory from now on, for whoever holds this object. Returns the former one: the
        caller closes its files when no thread can be reading them any more."""
        former, self.log = self.log, log
        return former

    @_in_use
    def cut_to(self, offset: int) -> None:
        """Remove all records from ``offset`` on, like `truncate_to`, of a log that nobody uses yet."""
        self.log.truncate_to(offset)
        self._cut_aborted(self.log.log_end_offset)

    def take_deleted(self) -> list[str]:
        """The paths of files that were deleted by a rename since the last call."""
        deleted = self.log.deleted
        # One by one: the thread of the directory may add some meanwhile.
        return [deleted.popleft() for _ in range(len(deleted))]

    def _cut_aborted(self, end_offset: int) -> None:
        self.log.deleted.extend(cut_aborted(self._disk, self.directory, self.log.segment_bases, end_offset))

    def records_now(
        self, offset: int, max_bytes: int, end_offset: int, *, whole_first: bool, copied: bool
    ) -> Sendable:
        return self.log.records_now(offset, max_bytes, end_offset, whole_first=whole_first, copied=copied)

    @_in_use
    def read_records(self, offset: int, max_bytes: int, end_offset: int, *, whole_first: bool) -> Buffer:
        while True:
            log = self.log
            try:
                return log.read_records(offset, max_bytes, end_offset, whole_first=whole_first)
            except FileNotFoundError:
                # The log may have moved to another directory meanwhile.
                if log is self.log:
                    raise

    def find_timestamp(self, timestamp: int) -> TimestampedOffset | None:
        return self._find(lambda log: log.find_timestamp(timestamp))

    def find_max_timestamp(self) -> TimestampedOffset | None:
        return self._find(Log.find_max_timestamp)

    @_in_use
    def _find(self, find: Callable[[Log], TimestampedOffset | None]) -> TimestampedOffset | None:
        while True:
            log = self.log
            try:
                return find(log)
            except FileNotFoundError:
                # As in `read_records`.
                if log is self.log:
                    raise

    @_in_use
    def close(self, producers: ProducerStates | None) -> None:
        """Stop cleanly; everything is durable once the file system is synced. ``producers`` are the states of producers
        if they are known."""
        end = self.log.log_end_offset
        states = None
        if producers is not None and producers.map_end_offset == end:
            states = encode_producer_snapshot(producers.snapshot_entries())
        self.log.close(states)


def _marker(path: str, view: RecordBatchView) -> EndTransactionMarker | None:
    """See `end_transaction_marker`. Raises CorruptFileError in its place."""
    try:
        return end_transaction_marker(view)
    except RemoteProtocolError as error:
        raise CorruptFileError(path, str(error)) from error


def read_topic_id(disk: Disk, directory: str) -> bytes | None:
    """The topic id of a partition's directory; None if it has none. Raises CorruptFileError, OSError."""
    path = f"{directory}/{PARTITION_METADATA_NAME}"
    if not disk.exists(path):
        return None
    content = disk.read_file(path)
    # As a crash of the machine may leave it: the directory was new, and holds nothing that was promised.
    if not content:
        return None
    try:
        return decode_partition_metadata(content)
    except ValueError as error:
        raise CorruptFileError(path, str(error)) from error
