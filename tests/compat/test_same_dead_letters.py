"""The same script of a share group with a dead-letter topic on a node of Apache Kafka 4.4.0 and on ours: the
dead-letter topics have the same records, and the share coordinators the same states (KIP-1191)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from compat.kafka.stock import StockNode
from compat.node import Node
from compat.process import wait_until
from kafkaproto import messages as kafka
from kafkaproto.records.compression import Compression
from tests.compat.support.dead_letters import (
    ACCEPT,
    ARCHIVED,
    COPIES,
    ENABLED,
    FIRST,
    REJECT,
    RELEASE,
    SECOND,
    Script,
    TwoBrokers,
    Written,
    batch,
    group_of,
    written,
    written_anywhere,
)
from tests.compat.support.nodes import create
from tests.compat.support.share_dialogues import (
    WAIT_S,
    coordinated_nodes,
    set_group_configs,
)

pytestmark = [pytest.mark.jvm, pytest.mark.slow]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Node, Node]]:
    creates = {"errors.deadletterqueue.auto.create.topics.enable": "true"}
    with coordinated_nodes(tmp_path_factory.mktemp, **creates) as nodes:
        yield nodes


def at_once(both: tuple[Node, Node], run: Callable[[Node], Any]) -> list[Any]:
    """The same on both nodes."""
    with ThreadPoolExecutor(len(both)) as pool:
        return list(pool.map(run, both))


def run(node: Node, topic: str, configs: Mapping[str, str]) -> tuple[list[Any], list[Written]]:
    """Some records are accepted, some rejected, some released until they have reached the limit, some left alone."""
    name = f"dlq.{topic}"
    create(node, name, ENABLED)
    script = Script(
        node,
        topic,
        {"share.record.lock.duration.ms": "2000", **configs},
        batch(b"0", None, b"2", key=None),
        batch(b"3", b"4", b"5", compression=Compression.GZIP),
        batch(b"6"),
        batch(b"7"),
    )
    told: list[Any] = [script.fetch()]
    script.say(0, 2, ACCEPT, REJECT, RELEASE)
    script.say(3, 5, REJECT)
    script.say(6, 6, RELEASE)
    # The lock of 7 expires.
    time.sleep(2.5)
    told.append(script.fetch())
    script.say(2, 2, RELEASE)
    script.archived()
    time.sleep(2.5)
    script.archived()
    # What was persisted with the last change depends on which letters were written together.
    told += [{each[2] for each in script.state()[1]}, script.fetch()]
    script.close()
    return told, written_anywhere(node, name)


@pytest.mark.parametrize("copies", [{}, COPIES])
def test_rejected_and_spent_records_are_in_the_dead_letter_topic(
    both: tuple[Node, Node], copies: dict[str, str]
) -> None:
    name = "copied" if copies else "told"
    configs = {"errors.deadletterqueue.topic.name": f"dlq.{name}", **copies}
    stock, ours = at_once(both, lambda node: run(node, name, configs))
    assert ours == stock
    (records, *_) = stock[1]
    offsets = [dict(headers)["__dlq.errors.offset"] for _, _, headers in records]
    assert sorted(offsets) == [b"1", b"2", b"3", b"4", b"5", b"6", b"7"]
    assert {value for _, value, _ in records} == ({None, *b"2 3 4 5 6 7".split()} if copies else {None})


def test_a_missing_topic_is_created(both: tuple[Node, Node]) -> None:
    def run(node: Node) -> Any:
        configs = {"errors.deadletterqueue.topic.name": "dlq.new"}
        script = Script(node, "creating", configs, batch(b"a"), batch(b"b"))
        script.fetch()
        script.say(0, 0, REJECT)
        script.archived()
        kind = kafka.DescribeConfigsRequest
        resource = kind.DescribeConfigsResource(resource_type=2, resource_name="dlq.new")
        response: Any = script.probe.ask(kind(resources=[resource]), 4)
        set_here = {
            (each.name, each.value) for each in response.results[0].configs if each.config_source == 1
        }
        script.close()
        return written_anywhere(node, "dlq.new"), set_here

    stock, ours = at_once(both, run)
    assert ours == stock
    assert sum(map(len, stock[0])) == 1


@pytest.mark.parametrize("topic", ["other.prefix", "dlq.not-enabled", "dlq.no!name"])
def test_without_a_fit_topic_records_are_archived_all_the_same(both: tuple[Node, Node], topic: str) -> None:
    def run(node: Node) -> Any:
        if topic == "other.prefix":
            create(node, topic, ENABLED)
        elif topic == "dlq.not-enabled":
            create(node, topic)
        configs = {"errors.deadletterqueue.topic.name": topic}
        script = Script(node, f"unfit-{len(topic)}", configs, batch(b"a"), batch(b"b"))
        told: list[Any] = [script.fetch()]
        script.say(1, 1, REJECT)
        script.archived()
        told += [script.state(), written_anywhere(node, topic)]
        script.close()
        return told

    stock, ours = at_once(both, run)
    assert ours == stock
    assert stock[1][1] == [(1, 1, ARCHIVED, 1)]
    assert sum(map(len, stock[2])) == 0


def test_records_that_the_log_has_lost_and_those_that_are_too_large(both: tuple[Node, Node]) -> None:
    def run(node: Node) -> Any:
        create(node, "dlq.lost", {**ENABLED, "max.message.bytes": "2000"})
        script = Script(
            node,
            "losing",
            {"errors.deadletterqueue.topic.name": "dlq.lost", **COPIES},
            batch(b"gone", b"gone"),
            batch(b"x" * 1500, b"small", compression=Compression.GZIP),
            batch(b"x" * 1500, b"small"),
            batch(b"x" * 1500, b"x" * 1500, compression=Compression.GZIP),
            batch(b"x" * 2500, b"y"),
        )
        told: list[Any] = [script.fetch(batch_size=1)]
        script.delete_before(2)
        script.say(0, 9, REJECT)
        script.archived()
        told += [script.fetch(), written_anywhere(node, "dlq.lost")]
        script.close()
        return told

    stock, ours = at_once(both, run)
    assert ours == stock
    values = [value for _, value, _ in stock[2][0]]
    big = b"x" * 1500
    assert values == [None, None, big, b"small", big, b"small", None, None, None, b"y"]


def test_each_make_writes_to_partitions_that_the_other_leads(tmp_path: Path) -> None:
    topic, queue = "mixed", "dlq.mixed"
    with TwoBrokers(tmp_path, StockNode) as cluster:
        cluster.format()
        cluster.start()
        topic_id = cluster.create(topic, FIRST, SECOND)
        cluster.create(queue, SECOND, FIRST, **ENABLED)
        configs = {"errors.deadletterqueue.topic.name": queue, **COPIES}
        set_group_configs(cluster.brokers[FIRST], group_of(topic), configs)
        cluster.begin_group(topic, topic_id, 2)
        for index, leader in enumerate((FIRST, SECOND)):
            script = Script.of(cluster.brokers[leader], topic, topic_id, index)
            script.produce(batch(b"a-%d" % leader, b"b-%d" % leader))
            assert script.fetch() == [(0, 1, 1)]
            script.say(0, 1, REJECT)
            script.close()
        for index, (source, leader) in enumerate(((FIRST, SECOND), (SECOND, FIRST))):
            node = cluster.brokers[leader]
            wait_until(
                lambda node=node, index=index: written(node, queue, index) != [],  # type: ignore[misc]
                WAIT_S,
                "dead letters",
            )
            found = written(node, queue, index)
            assert [value for _, value, _ in found] == [b"a-%d" % source, b"b-%d" % source]
            assert [dict(headers)["__dlq.errors.offset"] for _, _, headers in found] == [b"0", b"1"]
