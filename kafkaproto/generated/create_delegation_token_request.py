"""CreateDelegationTokenRequest: versions 1-3, flexible from 2, api key 38.

Generated from api/CreateDelegationTokenRequest.json by codegen; change the schema, not this file.
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

_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_q = struct.Struct(">q").unpack_from
_unpack_qB = struct.Struct(">qB").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_q = struct.Struct(">q").pack
_pack_qB = struct.Struct(">qB").pack


class CreateDelegationTokenRequestCreatableRenewers(Struct):
    """CreatableRenewers of CreateDelegationTokenRequest."""

    __slots__ = ("principal_type", "principal_name", "unknown_tags")

    principal_type: str
    """Versions 0+."""
    principal_name: str
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        principal_type: str = "",
        principal_name: str = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CreateDelegationTokenRequestCreatableRenewers)
            and self.principal_type == other.principal_type
            and self.principal_name == other.principal_name
            and self.unknown_tags == other.unknown_tags
        )



class CreateDelegationTokenRequest(Message):
    """Request CreateDelegationTokenRequest."""

    __slots__ = (
        "owner_principal_type",
        "owner_principal_name",
        "renewers",
        "max_lifetime_ms",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "CreateDelegationTokenRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 38
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker", "controller",)
    CreatableRenewers: TypeAlias = CreateDelegationTokenRequestCreatableRenewers

    owner_principal_type: str | None
    """Versions 3+, null in 3+."""
    owner_principal_name: str | None
    """Versions 3+, null in 3+."""
    renewers: list[CreateDelegationTokenRequestCreatableRenewers]
    """Versions 0+."""
    max_lifetime_ms: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        owner_principal_type: str | None = "",
        owner_principal_name: str | None = "",
        renewers: list[CreateDelegationTokenRequestCreatableRenewers] = EMPTY,
        max_lifetime_ms: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.owner_principal_type = owner_principal_type
        self.owner_principal_name = owner_principal_name
        self.renewers = [] if renewers is EMPTY else renewers
        self.max_lifetime_ms = max_lifetime_ms
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CreateDelegationTokenRequest)
            and self.owner_principal_type == other.owner_principal_type
            and self.owner_principal_name == other.owner_principal_name
            and self.renewers == other.renewers
            and self.max_lifetime_ms == other.max_lifetime_ms
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[CreateDelegationTokenRequest, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[CreateDelegationTokenRequest, int]] | None:
        read = _STEP_READERS[version - 1]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_creatable_renewers_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[CreateDelegationTokenRequestCreatableRenewers], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreateDelegationTokenRequestCreatableRenewers] = []
    for _ in range(size):
        message = CreateDelegationTokenRequestCreatableRenewers.__new__(
            CreateDelegationTokenRequestCreatableRenewers,
        )
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.principal_type = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.principal_name = str(buffer[position:end], "utf-8")
        position = end
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[CreateDelegationTokenRequest, int]:
    message = CreateDelegationTokenRequest.__new__(CreateDelegationTokenRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.renewers, position = _read_many_creatable_renewers_v1(buffer, position, count)
    elif not count:
        message.renewers = []
    else:
        raise Malformed
    (message.max_lifetime_ms,) = _unpack_q(buffer, position)
    position += 8
    message.owner_principal_type = ""
    message.owner_principal_name = ""
    message.unknown_tags = None
    return message, position


def _step_v1(
    buffer: Buffer,
    position: int,
    budget: Budget,
) -> Steps[tuple[CreateDelegationTokenRequest, int]]:
    message = CreateDelegationTokenRequest.__new__(CreateDelegationTokenRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "CreateDelegationTokenRequest.renewers")
    if count > 0:
        if count > ELEMENTS_A_STEP:
            message.renewers, position = yield from read_pieces(
                _read_many_creatable_renewers_v1,
                buffer,
                position,
                count,
                budget,
            )
        else:
            message.renewers, position = _read_many_creatable_renewers_v1(buffer, position, count)
            budget.take_tags(message.renewers)
    elif not count:
        message.renewers = []
    else:
        raise Malformed
    (message.max_lifetime_ms,) = _unpack_q(buffer, position)
    position += 8
    message.owner_principal_type = ""
    message.owner_principal_name = ""
    message.unknown_tags = None
    return message, position


def _read_many_creatable_renewers_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[CreateDelegationTokenRequestCreatableRenewers], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreateDelegationTokenRequestCreatableRenewers] = []
    for _ in range(size):
        message = CreateDelegationTokenRequestCreatableRenewers.__new__(
            CreateDelegationTokenRequestCreatableRenewers,
        )
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.principal_type = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.principal_name = str(buffer[position:end], "utf-8")
        position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v2(buffer: Buffer, position: int) -> tuple[CreateDelegationTokenRequest, int]:
    message = CreateDelegationTokenRequest.__new__(CreateDelegationTokenRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.renewers, position = _read_many_creatable_renewers_v2(buffer, position, count - 1)
    elif count:
        message.renewers = []
    else:
        raise Malformed
    message.max_lifetime_ms, tags = _unpack_qB(buffer, position)
    position += 9
    message.owner_principal_type = ""
    message.owner_principal_name = ""
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v2(
    buffer: Buffer,
    position: int,
    budget: Budget,
) -> Steps[tuple[CreateDelegationTokenRequest, int]]:
    message = CreateDelegationTokenRequest.__new__(CreateDelegationTokenRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "CreateDelegationTokenRequest.renewers")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.renewers, position = yield from read_pieces(
                _read_many_creatable_renewers_v2,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.renewers, position = _read_many_creatable_renewers_v2(buffer, position, count - 1)
            budget.take_tags(message.renewers)
    elif count:
        message.renewers = []
    else:
        raise Malformed
    message.max_lifetime_ms, tags = _unpack_qB(buffer, position)
    position += 9
    message.owner_principal_type = ""
    message.owner_principal_name = ""
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_v3(buffer: Buffer, position: int) -> tuple[CreateDelegationTokenRequest, int]:
    message = CreateDelegationTokenRequest.__new__(CreateDelegationTokenRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.owner_principal_type = None
    else:
        end = position + length - 1
        message.owner_principal_type = str(buffer[position:end], "utf-8")
        position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.owner_principal_name = None
    else:
        end = position + length - 1
        message.owner_principal_name = str(buffer[position:end], "utf-8")
        position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.renewers, position = _read_many_creatable_renewers_v2(buffer, position, count - 1)
    elif count:
        message.renewers = []
    else:
        raise Malformed
    message.max_lifetime_ms, tags = _unpack_qB(buffer, position)
    position += 9
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v3(
    buffer: Buffer,
    position: int,
    budget: Budget,
) -> Steps[tuple[CreateDelegationTokenRequest, int]]:
    message = CreateDelegationTokenRequest.__new__(CreateDelegationTokenRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.owner_principal_type = None
    else:
        end = position + length - 1
        message.owner_principal_type = str(buffer[position:end], "utf-8")
        position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.owner_principal_name = None
    else:
        end = position + length - 1
        message.owner_principal_name = str(buffer[position:end], "utf-8")
        position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "CreateDelegationTokenRequest.renewers")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.renewers, position = yield from read_pieces(
                _read_many_creatable_renewers_v2,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.renewers, position = _read_many_creatable_renewers_v2(buffer, position, count - 1)
            budget.take_tags(message.renewers)
    elif count:
        message.renewers = []
    else:
        raise Malformed
    message.max_lifetime_ms, tags = _unpack_qB(buffer, position)
    position += 9
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_creatable_renewers_v1(out: Pieces, message: CreateDelegationTokenRequestCreatableRenewers) -> None:
    principal_type = message.principal_type
    data = principal_type.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    principal_name = message.principal_name
    data = principal_name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: CreateDelegationTokenRequest) -> None:
    if message.owner_principal_type != "":
        raise Malformed
    if message.owner_principal_name != "":
        raise Malformed
    renewers = message.renewers
    count = len(renewers)
    out.append(_pack_i(count))
    for renewers_item in renewers:
        _write_creatable_renewers_v1(out, renewers_item)
    out.append(_pack_q(message.max_lifetime_ms))
    if message.unknown_tags:
        raise Malformed


def _write_creatable_renewers_v2(out: Pieces, message: CreateDelegationTokenRequestCreatableRenewers) -> None:
    principal_type = message.principal_type
    data = principal_type.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    principal_name = message.principal_name
    data = principal_name.encode()
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


def _write_v2(out: Pieces, message: CreateDelegationTokenRequest) -> None:
    if message.owner_principal_type != "":
        raise Malformed
    if message.owner_principal_name != "":
        raise Malformed
    renewers = message.renewers
    count = len(renewers) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for renewers_item in renewers:
        _write_creatable_renewers_v2(out, renewers_item)
    if message.unknown_tags:
        out.append(_pack_q(message.max_lifetime_ms))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_qB(message.max_lifetime_ms, 0))


def _write_v3(out: Pieces, message: CreateDelegationTokenRequest) -> None:
    owner_principal_type = message.owner_principal_type
    if owner_principal_type is None:
        data = b""
        length = 0
    else:
        data = owner_principal_type.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    owner_principal_name = message.owner_principal_name
    if owner_principal_name is None:
        data = b""
        length = 0
    else:
        data = owner_principal_name.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    renewers = message.renewers
    count = len(renewers) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for renewers_item in renewers:
        _write_creatable_renewers_v2(out, renewers_item)
    if message.unknown_tags:
        out.append(_pack_q(message.max_lifetime_ms))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_qB(message.max_lifetime_ms, 0))


_READERS = (
    _read_v1,
    _read_v2,
    _read_v3,
)

_WRITERS = (
    _write_v1,
    _write_v2,
    _write_v3,
)

_STEP_READERS = (
    _step_v1,
    _step_v2,
    _step_v3,
)


@cache
def _schema() -> MessageSchema:
    creatable_renewers_struct = StructSchema(
        python_class=CreateDelegationTokenRequestCreatableRenewers,
        fields=(
            FieldSchema(
                name="PrincipalType",
                attribute="principal_type",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="PrincipalName",
                attribute="principal_name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
        ),
    )
    create_delegation_token_request_struct = StructSchema(
        python_class=CreateDelegationTokenRequest,
        fields=(
            FieldSchema(
                name="OwnerPrincipalType",
                attribute="owner_principal_type",
                type="string",
                versions=(3, 32767),
                nullable=(3, 32767),
                default="",
            ),
            FieldSchema(
                name="OwnerPrincipalName",
                attribute="owner_principal_name",
                type="string",
                versions=(3, 32767),
                nullable=(3, 32767),
                default="",
            ),
            FieldSchema(
                name="Renewers",
                attribute="renewers",
                type="CreatableRenewers",
                struct=creatable_renewers_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="MaxLifetimeMs",
                attribute="max_lifetime_ms",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(
        name="CreateDelegationTokenRequest",
        flexible_from=2,
        root=create_delegation_token_request_struct,
    )
