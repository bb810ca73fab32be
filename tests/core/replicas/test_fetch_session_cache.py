"""Places for fetch sessions: who evicts whom, against a slow model, and what Apache Kafka did.

Seen at a node of Apache Kafka 4.4.0 with 16 places (8 caches with 2 places each), by raw requests on one connection:

- 16 sessions of consumers with one partition each fill it. The next 8 full requests of consumers get session id 0, and
  so do 8 more with three partitions: all sessions are younger than two minutes.
- 8 full requests of followers each get a session, and 8 of the consumers' sessions are gone; 8 more likewise.
- The next 8 of followers get session id 0, also with three partitions.
- When 8 sessions are closed, 8 full requests of consumers get sessions.
- A follower's session was used each 20 s and stayed. The other places went to consumers once their sessions had not
  been used for more than 120 s.

The tests with "node" in their names repeat these steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.core.replicas.fetch_session_cache import (
    FEW_PARTITIONS,
    MIN_EVICTION_MS,
    FetchSessionCache,
)
from tests.shell.storage.support.helpers import FixedRng, SeededRng


@dataclass(eq=False)
class Session:
    """A session as the cache sees it."""

    id: int
    is_privileged: bool
    size: int
    created_ms: int
    is_closed: bool = False

    def close(self) -> None:
        assert not self.is_closed
        self.is_closed = True


@dataclass
class Cache:
    """The tested cache, with the sessions that were ever in it."""

    slots: int
    tested: FetchSessionCache[Session] = field(init=False)
    sessions: list[Session] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tested = FetchSessionCache(SeededRng(), self.slots)

    def begin(self, now_ms: int, *, size: int = 1, is_privileged: bool = False) -> Session | None:
        session_id = self.tested.new_id(is_privileged=is_privileged, size=size, now_ms=now_ms)
        if session_id == 0:
            return None
        session = Session(session_id, is_privileged, size, now_ms)
        self.tested.add(session)
        self.sessions.append(session)
        return session

    def begin_many(
        self, count: int, now_ms: int, *, size: int = 1, is_privileged: bool = False
    ) -> list[Session]:
        begun = [self.begin(now_ms, size=size, is_privileged=is_privileged) for _ in range(count)]
        return [each for each in begun if each is not None]

    @property
    def open(self) -> list[Session]:
        return [each for each in self.sessions if not each.is_closed]


def test_followers_take_the_places_of_young_consumers_and_not_of_young_followers_as_at_the_node() -> None:
    cache = Cache(16)
    consumers = cache.begin_many(16, 0)
    assert len(consumers) == 16
    assert cache.begin_many(8, 1) == []
    assert cache.begin_many(8, 2, size=3) == []
    assert len(cache.begin_many(8, 3, is_privileged=True)) == 8
    assert sum(not each.is_closed for each in consumers) == 8
    assert len(cache.begin_many(8, 4, is_privileged=True)) == 8
    assert cache.begin_many(8, 5, is_privileged=True) == []
    assert cache.begin_many(8, 6, is_privileged=True, size=3) == []
    for each in cache.open[:8]:
        cache.tested.remove(each.id)
    assert len(cache.begin_many(8, 7)) == 8
    assert cache.tested.evictions == 16


def test_a_session_unused_for_more_than_two_minutes_gives_way_to_any_as_at_the_node() -> None:
    cache = Cache(3)
    used, unused, other = cache.begin_many(3, 0, is_privileged=True, size=5)
    for now_ms in range(20_000, 120_001, 20_000):
        cache.tested.touch(used.id, now_ms)
    assert cache.begin_many(2, MIN_EVICTION_MS) == []
    assert len(cache.begin_many(3, MIN_EVICTION_MS + 1)) == 2
    assert (used.is_closed, unused.is_closed, other.is_closed) == (False, True, True)


def test_a_larger_session_takes_the_place_of_an_old_one_and_an_equal_one_does_not() -> None:
    cache = Cache(2)
    small, large = cache.begin(0, size=2), cache.begin(0, size=4)
    assert small is not None
    assert large is not None
    later = MIN_EVICTION_MS + 1
    # The ages count when the sessions are used.
    cache.tested.touch(small.id, later)
    cache.tested.touch(large.id, later)
    assert cache.begin(later, size=2) is None
    assert cache.begin(later, size=3) is not None
    assert (small.is_closed, large.is_closed) == (True, False)


def test_a_session_of_exactly_two_minutes_is_not_old() -> None:
    cache = Cache(1)
    session = cache.begin(0)
    assert session is not None
    cache.tested.touch(session.id, MIN_EVICTION_MS)
    assert cache.begin(MIN_EVICTION_MS, size=3) is None
    cache.tested.touch(session.id, MIN_EVICTION_MS + 1)
    assert cache.begin(MIN_EVICTION_MS + 1, size=3) is not None


def test_a_larger_consumer_never_takes_the_place_of_an_old_follower() -> None:
    cache = Cache(1)
    follower = cache.begin(0, size=1, is_privileged=True)
    assert follower is not None
    cache.tested.touch(follower.id, MIN_EVICTION_MS + 1)
    assert cache.begin(MIN_EVICTION_MS + 1, size=100) is None
    assert cache.begin(MIN_EVICTION_MS + 1, size=2, is_privileged=True) is not None


def test_a_session_that_grew_counts_as_what_it_is_now() -> None:
    cache = Cache(2)
    first, second = cache.begin(0, size=1), cache.begin(0, size=2)
    assert first is not None
    assert second is not None
    first.size = 3
    cache.tested.touch(first.id, 1)
    assert cache.tested.partitions == 5
    cache.begin(2, is_privileged=True)
    assert (first.is_closed, second.is_closed) == (False, True)


def test_large_sessions_of_consumers_have_a_number_of_partitions_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(f"{FetchSessionCache.__module__}.MAX_PARTITIONS", 5_000)
    cache = Cache(slots=100)
    assert cache.begin(0, size=3_000)
    assert cache.begin(0, size=2_000)
    assert cache.begin(0, size=FEW_PARTITIONS + 1) is None
    # Small ones, and those of followers, are not concerned.
    assert cache.begin(0, size=FEW_PARTITIONS)
    assert cache.begin(0, size=3_000, is_privileged=True)
    assert cache.begin(0, size=FEW_PARTITIONS + 1) is None


def test_without_places_there_are_no_sessions() -> None:
    assert Cache(0).begin(0, is_privileged=True) is None


@pytest.mark.parametrize(("share", "session_id"), [(0, 1), (1, 2**31 - 2)])
def test_ids_are_positive_and_below_the_largest_int32(share: float, session_id: int) -> None:
    cache: FetchSessionCache[Session] = FetchSessionCache(FixedRng(share), 2)
    assert cache.new_id(is_privileged=False, size=1, now_ms=0) == session_id


class Repeating:
    """A generator that draws each number twice."""

    def __init__(self) -> None:
        self._draws = [5, 5, 6]

    def below(self, limit: int) -> int:
        return self._draws.pop(0)

    def uuid(self) -> bytes:
        return bytes(16)


def test_an_id_is_not_given_twice() -> None:
    cache: FetchSessionCache[Session] = FetchSessionCache(Repeating(), 2)
    for expected in (6, 7):
        session_id = cache.new_id(is_privileged=False, size=1, now_ms=0)
        assert session_id == expected
        cache.add(Session(session_id, False, 1, 0))


class SlowCache:
    """The rules once more, over a list."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.places: list[tuple[Session, int, int, bool]] = []
        """In the order of use: session, last use, size and age then."""
        self.evictions = 0

    def touch(self, session: Session, now_ms: int) -> None:
        self.places = [each for each in self.places if each[0] is not session]
        is_old = now_ms - session.created_ms > MIN_EVICTION_MS
        self.places.append((session, now_ms, session.size, is_old))

    def remove(self, session: Session) -> None:
        self.places = [each for each in self.places if each[0] is not session]

    def has_place_for(self, size: int, is_privileged: bool, now_ms: int) -> bool:
        """Make room, if that may be."""
        if len(self.places) < self.slots:
            return True
        stale = [each for each in self.places if now_ms - each[1] > MIN_EVICTION_MS]
        evictable = [each for each in self.places if each[3] or (is_privileged and not each[0].is_privileged)]
        evictable.sort(key=lambda each: (each[0].is_privileged, each[2], each[0].id))
        if stale:
            evicted = stale[0][0]
        elif evictable and (evictable[0][0].is_privileged, evictable[0][2]) < (is_privileged, size):
            evicted = evictable[0][0]
        else:
            return False
        self.remove(evicted)
        self.evictions += 1
        return True


