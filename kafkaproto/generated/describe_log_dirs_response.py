"""DescribeLogDirsResponse: versions 1-5, flexible from 2, api key 35.

Generated from api/DescribeLogDirsResponse.json by codegen; change the schema, not this file.
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
_unpack_hB = struct.Struct(">hB").unpack_from
_unpack_hh = struct.Struct(">hh").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_ii = struct.Struct(">ii").unpack_from
_unpack_iqqt = struct.Struct(">iqq?").unpack_from
_unpack_iqqtB = struct.Struct(">iqq?B").unpack_from
_unpack_qqtB = struct.Struct(">qq?B").unpack_from
_unpack_qqB = struct.Struct(">qqB").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_hh = struct.Struct(">hh").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_ii = struct.Struct(">ii").pack
_pack_iqqt = struct.Struct(">iqq?").pack
_pack_iqqtB = struct.Struct(">iqq?B").pack
_pack_qq = struct.Struct(">qq").pack
_pack_qqt = struct.Struct(">qq?").pack
_pack_qqtB = struct.Struct(">qq?B").pack
_pack_qqB = struct.Struct(">qqB").pack


class DescribeLogDirsResponseDescribeLogDirsPartition(Struct):
    """DescribeLogDirsPartition of DescribeLogDirsResponse."""

    __slots__ = ("partition_index", "partition_size", "offset_lag", "is_future_key", "unknown_tags")

    partition_index: int
    """Versions 0+."""
    partition_size: int
    """Versions 0+."""
    offset_lag: int
    """Versions 0+."""
    is_future_key: bool
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        partition_size: int = 0,
        offset_lag: int = 0,
        is_future_key: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.partition_size = partition_size
        self.offset_lag = offset_lag
        self.is_future_key = is_future_key
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeLogDirsResponseDescribeLogDirsPartition)
            and self.partition_index == other.partition_index
            and self.partition_size == other.partition_size
            and self.offset_lag == other.offset_lag
            and self.is_future_key == other.is_future_key
            and self.unknown_tags == other.unknown_tags
        )



class DescribeLogDirsResponseDescribeLogDirsTopic(Struct):
    """DescribeLogDirsTopic of DescribeLogDirsResponse."""

    __slots__ = ("name", "partitions", "unknown_tags")

    name: str
    """Versions 0+."""
    partitions: list[DescribeLogDirsResponseDescribeLogDirsPartition]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        partitions: list[DescribeLogDirsResponseDescribeLogDirsPartition] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeLogDirsResponseDescribeLogDirsTopic)
            and self.name == other.name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class DescribeLogDirsResponseDescribeLogDirsResult(Struct):
    """DescribeLogDirsResult of DescribeLogDirsResponse."""

    __slots__ = (
        "error_code",
        "log_dir",
        "topics",
        "total_bytes",
        "usable_bytes",
        "is_cordoned",
        "unknown_tags",
    )

    error_code: int
    """Versions 0+."""
    log_dir: str
    """Versions 0+."""
    topics: list[DescribeLogDirsResponseDescribeLogDirsTopic]
    """Versions 0+."""
    total_bytes: int
    """Versions 4+, dropped where a version lacks it."""
    usable_bytes: int
    """Versions 4+, dropped where a version lacks it."""
    is_cordoned: bool
    """Versions 5+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        error_code: int = 0,
        log_dir: str = "",
        topics: list[DescribeLogDirsResponseDescribeLogDirsTopic] = EMPTY,
        total_bytes: int = -1,
        usable_bytes: int = -1,
        is_cordoned: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.error_code = error_code
        self.log_dir = log_dir
        self.topics = [] if topics is EMPTY else topics
        self.total_bytes = total_bytes
        self.usable_bytes = usable_bytes
        self.is_cordoned = is_cordoned
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeLogDirsResponseDescribeLogDirsResult)
            and self.error_code == other.error_code
            and self.log_dir == other.log_dir
            and self.topics == other.topics
            and self.total_bytes == other.total_bytes
            and self.usable_bytes == other.usable_bytes
            and self.is_cordoned == other.is_cordoned
            and self.unknown_tags == other.unknown_tags
        )



