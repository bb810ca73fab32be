"""The server-side assignor of share groups: `simple`.

A partition may have many members. If there are more members than partitions, the partitions get about equally many
members, and no member is idle; otherwise each partition gets one member. Members keep what they had as far as that
allows. Results depend on the input alone: ties are broken by ids.

If all members subscribe to the same topics, the partitions of all topics are shared out together, otherwise topic by
topic. Kafka has this in SimpleAssignor; its results are as even, but ties depend on the order of its hash tables.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kafkaproto_server.requests.consumer_group_requests import Partitions, partitions_of
from kafkaproto_server.requests.share_group_requests import TopicIdPartition

SIMPLE = "simple"


class ShareMemberSpec(NamedTuple):
    """A member, as far as the assignor looks at it."""

    member_id: str
    topic_ids: tuple[bytes, ...]
    """Those of its topics that exist, ascending."""
    target: Partitions
    """What the target assignment before this one gave it."""


def assign_simple(
    members: Sequence[ShareMemberSpec], assignable: Mapping[bytes, frozenset[int]]
) -> dict[str, Partitions]:
    """The target of each member. ``assignable`` are the partitions that may be assigned, by topic id."""
    in_order = sorted(members, key=lambda each: each.member_id)
    found: dict[str, list[TopicIdPartition]] = {each.member_id: [] for each in in_order}
    if len({each.topic_ids for each in in_order}) <= 1:
        topic_ids = in_order[0].topic_ids if in_order else ()
        _share_out(in_order, topic_ids, assignable, found)
    else:
        subscribers: dict[bytes, list[ShareMemberSpec]] = {}
        for member in in_order:
            for topic_id in member.topic_ids:
                subscribers.setdefault(topic_id, []).append(member)
        for topic_id in sorted(subscribers):
            _share_out(subscribers[topic_id], (topic_id,), assignable, found)
    return {member_id: _by_topic(partitions) for member_id, partitions in found.items()}


def _by_topic(partitions: Sequence[TopicIdPartition]) -> Partitions:
    indexes: dict[bytes, list[int]] = {}
    for topic_id, index in partitions:
        indexes.setdefault(topic_id, []).append(index)
    return partitions_of(list(indexes.items()))


def _share_out(
    members: Sequence[ShareMemberSpec],
    topic_ids: Sequence[bytes],
    assignable: Mapping[bytes, frozenset[int]],
    found: dict[str, list[TopicIdPartition]],
) -> None:
    """Share the partitions of topics out among their subscribers."""
    partitions = [
        TopicIdPartition(topic_id, index)
        for topic_id in topic_ids
        for index in sorted(assignable.get(topic_id, ()))
    ]
    if not partitions:
        return
    sharing = -(-len(members) // len(partitions))
    sharers: dict[TopicIdPartition, set[str]] = {each: set() for each in partitions}
    counts = _counts(len(members), sharing * len(partitions))
    unfilled: deque[tuple[str, int]] = deque()
    for member, count in zip(members, counts, strict=True):
        kept = _kept(member, topic_ids, count, sharing, sharers)
        found[member.member_id] += kept
        if len(kept) < count:
            unfilled.append((member.member_id, count - len(kept)))
    for partition in partitions:
        _fill(partition, sharing, sharers[partition], unfilled, found)


def _counts(members: int, total: int) -> list[int]:
    """How many partitions each member gets: as equal as possible. Whole numbers are found as Kafka finds them."""
    each = total / members
    return [math.ceil(each * (number + 1)) - math.ceil(each * number) for number in range(members)]


def _kept(
    member: ShareMemberSpec,
    topic_ids: Sequence[bytes],
    count: int,
    sharing: int,
    sharers: dict[TopicIdPartition, set[str]],
) -> list[TopicIdPartition]:
    """What a member keeps of what it had, and takes a place for."""
    kept: list[TopicIdPartition] = []
    for topic_id in topic_ids:
        for index in member.target.get(topic_id, ()):
            partition = TopicIdPartition(topic_id, index)
            if len(kept) < count and partition in sharers and len(sharers[partition]) < sharing:
                sharers[partition].add(member.member_id)
                kept.append(partition)
    return kept


def _fill(
    partition: TopicIdPartition,
    sharing: int,
    sharers: set[str],
    unfilled: deque[tuple[str, int]],
    found: dict[str, list[TopicIdPartition]],
) -> None:
    """Give a partition to members that have too few, until it has enough or all of these have it."""
    for _ in range(len(unfilled)):
        if len(sharers) >= sharing:
            return
        member_id, missing = unfilled.popleft()
        if member_id in sharers:
            unfilled.append((member_id, missing))
            continue
        sharers.add(member_id)
        found[member_id].append(partition)
        if missing > 1:
            unfilled.append((member_id, missing - 1))
