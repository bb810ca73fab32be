"""LeaderChangeMessage: versions 0-1, flexible from 0.

Generated from raft/LeaderChangeMessage.json by codegen; change the schema, not this file.
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
    read_long_length,
    read_unknown_tags,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_hiB = struct.Struct(">hiB").unpack_from
_unpack_iuB = struct.Struct(">i16sB").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_pack_hi = struct.Struct(">hi").pack
_pack_hiB = struct.Struct(">hiB").pack
_pack_i = struct.Struct(">i").pack
_pack_iu = struct.Struct(">i16s").pack
_pack_iuB = struct.Struct(">i16sB").pack
_pack_iB = struct.Struct(">iB").pack


class LeaderChangeMessageVoter(Struct):
    """Voter of LeaderChangeMessage."""

    __slots__ = ("voter_id", "voter_directory_id", "unknown_tags")

    voter_id: int
    """Versions 0+."""
    voter_directory_id: bytes
    """Versions 1+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        voter_id: int = 0,
        voter_directory_id: bytes = ZERO_UUID,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, LeaderChangeMessageVoter)
            and self.voter_id == other.voter_id
            and self.voter_directory_id == other.voter_directory_id
            and self.unknown_tags == other.unknown_tags
        )



class LeaderChangeMessage(Message):
    """Data LeaderChangeMessage."""

    __slots__ = ("version", "leader_id", "voters", "granting_voters", "unknown_tags")

    NAME: ClassVar[str] = "LeaderChangeMessage"
    TYPE: ClassVar[str] = "data"
    API_KEY: ClassVar[int | None] = None
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    Voter: TypeAlias = LeaderChangeMessageVoter

    version: int
    """Version at which this record itself is written. Versions 0+."""
    leader_id: int
    """Versions 0+."""
    voters: list[LeaderChangeMessageVoter]
    """The set of voters when the epoch began. Versions 0+."""
    granting_voters: list[LeaderChangeMessageVoter]
    """Those of them that elected the leader. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        version: int = 0,
        leader_id: int = 0,
        voters: list[LeaderChangeMessageVoter] = EMPTY,
        granting_voters: list[LeaderChangeMessageVoter] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.version = version
        self.leader_id = leader_id
        self.voters = [] if voters is EMPTY else voters
        self.granting_voters = [] if granting_voters is EMPTY else granting_voters
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, LeaderChangeMessage)
            and self.version == other.version
            and self.leader_id == other.leader_id
            and self.voters == other.voters
            and self.granting_voters == other.granting_voters
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[LeaderChangeMessage, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_voter_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[LeaderChangeMessageVoter], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[LeaderChangeMessageVoter] = []
    for _ in range(size):
        message = LeaderChangeMessageVoter.__new__(LeaderChangeMessageVoter)
        message.voter_id, tags = _unpack_iB(buffer, position)
        position += 5
        message.voter_directory_id = ZERO_UUID
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[LeaderChangeMessage, int]:
    message = LeaderChangeMessage.__new__(LeaderChangeMessage)
    message.version, message.leader_id, count = _unpack_hiB(buffer, position)
    position += 7
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.voters, position = _read_many_voter_v0(buffer, position, count - 1)
    elif count:
        message.voters = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.granting_voters, position = _read_many_voter_v0(buffer, position, count - 1)
    elif count:
        message.granting_voters = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_voter_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[LeaderChangeMessageVoter], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[LeaderChangeMessageVoter] = []
    for _ in range(size):
        message = LeaderChangeMessageVoter.__new__(LeaderChangeMessageVoter)
        message.voter_id, message.voter_directory_id, tags = _unpack_iuB(buffer, position)
        position += 21
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[LeaderChangeMessage, int]:
    message = LeaderChangeMessage.__new__(LeaderChangeMessage)
    message.version, message.leader_id, count = _unpack_hiB(buffer, position)
    position += 7
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.voters, position = _read_many_voter_v1(buffer, position, count - 1)
    elif count:
        message.voters = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.granting_voters, position = _read_many_voter_v1(buffer, position, count - 1)
    elif count:
        message.granting_voters = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_voter_v0(out: Pieces, message: LeaderChangeMessageVoter) -> None:
    if message.voter_directory_id != ZERO_UUID:
        raise Malformed
    if message.unknown_tags:
        out.append(_pack_i(message.voter_id))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.voter_id, 0))


def _write_v0(out: Pieces, message: LeaderChangeMessage) -> None:
    voters = message.voters
    count = len(voters) + 1
    if count < 128:
        out.append(_pack_hiB(message.version, message.leader_id, count))
    else:
        out.append(_pack_hi(message.version, message.leader_id))
        out.append(pack_length(count))
    for voters_item in voters:
        _write_voter_v0(out, voters_item)
    granting_voters = message.granting_voters
    count = len(granting_voters) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for granting_voters_item in granting_voters:
        _write_voter_v0(out, granting_voters_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_voter_v1(out: Pieces, message: LeaderChangeMessageVoter) -> None:
    voter_directory_id = message.voter_directory_id
    if len(voter_directory_id) != 16:
        raise Malformed
    if message.unknown_tags:
        out.append(_pack_iu(message.voter_id, voter_directory_id))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iuB(message.voter_id, voter_directory_id, 0))


def _write_v1(out: Pieces, message: LeaderChangeMessage) -> None:
    voters = message.voters
    count = len(voters) + 1
    if count < 128:
        out.append(_pack_hiB(message.version, message.leader_id, count))
    else:
        out.append(_pack_hi(message.version, message.leader_id))
        out.append(pack_length(count))
    for voters_item in voters:
        _write_voter_v1(out, voters_item)
    granting_voters = message.granting_voters
    count = len(granting_voters) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for granting_voters_item in granting_voters:
        _write_voter_v1(out, granting_voters_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


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
        python_class=LeaderChangeMessageVoter,
        fields=(
            FieldSchema(
                name="VoterId",
                attribute="voter_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="VoterDirectoryId",
                attribute="voter_directory_id",
                type="uuid",
                versions=(1, 32767),
                default=ZERO_UUID,
            ),
        ),
    )
    leader_change_message_struct = StructSchema(
        python_class=LeaderChangeMessage,
        fields=(
            FieldSchema(
                name="Version",
                attribute="version",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LeaderId",
                attribute="leader_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Voters",
                attribute="voters",
                type="Voter",
                struct=voter_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="GrantingVoters",
                attribute="granting_voters",
                type="Voter",
                struct=voter_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="LeaderChangeMessage", flexible_from=0, root=leader_change_message_struct)
