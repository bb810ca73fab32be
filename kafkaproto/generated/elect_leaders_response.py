"""ElectLeadersResponse: versions 0-2, flexible from 2, api key 43.

Generated from api/ElectLeadersResponse.json by codegen; change the schema, not this file.
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
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_ihh = struct.Struct(">ihh").unpack_from
_unpack_ihi = struct.Struct(">ihi").unpack_from
_unpack_ii = struct.Struct(">ii").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_ihh = struct.Struct(">ihh").pack
_pack_ihi = struct.Struct(">ihi").pack
_pack_ii = struct.Struct(">ii").pack


class ElectLeadersResponsePartitionResult(Struct):
    """PartitionResult of ElectLeadersResponse."""

    __slots__ = ("partition_id", "error_code", "error_message", "unknown_tags")

    partition_id: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_id: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_id = partition_id
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ElectLeadersResponsePartitionResult)
            and self.partition_id == other.partition_id
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.unknown_tags == other.unknown_tags
        )



class ElectLeadersResponseReplicaElectionResult(Struct):
    """ReplicaElectionResult of ElectLeadersResponse."""

    __slots__ = ("topic", "partition_result", "unknown_tags")

    topic: str
    """Versions 0+."""
    partition_result: list[ElectLeadersResponsePartitionResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic: str = "",
        partition_result: list[ElectLeadersResponsePartitionResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic = topic
        self.partition_result = [] if partition_result is EMPTY else partition_result
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ElectLeadersResponseReplicaElectionResult)
            and self.topic == other.topic
            and self.partition_result == other.partition_result
            and self.unknown_tags == other.unknown_tags
        )



class ElectLeadersResponse(Message):
    """Response ElectLeadersResponse."""

    __slots__ = ("throttle_time_ms", "error_code", "replica_election_results", "unknown_tags")

    NAME: ClassVar[str] = "ElectLeadersResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 43
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    PartitionResult: TypeAlias = ElectLeadersResponsePartitionResult
    ReplicaElectionResult: TypeAlias = ElectLeadersResponseReplicaElectionResult

    throttle_time_ms: int
    """Versions 0+."""
    error_code: int
    """Versions 1+."""
    replica_election_results: list[ElectLeadersResponseReplicaElectionResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        replica_election_results: list[ElectLeadersResponseReplicaElectionResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.replica_election_results = [] if replica_election_results is EMPTY else replica_election_results
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ElectLeadersResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.replica_election_results == other.replica_election_results
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ElectLeadersResponse, int]:
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
) -> tuple[list[ElectLeadersResponsePartitionResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ElectLeadersResponsePartitionResult] = []
    for _ in range(size):
        message = ElectLeadersResponsePartitionResult.__new__(ElectLeadersResponsePartitionResult)
        message.partition_id, message.error_code, length = _unpack_ihh(buffer, position)
        position += 8
        if length < 0:
            message.error_message = None
        else:
            end = position + length
            message.error_message = str(buffer[position:end], "utf-8")
            position = end
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_replica_election_result_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ElectLeadersResponseReplicaElectionResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ElectLeadersResponseReplicaElectionResult] = []
    for _ in range(size):
        message = ElectLeadersResponseReplicaElectionResult.__new__(ElectLeadersResponseReplicaElectionResult)
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
            message.partition_result, position = _read_many_partition_result_v0(buffer, position, count)
        elif not count:
            message.partition_result = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[ElectLeadersResponse, int]:
    message = ElectLeadersResponse.__new__(ElectLeadersResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.replica_election_results, position = _read_many_replica_election_result_v0(buffer, position, count)
    elif not count:
        message.replica_election_results = []
    else:
        raise Malformed
    message.error_code = 0
    message.unknown_tags = None
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[ElectLeadersResponse, int]:
    message = ElectLeadersResponse.__new__(ElectLeadersResponse)
    message.throttle_time_ms, message.error_code, count = _unpack_ihi(buffer, position)
    position += 10
    if count > 0:
        message.replica_election_results, position = _read_many_replica_election_result_v0(buffer, position, count)
    elif not count:
        message.replica_election_results = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_partition_result_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ElectLeadersResponsePartitionResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ElectLeadersResponsePartitionResult] = []
    for _ in range(size):
        message = ElectLeadersResponsePartitionResult.__new__(ElectLeadersResponsePartitionResult)
        message.partition_id, message.error_code, length = _unpack_ihB(buffer, position)
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


def _read_many_replica_election_result_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ElectLeadersResponseReplicaElectionResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ElectLeadersResponseReplicaElectionResult] = []
    for _ in range(size):
        message = ElectLeadersResponseReplicaElectionResult.__new__(ElectLeadersResponseReplicaElectionResult)
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
            message.partition_result, position = _read_many_partition_result_v2(buffer, position, count - 1)
        elif count:
            message.partition_result = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v2(buffer: Buffer, position: int) -> tuple[ElectLeadersResponse, int]:
    message = ElectLeadersResponse.__new__(ElectLeadersResponse)
    message.throttle_time_ms, message.error_code, count = _unpack_ihB(buffer, position)
    position += 7
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.replica_election_results, position = _read_many_replica_election_result_v2(buffer, position, count - 1)
    elif count:
        message.replica_election_results = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_partition_result_v0(out: Pieces, message: ElectLeadersResponsePartitionResult) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = -1
    else:
        data = error_message.encode()
        length = len(data)
    out.append(_pack_ihh(message.partition_id, message.error_code, length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_replica_election_result_v0(
    out: Pieces,
    message: ElectLeadersResponseReplicaElectionResult,
) -> None:
    topic = message.topic
    data = topic.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partition_result = message.partition_result
    count = len(partition_result)
    out.append(_pack_i(count))
    for partition_result_item in partition_result:
        _write_partition_result_v0(out, partition_result_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_replica_election_result_v0(
    out: Pieces,
    message: ElectLeadersResponseReplicaElectionResult,
) -> Steps[None]:
    topic = message.topic
    data = topic.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partition_result = message.partition_result
    count = len(partition_result)
    out.append(_pack_i(count))
    for partition_result_item in partition_result:
        _write_partition_result_v0(out, partition_result_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: ElectLeadersResponse) -> None:
    if message.error_code != 0:
        raise Malformed
    replica_election_results = message.replica_election_results
    count = len(replica_election_results)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for replica_election_results_item in replica_election_results:
        _write_replica_election_result_v0(out, replica_election_results_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v0(out: Pieces, message: ElectLeadersResponse) -> Steps[None]:
    if message.error_code != 0:
        raise Malformed
    replica_election_results = message.replica_election_results
    count = len(replica_election_results)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for replica_election_results_item in replica_election_results:
        yield from _step_write_replica_election_result_v0(out, replica_election_results_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: ElectLeadersResponse) -> None:
    replica_election_results = message.replica_election_results
    count = len(replica_election_results)
    out.append(_pack_ihi(message.throttle_time_ms, message.error_code, count))
    for replica_election_results_item in replica_election_results:
        _write_replica_election_result_v0(out, replica_election_results_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v1(out: Pieces, message: ElectLeadersResponse) -> Steps[None]:
    replica_election_results = message.replica_election_results
    count = len(replica_election_results)
    out.append(_pack_ihi(message.throttle_time_ms, message.error_code, count))
    for replica_election_results_item in replica_election_results:
        yield from _step_write_replica_election_result_v0(out, replica_election_results_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_partition_result_v2(out: Pieces, message: ElectLeadersResponsePartitionResult) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihB(message.partition_id, message.error_code, length))
    else:
        out.append(_pack_ih(message.partition_id, message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_replica_election_result_v2(
    out: Pieces,
    message: ElectLeadersResponseReplicaElectionResult,
) -> None:
    topic = message.topic
    data = topic.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    partition_result = message.partition_result
    count = len(partition_result) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for partition_result_item in partition_result:
        _write_partition_result_v2(out, partition_result_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_replica_election_result_v2(
    out: Pieces,
    message: ElectLeadersResponseReplicaElectionResult,
) -> Steps[None]:
    topic = message.topic
    data = topic.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    partition_result = message.partition_result
    count = len(partition_result) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for partition_result_item in partition_result:
        _write_partition_result_v2(out, partition_result_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v2(out: Pieces, message: ElectLeadersResponse) -> None:
    replica_election_results = message.replica_election_results
    count = len(replica_election_results) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for replica_election_results_item in replica_election_results:
        _write_replica_election_result_v2(out, replica_election_results_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v2(out: Pieces, message: ElectLeadersResponse) -> Steps[None]:
    replica_election_results = message.replica_election_results
    count = len(replica_election_results) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for replica_election_results_item in replica_election_results:
        yield from _step_write_replica_election_result_v2(out, replica_election_results_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
    _read_v1,
    _read_v2,
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v2,
)

_STEP_WRITERS = (
    _step_write_v0,
    _step_write_v1,
    _step_write_v2,
)


@cache
def _schema() -> MessageSchema:
    partition_result_struct = StructSchema(
        python_class=ElectLeadersResponsePartitionResult,
        fields=(
            FieldSchema(
                name="PartitionId",
                attribute="partition_id",
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
                default="",
            ),
        ),
    )
    replica_election_result_struct = StructSchema(
        python_class=ElectLeadersResponseReplicaElectionResult,
        fields=(
            FieldSchema(
                name="Topic",
                attribute="topic",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="PartitionResult",
                attribute="partition_result",
                type="PartitionResult",
                struct=partition_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    elect_leaders_response_struct = StructSchema(
        python_class=ElectLeadersResponse,
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
                versions=(1, 32767),
                default=0,
            ),
            FieldSchema(
                name="ReplicaElectionResults",
                attribute="replica_election_results",
                type="ReplicaElectionResult",
                struct=replica_election_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="ElectLeadersResponse", flexible_from=2, root=elect_leaders_response_struct)
