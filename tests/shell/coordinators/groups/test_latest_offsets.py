"""Where partitions end, on this broker and on others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ListOffsetsRequest, ListOffsetsResponse
from kafkaproto_server.requests.data import OffsetQuery, OffsetResult
from kafkaproto_server.requests.share_group_requests import LatestOffset, TopicIdPartition
from kafkaproto_server.shell.coordinators.groups import latest_offsets as module
from kafkaproto_server.shell.coordinators.groups.latest_offsets import AT_ONCE, LatestOffsetFinder
from tests.apis.support.data_broker import ME, OTHER, DataBroker
from tests.node.support.other_brokers import other_brokers

NONE = ErrorCode.NONE


class Finder:
    """The finder of broker 1; nothing is really sent."""

    def __init__(self, here: int = 1) -> None:
        self.broker = DataBroker()
        self.broker.topic("t", *[[ME]] * here, [OTHER])
        self.queries: list[OffsetQuery] = []
        self.later: list[Callable[[], None]] = []
        self.results: list[Mapping[TopicIdPartition, LatestOffset]] = []
        self.sent: list[tuple[int, Any]] = []
        self.finder = LatestOffsetFinder(
            other_brokers(ME),
            image=lambda: self.broker.harness.image,
            find_offset=self.find_here,
            call_later=lambda delay_ms, call: self.later.append(call),
        )
        self.finder._requests.send = lambda broker_id, item: self.sent.append((broker_id, item))  # type: ignore[method-assign]

    def find_here(self, query: OffsetQuery, found: Callable[[OffsetResult], None]) -> None:
        self.queries.append(query)
        found(OffsetResult(offset=10 + query.index))

    def of(self, index: int, topic: str = "t") -> TopicIdPartition:
        return TopicIdPartition(self.broker.topic_id(topic), index)

    def find(self, *partitions: TopicIdPartition) -> None:
        self.finder.find(partitions, self.results.append)
        while self.later:
            self.later.pop(0)()


def test_its_own_partitions_are_looked_up_as_for_a_consumer() -> None:
    finder = Finder()
    finder.find(finder.of(0))
    assert finder.results == [{finder.of(0): (NONE, 10)}]
    (query,) = finder.queries
    assert (query.timestamp, query.is_from_client, query.is_committed_only) == (-1, True, False)


def test_what_there_is_not_has_an_error() -> None:
    finder = Finder()
    unknown = TopicIdPartition(b"\x07" * 16, 0)
    finder.find(finder.of(9), unknown)
    missing = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1)
    assert finder.results == [{finder.of(9): missing, unknown: missing}]


def test_a_leader_that_is_away_cannot_be_asked() -> None:
    finder = Finder()
    finder.broker.harness.heartbeat(OTHER, want_fence=True)
    finder.find(finder.of(1))
    assert finder.results == [{finder.of(1): (ErrorCode.LEADER_NOT_AVAILABLE, -1)}]


def test_other_brokers_are_asked() -> None:
    finder = Finder()
    finder.find(finder.of(0), finder.of(1))
    ((broker_id, item),) = finder.sent
    assert broker_id == OTHER
    assert finder.results == []
    request = module._request([item])
    assert isinstance(request, ListOffsetsRequest)
    assert (request.replica_id, request.isolation_level, request.topics[0].name) == (-1, 0, "t")
    assert [(each.partition_index, each.timestamp) for each in request.topics[0].partitions] == [(1, -1)]
    partition = ListOffsetsResponse.ListOffsetsPartitionResponse(partition_index=1, offset=7)
    topic = ListOffsetsResponse.ListOffsetsTopicResponse(name="t", partitions=[partition])
    module._responded([item], ListOffsetsResponse(topics=[topic]))
    assert finder.results == [{finder.of(0): (NONE, 10), finder.of(1): (NONE, 7)}]


@pytest.mark.parametrize(
    ("response", "code"),
    [
        (None, ErrorCode.NETWORK_EXCEPTION),
        (ListOffsetsResponse(), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ],
)
def test_a_broker_that_does_not_respond_costs_its_own_partitions(response: Any, code: ErrorCode) -> None:
    finder = Finder()
    finder.find(finder.of(1))
    ((_, item),) = finder.sent
    module._responded([item], response)
    assert finder.results == [{finder.of(1): (code, -1)}]


def test_many_are_looked_up_some_at_a_time() -> None:
    finder = Finder(here=AT_ONCE + 1)
    asked = [finder.of(index) for index in range(AT_ONCE + 1)]
    finder.finder.find(asked, finder.results.append)
    finder.later.pop(0)()
    assert len(finder.queries) == AT_ONCE
    finder.later.pop(0)()
    assert len(finder.results[0]) == AT_ONCE + 1
