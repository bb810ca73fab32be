"""A read-process-write application of Apache Kafka's Java clients, and what consumers see of its output.

`compat/kafka/ReadProcessWrite.java` copies a topic in transactions that also commit its offsets, and aborts every third
one. While it works, brokers may be killed: every record has to be in the output once.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from confluent_kafka import Consumer, Producer, TopicPartition

from compat.cluster import Cluster
from compat.kafka.jvm import TOOL_OPTIONS, class_path
from compat.process import ServerProcess, wait_until
from compat.quorum import connect
from kafkaproto.messages import FindCoordinatorRequest, FindCoordinatorResponse

PROGRAM = Path(__file__).resolve().parents[1] / "kafka" / "ReadProcessWrite.java"
OF_GROUPS, OF_TRANSACTIONAL_IDS = 0, 1
QUIET_S = 3.0
"""A consumer that has got nothing for so long has got all."""
READING_S = 60.0


class Copying:
    """The application as a process."""

    def __init__(
        self,
        servers: str,
        folder: Path,
        *,
        name: str,
        source: str,
        target: str,
        count: int,
        protocol: str = "classic",
    ) -> None:
        """``name`` is that of the group, and the transactional id; ``protocol`` is group.protocol."""
        folder.mkdir(parents=True, exist_ok=True)
        jars = ":".join(map(str, class_path("org.apache.kafka.tools.TopicCommand")))
        command = ["java", *TOOL_OPTIONS, "-cp", jars, str(PROGRAM), servers]
        arguments = [source, target, name, name, str(count), protocol]
        self.process = ServerProcess([*command, *arguments], folder / "copying", folder, {})

    def lines(self, beginning: str) -> list[str]:
        """What it has printed so far and begins in this way."""
        text = self.process.out_path.read_text()
        return [line for line in text.splitlines() if line.startswith(beginning)]

    def wait_for_commits(self, count: int, timeout_s: float) -> None:
        """Wait until it has printed so many commits."""
        wait_until(lambda: len(self.lines("committed")) >= count, timeout_s, f"{count} commits")

    def wait_until_done(self, timeout_s: float) -> None:
        """Wait until everything is copied."""
        wait_until(lambda: bool(self.lines("done")), timeout_s, "the application to copy everything")

    def close(self) -> None:
        """End it."""
        self.process.kill()


def fill(servers: str, topic: str, count: int) -> None:
    """Write the numbers below ``count``."""
    producer = Producer({"bootstrap.servers": servers, "acks": "all"})
    for number in range(count):
        producer.produce(topic, key=str(number).encode(), value=str(number).encode())
    assert producer.flush(READING_S) == 0


def read(servers: str, topic: str, partitions: int, isolation: str = "read_committed") -> Counter[str]:
    """How often a consumer sees each value."""
    consumer = Consumer(
        {
            "bootstrap.servers": servers,
            "group.id": "nobody",
            "enable.auto.commit": False,
            "isolation.level": isolation,
        }
    )
    consumer.assign([TopicPartition(topic, each, 0) for each in range(partitions)])
    found: Counter[str] = Counter()
    end = time.monotonic() + READING_S
    last = time.monotonic()
    while time.monotonic() < end and (not found or time.monotonic() - last < QUIET_S):
        message = consumer.poll(0.2)
        if message is not None and message.error() is None:
            last = time.monotonic()
            value = message.value()
            assert value is not None
            found[value.decode()] += 1
    consumer.close()
    return found


def coordinator(
    cluster: Cluster, key: str, asked: Sequence[int], key_type: int = OF_TRANSACTIONAL_IDS
) -> int:
    """The broker that coordinates a transactional id or a group, as one of the brokers ``asked`` says; -1 for none."""
    with connect(cluster.brokers[asked[0]].bootstrap_server) as client:
        request = FindCoordinatorRequest(key_type=key_type, coordinator_keys=[key])
        response = client.send(request)
    assert isinstance(response, FindCoordinatorResponse)
    return response.coordinators[0].node_id
