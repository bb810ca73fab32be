"""A read-process-write application of Apache Kafka's Java clients, and what consumers see of its output.

`compat/kafka/ReadProcessWrite.java` copies a topic in transactions that also commit its offsets, and aborts every third
one. While it works, brokers may be killed: every record has to be in the output once.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition

from compat.cluster import Cluster
from compat.kafka.jvm import TOOL_OPTIONS, class_path
from compat.kafka.programs import program_command
from compat.process import ServerProcess, WaitedTooLongError
from compat.quorum import connect
from kafkaproto.messages import FindCoordinatorRequest, FindCoordinatorResponse

PROGRAM = Path(__file__).resolve().parents[1] / "kafka" / "ReadProcessWrite.java"
OF_GROUPS, OF_TRANSACTIONAL_IDS = 0, 1
READING_S = 60.0
POLL_S = 0.2


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
        arguments = [servers, source, target, name, name, str(count), protocol]
        jars = class_path("org.apache.kafka.tools.TopicCommand")
        command = program_command(PROGRAM, arguments, jars, TOOL_OPTIONS)
        self.process = ServerProcess(command, folder / "copying", folder, {})

    def lines(self, beginning: str) -> list[str]:
        """What it has printed so far and begins in this way."""
        text = self.process.out_path.read_text()
        return [line for line in text.splitlines() if line.startswith(beginning)]

    def wait_for_commits(self, count: int, timeout_s: float) -> None:
        """Wait until it has printed so many commits. Raises ProcessDiedError or WaitedTooLongError."""
        self.process.wait_until(lambda: len(self.lines("committed")) >= count, timeout_s, f"{count} commits")

    def wait_until_done(self, timeout_s: float) -> None:
        """Wait until everything is copied. Raises ProcessDiedError or WaitedTooLongError."""
        self.process.wait_until(
            lambda: bool(self.lines("done")), timeout_s, "the application to copy everything"
        )

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
    """How often a consumer sees each value, from the beginning to the end of each partition.

    Raises WaitedTooLongError, also if a transaction in the way of a read_committed consumer stays open.
    """
    settings: dict[str, str | bool] = {
        "bootstrap.servers": servers,
        "group.id": "nobody",
        "enable.auto.commit": False,
        "enable.partition.eof": True,
    }
    places = [TopicPartition(topic, each, 0) for each in range(partitions)]
    # This one is told where the log ends, whatever transactions are open.
    asking = Consumer({**settings, "isolation.level": "read_uncommitted"})
    ends = {each.partition: asking.get_watermark_offsets(each, READING_S)[1] for each in places}
    asking.close()
    consumer = Consumer({**settings, "isolation.level": isolation})
    consumer.assign(places)
    found: Counter[str] = Counter()
    reached: dict[int | None, int] = {}
    deadline = time.monotonic() + READING_S
    try:
        while any(reached.get(index, 0) < end for index, end in ends.items()):
            if time.monotonic() > deadline:
                raise WaitedTooLongError(
                    f"waited {READING_S} s for the ends {ends} of {topic}, saw {reached}"
                )
            message = consumer.poll(POLL_S)
            if message is None:
                continue
            error, offset, value = message.error(), message.offset(), message.value()
            if error is None:
                assert value is not None
                found[value.decode()] += 1
            elif error.code() == KafkaError._PARTITION_EOF:
                assert offset is not None
                reached[message.partition()] = offset
    finally:
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
