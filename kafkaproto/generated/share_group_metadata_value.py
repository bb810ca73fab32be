"""ShareGroupMetadataValue: versions 0, flexible from 0, record type 11.

Generated from group/ShareGroupMetadataValue.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Pieces, read_unknown_tags, write_tag_section

_unpack_iqB = struct.Struct(">iqB").unpack_from
_pack_iq = struct.Struct(">iq").pack
_pack_iqB = struct.Struct(">iqB").pack


class ShareGroupMetadataValue(Message):
    """Coordinator-value ShareGroupMetadataValue."""

    __slots__ = ("epoch", "metadata_hash", "unknown_tags")

    NAME: ClassVar[str] = "ShareGroupMetadataValue"
    TYPE: ClassVar[str] = "coordinator-value"
    API_KEY: ClassVar[int | None] = 11
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    epoch: int
    """Versions 0+."""
    metadata_hash: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        epoch: int = 0,
        metadata_hash: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.epoch = epoch
        self.metadata_hash = metadata_hash
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareGroupMetadataValue)
            and self.epoch == other.epoch
            and self.metadata_hash == other.metadata_hash
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ShareGroupMetadataValue, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[ShareGroupMetadataValue, int]:
    message = ShareGroupMetadataValue.__new__(ShareGroupMetadataValue)
    message.epoch, message.metadata_hash, tags = _unpack_iqB(buffer, position)
    position += 13
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: ShareGroupMetadataValue) -> None:
    if message.unknown_tags:
        out.append(_pack_iq(message.epoch, message.metadata_hash))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iqB(message.epoch, message.metadata_hash, 0))


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    share_group_metadata_value_struct = StructSchema(
        python_class=ShareGroupMetadataValue,
        fields=(
            FieldSchema(
                name="Epoch",
                attribute="epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="MetadataHash",
                attribute="metadata_hash",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    return MessageSchema(
        name="ShareGroupMetadataValue",
        flexible_from=0,
        root=share_group_metadata_value_struct,
    )
