"""UserScramCredentialRecord: versions 0, flexible from 0, record type 11.

Generated from metadata/UserScramCredentialRecord.json by codegen; change the schema, not this file.
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
    pack_length,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

_unpack_bB = struct.Struct(">bB").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_pack_b = struct.Struct(">b").pack
_pack_bB = struct.Struct(">bB").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack


class UserScramCredentialRecord(Message):
    """Metadata UserScramCredentialRecord."""

    __slots__ = ("name", "mechanism", "salt", "stored_key", "server_key", "iterations", "unknown_tags")

    NAME: ClassVar[str] = "UserScramCredentialRecord"
    TYPE: ClassVar[str] = "metadata"
    API_KEY: ClassVar[int | None] = 11
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    name: str
    """The user. Versions 0+."""
    mechanism: int
    """1 SCRAM-SHA-256, 2 SCRAM-SHA-512. Versions 0+."""
    salt: bytes
    """Versions 0+."""
    stored_key: bytes
    """Versions 0+."""
    server_key: bytes
    """Versions 0+."""
    iterations: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        mechanism: int = 0,
        salt: bytes = b'',
        stored_key: bytes = b'',
        server_key: bytes = b'',
        iterations: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.mechanism = mechanism
        self.salt = salt
        self.stored_key = stored_key
        self.server_key = server_key
        self.iterations = iterations
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, UserScramCredentialRecord)
            and self.name == other.name
            and self.mechanism == other.mechanism
            and self.salt == other.salt
            and self.stored_key == other.stored_key
            and self.server_key == other.server_key
            and self.iterations == other.iterations
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[UserScramCredentialRecord, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[UserScramCredentialRecord, int]:
    message = UserScramCredentialRecord.__new__(UserScramCredentialRecord)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.name = str(buffer[position:end], "utf-8")
    position = end
    message.mechanism, length = _unpack_bB(buffer, position)
    position += 2
    if length > 127:
        length, position = read_long_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.salt = bytes(buffer[position:end])
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_long_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.stored_key = bytes(buffer[position:end])
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_long_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.server_key = bytes(buffer[position:end])
    position = end
    message.iterations, tags = _unpack_iB(buffer, position)
    position += 5
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: UserScramCredentialRecord) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    salt = message.salt
    length = len(salt) + 1
    if length < 128:
        out.append(_pack_bB(message.mechanism, length))
    else:
        out.append(_pack_b(message.mechanism))
        out.append(pack_length(length))
    out.append(salt)
    stored_key = message.stored_key
    length = len(stored_key) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    out.append(stored_key)
    server_key = message.server_key
    length = len(server_key) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    out.append(server_key)
    if message.unknown_tags:
        out.append(_pack_i(message.iterations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.iterations, 0))


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    user_scram_credential_record_struct = StructSchema(
        python_class=UserScramCredentialRecord,
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
            FieldSchema(
                name="Salt",
                attribute="salt",
                type="bytes",
                versions=(0, 32767),
                default=b'',
            ),
            FieldSchema(
                name="StoredKey",
                attribute="stored_key",
                type="bytes",
                versions=(0, 32767),
                default=b'',
            ),
            FieldSchema(
                name="ServerKey",
                attribute="server_key",
                type="bytes",
                versions=(0, 32767),
                default=b'',
            ),
            FieldSchema(
                name="Iterations",
                attribute="iterations",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(
        name="UserScramCredentialRecord",
        flexible_from=0,
        root=user_scram_credential_record_struct,
    )
