"""ConfigRecord: versions 0, flexible from 0, record type 4.

Generated from metadata/ConfigRecord.json by codegen; change the schema, not this file.
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

_unpack_bB = struct.Struct(">bB").unpack_from
_pack_b = struct.Struct(">b").pack
_pack_bB = struct.Struct(">bB").pack


class ConfigRecord(Message):
    """Metadata ConfigRecord."""

    __slots__ = ("resource_type", "resource_name", "name", "value", "unknown_tags")

    NAME: ClassVar[str] = "ConfigRecord"
    TYPE: ClassVar[str] = "metadata"
    API_KEY: ClassVar[int | None] = 4
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    resource_type: int
    """2 topic, 4 broker, 16 client metrics, 32 group. Versions 0+."""
    resource_name: str
    """Empty for the default of all brokers. Versions 0+."""
    name: str
    """Versions 0+."""
    value: str | None
    """Null removes the key. Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        resource_type: int = 0,
        resource_name: str = "",
        name: str = "",
        value: str | None = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.name = name
        self.value = value
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ConfigRecord)
            and self.resource_type == other.resource_type
            and self.resource_name == other.resource_name
            and self.name == other.name
            and self.value == other.value
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ConfigRecord, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[ConfigRecord, int]:
    message = ConfigRecord.__new__(ConfigRecord)
    message.resource_type, length = _unpack_bB(buffer, position)
    position += 2
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.resource_name = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.name = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.value = None
    else:
        end = position + length - 1
        message.value = str(buffer[position:end], "utf-8")
        position = end
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: ConfigRecord) -> None:
    resource_name = message.resource_name
    data = resource_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_bB(message.resource_type, length))
    else:
        out.append(_pack_b(message.resource_type))
        out.append(pack_string_length(length))
    out.append(data)
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    value = message.value
    if value is None:
        data = b""
        length = 0
    else:
        data = value.encode()
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
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    config_record_struct = StructSchema(
        python_class=ConfigRecord,
        fields=(
            FieldSchema(
                name="ResourceType",
                attribute="resource_type",
                type="int8",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ResourceName",
                attribute="resource_name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Value",
                attribute="value",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
        ),
    )
    return MessageSchema(name="ConfigRecord", flexible_from=0, root=config_record_struct)
