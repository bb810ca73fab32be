"""Metrics of a broker's data plane: topics, the log cleaner, the quotas of clients, the throttles of replication.

Apache Kafka has the metrics of quotas for each user and client id. Clients choose their ids, so here all clients of one
kind of quota are one series: only those count that a quota holds for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from prometheus_client.core import Metric

from kafkaproto_server.base.metrics.histogram import Histogram
from kafkaproto_server.core.quotas.client_quotas import RateQuota
from kafkaproto_server.node.observability.families import gauge, gauges, summary
from kafkaproto_server.node.observability.replica_counts import ReplicaCounts
from kafkaproto_server.node.observability.replica_metrics import ReplicaMoment, replica_moment, replica_work
from kafkaproto_server.node.observability.topic_metrics import TopicMoment, topic_moment, topic_work
from kafkaproto_server.shell.replicas.files.cleaning import CleanerStatistics
from kafkaproto_server.shell.replicas.replica_manager import ReplicaManager
from kafkaproto_server.shell.serving.throttling import ThrottleStatistics

CLEANER = "kafka_log_logcleaner"
CLEANER_MANAGER = "kafka_log_logcleanermanager"

_USES = (
    (
        RateQuota.PRODUCE,
        "kafka_server_produce_byte_rate",
        "Bytes a second that clients with a quota produced.",
    ),
    (RateQuota.FETCH, "kafka_server_fetch_byte_rate", "Bytes a second that clients with a quota fetched."),
    (
        RateQuota.REQUEST,
        "kafka_server_request_request_time",
        "Percents of a processor that clients with a quota used.",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DataMetrics:
    """The values that only the event loop may read, as of one moment."""

    cleaner: CleanerStatistics
    leader_byte_rate: float
    follower_byte_rate: float
    topics: TopicMoment
    replicas: ReplicaMoment


def data_metrics(manager: ReplicaManager) -> DataMetrics:
    """The values of this moment; for the event loop."""
    throttles = manager.throttles
    return DataMetrics(
        cleaner=manager.cleaner_statistics(),
        leader_byte_rate=throttles.leader.per_second,
        follower_byte_rate=throttles.follower.per_second,
        topics=topic_moment(manager.topic_metrics),
        replicas=replica_moment(manager),
    )


def data_work(moment: DataMetrics, replicas: ReplicaCounts, rate: Callable[[str], float]) -> Iterator[Metric]:
    """What the cleaner has done, the rates of throttled replication, what is known of all replicas, and of topics.
    ``rate`` is that of a counter of `fetcher_counters`, in a second."""
    yield from replica_work(moment.replicas, replicas, rate)
    yield gauge(
        "kafka_server_replicamanager_produceridcount",
        "Producers that are known, in all replicas together.",
        replicas.producers,
    )
    yield gauge(
        "kafka_server_replicamanager_partitionswithlatetransactionscount",
        "Partitions that this broker leads with a transaction that should have ended.",
        replicas.late_transactions,
    )
    yield from topic_work(moment.topics)
    cleaner = moment.cleaner
    # A cleaner that fails ends the node.
    yield gauge(f"{CLEANER}_deadthreadcount", "Always 0.", 0)
    yield gauge(f"{CLEANER}_max_clean_time_secs", "How long the last cleaning took, seconds.", cleaner.last_s)
    yield gauge(
        f"{CLEANER}_cleaner_recopy_percent",
        "What the last cleaning wrote, as percents of what it read.",
        cleaner.recopy_percent,
    )
    yield gauge(
        f"{CLEANER_MANAGER}_time_since_last_run_ms",
        "Since the cleaner looked for a log to clean, ms.",
        cleaner.since_last_run_ms,
    )
    yield gauge(
        f"{CLEANER_MANAGER}_max_dirty_percent",
        "Percents of the dirtiest log that were dirty when the cleaner looked.",
        cleaner.max_dirty_percent,
    )
    yield gauges(
        f"{CLEANER_MANAGER}_uncleanable_partitions_count",
        "Logs that cannot be cleaned, by log directory.",
        [({"logDirectory": path}, number) for path, number in sorted(cleaner.uncleanable.items())],
    )
    yield gauge(
        "kafka_server_leaderreplication_byte_rate",
        "Bytes a second of throttled replicas to followers.",
        moment.leader_byte_rate,
    )
    yield gauge(
        "kafka_server_followerreplication_byte_rate",
        "Bytes a second of throttled replicas from leaders.",
        moment.follower_byte_rate,
    )


def quota_counters(statistics: ThrottleStatistics) -> Iterator[tuple[str, float]]:
    """The counters from which the rates of `quota_work` are computed, by name."""
    for kind, name, _ in _USES:
        yield name, statistics.used[kind]


def quota_work(statistics: ThrottleStatistics, rate: Callable[[str], float]) -> Iterator[Metric]:
    """What clients use that a quota holds for, and how long they have to wait. ``rate`` is that of a counter of
    `quota_counters`, in a second."""
    for _, name, text in _USES:
        yield gauge(name, text, rate(name))
    waits: Mapping[str, Histogram] = statistics.waits
    for kind, waited in waits.items():
        yield summary(
            f"kafka_server_{kind}_throttle_time", "How long throttled clients have to wait.", [({}, waited)]
        )
