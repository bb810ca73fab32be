"""What is secret in the tables: columns that are secret in every row, and values of configs.

As in Kafka, the values of passwords and of unknown keys are not shown. A hidden text becomes `REDACTED`, hidden bytes
become null.
"""

from __future__ import annotations

from collections.abc import Mapping

from kafkaproto_server.config.keys.sensitivity import is_sensitive, plain_keys

__all__ = ["REDACTED", "SECRET_COLUMNS", "is_sensitive", "plain_keys"]

REDACTED = "[redacted]"

SECRET_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "scram_credentials": ("salt", "storedKey", "serverKey"),
    "delegation_tokens": ("tokenId",),
    "tokens": ("tokenId",),
}
"""Columns that are secret in every row, by table."""
