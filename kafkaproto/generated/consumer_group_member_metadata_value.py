"""ConsumerGroupMemberMetadataValue: versions 0, flexible from 0, record type 5.

Generated from group/ConsumerGroupMemberMetadataValue.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.primitives import read_unsigned_varint
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
    read_tag_section,
    read_unknown_tags,
    write_tag_section,
)

_unpack_iB = struct.Struct(">iB").unpack_from
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack


class ConsumerGroupMemberMetadataValueClassicProtocol(Struct):
    """ClassicProtocol of ConsumerGroupMemberMetadataValue."""

    __slots__ = ("name", "metadata", "unknown_tags")

    name: str
    """Versions 0+."""
    metadata: bytes
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        metadata: bytes = b'',
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.metadata = metadata
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ConsumerGroupMemberMetadataValueClassicProtocol)
            and self.name == other.name
            and self.metadata == other.metadata
            and self.unknown_tags == other.unknown_tags
        )



class ConsumerGroupMemberMetadataValueClassicMemberMetadata(Struct):
    """ClassicMemberMetadata of ConsumerGroupMemberMetadataValue."""

    __slots__ = ("session_timeout_ms", "supported_protocols", "unknown_tags")

    session_timeout_ms: int
    """Versions 0+."""
    supported_protocols: list[ConsumerGroupMemberMetadataValueClassicProtocol]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        session_timeout_ms: int = 0,
        supported_protocols: list[ConsumerGroupMemberMetadataValueClassicProtocol] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.session_timeout_ms = session_timeout_ms
        self.supported_protocols = [] if supported_protocols is EMPTY else supported_protocols
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ConsumerGroupMemberMetadataValueClassicMemberMetadata)
            and self.session_timeout_ms == other.session_timeout_ms
            and self.supported_protocols == other.supported_protocols
            and self.unknown_tags == other.unknown_tags
        )



DEFAULT_CLASSIC_MEMBER_METADATA = ConsumerGroupMemberMetadataValueClassicMemberMetadata()


class ConsumerGroupMemberMetadataValue(Message):
    """Coordinator-value ConsumerGroupMemberMetadataValue."""

    __slots__ = (
        "instance_id",
        "rack_id",
        "client_id",
        "client_host",
        "subscribed_topic_names",
        "subscribed_topic_regex",
        "rebalance_timeout_ms",
        "server_assignor",
        "classic_member_metadata",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "ConsumerGroupMemberMetadataValue"
    TYPE: ClassVar[str] = "coordinator-value"
    API_KEY: ClassVar[int | None] = 5
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    ClassicProtocol: TypeAlias = ConsumerGroupMemberMetadataValueClassicProtocol
    ClassicMemberMetadata: TypeAlias = ConsumerGroupMemberMetadataValueClassicMemberMetadata

    instance_id: str | None
    """Versions 0+, null in 0+."""
    rack_id: str | None
    """Versions 0+, null in 0+."""
    client_id: str
    """Versions 0+."""
    client_host: str
    """Versions 0+."""
    subscribed_topic_names: list[str]
    """Versions 0+."""
    subscribed_topic_regex: str | None
    """Versions 0+, null in 0+."""
    rebalance_timeout_ms: int
    """Versions 0+."""
    server_assignor: str | None
    """Versions 0+, null in 0+."""
    classic_member_metadata: ConsumerGroupMemberMetadataValueClassicMemberMetadata | None
    """Versions 0+, null in 0+, tag 0 in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        instance_id: str | None = "",
        rack_id: str | None = "",
        client_id: str = "",
        client_host: str = "",
        subscribed_topic_names: list[str] = EMPTY,
        subscribed_topic_regex: str | None = "",
        rebalance_timeout_ms: int = -1,
        server_assignor: str | None = "",
        classic_member_metadata: ConsumerGroupMemberMetadataValueClassicMemberMetadata | None = DEFAULT_CLASSIC_MEMBER_METADATA,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.subscribed_topic_names = [] if subscribed_topic_names is EMPTY else subscribed_topic_names
        self.subscribed_topic_regex = subscribed_topic_regex
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.server_assignor = server_assignor
        self.classic_member_metadata = ConsumerGroupMemberMetadataValueClassicMemberMetadata() if classic_member_metadata is DEFAULT_CLASSIC_MEMBER_METADATA else classic_member_metadata
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ConsumerGroupMemberMetadataValue)
            and self.instance_id == other.instance_id
            and self.rack_id == other.rack_id
            and self.client_id == other.client_id
            and self.client_host == other.client_host
            and self.subscribed_topic_names == other.subscribed_topic_names
            and self.subscribed_topic_regex == other.subscribed_topic_regex
            and self.rebalance_timeout_ms == other.rebalance_timeout_ms
            and self.server_assignor == other.server_assignor
            and self.classic_member_metadata == other.classic_member_metadata
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ConsumerGroupMemberMetadataValue, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_classic_protocol_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ConsumerGroupMemberMetadataValueClassicProtocol], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ConsumerGroupMemberMetadataValueClassicProtocol] = []
    for _ in range(size):
        message = ConsumerGroupMemberMetadataValueClassicProtocol.__new__(
            ConsumerGroupMemberMetadataValueClassicProtocol,
        )
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
            length, position = read_long_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.metadata = bytes(buffer[position:end])
        position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_classic_member_metadata_v0(
    buffer: Buffer,
    position: int,
) -> tuple[ConsumerGroupMemberMetadataValueClassicMemberMetadata, int]:
    message = ConsumerGroupMemberMetadataValueClassicMemberMetadata.__new__(
        ConsumerGroupMemberMetadataValueClassicMemberMetadata,
    )
    message.session_timeout_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.supported_protocols, position = _read_many_classic_protocol_v0(buffer, position, count - 1)
    elif count:
        message.supported_protocols = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v0(buffer: Buffer, position: int) -> tuple[ConsumerGroupMemberMetadataValue, int]:
    message = ConsumerGroupMemberMetadataValue.__new__(ConsumerGroupMemberMetadataValue)
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.instance_id = None
    else:
        end = position + length - 1
        message.instance_id = str(buffer[position:end], "utf-8")
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
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.subscribed_topic_regex = None
    else:
        end = position + length - 1
        message.subscribed_topic_regex = str(buffer[position:end], "utf-8")
        position = end
    message.rebalance_timeout_ms, length = _unpack_iB(buffer, position)
    position += 5
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.server_assignor = None
    else:
        end = position + length - 1
        message.server_assignor = str(buffer[position:end], "utf-8")
        position = end
    tags = buffer[position]
    position += 1
    message.classic_member_metadata = ConsumerGroupMemberMetadataValueClassicMemberMetadata()
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                mark, position = read_unsigned_varint(buffer, position)
                if not mark:
                    message.classic_member_metadata = None
                else:
                    message.classic_member_metadata, position = _read_classic_member_metadata_v0(buffer, position)
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _write_classic_protocol_v0(out: Pieces, message: ConsumerGroupMemberMetadataValueClassicProtocol) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    metadata = message.metadata
    length = len(metadata) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    out.append(metadata)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_classic_member_metadata_v0(
    out: Pieces,
    message: ConsumerGroupMemberMetadataValueClassicMemberMetadata,
) -> None:
    supported_protocols = message.supported_protocols
    count = len(supported_protocols) + 1
    if count < 128:
        out.append(_pack_iB(message.session_timeout_ms, count))
    else:
        out.append(_pack_i(message.session_timeout_ms))
        out.append(pack_length(count))
    for supported_protocols_item in supported_protocols:
        _write_classic_protocol_v0(out, supported_protocols_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: ConsumerGroupMemberMetadataValue) -> None:
    instance_id = message.instance_id
    if instance_id is None:
        data = b""
        length = 0
    else:
        data = instance_id.encode()
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
    subscribed_topic_regex = message.subscribed_topic_regex
    if subscribed_topic_regex is None:
        data = b""
        length = 0
    else:
        data = subscribed_topic_regex.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    server_assignor = message.server_assignor
    if server_assignor is None:
        data = b""
        length = 0
    else:
        data = server_assignor.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_iB(message.rebalance_timeout_ms, length))
    else:
        out.append(_pack_i(message.rebalance_timeout_ms))
        out.append(pack_string_length(length))
    out.append(data)
    tagged = []
    section: Pieces
    if (
        message.classic_member_metadata is None
        or message.classic_member_metadata.session_timeout_ms != 0
        or len(message.classic_member_metadata.supported_protocols) != 0
        or message.classic_member_metadata.unknown_tags
    ):
        section = []
        classic_member_metadata = message.classic_member_metadata
        if classic_member_metadata is None:
            section.append(b"\x00")
        else:
            section.append(b"\x01")
            _write_classic_member_metadata_v0(section, classic_member_metadata)
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
    classic_protocol_struct = StructSchema(
        python_class=ConsumerGroupMemberMetadataValueClassicProtocol,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Metadata",
                attribute="metadata",
                type="bytes",
                versions=(0, 32767),
                default=b'',
            ),
        ),
    )
    classic_member_metadata_struct = StructSchema(
        python_class=ConsumerGroupMemberMetadataValueClassicMemberMetadata,
        fields=(
            FieldSchema(
                name="SessionTimeoutMs",
                attribute="session_timeout_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="SupportedProtocols",
                attribute="supported_protocols",
                type="ClassicProtocol",
                struct=classic_protocol_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    consumer_group_member_metadata_value_struct = StructSchema(
        python_class=ConsumerGroupMemberMetadataValue,
        fields=(
            FieldSchema(
                name="InstanceId",
                attribute="instance_id",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
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
            FieldSchema(
                name="SubscribedTopicRegex",
                attribute="subscribed_topic_regex",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="RebalanceTimeoutMs",
                attribute="rebalance_timeout_ms",
                type="int32",
                versions=(0, 32767),
                default=-1,
            ),
            FieldSchema(
                name="ServerAssignor",
                attribute="server_assignor",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="ClassicMemberMetadata",
                attribute="classic_member_metadata",
                type="ClassicMemberMetadata",
                struct=classic_member_metadata_struct,
                versions=(0, 32767),
                nullable=(0, 32767),
                tagged=(0, 32767),
                tag=0,
                default=Default.EMPTY_STRUCT,
            ),
        ),
    )
    return MessageSchema(
        name="ConsumerGroupMemberMetadataValue",
        flexible_from=0,
        root=consumer_group_member_metadata_value_struct,
    )
