"""WriteTxnMarkersRequest: versions 1-2, flexible from 1, api key 27.

Generated from api/WriteTxnMarkersRequest.json by codegen; change the schema, not this file.
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

_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ibB = struct.Struct(">ibB").unpack_from
_unpack_qhtB = struct.Struct(">qh?B").unpack_from
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ib = struct.Struct(">ib").pack
_pack_ibB = struct.Struct(">ibB").pack
_pack_qht = struct.Struct(">qh?").pack
_pack_qhtB = struct.Struct(">qh?B").pack


class WriteTxnMarkersRequestWritableTxnMarkerTopic(Struct):
    """WritableTxnMarkerTopic of WriteTxnMarkersRequest."""

    __slots__ = ("name", "partition_indexes", "unknown_tags")

    name: str
    """Versions 0+."""
    partition_indexes: list[int]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        partition_indexes: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.partition_indexes = [] if partition_indexes is EMPTY else partition_indexes
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, WriteTxnMarkersRequestWritableTxnMarkerTopic)
            and self.name == other.name
            and self.partition_indexes == other.partition_indexes
            and self.unknown_tags == other.unknown_tags
        )



class WriteTxnMarkersRequestWritableTxnMarker(Struct):
    """WritableTxnMarker of WriteTxnMarkersRequest."""

    __slots__ = (
        "producer_id",
        "producer_epoch",
        "transaction_result",
        "topics",
        "coordinator_epoch",
        "transaction_version",
        "unknown_tags",
    )

    producer_id: int
    """Versions 0+."""
    producer_epoch: int
    """Versions 0+."""
    transaction_result: bool
    """Versions 0+."""
    topics: list[WriteTxnMarkersRequestWritableTxnMarkerTopic]
    """Versions 0+."""
    coordinator_epoch: int
    """Versions 0+."""
    transaction_version: int
    """Versions 2+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        producer_id: int = 0,
        producer_epoch: int = 0,
        transaction_result: bool = False,
        topics: list[WriteTxnMarkersRequestWritableTxnMarkerTopic] = EMPTY,
        coordinator_epoch: int = 0,
        transaction_version: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.transaction_result = transaction_result
        self.topics = [] if topics is EMPTY else topics
        self.coordinator_epoch = coordinator_epoch
        self.transaction_version = transaction_version
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, WriteTxnMarkersRequestWritableTxnMarker)
            and self.producer_id == other.producer_id
            and self.producer_epoch == other.producer_epoch
            and self.transaction_result == other.transaction_result
            and self.topics == other.topics
            and self.coordinator_epoch == other.coordinator_epoch
            and self.transaction_version == other.transaction_version
            and self.unknown_tags == other.unknown_tags
        )



