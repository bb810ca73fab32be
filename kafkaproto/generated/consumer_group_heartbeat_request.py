"""ConsumerGroupHeartbeatRequest: versions 0-1, flexible from 0, api key 68.

Generated from api/ConsumerGroupHeartbeatRequest.json by codegen; change the schema, not this file.
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
_unpack_iB = struct.Struct(">iB").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack


class ConsumerGroupHeartbeatRequestTopicPartitions(Struct):
    """TopicPartitions of ConsumerGroupHeartbeatRequest."""

    __slots__ = ("topic_id", "partitions", "unknown_tags")

    topic_id: bytes
    """Versions 0+."""
    partitions: list[int]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ConsumerGroupHeartbeatRequestTopicPartitions)
            and self.topic_id == other.topic_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class ConsumerGroupHeartbeatRequest(Message):
    """Request ConsumerGroupHeartbeatRequest."""

    __slots__ = (
        "group_id",
        "member_id",
        "member_epoch",
        "instance_id",
        "rack_id",
        "rebalance_timeout_ms",
        "subscribed_topic_names",
        "subscribed_topic_regex",
        "server_assignor",
        "topic_partitions",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "ConsumerGroupHeartbeatRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 68
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    TopicPartitions: TypeAlias = ConsumerGroupHeartbeatRequestTopicPartitions

    group_id: str
    """Versions 0+."""
    member_id: str
    """Versions 0+."""
    member_epoch: int
    """Versions 0+."""
    instance_id: str | None
    """Versions 0+, null in 0+."""
    rack_id: str | None
    """Versions 0+, null in 0+."""
    rebalance_timeout_ms: int
    """Versions 0+."""
    subscribed_topic_names: list[str] | None
    """Versions 0+, null in 0+."""
    subscribed_topic_regex: str | None
    """Versions 1+, null in 1+."""
    server_assignor: str | None
    """Versions 0+, null in 0+."""
    topic_partitions: list[ConsumerGroupHeartbeatRequestTopicPartitions] | None
    """Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
        member_epoch: int = 0,
        instance_id: str | None = None,
        rack_id: str | None = None,
        rebalance_timeout_ms: int = -1,
        subscribed_topic_names: list[str] | None = None,
        subscribed_topic_regex: str | None = None,
        server_assignor: str | None = None,
        topic_partitions: list[ConsumerGroupHeartbeatRequestTopicPartitions] | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.subscribed_topic_names = subscribed_topic_names
        self.subscribed_topic_regex = subscribed_topic_regex
        self.server_assignor = server_assignor
        self.topic_partitions = topic_partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ConsumerGroupHeartbeatRequest)
            and self.group_id == other.group_id
            and self.member_id == other.member_id
            and self.member_epoch == other.member_epoch
            and self.instance_id == other.instance_id
            and self.rack_id == other.rack_id
            and self.rebalance_timeout_ms == other.rebalance_timeout_ms
            and self.subscribed_topic_names == other.subscribed_topic_names
            and self.subscribed_topic_regex == other.subscribed_topic_regex
            and self.server_assignor == other.server_assignor
            and self.topic_partitions == other.topic_partitions
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ConsumerGroupHeartbeatRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[ConsumerGroupHeartbeatRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_topic_partitions_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ConsumerGroupHeartbeatRequestTopicPartitions], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ConsumerGroupHeartbeatRequestTopicPartitions] = []
    for _ in range(size):
        message = ConsumerGroupHeartbeatRequestTopicPartitions.__new__(
            ConsumerGroupHeartbeatRequestTopicPartitions,
        )
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.partitions = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.partitions = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_topic_partitions_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[ConsumerGroupHeartbeatRequestTopicPartitions], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ConsumerGroupHeartbeatRequestTopicPartitions] = []
    for _ in range(size):
        message = ConsumerGroupHeartbeatRequestTopicPartitions.__new__(
            ConsumerGroupHeartbeatRequestTopicPartitions,
        )
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "ConsumerGroupHeartbeatRequest.partitions")
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.partitions = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.partitions = unpack_many("i", 4, count - 1, buffer, position)
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


