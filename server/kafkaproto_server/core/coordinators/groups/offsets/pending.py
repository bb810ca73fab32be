"""The offsets that are committed in transactions, until these have ended and each offset was looked at.

A transaction may have a hundred thousand offsets: to take them over when its marker comes takes 0.2 s. So an ended
transaction is worked off some offsets at a time, and until then an offset is as pending as before. The order does not
matter: of two offsets for a partition the one counts whose record is later in the log.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from kafkaproto_server.core.coordinators.groups.offsets.table import (
    OffsetAndMetadata,
    OffsetTable,
    OpenTransactions,
)


class Ended(NamedTuple):
    """A transaction whose marker is in the log."""

    producer_id: int
    is_commit: bool
    offset: int
    """Of its marker."""
    table: OffsetTable
    """The offsets that were not looked at yet."""


class PendingOffsets:
    def __init__(self) -> None:
        self._open: dict[int, OffsetTable] = {}
        self._ended: deque[Ended] = deque()
        # The tables of those, by producer and in their order.
        self._ended_of: dict[int, deque[OffsetTable]] = {}
        self.partitions = OpenTransactions()
        """The partitions that have pending offsets."""
        self.ended = 0
        """How many transactions with offsets have ended in all."""
        self.worked_off = 0
        """How many of those have no offset left that was not looked at."""

    @property
    def has_ended(self) -> bool:
        """Whether some are of transactions that have ended."""
        return bool(self._ended)

    def put(
        self, group_id: str, topic: str, partition: int, entry: OffsetAndMetadata, producer_id: int
    ) -> None:
        """A producer commits an offset in its open transaction."""
        self._open.setdefault(producer_id, OffsetTable()).put(group_id, topic, partition, entry)
        self.partitions.add(group_id, topic, partition, producer_id)

    def of_partition(self, group_id: str, topic: str, partition: int) -> Iterator[OffsetAndMetadata]:
        """The pending offsets for a partition."""
        for producer_id in self.partitions.producers(group_id, topic, partition):
            for table in self._tables(producer_id):
                entry = table.get(group_id, topic, partition)
                if entry is not None:
                    yield entry

    def remove(self, group_id: str, topic: str, partition: int) -> None:
        """Those for a partition are deleted."""
        for producer_id in self.partitions.clear(group_id, topic, partition):
            for table in self._tables(producer_id):
                table.remove(group_id, topic, partition)
            if producer_id in self._open and not self._open[producer_id].size:
                del self._open[producer_id]

    def end(self, producer_id: int, *, is_commit: bool, offset: int) -> None:
        """The marker of a producer's transaction is at an offset of the log."""
        table = self._open.pop(producer_id, None)
        if table is not None:
            self._ended.append(Ended(producer_id, is_commit, offset, table))
            self._ended_of.setdefault(producer_id, deque()).append(table)
            self.ended += 1

    def take(self, most: int) -> Iterator[tuple[Ended, str, str, int, OffsetAndMetadata]]:
        """Remove offsets of transactions that have ended, at most so many, each with its transaction."""
        while self._ended and most > 0:
            ended = self._ended[0]
            for group_id, topic, partition, entry in list(islice(ended.table, most)):
                most -= 1
                ended.table.remove(group_id, topic, partition)
                # The producer may have committed another one in its next transaction.
                tables = self._tables(ended.producer_id)
                if all(each.get(group_id, topic, partition) is None for each in tables):
                    self.partitions.remove(group_id, topic, partition, ended.producer_id)
                yield ended, group_id, topic, partition, entry
            if not ended.table.size:
                self._forget_first()

    def _forget_first(self) -> None:
        """The first of the transactions that have ended is worked off."""
        producer_id = self._ended.popleft().producer_id
        tables = self._ended_of[producer_id]
        tables.popleft()
        if not tables:
            del self._ended_of[producer_id]
        self.worked_off += 1

    def let_go(self) -> list[OffsetTable]:
        """Forget all. Returns what there was, to be freed."""
        tables = [*self._open.values(), *(each.table for each in self._ended)]
        self._open, self._ended, self._ended_of = {}, deque(), {}
        return tables

    def _tables(self, producer_id: int) -> Iterator[OffsetTable]:
        table = self._open.get(producer_id)
        if table is not None:
            yield table
        yield from self._ended_of.get(producer_id, ())
