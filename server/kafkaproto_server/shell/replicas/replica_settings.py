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
    fetch_min_bytes: int
    fetch_partition_max_bytes: int
    fetch_response_max_bytes: int
    fetch_timeout_ms: int
    fetch_backoff_ms: int
    fetchers: int
    """How many fetchers copy from each other broker."""
    max_fetch_sessions: int
    consumer_fetch_max_bytes: int
    """The most that a fetch of a consumer gets."""
    max_transaction_timeout_ms: int


REPLICA_SETTINGS = SettingsTable(
    ReplicaSettings,
    {
        "lag_time_max_ms": "replica.lag.time.max.ms",
        "fetch_wait_max_ms": "replica.fetch.wait.max.ms",
        "fetch_min_bytes": "replica.fetch.min.bytes",
        "fetch_partition_max_bytes": "replica.fetch.max.bytes",
        "fetch_response_max_bytes": "replica.fetch.response.max.bytes",
        "fetch_timeout_ms": "replica.socket.timeout.ms",
        "fetch_backoff_ms": "replica.fetch.backoff.ms",
        "fetchers": "num.replica.fetchers",
        "max_fetch_sessions": "max.incremental.fetch.session.cache.slots",
        "consumer_fetch_max_bytes": "fetch.max.bytes",
        "max_transaction_timeout_ms": "transaction.max.timeout.ms",
    },
)
