"""Ids that were handed out to members of classic groups which have not joined with them yet (KIP-394).

A rebalance waits for these members until their session timeouts, which may be half an hour. To ask for an id costs a
client nothing, so what is remembered is bounded: beyond `MAX_BYTES`, the oldest ids are forgotten. Their clients are
told that they are unknown, and ask again, as after the timeout. An id begins with what the client calls itself, 32 KiB
at most, so a digest of it is kept. A group that has nothing but such ids is forgotten with the last one.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b

from kafkaproto_server.core.coordinators.groups.classic.group import ClassicGroup
from kafkaproto_server.core.coordinators.values import Surroundings

MAX_BYTES = 1 << 20
"""What the ids of one partition's groups may take: some thousand. Members that start together join with theirs within
milliseconds."""
ID_BYTES = 1_000
"""What an id takes, and the group if it has nothing else, without the group's name."""
LATE_MS = 1_000
"""By how much an id may expire late. Without that, each id with a shorter timeout than the ones before would need a
timer of its own."""


class PendingMembers:
    """The ids of one partition's groups."""

    def __init__(
        self,
        surroundings: Surroundings,
        gone: Callable[[ClassicGroup], None],
        max_bytes: int = MAX_BYTES,
    ) -> None:
        """``gone`` is called when a group does not wait for an id any more that nobody has used."""
        self._surroundings = surroundings
        self._gone = gone
        self._max_bytes = max_bytes
        # The group of each id, oldest first. Those that were used stay until it is their turn.
        self._groups: OrderedDict[bytes, ClassicGroup] = OrderedDict()
        self._ends: list[tuple[int, bytes]] = []
        self._used_bytes = 0
        self._timer_ms: int | None = None

    def hand_out(self, group: ClassicGroup, member_id: str, timeout_ms: int) -> None:
        """A member has got this id."""
        key = id_key(member_id)
        group.pending_ids.add(key)
        self._groups[key] = group
        self._used_bytes += _cost(group)
        while self._used_bytes > self._max_bytes and len(self._groups) > 1:
            self._forget(next(iter(self._groups)))
        heapq.heappush(self._ends, (self._surroundings.now_ms() + timeout_ms, key))
        if len(self._ends) > 2 * len(self._groups) + 16:
            self._ends = [each for each in self._ends if each[1] in self._groups]
            heapq.heapify(self._ends)
        self._set_timer()

    def _forget(self, key: bytes) -> None:
        group = self._groups.pop(key)
        self._used_bytes -= _cost(group)
        if key in group.pending_ids:
            group.pending_ids.discard(key)
            self._gone(group)

    def _set_timer(self) -> None:
        if self._ends and (self._timer_ms is None or self._ends[0][0] < self._timer_ms - LATE_MS):
            self._timer_ms = self._ends[0][0]
            self._surroundings.call_at(self._timer_ms, self._expire)

    def _expire(self) -> None:
        now_ms = self._surroundings.now_ms()
        if self._timer_ms is not None and self._timer_ms <= now_ms:
            self._timer_ms = None
        while self._ends and self._ends[0][0] <= now_ms:
            _, key = heapq.heappop(self._ends)
            if key in self._groups:
                self._forget(key)
        self._set_timer()


def id_key(member_id: str) -> bytes:
    """What is kept of a member's id."""
    return blake2b(member_id.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _cost(group: ClassicGroup) -> int:
    return ID_BYTES + 4 * len(group.group_id)
