"""What `/metrics` tells of all replicas of a broker together: they are looked at some thousand in one turn of the loop.

A look also brings the metrics of topics up to date: it counts the requests of fetch sessions, and ends the series of
topics that the broker has no replica of any more.

A transaction is late if it is still open five minutes after the longest timeout that a producer may ask for. Its
coordinator must have ended it by then. It counts from the newest record of its producer, by the record's timestamp, as
in Apache Kafka (``ReplicaManager``, ``ProducerStateManager``).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import trio

from kafkaproto_server.node.replicas.replica_manager import ReplicaManager
from kafkaproto_server.replica.partition import Role

REPLICAS_AT_ONCE: Final = 2_000
"""How many replicas are looked at in one turn, about a millisecond."""
TOPICS_AT_ONCE: Final = 2_000
"""The same for topics of fetch sessions."""
LATE_AFTER_MS: Final = 5 * 60 * 1000


class ReplicaCounts(NamedTuple):
    """All replicas of a broker."""

    producers: int = 0
    """Producers that are known, in all replicas together."""
    late_transactions: int = 0
    """Partitions that this broker leads with a transaction that is late."""


async def count_replicas(manager: ReplicaManager, wall_ms: int) -> ReplicaCounts:
    """Look at all replicas."""
    known = list(manager.topic_metrics.topics)
    latest_ms = wall_ms - manager.max_transaction_timeout_ms - LATE_AFTER_MS
    producers = late = 0
    topics: set[str] = set()
    for position, hosted in enumerate(tuple(manager.replicas), start=1):
        partition = hosted.partition
        producers += partition.producers.count
        late += (
            partition.role is Role.LEADER and 0 < partition.producers.oldest_transaction_timestamp < latest_ms
        )
        topics.add(partition.topic)
        if position % REPLICAS_AT_ONCE == 0:
            await trio.lowlevel.checkpoint()
    await _settle_sessions(manager)
    for topic in known:
        if topic not in topics:
            manager.topic_metrics.forget(topic)
    await trio.lowlevel.checkpoint()
    return ReplicaCounts(producers, late)


async def _settle_sessions(manager: ReplicaManager) -> None:
    settled = 0
    for session in manager.fetches.sessions.cache:
        settled += session.settle()
        if settled >= TOPICS_AT_ONCE:
            settled = 0
            await trio.lowlevel.checkpoint()
