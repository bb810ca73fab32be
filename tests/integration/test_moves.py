"""A replica that moves from directory to directory while a producer writes, on a real disk and with kill -9."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import pytest

from compat.ours import OurNode
from compat.process import wait_until
from kafkaproto.client import Client
from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import ProtocolError
from kafkaproto.messages import (
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
)
from tests.integration.support.asking import connect, create_topic, metadata
from tests.integration.support.records import consume, produce
from tests.integration.test_log_directories import NAMES, WAIT_S, log_dirs, node_of

pytestmark = pytest.mark.slow

MOVES = 8
KILLS = (2, 5)


def ask_for(node: OurNode, name: str) -> int:
    """Ask for the move of the only partition to a directory. Returns the error code."""
    kafka = AlterReplicaLogDirsRequest
    topic = kafka.AlterReplicaLogDirTopic(name="t", partitions=[0])
    directory = kafka.AlterReplicaLogDir(path=str(node.directory / name), topics=[topic])
    with connect(node.bootstrap_server) as client:
        response = client.send(kafka(dirs=[directory]))
    assert isinstance(response, AlterReplicaLogDirsResponse)
    return response.results[0].partitions[0].error_code


def places(node: OurNode) -> tuple[list[str], list[str]]:
    """The directories that have the replica, and those that have a copy that is being made."""
    found: tuple[list[str], list[str]] = ([], [])
    for name, result in log_dirs(node.bootstrap_server).items():
        for topic in result.topics:
            for each in topic.partitions:
                found[each.is_future_key].append(name)
    return found


class Producer:
    """Writes numbers, one after the other, with acks=all."""

    def __init__(self, address: str, topic_id: bytes) -> None:
        self._address = address
        self._topic_id = topic_id
        self._stopped = threading.Event()
        self.acknowledged: list[bytes] = []
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def stop(self) -> list[bytes]:
        """Stop. Returns what was acknowledged."""
        self._stopped.set()
        self._thread.join()
        return self.acknowledged

    def _run(self) -> None:
        number = 0
        while not self._stopped.is_set():
            try:
                with connect(self._address) as client:
                    while not self._stopped.is_set():
                        number += 1
                        value = b"%d " % number * 100
                        if self._write(client, value) == ErrorCode.NONE:
                            self.acknowledged.append(value)
            except (OSError, ProtocolError):
                self._stopped.wait(0.1)

    def _write(self, client: Client, value: bytes) -> int:
        return produce(client, self._topic_id, 0, value)


def test_what_was_acknowledged_survives_moves_and_kills(tmp_path: Path) -> None:
    rng = random.Random(1)
    with node_of(
        tmp_path,
        log_segment_bytes="1048576",
        broker_session_timeout_ms="2000",
        broker_heartbeat_interval_ms="500",
    ) as node:
        address = node.bootstrap_server
        assert create_topic(address, "t", 1).error_code == 0
        wait_until(lambda: metadata(address).topics[0].partitions[0].leader_id == 1, WAIT_S, "a leader")
        topic_id = metadata(address).topics[0].topic_id
        producer = Producer(address, topic_id)
        try:
            wait_until(lambda: len(producer.acknowledged) > 200, WAIT_S, "records to be written")
            for number in range(MOVES):
                wait_until(lambda: len(places(node)[0]) == 1, WAIT_S, "the replica to be open")
                target = rng.choice([each for each in NAMES if each != places(node)[0][0]])
                assert ask_for(node, target) == 0
                if number in KILLS:
                    node.kill()
                    node.start()
                    # Nothing of the copy may have been on the disk yet.
                    wait_until(lambda: len(places(node)[0]) == 1, WAIT_S, "the replica to be open")
                    assert ask_for(node, target) == 0
                before = len(producer.acknowledged)
                wait_until(lambda: places(node) == ([target], []), WAIT_S, f"the replica to be in {target}")  # noqa: B023
                wait_until(lambda: len(producer.acknowledged) > before, WAIT_S, "records to be taken")  # noqa: B023
        finally:
            acknowledged = producer.stop()
        with connect(address) as client:
            consumed = consume(client, topic_id, 0)
        # A producer whose connection ended writes a record at most once, and does not know whether it did.
        assert sorted(set(acknowledged) - set(consumed)) == []
        assert consumed == sorted(consumed, key=lambda value: int(value.split()[0]))
        assert node.stop() == 0
        node.start()
        with connect(address) as client:
            wait_until(lambda: consume(client, topic_id, 0) == consumed, WAIT_S, "the same records")
