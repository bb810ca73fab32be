"""AlterClientQuotasResponse: versions 0-1, flexible from 1, api key 49.

Generated from api/AlterClientQuotasResponse.json by codegen; change the schema, not this file.
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
_unpack_ii = struct.Struct(">ii").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_hh = struct.Struct(">hh").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ii = struct.Struct(">ii").pack


class AlterClientQuotasResponseEntityData(Struct):
    """EntityData of AlterClientQuotasResponse."""

    __slots__ = ("entity_type", "entity_name", "unknown_tags")

    entity_type: str
    """Versions 0+."""
    entity_name: str | None
    """Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        entity_type: str = "",
        entity_name: str | None = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.entity_type = entity_type
        self.entity_name = entity_name
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterClientQuotasResponseEntityData)
            and self.entity_type == other.entity_type
            and self.entity_name == other.entity_name
            and self.unknown_tags == other.unknown_tags
        )



class AlterClientQuotasResponseEntryData(Struct):
    """EntryData of AlterClientQuotasResponse."""

    __slots__ = ("error_code", "error_message", "entity", "unknown_tags")

    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    entity: list[AlterClientQuotasResponseEntityData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        entity: list[AlterClientQuotasResponseEntityData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.entity = [] if entity is EMPTY else entity
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterClientQuotasResponseEntryData)
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.entity == other.entity
            and self.unknown_tags == other.unknown_tags
        )



class AlterClientQuotasResponse(Message):
    """Response AlterClientQuotasResponse."""

    __slots__ = ("throttle_time_ms", "entries", "unknown_tags")

    NAME: ClassVar[str] = "AlterClientQuotasResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 49
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    EntityData: TypeAlias = AlterClientQuotasResponseEntityData
    EntryData: TypeAlias = AlterClientQuotasResponseEntryData

    throttle_time_ms: int
    """Versions 0+."""
    entries: list[AlterClientQuotasResponseEntryData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        entries: list[AlterClientQuotasResponseEntryData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.entries = [] if entries is EMPTY else entries
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterClientQuotasResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.entries == other.entries
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[AlterClientQuotasResponse, int]:
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


def _read_many_entity_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterClientQuotasResponseEntityData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterClientQuotasResponseEntityData] = []
    for _ in range(size):
        message = AlterClientQuotasResponseEntityData.__new__(AlterClientQuotasResponseEntityData)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.entity_type = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            message.entity_name = None
        else:
            end = position + length
            message.entity_name = str(buffer[position:end], "utf-8")
            position = end
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_entry_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterClientQuotasResponseEntryData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterClientQuotasResponseEntryData] = []
    for _ in range(size):
        message = AlterClientQuotasResponseEntryData.__new__(AlterClientQuotasResponseEntryData)
        message.error_code, length = _unpack_hh(buffer, position)
        position += 4
        if length < 0:
            message.error_message = None
        else:
            end = position + length
            message.error_message = str(buffer[position:end], "utf-8")
            position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.entity, position = _read_many_entity_data_v0(buffer, position, count)
        elif not count:
            message.entity = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[AlterClientQuotasResponse, int]:
    message = AlterClientQuotasResponse.__new__(AlterClientQuotasResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.entries, position = _read_many_entry_data_v0(buffer, position, count)
    elif not count:
        message.entries = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_entity_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterClientQuotasResponseEntityData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterClientQuotasResponseEntityData] = []
    for _ in range(size):
        message = AlterClientQuotasResponseEntityData.__new__(AlterClientQuotasResponseEntityData)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.entity_type = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.entity_name = None
        else:
            end = position + length - 1
            message.entity_name = str(buffer[position:end], "utf-8")
            position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_entry_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterClientQuotasResponseEntryData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterClientQuotasResponseEntryData] = []
    for _ in range(size):
        message = AlterClientQuotasResponseEntryData.__new__(AlterClientQuotasResponseEntryData)
        message.error_code, length = _unpack_hB(buffer, position)
        position += 3
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
            message.entity, position = _read_many_entity_data_v1(buffer, position, count - 1)
        elif count:
            message.entity = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[AlterClientQuotasResponse, int]:
    message = AlterClientQuotasResponse.__new__(AlterClientQuotasResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.entries, position = _read_many_entry_data_v1(buffer, position, count - 1)
    elif count:
        message.entries = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_entity_data_v0(out: Pieces, message: AlterClientQuotasResponseEntityData) -> None:
    entity_type = message.entity_type
    data = entity_type.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    entity_name = message.entity_name
    if entity_name is None:
        data = b""
        length = -1
    else:
        data = entity_name.encode()
        length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_entry_data_v0(out: Pieces, message: AlterClientQuotasResponseEntryData) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = -1
    else:
        data = error_message.encode()
        length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    entity = message.entity
    count = len(entity)
    out.append(_pack_i(count))
    for entity_item in entity:
        _write_entity_data_v0(out, entity_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_entry_data_v0(out: Pieces, message: AlterClientQuotasResponseEntryData) -> Steps[None]:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = -1
    else:
        data = error_message.encode()
        length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    entity = message.entity
    count = len(entity)
    out.append(_pack_i(count))
    for entity_item in entity:
        _write_entity_data_v0(out, entity_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: AlterClientQuotasResponse) -> None:
    entries = message.entries
    count = len(entries)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for entries_item in entries:
        _write_entry_data_v0(out, entries_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v0(out: Pieces, message: AlterClientQuotasResponse) -> Steps[None]:
    entries = message.entries
    count = len(entries)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for entries_item in entries:
        yield from _step_write_entry_data_v0(out, entries_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_entity_data_v1(out: Pieces, message: AlterClientQuotasResponseEntityData) -> None:
    entity_type = message.entity_type
    data = entity_type.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    entity_name = message.entity_name
    if entity_name is None:
        data = b""
        length = 0
    else:
        data = entity_name.encode()
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


def _write_entry_data_v1(out: Pieces, message: AlterClientQuotasResponseEntryData) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    entity = message.entity
    count = len(entity) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for entity_item in entity:
        _write_entity_data_v1(out, entity_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_entry_data_v1(out: Pieces, message: AlterClientQuotasResponseEntryData) -> Steps[None]:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    entity = message.entity
    count = len(entity) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for entity_item in entity:
        _write_entity_data_v1(out, entity_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: AlterClientQuotasResponse) -> None:
    entries = message.entries
    count = len(entries) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for entries_item in entries:
        _write_entry_data_v1(out, entries_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v1(out: Pieces, message: AlterClientQuotasResponse) -> Steps[None]:
    entries = message.entries
    count = len(entries) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for entries_item in entries:
        yield from _step_write_entry_data_v1(out, entries_item)
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
    entity_data_struct = StructSchema(
        python_class=AlterClientQuotasResponseEntityData,
        fields=(
            FieldSchema(
                name="EntityType",
                attribute="entity_type",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="EntityName",
                attribute="entity_name",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
        ),
    )
    entry_data_struct = StructSchema(
        python_class=AlterClientQuotasResponseEntryData,
        fields=(
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
                name="Entity",
                attribute="entity",
                type="EntityData",
                struct=entity_data_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    alter_client_quotas_response_struct = StructSchema(
        python_class=AlterClientQuotasResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Entries",
                attribute="entries",
                type="EntryData",
                struct=entry_data_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="AlterClientQuotasResponse",
        flexible_from=1,
        root=alter_client_quotas_response_struct,
    )
