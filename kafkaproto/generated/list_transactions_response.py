"""ListTransactionsResponse: versions 0-2, flexible from 0, api key 66.

Generated from api/ListTransactionsResponse.json by codegen; change the schema, not this file.
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
    Buffer,
    Malformed,
    Pieces,
    Steps,
    pack_length,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_qB = struct.Struct(">qB").unpack_from
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_q = struct.Struct(">q").pack
_pack_qB = struct.Struct(">qB").pack


class ListTransactionsResponseTransactionState(Struct):
    """TransactionState of ListTransactionsResponse."""

    __slots__ = ("transactional_id", "producer_id", "transaction_state", "unknown_tags")

    transactional_id: str
    """Versions 0+."""
    producer_id: int
    """Versions 0+."""
    transaction_state: str
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        transactional_id: str = "",
        producer_id: int = 0,
        transaction_state: str = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.transaction_state = transaction_state
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ListTransactionsResponseTransactionState)
            and self.transactional_id == other.transactional_id
            and self.producer_id == other.producer_id
            and self.transaction_state == other.transaction_state
            and self.unknown_tags == other.unknown_tags
        )



class ListTransactionsResponse(Message):
    """Response ListTransactionsResponse."""

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "unknown_state_filters",
        "transaction_states",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "ListTransactionsResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 66
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    TransactionState: TypeAlias = ListTransactionsResponseTransactionState

    throttle_time_ms: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    unknown_state_filters: list[str]
    """Versions 0+."""
    transaction_states: list[ListTransactionsResponseTransactionState]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        unknown_state_filters: list[str] = EMPTY,
        transaction_states: list[ListTransactionsResponseTransactionState] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.unknown_state_filters = [] if unknown_state_filters is EMPTY else unknown_state_filters
        self.transaction_states = [] if transaction_states is EMPTY else transaction_states
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ListTransactionsResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.unknown_state_filters == other.unknown_state_filters
            and self.transaction_states == other.transaction_states
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ListTransactionsResponse, int]:
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


def _read_many_transaction_state_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ListTransactionsResponseTransactionState], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ListTransactionsResponseTransactionState] = []
    for _ in range(size):
        message = ListTransactionsResponseTransactionState.__new__(ListTransactionsResponseTransactionState)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.transactional_id = str(buffer[position:end], "utf-8")
        position = end
        message.producer_id, length = _unpack_qB(buffer, position)
        position += 9
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.transaction_state = str(buffer[position:end], "utf-8")
        position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[ListTransactionsResponse, int]:
    message = ListTransactionsResponse.__new__(ListTransactionsResponse)
    message.throttle_time_ms, message.error_code, count = _unpack_ihB(buffer, position)
    position += 7
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    unknown_state_filters: list[str] = []
    message.unknown_state_filters = unknown_state_filters
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
        unknown_state_filters_item = str(buffer[position:end], "utf-8")
        position = end
        unknown_state_filters.append(unknown_state_filters_item)
    count = buffer[position]
    position += 1
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


def _write_transaction_state_v0(out: Pieces, message: ListTransactionsResponseTransactionState) -> None:
    transactional_id = message.transactional_id
    data = transactional_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    transaction_state = message.transaction_state
    data = transaction_state.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_qB(message.producer_id, length))
    else:
        out.append(_pack_q(message.producer_id))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: ListTransactionsResponse) -> None:
    unknown_state_filters = message.unknown_state_filters
    count = len(unknown_state_filters) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for unknown_state_filters_item in unknown_state_filters:
        data = unknown_state_filters_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
    transaction_states = message.transaction_states
    count = len(transaction_states) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for transaction_states_item in transaction_states:
        _write_transaction_state_v0(out, transaction_states_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v0(out: Pieces, message: ListTransactionsResponse) -> Steps[None]:
    unknown_state_filters = message.unknown_state_filters
    count = len(unknown_state_filters) + 1
    if count < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, count))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_length(count))
    for unknown_state_filters_item in unknown_state_filters:
        data = unknown_state_filters_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
        yield
    transaction_states = message.transaction_states
    count = len(transaction_states) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for transaction_states_item in transaction_states:
        _write_transaction_state_v0(out, transaction_states_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
    _read_v0,
    _read_v0,
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v0,
)

_STEP_WRITERS = (
    _step_write_v0,
    _step_write_v0,
    _step_write_v0,
)


@cache
def _schema() -> MessageSchema:
    transaction_state_struct = StructSchema(
        python_class=ListTransactionsResponseTransactionState,
        fields=(
            FieldSchema(
                name="TransactionalId",
                attribute="transactional_id",
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
                name="TransactionState",
                attribute="transaction_state",
                type="string",
                versions=(0, 32767),
                default="",
            ),
        ),
    )
    list_transactions_response_struct = StructSchema(
        python_class=ListTransactionsResponse,
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
                name="UnknownStateFilters",
                attribute="unknown_state_filters",
                type="string",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
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
        name="ListTransactionsResponse",
        flexible_from=0,
        root=list_transactions_response_struct,
    )
