"""ShareAcknowledgeRequest: versions 1-2, flexible from 0, api key 79.

Generated from api/ShareAcknowledgeRequest.json by codegen; change the schema, not this file.
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
_unpack_itB = struct.Struct(">i?B").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_qqB = struct.Struct(">qqB").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_i = struct.Struct(">i").pack
_pack_it = struct.Struct(">i?").pack
_pack_itB = struct.Struct(">i?B").pack
_pack_iB = struct.Struct(">iB").pack
_pack_qq = struct.Struct(">qq").pack
_pack_qqB = struct.Struct(">qqB").pack


class ShareAcknowledgeRequestAcknowledgementBatch(Struct):
    """AcknowledgementBatch of ShareAcknowledgeRequest."""

    __slots__ = ("first_offset", "last_offset", "acknowledge_types", "unknown_tags")

    first_offset: int
    """Versions 0+."""
    last_offset: int
    """Versions 0+."""
    acknowledge_types: list[int]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        first_offset: int = 0,
        last_offset: int = 0,
        acknowledge_types: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.acknowledge_types = [] if acknowledge_types is EMPTY else acknowledge_types
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareAcknowledgeRequestAcknowledgementBatch)
            and self.first_offset == other.first_offset
            and self.last_offset == other.last_offset
            and self.acknowledge_types == other.acknowledge_types
            and self.unknown_tags == other.unknown_tags
        )



class ShareAcknowledgeRequestAcknowledgePartition(Struct):
    """AcknowledgePartition of ShareAcknowledgeRequest."""

    __slots__ = ("partition_index", "acknowledgement_batches", "unknown_tags")

    partition_index: int
    """Versions 0+."""
    acknowledgement_batches: list[ShareAcknowledgeRequestAcknowledgementBatch]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        acknowledgement_batches: list[ShareAcknowledgeRequestAcknowledgementBatch] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.acknowledgement_batches = [] if acknowledgement_batches is EMPTY else acknowledgement_batches
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareAcknowledgeRequestAcknowledgePartition)
            and self.partition_index == other.partition_index
            and self.acknowledgement_batches == other.acknowledgement_batches
            and self.unknown_tags == other.unknown_tags
        )



class ShareAcknowledgeRequestAcknowledgeTopic(Struct):
    """AcknowledgeTopic of ShareAcknowledgeRequest."""

    __slots__ = ("topic_id", "partitions", "unknown_tags")

    topic_id: bytes
    """Versions 0+."""
    partitions: list[ShareAcknowledgeRequestAcknowledgePartition]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[ShareAcknowledgeRequestAcknowledgePartition] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareAcknowledgeRequestAcknowledgeTopic)
            and self.topic_id == other.topic_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class ShareAcknowledgeRequest(Message):
    """Request ShareAcknowledgeRequest."""

    __slots__ = (
        "group_id",
        "member_id",
        "share_session_epoch",
        "is_renew_ack",
        "topics",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "ShareAcknowledgeRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 79
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    AcknowledgementBatch: TypeAlias = ShareAcknowledgeRequestAcknowledgementBatch
    AcknowledgePartition: TypeAlias = ShareAcknowledgeRequestAcknowledgePartition
    AcknowledgeTopic: TypeAlias = ShareAcknowledgeRequestAcknowledgeTopic

    group_id: str | None
    """Versions 0+, null in 0+."""
    member_id: str | None
    """Versions 0+, null in 0+."""
    share_session_epoch: int
    """Versions 0+."""
    is_renew_ack: bool
    """Versions 2+."""
    topics: list[ShareAcknowledgeRequestAcknowledgeTopic]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        group_id: str | None = None,
        member_id: str | None = "",
        share_session_epoch: int = 0,
        is_renew_ack: bool = False,
        topics: list[ShareAcknowledgeRequestAcknowledgeTopic] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.share_session_epoch = share_session_epoch
        self.is_renew_ack = is_renew_ack
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareAcknowledgeRequest)
            and self.group_id == other.group_id
            and self.member_id == other.member_id
            and self.share_session_epoch == other.share_session_epoch
            and self.is_renew_ack == other.is_renew_ack
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ShareAcknowledgeRequest, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[ShareAcknowledgeRequest, int]] | None:
        read = _STEP_READERS[version - 1]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_acknowledgement_batch_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ShareAcknowledgeRequestAcknowledgementBatch], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ShareAcknowledgeRequestAcknowledgementBatch] = []
    for _ in range(size):
        message = ShareAcknowledgeRequestAcknowledgementBatch.__new__(
            ShareAcknowledgeRequestAcknowledgementBatch,
        )
        message.first_offset, message.last_offset, count = _unpack_qqB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        message.acknowledge_types = unpack_many("b", 1, count - 1, buffer, position)
        position += count * 1 - 1
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_acknowledgement_batch_v1(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[ShareAcknowledgeRequestAcknowledgementBatch], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ShareAcknowledgeRequestAcknowledgementBatch] = []
    for _ in range(size):
        message = ShareAcknowledgeRequestAcknowledgementBatch.__new__(
            ShareAcknowledgeRequestAcknowledgementBatch,
        )
        message.first_offset, message.last_offset, count = _unpack_qqB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "ShareAcknowledgeRequest.acknowledge_types")
        if not count:
            raise Malformed
        message.acknowledge_types = unpack_many("b", 1, count - 1, buffer, position)
        position += count * 1 - 1
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


def _read_many_acknowledge_partition_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ShareAcknowledgeRequestAcknowledgePartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ShareAcknowledgeRequestAcknowledgePartition] = []
    for _ in range(size):
        message = ShareAcknowledgeRequestAcknowledgePartition.__new__(
            ShareAcknowledgeRequestAcknowledgePartition,
        )
        message.partition_index, count = _unpack_iB(buffer, position)
        position += 5
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.acknowledgement_batches, position = _read_many_acknowledgement_batch_v1(buffer, position, count - 1)
        elif count:
            message.acknowledgement_batches = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_acknowledge_partition_v1(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[ShareAcknowledgeRequestAcknowledgePartition], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ShareAcknowledgeRequestAcknowledgePartition] = []
    for _ in range(size):
        message = ShareAcknowledgeRequestAcknowledgePartition.__new__(
            ShareAcknowledgeRequestAcknowledgePartition,
        )
        message.partition_index, count = _unpack_iB(buffer, position)
        position += 5
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "ShareAcknowledgeRequest.acknowledgement_batches")
        if count > 1:
            message.acknowledgement_batches, position = yield from _step_many_acknowledgement_batch_v1(buffer, position, count - 1, budget)
        elif count:
            message.acknowledgement_batches = []
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


def _read_many_acknowledge_topic_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ShareAcknowledgeRequestAcknowledgeTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ShareAcknowledgeRequestAcknowledgeTopic] = []
    for _ in range(size):
        message = ShareAcknowledgeRequestAcknowledgeTopic.__new__(ShareAcknowledgeRequestAcknowledgeTopic)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_acknowledge_partition_v1(buffer, position, count - 1)
        elif count:
            message.partitions = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_acknowledge_topic_v1(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[ShareAcknowledgeRequestAcknowledgeTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ShareAcknowledgeRequestAcknowledgeTopic] = []
    for _ in range(size):
        message = ShareAcknowledgeRequestAcknowledgeTopic.__new__(ShareAcknowledgeRequestAcknowledgeTopic)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "ShareAcknowledgeRequest.partitions")
        if count > 1:
            message.partitions, position = yield from _step_many_acknowledge_partition_v1(buffer, position, count - 1, budget)
        elif count:
            message.partitions = []
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


def _read_v1(buffer: Buffer, position: int) -> tuple[ShareAcknowledgeRequest, int]:
    message = ShareAcknowledgeRequest.__new__(ShareAcknowledgeRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.group_id = None
    else:
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
    message.share_session_epoch, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_acknowledge_topic_v1(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.is_renew_ack = False
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[ShareAcknowledgeRequest, int]]:
    message = ShareAcknowledgeRequest.__new__(ShareAcknowledgeRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.group_id = None
    else:
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
    message.share_session_epoch, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ShareAcknowledgeRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_acknowledge_topic_v1(buffer, position, count - 1, budget)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.is_renew_ack = False
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[ShareAcknowledgeRequest, int]:
    message = ShareAcknowledgeRequest.__new__(ShareAcknowledgeRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.group_id = None
    else:
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
    message.share_session_epoch, message.is_renew_ack, count = _unpack_itB(buffer, position)
    position += 6
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_acknowledge_topic_v1(buffer, position, count - 1)
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


def _step_v2(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[ShareAcknowledgeRequest, int]]:
    message = ShareAcknowledgeRequest.__new__(ShareAcknowledgeRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.group_id = None
    else:
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
    message.share_session_epoch, message.is_renew_ack, count = _unpack_itB(buffer, position)
    position += 6
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ShareAcknowledgeRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_acknowledge_topic_v1(buffer, position, count - 1, budget)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_acknowledgement_batch_v1(
    out: Pieces,
    message: ShareAcknowledgeRequestAcknowledgementBatch,
) -> None:
    acknowledge_types = message.acknowledge_types
    count = len(acknowledge_types) + 1
    if count < 128:
        out.append(_pack_qqB(message.first_offset, message.last_offset, count))
    else:
        out.append(_pack_qq(message.first_offset, message.last_offset))
        out.append(pack_length(count))
    out.append(pack_many("b", acknowledge_types))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_acknowledge_partition_v1(
    out: Pieces,
    message: ShareAcknowledgeRequestAcknowledgePartition,
) -> None:
    acknowledgement_batches = message.acknowledgement_batches
    count = len(acknowledgement_batches) + 1
    if count < 128:
        out.append(_pack_iB(message.partition_index, count))
    else:
        out.append(_pack_i(message.partition_index))
        out.append(pack_length(count))
    for acknowledgement_batches_item in acknowledgement_batches:
        _write_acknowledgement_batch_v1(out, acknowledgement_batches_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_acknowledge_topic_v1(out: Pieces, message: ShareAcknowledgeRequestAcknowledgeTopic) -> None:
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
    for partitions_item in partitions:
        _write_acknowledge_partition_v1(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: ShareAcknowledgeRequest) -> None:
    if message.is_renew_ack:
        raise Malformed
    group_id = message.group_id
    if group_id is None:
        data = b""
        length = 0
    else:
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
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.share_session_epoch, count))
    else:
        out.append(_pack_i(message.share_session_epoch))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_acknowledge_topic_v1(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v2(out: Pieces, message: ShareAcknowledgeRequest) -> None:
    group_id = message.group_id
    if group_id is None:
        data = b""
        length = 0
    else:
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
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_itB(message.share_session_epoch, message.is_renew_ack, count))
    else:
        out.append(_pack_it(message.share_session_epoch, message.is_renew_ack))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_acknowledge_topic_v1(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v1,
    _read_v2,
)

_WRITERS = (
    _write_v1,
    _write_v2,
)

_STEP_READERS = (
    _step_v1,
    _step_v2,
)


@cache
def _schema() -> MessageSchema:
    acknowledgement_batch_struct = StructSchema(
        python_class=ShareAcknowledgeRequestAcknowledgementBatch,
        fields=(
            FieldSchema(
                name="FirstOffset",
                attribute="first_offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LastOffset",
                attribute="last_offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="AcknowledgeTypes",
                attribute="acknowledge_types",
                type="int8",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    acknowledge_partition_struct = StructSchema(
        python_class=ShareAcknowledgeRequestAcknowledgePartition,
        fields=(
            FieldSchema(
                name="PartitionIndex",
                attribute="partition_index",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="AcknowledgementBatches",
                attribute="acknowledgement_batches",
                type="AcknowledgementBatch",
                struct=acknowledgement_batch_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    acknowledge_topic_struct = StructSchema(
        python_class=ShareAcknowledgeRequestAcknowledgeTopic,
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
                type="AcknowledgePartition",
                struct=acknowledge_partition_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    share_acknowledge_request_struct = StructSchema(
        python_class=ShareAcknowledgeRequest,
        fields=(
            FieldSchema(
                name="GroupId",
                attribute="group_id",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="MemberId",
                attribute="member_id",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="ShareSessionEpoch",
                attribute="share_session_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="IsRenewAck",
                attribute="is_renew_ack",
                type="bool",
                versions=(2, 32767),
                default=False,
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="AcknowledgeTopic",
                struct=acknowledge_topic_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="ShareAcknowledgeRequest",
        flexible_from=0,
        root=share_acknowledge_request_struct,
    )
