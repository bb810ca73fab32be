"""FetchSnapshotRequest: versions 0-1, flexible from 0, api key 59.

Generated from api/FetchSnapshotRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    ELEMENTS_A_STEP,
    EMPTY,
    Budget,
    Buffer,
    Malformed,
    Pieces,
    Steps,
    pack_length,
    pack_string_length,
    read_long_length,
    read_pieces,
    read_string_length,
    read_tag_section,
    read_unknown_tags,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_u = struct.Struct(">16s").unpack_from
_unpack_ii = struct.Struct(">ii").unpack_from
_unpack_iiB = struct.Struct(">iiB").unpack_from
_unpack_qB = struct.Struct(">qB").unpack_from
_unpack_qiB = struct.Struct(">qiB").unpack_from
_pack_ii = struct.Struct(">ii").pack
_pack_iiB = struct.Struct(">iiB").pack
_pack_q = struct.Struct(">q").pack
_pack_qB = struct.Struct(">qB").pack
_pack_qi = struct.Struct(">qi").pack
_pack_qiB = struct.Struct(">qiB").pack


class FetchSnapshotRequestSnapshotId(Struct):
    """SnapshotId of FetchSnapshotRequest."""

    __slots__ = ("end_offset", "epoch", "unknown_tags")

    end_offset: int
    """Exclusive end of the log that the snapshot covers. Versions 0+."""
    epoch: int
    """Epoch of the last record it covers. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        end_offset: int = 0,
        epoch: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.end_offset = end_offset
        self.epoch = epoch
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FetchSnapshotRequestSnapshotId)
            and self.end_offset == other.end_offset
            and self.epoch == other.epoch
            and self.unknown_tags == other.unknown_tags
        )



class FetchSnapshotRequestPartitionSnapshot(Struct):
    """PartitionSnapshot of FetchSnapshotRequest."""

    __slots__ = (
        "partition",
        "current_leader_epoch",
        "_snapshot_id",
        "position",
        "replica_directory_id",
        "unknown_tags",
    )

    partition: int
    """Versions 0+."""
    current_leader_epoch: int
    """Epoch that the sender believes the leader to be in. Versions 0+."""
    _snapshot_id: FetchSnapshotRequestSnapshotId | None
    position: int
    """Byte of the snapshot to begin with. Versions 0+."""
    replica_directory_id: bytes
    """Tells a voter from an observer with the same node id. Versions 1+, tag 0 in 1+, dropped where
    a version lacks it.
    """
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition: int = 0,
        current_leader_epoch: int = 0,
        snapshot_id: FetchSnapshotRequestSnapshotId | None = None,
        position: int = 0,
        replica_directory_id: bytes = ZERO_UUID,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition = partition
        self.current_leader_epoch = current_leader_epoch
        self._snapshot_id = snapshot_id
        self.position = position
        self.replica_directory_id = replica_directory_id
        self.unknown_tags = unknown_tags

    @property
    def snapshot_id(self) -> FetchSnapshotRequestSnapshotId:
        """The snapshot that a Fetch was answered with. Versions 0+."""
        if self._snapshot_id is None:
            self._snapshot_id = FetchSnapshotRequestSnapshotId()
        return self._snapshot_id

    @snapshot_id.setter
    def snapshot_id(self, value: FetchSnapshotRequestSnapshotId) -> None:
        self._snapshot_id = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FetchSnapshotRequestPartitionSnapshot)
            and self.partition == other.partition
            and self.current_leader_epoch == other.current_leader_epoch
            and self.snapshot_id == other.snapshot_id
            and self.position == other.position
            and self.replica_directory_id == other.replica_directory_id
            and self.unknown_tags == other.unknown_tags
        )



