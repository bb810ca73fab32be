"""SyncGroupResponse: versions 0-5, flexible from 4, api key 14.

Generated from api/SyncGroupResponse.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    Buffer,
    Malformed,
    Pieces,
    pack_length,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

_unpack_hi = struct.Struct(">hi").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_ihi = struct.Struct(">ihi").unpack_from
_pack_hi = struct.Struct(">hi").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_ihi = struct.Struct(">ihi").pack


class SyncGroupResponse(Message):
    """Response SyncGroupResponse."""

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "protocol_type",
        "protocol_name",
        "assignment",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "SyncGroupResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 14
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    throttle_time_ms: int
    """Versions 1+, dropped where a version lacks it."""
    error_code: int
    """Versions 0+."""
    protocol_type: str | None
    """Versions 5+, null in 5+, dropped where a version lacks it."""
    protocol_name: str | None
    """Versions 5+, null in 5+, dropped where a version lacks it."""
    assignment: bytes
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        protocol_type: str | None = None,
        protocol_name: str | None = None,
        assignment: bytes = b'',
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.assignment = assignment
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SyncGroupResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.protocol_type == other.protocol_type
            and self.protocol_name == other.protocol_name
            and self.assignment == other.assignment
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[SyncGroupResponse, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[SyncGroupResponse, int]:
    message = SyncGroupResponse.__new__(SyncGroupResponse)
    message.error_code, length = _unpack_hi(buffer, position)
    position += 6
    if length < 0:
        raise Malformed
    end = position + length
    message.assignment = bytes(buffer[position:end])
    position = end
    message.throttle_time_ms = 0
    message.protocol_type = None
    message.protocol_name = None
    message.unknown_tags = None
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[SyncGroupResponse, int]:
    message = SyncGroupResponse.__new__(SyncGroupResponse)
    message.throttle_time_ms, message.error_code, length = _unpack_ihi(buffer, position)
    position += 10
    if length < 0:
        raise Malformed
    end = position + length
    message.assignment = bytes(buffer[position:end])
    position = end
    message.protocol_type = None
    message.protocol_name = None
    message.unknown_tags = None
    return message, position


def _read_v4(buffer: Buffer, position: int) -> tuple[SyncGroupResponse, int]:
    message = SyncGroupResponse.__new__(SyncGroupResponse)
    message.throttle_time_ms, message.error_code, length = _unpack_ihB(buffer, position)
    position += 7
    if length > 127:
        length, position = read_long_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.assignment = bytes(buffer[position:end])
    position = end
    tags = buffer[position]
    position += 1
    message.protocol_type = None
    message.protocol_name = None
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v5(buffer: Buffer, position: int) -> tuple[SyncGroupResponse, int]:
    message = SyncGroupResponse.__new__(SyncGroupResponse)
    message.throttle_time_ms, message.error_code, length = _unpack_ihB(buffer, position)
    position += 7
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.protocol_type = None
    else:
        end = position + length - 1
        message.protocol_type = str(buffer[position:end], "utf-8")
        position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.protocol_name = None
    else:
        end = position + length - 1
        message.protocol_name = str(buffer[position:end], "utf-8")
        position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_long_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.assignment = bytes(buffer[position:end])
    position = end
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: SyncGroupResponse) -> None:
    assignment = message.assignment
    length = len(assignment)
    out.append(_pack_hi(message.error_code, length))
    out.append(assignment)
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: SyncGroupResponse) -> None:
    assignment = message.assignment
    length = len(assignment)
    out.append(_pack_ihi(message.throttle_time_ms, message.error_code, length))
    out.append(assignment)
    if message.unknown_tags:
        raise Malformed


def _write_v4(out: Pieces, message: SyncGroupResponse) -> None:
    assignment = message.assignment
    length = len(assignment) + 1
    if length < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, length))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(length))
    out.append(assignment)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v5(out: Pieces, message: SyncGroupResponse) -> None:
    protocol_type = message.protocol_type
    if protocol_type is None:
        data = b""
        length = 0
    else:
        data = protocol_type.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, length))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    protocol_name = message.protocol_name
    if protocol_name is None:
        data = b""
        length = 0
    else:
        data = protocol_name.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    assignment = message.assignment
    length = len(assignment) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    out.append(assignment)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
    _read_v1,
    _read_v1,
    _read_v1,
    _read_v4,
    _read_v5,
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v1,
    _write_v1,
    _write_v4,
    _write_v5,
)


@cache
def _schema() -> MessageSchema:
    sync_group_response_struct = StructSchema(
        python_class=SyncGroupResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(1, 32767),
                default=0,
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
                name="ProtocolType",
                attribute="protocol_type",
                type="string",
                versions=(5, 32767),
                nullable=(5, 32767),
                default=None,
                ignorable=True,
            ),
            FieldSchema(
                name="ProtocolName",
                attribute="protocol_name",
                type="string",
                versions=(5, 32767),
                nullable=(5, 32767),
                default=None,
                ignorable=True,
            ),
            FieldSchema(
                name="Assignment",
                attribute="assignment",
                type="bytes",
                versions=(0, 32767),
                default=b'',
            ),
        ),
    )
    return MessageSchema(name="SyncGroupResponse", flexible_from=4, root=sync_group_response_struct)
