"""What a broker's configs say of its replicas, whatever their topics say."""

from __future__ import annotations

import msgspec

from kafkaproto_server.config.settings import SettingsTable


class ReplicaSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of one broker's replicas."""

    lag_time_max_ms: int
    """For how long a follower may lack records and stay in the ISR."""
    fetch_wait_max_ms: int
    """How long a leader may let a follower wait for records."""
    fetchers: int
    """How many fetchers copy from each other broker."""
    max_transaction_timeout_ms: int


REPLICA_SETTINGS = SettingsTable(
    ReplicaSettings,
    {
        "lag_time_max_ms": "replica.lag.time.max.ms",
        "fetch_wait_max_ms": "replica.fetch.wait.max.ms",
        "fetchers": "num.replica.fetchers",
        "max_transaction_timeout_ms": "transaction.max.timeout.ms",
    },
)
