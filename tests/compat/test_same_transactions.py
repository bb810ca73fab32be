"""The same requests about transactions to Apache Kafka and to us, in random order: the same errors, epochs and states.

A step is repeated while a server says that something is under way, and after each end both wait until it is complete.
Producer ids differ between the servers; what is compared is whether an id changed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from compat.kafka.stock import StockNode
from compat.node import Node
from compat.ours import OurNode
from compat.process import wait_until
from compat.quorum import connect
from kafkaproto.client import Client
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    AddOffsetsToTxnRequest,
    AddPartitionsToTxnRequest,
    DescribeTransactionsRequest,
    EndTxnRequest,
    FindCoordinatorRequest,
    InitProducerIdRequest,
    ListTransactionsRequest,
    ProduceRequest,
    TxnOffsetCommitRequest,
)
from kafkaproto.records.batch import NewRecord, build_batch
from tests.compat.support.nodes import create, make_node

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

SEEDS = range(12)
STEPS = 100
WAIT_S = 30.0
AGAIN = {
    ErrorCode.CONCURRENT_TRANSACTIONS,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_COORDINATOR,
    ErrorCode.NOT_ENOUGH_REPLICAS,
    # The topic has just been made.
    ErrorCode.NOT_LEADER_OR_FOLLOWER,
}
OVERRIDES = {
    "offsets.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "group.initial.rebalance.delay.ms": "0",
}

Step = Callable[["Server"], Any]


@dataclass
class Server:
    """One of the two, and what its producers are."""

    client: Client
    topic: str
    ids: dict[str, int] = field(default_factory=dict)
    epochs: dict[str, int] = field(default_factory=dict)
    former: dict[str, int] = field(default_factory=dict)
    """The producer ids before the last ones."""
    sequences: dict[tuple[int, int], int] = field(default_factory=dict)

    def send(self, request: Message, version: int) -> Any:
        return self.client.send(request, version=version)

    def identity(self, name: str, who: str) -> tuple[int, int]:
        """The producer of a transactional id, or one that it is not."""
        producer_id, epoch = self.ids.get(name, 99), self.epochs.get(name, 0)
        return {
            "current": (producer_id, epoch),
            "fenced": (producer_id, max(0, epoch - 1)),
            "future": (producer_id, epoch + 1),
            "stranger": (123_456, 0),
        }[who]

    def became(self, name: str, producer_id: int, epoch: int) -> tuple[bool, int]:
        """A response names the producer. Returns whether the id is another one, and the epoch."""
        is_new = self.ids.get(name) != producer_id
        self.ids[name], self.epochs[name] = producer_id, epoch
        return is_new, epoch

    def state(self, name: str) -> str:
        found = self.send(DescribeTransactionsRequest(transactional_ids=[name]), 0).transaction_states[0]
        return f"{ErrorCode(found.error_code).name} {found.transaction_state}"

    def rest(self, name: str) -> None:
        """Wait until no end of a transaction is under way."""
        wait_until(lambda: "Prepare" not in self.state(name), WAIT_S, f"{name} to be complete")


def until_settled(step: Step, server: Server, names: list[str]) -> Any:
    """The result of a step that nothing is in the way of."""
    results: list[Any] = []

    def is_settled() -> bool:
        for name in names:
            server.rest(name)
        results.append(step(server))
        codes = results[-1][0]
        return codes not in AGAIN

    wait_until(is_settled, WAIT_S, "a response that is not to be asked again for")
    for name in names:
        server.rest(name)
    return results[-1]


def init(name: str, who: str | None, timeout_ms: int, version: int) -> Step:
    def step(server: Server) -> Any:
        if who in ("fenced", "future") and server.state(name).endswith("Ongoing"):
            # There we fence, where Kafka lets a fenced producer abort what another one has begun.
            return 0, "not asked"
        producer_id, epoch = (-1, -1) if who is None else server.identity(name, who)
        request = InitProducerIdRequest(
            transactional_id=name,
            transaction_timeout_ms=timeout_ms,
            producer_id=producer_id,
            producer_epoch=epoch,
        )
        found = server.send(request, version)
        if found.error_code:
            return found.error_code, found.producer_id, found.producer_epoch
        return 0, *server.became(name, found.producer_id, found.producer_epoch)

    return step


def add(name: str, who: str, indexes: list[int], version: int, *, verify_only: bool) -> Step:
    def step(server: Server) -> Any:
        producer_id, epoch = server.identity(name, who)
        request = AddPartitionsToTxnRequest
        topics = [request.AddPartitionsToTxnTopic(name=server.topic, partitions=indexes)]
        if version < 4:
            asked = request(
                v3_and_below_transactional_id=name,
                v3_and_below_producer_id=producer_id,
                v3_and_below_producer_epoch=epoch,
                v3_and_below_topics=topics,
            )
            results = server.send(asked, version).results_by_topic_v3_and_below
        else:
            transaction = request.AddPartitionsToTxnTransaction(
                transactional_id=name,
                producer_id=producer_id,
                producer_epoch=epoch,
                verify_only=verify_only,
                topics=topics,
            )
            response = server.send(request(transactions=[transaction]), version)
            assert response.error_code == 0
            results = response.results_by_transaction[0].topic_results
        codes = {
            each.partition_index: each.partition_error_code
            for topic in results
            for each in topic.results_by_partition
        }
        return max(codes.values()), sorted(codes.items())

    return step


def add_offsets(name: str, who: str, version: int) -> Step:
    def step(server: Server) -> Any:
        producer_id, epoch = server.identity(name, who)
        request = AddOffsetsToTxnRequest(
            transactional_id=name, producer_id=producer_id, producer_epoch=epoch, group_id="g"
        )
        return (server.send(request, version).error_code,)

    return step


def end(name: str, who: str, version: int, *, committed: bool) -> Step:
    def step(server: Server) -> Any:
        producer_id, epoch = server.identity(name, who)
        request = EndTxnRequest(
            transactional_id=name, producer_id=producer_id, producer_epoch=epoch, committed=committed
        )
        found = server.send(request, version)
        if found.error_code or version < 5:
            return (found.error_code,)
        return 0, *server.became(name, found.producer_id, found.producer_epoch)

    return step


def write(name: str, who: str, index: int, version: int) -> Step:
    def step(server: Server) -> Any:
        producer_id, epoch = server.identity(name, who)
        sequence = server.sequences.get((producer_id, index * 100_000 + epoch), 0)
        records = build_batch(
            [NewRecord(b"k", b"v")],
            base_offset=0,
            timestamp_ms=1_700_000_000_000,
            producer_id=producer_id,
            producer_epoch=epoch,
            base_sequence=sequence,
            transactional=True,
        )
        partition = ProduceRequest.PartitionProduceData(index=index, records=records)
        request = ProduceRequest(
            transactional_id=name,
            acks=-1,
            timeout_ms=10_000,
            topic_data=[ProduceRequest.TopicProduceData(name=server.topic, partition_data=[partition])],
        )
        found = server.send(request, version).responses[0].partition_responses[0]
        if not found.error_code:
            server.sequences[producer_id, index * 100_000 + epoch] = sequence + 1
        # Other errors have a text here, and none in Kafka.
        is_told = found.error_code == ErrorCode.INVALID_TXN_STATE
        return found.error_code, found.error_message if is_told else None, found.base_offset

    return step


def commit_offset(name: str, who: str, version: int, member: tuple[str, int]) -> Step:
    def step(server: Server) -> Any:
        producer_id, epoch = server.identity(name, who)
        request = TxnOffsetCommitRequest
        topic = request.Topic(
            name=server.topic, partitions=[request.Partition(partition_index=0, committed_offset=1)]
        )
        asked = request(
            transactional_id=name,
            group_id="g",
            producer_id=producer_id,
            producer_epoch=epoch,
            topics=[topic],
        )
        if version >= 3:
            asked.member_id, asked.generation_id_or_member_epoch = member
        return (server.send(asked, version).topics[0].partitions[0].error_code,)

    return step


def describe(name: str) -> Step:
    def step(server: Server) -> Any:
        found = server.send(DescribeTransactionsRequest(transactional_ids=[name]), 0).transaction_states[0]
        topics = sorted((each.topic, sorted(each.partitions)) for each in found.topics)
        return (
            found.error_code,
            found.transaction_state,
            found.transaction_timeout_ms,
            found.producer_epoch,
            topics,
            found.transaction_start_time_ms > 0,
        )

    return step


def list_all(states: list[str], pattern: str | None, prefix: str) -> Step:
    def step(server: Server) -> Any:
        request = ListTransactionsRequest(state_filters=states, transactional_id_pattern=pattern)
        found = server.send(request, 2)
        names = sorted(
            (each.transactional_id, each.transaction_state)
            for each in found.transaction_states
            if each.transactional_id.startswith(prefix)
        )
        return found.error_code, sorted(found.unknown_state_filters), names

    return step


def next_step(rng: random.Random, names: list[str]) -> tuple[str, Step]:
    """What is done next, and its description."""
    name = rng.choice(names)
    who = rng.choice(["current"] * 8 + ["fenced", "future", "stranger"])
    kind = rng.choice(
        ["init", "add", "add", "offsets", "end", "end", "end", "write", "write", "commit", "describe", "list"]
    )
    match kind:
        case "init":
            known = rng.choice([None, None, "current", "fenced", "future"])
            arguments: tuple[Any, ...] = (
                name,
                known,
                rng.choice([60_000] * 5 + [0, 900_001]),
                rng.randrange(3, 6),
            )
            return f"init{arguments}", init(*arguments)
        case "add":
            indexes = rng.choice([[0], [1], [0, 1], [0, 7]])
            version, verify_only = rng.choice([1, 2, 3, 4, 5]), rng.random() < 0.3
            return (
                f"add {name} {who} {indexes} v{version} {verify_only}",
                add(name, who, indexes, version, verify_only=verify_only),
            )
        case "offsets":
            version = rng.randrange(1, 5)
            return f"offsets {name} {who} v{version}", add_offsets(name, who, version)
        case "end":
            # Once an end has bumped the epoch, Kafka takes the epoch before for a repetition whatever came since.
            version = 5 if name == names[0] else rng.choice([1, 2, 3, 4])
            committed = rng.random() < 0.6
            return f"end {name} {who} v{version} {committed}", end(name, who, version, committed=committed)
        case "write":
            index, version = rng.randrange(2), rng.choice([10, 11, 12])
            return f"write {name} {who} {index} v{version}", write(name, who, index, version)
        case "commit":
            version, member = rng.randrange(2, 6), rng.choice([("", -1), ("", -1), ("m", 3)])
            return f"commit {name} {who} v{version} {member}", commit_offset(name, who, version, member)
        case "describe":
            return f"describe {name}", describe(name)
        case _:
            states = rng.choice([[], ["Ongoing"], ["Empty", "Nonsense"]])
            pattern = rng.choice([None, "", f"{name[:-1]}.", "("])
            return f"list {states} {pattern}", list_all(states, pattern, name[:-1])


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Node]]:
    """One of Apache Kafka, and one of ours."""
    made = [make_node(make, tmp_path_factory.mktemp("same"), OVERRIDES) for make in (StockNode, OurNode)]
    try:
        for node in made:
            node.start()
        yield made
    finally:
        for node in made:
            node.close()


def begin(server: Server, key_type: int, key: str) -> None:
    """Have the topic of a coordinator made."""
    request = FindCoordinatorRequest(key_type=key_type, coordinator_keys=[key])
    wait_until(
        lambda: server.send(request, 4).coordinators[0].error_code == 0, WAIT_S, "a coordinator to be there"
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_random_requests_have_the_same_responses(nodes: list[Node], seed: int) -> None:
    rng = random.Random(seed)
    names = [f"id-{seed}-a", f"id-{seed}-b"]
    with connect(nodes[0].bootstrap_server) as stock, connect(nodes[1].bootstrap_server) as ours:
        topic = f"transactions-{seed}"
        for node in nodes:
            create(node, topic)
        servers = [Server(stock, topic), Server(ours, topic)]
        for server in servers:
            begin(server, 0, "g")
            begin(server, 1, names[0])
        done = []
        for number in range(STEPS):
            text, step = next_step(rng, names)
            if number < len(names):
                text, step = f"init {names[number]}", init(names[number], None, 60_000, 5)
            results = [until_settled(step, server, names) for server in servers]
            done.append(f"{text}: {results[0]}")
            assert results[0] == results[1], "\n".join([*done[-40:], f"ours: {results[1]}"])
