"""DescribeConfigsResponse: versions 1-4, flexible from 4, api key 32.

Generated from api/DescribeConfigsResponse.json by codegen; change the schema, not this file.
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

_unpack_tbtB = struct.Struct(">?b?B").unpack_from
_unpack_tbti = struct.Struct(">?b?i").unpack_from
_unpack_b = struct.Struct(">b").unpack_from
_unpack_bB = struct.Struct(">bB").unpack_from
_unpack_bh = struct.Struct(">bh").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_unpack_hB = struct.Struct(">hB").unpack_from
_unpack_hh = struct.Struct(">hh").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ii = struct.Struct(">ii").unpack_from
_pack_tbt = struct.Struct(">?b?").pack
_pack_tbtB = struct.Struct(">?b?B").pack
_pack_tbti = struct.Struct(">?b?i").pack
_pack_b = struct.Struct(">b").pack
_pack_bB = struct.Struct(">bB").pack
_pack_bh = struct.Struct(">bh").pack
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_hh = struct.Struct(">hh").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ii = struct.Struct(">ii").pack


class DescribeConfigsResponseDescribeConfigsSynonym(Struct):
    """DescribeConfigsSynonym of DescribeConfigsResponse."""

    __slots__ = ("name", "value", "source", "unknown_tags")

    name: str
    """Versions 1+."""
    value: str | None
    """Versions 1+, null in 1+."""
    source: int
    """1 topic, 2 broker, 3 all brokers, 4 file, 5 default, 6 logger, 7 client metrics, 8 group.
    Versions 1+.
    """
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        value: str | None = "",
        source: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.value = value
        self.source = source
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeConfigsResponseDescribeConfigsSynonym)
            and self.name == other.name
            and self.value == other.value
            and self.source == other.source
            and self.unknown_tags == other.unknown_tags
        )



class DescribeConfigsResponseDescribeConfigsResourceResult(Struct):
    """DescribeConfigsResourceResult of DescribeConfigsResponse."""

    __slots__ = (
        "name",
        "value",
        "read_only",
        "config_source",
        "is_sensitive",
        "synonyms",
        "config_type",
        "documentation",
        "unknown_tags",
    )

    name: str
    """Versions 0+."""
    value: str | None
    """Null also for a sensitive value. Versions 0+, null in 0+."""
    read_only: bool
    """Versions 0+."""
    config_source: int
    """1 topic, 2 broker, 3 all brokers, 4 file, 5 default, 6 logger, 7 client metrics, 8 group.
    Versions 1+, dropped where a version lacks it.
    """
    is_sensitive: bool
    """Versions 0+."""
    synonyms: list[DescribeConfigsResponseDescribeConfigsSynonym]
    """Every place that sets the value, the one in force first. Versions 1+, dropped where a version
    lacks it.
    """
    config_type: int
    """1 bool, 2 string, 3 int, 4 short, 5 long, 6 double, 7 list, 8 class, 9 password. Versions 3+,
    dropped where a version lacks it.
    """
    documentation: str | None
    """Versions 3+, null in 3+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        value: str | None = "",
        read_only: bool = False,
        config_source: int = -1,
        is_sensitive: bool = False,
        synonyms: list[DescribeConfigsResponseDescribeConfigsSynonym] = EMPTY,
        config_type: int = 0,
        documentation: str | None = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.value = value
        self.read_only = read_only
        self.config_source = config_source
        self.is_sensitive = is_sensitive
        self.synonyms = [] if synonyms is EMPTY else synonyms
        self.config_type = config_type
        self.documentation = documentation
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeConfigsResponseDescribeConfigsResourceResult)
            and self.name == other.name
            and self.value == other.value
            and self.read_only == other.read_only
            and self.config_source == other.config_source
            and self.is_sensitive == other.is_sensitive
            and self.synonyms == other.synonyms
            and self.config_type == other.config_type
            and self.documentation == other.documentation
            and self.unknown_tags == other.unknown_tags
        )



