"""A log of record batches in one directory: append, roll, read, truncate, recover.

The files are Kafka's: segments with their indexes (``segment``), ``leader-epoch-checkpoint`` (``epoch_file``),
``partition.metadata``, and ``<offset>.snapshot`` (``producer_state_file``). Batches arrive as bytes. The leader of the
log has set their offsets and leader epochs; the log only checks that each batch continues the one before.

What ``sync`` covered survives any crash. After an OSError nobody knows what the disk holds, so the log refuses every
further change with a LogFailedError; only opening it again shows its state.

Its parts are ``log_segments`` (what readers see), ``log_epochs``, ``durability``, ``truncation``, and for the start
``log_loader``. Each change goes through this class, which remembers whether one has failed. Apache Kafka has it in
UnifiedLog.

Logs of topics differ by their `LogConfig`: offsets may be missing, and nothing is made durable before ``flush``. What a
crash of the machine destroys there comes back from other replicas.

The log ends where the last batch ends. It starts where the first segment does or, after ``move_start_to``, at an offset
inside that segment. Kafka has no file for this offset, so it is not stored: after a restart the log starts with the
segment again. What lies before the log start is in a snapshot (see ``reconciliation``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from kafkaproto.records.batch import RecordBatchView
from kafkaproto.records.legacy import iterate_stored_batches
from kafkaproto_server.base.ports import Buffer, Disk
from kafkaproto_server.base.types import OffsetAndEpoch
from kafkaproto_server.shell.storage.errors import LogFailedError, OffsetOutOfRangeError
from kafkaproto_server.shell.storage.log.durability import Durability
from kafkaproto_server.shell.storage.log.index import MAX_RELATIVE_OFFSET
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.log_epochs import LogEpochs
from kafkaproto_server.shell.storage.log.log_loader import LogLoader, prepare_directory
from kafkaproto_server.shell.storage.log.log_segments import LogSegments
from kafkaproto_server.shell.storage.log.producer_state_file import NO_PRODUCERS, write_producer_state
from kafkaproto_server.shell.storage.log.recovery import RecoveryPolicy
from kafkaproto_server.shell.storage.log.segment import Segment
from kafkaproto_server.shell.storage.log.truncation import Truncation
from kafkaproto_server.shell.storage.log.unsynced import Unsynced


class Log:
    """One log. Create it with ``Log.open``.

    One thread at a time changes the log, and only that thread may ask for epochs. Any other may read at any time, and
    use ``log_start_offset``, ``log_end_offset`` and ``size_in_bytes``. Reads neither wait for appends and syncs nor
    delay them. What shortens the log waits for running reads. A read sees all that was appended before it began.
    """

    def __init__(self, disk: Disk, directory: str, config: LogConfig) -> None:
        self._disk = disk
        self.directory = directory
        self.recovery_note: str | None = None
        """The torn tail that ``open`` cut off, with file and offset; None if there was none."""
        self.stored = LogSegments(disk, directory, config)
        """The segments; whoever reads batches as they lie in the files asks there."""
        self._epochs = LogEpochs(disk, directory, config)
        self.durability = Durability(disk, self.stored, self._epochs)
        """How far the log is durable."""
        self._truncation = Truncation(disk, self.stored, self._epochs, self.durability)
        self._failure: OSError | None = None

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
        policy = policy or RecoveryPolicy()
        bases = prepare_directory(disk, directory, topic_id, log.config, policy)
        try:
            log._load(bases, policy)
        except BaseException:
            log.abandon()
            raise
        return log

    def _load(self, bases: list[int], policy: RecoveryPolicy) -> None:
        loader = LogLoader(self._disk, self.stored, self._epochs, policy)
        loader.load(bases)
        self.recovery_note = loader.recovery_note
        self.durability.recovery_point = min(policy.recovery_point, self.log_end_offset)
        self._epochs.settle()
        if policy.log_start_offset > self.log_end_offset:
            self.truncate_fully_to(policy.log_start_offset)
        else:
            self.move_start_to(policy.log_start_offset)
            # Also if it lies there already: the batches of a segment that remains may begin before.
            self._epochs.move_start_to(self.log_start_offset, self.log_end_offset)

    @property
    def config(self) -> LogConfig:
        """The limits that it uses."""
        return self.stored.config

    @property
    def log_start_offset(self) -> int:
        """The first offset that the log holds."""
        return self.stored.start_offset

    @property
    def log_end_offset(self) -> int:
        """The offset that the next record gets."""
        return self.stored.all[-1].next_offset

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The segments, ascending. The last one is active."""
        return self.stored.all

    @property
    def segment_bases(self) -> tuple[int, ...]:
        """The base offset of each segment, ascending."""
        return self.stored.bases

    @property
    def size_in_bytes(self) -> int:
        """Bytes of all segments, without their indexes."""
        return self.stored.size_in_bytes

    @property
    def recovery_point(self) -> int:
        """Records below this offset are durable."""
        return self.durability.recovery_point

    @property
    def cuts(self) -> int:
        """How often the log was cut at its end."""
        return self.durability.cuts

    @property
    def epoch_starts(self) -> tuple[tuple[int, int], ...]:
        """(leader epoch, first offset) of every epoch that has records, ascending."""
        return self._epochs.known.entries

    @property
    def last_epoch(self) -> int | None:
        """Leader epoch of the last record; None if there is none."""
        return self._epochs.known.latest

    def epoch_at(self, offset: int) -> int | None:
        """Leader epoch of the record at ``offset``; None if the log holds nothing at or before it."""
        return self._epochs.known.epoch_at(offset)

    def end_offset_for_epoch(self, epoch: int) -> OffsetAndEpoch | None:
        """The end of ``epoch`` in this log: the newest epoch that is not above it, and the offset after that epoch's
        last record.

        For an epoch older than all in the log: that epoch and the log's first offset. None for an epoch newer than all
        of them, or if the log is empty.
        """
        return self._epochs.known.end_offset_for(epoch, self.log_end_offset)

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
        stored = self.stored
        with self._changing():
            begin, size = 0, 0
            active = stored.active
            for index, view in enumerate(views):
                if active.rolling.is_due(view, active.size + size, wall_ms):
                    if size:
                        active.append(views[begin:index])
                        begin, size = index, 0
                    # So many offsets may be missing that no segment can hold both ends.
                    is_far = view.last_offset - self.log_end_offset > MAX_RELATIVE_OFFSET
                    stored.roll(view.first_offset if is_far else None)
                    active = stored.active
                size += view.size_in_bytes
            active.append(views[begin:])
            # Only in memory. `sync` writes the file once the records of the epoch are durable: it is a witness of them.
            for view in views:
                self._epochs.begin(view.partition_leader_epoch, view.base_offset)

    def sync(self) -> None:
        """Make everything appended durable. Raises OSError, after which the log has failed."""
        with self._changing():
            self.durability.sync()

    def flush(self) -> int:
        """Make everything durable in a log that does not do so at once. Returns the log's end offset at that moment,
        the new recovery point. Raises OSError, after which the log has failed."""
        with self._changing():
            return self.durability.flush()

    def was_synced(self, unsynced: Unsynced) -> None:
        """`make_durable` has made it durable: the recovery point moves, unless the log was cut meanwhile. Raises
        OSError, after which the log has failed."""
        if self.durability.is_outdated(unsynced):
            return
        with self._changing():
            self.durability.was_synced(unsynced)

    def roll(self, offset: int | None = None) -> bool:
        """Begin a new segment, unless the last one is empty: at the log's end, or at a later ``offset`` in any case.
        Returns whether there is a new one. Raises OSError, after which the log has failed."""
        if not self.stored.active.size and offset is None:
            return False
        with self._changing():
            self.stored.roll(offset)
        return True

    def configure(self, config: LogConfig) -> None:
        """Use other limits from the next append on."""
        self.stored.configure(config)
        self._epochs.config = config

    def begin_epoch(self, epoch: int, start_offset: int) -> None:
        """Note that an epoch begins, at the log's end."""
        self._epochs.begin(epoch, start_offset)

    def read(self, offset: int, max_bytes: int) -> bytes:
        """Whole batches, starting with the one that holds ``offset``: at least one, and further ones up to
        ``max_bytes`` in all.

        Empty at the log's end. A read ends at the end of a segment, so it may return fewer bytes than asked for. The
        first batch may begin before ``offset``. Raises OffsetOutOfRangeError, OSError.
        """
        return self.stored.read(offset, max_bytes)

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
        with self._changing(), self.stored.reading:
            self._truncation.truncate_to(offset)

    def truncate_fully_to(self, start_offset: int) -> None:
        """Remove every record: the log then starts and ends at ``start_offset``, durably on return.

        The snapshot that ends there has to be durable before. After a crash on the way the log holds its beginning or
        nothing; ``reconciliation`` then finds the snapshot ahead of the log and completes the operation. Raises
        OSError, after which the log has failed.
        """
        with self._changing(), self.stored.reading:
            self._truncation.truncate_fully_to(start_offset)

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
        with self._changing(), self.stored.reading:
            self._truncation.move_start_to(offset)

    def replace(self, gone: Sequence[Segment], cleaned: Segment, *, cuts: int) -> list[str] | None:
        """Put a segment that compaction has made in the place of those that it was made of, durably on return. Returns
        the paths of the files that are to be removed; they count as deleted already.

        None, with nothing changed, if those are not segments of the log any more, or if it was cut since ``cuts`` was
        its number of cuts. Raises OSError, after which the log has failed.
        """
        if cuts != self.cuts:
            return None
        begin = self.stored.find(gone)
        if begin is None:
            return None
        with self._changing(), self.stored.reading:
            return self.stored.replace(begin, gone, cleaned)

    def close(self, producers: bytes | None = NO_PRODUCERS) -> None:
        """Stop cleanly: sync everything, trim the indexes, write the producer state. A failed log only closes its
        files. Without the state of ``producers``, the next start derives it from the batches. What a log does not make
        durable at once, the owner of all logs in a file system does with one sync."""
        is_durable = self.config.is_durable_at_once
        try:
            if self._failure is None:
                # The indexes are trimmed: the next start opens the last segment by them as well.
                self.stored.active.become_inactive()
                self._epochs.write(is_durable=is_durable)
                # Last, since it testifies that the log reached its end.
                if producers is not None:
                    write_producer_state(
                        self._disk, self.directory, self.log_end_offset, producers, is_durable=is_durable
                    )
        finally:
            self.stored.close()

    def abandon(self) -> None:
        """Close the files and testify to nothing, so that the next start recovers the log as after a crash. After
        `close`, or a second time, there is nothing left to do."""
        # Nothing is promised, and whatever led here is told by somebody else.
        self.stored.close(OSError)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        if self._failure is not None:
            raise LogFailedError(self.directory, self._failure)
        try:
            yield
        except OSError as error:
            # After an error nobody knows what the disk holds. A second attempt could succeed beside what the first has
            # left.
            self._failure = error
            raise
