"""Metrics of the quorum's task: elections, appends, commits, and how busy it is."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client.core import Metric

from kafkaproto_server.base.metrics.histogram import Histogram
from kafkaproto_server.node.observability.families import RAFT, counters, gauge, summary
from kafkaproto_server.node.observability.rates import Rates
from kafkaproto_server.shell.quorum.metrics import QuorumMetrics


def quorum_work(
    quorum: QuorumMetrics, rates: Rates, *, flushes: Histogram, waiting_events: int
) -> Iterator[Metric]:
    """``flushes`` are the syncs of all logs, ``waiting_events`` is how many events the quorum's task has before it."""
    yield gauge(
        f"{RAFT}_election_latency_avg",
        "Election of this node, ms.",
        rates.ratio("election_ms", "elections"),
    )
    yield gauge(
        f"{RAFT}_commit_latency_avg",
        "From append to commit, ms.",
        rates.ratio("commit_ms", "commits"),
    )
    yield gauge(f"{RAFT}_commit_latency_max", "From append to commit, ms.", quorum.commits.max_ms)
    yield summary(f"{RAFT}_commit_latency", "From append to commit, ms.", [({}, quorum.commits)])
    yield counters(f"{RAFT}_append_records", "Records appended as leader.", [({}, quorum.appended_records)])
    yield gauge(
        f"{RAFT}_append_records_rate",
        "Records appended as leader a second.",
        rates.of("appended"),
    )
    yield counters(f"{RAFT}_fetch_records", "Records fetched.", [({}, quorum.fetched_records)])
    yield gauge(f"{RAFT}_fetch_records_rate", "Records fetched a second.", rates.of("fetched"))
    yield gauge(
        f"{RAFT}_poll_idle_ratio_avg",
        "Share of its time that the quorum's task waits.",
        rates.ratio("idle", "idle_or_busy"),
    )
    yield summary(
        "kafka_log_logflushstats_logflushrateandtimems",
        "Syncs of logs.",
        [({}, flushes)],
    )
    yield summary(
        "kafkaproto_raft_persist_time_ms",
        "From append until it is durable here; a sync may have to end first.",
        [({}, quorum.persists)],
    )
    yield gauge(
        "kafka_network_requestchannel_requestqueuesize",
        "What waits for the quorum's task.",
        waiting_events,
    )
