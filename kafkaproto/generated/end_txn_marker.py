"""EndTxnMarker: versions 0, never flexible.

Generated from transaction/EndTxnMarker.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Malformed, Pieces

_unpack_i = struct.Struct(">i").unpack_from
_pack_i = struct.Struct(">i").pack


class EndTxnMarker(Message):
    """Data EndTxnMarker."""

    __slots__ = ("coordinator_epoch", "unknown_tags")

    NAME: ClassVar[str] = "EndTxnMarker"
    TYPE: ClassVar[str] = "data"
    API_KEY: ClassVar[int | None] = None
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = None
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    coordinator_epoch: int
    """Epoch of the transaction coordinator that wrote the marker. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        coordinator_epoch: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.coordinator_epoch = coordinator_epoch
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, EndTxnMarker)
            and self.coordinator_epoch == other.coordinator_epoch
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[EndTxnMarker, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[EndTxnMarker, int]:
    message = EndTxnMarker.__new__(EndTxnMarker)
    (message.coordinator_epoch,) = _unpack_i(buffer, position)
    position += 4
    message.unknown_tags = None
    return message, position


def _write_v0(out: Pieces, message: EndTxnMarker) -> None:
    out.append(_pack_i(message.coordinator_epoch))
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
    end_txn_marker_struct = StructSchema(
        python_class=EndTxnMarker,
        fields=(
            FieldSchema(
                name="CoordinatorEpoch",
                attribute="coordinator_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(name="EndTxnMarker", flexible_from=None, root=end_txn_marker_struct)