class WriteTxnMarkersRequest(Message):
    """Request WriteTxnMarkersRequest."""

    __slots__ = ("markers", "unknown_tags")

    NAME: ClassVar[str] = "WriteTxnMarkersRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 27
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)
    WritableTxnMarkerTopic: TypeAlias = WriteTxnMarkersRequestWritableTxnMarkerTopic
    WritableTxnMarker: TypeAlias = WriteTxnMarkersRequestWritableTxnMarker

    markers: list[WriteTxnMarkersRequestWritableTxnMarker]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        markers: list[WriteTxnMarkersRequestWritableTxnMarker] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.markers = [] if markers is EMPTY else markers
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, WriteTxnMarkersRequest)
            and self.markers == other.markers
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[WriteTxnMarkersRequest, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[WriteTxnMarkersRequest, int]] | None:
        read = _STEP_READERS[version - 1]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_writable_txn_marker_topic_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[WriteTxnMarkersRequestWritableTxnMarkerTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[WriteTxnMarkersRequestWritableTxnMarkerTopic] = []
    for _ in range(size):
        message = WriteTxnMarkersRequestWritableTxnMarkerTopic.__new__(
            WriteTxnMarkersRequestWritableTxnMarkerTopic,
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
            message.partition_indexes = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.partition_indexes = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_writable_txn_marker_topic_v1(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[WriteTxnMarkersRequestWritableTxnMarkerTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[WriteTxnMarkersRequestWritableTxnMarkerTopic] = []
    for _ in range(size):
        message = WriteTxnMarkersRequestWritableTxnMarkerTopic.__new__(
            WriteTxnMarkersRequestWritableTxnMarkerTopic,
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
        budget.take(count - 1, "WriteTxnMarkersRequest.partition_indexes")
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.partition_indexes = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.partition_indexes = unpack_many("i", 4, count - 1, buffer, position)
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


def _read_many_writable_txn_marker_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[WriteTxnMarkersRequestWritableTxnMarker], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[WriteTxnMarkersRequestWritableTxnMarker] = []
    for _ in range(size):
        message = WriteTxnMarkersRequestWritableTxnMarker.__new__(WriteTxnMarkersRequestWritableTxnMarker)
        (
            message.producer_id,
            message.producer_epoch,
            message.transaction_result,
            count,
        ) = _unpack_qhtB(buffer, position)
        position += 12
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.topics, position = _read_many_writable_txn_marker_topic_v1(buffer, position, count - 1)
        elif count:
            message.topics = []
        else:
            raise Malformed
        message.coordinator_epoch, tags = _unpack_iB(buffer, position)
        position += 5
        message.transaction_version = 0
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_writable_txn_marker_v1(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[WriteTxnMarkersRequestWritableTxnMarker], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[WriteTxnMarkersRequestWritableTxnMarker] = []
    for _ in range(size):
        message = WriteTxnMarkersRequestWritableTxnMarker.__new__(WriteTxnMarkersRequestWritableTxnMarker)
        (
            message.producer_id,
            message.producer_epoch,
            message.transaction_result,
            count,
        ) = _unpack_qhtB(buffer, position)
        position += 12
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "WriteTxnMarkersRequest.topics")
        if count > 1:
            message.topics, position = yield from _step_many_writable_txn_marker_topic_v1(buffer, position, count - 1, budget)
        elif count:
            message.topics = []
        else:
            raise Malformed
        message.coordinator_epoch, tags = _unpack_iB(buffer, position)
        position += 5
        message.transaction_version = 0
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[WriteTxnMarkersRequest, int]:
    message = WriteTxnMarkersRequest.__new__(WriteTxnMarkersRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.markers, position = _read_many_writable_txn_marker_v1(buffer, position, count - 1)
    elif count:
        message.markers = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[WriteTxnMarkersRequest, int]]:
    message = WriteTxnMarkersRequest.__new__(WriteTxnMarkersRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "WriteTxnMarkersRequest.markers")
    if count > 1:
        message.markers, position = yield from _step_many_writable_txn_marker_v1(buffer, position, count - 1, budget)
    elif count:
        message.markers = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_many_writable_txn_marker_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[WriteTxnMarkersRequestWritableTxnMarker], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[WriteTxnMarkersRequestWritableTxnMarker] = []
    for _ in range(size):
        message = WriteTxnMarkersRequestWritableTxnMarker.__new__(WriteTxnMarkersRequestWritableTxnMarker)
        (
            message.producer_id,
            message.producer_epoch,
            message.transaction_result,
            count,
        ) = _unpack_qhtB(buffer, position)
        position += 12
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.topics, position = _read_many_writable_txn_marker_topic_v1(buffer, position, count - 1)
        elif count:
            message.topics = []
        else:
            raise Malformed
        message.coordinator_epoch, message.transaction_version, tags = _unpack_ibB(buffer, position)
        position += 6
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_writable_txn_marker_v2(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[WriteTxnMarkersRequestWritableTxnMarker], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[WriteTxnMarkersRequestWritableTxnMarker] = []
    for _ in range(size):
        message = WriteTxnMarkersRequestWritableTxnMarker.__new__(WriteTxnMarkersRequestWritableTxnMarker)
        (
            message.producer_id,
            message.producer_epoch,
            message.transaction_result,
            count,
        ) = _unpack_qhtB(buffer, position)
        position += 12
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "WriteTxnMarkersRequest.topics")
        if count > 1:
            message.topics, position = yield from _step_many_writable_txn_marker_topic_v1(buffer, position, count - 1, budget)
        elif count:
            message.topics = []
        else:
            raise Malformed
        message.coordinator_epoch, message.transaction_version, tags = _unpack_ibB(buffer, position)
        position += 6
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_v2(buffer: Buffer, position: int) -> tuple[WriteTxnMarkersRequest, int]:
    message = WriteTxnMarkersRequest.__new__(WriteTxnMarkersRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.markers, position = _read_many_writable_txn_marker_v2(buffer, position, count - 1)
    elif count:
        message.markers = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v2(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[WriteTxnMarkersRequest, int]]:
    message = WriteTxnMarkersRequest.__new__(WriteTxnMarkersRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "WriteTxnMarkersRequest.markers")
    if count > 1:
        message.markers, position = yield from _step_many_writable_txn_marker_v2(buffer, position, count - 1, budget)
    elif count:
        message.markers = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_writable_txn_marker_topic_v1(
    out: Pieces,
    message: WriteTxnMarkersRequestWritableTxnMarkerTopic,
) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    partition_indexes = message.partition_indexes
    count = len(partition_indexes) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(partition_indexes) < TABLE_SIZE:
        out.append(PACK_INT32[len(partition_indexes)](*partition_indexes))
    else:
        out.append(pack_many("i", partition_indexes))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_writable_txn_marker_v1(out: Pieces, message: WriteTxnMarkersRequestWritableTxnMarker) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_qhtB(message.producer_id, message.producer_epoch, message.transaction_result, count))
    else:
        out.append(_pack_qht(message.producer_id, message.producer_epoch, message.transaction_result))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_writable_txn_marker_topic_v1(out, topics_item)
    if message.unknown_tags:
        out.append(_pack_i(message.coordinator_epoch))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.coordinator_epoch, 0))


def _write_v1(out: Pieces, message: WriteTxnMarkersRequest) -> None:
    markers = message.markers
    count = len(markers) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for markers_item in markers:
        _write_writable_txn_marker_v1(out, markers_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_writable_txn_marker_v2(out: Pieces, message: WriteTxnMarkersRequestWritableTxnMarker) -> None:
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_qhtB(message.producer_id, message.producer_epoch, message.transaction_result, count))
    else:
        out.append(_pack_qht(message.producer_id, message.producer_epoch, message.transaction_result))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_writable_txn_marker_topic_v1(out, topics_item)
    if message.unknown_tags:
        out.append(_pack_ib(message.coordinator_epoch, message.transaction_version))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_ibB(message.coordinator_epoch, message.transaction_version, 0))


def _write_v2(out: Pieces, message: WriteTxnMarkersRequest) -> None:
    markers = message.markers
    count = len(markers) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for markers_item in markers:
        _write_writable_txn_marker_v2(out, markers_item)
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
    writable_txn_marker_topic_struct = StructSchema(
        python_class=WriteTxnMarkersRequestWritableTxnMarkerTopic,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="PartitionIndexes",
                attribute="partition_indexes",
                type="int32",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    writable_txn_marker_struct = StructSchema(
        python_class=WriteTxnMarkersRequestWritableTxnMarker,
        fields=(
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
                name="TransactionResult",
                attribute="transaction_result",
                type="bool",
                versions=(0, 32767),
                default=False,
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="WritableTxnMarkerTopic",
                struct=writable_txn_marker_topic_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="CoordinatorEpoch",
                attribute="coordinator_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="TransactionVersion",
                attribute="transaction_version",
                type="int8",
                versions=(2, 32767),
                default=0,
                ignorable=True,
            ),
        ),
    )
    write_txn_markers_request_struct = StructSchema(
        python_class=WriteTxnMarkersRequest,
        fields=(
            FieldSchema(
                name="Markers",
                attribute="markers",
                type="WritableTxnMarker",
                struct=writable_txn_marker_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="WriteTxnMarkersRequest",
        flexible_from=1,
        root=write_txn_markers_request_struct,
    )
