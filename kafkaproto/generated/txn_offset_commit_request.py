"""TxnOffsetCommitRequest: versions 0-6, flexible from 3, api key 28.

Generated from api/TxnOffsetCommitRequest.json by codegen; change the schema, not this file.
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
_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iqh = struct.Struct(">iqh").unpack_from
_unpack_iqiB = struct.Struct(">iqiB").unpack_from
_unpack_iqih = struct.Struct(">iqih").unpack_from
_unpack_qhi = struct.Struct(">qhi").unpack_from
_unpack_qhiB = struct.Struct(">qhiB").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_iqh = struct.Struct(">iqh").pack
_pack_iqi = struct.Struct(">iqi").pack
_pack_iqiB = struct.Struct(">iqiB").pack
_pack_iqih = struct.Struct(">iqih").pack
_pack_qhi = struct.Struct(">qhi").pack
_pack_qhiB = struct.Struct(">qhiB").pack


class TxnOffsetCommitRequestPartition(Struct):
    """TxnOffsetCommitRequestPartition of TxnOffsetCommitRequest."""

    __slots__ = (
        "partition_index",
        "committed_offset",
        "committed_leader_epoch",
        "committed_metadata",
        "unknown_tags",
    )

    partition_index: int
    """Versions 0+."""
    committed_offset: int
    """Versions 0+."""
    committed_leader_epoch: int
    """Versions 2+, dropped where a version lacks it."""
    committed_metadata: str | None
    """Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        committed_offset: int = 0,
        committed_leader_epoch: int = -1,
        committed_metadata: str | None = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.committed_metadata = committed_metadata
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TxnOffsetCommitRequestPartition)
            and self.partition_index == other.partition_index
            and self.committed_offset == other.committed_offset
            and self.committed_leader_epoch == other.committed_leader_epoch
            and self.committed_metadata == other.committed_metadata
            and self.unknown_tags == other.unknown_tags
        )



