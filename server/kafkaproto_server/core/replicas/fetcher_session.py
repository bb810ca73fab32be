"""The follower's side of a fetch session (KIP-227): what the next Fetch request to one leader has to name.

The fetcher says what it wants of each partition (`FetcherSession.want`, `forget`) whenever that changes. The session
keeps the difference from what the leader knows. A full request (epoch 0) names all partitions. If the leader begins a
session with it, each further request names only the partitions that changed, and forgets those that are no longer
wanted. So a request costs what changed, not what there is.

After an error, or if no response comes, the state of the leader's session is not known. Then the next request is a full
one, which also closes that session.

A partition that is wanted with other values goes to the end of the order. If a leader has no place for a session, it
reads the partitions of each full request in that order, and so all partitions get their turn.

Apache Kafka: ``FetchSessionHandler``. It is given all partitions for each request and compares them.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.replicas.fetch_session import FULL_EPOCH, next_epoch
from kafkaproto_server.core.replicas.fetch_sessions import NO_SESSION
from kafkaproto_server.requests.fetch_requests import PartitionFetch, PartitionKey, partition_key


class FetcherRequest(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a Fetch request has to say of sessions and partitions."""

    session_id: int
    session_epoch: int
    partitions: list[PartitionFetch]
    forgotten: list[PartitionKey]


class FetcherSession:
    """What one leader knows of the wants of one fetcher. One request is under way at a time."""

    __slots__ = ("_changed", "_epoch", "_forgotten", "_is_under_way", "_known", "_session_id", "_wanted")

    def __init__(self) -> None:
        self._wanted: dict[PartitionKey, PartitionFetch] = {}
        # Wanted partitions that the leader's session does not have, or has with other values.
        self._changed: dict[PartitionKey, None] = {}
        # Partitions that the leader's session has without need.
        self._forgotten: dict[PartitionKey, None] = {}
        # The partitions of the leader's session once it has taken the last request.
        self._known: dict[PartitionKey, None] = {}
        self._session_id = NO_SESSION
        self._epoch = FULL_EPOCH
        self._is_under_way = False

    def __len__(self) -> int:
        """How many partitions are wanted."""
        return len(self._wanted)

    def __contains__(self, key: PartitionKey) -> bool:
        """Whether a partition is wanted."""
        return key in self._wanted

    def want(self, fetch: PartitionFetch) -> None:
        """Fetch a partition like this from the next request on."""
        key = partition_key(fetch)
        wanted = self._wanted
        if wanted.get(key) != fetch:
            # To the end of the order, so that a leader without a session for this broker does not starve others.
            wanted.pop(key, None)
            wanted[key] = fetch
            self._changed.pop(key, None)
            self._changed[key] = None
        # A partition that is named and forgotten in one request would be forgotten.
        self._forgotten.pop(key, None)

    def forget(self, key: PartitionKey) -> None:
        """Do not fetch a partition any more; nothing happens if it is not wanted."""
        if self._wanted.pop(key, None) is not None:
            self._changed.pop(key, None)
            # The leader does not have to forget what it was never told.
            if key in self._known:
                self._forgotten[key] = None

    def next_request(self) -> FetcherRequest:
        """The content of the next request, after which `handle_response` or `handle_failure` has to be called."""
        assert not self._is_under_way, "a fetcher has two requests to one leader under way"
        self._is_under_way = True
        wanted = self._wanted
        if self._epoch == FULL_EPOCH:
            self._known = dict.fromkeys(wanted)
            partitions = list(wanted.values())
            forgotten = []
        else:
            for key in self._forgotten:
                del self._known[key]
            # Before the response: if there is none, everything begins anew.
            self._known.update(self._changed)
            partitions = [wanted[key] for key in self._changed]
            forgotten = list(self._forgotten)
        self._changed.clear()
        self._forgotten.clear()
        return FetcherRequest(
            session_id=self._session_id, session_epoch=self._epoch, partitions=partitions, forgotten=forgotten
        )

    def handle_response(self, *, error_code: int, session_id: int, keys: AbstractSet[PartitionKey]) -> bool:
        """Take the session's part of a response; ``keys`` are the partitions in it. Returns whether they can be used.

        They cannot after an error of the session, or if there is a partition that was not asked for. The response to a
        full request has to have all partitions; an empty one is what a leader sends that throttles the fetcher.
        """
        assert self._is_under_way, "a response came without a request"
        # The leader has evicted the session, so there is none to close.
        if error_code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND:
            self._begin_again(NO_SESSION)
            return False
        if error_code != ErrorCode.NONE:
            self._begin_again(self._session_id)
            return False
        if self._epoch == FULL_EPOCH:
            # A leader that misses one of them has not understood the request; its session would never tell of that
            # partition.
            is_usable = keys == self._known.keys()
            session_id = session_id if is_usable else NO_SESSION
        else:
            is_usable = keys <= self._known.keys()
            if not is_usable:
                self._begin_again(self._session_id)
                return False
        # The leader had no place. All partitions are named each time, and each time it may have one.
        if session_id == NO_SESSION:
            self._begin_again(NO_SESSION)
        else:
            self._session_id = session_id
            self._epoch = next_epoch(self._epoch)
            self._is_under_way = False
        return is_usable

    def handle_failure(self) -> None:
        """No response came: whether the leader took the request is not known."""
        assert self._is_under_way, "a request failed that is not under way"
        self._begin_again(self._session_id)

    def _begin_again(self, session_id: int) -> None:
        """The next request is a full one and closes the session with that id, if it names one."""
        self._session_id = session_id
        self._epoch = FULL_EPOCH
        self._is_under_way = False
