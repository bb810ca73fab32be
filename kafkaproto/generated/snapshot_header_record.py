"""SnapshotHeaderRecord: versions 0, flexible from 0.

Generated from raft/SnapshotHeaderRecord.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Pieces, read_unknown_tags, write_tag_section

_unpack_hqB = struct.Struct(">hqB").unpack_from
_pack_hq = struct.Struct(">hq").pack
_pack_hqB = struct.Struct(">hqB").pack


class SnapshotHeaderRecord(Message):
    """Data SnapshotHeaderRecord."""

    __slots__ = ("version", "last_contained_log_timestamp", "unknown_tags")

    NAME: ClassVar[str] = "SnapshotHeaderRecord"
    TYPE: ClassVar[str] = "data"
    API_KEY: ClassVar[int | None] = None
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    version: int
    """Version at which this record itself is written. Versions 0+."""
    last_contained_log_timestamp: int
    """Time of the last batch that the snapshot covers, in ms since 1970. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        version: int = 0,
        last_contained_log_timestamp: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.version = version
        self.last_contained_log_timestamp = last_contained_log_timestamp
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SnapshotHeaderRecord)
            and self.version == other.version
            and self.last_contained_log_timestamp == other.last_contained_log_timestamp
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[SnapshotHeaderRecord, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[SnapshotHeaderRecord, int]:
    message = SnapshotHeaderRecord.__new__(SnapshotHeaderRecord)
    message.version, message.last_contained_log_timestamp, tags = _unpack_hqB(buffer, position)
    position += 11
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: SnapshotHeaderRecord) -> None:
    if message.unknown_tags:
        out.append(_pack_hq(message.version, message.last_contained_log_timestamp))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hqB(message.version, message.last_contained_log_timestamp, 0))


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    snapshot_header_record_struct = StructSchema(
        python_class=SnapshotHeaderRecord,
        fields=(
            FieldSchema(
                name="Version",
                attribute="version",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LastContainedLogTimestamp",
                attribute="last_contained_log_timestamp",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(name="SnapshotHeaderRecord", flexible_from=0, root=snapshot_header_record_struct)