class DescribeLogDirsResponse(Message):
    """Response DescribeLogDirsResponse."""

    __slots__ = ("throttle_time_ms", "error_code", "results", "unknown_tags")

    NAME: ClassVar[str] = "DescribeLogDirsResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 35
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    DescribeLogDirsPartition: TypeAlias = DescribeLogDirsResponseDescribeLogDirsPartition
    DescribeLogDirsTopic: TypeAlias = DescribeLogDirsResponseDescribeLogDirsTopic
    DescribeLogDirsResult: TypeAlias = DescribeLogDirsResponseDescribeLogDirsResult

    throttle_time_ms: int
    """Versions 0+."""
    error_code: int
    """Versions 3+, dropped where a version lacks it."""
    results: list[DescribeLogDirsResponseDescribeLogDirsResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        results: list[DescribeLogDirsResponseDescribeLogDirsResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.results = [] if results is EMPTY else results
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeLogDirsResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.results == other.results
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DescribeLogDirsResponse, int]:
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


def _read_many_describe_log_dirs_partition_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeLogDirsResponseDescribeLogDirsPartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeLogDirsResponseDescribeLogDirsPartition] = []
    for _ in range(size):
        message = DescribeLogDirsResponseDescribeLogDirsPartition.__new__(
            DescribeLogDirsResponseDescribeLogDirsPartition,
        )
        (
            message.partition_index,
            message.partition_size,
            message.offset_lag,
            message.is_future_key,
        ) = _unpack_iqqt(buffer, position)
        position += 21
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_describe_log_dirs_topic_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeLogDirsResponseDescribeLogDirsTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeLogDirsResponseDescribeLogDirsTopic] = []
    for _ in range(size):
        message = DescribeLogDirsResponseDescribeLogDirsTopic.__new__(
            DescribeLogDirsResponseDescribeLogDirsTopic,
        )
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
            message.partitions, position = _read_many_describe_log_dirs_partition_v1(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_describe_log_dirs_result_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeLogDirsResponseDescribeLogDirsResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeLogDirsResponseDescribeLogDirsResult] = []
    for _ in range(size):
        message = DescribeLogDirsResponseDescribeLogDirsResult.__new__(
            DescribeLogDirsResponseDescribeLogDirsResult,
        )
        message.error_code, length = _unpack_hh(buffer, position)
        position += 4
        if length < 0:
            raise Malformed
        end = position + length
        message.log_dir = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.topics, position = _read_many_describe_log_dirs_topic_v1(buffer, position, count)
        elif not count:
            message.topics = []
        else:
            raise Malformed
        message.total_bytes = -1
        message.usable_bytes = -1
        message.is_cordoned = False
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[DescribeLogDirsResponse, int]:
    message = DescribeLogDirsResponse.__new__(DescribeLogDirsResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.results, position = _read_many_describe_log_dirs_result_v1(buffer, position, count)
    elif not count:
        message.results = []
    else:
        raise Malformed
    message.error_code = 0
    message.unknown_tags = None
    return message, position


def _read_many_describe_log_dirs_partition_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeLogDirsResponseDescribeLogDirsPartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeLogDirsResponseDescribeLogDirsPartition] = []
    for _ in range(size):
        message = DescribeLogDirsResponseDescribeLogDirsPartition.__new__(
            DescribeLogDirsResponseDescribeLogDirsPartition,
        )
        (
            message.partition_index,
            message.partition_size,
            message.offset_lag,
            message.is_future_key,
            tags,
        ) = _unpack_iqqtB(buffer, position)
        position += 22
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_describe_log_dirs_topic_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeLogDirsResponseDescribeLogDirsTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeLogDirsResponseDescribeLogDirsTopic] = []
    for _ in range(size):
        message = DescribeLogDirsResponseDescribeLogDirsTopic.__new__(
            DescribeLogDirsResponseDescribeLogDirsTopic,
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
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_describe_log_dirs_partition_v2(buffer, position, count - 1)
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


def _read_many_describe_log_dirs_result_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeLogDirsResponseDescribeLogDirsResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeLogDirsResponseDescribeLogDirsResult] = []
    for _ in range(size):
        message = DescribeLogDirsResponseDescribeLogDirsResult.__new__(
            DescribeLogDirsResponseDescribeLogDirsResult,
        )
        message.error_code, length = _unpack_hB(buffer, position)
        position += 3
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.log_dir = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.topics, position = _read_many_describe_log_dirs_topic_v2(buffer, position, count - 1)
        elif count:
            message.topics = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.total_bytes = -1
        message.usable_bytes = -1
        message.is_cordoned = False
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v2(buffer: Buffer, position: int) -> tuple[DescribeLogDirsResponse, int]:
    message = DescribeLogDirsResponse.__new__(DescribeLogDirsResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.results, position = _read_many_describe_log_dirs_result_v2(buffer, position, count - 1)
    elif count:
        message.results = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.error_code = 0
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v3(buffer: Buffer, position: int) -> tuple[DescribeLogDirsResponse, int]:
    message = DescribeLogDirsResponse.__new__(DescribeLogDirsResponse)
    message.throttle_time_ms, message.error_code, count = _unpack_ihB(buffer, position)
    position += 7
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.results, position = _read_many_describe_log_dirs_result_v2(buffer, position, count - 1)
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


def _read_many_describe_log_dirs_result_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeLogDirsResponseDescribeLogDirsResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeLogDirsResponseDescribeLogDirsResult] = []
    for _ in range(size):
        message = DescribeLogDirsResponseDescribeLogDirsResult.__new__(
            DescribeLogDirsResponseDescribeLogDirsResult,
        )
        message.error_code, length = _unpack_hB(buffer, position)
        position += 3
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.log_dir = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.topics, position = _read_many_describe_log_dirs_topic_v2(buffer, position, count - 1)
        elif count:
            message.topics = []
        else:
            raise Malformed
        message.total_bytes, message.usable_bytes, tags = _unpack_qqB(buffer, position)
        position += 17
        message.is_cordoned = False
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v4(buffer: Buffer, position: int) -> tuple[DescribeLogDirsResponse, int]:
    message = DescribeLogDirsResponse.__new__(DescribeLogDirsResponse)
    message.throttle_time_ms, message.error_code, count = _unpack_ihB(buffer, position)
    position += 7
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.results, position = _read_many_describe_log_dirs_result_v4(buffer, position, count - 1)
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


