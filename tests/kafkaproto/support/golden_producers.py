"""The files of partitions that real producers wrote to, as a node of Apache Kafka 4.4.0 left them at a clean stop.

``../golden/producers.json`` has, for each partition, its log, its producer snapshot and its transaction index,
compressed with zlib and written in base64. None of the bytes come from our own encoders. Two idempotent producers and
three transactional ones of confluent-kafka 2.16.1 (librdkafka 2.16.0) wrote to ``transactions-0``, and so did
kafka-producer-perf-test of Apache Kafka 4.3.1, whose transactions are of version 2. Some transactions were committed,
some aborted, one was left open. ``__consumer_offsets-0`` has offsets that were committed in those transactions.
`record_producers` recorded the file.
"""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).parents[1] / "golden" / "producers.json"
TOPIC = "transactions"
PARTITIONS = (f"{TOPIC}-0", "__consumer_offsets-0")


class PartitionFiles(NamedTuple):
    """The files of one partition; its log is one segment with base offset 0."""

    log: bytes
    snapshot: bytes
    transaction_index: bytes


def partition_files() -> dict[str, PartitionFiles]:
    """The recorded files by the name of the partition's directory."""
    recorded = json.loads(DATA.read_text())
    return {name: PartitionFiles(*map(_bytes, recorded[name])) for name in PARTITIONS}


def _bytes(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))
