"""MetadataRequest: versions 0-13, flexible from 9, api key 3.

Generated from api/MetadataRequest.json by codegen; change the schema, not this file.
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

ZERO_UUID = bytes(16)
_unpack_uB = struct.Struct(">16sB").unpack_from
_unpack_ttt = struct.Struct(">???").unpack_from
_unpack_tttB = struct.Struct(">???B").unpack_from
_unpack_ttB = struct.Struct(">??B").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_t = struct.Struct(">?").pack
_pack_tt = struct.Struct(">??").pack
_pack_ttt = struct.Struct(">???").pack
_pack_tttB = struct.Struct(">???B").pack
_pack_ttB = struct.Struct(">??B").pack
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack


class MetadataRequestTopic(Struct):
    """MetadataRequestTopic of MetadataRequest."""

    __slots__ = ("topic_id", "name", "unknown_tags")

    topic_id: bytes
    """Set instead of the name, or zero. Versions 10+, dropped where a version lacks it."""
    name: str | None
    """Versions 0+, null in 10+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        name: str | None = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.name = name
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, MetadataRequestTopic)
            and self.topic_id == other.topic_id
            and self.name == other.name
            and self.unknown_tags == other.unknown_tags
        )



class MetadataRequest(Message):
    """Request MetadataRequest."""

    __slots__ = (
        "topics",
        "allow_auto_topic_creation",
        "include_cluster_authorized_operations",
        "include_topic_authorized_operations",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "MetadataRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 3
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 13
    FLEXIBLE_FROM: ClassVar[int | None] = 9
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    Topic: TypeAlias = MetadataRequestTopic

    topics: list[MetadataRequestTopic] | None
    """Null for all topics; in version 0 an empty list means that. Versions 0+, null in 1+."""
    allow_auto_topic_creation: bool
    """Versions 4+."""
    include_cluster_authorized_operations: bool
    """Versions 8-10."""
    include_topic_authorized_operations: bool
    """Versions 8+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topics: list[MetadataRequestTopic] | None = EMPTY,
        allow_auto_topic_creation: bool = True,
        include_cluster_authorized_operations: bool = False,
        include_topic_authorized_operations: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topics = [] if topics is EMPTY else topics
        self.allow_auto_topic_creation = allow_auto_topic_creation
        self.include_cluster_authorized_operations = include_cluster_authorized_operations
        self.include_topic_authorized_operations = include_topic_authorized_operations
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, MetadataRequest)
            and self.topics == other.topics
            and self.allow_auto_topic_creation == other.allow_auto_topic_creation
            and self.include_cluster_authorized_operations == other.include_cluster_authorized_operations
            and self.include_topic_authorized_operations == other.include_topic_authorized_operations
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[MetadataRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[MetadataRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_topic_v0(buffer: Buffer, position: int, size: int) -> tuple[list[MetadataRequestTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[MetadataRequestTopic] = []
    for _ in range(size):
        message = MetadataRequestTopic.__new__(MetadataRequestTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[MetadataRequest, int]:
    message = MetadataRequest.__new__(MetadataRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.topics, position = _read_many_topic_v0(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.allow_auto_topic_creation = True
    message.include_cluster_authorized_operations = False
    message.include_topic_authorized_operations = False
    message.unknown_tags = None
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[MetadataRequest, int]]:
    message = MetadataRequest.__new__(MetadataRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "MetadataRequest.topics")
    if count > 0:
        if count > ELEMENTS_A_STEP:
            message.topics, position = yield from read_pieces(
                _read_many_topic_v0,
                buffer,
                position,
                count,
                budget,
            )
        else:
            message.topics, position = _read_many_topic_v0(buffer, position, count)
            budget.take_tags(message.topics)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.allow_auto_topic_creation = True
    message.include_cluster_authorized_operations = False
    message.include_topic_authorized_operations = False
    message.unknown_tags = None
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[MetadataRequest, int]:
    message = MetadataRequest.__new__(MetadataRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.topics, position = _read_many_topic_v0(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        message.topics = None
    message.allow_auto_topic_creation = True
    message.include_cluster_authorized_operations = False
    message.include_topic_authorized_operations = False
    message.unknown_tags = None
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[MetadataRequest, int]]:
    message = MetadataRequest.__new__(MetadataRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "MetadataRequest.topics")
    if count > 0:
        if count > ELEMENTS_A_STEP:
            message.topics, position = yield from read_pieces(
                _read_many_topic_v0,
                buffer,
                position,
                count,
                budget,
            )
        else:
            message.topics, position = _read_many_topic_v0(buffer, position, count)
            budget.take_tags(message.topics)
    elif not count:
        message.topics = []
    else:
        message.topics = None
    message.allow_auto_topic_creation = True
    message.include_cluster_authorized_operations = False
    message.include_topic_authorized_operations = False
    message.unknown_tags = None
    return message, position


def _read_v4(buffer: Buffer, position: int) -> tuple[MetadataRequest, int]:
    message = MetadataRequest.__new__(MetadataRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.topics, position = _read_many_topic_v0(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        message.topics = None
    message.allow_auto_topic_creation = buffer[position] != 0
    position += 1
    message.include_cluster_authorized_operations = False
    message.include_topic_authorized_operations = False
    message.unknown_tags = None
    return message, position


def _step_v4(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[MetadataRequest, int]]:
    message = MetadataRequest.__new__(MetadataRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "MetadataRequest.topics")
    if count > 0:
        if count > ELEMENTS_A_STEP:
            message.topics, position = yield from read_pieces(
                _read_many_topic_v0,
                buffer,
                position,
                count,
                budget,
            )
        else:
            message.topics, position = _read_many_topic_v0(buffer, position, count)
            budget.take_tags(message.topics)
    elif not count:
        message.topics = []
    else:
        message.topics = None
    message.allow_auto_topic_creation = buffer[position] != 0
    position += 1
    message.include_cluster_authorized_operations = False
    message.include_topic_authorized_operations = False
    message.unknown_tags = None
    return message, position


def _read_v8(buffer: Buffer, position: int) -> tuple[MetadataRequest, int]:
    message = MetadataRequest.__new__(MetadataRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.topics, position = _read_many_topic_v0(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        message.topics = None
    (
        message.allow_auto_topic_creation,
        message.include_cluster_authorized_operations,
        message.include_topic_authorized_operations,
    ) = _unpack_ttt(buffer, position)
    position += 3
    message.unknown_tags = None
    return message, position


def _step_v8(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[MetadataRequest, int]]:
    message = MetadataRequest.__new__(MetadataRequest)
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "MetadataRequest.topics")
    if count > 0:
        if count > ELEMENTS_A_STEP:
            message.topics, position = yield from read_pieces(
                _read_many_topic_v0,
                buffer,
                position,
                count,
                budget,
            )
        else:
            message.topics, position = _read_many_topic_v0(buffer, position, count)
            budget.take_tags(message.topics)
    elif not count:
        message.topics = []
    else:
        message.topics = None
    (
        message.allow_auto_topic_creation,
        message.include_cluster_authorized_operations,
        message.include_topic_authorized_operations,
    ) = _unpack_ttt(buffer, position)
    position += 3
    message.unknown_tags = None
    return message, position


def _read_many_topic_v9(buffer: Buffer, position: int, size: int) -> tuple[list[MetadataRequestTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[MetadataRequestTopic] = []
    for _ in range(size):
        message = MetadataRequestTopic.__new__(MetadataRequestTopic)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        tags = buffer[position]
        position += 1
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v9(buffer: Buffer, position: int) -> tuple[MetadataRequest, int]:
    message = MetadataRequest.__new__(MetadataRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_v9(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        message.topics = None
    (
        message.allow_auto_topic_creation,
        message.include_cluster_authorized_operations,
        message.include_topic_authorized_operations,
        tags,
    ) = _unpack_tttB(buffer, position)
    position += 4
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v9(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[MetadataRequest, int]]:
    message = MetadataRequest.__new__(MetadataRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "MetadataRequest.topics")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.topics, position = yield from read_pieces(
                _read_many_topic_v9,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.topics, position = _read_many_topic_v9(buffer, position, count - 1)
            budget.take_tags(message.topics)
    elif count:
        message.topics = []
    else:
        message.topics = None
    (
        message.allow_auto_topic_creation,
        message.include_cluster_authorized_operations,
        message.include_topic_authorized_operations,
        tags,
    ) = _unpack_tttB(buffer, position)
    position += 4
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_many_topic_v10(buffer: Buffer, position: int, size: int) -> tuple[list[MetadataRequestTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[MetadataRequestTopic] = []
    for _ in range(size):
        message = MetadataRequestTopic.__new__(MetadataRequestTopic)
        message.topic_id, length = _unpack_uB(buffer, position)
        position += 17
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.name = None
        else:
            end = position + length - 1
            message.name = str(buffer[position:end], "utf-8")
            position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v10(buffer: Buffer, position: int) -> tuple[MetadataRequest, int]:
    message = MetadataRequest.__new__(MetadataRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_v10(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        message.topics = None
    (
        message.allow_auto_topic_creation,
        message.include_cluster_authorized_operations,
        message.include_topic_authorized_operations,
        tags,
    ) = _unpack_tttB(buffer, position)
    position += 4
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v10(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[MetadataRequest, int]]:
    message = MetadataRequest.__new__(MetadataRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "MetadataRequest.topics")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.topics, position = yield from read_pieces(
                _read_many_topic_v10,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.topics, position = _read_many_topic_v10(buffer, position, count - 1)
            budget.take_tags(message.topics)
    elif count:
        message.topics = []
    else:
        message.topics = None
    (
        message.allow_auto_topic_creation,
        message.include_cluster_authorized_operations,
        message.include_topic_authorized_operations,
        tags,
    ) = _unpack_tttB(buffer, position)
    position += 4
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_v11(buffer: Buffer, position: int) -> tuple[MetadataRequest, int]:
    message = MetadataRequest.__new__(MetadataRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_v10(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        message.topics = None
    (
        message.allow_auto_topic_creation,
        message.include_topic_authorized_operations,
        tags,
    ) = _unpack_ttB(buffer, position)
    position += 3
    message.include_cluster_authorized_operations = False
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v11(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[MetadataRequest, int]]:
    message = MetadataRequest.__new__(MetadataRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "MetadataRequest.topics")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.topics, position = yield from read_pieces(
                _read_many_topic_v10,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.topics, position = _read_many_topic_v10(buffer, position, count - 1)
            budget.take_tags(message.topics)
    elif count:
        message.topics = []
    else:
        message.topics = None
    (
        message.allow_auto_topic_creation,
        message.include_topic_authorized_operations,
        tags,
    ) = _unpack_ttB(buffer, position)
    position += 3
    message.include_cluster_authorized_operations = False
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_topic_v0(out: Pieces, message: MetadataRequestTopic) -> None:
    name = message.name
    if name is None:
        raise Malformed
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: MetadataRequest) -> None:
    if not message.allow_auto_topic_creation:
        raise Malformed
    if message.include_cluster_authorized_operations:
        raise Malformed
    if message.include_topic_authorized_operations:
        raise Malformed
    topics = message.topics
    if topics is None:
        raise Malformed
    count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        _write_topic_v0(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: MetadataRequest) -> None:
    if not message.allow_auto_topic_creation:
        raise Malformed
    if message.include_cluster_authorized_operations:
        raise Malformed
    if message.include_topic_authorized_operations:
        raise Malformed
    topics = message.topics
    if topics is None:
        topics = EMPTY
        count = -1
    else:
        count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        _write_topic_v0(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _write_v4(out: Pieces, message: MetadataRequest) -> None:
    if message.include_cluster_authorized_operations:
        raise Malformed
    if message.include_topic_authorized_operations:
        raise Malformed
    topics = message.topics
    if topics is None:
        topics = EMPTY
        count = -1
    else:
        count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        _write_topic_v0(out, topics_item)
    out.append(_pack_t(message.allow_auto_topic_creation))
    if message.unknown_tags:
        raise Malformed


def _write_v8(out: Pieces, message: MetadataRequest) -> None:
    topics = message.topics
    if topics is None:
        topics = EMPTY
        count = -1
    else:
        count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        _write_topic_v0(out, topics_item)
    out.append(_pack_ttt(
        message.allow_auto_topic_creation,
        message.include_cluster_authorized_operations,
        message.include_topic_authorized_operations,
    ))
    if message.unknown_tags:
        raise Malformed


def _write_topic_v9(out: Pieces, message: MetadataRequestTopic) -> None:
    name = message.name
    if name is None:
        raise Malformed
    data = name.encode()
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


def _write_v9(out: Pieces, message: MetadataRequest) -> None:
    topics = message.topics
    if topics is None:
        topics = EMPTY
        count = 0
    else:
        count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_v9(out, topics_item)
    if message.unknown_tags:
        out.append(_pack_ttt(
            message.allow_auto_topic_creation,
            message.include_cluster_authorized_operations,
            message.include_topic_authorized_operations,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_tttB(
            message.allow_auto_topic_creation,
            message.include_cluster_authorized_operations,
            message.include_topic_authorized_operations,
            0,
        ))


def _write_topic_v10(out: Pieces, message: MetadataRequestTopic) -> None:
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    name = message.name
    if name is None:
        data = b""
        length = 0
    else:
        data = name.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_uB(topic_id, length))
    else:
        out.append(topic_id)
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v10(out: Pieces, message: MetadataRequest) -> None:
    topics = message.topics
    if topics is None:
        topics = EMPTY
        count = 0
    else:
        count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_v10(out, topics_item)
    if message.unknown_tags:
        out.append(_pack_ttt(
            message.allow_auto_topic_creation,
            message.include_cluster_authorized_operations,
            message.include_topic_authorized_operations,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_tttB(
            message.allow_auto_topic_creation,
            message.include_cluster_authorized_operations,
            message.include_topic_authorized_operations,
            0,
        ))


def _write_v11(out: Pieces, message: MetadataRequest) -> None:
    if message.include_cluster_authorized_operations:
        raise Malformed
    topics = message.topics
    if topics is None:
        topics = EMPTY
        count = 0
    else:
        count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_v10(out, topics_item)
    if message.unknown_tags:
        out.append(_pack_tt(message.allow_auto_topic_creation, message.include_topic_authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_ttB(
            message.allow_auto_topic_creation,
            message.include_topic_authorized_operations,
            0,
        ))


_READERS = (
    _read_v0,
    _read_v1,
    _read_v1,
    _read_v1,
    _read_v4,
    _read_v4,
    _read_v4,
    _read_v4,
    _read_v8,
    _read_v9,
    _read_v10,
    _read_v11,
    _read_v11,
    _read_v11,
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v1,
    _write_v1,
    _write_v4,
    _write_v4,
    _write_v4,
    _write_v4,
    _write_v8,
    _write_v9,
    _write_v10,
    _write_v11,
    _write_v11,
    _write_v11,
)

_STEP_READERS = (
    _step_v0,
    _step_v1,
    _step_v1,
    _step_v1,
    _step_v4,
    _step_v4,
    _step_v4,
    _step_v4,
    _step_v8,
    _step_v9,
    _step_v10,
    _step_v11,
    _step_v11,
    _step_v11,
)


@cache
def _schema() -> MessageSchema:
    metadata_request_topic_struct = StructSchema(
        python_class=MetadataRequestTopic,
        fields=(
            FieldSchema(
                name="TopicId",
                attribute="topic_id",
                type="uuid",
                versions=(10, 32767),
                default=ZERO_UUID,
                ignorable=True,
            ),
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                nullable=(10, 32767),
                default="",
            ),
        ),
    )
    metadata_request_struct = StructSchema(
        python_class=MetadataRequest,
        fields=(
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="MetadataRequestTopic",
                struct=metadata_request_topic_struct,
                array=True,
                versions=(0, 32767),
                nullable=(1, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="AllowAutoTopicCreation",
                attribute="allow_auto_topic_creation",
                type="bool",
                versions=(4, 32767),
                default=True,
            ),
            FieldSchema(
                name="IncludeClusterAuthorizedOperations",
                attribute="include_cluster_authorized_operations",
                type="bool",
                versions=(8, 10),
                default=False,
            ),
            FieldSchema(
                name="IncludeTopicAuthorizedOperations",
                attribute="include_topic_authorized_operations",
                type="bool",
                versions=(8, 32767),
                default=False,
            ),
        ),
    )
    return MessageSchema(name="MetadataRequest", flexible_from=9, root=metadata_request_struct)
