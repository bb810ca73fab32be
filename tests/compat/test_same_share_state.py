"""The same requests about the state of share groups to a node of Apache Kafka 4.4.0 and to ours.

The responses are the same, and so are the records in ``__share_group_state``.

The requests are random, with a seed. Epochs and offsets are few and near each other, so that most requests have to do
with what is there.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import pytest
import trio

from compat.kafka.stock import StockNode
from compat.kafka.tools import run_tool
from compat.node import Node
from compat.ours import OurNode
from compat.probe import Probe
from compat.process import wait_until
from kafkaproto import messages as kafka
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.records.batch import iterate_batches
from kafkaproto.records.coordinator import SHARE_RECORDS, decode_coordinator_record
from kafkaproto.uuids import to_text
from kafkaproto_server.apis.ports.services import ABSENT
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.requests.coordinator_places import share_key
from kafkaproto_server.requests.share_state import Done, ShareState, ShareStateResult, StateBatch
from kafkaproto_server.shell.coordinators.broker_requests import OtherBrokers
from kafkaproto_server.shell.coordinators.share_state.persister import SharePersister
from kafkaproto_server.shell.net.streams import connect_tcp
from tests.compat.support.nodes import (
    PARTITIONS,
    create,
    delete_topics,
    led_topics,
    make_node,
    metadata,
)
from tests.core.controller.support.harness import Harness, SeededRng

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

TOPIC = "t"
STATE_TOPIC = "__share_group_state"
STATE_PARTITIONS = 2
UNKNOWN_ID = b"\x09" * 16
GROUPS = ("g", "a:b")
SEEDS = range(3)
STEPS = 120
WAIT_S = 60.0
OF_TOPIC = 1
"""As the source of a config: it is the topic's own."""
OVERRIDES = {
    "share.coordinator.state.topic.num.partitions": str(STATE_PARTITIONS),
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "share.coordinator.snapshot.update.records.per.snapshot": "3",
}
LOADS = {
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_COORDINATOR,
}
"""What a coordinator says that is about to begin."""


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Node]]:
    """A node of Apache Kafka and one of ours, each with the topic t and a share coordinator."""
    nodes: list[Node] = [
        make_node(make, tmp_path_factory.mktemp(make.kind), OVERRIDES) for make in (StockNode, OurNode)
    ]
    try:
        for node in nodes:
            node.start()
            create(node, TOPIC)
            wait_until(lambda node=node: _is_coordinated(node), WAIT_S, "a coordinator")  # type: ignore[misc]
        yield nodes
    finally:
        for node in nodes:
            node.close()


def _is_coordinated(node: Node) -> bool:
    topic_id = led_topics(node)[TOPIC]
    summaries: list[Any]
    with Probe(node.bootstrap_server) as probe:
        found: Any = probe.ask(
            kafka.FindCoordinatorRequest(key_type=2, coordinator_keys=[share_key("g", topic_id, 0)]), 6
        )
        if found.coordinators[0].error_code:
            return False
        # Both partitions of the topic.
        summaries = [
            probe.ask(
                _request(kafka.ReadShareGroupStateSummaryRequest, "ReadStateSummaryData", group, topic_id), 1
            )
            for group in "abcdefgh"
        ]
    codes = {place.error_code for each in summaries for topic in each.results for place in topic.partitions}
    return not codes & LOADS


def _request(
    kind: Any, topic: str, group: str, topic_id: bytes, partition: int = 0, **fields: Any
) -> Message:
    data = kind.PartitionData(partition=partition, **fields)
    return kind(group_id=group, topics=[getattr(kind, topic)(topic_id=topic_id, partitions=[data])])  # type: ignore[no-any-return]


