"""The settings of the coordinator of transactions, by Kafka's keys. Apache Kafka has them in
TransactionStateManagerConfig."""

from __future__ import annotations

import msgspec


class TransactionConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Each field is the broker's key of nearly that name."""

    max_timeout_ms: int = 900_000
    """transaction.max.timeout.ms"""
    expiration_ms: int = 7 * 24 * 3_600_000
    """transactional.id.expiration.ms"""
    abort_interval_ms: int = 10_000
    """transaction.abort.timed.out.transaction.cleanup.interval.ms"""
    remove_interval_ms: int = 3_600_000
    """transaction.remove.expired.transaction.cleanup.interval.ms"""
    two_phase_commit_enable: bool = False
    """transaction.two.phase.commit.enable"""
