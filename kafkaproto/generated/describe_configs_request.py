"""DescribeConfigsRequest: versions 1-4, flexible from 4, api key 32.

Generated from api/DescribeConfigsRequest.json by codegen; change the schema, not this file.
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
    Budget,
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

_unpack_tt = struct.Struct(">??").unpack_from
_unpack_ttB = struct.Struct(">??B").unpack_from
_unpack_bB = struct.Struct(">bB").unpack_from
_unpack_bh = struct.Struct(">bh").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_pack_t = struct.Struct(">?").pack
_pack_tt = struct.Struct(">??").pack
_pack_ttB = struct.Struct(">??B").pack
_pack_b = struct.Struct(">b").pack
_pack_bB = struct.Struct(">bB").pack
_pack_bh = struct.Struct(">bh").pack
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack


class DescribeConfigsRequestDescribeConfigsResource(Struct):
    """DescribeConfigsResource of DescribeConfigsRequest."""

    __slots__ = ("resource_type", "resource_name", "configuration_keys", "unknown_tags")

    resource_type: int
    """2 topic, 4 broker, 8 broker logger, 16 client metrics, 32 group. Versions 0+."""
    resource_name: str
    """Versions 0+."""
    configuration_keys: list[str] | None
    """Null for all keys. Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        resource_type: int = 0,
        resource_name: str = "",
        configuration_keys: list[str] | None = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configuration_keys = [] if configuration_keys is EMPTY else configuration_keys
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeConfigsRequestDescribeConfigsResource)
            and self.resource_type == other.resource_type
            and self.resource_name == other.resource_name
            and self.configuration_keys == other.configuration_keys
            and self.unknown_tags == other.unknown_tags
        )



