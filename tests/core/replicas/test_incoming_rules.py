"""The rules for incoming batches, from configs of topics."""

from __future__ import annotations

import pytest

from kafkaproto.records.batch import TimestampType
from kafkaproto.records.compression import Compression
from kafkaproto_server.core.replicas.incoming_rules import (
    UNLIMITED_RECORD_BYTES,
    IncomingRules,
    incoming_rules,
)


def test_topic_without_configs_has_kafkas_defaults() -> None:
    assert incoming_rules({}) == IncomingRules(
        max_message_bytes=1_048_588,
        segment_bytes=1_073_741_824,
        compression=None,
        compression_level=None,
        is_compacted=False,
        timestamp_type=TimestampType.CREATE_TIME,
        timestamp_before_max_ms=2**63 - 1,
        timestamp_after_max_ms=3_600_000,
        max_decompressed_message_bytes=UNLIMITED_RECORD_BYTES,
    )


def test_configs_of_the_topic_are_taken() -> None:
    configs = {
        "max.message.bytes": "1",
        "segment.bytes": "2000000",
        "compression.type": "zstd",
        "compression.zstd.level": "-5",
        "compression.gzip.level": "9",
        "cleanup.policy": "delete,compact",
        "message.timestamp.type": "LogAppendTime",
        "message.timestamp.before.max.ms": "4",
        "message.timestamp.after.max.ms": " 5 ",
        "max.decompressed.message.bytes": "6",
        "retention.ms": "7",
    }
    assert incoming_rules(configs) == IncomingRules(
        max_message_bytes=1,
        segment_bytes=2_000_000,
        compression=Compression.ZSTD,
        compression_level=-5,
        is_compacted=True,
        timestamp_type=TimestampType.LOG_APPEND_TIME,
        timestamp_before_max_ms=4,
        timestamp_after_max_ms=5,
        max_decompressed_message_bytes=6,
    )


@pytest.mark.parametrize(
    ("text", "compression", "level"),
    [
        ("producer", None, None),
        ("uncompressed", Compression.NONE, None),
        ("gzip", Compression.GZIP, -1),
        ("snappy", Compression.SNAPPY, None),
        ("lz4", Compression.LZ4, 9),
        ("zstd", Compression.ZSTD, 3),
    ],
)
def test_compression_has_its_default_level(
    text: str, compression: Compression | None, level: int | None
) -> None:
    rules = incoming_rules({"compression.type": text})
    assert (rules.compression, rules.compression_level) == (compression, level)


@pytest.mark.parametrize(
    ("name", "text"),
    [("compression.type", "brotli"), ("max.message.bytes", "-1"), ("cleanup.policy", "shred")],
)
def test_value_that_is_not_valid_is_an_error(name: str, text: str) -> None:
    with pytest.raises(ValueError):
        incoming_rules({name: text})
