"""Share groups with dead-letter topics on nodes of either make: a member, what is in the topics, and a cluster."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compat.cluster import Cluster
from compat.node import Node
from compat.ours import OurNode
from compat.probe import Probe
from compat.process import wait_until
from compat.quorum import NodeClass
from kafkaproto import messages as kafka
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.records.batch import NewRecord, build_batch, iterate_batches
from kafkaproto_server.requests.coordinator_places import share_key
from tests.compat.support.nodes import create, led_topics
from tests.compat.support.share_dialogues import (
    OVERRIDES,
    RELEASE_S,
    TIMESTAMP_MS,
    WAIT_S,
    code,
    initialize,
    set_group_configs,
)

ACCEPT, RELEASE, REJECT = 1, 2, 3
ARCHIVING, ARCHIVED = 3, 4
MEMBER = "member-a"
ENABLED = {"errors.deadletterqueue.group.enable": "true"}
COPIES = {"errors.deadletterqueue.copy.record.enable": "true"}
FIRST, SECOND = 101, 102
"""The brokers of `TwoBrokers`."""
QUIET_S = 0.5
"""So long after the last state change nothing more is expected."""

Written = list[tuple[bytes | None, bytes | None, tuple[tuple[str, bytes | None], ...]]]


class Script:
    """A member of a group that reads one partition of a topic."""

    def __init__(self, node: Node, topic: str, configs: Mapping[str, str], *batches: bytes) -> None:
        """Create the topic, and begin the group in its first partition."""
        create(node, topic)
        set_group_configs(node, group_of(topic), {"share.delivery.count.limit": "2", **configs})
        self.begin(node, topic, led_topics(node)[topic], 0)
        request = initialize(self.group, self.topic_id, 0, 0)
        wait_until(
            lambda: code(self.probe.ask(request, 0)) == ErrorCode.NONE, WAIT_S, "the share coordinator"
        )
        self.produce(*batches)

    @classmethod
    def of(cls, node: Node, topic: str, topic_id: bytes, index: int) -> Script:
        """A member of a group that has begun, in a partition that the node leads."""
        script = cls.__new__(cls)
        script.begin(node, topic, topic_id, index)
        return script

    def begin(self, node: Node, topic: str, topic_id: bytes, index: int) -> None:
        """Connect to the leader of a partition."""
        self.node, self.group, self.topic_id, self.index = node, group_of(topic), topic_id, index
        self.probe = Probe(node.bootstrap_server).__enter__()
        self.epoch = 0

    def close(self) -> None:
        """Close the connection."""
        self.probe.__exit__(None, None, None)

    def produce(self, *batches: bytes) -> None:
        """Write batches to the topic."""
        for each in batches:
            data = kafka.ProduceRequest.PartitionProduceData(index=self.index, records=each)
            topic = kafka.ProduceRequest.TopicProduceData(topic_id=self.topic_id, partition_data=[data])
            response: Any = self.probe.ask(
                kafka.ProduceRequest(acks=-1, timeout_ms=10_000, topic_data=[topic]), 13
            )
            assert response.responses[0].partition_responses[0].error_code == 0

    def fetch(self, batch_size: int = 500) -> list[tuple[int, int, int]]:
        """Acquire what there is, or will be soon."""
        kind = kafka.ShareFetchRequest
        places = [kind.FetchPartition(partition_index=self.index)]
        request = kind(
            group_id=self.group,
            member_id=MEMBER,
            share_session_epoch=self.epoch,
            max_wait_ms=500 if self.epoch else 3_000,
            min_bytes=1,
            max_bytes=1 << 24,
            max_records=500,
            batch_size=batch_size,
            topics=[] if self.epoch else [kind.FetchTopic(topic_id=self.topic_id, partitions=places)],
        )
        self.epoch += 1
        response: Any = self.probe.ask(request, 2)
        assert response.error_code == 0
        found = [each for topic in response.responses for each in topic.partitions]
        assert [each.error_code for each in found] in ([], [0])
        return [
            (each.first_offset, each.last_offset, each.delivery_count)
            for place in found
            for each in place.acquired_records
        ]

    def say(self, first: int, last: int, *types: int) -> None:
        """Acknowledge records."""
        kind = kafka.ShareAcknowledgeRequest
        said = kind.AcknowledgementBatch(first_offset=first, last_offset=last, acknowledge_types=list(types))
        place = kind.AcknowledgePartition(partition_index=self.index, acknowledgement_batches=[said])
        topic = kind.AcknowledgeTopic(topic_id=self.topic_id, partitions=[place])
        request = kind(group_id=self.group, member_id=MEMBER, share_session_epoch=self.epoch, topics=[topic])
        self.epoch += 1
        response: Any = self.probe.ask(request, 2)
        assert response.error_code == 0
        assert response.responses[0].partitions[0].error_code == 0
        time.sleep(RELEASE_S)

    def delete_before(self, offset: int) -> None:
        """Delete records of the topic."""
        kind = kafka.DeleteRecordsRequest
        name = self.group.removeprefix("group-of-")
        place = kind.DeleteRecordsPartition(partition_index=0, offset=offset)
        request = kind(topics=[kind.DeleteRecordsTopic(name=name, partitions=[place])], timeout_ms=10_000)
        response: Any = self.probe.ask(request, 2)
        assert response.topics[0].partitions[0].error_code == 0

    def state(self) -> tuple[int, list[tuple[int, int, int, int]]]:
        """Start offset and batches that the share coordinator has."""
        kind = kafka.ReadShareGroupStateRequest
        data = kind.PartitionData(partition=0, leader_epoch=0)
        request = kind(
            group_id=self.group, topics=[kind.ReadStateData(topic_id=self.topic_id, partitions=[data])]
        )
        place = self.probe.ask(request, 0).results[0].partitions[0]  # type: ignore[attr-defined]
        return place.start_offset, [
            (each.first_offset, each.last_offset, each.delivery_state, each.delivery_count)
            for each in place.state_batches
        ]

    def archived(self) -> None:
        """Wait until nothing is being archived, and then a while."""
        wait_until(lambda: all(each[2] != ARCHIVING for each in self.state()[1]), WAIT_S, "an archived state")
        time.sleep(QUIET_S)


def written(node: Node, topic: str, index: int) -> Written:
    """What a partition of a topic has: keys, values and headers. None if there is no such partition."""
    with Probe(node.bootstrap_server) as probe:
        asked = kafka.MetadataRequest.Topic(name=topic)
        (known,) = probe.ask(  # type: ignore[attr-defined]
            kafka.MetadataRequest(topics=[asked], allow_auto_topic_creation=False), 12
        ).topics
        if known.error_code or index >= len(known.partitions):
            return []
        kind = kafka.FetchRequest
        asked_of = kind.FetchPartition(partition=index, fetch_offset=0, partition_max_bytes=1 << 24)
        request = kind(
            max_wait_ms=0,
            min_bytes=0,
            max_bytes=1 << 24,
            topics=[kind.FetchTopic(topic_id=known.topic_id, partitions=[asked_of])],
        )
        response: Any = probe.ask(request, 13)
    place = response.responses[0].partitions[0]
    assert place.error_code == 0
    return [
        (record.key, record.value, record.headers)
        for view in iterate_batches(place.records or b"")
        for record in view.records()
    ]


def written_anywhere(node: Node, topic: str) -> list[Written]:
    """The same of the first partitions."""
    return [written(node, topic, index) for index in range(3)]


def group_of(topic: str) -> str:
    return f"group-of-{topic}"


def batch(*values: bytes | None, compression: int = 0, key: bytes | None = b"k") -> bytes:
    """A batch whose records have a header of their own."""
    records = [NewRecord(key, each, [("own", b"header")]) for each in values]
    return build_batch(records, base_offset=0, timestamp_ms=TIMESTAMP_MS, compression=compression)


class TwoBrokers(Cluster):
    """A controller of ours, a broker of ours, and another one."""

    def __init__(self, folder: Path, other: NodeClass) -> None:
        def make(folder: Path, properties: Mapping[str, str]) -> Node:
            return (OurNode if properties["node.id"] == str(FIRST) else other)(folder, properties)

        super().__init__(OurNode, make, folder, controllers=1, brokers=2, broker_overrides=OVERRIDES)

    def create(self, name: str, *leaders: int, **configs: str) -> bytes:
        """A topic with a partition on each of these brokers."""
        kind = kafka.CreateTopicsRequest
        topic = kind.CreatableTopic(
            name=name,
            num_partitions=-1,
            replication_factor=-1,
            assignments=[
                kind.CreatableReplicaAssignment(partition_index=index, broker_ids=[broker_id])
                for index, broker_id in enumerate(leaders)
            ],
            configs=[kind.CreatableTopicConfig(name=key, value=value) for key, value in configs.items()],
        )
        with Probe(self.brokers[FIRST].bootstrap_server) as probe:
            response: Any = probe.ask(kind(topics=[topic], timeout_ms=30_000), 7)
        assert response.topics[0].error_code == 0
        topic_id: bytes = response.topics[0].topic_id
        return topic_id

    def begin_group(self, topic: str, topic_id: bytes, partitions: int) -> None:
        """Begin the states of the first partitions with whichever broker is the share coordinator."""
        key = share_key("g", topic_id, 0)
        request = kafka.FindCoordinatorRequest(key_type=2, coordinator_keys=[key])
        with Probe(self.brokers[FIRST].bootstrap_server) as probe:
            probe.ask(request, 6)
        for index in range(partitions):
            state = initialize(group_of(topic), topic_id, index, 0)
            wait_until(lambda state=state: self._initialize(state), WAIT_S, "the share coordinator")  # type: ignore[misc]

    def _initialize(self, request: Message) -> bool:
        for node in self.running_brokers():
            with Probe(node.bootstrap_server) as probe:
                if code(probe.ask(request, 0)) == ErrorCode.NONE:
                    return True
        return False
