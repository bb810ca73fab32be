"""CreateTopicsResponse: versions 2-7, flexible from 5, api key 19.

Generated from api/CreateTopicsResponse.json by codegen; change the schema, not this file.
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
    read_tag_section,
    read_unknown_tags,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_uhB = struct.Struct(">16shB").unpack_from
_unpack_tbtB = struct.Struct(">?b?B").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_unpack_hB = struct.Struct(">hB").unpack_from
_unpack_hh = struct.Struct(">hh").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_ii = struct.Struct(">ii").unpack_from
_pack_uh = struct.Struct(">16sh").pack
_pack_uhB = struct.Struct(">16shB").pack
_pack_tbt = struct.Struct(">?b?").pack
_pack_tbtB = struct.Struct(">?b?B").pack
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_hh = struct.Struct(">hh").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_ii = struct.Struct(">ii").pack


class CreateTopicsResponseCreatableTopicConfigs(Struct):
    """CreatableTopicConfigs of CreateTopicsResponse."""

    __slots__ = ("name", "value", "read_only", "config_source", "is_sensitive", "unknown_tags")

    name: str
    """Versions 5+."""
    value: str | None
    """Versions 5+, null in 5+."""
    read_only: bool
    """Versions 5+."""
    config_source: int
    """1 topic, 2 broker, 3 all brokers, 4 file, 5 default, 6 logger, 7 client metrics, 8 group.
    Versions 5+, dropped where a version lacks it.
    """
    is_sensitive: bool
    """Versions 5+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        value: str | None = "",
        read_only: bool = False,
        config_source: int = -1,
        is_sensitive: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.value = value
        self.read_only = read_only
        self.config_source = config_source
        self.is_sensitive = is_sensitive
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CreateTopicsResponseCreatableTopicConfigs)
            and self.name == other.name
            and self.value == other.value
            and self.read_only == other.read_only
            and self.config_source == other.config_source
            and self.is_sensitive == other.is_sensitive
            and self.unknown_tags == other.unknown_tags
        )



class CreateTopicsResponseCreatableTopicResult(Struct):
    """CreatableTopicResult of CreateTopicsResponse."""

    __slots__ = (
        "name",
        "topic_id",
        "error_code",
        "error_message",
        "topic_config_error_code",
        "num_partitions",
        "replication_factor",
        "configs",
        "unknown_tags",
    )

    name: str
    """Versions 0+."""
    topic_id: bytes
    """Versions 7+, dropped where a version lacks it."""
    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 1+, null in 1+, dropped where a version lacks it."""
    topic_config_error_code: int
    """Why Configs is null: the requester may not read them. Versions 5+, tag 0 in 5+, dropped where
    a version lacks it.
    """
    num_partitions: int
    """Versions 5+, dropped where a version lacks it."""
    replication_factor: int
    """Versions 5+, dropped where a version lacks it."""
    configs: list[CreateTopicsResponseCreatableTopicConfigs] | None
    """Versions 5+, null in 5+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
        error_code: int = 0,
        error_message: str | None = "",
        topic_config_error_code: int = 0,
        num_partitions: int = -1,
        replication_factor: int = -1,
        configs: list[CreateTopicsResponseCreatableTopicConfigs] | None = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.error_code = error_code
        self.error_message = error_message
        self.topic_config_error_code = topic_config_error_code
        self.num_partitions = num_partitions
        self.replication_factor = replication_factor
        self.configs = [] if configs is EMPTY else configs
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CreateTopicsResponseCreatableTopicResult)
            and self.name == other.name
            and self.topic_id == other.topic_id
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.topic_config_error_code == other.topic_config_error_code
            and self.num_partitions == other.num_partitions
            and self.replication_factor == other.replication_factor
            and self.configs == other.configs
            and self.unknown_tags == other.unknown_tags
        )



