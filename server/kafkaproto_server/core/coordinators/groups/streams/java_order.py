"""The order in which Java's collections give their elements, as far as it decides which member gets a task.

Apache Kafka's assignor takes the least loaded process. If several are equally loaded, the order of a HashMap and of a
PriorityQueue decides. A group that moves between its brokers and ours must not move tasks because of that, so this
module has the same orders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

_MASK = (1 << 32) - 1
DEFAULT_CAPACITY = 16
MAX_CAPACITY = 1 << 30

ItemT = TypeVar("ItemT")


def string_hash(text: str) -> int:
    """The hash code of a Java string, as an unsigned number."""
    value = 0
    units = text.encode("utf-16-le", "surrogatepass")
    for low, high in zip(units[::2], units[1::2], strict=True):
        value = (31 * value + (high << 8 | low)) & _MASK
    return value


def hash_map_order(
    keys: Iterable[str], initial_capacity: int = DEFAULT_CAPACITY, *, by_computing: bool = False
) -> list[str]:
    """Keys in the order of a HashMap into which they were put in this order; a key may come again.

    Its table has a power of two as size and doubles when it is more than three quarters full. ``put`` looks at that
    after it has added a key, and puts it behind those with the same place in the table. ``computeIfAbsent``
    (``by_computing``) looks at it before, and puts the key in front of them.
    """
    capacity = 1
    while capacity < min(initial_capacity, MAX_CAPACITY):
        capacity *= 2
    found: dict[str, None] = {}
    for key in keys:
        is_full = by_computing and len(found) > 3 * capacity // 4
        found[key] = None
        if is_full or (not by_computing and len(found) > 3 * capacity // 4):
            capacity = min(2 * capacity, MAX_CAPACITY)

    def place(key: str) -> int:
        value = string_hash(key)
        return (value ^ value >> 16) & (capacity - 1)

    return sorted(reversed(found) if by_computing else found, key=place)


class PriorityQueue(Generic[ItemT]):
    """A binary heap that moves its items as Java's does: `heapq` breaks ties in another way."""

    def __init__(self, rank: Callable[[ItemT], float], items: Iterable[ItemT] = ()) -> None:
        """``rank`` of an item must not change while the item is in the queue."""
        self._rank = rank
        self._heap: list[ItemT] = []
        for item in items:
            self.add(item)

    def __bool__(self) -> bool:
        return bool(self._heap)

    def add(self, item: ItemT) -> None:
        heap, rank = self._heap, self._rank(item)
        heap.append(item)
        at = len(heap) - 1
        while at > 0:
            parent = (at - 1) // 2
            if rank >= self._rank(heap[parent]):
                break
            heap[at] = heap[parent]
            at = parent
        heap[at] = item

    def poll(self) -> ItemT:
        """Take out an item of the least rank. The queue must not be empty."""
        heap = self._heap
        first, last = heap[0], heap.pop()
        if heap:
            self._sift_down(last)
        return first

    def _sift_down(self, item: ItemT) -> None:
        """Put an item in place of the first one."""
        heap, rank = self._heap, self._rank(item)
        at, size = 0, len(heap)
        while (child := 2 * at + 1) < size:
            right = child + 1
            if right < size and self._rank(heap[child]) > self._rank(heap[right]):
                child = right
            if rank <= self._rank(heap[child]):
                break
            heap[at] = heap[child]
            at = child
        heap[at] = item
