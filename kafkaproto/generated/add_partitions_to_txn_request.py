"""AddPartitionsToTxnRequest: versions 0-5, flexible from 3, api key 24.

Generated from api/AddPartitionsToTxnRequest.json by codegen; change the schema, not this file.
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

_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_qhtB = struct.Struct(">qh?B").unpack_from
_unpack_qhB = struct.Struct(">qhB").unpack_from
_unpack_qhi = struct.Struct(">qhi").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_qh = struct.Struct(">qh").pack
_pack_qht = struct.Struct(">qh?").pack
_pack_qhtB = struct.Struct(">qh?B").pack
_pack_qhB = struct.Struct(">qhB").pack
_pack_qhi = struct.Struct(">qhi").pack


class AddPartitionsToTxnRequestAddPartitionsToTxnTopic(Struct):
    """AddPartitionsToTxnTopic of AddPartitionsToTxnRequest."""

    __slots__ = ("name", "partitions", "unknown_tags")

    name: str
    """Versions 0+."""
    partitions: list[int]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        partitions: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AddPartitionsToTxnRequestAddPartitionsToTxnTopic)
            and self.name == other.name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class AddPartitionsToTxnRequestAddPartitionsToTxnTransaction(Struct):
    """AddPartitionsToTxnTransaction of AddPartitionsToTxnRequest."""

    __slots__ = (
        "transactional_id",
        "producer_id",
        "producer_epoch",
        "verify_only",
        "topics",
        "unknown_tags",
    )

    transactional_id: str
    """Versions 4+."""
    producer_id: int
    """Versions 4+."""
    producer_epoch: int
    """Versions 4+."""
    verify_only: bool
    """Versions 4+."""
    topics: list[AddPartitionsToTxnRequestAddPartitionsToTxnTopic]
    """Versions 4+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        transactional_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        verify_only: bool = False,
        topics: list[AddPartitionsToTxnRequestAddPartitionsToTxnTopic] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.verify_only = verify_only
        self.topics = [] if topics is EMPTY else topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AddPartitionsToTxnRequestAddPartitionsToTxnTransaction)
            and self.transactional_id == other.transactional_id
            and self.producer_id == other.producer_id
            and self.producer_epoch == other.producer_epoch
            and self.verify_only == other.verify_only
            and self.topics == other.topics
            and self.unknown_tags == other.unknown_tags
        )



