"""ProduceResponse: versions 3-13, flexible from 9, api key 0.

Generated from api/ProduceResponse.json by codegen; change the schema, not this file.
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
    read_tag_section,
    read_unknown_tags,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_uB = struct.Struct(">16sB").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ih = struct.Struct(">ih").unpack_from
_unpack_ihqq = struct.Struct(">ihqq").unpack_from
_unpack_ihqqq = struct.Struct(">ihqqq").unpack_from
_unpack_ihqqqB = struct.Struct(">ihqqqB").unpack_from
_unpack_ihqqqi = struct.Struct(">ihqqqi").unpack_from
_unpack_iiB = struct.Struct(">iiB").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ih = struct.Struct(">ih").pack
_pack_ihqq = struct.Struct(">ihqq").pack
_pack_ihqqq = struct.Struct(">ihqqq").pack
_pack_ihqqqB = struct.Struct(">ihqqqB").pack
_pack_ihqqqi = struct.Struct(">ihqqqi").pack
_pack_ii = struct.Struct(">ii").pack
_pack_iiB = struct.Struct(">iiB").pack


class ProduceResponseBatchIndexAndErrorMessage(Struct):
    """BatchIndexAndErrorMessage of ProduceResponse."""

    __slots__ = ("batch_index", "batch_index_error_message", "unknown_tags")

    batch_index: int
    """Versions 8+."""
    batch_index_error_message: str | None
    """Versions 8+, null in 8+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        batch_index: int = 0,
        batch_index_error_message: str | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.batch_index = batch_index
        self.batch_index_error_message = batch_index_error_message
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ProduceResponseBatchIndexAndErrorMessage)
            and self.batch_index == other.batch_index
            and self.batch_index_error_message == other.batch_index_error_message
            and self.unknown_tags == other.unknown_tags
        )



