"""AddPartitionsToTxnResponse: versions 0-5, flexible from 3, api key 24.

Generated from api/AddPartitionsToTxnResponse.json by codegen; change the schema, not this file.
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


class AddPartitionsToTxnResponseAddPartitionsToTxnPartitionResult(Struct):
    """AddPartitionsToTxnPartitionResult of AddPartitionsToTxnResponse."""

    __slots__ = ("partition_index", "partition_error_code", "unknown_tags")

    partition_index: int
    """Versions 0+."""
    partition_error_code: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        partition_error_code: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.partition_error_code = partition_error_code
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AddPartitionsToTxnResponseAddPartitionsToTxnPartitionResult)
            and self.partition_index == other.partition_index
            and self.partition_error_code == other.partition_error_code
            and self.unknown_tags == other.unknown_tags
        )



class AddPartitionsToTxnResponseAddPartitionsToTxnTopicResult(Struct):
    """AddPartitionsToTxnTopicResult of AddPartitionsToTxnResponse."""

    __slots__ = ("name", "results_by_partition", "unknown_tags")

    name: str
    """Versions 0+."""
    results_by_partition: list[AddPartitionsToTxnResponseAddPartitionsToTxnPartitionResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        results_by_partition: list[AddPartitionsToTxnResponseAddPartitionsToTxnPartitionResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.results_by_partition = [] if results_by_partition is EMPTY else results_by_partition
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AddPartitionsToTxnResponseAddPartitionsToTxnTopicResult)
            and self.name == other.name
            and self.results_by_partition == other.results_by_partition
            and self.unknown_tags == other.unknown_tags
        )



class AddPartitionsToTxnResponseAddPartitionsToTxnResult(Struct):
    """AddPartitionsToTxnResult of AddPartitionsToTxnResponse."""

    __slots__ = ("transactional_id", "topic_results", "unknown_tags")

    transactional_id: str
    """Versions 4+."""
    topic_results: list[AddPartitionsToTxnResponseAddPartitionsToTxnTopicResult]
    """Versions 4+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        transactional_id: str = "",
        topic_results: list[AddPartitionsToTxnResponseAddPartitionsToTxnTopicResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.transactional_id = transactional_id
        self.topic_results = [] if topic_results is EMPTY else topic_results
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AddPartitionsToTxnResponseAddPartitionsToTxnResult)
            and self.transactional_id == other.transactional_id
            and self.topic_results == other.topic_results
            and self.unknown_tags == other.unknown_tags
        )



