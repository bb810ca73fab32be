"""Finds the latest offsets of partitions on whatever broker: ListOffsets, as consumers use it.

Kafka has this in NetworkPartitionMetadataClient. Nothing is asked twice here: who wants to know a lag asks again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import msgspec

from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.message import Message
from kafkaproto.messages import ListOffsetsRequest, ListOffsetsResponse
from kafkaproto_server.base.later import Gather
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.requests.data import OffsetQuery, OffsetResult
from kafkaproto_server.requests.share_group_requests import LatestOffset, TopicIdPartition
from kafkaproto_server.shell.coordinators.broker_requests import BrokerRequests, OtherBrokers
from kafkaproto_server.shell.replicas.followers.offsets import LATEST

CLIENT_REPLICA_ID = -1
AT_ONCE = 500
"""Partitions that this broker leads and that are looked at in one turn of the loop."""
PAUSE_MS = 1
NO_OFFSET = -1

Found = Callable[[Mapping[TopicIdPartition, LatestOffset]], None]


class _AskedPartitions:
    """Partitions that were asked for in one call, until all of them have a result."""

    def __init__(self, found: Found) -> None:
        results: dict[TopicIdPartition, LatestOffset] = {}
        self.parts = Gather(lambda: found(results))
        self._results = results

    def add(self, partition: TopicIdPartition, result: LatestOffset) -> None:
        self._results[partition] = result
        self.parts.came()


class _Item(msgspec.Struct, frozen=True):
    """A partition that another broker leads."""

    topic: str
    partition: TopicIdPartition
    asked: _AskedPartitions

    @property
    def key(self) -> tuple[str, int]:
        """By which the response names it."""
        return self.topic, self.partition.partition

    @property
    def elements(self) -> int:
        """At most one for the topic and one for the partition."""
        return 2


class LatestOffsetFinder:
    """The latest offsets of partitions. Implements `LatestOffsets`."""

    def __init__(
        self,
        others: OtherBrokers,
        *,
        image: Callable[[], ClusterImage],
        find_offset: Callable[[OffsetQuery, Callable[[OffsetResult], None]], None],
        call_later: Callable[[int, Callable[[], None]], None],
    ) -> None:
        """``find_offset`` looks at a partition that this broker leads. ``call_later`` calls after milliseconds."""
        self._broker_id = others.broker_id
        self._image = image
        self._find_offset = find_offset
        self._call_later = call_later
        self._requests: BrokerRequests[_Item] = BrokerRequests(
            others,
            "latest-offsets",
            request=_request,
            responded=_responded,
        )
        self.run = self._requests.run

    def find(self, partitions: Sequence[TopicIdPartition], found: Found) -> None:
        asked = _AskedPartitions(found)
        self._call_later(0, partial(self._ask, partitions, asked))

    def _ask(self, partitions: Sequence[TopicIdPartition], asked: _AskedPartitions) -> None:
        now, later = partitions[:AT_ONCE], partitions[AT_ONCE:]
        if later:
            self._call_later(PAUSE_MS, partial(self._ask, later, asked))
        image = self._image()
        for each in now:
            asked.parts.asked()
            topic = image.topics.get(each.topic_id)
            state = None if topic is None else topic.partitions.get(each.partition)
            broker = None if state is None else image.brokers.get(state.leader)
            if topic is None or state is None:
                asked.add(each, (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, NO_OFFSET))
            elif broker is None or broker.fenced:
                asked.add(each, (ErrorCode.LEADER_NOT_AVAILABLE, NO_OFFSET))
            elif state.leader == self._broker_id:
                self._find_here(topic.name, each, asked)
            else:
                self._requests.send(state.leader, _Item(topic.name, each, asked))
        if not later:
            asked.parts.all_asked()

    def _find_here(self, topic: str, partition: TopicIdPartition, asked: _AskedPartitions) -> None:
        query = OffsetQuery(
            topic=topic,
            index=partition.partition,
            timestamp=LATEST,
            current_leader_epoch=-1,
            is_from_client=True,
            is_committed_only=False,
        )
        self._find_offset(query, lambda result: asked.add(partition, (result.code, result.offset)))


def _request(items: Sequence[_Item]) -> ListOffsetsRequest:
    by_topic: dict[str, list[ListOffsetsRequest.ListOffsetsPartition]] = {}
    for item in items:
        by_topic.setdefault(item.topic, []).append(
            ListOffsetsRequest.ListOffsetsPartition(
                partition_index=item.partition.partition, current_leader_epoch=-1, timestamp=LATEST
            )
        )
    return ListOffsetsRequest(
        replica_id=CLIENT_REPLICA_ID,
        topics=[
            ListOffsetsRequest.ListOffsetsTopic(name=name, partitions=partitions)
            for name, partitions in by_topic.items()
        ],
    )


def _responded(items: Sequence[_Item], response: Message | None) -> None:
    results: dict[tuple[str, int], LatestOffset] = {}
    if response is not None:
        assert isinstance(response, ListOffsetsResponse), "it is the response to ListOffsets"
        for topic in response.topics:
            for each in topic.partitions:
                results[topic.name, each.partition_index] = describe(each.error_code).code, each.offset
    lost = ErrorCode.NETWORK_EXCEPTION if response is None else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    for item in items:
        item.asked.add(item.partition, results.get(item.key, (lost, NO_OFFSET)))
