"""Other languages' clients in groups: members come, are killed and leave, and the groups' coordinator dies.

Each group has a topic of its own, into which numbers are written all the time. `__consumer_offsets` has one partition,
so all groups have the same coordinator, which is killed with `kill -9`. What happens to one group happens to all of
them at the same time. Then `compat.group_account` judges what the members have said. With an output topic a group
copies its numbers in transactions, and each has to be there once for consumers with read_committed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from confluent_kafka import Consumer, KafkaError, Message, Producer

from compat.cluster import Cluster, wait_until_whole
from compat.group_account import History, copy_problems, counts, parse, problems, shared, values_read
from compat.node import Node
from compat.ours import OurNode
from compat.probe import Probe
from compat.process import ProcessDiedError, WaitedTooLongError, wait_until
from compat.quorum import NodeClass, connect
from compat.runs.telling import Tell
from kafkaproto.messages import (
    CreateTopicsRequest,
    CreateTopicsResponse,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)

COMPAT = Path(__file__).resolve().parents[1]
PARTITIONS = 4
PAUSE_S = 0.01
"""Between two records of a topic."""
WAIT_S = 120.0
"""For what takes some seconds where nothing else runs; a member that was killed is missed after six."""
LEAVE_S = 30.0
SETTINGS = {
    "group.consumer.heartbeat.interval.ms": "500",
    "group.consumer.min.heartbeat.interval.ms": "500",
    "group.consumer.min.session.timeout.ms": "6000",
    "group.consumer.session.timeout.ms": "6000",
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.num.partitions": "1",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "1000",
    "transaction.state.log.num.partitions": "1",
}


class GroupClientsError(Exception):
    """A record was lost or read again, or a partition had two owners; the text says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """The program of a client's member: SERVERS TOPIC GROUP and more."""

    program: Sequence[str]
    more: Sequence[str] = ()
    copies: bool = False
    """Whether it takes one more argument, a topic to copy into."""


_GO = [str(COMPAT / ".cache" / "go" / "member")]
CLIENTS: Mapping[str, Client] = {
    "kafka-python": Client(
        program=[sys.executable, "-W", "ignore", str(COMPAT / "kafka_python" / "member.py")]
    ),
    "aiokafka": Client(program=[sys.executable, str(COMPAT / "aiokafka" / "member.py")]),
    "kafkajs": Client(program=["node", str(COMPAT / "kafkajs" / "member.js")]),
    "franz-go": Client(program=_GO, more=["classic"]),
    "franz-go-consumer": Client(program=_GO, more=["consumer"]),
    "franz-go-copy": Client(program=_GO, more=["classic"], copies=True),
}


