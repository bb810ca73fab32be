"""A purgatory: operations wait here until something happens or their deadline comes, as in Kafka's purgatories.

It is pure: the caller passes the time in.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

Operation = TypeVar("Operation")

SLACK = 64
"""The heap of deadlines is cleaned when it has more entries than twice the waiting operations and this many."""


class Purgatory(Generic[Operation]):
    """Operations in order of arrival, each with a deadline in milliseconds or without one.

    Each operation is taken exactly once. It costs memory until then and no longer: deadlines of operations that were
    taken early do not pile up (see ``SLACK``).
    """

    __slots__ = ("_by_deadline", "_next_number", "_waiting")

    def __init__(self) -> None:
        self._waiting: OrderedDict[int, Operation] = OrderedDict()
        # It may name operations that were taken already; `next_deadline_ms` drops these.
        self._by_deadline: list[tuple[int, int]] = []
        self._next_number = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[Operation]:
        return iter(self._waiting.values())

    def add(self, operation: Operation, deadline_ms: int | None) -> None:
        """Add an operation behind all others."""
        number = self._next_number
        self._next_number += 1
        self._waiting[number] = operation
        if deadline_ms is not None:
            heapq.heappush(self._by_deadline, (deadline_ms, number))
            if len(self._by_deadline) > 2 * len(self._waiting) + SLACK:
                self._by_deadline = [each for each in self._by_deadline if each[1] in self._waiting]
                heapq.heapify(self._by_deadline)

    def add_first(self, operation: Operation, deadline_ms: int | None) -> None:
        """Add an operation in front of all others."""
        self.add(operation, deadline_ms)
        self._waiting.move_to_end(self._next_number - 1, last=False)

    @property
    def first(self) -> Operation | None:
        """The operation in front of all others; None if none waits."""
        return next(iter(self._waiting.values()), None)

    def take_first(self) -> Operation:
        """Take the operation in front of all others; raises KeyError if none waits."""
        return self._waiting.popitem(last=False)[1]

    def take_while(self, is_over: Callable[[Operation], bool]) -> Iterator[Operation]:
        """Take operations in order while ``is_over`` is true of them."""
        while self._waiting and is_over(next(iter(self._waiting.values()))):
            yield self.take_first()

    def take_where(self, is_over: Callable[[Operation], bool]) -> list[Operation]:
        """Take all operations of which ``is_over`` is true, in order."""
        numbers = [number for number, operation in self._waiting.items() if is_over(operation)]
        return [self._waiting.pop(number) for number in numbers]

    def take_expired(self, now_ms: int) -> Iterator[Operation]:
        """Take the operations whose deadline has come, the earliest deadline first."""
        while (deadline_ms := self.next_deadline_ms()) is not None and deadline_ms <= now_ms:
            _, number = heapq.heappop(self._by_deadline)
            yield self._waiting.pop(number)

    def take_all(self) -> list[Operation]:
        """Take all operations, in order."""
        taken = list(self._waiting.values())
        self._waiting.clear()
        self._by_deadline.clear()
        return taken

    def next_deadline_ms(self) -> int | None:
        """The earliest deadline; None if no waiting operation has one."""
        while self._by_deadline and self._by_deadline[0][1] not in self._waiting:
            heapq.heappop(self._by_deadline)
        return self._by_deadline[0][0] if self._by_deadline else None
