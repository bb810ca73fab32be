"""OffsetFetchRequest: versions 1-10, flexible from 6, api key 9.

Generated from api/OffsetFetchRequest.json by codegen; change the schema, not this file.
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
    PACK_INT32,
    TABLE_SIZE,
    UNPACK_INT32,
    Budget,
    Buffer,
    Malformed,
    Pieces,
    Steps,
    pack_length,
    pack_many,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    unpack_many,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_uB = struct.Struct(">16sB").unpack_from
_unpack_tB = struct.Struct(">?B").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_t = struct.Struct(">?").pack
_pack_tB = struct.Struct(">?B").pack
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack


class OffsetFetchRequestTopic(Struct):
    """OffsetFetchRequestTopic of OffsetFetchRequest."""

    __slots__ = ("name", "partition_indexes", "unknown_tags")

    name: str
    """Versions 0-7."""
    partition_indexes: list[int]
    """Versions 0-7."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        partition_indexes: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.partition_indexes = [] if partition_indexes is EMPTY else partition_indexes
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetFetchRequestTopic)
            and self.name == other.name
            and self.partition_indexes == other.partition_indexes
            and self.unknown_tags == other.unknown_tags
        )



class OffsetFetchRequestTopics(Struct):
    """OffsetFetchRequestTopics of OffsetFetchRequest."""

    __slots__ = ("name", "topic_id", "partition_indexes", "unknown_tags")

    name: str
    """Versions 8-9, dropped where a version lacks it."""
    topic_id: bytes
    """Versions 10+, dropped where a version lacks it."""
    partition_indexes: list[int]
    """Versions 8+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
        partition_indexes: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partition_indexes = [] if partition_indexes is EMPTY else partition_indexes
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetFetchRequestTopics)
            and self.name == other.name
            and self.topic_id == other.topic_id
            and self.partition_indexes == other.partition_indexes
            and self.unknown_tags == other.unknown_tags
        )



class OffsetFetchRequestGroup(Struct):
    """OffsetFetchRequestGroup of OffsetFetchRequest."""

    __slots__ = ("group_id", "member_id", "member_epoch", "topics", "unknown_tags")

    group_id: str
    """Versions 8+."""
    member_id: str | None
    """Versions 9+, null in 9+, dropped where a version lacks it."""
    member_epoch: int
    """Versions 9+, dropped where a version lacks it."""
    topics: list[OffsetFetchRequestTopics] | None
    """Versions 8+, null in 8+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        group_id: str = "",
        member_id: str | None = None,
        member_epoch: int = -1,
        topics: list[OffsetFetchRequestTopics] | None = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetFetchRequestGroup)
            and self.group_id == other.group_id
            and self.member_id == other.member_id
            and self.member_epoch == other.member_epoch
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )



