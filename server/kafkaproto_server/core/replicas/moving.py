"""Decides the steps by which a replica moves to another log directory of its broker (KIP-113, KIP-858). No I/O.

A *future copy* is filled from the replica until it has all. Then it is made durable, and the broker asks the
controllers to record the new directory. Once they have, and the copy has what came since, it takes the replica's place:

    copy -> prepare and report -> wait for the controllers -> copy the rest -> switch

The copy follows the replica: if that is cut at its end, or its start moves, so is the copy. A copy that was cut is
prepared again. Until the switch the replica is where it was, so a move may be given up at any step; the caller then
takes its report back. Apache Kafka has this in ReplicaAlterLogDirsThread.
"""

from __future__ import annotations

import enum
from typing import NamedTuple


class Act(enum.Enum):
    """What is to be done next for a move."""

    CUT = "cut"
    """Remove the records of the copy from an offset on."""
    BEGIN = "begin"
    """Empty the copy, and fill it from the batch on that has the offset: the replica's log start."""
    MOVE_START = "move start"
    """Let the copy start at an offset."""
    COPY = "copy"
    """Copy records from an offset on, the copy's end."""
    PREPARE = "prepare"
    """Make the copy durable, and ask the controllers to record its directory."""
    WAIT = "wait"
    """For the metadata, or for a cut of the replica that is under way."""
    SWITCH = "switch"
    """The copy has all: it takes the replica's place, unless that has grown meanwhile."""


class Step(NamedTuple):
    """What is to be done next, and at which offset."""

    act: Act
    offset: int = 0


class Extent(NamedTuple):
    """The offsets of a log: the first one that it has, and the one that the next record gets."""

    start: int
    end: int


class Move:
    """One replica on its way to another directory."""

    def __init__(self) -> None:
        self.copy = Extent(0, 0)
        self.is_prepared = False
        """Whether all that the copy had once is durable, and the controllers were asked."""
        # The lowest end to which the replica was cut, if the copy does not follow it yet.
        self._cut_to: int | None = None

    def source_was_cut(self, end_offset: int) -> None:
        """The replica was cut at its end, to this offset."""
        self._cut_to = end_offset if self._cut_to is None else min(self._cut_to, end_offset)

    def next_step(self, source: Extent, *, is_being_cut: bool, is_recorded: bool) -> Step:
        """What is to be done next. ``source`` is what the replica has, ``is_recorded``: the metadata has the new
        directory."""
        cut_to, copy = self._cut_to, self.copy
        # First of all: what the replica has lost must not be found in the copy, even for a moment. A truncated record
        # that comes back is what KIP-101 is about.
        if cut_to is not None and cut_to < copy.end:
            return Step(Act.BEGIN, source.start) if cut_to <= copy.start else Step(Act.CUT, cut_to)
        self._cut_to = None
        # Retention was faster than the copy: nothing of it is in the replica any more.
        if copy.end < source.start:
            return Step(Act.BEGIN, source.start)
        if copy.start < source.start:
            return Step(Act.MOVE_START, source.start)
        # The replica still has the end that it is going to lose, and the copy must not get it.
        if is_being_cut:
            return Step(Act.WAIT)
        if copy.end < source.end:
            return Step(Act.COPY, copy.end)
        # Durable before the controllers hear of it: from then on they count on the new directory (KIP-858).
        if not self.is_prepared:
            return Step(Act.PREPARE)
        # Before the controller knows, it would take a failure of the old directory for a failure of this replica.
        return Step(Act.SWITCH if is_recorded else Act.WAIT)

    def begins(self, act: Act) -> None:
        """A step is being done. If the replica is cut while that lasts, the copy may have what it was cut off."""
        if act in (Act.CUT, Act.BEGIN):
            self._cut_to = None
            self.is_prepared = False


class Pace:
    """Bytes that may be moved in a time, for all moves of a broker together
    (``replica.alter.log.dirs.io.max.bytes.per.second``)."""

    def __init__(self) -> None:
        # Bytes that were moved and that the rate has not allowed yet, at a time.
        self._owed = 0.0
        self._at_ms = 0

    def moved(self, count: int) -> None:
        """So many bytes were moved."""
        assert count >= 0, "bytes are moved forward only"
        self._owed += count

    def wait_ms(self, bytes_per_second: int | None, now_ms: int) -> int:
        """How long nothing may be moved, by the monotonic clock; 0 if something may be. None is no limit."""
        elapsed_ms, self._at_ms = now_ms - self._at_ms, now_ms
        if bytes_per_second is None:
            self._owed = 0.0
            return 0
        self._owed = max(0.0, self._owed - elapsed_ms * bytes_per_second / 1000)
        if not bytes_per_second:
            return MAX_WAIT_MS
        return min(MAX_WAIT_MS, int(self._owed * 1000 / bytes_per_second))


MAX_WAIT_MS = 1000
"""After so long the rate is looked at again: it may have changed."""
