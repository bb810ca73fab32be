"""What the tools leave out of records unless they are asked for secrets.

SCRAM credentials without salt and keys, which let who has them guess the password or act as the server; configs without
the values of passwords and of keys that nobody knows; the ids of delegation tokens. Kafka's classes redact the same,
by the same word; Kafka's tools do not have them do it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kafkaproto_server.config_keys.sensitivity import is_sensitive

REDACTED = "[redacted]"
SECRETS_OPTION_HELP = (
    "Show secrets too: SCRAM salts and keys, passwords in configs, ids of delegation tokens."
)

_FIELDS = {
    "UserScramCredentialRecord": ("salt", "storedKey", "serverKey"),
    "DelegationTokenRecord": ("tokenId",),
    "RemoveDelegationTokenRecord": ("tokenId",),
}


def redacted(record_name: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """A record in Kafka's JSON form without its secrets; ``record_name`` is that of its class."""
    hidden: tuple[str, ...] = _FIELDS.get(record_name, ())
    if record_name == "ConfigRecord" and is_sensitive(data["resourceType"], data["name"]):
        hidden = ("value",)
    return {key: REDACTED if key in hidden and value is not None else value for key, value in data.items()}
