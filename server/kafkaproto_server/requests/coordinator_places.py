"""Where a coordinator lives: in which partition of which internal topic, for a group or a transactional id."""

from __future__ import annotations

from kafkaproto_server.topic_names import GROUPS_TOPIC, SHARE_TOPIC, TRANSACTIONS_TOPIC

TOPIC_OF_KEY_TYPE = {0: GROUPS_TOPIC, 1: TRANSACTIONS_TOPIC, 2: SHARE_TOPIC}
"""The internal topic for each type of key in FindCoordinator."""


def partition_of(key: str, partitions: int) -> int:
    """The partition for a key, as all of Kafka's brokers compute it: by Java's hash of the text's UTF-16 units."""
    value = 0
    for unit in _utf16(key):
        value = (31 * value + unit) & 0xFFFFFFFF
    # Kafka takes the absolute value, and 0 for the one number that has none.
    number = value - 2**32 if value >= 2**31 else value
    return 0 if number == -(2**31) else abs(number) % partitions


def _utf16(text: str) -> memoryview:
    # The order of the bytes is that of this machine, as memoryview wants it.
    data = text.encode("utf-16", "surrogatepass")
    return memoryview(data)[2:].cast("H")
