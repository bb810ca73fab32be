"""SnapshotFooterRecord: versions 0, flexible from 0.

Generated from raft/SnapshotFooterRecord.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Pieces, read_unknown_tags, write_tag_section

_unpack_hB = struct.Struct(">hB").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack


class SnapshotFooterRecord(Message):
    """Data SnapshotFooterRecord."""

    __slots__ = ("version", "unknown_tags")

    NAME: ClassVar[str] = "SnapshotFooterRecord"
    TYPE: ClassVar[str] = "data"
    API_KEY: ClassVar[int | None] = None
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    version: int
    """Version at which this record itself is written. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(self, version: int = 0, unknown_tags: dict[int, bytes] | None = None) -> None:
        self.version = version
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SnapshotFooterRecord)
            and self.version == other.version
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[SnapshotFooterRecord, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[SnapshotFooterRecord, int]:
    message = SnapshotFooterRecord.__new__(SnapshotFooterRecord)
    message.version, tags = _unpack_hB(buffer, position)
    position += 3
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: SnapshotFooterRecord) -> None:
    if message.unknown_tags:
        out.append(_pack_h(message.version))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hB(message.version, 0))


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    snapshot_footer_record_struct = StructSchema(
        python_class=SnapshotFooterRecord,
        fields=(
            FieldSchema(
                name="Version",
                attribute="version",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(name="SnapshotFooterRecord", flexible_from=0, root=snapshot_footer_record_struct)
