"""ConsumerGroupRegularExpressionKey: versions 0, never flexible, record type 16.

Generated from group/ConsumerGroupRegularExpressionKey.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Malformed, Pieces

_unpack_h = struct.Struct(">h").unpack_from
_pack_h = struct.Struct(">h").pack


class ConsumerGroupRegularExpressionKey(Message):
    """Coordinator-key ConsumerGroupRegularExpressionKey."""

    __slots__ = ("group_id", "regular_expression", "unknown_tags")

    NAME: ClassVar[str] = "ConsumerGroupRegularExpressionKey"
    TYPE: ClassVar[str] = "coordinator-key"
    API_KEY: ClassVar[int | None] = 16
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = None
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    group_id: str
    """Versions 0."""
    regular_expression: str
    """Versions 0."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        group_id: str = "",
        regular_expression: str = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.group_id = group_id
        self.regular_expression = regular_expression
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ConsumerGroupRegularExpressionKey)
            and self.group_id == other.group_id
            and self.regular_expression == other.regular_expression
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ConsumerGroupRegularExpressionKey, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[ConsumerGroupRegularExpressionKey, int]:
    message = ConsumerGroupRegularExpressionKey.__new__(ConsumerGroupRegularExpressionKey)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.regular_expression = str(buffer[position:end], "utf-8")
    position = end
    message.unknown_tags = None
    return message, position


def _write_v0(out: Pieces, message: ConsumerGroupRegularExpressionKey) -> None:
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    regular_expression = message.regular_expression
    data = regular_expression.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    consumer_group_regular_expression_key_struct = StructSchema(
        python_class=ConsumerGroupRegularExpressionKey,
        fields=(
            FieldSchema(
                name="GroupId",
                attribute="group_id",
                type="string",
                versions=(0, 0),
                default="",
            ),
            FieldSchema(
                name="RegularExpression",
                attribute="regular_expression",
                type="string",
                versions=(0, 0),
                default="",
            ),
        ),
    )
    return MessageSchema(
        name="ConsumerGroupRegularExpressionKey",
        flexible_from=None,
        root=consumer_group_regular_expression_key_struct,
    )
