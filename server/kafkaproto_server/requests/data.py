"""What handlers of the data APIs hand to a broker's replicas, and what they get back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.file_part import Sendable
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.base.types import NO_NODE, OffsetAndEpoch
from kafkaproto_server.requests.fetch_requests import PartitionFetch
from kafkaproto_server.requests.sender import Sender

NO_OFFSET = -1


class ProduceItem(msgspec.Struct, frozen=True, kw_only=True):
    """The records of one partition of a Produce request."""

    topic_id: bytes
    index: int
    records: Buffer
    allows_zstd: bool
    """Whether the version of the request allows zstd."""
    sender: Sender = msgspec.field(default_factory=Sender)
    """Who has sent the request; all items of a request have the same."""
    guard: object | None = None
    """Of records that begin a transaction in the partition: the coordinator knows of them (see
    `core.replicas.verification`)."""


class ProduceResult(msgspec.Struct, frozen=True, kw_only=True):
    code: ErrorCode
    base_offset: int = NO_OFFSET
    append_time_ms: int = -1
    """The broker's time if the topic has LogAppendTime; -1 otherwise."""
    log_start_offset: int = NO_OFFSET
    message: str | None = None
    record_errors: Sequence[tuple[int, str | None]] = ()
    """Position in the batch and reason of each refused record."""
    refusing_epoch: int = -1
    """The leader's epoch if it refused the batch because of what it knows of the producer; -1 otherwise."""


class MarkerItem(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a producer's transaction in one partition, as its coordinator decided it."""

    topic: str
    index: int
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int
    is_abort: bool
    transaction_version: int


Produced = Callable[[list[ProduceResult]], None]
"""Takes the results of a Produce request, in the order of its items."""


class PartitionResult(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a session has to know of a partition that was read."""

    error_code: int = 0
    high_watermark: int
    """-1 with an error; this holds for the log start offset too."""
    log_start_offset: int
    records_bytes: int = 0
    """Size of the records that the response has."""
    is_limited: bool = False
    """There are more records at the fetch offset: the response had no room for them, or a quota held them back."""
    preferred_read_replica: int = -1
    is_diverging: bool = False
    """The response has a diverging epoch."""


class ReadResult(PartitionResult, frozen=True, kw_only=True, gc=False):
    """What a Fetch request gets of one partition."""

    last_stable_offset: int = NO_OFFSET
    records: Sendable = b""
    diverging: OffsetAndEpoch | None = None
    """Where the log of a follower leaves that of the leader."""
    aborted: Sequence[tuple[int, int]] | None = None
    """Producer id and first offset of the aborted transactions among the records; None unless read_committed."""
    leader_id: int = NO_NODE
    leader_epoch: int = -1
    """The leader, with an error that says that the client asked another one."""


class FetchResult(msgspec.Struct, frozen=True, kw_only=True):
    """The response to a Fetch request."""

    error_code: int
    session_id: int
    responses: Sequence[tuple[PartitionFetch, ReadResult]]
    throttle_ms: int = 0
    """How many milliseconds the sender has to wait, with an empty response."""


Fetched = Callable[[FetchResult], None]


class EpochQuery(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What an OffsetForLeaderEpoch request asks of one partition."""

    topic: str
    index: int
    current_leader_epoch: int
    """Epoch that the sender believes the leader to be in; -1 if it does not say."""
    leader_epoch: int
    """The epoch whose end is asked for."""


class EpochEnd(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    code: ErrorCode = ErrorCode.NONE
    leader_epoch: int = -1
    """The newest epoch that is not above the one asked for; -1, with the offset, if the leader knows of none."""
    end_offset: int = NO_OFFSET


class ProducerStatus(Protocol):
    """An active producer of a partition; -1 stands for what there is not."""

    @property
    def producer_id(self) -> int: ...
    @property
    def producer_epoch(self) -> int: ...
    @property
    def last_sequence(self) -> int: ...
    @property
    def last_timestamp(self) -> int: ...
    @property
    def coordinator_epoch(self) -> int: ...
    @property
    def current_txn_start_offset(self) -> int: ...


class LogStatus(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The log of one replica in a log directory."""

    directory_id: bytes
    topic: str
    index: int
    size: int
    """Bytes of its segments, without their indexes."""
    offset_lag: int
    """How many offsets it lacks of what is committed, or of what the replica has if it is a copy; -1 if the replica is
    offline."""
    is_future: bool = False
    """Whether it is a copy of a replica that moves to this directory."""


class DeletionItem(msgspec.Struct, frozen=True, kw_only=True):
    """A partition of a DeleteRecords request."""

    topic_id: bytes
    index: int
    offset: int
    """The first offset that is kept; -1 for the high watermark."""


class DeletionResult(msgspec.Struct, frozen=True, kw_only=True):
    code: ErrorCode
    low_watermark: int = NO_OFFSET
    """The lowest log start of all live replicas; -1 with an error, unless it is that the time was over."""


RecordsDeleted = Callable[[DeletionResult], None]
"""Takes the result for one partition of a DeleteRecords request."""


class OffsetQuery(msgspec.Struct, frozen=True, kw_only=True):
    """What a ListOffsets request asks of one partition."""

    topic: str
    index: int
    timestamp: int
    """Milliseconds, or one of the special values."""
    current_leader_epoch: int
    is_from_client: bool
    is_committed_only: bool
    sender: Sender | None = None
    """Who asks; None for this broker itself."""


class OffsetResult(msgspec.Struct, frozen=True, kw_only=True):
    code: ErrorCode = ErrorCode.NONE
    timestamp: int = -1
    offset: int = NO_OFFSET
    leader_epoch: int = -1
