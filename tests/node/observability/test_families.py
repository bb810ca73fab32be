"""Families of metrics made of plain figures."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from prometheus_client.core import Metric

from kafkaproto_server.base.metrics.histogram import Histogram
from kafkaproto_server.base.metrics.requests import RequestMetrics
from kafkaproto_server.core.raft.values.events import RequestFailure
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE
from kafkaproto_server.metadata.image.partition_counts import PartitionCounts
from kafkaproto_server.node.observability import families
from kafkaproto_server.node.observability.families import PeerRates
from kafkaproto_server.shell.quorum.raft_channel import PeerStatistics


def samples(family: Metric) -> Mapping[tuple[str, ...], float]:
    """Values by name and values of labels."""
    return {(sample.name, *sample.labels.values()): sample.value for sample in family.samples}


def test_partitions_are_told_as_the_image_counts_them() -> None:
    counts = PartitionCounts(total=9, leaderless=2, not_preferred=5)
    told = {
        family.name.removeprefix(families.CONTROLLER): sum(each.value for each in family.samples)
        for family in families.brokers_and_topics(
            msgspec.structs.replace(EMPTY_IMAGE, partition_counts=counts)
        )
    }
    assert told["_globalpartitioncount"] == 9
    assert told["_offlinepartitionscount"] == 2
    assert told["_preferredreplicaimbalancecount"] == 5


def test_a_summary_has_kafkas_quantiles_in_milliseconds_with_count_and_sum() -> None:
    spans = Histogram()
    for milliseconds in range(1, 101):
        spans.add(milliseconds / 1000)
    found = samples(families.summary("time", "Time.", [({"request": "Fetch"}, spans)]))
    assert [key[2] for key in found if key[0] == "time"] == ["0.50", "0.75", "0.95", "0.98", "0.99", "0.999"]
    assert 46 <= found["time", "Fetch", "0.50"] <= 54
    assert 92 <= found["time", "Fetch", "0.99"] <= 100
    assert found["time_count", "Fetch"] == 100
    assert found["time_sum", "Fetch"] == 5050


def test_a_histogram_counts_up_to_each_bound() -> None:
    family = families.histogram("stall", "Stall.", (1, 20), [5, 0, 2], 77.5)
    assert samples(family) == {
        ("stall_bucket", "1.0"): 5,
        ("stall_bucket", "20.0"): 5,
        ("stall_bucket", "+Inf"): 7,
        ("stall_count",): 7,
        ("stall_sum",): 77.5,
    }


def test_requests_are_told_by_the_names_of_apis_and_errors() -> None:
    metrics = RequestMetrics()
    metrics.of(1).add_request(18)
    metrics.of(1).add_error(6)
    metrics.of(52).add_request(2)
    metrics.sending = 3
    found = {key: value for family in families.requests(metrics) for key, value in samples(family).items()}
    assert found["kafka_network_requestmetrics_requests_total", "Fetch", "18"] == 1
    assert found["kafka_network_requestmetrics_requests_total", "Vote", "2"] == 1
    assert found["kafka_network_requestmetrics_errors_total", "Fetch", "NOT_LEADER_OR_FOLLOWER"] == 1
    assert found["kafka_network_requestmetrics_totaltimems_count", "Vote"] == 0
    assert found["kafka_network_requestchannel_responsequeuesize",] == 3


def test_a_node_that_nobody_asked_anything_tells_of_no_requests() -> None:
    names = {key[0] for family in families.requests(RequestMetrics()) for key in samples(family)}
    assert names == {"kafka_network_requestchannel_responsequeuesize", "kafkaproto_requests_in_progress"}


def test_peers_are_told_apart_by_node_and_request() -> None:
    statistics = {
        2: PeerStatistics(
            requests={"Vote": 1, "Fetch": 7},
            failures={RequestFailure.REFUSED: 4},
            sent_bytes=70,
            received_bytes=900,
        ),
        -2: PeerStatistics(requests={"Fetch": 1}),
    }
    rates = {2: PeerRates(requests=1.5, sent_bytes=10.0, received_bytes=100.0)}
    found = {
        key: value for family in families.peers(statistics, rates) for key, value in samples(family).items()
    }
    prefix = "kafka_server_raft_channel_metrics"
    assert found == {
        (f"{prefix}_request_total", "2", "Fetch"): 7,
        (f"{prefix}_request_total", "2", "Vote"): 1,
        (f"{prefix}_request_total", "-2", "Fetch"): 1,
        (f"{prefix}_request_failures_total", "2", "refused"): 4,
        (f"{prefix}_outgoing_byte_total", "2"): 70,
        (f"{prefix}_outgoing_byte_total", "-2"): 0,
        (f"{prefix}_incoming_byte_total", "2"): 900,
        (f"{prefix}_incoming_byte_total", "-2"): 0,
        (f"{prefix}_request_rate", "2"): 1.5,
        (f"{prefix}_outgoing_byte_rate", "2"): 10.0,
        (f"{prefix}_incoming_byte_rate", "2"): 100.0,
    }
