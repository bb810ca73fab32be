"""The offsets of all groups as the log has them: committed ones, and those that are pending in transactions.

Two rules:

- An offset that is committed in a transaction is pending until the transaction's marker is in the log. If the
  transaction is committed, the newer of the pending and the committed offset counts, by the offsets of their records
  in the log. A tombstone removes both.
- The table of offsets is ahead of the high watermark; `committed_before` is what the log has committed instead.

Apache Kafka has this in Offsets of OffsetMetadataManager.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    LegacyOffsetCommitKey,
    LegacyOffsetCommitValue,
    OffsetCommitKey,
    OffsetCommitValue,
)
from kafkaproto_server.core.coordinators.groups.offsets.pending import PendingOffsets
from kafkaproto_server.core.coordinators.groups.offsets.table import (
    OffsetAndMetadata,
    OffsetTable,
    UncommittedChanges,
)
from kafkaproto_server.core.coordinators.values import CoordinatorLog, Record, Surroundings

NO_PRODUCER_ID = -1
ENDED_AT_ONCE = 5_000
"""How many offsets of transactions that have ended are looked at in one turn: 15 ms."""
FREED_AT_ONCE = 50_000
"""How many offsets are freed in one turn: ten milliseconds."""


class OffsetsLog(CoordinatorLog, Protocol):
    """The partition in which the offsets are kept."""

    @property
    def end_offset(self) -> int:
        """Behind the last record."""

    @property
    def high_watermark(self) -> int:
        """All records before it are committed."""

    @property
    def max_batch_bytes(self) -> int:
        """The largest batch."""

    def append_in_transaction(
        self, records: Sequence[Record], *, producer_id: int, producer_epoch: int
    ) -> int:
        """Append records as part of a producer's transaction, else as `append` does.

        Raises CoordinatorError, also if the producer is fenced; then nothing was written.
        """


class LoggedOffsets:
    """The offsets in one partition of the internal topic."""

    def __init__(self, log: OffsetsLog, surroundings: Surroundings) -> None:
        self.log = log
        self.table = OffsetTable()
        self.pending = PendingOffsets()
        self.open = self.pending.partitions
        self.is_over = False
        """Whether another broker has these groups now."""
        self._surroundings = surroundings
        self._uncommitted = UncommittedChanges()
        # Fetches that have to see transactions which had ended before them: how many had, and what to call then.
        self._waiting: deque[tuple[int, Callable[[], None]]] = deque()
        # Behind the last record that was replayed.
        self._end_offset = 0

    # -- what there is -------------------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """Number of offsets of all groups."""
        return self.table.size

    def count(self, group_id: str) -> int:
        """Number of offsets of a group, without pending ones."""
        return self.table.count(group_id)

    def has_pending(self, group_id: str) -> bool:
        """Whether an open transaction has an offset of a group."""
        return self.open.has_group(group_id)

    def has_any(self, group_id: str) -> bool:
        """Whether there is an offset of a group, or a pending one."""
        return self.count(group_id) > 0 or self.has_pending(group_id)

    def has(self, group_id: str, topic: str, partition: int) -> bool:
        """Whether there is an offset, or a pending one."""
        if self.open.has(group_id, topic, partition):
            return True
        return self.table.get(group_id, topic, partition) is not None

    def groups(self) -> list[str]:
        """All groups that have an offset, or a pending one."""
        return list(dict.fromkeys([*self.table.groups(), *self.open.groups()]))

    def committed_before(self, group_id: str) -> Mapping[tuple[str, int], OffsetAndMetadata | None]:
        """What is committed for the partitions of a group of which the table says something else."""
        self._uncommitted.commit(self.log.high_watermark)
        return self._uncommitted.before(group_id)

    def when_ended(self, call: Callable[[], None]) -> None:
        """Call ``call`` once all transactions that have ended by now are worked off, or another broker has these
        groups."""
        self._waiting.append((self.pending.ended, call))

    # -- the log -------------------------------------------------------------------------------------------------

    def replay(
        self,
        key: OffsetCommitKey | LegacyOffsetCommitKey,
        value: OffsetCommitValue | LegacyOffsetCommitValue | None,
        offset: int,
        producer_id: int = NO_PRODUCER_ID,
    ) -> None:
        """Take over a record that is at an offset of the log. ``producer_id`` is that of a transactional batch."""
        where = key.group, key.topic, key.partition
        self._end_offset = offset + 1
        if value is None:
            before = self.table.remove(*where)
            self.pending.remove(*where)
        else:
            entry = _entry(value, offset)
            if producer_id != NO_PRODUCER_ID:
                self.pending.put(*where, entry, producer_id)
                return
            before = self.table.put(*where, entry)
        if offset >= self.log.high_watermark:
            self._uncommitted.add(offset, *where, before)

    def marker(self, producer_id: int, is_commit: bool, offset: int) -> None:
        """A marker at an offset of the log ends a producer's transaction: commit its pending offsets, or drop them. If
        they are many, this goes on after it returns."""
        self._end_offset = offset + 1
        is_under_way = self.pending.has_ended
        self.pending.end(producer_id, is_commit=is_commit, offset=offset)
        if not is_under_way:
            self._end_some()

    def _end_some(self) -> None:
        self._end(ENDED_AT_ONCE)
        while self._waiting and self._waiting[0][0] <= self.pending.worked_off:
            # Not now: very many may wait, and the node ends a turn between two calls.
            self._surroundings.call_at(self._surroundings.now_ms(), self._waiting.popleft()[1])
        if self.pending.has_ended:
            self._surroundings.call_at(self._surroundings.now_ms() + 1, self._end_some)

    def _end(self, most: int) -> None:
        """Take over the pending offsets of transactions that have ended, or drop them; at most so many."""
        for ended, group_id, topic, partition, entry in self.pending.take(most):
            if not ended.is_commit:
                continue
            known = self.table.get(group_id, topic, partition)
            # A plain commit between the pending one and the marker is the newer one.
            if known is None or known.record_offset < entry.record_offset:
                self.table.put(group_id, topic, partition, entry)
                if ended.offset >= self.log.high_watermark:
                    self._uncommitted.add(ended.offset, group_id, topic, partition, known)

    def append_in_transaction(
        self, records: Sequence[Record], *, producer_id: int, producer_epoch: int
    ) -> None:
        """Append records as part of a producer's transaction, and replay them. Raises CoordinatorError."""
        end_offset = self.log.append_in_transaction(
            records, producer_id=producer_id, producer_epoch=producer_epoch
        )
        self._replay_all(records, end_offset, producer_id)

    def append(self, records: Sequence[Record], others: Sequence[Record] = ()) -> None:
        """Append records in one batch, with others that are not of offsets behind them, and replay them. Raises
        CoordinatorError."""
        if records or others:
            end_offset = self.log.append([*records, *others])
            self._replay_all(records, end_offset - len(others))
            self._end_offset = end_offset

    def _replay_all(
        self, records: Sequence[Record], end_offset: int, producer_id: int = NO_PRODUCER_ID
    ) -> None:
        """Replay own records, which end at an offset."""
        self._uncommitted.commit(self.log.high_watermark)
        for offset, record in enumerate(records, end_offset - len(records)):
            assert isinstance(record.key, OffsetCommitKey), "own records have these keys"
            assert record.value is None or isinstance(record.value, OffsetCommitValue), "and these values"
            self.replay(record.key, record.value, offset, producer_id)

    def when_settled(self, call: Callable[[ErrorCode], None]) -> None:
        """Call ``call`` with NONE when all records up to now are committed."""
        if self._end_offset <= self.log.high_watermark:
            call(ErrorCode.NONE)
        else:
            self.log.when_committed(self._end_offset, call)

    def unload(self) -> None:
        """Another broker has these groups now: free the offsets, some at a time."""
        tables = [self.table, *self.pending.let_go()]
        self.table = OffsetTable()
        self.is_over = True
        while self._waiting:
            self._waiting.popleft()[1]()

        def free_some() -> None:
            most = FREED_AT_ONCE
            while tables and (most := tables[-1].let_go(most)) > 0:
                tables.pop()
                # An empty one takes its time, too.
                most -= 1
            if tables:
                self._surroundings.call_at(self._surroundings.now_ms() + 1, free_some)

        free_some()


def _entry(value: OffsetCommitValue | LegacyOffsetCommitValue, offset: int) -> OffsetAndMetadata:
    if isinstance(value, LegacyOffsetCommitValue):
        return OffsetAndMetadata(
            offset=value.offset,
            metadata=value.metadata,
            commit_timestamp_ms=value.commit_timestamp,
            record_offset=offset,
        )
    return OffsetAndMetadata(
        offset=value.offset,
        leader_epoch=value.leader_epoch,
        metadata=value.metadata,
        commit_timestamp_ms=value.commit_timestamp,
        expire_timestamp_ms=value.expire_timestamp,
        topic_id=value.topic_id,
        record_offset=offset,
    )
