"""ListConfigResourcesRequest: versions 0-1, flexible from 0, api key 74.

Generated from api/ListConfigResourcesRequest.json by codegen; change the schema, not this file.
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
    pack_many,
    read_long_length,
    read_unknown_tags,
    unpack_many,
    write_tag_section,
)



class ListConfigResourcesRequest(Message):
    """Request ListConfigResourcesRequest."""

    __slots__ = ("resource_types", "unknown_tags")

    NAME: ClassVar[str] = "ListConfigResourcesRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 74
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)

    resource_types: list[int]
    """Versions 1+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        resource_types: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.resource_types = [] if resource_types is EMPTY else resource_types
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ListConfigResourcesRequest)
            and self.resource_types == other.resource_types
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ListConfigResourcesRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[ListConfigResourcesRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[ListConfigResourcesRequest, int]:
    message = ListConfigResourcesRequest.__new__(ListConfigResourcesRequest)
    tags = buffer[position]
    position += 1
    message.resource_types = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[ListConfigResourcesRequest, int]:
    message = ListConfigResourcesRequest.__new__(ListConfigResourcesRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    message.resource_types = unpack_many("b", 1, count - 1, buffer, position)
    position += count * 1 - 1
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[ListConfigResourcesRequest, int]]:
    message = ListConfigResourcesRequest.__new__(ListConfigResourcesRequest)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ListConfigResourcesRequest.resource_types")
    if not count:
        raise Malformed
    message.resource_types = unpack_many("b", 1, count - 1, buffer, position)
    position += count * 1 - 1
    yield
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_v0(out: Pieces, message: ListConfigResourcesRequest) -> None:
    if len(message.resource_types) != 0:
        raise Malformed
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: ListConfigResourcesRequest) -> None:
    resource_types = message.resource_types
    count = len(resource_types) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    out.append(pack_many("b", resource_types))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
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

_STEP_READERS = (
    None,
    _step_v1,
)


@cache
def _schema() -> MessageSchema:
    list_config_resources_request_struct = StructSchema(
        python_class=ListConfigResourcesRequest,
        fields=(
            FieldSchema(
                name="ResourceTypes",
                attribute="resource_types",
                type="int8",
                array=True,
                versions=(1, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="ListConfigResourcesRequest",
        flexible_from=0,
        root=list_config_resources_request_struct,
    )
