"""LegacyOffsetCommitValue: versions 0, never flexible, record type 0.

Generated from group/LegacyOffsetCommitValue.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Malformed, Pieces

_unpack_q = struct.Struct(">q").unpack_from
_unpack_qh = struct.Struct(">qh").unpack_from
_pack_q = struct.Struct(">q").pack
_pack_qh = struct.Struct(">qh").pack


class LegacyOffsetCommitValue(Message):
    """Coordinator-value LegacyOffsetCommitValue."""

    __slots__ = ("offset", "metadata", "commit_timestamp", "unknown_tags")

    NAME: ClassVar[str] = "LegacyOffsetCommitValue"
    TYPE: ClassVar[str] = "coordinator-value"
    API_KEY: ClassVar[int | None] = 0
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = None
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    offset: int
    """Versions 0."""
    metadata: str
    """Versions 0."""
    commit_timestamp: int
    """Versions 0."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        offset: int = 0,
        metadata: str = "",
        commit_timestamp: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.offset = offset
        self.metadata = metadata
        self.commit_timestamp = commit_timestamp
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, LegacyOffsetCommitValue)
            and self.offset == other.offset
            and self.metadata == other.metadata
            and self.commit_timestamp == other.commit_timestamp
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[LegacyOffsetCommitValue, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[LegacyOffsetCommitValue, int]:
    message = LegacyOffsetCommitValue.__new__(LegacyOffsetCommitValue)
    message.offset, length = _unpack_qh(buffer, position)
    position += 10
    if length < 0:
        raise Malformed
    end = position + length
    message.metadata = str(buffer[position:end], "utf-8")
    position = end
    (message.commit_timestamp,) = _unpack_q(buffer, position)
    position += 8
    message.unknown_tags = None
    return message, position


def _write_v0(out: Pieces, message: LegacyOffsetCommitValue) -> None:
    metadata = message.metadata
    data = metadata.encode()
    length = len(data)
    out.append(_pack_qh(message.offset, length))
    out.append(data)
    out.append(_pack_q(message.commit_timestamp))
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
    legacy_offset_commit_value_struct = StructSchema(
        python_class=LegacyOffsetCommitValue,
        fields=(
            FieldSchema(
                name="offset",
                attribute="offset",
                type="int64",
                versions=(0, 0),
                default=0,
            ),
            FieldSchema(
                name="metadata",
                attribute="metadata",
                type="string",
                versions=(0, 0),
                default="",
            ),
            FieldSchema(
                name="commitTimestamp",
                attribute="commit_timestamp",
                type="int64",
                versions=(0, 0),
                default=0,
            ),
        ),
    )
    return MessageSchema(
        name="LegacyOffsetCommitValue",
        flexible_from=None,
        root=legacy_offset_commit_value_struct,
    )
