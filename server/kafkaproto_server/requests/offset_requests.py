"""What requests about committed offsets say, and what their responses do, whatever the version: OffsetCommit,
TxnOffsetCommit, OffsetFetch and OffsetDelete."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.types import ZERO_UUID
from kafkaproto_server.requests.group_requests import NO_GENERATION

INVALID_OFFSET = -1
"""What a fetch returns for a partition without a committed offset."""
NO_LEADER_EPOCH = -1
NO_RETENTION_TIME = -1
"""As retention time of an OffsetCommit: the broker's settings apply."""


class OffsetCommitPartition(msgspec.Struct, frozen=True, kw_only=True):
    """What an OffsetCommit or TxnOffsetCommit request says of one partition."""

    topic: str
    topic_id: bytes = ZERO_UUID
    """Zero if it is not known."""
    partition: int
    committed_offset: int
    committed_leader_epoch: int = NO_LEADER_EPOCH
    committed_metadata: str | None = None


class TopicPartitions(msgspec.Struct, frozen=True, kw_only=True):
    """Partitions of one topic, of an OffsetFetch or OffsetDelete request."""

    topic: str
    topic_id: bytes = ZERO_UUID
    """Zero if the request has none. Otherwise offsets of another topic of this name are not found."""
    partitions: tuple[int, ...]


class FetchedPartition(msgspec.Struct, frozen=True, kw_only=True):
    """What an OffsetFetch response says of one partition."""

    partition: int
    code: ErrorCode = ErrorCode.NONE
    committed_offset: int = INVALID_OFFSET
    committed_leader_epoch: int = NO_LEADER_EPOCH
    metadata: str = ""


class FetchedTopic(msgspec.Struct, frozen=True, kw_only=True):
    """What an OffsetFetch response says of one topic."""

    topic: str
    topic_id: bytes
    """That of the request; zero if all topics of the group were asked for."""
    partitions: tuple[FetchedPartition, ...]


class Committer(msgspec.Struct, frozen=True, kw_only=True):
    """Who commits offsets: a member of the group, or somebody who only keeps offsets there."""

    member_id: str = ""
    group_instance_id: str | None = None
    generation: int = NO_GENERATION
    """Generation of a classic group, or member epoch of a consumer group."""
    version: int
    """Of the request. Clients of early versions do not know all errors."""


class ProducerKey(msgspec.Struct, frozen=True, kw_only=True):
    """A producer with a transaction."""

    producer_id: int
    producer_epoch: int


class OffsetReader(msgspec.Struct, frozen=True, kw_only=True):
    """Who fetches offsets, and which ones."""

    member_id: str | None = None
    """Of a member of a consumer group; None if the sender does not say that it is one."""
    member_epoch: int = NO_GENERATION
    require_stable: bool


Results = Callable[[ErrorCode, Sequence[ErrorCode]], None]
"""Takes NONE and the result of each partition in the order of the request; or the reason why it is not known whether
the records are committed, and no results."""

GroupDeleted = Callable[[ErrorCode], None]


class OffsetsGoneError(Exception):
    """Another broker coordinates the group by now, and has its offsets."""


OffsetsFetched = Callable[[ErrorCode, Iterable[FetchedTopic]], None]
"""Takes NONE and the offsets, or the reason why it is not known whether they are committed and no offsets. If all
offsets of a group were asked for, they are looked up topic by topic, as the topics are taken. A topic with very many of
them comes several times in a row, and OffsetsGoneError may be raised instead of one."""