class ProduceResponseLeaderIdAndEpoch(Struct):
    """LeaderIdAndEpoch of ProduceResponse."""

    __slots__ = ("leader_id", "leader_epoch", "unknown_tags")

    leader_id: int
    """Versions 10+."""
    leader_epoch: int
    """Versions 10+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        leader_id: int = -1,
        leader_epoch: int = -1,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ProduceResponseLeaderIdAndEpoch)
            and self.leader_id == other.leader_id
            and self.leader_epoch == other.leader_epoch
            and self.unknown_tags == other.unknown_tags
        )



class ProduceResponsePartitionProduceResponse(Struct):
    """PartitionProduceResponse of ProduceResponse."""

    __slots__ = (
        "index",
        "error_code",
        "base_offset",
        "log_append_time_ms",
        "log_start_offset",
        "record_errors",
        "error_message",
        "_current_leader",
        "unknown_tags",
    )

    index: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    base_offset: int
    """Offset that the first record was given. Versions 0+."""
    log_append_time_ms: int
    """The broker's time, if the topic takes it; else -1. Versions 2+, dropped where a version lacks
    it.
    """
    log_start_offset: int
    """Versions 5+, dropped where a version lacks it."""
    record_errors: list[ProduceResponseBatchIndexAndErrorMessage]
    """Records for which the whole batch was refused. Versions 8+, dropped where a version lacks it."""
    error_message: str | None
    """Versions 8+, null in 8+, dropped where a version lacks it."""
    _current_leader: ProduceResponseLeaderIdAndEpoch | None
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        index: int = 0,
        error_code: int = 0,
        base_offset: int = 0,
        log_append_time_ms: int = -1,
        log_start_offset: int = -1,
        record_errors: list[ProduceResponseBatchIndexAndErrorMessage] = EMPTY,
        error_message: str | None = None,
        current_leader: ProduceResponseLeaderIdAndEpoch | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.index = index
        self.error_code = error_code
        self.base_offset = base_offset
        self.log_append_time_ms = log_append_time_ms
        self.log_start_offset = log_start_offset
        self.record_errors = [] if record_errors is EMPTY else record_errors
        self.error_message = error_message
        self._current_leader = current_leader
        self.unknown_tags = unknown_tags

    @property
    def current_leader(self) -> ProduceResponseLeaderIdAndEpoch:
        """Set where the sender has to turn to another leader or epoch. Versions 10+, tag 0 in 10+."""
        if self._current_leader is None:
            self._current_leader = ProduceResponseLeaderIdAndEpoch()
        return self._current_leader

    @current_leader.setter
    def current_leader(self, value: ProduceResponseLeaderIdAndEpoch) -> None:
        self._current_leader = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ProduceResponsePartitionProduceResponse)
            and self.index == other.index
            and self.error_code == other.error_code
            and self.base_offset == other.base_offset
            and self.log_append_time_ms == other.log_append_time_ms
            and self.log_start_offset == other.log_start_offset
            and self.record_errors == other.record_errors
            and self.error_message == other.error_message
            and self.current_leader == other.current_leader
            and self.unknown_tags == other.unknown_tags
        )



class ProduceResponseTopicProduceResponse(Struct):
    """TopicProduceResponse of ProduceResponse."""

    __slots__ = ("name", "topic_id", "partition_responses", "unknown_tags")

    name: str
    """Versions 0-12, dropped where a version lacks it."""
    topic_id: bytes
    """Versions 13+, dropped where a version lacks it."""
    partition_responses: list[ProduceResponsePartitionProduceResponse]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
        partition_responses: list[ProduceResponsePartitionProduceResponse] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partition_responses = [] if partition_responses is EMPTY else partition_responses
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ProduceResponseTopicProduceResponse)
            and self.name == other.name
            and self.topic_id == other.topic_id
            and self.partition_responses == other.partition_responses
            and self.unknown_tags == other.unknown_tags
        )



class ProduceResponseNodeEndpoint(Struct):
    """NodeEndpoint of ProduceResponse."""

    __slots__ = ("node_id", "host", "port", "rack", "unknown_tags")

    node_id: int
    """Versions 10+."""
    host: str
    """Versions 10+."""
    port: int
    """Versions 10+."""
    rack: str | None
    """Versions 10+, null in 10+."""
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
            isinstance(other, ProduceResponseNodeEndpoint)
            and self.node_id == other.node_id
            and self.host == other.host
            and self.port == other.port
            and self.rack == other.rack
            and self.unknown_tags == other.unknown_tags
        )



class ProduceResponse(Message):
    """Response ProduceResponse."""

    __slots__ = ("responses", "throttle_time_ms", "node_endpoints", "unknown_tags")

    NAME: ClassVar[str] = "ProduceResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 0
    MIN_VERSION: ClassVar[int] = 3
    MAX_VERSION: ClassVar[int] = 13
    FLEXIBLE_FROM: ClassVar[int | None] = 9
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    BatchIndexAndErrorMessage: TypeAlias = ProduceResponseBatchIndexAndErrorMessage
    LeaderIdAndEpoch: TypeAlias = ProduceResponseLeaderIdAndEpoch
    PartitionProduceResponse: TypeAlias = ProduceResponsePartitionProduceResponse
    TopicProduceResponse: TypeAlias = ProduceResponseTopicProduceResponse
    NodeEndpoint: TypeAlias = ProduceResponseNodeEndpoint

    responses: list[ProduceResponseTopicProduceResponse]
    """Versions 0+."""
    throttle_time_ms: int
    """Versions 1+, dropped where a version lacks it."""
    node_endpoints: list[ProduceResponseNodeEndpoint]
    """Versions 10+, tag 0 in 10+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        responses: list[ProduceResponseTopicProduceResponse] = EMPTY,
        throttle_time_ms: int = 0,
        node_endpoints: list[ProduceResponseNodeEndpoint] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.responses = [] if responses is EMPTY else responses
        self.throttle_time_ms = throttle_time_ms
        self.node_endpoints = [] if node_endpoints is EMPTY else node_endpoints
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ProduceResponse)
            and self.responses == other.responses
            and self.throttle_time_ms == other.throttle_time_ms
            and self.node_endpoints == other.node_endpoints
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[ProduceResponse, int]:
        return _READERS[version - 3](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 3](out, self)

    def _step_write(self, out: Pieces, version: int) -> Steps[None] | None:
        write = _STEP_WRITERS[version - 3]
        return None if write is None else write(out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_partition_produce_response_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ProduceResponsePartitionProduceResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ProduceResponsePartitionProduceResponse] = []
    for _ in range(size):
        message = ProduceResponsePartitionProduceResponse.__new__(ProduceResponsePartitionProduceResponse)
        (
            message.index,
            message.error_code,
            message.base_offset,
            message.log_append_time_ms,
        ) = _unpack_ihqq(buffer, position)
        position += 22
        message.log_start_offset = -1
        message.record_errors = []
        message.error_message = None
        message._current_leader = None
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_topic_produce_response_v3(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ProduceResponseTopicProduceResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ProduceResponseTopicProduceResponse] = []
    for _ in range(size):
        message = ProduceResponseTopicProduceResponse.__new__(ProduceResponseTopicProduceResponse)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.partition_responses, position = _read_many_partition_produce_response_v3(buffer, position, count)
        elif not count:
            message.partition_responses = []
        else:
            raise Malformed
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v3(buffer: Buffer, position: int) -> tuple[ProduceResponse, int]:
    message = ProduceResponse.__new__(ProduceResponse)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.responses, position = _read_many_topic_produce_response_v3(buffer, position, count)
    elif not count:
        message.responses = []
    else:
        raise Malformed
    (message.throttle_time_ms,) = _unpack_i(buffer, position)
    position += 4
    message.node_endpoints = []
    message.unknown_tags = None
    return message, position


def _read_many_partition_produce_response_v5(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ProduceResponsePartitionProduceResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ProduceResponsePartitionProduceResponse] = []
    for _ in range(size):
        message = ProduceResponsePartitionProduceResponse.__new__(ProduceResponsePartitionProduceResponse)
        (
            message.index,
            message.error_code,
            message.base_offset,
            message.log_append_time_ms,
            message.log_start_offset,
        ) = _unpack_ihqqq(buffer, position)
        position += 30
        message.record_errors = []
        message.error_message = None
        message._current_leader = None
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_topic_produce_response_v5(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ProduceResponseTopicProduceResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ProduceResponseTopicProduceResponse] = []
    for _ in range(size):
        message = ProduceResponseTopicProduceResponse.__new__(ProduceResponseTopicProduceResponse)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.partition_responses, position = _read_many_partition_produce_response_v5(buffer, position, count)
        elif not count:
            message.partition_responses = []
        else:
            raise Malformed
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v5(buffer: Buffer, position: int) -> tuple[ProduceResponse, int]:
    message = ProduceResponse.__new__(ProduceResponse)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.responses, position = _read_many_topic_produce_response_v5(buffer, position, count)
    elif not count:
        message.responses = []
    else:
        raise Malformed
    (message.throttle_time_ms,) = _unpack_i(buffer, position)
    position += 4
    message.node_endpoints = []
    message.unknown_tags = None
    return message, position


