"""Records of internal topics that are well-formed and make no sense, of every kind.

Other makes of brokers, and clients that may write, put records into these topics. A coordinator has to live with them.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Mapping, Sequence
from typing import Any

from kafkaproto.message import Message
from kafkaproto.messages import ConsumerProtocolAssignment, ConsumerProtocolSubscription, message_class
from kafkaproto.records.coordinator import decode_coordinator_record, encode_coordinator_record
from kafkaproto.schema import FieldSchema, StructSchema, within
from tests.core.coordinators.support.consumers import topic_id

GROUPS = ("g1", "g2", "g3")
MEMBERS = ("m1", "m2", "ghost", "")
INSTANCES = ("i1", "i2", "")
TOPICS = ("a", "b", "gone", "")
PROTOCOLS = ("range", "roundrobin", "")
IDS = (topic_id("a"), topic_id("b"), topic_id("gone"), bytes(16))
LIMITS: Mapping[str, int] = {"int8": 2**7, "int16": 2**15, "int32": 2**31, "int64": 2**63}
SMALL = (0, 1, 2, 3, 5, 1000)
NULL_CHANCE = 0.15
EXTREME_CHANCE = 0.08
METADATA = (
    b"",
    b"\x00",
    b"\x00\x02rubbish",
    struct.pack(">h", 1) + bytes(ConsumerProtocolSubscription(topics=["a", "gone"]).encode(1)),
    struct.pack(">h", 0)
    + bytes(
        ConsumerProtocolAssignment(
            assigned_partitions=[ConsumerProtocolAssignment.TopicPartition(topic="a", partitions=[0, 7])]
        ).encode(0)
    ),
)
STRINGS: Mapping[str, Sequence[str]] = {
    "group": GROUPS,
    "group_id": GROUPS,
    "transactional_id": GROUPS,
    "member_id": MEMBERS,
    "leader": MEMBERS,
    "instance_id": INSTANCES,
    "group_instance_id": INSTANCES,
    "protocol_type": ("consumer", "connect", ""),
    "protocol": PROTOCOLS,
    "name": (*PROTOCOLS, *TOPICS),
    "subtopology_id": ("0", "1", ""),
    "subscribed_topic_regex": ("a.*", "(", ""),
    "regular_expression": ("a.*", "(", ""),
    "server_assignor": ("uniform", "range", "none"),
    "process_id": ("p1", "p2", ""),
}
"""By attribute; other strings are names of topics."""
STATUS: Sequence[int] = (*range(-1, 8), 99)


class Foreign:
    """Makes them from chance."""

    def __init__(self, rng: random.Random, names: Mapping[int, str]) -> None:
        self.rng = rng
        self.names = names

    def record(self) -> tuple[bytes, bytes | None]:
        """Key and value of a record of any kind."""
        name = self.rng.choice(tuple(self.names.values()))
        key_type, value_type = message_class(f"{name}Key"), message_class(f"{name}Value")
        version = self.rng.randint(value_type.MIN_VERSION, value_type.MAX_VERSION)
        key = self._filled(key_type.schema().root, 0)
        value = None if self.rng.random() < NULL_CHANCE else self._filled(value_type.schema().root, version)
        return encode_coordinator_record(key, value, version)

    def decoded(self, data: tuple[bytes, bytes | None]) -> tuple[Message, Message | None]:
        """The same as it is read."""
        found = decode_coordinator_record(self.names, *data)
        return found.key, found.value

    def _filled(self, schema: StructSchema, version: int) -> Any:
        fields = {
            each.attribute: self._value(each, version)
            for each in schema.fields
            if within(version, each.versions)
        }
        return schema.python_class(**fields)

    def _value(self, field: FieldSchema, version: int) -> Any:
        if within(version, field.nullable) and self.rng.random() < NULL_CHANCE:
            return None
        if field.array:
            return [self._one(field, version) for _ in range(self.rng.choice((0, 1, 1, 2, 3)))]
        return self._one(field, version)

    def _one(self, field: FieldSchema, version: int) -> Any:
        if field.struct is not None:
            return self._filled(field.struct, version)
        if field.type == "bytes":
            return self.rng.choice(METADATA)
        if field.type == "string":
            return self.rng.choice(STRINGS.get(field.attribute, TOPICS))
        if field.type == "uuid":
            return self.rng.choice(IDS)
        if field.type == "bool":
            return self.rng.random() < 0.5
        if field.type == "uint16":
            return self.rng.choice((0, 1, 65_535))
        return self._number(field)

    def _number(self, field: FieldSchema) -> int:
        limit: int = LIMITS[field.type]
        if field.attribute == "transaction_status":
            return self.rng.choice(STATUS)
        if self.rng.random() < EXTREME_CHANCE:
            return self.rng.choice((-limit, -2, -1, limit - 1))
        numbers = [each for each in SMALL if each < limit]
        return self.rng.choice(numbers)
