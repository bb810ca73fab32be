"""When the offsets of a group expire (KIP-211).

Offsets of topics to which the group is subscribed do not expire. The others expire `offsets.retention.minutes` after

- the group became empty, if it is a classic group with a protocol and without members;
- their commit, if the group is a simple one (it has no protocol), a consumer group of KIP-848, or a stable classic
  group whose subscriptions are known.

In any other state nothing expires. Apache Kafka has this in offsetExpirationCondition of ClassicGroup and of
ConsumerGroup.
"""

from __future__ import annotations

from collections.abc import Callable, Container

import msgspec

from kafkaproto_server.core.coordinators.groups.classic.group import ClassicGroup, ClassicState
from kafkaproto_server.core.coordinators.groups.offsets.table import NO_TIMESTAMP, OffsetAndMetadata

CONSUMER_PROTOCOL_TYPE = "consumer"
"""The protocol type of groups whose members say to which topics they are subscribed."""


class Expiration(msgspec.Struct, frozen=True, kw_only=True):
    """The rule for the offsets of one group, at one moment."""

    empty_since_ms: int | None = None
    """Wall time since which the group is empty, if the retention begins then; None if it begins with each commit."""
    is_subscribed: Callable[[str], bool]
    """Whether the group is subscribed to a topic."""

    def has_expired(self, entry: OffsetAndMetadata, *, wall_ms: int, retention_ms: int) -> bool:
        """Whether an offset of a topic without subscription has expired."""
        if entry.expire_timestamp_ms != NO_TIMESTAMP:
            return wall_ms >= entry.expire_timestamp_ms
        begin_ms = entry.commit_timestamp_ms if self.empty_since_ms is None else self.empty_since_ms
        return wall_ms - begin_ms >= retention_ms


def classic_expiration(group: ClassicGroup, subscribed: Container[str] | None) -> Expiration | None:
    """The rule for a classic group; None if none of its offsets expires now.

    ``subscribed`` are the topics of its members, None if they are unknown: the protocol type is not "consumer", or the
    metadata of a member cannot be read.
    """
    if group.protocol_type is None:
        return Expiration(is_subscribed=_to_nothing)
    if group.state is ClassicState.EMPTY:
        # Records that old releases wrote do not say since when.
        since_ms = None if group.state_since_ms == NO_TIMESTAMP else group.state_since_ms
        return Expiration(empty_since_ms=since_ms, is_subscribed=_to_nothing)
    is_consumers = group.protocol_type == CONSUMER_PROTOCOL_TYPE
    if is_consumers and group.state is ClassicState.STABLE and subscribed is not None:
        return Expiration(is_subscribed=subscribed.__contains__)
    return None


def _to_nothing(topic: str) -> bool:
    return False