def _read_many_batch_index_and_error_message_v8(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ProduceResponseBatchIndexAndErrorMessage], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ProduceResponseBatchIndexAndErrorMessage] = []
    for _ in range(size):
        message = ProduceResponseBatchIndexAndErrorMessage.__new__(ProduceResponseBatchIndexAndErrorMessage)
        message.batch_index, length = _unpack_ih(buffer, position)
        position += 6
        if length < 0:
            message.batch_index_error_message = None
        else:
            end = position + length
            message.batch_index_error_message = str(buffer[position:end], "utf-8")
            position = end
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_partition_produce_response_v8(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ProduceResponsePartitionProduceResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ProduceResponsePartitionProduceResponse] = []
    for _ in range(size):
        message = ProduceResponsePartitionProduceResponse.__new__(ProduceResponsePartitionProduceResponse)
        (
            message.index,
            message.error_code,
            message.base_offset,
            message.log_append_time_ms,
            message.log_start_offset,
            count,
        ) = _unpack_ihqqqi(buffer, position)
        position += 34
        if count > 0:
            message.record_errors, position = _read_many_batch_index_and_error_message_v8(buffer, position, count)
        elif not count:
            message.record_errors = []
        else:
            raise Malformed
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            message.error_message = None
        else:
            end = position + length
            message.error_message = str(buffer[position:end], "utf-8")
            position = end
        message._current_leader = None
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_topic_produce_response_v8(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ProduceResponseTopicProduceResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ProduceResponseTopicProduceResponse] = []
    for _ in range(size):
        message = ProduceResponseTopicProduceResponse.__new__(ProduceResponseTopicProduceResponse)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.name = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.partition_responses, position = _read_many_partition_produce_response_v8(buffer, position, count)
        elif not count:
            message.partition_responses = []
        else:
            raise Malformed
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v8(buffer: Buffer, position: int) -> tuple[ProduceResponse, int]:
    message = ProduceResponse.__new__(ProduceResponse)
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.responses, position = _read_many_topic_produce_response_v8(buffer, position, count)
    elif not count:
        message.responses = []
    else:
        raise Malformed
    (message.throttle_time_ms,) = _unpack_i(buffer, position)
    position += 4
    message.node_endpoints = []
    message.unknown_tags = None
    return message, position


def _read_many_batch_index_and_error_message_v9(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ProduceResponseBatchIndexAndErrorMessage], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ProduceResponseBatchIndexAndErrorMessage] = []
    for _ in range(size):
        message = ProduceResponseBatchIndexAndErrorMessage.__new__(ProduceResponseBatchIndexAndErrorMessage)
        message.batch_index, length = _unpack_iB(buffer, position)
        position += 5
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.batch_index_error_message = None
        else:
            end = position + length - 1
            message.batch_index_error_message = str(buffer[position:end], "utf-8")
            position = end
        tags = buffer[position]
        position += 1
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_partition_produce_response_v9(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ProduceResponsePartitionProduceResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ProduceResponsePartitionProduceResponse] = []
    for _ in range(size):
        message = ProduceResponsePartitionProduceResponse.__new__(ProduceResponsePartitionProduceResponse)
        (
            message.index,
            message.error_code,
            message.base_offset,
            message.log_append_time_ms,
            message.log_start_offset,
            count,
        ) = _unpack_ihqqqB(buffer, position)
        position += 31
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.record_errors, position = _read_many_batch_index_and_error_message_v9(buffer, position, count - 1)
        elif count:
            message.record_errors = []
        else:
            raise Malformed
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.error_message = None
        else:
            end = position + length - 1
            message.error_message = str(buffer[position:end], "utf-8")
            position = end
        tags = buffer[position]
        position += 1
        message._current_leader = None
        message.unknown_tags = None
        if tags:
            sections, end_of_tags = read_tag_section(buffer, position - 1)
            for tag, position, stop in sections:
                if tag in (0,):
                    raise Malformed
                else:
                    if message.unknown_tags is None:
                        message.unknown_tags = {}
                    message.unknown_tags[tag] = bytes(buffer[position:stop])
                    position = stop
                if position != stop:
                    raise Malformed
            position = end_of_tags
        found.append(message)
    return found, position


