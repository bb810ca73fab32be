"""TransactionLogValue: versions 0-1, flexible from 1, record type 0.

Generated from transaction/TransactionLogValue.json by codegen; change the schema, not this file.
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
    pack_length,
    pack_many,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_tag_section,
    read_unknown_tags,
    unpack_many,
    write_tag_section,
)

_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_q = struct.Struct(">q").unpack_from
_unpack_qhibB = struct.Struct(">qhibB").unpack_from
_unpack_qhibi = struct.Struct(">qhibi").unpack_from
_unpack_qq = struct.Struct(">qq").unpack_from
_unpack_qqB = struct.Struct(">qqB").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_q = struct.Struct(">q").pack
_pack_qhib = struct.Struct(">qhib").pack
_pack_qhibB = struct.Struct(">qhibB").pack
_pack_qhibi = struct.Struct(">qhibi").pack
_pack_qq = struct.Struct(">qq").pack


class TransactionLogValuePartitionsSchema(Struct):
    """PartitionsSchema of TransactionLogValue."""

    __slots__ = ("topic", "partition_ids", "unknown_tags")

    topic: str
    """Versions 0+."""
    partition_ids: list[int]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic: str = "",
        partition_ids: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic = topic
        self.partition_ids = [] if partition_ids is EMPTY else partition_ids
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TransactionLogValuePartitionsSchema)
            and self.topic == other.topic
            and self.partition_ids == other.partition_ids
            and self.unknown_tags == other.unknown_tags
        )



class TransactionLogValue(Message):
    """Coordinator-value TransactionLogValue."""

    __slots__ = (
        "producer_id",
        "previous_producer_id",
        "next_producer_id",
        "producer_epoch",
        "next_producer_epoch",
        "transaction_timeout_ms",
        "transaction_status",
        "transaction_partitions",
        "transaction_last_update_timestamp_ms",
        "transaction_start_timestamp_ms",
        "client_transaction_version",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "TransactionLogValue"
    TYPE: ClassVar[str] = "coordinator-value"
    API_KEY: ClassVar[int | None] = 0
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    PartitionsSchema: TypeAlias = TransactionLogValuePartitionsSchema

    producer_id: int
    """Versions 0+."""
    previous_producer_id: int
    """Versions 1+, tag 0 in 1+."""
    next_producer_id: int
    """Versions 1+, tag 1 in 1+."""
    producer_epoch: int
    """Versions 0+."""
    next_producer_epoch: int
    """Versions 1+, tag 3 in 1+."""
    transaction_timeout_ms: int
    """Versions 0+."""
    transaction_status: int
    """Versions 0+."""
    transaction_partitions: list[TransactionLogValuePartitionsSchema] | None
    """Versions 0+, null in 0+."""
    transaction_last_update_timestamp_ms: int
    """Versions 0+."""
    transaction_start_timestamp_ms: int
    """Versions 0+."""
    client_transaction_version: int
    """Versions 1+, tag 2 in 1+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        producer_id: int = 0,
        previous_producer_id: int = -1,
        next_producer_id: int = -1,
        producer_epoch: int = 0,
        next_producer_epoch: int = -1,
        transaction_timeout_ms: int = 0,
        transaction_status: int = 0,
        transaction_partitions: list[TransactionLogValuePartitionsSchema] | None = EMPTY,
        transaction_last_update_timestamp_ms: int = 0,
        transaction_start_timestamp_ms: int = 0,
        client_transaction_version: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.producer_id = producer_id
        self.previous_producer_id = previous_producer_id
        self.next_producer_id = next_producer_id
        self.producer_epoch = producer_epoch
        self.next_producer_epoch = next_producer_epoch
        self.transaction_timeout_ms = transaction_timeout_ms
        self.transaction_status = transaction_status
        self.transaction_partitions = [] if transaction_partitions is EMPTY else transaction_partitions
        self.transaction_last_update_timestamp_ms = transaction_last_update_timestamp_ms
        self.transaction_start_timestamp_ms = transaction_start_timestamp_ms
        self.client_transaction_version = client_transaction_version
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TransactionLogValue)
            and self.producer_id == other.producer_id
            and self.previous_producer_id == other.previous_producer_id
            and self.next_producer_id == other.next_producer_id
            and self.producer_epoch == other.producer_epoch
            and self.next_producer_epoch == other.next_producer_epoch
            and self.transaction_timeout_ms == other.transaction_timeout_ms
            and self.transaction_status == other.transaction_status
            and self.transaction_partitions == other.transaction_partitions
            and self.transaction_last_update_timestamp_ms == other.transaction_last_update_timestamp_ms
            and self.transaction_start_timestamp_ms == other.transaction_start_timestamp_ms
            and self.client_transaction_version == other.client_transaction_version
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[TransactionLogValue, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_partitions_schema_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[TransactionLogValuePartitionsSchema], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[TransactionLogValuePartitionsSchema] = []
    for _ in range(size):
        message = TransactionLogValuePartitionsSchema.__new__(TransactionLogValuePartitionsSchema)
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
            message.partition_ids = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.partition_ids = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[TransactionLogValue, int]:
    message = TransactionLogValue.__new__(TransactionLogValue)
    (
        message.producer_id,
        message.producer_epoch,
        message.transaction_timeout_ms,
        message.transaction_status,
        count,
    ) = _unpack_qhibi(buffer, position)
    position += 19
    if count > 0:
        message.transaction_partitions, position = _read_many_partitions_schema_v0(buffer, position, count)
    elif not count:
        message.transaction_partitions = []
    else:
        message.transaction_partitions = None
    (
        message.transaction_last_update_timestamp_ms,
        message.transaction_start_timestamp_ms,
    ) = _unpack_qq(buffer, position)
    position += 16
    message.previous_producer_id = -1
    message.next_producer_id = -1
    message.next_producer_epoch = -1
    message.client_transaction_version = 0
    message.unknown_tags = None
    return message, position


def _read_many_partitions_schema_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[TransactionLogValuePartitionsSchema], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[TransactionLogValuePartitionsSchema] = []
    for _ in range(size):
        message = TransactionLogValuePartitionsSchema.__new__(TransactionLogValuePartitionsSchema)
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
            message.partition_ids = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.partition_ids = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[TransactionLogValue, int]:
    message = TransactionLogValue.__new__(TransactionLogValue)
    (
        message.producer_id,
        message.producer_epoch,
        message.transaction_timeout_ms,
        message.transaction_status,
        count,
    ) = _unpack_qhibB(buffer, position)
    position += 16
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.transaction_partitions, position = _read_many_partitions_schema_v1(buffer, position, count - 1)
    elif count:
        message.transaction_partitions = []
    else:
        message.transaction_partitions = None
    (
        message.transaction_last_update_timestamp_ms,
        message.transaction_start_timestamp_ms,
        tags,
    ) = _unpack_qqB(buffer, position)
    position += 17
    message.previous_producer_id = -1
    message.next_producer_id = -1
    message.client_transaction_version = 0
    message.next_producer_epoch = -1
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                (message.previous_producer_id,) = _unpack_q(buffer, position)
                position += 8
            elif tag == 1:
                (message.next_producer_id,) = _unpack_q(buffer, position)
                position += 8
            elif tag == 2:
                (message.client_transaction_version,) = _unpack_h(buffer, position)
                position += 2
            elif tag == 3:
                (message.next_producer_epoch,) = _unpack_h(buffer, position)
                position += 2
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _write_partitions_schema_v0(out: Pieces, message: TransactionLogValuePartitionsSchema) -> None:
    topic = message.topic
    data = topic.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partition_ids = message.partition_ids
    count = len(partition_ids)
    out.append(_pack_i(count))
    if len(partition_ids) < TABLE_SIZE:
        out.append(PACK_INT32[len(partition_ids)](*partition_ids))
    else:
        out.append(pack_many("i", partition_ids))
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: TransactionLogValue) -> None:
    if message.previous_producer_id != -1:
        raise Malformed
    if message.next_producer_id != -1:
        raise Malformed
    if message.next_producer_epoch != -1:
        raise Malformed
    if message.client_transaction_version != 0:
        raise Malformed
    transaction_partitions = message.transaction_partitions
    if transaction_partitions is None:
        transaction_partitions = EMPTY
        count = -1
    else:
        count = len(transaction_partitions)
    out.append(_pack_qhibi(
        message.producer_id,
        message.producer_epoch,
        message.transaction_timeout_ms,
        message.transaction_status,
        count,
    ))
    for transaction_partitions_item in transaction_partitions:
        _write_partitions_schema_v0(out, transaction_partitions_item)
    out.append(_pack_qq(message.transaction_last_update_timestamp_ms, message.transaction_start_timestamp_ms))
    if message.unknown_tags:
        raise Malformed


