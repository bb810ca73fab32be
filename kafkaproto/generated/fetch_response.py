"""FetchResponse: versions 4-18, flexible from 12, api key 1.

Generated from api/FetchResponse.json by codegen; change the schema, not this file.
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
    read_tag_section,
    read_unknown_tags,
    write_tag_section,
)

ZERO_UUID = bytes(16)
_unpack_uB = struct.Struct(">16sB").unpack_from
_unpack_h = struct.Struct(">h").unpack_from
_unpack_i = struct.Struct(">i").unpack_from
_unpack_iB = struct.Struct(">iB").unpack_from
_unpack_ihiB = struct.Struct(">ihiB").unpack_from
_unpack_ihii = struct.Struct(">ihii").unpack_from
_unpack_ihqqi = struct.Struct(">ihqqi").unpack_from
_unpack_ihqqqB = struct.Struct(">ihqqqB").unpack_from
_unpack_ihqqqi = struct.Struct(">ihqqqi").unpack_from
_unpack_ii = struct.Struct(">ii").unpack_from
_unpack_iiB = struct.Struct(">iiB").unpack_from
_unpack_iqB = struct.Struct(">iqB").unpack_from
_unpack_qiB = struct.Struct(">qiB").unpack_from
_unpack_qq = struct.Struct(">qq").unpack_from
_unpack_qqB = struct.Struct(">qqB").unpack_from
_pack_uB = struct.Struct(">16sB").pack
_pack_h = struct.Struct(">h").pack
_pack_i = struct.Struct(">i").pack
_pack_iB = struct.Struct(">iB").pack
_pack_ihi = struct.Struct(">ihi").pack
_pack_ihiB = struct.Struct(">ihiB").pack
_pack_ihii = struct.Struct(">ihii").pack
_pack_ihqqi = struct.Struct(">ihqqi").pack
_pack_ihqqq = struct.Struct(">ihqqq").pack
_pack_ihqqqB = struct.Struct(">ihqqqB").pack
_pack_ihqqqi = struct.Struct(">ihqqqi").pack
_pack_ii = struct.Struct(">ii").pack
_pack_iiB = struct.Struct(">iiB").pack
_pack_iq = struct.Struct(">iq").pack
_pack_iqB = struct.Struct(">iqB").pack
_pack_qi = struct.Struct(">qi").pack
_pack_qiB = struct.Struct(">qiB").pack
_pack_qq = struct.Struct(">qq").pack
_pack_qqB = struct.Struct(">qqB").pack


class FetchResponseEpochEndOffset(Struct):
    """EpochEndOffset of FetchResponse."""

    __slots__ = ("epoch", "end_offset", "unknown_tags")

    epoch: int
    """Largest epoch of the leader that is not above the follower's last one. Versions 12+."""
    end_offset: int
    """Where that epoch ends in the leader's log. Versions 12+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        epoch: int = -1,
        end_offset: int = -1,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.epoch = epoch
        self.end_offset = end_offset
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FetchResponseEpochEndOffset)
            and self.epoch == other.epoch
            and self.end_offset == other.end_offset
            and self.unknown_tags == other.unknown_tags
        )



class FetchResponseLeaderIdAndEpoch(Struct):
    """LeaderIdAndEpoch of FetchResponse."""

    __slots__ = ("leader_id", "leader_epoch", "unknown_tags")

    leader_id: int
    """Versions 12+."""
    leader_epoch: int
    """Versions 12+."""
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
            isinstance(other, FetchResponseLeaderIdAndEpoch)
            and self.leader_id == other.leader_id
            and self.leader_epoch == other.leader_epoch
            and self.unknown_tags == other.unknown_tags
        )



class FetchResponseSnapshotId(Struct):
    """SnapshotId of FetchResponse."""

    __slots__ = ("end_offset", "epoch", "unknown_tags")

    end_offset: int
    """The snapshot covers the log up to here; this offset is not in it. Versions 0+."""
    epoch: int
    """Epoch of the last record it covers. Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        end_offset: int = -1,
        epoch: int = -1,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.end_offset = end_offset
        self.epoch = epoch
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FetchResponseSnapshotId)
            and self.end_offset == other.end_offset
            and self.epoch == other.epoch
            and self.unknown_tags == other.unknown_tags
        )



class FetchResponseAbortedTransaction(Struct):
    """AbortedTransaction of FetchResponse."""

    __slots__ = ("producer_id", "first_offset", "unknown_tags")

    producer_id: int
    """Versions 4+."""
    first_offset: int
    """Versions 4+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        producer_id: int = 0,
        first_offset: int = 0,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.producer_id = producer_id
        self.first_offset = first_offset
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FetchResponseAbortedTransaction)
            and self.producer_id == other.producer_id
            and self.first_offset == other.first_offset
            and self.unknown_tags == other.unknown_tags
        )



class FetchResponsePartitionData(Struct):
    """PartitionData of FetchResponse."""

    __slots__ = (
        "partition_index",
        "error_code",
        "high_watermark",
        "last_stable_offset",
        "log_start_offset",
        "_diverging_epoch",
        "_current_leader",
        "_snapshot_id",
        "aborted_transactions",
        "preferred_read_replica",
        "records",
        "unknown_tags",
    )

    partition_index: int
    """Versions 0+."""
    error_code: int
    """Versions 0+."""
    high_watermark: int
    """Versions 0+."""
    last_stable_offset: int
    """End of what read_committed may see. Versions 4+, dropped where a version lacks it."""
    log_start_offset: int
    """Versions 5+, dropped where a version lacks it."""
    _diverging_epoch: FetchResponseEpochEndOffset | None
    _current_leader: FetchResponseLeaderIdAndEpoch | None
    _snapshot_id: FetchResponseSnapshotId | None
    aborted_transactions: list[FetchResponseAbortedTransaction] | None
    """Those overlapping the records sent; null below read_committed. Versions 4+, null in 4+,
    dropped where a version lacks it.
    """
    preferred_read_replica: int
    """Where the consumer should read instead, or -1. Versions 11+."""
    records: Buffers | None
    """Whole batches, the last of which may be cut off. Versions 0+, null in 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        high_watermark: int = 0,
        last_stable_offset: int = -1,
        log_start_offset: int = -1,
        diverging_epoch: FetchResponseEpochEndOffset | None = None,
        current_leader: FetchResponseLeaderIdAndEpoch | None = None,
        snapshot_id: FetchResponseSnapshotId | None = None,
        aborted_transactions: list[FetchResponseAbortedTransaction] | None = EMPTY,
        preferred_read_replica: int = -1,
        records: Buffers | None = None,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.high_watermark = high_watermark
        self.last_stable_offset = last_stable_offset
        self.log_start_offset = log_start_offset
        self._diverging_epoch = diverging_epoch
        self._current_leader = current_leader
        self._snapshot_id = snapshot_id
        self.aborted_transactions = [] if aborted_transactions is EMPTY else aborted_transactions
        self.preferred_read_replica = preferred_read_replica
        self.records = records
        self.unknown_tags = unknown_tags

    @property
    def diverging_epoch(self) -> FetchResponseEpochEndOffset:
        """Set where the follower's log departs from the leader's; the follower truncates. Versions 12+,
        tag 0 in 12+.
        """
        if self._diverging_epoch is None:
            self._diverging_epoch = FetchResponseEpochEndOffset()
        return self._diverging_epoch

    @diverging_epoch.setter
    def diverging_epoch(self, value: FetchResponseEpochEndOffset) -> None:
        self._diverging_epoch = value

    @property
    def current_leader(self) -> FetchResponseLeaderIdAndEpoch:
        """Set where the sender has to turn to another leader or epoch. Versions 12+, tag 1 in 12+."""
        if self._current_leader is None:
            self._current_leader = FetchResponseLeaderIdAndEpoch()
        return self._current_leader

    @current_leader.setter
    def current_leader(self, value: FetchResponseLeaderIdAndEpoch) -> None:
        self._current_leader = value

    @property
    def snapshot_id(self) -> FetchResponseSnapshotId:
        """Set where the follower has to fetch this snapshot before it goes on. Versions 12+, tag 2 in
        12+.
        """
        if self._snapshot_id is None:
            self._snapshot_id = FetchResponseSnapshotId()
        return self._snapshot_id

    @snapshot_id.setter
    def snapshot_id(self, value: FetchResponseSnapshotId) -> None:
        self._snapshot_id = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FetchResponsePartitionData)
            and self.partition_index == other.partition_index
            and self.error_code == other.error_code
            and self.high_watermark == other.high_watermark
            and self.last_stable_offset == other.last_stable_offset
            and self.log_start_offset == other.log_start_offset
            and self.diverging_epoch == other.diverging_epoch
            and self.current_leader == other.current_leader
            and self.snapshot_id == other.snapshot_id
            and self.aborted_transactions == other.aborted_transactions
            and self.preferred_read_replica == other.preferred_read_replica
            and self.records == other.records
            and self.unknown_tags == other.unknown_tags
        )



