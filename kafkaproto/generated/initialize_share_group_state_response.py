"""InitializeShareGroupStateResponse: versions 0, flexible from 0, api key 83.

Generated from api/InitializeShareGroupStateResponse.json by codegen; change the schema, not this file.
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


class InitializeShareGroupStateResponsePartitionResult(Struct):
    """PartitionResult of InitializeShareGroupStateResponse."""

    __slots__ = ("partition", "error_code", "error_message", "unknown_tags")

    partition: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition = partition
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, InitializeShareGroupStateResponsePartitionResult)
            and self.partition == other.partition
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.unknown_tags == other.unknown_tags
        )



class InitializeShareGroupStateResponseInitializeStateResult(Struct):
    """InitializeStateResult of InitializeShareGroupStateResponse."""

    __slots__ = ("topic_id", "partitions", "unknown_tags")

    topic_id: bytes
    """Versions 0+."""
    partitions: list[InitializeShareGroupStateResponsePartitionResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[InitializeShareGroupStateResponsePartitionResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, InitializeShareGroupStateResponseInitializeStateResult)
            and self.topic_id == other.topic_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class InitializeShareGroupStateResponse(Message):
    """Response InitializeShareGroupStateResponse."""

    __slots__ = ("results", "unknown_tags")

    NAME: ClassVar[str] = "InitializeShareGroupStateResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 83
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    PartitionResult: TypeAlias = InitializeShareGroupStateResponsePartitionResult
    InitializeStateResult: TypeAlias = InitializeShareGroupStateResponseInitializeStateResult

    results: list[InitializeShareGroupStateResponseInitializeStateResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        results: list[InitializeShareGroupStateResponseInitializeStateResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.results = [] if results is EMPTY else results
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, InitializeShareGroupStateResponse)
            and self.results == other.results
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[InitializeShareGroupStateResponse, int]:
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


def _read_many_partition_result_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[InitializeShareGroupStateResponsePartitionResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[InitializeShareGroupStateResponsePartitionResult] = []
    for _ in range(size):
        message = InitializeShareGroupStateResponsePartitionResult.__new__(
            InitializeShareGroupStateResponsePartitionResult,
        )
        message.partition, message.error_code, length = _unpack_ihB(buffer, position)
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


def _read_many_initialize_state_result_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[InitializeShareGroupStateResponseInitializeStateResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[InitializeShareGroupStateResponseInitializeStateResult] = []
    for _ in range(size):
        message = InitializeShareGroupStateResponseInitializeStateResult.__new__(
            InitializeShareGroupStateResponseInitializeStateResult,
        )
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_partition_result_v0(buffer, position, count - 1)
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


def _read_v0(buffer: Buffer, position: int) -> tuple[InitializeShareGroupStateResponse, int]:
    message = InitializeShareGroupStateResponse.__new__(InitializeShareGroupStateResponse)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.results, position = _read_many_initialize_state_result_v0(buffer, position, count - 1)
    elif count:
        message.results = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_partition_result_v0(
    out: Pieces,
    message: InitializeShareGroupStateResponsePartitionResult,
) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihB(message.partition, message.error_code, length))
    else:
        out.append(_pack_ih(message.partition, message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_initialize_state_result_v0(
    out: Pieces,
    message: InitializeShareGroupStateResponseInitializeStateResult,
) -> None:
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
        _write_partition_result_v0(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_initialize_state_result_v0(
    out: Pieces,
    message: InitializeShareGroupStateResponseInitializeStateResult,
) -> Steps[None]:
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
        _write_partition_result_v0(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: InitializeShareGroupStateResponse) -> None:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for results_item in results:
        _write_initialize_state_result_v0(out, results_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v0(out: Pieces, message: InitializeShareGroupStateResponse) -> Steps[None]:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for results_item in results:
        yield from _step_write_initialize_state_result_v0(out, results_item)
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
    partition_result_struct = StructSchema(
        python_class=InitializeShareGroupStateResponsePartitionResult,
        fields=(
            FieldSchema(
                name="Partition",
                attribute="partition",
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
    initialize_state_result_struct = StructSchema(
        python_class=InitializeShareGroupStateResponseInitializeStateResult,
        fields=(
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
                type="PartitionResult",
                struct=partition_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    initialize_share_group_state_response_struct = StructSchema(
        python_class=InitializeShareGroupStateResponse,
        fields=(
            FieldSchema(
                name="Results",
                attribute="results",
                type="InitializeStateResult",
                struct=initialize_state_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="InitializeShareGroupStateResponse",
        flexible_from=0,
        root=initialize_share_group_state_response_struct,
    )
