"""RemoveDelegationTokenRecord: versions 0, flexible from 0, record type 26.

Generated from metadata/RemoveDelegationTokenRecord.json by codegen; change the schema, not this file.
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



class RemoveDelegationTokenRecord(Message):
    """Metadata RemoveDelegationTokenRecord."""

    __slots__ = ("token_id", "unknown_tags")

    NAME: ClassVar[str] = "RemoveDelegationTokenRecord"
    TYPE: ClassVar[str] = "metadata"
    API_KEY: ClassVar[int | None] = 26
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    token_id: str
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(self, token_id: str = "", unknown_tags: dict[int, bytes] | None = None) -> None:
        self.token_id = token_id
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RemoveDelegationTokenRecord)
            and self.token_id == other.token_id
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[RemoveDelegationTokenRecord, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[RemoveDelegationTokenRecord, int]:
    message = RemoveDelegationTokenRecord.__new__(RemoveDelegationTokenRecord)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.token_id = str(buffer[position:end], "utf-8")
    position = end
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: RemoveDelegationTokenRecord) -> None:
    token_id = message.token_id
    data = token_id.encode()
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
    remove_delegation_token_record_struct = StructSchema(
        python_class=RemoveDelegationTokenRecord,
        fields=(
            FieldSchema(
                name="TokenId",
                attribute="token_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
        ),
    )
    return MessageSchema(
        name="RemoveDelegationTokenRecord",
        flexible_from=0,
        root=remove_delegation_token_record_struct,
    )
