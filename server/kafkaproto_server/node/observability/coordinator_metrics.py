"""The families of metrics about coordinators of groups, transactions and share groups, and about share partitions.

Apache Kafka has some of the metrics of share groups for each group. Clients choose these names, so here all groups are
one series there, except for dead letters: only a group with a config for them has any. What Kafka measures of its
threads, queues and buffers is not here: a coordinator of ours decides at once, in the event loop, and appends at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from prometheus_client.core import Metric

from kafkaproto_server.base.metrics.coordinators import CoordinatorMetrics
from kafkaproto_server.base.metrics.histogram import Histogram
from kafkaproto_server.core.share_partitions.acknowledging import AcknowledgeType
from kafkaproto_server.metadata.topic_names import SHARE_TOPIC
from kafkaproto_server.node.observability.coordination import CoordinationMoment
from kafkaproto_server.node.observability.families import counter, counters, gauge, gauges, summary
from kafkaproto_server.shell.coordinators.led import LedCounts
from kafkaproto_server.shell.share_partitions.dead_letters import DeadLetterCounts

GROUPS = "kafka_server_group_coordinator_metrics"
CLASSIC_GROUPS = "kafka_coordinator_group_groupmetadatamanager"
TRANSACTIONS = "kafka_server_transaction_coordinator_metrics"
MARKERS = "kafka_coordinator_transaction_transactionmarkerchannelmanager"
VERIFICATION = "kafka_server_addpartitionstotxnmanager"
SHARE_STATES = "kafka_server_share_coordinator_metrics"
SHARE_GROUPS = "kafka_server_sharegroupmetrics"
SHARE_PARTITIONS = "kafka_server_sharepartitionmetrics"
SHARE_SESSIONS = "kafka_server_sharesessioncache"

_DEAD_LETTERS: tuple[tuple[str, str, Callable[[DeadLetterCounts], int]], ...] = (
    (
        "deadletterqueuerecordcount",
        "Records written to the dead-letter topic of a share group.",
        lambda counts: counts.records,
    ),
    (
        "deadletterqueuetotalproducerequestspersec",
        "Tries to write to the dead-letter topic of a share group.",
        lambda counts: counts.produced,
    ),
    (
        "deadletterqueuefailedproducerequestspersec",
        "Batches that could not be written to the dead-letter topic of a share group, and were given up.",
        lambda counts: counts.failed,
    ),
)

Rate = Callable[[str], float]
"""The growth of a counter of `coordination_counters` in a second."""
Ratio = Callable[[str, str], float]
"""The growth of one of them, divided by that of another."""

_DEAD = "Dead"
"""A state that all kinds of groups have in Apache Kafka's metrics. No group stays in it."""
_CLASSIC_STATES = ("Empty", "PreparingRebalance", "CompletingRebalance", "Stable", _DEAD)
_KINDS = {
    "classic": _CLASSIC_STATES,
    "consumer": ("Empty", "Assigning", "Reconciling", "Stable", _DEAD),
    "share": ("Empty", "Stable", _DEAD),
    "streams": ("Empty", "NotReady", "Assigning", "Reconciling", "Stable", _DEAD),
}
_SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999}
"""The quantiles of Kafka's coordinators."""
_LOADS = (GROUPS, TRANSACTIONS, SHARE_STATES)


def _group_counters(metrics: CoordinatorMetrics) -> Mapping[str, tuple[int, str]]:
    """The number and a text, by the name in Kafka."""
    groups = metrics.groups
    return {
        "offset_commit": (groups.offset_commits, "Offsets that were committed"),
        "offset_expiration": (groups.offsets_expired, "Offsets that expired"),
        "offset_deletion": (groups.offset_deletions, "Offsets that administrators deleted"),
        "group_completed_rebalance": (groups.completed_rebalances, "Completed rebalances of classic groups"),
        "consumer_group_rebalance": (groups.consumer_rebalances, "Rebalances of consumer groups"),
        "share_group_rebalance": (groups.share_rebalances, "Rebalances of share groups"),
        "streams_group_rebalance": (groups.streams_rebalances, "Rebalances of streams groups"),
    }


