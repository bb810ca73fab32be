"""StreamsGroupHeartbeatResponse: versions 0-1, flexible from 0, api key 88.

Generated from api/StreamsGroupHeartbeatResponse.json by codegen; change the schema, not this file.
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

_unpack_tiB = struct.Struct(">?iB").unpack_from
_unpack_HB = struct.Struct(">HB").unpack_from
_unpack_bB = struct.Struct(">bB").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ihB = struct.Struct(">ihB").unpack_from
_unpack_iiiiB = struct.Struct(">iiiiB").unpack_from
_unpack_iiiqB = struct.Struct(">iiiqB").unpack_from
_pack_ti = struct.Struct(">?i").pack
_pack_tiB = struct.Struct(">?iB").pack
_pack_H = struct.Struct(">H").pack
_pack_HB = struct.Struct(">HB").pack
_pack_b = struct.Struct(">b").pack
_pack_bB = struct.Struct(">bB").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihB = struct.Struct(">ihB").pack
_pack_iiii = struct.Struct(">iiii").pack
_pack_iiiiB = struct.Struct(">iiiiB").pack
_pack_iiiq = struct.Struct(">iiiq").pack
_pack_iiiqB = struct.Struct(">iiiqB").pack


class StreamsGroupHeartbeatResponseStatus(Struct):
    """Status of StreamsGroupHeartbeatResponse."""

    __slots__ = ("status_code", "status_detail", "unknown_tags")

    status_code: int
    """Versions 0+."""
    status_detail: str
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        status_code: int = 0,
        status_detail: str = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.status_code = status_code
        self.status_detail = status_detail
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupHeartbeatResponseStatus)
            and self.status_code == other.status_code
            and self.status_detail == other.status_detail
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupHeartbeatResponseTaskIds(Struct):
    """TaskIds of StreamsGroupHeartbeatResponse."""

    __slots__ = ("subtopology_id", "partitions", "unknown_tags")

    subtopology_id: str
    """Versions 0+."""
    partitions: list[int]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        subtopology_id: str = "",
        partitions: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupHeartbeatResponseTaskIds)
            and self.subtopology_id == other.subtopology_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupHeartbeatResponseEndpoint(Struct):
    """Endpoint of StreamsGroupHeartbeatResponse."""

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
            isinstance(other, StreamsGroupHeartbeatResponseEndpoint)
            and self.host == other.host
            and self.port == other.port
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupHeartbeatResponseTopicPartition(Struct):
    """TopicPartition of StreamsGroupHeartbeatResponse."""

    __slots__ = ("topic", "partitions", "unknown_tags")

    topic: str
    """Versions 0+."""
    partitions: list[int]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic: str = "",
        partitions: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic = topic
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupHeartbeatResponseTopicPartition)
            and self.topic == other.topic
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupHeartbeatResponseEndpointToPartitions(Struct):
    """EndpointToPartitions of StreamsGroupHeartbeatResponse."""

    __slots__ = ("_user_endpoint", "active_partitions", "standby_partitions", "unknown_tags")

    _user_endpoint: StreamsGroupHeartbeatResponseEndpoint | None
    active_partitions: list[StreamsGroupHeartbeatResponseTopicPartition]
    """Versions 0+."""
    standby_partitions: list[StreamsGroupHeartbeatResponseTopicPartition]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        user_endpoint: StreamsGroupHeartbeatResponseEndpoint | None = None,
        active_partitions: list[StreamsGroupHeartbeatResponseTopicPartition] = EMPTY,
        standby_partitions: list[StreamsGroupHeartbeatResponseTopicPartition] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self._user_endpoint = user_endpoint
        self.active_partitions = [] if active_partitions is EMPTY else active_partitions
        self.standby_partitions = [] if standby_partitions is EMPTY else standby_partitions
        self.unknown_tags = unknown_tags

    @property
    def user_endpoint(self) -> StreamsGroupHeartbeatResponseEndpoint:
        """Versions 0+."""
        if self._user_endpoint is None:
            self._user_endpoint = StreamsGroupHeartbeatResponseEndpoint()
        return self._user_endpoint

    @user_endpoint.setter
    def user_endpoint(self, value: StreamsGroupHeartbeatResponseEndpoint) -> None:
        self._user_endpoint = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupHeartbeatResponseEndpointToPartitions)
            and self.user_endpoint == other.user_endpoint
            and self.active_partitions == other.active_partitions
            and self.standby_partitions == other.standby_partitions
            and self.unknown_tags == other.unknown_tags
        )



class StreamsGroupHeartbeatResponse(Message):
    """Response StreamsGroupHeartbeatResponse."""

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "member_id",
        "member_epoch",
        "heartbeat_interval_ms",
        "acceptable_recovery_lag_legacy",
        "task_offset_interval_ms",
        "acceptable_recovery_lag",
        "status",
        "active_tasks",
        "standby_tasks",
        "warmup_tasks",
        "topology_description_required",
        "endpoint_information_epoch",
        "partitions_by_user_endpoint",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "StreamsGroupHeartbeatResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 88
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    Status: TypeAlias = StreamsGroupHeartbeatResponseStatus
    TaskIds: TypeAlias = StreamsGroupHeartbeatResponseTaskIds
    Endpoint: TypeAlias = StreamsGroupHeartbeatResponseEndpoint
    TopicPartition: TypeAlias = StreamsGroupHeartbeatResponseTopicPartition
    EndpointToPartitions: TypeAlias = StreamsGroupHeartbeatResponseEndpointToPartitions

    throttle_time_ms: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    error_message: str | None
    """Versions 0+, null in 0+."""
    member_id: str
    """Versions 0+."""
    member_epoch: int
    """Versions 0+."""
    heartbeat_interval_ms: int
    """Versions 0+."""
    acceptable_recovery_lag_legacy: int
    """Versions 0."""
    task_offset_interval_ms: int
    """Versions 0+."""
    acceptable_recovery_lag: int
    """Versions 1+, dropped where a version lacks it."""
    status: list[StreamsGroupHeartbeatResponseStatus] | None
    """Versions 0+, null in 0+."""
    active_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None
    """Versions 0+, null in 0+."""
    standby_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None
    """Versions 0+, null in 0+."""
    warmup_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None
    """Versions 0+, null in 0+."""
    topology_description_required: bool
    """Versions 1+."""
    endpoint_information_epoch: int
    """Versions 0+."""
    partitions_by_user_endpoint: list[StreamsGroupHeartbeatResponseEndpointToPartitions] | None
    """Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        member_id: str = "",
        member_epoch: int = 0,
        heartbeat_interval_ms: int = 0,
        acceptable_recovery_lag_legacy: int = 0,
        task_offset_interval_ms: int = 0,
        acceptable_recovery_lag: int = -1,
        status: list[StreamsGroupHeartbeatResponseStatus] | None = EMPTY,
        active_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None = None,
        standby_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None = None,
        warmup_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None = None,
        topology_description_required: bool = False,
        endpoint_information_epoch: int = 0,
        partitions_by_user_endpoint: list[StreamsGroupHeartbeatResponseEndpointToPartitions] | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.heartbeat_interval_ms = heartbeat_interval_ms
        self.acceptable_recovery_lag_legacy = acceptable_recovery_lag_legacy
        self.task_offset_interval_ms = task_offset_interval_ms
        self.acceptable_recovery_lag = acceptable_recovery_lag
        self.status = [] if status is EMPTY else status
        self.active_tasks = active_tasks
        self.standby_tasks = standby_tasks
        self.warmup_tasks = warmup_tasks
        self.topology_description_required = topology_description_required
        self.endpoint_information_epoch = endpoint_information_epoch
        self.partitions_by_user_endpoint = partitions_by_user_endpoint
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StreamsGroupHeartbeatResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.error_message == other.error_message
            and self.member_id == other.member_id
            and self.member_epoch == other.member_epoch
            and self.heartbeat_interval_ms == other.heartbeat_interval_ms
            and self.acceptable_recovery_lag_legacy == other.acceptable_recovery_lag_legacy
            and self.task_offset_interval_ms == other.task_offset_interval_ms
            and self.acceptable_recovery_lag == other.acceptable_recovery_lag
            and self.status == other.status
            and self.active_tasks == other.active_tasks
            and self.standby_tasks == other.standby_tasks
            and self.warmup_tasks == other.warmup_tasks
            and self.topology_description_required == other.topology_description_required
            and self.endpoint_information_epoch == other.endpoint_information_epoch
            and self.partitions_by_user_endpoint == other.partitions_by_user_endpoint
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[StreamsGroupHeartbeatResponse, int]:
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


