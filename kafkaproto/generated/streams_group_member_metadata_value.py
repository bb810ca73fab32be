"""StreamsGroupMemberMetadataValue: versions 0, flexible from 0, record type 19.

Generated from group/StreamsGroupMemberMetadataValue.json by codegen; change the schema, not this file.
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

_unpack_HB = struct.Struct(">HB").unpack_from
_unpack_b = struct.Struct(">b").unpack_from
_unpack_iiB = struct.Struct(">iiB").unpack_from
_pack_H = struct.Struct(">H").pack
_pack_HB = struct.Struct(">HB").pack
_pack_b = struct.Struct(">b").pack
_pack_ii = struct.Struct(">ii").pack
_pack_iiB = struct.Struct(">iiB").pack


class StreamsGroupMemberMetadataValueEndpoint(Struct):
    """Endpoint of StreamsGroupMemberMetadataValue."""

    __slots__ = ("host", "port", "unknown_tags")

    host: str
    """Versions 0+."""
    port: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        host: str = "",
        port: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.host = host
        self.port = port
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupMemberMetadataValueEndpoint)
            and self.host == other.host
            and self.port == other.port
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupMemberMetadataValueKeyValue(Struct):
    """KeyValue of StreamsGroupMemberMetadataValue."""

    __slots__ = ("key", "value", "unknown_tags")

    key: str
    """Versions 0+."""
    value: str
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        key: str = "",
        value: str = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.key = key
        self.value = value
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupMemberMetadataValueKeyValue)
            and self.key == other.key
            and self.value == other.value
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupMemberMetadataValue(Message):
    """Coordinator-value StreamsGroupMemberMetadataValue."""

    __slots__ = (
        "instance_id",
        "rack_id",
        "client_id",
        "client_host",
        "rebalance_timeout_ms",
        "topology_epoch",
        "process_id",
        "user_endpoint",
        "client_tags",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "StreamsGroupMemberMetadataValue"
    TYPE: ClassVar[str] = "coordinator-value"
    API_KEY: ClassVar[int | None] = 19
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    Endpoint: TypeAlias = StreamsGroupMemberMetadataValueEndpoint
    KeyValue: TypeAlias = StreamsGroupMemberMetadataValueKeyValue

    instance_id: str | None
    """Versions 0+, null in 0+."""
    rack_id: str | None
    """Versions 0+, null in 0+."""
    client_id: str
    """Versions 0+."""
    client_host: str
    """Versions 0+."""
    rebalance_timeout_ms: int
    """Versions 0+."""
    topology_epoch: int
    """Versions 0+."""
    process_id: str
    """Versions 0+."""
    user_endpoint: StreamsGroupMemberMetadataValueEndpoint | None
    """Versions 0+, null in 0+."""
    client_tags: list[StreamsGroupMemberMetadataValueKeyValue]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        instance_id: str | None = "",
        rack_id: str | None = "",
        client_id: str = "",
        client_host: str = "",
        rebalance_timeout_ms: int = -1,
        topology_epoch: int = 0,
        process_id: str = "",
        user_endpoint: StreamsGroupMemberMetadataValueEndpoint | None = None,
        client_tags: list[StreamsGroupMemberMetadataValueKeyValue] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.topology_epoch = topology_epoch
        self.process_id = process_id
        self.user_endpoint = user_endpoint
        self.client_tags = [] if client_tags is EMPTY else client_tags
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupMemberMetadataValue)
            and self.instance_id == other.instance_id
            and self.rack_id == other.rack_id
            and self.client_id == other.client_id
            and self.client_host == other.client_host
            and self.rebalance_timeout_ms == other.rebalance_timeout_ms
            and self.topology_epoch == other.topology_epoch
            and self.process_id == other.process_id
            and self.user_endpoint == other.user_endpoint
            and self.client_tags == other.client_tags
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[StreamsGroupMemberMetadataValue, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_endpoint_v0(buffer: Buffer, position: int) -> tuple[StreamsGroupMemberMetadataValueEndpoint, int]:
    message = StreamsGroupMemberMetadataValueEndpoint.__new__(StreamsGroupMemberMetadataValueEndpoint)
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
    return message, position


def _read_many_key_value_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupMemberMetadataValueKeyValue], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupMemberMetadataValueKeyValue] = []
    for _ in range(size):
        message = StreamsGroupMemberMetadataValueKeyValue.__new__(StreamsGroupMemberMetadataValueKeyValue)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.key = str(buffer[position:end], "utf-8")
        position = end
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.value = str(buffer[position:end], "utf-8")
        position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[StreamsGroupMemberMetadataValue, int]:
    message = StreamsGroupMemberMetadataValue.__new__(StreamsGroupMemberMetadataValue)
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
    message.rebalance_timeout_ms, message.topology_epoch, length = _unpack_iiB(buffer, position)
    position += 9
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.process_id = str(buffer[position:end], "utf-8")
    position = end
    (mark,) = _unpack_b(buffer, position)
    position += 1
    if mark < 0:
        message.user_endpoint = None
    else:
        message.user_endpoint, position = _read_endpoint_v0(buffer, position)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.client_tags, position = _read_many_key_value_v0(buffer, position, count - 1)
    elif count:
        message.client_tags = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_endpoint_v0(out: Pieces, message: StreamsGroupMemberMetadataValueEndpoint) -> None:
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


def _write_key_value_v0(out: Pieces, message: StreamsGroupMemberMetadataValueKeyValue) -> None:
    key = message.key
    data = key.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    value = message.value
    data = value.encode()
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


def _write_v0(out: Pieces, message: StreamsGroupMemberMetadataValue) -> None:
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
    process_id = message.process_id
    data = process_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_iiB(message.rebalance_timeout_ms, message.topology_epoch, length))
    else:
        out.append(_pack_ii(message.rebalance_timeout_ms, message.topology_epoch))
        out.append(pack_string_length(length))
    out.append(data)
    user_endpoint = message.user_endpoint
    out.append(_pack_b(-1 if user_endpoint is None else 1))
    if user_endpoint is not None:
        _write_endpoint_v0(out, user_endpoint)
    client_tags = message.client_tags
    count = len(client_tags) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for client_tags_item in client_tags:
        _write_key_value_v0(out, client_tags_item)
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
        python_class=StreamsGroupMemberMetadataValueEndpoint,
        fields=(
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
    key_value_struct = StructSchema(
        python_class=StreamsGroupMemberMetadataValueKeyValue,
        fields=(
            FieldSchema(
                name="Key",
                attribute="key",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="Value",
                attribute="value",
                type="string",
                versions=(0, 32767),
                default="",
            ),
        ),
    )
    streams_group_member_metadata_value_struct = StructSchema(
        python_class=StreamsGroupMemberMetadataValue,
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
                name="RebalanceTimeoutMs",
                attribute="rebalance_timeout_ms",
                type="int32",
                versions=(0, 32767),
                default=-1,
            ),
            FieldSchema(
                name="TopologyEpoch",
                attribute="topology_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ProcessId",
                attribute="process_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="UserEndpoint",
                attribute="user_endpoint",
                type="Endpoint",
                struct=endpoint_struct,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="ClientTags",
                attribute="client_tags",
                type="KeyValue",
                struct=key_value_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="StreamsGroupMemberMetadataValue",
        flexible_from=0,
        root=streams_group_member_metadata_value_struct,
    )
