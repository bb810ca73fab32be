"""A member acknowledges records, renews its locks, or gives all up because its session ends.

An acknowledgement has ranges of offsets. Each range has one type, or a type for each offset. The first thing that is
wrong refuses the whole acknowledgement of the partition, and what was changed before is taken back; locks that were
renewed stay so.

What a member says holds once it is persisted; if that fails, it is taken back (`complete`).

Apache Kafka: ``SharePartition.acknowledge``, ``releaseAcquiredRecords`` and ``rollbackOrProcessStateUpdates``.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.share_partitions.dead_letters import DeadLetter
from kafkaproto_server.core.share_partitions.in_flight import (
    NO_MEMBER,
    InFlightBatch,
    RecordState,
    Run,
    StateChange,
)
from kafkaproto_server.core.share_partitions.partition import SharePartition
from kafkaproto_server.requests.share_requests import ShareError

PIECE_WEIGHT: Final = 2_000
"""How many acknowledge types `in_pieces` puts together at most."""


class AcknowledgeType(enum.IntEnum):
    """What a member says of records."""

    GAP = 0
    """There is no record."""
    ACCEPT = 1
    RELEASE = 2
    """They may be delivered again."""
    REJECT = 3
    """They are not to be delivered again."""
    RENEW = 4
    """They are still being processed: the lock begins anew (KIP-1222)."""


_STATES = {
    AcknowledgeType.GAP: RecordState.ARCHIVED,
    AcknowledgeType.ACCEPT: RecordState.ACKNOWLEDGED,
    AcknowledgeType.RELEASE: RecordState.AVAILABLE,
}
"""Of rejected records it is `SharePartition.spent_state`."""


class Acknowledgement(NamedTuple):
    """What a member says of the records from one offset to another."""

    first: int
    last: int
    types: Sequence[int]
    """One for all, or one for each offset."""

    def parts(self) -> Iterator[tuple[int, int, AcknowledgeType]]:
        """Ranges of offsets with one type each."""
        if len(self.types) == 1:
            yield self.first, self.last, AcknowledgeType(self.types[0])
            return
        first = self.first
        for kind, same in groupby(self.types):
            last = first + sum(1 for _ in same) - 1
            yield first, last, AcknowledgeType(kind)
            first = last + 1


def acknowledge(
    partition: SharePartition,
    member_id: str,
    acknowledgements: Iterable[Acknowledgement],
    change: StateChange,
    now_ms: int,
) -> None:
    """Add to a change, which is to be persisted unless it is empty. The caller has checked that ranges ascend and do
    not overlap, and that the types are known.

    Raises ShareError after it has taken the change back: INVALID_REQUEST if records are meant that were not fetched
    yet, INVALID_RECORD_STATE if the member does not have the records (any more).
    """
    try:
        for each in acknowledgements:
            # What lies before the start is done with. Its member may not have heard of that, and is not refused for it.
            if each.last >= partition.start_offset:
                _acknowledge_range(partition, member_id, each, change, now_ms)
    except ShareError:
        complete(partition, change, is_kept=False, now_ms=now_ms)
        raise
    finally:
        # Also after an error: locks that were renewed before it are new entries.
        partition.locks.clean(partition.in_flight)


def in_pieces(acknowledgements: Iterable[Acknowledgement]) -> Iterator[list[Acknowledgement]]:
    """The same in pieces, each of which takes little time; there is at least one."""
    piece: list[Acknowledgement] = []
    weight = 0
    for each in acknowledgements:
        for first in range(0, len(each.types), PIECE_WEIGHT):
            types = each.types[first : first + PIECE_WEIGHT]
            if len(types) == len(each.types):
                part = each
            else:
                part = Acknowledgement(each.first + first, each.first + first + len(types) - 1, types)
            if weight + len(types) > PIECE_WEIGHT:
                yield piece
                piece, weight = [], 0
            piece.append(part)
            weight += len(types)
    yield piece


def count_types(counts: list[int], acknowledgements: Iterable[Acknowledgement], start_offset: int) -> None:
    """Add the number of records of each type to ``counts``, which has a place for each. What lies before the start
    offset is accepted whatever it is, and does not count."""
    for each in acknowledgements:
        first = max(each.first, start_offset)
        if first > each.last:
            continue
        if len(each.types) == 1:
            counts[each.types[0]] += each.last - first + 1
        else:
            for kind, number in Counter(each.types[first - each.first :]).items():
                counts[kind] += number


def release(partition: SharePartition, member_id: str) -> StateChange:
    """Begin a change by which a member gives up all that it has. It is to be persisted unless it is empty."""
    change = StateChange()
    for batch in partition.in_flight:
        # A batch that is not tracked belongs to one member, so most batches of others cost one comparison.
        if not batch.is_tracked and batch.whole.member_id != member_id:
            continue
        partition.track_at_start(batch)
        for run in list(batch.runs):
            if run.member_id != member_id:
                continue
            for part in partition.parts_at_start(batch, run):
                _begin(partition, change, part, RecordState.AVAILABLE, is_rejected=False)
    return change


def complete(partition: SharePartition, change: StateChange, *, is_kept: bool, now_ms: int) -> bool:
    """A change was persisted, or is taken back. Returns whether the start offset has moved.

    The letters of the change are what is to be written now, in both cases.
    """
    # The letters of a change that is taken back are not written. Those whose lock has expired meanwhile are added
    # below.
    if not is_kept:
        change.letters.clear()
    for batch in _changed_batches(partition, change):
        partition.track_at_start(batch)
        for run in tuple(batch.runs):
            # A batch may have runs of other changes, and of none.
            if run.change is change:
                for part in partition.parts_at_start(batch, run):
                    _complete_run(partition, change, part, is_kept=is_kept, now_ms=now_ms)
    return is_kept and partition.move_start()


def _changed_batches(partition: SharePartition, change: StateChange) -> list[InFlightBatch]:
    if not change.batches:
        return []
    first = min(each.first_offset for each in change.batches)
    return partition.in_flight.over(first, max(each.last_offset for each in change.batches))


def _complete_run(
    partition: SharePartition, change: StateChange, run: Run, *, is_kept: bool, now_ms: int
) -> None:
    # A change is counted as soon as it begins, and uncounted if it is taken back.
    was_terminal = run.state.is_terminal
    is_before = run.last < partition.start_offset
    run.complete(
        is_kept=is_kept,
        delivery_limit=partition.settings.delivery_count_limit,
        spent=RecordState.ARCHIVED if is_before else partition.spent_state,
        now_ms=now_ms,
    )
    if run.state is RecordState.AVAILABLE:
        if is_before:
            # The log has lost it.
            run.archive()
        else:
            partition.looks_for_available = True
    elif run.state is RecordState.ARCHIVING and not is_kept:
        change.letters.append(DeadLetter(run.first, run.last, run.delivery_count, is_rejected=False))
    if was_terminal != run.state.is_terminal:
        count = partition.count_in_flight(run.first, run.last)
        partition.delivery_complete_count += -count if was_terminal else count


def _begin(
    partition: SharePartition, change: StateChange, run: Run, state: RecordState, *, is_rejected: bool
) -> None:
    # Whatever the member says: the log has lost it.
    if run.last < partition.start_offset:
        state = RecordState.ARCHIVED
    run.begin(change, state, partition.settings.delivery_count_limit, partition.spent_state)
    if run.state is RecordState.ARCHIVING:
        change.letters.append(DeadLetter(run.first, run.last, run.delivery_count, is_rejected))
    if run.state.is_terminal:
        partition.delivery_complete_count += partition.count_in_flight(run.first, run.last)


def _acknowledge_range(
    partition: SharePartition, member_id: str, said: Acknowledgement, change: StateChange, now_ms: int
) -> None:
    for batch in _batches_of(partition, said):
        if batch.last < partition.start_offset:
            continue
        if not batch.is_tracked:
            _check_whole(batch.whole, member_id)
        starts_within = batch.first < partition.start_offset
        # As long as a batch is acknowledged as a whole, it keeps one state, however many records it has.
        is_whole = batch.is_within(said.first, said.last) and len(said.types) == 1 and not starts_within
        if is_whole and not batch.is_tracked:
            _apply(partition, change, batch.whole, AcknowledgeType(said.types[0]), now_ms)
            continue
        batch.is_tracked = True
        _acknowledge_part(partition, member_id, batch, said, change, now_ms)


def _batches_of(partition: SharePartition, said: Acknowledgement) -> list[InFlightBatch]:
    in_flight = partition.in_flight
    floor = in_flight.floor(said.first)
    # The first records that it names are done with, and forgotten with their batch.
    if floor is None and said.first < partition.start_offset <= said.last:
        floor = in_flight.floor(partition.start_offset)
    if floor is None:
        raise _not_acquired(f"No record from {said.first} to {said.last} is in flight.")
    batches = in_flight.begin_between(floor.first, said.last)
    # Kafka tells records that were never fetched from those that somebody else has: here the client is wrong, there it
    # was too slow.
    if batches[-1].last < said.first:
        raise ShareError(
            ErrorCode.INVALID_REQUEST,
            f"The records from {said.first} to {said.last} were not fetched yet.",
        )
    if batches[-1].last < said.last:
        raise ShareError(
            ErrorCode.INVALID_REQUEST,
            f"The last of the records from {said.first} to {said.last} were not fetched yet.",
        )
    return batches


def _check_whole(run: Run, member_id: str) -> None:
    if run.member_id == NO_MEMBER:
        raise _not_acquired(_nobody_has(run))
    if run.member_id != member_id:
        raise _not_acquired(_another_has(run))


def _acknowledge_part(
    partition: SharePartition,
    member_id: str,
    batch: InFlightBatch,
    said: Acknowledgement,
    change: StateChange,
    now_ms: int,
) -> None:
    lowest = max(batch.first, partition.start_offset)
    for first, last, kind in said.parts():
        if last < lowest:
            continue
        if first > batch.last:
            break
        for run in batch.runs_between(max(first, lowest), last):
            # What another change is about looks as if it were done.
            if run.state is not RecordState.ACQUIRED:
                raise _not_acquired(_nobody_has(run))
            if run.member_id != member_id:
                raise _not_acquired(_another_has(run))
            _apply(partition, change, run, kind, now_ms)


def _apply(
    partition: SharePartition, change: StateChange, run: Run, kind: AcknowledgeType, now_ms: int
) -> None:
    if kind is AcknowledgeType.RENEW:
        if not partition.settings.may_renew:
            raise _not_acquired("The group does not allow its members to renew locks.")
        # The entry of the former lock stays; it finds when it is due that this one is later.
        run.lock_until_ms = partition.lock(run.first, run.last, now_ms)
    else:
        is_rejected = kind is AcknowledgeType.REJECT
        state = partition.spent_state if is_rejected else _STATES[kind]
        _begin(partition, change, run, state, is_rejected=is_rejected)


def _nobody_has(run: Run) -> str:
    return f"The records from {run.first} to {run.last} are acquired by no member."


def _another_has(run: Run) -> str:
    return f"The records from {run.first} to {run.last} are acquired by another member."


def _not_acquired(message: str) -> ShareError:
    return ShareError(ErrorCode.INVALID_RECORD_STATE, message)
