"""DefaultPrincipalData: versions 0, flexible from 0.

Generated from principal/DefaultPrincipalData.json by codegen; change the schema, not this file.
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

_unpack_tB = struct.Struct(">?B").unpack_from
_pack_t = struct.Struct(">?").pack
_pack_tB = struct.Struct(">?B").pack


class DefaultPrincipalData(Message):
    """Data DefaultPrincipalData."""

    __slots__ = ("type", "name", "token_authenticated", "unknown_tags")

    NAME: ClassVar[str] = "DefaultPrincipalData"
    TYPE: ClassVar[str] = "data"
    API_KEY: ClassVar[int | None] = None
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    type: str
    """Versions 0+."""
    name: str
    """Versions 0+."""
    token_authenticated: bool
    """Whether the client logged in with a delegation token. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        type: str = "",
        name: str = "",
        token_authenticated: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.type = type
        self.name = name
        self.token_authenticated = token_authenticated
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DefaultPrincipalData)
            and self.type == other.type
            and self.name == other.name
            and self.token_authenticated == other.token_authenticated
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DefaultPrincipalData, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[DefaultPrincipalData, int]:
    message = DefaultPrincipalData.__new__(DefaultPrincipalData)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.type = str(buffer[position:end], "utf-8")
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
    message.token_authenticated, tags = _unpack_tB(buffer, position)
    position += 2
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: DefaultPrincipalData) -> None:
    type = message.type
    data = type.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
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
    if message.unknown_tags:
        out.append(_pack_t(message.token_authenticated))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_tB(message.token_authenticated, 0))


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    default_principal_data_struct = StructSchema(
        python_class=DefaultPrincipalData,
        fields=(
            FieldSchema(
                name="Type",
                attribute="type",
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
                name="TokenAuthenticated",
                attribute="token_authenticated",
                type="bool",
                versions=(0, 32767),
                default=False,
            ),
        ),
    )
    return MessageSchema(name="DefaultPrincipalData", flexible_from=0, root=default_principal_data_struct)
