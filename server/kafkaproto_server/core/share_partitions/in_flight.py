"""The records of a share partition that are in flight: what state they have, and who holds them.

Kafka keeps a state for a whole batch, and one for each offset as soon as members treat the offsets of the batch
differently. Here a batch has *runs*: consecutive offsets that have the same state. A batch that is not tracked by
offset has one run. So memory follows what members do, and not how many records a batch has: a small compressed batch
may have millions.

A record is AVAILABLE, or ACQUIRED by a member until its lock expires. ACKNOWLEDGED and ARCHIVED are terminal. A
record is ARCHIVING while it is written to the group's dead-letter topic (KIP-1191): nobody gets it any more, but it
stays in flight, so that not too many records can wait for that. A
change that waits for the persister (`StateChange`) shows its new state already. `Run.complete` confirms it or takes it
back.

Apache Kafka: ``InFlightBatch``, ``InFlightState``, ``RecordState``.
"""

from __future__ import annotations

import enum
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from operator import attrgetter
from typing import Final, NamedTuple

from kafkaproto_server.core.share_partitions.dead_letters import DeadLetter
from kafkaproto_server.requests import share_state
from kafkaproto_server.requests.share_state import MAX_DELIVERY_COUNT, StateBatch

NO_MEMBER: Final = ""
"""Of records that no member has acquired."""


class RecordState(enum.IntEnum):
    """The state of a record. The numbers are those of Kafka's records of share groups."""

    AVAILABLE = share_state.AVAILABLE
    ACQUIRED = 1
    ACKNOWLEDGED = share_state.ACKNOWLEDGED
    ARCHIVING = share_state.ARCHIVING
    ARCHIVED = share_state.ARCHIVED

    @property
    def is_terminal(self) -> bool:
        """Whether nothing becomes of the record any more."""
        return self in (RecordState.ACKNOWLEDGED, RecordState.ARCHIVED)


class Before(NamedTuple):
    """What a run was before a change that waits for the persister."""

    state: RecordState
    member_id: str


class StateChange:
    """Changes of records that are persisted together. They hold once `acknowledging.complete` says so."""

    __slots__ = ("batches", "letters")

    def __init__(self) -> None:
        self.batches: list[StateBatch] = []
        """What is persisted, in the order of the changes."""
        self.letters: list[DeadLetter] = []
        """What is to be written to the dead-letter topic once it is persisted. If it is taken back: what was delivered
        as often as it may be, and has lost its lock meanwhile."""