class CreateTopicsResponse(Message):
    """Response CreateTopicsResponse."""

    __slots__ = ("throttle_time_ms", "topics", "unknown_tags")

    NAME: ClassVar[str] = "CreateTopicsResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 19
    MIN_VERSION: ClassVar[int] = 2
    MAX_VERSION: ClassVar[int] = 7
    FLEXIBLE_FROM: ClassVar[int | None] = 5
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    CreatableTopicConfigs: TypeAlias = CreateTopicsResponseCreatableTopicConfigs
    CreatableTopicResult: TypeAlias = CreateTopicsResponseCreatableTopicResult

    throttle_time_ms: int
    """Versions 2+, dropped where a version lacks it."""
    topics: list[CreateTopicsResponseCreatableTopicResult]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[CreateTopicsResponseCreatableTopicResult] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CreateTopicsResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[CreateTopicsResponse, int]:
        return _READERS[version - 2](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 2](out, self)

    def _step_write(self, out: Pieces, version: int) -> Steps[None] | None:
        write = _STEP_WRITERS[version - 2]
        return None if write is None else write(out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_creatable_topic_result_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[CreateTopicsResponseCreatableTopicResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreateTopicsResponseCreatableTopicResult] = []
    for _ in range(size):
        message = CreateTopicsResponseCreatableTopicResult.__new__(CreateTopicsResponseCreatableTopicResult)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.error_code, length = _unpack_hh(buffer, position)
        position += 4
        if length < 0:
            message.error_message = None
        else:
            end = position + length
            message.error_message = str(buffer[position:end], "utf-8")
            position = end
        message.topic_id = ZERO_UUID
        message.topic_config_error_code = 0
        message.num_partitions = -1
        message.replication_factor = -1
        message.configs = []
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v2(buffer: Buffer, position: int) -> tuple[CreateTopicsResponse, int]:
    message = CreateTopicsResponse.__new__(CreateTopicsResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.topics, position = _read_many_creatable_topic_result_v2(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_creatable_topic_configs_v5(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[CreateTopicsResponseCreatableTopicConfigs], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreateTopicsResponseCreatableTopicConfigs] = []
    for _ in range(size):
        message = CreateTopicsResponseCreatableTopicConfigs.__new__(CreateTopicsResponseCreatableTopicConfigs)
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
        message.read_only, message.config_source, message.is_sensitive, tags = _unpack_tbtB(buffer, position)
        position += 4
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_creatable_topic_result_v5(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[CreateTopicsResponseCreatableTopicResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreateTopicsResponseCreatableTopicResult] = []
    for _ in range(size):
        message = CreateTopicsResponseCreatableTopicResult.__new__(CreateTopicsResponseCreatableTopicResult)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
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
        message.num_partitions, message.replication_factor, count = _unpack_ihB(buffer, position)
        position += 7
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.configs, position = _read_many_creatable_topic_configs_v5(buffer, position, count - 1)
        elif count:
            message.configs = []
        else:
            message.configs = None
        tags = buffer[position]
        position += 1
        message.topic_id = ZERO_UUID
        message.topic_config_error_code = 0
        message.unknown_tags = None
        if tags:
            sections, end_of_tags = read_tag_section(buffer, position - 1)
            for tag, position, stop in sections:
                if tag == 0:
                    (message.topic_config_error_code,) = _unpack_h(buffer, position)
                    position += 2
                else:
                    if message.unknown_tags is None:
                        message.unknown_tags = {}
                    message.unknown_tags[tag] = bytes(buffer[position:stop])
                    position = stop
                if position != stop:
                    raise Malformed
            position = end_of_tags
        found.append(message)
    return found, position


def _read_v5(buffer: Buffer, position: int) -> tuple[CreateTopicsResponse, int]:
    message = CreateTopicsResponse.__new__(CreateTopicsResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_creatable_topic_result_v5(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_creatable_topic_result_v7(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[CreateTopicsResponseCreatableTopicResult], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[CreateTopicsResponseCreatableTopicResult] = []
    for _ in range(size):
        message = CreateTopicsResponseCreatableTopicResult.__new__(CreateTopicsResponseCreatableTopicResult)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.topic_id, message.error_code, length = _unpack_uhB(buffer, position)
        position += 19
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.error_message = None
        else:
            end = position + length - 1
            message.error_message = str(buffer[position:end], "utf-8")
            position = end
        message.num_partitions, message.replication_factor, count = _unpack_ihB(buffer, position)
        position += 7
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.configs, position = _read_many_creatable_topic_configs_v5(buffer, position, count - 1)
        elif count:
            message.configs = []
        else:
            message.configs = None
        tags = buffer[position]
        position += 1
        message.topic_config_error_code = 0
        message.unknown_tags = None
        if tags:
            sections, end_of_tags = read_tag_section(buffer, position - 1)
            for tag, position, stop in sections:
                if tag == 0:
                    (message.topic_config_error_code,) = _unpack_h(buffer, position)
                    position += 2
                else:
                    if message.unknown_tags is None:
                        message.unknown_tags = {}
                    message.unknown_tags[tag] = bytes(buffer[position:stop])
                    position = stop
                if position != stop:
                    raise Malformed
            position = end_of_tags
        found.append(message)
    return found, position


def _read_v7(buffer: Buffer, position: int) -> tuple[CreateTopicsResponse, int]:
    message = CreateTopicsResponse.__new__(CreateTopicsResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_creatable_topic_result_v7(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_creatable_topic_result_v2(out: Pieces, message: CreateTopicsResponseCreatableTopicResult) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = -1
    else:
        data = error_message.encode()
        length = len(data)
    out.append(_pack_hh(message.error_code, length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: Pieces, message: CreateTopicsResponse) -> None:
    topics = message.topics
    count = len(topics)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for topics_item in topics:
        _write_creatable_topic_result_v2(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v2(out: Pieces, message: CreateTopicsResponse) -> Steps[None]:
    topics = message.topics
    count = len(topics)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for topics_item in topics:
        _write_creatable_topic_result_v2(out, topics_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_creatable_topic_configs_v5(
    out: Pieces,
    message: CreateTopicsResponseCreatableTopicConfigs,
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
        out.append(_pack_tbt(message.read_only, message.config_source, message.is_sensitive))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_tbtB(message.read_only, message.config_source, message.is_sensitive, 0))


def _write_creatable_topic_result_v5(out: Pieces, message: CreateTopicsResponseCreatableTopicResult) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
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
    configs = message.configs
    if configs is None:
        configs = EMPTY
        count = 0
    else:
        count = len(configs) + 1
    if count < 128:
        out.append(_pack_ihB(message.num_partitions, message.replication_factor, count))
    else:
        out.append(_pack_ih(message.num_partitions, message.replication_factor))
        out.append(pack_length(count))
    for configs_item in configs:
        _write_creatable_topic_configs_v5(out, configs_item)
    tagged = []
    section: Pieces
    if message.topic_config_error_code != 0:
        section = []
        section.append(_pack_h(message.topic_config_error_code))
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_creatable_topic_result_v5(
    out: Pieces,
    message: CreateTopicsResponseCreatableTopicResult,
) -> Steps[None]:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
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
    configs = message.configs
    if configs is None:
        configs = EMPTY
        count = 0
    else:
        count = len(configs) + 1
    if count < 128:
        out.append(_pack_ihB(message.num_partitions, message.replication_factor, count))
    else:
        out.append(_pack_ih(message.num_partitions, message.replication_factor))
        out.append(pack_length(count))
    for configs_item in configs:
        _write_creatable_topic_configs_v5(out, configs_item)
        yield
    tagged = []
    section: Pieces
    if message.topic_config_error_code != 0:
        section = []
        section.append(_pack_h(message.topic_config_error_code))
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v5(out: Pieces, message: CreateTopicsResponse) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_creatable_topic_result_v5(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v5(out: Pieces, message: CreateTopicsResponse) -> Steps[None]:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_creatable_topic_result_v5(out, topics_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_creatable_topic_result_v7(out: Pieces, message: CreateTopicsResponseCreatableTopicResult) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_uhB(topic_id, message.error_code, length))
    else:
        out.append(_pack_uh(topic_id, message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    configs = message.configs
    if configs is None:
        configs = EMPTY
        count = 0
    else:
        count = len(configs) + 1
    if count < 128:
        out.append(_pack_ihB(message.num_partitions, message.replication_factor, count))
    else:
        out.append(_pack_ih(message.num_partitions, message.replication_factor))
        out.append(pack_length(count))
    for configs_item in configs:
        _write_creatable_topic_configs_v5(out, configs_item)
    tagged = []
    section: Pieces
    if message.topic_config_error_code != 0:
        section = []
        section.append(_pack_h(message.topic_config_error_code))
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_creatable_topic_result_v7(
    out: Pieces,
    message: CreateTopicsResponseCreatableTopicResult,
) -> Steps[None]:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_uhB(topic_id, message.error_code, length))
    else:
        out.append(_pack_uh(topic_id, message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    configs = message.configs
    if configs is None:
        configs = EMPTY
        count = 0
    else:
        count = len(configs) + 1
    if count < 128:
        out.append(_pack_ihB(message.num_partitions, message.replication_factor, count))
    else:
        out.append(_pack_ih(message.num_partitions, message.replication_factor))
        out.append(pack_length(count))
    for configs_item in configs:
        _write_creatable_topic_configs_v5(out, configs_item)
        yield
    tagged = []
    section: Pieces
    if message.topic_config_error_code != 0:
        section = []
        section.append(_pack_h(message.topic_config_error_code))
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v7(out: Pieces, message: CreateTopicsResponse) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_creatable_topic_result_v7(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v7(out: Pieces, message: CreateTopicsResponse) -> Steps[None]:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_creatable_topic_result_v7(out, topics_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v2,
    _read_v2,
    _read_v2,
    _read_v5,
    _read_v5,
    _read_v7,
)

_WRITERS = (
    _write_v2,
    _write_v2,
    _write_v2,
    _write_v5,
    _write_v5,
    _write_v7,
)

_STEP_WRITERS = (
    _step_write_v2,
    _step_write_v2,
    _step_write_v2,
    _step_write_v5,
    _step_write_v5,
    _step_write_v7,
)


@cache
def _schema() -> MessageSchema:
    creatable_topic_configs_struct = StructSchema(
        python_class=CreateTopicsResponseCreatableTopicConfigs,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(5, 32767),
                default="",
            ),
            FieldSchema(
                name="Value",
                attribute="value",
                type="string",
                versions=(5, 32767),
                nullable=(5, 32767),
                default="",
            ),
            FieldSchema(
                name="ReadOnly",
                attribute="read_only",
                type="bool",
                versions=(5, 32767),
                default=False,
            ),
            FieldSchema(
                name="ConfigSource",
                attribute="config_source",
                type="int8",
                versions=(5, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="IsSensitive",
                attribute="is_sensitive",
                type="bool",
                versions=(5, 32767),
                default=False,
            ),
        ),
    )
    creatable_topic_result_struct = StructSchema(
        python_class=CreateTopicsResponseCreatableTopicResult,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="TopicId",
                attribute="topic_id",
                type="uuid",
                versions=(7, 32767),
                default=ZERO_UUID,
                ignorable=True,
            ),
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
                versions=(1, 32767),
                nullable=(1, 32767),
                default="",
                ignorable=True,
            ),
            FieldSchema(
                name="TopicConfigErrorCode",
                attribute="topic_config_error_code",
                type="int16",
                versions=(5, 32767),
                tagged=(5, 32767),
                tag=0,
                default=0,
                ignorable=True,
            ),
            FieldSchema(
                name="NumPartitions",
                attribute="num_partitions",
                type="int32",
                versions=(5, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="ReplicationFactor",
                attribute="replication_factor",
                type="int16",
                versions=(5, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="Configs",
                attribute="configs",
                type="CreatableTopicConfigs",
                struct=creatable_topic_configs_struct,
                array=True,
                versions=(5, 32767),
                nullable=(5, 32767),
                default=Default.EMPTY_ARRAY,
                ignorable=True,
            ),
        ),
    )
    create_topics_response_struct = StructSchema(
        python_class=CreateTopicsResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(2, 32767),
                default=0,
                ignorable=True,
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="CreatableTopicResult",
                struct=creatable_topic_result_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="CreateTopicsResponse", flexible_from=5, root=create_topics_response_struct)
