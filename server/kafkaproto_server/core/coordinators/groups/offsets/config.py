"""The broker's settings for the offsets that groups commit."""

from __future__ import annotations

import msgspec


class OffsetsConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Each field names the broker's key."""

    metadata_max_bytes: int = 4_096
    """offset.metadata.max.bytes"""
    retention_ms: int = 7 * 24 * 3_600_000
    """offsets.retention.minutes"""
    retention_check_interval_ms: int = 600_000
    """offsets.retention.check.interval.ms"""
