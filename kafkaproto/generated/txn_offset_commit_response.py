"""TxnOffsetCommitResponse: versions 0-6, flexible from 3, api key 28.

Generated from api/TxnOffsetCommitResponse.json by codegen; change the schema, not this file.
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
    Steps,
    pack_length,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_uB = struct.Struct(">16sB").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ih = struct.Struct(">ih").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_ii = struct.Struct(">ii").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_ii = struct.Struct(">ii").pack


class TxnOffsetCommitResponsePartition(Struct):
    """TxnOffsetCommitResponsePartition of TxnOffsetCommitResponse."""

    __slots__ = ("partition_index", "error_code", "unknown_tags")

    partition_index: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TxnOffsetCommitResponsePartition)
            and self.partition_index == other.partition_index
            and self.error_code == other.error_code
            and self.unknown_tags == other.unknown_tags
        )



class TxnOffsetCommitResponseTopic(Struct):
    """TxnOffsetCommitResponseTopic of TxnOffsetCommitResponse."""

    __slots__ = ("name", "topic_id", "partitions", "unknown_tags")

    name: str
    """Versions 0-5, dropped where a version lacks it."""
    topic_id: bytes
    """Versions 6+, dropped where a version lacks it."""
    partitions: list[TxnOffsetCommitResponsePartition]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: list[TxnOffsetCommitResponsePartition] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TxnOffsetCommitResponseTopic)
            and self.name == other.name
            and self.topic_id == other.topic_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class TxnOffsetCommitResponse(Message):
    """Response TxnOffsetCommitResponse."""

    __slots__ = ("throttle_time_ms", "topics", "unknown_tags")

    NAME: ClassVar[str] = "TxnOffsetCommitResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 28
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 6
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    Partition: TypeAlias = TxnOffsetCommitResponsePartition
    Topic: TypeAlias = TxnOffsetCommitResponseTopic

    throttle_time_ms: int
    """Versions 0+."""
    topics: list[TxnOffsetCommitResponseTopic]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[TxnOffsetCommitResponseTopic] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TxnOffsetCommitResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[TxnOffsetCommitResponse, int]:
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


def _read_many_partition_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[TxnOffsetCommitResponsePartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[TxnOffsetCommitResponsePartition] = []
    for _ in range(size):
        message = TxnOffsetCommitResponsePartition.__new__(TxnOffsetCommitResponsePartition)
        message.partition_index, message.error_code = _unpack_ih(buffer, position)
        position += 6
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_topic_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[TxnOffsetCommitResponseTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[TxnOffsetCommitResponseTopic] = []
    for _ in range(size):
        message = TxnOffsetCommitResponseTopic.__new__(TxnOffsetCommitResponseTopic)
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
            message.partitions, position = _read_many_partition_v0(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[TxnOffsetCommitResponse, int]:
    message = TxnOffsetCommitResponse.__new__(TxnOffsetCommitResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.topics, position = _read_many_topic_v0(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_partition_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[TxnOffsetCommitResponsePartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[TxnOffsetCommitResponsePartition] = []
    for _ in range(size):
        message = TxnOffsetCommitResponsePartition.__new__(TxnOffsetCommitResponsePartition)
        message.partition_index, message.error_code, tags = _unpack_ihB(buffer, position)
        position += 7
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_topic_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[TxnOffsetCommitResponseTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[TxnOffsetCommitResponseTopic] = []
    for _ in range(size):
        message = TxnOffsetCommitResponseTopic.__new__(TxnOffsetCommitResponseTopic)
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
            message.partitions, position = _read_many_partition_v3(buffer, position, count - 1)
        elif count:
            message.partitions = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v3(buffer: Buffer, position: int) -> tuple[TxnOffsetCommitResponse, int]:
    message = TxnOffsetCommitResponse.__new__(TxnOffsetCommitResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_v3(buffer, position, count - 1)
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


def _read_many_topic_v6(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[TxnOffsetCommitResponseTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[TxnOffsetCommitResponseTopic] = []
    for _ in range(size):
        message = TxnOffsetCommitResponseTopic.__new__(TxnOffsetCommitResponseTopic)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_partition_v3(buffer, position, count - 1)
        elif count:
            message.partitions = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.name = ""
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v6(buffer: Buffer, position: int) -> tuple[TxnOffsetCommitResponse, int]:
    message = TxnOffsetCommitResponse.__new__(TxnOffsetCommitResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_v6(buffer, position, count - 1)
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


def _write_partition_v0(out: Pieces, message: TxnOffsetCommitResponsePartition) -> None:
    out.append(_pack_ih(message.partition_index, message.error_code))
    if message.unknown_tags:
        raise Malformed


def _write_topic_v0(out: Pieces, message: TxnOffsetCommitResponseTopic) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_partition_v0(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_topic_v0(out: Pieces, message: TxnOffsetCommitResponseTopic) -> Steps[None]:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_partition_v0(out, partitions_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: TxnOffsetCommitResponse) -> None:
    topics = message.topics
    count = len(topics)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for topics_item in topics:
        _write_topic_v0(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v0(out: Pieces, message: TxnOffsetCommitResponse) -> Steps[None]:
    topics = message.topics
    count = len(topics)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for topics_item in topics:
        yield from _step_write_topic_v0(out, topics_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_partition_v3(out: Pieces, message: TxnOffsetCommitResponsePartition) -> None:
    if message.unknown_tags:
        out.append(_pack_ih(message.partition_index, message.error_code))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_ihB(message.partition_index, message.error_code, 0))


def _write_topic_v3(out: Pieces, message: TxnOffsetCommitResponseTopic) -> None:
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
        _write_partition_v3(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_topic_v3(out: Pieces, message: TxnOffsetCommitResponseTopic) -> Steps[None]:
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
        _write_partition_v3(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v3(out: Pieces, message: TxnOffsetCommitResponse) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_v3(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v3(out: Pieces, message: TxnOffsetCommitResponse) -> Steps[None]:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_topic_v3(out, topics_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topic_v6(out: Pieces, message: TxnOffsetCommitResponseTopic) -> None:
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    partitions = message.partitions
    count = len(partitions) + 1
    if count < 128:
        out.append(_pack_uB(topic_id, count))
    else:
        out.append(topic_id)
        out.append(pack_length(count))
    for partitions_item in partitions:
        _write_partition_v3(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_topic_v6(out: Pieces, message: TxnOffsetCommitResponseTopic) -> Steps[None]:
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    partitions = message.partitions
    count = len(partitions) + 1
    if count < 128:
        out.append(_pack_uB(topic_id, count))
    else:
        out.append(topic_id)
        out.append(pack_length(count))
    for partitions_item in partitions:
        _write_partition_v3(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v6(out: Pieces, message: TxnOffsetCommitResponse) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_v6(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v6(out: Pieces, message: TxnOffsetCommitResponse) -> Steps[None]:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_topic_v6(out, topics_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
    _read_v0,
    _read_v0,
    _read_v3,
    _read_v3,
    _read_v3,
    _read_v6,
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v0,
    _write_v3,
    _write_v3,
    _write_v3,
    _write_v6,
)

_STEP_WRITERS = (
    _step_write_v0,
    _step_write_v0,
    _step_write_v0,
    _step_write_v3,
    _step_write_v3,
    _step_write_v3,
    _step_write_v6,
)


@cache
def _schema() -> MessageSchema:
    txn_offset_commit_response_partition_struct = StructSchema(
        python_class=TxnOffsetCommitResponsePartition,
        fields=(
            FieldSchema(
                name="PartitionIndex",
                attribute="partition_index",
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
        ),
    )
    txn_offset_commit_response_topic_struct = StructSchema(
        python_class=TxnOffsetCommitResponseTopic,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 5),
                default="",
                ignorable=True,
            ),
            FieldSchema(
                name="TopicId",
                attribute="topic_id",
                type="uuid",
                versions=(6, 32767),
                default=ZERO_UUID,
                ignorable=True,
            ),
            FieldSchema(
                name="Partitions",
                attribute="partitions",
                type="TxnOffsetCommitResponsePartition",
                struct=txn_offset_commit_response_partition_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    txn_offset_commit_response_struct = StructSchema(
        python_class=TxnOffsetCommitResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="TxnOffsetCommitResponseTopic",
                struct=txn_offset_commit_response_topic_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="TxnOffsetCommitResponse",
        flexible_from=3,
        root=txn_offset_commit_response_struct,
    )