class AddPartitionsToTxnRequest(Message):
    """Request AddPartitionsToTxnRequest."""

    __slots__ = (
        "transactions",
        "v3_and_below_transactional_id",
        "v3_and_below_producer_id",
        "v3_and_below_producer_epoch",
        "v3_and_below_topics",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "AddPartitionsToTxnRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 24
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    AddPartitionsToTxnTopic: TypeAlias = AddPartitionsToTxnRequestAddPartitionsToTxnTopic
    AddPartitionsToTxnTransaction: TypeAlias = AddPartitionsToTxnRequestAddPartitionsToTxnTransaction

    transactions: list[AddPartitionsToTxnRequestAddPartitionsToTxnTransaction]
    """Versions 4+."""
    v3_and_below_transactional_id: str
    """Versions 0-3."""
    v3_and_below_producer_id: int
    """Versions 0-3."""
    v3_and_below_producer_epoch: int
    """Versions 0-3."""
    v3_and_below_topics: list[AddPartitionsToTxnRequestAddPartitionsToTxnTopic]
    """Versions 0-3."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        transactions: list[AddPartitionsToTxnRequestAddPartitionsToTxnTransaction] = EMPTY,
        v3_and_below_transactional_id: str = "",
        v3_and_below_producer_id: int = 0,
        v3_and_below_producer_epoch: int = 0,
        v3_and_below_topics: list[AddPartitionsToTxnRequestAddPartitionsToTxnTopic] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.transactions = [] if transactions is EMPTY else transactions
        self.v3_and_below_transactional_id = v3_and_below_transactional_id
        self.v3_and_below_producer_id = v3_and_below_producer_id
        self.v3_and_below_producer_epoch = v3_and_below_producer_epoch
        self.v3_and_below_topics = [] if v3_and_below_topics is EMPTY else v3_and_below_topics
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AddPartitionsToTxnRequest)
            and self.transactions == other.transactions
            and self.v3_and_below_transactional_id == other.v3_and_below_transactional_id
            and self.v3_and_below_producer_id == other.v3_and_below_producer_id
            and self.v3_and_below_producer_epoch == other.v3_and_below_producer_epoch
            and self.v3_and_below_topics == other.v3_and_below_topics
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[AddPartitionsToTxnRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[AddPartitionsToTxnRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_add_partitions_to_txn_topic_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AddPartitionsToTxnRequestAddPartitionsToTxnTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AddPartitionsToTxnRequestAddPartitionsToTxnTopic] = []
    for _ in range(size):
        message = AddPartitionsToTxnRequestAddPartitionsToTxnTopic.__new__(
            AddPartitionsToTxnRequestAddPartitionsToTxnTopic,
        )
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
            message.partitions = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.partitions = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_add_partitions_to_txn_topic_v0(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[AddPartitionsToTxnRequestAddPartitionsToTxnTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AddPartitionsToTxnRequestAddPartitionsToTxnTopic] = []
    for _ in range(size):
        message = AddPartitionsToTxnRequestAddPartitionsToTxnTopic.__new__(
            AddPartitionsToTxnRequestAddPartitionsToTxnTopic,
        )
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "AddPartitionsToTxnRequest.partitions")
        if count < 0:
            raise Malformed
        if count < TABLE_SIZE:
            message.partitions = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.partitions = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        yield
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[AddPartitionsToTxnRequest, int]:
    message = AddPartitionsToTxnRequest.__new__(AddPartitionsToTxnRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.v3_and_below_transactional_id = str(buffer[position:end], "utf-8")
    position = end
    (
        message.v3_and_below_producer_id,
        message.v3_and_below_producer_epoch,
        count,
    ) = _unpack_qhi(buffer, position)
    position += 14
    if count > 0:
        message.v3_and_below_topics, position = _read_many_add_partitions_to_txn_topic_v0(buffer, position, count)
    elif not count:
        message.v3_and_below_topics = []
    else:
        raise Malformed
    message.transactions = []
    message.unknown_tags = None
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[AddPartitionsToTxnRequest, int]]:
    message = AddPartitionsToTxnRequest.__new__(AddPartitionsToTxnRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.v3_and_below_transactional_id = str(buffer[position:end], "utf-8")
    position = end
    (
        message.v3_and_below_producer_id,
        message.v3_and_below_producer_epoch,
        count,
    ) = _unpack_qhi(buffer, position)
    position += 14
    budget.take(count, "AddPartitionsToTxnRequest.v3_and_below_topics")
    if count > 0:
        message.v3_and_below_topics, position = yield from _step_many_add_partitions_to_txn_topic_v0(buffer, position, count, budget)
    elif not count:
        message.v3_and_below_topics = []
    else:
        raise Malformed
    message.transactions = []
    message.unknown_tags = None
    return message, position


def _read_many_add_partitions_to_txn_topic_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AddPartitionsToTxnRequestAddPartitionsToTxnTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AddPartitionsToTxnRequestAddPartitionsToTxnTopic] = []
    for _ in range(size):
        message = AddPartitionsToTxnRequestAddPartitionsToTxnTopic.__new__(
            AddPartitionsToTxnRequestAddPartitionsToTxnTopic,
        )
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


def _step_many_add_partitions_to_txn_topic_v3(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[AddPartitionsToTxnRequestAddPartitionsToTxnTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AddPartitionsToTxnRequestAddPartitionsToTxnTopic] = []
    for _ in range(size):
        message = AddPartitionsToTxnRequestAddPartitionsToTxnTopic.__new__(
            AddPartitionsToTxnRequestAddPartitionsToTxnTopic,
        )
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
        budget.take(count - 1, "AddPartitionsToTxnRequest.partitions")
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


def _read_v3(buffer: Buffer, position: int) -> tuple[AddPartitionsToTxnRequest, int]:
    message = AddPartitionsToTxnRequest.__new__(AddPartitionsToTxnRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.v3_and_below_transactional_id = str(buffer[position:end], "utf-8")
    position = end
    (
        message.v3_and_below_producer_id,
        message.v3_and_below_producer_epoch,
        count,
    ) = _unpack_qhB(buffer, position)
    position += 11
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.v3_and_below_topics, position = _read_many_add_partitions_to_txn_topic_v3(buffer, position, count - 1)
    elif count:
        message.v3_and_below_topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.transactions = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v3(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[AddPartitionsToTxnRequest, int]]:
    message = AddPartitionsToTxnRequest.__new__(AddPartitionsToTxnRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.v3_and_below_transactional_id = str(buffer[position:end], "utf-8")
    position = end
    (
        message.v3_and_below_producer_id,
        message.v3_and_below_producer_epoch,
        count,
    ) = _unpack_qhB(buffer, position)
    position += 11
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "AddPartitionsToTxnRequest.v3_and_below_topics")
    if count > 1:
        message.v3_and_below_topics, position = yield from _step_many_add_partitions_to_txn_topic_v3(buffer, position, count - 1, budget)
    elif count:
        message.v3_and_below_topics = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.transactions = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_many_add_partitions_to_txn_transaction_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[AddPartitionsToTxnRequestAddPartitionsToTxnTransaction], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AddPartitionsToTxnRequestAddPartitionsToTxnTransaction] = []
    for _ in range(size):
        message = AddPartitionsToTxnRequestAddPartitionsToTxnTransaction.__new__(
            AddPartitionsToTxnRequestAddPartitionsToTxnTransaction,
        )
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.transactional_id = str(buffer[position:end], "utf-8")
        position = end
        (
            message.producer_id,
            message.producer_epoch,
            message.verify_only,
            count,
        ) = _unpack_qhtB(buffer, position)
        position += 12
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.topics, position = _read_many_add_partitions_to_txn_topic_v3(buffer, position, count - 1)
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


def _step_many_add_partitions_to_txn_transaction_v4(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[AddPartitionsToTxnRequestAddPartitionsToTxnTransaction], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AddPartitionsToTxnRequestAddPartitionsToTxnTransaction] = []
    for _ in range(size):
        message = AddPartitionsToTxnRequestAddPartitionsToTxnTransaction.__new__(
            AddPartitionsToTxnRequestAddPartitionsToTxnTransaction,
        )
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.transactional_id = str(buffer[position:end], "utf-8")
        position = end
        (
            message.producer_id,
            message.producer_epoch,
            message.verify_only,
            count,
        ) = _unpack_qhtB(buffer, position)
        position += 12
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "AddPartitionsToTxnRequest.topics")
        if count > 1:
            message.topics, position = yield from _step_many_add_partitions_to_txn_topic_v3(buffer, position, count - 1, budget)
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
        found.append(message)
        yield
    return found, position


def _read_v4(buffer: Buffer, position: int) -> tuple[AddPartitionsToTxnRequest, int]:
    message = AddPartitionsToTxnRequest.__new__(AddPartitionsToTxnRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.transactions, position = _read_many_add_partitions_to_txn_transaction_v4(buffer, position, count - 1)
    elif count:
        message.transactions = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.v3_and_below_transactional_id = ""
    message.v3_and_below_producer_id = 0
    message.v3_and_below_producer_epoch = 0
    message.v3_and_below_topics = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v4(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[AddPartitionsToTxnRequest, int]]:
    message = AddPartitionsToTxnRequest.__new__(AddPartitionsToTxnRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "AddPartitionsToTxnRequest.transactions")
    if count > 1:
        message.transactions, position = yield from _step_many_add_partitions_to_txn_transaction_v4(buffer, position, count - 1, budget)
    elif count:
        message.transactions = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.v3_and_below_transactional_id = ""
    message.v3_and_below_producer_id = 0
    message.v3_and_below_producer_epoch = 0
    message.v3_and_below_topics = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_add_partitions_to_txn_topic_v0(
    out: Pieces,
    message: AddPartitionsToTxnRequestAddPartitionsToTxnTopic,
) -> None:
    name = message.name
    data = name.encode()
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


def _write_v0(out: Pieces, message: AddPartitionsToTxnRequest) -> None:
    if len(message.transactions) != 0:
        raise Malformed
    v3_and_below_transactional_id = message.v3_and_below_transactional_id
    data = v3_and_below_transactional_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    v3_and_below_topics = message.v3_and_below_topics
    count = len(v3_and_below_topics)
    out.append(_pack_qhi(message.v3_and_below_producer_id, message.v3_and_below_producer_epoch, count))
    for v3_and_below_topics_item in v3_and_below_topics:
        _write_add_partitions_to_txn_topic_v0(out, v3_and_below_topics_item)
    if message.unknown_tags:
        raise Malformed


def _write_add_partitions_to_txn_topic_v3(
    out: Pieces,
    message: AddPartitionsToTxnRequestAddPartitionsToTxnTopic,
) -> None:
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
    if len(partitions) < TABLE_SIZE:
        out.append(PACK_INT32[len(partitions)](*partitions))
    else:
        out.append(pack_many("i", partitions))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v3(out: Pieces, message: AddPartitionsToTxnRequest) -> None:
    if len(message.transactions) != 0:
        raise Malformed
    v3_and_below_transactional_id = message.v3_and_below_transactional_id
    data = v3_and_below_transactional_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    v3_and_below_topics = message.v3_and_below_topics
    count = len(v3_and_below_topics) + 1
    if count < 128:
        out.append(_pack_qhB(message.v3_and_below_producer_id, message.v3_and_below_producer_epoch, count))
    else:
        out.append(_pack_qh(message.v3_and_below_producer_id, message.v3_and_below_producer_epoch))
        out.append(pack_length(count))
    for v3_and_below_topics_item in v3_and_below_topics:
        _write_add_partitions_to_txn_topic_v3(out, v3_and_below_topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_add_partitions_to_txn_transaction_v4(
    out: Pieces,
    message: AddPartitionsToTxnRequestAddPartitionsToTxnTransaction,
) -> None:
    transactional_id = message.transactional_id
    data = transactional_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_qhtB(message.producer_id, message.producer_epoch, message.verify_only, count))
    else:
        out.append(_pack_qht(message.producer_id, message.producer_epoch, message.verify_only))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_add_partitions_to_txn_topic_v3(out, topics_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v4(out: Pieces, message: AddPartitionsToTxnRequest) -> None:
    if message.v3_and_below_transactional_id != "":
        raise Malformed
    if message.v3_and_below_producer_id != 0:
        raise Malformed
    if message.v3_and_below_producer_epoch != 0:
        raise Malformed
    if len(message.v3_and_below_topics) != 0:
        raise Malformed
    transactions = message.transactions
    count = len(transactions) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for transactions_item in transactions:
        _write_add_partitions_to_txn_transaction_v4(out, transactions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
    _read_v0,
    _read_v0,
    _read_v3,
    _read_v4,
    _read_v4,
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v0,
    _write_v3,
    _write_v4,
    _write_v4,
)

_STEP_READERS = (
    _step_v0,
    _step_v0,
    _step_v0,
    _step_v3,
    _step_v4,
    _step_v4,
)


@cache
def _schema() -> MessageSchema:
    add_partitions_to_txn_topic_struct = StructSchema(
        python_class=AddPartitionsToTxnRequestAddPartitionsToTxnTopic,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
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
    add_partitions_to_txn_transaction_struct = StructSchema(
        python_class=AddPartitionsToTxnRequestAddPartitionsToTxnTransaction,
        fields=(
            FieldSchema(
                name="TransactionalId",
                attribute="transactional_id",
                type="string",
                versions=(4, 32767),
                default="",
            ),
            FieldSchema(
                name="ProducerId",
                attribute="producer_id",
                type="int64",
                versions=(4, 32767),
                default=0,
            ),
            FieldSchema(
                name="ProducerEpoch",
                attribute="producer_epoch",
                type="int16",
                versions=(4, 32767),
                default=0,
            ),
            FieldSchema(
                name="VerifyOnly",
                attribute="verify_only",
                type="bool",
                versions=(4, 32767),
                default=False,
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="AddPartitionsToTxnTopic",
                struct=add_partitions_to_txn_topic_struct,
                array=True,
                versions=(4, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    add_partitions_to_txn_request_struct = StructSchema(
        python_class=AddPartitionsToTxnRequest,
        fields=(
            FieldSchema(
                name="Transactions",
                attribute="transactions",
                type="AddPartitionsToTxnTransaction",
                struct=add_partitions_to_txn_transaction_struct,
                array=True,
                versions=(4, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="V3AndBelowTransactionalId",
                attribute="v3_and_below_transactional_id",
                type="string",
                versions=(0, 3),
                default="",
            ),
            FieldSchema(
                name="V3AndBelowProducerId",
                attribute="v3_and_below_producer_id",
                type="int64",
                versions=(0, 3),
                default=0,
            ),
            FieldSchema(
                name="V3AndBelowProducerEpoch",
                attribute="v3_and_below_producer_epoch",
                type="int16",
                versions=(0, 3),
                default=0,
            ),
            FieldSchema(
                name="V3AndBelowTopics",
                attribute="v3_and_below_topics",
                type="AddPartitionsToTxnTopic",
                struct=add_partitions_to_txn_topic_struct,
                array=True,
                versions=(0, 3),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="AddPartitionsToTxnRequest",
        flexible_from=3,
        root=add_partitions_to_txn_request_struct,
    )
