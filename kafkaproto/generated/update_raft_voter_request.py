"""UpdateRaftVoterRequest: versions 0, flexible from 0, api key 82.

Generated from api/UpdateRaftVoterRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    ELEMENTS_A_STEP,
    EMPTY,
    Budget,
    Buffer,
    Malformed,
    Pieces,
    Steps,
    pack_length,
    pack_string_length,
    read_long_length,
    read_pieces,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_HB = struct.Struct(">HB").unpack_from
_unpack_hhB = struct.Struct(">hhB").unpack_from
_unpack_iiuB = struct.Struct(">ii16sB").unpack_from
_pack_H = struct.Struct(">H").pack
_pack_HB = struct.Struct(">HB").pack
_pack_hh = struct.Struct(">hh").pack
_pack_hhB = struct.Struct(">hhB").pack
_pack_iiu = struct.Struct(">ii16s").pack
_pack_iiuB = struct.Struct(">ii16sB").pack


class UpdateRaftVoterRequestListener(Struct):
    """Listener of UpdateRaftVoterRequest."""

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
            isinstance(other, UpdateRaftVoterRequestListener)
            and self.name == other.name
            and self.host == other.host
            and self.port == other.port
            and self.unknown_tags == other.unknown_tags
        )



class UpdateRaftVoterRequestKRaftVersionFeature(Struct):
    """KRaftVersionFeature of UpdateRaftVoterRequest."""

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
            isinstance(other, UpdateRaftVoterRequestKRaftVersionFeature)
            and self.min_supported_version == other.min_supported_version
            and self.max_supported_version == other.max_supported_version
            and self.unknown_tags == other.unknown_tags
        )



class UpdateRaftVoterRequest(Message):
    """Request UpdateRaftVoterRequest."""

    __slots__ = (
        "cluster_id",
        "current_leader_epoch",
        "voter_id",
        "voter_directory_id",
        "listeners",
        "_kraft_version_feature",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "UpdateRaftVoterRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 82
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("controller",)
    Listener: TypeAlias = UpdateRaftVoterRequestListener
    KRaftVersionFeature: TypeAlias = UpdateRaftVoterRequestKRaftVersionFeature

    cluster_id: str | None
    """If given, must be the receiver's cluster id. Versions 0+, null in 0+."""
    current_leader_epoch: int
    """Versions 0+."""
    voter_id: int
    """The voter that sends this about itself. Versions 0+."""
    voter_directory_id: bytes
    """Versions 0+."""
    listeners: list[UpdateRaftVoterRequestListener]
    """Its controller listeners as they are now. Versions 0+."""
    _kraft_version_feature: UpdateRaftVoterRequestKRaftVersionFeature | None
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        cluster_id: str | None = "",
        current_leader_epoch: int = 0,
        voter_id: int = 0,
        voter_directory_id: bytes = ZERO_UUID,
        listeners: list[UpdateRaftVoterRequestListener] = EMPTY,
        kraft_version_feature: UpdateRaftVoterRequestKRaftVersionFeature | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.cluster_id = cluster_id
        self.current_leader_epoch = current_leader_epoch
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.listeners = [] if listeners is EMPTY else listeners
        self._kraft_version_feature = kraft_version_feature
        self.unknown_tags = unknown_tags

    @property
    def kraft_version_feature(self) -> UpdateRaftVoterRequestKRaftVersionFeature:
        """The kraft.version levels that it supports. Versions 0+."""
        if self._kraft_version_feature is None:
            self._kraft_version_feature = UpdateRaftVoterRequestKRaftVersionFeature()
        return self._kraft_version_feature

    @kraft_version_feature.setter
    def kraft_version_feature(self, value: UpdateRaftVoterRequestKRaftVersionFeature) -> None:
        self._kraft_version_feature = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, UpdateRaftVoterRequest)
            and self.cluster_id == other.cluster_id
            and self.current_leader_epoch == other.current_leader_epoch
            and self.voter_id == other.voter_id
            and self.voter_directory_id == other.voter_directory_id
            and self.listeners == other.listeners
            and self.kraft_version_feature == other.kraft_version_feature
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[UpdateRaftVoterRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[UpdateRaftVoterRequest, int]] | None:
        read = _STEP_READERS[version]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_listener_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[UpdateRaftVoterRequestListener], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[UpdateRaftVoterRequestListener] = []
    for _ in range(size):
        message = UpdateRaftVoterRequestListener.__new__(UpdateRaftVoterRequestListener)
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
) -> tuple[UpdateRaftVoterRequestKRaftVersionFeature, int]:
    message = UpdateRaftVoterRequestKRaftVersionFeature.__new__(UpdateRaftVoterRequestKRaftVersionFeature)
    message.min_supported_version, message.max_supported_version, tags = _unpack_hhB(buffer, position)
    position += 5
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v0(buffer: Buffer, position: int) -> tuple[UpdateRaftVoterRequest, int]:
    message = UpdateRaftVoterRequest.__new__(UpdateRaftVoterRequest)
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
    (
        message.current_leader_epoch,
        message.voter_id,
        message.voter_directory_id,
        count,
    ) = _unpack_iiuB(buffer, position)
    position += 25
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.listeners, position = _read_many_listener_v0(buffer, position, count - 1)
    elif count:
        message.listeners = []
    else:
        raise Malformed
    message._kraft_version_feature, position = _read_kraft_version_feature_v0(buffer, position)
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[UpdateRaftVoterRequest, int]]:
    message = UpdateRaftVoterRequest.__new__(UpdateRaftVoterRequest)
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
    (
        message.current_leader_epoch,
        message.voter_id,
        message.voter_directory_id,
        count,
    ) = _unpack_iiuB(buffer, position)
    position += 25
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "UpdateRaftVoterRequest.listeners")
    if count > 1:
        if count - 1 > ELEMENTS_A_STEP:
            message.listeners, position = yield from read_pieces(
                _read_many_listener_v0,
                buffer,
                position,
                count - 1,
                budget,
            )
        else:
            message.listeners, position = _read_many_listener_v0(buffer, position, count - 1)
            budget.take_tags(message.listeners)
    elif count:
        message.listeners = []
    else:
        raise Malformed
    message._kraft_version_feature, position = _read_kraft_version_feature_v0(buffer, position)
    budget.take_tags((message._kraft_version_feature,))
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_listener_v0(out: Pieces, message: UpdateRaftVoterRequestListener) -> None:
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