def _read_many_describe_log_dirs_result_v5(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeLogDirsResponseDescribeLogDirsResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeLogDirsResponseDescribeLogDirsResult] = []
    for _ in range(size):
        message = DescribeLogDirsResponseDescribeLogDirsResult.__new__(
            DescribeLogDirsResponseDescribeLogDirsResult,
        )
        message.error_code, length = _unpack_hB(buffer, position)
        position += 3
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.log_dir = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.topics, position = _read_many_describe_log_dirs_topic_v2(buffer, position, count - 1)
        elif count:
            message.topics = []
        else:
            raise Malformed
        message.total_bytes, message.usable_bytes, message.is_cordoned, tags = _unpack_qqtB(buffer, position)
        position += 18
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v5(buffer: Buffer, position: int) -> tuple[DescribeLogDirsResponse, int]:
    message = DescribeLogDirsResponse.__new__(DescribeLogDirsResponse)
    message.throttle_time_ms, message.error_code, count = _unpack_ihB(buffer, position)
    position += 7
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.results, position = _read_many_describe_log_dirs_result_v5(buffer, position, count - 1)
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


def _write_describe_log_dirs_partition_v1(
    out: Pieces,
    message: DescribeLogDirsResponseDescribeLogDirsPartition,
) -> None:
    out.append(_pack_iqqt(
        message.partition_index,
        message.partition_size,
        message.offset_lag,
        message.is_future_key,
    ))
    if message.unknown_tags:
        raise Malformed