class TxnOffsetCommitRequestTopic(Struct):
    """TxnOffsetCommitRequestTopic of TxnOffsetCommitRequest."""

    __slots__ = ("name", "topic_id", "partitions", "unknown_tags")

    name: str
    """Versions 0-5, dropped where a version lacks it."""
    topic_id: bytes
    """Versions 6+, dropped where a version lacks it."""
    partitions: list[TxnOffsetCommitRequestPartition]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: list[TxnOffsetCommitRequestPartition] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TxnOffsetCommitRequestTopic)
            and self.name == other.name
            and self.topic_id == other.topic_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class TxnOffsetCommitRequest(Message):
    """Request TxnOffsetCommitRequest."""

    __slots__ = (
        "transactional_id",
        "group_id",
        "producer_id",
        "producer_epoch",
        "generation_id_or_member_epoch",
        "member_id",
        "group_instance_id",
        "topics",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "TxnOffsetCommitRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 28
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 6
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    Partition: TypeAlias = TxnOffsetCommitRequestPartition
    Topic: TypeAlias = TxnOffsetCommitRequestTopic

    transactional_id: str
    """Versions 0+."""
    group_id: str
    """Versions 0+."""
    producer_id: int
    """Versions 0+."""
    producer_epoch: int
    """Versions 0+."""
    generation_id_or_member_epoch: int
    """Versions 3+."""
    member_id: str
    """Versions 3+."""
    group_instance_id: str | None
    """Versions 3+, null in 3+."""
    topics: list[TxnOffsetCommitRequestTopic]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        transactional_id: str = "",
        group_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        generation_id_or_member_epoch: int = -1,
        member_id: str = "",
        group_instance_id: str | None = None,
        topics: list[TxnOffsetCommitRequestTopic] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.transactional_id = transactional_id
        self.group_id = group_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.generation_id_or_member_epoch = generation_id_or_member_epoch
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TxnOffsetCommitRequest)
            and self.transactional_id == other.transactional_id
            and self.group_id == other.group_id
            and self.producer_id == other.producer_id
            and self.producer_epoch == other.producer_epoch
            and self.generation_id_or_member_epoch == other.generation_id_or_member_epoch
            and self.member_id == other.member_id
            and self.group_instance_id == other.group_instance_id
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[TxnOffsetCommitRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[TxnOffsetCommitRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_partition_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[TxnOffsetCommitRequestPartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[TxnOffsetCommitRequestPartition] = []
    for _ in range(size):
        message = TxnOffsetCommitRequestPartition.__new__(TxnOffsetCommitRequestPartition)
        message.partition_index, message.committed_offset, length = _unpack_iqh(buffer, position)
        position += 14
        if length < 0:
            message.committed_metadata = None
        else:
            end = position + length
            message.committed_metadata = str(buffer[position:end], "utf-8")
            position = end
        message.committed_leader_epoch = -1
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_topic_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[TxnOffsetCommitRequestTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[TxnOffsetCommitRequestTopic] = []
    for _ in range(size):
        message = TxnOffsetCommitRequestTopic.__new__(TxnOffsetCommitRequestTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.partitions, position = _read_many_partition_v0(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_topic_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[TxnOffsetCommitRequestTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[TxnOffsetCommitRequestTopic] = []
    for _ in range(size):
        message = TxnOffsetCommitRequestTopic.__new__(TxnOffsetCommitRequestTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "TxnOffsetCommitRequest.partitions")
        if count > 0:
            if count > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_partition_v0,
                    buffer,
                    position,
                    count,
                    budget,
                )
            else:
                message.partitions, position = _read_many_partition_v0(buffer, position, count)
                budget.take_tags(message.partitions)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[TxnOffsetCommitRequest, int]:
    message = TxnOffsetCommitRequest.__new__(TxnOffsetCommitRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.transactional_id = str(buffer[position:end], "utf-8")
    position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.producer_id, message.producer_epoch, count = _unpack_qhi(buffer, position)
    position += 14
    if count > 0:
        message.topics, position = _read_many_topic_v0(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.generation_id_or_member_epoch = -1
    message.member_id = ""
    message.group_instance_id = None
    message.unknown_tags = None
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[TxnOffsetCommitRequest, int]]:
    message = TxnOffsetCommitRequest.__new__(TxnOffsetCommitRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.transactional_id = str(buffer[position:end], "utf-8")
    position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.producer_id, message.producer_epoch, count = _unpack_qhi(buffer, position)
    position += 14
    budget.take(count, "TxnOffsetCommitRequest.topics")
    if count > 0:
        message.topics, position = yield from _step_many_topic_v0(buffer, position, count, budget)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.generation_id_or_member_epoch = -1
    message.member_id = ""
    message.group_instance_id = None
    message.unknown_tags = None
    return message, position


def _read_many_partition_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[TxnOffsetCommitRequestPartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[TxnOffsetCommitRequestPartition] = []
    for _ in range(size):
        message = TxnOffsetCommitRequestPartition.__new__(TxnOffsetCommitRequestPartition)
        (
            message.partition_index,
            message.committed_offset,
            message.committed_leader_epoch,
            length,
        ) = _unpack_iqih(buffer, position)
        position += 18
        if length < 0:
            message.committed_metadata = None
        else:
            end = position + length
            message.committed_metadata = str(buffer[position:end], "utf-8")
            position = end
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_topic_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[TxnOffsetCommitRequestTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[TxnOffsetCommitRequestTopic] = []
    for _ in range(size):
        message = TxnOffsetCommitRequestTopic.__new__(TxnOffsetCommitRequestTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.partitions, position = _read_many_partition_v2(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_topic_v2(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[TxnOffsetCommitRequestTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[TxnOffsetCommitRequestTopic] = []
    for _ in range(size):
        message = TxnOffsetCommitRequestTopic.__new__(TxnOffsetCommitRequestTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "TxnOffsetCommitRequest.partitions")
        if count > 0:
            if count > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_partition_v2,
                    buffer,
                    position,
                    count,
                    budget,
                )
            else:
                message.partitions, position = _read_many_partition_v2(buffer, position, count)
                budget.take_tags(message.partitions)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_v2(buffer: Buffer, position: int) -> tuple[TxnOffsetCommitRequest, int]:
    message = TxnOffsetCommitRequest.__new__(TxnOffsetCommitRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.transactional_id = str(buffer[position:end], "utf-8")
    position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.producer_id, message.producer_epoch, count = _unpack_qhi(buffer, position)
    position += 14
    if count > 0:
        message.topics, position = _read_many_topic_v2(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.generation_id_or_member_epoch = -1
    message.member_id = ""
    message.group_instance_id = None
    message.unknown_tags = None
    return message, position


def _step_v2(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[TxnOffsetCommitRequest, int]]:
    message = TxnOffsetCommitRequest.__new__(TxnOffsetCommitRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.transactional_id = str(buffer[position:end], "utf-8")
    position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    message.producer_id, message.producer_epoch, count = _unpack_qhi(buffer, position)
    position += 14
    budget.take(count, "TxnOffsetCommitRequest.topics")
    if count > 0:
        message.topics, position = yield from _step_many_topic_v2(buffer, position, count, budget)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.generation_id_or_member_epoch = -1
    message.member_id = ""
    message.group_instance_id = None
    message.unknown_tags = None
    return message, position


def _read_many_partition_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[TxnOffsetCommitRequestPartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[TxnOffsetCommitRequestPartition] = []
    for _ in range(size):
        message = TxnOffsetCommitRequestPartition.__new__(TxnOffsetCommitRequestPartition)
        (
            message.partition_index,
            message.committed_offset,
            message.committed_leader_epoch,
            length,
        ) = _unpack_iqiB(buffer, position)
        position += 17
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.committed_metadata = None
        else:
            end = position + length - 1
            message.committed_metadata = str(buffer[position:end], "utf-8")
            position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_topic_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[TxnOffsetCommitRequestTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[TxnOffsetCommitRequestTopic] = []
    for _ in range(size):
        message = TxnOffsetCommitRequestTopic.__new__(TxnOffsetCommitRequestTopic)
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
        if count > 1:
            message.partitions, position = _read_many_partition_v3(buffer, position, count - 1)
        elif count:
            message.partitions = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_topic_v3(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[TxnOffsetCommitRequestTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[TxnOffsetCommitRequestTopic] = []
    for _ in range(size):
        message = TxnOffsetCommitRequestTopic.__new__(TxnOffsetCommitRequestTopic)
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
        budget.take(count - 1, "TxnOffsetCommitRequest.partitions")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_partition_v3,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.partitions, position = _read_many_partition_v3(buffer, position, count - 1)
                budget.take_tags(message.partitions)
        elif count:
            message.partitions = []
        else:
            raise Malformed
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


def _read_v3(buffer: Buffer, position: int) -> tuple[TxnOffsetCommitRequest, int]:
    message = TxnOffsetCommitRequest.__new__(TxnOffsetCommitRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.transactional_id = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    (
        message.producer_id,
        message.producer_epoch,
        message.generation_id_or_member_epoch,
        length,
    ) = _unpack_qhiB(buffer, position)
    position += 15
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.group_instance_id = None
    else:
        end = position + length - 1
        message.group_instance_id = str(buffer[position:end], "utf-8")
        position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_v3(buffer, position, count - 1)
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


def _step_v3(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[TxnOffsetCommitRequest, int]]:
    message = TxnOffsetCommitRequest.__new__(TxnOffsetCommitRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.transactional_id = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    (
        message.producer_id,
        message.producer_epoch,
        message.generation_id_or_member_epoch,
        length,
    ) = _unpack_qhiB(buffer, position)
    position += 15
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.group_instance_id = None
    else:
        end = position + length - 1
        message.group_instance_id = str(buffer[position:end], "utf-8")
        position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "TxnOffsetCommitRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_topic_v3(buffer, position, count - 1, budget)
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


def _read_many_topic_v6(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[TxnOffsetCommitRequestTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[TxnOffsetCommitRequestTopic] = []
    for _ in range(size):
        message = TxnOffsetCommitRequestTopic.__new__(TxnOffsetCommitRequestTopic)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_partition_v3(buffer, position, count - 1)
        elif count:
            message.partitions = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.name = ""
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
) -> Steps[tuple[list[TxnOffsetCommitRequestTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[TxnOffsetCommitRequestTopic] = []
    for _ in range(size):
        message = TxnOffsetCommitRequestTopic.__new__(TxnOffsetCommitRequestTopic)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "TxnOffsetCommitRequest.partitions")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_partition_v3,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.partitions, position = _read_many_partition_v3(buffer, position, count - 1)
                budget.take_tags(message.partitions)
        elif count:
            message.partitions = []
        else:
            raise Malformed
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


def _read_v6(buffer: Buffer, position: int) -> tuple[TxnOffsetCommitRequest, int]:
    message = TxnOffsetCommitRequest.__new__(TxnOffsetCommitRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.transactional_id = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    (
        message.producer_id,
        message.producer_epoch,
        message.generation_id_or_member_epoch,
        length,
    ) = _unpack_qhiB(buffer, position)
    position += 15
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.group_instance_id = None
    else:
        end = position + length - 1
        message.group_instance_id = str(buffer[position:end], "utf-8")
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
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v6(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[TxnOffsetCommitRequest, int]]:
    message = TxnOffsetCommitRequest.__new__(TxnOffsetCommitRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.transactional_id = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    (
        message.producer_id,
        message.producer_epoch,
        message.generation_id_or_member_epoch,
        length,
    ) = _unpack_qhiB(buffer, position)
    position += 15
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.group_instance_id = None
    else:
        end = position + length - 1
        message.group_instance_id = str(buffer[position:end], "utf-8")
        position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "TxnOffsetCommitRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_topic_v6(buffer, position, count - 1, budget)
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


def _write_partition_v0(out: Pieces, message: TxnOffsetCommitRequestPartition) -> None:
    committed_metadata = message.committed_metadata
    if committed_metadata is None:
        data = b""
        length = -1
    else:
        data = committed_metadata.encode()
        length = len(data)
    out.append(_pack_iqh(message.partition_index, message.committed_offset, length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_topic_v0(out: Pieces, message: TxnOffsetCommitRequestTopic) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_partition_v0(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: TxnOffsetCommitRequest) -> None:
    if message.generation_id_or_member_epoch != -1:
        raise Malformed
    if message.member_id != "":
        raise Malformed
    if message.group_instance_id is not None:
        raise Malformed
    transactional_id = message.transactional_id
    data = transactional_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    topics = message.topics
    count = len(topics)
    out.append(_pack_qhi(message.producer_id, message.producer_epoch, count))
    for topics_item in topics:
        _write_topic_v0(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _write_partition_v2(out: Pieces, message: TxnOffsetCommitRequestPartition) -> None:
    committed_metadata = message.committed_metadata
    if committed_metadata is None:
        data = b""
        length = -1
    else:
        data = committed_metadata.encode()
        length = len(data)
    out.append(_pack_iqih(
        message.partition_index,
        message.committed_offset,
        message.committed_leader_epoch,
        length,
    ))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_topic_v2(out: Pieces, message: TxnOffsetCommitRequestTopic) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_partition_v2(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: Pieces, message: TxnOffsetCommitRequest) -> None:
    if message.generation_id_or_member_epoch != -1:
        raise Malformed
    if message.member_id != "":
        raise Malformed
    if message.group_instance_id is not None:
        raise Malformed
    transactional_id = message.transactional_id
    data = transactional_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    topics = message.topics
    count = len(topics)
    out.append(_pack_qhi(message.producer_id, message.producer_epoch, count))
    for topics_item in topics:
        _write_topic_v2(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _write_partition_v3(out: Pieces, message: TxnOffsetCommitRequestPartition) -> None:
    committed_metadata = message.committed_metadata
    if committed_metadata is None:
        data = b""
        length = 0
    else:
        data = committed_metadata.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_iqiB(
            message.partition_index,
            message.committed_offset,
            message.committed_leader_epoch,
            length,
        ))
    else:
        out.append(_pack_iqi(
            message.partition_index,
            message.committed_offset,
            message.committed_leader_epoch,
        ))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topic_v3(out: Pieces, message: TxnOffsetCommitRequestTopic) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for partitions_item in partitions:
        _write_partition_v3(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v3(out: Pieces, message: TxnOffsetCommitRequest) -> None:
    transactional_id = message.transactional_id
    data = transactional_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
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
        out.append(_pack_qhiB(
            message.producer_id,
            message.producer_epoch,
            message.generation_id_or_member_epoch,
            length,
        ))
    else:
        out.append(_pack_qhi(
            message.producer_id,
            message.producer_epoch,
            message.generation_id_or_member_epoch,
        ))
        out.append(pack_string_length(length))
    out.append(data)
    group_instance_id = message.group_instance_id
    if group_instance_id is None:
        data = b""
        length = 0
    else:
        data = group_instance_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_v3(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topic_v6(out: Pieces, message: TxnOffsetCommitRequestTopic) -> None:
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
        _write_partition_v3(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v6(out: Pieces, message: TxnOffsetCommitRequest) -> None:
    transactional_id = message.transactional_id
    data = transactional_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
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
        out.append(_pack_qhiB(
            message.producer_id,
            message.producer_epoch,
            message.generation_id_or_member_epoch,
            length,
        ))
    else:
        out.append(_pack_qhi(
            message.producer_id,
            message.producer_epoch,
            message.generation_id_or_member_epoch,
        ))
        out.append(pack_string_length(length))
    out.append(data)
    group_instance_id = message.group_instance_id
    if group_instance_id is None:
        data = b""
        length = 0
    else:
        data = group_instance_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topics = message.topics
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


_READERS = (
    _read_v0,
    _read_v0,
    _read_v2,
    _read_v3,
    _read_v3,
    _read_v3,
    _read_v6,
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v2,
    _write_v3,
    _write_v3,
    _write_v3,
    _write_v6,
)

_STEP_READERS = (
    _step_v0,
    _step_v0,
    _step_v2,
    _step_v3,
    _step_v3,
    _step_v3,
    _step_v6,
)


@cache
def _schema() -> MessageSchema:
    txn_offset_commit_request_partition_struct = StructSchema(
        python_class=TxnOffsetCommitRequestPartition,
        fields=(
            FieldSchema(
                name="PartitionIndex",
                attribute="partition_index",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="CommittedOffset",
                attribute="committed_offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="CommittedLeaderEpoch",
                attribute="committed_leader_epoch",
                type="int32",
                versions=(2, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="CommittedMetadata",
                attribute="committed_metadata",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
        ),
    )
    txn_offset_commit_request_topic_struct = StructSchema(
        python_class=TxnOffsetCommitRequestTopic,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 5),
                default="",
                ignorable=True,
            ),
            FieldSchema(
                name="TopicId",
                attribute="topic_id",
                type="uuid",
                versions=(6, 32767),
                default=ZERO_UUID,
                ignorable=True,
            ),
            FieldSchema(
                name="Partitions",
                attribute="partitions",
                type="TxnOffsetCommitRequestPartition",
                struct=txn_offset_commit_request_partition_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    txn_offset_commit_request_struct = StructSchema(
        python_class=TxnOffsetCommitRequest,
        fields=(
            FieldSchema(
                name="TransactionalId",
                attribute="transactional_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="GroupId",
                attribute="group_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="ProducerId",
                attribute="producer_id",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ProducerEpoch",
                attribute="producer_epoch",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="GenerationIdOrMemberEpoch",
                attribute="generation_id_or_member_epoch",
                type="int32",
                versions=(3, 32767),
                default=-1,
            ),
            FieldSchema(
                name="MemberId",
                attribute="member_id",
                type="string",
                versions=(3, 32767),
                default="",
            ),
            FieldSchema(
                name="GroupInstanceId",
                attribute="group_instance_id",
                type="string",
                versions=(3, 32767),
                nullable=(3, 32767),
                default=None,
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="TxnOffsetCommitRequestTopic",
                struct=txn_offset_commit_request_topic_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="TxnOffsetCommitRequest",
        flexible_from=3,
        root=txn_offset_commit_request_struct,
    )