def _read_many_topic_produce_response_v9(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ProduceResponseTopicProduceResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ProduceResponseTopicProduceResponse] = []
    for _ in range(size):
        message = ProduceResponseTopicProduceResponse.__new__(ProduceResponseTopicProduceResponse)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partition_responses, position = _read_many_partition_produce_response_v9(buffer, position, count - 1)
        elif count:
            message.partition_responses = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v9(buffer: Buffer, position: int) -> tuple[ProduceResponse, int]:
    message = ProduceResponse.__new__(ProduceResponse)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.responses, position = _read_many_topic_produce_response_v9(buffer, position, count - 1)
    elif count:
        message.responses = []
    else:
        raise Malformed
    message.throttle_time_ms, tags = _unpack_iB(buffer, position)
    position += 5
    message.node_endpoints = []
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag in (0,):
                raise Malformed
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _read_leader_id_and_epoch_v10(
    buffer: Buffer,
    position: int,
) -> tuple[ProduceResponseLeaderIdAndEpoch, int]:
    message = ProduceResponseLeaderIdAndEpoch.__new__(ProduceResponseLeaderIdAndEpoch)
    message.leader_id, message.leader_epoch, tags = _unpack_iiB(buffer, position)
    position += 9
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_partition_produce_response_v10(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ProduceResponsePartitionProduceResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ProduceResponsePartitionProduceResponse] = []
    for _ in range(size):
        message = ProduceResponsePartitionProduceResponse.__new__(ProduceResponsePartitionProduceResponse)
        (
            message.index,
            message.error_code,
            message.base_offset,
            message.log_append_time_ms,
            message.log_start_offset,
            count,
        ) = _unpack_ihqqqB(buffer, position)
        position += 31
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.record_errors, position = _read_many_batch_index_and_error_message_v9(buffer, position, count - 1)
        elif count:
            message.record_errors = []
        else:
            raise Malformed
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            message.error_message = None
        else:
            end = position + length - 1
            message.error_message = str(buffer[position:end], "utf-8")
            position = end
        tags = buffer[position]
        position += 1
        message._current_leader = None
        message.unknown_tags = None
        if tags:
            sections, end_of_tags = read_tag_section(buffer, position - 1)
            for tag, position, stop in sections:
                if tag == 0:
                    message._current_leader, position = _read_leader_id_and_epoch_v10(buffer, position)
                else:
                    if message.unknown_tags is None:
                        message.unknown_tags = {}
                    message.unknown_tags[tag] = bytes(buffer[position:stop])
                    position = stop
                if position != stop:
                    raise Malformed
            position = end_of_tags
        found.append(message)
    return found, position


def _read_many_topic_produce_response_v10(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ProduceResponseTopicProduceResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ProduceResponseTopicProduceResponse] = []
    for _ in range(size):
        message = ProduceResponseTopicProduceResponse.__new__(ProduceResponseTopicProduceResponse)
        length = buffer[position]
        position += 1
        if length > 127:
            length, position = read_string_length(buffer, position, length)
        if not length:
            raise Malformed
        end = position + length - 1
        message.name = str(buffer[position:end], "utf-8")
        position = end
        count = buffer[position]
        position += 1
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partition_responses, position = _read_many_partition_produce_response_v10(buffer, position, count - 1)
        elif count:
            message.partition_responses = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_many_node_endpoint_v10(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ProduceResponseNodeEndpoint], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ProduceResponseNodeEndpoint] = []
    for _ in range(size):
        message = ProduceResponseNodeEndpoint.__new__(ProduceResponseNodeEndpoint)
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


