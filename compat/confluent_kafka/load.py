"""Writes lines of standard input as records, or prints all records of a topic, with confluent-kafka.

load.py write HOST:PORT,... TOPIC COMPRESSION ACKS
load.py read HOST:PORT,... TOPIC END,...
compat/README.md describes both.
"""

import json
import sys
import zlib

import confluent_kafka
from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition


def write(servers: str, topic: str, compression: str, acks: str) -> None:
    """Each line is a key, a tab and a value."""
    producer = Producer(
        {
            "bootstrap.servers": servers,
            "acks": acks,
            "enable.idempotence": acks == "all",
            "compression.type": compression,
            "linger.ms": 5,
        }
    )
    failed: list[str] = []

    def done(error: KafkaError | None, message: Message) -> None:
        if error is not None:
            key = message.key()
            assert isinstance(key, bytes)
            failed.append(key.decode())

    for line in sys.stdin.buffer:
        key, _, value = line.rstrip(b"\n").partition(b"\t")
        while True:
            try:
                producer.produce(topic, key=key, value=value, callback=done)
                break
            except BufferError:
                producer.poll(0.1)
        producer.poll(0)
    producer.flush()
    print(json.dumps({"client": f"confluent-kafka {confluent_kafka.__version__}", "failed": failed}))


def read(servers: str, topic: str, ends: str) -> None:
    """A line for each record: partition, offset, key, checksum of the value."""
    wanted = {number: int(end) for number, end in enumerate(ends.split(",")) if int(end)}
    consumer = Consumer(
        {
            "bootstrap.servers": servers,
            "group.id": "load",
            "enable.auto.commit": False,
            "auto.offset.reset": "error",
            "check.crcs": True,
        }
    )
    consumer.assign([TopicPartition(topic, number, 0) for number in wanted])
    while wanted:
        for message in consumer.consume(5000, 1.0):
            if message.error() is not None:
                continue
            number, offset, key, value = message.partition(), message.offset(), message.key(), message.value()
            assert isinstance(value, bytes)
            assert number is not None
            assert offset is not None
            shown = key.decode() if isinstance(key, bytes) else ""
            print(number, offset, shown, f"{zlib.crc32(value):08x}", sep="\t")
            if offset + 1 >= wanted.get(number, 0):
                wanted.pop(number, None)
    consumer.close()


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(*sys.argv[2:])
    else:
        read(*sys.argv[2:])