class DescribeConfigsResponseDescribeConfigsResult(Struct):
    """DescribeConfigsResult of DescribeConfigsResponse."""

    __slots__ = (
        "error_code",
        "error_message",
        "resource_type",
        "resource_name",
        "configs",
        "unknown_tags",
    )

    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    resource_type: int
    """2 topic, 4 broker, 8 broker logger, 16 client metrics, 32 group. Versions 0+."""
    resource_name: str
    """Versions 0+."""
    configs: list[DescribeConfigsResponseDescribeConfigsResourceResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        resource_type: int = 0,
        resource_name: str = "",
        configs: list[DescribeConfigsResponseDescribeConfigsResourceResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configs = [] if configs is EMPTY else configs
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeConfigsResponseDescribeConfigsResult)
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.resource_type == other.resource_type
            and self.resource_name == other.resource_name
            and self.configs == other.configs
            and self.unknown_tags == other.unknown_tags
        )



class DescribeConfigsResponse(Message):
    """Response DescribeConfigsResponse."""

    __slots__ = ("throttle_time_ms", "results", "unknown_tags")

    NAME: ClassVar[str] = "DescribeConfigsResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 32
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 4
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    DescribeConfigsSynonym: TypeAlias = DescribeConfigsResponseDescribeConfigsSynonym
    DescribeConfigsResourceResult: TypeAlias = DescribeConfigsResponseDescribeConfigsResourceResult
    DescribeConfigsResult: TypeAlias = DescribeConfigsResponseDescribeConfigsResult

    throttle_time_ms: int
    """Versions 0+."""
    results: list[DescribeConfigsResponseDescribeConfigsResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: list[DescribeConfigsResponseDescribeConfigsResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = [] if results is EMPTY else results
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeConfigsResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.results == other.results
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DescribeConfigsResponse, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    def _step_write(self, out: Pieces, version: int) -> Steps[None] | None:
        write = _STEP_WRITERS[version - 1]
        return None if write is None else write(out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_describe_configs_synonym_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeConfigsResponseDescribeConfigsSynonym], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeConfigsResponseDescribeConfigsSynonym] = []
    for _ in range(size):
        message = DescribeConfigsResponseDescribeConfigsSynonym.__new__(
            DescribeConfigsResponseDescribeConfigsSynonym,
        )
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
        (message.source,) = _unpack_b(buffer, position)
        position += 1
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_describe_configs_resource_result_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeConfigsResponseDescribeConfigsResourceResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeConfigsResponseDescribeConfigsResourceResult] = []
    for _ in range(size):
        message = DescribeConfigsResponseDescribeConfigsResourceResult.__new__(
            DescribeConfigsResponseDescribeConfigsResourceResult,
        )
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
        message.read_only, message.config_source, message.is_sensitive, count = _unpack_tbti(buffer, position)
        position += 7
        if count > 0:
            message.synonyms, position = _read_many_describe_configs_synonym_v1(buffer, position, count)
        elif not count:
            message.synonyms = []
        else:
            raise Malformed
        message.config_type = 0
        message.documentation = ""
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_describe_configs_result_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeConfigsResponseDescribeConfigsResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeConfigsResponseDescribeConfigsResult] = []
    for _ in range(size):
        message = DescribeConfigsResponseDescribeConfigsResult.__new__(
            DescribeConfigsResponseDescribeConfigsResult,
        )
        message.error_code, length = _unpack_hh(buffer, position)
        position += 4
        if length < 0:
            message.error_message = None
        else:
            end = position + length
            message.error_message = str(buffer[position:end], "utf-8")
            position = end
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
            message.configs, position = _read_many_describe_configs_resource_result_v1(buffer, position, count)
        elif not count:
            message.configs = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[DescribeConfigsResponse, int]:
    message = DescribeConfigsResponse.__new__(DescribeConfigsResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.results, position = _read_many_describe_configs_result_v1(buffer, position, count)
    elif not count:
        message.results = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_describe_configs_resource_result_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeConfigsResponseDescribeConfigsResourceResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeConfigsResponseDescribeConfigsResourceResult] = []
    for _ in range(size):
        message = DescribeConfigsResponseDescribeConfigsResourceResult.__new__(
            DescribeConfigsResponseDescribeConfigsResourceResult,
        )
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
        message.read_only, message.config_source, message.is_sensitive, count = _unpack_tbti(buffer, position)
        position += 7
        if count > 0:
            message.synonyms, position = _read_many_describe_configs_synonym_v1(buffer, position, count)
        elif not count:
            message.synonyms = []
        else:
            raise Malformed
        message.config_type, length = _unpack_bh(buffer, position)
        position += 3
        if length < 0:
            message.documentation = None
        else:
            end = position + length
            message.documentation = str(buffer[position:end], "utf-8")
            position = end
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_describe_configs_result_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeConfigsResponseDescribeConfigsResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeConfigsResponseDescribeConfigsResult] = []
    for _ in range(size):
        message = DescribeConfigsResponseDescribeConfigsResult.__new__(
            DescribeConfigsResponseDescribeConfigsResult,
        )
        message.error_code, length = _unpack_hh(buffer, position)
        position += 4
        if length < 0:
            message.error_message = None
        else:
            end = position + length
            message.error_message = str(buffer[position:end], "utf-8")
            position = end
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
            message.configs, position = _read_many_describe_configs_resource_result_v3(buffer, position, count)
        elif not count:
            message.configs = []
        else:
            raise Malformed
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v3(buffer: Buffer, position: int) -> tuple[DescribeConfigsResponse, int]:
    message = DescribeConfigsResponse.__new__(DescribeConfigsResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.results, position = _read_many_describe_configs_result_v3(buffer, position, count)
    elif not count:
        message.results = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_describe_configs_synonym_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeConfigsResponseDescribeConfigsSynonym], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeConfigsResponseDescribeConfigsSynonym] = []
    for _ in range(size):
        message = DescribeConfigsResponseDescribeConfigsSynonym.__new__(
            DescribeConfigsResponseDescribeConfigsSynonym,
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
        message.source, tags = _unpack_bB(buffer, position)
        position += 2
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_describe_configs_resource_result_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeConfigsResponseDescribeConfigsResourceResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeConfigsResponseDescribeConfigsResourceResult] = []
    for _ in range(size):
        message = DescribeConfigsResponseDescribeConfigsResourceResult.__new__(
            DescribeConfigsResponseDescribeConfigsResourceResult,
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
        message.read_only, message.config_source, message.is_sensitive, count = _unpack_tbtB(buffer, position)
        position += 4
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.synonyms, position = _read_many_describe_configs_synonym_v4(buffer, position, count - 1)
        elif count:
            message.synonyms = []
        else:
            raise Malformed
        message.config_type, length = _unpack_bB(buffer, position)
        position += 2
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.documentation = None
        else:
            end = position + length - 1
            message.documentation = str(buffer[position:end], "utf-8")
            position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_describe_configs_result_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeConfigsResponseDescribeConfigsResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeConfigsResponseDescribeConfigsResult] = []
    for _ in range(size):
        message = DescribeConfigsResponseDescribeConfigsResult.__new__(
            DescribeConfigsResponseDescribeConfigsResult,
        )
        message.error_code, length = _unpack_hB(buffer, position)
        position += 3
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.error_message = None
        else:
            end = position + length - 1
            message.error_message = str(buffer[position:end], "utf-8")
            position = end
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
            message.configs, position = _read_many_describe_configs_resource_result_v4(buffer, position, count - 1)
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


