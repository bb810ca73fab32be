"""The broker's settings for groups of the classic protocol."""

from __future__ import annotations

import msgspec


class ClassicGroupConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Each field is the broker's key of nearly that name."""

    min_session_timeout_ms: int = 6_000
    """group.min.session.timeout.ms"""
    max_session_timeout_ms: int = 1_800_000
    """group.max.session.timeout.ms"""
    max_size: int = 2_147_483_647
    """group.max.size"""
    initial_rebalance_delay_ms: int = 3_000
    """group.initial.rebalance.delay.ms"""
