"""RemotePartitionDeleteMetadataRecord: versions 0, flexible from 0, record type 2.

Generated from remote/RemotePartitionDeleteMetadataRecord.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    Buffer,
    Malformed,
    Pieces,
    pack_string_length,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_uiB = struct.Struct(">16siB").unpack_from
_unpack_iqbB = struct.Struct(">iqbB").unpack_from
_pack_ui = struct.Struct(">16si").pack
_pack_uiB = struct.Struct(">16siB").pack
_pack_iqb = struct.Struct(">iqb").pack
_pack_iqbB = struct.Struct(">iqbB").pack


class RemotePartitionDeleteMetadataRecordTopicIdPartitionEntry(Struct):
    """TopicIdPartitionEntry of RemotePartitionDeleteMetadataRecord."""

    __slots__ = ("name", "id", "partition", "unknown_tags")

    name: str
    """Versions 0+."""
    id: bytes
    """Versions 0+."""
    partition: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        id: bytes = ZERO_UUID,
        partition: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.id = id
        self.partition = partition
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RemotePartitionDeleteMetadataRecordTopicIdPartitionEntry)
            and self.name == other.name
            and self.id == other.id
            and self.partition == other.partition
            and self.unknown_tags == other.unknown_tags
        )



class RemotePartitionDeleteMetadataRecord(Message):
    """Metadata RemotePartitionDeleteMetadataRecord."""

    __slots__ = (
        "_topic_id_partition",
        "broker_id",
        "event_timestamp_ms",
        "remote_partition_delete_state",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "RemotePartitionDeleteMetadataRecord"
    TYPE: ClassVar[str] = "metadata"
    API_KEY: ClassVar[int | None] = 2
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    TopicIdPartitionEntry: TypeAlias = RemotePartitionDeleteMetadataRecordTopicIdPartitionEntry

    _topic_id_partition: RemotePartitionDeleteMetadataRecordTopicIdPartitionEntry | None
    broker_id: int
    """Versions 0+."""
    event_timestamp_ms: int
    """Versions 0+."""
    remote_partition_delete_state: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_id_partition: RemotePartitionDeleteMetadataRecordTopicIdPartitionEntry | None = None,
        broker_id: int = 0,
        event_timestamp_ms: int = 0,
        remote_partition_delete_state: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self._topic_id_partition = topic_id_partition
        self.broker_id = broker_id
        self.event_timestamp_ms = event_timestamp_ms
        self.remote_partition_delete_state = remote_partition_delete_state
        self.unknown_tags = unknown_tags

    @property
    def topic_id_partition(self) -> RemotePartitionDeleteMetadataRecordTopicIdPartitionEntry:
        """Versions 0+."""
        if self._topic_id_partition is None:
            self._topic_id_partition = RemotePartitionDeleteMetadataRecordTopicIdPartitionEntry()
        return self._topic_id_partition

    @topic_id_partition.setter
    def topic_id_partition(self, value: RemotePartitionDeleteMetadataRecordTopicIdPartitionEntry) -> None:
        self._topic_id_partition = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RemotePartitionDeleteMetadataRecord)
            and self.topic_id_partition == other.topic_id_partition
            and self.broker_id == other.broker_id
            and self.event_timestamp_ms == other.event_timestamp_ms
            and self.remote_partition_delete_state == other.remote_partition_delete_state
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[RemotePartitionDeleteMetadataRecord, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_topic_id_partition_entry_v0(
    buffer: Buffer,
    position: int,
) -> tuple[RemotePartitionDeleteMetadataRecordTopicIdPartitionEntry, int]:
    message = RemotePartitionDeleteMetadataRecordTopicIdPartitionEntry.__new__(
        RemotePartitionDeleteMetadataRecordTopicIdPartitionEntry,
    )
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.name = str(buffer[position:end], "utf-8")
    position = end
    message.id, message.partition, tags = _unpack_uiB(buffer, position)
    position += 21
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v0(buffer: Buffer, position: int) -> tuple[RemotePartitionDeleteMetadataRecord, int]:
    message = RemotePartitionDeleteMetadataRecord.__new__(RemotePartitionDeleteMetadataRecord)
    message._topic_id_partition, position = _read_topic_id_partition_entry_v0(buffer, position)
    (
        message.broker_id,
        message.event_timestamp_ms,
        message.remote_partition_delete_state,
        tags,
    ) = _unpack_iqbB(buffer, position)
    position += 14
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_topic_id_partition_entry_v0(
    out: Pieces,
    message: RemotePartitionDeleteMetadataRecordTopicIdPartitionEntry,
) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    id = message.id
    if len(id) != 16:
        raise Malformed
    if message.unknown_tags:
        out.append(_pack_ui(id, message.partition))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_uiB(id, message.partition, 0))


def _write_v0(out: Pieces, message: RemotePartitionDeleteMetadataRecord) -> None:
    topic_id_partition = message.topic_id_partition
    _write_topic_id_partition_entry_v0(out, topic_id_partition)
    if message.unknown_tags:
        out.append(_pack_iqb(
            message.broker_id,
            message.event_timestamp_ms,
            message.remote_partition_delete_state,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iqbB(
            message.broker_id,
            message.event_timestamp_ms,
            message.remote_partition_delete_state,
            0,
        ))


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    topic_id_partition_entry_struct = StructSchema(
        python_class=RemotePartitionDeleteMetadataRecordTopicIdPartitionEntry,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Id",
                attribute="id",
                type="uuid",
                versions=(0, 32767),
                default=ZERO_UUID,
            ),
            FieldSchema(
                name="Partition",
                attribute="partition",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    remote_partition_delete_metadata_record_struct = StructSchema(
        python_class=RemotePartitionDeleteMetadataRecord,
        fields=(
            FieldSchema(
                name="TopicIdPartition",
                attribute="topic_id_partition",
                type="TopicIdPartitionEntry",
                struct=topic_id_partition_entry_struct,
                versions=(0, 32767),
                default=Default.EMPTY_STRUCT,
            ),
            FieldSchema(
                name="BrokerId",
                attribute="broker_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="EventTimestampMs",
                attribute="event_timestamp_ms",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="RemotePartitionDeleteState",
                attribute="remote_partition_delete_state",
                type="int8",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(
        name="RemotePartitionDeleteMetadataRecord",
        flexible_from=0,
        root=remote_partition_delete_metadata_record_struct,
    )
