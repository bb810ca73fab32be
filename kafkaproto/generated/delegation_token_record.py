"""DelegationTokenRecord: versions 0, flexible from 0, record type 10.

Generated from metadata/DelegationTokenRecord.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    EMPTY,
    Buffer,
    Malformed,
    Pieces,
    pack_length,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

_unpack_qqqB = struct.Struct(">qqqB").unpack_from
_pack_qqq = struct.Struct(">qqq").pack
_pack_qqqB = struct.Struct(">qqqB").pack


class DelegationTokenRecord(Message):
    """Metadata DelegationTokenRecord."""

    __slots__ = (
        "owner",
        "requester",
        "renewers",
        "issue_timestamp",
        "max_timestamp",
        "expiration_timestamp",
        "token_id",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "DelegationTokenRecord"
    TYPE: ClassVar[str] = "metadata"
    API_KEY: ClassVar[int | None] = 10
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    owner: str
    """As TYPE:NAME. Versions 0+."""
    requester: str
    """As TYPE:NAME. Versions 0+."""
    renewers: list[str]
    """As TYPE:NAME; the owner may renew without being named. Versions 0+."""
    issue_timestamp: int
    """In ms since 1970. Versions 0+."""
    max_timestamp: int
    """End of all renewals, in ms since 1970. Versions 0+."""
    expiration_timestamp: int
    """End unless it is renewed, in ms since 1970. Versions 0+."""
    token_id: str
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        owner: str = "",
        requester: str = "",
        renewers: list[str] = EMPTY,
        issue_timestamp: int = 0,
        max_timestamp: int = 0,
        expiration_timestamp: int = 0,
        token_id: str = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.owner = owner
        self.requester = requester
        self.renewers = [] if renewers is EMPTY else renewers
        self.issue_timestamp = issue_timestamp
        self.max_timestamp = max_timestamp
        self.expiration_timestamp = expiration_timestamp
        self.token_id = token_id
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DelegationTokenRecord)
            and self.owner == other.owner
            and self.requester == other.requester
            and self.renewers == other.renewers
            and self.issue_timestamp == other.issue_timestamp
            and self.max_timestamp == other.max_timestamp
            and self.expiration_timestamp == other.expiration_timestamp
            and self.token_id == other.token_id
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DelegationTokenRecord, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[DelegationTokenRecord, int]:
    message = DelegationTokenRecord.__new__(DelegationTokenRecord)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.owner = str(buffer[position:end], "utf-8")
    position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.requester = str(buffer[position:end], "utf-8")
    position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        raise Malformed
    renewers: list[str] = []
    message.renewers = renewers
    if count - 1 > len(buffer) - position:
        raise Malformed
    for _ in range(1, count):
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        renewers_item = str(buffer[position:end], "utf-8")
        position = end
        renewers.append(renewers_item)
    (
        message.issue_timestamp,
        message.max_timestamp,
        message.expiration_timestamp,
        length,
    ) = _unpack_qqqB(buffer, position)
    position += 25
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


def _write_v0(out: Pieces, message: DelegationTokenRecord) -> None:
    owner = message.owner
    data = owner.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    requester = message.requester
    data = requester.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    renewers = message.renewers
    count = len(renewers) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for renewers_item in renewers:
        data = renewers_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
    token_id = message.token_id
    data = token_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_qqqB(
            message.issue_timestamp,
            message.max_timestamp,
            message.expiration_timestamp,
            length,
        ))
    else:
        out.append(_pack_qqq(message.issue_timestamp, message.max_timestamp, message.expiration_timestamp))
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
    delegation_token_record_struct = StructSchema(
        python_class=DelegationTokenRecord,
        fields=(
            FieldSchema(
                name="Owner",
                attribute="owner",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Requester",
                attribute="requester",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Renewers",
                attribute="renewers",
                type="string",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="IssueTimestamp",
                attribute="issue_timestamp",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="MaxTimestamp",
                attribute="max_timestamp",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ExpirationTimestamp",
                attribute="expiration_timestamp",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="TokenId",
                attribute="token_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
        ),
    )
    return MessageSchema(name="DelegationTokenRecord", flexible_from=0, root=delegation_token_record_struct)
