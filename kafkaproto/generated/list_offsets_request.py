"""ListOffsetsRequest: versions 1-11, flexible from 6, api key 2.

Generated from api/ListOffsetsRequest.json by codegen; change the schema, not this file.
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
_unpack_ibB = struct.Struct(">ibB").unpack_from
_unpack_ibi = struct.Struct(">ibi").unpack_from
_unpack_ii = struct.Struct(">ii").unpack_from
_unpack_iiq = struct.Struct(">iiq").unpack_from
_unpack_iiqB = struct.Struct(">iiqB").unpack_from
_unpack_iq = struct.Struct(">iq").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ib = struct.Struct(">ib").pack
_pack_ibB = struct.Struct(">ibB").pack
_pack_ibi = struct.Struct(">ibi").pack
_pack_ii = struct.Struct(">ii").pack
_pack_iiq = struct.Struct(">iiq").pack
_pack_iiqB = struct.Struct(">iiqB").pack
_pack_iq = struct.Struct(">iq").pack


class ListOffsetsRequestListOffsetsPartition(Struct):
    """ListOffsetsPartition of ListOffsetsRequest."""

    __slots__ = ("partition_index", "current_leader_epoch", "timestamp", "unknown_tags")

    partition_index: int
    """Versions 0+."""
    current_leader_epoch: int
    """Versions 4+, dropped where a version lacks it."""
    timestamp: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        current_leader_epoch: int = -1,
        timestamp: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.current_leader_epoch = current_leader_epoch
        self.timestamp = timestamp
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ListOffsetsRequestListOffsetsPartition)
            and self.partition_index == other.partition_index
            and self.current_leader_epoch == other.current_leader_epoch
            and self.timestamp == other.timestamp
            and self.unknown_tags == other.unknown_tags
        )



class ListOffsetsRequestListOffsetsTopic(Struct):
    """ListOffsetsTopic of ListOffsetsRequest."""

    __slots__ = ("name", "partitions", "unknown_tags")

    name: str
    """Versions 0+."""
    partitions: list[ListOffsetsRequestListOffsetsPartition]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        partitions: list[ListOffsetsRequestListOffsetsPartition] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ListOffsetsRequestListOffsetsTopic)
            and self.name == other.name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class ListOffsetsRequest(Message):
    """Request ListOffsetsRequest."""

    __slots__ = ("replica_id", "isolation_level", "topics", "timeout_ms", "unknown_tags")

    NAME: ClassVar[str] = "ListOffsetsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 2
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 11
    FLEXIBLE_FROM: ClassVar[int | None] = 6
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    ListOffsetsPartition: TypeAlias = ListOffsetsRequestListOffsetsPartition
    ListOffsetsTopic: TypeAlias = ListOffsetsRequestListOffsetsTopic

    replica_id: int
    """Versions 0+."""
    isolation_level: int
    """Versions 2+."""
    topics: list[ListOffsetsRequestListOffsetsTopic]
    """Versions 0+."""
    timeout_ms: int
    """Versions 10+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        replica_id: int = 0,
        isolation_level: int = 0,
        topics: list[ListOffsetsRequestListOffsetsTopic] = EMPTY,
        timeout_ms: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.replica_id = replica_id
        self.isolation_level = isolation_level
        self.topics = [] if topics is EMPTY else topics
        self.timeout_ms = timeout_ms
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ListOffsetsRequest)
            and self.replica_id == other.replica_id
            and self.isolation_level == other.isolation_level
            and self.topics == other.topics
            and self.timeout_ms == other.timeout_ms
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ListOffsetsRequest, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[ListOffsetsRequest, int]] | None:
        read = _STEP_READERS[version - 1]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_list_offsets_partition_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ListOffsetsRequestListOffsetsPartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListOffsetsRequestListOffsetsPartition] = []
    for _ in range(size):
        message = ListOffsetsRequestListOffsetsPartition.__new__(ListOffsetsRequestListOffsetsPartition)
        message.partition_index, message.timestamp = _unpack_iq(buffer, position)
        position += 12
        message.current_leader_epoch = -1
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_list_offsets_topic_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ListOffsetsRequestListOffsetsTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListOffsetsRequestListOffsetsTopic] = []
    for _ in range(size):
        message = ListOffsetsRequestListOffsetsTopic.__new__(ListOffsetsRequestListOffsetsTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.partitions, position = _read_many_list_offsets_partition_v1(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_list_offsets_topic_v1(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[ListOffsetsRequestListOffsetsTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListOffsetsRequestListOffsetsTopic] = []
    for _ in range(size):
        message = ListOffsetsRequestListOffsetsTopic.__new__(ListOffsetsRequestListOffsetsTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "ListOffsetsRequest.partitions")
        if count > 0:
            if count > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_list_offsets_partition_v1,
                    buffer,
                    position,
                    count,
                    budget,
                )
            else:
                message.partitions, position = _read_many_list_offsets_partition_v1(buffer, position, count)
                budget.take_tags(message.partitions)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[ListOffsetsRequest, int]:
    message = ListOffsetsRequest.__new__(ListOffsetsRequest)
    message.replica_id, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.topics, position = _read_many_list_offsets_topic_v1(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.isolation_level = 0
    message.timeout_ms = 0
    message.unknown_tags = None
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[ListOffsetsRequest, int]]:
    message = ListOffsetsRequest.__new__(ListOffsetsRequest)
    message.replica_id, count = _unpack_ii(buffer, position)
    position += 8
    budget.take(count, "ListOffsetsRequest.topics")
    if count > 0:
        message.topics, position = yield from _step_many_list_offsets_topic_v1(buffer, position, count, budget)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.isolation_level = 0
    message.timeout_ms = 0
    message.unknown_tags = None
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[ListOffsetsRequest, int]:
    message = ListOffsetsRequest.__new__(ListOffsetsRequest)
    message.replica_id, message.isolation_level, count = _unpack_ibi(buffer, position)
    position += 9
    if count > 0:
        message.topics, position = _read_many_list_offsets_topic_v1(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.timeout_ms = 0
    message.unknown_tags = None
    return message, position


def _step_v2(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[ListOffsetsRequest, int]]:
    message = ListOffsetsRequest.__new__(ListOffsetsRequest)
    message.replica_id, message.isolation_level, count = _unpack_ibi(buffer, position)
    position += 9
    budget.take(count, "ListOffsetsRequest.topics")
    if count > 0:
        message.topics, position = yield from _step_many_list_offsets_topic_v1(buffer, position, count, budget)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.timeout_ms = 0
    message.unknown_tags = None
    return message, position


def _read_many_list_offsets_partition_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ListOffsetsRequestListOffsetsPartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListOffsetsRequestListOffsetsPartition] = []
    for _ in range(size):
        message = ListOffsetsRequestListOffsetsPartition.__new__(ListOffsetsRequestListOffsetsPartition)
        (
            message.partition_index,
            message.current_leader_epoch,
            message.timestamp,
        ) = _unpack_iiq(buffer, position)
        position += 16
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_list_offsets_topic_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ListOffsetsRequestListOffsetsTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListOffsetsRequestListOffsetsTopic] = []
    for _ in range(size):
        message = ListOffsetsRequestListOffsetsTopic.__new__(ListOffsetsRequestListOffsetsTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.partitions, position = _read_many_list_offsets_partition_v4(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_list_offsets_topic_v4(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[ListOffsetsRequestListOffsetsTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListOffsetsRequestListOffsetsTopic] = []
    for _ in range(size):
        message = ListOffsetsRequestListOffsetsTopic.__new__(ListOffsetsRequestListOffsetsTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "ListOffsetsRequest.partitions")
        if count > 0:
            if count > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_list_offsets_partition_v4,
                    buffer,
                    position,
                    count,
                    budget,
                )
            else:
                message.partitions, position = _read_many_list_offsets_partition_v4(buffer, position, count)
                budget.take_tags(message.partitions)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_v4(buffer: Buffer, position: int) -> tuple[ListOffsetsRequest, int]:
    message = ListOffsetsRequest.__new__(ListOffsetsRequest)
    message.replica_id, message.isolation_level, count = _unpack_ibi(buffer, position)
    position += 9
    if count > 0:
        message.topics, position = _read_many_list_offsets_topic_v4(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.timeout_ms = 0
    message.unknown_tags = None
    return message, position


def _step_v4(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[ListOffsetsRequest, int]]:
    message = ListOffsetsRequest.__new__(ListOffsetsRequest)
    message.replica_id, message.isolation_level, count = _unpack_ibi(buffer, position)
    position += 9
    budget.take(count, "ListOffsetsRequest.topics")
    if count > 0:
        message.topics, position = yield from _step_many_list_offsets_topic_v4(buffer, position, count, budget)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.timeout_ms = 0
    message.unknown_tags = None
    return message, position


def _read_many_list_offsets_partition_v6(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ListOffsetsRequestListOffsetsPartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListOffsetsRequestListOffsetsPartition] = []
    for _ in range(size):
        message = ListOffsetsRequestListOffsetsPartition.__new__(ListOffsetsRequestListOffsetsPartition)
        (
            message.partition_index,
            message.current_leader_epoch,
            message.timestamp,
            tags,
        ) = _unpack_iiqB(buffer, position)
        position += 17
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_list_offsets_topic_v6(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ListOffsetsRequestListOffsetsTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListOffsetsRequestListOffsetsTopic] = []
    for _ in range(size):
        message = ListOffsetsRequestListOffsetsTopic.__new__(ListOffsetsRequestListOffsetsTopic)
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
            message.partitions, position = _read_many_list_offsets_partition_v6(buffer, position, count - 1)
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


def _step_many_list_offsets_topic_v6(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[ListOffsetsRequestListOffsetsTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListOffsetsRequestListOffsetsTopic] = []
    for _ in range(size):
        message = ListOffsetsRequestListOffsetsTopic.__new__(ListOffsetsRequestListOffsetsTopic)
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
        budget.take(count - 1, "ListOffsetsRequest.partitions")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_list_offsets_partition_v6,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.partitions, position = _read_many_list_offsets_partition_v6(buffer, position, count - 1)
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


def _read_v6(buffer: Buffer, position: int) -> tuple[ListOffsetsRequest, int]:
    message = ListOffsetsRequest.__new__(ListOffsetsRequest)
    message.replica_id, message.isolation_level, count = _unpack_ibB(buffer, position)
    position += 6
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_list_offsets_topic_v6(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.timeout_ms = 0
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v6(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[ListOffsetsRequest, int]]:
    message = ListOffsetsRequest.__new__(ListOffsetsRequest)
    message.replica_id, message.isolation_level, count = _unpack_ibB(buffer, position)
    position += 6
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ListOffsetsRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_list_offsets_topic_v6(buffer, position, count - 1, budget)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.timeout_ms = 0
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_v10(buffer: Buffer, position: int) -> tuple[ListOffsetsRequest, int]:
    message = ListOffsetsRequest.__new__(ListOffsetsRequest)
    message.replica_id, message.isolation_level, count = _unpack_ibB(buffer, position)
    position += 6
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_list_offsets_topic_v6(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    message.timeout_ms, tags = _unpack_iB(buffer, position)
    position += 5
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v10(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[ListOffsetsRequest, int]]:
    message = ListOffsetsRequest.__new__(ListOffsetsRequest)
    message.replica_id, message.isolation_level, count = _unpack_ibB(buffer, position)
    position += 6
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ListOffsetsRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_list_offsets_topic_v6(buffer, position, count - 1, budget)
    elif count:
        message.topics = []
    else:
        raise Malformed
    message.timeout_ms, tags = _unpack_iB(buffer, position)
    position += 5
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_list_offsets_partition_v1(out: Pieces, message: ListOffsetsRequestListOffsetsPartition) -> None:
    out.append(_pack_iq(message.partition_index, message.timestamp))
    if message.unknown_tags:
        raise Malformed


def _write_list_offsets_topic_v1(out: Pieces, message: ListOffsetsRequestListOffsetsTopic) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_list_offsets_partition_v1(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: ListOffsetsRequest) -> None:
    if message.isolation_level != 0:
        raise Malformed
    topics = message.topics
    count = len(topics)
    out.append(_pack_ii(message.replica_id, count))
    for topics_item in topics:
        _write_list_offsets_topic_v1(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: Pieces, message: ListOffsetsRequest) -> None:
    topics = message.topics
    count = len(topics)
    out.append(_pack_ibi(message.replica_id, message.isolation_level, count))
    for topics_item in topics:
        _write_list_offsets_topic_v1(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _write_list_offsets_partition_v4(out: Pieces, message: ListOffsetsRequestListOffsetsPartition) -> None:
    out.append(_pack_iiq(message.partition_index, message.current_leader_epoch, message.timestamp))
    if message.unknown_tags:
        raise Malformed


def _write_list_offsets_topic_v4(out: Pieces, message: ListOffsetsRequestListOffsetsTopic) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_list_offsets_partition_v4(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _write_v4(out: Pieces, message: ListOffsetsRequest) -> None:
    topics = message.topics
    count = len(topics)
    out.append(_pack_ibi(message.replica_id, message.isolation_level, count))
    for topics_item in topics:
        _write_list_offsets_topic_v4(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _write_list_offsets_partition_v6(out: Pieces, message: ListOffsetsRequestListOffsetsPartition) -> None:
    if message.unknown_tags:
        out.append(_pack_iiq(message.partition_index, message.current_leader_epoch, message.timestamp))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iiqB(message.partition_index, message.current_leader_epoch, message.timestamp, 0))


def _write_list_offsets_topic_v6(out: Pieces, message: ListOffsetsRequestListOffsetsTopic) -> None:
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
        _write_list_offsets_partition_v6(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v6(out: Pieces, message: ListOffsetsRequest) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_ibB(message.replica_id, message.isolation_level, count))
    else:
        out.append(_pack_ib(message.replica_id, message.isolation_level))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_list_offsets_topic_v6(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v10(out: Pieces, message: ListOffsetsRequest) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_ibB(message.replica_id, message.isolation_level, count))
    else:
        out.append(_pack_ib(message.replica_id, message.isolation_level))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_list_offsets_topic_v6(out, topics_item)
    if message.unknown_tags:
        out.append(_pack_i(message.timeout_ms))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.timeout_ms, 0))


_READERS = (
    _read_v1,
    _read_v2,
    _read_v2,
    _read_v4,
    _read_v4,
    _read_v6,
    _read_v6,
    _read_v6,
    _read_v6,
    _read_v10,
    _read_v10,
)

_WRITERS = (
    _write_v1,
    _write_v2,
    _write_v2,
    _write_v4,
    _write_v4,
    _write_v6,
    _write_v6,
    _write_v6,
    _write_v6,
    _write_v10,
    _write_v10,
)

_STEP_READERS = (
    _step_v1,
    _step_v2,
    _step_v2,
    _step_v4,
    _step_v4,
    _step_v6,
    _step_v6,
    _step_v6,
    _step_v6,
    _step_v10,
    _step_v10,
)


@cache
def _schema() -> MessageSchema:
    list_offsets_partition_struct = StructSchema(
        python_class=ListOffsetsRequestListOffsetsPartition,
        fields=(
            FieldSchema(
                name="PartitionIndex",
                attribute="partition_index",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="CurrentLeaderEpoch",
                attribute="current_leader_epoch",
                type="int32",
                versions=(4, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="Timestamp",
                attribute="timestamp",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    list_offsets_topic_struct = StructSchema(
        python_class=ListOffsetsRequestListOffsetsTopic,
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
                type="ListOffsetsPartition",
                struct=list_offsets_partition_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    list_offsets_request_struct = StructSchema(
        python_class=ListOffsetsRequest,
        fields=(
            FieldSchema(
                name="ReplicaId",
                attribute="replica_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="IsolationLevel",
                attribute="isolation_level",
                type="int8",
                versions=(2, 32767),
                default=0,
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="ListOffsetsTopic",
                struct=list_offsets_topic_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="TimeoutMs",
                attribute="timeout_ms",
                type="int32",
                versions=(10, 32767),
                default=0,
                ignorable=True,
            ),
        ),
    )
    return MessageSchema(name="ListOffsetsRequest", flexible_from=6, root=list_offsets_request_struct)
