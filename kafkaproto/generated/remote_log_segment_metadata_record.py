"""RemoteLogSegmentMetadataRecord: versions 0, flexible from 0, record type 0.

Generated from remote/RemoteLogSegmentMetadataRecord.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    EMPTY,
    Buffer,
    Malformed,
    Pieces,
    pack_length,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_tag_section,
    read_unknown_tags,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_uB = struct.Struct(">16sB").unpack_from
_unpack_uiB = struct.Struct(">16siB").unpack_from
_unpack_bB = struct.Struct(">bB").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_iqB = struct.Struct(">iqB").unpack_from
_unpack_qqiqqB = struct.Struct(">qqiqqB").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_ui = struct.Struct(">16si").pack
_pack_uiB = struct.Struct(">16siB").pack
_pack_t = struct.Struct(">?").pack
_pack_b = struct.Struct(">b").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_iq = struct.Struct(">iq").pack
_pack_iqB = struct.Struct(">iqB").pack
_pack_qqiqq = struct.Struct(">qqiqq").pack
_pack_qqiqqB = struct.Struct(">qqiqqB").pack


class RemoteLogSegmentMetadataRecordTopicIdPartitionEntry(Struct):
    """TopicIdPartitionEntry of RemoteLogSegmentMetadataRecord."""

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
            isinstance(other, RemoteLogSegmentMetadataRecordTopicIdPartitionEntry)
            and self.name == other.name
            and self.id == other.id
            and self.partition == other.partition
            and self.unknown_tags == other.unknown_tags
        )



class RemoteLogSegmentMetadataRecordRemoteLogSegmentIdEntry(Struct):
    """RemoteLogSegmentIdEntry of RemoteLogSegmentMetadataRecord."""

    __slots__ = ("_topic_id_partition", "id", "unknown_tags")

    _topic_id_partition: RemoteLogSegmentMetadataRecordTopicIdPartitionEntry | None
    id: bytes
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_id_partition: RemoteLogSegmentMetadataRecordTopicIdPartitionEntry | None = None,
        id: bytes = ZERO_UUID,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self._topic_id_partition = topic_id_partition
        self.id = id
        self.unknown_tags = unknown_tags

    @property
    def topic_id_partition(self) -> RemoteLogSegmentMetadataRecordTopicIdPartitionEntry:
        """Versions 0+."""
        if self._topic_id_partition is None:
            self._topic_id_partition = RemoteLogSegmentMetadataRecordTopicIdPartitionEntry()
        return self._topic_id_partition

    @topic_id_partition.setter
    def topic_id_partition(self, value: RemoteLogSegmentMetadataRecordTopicIdPartitionEntry) -> None:
        self._topic_id_partition = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RemoteLogSegmentMetadataRecordRemoteLogSegmentIdEntry)
            and self.topic_id_partition == other.topic_id_partition
            and self.id == other.id
            and self.unknown_tags == other.unknown_tags
        )



class RemoteLogSegmentMetadataRecordSegmentLeaderEpochEntry(Struct):
    """SegmentLeaderEpochEntry of RemoteLogSegmentMetadataRecord."""

    __slots__ = ("leader_epoch", "offset", "unknown_tags")

    leader_epoch: int
    """Versions 0+."""
    offset: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        leader_epoch: int = 0,
        offset: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.leader_epoch = leader_epoch
        self.offset = offset
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RemoteLogSegmentMetadataRecordSegmentLeaderEpochEntry)
            and self.leader_epoch == other.leader_epoch
            and self.offset == other.offset
            and self.unknown_tags == other.unknown_tags
        )



class RemoteLogSegmentMetadataRecord(Message):
    """Metadata RemoteLogSegmentMetadataRecord."""

    __slots__ = (
        "_remote_log_segment_id",
        "start_offset",
        "end_offset",
        "broker_id",
        "max_timestamp_ms",
        "event_timestamp_ms",
        "segment_leader_epochs",
        "segment_size_in_bytes",
        "custom_metadata",
        "remote_log_segment_state",
        "txn_index_empty",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "RemoteLogSegmentMetadataRecord"
    TYPE: ClassVar[str] = "metadata"
    API_KEY: ClassVar[int | None] = 0
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    TopicIdPartitionEntry: TypeAlias = RemoteLogSegmentMetadataRecordTopicIdPartitionEntry
    RemoteLogSegmentIdEntry: TypeAlias = RemoteLogSegmentMetadataRecordRemoteLogSegmentIdEntry
    SegmentLeaderEpochEntry: TypeAlias = RemoteLogSegmentMetadataRecordSegmentLeaderEpochEntry

    _remote_log_segment_id: RemoteLogSegmentMetadataRecordRemoteLogSegmentIdEntry | None
    start_offset: int
    """Versions 0+."""
    end_offset: int
    """Versions 0+."""
    broker_id: int
    """Versions 0+."""
    max_timestamp_ms: int
    """Versions 0+."""
    event_timestamp_ms: int
    """Versions 0+."""
    segment_leader_epochs: list[RemoteLogSegmentMetadataRecordSegmentLeaderEpochEntry]
    """Versions 0+."""
    segment_size_in_bytes: int
    """Versions 0+."""
    custom_metadata: bytes | None
    """Versions 0+, null in 0+."""
    remote_log_segment_state: int
    """Versions 0+."""
    txn_index_empty: bool
    """Versions 0+, tag 0 in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        remote_log_segment_id: RemoteLogSegmentMetadataRecordRemoteLogSegmentIdEntry | None = None,
        start_offset: int = 0,
        end_offset: int = 0,
        broker_id: int = 0,
        max_timestamp_ms: int = 0,
        event_timestamp_ms: int = 0,
        segment_leader_epochs: list[RemoteLogSegmentMetadataRecordSegmentLeaderEpochEntry] = EMPTY,
        segment_size_in_bytes: int = 0,
        custom_metadata: bytes | None = None,
        remote_log_segment_state: int = 0,
        txn_index_empty: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self._remote_log_segment_id = remote_log_segment_id
        self.start_offset = start_offset
        self.end_offset = end_offset
        self.broker_id = broker_id
        self.max_timestamp_ms = max_timestamp_ms
        self.event_timestamp_ms = event_timestamp_ms
        self.segment_leader_epochs = [] if segment_leader_epochs is EMPTY else segment_leader_epochs
        self.segment_size_in_bytes = segment_size_in_bytes
        self.custom_metadata = custom_metadata
        self.remote_log_segment_state = remote_log_segment_state
        self.txn_index_empty = txn_index_empty
        self.unknown_tags = unknown_tags

    @property
    def remote_log_segment_id(self) -> RemoteLogSegmentMetadataRecordRemoteLogSegmentIdEntry:
        """Versions 0+."""
        if self._remote_log_segment_id is None:
            self._remote_log_segment_id = RemoteLogSegmentMetadataRecordRemoteLogSegmentIdEntry()
        return self._remote_log_segment_id

    @remote_log_segment_id.setter
    def remote_log_segment_id(self, value: RemoteLogSegmentMetadataRecordRemoteLogSegmentIdEntry) -> None:
        self._remote_log_segment_id = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RemoteLogSegmentMetadataRecord)
            and self.remote_log_segment_id == other.remote_log_segment_id
            and self.start_offset == other.start_offset
            and self.end_offset == other.end_offset
            and self.broker_id == other.broker_id
            and self.max_timestamp_ms == other.max_timestamp_ms
            and self.event_timestamp_ms == other.event_timestamp_ms
            and self.segment_leader_epochs == other.segment_leader_epochs
            and self.segment_size_in_bytes == other.segment_size_in_bytes
            and self.custom_metadata == other.custom_metadata
            and self.remote_log_segment_state == other.remote_log_segment_state
            and self.txn_index_empty == other.txn_index_empty
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[RemoteLogSegmentMetadataRecord, int]:
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
) -> tuple[RemoteLogSegmentMetadataRecordTopicIdPartitionEntry, int]:
    message = RemoteLogSegmentMetadataRecordTopicIdPartitionEntry.__new__(
        RemoteLogSegmentMetadataRecordTopicIdPartitionEntry,
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
) -> tuple[RemoteLogSegmentMetadataRecordRemoteLogSegmentIdEntry, int]:
    message = RemoteLogSegmentMetadataRecordRemoteLogSegmentIdEntry.__new__(
        RemoteLogSegmentMetadataRecordRemoteLogSegmentIdEntry,
    )
    message._topic_id_partition, position = _read_topic_id_partition_entry_v0(buffer, position)
    message.id, tags = _unpack_uB(buffer, position)
    position += 17
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_segment_leader_epoch_entry_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[RemoteLogSegmentMetadataRecordSegmentLeaderEpochEntry], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[RemoteLogSegmentMetadataRecordSegmentLeaderEpochEntry] = []
    for _ in range(size):
        message = RemoteLogSegmentMetadataRecordSegmentLeaderEpochEntry.__new__(
            RemoteLogSegmentMetadataRecordSegmentLeaderEpochEntry,
        )
        message.leader_epoch, message.offset, tags = _unpack_iqB(buffer, position)
        position += 13
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[RemoteLogSegmentMetadataRecord, int]:
    message = RemoteLogSegmentMetadataRecord.__new__(RemoteLogSegmentMetadataRecord)
    message._remote_log_segment_id, position = _read_remote_log_segment_id_entry_v0(buffer, position)
    (
        message.start_offset,
        message.end_offset,
        message.broker_id,
        message.max_timestamp_ms,
        message.event_timestamp_ms,
        count,
    ) = _unpack_qqiqqB(buffer, position)
    position += 37
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.segment_leader_epochs, position = _read_many_segment_leader_epoch_entry_v0(buffer, position, count - 1)
    elif count:
        message.segment_leader_epochs = []
    else:
        raise Malformed
    message.segment_size_in_bytes, length = _unpack_iB(buffer, position)
    position += 5
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
    message.txn_index_empty = False
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                message.txn_index_empty = buffer[position] != 0
                position += 1
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _write_topic_id_partition_entry_v0(
    out: Pieces,
    message: RemoteLogSegmentMetadataRecordTopicIdPartitionEntry,
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
    message: RemoteLogSegmentMetadataRecordRemoteLogSegmentIdEntry,
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


def _write_segment_leader_epoch_entry_v0(
    out: Pieces,
    message: RemoteLogSegmentMetadataRecordSegmentLeaderEpochEntry,
) -> None:
    if message.unknown_tags:
        out.append(_pack_iq(message.leader_epoch, message.offset))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iqB(message.leader_epoch, message.offset, 0))


