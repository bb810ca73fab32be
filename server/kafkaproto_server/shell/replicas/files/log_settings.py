"""What a broker's configs say of all its logs, whatever their topics say (LogManager in Apache Kafka)."""

from __future__ import annotations

import msgspec

from kafkaproto_server.config.settings import SettingsTable


class LogSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of all logs of one broker."""

    delete_delay_ms: int
    """How long the directory of a deleted replica, or of one that moved away, stays. Readers may still use its
    files."""
    producer_expiration_ms: int
    """How long a producer that writes nothing is remembered."""


LOG_SETTINGS = SettingsTable(
    LogSettings,
    {
        # Not the file.delete.delay.ms of the topic: that may be gone, and is for files of logs that stay.
        "delete_delay_ms": "log.segment.delete.delay.ms",
        "producer_expiration_ms": "producer.id.expiration.ms",
    },
)
