"""AddRaftVoterRequest: versions 0-1, flexible from 0, api key 80.

Generated from api/AddRaftVoterRequest.json by codegen; change the schema, not this file.
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
_unpack_tB = struct.Struct(">?B").unpack_from
_unpack_HB = struct.Struct(">HB").unpack_from
_unpack_iiuB = struct.Struct(">ii16sB").unpack_from
_pack_t = struct.Struct(">?").pack
_pack_tB = struct.Struct(">?B").pack
_pack_H = struct.Struct(">H").pack
_pack_HB = struct.Struct(">HB").pack
_pack_iiu = struct.Struct(">ii16s").pack
_pack_iiuB = struct.Struct(">ii16sB").pack


class AddRaftVoterRequestListener(Struct):
    """Listener of AddRaftVoterRequest."""

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
            isinstance(other, AddRaftVoterRequestListener)
            and self.name == other.name
            and self.host == other.host
            and self.port == other.port
            and self.unknown_tags == other.unknown_tags
        )



class AddRaftVoterRequest(Message):
    """Request AddRaftVoterRequest."""

    __slots__ = (
        "cluster_id",
        "timeout_ms",
        "voter_id",
        "voter_directory_id",
        "listeners",
        "ack_when_committed",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "AddRaftVoterRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 80
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("controller", "broker",)
    Listener: TypeAlias = AddRaftVoterRequestListener

    cluster_id: str | None
    """If given, must be the receiver's cluster id. Versions 0+, null in 0+."""
    timeout_ms: int
    """How long the leader may take over the whole change. Versions 0+."""
    voter_id: int
    """Versions 0+."""
    voter_directory_id: bytes
    """Versions 0+."""
    listeners: list[AddRaftVoterRequestListener]
    """The new voter's controller listeners; the leader's listener name must be among them. Versions
    0+.
    """
    ack_when_committed: bool
    """Whether to answer once the new set is committed, rather than once it is written. Versions 1+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        cluster_id: str | None = "",
        timeout_ms: int = 0,
        voter_id: int = 0,
        voter_directory_id: bytes = ZERO_UUID,
        listeners: list[AddRaftVoterRequestListener] = EMPTY,
        ack_when_committed: bool = True,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.cluster_id = cluster_id
        self.timeout_ms = timeout_ms
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.listeners = [] if listeners is EMPTY else listeners
        self.ack_when_committed = ack_when_committed
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AddRaftVoterRequest)
            and self.cluster_id == other.cluster_id
            and self.timeout_ms == other.timeout_ms
            and self.voter_id == other.voter_id
            and self.voter_directory_id == other.voter_directory_id
            and self.listeners == other.listeners
            and self.ack_when_committed == other.ack_when_committed
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[AddRaftVoterRequest, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[AddRaftVoterRequest, int]] | None:
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
) -> tuple[list[AddRaftVoterRequestListener], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[AddRaftVoterRequestListener] = []
    for _ in range(size):
        message = AddRaftVoterRequestListener.__new__(AddRaftVoterRequestListener)
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


def _read_v0(buffer: Buffer, position: int) -> tuple[AddRaftVoterRequest, int]:
    message = AddRaftVoterRequest.__new__(AddRaftVoterRequest)
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
    message.timeout_ms, message.voter_id, message.voter_directory_id, count = _unpack_iiuB(buffer, position)
    position += 25
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.listeners, position = _read_many_listener_v0(buffer, position, count - 1)
    elif count:
        message.listeners = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.ack_when_committed = True
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v0(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[AddRaftVoterRequest, int]]:
    message = AddRaftVoterRequest.__new__(AddRaftVoterRequest)
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
    message.timeout_ms, message.voter_id, message.voter_directory_id, count = _unpack_iiuB(buffer, position)
    position += 25
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "AddRaftVoterRequest.listeners")
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
    tags = buffer[position]
    position += 1
    message.ack_when_committed = True
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[AddRaftVoterRequest, int]:
    message = AddRaftVoterRequest.__new__(AddRaftVoterRequest)
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
    message.timeout_ms, message.voter_id, message.voter_directory_id, count = _unpack_iiuB(buffer, position)
    position += 25
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.listeners, position = _read_many_listener_v0(buffer, position, count - 1)
    elif count:
        message.listeners = []
    else:
        raise Malformed
    message.ack_when_committed, tags = _unpack_tB(buffer, position)
    position += 2
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[AddRaftVoterRequest, int]]:
    message = AddRaftVoterRequest.__new__(AddRaftVoterRequest)
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
    message.timeout_ms, message.voter_id, message.voter_directory_id, count = _unpack_iiuB(buffer, position)
    position += 25
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "AddRaftVoterRequest.listeners")
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
    message.ack_when_committed, tags = _unpack_tB(buffer, position)
    position += 2
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_listener_v0(out: Pieces, message: AddRaftVoterRequestListener) -> None:
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


def _write_v0(out: Pieces, message: AddRaftVoterRequest) -> None:
    if not message.ack_when_committed:
        raise Malformed
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
        out.append(_pack_iiuB(message.timeout_ms, message.voter_id, voter_directory_id, count))
    else:
        out.append(_pack_iiu(message.timeout_ms, message.voter_id, voter_directory_id))
        out.append(pack_length(count))
    for listeners_item in listeners:
        _write_listener_v0(out, listeners_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: AddRaftVoterRequest) -> None:
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
        out.append(_pack_iiuB(message.timeout_ms, message.voter_id, voter_directory_id, count))
    else:
        out.append(_pack_iiu(message.timeout_ms, message.voter_id, voter_directory_id))
        out.append(pack_length(count))
    for listeners_item in listeners:
        _write_listener_v0(out, listeners_item)
    if message.unknown_tags:
        out.append(_pack_t(message.ack_when_committed))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_tB(message.ack_when_committed, 0))


_READERS = (
    _read_v0,
    _read_v1,
)

_WRITERS = (
    _write_v0,
    _write_v1,
)

_STEP_READERS = (
    _step_v0,
    _step_v1,
)


@cache
def _schema() -> MessageSchema:
    listener_struct = StructSchema(
        python_class=AddRaftVoterRequestListener,
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
    add_raft_voter_request_struct = StructSchema(
        python_class=AddRaftVoterRequest,
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
                name="TimeoutMs",
                attribute="timeout_ms",
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
                name="AckWhenCommitted",
                attribute="ack_when_committed",
                type="bool",
                versions=(1, 32767),
                default=True,
            ),
        ),
    )
    return MessageSchema(name="AddRaftVoterRequest", flexible_from=0, root=add_raft_voter_request_struct)
