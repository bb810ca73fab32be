"""Builds the families of metrics on ``/metrics`` from plain numbers.

The names are those that the JMX exporter's example configuration for KRaft makes of Kafka's MBeans: domain, type and
name in lower case, joined by underscores. A rate in Kafka becomes a counter ``..._total``, a histogram becomes
``...{quantile}`` with ``..._count``; times are in milliseconds. Sums, which Kafka's histograms lack, are added. A
metric without a name in Kafka begins with ``kafkaproto_``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from prometheus_client.core import Metric

from kafkaproto import uuids
from kafkaproto.api import ApiKey, api_by_key
from kafkaproto.error_codes import describe
from kafkaproto_server.base.metrics.histogram import Histogram
from kafkaproto_server.base.metrics.requests import FOLLOWER_FETCH, ApiMetrics, RequestMetrics
from kafkaproto_server.base.types import NO_NODE, ZERO_UUID
from kafkaproto_server.core.raft.values.statistics import RaftStatistics
from kafkaproto_server.metadata.features import KRAFT_VERSION, supported_ranges
from kafkaproto_server.metadata.image.entries import BrokerRegistration
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.quorum.metrics import SnapshotMetrics
from kafkaproto_server.shell.quorum.raft_channel import PeerStatistics

QUANTILES = (0.5, 0.75, 0.95, 0.98, 0.99, 0.999)
"""The quantiles of Kafka's histograms."""

RAFT = "kafka_server_raft_metrics"
CHANNEL = "kafka_server_raft_channel_metrics"
CONTROLLER = "kafka_controller_kafkacontroller"
BROKER = "kafka_server_broker_metadata_metrics"
REQUESTS = "kafka_network_requestmetrics"

Labels = Mapping[str, str]
Sample = tuple[Labels, float]


def gauge(name: str, text: str, value: float, labels: Labels | None = None) -> Metric:
    """A family with one value that can rise and fall."""
    return gauges(name, text, [(labels or {}, value)])


def gauges(name: str, text: str, samples: Iterable[Sample]) -> Metric:
    """A family of such values, distinguished by labels."""
    family = Metric(name, text, "gauge")
    for labels, value in samples:
        family.add_sample(name, dict(labels), value)
    return family


def counters(name: str, text: str, samples: Iterable[Sample]) -> Metric:
    """A family of values that only grow; ``name`` is without its suffix ``_total``."""
    family = Metric(name, text, "counter")
    for labels, value in samples:
        family.add_sample(f"{name}_total", dict(labels), value)
    return family


def counter(name: str, text: str, value: float) -> Metric:
    """A family with one such value."""
    return counters(name, text, [({}, value)])


def summary(name: str, text: str, histograms: Iterable[tuple[Labels, Histogram]]) -> Metric:
    """A family of durations in milliseconds; the quantiles are those of the last minute or two."""
    return _summary(name, text, histograms, 1)


def sizes(name: str, text: str, histograms: Iterable[tuple[Labels, Histogram]]) -> Metric:
    """A family of numbers that are no durations; the quantiles are those of the last minute or two."""
    return _summary(name, text, histograms, 1000)


def _summary(
    name: str, text: str, histograms: Iterable[tuple[Labels, Histogram]], values_in_ms: int
) -> Metric:
    family = Metric(name, text, "summary")
    for labels, histogram in histograms:
        for share, value in zip(QUANTILES, histogram.quantiles_ms(QUANTILES), strict=True):
            quantile = f"{share:.2f}" if share < 0.999 else "0.999"
            family.add_sample(name, {**labels, "quantile": quantile}, value * values_in_ms)
        family.add_sample(f"{name}_count", dict(labels), histogram.count)
        family.add_sample(f"{name}_sum", dict(labels), histogram.sum_ms * values_in_ms)
    return family


def histogram(name: str, text: str, bounds: Sequence[float], numbers: Sequence[int], total: float) -> Metric:
    """A family of one histogram: the number of values above the previous bound and up to each bound. The last bucket
    has no upper bound."""
    family = Metric(name, text, "histogram")
    for bound, number in zip((*bounds, math.inf), accumulate(numbers), strict=True):
        family.add_sample(f"{name}_bucket", {"le": "+Inf" if bound == math.inf else f"{bound:.1f}"}, number)
    family.add_sample(f"{name}_count", {}, sum(numbers))
    family.add_sample(f"{name}_sum", {}, total)
    return family