class Run:
    """Consecutive records of one batch that have the same state."""

    __slots__ = (
        "before",
        "change",
        "delivery_count",
        "first",
        "is_final",
        "last",
        "lock_until_ms",
        "member_id",
        "state",
    )

    def __init__(
        self,
        first: int,
        last: int,
        state: RecordState,
        delivery_count: int,
        member_id: str = NO_MEMBER,
        lock_until_ms: int | None = None,
    ) -> None:
        self.first = first
        self.last = last
        self.state = state
        self.delivery_count = delivery_count
        """How often the records were delivered, this time included."""
        self.member_id = member_id
        self.lock_until_ms = lock_until_ms
        """When the member's lock expires. A change keeps it until it holds: it may be taken back."""
        self.change: StateChange | None = None
        """The change that waits for the persister."""
        self.before: Before | None = None
        self.is_final = False
        """Whether it was archived in the middle of a change, which is not taken back then."""

    @property
    def size(self) -> int:
        """The number of its offsets."""
        return self.last - self.first + 1

    @property
    def can_be_acquired(self) -> bool:
        """Whether a member may acquire it now."""
        return self.state is RecordState.AVAILABLE and self.change is None

    def state_batch(self) -> StateBatch:
        """As the persister takes it."""
        return StateBatch(self.first, self.last, int(self.state), self.delivery_count)

    def acquire(self, member_id: str, lock_until_ms: int) -> None:
        """Deliver it to a member."""
        assert self.can_be_acquired
        self.state = RecordState.ACQUIRED
        # The persister has an int16 for it.
        self.delivery_count = min(self.delivery_count + 1, MAX_DELIVERY_COUNT)
        self.member_id = member_id
        self.lock_until_ms = lock_until_ms

    def leave(self, state: RecordState, delivery_limit: int, spent: RecordState) -> None:
        """The member does not have it any more. What was delivered as often as it may be becomes ``spent`` instead of
        available."""
        assert self.state is RecordState.ACQUIRED
        assert self.change is None
        # At the limit as it is now: it may have been lowered since the records were delivered.
        if state is RecordState.AVAILABLE and self.delivery_count >= delivery_limit:
            state = spent
        self.state = state
        self.member_id = NO_MEMBER

    def begin(self, change: StateChange, state: RecordState, delivery_limit: int, spent: RecordState) -> None:
        """As `leave`, once the persister has it."""
        # Noted first: the member gets the records back if the persister refuses.
        before = Before(self.state, self.member_id)
        self.leave(state, delivery_limit, spent)
        self.change, self.before = change, before
        change.batches.append(self.state_batch())

    def complete(self, *, is_kept: bool, delivery_limit: int, spent: RecordState, now_ms: int) -> None:
        """The change holds (``is_kept``), or is taken back. A lock that expired meanwhile is gone then; ``spent`` is as
        in `leave`."""
        before = self.before
        assert before is not None
        self.change = self.before = None
        # Archived in the middle of the change: retention has taken the records, so there is nothing to give back.
        if is_kept or self.is_final:
            self.lock_until_ms = None
        # The timer has passed over it, as it showed its new state then. Nobody else would take it from its member.
        elif self.lock_until_ms is not None and self.lock_until_ms <= now_ms:
            is_spent = self.delivery_count >= delivery_limit
            self.state = spent if is_spent else RecordState.AVAILABLE
            self.lock_until_ms = None
        else:
            self.state, self.member_id = before

    def archive(self) -> None:
        """It is not delivered any more, whatever becomes of a change that waits for the persister."""
        self.is_final = True
        self.state = RecordState.ARCHIVED
        self.member_id = NO_MEMBER
        self.lock_until_ms = None

    def cut(self, at: int) -> Run:
        """Give up the records from an offset on: they are the run that is returned."""
        assert self.first < at <= self.last
        rest = Run(at, self.last, self.state, self.delivery_count, self.member_id, self.lock_until_ms)
        # Both parts belong to the change, and are confirmed or taken back with it.
        rest.change, rest.before, rest.is_final = self.change, self.before, self.is_final
        self.last = at - 1
        return rest


_FIRST = attrgetter("first")
_LAST = attrgetter("last")