class OffsetFetchRequest(Message):
    """Request OffsetFetchRequest."""

    __slots__ = ("group_id", "topics", "groups", "require_stable", "unknown_tags")

    NAME: ClassVar[str] = "OffsetFetchRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 9
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 10
    FLEXIBLE_FROM: ClassVar[int | None] = 6
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    Topic: TypeAlias = OffsetFetchRequestTopic
    Topics: TypeAlias = OffsetFetchRequestTopics
    Group: TypeAlias = OffsetFetchRequestGroup

    group_id: str
    """Versions 0-7."""
    topics: list[OffsetFetchRequestTopic] | None
    """Versions 0-7, null in 2-7."""
    groups: list[OffsetFetchRequestGroup]
    """Versions 8+."""
    require_stable: bool
    """Versions 7+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        group_id: str = "",
        topics: list[OffsetFetchRequestTopic] | None = EMPTY,
        groups: list[OffsetFetchRequestGroup] = EMPTY,
        require_stable: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is EMPTY else topics
        self.groups = [] if groups is EMPTY else groups
        self.require_stable = require_stable
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetFetchRequest)
            and self.group_id == other.group_id
            and self.topics == other.topics
            and self.groups == other.groups
            and self.require_stable == other.require_stable
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[OffsetFetchRequest, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[OffsetFetchRequest, int]] | None:
        read = _STEP_READERS[version - 1]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_topic_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetFetchRequestTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchRequestTopic] = []
    for _ in range(size):
        message = OffsetFetchRequestTopic.__new__(OffsetFetchRequestTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count < 0:
            raise Malformed
        if count < TABLE_SIZE:
            message.partition_indexes = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.partition_indexes = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_topic_v1(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[OffsetFetchRequestTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchRequestTopic] = []
    for _ in range(size):
        message = OffsetFetchRequestTopic.__new__(OffsetFetchRequestTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "OffsetFetchRequest.partition_indexes")
        if count < 0:
            raise Malformed
        if count < TABLE_SIZE:
            message.partition_indexes = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.partition_indexes = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        yield
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[OffsetFetchRequest, int]:
    message = OffsetFetchRequest.__new__(OffsetFetchRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.topics, position = _read_many_topic_v1(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.groups = []
    message.require_stable = False
    message.unknown_tags = None
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[OffsetFetchRequest, int]]:
    message = OffsetFetchRequest.__new__(OffsetFetchRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "OffsetFetchRequest.topics")
    if count > 0:
        message.topics, position = yield from _step_many_topic_v1(buffer, position, count, budget)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.groups = []
    message.require_stable = False
    message.unknown_tags = None
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[OffsetFetchRequest, int]:
    message = OffsetFetchRequest.__new__(OffsetFetchRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.topics, position = _read_many_topic_v1(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        message.topics = None
    message.groups = []
    message.require_stable = False
    message.unknown_tags = None
    return message, position


def _step_v2(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[OffsetFetchRequest, int]]:
    message = OffsetFetchRequest.__new__(OffsetFetchRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "OffsetFetchRequest.topics")
    if count > 0:
        message.topics, position = yield from _step_many_topic_v1(buffer, position, count, budget)
    elif not count:
        message.topics = []
    else:
        message.topics = None
    message.groups = []
    message.require_stable = False
    message.unknown_tags = None
    return message, position


def _read_many_topic_v6(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetFetchRequestTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchRequestTopic] = []
    for _ in range(size):
        message = OffsetFetchRequestTopic.__new__(OffsetFetchRequestTopic)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.partition_indexes = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.partition_indexes = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_topic_v6(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[OffsetFetchRequestTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchRequestTopic] = []
    for _ in range(size):
        message = OffsetFetchRequestTopic.__new__(OffsetFetchRequestTopic)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "OffsetFetchRequest.partition_indexes")
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.partition_indexes = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.partition_indexes = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
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


def _read_v6(buffer: Buffer, position: int) -> tuple[OffsetFetchRequest, int]:
    message = OffsetFetchRequest.__new__(OffsetFetchRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_v6(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        message.topics = None
    tags = buffer[position]
    position += 1
    message.groups = []
    message.require_stable = False
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v6(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[OffsetFetchRequest, int]]:
    message = OffsetFetchRequest.__new__(OffsetFetchRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "OffsetFetchRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_topic_v6(buffer, position, count - 1, budget)
    elif count:
        message.topics = []
    else:
        message.topics = None
    tags = buffer[position]
    position += 1
    message.groups = []
    message.require_stable = False
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_v7(buffer: Buffer, position: int) -> tuple[OffsetFetchRequest, int]:
    message = OffsetFetchRequest.__new__(OffsetFetchRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_v6(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        message.topics = None
    message.require_stable, tags = _unpack_tB(buffer, position)
    position += 2
    message.groups = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v7(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[OffsetFetchRequest, int]]:
    message = OffsetFetchRequest.__new__(OffsetFetchRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "OffsetFetchRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_topic_v6(buffer, position, count - 1, budget)
    elif count:
        message.topics = []
    else:
        message.topics = None
    message.require_stable, tags = _unpack_tB(buffer, position)
    position += 2
    message.groups = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_many_topics_v8(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetFetchRequestTopics], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchRequestTopics] = []
    for _ in range(size):
        message = OffsetFetchRequestTopics.__new__(OffsetFetchRequestTopics)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.partition_indexes = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.partition_indexes = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        tags = buffer[position]
        position += 1
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_topics_v8(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[OffsetFetchRequestTopics], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchRequestTopics] = []
    for _ in range(size):
        message = OffsetFetchRequestTopics.__new__(OffsetFetchRequestTopics)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "OffsetFetchRequest.partition_indexes")
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.partition_indexes = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.partition_indexes = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        yield
        tags = buffer[position]
        position += 1
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_many_group_v8(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetFetchRequestGroup], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchRequestGroup] = []
    for _ in range(size):
        message = OffsetFetchRequestGroup.__new__(OffsetFetchRequestGroup)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.group_id = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.topics, position = _read_many_topics_v8(buffer, position, count - 1)
        elif count:
            message.topics = []
        else:
            message.topics = None
        tags = buffer[position]
        position += 1
        message.member_id = None
        message.member_epoch = -1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_group_v8(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[OffsetFetchRequestGroup], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchRequestGroup] = []
    for _ in range(size):
        message = OffsetFetchRequestGroup.__new__(OffsetFetchRequestGroup)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.group_id = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "OffsetFetchRequest.topics")
        if count > 1:
            message.topics, position = yield from _step_many_topics_v8(buffer, position, count - 1, budget)
        elif count:
            message.topics = []
        else:
            message.topics = None
        tags = buffer[position]
        position += 1
        message.member_id = None
        message.member_epoch = -1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_v8(buffer: Buffer, position: int) -> tuple[OffsetFetchRequest, int]:
    message = OffsetFetchRequest.__new__(OffsetFetchRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.groups, position = _read_many_group_v8(buffer, position, count - 1)
    elif count:
        message.groups = []
    else:
        raise Malformed
    message.require_stable, tags = _unpack_tB(buffer, position)
    position += 2
    message.group_id = ""
    message.topics = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v8(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[OffsetFetchRequest, int]]:
    message = OffsetFetchRequest.__new__(OffsetFetchRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "OffsetFetchRequest.groups")
    if count > 1:
        message.groups, position = yield from _step_many_group_v8(buffer, position, count - 1, budget)
    elif count:
        message.groups = []
    else:
        raise Malformed
    message.require_stable, tags = _unpack_tB(buffer, position)
    position += 2
    message.group_id = ""
    message.topics = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_many_group_v9(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetFetchRequestGroup], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchRequestGroup] = []
    for _ in range(size):
        message = OffsetFetchRequestGroup.__new__(OffsetFetchRequestGroup)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.group_id = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.member_id = None
        else:
            end = position + length - 1
            message.member_id = str(buffer[position:end], "utf-8")
            position = end
        message.member_epoch, count = _unpack_iB(buffer, position)
        position += 5
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.topics, position = _read_many_topics_v8(buffer, position, count - 1)
        elif count:
            message.topics = []
        else:
            message.topics = None
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_group_v9(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[OffsetFetchRequestGroup], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchRequestGroup] = []
    for _ in range(size):
        message = OffsetFetchRequestGroup.__new__(OffsetFetchRequestGroup)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.group_id = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.member_id = None
        else:
            end = position + length - 1
            message.member_id = str(buffer[position:end], "utf-8")
            position = end
        message.member_epoch, count = _unpack_iB(buffer, position)
        position += 5
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "OffsetFetchRequest.topics")
        if count > 1:
            message.topics, position = yield from _step_many_topics_v8(buffer, position, count - 1, budget)
        elif count:
            message.topics = []
        else:
            message.topics = None
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_v9(buffer: Buffer, position: int) -> tuple[OffsetFetchRequest, int]:
    message = OffsetFetchRequest.__new__(OffsetFetchRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.groups, position = _read_many_group_v9(buffer, position, count - 1)
    elif count:
        message.groups = []
    else:
        raise Malformed
    message.require_stable, tags = _unpack_tB(buffer, position)
    position += 2
    message.group_id = ""
    message.topics = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v9(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[OffsetFetchRequest, int]]:
    message = OffsetFetchRequest.__new__(OffsetFetchRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "OffsetFetchRequest.groups")
    if count > 1:
        message.groups, position = yield from _step_many_group_v9(buffer, position, count - 1, budget)
    elif count:
        message.groups = []
    else:
        raise Malformed
    message.require_stable, tags = _unpack_tB(buffer, position)
    position += 2
    message.group_id = ""
    message.topics = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_many_topics_v10(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetFetchRequestTopics], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchRequestTopics] = []
    for _ in range(size):
        message = OffsetFetchRequestTopics.__new__(OffsetFetchRequestTopics)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.partition_indexes = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.partition_indexes = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        tags = buffer[position]
        position += 1
        message.name = ""
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_topics_v10(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[OffsetFetchRequestTopics], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchRequestTopics] = []
    for _ in range(size):
        message = OffsetFetchRequestTopics.__new__(OffsetFetchRequestTopics)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "OffsetFetchRequest.partition_indexes")
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.partition_indexes = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.partition_indexes = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        yield
        tags = buffer[position]
        position += 1
        message.name = ""
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_many_group_v10(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[OffsetFetchRequestGroup], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchRequestGroup] = []
    for _ in range(size):
        message = OffsetFetchRequestGroup.__new__(OffsetFetchRequestGroup)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.group_id = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.member_id = None
        else:
            end = position + length - 1
            message.member_id = str(buffer[position:end], "utf-8")
            position = end
        message.member_epoch, count = _unpack_iB(buffer, position)
        position += 5
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.topics, position = _read_many_topics_v10(buffer, position, count - 1)
        elif count:
            message.topics = []
        else:
            message.topics = None
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_group_v10(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[OffsetFetchRequestGroup], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[OffsetFetchRequestGroup] = []
    for _ in range(size):
        message = OffsetFetchRequestGroup.__new__(OffsetFetchRequestGroup)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.group_id = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.member_id = None
        else:
            end = position + length - 1
            message.member_id = str(buffer[position:end], "utf-8")
            position = end
        message.member_epoch, count = _unpack_iB(buffer, position)
        position += 5
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "OffsetFetchRequest.topics")
        if count > 1:
            message.topics, position = yield from _step_many_topics_v10(buffer, position, count - 1, budget)
        elif count:
            message.topics = []
        else:
            message.topics = None
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_v10(buffer: Buffer, position: int) -> tuple[OffsetFetchRequest, int]:
    message = OffsetFetchRequest.__new__(OffsetFetchRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.groups, position = _read_many_group_v10(buffer, position, count - 1)
    elif count:
        message.groups = []
    else:
        raise Malformed
    message.require_stable, tags = _unpack_tB(buffer, position)
    position += 2
    message.group_id = ""
    message.topics = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v10(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[OffsetFetchRequest, int]]:
    message = OffsetFetchRequest.__new__(OffsetFetchRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "OffsetFetchRequest.groups")
    if count > 1:
        message.groups, position = yield from _step_many_group_v10(buffer, position, count - 1, budget)
    elif count:
        message.groups = []
    else:
        raise Malformed
    message.require_stable, tags = _unpack_tB(buffer, position)
    position += 2
    message.group_id = ""
    message.topics = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_topic_v1(out: Pieces, message: OffsetFetchRequestTopic) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partition_indexes = message.partition_indexes
    count = len(partition_indexes)
    out.append(_pack_i(count))
    if len(partition_indexes) < TABLE_SIZE:
        out.append(PACK_INT32[len(partition_indexes)](*partition_indexes))
    else:
        out.append(pack_many("i", partition_indexes))
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: OffsetFetchRequest) -> None:
    if len(message.groups) != 0:
        raise Malformed
    if message.require_stable:
        raise Malformed
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    topics = message.topics
    if topics is None:
        raise Malformed
    count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        _write_topic_v1(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: Pieces, message: OffsetFetchRequest) -> None:
    if len(message.groups) != 0:
        raise Malformed
    if message.require_stable:
        raise Malformed
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    topics = message.topics
    if topics is None:
        topics = EMPTY
        count = -1
    else:
        count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        _write_topic_v1(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _write_topic_v6(out: Pieces, message: OffsetFetchRequestTopic) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    partition_indexes = message.partition_indexes
    count = len(partition_indexes) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(partition_indexes) < TABLE_SIZE:
        out.append(PACK_INT32[len(partition_indexes)](*partition_indexes))
    else:
        out.append(pack_many("i", partition_indexes))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v6(out: Pieces, message: OffsetFetchRequest) -> None:
    if len(message.groups) != 0:
        raise Malformed
    if message.require_stable:
        raise Malformed
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
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
        _write_topic_v6(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v7(out: Pieces, message: OffsetFetchRequest) -> None:
    if len(message.groups) != 0:
        raise Malformed
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
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
        _write_topic_v6(out, topics_item)
    if message.unknown_tags:
        out.append(_pack_t(message.require_stable))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_tB(message.require_stable, 0))


def _write_topics_v8(out: Pieces, message: OffsetFetchRequestTopics) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    partition_indexes = message.partition_indexes
    count = len(partition_indexes) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(partition_indexes) < TABLE_SIZE:
        out.append(PACK_INT32[len(partition_indexes)](*partition_indexes))
    else:
        out.append(pack_many("i", partition_indexes))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_group_v8(out: Pieces, message: OffsetFetchRequestGroup) -> None:
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
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
        _write_topics_v8(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v8(out: Pieces, message: OffsetFetchRequest) -> None:
    if message.group_id != "":
        raise Malformed
    if message.topics is None or len(message.topics) != 0:
        raise Malformed
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for groups_item in groups:
        _write_group_v8(out, groups_item)
    if message.unknown_tags:
        out.append(_pack_t(message.require_stable))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_tB(message.require_stable, 0))


def _write_group_v9(out: Pieces, message: OffsetFetchRequestGroup) -> None:
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    member_id = message.member_id
    if member_id is None:
        data = b""
        length = 0
    else:
        data = member_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topics = message.topics
    if topics is None:
        topics = EMPTY
        count = 0
    else:
        count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.member_epoch, count))
    else:
        out.append(_pack_i(message.member_epoch))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topics_v8(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v9(out: Pieces, message: OffsetFetchRequest) -> None:
    if message.group_id != "":
        raise Malformed
    if message.topics is None or len(message.topics) != 0:
        raise Malformed
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for groups_item in groups:
        _write_group_v9(out, groups_item)
    if message.unknown_tags:
        out.append(_pack_t(message.require_stable))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_tB(message.require_stable, 0))


def _write_topics_v10(out: Pieces, message: OffsetFetchRequestTopics) -> None:
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    partition_indexes = message.partition_indexes
    count = len(partition_indexes) + 1
    if count < 128:
        out.append(_pack_uB(topic_id, count))
    else:
        out.append(topic_id)
        out.append(pack_length(count))
    if len(partition_indexes) < TABLE_SIZE:
        out.append(PACK_INT32[len(partition_indexes)](*partition_indexes))
    else:
        out.append(pack_many("i", partition_indexes))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_group_v10(out: Pieces, message: OffsetFetchRequestGroup) -> None:
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    member_id = message.member_id
    if member_id is None:
        data = b""
        length = 0
    else:
        data = member_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topics = message.topics
    if topics is None:
        topics = EMPTY
        count = 0
    else:
        count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.member_epoch, count))
    else:
        out.append(_pack_i(message.member_epoch))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topics_v10(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v10(out: Pieces, message: OffsetFetchRequest) -> None:
    if message.group_id != "":
        raise Malformed
    if message.topics is None or len(message.topics) != 0:
        raise Malformed
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for groups_item in groups:
        _write_group_v10(out, groups_item)
    if message.unknown_tags:
        out.append(_pack_t(message.require_stable))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_tB(message.require_stable, 0))


_READERS = (
    _read_v1,
    _read_v2,
    _read_v2,
    _read_v2,
    _read_v2,
    _read_v6,
    _read_v7,
    _read_v8,
    _read_v9,
    _read_v10,
)

_WRITERS = (
    _write_v1,
    _write_v2,
    _write_v2,
    _write_v2,
    _write_v2,
    _write_v6,
    _write_v7,
    _write_v8,
    _write_v9,
    _write_v10,
)

_STEP_READERS = (
    _step_v1,
    _step_v2,
    _step_v2,
    _step_v2,
    _step_v2,
    _step_v6,
    _step_v7,
    _step_v8,
    _step_v9,
    _step_v10,
)


@cache
def _schema() -> MessageSchema:
    offset_fetch_request_topic_struct = StructSchema(
        python_class=OffsetFetchRequestTopic,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 7),
                default="",
            ),
            FieldSchema(
                name="PartitionIndexes",
                attribute="partition_indexes",
                type="int32",
                array=True,
                versions=(0, 7),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    offset_fetch_request_topics_struct = StructSchema(
        python_class=OffsetFetchRequestTopics,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(8, 9),
                default="",
                ignorable=True,
            ),
            FieldSchema(
                name="TopicId",
                attribute="topic_id",
                type="uuid",
                versions=(10, 32767),
                default=ZERO_UUID,
                ignorable=True,
            ),
            FieldSchema(
                name="PartitionIndexes",
                attribute="partition_indexes",
                type="int32",
                array=True,
                versions=(8, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    offset_fetch_request_group_struct = StructSchema(
        python_class=OffsetFetchRequestGroup,
        fields=(
            FieldSchema(
                name="GroupId",
                attribute="group_id",
                type="string",
                versions=(8, 32767),
                default="",
            ),
            FieldSchema(
                name="MemberId",
                attribute="member_id",
                type="string",
                versions=(9, 32767),
                nullable=(9, 32767),
                default=None,
                ignorable=True,
            ),
            FieldSchema(
                name="MemberEpoch",
                attribute="member_epoch",
                type="int32",
                versions=(9, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="OffsetFetchRequestTopics",
                struct=offset_fetch_request_topics_struct,
                array=True,
                versions=(8, 32767),
                nullable=(8, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    offset_fetch_request_struct = StructSchema(
        python_class=OffsetFetchRequest,
        fields=(
            FieldSchema(
                name="GroupId",
                attribute="group_id",
                type="string",
                versions=(0, 7),
                default="",
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="OffsetFetchRequestTopic",
                struct=offset_fetch_request_topic_struct,
                array=True,
                versions=(0, 7),
                nullable=(2, 7),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="Groups",
                attribute="groups",
                type="OffsetFetchRequestGroup",
                struct=offset_fetch_request_group_struct,
                array=True,
                versions=(8, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="RequireStable",
                attribute="require_stable",
                type="bool",
                versions=(7, 32767),
                default=False,
            ),
        ),
    )
    return MessageSchema(name="OffsetFetchRequest", flexible_from=6, root=offset_fetch_request_struct)
