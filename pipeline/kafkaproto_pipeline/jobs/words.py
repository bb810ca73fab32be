"""Names of Kafka's numbers, as its tools print them."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column
from pyspark.sql import functions as F

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


def word(code: Column, words: Mapping[int, str]) -> Column:
    """The word for a code; the code itself if there is none."""
    return F.coalesce(*(F.when(code == number, text) for number, text in words.items()), code.cast("STRING"))