class Dialogue:
    """Random requests; the same for each topic id."""

    def __init__(self, seed: int, topic_id: bytes, group: str) -> None:
        self.random = random.Random(seed)
        self.topic_id = topic_id
        self.group = group

    def requests(self) -> Iterator[tuple[Message, int]]:
        """Requests, each with its version."""
        for _ in range(STEPS):
            make = self.random.choices(
                (self.initialize, self.read, self.summary, self.write, self.delete), (2, 3, 3, 12, 1)
            )[0]
            yield make()

    def _topics(self, kind: Any, topic: str, make: Any) -> Message:
        """One to three partitions, some of them twice, or of topics that are not there."""
        topics = []
        for _ in range(self.random.choice((1, 1, 1, 2))):
            topic_id = UNKNOWN_ID if self.random.random() < 0.05 else self.topic_id
            partitions = [
                kind.PartitionData(partition=self._partition(), **make())
                for _ in range(self.random.choice((1, 1, 1, 2, 3)))
            ]
            topics.append(getattr(kind, topic)(topic_id=topic_id, partitions=partitions))
        return kind(group_id=self.group, topics=topics)  # type: ignore[no-any-return]

    def _partition(self) -> int:
        rare = (-1, PARTITIONS, 10**6)
        return self.random.choice(rare) if self.random.random() < 0.04 else self.random.randrange(PARTITIONS)

    def _epoch(self) -> int:
        return -1 if self.random.random() < 0.03 else self.random.choice((2, 2, 2, 2, 3, 3, 1, 4))

    def _offset(self) -> int:
        return -1 if self.random.random() < 0.3 else self.random.randrange(40)

    def initialize(self) -> tuple[Message, int]:
        kind = kafka.InitializeShareGroupStateRequest
        fields = lambda: {"state_epoch": self._epoch(), "start_offset": self._offset()}  # noqa: E731
        return self._topics(kind, "InitializeStateData", fields), 0

    def read(self) -> tuple[Message, int]:
        fields = lambda: {"leader_epoch": self._epoch()}  # noqa: E731
        return self._topics(kafka.ReadShareGroupStateRequest, "ReadStateData", fields), 0

    def summary(self) -> tuple[Message, int]:
        fields = lambda: {"leader_epoch": self._epoch()}  # noqa: E731
        kind = kafka.ReadShareGroupStateSummaryRequest
        return self._topics(kind, "ReadStateSummaryData", fields), self.random.randrange(2)

    def write(self) -> tuple[Message, int]:
        kind = kafka.WriteShareGroupStateRequest
        fields = lambda: {  # noqa: E731
            "state_epoch": self._epoch() + 1,
            "leader_epoch": self._epoch() + 1,
            "start_offset": self._offset(),
            "delivery_complete_count": self.random.randrange(-1, 9),
            "state_batches": [self._batch() for _ in range(self.random.choice((0, 1, 1, 2, 5)))],
        }
        return self._topics(kind, "WriteStateData", fields), self.random.randrange(2)

    def _batch(self) -> kafka.WriteShareGroupStateRequest.StateBatch:
        first = self.random.randrange(60)
        return kafka.WriteShareGroupStateRequest.StateBatch(
            first_offset=first,
            last_offset=first + self.random.choice((0, 0, 1, 5, 30)),
            delivery_state=self.random.choice((0, 2, 4)),
            delivery_count=self.random.randrange(1, 4),
        )

    def delete(self) -> tuple[Message, int]:
        return self._topics(kafka.DeleteShareGroupStateRequest, "DeleteStateData", dict), 0


def _told(value: Any, topic_id: bytes) -> Any:
    """A response without texts, which are each server's own, and in no order."""
    if isinstance(value, list):
        return sorted((_told(each, topic_id) for each in value), key=repr)
    if isinstance(value, bytes | memoryview):
        return "<topic>" if bytes(value) == topic_id else bytes(value)
    if not hasattr(type(value), "__slots__") or isinstance(value, str | int):
        return value
    left_out = ("error_message", "unknown_tags")
    return {
        name: _told(getattr(value, name), topic_id) for name in type(value).__slots__ if name not in left_out
    }


def _responses(node: Node, seed: int, group: str) -> list[str]:
    topic_id = led_topics(node)[TOPIC]
    found = []
    with Probe(node.bootstrap_server) as probe:
        for request, version in Dialogue(seed, topic_id, group).requests():
            response = _told(probe.ask(request, version), topic_id)
            found.append(f"{_told(request, topic_id)} v{version}: {response}")
    return found


def _records(node: Node) -> list[list[Any]]:
    """The records of each partition of the topic, without times, which differ."""
    (state_topic,) = [each for each in metadata(node).topics if each.name == STATE_TOPIC]
    topic_id = led_topics(node)[TOPIC]
    found = []
    with Probe(node.bootstrap_server) as probe:
        for index in range(STATE_PARTITIONS):
            records: list[Any] = []
            offset = 0
            while True:
                fetch = kafka.FetchRequest.FetchPartition(
                    partition=index, fetch_offset=offset, partition_max_bytes=1 << 20
                )
                topic = kafka.FetchRequest.FetchTopic(topic_id=state_topic.topic_id, partitions=[fetch])
                response: Any = probe.ask(
                    kafka.FetchRequest(max_wait_ms=100, max_bytes=1 << 20, topics=[topic]), 17
                )
                data = bytes(response.responses[0].partitions[0].records or b"")
                if not data:
                    break
                for batch in iterate_batches(data):
                    for record in batch.records():
                        decoded = decode_coordinator_record(SHARE_RECORDS, record.key or b"", record.value)
                        records.append(_entry(decoded, topic_id))
                    offset = batch.header().next_offset
            found.append(records)
    return found


