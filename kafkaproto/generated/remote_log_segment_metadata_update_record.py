"""RemoteLogSegmentMetadataUpdateRecord: versions 0, flexible from 0, record type 1.

Generated from remote/RemoteLogSegmentMetadataUpdateRecord.json by codegen; change the schema, not this file.
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
    pack_length,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_uB = struct.Struct(">16sB").unpack_from
_unpack_uiB = struct.Struct(">16siB").unpack_from
_unpack_bB = struct.Struct(">bB").unpack_from
_unpack_iqB = struct.Struct(">iqB").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_ui = struct.Struct(">16si").pack
_pack_uiB = struct.Struct(">16siB").pack
_pack_b = struct.Struct(">b").pack
_pack_bB = struct.Struct(">bB").pack
_pack_iq = struct.Struct(">iq").pack
_pack_iqB = struct.Struct(">iqB").pack


class RemoteLogSegmentMetadataUpdateRecordTopicIdPartitionEntry(Struct):
    """TopicIdPartitionEntry of RemoteLogSegmentMetadataUpdateRecord."""

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
            isinstance(other, RemoteLogSegmentMetadataUpdateRecordTopicIdPartitionEntry)
            and self.name == other.name
            and self.id == other.id
            and self.partition == other.partition
            and self.unknown_tags == other.unknown_tags
        )



class RemoteLogSegmentMetadataUpdateRecordRemoteLogSegmentIdEntry(Struct):
    """RemoteLogSegmentIdEntry of RemoteLogSegmentMetadataUpdateRecord."""

    __slots__ = ("_topic_id_partition", "id", "unknown_tags")

    _topic_id_partition: RemoteLogSegmentMetadataUpdateRecordTopicIdPartitionEntry | None
    id: bytes
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_id_partition: RemoteLogSegmentMetadataUpdateRecordTopicIdPartitionEntry | None = None,
        id: bytes = ZERO_UUID,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self._topic_id_partition = topic_id_partition
        self.id = id
        self.unknown_tags = unknown_tags

    @property
    def topic_id_partition(self) -> RemoteLogSegmentMetadataUpdateRecordTopicIdPartitionEntry:
        """Versions 0+."""
        if self._topic_id_partition is None:
            self._topic_id_partition = RemoteLogSegmentMetadataUpdateRecordTopicIdPartitionEntry()
        return self._topic_id_partition

    @topic_id_partition.setter
    def topic_id_partition(self, value: RemoteLogSegmentMetadataUpdateRecordTopicIdPartitionEntry) -> None:
        self._topic_id_partition = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RemoteLogSegmentMetadataUpdateRecordRemoteLogSegmentIdEntry)
            and self.topic_id_partition == other.topic_id_partition
            and self.id == other.id
            and self.unknown_tags == other.unknown_tags
        )



class RemoteLogSegmentMetadataUpdateRecord(Message):
    """Metadata RemoteLogSegmentMetadataUpdateRecord."""

    __slots__ = (
        "_remote_log_segment_id",
        "broker_id",
        "event_timestamp_ms",
        "custom_metadata",
        "remote_log_segment_state",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "RemoteLogSegmentMetadataUpdateRecord"
    TYPE: ClassVar[str] = "metadata"
    API_KEY: ClassVar[int | None] = 1
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    TopicIdPartitionEntry: TypeAlias = RemoteLogSegmentMetadataUpdateRecordTopicIdPartitionEntry
    RemoteLogSegmentIdEntry: TypeAlias = RemoteLogSegmentMetadataUpdateRecordRemoteLogSegmentIdEntry

    _remote_log_segment_id: RemoteLogSegmentMetadataUpdateRecordRemoteLogSegmentIdEntry | None
    broker_id: int
    """Versions 0+."""
    event_timestamp_ms: int
    """Versions 0+."""
    custom_metadata: bytes | None
    """Versions 0+, null in 0+."""
    remote_log_segment_state: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        remote_log_segment_id: RemoteLogSegmentMetadataUpdateRecordRemoteLogSegmentIdEntry | None = None,
        broker_id: int = 0,
        event_timestamp_ms: int = 0,
        custom_metadata: bytes | None = None,
        remote_log_segment_state: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self._remote_log_segment_id = remote_log_segment_id
        self.broker_id = broker_id
        self.event_timestamp_ms = event_timestamp_ms
        self.custom_metadata = custom_metadata
        self.remote_log_segment_state = remote_log_segment_state
        self.unknown_tags = unknown_tags

    @property
    def remote_log_segment_id(self) -> RemoteLogSegmentMetadataUpdateRecordRemoteLogSegmentIdEntry:
        """Versions 0+."""
        if self._remote_log_segment_id is None:
            self._remote_log_segment_id = RemoteLogSegmentMetadataUpdateRecordRemoteLogSegmentIdEntry()
        return self._remote_log_segment_id

    @remote_log_segment_id.setter
    def remote_log_segment_id(self, value: RemoteLogSegmentMetadataUpdateRecordRemoteLogSegmentIdEntry) -> None:
        self._remote_log_segment_id = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RemoteLogSegmentMetadataUpdateRecord)
            and self.remote_log_segment_id == other.remote_log_segment_id
            and self.broker_id == other.broker_id
            and self.event_timestamp_ms == other.event_timestamp_ms
            and self.custom_metadata == other.custom_metadata
            and self.remote_log_segment_state == other.remote_log_segment_state
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(
        buffer: Buffer,
        position: int,
        version: int,
    ) -> tuple[RemoteLogSegmentMetadataUpdateRecord, int]:
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
) -> tuple[RemoteLogSegmentMetadataUpdateRecordTopicIdPartitionEntry, int]:
    message = RemoteLogSegmentMetadataUpdateRecordTopicIdPartitionEntry.__new__(
        RemoteLogSegmentMetadataUpdateRecordTopicIdPartitionEntry,
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


def _read_remote_log_segment_id_entry_v0(
    buffer: Buffer,
    position: int,
) -> tuple[RemoteLogSegmentMetadataUpdateRecordRemoteLogSegmentIdEntry, int]:
    message = RemoteLogSegmentMetadataUpdateRecordRemoteLogSegmentIdEntry.__new__(
        RemoteLogSegmentMetadataUpdateRecordRemoteLogSegmentIdEntry,
    )
    message._topic_id_partition, position = _read_topic_id_partition_entry_v0(buffer, position)
    message.id, tags = _unpack_uB(buffer, position)
    position += 17
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v0(buffer: Buffer, position: int) -> tuple[RemoteLogSegmentMetadataUpdateRecord, int]:
    message = RemoteLogSegmentMetadataUpdateRecord.__new__(RemoteLogSegmentMetadataUpdateRecord)
    message._remote_log_segment_id, position = _read_remote_log_segment_id_entry_v0(buffer, position)
    message.broker_id, message.event_timestamp_ms, length = _unpack_iqB(buffer, position)
    position += 13
    if length > 127:
        length, position = read_long_length(buffer, position, length)
    if not length:
        message.custom_metadata = None
    else:
        end = position + length - 1
        message.custom_metadata = bytes(buffer[position:end])
        position = end
    message.remote_log_segment_state, tags = _unpack_bB(buffer, position)
    position += 2
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_topic_id_partition_entry_v0(
    out: Pieces,
    message: RemoteLogSegmentMetadataUpdateRecordTopicIdPartitionEntry,
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


def _write_remote_log_segment_id_entry_v0(
    out: Pieces,
    message: RemoteLogSegmentMetadataUpdateRecordRemoteLogSegmentIdEntry,
) -> None:
    topic_id_partition = message.topic_id_partition
    _write_topic_id_partition_entry_v0(out, topic_id_partition)
    id = message.id
    if len(id) != 16:
        raise Malformed
    if message.unknown_tags:
        out.append(id)
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_uB(id, 0))


def _write_v0(out: Pieces, message: RemoteLogSegmentMetadataUpdateRecord) -> None:
    remote_log_segment_id = message.remote_log_segment_id
    _write_remote_log_segment_id_entry_v0(out, remote_log_segment_id)
    custom_metadata = message.custom_metadata
    if custom_metadata is None:
        custom_metadata = b""
        length = 0
    else:
        length = len(custom_metadata) + 1
    if length < 128:
        out.append(_pack_iqB(message.broker_id, message.event_timestamp_ms, length))
    else:
        out.append(_pack_iq(message.broker_id, message.event_timestamp_ms))
        out.append(pack_length(length))
    out.append(custom_metadata)
    if message.unknown_tags:
        out.append(_pack_b(message.remote_log_segment_state))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_bB(message.remote_log_segment_state, 0))


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    topic_id_partition_entry_struct = StructSchema(
        python_class=RemoteLogSegmentMetadataUpdateRecordTopicIdPartitionEntry,
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
    remote_log_segment_id_entry_struct = StructSchema(
        python_class=RemoteLogSegmentMetadataUpdateRecordRemoteLogSegmentIdEntry,
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
                name="Id",
                attribute="id",
                type="uuid",
                versions=(0, 32767),
                default=ZERO_UUID,
            ),
        ),
    )
    remote_log_segment_metadata_update_record_struct = StructSchema(
        python_class=RemoteLogSegmentMetadataUpdateRecord,
        fields=(
            FieldSchema(
                name="RemoteLogSegmentId",
                attribute="remote_log_segment_id",
                type="RemoteLogSegmentIdEntry",
                struct=remote_log_segment_id_entry_struct,
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
                name="CustomMetadata",
                attribute="custom_metadata",
                type="bytes",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="RemoteLogSegmentState",
                attribute="remote_log_segment_state",
                type="int8",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(
        name="RemoteLogSegmentMetadataUpdateRecord",
        flexible_from=0,
        root=remote_log_segment_metadata_update_record_struct,
    )