def _read_v0(buffer: Buffer, position: int) -> tuple[ConsumerGroupHeartbeatRequest, int]:
    message = ConsumerGroupHeartbeatRequest.__new__(ConsumerGroupHeartbeatRequest)
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
        raise Malformed
    end = position + length - 1
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    message.member_epoch, length = _unpack_iB(buffer, position)
    position += 5
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.instance_id = None
    else:
        end = position + length - 1
        message.instance_id = str(buffer[position:end], "utf-8")
        position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.rack_id = None
    else:
        end = position + length - 1
        message.rack_id = str(buffer[position:end], "utf-8")
        position = end
    message.rebalance_timeout_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        message.subscribed_topic_names = None
    else:
        subscribed_topic_names: list[str] = []
        message.subscribed_topic_names = subscribed_topic_names
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
            subscribed_topic_names_item = str(buffer[position:end], "utf-8")
            position = end
            subscribed_topic_names.append(subscribed_topic_names_item)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.server_assignor = None
    else:
        end = position + length - 1
        message.server_assignor = str(buffer[position:end], "utf-8")
        position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topic_partitions, position = _read_many_topic_partitions_v0(buffer, position, count - 1)
    elif count:
        message.topic_partitions = []
    else:
        message.topic_partitions = None
    tags = buffer[position]
    position += 1
    message.subscribed_topic_regex = None
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v0(
    buffer: Buffer,
    position: int,
    budget: Budget,
) -> Steps[tuple[ConsumerGroupHeartbeatRequest, int]]:
    message = ConsumerGroupHeartbeatRequest.__new__(ConsumerGroupHeartbeatRequest)
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
        raise Malformed
    end = position + length - 1
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    message.member_epoch, length = _unpack_iB(buffer, position)
    position += 5
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.instance_id = None
    else:
        end = position + length - 1
        message.instance_id = str(buffer[position:end], "utf-8")
        position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.rack_id = None
    else:
        end = position + length - 1
        message.rack_id = str(buffer[position:end], "utf-8")
        position = end
    message.rebalance_timeout_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ConsumerGroupHeartbeatRequest.subscribed_topic_names")
    if not count:
        message.subscribed_topic_names = None
    else:
        subscribed_topic_names: list[str] = []
        message.subscribed_topic_names = subscribed_topic_names
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
            subscribed_topic_names_item = str(buffer[position:end], "utf-8")
            position = end
            subscribed_topic_names.append(subscribed_topic_names_item)
            yield
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.server_assignor = None
    else:
        end = position + length - 1
        message.server_assignor = str(buffer[position:end], "utf-8")
        position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ConsumerGroupHeartbeatRequest.topic_partitions")
    if count > 1:
        message.topic_partitions, position = yield from _step_many_topic_partitions_v0(buffer, position, count - 1, budget)
    elif count:
        message.topic_partitions = []
    else:
        message.topic_partitions = None
    tags = buffer[position]
    position += 1
    message.subscribed_topic_regex = None
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[ConsumerGroupHeartbeatRequest, int]:
    message = ConsumerGroupHeartbeatRequest.__new__(ConsumerGroupHeartbeatRequest)
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
        raise Malformed
    end = position + length - 1
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    message.member_epoch, length = _unpack_iB(buffer, position)
    position += 5
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.instance_id = None
    else:
        end = position + length - 1
        message.instance_id = str(buffer[position:end], "utf-8")
        position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.rack_id = None
    else:
        end = position + length - 1
        message.rack_id = str(buffer[position:end], "utf-8")
        position = end
    message.rebalance_timeout_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        message.subscribed_topic_names = None
    else:
        subscribed_topic_names: list[str] = []
        message.subscribed_topic_names = subscribed_topic_names
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
            subscribed_topic_names_item = str(buffer[position:end], "utf-8")
            position = end
            subscribed_topic_names.append(subscribed_topic_names_item)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.subscribed_topic_regex = None
    else:
        end = position + length - 1
        message.subscribed_topic_regex = str(buffer[position:end], "utf-8")
        position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.server_assignor = None
    else:
        end = position + length - 1
        message.server_assignor = str(buffer[position:end], "utf-8")
        position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topic_partitions, position = _read_many_topic_partitions_v0(buffer, position, count - 1)
    elif count:
        message.topic_partitions = []
    else:
        message.topic_partitions = None
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v1(
    buffer: Buffer,
    position: int,
    budget: Budget,
) -> Steps[tuple[ConsumerGroupHeartbeatRequest, int]]:
    message = ConsumerGroupHeartbeatRequest.__new__(ConsumerGroupHeartbeatRequest)
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
        raise Malformed
    end = position + length - 1
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    message.member_epoch, length = _unpack_iB(buffer, position)
    position += 5
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.instance_id = None
    else:
        end = position + length - 1
        message.instance_id = str(buffer[position:end], "utf-8")
        position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.rack_id = None
    else:
        end = position + length - 1
        message.rack_id = str(buffer[position:end], "utf-8")
        position = end
    message.rebalance_timeout_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ConsumerGroupHeartbeatRequest.subscribed_topic_names")
    if not count:
        message.subscribed_topic_names = None
    else:
        subscribed_topic_names: list[str] = []
        message.subscribed_topic_names = subscribed_topic_names
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
            subscribed_topic_names_item = str(buffer[position:end], "utf-8")
            position = end
            subscribed_topic_names.append(subscribed_topic_names_item)
            yield
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.subscribed_topic_regex = None
    else:
        end = position + length - 1
        message.subscribed_topic_regex = str(buffer[position:end], "utf-8")
        position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.server_assignor = None
    else:
        end = position + length - 1
        message.server_assignor = str(buffer[position:end], "utf-8")
        position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ConsumerGroupHeartbeatRequest.topic_partitions")
    if count > 1:
        message.topic_partitions, position = yield from _step_many_topic_partitions_v0(buffer, position, count - 1, budget)
    elif count:
        message.topic_partitions = []
    else:
        message.topic_partitions = None
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_topic_partitions_v0(out: Pieces, message: ConsumerGroupHeartbeatRequestTopicPartitions) -> None:
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    partitions = message.partitions
    count = len(partitions) + 1
    if count < 128:
        out.append(_pack_uB(topic_id, count))
    else:
        out.append(topic_id)
        out.append(pack_length(count))
    if len(partitions) < TABLE_SIZE:
        out.append(PACK_INT32[len(partitions)](*partitions))
    else:
        out.append(pack_many("i", partitions))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: ConsumerGroupHeartbeatRequest) -> None:
    if message.subscribed_topic_regex is not None:
        raise Malformed
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    instance_id = message.instance_id
    if instance_id is None:
        data = b""
        length = 0
    else:
        data = instance_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_iB(message.member_epoch, length))
    else:
        out.append(_pack_i(message.member_epoch))
        out.append(pack_string_length(length))
    out.append(data)
    rack_id = message.rack_id
    if rack_id is None:
        data = b""
        length = 0
    else:
        data = rack_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    subscribed_topic_names = message.subscribed_topic_names
    if subscribed_topic_names is None:
        subscribed_topic_names = EMPTY
        count = 0
    else:
        count = len(subscribed_topic_names) + 1
    if count < 128:
        out.append(_pack_iB(message.rebalance_timeout_ms, count))
    else:
        out.append(_pack_i(message.rebalance_timeout_ms))
        out.append(pack_length(count))
    for subscribed_topic_names_item in subscribed_topic_names:
        data = subscribed_topic_names_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
    server_assignor = message.server_assignor
    if server_assignor is None:
        data = b""
        length = 0
    else:
        data = server_assignor.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topic_partitions = message.topic_partitions
    if topic_partitions is None:
        topic_partitions = EMPTY
        count = 0
    else:
        count = len(topic_partitions) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topic_partitions_item in topic_partitions:
        _write_topic_partitions_v0(out, topic_partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: ConsumerGroupHeartbeatRequest) -> None:
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    instance_id = message.instance_id
    if instance_id is None:
        data = b""
        length = 0
    else:
        data = instance_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_iB(message.member_epoch, length))
    else:
        out.append(_pack_i(message.member_epoch))
        out.append(pack_string_length(length))
    out.append(data)
    rack_id = message.rack_id
    if rack_id is None:
        data = b""
        length = 0
    else:
        data = rack_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    subscribed_topic_names = message.subscribed_topic_names
    if subscribed_topic_names is None:
        subscribed_topic_names = EMPTY
        count = 0
    else:
        count = len(subscribed_topic_names) + 1
    if count < 128:
        out.append(_pack_iB(message.rebalance_timeout_ms, count))
    else:
        out.append(_pack_i(message.rebalance_timeout_ms))
        out.append(pack_length(count))
    for subscribed_topic_names_item in subscribed_topic_names:
        data = subscribed_topic_names_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
    subscribed_topic_regex = message.subscribed_topic_regex
    if subscribed_topic_regex is None:
        data = b""
        length = 0
    else:
        data = subscribed_topic_regex.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    server_assignor = message.server_assignor
    if server_assignor is None:
        data = b""
        length = 0
    else:
        data = server_assignor.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topic_partitions = message.topic_partitions
    if topic_partitions is None:
        topic_partitions = EMPTY
        count = 0
    else:
        count = len(topic_partitions) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topic_partitions_item in topic_partitions:
        _write_topic_partitions_v0(out, topic_partitions_item)
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

