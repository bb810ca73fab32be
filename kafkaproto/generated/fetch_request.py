"""FetchRequest: versions 4-18, flexible from 12, api key 1.

Generated from api/FetchRequest.json by codegen; change the schema, not this file.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import ClassVar, TypeAlias

from kafkaproto.message import Message, Struct
from kafkaproto.schema import Default, FieldSchema, MessageSchema, StructSchema
from kafkaproto.support import (
    BYTES,
    ELEMENTS_A_STEP,
    EMPTY,
    PACK_INT32,
    TABLE_SIZE,
    UNPACK_INT32,
    Budget,
    Buffer,
    Malformed,
    Pieces,
    Steps,
    pack_length,
    pack_many,
    pack_string_length,
    read_long_length,
    read_pieces,
    read_string_length,
    read_tag_section,
    read_unknown_tags,
    unpack_many,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_u = struct.Struct(">16s").unpack_from
_unpack_uB = struct.Struct(">16sB").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iiibiiB = struct.Struct(">iiibiiB").unpack_from
_unpack_iiiibi = struct.Struct(">iiiibi").unpack_from
_unpack_iiiibiiB = struct.Struct(">iiiibiiB").unpack_from
_unpack_iiiibiii = struct.Struct(">iiiibiii").unpack_from
_unpack_iiqiqiB = struct.Struct(">iiqiqiB").unpack_from
_unpack_iiqqi = struct.Struct(">iiqqi").unpack_from
_unpack_iqB = struct.Struct(">iqB").unpack_from
_unpack_iqi = struct.Struct(">iqi").unpack_from
_unpack_iqqi = struct.Struct(">iqqi").unpack_from
_unpack_q = struct.Struct(">q").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_iiibii = struct.Struct(">iiibii").pack
_pack_iiibiiB = struct.Struct(">iiibiiB").pack
_pack_iiiibi = struct.Struct(">iiiibi").pack
_pack_iiiibii = struct.Struct(">iiiibii").pack
_pack_iiiibiiB = struct.Struct(">iiiibiiB").pack
_pack_iiiibiii = struct.Struct(">iiiibiii").pack
_pack_iiqiqi = struct.Struct(">iiqiqi").pack
_pack_iiqiqiB = struct.Struct(">iiqiqiB").pack
_pack_iiqqi = struct.Struct(">iiqqi").pack
_pack_iq = struct.Struct(">iq").pack
_pack_iqB = struct.Struct(">iqB").pack
_pack_iqi = struct.Struct(">iqi").pack
_pack_iqqi = struct.Struct(">iqqi").pack
_pack_q = struct.Struct(">q").pack


class FetchRequestReplicaState(Struct):
    """ReplicaState of FetchRequest."""

    __slots__ = ("replica_id", "replica_epoch", "unknown_tags")

    replica_id: int
    """Of a follower its node id, of a consumer -1. Versions 15+."""
    replica_epoch: int
    """Broker epoch of the follower, or -1. Versions 15+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        replica_id: int = -1,
        replica_epoch: int = -1,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.replica_id = replica_id
        self.replica_epoch = replica_epoch
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FetchRequestReplicaState)
            and self.replica_id == other.replica_id
            and self.replica_epoch == other.replica_epoch
            and self.unknown_tags == other.unknown_tags
        )



class FetchRequestFetchPartition(Struct):
    """FetchPartition of FetchRequest."""

    __slots__ = (
        "partition",
        "current_leader_epoch",
        "fetch_offset",
        "last_fetched_epoch",
        "log_start_offset",
        "partition_max_bytes",
        "replica_directory_id",
        "high_watermark",
        "unknown_tags",
    )

    partition: int
    """Versions 0+."""
    current_leader_epoch: int
    """Epoch that the sender believes the leader to be in, or -1. Versions 9+, dropped where a
    version lacks it.
    """
    fetch_offset: int
    """Versions 0+."""
    last_fetched_epoch: int
    """Epoch of the last record that the follower has; shows the leader a divergence. Versions 12+."""
    log_start_offset: int
    """Where the follower's log starts; -1 from consumers. Versions 5+, dropped where a version lacks
    it.
    """
    partition_max_bytes: int
    """Limit for this partition; the first batch is sent even if larger. Versions 0+."""
    replica_directory_id: bytes
    """Tells a voter from an observer with the same node id. Versions 17+, tag 0 in 17+, dropped
    where a version lacks it.
    """
    high_watermark: int
    """The one the follower knows; a leader that knows a higher one answers at once. Versions 18+,
    tag 1 in 18+, dropped where a version lacks it.
    """
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition: int = 0,
        current_leader_epoch: int = -1,
        fetch_offset: int = 0,
        last_fetched_epoch: int = -1,
        log_start_offset: int = -1,
        partition_max_bytes: int = 0,
        replica_directory_id: bytes = ZERO_UUID,
        high_watermark: int = 9223372036854775807,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition = partition
        self.current_leader_epoch = current_leader_epoch
        self.fetch_offset = fetch_offset
        self.last_fetched_epoch = last_fetched_epoch
        self.log_start_offset = log_start_offset
        self.partition_max_bytes = partition_max_bytes
        self.replica_directory_id = replica_directory_id
        self.high_watermark = high_watermark
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FetchRequestFetchPartition)
            and self.partition == other.partition
            and self.current_leader_epoch == other.current_leader_epoch
            and self.fetch_offset == other.fetch_offset
            and self.last_fetched_epoch == other.last_fetched_epoch
            and self.log_start_offset == other.log_start_offset
            and self.partition_max_bytes == other.partition_max_bytes
            and self.replica_directory_id == other.replica_directory_id
            and self.high_watermark == other.high_watermark
            and self.unknown_tags == other.unknown_tags
        )



