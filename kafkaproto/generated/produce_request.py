"""ProduceRequest: versions 3-13, flexible from 9, api key 0.

Generated from api/ProduceRequest.json by codegen; change the schema, not this file.
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
    Buffers,
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
_unpack_hiB = struct.Struct(">hiB").unpack_from
_unpack_hii = struct.Struct(">hii").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ii = struct.Struct(">ii").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_h = struct.Struct(">h").pack
_pack_hi = struct.Struct(">hi").pack
_pack_hiB = struct.Struct(">hiB").pack
_pack_hii = struct.Struct(">hii").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ii = struct.Struct(">ii").pack


class ProduceRequestPartitionProduceData(Struct):
    """PartitionProduceData of ProduceRequest."""

    __slots__ = ("index", "records", "unknown_tags")

    index: int
    """Versions 0+."""
    records: Buffers | None
    """One batch. Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        index: int = 0,
        records: Buffers | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.index = index
        self.records = records
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ProduceRequestPartitionProduceData)
            and self.index == other.index
            and self.records == other.records
            and self.unknown_tags == other.unknown_tags
        )



class ProduceRequestTopicProduceData(Struct):
    """TopicProduceData of ProduceRequest."""

    __slots__ = ("name", "topic_id", "partition_data", "unknown_tags")

    name: str
    """Versions 0-12, dropped where a version lacks it."""
    topic_id: bytes
    """Versions 13+, dropped where a version lacks it."""
    partition_data: list[ProduceRequestPartitionProduceData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
        partition_data: list[ProduceRequestPartitionProduceData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partition_data = [] if partition_data is EMPTY else partition_data
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ProduceRequestTopicProduceData)
            and self.name == other.name
            and self.topic_id == other.topic_id
            and self.partition_data == other.partition_data
            and self.unknown_tags == other.unknown_tags
        )



