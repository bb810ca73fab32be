"""ShareFetchResponse: versions 1-2, flexible from 0, api key 78.

Generated from api/ShareFetchResponse.json by codegen; change the schema, not this file.
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
    Buffers,
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
_unpack_hB = struct.Struct(">hB").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_iiB = struct.Struct(">iiB").unpack_from
_unpack_qqhB = struct.Struct(">qqhB").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_h = struct.Struct(">h").pack
_pack_hB = struct.Struct(">hB").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_ii = struct.Struct(">ii").pack
_pack_iiB = struct.Struct(">iiB").pack
_pack_qqh = struct.Struct(">qqh").pack
_pack_qqhB = struct.Struct(">qqhB").pack


class ShareFetchResponseLeaderIdAndEpoch(Struct):
    """LeaderIdAndEpoch of ShareFetchResponse."""

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
            isinstance(other, ShareFetchResponseLeaderIdAndEpoch)
            and self.leader_id == other.leader_id
            and self.leader_epoch == other.leader_epoch
            and self.unknown_tags == other.unknown_tags
        )



class ShareFetchResponseAcquiredRecords(Struct):
    """AcquiredRecords of ShareFetchResponse."""

    __slots__ = ("first_offset", "last_offset", "delivery_count", "unknown_tags")

    first_offset: int
    """Versions 0+."""
    last_offset: int
    """Versions 0+."""
    delivery_count: int
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        first_offset: int = 0,
        last_offset: int = 0,
        delivery_count: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.delivery_count = delivery_count
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareFetchResponseAcquiredRecords)
            and self.first_offset == other.first_offset
            and self.last_offset == other.last_offset
            and self.delivery_count == other.delivery_count
            and self.unknown_tags == other.unknown_tags
        )



class ShareFetchResponsePartitionData(Struct):
    """PartitionData of ShareFetchResponse."""

    __slots__ = (
        "partition_index",
        "error_code",
        "error_message",
        "acknowledge_error_code",
        "acknowledge_error_message",
        "_current_leader",
        "records",
        "acquired_records",
        "unknown_tags",
    )

    partition_index: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    acknowledge_error_code: int
    """Versions 0+."""
    acknowledge_error_message: str | None
    """Versions 0+, null in 0+."""
    _current_leader: ShareFetchResponseLeaderIdAndEpoch | None
    records: Buffers | None
    """Versions 0+, null in 0."""
    acquired_records: list[ShareFetchResponseAcquiredRecords]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        acknowledge_error_code: int = 0,
        acknowledge_error_message: str | None = None,
        current_leader: ShareFetchResponseLeaderIdAndEpoch | None = None,
        records: Buffers | None = None,
        acquired_records: list[ShareFetchResponseAcquiredRecords] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.acknowledge_error_code = acknowledge_error_code
        self.acknowledge_error_message = acknowledge_error_message
        self._current_leader = current_leader
        self.records = records
        self.acquired_records = [] if acquired_records is EMPTY else acquired_records
        self.unknown_tags = unknown_tags

    @property
    def current_leader(self) -> ShareFetchResponseLeaderIdAndEpoch:
        """Versions 0+."""
        if self._current_leader is None:
            self._current_leader = ShareFetchResponseLeaderIdAndEpoch()
        return self._current_leader

    @current_leader.setter
    def current_leader(self, value: ShareFetchResponseLeaderIdAndEpoch) -> None:
        self._current_leader = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareFetchResponsePartitionData)
            and self.partition_index == other.partition_index
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.acknowledge_error_code == other.acknowledge_error_code
            and self.acknowledge_error_message == other.acknowledge_error_message
            and self.current_leader == other.current_leader
            and self.records == other.records
            and self.acquired_records == other.acquired_records
            and self.unknown_tags == other.unknown_tags
        )



class ShareFetchResponseShareFetchableTopicResponse(Struct):
    """ShareFetchableTopicResponse of ShareFetchResponse."""

    __slots__ = ("topic_id", "partitions", "unknown_tags")

    topic_id: bytes
    """Versions 0+."""
    partitions: list[ShareFetchResponsePartitionData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[ShareFetchResponsePartitionData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShareFetchResponseShareFetchableTopicResponse)
            and self.topic_id == other.topic_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class ShareFetchResponseNodeEndpoint(Struct):
    """NodeEndpoint of ShareFetchResponse."""

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
            isinstance(other, ShareFetchResponseNodeEndpoint)
            and self.node_id == other.node_id
            and self.host == other.host
            and self.port == other.port
            and self.rack == other.rack
            and self.unknown_tags == other.unknown_tags
        )



class ShareFetchResponse(Message):
    """Response ShareFetchResponse."""

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "acquisition_lock_timeout_ms",
        "responses",
        "node_endpoints",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "ShareFetchResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 78
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    LeaderIdAndEpoch: TypeAlias = ShareFetchResponseLeaderIdAndEpoch
    AcquiredRecords: TypeAlias = ShareFetchResponseAcquiredRecords
    PartitionData: TypeAlias = ShareFetchResponsePartitionData
    ShareFetchableTopicResponse: TypeAlias = ShareFetchResponseShareFetchableTopicResponse
    NodeEndpoint: TypeAlias = ShareFetchResponseNodeEndpoint

    throttle_time_ms: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    acquisition_lock_timeout_ms: int
    """Versions 1+."""
    responses: list[ShareFetchResponseShareFetchableTopicResponse]
    """Versions 0+."""
    node_endpoints: list[ShareFetchResponseNodeEndpoint]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        acquisition_lock_timeout_ms: int = 0,
        responses: list[ShareFetchResponseShareFetchableTopicResponse] = EMPTY,
        node_endpoints: list[ShareFetchResponseNodeEndpoint] = EMPTY,
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
            isinstance(other, ShareFetchResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.acquisition_lock_timeout_ms == other.acquisition_lock_timeout_ms
            and self.responses == other.responses
            and self.node_endpoints == other.node_endpoints
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ShareFetchResponse, int]:
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
) -> tuple[ShareFetchResponseLeaderIdAndEpoch, int]:
    message = ShareFetchResponseLeaderIdAndEpoch.__new__(ShareFetchResponseLeaderIdAndEpoch)
    message.leader_id, message.leader_epoch, tags = _unpack_iiB(buffer, position)
    position += 9
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_acquired_records_v1(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ShareFetchResponseAcquiredRecords], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ShareFetchResponseAcquiredRecords] = []
    for _ in range(size):
        message = ShareFetchResponseAcquiredRecords.__new__(ShareFetchResponseAcquiredRecords)
        (
            message.first_offset,
            message.last_offset,
            message.delivery_count,
            tags,
        ) = _unpack_qqhB(buffer, position)
        position += 19
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_partition_data_v1(
    buffer: Buffer,
    position: int,
    size: int,
    view: memoryview,
) -> tuple[list[ShareFetchResponsePartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ShareFetchResponsePartitionData] = []
    for _ in range(size):
        message = ShareFetchResponsePartitionData.__new__(ShareFetchResponsePartitionData)
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
        message.acknowledge_error_code, length = _unpack_hB(buffer, position)
        position += 3
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.acknowledge_error_message = None
        else:
            end = position + length - 1
            message.acknowledge_error_message = str(buffer[position:end], "utf-8")
            position = end
        message._current_leader, position = _read_leader_id_and_epoch_v1(buffer, position)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_long_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.records = view[position:end]
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.acquired_records, position = _read_many_acquired_records_v1(buffer, position, count - 1)
        elif count:
            message.acquired_records = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_share_fetchable_topic_response_v1(
    buffer: Buffer,
    position: int,
    size: int,
    view: memoryview,
) -> tuple[list[ShareFetchResponseShareFetchableTopicResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ShareFetchResponseShareFetchableTopicResponse] = []
    for _ in range(size):
        message = ShareFetchResponseShareFetchableTopicResponse.__new__(
            ShareFetchResponseShareFetchableTopicResponse,
        )
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_partition_data_v1(buffer, position, count - 1, view)
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
) -> tuple[list[ShareFetchResponseNodeEndpoint], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ShareFetchResponseNodeEndpoint] = []
    for _ in range(size):
        message = ShareFetchResponseNodeEndpoint.__new__(ShareFetchResponseNodeEndpoint)
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


def _read_v1(buffer: Buffer, position: int) -> tuple[ShareFetchResponse, int]:
    view = memoryview(buffer)
    message = ShareFetchResponse.__new__(ShareFetchResponse)
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
        message.responses, position = _read_many_share_fetchable_topic_response_v1(buffer, position, count - 1, view)
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


def _write_leader_id_and_epoch_v1(out: Pieces, message: ShareFetchResponseLeaderIdAndEpoch) -> None:
    if message.unknown_tags:
        out.append(_pack_ii(message.leader_id, message.leader_epoch))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iiB(message.leader_id, message.leader_epoch, 0))


def _write_acquired_records_v1(out: Pieces, message: ShareFetchResponseAcquiredRecords) -> None:
    if message.unknown_tags:
        out.append(_pack_qqh(message.first_offset, message.last_offset, message.delivery_count))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_qqhB(message.first_offset, message.last_offset, message.delivery_count, 0))


def _write_partition_data_v1(out: Pieces, message: ShareFetchResponsePartitionData) -> None:
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
    acknowledge_error_message = message.acknowledge_error_message
    if acknowledge_error_message is None:
        data = b""
        length = 0
    else:
        data = acknowledge_error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.acknowledge_error_code, length))
    else:
        out.append(_pack_h(message.acknowledge_error_code))
        out.append(pack_string_length(length))
    out.append(data)
    current_leader = message.current_leader
    _write_leader_id_and_epoch_v1(out, current_leader)
    records = message.records
    if records is None:
        raise Malformed
    length = (sum(map(len, records)) if isinstance(records, list) else len(records)) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    if isinstance(records, list):
        out.extend(records)
    else:
        out.append(records)
    acquired_records = message.acquired_records
    count = len(acquired_records) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for acquired_records_item in acquired_records:
        _write_acquired_records_v1(out, acquired_records_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_partition_data_v1(out: Pieces, message: ShareFetchResponsePartitionData) -> Steps[None]:
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
    acknowledge_error_message = message.acknowledge_error_message
    if acknowledge_error_message is None:
        data = b""
        length = 0
    else:
        data = acknowledge_error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_hB(message.acknowledge_error_code, length))
    else:
        out.append(_pack_h(message.acknowledge_error_code))
        out.append(pack_string_length(length))
    out.append(data)
    current_leader = message.current_leader
    _write_leader_id_and_epoch_v1(out, current_leader)
    records = message.records
    if records is None:
        raise Malformed
    length = (sum(map(len, records)) if isinstance(records, list) else len(records)) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_length(length))
    if isinstance(records, list):
        out.extend(records)
    else:
        out.append(records)
    acquired_records = message.acquired_records
    count = len(acquired_records) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for acquired_records_item in acquired_records:
        _write_acquired_records_v1(out, acquired_records_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_share_fetchable_topic_response_v1(
    out: Pieces,
    message: ShareFetchResponseShareFetchableTopicResponse,
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


def _step_write_share_fetchable_topic_response_v1(
    out: Pieces,
    message: ShareFetchResponseShareFetchableTopicResponse,
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
        yield from _step_write_partition_data_v1(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_node_endpoint_v1(out: Pieces, message: ShareFetchResponseNodeEndpoint) -> None:
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


def _write_v1(out: Pieces, message: ShareFetchResponse) -> None:
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
        _write_share_fetchable_topic_response_v1(out, responses_item)
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


def _step_write_v1(out: Pieces, message: ShareFetchResponse) -> Steps[None]:
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
        yield from _step_write_share_fetchable_topic_response_v1(out, responses_item)
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
    _read_v1,
)

_WRITERS = (
    _write_v1,
    _write_v1,
)

_STEP_WRITERS = (
    _step_write_v1,
    _step_write_v1,
)


@cache
def _schema() -> MessageSchema:
    leader_id_and_epoch_struct = StructSchema(
        python_class=ShareFetchResponseLeaderIdAndEpoch,
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
    acquired_records_struct = StructSchema(
        python_class=ShareFetchResponseAcquiredRecords,
        fields=(
            FieldSchema(
                name="FirstOffset",
                attribute="first_offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LastOffset",
                attribute="last_offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="DeliveryCount",
                attribute="delivery_count",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
        ),
    )
    partition_data_struct = StructSchema(
        python_class=ShareFetchResponsePartitionData,
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
                name="AcknowledgeErrorCode",
                attribute="acknowledge_error_code",
                type="int16",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="AcknowledgeErrorMessage",
                attribute="acknowledge_error_message",
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
            FieldSchema(
                name="Records",
                attribute="records",
                type="records",
                versions=(0, 32767),
                nullable=(0, 0),
                default=None,
            ),
            FieldSchema(
                name="AcquiredRecords",
                attribute="acquired_records",
                type="AcquiredRecords",
                struct=acquired_records_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    share_fetchable_topic_response_struct = StructSchema(
        python_class=ShareFetchResponseShareFetchableTopicResponse,
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
        python_class=ShareFetchResponseNodeEndpoint,
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
    share_fetch_response_struct = StructSchema(
        python_class=ShareFetchResponse,
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
                versions=(1, 32767),
                default=0,
            ),
            FieldSchema(
                name="Responses",
                attribute="responses",
                type="ShareFetchableTopicResponse",
                struct=share_fetchable_topic_response_struct,
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
    return MessageSchema(name="ShareFetchResponse", flexible_from=0, root=share_fetch_response_struct)
