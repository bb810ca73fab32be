"""ShareGroupTargetAssignmentMetadataValue: versions 0, flexible from 0, record type 12.

Generated from group/ShareGroupTargetAssignmentMetadataValue.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import Buffer, Malformed, Pieces, read_tag_section, write_tag_section

_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_q = struct.Struct(">q").unpack_from
_pack_i = struct.Struct(">i").pack
_pack_q = struct.Struct(">q").pack


class ShareGroupTargetAssignmentMetadataValue(Message):
    """Coordinator-value ShareGroupTargetAssignmentMetadataValue."""

    __slots__ = ("assignment_epoch", "assignment_timestamp", "unknown_tags")

    NAME: ClassVar[str] = "ShareGroupTargetAssignmentMetadataValue"
    TYPE: ClassVar[str] = "coordinator-value"
    API_KEY: ClassVar[int | None] = 12
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    assignment_epoch: int
    """Versions 0+."""
    assignment_timestamp: int
    """Versions 0+, tag 0 in 0+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        assignment_epoch: int = 0,
        assignment_timestamp: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.assignment_epoch = assignment_epoch
        self.assignment_timestamp = assignment_timestamp
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareGroupTargetAssignmentMetadataValue)
            and self.assignment_epoch == other.assignment_epoch
            and self.assignment_timestamp == other.assignment_timestamp
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(
        buffer: Buffer,
        position: int,
        version: int,
    ) -> tuple[ShareGroupTargetAssignmentMetadataValue, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[ShareGroupTargetAssignmentMetadataValue, int]:
    message = ShareGroupTargetAssignmentMetadataValue.__new__(ShareGroupTargetAssignmentMetadataValue)
    message.assignment_epoch, tags = _unpack_iB(buffer, position)
    position += 5
    message.assignment_timestamp = 0
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                (message.assignment_timestamp,) = _unpack_q(buffer, position)
                position += 8
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _write_v0(out: Pieces, message: ShareGroupTargetAssignmentMetadataValue) -> None:
    out.append(_pack_i(message.assignment_epoch))
    tagged = []
    section: Pieces
    if message.assignment_timestamp != 0:
        section = []
        section.append(_pack_q(message.assignment_timestamp))
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
    share_group_target_assignment_metadata_value_struct = StructSchema(
        python_class=ShareGroupTargetAssignmentMetadataValue,
        fields=(
            FieldSchema(
                name="AssignmentEpoch",
                attribute="assignment_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="AssignmentTimestamp",
                attribute="assignment_timestamp",
                type="int64",
                versions=(0, 32767),
                tagged=(0, 32767),
                tag=0,
                default=0,
                ignorable=True,
            ),
        ),
    )
    return MessageSchema(
        name="ShareGroupTargetAssignmentMetadataValue",
        flexible_from=0,
        root=share_group_target_assignment_metadata_value_struct,
    )
