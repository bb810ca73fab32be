"""The bytes of records: what Apache Kafka 4.4.0 has written after some requests, and what is written here after them.

The file in ``golden/`` has keys and values as a Fetch request got them from a node of Apache Kafka.

Tests: `core.coordinators.share_state.needed_offsets`, `core.coordinators.share_state.records`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ShareSnapshotValue
from kafkaproto.records.coordinator import (
    SHARE_RECORDS,
    decode_coordinator_record,
    encode_coordinator_record,
)
from kafkaproto_server.core.coordinators.share_state.state import SharePartitionKey
from kafkaproto_server.requests.share_state import ShareState, ShareStateResult, StateBatch
from tests.core.coordinators.support.share_world import ShareWorld

GOLDEN: Any = json.loads((Path(__file__).parent / "golden" / "share_group_state.json").read_text())
FIRST, SECOND = (SharePartitionKey("g", bytes.fromhex(GOLDEN["topic_id"]), each) for each in range(2))


def test_the_same_requests_leave_the_same_bytes() -> None:
    world = ShareWorld(updates_per_snapshot=2)
    world.partitions[FIRST.topic_id] = 2
    results = [
        world.initialize(key=FIRST, epoch=2, start=5),
        world.initialize(key=SECOND, epoch=2, start=-1),
        world.read(key=FIRST, leader_epoch=3),
        world.write((7, 9, 2, 1), (8, 12, 0, 2), key=FIRST, epoch=2, leader_epoch=3, start=5, count=2),
        world.write((20, 20, 4, 5), key=FIRST, epoch=2, leader_epoch=3, start=8),
        world.delete(SECOND),
    ]
    assert not any(each.code for each in results)
    assert len(world.log.records) == len(GOLDEN["records"])
    for record, (key, value) in zip(world.log.records, GOLDEN["records"], strict=True):
        if isinstance(record.value, ShareSnapshotValue):
            golden: Any = decode_coordinator_record(
                SHARE_RECORDS, bytes.fromhex(key), bytes.fromhex(value)
            ).value
            # The time is another one.
            record.value.create_timestamp = golden.create_timestamp
            record.value.write_timestamp = golden.write_timestamp
        written = encode_coordinator_record(record.key, record.value, 0)
        assert written == (bytes.fromhex(key), None if value is None else bytes.fromhex(value))


def test_a_coordinator_begins_with_what_apache_kafka_has_written() -> None:
    world = ShareWorld()
    world.partitions[FIRST.topic_id] = 2
    for key, value in GOLDEN["records"]:
        data = None if value is None else bytes.fromhex(value)
        world.log.records.append(decode_coordinator_record(SHARE_RECORDS, bytes.fromhex(key), data))
    world.log.commit()
    world.start()
    batches = (StateBatch(8, 12, 0, 2), StateBatch(20, 20, 4, 5))
    assert world.read(key=FIRST, leader_epoch=3) == ShareStateResult(
        ErrorCode.NONE, None, ShareState(2, 8, -1, batches)
    )
    assert world.state(SECOND) is None
