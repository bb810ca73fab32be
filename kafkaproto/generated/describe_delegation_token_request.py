"""DescribeDelegationTokenRequest: versions 1-3, flexible from 2, api key 41.

Generated from api/DescribeDelegationTokenRequest.json by codegen; change the schema, not this file.
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
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack


class DescribeDelegationTokenRequestDescribeDelegationTokenOwner(Struct):
    """DescribeDelegationTokenOwner of DescribeDelegationTokenRequest."""

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
            isinstance(other, DescribeDelegationTokenRequestDescribeDelegationTokenOwner)
            and self.principal_type == other.principal_type
            and self.principal_name == other.principal_name
            and self.unknown_tags == other.unknown_tags
        )



class DescribeDelegationTokenRequest(Message):
    """Request DescribeDelegationTokenRequest."""

    __slots__ = ("owners", "unknown_tags")

    NAME: ClassVar[str] = "DescribeDelegationTokenRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 41
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker", "controller",)
    DescribeDelegationTokenOwner: TypeAlias = DescribeDelegationTokenRequestDescribeDelegationTokenOwner

    owners: list[DescribeDelegationTokenRequestDescribeDelegationTokenOwner] | None
    """Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        owners: list[DescribeDelegationTokenRequestDescribeDelegationTokenOwner] | None = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.owners = [] if owners is EMPTY else owners
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeDelegationTokenRequest)
            and self.owners == other.owners
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DescribeDelegationTokenRequest, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[DescribeDelegationTokenRequest, int]] | None:
        read = _STEP_READERS[version - 1]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_describe_delegation_token_owner_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeDelegationTokenRequestDescribeDelegationTokenOwner], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeDelegationTokenRequestDescribeDelegationTokenOwner] = []
    for _ in range(size):
        message = DescribeDelegationTokenRequestDescribeDelegationTokenOwner.__new__(
            DescribeDelegationTokenRequestDescribeDelegationTokenOwner,
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


def _read_v1(buffer: Buffer, position: int) -> tuple[DescribeDelegationTokenRequest, int]:
    message = DescribeDelegationTokenRequest.__new__(DescribeDelegationTokenRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.owners, position = _read_many_describe_delegation_token_owner_v1(buffer, position, count)
    elif not count:
        message.owners = []
    else:
        message.owners = None
    message.unknown_tags = None
    return message, position


def _step_v1(
    buffer: Buffer,
    position: int,
    budget: Budget,
) -> Steps[tuple[DescribeDelegationTokenRequest, int]]:
    message = DescribeDelegationTokenRequest.__new__(DescribeDelegationTokenRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "DescribeDelegationTokenRequest.owners")
    if count > 0:
        if count > ELEMENTS_A_STEP:
            message.owners, position = yield from read_pieces(
                _read_many_describe_delegation_token_owner_v1,
                buffer,
                position,
                count,
                budget,
            )
        else:
            message.owners, position = _read_many_describe_delegation_token_owner_v1(buffer, position, count)
            budget.take_tags(message.owners)
    elif not count:
        message.owners = []
    else:
        message.owners = None
    message.unknown_tags = None
    return message, position


def _read_many_describe_delegation_token_owner_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeDelegationTokenRequestDescribeDelegationTokenOwner], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeDelegationTokenRequestDescribeDelegationTokenOwner] = []
    for _ in range(size):
        message = DescribeDelegationTokenRequestDescribeDelegationTokenOwner.__new__(
            DescribeDelegationTokenRequestDescribeDelegationTokenOwner,
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


def _read_v2(buffer: Buffer, position: int) -> tuple[DescribeDelegationTokenRequest, int]:
    message = DescribeDelegationTokenRequest.__new__(DescribeDelegationTokenRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.owners, position = _read_many_describe_delegation_token_owner_v2(buffer, position, count - 1)
    elif count:
        message.owners = []
    else:
        message.owners = None
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v2(
    buffer: Buffer,
    position: int,
    budget: Budget,
) -> Steps[tuple[DescribeDelegationTokenRequest, int]]:
    message = DescribeDelegationTokenRequest.__new__(DescribeDelegationTokenRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "DescribeDelegationTokenRequest.owners")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.owners, position = yield from read_pieces(
                _read_many_describe_delegation_token_owner_v2,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.owners, position = _read_many_describe_delegation_token_owner_v2(buffer, position, count - 1)
            budget.take_tags(message.owners)
    elif count:
        message.owners = []
    else:
        message.owners = None
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_describe_delegation_token_owner_v1(
    out: Pieces,
    message: DescribeDelegationTokenRequestDescribeDelegationTokenOwner,
) -> None:
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


def _write_v1(out: Pieces, message: DescribeDelegationTokenRequest) -> None:
    owners = message.owners
    if owners is None:
        owners = EMPTY
        count = -1
    else:
        count = len(owners)
    out.append(_pack_i(count))
    for owners_item in owners:
        _write_describe_delegation_token_owner_v1(out, owners_item)
    if message.unknown_tags:
        raise Malformed


def _write_describe_delegation_token_owner_v2(
    out: Pieces,
    message: DescribeDelegationTokenRequestDescribeDelegationTokenOwner,
) -> None:
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


def _write_v2(out: Pieces, message: DescribeDelegationTokenRequest) -> None:
    owners = message.owners
    if owners is None:
        owners = EMPTY
        count = 0
    else:
        count = len(owners) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for owners_item in owners:
        _write_describe_delegation_token_owner_v2(out, owners_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v1,
    _read_v2,
    _read_v2,
)

_WRITERS = (
    _write_v1,
    _write_v2,
    _write_v2,
)

_STEP_READERS = (
    _step_v1,
    _step_v2,
    _step_v2,
)


@cache
def _schema() -> MessageSchema:
    describe_delegation_token_owner_struct = StructSchema(
        python_class=DescribeDelegationTokenRequestDescribeDelegationTokenOwner,
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
    describe_delegation_token_request_struct = StructSchema(
        python_class=DescribeDelegationTokenRequest,
        fields=(
            FieldSchema(
                name="Owners",
                attribute="owners",
                type="DescribeDelegationTokenOwner",
                struct=describe_delegation_token_owner_struct,
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="DescribeDelegationTokenRequest",
        flexible_from=2,
        root=describe_delegation_token_request_struct,
    )