def _entry(record: Any, topic_id: bytes) -> Any:
    value = None if record.value is None else _told(record.value, topic_id)
    if value is not None and "create_timestamp" in value:
        value["is_cold"] = value.pop("create_timestamp") != value.pop("write_timestamp")
    if value is not None:
        # In their order.
        value["state_batches"] = [
            (each.first_offset, each.last_offset, each.delivery_state, each.delivery_count)
            for each in record.value.state_batches
        ]
    return record.key.NAME, _told(record.key, topic_id), value


def _compare(both: Sequence[Node], seeds: Iterable[int]) -> set[str]:
    """Hold dialogues with both, and compare what they say and write. Returns the error codes that came up."""
    codes: set[str] = set()
    for seed in seeds:
        for group in GROUPS:
            stock, ours = (_responses(node, seed, group) for node in both)
            for expected, found in zip(stock, ours, strict=True):
                assert found == expected, f"seed {seed}, group {group}"
                codes.update(re.findall("'error_code': ([0-9]+)", found))
    stock_records, our_records = (_by_group(_records(node)) for node in both)
    for group in GROUPS:
        assert our_records[group] == stock_records[group]
        assert {name for name, _, _ in our_records[group]} == {"ShareSnapshotKey", "ShareUpdateKey"}
    return codes


def test_a_dialogue_gets_the_same_responses_and_leaves_the_same_records(both: list[Node]) -> None:
    """Then each continues on the files of the other. Apache Kafka's tool reads ours."""
    codes = _compare(both, SEEDS)
    assert {"0", "3", "42", "74", "124"} <= codes
    written = sum(map(len, _records(both[1])))
    for node in both:
        node.stop()
    files = [str(each / f"{0:020}.log") for each in sorted(both[1].data_directory.glob(f"{STATE_TOPIC}-*"))]
    dumped = run_tool("kafka-dump-log", "--share-group-state-decoder", "--files", ",".join(files)).output()
    assert (
        len(re.findall(r'key: \{"type":"[01]",.* payload: (?:\{"version":"0",|<DELETE>)', dumped)) == written
    )
    both[:] = [
        make(node.directory, node.properties) for make, node in zip((OurNode, StockNode), both, strict=True)
    ]
    for node in both:
        node.start()
        wait_until(lambda node=node: _is_coordinated(node), WAIT_S, "a coordinator")  # type: ignore[misc]
    _compare(both, [max(SEEDS) + 1])


def _keys(topic_id: bytes) -> list[str]:
    """Keys of share partitions: in order, written in other ways, and none at all."""
    text = to_text(topic_id)
    good = [f"g:{text}:0", f"a:b:{text}:1", f"g:{text}:+01", f"g:{text}:-1", f" g :{text}:2"]
    numbers = ("", "x", "1.0", " 1", "2147483648", "-2147483648", "\u0661")
    bad = ["", ":", "::", f"g:{text}", f":{text}:0", f" :{text}:0", f"g:{text}:0:", f"g:{text}::", "g:x:0"]
    return [*good, *bad, *(f"g:{text}:{each}" for each in numbers), f"g:{text}A:0", f"g:{text[:-1]}:0"]


def test_keys_of_share_partitions(both: list[Node]) -> None:
    codes = []
    for node in both:
        with Probe(node.bootstrap_server) as probe:
            keys = _keys(led_topics(node)[TOPIC])
            response: Any = probe.ask(kafka.FindCoordinatorRequest(key_type=2, coordinator_keys=keys), 6)
            codes.append([(each.error_code, each.node_id) for each in response.coordinators])
    assert codes[1] == codes[0]


def _own_configs(node: Node) -> dict[str, str | None]:
    """What is set for the topic with the states itself."""
    resource = kafka.DescribeConfigsRequest.DescribeConfigsResource(
        resource_type=2, resource_name=STATE_TOPIC, configuration_keys=None
    )
    with Probe(node.bootstrap_server) as probe:
        response: Any = probe.ask(kafka.DescribeConfigsRequest(resources=[resource]), 4)
    return {each.name: each.value for each in response.results[0].configs if each.config_source == OF_TOPIC}


def test_the_topic_is_made_alike(both: list[Node]) -> None:
    stock, ours = (_own_configs(node) for node in both)
    assert ours == stock
    assert ours["cleanup.policy"] == "delete"


def _begins(node: Node, topic_id: bytes, index: int) -> bool:
    """Whether a state could be initialized. The coordinator may hear of the topic a moment after clients do."""
    fields = {"state_epoch": 1, "start_offset": 0}
    with Probe(node.bootstrap_server) as probe:
        kind = kafka.InitializeShareGroupStateRequest
        response: Any = probe.ask(_request(kind, "InitializeStateData", "d", topic_id, index, **fields), 0)
    return [each.error_code for each in response.results[0].partitions] == [0]