class ProduceRequest(Message):
    """Request ProduceRequest."""

    __slots__ = ("transactional_id", "acks", "timeout_ms", "topic_data", "unknown_tags")

    NAME: ClassVar[str] = "ProduceRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 0
    MIN_VERSION: ClassVar[int] = 3
    MAX_VERSION: ClassVar[int] = 13
    FLEXIBLE_FROM: ClassVar[int | None] = 9
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    PartitionProduceData: TypeAlias = ProduceRequestPartitionProduceData
    TopicProduceData: TypeAlias = ProduceRequestTopicProduceData

    transactional_id: str | None
    """Versions 3+, null in 3+."""
    acks: int
    """0 no answer, 1 once the leader has it, -1 once all of the ISR has. Versions 0+."""
    timeout_ms: int
    """Versions 0+."""
    topic_data: list[ProduceRequestTopicProduceData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        transactional_id: str | None = None,
        acks: int = 0,
        timeout_ms: int = 0,
        topic_data: list[ProduceRequestTopicProduceData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.transactional_id = transactional_id
        self.acks = acks
        self.timeout_ms = timeout_ms
        self.topic_data = [] if topic_data is EMPTY else topic_data
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ProduceRequest)
            and self.transactional_id == other.transactional_id
            and self.acks == other.acks
            and self.timeout_ms == other.timeout_ms
            and self.topic_data == other.topic_data
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ProduceRequest, int]:
        return _READERS[version - 3](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 3](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[ProduceRequest, int]] | None:
        read = _STEP_READERS[version - 3]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_partition_produce_data_v3(
    buffer: Buffer,
    position: int,
    size: int,
    view: memoryview,
) -> tuple[list[ProduceRequestPartitionProduceData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ProduceRequestPartitionProduceData] = []
    for _ in range(size):
        message = ProduceRequestPartitionProduceData.__new__(ProduceRequestPartitionProduceData)
        message.index, length = _unpack_ii(buffer, position)
        position += 8
        if length < 0:
            message.records = None
        else:
            end = position + length
            message.records = view[position:end]
            position = end
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_topic_produce_data_v3(
    buffer: Buffer,
    position: int,
    size: int,
    view: memoryview,
) -> tuple[list[ProduceRequestTopicProduceData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ProduceRequestTopicProduceData] = []
    for _ in range(size):
        message = ProduceRequestTopicProduceData.__new__(ProduceRequestTopicProduceData)
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
            message.partition_data, position = _read_many_partition_produce_data_v3(buffer, position, count, view)
        elif not count:
            message.partition_data = []
        else:
            raise Malformed
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_topic_produce_data_v3(
    buffer: Buffer,
    position: int,
    size: int,
    view: memoryview,
    budget: Budget,
) -> Steps[tuple[list[ProduceRequestTopicProduceData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ProduceRequestTopicProduceData] = []
    for _ in range(size):
        message = ProduceRequestTopicProduceData.__new__(ProduceRequestTopicProduceData)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "ProduceRequest.partition_data")
        if count > 0:
            if count > ELEMENTS_A_STEP:
                message.partition_data, position = yield from read_pieces(
                    _read_many_partition_produce_data_v3,
                    buffer,
                    position,
                    count,
                    budget,
                    view,
                )
            else:
                message.partition_data, position = _read_many_partition_produce_data_v3(buffer, position, count, view)
                budget.take_tags(message.partition_data)
        elif not count:
            message.partition_data = []
        else:
            raise Malformed
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_v3(buffer: Buffer, position: int) -> tuple[ProduceRequest, int]:
    view = memoryview(buffer)
    message = ProduceRequest.__new__(ProduceRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        message.transactional_id = None
    else:
        end = position + length
        message.transactional_id = str(buffer[position:end], "utf-8")
        position = end
    message.acks, message.timeout_ms, count = _unpack_hii(buffer, position)
    position += 10
    if count > 0:
        message.topic_data, position = _read_many_topic_produce_data_v3(buffer, position, count, view)
    elif not count:
        message.topic_data = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _step_v3(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[ProduceRequest, int]]:
    view = memoryview(buffer)
    message = ProduceRequest.__new__(ProduceRequest)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        message.transactional_id = None
    else:
        end = position + length
        message.transactional_id = str(buffer[position:end], "utf-8")
        position = end
    message.acks, message.timeout_ms, count = _unpack_hii(buffer, position)
    position += 10
    budget.take(count, "ProduceRequest.topic_data")
    if count > 0:
        message.topic_data, position = yield from _step_many_topic_produce_data_v3(buffer, position, count, view, budget)
    elif not count:
        message.topic_data = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_partition_produce_data_v9(
    buffer: Buffer,
    position: int,
    size: int,
    view: memoryview,
) -> tuple[list[ProduceRequestPartitionProduceData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ProduceRequestPartitionProduceData] = []
    for _ in range(size):
        message = ProduceRequestPartitionProduceData.__new__(ProduceRequestPartitionProduceData)
        message.index, length = _unpack_iB(buffer, position)
        position += 5
        if length > 127:
            length, position = read_long_length(buffer, position, length)
        if not length:
            message.records = None
        else:
            end = position + length - 1
            message.records = view[position:end]
            position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_topic_produce_data_v9(
    buffer: Buffer,
    position: int,
    size: int,
    view: memoryview,
) -> tuple[list[ProduceRequestTopicProduceData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ProduceRequestTopicProduceData] = []
    for _ in range(size):
        message = ProduceRequestTopicProduceData.__new__(ProduceRequestTopicProduceData)
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
            message.partition_data, position = _read_many_partition_produce_data_v9(buffer, position, count - 1, view)
        elif count:
            message.partition_data = []
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


def _step_many_topic_produce_data_v9(
    buffer: Buffer,
    position: int,
    size: int,
    view: memoryview,
    budget: Budget,
) -> Steps[tuple[list[ProduceRequestTopicProduceData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ProduceRequestTopicProduceData] = []
    for _ in range(size):
        message = ProduceRequestTopicProduceData.__new__(ProduceRequestTopicProduceData)
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
        budget.take(count - 1, "ProduceRequest.partition_data")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.partition_data, position = yield from read_pieces(
                    _read_many_partition_produce_data_v9,
                    buffer,
                    position,
                    count - 1,
                    budget,
                    view,
                )
            else:
                message.partition_data, position = _read_many_partition_produce_data_v9(buffer, position, count - 1, view)
                budget.take_tags(message.partition_data)
        elif count:
            message.partition_data = []
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


def _read_v9(buffer: Buffer, position: int) -> tuple[ProduceRequest, int]:
    view = memoryview(buffer)
    message = ProduceRequest.__new__(ProduceRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.transactional_id = None
    else:
        end = position + length - 1
        message.transactional_id = str(buffer[position:end], "utf-8")
        position = end
    message.acks, message.timeout_ms, count = _unpack_hiB(buffer, position)
    position += 7
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topic_data, position = _read_many_topic_produce_data_v9(buffer, position, count - 1, view)
    elif count:
        message.topic_data = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v9(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[ProduceRequest, int]]:
    view = memoryview(buffer)
    message = ProduceRequest.__new__(ProduceRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.transactional_id = None
    else:
        end = position + length - 1
        message.transactional_id = str(buffer[position:end], "utf-8")
        position = end
    message.acks, message.timeout_ms, count = _unpack_hiB(buffer, position)
    position += 7
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ProduceRequest.topic_data")
    if count > 1:
        message.topic_data, position = yield from _step_many_topic_produce_data_v9(buffer, position, count - 1, view, budget)
    elif count:
        message.topic_data = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_many_topic_produce_data_v13(
    buffer: Buffer,
    position: int,
    size: int,
    view: memoryview,
) -> tuple[list[ProduceRequestTopicProduceData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ProduceRequestTopicProduceData] = []
    for _ in range(size):
        message = ProduceRequestTopicProduceData.__new__(ProduceRequestTopicProduceData)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partition_data, position = _read_many_partition_produce_data_v9(buffer, position, count - 1, view)
        elif count:
            message.partition_data = []
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


def _step_many_topic_produce_data_v13(
    buffer: Buffer,
    position: int,
    size: int,
    view: memoryview,
    budget: Budget,
) -> Steps[tuple[list[ProduceRequestTopicProduceData], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ProduceRequestTopicProduceData] = []
    for _ in range(size):
        message = ProduceRequestTopicProduceData.__new__(ProduceRequestTopicProduceData)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "ProduceRequest.partition_data")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.partition_data, position = yield from read_pieces(
                    _read_many_partition_produce_data_v9,
                    buffer,
                    position,
                    count - 1,
                    budget,
                    view,
                )
            else:
                message.partition_data, position = _read_many_partition_produce_data_v9(buffer, position, count - 1, view)
                budget.take_tags(message.partition_data)
        elif count:
            message.partition_data = []
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


def _read_v13(buffer: Buffer, position: int) -> tuple[ProduceRequest, int]:
    view = memoryview(buffer)
    message = ProduceRequest.__new__(ProduceRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.transactional_id = None
    else:
        end = position + length - 1
        message.transactional_id = str(buffer[position:end], "utf-8")
        position = end
    message.acks, message.timeout_ms, count = _unpack_hiB(buffer, position)
    position += 7
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topic_data, position = _read_many_topic_produce_data_v13(buffer, position, count - 1, view)
    elif count:
        message.topic_data = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v13(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[ProduceRequest, int]]:
    view = memoryview(buffer)
    message = ProduceRequest.__new__(ProduceRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.transactional_id = None
    else:
        end = position + length - 1
        message.transactional_id = str(buffer[position:end], "utf-8")
        position = end
    message.acks, message.timeout_ms, count = _unpack_hiB(buffer, position)
    position += 7
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ProduceRequest.topic_data")
    if count > 1:
        message.topic_data, position = yield from _step_many_topic_produce_data_v13(buffer, position, count - 1, view, budget)
    elif count:
        message.topic_data = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_partition_produce_data_v3(out: Pieces, message: ProduceRequestPartitionProduceData) -> None:
    records = message.records
    if records is None:
        records = b""
        length = -1
    else:
        length = sum(map(len, records)) if isinstance(records, list) else len(records)
    out.append(_pack_ii(message.index, length))
    if isinstance(records, list):
        out.extend(records)
    else:
        out.append(records)
    if message.unknown_tags:
        raise Malformed


def _write_topic_produce_data_v3(out: Pieces, message: ProduceRequestTopicProduceData) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partition_data = message.partition_data
    count = len(partition_data)
    out.append(_pack_i(count))
    for partition_data_item in partition_data:
        _write_partition_produce_data_v3(out, partition_data_item)
    if message.unknown_tags:
        raise Malformed


def _write_v3(out: Pieces, message: ProduceRequest) -> None:
    transactional_id = message.transactional_id
    if transactional_id is None:
        data = b""
        length = -1
    else:
        data = transactional_id.encode()
        length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    topic_data = message.topic_data
    count = len(topic_data)
    out.append(_pack_hii(message.acks, message.timeout_ms, count))
    for topic_data_item in topic_data:
        _write_topic_produce_data_v3(out, topic_data_item)
    if message.unknown_tags:
        raise Malformed


def _write_partition_produce_data_v9(out: Pieces, message: ProduceRequestPartitionProduceData) -> None:
    records = message.records
    if records is None:
        records = b""
        length = 0
    else:
        length = (sum(map(len, records)) if isinstance(records, list) else len(records)) + 1
    if length < 128:
        out.append(_pack_iB(message.index, length))
    else:
        out.append(_pack_i(message.index))
        out.append(pack_length(length))
    if isinstance(records, list):
        out.extend(records)
    else:
        out.append(records)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topic_produce_data_v9(out: Pieces, message: ProduceRequestTopicProduceData) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    partition_data = message.partition_data
    count = len(partition_data) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for partition_data_item in partition_data:
        _write_partition_produce_data_v9(out, partition_data_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v9(out: Pieces, message: ProduceRequest) -> None:
    transactional_id = message.transactional_id
    if transactional_id is None:
        data = b""
        length = 0
    else:
        data = transactional_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topic_data = message.topic_data
    count = len(topic_data) + 1
    if count < 128:
        out.append(_pack_hiB(message.acks, message.timeout_ms, count))
    else:
        out.append(_pack_hi(message.acks, message.timeout_ms))
        out.append(pack_length(count))
    for topic_data_item in topic_data:
        _write_topic_produce_data_v9(out, topic_data_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topic_produce_data_v13(out: Pieces, message: ProduceRequestTopicProduceData) -> None:
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    partition_data = message.partition_data
    count = len(partition_data) + 1
    if count < 128:
        out.append(_pack_uB(topic_id, count))
    else:
        out.append(topic_id)
        out.append(pack_length(count))
    for partition_data_item in partition_data:
        _write_partition_produce_data_v9(out, partition_data_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v13(out: Pieces, message: ProduceRequest) -> None:
    transactional_id = message.transactional_id
    if transactional_id is None:
        data = b""
        length = 0
    else:
        data = transactional_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    topic_data = message.topic_data
    count = len(topic_data) + 1
    if count < 128:
        out.append(_pack_hiB(message.acks, message.timeout_ms, count))
    else:
        out.append(_pack_hi(message.acks, message.timeout_ms))
        out.append(pack_length(count))
    for topic_data_item in topic_data:
        _write_topic_produce_data_v13(out, topic_data_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v3,
    _read_v3,
    _read_v3,
    _read_v3,
    _read_v3,
    _read_v3,
    _read_v9,
    _read_v9,
    _read_v9,
    _read_v9,
    _read_v13,
)

_WRITERS = (
    _write_v3,
    _write_v3,
    _write_v3,
    _write_v3,
    _write_v3,
    _write_v3,
    _write_v9,
    _write_v9,
    _write_v9,
    _write_v9,
    _write_v13,
)

_STEP_READERS = (
    _step_v3,
    _step_v3,
    _step_v3,
    _step_v3,
    _step_v3,
    _step_v3,
    _step_v9,
    _step_v9,
    _step_v9,
    _step_v9,
    _step_v13,
)


@cache
def _schema() -> MessageSchema:
    partition_produce_data_struct = StructSchema(
        python_class=ProduceRequestPartitionProduceData,
        fields=(
            FieldSchema(
                name="Index",
                attribute="index",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Records",
                attribute="records",
                type="records",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
        ),
    )
    topic_produce_data_struct = StructSchema(
        python_class=ProduceRequestTopicProduceData,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 12),
                default="",
                ignorable=True,
            ),
            FieldSchema(
                name="TopicId",
                attribute="topic_id",
                type="uuid",
                versions=(13, 32767),
                default=ZERO_UUID,
                ignorable=True,
            ),
            FieldSchema(
                name="PartitionData",
                attribute="partition_data",
                type="PartitionProduceData",
                struct=partition_produce_data_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    produce_request_struct = StructSchema(
        python_class=ProduceRequest,
        fields=(
            FieldSchema(
                name="TransactionalId",
                attribute="transactional_id",
                type="string",
                versions=(3, 32767),
                nullable=(3, 32767),
                default=None,
            ),
            FieldSchema(
                name="Acks",
                attribute="acks",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="TimeoutMs",
                attribute="timeout_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="TopicData",
                attribute="topic_data",
                type="TopicProduceData",
                struct=topic_produce_data_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="ProduceRequest", flexible_from=9, root=produce_request_struct)