_STEP_READERS = (
    _step_v0,
    _step_v1,
)


@cache
def _schema() -> MessageSchema:
    topic_partitions_struct = StructSchema(
        python_class=ConsumerGroupHeartbeatRequestTopicPartitions,
        fields=(
            FieldSchema(
                name="TopicId",
                attribute="topic_id",
                type="uuid",
                versions=(0, 32767),
                default=ZERO_UUID,
            ),
            FieldSchema(
                name="Partitions",
                attribute="partitions",
                type="int32",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    consumer_group_heartbeat_request_struct = StructSchema(
        python_class=ConsumerGroupHeartbeatRequest,
        fields=(
            FieldSchema(
                name="GroupId",
                attribute="group_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="MemberId",
                attribute="member_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="MemberEpoch",
                attribute="member_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="InstanceId",
                attribute="instance_id",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="RackId",
                attribute="rack_id",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="RebalanceTimeoutMs",
                attribute="rebalance_timeout_ms",
                type="int32",
                versions=(0, 32767),
                default=-1,
            ),
            FieldSchema(
                name="SubscribedTopicNames",
                attribute="subscribed_topic_names",
                type="string",
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="SubscribedTopicRegex",
                attribute="subscribed_topic_regex",
                type="string",
                versions=(1, 32767),
                nullable=(1, 32767),
                default=None,
            ),
            FieldSchema(
                name="ServerAssignor",
                attribute="server_assignor",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="TopicPartitions",
                attribute="topic_partitions",
                type="TopicPartitions",
                struct=topic_partitions_struct,
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
        ),
    )
    return MessageSchema(
        name="ConsumerGroupHeartbeatRequest",
        flexible_from=0,
        root=consumer_group_heartbeat_request_struct,
    )
