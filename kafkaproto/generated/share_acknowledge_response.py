"""ShareAcknowledgeResponse: versions 1-2, flexible from 0, api key 79.

Generated from api/ShareAcknowledgeResponse.json by codegen; change the schema, not this file.
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

ZERO_UUID = bytes(16)
_unpack_uB = struct.Struct(">16sB").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_iiB = struct.Struct(">iiB").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_ii = struct.Struct(">ii").pack
_pack_iiB = struct.Struct(">iiB").pack


class ShareAcknowledgeResponseLeaderIdAndEpoch(Struct):
    """LeaderIdAndEpoch of ShareAcknowledgeResponse."""

    __slots__ = ("leader_id", "leader_epoch", "unknown_tags")

    leader_id: int
    """Versions 0+."""
    leader_epoch: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        leader_id: int = 0,
        leader_epoch: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareAcknowledgeResponseLeaderIdAndEpoch)
            and self.leader_id == other.leader_id
            and self.leader_epoch == other.leader_epoch
            and self.unknown_tags == other.unknown_tags
        )



class ShareAcknowledgeResponsePartitionData(Struct):
    """PartitionData of ShareAcknowledgeResponse."""

    __slots__ = ("partition_index", "error_code", "error_message", "_current_leader", "unknown_tags")

    partition_index: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    _current_leader: ShareAcknowledgeResponseLeaderIdAndEpoch | None
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        current_leader: ShareAcknowledgeResponseLeaderIdAndEpoch | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self._current_leader = current_leader
        self.unknown_tags = unknown_tags

    @property
    def current_leader(self) -> ShareAcknowledgeResponseLeaderIdAndEpoch:
        """Versions 0+."""
        if self._current_leader is None:
            self._current_leader = ShareAcknowledgeResponseLeaderIdAndEpoch()
        return self._current_leader

    @current_leader.setter
    def current_leader(self, value: ShareAcknowledgeResponseLeaderIdAndEpoch) -> None:
        self._current_leader = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareAcknowledgeResponsePartitionData)
            and self.partition_index == other.partition_index
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.current_leader == other.current_leader
            and self.unknown_tags == other.unknown_tags
        )



class ShareAcknowledgeResponseShareAcknowledgeTopicResponse(Struct):
    """ShareAcknowledgeTopicResponse of ShareAcknowledgeResponse."""

    __slots__ = ("topic_id", "partitions", "unknown_tags")

    topic_id: bytes
    """Versions 0+."""
    partitions: list[ShareAcknowledgeResponsePartitionData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[ShareAcknowledgeResponsePartitionData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareAcknowledgeResponseShareAcknowledgeTopicResponse)
            and self.topic_id == other.topic_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class ShareAcknowledgeResponseNodeEndpoint(Struct):
    """NodeEndpoint of ShareAcknowledgeResponse."""

    __slots__ = ("node_id", "host", "port", "rack", "unknown_tags")

    node_id: int
    """Versions 0+."""
    host: str
    """Versions 0+."""
    port: int
    """Versions 0+."""
    rack: str | None
    """Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        rack: str | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.rack = rack
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareAcknowledgeResponseNodeEndpoint)
            and self.node_id == other.node_id
            and self.host == other.host
            and self.port == other.port
            and self.rack == other.rack
            and self.unknown_tags == other.unknown_tags
        )



class ShareAcknowledgeResponse(Message):
    """Response ShareAcknowledgeResponse."""

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "acquisition_lock_timeout_ms",
        "responses",
        "node_endpoints",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "ShareAcknowledgeResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 79
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    LeaderIdAndEpoch: TypeAlias = ShareAcknowledgeResponseLeaderIdAndEpoch
    PartitionData: TypeAlias = ShareAcknowledgeResponsePartitionData
    ShareAcknowledgeTopicResponse: TypeAlias = ShareAcknowledgeResponseShareAcknowledgeTopicResponse
    NodeEndpoint: TypeAlias = ShareAcknowledgeResponseNodeEndpoint

    throttle_time_ms: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    acquisition_lock_timeout_ms: int
    """Versions 2+, dropped where a version lacks it."""
    responses: list[ShareAcknowledgeResponseShareAcknowledgeTopicResponse]
    """Versions 0+."""
    node_endpoints: list[ShareAcknowledgeResponseNodeEndpoint]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        acquisition_lock_timeout_ms: int = 0,
        responses: list[ShareAcknowledgeResponseShareAcknowledgeTopicResponse] = EMPTY,
        node_endpoints: list[ShareAcknowledgeResponseNodeEndpoint] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.acquisition_lock_timeout_ms = acquisition_lock_timeout_ms
        self.responses = [] if responses is EMPTY else responses
        self.node_endpoints = [] if node_endpoints is EMPTY else node_endpoints
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareAcknowledgeResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.acquisition_lock_timeout_ms == other.acquisition_lock_timeout_ms
            and self.responses == other.responses
            and self.node_endpoints == other.node_endpoints
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ShareAcknowledgeResponse, int]:
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


