"""Which fetch sessions a broker keeps (KIP-227): a bounded cache, and who has to make room for whom.

There are ``max.incremental.fetch.session.cache.slots`` places. When all are taken, a new session evicts another one or
gets no place:

- It evicts the session that was used least recently, if that was more than `MIN_EVICTION_MS` ago.
- Otherwise it evicts the least valuable session of those that it may evict, if that one is worth less than itself.
  Sessions of followers are worth more than those of consumers, and larger ones more than smaller ones. A follower may
  evict every consumer, and followers that are older than `MIN_EVICTION_MS`. A consumer may evict only sessions older
  than that.

The places bound how many sessions there are, and not their partitions: each may have a hundred thousand. So a consumer
with more than `FEW_PARTITIONS` gets no session, or loses it, if all sessions together would have more than
`MAX_PARTITIONS`. Without a session, a consumer names its partitions in each request.

The age of a session is noted when it is used: one that became old since its last use still counts as young.

Apache Kafka: ``FetchSessionCacheShard``. A broker there has eight such caches, each with an eighth of the places, and
new sessions go to them in turn. So it may refuse a session although another of its caches has a place. Here is one
cache.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import OrderedDict
from collections.abc import Iterator
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

from kafkaproto_server.base.ports import Rng

MIN_EVICTION_MS: Final = 120_000
"""A session that was used within this time is not stale, one that was begun within it is young."""
MAX_PARTITIONS: Final = 1_000_000
"""Of all sessions together. Kafka has no such limit."""
FEW_PARTITIONS: Final = 1_000
_SESSION_IDS: Final = 2**31 - 2
"""Ids are 1 to this: positive, and not the largest int32."""

Value: TypeAlias = tuple[bool, int, int]
"""What a session is worth: whether it is privileged, its number of partitions, its id. The least is evicted first."""


class CachedSession(Protocol):
    """What the cache has to know of a session."""

    @property
    def id(self) -> int:
        """Its id in this cache."""

    @property
    def is_privileged(self) -> bool:
        """Whether it is a follower's."""

    @property
    def created_ms(self) -> int:
        """When it was begun."""

    @property
    def size(self) -> int:
        """How many partitions it has."""

    def close(self) -> None:
        """It is no longer in the cache."""


Session = TypeVar("Session", bound=CachedSession)


class _CachePlace(Generic[Session]):
    """A session in the cache, with what the cache knew of it when it was last used."""

    __slots__ = ("is_old", "last_used_ms", "session", "size")

    def __init__(self, session: Session) -> None:
        self.session = session
        self.last_used_ms = session.created_ms
        self.is_old = False
        self.size = session.size

    @property
    def value(self) -> Value:
        return (self.session.is_privileged, self.size, self.session.id)


