"""DescribeClientQuotasResponse: versions 0-1, flexible from 1, api key 48.

Generated from api/DescribeClientQuotasResponse.json by codegen; change the schema, not this file.
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

_unpack_d = struct.Struct(">d").unpack_from
_unpack_dB = struct.Struct(">dB").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_ihh = struct.Struct(">ihh").unpack_from
_pack_d = struct.Struct(">d").pack
_pack_dB = struct.Struct(">dB").pack
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_ihh = struct.Struct(">ihh").pack


class DescribeClientQuotasResponseEntityData(Struct):
    """EntityData of DescribeClientQuotasResponse."""

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
            isinstance(other, DescribeClientQuotasResponseEntityData)
            and self.entity_type == other.entity_type
            and self.entity_name == other.entity_name
            and self.unknown_tags == other.unknown_tags
        )



class DescribeClientQuotasResponseValueData(Struct):
    """ValueData of DescribeClientQuotasResponse."""

    __slots__ = ("key", "value", "unknown_tags")

    key: str
    """Versions 0+."""
    value: float
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        key: str = "",
        value: float = 0.0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.key = key
        self.value = value
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeClientQuotasResponseValueData)
            and self.key == other.key
            and self.value == other.value
            and self.unknown_tags == other.unknown_tags
        )



class DescribeClientQuotasResponseEntryData(Struct):
    """EntryData of DescribeClientQuotasResponse."""

    __slots__ = ("entity", "values", "unknown_tags")

    entity: list[DescribeClientQuotasResponseEntityData]
    """Versions 0+."""
    values: list[DescribeClientQuotasResponseValueData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        entity: list[DescribeClientQuotasResponseEntityData] = EMPTY,
        values: list[DescribeClientQuotasResponseValueData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.entity = [] if entity is EMPTY else entity
        self.values = [] if values is EMPTY else values
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeClientQuotasResponseEntryData)
            and self.entity == other.entity
            and self.values == other.values
            and self.unknown_tags == other.unknown_tags
        )



class DescribeClientQuotasResponse(Message):
    """Response DescribeClientQuotasResponse."""

    __slots__ = ("throttle_time_ms", "error_code", "error_message", "entries", "unknown_tags")

    NAME: ClassVar[str] = "DescribeClientQuotasResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 48
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    EntityData: TypeAlias = DescribeClientQuotasResponseEntityData
    ValueData: TypeAlias = DescribeClientQuotasResponseValueData
    EntryData: TypeAlias = DescribeClientQuotasResponseEntryData

    throttle_time_ms: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    entries: list[DescribeClientQuotasResponseEntryData] | None
    """Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        entries: list[DescribeClientQuotasResponseEntryData] | None = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.entries = [] if entries is EMPTY else entries
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeClientQuotasResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.entries == other.entries
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DescribeClientQuotasResponse, int]:
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
) -> tuple[list[DescribeClientQuotasResponseEntityData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeClientQuotasResponseEntityData] = []
    for _ in range(size):
        message = DescribeClientQuotasResponseEntityData.__new__(DescribeClientQuotasResponseEntityData)
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


def _read_many_value_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeClientQuotasResponseValueData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeClientQuotasResponseValueData] = []
    for _ in range(size):
        message = DescribeClientQuotasResponseValueData.__new__(DescribeClientQuotasResponseValueData)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.key = str(buffer[position:end], "utf-8")
        position = end
        (message.value,) = _unpack_d(buffer, position)
        position += 8
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_entry_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeClientQuotasResponseEntryData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeClientQuotasResponseEntryData] = []
    for _ in range(size):
        message = DescribeClientQuotasResponseEntryData.__new__(DescribeClientQuotasResponseEntryData)
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.entity, position = _read_many_entity_data_v0(buffer, position, count)
        elif not count:
            message.entity = []
        else:
            raise Malformed
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.values, position = _read_many_value_data_v0(buffer, position, count)
        elif not count:
            message.values = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[DescribeClientQuotasResponse, int]:
    message = DescribeClientQuotasResponse.__new__(DescribeClientQuotasResponse)
    message.throttle_time_ms, message.error_code, length = _unpack_ihh(buffer, position)
    position += 8
    if length < 0:
        message.error_message = None
    else:
        end = position + length
        message.error_message = str(buffer[position:end], "utf-8")
        position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.entries, position = _read_many_entry_data_v0(buffer, position, count)
    elif not count:
        message.entries = []
    else:
        message.entries = None
    message.unknown_tags = None
    return message, position


def _read_many_entity_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeClientQuotasResponseEntityData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeClientQuotasResponseEntityData] = []
    for _ in range(size):
        message = DescribeClientQuotasResponseEntityData.__new__(DescribeClientQuotasResponseEntityData)
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


