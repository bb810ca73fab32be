"""ShareGroupHeartbeatRequest: versions 1, flexible from 0, api key 76.

Generated from api/ShareGroupHeartbeatRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    EMPTY,
    Budget,
    Buffer,
    Malformed,
    Pieces,
    Steps,
    pack_length,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

_unpack_iB = struct.Struct(">iB").unpack_from
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack


class ShareGroupHeartbeatRequest(Message):
    """Request ShareGroupHeartbeatRequest."""

    __slots__ = (
        "group_id",
        "member_id",
        "member_epoch",
        "rack_id",
        "subscribed_topic_names",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "ShareGroupHeartbeatRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 76
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker",)

    group_id: str
    """Versions 0+."""
    member_id: str
    """Versions 0+."""
    member_epoch: int
    """Versions 0+."""
    rack_id: str | None
    """Versions 0+, null in 0+."""
    subscribed_topic_names: list[str] | None
    """Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
        member_epoch: int = 0,
        rack_id: str | None = None,
        subscribed_topic_names: list[str] | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.rack_id = rack_id
        self.subscribed_topic_names = subscribed_topic_names
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareGroupHeartbeatRequest)
            and self.group_id == other.group_id
            and self.member_id == other.member_id
            and self.member_epoch == other.member_epoch
            and self.rack_id == other.rack_id
            and self.subscribed_topic_names == other.subscribed_topic_names
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ShareGroupHeartbeatRequest, int]:
        return _READERS[version - 1](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 1](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[ShareGroupHeartbeatRequest, int]] | None:
        read = _STEP_READERS[version - 1]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v1(buffer: Buffer, position: int) -> tuple[ShareGroupHeartbeatRequest, int]:
    message = ShareGroupHeartbeatRequest.__new__(ShareGroupHeartbeatRequest)
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
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    message.member_epoch, length = _unpack_iB(buffer, position)
    position += 5
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.rack_id = None
    else:
        end = position + length - 1
        message.rack_id = str(buffer[position:end], "utf-8")
        position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if not count:
        message.subscribed_topic_names = None
    else:
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
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _step_v1(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[ShareGroupHeartbeatRequest, int]]:
    message = ShareGroupHeartbeatRequest.__new__(ShareGroupHeartbeatRequest)
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
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    message.member_epoch, length = _unpack_iB(buffer, position)
    position += 5
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.rack_id = None
    else:
        end = position + length - 1
        message.rack_id = str(buffer[position:end], "utf-8")
        position = end
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "ShareGroupHeartbeatRequest.subscribed_topic_names")
    if not count:
        message.subscribed_topic_names = None
    else:
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
            yield
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        budget.take_tags((message,))
    return message, position


def _write_v1(out: Pieces, message: ShareGroupHeartbeatRequest) -> None:
    group_id = message.group_id
    data = group_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
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
        out.append(_pack_iB(message.member_epoch, length))
    else:
        out.append(_pack_i(message.member_epoch))
        out.append(pack_string_length(length))
    out.append(data)
    subscribed_topic_names = message.subscribed_topic_names
    if subscribed_topic_names is None:
        subscribed_topic_names = EMPTY
        count = 0
    else:
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

_STEP_READERS = (
    _step_v1,
)


@cache
def _schema() -> MessageSchema:
    share_group_heartbeat_request_struct = StructSchema(
        python_class=ShareGroupHeartbeatRequest,
        fields=(
            FieldSchema(
                name="GroupId",
                attribute="group_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="MemberId",
                attribute="member_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="MemberEpoch",
                attribute="member_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
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
                name="SubscribedTopicNames",
                attribute="subscribed_topic_names",
                type="string",
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
        ),
    )
    return MessageSchema(
        name="ShareGroupHeartbeatRequest",
        flexible_from=0,
        root=share_group_heartbeat_request_struct,
    )
