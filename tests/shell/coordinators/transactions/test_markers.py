"""The ends of transactions on their way to the leaders.

Tests: `requests.transaction_requests`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import WriteTxnMarkersRequest, WriteTxnMarkersResponse
from kafkaproto_server.apis.bounds import MARKERS
from kafkaproto_server.core.coordinators.transactions.values import (
    NO_LEADER,
    MarkerResults,
    TransactionMarker,
)
from kafkaproto_server.requests.data import MarkerItem, Produced, ProduceResult
from kafkaproto_server.requests.transaction_requests import TopicPartition
from kafkaproto_server.shell.coordinators.broker_requests import MAX_ELEMENTS
from kafkaproto_server.shell.coordinators.transactions import markers as module
from kafkaproto_server.shell.coordinators.transactions.markers import (
    MARKERS_AT_ONCE,
    PARTITIONS_IN_ONE,
    MarkerChannels,
)
from tests.apis.support.data_broker import ME, OTHER, DataBroker
from tests.node.support.other_brokers import other_brokers


class Channels:
    """The ports of broker 1; nothing is really sent or written."""

    def __init__(self) -> None:
        self.broker = DataBroker()
        self.broker.topic("t", [ME], [OTHER])
        self.written: list[tuple[MarkerItem, Produced]] = []
        self.later: list[Callable[[], None]] = []
        self.results: list[MarkerResults | None] = []
        self.channels = MarkerChannels(
            other_brokers(ME),
            image=lambda: self.broker.harness.image,
            write_markers=self.write,
            call_later=lambda delay_ms, call: self.later.append(call),
        )
        self.sent: list[tuple[int, Any]] = []
        self.channels._requests.send = (  # type: ignore[method-assign]
            lambda broker_id, item: self.sent.append((broker_id, item))
        )

    def write(self, items: Sequence[MarkerItem], done: Produced) -> None:
        (item,) = items
        self.written.append((item, done))

    def do_later(self) -> None:
        calls, self.later = self.later, []
        for call in calls:
            call()

    def send(self, broker_id: int, *markers: TransactionMarker) -> None:
        self.channels.send_markers(broker_id, markers, self.results.append)


def marker(producer_id: int, *indexes: int) -> TransactionMarker:
    return TransactionMarker(
        producer_id=producer_id,
        producer_epoch=3,
        is_commit=False,
        coordinator_epoch=5,
        transaction_version=2,
        partitions=tuple(TopicPartition("t", each) for each in indexes),
    )


@pytest.fixture
def channels() -> Channels:
    return Channels()


def test_leaders_are_those_of_the_metadata(channels: Channels) -> None:
    leader_of = channels.channels.leader_of
    assert leader_of(TopicPartition("t", 0)) == ME
    assert leader_of(TopicPartition("t", 1)) == OTHER
    assert leader_of(TopicPartition("t", 2)) is None
    assert leader_of(TopicPartition("nowhere", 0)) is None
    channels.broker.harness.heartbeat(OTHER, want_fence=True)
    assert leader_of(TopicPartition("t", 1)) == NO_LEADER


def test_a_broker_that_is_fenced_or_not_registered_leads_nothing(channels: Channels) -> None:
    image = channels.broker.harness.image
    fenced = msgspec.structs.replace(image.brokers[ME], fenced=True)
    for brokers in (image.brokers.set(ME, fenced), image.brokers.delete(ME)):
        seen = msgspec.structs.replace(image, brokers=brokers)
        channels.channels._image = lambda seen=seen: seen  # type: ignore[misc]
        assert channels.channels.leader_of(TopicPartition("t", 0)) == NO_LEADER


def test_partitions_that_are_led_here_get_their_marker_at_once(channels: Channels) -> None:
    channels.send(ME, marker(7, 0), marker(8, 0))
    items = [item for item, _ in channels.written]
    assert [(each.producer_id, each.producer_epoch, each.coordinator_epoch) for each in items] == [
        (7, 3, 5),
        (8, 3, 5),
    ]
    assert {each.is_abort for each in items} == {True}
    for (_, done), code in zip(
        channels.written, (ErrorCode.NONE, ErrorCode.NOT_ENOUGH_REPLICAS), strict=True
    ):
        done([ProduceResult(code=code)])
    # Not in the middle of whatever has just been replicated.
    assert channels.results == []
    channels.do_later()
    key = TopicPartition("t", 0)
    assert channels.results == [{7: {key: ErrorCode.NONE}, 8: {key: ErrorCode.NOT_ENOUGH_REPLICAS}}]


def test_many_are_written_in_several_turns(channels: Channels) -> None:
    count = 2 * MARKERS_AT_ONCE + 1
    channels.send(ME, *(marker(number, 0) for number in range(count)))
    for written in (MARKERS_AT_ONCE, 2 * MARKERS_AT_ONCE, count):
        assert len(channels.written) == written
        channels.do_later()
    for _, done in channels.written:
        done([ProduceResult(code=ErrorCode.NONE)])
        assert channels.results == []
    channels.do_later()
    assert len(channels.results[0] or ()) == count


def test_other_brokers_get_requests(channels: Channels) -> None:
    channels.send(OTHER, marker(7, 1), marker(8, 1))
    items = [item for broker_id, item in channels.sent if broker_id == OTHER]
    request = module._request(items)
    decoded, _ = WriteTxnMarkersRequest.decode(request.encode(2), 2)
    assert [
        (each.producer_id, each.producer_epoch, each.transaction_result, each.transaction_version)
        for each in decoded.markers
    ] == [(7, 3, False, 2), (8, 3, False, 2)]
    response = WriteTxnMarkersResponse
    topic = response.WritableTxnMarkerTopicResult(
        name="t",
        partitions=[response.WritableTxnMarkerPartitionResult(partition_index=1, error_code=999)],
    )
    # The other producer is left out, which leaves it in doubt; 999 is of some later release.
    module._responded(
        items, response(markers=[response.WritableTxnMarkerResult(producer_id=8, topics=[topic])])
    )
    key = TopicPartition("t", 1)
    assert channels.results == [{7: {}, 8: {key: ErrorCode.UNKNOWN_SERVER_ERROR}}]


def test_without_a_response_all_is_in_doubt(channels: Channels) -> None:
    channels.send(OTHER, marker(7, 1))
    module._responded([item for _, item in channels.sent], None)
    assert channels.results == [{7: {}}]


def test_no_request_exceeds_what_a_broker_takes(channels: Channels) -> None:
    channels.send(OTHER, marker(7, *range(PARTITIONS_IN_ONE + 1)))
    items = [item for _, item in channels.sent]
    assert [len(each.partitions) for each in items] == [PARTITIONS_IN_ONE, 1]
    largest = max(each.elements for each in items)
    assert largest == 1 + 2 * PARTITIONS_IN_ONE
    assert MAX_ELEMENTS + largest <= MARKERS.max_elements
    # They have the same key, and so go into two requests; the coordinator hears of both at once.
    module._responded(items[:1], None)
    assert channels.results == []
    module._responded(items[1:], None)
    assert channels.results == [{7: {}}]