class FetchResponseFetchableTopicResponse(Struct):
    """FetchableTopicResponse of FetchResponse."""

    __slots__ = ("topic", "topic_id", "partitions", "unknown_tags")

    topic: str
    """Versions 0-12, dropped where a version lacks it."""
    topic_id: bytes
    """Versions 13+, dropped where a version lacks it."""
    partitions: list[FetchResponsePartitionData]
    """Versions 0+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        topic: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: list[FetchResponsePartitionData] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.partitions = [] if partitions is EMPTY else partitions
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FetchResponseFetchableTopicResponse)
            and self.topic == other.topic
            and self.topic_id == other.topic_id
            and self.partitions == other.partitions
            and self.unknown_tags == other.unknown_tags
        )



class FetchResponseNodeEndpoint(Struct):
    """NodeEndpoint of FetchResponse."""

    __slots__ = ("node_id", "host", "port", "rack", "unknown_tags")

    node_id: int
    """Versions 16+."""
    host: str
    """Versions 16+."""
    port: int
    """Versions 16+."""
    rack: str | None
    """Versions 16+, null in 16+."""
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
            isinstance(other, FetchResponseNodeEndpoint)
            and self.node_id == other.node_id
            and self.host == other.host
            and self.port == other.port
            and self.rack == other.rack
            and self.unknown_tags == other.unknown_tags
        )



class FetchResponse(Message):
    """Response FetchResponse."""

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "session_id",
        "responses",
        "node_endpoints",
        "unknown_tags",
    )

    NAME: ClassVar[str] = "FetchResponse"
    TYPE: ClassVar[str] = "response"
    API_KEY: ClassVar[int | None] = 1
    MIN_VERSION: ClassVar[int] = 4
    MAX_VERSION: ClassVar[int] = 18
    FLEXIBLE_FROM: ClassVar[int | None] = 12
    LATEST_VERSION_UNSTABLE: ClassVar[bool] = False
    LISTENERS: ClassVar[tuple[str, ...]] = ()
    EpochEndOffset: TypeAlias = FetchResponseEpochEndOffset
    LeaderIdAndEpoch: TypeAlias = FetchResponseLeaderIdAndEpoch
    SnapshotId: TypeAlias = FetchResponseSnapshotId
    AbortedTransaction: TypeAlias = FetchResponseAbortedTransaction
    PartitionData: TypeAlias = FetchResponsePartitionData
    FetchableTopicResponse: TypeAlias = FetchResponseFetchableTopicResponse
    NodeEndpoint: TypeAlias = FetchResponseNodeEndpoint

    throttle_time_ms: int
    """Versions 1+, dropped where a version lacks it."""
    error_code: int
    """Versions 7+, dropped where a version lacks it."""
    session_id: int
    """The session begun or continued; 0 without one. Versions 7+."""
    responses: list[FetchResponseFetchableTopicResponse]
    """Versions 0+."""
    node_endpoints: list[FetchResponseNodeEndpoint]
    """How the leaders named above are reached. Versions 16+, tag 0 in 16+."""
    unknown_tags: dict[int, bytes] | None
    """Tagged fields that this release does not know."""

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        session_id: int = 0,
        responses: list[FetchResponseFetchableTopicResponse] = EMPTY,
        node_endpoints: list[FetchResponseNodeEndpoint] = EMPTY,
        unknown_tags: dict[int, bytes] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.session_id = session_id
        self.responses = [] if responses is EMPTY else responses
        self.node_endpoints = [] if node_endpoints is EMPTY else node_endpoints
        self.unknown_tags = unknown_tags

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FetchResponse)
            and self.throttle_time_ms == other.throttle_time_ms
            and self.error_code == other.error_code
            and self.session_id == other.session_id
            and self.responses == other.responses
            and self.node_endpoints == other.node_endpoints
            and self.unknown_tags == other.unknown_tags
        )

    @staticmethod
    def _read(buffer: Buffer, position: int, version: int) -> tuple[FetchResponse, int]:
        return _READERS[version - 4](buffer, position)

    def _write(self, out: Pieces, version: int) -> None:
        _WRITERS[version - 4](out, self)

    def _step_write(self, out: Pieces, version: int) -> Steps[None] | None:
        write = _STEP_WRITERS[version - 4]
        return None if write is None else write(out, self)

    @staticmethod
    def schema() -> MessageSchema:
        """What the fields are; built once, when first asked for."""
        return _schema()


def _read_many_aborted_transaction_v4(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchResponseAbortedTransaction], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchResponseAbortedTransaction] = []
    for _ in range(size):
        message = FetchResponseAbortedTransaction.__new__(FetchResponseAbortedTransaction)
        message.producer_id, message.first_offset = _unpack_qq(buffer, position)
        position += 16
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_partition_data_v4(
    buffer: Buffer,
    position: int,
    size: int,
    view: memoryview,
) -> tuple[list[FetchResponsePartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchResponsePartitionData] = []
    for _ in range(size):
        message = FetchResponsePartitionData.__new__(FetchResponsePartitionData)
        (
            message.partition_index,
            message.error_code,
            message.high_watermark,
            message.last_stable_offset,
            count,
        ) = _unpack_ihqqi(buffer, position)
        position += 26
        if count > 0:
            message.aborted_transactions, position = _read_many_aborted_transaction_v4(buffer, position, count)
        elif not count:
            message.aborted_transactions = []
        else:
            message.aborted_transactions = None
        (length,) = _unpack_i(buffer, position)
        position += 4
        if length < 0:
            message.records = None
        else:
            end = position + length
            message.records = view[position:end]
            position = end
        message.log_start_offset = -1
        message._diverging_epoch = None
        message._current_leader = None
        message._snapshot_id = None
        message.preferred_read_replica = -1
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_fetchable_topic_response_v4(
    buffer: Buffer,
    position: int,
    size: int,
    view: memoryview,
) -> tuple[list[FetchResponseFetchableTopicResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchResponseFetchableTopicResponse] = []
    for _ in range(size):
        message = FetchResponseFetchableTopicResponse.__new__(FetchResponseFetchableTopicResponse)
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
            message.partitions, position = _read_many_partition_data_v4(buffer, position, count, view)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v4(buffer: Buffer, position: int) -> tuple[FetchResponse, int]:
    view = memoryview(buffer)
    message = FetchResponse.__new__(FetchResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.responses, position = _read_many_fetchable_topic_response_v4(buffer, position, count, view)
    elif not count:
        message.responses = []
    else:
        raise Malformed
    message.error_code = 0
    message.session_id = 0
    message.node_endpoints = []
    message.unknown_tags = None
    return message, position


def _read_many_partition_data_v5(
    buffer: Buffer,
    position: int,
    size: int,
    view: memoryview,
) -> tuple[list[FetchResponsePartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchResponsePartitionData] = []
    for _ in range(size):
        message = FetchResponsePartitionData.__new__(FetchResponsePartitionData)
        (
            message.partition_index,
            message.error_code,
            message.high_watermark,
            message.last_stable_offset,
            message.log_start_offset,
            count,
        ) = _unpack_ihqqqi(buffer, position)
        position += 34
        if count > 0:
            message.aborted_transactions, position = _read_many_aborted_transaction_v4(buffer, position, count)
        elif not count:
            message.aborted_transactions = []
        else:
            message.aborted_transactions = None
        (length,) = _unpack_i(buffer, position)
        position += 4
        if length < 0:
            message.records = None
        else:
            end = position + length
            message.records = view[position:end]
            position = end
        message._diverging_epoch = None
        message._current_leader = None
        message._snapshot_id = None
        message.preferred_read_replica = -1
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_fetchable_topic_response_v5(
    buffer: Buffer,
    position: int,
    size: int,
    view: memoryview,
) -> tuple[list[FetchResponseFetchableTopicResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchResponseFetchableTopicResponse] = []
    for _ in range(size):
        message = FetchResponseFetchableTopicResponse.__new__(FetchResponseFetchableTopicResponse)
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
            message.partitions, position = _read_many_partition_data_v5(buffer, position, count, view)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v5(buffer: Buffer, position: int) -> tuple[FetchResponse, int]:
    view = memoryview(buffer)
    message = FetchResponse.__new__(FetchResponse)
    message.throttle_time_ms, count = _unpack_ii(buffer, position)
    position += 8
    if count > 0:
        message.responses, position = _read_many_fetchable_topic_response_v5(buffer, position, count, view)
    elif not count:
        message.responses = []
    else:
        raise Malformed
    message.error_code = 0
    message.session_id = 0
    message.node_endpoints = []
    message.unknown_tags = None
    return message, position


def _read_v7(buffer: Buffer, position: int) -> tuple[FetchResponse, int]:
    view = memoryview(buffer)
    message = FetchResponse.__new__(FetchResponse)
    message.throttle_time_ms, message.error_code, message.session_id, count = _unpack_ihii(buffer, position)
    position += 14
    if count > 0:
        message.responses, position = _read_many_fetchable_topic_response_v5(buffer, position, count, view)
    elif not count:
        message.responses = []
    else:
        raise Malformed
    message.node_endpoints = []
    message.unknown_tags = None
    return message, position


def _read_many_partition_data_v11(
    buffer: Buffer,
    position: int,
    size: int,
    view: memoryview,
) -> tuple[list[FetchResponsePartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchResponsePartitionData] = []
    for _ in range(size):
        message = FetchResponsePartitionData.__new__(FetchResponsePartitionData)
        (
            message.partition_index,
            message.error_code,
            message.high_watermark,
            message.last_stable_offset,
            message.log_start_offset,
            count,
        ) = _unpack_ihqqqi(buffer, position)
        position += 34
        if count > 0:
            message.aborted_transactions, position = _read_many_aborted_transaction_v4(buffer, position, count)
        elif not count:
            message.aborted_transactions = []
        else:
            message.aborted_transactions = None
        message.preferred_read_replica, length = _unpack_ii(buffer, position)
        position += 8
        if length < 0:
            message.records = None
        else:
            end = position + length
            message.records = view[position:end]
            position = end
        message._diverging_epoch = None
        message._current_leader = None
        message._snapshot_id = None
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_many_fetchable_topic_response_v11(
    buffer: Buffer,
    position: int,
    size: int,
    view: memoryview,
) -> tuple[list[FetchResponseFetchableTopicResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchResponseFetchableTopicResponse] = []
    for _ in range(size):
        message = FetchResponseFetchableTopicResponse.__new__(FetchResponseFetchableTopicResponse)
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
            message.partitions, position = _read_many_partition_data_v11(buffer, position, count, view)
        elif not count:
            message.partitions = []
        else:
            raise Malformed
        message.topic_id = ZERO_UUID
        message.unknown_tags = None
        found.append(message)
    return found, position


def _read_v11(buffer: Buffer, position: int) -> tuple[FetchResponse, int]:
    view = memoryview(buffer)
    message = FetchResponse.__new__(FetchResponse)
    message.throttle_time_ms, message.error_code, message.session_id, count = _unpack_ihii(buffer, position)
    position += 14
    if count > 0:
        message.responses, position = _read_many_fetchable_topic_response_v11(buffer, position, count, view)
    elif not count:
        message.responses = []
    else:
        raise Malformed
    message.node_endpoints = []
    message.unknown_tags = None
    return message, position


def _read_many_aborted_transaction_v12(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchResponseAbortedTransaction], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchResponseAbortedTransaction] = []
    for _ in range(size):
        message = FetchResponseAbortedTransaction.__new__(FetchResponseAbortedTransaction)
        message.producer_id, message.first_offset, tags = _unpack_qqB(buffer, position)
        position += 17
        message.unknown_tags = None
        if tags:
            message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
        found.append(message)
    return found, position


def _read_epoch_end_offset_v12(buffer: Buffer, position: int) -> tuple[FetchResponseEpochEndOffset, int]:
    message = FetchResponseEpochEndOffset.__new__(FetchResponseEpochEndOffset)
    message.epoch, message.end_offset, tags = _unpack_iqB(buffer, position)
    position += 13
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_leader_id_and_epoch_v12(buffer: Buffer, position: int) -> tuple[FetchResponseLeaderIdAndEpoch, int]:
    message = FetchResponseLeaderIdAndEpoch.__new__(FetchResponseLeaderIdAndEpoch)
    message.leader_id, message.leader_epoch, tags = _unpack_iiB(buffer, position)
    position += 9
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_snapshot_id_v12(buffer: Buffer, position: int) -> tuple[FetchResponseSnapshotId, int]:
    message = FetchResponseSnapshotId.__new__(FetchResponseSnapshotId)
    message.end_offset, message.epoch, tags = _unpack_qiB(buffer, position)
    position += 13
    message.unknown_tags = None
    if tags:
        message.unknown_tags, position = read_unknown_tags(buffer, position - 1)
    return message, position


def _read_many_partition_data_v12(
    buffer: Buffer,
    position: int,
    size: int,
    view: memoryview,
) -> tuple[list[FetchResponsePartitionData], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchResponsePartitionData] = []
    for _ in range(size):
        message = FetchResponsePartitionData.__new__(FetchResponsePartitionData)
        (
            message.partition_index,
            message.error_code,
            message.high_watermark,
            message.last_stable_offset,
            message.log_start_offset,
            count,
        ) = _unpack_ihqqqB(buffer, position)
        position += 31
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.aborted_transactions, position = _read_many_aborted_transaction_v12(buffer, position, count - 1)
        elif count:
            message.aborted_transactions = []
        else:
            message.aborted_transactions = None
        message.preferred_read_replica, length = _unpack_iB(buffer, position)
        position += 5
        if length > 127:
            length, position = read_long_length(buffer, position, length)
        if not length:
            message.records = None
        else:
            end = position + length - 1
            message.records = view[position:end]
            position = end
        tags = buffer[position]
        position += 1
        message._diverging_epoch = None
        message._current_leader = None
        message._snapshot_id = None
        message.unknown_tags = None
        if tags:
            sections, end_of_tags = read_tag_section(buffer, position - 1)
            for tag, position, stop in sections:
                if tag == 0:
                    message._diverging_epoch, position = _read_epoch_end_offset_v12(buffer, position)
                elif tag == 1:
                    message._current_leader, position = _read_leader_id_and_epoch_v12(buffer, position)
                elif tag == 2:
                    message._snapshot_id, position = _read_snapshot_id_v12(buffer, position)
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


def _read_many_fetchable_topic_response_v12(
    buffer: Buffer,
    position: int,
    size: int,
    view: memoryview,
) -> tuple[list[FetchResponseFetchableTopicResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchResponseFetchableTopicResponse] = []
    for _ in range(size):
        message = FetchResponseFetchableTopicResponse.__new__(FetchResponseFetchableTopicResponse)
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
            message.partitions, position = _read_many_partition_data_v12(buffer, position, count - 1, view)
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


def _read_v12(buffer: Buffer, position: int) -> tuple[FetchResponse, int]:
    view = memoryview(buffer)
    message = FetchResponse.__new__(FetchResponse)
    message.throttle_time_ms, message.error_code, message.session_id, count = _unpack_ihiB(buffer, position)
    position += 11
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.responses, position = _read_many_fetchable_topic_response_v12(buffer, position, count - 1, view)
    elif count:
        message.responses = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
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


def _read_many_fetchable_topic_response_v13(
    buffer: Buffer,
    position: int,
    size: int,
    view: memoryview,
) -> tuple[list[FetchResponseFetchableTopicResponse], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchResponseFetchableTopicResponse] = []
    for _ in range(size):
        message = FetchResponseFetchableTopicResponse.__new__(FetchResponseFetchableTopicResponse)
        message.topic_id, count = _unpack_uB(buffer, position)
        position += 17
        if count > 127:
            count, position = read_long_length(buffer, position, count)
        if count > 1:
            message.partitions, position = _read_many_partition_data_v12(buffer, position, count - 1, view)
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


def _read_v13(buffer: Buffer, position: int) -> tuple[FetchResponse, int]:
    view = memoryview(buffer)
    message = FetchResponse.__new__(FetchResponse)
    message.throttle_time_ms, message.error_code, message.session_id, count = _unpack_ihiB(buffer, position)
    position += 11
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.responses, position = _read_many_fetchable_topic_response_v13(buffer, position, count - 1, view)
    elif count:
        message.responses = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
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


def _read_many_node_endpoint_v16(
    buffer: Buffer,
    position: int,
    size: int,
) -> tuple[list[FetchResponseNodeEndpoint], int]:
    if size > len(buffer) - position:
        raise Malformed
    found: list[FetchResponseNodeEndpoint] = []
    for _ in range(size):
        message = FetchResponseNodeEndpoint.__new__(FetchResponseNodeEndpoint)
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


def _read_v16(buffer: Buffer, position: int) -> tuple[FetchResponse, int]:
    view = memoryview(buffer)
    message = FetchResponse.__new__(FetchResponse)
    message.throttle_time_ms, message.error_code, message.session_id, count = _unpack_ihiB(buffer, position)
    position += 11
    if count > 127:
        count, position = read_long_length(buffer, position, count)
    if count > 1:
        message.responses, position = _read_many_fetchable_topic_response_v13(buffer, position, count - 1, view)
    elif count:
        message.responses = []
    else:
        raise Malformed
    tags = buffer[position]
    position += 1
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
                    message.node_endpoints, position = _read_many_node_endpoint_v16(buffer, position, count - 1)
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


def _write_aborted_transaction_v4(out: Pieces, message: FetchResponseAbortedTransaction) -> None:
    out.append(_pack_qq(message.producer_id, message.first_offset))
    if message.unknown_tags:
        raise Malformed


def _write_partition_data_v4(out: Pieces, message: FetchResponsePartitionData) -> None:
    diverging_epoch = message._diverging_epoch
    if diverging_epoch is not None and (
        diverging_epoch.epoch != -1
        or diverging_epoch.end_offset != -1
        or diverging_epoch.unknown_tags
    ):
        raise Malformed
    current_leader = message._current_leader
    if current_leader is not None and (
        current_leader.leader_id != -1
        or current_leader.leader_epoch != -1
        or current_leader.unknown_tags
    ):
        raise Malformed
    snapshot_id = message._snapshot_id
    if snapshot_id is not None and (
        snapshot_id.end_offset != -1
        or snapshot_id.epoch != -1
        or snapshot_id.unknown_tags
    ):
        raise Malformed
    if message.preferred_read_replica != -1:
        raise Malformed
    aborted_transactions = message.aborted_transactions
    if aborted_transactions is None:
        aborted_transactions = EMPTY
        count = -1
    else:
        count = len(aborted_transactions)
    out.append(_pack_ihqqi(
        message.partition_index,
        message.error_code,
        message.high_watermark,
        message.last_stable_offset,
        count,
    ))
    for aborted_transactions_item in aborted_transactions:
        _write_aborted_transaction_v4(out, aborted_transactions_item)
    records = message.records
    if records is None:
        records = b""
        length = -1
    else:
        length = sum(map(len, records)) if isinstance(records, list) else len(records)
    out.append(_pack_i(length))
    if isinstance(records, list):
        out.extend(records)
    else:
        out.append(records)
    if message.unknown_tags:
        raise Malformed


def _step_write_partition_data_v4(out: Pieces, message: FetchResponsePartitionData) -> Steps[None]:
    diverging_epoch = message._diverging_epoch
    if diverging_epoch is not None and (
        diverging_epoch.epoch != -1
        or diverging_epoch.end_offset != -1
        or diverging_epoch.unknown_tags
    ):
        raise Malformed
    current_leader = message._current_leader
    if current_leader is not None and (
        current_leader.leader_id != -1
        or current_leader.leader_epoch != -1
        or current_leader.unknown_tags
    ):
        raise Malformed
    snapshot_id = message._snapshot_id
    if snapshot_id is not None and (
        snapshot_id.end_offset != -1
        or snapshot_id.epoch != -1
        or snapshot_id.unknown_tags
    ):
        raise Malformed
    if message.preferred_read_replica != -1:
        raise Malformed
    aborted_transactions = message.aborted_transactions
    if aborted_transactions is None:
        aborted_transactions = EMPTY
        count = -1
    else:
        count = len(aborted_transactions)
    out.append(_pack_ihqqi(
        message.partition_index,
        message.error_code,
        message.high_watermark,
        message.last_stable_offset,
        count,
    ))
    for aborted_transactions_item in aborted_transactions:
        _write_aborted_transaction_v4(out, aborted_transactions_item)
        yield
    records = message.records
    if records is None:
        records = b""
        length = -1
    else:
        length = sum(map(len, records)) if isinstance(records, list) else len(records)
    out.append(_pack_i(length))
    if isinstance(records, list):
        out.extend(records)
    else:
        out.append(records)
    if message.unknown_tags:
        raise Malformed


def _write_fetchable_topic_response_v4(out: Pieces, message: FetchResponseFetchableTopicResponse) -> None:
    topic = message.topic
    data = topic.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_partition_data_v4(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_fetchable_topic_response_v4(
    out: Pieces,
    message: FetchResponseFetchableTopicResponse,
) -> Steps[None]:
    topic = message.topic
    data = topic.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        yield from _step_write_partition_data_v4(out, partitions_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v4(out: Pieces, message: FetchResponse) -> None:
    if message.session_id != 0:
        raise Malformed
    if len(message.node_endpoints) != 0:
        raise Malformed
    responses = message.responses
    count = len(responses)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for responses_item in responses:
        _write_fetchable_topic_response_v4(out, responses_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v4(out: Pieces, message: FetchResponse) -> Steps[None]:
    if message.session_id != 0:
        raise Malformed
    if len(message.node_endpoints) != 0:
        raise Malformed
    responses = message.responses
    count = len(responses)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for responses_item in responses:
        yield from _step_write_fetchable_topic_response_v4(out, responses_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_partition_data_v5(out: Pieces, message: FetchResponsePartitionData) -> None:
    diverging_epoch = message._diverging_epoch
    if diverging_epoch is not None and (
        diverging_epoch.epoch != -1
        or diverging_epoch.end_offset != -1
        or diverging_epoch.unknown_tags
    ):
        raise Malformed
    current_leader = message._current_leader
    if current_leader is not None and (
        current_leader.leader_id != -1
        or current_leader.leader_epoch != -1
        or current_leader.unknown_tags
    ):
        raise Malformed
    snapshot_id = message._snapshot_id
    if snapshot_id is not None and (
        snapshot_id.end_offset != -1
        or snapshot_id.epoch != -1
        or snapshot_id.unknown_tags
    ):
        raise Malformed
    if message.preferred_read_replica != -1:
        raise Malformed
    aborted_transactions = message.aborted_transactions
    if aborted_transactions is None:
        aborted_transactions = EMPTY
        count = -1
    else:
        count = len(aborted_transactions)
    out.append(_pack_ihqqqi(
        message.partition_index,
        message.error_code,
        message.high_watermark,
        message.last_stable_offset,
        message.log_start_offset,
        count,
    ))
    for aborted_transactions_item in aborted_transactions:
        _write_aborted_transaction_v4(out, aborted_transactions_item)
    records = message.records
    if records is None:
        records = b""
        length = -1
    else:
        length = sum(map(len, records)) if isinstance(records, list) else len(records)
    out.append(_pack_i(length))
    if isinstance(records, list):
        out.extend(records)
    else:
        out.append(records)
    if message.unknown_tags:
        raise Malformed


def _step_write_partition_data_v5(out: Pieces, message: FetchResponsePartitionData) -> Steps[None]:
    diverging_epoch = message._diverging_epoch
    if diverging_epoch is not None and (
        diverging_epoch.epoch != -1
        or diverging_epoch.end_offset != -1
        or diverging_epoch.unknown_tags
    ):
        raise Malformed
    current_leader = message._current_leader
    if current_leader is not None and (
        current_leader.leader_id != -1
        or current_leader.leader_epoch != -1
        or current_leader.unknown_tags
    ):
        raise Malformed
    snapshot_id = message._snapshot_id
    if snapshot_id is not None and (
        snapshot_id.end_offset != -1
        or snapshot_id.epoch != -1
        or snapshot_id.unknown_tags
    ):
        raise Malformed
    if message.preferred_read_replica != -1:
        raise Malformed
    aborted_transactions = message.aborted_transactions
    if aborted_transactions is None:
        aborted_transactions = EMPTY
        count = -1
    else:
        count = len(aborted_transactions)
    out.append(_pack_ihqqqi(
        message.partition_index,
        message.error_code,
        message.high_watermark,
        message.last_stable_offset,
        message.log_start_offset,
        count,
    ))
    for aborted_transactions_item in aborted_transactions:
        _write_aborted_transaction_v4(out, aborted_transactions_item)
        yield
    records = message.records
    if records is None:
        records = b""
        length = -1
    else:
        length = sum(map(len, records)) if isinstance(records, list) else len(records)
    out.append(_pack_i(length))
    if isinstance(records, list):
        out.extend(records)
    else:
        out.append(records)
    if message.unknown_tags:
        raise Malformed


def _write_fetchable_topic_response_v5(out: Pieces, message: FetchResponseFetchableTopicResponse) -> None:
    topic = message.topic
    data = topic.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_partition_data_v5(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_fetchable_topic_response_v5(
    out: Pieces,
    message: FetchResponseFetchableTopicResponse,
) -> Steps[None]:
    topic = message.topic
    data = topic.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        yield from _step_write_partition_data_v5(out, partitions_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v5(out: Pieces, message: FetchResponse) -> None:
    if message.session_id != 0:
        raise Malformed
    if len(message.node_endpoints) != 0:
        raise Malformed
    responses = message.responses
    count = len(responses)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for responses_item in responses:
        _write_fetchable_topic_response_v5(out, responses_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v5(out: Pieces, message: FetchResponse) -> Steps[None]:
    if message.session_id != 0:
        raise Malformed
    if len(message.node_endpoints) != 0:
        raise Malformed
    responses = message.responses
    count = len(responses)
    out.append(_pack_ii(message.throttle_time_ms, count))
    for responses_item in responses:
        yield from _step_write_fetchable_topic_response_v5(out, responses_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v7(out: Pieces, message: FetchResponse) -> None:
    if len(message.node_endpoints) != 0:
        raise Malformed
    responses = message.responses
    count = len(responses)
    out.append(_pack_ihii(message.throttle_time_ms, message.error_code, message.session_id, count))
    for responses_item in responses:
        _write_fetchable_topic_response_v5(out, responses_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v7(out: Pieces, message: FetchResponse) -> Steps[None]:
    if len(message.node_endpoints) != 0:
        raise Malformed
    responses = message.responses
    count = len(responses)
    out.append(_pack_ihii(message.throttle_time_ms, message.error_code, message.session_id, count))
    for responses_item in responses:
        yield from _step_write_fetchable_topic_response_v5(out, responses_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_partition_data_v11(out: Pieces, message: FetchResponsePartitionData) -> None:
    diverging_epoch = message._diverging_epoch
    if diverging_epoch is not None and (
        diverging_epoch.epoch != -1
        or diverging_epoch.end_offset != -1
        or diverging_epoch.unknown_tags
    ):
        raise Malformed
    current_leader = message._current_leader
    if current_leader is not None and (
        current_leader.leader_id != -1
        or current_leader.leader_epoch != -1
        or current_leader.unknown_tags
    ):
        raise Malformed
    snapshot_id = message._snapshot_id
    if snapshot_id is not None and (
        snapshot_id.end_offset != -1
        or snapshot_id.epoch != -1
        or snapshot_id.unknown_tags
    ):
        raise Malformed
    aborted_transactions = message.aborted_transactions
    if aborted_transactions is None:
        aborted_transactions = EMPTY
        count = -1
    else:
        count = len(aborted_transactions)
    out.append(_pack_ihqqqi(
        message.partition_index,
        message.error_code,
        message.high_watermark,
        message.last_stable_offset,
        message.log_start_offset,
        count,
    ))
    for aborted_transactions_item in aborted_transactions:
        _write_aborted_transaction_v4(out, aborted_transactions_item)
    records = message.records
    if records is None:
        records = b""
        length = -1
    else:
        length = sum(map(len, records)) if isinstance(records, list) else len(records)
    out.append(_pack_ii(message.preferred_read_replica, length))
    if isinstance(records, list):
        out.extend(records)
    else:
        out.append(records)
    if message.unknown_tags:
        raise Malformed


def _step_write_partition_data_v11(out: Pieces, message: FetchResponsePartitionData) -> Steps[None]:
    diverging_epoch = message._diverging_epoch
    if diverging_epoch is not None and (
        diverging_epoch.epoch != -1
        or diverging_epoch.end_offset != -1
        or diverging_epoch.unknown_tags
    ):
        raise Malformed
    current_leader = message._current_leader
    if current_leader is not None and (
        current_leader.leader_id != -1
        or current_leader.leader_epoch != -1
        or current_leader.unknown_tags
    ):
        raise Malformed
    snapshot_id = message._snapshot_id
    if snapshot_id is not None and (
        snapshot_id.end_offset != -1
        or snapshot_id.epoch != -1
        or snapshot_id.unknown_tags
    ):
        raise Malformed
    aborted_transactions = message.aborted_transactions
    if aborted_transactions is None:
        aborted_transactions = EMPTY
        count = -1
    else:
        count = len(aborted_transactions)
    out.append(_pack_ihqqqi(
        message.partition_index,
        message.error_code,
        message.high_watermark,
        message.last_stable_offset,
        message.log_start_offset,
        count,
    ))
    for aborted_transactions_item in aborted_transactions:
        _write_aborted_transaction_v4(out, aborted_transactions_item)
        yield
    records = message.records
    if records is None:
        records = b""
        length = -1
    else:
        length = sum(map(len, records)) if isinstance(records, list) else len(records)
    out.append(_pack_ii(message.preferred_read_replica, length))
    if isinstance(records, list):
        out.extend(records)
    else:
        out.append(records)
    if message.unknown_tags:
        raise Malformed


def _write_fetchable_topic_response_v11(out: Pieces, message: FetchResponseFetchableTopicResponse) -> None:
    topic = message.topic
    data = topic.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        _write_partition_data_v11(out, partitions_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_fetchable_topic_response_v11(
    out: Pieces,
    message: FetchResponseFetchableTopicResponse,
) -> Steps[None]:
    topic = message.topic
    data = topic.encode()
    length = len(data)
    out.append(_pack_h(length))
    out.append(data)
    partitions = message.partitions
    count = len(partitions)
    out.append(_pack_i(count))
    for partitions_item in partitions:
        yield from _step_write_partition_data_v11(out, partitions_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_v11(out: Pieces, message: FetchResponse) -> None:
    if len(message.node_endpoints) != 0:
        raise Malformed
    responses = message.responses
    count = len(responses)
    out.append(_pack_ihii(message.throttle_time_ms, message.error_code, message.session_id, count))
    for responses_item in responses:
        _write_fetchable_topic_response_v11(out, responses_item)
    if message.unknown_tags:
        raise Malformed


def _step_write_v11(out: Pieces, message: FetchResponse) -> Steps[None]:
    if len(message.node_endpoints) != 0:
        raise Malformed
    responses = message.responses
    count = len(responses)
    out.append(_pack_ihii(message.throttle_time_ms, message.error_code, message.session_id, count))
    for responses_item in responses:
        yield from _step_write_fetchable_topic_response_v11(out, responses_item)
        yield
    if message.unknown_tags:
        raise Malformed


def _write_aborted_transaction_v12(out: Pieces, message: FetchResponseAbortedTransaction) -> None:
    if message.unknown_tags:
        out.append(_pack_qq(message.producer_id, message.first_offset))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_qqB(message.producer_id, message.first_offset, 0))


def _write_epoch_end_offset_v12(out: Pieces, message: FetchResponseEpochEndOffset) -> None:
    if message.unknown_tags:
        out.append(_pack_iq(message.epoch, message.end_offset))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iqB(message.epoch, message.end_offset, 0))


def _write_leader_id_and_epoch_v12(out: Pieces, message: FetchResponseLeaderIdAndEpoch) -> None:
    if message.unknown_tags:
        out.append(_pack_ii(message.leader_id, message.leader_epoch))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_iiB(message.leader_id, message.leader_epoch, 0))


def _write_snapshot_id_v12(out: Pieces, message: FetchResponseSnapshotId) -> None:
    if message.unknown_tags:
        out.append(_pack_qi(message.end_offset, message.epoch))
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(_pack_qiB(message.end_offset, message.epoch, 0))


def _write_partition_data_v12(out: Pieces, message: FetchResponsePartitionData) -> None:
    aborted_transactions = message.aborted_transactions
    if aborted_transactions is None:
        aborted_transactions = EMPTY
        count = 0
    else:
        count = len(aborted_transactions) + 1
    if count < 128:
        out.append(_pack_ihqqqB(
            message.partition_index,
            message.error_code,
            message.high_watermark,
            message.last_stable_offset,
            message.log_start_offset,
            count,
        ))
    else:
        out.append(_pack_ihqqq(
            message.partition_index,
            message.error_code,
            message.high_watermark,
            message.last_stable_offset,
            message.log_start_offset,
        ))
        out.append(pack_length(count))
    for aborted_transactions_item in aborted_transactions:
        _write_aborted_transaction_v12(out, aborted_transactions_item)
    records = message.records
    if records is None:
        records = b""
        length = 0
    else:
        length = (sum(map(len, records)) if isinstance(records, list) else len(records)) + 1
    if length < 128:
        out.append(_pack_iB(message.preferred_read_replica, length))
    else:
        out.append(_pack_i(message.preferred_read_replica))
        out.append(pack_length(length))
    if isinstance(records, list):
        out.extend(records)
    else:
        out.append(records)
    tagged = []
    section: Pieces
    diverging_epoch = message._diverging_epoch
    if diverging_epoch is not None and (
        diverging_epoch.epoch != -1
        or diverging_epoch.end_offset != -1
        or diverging_epoch.unknown_tags
    ):
        section = []
        _write_epoch_end_offset_v12(section, diverging_epoch)
        tagged.append((0, b"".join(section)))
    current_leader = message._current_leader
    if current_leader is not None and (
        current_leader.leader_id != -1
        or current_leader.leader_epoch != -1
        or current_leader.unknown_tags
    ):
        section = []
        _write_leader_id_and_epoch_v12(section, current_leader)
        tagged.append((1, b"".join(section)))
    snapshot_id = message._snapshot_id
    if snapshot_id is not None and (
        snapshot_id.end_offset != -1
        or snapshot_id.epoch != -1
        or snapshot_id.unknown_tags
    ):
        section = []
        _write_snapshot_id_v12(section, snapshot_id)
        tagged.append((2, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_partition_data_v12(out: Pieces, message: FetchResponsePartitionData) -> Steps[None]:
    aborted_transactions = message.aborted_transactions
    if aborted_transactions is None:
        aborted_transactions = EMPTY
        count = 0
    else:
        count = len(aborted_transactions) + 1
    if count < 128:
        out.append(_pack_ihqqqB(
            message.partition_index,
            message.error_code,
            message.high_watermark,
            message.last_stable_offset,
            message.log_start_offset,
            count,
        ))
    else:
        out.append(_pack_ihqqq(
            message.partition_index,
            message.error_code,
            message.high_watermark,
            message.last_stable_offset,
            message.log_start_offset,
        ))
        out.append(pack_length(count))
    for aborted_transactions_item in aborted_transactions:
        _write_aborted_transaction_v12(out, aborted_transactions_item)
        yield
    records = message.records
    if records is None:
        records = b""
        length = 0
    else:
        length = (sum(map(len, records)) if isinstance(records, list) else len(records)) + 1
    if length < 128:
        out.append(_pack_iB(message.preferred_read_replica, length))
    else:
        out.append(_pack_i(message.preferred_read_replica))
        out.append(pack_length(length))
    if isinstance(records, list):
        out.extend(records)
    else:
        out.append(records)
    tagged = []
    section: Pieces
    diverging_epoch = message._diverging_epoch
    if diverging_epoch is not None and (
        diverging_epoch.epoch != -1
        or diverging_epoch.end_offset != -1
        or diverging_epoch.unknown_tags
    ):
        section = []
        _write_epoch_end_offset_v12(section, diverging_epoch)
        tagged.append((0, b"".join(section)))
    current_leader = message._current_leader
    if current_leader is not None and (
        current_leader.leader_id != -1
        or current_leader.leader_epoch != -1
        or current_leader.unknown_tags
    ):
        section = []
        _write_leader_id_and_epoch_v12(section, current_leader)
        tagged.append((1, b"".join(section)))
    snapshot_id = message._snapshot_id
    if snapshot_id is not None and (
        snapshot_id.end_offset != -1
        or snapshot_id.epoch != -1
        or snapshot_id.unknown_tags
    ):
        section = []
        _write_snapshot_id_v12(section, snapshot_id)
        tagged.append((2, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_fetchable_topic_response_v12(out: Pieces, message: FetchResponseFetchableTopicResponse) -> None:
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
        _write_partition_data_v12(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_fetchable_topic_response_v12(
    out: Pieces,
    message: FetchResponseFetchableTopicResponse,
) -> Steps[None]:
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
        yield from _step_write_partition_data_v12(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v12(out: Pieces, message: FetchResponse) -> None:
    if len(message.node_endpoints) != 0:
        raise Malformed
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(_pack_ihiB(message.throttle_time_ms, message.error_code, message.session_id, count))
    else:
        out.append(_pack_ihi(message.throttle_time_ms, message.error_code, message.session_id))
        out.append(pack_length(count))
    for responses_item in responses:
        _write_fetchable_topic_response_v12(out, responses_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v12(out: Pieces, message: FetchResponse) -> Steps[None]:
    if len(message.node_endpoints) != 0:
        raise Malformed
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(_pack_ihiB(message.throttle_time_ms, message.error_code, message.session_id, count))
    else:
        out.append(_pack_ihi(message.throttle_time_ms, message.error_code, message.session_id))
        out.append(pack_length(count))
    for responses_item in responses:
        yield from _step_write_fetchable_topic_response_v12(out, responses_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_fetchable_topic_response_v13(out: Pieces, message: FetchResponseFetchableTopicResponse) -> None:
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
        _write_partition_data_v12(out, partitions_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_fetchable_topic_response_v13(
    out: Pieces,
    message: FetchResponseFetchableTopicResponse,
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
        yield from _step_write_partition_data_v12(out, partitions_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_v13(out: Pieces, message: FetchResponse) -> None:
    if len(message.node_endpoints) != 0:
        raise Malformed
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(_pack_ihiB(message.throttle_time_ms, message.error_code, message.session_id, count))
    else:
        out.append(_pack_ihi(message.throttle_time_ms, message.error_code, message.session_id))
        out.append(pack_length(count))
    for responses_item in responses:
        _write_fetchable_topic_response_v13(out, responses_item)
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v13(out: Pieces, message: FetchResponse) -> Steps[None]:
    if len(message.node_endpoints) != 0:
        raise Malformed
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(_pack_ihiB(message.throttle_time_ms, message.error_code, message.session_id, count))
    else:
        out.append(_pack_ihi(message.throttle_time_ms, message.error_code, message.session_id))
        out.append(pack_length(count))
    for responses_item in responses:
        yield from _step_write_fetchable_topic_response_v13(out, responses_item)
        yield
    if message.unknown_tags:
        write_tag_section(out, (), message.unknown_tags)
    else:
        out.append(b"\x00")


def _write_node_endpoint_v16(out: Pieces, message: FetchResponseNodeEndpoint) -> None:
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


def _write_v16(out: Pieces, message: FetchResponse) -> None:
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(_pack_ihiB(message.throttle_time_ms, message.error_code, message.session_id, count))
    else:
        out.append(_pack_ihi(message.throttle_time_ms, message.error_code, message.session_id))
        out.append(pack_length(count))
    for responses_item in responses:
        _write_fetchable_topic_response_v13(out, responses_item)
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
            _write_node_endpoint_v16(section, node_endpoints_item)
        tagged.append((0, b"".join(section)))
    if tagged or message.unknown_tags:
        write_tag_section(out, tagged, message.unknown_tags)
    else:
        out.append(b"\x00")


def _step_write_v16(out: Pieces, message: FetchResponse) -> Steps[None]:
    responses = message.responses
    count = len(responses) + 1
    if count < 128:
        out.append(_pack_ihiB(message.throttle_time_ms, message.error_code, message.session_id, count))
    else:
        out.append(_pack_ihi(message.throttle_time_ms, message.error_code, message.session_id))
        out.append(pack_length(count))
    for responses_item in responses:
        yield from _step_write_fetchable_topic_response_v13(out, responses_item)
        yield
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
            _write_node_endpoint_v16(section, node_endpoints_item)
        tagged.append((0, b"".join(section)))
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
    _read_v7,
    _read_v7,
    _read_v11,
    _read_v12,
    _read_v13,
    _read_v13,
    _read_v13,
    _read_v16,
    _read_v16,
    _read_v16,
)

_WRITERS = (
    _write_v4,
    _write_v5,
    _write_v5,
    _write_v7,
    _write_v7,
    _write_v7,
    _write_v7,
    _write_v11,
    _write_v12,
    _write_v13,
    _write_v13,
    _write_v13,
    _write_v16,
    _write_v16,
    _write_v16,
)

_STEP_WRITERS = (
    _step_write_v4,
    _step_write_v5,
    _step_write_v5,
    _step_write_v7,
    _step_write_v7,
    _step_write_v7,
    _step_write_v7,
    _step_write_v11,
    _step_write_v12,
    _step_write_v13,
    _step_write_v13,
    _step_write_v13,
    _step_write_v16,
    _step_write_v16,
    _step_write_v16,
)


@cache
def _schema() -> MessageSchema:
    epoch_end_offset_struct = StructSchema(
        python_class=FetchResponseEpochEndOffset,
        fields=(
            FieldSchema(
                name="Epoch",
                attribute="epoch",
                type="int32",
                versions=(12, 32767),
                default=-1,
            ),
            FieldSchema(
                name="EndOffset",
                attribute="end_offset",
                type="int64",
                versions=(12, 32767),
                default=-1,
            ),
        ),
    )
    leader_id_and_epoch_struct = StructSchema(
        python_class=FetchResponseLeaderIdAndEpoch,
        fields=(
            FieldSchema(
                name="LeaderId",
                attribute="leader_id",
                type="int32",
                versions=(12, 32767),
                default=-1,
            ),
            FieldSchema(
                name="LeaderEpoch",
                attribute="leader_epoch",
                type="int32",
                versions=(12, 32767),
                default=-1,
            ),
        ),
    )
    snapshot_id_struct = StructSchema(
        python_class=FetchResponseSnapshotId,
        fields=(
            FieldSchema(
                name="EndOffset",
                attribute="end_offset",
                type="int64",
                versions=(0, 32767),
                default=-1,
            ),
            FieldSchema(
                name="Epoch",
                attribute="epoch",
                type="int32",
                versions=(0, 32767),
                default=-1,
            ),
        ),
    )
    aborted_transaction_struct = StructSchema(
        python_class=FetchResponseAbortedTransaction,
        fields=(
            FieldSchema(
                name="ProducerId",
                attribute="producer_id",
                type="int64",
                versions=(4, 32767),
                default=0,
            ),
            FieldSchema(
                name="FirstOffset",
                attribute="first_offset",
                type="int64",
                versions=(4, 32767),
                default=0,
            ),
        ),
    )
    partition_data_struct = StructSchema(
        python_class=FetchResponsePartitionData,
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
                name="HighWatermark",
                attribute="high_watermark",
                type="int64",
                versions=(0, 32767),
                default=0,
            ),
            FieldSchema(
                name="LastStableOffset",
                attribute="last_stable_offset",
                type="int64",
                versions=(4, 32767),
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
                name="DivergingEpoch",
                attribute="diverging_epoch",
                type="EpochEndOffset",
                struct=epoch_end_offset_struct,
                versions=(12, 32767),
                tagged=(12, 32767),
                tag=0,
                default=Default.EMPTY_STRUCT,
            ),
            FieldSchema(
                name="CurrentLeader",
                attribute="current_leader",
                type="LeaderIdAndEpoch",
                struct=leader_id_and_epoch_struct,
                versions=(12, 32767),
                tagged=(12, 32767),
                tag=1,
                default=Default.EMPTY_STRUCT,
            ),
            FieldSchema(
                name="SnapshotId",
                attribute="snapshot_id",
                type="SnapshotId",
                struct=snapshot_id_struct,
                versions=(12, 32767),
                tagged=(12, 32767),
                tag=2,
                default=Default.EMPTY_STRUCT,
            ),
            FieldSchema(
                name="AbortedTransactions",
                attribute="aborted_transactions",
                type="AbortedTransaction",
                struct=aborted_transaction_struct,
                array=True,
                versions=(4, 32767),
                nullable=(4, 32767),
                default=Default.EMPTY_ARRAY,
                ignorable=True,
            ),
            FieldSchema(
                name="PreferredReadReplica",
                attribute="preferred_read_replica",
                type="int32",
                versions=(11, 32767),
                default=-1,
            ),
            FieldSchema(
                name="Records",
                attribute="records",
                type="records",
                versions=(0, 32767),
                nullable=(0, 32767),
                default=None,
            ),
        ),
    )
    fetchable_topic_response_struct = StructSchema(
        python_class=FetchResponseFetchableTopicResponse,
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
                type="PartitionData",
                struct=partition_data_struct,
                array=True,
                versions=(0, 32767),
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    node_endpoint_struct = StructSchema(
        python_class=FetchResponseNodeEndpoint,
        fields=(
            FieldSchema(
                name="NodeId",
                attribute="node_id",
                type="int32",
                versions=(16, 32767),
                default=0,
            ),
            FieldSchema(
                name="Host",
                attribute="host",
                type="string",
                versions=(16, 32767),
                default="",
            ),
            FieldSchema(
                name="Port",
                attribute="port",
                type="int32",
                versions=(16, 32767),
                default=0,
            ),
            FieldSchema(
                name="Rack",
                attribute="rack",
                type="string",
                versions=(16, 32767),
                nullable=(16, 32767),
                default=None,
            ),
        ),
    )
    fetch_response_struct = StructSchema(
        python_class=FetchResponse,
        fields=(
            FieldSchema(
                name="ThrottleTimeMs",
                attribute="throttle_time_ms",
                type="int32",
                versions=(1, 32767),
                default=0,
                ignorable=True,
            ),
            FieldSchema(
                name="ErrorCode",
                attribute="error_code",
                type="int16",
                versions=(7, 32767),
                default=0,
                ignorable=True,
            ),
            FieldSchema(
                name="SessionId",
                attribute="session_id",
                type="int32",
                versions=(7, 32767),
                default=0,
            ),
            FieldSchema(
                name="Responses",
                attribute="responses",
                type="FetchableTopicResponse",
                struct=fetchable_topic_response_struct,
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
                versions=(16, 32767),
                tagged=(16, 32767),
                tag=0,
                default=Default.EMPTY_ARRAY,
            ),
        ),
    )
    return MessageSchema(name="FetchResponse", flexible_from=12, root=fetch_response_struct)