def _loads(metrics: CoordinatorMetrics) -> Iterator[tuple[str, Histogram]]:
    loads = (metrics.group_loads, metrics.transaction_loads, metrics.share_loads)
    return zip(_LOADS, loads, strict=True)


def coordination_counters(metrics: CoordinatorMetrics) -> Iterator[tuple[str, float]]:
    """The counters from which rates and averages are computed, by name."""
    for name, (number, _) in _group_counters(metrics).items():
        yield f"{GROUPS}_{name}", number
    for prefix, times in (*_loads(metrics), (f"{SHARE_STATES}_write", metrics.share_states.write_latencies)):
        yield f"{prefix} times", times.count
        yield f"{prefix} ms", times.sum_ms
    yield f"{SHARE_STATES}_write", metrics.share_states.writes


def coordination_work(moment: CoordinationMoment, rate: Rate, ratio: Ratio) -> Iterator[Metric]:
    yield from _groups(moment)
    for name, (number, text) in _group_counters(moment.metrics).items():
        yield gauge(f"{GROUPS}_{name}_count", f"{text}.", number)
        yield gauge(f"{GROUPS}_{name}_rate", f"{text}, a second.", rate(f"{GROUPS}_{name}"))
    for prefix, times in _loads(moment.metrics):
        text = "How long it took to load a partition, ms"
        yield gauge(f"{prefix}_partition_load_time_max", f"{text}: the longest.", times.max_ms)
        yield gauge(
            f"{prefix}_partition_load_time_avg",
            f"{text}: the average.",
            ratio(f"{prefix} ms", f"{prefix} times"),
        )
    yield from _commits(moment.metrics)
    yield _partitions(GROUPS, moment.led_groups)
    yield _partitions(SHARE_STATES, moment.led_share)
    yield from _transactions(moment)
    yield from _share_states(moment, rate, ratio)
    yield from _share_groups(moment)
    yield from _dead_letters(moment)
    yield from _share_partitions(moment)


def _groups(moment: CoordinationMoment) -> Iterator[Metric]:
    numbers = {
        "classic": moment.classic,
        "consumer": moment.consumer,
        "share": moment.share,
        "streams": moment.streams,
    }
    yield gauges(
        f"{GROUPS}_group_count",
        "Groups, by protocol.",
        [({"protocol": kind}, sum(by_state.values())) for kind, by_state in numbers.items()],
    )
    for kind, states in _KINDS.items():
        yield gauges(
            f"{GROUPS}_{kind}_group_count",
            f"Groups of the kind {kind}, by state.",
            [({"state": state}, numbers[kind].get(state, 0)) for state in states],
        )
    yield gauge(f"{GROUPS}_offset_count", "Offsets that are kept.", moment.offsets)
    yield gauge(f"{CLASSIC_GROUPS}_numoffsets", "Offsets that are kept.", moment.offsets)
    yield gauge(f"{CLASSIC_GROUPS}_numgroups", "Classic groups.", sum(moment.classic.values()))
    for state in _CLASSIC_STATES:
        name = f"{CLASSIC_GROUPS}_numgroups{state.lower()}"
        yield gauge(name, f"Classic groups in state {state}.", moment.classic.get(state, 0))


def _commits(metrics: CoordinatorMetrics) -> Iterator[Metric]:
    text = "How long responses wait until the records before them are committed, ms"
    for prefix, times in ((GROUPS, metrics.group_commits), (SHARE_STATES, metrics.share_commits)):
        name = f"{prefix}_event_purgatory_time_ms"
        for share, value in zip(_SHARES, times.quantiles_ms(tuple(_SHARES.values())), strict=True):
            yield gauge(f"{name}_{share}", f"{text}: {share}.", value)
        yield gauge(f"{name}_max", f"{text}: the longest.", times.max_ms)
    yield summary(
        "kafkaproto_transaction_coordinator_commit_time_ms",
        f"{text}; of the coordinator of transactions.",
        [({}, metrics.transaction_commits)],
    )


def _partitions(prefix: str, counts: LedCounts) -> Metric:
    return gauges(
        f"{prefix}_num_partitions",
        "Partitions of the internal topic that this broker leads, by the state of their coordinator.",
        [({"state": state}, number) for state, number in counts._asdict().items()],
    )


