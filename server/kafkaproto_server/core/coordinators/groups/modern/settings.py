"""The settings of groups whose members send heartbeats: the broker's, and those of one group, which go first.

Apache Kafka has the broker's in GroupCoordinatorConfig and those of a group in GroupConfig (KIP-848, KIP-1263).
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class ModernConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The broker's settings for one kind of group. Each field is the key "group.", the kind, and its own name."""

    session_timeout_ms: int = 45_000
    min_session_timeout_ms: int = 45_000
    max_session_timeout_ms: int = 60_000
    heartbeat_interval_ms: int = 5_000
    min_heartbeat_interval_ms: int = 5_000
    max_heartbeat_interval_ms: int = 15_000
    assignment_interval_ms: int = 1_000
    min_assignment_interval_ms: int = 0
    max_assignment_interval_ms: int = 15_000
    max_size: int = 2_147_483_647


class ModernSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of one group."""

    session_timeout_ms: int
    heartbeat_interval_ms: int
    assignment_interval_ms: int
    """Least time between two target assignments."""
    max_size: int
    """How many members it may have."""


def between(own: str | None, default: int, lowest: int, highest: int) -> int:
    """A value of the group itself within the broker's limits, or the default."""
    return default if own is None else max(lowest, min(highest, int(own)))


def modern_settings_of(kind: str, config: ModernConfig, own: Mapping[str, str]) -> dict[str, int]:
    """The values of `ModernSettings`. ``own`` is what was set for the group, by keys that begin with ``kind``.

    A value outside the broker's limits counts as the limit: the limits may have changed since it was set.
    """
    return {
        "session_timeout_ms": between(
            own.get(f"{kind}.session.timeout.ms"),
            config.session_timeout_ms,
            config.min_session_timeout_ms,
            config.max_session_timeout_ms,
        ),
        "heartbeat_interval_ms": between(
            own.get(f"{kind}.heartbeat.interval.ms"),
            config.heartbeat_interval_ms,
            config.min_heartbeat_interval_ms,
            config.max_heartbeat_interval_ms,
        ),
        "assignment_interval_ms": between(
            own.get(f"{kind}.assignment.interval.ms"),
            config.assignment_interval_ms,
            config.min_assignment_interval_ms,
            config.max_assignment_interval_ms,
        ),
        "max_size": config.max_size,
    }