class Member:
    """A member as a process."""

    def __init__(self, command: Sequence[str], name: str, folder: Path) -> None:
        """Starts it; what it prints is also kept in files of the folder."""
        self.history = History(name=name)
        self._output, self._errors = folder / f"{name}.out", folder / f"{name}.err"
        environment = {**os.environ, "NODE_PATH": str(COMPAT / ".cache" / "kafkajs" / "node_modules")}
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=environment)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines, self._output.open("wb") as kept:
            for line in lines:
                kept.write(line)
                # The last line of a process that was killed may be a part of one.
                if line.endswith(b"\n"):
                    self.history.events.append(parse(line))

    def check(self) -> None:
        """Raises ProcessDiedError if it has ended by itself."""
        if self.history.ended_ms is None and (code := self._process.poll()) is not None:
            raise ProcessDiedError(f"{self.history.name} ended with {code}: {self.errors()}")

    def errors(self) -> str:
        """The end of what it printed to standard error."""
        return self._errors.read_text(errors="replace")[-2_000:]

    def kill(self) -> None:
        """Ends it with SIGKILL."""
        self._process.kill()
        self._process.wait()
        self._is_over()

    def leave(self) -> None:
        """Has it leave the group. Raises GroupClientsError if it does not end well in time."""
        self._process.send_signal(signal.SIGTERM)
        try:
            code = self._process.wait(LEAVE_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise GroupClientsError(f"{self.history.name} did not leave: {self.errors()}") from None
        self._is_over()
        if code != 0:
            raise GroupClientsError(f"{self.history.name} left with {code}: {self.errors()}")

    def _is_over(self) -> None:
        self.history.ended_ms = time.time() * 1000
        self._thread.join(LEAVE_S)

    def close(self) -> None:
        """Ends it if it still runs."""
        if self._process.poll() is None:
            self.kill()


class Writer:
    """Writes numbers to a topic until it is stopped."""

    def __init__(self, producer: Producer, topic: str) -> None:
        """Begins at once."""
        self._producer = producer
        self._topic = topic
        self._is_over = threading.Event()
        self.written: set[int] = set()
        self.newest = 0
        """The number that was acknowledged last."""
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        number = 0
        while not self._is_over.wait(PAUSE_S):
            self._producer.produce(
                self._topic, str(number).encode(), partition=number % PARTITIONS, on_delivery=self._delivered
            )
            self._producer.poll(0)
            number += 1

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error is None:
            self.newest = int(message.value() or b"")
            self.written.add(self.newest)

    def close(self) -> None:
        """No more numbers."""
        self._is_over.set()

    def stop(self) -> None:
        """No more numbers; returns when all are written, or raises GroupClientsError."""
        self.close()
        self._thread.join(WAIT_S)
        if left := self._producer.flush(WAIT_S):
            raise GroupClientsError(f"{left} records of {self._topic} were not written")


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """How far a group was."""

    value: int
    """The value that was acknowledged last."""
    events: Mapping[str, int]
    """How many events each member had, by its name."""


@dataclass(slots=True, kw_only=True)
class Group:
    """A group of one client."""

    name: str
    client: Client
    servers: str
    folder: Path
    writer: Writer
    members: list[Member] = field(default_factory=list)
    gone: list[Member] = field(default_factory=list)

    @property
    def output(self) -> str:
        """The topic that it copies into."""
        return f"{self.name}-copy"

    def join(self) -> None:
        """One more member."""
        name = f"{self.name}-{len(self.members) + len(self.gone) + 1}"
        output = [self.output] if self.client.copies else []
        command = [*self.client.program, self.servers, self.name, self.name, *self.client.more, *output]
        self.members.append(Member(command, name, self.folder))

    def kill_first(self) -> None:
        """The member that has been there for the longest time dies."""
        self.gone.append(self.members.pop(0))
        self.gone[-1].kill()

    def leave_first(self) -> None:
        """The member that has been there for the longest time leaves."""
        self.gone.append(self.members.pop(0))
        self.gone[-1].leave()

    def histories(self) -> list[History]:
        """Those of all members that there were."""
        return [each.history for each in (*self.gone, *self.members)]

    def is_shared(self) -> bool:
        """Whether each partition has a member, and each member a partition. Raises ProcessDiedError."""
        for each in self.members:
            each.check()
        return shared([each.history for each in self.members], PARTITIONS)

    def now(self) -> Moment:
        """What comes later is new."""
        return Moment(
            value=self.writer.newest,
            events={each.history.name: len(each.history.events) for each in self.members},
        )

    def has_read_on(self, since: Moment) -> bool:
        """Whether new values were read from each partition."""
        missing = {*range(PARTITIONS)}
        for each in self.members:
            for value in each.history.read_since(since.events[each.history.name]):
                if value >= since.value:
                    missing.discard(value % PARTITIONS)
        return not missing

    def has_read_all(self) -> bool:
        """Whether all that was written was read."""
        return self.writer.written <= values_read(self.histories())

    def problems(self) -> list[str]:
        """What went wrong, with the group's name."""
        written = self.writer.written
        found = problems(self.histories(), written)
        if self.client.copies:
            found += copy_problems(_committed_values(self.servers, self.output), written)
        return [f"{self.name}: {each}" for each in found]


def _committed_values(servers: str, topic: str) -> list[int]:
    """All values in a topic that consumers with read_committed see."""
    settings = {
        "bootstrap.servers": servers,
        "group.id": "copies",
        "enable.auto.commit": False,
        "auto.offset.reset": "earliest",
        "isolation.level": "read_committed",
        "enable.partition.eof": True,
    }
    consumer = Consumer(settings)
    values: list[int] = []
    ended: set[int | None] = set()
    try:
        consumer.subscribe([topic])
        deadline = time.monotonic() + WAIT_S
        while len(ended) < PARTITIONS:
            if time.monotonic() > deadline:
                raise WaitedTooLongError(f"waited {WAIT_S} s for the end of {topic}")
            message = consumer.poll(1.0)
            if message is None:
                continue
            error = message.error()
            if error is None:
                values.append(int(message.value() or b""))
            elif error.code() == KafkaError._PARTITION_EOF:
                ended.add(message.partition())
    finally:
        consumer.close()
    return values


def coordinator_of(brokers: Sequence[Node], group_id: str) -> int | None:
    """The broker that coordinates a group, as the first of these brokers says; None if there is none."""
    with Probe(brokers[0].bootstrap_server) as probe:
        response = probe.ask(FindCoordinatorRequest(key_type=0, coordinator_keys=[group_id]), 4)
    assert isinstance(response, FindCoordinatorResponse)
    (found,) = response.coordinators
    return found.node_id if found.error_code == 0 else None


def run(
    folder: Path, names: Sequence[str], *, rounds: int, tell: Tell, make_node: NodeClass = OurNode
) -> None:
    """Raises GroupClientsError, ProcessDiedError, WaitedTooLongError."""
    with Cluster(
        make_node,
        make_node,
        folder / "cluster",
        controllers=1,
        broker_overrides=SETTINGS,
    ) as cluster:
        cluster.format()
        cluster.start()
        with _groups(cluster, folder, names) as groups:
            for _ in range(2):
                _each(groups, Group.join)
            _wait_until_shared(groups, tell, "two members")
            for _ in range(rounds):
                _round(cluster, groups, tell)
            _end(groups, tell)


@contextmanager
def _groups(cluster: Cluster, folder: Path, names: Sequence[str]) -> Iterator[list[Group]]:
    groups: list[Group] = []
    # What it sends again when a leader dies is there once. One for all, and in batches: each thread of librdkafka spins
    # for up to a millisecond before it sends something.
    producer = Producer(
        {"bootstrap.servers": cluster.servers, "enable.idempotence": True, "linger.ms": 20, "log_level": 0}
    )
    _create(cluster, [*names, *(f"{name}-copy" for name in names if CLIENTS[name].copies)])
    with ExitStack() as stack:
        for name in names:
            client = CLIENTS[name]
            writer = Writer(producer, name)
            stack.callback(writer.close)
            groups.append(
                Group(name=name, client=client, servers=cluster.servers, folder=folder, writer=writer)
            )
        try:
            yield groups
        finally:
            for group in groups:
                for member in group.members:
                    member.close()


def _create(cluster: Cluster, topics: Sequence[str]) -> None:
    wanted = [
        CreateTopicsRequest.CreatableTopic(
            name=name,
            num_partitions=PARTITIONS,
            replication_factor=3,
            configs=[CreateTopicsRequest.CreatableTopicConfig(name="min.insync.replicas", value="2")],
        )
        for name in topics
    ]
    timeout_ms = int(WAIT_S * 1000)
    with connect(cluster.running_brokers()[0].bootstrap_server, timeout_ms=timeout_ms) as client:
        response = client.send(CreateTopicsRequest(topics=wanted, timeout_ms=timeout_ms))
    assert isinstance(response, CreateTopicsResponse)
    if any(each.error_code for each in response.topics):
        raise GroupClientsError(f"the topics were not created: {response.topics}")
    wait_until_whole(cluster.running_brokers(), dict.fromkeys(topics, PARTITIONS))


def _round(cluster: Cluster, groups: Sequence[Group], tell: Tell) -> None:
    """A member comes, one is killed, the coordinator dies, a member comes, and one leaves."""
    _each(groups, Group.join)
    _wait_until_shared(groups, tell, "a third member")
    _each(groups, Group.kill_first)
    _wait_until_shared(groups, tell, "one killed")
    dead = coordinator_of(cluster.running_brokers(), groups[0].name)
    assert dead is not None
    cluster.brokers[dead].kill()
    wait_until(
        lambda: coordinator_of(cluster.running_brokers(), groups[0].name) not in (None, dead),
        WAIT_S,
        "another coordinator",
    )
    tell(f"broker {dead}, which coordinated the groups, was killed")
    _each(groups, Group.join)
    _wait_until_shared(groups, tell, "a member more")
    _each(groups, Group.leave_first)
    _wait_until_shared(groups, tell, "one left")
    cluster.brokers[dead].start()


def _each(groups: Sequence[Group], what: Callable[[Group], None]) -> None:
    for group in groups:
        what(group)


def _wait_until_shared(groups: Sequence[Group], tell: Tell, what: str) -> None:
    """Until each group has shared its partitions, and has read something that was written after that began."""
    since = {group.name: group.now() for group in groups}
    for group in groups:
        wait_until(group.is_shared, WAIT_S, f"{group.name} to share its partitions: {what}")
        wait_until(
            partial(group.has_read_on, since[group.name]),
            WAIT_S,
            f"{group.name} to read from each partition: {what}",
        )
    tell(what)


def _end(groups: Sequence[Group], tell: Tell) -> None:
    found = []
    # All of them before the first flush: they share a producer.
    for group in groups:
        group.writer.close()
    for group in groups:
        group.writer.stop()
    for group in groups:
        with suppress(WaitedTooLongError):
            wait_until(group.has_read_all, WAIT_S, "all records to be read")
        while group.members:
            group.leave_first()
        found += group.problems()
        told = counts(group.histories())
        tell(f"{group.name}: {len(group.writer.written):,} written, {told}")
    if found:
        raise GroupClientsError(f"{len(found)} faults, first: {'; '.join(found[:5])}")
