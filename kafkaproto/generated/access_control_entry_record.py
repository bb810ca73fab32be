"""AccessControlEntryRecord: versions 0, flexible from 0, record type 18.

Generated from metadata/AccessControlEntryRecord.json by codegen; change the schema, not this file.
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

ZERO_UUID = bytes(16)
_unpack_ubB = struct.Struct(">16sbB").unpack_from
_unpack_bB = struct.Struct(">bB").unpack_from
_unpack_bbB = struct.Struct(">bbB").unpack_from
_pack_ub = struct.Struct(">16sb").pack
_pack_ubB = struct.Struct(">16sbB").pack
_pack_b = struct.Struct(">b").pack
_pack_bB = struct.Struct(">bB").pack
_pack_bb = struct.Struct(">bb").pack
_pack_bbB = struct.Struct(">bbB").pack


class AccessControlEntryRecord(Message):
    """Metadata AccessControlEntryRecord."""

    __slots__ = (
        "id",
        "resource_type",
        "resource_name",
        "pattern_type",
        "principal",
        "host",
        "operation",
        "permission_type",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "AccessControlEntryRecord"
    TYPE: ClassVar[str] = "metadata"
    API_KEY: ClassVar[int | None] = 18
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    id: bytes
    """Made up by the controller; removal goes by it. Versions 0+."""
    resource_type: int
    """2 topic, 3 group, 4 cluster, 5 transactional id, 6 delegation token, 7 user. Versions 0+."""
    resource_name: str
    """Versions 0+."""
    pattern_type: int
    """3 literal, 4 prefixed. Versions 0+."""
    principal: str
    """As TYPE:NAME. Versions 0+."""
    host: str
    """An address, or * for any. Versions 0+."""
    operation: int
    """Versions 0+."""
    permission_type: int
    """2 deny, 3 allow. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        id: bytes = ZERO_UUID,
        resource_type: int = 0,
        resource_name: str = "",
        pattern_type: int = 0,
        principal: str = "",
        host: str = "",
        operation: int = 0,
        permission_type: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.id = id
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.pattern_type = pattern_type
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AccessControlEntryRecord)
            and self.id == other.id
            and self.resource_type == other.resource_type
            and self.resource_name == other.resource_name
            and self.pattern_type == other.pattern_type
            and self.principal == other.principal
            and self.host == other.host
            and self.operation == other.operation
            and self.permission_type == other.permission_type
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[AccessControlEntryRecord, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[AccessControlEntryRecord, int]:
    message = AccessControlEntryRecord.__new__(AccessControlEntryRecord)
    message.id, message.resource_type, length = _unpack_ubB(buffer, position)
    position += 18
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.resource_name = str(buffer[position:end], "utf-8")
    position = end
    message.pattern_type, length = _unpack_bB(buffer, position)
    position += 2
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.principal = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.host = str(buffer[position:end], "utf-8")
    position = end
    message.operation, message.permission_type, tags = _unpack_bbB(buffer, position)
    position += 3
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: AccessControlEntryRecord) -> None:
    id = message.id
    if len(id) != 16:
        raise Malformed
    resource_name = message.resource_name
    data = resource_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_ubB(id, message.resource_type, length))
    else:
        out.append(_pack_ub(id, message.resource_type))
        out.append(pack_string_length(length))
    out.append(data)
    principal = message.principal
    data = principal.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_bB(message.pattern_type, length))
    else:
        out.append(_pack_b(message.pattern_type))
        out.append(pack_string_length(length))
    out.append(data)
    host = message.host
    data = host.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_bb(message.operation, message.permission_type))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_bbB(message.operation, message.permission_type, 0))


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    access_control_entry_record_struct = StructSchema(
        python_class=AccessControlEntryRecord,
        fields=(
            FieldSchema(
                name="Id",
                attribute="id",
                type="uuid",
                versions=(0, 32767),
                default=ZERO_UUID,
            ),
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
                name="PatternType",
                attribute="pattern_type",
                type="int8",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Principal",
                attribute="principal",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Host",
                attribute="host",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Operation",
                attribute="operation",
                type="int8",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="PermissionType",
                attribute="permission_type",
                type="int8",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(
        name="AccessControlEntryRecord",
        flexible_from=0,
        root=access_control_entry_record_struct,
    )
