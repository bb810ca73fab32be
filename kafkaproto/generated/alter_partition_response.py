"""AlterPartitionResponse: versions 2-3, flexible from 0, api key 56.

Generated from api/AlterPartitionResponse.json by codegen; change the schema, not this file.
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
    Malformed,
    Pieces,
    Steps,
    pack_length,
    pack_many,
    read_long_length,
    read_unknown_tags,
    unpack_many,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_uB = struct.Struct(">16sB").unpack_from
_unpack_biB = struct.Struct(">biB").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_ihiiB = struct.Struct(">ihiiB").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_bi = struct.Struct(">bi").pack
_pack_biB = struct.Struct(">biB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_ihii = struct.Struct(">ihii").pack
_pack_ihiiB = struct.Struct(">ihiiB").pack


class AlterPartitionResponsePartitionData(Struct):
    """PartitionData of AlterPartitionResponse."""

    __slots__ = (
        "partition_index",
        "error_code",
        "leader_id",
        "leader_epoch",
        "isr",
        "leader_recovery_state",
        "partition_epoch",
        "unknown_tags",
    )

    partition_index: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    leader_id: int
    """Versions 0+."""
    leader_epoch: int
    """Versions 0+."""
    isr: list[int]
    """Versions 0+."""
    leader_recovery_state: int
    """0 recovered, 1 recovering from an unclean election. Versions 1+, dropped where a version lacks
    it.
    """
    partition_epoch: int
    """The one after the change. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        leader_id: int = 0,
        leader_epoch: int = 0,
        isr: list[int] = EMPTY,
        leader_recovery_state: int = 0,
        partition_epoch: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.isr = [] if isr is EMPTY else isr
        self.leader_recovery_state = leader_recovery_state
        self.partition_epoch = partition_epoch
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterPartitionResponsePartitionData)
            and self.partition_index == other.partition_index
            and self.error_code == other.error_code
            and self.leader_id == other.leader_id
            and self.leader_epoch == other.leader_epoch
            and self.isr == other.isr
            and self.leader_recovery_state == other.leader_recovery_state
            and self.partition_epoch == other.partition_epoch
            and self.unknown_tags == other.unknown_tags
        )



class AlterPartitionResponseTopicData(Struct):
    """TopicData of AlterPartitionResponse."""

    __slots__ = ("topic_id", "partitions", "unknown_tags")

    topic_id: bytes
    """Versions 2+, dropped where a version lacks it."""
    partitions: list[AlterPartitionResponsePartitionData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[AlterPartitionResponsePartitionData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterPartitionResponseTopicData)
            and self.topic_id == other.topic_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class AlterPartitionResponse(Message):
    """Response AlterPartitionResponse."""

    __slots__ = ("throttle_time_ms", "error_code", "topics", "unknown_tags")

    NAME: ClassVar[str] = "AlterPartitionResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 56
    MIN_VERSION: ClassVar[int] = 2
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    PartitionData: TypeAlias = AlterPartitionResponsePartitionData
    TopicData: TypeAlias = AlterPartitionResponseTopicData

    throttle_time_ms: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    topics: list[AlterPartitionResponseTopicData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        topics: list[AlterPartitionResponseTopicData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterPartitionResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[AlterPartitionResponse, int]:
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


def _read_many_partition_data_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterPartitionResponsePartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterPartitionResponsePartitionData] = []
    for _ in range(size):
        message = AlterPartitionResponsePartitionData.__new__(AlterPartitionResponsePartitionData)
        (
            message.partition_index,
            message.error_code,
            message.leader_id,
            message.leader_epoch,
            count,
        ) = _unpack_ihiiB(buffer, position)
        position += 15
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.isr = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.isr = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        message.leader_recovery_state, message.partition_epoch, tags = _unpack_biB(buffer, position)
        position += 6
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_topic_data_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterPartitionResponseTopicData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterPartitionResponseTopicData] = []
    for _ in range(size):
        message = AlterPartitionResponseTopicData.__new__(AlterPartitionResponseTopicData)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
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


def _read_v2(buffer: Buffer, position: int) -> tuple[AlterPartitionResponse, int]:
    message = AlterPartitionResponse.__new__(AlterPartitionResponse)
    message.throttle_time_ms, message.error_code, count = _unpack_ihB(buffer, position)
    position += 7
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


def _write_partition_data_v2(out: Pieces, message: AlterPartitionResponsePartitionData) -> None:
    isr = message.isr
    count = len(isr) + 1
    if count < 128:
        out.append(_pack_ihiiB(
            message.partition_index,
            message.error_code,
            message.leader_id,
            message.leader_epoch,
            count,
        ))
    else:
        out.append(_pack_ihii(
            message.partition_index,
            message.error_code,
            message.leader_id,
            message.leader_epoch,
        ))
        out.append(pack_length(count))
    if len(isr) < TABLE_SIZE:
        out.append(PACK_INT32[len(isr)](*isr))
    else:
        out.append(pack_many("i", isr))
    if message.unknown_tags:
        out.append(_pack_bi(message.leader_recovery_state, message.partition_epoch))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_biB(message.leader_recovery_state, message.partition_epoch, 0))


def _write_topic_data_v2(out: Pieces, message: AlterPartitionResponseTopicData) -> None:
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
        _write_partition_data_v2(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_topic_data_v2(out: Pieces, message: AlterPartitionResponseTopicData) -> Steps[None]:
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
        _write_partition_data_v2(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v2(out: Pieces, message: AlterPartitionResponse) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_data_v2(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v2(out: Pieces, message: AlterPartitionResponse) -> Steps[None]:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for topics_item in topics:
        yield from _step_write_topic_data_v2(out, topics_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v2,
    _read_v2,
)

_WRITERS = (
    _write_v2,
    _write_v2,
)

_STEP_WRITERS = (
    _step_write_v2,
    _step_write_v2,
)


@cache
def _schema() -> MessageSchema:
    partition_data_struct = StructSchema(
        python_class=AlterPartitionResponsePartitionData,
        fields=(
            FieldSchema(
                name="PartitionIndex",
                attribute="partition_index",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LeaderId",
                attribute="leader_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LeaderEpoch",
                attribute="leader_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Isr",
                attribute="isr",
                type="int32",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="LeaderRecoveryState",
                attribute="leader_recovery_state",
                type="int8",
                versions=(1, 32767),
                default=0,
                ignorable=True,
            ),
            FieldSchema(
                name="PartitionEpoch",
                attribute="partition_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    topic_data_struct = StructSchema(
        python_class=AlterPartitionResponseTopicData,
        fields=(
            FieldSchema(
                name="TopicId",
                attribute="topic_id",
                type="uuid",
                versions=(2, 32767),
                default=ZERO_UUID,
                ignorable=True,
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
    alter_partition_response_struct = StructSchema(
        python_class=AlterPartitionResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
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
    return MessageSchema(name="AlterPartitionResponse", flexible_from=0, root=alter_partition_response_struct)
