"""ListConfigResourcesResponse: versions 0-1, flexible from 0, api key 74.

Generated from api/ListConfigResourcesResponse.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    EMPTY,
    Buffer,
    Malformed,
    Pieces,
    Steps,
    pack_length,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

_unpack_bB = struct.Struct(">bB").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_pack_b = struct.Struct(">b").pack
_pack_bB = struct.Struct(">bB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack


class ListConfigResourcesResponseConfigResource(Struct):
    """ConfigResource of ListConfigResourcesResponse."""

    __slots__ = ("resource_name", "resource_type", "unknown_tags")

    resource_name: str
    """Versions 0+."""
    resource_type: int
    """Versions 1+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        resource_name: str = "",
        resource_type: int = 16,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.resource_name = resource_name
        self.resource_type = resource_type
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ListConfigResourcesResponseConfigResource)
            and self.resource_name == other.resource_name
            and self.resource_type == other.resource_type
            and self.unknown_tags == other.unknown_tags
        )



class ListConfigResourcesResponse(Message):
    """Response ListConfigResourcesResponse."""

    __slots__ = ("throttle_time_ms", "error_code", "config_resources", "unknown_tags")

    NAME: ClassVar[str] = "ListConfigResourcesResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 74
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    ConfigResource: TypeAlias = ListConfigResourcesResponseConfigResource

    throttle_time_ms: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    config_resources: list[ListConfigResourcesResponseConfigResource]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        config_resources: list[ListConfigResourcesResponseConfigResource] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.config_resources = [] if config_resources is EMPTY else config_resources
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ListConfigResourcesResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.config_resources == other.config_resources
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ListConfigResourcesResponse, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    def _step_write(self, out: Pieces, version: int) -> Steps[None] | None:
        write = _STEP_WRITERS[version]
        return None if write is None else write(out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_config_resource_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ListConfigResourcesResponseConfigResource], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListConfigResourcesResponseConfigResource] = []
    for _ in range(size):
        message = ListConfigResourcesResponseConfigResource.__new__(ListConfigResourcesResponseConfigResource)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.resource_name = str(buffer[position:end], "utf-8")
        position = end
        tags = buffer[position]
        position += 1
        message.resource_type = 16
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[ListConfigResourcesResponse, int]:
    message = ListConfigResourcesResponse.__new__(ListConfigResourcesResponse)
    message.throttle_time_ms, message.error_code, count = _unpack_ihB(buffer, position)
    position += 7
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.config_resources, position = _read_many_config_resource_v0(buffer, position, count - 1)
    elif count:
        message.config_resources = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_config_resource_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ListConfigResourcesResponseConfigResource], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListConfigResourcesResponseConfigResource] = []
    for _ in range(size):
        message = ListConfigResourcesResponseConfigResource.__new__(ListConfigResourcesResponseConfigResource)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.resource_name = str(buffer[position:end], "utf-8")
        position = end
        message.resource_type, tags = _unpack_bB(buffer, position)
        position += 2
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[ListConfigResourcesResponse, int]:
    message = ListConfigResourcesResponse.__new__(ListConfigResourcesResponse)
    message.throttle_time_ms, message.error_code, count = _unpack_ihB(buffer, position)
    position += 7
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.config_resources, position = _read_many_config_resource_v1(buffer, position, count - 1)
    elif count:
        message.config_resources = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_config_resource_v0(out: Pieces, message: ListConfigResourcesResponseConfigResource) -> None:
    resource_name = message.resource_name
    data = resource_name.encode()
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


def _write_v0(out: Pieces, message: ListConfigResourcesResponse) -> None:
    config_resources = message.config_resources
    count = len(config_resources) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for config_resources_item in config_resources:
        _write_config_resource_v0(out, config_resources_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v0(out: Pieces, message: ListConfigResourcesResponse) -> Steps[None]:
    config_resources = message.config_resources
    count = len(config_resources) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for config_resources_item in config_resources:
        _write_config_resource_v0(out, config_resources_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_config_resource_v1(out: Pieces, message: ListConfigResourcesResponseConfigResource) -> None:
    resource_name = message.resource_name
    data = resource_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_b(message.resource_type))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_bB(message.resource_type, 0))


def _write_v1(out: Pieces, message: ListConfigResourcesResponse) -> None:
    config_resources = message.config_resources
    count = len(config_resources) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for config_resources_item in config_resources:
        _write_config_resource_v1(out, config_resources_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v1(out: Pieces, message: ListConfigResourcesResponse) -> Steps[None]:
    config_resources = message.config_resources
    count = len(config_resources) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for config_resources_item in config_resources:
        _write_config_resource_v1(out, config_resources_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
    _read_v1,
)

_WRITERS = (
    _write_v0,
    _write_v1,
)

_STEP_WRITERS = (
    _step_write_v0,
    _step_write_v1,
)


@cache
def _schema() -> MessageSchema:
    config_resource_struct = StructSchema(
        python_class=ListConfigResourcesResponseConfigResource,
        fields=(
            FieldSchema(
                name="ResourceName",
                attribute="resource_name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="ResourceType",
                attribute="resource_type",
                type="int8",
                versions=(1, 32767),
                default=16,
                ignorable=True,
            ),
        ),
    )
    list_config_resources_response_struct = StructSchema(
        python_class=ListConfigResourcesResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ConfigResources",
                attribute="config_resources",
                type="ConfigResource",
                struct=config_resource_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="ListConfigResourcesResponse",
        flexible_from=0,
        root=list_config_resources_response_struct,
    )
