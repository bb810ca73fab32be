"""Fetch sessions as a broker serves them (KIP-227): which partitions a request reads, and which ones its response has.

A session remembers what its client wants of each partition. An incremental request names only what changed. The
response has only partitions with something to say: records, an error, a new high watermark or log start offset, a
preferred read replica, a diverging epoch. The epochs of the requests count up from 1, so that a lost or repeated
request is noticed.

**The work follows the changes, not the partitions.** A session has a set of *pending* partitions: those that may have
something to say. A partition is pending when it joins the session, and again whenever a request names it. The session
becomes a watcher of it before it is read. If the partition then says nothing, or nothing that the next response would
repeat, it is not pending any more until it changes, that is, until ``partition_changed`` is called. An incremental
request looks at pending partitions only. Apache Kafka reads all partitions of the session, with the same response.

One request takes these steps. `FetchSessions.begin` makes a `FetchContext`. The caller reads the partitions that `look`
returns. It may `wait` for a change, and then looks and reads again. `finish` takes the results of the last look. If the
request ends without a response, the caller has to `cancel` it.

A topic that a request names by its id has the name that it had then, also after it is deleted: as in Apache Kafka, the
errors of its partitions say whether there is another topic of this name now (`FetchContext.known_name`).

Partitions whose records were sent go to the end of the session's order, so that all get their turn if a response cannot
hold the records of all.

Apache Kafka: ``FetchManager``, ``FetchContext``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Final, Generic, NamedTuple, TypeVar

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.later import Steps, run_to_end
from kafkaproto_server.base.ports import Rng
from kafkaproto_server.core.replicas.fetch_session import (
    FULL_EPOCH,
    CachedPartition,
    Counted,
    FetchSession,
    NameOf,
    Wake,
    WatchedPartition,
    name_of_key,
    next_epoch,
)
from kafkaproto_server.core.replicas.fetch_session_cache import FetchSessionCache
from kafkaproto_server.requests.data import PartitionResult
from kafkaproto_server.requests.fetch_requests import FetchValues, PartitionFetch, PartitionKey

NO_SESSION: Final = 0
"""Session id of requests and responses without a session."""
FINAL_EPOCH: Final = -1
"""Epoch of a request that has all partitions and wants no session; one that it names is closed."""
PARTITIONS_A_STEP: Final = 64


Result = TypeVar("Result", bound=PartitionResult)


class FinishedFetch(NamedTuple, Generic[Result]):
    """What a response has at its top, and the partitions in it."""

    error_code: int
    session_id: int
    responses: list[tuple[PartitionFetch, Result]]


Find = Callable[[PartitionKey], WatchedPartition | None]
"""Finds a partition by topic id or name; None if this broker does not host it. Such a partition is looked at in each
request, as is everything that has an error.
"""

_ORDER = attrgetter("order")


class FetchContext:
    """A Fetch request that is being served. This class is one without a session; the others are made from it."""

    __slots__ = ("_fetches", "_find", "_names", "_waiting", "_watched")

    error_code: int = ErrorCode.NONE
    """An error of the session: there is nothing to look at, and `finish` makes the response from no results."""
    continues_session: bool = False
    """Whether the session counts for itself which topics the request is about (see `Counted`)."""

    def __init__(
        self, partitions: dict[PartitionKey, PartitionFetch], find: Find, names: Mapping[bytes, str]
    ) -> None:
        self._fetches = partitions
        self._find = find
        self._names = names
        self._waiting: _Waiting | None = None
        self._watched: dict[WatchedPartition, PartitionFetch] = {}

    @property
    def size(self) -> int:
        """How many partitions the request is about, those of its session that are not pending included."""
        return len(self._fetches)

    @property
    def look_size(self) -> int:
        """How many partitions the next look has."""
        return len(self._fetches)

    def known_name(self, topic_id: bytes) -> str | None:
        """The name that a topic had when the request, or an earlier one of its session, named its id; None if it was
        unknown."""
        return self._names.get(topic_id)

    def look(self) -> list[PartitionFetch]:
        """The partitions to read now, in order. After a change, the next look may have others."""
        return list(self._fetches.values())

    def wait(self, wake: Wake) -> None:
        """Call ``wake`` at each change of a partition of the request, until `finish` or `cancel`.

        Changes between a look and this call are not reported, so either both belong in one step or this comes first.
        """
        run_to_end(self.wait_in_steps(wake))

    def wait_in_steps(self, wake: Wake) -> Steps[None]:
        """As `wait`, some partitions in each step."""
        self._waiting = waiting = _Waiting(wake, self._watched)
        for number, (key, fetch) in enumerate(self._fetches.items(), start=1):
            partition = self._find(key)
            if partition is not None:
                partition.watchers[waiting] = None
                self._watched[partition] = fetch
            if number % PARTITIONS_A_STEP == 0:
                yield

    def cancel(self) -> None:
        """The request is over without a response."""
        if self._waiting is not None:
            for partition in self._watched:
                partition.watchers.pop(self._waiting, None)
            self._watched.clear()
            self._waiting = None

    def finish(self, results: Sequence[Result], now_ms: int) -> FinishedFetch[Result]:
        """The response, given the result of each partition of the last look, in the same order."""
        self.cancel()
        return FinishedFetch(
            ErrorCode.NONE, NO_SESSION, list(zip(self._fetches.values(), results, strict=True))
        )

    def throttled(self) -> FinishedFetch[PartitionResult]:
        """The empty response to a client that has exceeded its quota (KIP-219), instead of `finish`."""
        self.cancel()
        return FinishedFetch(ErrorCode.NONE, NO_SESSION, [])


class _Waiting:
    """The watcher of a request without a session."""

    __slots__ = ("_wake", "_watched")

    def __init__(self, wake: Wake, watched: dict[WatchedPartition, PartitionFetch]) -> None:
        self._wake = wake
        self._watched = watched

    def partition_changed(self, partition: WatchedPartition) -> None:
        """Let the request look at it again."""
        self._wake(self._watched[partition])


class _RefusedContext(FetchContext):
    """A request whose session is not there, or not in the state that the client believes. Nothing changes."""

    __slots__ = ("error_code",)

    def __init__(self, error_code: int, find: Find) -> None:
        super().__init__({}, find, {})
        self.error_code = error_code

    def finish(self, results: Sequence[Result], now_ms: int) -> FinishedFetch[Result]:
        """The error, without a session and without partitions."""
        return FinishedFetch(self.error_code, NO_SESSION, [])


class _FullContext(FetchContext):
    """A request that has all partitions and asks for a session, which begins with the response."""

    __slots__ = ("_cache", "_counted", "_request")

    def __init__(
        self,
        request: FetchValues,
        find: Find,
        names: Mapping[bytes, str],
        cache: FetchSessionCache[FetchSession],
        counted: Counted,
    ) -> None:
        super().__init__(request.partitions, find, names)
        self._request = request
        self._cache = cache
        self._counted = counted

    def finish(self, results: Sequence[Result], now_ms: int) -> FinishedFetch[Result]:
        """The response with all partitions, and the id of a new session if there is a place for it."""
        finished = super().finish(results, now_ms)
        request = self._request
        # With the response and not with the request, as in Kafka: a request that is given up takes no place from
        # others.
        session_id = self._cache.new_id(
            is_privileged=request.is_from_follower, size=len(results), now_ms=now_ms
        )
        if session_id == NO_SESSION:
            return finished
        session = FetchSession(
            session_id,
            is_privileged=request.is_from_follower,
            uses_topic_ids=request.uses_topic_ids,
            now_ms=now_ms,
            counted=self._counted,
        )
        for (key, fetch), result in zip(request.partitions.items(), results, strict=True):
            session.add(key, fetch, name_of_key(self._names, key)).said(result)
        self._cache.add(session)
        return finished._replace(session_id=session_id)


class _IncrementalContext(FetchContext):
    """A request that continues a session."""

    __slots__ = ("_epoch", "_look", "_looked_at", "_session")

    continues_session = True

    def __init__(self, session: FetchSession, find: Find) -> None:
        super().__init__({}, find, {})
        self._session = session
        self._epoch = session.epoch
        self._look = 0
        self._looked_at: list[CachedPartition] = []

    @property
    def size(self) -> int:
        return self._session.size

    @property
    def look_size(self) -> int:
        return len(self._session.pending)

    def known_name(self, topic_id: bytes) -> str | None:
        return self._session.known_name(topic_id)

    def look(self) -> list[PartitionFetch]:
        """The pending partitions in the session's order; none if another request has continued the session."""
        session = self._session
        # A client that gave up waiting may have sent the next request over another connection.
        if session.epoch != self._epoch:
            return []
        # Before the partitions are read: what changes from now on has this number, and stays pending.
        session.looks = self._look = session.looks + 1
        find = self._find
        self._looked_at = looked_at = sorted(session.pending, key=_ORDER)
        fetches = []
        for partition in looked_at:
            fetches.append(partition.fetch)
            # From now on the partition reports what this look cannot see.
            hosted = find(partition.key)
            if hosted is not partition.watched:
                partition.watch(hosted)
        return fetches

    def wait_in_steps(self, wake: Wake) -> Steps[None]:
        """As `FetchContext.wait_in_steps`, for all partitions of the session at once."""
        # If the session went on, another request may wait by now.
        if self._session.epoch == self._epoch:
            self._session.wake = wake
        yield from ()

    def cancel(self) -> None:
        """As `FetchContext.cancel`. The session stays as if the partitions had not been looked at."""
        # As above: the wake is the other request's.
        if self._session.epoch == self._epoch:
            self._session.wake = None

    def finish(self, results: Sequence[Result], now_ms: int) -> FinishedFetch[Result]:
        """The response with the partitions that have something to say.

        There may be fewer results than partitions in the last look: the rest was not read and stays pending. If
        another request has continued the session meanwhile, the response is INVALID_FETCH_SESSION_EPOCH.
        """
        session = self._session
        if session.epoch != self._epoch:
            return FinishedFetch(ErrorCode.INVALID_FETCH_SESSION_EPOCH, session.id, [])
        session.wake = None
        pending, look = session.pending, self._look
        assert len(results) <= len(self._looked_at), "more results than partitions were looked at"
        # What has records or an error is said each time; a high watermark only once.
        responses = []
        for partition, result in zip(self._looked_at, results, strict=False):
            must_say = (
                result.records_bytes > 0
                or result.error_code != 0
                or result.preferred_read_replica >= 0
                or result.is_diverging
            )
            if (
                # What was not read for lack of room has something to say next time. What is not hosted here reports no
                # change, so it is looked at in each request.
                not must_say
                and not result.is_limited
                and partition.watched is not None
                # A change that was reported since the look is yet to be read.
                and pending.get(partition, look) < look
            ):
                del pending[partition]
            has_moved = (
                partition.high_watermark != result.high_watermark
                or partition.log_start_offset != result.log_start_offset
            )
            if must_say or has_moved:
                responses.append((partition.fetch, result))
                partition.said(result)
                if result.records_bytes > 0:
                    session.move_to_end(partition)
        if not pending:
            # A dict from which much was deleted keeps its size, and the next look would go over it.
            pending.clear()
        return FinishedFetch(ErrorCode.NONE, session.id, responses)

    def throttled(self) -> FinishedFetch[PartitionResult]:
        """The empty response of the session; everything stays pending."""
        return self.finish((), 0)