def _removed(node: Node) -> list[int]:
    """The partitions whose states group d has no more."""
    records = [each for part in _records(node) for each in part if each[1]["group_id"] == "d"]
    return sorted(key["partition"] for _, key, value in records if value is None)


def test_states_of_a_deleted_topic_are_removed(both: list[Node]) -> None:
    for node in both:
        create(node, "gone")
        for index in range(PARTITIONS):
            begins = partial(_begins, node, led_topics(node)["gone"], index)
            wait_until(begins, WAIT_S, "a state")
        delete_topics(node, ["gone"])
        wait_until(lambda node=node: _removed(node) == [*range(PARTITIONS)], WAIT_S, "tombstones")  # type: ignore[misc]


@pytest.mark.parametrize("which", [0, 1])
def test_the_persister_keeps_states_at_either(both: list[Node], which: int) -> None:
    """Over the wire, several partitions of two groups at once."""
    node = both[which]
    results = trio.run(_persist, node, led_topics(node)[TOPIC])
    assert [each.code for each in results[:4]] == [ErrorCode.NONE] * 4
    batch = StateBatch(5, 6, 2, 1)
    for read, summary in zip(results[4:8], results[8:12], strict=True):
        assert read == ShareStateResult(ErrorCode.NONE, None, ShareState(1, 4, -1, (batch,)))
        assert summary == ShareStateResult(ErrorCode.NONE, None, ShareState(1, 4, 2), 0)
    assert [each.code for each in results[12:]] == [
        ErrorCode.NONE,
        ErrorCode.FENCED_STATE_EPOCH,
        ErrorCode.INVALID_REQUEST,
    ]


async def _persist(node: Node, topic_id: bytes) -> list[ShareStateResult]:
    """What the persister of a broker says that has this node for a coordinator."""
    harness = Harness(metadata_version=33)
    harness.start_brokers(1)
    harness.create_topic(STATE_TOPIC, *([1] for _ in range(STATE_PARTITIONS)))
    host, port = node.bootstrap_server.rsplit(":", 1)
    results: list[ShareStateResult] = []
    async with trio.open_nursery() as nursery:

        def call_later(delay_ms: int, call: Callable[[], None]) -> None:
            async def wait() -> None:
                await trio.sleep(delay_ms / 1000)
                call()

            nursery.start_soon(wait)

        persister = SharePersister(
            OtherBrokers(
                broker_id=7,
                endpoint=lambda broker_id: Endpoint(name="PLAINTEXT", host=host, port=int(port)),
                rng=SeededRng(),
                connect=connect_tcp,
                timeout_ms=lambda: 10_000,
            ),
            image=lambda: harness.image,
            here=ABSENT,
            create_topic=lambda name: None,
            call_later=call_later,
        )
        await nursery.start(persister.run)

        async def all_of(*calls: Callable[[Done], None]) -> None:
            expected = len(results) + len(calls)
            for call in calls:
                call(results.append)
            with trio.fail_after(WAIT_S):
                while len(results) < expected:
                    await trio.sleep(0.01)

        keys = [(group, topic_id, index) for group in ("p", "q") for index in range(PARTITIONS)]
        state = ShareState(1, 4, 2, (StateBatch(5, 6, 2, 1),))
        await all_of(*(partial(persister.initialize, *key, 1, -1) for key in keys))
        written: list[ShareStateResult] = []
        for key in keys:
            persister.write(*key, state, 0, written.append)
        await all_of(*(partial(persister.read, *key, 0) for key in keys))
        assert [each.code for each in written] == [ErrorCode.NONE] * len(keys)
        await all_of(*(partial(persister.read_summary, *key, 0) for key in keys))
        await all_of(partial(persister.delete, *keys[0]))
        await all_of(partial(persister.initialize, *keys[1], 0, 0))
        await all_of(partial(persister.read, *keys[0], 0))
        nursery.cancel_scope.cancel()
    for queue in persister._requests._queues.values():
        assert queue._peer is not None
        queue._peer.close()
    return results


def _by_group(partitions: list[list[Any]]) -> dict[str, list[Any]]:
    """The records of a group and a partition are in order; topic ids, and so the places of partitions, differ."""
    found: dict[str, list[Any]] = {group: [] for group in GROUPS}
    for records in partitions:
        for record in records:
            if record[1]["group_id"] in found:
                found[record[1]["group_id"]].append(record)
    for group, records in found.items():
        # Stable: those of a partition stay in order.
        found[group] = sorted(records, key=lambda record: record[1]["partition"])
    return found
