"""ClientQuotaRecord: versions 0, flexible from 0, record type 14.

Generated from metadata/ClientQuotaRecord.json by codegen; change the schema, not this file.
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
    pack_length,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

_unpack_dtB = struct.Struct(">d?B").unpack_from
_pack_dt = struct.Struct(">d?").pack
_pack_dtB = struct.Struct(">d?B").pack


class ClientQuotaRecordEntityData(Struct):
    """EntityData of ClientQuotaRecord."""

    __slots__ = ("entity_type", "entity_name", "unknown_tags")

    entity_type: str
    """user, client-id or ip. Versions 0+."""
    entity_name: str | None
    """Null for the default of its type. Versions 0+, null in 0+."""
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
            isinstance(other, ClientQuotaRecordEntityData)
            and self.entity_type == other.entity_type
            and self.entity_name == other.entity_name
            and self.unknown_tags == other.unknown_tags
        )



class ClientQuotaRecord(Message):
    """Metadata ClientQuotaRecord."""

    __slots__ = ("entity", "key", "value", "remove", "unknown_tags")

    NAME: ClassVar[str] = "ClientQuotaRecord"
    TYPE: ClassVar[str] = "metadata"
    API_KEY: ClassVar[int | None] = 14
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    EntityData: TypeAlias = ClientQuotaRecordEntityData

    entity: list[ClientQuotaRecordEntityData]
    """Versions 0+."""
    key: str
    """Such as producer_byte_rate. Versions 0+."""
    value: float
    """Versions 0+."""
    remove: bool
    """Whether the quota goes; Value is then of no meaning. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        entity: list[ClientQuotaRecordEntityData] = EMPTY,
        key: str = "",
        value: float = 0.0,
        remove: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.entity = [] if entity is EMPTY else entity
        self.key = key
        self.value = value
        self.remove = remove
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ClientQuotaRecord)
            and self.entity == other.entity
            and self.key == other.key
            and self.value == other.value
            and self.remove == other.remove
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ClientQuotaRecord, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_entity_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ClientQuotaRecordEntityData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ClientQuotaRecordEntityData] = []
    for _ in range(size):
        message = ClientQuotaRecordEntityData.__new__(ClientQuotaRecordEntityData)
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


def _read_v0(buffer: Buffer, position: int) -> tuple[ClientQuotaRecord, int]:
    message = ClientQuotaRecord.__new__(ClientQuotaRecord)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.entity, position = _read_many_entity_data_v0(buffer, position, count - 1)
    elif count:
        message.entity = []
    else:
        raise Malformed
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
    return message, position


def _write_entity_data_v0(out: Pieces, message: ClientQuotaRecordEntityData) -> None:
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


def _write_v0(out: Pieces, message: ClientQuotaRecord) -> None:
    entity = message.entity
    count = len(entity) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for entity_item in entity:
        _write_entity_data_v0(out, entity_item)
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


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    entity_data_struct = StructSchema(
        python_class=ClientQuotaRecordEntityData,
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
    client_quota_record_struct = StructSchema(
        python_class=ClientQuotaRecord,
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
    return MessageSchema(name="ClientQuotaRecord", flexible_from=0, root=client_quota_record_struct)
