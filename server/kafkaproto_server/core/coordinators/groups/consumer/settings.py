"""The settings of one consumer group: the group's own configuration goes before the broker's (KIP-848, KIP-1263)."""

from __future__ import annotations

from collections.abc import Mapping

from kafkaproto_server.core.coordinators.groups.config import GroupConfig
from kafkaproto_server.core.coordinators.groups.settings import GroupSettings, between

SESSION_TIMEOUT = "consumer.session.timeout.ms"
HEARTBEAT_INTERVAL = "consumer.heartbeat.interval.ms"
ASSIGNMENT_INTERVAL = "consumer.assignment.interval.ms"


def settings_of(config: GroupConfig, own: Mapping[str, str]) -> GroupSettings:
    """``own`` is what was set for the group; other keys in it are passed over.

    A value outside the broker's limits counts as the limit: the limits may have changed since it was set.
    """
    return GroupSettings(
        session_timeout_ms=between(
            own.get(SESSION_TIMEOUT),
            config.consumer_session_timeout_ms,
            config.consumer_min_session_timeout_ms,
            config.consumer_max_session_timeout_ms,
        ),
        heartbeat_interval_ms=between(
            own.get(HEARTBEAT_INTERVAL),
            config.consumer_heartbeat_interval_ms,
            config.consumer_min_heartbeat_interval_ms,
            config.consumer_max_heartbeat_interval_ms,
        ),
        assignment_interval_ms=between(
            own.get(ASSIGNMENT_INTERVAL),
            config.consumer_assignment_interval_ms,
            config.consumer_min_assignment_interval_ms,
            config.consumer_max_assignment_interval_ms,
        ),
    )
