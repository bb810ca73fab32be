"""What the batches of a topic's log say together, found in its files: producers, and transactions that were aborted.

Nearly all of it is read from files that say it for a whole log: states of producers and transaction indexes. A crash
may leave such files behind the recovery point that do not fit the batches there. So what lies behind that point is made
again from the batches. Apache Kafka has this in UnifiedLog.rebuildProducerState and ProducerStateManager.

All functions are for the thread that changes the log. They read it as any reader does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.producer_snapshot import decode_producer_snapshot
from kafkaproto.records.batch import RecordBatchView
from kafkaproto.records.legacy import iterate_stored_batches
from kafkaproto.transaction_index import AbortedTransaction
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.core.log_state.producers import ProducerStates
from kafkaproto_server.core.log_state.transactions import EndTransactionMarker, end_transaction_marker
from kafkaproto_server.shell.storage.errors import CorruptFileError
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.producer_state_file import remove_producer_states_outside
from kafkaproto_server.shell.storage.log.transaction_index_files import (
    IndexFile,
    by_segment,
    read_indexes,
    write_index,
)

REPLAY_BYTES = 1 << 20
"""How much of the log is read at once to rebuild the states of producers."""
_NO_LIMIT = (1 << 63) - 1


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a log that was opened, or cut."""

    log_start_offset: int
    log_end_offset: int
    epoch_starts: tuple[tuple[int, int], ...]
    producers: ProducerStates
    """For the caller alone."""
    aborted: list[AbortedTransaction]
    """The aborted transactions, in the order of their ends; for the caller alone."""


def found_at_start(disk: Disk, log: Log, expiration_ms: int, now_ms: int) -> Found:
    """The state of a log that was just opened; its transaction indexes have the same afterwards. ``expiration_ms`` is
    when a producer without further batches is forgotten, ``now_ms`` is wall time. Raises CorruptFileError, OSError."""
    names = disk.list_directory(log.directory)
    indexes = read_indexes(disk, log.directory, names)
    damaged = (base for base, index in indexes.items() if not index.is_whole)
    # What an index has lost follows from the batches of its segment and of those behind it.
    known_end = min(log.recovery_point, min(damaged, default=log.recovery_point))
    states = _known_states(disk, log, names, known_end)
    producers, completed = _producers(disk, log, states, expiration_ms, now_ms)
    aborted = [each for index in indexes.values() for each in index.entries if each.last_offset < known_end]
    # What is missing before, compaction has dropped with the transaction's records.
    begin = max(known_end, log.log_start_offset)
    aborted += (each for each in completed if each.last_offset >= begin)
    _settle_indexes(disk, log, indexes, aborted)
    return _found(log, producers, aborted)


def found_after_cut(disk: Disk, log: Log, expiration_ms: int, now_ms: int) -> Found:
    """The state of a log that was just cut, like its transaction indexes. What lies in its files is what was written
    there: there was no crash. Raises CorruptFileError, OSError."""
    names = disk.list_directory(log.directory)
    known = _known_states(disk, log, names, log.log_end_offset)
    producers, _ = _producers(disk, log, known, expiration_ms, now_ms)
    indexes = read_indexes(disk, log.directory, names)
    return _found(log, producers, [each for index in indexes.values() for each in index.entries])


def _found(log: Log, producers: ProducerStates, aborted: list[AbortedTransaction]) -> Found:
    return Found(
        log_start_offset=log.log_start_offset,
        log_end_offset=log.log_end_offset,
        epoch_starts=log.epoch_starts,
        producers=producers,
        aborted=aborted,
    )


def _settle_indexes(
    disk: Disk, log: Log, indexes: Mapping[int, IndexFile], aborted: Sequence[AbortedTransaction]
) -> None:
    """Let the transaction indexes have those entries."""
    wanted: dict[int, list[AbortedTransaction]] = {base: [] for base in indexes}
    for base, part in by_segment(log.segment_bases, aborted):
        wanted[base] = part
    for base, entries in wanted.items():
        # After a stop in order nothing differs, and nothing is written.
        if indexes.get(base) != IndexFile(entries, is_whole=True):
            write_index(disk, log.directory, base, entries)


def _known_states(disk: Disk, log: Log, names: list[str], end_offset: int) -> dict[int, str]:
    """The names of the producers' states up to an offset, by theirs. Others are removed: they would be taken for those
    of records that are appended later."""
    return remove_producer_states_outside(disk, log.directory, names, log.segment_bases[0], end_offset)


def _producers(
    disk: Disk, log: Log, known: dict[int, str], expiration_ms: int, now_ms: int
) -> tuple[ProducerStates, list[AbortedTransaction]]:
    """The producers, and the transactions whose abort was seen on the way. ``known`` has the names of the states in
    files, by offset."""
    completed: list[AbortedTransaction] = []
    # Also from records below the log's start, as far as they are still there: a producer whose records were deleted
    # may write again.
    states = ProducerStates(log.segment_bases[0])
    for offset in sorted(known, reverse=True):
        try:
            entries = decode_producer_snapshot(disk.read_file(f"{log.directory}/{known[offset]}"))
        except RemoteProtocolError:
            # It follows from an older one, or from the batches.
            continue
        states.load(entries, end_offset=offset, now_ms=now_ms, expiration_ms=expiration_ms)
        break
    for segment in log.segments:
        while (offset := max(states.map_end_offset, segment.base_offset)) < segment.next_offset:
            data = segment.read_records(offset, REPLAY_BYTES, _NO_LIMIT, whole_first=True)
            for view in iterate_stored_batches(data):
                header = view.header()
                # The first batch may begin before the offset, and its records are in the states already.
                if header.next_offset > offset:
                    marker = _marker(segment.path, view) if header.is_control else None
                    aborted = states.take(header, marker, now_ms)
                    if aborted is not None:
                        completed.append(aborted)
            if states.map_end_offset <= offset:
                # Nothing lies behind: compaction removed the last records.
                states.map_end_offset = segment.next_offset
    states.log_start_moved(log.log_start_offset)
    return states, completed


def _marker(path: str, view: RecordBatchView) -> EndTransactionMarker | None:
    """See `end_transaction_marker`. Raises CorruptFileError in its place."""
    try:
        return end_transaction_marker(view)
    except RemoteProtocolError as error:
        raise CorruptFileError(path, str(error)) from error
