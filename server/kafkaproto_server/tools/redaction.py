"""The parts of records that the tools hide unless secrets are asked for.

They hide salt and keys of SCRAM credentials, with which one could guess the password or act as the server; the values
of passwords and of unknown keys in configs; and the ids of delegation tokens. Kafka's classes hide the same, with the
same word; Kafka's tools do not use this.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kafkaproto_server.config.keys.sensitivity import is_sensitive

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
    """A record in Kafka's JSON form without its secrets; ``record_name`` is the name of its class."""
    hidden: tuple[str, ...] = _FIELDS.get(record_name, ())
    if record_name == "ConfigRecord" and is_sensitive(data["resourceType"], data["name"]):
        hidden = ("value",)
    return {key: REDACTED if key in hidden and value is not None else value for key, value in data.items()}
