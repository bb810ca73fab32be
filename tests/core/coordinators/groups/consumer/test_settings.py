"""The settings of a group: its own configuration goes before the broker's, within the broker's limits.

Tests: `core.coordinators.groups.modern.settings`.
"""

from __future__ import annotations

from kafkaproto_server.core.coordinators.groups.consumer.settings import (
    ConsumerGroupConfig,
    consumer_settings_of,
)


def test_the_brokers_values_are_the_defaults() -> None:
    found = consumer_settings_of(ConsumerGroupConfig(), {"share.session.timeout.ms": "1"})
    assert (found.session_timeout_ms, found.heartbeat_interval_ms) == (45_000, 5_000)
    assert found.assignment_interval_ms == 1_000


def test_a_groups_values_stay_within_the_brokers_limits() -> None:
    own = {
        "consumer.session.timeout.ms": "70000",
        "consumer.heartbeat.interval.ms": "6000",
        "consumer.assignment.interval.ms": "0",
    }
    found = consumer_settings_of(ConsumerGroupConfig(), own)
    assert (found.session_timeout_ms, found.heartbeat_interval_ms) == (60_000, 6_000)
    assert found.assignment_interval_ms == 0
    assert (
        consumer_settings_of(ConsumerGroupConfig(), {"consumer.session.timeout.ms": "1"}).session_timeout_ms
        == 45_000
    )
