"""The settings of one share group: the group's own configuration goes before the broker's (KIP-932, KIP-1240).

Apache Kafka: ``ShareGroupConfigProvider``, ``GroupConfig``, ``ShareGroupConfig``.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping

import msgspec

_DURATION = re.compile(
    r"^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,9}))?S)?)?$", re.IGNORECASE
)
_BY_DURATION = "by_duration:"


class SharePartitionConfig(msgspec.Struct, frozen=True, kw_only=True):
    record_lock_duration_ms: int = 30_000
    """group.share.record.lock.duration.ms"""
    min_record_lock_duration_ms: int = 15_000
    """group.share.min.record.lock.duration.ms"""
    max_record_lock_duration_ms: int = 60_000
    """group.share.max.record.lock.duration.ms"""
    delivery_count_limit: int = 5
    """group.share.delivery.count.limit"""
    min_delivery_count_limit: int = 2
    """group.share.min.delivery.count.limit"""
    max_delivery_count_limit: int = 10
    """group.share.max.delivery.count.limit"""
    partition_max_record_locks: int = 2_000
    """group.share.partition.max.record.locks"""
    min_partition_max_record_locks: int = 100
    """group.share.min.partition.max.record.locks"""
    max_partition_max_record_locks: int = 4_000
    """group.share.max.partition.max.record.locks"""
    max_share_sessions: int = 2_000
    """group.share.max.share.sessions"""
    fetch_max_bytes: int = 57_671_680
    """fetch.max.bytes"""


class OffsetReset(enum.Enum):
    """Where a share group begins in a partition that has no state."""

    EARLIEST = "earliest"
    LATEST = "latest"
    BY_DURATION = "by_duration"


class ShareSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What holds for one group."""

    record_lock_duration_ms: int = 30_000
    delivery_count_limit: int = 5
    partition_max_record_locks: int = 2_000
    is_read_committed: bool = False
    """Whether the records of aborted transactions are left out."""
    may_renew: bool = True
    """Whether members may renew their locks (KIP-1222)."""
    offset_reset: OffsetReset = OffsetReset.LATEST
    dead_letter_topic: str = ""
    """Where records go that are rejected or were delivered as often as they may be (KIP-1191); empty: nowhere."""
    copies_dead_letters: bool = False
    """Whether their keys and values go there too."""
    reset_duration_ms: int = 0
    """With `OffsetReset.BY_DURATION`: the group begins so far back."""

    @property
    def throttle_delivery_count(self) -> int:
        """From so many deliveries on, fewer records are delivered together: half of the limit, at least 2."""
        return max(2, (self.delivery_count_limit + 1) // 2)


def share_settings_of(
    config: SharePartitionConfig, own: Mapping[str, str], *, has_dead_letters: bool
) -> ShareSettings:
    """``own`` is what was set for the group; other keys in it are passed over. ``has_dead_letters``: the feature level
    of the cluster allows dead-letter topics.

    A value outside the broker's limits counts as the limit: the limits may have changed since it was set.
    """
    reset, duration_ms = _offset_reset(own.get("share.auto.offset.reset", "latest"))
    return ShareSettings(
        record_lock_duration_ms=_between(
            own.get("share.record.lock.duration.ms"),
            config.record_lock_duration_ms,
            config.min_record_lock_duration_ms,
            config.max_record_lock_duration_ms,
        ),
        delivery_count_limit=_between(
            own.get("share.delivery.count.limit"),
            config.delivery_count_limit,
            config.min_delivery_count_limit,
            config.max_delivery_count_limit,
        ),
        partition_max_record_locks=_between(
            own.get("share.partition.max.record.locks"),
            config.partition_max_record_locks,
            config.min_partition_max_record_locks,
            config.max_partition_max_record_locks,
        ),
        is_read_committed=own.get("share.isolation.level", "").lower() == "read_committed",
        may_renew=own.get("share.renew.acknowledge.enable", "true").lower() == "true",
        dead_letter_topic=own.get("errors.deadletterqueue.topic.name", "").strip()
        if has_dead_letters
        else "",
        copies_dead_letters=own.get("errors.deadletterqueue.copy.record.enable", "").lower() == "true",
        offset_reset=reset,
        reset_duration_ms=duration_ms,
    )


def _between(own: str | None, default: int, lowest: int, highest: int) -> int:
    return default if own is None else max(lowest, min(highest, int(own)))


def _offset_reset(text: str) -> tuple[OffsetReset, int]:
    text = text.strip().lower()
    if text.startswith(_BY_DURATION):
        return OffsetReset.BY_DURATION, _duration_ms(text.removeprefix(_BY_DURATION))
    return OffsetReset(text), 0


def _duration_ms(text: str) -> int:
    """An ISO 8601 duration of days and less, as Java's Duration reads it, in whole milliseconds."""
    found = _DURATION.match(text)
    assert found is not None, "checked when it was set"
    days, hours, minutes, seconds, fraction = found.groups()
    whole_s = ((int(days or 0) * 24 + int(hours or 0)) * 60 + int(minutes or 0)) * 60 + int(seconds or 0)
    return whole_s * 1000 + int((fraction or "0").ljust(3, "0")[:3])
