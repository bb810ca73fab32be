"""What requests about share groups say, and what they get (KIP-932): between the handlers of their APIs and the
coordinator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.types import ZERO_UUID
from kafkaproto_server.requests.consumer_group_requests import Partitions

NO_LAG = -1


class ShareHeartbeatValues(msgspec.Struct, frozen=True, kw_only=True):
    """What a ShareGroupHeartbeat request says. None stands for what did not change since the last one."""

    group_id: str
    member_id: str
    member_epoch: int
    rack_id: str | None = None
    subscribed_topic_names: tuple[str, ...] | None = None
    """A member that sends them gets its assignment again."""
    client_id: str = ""
    client_host: str = ""


class ShareHeartbeatOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The response to a ShareGroupHeartbeat request."""

    code: ErrorCode
    message: str | None = None
    member_id: str | None = None
    member_epoch: int = 0
    heartbeat_interval_ms: int = 0
    assignment: Partitions | None = None
    """The partitions from which the member should read; None if that is what it was told before."""


ShareHeard: TypeAlias = Callable[[ShareHeartbeatOutcome], None]


class TopicIdPartition(NamedTuple):
    """A partition of a share group."""

    topic_id: bytes
    partition: int


class ShareOffset(msgspec.Struct, frozen=True, kw_only=True):
    """What DescribeShareGroupOffsets responds for one partition."""

    partition: int
    start_offset: int = -1
    """All records before it are done with; -1 if that is not known."""
    leader_epoch: int = 0
    lag: int = NO_LAG
    """How many records are not done with (KIP-1226)."""
    code: ErrorCode = ErrorCode.NONE
    message: str | None = None


class ShareOffsetsOfTopic(msgspec.Struct, frozen=True, kw_only=True):
    """What DescribeShareGroupOffsets responds for one topic."""

    topic: str
    topic_id: bytes = ZERO_UUID
    """Zero if there is no such topic."""
    partitions: Iterable[ShareOffset]
    """They are made one by one: there may be very many."""


ShareOffsetsDescribed: TypeAlias = Callable[[ErrorCode, Sequence[ShareOffsetsOfTopic]], None]


class AlteredPartition(NamedTuple):
    """The result for one partition of an AlterShareGroupOffsets request."""

    partition: int
    code: ErrorCode
    message: str | None = None


class AlteredTopic(NamedTuple):
    """The result for one topic of it."""

    topic: str
    topic_id: bytes
    """Zero if there is no such topic."""
    partitions: Sequence[AlteredPartition]


ShareOffsetsAltered: TypeAlias = Callable[[ErrorCode, str | None, Sequence[AlteredTopic]], None]
NewOffsets: TypeAlias = Mapping[str, Mapping[int, int]]
"""By topic name and partition: the offset from which the group is to begin."""


class DeletedTopic(NamedTuple):
    """The result for one topic of a DeleteShareGroupOffsets request."""

    topic: str | None
    """None if the topic was deleted meanwhile."""
    topic_id: bytes
    """Zero if nothing was to be deleted."""
    code: ErrorCode
    message: str | None = None


ShareOffsetsDeleted: TypeAlias = Callable[[ErrorCode, str | None, Sequence[DeletedTopic]], None]

LatestOffset: TypeAlias = tuple[ErrorCode, int]
LatestOffsets: TypeAlias = Callable[
    [Sequence[TopicIdPartition], Callable[[Mapping[TopicIdPartition, LatestOffset]], None]], None
]
"""Finds the latest offset of each partition, that of its high watermark, on whatever broker; calls the second argument
later, once."""
