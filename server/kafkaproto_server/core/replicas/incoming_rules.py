"""What a topic asks of the batches that producers send, read from its configs once and not for each batch.

Apache Kafka keeps these values in LogConfig.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from kafkaproto.records.batch import TimestampType
from kafkaproto.records.compression import Compression
from kafkaproto_server.config.keys.definitions import TOPIC_KEYS
from kafkaproto_server.config.keys.model import ConfigValue

UNLIMITED_RECORD_BYTES: Final = 2**31 - 9
"""``max.decompressed.message.bytes`` if no record is too large. It is the default."""

_COMPRESSIONS: Final = {
    "producer": None,
    "uncompressed": Compression.NONE,
    "gzip": Compression.GZIP,
    "snappy": Compression.SNAPPY,
    "lz4": Compression.LZ4,
    "zstd": Compression.ZSTD,
}
_LEVEL_KEYS: Final = {
    Compression.GZIP: "compression.gzip.level",
    Compression.LZ4: "compression.lz4.level",
    Compression.ZSTD: "compression.zstd.level",
}


class IncomingRules(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The rules of one topic."""

    max_message_bytes: int
    """Of a batch as it is sent, and as it is stored."""
    segment_bytes: int
    """A batch has to fit in a segment."""
    compression: Compression | None
    """The compression in which batches are stored; None means that of the producer."""
    compression_level: int | None
    """None if the compression has no levels."""
    is_compacted: bool
    """Whether every record needs a key."""
    timestamp_type: TimestampType
    timestamp_before_max_ms: int
    timestamp_after_max_ms: int
    max_decompressed_message_bytes: int
    """Of one record of a compressed batch, without its length field."""


def incoming_rules(configs: Mapping[str, str]) -> IncomingRules:
    """The rules that follow from a topic's configs in effect. A key that is missing has its default.

    Raises ValueError if a value is not valid for its key.
    """

    def value(name: str) -> ConfigValue:
        definition = TOPIC_KEYS[name]
        text = configs.get(name, definition.default)
        assert text is not None, f"{name} has a default"
        return definition.parse(text)

    def number(name: str) -> int:
        found = value(name)
        assert isinstance(found, int), f"{name} is a number"
        return found

    # "producer" is no compression: the batch stays as it came.
    compression = _COMPRESSIONS[str(value("compression.type"))]
    level_key = None if compression is None else _LEVEL_KEYS.get(compression)
    policies = value("cleanup.policy")
    assert isinstance(policies, tuple), "cleanup.policy is a list"
    is_append_time = value("message.timestamp.type") == "LogAppendTime"
    return IncomingRules(
        max_message_bytes=number("max.message.bytes"),
        segment_bytes=number("segment.bytes"),
        compression=compression,
        compression_level=None if level_key is None else number(level_key),
        is_compacted="compact" in policies,
        timestamp_type=TimestampType.LOG_APPEND_TIME if is_append_time else TimestampType.CREATE_TIME,
        timestamp_before_max_ms=number("message.timestamp.before.max.ms"),
        timestamp_after_max_ms=number("message.timestamp.after.max.ms"),
        max_decompressed_message_bytes=number("max.decompressed.message.bytes"),
    )