class FetchSessionCache(Generic[Session]):
    """The sessions by id, at most ``max_slots`` of them."""

    __slots__ = (
        "_evictable_by_all",
        "_evictable_by_privileged",
        "_max_slots",
        "_places",
        "_rng",
        "evictions",
        "partitions",
    )

    def __init__(self, rng: Rng, max_slots: int) -> None:
        self._rng = rng
        self._max_slots = max_slots
        # In the order of their last use.
        self._places: OrderedDict[int, _CachePlace[Session]] = OrderedDict()
        # Sorted.
        self._evictable_by_all: list[Value] = []
        self._evictable_by_privileged: list[Value] = []
        self.partitions = 0
        """How many partitions all sessions have (metric NumIncrementalFetchPartitionsCached)."""
        self.evictions = 0
        """How many sessions had to make room (metric IncrementalFetchSessionEvictionsPerSec)."""

    def __len__(self) -> int:
        """How many sessions there are (metric NumIncrementalFetchSessions)."""
        return len(self._places)

    def __iter__(self) -> Iterator[Session]:
        # A copy: who iterates may close sessions.
        return iter([place.session for place in self._places.values()])

    def get(self, session_id: int) -> Session | None:
        """The session with the id, or None."""
        place = self._places.get(session_id)
        return None if place is None else place.session

    def new_id(self, *, is_privileged: bool, size: int, now_ms: int) -> int:
        """An id for a new session of that size, for which there is a place now; 0 if there is none, or too many
        partitions.

        If all places are taken, this closes another session or returns 0.
        """
        if not self.has_room(is_privileged=is_privileged, size=size, more=size):
            return 0
        # Only now a session is closed: without room for its partitions, the new one would have closed it for nothing.
        if len(self._places) >= self._max_slots and not self._evict((is_privileged, size, 0), now_ms):
            return 0
        while True:
            # Random, as anybody may name a session: ids that count up could be guessed (KIP-227).
            session_id = self._rng.below(_SESSION_IDS) + 1
            if session_id not in self._places:
                return session_id

    def has_room(self, *, is_privileged: bool, size: int, more: int) -> bool:
        """Whether a session may have ``size`` partitions, with so many more than there are in all sessions."""
        return is_privileged or size <= FEW_PARTITIONS or self.partitions + more <= MAX_PARTITIONS

    def add(self, session: Session) -> None:
        """Keep a session, whose id came from `new_id` just now."""
        assert session.id not in self._places, "a fetch session's id was given twice"
        assert len(self._places) < self._max_slots, "there is no place for another fetch session"
        self._places[session.id] = place = _CachePlace(session)
        self.partitions += place.size
        # It can be evicted by followers from now on, and by all once it is old. One of a follower has to become old
        # first.
        if not session.is_privileged:
            insort(self._evictable_by_privileged, place.value)

    def touch(self, session_id: int, now_ms: int) -> None:
        """The session, which must be there, was used, and its size may have changed."""
        place = self._places[session_id]
        place.last_used_ms = now_ms
        self._places.move_to_end(session_id)
        session = place.session
        is_old = now_ms - session.created_ms > MIN_EVICTION_MS
        size = session.size
        # Nearly every request of a session ends here: the sorted lists do not change.
        if size == place.size and is_old == place.is_old:
            return
        # With the old size and age, by which the lists have it.
        self._remove_value(place)
        self.partitions += size - place.size
        assert self.partitions >= 0, "more partitions left the cache than had joined it"
        place.size = size
        place.is_old = is_old
        if is_old:
            insort(self._evictable_by_all, place.value)
        if is_old or not session.is_privileged:
            insort(self._evictable_by_privileged, place.value)

    def remove(self, session_id: int) -> None:
        """Close the session, if there is one with the id."""
        place = self._places.pop(session_id, None)
        if place is not None:
            self._remove_value(place)
            self.partitions -= place.size
            assert self.partitions >= 0, "more partitions left the cache than had joined it"
            place.session.close()

    def _evict(self, value: Value, now_ms: int) -> bool:
        """Whether a session made room for one of that value."""
        oldest = next(iter(self._places.values()), None)
        if oldest is None:
            return False
        # Whatever it is worth: its client is gone, or has another session.
        if now_ms - oldest.last_used_ms > MIN_EVICTION_MS:
            evicted = oldest.session.id
        else:
            candidates = self._evictable_by_privileged if value[0] else self._evictable_by_all
            # Small sessions do not evict larger ones, as a large one spares more.
            if not candidates or value < candidates[0]:
                return False
            evicted = candidates[0][2]
        self.remove(evicted)
        self.evictions += 1
        return True

    def _remove_value(self, place: _CachePlace[Session]) -> None:
        if place.is_old:
            _remove(self._evictable_by_all, place.value)
        if place.is_old or not place.session.is_privileged:
            _remove(self._evictable_by_privileged, place.value)


def _remove(values: list[Value], value: Value) -> None:
    position = bisect_left(values, value)
    assert values[position : position + 1] == [value], "an evictable fetch session is not listed"
    del values[position]
