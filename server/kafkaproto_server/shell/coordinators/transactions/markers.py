"""Brings the ends of transactions to the leaders of their partitions: see `core.coordinators.transactions.values`.

Partitions that this broker leads get their marker at once, those of other brokers by WriteTxnMarkers. Kafka has this in
TransactionMarkerChannelManager.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.message import Message
from kafkaproto.messages import WriteTxnMarkersRequest, WriteTxnMarkersResponse
from kafkaproto_server.base.later import Gather
from kafkaproto_server.core.coordinators.transactions.values import (
    NO_LEADER,
    MarkerResults,
    TransactionMarker,
)
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.requests.data import MarkerItem, Produced, ProduceResult
from kafkaproto_server.requests.transaction_requests import TopicPartition, by_topic
from kafkaproto_server.shell.coordinators.broker_requests import BrokerRequests, OtherBrokers

PARTITIONS_IN_ONE = 4_000
"""The partitions of a transaction that go into one request. With more, it might exceed a broker's bounds."""
MARKERS_AT_ONCE = 50
"""Markers that are appended here in one turn of the loop, some milliseconds."""
PAUSE_MS = 1

Done = Callable[[MarkerResults | None], None]


class _Sent:
    """What the coordinator asked for in one call, until all of it has a result."""

    def __init__(self, done: Done) -> None:
        results: dict[int, dict[TopicPartition, ErrorCode]] = {}
        self.parts = Gather(lambda: done(results))
        self._results = results

    def add(self, producer_id: int, results: dict[TopicPartition, ErrorCode]) -> None:
        """Take results. Partitions that have none are in doubt."""
        self._results.setdefault(producer_id, {}).update(results)
        self.parts.came()


class _MarkerItem(msgspec.Struct, frozen=True):
    """A marker for another broker, with all or some of its partitions."""

    marker: TransactionMarker
    partitions: tuple[TopicPartition, ...]
    sent: _Sent

    @property
    def key(self) -> int:
        """Responses name producers. Two coordinators of one id, of which one is unloaded, may both send."""
        return self.marker.producer_id

    @property
    def elements(self) -> int:
        """One for the marker, and at most two for each partition."""
        return 1 + 2 * len(self.partitions)


class MarkerChannels:
    """The marker ports of all coordinators of this broker. Implements `MarkerPorts`."""

    def __init__(
        self,
        others: OtherBrokers,
        *,
        image: Callable[[], ClusterImage],
        write_markers: Callable[[Sequence[MarkerItem], Produced], None],
        call_later: Callable[[int, Callable[[], None]], None],
    ) -> None:
        """``write_markers`` appends markers on this broker. ``call_later`` calls a function after milliseconds."""
        self._broker_id = others.broker_id
        self._image = image
        self._write_markers = write_markers
        self._call_later = call_later
        self._requests: BrokerRequests[_MarkerItem] = BrokerRequests(
            others,
            "txn-marker-sender",
            request=_request,
            responded=_responded,
        )
        self.run = self._requests.run

    def leader_of(self, partition: TopicPartition) -> int | None:
        topic = self._image().topic_by_name(partition.topic)
        found = None if topic is None else topic.partitions.get(partition.partition)
        if found is None:
            return None
        broker = self._image().brokers.get(found.leader)
        return NO_LEADER if broker is None or broker.fenced else found.leader

    def send_markers(self, broker_id: int, markers: Sequence[TransactionMarker], done: Done) -> None:
        sent = _Sent(done)
        if broker_id == self._broker_id:
            self._write_here([(each, partition) for each in markers for partition in each.partitions], sent)
            return
        for each in markers:
            for start in range(0, len(each.partitions), PARTITIONS_IN_ONE):
                sent.parts.asked()
                some = each.partitions[start : start + PARTITIONS_IN_ONE]
                self._requests.send(broker_id, _MarkerItem(each, some, sent))
        sent.parts.all_asked()

    def _write_here(self, pairs: list[tuple[TransactionMarker, TopicPartition]], sent: _Sent) -> None:
        now, later = pairs[:MARKERS_AT_ONCE], pairs[MARKERS_AT_ONCE:]
        if later:
            self._call_later(PAUSE_MS, partial(self._write_here, later, sent))
        for marker, partition in now:
            sent.parts.asked()
            item = MarkerItem(
                topic=partition.topic,
                index=partition.partition,
                producer_id=marker.producer_id,
                producer_epoch=marker.producer_epoch,
                coordinator_epoch=marker.coordinator_epoch,
                is_abort=not marker.is_commit,
                transaction_version=marker.transaction_version,
            )
            self._write_markers([item], partial(self._written, marker.producer_id, partition, sent))
        if not later:
            sent.parts.all_asked()

    def _written(
        self, producer_id: int, partition: TopicPartition, sent: _Sent, results: Sequence[ProduceResult]
    ) -> None:
        """The coordinator hears of it a moment later, as of what is committed (see `PartitionLog`)."""
        (result,) = results
        self._call_later(0, lambda: sent.add(producer_id, {partition: result.code}))


def _request(items: Sequence[_MarkerItem]) -> WriteTxnMarkersRequest:
    return WriteTxnMarkersRequest(
        markers=[
            WriteTxnMarkersRequest.WritableTxnMarker(
                producer_id=each.marker.producer_id,
                producer_epoch=each.marker.producer_epoch,
                transaction_result=each.marker.is_commit,
                topics=[
                    WriteTxnMarkersRequest.WritableTxnMarkerTopic(name=topic, partition_indexes=indexes)
                    for topic, indexes in by_topic(each.partitions).items()
                ],
                coordinator_epoch=each.marker.coordinator_epoch,
                transaction_version=each.marker.transaction_version,
            )
            for each in items
        ]
    )


def _responded(items: Sequence[_MarkerItem], response: Message | None) -> None:
    results: dict[int, dict[TopicPartition, ErrorCode]] = {}
    if response is not None:
        assert isinstance(response, WriteTxnMarkersResponse), "it is the response to WriteTxnMarkers"
        for marker in response.markers:
            codes = results.setdefault(marker.producer_id, {})
            for topic in marker.topics:
                for each in topic.partitions:
                    codes[TopicPartition(topic.name, each.partition_index)] = describe(each.error_code).code
    for item in items:
        item.sent.add(item.marker.producer_id, results.get(item.marker.producer_id, {}))
