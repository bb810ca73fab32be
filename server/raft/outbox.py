"""Collects what handlers ask for until the driver takes it, and keeps count of what is not durable yet."""

from __future__ import annotations

from collections import deque

from server.raft.effects import (
    Effects,
    LeaderChanged,
    PendingBatch,
    TellAfterPersist,
    TellNow,
    WriteElectionState,
)
from server.types import LeaderAndEpoch


class Outbox:
    """Effects in the making, and those taken but not durable yet; their numbers count up from 1."""

    def __init__(self, durable_end_offset: int) -> None:
        self.durable_end_offset = durable_end_offset
        """Log end offset up to which the disk is known to hold everything."""
        self._next_number = 1
        self._persisted_number = 0
        self._unpersisted: deque[tuple[int, int]] = deque()
        """(number of the effects, log end offset they bring) of appends that are not known to be durable."""
        self._told_leader: LeaderAndEpoch | None = None
        self._tell_now: list[TellNow] = []
        self._append: list[PendingBatch] = []
        self._election_state: WriteElectionState | None = None
        self._tell_after_persist: list[TellAfterPersist] = []

    def tell_now(self, notice: TellNow) -> None:
        """Queue a notice that depends on nothing that is still to be written."""
        self._tell_now.append(notice)

    def tell_after_persist(self, notice: TellAfterPersist) -> None:
        """Queue a notice that must not be seen before everything queued so far is durable."""
        self._tell_after_persist.append(notice)

    def append(self, batch: PendingBatch) -> None:
        """Queue a batch for the end of the log."""
        self._append.append(batch)

    def write_election_state(self, write: WriteElectionState) -> int:
        """Queue new content for quorum-state, replacing any queued before; returns the number to wait for."""
        self._election_state = write
        return self._next_number

    def take(self, leader: LeaderAndEpoch) -> Effects | None:
        """All that is queued, or None where that is nothing; ``leader`` is told if it is news."""
        after: list[TellAfterPersist] = []
        if leader != self._told_leader:
            self._told_leader = leader
            after.append(LeaderChanged(leader=leader))
        after.extend(self._tell_after_persist)
        effects = Effects(
            number=self._next_number,
            tell_now=tuple(self._tell_now),
            append=tuple(self._append),
            election_state=self._election_state,
            tell_after_persist=tuple(after),
        )
        if not (effects.must_persist or effects.tell_now or effects.tell_after_persist):
            return None
        if effects.append:
            self._unpersisted.append((effects.number, effects.append[-1].next_offset))
        self._next_number += 1
        self._tell_now = []
        self._append = []
        self._election_state = None
        self._tell_after_persist = []
        return effects

    def is_persisted(self, number: int) -> bool:
        """Whether the effects with this number are durable."""
        return number <= self._persisted_number

    def mark_persisted(self, number: int) -> None:
        """Note that all effects up to this number are durable."""
        assert number < self._next_number, f"effects {number} were persisted before they were taken"
        assert number > self._persisted_number, f"effects {number} were persisted twice"
        self._persisted_number = number
        while self._unpersisted and self._unpersisted[0][0] <= number:
            self.durable_end_offset = self._unpersisted.popleft()[1]
