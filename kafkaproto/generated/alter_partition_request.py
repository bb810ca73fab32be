"""AlterPartitionRequest: versions 2-3, flexible from 0, api key 56.

Generated from api/AlterPartitionRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    ELEMENTS_A_STEP,
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
    read_long_length,
    read_pieces,
    read_unknown_tags,
    unpack_many,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_uB = struct.Struct(">16sB").unpack_from
_unpack_biB = struct.Struct(">biB").unpack_from
_unpack_iiB = struct.Struct(">iiB").unpack_from
_unpack_iqB = struct.Struct(">iqB").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_bi = struct.Struct(">bi").pack
_pack_biB = struct.Struct(">biB").pack
_pack_ii = struct.Struct(">ii").pack
_pack_iiB = struct.Struct(">iiB").pack
_pack_iq = struct.Struct(">iq").pack
_pack_iqB = struct.Struct(">iqB").pack


class AlterPartitionRequestBrokerState(Struct):
    """BrokerState of AlterPartitionRequest."""

    __slots__ = ("broker_id", "broker_epoch", "unknown_tags")

    broker_id: int
    """Versions 3+."""
    broker_epoch: int
    """Epoch under which the follower fetched, or -1 to leave it unchecked. Versions 3+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterPartitionRequestBrokerState)
            and self.broker_id == other.broker_id
            and self.broker_epoch == other.broker_epoch
            and self.unknown_tags == other.unknown_tags
        )



