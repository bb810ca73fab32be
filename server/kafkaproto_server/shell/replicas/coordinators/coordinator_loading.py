"""Reads a partition of an internal topic from its start to its end, for the coordinator that begins there.

A thread reads and decodes; the coordinator takes the records in slices, so that other requests have their turn between
them. A partition may hold the offsets of fifty thousand groups.
"""

from __future__ import annotations

import logging
import struct
from collections.abc import Callable, Mapping

import msgspec

from kafkaproto.errors import ProtocolError, RemoteProtocolError
from kafkaproto.message import Message
from kafkaproto.records.coordinator import UnknownRecordTypeError, decode_coordinator_record
from kafkaproto.records.legacy import iterate_stored_batches
from kafkaproto_server.core.coordinators.values import RecordError
from kafkaproto_server.core.log_state.transactions import end_transaction_marker
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.timers import Timers
from kafkaproto_server.shell.storage.errors import OffsetOutOfRangeError, StorageError
from kafkaproto_server.shell.storage.log.topic_log import TopicLog

_log = logging.getLogger("kafkaproto.server.coordinators")

READ_BYTES = 1 << 20
WAIT_MS = 2
"""Until it is looked whether what is missing at the end is written."""
RECORDS_AT_ONCE = 500
"""The number of records that are taken in one turn of the loop."""
TURN_MS = 10
"""After so long a turn ends, however few were taken: a record may change thousands of batches of a share partition."""

_UNUSABLE = (RecordError, ProtocolError, struct.error, ValueError, LookupError, ArithmeticError)
"""What a coordinator raises if it cannot take a record. Anybody may have written it, so this is no reason to end the
process; a broken assertion is one."""


class LoadedRecord(msgspec.Struct, frozen=True, gc=False):
    """One record of a partition."""

    offset: int
    key: Message | None
    """None for the end of a transaction."""
    value: Message | None
    producer_id: int = -1
    """Of a record in a transaction, or of the end of one."""
    is_commit: bool = False
    """How a transaction ended."""


class _Part(msgspec.Struct, frozen=True):
    """What one read has found."""

    records: list[LoadedRecord]
    next_offset: int
    unknown: int


class Loading:
    """One partition on its way into its coordinator."""

    def __init__(
        self,
        hosted: Hosted,
        names: Mapping[int, str],
        *,
        timers: Timers,
        in_thread: Callable[[Callable[[], object], Callable[[object], None]], None],
        take: Callable[[LoadedRecord], None],
        done: Callable[[Exception | None], None],
        read_failed: Callable[[Hosted, TopicLog, Exception], None],
        waits_for_commit: bool = False,
    ) -> None:
        """``take`` gets each record, and may raise RecordError. ``done`` is called at the end, or with what went wrong:
        RecordError if a record cannot be read or taken. ``read_failed`` is told of errors of the log. With
        ``waits_for_commit`` it is not the end before all that was read is committed."""
        assert hosted.log is not None, "it leads"
        self._hosted = hosted
        self._log: TopicLog = hosted.log
        self._partition = hosted.partition
        self._names = names
        self._waits_for_commit = waits_for_commit
        # From the start: compaction has left the newest record of each key.
        self._offset = hosted.partition.log_start_offset
        self._clock = timers.clock
        self._timers = timers
        self._in_thread = in_thread
        self._take = take
        self._done = done
        self._read_failed = read_failed
        self._unknown = 0
        self._began_ms = timers.clock.now_ms()
        self.is_over = False
        """Set from outside once nobody waits for it any more."""

    @property
    def elapsed_ms(self) -> int:
        """How long it has taken so far."""
        return self._clock.now_ms() - self._began_ms

    def begin(self) -> None:
        self._read_next()

    def _read_next(self) -> None:
        """Go on where the last read ended.

        What was handed out to be written while this reads, such as the end of a transaction, is read as well: from the
        call of ``done`` on, the coordinator hears of all that is written here.
        """
        if self.is_over:
            return
        partition = self._partition
        if self._offset < partition.log_end_offset:
            # As far as it is written now. What is written meanwhile comes with the next read.
            end_offset = partition.log_end_offset
            self._in_thread(lambda: self._read(end_offset), self._taken)
        elif self._offset < partition.next_offset or (
            self._waits_for_commit and partition.high_watermark < self._offset
        ):
            self._later(WAIT_MS, self._read_next)
        else:
            if self._unknown:
                _log.warning(
                    "%s: %d records of unknown types are passed over", self._log.directory, self._unknown
                )
            self._done(None)

    def _later(self, delay_ms: int, call: Callable[[], None]) -> None:
        self._timers.add(self._clock.now_ms() + delay_ms, call, lambda: self.is_over)

    def _read(self, end_offset: int) -> _Part | Exception:
        try:
            # The first batch as a whole, or a batch of more than READ_BYTES would never be read.
            data = self._log.read_records(self._offset, READ_BYTES, end_offset, whole_first=True)
            found: list[LoadedRecord] = []
            next_offset, unknown = self._offset, 0
            for view in iterate_stored_batches(bytes(data)):
                header = view.header()
                next_offset = header.next_offset
                # Records in a transaction count only once their marker comes, which may be far behind them.
                producer_id = header.producer_id if header.is_transactional else -1
                if header.is_control:
                    marker = end_transaction_marker(view)
                    if marker is not None:
                        found.append(
                            LoadedRecord(
                                header.base_offset, None, None, header.producer_id, not marker.is_abort
                            )
                        )
                    continue
                for record in view.records():
                    try:
                        decoded = decode_coordinator_record(self._names, record.key or b"", record.value)
                    except UnknownRecordTypeError:
                        # A newer release may have written it before this one took over. Kafka passes over such
                        # records, too.
                        unknown += 1
                        continue
                    except RemoteProtocolError as error:
                        return _unusable(record.offset, error)
                    found.append(LoadedRecord(record.offset, decoded.key, decoded.value, producer_id))
        except OffsetOutOfRangeError as error:
            # The first records may have been deleted since. Who deletes them has said that nobody needs them.
            start = self._log.log.log_start_offset
            return _Part([], start, 0) if self._offset < start else error
        except (OSError, StorageError, RemoteProtocolError, ValueError) as error:
            # The log may have been closed, or cut, since the thread was asked.
            return error
        # Nothing may lie behind a gap that compaction has left.
        return _Part(found, next_offset if next_offset > self._offset else end_offset, unknown)

    def _taken(self, part: object) -> None:
        if self.is_over:
            return
        if isinstance(part, Exception):
            self._done(part)
            # Only another broker can coordinate if the disk fails: this one must not lead any more.
            self._read_failed(self._hosted, self._log, part)
            return
        assert isinstance(part, _Part), "it is one or the other"
        # Told once at the end, not for each record: there may be as many as there are groups.
        self._unknown += part.unknown
        self._offset = part.next_offset
        records = iter(part.records)

        def slice_of_it() -> None:
            if self.is_over:
                return
            began_ms = self._clock.now_ms()
            is_all = True
            for taken, each in enumerate(records, start=1):
                try:
                    self._take(each)
                except _UNUSABLE as error:
                    self._done(_unusable(each.offset, error))
                    return
                if taken == RECORDS_AT_ONCE or self._clock.now_ms() - began_ms >= TURN_MS:
                    is_all = False
                    break
            if is_all:
                self._read_next()
            else:
                # Not now: that would be the same turn.
                self._later(1, slice_of_it)

        slice_of_it()


def _unusable(offset: int, error: Exception) -> RecordError:
    return RecordError(f"the record at offset {offset}: {type(error).__name__}: {error}")
