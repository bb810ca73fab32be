"""GroupMetadataValue: versions 0-4, flexible from 4, record type 2.

Generated from group/GroupMetadataValue.json by codegen; change the schema, not this file.
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

_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ih = struct.Struct(">ih").unpack_from
_unpack_ii = struct.Struct(">ii").unpack_from
_unpack_iiB = struct.Struct(">iiB").unpack_from
_unpack_iii = struct.Struct(">iii").unpack_from
_unpack_qB = struct.Struct(">qB").unpack_from
_unpack_qi = struct.Struct(">qi").unpack_from
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ii = struct.Struct(">ii").pack
_pack_iiB = struct.Struct(">iiB").pack
_pack_iii = struct.Struct(">iii").pack
_pack_q = struct.Struct(">q").pack
_pack_qB = struct.Struct(">qB").pack
_pack_qi = struct.Struct(">qi").pack


class GroupMetadataValueMemberMetadata(Struct):
    """MemberMetadata of GroupMetadataValue."""

    __slots__ = (
        "member_id",
        "group_instance_id",
        "client_id",
        "client_host",
        "rebalance_timeout",
        "session_timeout",
        "subscription",
        "assignment",
        "unknown_tags",
    )

    member_id: str
    """Versions 0+."""
    group_instance_id: str | None
    """Versions 3+, null in 3+, dropped where a version lacks it."""
    client_id: str
    """Versions 0+."""
    client_host: str
    """Versions 0+."""
    rebalance_timeout: int
    """Versions 1+, dropped where a version lacks it."""
    session_timeout: int
    """Versions 0+."""
    subscription: bytes
    """Versions 0+."""
    assignment: bytes
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        member_id: str = "",
        group_instance_id: str | None = None,
        client_id: str = "",
        client_host: str = "",
        rebalance_timeout: int = -1,
        session_timeout: int = 0,
        subscription: bytes = b'',
        assignment: bytes = b'',
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.client_id = client_id
        self.client_host = client_host
        self.rebalance_timeout = rebalance_timeout
        self.session_timeout = session_timeout
        self.subscription = subscription
        self.assignment = assignment
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, GroupMetadataValueMemberMetadata)
            and self.member_id == other.member_id
            and self.group_instance_id == other.group_instance_id
            and self.client_id == other.client_id
            and self.client_host == other.client_host
            and self.rebalance_timeout == other.rebalance_timeout
            and self.session_timeout == other.session_timeout
            and self.subscription == other.subscription
            and self.assignment == other.assignment
            and self.unknown_tags == other.unknown_tags
        )



class GroupMetadataValue(Message):
    """Coordinator-value GroupMetadataValue."""

    __slots__ = (
        "protocol_type",
        "generation",
        "protocol",
        "leader",
        "current_state_timestamp",
        "members",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "GroupMetadataValue"
    TYPE: ClassVar[str] = "coordinator-value"
    API_KEY: ClassVar[int | None] = 2
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 4
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    MemberMetadata: TypeAlias = GroupMetadataValueMemberMetadata

    protocol_type: str
    """Versions 0+."""
    generation: int
    """Versions 0+."""
    protocol: str | None
    """Versions 0+, null in 0+."""
    leader: str | None
    """Versions 0+, null in 0+."""
    current_state_timestamp: int
    """Versions 2+, dropped where a version lacks it."""
    members: list[GroupMetadataValueMemberMetadata]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        protocol_type: str = "",
        generation: int = 0,
        protocol: str | None = "",
        leader: str | None = "",
        current_state_timestamp: int = -1,
        members: list[GroupMetadataValueMemberMetadata] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.protocol_type = protocol_type
        self.generation = generation
        self.protocol = protocol
        self.leader = leader
        self.current_state_timestamp = current_state_timestamp
        self.members = [] if members is EMPTY else members
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, GroupMetadataValue)
            and self.protocol_type == other.protocol_type
            and self.generation == other.generation
            and self.protocol == other.protocol
            and self.leader == other.leader
            and self.current_state_timestamp == other.current_state_timestamp
            and self.members == other.members
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[GroupMetadataValue, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_member_metadata_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[GroupMetadataValueMemberMetadata], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[GroupMetadataValueMemberMetadata] = []
    for _ in range(size):
        message = GroupMetadataValueMemberMetadata.__new__(GroupMetadataValueMemberMetadata)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.member_id = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.client_id = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.client_host = str(buffer[position:end], "utf-8")
        position = end
        message.session_timeout, length = _unpack_ii(buffer, position)
        position += 8
        if length < 0:
            raise Malformed
        end = position + length
        message.subscription = bytes(buffer[position:end])
        position = end
        (length,) = _unpack_i(buffer, position)
        position += 4
        if length < 0:
            raise Malformed
        end = position + length
        message.assignment = bytes(buffer[position:end])
        position = end
        message.group_instance_id = None
        message.rebalance_timeout = -1
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[GroupMetadataValue, int]:
    message = GroupMetadataValue.__new__(GroupMetadataValue)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.protocol_type = str(buffer[position:end], "utf-8")
    position = end
    message.generation, length = _unpack_ih(buffer, position)
    position += 6
    if length < 0:
        message.protocol = None
    else:
        end = position + length
        message.protocol = str(buffer[position:end], "utf-8")
        position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        message.leader = None
    else:
        end = position + length
        message.leader = str(buffer[position:end], "utf-8")
        position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.members, position = _read_many_member_metadata_v0(buffer, position, count)
    elif not count:
        message.members = []
    else:
        raise Malformed
    message.current_state_timestamp = -1
    message.unknown_tags = None
    return message, position


def _read_many_member_metadata_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[GroupMetadataValueMemberMetadata], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[GroupMetadataValueMemberMetadata] = []
    for _ in range(size):
        message = GroupMetadataValueMemberMetadata.__new__(GroupMetadataValueMemberMetadata)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.member_id = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.client_id = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.client_host = str(buffer[position:end], "utf-8")
        position = end
        message.rebalance_timeout, message.session_timeout, length = _unpack_iii(buffer, position)
        position += 12
        if length < 0:
            raise Malformed
        end = position + length
        message.subscription = bytes(buffer[position:end])
        position = end
        (length,) = _unpack_i(buffer, position)
        position += 4
        if length < 0:
            raise Malformed
        end = position + length
        message.assignment = bytes(buffer[position:end])
        position = end
        message.group_instance_id = None
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[GroupMetadataValue, int]:
    message = GroupMetadataValue.__new__(GroupMetadataValue)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.protocol_type = str(buffer[position:end], "utf-8")
    position = end
    message.generation, length = _unpack_ih(buffer, position)
    position += 6
    if length < 0:
        message.protocol = None
    else:
        end = position + length
        message.protocol = str(buffer[position:end], "utf-8")
        position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        message.leader = None
    else:
        end = position + length
        message.leader = str(buffer[position:end], "utf-8")
        position = end
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.members, position = _read_many_member_metadata_v1(buffer, position, count)
    elif not count:
        message.members = []
    else:
        raise Malformed
    message.current_state_timestamp = -1
    message.unknown_tags = None
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[GroupMetadataValue, int]:
    message = GroupMetadataValue.__new__(GroupMetadataValue)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.protocol_type = str(buffer[position:end], "utf-8")
    position = end
    message.generation, length = _unpack_ih(buffer, position)
    position += 6
    if length < 0:
        message.protocol = None
    else:
        end = position + length
        message.protocol = str(buffer[position:end], "utf-8")
        position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        message.leader = None
    else:
        end = position + length
        message.leader = str(buffer[position:end], "utf-8")
        position = end
    message.current_state_timestamp, count = _unpack_qi(buffer, position)
    position += 12
    if count > 0:
        message.members, position = _read_many_member_metadata_v1(buffer, position, count)
    elif not count:
        message.members = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_member_metadata_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[GroupMetadataValueMemberMetadata], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[GroupMetadataValueMemberMetadata] = []
    for _ in range(size):
        message = GroupMetadataValueMemberMetadata.__new__(GroupMetadataValueMemberMetadata)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.member_id = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            message.group_instance_id = None
        else:
            end = position + length
            message.group_instance_id = str(buffer[position:end], "utf-8")
            position = end
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.client_id = str(buffer[position:end], "utf-8")
        position = end
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.client_host = str(buffer[position:end], "utf-8")
        position = end
        message.rebalance_timeout, message.session_timeout, length = _unpack_iii(buffer, position)
        position += 12
        if length < 0:
            raise Malformed
        end = position + length
        message.subscription = bytes(buffer[position:end])
        position = end
        (length,) = _unpack_i(buffer, position)
        position += 4
        if length < 0:
            raise Malformed
        end = position + length
        message.assignment = bytes(buffer[position:end])
        position = end
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v3(buffer: Buffer, position: int) -> tuple[GroupMetadataValue, int]:
    message = GroupMetadataValue.__new__(GroupMetadataValue)
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.protocol_type = str(buffer[position:end], "utf-8")
    position = end
    message.generation, length = _unpack_ih(buffer, position)
    position += 6
    if length < 0:
        message.protocol = None
    else:
        end = position + length
        message.protocol = str(buffer[position:end], "utf-8")
        position = end
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        message.leader = None
    else:
        end = position + length
        message.leader = str(buffer[position:end], "utf-8")
        position = end
    message.current_state_timestamp, count = _unpack_qi(buffer, position)
    position += 12
    if count > 0:
        message.members, position = _read_many_member_metadata_v3(buffer, position, count)
    elif not count:
        message.members = []
    else:
        raise Malformed
    message.unknown_tags = None
    return message, position


def _read_many_member_metadata_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[GroupMetadataValueMemberMetadata], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[GroupMetadataValueMemberMetadata] = []
    for _ in range(size):
        message = GroupMetadataValueMemberMetadata.__new__(GroupMetadataValueMemberMetadata)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.member_id = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.group_instance_id = None
        else:
            end = position + length - 1
            message.group_instance_id = str(buffer[position:end], "utf-8")
            position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.client_id = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.client_host = str(buffer[position:end], "utf-8")
        position = end
        message.rebalance_timeout, message.session_timeout, length = _unpack_iiB(buffer, position)
        position += 9
        if length > 127:
            length, position = read_long_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.subscription = bytes(buffer[position:end])
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_long_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.assignment = bytes(buffer[position:end])
        position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v4(buffer: Buffer, position: int) -> tuple[GroupMetadataValue, int]:
    message = GroupMetadataValue.__new__(GroupMetadataValue)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.protocol_type = str(buffer[position:end], "utf-8")
    position = end
    message.generation, length = _unpack_iB(buffer, position)
    position += 5
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.protocol = None
    else:
        end = position + length - 1
        message.protocol = str(buffer[position:end], "utf-8")
        position = end
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.leader = None
    else:
        end = position + length - 1
        message.leader = str(buffer[position:end], "utf-8")
        position = end
    message.current_state_timestamp, count = _unpack_qB(buffer, position)
    position += 9
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.members, position = _read_many_member_metadata_v4(buffer, position, count - 1)
    elif count:
        message.members = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_member_metadata_v0(out: Pieces, message: GroupMetadataValueMemberMetadata) -> None:
    member_id = message.member_id
    data = member_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    client_id = message.client_id
    data = client_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    client_host = message.client_host
    data = client_host.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    subscription = message.subscription
    length = len(subscription)
    out.append(_pack_ii(message.session_timeout, length))
    out.append(subscription)
    assignment = message.assignment
    length = len(assignment)
    out.append(_pack_i(length))
    out.append(assignment)
    if message.unknown_tags:
        raise Malformed


def _write_v0(out: Pieces, message: GroupMetadataValue) -> None:
    protocol_type = message.protocol_type
    data = protocol_type.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    protocol = message.protocol
    if protocol is None:
        data = b""
        length = -1
    else:
        data = protocol.encode()
        length = len(data)
    out.append(_pack_ih(message.generation, length))
    out.append(data)
    leader = message.leader
    if leader is None:
        data = b""
        length = -1
    else:
        data = leader.encode()
        length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    members = message.members
    count = len(members)
    out.append(_pack_i(count))
    for members_item in members:
        _write_member_metadata_v0(out, members_item)
    if message.unknown_tags:
        raise Malformed


def _write_member_metadata_v1(out: Pieces, message: GroupMetadataValueMemberMetadata) -> None:
    member_id = message.member_id
    data = member_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    client_id = message.client_id
    data = client_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    client_host = message.client_host
    data = client_host.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    subscription = message.subscription
    length = len(subscription)
    out.append(_pack_iii(message.rebalance_timeout, message.session_timeout, length))
    out.append(subscription)
    assignment = message.assignment
    length = len(assignment)
    out.append(_pack_i(length))
    out.append(assignment)
    if message.unknown_tags:
        raise Malformed


def _write_v1(out: Pieces, message: GroupMetadataValue) -> None:
    protocol_type = message.protocol_type
    data = protocol_type.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    protocol = message.protocol
    if protocol is None:
        data = b""
        length = -1
    else:
        data = protocol.encode()
        length = len(data)
    out.append(_pack_ih(message.generation, length))
    out.append(data)
    leader = message.leader
    if leader is None:
        data = b""
        length = -1
    else:
        data = leader.encode()
        length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    members = message.members
    count = len(members)
    out.append(_pack_i(count))
    for members_item in members:
        _write_member_metadata_v1(out, members_item)
    if message.unknown_tags:
        raise Malformed


def _write_v2(out: Pieces, message: GroupMetadataValue) -> None:
    protocol_type = message.protocol_type
    data = protocol_type.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    protocol = message.protocol
    if protocol is None:
        data = b""
        length = -1
    else:
        data = protocol.encode()
        length = len(data)
    out.append(_pack_ih(message.generation, length))
    out.append(data)
    leader = message.leader
    if leader is None:
        data = b""
        length = -1
    else:
        data = leader.encode()
        length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    members = message.members
    count = len(members)
    out.append(_pack_qi(message.current_state_timestamp, count))
    for members_item in members:
        _write_member_metadata_v1(out, members_item)
    if message.unknown_tags:
        raise Malformed


def _write_member_metadata_v3(out: Pieces, message: GroupMetadataValueMemberMetadata) -> None:
    member_id = message.member_id
    data = member_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    group_instance_id = message.group_instance_id
    if group_instance_id is None:
        data = b""
        length = -1
    else:
        data = group_instance_id.encode()
        length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    client_id = message.client_id
    data = client_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    client_host = message.client_host
    data = client_host.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    subscription = message.subscription
    length = len(subscription)
    out.append(_pack_iii(message.rebalance_timeout, message.session_timeout, length))
    out.append(subscription)
    assignment = message.assignment
    length = len(assignment)
    out.append(_pack_i(length))
    out.append(assignment)
    if message.unknown_tags:
        raise Malformed


def _write_v3(out: Pieces, message: GroupMetadataValue) -> None:
    protocol_type = message.protocol_type
    data = protocol_type.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    protocol = message.protocol
    if protocol is None:
        data = b""
        length = -1
    else:
        data = protocol.encode()
        length = len(data)
    out.append(_pack_ih(message.generation, length))
    out.append(data)
    leader = message.leader
    if leader is None:
        data = b""
        length = -1
    else:
        data = leader.encode()
        length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    members = message.members
    count = len(members)
    out.append(_pack_qi(message.current_state_timestamp, count))
    for members_item in members:
        _write_member_metadata_v3(out, members_item)
    if message.unknown_tags:
        raise Malformed


def _write_member_metadata_v4(out: Pieces, message: GroupMetadataValueMemberMetadata) -> None:
    member_id = message.member_id
    data = member_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    group_instance_id = message.group_instance_id
    if group_instance_id is None:
        data = b""
        length = 0
    else:
        data = group_instance_id.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    client_id = message.client_id
    data = client_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    client_host = message.client_host
    data = client_host.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    subscription = message.subscription
    length = len(subscription) + 1
    if length < 128:
        out.append(_pack_iiB(message.rebalance_timeout, message.session_timeout, length))
    else:
        out.append(_pack_ii(message.rebalance_timeout, message.session_timeout))
        out.append(pack_length(length))
    out.append(subscription)
    assignment = message.assignment
    length = len(assignment) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    out.append(assignment)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v4(out: Pieces, message: GroupMetadataValue) -> None:
    protocol_type = message.protocol_type
    data = protocol_type.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    protocol = message.protocol
    if protocol is None:
        data = b""
        length = 0
    else:
        data = protocol.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_iB(message.generation, length))
    else:
        out.append(_pack_i(message.generation))
        out.append(pack_string_length(length))
    out.append(data)
    leader = message.leader
    if leader is None:
        data = b""
        length = 0
    else:
        data = leader.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    members = message.members
    count = len(members) + 1
    if count < 128:
        out.append(_pack_qB(message.current_state_timestamp, count))
    else:
        out.append(_pack_q(message.current_state_timestamp))
        out.append(pack_length(count))
    for members_item in members:
        _write_member_metadata_v4(out, members_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
    _read_v1,
    _read_v2,
    _read_v3,
    _read_v4,
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v2,
    _write_v3,
    _write_v4,
)


@cache
def _schema() -> MessageSchema:
    member_metadata_struct = StructSchema(
        python_class=GroupMetadataValueMemberMetadata,
        fields=(
            FieldSchema(
                name="memberId",
                attribute="member_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="groupInstanceId",
                attribute="group_instance_id",
                type="string",
                versions=(3, 32767),
                nullable=(3, 32767),
                default=None,
                ignorable=True,
            ),
            FieldSchema(
                name="clientId",
                attribute="client_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="clientHost",
                attribute="client_host",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="rebalanceTimeout",
                attribute="rebalance_timeout",
                type="int32",
                versions=(1, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="sessionTimeout",
                attribute="session_timeout",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="subscription",
                attribute="subscription",
                type="bytes",
                versions=(0, 32767),
                default=b'',
            ),
            FieldSchema(
                name="assignment",
                attribute="assignment",
                type="bytes",
                versions=(0, 32767),
                default=b'',
            ),
        ),
    )
    group_metadata_value_struct = StructSchema(
        python_class=GroupMetadataValue,
        fields=(
            FieldSchema(
                name="protocolType",
                attribute="protocol_type",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="generation",
                attribute="generation",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="protocol",
                attribute="protocol",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="leader",
                attribute="leader",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="currentStateTimestamp",
                attribute="current_state_timestamp",
                type="int64",
                versions=(2, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="members",
                attribute="members",
                type="MemberMetadata",
                struct=member_metadata_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="GroupMetadataValue", flexible_from=4, root=group_metadata_value_struct)
