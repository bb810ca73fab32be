"""FeatureLevelRecord: versions 0, flexible from 0, record type 12.

Generated from metadata/FeatureLevelRecord.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    Buffer,
    Malformed,
    Pieces,
    pack_string_length,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

_unpack_hB = struct.Struct(">hB").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack


class FeatureLevelRecord(Message):
    """Metadata FeatureLevelRecord."""

    __slots__ = ("name", "feature_level", "unknown_tags")

    NAME: ClassVar[str] = "FeatureLevelRecord"
    TYPE: ClassVar[str] = "metadata"
    API_KEY: ClassVar[int | None] = 12
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    name: str
    """Versions 0+."""
    feature_level: int
    """The level to run with; 0 drops the feature. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        feature_level: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.feature_level = feature_level
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FeatureLevelRecord)
            and self.name == other.name
            and self.feature_level == other.feature_level
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[FeatureLevelRecord, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[FeatureLevelRecord, int]:
    message = FeatureLevelRecord.__new__(FeatureLevelRecord)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.name = str(buffer[position:end], "utf-8")
    position = end
    message.feature_level, tags = _unpack_hB(buffer, position)
    position += 3
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: FeatureLevelRecord) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_h(message.feature_level))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hB(message.feature_level, 0))


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    feature_level_record_struct = StructSchema(
        python_class=FeatureLevelRecord,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="FeatureLevel",
                attribute="feature_level",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(name="FeatureLevelRecord", flexible_from=0, root=feature_level_record_struct)