class FetchSessions:
    """All fetch sessions of a broker."""

    __slots__ = ("_counted", "_find", "_name_of", "cache")

    def __init__(self, rng: Rng, find: Find, name_of: NameOf, max_slots: int, counted: Counted) -> None:
        self._find = find
        self._name_of = name_of
        self._counted = counted
        self.cache: FetchSessionCache[FetchSession] = FetchSessionCache(rng, max_slots)
        """Its numbers are metrics."""

    def begin(self, request: FetchValues, now_ms: int) -> FetchContext:
        """Serve a request: a context that knows which partitions it is about.

        A request that continues a session changes the session here already. The context has an error instead if there
        is no such session, or no room for its partitions any more (FETCH_SESSION_ID_NOT_FOUND), if the session expects
        another epoch (INVALID_FETCH_SESSION_EPOCH), or if one of request and session has names and the other one ids
        (FETCH_SESSION_TOPIC_ID_ERROR).
        """
        cache = self.cache
        if request.session_epoch in (FULL_EPOCH, FINAL_EPOCH):
            # A client that begins anew does not use its former session any more.
            if request.session_id != NO_SESSION:
                cache.remove(request.session_id)
            if request.session_epoch == FINAL_EPOCH:
                return FetchContext(request.partitions, self._find, self._names(request))
            return _FullContext(request, self._find, self._names(request), cache, self._counted)
        session = cache.get(request.session_id)
        if session is None:
            return _RefusedContext(ErrorCode.FETCH_SESSION_ID_NOT_FOUND, self._find)
        # A request was lost, repeated, or overtaken: what the client takes for known here is not.
        if session.epoch != request.session_epoch:
            return _RefusedContext(ErrorCode.INVALID_FETCH_SESSION_EPOCH, self._find)
        # The keys of the session would not be found again (KIP-516).
        if session.uses_topic_ids != request.uses_topic_ids:
            return _RefusedContext(ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR, self._find)
        more = len(request.partitions)
        if more and not cache.has_room(
            is_privileged=session.is_privileged, size=session.size + more, more=more
        ):
            cache.remove(session.id)
            return _RefusedContext(ErrorCode.FETCH_SESSION_ID_NOT_FOUND, self._find)
        session.update(request, self._names(request))
        # The metadata may have come since the client named the topic.
        session.learn_names(self._name_of)
        # Kafka closes a session that has forgotten all partitions, and responds without one.
        if not session.partitions:
            cache.remove(session.id)
            return FetchContext(request.partitions, self._find, {})
        cache.touch(session.id, now_ms)
        session.epoch = next_epoch(session.epoch)
        session.requests += 1
        # A request that still waits was overtaken. Its response will be an error, whatever changes.
        session.wake = None
        return _IncrementalContext(session, self._find)

    def _names(self, request: FetchValues) -> dict[bytes, str]:
        """The names of the topics that a request has by their ids, as far as they are known."""
        names = {}
        for topic_id, _ in request.partitions:
            if isinstance(topic_id, bytes) and topic_id not in names:
                name = self._name_of(topic_id)
                if name is not None:
                    names[topic_id] = name
        return names
