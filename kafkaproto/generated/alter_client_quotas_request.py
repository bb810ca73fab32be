"""AlterClientQuotasRequest: versions 0-1, flexible from 1, api key 49.

Generated from api/AlterClientQuotasRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    ELEMENTS_A_STEP,
    EMPTY,
    Budget,
    Buffer,
    Malformed,
    Pieces,
    Steps,
    pack_length,
    pack_string_length,
    read_long_length,
    read_pieces,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

_unpack_tB = struct.Struct(">?B").unpack_from
_unpack_dt = struct.Struct(">d?").unpack_from
_unpack_dtB = struct.Struct(">d?B").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_pack_t = struct.Struct(">?").pack
_pack_tB = struct.Struct(">?B").pack
_pack_dt = struct.Struct(">d?").pack
_pack_dtB = struct.Struct(">d?B").pack
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack


class AlterClientQuotasRequestEntityData(Struct):
    """EntityData of AlterClientQuotasRequest."""

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
            isinstance(other, AlterClientQuotasRequestEntityData)
            and self.entity_type == other.entity_type
            and self.entity_name == other.entity_name
            and self.unknown_tags == other.unknown_tags
        )



class AlterClientQuotasRequestOpData(Struct):
    """OpData of AlterClientQuotasRequest."""

    __slots__ = ("key", "value", "remove", "unknown_tags")

    key: str
    """Versions 0+."""
    value: float
    """Versions 0+."""
    remove: bool
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        key: str = "",
        value: float = 0.0,
        remove: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.key = key
        self.value = value
        self.remove = remove
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterClientQuotasRequestOpData)
            and self.key == other.key
            and self.value == other.value
            and self.remove == other.remove
            and self.unknown_tags == other.unknown_tags
        )



class AlterClientQuotasRequestEntryData(Struct):
    """EntryData of AlterClientQuotasRequest."""

    __slots__ = ("entity", "ops", "unknown_tags")

    entity: list[AlterClientQuotasRequestEntityData]
    """Versions 0+."""
    ops: list[AlterClientQuotasRequestOpData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        entity: list[AlterClientQuotasRequestEntityData] = EMPTY,
        ops: list[AlterClientQuotasRequestOpData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.entity = [] if entity is EMPTY else entity
        self.ops = [] if ops is EMPTY else ops
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterClientQuotasRequestEntryData)
            and self.entity == other.entity
            and self.ops == other.ops
            and self.unknown_tags == other.unknown_tags
        )



class AlterClientQuotasRequest(Message):
    """Request AlterClientQuotasRequest."""

    __slots__ = ("entries", "validate_only", "unknown_tags")

    NAME: ClassVar[str] = "AlterClientQuotasRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 49
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker", "controller",)
    EntityData: TypeAlias = AlterClientQuotasRequestEntityData
    OpData: TypeAlias = AlterClientQuotasRequestOpData
    EntryData: TypeAlias = AlterClientQuotasRequestEntryData

    entries: list[AlterClientQuotasRequestEntryData]
    """Versions 0+."""
    validate_only: bool
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        entries: list[AlterClientQuotasRequestEntryData] = EMPTY,
        validate_only: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.entries = [] if entries is EMPTY else entries
        self.validate_only = validate_only
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterClientQuotasRequest)
            and self.entries == other.entries
            and self.validate_only == other.validate_only
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[AlterClientQuotasRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[AlterClientQuotasRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_entity_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterClientQuotasRequestEntityData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterClientQuotasRequestEntityData] = []
    for _ in range(size):
        message = AlterClientQuotasRequestEntityData.__new__(AlterClientQuotasRequestEntityData)
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


def _read_many_op_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterClientQuotasRequestOpData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterClientQuotasRequestOpData] = []
    for _ in range(size):
        message = AlterClientQuotasRequestOpData.__new__(AlterClientQuotasRequestOpData)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.key = str(buffer[position:end], "utf-8")
        position = end
        message.value, message.remove = _unpack_dt(buffer, position)
        position += 9
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_entry_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterClientQuotasRequestEntryData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterClientQuotasRequestEntryData] = []
    for _ in range(size):
        message = AlterClientQuotasRequestEntryData.__new__(AlterClientQuotasRequestEntryData)
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
            message.ops, position = _read_many_op_data_v0(buffer, position, count)
        elif not count:
            message.ops = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_entry_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[AlterClientQuotasRequestEntryData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterClientQuotasRequestEntryData] = []
    for _ in range(size):
        message = AlterClientQuotasRequestEntryData.__new__(AlterClientQuotasRequestEntryData)
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "AlterClientQuotasRequest.entity")
        if count > 0:
            if count > ELEMENTS_A_STEP:
                message.entity, position = yield from read_pieces(
                    _read_many_entity_data_v0,
                    buffer,
                    position,
                    count,
                    budget,
                )
            else:
                message.entity, position = _read_many_entity_data_v0(buffer, position, count)
                budget.take_tags(message.entity)
        elif not count:
            message.entity = []
        else:
            raise Malformed
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "AlterClientQuotasRequest.ops")
        if count > 0:
            if count > ELEMENTS_A_STEP:
                message.ops, position = yield from read_pieces(
                    _read_many_op_data_v0,
                    buffer,
                    position,
                    count,
                    budget,
                )
            else:
                message.ops, position = _read_many_op_data_v0(buffer, position, count)
                budget.take_tags(message.ops)
        elif not count:
            message.ops = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[AlterClientQuotasRequest, int]:
    message = AlterClientQuotasRequest.__new__(AlterClientQuotasRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.entries, position = _read_many_entry_data_v0(buffer, position, count)
    elif not count:
        message.entries = []
    else:
        raise Malformed
    message.validate_only = buffer[position] != 0
    position += 1
    message.unknown_tags = None
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[AlterClientQuotasRequest, int]]:
    message = AlterClientQuotasRequest.__new__(AlterClientQuotasRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "AlterClientQuotasRequest.entries")
    if count > 0:
        message.entries, position = yield from _step_many_entry_data_v0(buffer, position, count, budget)
    elif not count:
        message.entries = []
    else:
        raise Malformed
    message.validate_only = buffer[position] != 0
    position += 1
    message.unknown_tags = None
    return message, position


def _read_many_entity_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterClientQuotasRequestEntityData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterClientQuotasRequestEntityData] = []
    for _ in range(size):
        message = AlterClientQuotasRequestEntityData.__new__(AlterClientQuotasRequestEntityData)
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


def _read_many_op_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterClientQuotasRequestOpData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterClientQuotasRequestOpData] = []
    for _ in range(size):
        message = AlterClientQuotasRequestOpData.__new__(AlterClientQuotasRequestOpData)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.key = str(buffer[position:end], "utf-8")
        position = end
        message.value, message.remove, tags = _unpack_dtB(buffer, position)
        position += 10
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_entry_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterClientQuotasRequestEntryData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterClientQuotasRequestEntryData] = []
    for _ in range(size):
        message = AlterClientQuotasRequestEntryData.__new__(AlterClientQuotasRequestEntryData)
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
            message.ops, position = _read_many_op_data_v1(buffer, position, count - 1)
        elif count:
            message.ops = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_entry_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[AlterClientQuotasRequestEntryData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterClientQuotasRequestEntryData] = []
    for _ in range(size):
        message = AlterClientQuotasRequestEntryData.__new__(AlterClientQuotasRequestEntryData)
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "AlterClientQuotasRequest.entity")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.entity, position = yield from read_pieces(
                    _read_many_entity_data_v1,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.entity, position = _read_many_entity_data_v1(buffer, position, count - 1)
                budget.take_tags(message.entity)
        elif count:
            message.entity = []
        else:
            raise Malformed
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "AlterClientQuotasRequest.ops")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.ops, position = yield from read_pieces(
                    _read_many_op_data_v1,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.ops, position = _read_many_op_data_v1(buffer, position, count - 1)
                budget.take_tags(message.ops)
        elif count:
            message.ops = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[AlterClientQuotasRequest, int]:
    message = AlterClientQuotasRequest.__new__(AlterClientQuotasRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.entries, position = _read_many_entry_data_v1(buffer, position, count - 1)
    elif count:
        message.entries = []
    else:
        raise Malformed
    message.validate_only, tags = _unpack_tB(buffer, position)
    position += 2
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[AlterClientQuotasRequest, int]]:
    message = AlterClientQuotasRequest.__new__(AlterClientQuotasRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "AlterClientQuotasRequest.entries")
    if count > 1:
        message.entries, position = yield from _step_many_entry_data_v1(buffer, position, count - 1, budget)
    elif count:
        message.entries = []
    else:
        raise Malformed
    message.validate_only, tags = _unpack_tB(buffer, position)
    position += 2
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_entity_data_v0(out: Pieces, message: AlterClientQuotasRequestEntityData) -> None:
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


def _write_op_data_v0(out: Pieces, message: AlterClientQuotasRequestOpData) -> None:
    key = message.key
    data = key.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    out.append(_pack_dt(message.value, message.remove))
    if message.unknown_tags:
        raise Malformed


def _write_entry_data_v0(out: Pieces, message: AlterClientQuotasRequestEntryData) -> None:
    entity = message.entity
    count = len(entity)
    out.append(_pack_i(count))
    for entity_item in entity:
        _write_entity_data_v0(out, entity_item)
    ops = message.ops
    count = len(ops)
    out.append(_pack_i(count))
    for ops_item in ops:
        _write_op_data_v0(out, ops_item)
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: AlterClientQuotasRequest) -> None:
    entries = message.entries
    count = len(entries)
    out.append(_pack_i(count))
    for entries_item in entries:
        _write_entry_data_v0(out, entries_item)
    out.append(_pack_t(message.validate_only))
    if message.unknown_tags:
        raise Malformed


def _write_entity_data_v1(out: Pieces, message: AlterClientQuotasRequestEntityData) -> None:
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


def _write_op_data_v1(out: Pieces, message: AlterClientQuotasRequestOpData) -> None:
    key = message.key
    data = key.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_dt(message.value, message.remove))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_dtB(message.value, message.remove, 0))


def _write_entry_data_v1(out: Pieces, message: AlterClientQuotasRequestEntryData) -> None:
    entity = message.entity
    count = len(entity) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for entity_item in entity:
        _write_entity_data_v1(out, entity_item)
    ops = message.ops
    count = len(ops) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for ops_item in ops:
        _write_op_data_v1(out, ops_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: AlterClientQuotasRequest) -> None:
    entries = message.entries
    count = len(entries) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for entries_item in entries:
        _write_entry_data_v1(out, entries_item)
    if message.unknown_tags:
        out.append(_pack_t(message.validate_only))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_tB(message.validate_only, 0))


_READERS = (
    _read_v0,
    _read_v1,
)

_WRITERS = (
    _write_v0,
    _write_v1,
)

_STEP_READERS = (
    _step_v0,
    _step_v1,
)


@cache
def _schema() -> MessageSchema:
    entity_data_struct = StructSchema(
        python_class=AlterClientQuotasRequestEntityData,
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
    op_data_struct = StructSchema(
        python_class=AlterClientQuotasRequestOpData,
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
            FieldSchema(
                name="Remove",
                attribute="remove",
                type="bool",
                versions=(0, 32767),
                default=False,
            ),
        ),
    )
    entry_data_struct = StructSchema(
        python_class=AlterClientQuotasRequestEntryData,
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
                name="Ops",
                attribute="ops",
                type="OpData",
                struct=op_data_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    alter_client_quotas_request_struct = StructSchema(
        python_class=AlterClientQuotasRequest,
        fields=(
            FieldSchema(
                name="Entries",
                attribute="entries",
                type="EntryData",
                struct=entry_data_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="ValidateOnly",
                attribute="validate_only",
                type="bool",
                versions=(0, 32767),
                default=False,
            ),
        ),
    )
    return MessageSchema(
        name="AlterClientQuotasRequest",
        flexible_from=1,
        root=alter_client_quotas_request_struct,
    )
