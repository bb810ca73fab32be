"""FindCoordinatorRequest: versions 0-6, flexible from 3, api key 10.

Generated from api/FindCoordinatorRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    EMPTY,
    Budget,
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

_unpack_b = struct.Struct(">b").unpack_from
_unpack_bB = struct.Struct(">bB").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_pack_b = struct.Struct(">b").pack
_pack_bB = struct.Struct(">bB").pack
_pack_h = struct.Struct(">h").pack


class FindCoordinatorRequest(Message):
    """Request FindCoordinatorRequest."""

    __slots__ = ("key", "key_type", "coordinator_keys", "unknown_tags")

    NAME: ClassVar[str] = "FindCoordinatorRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 10
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 6
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)

    key: str
    """Versions 0-3."""
    key_type: int
    """Versions 1+."""
    coordinator_keys: list[str]
    """Versions 4+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        key: str = "",
        key_type: int = 0,
        coordinator_keys: list[str] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.key = key
        self.key_type = key_type
        self.coordinator_keys = [] if coordinator_keys is EMPTY else coordinator_keys
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FindCoordinatorRequest)
            and self.key == other.key
            and self.key_type == other.key_type
            and self.coordinator_keys == other.coordinator_keys
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[FindCoordinatorRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[FindCoordinatorRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[FindCoordinatorRequest, int]:
    message = FindCoordinatorRequest.__new__(FindCoordinatorRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.key = str(buffer[position:end], "utf-8")
    position = end
    message.key_type = 0
    message.coordinator_keys = []
    message.unknown_tags = None
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[FindCoordinatorRequest, int]:
    message = FindCoordinatorRequest.__new__(FindCoordinatorRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.key = str(buffer[position:end], "utf-8")
    position = end
    (message.key_type,) = _unpack_b(buffer, position)
    position += 1
    message.coordinator_keys = []
    message.unknown_tags = None
    return message, position


def _read_v3(buffer: Buffer, position: int) -> tuple[FindCoordinatorRequest, int]:
    message = FindCoordinatorRequest.__new__(FindCoordinatorRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.key = str(buffer[position:end], "utf-8")
    position = end
    message.key_type, tags = _unpack_bB(buffer, position)
    position += 2
    message.coordinator_keys = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v4(buffer: Buffer, position: int) -> tuple[FindCoordinatorRequest, int]:
    message = FindCoordinatorRequest.__new__(FindCoordinatorRequest)
    message.key_type, count = _unpack_bB(buffer, position)
    position += 2
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    coordinator_keys: list[str] = []
    message.coordinator_keys = coordinator_keys
    if count - 1 > len(buffer) - position:
        raise Malformed
    for _ in range(1, count):
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        coordinator_keys_item = str(buffer[position:end], "utf-8")
        position = end
        coordinator_keys.append(coordinator_keys_item)
    tags = buffer[position]
    position += 1
    message.key = ""
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v4(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[FindCoordinatorRequest, int]]:
    message = FindCoordinatorRequest.__new__(FindCoordinatorRequest)
    message.key_type, count = _unpack_bB(buffer, position)
    position += 2
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "FindCoordinatorRequest.coordinator_keys")
    if not count:
        raise Malformed
    coordinator_keys: list[str] = []
    message.coordinator_keys = coordinator_keys
    if count - 1 > len(buffer) - position:
        raise Malformed
    for _ in range(1, count):
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        coordinator_keys_item = str(buffer[position:end], "utf-8")
        position = end
        coordinator_keys.append(coordinator_keys_item)
        yield
    tags = buffer[position]
    position += 1
    message.key = ""
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_v0(out: Pieces, message: FindCoordinatorRequest) -> None:
    if message.key_type != 0:
        raise Malformed
    if len(message.coordinator_keys) != 0:
        raise Malformed
    key = message.key
    data = key.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: FindCoordinatorRequest) -> None:
    if len(message.coordinator_keys) != 0:
        raise Malformed
    key = message.key
    data = key.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    out.append(_pack_b(message.key_type))
    if message.unknown_tags:
        raise Malformed


def _write_v3(out: Pieces, message: FindCoordinatorRequest) -> None:
    if len(message.coordinator_keys) != 0:
        raise Malformed
    key = message.key
    data = key.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_b(message.key_type))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_bB(message.key_type, 0))


def _write_v4(out: Pieces, message: FindCoordinatorRequest) -> None:
    if message.key != "":
        raise Malformed
    coordinator_keys = message.coordinator_keys
    count = len(coordinator_keys) + 1
    if count < 128:
        out.append(_pack_bB(message.key_type, count))
    else:
        out.append(_pack_b(message.key_type))
        out.append(pack_length(count))
    for coordinator_keys_item in coordinator_keys:
        data = coordinator_keys_item.encode()
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

_STEP_READERS = (
    None,
    None,
    None,
    None,
    _step_v4,
    _step_v4,
    _step_v4,
)


@cache
def _schema() -> MessageSchema:
    find_coordinator_request_struct = StructSchema(
        python_class=FindCoordinatorRequest,
        fields=(
            FieldSchema(
                name="Key",
                attribute="key",
                type="string",
                versions=(0, 3),
                default="",
            ),
            FieldSchema(
                name="KeyType",
                attribute="key_type",
                type="int8",
                versions=(1, 32767),
                default=0,
            ),
            FieldSchema(
                name="CoordinatorKeys",
                attribute="coordinator_keys",
                type="string",
                array=True,
                versions=(4, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="FindCoordinatorRequest", flexible_from=3, root=find_coordinator_request_struct)