def _read_leader_id_and_epoch_v1(
    buffer: Buffer,
    position: int,
) -> tuple[ShareAcknowledgeResponseLeaderIdAndEpoch, int]:
    message = ShareAcknowledgeResponseLeaderIdAndEpoch.__new__(ShareAcknowledgeResponseLeaderIdAndEpoch)
    message.leader_id, message.leader_epoch, tags = _unpack_iiB(buffer, position)
    position += 9
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_partition_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ShareAcknowledgeResponsePartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ShareAcknowledgeResponsePartitionData] = []
    for _ in range(size):
        message = ShareAcknowledgeResponsePartitionData.__new__(ShareAcknowledgeResponsePartitionData)
        message.partition_index, message.error_code, length = _unpack_ihB(buffer, position)
        position += 7
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.error_message = None
        else:
            end = position + length - 1
            message.error_message = str(buffer[position:end], "utf-8")
            position = end
        message._current_leader, position = _read_leader_id_and_epoch_v1(buffer, position)
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_share_acknowledge_topic_response_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ShareAcknowledgeResponseShareAcknowledgeTopicResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ShareAcknowledgeResponseShareAcknowledgeTopicResponse] = []
    for _ in range(size):
        message = ShareAcknowledgeResponseShareAcknowledgeTopicResponse.__new__(
            ShareAcknowledgeResponseShareAcknowledgeTopicResponse,
        )
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_partition_data_v1(buffer, position, count - 1)
        elif count:
            message.partitions = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_node_endpoint_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ShareAcknowledgeResponseNodeEndpoint], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ShareAcknowledgeResponseNodeEndpoint] = []
    for _ in range(size):
        message = ShareAcknowledgeResponseNodeEndpoint.__new__(ShareAcknowledgeResponseNodeEndpoint)
        message.node_id, length = _unpack_iB(buffer, position)
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
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v1(buffer: Buffer, position: int) -> tuple[ShareAcknowledgeResponse, int]:
    message = ShareAcknowledgeResponse.__new__(ShareAcknowledgeResponse)
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
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.responses, position = _read_many_share_acknowledge_topic_response_v1(buffer, position, count - 1)
    elif count:
        message.responses = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.node_endpoints, position = _read_many_node_endpoint_v1(buffer, position, count - 1)
    elif count:
        message.node_endpoints = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.acquisition_lock_timeout_ms = 0
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v2(buffer: Buffer, position: int) -> tuple[ShareAcknowledgeResponse, int]:
    message = ShareAcknowledgeResponse.__new__(ShareAcknowledgeResponse)
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
    message.acquisition_lock_timeout_ms, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.responses, position = _read_many_share_acknowledge_topic_response_v1(buffer, position, count - 1)
    elif count:
        message.responses = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.node_endpoints, position = _read_many_node_endpoint_v1(buffer, position, count - 1)
    elif count:
        message.node_endpoints = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_leader_id_and_epoch_v1(out: Pieces, message: ShareAcknowledgeResponseLeaderIdAndEpoch) -> None:
    if message.unknown_tags:
        out.append(_pack_ii(message.leader_id, message.leader_epoch))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iiB(message.leader_id, message.leader_epoch, 0))