def _read_many_status_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupHeartbeatResponseStatus], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupHeartbeatResponseStatus] = []
    for _ in range(size):
        message = StreamsGroupHeartbeatResponseStatus.__new__(StreamsGroupHeartbeatResponseStatus)
        message.status_code, length = _unpack_bB(buffer, position)
        position += 2
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.status_detail = str(buffer[position:end], "utf-8")
        position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_task_ids_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupHeartbeatResponseTaskIds], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupHeartbeatResponseTaskIds] = []
    for _ in range(size):
        message = StreamsGroupHeartbeatResponseTaskIds.__new__(StreamsGroupHeartbeatResponseTaskIds)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.subtopology_id = str(buffer[position:end], "utf-8")
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


def _read_endpoint_v0(buffer: Buffer, position: int) -> tuple[StreamsGroupHeartbeatResponseEndpoint, int]:
    message = StreamsGroupHeartbeatResponseEndpoint.__new__(StreamsGroupHeartbeatResponseEndpoint)
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


def _read_many_topic_partition_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupHeartbeatResponseTopicPartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupHeartbeatResponseTopicPartition] = []
    for _ in range(size):
        message = StreamsGroupHeartbeatResponseTopicPartition.__new__(
            StreamsGroupHeartbeatResponseTopicPartition,
        )
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.topic = str(buffer[position:end], "utf-8")
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


