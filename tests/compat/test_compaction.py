"""Compacted logs change hands between Apache Kafka and ours, and stock tools find nothing wrong with them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from compat.kafka.stock import StockNode
from compat.kafka.tools import run_tool
from compat.node import Node
from compat.ours import OurNode
from compat.process import wait_until
from kafkaproto.client import Client, parse_servers
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import FetchRequest, FetchResponse, ProduceRequest, ProduceResponse
from kafkaproto.records.batch import NewRecord, Record, build_batch, iterate_batches
from kafkaproto.records.compression import Compression
from tests.compat.support.nodes import create, make_node

OPEN_TIMEOUT_S = 30.0

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

TOPIC = "compacted"
CONFIGS = {
    "cleanup.policy": "compact",
    "segment.ms": "1000",
    "min.cleanable.dirty.ratio": "0.01",
    "index.interval.bytes": "100",
    "delete.retention.ms": "0",
}
CLEAN_TIMEOUT_S = 30.0
KEYS = 20
ROUNDS = 6
CLEAN_END = (ROUNDS - 1) * (KEYS + 1)
"""Where the active segment begins."""
WRITTEN = CLEAN_END + len([key for key in range(KEYS) if key % 3]) + 2
KEPT = [*range(KEYS, CLEAN_END - KEYS - 1, KEYS + 1), *range(CLEAN_END - KEYS - 1, WRITTEN)]
"""The keys of their own, the last round that was cleaned, with its tombstones, and the active segment."""


def write(node: Node, begin: int) -> None:
    """Write each key several times, each round in a segment of its own, and delete every third key at last."""
    start_ms = int(time.time() * 1000) - 3_600_000
    with Client.bootstrap(parse_servers(node.bootstrap_server)) as client:
        for number in range(begin, begin + ROUNDS):
            keys = [key for key in range(KEYS) if number < begin + ROUNDS - 1 or key % 3]
            records = [
                NewRecord(
                    b"key-%d" % key,
                    None
                    if number == begin + ROUNDS - 2 and key % 3 == 0
                    else b"%d of %d" % (number, key) * 9,
                )
                for key in keys
            ]
            send(client, records, start_ms + 5_000 * number)
            send(client, [NewRecord(b"round-%d" % number, b"")], start_ms + 5_000 * number)
        send(client, [NewRecord(b"last", b"")], start_ms + 5_000 * number + 1)


def send(client: Client, records: list[NewRecord], timestamp_ms: int) -> None:
    data = build_batch(records, base_offset=0, timestamp_ms=timestamp_ms, compression=Compression.GZIP)
    partition = ProduceRequest.PartitionProduceData(index=0, records=data)
    topic = ProduceRequest.TopicProduceData(name=TOPIC, partition_data=[partition])
    request = ProduceRequest(acks=-1, timeout_ms=10_000, topic_data=[topic])

    def is_written() -> bool:
        response = client.send(request, 11)
        assert isinstance(response, ProduceResponse)
        code = response.responses[0].partition_responses[0].error_code
        # The leader of a new topic may still be opening its log.
        assert code in (ErrorCode.NONE, ErrorCode.NOT_LEADER_OR_FOLLOWER)
        return code == ErrorCode.NONE

    wait_until(is_written, OPEN_TIMEOUT_S, f"{TOPIC} to have a leader that writes")


def wait_until_clean(node: Node, offset: int) -> None:
    """Wait until the log is clean up to its last segment, which begins at ``offset``."""
    checkpoint = node.data_directory / "cleaner-offset-checkpoint"
    wait_until(
        lambda: checkpoint.exists() and f"{TOPIC} 0 {offset}\n" in checkpoint.read_text(),
        CLEAN_TIMEOUT_S,
        f"{node.kind} has cleaned up to {offset}",
    )


def read(node: Node) -> list[Record]:
    """What a consumer gets from the beginning on."""
    found: list[Record] = []
    offset, end = 0, None
    with Client.bootstrap(parse_servers(node.bootstrap_server)) as client:
        while end is None or offset < end:
            partition = FetchRequest.FetchPartition(
                partition=0, fetch_offset=offset, partition_max_bytes=1 << 20
            )
            topic = FetchRequest.FetchTopic(topic=TOPIC, partitions=[partition])
            request = FetchRequest(max_wait_ms=500, min_bytes=1, max_bytes=1 << 20, topics=[topic])
            response = client.send(request, 12)
            assert isinstance(response, FetchResponse)
            (part,) = response.responses[0].partitions
            assert part.error_code == 0
            end = part.high_watermark
            records: Any = part.records or b""
            for batch in iterate_batches(records):
                found += batch.records()
                offset = batch.next_offset
    return found


def check_files(node: Node) -> None:
    """Stock's tool takes every file of the log."""
    directory = node.data_directory / f"{TOPIC}-0"
    for path in sorted(directory.iterdir()):
        assert path.suffix not in (".cleaned", ".swap")
        if path.suffix not in (".log", ".index", ".timeindex") or not path.stat().st_size:
            continue
        check = ["--deep-iteration"] if path.suffix == ".log" else ["--index-sanity-check"]
        output = run_tool("kafka-dump-log", "--files", str(path), *check).output()
        assert "isvalid: false" not in output
        assert "mismatch" not in output
        if path.suffix != ".log":
            assert f"{path} passed sanity check." in output


def test_a_compacted_log_changes_hands(tmp_path: Path) -> None:
    node = make_node(OurNode, tmp_path, {"log.cleaner.backoff.ms": "100"})
    other = StockNode(tmp_path, node.properties)
    try:
        node.start()
        create(node, TOPIC, CONFIGS)
        write(node, 0)
        wait_until_clean(node, CLEAN_END)
        kept = read(node)
        assert [record.offset for record in kept] == KEPT
        node.stop()
        check_files(node)
        other.start()
        assert read(other) == kept
        write(other, 20)
        wait_until_clean(other, WRITTEN + CLEAN_END)
        kept = read(other)
        # All that is the newest of its key, and the end of what was written first.
        assert len(kept) == ROUNDS + 1 + len(KEPT)
        other.stop()
        node.start()
        assert read(node) == kept
    finally:
        node.close()
        other.close()
