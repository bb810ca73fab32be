"""ShareFetch and ShareAcknowledge as values, in one form for all versions (KIP-932)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.base.types import NO_NODE

INITIAL_EPOCH: Final = 0
"""Epoch of a request that begins a session."""
FINAL_EPOCH: Final = -1
"""Epoch of a request that ends one."""

BATCH_OPTIMIZED: Final = 0
"""Acquire mode: the member gets whole batches, and perhaps more records than it asks for."""
RECORD_LIMIT: Final = 1
"""Acquire mode: the member gets no more records than it asks for (KIP-1206)."""

TopicPartitionId: TypeAlias = tuple[bytes, int]
"""Topic id and index of a partition."""

AcknowledgedRange: TypeAlias = tuple[int, int, Sequence[int]]
"""First and last offset, and one acknowledge type for all or one for each offset."""


class ShareKey(NamedTuple):
    group_id: str
    topic_id: bytes
    partition: int


class ShareError(Exception):
    """A request about a share partition, or a session, is refused."""

    def __init__(self, code: ErrorCode, message: str | None = None) -> None:
        super().__init__(message or code.name)
        self.code = code
        self.message = message


class ShareMember(msgspec.Struct, frozen=True, kw_only=True):
    """The sender of a request: a member, and the epoch of its session."""

    group_id: str
    member_id: str
    epoch: int
    connection: Hashable
    """Identifies the connection: a session ends with the one that it began on."""


class ShareFetchValues(msgspec.Struct, frozen=True, kw_only=True):
    """What a ShareFetch request asks for, apart from its acknowledgements."""

    member: ShareMember
    max_wait_ms: int
    min_bytes: int
    max_bytes: int
    max_records: int
    batch_size: int
    acquire_mode: int
    """`BATCH_OPTIMIZED`, `RECORD_LIMIT`, or another number, which is refused."""
    partitions: Sequence[TopicPartitionId]
    """Those that the request names: new to the session, or acknowledged."""
    forgotten: Sequence[TopicPartitionId]
    client_host: str = ""
    """The host that sent it."""


class ShareAcknowledgeResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the acknowledgements of one partition."""

    code: ErrorCode = ErrorCode.NONE
    message: str | None = None
    leader_id: int = NO_NODE
    """The leader and its epoch, if the request went to another broker."""
    leader_epoch: int = -1


class ShareFetchResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a member gets of one partition."""

    code: ErrorCode = ErrorCode.NONE
    message: str | None = None
    records: Buffer = b""
    acquired: Sequence[tuple[int, int, int]] = ()
    """First and last offset, and delivery count."""
    leader_id: int = NO_NODE
    """As in `ShareAcknowledgeResult`."""
    leader_epoch: int = -1


class ShareFetched(msgspec.Struct, frozen=True, kw_only=True):
    """The response to a fetch."""

    code: ErrorCode = ErrorCode.NONE
    message: str | None = None
    partitions: Mapping[TopicPartitionId, ShareFetchResult] = {}
    throttle_ms: int = 0
    """How many milliseconds the sender has to wait, with an empty response."""


ShareFetchDone = Callable[[ShareFetched], None]

Acknowledgements = Mapping[TopicPartitionId, Sequence[AcknowledgedRange]]

ShareAcknowledgeDone = Callable[[Mapping[TopicPartitionId, ShareAcknowledgeResult]], None]
