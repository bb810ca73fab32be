"""What is remembered of clients, and forgotten again: an hour after the last use, as in Kafka, and beyond a number.

The number is this server's own. Client ids cost a client nothing, so without it they would fill the memory.

Apache Kafka: ``ClientSensors`` and the hour after which ``Metrics`` drops a sensor.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

# Kafka's ClientQuotaManager gives its sensors the same hour.
EXPIRE_AFTER_MS = 3_600_000
MAX_REMEMBERED = 16_384
"""The number of clients that are remembered at the same time; of more, those with the latest use."""
MAX_REMEMBERED_ID_CHARS = 256
"""A client id may have 32,767 bytes, and all clients may have such ones."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def remembered_id(client_id: str) -> str:
    """What is remembered of a client id: all of it, or a digest if it is a long one."""
    if len(client_id) <= MAX_REMEMBERED_ID_CHARS:
        return client_id
    # A digest, not the beginning: two ids with the same beginning must not share a quota.
    return hashlib.sha256(client_id.encode()).hexdigest()


class Recent(Generic[Key, Value]):
    """Values by key, in the order of their last use."""

    __slots__ = ("_entries", "_limit")

    def __init__(self, limit: int = MAX_REMEMBERED) -> None:
        assert limit > 0, f"a limit of {limit} remembers nobody"
        self._limit = limit
        self._entries: OrderedDict[Key, tuple[Value, list[int]]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def use(self, key: Key, make: Callable[[], Value], now_ms: int) -> Value:
        """The value of a key; a new one if there is none, or if it was not used for an hour."""
        entries = self._entries
        found = entries.get(key)
        # Older than an hour counts as forgotten, even if nobody has come by to remove it.
        if found is not None and found[1][0] > now_ms - EXPIRE_AFTER_MS:
            found[1][0] = now_ms
            entries.move_to_end(key)
            return found[0]
        value = make()
        # The time is in a list of its own, so that a use changes it in place: most requests come by here.
        entries[key] = value, [now_ms]
        entries.move_to_end(key)
        # The ones at the front are those that were not used for longest.
        # The new one is never removed, whatever the limit.
        while len(entries) > 1:
            first = next(iter(entries))
            if len(entries) <= self._limit and entries[first][1][0] > now_ms - EXPIRE_AFTER_MS:
                break
            del entries[first]
        return value
