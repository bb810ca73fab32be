"""DescribeClusterResponse: versions 0-2, flexible from 0, api key 60.

Generated from api/DescribeClusterResponse.json by codegen; change the schema, not this file.
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
    Steps,
    pack_length,
    pack_string_length,
    read_long_length,
    read_string_length,
    read_unknown_tags,
    write_tag_section,
)

_unpack_tB = struct.Struct(">?B").unpack_from
_unpack_bB = struct.Struct(">bB").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_pack_t = struct.Struct(">?").pack
_pack_tB = struct.Struct(">?B").pack
_pack_b = struct.Struct(">b").pack
_pack_bB = struct.Struct(">bB").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack


class DescribeClusterResponseDescribeClusterBroker(Struct):
    """DescribeClusterBroker of DescribeClusterResponse."""

    __slots__ = ("broker_id", "host", "port", "rack", "is_fenced", "unknown_tags")

    broker_id: int
    """Versions 0+."""
    host: str
    """Versions 0+."""
    port: int
    """Versions 0+."""
    rack: str | None
    """Versions 0+, null in 0+."""
    is_fenced: bool
    """Versions 2+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        broker_id: int = 0,
        host: str = "",
        port: int = 0,
        rack: str | None = None,
        is_fenced: bool = False,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.host = host
        self.port = port
        self.rack = rack
        self.is_fenced = is_fenced
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeClusterResponseDescribeClusterBroker)
            and self.broker_id == other.broker_id
            and self.host == other.host
            and self.port == other.port
            and self.rack == other.rack
            and self.is_fenced == other.is_fenced
            and self.unknown_tags == other.unknown_tags
        )



