"""ClearElrRecord: versions 0, flexible from 0, record type 28.

Generated from metadata/ClearElrRecord.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

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



class ClearElrRecord(Message):
    """Metadata ClearElrRecord."""

    __slots__ = ("topic_name", "unknown_tags")

    NAME: ClassVar[str] = "ClearElrRecord"
    TYPE: ClassVar[str] = "metadata"
    API_KEY: ClassVar[int | None] = 28
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    topic_name: str
    """Empty for all topics. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(self, topic_name: str = "", unknown_tags: dict[int, bytes] | None = None) -> None:
        self.topic_name = topic_name
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ClearElrRecord)
            and self.topic_name == other.topic_name
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ClearElrRecord, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[ClearElrRecord, int]:
    message = ClearElrRecord.__new__(ClearElrRecord)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.topic_name = str(buffer[position:end], "utf-8")
    position = end
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: ClearElrRecord) -> None:
    topic_name = message.topic_name
    data = topic_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    clear_elr_record_struct = StructSchema(
        python_class=ClearElrRecord,
        fields=(
            FieldSchema(
                name="TopicName",
                attribute="topic_name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
        ),
    )
    return MessageSchema(name="ClearElrRecord", flexible_from=0, root=clear_elr_record_struct)
