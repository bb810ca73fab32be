"""ControlRecordTypeSchema: versions 0, never flexible.

Generated from raft/ControlRecordTypeSchema.json by codegen; change the schema, not this file.
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


class ControlRecordTypeSchema(Message):
    """Data ControlRecordTypeSchema."""

    __slots__ = ("type", "unknown_tags")

    NAME: ClassVar[str] = "ControlRecordTypeSchema"
    TYPE: ClassVar[str] = "data"
    API_KEY: ClassVar[int | None] = None
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = None
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    type: int
    """0 abort, 1 commit, 2 leader change, 3 and 4 snapshot header and footer, 5 kraft.version, 6
    voters. Versions 0+.
    """
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(self, type: int = 0, unknown_tags: dict[int, bytes] | None = None) -> None:
        self.type = type
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ControlRecordTypeSchema)
            and self.type == other.type
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ControlRecordTypeSchema, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[ControlRecordTypeSchema, int]:
    message = ControlRecordTypeSchema.__new__(ControlRecordTypeSchema)
    (message.type,) = _unpack_h(buffer, position)
    position += 2
    message.unknown_tags = None
    return message, position


def _write_v0(out: Pieces, message: ControlRecordTypeSchema) -> None:
    out.append(_pack_h(message.type))
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
    control_record_type_schema_struct = StructSchema(
        python_class=ControlRecordTypeSchema,
        fields=(
            FieldSchema(
                name="Type",
                attribute="type",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(
        name="ControlRecordTypeSchema",
        flexible_from=None,
        root=control_record_type_schema_struct,
    )