class DescribeClusterResponse(Message):
    """Response DescribeClusterResponse."""

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "endpoint_type",
        "cluster_id",
        "controller_id",
        "brokers",
        "cluster_authorized_operations",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "DescribeClusterResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 60
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    DescribeClusterBroker: TypeAlias = DescribeClusterResponseDescribeClusterBroker

    throttle_time_ms: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    endpoint_type: int
    """What Brokers lists: 1 brokers, 2 controllers. Versions 1+."""
    cluster_id: str
    """Versions 0+."""
    controller_id: int
    """Active controller if controllers are listed, else a broker that takes its requests; or -1.
    Versions 0+.
    """
    brokers: list[DescribeClusterResponseDescribeClusterBroker]
    """Brokers or controllers, as EndpointType says. Versions 0+."""
    cluster_authorized_operations: int
    """Bit per operation allowed to the requester; the lowest int32 if it did not ask. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        endpoint_type: int = 1,
        cluster_id: str = "",
        controller_id: int = -1,
        brokers: list[DescribeClusterResponseDescribeClusterBroker] = EMPTY,
        cluster_authorized_operations: int = -2147483648,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.endpoint_type = endpoint_type
        self.cluster_id = cluster_id
        self.controller_id = controller_id
        self.brokers = [] if brokers is EMPTY else brokers
        self.cluster_authorized_operations = cluster_authorized_operations
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DescribeClusterResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.endpoint_type == other.endpoint_type
            and self.cluster_id == other.cluster_id
            and self.controller_id == other.controller_id
            and self.brokers == other.brokers
            and self.cluster_authorized_operations == other.cluster_authorized_operations
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[DescribeClusterResponse, int]:
        return _READERS[version](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version](out, self)

    def _step_write(self, out: Pieces, version: int) -> Steps[None] | None:
        write = _STEP_WRITERS[version]
        return None if write is None else write(out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_describe_cluster_broker_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeClusterResponseDescribeClusterBroker], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeClusterResponseDescribeClusterBroker] = []
    for _ in range(size):
        message = DescribeClusterResponseDescribeClusterBroker.__new__(
            DescribeClusterResponseDescribeClusterBroker,
        )
        message.broker_id, length = _unpack_iB(buffer, position)
        position += 5
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.host = str(buffer[position:end], "utf-8")
        position = end
        message.port, length = _unpack_iB(buffer, position)
        position += 5
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.rack = None
        else:
            end = position + length - 1
            message.rack = str(buffer[position:end], "utf-8")
            position = end
        tags = buffer[position]
        position += 1
        message.is_fenced = False
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[DescribeClusterResponse, int]:
    message = DescribeClusterResponse.__new__(DescribeClusterResponse)
    message.throttle_time_ms, message.error_code, length = _unpack_ihB(buffer, position)
    position += 7
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
    message.cluster_id = str(buffer[position:end], "utf-8")
    position = end
    message.controller_id, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.brokers, position = _read_many_describe_cluster_broker_v0(buffer, position, count - 1)
    elif count:
        message.brokers = []
    else:
        raise Malformed
    message.cluster_authorized_operations, tags = _unpack_iB(buffer, position)
    position += 5
    message.endpoint_type = 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[DescribeClusterResponse, int]:
    message = DescribeClusterResponse.__new__(DescribeClusterResponse)
    message.throttle_time_ms, message.error_code, length = _unpack_ihB(buffer, position)
    position += 7
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.error_message = None
    else:
        end = position + length - 1
        message.error_message = str(buffer[position:end], "utf-8")
        position = end
    message.endpoint_type, length = _unpack_bB(buffer, position)
    position += 2
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.cluster_id = str(buffer[position:end], "utf-8")
    position = end
    message.controller_id, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.brokers, position = _read_many_describe_cluster_broker_v0(buffer, position, count - 1)
    elif count:
        message.brokers = []
    else:
        raise Malformed
    message.cluster_authorized_operations, tags = _unpack_iB(buffer, position)
    position += 5
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_describe_cluster_broker_v2(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[DescribeClusterResponseDescribeClusterBroker], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[DescribeClusterResponseDescribeClusterBroker] = []
    for _ in range(size):
        message = DescribeClusterResponseDescribeClusterBroker.__new__(
            DescribeClusterResponseDescribeClusterBroker,
        )
        message.broker_id, length = _unpack_iB(buffer, position)
        position += 5
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.host = str(buffer[position:end], "utf-8")
        position = end
        message.port, length = _unpack_iB(buffer, position)
        position += 5
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.rack = None
        else:
            end = position + length - 1
            message.rack = str(buffer[position:end], "utf-8")
            position = end
        message.is_fenced, tags = _unpack_tB(buffer, position)
        position += 2
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v2(buffer: Buffer, position: int) -> tuple[DescribeClusterResponse, int]:
    message = DescribeClusterResponse.__new__(DescribeClusterResponse)
    message.throttle_time_ms, message.error_code, length = _unpack_ihB(buffer, position)
    position += 7
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        message.error_message = None
    else:
        end = position + length - 1
        message.error_message = str(buffer[position:end], "utf-8")
        position = end
    message.endpoint_type, length = _unpack_bB(buffer, position)
    position += 2
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.cluster_id = str(buffer[position:end], "utf-8")
    position = end
    message.controller_id, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.brokers, position = _read_many_describe_cluster_broker_v2(buffer, position, count - 1)
    elif count:
        message.brokers = []
    else:
        raise Malformed
    message.cluster_authorized_operations, tags = _unpack_iB(buffer, position)
    position += 5
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_describe_cluster_broker_v0(
    out: Pieces,
    message: DescribeClusterResponseDescribeClusterBroker,
) -> None:
    if message.is_fenced:
        raise Malformed
    host = message.host
    data = host.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_iB(message.broker_id, length))
    else:
        out.append(_pack_i(message.broker_id))
        out.append(pack_string_length(length))
    out.append(data)
    rack = message.rack
    if rack is None:
        data = b""
        length = 0
    else:
        data = rack.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_iB(message.port, length))
    else:
        out.append(_pack_i(message.port))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: DescribeClusterResponse) -> None:
    if message.endpoint_type != 1:
        raise Malformed
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, length))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    cluster_id = message.cluster_id
    data = cluster_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    brokers = message.brokers
    count = len(brokers) + 1
    if count < 128:
        out.append(_pack_iB(message.controller_id, count))
    else:
        out.append(_pack_i(message.controller_id))
        out.append(pack_length(count))
    for brokers_item in brokers:
        _write_describe_cluster_broker_v0(out, brokers_item)
    if message.unknown_tags:
        out.append(_pack_i(message.cluster_authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.cluster_authorized_operations, 0))


def _step_write_v0(out: Pieces, message: DescribeClusterResponse) -> Steps[None]:
    if message.endpoint_type != 1:
        raise Malformed
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, length))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    cluster_id = message.cluster_id
    data = cluster_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    brokers = message.brokers
    count = len(brokers) + 1
    if count < 128:
        out.append(_pack_iB(message.controller_id, count))
    else:
        out.append(_pack_i(message.controller_id))
        out.append(pack_length(count))
    for brokers_item in brokers:
        _write_describe_cluster_broker_v0(out, brokers_item)
        yield
    if message.unknown_tags:
        out.append(_pack_i(message.cluster_authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.cluster_authorized_operations, 0))


def _write_v1(out: Pieces, message: DescribeClusterResponse) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, length))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    cluster_id = message.cluster_id
    data = cluster_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_bB(message.endpoint_type, length))
    else:
        out.append(_pack_b(message.endpoint_type))
        out.append(pack_string_length(length))
    out.append(data)
    brokers = message.brokers
    count = len(brokers) + 1
    if count < 128:
        out.append(_pack_iB(message.controller_id, count))
    else:
        out.append(_pack_i(message.controller_id))
        out.append(pack_length(count))
    for brokers_item in brokers:
        _write_describe_cluster_broker_v0(out, brokers_item)
    if message.unknown_tags:
        out.append(_pack_i(message.cluster_authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.cluster_authorized_operations, 0))


def _step_write_v1(out: Pieces, message: DescribeClusterResponse) -> Steps[None]:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, length))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    cluster_id = message.cluster_id
    data = cluster_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_bB(message.endpoint_type, length))
    else:
        out.append(_pack_b(message.endpoint_type))
        out.append(pack_string_length(length))
    out.append(data)
    brokers = message.brokers
    count = len(brokers) + 1
    if count < 128:
        out.append(_pack_iB(message.controller_id, count))
    else:
        out.append(_pack_i(message.controller_id))
        out.append(pack_length(count))
    for brokers_item in brokers:
        _write_describe_cluster_broker_v0(out, brokers_item)
        yield
    if message.unknown_tags:
        out.append(_pack_i(message.cluster_authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.cluster_authorized_operations, 0))


def _write_describe_cluster_broker_v2(
    out: Pieces,
    message: DescribeClusterResponseDescribeClusterBroker,
) -> None:
    host = message.host
    data = host.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_iB(message.broker_id, length))
    else:
        out.append(_pack_i(message.broker_id))
        out.append(pack_string_length(length))
    out.append(data)
    rack = message.rack
    if rack is None:
        data = b""
        length = 0
    else:
        data = rack.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_iB(message.port, length))
    else:
        out.append(_pack_i(message.port))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        out.append(_pack_t(message.is_fenced))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_tB(message.is_fenced, 0))


def _write_v2(out: Pieces, message: DescribeClusterResponse) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, length))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    cluster_id = message.cluster_id
    data = cluster_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_bB(message.endpoint_type, length))
    else:
        out.append(_pack_b(message.endpoint_type))
        out.append(pack_string_length(length))
    out.append(data)
    brokers = message.brokers
    count = len(brokers) + 1
    if count < 128:
        out.append(_pack_iB(message.controller_id, count))
    else:
        out.append(_pack_i(message.controller_id))
        out.append(pack_length(count))
    for brokers_item in brokers:
        _write_describe_cluster_broker_v2(out, brokers_item)
    if message.unknown_tags:
        out.append(_pack_i(message.cluster_authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.cluster_authorized_operations, 0))


def _step_write_v2(out: Pieces, message: DescribeClusterResponse) -> Steps[None]:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihB(message.throttle_time_ms, message.error_code, length))
    else:
        out.append(_pack_ih(message.throttle_time_ms, message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    cluster_id = message.cluster_id
    data = cluster_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_bB(message.endpoint_type, length))
    else:
        out.append(_pack_b(message.endpoint_type))
        out.append(pack_string_length(length))
    out.append(data)
    brokers = message.brokers
    count = len(brokers) + 1
    if count < 128:
        out.append(_pack_iB(message.controller_id, count))
    else:
        out.append(_pack_i(message.controller_id))
        out.append(pack_length(count))
    for brokers_item in brokers:
        _write_describe_cluster_broker_v2(out, brokers_item)
        yield
    if message.unknown_tags:
        out.append(_pack_i(message.cluster_authorized_operations))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.cluster_authorized_operations, 0))


_READERS = (
    _read_v0,
    _read_v1,
    _read_v2,
)

_WRITERS = (
    _write_v0,
    _write_v1,
    _write_v2,
)

_STEP_WRITERS = (
    _step_write_v0,
    _step_write_v1,
    _step_write_v2,
)


@cache
def _schema() -> MessageSchema:
    describe_cluster_broker_struct = StructSchema(
        python_class=DescribeClusterResponseDescribeClusterBroker,
        fields=(
            FieldSchema(
                name="BrokerId",
                attribute="broker_id",
                type="int32",
                versions=(0, 32767),
                default=0,
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
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="Rack",
                attribute="rack",
                type="string",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="IsFenced",
                attribute="is_fenced",
                type="bool",
                versions=(2, 32767),
                default=False,
            ),
        ),
    )
    describe_cluster_response_struct = StructSchema(
        python_class=DescribeClusterResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
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
                name="EndpointType",
                attribute="endpoint_type",
                type="int8",
                versions=(1, 32767),
                default=1,
            ),
            FieldSchema(
                name="ClusterId",
                attribute="cluster_id",
                type="string",
                versions=(0, 32767),
                default="",
            ),
            FieldSchema(
                name="ControllerId",
                attribute="controller_id",
                type="int32",
                versions=(0, 32767),
                default=-1,
            ),
            FieldSchema(
                name="Brokers",
                attribute="brokers",
                type="DescribeClusterBroker",
                struct=describe_cluster_broker_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="ClusterAuthorizedOperations",
                attribute="cluster_authorized_operations",
                type="int32",
                versions=(0, 32767),
                default=-2147483648,
            ),
        ),
    )
    return MessageSchema(
        name="DescribeClusterResponse",
        flexible_from=0,
        root=describe_cluster_response_struct,
    )