class InFlightBatch:
    """Consecutive records that were acquired, or persisted, together."""

    __slots__ = ("first", "is_tracked", "last", "runs")

    def __init__(self, run: Run) -> None:
        self.first = run.first
        self.last = run.last
        self.runs = [run]
        """Ascending, without gaps."""
        self.is_tracked = False
        """Whether its offsets are treated one by one. Once they are, they stay so, as in Kafka."""

    @property
    def size(self) -> int:
        """The number of its offsets."""
        return self.last - self.first + 1

    @property
    def whole(self) -> Run:
        """Its only run, as long as it is not tracked."""
        assert not self.is_tracked
        return self.runs[0]

    def is_within(self, first: int, last: int) -> bool:
        """Whether all of it is between two offsets."""
        return first <= self.first and self.last <= last

    def runs_between(self, first: int, last: int) -> list[Run]:
        """The runs of offsets from ``first`` to ``last``. Those at the edges are cut, so that no offset outside is in
        one of them."""
        runs = self.runs
        # Nothing to cut and nothing to search: most acknowledgements are of whole batches.
        if len(runs) == 1 and first <= self.first and self.last <= last:
            return runs
        # The edges first, as the search below goes by where runs begin and end.
        self._cut_at(first)
        self._cut_at(last + 1)
        return runs[bisect_left(runs, first, key=_FIRST) : bisect_right(runs, last, key=_LAST)]

    def runs_over(self, first: int, last: int) -> list[Run]:
        """The runs that have offsets from ``first`` to ``last``; nothing is cut."""
        runs = self.runs
        if first <= self.first and self.last <= last:
            return runs
        return runs[bisect_left(runs, first, key=_LAST) : bisect_right(runs, last, key=_FIRST)]

    def split(self, at: int) -> None:
        """Cut the run of an offset in two, so that one begins there."""
        assert self.is_tracked
        self._cut_at(at)

    def run_at(self, offset: int) -> Run:
        """The run of one of its offsets."""
        assert self.first <= offset <= self.last
        return self.runs[bisect_left(self.runs, offset, key=_LAST)]

    def _cut_at(self, offset: int) -> None:
        if offset <= self.last:
            position = bisect_left(self.runs, offset, key=_LAST)
            if self.runs[position].first < offset:
                assert self.is_tracked, "a batch that is not tracked has one run"
                self.runs.insert(position + 1, self.runs[position].cut(offset))


class InFlight:
    """The batches of a share partition, ascending. They do not overlap, and there may be gaps between them."""

    __slots__ = ("_batches", "_firsts")

    def __init__(self) -> None:
        self._batches: list[InFlightBatch] = []
        # Of each batch. Looking for an integer is much faster than for a batch by its first offset.
        self._firsts: list[int] = []

    def __len__(self) -> int:
        return len(self._batches)

    def __iter__(self) -> Iterator[InFlightBatch]:
        return iter(self._batches)

    @property
    def first(self) -> InFlightBatch:
        """The first batch; there has to be one."""
        return self._batches[0]

    @property
    def last(self) -> InFlightBatch:
        """The last batch; there has to be one."""
        return self._batches[-1]

    def add(self, batch: InFlightBatch) -> None:
        position = bisect_left(self._firsts, batch.first)
        if position < len(self._firsts) and self._firsts[position] == batch.first:
            # A log of which records were lost may have another batch at the same offset.
            self._batches[position] = batch
        else:
            self._firsts.insert(position, batch.first)
            self._batches.insert(position, batch)
        assert len(self._firsts) == len(self._batches), "each batch has its first offset beside it"

    def floor(self, offset: int) -> InFlightBatch | None:
        """The last batch that begins at or before an offset; None if there is none."""
        position = bisect_right(self._firsts, offset)
        return self._batches[position - 1] if position else None

    def begin_between(self, first: int, last: int) -> list[InFlightBatch]:
        """The batches that begin from ``first`` to ``last``."""
        return self._batches[bisect_left(self._firsts, first) : bisect_right(self._firsts, last)]

    def over(self, first: int, last: int) -> list[InFlightBatch]:
        """The batches that have offsets from ``first`` to ``last``."""
        begin = bisect_right(self._firsts, first)
        # The batch that begins before may reach into the range.
        if begin and self._batches[begin - 1].last >= first:
            begin -= 1
        return self._batches[begin : bisect_right(self._firsts, last)]

    def after(self, batch: InFlightBatch) -> InFlightBatch | None:
        """The batch behind one of them; None if it is the last."""
        position = bisect_right(self._firsts, batch.first)
        return self._batches[position] if position < len(self._batches) else None

    def drop_before(self, batch: InFlightBatch) -> None:
        """Forget what lies before one of them."""
        position = bisect_left(self._firsts, batch.first)
        del self._batches[:position]
        del self._firsts[:position]
        assert len(self._firsts) == len(self._batches), "each batch has its first offset beside it"

    def clear(self) -> None:
        self._batches.clear()
        self._firsts.clear()
