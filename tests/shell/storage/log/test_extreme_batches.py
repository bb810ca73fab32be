"""Batches that are well-formed and say what no real one says, from the check of a producer's batch to the cleaner.

Timestamps and deltas at the limits of an int64, any attributes and counts, empty and many headers, control batches.
Whatever a batch holds, it is refused with an error code, or it is stored. What is stored may be damaged in the eyes of
a reader. Then the log says so (StorageError), and nothing else fails.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from contextlib import suppress

import pytest

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.messages import EndTxnMarker
from kafkaproto.primitives import write_varint, write_varlong
from kafkaproto.records.batch import RecordBatchView
from kafkaproto.records.compression import compress
from kafkaproto.records.control import ControlRecordType, encode_control_record
from kafkaproto.records.crc32c import crc32c
from kafkaproto_server.core.log_state.transactions import end_transaction_marker
from kafkaproto_server.core.replicas.incoming_batches import BatchRefused, stamp
from kafkaproto_server.core.replicas.incoming_rules import incoming_rules
from kafkaproto_server.shell.storage.errors import StorageError
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.topic_log import TopicLog
from kafkaproto_server.shell.storage.log.topic_state import Found
from tests.core.replicas.support.incoming import check_incoming
from tests.shell.storage.support.compaction import NO_LIMIT, clean, plan
from tests.sim.disk import MemoryDisk

LOG = "/data/topic-0"
NOW_MS = 1_800_000_000_000
LONGEST = 2**63 - 1
CONFIG = LogConfig(
    segment_bytes=400,
    segment_ms=1 << 40,
    index_interval_bytes=60,
    segment_index_bytes=1024,
    has_gaps=True,
    is_durable_at_once=False,
)
INT64_EDGES = [
    -(2**63),
    -(2**63) + 63,
    NOW_MS - LONGEST,
    NOW_MS - LONGEST - 1,
    -(2**62),
    -2,
    -1,
    0,
    1,
    NOW_MS - 1,
    NOW_MS,
    NOW_MS + 1,
    2**62,
    LONGEST - NOW_MS,
    LONGEST - 63,
    LONGEST,
]
INT32_EDGES = [-(2**31), -1, 0, 1, 2, 2**31 - 2, 2**31 - 1]


def optional(content: bytes | None) -> bytes:
    out = bytearray()
    write_varint(out, -1 if content is None else len(content))
    return bytes(out) + (content or b"")


class Maker:
    """Makes batches from a seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def of(self, usual: int, edges: list[int], share: float = 0.2) -> int:
        """The usual number, or sometimes one of the edges."""
        return self.rng.choice(edges) if self.rng.random() < share else usual

    def record(self, index: int) -> bytes:
        """A record that is well-formed."""
        rng = self.rng
        inner = bytearray((rng.choice([0, 0, 255]),))
        write_varlong(inner, self.of(0, INT64_EDGES, 0.4))
        write_varint(inner, self.of(index, INT32_EDGES, 0.05))
        inner += optional(rng.choice([None, b"", b"a", b"b", b"c"]) if rng.random() < 0.3 else b"k")
        inner += optional(rng.choice([None, b"", b"v" * 80]))
        headers = rng.choice([0, 0, 0, 1, 70])
        write_varint(inner, headers)
        inner += (optional(b"h" * rng.choice([0, 1, 100])) + optional(rng.choice([None, b""]))) * headers
        out = bytearray()
        write_varint(out, len(inner))
        return bytes(out + inner)

    def marker(self) -> bytes:
        """The record of a control batch; not always a whole one."""
        kind = self.rng.choice([ControlRecordType.ABORT, ControlRecordType.COMMIT])
        key, value = encode_control_record(kind, EndTxnMarker(coordinator_epoch=self.rng.choice([-1, 0, 5])))
        if self.rng.random() < 0.2:
            value = value[:-1]
        inner = b"\0\0\0" + optional(key) + optional(value) + b"\0"
        out = bytearray()
        write_varint(out, len(inner))
        return bytes(out) + inner

    def batch(self, base_offset: int) -> bytes:
        """A batch with the right crc."""
        rng = self.rng
        is_control = rng.random() < 0.1
        count = 1 if is_control else rng.choice([1, 1, 2, 3, 5])
        body = self.marker() if is_control else b"".join(map(self.record, range(count)))
        codec = rng.choice([0, 0, 0, 1, 2, 3, 4])
        attributes = codec | is_control << 5 | rng.choice([0, 0, 0, 0x10, 0x40, 0x08, 0x50, 0x7F80 - 0x8000])
        attributes = self.of(attributes, [-1, 7, 0x7FFF, -(2**15)], 0.03)
        producer_id = rng.choice([-1, -1, -(2**63), 0, 7, LONGEST])
        checked = struct.pack(
            ">hiqqqhii",
            attributes,
            self.of(count - 1, INT32_EDGES, 0.03),
            self.of(NOW_MS, INT64_EDGES, 0.5),
            self.of(NOW_MS, INT64_EDGES, 0.3),
            producer_id,
            rng.choice([-1, 0, 0, 1, 2**15 - 1]),
            self.of(0, INT32_EDGES, 0.3),
            self.of(count, INT32_EDGES, 0.03),
        )
        packed = compress(codec, body)
        crc = crc32c(packed, crc32c(checked))
        return struct.pack(">qiibI", base_offset, 49 + len(packed), 0, 2, crc) + checked + packed

    def topic(self) -> dict[str, str]:
        """The configs of a topic."""
        rng = self.rng
        wanted = {
            "cleanup.policy": ["delete", "compact"],
            "compression.type": ["producer", "producer", "gzip", "uncompressed"],
            "message.timestamp.type": ["CreateTime", "CreateTime", "CreateTime", "LogAppendTime"],
            "message.timestamp.before.max.ms": [str(LONGEST), str(LONGEST), "0", "1000"],
            "message.timestamp.after.max.ms": [str(LONGEST), str(LONGEST), "0", "1000"],
        }
        return {key: rng.choice(values) for key, values in wanted.items()}


