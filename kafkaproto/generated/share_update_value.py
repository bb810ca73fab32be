"""ShareUpdateValue: versions 0, flexible from 0, record type 1.

Generated from share/ShareUpdateValue.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    EMPTY,
    Buffer,
    Malformed,
    Pieces,
    pack_length,
    read_long_length,
    read_tag_section,
    read_unknown_tags,
    write_tag_section,
)

_unpack_i = struct.Struct(">i").unpack_from
_unpack_iiqB = struct.Struct(">iiqB").unpack_from
_unpack_qqbhB = struct.Struct(">qqbhB").unpack_from
_pack_i = struct.Struct(">i").pack
_pack_iiq = struct.Struct(">iiq").pack
_pack_iiqB = struct.Struct(">iiqB").pack
_pack_qqbh = struct.Struct(">qqbh").pack
_pack_qqbhB = struct.Struct(">qqbhB").pack


class ShareUpdateValueStateBatch(Struct):
    """StateBatch of ShareUpdateValue."""

    __slots__ = ("first_offset", "last_offset", "delivery_state", "delivery_count", "unknown_tags")

    first_offset: int
    """Versions 0+."""
    last_offset: int
    """Versions 0+."""
    delivery_state: int
    """Versions 0+."""
    delivery_count: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        first_offset: int = 0,
        last_offset: int = 0,
        delivery_state: int = 0,
        delivery_count: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.delivery_state = delivery_state
        self.delivery_count = delivery_count
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareUpdateValueStateBatch)
            and self.first_offset == other.first_offset
            and self.last_offset == other.last_offset
            and self.delivery_state == other.delivery_state
            and self.delivery_count == other.delivery_count
            and self.unknown_tags == other.unknown_tags
        )



class ShareUpdateValue(Message):
    """Coordinator-value ShareUpdateValue."""

    __slots__ = (
        "snapshot_epoch",
        "leader_epoch",
        "start_offset",
        "delivery_complete_count",
        "state_batches",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "ShareUpdateValue"
    TYPE: ClassVar[str] = "coordinator-value"
    API_KEY: ClassVar[int | None] = 1
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    StateBatch: TypeAlias = ShareUpdateValueStateBatch

    snapshot_epoch: int
    """Versions 0+."""
    leader_epoch: int
    """Versions 0+."""
    start_offset: int
    """Versions 0+."""
    delivery_complete_count: int
    """Versions 0+, tag 0 in 0+."""
    state_batches: list[ShareUpdateValueStateBatch]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        snapshot_epoch: int = 0,
        leader_epoch: int = 0,
        start_offset: int = 0,
        delivery_complete_count: int = -1,
        state_batches: list[ShareUpdateValueStateBatch] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.snapshot_epoch = snapshot_epoch
        self.leader_epoch = leader_epoch
        self.start_offset = start_offset
        self.delivery_complete_count = delivery_complete_count
        self.state_batches = [] if state_batches is EMPTY else state_batches
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareUpdateValue)
            and self.snapshot_epoch == other.snapshot_epoch
            and self.leader_epoch == other.leader_epoch
            and self.start_offset == other.start_offset
            and self.delivery_complete_count == other.delivery_complete_count
            and self.state_batches == other.state_batches
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ShareUpdateValue, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_state_batch_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ShareUpdateValueStateBatch], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ShareUpdateValueStateBatch] = []
    for _ in range(size):
        message = ShareUpdateValueStateBatch.__new__(ShareUpdateValueStateBatch)
        (
            message.first_offset,
            message.last_offset,
            message.delivery_state,
            message.delivery_count,
            tags,
        ) = _unpack_qqbhB(buffer, position)
        position += 20
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[ShareUpdateValue, int]:
    message = ShareUpdateValue.__new__(ShareUpdateValue)
    message.snapshot_epoch, message.leader_epoch, message.start_offset, count = _unpack_iiqB(buffer, position)
    position += 17
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.state_batches, position = _read_many_state_batch_v0(buffer, position, count - 1)
    elif count:
        message.state_batches = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.delivery_complete_count = -1
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                (message.delivery_complete_count,) = _unpack_i(buffer, position)
                position += 4
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _write_state_batch_v0(out: Pieces, message: ShareUpdateValueStateBatch) -> None:
    if message.unknown_tags:
        out.append(_pack_qqbh(
            message.first_offset,
            message.last_offset,
            message.delivery_state,
            message.delivery_count,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_qqbhB(
            message.first_offset,
            message.last_offset,
            message.delivery_state,
            message.delivery_count,
            0,
        ))


def _write_v0(out: Pieces, message: ShareUpdateValue) -> None:
    state_batches = message.state_batches
    count = len(state_batches) + 1
    if count < 128:
        out.append(_pack_iiqB(message.snapshot_epoch, message.leader_epoch, message.start_offset, count))
    else:
        out.append(_pack_iiq(message.snapshot_epoch, message.leader_epoch, message.start_offset))
        out.append(pack_length(count))
    for state_batches_item in state_batches:
        _write_state_batch_v0(out, state_batches_item)
    tagged = []
    section: Pieces
    if message.delivery_complete_count != -1:
        section = []
        section.append(_pack_i(message.delivery_complete_count))
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
    state_batch_struct = StructSchema(
        python_class=ShareUpdateValueStateBatch,
        fields=(
            FieldSchema(
                name="FirstOffset",
                attribute="first_offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LastOffset",
                attribute="last_offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="DeliveryState",
                attribute="delivery_state",
                type="int8",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="DeliveryCount",
                attribute="delivery_count",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    share_update_value_struct = StructSchema(
        python_class=ShareUpdateValue,
        fields=(
            FieldSchema(
                name="SnapshotEpoch",
                attribute="snapshot_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LeaderEpoch",
                attribute="leader_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="StartOffset",
                attribute="start_offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="DeliveryCompleteCount",
                attribute="delivery_complete_count",
                type="int32",
                versions=(0, 32767),
                tagged=(0, 32767),
                tag=0,
                default=-1,
            ),
            FieldSchema(
                name="StateBatches",
                attribute="state_batches",
                type="StateBatch",
                struct=state_batch_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="ShareUpdateValue", flexible_from=0, root=share_update_value_struct)
