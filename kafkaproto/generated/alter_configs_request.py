"""AlterConfigsRequest: versions 0-2, flexible from 2, api key 33.

Generated from api/AlterConfigsRequest.json by codegen; change the schema, not this file.
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


class AlterConfigsRequestAlterableConfig(Struct):
    """AlterableConfig of AlterConfigsRequest."""

    __slots__ = ("name", "value", "unknown_tags")

    name: str
    """Versions 0+."""
    value: str | None
    """Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        value: str | None = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.value = value
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterConfigsRequestAlterableConfig)
            and self.name == other.name
            and self.value == other.value
            and self.unknown_tags == other.unknown_tags
        )



class AlterConfigsRequestAlterConfigsResource(Struct):
    """AlterConfigsResource of AlterConfigsRequest."""

    __slots__ = ("resource_type", "resource_name", "configs", "unknown_tags")

    resource_type: int
    """Versions 0+."""
    resource_name: str
    """Versions 0+."""
    configs: list[AlterConfigsRequestAlterableConfig]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        resource_type: int = 0,
        resource_name: str = "",
        configs: list[AlterConfigsRequestAlterableConfig] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configs = [] if configs is EMPTY else configs
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterConfigsRequestAlterConfigsResource)
            and self.resource_type == other.resource_type
            and self.resource_name == other.resource_name
            and self.configs == other.configs
            and self.unknown_tags == other.unknown_tags
        )



class AlterConfigsRequest(Message):
    """Request AlterConfigsRequest."""

    __slots__ = ("resources", "validate_only", "unknown_tags")

    NAME: ClassVar[str] = "AlterConfigsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 33
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker", "controller",)
    AlterableConfig: TypeAlias = AlterConfigsRequestAlterableConfig
    AlterConfigsResource: TypeAlias = AlterConfigsRequestAlterConfigsResource

    resources: list[AlterConfigsRequestAlterConfigsResource]
    """Versions 0+."""
    validate_only: bool
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        resources: list[AlterConfigsRequestAlterConfigsResource] = EMPTY,
        validate_only: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.resources = [] if resources is EMPTY else resources
        self.validate_only = validate_only
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterConfigsRequest)
            and self.resources == other.resources
            and self.validate_only == other.validate_only
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[AlterConfigsRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[AlterConfigsRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_alterable_config_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterConfigsRequestAlterableConfig], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterConfigsRequestAlterableConfig] = []
    for _ in range(size):
        message = AlterConfigsRequestAlterableConfig.__new__(AlterConfigsRequestAlterableConfig)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            message.value = None
        else:
            end = position + length
            message.value = str(buffer[position:end], "utf-8")
            position = end
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_alter_configs_resource_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterConfigsRequestAlterConfigsResource], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterConfigsRequestAlterConfigsResource] = []
    for _ in range(size):
        message = AlterConfigsRequestAlterConfigsResource.__new__(AlterConfigsRequestAlterConfigsResource)
        message.resource_type, length = _unpack_bh(buffer, position)
        position += 3
        if length < 0:
            raise Malformed
        end = position + length
        message.resource_name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.configs, position = _read_many_alterable_config_v0(buffer, position, count)
        elif not count:
            message.configs = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_alter_configs_resource_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[AlterConfigsRequestAlterConfigsResource], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterConfigsRequestAlterConfigsResource] = []
    for _ in range(size):
        message = AlterConfigsRequestAlterConfigsResource.__new__(AlterConfigsRequestAlterConfigsResource)
        message.resource_type, length = _unpack_bh(buffer, position)
        position += 3
        if length < 0:
            raise Malformed
        end = position + length
        message.resource_name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "AlterConfigsRequest.configs")
        if count > 0:
            if count > ELEMENTS_A_STEP:
                message.configs, position = yield from read_pieces(
                    _read_many_alterable_config_v0,
                    buffer,
                    position,
                    count,
                    budget,
                )
            else:
                message.configs, position = _read_many_alterable_config_v0(buffer, position, count)
                budget.take_tags(message.configs)
        elif not count:
            message.configs = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[AlterConfigsRequest, int]:
    message = AlterConfigsRequest.__new__(AlterConfigsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.resources, position = _read_many_alter_configs_resource_v0(buffer, position, count)
    elif not count:
        message.resources = []
    else:
        raise Malformed
    message.validate_only = buffer[position] != 0
    position += 1
    message.unknown_tags = None
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[AlterConfigsRequest, int]]:
    message = AlterConfigsRequest.__new__(AlterConfigsRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "AlterConfigsRequest.resources")
    if count > 0:
        message.resources, position = yield from _step_many_alter_configs_resource_v0(buffer, position, count, budget)
    elif not count:
        message.resources = []
    else:
        raise Malformed
    message.validate_only = buffer[position] != 0
    position += 1
    message.unknown_tags = None
    return message, position


