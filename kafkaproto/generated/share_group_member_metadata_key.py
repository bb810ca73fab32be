"""ShareGroupMemberMetadataKey: versions 0, never flexible, record type 10.

Generated from group/ShareGroupMemberMetadataKey.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Malformed, Pieces

_unpack_h = struct.Struct(">h").unpack_from
_pack_h = struct.Struct(">h").pack


class ShareGroupMemberMetadataKey(Message):
    """Coordinator-key ShareGroupMemberMetadataKey."""

    __slots__ = ("group_id", "member_id", "unknown_tags")

    NAME: ClassVar[str] = "ShareGroupMemberMetadataKey"
    TYPE: ClassVar[str] = "coordinator-key"
    API_KEY: ClassVar[int | None] = 10
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = None
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    group_id: str
    """Versions 0."""
    member_id: str
    """Versions 0."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareGroupMemberMetadataKey)
            and self.group_id == other.group_id
            and self.member_id == other.member_id
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ShareGroupMemberMetadataKey, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[ShareGroupMemberMetadataKey, int]:
    message = ShareGroupMemberMetadataKey.__new__(ShareGroupMemberMetadataKey)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.group_id = str(buffer[position:end], "utf-8")
    position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    message.unknown_tags = None
    return message, position


def _write_v0(out: Pieces, message: ShareGroupMemberMetadataKey) -> None:
    group_id = message.group_id
    data = group_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    member_id = message.member_id
    data = member_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
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
    share_group_member_metadata_key_struct = StructSchema(
        python_class=ShareGroupMemberMetadataKey,
        fields=(
            FieldSchema(
                name="GroupId",
                attribute="group_id",
                type="string",
                versions=(0, 0),
                default="",
            ),
            FieldSchema(
                name="MemberId",
                attribute="member_id",
                type="string",
                versions=(0, 0),
                default="",
            ),
        ),
    )
    return MessageSchema(
        name="ShareGroupMemberMetadataKey",
        flexible_from=None,
        root=share_group_member_metadata_key_struct,
    )
