"""What was written and what was read of it, in memory that does not grow: numbers, no lists of records.

No I/O. The values of a partition are numbered from 0 on, and each value follows from its partition and number. So one
number tells what comes next, and a record that is lost, doubled, out of order or damaged is noticed at once.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence

SIZES = (20, 200, 200, 2_000)
"""Of the padding of values, in bytes."""
MAX_AHEAD = 20_000
"""Numbers of a partition that may be known while an earlier one is missing."""


class SoakLossError(Exception):
    """Something acknowledged is lost, or something is there twice that must be there once."""


def make_value(partition: int, number: int) -> bytes:
    """The value with that number."""
    start = f"{partition} {number} ".encode()
    padding = hashlib.sha256(start).hexdigest().encode()
    size = SIZES[number % len(SIZES)]
    return start + (padding * (1 + size // len(padding)))[:size]


def read_number(partition: int, value: bytes) -> int:
    """The number of a value; raises SoakLossError if it is not as it was made."""
    words = value.split(b" ", 2)
    number = int(words[1]) if len(words) == 3 and words[1].isdigit() else -1
    if number < 0 or make_value(partition, number) != value:
        raise SoakLossError(f"a value of partition {partition} is damaged: {value[:60]!r}")
    return number


class InOrder:
    """A reader of some partitions, who sees each number after the one before."""

    def __init__(self, name: str, partitions: int, *, may_come_again: bool) -> None:
        """Nothing is read yet. `may_come_again`: whether numbers that were read may be read once more."""
        self.name = name
        self._may_come_again = may_come_again
        self._next = [0] * partitions
        self._lock = threading.Lock()
        self.again = 0
        """How often something came that was read before."""

    @property
    def ends(self) -> tuple[int, ...]:
        """The number that comes next, by partition."""
        return tuple(self._next)

    def take(self, partition: int, number: int) -> None:
        """A record was read. Raises SoakLossError if another one has to be before it, or if it was read before."""
        with self._lock:
            expected = self._next[partition]
            if number > expected:
                raise SoakLossError(
                    f"{self.name}: number {number} of partition {partition} follows {expected - 1}:"
                    f" {number - expected} records are lost"
                )
            if number < expected:
                self.again += 1
                if not self._may_come_again:
                    raise SoakLossError(f"{self.name}: number {number} of partition {partition} came twice")
                return
            self._next[partition] = number + 1


class Once:
    """Readers who share some partitions and take each number once, in any order."""

    def __init__(self, name: str, partitions: int) -> None:
        """Nothing is taken yet."""
        self.name = name
        self._below = [0] * partitions
        self._ahead: list[set[int]] = [set() for _ in range(partitions)]
        """Numbers that were taken though an earlier one was not."""
        self._unsure: list[set[int]] = [set() for _ in range(partitions)]
        self.count = 0

    @property
    def ends(self) -> tuple[int, ...]:
        """The first number that was not taken, by partition."""
        return tuple(self._below)

    def take(self, partition: int, number: int) -> None:
        """A record was taken, and the broker has said that it knows.

        Raises SoakLossError if it was taken before, or if an earlier one is missing for long.
        """
        ahead, unsure = self._ahead[partition], self._unsure[partition]
        if number in unsure:
            unsure.discard(number)
            return
        if number < self._below[partition] or number in ahead:
            raise SoakLossError(f"{self.name}: number {number} of partition {partition} was taken twice")
        self._take(partition, number)

    def take_unsure(self, partition: int, number: int) -> None:
        """A record was taken, but nobody knows whether the broker has heard of it: it may come once more."""
        if number < self._below[partition] or number in self._ahead[partition]:
            return
        self._unsure[partition].add(number)
        self._take(partition, number)

    def _take(self, partition: int, number: int) -> None:
        ahead = self._ahead[partition]
        self.count += 1
        ahead.add(number)
        while self._below[partition] in ahead:
            ahead.discard(self._below[partition])
            self._below[partition] += 1
        if len(ahead) > MAX_AHEAD:
            raise SoakLossError(
                f"{self.name}: number {self._below[partition]} of partition {partition} never came"
            )


class Written:
    """What producers were told: how many records of each partition are acknowledged, and the last value of each key."""

    def __init__(self, partitions: int) -> None:
        """Nothing is acknowledged yet."""
        self._acknowledged = [0] * partitions
        self.sent = [0] * partitions
        self.latest: dict[bytes, bytes] = {}
        """The value that was acknowledged last, by key, of the compacted topic."""

    @property
    def ends(self) -> tuple[int, ...]:
        """Acknowledged records by partition."""
        return tuple(self._acknowledged)

    def acknowledge(self, partition: int) -> None:
        """One more record of a partition. An idempotent producer is told in the order in which it sent."""
        self._acknowledged[partition] += 1


def check_ends(name: str, found: Sequence[int], expected: Sequence[int]) -> None:
    """Raises SoakLossError unless a reader has come to where the writer ended."""
    if tuple(found) != tuple(expected):
        raise SoakLossError(f"{name}: has come to {list(found)}, and {list(expected)} were acknowledged")
