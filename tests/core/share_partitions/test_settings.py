"""The settings of a share group: its own go before the broker's, within the broker's limits."""

from __future__ import annotations

import pytest

from kafkaproto_server.core.share_partitions.settings import (
    OffsetReset,
    SharePartitionConfig,
    ShareSettings,
    share_settings_of,
)

CONFIG = SharePartitionConfig()


def settings(config: SharePartitionConfig, own: dict[str, str]) -> ShareSettings:
    return share_settings_of(config, own, has_dead_letters=True)


def test_without_a_configuration_the_brokers_values_hold() -> None:
    assert settings(CONFIG, {}) == ShareSettings()
    other = SharePartitionConfig(
        record_lock_duration_ms=45_000, delivery_count_limit=7, partition_max_record_locks=300
    )
    found = settings(other, {"consumer.session.timeout.ms": "1"})
    assert (found.record_lock_duration_ms, found.delivery_count_limit) == (45_000, 7)
    assert found.partition_max_record_locks == 300


@pytest.mark.parametrize(
    ("key", "name", "values"),
    [
        ("share.record.lock.duration.ms", "record_lock_duration_ms", [(1_000, 15_000), (99_999, 60_000)]),
        ("share.delivery.count.limit", "delivery_count_limit", [(2, 2), (25, 10), (8, 8)]),
        ("share.partition.max.record.locks", "partition_max_record_locks", [(1, 100), (10**6, 4_000)]),
    ],
)
def test_a_value_outside_of_the_limits_is_the_limit(
    key: str, name: str, values: list[tuple[int, int]]
) -> None:
    for value, expected in values:
        assert getattr(settings(CONFIG, {key: str(value)}), name) == expected


@pytest.mark.parametrize(
    ("text", "reset", "duration_ms"),
    [
        ("latest", OffsetReset.LATEST, 0),
        ("EARLIEST", OffsetReset.EARLIEST, 0),
        ("by_duration:PT0S", OffsetReset.BY_DURATION, 0),
        ("by_duration:PT1.25S", OffsetReset.BY_DURATION, 1_250),
        ("by_duration:P2DT3H4M5S", OffsetReset.BY_DURATION, ((2 * 24 + 3) * 60 + 4) * 60_000 + 5_000),
    ],
)
def test_where_a_group_begins(text: str, reset: OffsetReset, duration_ms: int) -> None:
    found = settings(CONFIG, {"share.auto.offset.reset": text})
    assert (found.offset_reset, found.reset_duration_ms) == (reset, duration_ms)


@pytest.mark.parametrize("has_dead_letters", [True, False])
def test_dead_letters_need_the_feature_level(has_dead_letters: bool) -> None:
    own = {
        "errors.deadletterqueue.topic.name": " dlq.x ",
        "errors.deadletterqueue.copy.record.enable": "TRUE",
    }
    found = share_settings_of(CONFIG, own, has_dead_letters=has_dead_letters)
    assert found.dead_letter_topic == ("dlq.x" if has_dead_letters else "")
    assert found.copies_dead_letters


def test_switches() -> None:
    found = settings(
        CONFIG, {"share.isolation.level": "read_committed", "share.renew.acknowledge.enable": "false"}
    )
    assert found.is_read_committed
    assert not found.may_renew


@pytest.mark.parametrize(("limit", "count"), [(2, 2), (3, 2), (4, 2), (5, 3), (6, 3), (7, 4), (10, 5)])
def test_from_half_of_the_limit_on_deliveries_are_throttled(limit: int, count: int) -> None:
    assert ShareSettings(delivery_count_limit=limit).throttle_delivery_count == count