def _write_v0(out: Pieces, message: RemoteLogSegmentMetadataRecord) -> None:
    remote_log_segment_id = message.remote_log_segment_id
    _write_remote_log_segment_id_entry_v0(out, remote_log_segment_id)
    segment_leader_epochs = message.segment_leader_epochs
    count = len(segment_leader_epochs) + 1
    if count < 128:
        out.append(_pack_qqiqqB(
            message.start_offset,
            message.end_offset,
            message.broker_id,
            message.max_timestamp_ms,
            message.event_timestamp_ms,
            count,
        ))
    else:
        out.append(_pack_qqiqq(
            message.start_offset,
            message.end_offset,
            message.broker_id,
            message.max_timestamp_ms,
            message.event_timestamp_ms,
        ))
        out.append(pack_length(count))
    for segment_leader_epochs_item in segment_leader_epochs:
        _write_segment_leader_epoch_entry_v0(out, segment_leader_epochs_item)
    custom_metadata = message.custom_metadata
    if custom_metadata is None:
        custom_metadata = b""
        length = 0
    else:
        length = len(custom_metadata) + 1
    if length < 128:
        out.append(_pack_iB(message.segment_size_in_bytes, length))
    else:
        out.append(_pack_i(message.segment_size_in_bytes))
        out.append(pack_length(length))
    out.append(custom_metadata)
    out.append(_pack_b(message.remote_log_segment_state))
    tagged = []
    section: Pieces
    if message.txn_index_empty:
        section = []
        section.append(_pack_t(message.txn_index_empty))
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    topic_id_partition_entry_struct = StructSchema(
        python_class=RemoteLogSegmentMetadataRecordTopicIdPartitionEntry,
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
        python_class=RemoteLogSegmentMetadataRecordRemoteLogSegmentIdEntry,
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
    segment_leader_epoch_entry_struct = StructSchema(
        python_class=RemoteLogSegmentMetadataRecordSegmentLeaderEpochEntry,
        fields=(
            FieldSchema(
                name="LeaderEpoch",
                attribute="leader_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Offset",
                attribute="offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    remote_log_segment_metadata_record_struct = StructSchema(
        python_class=RemoteLogSegmentMetadataRecord,
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
                name="StartOffset",
                attribute="start_offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="EndOffset",
                attribute="end_offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="BrokerId",
                attribute="broker_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="MaxTimestampMs",
                attribute="max_timestamp_ms",
                type="int64",
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
                name="SegmentLeaderEpochs",
                attribute="segment_leader_epochs",
                type="SegmentLeaderEpochEntry",
                struct=segment_leader_epoch_entry_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="SegmentSizeInBytes",
                attribute="segment_size_in_bytes",
                type="int32",
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
            FieldSchema(
                name="TxnIndexEmpty",
                attribute="txn_index_empty",
                type="bool",
                versions=(0, 32767),
                tagged=(0, 32767),
                tag=0,
                default=False,
            ),
        ),
    )
    return MessageSchema(
        name="RemoteLogSegmentMetadataRecord",
        flexible_from=0,
        root=remote_log_segment_metadata_record_struct,
    )