class DescribeConfigsRequest(Message):
    """Request DescribeConfigsRequest."""

    __slots__ = ("resources", "include_synonyms", "include_documentation", "unknown_tags")

    NAME: ClassVar[str] = "DescribeConfigsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 32
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 4
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker", "controller",)
    DescribeConfigsResource: TypeAlias = DescribeConfigsRequestDescribeConfigsResource

    resources: list[DescribeConfigsRequestDescribeConfigsResource]
    """Versions 0+."""
    include_synonyms: bool
    """Whether to list what stands behind each value. Versions 1+."""
    include_documentation: bool
    """Versions 3+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        resources: list[DescribeConfigsRequestDescribeConfigsResource] = EMPTY,
        include_synonyms: bool = False,
        include_documentation: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.resources = [] if resources is EMPTY else resources
        self.include_synonyms = include_synonyms
        self.include_documentation = include_documentation
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeConfigsRequest)
            and self.resources == other.resources
            and self.include_synonyms == other.include_synonyms
            and self.include_documentation == other.include_documentation
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DescribeConfigsRequest, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[DescribeConfigsRequest, int]] | None:
        read = _STEP_READERS[version - 1]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_describe_configs_resource_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeConfigsRequestDescribeConfigsResource], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeConfigsRequestDescribeConfigsResource] = []
    for _ in range(size):
        message = DescribeConfigsRequestDescribeConfigsResource.__new__(
            DescribeConfigsRequestDescribeConfigsResource,
        )
        message.resource_type, length = _unpack_bh(buffer, position)
        position += 3
        if length < 0:
            raise Malformed
        end = position + length
        message.resource_name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count < 0:
            message.configuration_keys = None
        else:
            configuration_keys: list[str] = []
            message.configuration_keys = configuration_keys
            if count > len(buffer) - position:
                raise Malformed
            for _ in range(count):
                (length,) = _unpack_h(buffer, position)
                position += 2
                if length < 0:
                    raise Malformed
                end = position + length
                configuration_keys_item = str(buffer[position:end], "utf-8")
                position = end
                configuration_keys.append(configuration_keys_item)
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_describe_configs_resource_v1(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[DescribeConfigsRequestDescribeConfigsResource], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeConfigsRequestDescribeConfigsResource] = []
    for _ in range(size):
        message = DescribeConfigsRequestDescribeConfigsResource.__new__(
            DescribeConfigsRequestDescribeConfigsResource,
        )
        message.resource_type, length = _unpack_bh(buffer, position)
        position += 3
        if length < 0:
            raise Malformed
        end = position + length
        message.resource_name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "DescribeConfigsRequest.configuration_keys")
        if count < 0:
            message.configuration_keys = None
        else:
            configuration_keys: list[str] = []
            message.configuration_keys = configuration_keys
            if count > len(buffer) - position:
                raise Malformed
            for _ in range(count):
                (length,) = _unpack_h(buffer, position)
                position += 2
                if length < 0:
                    raise Malformed
                end = position + length
                configuration_keys_item = str(buffer[position:end], "utf-8")
                position = end
                configuration_keys.append(configuration_keys_item)
                yield
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[DescribeConfigsRequest, int]:
    message = DescribeConfigsRequest.__new__(DescribeConfigsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.resources, position = _read_many_describe_configs_resource_v1(buffer, position, count)
    elif not count:
        message.resources = []
    else:
        raise Malformed
    message.include_synonyms = buffer[position] != 0
    position += 1
    message.include_documentation = False
    message.unknown_tags = None
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[DescribeConfigsRequest, int]]:
    message = DescribeConfigsRequest.__new__(DescribeConfigsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "DescribeConfigsRequest.resources")
    if count > 0:
        message.resources, position = yield from _step_many_describe_configs_resource_v1(buffer, position, count, budget)
    elif not count:
        message.resources = []
    else:
        raise Malformed
    message.include_synonyms = buffer[position] != 0
    position += 1
    message.include_documentation = False
    message.unknown_tags = None
    return message, position


def _read_v3(buffer: Buffer, position: int) -> tuple[DescribeConfigsRequest, int]:
    message = DescribeConfigsRequest.__new__(DescribeConfigsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.resources, position = _read_many_describe_configs_resource_v1(buffer, position, count)
    elif not count:
        message.resources = []
    else:
        raise Malformed
    message.include_synonyms, message.include_documentation = _unpack_tt(buffer, position)
    position += 2
    message.unknown_tags = None
    return message, position


def _step_v3(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[DescribeConfigsRequest, int]]:
    message = DescribeConfigsRequest.__new__(DescribeConfigsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "DescribeConfigsRequest.resources")
    if count > 0:
        message.resources, position = yield from _step_many_describe_configs_resource_v1(buffer, position, count, budget)
    elif not count:
        message.resources = []
    else:
        raise Malformed
    message.include_synonyms, message.include_documentation = _unpack_tt(buffer, position)
    position += 2
    message.unknown_tags = None
    return message, position


def _read_many_describe_configs_resource_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeConfigsRequestDescribeConfigsResource], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeConfigsRequestDescribeConfigsResource] = []
    for _ in range(size):
        message = DescribeConfigsRequestDescribeConfigsResource.__new__(
            DescribeConfigsRequestDescribeConfigsResource,
        )
        message.resource_type, length = _unpack_bB(buffer, position)
        position += 2
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.resource_name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            message.configuration_keys = None
        else:
            configuration_keys: list[str] = []
            message.configuration_keys = configuration_keys
            if count - 1 > len(buffer) - position:
                raise Malformed
            for _ in range(1, count):
                length = buffer[position]
                position += 1
                if length > 127:
                    length, position = read_string_length(buffer, position, length)
                if not length:
                    raise Malformed
                end = position + length - 1
                configuration_keys_item = str(buffer[position:end], "utf-8")
                position = end
                configuration_keys.append(configuration_keys_item)
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_describe_configs_resource_v4(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[DescribeConfigsRequestDescribeConfigsResource], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeConfigsRequestDescribeConfigsResource] = []
    for _ in range(size):
        message = DescribeConfigsRequestDescribeConfigsResource.__new__(
            DescribeConfigsRequestDescribeConfigsResource,
        )
        message.resource_type, length = _unpack_bB(buffer, position)
        position += 2
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.resource_name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "DescribeConfigsRequest.configuration_keys")
        if not count:
            message.configuration_keys = None
        else:
            configuration_keys: list[str] = []
            message.configuration_keys = configuration_keys
            if count - 1 > len(buffer) - position:
                raise Malformed
            for _ in range(1, count):
                length = buffer[position]
                position += 1
                if length > 127:
                    length, position = read_string_length(buffer, position, length)
                if not length:
                    raise Malformed
                end = position + length - 1
                configuration_keys_item = str(buffer[position:end], "utf-8")
                position = end
                configuration_keys.append(configuration_keys_item)
                yield
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_v4(buffer: Buffer, position: int) -> tuple[DescribeConfigsRequest, int]:
    message = DescribeConfigsRequest.__new__(DescribeConfigsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.resources, position = _read_many_describe_configs_resource_v4(buffer, position, count - 1)
    elif count:
        message.resources = []
    else:
        raise Malformed
    message.include_synonyms, message.include_documentation, tags = _unpack_ttB(buffer, position)
    position += 3
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v4(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[DescribeConfigsRequest, int]]:
    message = DescribeConfigsRequest.__new__(DescribeConfigsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "DescribeConfigsRequest.resources")
    if count > 1:
        message.resources, position = yield from _step_many_describe_configs_resource_v4(buffer, position, count - 1, budget)
    elif count:
        message.resources = []
    else:
        raise Malformed
    message.include_synonyms, message.include_documentation, tags = _unpack_ttB(buffer, position)
    position += 3
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_describe_configs_resource_v1(
    out: Pieces,
    message: DescribeConfigsRequestDescribeConfigsResource,
) -> None:
    resource_name = message.resource_name
    data = resource_name.encode()
    length = len(data)
    out.append(_pack_bh(message.resource_type, length))
    out.append(data)
    configuration_keys = message.configuration_keys
    if configuration_keys is None:
        configuration_keys = EMPTY
        count = -1
    else:
        count = len(configuration_keys)
    out.append(_pack_i(count))
    for configuration_keys_item in configuration_keys:
        data = configuration_keys_item.encode()
        length = len(data)
        out.append(_pack_h(length))
        out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: DescribeConfigsRequest) -> None:
    if message.include_documentation:
        raise Malformed
    resources = message.resources
    count = len(resources)
    out.append(_pack_i(count))
    for resources_item in resources:
        _write_describe_configs_resource_v1(out, resources_item)
    out.append(_pack_t(message.include_synonyms))
    if message.unknown_tags:
        raise Malformed


def _write_v3(out: Pieces, message: DescribeConfigsRequest) -> None:
    resources = message.resources
    count = len(resources)
    out.append(_pack_i(count))
    for resources_item in resources:
        _write_describe_configs_resource_v1(out, resources_item)
    out.append(_pack_tt(message.include_synonyms, message.include_documentation))
    if message.unknown_tags:
        raise Malformed


def _write_describe_configs_resource_v4(
    out: Pieces,
    message: DescribeConfigsRequestDescribeConfigsResource,
) -> None:
    resource_name = message.resource_name
    data = resource_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_bB(message.resource_type, length))
    else:
        out.append(_pack_b(message.resource_type))
        out.append(pack_string_length(length))
    out.append(data)
    configuration_keys = message.configuration_keys
    if configuration_keys is None:
        configuration_keys = EMPTY
        count = 0
    else:
        count = len(configuration_keys) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for configuration_keys_item in configuration_keys:
        data = configuration_keys_item.encode()
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


def _write_v4(out: Pieces, message: DescribeConfigsRequest) -> None:
    resources = message.resources
    count = len(resources) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for resources_item in resources:
        _write_describe_configs_resource_v4(out, resources_item)
    if message.unknown_tags:
        out.append(_pack_tt(message.include_synonyms, message.include_documentation))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_ttB(message.include_synonyms, message.include_documentation, 0))


_READERS = (
    _read_v1,
    _read_v1,
    _read_v3,
    _read_v4,
)

_WRITERS = (
    _write_v1,
    _write_v1,
    _write_v3,
    _write_v4,
)

_STEP_READERS = (
    _step_v1,
    _step_v1,
    _step_v3,
    _step_v4,
)


@cache
def _schema() -> MessageSchema:
    describe_configs_resource_struct = StructSchema(
        python_class=DescribeConfigsRequestDescribeConfigsResource,
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
                name="ConfigurationKeys",
                attribute="configuration_keys",
                type="string",
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    describe_configs_request_struct = StructSchema(
        python_class=DescribeConfigsRequest,
        fields=(
            FieldSchema(
                name="Resources",
                attribute="resources",
                type="DescribeConfigsResource",
                struct=describe_configs_resource_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="IncludeSynonyms",
                attribute="include_synonyms",
                type="bool",
                versions=(1, 32767),
                default=False,
            ),
            FieldSchema(
                name="IncludeDocumentation",
                attribute="include_documentation",
                type="bool",
                versions=(3, 32767),
                default=False,
            ),
        ),
    )
    return MessageSchema(name="DescribeConfigsRequest", flexible_from=4, root=describe_configs_request_struct)