class AlterPartitionRequestPartitionData(Struct):
    """PartitionData of AlterPartitionRequest."""

    __slots__ = (
        "partition_index",
        "leader_epoch",
        "new_isr",
        "new_isr_with_epochs",
        "leader_recovery_state",
        "partition_epoch",
        "unknown_tags",
    )

    partition_index: int
    """Versions 0+."""
    leader_epoch: int
    """Epoch in which the sender leads the partition. Versions 0+."""
    new_isr: list[int]
    """Versions 0-2."""
    new_isr_with_epochs: list[AlterPartitionRequestBrokerState]
    """Versions 3+."""
    leader_recovery_state: int
    """0 recovered, 1 recovering from an unclean election. Versions 1+."""
    partition_epoch: int
    """The one the change starts from. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        leader_epoch: int = 0,
        new_isr: list[int] = EMPTY,
        new_isr_with_epochs: list[AlterPartitionRequestBrokerState] = EMPTY,
        leader_recovery_state: int = 0,
        partition_epoch: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.leader_epoch = leader_epoch
        self.new_isr = [] if new_isr is EMPTY else new_isr
        self.new_isr_with_epochs = [] if new_isr_with_epochs is EMPTY else new_isr_with_epochs
        self.leader_recovery_state = leader_recovery_state
        self.partition_epoch = partition_epoch
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterPartitionRequestPartitionData)
            and self.partition_index == other.partition_index
            and self.leader_epoch == other.leader_epoch
            and self.new_isr == other.new_isr
            and self.new_isr_with_epochs == other.new_isr_with_epochs
            and self.leader_recovery_state == other.leader_recovery_state
            and self.partition_epoch == other.partition_epoch
            and self.unknown_tags == other.unknown_tags
        )



class AlterPartitionRequestTopicData(Struct):
    """TopicData of AlterPartitionRequest."""

    __slots__ = ("topic_id", "partitions", "unknown_tags")

    topic_id: bytes
    """Versions 2+, dropped where a version lacks it."""
    partitions: list[AlterPartitionRequestPartitionData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[AlterPartitionRequestPartitionData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterPartitionRequestTopicData)
            and self.topic_id == other.topic_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class AlterPartitionRequest(Message):
    """Request AlterPartitionRequest."""

    __slots__ = ("broker_id", "broker_epoch", "topics", "unknown_tags")

    NAME: ClassVar[str] = "AlterPartitionRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 56
    MIN_VERSION: ClassVar[int] = 2
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("controller",)
    BrokerState: TypeAlias = AlterPartitionRequestBrokerState
    PartitionData: TypeAlias = AlterPartitionRequestPartitionData
    TopicData: TypeAlias = AlterPartitionRequestTopicData

    broker_id: int
    """Versions 0+."""
    broker_epoch: int
    """Versions 0+."""
    topics: list[AlterPartitionRequestTopicData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
        topics: list[AlterPartitionRequestTopicData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlterPartitionRequest)
            and self.broker_id == other.broker_id
            and self.broker_epoch == other.broker_epoch
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[AlterPartitionRequest, int]:
        return _READERS[version - 2](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 2](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[AlterPartitionRequest, int]] | None:
        read = _STEP_READERS[version - 2]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_partition_data_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterPartitionRequestPartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterPartitionRequestPartitionData] = []
    for _ in range(size):
        message = AlterPartitionRequestPartitionData.__new__(AlterPartitionRequestPartitionData)
        message.partition_index, message.leader_epoch, count = _unpack_iiB(buffer, position)
        position += 9
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.new_isr = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.new_isr = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        message.leader_recovery_state, message.partition_epoch, tags = _unpack_biB(buffer, position)
        position += 6
        message.new_isr_with_epochs = []
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_partition_data_v2(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[AlterPartitionRequestPartitionData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterPartitionRequestPartitionData] = []
    for _ in range(size):
        message = AlterPartitionRequestPartitionData.__new__(AlterPartitionRequestPartitionData)
        message.partition_index, message.leader_epoch, count = _unpack_iiB(buffer, position)
        position += 9
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "AlterPartitionRequest.new_isr")
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.new_isr = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.new_isr = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        yield
        message.leader_recovery_state, message.partition_epoch, tags = _unpack_biB(buffer, position)
        position += 6
        message.new_isr_with_epochs = []
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_many_topic_data_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterPartitionRequestTopicData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterPartitionRequestTopicData] = []
    for _ in range(size):
        message = AlterPartitionRequestTopicData.__new__(AlterPartitionRequestTopicData)
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


def _step_many_topic_data_v2(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[AlterPartitionRequestTopicData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterPartitionRequestTopicData] = []
    for _ in range(size):
        message = AlterPartitionRequestTopicData.__new__(AlterPartitionRequestTopicData)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "AlterPartitionRequest.partitions")
        if count > 1:
            message.partitions, position = yield from _step_many_partition_data_v2(buffer, position, count - 1, budget)
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


def _read_v2(buffer: Buffer, position: int) -> tuple[AlterPartitionRequest, int]:
    message = AlterPartitionRequest.__new__(AlterPartitionRequest)
    message.broker_id, message.broker_epoch, count = _unpack_iqB(buffer, position)
    position += 13
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


def _step_v2(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[AlterPartitionRequest, int]]:
    message = AlterPartitionRequest.__new__(AlterPartitionRequest)
    message.broker_id, message.broker_epoch, count = _unpack_iqB(buffer, position)
    position += 13
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "AlterPartitionRequest.topics")
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


def _read_many_broker_state_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterPartitionRequestBrokerState], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterPartitionRequestBrokerState] = []
    for _ in range(size):
        message = AlterPartitionRequestBrokerState.__new__(AlterPartitionRequestBrokerState)
        message.broker_id, message.broker_epoch, tags = _unpack_iqB(buffer, position)
        position += 13
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_partition_data_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterPartitionRequestPartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterPartitionRequestPartitionData] = []
    for _ in range(size):
        message = AlterPartitionRequestPartitionData.__new__(AlterPartitionRequestPartitionData)
        message.partition_index, message.leader_epoch, count = _unpack_iiB(buffer, position)
        position += 9
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.new_isr_with_epochs, position = _read_many_broker_state_v3(buffer, position, count - 1)
        elif count:
            message.new_isr_with_epochs = []
        else:
            raise Malformed
        message.leader_recovery_state, message.partition_epoch, tags = _unpack_biB(buffer, position)
        position += 6
        message.new_isr = []
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_partition_data_v3(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[AlterPartitionRequestPartitionData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterPartitionRequestPartitionData] = []
    for _ in range(size):
        message = AlterPartitionRequestPartitionData.__new__(AlterPartitionRequestPartitionData)
        message.partition_index, message.leader_epoch, count = _unpack_iiB(buffer, position)
        position += 9
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "AlterPartitionRequest.new_isr_with_epochs")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.new_isr_with_epochs, position = yield from read_pieces(
                    _read_many_broker_state_v3,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.new_isr_with_epochs, position = _read_many_broker_state_v3(buffer, position, count - 1)
                budget.take_tags(message.new_isr_with_epochs)
        elif count:
            message.new_isr_with_epochs = []
        else:
            raise Malformed
        message.leader_recovery_state, message.partition_epoch, tags = _unpack_biB(buffer, position)
        position += 6
        message.new_isr = []
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_many_topic_data_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AlterPartitionRequestTopicData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterPartitionRequestTopicData] = []
    for _ in range(size):
        message = AlterPartitionRequestTopicData.__new__(AlterPartitionRequestTopicData)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_partition_data_v3(buffer, position, count - 1)
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


def _step_many_topic_data_v3(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[AlterPartitionRequestTopicData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AlterPartitionRequestTopicData] = []
    for _ in range(size):
        message = AlterPartitionRequestTopicData.__new__(AlterPartitionRequestTopicData)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "AlterPartitionRequest.partitions")
        if count > 1:
            message.partitions, position = yield from _step_many_partition_data_v3(buffer, position, count - 1, budget)
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


def _read_v3(buffer: Buffer, position: int) -> tuple[AlterPartitionRequest, int]:
    message = AlterPartitionRequest.__new__(AlterPartitionRequest)
    message.broker_id, message.broker_epoch, count = _unpack_iqB(buffer, position)
    position += 13
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_topic_data_v3(buffer, position, count - 1)
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


def _step_v3(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[AlterPartitionRequest, int]]:
    message = AlterPartitionRequest.__new__(AlterPartitionRequest)
    message.broker_id, message.broker_epoch, count = _unpack_iqB(buffer, position)
    position += 13
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "AlterPartitionRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_topic_data_v3(buffer, position, count - 1, budget)
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


def _write_partition_data_v2(out: Pieces, message: AlterPartitionRequestPartitionData) -> None:
    if len(message.new_isr_with_epochs) != 0:
        raise Malformed
    new_isr = message.new_isr
    count = len(new_isr) + 1
    if count < 128:
        out.append(_pack_iiB(message.partition_index, message.leader_epoch, count))
    else:
        out.append(_pack_ii(message.partition_index, message.leader_epoch))
        out.append(pack_length(count))
    if len(new_isr) < TABLE_SIZE:
        out.append(PACK_INT32[len(new_isr)](*new_isr))
    else:
        out.append(pack_many("i", new_isr))
    if message.unknown_tags:
        out.append(_pack_bi(message.leader_recovery_state, message.partition_epoch))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_biB(message.leader_recovery_state, message.partition_epoch, 0))


def _write_topic_data_v2(out: Pieces, message: AlterPartitionRequestTopicData) -> None:
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


def _write_v2(out: Pieces, message: AlterPartitionRequest) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iqB(message.broker_id, message.broker_epoch, count))
    else:
        out.append(_pack_iq(message.broker_id, message.broker_epoch))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_data_v2(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_broker_state_v3(out: Pieces, message: AlterPartitionRequestBrokerState) -> None:
    if message.unknown_tags:
        out.append(_pack_iq(message.broker_id, message.broker_epoch))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iqB(message.broker_id, message.broker_epoch, 0))


def _write_partition_data_v3(out: Pieces, message: AlterPartitionRequestPartitionData) -> None:
    if len(message.new_isr) != 0:
        raise Malformed
    new_isr_with_epochs = message.new_isr_with_epochs
    count = len(new_isr_with_epochs) + 1
    if count < 128:
        out.append(_pack_iiB(message.partition_index, message.leader_epoch, count))
    else:
        out.append(_pack_ii(message.partition_index, message.leader_epoch))
        out.append(pack_length(count))
    for new_isr_with_epochs_item in new_isr_with_epochs:
        _write_broker_state_v3(out, new_isr_with_epochs_item)
    if message.unknown_tags:
        out.append(_pack_bi(message.leader_recovery_state, message.partition_epoch))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_biB(message.leader_recovery_state, message.partition_epoch, 0))


def _write_topic_data_v3(out: Pieces, message: AlterPartitionRequestTopicData) -> None:
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
        _write_partition_data_v3(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v3(out: Pieces, message: AlterPartitionRequest) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iqB(message.broker_id, message.broker_epoch, count))
    else:
        out.append(_pack_iq(message.broker_id, message.broker_epoch))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_data_v3(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v2,
    _read_v3,
)

_WRITERS = (
    _write_v2,
    _write_v3,
)

_STEP_READERS = (
    _step_v2,
    _step_v3,
)


@cache
def _schema() -> MessageSchema:
    broker_state_struct = StructSchema(
        python_class=AlterPartitionRequestBrokerState,
        fields=(
            FieldSchema(
                name="BrokerId",
                attribute="broker_id",
                type="int32",
                versions=(3, 32767),
                default=0,
            ),
            FieldSchema(
                name="BrokerEpoch",
                attribute="broker_epoch",
                type="int64",
                versions=(3, 32767),
                default=-1,
            ),
        ),
    )
    partition_data_struct = StructSchema(
        python_class=AlterPartitionRequestPartitionData,
        fields=(
            FieldSchema(
                name="PartitionIndex",
                attribute="partition_index",
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
                name="NewIsr",
                attribute="new_isr",
                type="int32",
                array=True,
                versions=(0, 2),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="NewIsrWithEpochs",
                attribute="new_isr_with_epochs",
                type="BrokerState",
                struct=broker_state_struct,
                array=True,
                versions=(3, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="LeaderRecoveryState",
                attribute="leader_recovery_state",
                type="int8",
                versions=(1, 32767),
                default=0,
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
        python_class=AlterPartitionRequestTopicData,
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
    alter_partition_request_struct = StructSchema(
        python_class=AlterPartitionRequest,
        fields=(
            FieldSchema(
                name="BrokerId",
                attribute="broker_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="BrokerEpoch",
                attribute="broker_epoch",
                type="int64",
                versions=(0, 32767),
                default=-1,
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
    return MessageSchema(name="AlterPartitionRequest", flexible_from=0, root=alter_partition_request_struct)
