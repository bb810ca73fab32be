"""When a batch begins a new segment of a topic's log: by age, with and without timestamps, and by what an index can
hold. Sizes are tested with the log (`test_log`).

Tests: `shell.storage.log.segment_rolling`.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from kafkaproto.records.batch import NewRecord, build_batch, iterate_batches
from kafkaproto_server.shell.storage.log.index import MAX_RELATIVE_OFFSET
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.topic_log import SHORT_APPEND_BYTES, TopicLog
from tests.shell.storage.support.helpers import batch
from tests.sim.disk import MemoryDisk

LOG = "/data/topic-0"
CONFIG = LogConfig(
    segment_bytes=1 << 20,
    segment_ms=1_000,
    segment_index_bytes=1024,
    has_gaps=True,
    is_durable_at_once=False,
)


def open_log(config: LogConfig = CONFIG, disk: MemoryDisk | None = None) -> TopicLog:
    if disk is None:
        disk = MemoryDisk()
        disk.make_directory("/data")
    return TopicLog.open(disk, LOG, topic_id=bytes(16), config=config, producer_expiration_ms=1 << 62)


def append(log: TopicLog, timestamp_ms: int, wall_ms: int = 0) -> bool:
    return log.append([batch(log.log.log_end_offset, timestamp_ms=timestamp_ms)], (), wall_ms)


def test_a_batch_that_is_much_younger_than_the_first_one_begins_a_segment() -> None:
    log = open_log()
    # The clock does not matter, and neither does a batch in between.
    assert not append(log, 5_000)
    assert not append(log, 2_000, wall_ms=10**9)
    assert not append(log, 6_000)
    assert append(log, 6_001)
    assert log.log.segment_bases == (0, 3)
    assert not append(log, 7_001)
    assert append(log, 7_002)


def test_the_first_time_is_known_after_a_restart() -> None:
    disk = MemoryDisk()
    disk.make_directory("/data")
    log = open_log(disk=disk)
    append(log, 5_000)
    append(log, 5_900)
    log.log.abandon()
    assert append(open_log(disk=disk), 6_001)


def test_without_timestamps_the_clock_counts() -> None:
    log = open_log()
    assert not append(log, -1, wall_ms=10_000)
    assert not append(log, -1, wall_ms=10_100)
    assert not append(log, 10**12, wall_ms=11_100)
    assert append(log, -1, wall_ms=11_101)
    assert not append(log, -1, wall_ms=11_102)


def test_logs_with_jitter_roll_earlier_each_at_its_time() -> None:
    config = LogConfig(
        segment_ms=1_000,
        segment_jitter_ms=900,
        has_gaps=True,
        is_durable_at_once=False,
        segment_index_bytes=1024,
    )
    times = set()
    for index in range(20):
        disk = MemoryDisk()
        disk.make_directory("/data")
        log = TopicLog.open(
            disk, f"/data/topic-{index}", topic_id=bytes(16), config=config, producer_expiration_ms=1
        )
        append(log, 0)
        rolls_at = next(at for at in range(0, 2_000, 10) if append(log, at))
        assert 100 <= rolls_at <= 1_010
        times.add(rolls_at)
    assert len(times) > 10


def far_batch(base_offset: int) -> bytes:
    return build_batch([NewRecord(None, b"v")], base_offset=base_offset, timestamp_ms=0)


def test_offsets_that_no_index_can_hold_begin_a_segment() -> None:
    for first in ([], [far_batch(0)]):
        log = open_log()
        for each in first:
            log.append([each])
        assert log.append([far_batch(MAX_RELATIVE_OFFSET + 10)])
        assert log.log.segment_bases == (0, MAX_RELATIVE_OFFSET + 10)
        assert not log.append([far_batch(2 * MAX_RELATIVE_OFFSET + 10)])
        read = log.read_records(1, 1 << 20, 1 << 62, whole_first=True)
        assert next(iterate_batches(read)).base_offset == MAX_RELATIVE_OFFSET + 10


def test_a_segment_that_is_full_of_offsets_is_followed_by_one_at_the_logs_end_if_that_can_hold_the_batch() -> (
    None
):
    log = open_log()
    log.append([far_batch(0)])
    assert log.append([far_batch(MAX_RELATIVE_OFFSET + 1)])
    assert log.log.segment_bases == (0, 1)


def test_a_log_whose_last_segment_is_empty_does_not_begin_another_one() -> None:
    log = open_log()
    assert not log.log.roll()
    log.append([far_batch(0)])
    assert log.log.roll()
    assert not log.log.roll()
    assert log.log.segment_bases == (0, 1)


@pytest.mark.parametrize(
    ("size_bytes", "end_offset", "is_short"),
    [
        (SHORT_APPEND_BYTES, 100, True),
        (SHORT_APPEND_BYTES + 1, 100, False),
        # The log is made durable then.
        (100, 1_000, False),
    ],
    ids=["little", "much", "made durable"],
)
def test_an_append_is_short_if_it_only_writes_a_little(
    size_bytes: int, end_offset: int, is_short: bool
) -> None:
    log = open_log(replace(CONFIG, segment_bytes=2 * SHORT_APPEND_BYTES, flush_messages=1_000))
    log.append([far_batch(0)])
    assert log.is_short_append(size_bytes, end_offset) is is_short


def test_an_append_up_to_an_offset_that_no_index_can_hold_is_not_short() -> None:
    log = open_log()
    log.append([far_batch(0)])
    assert log.is_short_append(100, MAX_RELATIVE_OFFSET)
    assert not log.is_short_append(100, MAX_RELATIVE_OFFSET + 1)
