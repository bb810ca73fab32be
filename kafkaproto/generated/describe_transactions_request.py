"""DescribeTransactionsRequest: versions 0, flexible from 0, api key 65.

Generated from api/DescribeTransactionsRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

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
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)



class DescribeTransactionsRequest(Message):
    """Request DescribeTransactionsRequest."""

    __slots__ = ("transactional_ids", "unknown_tags")

    NAME: ClassVar[str] = "DescribeTransactionsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 65
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)

    transactional_ids: list[str]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        transactional_ids: list[str] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.transactional_ids = [] if transactional_ids is EMPTY else transactional_ids
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeTransactionsRequest)
            and self.transactional_ids == other.transactional_ids
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DescribeTransactionsRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[DescribeTransactionsRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[DescribeTransactionsRequest, int]:
    message = DescribeTransactionsRequest.__new__(DescribeTransactionsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    transactional_ids: list[str] = []
    message.transactional_ids = transactional_ids
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
        transactional_ids_item = str(buffer[position:end], "utf-8")
        position = end
        transactional_ids.append(transactional_ids_item)
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[DescribeTransactionsRequest, int]]:
    message = DescribeTransactionsRequest.__new__(DescribeTransactionsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "DescribeTransactionsRequest.transactional_ids")
    if not count:
        raise Malformed
    transactional_ids: list[str] = []
    message.transactional_ids = transactional_ids
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
        transactional_ids_item = str(buffer[position:end], "utf-8")
        position = end
        transactional_ids.append(transactional_ids_item)
        yield
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_v0(out: Pieces, message: DescribeTransactionsRequest) -> None:
    transactional_ids = message.transactional_ids
    count = len(transactional_ids) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for transactional_ids_item in transactional_ids:
        data = transactional_ids_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
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

_STEP_READERS = (
    _step_v0,
)


@cache
def _schema() -> MessageSchema:
    describe_transactions_request_struct = StructSchema(
        python_class=DescribeTransactionsRequest,
        fields=(
            FieldSchema(
                name="TransactionalIds",
                attribute="transactional_ids",
                type="string",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="DescribeTransactionsRequest",
        flexible_from=0,
        root=describe_transactions_request_struct,
    )