class AddPartitionsToTxnResponse(Message):
    """Response AddPartitionsToTxnResponse."""

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "results_by_transaction",
        "results_by_topic_v3_and_below",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "AddPartitionsToTxnResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 24
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    AddPartitionsToTxnPartitionResult: TypeAlias = AddPartitionsToTxnResponseAddPartitionsToTxnPartitionResult
    AddPartitionsToTxnTopicResult: TypeAlias = AddPartitionsToTxnResponseAddPartitionsToTxnTopicResult
    AddPartitionsToTxnResult: TypeAlias = AddPartitionsToTxnResponseAddPartitionsToTxnResult

    throttle_time_ms: int
    """Versions 0+."""
    error_code: int
    """Versions 4+, dropped where a version lacks it."""
    results_by_transaction: list[AddPartitionsToTxnResponseAddPartitionsToTxnResult]
    """Versions 4+."""
    results_by_topic_v3_and_below: list[AddPartitionsToTxnResponseAddPartitionsToTxnTopicResult]
    """Versions 0-3."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        results_by_transaction: list[AddPartitionsToTxnResponseAddPartitionsToTxnResult] = EMPTY,
        results_by_topic_v3_and_below: list[AddPartitionsToTxnResponseAddPartitionsToTxnTopicResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.results_by_transaction = [] if results_by_transaction is EMPTY else results_by_transaction
        self.results_by_topic_v3_and_below = [] if results_by_topic_v3_and_below is EMPTY else results_by_topic_v3_and_below
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AddPartitionsToTxnResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.results_by_transaction == other.results_by_transaction
            and self.results_by_topic_v3_and_below == other.results_by_topic_v3_and_below
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[AddPartitionsToTxnResponse, int]:
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


def _read_many_add_partitions_to_txn_partition_result_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AddPartitionsToTxnResponseAddPartitionsToTxnPartitionResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AddPartitionsToTxnResponseAddPartitionsToTxnPartitionResult] = []
    for _ in range(size):
        message = AddPartitionsToTxnResponseAddPartitionsToTxnPartitionResult.__new__(
            AddPartitionsToTxnResponseAddPartitionsToTxnPartitionResult,
        )
        message.partition_index, message.partition_error_code = _unpack_ih(buffer, position)
        position += 6
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_add_partitions_to_txn_topic_result_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AddPartitionsToTxnResponseAddPartitionsToTxnTopicResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AddPartitionsToTxnResponseAddPartitionsToTxnTopicResult] = []
    for _ in range(size):
        message = AddPartitionsToTxnResponseAddPartitionsToTxnTopicResult.__new__(
            AddPartitionsToTxnResponseAddPartitionsToTxnTopicResult,
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
            message.results_by_partition, position = _read_many_add_partitions_to_txn_partition_result_v0(buffer, position, count)
        elif not count:
            message.results_by_partition = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[AddPartitionsToTxnResponse, int]:
    message = AddPartitionsToTxnResponse.__new__(AddPartitionsToTxnResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.results_by_topic_v3_and_below, position = _read_many_add_partitions_to_txn_topic_result_v0(buffer, position, count)
    elif not count:
        message.results_by_topic_v3_and_below = []
    else:
        raise Malformed
    message.error_code = 0
    message.results_by_transaction = []
    message.unknown_tags = None
    return message, position


def _read_many_add_partitions_to_txn_partition_result_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AddPartitionsToTxnResponseAddPartitionsToTxnPartitionResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AddPartitionsToTxnResponseAddPartitionsToTxnPartitionResult] = []
    for _ in range(size):
        message = AddPartitionsToTxnResponseAddPartitionsToTxnPartitionResult.__new__(
            AddPartitionsToTxnResponseAddPartitionsToTxnPartitionResult,
        )
        message.partition_index, message.partition_error_code, tags = _unpack_ihB(buffer, position)
        position += 7
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_add_partitions_to_txn_topic_result_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AddPartitionsToTxnResponseAddPartitionsToTxnTopicResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AddPartitionsToTxnResponseAddPartitionsToTxnTopicResult] = []
    for _ in range(size):
        message = AddPartitionsToTxnResponseAddPartitionsToTxnTopicResult.__new__(
            AddPartitionsToTxnResponseAddPartitionsToTxnTopicResult,
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
            message.results_by_partition, position = _read_many_add_partitions_to_txn_partition_result_v3(buffer, position, count - 1)
        elif count:
            message.results_by_partition = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v3(buffer: Buffer, position: int) -> tuple[AddPartitionsToTxnResponse, int]:
    message = AddPartitionsToTxnResponse.__new__(AddPartitionsToTxnResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.results_by_topic_v3_and_below, position = _read_many_add_partitions_to_txn_topic_result_v3(buffer, position, count - 1)
    elif count:
        message.results_by_topic_v3_and_below = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.error_code = 0
    message.results_by_transaction = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_add_partitions_to_txn_result_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AddPartitionsToTxnResponseAddPartitionsToTxnResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AddPartitionsToTxnResponseAddPartitionsToTxnResult] = []
    for _ in range(size):
        message = AddPartitionsToTxnResponseAddPartitionsToTxnResult.__new__(
            AddPartitionsToTxnResponseAddPartitionsToTxnResult,
        )
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.transactional_id = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.topic_results, position = _read_many_add_partitions_to_txn_topic_result_v3(buffer, position, count - 1)
        elif count:
            message.topic_results = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v4(buffer: Buffer, position: int) -> tuple[AddPartitionsToTxnResponse, int]:
    message = AddPartitionsToTxnResponse.__new__(AddPartitionsToTxnResponse)
    message.throttle_time_ms, message.error_code, count = _unpack_ihB(buffer, position)
    position += 7
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.results_by_transaction, position = _read_many_add_partitions_to_txn_result_v4(buffer, position, count - 1)
    elif count:
        message.results_by_transaction = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.results_by_topic_v3_and_below = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_add_partitions_to_txn_partition_result_v0(
    out: Pieces,
    message: AddPartitionsToTxnResponseAddPartitionsToTxnPartitionResult,
) -> None:
    out.append(_pack_ih(message.partition_index, message.partition_error_code))
    if message.unknown_tags:
        raise Malformed


def _write_add_partitions_to_txn_topic_result_v0(
    out: Pieces,
    message: AddPartitionsToTxnResponseAddPartitionsToTxnTopicResult,
) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    results_by_partition = message.results_by_partition
    count = len(results_by_partition)
    out.append(_pack_i(count))
    for results_by_partition_item in results_by_partition:
        _write_add_partitions_to_txn_partition_result_v0(out, results_by_partition_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_add_partitions_to_txn_topic_result_v0(
    out: Pieces,
    message: AddPartitionsToTxnResponseAddPartitionsToTxnTopicResult,
) -> Steps[None]:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    results_by_partition = message.results_by_partition
    count = len(results_by_partition)
    out.append(_pack_i(count))
    for results_by_partition_item in results_by_partition:
        _write_add_partitions_to_txn_partition_result_v0(out, results_by_partition_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: AddPartitionsToTxnResponse) -> None:
    if len(message.results_by_transaction) != 0:
        raise Malformed
    results_by_topic_v3_and_below = message.results_by_topic_v3_and_below
    count = len(results_by_topic_v3_and_below)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for results_by_topic_v3_and_below_item in results_by_topic_v3_and_below:
        _write_add_partitions_to_txn_topic_result_v0(out, results_by_topic_v3_and_below_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v0(out: Pieces, message: AddPartitionsToTxnResponse) -> Steps[None]:
    if len(message.results_by_transaction) != 0:
        raise Malformed
    results_by_topic_v3_and_below = message.results_by_topic_v3_and_below
    count = len(results_by_topic_v3_and_below)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for results_by_topic_v3_and_below_item in results_by_topic_v3_and_below:
        yield from _step_write_add_partitions_to_txn_topic_result_v0(out, results_by_topic_v3_and_below_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_add_partitions_to_txn_partition_result_v3(
    out: Pieces,
    message: AddPartitionsToTxnResponseAddPartitionsToTxnPartitionResult,
) -> None:
    if message.unknown_tags:
        out.append(_pack_ih(message.partition_index, message.partition_error_code))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_ihB(message.partition_index, message.partition_error_code, 0))


def _write_add_partitions_to_txn_topic_result_v3(
    out: Pieces,
    message: AddPartitionsToTxnResponseAddPartitionsToTxnTopicResult,
) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    results_by_partition = message.results_by_partition
    count = len(results_by_partition) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for results_by_partition_item in results_by_partition:
        _write_add_partitions_to_txn_partition_result_v3(out, results_by_partition_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_add_partitions_to_txn_topic_result_v3(
    out: Pieces,
    message: AddPartitionsToTxnResponseAddPartitionsToTxnTopicResult,
) -> Steps[None]:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    results_by_partition = message.results_by_partition
    count = len(results_by_partition) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for results_by_partition_item in results_by_partition:
        _write_add_partitions_to_txn_partition_result_v3(out, results_by_partition_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v3(out: Pieces, message: AddPartitionsToTxnResponse) -> None:
    if len(message.results_by_transaction) != 0:
        raise Malformed
    results_by_topic_v3_and_below = message.results_by_topic_v3_and_below
    count = len(results_by_topic_v3_and_below) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for results_by_topic_v3_and_below_item in results_by_topic_v3_and_below:
        _write_add_partitions_to_txn_topic_result_v3(out, results_by_topic_v3_and_below_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v3(out: Pieces, message: AddPartitionsToTxnResponse) -> Steps[None]:
    if len(message.results_by_transaction) != 0:
        raise Malformed
    results_by_topic_v3_and_below = message.results_by_topic_v3_and_below
    count = len(results_by_topic_v3_and_below) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for results_by_topic_v3_and_below_item in results_by_topic_v3_and_below:
        yield from _step_write_add_partitions_to_txn_topic_result_v3(out, results_by_topic_v3_and_below_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_add_partitions_to_txn_result_v4(
    out: Pieces,
    message: AddPartitionsToTxnResponseAddPartitionsToTxnResult,
) -> None:
    transactional_id = message.transactional_id
    data = transactional_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topic_results = message.topic_results
    count = len(topic_results) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topic_results_item in topic_results:
        _write_add_partitions_to_txn_topic_result_v3(out, topic_results_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_add_partitions_to_txn_result_v4(
    out: Pieces,
    message: AddPartitionsToTxnResponseAddPartitionsToTxnResult,
) -> Steps[None]:
    transactional_id = message.transactional_id
    data = transactional_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topic_results = message.topic_results
    count = len(topic_results) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topic_results_item in topic_results:
        yield from _step_write_add_partitions_to_txn_topic_result_v3(out, topic_results_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v4(out: Pieces, message: AddPartitionsToTxnResponse) -> None:
    if len(message.results_by_topic_v3_and_below) != 0:
        raise Malformed
    results_by_transaction = message.results_by_transaction
    count = len(results_by_transaction) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for results_by_transaction_item in results_by_transaction:
        _write_add_partitions_to_txn_result_v4(out, results_by_transaction_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v4(out: Pieces, message: AddPartitionsToTxnResponse) -> Steps[None]:
    if len(message.results_by_topic_v3_and_below) != 0:
        raise Malformed
    results_by_transaction = message.results_by_transaction
    count = len(results_by_transaction) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for results_by_transaction_item in results_by_transaction:
        yield from _step_write_add_partitions_to_txn_result_v4(out, results_by_transaction_item)
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
    _read_v4,
    _read_v4,
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v0,
    _write_v3,
    _write_v4,
    _write_v4,
)

_STEP_WRITERS = (
    _step_write_v0,
    _step_write_v0,
    _step_write_v0,
    _step_write_v3,
    _step_write_v4,
    _step_write_v4,
)


@cache
def _schema() -> MessageSchema:
    add_partitions_to_txn_partition_result_struct = StructSchema(
        python_class=AddPartitionsToTxnResponseAddPartitionsToTxnPartitionResult,
        fields=(
            FieldSchema(
                name="PartitionIndex",
                attribute="partition_index",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="PartitionErrorCode",
                attribute="partition_error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    add_partitions_to_txn_topic_result_struct = StructSchema(
        python_class=AddPartitionsToTxnResponseAddPartitionsToTxnTopicResult,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="ResultsByPartition",
                attribute="results_by_partition",
                type="AddPartitionsToTxnPartitionResult",
                struct=add_partitions_to_txn_partition_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    add_partitions_to_txn_result_struct = StructSchema(
        python_class=AddPartitionsToTxnResponseAddPartitionsToTxnResult,
        fields=(
            FieldSchema(
                name="TransactionalId",
                attribute="transactional_id",
                type="string",
                versions=(4, 32767),
                default="",
            ),
            FieldSchema(
                name="TopicResults",
                attribute="topic_results",
                type="AddPartitionsToTxnTopicResult",
                struct=add_partitions_to_txn_topic_result_struct,
                array=True,
                versions=(4, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    add_partitions_to_txn_response_struct = StructSchema(
        python_class=AddPartitionsToTxnResponse,
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
                versions=(4, 32767),
                default=0,
                ignorable=True,
            ),
            FieldSchema(
                name="ResultsByTransaction",
                attribute="results_by_transaction",
                type="AddPartitionsToTxnResult",
                struct=add_partitions_to_txn_result_struct,
                array=True,
                versions=(4, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="ResultsByTopicV3AndBelow",
                attribute="results_by_topic_v3_and_below",
                type="AddPartitionsToTxnTopicResult",
                struct=add_partitions_to_txn_topic_result_struct,
                array=True,
                versions=(0, 3),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="AddPartitionsToTxnResponse",
        flexible_from=3,
        root=add_partitions_to_txn_response_struct,
    )
