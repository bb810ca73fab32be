"""Record what `golden_producers` reads.

    python -m tests.kafkaproto.support.record_producers

starts a node of Apache Kafka, has the producers of others write to it, stops it, and writes the file anew.
"""

from __future__ import annotations

import base64
import json
import tempfile
import zlib
from pathlib import Path

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from compat.kafka.stock import StockNode
from compat.kafka.tools import run_tool
from compat.node import combined_properties
from tests.kafkaproto.support.golden_producers import DATA, PARTITIONS, TOPIC

CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg"
TIMEOUT_S = 30.0


def main() -> None:
    """Record the file anew."""
    with tempfile.TemporaryDirectory() as directory:
        properties = {
            **combined_properties(Path(directory) / "data"),
            "offsets.topic.num.partitions": "1",
            "transaction.state.log.num.partitions": "1",
        }
        node = StockNode(Path(directory), properties)
        node.format(CLUSTER_ID)
        try:
            node.start()
            _produce(node.bootstrap_server)
            node.stop()
        finally:
            node.close()
        recorded = {name: _files(node.data_directory / name) for name in PARTITIONS}
    DATA.write_text(json.dumps(recorded, indent=1) + "\n")


def _files(directory: Path) -> list[str]:
    (snapshot,) = directory.glob("*.snapshot")
    index = directory / f"{0:020}.txnindex"
    log = directory / f"{0:020}.log"
    return [
        _text(log.read_bytes()),
        _text(snapshot.read_bytes()),
        _text(index.read_bytes() if index.exists() else b""),
    ]


def _produce(server: str) -> None:
    admin = AdminClient({"bootstrap.servers": server})
    admin.create_topics([NewTopic(TOPIC, 1, 1)])[TOPIC].result(TIMEOUT_S)
    plain = Producer({"bootstrap.servers": server})
    idempotent = [Producer({"bootstrap.servers": server, "enable.idempotence": True}) for _ in range(2)]
    consumer = Consumer({"bootstrap.servers": server, "group.id": "readers"})
    first, second, third = (_transactional(server, number) for number in range(3))
    _write(plain, 2)
    for round_number in range(7):
        _write(idempotent[round_number % 2], 1 + round_number)
    for is_first_aborted in (True, False):
        _begin(first, 2)
        _write(plain, 1)
        _begin(second, 3)
        _write(first, 1)
        _end(first, consumer, is_aborted=is_first_aborted)
        _begin(first, 1)
        _end(second, consumer, is_aborted=not is_first_aborted)
        _end(first, consumer, is_aborted=is_first_aborted)
    command = ("--topic", TOPIC, "--num-records", "40", "--record-size", "10", "--throughput", "-1")
    transaction = ("--transactional-id", "performance", "--transaction-duration-ms", "1")
    run_tool("kafka-producer-perf-test", *command, *transaction, "--bootstrap-server", server).output()
    _begin(third, 4)
    _write(idempotent[0], 5)
    consumer.close()


def _transactional(server: str, number: int) -> Producer:
    producer = Producer({"bootstrap.servers": server, "transactional.id": f"transactional-{number}"})
    producer.init_transactions(TIMEOUT_S)
    return producer


def _begin(producer: Producer, count: int) -> None:
    producer.begin_transaction()
    _write(producer, count)


def _end(producer: Producer, consumer: Consumer, *, is_aborted: bool) -> None:
    position = TopicPartition(TOPIC, 0, 7)
    producer.send_offsets_to_transaction([position], consumer.consumer_group_metadata(), TIMEOUT_S)
    if is_aborted:
        producer.abort_transaction(TIMEOUT_S)
    else:
        producer.commit_transaction(TIMEOUT_S)


def _write(producer: Producer, count: int) -> None:
    for number in range(count):
        producer.produce(TOPIC, b"%d" % number, partition=0)
    assert producer.flush(TIMEOUT_S) == 0, "records were not acknowledged"


def _text(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode()


if __name__ == "__main__":
    main()