def _read_many_endpoint_to_partitions_v0(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[StreamsGroupHeartbeatResponseEndpointToPartitions], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[StreamsGroupHeartbeatResponseEndpointToPartitions] = []
    for _ in range(size):
        message = StreamsGroupHeartbeatResponseEndpointToPartitions.__new__(
            StreamsGroupHeartbeatResponseEndpointToPartitions,
        )
        message._user_endpoint, position = _read_endpoint_v0(buffer, position)
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.active_partitions, position = _read_many_topic_partition_v0(buffer, position, count - 1)
        elif count:
            message.active_partitions = []
        else:
            raise Malformed
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.standby_partitions, position = _read_many_topic_partition_v0(buffer, position, count - 1)
        elif count:
            message.standby_partitions = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v0(buffer: Buffer, position: int) -> tuple[StreamsGroupHeartbeatResponse, int]:
    message = StreamsGroupHeartbeatResponse.__new__(StreamsGroupHeartbeatResponse)
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
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    (
        message.member_epoch,
        message.heartbeat_interval_ms,
        message.acceptable_recovery_lag_legacy,
        message.task_offset_interval_ms,
        count,
    ) = _unpack_iiiiB(buffer, position)
    position += 17
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.status, position = _read_many_status_v0(buffer, position, count - 1)
    elif count:
        message.status = []
    else:
        message.status = None
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.active_tasks, position = _read_many_task_ids_v0(buffer, position, count - 1)
    elif count:
        message.active_tasks = []
    else:
        message.active_tasks = None
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.standby_tasks, position = _read_many_task_ids_v0(buffer, position, count - 1)
    elif count:
        message.standby_tasks = []
    else:
        message.standby_tasks = None
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.warmup_tasks, position = _read_many_task_ids_v0(buffer, position, count - 1)
    elif count:
        message.warmup_tasks = []
    else:
        message.warmup_tasks = None
    message.endpoint_information_epoch, count = _unpack_iB(buffer, position)
    position += 5
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.partitions_by_user_endpoint, position = _read_many_endpoint_to_partitions_v0(buffer, position, count - 1)
    elif count:
        message.partitions_by_user_endpoint = []
    else:
        message.partitions_by_user_endpoint = None
    tags = buffer[position]
    position += 1
    message.acceptable_recovery_lag = -1
    message.topology_description_required = False
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v1(buffer: Buffer, position: int) -> tuple[StreamsGroupHeartbeatResponse, int]:
    message = StreamsGroupHeartbeatResponse.__new__(StreamsGroupHeartbeatResponse)
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
    message.member_id = str(buffer[position:end], "utf-8")
    position = end
    (
        message.member_epoch,
        message.heartbeat_interval_ms,
        message.task_offset_interval_ms,
        message.acceptable_recovery_lag,
        count,
    ) = _unpack_iiiqB(buffer, position)
    position += 21
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.status, position = _read_many_status_v0(buffer, position, count - 1)
    elif count:
        message.status = []
    else:
        message.status = None
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.active_tasks, position = _read_many_task_ids_v0(buffer, position, count - 1)
    elif count:
        message.active_tasks = []
    else:
        message.active_tasks = None
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.standby_tasks, position = _read_many_task_ids_v0(buffer, position, count - 1)
    elif count:
        message.standby_tasks = []
    else:
        message.standby_tasks = None
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.warmup_tasks, position = _read_many_task_ids_v0(buffer, position, count - 1)
    elif count:
        message.warmup_tasks = []
    else:
        message.warmup_tasks = None
    (
        message.topology_description_required,
        message.endpoint_information_epoch,
        count,
    ) = _unpack_tiB(buffer, position)
    position += 6
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.partitions_by_user_endpoint, position = _read_many_endpoint_to_partitions_v0(buffer, position, count - 1)
    elif count:
        message.partitions_by_user_endpoint = []
    else:
        message.partitions_by_user_endpoint = None
    tags = buffer[position]
    position += 1
    message.acceptable_recovery_lag_legacy = 0
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _write_status_v0(out: Pieces, message: StreamsGroupHeartbeatResponseStatus) -> None:
    status_detail = message.status_detail
    data = status_detail.encode()
    length = len(data) + 1
    if length < 128:
        out.append(_pack_bB(message.status_code, length))
    else:
        out.append(_pack_b(message.status_code))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_task_ids_v0(out: Pieces, message: StreamsGroupHeartbeatResponseTaskIds) -> None:
    subtopology_id = message.subtopology_id
    data = subtopology_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
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


def _write_endpoint_v0(out: Pieces, message: StreamsGroupHeartbeatResponseEndpoint) -> None:
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


def _write_topic_partition_v0(out: Pieces, message: StreamsGroupHeartbeatResponseTopicPartition) -> None:
    topic = message.topic
    data = topic.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
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


def _write_endpoint_to_partitions_v0(
    out: Pieces,
    message: StreamsGroupHeartbeatResponseEndpointToPartitions,
) -> None:
    user_endpoint = message.user_endpoint
    _write_endpoint_v0(out, user_endpoint)
    active_partitions = message.active_partitions
    count = len(active_partitions) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for active_partitions_item in active_partitions:
        _write_topic_partition_v0(out, active_partitions_item)
    standby_partitions = message.standby_partitions
    count = len(standby_partitions) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for standby_partitions_item in standby_partitions:
        _write_topic_partition_v0(out, standby_partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_endpoint_to_partitions_v0(
    out: Pieces,
    message: StreamsGroupHeartbeatResponseEndpointToPartitions,
) -> Steps[None]:
    user_endpoint = message.user_endpoint
    _write_endpoint_v0(out, user_endpoint)
    active_partitions = message.active_partitions
    count = len(active_partitions) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for active_partitions_item in active_partitions:
        _write_topic_partition_v0(out, active_partitions_item)
        yield
    standby_partitions = message.standby_partitions
    count = len(standby_partitions) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for standby_partitions_item in standby_partitions:
        _write_topic_partition_v0(out, standby_partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v0(out: Pieces, message: StreamsGroupHeartbeatResponse) -> None:
    if message.topology_description_required:
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
    member_id = message.member_id
    data = member_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    status = message.status
    if status is None:
        status = EMPTY
        count = 0
    else:
        count = len(status) + 1
    if count < 128:
        out.append(_pack_iiiiB(
            message.member_epoch,
            message.heartbeat_interval_ms,
            message.acceptable_recovery_lag_legacy,
            message.task_offset_interval_ms,
            count,
        ))
    else:
        out.append(_pack_iiii(
            message.member_epoch,
            message.heartbeat_interval_ms,
            message.acceptable_recovery_lag_legacy,
            message.task_offset_interval_ms,
        ))
        out.append(pack_length(count))
    for status_item in status:
        _write_status_v0(out, status_item)
    active_tasks = message.active_tasks
    if active_tasks is None:
        active_tasks = EMPTY
        count = 0
    else:
        count = len(active_tasks) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for active_tasks_item in active_tasks:
        _write_task_ids_v0(out, active_tasks_item)
    standby_tasks = message.standby_tasks
    if standby_tasks is None:
        standby_tasks = EMPTY
        count = 0
    else:
        count = len(standby_tasks) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for standby_tasks_item in standby_tasks:
        _write_task_ids_v0(out, standby_tasks_item)
    warmup_tasks = message.warmup_tasks
    if warmup_tasks is None:
        warmup_tasks = EMPTY
        count = 0
    else:
        count = len(warmup_tasks) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for warmup_tasks_item in warmup_tasks:
        _write_task_ids_v0(out, warmup_tasks_item)
    partitions_by_user_endpoint = message.partitions_by_user_endpoint
    if partitions_by_user_endpoint is None:
        partitions_by_user_endpoint = EMPTY
        count = 0
    else:
        count = len(partitions_by_user_endpoint) + 1
    if count < 128:
        out.append(_pack_iB(message.endpoint_information_epoch, count))
    else:
        out.append(_pack_i(message.endpoint_information_epoch))
        out.append(pack_length(count))
    for partitions_by_user_endpoint_item in partitions_by_user_endpoint:
        _write_endpoint_to_partitions_v0(out, partitions_by_user_endpoint_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v0(out: Pieces, message: StreamsGroupHeartbeatResponse) -> Steps[None]:
    if message.topology_description_required:
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
    member_id = message.member_id
    data = member_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    status = message.status
    if status is None:
        status = EMPTY
        count = 0
    else:
        count = len(status) + 1
    if count < 128:
        out.append(_pack_iiiiB(
            message.member_epoch,
            message.heartbeat_interval_ms,
            message.acceptable_recovery_lag_legacy,
            message.task_offset_interval_ms,
            count,
        ))
    else:
        out.append(_pack_iiii(
            message.member_epoch,
            message.heartbeat_interval_ms,
            message.acceptable_recovery_lag_legacy,
            message.task_offset_interval_ms,
        ))
        out.append(pack_length(count))
    for status_item in status:
        _write_status_v0(out, status_item)
        yield
    active_tasks = message.active_tasks
    if active_tasks is None:
        active_tasks = EMPTY
        count = 0
    else:
        count = len(active_tasks) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for active_tasks_item in active_tasks:
        _write_task_ids_v0(out, active_tasks_item)
        yield
    standby_tasks = message.standby_tasks
    if standby_tasks is None:
        standby_tasks = EMPTY
        count = 0
    else:
        count = len(standby_tasks) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for standby_tasks_item in standby_tasks:
        _write_task_ids_v0(out, standby_tasks_item)
        yield
    warmup_tasks = message.warmup_tasks
    if warmup_tasks is None:
        warmup_tasks = EMPTY
        count = 0
    else:
        count = len(warmup_tasks) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for warmup_tasks_item in warmup_tasks:
        _write_task_ids_v0(out, warmup_tasks_item)
        yield
    partitions_by_user_endpoint = message.partitions_by_user_endpoint
    if partitions_by_user_endpoint is None:
        partitions_by_user_endpoint = EMPTY
        count = 0
    else:
        count = len(partitions_by_user_endpoint) + 1
    if count < 128:
        out.append(_pack_iB(message.endpoint_information_epoch, count))
    else:
        out.append(_pack_i(message.endpoint_information_epoch))
        out.append(pack_length(count))
    for partitions_by_user_endpoint_item in partitions_by_user_endpoint:
        yield from _step_write_endpoint_to_partitions_v0(out, partitions_by_user_endpoint_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v1(out: Pieces, message: StreamsGroupHeartbeatResponse) -> None:
    if message.acceptable_recovery_lag_legacy != 0:
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
    member_id = message.member_id
    data = member_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    status = message.status
    if status is None:
        status = EMPTY
        count = 0
    else:
        count = len(status) + 1
    if count < 128:
        out.append(_pack_iiiqB(
            message.member_epoch,
            message.heartbeat_interval_ms,
            message.task_offset_interval_ms,
            message.acceptable_recovery_lag,
            count,
        ))
    else:
        out.append(_pack_iiiq(
            message.member_epoch,
            message.heartbeat_interval_ms,
            message.task_offset_interval_ms,
            message.acceptable_recovery_lag,
        ))
        out.append(pack_length(count))
    for status_item in status:
        _write_status_v0(out, status_item)
    active_tasks = message.active_tasks
    if active_tasks is None:
        active_tasks = EMPTY
        count = 0
    else:
        count = len(active_tasks) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for active_tasks_item in active_tasks:
        _write_task_ids_v0(out, active_tasks_item)
    standby_tasks = message.standby_tasks
    if standby_tasks is None:
        standby_tasks = EMPTY
        count = 0
    else:
        count = len(standby_tasks) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for standby_tasks_item in standby_tasks:
        _write_task_ids_v0(out, standby_tasks_item)
    warmup_tasks = message.warmup_tasks
    if warmup_tasks is None:
        warmup_tasks = EMPTY
        count = 0
    else:
        count = len(warmup_tasks) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for warmup_tasks_item in warmup_tasks:
        _write_task_ids_v0(out, warmup_tasks_item)
    partitions_by_user_endpoint = message.partitions_by_user_endpoint
    if partitions_by_user_endpoint is None:
        partitions_by_user_endpoint = EMPTY
        count = 0
    else:
        count = len(partitions_by_user_endpoint) + 1
    if count < 128:
        out.append(_pack_tiB(
            message.topology_description_required,
            message.endpoint_information_epoch,
            count,
        ))
    else:
        out.append(_pack_ti(message.topology_description_required, message.endpoint_information_epoch))
        out.append(pack_length(count))
    for partitions_by_user_endpoint_item in partitions_by_user_endpoint:
        _write_endpoint_to_partitions_v0(out, partitions_by_user_endpoint_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v1(out: Pieces, message: StreamsGroupHeartbeatResponse) -> Steps[None]:
    if message.acceptable_recovery_lag_legacy != 0:
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
    member_id = message.member_id
    data = member_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    status = message.status
    if status is None:
        status = EMPTY
        count = 0
    else:
        count = len(status) + 1
    if count < 128:
        out.append(_pack_iiiqB(
            message.member_epoch,
            message.heartbeat_interval_ms,
            message.task_offset_interval_ms,
            message.acceptable_recovery_lag,
            count,
        ))
    else:
        out.append(_pack_iiiq(
            message.member_epoch,
            message.heartbeat_interval_ms,
            message.task_offset_interval_ms,
            message.acceptable_recovery_lag,
        ))
        out.append(pack_length(count))
    for status_item in status:
        _write_status_v0(out, status_item)
        yield
    active_tasks = message.active_tasks
    if active_tasks is None:
        active_tasks = EMPTY
        count = 0
    else:
        count = len(active_tasks) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for active_tasks_item in active_tasks:
        _write_task_ids_v0(out, active_tasks_item)
        yield
    standby_tasks = message.standby_tasks
    if standby_tasks is None:
        standby_tasks = EMPTY
        count = 0
    else:
        count = len(standby_tasks) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for standby_tasks_item in standby_tasks:
        _write_task_ids_v0(out, standby_tasks_item)
        yield
    warmup_tasks = message.warmup_tasks
    if warmup_tasks is None:
        warmup_tasks = EMPTY
        count = 0
    else:
        count = len(warmup_tasks) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for warmup_tasks_item in warmup_tasks:
        _write_task_ids_v0(out, warmup_tasks_item)
        yield
    partitions_by_user_endpoint = message.partitions_by_user_endpoint
    if partitions_by_user_endpoint is None:
        partitions_by_user_endpoint = EMPTY
        count = 0
    else:
        count = len(partitions_by_user_endpoint) + 1
    if count < 128:
        out.append(_pack_tiB(
            message.topology_description_required,
            message.endpoint_information_epoch,
            count,
        ))
    else:
        out.append(_pack_ti(message.topology_description_required, message.endpoint_information_epoch))
        out.append(pack_length(count))
    for partitions_by_user_endpoint_item in partitions_by_user_endpoint:
        yield from _step_write_endpoint_to_partitions_v0(out, partitions_by_user_endpoint_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v0,
    _read_v1,
)

_WRITERS = (
    _write_v0,
    _write_v1,
)

_STEP_WRITERS = (
    _step_write_v0,
    _step_write_v1,
)


@cache
def _schema() -> MessageSchema:
    status_struct = StructSchema(
        python_class=StreamsGroupHeartbeatResponseStatus,
        fields=(
            FieldSchema(
                name="StatusCode",
                attribute="status_code",
                type="int8",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="StatusDetail",
                attribute="status_detail",
                type="string",
                versions=(0, 32767),
                default="",
            ),
        ),
    )
    task_ids_struct = StructSchema(
        python_class=StreamsGroupHeartbeatResponseTaskIds,
        fields=(
            FieldSchema(
                name="SubtopologyId",
                attribute="subtopology_id",
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
    endpoint_struct = StructSchema(
        python_class=StreamsGroupHeartbeatResponseEndpoint,
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
    topic_partition_struct = StructSchema(
        python_class=StreamsGroupHeartbeatResponseTopicPartition,
        fields=(
            FieldSchema(
                name="Topic",
                attribute="topic",
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
    endpoint_to_partitions_struct = StructSchema(
        python_class=StreamsGroupHeartbeatResponseEndpointToPartitions,
        fields=(
            FieldSchema(
                name="UserEndpoint",
                attribute="user_endpoint",
                type="Endpoint",
                struct=endpoint_struct,
                versions=(0, 32767),
                default=Default.EMPTY_STRUCT,
            ),
            FieldSchema(
                name="ActivePartitions",
                attribute="active_partitions",
                type="TopicPartition",
                struct=topic_partition_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="StandbyPartitions",
                attribute="standby_partitions",
                type="TopicPartition",
                struct=topic_partition_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    streams_group_heartbeat_response_struct = StructSchema(
        python_class=StreamsGroupHeartbeatResponse,
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
                name="HeartbeatIntervalMs",
                attribute="heartbeat_interval_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="AcceptableRecoveryLagLegacy",
                attribute="acceptable_recovery_lag_legacy",
                type="int32",
                versions=(0, 0),
                default=0,
            ),
            FieldSchema(
                name="TaskOffsetIntervalMs",
                attribute="task_offset_interval_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="AcceptableRecoveryLag",
                attribute="acceptable_recovery_lag",
                type="int64",
                versions=(1, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="Status",
                attribute="status",
                type="Status",
                struct=status_struct,
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="ActiveTasks",
                attribute="active_tasks",
                type="TaskIds",
                struct=task_ids_struct,
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="StandbyTasks",
                attribute="standby_tasks",
                type="TaskIds",
                struct=task_ids_struct,
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="WarmupTasks",
                attribute="warmup_tasks",
                type="TaskIds",
                struct=task_ids_struct,
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
            FieldSchema(
                name="TopologyDescriptionRequired",
                attribute="topology_description_required",
                type="bool",
                versions=(1, 32767),
                default=False,
            ),
            FieldSchema(
                name="EndpointInformationEpoch",
                attribute="endpoint_information_epoch",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="PartitionsByUserEndpoint",
                attribute="partitions_by_user_endpoint",
                type="EndpointToPartitions",
                struct=endpoint_to_partitions_struct,
                array=True,
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
        ),
    )
    return MessageSchema(
        name="StreamsGroupHeartbeatResponse",
        flexible_from=0,
        root=streams_group_heartbeat_response_struct,
    )
