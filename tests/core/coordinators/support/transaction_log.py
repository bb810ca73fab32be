"""A clock that is advanced by hand, and a log in memory, for the tests of coordinators."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence

from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import LocalProtocolError
from kafkaproto.records.coordinator import (
    CoordinatorRecord,
    decode_coordinator_record,
    encode_coordinator_record,
)
from kafkaproto_server.core.coordinators.values import CoordinatorError, Record, told_code

WALL_OFFSET_MS = 1_700_000_000_000


class World:
    """Time and chance, as `Surroundings` has them."""

    def __init__(self) -> None:
        self._now_ms = 0
        self._calls: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0

    def now_ms(self) -> int:
        return self._now_ms

    def wall_ms(self) -> int:
        return WALL_OFFSET_MS + self._now_ms

    def call_at(self, at_ms: int, call: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._calls, (at_ms, self._count, call))

    def due(self) -> set[int]:
        """When anything is to be called."""
        return {at_ms for at_ms, _, _ in self._calls}

    def new_id(self) -> str:
        self._count += 1
        return f"id-{self._count}"

    def advance(self, duration_ms: int) -> None:
        """Let time pass, and call what is due, each at its time."""
        end_ms = self._now_ms + duration_ms
        while self._calls and self._calls[0][0] <= end_ms:
            at_ms, _, call = heapq.heappop(self._calls)
            self._now_ms = max(self._now_ms, at_ms)
            call()
        self._now_ms = end_ms


class MemoryLog:
    """A partition that keeps records as they would be read: each is encoded and decoded."""

    def __init__(self, names: Mapping[int, str], *, commits_at_once: bool = True) -> None:
        self._names = names
        self.commits_at_once = commits_at_once
        self.refusal: ErrorCode | None = None
        """Why nothing can be appended."""
        self.records: list[CoordinatorRecord] = []
        self.versions: list[int] = []
        """Of the values; -1 without one."""
        self.committed = 0
        """The offset before which all is committed."""
        self.waiting: list[tuple[int, Callable[[ErrorCode], None]]] = []

    def append(self, records: Sequence[Record]) -> int:
        if self.refusal is not None:
            raise CoordinatorError(told_code(self.refusal))
        assert records, "a batch has records"
        try:
            encoded = [encode_coordinator_record(each.key, each.value, each.version) for each in records]
        except LocalProtocolError as error:
            raise CoordinatorError(ErrorCode.UNKNOWN_SERVER_ERROR, str(error)) from error
        self.records += [decode_coordinator_record(self._names, key, value) for key, value in encoded]
        self.versions += [-1 if each.value is None else each.version for each in records]
        if self.commits_at_once:
            self.committed = len(self.records)
        return len(self.records)

    def when_committed(self, end_offset: int, call: Callable[[ErrorCode], None]) -> None:
        if end_offset <= self.committed:
            call(ErrorCode.NONE)
        else:
            self.waiting.append((end_offset, call))

    def commit(self, end_offset: int | None = None) -> None:
        """All before an offset is committed, or all that there is."""
        self.committed = max(self.committed, len(self.records) if end_offset is None else end_offset)
        due = [each for each in self.waiting if each[0] <= self.committed]
        self.waiting = [each for each in self.waiting if each[0] > self.committed]
        for _, call in due:
            call(ErrorCode.NONE)

    def give_up(self, code: ErrorCode) -> None:
        """Nobody waits for the replicas any longer."""
        waiting, self.waiting = self.waiting, []
        for _, call in waiting:
            call(told_code(code))

    def truncate(self) -> None:
        """Another broker leads, which does not have what is not committed."""
        del self.records[self.committed :]
        del self.versions[self.committed :]
        self.give_up(ErrorCode.NOT_LEADER_OR_FOLLOWER)