def _read_many_value_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeClientQuotasResponseValueData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeClientQuotasResponseValueData] = []
    for _ in range(size):
        message = DescribeClientQuotasResponseValueData.__new__(DescribeClientQuotasResponseValueData)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.key = str(buffer[position:end], "utf-8")
        position = end
        message.value, tags = _unpack_dB(buffer, position)
        position += 9
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_entry_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeClientQuotasResponseEntryData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeClientQuotasResponseEntryData] = []
    for _ in range(size):
        message = DescribeClientQuotasResponseEntryData.__new__(DescribeClientQuotasResponseEntryData)
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
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.values, position = _read_many_value_data_v1(buffer, position, count - 1)
        elif count:
            message.values = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[DescribeClientQuotasResponse, int]:
    message = DescribeClientQuotasResponse.__new__(DescribeClientQuotasResponse)
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
        message.entries, position = _read_many_entry_data_v1(buffer, position, count - 1)
    elif count:
        message.entries = []
    else:
        message.entries = None
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_entity_data_v0(out: Pieces, message: DescribeClientQuotasResponseEntityData) -> None:
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


def _write_value_data_v0(out: Pieces, message: DescribeClientQuotasResponseValueData) -> None:
    key = message.key
    data = key.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    out.append(_pack_d(message.value))
    if message.unknown_tags:
        raise Malformed


def _write_entry_data_v0(out: Pieces, message: DescribeClientQuotasResponseEntryData) -> None:
    entity = message.entity
    count = len(entity)
    out.append(_pack_i(count))
    for entity_item in entity:
        _write_entity_data_v0(out, entity_item)
    values = message.values
    count = len(values)
    out.append(_pack_i(count))
    for values_item in values:
        _write_value_data_v0(out, values_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_entry_data_v0(out: Pieces, message: DescribeClientQuotasResponseEntryData) -> Steps[None]:
    entity = message.entity
    count = len(entity)
    out.append(_pack_i(count))
    for entity_item in entity:
        _write_entity_data_v0(out, entity_item)
        yield
    values = message.values
    count = len(values)
    out.append(_pack_i(count))
    for values_item in values:
        _write_value_data_v0(out, values_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: DescribeClientQuotasResponse) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = -1
    else:
        data = error_message.encode()
        length = len(data)
    out.append(_pack_ihh(message.throttle_time_ms, message.error_code, length))
    out.append(data)
    entries = message.entries
    if entries is None:
        entries = EMPTY
        count = -1
    else:
        count = len(entries)
    out.append(_pack_i(count))
    for entries_item in entries:
        _write_entry_data_v0(out, entries_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v0(out: Pieces, message: DescribeClientQuotasResponse) -> Steps[None]:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = -1
    else:
        data = error_message.encode()
        length = len(data)
    out.append(_pack_ihh(message.throttle_time_ms, message.error_code, length))
    out.append(data)
    entries = message.entries
    if entries is None:
        entries = EMPTY
        count = -1
    else:
        count = len(entries)
    out.append(_pack_i(count))
    for entries_item in entries:
        yield from _step_write_entry_data_v0(out, entries_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_entity_data_v1(out: Pieces, message: DescribeClientQuotasResponseEntityData) -> None:
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


def _write_value_data_v1(out: Pieces, message: DescribeClientQuotasResponseValueData) -> None:
    key = message.key
    data = key.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_d(message.value))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_dB(message.value, 0))


def _write_entry_data_v1(out: Pieces, message: DescribeClientQuotasResponseEntryData) -> None:
    entity = message.entity
    count = len(entity) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for entity_item in entity:
        _write_entity_data_v1(out, entity_item)
    values = message.values
    count = len(values) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for values_item in values:
        _write_value_data_v1(out, values_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_entry_data_v1(out: Pieces, message: DescribeClientQuotasResponseEntryData) -> Steps[None]:
    entity = message.entity
    count = len(entity) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for entity_item in entity:
        _write_entity_data_v1(out, entity_item)
        yield
    values = message.values
    count = len(values) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for values_item in values:
        _write_value_data_v1(out, values_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: DescribeClientQuotasResponse) -> None:
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
    entries = message.entries
    if entries is None:
        entries = EMPTY
        count = 0
    else:
        count = len(entries) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for entries_item in entries:
        _write_entry_data_v1(out, entries_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v1(out: Pieces, message: DescribeClientQuotasResponse) -> Steps[None]:
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
    entries = message.entries
    if entries is None:
        entries = EMPTY
        count = 0
    else:
        count = len(entries) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
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
        python_class=DescribeClientQuotasResponseEntityData,
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
    value_data_struct = StructSchema(
        python_class=DescribeClientQuotasResponseValueData,
        fields=(
            FieldSchema(
                name="Key",
                attribute="key",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Value",
                attribute="value",
                type="float64",
                versions=(0, 32767),
                default=0.0,
            ),
        ),
    )
    entry_data_struct = StructSchema(
        python_class=DescribeClientQuotasResponseEntryData,
        fields=(
            FieldSchema(
                name="Entity",
                attribute="entity",
                type="EntityData",
                struct=entity_data_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="Values",
                attribute="values",
                type="ValueData",
                struct=value_data_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    describe_client_quotas_response_struct = StructSchema(
        python_class=DescribeClientQuotasResponse,
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
                name="Entries",
                attribute="entries",
                type="EntryData",
                struct=entry_data_struct,
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="DescribeClientQuotasResponse",
        flexible_from=1,
        root=describe_client_quotas_response_struct,
    )
