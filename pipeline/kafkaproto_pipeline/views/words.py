"""Names of Kafka's numbers, as its tools print them."""

from __future__ import annotations

from collections.abc import Mapping

CONFIG_RESOURCES = {2: "topic", 4: "broker", 8: "broker logger", 16: "client metrics", 32: "group"}
ACL_WORDS = {
    "resourceType": {
        2: "topic",
        3: "group",
        4: "cluster",
        5: "transactional id",
        6: "delegation token",
        7: "user",
    },
    "patternType": {3: "literal", 4: "prefixed"},
    "operation": {
        2: "all",
        3: "read",
        4: "write",
        5: "create",
        6: "delete",
        7: "alter",
        8: "describe",
        9: "cluster action",
        10: "describe configs",
        11: "alter configs",
        12: "idempotent write",
        13: "create tokens",
        14: "describe tokens",
        15: "two phase commit",
    },
    "permissionType": {2: "deny", 3: "allow"},
}
"""By the field of an AccessControlEntryRecord."""
SCRAM_MECHANISMS = {1: "SCRAM-SHA-256", 2: "SCRAM-SHA-512"}
SECURITY_PROTOCOLS = {0: "PLAINTEXT", 1: "SSL", 2: "SASL_PLAINTEXT", 3: "SASL_SSL"}
_RECOVERY_STATES = {0: "recovered", 1: "recovering"}

FIELD_WORDS: Mapping[str, Mapping[int, str]] = {
    **{f"AccessControlEntryRecord.{field}": words for field, words in ACL_WORDS.items()},
    "BrokerRegistrationChangeRecord.fenced": {-1: "unfenced", 0: "no change", 1: "fenced"},
    "BrokerRegistrationChangeRecord.inControlledShutdown": {0: "no change", 1: "in controlled shutdown"},
    "ConfigRecord.resourceType": CONFIG_RESOURCES,
    "PartitionRecord.leaderRecoveryState": _RECOVERY_STATES,
    "PartitionChangeRecord.leaderRecoveryState": {-1: "no change", **_RECOVERY_STATES},
    "RegisterBrokerRecord.endPoints.securityProtocol": SECURITY_PROTOCOLS,
    "RegisterControllerRecord.endPoints.securityProtocol": SECURITY_PROTOCOLS,
    "UserScramCredentialRecord.mechanism": SCRAM_MECHANISMS,
    "RemoveUserScramCredentialRecord.mechanism": SCRAM_MECHANISMS,
}
"""The fields of records that hold such a number."""


def word_for(code: int, words: Mapping[int, str]) -> str:
    """The word for a code; the code itself if there is none."""
    return words.get(code, str(code))
