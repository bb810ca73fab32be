"""QuorumStateData: versions 0-1, flexible from 0.

Generated from raft/QuorumStateData.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
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

ZERO_UUID = bytes(16)
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_iiiuB = struct.Struct(">iii16sB").unpack_from
_unpack_iiiqB = struct.Struct(">iiiqB").unpack_from
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_iiiu = struct.Struct(">iii16s").pack
_pack_iiiuB = struct.Struct(">iii16sB").pack
_pack_iiiq = struct.Struct(">iiiq").pack
_pack_iiiqB = struct.Struct(">iiiqB").pack


class QuorumStateDataVoter(Struct):
    """Voter of QuorumStateData."""

    __slots__ = ("voter_id", "unknown_tags")

    voter_id: int
    """Versions 0."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(self, voter_id: int = 0, unknown_tags: dict[int, bytes] | None = None) -> None:
        self.voter_id = voter_id
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, QuorumStateDataVoter)
            and self.voter_id == other.voter_id
            and self.unknown_tags == other.unknown_tags
        )



class QuorumStateData(Message):
    """Data QuorumStateData."""

    __slots__ = (
        "cluster_id",
        "leader_id",
        "leader_epoch",
        "voted_id",
        "voted_directory_id",
        "applied_offset",
        "current_voters",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "QuorumStateData"
    TYPE: ClassVar[str] = "data"
    API_KEY: ClassVar[int | None] = None
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    Voter: TypeAlias = QuorumStateDataVoter

    cluster_id: str
    """Always empty; the id is in meta.properties. Versions 0."""
    leader_id: int
    """Leader of LeaderEpoch as far as known, or -1. Versions 0+."""
    leader_epoch: int
    """The epoch this node is in. Versions 0+."""
    voted_id: int
    """Whom the node voted for in LeaderEpoch, or -1. Versions 0+."""
    voted_directory_id: bytes
    """Directory id of the node voted for, or zero. Versions 1+."""
    applied_offset: int
    """Always 0. Versions 0."""
    current_voters: list[QuorumStateDataVoter] | None
    """The voters as configured when the file was written. Versions 0, null in 0."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        cluster_id: str = "",
        leader_id: int = -1,
        leader_epoch: int = -1,
        voted_id: int = -1,
        voted_directory_id: bytes = ZERO_UUID,
        applied_offset: int = 0,
        current_voters: list[QuorumStateDataVoter] | None = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.cluster_id = cluster_id
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.voted_id = voted_id
        self.voted_directory_id = voted_directory_id
        self.applied_offset = applied_offset
        self.current_voters = [] if current_voters is EMPTY else current_voters
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, QuorumStateData)
            and self.cluster_id == other.cluster_id
            and self.leader_id == other.leader_id
            and self.leader_epoch == other.leader_epoch
            and self.voted_id == other.voted_id
            and self.voted_directory_id == other.voted_directory_id
            and self.applied_offset == other.applied_offset
            and self.current_voters == other.current_voters
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[QuorumStateData, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_voter_v0(buffer: Buffer, position: int, size: int) -> tuple[list[QuorumStateDataVoter], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[QuorumStateDataVoter] = []
    for _ in range(size):
        message = QuorumStateDataVoter.__new__(QuorumStateDataVoter)
        message.voter_id, tags = _unpack_iB(buffer, position)
        position += 5
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[QuorumStateData, int]:
    message = QuorumStateData.__new__(QuorumStateData)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.cluster_id = str(buffer[position:end], "utf-8")
    position = end
    (
        message.leader_id,
        message.leader_epoch,
        message.voted_id,
        message.applied_offset,
        count,
    ) = _unpack_iiiqB(buffer, position)
    position += 21
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.current_voters, position = _read_many_voter_v0(buffer, position, count - 1)
    elif count:
        message.current_voters = []
    else:
        message.current_voters = None
    tags = buffer[position]
    position += 1
    message.voted_directory_id = ZERO_UUID
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[QuorumStateData, int]:
    message = QuorumStateData.__new__(QuorumStateData)
    (
        message.leader_id,
        message.leader_epoch,
        message.voted_id,
        message.voted_directory_id,
        tags,
    ) = _unpack_iiiuB(buffer, position)
    position += 29
    message.cluster_id = ""
    message.applied_offset = 0
    message.current_voters = []
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_voter_v0(out: Pieces, message: QuorumStateDataVoter) -> None:
    if message.unknown_tags:
        out.append(_pack_i(message.voter_id))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.voter_id, 0))


def _write_v0(out: Pieces, message: QuorumStateData) -> None:
    if message.voted_directory_id != ZERO_UUID:
        raise Malformed
    cluster_id = message.cluster_id
    data = cluster_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    current_voters = message.current_voters
    if current_voters is None:
        current_voters = EMPTY
        count = 0
    else:
        count = len(current_voters) + 1
    if count < 128:
        out.append(_pack_iiiqB(
            message.leader_id,
            message.leader_epoch,
            message.voted_id,
            message.applied_offset,
            count,
        ))
    else:
        out.append(_pack_iiiq(
            message.leader_id,
            message.leader_epoch,
            message.voted_id,
            message.applied_offset,
        ))
        out.append(pack_length(count))
    for current_voters_item in current_voters:
        _write_voter_v0(out, current_voters_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: QuorumStateData) -> None:
    if message.cluster_id != "":
        raise Malformed
    if message.applied_offset != 0:
        raise Malformed
    if message.current_voters is None or len(message.current_voters) != 0:
        raise Malformed
    voted_directory_id = message.voted_directory_id
    if len(voted_directory_id) != 16:
        raise Malformed
    if message.unknown_tags:
        out.append(_pack_iiiu(message.leader_id, message.leader_epoch, message.voted_id, voted_directory_id))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iiiuB(
            message.leader_id,
            message.leader_epoch,
            message.voted_id,
            voted_directory_id,
            0,
        ))


_READERS = (
    _read_v0,
    _read_v1,
)

_WRITERS = (
    _write_v0,
    _write_v1,
)


@cache
def _schema() -> MessageSchema:
    voter_struct = StructSchema(
        python_class=QuorumStateDataVoter,
        fields=(
            FieldSchema(
                name="VoterId",
                attribute="voter_id",
                type="int32",
                versions=(0, 0),
                default=0,
            ),
        ),
    )
    quorum_state_data_struct = StructSchema(
        python_class=QuorumStateData,
        fields=(
            FieldSchema(
                name="ClusterId",
                attribute="cluster_id",
                type="string",
                versions=(0, 0),
                default="",
            ),
            FieldSchema(
                name="LeaderId",
                attribute="leader_id",
                type="int32",
                versions=(0, 32767),
                default=-1,
            ),
            FieldSchema(
                name="LeaderEpoch",
                attribute="leader_epoch",
                type="int32",
                versions=(0, 32767),
                default=-1,
            ),
            FieldSchema(
                name="VotedId",
                attribute="voted_id",
                type="int32",
                versions=(0, 32767),
                default=-1,
            ),
            FieldSchema(
                name="VotedDirectoryId",
                attribute="voted_directory_id",
                type="uuid",
                versions=(1, 32767),
                default=ZERO_UUID,
            ),
            FieldSchema(
                name="AppliedOffset",
                attribute="applied_offset",
                type="int64",
                versions=(0, 0),
                default=0,
            ),
            FieldSchema(
                name="CurrentVoters",
                attribute="current_voters",
                type="Voter",
                struct=voter_struct,
                array=True,
                versions=(0, 0),
                nullable=(0, 0),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="QuorumStateData", flexible_from=0, root=quorum_state_data_struct)
