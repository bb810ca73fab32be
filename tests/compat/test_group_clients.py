"""Unchanged clients in groups, of the classic protocol and of the consumer protocol (KIP-848).

Members come and go and share the partitions; offsets are there for whoever comes next; and when the group's coordinator
dies, the group goes on with another broker.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka import TopicPartition as CommittedPartition

from compat.cluster import Cluster
from compat.node import Node
from compat.ours import OurNode
from compat.probe import Probe
from compat.process import wait_until
from compat.runs.group_clients import coordinator_of
from kafkaproto.messages import (
    DeleteGroupsRequest,
    DeleteGroupsResponse,
)
from tests.compat.support.nodes import SHORT_SESSION, create, delete_topics

pytestmark = [pytest.mark.clients, pytest.mark.slow]

RECORDS = 20
WAIT_S = 60.0
PROTOCOLS = ["classic", "consumer"]


def write(servers: str, topic: str, count: int = RECORDS) -> None:
    """Write numbers to both partitions of a topic in turn."""
    # What it sends again when a leader dies is there once.
    producer = Producer({"bootstrap.servers": servers, "enable.idempotence": True})
    for number in range(count):
        producer.produce(topic, str(number).encode(), partition=number % 2)
    assert producer.flush(WAIT_S) == 0


def delete_group(node: Node, group_id: str) -> None:
    """Delete a group of a shared node."""

    def is_gone() -> bool:
        with Probe(node.bootstrap_server) as probe:
            response = probe.ask(DeleteGroupsRequest(groups_names=[group_id]), 2)
        assert isinstance(response, DeleteGroupsResponse)
        return response.results[0].error_code in (0, 69)

    # Members that were closed may still be on their way out.
    wait_until(is_gone, WAIT_S, f"group {group_id} to be deleted")


@pytest.fixture
def group(node: Node, topic: str) -> Iterator[str]:
    """A group, and a topic with records of the same name, on the shared node."""
    create(node, topic)
    write(node.bootstrap_server, topic)
    yield topic
    delete_topics(node, [topic])
    delete_group(node, topic)


class Member:
    """A member with librdkafka, in a thread of its own, as applications have them."""

    def __init__(self, servers: str, group_id: str, protocol: str, **config: Any) -> None:
        settings: dict[str, Any] = {
            "bootstrap.servers": servers,
            "group.id": group_id,
            "group.protocol": protocol,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            **{key.replace("_", "."): value for key, value in config.items()},
        }
        if protocol == "classic":
            settings["session.timeout.ms"] = 6_000
        self.consumer = Consumer(settings)
        self.seen: list[tuple[int | None, int | None, bytes | None]] = []
        self.errors: list[str] = []
        self.partitions: set[int] = set()
        """What it is assigned."""
        self._is_over = threading.Event()
        # Its consumer belongs to its thread.
        self._should_commit = threading.Event()
        self._commits = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def subscribe(self, topic: str) -> Member:
        """Join the group."""
        self.consumer.subscribe([topic])
        self._thread.start()
        return self

    def commit(self) -> None:
        """Commit what it has seen."""
        self._commits.clear()
        self._should_commit.set()
        assert self._commits.wait(WAIT_S), "a commit takes too long"

    def _run(self) -> None:
        while not self._is_over.is_set():
            if self._should_commit.is_set():
                self._should_commit.clear()
                self.consumer.commit(asynchronous=False)
                self._commits.set()
            message = self.consumer.poll(0.2)
            self.partitions = {each.partition for each in self.consumer.assignment()}
            if message is None:
                continue
            if message.error():
                self.errors.append(str(message.error()))
                continue
            self.seen.append((message.partition(), message.offset(), message.value()))
        self.consumer.close()

    def close(self) -> None:
        """Leave the group."""
        self._is_over.set()
        self._thread.join(WAIT_S)


@contextmanager
def members(*found: Member) -> Iterator[tuple[Member, ...]]:
    """Members that leave at the end."""
    try:
        yield found
    finally:
        for each in found:
            if not each._is_over.is_set():
                each.close()


def has_all(member: Member) -> bool:
    """Whether a member has both partitions of the topic."""
    return member.partitions == {0, 1}


def distinct(*found: Member) -> int:
    """How many records these members have seen."""
    return len({record[:2] for each in found for record in each.seen})


def have_shared(*found: Member) -> Callable[[], bool]:
    """Whether each partition of the topic has one member, and each member one or more."""

    def check() -> bool:
        owned = [each.partitions for each in found]
        return all(owned) and sorted(index for each in owned for index in each) == [0, 1]

    return check


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_members_with_librdkafka_come_and_go(node: Node, group: str, protocol: str) -> None:
    servers = node.bootstrap_server
    with members(Member(servers, group, protocol).subscribe(group)) as (first,):
        wait_until(lambda: len(first.seen) == RECORDS, WAIT_S, "all records")
        assert {int(value or b"") for _, _, value in first.seen} == set(range(RECORDS))
        first.commit()
        with members(Member(servers, group, protocol).subscribe(group)) as (second,):
            wait_until(have_shared(first, second), WAIT_S, "both to have a partition")
        wait_until(partial(has_all, first), WAIT_S, "the first to have all again")
        # What was committed was not read again.
        assert len(first.seen) == RECORDS
        assert second.seen == []
        assert first.errors == second.errors == []


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_next_member_begins_where_the_last_one_ended(node: Node, group: str, protocol: str) -> None:
    servers = node.bootstrap_server
    with members(Member(servers, group, protocol).subscribe(group)) as (first,):
        wait_until(lambda: len(first.seen) == RECORDS, WAIT_S, "all records")
        first.commit()
    write(servers, group, 2)
    with members(Member(servers, group, protocol).subscribe(group)) as (second,):
        wait_until(lambda: len(second.seen) == 2, WAIT_S, "the new records")
        assert sorted(second.seen) == [(0, RECORDS // 2, b"0"), (1, RECORDS // 2, b"1")]


def test_a_regular_expression_is_resolved_by_the_server(node: Node, group: str) -> None:
    pattern = f"^{group[:-3]}.*"
    with members(Member(node.bootstrap_server, group, "consumer").subscribe(pattern)) as (member,):
        wait_until(lambda: len(member.seen) == RECORDS, WAIT_S, "all records")


def test_a_group_of_one_protocol_becomes_one_of_the_other_member_by_member(node: Node, group: str) -> None:
    servers = node.bootstrap_server
    for one, other in (("classic", "consumer"), ("consumer", "classic")):
        with members(Member(servers, group, one).subscribe(group)) as (old,):
            wait_until(partial(has_all, old), WAIT_S, f"{one} to have all")
            with members(Member(servers, group, other).subscribe(group)) as (new,):
                wait_until(have_shared(old, new), WAIT_S, f"{one} and {other} to share")
                old.close()
                wait_until(partial(has_all, new), WAIT_S, f"{other} to have all")
                assert old.errors == new.errors == []


# --- three brokers, of which one dies ---


@pytest.fixture(scope="module")
def three_brokers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Three brokers and a controller of ours."""
    cluster = Cluster(
        OurNode,
        OurNode,
        tmp_path_factory.mktemp("three"),
        controllers=1,
        controller_overrides=SHORT_SESSION,
        broker_overrides={**SHORT_SESSION, "group.initial.rebalance.delay.ms": "0"},
    )
    cluster.format()
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.close()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_group_outlives_its_coordinator(three_brokers: Cluster, protocol: str) -> None:
    cluster, group_id = three_brokers, f"lives-on-{protocol}"
    cluster.create_topic(group_id, 2)
    write(cluster.servers, group_id)
    with members(
        Member(cluster.servers, group_id, protocol).subscribe(group_id),
        Member(cluster.servers, group_id, protocol).subscribe(group_id),
    ) as found:
        wait_until(have_shared(*found), WAIT_S, "both to have a partition")
        wait_until(lambda: distinct(*found) == RECORDS, WAIT_S, "all records")
        for each in found:
            each.commit()
        # The first member may have read what the second one was given then.
        before = sum(len(each.seen) for each in found)
        dead = coordinator_of(cluster.running_brokers(), group_id)
        assert dead is not None
        cluster.brokers[dead].kill()
        wait_until(
            lambda: coordinator_of(cluster.running_brokers(), group_id) not in (None, dead),
            WAIT_S,
            "another one",
        )
        living = ",".join(each.bootstrap_server for number, each in cluster.brokers.items() if number != dead)
        write(living, group_id)
        wait_until(lambda: distinct(*found) == 2 * RECORDS, WAIT_S, "the new records")
        # The group went on: nothing that was committed was read again.
        assert sum(len(each.seen) for each in found) == before + RECORDS
        wait_until(have_shared(*found), WAIT_S, "both to have a partition")
        for each in found:
            each.commit()
        cluster.brokers[dead].start()
    with members(Member(cluster.servers, group_id, protocol)) as (reader,):
        asked = [CommittedPartition(group_id, each) for each in (0, 1)]
        offsets = reader.consumer.committed(asked, timeout=WAIT_S)
        assert [each.offset for each in offsets] == [RECORDS, RECORDS]
        reader._is_over.set()
        reader.consumer.close()