class FetchSnapshotRequestTopicSnapshot(Struct):
    """TopicSnapshot of FetchSnapshotRequest."""

    __slots__ = ("name", "partitions", "unknown_tags")

    name: str
    """Versions 0+."""
    partitions: list[FetchSnapshotRequestPartitionSnapshot]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        partitions: list[FetchSnapshotRequestPartitionSnapshot] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FetchSnapshotRequestTopicSnapshot)
            and self.name == other.name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class FetchSnapshotRequest(Message):
    """Request FetchSnapshotRequest."""

    __slots__ = ("cluster_id", "replica_id", "max_bytes", "topics", "unknown_tags")

    NAME: ClassVar[str] = "FetchSnapshotRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 59
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("controller",)
    SnapshotId: TypeAlias = FetchSnapshotRequestSnapshotId
    PartitionSnapshot: TypeAlias = FetchSnapshotRequestPartitionSnapshot
    TopicSnapshot: TypeAlias = FetchSnapshotRequestTopicSnapshot

    cluster_id: str | None
    """If given, must be the receiver's cluster id. Versions 0+, null in 0+, tag 0 in 0+."""
    replica_id: int
    """The node that fetches. Versions 0+."""
    max_bytes: int
    """How much of the snapshot to send at most. Versions 0+."""
    topics: list[FetchSnapshotRequestTopicSnapshot]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        cluster_id: str | None = None,
        replica_id: int = -1,
        max_bytes: int = 2147483647,
        topics: list[FetchSnapshotRequestTopicSnapshot] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.cluster_id = cluster_id
        self.replica_id = replica_id
        self.max_bytes = max_bytes
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FetchSnapshotRequest)
            and self.cluster_id == other.cluster_id
            and self.replica_id == other.replica_id
            and self.max_bytes == other.max_bytes
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[FetchSnapshotRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[FetchSnapshotRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_snapshot_id_v0(buffer: Buffer, position: int) -> tuple[FetchSnapshotRequestSnapshotId, int]:
    message = FetchSnapshotRequestSnapshotId.__new__(FetchSnapshotRequestSnapshotId)
    message.end_offset, message.epoch, tags = _unpack_qiB(buffer, position)
    position += 13
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_partition_snapshot_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchSnapshotRequestPartitionSnapshot], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchSnapshotRequestPartitionSnapshot] = []
    for _ in range(size):
        message = FetchSnapshotRequestPartitionSnapshot.__new__(FetchSnapshotRequestPartitionSnapshot)
        message.partition, message.current_leader_epoch = _unpack_ii(buffer, position)
        position += 8
        message._snapshot_id, position = _read_snapshot_id_v0(buffer, position)
        message.position, tags = _unpack_qB(buffer, position)
        position += 9
        message.replica_directory_id = ZERO_UUID
        message.unknown_tags = None
        if tags:
            sections, end_of_tags = read_tag_section(buffer, position - 1)
            for tag, position, stop in sections:
                if tag in (0,):
                    raise Malformed
                else:
                    if message.unknown_tags is None:
                        message.unknown_tags = {}
                    message.unknown_tags[tag] = bytes(buffer[position:stop])
                    position = stop
                if position != stop:
                    raise Malformed
            position = end_of_tags
        found.append(message)
    return found, position


def _read_many_topic_snapshot_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchSnapshotRequestTopicSnapshot], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchSnapshotRequestTopicSnapshot] = []
    for _ in range(size):
        message = FetchSnapshotRequestTopicSnapshot.__new__(FetchSnapshotRequestTopicSnapshot)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_partition_snapshot_v0(buffer, position, count - 1)
        elif count:
            message.partitions = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_topic_snapshot_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[FetchSnapshotRequestTopicSnapshot], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchSnapshotRequestTopicSnapshot] = []
    for _ in range(size):
        message = FetchSnapshotRequestTopicSnapshot.__new__(FetchSnapshotRequestTopicSnapshot)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "FetchSnapshotRequest.partitions")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_partition_snapshot_v0,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.partitions, position = _read_many_partition_snapshot_v0(buffer, position, count - 1)
                budget.take_tags(message.partitions)
        elif count:
            message.partitions = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[FetchSnapshotRequest, int]:
    message = FetchSnapshotRequest.__new__(FetchSnapshotRequest)
    message.replica_id, message.max_bytes, count = _unpack_iiB(buffer, position)
    position += 9
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_snapshot_v0(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.cluster_id = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                length = buffer[position]
                position += 1
                if length > 127:
                    length, position = read_string_length(buffer, position, length)
                if not length:
                    message.cluster_id = None
                else:
                    end = position + length - 1
                    message.cluster_id = str(buffer[position:end], "utf-8")
                    position = end
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[FetchSnapshotRequest, int]]:
    message = FetchSnapshotRequest.__new__(FetchSnapshotRequest)
    message.replica_id, message.max_bytes, count = _unpack_iiB(buffer, position)
    position += 9
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "FetchSnapshotRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_topic_snapshot_v0(buffer, position, count - 1, budget)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.cluster_id = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                length = buffer[position]
                position += 1
                if length > 127:
                    length, position = read_string_length(buffer, position, length)
                if not length:
                    message.cluster_id = None
                else:
                    end = position + length - 1
                    message.cluster_id = str(buffer[position:end], "utf-8")
                    position = end
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
        budget.take_tags((message,))
    return message, position


