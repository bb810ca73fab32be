"""DescribeTransactionsResponse: versions 0, flexible from 0, api key 65.

Generated from api/DescribeTransactionsResponse.json by codegen; change the schema, not this file.
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

_unpack_hB = struct.Struct(">hB").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_iqqhB = struct.Struct(">iqqhB").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_iqqh = struct.Struct(">iqqh").pack
_pack_iqqhB = struct.Struct(">iqqhB").pack


class DescribeTransactionsResponseTopicData(Struct):
    """TopicData of DescribeTransactionsResponse."""

    __slots__ = ("topic", "partitions", "unknown_tags")

    topic: str
    """Versions 0+."""
    partitions: list[int]
    """Versions 0+."""
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
            isinstance(other, DescribeTransactionsResponseTopicData)
            and self.topic == other.topic
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class DescribeTransactionsResponseTransactionState(Struct):
    """TransactionState of DescribeTransactionsResponse."""

    __slots__ = (
        "error_code",
        "transactional_id",
        "transaction_state",
        "transaction_timeout_ms",
        "transaction_start_time_ms",
        "producer_id",
        "producer_epoch",
        "topics",
        "unknown_tags",
    )

    error_code: int
    """Versions 0+."""
    transactional_id: str
    """Versions 0+."""
    transaction_state: str
    """Versions 0+."""
    transaction_timeout_ms: int
    """Versions 0+."""
    transaction_start_time_ms: int
    """Versions 0+."""
    producer_id: int
    """Versions 0+."""
    producer_epoch: int
    """Versions 0+."""
    topics: list[DescribeTransactionsResponseTopicData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        error_code: int = 0,
        transactional_id: str = "",
        transaction_state: str = "",
        transaction_timeout_ms: int = 0,
        transaction_start_time_ms: int = 0,
        producer_id: int = 0,
        producer_epoch: int = 0,
        topics: list[DescribeTransactionsResponseTopicData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.error_code = error_code
        self.transactional_id = transactional_id
        self.transaction_state = transaction_state
        self.transaction_timeout_ms = transaction_timeout_ms
        self.transaction_start_time_ms = transaction_start_time_ms
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeTransactionsResponseTransactionState)
            and self.error_code == other.error_code
            and self.transactional_id == other.transactional_id
            and self.transaction_state == other.transaction_state
            and self.transaction_timeout_ms == other.transaction_timeout_ms
            and self.transaction_start_time_ms == other.transaction_start_time_ms
            and self.producer_id == other.producer_id
            and self.producer_epoch == other.producer_epoch
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )



class DescribeTransactionsResponse(Message):
    """Response DescribeTransactionsResponse."""

    __slots__ = ("throttle_time_ms", "transaction_states", "unknown_tags")

    NAME: ClassVar[str] = "DescribeTransactionsResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 65
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    TopicData: TypeAlias = DescribeTransactionsResponseTopicData
    TransactionState: TypeAlias = DescribeTransactionsResponseTransactionState

    throttle_time_ms: int
    """Versions 0+."""
    transaction_states: list[DescribeTransactionsResponseTransactionState]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        transaction_states: list[DescribeTransactionsResponseTransactionState] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.transaction_states = [] if transaction_states is EMPTY else transaction_states
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeTransactionsResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.transaction_states == other.transaction_states
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DescribeTransactionsResponse, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    def _step_write(self, out: Pieces, version: int) -> Steps[None] | None:
        write = _STEP_WRITERS[version]
        return None if write is None else write(out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_topic_data_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeTransactionsResponseTopicData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeTransactionsResponseTopicData] = []
    for _ in range(size):
        message = DescribeTransactionsResponseTopicData.__new__(DescribeTransactionsResponseTopicData)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.topic = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
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


def _read_many_transaction_state_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeTransactionsResponseTransactionState], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeTransactionsResponseTransactionState] = []
    for _ in range(size):
        message = DescribeTransactionsResponseTransactionState.__new__(
            DescribeTransactionsResponseTransactionState,
        )
        message.error_code, length = _unpack_hB(buffer, position)
        position += 3
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
        message.transaction_state = str(buffer[position:end], "utf-8")
        position = end
        (
            message.transaction_timeout_ms,
            message.transaction_start_time_ms,
            message.producer_id,
            message.producer_epoch,
            count,
        ) = _unpack_iqqhB(buffer, position)
        position += 23
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
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[DescribeTransactionsResponse, int]:
    message = DescribeTransactionsResponse.__new__(DescribeTransactionsResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.transaction_states, position = _read_many_transaction_state_v0(buffer, position, count - 1)
    elif count:
        message.transaction_states = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_topic_data_v0(out: Pieces, message: DescribeTransactionsResponseTopicData) -> None:
    topic = message.topic
    data = topic.encode()
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
    if len(partitions) < TABLE_SIZE:
        out.append(PACK_INT32[len(partitions)](*partitions))
    else:
        out.append(pack_many("i", partitions))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_transaction_state_v0(out: Pieces, message: DescribeTransactionsResponseTransactionState) -> None:
    transactional_id = message.transactional_id
    data = transactional_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    transaction_state = message.transaction_state
    data = transaction_state.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iqqhB(
            message.transaction_timeout_ms,
            message.transaction_start_time_ms,
            message.producer_id,
            message.producer_epoch,
            count,
        ))
    else:
        out.append(_pack_iqqh(
            message.transaction_timeout_ms,
            message.transaction_start_time_ms,
            message.producer_id,
            message.producer_epoch,
        ))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_data_v0(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_transaction_state_v0(
    out: Pieces,
    message: DescribeTransactionsResponseTransactionState,
) -> Steps[None]:
    transactional_id = message.transactional_id
    data = transactional_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    transaction_state = message.transaction_state
    data = transaction_state.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iqqhB(
            message.transaction_timeout_ms,
            message.transaction_start_time_ms,
            message.producer_id,
            message.producer_epoch,
            count,
        ))
    else:
        out.append(_pack_iqqh(
            message.transaction_timeout_ms,
            message.transaction_start_time_ms,
            message.producer_id,
            message.producer_epoch,
        ))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_topic_data_v0(out, topics_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: DescribeTransactionsResponse) -> None:
    transaction_states = message.transaction_states
    count = len(transaction_states) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for transaction_states_item in transaction_states:
        _write_transaction_state_v0(out, transaction_states_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v0(out: Pieces, message: DescribeTransactionsResponse) -> Steps[None]:
    transaction_states = message.transaction_states
    count = len(transaction_states) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for transaction_states_item in transaction_states:
        yield from _step_write_transaction_state_v0(out, transaction_states_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)

_STEP_WRITERS = (
    _step_write_v0,
)


@cache
def _schema() -> MessageSchema:
    topic_data_struct = StructSchema(
        python_class=DescribeTransactionsResponseTopicData,
        fields=(
            FieldSchema(
                name="Topic",
                attribute="topic",
                type="string",
                versions=(0, 32767),
                default="",
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
    transaction_state_struct = StructSchema(
        python_class=DescribeTransactionsResponseTransactionState,
        fields=(
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="TransactionalId",
                attribute="transactional_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="TransactionState",
                attribute="transaction_state",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="TransactionTimeoutMs",
                attribute="transaction_timeout_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="TransactionStartTimeMs",
                attribute="transaction_start_time_ms",
                type="int64",
                versions=(0, 32767),
                default=0,
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
    describe_transactions_response_struct = StructSchema(
        python_class=DescribeTransactionsResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="TransactionStates",
                attribute="transaction_states",
                type="TransactionState",
                struct=transaction_state_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="DescribeTransactionsResponse",
        flexible_from=0,
        root=describe_transactions_response_struct,
    )
