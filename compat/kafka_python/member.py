"""A member of a group with kafka-python: member.py HOST:PORT,... TOPIC GROUP; compat/README.md describes it."""

from __future__ import annotations

import json
import signal
import sys
import time
import warnings
from typing import Any

with warnings.catch_warnings():
    # It reads its schemas in a way that newer Pythons warn of.
    warnings.simplefilter("ignore")
    from kafka import ConsumerRebalanceListener, KafkaConsumer, OffsetAndMetadata, TopicPartition
    from kafka.errors import KafkaError


def say(what: str, **more: Any) -> None:
    """Prints an event."""
    print(json.dumps({"at_ms": time.time() * 1000, "what": what, **more}), flush=True)


POLL_MS = 10_000
"""Longer than a member takes to join: kafka-python may miss a join that ends between two polls (FINDINGS.md). As a
record comes every hundredth of a second, polls of a member with partitions are short."""


class Listener(ConsumerRebalanceListener):  # type: ignore[misc]
    """Says what the member owns."""

    def on_partitions_assigned(self, assigned: list[TopicPartition]) -> None:
        """They are its own from now on."""
        say("assigned", partitions=sorted(each.partition for each in assigned))

    def on_partitions_revoked(self, revoked: list[TopicPartition]) -> None:
        """They are its own until this returns."""
        say("revoked", partitions=sorted(each.partition for each in revoked))


def main(servers: str, topic: str, group_id: str) -> None:
    """Reads and commits until SIGTERM."""
    is_over: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: is_over.append(number))
    consumer = KafkaConsumer(
        bootstrap_servers=servers.split(","),
        group_id=group_id,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        session_timeout_ms=6_000,
        heartbeat_interval_ms=500,
        max_poll_records=100,
    )
    consumer.subscribe([topic], listener=Listener())
    while not is_over:
        offsets = {}
        for where, messages in consumer.poll(POLL_MS).items():
            for each in messages:
                say("read", partition=where.partition, offset=each.offset, value=int(each.value))
            offsets[where] = OffsetAndMetadata(messages[-1].offset + 1, "", -1)
        if not offsets:
            continue
        try:
            consumer.commit(offsets)
        except KafkaError as error:
            # A rebalance: whoever owns the partitions next reads this again.
            say("failed", error=repr(error))
            continue
        for where, each in offsets.items():
            say("committed", partition=where.partition, offset=each.offset)
    consumer.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