def _read_many_partition_snapshot_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchSnapshotRequestPartitionSnapshot], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchSnapshotRequestPartitionSnapshot] = []
    for _ in range(size):
        message = FetchSnapshotRequestPartitionSnapshot.__new__(FetchSnapshotRequestPartitionSnapshot)
        message.partition, message.current_leader_epoch = _unpack_ii(buffer, position)
        position += 8
        message._snapshot_id, position = _read_snapshot_id_v0(buffer, position)
        message.position, tags = _unpack_qB(buffer, position)
        position += 9
        message.replica_directory_id = ZERO_UUID
        message.unknown_tags = None
        if tags:
            sections, end_of_tags = read_tag_section(buffer, position - 1)
            for tag, position, stop in sections:
                if tag == 0:
                    (message.replica_directory_id,) = _unpack_u(buffer, position)
                    position += 16
                else:
                    if message.unknown_tags is None:
                        message.unknown_tags = {}
                    message.unknown_tags[tag] = bytes(buffer[position:stop])
                    position = stop
                if position != stop:
                    raise Malformed
            position = end_of_tags
        found.append(message)
    return found, position


def _read_many_topic_snapshot_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchSnapshotRequestTopicSnapshot], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchSnapshotRequestTopicSnapshot] = []
    for _ in range(size):
        message = FetchSnapshotRequestTopicSnapshot.__new__(FetchSnapshotRequestTopicSnapshot)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_partition_snapshot_v1(buffer, position, count - 1)
        elif count:
            message.partitions = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_topic_snapshot_v1(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[FetchSnapshotRequestTopicSnapshot], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchSnapshotRequestTopicSnapshot] = []
    for _ in range(size):
        message = FetchSnapshotRequestTopicSnapshot.__new__(FetchSnapshotRequestTopicSnapshot)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "FetchSnapshotRequest.partitions")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_partition_snapshot_v1,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.partitions, position = _read_many_partition_snapshot_v1(buffer, position, count - 1)
                budget.take_tags(message.partitions)
        elif count:
            message.partitions = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[FetchSnapshotRequest, int]:
    message = FetchSnapshotRequest.__new__(FetchSnapshotRequest)
    message.replica_id, message.max_bytes, count = _unpack_iiB(buffer, position)
    position += 9
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_snapshot_v1(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.cluster_id = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                length = buffer[position]
                position += 1
                if length > 127:
                    length, position = read_string_length(buffer, position, length)
                if not length:
                    message.cluster_id = None
                else:
                    end = position + length - 1
                    message.cluster_id = str(buffer[position:end], "utf-8")
                    position = end
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[FetchSnapshotRequest, int]]:
    message = FetchSnapshotRequest.__new__(FetchSnapshotRequest)
    message.replica_id, message.max_bytes, count = _unpack_iiB(buffer, position)
    position += 9
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "FetchSnapshotRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_topic_snapshot_v1(buffer, position, count - 1, budget)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.cluster_id = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                length = buffer[position]
                position += 1
                if length > 127:
                    length, position = read_string_length(buffer, position, length)
                if not length:
                    message.cluster_id = None
                else:
                    end = position + length - 1
                    message.cluster_id = str(buffer[position:end], "utf-8")
                    position = end
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
        budget.take_tags((message,))
    return message, position


def _write_snapshot_id_v0(out: Pieces, message: FetchSnapshotRequestSnapshotId) -> None:
    if message.unknown_tags:
        out.append(_pack_qi(message.end_offset, message.epoch))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_qiB(message.end_offset, message.epoch, 0))


def _write_partition_snapshot_v0(out: Pieces, message: FetchSnapshotRequestPartitionSnapshot) -> None:
    snapshot_id = message.snapshot_id
    out.append(_pack_ii(message.partition, message.current_leader_epoch))
    _write_snapshot_id_v0(out, snapshot_id)
    if message.unknown_tags:
        out.append(_pack_q(message.position))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_qB(message.position, 0))


