"""Names of Kafka's numbers: its own constants, as its tools and clients print them; and which numbers are times."""

from __future__ import annotations

from collections.abc import Mapping

Words = Mapping[int, str]

CONFIG_RESOURCES: Words = {2: "TOPIC", 4: "BROKER", 8: "BROKER_LOGGER", 16: "CLIENT_METRICS", 32: "GROUP"}
ACL_WORDS: Mapping[str, Words] = {
    "resourceType": {
        1: "ANY",
        2: "TOPIC",
        3: "GROUP",
        4: "CLUSTER",
        5: "TRANSACTIONAL_ID",
        6: "DELEGATION_TOKEN",
        7: "USER",
    },
    "patternType": {1: "ANY", 2: "MATCH", 3: "LITERAL", 4: "PREFIXED"},
    "operation": {
        1: "ANY",
        2: "ALL",
        3: "READ",
        4: "WRITE",
        5: "CREATE",
        6: "DELETE",
        7: "ALTER",
        8: "DESCRIBE",
        9: "CLUSTER_ACTION",
        10: "DESCRIBE_CONFIGS",
        11: "ALTER_CONFIGS",
        12: "IDEMPOTENT_WRITE",
        13: "CREATE_TOKENS",
        14: "DESCRIBE_TOKENS",
        15: "TWO_PHASE_COMMIT",
    },
    "permissionType": {1: "ANY", 2: "DENY", 3: "ALLOW"},
}
"""By the field of an AccessControlEntryRecord."""
SCRAM_MECHANISMS: Words = {1: "SCRAM-SHA-256", 2: "SCRAM-SHA-512"}
SECURITY_PROTOCOLS: Words = {0: "PLAINTEXT", 1: "SSL", 2: "SASL_PLAINTEXT", 3: "SASL_SSL"}
RECOVERY_STATES: Words = {0: "RECOVERED", 1: "RECOVERING"}

FIELD_WORDS: Mapping[str, Words] = {
    **{f"AccessControlEntryRecord.{field}": words for field, words in ACL_WORDS.items()},
    "BrokerRegistrationChangeRecord.fenced": {-1: "UNFENCE", 0: "NONE", 1: "FENCE"},
    "BrokerRegistrationChangeRecord.inControlledShutdown": {0: "NONE", 1: "IN_CONTROLLED_SHUTDOWN"},
    "ConfigRecord.resourceType": CONFIG_RESOURCES,
    "PartitionRecord.leaderRecoveryState": RECOVERY_STATES,
    "PartitionChangeRecord.leaderRecoveryState": {-1: "NO_CHANGE", **RECOVERY_STATES},
    "RegisterBrokerRecord.endPoints.securityProtocol": SECURITY_PROTOCOLS,
    "RegisterControllerRecord.endPoints.securityProtocol": SECURITY_PROTOCOLS,
    "UserScramCredentialRecord.mechanism": SCRAM_MECHANISMS,
    "RemoveUserScramCredentialRecord.mechanism": SCRAM_MECHANISMS,
}
"""The fields of records that hold such a number; in the tables they hold the word."""

FIELD_TIMES = frozenset(
    f"DelegationTokenRecord.{field}" for field in ("issueTimestamp", "maxTimestamp", "expirationTimestamp")
)
"""The fields of records that are milliseconds since 1970; in the tables they are times."""
LAST_TIME_MS = 253_402_300_799_999
"""The end of the year 9999, the last that Spark and Python can show. A time beyond it is null."""


def word_for(code: int, words: Words) -> str:
    """The word for a code; the code itself if there is none."""
    return words.get(code, str(code))
