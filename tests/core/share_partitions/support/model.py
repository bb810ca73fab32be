"""A slow and obvious share partition: one entry a record, and every question answered by going over all of them.

It has the rules of Kafka's per-record states only: what may follow what, how often a record is delivered, when a lock
expires, and where the start offset is. Which records a member gets together is left to the product; what it gets has
to be possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Record:
    """One offset that was acquired at least once."""

    state: str = "available"
    count: int = 0
    member: str = ""
    lock_until_ms: int = 0
    pending: object | None = None
    before: tuple[str, str] = ("", "")


@dataclass
class Model:
    """A share partition."""

    limit: int
    lock_ms: int
    spent: str = "archived"
    """What becomes of records that are rejected, or delivered as often as they may be."""
    start: int = 0
    end: int = -1
    """The last offset that was acquired."""
    records: dict[int, Record] = field(default_factory=dict)

    def acquired(self, ranges: Sequence[tuple[int, int, int]], member: str, now_ms: int) -> None:
        """A member was given these."""
        for first, last, count in ranges:
            for offset in range(first, last + 1):
                record = self.records.setdefault(offset, Record())
                assert offset >= self.start, f"{offset} is before the start {self.start}"
                assert record.state == "available", f"{offset} is {record.state}"
                assert record.pending is None, f"{offset} waits for the persister"
                record.count += 1
                assert record.count == count, f"{offset} was delivered {record.count} times, not {count}"
                assert record.count <= self.limit, f"{offset} was delivered too often"
                record.state, record.member = "acquired", member
                record.lock_until_ms = now_ms + self.lock_ms
                self.end = max(self.end, offset)

    def skipped(self, offset: int) -> None:
        """An offset was taken together with others, and is available."""
        self.records.setdefault(offset, Record())
        self.end = max(self.end, offset)

    def may_acknowledge(self, offset: int, member: str) -> bool:
        """Whether a member may acknowledge a record."""
        record = self.records.get(offset)
        return record is not None and record.state == "acquired" and record.member == member

    def acknowledge(self, offset: int, kind: int, token: object, now_ms: int) -> None:
        """A member acknowledges a record."""
        record = self.records[offset]
        if kind == 4:
            record.lock_until_ms = now_ms + self.lock_ms
            return
        self._begin(record, {0: "archived", 1: "acknowledged", 2: "available", 3: self.spent}[kind], token)

    def release(self, member: str, token: object) -> None:
        """A member gives all up."""
        for offset, record in self.records.items():
            if record.state == "acquired" and record.member == member:
                self._begin(record, "available" if offset >= self.start else "archived", token)

    def _begin(self, record: Record, state: str, token: object) -> None:
        if state == "available" and record.count >= self.limit:
            state = self.spent
        record.before = (record.state, record.member)
        record.state, record.member, record.pending = state, "", token

    def complete(self, token: object, *, is_kept: bool, now_ms: int) -> None:
        """The persister has responded."""
        for offset, record in self.records.items():
            if record.pending is not token:
                continue
            record.pending = None
            if not is_kept and record.lock_until_ms <= now_ms:
                spent = "archived" if offset < self.start else self.spent
                record.state = spent if record.count >= self.limit else "available"
            elif not is_kept:
                record.state, record.member = record.before
            if record.state == "available" and offset < self.start:
                record.state = "archived"
        if is_kept:
            self.move_start()

    def expire(self, now_ms: int) -> None:
        """Time has passed."""
        for offset, record in self.records.items():
            if record.state == "acquired" and record.lock_until_ms <= now_ms:
                spent = self.spent if record.count >= self.limit else "available"
                record.state, record.member = ("archived" if offset < self.start else spent), ""

    def written(self, first: int, last: int) -> None:
        """Records are in the dead-letter topic."""
        for offset in range(first, last + 1):
            record = self.records.get(offset)
            if record is not None and record.state == "archiving":
                record.state = "archived"
        self.move_start()

    def move_start(self) -> None:
        """What is done with at the start is not in flight any more. The log may have lost records that a member still
        has: these are waited for, as in Kafka."""
        lost = [offset for offset in self.records if offset < self.start]
        if any(not self._is_done(offset) for offset in lost) or not self._is_done(self.start):
            return
        for each in lost:
            del self.records[each]
        while self._is_done(self.start):
            del self.records[self.start]
            self.start += 1

    def _is_done(self, offset: int) -> bool:
        record = self.records.get(offset)
        return record is not None and record.state in ("acknowledged", "archived") and record.pending is None

    def log_start_moved(self, offset: int) -> None:
        """Records are gone from the log."""
        for each in range(self.start, min(offset, self.end + 1)):
            record = self.records[each]
            if record.state == "available":
                record.state, record.pending = "archived", None
        self.start = max(self.start, offset)

    def terminal_count(self) -> int:
        """How many records in flight are done with."""
        return sum(
            1
            for offset, record in self.records.items()
            if offset >= self.start and record.state in ("acknowledged", "archived")
        )

    def first_available(self) -> int | None:
        """The first record that may be acquired again."""
        found = [
            offset
            for offset, record in self.records.items()
            if offset >= self.start and record.state == "available" and record.pending is None
        ]
        return min(found, default=None)