def _write_topic_snapshot_v0(out: Pieces, message: FetchSnapshotRequestTopicSnapshot) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for partitions_item in partitions:
        _write_partition_snapshot_v0(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: FetchSnapshotRequest) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iiB(message.replica_id, message.max_bytes, count))
    else:
        out.append(_pack_ii(message.replica_id, message.max_bytes))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_snapshot_v0(out, topics_item)
    tagged = []
    section: Pieces
    if message.cluster_id is not None:
        section = []
        cluster_id = message.cluster_id
        if cluster_id is None:
            data = b""
            length = 0
        else:
            data = cluster_id.encode()
            length = len(data) + 1
        if length < 128:
            section.append(BYTES[length])
        else:
            section.append(pack_string_length(length))
        section.append(data)
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_partition_snapshot_v1(out: Pieces, message: FetchSnapshotRequestPartitionSnapshot) -> None:
    snapshot_id = message.snapshot_id
    out.append(_pack_ii(message.partition, message.current_leader_epoch))
    _write_snapshot_id_v0(out, snapshot_id)
    out.append(_pack_q(message.position))
    tagged = []
    section: Pieces
    if message.replica_directory_id != ZERO_UUID:
        section = []
        replica_directory_id = message.replica_directory_id
        if len(replica_directory_id) != 16:
            raise Malformed
        section.append(replica_directory_id)
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topic_snapshot_v1(out: Pieces, message: FetchSnapshotRequestTopicSnapshot) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for partitions_item in partitions:
        _write_partition_snapshot_v1(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: FetchSnapshotRequest) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iiB(message.replica_id, message.max_bytes, count))
    else:
        out.append(_pack_ii(message.replica_id, message.max_bytes))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_snapshot_v1(out, topics_item)
    tagged = []
    section: Pieces
    if message.cluster_id is not None:
        section = []
        cluster_id = message.cluster_id
        if cluster_id is None:
            data = b""
            length = 0
        else:
            data = cluster_id.encode()
            length = len(data) + 1
        if length < 128:
            section.append(BYTES[length])
        else:
            section.append(pack_string_length(length))
        section.append(data)
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
    _read_v1,
)

_WRITERS = (
    _write_v0,
    _write_v1,
)

_STEP_READERS = (
    _step_v0,
    _step_v1,
)


@cache
def _schema() -> MessageSchema:
    snapshot_id_struct = StructSchema(
        python_class=FetchSnapshotRequestSnapshotId,
        fields=(
            FieldSchema(
                name="EndOffset",
                attribute="end_offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Epoch",
                attribute="epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    partition_snapshot_struct = StructSchema(
        python_class=FetchSnapshotRequestPartitionSnapshot,
        fields=(
            FieldSchema(
                name="Partition",
                attribute="partition",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="CurrentLeaderEpoch",
                attribute="current_leader_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="SnapshotId",
                attribute="snapshot_id",
                type="SnapshotId",
                struct=snapshot_id_struct,
                versions=(0, 32767),
                default=Default.EMPTY_STRUCT,
            ),
            FieldSchema(
                name="Position",
                attribute="position",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ReplicaDirectoryId",
                attribute="replica_directory_id",
                type="uuid",
                versions=(1, 32767),
                tagged=(1, 32767),
                tag=0,
                default=ZERO_UUID,
                ignorable=True,
            ),
        ),
    )
    topic_snapshot_struct = StructSchema(
        python_class=FetchSnapshotRequestTopicSnapshot,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Partitions",
                attribute="partitions",
                type="PartitionSnapshot",
                struct=partition_snapshot_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    fetch_snapshot_request_struct = StructSchema(
        python_class=FetchSnapshotRequest,
        fields=(
            FieldSchema(
                name="ClusterId",
                attribute="cluster_id",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                tagged=(0, 32767),
                tag=0,
                default=None,
            ),
            FieldSchema(
                name="ReplicaId",
                attribute="replica_id",
                type="int32",
                versions=(0, 32767),
                default=-1,
            ),
            FieldSchema(
                name="MaxBytes",
                attribute="max_bytes",
                type="int32",
                versions=(0, 32767),
                default=2147483647,
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="TopicSnapshot",
                struct=topic_snapshot_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="FetchSnapshotRequest", flexible_from=0, root=fetch_snapshot_request_struct)
