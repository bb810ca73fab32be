"""FetchSnapshotResponse: versions 0-1, flexible from 0, api key 59.

Generated from api/FetchSnapshotResponse.json by codegen; change the schema, not this file.
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
    Buffers,
    Malformed,
    Pieces,
    Steps,
    pack_length,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_tag_section,
    read_unknown_tags,
    write_tag_section,
)

_unpack_HB = struct.Struct(">HB").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ih = struct.Struct(">ih").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_iiB = struct.Struct(">iiB").unpack_from
_unpack_qiB = struct.Struct(">qiB").unpack_from
_unpack_qqB = struct.Struct(">qqB").unpack_from
_pack_H = struct.Struct(">H").pack
_pack_HB = struct.Struct(">HB").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_ii = struct.Struct(">ii").pack
_pack_iiB = struct.Struct(">iiB").pack
_pack_qi = struct.Struct(">qi").pack
_pack_qiB = struct.Struct(">qiB").pack
_pack_qq = struct.Struct(">qq").pack
_pack_qqB = struct.Struct(">qqB").pack


class FetchSnapshotResponseSnapshotId(Struct):
    """SnapshotId of FetchSnapshotResponse."""

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
            isinstance(other, FetchSnapshotResponseSnapshotId)
            and self.end_offset == other.end_offset
            and self.epoch == other.epoch
            and self.unknown_tags == other.unknown_tags
        )



class FetchSnapshotResponseLeaderIdAndEpoch(Struct):
    """LeaderIdAndEpoch of FetchSnapshotResponse."""

    __slots__ = ("leader_id", "leader_epoch", "unknown_tags")

    leader_id: int
    """Versions 0+."""
    leader_epoch: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        leader_id: int = 0,
        leader_epoch: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FetchSnapshotResponseLeaderIdAndEpoch)
            and self.leader_id == other.leader_id
            and self.leader_epoch == other.leader_epoch
            and self.unknown_tags == other.unknown_tags
        )



class FetchSnapshotResponsePartitionSnapshot(Struct):
    """PartitionSnapshot of FetchSnapshotResponse."""

    __slots__ = (
        "index",
        "error_code",
        "_snapshot_id",
        "_current_leader",
        "size",
        "position",
        "unaligned_records",
        "unknown_tags",
    )

    index: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    _snapshot_id: FetchSnapshotResponseSnapshotId | None
    _current_leader: FetchSnapshotResponseLeaderIdAndEpoch | None
    size: int
    """Bytes of the whole snapshot. Versions 0+."""
    position: int
    """Byte of the snapshot that UnalignedRecords begins with. Versions 0+."""
    unaligned_records: Buffers | None
    """A piece of the snapshot, cut at any byte. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        index: int = 0,
        error_code: int = 0,
        snapshot_id: FetchSnapshotResponseSnapshotId | None = None,
        current_leader: FetchSnapshotResponseLeaderIdAndEpoch | None = None,
        size: int = 0,
        position: int = 0,
        unaligned_records: Buffers | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.index = index
        self.error_code = error_code
        self._snapshot_id = snapshot_id
        self._current_leader = current_leader
        self.size = size
        self.position = position
        self.unaligned_records = unaligned_records
        self.unknown_tags = unknown_tags

    @property
    def snapshot_id(self) -> FetchSnapshotResponseSnapshotId:
        """Versions 0+."""
        if self._snapshot_id is None:
            self._snapshot_id = FetchSnapshotResponseSnapshotId()
        return self._snapshot_id

    @snapshot_id.setter
    def snapshot_id(self, value: FetchSnapshotResponseSnapshotId) -> None:
        self._snapshot_id = value

    @property
    def current_leader(self) -> FetchSnapshotResponseLeaderIdAndEpoch:
        """Set where the sender has to turn to another leader or epoch. Versions 0+, tag 0 in 0+."""
        if self._current_leader is None:
            self._current_leader = FetchSnapshotResponseLeaderIdAndEpoch()
        return self._current_leader

    @current_leader.setter
    def current_leader(self, value: FetchSnapshotResponseLeaderIdAndEpoch) -> None:
        self._current_leader = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FetchSnapshotResponsePartitionSnapshot)
            and self.index == other.index
            and self.error_code == other.error_code
            and self.snapshot_id == other.snapshot_id
            and self.current_leader == other.current_leader
            and self.size == other.size
            and self.position == other.position
            and self.unaligned_records == other.unaligned_records
            and self.unknown_tags == other.unknown_tags
        )



