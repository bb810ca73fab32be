"""What requests of members of consumer groups say, and what they get (KIP-848): between the handlers of their APIs and
the coordinator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import msgspec

from kafkaproto.error_codes import ErrorCode

JOIN_EPOCH = 0
"""The member epoch of a member that joins."""
LEAVE_EPOCH = -1
"""The member epoch of a member that leaves for good."""
LEAVE_STATIC_EPOCH = -2
"""The member epoch of a static member that leaves and will be back within its session timeout."""

Partitions: TypeAlias = Mapping[bytes, tuple[int, ...]]
"""Partition indexes, ascending, by topic id. No topic is without partitions."""
NO_PARTITIONS: Partitions = {}


class HeartbeatValues(msgspec.Struct, frozen=True, kw_only=True):
    """What a ConsumerGroupHeartbeat request says. None stands for what did not change since the last one."""

    group_id: str
    member_id: str
    member_epoch: int
    instance_id: str | None = None
    rack_id: str | None = None
    rebalance_timeout_ms: int = -1
    subscribed_topic_names: tuple[str, ...] | None = None
    subscribed_topic_regex: str | None = None
    server_assignor: str | None = None
    topic_partitions: Partitions | None = None
    """The partitions that the member owns."""
    lists_topics: bool = False
    """Whether the request lists topics for them, even without partitions."""
    client_id: str = ""
    client_host: str = ""
    classic_protocols: tuple[tuple[str, bytes], ...] = ()
    """Name and metadata of each protocol of a member that has sent a JoinGroup instead."""
    classic_session_timeout_ms: int | None = None
    """The session timeout that such a member wants."""
    makes_member_id: bool = True
    """Whether clients make the ids of members: from version 1 of the request on (KIP-1082)."""
    may_describe: Callable[[str], bool] = lambda name: True
    """Whether the client may see a topic. Its regular expressions match no other topics."""

    @property
    def is_full(self) -> bool:
        """Whether everything is in it: a member sends such a request after an error, and gets its assignment again."""
        has_subscription = self.subscribed_topic_names is not None or self.subscribed_topic_regex is not None
        return self.rebalance_timeout_ms != -1 and has_subscription and self.topic_partitions is not None


class HeartbeatOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The response to a ConsumerGroupHeartbeat request."""

    code: ErrorCode
    message: str | None = None
    member_id: str | None = None
    member_epoch: int = 0
    heartbeat_interval_ms: int = 0
    assignment: Partitions | None = None
    """The partitions that the member should own; None if that is what it was told before."""


Heard: TypeAlias = Callable[[HeartbeatOutcome], None]


def partitions_of(pairs: Sequence[tuple[bytes, Sequence[int]]]) -> Partitions:
    """Partitions by topic, from lists as messages have them."""
    found: dict[bytes, set[int]] = {}
    for topic_id, indexes in pairs:
        if indexes:
            found.setdefault(topic_id, set()).update(indexes)
    return {topic_id: tuple(sorted(found[topic_id])) for topic_id in sorted(found)}
