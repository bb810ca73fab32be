"""A queue in which hosts take turns: each host's items come in their order, one item a turn.

So a host that sends very much makes the items of another host wait for one of its own at a time.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

T = TypeVar("T")


class HostQueue(Generic[T]):
    """Things by their hosts. All functions take the same time however many there are."""

    def __init__(self) -> None:
        # Ordered dicts, since a plain one takes ever longer to find its first key while that is removed again and
        # again.
        self._hosts: OrderedDict[str, OrderedDict[T, None]] = OrderedDict()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, host: str, item: T) -> None:
        """Put an item behind the others of its host; it must not be in the queue."""
        items = self._hosts.get(host)
        if items is None:
            items = self._hosts[host] = OrderedDict()
        items[item] = None
        self._count += 1

    @property
    def first(self) -> T:
        """What `popleft` returns; the queue must not be empty."""
        return next(iter(next(iter(self._hosts.values()))))

    def popleft(self) -> T:
        """Take out the first item of the host whose turn it is; the queue must not be empty."""
        host, items = self._hosts.popitem(last=False)
        item, _ = items.popitem(last=False)
        if items:
            self._hosts[host] = items
        self._count -= 1
        return item

    def remove(self, host: str, item: T) -> None:
        """Take out an item, which must be there."""
        items = self._hosts[host]
        del items[item]
        if not items:
            del self._hosts[host]
        self._count -= 1
