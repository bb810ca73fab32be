"""AlterShareGroupOffsetsResponse: versions 0, flexible from 0, api key 91.

Generated from api/AlterShareGroupOffsetsResponse.json by codegen; change the schema, not this file.
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
_unpack_ihB = struct.Struct(">ihB").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack


class AlterShareGroupOffsetsResponsePartition(Struct):
    """AlterShareGroupOffsetsResponsePartition of AlterShareGroupOffsetsResponse."""

    __slots__ = ("partition_index", "error_code", "error_message", "unknown_tags")

    partition_index: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterShareGroupOffsetsResponsePartition)
            and self.partition_index == other.partition_index
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.unknown_tags == other.unknown_tags
        )



class AlterShareGroupOffsetsResponseTopic(Struct):
    """AlterShareGroupOffsetsResponseTopic of AlterShareGroupOffsetsResponse."""

    __slots__ = ("topic_name", "topic_id", "partitions", "unknown_tags")

    topic_name: str
    """Versions 0+."""
    topic_id: bytes
    """Versions 0+."""
    partitions: list[AlterShareGroupOffsetsResponsePartition]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_name: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: list[AlterShareGroupOffsetsResponsePartition] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.topic_id = topic_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterShareGroupOffsetsResponseTopic)
            and self.topic_name == other.topic_name
            and self.topic_id == other.topic_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class AlterShareGroupOffsetsResponse(Message):
    """Response AlterShareGroupOffsetsResponse."""

    __slots__ = ("throttle_time_ms", "error_code", "error_message", "responses", "unknown_tags")

    NAME: ClassVar[str] = "AlterShareGroupOffsetsResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 91
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    Partition: TypeAlias = AlterShareGroupOffsetsResponsePartition
    Topic: TypeAlias = AlterShareGroupOffsetsResponseTopic

    throttle_time_ms: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    responses: list[AlterShareGroupOffsetsResponseTopic]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        responses: list[AlterShareGroupOffsetsResponseTopic] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.responses = [] if responses is EMPTY else responses
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterShareGroupOffsetsResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.responses == other.responses
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[AlterShareGroupOffsetsResponse, int]:
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
) -> tuple[list[AlterShareGroupOffsetsResponsePartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterShareGroupOffsetsResponsePartition] = []
    for _ in range(size):
        message = AlterShareGroupOffsetsResponsePartition.__new__(AlterShareGroupOffsetsResponsePartition)
        message.partition_index, message.error_code, length = _unpack_ihB(buffer, position)
        position += 7
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.error_message = None
        else:
            end = position + length - 1
            message.error_message = str(buffer[position:end], "utf-8")
            position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_topic_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterShareGroupOffsetsResponseTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterShareGroupOffsetsResponseTopic] = []
    for _ in range(size):
        message = AlterShareGroupOffsetsResponseTopic.__new__(AlterShareGroupOffsetsResponseTopic)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.topic_name = str(buffer[position:end], "utf-8")
        position = end
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_partition_v0(buffer, position, count - 1)
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


def _read_v0(buffer: Buffer, position: int) -> tuple[AlterShareGroupOffsetsResponse, int]:
    message = AlterShareGroupOffsetsResponse.__new__(AlterShareGroupOffsetsResponse)
    message.throttle_time_ms, message.error_code, length = _unpack_ihB(buffer, position)
    position += 7
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.error_message = None
    else:
        end = position + length - 1
        message.error_message = str(buffer[position:end], "utf-8")
        position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.responses, position = _read_many_topic_v0(buffer, position, count - 1)
    elif count:
        message.responses = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_partition_v0(out: Pieces, message: AlterShareGroupOffsetsResponsePartition) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihB(message.partition_index, message.error_code, length))
    else:
        out.append(_pack_ih(message.partition_index, message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topic_v0(out: Pieces, message: AlterShareGroupOffsetsResponseTopic) -> None:
    topic_name = message.topic_name
    data = topic_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
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
        _write_partition_v0(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_topic_v0(out: Pieces, message: AlterShareGroupOffsetsResponseTopic) -> Steps[None]:
    topic_name = message.topic_name
    data = topic_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
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
        _write_partition_v0(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: AlterShareGroupOffsetsResponse) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, length))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for responses_item in responses:
        _write_topic_v0(out, responses_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v0(out: Pieces, message: AlterShareGroupOffsetsResponse) -> Steps[None]:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, length))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for responses_item in responses:
        yield from _step_write_topic_v0(out, responses_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)

_STEP_WRITERS = (
    _step_write_v0,
)


@cache
def _schema() -> MessageSchema:
    alter_share_group_offsets_response_partition_struct = StructSchema(
        python_class=AlterShareGroupOffsetsResponsePartition,
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
            FieldSchema(
                name="ErrorMessage",
                attribute="error_message",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
        ),
    )
    alter_share_group_offsets_response_topic_struct = StructSchema(
        python_class=AlterShareGroupOffsetsResponseTopic,
        fields=(
            FieldSchema(
                name="TopicName",
                attribute="topic_name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="TopicId",
                attribute="topic_id",
                type="uuid",
                versions=(0, 32767),
                default=ZERO_UUID,
            ),
            FieldSchema(
                name="Partitions",
                attribute="partitions",
                type="AlterShareGroupOffsetsResponsePartition",
                struct=alter_share_group_offsets_response_partition_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    alter_share_group_offsets_response_struct = StructSchema(
        python_class=AlterShareGroupOffsetsResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
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
                name="ErrorMessage",
                attribute="error_message",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="Responses",
                attribute="responses",
                type="AlterShareGroupOffsetsResponseTopic",
                struct=alter_share_group_offsets_response_topic_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="AlterShareGroupOffsetsResponse",
        flexible_from=0,
        root=alter_share_group_offsets_response_struct,
    )