class FetchRequestFetchTopic(Struct):
    """FetchTopic of FetchRequest."""

    __slots__ = ("topic", "topic_id", "partitions", "unknown_tags")

    topic: str
    """Versions 0-12, dropped where a version lacks it."""
    topic_id: bytes
    """Versions 13+, dropped where a version lacks it."""
    partitions: list[FetchRequestFetchPartition]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: list[FetchRequestFetchPartition] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FetchRequestFetchTopic)
            and self.topic == other.topic
            and self.topic_id == other.topic_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class FetchRequestForgottenTopic(Struct):
    """ForgottenTopic of FetchRequest."""

    __slots__ = ("topic", "topic_id", "partitions", "unknown_tags")

    topic: str
    """Versions 7-12, dropped where a version lacks it."""
    topic_id: bytes
    """Versions 13+, dropped where a version lacks it."""
    partitions: list[int]
    """Versions 7+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: list[int] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FetchRequestForgottenTopic)
            and self.topic == other.topic
            and self.topic_id == other.topic_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class FetchRequest(Message):
    """Request FetchRequest."""

    __slots__ = (
        "cluster_id",
        "replica_id",
        "_replica_state",
        "max_wait_ms",
        "min_bytes",
        "max_bytes",
        "isolation_level",
        "session_id",
        "session_epoch",
        "topics",
        "forgotten_topics_data",
        "rack_id",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "FetchRequest"
    TYPE: ClassVar[str] = "request"
    API_KEY: ClassVar[int | None] = 1
    MIN_VERSION: ClassVar[int] = 4
    MAX_VERSION: ClassVar[int] = 18
    FLEXIBLE_FROM: ClassVar[int | None] = 12
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ("broker", "controller",)
    ReplicaState: TypeAlias = FetchRequestReplicaState
    FetchPartition: TypeAlias = FetchRequestFetchPartition
    FetchTopic: TypeAlias = FetchRequestFetchTopic
    ForgottenTopic: TypeAlias = FetchRequestForgottenTopic

    cluster_id: str | None
    """Sent by replicas of the metadata log; if given, must be the receiver's. Versions 12+, null in
    12+, tag 0 in 12+, dropped where a version lacks it.
    """
    replica_id: int
    """Of a follower its node id, of a consumer -1. Versions 0-14."""
    _replica_state: FetchRequestReplicaState | None
    max_wait_ms: int
    """How long the answer may be held back while there is less than MinBytes. Versions 0+."""
    min_bytes: int
    """Versions 0+."""
    max_bytes: int
    """Limit of the whole answer; its first batch is sent even if larger. Versions 3+, dropped where
    a version lacks it.
    """
    isolation_level: int
    """0 read_uncommitted, 1 read_committed. Versions 4+, dropped where a version lacks it."""
    session_id: int
    """0 to begin a session or to do without. Versions 7+, dropped where a version lacks it."""
    session_epoch: int
    """-1 without a session, 0 to begin one, then counted up by one a request. Versions 7+, dropped
    where a version lacks it.
    """
    topics: list[FetchRequestFetchTopic]
    """Versions 0+."""
    forgotten_topics_data: list[FetchRequestForgottenTopic]
    """Partitions to drop from the session. Versions 7+."""
    rack_id: str
    """Rack of the consumer, for reading from a near replica. Versions 11+, dropped where a version
    lacks it.
    """
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        cluster_id: str | None = None,
        replica_id: int = -1,
        replica_state: FetchRequestReplicaState | None = None,
        max_wait_ms: int = 0,
        min_bytes: int = 0,
        max_bytes: int = 2147483647,
        isolation_level: int = 0,
        session_id: int = 0,
        session_epoch: int = -1,
        topics: list[FetchRequestFetchTopic] = EMPTY,
        forgotten_topics_data: list[FetchRequestForgottenTopic] = EMPTY,
        rack_id: str = "",
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.cluster_id = cluster_id
        self.replica_id = replica_id
        self._replica_state = replica_state
        self.max_wait_ms = max_wait_ms
        self.min_bytes = min_bytes
        self.max_bytes = max_bytes
        self.isolation_level = isolation_level
        self.session_id = session_id
        self.session_epoch = session_epoch
        self.topics = [] if topics is EMPTY else topics
        self.forgotten_topics_data = [] if forgotten_topics_data is EMPTY else forgotten_topics_data
        self.rack_id = rack_id
        self.unknown_tags = unknown_tags

    @property
    def replica_state(self) -> FetchRequestReplicaState:
        """Versions 15+, tag 1 in 15+."""
        if self._replica_state is None:
            self._replica_state = FetchRequestReplicaState()
        return self._replica_state

    @replica_state.setter
    def replica_state(self, value: FetchRequestReplicaState) -> None:
        self._replica_state = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FetchRequest)
            and self.cluster_id == other.cluster_id
            and self.replica_id == other.replica_id
            and self.replica_state == other.replica_state
            and self.max_wait_ms == other.max_wait_ms
            and self.min_bytes == other.min_bytes
            and self.max_bytes == other.max_bytes
            and self.isolation_level == other.isolation_level
            and self.session_id == other.session_id
            and self.session_epoch == other.session_epoch
            and self.topics == other.topics
            and self.forgotten_topics_data == other.forgotten_topics_data
            and self.rack_id == other.rack_id
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[FetchRequest, int]:
        return _READERS[version - 4](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 4](out, self)

    @staticmethod
    def _step_read(
        buffer: Buffer,
        position: int,
        version: int,
        budget: Budget,
    ) -> Steps[tuple[FetchRequest, int]] | None:
        read = _STEP_READERS[version - 4]
        return None if read is None else read(buffer, position, budget)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_fetch_partition_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchRequestFetchPartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestFetchPartition] = []
    for _ in range(size):
        message = FetchRequestFetchPartition.__new__(FetchRequestFetchPartition)
        message.partition, message.fetch_offset, message.partition_max_bytes = _unpack_iqi(buffer, position)
        position += 16
        message.current_leader_epoch = -1
        message.last_fetched_epoch = -1
        message.log_start_offset = -1
        message.replica_directory_id = ZERO_UUID
        message.high_watermark = 9223372036854775807
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_fetch_topic_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchRequestFetchTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestFetchTopic] = []
    for _ in range(size):
        message = FetchRequestFetchTopic.__new__(FetchRequestFetchTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.topic = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.partitions, position = _read_many_fetch_partition_v4(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_fetch_topic_v4(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[FetchRequestFetchTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestFetchTopic] = []
    for _ in range(size):
        message = FetchRequestFetchTopic.__new__(FetchRequestFetchTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.topic = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "FetchRequest.partitions")
        if count > 0:
            if count > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_fetch_partition_v4,
                    buffer,
                    position,
                    count,
                    budget,
                )
            else:
                message.partitions, position = _read_many_fetch_partition_v4(buffer, position, count)
                budget.take_tags(message.partitions)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_v4(buffer: Buffer, position: int) -> tuple[FetchRequest, int]:
    message = FetchRequest.__new__(FetchRequest)
    (
        message.replica_id,
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        count,
    ) = _unpack_iiiibi(buffer, position)
    position += 21
    if count > 0:
        message.topics, position = _read_many_fetch_topic_v4(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.cluster_id = None
    message._replica_state = None
    message.session_id = 0
    message.session_epoch = -1
    message.forgotten_topics_data = []
    message.rack_id = ""
    message.unknown_tags = None
    return message, position


def _step_v4(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[FetchRequest, int]]:
    message = FetchRequest.__new__(FetchRequest)
    (
        message.replica_id,
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        count,
    ) = _unpack_iiiibi(buffer, position)
    position += 21
    budget.take(count, "FetchRequest.topics")
    if count > 0:
        message.topics, position = yield from _step_many_fetch_topic_v4(buffer, position, count, budget)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.cluster_id = None
    message._replica_state = None
    message.session_id = 0
    message.session_epoch = -1
    message.forgotten_topics_data = []
    message.rack_id = ""
    message.unknown_tags = None
    return message, position


def _read_many_fetch_partition_v5(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchRequestFetchPartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestFetchPartition] = []
    for _ in range(size):
        message = FetchRequestFetchPartition.__new__(FetchRequestFetchPartition)
        (
            message.partition,
            message.fetch_offset,
            message.log_start_offset,
            message.partition_max_bytes,
        ) = _unpack_iqqi(buffer, position)
        position += 24
        message.current_leader_epoch = -1
        message.last_fetched_epoch = -1
        message.replica_directory_id = ZERO_UUID
        message.high_watermark = 9223372036854775807
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_fetch_topic_v5(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchRequestFetchTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestFetchTopic] = []
    for _ in range(size):
        message = FetchRequestFetchTopic.__new__(FetchRequestFetchTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.topic = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.partitions, position = _read_many_fetch_partition_v5(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_fetch_topic_v5(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[FetchRequestFetchTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestFetchTopic] = []
    for _ in range(size):
        message = FetchRequestFetchTopic.__new__(FetchRequestFetchTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.topic = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "FetchRequest.partitions")
        if count > 0:
            if count > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_fetch_partition_v5,
                    buffer,
                    position,
                    count,
                    budget,
                )
            else:
                message.partitions, position = _read_many_fetch_partition_v5(buffer, position, count)
                budget.take_tags(message.partitions)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_v5(buffer: Buffer, position: int) -> tuple[FetchRequest, int]:
    message = FetchRequest.__new__(FetchRequest)
    (
        message.replica_id,
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        count,
    ) = _unpack_iiiibi(buffer, position)
    position += 21
    if count > 0:
        message.topics, position = _read_many_fetch_topic_v5(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.cluster_id = None
    message._replica_state = None
    message.session_id = 0
    message.session_epoch = -1
    message.forgotten_topics_data = []
    message.rack_id = ""
    message.unknown_tags = None
    return message, position


def _step_v5(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[FetchRequest, int]]:
    message = FetchRequest.__new__(FetchRequest)
    (
        message.replica_id,
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        count,
    ) = _unpack_iiiibi(buffer, position)
    position += 21
    budget.take(count, "FetchRequest.topics")
    if count > 0:
        message.topics, position = yield from _step_many_fetch_topic_v5(buffer, position, count, budget)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    message.cluster_id = None
    message._replica_state = None
    message.session_id = 0
    message.session_epoch = -1
    message.forgotten_topics_data = []
    message.rack_id = ""
    message.unknown_tags = None
    return message, position


def _read_many_forgotten_topic_v7(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchRequestForgottenTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestForgottenTopic] = []
    for _ in range(size):
        message = FetchRequestForgottenTopic.__new__(FetchRequestForgottenTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.topic = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count < 0:
            raise Malformed
        if count < TABLE_SIZE:
            message.partitions = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.partitions = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_forgotten_topic_v7(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[FetchRequestForgottenTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestForgottenTopic] = []
    for _ in range(size):
        message = FetchRequestForgottenTopic.__new__(FetchRequestForgottenTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.topic = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "FetchRequest.partitions")
        if count < 0:
            raise Malformed
        if count < TABLE_SIZE:
            message.partitions = [*UNPACK_INT32[count](buffer, position)]
        else:
            message.partitions = unpack_many("i", 4, count, buffer, position)
        position += count * 4
        yield
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_v7(buffer: Buffer, position: int) -> tuple[FetchRequest, int]:
    message = FetchRequest.__new__(FetchRequest)
    (
        message.replica_id,
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        message.session_id,
        message.session_epoch,
        count,
    ) = _unpack_iiiibiii(buffer, position)
    position += 29
    if count > 0:
        message.topics, position = _read_many_fetch_topic_v5(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.forgotten_topics_data, position = _read_many_forgotten_topic_v7(buffer, position, count)
    elif not count:
        message.forgotten_topics_data = []
    else:
        raise Malformed
    message.cluster_id = None
    message._replica_state = None
    message.rack_id = ""
    message.unknown_tags = None
    return message, position


def _step_v7(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[FetchRequest, int]]:
    message = FetchRequest.__new__(FetchRequest)
    (
        message.replica_id,
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        message.session_id,
        message.session_epoch,
        count,
    ) = _unpack_iiiibiii(buffer, position)
    position += 29
    budget.take(count, "FetchRequest.topics")
    if count > 0:
        message.topics, position = yield from _step_many_fetch_topic_v5(buffer, position, count, budget)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "FetchRequest.forgotten_topics_data")
    if count > 0:
        message.forgotten_topics_data, position = yield from _step_many_forgotten_topic_v7(buffer, position, count, budget)
    elif not count:
        message.forgotten_topics_data = []
    else:
        raise Malformed
    message.cluster_id = None
    message._replica_state = None
    message.rack_id = ""
    message.unknown_tags = None
    return message, position


def _read_many_fetch_partition_v9(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchRequestFetchPartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestFetchPartition] = []
    for _ in range(size):
        message = FetchRequestFetchPartition.__new__(FetchRequestFetchPartition)
        (
            message.partition,
            message.current_leader_epoch,
            message.fetch_offset,
            message.log_start_offset,
            message.partition_max_bytes,
        ) = _unpack_iiqqi(buffer, position)
        position += 28
        message.last_fetched_epoch = -1
        message.replica_directory_id = ZERO_UUID
        message.high_watermark = 9223372036854775807
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_fetch_topic_v9(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchRequestFetchTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestFetchTopic] = []
    for _ in range(size):
        message = FetchRequestFetchTopic.__new__(FetchRequestFetchTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.topic = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        if count > 0:
            message.partitions, position = _read_many_fetch_partition_v9(buffer, position, count)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
    return found, position


def _step_many_fetch_topic_v9(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[FetchRequestFetchTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestFetchTopic] = []
    for _ in range(size):
        message = FetchRequestFetchTopic.__new__(FetchRequestFetchTopic)
        (length,) = _unpack_h(buffer, position)
        position += 2
        if length < 0:
            raise Malformed
        end = position + length
        message.topic = str(buffer[position:end], "utf-8")
        position = end
        (count,) = _unpack_i(buffer, position)
        position += 4
        budget.take(count, "FetchRequest.partitions")
        if count > 0:
            if count > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_fetch_partition_v9,
                    buffer,
                    position,
                    count,
                    budget,
                )
            else:
                message.partitions, position = _read_many_fetch_partition_v9(buffer, position, count)
                budget.take_tags(message.partitions)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
        yield
    return found, position


def _read_v9(buffer: Buffer, position: int) -> tuple[FetchRequest, int]:
    message = FetchRequest.__new__(FetchRequest)
    (
        message.replica_id,
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        message.session_id,
        message.session_epoch,
        count,
    ) = _unpack_iiiibiii(buffer, position)
    position += 29
    if count > 0:
        message.topics, position = _read_many_fetch_topic_v9(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.forgotten_topics_data, position = _read_many_forgotten_topic_v7(buffer, position, count)
    elif not count:
        message.forgotten_topics_data = []
    else:
        raise Malformed
    message.cluster_id = None
    message._replica_state = None
    message.rack_id = ""
    message.unknown_tags = None
    return message, position


def _step_v9(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[FetchRequest, int]]:
    message = FetchRequest.__new__(FetchRequest)
    (
        message.replica_id,
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        message.session_id,
        message.session_epoch,
        count,
    ) = _unpack_iiiibiii(buffer, position)
    position += 29
    budget.take(count, "FetchRequest.topics")
    if count > 0:
        message.topics, position = yield from _step_many_fetch_topic_v9(buffer, position, count, budget)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "FetchRequest.forgotten_topics_data")
    if count > 0:
        message.forgotten_topics_data, position = yield from _step_many_forgotten_topic_v7(buffer, position, count, budget)
    elif not count:
        message.forgotten_topics_data = []
    else:
        raise Malformed
    message.cluster_id = None
    message._replica_state = None
    message.rack_id = ""
    message.unknown_tags = None
    return message, position


def _read_v11(buffer: Buffer, position: int) -> tuple[FetchRequest, int]:
    message = FetchRequest.__new__(FetchRequest)
    (
        message.replica_id,
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        message.session_id,
        message.session_epoch,
        count,
    ) = _unpack_iiiibiii(buffer, position)
    position += 29
    if count > 0:
        message.topics, position = _read_many_fetch_topic_v9(buffer, position, count)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    (count,) = _unpack_i(buffer, position)
    position += 4
    if count > 0:
        message.forgotten_topics_data, position = _read_many_forgotten_topic_v7(buffer, position, count)
    elif not count:
        message.forgotten_topics_data = []
    else:
        raise Malformed
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.rack_id = str(buffer[position:end], "utf-8")
    position = end
    message.cluster_id = None
    message._replica_state = None
    message.unknown_tags = None
    return message, position


def _step_v11(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[FetchRequest, int]]:
    message = FetchRequest.__new__(FetchRequest)
    (
        message.replica_id,
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        message.session_id,
        message.session_epoch,
        count,
    ) = _unpack_iiiibiii(buffer, position)
    position += 29
    budget.take(count, "FetchRequest.topics")
    if count > 0:
        message.topics, position = yield from _step_many_fetch_topic_v9(buffer, position, count, budget)
    elif not count:
        message.topics = []
    else:
        raise Malformed
    (count,) = _unpack_i(buffer, position)
    position += 4
    budget.take(count, "FetchRequest.forgotten_topics_data")
    if count > 0:
        message.forgotten_topics_data, position = yield from _step_many_forgotten_topic_v7(buffer, position, count, budget)
    elif not count:
        message.forgotten_topics_data = []
    else:
        raise Malformed
    (length,) = _unpack_h(buffer, position)
    position += 2
    if length < 0:
        raise Malformed
    end = position + length
    message.rack_id = str(buffer[position:end], "utf-8")
    position = end
    message.cluster_id = None
    message._replica_state = None
    message.unknown_tags = None
    return message, position


def _read_many_fetch_partition_v12(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchRequestFetchPartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestFetchPartition] = []
    for _ in range(size):
        message = FetchRequestFetchPartition.__new__(FetchRequestFetchPartition)
        (
            message.partition,
            message.current_leader_epoch,
            message.fetch_offset,
            message.last_fetched_epoch,
            message.log_start_offset,
            message.partition_max_bytes,
            tags,
        ) = _unpack_iiqiqiB(buffer, position)
        position += 33
        message.replica_directory_id = ZERO_UUID
        message.high_watermark = 9223372036854775807
        message.unknown_tags = None
        if tags:
            sections, end_of_tags = read_tag_section(buffer, position - 1)
            for tag, position, stop in sections:
                if tag in (0, 1,):
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


def _read_many_fetch_topic_v12(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchRequestFetchTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestFetchTopic] = []
    for _ in range(size):
        message = FetchRequestFetchTopic.__new__(FetchRequestFetchTopic)
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
        if count > 1:
            message.partitions, position = _read_many_fetch_partition_v12(buffer, position, count - 1)
        elif count:
            message.partitions = []
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


def _step_many_fetch_topic_v12(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[FetchRequestFetchTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestFetchTopic] = []
    for _ in range(size):
        message = FetchRequestFetchTopic.__new__(FetchRequestFetchTopic)
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
        budget.take(count - 1, "FetchRequest.partitions")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_fetch_partition_v12,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.partitions, position = _read_many_fetch_partition_v12(buffer, position, count - 1)
                budget.take_tags(message.partitions)
        elif count:
            message.partitions = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_many_forgotten_topic_v12(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchRequestForgottenTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestForgottenTopic] = []
    for _ in range(size):
        message = FetchRequestForgottenTopic.__new__(FetchRequestForgottenTopic)
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
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_forgotten_topic_v12(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[FetchRequestForgottenTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestForgottenTopic] = []
    for _ in range(size):
        message = FetchRequestForgottenTopic.__new__(FetchRequestForgottenTopic)
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
        budget.take(count - 1, "FetchRequest.partitions")
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.partitions = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.partitions = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        yield
        tags = buffer[position]
        position += 1
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_v12(buffer: Buffer, position: int) -> tuple[FetchRequest, int]:
    message = FetchRequest.__new__(FetchRequest)
    (
        message.replica_id,
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        message.session_id,
        message.session_epoch,
        count,
    ) = _unpack_iiiibiiB(buffer, position)
    position += 26
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_fetch_topic_v12(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.forgotten_topics_data, position = _read_many_forgotten_topic_v12(buffer, position, count - 1)
    elif count:
        message.forgotten_topics_data = []
    else:
        raise Malformed
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.rack_id = str(buffer[position:end], "utf-8")
    position = end
    tags = buffer[position]
    position += 1
    message._replica_state = None
    message.cluster_id = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                length = buffer[position]
                position += 1
                if length > 127:
                    length, position = read_string_length(buffer, position, length)
                if not length:
                    message.cluster_id = None
                else:
                    end = position + length - 1
                    message.cluster_id = str(buffer[position:end], "utf-8")
                    position = end
            elif tag in (1,):
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


def _step_v12(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[FetchRequest, int]]:
    message = FetchRequest.__new__(FetchRequest)
    (
        message.replica_id,
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        message.session_id,
        message.session_epoch,
        count,
    ) = _unpack_iiiibiiB(buffer, position)
    position += 26
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "FetchRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_fetch_topic_v12(buffer, position, count - 1, budget)
    elif count:
        message.topics = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "FetchRequest.forgotten_topics_data")
    if count > 1:
        message.forgotten_topics_data, position = yield from _step_many_forgotten_topic_v12(buffer, position, count - 1, budget)
    elif count:
        message.forgotten_topics_data = []
    else:
        raise Malformed
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.rack_id = str(buffer[position:end], "utf-8")
    position = end
    tags = buffer[position]
    position += 1
    message._replica_state = None
    message.cluster_id = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                length = buffer[position]
                position += 1
                if length > 127:
                    length, position = read_string_length(buffer, position, length)
                if not length:
                    message.cluster_id = None
                else:
                    end = position + length - 1
                    message.cluster_id = str(buffer[position:end], "utf-8")
                    position = end
            elif tag in (1,):
                raise Malformed
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
        budget.take_tags((message,))
    return message, position


def _read_many_fetch_topic_v13(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchRequestFetchTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestFetchTopic] = []
    for _ in range(size):
        message = FetchRequestFetchTopic.__new__(FetchRequestFetchTopic)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_fetch_partition_v12(buffer, position, count - 1)
        elif count:
            message.partitions = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.topic = ""
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_fetch_topic_v13(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[FetchRequestFetchTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestFetchTopic] = []
    for _ in range(size):
        message = FetchRequestFetchTopic.__new__(FetchRequestFetchTopic)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "FetchRequest.partitions")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_fetch_partition_v12,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.partitions, position = _read_many_fetch_partition_v12(buffer, position, count - 1)
                budget.take_tags(message.partitions)
        elif count:
            message.partitions = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.topic = ""
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_many_forgotten_topic_v13(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchRequestForgottenTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestForgottenTopic] = []
    for _ in range(size):
        message = FetchRequestForgottenTopic.__new__(FetchRequestForgottenTopic)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
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
        message.topic = ""
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_forgotten_topic_v13(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[FetchRequestForgottenTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestForgottenTopic] = []
    for _ in range(size):
        message = FetchRequestForgottenTopic.__new__(FetchRequestForgottenTopic)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "FetchRequest.partitions")
        if not count:
            raise Malformed
        if count - 1 < TABLE_SIZE:
            message.partitions = [*UNPACK_INT32[count - 1](buffer, position)]
        else:
            message.partitions = unpack_many("i", 4, count - 1, buffer, position)
        position += count * 4 - 4
        yield
        tags = buffer[position]
        position += 1
        message.topic = ""
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_v13(buffer: Buffer, position: int) -> tuple[FetchRequest, int]:
    message = FetchRequest.__new__(FetchRequest)
    (
        message.replica_id,
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        message.session_id,
        message.session_epoch,
        count,
    ) = _unpack_iiiibiiB(buffer, position)
    position += 26
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_fetch_topic_v13(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.forgotten_topics_data, position = _read_many_forgotten_topic_v13(buffer, position, count - 1)
    elif count:
        message.forgotten_topics_data = []
    else:
        raise Malformed
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.rack_id = str(buffer[position:end], "utf-8")
    position = end
    tags = buffer[position]
    position += 1
    message._replica_state = None
    message.cluster_id = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                length = buffer[position]
                position += 1
                if length > 127:
                    length, position = read_string_length(buffer, position, length)
                if not length:
                    message.cluster_id = None
                else:
                    end = position + length - 1
                    message.cluster_id = str(buffer[position:end], "utf-8")
                    position = end
            elif tag in (1,):
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


def _step_v13(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[FetchRequest, int]]:
    message = FetchRequest.__new__(FetchRequest)
    (
        message.replica_id,
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        message.session_id,
        message.session_epoch,
        count,
    ) = _unpack_iiiibiiB(buffer, position)
    position += 26
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "FetchRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_fetch_topic_v13(buffer, position, count - 1, budget)
    elif count:
        message.topics = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "FetchRequest.forgotten_topics_data")
    if count > 1:
        message.forgotten_topics_data, position = yield from _step_many_forgotten_topic_v13(buffer, position, count - 1, budget)
    elif count:
        message.forgotten_topics_data = []
    else:
        raise Malformed
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.rack_id = str(buffer[position:end], "utf-8")
    position = end
    tags = buffer[position]
    position += 1
    message._replica_state = None
    message.cluster_id = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                length = buffer[position]
                position += 1
                if length > 127:
                    length, position = read_string_length(buffer, position, length)
                if not length:
                    message.cluster_id = None
                else:
                    end = position + length - 1
                    message.cluster_id = str(buffer[position:end], "utf-8")
                    position = end
            elif tag in (1,):
                raise Malformed
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
        budget.take_tags((message,))
    return message, position


def _read_replica_state_v15(buffer: Buffer, position: int) -> tuple[FetchRequestReplicaState, int]:
    message = FetchRequestReplicaState.__new__(FetchRequestReplicaState)
    message.replica_id, message.replica_epoch, tags = _unpack_iqB(buffer, position)
    position += 13
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_v15(buffer: Buffer, position: int) -> tuple[FetchRequest, int]:
    message = FetchRequest.__new__(FetchRequest)
    (
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        message.session_id,
        message.session_epoch,
        count,
    ) = _unpack_iiibiiB(buffer, position)
    position += 22
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_fetch_topic_v13(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.forgotten_topics_data, position = _read_many_forgotten_topic_v13(buffer, position, count - 1)
    elif count:
        message.forgotten_topics_data = []
    else:
        raise Malformed
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.rack_id = str(buffer[position:end], "utf-8")
    position = end
    tags = buffer[position]
    position += 1
    message.replica_id = -1
    message.cluster_id = None
    message._replica_state = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                length = buffer[position]
                position += 1
                if length > 127:
                    length, position = read_string_length(buffer, position, length)
                if not length:
                    message.cluster_id = None
                else:
                    end = position + length - 1
                    message.cluster_id = str(buffer[position:end], "utf-8")
                    position = end
            elif tag == 1:
                message._replica_state, position = _read_replica_state_v15(buffer, position)
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _step_v15(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[FetchRequest, int]]:
    message = FetchRequest.__new__(FetchRequest)
    (
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        message.session_id,
        message.session_epoch,
        count,
    ) = _unpack_iiibiiB(buffer, position)
    position += 22
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "FetchRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_fetch_topic_v13(buffer, position, count - 1, budget)
    elif count:
        message.topics = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "FetchRequest.forgotten_topics_data")
    if count > 1:
        message.forgotten_topics_data, position = yield from _step_many_forgotten_topic_v13(buffer, position, count - 1, budget)
    elif count:
        message.forgotten_topics_data = []
    else:
        raise Malformed
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.rack_id = str(buffer[position:end], "utf-8")
    position = end
    tags = buffer[position]
    position += 1
    message.replica_id = -1
    message.cluster_id = None
    message._replica_state = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                length = buffer[position]
                position += 1
                if length > 127:
                    length, position = read_string_length(buffer, position, length)
                if not length:
                    message.cluster_id = None
                else:
                    end = position + length - 1
                    message.cluster_id = str(buffer[position:end], "utf-8")
                    position = end
            elif tag == 1:
                message._replica_state, position = _read_replica_state_v15(buffer, position)
                budget.take_tags((message._replica_state,))
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
        budget.take_tags((message,))
    return message, position


def _read_many_fetch_partition_v17(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchRequestFetchPartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestFetchPartition] = []
    for _ in range(size):
        message = FetchRequestFetchPartition.__new__(FetchRequestFetchPartition)
        (
            message.partition,
            message.current_leader_epoch,
            message.fetch_offset,
            message.last_fetched_epoch,
            message.log_start_offset,
            message.partition_max_bytes,
            tags,
        ) = _unpack_iiqiqiB(buffer, position)
        position += 33
        message.high_watermark = 9223372036854775807
        message.replica_directory_id = ZERO_UUID
        message.unknown_tags = None
        if tags:
            sections, end_of_tags = read_tag_section(buffer, position - 1)
            for tag, position, stop in sections:
                if tag == 0:
                    (message.replica_directory_id,) = _unpack_u(buffer, position)
                    position += 16
                elif tag in (1,):
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


def _read_many_fetch_topic_v17(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchRequestFetchTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestFetchTopic] = []
    for _ in range(size):
        message = FetchRequestFetchTopic.__new__(FetchRequestFetchTopic)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_fetch_partition_v17(buffer, position, count - 1)
        elif count:
            message.partitions = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.topic = ""
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_fetch_topic_v17(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[FetchRequestFetchTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestFetchTopic] = []
    for _ in range(size):
        message = FetchRequestFetchTopic.__new__(FetchRequestFetchTopic)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "FetchRequest.partitions")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_fetch_partition_v17,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.partitions, position = _read_many_fetch_partition_v17(buffer, position, count - 1)
                budget.take_tags(message.partitions)
        elif count:
            message.partitions = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.topic = ""
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_v17(buffer: Buffer, position: int) -> tuple[FetchRequest, int]:
    message = FetchRequest.__new__(FetchRequest)
    (
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        message.session_id,
        message.session_epoch,
        count,
    ) = _unpack_iiibiiB(buffer, position)
    position += 22
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_fetch_topic_v17(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.forgotten_topics_data, position = _read_many_forgotten_topic_v13(buffer, position, count - 1)
    elif count:
        message.forgotten_topics_data = []
    else:
        raise Malformed
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.rack_id = str(buffer[position:end], "utf-8")
    position = end
    tags = buffer[position]
    position += 1
    message.replica_id = -1
    message.cluster_id = None
    message._replica_state = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                length = buffer[position]
                position += 1
                if length > 127:
                    length, position = read_string_length(buffer, position, length)
                if not length:
                    message.cluster_id = None
                else:
                    end = position + length - 1
                    message.cluster_id = str(buffer[position:end], "utf-8")
                    position = end
            elif tag == 1:
                message._replica_state, position = _read_replica_state_v15(buffer, position)
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _step_v17(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[FetchRequest, int]]:
    message = FetchRequest.__new__(FetchRequest)
    (
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        message.session_id,
        message.session_epoch,
        count,
    ) = _unpack_iiibiiB(buffer, position)
    position += 22
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "FetchRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_fetch_topic_v17(buffer, position, count - 1, budget)
    elif count:
        message.topics = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "FetchRequest.forgotten_topics_data")
    if count > 1:
        message.forgotten_topics_data, position = yield from _step_many_forgotten_topic_v13(buffer, position, count - 1, budget)
    elif count:
        message.forgotten_topics_data = []
    else:
        raise Malformed
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.rack_id = str(buffer[position:end], "utf-8")
    position = end
    tags = buffer[position]
    position += 1
    message.replica_id = -1
    message.cluster_id = None
    message._replica_state = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                length = buffer[position]
                position += 1
                if length > 127:
                    length, position = read_string_length(buffer, position, length)
                if not length:
                    message.cluster_id = None
                else:
                    end = position + length - 1
                    message.cluster_id = str(buffer[position:end], "utf-8")
                    position = end
            elif tag == 1:
                message._replica_state, position = _read_replica_state_v15(buffer, position)
                budget.take_tags((message._replica_state,))
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
        budget.take_tags((message,))
    return message, position


def _read_many_fetch_partition_v18(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchRequestFetchPartition], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestFetchPartition] = []
    for _ in range(size):
        message = FetchRequestFetchPartition.__new__(FetchRequestFetchPartition)
        (
            message.partition,
            message.current_leader_epoch,
            message.fetch_offset,
            message.last_fetched_epoch,
            message.log_start_offset,
            message.partition_max_bytes,
            tags,
        ) = _unpack_iiqiqiB(buffer, position)
        position += 33
        message.replica_directory_id = ZERO_UUID
        message.high_watermark = 9223372036854775807
        message.unknown_tags = None
        if tags:
            sections, end_of_tags = read_tag_section(buffer, position - 1)
            for tag, position, stop in sections:
                if tag == 0:
                    (message.replica_directory_id,) = _unpack_u(buffer, position)
                    position += 16
                elif tag == 1:
                    (message.high_watermark,) = _unpack_q(buffer, position)
                    position += 8
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


def _read_many_fetch_topic_v18(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchRequestFetchTopic], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestFetchTopic] = []
    for _ in range(size):
        message = FetchRequestFetchTopic.__new__(FetchRequestFetchTopic)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_fetch_partition_v18(buffer, position, count - 1)
        elif count:
            message.partitions = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.topic = ""
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _step_many_fetch_topic_v18(
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
) -> Steps[tuple[list[FetchRequestFetchTopic], int]]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchRequestFetchTopic] = []
    for _ in range(size):
        message = FetchRequestFetchTopic.__new__(FetchRequestFetchTopic)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        budget.take(count - 1, "FetchRequest.partitions")
        if count > 1:
            if count - 1 > ELEMENTS_A_STEP:
                message.partitions, position = yield from read_pieces(
                    _read_many_fetch_partition_v18,
                    buffer,
                    position,
                    count - 1,
                    budget,
                )
            else:
                message.partitions, position = _read_many_fetch_partition_v18(buffer, position, count - 1)
                budget.take_tags(message.partitions)
        elif count:
            message.partitions = []
        else:
            raise Malformed
        tags = buffer[position]
        position += 1
        message.topic = ""
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
            budget.take_tags((message,))
        found.append(message)
        yield
    return found, position


def _read_v18(buffer: Buffer, position: int) -> tuple[FetchRequest, int]:
    message = FetchRequest.__new__(FetchRequest)
    (
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        message.session_id,
        message.session_epoch,
        count,
    ) = _unpack_iiibiiB(buffer, position)
    position += 22
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.topics, position = _read_many_fetch_topic_v18(buffer, position, count - 1)
    elif count:
        message.topics = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.forgotten_topics_data, position = _read_many_forgotten_topic_v13(buffer, position, count - 1)
    elif count:
        message.forgotten_topics_data = []
    else:
        raise Malformed
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.rack_id = str(buffer[position:end], "utf-8")
    position = end
    tags = buffer[position]
    position += 1
    message.replica_id = -1
    message.cluster_id = None
    message._replica_state = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                length = buffer[position]
                position += 1
                if length > 127:
                    length, position = read_string_length(buffer, position, length)
                if not length:
                    message.cluster_id = None
                else:
                    end = position + length - 1
                    message.cluster_id = str(buffer[position:end], "utf-8")
                    position = end
            elif tag == 1:
                message._replica_state, position = _read_replica_state_v15(buffer, position)
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
    return message, position


def _step_v18(buffer: Buffer, position: int, budget: Budget) -> Steps[tuple[FetchRequest, int]]:
    message = FetchRequest.__new__(FetchRequest)
    (
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        message.session_id,
        message.session_epoch,
        count,
    ) = _unpack_iiibiiB(buffer, position)
    position += 22
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "FetchRequest.topics")
    if count > 1:
        message.topics, position = yield from _step_many_fetch_topic_v18(buffer, position, count - 1, budget)
    elif count:
        message.topics = []
    else:
        raise Malformed
    count = buffer[position]
    position += 1
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    budget.take(count - 1, "FetchRequest.forgotten_topics_data")
    if count > 1:
        message.forgotten_topics_data, position = yield from _step_many_forgotten_topic_v13(buffer, position, count - 1, budget)
    elif count:
        message.forgotten_topics_data = []
    else:
        raise Malformed
    length = buffer[position]
    position += 1
    if length > 127:
        length, position = read_string_length(buffer, position, length)
    if not length:
        raise Malformed
    end = position + length - 1
    message.rack_id = str(buffer[position:end], "utf-8")
    position = end
    tags = buffer[position]
    position += 1
    message.replica_id = -1
    message.cluster_id = None
    message._replica_state = None
    message.unknown_tags = None
    if tags:
        sections, end_of_tags = read_tag_section(buffer, position - 1)
        for tag, position, stop in sections:
            if tag == 0:
                length = buffer[position]
                position += 1
                if length > 127:
                    length, position = read_string_length(buffer, position, length)
                if not length:
                    message.cluster_id = None
                else:
                    end = position + length - 1
                    message.cluster_id = str(buffer[position:end], "utf-8")
                    position = end
            elif tag == 1:
                message._replica_state, position = _read_replica_state_v15(buffer, position)
                budget.take_tags((message._replica_state,))
            else:
                if message.unknown_tags is None:
                    message.unknown_tags = {}
                message.unknown_tags[tag] = bytes(buffer[position:stop])
                position = stop
            if position != stop:
                raise Malformed
        position = end_of_tags
        budget.take_tags((message,))
    return message, position


def _write_fetch_partition_v4(out: Pieces, message: FetchRequestFetchPartition) -> None:
    if message.last_fetched_epoch != -1:
        raise Malformed
    out.append(_pack_iqi(message.partition, message.fetch_offset, message.partition_max_bytes))
    if message.unknown_tags:
        raise Malformed


def _write_fetch_topic_v4(out: Pieces, message: FetchRequestFetchTopic) -> None:
    topic = message.topic
    data = topic.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_fetch_partition_v4(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _write_v4(out: Pieces, message: FetchRequest) -> None:
    replica_state = message._replica_state
    if replica_state is not None and (
        replica_state.replica_id != -1
        or replica_state.replica_epoch != -1
        or replica_state.unknown_tags
    ):
        raise Malformed
    if len(message.forgotten_topics_data) != 0:
        raise Malformed
    topics = message.topics
    count = len(topics)
    out.append(_pack_iiiibi(
        message.replica_id,
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        count,
    ))
    for topics_item in topics:
        _write_fetch_topic_v4(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _write_fetch_partition_v5(out: Pieces, message: FetchRequestFetchPartition) -> None:
    if message.last_fetched_epoch != -1:
        raise Malformed
    out.append(_pack_iqqi(
        message.partition,
        message.fetch_offset,
        message.log_start_offset,
        message.partition_max_bytes,
    ))
    if message.unknown_tags:
        raise Malformed


def _write_fetch_topic_v5(out: Pieces, message: FetchRequestFetchTopic) -> None:
    topic = message.topic
    data = topic.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_fetch_partition_v5(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _write_v5(out: Pieces, message: FetchRequest) -> None:
    replica_state = message._replica_state
    if replica_state is not None and (
        replica_state.replica_id != -1
        or replica_state.replica_epoch != -1
        or replica_state.unknown_tags
    ):
        raise Malformed
    if len(message.forgotten_topics_data) != 0:
        raise Malformed
    topics = message.topics
    count = len(topics)
    out.append(_pack_iiiibi(
        message.replica_id,
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        count,
    ))
    for topics_item in topics:
        _write_fetch_topic_v5(out, topics_item)
    if message.unknown_tags:
        raise Malformed


def _write_forgotten_topic_v7(out: Pieces, message: FetchRequestForgottenTopic) -> None:
    topic = message.topic
    data = topic.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    if len(partitions) < TABLE_SIZE:
        out.append(PACK_INT32[len(partitions)](*partitions))
    else:
        out.append(pack_many("i", partitions))
    if message.unknown_tags:
        raise Malformed


def _write_v7(out: Pieces, message: FetchRequest) -> None:
    replica_state = message._replica_state
    if replica_state is not None and (
        replica_state.replica_id != -1
        or replica_state.replica_epoch != -1
        or replica_state.unknown_tags
    ):
        raise Malformed
    topics = message.topics
    count = len(topics)
    out.append(_pack_iiiibiii(
        message.replica_id,
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        message.session_id,
        message.session_epoch,
        count,
    ))
    for topics_item in topics:
        _write_fetch_topic_v5(out, topics_item)
    forgotten_topics_data = message.forgotten_topics_data
    count = len(forgotten_topics_data)
    out.append(_pack_i(count))
    for forgotten_topics_data_item in forgotten_topics_data:
        _write_forgotten_topic_v7(out, forgotten_topics_data_item)
    if message.unknown_tags:
        raise Malformed


def _write_fetch_partition_v9(out: Pieces, message: FetchRequestFetchPartition) -> None:
    if message.last_fetched_epoch != -1:
        raise Malformed
    out.append(_pack_iiqqi(
        message.partition,
        message.current_leader_epoch,
        message.fetch_offset,
        message.log_start_offset,
        message.partition_max_bytes,
    ))
    if message.unknown_tags:
        raise Malformed


def _write_fetch_topic_v9(out: Pieces, message: FetchRequestFetchTopic) -> None:
    topic = message.topic
    data = topic.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_fetch_partition_v9(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _write_v9(out: Pieces, message: FetchRequest) -> None:
    replica_state = message._replica_state
    if replica_state is not None and (
        replica_state.replica_id != -1
        or replica_state.replica_epoch != -1
        or replica_state.unknown_tags
    ):
        raise Malformed
    topics = message.topics
    count = len(topics)
    out.append(_pack_iiiibiii(
        message.replica_id,
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        message.session_id,
        message.session_epoch,
        count,
    ))
    for topics_item in topics:
        _write_fetch_topic_v9(out, topics_item)
    forgotten_topics_data = message.forgotten_topics_data
    count = len(forgotten_topics_data)
    out.append(_pack_i(count))
    for forgotten_topics_data_item in forgotten_topics_data:
        _write_forgotten_topic_v7(out, forgotten_topics_data_item)
    if message.unknown_tags:
        raise Malformed


def _write_v11(out: Pieces, message: FetchRequest) -> None:
    replica_state = message._replica_state
    if replica_state is not None and (
        replica_state.replica_id != -1
        or replica_state.replica_epoch != -1
        or replica_state.unknown_tags
    ):
        raise Malformed
    topics = message.topics
    count = len(topics)
    out.append(_pack_iiiibiii(
        message.replica_id,
        message.max_wait_ms,
        message.min_bytes,
        message.max_bytes,
        message.isolation_level,
        message.session_id,
        message.session_epoch,
        count,
    ))
    for topics_item in topics:
        _write_fetch_topic_v9(out, topics_item)
    forgotten_topics_data = message.forgotten_topics_data
    count = len(forgotten_topics_data)
    out.append(_pack_i(count))
    for forgotten_topics_data_item in forgotten_topics_data:
        _write_forgotten_topic_v7(out, forgotten_topics_data_item)
    rack_id = message.rack_id
    data = rack_id.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    if message.unknown_tags:
        raise Malformed


def _write_fetch_partition_v12(out: Pieces, message: FetchRequestFetchPartition) -> None:
    if message.unknown_tags:
        out.append(_pack_iiqiqi(
            message.partition,
            message.current_leader_epoch,
            message.fetch_offset,
            message.last_fetched_epoch,
            message.log_start_offset,
            message.partition_max_bytes,
        ))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iiqiqiB(
            message.partition,
            message.current_leader_epoch,
            message.fetch_offset,
            message.last_fetched_epoch,
            message.log_start_offset,
            message.partition_max_bytes,
            0,
        ))


def _write_fetch_topic_v12(out: Pieces, message: FetchRequestFetchTopic) -> None:
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
    for partitions_item in partitions:
        _write_fetch_partition_v12(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_forgotten_topic_v12(out: Pieces, message: FetchRequestForgottenTopic) -> None:
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


def _write_v12(out: Pieces, message: FetchRequest) -> None:
    replica_state = message._replica_state
    if replica_state is not None and (
        replica_state.replica_id != -1
        or replica_state.replica_epoch != -1
        or replica_state.unknown_tags
    ):
        raise Malformed
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iiiibiiB(
            message.replica_id,
            message.max_wait_ms,
            message.min_bytes,
            message.max_bytes,
            message.isolation_level,
            message.session_id,
            message.session_epoch,
            count,
        ))
    else:
        out.append(_pack_iiiibii(
            message.replica_id,
            message.max_wait_ms,
            message.min_bytes,
            message.max_bytes,
            message.isolation_level,
            message.session_id,
            message.session_epoch,
        ))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_fetch_topic_v12(out, topics_item)
    forgotten_topics_data = message.forgotten_topics_data
    count = len(forgotten_topics_data) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for forgotten_topics_data_item in forgotten_topics_data:
        _write_forgotten_topic_v12(out, forgotten_topics_data_item)
    rack_id = message.rack_id
    data = rack_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    tagged = []
    section: Pieces
    if message.cluster_id is not None:
        section = []
        cluster_id = message.cluster_id
        if cluster_id is None:
            data = b""
            length = 0
        else:
            data = cluster_id.encode()
            length = len(data) + 1
        if length < 128:
            section.append(BYTES[length])
        else:
            section.append(pack_string_length(length))
        section.append(data)
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_fetch_topic_v13(out: Pieces, message: FetchRequestFetchTopic) -> None:
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
        _write_fetch_partition_v12(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_forgotten_topic_v13(out: Pieces, message: FetchRequestForgottenTopic) -> None:
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
    if len(partitions) < TABLE_SIZE:
        out.append(PACK_INT32[len(partitions)](*partitions))
    else:
        out.append(pack_many("i", partitions))
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v13(out: Pieces, message: FetchRequest) -> None:
    replica_state = message._replica_state
    if replica_state is not None and (
        replica_state.replica_id != -1
        or replica_state.replica_epoch != -1
        or replica_state.unknown_tags
    ):
        raise Malformed
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iiiibiiB(
            message.replica_id,
            message.max_wait_ms,
            message.min_bytes,
            message.max_bytes,
            message.isolation_level,
            message.session_id,
            message.session_epoch,
            count,
        ))
    else:
        out.append(_pack_iiiibii(
            message.replica_id,
            message.max_wait_ms,
            message.min_bytes,
            message.max_bytes,
            message.isolation_level,
            message.session_id,
            message.session_epoch,
        ))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_fetch_topic_v13(out, topics_item)
    forgotten_topics_data = message.forgotten_topics_data
    count = len(forgotten_topics_data) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for forgotten_topics_data_item in forgotten_topics_data:
        _write_forgotten_topic_v13(out, forgotten_topics_data_item)
    rack_id = message.rack_id
    data = rack_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    tagged = []
    section: Pieces
    if message.cluster_id is not None:
        section = []
        cluster_id = message.cluster_id
        if cluster_id is None:
            data = b""
            length = 0
        else:
            data = cluster_id.encode()
            length = len(data) + 1
        if length < 128:
            section.append(BYTES[length])
        else:
            section.append(pack_string_length(length))
        section.append(data)
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_replica_state_v15(out: Pieces, message: FetchRequestReplicaState) -> None:
    if message.unknown_tags:
        out.append(_pack_iq(message.replica_id, message.replica_epoch))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iqB(message.replica_id, message.replica_epoch, 0))


def _write_v15(out: Pieces, message: FetchRequest) -> None:
    if message.replica_id != -1:
        raise Malformed
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iiibiiB(
            message.max_wait_ms,
            message.min_bytes,
            message.max_bytes,
            message.isolation_level,
            message.session_id,
            message.session_epoch,
            count,
        ))
    else:
        out.append(_pack_iiibii(
            message.max_wait_ms,
            message.min_bytes,
            message.max_bytes,
            message.isolation_level,
            message.session_id,
            message.session_epoch,
        ))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_fetch_topic_v13(out, topics_item)
    forgotten_topics_data = message.forgotten_topics_data
    count = len(forgotten_topics_data) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for forgotten_topics_data_item in forgotten_topics_data:
        _write_forgotten_topic_v13(out, forgotten_topics_data_item)
    rack_id = message.rack_id
    data = rack_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    tagged = []
    section: Pieces
    if message.cluster_id is not None:
        section = []
        cluster_id = message.cluster_id
        if cluster_id is None:
            data = b""
            length = 0
        else:
            data = cluster_id.encode()
            length = len(data) + 1
        if length < 128:
            section.append(BYTES[length])
        else:
            section.append(pack_string_length(length))
        section.append(data)
        tagged.append((0, b"".join(section)))
    replica_state = message._replica_state
    if replica_state is not None and (
        replica_state.replica_id != -1
        or replica_state.replica_epoch != -1
        or replica_state.unknown_tags
    ):
        section = []
        _write_replica_state_v15(section, replica_state)
        tagged.append((1, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_fetch_partition_v17(out: Pieces, message: FetchRequestFetchPartition) -> None:
    out.append(_pack_iiqiqi(
        message.partition,
        message.current_leader_epoch,
        message.fetch_offset,
        message.last_fetched_epoch,
        message.log_start_offset,
        message.partition_max_bytes,
    ))
    tagged = []
    section: Pieces
    if message.replica_directory_id != ZERO_UUID:
        section = []
        replica_directory_id = message.replica_directory_id
        if len(replica_directory_id) != 16:
            raise Malformed
        section.append(replica_directory_id)
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_fetch_topic_v17(out: Pieces, message: FetchRequestFetchTopic) -> None:
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
        _write_fetch_partition_v17(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v17(out: Pieces, message: FetchRequest) -> None:
    if message.replica_id != -1:
        raise Malformed
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iiibiiB(
            message.max_wait_ms,
            message.min_bytes,
            message.max_bytes,
            message.isolation_level,
            message.session_id,
            message.session_epoch,
            count,
        ))
    else:
        out.append(_pack_iiibii(
            message.max_wait_ms,
            message.min_bytes,
            message.max_bytes,
            message.isolation_level,
            message.session_id,
            message.session_epoch,
        ))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_fetch_topic_v17(out, topics_item)
    forgotten_topics_data = message.forgotten_topics_data
    count = len(forgotten_topics_data) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for forgotten_topics_data_item in forgotten_topics_data:
        _write_forgotten_topic_v13(out, forgotten_topics_data_item)
    rack_id = message.rack_id
    data = rack_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    tagged = []
    section: Pieces
    if message.cluster_id is not None:
        section = []
        cluster_id = message.cluster_id
        if cluster_id is None:
            data = b""
            length = 0
        else:
            data = cluster_id.encode()
            length = len(data) + 1
        if length < 128:
            section.append(BYTES[length])
        else:
            section.append(pack_string_length(length))
        section.append(data)
        tagged.append((0, b"".join(section)))
    replica_state = message._replica_state
    if replica_state is not None and (
        replica_state.replica_id != -1
        or replica_state.replica_epoch != -1
        or replica_state.unknown_tags
    ):
        section = []
        _write_replica_state_v15(section, replica_state)
        tagged.append((1, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_fetch_partition_v18(out: Pieces, message: FetchRequestFetchPartition) -> None:
    out.append(_pack_iiqiqi(
        message.partition,
        message.current_leader_epoch,
        message.fetch_offset,
        message.last_fetched_epoch,
        message.log_start_offset,
        message.partition_max_bytes,
    ))
    tagged = []
    section: Pieces
    if message.replica_directory_id != ZERO_UUID:
        section = []
        replica_directory_id = message.replica_directory_id
        if len(replica_directory_id) != 16:
            raise Malformed
        section.append(replica_directory_id)
        tagged.append((0, b"".join(section)))
    if message.high_watermark != 9223372036854775807:
        section = []
        section.append(_pack_q(message.high_watermark))
        tagged.append((1, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_fetch_topic_v18(out: Pieces, message: FetchRequestFetchTopic) -> None:
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
        _write_fetch_partition_v18(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v18(out: Pieces, message: FetchRequest) -> None:
    if message.replica_id != -1:
        raise Malformed
    topics = message.topics
    count = len(topics) + 1
    if count < 128:
        out.append(_pack_iiibiiB(
            message.max_wait_ms,
            message.min_bytes,
            message.max_bytes,
            message.isolation_level,
            message.session_id,
            message.session_epoch,
            count,
        ))
    else:
        out.append(_pack_iiibii(
            message.max_wait_ms,
            message.min_bytes,
            message.max_bytes,
            message.isolation_level,
            message.session_id,
            message.session_epoch,
        ))
        out.append(pack_length(count))
    for topics_item in topics:
        _write_fetch_topic_v18(out, topics_item)
    forgotten_topics_data = message.forgotten_topics_data
    count = len(forgotten_topics_data) + 1
    if count < 128:
        out.append(BYTES[count])
    else:
        out.append(pack_length(count))
    for forgotten_topics_data_item in forgotten_topics_data:
        _write_forgotten_topic_v13(out, forgotten_topics_data_item)
    rack_id = message.rack_id
    data = rack_id.encode()
    length = len(data) + 1
    if length < 128:
        out.append(BYTES[length])
    else:
        out.append(pack_string_length(length))
    out.append(data)
    tagged = []
    section: Pieces
    if message.cluster_id is not None:
        section = []
        cluster_id = message.cluster_id
        if cluster_id is None:
            data = b""
            length = 0
        else:
            data = cluster_id.encode()
            length = len(data) + 1
        if length < 128:
            section.append(BYTES[length])
        else:
            section.append(pack_string_length(length))
        section.append(data)
        tagged.append((0, b"".join(section)))
    replica_state = message._replica_state
    if replica_state is not None and (
        replica_state.replica_id != -1
        or replica_state.replica_epoch != -1
        or replica_state.unknown_tags
    ):
        section = []
        _write_replica_state_v15(section, replica_state)
        tagged.append((1, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


_READERS = (
    _read_v4,
    _read_v5,
    _read_v5,
    _read_v7,
    _read_v7,
    _read_v9,
    _read_v9,
    _read_v11,
    _read_v12,
    _read_v13,
    _read_v13,
    _read_v15,
    _read_v15,
    _read_v17,
    _read_v18,
)

_WRITERS = (
    _write_v4,
    _write_v5,
    _write_v5,
    _write_v7,
    _write_v7,
    _write_v9,
    _write_v9,
    _write_v11,
    _write_v12,
    _write_v13,
    _write_v13,
    _write_v15,
    _write_v15,
    _write_v17,
    _write_v18,
)

_STEP_READERS = (
    _step_v4,
    _step_v5,
    _step_v5,
    _step_v7,
    _step_v7,
    _step_v9,
    _step_v9,
    _step_v11,
    _step_v12,
    _step_v13,
    _step_v13,
    _step_v15,
    _step_v15,
    _step_v17,
    _step_v18,
)


@cache
def _schema() -> MessageSchema:
    replica_state_struct = StructSchema(
        python_class=FetchRequestReplicaState,
        fields=(
            FieldSchema(
                name="ReplicaId",
                attribute="replica_id",
                type="int32",
                versions=(15, 32767),
                default=-1,
            ),
            FieldSchema(
                name="ReplicaEpoch",
                attribute="replica_epoch",
                type="int64",
                versions=(15, 32767),
                default=-1,
            ),
        ),
    )
    fetch_partition_struct = StructSchema(
        python_class=FetchRequestFetchPartition,
        fields=(
            FieldSchema(
                name="Partition",
                attribute="partition",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="CurrentLeaderEpoch",
                attribute="current_leader_epoch",
                type="int32",
                versions=(9, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="FetchOffset",
                attribute="fetch_offset",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LastFetchedEpoch",
                attribute="last_fetched_epoch",
                type="int32",
                versions=(12, 32767),
                default=-1,
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
                name="PartitionMaxBytes",
                attribute="partition_max_bytes",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="ReplicaDirectoryId",
                attribute="replica_directory_id",
                type="uuid",
                versions=(17, 32767),
                tagged=(17, 32767),
                tag=0,
                default=ZERO_UUID,
                ignorable=True,
            ),
            FieldSchema(
                name="HighWatermark",
                attribute="high_watermark",
                type="int64",
                versions=(18, 32767),
                tagged=(18, 32767),
                tag=1,
                default=9223372036854775807,
                ignorable=True,
            ),
        ),
    )
    fetch_topic_struct = StructSchema(
        python_class=FetchRequestFetchTopic,
        fields=(
            FieldSchema(
                name="Topic",
                attribute="topic",
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
                name="Partitions",
                attribute="partitions",
                type="FetchPartition",
                struct=fetch_partition_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    forgotten_topic_struct = StructSchema(
        python_class=FetchRequestForgottenTopic,
        fields=(
            FieldSchema(
                name="Topic",
                attribute="topic",
                type="string",
                versions=(7, 12),
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
                name="Partitions",
                attribute="partitions",
                type="int32",
                array=True,
                versions=(7, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    fetch_request_struct = StructSchema(
        python_class=FetchRequest,
        fields=(
            FieldSchema(
                name="ClusterId",
                attribute="cluster_id",
                type="string",
                versions=(12, 32767),
                nullable=(12, 32767),
                tagged=(12, 32767),
                tag=0,
                default=None,
                ignorable=True,
            ),
            FieldSchema(
                name="ReplicaId",
                attribute="replica_id",
                type="int32",
                versions=(0, 14),
                default=-1,
            ),
            FieldSchema(
                name="ReplicaState",
                attribute="replica_state",
                type="ReplicaState",
                struct=replica_state_struct,
                versions=(15, 32767),
                tagged=(15, 32767),
                tag=1,
                default=Default.EMPTY_STRUCT,
            ),
            FieldSchema(
                name="MaxWaitMs",
                attribute="max_wait_ms",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="MinBytes",
                attribute="min_bytes",
                type="int32",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="MaxBytes",
                attribute="max_bytes",
                type="int32",
                versions=(3, 32767),
                default=2147483647,
                ignorable=True,
            ),
            FieldSchema(
                name="IsolationLevel",
                attribute="isolation_level",
                type="int8",
                versions=(4, 32767),
                default=0,
                ignorable=True,
            ),
            FieldSchema(
                name="SessionId",
                attribute="session_id",
                type="int32",
                versions=(7, 32767),
                default=0,
                ignorable=True,
            ),
            FieldSchema(
                name="SessionEpoch",
                attribute="session_epoch",
                type="int32",
                versions=(7, 32767),
                default=-1,
                ignorable=True,
            ),
            FieldSchema(
                name="Topics",
                attribute="topics",
                type="FetchTopic",
                struct=fetch_topic_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="ForgottenTopicsData",
                attribute="forgotten_topics_data",
                type="ForgottenTopic",
                struct=forgotten_topic_struct,
                array=True,
                versions=(7, 32767),
                default=Default.EMPTY_ARRAY,
            ),
            FieldSchema(
                name="RackId",
                attribute="rack_id",
                type="string",
                versions=(11, 32767),
                default="",
                ignorable=True,
            ),
        ),
    )
    return MessageSchema(name="FetchRequest", flexible_from=12, root=fetch_request_struct)
