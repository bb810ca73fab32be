"""One fetch session (KIP-227): its partitions, what each was asked and told last, and which may have something to say.

A session has a set of *pending* partitions. A partition is pending when it joins the session, and again whenever a
request names it or it changes (`CachedPartition.partition_changed`). `fetch_sessions` says how requests use them.

Which topics the requests of a session are about is counted when a partition joins or leaves it, and when somebody
wants to know (`FetchSession.settle`): a request counts in no more than one place.

Apache Kafka: ``FetchSession``, ``CachedPartition``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

import msgspec

from kafkaproto_server.requests.data import PartitionResult
from kafkaproto_server.requests.fetch_requests import FetchValues, PartitionFetch, PartitionKey

FULL_EPOCH: Final = 0
"""Epoch of a request that has all partitions and asks for a session."""
_MAX_EPOCH: Final = 2**31 - 1


class WatchedPartition(Protocol):
    """A partition that this broker hosts. It calls ``partition_changed`` of each watcher when its log end offset, high
    watermark, last stable offset, log start offset, leadership or error state changes, and when it is removed.
    """

    @property
    def watchers(self) -> dict[Any, None]:
        """Those whose ``partition_changed`` it calls."""


Wake = Callable[[PartitionFetch], None]
"""Takes a partition of a waiting request that has changed."""

Counted = Callable[[bytes | str, int], None]
"""Takes how many partitions of a topic, by id or name, incremental requests were about since it was called last."""

NameOf = Callable[[bytes], str | None]
"""The name of a topic, by its id; None if there is none."""


class _TopicRequests(msgspec.Struct, gc=False):
    """What of a topic a session's requests are about."""

    partitions: int
    settled: int
    """So many requests of the session are counted already."""
    name: str | None
    """The name of a topic that the session has by its id; None as long as it is not known."""


class CachedPartition(msgspec.Struct, eq=False):
    """A partition of a session: what was asked last and what was answered last.

    It and its session refer to each other, so the collector has to know of it.
    """

    key: PartitionKey
    fetch: PartitionFetch
    session: FetchSession
    order: int
    """Place in the session's order."""
    high_watermark: int = -1
    log_start_offset: int = -1
    watched: WatchedPartition | None = None

    def partition_changed(self, partition: object) -> None:
        """It may have something to say."""
        session = self.session
        session.pending[self] = session.looks
        if session.wake is not None:
            session.wake(self.fetch)

    def said(self, result: PartitionResult) -> None:
        """A response has this. With an error, or if logs differ, the client takes no offset from it: they are said
        again once it does."""
        is_taken = not result.error_code and not result.is_diverging
        self.high_watermark = result.high_watermark if is_taken else -1
        self.log_start_offset = result.log_start_offset if is_taken else -1

    def watch(self, partition: WatchedPartition | None) -> None:
        """Be a watcher of this partition and of no other."""
        if self.watched is not partition:
            if self.watched is not None:
                self.watched.watchers.pop(self, None)
            if partition is not None:
                partition.watchers[self] = None
            self.watched = partition


