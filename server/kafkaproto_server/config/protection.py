"""Keys of Kafka that protect a node and have no effect on this server yet.

An operator who sets one counts on it. Those without which a node would be open to what its file forbids are refused
(`config.settings.check_supported`). These here are taken, since they protect what this server does not have, or
in degree: a node that starts with one says so in a warning.
"""

from __future__ import annotations

import re

_WITHOUT_TLS_AND_SASL = "this server has PLAINTEXT listeners only"
_WITHOUT_QUOTAS = "quotas are stored and shown, not enforced"

_REASONS: tuple[tuple[str, str], ...] = (
    (r"ssl\..*|security\.providers", _WITHOUT_TLS_AND_SASL),
    (
        r"sasl\..*|connections\.max\.reauth\.ms|connection\.failed\.authentication\.delay\.ms",
        _WITHOUT_TLS_AND_SASL,
    ),
    (r"(.*\.)?quota\.window\..*|.*\.replication\.throttled\.rate", _WITHOUT_QUOTAS),
    (r"queued\.max\.requests", "each connection has one request in progress, which bounds them"),
    (r"max\.request\.partition\.size\.limit", "the default of 2000 holds, whatever is set"),
    (
        r"connections\.max\.idle\.ms|socket\.request\.max\.bytes|max\.connections\.per\.ip(\.overrides)?"
        r"|queued\.max\.request\.bytes",
        "it holds for all listeners of the node alike, not for one",
    ),
    (r"early\.start\.listeners", "no listener serves before the node has its metadata"),
)
"""Patterns of keys, without the prefix of a listener, and why they have no effect."""


def missing_protection(base_key: str) -> str | None:
    """Why a key without its listener's prefix does not protect as it says; None for one that is no protection.

    To be asked about keys that have no effect.
    """
    for pattern, reason in _REASONS:
        if re.fullmatch(pattern, base_key):
            return reason
    return None
