"""AlterPartitionReassignmentsResponse: versions 0-1, flexible from 0, api key 45.

Generated from api/AlterPartitionReassignmentsResponse.json by codegen; change the schema, not this file.
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

_unpack_ithB = struct.Struct(">i?hB").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_pack_ith = struct.Struct(">i?h").pack
_pack_ithB = struct.Struct(">i?hB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack


class AlterPartitionReassignmentsResponseReassignablePartitionResponse(Struct):
    """ReassignablePartitionResponse of AlterPartitionReassignmentsResponse."""

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
        error_message: str | None = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterPartitionReassignmentsResponseReassignablePartitionResponse)
            and self.partition_index == other.partition_index
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.unknown_tags == other.unknown_tags
        )



class AlterPartitionReassignmentsResponseReassignableTopicResponse(Struct):
    """ReassignableTopicResponse of AlterPartitionReassignmentsResponse."""

    __slots__ = ("name", "partitions", "unknown_tags")

    name: str
    """Versions 0+."""
    partitions: list[AlterPartitionReassignmentsResponseReassignablePartitionResponse]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        partitions: list[AlterPartitionReassignmentsResponseReassignablePartitionResponse] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterPartitionReassignmentsResponseReassignableTopicResponse)
            and self.name == other.name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class AlterPartitionReassignmentsResponse(Message):
    """Response AlterPartitionReassignmentsResponse."""

    __slots__ = (
        "throttle_time_ms",
        "allow_replication_factor_change",
        "error_code",
        "error_message",
        "responses",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "AlterPartitionReassignmentsResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 45
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    ReassignablePartitionResponse: TypeAlias = AlterPartitionReassignmentsResponseReassignablePartitionResponse
    ReassignableTopicResponse: TypeAlias = AlterPartitionReassignmentsResponseReassignableTopicResponse

    throttle_time_ms: int
    """Versions 0+."""
    allow_replication_factor_change: bool
    """Versions 1+, dropped where a version lacks it."""
    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    responses: list[AlterPartitionReassignmentsResponseReassignableTopicResponse]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        allow_replication_factor_change: bool = True,
        error_code: int = 0,
        error_message: str | None = "",
        responses: list[AlterPartitionReassignmentsResponseReassignableTopicResponse] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.allow_replication_factor_change = allow_replication_factor_change
        self.error_code = error_code
        self.error_message = error_message
        self.responses = [] if responses is EMPTY else responses
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterPartitionReassignmentsResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.allow_replication_factor_change == other.allow_replication_factor_change
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.responses == other.responses
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[AlterPartitionReassignmentsResponse, int]:
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


def _read_many_reassignable_partition_response_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterPartitionReassignmentsResponseReassignablePartitionResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterPartitionReassignmentsResponseReassignablePartitionResponse] = []
    for _ in range(size):
        message = AlterPartitionReassignmentsResponseReassignablePartitionResponse.__new__(
            AlterPartitionReassignmentsResponseReassignablePartitionResponse,
        )
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


def _read_many_reassignable_topic_response_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterPartitionReassignmentsResponseReassignableTopicResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterPartitionReassignmentsResponseReassignableTopicResponse] = []
    for _ in range(size):
        message = AlterPartitionReassignmentsResponseReassignableTopicResponse.__new__(
            AlterPartitionReassignmentsResponseReassignableTopicResponse,
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
            message.partitions, position = _read_many_reassignable_partition_response_v0(buffer, position, count - 1)
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


def _read_v0(buffer: Buffer, position: int) -> tuple[AlterPartitionReassignmentsResponse, int]:
    message = AlterPartitionReassignmentsResponse.__new__(AlterPartitionReassignmentsResponse)
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
        message.responses, position = _read_many_reassignable_topic_response_v0(buffer, position, count - 1)
    elif count:
        message.responses = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.allow_replication_factor_change = True
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[AlterPartitionReassignmentsResponse, int]:
    message = AlterPartitionReassignmentsResponse.__new__(AlterPartitionReassignmentsResponse)
    (
        message.throttle_time_ms,
        message.allow_replication_factor_change,
        message.error_code,
        length,
    ) = _unpack_ithB(buffer, position)
    position += 8
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
        message.responses, position = _read_many_reassignable_topic_response_v0(buffer, position, count - 1)
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


def _write_reassignable_partition_response_v0(
    out: Pieces,
    message: AlterPartitionReassignmentsResponseReassignablePartitionResponse,
) -> None:
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


def _write_reassignable_topic_response_v0(
    out: Pieces,
    message: AlterPartitionReassignmentsResponseReassignableTopicResponse,
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
        _write_reassignable_partition_response_v0(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_reassignable_topic_response_v0(
    out: Pieces,
    message: AlterPartitionReassignmentsResponseReassignableTopicResponse,
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
        _write_reassignable_partition_response_v0(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: AlterPartitionReassignmentsResponse) -> None:
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
        _write_reassignable_topic_response_v0(out, responses_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v0(out: Pieces, message: AlterPartitionReassignmentsResponse) -> Steps[None]:
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
        yield from _step_write_reassignable_topic_response_v0(out, responses_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: AlterPartitionReassignmentsResponse) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ithB(
            message.throttle_time_ms,
            message.allow_replication_factor_change,
            message.error_code,
            length,
        ))
    else:
        out.append(_pack_ith(
            message.throttle_time_ms,
            message.allow_replication_factor_change,
            message.error_code,
        ))
        out.append(pack_string_length(length))
    out.append(data)
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for responses_item in responses:
        _write_reassignable_topic_response_v0(out, responses_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v1(out: Pieces, message: AlterPartitionReassignmentsResponse) -> Steps[None]:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ithB(
            message.throttle_time_ms,
            message.allow_replication_factor_change,
            message.error_code,
            length,
        ))
    else:
        out.append(_pack_ith(
            message.throttle_time_ms,
            message.allow_replication_factor_change,
            message.error_code,
        ))
        out.append(pack_string_length(length))
    out.append(data)
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for responses_item in responses:
        yield from _step_write_reassignable_topic_response_v0(out, responses_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
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
    reassignable_partition_response_struct = StructSchema(
        python_class=AlterPartitionReassignmentsResponseReassignablePartitionResponse,
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
                default="",
            ),
        ),
    )
    reassignable_topic_response_struct = StructSchema(
        python_class=AlterPartitionReassignmentsResponseReassignableTopicResponse,
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
                type="ReassignablePartitionResponse",
                struct=reassignable_partition_response_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    alter_partition_reassignments_response_struct = StructSchema(
        python_class=AlterPartitionReassignmentsResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="AllowReplicationFactorChange",
                attribute="allow_replication_factor_change",
                type="bool",
                versions=(1, 32767),
                default=True,
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
                name="ErrorMessage",
                attribute="error_message",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Responses",
                attribute="responses",
                type="ReassignableTopicResponse",
                struct=reassignable_topic_response_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="AlterPartitionReassignmentsResponse",
        flexible_from=0,
        root=alter_partition_reassignments_response_struct,
    )