class FetchSession:
    """One session: its partitions and the epoch of the request that it expects next."""

    __slots__ = (
        "_counted",
        "_next_order",
        "_topics",
        "_unnamed",
        "created_ms",
        "epoch",
        "id",
        "is_privileged",
        "looks",
        "partitions",
        "pending",
        "requests",
        "uses_topic_ids",
        "wake",
    )

    def __init__(
        self, session_id: int, *, is_privileged: bool, uses_topic_ids: bool, now_ms: int, counted: Counted
    ) -> None:
        self.id = session_id
        self.is_privileged = is_privileged
        self.uses_topic_ids = uses_topic_ids
        self.created_ms = now_ms
        self.epoch = next_epoch(FULL_EPOCH)
        self.partitions: dict[PartitionKey, CachedPartition] = {}
        self.pending: dict[CachedPartition, int] = {}
        """With each the number of looks that there had been when it became pending. If it became pending after the look
        of a request, that request's response does not settle it."""
        self.looks = 0
        self.wake: Wake | None = None
        """Called when a partition changes, while a request waits."""
        self.requests = 0
        """How many requests have continued the session."""
        self._next_order = 0
        self._counted = counted
        self._topics: dict[bytes | str, _TopicRequests] = {}
        self._unnamed: dict[bytes, None] = {}

    @property
    def size(self) -> int:
        """How many partitions it has."""
        return len(self.partitions)

    def add(self, key: PartitionKey, fetch: PartitionFetch, name: str | None) -> CachedPartition:
        """Add a partition at the end of the order. It is pending. ``name`` is that of a topic that has an id here."""
        assert key not in self.partitions, "a partition joins a session once"
        partition = CachedPartition(key, fetch, self, self._next_order)
        self._next_order += 1
        self.partitions[key] = partition
        self.pending[partition] = self.looks
        topic = self._topics.get(key[0])
        if topic is None:
            self._topics[key[0]] = _TopicRequests(1, self.requests, name)
            if name is None and isinstance(key[0], bytes):
                self._unnamed[key[0]] = None
        else:
            self._settle(key[0], topic)
            topic.partitions += 1
        return partition

    def update(self, request: FetchValues, names: Mapping[bytes, str]) -> None:
        """Take what an incremental request names, and drop what it forgets. ``names`` are those of its topics."""
        for key, fetch in request.partitions.items():
            partition = self.partitions.get(key)
            if partition is None:
                self.add(key, fetch, name_of_key(names, key))
            else:
                # What the client names again has changed for it, so it wants to hear of the partition whatever was said
                # last.
                partition.fetch = fetch
                self.pending[partition] = self.looks
        # Behind the others, as in Kafka: what is named and forgotten in one request is forgotten.
        for key in request.forgotten:
            partition = self.partitions.pop(key, None)
            if partition is not None:
                partition.watch(None)
                self.pending.pop(partition, None)
                self._leaves(key[0])

    def _leaves(self, key: bytes | str) -> None:
        topic = self._topics[key]
        self._settle(key, topic)
        topic.partitions -= 1
        assert topic.partitions >= 0, "more partitions left a session than had joined it"
        if not topic.partitions:
            del self._topics[key]
            if isinstance(key, bytes):
                self._unnamed.pop(key, None)

    def learn_names(self, name_of: NameOf) -> None:
        """Look again for the names of topics that were not known so far."""
        for topic_id in [*self._unnamed]:
            name = name_of(topic_id)
            if name is not None:
                self._topics[topic_id].name = name
                del self._unnamed[topic_id]

    def known_name(self, topic_id: bytes) -> str | None:
        """The name that a topic of the session had; None if it was never known."""
        topic = self._topics.get(topic_id)
        return None if topic is None else topic.name

    def _settle(self, key: bytes | str, topic: _TopicRequests) -> None:
        assert topic.settled <= self.requests, "requests are counted once"
        if topic.settled < self.requests:
            self._counted(key, topic.partitions * (self.requests - topic.settled))
            topic.settled = self.requests

    def settle(self) -> int:
        """Count the requests for each topic, up to now. Returns the number of topics."""
        for key, topic in self._topics.items():
            self._settle(key, topic)
        return len(self._topics)

    def move_to_end(self, partition: CachedPartition) -> None:
        """Make it the last in the order."""
        partition.order = self._next_order
        self._next_order += 1

    def close(self) -> None:
        """Watch nothing any more. A request that is under way may still be answered."""
        self.settle()
        self._topics.clear()
        self._unnamed.clear()
        # Partitions live on, and would call a session that nobody can continue.
        for partition in self.partitions.values():
            partition.watch(None)
        self.partitions.clear()
        self.pending.clear()


def name_of_key(names: Mapping[bytes, str], key: PartitionKey) -> str | None:
    return names.get(key[0]) if isinstance(key[0], bytes) else None


def next_epoch(epoch: int) -> int:
    """The epoch of the request after the one with ``epoch``: 1 follows the largest int32."""
    # 0 and -1 mean something else (`FULL_EPOCH`, `FINAL_EPOCH`).
    return 1 if epoch == _MAX_EPOCH else epoch + 1
