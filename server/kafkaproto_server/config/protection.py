"""Kafka's keys that protect a node and that have no effect on this server yet.

An operator who sets such a key relies on it. Keys without which a node would allow what its file forbids are refused
(`node_config.check_supported`). The keys here are accepted, since they protect something that this server does not
have, or because they only change the degree of protection. A node that starts with one of them logs a warning.
"""

from __future__ import annotations

import re

_WITHOUT_TLS_AND_SASL = "this server has PLAINTEXT listeners only"
_WITHOUT_WINDOWS = "copies between directories keep to their rate piece by piece, without windows"

_REASONS: tuple[tuple[str, str], ...] = (
    (r"ssl\..*|security\.providers", _WITHOUT_TLS_AND_SASL),
    (
        r"sasl\..*|connections\.max\.reauth\.ms|connection\.failed\.authentication\.delay\.ms",
        _WITHOUT_TLS_AND_SASL,
    ),
    (r".*\.quota\.window\..*", _WITHOUT_WINDOWS),
    (r"queued\.max\.requests", "each connection has one request in progress, which bounds them"),
    (r"max\.request\.partition\.size\.limit", "the default of 2000 holds, whatever is set"),
    (
        r"connections\.max\.idle\.ms|socket\.request\.max\.bytes|max\.connections\.per\.ip(\.overrides)?"
        r"|queued\.max\.request\.bytes",
        "it holds for all listeners of the node alike, not for one",
    ),
    (r"early\.start\.listeners", "no listener serves before the node has its metadata"),
)
"""Patterns of keys, without a listener's prefix, and why they have no effect."""


def missing_protection(base_key: str) -> str | None:
    """Why a key, without its listener's prefix, does not protect the node; None if it is not a protection.

    To be called for keys that have no effect.
    """
    for pattern, reason in _REASONS:
        if re.fullmatch(pattern, base_key):
            return reason
    return None
