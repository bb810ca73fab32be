"""One share partition: a partition as one share group reads it (KIP-932). The partition's leader keeps it.

The *start offset* is that of the first record that is not done with, the *end offset* that of the last one that was
fetched. What lies between is in flight (`core.share_partitions.in_flight`). Records are fetched from the next fetch
offset: the first record that is available again, or else the one behind the end.

Members acquire records (`core.share_partitions.acquiring`) and acknowledge them
(`core.share_partitions.acknowledging`). What an acknowledgement changes is persisted before it is answered:
`StateChange` says what, `state` what the persister writes, and `acknowledging.complete` ends it. When the first records
in flight are done with, the start offset moves.

The persister does not know what was acquired and neither acknowledged nor released before the leader moved. So there
may be *gaps* between the batches that it returns, and the records in them are fetched again: `_gap` says from where
on, until the end offset moves.

Records that are rejected, or were delivered as often as they may be, are written to the group's dead-letter topic if
it has one (KIP-1191). They are ARCHIVING as soon as that is persisted, and ARCHIVED once they are written, or cannot
be (`archive_letters`). A leader that loads the state of such records writes them again (`letters_left`).

If the log start moves past records in flight, available ones are archived. Acquired ones stay with their members, who
cannot acknowledge them any more, until the locks expire.

Apache Kafka: ``SharePartition``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.share_partitions.dead_letters import DeadLetter
from kafkaproto_server.core.share_partitions.in_flight import (
    InFlight,
    InFlightBatch,
    RecordState,
    Run,
)
from kafkaproto_server.core.share_partitions.locks import AcquisitionLocks
from kafkaproto_server.core.share_partitions.settings import ShareSettings
from kafkaproto_server.requests.share_requests import ShareError
from kafkaproto_server.requests.share_state import (
    MAX_DELIVERY_COMPLETE_COUNT,
    ShareState,
    StateBatch,
    problem_of_batches,
)


class SharePartition:
    """The state of one partition for one share group."""

    __slots__ = (
        "_gap",
        "delivery_complete_count",
        "end_offset",
        "in_flight",
        "locks",
        "looks_for_available",
        "settings",
        "start_offset",
        "state_epoch",
    )

    def __init__(self, state: ShareState, start_offset: int, settings: ShareSettings) -> None:
        """Take what the persister returned. ``start_offset`` is the state's, or what the group's settings say if the
        state has none.

        Raises ShareError if no leader can have written the state, or its batches are not in order, or before the start
        offset.
        """
        self.settings = settings
        """The group's settings as they are now; whoever changes them sets this."""
        self.state_epoch = state.state_epoch
        self.start_offset = start_offset
        self.end_offset = start_offset
        self.in_flight = InFlight()
        self.delivery_complete_count = 0
        """How many records in flight are in a terminal state."""
        self.looks_for_available = False
        """Whether records in flight may be available again."""
        # First offset that may be missing, and the end offset while that counts.
        self._gap: tuple[int, int] | None = None
        self.locks = AcquisitionLocks()
        if (problem := problem_of_batches(state)) is not None:
            raise _unusable(problem)
        self._load(state.batches)

    def _load(self, batches: Sequence[StateBatch]) -> None:
        gap_start: int | None = None
        behind = self.start_offset
        for each in batches:
            # Such a state would count records twice. Kafka does not load it, either.
            if each.first_offset < behind:
                raise _unusable(
                    "The state batches overlap, are not in order, or lie before the start offset."
                )
            if gap_start is None and each.first_offset > behind:
                gap_start = behind
            behind = each.last_offset + 1
            run = Run(
                each.first_offset, each.last_offset, RecordState(each.delivery_state), each.delivery_count
            )
            self.in_flight.add(InFlightBatch(run))
            if run.state.is_terminal:
                self.delivery_complete_count += run.size
        if batches:
            # The state does not say whether any of it is available; the first look does.
            self.looks_for_available = True
            self.end_offset = behind - 1
            if gap_start is not None:
                self._gap = (gap_start, self.end_offset)
            self.move_start()

    # -- what is fetched next ----------------------------------------------------------------------------------

    @property
    def gap_start(self) -> int | None:
        """The first offset that may be missing in flight, as long as the end offset is the one of the start."""
        # Once the end has moved, all offsets of the start have been read: what is missing among them is not in the log.
        if self._gap is None or self._gap[1] != self.end_offset:
            return None
        # The log may have lost the first records of the gap.
        return max(self._gap[0], self.start_offset)

    def fill_gap_to(self, offset: int) -> None:
        """Records before an offset were acquired: no gap lies before it."""
        if self._gap is not None:
            end = self._gap[1]
            self._gap = (offset, end) if offset <= end else None

    @property
    def is_empty(self) -> bool:
        """Whether nothing at or behind the start offset is in flight."""
        return not len(self.in_flight) or self.start_offset > self.in_flight.last.last

    def next_fetch_offset(self) -> int:
        """The offset from which records are fetched next."""
        if self.is_empty:
            self.looks_for_available = False
            return self.end_offset
        if self.looks_for_available:
            found = self._first_available()
            if found is not None:
                return found
            self.looks_for_available = False
        return self.end_offset + 1

    def _first_available(self) -> int | None:
        gap = self.gap_start
        for batch in self.in_flight:
            if gap is not None:
                if batch.first > gap:
                    return gap
                gap = max(batch.last + 1, gap)
            for run in batch.runs:
                if run.can_be_acquired:
                    return run.first
        return None

    @property
    def in_flight_count(self) -> int:
        """How many records are in flight; offsets without a record count."""
        # By offsets and not by records, as in Kafka: what compaction has removed takes room, too.
        return self.end_offset - self.start_offset + 1 if len(self.in_flight) else 0

    def can_acquire(self) -> bool:
        """Whether records may be fetched: available ones in flight, or new ones as long as not too many are in
        flight."""
        # Records that are in flight already need no more room, however many there are.
        if self.next_fetch_offset() != self.end_offset + 1:
            return True
        return self.in_flight_count < self.settings.partition_max_record_locks

    # -- locks -------------------------------------------------------------------------------------------------

    def lock(self, first: int, last: int, now_ms: int) -> int:
        """Records are acquired, or their lock is renewed. Returns when the lock expires."""
        # By the settings of this moment: a change holds from the next delivery on.
        until_ms = now_ms + self.settings.record_lock_duration_ms
        self.locks.add(until_ms, first, last)
        return until_ms

    def starts_within(self, batch: InFlightBatch) -> bool:
        """Whether the start offset has moved into a batch."""
        return batch.first < self.start_offset <= batch.last

    def track_at_start(self, batch: InFlightBatch) -> bool:
        """Treat a batch by offset if the start offset is within it. Returns whether it is."""
        is_within = self.starts_within(batch)
        if is_within:
            batch.is_tracked = True
        return is_within

    def parts_at_start(self, batch: InFlightBatch, run: Run) -> list[Run]:
        """A run, cut at the start offset if that lies within it."""
        # Records before the start are lost to the log, and get another state than those behind it.
        if run.first < self.start_offset <= run.last:
            first, last = run.first, run.last
            batch.split(self.start_offset)
            return batch.runs_over(first, last)
        return [run]

    # -- dead letters ------------------------------------------------------------------------------------------

    @property
    def spent_state(self) -> RecordState:
        """What becomes of records that are rejected, or were delivered as often as they may be."""
        return RecordState.ARCHIVING if self.settings.dead_letter_topic else RecordState.ARCHIVED

    def letters_left(self) -> list[DeadLetter]:
        """What a former leader has not written to the dead-letter topic, or has not persisted that it did."""
        limit = self.settings.delivery_count_limit
        return [
            # The state does not say why. Below the limit, only a member can have rejected them.
            DeadLetter(run.first, run.last, run.delivery_count, run.delivery_count < limit)
            for batch in self.in_flight
            for run in batch.runs
            if run.state is RecordState.ARCHIVING
        ]

    def archive_letters(self, letters: Iterable[DeadLetter]) -> tuple[StateBatch, ...]:
        """Dead letters were written, or could not be.

        Returns what is to be persisted. It holds at once, whether it can be persisted or not; `move_start` is called
        once it was tried.
        """
        archived: list[StateBatch] = []
        for letter in letters:
            for batch in self.in_flight.over(letter.first, letter.last):
                if not batch.is_tracked and not batch.is_within(letter.first, letter.last):
                    batch.is_tracked = True
                for run in batch.runs_between(letter.first, letter.last):
                    # Retention may have archived it in the meantime.
                    if run.state is RecordState.ARCHIVING:
                        run.archive()
                        self.delivery_complete_count += self.count_in_flight(run.first, run.last)
                        archived.append(run.state_batch())
        return tuple(archived)

    # -- changes -----------------------------------------------------------------------------------------------

    def state(self, batches: tuple[StateBatch, ...]) -> ShareState:
        """What the persister writes with changed batches."""
        # There may be more offsets than a count can say: the ranges of a state may come from anybody.
        count = min(self.delivery_complete_count, MAX_DELIVERY_COMPLETE_COUNT)
        return ShareState(self.state_epoch, self.start_offset, count, batches)

    def count_in_flight(self, first: int, last: int) -> int:
        """How many offsets of a range are not before the start offset."""
        return max(0, last - max(self.start_offset, first) + 1)

    def move_start(self) -> bool:
        """Move the start offset past records that are done with. Returns whether it has moved."""
        if not self._can_move_start():
            return False
        done_to, count = self._done_to()
        if done_to is None:
            return False
        in_flight = self.in_flight
        # All that is in flight may lie before the start offset, which the log has moved.
        behind = max(self.start_offset, done_to + 1)
        # Nothing is in flight any more. The end moves along, so that the next fetch begins there.
        if done_to == in_flight.last.last:
            self.start_offset = self.end_offset = behind
            in_flight.clear()
            self.delivery_complete_count = 0
            return True
        batch = in_flight.floor(done_to)
        assert batch is not None
        # Up to the next batch, as there are no records between two batches, unless a gap of the start lies there.
        if done_to == batch.last:
            following = in_flight.after(batch)
            assert following is not None
            gap = self.gap_start
            target = following.first if gap is None else min(gap, following.first)
            self.start_offset = max(self.start_offset, target)
            in_flight.drop_before(following)
        else:
            self.start_offset = behind
            # The batch itself stays: its first records are done with, and lie before the start.
            in_flight.drop_before(batch)
        self.delivery_complete_count -= count
        return True

    def _can_move_start(self) -> bool:
        # The first record decides: most changes are of later ones, and then nothing else is looked at.
        batch = self.in_flight.floor(self.start_offset)
        if batch is None:
            # Nothing is in flight, or a gap comes first, which members may still acquire.
            return False
        run = batch.run_at(min(self.start_offset, batch.last))
        # A change that waits for the persister may be taken back, while a start offset never moves back.
        return run.change is None and run.state.is_terminal

    def _done_to(self) -> tuple[int | None, int]:
        """The last offset up to which all in flight is done with, and how many of these records are not before the
        start offset."""
        done_to: int | None = None
        count = 0
        gap = self.gap_start
        for batch in self.in_flight:
            # Records in the gap were never delivered, so the start must not pass them.
            if gap is not None and batch.last >= gap:
                break
            for run in batch.runs:
                if run.change is not None or not run.state.is_terminal:
                    return done_to, count
                done_to = run.last
                count += self.count_in_flight(run.first, run.last)
        return done_to, count

    # -- the log -----------------------------------------------------------------------------------------------

    def log_start_moved(self, offset: int) -> None:
        """Records before an offset are gone from the log. What that changes is persisted with the next change."""
        if offset <= self.start_offset:
            return
        removed = sum(
            min(offset - 1, run.last) - max(self.start_offset, run.first) + 1
            for batch in self.in_flight.over(self.start_offset, offset - 1)
            for run in batch.runs_over(self.start_offset, offset - 1)
            if run.state.is_terminal
        )
        # Only what is available: what a member has stays with it until its lock expires.
        self.archive(
            self.start_offset, offset - 1, list(self.in_flight), RecordState.AVAILABLE, are_counted=False
        )
        self.start_offset = offset
        self.delivery_complete_count -= removed
        self.end_offset = max(self.end_offset, offset)

    def archive(
        self, first: int, last: int, batches: list[InFlightBatch], state: RecordState, *, are_counted: bool
    ) -> None:
        """Archive the records of some batches that are in a state and between two offsets."""
        for batch in batches:
            if batch.first > last:
                break
            if not batch.is_tracked and not batch.is_within(first, last):
                if batch.whole.state is not state:
                    continue
                batch.is_tracked = True
            for run in batch.runs_between(first, last) if batch.is_tracked else batch.runs:
                if run.state is state:
                    run.archive()
                    if are_counted:
                        self.delivery_complete_count += run.size


def _unusable(problem: str) -> ShareError:
    return ShareError(
        ErrorCode.UNKNOWN_SERVER_ERROR, f"The share partition could not be initialized. {problem}"
    )
