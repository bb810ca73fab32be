"""OffsetForLeaderEpochRequest: versions 2-4, flexible from 4, api key 23.

Generated from api/OffsetForLeaderEpochRequest.json by codegen; change the schema, not this file.
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
    read_unknown_tags,
    write_tag_section,
)

_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ii = struct.Struct(">ii").unpack_from
_unpack_iii = struct.Struct(">iii").unpack_from
_unpack_iiiB = struct.Struct(">iiiB").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ii = struct.Struct(">ii").pack
_pack_iii = struct.Struct(">iii").pack
_pack_iiiB = struct.Struct(">iiiB").pack


class OffsetForLeaderEpochRequestOffsetForLeaderPartition(Struct):
    """OffsetForLeaderPartition of OffsetForLeaderEpochRequest."""

    __slots__ = ("partition", "current_leader_epoch", "leader_epoch", "unknown_tags")

    partition: int
    """Versions 0+."""
    current_leader_epoch: int
    """Versions 2+, dropped where a version lacks it."""
    leader_epoch: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition: int = 0,
        current_leader_epoch: int = -1,
        leader_epoch: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition = partition
        self.current_leader_epoch = current_leader_epoch
        self.leader_epoch = leader_epoch
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetForLeaderEpochRequestOffsetForLeaderPartition)
            and self.partition == other.partition
            and self.current_leader_epoch == other.current_leader_epoch
            and self.leader_epoch == other.leader_epoch
            and self.unknown_tags == other.unknown_tags
        )



class OffsetForLeaderEpochRequestOffsetForLeaderTopic(Struct):
    """OffsetForLeaderTopic of OffsetForLeaderEpochRequest."""

    __slots__ = ("topic", "partitions", "unknown_tags")

    topic: str
    """Versions 0+."""
    partitions: list[OffsetForLeaderEpochRequestOffsetForLeaderPartition]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic: str = "",
        partitions: list[OffsetForLeaderEpochRequestOffsetForLeaderPartition] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic = topic
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetForLeaderEpochRequestOffsetForLeaderTopic)
            and self.topic == other.topic
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class OffsetForLeaderEpochRequest(Message):
    """Request OffsetForLeaderEpochRequest."""

    __slots__ = ("replica_id", "topics", "unknown_tags")

    NAME: ClassVar[str] = "OffsetForLeaderEpochRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 23
    MIN_VERSION: ClassVar[int] = 2
    MAX_VERSION: ClassVar[int] = 4
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    OffsetForLeaderPartition: TypeAlias = OffsetForLeaderEpochRequestOffsetForLeaderPartition
    OffsetForLeaderTopic: TypeAlias = OffsetForLeaderEpochRequestOffsetForLeaderTopic

    replica_id: int
    """Versions 3+, dropped where a version lacks it."""
    topics: list[OffsetForLeaderEpochRequestOffsetForLeaderTopic]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        replica_id: int = -2,
        topics: list[OffsetForLeaderEpochRequestOffsetForLeaderTopic] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.replica_id = replica_id
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetForLeaderEpochRequest)
            and self.replica_id == other.replica_id
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[OffsetForLeaderEpochRequest, int]:
        return _READERS[version - 2](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 2](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[OffsetForLeaderEpochRequest, int]] | None:
        read = _STEP_READERS[version - 2]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_offset_for_leader_partition_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetForLeaderEpochRequestOffsetForLeaderPartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetForLeaderEpochRequestOffsetForLeaderPartition] = []
    for _ in range(size):
        message = OffsetForLeaderEpochRequestOffsetForLeaderPartition.__new__(
            OffsetForLeaderEpochRequestOffsetForLeaderPartition,
        )
        message.partition, message.current_leader_epoch, message.leader_epoch = _unpack_iii(buffer, position)
        position += 12
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_offset_for_leader_topic_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetForLeaderEpochRequestOffsetForLeaderTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetForLeaderEpochRequestOffsetForLeaderTopic] = []
    for _ in range(size):
        message = OffsetForLeaderEpochRequestOffsetForLeaderTopic.__new__(
            OffsetForLeaderEpochRequestOffsetForLeaderTopic,
        )
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.topic = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.partitions, position = _read_many_offset_for_leader_partition_v2(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_offset_for_leader_topic_v2(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[OffsetForLeaderEpochRequestOffsetForLeaderTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetForLeaderEpochRequestOffsetForLeaderTopic] = []
    for _ in range(size):
        message = OffsetForLeaderEpochRequestOffsetForLeaderTopic.__new__(
            OffsetForLeaderEpochRequestOffsetForLeaderTopic,
        )
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.topic = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "OffsetForLeaderEpochRequest.partitions")
        if count > 0:
            if count > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_offset_for_leader_partition_v2,
                    buffer,
                    position,
                    count,
                    budget,
                )
            else:
                message.partitions, position = _read_many_offset_for_leader_partition_v2(buffer, position, count)
                budget.take_tags(message.partitions)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_v2(buffer: Buffer, position: int) -> tuple[OffsetForLeaderEpochRequest, int]:
    message = OffsetForLeaderEpochRequest.__new__(OffsetForLeaderEpochRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.topics, position = _read_many_offset_for_leader_topic_v2(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.replica_id = -2
    message.unknown_tags = None
    return message, position


def _step_v2(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[OffsetForLeaderEpochRequest, int]]:
    message = OffsetForLeaderEpochRequest.__new__(OffsetForLeaderEpochRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "OffsetForLeaderEpochRequest.topics")
    if count > 0:
        message.topics, position = yield from _step_many_offset_for_leader_topic_v2(buffer, position, count, budget)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.replica_id = -2
    message.unknown_tags = None
    return message, position


def _read_v3(buffer: Buffer, position: int) -> tuple[OffsetForLeaderEpochRequest, int]:
    message = OffsetForLeaderEpochRequest.__new__(OffsetForLeaderEpochRequest)
    message.replica_id, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.topics, position = _read_many_offset_for_leader_topic_v2(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _step_v3(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[OffsetForLeaderEpochRequest, int]]:
    message = OffsetForLeaderEpochRequest.__new__(OffsetForLeaderEpochRequest)
    message.replica_id, count = _unpack_ii(buffer, position)
    position += 8
    budget.take(count, "OffsetForLeaderEpochRequest.topics")
    if count > 0:
        message.topics, position = yield from _step_many_offset_for_leader_topic_v2(buffer, position, count, budget)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_offset_for_leader_partition_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetForLeaderEpochRequestOffsetForLeaderPartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetForLeaderEpochRequestOffsetForLeaderPartition] = []
    for _ in range(size):
        message = OffsetForLeaderEpochRequestOffsetForLeaderPartition.__new__(
            OffsetForLeaderEpochRequestOffsetForLeaderPartition,
        )
        (
            message.partition,
            message.current_leader_epoch,
            message.leader_epoch,
            tags,
        ) = _unpack_iiiB(buffer, position)
        position += 13
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_offset_for_leader_topic_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetForLeaderEpochRequestOffsetForLeaderTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetForLeaderEpochRequestOffsetForLeaderTopic] = []
    for _ in range(size):
        message = OffsetForLeaderEpochRequestOffsetForLeaderTopic.__new__(
            OffsetForLeaderEpochRequestOffsetForLeaderTopic,
        )
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.topic = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_offset_for_leader_partition_v4(buffer, position, count - 1)
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


def _step_many_offset_for_leader_topic_v4(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[OffsetForLeaderEpochRequestOffsetForLeaderTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetForLeaderEpochRequestOffsetForLeaderTopic] = []
    for _ in range(size):
        message = OffsetForLeaderEpochRequestOffsetForLeaderTopic.__new__(
            OffsetForLeaderEpochRequestOffsetForLeaderTopic,
        )
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.topic = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "OffsetForLeaderEpochRequest.partitions")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_offset_for_leader_partition_v4,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.partitions, position = _read_many_offset_for_leader_partition_v4(buffer, position, count - 1)
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


def _read_v4(buffer: Buffer, position: int) -> tuple[OffsetForLeaderEpochRequest, int]:
    message = OffsetForLeaderEpochRequest.__new__(OffsetForLeaderEpochRequest)
    message.replica_id, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_offset_for_leader_topic_v4(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v4(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[OffsetForLeaderEpochRequest, int]]:
    message = OffsetForLeaderEpochRequest.__new__(OffsetForLeaderEpochRequest)
    message.replica_id, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "OffsetForLeaderEpochRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_offset_for_leader_topic_v4(buffer, position, count - 1, budget)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_offset_for_leader_partition_v2(
    out: Pieces,
    message: OffsetForLeaderEpochRequestOffsetForLeaderPartition,
) -> None:
    out.append(_pack_iii(message.partition, message.current_leader_epoch, message.leader_epoch))
    if message.unknown_tags:
        raise Malformed


def _write_offset_for_leader_topic_v2(
    out: Pieces,
    message: OffsetForLeaderEpochRequestOffsetForLeaderTopic,
) -> None:
    topic = message.topic
    data = topic.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_offset_for_leader_partition_v2(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: Pieces, message: OffsetForLeaderEpochRequest) -> None:
    topics = message.topics
    count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        _write_offset_for_leader_topic_v2(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _write_v3(out: Pieces, message: OffsetForLeaderEpochRequest) -> None:
    topics = message.topics
    count = len(topics)
    out.append(_pack_ii(message.replica_id, count))
    for topics_item in topics:
        _write_offset_for_leader_topic_v2(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _write_offset_for_leader_partition_v4(
    out: Pieces,
    message: OffsetForLeaderEpochRequestOffsetForLeaderPartition,
) -> None:
    if message.unknown_tags:
        out.append(_pack_iii(message.partition, message.current_leader_epoch, message.leader_epoch))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iiiB(message.partition, message.current_leader_epoch, message.leader_epoch, 0))


def _write_offset_for_leader_topic_v4(
    out: Pieces,
    message: OffsetForLeaderEpochRequestOffsetForLeaderTopic,
) -> None:
    topic = message.topic
    data = topic.encode()
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
        _write_offset_for_leader_partition_v4(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v4(out: Pieces, message: OffsetForLeaderEpochRequest) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.replica_id, count))
    else:
        out.append(_pack_i(message.replica_id))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_offset_for_leader_topic_v4(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v2,
    _read_v3,
    _read_v4,
)

_WRITERS = (
    _write_v2,
    _write_v3,
    _write_v4,
)

_STEP_READERS = (
    _step_v2,
    _step_v3,
    _step_v4,
)


@cache
def _schema() -> MessageSchema:
    offset_for_leader_partition_struct = StructSchema(
        python_class=OffsetForLeaderEpochRequestOffsetForLeaderPartition,
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
                versions=(2, 32767),
                default=-1,
                ignorable=True,
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
    offset_for_leader_topic_struct = StructSchema(
        python_class=OffsetForLeaderEpochRequestOffsetForLeaderTopic,
        fields=(
            FieldSchema(
                name="Topic",
                attribute="topic",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Partitions",
                attribute="partitions",
                type="OffsetForLeaderPartition",
                struct=offset_for_leader_partition_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    offset_for_leader_epoch_request_struct = StructSchema(
        python_class=OffsetForLeaderEpochRequest,
        fields=(
            FieldSchema(
                name="ReplicaId",
                attribute="replica_id",
                type="int32",
                versions=(3, 32767),
                default=-2,
                ignorable=True,
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="OffsetForLeaderTopic",
                struct=offset_for_leader_topic_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="OffsetForLeaderEpochRequest",
        flexible_from=4,
        root=offset_for_leader_epoch_request_struct,
    )
