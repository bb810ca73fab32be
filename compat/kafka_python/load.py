"""Writes lines of standard input as records, or prints all records of a topic, with kafka-python.

load.py write HOST:PORT,... TOPIC COMPRESSION ACKS
load.py read HOST:PORT,... TOPIC END,...
compat/README.md describes both.
"""

import json
import sys
import threading
import zlib

import kafka
from kafka import KafkaConsumer, KafkaProducer, TopicPartition

WAITING = 32_000
"""How many records wait for a response at most. kafka-python 3 has no limit of its own: a backlog of more than
delivery_timeout_ms fails."""


def write(servers: str, topic: str, compression: str, acks: str) -> None:
    """Each line is a key, a tab and a value."""
    producer = KafkaProducer(
        bootstrap_servers=servers.split(","),
        acks="all" if acks == "all" else int(acks),
        enable_idempotence=acks == "all",
        compression_type=None if compression == "none" else compression,
        linger_ms=5,
        batch_size=64 * 1024,
    )
    failed: list[str] = []
    room = threading.Semaphore(WAITING)
    for line in sys.stdin.buffer:
        key, _, value = line.rstrip(b"\n").partition(b"\t")
        room.acquire()
        future = producer.send(topic, key=key, value=value)
        future.add_both(lambda _: room.release())
        future.add_errback(lambda _, name=key: failed.append(name.decode()))
    producer.flush()
    producer.close()
    print(json.dumps({"client": f"kafka-python {kafka.__version__}", "failed": failed}))


def read(servers: str, topic: str, ends: str) -> None:
    """A line for each record: partition, offset, key, checksum of the value."""
    wanted = {TopicPartition(topic, number): int(end) for number, end in enumerate(ends.split(","))}
    consumer = KafkaConsumer(bootstrap_servers=servers.split(","), group_id=None, auto_offset_reset="none")
    consumer.assign(list(wanted))
    for each in wanted:
        consumer.seek(each, 0)
    while any(consumer.position(each) < end for each, end in wanted.items()):
        for where, messages in consumer.poll(1000).items():
            for message in messages:
                checksum = zlib.crc32(message.value)
                print(where.partition, message.offset, message.key.decode(), f"{checksum:08x}", sep="\t")
    consumer.close()


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(*sys.argv[2:])
    else:
        read(*sys.argv[2:])
