"""The families of metrics about topics: what is written to them and read from them, and which requests wait.

The series of a topic begins with the first thing that is counted, as in Apache Kafka, and ends when the broker has no
replica of the topic any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from prometheus_client.core import Metric

from kafkaproto_server.base.metrics.topics import TopicCounts, TopicMetrics
from kafkaproto_server.node.observability.families import Sample, counter, counters, gauges

TOPICS = "kafka_server_brokertopicmetrics"
PURGATORY = "kafka_server_delayedoperationpurgatory"

_OF_TOPICS: tuple[tuple[str, str, Callable[[TopicCounts], int]], ...] = (
    ("bytesin", "Bytes of records that producers wrote.", lambda each: each.bytes_in),
    ("messagesin", "Records that producers wrote.", lambda each: each.messages_in),
    ("bytesout", "Bytes of records that consumers got.", lambda each: each.bytes_out),
    ("bytesrejected", "Bytes in batches that are too large.", lambda each: each.bytes_rejected),
    ("totalproducerequests", "Partitions of Produce requests.", lambda each: each.produce_requests),
    ("failedproducerequests", "Those that were refused.", lambda each: each.failed_produce_requests),
    ("producemessageconversions", "Records compressed anew.", lambda each: each.produce_conversions),
    # A broker sends records as they are stored: Kafka has this metric, and counts nothing in it.
    ("fetchmessageconversions", "Always 0.", lambda each: 0),
    ("totalfetchrequests", "Partitions of Fetch requests.", lambda each: each.fetch_requests),
    ("failedfetchrequests", "Those whose log is damaged.", lambda each: each.failed_fetch_requests),
    ("totalsharefetchrequests", "ShareFetch requests, by topic.", lambda each: each.share_fetch_requests),
    ("failedsharefetchrequests", "Those with an error.", lambda each: each.failed_share_fetch_requests),
    (
        "totalshareacknowledgementrequests",
        "Requests that acknowledge records, by topic.",
        lambda each: each.share_acknowledgements,
    ),
    (
        "failedshareacknowledgementrequests",
        "Those with an error.",
        lambda each: each.failed_share_acknowledgements,
    ),
)

_OF_BROKER: tuple[tuple[str, str, Callable[[TopicMetrics], int]], ...] = (
    ("replicationbytesin", "Bytes that this broker copied.", lambda each: each.replication_bytes_in),
    ("replicationbytesout", "Bytes that followers got.", lambda each: each.replication_bytes_out),
    (
        "reassignmentbytesin",
        "Bytes copied for replicas that a reassignment adds.",
        lambda each: each.reassignment_bytes_in,
    ),
    (
        "reassignmentbytesout",
        "Bytes that replicas got that a reassignment adds.",
        lambda each: each.reassignment_bytes_out,
    ),
    (
        "nokeycompactedtopicrecords",
        "Records without a key for compacted topics.",
        lambda each: each.records_without_key,
    ),
    # Batches of another magic are refused before they count, in Kafka as here.
    ("invalidmagicnumberrecords", "Always 0.", lambda each: 0),
    ("invalidmessagecrcrecords", "Batches with a wrong checksum.", lambda each: each.wrong_checksums),
    (
        "invalidoffsetorsequencerecords",
        "Batches with impossible counts, offsets or sequence numbers.",
        lambda each: each.wrong_offsets_or_sequences,
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicMoment:
    """The values that only the event loop may read, as of one moment."""

    metrics: TopicMetrics
    topics: Mapping[str, TopicCounts]
    waiting: Mapping[str, tuple[int, int]]
    """Requests that wait and partitions that they wait for, by Kafka's name of the operation."""


def topic_moment(metrics: TopicMetrics) -> TopicMoment:
    """The values of this moment; for the event loop."""
    waiting = {
        "Produce": metrics.produces,
        "Fetch": metrics.fetches,
        "ShareFetch": metrics.share_fetches,
        "DeleteRecords": metrics.deletions,
    }
    return TopicMoment(
        metrics=metrics,
        # A copy: the loop adds and removes topics while a thread makes the text.
        topics=dict(metrics.topics),
        waiting={name: (each.operations, each.watched) for name, each in waiting.items()},
    )


def topic_work(moment: TopicMoment) -> Iterator[Metric]:
    topics = sorted(moment.topics.items())
    for name, text, count in _OF_TOPICS:
        samples: list[Sample] = [({}, count(moment.metrics.all))]
        samples += [({"topic": topic}, number) for topic, each in topics if (number := count(each))]
        yield counters(f"{TOPICS}_{name}", text, samples)
    for name, text, of_broker in _OF_BROKER:
        yield counter(f"{TOPICS}_{name}", text, of_broker(moment.metrics))
    metrics = moment.metrics
    yield counter(
        "kafka_server_delayedproducemetrics_expires",
        "Partitions of Produce requests that were not replicated in time.",
        metrics.expired_produces,
    )
    yield counters(
        "kafka_server_delayedfetchmetrics_expires",
        "Fetch requests that waited for as long as they may.",
        [
            ({"fetcherType": "consumer"}, metrics.expired_consumer_fetches),
            ({"fetcherType": "follower"}, metrics.expired_follower_fetches),
        ],
    )
    yield gauges(
        f"{PURGATORY}_numdelayedoperations",
        "Requests that wait.",
        [({"delayedOperation": name}, number) for name, (number, _) in moment.waiting.items()],
    )
    yield gauges(
        f"{PURGATORY}_purgatorysize",
        "Partitions that requests wait for.",
        [({"delayedOperation": name}, watched) for name, (_, watched) in moment.waiting.items()],
    )
