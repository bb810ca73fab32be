"""Where a coordinator lives: in which partition of which internal topic, for a group, a transactional id, or a
partition of a share group."""

from __future__ import annotations

import re

from kafkaproto.uuids import from_text, to_text
from kafkaproto_server.topic_names import GROUPS_TOPIC, SHARE_TOPIC, TRANSACTIONS_TOPIC

TOPIC_OF_KEY_TYPE = {0: GROUPS_TOPIC, 1: TRANSACTIONS_TOPIC, 2: SHARE_TOPIC}
"""The internal topic for each type of key in FindCoordinator."""
_SHARE_KEY_PARTS = 3
_BLANKS = "".join(map(chr, range(33)))
_JAVA_INT = re.compile(r"[+-]?\d{1,20}")


def partition_of(key: str, partitions: int) -> int:
    """The partition for a key, as all of Kafka's brokers compute it: by Java's hash of the text's UTF-16 units."""
    value = 0
    for unit in _utf16(key):
        value = (31 * value + unit) & 0xFFFFFFFF
    # Kafka takes the absolute value, and 0 for the one number that has none.
    number = value - 2**32 if value >= 2**31 else value
    return 0 if number == -(2**31) else abs(number) % partitions


def share_key(group_id: str, topic_id: bytes, partition: int) -> str:
    """The key of a share group's partition."""
    return f"{group_id}:{to_text(topic_id)}:{partition}"


def parsed_share_key(key: str) -> str:
    """The key as `share_key` would write it: clients may write the partition in other ways. The group may have colons.

    Raises ValueError if it is none.
    """
    # As Java splits a text, without what is empty at its end.
    parts = key.rstrip(":").split(":")
    if len(parts) < _SHARE_KEY_PARTS:
        raise ValueError("a share group's partition has a group, a topic id and an index")
    group_id = ":".join(parts[:-2])
    # Java's trim takes control characters, too.
    if not group_id.strip(_BLANKS):
        raise ValueError("the group is empty")
    if _JAVA_INT.fullmatch(parts[-1]) is None or not -(2**31) <= int(parts[-1]) < 2**31:
        raise ValueError("the partition is no number")
    return share_key(group_id, from_text(parts[-2]), int(parts[-1]))


def _utf16(text: str) -> memoryview:
    # The order of the bytes is that of this machine, as memoryview wants it.
    data = text.encode("utf-16", "surrogatepass")
    return memoryview(data)[2:].cast("H")