def _write_kraft_version_feature_v0(out: Pieces, message: UpdateRaftVoterRequestKRaftVersionFeature) -> None:
    if message.unknown_tags:
        out.append(_pack_hh(message.min_supported_version, message.max_supported_version))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_hhB(message.min_supported_version, message.max_supported_version, 0))


def _write_v0(out: Pieces, message: UpdateRaftVoterRequest) -> None:
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
    listeners = message.listeners
    count = len(listeners) + 1
    if count < 128:
        out.append(_pack_iiuB(message.current_leader_epoch, message.voter_id, voter_directory_id, count))
    else:
        out.append(_pack_iiu(message.current_leader_epoch, message.voter_id, voter_directory_id))
        out.append(pack_length(count))
    for listeners_item in listeners:
        _write_listener_v0(out, listeners_item)
    kraft_version_feature = message.kraft_version_feature
    _write_kraft_version_feature_v0(out, kraft_version_feature)
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

_STEP_READERS = (
    _step_v0,
)


@cache
def _schema() -> MessageSchema:
    listener_struct = StructSchema(
        python_class=UpdateRaftVoterRequestListener,
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
        python_class=UpdateRaftVoterRequestKRaftVersionFeature,
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
    update_raft_voter_request_struct = StructSchema(
        python_class=UpdateRaftVoterRequest,
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
                name="CurrentLeaderEpoch",
                attribute="current_leader_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
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
            FieldSchema(
                name="Listeners",
                attribute="listeners",
                type="Listener",
                struct=listener_struct,
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
    return MessageSchema(
        name="UpdateRaftVoterRequest",
        flexible_from=0,
        root=update_raft_voter_request_struct,
    )