def _read_v4(buffer: Buffer, position: int) -> tuple[DescribeConfigsResponse, int]:
    message = DescribeConfigsResponse.__new__(DescribeConfigsResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.results, position = _read_many_describe_configs_result_v4(buffer, position, count - 1)
    elif count:
        message.results = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_describe_configs_synonym_v1(
    out: Pieces,
    message: DescribeConfigsResponseDescribeConfigsSynonym,
) -> None:
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
    out.append(_pack_b(message.source))
    if message.unknown_tags:
        raise Malformed


def _write_describe_configs_resource_result_v1(
    out: Pieces,
    message: DescribeConfigsResponseDescribeConfigsResourceResult,
) -> None:
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
    synonyms = message.synonyms
    count = len(synonyms)
    out.append(_pack_tbti(message.read_only, message.config_source, message.is_sensitive, count))
    for synonyms_item in synonyms:
        _write_describe_configs_synonym_v1(out, synonyms_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_describe_configs_resource_result_v1(
    out: Pieces,
    message: DescribeConfigsResponseDescribeConfigsResourceResult,
) -> Steps[None]:
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
    synonyms = message.synonyms
    count = len(synonyms)
    out.append(_pack_tbti(message.read_only, message.config_source, message.is_sensitive, count))
    for synonyms_item in synonyms:
        _write_describe_configs_synonym_v1(out, synonyms_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_describe_configs_result_v1(
    out: Pieces,
    message: DescribeConfigsResponseDescribeConfigsResult,
) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = -1
    else:
        data = error_message.encode()
        length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    resource_name = message.resource_name
    data = resource_name.encode()
    length = len(data)
    out.append(_pack_bh(message.resource_type, length))
    out.append(data)
    configs = message.configs
    count = len(configs)
    out.append(_pack_i(count))
    for configs_item in configs:
        _write_describe_configs_resource_result_v1(out, configs_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_describe_configs_result_v1(
    out: Pieces,
    message: DescribeConfigsResponseDescribeConfigsResult,
) -> Steps[None]:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = -1
    else:
        data = error_message.encode()
        length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    resource_name = message.resource_name
    data = resource_name.encode()
    length = len(data)
    out.append(_pack_bh(message.resource_type, length))
    out.append(data)
    configs = message.configs
    count = len(configs)
    out.append(_pack_i(count))
    for configs_item in configs:
        yield from _step_write_describe_configs_resource_result_v1(out, configs_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: DescribeConfigsResponse) -> None:
    results = message.results
    count = len(results)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for results_item in results:
        _write_describe_configs_result_v1(out, results_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v1(out: Pieces, message: DescribeConfigsResponse) -> Steps[None]:
    results = message.results
    count = len(results)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for results_item in results:
        yield from _step_write_describe_configs_result_v1(out, results_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_describe_configs_resource_result_v3(
    out: Pieces,
    message: DescribeConfigsResponseDescribeConfigsResourceResult,
) -> None:
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
    synonyms = message.synonyms
    count = len(synonyms)
    out.append(_pack_tbti(message.read_only, message.config_source, message.is_sensitive, count))
    for synonyms_item in synonyms:
        _write_describe_configs_synonym_v1(out, synonyms_item)
    documentation = message.documentation
    if documentation is None:
        data = b""
        length = -1
    else:
        data = documentation.encode()
        length = len(data)
    out.append(_pack_bh(message.config_type, length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _step_write_describe_configs_resource_result_v3(
    out: Pieces,
    message: DescribeConfigsResponseDescribeConfigsResourceResult,
) -> Steps[None]:
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
    synonyms = message.synonyms
    count = len(synonyms)
    out.append(_pack_tbti(message.read_only, message.config_source, message.is_sensitive, count))
    for synonyms_item in synonyms:
        _write_describe_configs_synonym_v1(out, synonyms_item)
        yield
    documentation = message.documentation
    if documentation is None:
        data = b""
        length = -1
    else:
        data = documentation.encode()
        length = len(data)
    out.append(_pack_bh(message.config_type, length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_describe_configs_result_v3(
    out: Pieces,
    message: DescribeConfigsResponseDescribeConfigsResult,
) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = -1
    else:
        data = error_message.encode()
        length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    resource_name = message.resource_name
    data = resource_name.encode()
    length = len(data)
    out.append(_pack_bh(message.resource_type, length))
    out.append(data)
    configs = message.configs
    count = len(configs)
    out.append(_pack_i(count))
    for configs_item in configs:
        _write_describe_configs_resource_result_v3(out, configs_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_describe_configs_result_v3(
    out: Pieces,
    message: DescribeConfigsResponseDescribeConfigsResult,
) -> Steps[None]:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = -1
    else:
        data = error_message.encode()
        length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    resource_name = message.resource_name
    data = resource_name.encode()
    length = len(data)
    out.append(_pack_bh(message.resource_type, length))
    out.append(data)
    configs = message.configs
    count = len(configs)
    out.append(_pack_i(count))
    for configs_item in configs:
        yield from _step_write_describe_configs_resource_result_v3(out, configs_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v3(out: Pieces, message: DescribeConfigsResponse) -> None:
    results = message.results
    count = len(results)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for results_item in results:
        _write_describe_configs_result_v3(out, results_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v3(out: Pieces, message: DescribeConfigsResponse) -> Steps[None]:
    results = message.results
    count = len(results)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for results_item in results:
        yield from _step_write_describe_configs_result_v3(out, results_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_describe_configs_synonym_v4(
    out: Pieces,
    message: DescribeConfigsResponseDescribeConfigsSynonym,
) -> None:
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
        out.append(_pack_b(message.source))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_bB(message.source, 0))


def _write_describe_configs_resource_result_v4(
    out: Pieces,
    message: DescribeConfigsResponseDescribeConfigsResourceResult,
) -> None:
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
    synonyms = message.synonyms
    count = len(synonyms) + 1
    if count < 128:
        out.append(_pack_tbtB(message.read_only, message.config_source, message.is_sensitive, count))
    else:
        out.append(_pack_tbt(message.read_only, message.config_source, message.is_sensitive))
        out.append(pack_length(count))
    for synonyms_item in synonyms:
        _write_describe_configs_synonym_v4(out, synonyms_item)
    documentation = message.documentation
    if documentation is None:
        data = b""
        length = 0
    else:
        data = documentation.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_bB(message.config_type, length))
    else:
        out.append(_pack_b(message.config_type))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_describe_configs_resource_result_v4(
    out: Pieces,
    message: DescribeConfigsResponseDescribeConfigsResourceResult,
) -> Steps[None]:
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
    synonyms = message.synonyms
    count = len(synonyms) + 1
    if count < 128:
        out.append(_pack_tbtB(message.read_only, message.config_source, message.is_sensitive, count))
    else:
        out.append(_pack_tbt(message.read_only, message.config_source, message.is_sensitive))
        out.append(pack_length(count))
    for synonyms_item in synonyms:
        _write_describe_configs_synonym_v4(out, synonyms_item)
        yield
    documentation = message.documentation
    if documentation is None:
        data = b""
        length = 0
    else:
        data = documentation.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_bB(message.config_type, length))
    else:
        out.append(_pack_b(message.config_type))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_describe_configs_result_v4(
    out: Pieces,
    message: DescribeConfigsResponseDescribeConfigsResult,
) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
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
        _write_describe_configs_resource_result_v4(out, configs_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_describe_configs_result_v4(
    out: Pieces,
    message: DescribeConfigsResponseDescribeConfigsResult,
) -> Steps[None]:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
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
        yield from _step_write_describe_configs_resource_result_v4(out, configs_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v4(out: Pieces, message: DescribeConfigsResponse) -> None:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for results_item in results:
        _write_describe_configs_result_v4(out, results_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v4(out: Pieces, message: DescribeConfigsResponse) -> Steps[None]:
    results = message.results
    count = len(results) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for results_item in results:
        yield from _step_write_describe_configs_result_v4(out, results_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


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

_STEP_WRITERS = (
    _step_write_v1,
    _step_write_v1,
    _step_write_v3,
    _step_write_v4,
)


@cache
def _schema() -> MessageSchema:
    describe_configs_synonym_struct = StructSchema(
        python_class=DescribeConfigsResponseDescribeConfigsSynonym,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(1, 32767),
                default="",
            ),
            FieldSchema(
                name="Value",
                attribute="value",
                type="string",
                versions=(1, 32767),
                nullable=(1, 32767),
                default="",
            ),
            FieldSchema(
                name="Source",
                attribute="source",
                type="int8",
                versions=(1, 32767),
                default=0,
            ),
        ),
    )
    describe_configs_resource_result_struct = StructSchema(
        python_class=DescribeConfigsResponseDescribeConfigsResourceResult,
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
            FieldSchema(
                name="ReadOnly",
                attribute="read_only",
                type="bool",
                versions=(0, 32767),
                default=False,
            ),
            FieldSchema(
                name="ConfigSource",
                attribute="config_source",
                type="int8",
                versions=(1, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="IsSensitive",
                attribute="is_sensitive",
                type="bool",
                versions=(0, 32767),
                default=False,
            ),
            FieldSchema(
                name="Synonyms",
                attribute="synonyms",
                type="DescribeConfigsSynonym",
                struct=describe_configs_synonym_struct,
                array=True,
                versions=(1, 32767),
                default=Default.EMPTY_ARRAY,
                ignorable=True,
            ),
            FieldSchema(
                name="ConfigType",
                attribute="config_type",
                type="int8",
                versions=(3, 32767),
                default=0,
                ignorable=True,
            ),
            FieldSchema(
                name="Documentation",
                attribute="documentation",
                type="string",
                versions=(3, 32767),
                nullable=(3, 32767),
                default="",
                ignorable=True,
            ),
        ),
    )
    describe_configs_result_struct = StructSchema(
        python_class=DescribeConfigsResponseDescribeConfigsResult,
        fields=(
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ErrorMessage",
                attribute="error_message",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
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
                type="DescribeConfigsResourceResult",
                struct=describe_configs_resource_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    describe_configs_response_struct = StructSchema(
        python_class=DescribeConfigsResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Results",
                attribute="results",
                type="DescribeConfigsResult",
                struct=describe_configs_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="DescribeConfigsResponse",
        flexible_from=4,
        root=describe_configs_response_struct,
    )