STEPS = st.one_of(
    st.tuples(st.just("begin"), st.integers(1, 4), st.booleans()),
    st.tuples(st.just("begin"), st.integers(1, 4), st.booleans()),
    st.tuples(st.just("touch"), st.integers(0, 3), st.integers(1, 4)),
    st.tuples(st.just("remove"), st.integers(0, 3), st.just(0)),
)
WAITS_MS = st.sampled_from([0, 1, 30_000, 60_000, MIN_EVICTION_MS, MIN_EVICTION_MS + 1])


@given(slots=st.integers(0, 4), steps=st.lists(st.tuples(WAITS_MS, STEPS), max_size=40))
def test_places_are_given_as_by_a_model_that_looks_at_all_sessions(
    slots: int, steps: list[tuple[int, tuple[str, int, int]]]
) -> None:
    cache = Cache(slots)
    slow = SlowCache(slots)
    now_ms = 0
    for wait_ms, (kind, number, argument) in steps:
        now_ms += wait_ms
        if kind == "begin":
            has_place = slow.has_place_for(number, bool(argument), now_ms)
            session = cache.begin(now_ms, size=number, is_privileged=bool(argument))
            assert (session is not None) == has_place
            if session is not None:
                slow.touch(session, now_ms)
        elif number < len(slow.places):
            session = slow.places[number][0]
            if kind == "touch":
                session.size = argument
                cache.tested.touch(session.id, now_ms)
                slow.touch(session, now_ms)
            else:
                cache.tested.remove(session.id)
                slow.remove(session)
        assert {each.id for each in cache.open} == {each[0].id for each in slow.places}
        assert (len(cache.tested), cache.tested.evictions) == (len(slow.places), slow.evictions)
        assert cache.tested.partitions == sum(each[2] for each in slow.places)
        assert all(cache.tested.get(each.id) is each for each in cache.open)
