"""Two members of a group with kafka-python: one reads all and commits, the other one joins, and they share.

    python compat/kafka_python/group.py HOST:PORT TOPIC GROUP RECORDS

The topic has two partitions. Prints as JSON what was read, what each member was assigned in the end, and the offsets
that are committed.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from contextlib import closing
from typing import Any

with warnings.catch_warnings():
    # It reads its schemas in a way that newer Pythons warn of.
    warnings.simplefilter("ignore")
    from kafka import KafkaConsumer, TopicPartition

WAIT_S = 60.0


def main(servers: str, topic: str, group_id: str, records: int) -> dict[str, Any]:
    """What happened."""
    settings = {
        "bootstrap_servers": servers,
        "group_id": group_id,
        "auto_offset_reset": "earliest",
        "enable_auto_commit": False,
        "session_timeout_ms": 6_000,
        "heartbeat_interval_ms": 500,
    }
    end = time.monotonic() + WAIT_S
    values: list[int] = []
    with (
        closing(KafkaConsumer(topic, **settings)) as first,
        closing(KafkaConsumer(**settings)) as second,
    ):
        while len(values) < records and time.monotonic() < end:
            for found in first.poll(500).values():
                values += [int(each.value) for each in found]
        first.commit()
        second.subscribe([topic])
        while time.monotonic() < end and not len(first.assignment()) == len(second.assignment()) == 1:
            first.poll(200)
            second.poll(200)
        return {
            "values": sorted(values),
            "assigned": [
                sorted(each.partition for each in member.assignment()) for member in (first, second)
            ],
            "committed": [first.committed(TopicPartition(topic, index)) for index in (0, 1)],
        }


if __name__ == "__main__":
    servers, topic, group_id, count = sys.argv[1:]
    print(json.dumps(main(servers, topic, group_id, int(count))))
