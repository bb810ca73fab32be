"""RemoveUserScramCredentialRecord: versions 0, flexible from 0, record type 22.

Generated from metadata/RemoveUserScramCredentialRecord.json by codegen; change the schema, not this file.
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


class RemoveUserScramCredentialRecord(Message):
    """Metadata RemoveUserScramCredentialRecord."""

    __slots__ = ("name", "mechanism", "unknown_tags")

    NAME: ClassVar[str] = "RemoveUserScramCredentialRecord"
    TYPE: ClassVar[str] = "metadata"
    API_KEY: ClassVar[int | None] = 22
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    name: str
    """The user. Versions 0+."""
    mechanism: int
    """1 SCRAM-SHA-256, 2 SCRAM-SHA-512. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        mechanism: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.mechanism = mechanism
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RemoveUserScramCredentialRecord)
            and self.name == other.name
            and self.mechanism == other.mechanism
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[RemoveUserScramCredentialRecord, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[RemoveUserScramCredentialRecord, int]:
    message = RemoveUserScramCredentialRecord.__new__(RemoveUserScramCredentialRecord)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.name = str(buffer[position:end], "utf-8")
    position = end
    message.mechanism, tags = _unpack_bB(buffer, position)
    position += 2
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: RemoveUserScramCredentialRecord) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_b(message.mechanism))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_bB(message.mechanism, 0))


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    remove_user_scram_credential_record_struct = StructSchema(
        python_class=RemoveUserScramCredentialRecord,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Mechanism",
                attribute="mechanism",
                type="int8",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(
        name="RemoveUserScramCredentialRecord",
        flexible_from=0,
        root=remove_user_scram_credential_record_struct,
    )
