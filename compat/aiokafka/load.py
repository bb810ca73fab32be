"""Writes lines of standard input as records, or prints all records of a topic, with aiokafka.

load.py write HOST:PORT,... TOPIC COMPRESSION ACKS
load.py read HOST:PORT,... TOPIC END,...
compat/README.md describes both.
"""

import asyncio
import json
import sys
import zlib
from itertools import islice

import aiokafka
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

LINES = 100


async def write(servers: str, topic: str, compression: str, acks: str) -> None:
    """Each line is a key, a tab and a value."""
    producer = AIOKafkaProducer(
        bootstrap_servers=servers,
        acks="all" if acks == "all" else int(acks),
        enable_idempotence=acks == "all",
        compression_type=None if compression == "none" else compression,
        linger_ms=5,
        max_batch_size=64 * 1024,
    )
    failed: list[str] = []

    def done(future: asyncio.Future[object], key: bytes) -> None:
        if future.exception() is not None:
            failed.append(key.decode())

    await producer.start()
    # A thread waits for lines, so that the loop can send meanwhile.
    while lines := await asyncio.to_thread(lambda: list(islice(sys.stdin.buffer, LINES))):
        for line in lines:
            key, _, value = line.rstrip(b"\n").partition(b"\t")
            future = await producer.send(topic, key=key, value=value)
            future.add_done_callback(lambda future, key=key: done(future, key))
    await producer.stop()
    print(json.dumps({"client": f"aiokafka {aiokafka.__version__}", "failed": failed}))


async def read(servers: str, topic: str, ends: str) -> None:
    """A line for each record: partition, offset, key, checksum of the value."""
    wanted = {TopicPartition(topic, number): int(end) for number, end in enumerate(ends.split(","))}
    consumer = AIOKafkaConsumer(bootstrap_servers=servers, auto_offset_reset="none")
    await consumer.start()
    consumer.assign(list(wanted))
    for each in wanted:
        consumer.seek(each, 0)
    left = {each for each, end in wanted.items() if end}
    while left:
        for where, messages in (await consumer.getmany(timeout_ms=1000)).items():
            for message in messages:
                checksum = zlib.crc32(message.value)
                print(where.partition, message.offset, message.key.decode(), f"{checksum:08x}", sep="\t")
            if messages[-1].offset + 1 >= wanted[where]:
                left.discard(where)
    await consumer.stop()


if __name__ == "__main__":
    asyncio.run(write(*sys.argv[2:]) if sys.argv[1] == "write" else read(*sys.argv[2:]))
