"""A member of a group with aiokafka: member.py HOST:PORT,... TOPIC GROUP; compat/README.md describes it."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from collections.abc import Collection
from typing import Any

from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener, TopicPartition
from aiokafka.errors import KafkaError


def say(what: str, **more: Any) -> None:
    """Prints an event."""
    print(json.dumps({"at_ms": time.time() * 1000, "what": what, **more}), flush=True)


class Listener(ConsumerRebalanceListener):  # type: ignore[misc]
    """Says what the member owns."""

    is_leaving = False
    """Then it owns nothing more, whatever it is assigned until it has left."""

    async def on_partitions_assigned(self, assigned: Collection[TopicPartition]) -> None:
        """They are its own from now on."""
        if not self.is_leaving:
            say("assigned", partitions=sorted(each.partition for each in assigned))

    async def on_partitions_revoked(self, revoked: Collection[TopicPartition]) -> None:
        """They are its own until this returns."""
        say("revoked", partitions=sorted(each.partition for each in revoked))


async def main(servers: str, topic: str, group_id: str) -> None:
    """Reads and commits until SIGTERM."""
    is_over = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, is_over.set)
    consumer = AIOKafkaConsumer(
        bootstrap_servers=servers,
        group_id=group_id,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        session_timeout_ms=6_000,
        heartbeat_interval_ms=500,
        max_poll_records=100,
        # It asks an old leader for offsets until its metadata is too old: FINDINGS.md.
        metadata_max_age_ms=2_000,
    )
    listener = Listener()
    consumer.subscribe([topic], listener=listener)
    await consumer.start()
    while not is_over.is_set():
        offsets = {}
        for where, messages in (await consumer.getmany(timeout_ms=200)).items():
            for each in messages:
                say("read", partition=where.partition, offset=each.offset, value=int(each.value))
            offsets[where] = messages[-1].offset + 1
        if not offsets:
            continue
        try:
            await consumer.commit(offsets)
        except KafkaError as error:
            # A rebalance: whoever owns the partitions next reads this again.
            say("failed", error=repr(error))
            continue
        for where, offset in offsets.items():
            say("committed", partition=where.partition, offset=offset)
    # The client leaves without telling its listener: FINDINGS.md.
    listener.is_leaving = True
    say("revoked", partitions=sorted(each.partition for each in consumer.assignment()))
    await consumer.stop()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
