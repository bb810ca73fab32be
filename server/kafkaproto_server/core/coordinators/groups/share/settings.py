"""The settings of one share group: the group's own configuration goes before the broker's."""

from __future__ import annotations

from collections.abc import Mapping

from kafkaproto_server.core.coordinators.groups.config import GroupConfig
from kafkaproto_server.core.coordinators.groups.settings import GroupSettings, between

SESSION_TIMEOUT = "share.session.timeout.ms"
HEARTBEAT_INTERVAL = "share.heartbeat.interval.ms"
ASSIGNMENT_INTERVAL = "share.assignment.interval.ms"


def share_settings_of(config: GroupConfig, own: Mapping[str, str]) -> GroupSettings:
    """``own`` is what was set for the group; other keys in it are passed over.

    A value outside the broker's limits counts as the limit: the limits may have changed since it was set.
    """
    return GroupSettings(
        session_timeout_ms=between(
            own.get(SESSION_TIMEOUT),
            config.share_session_timeout_ms,
            config.share_min_session_timeout_ms,
            config.share_max_session_timeout_ms,
        ),
        heartbeat_interval_ms=between(
            own.get(HEARTBEAT_INTERVAL),
            config.share_heartbeat_interval_ms,
            config.share_min_heartbeat_interval_ms,
            config.share_max_heartbeat_interval_ms,
        ),
        assignment_interval_ms=between(
            own.get(ASSIGNMENT_INTERVAL),
            config.share_assignment_interval_ms,
            config.share_min_assignment_interval_ms,
            config.share_max_assignment_interval_ms,
        ),
    )
