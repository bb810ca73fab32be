"""ShareGroupMemberMetadataValue: versions 0, flexible from 0, record type 10.

Generated from group/ShareGroupMemberMetadataValue.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

from functools import cache
from typing import ClassVar

from kafkaproto.message import Message
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



class ShareGroupMemberMetadataValue(Message):
    """Coordinator-value ShareGroupMemberMetadataValue."""

    __slots__ = ("rack_id", "client_id", "client_host", "subscribed_topic_names", "unknown_tags")

    NAME: ClassVar[str] = "ShareGroupMemberMetadataValue"
    TYPE: ClassVar[str] = "coordinator-value"
    API_KEY: ClassVar[int | None] = 10
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()

    rack_id: str | None
    """Versions 0+, null in 0+."""
    client_id: str
    """Versions 0+."""
    client_host: str
    """Versions 0+."""
    subscribed_topic_names: list[str]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        rack_id: str | None = "",
        client_id: str = "",
        client_host: str = "",
        subscribed_topic_names: list[str] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.subscribed_topic_names = [] if subscribed_topic_names is EMPTY else subscribed_topic_names
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareGroupMemberMetadataValue)
            and self.rack_id == other.rack_id
            and self.client_id == other.client_id
            and self.client_host == other.client_host
            and self.subscribed_topic_names == other.subscribed_topic_names
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ShareGroupMemberMetadataValue, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_v0(buffer: Buffer, position: int) -> tuple[ShareGroupMemberMetadataValue, int]:
    message = ShareGroupMemberMetadataValue.__new__(ShareGroupMemberMetadataValue)
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
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_v0(out: Pieces, message: ShareGroupMemberMetadataValue) -> None:
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
    share_group_member_metadata_value_struct = StructSchema(
        python_class=ShareGroupMemberMetadataValue,
        fields=(
            FieldSchema(
                name="RackId",
                attribute="rack_id",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
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
        ),
    )
    return MessageSchema(
        name="ShareGroupMemberMetadataValue",
        flexible_from=0,
        root=share_group_member_metadata_value_struct,
    )
