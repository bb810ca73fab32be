"""VotersRecord: versions 0, flexible from 0.

Generated from raft/VotersRecord.json by codegen; change the schema, not this file.
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
_unpack_HB = struct.Struct(">HB").unpack_from
_unpack_hB = struct.Struct(">hB").unpack_from
_unpack_hhB = struct.Struct(">hhB").unpack_from
_unpack_iuB = struct.Struct(">i16sB").unpack_from
_pack_H = struct.Struct(">H").pack
_pack_HB = struct.Struct(">HB").pack
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_hh = struct.Struct(">hh").pack
_pack_hhB = struct.Struct(">hhB").pack
_pack_iu = struct.Struct(">i16s").pack
_pack_iuB = struct.Struct(">i16sB").pack


class VotersRecordEndpoint(Struct):
    """Endpoint of VotersRecord."""

    __slots__ = ("name", "host", "port", "unknown_tags")

    name: str
    """Versions 0+."""
    host: str
    """Versions 0+."""
    port: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        host: str = "",
        port: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, VotersRecordEndpoint)
            and self.name == other.name
            and self.host == other.host
            and self.port == other.port
            and self.unknown_tags == other.unknown_tags
        )



class VotersRecordKRaftVersionFeature(Struct):
    """KRaftVersionFeature of VotersRecord."""

    __slots__ = ("min_supported_version", "max_supported_version", "unknown_tags")

    min_supported_version: int
    """Versions 0+."""
    max_supported_version: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        min_supported_version: int = 0,
        max_supported_version: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.min_supported_version = min_supported_version
        self.max_supported_version = max_supported_version
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, VotersRecordKRaftVersionFeature)
            and self.min_supported_version == other.min_supported_version
            and self.max_supported_version == other.max_supported_version
            and self.unknown_tags == other.unknown_tags
        )



class VotersRecordVoter(Struct):
    """Voter of VotersRecord."""

    __slots__ = (
        "voter_id",
        "voter_directory_id",
        "endpoints",
        "_kraft_version_feature",
        "unknown_tags",
    )

    voter_id: int
    """Versions 0+."""
    voter_directory_id: bytes
    """Versions 0+."""
    endpoints: list[VotersRecordEndpoint]
    """The voter's controller listeners. Versions 0+."""
    _kraft_version_feature: VotersRecordKRaftVersionFeature | None
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        voter_id: int = 0,
        voter_directory_id: bytes = ZERO_UUID,
        endpoints: list[VotersRecordEndpoint] = EMPTY,
        kraft_version_feature: VotersRecordKRaftVersionFeature | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.endpoints = [] if endpoints is EMPTY else endpoints
        self._kraft_version_feature = kraft_version_feature
        self.unknown_tags = unknown_tags

    @property
    def kraft_version_feature(self) -> VotersRecordKRaftVersionFeature:
        """The kraft.version levels that the voter supports. Versions 0+."""
        if self._kraft_version_feature is None:
            self._kraft_version_feature = VotersRecordKRaftVersionFeature()
        return self._kraft_version_feature

    @kraft_version_feature.setter
    def kraft_version_feature(self, value: VotersRecordKRaftVersionFeature) -> None:
        self._kraft_version_feature = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, VotersRecordVoter)
            and self.voter_id == other.voter_id
            and self.voter_directory_id == other.voter_directory_id
            and self.endpoints == other.endpoints
            and self.kraft_version_feature == other.kraft_version_feature
            and self.unknown_tags == other.unknown_tags
        )



