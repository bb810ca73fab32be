"""ConsumerProtocolSubscription: versions 0-3, never flexible.

Generated from group/ConsumerProtocolSubscription.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    EMPTY,
    PACK_INT32,
    TABLE_SIZE,
    UNPACK_INT32,
    Buffer,
    Buffers,
    Malformed,
    Pieces,
    pack_many,
    unpack_many,
)

_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_ih = struct.Struct(">ih").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_ih = struct.Struct(">ih").pack


class ConsumerProtocolSubscriptionTopicPartition(Struct):
    """TopicPartition of ConsumerProtocolSubscription."""

    __slots__ = ("topic", "partitions", "unknown_tags")

    topic: str
    """Versions 1+."""
    partitions: list[int]
    """Versions 1+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic: str = "",
        partitions: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic = topic
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ConsumerProtocolSubscriptionTopicPartition)
            and self.topic == other.topic
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class ConsumerProtocolSubscription(Message):
    """Data ConsumerProtocolSubscription."""

    __slots__ = ("topics", "user_data", "owned_partitions", "generation_id", "rack_id", "unknown_tags")

    NAME: ClassVar[str] = "ConsumerProtocolSubscription"
    TYPE: ClassVar[str] = "data"
    API_KEY: ClassVar[int | None] = None
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int | None] = None
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    TopicPartition: TypeAlias = ConsumerProtocolSubscriptionTopicPartition

    topics: list[str]
    """Versions 0+."""
    user_data: Buffers | None
    """Versions 0+, null in 0+."""
    owned_partitions: list[ConsumerProtocolSubscriptionTopicPartition]
    """Versions 1+, dropped where a version lacks it."""
    generation_id: int
    """Versions 2+, dropped where a version lacks it."""
    rack_id: str | None
    """Versions 3+, null in 3+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topics: list[str] = EMPTY,
        user_data: Buffers | None = None,
        owned_partitions: list[ConsumerProtocolSubscriptionTopicPartition] = EMPTY,
        generation_id: int = -1,
        rack_id: str | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topics = [] if topics is EMPTY else topics
        self.user_data = user_data
        self.owned_partitions = [] if owned_partitions is EMPTY else owned_partitions
        self.generation_id = generation_id
        self.rack_id = rack_id
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ConsumerProtocolSubscription)
            and self.topics == other.topics
            and self.user_data == other.user_data
            and self.owned_partitions == other.owned_partitions
            and self.generation_id == other.generation_id
            and self.rack_id == other.rack_id
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ConsumerProtocolSubscription, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[ConsumerProtocolSubscription, int]:
    view = memoryview(buffer)
    message = ConsumerProtocolSubscription.__new__(ConsumerProtocolSubscription)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count < 0:
        raise Malformed
    topics: list[str] = []
    message.topics = topics
    if count > len(buffer) - position:
        raise Malformed
    for _ in range(count):
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        topics_item = str(buffer[position:end], "utf-8")
        position = end
        topics.append(topics_item)
    (length,) = _unpack_i(buffer, position)
    position += 4
    if length < 0:
        message.user_data = None
    else:
        end = position + length
        message.user_data = view[position:end]
        position = end
    message.owned_partitions = []
    message.generation_id = -1
    message.rack_id = None
    message.unknown_tags = None
    return message, position


def _read_many_topic_partition_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ConsumerProtocolSubscriptionTopicPartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ConsumerProtocolSubscriptionTopicPartition] = []
    for _ in range(size):
        message = ConsumerProtocolSubscriptionTopicPartition.__new__(
            ConsumerProtocolSubscriptionTopicPartition,
        )
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.topic = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count < 0:
            raise Malformed
        if count < TABLE_SIZE:
            message.partitions = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.partitions = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[ConsumerProtocolSubscription, int]:
    view = memoryview(buffer)
    message = ConsumerProtocolSubscription.__new__(ConsumerProtocolSubscription)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count < 0:
        raise Malformed
    topics: list[str] = []
    message.topics = topics
    if count > len(buffer) - position:
        raise Malformed
    for _ in range(count):
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        topics_item = str(buffer[position:end], "utf-8")
        position = end
        topics.append(topics_item)
    (length,) = _unpack_i(buffer, position)
    position += 4
    if length < 0:
        message.user_data = None
    else:
        end = position + length
        message.user_data = view[position:end]
        position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.owned_partitions, position = _read_many_topic_partition_v1(buffer, position, count)
    elif not count:
        message.owned_partitions = []
    else:
        raise Malformed
    message.generation_id = -1
    message.rack_id = None
    message.unknown_tags = None
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[ConsumerProtocolSubscription, int]:
    view = memoryview(buffer)
    message = ConsumerProtocolSubscription.__new__(ConsumerProtocolSubscription)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count < 0:
        raise Malformed
    topics: list[str] = []
    message.topics = topics
    if count > len(buffer) - position:
        raise Malformed
    for _ in range(count):
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        topics_item = str(buffer[position:end], "utf-8")
        position = end
        topics.append(topics_item)
    (length,) = _unpack_i(buffer, position)
    position += 4
    if length < 0:
        message.user_data = None
    else:
        end = position + length
        message.user_data = view[position:end]
        position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.owned_partitions, position = _read_many_topic_partition_v1(buffer, position, count)
    elif not count:
        message.owned_partitions = []
    else:
        raise Malformed
    (message.generation_id,) = _unpack_i(buffer, position)
    position += 4
    message.rack_id = None
    message.unknown_tags = None
    return message, position


def _read_v3(buffer: Buffer, position: int) -> tuple[ConsumerProtocolSubscription, int]:
    view = memoryview(buffer)
    message = ConsumerProtocolSubscription.__new__(ConsumerProtocolSubscription)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count < 0:
        raise Malformed
    topics: list[str] = []
    message.topics = topics
    if count > len(buffer) - position:
        raise Malformed
    for _ in range(count):
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        topics_item = str(buffer[position:end], "utf-8")
        position = end
        topics.append(topics_item)
    (length,) = _unpack_i(buffer, position)
    position += 4
    if length < 0:
        message.user_data = None
    else:
        end = position + length
        message.user_data = view[position:end]
        position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.owned_partitions, position = _read_many_topic_partition_v1(buffer, position, count)
    elif not count:
        message.owned_partitions = []
    else:
        raise Malformed
    message.generation_id, length = _unpack_ih(buffer, position)
    position += 6
    if length < 0:
        message.rack_id = None
    else:
        end = position + length
        message.rack_id = str(buffer[position:end], "utf-8")
        position = end
    message.unknown_tags = None
    return message, position


def _write_v0(out: Pieces, message: ConsumerProtocolSubscription) -> None:
    topics = message.topics
    count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        data = topics_item.encode()
        length = len(data)
        out.append(_pack_h(length))
        out.append(data)
    user_data = message.user_data
    if user_data is None:
        user_data = b""
        length = -1
    else:
        length = sum(map(len, user_data)) if isinstance(user_data, list) else len(user_data)
    out.append(_pack_i(length))
    if isinstance(user_data, list):
        out.extend(user_data)
    else:
        out.append(user_data)
    if message.unknown_tags:
        raise Malformed


def _write_topic_partition_v1(out: Pieces, message: ConsumerProtocolSubscriptionTopicPartition) -> None:
    topic = message.topic
    data = topic.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    if len(partitions) < TABLE_SIZE:
        out.append(PACK_INT32[len(partitions)](*partitions))
    else:
        out.append(pack_many("i", partitions))
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: ConsumerProtocolSubscription) -> None:
    topics = message.topics
    count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        data = topics_item.encode()
        length = len(data)
        out.append(_pack_h(length))
        out.append(data)
    user_data = message.user_data
    if user_data is None:
        user_data = b""
        length = -1
    else:
        length = sum(map(len, user_data)) if isinstance(user_data, list) else len(user_data)
    out.append(_pack_i(length))
    if isinstance(user_data, list):
        out.extend(user_data)
    else:
        out.append(user_data)
    owned_partitions = message.owned_partitions
    count = len(owned_partitions)
    out.append(_pack_i(count))
    for owned_partitions_item in owned_partitions:
        _write_topic_partition_v1(out, owned_partitions_item)
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: Pieces, message: ConsumerProtocolSubscription) -> None:
    topics = message.topics
    count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        data = topics_item.encode()
        length = len(data)
        out.append(_pack_h(length))
        out.append(data)
    user_data = message.user_data
    if user_data is None:
        user_data = b""
        length = -1
    else:
        length = sum(map(len, user_data)) if isinstance(user_data, list) else len(user_data)
    out.append(_pack_i(length))
    if isinstance(user_data, list):
        out.extend(user_data)
    else:
        out.append(user_data)
    owned_partitions = message.owned_partitions
    count = len(owned_partitions)
    out.append(_pack_i(count))
    for owned_partitions_item in owned_partitions:
        _write_topic_partition_v1(out, owned_partitions_item)
    out.append(_pack_i(message.generation_id))
    if message.unknown_tags:
        raise Malformed


def _write_v3(out: Pieces, message: ConsumerProtocolSubscription) -> None:
    topics = message.topics
    count = len(topics)
    out.append(_pack_i(count))
    for topics_item in topics:
        data = topics_item.encode()
        length = len(data)
        out.append(_pack_h(length))
        out.append(data)
    user_data = message.user_data
    if user_data is None:
        user_data = b""
        length = -1
    else:
        length = sum(map(len, user_data)) if isinstance(user_data, list) else len(user_data)
    out.append(_pack_i(length))
    if isinstance(user_data, list):
        out.extend(user_data)
    else:
        out.append(user_data)
    owned_partitions = message.owned_partitions
    count = len(owned_partitions)
    out.append(_pack_i(count))
    for owned_partitions_item in owned_partitions:
        _write_topic_partition_v1(out, owned_partitions_item)
    rack_id = message.rack_id
    if rack_id is None:
        data = b""
        length = -1
    else:
        data = rack_id.encode()
        length = len(data)
    out.append(_pack_ih(message.generation_id, length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


_READERS = (
    _read_v0,
    _read_v1,
    _read_v2,
    _read_v3,
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v2,
    _write_v3,
)


@cache
def _schema() -> MessageSchema:
    topic_partition_struct = StructSchema(
        python_class=ConsumerProtocolSubscriptionTopicPartition,
        fields=(
            FieldSchema(
                name="Topic",
                attribute="topic",
                type="string",
                versions=(1, 32767),
                default="",
            ),
            FieldSchema(
                name="Partitions",
                attribute="partitions",
                type="int32",
                array=True,
                versions=(1, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    consumer_protocol_subscription_struct = StructSchema(
        python_class=ConsumerProtocolSubscription,
        fields=(
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="string",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="UserData",
                attribute="user_data",
                type="bytes",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
                zero_copy=True,
            ),
            FieldSchema(
                name="OwnedPartitions",
                attribute="owned_partitions",
                type="TopicPartition",
                struct=topic_partition_struct,
                array=True,
                versions=(1, 32767),
                default=Default.EMPTY_ARRAY,
                ignorable=True,
            ),
            FieldSchema(
                name="GenerationId",
                attribute="generation_id",
                type="int32",
                versions=(2, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="RackId",
                attribute="rack_id",
                type="string",
                versions=(3, 32767),
                nullable=(3, 32767),
                default=None,
                ignorable=True,
            ),
        ),
    )
    return MessageSchema(
        name="ConsumerProtocolSubscription",
        flexible_from=None,
        root=consumer_protocol_subscription_struct,
    )