class FetchSnapshotResponseTopicSnapshot(Struct):
    """TopicSnapshot of FetchSnapshotResponse."""

    __slots__ = ("name", "partitions", "unknown_tags")

    name: str
    """Versions 0+."""
    partitions: list[FetchSnapshotResponsePartitionSnapshot]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        partitions: list[FetchSnapshotResponsePartitionSnapshot] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FetchSnapshotResponseTopicSnapshot)
            and self.name == other.name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class FetchSnapshotResponseNodeEndpoint(Struct):
    """NodeEndpoint of FetchSnapshotResponse."""

    __slots__ = ("node_id", "host", "port", "unknown_tags")

    node_id: int
    """Versions 1+."""
    host: str
    """Versions 1+."""
    port: int
    """Versions 1+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FetchSnapshotResponseNodeEndpoint)
            and self.node_id == other.node_id
            and self.host == other.host
            and self.port == other.port
            and self.unknown_tags == other.unknown_tags
        )



class FetchSnapshotResponse(Message):
    """Response FetchSnapshotResponse."""

    __slots__ = ("throttle_time_ms", "error_code", "topics", "node_endpoints", "unknown_tags")

    NAME: ClassVar[str] = "FetchSnapshotResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 59
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    SnapshotId: TypeAlias = FetchSnapshotResponseSnapshotId
    LeaderIdAndEpoch: TypeAlias = FetchSnapshotResponseLeaderIdAndEpoch
    PartitionSnapshot: TypeAlias = FetchSnapshotResponsePartitionSnapshot
    TopicSnapshot: TypeAlias = FetchSnapshotResponseTopicSnapshot
    NodeEndpoint: TypeAlias = FetchSnapshotResponseNodeEndpoint

    throttle_time_ms: int
    """Versions 0+, dropped where a version lacks it."""
    error_code: int
    """Versions 0+."""
    topics: list[FetchSnapshotResponseTopicSnapshot]
    """Versions 0+."""
    node_endpoints: list[FetchSnapshotResponseNodeEndpoint]
    """How the leader is reached, on the listener name over which the request came. Versions 1+, tag
    0 in 1+.
    """
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        topics: list[FetchSnapshotResponseTopicSnapshot] = EMPTY,
        node_endpoints: list[FetchSnapshotResponseNodeEndpoint] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.topics = [] if topics is EMPTY else topics
        self.node_endpoints = [] if node_endpoints is EMPTY else node_endpoints
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FetchSnapshotResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.topics == other.topics
            and self.node_endpoints == other.node_endpoints
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[FetchSnapshotResponse, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    def _step_write(self, out: Pieces, version: int) -> Steps[None] | None:
        write = _STEP_WRITERS[version]
        return None if write is None else write(out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_snapshot_id_v0(buffer: Buffer, position: int) -> tuple[FetchSnapshotResponseSnapshotId, int]:
    message = FetchSnapshotResponseSnapshotId.__new__(FetchSnapshotResponseSnapshotId)
    message.end_offset, message.epoch, tags = _unpack_qiB(buffer, position)
    position += 13
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_leader_id_and_epoch_v0(
    buffer: Buffer,
    position: int,
) -> tuple[FetchSnapshotResponseLeaderIdAndEpoch, int]:
    message = FetchSnapshotResponseLeaderIdAndEpoch.__new__(FetchSnapshotResponseLeaderIdAndEpoch)
    message.leader_id, message.leader_epoch, tags = _unpack_iiB(buffer, position)
    position += 9
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_partition_snapshot_v0(
    buffer: Buffer,
    position: int,
    size: int,
    view: memoryview,
) -> tuple[list[FetchSnapshotResponsePartitionSnapshot], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchSnapshotResponsePartitionSnapshot] = []
    for _ in range(size):
        message = FetchSnapshotResponsePartitionSnapshot.__new__(FetchSnapshotResponsePartitionSnapshot)
        message.index, message.error_code = _unpack_ih(buffer, position)
        position += 6
        message._snapshot_id, position = _read_snapshot_id_v0(buffer, position)
        message.size, message.position, length = _unpack_qqB(buffer, position)
        position += 17
        if length > 127:
            length, position = read_long_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.unaligned_records = view[position:end]
        position = end
        tags = buffer[position]
        position += 1
        message._current_leader = None
        message.unknown_tags = None
        if tags:
            sections, end_of_tags = read_tag_section(buffer, position - 1)
            for tag, position, stop in sections:
                if tag == 0:
                    message._current_leader, position = _read_leader_id_and_epoch_v0(buffer, position)
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
    view: memoryview,
) -> tuple[list[FetchSnapshotResponseTopicSnapshot], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchSnapshotResponseTopicSnapshot] = []
    for _ in range(size):
        message = FetchSnapshotResponseTopicSnapshot.__new__(FetchSnapshotResponseTopicSnapshot)
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
            message.partitions, position = _read_many_partition_snapshot_v0(buffer, position, count - 1, view)
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


def _read_v0(buffer: Buffer, position: int) -> tuple[FetchSnapshotResponse, int]:
    view = memoryview(buffer)
    message = FetchSnapshotResponse.__new__(FetchSnapshotResponse)
    message.throttle_time_ms, message.error_code, count = _unpack_ihB(buffer, position)
    position += 7
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_snapshot_v0(buffer, position, count - 1, view)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.node_endpoints = []
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
    return message, position


def _read_many_node_endpoint_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchSnapshotResponseNodeEndpoint], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchSnapshotResponseNodeEndpoint] = []
    for _ in range(size):
        message = FetchSnapshotResponseNodeEndpoint.__new__(FetchSnapshotResponseNodeEndpoint)
        message.node_id, length = _unpack_iB(buffer, position)
        position += 5
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.host = str(buffer[position:end], "utf-8")
        position = end
        message.port, tags = _unpack_HB(buffer, position)
        position += 3
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[FetchSnapshotResponse, int]:
    view = memoryview(buffer)
    message = FetchSnapshotResponse.__new__(FetchSnapshotResponse)
    message.throttle_time_ms, message.error_code, count = _unpack_ihB(buffer, position)
    position += 7
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_snapshot_v0(buffer, position, count - 1, view)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.node_endpoints = []
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                count = buffer[position]
                position += 1
                if count > 127:
                    count, position = read_long_length(buffer, position, count)
                if count > 1:
                    message.node_endpoints, position = _read_many_node_endpoint_v1(buffer, position, count - 1)
                elif count:
                    message.node_endpoints = []
                else:
                    raise Malformed
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _write_snapshot_id_v0(out: Pieces, message: FetchSnapshotResponseSnapshotId) -> None:
    if message.unknown_tags:
        out.append(_pack_qi(message.end_offset, message.epoch))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_qiB(message.end_offset, message.epoch, 0))


def _write_leader_id_and_epoch_v0(out: Pieces, message: FetchSnapshotResponseLeaderIdAndEpoch) -> None:
    if message.unknown_tags:
        out.append(_pack_ii(message.leader_id, message.leader_epoch))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iiB(message.leader_id, message.leader_epoch, 0))


def _write_partition_snapshot_v0(out: Pieces, message: FetchSnapshotResponsePartitionSnapshot) -> None:
    snapshot_id = message.snapshot_id
    out.append(_pack_ih(message.index, message.error_code))
    _write_snapshot_id_v0(out, snapshot_id)
    unaligned_records = message.unaligned_records
    if unaligned_records is None:
        raise Malformed
    length = (sum(map(len, unaligned_records)) if isinstance(unaligned_records, list) else len(unaligned_records)) + 1
    if length < 128:
        out.append(_pack_qqB(message.size, message.position, length))
    else:
        out.append(_pack_qq(message.size, message.position))
        out.append(pack_length(length))
    if isinstance(unaligned_records, list):
        out.extend(unaligned_records)
    else:
        out.append(unaligned_records)
    tagged = []
    section: Pieces
    current_leader = message._current_leader
    if current_leader is not None and (
        current_leader.leader_id != 0
        or current_leader.leader_epoch != 0
        or current_leader.unknown_tags
    ):
        section = []
        _write_leader_id_and_epoch_v0(section, current_leader)
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topic_snapshot_v0(out: Pieces, message: FetchSnapshotResponseTopicSnapshot) -> None:
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


def _step_write_topic_snapshot_v0(out: Pieces, message: FetchSnapshotResponseTopicSnapshot) -> Steps[None]:
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
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: FetchSnapshotResponse) -> None:
    if len(message.node_endpoints) != 0:
        raise Malformed
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_snapshot_v0(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v0(out: Pieces, message: FetchSnapshotResponse) -> Steps[None]:
    if len(message.node_endpoints) != 0:
        raise Malformed
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_topic_snapshot_v0(out, topics_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_node_endpoint_v1(out: Pieces, message: FetchSnapshotResponseNodeEndpoint) -> None:
    host = message.host
    data = host.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_iB(message.node_id, length))
    else:
        out.append(_pack_i(message.node_id))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_H(message.port))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_HB(message.port, 0))


def _write_v1(out: Pieces, message: FetchSnapshotResponse) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_snapshot_v0(out, topics_item)
    tagged = []
    section: Pieces
    if len(message.node_endpoints) != 0:
        section = []
        node_endpoints = message.node_endpoints
        count = len(node_endpoints) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        for node_endpoints_item in node_endpoints:
            _write_node_endpoint_v1(section, node_endpoints_item)
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v1(out: Pieces, message: FetchSnapshotResponse) -> Steps[None]:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_topic_snapshot_v0(out, topics_item)
        yield
    tagged = []
    section: Pieces
    if len(message.node_endpoints) != 0:
        section = []
        node_endpoints = message.node_endpoints
        count = len(node_endpoints) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        for node_endpoints_item in node_endpoints:
            _write_node_endpoint_v1(section, node_endpoints_item)
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

_STEP_WRITERS = (
    _step_write_v0,
    _step_write_v1,
)


@cache
def _schema() -> MessageSchema:
    snapshot_id_struct = StructSchema(
        python_class=FetchSnapshotResponseSnapshotId,
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
    leader_id_and_epoch_struct = StructSchema(
        python_class=FetchSnapshotResponseLeaderIdAndEpoch,
        fields=(
            FieldSchema(
                name="LeaderId",
                attribute="leader_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LeaderEpoch",
                attribute="leader_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    partition_snapshot_struct = StructSchema(
        python_class=FetchSnapshotResponsePartitionSnapshot,
        fields=(
            FieldSchema(
                name="Index",
                attribute="index",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
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
                name="CurrentLeader",
                attribute="current_leader",
                type="LeaderIdAndEpoch",
                struct=leader_id_and_epoch_struct,
                versions=(0, 32767),
                tagged=(0, 32767),
                tag=0,
                default=Default.EMPTY_STRUCT,
            ),
            FieldSchema(
                name="Size",
                attribute="size",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Position",
                attribute="position",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="UnalignedRecords",
                attribute="unaligned_records",
                type="records",
                versions=(0, 32767),
                default=None,
            ),
        ),
    )
    topic_snapshot_struct = StructSchema(
        python_class=FetchSnapshotResponseTopicSnapshot,
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
    node_endpoint_struct = StructSchema(
        python_class=FetchSnapshotResponseNodeEndpoint,
        fields=(
            FieldSchema(
                name="NodeId",
                attribute="node_id",
                type="int32",
                versions=(1, 32767),
                default=0,
            ),
            FieldSchema(
                name="Host",
                attribute="host",
                type="string",
                versions=(1, 32767),
                default="",
            ),
            FieldSchema(
                name="Port",
                attribute="port",
                type="uint16",
                versions=(1, 32767),
                default=0,
            ),
        ),
    )
    fetch_snapshot_response_struct = StructSchema(
        python_class=FetchSnapshotResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
                ignorable=True,
            ),
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
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
            FieldSchema(
                name="NodeEndpoints",
                attribute="node_endpoints",
                type="NodeEndpoint",
                struct=node_endpoint_struct,
                array=True,
                versions=(1, 32767),
                tagged=(1, 32767),
                tag=0,
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="FetchSnapshotResponse", flexible_from=0, root=fetch_snapshot_response_struct)
