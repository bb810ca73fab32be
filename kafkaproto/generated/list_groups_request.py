"""ListGroupsRequest: versions 0-5, flexible from 3, api key 16.

Generated from api/ListGroupsRequest.json by codegen; change the schema, not this file.
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



class ListGroupsRequest(Message):
    """Request ListGroupsRequest."""

    __slots__ = ("states_filter", "types_filter", "unknown_tags")

    NAME: ClassVar[str] = "ListGroupsRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 16
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)

    states_filter: list[str]
    """Versions 4+."""
    types_filter: list[str]
    """Versions 5+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        states_filter: list[str] = EMPTY,
        types_filter: list[str] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.states_filter = [] if states_filter is EMPTY else states_filter
        self.types_filter = [] if types_filter is EMPTY else types_filter
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ListGroupsRequest)
            and self.states_filter == other.states_filter
            and self.types_filter == other.types_filter
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ListGroupsRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[ListGroupsRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[ListGroupsRequest, int]:
    message = ListGroupsRequest.__new__(ListGroupsRequest)
    message.states_filter = []
    message.types_filter = []
    message.unknown_tags = None
    return message, position


def _read_v3(buffer: Buffer, position: int) -> tuple[ListGroupsRequest, int]:
    message = ListGroupsRequest.__new__(ListGroupsRequest)
    tags = buffer[position]
    position += 1
    message.states_filter = []
    message.types_filter = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v4(buffer: Buffer, position: int) -> tuple[ListGroupsRequest, int]:
    message = ListGroupsRequest.__new__(ListGroupsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    states_filter: list[str] = []
    message.states_filter = states_filter
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
        states_filter_item = str(buffer[position:end], "utf-8")
        position = end
        states_filter.append(states_filter_item)
    tags = buffer[position]
    position += 1
    message.types_filter = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v4(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[ListGroupsRequest, int]]:
    message = ListGroupsRequest.__new__(ListGroupsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ListGroupsRequest.states_filter")
    if not count:
        raise Malformed
    states_filter: list[str] = []
    message.states_filter = states_filter
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
        states_filter_item = str(buffer[position:end], "utf-8")
        position = end
        states_filter.append(states_filter_item)
        yield
    tags = buffer[position]
    position += 1
    message.types_filter = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_v5(buffer: Buffer, position: int) -> tuple[ListGroupsRequest, int]:
    message = ListGroupsRequest.__new__(ListGroupsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    states_filter: list[str] = []
    message.states_filter = states_filter
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
        states_filter_item = str(buffer[position:end], "utf-8")
        position = end
        states_filter.append(states_filter_item)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    types_filter: list[str] = []
    message.types_filter = types_filter
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
        types_filter_item = str(buffer[position:end], "utf-8")
        position = end
        types_filter.append(types_filter_item)
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v5(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[ListGroupsRequest, int]]:
    message = ListGroupsRequest.__new__(ListGroupsRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ListGroupsRequest.states_filter")
    if not count:
        raise Malformed
    states_filter: list[str] = []
    message.states_filter = states_filter
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
        states_filter_item = str(buffer[position:end], "utf-8")
        position = end
        states_filter.append(states_filter_item)
        yield
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ListGroupsRequest.types_filter")
    if not count:
        raise Malformed
    types_filter: list[str] = []
    message.types_filter = types_filter
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
        types_filter_item = str(buffer[position:end], "utf-8")
        position = end
        types_filter.append(types_filter_item)
        yield
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_v0(out: Pieces, message: ListGroupsRequest) -> None:
    if len(message.states_filter) != 0:
        raise Malformed
    if len(message.types_filter) != 0:
        raise Malformed
    if message.unknown_tags:
        raise Malformed


def _write_v3(out: Pieces, message: ListGroupsRequest) -> None:
    if len(message.states_filter) != 0:
        raise Malformed
    if len(message.types_filter) != 0:
        raise Malformed
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v4(out: Pieces, message: ListGroupsRequest) -> None:
    if len(message.types_filter) != 0:
        raise Malformed
    states_filter = message.states_filter
    count = len(states_filter) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for states_filter_item in states_filter:
        data = states_filter_item.encode()
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


def _write_v5(out: Pieces, message: ListGroupsRequest) -> None:
    states_filter = message.states_filter
    count = len(states_filter) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for states_filter_item in states_filter:
        data = states_filter_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
    types_filter = message.types_filter
    count = len(types_filter) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for types_filter_item in types_filter:
        data = types_filter_item.encode()
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
    _read_v0,
    _read_v0,
    _read_v3,
    _read_v4,
    _read_v5,
)

_WRITERS = (
    _write_v0,
    _write_v0,
    _write_v0,
    _write_v3,
    _write_v4,
    _write_v5,
)

_STEP_READERS = (
    None,
    None,
    None,
    None,
    _step_v4,
    _step_v5,
)


@cache
def _schema() -> MessageSchema:
    list_groups_request_struct = StructSchema(
        python_class=ListGroupsRequest,
        fields=(
            FieldSchema(
                name="StatesFilter",
                attribute="states_filter",
                type="string",
                array=True,
                versions=(4, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="TypesFilter",
                attribute="types_filter",
                type="string",
                array=True,
                versions=(5, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="ListGroupsRequest", flexible_from=3, root=list_groups_request_struct)