def _write_partition_data_v1(out: Pieces, message: ShareAcknowledgeResponsePartitionData) -> None:
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_ihB(message.partition_index, message.error_code, length))
    else:
        out.append(_pack_ih(message.partition_index, message.error_code))
        out.append(pack_string_length(length))
    out.append(data)
    current_leader = message.current_leader
    _write_leader_id_and_epoch_v1(out, current_leader)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_share_acknowledge_topic_response_v1(
    out: Pieces,
    message: ShareAcknowledgeResponseShareAcknowledgeTopicResponse,
) -> None:
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    partitions = message.partitions
    count = len(partitions) + 1
    if count < 128:
        out.append(_pack_uB(topic_id, count))
    else:
        out.append(topic_id)
        out.append(pack_length(count))
    for partitions_item in partitions:
        _write_partition_data_v1(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_share_acknowledge_topic_response_v1(
    out: Pieces,
    message: ShareAcknowledgeResponseShareAcknowledgeTopicResponse,
) -> Steps[None]:
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    partitions = message.partitions
    count = len(partitions) + 1
    if count < 128:
        out.append(_pack_uB(topic_id, count))
    else:
        out.append(topic_id)
        out.append(pack_length(count))
    for partitions_item in partitions:
        _write_partition_data_v1(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_node_endpoint_v1(out: Pieces, message: ShareAcknowledgeResponseNodeEndpoint) -> None:
    host = message.host
    data = host.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_iB(message.node_id, length))
    else:
        out.append(_pack_i(message.node_id))
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


def _write_v1(out: Pieces, message: ShareAcknowledgeResponse) -> None:
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
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for responses_item in responses:
        _write_share_acknowledge_topic_response_v1(out, responses_item)
    node_endpoints = message.node_endpoints
    count = len(node_endpoints) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for node_endpoints_item in node_endpoints:
        _write_node_endpoint_v1(out, node_endpoints_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v1(out: Pieces, message: ShareAcknowledgeResponse) -> Steps[None]:
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
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for responses_item in responses:
        yield from _step_write_share_acknowledge_topic_response_v1(out, responses_item)
        yield
    node_endpoints = message.node_endpoints
    count = len(node_endpoints) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for node_endpoints_item in node_endpoints:
        _write_node_endpoint_v1(out, node_endpoints_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v2(out: Pieces, message: ShareAcknowledgeResponse) -> None:
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
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(_pack_iB(message.acquisition_lock_timeout_ms, count))
    else:
        out.append(_pack_i(message.acquisition_lock_timeout_ms))
        out.append(pack_length(count))
    for responses_item in responses:
        _write_share_acknowledge_topic_response_v1(out, responses_item)
    node_endpoints = message.node_endpoints
    count = len(node_endpoints) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for node_endpoints_item in node_endpoints:
        _write_node_endpoint_v1(out, node_endpoints_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v2(out: Pieces, message: ShareAcknowledgeResponse) -> Steps[None]:
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
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(_pack_iB(message.acquisition_lock_timeout_ms, count))
    else:
        out.append(_pack_i(message.acquisition_lock_timeout_ms))
        out.append(pack_length(count))
    for responses_item in responses:
        yield from _step_write_share_acknowledge_topic_response_v1(out, responses_item)
        yield
    node_endpoints = message.node_endpoints
    count = len(node_endpoints) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for node_endpoints_item in node_endpoints:
        _write_node_endpoint_v1(out, node_endpoints_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v1,
    _read_v2,
)

_WRITERS = (
    _write_v1,
    _write_v2,
)

_STEP_WRITERS = (
    _step_write_v1,
    _step_write_v2,
)


@cache
def _schema() -> MessageSchema:
    leader_id_and_epoch_struct = StructSchema(
        python_class=ShareAcknowledgeResponseLeaderIdAndEpoch,
        fields=(
            FieldSchema(
                name="LeaderId",
                attribute="leader_id",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LeaderEpoch",
                attribute="leader_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    partition_data_struct = StructSchema(
        python_class=ShareAcknowledgeResponsePartitionData,
        fields=(
            FieldSchema(
                name="PartitionIndex",
                attribute="partition_index",
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
                name="CurrentLeader",
                attribute="current_leader",
                type="LeaderIdAndEpoch",
                struct=leader_id_and_epoch_struct,
                versions=(0, 32767),
                default=Default.EMPTY_STRUCT,
            ),
        ),
    )
    share_acknowledge_topic_response_struct = StructSchema(
        python_class=ShareAcknowledgeResponseShareAcknowledgeTopicResponse,
        fields=(
            FieldSchema(
                name="TopicId",
                attribute="topic_id",
                type="uuid",
                versions=(0, 32767),
                default=ZERO_UUID,
            ),
            FieldSchema(
                name="Partitions",
                attribute="partitions",
                type="PartitionData",
                struct=partition_data_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    node_endpoint_struct = StructSchema(
        python_class=ShareAcknowledgeResponseNodeEndpoint,
        fields=(
            FieldSchema(
                name="NodeId",
                attribute="node_id",
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
        ),
    )
    share_acknowledge_response_struct = StructSchema(
        python_class=ShareAcknowledgeResponse,
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
                name="AcquisitionLockTimeoutMs",
                attribute="acquisition_lock_timeout_ms",
                type="int32",
                versions=(2, 32767),
                default=0,
                ignorable=True,
            ),
            FieldSchema(
                name="Responses",
                attribute="responses",
                type="ShareAcknowledgeTopicResponse",
                struct=share_acknowledge_topic_response_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="NodeEndpoints",
                attribute="node_endpoints",
                type="NodeEndpoint",
                struct=node_endpoint_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(
        name="ShareAcknowledgeResponse",
        flexible_from=0,
        root=share_acknowledge_response_struct,
    )
