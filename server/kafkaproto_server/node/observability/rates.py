"""Rates and averages of the last minute, and the counters from which they are computed.

Prometheus computes rates itself; these are for the metrics that Apache Kafka shows as rates, so that its boards work.
"""

from __future__ import annotations

from collections.abc import Mapping

from kafkaproto_server.base.metrics.window import Window
from kafkaproto_server.core.raft.values.statistics import RaftStatistics
from kafkaproto_server.node.observability.coordinator_metrics import coordination_counters
from kafkaproto_server.node.observability.data_metrics import quota_counters
from kafkaproto_server.node.observability.families import PeerRates
from kafkaproto_server.node.observability.loop_watch import LoopWatch
from kafkaproto_server.node.observability.observed import ObservedBroker
from kafkaproto_server.node.observability.replica_metrics import fetcher_counters
from kafkaproto_server.shell.quorum.driver import QuorumDriver
from kafkaproto_server.shell.serving.throttling import ThrottleStatistics


class Rates:
    """What has become of the counters until one moment."""

    def __init__(self, window: Window, at_s: float, counters: Mapping[str, float]) -> None:
        self._window = window
        self._at_s = at_s
        self._counters = counters

    def of(self, name: str) -> float:
        """The growth of a counter in a second."""
        return self._window.rate(name, self._at_s, self._counters)

    def ratio(self, part: str, whole: str) -> float:
        """The growth of one counter divided by that of another; NaN if that has not grown."""
        return self._window.ratio(part, whole, self._counters)

    def of_peer(self, node_id: int) -> PeerRates:
        return PeerRates(
            requests=self.of(f"requests to {node_id}"),
            sent_bytes=self.of(f"bytes to {node_id}"),
            received_bytes=self.of(f"bytes from {node_id}"),
        )


def counters_of(
    quorum: QuorumDriver,
    raft: RaftStatistics,
    loop: LoopWatch,
    throttled: ThrottleStatistics,
    broker: ObservedBroker | None,
) -> Mapping[str, float]:
    """All counters of a node, by name."""
    metrics = quorum.metrics
    counted: dict[str, float] = {
        "appended": metrics.appended_records,
        "fetched": metrics.fetched_records,
        "commits": metrics.commits.count,
        "commit_ms": metrics.commits.sum_ms,
        "elections": raft.election_latency_count,
        "election_ms": raft.election_latency_sum_ms,
        "idle": metrics.idle_ms,
        "idle_or_busy": metrics.idle_ms + metrics.busy_ms,
        "loop_waited": loop.waited_s,
    }
    counted.update(quota_counters(throttled))
    if broker is not None:
        counted.update(fetcher_counters(broker.manager))
        counted.update(coordination_counters(broker.coordination.metrics))
    for node_id, peer in quorum.peer_statistics().items():
        counted[f"requests to {node_id}"] = sum(peer.requests.values())
        counted[f"bytes to {node_id}"] = peer.sent_bytes
        counted[f"bytes from {node_id}"] = peer.received_bytes
    return counted
