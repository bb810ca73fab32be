"""Framing of the records that coordinators keep in ``__consumer_offsets``, ``__transaction_state`` and
``__share_group_state``.

A key is an int16, the type of the record, and the key message in version 0. A value is an int16, its version, and the
value message. A record without a value says that what its key names is no more.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from functools import cache
from typing import Final

import msgspec

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.message import Message
from kafkaproto.messages import message_class
from kafkaproto.primitives import Buffer

GROUP_RECORDS: Final[Mapping[int, str]] = {
    0: "LegacyOffsetCommit",
    1: "OffsetCommit",
    2: "GroupMetadata",
    3: "ConsumerGroupMetadata",
    4: "ConsumerGroupPartitionMetadata",
    5: "ConsumerGroupMemberMetadata",
    6: "ConsumerGroupTargetAssignmentMetadata",
    7: "ConsumerGroupTargetAssignmentMember",
    8: "ConsumerGroupCurrentMemberAssignment",
    10: "ShareGroupMemberMetadata",
    11: "ShareGroupMetadata",
    12: "ShareGroupTargetAssignmentMetadata",
    13: "ShareGroupTargetAssignmentMember",
    14: "ShareGroupCurrentMemberAssignment",
    15: "ShareGroupStatePartitionMetadata",
    16: "ConsumerGroupRegularExpression",
    17: "StreamsGroupMetadata",
    19: "StreamsGroupMemberMetadata",
    20: "StreamsGroupTargetAssignmentMetadata",
    21: "StreamsGroupTargetAssignmentMember",
    22: "StreamsGroupCurrentMemberAssignment",
    23: "StreamsGroupTopology",
}
"""The types of records in ``__consumer_offsets``: a key and a value message have these names, with Key and Value."""
TRANSACTION_RECORDS: Final[Mapping[int, str]] = {0: "TransactionLog"}
"""The same of ``__transaction_state``."""
SHARE_RECORDS: Final[Mapping[int, str]] = {0: "ShareSnapshot", 1: "ShareUpdate"}
"""The same of ``__share_group_state``."""
_int16 = struct.Struct(">h")


class UnknownRecordTypeError(RemoteProtocolError):
    """A record's type is not known: a later release may have written it. Kafka passes over such records."""


class CoordinatorRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One record, decoded."""

    key: Message
    value: Message | None
    """None if what the key names is no more."""


@cache
def _classes(name: str) -> tuple[type[Message], type[Message]]:
    return message_class(f"{name}Key"), message_class(f"{name}Value")


def encode_coordinator_record(
    key: Message, value: Message | None, version: int
) -> tuple[bytes, bytes | None]:
    """Key and value of the record; ``version`` is that of the value.

    Raises LocalProtocolError if the messages are not those of one type of record; UnsupportedVersionError.
    """
    if key.TYPE != "coordinator-key" or key.API_KEY is None:
        raise LocalProtocolError(f"{key.NAME} is no key of a coordinator's record")
    data = _int16.pack(key.API_KEY) + key.encode(0)
    if value is None:
        return data, None
    if value.NAME.removesuffix("Value") != key.NAME.removesuffix("Key"):
        raise LocalProtocolError(f"{value.NAME} is not the value of {key.NAME}")
    return data, _int16.pack(version) + value.encode(version)


def decode_coordinator_record(
    names: Mapping[int, str], key: Buffer, value: Buffer | None
) -> CoordinatorRecord:
    """The messages of a record of a topic whose types are ``names``.

    Raises UnknownRecordTypeError, and RemoteProtocolError if the key or the value is damaged or has an unknown version.
    """
    kind = _read_int16(key, "key")
    name = names.get(kind)
    if name is None:
        raise UnknownRecordTypeError(f"record type {kind} is unknown", offset=0)
    key_class, value_class = _classes(name)
    found = None
    if value is not None:
        version = _read_int16(value, f"value of {name}")
        found = _decode_whole(value_class, value, version)
    return CoordinatorRecord(key=_decode_whole(key_class, key, 0), value=found)


def _read_int16(data: Buffer, what: str) -> int:
    if len(data) < _int16.size:
        raise RemoteProtocolError(f"the {what} has {len(data)} bytes", offset=0)
    found: int = _int16.unpack_from(data)[0]
    return found


def _decode_whole(message_type: type[Message], data: Buffer, version: int) -> Message:
    if not message_type.MIN_VERSION <= version <= message_type.MAX_VERSION:
        raise RemoteProtocolError(
            f"version {version} is unknown, known are {message_type.MIN_VERSION} to {message_type.MAX_VERSION}",
            where=message_type.NAME,
            offset=0,
        )
    message, end = message_type.decode(data, version, _int16.size)
    if end != len(data):
        raise RemoteProtocolError(
            f"{len(data) - end} bytes follow the message", where=message_type.NAME, offset=end
        )
    return message