def _read_many_alterable_config_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterConfigsRequestAlterableConfig], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterConfigsRequestAlterableConfig] = []
    for _ in range(size):
        message = AlterConfigsRequestAlterableConfig.__new__(AlterConfigsRequestAlterableConfig)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.value = None
        else:
            end = position + length - 1
            message.value = str(buffer[position:end], "utf-8")
            position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_alter_configs_resource_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterConfigsRequestAlterConfigsResource], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterConfigsRequestAlterConfigsResource] = []
    for _ in range(size):
        message = AlterConfigsRequestAlterConfigsResource.__new__(AlterConfigsRequestAlterConfigsResource)
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
        if count > 1:
            message.configs, position = _read_many_alterable_config_v2(buffer, position, count - 1)
        elif count:
            message.configs = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_alter_configs_resource_v2(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[AlterConfigsRequestAlterConfigsResource], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterConfigsRequestAlterConfigsResource] = []
    for _ in range(size):
        message = AlterConfigsRequestAlterConfigsResource.__new__(AlterConfigsRequestAlterConfigsResource)
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
        budget.take(count - 1, "AlterConfigsRequest.configs")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.configs, position = yield from read_pieces(
                    _read_many_alterable_config_v2,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.configs, position = _read_many_alterable_config_v2(buffer, position, count - 1)
                budget.take_tags(message.configs)
        elif count:
            message.configs = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_v2(buffer: Buffer, position: int) -> tuple[AlterConfigsRequest, int]:
    message = AlterConfigsRequest.__new__(AlterConfigsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.resources, position = _read_many_alter_configs_resource_v2(buffer, position, count - 1)
    elif count:
        message.resources = []
    else:
        raise Malformed
    message.validate_only, tags = _unpack_tB(buffer, position)
    position += 2
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v2(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[AlterConfigsRequest, int]]:
    message = AlterConfigsRequest.__new__(AlterConfigsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "AlterConfigsRequest.resources")
    if count > 1:
        message.resources, position = yield from _step_many_alter_configs_resource_v2(buffer, position, count - 1, budget)
    elif count:
        message.resources = []
    else:
        raise Malformed
    message.validate_only, tags = _unpack_tB(buffer, position)
    position += 2
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_alterable_config_v0(out: Pieces, message: AlterConfigsRequestAlterableConfig) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    value = message.value
    if value is None:
        data = b""
        length = -1
    else:
        data = value.encode()
        length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_alter_configs_resource_v0(out: Pieces, message: AlterConfigsRequestAlterConfigsResource) -> None:
    resource_name = message.resource_name
    data = resource_name.encode()
    length = len(data)
    out.append(_pack_bh(message.resource_type, length))
    out.append(data)
    configs = message.configs
    count = len(configs)
    out.append(_pack_i(count))
    for configs_item in configs:
        _write_alterable_config_v0(out, configs_item)
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: AlterConfigsRequest) -> None:
    resources = message.resources
    count = len(resources)
    out.append(_pack_i(count))
    for resources_item in resources:
        _write_alter_configs_resource_v0(out, resources_item)
    out.append(_pack_t(message.validate_only))
    if message.unknown_tags:
        raise Malformed


def _write_alterable_config_v2(out: Pieces, message: AlterConfigsRequestAlterableConfig) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    value = message.value
    if value is None:
        data = b""
        length = 0
    else:
        data = value.encode()
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


def _write_alter_configs_resource_v2(out: Pieces, message: AlterConfigsRequestAlterConfigsResource) -> None:
    resource_name = message.resource_name
    data = resource_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_bB(message.resource_type, length))
    else:
        out.append(_pack_b(message.resource_type))
        out.append(pack_string_length(length))
    out.append(data)
    configs = message.configs
    count = len(configs) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for configs_item in configs:
        _write_alterable_config_v2(out, configs_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v2(out: Pieces, message: AlterConfigsRequest) -> None:
    resources = message.resources
    count = len(resources) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for resources_item in resources:
        _write_alter_configs_resource_v2(out, resources_item)
    if message.unknown_tags:
        out.append(_pack_t(message.validate_only))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_tB(message.validate_only, 0))


_READERS = (
    _read_v0,
    _read_v0,
    _read_v2,
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v2,
)

_STEP_READERS = (
    _step_v0,
    _step_v0,
    _step_v2,
)


@cache
def _schema() -> MessageSchema:
    alterable_config_struct = StructSchema(
        python_class=AlterConfigsRequestAlterableConfig,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Value",
                attribute="value",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
        ),
    )
    alter_configs_resource_struct = StructSchema(
        python_class=AlterConfigsRequestAlterConfigsResource,
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
                name="Configs",
                attribute="configs",
                type="AlterableConfig",
                struct=alterable_config_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    alter_configs_request_struct = StructSchema(
        python_class=AlterConfigsRequest,
        fields=(
            FieldSchema(
                name="Resources",
                attribute="resources",
                type="AlterConfigsResource",
                struct=alter_configs_resource_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="ValidateOnly",
                attribute="validate_only",
                type="bool",
                versions=(0, 32767),
                default=False,
            ),
        ),
    )
    return MessageSchema(name="AlterConfigsRequest", flexible_from=2, root=alter_configs_request_struct)