# -- the quorum --------------------------------------------------------------------------------------------------------


def raft_state(statistics: RaftStatistics) -> Iterator[Metric]:
    """The state of this node's replica of the quorum, and its elections."""
    vote = statistics.current_vote
    directory_id = (vote.directory_id if vote is not None else None) or ZERO_UUID
    is_leader = statistics.current_state == "leader"
    # From its release 1.0 on, the exporter drops the suffix.
    for name in (f"{RAFT}_current_state_info", f"{RAFT}_current_state"):
        yield gauge(name, "State in the quorum.", 1, {"state": statistics.current_state})
    yield gauge(f"{RAFT}_current_leader", "Leader of the quorum, -1 if unknown.", statistics.current_leader)
    yield gauge(
        f"{RAFT}_current_vote",
        "Node id of the candidate that got this node's vote in the epoch, -1 if none did.",
        vote.id if vote is not None else NO_NODE,
    )
    yield gauge(
        f"{RAFT}_current_vote_directory_id_info",
        "Directory id of that candidate.",
        1,
        {"directory_id": uuids.to_text(directory_id)},
    )
    yield gauge(f"{RAFT}_current_epoch", "Epoch of the quorum.", statistics.current_epoch)
    yield gauge(f"{RAFT}_high_watermark", "High watermark, -1 if unknown.", statistics.high_watermark)
    yield gauge(f"{RAFT}_log_end_offset", "End of the log.", statistics.log_end_offset)
    yield gauge(f"{RAFT}_log_end_epoch", "Epoch of the log's last record.", statistics.log_end_epoch)
    yield gauge(f"{RAFT}_number_of_voters", "Voters of the quorum.", statistics.number_of_voters)
    yield gauge(
        f"{RAFT}_number_unknown_voter_connections",
        "Voters whose address is not known.",
        statistics.number_unknown_voter_connections,
    )
    if is_leader:
        yield gauge(
            f"{RAFT}_number_of_observers", "Observers of this leader.", statistics.number_of_observers
        )
        yield gauge(
            f"{RAFT}_uncommitted_voter_change",
            "1 while a change of the voters is not committed.",
            int(statistics.uncommitted_voter_change),
        )
    yield counters(
        f"{RAFT}_timeout_expirations",
        "Timers that expired (KIP-1322).",
        [
            ({"timer_name": "fetch"}, statistics.fetch_timeouts),
            ({"timer_name": "election"}, statistics.election_timeouts),
        ],
    )
    yield counter(
        f"{RAFT}_elections_started", "Elections that this node started.", statistics.elections_started
    )
    yield counter(f"{RAFT}_elections_won", "Elections that this node won.", statistics.elections_won)
    yield gauge(
        f"{RAFT}_election_latency_max",
        "Longest election since the start, ms.",
        statistics.election_latency_max_ms,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerRates:
    """Requests and bytes to and from one other node, per second."""

    requests: float
    sent_bytes: float
    received_bytes: float


def peers(statistics: Mapping[int, PeerStatistics], rates: Mapping[int, PeerRates]) -> Iterator[Metric]:
    """The Raft core's requests to other nodes, by node id: -2, -3, ... for bootstrap servers, -1 for all unknown
    nodes."""
    told = [({"node_id": str(node_id)}, peer) for node_id, peer in sorted(statistics.items())]
    rated = [({"node_id": str(node_id)}, rate) for node_id, rate in sorted(rates.items())]
    yield counters(
        f"{CHANNEL}_request",
        "Requests to other replicas.",
        [
            ({**node, "request": name}, number)
            for node, peer in told
            for name, number in sorted(peer.requests.copy().items())
        ],
    )
    yield counters(
        f"{CHANNEL}_request_failures",
        "Requests to other replicas that got no usable answer.",
        [
            ({**node, "failure": failure.value}, number)
            for node, peer in told
            for failure, number in sorted(peer.failures.copy().items(), key=lambda item: item[0].value)
        ],
    )
    yield counters(
        f"{CHANNEL}_outgoing_byte",
        "Bytes sent to another replica.",
        [(node, peer.sent_bytes) for node, peer in told],
    )
    yield counters(
        f"{CHANNEL}_incoming_byte",
        "Bytes that another replica sent.",
        [(node, peer.received_bytes) for node, peer in told],
    )
    yield gauges(
        f"{CHANNEL}_request_rate",
        "Requests a second to another replica.",
        [(node, rate.requests) for node, rate in rated],
    )
    yield gauges(
        f"{CHANNEL}_outgoing_byte_rate",
        "Bytes a second to another replica.",
        [(node, rate.sent_bytes) for node, rate in rated],
    )
    yield gauges(
        f"{CHANNEL}_incoming_byte_rate",
        "Bytes a second from another replica.",
        [(node, rate.received_bytes) for node, rate in rated],
    )


# -- requests ----------------------------------------------------------------------------------------------------------


def requests(metrics: RequestMetrics) -> Iterator[Metric]:
    """Requests of clients and nodes, by API."""
    apis = _apis(metrics)
    yield counters(
        f"{REQUESTS}_requests",
        "Answered requests.",
        [
            ({"request": name, "version": str(version)}, number)
            for name, api in apis
            for version, number in sorted(api.requests.copy().items())
        ],
    )
    yield counters(
        f"{REQUESTS}_errors",
        "Error codes in answers; NONE is one of them.",
        [
            ({"request": name, "error": describe(code).name}, number)
            for name, api in apis
            for code, number in sorted(api.errors.copy().items())
        ],
    )
    spans = [(name, api.spans) for name, api in apis]
    for span in spans[0][1] if spans else ():
        yield summary(
            f"{REQUESTS}_{span.lower()}",
            f"{span} of requests.",
            [({"request": name}, histograms[span]) for name, histograms in spans],
        )
    yield sizes(
        f"{REQUESTS}_requestbytes",
        "Bytes of requests.",
        [({"request": name}, api.request_bytes) for name, api in apis],
    )
    yield gauge(
        "kafka_network_requestchannel_responsequeuesize", "Answers that are being written.", metrics.sending
    )
    yield gauge("kafkaproto_requests_in_progress", "Requests that are not answered yet.", metrics.in_progress)


def _apis(metrics: RequestMetrics) -> list[tuple[str, ApiMetrics]]:
    """By name. Fetch requests count all together, and those of consumers and of followers apart."""
    known = metrics.apis.copy()
    followers = known.pop(FOLLOWER_FETCH, None)
    apis = [(_api_name(key), api) for key, api in sorted(known.items()) if key != ApiKey.FETCH]
    fetches = {"FetchConsumer": known.get(ApiKey.FETCH), "FetchFollower": followers}
    there_are = [(name, api) for name, api in fetches.items() if api is not None]
    if there_are:
        apis += [("Fetch", ApiMetrics.sum_of([api for _, api in there_are])), *there_are]
    return apis


def _api_name(api_key: int) -> str:
    api = api_by_key(api_key)
    assert api is not None, f"api key {api_key} does not exist"
    return api.name


# -- the cluster's metadata --------------------------------------------------------------------------------------------


def brokers_and_topics(image: ClusterImage) -> Iterator[Metric]:
    """A controller's metrics about the cluster."""
    counts = image.partition_counts
    brokers = [broker for _, broker in image.brokers.items()]
    yield gauge(
        f"{CONTROLLER}_activebrokercount",
        "Registered brokers that are not fenced.",
        sum(not broker.fenced for broker in brokers),
    )
    yield gauge(
        f"{CONTROLLER}_fencedbrokercount", "Fenced brokers.", sum(broker.fenced for broker in brokers)
    )
    yield gauge(
        f"{CONTROLLER}_controlledshutdownbrokercount",
        "Brokers in controlled shutdown.",
        sum(broker.in_controlled_shutdown for broker in brokers),
    )
    yield gauges(
        f"{CONTROLLER}_brokerregistrationstate",
        "10 fenced, 20 in controlled shutdown, 30 active.",
        [({"broker": str(broker_id)}, _state_of(broker)) for broker_id, broker in image.brokers.items()],
    )
    yield gauge(f"{CONTROLLER}_globaltopiccount", "Topics.", len(image.topics))
    yield gauge(f"{CONTROLLER}_globalpartitioncount", "Partitions.", counts.total)
    yield gauge(f"{CONTROLLER}_offlinepartitionscount", "Partitions without a leader.", counts.leaderless)
    yield gauge(
        f"{CONTROLLER}_preferredreplicaimbalancecount",
        "Partitions that are not led by their preferred replica.",
        counts.not_preferred,
    )


def _state_of(broker: BrokerRegistration) -> int:
    """Apache Kafka's number of the state of a registration (BrokerRegistrationState)."""
    if broker.fenced:
        return 10
    return 20 if broker.in_controlled_shutdown else 30


def controller_progress(
    image: ClusterImage, *, is_active: bool, high_watermark: int, ignored_static_voters: bool, lag_ms: float
) -> Iterator[Metric]:
    """How far a controller has replayed the log."""
    yield gauge(f"{CONTROLLER}_activecontrollercount", "1 at the active controller.", int(is_active))
    yield gauge(
        f"{CONTROLLER}_ignoredstaticvoters",
        "1 if controller.quorum.voters is set, but the voters are those in the log.",
        int(ignored_static_voters),
    )
    yield gauge(f"{CONTROLLER}_lastappliedrecordoffset", "Last record applied.", image.offset)
    yield gauge(f"{CONTROLLER}_lastcommittedrecordoffset", "Last record committed.", high_watermark - 1)
    yield gauge(
        f"{CONTROLLER}_lastappliedrecordtimestamp",
        "Append time of the last record applied.",
        image.timestamp_ms,
    )
    yield gauge(
        f"{CONTROLLER}_lastappliedrecordlagms",
        "Age of the last record applied.",
        lag_ms,
    )


def broker_progress(image: ClusterImage, lag_ms: float) -> Iterator[Metric]:
    """How far a broker has replayed the log."""
    yield gauge(f"{BROKER}_last_applied_record_offset", "Last record applied.", image.offset)
    yield gauge(
        f"{BROKER}_last_applied_record_timestamp",
        "Append time of the last record applied.",
        image.timestamp_ms,
    )
    yield gauge(f"{BROKER}_last_applied_record_lag_ms", "Age of the last record applied.", lag_ms)


def snapshots(statistics: SnapshotMetrics) -> Iterator[Metric]:
    """The snapshots that this node loaded and wrote."""
    yield gauge("kafka_server_metadataloader_handleloadsnapshotcount", "Snapshots loaded.", statistics.loaded)
    yield gauge(
        "kafka_server_snapshotemitter_latestsnapshotgeneratedbytes",
        "Size of the latest snapshot that this node wrote.",
        statistics.latest_bytes,
    )
    yield gauge(
        "kafka_server_snapshotemitter_latestsnapshotgeneratedagems",
        "Age of the latest snapshot of this node, ms.",
        statistics.latest_age_ms,
    )
    yield counter("kafkaproto_snapshots_written", "Snapshots that this node wrote.", statistics.written)
    yield counter(
        "kafkaproto_snapshots_failed", "Snapshots that this node failed to write.", statistics.failed
    )


def loader(image: ClusterImage, *, leader_id: int, kraft_version: int) -> Iterator[Metric]:
    """The cluster's feature levels and controller, as this node knows them."""
    finalized = {**dict(image.features), KRAFT_VERSION: kraft_version}
    yield gauge(
        "kafka_server_metadataloader_currentmetadataversion",
        "Level of metadata.version.",
        image.metadata_version,
    )
    yield gauge("kafka_server_metadataloader_currentcontrollerid", "Active controller.", leader_id)
    supported = supported_ranges()
    for position, name in enumerate(("minimum", "maximum")):
        yield gauges(
            f"kafka_server_node_metrics_{name}_supported_level",
            f"The {name} level of each feature that this node supports.",
            [({"featureName": feature}, levels[position]) for feature, levels in sorted(supported.items())],
        )
    yield gauges(
        "kafka_server_metadataloader_finalizedlevel",
        "Level of each feature.",
        [({"featureName": name}, level) for name, level in sorted(finalized.items())],
    )
