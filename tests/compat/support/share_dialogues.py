"""Dialogues about share partitions, the same with a node of Apache Kafka and with one of ours.

Two members of a group produce nothing and know nothing of the group's coordinator: a leader of partitions does not
ask whether a member has joined. What a random dialogue asks next follows from the responses before, so it is the same
for both nodes as long as the responses are.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from compat.kafka.stock import StockNode
from compat.node import Node
from compat.ours import OurNode
from compat.probe import Probe
from compat.process import wait_until
from kafkaproto import messages as kafka
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.records.batch import NewRecord, build_batch, iterate_batches
from kafkaproto_server.requests.coordinator_places import share_key
from tests.compat.support.nodes import create, led_topics, make_node

TOPIC = "t"
MEMBERS = ("member-a", "member-b")
WAIT_S = 60.0
TIMESTAMP_MS = 1_700_000_000_000
RELEASE_S = 0.2
"""The response to a request that ends a session does not wait until the records are released."""
CONFIG_S = 0.3
PATIENCE_MS = 5_000
"""How long Apache Kafka may take for records that our node had at once."""
OVERRIDES = {
    "share.coordinator.state.topic.num.partitions": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    # The records of dialogues are years old, and Apache Kafka looks for such half a minute after its start.
    "log.retention.ms": "-1",
    "group.share.min.record.lock.duration.ms": "1000",
    "group.share.min.partition.max.record.locks": "100",
}


@contextmanager
def coordinated_nodes(make_folder: Callable[[str], Path], **more: str) -> Iterator[tuple[Node, Node]]:
    """A node of Apache Kafka and one of ours, each with a share coordinator, and with more configs than OVERRIDES."""
    overrides = {**OVERRIDES, **more}
    nodes = [make_node(make, make_folder(make.kind), overrides) for make in (StockNode, OurNode)]
    try:
        for node in nodes:
            node.start()
            create(node, TOPIC)
            wait_until(partial(is_coordinated, node), WAIT_S, "a coordinator")
        yield nodes[0], nodes[1]
    finally:
        for node in nodes:
            node.close()


def is_coordinated(node: Node) -> bool:
    """Whether the share coordinator serves."""
    topic_id = led_topics(node)[TOPIC]
    with Probe(node.bootstrap_server) as probe:
        found: Any = probe.ask(
            kafka.FindCoordinatorRequest(key_type=2, coordinator_keys=[share_key("g", topic_id, 0)]), 6
        )
        if found.coordinators[0].error_code:
            return False
        return code(probe.ask(initialize("probe", topic_id, 0, 0), 0)) == ErrorCode.NONE


def code(response: Any) -> int:
    return int(response.results[0].partitions[0].error_code)


def initialize(group: str, topic_id: bytes, partition: int, start_offset: int) -> Message:
    """Begin the state of a partition for a group."""
    kind = kafka.InitializeShareGroupStateRequest
    data = kind.PartitionData(partition=partition, state_epoch=1, start_offset=start_offset)
    return kind(group_id=group, topics=[kind.InitializeStateData(topic_id=topic_id, partitions=[data])])


def set_group_configs(node: Node, group: str, configs: dict[str, str]) -> None:
    """Set configs of a group, and give the node the time to hear of them."""
    kind = kafka.IncrementalAlterConfigsRequest
    resource = kind.AlterConfigsResource(
        resource_type=32,
        resource_name=group,
        configs=[kind.AlterableConfig(name=name, value=value) for name, value in configs.items()],
    )
    with Probe(node.bootstrap_server) as probe:
        response: Any = probe.ask(kind(resources=[resource]), 1)
    assert [each.error_code for each in response.responses] == [0]
    time.sleep(CONFIG_S)


class Range(NamedTuple):
    """What a member has acquired of a partition."""

    partition: int
    first: int
    last: int


class Dialogue:
    """Random requests of two members of a group, each on a connection of its own."""

    def __init__(
        self, seed: int, node: Node, topic: str, group: str, partitions: int, first: Dialogue | None = None
    ) -> None:
        """``first`` is the same dialogue with our node."""
        self.random = random.Random(seed)
        self._first = first
        self.node = node
        self.topic, self.group = topic, group
        self.topic_id = led_topics(node)[topic]
        self.partitions = partitions
        self.ends = [0] * partitions
        self.epochs = dict.fromkeys(MEMBERS, -1)
        self.held: dict[str, list[Range]] = {member: [] for member in MEMBERS}
        self.version = 2
        self.told: list[str] = []
        self.delivered: list[bool] = []
        """Of each ShareFetch, whether its response had records."""
        self.codes: set[int] = set()
        """Of partitions and their acknowledgements."""

    def run(self, steps: int) -> list[str]:
        """The dialogue: each request with its response."""
        with ExitStack() as stack:
            self.admin = stack.enter_context(Probe(self.node.bootstrap_server))
            self.probes = {
                member: stack.enter_context(Probe(self.node.bootstrap_server)) for member in MEMBERS
            }
            for partition in range(self.partitions):
                self.initialize(partition)
                self.produce(partition, 3)
                self.load(partition)
            for member in MEMBERS:
                self.open(member)
            for _ in range(steps):
                self.version = self.random.choice((1, 2, 2))
                member = self.random.choice(MEMBERS)
                choice = self.random.choices(
                    (self.fetch, self.acknowledge, self.both, self.more, self.again), (8, 8, 4, 3, 1)
                )[0]
                choice(member)
            for member in MEMBERS:
                self.close(member)
            for partition in range(self.partitions):
                self.state(partition)
        return self.told

    def initialize(self, partition: int, start_offset: int = 0) -> None:
        """The group begins. The share coordinator may have to hear of the topic first."""
        request = initialize(self.group, self.topic_id, partition, start_offset)
        wait_until(
            lambda: code(self.admin.ask(request, 0)) == ErrorCode.NONE, WAIT_S, "the share coordinator"
        )

    def ask(self, probe: Probe, request: Message, version: int) -> Any:
        said = told(request, self.topic_id)
        if (
            isinstance(request, kafka.ShareFetchRequest)
            and request.max_wait_ms == 0
            and self._may_take_time()
        ):
            request.max_wait_ms = PATIENCE_MS
        response = probe.ask(request, version)
        if isinstance(request, kafka.ShareFetchRequest):
            self.delivered.append(_has_records(response))
        self.told.append(f"{said} v{version}: {told(response, self.topic_id)}")
        return response

    def _may_take_time(self) -> bool:
        """Whether our node had records for the next fetch. While another thread of Apache Kafka has the share partition
        to itself, it responds to a request that does not wait as if there were none."""
        delivered = [] if self._first is None else self._first.delivered
        position = len(self.delivered)
        return position < len(delivered) and delivered[position]

    def produce(self, partition: int, count: int) -> None:
        """One batch of so many records."""
        end = self.ends[partition]
        records = [NewRecord(None, f"{partition}-{end + each}".encode()) for each in range(count)]
        batch = build_batch(records, base_offset=0, timestamp_ms=TIMESTAMP_MS)
        data = kafka.ProduceRequest.PartitionProduceData(index=partition, records=batch)
        topic = kafka.ProduceRequest.TopicProduceData(topic_id=self.topic_id, partition_data=[data])
        response: Any = self.admin.ask(
            kafka.ProduceRequest(acks=-1, timeout_ms=10_000, topic_data=[topic]), 13
        )
        assert response.responses[0].partition_responses[0].error_code == 0
        self.ends[partition] += count

    def more(self, member: str) -> None:
        """Records are produced."""
        for _ in range(self.random.randrange(1, 4)):
            self.produce(self.random.randrange(self.partitions), self.random.choice((1, 1, 2, 5, 9)))

    # -- requests ----------------------------------------------------------------------------------------------

    def fetch_request(
        self,
        member: str,
        epoch: int,
        places: Sequence[int] = (),
        said: dict[int, list[Any]] | None = None,
        **fields: Any,
    ) -> kafka.ShareFetchRequest:
        kind = kafka.ShareFetchRequest
        numbers = sorted({*places, *(said or {})})
        partitions = [
            kind.FetchPartition(partition_index=each, acknowledgement_batches=(said or {}).get(each, []))
            for each in numbers
        ]
        defaults: dict[str, Any] = {
            "max_wait_ms": 0,
            "min_bytes": 1,
            "max_bytes": 1 << 20,
            # Which of several partitions comes first is Kafka's hash of their topic id.
            "max_records": self.random.choice((1, 2, 3, 500)) if self.partitions == 1 else 500,
            "batch_size": self.random.choice((1, 2, 500)),
            "share_acquire_mode": self.random.choice((0, 1)) if self.version >= 2 else 0,
        }
        return kind(
            group_id=self.group,
            member_id=member,
            share_session_epoch=epoch,
            topics=[kind.FetchTopic(topic_id=self.topic_id, partitions=partitions)] if partitions else [],
            **{**defaults, **fields},
        )

    def _send_fetch(self, member: str, request: kafka.ShareFetchRequest) -> None:
        response = self.ask(self.probes[member], request, self.version)
        for topic in response.responses:
            for place in topic.partitions:
                self.codes.update((place.error_code, place.acknowledge_error_code))
                self.held[member] += [
                    Range(place.partition_index, each.first_offset, each.last_offset)
                    for each in place.acquired_records
                ]
        if response.error_code == 0:
            self.epochs[member] = 1 if self.epochs[member] == -1 else self.epochs[member] + 1

    def load(self, partition: int) -> None:
        """Another member fetches, waits until the share partition is loaded, and leaves."""
        member = f"loader-{partition}"
        request = self.fetch_request(member, 0, [partition], max_wait_ms=10_000, max_records=1)
        self.ask(self.admin, request, self.version)
        kind = kafka.ShareAcknowledgeRequest
        leaves = kind(group_id=self.group, member_id=member, share_session_epoch=-1)
        self.ask(self.admin, leaves, self.version)
        time.sleep(RELEASE_S)

    def open(self, member: str) -> None:
        """A session begins."""
        self.epochs[member] = -1
        self._send_fetch(member, self.fetch_request(member, 0, range(self.partitions)))

    def fetch(self, member: str) -> None:
        """Fetch."""
        self._send_fetch(member, self.fetch_request(member, self.epochs[member]))

    def _said(self, member: str, kind: Any, *, renews: bool, releases: bool) -> dict[int, list[Any]]:
        """Acknowledgements of some of what a member has, and rarely of something else."""
        said: dict[int, list[Any]] = {}
        for held in sorted(self.held[member]):
            if self.random.random() < 0.5:
                continue
            first, last = held.first, held.last
            if self.random.random() < 0.3:
                first = self.random.randint(first, last)
            if self.random.random() < 0.3:
                last = self.random.randint(first, last)
            types = self._types(last - first + 1, renews=renews, releases=releases)
            said.setdefault(held.partition, []).append(
                kind(first_offset=first, last_offset=last, acknowledge_types=types)
            )
        if self.random.random() < 0.1:
            first = self.random.randrange(-1, 30)
            wrong = kind(
                first_offset=first,
                last_offset=first + self.random.randrange(-1, 4),
                acknowledge_types=self.random.choice(([1], [], [5], [-1], [1, 2], [3])),
            )
            said.setdefault(self.random.choice((*range(self.partitions), 9)), []).append(wrong)
        kinds = {each for batches in said.values() for batch in batches for each in batch.acknowledge_types}
        if not renews or kinds != {4}:
            # What was acknowledged is not held any more, if all went well.
            done = {
                (partition, offset)
                for partition, batches in said.items()
                for batch in batches
                for offset in range(batch.first_offset, batch.last_offset + 1)
            }
            self.held[member] = [
                each
                for each in self.held[member]
                if not any((each.partition, offset) in done for offset in range(each.first, each.last + 1))
            ]
        return said

    def _types(self, count: int, *, renews: bool, releases: bool) -> list[int]:
        kinds = (0, 1, 1, 3) + ((2, 2, 2) if releases else ()) + ((4, 4, 4) if renews else ())
        if self.random.random() < 0.5 or count > 50:
            return [self.random.choice(kinds)]
        return [self.random.choice(kinds) for _ in range(count)]

    def acknowledge(self, member: str) -> None:
        """Acknowledge, in a request of its own."""
        kind = kafka.ShareAcknowledgeRequest
        renews = self.version >= 2 and self.random.random() < 0.3
        said = self._said(member, kind.AcknowledgementBatch, renews=renews, releases=True)
        partitions = [
            kind.AcknowledgePartition(partition_index=each, acknowledgement_batches=batches)
            for each, batches in sorted(said.items())
        ]
        request = kind(
            group_id=self.group,
            member_id=member,
            share_session_epoch=self.epochs[member],
            is_renew_ack=renews,
            topics=[kind.AcknowledgeTopic(topic_id=self.topic_id, partitions=partitions)]
            if partitions
            else [],
        )
        response = self.ask(self.probes[member], request, self.version)
        self.codes.update(place.error_code for topic in response.responses for place in topic.partitions)
        if response.error_code == 0:
            self.epochs[member] += 1

    def both(self, member: str) -> None:
        """Acknowledge and fetch with one request."""
        renews = self.version >= 2 and self.random.random() < 0.3
        # Whether what is released is persisted when the fetch looks for it is a matter of time.
        kind = kafka.ShareFetchRequest.AcknowledgementBatch
        said = self._said(member, kind, renews=renews, releases=False)
        request = self.fetch_request(member, self.epochs[member], said=said, is_renew_ack=renews)
        if renews:
            request.max_bytes = request.min_bytes = request.max_records = 0
        self._send_fetch(member, request)

    def again(self, member: str) -> None:
        """The session is closed or begins anew, or the epoch is wrong."""
        what = self.random.randrange(3)
        if what == 0:
            self.close(member)
            self.open(member)
        elif what == 1:
            self.open(member)
        else:
            self._send_fetch(member, self.fetch_request(member, self.epochs[member] + 7))

    def close(self, member: str) -> None:
        """The session ends."""
        kind = kafka.ShareAcknowledgeRequest
        request = kind(group_id=self.group, member_id=member, share_session_epoch=-1)
        self.ask(self.probes[member], request, self.version)
        self.held[member] = []
        time.sleep(RELEASE_S)

    def state(self, partition: int) -> None:
        """What the share coordinator has in the end, once the last change is persisted."""
        kind = kafka.ReadShareGroupStateRequest
        data = kind.PartitionData(partition=partition, leader_epoch=0)
        request = kind(
            group_id=self.group, topics=[kind.ReadStateData(topic_id=self.topic_id, partitions=[data])]
        )
        self.ask(self.admin, request, 0)


def _has_records(response: Any) -> bool:
    return any(partition.acquired_records for topic in response.responses for partition in topic.partitions)


def told(value: Any, topic_id: bytes) -> Any:
    """A message without what only one node can say, its arrays in no order."""
    if isinstance(value, list):
        return sorted((told(each, topic_id) for each in value), key=repr)
    if isinstance(value, bytes | memoryview):
        return "<topic>" if bytes(value) == topic_id else bytes(value)
    if not hasattr(type(value), "__slots__") or isinstance(value, str | int):
        return value
    # Texts are each server's own.
    left_out = ("unknown_tags", "port", "error_message", "acknowledge_error_message")
    return {
        name: batches(getattr(value, name)) if name == "records" else told(getattr(value, name), topic_id)
        for name in type(value).__slots__
        if name not in left_out
    }


def batches(records: Any) -> list[Any]:
    """What lies in records, without the time at which a transaction ended."""
    found: list[Any] = [len(records)]
    for view in iterate_batches(bytes(records)):
        header = view.header()
        found.append((header.base_offset, header.last_offset, header.attributes, view.size_in_bytes))
        found += [bytes(each.value or b"") for each in view.records() if not header.is_control]
    return found
