"""Families of metrics made of plain figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from immutables import Map
from prometheus_client.core import Metric

from server.image.image import EMPTY_IMAGE, ClusterImage, PartitionImage, TopicImage
from server.metrics.histogram import Histogram
from server.metrics.requests import RequestMetrics
from server.node import metric_families as families
from server.node.metric_families import PartitionCounter, PartitionCounts, PeerRates
from server.node.raft_channel import PeerStatistics
from server.raft.events import RequestFailure


def samples(family: Metric) -> Mapping[tuple[str, ...], float]:
    """Values by name and values of labels."""
    return {(sample.name, *sample.labels.values()): sample.value for sample in family.samples}


def partition(leader: int) -> PartitionImage:
    return PartitionImage(
        replicas=(1, 2), directories=(bytes(16), bytes(16)), isr=(1, 2), leader=leader, leader_epoch=0
    )


def with_topic(image: ClusterImage, number: int, *leaders: int) -> ClusterImage:
    """The image with a topic whose partitions have these leaders."""
    topic_id = bytes([number] * 16)
    partitions = Map({index: partition(leader) for index, leader in enumerate(leaders)})
    topic = TopicImage(name=f"topic-{number}", topic_id=topic_id, partitions=partitions)
    return replace(image, topics=image.topics.set(topic_id, topic))


def count(counter: PartitionCounter, image: ClusterImage) -> PartitionCounts:
    for _ in counter.steps(image):
        pass
    return counter.counts


def counts(partitions: int, offline: int, not_preferred: int) -> PartitionCounts:
    return PartitionCounts(partitions=partitions, offline=offline, not_preferred=not_preferred)


def test_partitions_are_counted_by_who_leads_them() -> None:
    counter = PartitionCounter()
    assert count(counter, EMPTY_IMAGE) == counts(0, 0, 0)
    first = with_topic(EMPTY_IMAGE, 1, 1, 2, -1)
    assert count(counter, first) == counts(3, 1, 2)
    assert count(counter, with_topic(first, 2, 1)) == counts(4, 1, 2)


def test_changed_and_deleted_topics_no_longer_count_as_they_were() -> None:
    counter = PartitionCounter()
    image = with_topic(with_topic(EMPTY_IMAGE, 1, -1, -1), 2, 2)
    assert count(counter, image) == counts(3, 2, 3)
    elected = with_topic(image, 1, 1, 1)
    assert count(counter, elected) == counts(3, 0, 1)
    assert count(counter, replace(elected, topics=elected.topics.delete(bytes([2] * 16)))) == counts(2, 0, 0)
    assert count(counter, EMPTY_IMAGE) == counts(0, 0, 0)


def test_counting_that_was_left_off_is_taken_up_with_whatever_image_comes() -> None:
    counter, fresh = PartitionCounter(), PartitionCounter()
    image = EMPTY_IMAGE
    for number in range(5):
        image = with_topic(image, number, *([1, -1] * families.PARTITIONS_PER_STEP))
    steps = counter.steps(image)
    for _ in range(7):
        next(steps)
    later = replace(image, topics=with_topic(image, 9, 2).topics.delete(bytes(16)))
    assert count(counter, later) == count(fresh, later) == counts(8001, 4000, 4001)
    # Nothing is looked at twice.
    assert list(counter.steps(later)) == []


def test_counting_lets_others_go_on_within_large_topics_and_among_many() -> None:
    size = families.PARTITIONS_PER_STEP
    large = with_topic(EMPTY_IMAGE, 1, *([1] * (3 * size)))
    assert len(list(PartitionCounter().steps(large))) >= 3
    topic_ids = [number.to_bytes(16) for number in range(3 * size)]
    topics = Map({each: TopicImage(name=each.hex(), topic_id=each, partitions=Map()) for each in topic_ids})
    many = replace(EMPTY_IMAGE, topics=topics)
    counter = PartitionCounter()
    assert len(list(counter.steps(many))) == 3
    # Going back to none of them, too.
    assert len(list(counter.steps(EMPTY_IMAGE))) >= 3
    assert counter.counts == counts(0, 0, 0)


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
