"""What a share group (KIP-932) promises of its records, and whether it was kept.

A record belongs to whoever acquired it last. Only that member may acknowledge it, and once it is accepted or rejected,
nobody acquires it again. All that is known is what members heard: an acquisition or an acknowledgement took place at
some moment between request and response.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import trio

from tests.sim.checkers.invariants import ViolationError
from tests.sim.nodes.data.link import Place
from tests.sim.nodes.invariants import NodeInvariant

ACCEPT, RELEASE, REJECT = 1, 2, 3
"""Types of acknowledgements."""
FINAL = frozenset({ACCEPT, REJECT})
"""Those after which a record is nobody's any more."""


@dataclass(slots=True)
class Acquisition:
    """A member has got a record."""

    member: str
    sent: float
    answered: float


@dataclass(slots=True)
class _Record:
    """All that is known of one record."""

    acquisitions: list[Acquisition] = field(default_factory=list)
    final: float | None = None
    """When the response came that it is accepted or rejected."""
    may_be_final: bool = False
    """Whether that was asked for, and nobody knows how it ended."""
    done: set[int] = field(default_factory=set)
    """The types of acknowledgements for good that have succeeded."""
    possible: set[int] = field(default_factory=set)
    """Those that may have succeeded as well."""
    count: int = 0
    """The highest delivery count that members were told."""


class SharePromises:
    """Of one share group."""

    def __init__(
        self, group_id: str, limit: int, is_excused: Callable[[], bool], counts: Counter[str]
    ) -> None:
        """``limit`` is how often a record is delivered at most. ``is_excused`` says whether something was lost in a way
        that Kafka allows."""
        self.group_id = group_id
        self.counts = counts
        self.lost_fetches = 0
        """How many fetches there were of which nobody knows what they have acquired."""
        self._limit = limit
        self._is_excused = is_excused
        self._records: dict[tuple[Place, int], _Record] = {}

    def violated(self, what: str, invariant: NodeInvariant = NodeInvariant.SHARED_ONCE) -> None:
        """Raise ViolationError, unless it is excused."""
        if not self._is_excused():
            raise ViolationError(invariant, f"share group {self.group_id}: {what}")

    def unexpected(self, who: str, what: str) -> None:
        """A member was told what none expects."""
        self.violated(f"{who}: {what}", NodeInvariant.EXPECTED_ERRORS)

    def acquired(self, place: Place, offset: int, count: int, member: str, sent: float) -> Acquisition:
        """A fetch that was sent at a time has got a record, now."""
        self.counts["records acquired"] += 1
        record = self._records.setdefault((place, offset), _Record())
        if record.final is not None and record.final < sent:
            self.violated(
                f"{member} gets {place} {offset}, which was acknowledged for good at {record.final:.3f}"
            )
        if not 1 <= count <= self._limit:
            self.violated(f"{member} gets {place} {offset} for the {count}th time")
        record.count = max(record.count, count)
        acquisition = Acquisition(member, sent, trio.current_time())
        record.acquisitions.append(acquisition)
        return acquisition

    def acknowledged(
        self, place: Place, offset: int, acquisition: Acquisition, kind: int, sent: float
    ) -> None:
        """An acknowledgement that was sent at a time has succeeded, now."""
        self.counts["records acknowledged"] += 1
        record = self._records[place, offset]
        # Where all is done with, leaders say yes to everything, as Apache Kafka's do. A record is done with, too, if it
        # was delivered as often as it may be and came back.
        is_spent = record.count + self.lost_fetches >= self._limit
        is_done_with = record.final is not None or record.may_be_final or is_spent
        for other in () if is_done_with else record.acquisitions:
            is_later = other.sent > acquisition.answered and other.answered < sent
            if is_later and other.member != acquisition.member:
                what = (
                    f"{acquisition.member} acknowledges {place} {offset}, which {other.member} had acquired"
                )
                self.violated(what)
        if kind in FINAL:
            now = trio.current_time()
            record.final = now if record.final is None else min(record.final, now)
            record.done.add(kind)

    def may_be_acknowledged(self, place: Place, offset: int, kind: int) -> None:
        """Nobody knows whether an acknowledgement has succeeded."""
        if kind in FINAL:
            self._records[place, offset].may_be_final = True
            self._records[place, offset].possible.add(kind)

    def may_be(self, key: tuple[Place, int], kind: int) -> bool:
        """Whether a record may have been acknowledged in a way."""
        record = self._records.get(key)
        return record is not None and kind in record.done | record.possible

    def dead(self) -> list[tuple[Place, int]]:
        """The records that were rejected, or delivered as often as they may be and not acknowledged for good. A member
        that had a record of the second kind may still acknowledge it."""
        return [
            key
            for key, record in self._records.items()
            if (record.done == {REJECT} and not record.possible - {REJECT})
            or (record.count == self._limit and not record.done | record.possible)
        ]

    def unresolved(self, place: Place, end: int) -> list[int]:
        """The offsets of a partition, of those before one, of which it is not known that they are done with."""
        return [offset for offset in range(end) if not self._is_resolved((place, offset))]

    def _is_resolved(self, key: tuple[Place, int]) -> bool:
        record = self._records.get(key)
        if record is None:
            return False
        is_given_up = record.count == self._limit or self.lost_fetches > 0
        return record.final is not None or record.may_be_final or is_given_up
