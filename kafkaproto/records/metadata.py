"""Framing of the metadata log's records: unsigned varints for frame version, record type and record version,
then the message in that version, then nothing (KIP-631)."""

from __future__ import annotations

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.generated.registry import METADATA_RECORDS
from kafkaproto.message import Message
from kafkaproto.messages import message_class
from kafkaproto.primitives import Buffer, read_unsigned_varint, write_unsigned_varint

FRAME_VERSION = 1
"""The only frame version; 0 was the preview in Kafka 2.8, whose record types had other meanings."""

_classes: dict[int, type[Message]] = {}
"""Classes of the record types seen so far, so that each is looked up once."""


def encode_metadata_record(message: Message, version: int) -> bytes:
    """The value of the record that holds this message.

    Raises LocalProtocolError if the message is no metadata record, UnsupportedVersionError or LocalProtocolError
    if it cannot be written at that version.
    """
    if message.TYPE != "metadata" or message.API_KEY is None:
        raise LocalProtocolError(f"{message.NAME} is not a metadata record")
    out = bytearray((FRAME_VERSION,))
    write_unsigned_varint(out, message.API_KEY)
    write_unsigned_varint(out, version)
    message.encode_into(out, version)
    return bytes(out)


def decode_metadata_record(value: Buffer) -> tuple[Message, int]:
    """The message in a record's value, and its version.

    Raises RemoteProtocolError if the frame version, the type or the version is unknown, the message is damaged, or
    bytes follow it. A node that reads such a record cannot know the cluster's state and has to stop.
    """
    try:
        frame_version, type_start = read_unsigned_varint(value, 0)
        record_type, version_start = read_unsigned_varint(value, type_start)
        version, body_start = read_unsigned_varint(value, version_start)
    except RemoteProtocolError as error:
        error.where = "start of a metadata record"
        raise
    if frame_version != FRAME_VERSION:
        raise RemoteProtocolError(
            f"metadata record with frame version {frame_version}, only {FRAME_VERSION} is known", offset=0
        )
    message_type = _classes.get(record_type)
    if message_type is None:
        if record_type not in METADATA_RECORDS:
            raise RemoteProtocolError(f"metadata record type {record_type} is unknown", offset=type_start)
        message_type = _classes[record_type] = message_class(METADATA_RECORDS[record_type])
    if not message_type.MIN_VERSION <= version <= message_type.MAX_VERSION:
        raise RemoteProtocolError(
            f"version {version} is unknown, known are {message_type.MIN_VERSION} to {message_type.MAX_VERSION}",
            where=message_type.NAME,
            offset=version_start,
        )
    message, end = message_type.decode(value, version, body_start)
    # A record that is longer than its message was not written by this version of the schema.
    if end != len(value):
        raise RemoteProtocolError(
            f"{len(value) - end} bytes follow the record", where=message_type.NAME, offset=end
        )
    return message, version
