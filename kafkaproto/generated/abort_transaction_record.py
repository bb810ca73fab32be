"""AbortTransactionRecord: versions 0, flexible from 0, record type 25.

Generated from metadata/AbortTransactionRecord.json by codegen; change the schema, not this file.
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
    read_tag_section,
    write_tag_section,
)



class AbortTransactionRecord(Message):
    """Metadata AbortTransactionRecord."""

    __slots__ = ("reason", "unknown_tags")

    NAME: ClassVar[str] = "AbortTransactionRecord"
    TYPE: ClassVar[str] = "metadata"
    API_KEY: ClassVar[int | None] = 25
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    reason: str | None
    """For people only. Versions 0+, null in 0+, tag 0 in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(self, reason: str | None = None, unknown_tags: dict[int, bytes] | None = None) -> None:
        self.reason = reason
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AbortTransactionRecord)
            and self.reason == other.reason
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[AbortTransactionRecord, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[AbortTransactionRecord, int]:
    message = AbortTransactionRecord.__new__(AbortTransactionRecord)
    tags = buffer[position]
    position += 1
    message.reason = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                length = buffer[position]
                position += 1
                if length > 127:
                    length, position = read_string_length(buffer, position, length)
                if not length:
                    message.reason = None
                else:
                    end = position + length - 1
                    message.reason = str(buffer[position:end], "utf-8")
                    position = end
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _write_v0(out: Pieces, message: AbortTransactionRecord) -> None:
    tagged = []
    section: Pieces
    if message.reason is not None:
        section = []
        reason = message.reason
        if reason is None:
            data = b""
            length = 0
        else:
            data = reason.encode()
            length = len(data) + 1
        if length < 128:
            section.append(BYTES[length])
        else:
            section.append(pack_string_length(length))
        section.append(data)
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
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
    abort_transaction_record_struct = StructSchema(
        python_class=AbortTransactionRecord,
        fields=(
            FieldSchema(
                name="Reason",
                attribute="reason",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                tagged=(0, 32767),
                tag=0,
                default=None,
            ),
        ),
    )
    return MessageSchema(name="AbortTransactionRecord", flexible_from=0, root=abort_transaction_record_struct)