def open_log(disk: MemoryDisk, *, is_clean: bool = False) -> TopicLog:
    return TopicLog.open(
        disk, LOG, topic_id=bytes(16), config=CONFIG, is_clean=is_clean, producer_expiration_ms=NO_LIMIT
    )


def stored(made: Maker, log: TopicLog, found: Found) -> Iterator[bytes]:
    """What producers may send to a topic, and what a leader may send to its follower."""
    for number in range(30):
        # A topic's configs may have been others before.
        rules = incoming_rules(made.topic())
        if number % 3:
            try:
                batch = check_incoming(made.batch(0), rules, NOW_MS)
            except BatchRefused:
                continue
            data = b"".join(stamp(batch, log.log.log_end_offset, 0))
            marker = None
        else:
            data = made.batch(log.log.log_end_offset)
            view = RecordBatchView(data)
            try:
                view.check()
                marker = end_transaction_marker(view) if view.is_control else None
            except RemoteProtocolError:
                continue
        found.producers.take(RecordBatchView(data).header(), marker, 0)
        yield data


def look_up(log: TopicLog) -> None:
    """Ask for all kinds of timestamps."""
    for timestamp in INT64_EDGES:
        with suppress(StorageError):
            found = log.find_timestamp(timestamp)
            assert found is None or -(2**63) <= found.timestamp <= LONGEST
    with suppress(StorageError):
        largest = log.find_max_timestamp()
        assert largest is None or -(2**63) <= largest.timestamp <= LONGEST


@pytest.mark.parametrize("seed", range(60))
def test_no_batch_fails_anything_but_itself(seed: int) -> None:
    made = Maker(seed)
    disk = MemoryDisk()
    disk.make_directory("/data")
    disk.sync_directory("/")
    log = open_log(disk)
    found = log.found(NOW_MS)
    for data in stored(made, log, found):
        log.append([data], wall_ms=NOW_MS)
    log.log.roll()
    look_up(log)
    end = log.log.log_end_offset
    for now_ms in (NOW_MS, NOW_MS + 1_000):
        for retention_ms in (LONGEST, 0):
            cleaning = plan(log, found, CONFIG, now_ms=now_ms, delete_retention_ms=retention_ms)
            with suppress(StorageError):
                clean(disk, log, cleaning)
            look_up(log)
    log.close(found.producers)
    for is_clean in (True, False):
        again = open_log(disk, is_clean=is_clean)
        assert again.log.log_end_offset == end
        assert again.found(NOW_MS).log_end_offset == end
        look_up(again)
        again.close(None)
