"""DescribeClientQuotasRequest: versions 0-1, flexible from 1, api key 48.

Generated from api/DescribeClientQuotasRequest.json by codegen; change the schema, not this file.
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

_unpack_tB = struct.Struct(">?B").unpack_from
_unpack_bB = struct.Struct(">bB").unpack_from
_unpack_bh = struct.Struct(">bh").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_pack_t = struct.Struct(">?").pack
_pack_tB = struct.Struct(">?B").pack
_pack_b = struct.Struct(">b").pack
_pack_bB = struct.Struct(">bB").pack
_pack_bh = struct.Struct(">bh").pack
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack


class DescribeClientQuotasRequestComponentData(Struct):
    """ComponentData of DescribeClientQuotasRequest."""

    __slots__ = ("entity_type", "match_type", "match", "unknown_tags")

    entity_type: str
    """Versions 0+."""
    match_type: int
    """Versions 0+."""
    match: str | None
    """Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        entity_type: str = "",
        match_type: int = 0,
        match: str | None = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.entity_type = entity_type
        self.match_type = match_type
        self.match = match
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeClientQuotasRequestComponentData)
            and self.entity_type == other.entity_type
            and self.match_type == other.match_type
            and self.match == other.match
            and self.unknown_tags == other.unknown_tags
        )



class DescribeClientQuotasRequest(Message):
    """Request DescribeClientQuotasRequest."""

    __slots__ = ("components", "strict", "unknown_tags")

    NAME: ClassVar[str] = "DescribeClientQuotasRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 48
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    ComponentData: TypeAlias = DescribeClientQuotasRequestComponentData

    components: list[DescribeClientQuotasRequestComponentData]
    """Versions 0+."""
    strict: bool
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        components: list[DescribeClientQuotasRequestComponentData] = EMPTY,
        strict: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.components = [] if components is EMPTY else components
        self.strict = strict
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeClientQuotasRequest)
            and self.components == other.components
            and self.strict == other.strict
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DescribeClientQuotasRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[DescribeClientQuotasRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_component_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeClientQuotasRequestComponentData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeClientQuotasRequestComponentData] = []
    for _ in range(size):
        message = DescribeClientQuotasRequestComponentData.__new__(DescribeClientQuotasRequestComponentData)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.entity_type = str(buffer[position:end], "utf-8")
        position = end
        message.match_type, length = _unpack_bh(buffer, position)
        position += 3
        if length < 0:
            message.match = None
        else:
            end = position + length
            message.match = str(buffer[position:end], "utf-8")
            position = end
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[DescribeClientQuotasRequest, int]:
    message = DescribeClientQuotasRequest.__new__(DescribeClientQuotasRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.components, position = _read_many_component_data_v0(buffer, position, count)
    elif not count:
        message.components = []
    else:
        raise Malformed
    message.strict = buffer[position] != 0
    position += 1
    message.unknown_tags = None
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[DescribeClientQuotasRequest, int]]:
    message = DescribeClientQuotasRequest.__new__(DescribeClientQuotasRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "DescribeClientQuotasRequest.components")
    if count > 0:
        if count > ELEMENTS_A_STEP:
            message.components, position = yield from read_pieces(
                _read_many_component_data_v0,
                buffer,
                position,
                count,
                budget,
            )
        else:
            message.components, position = _read_many_component_data_v0(buffer, position, count)
            budget.take_tags(message.components)
    elif not count:
        message.components = []
    else:
        raise Malformed
    message.strict = buffer[position] != 0
    position += 1
    message.unknown_tags = None
    return message, position


def _read_many_component_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeClientQuotasRequestComponentData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeClientQuotasRequestComponentData] = []
    for _ in range(size):
        message = DescribeClientQuotasRequestComponentData.__new__(DescribeClientQuotasRequestComponentData)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.entity_type = str(buffer[position:end], "utf-8")
        position = end
        message.match_type, length = _unpack_bB(buffer, position)
        position += 2
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.match = None
        else:
            end = position + length - 1
            message.match = str(buffer[position:end], "utf-8")
            position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[DescribeClientQuotasRequest, int]:
    message = DescribeClientQuotasRequest.__new__(DescribeClientQuotasRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.components, position = _read_many_component_data_v1(buffer, position, count - 1)
    elif count:
        message.components = []
    else:
        raise Malformed
    message.strict, tags = _unpack_tB(buffer, position)
    position += 2
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[DescribeClientQuotasRequest, int]]:
    message = DescribeClientQuotasRequest.__new__(DescribeClientQuotasRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "DescribeClientQuotasRequest.components")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.components, position = yield from read_pieces(
                _read_many_component_data_v1,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.components, position = _read_many_component_data_v1(buffer, position, count - 1)
            budget.take_tags(message.components)
    elif count:
        message.components = []
    else:
        raise Malformed
    message.strict, tags = _unpack_tB(buffer, position)
    position += 2
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_component_data_v0(out: Pieces, message: DescribeClientQuotasRequestComponentData) -> None:
    entity_type = message.entity_type
    data = entity_type.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    match = message.match
    if match is None:
        data = b""
        length = -1
    else:
        data = match.encode()
        length = len(data)
    out.append(_pack_bh(message.match_type, length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: DescribeClientQuotasRequest) -> None:
    components = message.components
    count = len(components)
    out.append(_pack_i(count))
    for components_item in components:
        _write_component_data_v0(out, components_item)
    out.append(_pack_t(message.strict))
    if message.unknown_tags:
        raise Malformed


def _write_component_data_v1(out: Pieces, message: DescribeClientQuotasRequestComponentData) -> None:
    entity_type = message.entity_type
    data = entity_type.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    match = message.match
    if match is None:
        data = b""
        length = 0
    else:
        data = match.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_bB(message.match_type, length))
    else:
        out.append(_pack_b(message.match_type))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: DescribeClientQuotasRequest) -> None:
    components = message.components
    count = len(components) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for components_item in components:
        _write_component_data_v1(out, components_item)
    if message.unknown_tags:
        out.append(_pack_t(message.strict))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_tB(message.strict, 0))


_READERS = (
    _read_v0,
    _read_v1,
)

_WRITERS = (
    _write_v0,
    _write_v1,
)

_STEP_READERS = (
    _step_v0,
    _step_v1,
)


@cache
def _schema() -> MessageSchema:
    component_data_struct = StructSchema(
        python_class=DescribeClientQuotasRequestComponentData,
        fields=(
            FieldSchema(
                name="EntityType",
                attribute="entity_type",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="MatchType",
                attribute="match_type",
                type="int8",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Match",
                attribute="match",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
        ),
    )
    describe_client_quotas_request_struct = StructSchema(
        python_class=DescribeClientQuotasRequest,
        fields=(
            FieldSchema(
                name="Components",
                attribute="components",
                type="ComponentData",
                struct=component_data_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="Strict",
                attribute="strict",
                type="bool",
                versions=(0, 32767),
                default=False,
            ),
        ),
    )
    return MessageSchema(
        name="DescribeClientQuotasRequest",
        flexible_from=1,
        root=describe_client_quotas_request_struct,
    )