def _write_partitions_schema_v1(out: Pieces, message: TransactionLogValuePartitionsSchema) -> None:
    topic = message.topic
    data = topic.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    partition_ids = message.partition_ids
    count = len(partition_ids) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(partition_ids) < TABLE_SIZE:
        out.append(PACK_INT32[len(partition_ids)](*partition_ids))
    else:
        out.append(pack_many("i", partition_ids))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: TransactionLogValue) -> None:
    transaction_partitions = message.transaction_partitions
    if transaction_partitions is None:
        transaction_partitions = EMPTY
        count = 0
    else:
        count = len(transaction_partitions) + 1
    if count < 128:
        out.append(_pack_qhibB(
            message.producer_id,
            message.producer_epoch,
            message.transaction_timeout_ms,
            message.transaction_status,
            count,
        ))
    else:
        out.append(_pack_qhib(
            message.producer_id,
            message.producer_epoch,
            message.transaction_timeout_ms,
            message.transaction_status,
        ))
        out.append(pack_length(count))
    for transaction_partitions_item in transaction_partitions:
        _write_partitions_schema_v1(out, transaction_partitions_item)
    out.append(_pack_qq(message.transaction_last_update_timestamp_ms, message.transaction_start_timestamp_ms))
    tagged = []
    section: Pieces
    if message.previous_producer_id != -1:
        section = []
        section.append(_pack_q(message.previous_producer_id))
        tagged.append((0, b"".join(section)))
    if message.next_producer_id != -1:
        section = []
        section.append(_pack_q(message.next_producer_id))
        tagged.append((1, b"".join(section)))
    if message.client_transaction_version != 0:
        section = []
        section.append(_pack_h(message.client_transaction_version))
        tagged.append((2, b"".join(section)))
    if message.next_producer_epoch != -1:
        section = []
        section.append(_pack_h(message.next_producer_epoch))
        tagged.append((3, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
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


@cache
def _schema() -> MessageSchema:
    partitions_schema_struct = StructSchema(
        python_class=TransactionLogValuePartitionsSchema,
        fields=(
            FieldSchema(
                name="Topic",
                attribute="topic",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="PartitionIds",
                attribute="partition_ids",
                type="int32",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    transaction_log_value_struct = StructSchema(
        python_class=TransactionLogValue,
        fields=(
            FieldSchema(
                name="ProducerId",
                attribute="producer_id",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="PreviousProducerId",
                attribute="previous_producer_id",
                type="int64",
                versions=(1, 32767),
                tagged=(1, 32767),
                tag=0,
                default=-1,
            ),
            FieldSchema(
                name="NextProducerId",
                attribute="next_producer_id",
                type="int64",
                versions=(1, 32767),
                tagged=(1, 32767),
                tag=1,
                default=-1,
            ),
            FieldSchema(
                name="ProducerEpoch",
                attribute="producer_epoch",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="NextProducerEpoch",
                attribute="next_producer_epoch",
                type="int16",
                versions=(1, 32767),
                tagged=(1, 32767),
                tag=3,
                default=-1,
            ),
            FieldSchema(
                name="TransactionTimeoutMs",
                attribute="transaction_timeout_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="TransactionStatus",
                attribute="transaction_status",
                type="int8",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="TransactionPartitions",
                attribute="transaction_partitions",
                type="PartitionsSchema",
                struct=partitions_schema_struct,
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="TransactionLastUpdateTimestampMs",
                attribute="transaction_last_update_timestamp_ms",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="TransactionStartTimestampMs",
                attribute="transaction_start_timestamp_ms",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ClientTransactionVersion",
                attribute="client_transaction_version",
                type="int16",
                versions=(1, 32767),
                tagged=(1, 32767),
                tag=2,
                default=0,
            ),
        ),
    )
    return MessageSchema(name="TransactionLogValue", flexible_from=1, root=transaction_log_value_struct)
