"""FindCoordinatorResponse: versions 0-6, flexible from 3, api key 10.

Generated from api/FindCoordinatorResponse.json by codegen; change the schema, not this file.
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

_unpack_hih = struct.Struct(">hih").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ih = struct.Struct(">ih").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_ihh = struct.Struct(">ihh").unpack_from
_pack_hih = struct.Struct(">hih").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_ihh = struct.Struct(">ihh").pack


class FindCoordinatorResponseCoordinator(Struct):
    """Coordinator of FindCoordinatorResponse."""

    __slots__ = ("key", "node_id", "host", "port", "error_code", "error_message", "unknown_tags")

    key: str
    """Versions 4+."""
    node_id: int
    """Versions 4+."""
    host: str
    """Versions 4+."""
    port: int
    """Versions 4+."""
    error_code: int
    """Versions 4+."""
    error_message: str | None
    """Versions 4+, null in 4+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        key: str = "",
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.key = key
        self.node_id = node_id
        self.host = host
        self.port = port
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FindCoordinatorResponseCoordinator)
            and self.key == other.key
            and self.node_id == other.node_id
            and self.host == other.host
            and self.port == other.port
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.unknown_tags == other.unknown_tags
        )



class FindCoordinatorResponse(Message):
    """Response FindCoordinatorResponse."""

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "node_id",
        "host",
        "port",
        "coordinators",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "FindCoordinatorResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 10
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 6
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    Coordinator: TypeAlias = FindCoordinatorResponseCoordinator

    throttle_time_ms: int
    """Versions 1+, dropped where a version lacks it."""
    error_code: int
    """Versions 0-3."""
    error_message: str | None
    """Versions 1-3, null in 1-3, dropped where a version lacks it."""
    node_id: int
    """Versions 0-3."""
    host: str
    """Versions 0-3."""
    port: int
    """Versions 0-3."""
    coordinators: list[FindCoordinatorResponseCoordinator]
    """Versions 4+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        coordinators: list[FindCoordinatorResponseCoordinator] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.node_id = node_id
        self.host = host
        self.port = port
        self.coordinators = [] if coordinators is EMPTY else coordinators
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FindCoordinatorResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.node_id == other.node_id
            and self.host == other.host
            and self.port == other.port
            and self.coordinators == other.coordinators
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[FindCoordinatorResponse, int]:
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


def _read_v0(buffer: Buffer, position: int) -> tuple[FindCoordinatorResponse, int]:
    message = FindCoordinatorResponse.__new__(FindCoordinatorResponse)
    message.error_code, message.node_id, length = _unpack_hih(buffer, position)
    position += 8
    if length < 0:
        raise Malformed
    end = position + length
    message.host = str(buffer[position:end], "utf-8")
    position = end
    (message.port,) = _unpack_i(buffer, position)
    position += 4
    message.throttle_time_ms = 0
    message.error_message = ""
    message.coordinators = []
    message.unknown_tags = None
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[FindCoordinatorResponse, int]:
    message = FindCoordinatorResponse.__new__(FindCoordinatorResponse)
    message.throttle_time_ms, message.error_code, length = _unpack_ihh(buffer, position)
    position += 8
    if length < 0:
        message.error_message = None
    else:
        end = position + length
        message.error_message = str(buffer[position:end], "utf-8")
        position = end
    message.node_id, length = _unpack_ih(buffer, position)
    position += 6
    if length < 0:
        raise Malformed
    end = position + length
    message.host = str(buffer[position:end], "utf-8")
    position = end
    (message.port,) = _unpack_i(buffer, position)
    position += 4
    message.coordinators = []
    message.unknown_tags = None
    return message, position


def _read_v3(buffer: Buffer, position: int) -> tuple[FindCoordinatorResponse, int]:
    message = FindCoordinatorResponse.__new__(FindCoordinatorResponse)
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
    message.node_id, length = _unpack_iB(buffer, position)
    position += 5
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.host = str(buffer[position:end], "utf-8")
    position = end
    message.port, tags = _unpack_iB(buffer, position)
    position += 5
    message.coordinators = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_coordinator_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FindCoordinatorResponseCoordinator], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FindCoordinatorResponseCoordinator] = []
    for _ in range(size):
        message = FindCoordinatorResponseCoordinator.__new__(FindCoordinatorResponseCoordinator)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.key = str(buffer[position:end], "utf-8")
        position = end
        message.node_id, length = _unpack_iB(buffer, position)
        position += 5
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.host = str(buffer[position:end], "utf-8")
        position = end
        message.port, message.error_code, length = _unpack_ihB(buffer, position)
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


def _read_v4(buffer: Buffer, position: int) -> tuple[FindCoordinatorResponse, int]:
    message = FindCoordinatorResponse.__new__(FindCoordinatorResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.coordinators, position = _read_many_coordinator_v4(buffer, position, count - 1)
    elif count:
        message.coordinators = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.error_code = 0
    message.error_message = ""
    message.node_id = 0
    message.host = ""
    message.port = 0
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: FindCoordinatorResponse) -> None:
    if len(message.coordinators) != 0:
        raise Malformed
    host = message.host
    data = host.encode()
    length = len(data)
    out.append(_pack_hih(message.error_code, message.node_id, length))
    out.append(data)
    out.append(_pack_i(message.port))
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: FindCoordinatorResponse) -> None:
    if len(message.coordinators) != 0:
        raise Malformed
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = -1
    else:
        data = error_message.encode()
        length = len(data)
    out.append(_pack_ihh(message.throttle_time_ms, message.error_code, length))
    out.append(data)
    host = message.host
    data = host.encode()
    length = len(data)
    out.append(_pack_ih(message.node_id, length))
    out.append(data)
    out.append(_pack_i(message.port))
    if message.unknown_tags:
        raise Malformed


def _write_v3(out: Pieces, message: FindCoordinatorResponse) -> None:
    if len(message.coordinators) != 0:
        raise Malformed
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
    host = message.host
    data = host.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_iB(message.node_id, length))
    else:
        out.append(_pack_i(message.node_id))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_i(message.port))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.port, 0))


def _write_coordinator_v4(out: Pieces, message: FindCoordinatorResponseCoordinator) -> None:
    key = message.key
    data = key.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    host = message.host
    data = host.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_iB(message.node_id, length))
    else:
        out.append(_pack_i(message.node_id))
        out.append(pack_string_length(length))
    out.append(data)
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihB(message.port, message.error_code, length))
    else:
        out.append(_pack_ih(message.port, message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v4(out: Pieces, message: FindCoordinatorResponse) -> None:
    if message.error_code != 0:
        raise Malformed
    if message.node_id != 0:
        raise Malformed
    if message.host != "":
        raise Malformed
    if message.port != 0:
        raise Malformed
    coordinators = message.coordinators
    count = len(coordinators) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for coordinators_item in coordinators:
        _write_coordinator_v4(out, coordinators_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v4(out: Pieces, message: FindCoordinatorResponse) -> Steps[None]:
    if message.error_code != 0:
        raise Malformed
    if message.node_id != 0:
        raise Malformed
    if message.host != "":
        raise Malformed
    if message.port != 0:
        raise Malformed
    coordinators = message.coordinators
    count = len(coordinators) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for coordinators_item in coordinators:
        _write_coordinator_v4(out, coordinators_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
    _read_v1,
    _read_v1,
    _read_v3,
    _read_v4,
    _read_v4,
    _read_v4,
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v1,
    _write_v3,
    _write_v4,
    _write_v4,
    _write_v4,
)

_STEP_WRITERS = (
    None,
    None,
    None,
    None,
    _step_write_v4,
    _step_write_v4,
    _step_write_v4,
)


@cache
def _schema() -> MessageSchema:
    coordinator_struct = StructSchema(
        python_class=FindCoordinatorResponseCoordinator,
        fields=(
            FieldSchema(
                name="Key",
                attribute="key",
                type="string",
                versions=(4, 32767),
                default="",
            ),
            FieldSchema(
                name="NodeId",
                attribute="node_id",
                type="int32",
                versions=(4, 32767),
                default=0,
            ),
            FieldSchema(
                name="Host",
                attribute="host",
                type="string",
                versions=(4, 32767),
                default="",
            ),
            FieldSchema(
                name="Port",
                attribute="port",
                type="int32",
                versions=(4, 32767),
                default=0,
            ),
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(4, 32767),
                default=0,
            ),
            FieldSchema(
                name="ErrorMessage",
                attribute="error_message",
                type="string",
                versions=(4, 32767),
                nullable=(4, 32767),
                default="",
                ignorable=True,
            ),
        ),
    )
    find_coordinator_response_struct = StructSchema(
        python_class=FindCoordinatorResponse,
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
                versions=(0, 3),
                default=0,
            ),
            FieldSchema(
                name="ErrorMessage",
                attribute="error_message",
                type="string",
                versions=(1, 3),
                nullable=(1, 3),
                default="",
                ignorable=True,
            ),
            FieldSchema(
                name="NodeId",
                attribute="node_id",
                type="int32",
                versions=(0, 3),
                default=0,
            ),
            FieldSchema(
                name="Host",
                attribute="host",
                type="string",
                versions=(0, 3),
                default="",
            ),
            FieldSchema(
                name="Port",
                attribute="port",
                type="int32",
                versions=(0, 3),
                default=0,
            ),
            FieldSchema(
                name="Coordinators",
                attribute="coordinators",
                type="Coordinator",
                struct=coordinator_struct,
                array=True,
                versions=(4, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="FindCoordinatorResponse",
        flexible_from=3,
        root=find_coordinator_response_struct,
    )
