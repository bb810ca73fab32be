"""The log of one partition of a topic: a `Log` with the states of producers and the transaction index.

What a broker needs of it at once is found when it is opened: offsets, epochs, producers. From then on the broker keeps
these itself (`core.replicas.partition`) and this object does what it is told, in the thread of its directory. A
snapshot of the producers is written after each roll, at a clean close and when the log was recovered.

Files that are no longer needed are renamed at once. `take_deleted` says which are to be removed later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

import msgspec

from kafkaproto.directory_files import PARTITION_METADATA_NAME, decode_partition_metadata
from kafkaproto.producer_snapshot import encode_producer_snapshot
from kafkaproto.transaction_index import AbortedTransaction
from kafkaproto_server.base.file_part import Sendable
from kafkaproto_server.base.ports import Buffer, Disk
from kafkaproto_server.core.log_state.producers import ProducerStates
from kafkaproto_server.shell.storage.errors import (
    CorruptFileError,
    UnusableFileError,
    is_of_file,
    of_log,
    of_log_in_use,
)
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.producer_state_file import (
    remove_producer_states_outside,
    write_producer_state,
)
from kafkaproto_server.shell.storage.log.reached import Reached, reached_by_producers
from kafkaproto_server.shell.storage.log.recovery import EVERYTHING, RecoveryPolicy
from kafkaproto_server.shell.storage.log.segment import Segment
from kafkaproto_server.shell.storage.log.timestamp_search import TimestampedOffset
from kafkaproto_server.shell.storage.log.topic_retention import (
    AgedSegment,
    TopicRetention,
    removable_segments,
)
from kafkaproto_server.shell.storage.log.topic_state import Found, found_after_cut, found_at_start
from kafkaproto_server.shell.storage.log.transaction_index_files import (
    append_aborted,
    by_segment,
    cut_aborted,
)
from kafkaproto_server.shell.storage.log.unsynced import Unsynced

SHORT_APPEND_BYTES = 1 << 20
"""To write so much to the page cache takes half a millisecond."""
_NO_LIMIT = (1 << 63) - 1

P = ParamSpec("P")
T = TypeVar("T")


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
            # Before an empty log is made in its place.
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
            return found_at_start(self._disk, self.log, self._producer_expiration_ms, now_ms)

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
        # As in Kafka's UnifiedLog.append: by default it is never due, and replication keeps the records.
        if log.log_end_offset - log.durability.recovery_point >= log.config.flush_messages:
            log.flush()
        return log.segments is not segments

    def is_short_append(self, size_bytes: int, end_offset: int) -> bool:
        """Whether to append so much, up to that offset, only writes a little to the page cache: no sync, and no new
        segment unless timestamps want it. For the thread that appends, while the log is not being changed."""
        log = self.log
        active = log.segments[-1]
        return (
            size_bytes <= SHORT_APPEND_BYTES
            and end_offset - log.durability.recovery_point < log.config.flush_messages
            and active.rolling.has_room(active.size + size_bytes, end_offset)
        )

    def _found_after_cut(self, now_ms: int) -> Found:
        self._cut_aborted(self.log.log_end_offset)
        return found_after_cut(self._disk, self.log, self._producer_expiration_ms, now_ms)

    def _append_aborted(self, aborted: Sequence[AbortedTransaction]) -> None:
        """Add transactions to the index of the segment that holds the marker of each."""
        for base, part in by_segment(self.log.segment_bases, aborted):
            append_aborted(self._disk, self.directory, base, part)

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
        # A log always has a segment, which takes the next append.
        has_rolled = count == len(segments) and log.roll()
        self.move_start_to(log.segment_bases[count])
        return Removed(log_start_offset=log.log_start_offset, has_rolled=has_rolled)

    def _aged_segments(self, *, with_times: bool) -> list[AgedSegment]:
        found = []
        *older, active = self.log.segments
        for segment in (*older, active):
            newest_ms = segment.max_timestamp
            if newest_ms < 0 and with_times and (segment is not active or segment.size):
                # Its records have no timestamps. Kafka asks the file as well (LogSegment.largestTimestamp).
                newest_ms = self._disk.modified_ms(segment.path)
            found.append(AgedSegment(segment.base_offset, segment.size, newest_ms))
        return found

    def unsynced(self, *, with_active: bool) -> Unsynced | None:
        return self.log.durability.unsynced(with_active=with_active)

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
        deleted = self.log.stored.deleted
        # One by one: the thread of the directory may add some meanwhile.
        return [deleted.popleft() for _ in range(len(deleted))]

    def _cut_aborted(self, end_offset: int) -> None:
        self.log.stored.deleted.extend(
            cut_aborted(self._disk, self.directory, self.log.segment_bases, end_offset)
        )

    def records_now(
        self, offset: int, max_bytes: int, end_offset: int, *, whole_first: bool, copied: bool
    ) -> Sendable:
        return self.log.stored.records_now(
            offset, max_bytes, end_offset, whole_first=whole_first, copied=copied
        )

    @_in_use
    def read_records(self, offset: int, max_bytes: int, end_offset: int, *, whole_first: bool) -> Buffer:
        while True:
            log = self.log
            try:
                return log.stored.read_records(offset, max_bytes, end_offset, whole_first=whole_first)
            except FileNotFoundError:
                # The log may have moved to another directory meanwhile.
                if log is self.log:
                    raise

    def find_timestamp(self, timestamp: int) -> TimestampedOffset | None:
        return self._find(lambda log: log.stored.find_timestamp(timestamp))

    def find_max_timestamp(self) -> TimestampedOffset | None:
        return self._find(lambda log: log.stored.find_max_timestamp())

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
        # States as of another offset would be taken for those at the end.
        if producers is not None and producers.map_end_offset == end:
            states = encode_producer_snapshot(producers.snapshot_entries())
        self.log.close(states)


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
