"""Files of logs to dump: those that a metadata log leaves behind, and some that only brokers or damage make."""

from __future__ import annotations

import os
import struct
from pathlib import Path

from kafkaproto.log import (
    OffsetIndexEntry,
    TimeIndexEntry,
    encode_offset_index_entry,
    encode_time_index_entry,
)
from kafkaproto.messages import (
    ClientQuotaRecord,
    FeatureLevelRecord,
    LeaderChangeMessage,
    NoOpRecord,
    PartitionRecord,
    TopicRecord,
)
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto.records.control import ControlRecordType, encode_control_record
from kafkaproto.records.crc32c import crc32c
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto.snapshot import build_snapshot
from kafkaproto_server.base.types import METADATA_TOPIC_ID, Endpoint, ReplicaKey, Voter
from kafkaproto_server.shell.storage.disk import OsDisk
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.metadata.bootstrap import voters_record

TOPIC_ID = bytes(range(16))
DIRECTORY_ID = bytes(range(100, 116))
SNAPSHOT_NAME = f"{50:020}-{1:010}.checkpoint"
QUOTA = ClientQuotaRecord(
    entity=[ClientQuotaRecord.EntityData(entity_type="user", entity_name="größe")],
    key="producer_byte_rate",
    value=10485760.0,
    remove=False,
)


def metadata_records() -> list[bytes]:
    partition = PartitionRecord(
        partition_id=0,
        topic_id=TOPIC_ID,
        replicas=[1, 2],
        isr=[1],
        leader=1,
        leader_epoch=3,
        partition_epoch=4,
        directories=[DIRECTORY_ID, bytes(16)],
        eligible_leader_replicas=[2],
    )
    return [
        encode_metadata_record(FeatureLevelRecord(name="metadata.version", feature_level=30), 0),
        encode_metadata_record(TopicRecord(name="wichtig", topic_id=TOPIC_ID), 0),
        encode_metadata_record(partition, 2),
        encode_metadata_record(QUOTA, 0),
        encode_metadata_record(NoOpRecord(), 0),
    ]


def make_metadata_log(directory: Path) -> None:
    """A closed log of two segments with indexes, and a snapshot, as our storage writes them."""
    log = Log.open(
        OsDisk(),
        str(directory),
        topic_id=METADATA_TOPIC_ID,
        config=LogConfig(segment_bytes=2500, index_interval_bytes=300),
    )
    change = LeaderChangeMessage(
        leader_id=1,
        voters=[LeaderChangeMessage.Voter(voter_id=1)],
        granting_voters=[LeaderChangeMessage.Voter(voter_id=1)],
    )
    key, value = encode_control_record(ControlRecordType.LEADER_CHANGE, change)
    log.append([build_batch([(key, value, ())], base_offset=0, timestamp_ms=1000, control=True)])
    for offset in range(1, 51, 5):
        records = [NewRecord(None, each) for each in metadata_records()]
        log.append([build_batch(records, base_offset=offset, timestamp_ms=1000 + offset)])
    log.close()
    voter = Voter(
        key=ReplicaKey(id=1, directory_id=DIRECTORY_ID),
        endpoints=(Endpoint(name="CONTROLLER", host="127.0.0.1", port=9093),),
        min_kraft_version=0,
        max_kraft_version=1,
    )
    snapshot = build_snapshot(
        metadata_records(),
        epoch=1,
        timestamp_ms=99,
        last_contained_log_timestamp=77,
        kraft_version=1,
        voters=voters_record([voter]),
    )
    (directory / SNAPSHOT_NAME).write_bytes(b"".join(snapshot))
    (directory / "bootstrap.checkpoint").write_bytes((directory / SNAPSHOT_NAME).read_bytes())


def make_broker_files(directory: Path) -> None:
    """Segments of a topic: compressed, transactional, with gaps and timestamps of both types; their other files; and
    ones that are wrong in themselves."""
    os.makedirs(directory, exist_ok=True)
    compressed = build_batch(
        [NewRecord(b"key", b"value", [("h1", b"x"), ("h2", None)], 1234), NewRecord(None, None, [], 1240)],
        base_offset=100,
        timestamp_ms=1300,
        compression=1,
        producer_id=7,
        producer_epoch=2,
        base_sequence=2**31 - 1,
        transactional=True,
    )
    stamped = build_batch(
        [NewRecord(b"key \xc3\xa4", b"")], base_offset=110, timestamp_ms=1300, timestamp_type=1
    )
    horizon = build_batch([NewRecord(b"a", b"b")], base_offset=111, timestamp_ms=1400, delete_horizon_ms=1500)
    markers = [
        build_batch(
            [(kind.to_bytes(4), bytes(2) + (3).to_bytes(4), ())],
            base_offset=112 + kind,
            timestamp_ms=2000,
            control=True,
            transactional=True,
            producer_id=4,
            producer_epoch=0,
        )
        for kind in (0, 1)
    ]
    damaged = bytearray(stamped)
    damaged[-1] ^= 2
    write = {
        f"{100:020}.log": compressed + stamped + horizon + b"".join(markers),
        f"{200:020}.log": compressed + damaged + horizon,
        f"{300:020}.log": compressed + stamped[:50],
        f"{400:020}.log": compressed + bytes(100),
        f"{500:020}.log": b"",
        f"{500:020}.index": b"",
        f"{500:020}.timeindex": b"",
        f"{100:020}.txnindex": struct.pack(">hqqqq", 0, 4, 100, 112, 100),
        f"{62:020}.snapshot": _producer_state(damaged=False),
        f"{63:020}.snapshot": _producer_state(damaged=True),
    }
    for name, content in write.items():
        (directory / name).write_bytes(content)
    _make_wrong_indexes(directory)


def _producer_state(*, damaged: bool) -> bytes:
    entries = struct.pack(">i", 2)
    entries += struct.pack(">qhiqiqiq", 7, 2, 9, 105, 3, 1700, 4, -1)
    entries += struct.pack(">qhiqiqiq", 8, 0, -1, -1, 0, -1, -1, 77)
    return struct.pack(">hI", 1, 5 if damaged else crc32c(entries)) + entries


def _make_wrong_indexes(directory: Path) -> None:
    batches = [
        build_batch([NewRecord(b"k", b"v")] * 2, base_offset=offset, timestamp_ms=1000 + offset)
        for offset in range(0, 12, 2)
    ]
    length = len(batches[0])
    (directory / f"{0:020}.log").write_bytes(b"".join(batches))
    offsets = [(1, 0), (4, length), (5, 2 * length), (6, 3 * length)]
    times = [(1000, 1), (1001, 3), (1001, 5), (990, 7), (1008, 8), (9999, 99)]
    (directory / f"{0:020}.index").write_bytes(
        b"".join(encode_offset_index_entry(0, OffsetIndexEntry(*each)) for each in offsets) + bytes(8)
    )
    (directory / f"{0:020}.timeindex").write_bytes(
        b"".join(encode_time_index_entry(0, TimeIndexEntry(*each)) for each in times) + bytes(12)
    )
