"""CreateAclsRequest: versions 1-3, flexible from 2, api key 30.

Generated from api/CreateAclsRequest.json by codegen; change the schema, not this file.
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
_unpack_bb = struct.Struct(">bb").unpack_from
_unpack_bbB = struct.Struct(">bbB").unpack_from
_unpack_bh = struct.Struct(">bh").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_pack_b = struct.Struct(">b").pack
_pack_bB = struct.Struct(">bB").pack
_pack_bb = struct.Struct(">bb").pack
_pack_bbB = struct.Struct(">bbB").pack
_pack_bh = struct.Struct(">bh").pack
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack


class CreateAclsRequestAclCreation(Struct):
    """AclCreation of CreateAclsRequest."""

    __slots__ = (
        "resource_type",
        "resource_name",
        "resource_pattern_type",
        "principal",
        "host",
        "operation",
        "permission_type",
        "unknown_tags",
    )

    resource_type: int
    """Versions 0+."""
    resource_name: str
    """Versions 0+."""
    resource_pattern_type: int
    """Versions 1+."""
    principal: str
    """Versions 0+."""
    host: str
    """Versions 0+."""
    operation: int
    """Versions 0+."""
    permission_type: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        resource_type: int = 0,
        resource_name: str = "",
        resource_pattern_type: int = 3,
        principal: str = "",
        host: str = "",
        operation: int = 0,
        permission_type: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.resource_pattern_type = resource_pattern_type
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CreateAclsRequestAclCreation)
            and self.resource_type == other.resource_type
            and self.resource_name == other.resource_name
            and self.resource_pattern_type == other.resource_pattern_type
            and self.principal == other.principal
            and self.host == other.host
            and self.operation == other.operation
            and self.permission_type == other.permission_type
            and self.unknown_tags == other.unknown_tags
        )



class CreateAclsRequest(Message):
    """Request CreateAclsRequest."""

    __slots__ = ("creations", "unknown_tags")

    NAME: ClassVar[str] = "CreateAclsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 30
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker", "controller",)
    AclCreation: TypeAlias = CreateAclsRequestAclCreation

    creations: list[CreateAclsRequestAclCreation]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        creations: list[CreateAclsRequestAclCreation] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.creations = [] if creations is EMPTY else creations
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CreateAclsRequest)
            and self.creations == other.creations
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[CreateAclsRequest, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[CreateAclsRequest, int]] | None:
        read = _STEP_READERS[version - 1]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_acl_creation_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[CreateAclsRequestAclCreation], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreateAclsRequestAclCreation] = []
    for _ in range(size):
        message = CreateAclsRequestAclCreation.__new__(CreateAclsRequestAclCreation)
        message.resource_type, length = _unpack_bh(buffer, position)
        position += 3
        if length < 0:
            raise Malformed
        end = position + length
        message.resource_name = str(buffer[position:end], "utf-8")
        position = end
        message.resource_pattern_type, length = _unpack_bh(buffer, position)
        position += 3
        if length < 0:
            raise Malformed
        end = position + length
        message.principal = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.host = str(buffer[position:end], "utf-8")
        position = end
        message.operation, message.permission_type = _unpack_bb(buffer, position)
        position += 2
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[CreateAclsRequest, int]:
    message = CreateAclsRequest.__new__(CreateAclsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.creations, position = _read_many_acl_creation_v1(buffer, position, count)
    elif not count:
        message.creations = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[CreateAclsRequest, int]]:
    message = CreateAclsRequest.__new__(CreateAclsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "CreateAclsRequest.creations")
    if count > 0:
        if count > ELEMENTS_A_STEP:
            message.creations, position = yield from read_pieces(
                _read_many_acl_creation_v1,
                buffer,
                position,
                count,
                budget,
            )
        else:
            message.creations, position = _read_many_acl_creation_v1(buffer, position, count)
            budget.take_tags(message.creations)
    elif not count:
        message.creations = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_acl_creation_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[CreateAclsRequestAclCreation], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreateAclsRequestAclCreation] = []
    for _ in range(size):
        message = CreateAclsRequestAclCreation.__new__(CreateAclsRequestAclCreation)
        message.resource_type, length = _unpack_bB(buffer, position)
        position += 2
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.resource_name = str(buffer[position:end], "utf-8")
        position = end
        message.resource_pattern_type, length = _unpack_bB(buffer, position)
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
        found.append(message)
    return found, position


def _read_v2(buffer: Buffer, position: int) -> tuple[CreateAclsRequest, int]:
    message = CreateAclsRequest.__new__(CreateAclsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.creations, position = _read_many_acl_creation_v2(buffer, position, count - 1)
    elif count:
        message.creations = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v2(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[CreateAclsRequest, int]]:
    message = CreateAclsRequest.__new__(CreateAclsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "CreateAclsRequest.creations")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.creations, position = yield from read_pieces(
                _read_many_acl_creation_v2,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.creations, position = _read_many_acl_creation_v2(buffer, position, count - 1)
            budget.take_tags(message.creations)
    elif count:
        message.creations = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_acl_creation_v1(out: Pieces, message: CreateAclsRequestAclCreation) -> None:
    resource_name = message.resource_name
    data = resource_name.encode()
    length = len(data)
    out.append(_pack_bh(message.resource_type, length))
    out.append(data)
    principal = message.principal
    data = principal.encode()
    length = len(data)
    out.append(_pack_bh(message.resource_pattern_type, length))
    out.append(data)
    host = message.host
    data = host.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    out.append(_pack_bb(message.operation, message.permission_type))
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: CreateAclsRequest) -> None:
    creations = message.creations
    count = len(creations)
    out.append(_pack_i(count))
    for creations_item in creations:
        _write_acl_creation_v1(out, creations_item)
    if message.unknown_tags:
        raise Malformed


def _write_acl_creation_v2(out: Pieces, message: CreateAclsRequestAclCreation) -> None:
    resource_name = message.resource_name
    data = resource_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_bB(message.resource_type, length))
    else:
        out.append(_pack_b(message.resource_type))
        out.append(pack_string_length(length))
    out.append(data)
    principal = message.principal
    data = principal.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_bB(message.resource_pattern_type, length))
    else:
        out.append(_pack_b(message.resource_pattern_type))
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


def _write_v2(out: Pieces, message: CreateAclsRequest) -> None:
    creations = message.creations
    count = len(creations) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for creations_item in creations:
        _write_acl_creation_v2(out, creations_item)
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
    acl_creation_struct = StructSchema(
        python_class=CreateAclsRequestAclCreation,
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
                name="ResourcePatternType",
                attribute="resource_pattern_type",
                type="int8",
                versions=(1, 32767),
                default=3,
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
    create_acls_request_struct = StructSchema(
        python_class=CreateAclsRequest,
        fields=(
            FieldSchema(
                name="Creations",
                attribute="creations",
                type="AclCreation",
                struct=acl_creation_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="CreateAclsRequest", flexible_from=2, root=create_acls_request_struct)
