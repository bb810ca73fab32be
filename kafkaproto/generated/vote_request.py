"""VoteRequest: versions 0-2, flexible from 0, api key 52.

Generated from api/VoteRequest.json by codegen; change the schema, not this file.
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
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_iiiuuiqtB = struct.Struct(">iii16s16siq?B").unpack_from
_unpack_iiiuuiqB = struct.Struct(">iii16s16siqB").unpack_from
_unpack_iiiiqB = struct.Struct(">iiiiqB").unpack_from
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_iiiuuiq = struct.Struct(">iii16s16siq").pack
_pack_iiiuuiqt = struct.Struct(">iii16s16siq?").pack
_pack_iiiuuiqtB = struct.Struct(">iii16s16siq?B").pack
_pack_iiiuuiqB = struct.Struct(">iii16s16siqB").pack
_pack_iiiiq = struct.Struct(">iiiiq").pack
_pack_iiiiqB = struct.Struct(">iiiiqB").pack


class VoteRequestPartitionData(Struct):
    """PartitionData of VoteRequest."""

    __slots__ = (
        "partition_index",
        "replica_epoch",
        "replica_id",
        "replica_directory_id",
        "voter_directory_id",
        "last_offset_epoch",
        "last_offset",
        "pre_vote",
        "unknown_tags",
    )

    partition_index: int
    """Versions 0+."""
    replica_epoch: int
    """Epoch of the election; of a pre-vote, the epoch before it. Versions 0+."""
    replica_id: int
    """The node that asks for votes. Versions 0+."""
    replica_directory_id: bytes
    """Directory id of the node that asks for votes. Versions 1+, dropped where a version lacks it."""
    voter_directory_id: bytes
    """Directory id that the receiver is taken for; zero leaves it unchecked. Versions 1+, dropped
    where a version lacks it.
    """
    last_offset_epoch: int
    """Epoch of the last record in the log of the node that asks. Versions 0+."""
    last_offset: int
    """Log end offset of the node that asks. Versions 0+."""
    pre_vote: bool
    """Whether to answer without giving the vote away, to learn if an election could succeed.
    Versions 2+.
    """
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        replica_epoch: int = 0,
        replica_id: int = 0,
        replica_directory_id: bytes = ZERO_UUID,
        voter_directory_id: bytes = ZERO_UUID,
        last_offset_epoch: int = 0,
        last_offset: int = 0,
        pre_vote: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.replica_epoch = replica_epoch
        self.replica_id = replica_id
        self.replica_directory_id = replica_directory_id
        self.voter_directory_id = voter_directory_id
        self.last_offset_epoch = last_offset_epoch
        self.last_offset = last_offset
        self.pre_vote = pre_vote
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, VoteRequestPartitionData)
            and self.partition_index == other.partition_index
            and self.replica_epoch == other.replica_epoch
            and self.replica_id == other.replica_id
            and self.replica_directory_id == other.replica_directory_id
            and self.voter_directory_id == other.voter_directory_id
            and self.last_offset_epoch == other.last_offset_epoch
            and self.last_offset == other.last_offset
            and self.pre_vote == other.pre_vote
            and self.unknown_tags == other.unknown_tags
        )



class VoteRequestTopicData(Struct):
    """TopicData of VoteRequest."""

    __slots__ = ("topic_name", "partitions", "unknown_tags")

    topic_name: str
    """Versions 0+."""
    partitions: list[VoteRequestPartitionData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_name: str = "",
        partitions: list[VoteRequestPartitionData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, VoteRequestTopicData)
            and self.topic_name == other.topic_name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class VoteRequest(Message):
    """Request VoteRequest."""

    __slots__ = ("cluster_id", "voter_id", "topics", "unknown_tags")

    NAME: ClassVar[str] = "VoteRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 52
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("controller",)
    PartitionData: TypeAlias = VoteRequestPartitionData
    TopicData: TypeAlias = VoteRequestTopicData

    cluster_id: str | None
    """If given, must be the receiver's cluster id. Versions 0+, null in 0+."""
    voter_id: int
    """Id that the receiver is taken for; -1 leaves it unchecked. Versions 1+, dropped where a
    version lacks it.
    """
    topics: list[VoteRequestTopicData]
    """The metadata partition: __cluster_metadata, 0. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        cluster_id: str | None = None,
        voter_id: int = -1,
        topics: list[VoteRequestTopicData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.cluster_id = cluster_id
        self.voter_id = voter_id
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, VoteRequest)
            and self.cluster_id == other.cluster_id
            and self.voter_id == other.voter_id
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[VoteRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[VoteRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_partition_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[VoteRequestPartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[VoteRequestPartitionData] = []
    for _ in range(size):
        message = VoteRequestPartitionData.__new__(VoteRequestPartitionData)
        (
            message.partition_index,
            message.replica_epoch,
            message.replica_id,
            message.last_offset_epoch,
            message.last_offset,
            tags,
        ) = _unpack_iiiiqB(buffer, position)
        position += 25
        message.replica_directory_id = ZERO_UUID
        message.voter_directory_id = ZERO_UUID
        message.pre_vote = False
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_topic_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[VoteRequestTopicData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[VoteRequestTopicData] = []
    for _ in range(size):
        message = VoteRequestTopicData.__new__(VoteRequestTopicData)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.topic_name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_partition_data_v0(buffer, position, count - 1)
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


def _step_many_topic_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[VoteRequestTopicData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[VoteRequestTopicData] = []
    for _ in range(size):
        message = VoteRequestTopicData.__new__(VoteRequestTopicData)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.topic_name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "VoteRequest.partitions")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_partition_data_v0,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.partitions, position = _read_many_partition_data_v0(buffer, position, count - 1)
                budget.take_tags(message.partitions)
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


def _read_v0(buffer: Buffer, position: int) -> tuple[VoteRequest, int]:
    message = VoteRequest.__new__(VoteRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.cluster_id = None
    else:
        end = position + length - 1
        message.cluster_id = str(buffer[position:end], "utf-8")
        position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_data_v0(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.voter_id = -1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[VoteRequest, int]]:
    message = VoteRequest.__new__(VoteRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.cluster_id = None
    else:
        end = position + length - 1
        message.cluster_id = str(buffer[position:end], "utf-8")
        position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "VoteRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_topic_data_v0(buffer, position, count - 1, budget)
    elif count:
        message.topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.voter_id = -1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_many_partition_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[VoteRequestPartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[VoteRequestPartitionData] = []
    for _ in range(size):
        message = VoteRequestPartitionData.__new__(VoteRequestPartitionData)
        (
            message.partition_index,
            message.replica_epoch,
            message.replica_id,
            message.replica_directory_id,
            message.voter_directory_id,
            message.last_offset_epoch,
            message.last_offset,
            tags,
        ) = _unpack_iiiuuiqB(buffer, position)
        position += 57
        message.pre_vote = False
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_topic_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[VoteRequestTopicData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[VoteRequestTopicData] = []
    for _ in range(size):
        message = VoteRequestTopicData.__new__(VoteRequestTopicData)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.topic_name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_partition_data_v1(buffer, position, count - 1)
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


def _step_many_topic_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[VoteRequestTopicData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[VoteRequestTopicData] = []
    for _ in range(size):
        message = VoteRequestTopicData.__new__(VoteRequestTopicData)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.topic_name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "VoteRequest.partitions")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_partition_data_v1,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.partitions, position = _read_many_partition_data_v1(buffer, position, count - 1)
                budget.take_tags(message.partitions)
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


def _read_v1(buffer: Buffer, position: int) -> tuple[VoteRequest, int]:
    message = VoteRequest.__new__(VoteRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.cluster_id = None
    else:
        end = position + length - 1
        message.cluster_id = str(buffer[position:end], "utf-8")
        position = end
    message.voter_id, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_data_v1(buffer, position, count - 1)
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


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[VoteRequest, int]]:
    message = VoteRequest.__new__(VoteRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.cluster_id = None
    else:
        end = position + length - 1
        message.cluster_id = str(buffer[position:end], "utf-8")
        position = end
    message.voter_id, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "VoteRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_topic_data_v1(buffer, position, count - 1, budget)
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


def _read_many_partition_data_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[VoteRequestPartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[VoteRequestPartitionData] = []
    for _ in range(size):
        message = VoteRequestPartitionData.__new__(VoteRequestPartitionData)
        (
            message.partition_index,
            message.replica_epoch,
            message.replica_id,
            message.replica_directory_id,
            message.voter_directory_id,
            message.last_offset_epoch,
            message.last_offset,
            message.pre_vote,
            tags,
        ) = _unpack_iiiuuiqtB(buffer, position)
        position += 58
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_topic_data_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[VoteRequestTopicData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[VoteRequestTopicData] = []
    for _ in range(size):
        message = VoteRequestTopicData.__new__(VoteRequestTopicData)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.topic_name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_partition_data_v2(buffer, position, count - 1)
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


def _step_many_topic_data_v2(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[VoteRequestTopicData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[VoteRequestTopicData] = []
    for _ in range(size):
        message = VoteRequestTopicData.__new__(VoteRequestTopicData)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.topic_name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "VoteRequest.partitions")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_partition_data_v2,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.partitions, position = _read_many_partition_data_v2(buffer, position, count - 1)
                budget.take_tags(message.partitions)
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


def _read_v2(buffer: Buffer, position: int) -> tuple[VoteRequest, int]:
    message = VoteRequest.__new__(VoteRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.cluster_id = None
    else:
        end = position + length - 1
        message.cluster_id = str(buffer[position:end], "utf-8")
        position = end
    message.voter_id, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_data_v2(buffer, position, count - 1)
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


def _step_v2(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[VoteRequest, int]]:
    message = VoteRequest.__new__(VoteRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.cluster_id = None
    else:
        end = position + length - 1
        message.cluster_id = str(buffer[position:end], "utf-8")
        position = end
    message.voter_id, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "VoteRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_topic_data_v2(buffer, position, count - 1, budget)
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


def _write_partition_data_v0(out: Pieces, message: VoteRequestPartitionData) -> None:
    if message.pre_vote:
        raise Malformed
    if message.unknown_tags:
        out.append(_pack_iiiiq(
            message.partition_index,
            message.replica_epoch,
            message.replica_id,
            message.last_offset_epoch,
            message.last_offset,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iiiiqB(
            message.partition_index,
            message.replica_epoch,
            message.replica_id,
            message.last_offset_epoch,
            message.last_offset,
            0,
        ))


def _write_topic_data_v0(out: Pieces, message: VoteRequestTopicData) -> None:
    topic_name = message.topic_name
    data = topic_name.encode()
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
        _write_partition_data_v0(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: VoteRequest) -> None:
    cluster_id = message.cluster_id
    if cluster_id is None:
        data = b""
        length = 0
    else:
        data = cluster_id.encode()
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
        _write_topic_data_v0(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_partition_data_v1(out: Pieces, message: VoteRequestPartitionData) -> None:
    if message.pre_vote:
        raise Malformed
    replica_directory_id = message.replica_directory_id
    if len(replica_directory_id) != 16:
        raise Malformed
    voter_directory_id = message.voter_directory_id
    if len(voter_directory_id) != 16:
        raise Malformed
    if message.unknown_tags:
        out.append(_pack_iiiuuiq(
            message.partition_index,
            message.replica_epoch,
            message.replica_id,
            replica_directory_id,
            voter_directory_id,
            message.last_offset_epoch,
            message.last_offset,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iiiuuiqB(
            message.partition_index,
            message.replica_epoch,
            message.replica_id,
            replica_directory_id,
            voter_directory_id,
            message.last_offset_epoch,
            message.last_offset,
            0,
        ))


def _write_topic_data_v1(out: Pieces, message: VoteRequestTopicData) -> None:
    topic_name = message.topic_name
    data = topic_name.encode()
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
        _write_partition_data_v1(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: VoteRequest) -> None:
    cluster_id = message.cluster_id
    if cluster_id is None:
        data = b""
        length = 0
    else:
        data = cluster_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.voter_id, count))
    else:
        out.append(_pack_i(message.voter_id))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_data_v1(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_partition_data_v2(out: Pieces, message: VoteRequestPartitionData) -> None:
    replica_directory_id = message.replica_directory_id
    if len(replica_directory_id) != 16:
        raise Malformed
    voter_directory_id = message.voter_directory_id
    if len(voter_directory_id) != 16:
        raise Malformed
    if message.unknown_tags:
        out.append(_pack_iiiuuiqt(
            message.partition_index,
            message.replica_epoch,
            message.replica_id,
            replica_directory_id,
            voter_directory_id,
            message.last_offset_epoch,
            message.last_offset,
            message.pre_vote,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iiiuuiqtB(
            message.partition_index,
            message.replica_epoch,
            message.replica_id,
            replica_directory_id,
            voter_directory_id,
            message.last_offset_epoch,
            message.last_offset,
            message.pre_vote,
            0,
        ))


def _write_topic_data_v2(out: Pieces, message: VoteRequestTopicData) -> None:
    topic_name = message.topic_name
    data = topic_name.encode()
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
        _write_partition_data_v2(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v2(out: Pieces, message: VoteRequest) -> None:
    cluster_id = message.cluster_id
    if cluster_id is None:
        data = b""
        length = 0
    else:
        data = cluster_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iB(message.voter_id, count))
    else:
        out.append(_pack_i(message.voter_id))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_data_v2(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
    _read_v1,
    _read_v2,
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v2,
)

_STEP_READERS = (
    _step_v0,
    _step_v1,
    _step_v2,
)


@cache
def _schema() -> MessageSchema:
    partition_data_struct = StructSchema(
        python_class=VoteRequestPartitionData,
        fields=(
            FieldSchema(
                name="PartitionIndex",
                attribute="partition_index",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ReplicaEpoch",
                attribute="replica_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ReplicaId",
                attribute="replica_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ReplicaDirectoryId",
                attribute="replica_directory_id",
                type="uuid",
                versions=(1, 32767),
                default=ZERO_UUID,
                ignorable=True,
            ),
            FieldSchema(
                name="VoterDirectoryId",
                attribute="voter_directory_id",
                type="uuid",
                versions=(1, 32767),
                default=ZERO_UUID,
                ignorable=True,
            ),
            FieldSchema(
                name="LastOffsetEpoch",
                attribute="last_offset_epoch",
                type="int32",
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
                name="PreVote",
                attribute="pre_vote",
                type="bool",
                versions=(2, 32767),
                default=False,
            ),
        ),
    )
    topic_data_struct = StructSchema(
        python_class=VoteRequestTopicData,
        fields=(
            FieldSchema(
                name="TopicName",
                attribute="topic_name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Partitions",
                attribute="partitions",
                type="PartitionData",
                struct=partition_data_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    vote_request_struct = StructSchema(
        python_class=VoteRequest,
        fields=(
            FieldSchema(
                name="ClusterId",
                attribute="cluster_id",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="VoterId",
                attribute="voter_id",
                type="int32",
                versions=(1, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="TopicData",
                struct=topic_data_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="VoteRequest", flexible_from=0, root=vote_request_struct)
