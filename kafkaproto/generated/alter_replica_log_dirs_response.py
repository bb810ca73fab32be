"""AlterReplicaLogDirsResponse: versions 1-2, flexible from 2, api key 34.

Generated from api/AlterReplicaLogDirsResponse.json by codegen; change the schema, not this file.
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

_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ih = struct.Struct(">ih").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_ii = struct.Struct(">ii").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_ii = struct.Struct(">ii").pack


class AlterReplicaLogDirsResponseAlterReplicaLogDirPartitionResult(Struct):
    """AlterReplicaLogDirPartitionResult of AlterReplicaLogDirsResponse."""

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
            isinstance(other, AlterReplicaLogDirsResponseAlterReplicaLogDirPartitionResult)
            and self.partition_index == other.partition_index
            and self.error_code == other.error_code
            and self.unknown_tags == other.unknown_tags
        )



class AlterReplicaLogDirsResponseAlterReplicaLogDirTopicResult(Struct):
    """AlterReplicaLogDirTopicResult of AlterReplicaLogDirsResponse."""

    __slots__ = ("topic_name", "partitions", "unknown_tags")

    topic_name: str
    """Versions 0+."""
    partitions: list[AlterReplicaLogDirsResponseAlterReplicaLogDirPartitionResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_name: str = "",
        partitions: list[AlterReplicaLogDirsResponseAlterReplicaLogDirPartitionResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterReplicaLogDirsResponseAlterReplicaLogDirTopicResult)
            and self.topic_name == other.topic_name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class AlterReplicaLogDirsResponse(Message):
    """Response AlterReplicaLogDirsResponse."""

    __slots__ = ("throttle_time_ms", "results", "unknown_tags")

    NAME: ClassVar[str] = "AlterReplicaLogDirsResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 34
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    AlterReplicaLogDirPartitionResult: TypeAlias = AlterReplicaLogDirsResponseAlterReplicaLogDirPartitionResult
    AlterReplicaLogDirTopicResult: TypeAlias = AlterReplicaLogDirsResponseAlterReplicaLogDirTopicResult

    throttle_time_ms: int
    """Versions 0+."""
    results: list[AlterReplicaLogDirsResponseAlterReplicaLogDirTopicResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: list[AlterReplicaLogDirsResponseAlterReplicaLogDirTopicResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = [] if results is EMPTY else results
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterReplicaLogDirsResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.results == other.results
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[AlterReplicaLogDirsResponse, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    def _step_write(self, out: Pieces, version: int) -> Steps[None] | None:
        write = _STEP_WRITERS[version - 1]
        return None if write is None else write(out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_alter_replica_log_dir_partition_result_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterReplicaLogDirsResponseAlterReplicaLogDirPartitionResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterReplicaLogDirsResponseAlterReplicaLogDirPartitionResult] = []
    for _ in range(size):
        message = AlterReplicaLogDirsResponseAlterReplicaLogDirPartitionResult.__new__(
            AlterReplicaLogDirsResponseAlterReplicaLogDirPartitionResult,
        )
        message.partition_index, message.error_code = _unpack_ih(buffer, position)
        position += 6
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_alter_replica_log_dir_topic_result_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterReplicaLogDirsResponseAlterReplicaLogDirTopicResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterReplicaLogDirsResponseAlterReplicaLogDirTopicResult] = []
    for _ in range(size):
        message = AlterReplicaLogDirsResponseAlterReplicaLogDirTopicResult.__new__(
            AlterReplicaLogDirsResponseAlterReplicaLogDirTopicResult,
        )
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.topic_name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.partitions, position = _read_many_alter_replica_log_dir_partition_result_v1(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[AlterReplicaLogDirsResponse, int]:
    message = AlterReplicaLogDirsResponse.__new__(AlterReplicaLogDirsResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.results, position = _read_many_alter_replica_log_dir_topic_result_v1(buffer, position, count)
    elif not count:
        message.results = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_alter_replica_log_dir_partition_result_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterReplicaLogDirsResponseAlterReplicaLogDirPartitionResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterReplicaLogDirsResponseAlterReplicaLogDirPartitionResult] = []
    for _ in range(size):
        message = AlterReplicaLogDirsResponseAlterReplicaLogDirPartitionResult.__new__(
            AlterReplicaLogDirsResponseAlterReplicaLogDirPartitionResult,
        )
        message.partition_index, message.error_code, tags = _unpack_ihB(buffer, position)
        position += 7
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_alter_replica_log_dir_topic_result_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterReplicaLogDirsResponseAlterReplicaLogDirTopicResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterReplicaLogDirsResponseAlterReplicaLogDirTopicResult] = []
    for _ in range(size):
        message = AlterReplicaLogDirsResponseAlterReplicaLogDirTopicResult.__new__(
            AlterReplicaLogDirsResponseAlterReplicaLogDirTopicResult,
        )
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.topic_name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_alter_replica_log_dir_partition_result_v2(buffer, position, count - 1)
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


def _read_v2(buffer: Buffer, position: int) -> tuple[AlterReplicaLogDirsResponse, int]:
    message = AlterReplicaLogDirsResponse.__new__(AlterReplicaLogDirsResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.results, position = _read_many_alter_replica_log_dir_topic_result_v2(buffer, position, count - 1)
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


def _write_alter_replica_log_dir_partition_result_v1(
    out: Pieces,
    message: AlterReplicaLogDirsResponseAlterReplicaLogDirPartitionResult,
) -> None:
    out.append(_pack_ih(message.partition_index, message.error_code))
    if message.unknown_tags:
        raise Malformed


def _write_alter_replica_log_dir_topic_result_v1(
    out: Pieces,
    message: AlterReplicaLogDirsResponseAlterReplicaLogDirTopicResult,
) -> None:
    topic_name = message.topic_name
    data = topic_name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_alter_replica_log_dir_partition_result_v1(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_alter_replica_log_dir_topic_result_v1(
    out: Pieces,
    message: AlterReplicaLogDirsResponseAlterReplicaLogDirTopicResult,
) -> Steps[None]:
    topic_name = message.topic_name
    data = topic_name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_alter_replica_log_dir_partition_result_v1(out, partitions_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: AlterReplicaLogDirsResponse) -> None:
    results = message.results
    count = len(results)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for results_item in results:
        _write_alter_replica_log_dir_topic_result_v1(out, results_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v1(out: Pieces, message: AlterReplicaLogDirsResponse) -> Steps[None]:
    results = message.results
    count = len(results)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for results_item in results:
        yield from _step_write_alter_replica_log_dir_topic_result_v1(out, results_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_alter_replica_log_dir_partition_result_v2(
    out: Pieces,
    message: AlterReplicaLogDirsResponseAlterReplicaLogDirPartitionResult,
) -> None:
    if message.unknown_tags:
        out.append(_pack_ih(message.partition_index, message.error_code))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_ihB(message.partition_index, message.error_code, 0))


def _write_alter_replica_log_dir_topic_result_v2(
    out: Pieces,
    message: AlterReplicaLogDirsResponseAlterReplicaLogDirTopicResult,
) -> None:
    topic_name = message.topic_name
    data = topic_name.encode()
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
        _write_alter_replica_log_dir_partition_result_v2(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_alter_replica_log_dir_topic_result_v2(
    out: Pieces,
    message: AlterReplicaLogDirsResponseAlterReplicaLogDirTopicResult,
) -> Steps[None]:
    topic_name = message.topic_name
    data = topic_name.encode()
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
        _write_alter_replica_log_dir_partition_result_v2(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v2(out: Pieces, message: AlterReplicaLogDirsResponse) -> None:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for results_item in results:
        _write_alter_replica_log_dir_topic_result_v2(out, results_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v2(out: Pieces, message: AlterReplicaLogDirsResponse) -> Steps[None]:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for results_item in results:
        yield from _step_write_alter_replica_log_dir_topic_result_v2(out, results_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v1,
    _read_v2,
)

_WRITERS = (
    _write_v1,
    _write_v2,
)

_STEP_WRITERS = (
    _step_write_v1,
    _step_write_v2,
)


@cache
def _schema() -> MessageSchema:
    alter_replica_log_dir_partition_result_struct = StructSchema(
        python_class=AlterReplicaLogDirsResponseAlterReplicaLogDirPartitionResult,
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
    alter_replica_log_dir_topic_result_struct = StructSchema(
        python_class=AlterReplicaLogDirsResponseAlterReplicaLogDirTopicResult,
        fields=(
            FieldSchema(
                name="TopicName",
                attribute="topic_name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Partitions",
                attribute="partitions",
                type="AlterReplicaLogDirPartitionResult",
                struct=alter_replica_log_dir_partition_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    alter_replica_log_dirs_response_struct = StructSchema(
        python_class=AlterReplicaLogDirsResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Results",
                attribute="results",
                type="AlterReplicaLogDirTopicResult",
                struct=alter_replica_log_dir_topic_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="AlterReplicaLogDirsResponse",
        flexible_from=2,
        root=alter_replica_log_dirs_response_struct,
    )
