"""The settings of one group of members that send heartbeats, and how they follow from the configuration."""

from __future__ import annotations

import msgspec


class GroupSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of one group."""

    session_timeout_ms: int
    heartbeat_interval_ms: int
    assignment_interval_ms: int
    """Least time between two target assignments."""


def between(own: str | None, default: int, lowest: int, highest: int) -> int:
    """A value of the group itself within the broker's limits, or the default."""
    return default if own is None else max(lowest, min(highest, int(own)))
