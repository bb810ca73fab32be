"""ShareGroupDescribeResponse: versions 1, flexible from 0, api key 77.

Generated from api/ShareGroupDescribeResponse.json by codegen; change the schema, not this file.
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
    PACK_INT32,
    TABLE_SIZE,
    UNPACK_INT32,
    Buffer,
    Malformed,
    Pieces,
    Steps,
    pack_length,
    pack_many,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    unpack_many,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_uB = struct.Struct(">16sB").unpack_from
_unpack_hB = struct.Struct(">hB").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_iiB = struct.Struct(">iiB").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ii = struct.Struct(">ii").pack
_pack_iiB = struct.Struct(">iiB").pack


class ShareGroupDescribeResponseTopicPartitions(Struct):
    """TopicPartitions of ShareGroupDescribeResponse."""

    __slots__ = ("topic_id", "topic_name", "partitions", "unknown_tags")

    topic_id: bytes
    """Versions 0+."""
    topic_name: str
    """Versions 0+."""
    partitions: list[int]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        topic_name: str = "",
        partitions: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.topic_name = topic_name
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareGroupDescribeResponseTopicPartitions)
            and self.topic_id == other.topic_id
            and self.topic_name == other.topic_name
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class ShareGroupDescribeResponseAssignment(Struct):
    """Assignment of ShareGroupDescribeResponse."""

    __slots__ = ("topic_partitions", "unknown_tags")

    topic_partitions: list[ShareGroupDescribeResponseTopicPartitions]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_partitions: list[ShareGroupDescribeResponseTopicPartitions] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_partitions = [] if topic_partitions is EMPTY else topic_partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareGroupDescribeResponseAssignment)
            and self.topic_partitions == other.topic_partitions
            and self.unknown_tags == other.unknown_tags
        )



class ShareGroupDescribeResponseMember(Struct):
    """Member of ShareGroupDescribeResponse."""

    __slots__ = (
        "member_id",
        "rack_id",
        "member_epoch",
        "client_id",
        "client_host",
        "subscribed_topic_names",
        "_assignment",
        "unknown_tags",
    )

    member_id: str
    """Versions 0+."""
    rack_id: str | None
    """Versions 0+, null in 0+."""
    member_epoch: int
    """Versions 0+."""
    client_id: str
    """Versions 0+."""
    client_host: str
    """Versions 0+."""
    subscribed_topic_names: list[str]
    """Versions 0+."""
    _assignment: ShareGroupDescribeResponseAssignment | None
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        member_id: str = "",
        rack_id: str | None = None,
        member_epoch: int = 0,
        client_id: str = "",
        client_host: str = "",
        subscribed_topic_names: list[str] = EMPTY,
        assignment: ShareGroupDescribeResponseAssignment | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.member_id = member_id
        self.rack_id = rack_id
        self.member_epoch = member_epoch
        self.client_id = client_id
        self.client_host = client_host
        self.subscribed_topic_names = [] if subscribed_topic_names is EMPTY else subscribed_topic_names
        self._assignment = assignment
        self.unknown_tags = unknown_tags

    @property
    def assignment(self) -> ShareGroupDescribeResponseAssignment:
        """Versions 0+."""
        if self._assignment is None:
            self._assignment = ShareGroupDescribeResponseAssignment()
        return self._assignment

    @assignment.setter
    def assignment(self, value: ShareGroupDescribeResponseAssignment) -> None:
        self._assignment = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareGroupDescribeResponseMember)
            and self.member_id == other.member_id
            and self.rack_id == other.rack_id
            and self.member_epoch == other.member_epoch
            and self.client_id == other.client_id
            and self.client_host == other.client_host
            and self.subscribed_topic_names == other.subscribed_topic_names
            and self.assignment == other.assignment
            and self.unknown_tags == other.unknown_tags
        )



class ShareGroupDescribeResponseDescribedGroup(Struct):
    """DescribedGroup of ShareGroupDescribeResponse."""

    __slots__ = (
        "error_code",
        "error_message",
        "group_id",
        "group_state",
        "group_epoch",
        "assignment_epoch",
        "assignor_name",
        "members",
        "authorized_operations",
        "unknown_tags",
    )

    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    group_id: str
    """Versions 0+."""
    group_state: str
    """Versions 0+."""
    group_epoch: int
    """Versions 0+."""
    assignment_epoch: int
    """Versions 0+."""
    assignor_name: str
    """Versions 0+."""
    members: list[ShareGroupDescribeResponseMember]
    """Versions 0+."""
    authorized_operations: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = None,
        group_id: str = "",
        group_state: str = "",
        group_epoch: int = 0,
        assignment_epoch: int = 0,
        assignor_name: str = "",
        members: list[ShareGroupDescribeResponseMember] = EMPTY,
        authorized_operations: int = -2147483648,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.group_id = group_id
        self.group_state = group_state
        self.group_epoch = group_epoch
        self.assignment_epoch = assignment_epoch
        self.assignor_name = assignor_name
        self.members = [] if members is EMPTY else members
        self.authorized_operations = authorized_operations
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareGroupDescribeResponseDescribedGroup)
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.group_id == other.group_id
            and self.group_state == other.group_state
            and self.group_epoch == other.group_epoch
            and self.assignment_epoch == other.assignment_epoch
            and self.assignor_name == other.assignor_name
            and self.members == other.members
            and self.authorized_operations == other.authorized_operations
            and self.unknown_tags == other.unknown_tags
        )



class ShareGroupDescribeResponse(Message):
    """Response ShareGroupDescribeResponse."""

    __slots__ = ("throttle_time_ms", "groups", "unknown_tags")

    NAME: ClassVar[str] = "ShareGroupDescribeResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 77
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    TopicPartitions: TypeAlias = ShareGroupDescribeResponseTopicPartitions
    Assignment: TypeAlias = ShareGroupDescribeResponseAssignment
    Member: TypeAlias = ShareGroupDescribeResponseMember
    DescribedGroup: TypeAlias = ShareGroupDescribeResponseDescribedGroup

    throttle_time_ms: int
    """Versions 0+."""
    groups: list[ShareGroupDescribeResponseDescribedGroup]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        groups: list[ShareGroupDescribeResponseDescribedGroup] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = [] if groups is EMPTY else groups
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareGroupDescribeResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.groups == other.groups
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ShareGroupDescribeResponse, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    def _step_write(self, out: Pieces, version: int) -> Steps[None] | None:
        write = _STEP_WRITERS[version - 1]
        return None if write is None else write(out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_topic_partitions_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ShareGroupDescribeResponseTopicPartitions], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ShareGroupDescribeResponseTopicPartitions] = []
    for _ in range(size):
        message = ShareGroupDescribeResponseTopicPartitions.__new__(ShareGroupDescribeResponseTopicPartitions)
        message.topic_id, length = _unpack_uB(buffer, position)
        position += 17
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.topic_name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.partitions = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.partitions = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_assignment_v1(buffer: Buffer, position: int) -> tuple[ShareGroupDescribeResponseAssignment, int]:
    message = ShareGroupDescribeResponseAssignment.__new__(ShareGroupDescribeResponseAssignment)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topic_partitions, position = _read_many_topic_partitions_v1(buffer, position, count - 1)
    elif count:
        message.topic_partitions = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_member_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ShareGroupDescribeResponseMember], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ShareGroupDescribeResponseMember] = []
    for _ in range(size):
        message = ShareGroupDescribeResponseMember.__new__(ShareGroupDescribeResponseMember)
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
            message.rack_id = None
        else:
            end = position + length - 1
            message.rack_id = str(buffer[position:end], "utf-8")
            position = end
        message.member_epoch, length = _unpack_iB(buffer, position)
        position += 5
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
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if not count:
            raise Malformed
        subscribed_topic_names: list[str] = []
        message.subscribed_topic_names = subscribed_topic_names
        if count - 1 > len(buffer) - position:
            raise Malformed
        for _ in range(1, count):
            length = buffer[position]
            position += 1
            if length > 127:
                length, position = read_string_length(buffer, position, length)
            if not length:
                raise Malformed
            end = position + length - 1
            subscribed_topic_names_item = str(buffer[position:end], "utf-8")
            position = end
            subscribed_topic_names.append(subscribed_topic_names_item)
        message._assignment, position = _read_assignment_v1(buffer, position)
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_described_group_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ShareGroupDescribeResponseDescribedGroup], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ShareGroupDescribeResponseDescribedGroup] = []
    for _ in range(size):
        message = ShareGroupDescribeResponseDescribedGroup.__new__(ShareGroupDescribeResponseDescribedGroup)
        message.error_code, length = _unpack_hB(buffer, position)
        position += 3
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.error_message = None
        else:
            end = position + length - 1
            message.error_message = str(buffer[position:end], "utf-8")
            position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.group_id = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.group_state = str(buffer[position:end], "utf-8")
        position = end
        message.group_epoch, message.assignment_epoch, length = _unpack_iiB(buffer, position)
        position += 9
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.assignor_name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.members, position = _read_many_member_v1(buffer, position, count - 1)
        elif count:
            message.members = []
        else:
            raise Malformed
        message.authorized_operations, tags = _unpack_iB(buffer, position)
        position += 5
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[ShareGroupDescribeResponse, int]:
    message = ShareGroupDescribeResponse.__new__(ShareGroupDescribeResponse)
    message.throttle_time_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.groups, position = _read_many_described_group_v1(buffer, position, count - 1)
    elif count:
        message.groups = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_topic_partitions_v1(out: Pieces, message: ShareGroupDescribeResponseTopicPartitions) -> None:
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    topic_name = message.topic_name
    data = topic_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_uB(topic_id, length))
    else:
        out.append(topic_id)
        out.append(pack_string_length(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    if len(partitions) < TABLE_SIZE:
        out.append(PACK_INT32[len(partitions)](*partitions))
    else:
        out.append(pack_many("i", partitions))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_assignment_v1(out: Pieces, message: ShareGroupDescribeResponseAssignment) -> None:
    topic_partitions = message.topic_partitions
    count = len(topic_partitions) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topic_partitions_item in topic_partitions:
        _write_topic_partitions_v1(out, topic_partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_assignment_v1(out: Pieces, message: ShareGroupDescribeResponseAssignment) -> Steps[None]:
    topic_partitions = message.topic_partitions
    count = len(topic_partitions) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for topic_partitions_item in topic_partitions:
        _write_topic_partitions_v1(out, topic_partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_member_v1(out: Pieces, message: ShareGroupDescribeResponseMember) -> None:
    member_id = message.member_id
    data = member_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    rack_id = message.rack_id
    if rack_id is None:
        data = b""
        length = 0
    else:
        data = rack_id.encode()
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
        out.append(_pack_iB(message.member_epoch, length))
    else:
        out.append(_pack_i(message.member_epoch))
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
    subscribed_topic_names = message.subscribed_topic_names
    count = len(subscribed_topic_names) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for subscribed_topic_names_item in subscribed_topic_names:
        data = subscribed_topic_names_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
    assignment = message.assignment
    _write_assignment_v1(out, assignment)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_member_v1(out: Pieces, message: ShareGroupDescribeResponseMember) -> Steps[None]:
    member_id = message.member_id
    data = member_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    rack_id = message.rack_id
    if rack_id is None:
        data = b""
        length = 0
    else:
        data = rack_id.encode()
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
        out.append(_pack_iB(message.member_epoch, length))
    else:
        out.append(_pack_i(message.member_epoch))
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
    subscribed_topic_names = message.subscribed_topic_names
    count = len(subscribed_topic_names) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for subscribed_topic_names_item in subscribed_topic_names:
        data = subscribed_topic_names_item.encode()
        length = len(data) + 1
        if length < 128:
            out.append(BYTES[length])
        else:
            out.append(pack_string_length(length))
        out.append(data)
        yield
    assignment = message.assignment
    yield from _step_write_assignment_v1(out, assignment)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_described_group_v1(out: Pieces, message: ShareGroupDescribeResponseDescribedGroup) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    group_state = message.group_state
    data = group_state.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    assignor_name = message.assignor_name
    data = assignor_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_iiB(message.group_epoch, message.assignment_epoch, length))
    else:
        out.append(_pack_ii(message.group_epoch, message.assignment_epoch))
        out.append(pack_string_length(length))
    out.append(data)
    members = message.members
    count = len(members) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for members_item in members:
        _write_member_v1(out, members_item)
    if message.unknown_tags:
        out.append(_pack_i(message.authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.authorized_operations, 0))


def _step_write_described_group_v1(
    out: Pieces,
    message: ShareGroupDescribeResponseDescribedGroup,
) -> Steps[None]:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.error_code, length))
    else:
        out.append(_pack_h(message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    group_state = message.group_state
    data = group_state.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    assignor_name = message.assignor_name
    data = assignor_name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_iiB(message.group_epoch, message.assignment_epoch, length))
    else:
        out.append(_pack_ii(message.group_epoch, message.assignment_epoch))
        out.append(pack_string_length(length))
    out.append(data)
    members = message.members
    count = len(members) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for members_item in members:
        yield from _step_write_member_v1(out, members_item)
        yield
    if message.unknown_tags:
        out.append(_pack_i(message.authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.authorized_operations, 0))


def _write_v1(out: Pieces, message: ShareGroupDescribeResponse) -> None:
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for groups_item in groups:
        _write_described_group_v1(out, groups_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v1(out: Pieces, message: ShareGroupDescribeResponse) -> Steps[None]:
    groups = message.groups
    count = len(groups) + 1
    if count < 128:
        out.append(_pack_iB(message.throttle_time_ms, count))
    else:
        out.append(_pack_i(message.throttle_time_ms))
        out.append(pack_length(count))
    for groups_item in groups:
        yield from _step_write_described_group_v1(out, groups_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v1,
)

_WRITERS = (
    _write_v1,
)

_STEP_WRITERS = (
    _step_write_v1,
)


@cache
def _schema() -> MessageSchema:
    topic_partitions_struct = StructSchema(
        python_class=ShareGroupDescribeResponseTopicPartitions,
        fields=(
            FieldSchema(
                name="TopicId",
                attribute="topic_id",
                type="uuid",
                versions=(0, 32767),
                default=ZERO_UUID,
            ),
            FieldSchema(
                name="TopicName",
                attribute="topic_name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Partitions",
                attribute="partitions",
                type="int32",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    assignment_struct = StructSchema(
        python_class=ShareGroupDescribeResponseAssignment,
        fields=(
            FieldSchema(
                name="TopicPartitions",
                attribute="topic_partitions",
                type="TopicPartitions",
                struct=topic_partitions_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    member_struct = StructSchema(
        python_class=ShareGroupDescribeResponseMember,
        fields=(
            FieldSchema(
                name="MemberId",
                attribute="member_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="RackId",
                attribute="rack_id",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="MemberEpoch",
                attribute="member_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ClientId",
                attribute="client_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="ClientHost",
                attribute="client_host",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="SubscribedTopicNames",
                attribute="subscribed_topic_names",
                type="string",
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="Assignment",
                attribute="assignment",
                type="Assignment",
                struct=assignment_struct,
                versions=(0, 32767),
                default=Default.EMPTY_STRUCT,
            ),
        ),
    )
    described_group_struct = StructSchema(
        python_class=ShareGroupDescribeResponseDescribedGroup,
        fields=(
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ErrorMessage",
                attribute="error_message",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="GroupId",
                attribute="group_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="GroupState",
                attribute="group_state",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="GroupEpoch",
                attribute="group_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="AssignmentEpoch",
                attribute="assignment_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="AssignorName",
                attribute="assignor_name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Members",
                attribute="members",
                type="Member",
                struct=member_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="AuthorizedOperations",
                attribute="authorized_operations",
                type="int32",
                versions=(0, 32767),
                default=-2147483648,
            ),
        ),
    )
    share_group_describe_response_struct = StructSchema(
        python_class=ShareGroupDescribeResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Groups",
                attribute="groups",
                type="DescribedGroup",
                struct=described_group_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="ShareGroupDescribeResponse",
        flexible_from=0,
        root=share_group_describe_response_struct,
    )
