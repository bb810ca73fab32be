"""RemoveRaftVoterRequest: versions 0, flexible from 0, api key 81.

Generated from api/RemoveRaftVoterRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
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

ZERO_UUID = bytes(16)
_unpack_iuB = struct.Struct(">i16sB").unpack_from
_pack_iu = struct.Struct(">i16s").pack
_pack_iuB = struct.Struct(">i16sB").pack


class RemoveRaftVoterRequest(Message):
    """Request RemoveRaftVoterRequest."""

    __slots__ = ("cluster_id", "voter_id", "voter_directory_id", "unknown_tags")

    NAME: ClassVar[str] = "RemoveRaftVoterRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 81
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("controller", "broker",)

    cluster_id: str | None
    """If given, must be the receiver's cluster id. Versions 0+, null in 0+."""
    voter_id: int
    """Versions 0+."""
    voter_directory_id: bytes
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        cluster_id: str | None = "",
        voter_id: int = 0,
        voter_directory_id: bytes = ZERO_UUID,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.cluster_id = cluster_id
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RemoveRaftVoterRequest)
            and self.cluster_id == other.cluster_id
            and self.voter_id == other.voter_id
            and self.voter_directory_id == other.voter_directory_id
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[RemoveRaftVoterRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[RemoveRaftVoterRequest, int]:
    message = RemoveRaftVoterRequest.__new__(RemoveRaftVoterRequest)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.cluster_id = None
    else:
        end = position + length - 1
        message.cluster_id = str(buffer[position:end], "utf-8")
        position = end
    message.voter_id, message.voter_directory_id, tags = _unpack_iuB(buffer, position)
    position += 21
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: RemoveRaftVoterRequest) -> None:
    cluster_id = message.cluster_id
    if cluster_id is None:
        data = b""
        length = 0
    else:
        data = cluster_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    voter_directory_id = message.voter_directory_id
    if len(voter_directory_id) != 16:
        raise Malformed
    if message.unknown_tags:
        out.append(_pack_iu(message.voter_id, voter_directory_id))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iuB(message.voter_id, voter_directory_id, 0))


_READERS = (
    _read_v0,
)

_WRITERS = (
    _write_v0,
)


@cache
def _schema() -> MessageSchema:
    remove_raft_voter_request_struct = StructSchema(
        python_class=RemoveRaftVoterRequest,
        fields=(
            FieldSchema(
                name="ClusterId",
                attribute="cluster_id",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
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
                versions=(0, 32767),
                default=ZERO_UUID,
            ),
        ),
    )
    return MessageSchema(
        name="RemoveRaftVoterRequest",
        flexible_from=0,
        root=remove_raft_voter_request_struct,
    )
