"""Fetch sessions over a topic that is deleted and made anew: a node of Apache Kafka 4.4.0 and ours tell the same errors
in the same order, after the same waits."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from compat.node import Node
from compat.probe import Probe
from compat.process import wait_until
from kafkaproto import messages as kafka
from kafkaproto.error_codes import ErrorCode
from tests.compat.support.nodes import beside_stock, create, delete_topics, led_topics

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

FIRST_WITH_IDS = 13
MAX_WAIT_MS = 1_500
WAITED_S = 1.2
WAIT_S = 60.0


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Node, Node]]:
    with beside_stock(tmp_path_factory, {}) as nodes:
        yield nodes


class Session:
    """A fetch session, and what its requests came to."""

    def __init__(self, node: Node, version: int, name: str, beside: str | None) -> None:
        self.node, self.version, self.name = node, version, name
        self.told: list[tuple[str, int, list[Any], bool]] = []
        self._labels: dict[bytes, str] = {}
        self._probe = Probe(node.bootstrap_server)
        self._names = [name] if beside is None else [name, beside]
        for each in self._names:
            create(node, each)
            self._labels[led_topics(node)[each]] = each
        # A leader is there before it serves.
        wait_until(lambda: self._full(0)[1] == [0] * len(self._names), WAIT_S, "leaders")
        self._session_id, self._epoch = self._full(0)[0], 0

    def close(self) -> None:
        """Close the connection."""
        self._probe.__exit__(None, None, None)

    def _request(self, session_id: int, epoch: int, names: list[str], max_wait_ms: int) -> Any:
        by_id = self.version >= FIRST_WITH_IDS
        ids = {name: topic_id for topic_id, name in self._labels.items()}
        topics = [
            kafka.FetchRequest.FetchTopic(
                topic="" if by_id else each,
                topic_id=ids[each] if by_id else bytes(16),
                partitions=[kafka.FetchRequest.FetchPartition(partition=0, partition_max_bytes=1_000)],
            )
            for each in names
        ]
        request = kafka.FetchRequest(
            session_id=session_id,
            session_epoch=epoch,
            max_wait_ms=max_wait_ms,
            min_bytes=1,
            max_bytes=1_000,
            topics=topics,
        )
        return self._probe.ask(request, self.version)

    def _full(self, epoch: int) -> tuple[int, list[int]]:
        response = self._request(0, epoch, self._names, 0)
        return response.session_id, [
            each.error_code for topic in response.responses for each in topic.partitions
        ]

    def wait_until_broker_says(self, code: int) -> None:
        """The broker follows the controller a moment later: wait until whoever names the topic is told this."""
        partition = kafka.FetchRequest.FetchPartition(partition=0, partition_max_bytes=1)
        topic = kafka.FetchRequest.FetchTopic(topic=self.name, partitions=[partition])

        def is_told() -> bool:
            response: Any = self._probe.ask(kafka.FetchRequest(max_wait_ms=0, topics=[topic]), 12)
            return bool(response.responses[0].partitions[0].error_code == code)

        wait_until(is_told, WAIT_S, f"error {code}")

    def ask(self, label: str) -> None:
        """Continue the session, and note what is said of which topic, and whether that took as long as it may."""
        self._epoch += 1
        begun = time.monotonic()
        response = self._request(self._session_id, self._epoch, [], MAX_WAIT_MS)
        has_waited = time.monotonic() - begun > WAITED_S
        said = sorted(
            (self._labels.get(topic.topic_id, topic.topic), each.error_code)
            for topic in response.responses
            for each in topic.partitions
        )
        self.told.append((label, response.error_code, said, has_waited))

    def ask_without(self, label: str) -> None:
        """Ask for the topic as it was at first, without the session."""
        self.told.append((label, 0, sorted(self._full(-1)[1]), False))


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside another topic"])
@pytest.mark.parametrize("version", [12, 17])
def test_both_tell_a_topic_that_is_gone_from_one_that_was_made_anew(
    both: tuple[Node, Node], version: int, beside: bool
) -> None:
    told = []
    for node in both:
        name = f"t{version}{beside}"
        session = Session(node, version, name, f"{name}-beside" if beside else None)
        session.ask("quiet")
        delete_topics(node, [name])
        session.wait_until_broker_says(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        for number in range(2):
            session.ask(f"deleted {number}")
        session.ask_without("deleted")
        create(node, name)
        session.wait_until_broker_says(ErrorCode.NONE)
        for number in range(2):
            session.ask(f"made anew {number}")
        session.ask_without("made anew")
        delete_topics(node, [name])
        session.wait_until_broker_says(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        session.ask("deleted again")
        told.append(session.told)
        session.close()
    ours, stock = told
    assert ours == stock
