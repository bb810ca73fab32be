"""Where a coordinator lives: in which partition of which internal topic, for a group, a transactional id, or a
partition of a share group."""

from __future__ import annotations

import re
import struct

from kafkaproto.uuids import from_text, to_text
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC, SHARE_TOPIC, TRANSACTIONS_TOPIC

TOPIC_OF_KEY_TYPE = {0: GROUPS_TOPIC, 1: TRANSACTIONS_TOPIC, 2: SHARE_TOPIC}
"""The internal topic for each type of key in FindCoordinator."""
_SHARE_KEY_PARTS = 3
_BLANKS = "".join(map(chr, range(33)))
_LANES = 256
"""Units of a long key that are hashed at once."""
_FACTOR_OF_LANES = pow(31, _LANES, 2**32)
_LANES_MASK = int.from_bytes(b"\xff\xff\xff\xff\0\0\0\0" * _LANES, "little")
_JAVA_INT = re.compile(r"[+-]?\d{1,20}")


def partition_of(key: str, partitions: int) -> int:
    """The partition for a key, as all of Kafka's brokers compute it: by Java's hash of the text's UTF-16 units."""
    value = _java_hash(key)
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


def _java_hash(text: str) -> int:
    data = text.encode("utf-16-le", "surrogatepass")
    units = struct.unpack(f"<{len(data) // 2}H", data) if len(data) <= 2 * _LANES else _in_lanes(data)
    value = 0
    for unit in units:
        value = (31 * value + unit) & 0xFFFFFFFF
    return value


def _in_lanes(data: bytes) -> tuple[int, ...]:
    """Fewer numbers than the UTF-16 units of a long text, with the same hash.

    A text of 32 KiB would take five milliseconds unit by unit, and one request may have hundreds of them. So each unit
    is added to one of many lanes of 64 bits, which are parts of one long integer. None ever needs more bits.
    """
    data = bytes(-len(data) % (2 * _LANES)) + data
    wide = bytearray(4 * len(data))
    wide[0::8], wide[1::8] = data[0::2], data[1::2]
    lanes = 0
    for start in range(0, len(wide), 8 * _LANES):
        lanes *= _FACTOR_OF_LANES
        lanes += int.from_bytes(wide[start : start + 8 * _LANES], "little")
        lanes &= _LANES_MASK
    return struct.unpack(f"<{_LANES}Q", lanes.to_bytes(8 * _LANES, "little"))
