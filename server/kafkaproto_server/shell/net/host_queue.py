"""A queue in which hosts take turns: the items of each host keep their order, and each turn takes one item.

So if a host sends very many items, an item of another host waits for one of them at a time.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class HostQueue(Generic[T]):
    """Items by host. All operations take the same time, however many items there are."""

    def __init__(self) -> None:
        # Ordered dicts: a plain dict takes ever longer to find its first key if that is removed again and again.
        self._hosts: OrderedDict[str, OrderedDict[T, None]] = OrderedDict()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, host: str, item: T) -> None:
        """Add an item behind the others of its host. It must not be in the queue yet."""
        items = self._hosts.get(host)
        if items is None:
            items = self._hosts[host] = OrderedDict()
        items[item] = None
        self._count += 1

    def firsts(self) -> Iterator[tuple[str, T]]:
        """Each host with its first item, the host whose turn it is before the others. The queue must not change
        meanwhile."""
        return ((host, next(iter(items))) for host, items in self._hosts.items())

    def popleft(self) -> T:
        """Remove and return the first item of the host whose turn it is; the queue must not be empty."""
        return self.pop(next(iter(self._hosts)))

    def pop(self, host: str) -> T:
        """Remove and return the first item of a host, as if it were its turn; the host must have one."""
        items = self._hosts.pop(host)
        item, _ = items.popitem(last=False)
        # At the end of the line: the host's next item waits for one item of every other host.
        if items:
            self._hosts[host] = items
        self._count -= 1
        return item

    def remove(self, host: str, item: T) -> None:
        """Remove an item, which must be in the queue."""
        items = self._hosts[host]
        del items[item]
        if not items:
            del self._hosts[host]
        self._count -= 1
