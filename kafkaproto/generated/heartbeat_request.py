"""HeartbeatRequest: versions 0-4, flexible from 4, api key 12.

Generated from api/HeartbeatRequest.json by codegen; change the schema, not this file.
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
    pack_string_length,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

_unpack_h = struct.Struct(">h").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ih = struct.Struct(">ih").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ih = struct.Struct(">ih").pack


class HeartbeatRequest(Message):
    """Request HeartbeatRequest."""

    __slots__ = ("group_id", "generation_id", "member_id", "group_instance_id", "unknown_tags")

    NAME: ClassVar[str] = "HeartbeatRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 12
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 4
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)

    group_id: str
    """Versions 0+."""
    generation_id: int
    """Versions 0+."""
    member_id: str
    """Versions 0+."""
    group_instance_id: str | None
    """Versions 3+, null in 3+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        group_id: str = "",
        generation_id: int = 0,
        member_id: str = "",
        group_instance_id: str | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.group_id = group_id
        self.generation_id = generation_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, HeartbeatRequest)
            and self.group_id == other.group_id
            and self.generation_id == other.generation_id
            and self.member_id == other.member_id
            and self.group_instance_id == other.group_instance_id
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[HeartbeatRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[HeartbeatRequest, int]:
    message = HeartbeatRequest.__new__(HeartbeatRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.generation_id, length = _unpack_ih(buffer, position)
    position += 6
    if length < 0:
        raise Malformed
    end = position + length
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    message.group_instance_id = None
    message.unknown_tags = None
    return message, position


def _read_v3(buffer: Buffer, position: int) -> tuple[HeartbeatRequest, int]:
    message = HeartbeatRequest.__new__(HeartbeatRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.generation_id, length = _unpack_ih(buffer, position)
    position += 6
    if length < 0:
        raise Malformed
    end = position + length
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        message.group_instance_id = None
    else:
        end = position + length
        message.group_instance_id = str(buffer[position:end], "utf-8")
        position = end
    message.unknown_tags = None
    return message, position


def _read_v4(buffer: Buffer, position: int) -> tuple[HeartbeatRequest, int]:
    message = HeartbeatRequest.__new__(HeartbeatRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.generation_id, length = _unpack_iB(buffer, position)
    position += 5
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.group_instance_id = None
    else:
        end = position + length - 1
        message.group_instance_id = str(buffer[position:end], "utf-8")
        position = end
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: HeartbeatRequest) -> None:
    if message.group_instance_id is not None:
        raise Malformed
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
    length = len(data)
    out.append(_pack_ih(message.generation_id, length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_v3(out: Pieces, message: HeartbeatRequest) -> None:
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
    length = len(data)
    out.append(_pack_ih(message.generation_id, length))
    out.append(data)
    group_instance_id = message.group_instance_id
    if group_instance_id is None:
        data = b""
        length = -1
    else:
        data = group_instance_id.encode()
        length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_v4(out: Pieces, message: HeartbeatRequest) -> None:
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_iB(message.generation_id, length))
    else:
        out.append(_pack_i(message.generation_id))
        out.append(pack_string_length(length))
    out.append(data)
    group_instance_id = message.group_instance_id
    if group_instance_id is None:
        data = b""
        length = 0
    else:
        data = group_instance_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
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
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v0,
    _write_v3,
    _write_v4,
)


@cache
def _schema() -> MessageSchema:
    heartbeat_request_struct = StructSchema(
        python_class=HeartbeatRequest,
        fields=(
            FieldSchema(
                name="GroupId",
                attribute="group_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="GenerationId",
                attribute="generation_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="MemberId",
                attribute="member_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="GroupInstanceId",
                attribute="group_instance_id",
                type="string",
                versions=(3, 32767),
                nullable=(3, 32767),
                default=None,
            ),
        ),
    )
    return MessageSchema(name="HeartbeatRequest", flexible_from=4, root=heartbeat_request_struct)
