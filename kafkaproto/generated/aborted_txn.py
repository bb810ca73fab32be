"""AbortedTxn: versions 0, never flexible.

Generated from storage/AbortedTxn.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Malformed, Pieces

_unpack_qqqq = struct.Struct(">qqqq").unpack_from
_pack_qqqq = struct.Struct(">qqqq").pack


class AbortedTxn(Message):
    """Data AbortedTxn."""

    __slots__ = ("producer_id", "first_offset", "last_offset", "last_stable_offset", "unknown_tags")

    NAME: ClassVar[str] = "AbortedTxn"
    TYPE: ClassVar[str] = "data"
    API_KEY: ClassVar[int | None] = None
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = None
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    producer_id: int
    """Versions 0+."""
    first_offset: int
    """Versions 0+."""
    last_offset: int
    """Versions 0+."""
    last_stable_offset: int
    """Where it was when the transaction was aborted. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        producer_id: int = 0,
        first_offset: int = 0,
        last_offset: int = 0,
        last_stable_offset: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.producer_id = producer_id
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.last_stable_offset = last_stable_offset
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AbortedTxn)
            and self.producer_id == other.producer_id
            and self.first_offset == other.first_offset
            and self.last_offset == other.last_offset
            and self.last_stable_offset == other.last_stable_offset
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[AbortedTxn, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[AbortedTxn, int]:
    message = AbortedTxn.__new__(AbortedTxn)
    (
        message.producer_id,
        message.first_offset,
        message.last_offset,
        message.last_stable_offset,
    ) = _unpack_qqqq(buffer, position)
    position += 32
    message.unknown_tags = None
    return message, position


def _write_v0(out: Pieces, message: AbortedTxn) -> None:
    out.append(_pack_qqqq(
        message.producer_id,
        message.first_offset,
        message.last_offset,
        message.last_stable_offset,
    ))
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
    aborted_txn_struct = StructSchema(
        python_class=AbortedTxn,
        fields=(
            FieldSchema(
                name="ProducerId",
                attribute="producer_id",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="FirstOffset",
                attribute="first_offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LastOffset",
                attribute="last_offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LastStableOffset",
                attribute="last_stable_offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(name="AbortedTxn", flexible_from=None, root=aborted_txn_struct)