def _write_describe_log_dirs_topic_v1(
    out: Pieces,
    message: DescribeLogDirsResponseDescribeLogDirsTopic,
) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_describe_log_dirs_partition_v1(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_describe_log_dirs_topic_v1(
    out: Pieces,
    message: DescribeLogDirsResponseDescribeLogDirsTopic,
) -> Steps[None]:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_describe_log_dirs_partition_v1(out, partitions_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_describe_log_dirs_result_v1(
    out: Pieces,
    message: DescribeLogDirsResponseDescribeLogDirsResult,
) -> None:
    log_dir = message.log_dir
    data = log_dir.encode()
    length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    topics = message.topics
    count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        _write_describe_log_dirs_topic_v1(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_describe_log_dirs_result_v1(
    out: Pieces,
    message: DescribeLogDirsResponseDescribeLogDirsResult,
) -> Steps[None]:
    log_dir = message.log_dir
    data = log_dir.encode()
    length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    topics = message.topics
    count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        yield from _step_write_describe_log_dirs_topic_v1(out, topics_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: DescribeLogDirsResponse) -> None:
    results = message.results
    count = len(results)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for results_item in results:
        _write_describe_log_dirs_result_v1(out, results_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v1(out: Pieces, message: DescribeLogDirsResponse) -> Steps[None]:
    results = message.results
    count = len(results)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for results_item in results:
        yield from _step_write_describe_log_dirs_result_v1(out, results_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_describe_log_dirs_partition_v2(
    out: Pieces,
    message: DescribeLogDirsResponseDescribeLogDirsPartition,
) -> None:
    if message.unknown_tags:
        out.append(_pack_iqqt(
            message.partition_index,
            message.partition_size,
            message.offset_lag,
            message.is_future_key,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iqqtB(
            message.partition_index,
            message.partition_size,
            message.offset_lag,
            message.is_future_key,
            0,
        ))


def _write_describe_log_dirs_topic_v2(
    out: Pieces,
    message: DescribeLogDirsResponseDescribeLogDirsTopic,
) -> None:
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
        _write_describe_log_dirs_partition_v2(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_describe_log_dirs_topic_v2(
    out: Pieces,
    message: DescribeLogDirsResponseDescribeLogDirsTopic,
) -> Steps[None]:
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
        _write_describe_log_dirs_partition_v2(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_describe_log_dirs_result_v2(
    out: Pieces,
    message: DescribeLogDirsResponseDescribeLogDirsResult,
) -> None:
    log_dir = message.log_dir
    data = log_dir.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        _write_describe_log_dirs_topic_v2(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_describe_log_dirs_result_v2(
    out: Pieces,
    message: DescribeLogDirsResponseDescribeLogDirsResult,
) -> Steps[None]:
    log_dir = message.log_dir
    data = log_dir.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_describe_log_dirs_topic_v2(out, topics_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v2(out: Pieces, message: DescribeLogDirsResponse) -> None:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for results_item in results:
        _write_describe_log_dirs_result_v2(out, results_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v2(out: Pieces, message: DescribeLogDirsResponse) -> Steps[None]:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for results_item in results:
        yield from _step_write_describe_log_dirs_result_v2(out, results_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v3(out: Pieces, message: DescribeLogDirsResponse) -> None:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for results_item in results:
        _write_describe_log_dirs_result_v2(out, results_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v3(out: Pieces, message: DescribeLogDirsResponse) -> Steps[None]:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for results_item in results:
        yield from _step_write_describe_log_dirs_result_v2(out, results_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_describe_log_dirs_result_v4(
    out: Pieces,
    message: DescribeLogDirsResponseDescribeLogDirsResult,
) -> None:
    log_dir = message.log_dir
    data = log_dir.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        _write_describe_log_dirs_topic_v2(out, topics_item)
    if message.unknown_tags:
        out.append(_pack_qq(message.total_bytes, message.usable_bytes))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_qqB(message.total_bytes, message.usable_bytes, 0))


def _step_write_describe_log_dirs_result_v4(
    out: Pieces,
    message: DescribeLogDirsResponseDescribeLogDirsResult,
) -> Steps[None]:
    log_dir = message.log_dir
    data = log_dir.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_describe_log_dirs_topic_v2(out, topics_item)
        yield
    if message.unknown_tags:
        out.append(_pack_qq(message.total_bytes, message.usable_bytes))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_qqB(message.total_bytes, message.usable_bytes, 0))


def _write_v4(out: Pieces, message: DescribeLogDirsResponse) -> None:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for results_item in results:
        _write_describe_log_dirs_result_v4(out, results_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v4(out: Pieces, message: DescribeLogDirsResponse) -> Steps[None]:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for results_item in results:
        yield from _step_write_describe_log_dirs_result_v4(out, results_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_describe_log_dirs_result_v5(
    out: Pieces,
    message: DescribeLogDirsResponseDescribeLogDirsResult,
) -> None:
    log_dir = message.log_dir
    data = log_dir.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        _write_describe_log_dirs_topic_v2(out, topics_item)
    if message.unknown_tags:
        out.append(_pack_qqt(message.total_bytes, message.usable_bytes, message.is_cordoned))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_qqtB(message.total_bytes, message.usable_bytes, message.is_cordoned, 0))


def _step_write_describe_log_dirs_result_v5(
    out: Pieces,
    message: DescribeLogDirsResponseDescribeLogDirsResult,
) -> Steps[None]:
    log_dir = message.log_dir
    data = log_dir.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_describe_log_dirs_topic_v2(out, topics_item)
        yield
    if message.unknown_tags:
        out.append(_pack_qqt(message.total_bytes, message.usable_bytes, message.is_cordoned))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_qqtB(message.total_bytes, message.usable_bytes, message.is_cordoned, 0))


def _write_v5(out: Pieces, message: DescribeLogDirsResponse) -> None:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for results_item in results:
        _write_describe_log_dirs_result_v5(out, results_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v5(out: Pieces, message: DescribeLogDirsResponse) -> Steps[None]:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for results_item in results:
        yield from _step_write_describe_log_dirs_result_v5(out, results_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v1,
    _read_v2,
    _read_v3,
    _read_v4,
    _read_v5,
)

_WRITERS = (
    _write_v1,
    _write_v2,
    _write_v3,
    _write_v4,
    _write_v5,
)

_STEP_WRITERS = (
    _step_write_v1,
    _step_write_v2,
    _step_write_v3,
    _step_write_v4,
    _step_write_v5,
)


@cache
def _schema() -> MessageSchema:
    describe_log_dirs_partition_struct = StructSchema(
        python_class=DescribeLogDirsResponseDescribeLogDirsPartition,
        fields=(
            FieldSchema(
                name="PartitionIndex",
                attribute="partition_index",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="PartitionSize",
                attribute="partition_size",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="OffsetLag",
                attribute="offset_lag",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="IsFutureKey",
                attribute="is_future_key",
                type="bool",
                versions=(0, 32767),
                default=False,
            ),
        ),
    )
    describe_log_dirs_topic_struct = StructSchema(
        python_class=DescribeLogDirsResponseDescribeLogDirsTopic,
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
                type="DescribeLogDirsPartition",
                struct=describe_log_dirs_partition_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    describe_log_dirs_result_struct = StructSchema(
        python_class=DescribeLogDirsResponseDescribeLogDirsResult,
        fields=(
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LogDir",
                attribute="log_dir",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="DescribeLogDirsTopic",
                struct=describe_log_dirs_topic_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="TotalBytes",
                attribute="total_bytes",
                type="int64",
                versions=(4, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="UsableBytes",
                attribute="usable_bytes",
                type="int64",
                versions=(4, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="IsCordoned",
                attribute="is_cordoned",
                type="bool",
                versions=(5, 32767),
                default=False,
                ignorable=True,
            ),
        ),
    )
    describe_log_dirs_response_struct = StructSchema(
        python_class=DescribeLogDirsResponse,
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
                versions=(3, 32767),
                default=0,
                ignorable=True,
            ),
            FieldSchema(
                name="Results",
                attribute="results",
                type="DescribeLogDirsResult",
                struct=describe_log_dirs_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="DescribeLogDirsResponse",
        flexible_from=2,
        root=describe_log_dirs_response_struct,
    )
