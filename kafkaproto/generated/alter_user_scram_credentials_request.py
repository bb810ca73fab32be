"""AlterUserScramCredentialsRequest: versions 0, flexible from 0, api key 51.

Generated from api/AlterUserScramCredentialsRequest.json by codegen; change the schema, not this file.
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

_unpack_bB = struct.Struct(">bB").unpack_from
_unpack_biB = struct.Struct(">biB").unpack_from
_pack_b = struct.Struct(">b").pack
_pack_bB = struct.Struct(">bB").pack
_pack_bi = struct.Struct(">bi").pack
_pack_biB = struct.Struct(">biB").pack


class AlterUserScramCredentialsRequestScramCredentialDeletion(Struct):
    """ScramCredentialDeletion of AlterUserScramCredentialsRequest."""

    __slots__ = ("name", "mechanism", "unknown_tags")

    name: str
    """Versions 0+."""
    mechanism: int
    """Versions 0+."""
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
            isinstance(other, AlterUserScramCredentialsRequestScramCredentialDeletion)
            and self.name == other.name
            and self.mechanism == other.mechanism
            and self.unknown_tags == other.unknown_tags
        )



class AlterUserScramCredentialsRequestScramCredentialUpsertion(Struct):
    """ScramCredentialUpsertion of AlterUserScramCredentialsRequest."""

    __slots__ = ("name", "mechanism", "iterations", "salt", "salted_password", "unknown_tags")

    name: str
    """Versions 0+."""
    mechanism: int
    """Versions 0+."""
    iterations: int
    """Versions 0+."""
    salt: bytes
    """Versions 0+."""
    salted_password: bytes
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        mechanism: int = 0,
        iterations: int = 0,
        salt: bytes = b'',
        salted_password: bytes = b'',
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.mechanism = mechanism
        self.iterations = iterations
        self.salt = salt
        self.salted_password = salted_password
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterUserScramCredentialsRequestScramCredentialUpsertion)
            and self.name == other.name
            and self.mechanism == other.mechanism
            and self.iterations == other.iterations
            and self.salt == other.salt
            and self.salted_password == other.salted_password
            and self.unknown_tags == other.unknown_tags
        )



class AlterUserScramCredentialsRequest(Message):
    """Request AlterUserScramCredentialsRequest."""

    __slots__ = ("deletions", "upsertions", "unknown_tags")

    NAME: ClassVar[str] = "AlterUserScramCredentialsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 51
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker", "controller",)
    ScramCredentialDeletion: TypeAlias = AlterUserScramCredentialsRequestScramCredentialDeletion
    ScramCredentialUpsertion: TypeAlias = AlterUserScramCredentialsRequestScramCredentialUpsertion

    deletions: list[AlterUserScramCredentialsRequestScramCredentialDeletion]
    """Versions 0+."""
    upsertions: list[AlterUserScramCredentialsRequestScramCredentialUpsertion]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        deletions: list[AlterUserScramCredentialsRequestScramCredentialDeletion] = EMPTY,
        upsertions: list[AlterUserScramCredentialsRequestScramCredentialUpsertion] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.deletions = [] if deletions is EMPTY else deletions
        self.upsertions = [] if upsertions is EMPTY else upsertions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterUserScramCredentialsRequest)
            and self.deletions == other.deletions
            and self.upsertions == other.upsertions
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[AlterUserScramCredentialsRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[AlterUserScramCredentialsRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_scram_credential_deletion_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterUserScramCredentialsRequestScramCredentialDeletion], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterUserScramCredentialsRequestScramCredentialDeletion] = []
    for _ in range(size):
        message = AlterUserScramCredentialsRequestScramCredentialDeletion.__new__(
            AlterUserScramCredentialsRequestScramCredentialDeletion,
        )
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
        found.append(message)
    return found, position


def _read_many_scram_credential_upsertion_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterUserScramCredentialsRequestScramCredentialUpsertion], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterUserScramCredentialsRequestScramCredentialUpsertion] = []
    for _ in range(size):
        message = AlterUserScramCredentialsRequestScramCredentialUpsertion.__new__(
            AlterUserScramCredentialsRequestScramCredentialUpsertion,
        )
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.mechanism, message.iterations, length = _unpack_biB(buffer, position)
        position += 6
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
        message.salted_password = bytes(buffer[position:end])
        position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[AlterUserScramCredentialsRequest, int]:
    message = AlterUserScramCredentialsRequest.__new__(AlterUserScramCredentialsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.deletions, position = _read_many_scram_credential_deletion_v0(buffer, position, count - 1)
    elif count:
        message.deletions = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.upsertions, position = _read_many_scram_credential_upsertion_v0(buffer, position, count - 1)
    elif count:
        message.upsertions = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v0(
    buffer: Buffer,
    position: int,
    budget: Budget,
) -> Steps[tuple[AlterUserScramCredentialsRequest, int]]:
    message = AlterUserScramCredentialsRequest.__new__(AlterUserScramCredentialsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "AlterUserScramCredentialsRequest.deletions")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.deletions, position = yield from read_pieces(
                _read_many_scram_credential_deletion_v0,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.deletions, position = _read_many_scram_credential_deletion_v0(buffer, position, count - 1)
            budget.take_tags(message.deletions)
    elif count:
        message.deletions = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "AlterUserScramCredentialsRequest.upsertions")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.upsertions, position = yield from read_pieces(
                _read_many_scram_credential_upsertion_v0,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.upsertions, position = _read_many_scram_credential_upsertion_v0(buffer, position, count - 1)
            budget.take_tags(message.upsertions)
    elif count:
        message.upsertions = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_scram_credential_deletion_v0(
    out: Pieces,
    message: AlterUserScramCredentialsRequestScramCredentialDeletion,
) -> None:
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


def _write_scram_credential_upsertion_v0(
    out: Pieces,
    message: AlterUserScramCredentialsRequestScramCredentialUpsertion,
) -> None:
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
        out.append(_pack_biB(message.mechanism, message.iterations, length))
    else:
        out.append(_pack_bi(message.mechanism, message.iterations))
        out.append(pack_length(length))
    out.append(salt)
    salted_password = message.salted_password
    length = len(salted_password) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    out.append(salted_password)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: AlterUserScramCredentialsRequest) -> None:
    deletions = message.deletions
    count = len(deletions) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for deletions_item in deletions:
        _write_scram_credential_deletion_v0(out, deletions_item)
    upsertions = message.upsertions
    count = len(upsertions) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for upsertions_item in upsertions:
        _write_scram_credential_upsertion_v0(out, upsertions_item)
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

_STEP_READERS = (
    _step_v0,
)


@cache
def _schema() -> MessageSchema:
    scram_credential_deletion_struct = StructSchema(
        python_class=AlterUserScramCredentialsRequestScramCredentialDeletion,
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
    scram_credential_upsertion_struct = StructSchema(
        python_class=AlterUserScramCredentialsRequestScramCredentialUpsertion,
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
                name="Iterations",
                attribute="iterations",
                type="int32",
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
                name="SaltedPassword",
                attribute="salted_password",
                type="bytes",
                versions=(0, 32767),
                default=b'',
            ),
        ),
    )
    alter_user_scram_credentials_request_struct = StructSchema(
        python_class=AlterUserScramCredentialsRequest,
        fields=(
            FieldSchema(
                name="Deletions",
                attribute="deletions",
                type="ScramCredentialDeletion",
                struct=scram_credential_deletion_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="Upsertions",
                attribute="upsertions",
                type="ScramCredentialUpsertion",
                struct=scram_credential_upsertion_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="AlterUserScramCredentialsRequest",
        flexible_from=0,
        root=alter_user_scram_credentials_request_struct,
    )
