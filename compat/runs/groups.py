"""Groups and transactions in a cluster of both makes, while each broker that coordinates is killed in turn.

A producer writes numbered records to two topics all the time. Two groups of two members each read one of them and
commit, one by the classic protocol and one by the consumer protocol (KIP-848). A Java application copies the other one
in transactions (`compat/runs/exactly_once.py`). Each broker in turn is made the coordinator of all three, works as that
for a while, and dies. So each make takes over the `__consumer_offsets` and `__transaction_state` of the other one, in
the middle of things.

Nothing that was committed may be read again, each record has to reach each group, each partition has one member in the
end, and each record is copied once. The brokers' logs of both internal topics are the same.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from compat.cluster import FIRST_BROKER_ID, Cluster, wait_until_whole
from compat.kafka.stock import small_stock_node
from compat.kafka.tools import run_tool
from compat.node import Node
from compat.ours import OurNode
from compat.process import wait_until
from compat.quorum import connect
from compat.runs.exactly_once import OF_GROUPS, OF_TRANSACTIONAL_IDS, Copying, coordinator, read
from compat.runs.telling import Tell
from compat.topic_logs import compare_logs
from kafkaproto.messages import (
    AlterPartitionReassignmentsRequest,
    ElectLeadersRequest,
)

TOPIC, SOURCE, TARGET = "events", "source", "target"
PARTITIONS = 4
COPIED_PARTITIONS = 3
COPIER = "copier"
PROTOCOLS = ("classic", "consumer")
INTERNAL = ("__consumer_offsets", "__transaction_state")
FOR_EVER = 1_000_000_000
"""Records that the application is to copy: it copies all that come until it is ended."""
GOES_ON_AFTER = 20
"""Records that a group commits, or transactions that the application does, before and after a broker dies."""
WAIT_S = 120.0
PREFERRED = 0
"""The election that makes the first replica the leader."""
FAST_DEATHS = {"broker.session.timeout.ms": "3000", "broker.heartbeat.interval.ms": "500"}


Progress = Callable[[], dict[str, int]]
"""How far each group, and the application, has come."""


class GroupsError(Exception):
    """A record is missing, was read again or copied twice, or a partition has not one member; the text says which."""


@dataclass(slots=True, kw_only=True)
class GroupsResult:
    """What happened in a run."""

    died: list[str] = field(default_factory=list)
    """The make of each broker that died as the coordinator of all."""
    longest_pause_s: dict[str, float] = field(default_factory=dict)
    """Without a commit while a coordinator died, by group and transactional id."""
    written: int = 0
    """Records of each topic."""


class _Load:
    """A producer that counts up, from partition to partition, until it is told to stop."""

    def __init__(self, servers: str) -> None:
        self._producer = Producer({"bootstrap.servers": servers, "enable.idempotence": True, "log_level": 0})
        self.offsets: dict[int, int] = dict.fromkeys(range(PARTITIONS), 0)
        """Behind the last acknowledged record of each partition of the groups' topic."""
        self.sent = 0
        self.failed: list[str] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.wait(0.005):
            value = str(self.sent).encode()
            self._producer.produce(TOPIC, value, partition=self.sent % PARTITIONS, callback=self._take)
            self._producer.produce(
                SOURCE, value, partition=self.sent % COPIED_PARTITIONS, callback=self._take
            )
            self.sent += 1
            self._producer.poll(0)

    def _take(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self.failed.append(str(error))
            return
        partition, offset = message.partition(), message.offset()
        assert partition is not None
        assert offset is not None
        if message.topic() == TOPIC:
            self.offsets[partition] = max(self.offsets[partition], offset + 1)

    def stop(self) -> None:
        """Send no more, and wait for what is under way."""
        self._stop.set()
        self._thread.join()
        self._producer.flush(WAIT_S)


class _Group:
    """What the members of a group have read and committed, in the order in which it happened."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.committed: dict[int, int] = dict.fromkeys(range(PARTITIONS), 0)
        """Behind the last committed record of each partition."""
        self.seen: dict[int, set[int]] = {each: set() for each in range(PARTITIONS)}
        self.read = 0
        self.wrong: list[str] = []
        self.last_commit = time.monotonic()
        self._lock = threading.Lock()

    def saw(self, partition: int, offset: int) -> None:
        """A member has got a record."""
        with self._lock:
            self.read += 1
            self.seen[partition].add(offset)
            if offset < self.committed[partition]:
                self.wrong.append(
                    f"{self.name}: {partition}-{offset} was read again after {self.committed[partition]} was committed"
                )

    def has_committed(self, partition: int, offset: int) -> None:
        """A member was told that this is committed."""
        with self._lock:
            self.last_commit = time.monotonic()
            if offset < self.committed[partition]:
                self.wrong.append(
                    f"{self.name}: {partition} went back from {self.committed[partition]} to {offset}"
                )
            self.committed[partition] = offset

    @property
    def commits(self) -> int:
        """How many records are committed."""
        return sum(self.committed.values())


class _Member:
    """A member with librdkafka, in a thread of its own: it commits what it has read, again and again."""

    def __init__(self, servers: str, group: _Group, protocol: str) -> None:
        self._group = group
        self._consumer = Consumer(
            {
                "bootstrap.servers": servers,
                "group.id": group.name,
                "group.protocol": protocol,
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "log_level": 0,
            }
        )
        self._consumer.subscribe([TOPIC])
        self.partitions: set[int] = set()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._is_over.is_set():
            messages = [each for each in self._consumer.consume(20, 0.2) if each.error() is None]
            self.partitions = {each.partition for each in self._consumer.assignment()}
            upto: dict[int, int] = {}
            for each in messages:
                partition, offset = each.partition(), each.offset()
                assert partition is not None
                assert offset is not None
                self._group.saw(partition, offset)
                upto[partition] = offset + 1
            if upto:
                self._commit([TopicPartition(TOPIC, *each) for each in upto.items()])
        self._consumer.close()

    def _commit(self, offsets: list[TopicPartition]) -> None:
        try:
            done = self._consumer.commit(offsets=offsets, asynchronous=False)
        except KafkaException:
            # The coordinator is gone, or the member has lost these partitions. The next commit says what counts.
            return
        for each in done or ():
            if each.error is None:
                self._group.has_committed(each.partition, each.offset)

    def close(self) -> None:
        """Leave the group."""
        self._is_over.set()
        self._thread.join(WAIT_S)


def run(folder: Path, *, brokers: int, stock: int, tell: Tell) -> GroupsResult:
    """So many brokers, the last ``stock`` of them Apache Kafka's, on a controller of ours.

    Raises GroupsError, LogsDifferError, ToolFailedError, WaitedTooLongError.
    """
    first_stock = FIRST_BROKER_ID + brokers - stock

    def make_broker(directory: Path, properties: Mapping[str, str]) -> Node:
        is_stock = int(properties["node.id"]) >= first_stock
        return (small_stock_node if is_stock else OurNode)(directory, properties)

    with Cluster(
        OurNode,
        make_broker,
        folder / "cluster",
        controllers=1,
        brokers=brokers,
        controller_overrides=FAST_DEATHS,
        broker_overrides=_overrides(brokers),
    ) as cluster:
        cluster.format()
        cluster.start()
        for topic, count in (
            (TOPIC, PARTITIONS),
            (SOURCE, COPIED_PARTITIONS),
            (TARGET, COPIED_PARTITIONS),
        ):
            replicas = ("--partitions", str(count), "--replication-factor", str(brokers))
            servers = ("--bootstrap-server", cluster.servers)
            run_tool("kafka-topics", *servers, "--create", "--topic", topic, *replicas).output()
        result = GroupsResult()
        groups = {protocol: _Group(protocol) for protocol in PROTOCOLS}
        load = _Load(cluster.servers)
        members = [
            _Member(cluster.servers, group, protocol) for protocol, group in groups.items() for _ in range(2)
        ]
        copying = Copying(cluster.servers, folder, name=COPIER, source=SOURCE, target=TARGET, count=FOR_EVER)
        try:
            _kill_in_turn(cluster, groups.values(), copying, result, tell)
            load.stop()
            _check_groups(groups, load, members, tell)
            result.written = load.sent
            _check_copy(cluster, load.sent)
            tell(f"{load.sent:,} records copied, each once")
        finally:
            load.stop()
            copying.close()
            for member in members:
                member.close()
        wait_until_whole(cluster.brokers.values(), dict.fromkeys(INTERNAL, COPIED_PARTITIONS))
        for node in cluster.brokers.values():
            node.stop()
        for topic in INTERNAL:
            count, size = compare_logs(list(cluster.brokers.values()), topic)
            tell(f"{topic}: {count} replicas, {size:,} bytes, all the same")
    return result


def _overrides(brokers: int) -> dict[str, str]:
    return {
        **FAST_DEATHS,
        "replica.lag.time.max.ms": "5000",
        "group.initial.rebalance.delay.ms": "0",
        "offsets.topic.num.partitions": str(COPIED_PARTITIONS),
        "transaction.state.log.num.partitions": str(COPIED_PARTITIONS),
        "offsets.topic.replication.factor": str(brokers),
        "transaction.state.log.replication.factor": str(brokers),
        "transaction.state.log.min.isr": str(brokers - 1),
    }


def _kill_in_turn(
    cluster: Cluster, groups: Collection[_Group], copying: Copying, result: GroupsResult, tell: Tell
) -> None:
    names = [*(group.name for group in groups), COPIER]

    def progress() -> dict[str, int]:
        committed = {group.name: group.commits for group in groups}
        return {**committed, COPIER: len(copying.lines("committed"))}

    _wait_for_progress(progress, names)
    for broker_id, node in cluster.brokers.items():
        _lead(cluster, broker_id)
        wait_until(
            partial(_coordinates, cluster, broker_id, names), WAIT_S, f"broker {broker_id} to coordinate all"
        )
        _wait_for_progress(progress, names)
        node.kill()
        pauses = _wait_for_progress(progress, names)
        result.died.append(node.kind)
        for name, pause_s in pauses.items():
            result.longest_pause_s[name] = max(result.longest_pause_s.get(name, 0.0), pause_s)
        told = ", ".join(f"{name} {pause_s:.1f} s" for name, pause_s in pauses.items())
        tell(f"kill -9 of broker {broker_id} ({node.kind}), which coordinated all: without a commit {told}")
        node.start()
        cluster.wait_until_unfenced(broker_id)
        counts = {TOPIC: PARTITIONS, **dict.fromkeys(INTERNAL, COPIED_PARTITIONS)}
        wait_until_whole(cluster.brokers.values(), counts)


def _lead(cluster: Cluster, broker_id: int) -> None:
    """Make a broker the leader of all partitions of the internal topics."""
    replicas = [broker_id, *(each for each in cluster.brokers if each != broker_id)]
    topics = [
        AlterPartitionReassignmentsRequest.ReassignableTopic(
            name=name,
            partitions=[
                AlterPartitionReassignmentsRequest.ReassignablePartition(
                    partition_index=each, replicas=replicas
                )
                for each in range(COPIED_PARTITIONS)
            ],
        )
        for name in INTERNAL
    ]
    elections = [
        ElectLeadersRequest.TopicPartitions(topic=name, partitions=list(range(COPIED_PARTITIONS)))
        for name in INTERNAL
    ]
    with connect(cluster.brokers[broker_id].bootstrap_server) as client:
        client.send(AlterPartitionReassignmentsRequest(topics=topics))
        client.send(ElectLeadersRequest(election_type=PREFERRED, topic_partitions=elections))


def _wait_for_progress(progress: Progress, names: Sequence[str]) -> dict[str, float]:
    """Until each of them has gone on for a while. Returns the longest pause of each meanwhile, in seconds."""
    before = last = progress()
    stood_since = dict.fromkeys(names, time.monotonic())
    pauses = dict.fromkeys(names, 0.0)

    def have_gone_on() -> bool:
        nonlocal last
        now, now_s = progress(), time.monotonic()
        for name in names:
            pauses[name] = max(pauses[name], now_s - stood_since[name])
            if now[name] > last[name]:
                stood_since[name] = now_s
        last = now
        return all(now[name] >= before[name] + GOES_ON_AFTER for name in names)

    wait_until(have_gone_on, WAIT_S, f"{', '.join(names)} to go on")
    return pauses


def _coordinator(cluster: Cluster, name: str) -> int:
    """The broker that coordinates a group, or the transactional id; -1 if there is none."""
    asked = [node.node_id for node in cluster.running_brokers()]
    return coordinator(cluster, name, asked, OF_TRANSACTIONAL_IDS if name == COPIER else OF_GROUPS)


def _coordinates(cluster: Cluster, broker_id: int, names: Sequence[str]) -> bool:
    try:
        return all(_coordinator(cluster, name) == broker_id for name in names)
    except OSError:
        # A busy machine takes its time.
        return False


def _check_groups(groups: Mapping[str, _Group], load: _Load, members: list[_Member], tell: Tell) -> None:
    if load.failed:
        raise GroupsError(f"{len(load.failed)} records failed: {load.failed[0]}")
    for number, group in enumerate(groups.values()):
        wait_until(partial(_has_all, group, load), WAIT_S, f"{group.name} to read all")
        if group.wrong:
            raise GroupsError(f"{len(group.wrong)} times: {group.wrong[0]}")
        missing = {each: set(range(end)) - group.seen[each] for each, end in load.offsets.items()}
        if any(missing.values()):
            raise GroupsError(f"{group.name}: nobody has read {missing}")
        owned = [each.partitions for each in members[2 * number : 2 * number + 2]]
        if sorted(index for each in owned for index in each) != list(range(PARTITIONS)) or not all(owned):
            raise GroupsError(f"{group.name}: its members have {owned}")
        tell(
            f"group {group.name}: {load.sent:,} records read and committed, {group.read - load.sent} read twice before"
            " they were committed"
        )


def _check_copy(cluster: Cluster, records: int) -> None:
    found: Counter[str] = Counter()

    def are_there() -> bool:
        nonlocal found
        found = read(cluster.servers, TARGET, COPIED_PARTITIONS)
        return found.total() >= records

    wait_until(are_there, WAIT_S, f"{records:,} records to be copied")
    expected = Counter(map(str, range(records)))
    doubled, missing = found - expected, expected - found
    if doubled or missing:
        first = next(iter(doubled or missing))
        raise GroupsError(
            f"{len(doubled):,} records are copied too often, {len(missing):,} not at all; one is {first}"
        )


def _has_all(group: _Group, load: _Load) -> bool:
    return group.committed == load.offsets
