"""What coordinators need from outside, for tests.

That is a clock that is advanced by hand, calls in the order of their time, and a log in memory that commits when it is
told to.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import LocalProtocolError
from kafkaproto.message import Message
from kafkaproto.records.coordinator import (
    GROUP_RECORDS,
    decode_coordinator_record,
    encode_coordinator_record,
)
from kafkaproto_server.core.coordinators.values import CoordinatorError, Record, told_code

NO_PRODUCER_ID = -1


class Logged(NamedTuple):
    """A record of the log, or a marker."""

    offset: int
    key: bytes
    """Empty for a marker."""
    value: bytes | None
    producer_id: int
    is_commit: bool | None
    """None for a record."""


class MemoryLog:
    """A partition with coordinators' records. It encodes and decodes what it is given, as a real one does."""

    def __init__(self, names: Mapping[int, str] = GROUP_RECORDS) -> None:
        """``names`` are the types of the topic's records."""
        self._names = names
        self.entries: list[Logged] = []
        self.batch_ends: list[int] = [0]
        """The offset behind each batch; the high watermark is one of them."""
        self.high_watermark = 0
        self.refusal: ErrorCode | None = None
        """With which code appends are refused."""
        self.commits_at_once = False
        """Whether all that is appended is committed at once."""
        self.fenced_epochs: dict[int, int] = {}
        """The least epoch of producers that may append."""
        self.max_batch_bytes = 1_048_588
        self._waits: list[tuple[int, Callable[[ErrorCode], None]]] = []

    @property
    def end_offset(self) -> int:
        """The offset of the next record."""
        return self.batch_ends[-1]

    # -- what coordinators call

    def append(self, records: Sequence[Record]) -> int:
        """As CoordinatorLog has it."""
        return self._append(records, NO_PRODUCER_ID)

    def append_in_transaction(
        self, records: Sequence[Record], *, producer_id: int, producer_epoch: int
    ) -> int:
        """As `append`, for a producer."""
        if producer_epoch < self.fenced_epochs.get(producer_id, 0):
            raise CoordinatorError(ErrorCode.INVALID_PRODUCER_EPOCH)
        return self._append(records, producer_id)

    def when_committed(self, end_offset: int, call: Callable[[ErrorCode], None]) -> None:
        """As CoordinatorLog has it."""
        if end_offset <= self.high_watermark:
            call(ErrorCode.NONE)
        else:
            self._waits.append((end_offset, call))

    def _append(self, records: Sequence[Record], producer_id: int) -> int:
        assert records, "a batch is not empty"
        if self.refusal is not None:
            raise CoordinatorError(told_code(self.refusal))
        try:
            encoded = [encode_coordinator_record(*record) for record in records]
        except LocalProtocolError as error:
            raise CoordinatorError(ErrorCode.UNKNOWN_SERVER_ERROR, str(error)) from error
        for offset, (record, (key, value)) in enumerate(zip(records, encoded, strict=True), self.end_offset):
            again = decode_coordinator_record(self._names, key, value)
            assert again.key == record.key
            assert again.value == record.value, "a version that has all fields"
            self.entries.append(Logged(offset, key, value, producer_id, None))
        self._appended(len(records))
        return self.end_offset

    def _appended(self, count: int) -> None:
        self.batch_ends.append(self.end_offset + count)
        if self.commits_at_once:
            self.commit()

    # -- what tests call

    def append_foreign(self, key: bytes, value: bytes | None, producer_id: int) -> None:
        """Another broker, or a client, has appended this."""
        self.entries.append(Logged(self.end_offset, key, value, producer_id, None))
        self._appended(1)

    def append_marker(self, producer_id: int, is_commit: bool) -> int:
        """Append the control batch that ends a producer's transaction. Returns its offset."""
        offset = self.end_offset
        self.entries.append(Logged(offset, b"", None, producer_id, is_commit))
        self._appended(1)
        return offset

    def commit(self, batches: int | None = None) -> None:
        """So many more batches are replicated; all of them by default."""
        ends = [end for end in self.batch_ends if end > self.high_watermark]
        ends = ends if batches is None else ends[:batches]
        if ends:
            self.high_watermark = ends[-1]
        due = [call for end, call in self._waits if end <= self.high_watermark]
        self._waits = [wait for wait in self._waits if wait[0] > self.high_watermark]
        for call in due:
            call(ErrorCode.NONE)

    def give_up(self, code: ErrorCode) -> None:
        """Whoever waits for commits learns that it takes too long."""
        waits, self._waits = self._waits, []
        for _, call in waits:
            call(told_code(code))

    def lose_uncommitted(self) -> None:
        """Another broker leads: what was not committed is cut off, and whoever waits is told."""
        self.entries = [entry for entry in self.entries if entry.offset < self.high_watermark]
        self.batch_ends = [end for end in self.batch_ends if end <= self.high_watermark]
        self.give_up(ErrorCode.NOT_LEADER_OR_FOLLOWER)

    def decoded(self, entry: Logged) -> tuple[Message, Message | None]:
        """Key and value of a record."""
        record = decode_coordinator_record(self._names, entry.key, entry.value)
        return record.key, record.value

    def records(self) -> list[tuple[Message, Message | None]]:
        """Key and value of all records."""
        return [self.decoded(entry) for entry in self.entries if entry.is_commit is None]

    def versions(self) -> list[int | None]:
        """The version of each record's value; None for a tombstone."""
        values = [entry.value for entry in self.entries if entry.is_commit is None]
        return [None if value is None else int.from_bytes(value[:2], "big") for value in values]


class World:
    """Time, chance and the log."""

    def __init__(self, names: Mapping[int, str] = GROUP_RECORDS) -> None:
        self.log = MemoryLog(names)
        self._now_ms = 1_000
        self._wall_ms = 1_700_000_000_000
        self._calls: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0

    def now_ms(self) -> int:
        """As Surroundings has it."""
        return self._now_ms

    def wall_ms(self) -> int:
        """As Surroundings has it."""
        return self._wall_ms

    def call_at(self, at_ms: int, call: Callable[[], None]) -> None:
        """As Surroundings has it."""
        self._count += 1
        heapq.heappush(self._calls, (at_ms, self._count, call))

    def compute(self, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        """As `Compute` has it: the result is there at the next `advance`."""
        result = work()
        self.call_at(self._now_ms, lambda: done(result))

    def new_id(self) -> str:
        """As Surroundings has it; the first is that of 1."""
        self._count += 1
        return f"00000000-0000-4000-8000-{self._count:012x}"

    def due(self) -> set[int]:
        """When anything is to be called."""
        return {at_ms for at_ms, _, _ in self._calls}

    def advance(self, by_ms: int) -> None:
        """Let time pass; what is due is called at its moment."""
        end_ms = self._now_ms + by_ms
        while self._calls and self._calls[0][0] <= end_ms:
            at_ms, _, call = heapq.heappop(self._calls)
            self._pass(max(at_ms, self._now_ms))
            call()
        self._pass(end_ms)

    def _pass(self, until_ms: int) -> None:
        self._wall_ms += until_ms - self._now_ms
        self._now_ms = until_ms
