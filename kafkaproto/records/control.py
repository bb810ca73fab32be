"""Control records: brokers and quorum leaders write them into logs themselves (KIP-98, KIP-595, KIP-630, KIP-853).

The key of each is two int16, version and type. The value is a message whose first two bytes are its version. Only
version 0 of each is written, even if a schema has a later one.
"""

from __future__ import annotations

import enum
from struct import Struct

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.message import Message
from kafkaproto.messages import message_class
from kafkaproto.primitives import Buffer


class ControlRecordType(enum.IntEnum):
    """The type of a control record."""

    ABORT = 0
    """A producer's transaction was aborted; its records do not count."""
    COMMIT = 1
    """A producer's transaction was committed; its records count."""
    LEADER_CHANGE = 2
    """The first record of a new leader in its epoch."""
    SNAPSHOT_HEADER = 3
    """First record of a snapshot."""
    SNAPSHOT_FOOTER = 4
    """Last record of a snapshot."""
    KRAFT_VERSION = 5
    """The new kraft.version, in force from this record on."""
    KRAFT_VOTERS = 6
    """The new set of voters, in force from this record on."""


_MESSAGE_NAMES = {
    ControlRecordType.ABORT: "EndTxnMarker",
    ControlRecordType.COMMIT: "EndTxnMarker",
    ControlRecordType.LEADER_CHANGE: "LeaderChangeMessage",
    ControlRecordType.SNAPSHOT_HEADER: "SnapshotHeaderRecord",
    ControlRecordType.SNAPSHOT_FOOTER: "SnapshotFooterRecord",
    ControlRecordType.KRAFT_VERSION: "KRaftVersionRecord",
    ControlRecordType.KRAFT_VOTERS: "VotersRecord",
}
_VERSION = 0
_KEY = Struct(">hh")
_VALUE_VERSION = Struct(">h")


def encode_control_record(record_type: ControlRecordType, message: Message) -> tuple[bytes, bytes]:
    """Key and value of a control record; raises LocalProtocolError if the message is not one of that type."""
    name = _MESSAGE_NAMES[record_type]
    if name != message.NAME:
        raise LocalProtocolError(f"a control record {record_type.name} holds {name}, not {message.NAME}")
    value = message.encode(_VERSION)
    if not _holds_its_version(record_type):
        value = _VALUE_VERSION.pack(_VERSION) + value
    return _KEY.pack(_VERSION, record_type), value


def decode_control_record(key: Buffer | None, value: Buffer | None) -> tuple[ControlRecordType, Message]:
    """Type and message of a control record.

    Raises RemoteProtocolError if key or value is missing, the type is unknown, or the value is not one message of
    version 0. Byte offsets are counted in key or value, whichever the error is about.
    """
    record_type = _decode_key(key)
    where = f"control record {record_type.name}"
    if value is None or len(value) < _VALUE_VERSION.size:
        raise RemoteProtocolError("there is no value", where=where)
    (version,) = _VALUE_VERSION.unpack_from(value)
    if version != _VERSION:
        raise RemoteProtocolError(f"version {version} is unknown, only 0 is known", where=where, offset=0)
    start = 0 if _holds_its_version(record_type) else _VALUE_VERSION.size
    message: Message
    message, end = message_class(_MESSAGE_NAMES[record_type]).decode(value, _VERSION, start)
    if end != len(value):
        raise RemoteProtocolError(f"{len(value) - end} bytes follow the message", where=where, offset=end)
    return record_type, message


def _decode_key(key: Buffer | None) -> ControlRecordType:
    if key is None or len(key) < _KEY.size:
        raise RemoteProtocolError("the key of a control record has two int16, version and type", offset=0)
    version, number = _KEY.unpack_from(key)
    if version != _VERSION:
        raise RemoteProtocolError(
            f"control record key version {version} is unknown, only 0 is known", offset=0
        )
    try:
        return ControlRecordType(number)
    except ValueError:
        raise RemoteProtocolError(
            f"control record type {number} is unknown, known are 0 to 6", offset=2
        ) from None


def _holds_its_version(record_type: ControlRecordType) -> bool:
    # The schema of EndTxnMarker is older than the convention that the version is a message's first field.
    return record_type > ControlRecordType.COMMIT
