"""OffsetCommitValue: versions 0-4, flexible from 4, record type 1.

Generated from group/OffsetCommitValue.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    Buffer,
    Malformed,
    Pieces,
    pack_string_length,
    read_string_length,
    read_tag_section,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_u = struct.Struct(">16s").unpack_from
_unpack_q = struct.Struct(">q").unpack_from
_unpack_qB = struct.Struct(">qB").unpack_from
_unpack_qh = struct.Struct(">qh").unpack_from
_unpack_qiB = struct.Struct(">qiB").unpack_from
_unpack_qih = struct.Struct(">qih").unpack_from
_unpack_qq = struct.Struct(">qq").unpack_from
_pack_q = struct.Struct(">q").pack
_pack_qh = struct.Struct(">qh").pack
_pack_qi = struct.Struct(">qi").pack
_pack_qiB = struct.Struct(">qiB").pack
_pack_qih = struct.Struct(">qih").pack
_pack_qq = struct.Struct(">qq").pack


class OffsetCommitValue(Message):
    """Coordinator-value OffsetCommitValue."""

    __slots__ = (
        "offset",
        "leader_epoch",
        "metadata",
        "commit_timestamp",
        "expire_timestamp",
        "topic_id",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "OffsetCommitValue"
    TYPE: ClassVar[str] = "coordinator-value"
    API_KEY: ClassVar[int | None] = 1
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 4
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    offset: int
    """Versions 0+."""
    leader_epoch: int
    """Versions 3+, dropped where a version lacks it."""
    metadata: str
    """Versions 0+."""
    commit_timestamp: int
    """Versions 0+."""
    expire_timestamp: int
    """Versions 1, dropped where a version lacks it."""
    topic_id: bytes
    """Versions 4+, tag 0 in 4+, dropped where a version lacks it."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        offset: int = 0,
        leader_epoch: int = -1,
        metadata: str = "",
        commit_timestamp: int = 0,
        expire_timestamp: int = -1,
        topic_id: bytes = ZERO_UUID,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.offset = offset
        self.leader_epoch = leader_epoch
        self.metadata = metadata
        self.commit_timestamp = commit_timestamp
        self.expire_timestamp = expire_timestamp
        self.topic_id = topic_id
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetCommitValue)
            and self.offset == other.offset
            and self.leader_epoch == other.leader_epoch
            and self.metadata == other.metadata
            and self.commit_timestamp == other.commit_timestamp
            and self.expire_timestamp == other.expire_timestamp
            and self.topic_id == other.topic_id
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[OffsetCommitValue, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[OffsetCommitValue, int]:
    message = OffsetCommitValue.__new__(OffsetCommitValue)
    message.offset, length = _unpack_qh(buffer, position)
    position += 10
    if length < 0:
        raise Malformed
    end = position + length
    message.metadata = str(buffer[position:end], "utf-8")
    position = end
    (message.commit_timestamp,) = _unpack_q(buffer, position)
    position += 8
    message.leader_epoch = -1
    message.expire_timestamp = -1
    message.topic_id = ZERO_UUID
    message.unknown_tags = None
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[OffsetCommitValue, int]:
    message = OffsetCommitValue.__new__(OffsetCommitValue)
    message.offset, length = _unpack_qh(buffer, position)
    position += 10
    if length < 0:
        raise Malformed
    end = position + length
    message.metadata = str(buffer[position:end], "utf-8")
    position = end
    message.commit_timestamp, message.expire_timestamp = _unpack_qq(buffer, position)
    position += 16
    message.leader_epoch = -1
    message.topic_id = ZERO_UUID
    message.unknown_tags = None
    return message, position


def _read_v3(buffer: Buffer, position: int) -> tuple[OffsetCommitValue, int]:
    message = OffsetCommitValue.__new__(OffsetCommitValue)
    message.offset, message.leader_epoch, length = _unpack_qih(buffer, position)
    position += 14
    if length < 0:
        raise Malformed
    end = position + length
    message.metadata = str(buffer[position:end], "utf-8")
    position = end
    (message.commit_timestamp,) = _unpack_q(buffer, position)
    position += 8
    message.expire_timestamp = -1
    message.topic_id = ZERO_UUID
    message.unknown_tags = None
    return message, position


def _read_v4(buffer: Buffer, position: int) -> tuple[OffsetCommitValue, int]:
    message = OffsetCommitValue.__new__(OffsetCommitValue)
    message.offset, message.leader_epoch, length = _unpack_qiB(buffer, position)
    position += 13
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.metadata = str(buffer[position:end], "utf-8")
    position = end
    message.commit_timestamp, tags = _unpack_qB(buffer, position)
    position += 9
    message.expire_timestamp = -1
    message.topic_id = ZERO_UUID
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                (message.topic_id,) = _unpack_u(buffer, position)
                position += 16
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _write_v0(out: Pieces, message: OffsetCommitValue) -> None:
    metadata = message.metadata
    data = metadata.encode()
    length = len(data)
    out.append(_pack_qh(message.offset, length))
    out.append(data)
    out.append(_pack_q(message.commit_timestamp))
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: OffsetCommitValue) -> None:
    metadata = message.metadata
    data = metadata.encode()
    length = len(data)
    out.append(_pack_qh(message.offset, length))
    out.append(data)
    out.append(_pack_qq(message.commit_timestamp, message.expire_timestamp))
    if message.unknown_tags:
        raise Malformed


def _write_v3(out: Pieces, message: OffsetCommitValue) -> None:
    metadata = message.metadata
    data = metadata.encode()
    length = len(data)
    out.append(_pack_qih(message.offset, message.leader_epoch, length))
    out.append(data)
    out.append(_pack_q(message.commit_timestamp))
    if message.unknown_tags:
        raise Malformed


def _write_v4(out: Pieces, message: OffsetCommitValue) -> None:
    metadata = message.metadata
    data = metadata.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_qiB(message.offset, message.leader_epoch, length))
    else:
        out.append(_pack_qi(message.offset, message.leader_epoch))
        out.append(pack_string_length(length))
    out.append(data)
    out.append(_pack_q(message.commit_timestamp))
    tagged = []
    section: Pieces
    if message.topic_id != ZERO_UUID:
        section = []
        topic_id = message.topic_id
        if len(topic_id) != 16:
            raise Malformed
        section.append(topic_id)
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
    _read_v1,
    _read_v0,
    _read_v3,
    _read_v4,
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v0,
    _write_v3,
    _write_v4,
)


@cache
def _schema() -> MessageSchema:
    offset_commit_value_struct = StructSchema(
        python_class=OffsetCommitValue,
        fields=(
            FieldSchema(
                name="offset",
                attribute="offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="leaderEpoch",
                attribute="leader_epoch",
                type="int32",
                versions=(3, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="metadata",
                attribute="metadata",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="commitTimestamp",
                attribute="commit_timestamp",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="expireTimestamp",
                attribute="expire_timestamp",
                type="int64",
                versions=(1, 1),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="topicId",
                attribute="topic_id",
                type="uuid",
                versions=(4, 32767),
                tagged=(4, 32767),
                tag=0,
                default=ZERO_UUID,
                ignorable=True,
            ),
        ),
    )
    return MessageSchema(name="OffsetCommitValue", flexible_from=4, root=offset_commit_value_struct)
