"""Record what `test_compaction_of_kafka` reads.

    python -m tests.shell.storage.support.record_compaction

makes a log of a compacted topic, puts it in the directory of an Apache Kafka node, which cleans it, and notes the files
before and after. Then it adds to that log, and lets the node clean it again, twice.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import tempfile
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from compat.kafka.stock import StockNode
from compat.node import Node, combined_properties
from compat.process import wait_until
from kafkaproto.client import Client, parse_servers
from kafkaproto.messages import CreateTopicsRequest, CreateTopicsResponse, EndTxnMarker
from kafkaproto.records.batch import NewRecord, RecordBatchView, TimestampType, build_batch
from kafkaproto.records.compression import Compression
from kafkaproto.records.control import ControlRecordType, encode_control_record
from kafkaproto_server.core.log_state.transactions import end_transaction_marker
from kafkaproto_server.shell.storage.disk import OsDisk
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.topic_log import TopicLog, read_topic_id

DATA = Path(__file__).parents[1] / "log/data/compaction.json"
CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg"
TOPIC = "compacted"
TIMEOUT_MS = 10_000
CLEAN_TIMEOUT_S = 60.0
DELETE_RETENTION_MS = 1
"""Past at the second cleaning."""
PRODUCER_EXPIRATION_MS = 2**31 - 1
CONFIG = LogConfig(
    segment_bytes=1 << 20,
    segment_ms=1 << 40,
    index_interval_bytes=300,
    segment_index_bytes=1 << 16,
    has_gaps=True,
    is_durable_at_once=False,
)

Batch = tuple[int, Sequence[NewRecord], dict[str, Any]]
"""Timestamp in seconds, records, what else `build_batch` is given."""


def put(*pairs: tuple[str | None, str | None]) -> list[NewRecord]:
    """Records with these keys and values."""
    return [
        NewRecord(None if key is None else key.encode(), None if value is None else value.encode())
        for key, value in pairs
    ]


def by(producer_id: int, sequence: int, *, epoch: int = 0, transactional: bool = False) -> dict[str, Any]:
    """A batch of a producer."""
    return {
        "producer_id": producer_id,
        "producer_epoch": epoch,
        "base_sequence": sequence,
        "transactional": transactional,
    }


def end(second: int, producer_id: int, kind: ControlRecordType) -> Batch:
    """The marker of a transaction."""
    key, value = encode_control_record(kind, EndTxnMarker(coordinator_epoch=3))
    return second, [NewRecord(key, value)], {**by(producer_id, -1, transactional=True), "control": True}


COMMIT, ABORT = ControlRecordType.COMMIT, ControlRecordType.ABORT

FIRST: list[list[Batch]] = [
    [
        (0, put(("a", "1"), ("b", "1"), ("c", "1")), {}),
        (
            1,
            [NewRecord(b"b", b"2", (("head", b"er"), ("null", None))), NewRecord(b"d", b"1", (), None)],
            {"compression": Compression.GZIP},
        ),
        (2, put(("a", "2"), ("b", "3")), {"compression": Compression.ZSTD}),
        (3, put(("e", "1"), ("f", "1")), by(7, 0)),
        (4, put(("a", "3"), ("g", "1")), {"timestamp_type": TimestampType.LOG_APPEND_TIME}),
        (5, put(("long", "x" * 400), ("longer", "y" * 900)), {}),
        (6, put(*((f"many-{number}", f"value {number}") for number in range(40))), {}),
    ],
    [
        (10, put(("h", "1"), ("a", "4")), by(8, 0, transactional=True)),
        (11, put(("a", "never"), ("i", "never")), by(9, 0, transactional=True)),
        (12, put(("h", "2")), by(8, 2, transactional=True)),
        end(13, 8, COMMIT),
        end(14, 9, ABORT),
        (15, put(("c", None), ("d", None)), {}),
        (16, put(("j", "1"), ("many-3", None), ("k", "1")), {"compression": Compression.SNAPPY}),
        (17, put((None, "no key"), ("l", "1")), {}),
        (18, put(("m", "1"), ("many-4", "new")), {"compression": Compression.LZ4}),
        (19, put(("m", None)), {"compression": Compression.LZ4}),
    ],
    [
        (20, put(("e", "2"), ("f", "2"), ("b", "4")), {}),
        (21, put(("n", "1"), ("o", "1")), by(8, 3, transactional=True)),
        end(22, 8, COMMIT),
        (23, put(("p", "never")), by(10, 0, epoch=2, transactional=True)),
        end(24, 10, ABORT),
        (25, put(("n", "2"), ("o", "2")), {}),
        (26, put(("n", "3")), by(11, 5)),
    ],
    [(30, put(("q", "1")), {})],
]
SECOND: list[list[Batch]] = [
    [
        (40, put(("j", "2"), ("q", "2")), {}),
        (41, put(("h", None), ("e", None)), {}),
        (42, put(("n", "4"), ("r", "1")), by(11, 6)),
        (43, put(("s", "never")), by(9, 2, transactional=True)),
        end(44, 9, ABORT),
        (45, put(("t", "1")), by(8, 5, transactional=True)),
        end(46, 8, COMMIT),
    ],
    [(50, put(("u", "1")), {})],
]
THIRD: list[list[Batch]] = [
    [
        (60, put(("v", "1"), ("u", "2")), {}),
        (61, put(("t", "2")), by(8, 6, transactional=True)),
        end(62, 8, COMMIT),
    ],
    [(70, put(("w", "1")), {})],
]


def main() -> None:
    """Record all cleanings."""
    with tempfile.TemporaryDirectory() as directory:
        recorded = _record(Path(directory))
    DATA.write_text("[\n" + ",\n".join(json.dumps(each) for each in recorded) + "\n]\n")


def _record(directory: Path) -> list[dict[str, Any]]:
    properties = {
        **combined_properties(directory / "data"),
        "log.cleaner.backoff.ms": "100",
        "producer.id.expiration.ms": str(PRODUCER_EXPIRATION_MS),
    }
    node = StockNode(directory, properties)
    node.format(CLUSTER_ID)
    # A little in the past: what compaction keeps does not depend on it, but producers expire.
    start_ms = int(time.time() * 1000) - 600_000
    recorded = []
    try:
        node.start()
        _create_topic(node)
        node.stop()
        path = node.data_directory / f"{TOPIC}-0"
        for segments in (FIRST, SECOND, THIRD):
            append(path, segments, start_ms)
            before = _files(path)
            _let_clean(node, path)
            recorded.append({"before": before, "after": _files(path)})
    finally:
        node.close()
    return recorded


def _create_topic(node: Node) -> None:
    configs = {
        "cleanup.policy": "compact",
        "min.cleanable.dirty.ratio": "0",
        "delete.retention.ms": str(DELETE_RETENTION_MS),
        "index.interval.bytes": str(CONFIG.index_interval_bytes),
        "segment.bytes": str(CONFIG.segment_bytes),
    }
    topic = CreateTopicsRequest.CreatableTopic(
        name=TOPIC,
        num_partitions=1,
        replication_factor=1,
        configs=[
            CreateTopicsRequest.CreatableTopicConfig(name=name, value=value)
            for name, value in configs.items()
        ],
    )
    with Client.bootstrap(parse_servers(node.bootstrap_server)) as client:
        response = client.send(CreateTopicsRequest(topics=[topic], timeout_ms=TIMEOUT_MS))
    assert isinstance(response, CreateTopicsResponse)
    assert response.topics[0].error_code == 0, response
    path = node.data_directory / f"{TOPIC}-0"
    wait_until(lambda: (path / "partition.metadata").exists(), 20.0, "the log of the topic")


def _let_clean(node: Node, path: Path) -> None:
    """Start the node, wait until it has cleaned the log up to its active segment, and stop it."""
    active = int(max(path.glob("*.log")).stem)
    checkpoint = node.data_directory / "cleaner-offset-checkpoint"
    (node.data_directory / ".kafka_cleanshutdown").unlink()
    # Otherwise it would clean up to the old high watermark first, and then once more.
    (node.data_directory / "replication-offset-checkpoint").write_text(f"0\n1\n{TOPIC} 0 {active + 1}\n")
    node.start()
    wait_until(
        lambda: checkpoint.exists() and f"{TOPIC} 0 {active}\n" in checkpoint.read_text(),
        CLEAN_TIMEOUT_S,
        "the log is cleaned",
    )
    node.stop()


def append(path: Path, segments: list[list[Batch]], start_ms: int) -> None:
    """Append the batches, each list to a segment of its own."""
    disk = OsDisk()
    topic_id = read_topic_id(disk, str(path))
    assert topic_id is not None, f"{path} has no topic id"
    for snapshot in path.glob("*.snapshot"):
        snapshot.unlink()
    log = TopicLog.open(
        disk,
        str(path),
        topic_id=topic_id,
        config=CONFIG,
        producer_expiration_ms=PRODUCER_EXPIRATION_MS,
    )
    states = log.found(start_ms).producers
    offset = log.log.log_end_offset
    for segment in segments:
        # No further batch fits: the next one begins a segment.
        log.log.configure(dataclasses.replace(CONFIG, segment_bytes=1))
        for second, records, rest in segment:
            timestamp_ms = start_ms + 1000 * second
            data = build_batch(records, base_offset=offset, timestamp_ms=timestamp_ms, **rest)
            view = RecordBatchView(data)
            header = view.header()
            aborted = states.take(header, end_transaction_marker(view) if header.is_control else None, 0)
            log.append([data], [] if aborted is None else [aborted])
            log.log.configure(CONFIG)
            offset = header.next_offset
    log.close(None)


def _files(path: Path) -> dict[str, str]:
    """The segments and their indexes."""
    suffixes = (".log", ".index", ".timeindex", ".txnindex")
    return {
        each.name: base64.b64encode(zlib.compress(each.read_bytes(), 9)).decode()
        for each in sorted(path.iterdir())
        if each.suffix in suffixes
    }


if __name__ == "__main__":
    main()