def _read_v10(buffer: Buffer, position: int) -> tuple[ProduceResponse, int]:
    message = ProduceResponse.__new__(ProduceResponse)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.responses, position = _read_many_topic_produce_response_v10(buffer, position, count - 1)
    elif count:
        message.responses = []
    else:
        raise Malformed
    message.throttle_time_ms, tags = _unpack_iB(buffer, position)
    position += 5
    message.node_endpoints = []
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                count = buffer[position]
                position += 1
                if count > 127:
                    count, position = read_long_length(buffer, position, count)
                if count > 1:
                    message.node_endpoints, position = _read_many_node_endpoint_v10(buffer, position, count - 1)
                elif count:
                    message.node_endpoints = []
                else:
                    raise Malformed
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _read_many_topic_produce_response_v13(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[ProduceResponseTopicProduceResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[ProduceResponseTopicProduceResponse] = []
    for _ in range(size):
        message = ProduceResponseTopicProduceResponse.__new__(ProduceResponseTopicProduceResponse)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partition_responses, position = _read_many_partition_produce_response_v10(buffer, position, count - 1)
        elif count:
            message.partition_responses = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.name = ""
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_v13(buffer: Buffer, position: int) -> tuple[ProduceResponse, int]:
    message = ProduceResponse.__new__(ProduceResponse)
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.responses, position = _read_many_topic_produce_response_v13(buffer, position, count - 1)
    elif count:
        message.responses = []
    else:
        raise Malformed
    message.throttle_time_ms, tags = _unpack_iB(buffer, position)
    position += 5
    message.node_endpoints = []
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                count = buffer[position]
                position += 1
                if count > 127:
                    count, position = read_long_length(buffer, position, count)
                if count > 1:
                    message.node_endpoints, position = _read_many_node_endpoint_v10(buffer, position, count - 1)
                elif count:
                    message.node_endpoints = []
                else:
                    raise Malformed
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _write_partition_produce_response_v3(
    out: Pieces,
    message: ProduceResponsePartitionProduceResponse,
) -> None:
    current_leader = message._current_leader
    if current_leader is not None and (
        current_leader.leader_id != -1
        or current_leader.leader_epoch != -1
        or current_leader.unknown_tags
    ):
        raise Malformed
    out.append(_pack_ihqq(message.index, message.error_code, message.base_offset, message.log_append_time_ms))
    if message.unknown_tags:
        raise Malformed


def _write_topic_produce_response_v3(out: Pieces, message: ProduceResponseTopicProduceResponse) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partition_responses = message.partition_responses
    count = len(partition_responses)
    out.append(_pack_i(count))
    for partition_responses_item in partition_responses:
        _write_partition_produce_response_v3(out, partition_responses_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_topic_produce_response_v3(
    out: Pieces,
    message: ProduceResponseTopicProduceResponse,
) -> Steps[None]:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partition_responses = message.partition_responses
    count = len(partition_responses)
    out.append(_pack_i(count))
    for partition_responses_item in partition_responses:
        _write_partition_produce_response_v3(out, partition_responses_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v3(out: Pieces, message: ProduceResponse) -> None:
    if len(message.node_endpoints) != 0:
        raise Malformed
    responses = message.responses
    count = len(responses)
    out.append(_pack_i(count))
    for responses_item in responses:
        _write_topic_produce_response_v3(out, responses_item)
    out.append(_pack_i(message.throttle_time_ms))
    if message.unknown_tags:
        raise Malformed


def _step_write_v3(out: Pieces, message: ProduceResponse) -> Steps[None]:
    if len(message.node_endpoints) != 0:
        raise Malformed
    responses = message.responses
    count = len(responses)
    out.append(_pack_i(count))
    for responses_item in responses:
        yield from _step_write_topic_produce_response_v3(out, responses_item)
        yield
    out.append(_pack_i(message.throttle_time_ms))
    if message.unknown_tags:
        raise Malformed


def _write_partition_produce_response_v5(
    out: Pieces,
    message: ProduceResponsePartitionProduceResponse,
) -> None:
    current_leader = message._current_leader
    if current_leader is not None and (
        current_leader.leader_id != -1
        or current_leader.leader_epoch != -1
        or current_leader.unknown_tags
    ):
        raise Malformed
    out.append(_pack_ihqqq(
        message.index,
        message.error_code,
        message.base_offset,
        message.log_append_time_ms,
        message.log_start_offset,
    ))
    if message.unknown_tags:
        raise Malformed


def _write_topic_produce_response_v5(out: Pieces, message: ProduceResponseTopicProduceResponse) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partition_responses = message.partition_responses
    count = len(partition_responses)
    out.append(_pack_i(count))
    for partition_responses_item in partition_responses:
        _write_partition_produce_response_v5(out, partition_responses_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_topic_produce_response_v5(
    out: Pieces,
    message: ProduceResponseTopicProduceResponse,
) -> Steps[None]:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partition_responses = message.partition_responses
    count = len(partition_responses)
    out.append(_pack_i(count))
    for partition_responses_item in partition_responses:
        _write_partition_produce_response_v5(out, partition_responses_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v5(out: Pieces, message: ProduceResponse) -> None:
    if len(message.node_endpoints) != 0:
        raise Malformed
    responses = message.responses
    count = len(responses)
    out.append(_pack_i(count))
    for responses_item in responses:
        _write_topic_produce_response_v5(out, responses_item)
    out.append(_pack_i(message.throttle_time_ms))
    if message.unknown_tags:
        raise Malformed


def _step_write_v5(out: Pieces, message: ProduceResponse) -> Steps[None]:
    if len(message.node_endpoints) != 0:
        raise Malformed
    responses = message.responses
    count = len(responses)
    out.append(_pack_i(count))
    for responses_item in responses:
        yield from _step_write_topic_produce_response_v5(out, responses_item)
        yield
    out.append(_pack_i(message.throttle_time_ms))
    if message.unknown_tags:
        raise Malformed


def _write_batch_index_and_error_message_v8(
    out: Pieces,
    message: ProduceResponseBatchIndexAndErrorMessage,
) -> None:
    batch_index_error_message = message.batch_index_error_message
    if batch_index_error_message is None:
        data = b""
        length = -1
    else:
        data = batch_index_error_message.encode()
        length = len(data)
    out.append(_pack_ih(message.batch_index, length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_partition_produce_response_v8(
    out: Pieces,
    message: ProduceResponsePartitionProduceResponse,
) -> None:
    current_leader = message._current_leader
    if current_leader is not None and (
        current_leader.leader_id != -1
        or current_leader.leader_epoch != -1
        or current_leader.unknown_tags
    ):
        raise Malformed
    record_errors = message.record_errors
    count = len(record_errors)
    out.append(_pack_ihqqqi(
        message.index,
        message.error_code,
        message.base_offset,
        message.log_append_time_ms,
        message.log_start_offset,
        count,
    ))
    for record_errors_item in record_errors:
        _write_batch_index_and_error_message_v8(out, record_errors_item)
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = -1
    else:
        data = error_message.encode()
        length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _step_write_partition_produce_response_v8(
    out: Pieces,
    message: ProduceResponsePartitionProduceResponse,
) -> Steps[None]:
    current_leader = message._current_leader
    if current_leader is not None and (
        current_leader.leader_id != -1
        or current_leader.leader_epoch != -1
        or current_leader.unknown_tags
    ):
        raise Malformed
    record_errors = message.record_errors
    count = len(record_errors)
    out.append(_pack_ihqqqi(
        message.index,
        message.error_code,
        message.base_offset,
        message.log_append_time_ms,
        message.log_start_offset,
        count,
    ))
    for record_errors_item in record_errors:
        _write_batch_index_and_error_message_v8(out, record_errors_item)
        yield
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = -1
    else:
        data = error_message.encode()
        length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_topic_produce_response_v8(out: Pieces, message: ProduceResponseTopicProduceResponse) -> None:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partition_responses = message.partition_responses
    count = len(partition_responses)
    out.append(_pack_i(count))
    for partition_responses_item in partition_responses:
        _write_partition_produce_response_v8(out, partition_responses_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_topic_produce_response_v8(
    out: Pieces,
    message: ProduceResponseTopicProduceResponse,
) -> Steps[None]:
    name = message.name
    data = name.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partition_responses = message.partition_responses
    count = len(partition_responses)
    out.append(_pack_i(count))
    for partition_responses_item in partition_responses:
        yield from _step_write_partition_produce_response_v8(out, partition_responses_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v8(out: Pieces, message: ProduceResponse) -> None:
    if len(message.node_endpoints) != 0:
        raise Malformed
    responses = message.responses
    count = len(responses)
    out.append(_pack_i(count))
    for responses_item in responses:
        _write_topic_produce_response_v8(out, responses_item)
    out.append(_pack_i(message.throttle_time_ms))
    if message.unknown_tags:
        raise Malformed


def _step_write_v8(out: Pieces, message: ProduceResponse) -> Steps[None]:
    if len(message.node_endpoints) != 0:
        raise Malformed
    responses = message.responses
    count = len(responses)
    out.append(_pack_i(count))
    for responses_item in responses:
        yield from _step_write_topic_produce_response_v8(out, responses_item)
        yield
    out.append(_pack_i(message.throttle_time_ms))
    if message.unknown_tags:
        raise Malformed


def _write_batch_index_and_error_message_v9(
    out: Pieces,
    message: ProduceResponseBatchIndexAndErrorMessage,
) -> None:
    batch_index_error_message = message.batch_index_error_message
    if batch_index_error_message is None:
        data = b""
        length = 0
    else:
        data = batch_index_error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(_pack_iB(message.batch_index, length))
    else:
        out.append(_pack_i(message.batch_index))
        out.append(pack_string_length(length))
    out.append(data)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_partition_produce_response_v9(
    out: Pieces,
    message: ProduceResponsePartitionProduceResponse,
) -> None:
    current_leader = message._current_leader
    if current_leader is not None and (
        current_leader.leader_id != -1
        or current_leader.leader_epoch != -1
        or current_leader.unknown_tags
    ):
        raise Malformed
    record_errors = message.record_errors
    count = len(record_errors) + 1
    if count < 128:
        out.append(_pack_ihqqqB(
            message.index,
            message.error_code,
            message.base_offset,
            message.log_append_time_ms,
            message.log_start_offset,
            count,
        ))
    else:
        out.append(_pack_ihqqq(
            message.index,
            message.error_code,
            message.base_offset,
            message.log_append_time_ms,
            message.log_start_offset,
        ))
        out.append(pack_length(count))
    for record_errors_item in record_errors:
        _write_batch_index_and_error_message_v9(out, record_errors_item)
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
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


def _step_write_partition_produce_response_v9(
    out: Pieces,
    message: ProduceResponsePartitionProduceResponse,
) -> Steps[None]:
    current_leader = message._current_leader
    if current_leader is not None and (
        current_leader.leader_id != -1
        or current_leader.leader_epoch != -1
        or current_leader.unknown_tags
    ):
        raise Malformed
    record_errors = message.record_errors
    count = len(record_errors) + 1
    if count < 128:
        out.append(_pack_ihqqqB(
            message.index,
            message.error_code,
            message.base_offset,
            message.log_append_time_ms,
            message.log_start_offset,
            count,
        ))
    else:
        out.append(_pack_ihqqq(
            message.index,
            message.error_code,
            message.base_offset,
            message.log_append_time_ms,
            message.log_start_offset,
        ))
        out.append(pack_length(count))
    for record_errors_item in record_errors:
        _write_batch_index_and_error_message_v9(out, record_errors_item)
        yield
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
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


def _write_topic_produce_response_v9(out: Pieces, message: ProduceResponseTopicProduceResponse) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    partition_responses = message.partition_responses
    count = len(partition_responses) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for partition_responses_item in partition_responses:
        _write_partition_produce_response_v9(out, partition_responses_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_topic_produce_response_v9(
    out: Pieces,
    message: ProduceResponseTopicProduceResponse,
) -> Steps[None]:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    partition_responses = message.partition_responses
    count = len(partition_responses) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for partition_responses_item in partition_responses:
        yield from _step_write_partition_produce_response_v9(out, partition_responses_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v9(out: Pieces, message: ProduceResponse) -> None:
    if len(message.node_endpoints) != 0:
        raise Malformed
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for responses_item in responses:
        _write_topic_produce_response_v9(out, responses_item)
    if message.unknown_tags:
        out.append(_pack_i(message.throttle_time_ms))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.throttle_time_ms, 0))


def _step_write_v9(out: Pieces, message: ProduceResponse) -> Steps[None]:
    if len(message.node_endpoints) != 0:
        raise Malformed
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for responses_item in responses:
        yield from _step_write_topic_produce_response_v9(out, responses_item)
        yield
    if message.unknown_tags:
        out.append(_pack_i(message.throttle_time_ms))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iB(message.throttle_time_ms, 0))


def _write_leader_id_and_epoch_v10(out: Pieces, message: ProduceResponseLeaderIdAndEpoch) -> None:
    if message.unknown_tags:
        out.append(_pack_ii(message.leader_id, message.leader_epoch))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iiB(message.leader_id, message.leader_epoch, 0))


def _write_partition_produce_response_v10(
    out: Pieces,
    message: ProduceResponsePartitionProduceResponse,
) -> None:
    record_errors = message.record_errors
    count = len(record_errors) + 1
    if count < 128:
        out.append(_pack_ihqqqB(
            message.index,
            message.error_code,
            message.base_offset,
            message.log_append_time_ms,
            message.log_start_offset,
            count,
        ))
    else:
        out.append(_pack_ihqqq(
            message.index,
            message.error_code,
            message.base_offset,
            message.log_append_time_ms,
            message.log_start_offset,
        ))
        out.append(pack_length(count))
    for record_errors_item in record_errors:
        _write_batch_index_and_error_message_v9(out, record_errors_item)
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    tagged = []
    section: Pieces
    current_leader = message._current_leader
    if current_leader is not None and (
        current_leader.leader_id != -1
        or current_leader.leader_epoch != -1
        or current_leader.unknown_tags
    ):
        section = []
        _write_leader_id_and_epoch_v10(section, current_leader)
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_partition_produce_response_v10(
    out: Pieces,
    message: ProduceResponsePartitionProduceResponse,
) -> Steps[None]:
    record_errors = message.record_errors
    count = len(record_errors) + 1
    if count < 128:
        out.append(_pack_ihqqqB(
            message.index,
            message.error_code,
            message.base_offset,
            message.log_append_time_ms,
            message.log_start_offset,
            count,
        ))
    else:
        out.append(_pack_ihqqq(
            message.index,
            message.error_code,
            message.base_offset,
            message.log_append_time_ms,
            message.log_start_offset,
        ))
        out.append(pack_length(count))
    for record_errors_item in record_errors:
        _write_batch_index_and_error_message_v9(out, record_errors_item)
        yield
    error_message = message.error_message
    if error_message is None:
        data = b""
        length = 0
    else:
        data = error_message.encode()
        length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    tagged = []
    section: Pieces
    current_leader = message._current_leader
    if current_leader is not None and (
        current_leader.leader_id != -1
        or current_leader.leader_epoch != -1
        or current_leader.unknown_tags
    ):
        section = []
        _write_leader_id_and_epoch_v10(section, current_leader)
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topic_produce_response_v10(out: Pieces, message: ProduceResponseTopicProduceResponse) -> None:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    partition_responses = message.partition_responses
    count = len(partition_responses) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for partition_responses_item in partition_responses:
        _write_partition_produce_response_v10(out, partition_responses_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_topic_produce_response_v10(
    out: Pieces,
    message: ProduceResponseTopicProduceResponse,
) -> Steps[None]:
    name = message.name
    data = name.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    partition_responses = message.partition_responses
    count = len(partition_responses) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for partition_responses_item in partition_responses:
        yield from _step_write_partition_produce_response_v10(out, partition_responses_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_node_endpoint_v10(out: Pieces, message: ProduceResponseNodeEndpoint) -> None:
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


def _write_v10(out: Pieces, message: ProduceResponse) -> None:
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for responses_item in responses:
        _write_topic_produce_response_v10(out, responses_item)
    out.append(_pack_i(message.throttle_time_ms))
    tagged = []
    section: Pieces
    if len(message.node_endpoints) != 0:
        section = []
        node_endpoints = message.node_endpoints
        count = len(node_endpoints) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        for node_endpoints_item in node_endpoints:
            _write_node_endpoint_v10(section, node_endpoints_item)
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v10(out: Pieces, message: ProduceResponse) -> Steps[None]:
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for responses_item in responses:
        yield from _step_write_topic_produce_response_v10(out, responses_item)
        yield
    out.append(_pack_i(message.throttle_time_ms))
    tagged = []
    section: Pieces
    if len(message.node_endpoints) != 0:
        section = []
        node_endpoints = message.node_endpoints
        count = len(node_endpoints) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        for node_endpoints_item in node_endpoints:
            _write_node_endpoint_v10(section, node_endpoints_item)
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_topic_produce_response_v13(out: Pieces, message: ProduceResponseTopicProduceResponse) -> None:
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    partition_responses = message.partition_responses
    count = len(partition_responses) + 1
    if count < 128:
        out.append(_pack_uB(topic_id, count))
    else:
        out.append(topic_id)
        out.append(pack_length(count))
    for partition_responses_item in partition_responses:
        _write_partition_produce_response_v10(out, partition_responses_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_topic_produce_response_v13(
    out: Pieces,
    message: ProduceResponseTopicProduceResponse,
) -> Steps[None]:
    topic_id = message.topic_id
    if len(topic_id) != 16:
        raise Malformed
    partition_responses = message.partition_responses
    count = len(partition_responses) + 1
    if count < 128:
        out.append(_pack_uB(topic_id, count))
    else:
        out.append(topic_id)
        out.append(pack_length(count))
    for partition_responses_item in partition_responses:
        yield from _step_write_partition_produce_response_v10(out, partition_responses_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v13(out: Pieces, message: ProduceResponse) -> None:
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for responses_item in responses:
        _write_topic_produce_response_v13(out, responses_item)
    out.append(_pack_i(message.throttle_time_ms))
    tagged = []
    section: Pieces
    if len(message.node_endpoints) != 0:
        section = []
        node_endpoints = message.node_endpoints
        count = len(node_endpoints) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        for node_endpoints_item in node_endpoints:
            _write_node_endpoint_v10(section, node_endpoints_item)
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v13(out: Pieces, message: ProduceResponse) -> Steps[None]:
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for responses_item in responses:
        yield from _step_write_topic_produce_response_v13(out, responses_item)
        yield
    out.append(_pack_i(message.throttle_time_ms))
    tagged = []
    section: Pieces
    if len(message.node_endpoints) != 0:
        section = []
        node_endpoints = message.node_endpoints
        count = len(node_endpoints) + 1
        if count < 128:
            section.append(BYTES[count])
        else:
            section.append(pack_length(count))
        for node_endpoints_item in node_endpoints:
            _write_node_endpoint_v10(section, node_endpoints_item)
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v3,
    _read_v3,
    _read_v5,
    _read_v5,
    _read_v5,
    _read_v8,
    _read_v9,
    _read_v10,
    _read_v10,
    _read_v10,
    _read_v13,
)

_WRITERS = (
    _write_v3,
    _write_v3,
    _write_v5,
    _write_v5,
    _write_v5,
    _write_v8,
    _write_v9,
    _write_v10,
    _write_v10,
    _write_v10,
    _write_v13,
)

_STEP_WRITERS = (
    _step_write_v3,
    _step_write_v3,
    _step_write_v5,
    _step_write_v5,
    _step_write_v5,
    _step_write_v8,
    _step_write_v9,
    _step_write_v10,
    _step_write_v10,
    _step_write_v10,
    _step_write_v13,
)


@cache
def _schema() -> MessageSchema:
    batch_index_and_error_message_struct = StructSchema(
        python_class=ProduceResponseBatchIndexAndErrorMessage,
        fields=(
            FieldSchema(
                name="BatchIndex",
                attribute="batch_index",
                type="int32",
                versions=(8, 32767),
                default=0,
            ),
            FieldSchema(
                name="BatchIndexErrorMessage",
                attribute="batch_index_error_message",
                type="string",
                versions=(8, 32767),
                nullable=(8, 32767),
                default=None,
            ),
        ),
    )
    leader_id_and_epoch_struct = StructSchema(
        python_class=ProduceResponseLeaderIdAndEpoch,
        fields=(
            FieldSchema(
                name="LeaderId",
                attribute="leader_id",
                type="int32",
                versions=(10, 32767),
                default=-1,
            ),
            FieldSchema(
                name="LeaderEpoch",
                attribute="leader_epoch",
                type="int32",
                versions=(10, 32767),
                default=-1,
            ),
        ),
    )
    partition_produce_response_struct = StructSchema(
        python_class=ProduceResponsePartitionProduceResponse,
        fields=(
            FieldSchema(
                name="Index",
                attribute="index",
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
                name="BaseOffset",
                attribute="base_offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LogAppendTimeMs",
                attribute="log_append_time_ms",
                type="int64",
                versions=(2, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="LogStartOffset",
                attribute="log_start_offset",
                type="int64",
                versions=(5, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="RecordErrors",
                attribute="record_errors",
                type="BatchIndexAndErrorMessage",
                struct=batch_index_and_error_message_struct,
                array=True,
                versions=(8, 32767),
                default=Default.EMPTY_ARRAY,
                ignorable=True,
            ),
            FieldSchema(
                name="ErrorMessage",
                attribute="error_message",
                type="string",
                versions=(8, 32767),
                nullable=(8, 32767),
                default=None,
                ignorable=True,
            ),
            FieldSchema(
                name="CurrentLeader",
                attribute="current_leader",
                type="LeaderIdAndEpoch",
                struct=leader_id_and_epoch_struct,
                versions=(10, 32767),
                tagged=(10, 32767),
                tag=0,
                default=Default.EMPTY_STRUCT,
            ),
        ),
    )
    topic_produce_response_struct = StructSchema(
        python_class=ProduceResponseTopicProduceResponse,
        fields=(
            FieldSchema(
                name="Name",
                attribute="name",
                type="string",
                versions=(0, 12),
                default="",
                ignorable=True,
            ),
            FieldSchema(
                name="TopicId",
                attribute="topic_id",
                type="uuid",
                versions=(13, 32767),
                default=ZERO_UUID,
                ignorable=True,
            ),
            FieldSchema(
                name="PartitionResponses",
                attribute="partition_responses",
                type="PartitionProduceResponse",
                struct=partition_produce_response_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    node_endpoint_struct = StructSchema(
        python_class=ProduceResponseNodeEndpoint,
        fields=(
            FieldSchema(
                name="NodeId",
                attribute="node_id",
                type="int32",
                versions=(10, 32767),
                default=0,
            ),
            FieldSchema(
                name="Host",
                attribute="host",
                type="string",
                versions=(10, 32767),
                default="",
            ),
            FieldSchema(
                name="Port",
                attribute="port",
                type="int32",
                versions=(10, 32767),
                default=0,
            ),
            FieldSchema(
                name="Rack",
                attribute="rack",
                type="string",
                versions=(10, 32767),
                nullable=(10, 32767),
                default=None,
            ),
        ),
    )
    produce_response_struct = StructSchema(
        python_class=ProduceResponse,
        fields=(
            FieldSchema(
                name="Responses",
                attribute="responses",
                type="TopicProduceResponse",
                struct=topic_produce_response_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(1, 32767),
                default=0,
                ignorable=True,
            ),
            FieldSchema(
                name="NodeEndpoints",
                attribute="node_endpoints",
                type="NodeEndpoint",
                struct=node_endpoint_struct,
                array=True,
                versions=(10, 32767),
                tagged=(10, 32767),
                tag=0,
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="ProduceResponse", flexible_from=9, root=produce_response_struct)
