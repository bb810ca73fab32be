"""UpdateRaftVoterResponse: versions 0, flexible from 0, api key 82.

Generated from api/UpdateRaftVoterResponse.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    Buffer,
    Malformed,
    Pieces,
    pack_string_length,
    read_string_length,
    read_tag_section,
    read_unknown_tags,
    write_tag_section,
)

_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_iiB = struct.Struct(">iiB").unpack_from
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ii = struct.Struct(">ii").pack
_pack_iiB = struct.Struct(">iiB").pack


class UpdateRaftVoterResponseCurrentLeader(Struct):
    """CurrentLeader of UpdateRaftVoterResponse."""

    __slots__ = ("leader_id", "leader_epoch", "host", "port", "unknown_tags")

    leader_id: int
    """Leader known to the answering node, or -1. Versions 0+."""
    leader_epoch: int
    """Versions 0+."""
    host: str
    """Versions 0+."""
    port: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        leader_id: int = -1,
        leader_epoch: int = -1,
        host: str = "",
        port: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.host = host
        self.port = port
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, UpdateRaftVoterResponseCurrentLeader)
            and self.leader_id == other.leader_id
            and self.leader_epoch == other.leader_epoch
            and self.host == other.host
            and self.port == other.port
            and self.unknown_tags == other.unknown_tags
        )



class UpdateRaftVoterResponse(Message):
    """Response UpdateRaftVoterResponse."""

    __slots__ = ("throttle_time_ms", "error_code", "_current_leader", "unknown_tags")

    NAME: ClassVar[str] = "UpdateRaftVoterResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 82
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    CurrentLeader: TypeAlias = UpdateRaftVoterResponseCurrentLeader

    throttle_time_ms: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    _current_leader: UpdateRaftVoterResponseCurrentLeader | None
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        current_leader: UpdateRaftVoterResponseCurrentLeader | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self._current_leader = current_leader
        self.unknown_tags = unknown_tags

    @property
    def current_leader(self) -> UpdateRaftVoterResponseCurrentLeader:
        """Where to turn to; set with errors too. Versions 0+, tag 0 in 0+."""
        if self._current_leader is None:
            self._current_leader = UpdateRaftVoterResponseCurrentLeader()
        return self._current_leader

    @current_leader.setter
    def current_leader(self, value: UpdateRaftVoterResponseCurrentLeader) -> None:
        self._current_leader = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, UpdateRaftVoterResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.current_leader == other.current_leader
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[UpdateRaftVoterResponse, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_current_leader_v0(
    buffer: Buffer,
    position: int,
) -> tuple[UpdateRaftVoterResponseCurrentLeader, int]:
    message = UpdateRaftVoterResponseCurrentLeader.__new__(UpdateRaftVoterResponseCurrentLeader)
    message.leader_id, message.leader_epoch, length = _unpack_iiB(buffer, position)
    position += 9
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.host = str(buffer[position:end], "utf-8")
    position = end
    message.port, tags = _unpack_iB(buffer, position)
    position += 5
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v0(buffer: Buffer, position: int) -> tuple[UpdateRaftVoterResponse, int]:
    message = UpdateRaftVoterResponse.__new__(UpdateRaftVoterResponse)
    message.throttle_time_ms, message.error_code, tags = _unpack_ihB(buffer, position)
    position += 7
    message._current_leader = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                message._current_leader, position = _read_current_leader_v0(buffer, position)
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _write_current_leader_v0(out: Pieces, message: UpdateRaftVoterResponseCurrentLeader) -> None:
    host = message.host
    data = host.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_iiB(message.leader_id, message.leader_epoch, length))
    else:
        out.append(_pack_ii(message.leader_id, message.leader_epoch))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_i(message.port))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.port, 0))


def _write_v0(out: Pieces, message: UpdateRaftVoterResponse) -> None:
    out.append(_pack_ih(message.throttle_time_ms, message.error_code))
    tagged = []
    section: Pieces
    current_leader = message._current_leader
    if current_leader is not None and (
        current_leader.leader_id != -1
        or current_leader.leader_epoch != -1
        or current_leader.host != ""
        or current_leader.port != 0
        or current_leader.unknown_tags
    ):
        section = []
        _write_current_leader_v0(section, current_leader)
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
    current_leader_struct = StructSchema(
        python_class=UpdateRaftVoterResponseCurrentLeader,
        fields=(
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
                name="Host",
                attribute="host",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Port",
                attribute="port",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    update_raft_voter_response_struct = StructSchema(
        python_class=UpdateRaftVoterResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="CurrentLeader",
                attribute="current_leader",
                type="CurrentLeader",
                struct=current_leader_struct,
                versions=(0, 32767),
                tagged=(0, 32767),
                tag=0,
                default=Default.EMPTY_STRUCT,
            ),
        ),
    )
    return MessageSchema(
        name="UpdateRaftVoterResponse",
        flexible_from=0,
        root=update_raft_voter_response_struct,
    )
