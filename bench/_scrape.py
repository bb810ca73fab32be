"""Reading a node's /metrics: sample names with their labels, as they stand in the text, and their values."""

from __future__ import annotations

import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass


def scrape(http_address: str) -> Mapping[str, float]:
    """Every sample of a node's /metrics."""
    with urllib.request.urlopen(f"http://{http_address}/metrics", timeout=10) as response:
        text: str = response.read().decode()
    samples = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, value = line.rpartition(" ")
            samples[name] = float(value)
    return samples


def longest_stall_ms(before: Mapping[str, float], after: Mapping[str, float]) -> float:
    """Upper bound of the longest time between two scrapes of a node of ours in which its event loop did not turn."""
    return _highest_bucket("kafkaproto_event_loop_stall_ms", before, after)


def longest_turn_ms(before: Mapping[str, float], after: Mapping[str, float]) -> float:
    """Upper bound of the processor time that one pass of the event loop took between two scrapes."""
    return _highest_bucket("kafkaproto_event_loop_cpu_ms", before, after)


def _highest_bucket(histogram: str, before: Mapping[str, float], after: Mapping[str, float]) -> float:
    prefix = f'{histogram}_bucket{{le="'
    seen = 0.0
    longest = 0.0
    for name, value in after.items():
        if name.startswith(prefix):
            up_to_here = value - before.get(name, 0.0)
            if up_to_here > seen:
                longest = float(name.removeprefix(prefix).removesuffix('"}'))
            seen = up_to_here
    return longest


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitSplit:
    """Where the time of writes went between two scrapes of a leader of ours: milliseconds on average.

    The three times add up to the time from a request's arrival to its answer having been sent.
    """

    append: float
    """Waiting for its turn, being decided on, lingering for others to share the batch; and the answer."""
    sync: float
    """Of its batch: being written and synced by the leader, with the wait for the sync before."""
    replication: float
    """From then until a majority has it; 0 where the followers were faster."""
    records_per_sync: float

    @classmethod
    def between(cls, api: str, before: Mapping[str, float], after: Mapping[str, float]) -> CommitSplit:
        """The split of the requests of one api."""

        def growth(name: str, labels: str = "") -> float:
            return after[name + labels] - before.get(name + labels, 0.0)

        def mean(name: str, labels: str = "") -> float:
            return growth(f"{name}_sum", labels) / max(1.0, growth(f"{name}_count", labels))

        total = mean("kafka_network_requestmetrics_totaltimems", f'{{request="{api}"}}')
        commit = mean("kafka_server_raft_metrics_commit_latency")
        persist = mean("kafkaproto_raft_persist_time_ms")
        syncs = growth("kafka_log_logflushstats_logflushrateandtimems_count")
        return cls(
            append=total - commit,
            sync=min(persist, commit),
            replication=max(0.0, commit - persist),
            records_per_sync=growth("kafka_server_raft_metrics_append_records_total") / max(1.0, syncs),
        )

    def __str__(self) -> str:
        return (
            f"append {self.append:.2f}, sync {self.sync:.2f}, replication {self.replication:.2f}"
            f" ({self.records_per_sync:.1f} records a sync)"
        )
