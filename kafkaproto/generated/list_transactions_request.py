"""ListTransactionsRequest: versions 0-2, flexible from 0, api key 66.

Generated from api/ListTransactionsRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
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

_unpack_qB = struct.Struct(">qB").unpack_from
_pack_q = struct.Struct(">q").pack
_pack_qB = struct.Struct(">qB").pack


class ListTransactionsRequest(Message):
    """Request ListTransactionsRequest."""

    __slots__ = (
        "state_filters",
        "producer_id_filters",
        "duration_filter",
        "transactional_id_pattern",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "ListTransactionsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 66
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)

    state_filters: list[str]
    """Versions 0+."""
    producer_id_filters: list[int]
    """Versions 0+."""
    duration_filter: int
    """Versions 1+."""
    transactional_id_pattern: str | None
    """Versions 2+, null in 2+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        state_filters: list[str] = EMPTY,
        producer_id_filters: list[int] = EMPTY,
        duration_filter: int = -1,
        transactional_id_pattern: str | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.state_filters = [] if state_filters is EMPTY else state_filters
        self.producer_id_filters = [] if producer_id_filters is EMPTY else producer_id_filters
        self.duration_filter = duration_filter
        self.transactional_id_pattern = transactional_id_pattern
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ListTransactionsRequest)
            and self.state_filters == other.state_filters
            and self.producer_id_filters == other.producer_id_filters
            and self.duration_filter == other.duration_filter
            and self.transactional_id_pattern == other.transactional_id_pattern
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ListTransactionsRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[ListTransactionsRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[ListTransactionsRequest, int]:
    message = ListTransactionsRequest.__new__(ListTransactionsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    state_filters: list[str] = []
    message.state_filters = state_filters
    if count - 1 > len(buffer) - position:
        raise Malformed
    for _ in range(1, count):
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        state_filters_item = str(buffer[position:end], "utf-8")
        position = end
        state_filters.append(state_filters_item)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    message.producer_id_filters = unpack_many("q", 8, count - 1, buffer, position)
    position += count * 8 - 8
    tags = buffer[position]
    position += 1
    message.duration_filter = -1
    message.transactional_id_pattern = None
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[ListTransactionsRequest, int]]:
    message = ListTransactionsRequest.__new__(ListTransactionsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ListTransactionsRequest.state_filters")
    if not count:
        raise Malformed
    state_filters: list[str] = []
    message.state_filters = state_filters
    if count - 1 > len(buffer) - position:
        raise Malformed
    for _ in range(1, count):
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        state_filters_item = str(buffer[position:end], "utf-8")
        position = end
        state_filters.append(state_filters_item)
        yield
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ListTransactionsRequest.producer_id_filters")
    if not count:
        raise Malformed
    message.producer_id_filters = unpack_many("q", 8, count - 1, buffer, position)
    position += count * 8 - 8
    yield
    tags = buffer[position]
    position += 1
    message.duration_filter = -1
    message.transactional_id_pattern = None
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[ListTransactionsRequest, int]:
    message = ListTransactionsRequest.__new__(ListTransactionsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    state_filters: list[str] = []
    message.state_filters = state_filters
    if count - 1 > len(buffer) - position:
        raise Malformed
    for _ in range(1, count):
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        state_filters_item = str(buffer[position:end], "utf-8")
        position = end
        state_filters.append(state_filters_item)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    message.producer_id_filters = unpack_many("q", 8, count - 1, buffer, position)
    position += count * 8 - 8
    message.duration_filter, tags = _unpack_qB(buffer, position)
    position += 9
    message.transactional_id_pattern = None
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[ListTransactionsRequest, int]]:
    message = ListTransactionsRequest.__new__(ListTransactionsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ListTransactionsRequest.state_filters")
    if not count:
        raise Malformed
    state_filters: list[str] = []
    message.state_filters = state_filters
    if count - 1 > len(buffer) - position:
        raise Malformed
    for _ in range(1, count):
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        state_filters_item = str(buffer[position:end], "utf-8")
        position = end
        state_filters.append(state_filters_item)
        yield
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ListTransactionsRequest.producer_id_filters")
    if not count:
        raise Malformed
    message.producer_id_filters = unpack_many("q", 8, count - 1, buffer, position)
    position += count * 8 - 8
    yield
    message.duration_filter, tags = _unpack_qB(buffer, position)
    position += 9
    message.transactional_id_pattern = None
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[ListTransactionsRequest, int]:
    message = ListTransactionsRequest.__new__(ListTransactionsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    state_filters: list[str] = []
    message.state_filters = state_filters
    if count - 1 > len(buffer) - position:
        raise Malformed
    for _ in range(1, count):
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        state_filters_item = str(buffer[position:end], "utf-8")
        position = end
        state_filters.append(state_filters_item)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    message.producer_id_filters = unpack_many("q", 8, count - 1, buffer, position)
    position += count * 8 - 8
    message.duration_filter, length = _unpack_qB(buffer, position)
    position += 9
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.transactional_id_pattern = None
    else:
        end = position + length - 1
        message.transactional_id_pattern = str(buffer[position:end], "utf-8")
        position = end
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v2(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[ListTransactionsRequest, int]]:
    message = ListTransactionsRequest.__new__(ListTransactionsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ListTransactionsRequest.state_filters")
    if not count:
        raise Malformed
    state_filters: list[str] = []
    message.state_filters = state_filters
    if count - 1 > len(buffer) - position:
        raise Malformed
    for _ in range(1, count):
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        state_filters_item = str(buffer[position:end], "utf-8")
        position = end
        state_filters.append(state_filters_item)
        yield
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ListTransactionsRequest.producer_id_filters")
    if not count:
        raise Malformed
    message.producer_id_filters = unpack_many("q", 8, count - 1, buffer, position)
    position += count * 8 - 8
    yield
    message.duration_filter, length = _unpack_qB(buffer, position)
    position += 9
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.transactional_id_pattern = None
    else:
        end = position + length - 1
        message.transactional_id_pattern = str(buffer[position:end], "utf-8")
        position = end
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_v0(out: Pieces, message: ListTransactionsRequest) -> None:
    if message.duration_filter != -1:
        raise Malformed
    if message.transactional_id_pattern is not None:
        raise Malformed
    state_filters = message.state_filters
    count = len(state_filters) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for state_filters_item in state_filters:
        data = state_filters_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
    producer_id_filters = message.producer_id_filters
    count = len(producer_id_filters) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    out.append(pack_many("q", producer_id_filters))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: ListTransactionsRequest) -> None:
    if message.transactional_id_pattern is not None:
        raise Malformed
    state_filters = message.state_filters
    count = len(state_filters) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for state_filters_item in state_filters:
        data = state_filters_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
    producer_id_filters = message.producer_id_filters
    count = len(producer_id_filters) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    out.append(pack_many("q", producer_id_filters))
    if message.unknown_tags:
        out.append(_pack_q(message.duration_filter))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_qB(message.duration_filter, 0))


def _write_v2(out: Pieces, message: ListTransactionsRequest) -> None:
    state_filters = message.state_filters
    count = len(state_filters) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for state_filters_item in state_filters:
        data = state_filters_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
    producer_id_filters = message.producer_id_filters
    count = len(producer_id_filters) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    out.append(pack_many("q", producer_id_filters))
    transactional_id_pattern = message.transactional_id_pattern
    if transactional_id_pattern is None:
        data = b""
        length = 0
    else:
        data = transactional_id_pattern.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_qB(message.duration_filter, length))
    else:
        out.append(_pack_q(message.duration_filter))
        out.append(pack_string_length(length))
    out.append(data)
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
    list_transactions_request_struct = StructSchema(
        python_class=ListTransactionsRequest,
        fields=(
            FieldSchema(
                name="StateFilters",
                attribute="state_filters",
                type="string",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="ProducerIdFilters",
                attribute="producer_id_filters",
                type="int64",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="DurationFilter",
                attribute="duration_filter",
                type="int64",
                versions=(1, 32767),
                default=-1,
            ),
            FieldSchema(
                name="TransactionalIdPattern",
                attribute="transactional_id_pattern",
                type="string",
                versions=(2, 32767),
                nullable=(2, 32767),
                default=None,
            ),
        ),
    )
    return MessageSchema(
        name="ListTransactionsRequest",
        flexible_from=0,
        root=list_transactions_request_struct,
    )
