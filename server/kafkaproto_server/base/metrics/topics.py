"""What clients and brokers write to topics and read from them, in numbers that only grow, and what waits meanwhile.

Everything counts for all topics together, and most of it for its topic, too. Only so many topics have numbers of their
own. A deleted topic gives up its place at once. A topic whose last replica here was moved away gives up its place at
the next scrape, which looks at all replicas in any case.

A leader counts for each partition of a request, not for each record: the numbers come from the headers of batches.

Apache Kafka: ``BrokerTopicStats``, ``BrokerTopicMetrics``, ``DelayedOperationPurgatory``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

MAX_TOPICS: Final = 1_000
"""How many topics have numbers of their own."""


@dataclass(slots=True, kw_only=True)
class TopicCounts:
    """Of one topic, or of all together. Requests count once for each of their partitions, if nothing else is said."""

    bytes_in: int = 0
    """Records as producers sent them, once they are appended. What a producer repeats counts again."""
    messages_in: int = 0
    """The records in them."""
    bytes_out: int = 0
    """Records in responses to consumers and to members of share groups."""
    bytes_rejected: int = 0
    """Records that were refused because their batch is too large."""
    produce_requests: int = 0
    """Partitions of Produce requests, and appends of coordinators. Those that name no partition do not count, nor those
    whose records are not one batch of magic 2."""
    failed_produce_requests: int = 0
    """Those of them that were refused for another reason than the size, a wrong checksum, or where the leader is."""
    produce_conversions: int = 0
    """Records that the broker compressed anew."""
    fetch_requests: int = 0
    """Partitions of Fetch requests of consumers and followers. A request that continues a session counts for all
    partitions of the session."""
    failed_fetch_requests: int = 0
    """Those of them whose records cannot be read because the log is damaged."""
    share_fetch_requests: int = 0
    """ShareFetch requests, once for each topic."""
    failed_share_fetch_requests: int = 0
    """Those of them with an error for a partition of the topic."""
    share_acknowledgements: int = 0
    """Requests that acknowledge records of a topic, once for each topic."""
    failed_share_acknowledgements: int = 0
    """Those of them with an error for a partition of the topic."""


@dataclass(slots=True, kw_only=True)
class Waiting:
    operations: int = 0
    """How many requests, or partitions of requests, wait."""
    watched: int = 0
    """How many partitions they wait for."""

    def begin(self, watched: int) -> None:
        """A request waits for so many partitions."""
        self.operations += 1
        self.watched += watched

    def end(self, watched: int) -> None:
        """It does not wait any more, also not for these."""
        self.operations -= 1
        self.watched -= watched


@dataclass(slots=True, kw_only=True)
class TopicMetrics:
    all: TopicCounts = field(default_factory=TopicCounts)
    topics: dict[str, TopicCounts] = field(default_factory=dict)
    """By name."""
    replication_bytes_in: int = 0
    """Records that this broker copied as a follower."""
    replication_bytes_out: int = 0
    """Records that this broker sent to followers."""
    reassignment_bytes_in: int = 0
    """Those of `replication_bytes_in` of replicas that a reassignment adds."""
    reassignment_bytes_out: int = 0
    """Those of `replication_bytes_out` of replicas that a reassignment adds."""
    records_without_key: int = 0
    """Records that a compacted topic refused because they have no key."""
    wrong_checksums: int = 0
    """Batches that were refused because of their checksum."""
    wrong_offsets_or_sequences: int = 0
    """Batches whose header is impossible: count and offsets of the records, sequence numbers, control records."""
    expired_produces: int = 0
    """Partitions of Produce requests that were not replicated in time."""
    expired_consumer_fetches: int = 0
    """Fetch requests of consumers that waited for as long as they may."""
    expired_follower_fetches: int = 0
    """Fetch requests of followers that waited for as long as they may."""
    produces: Waiting = field(default_factory=Waiting)
    """Produce requests that wait for replicas, and coordinators for those of markers."""
    fetches: Waiting = field(default_factory=Waiting)
    share_fetches: Waiting = field(default_factory=Waiting)
    deletions: Waiting = field(default_factory=Waiting)
    """Partitions of DeleteRecords requests that wait for replicas."""
    _rest: TopicCounts = field(default_factory=TopicCounts)

    def of(self, topic: str) -> TopicCounts:
        """Where a topic is counted. Topics for which there is no place share one that nobody reads."""
        counts = self.topics.get(topic)
        if counts is None:
            if len(self.topics) >= MAX_TOPICS:
                return self._rest
            counts = self.topics[topic] = TopicCounts()
        return counts

    def forget(self, topic: str) -> None:
        """The topic was deleted, or has no replica here."""
        self.topics.pop(topic, None)

    def expire_fetch(
        self, respond: Callable[[], None], is_over: Callable[[], bool], is_from_follower: bool | None = None
    ) -> None:
        """A Fetch request of a follower or a consumer, or another request (None), has waited for as long as it may, and
        responds unless it ``is_over``."""
        if is_over():
            return
        if is_from_follower is not None:
            if is_from_follower:
                self.expired_follower_fetches += 1
            else:
                self.expired_consumer_fetches += 1
        respond()

    def appended(self, counts: TopicCounts, size: int, records: int) -> None:
        """A leader appended so many bytes with so many records."""
        counts.bytes_in += size
        counts.messages_in += records
        self.all.bytes_in += size
        self.all.messages_in += records
