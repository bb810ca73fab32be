"""What `/metrics` tells of the replicas of a broker: they are looked at some hundred in one turn of the loop.

A look also brings the metrics of topics up to date: it counts the requests of fetch sessions, and ends the series of
topics that the broker has no replica of any more.

A transaction is late if it is still open five minutes after the longest timeout that a producer may ask for. Its
coordinator must have ended it by then. It counts from the newest record of its producer, by the record's timestamp, as
in Apache Kafka (``ReplicaManager``, ``ProducerStateManager``).

What makes a partition under-replicated, or puts it at or under its min ISR, is as in Apache Kafka's ``Partition``: only
the leader tells. While a partition is reassigned, the replicas that are added do not count as missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec
import trio

from kafkaproto_server.core.replicas.partition import Role
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.replica_manager import ReplicaManager
from kafkaproto_server.shell.storage.log.topic_log import TopicLog

REPLICAS_AT_ONCE: Final = 500
"""How many replicas are looked at in one turn, about three milliseconds."""
TOPICS_AT_ONCE: Final = 2_000
"""The same for topics of fetch sessions."""
LATE_AFTER_MS: Final = 5 * 60 * 1000


class LogLook(msgspec.Struct, frozen=True, gc=False):
    """A log that is open."""

    size: int
    segments: int
    log_start_offset: int
    log_end_offset: int
    retention_percent: int
    """Its size as percents of ``retention.bytes``; 0 without such a limit."""


class LeaderLook(msgspec.Struct, frozen=True, gc=False):
    """What the leader of a partition tells of it."""

    replicas: int
    """Without those that a reassignment adds."""
    in_sync: int
    is_under_replicated: bool
    is_under_min_isr: bool
    is_at_min_isr: bool


NOT_LEADING: Final = LeaderLook(0, 0, False, False, False)
"""What a follower tells: nothing."""


class ReplicaLook(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One replica with an open log."""

    topic: str
    index: int
    leader: LeaderLook
    last_stable_offset_lag: int
    log: LogLook
    fetcher: str
    """Who copies it; empty if nobody does, or if its leader has not responded yet."""
    lag: int
    """How many records of the leader it lacks, as that fetcher knows."""


@dataclass(slots=True, kw_only=True)
class ReplicaCounts:
    """All replicas of a broker."""

    producers: int = 0
    """Producers that are known, in all replicas together."""
    late_transactions: int = 0
    """Partitions that this broker leads with a transaction that is late."""
    partitions: int = 0
    offline: int = 0
    """Those of them whose log cannot be used."""
    leaders: int = 0
    """Partitions that this broker leads. Those that follow are of these."""
    under_replicated: int = 0
    under_min_isr: int = 0
    at_min_isr: int = 0
    reassigning: int = 0
    max_lag: int = 0
    """The largest lag of all that is copied."""
    replicas: list[ReplicaLook] = field(default_factory=list)
    """Those with an open log."""


async def count_replicas(manager: ReplicaManager, wall_ms: int) -> ReplicaCounts:
    counts = ReplicaCounts()
    known = list(manager.topic_metrics.topics)
    latest_ms = wall_ms - manager.max_transaction_timeout_ms - LATE_AFTER_MS
    topics: set[str] = set()
    hosted = tuple(manager.replicas)
    for begin in range(0, len(hosted), REPLICAS_AT_ONCE):
        _look(counts, manager, hosted[begin : begin + REPLICAS_AT_ONCE], latest_ms)
        topics.update(each.partition.topic for each in hosted[begin : begin + REPLICAS_AT_ONCE])
        if begin + REPLICAS_AT_ONCE <= len(hosted):
            await trio.lowlevel.checkpoint()
    not_opened = len(manager.replicas.offline)
    counts.partitions = len(hosted) + not_opened
    counts.offline += not_opened
    await _settle_sessions(manager)
    for topic in known:
        if topic not in topics:
            manager.topic_metrics.forget(topic)
    await trio.lowlevel.checkpoint()
    return counts


def _look(counts: ReplicaCounts, manager: ReplicaManager, several: Sequence[Hosted], latest_ms: int) -> None:
    for hosted in several:
        partition, log = hosted.partition, hosted.log
        counts.producers += partition.producers.count
        if partition.role is Role.OFFLINE:
            counts.offline += 1
            continue
        leader = NOT_LEADING
        if partition.role is Role.LEADER:
            leader = _look_of_leader(hosted)
            _count_leader(counts, hosted, leader)
            counts.late_transactions += 0 < partition.producers.oldest_transaction_timestamp < latest_ms
        if log is not None:
            followed = manager.fetchers.lag_of((partition.topic_id, partition.index))
            fetcher, lag = followed or ("", 0)
            counts.max_lag = max(counts.max_lag, lag)
            counts.replicas.append(
                ReplicaLook(
                    topic=partition.topic,
                    index=partition.index,
                    leader=leader,
                    last_stable_offset_lag=partition.high_watermark - partition.last_stable_offset,
                    log=_look_of_log(hosted, log),
                    fetcher=fetcher,
                    lag=lag,
                )
            )


def _look_of_leader(hosted: Hosted) -> LeaderLook:
    partition = hosted.partition
    adding = () if hosted.image is None else hosted.image.adding_replicas
    replicas = len(partition.replicas) - len(adding)
    in_sync, required = len(partition.isr), partition.required_isr_size
    return LeaderLook(
        replicas=replicas,
        in_sync=in_sync,
        is_under_replicated=in_sync < replicas,
        is_under_min_isr=in_sync < required,
        is_at_min_isr=in_sync == required,
    )


def _count_leader(counts: ReplicaCounts, hosted: Hosted, leader: LeaderLook) -> None:
    image = hosted.image
    counts.leaders += 1
    counts.under_replicated += leader.is_under_replicated
    counts.under_min_isr += leader.is_under_min_isr
    counts.at_min_isr += leader.is_at_min_isr
    counts.reassigning += image is not None and image.is_being_reassigned()


def _look_of_log(hosted: Hosted, log: TopicLog) -> LogLook:
    partition, segments = hosted.partition, log.log.segments
    size, most = sum(each.size for each in segments), hosted.settings.retention.max_bytes
    return LogLook(
        size=size,
        segments=len(segments),
        log_start_offset=partition.log_start_offset,
        log_end_offset=partition.log_end_offset,
        retention_percent=size * 100 // most if most > 0 else 0,
    )


async def _settle_sessions(manager: ReplicaManager) -> None:
    settled = 0
    for session in manager.fetches.sessions.cache:
        settled += session.settle()
        if settled >= TOPICS_AT_ONCE:
            settled = 0
            await trio.lowlevel.checkpoint()