def _transactions(moment: CoordinationMoment) -> Iterator[Metric]:
    verification = moment.metrics.verification
    yield gauge(
        f"{MARKERS}_unknowndestinationqueuesize",
        "Partitions that wait for a leader that takes the marker of a transaction.",
        moment.leaderless_markers,
    )
    yield gauge(
        f"{MARKERS}_logappendretryqueuesize",
        "Transactions whose completion the log does not take at the moment.",
        moment.unwritten_completions,
    )
    yield gauge(
        f"{VERIFICATION}_verificationfailurerate_count",
        "Partitions that were not part of a transaction when records came, or of which that was not known.",
        verification.failures,
    )
    yield summary(
        f"{VERIFICATION}_verificationtimems",
        "How long coordinators take to say whether a partition is part of a transaction.",
        [({}, verification.times)],
    )


def _share_states(moment: CoordinationMoment, rate: Rate, ratio: Ratio) -> Iterator[Metric]:
    states, name = moment.metrics.share_states, f"{SHARE_STATES}_write"
    yield counter(name, "States of share partitions that were written.", states.writes)
    yield gauge(f"{name}_rate", "The same a second.", rate(name))
    yield gauge(f"{name}_latency_max", "From a write to its response, ms.", states.write_latencies.max_ms)
    yield gauge(
        f"{name}_latency_avg", "From a write to its response, ms.", ratio(f"{name} ms", f"{name} times")
    )
    yield gauges(
        f"{SHARE_STATES}_last_pruned_offset",
        "Records before it were deleted, because later ones say all that is so.",
        [
            ({"topic": SHARE_TOPIC, "partition": str(index)}, offset)
            for index, offset in sorted(moment.pruned.items())
        ],
    )


def _share_groups(moment: CoordinationMoment) -> Iterator[Metric]:
    share = moment.metrics.share_partitions
    yield counters(
        f"{SHARE_GROUPS}_recordacknowledgements",
        "Records that members acknowledged, by type.",
        [
            ({"ackType": kind.name.capitalize()}, share.acknowledgements[kind])
            for kind in AcknowledgeType
            if kind is not AcknowledgeType.GAP
        ],
    )
    yield summary(
        f"{SHARE_GROUPS}_partitionloadtimems",
        "From the first fetch of a share partition until its state is known.",
        [({}, share.load_times)],
    )
    yield summary(
        f"{SHARE_GROUPS}_topicpartitionsacquiretimems",
        "From a ShareFetch request until records are acquired, or its time is over.",
        [({}, share.acquire_times)],
    )
    yield summary(
        f"{SHARE_GROUPS}_requesttopicpartitionsfetchratio",
        "Percents of a request's share partitions of which it got records.",
        [({}, share.fetch_ratios)],
    )
    yield counter(
        "kafka_server_delayedsharefetchmetrics_expires",
        "ShareFetch requests that waited for their whole time.",
        share.expired_fetches,
    )
    yield gauge(f"{SHARE_SESSIONS}_sharesessionscount", "Share sessions.", moment.sessions)
    yield gauge(f"{SHARE_SESSIONS}_sharepartitionscount", "Their partitions.", moment.session_partitions)


def _dead_letters(moment: CoordinationMoment) -> Iterator[Metric]:
    counts = sorted(moment.dead_letters.items())
    for name, text, count in _DEAD_LETTERS:
        yield counters(
            f"{SHARE_GROUPS}_{name}", text, [({"group": group}, count(each)) for group, each in counts]
        )


def _share_partitions(moment: CoordinationMoment) -> Iterator[Metric]:
    numbered = [
        ({"group": each.group_id, "topic": each.topic, "partition": str(each.partition)}, each)
        for each in moment.share_partitions
    ]
    yield gauges(
        f"{SHARE_PARTITIONS}_inflightmessagecount",
        "Records in flight.",
        [(labels, each.in_flight) for labels, each in numbered],
    )
    yield gauges(
        f"{SHARE_PARTITIONS}_inflightbatchcount",
        "Batches in flight.",
        [(labels, each.batches) for labels, each in numbered],
    )
    yield counters(
        f"{SHARE_PARTITIONS}_acquisitionlocktimeout",
        "Records that were taken from members because their locks expired.",
        [(labels, each.lock_timeouts) for labels, each in numbered],
    )