class VotersRecord(Message):
    """Data VotersRecord."""

    __slots__ = ("version", "voters", "unknown_tags")

    NAME: ClassVar[str] = "VotersRecord"
    TYPE: ClassVar[str] = "data"
    API_KEY: ClassVar[int | None] = None
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    Endpoint: TypeAlias = VotersRecordEndpoint
    KRaftVersionFeature: TypeAlias = VotersRecordKRaftVersionFeature
    Voter: TypeAlias = VotersRecordVoter

    version: int
    """Version at which this record itself is written. Versions 0+."""
    voters: list[VotersRecordVoter]
    """The whole set from here on, in force as soon as it is written. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        version: int = 0,
        voters: list[VotersRecordVoter] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.version = version
        self.voters = [] if voters is EMPTY else voters
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, VotersRecord)
            and self.version == other.version
            and self.voters == other.voters
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[VotersRecord, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_endpoint_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[VotersRecordEndpoint], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[VotersRecordEndpoint] = []
    for _ in range(size):
        message = VotersRecordEndpoint.__new__(VotersRecordEndpoint)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.host = str(buffer[position:end], "utf-8")
        position = end
        message.port, tags = _unpack_HB(buffer, position)
        position += 3
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_kraft_version_feature_v0(
    buffer: Buffer,
    position: int,
) -> tuple[VotersRecordKRaftVersionFeature, int]:
    message = VotersRecordKRaftVersionFeature.__new__(VotersRecordKRaftVersionFeature)
    message.min_supported_version, message.max_supported_version, tags = _unpack_hhB(buffer, position)
    position += 5
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_voter_v0(buffer: Buffer, position: int, size: int) -> tuple[list[VotersRecordVoter], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[VotersRecordVoter] = []
    for _ in range(size):
        message = VotersRecordVoter.__new__(VotersRecordVoter)
        message.voter_id, message.voter_directory_id, count = _unpack_iuB(buffer, position)
        position += 21
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.endpoints, position = _read_many_endpoint_v0(buffer, position, count - 1)
        elif count:
            message.endpoints = []
        else:
            raise Malformed
        message._kraft_version_feature, position = _read_kraft_version_feature_v0(buffer, position)
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[VotersRecord, int]:
    message = VotersRecord.__new__(VotersRecord)
    message.version, count = _unpack_hB(buffer, position)
    position += 3
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.voters, position = _read_many_voter_v0(buffer, position, count - 1)
    elif count:
        message.voters = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_endpoint_v0(out: Pieces, message: VotersRecordEndpoint) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    host = message.host
    data = host.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_H(message.port))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_HB(message.port, 0))


def _write_kraft_version_feature_v0(out: Pieces, message: VotersRecordKRaftVersionFeature) -> None:
    if message.unknown_tags:
        out.append(_pack_hh(message.min_supported_version, message.max_supported_version))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hhB(message.min_supported_version, message.max_supported_version, 0))


def _write_voter_v0(out: Pieces, message: VotersRecordVoter) -> None:
    voter_directory_id = message.voter_directory_id
    if len(voter_directory_id) != 16:
        raise Malformed
    endpoints = message.endpoints
    count = len(endpoints) + 1
    if count < 128:
        out.append(_pack_iuB(message.voter_id, voter_directory_id, count))
    else:
        out.append(_pack_iu(message.voter_id, voter_directory_id))
        out.append(pack_length(count))
    for endpoints_item in endpoints:
        _write_endpoint_v0(out, endpoints_item)
    kraft_version_feature = message.kraft_version_feature
    _write_kraft_version_feature_v0(out, kraft_version_feature)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: VotersRecord) -> None:
    voters = message.voters
    count = len(voters) + 1
    if count < 128:
        out.append(_pack_hB(message.version, count))
    else:
        out.append(_pack_h(message.version))
        out.append(pack_length(count))
    for voters_item in voters:
        _write_voter_v0(out, voters_item)
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
    endpoint_struct = StructSchema(
        python_class=VotersRecordEndpoint,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
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
                type="uint16",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    kraft_version_feature_struct = StructSchema(
        python_class=VotersRecordKRaftVersionFeature,
        fields=(
            FieldSchema(
                name="MinSupportedVersion",
                attribute="min_supported_version",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="MaxSupportedVersion",
                attribute="max_supported_version",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    voter_struct = StructSchema(
        python_class=VotersRecordVoter,
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
                versions=(0, 32767),
                default=ZERO_UUID,
            ),
            FieldSchema(
                name="Endpoints",
                attribute="endpoints",
                type="Endpoint",
                struct=endpoint_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="KRaftVersionFeature",
                attribute="kraft_version_feature",
                type="KRaftVersionFeature",
                struct=kraft_version_feature_struct,
                versions=(0, 32767),
                default=Default.EMPTY_STRUCT,
            ),
        ),
    )
    voters_record_struct = StructSchema(
        python_class=VotersRecord,
        fields=(
            FieldSchema(
                name="Version",
                attribute="version",
                type="int16",
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
        ),
    )
    return MessageSchema(name="VotersRecord", flexible_from=0, root=voters_record_struct)
