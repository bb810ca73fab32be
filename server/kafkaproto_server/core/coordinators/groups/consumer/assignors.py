"""The server-side assignors of consumer groups: `uniform` and `range`.

An assignor gets all members with what they subscribe to and what they had, and says what each of them should have. It
gives every partition of a topic that has a subscriber to exactly one of them. Results depend on the input alone: ties
are broken by ids. As in Apache Kafka 4.4.0, neither of them looks at racks; a change of racks only makes them run anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kafkaproto_server.core.coordinators.groups.consumer.uniform import assign_uniform
from kafkaproto_server.core.coordinators.groups.consumer.values import Assignor, MemberSpec
from kafkaproto_server.requests.consumer_group_requests import Partitions

UNIFORM, RANGE = "uniform", "range"


def assign_range(
    members: Sequence[MemberSpec], partition_counts: Mapping[bytes, int]
) -> dict[str, Partitions]:
    """Give each subscriber of a topic a range of its partitions.

    All topics go through the subscribers in the same order, so members that subscribe to the same topics with equal
    numbers of partitions get equal numbers: they can join what belongs together. Static members come first, in order of
    their instance ids, so that they keep their ranges when they come back with new member ids.
    """
    found: dict[str, dict[bytes, tuple[int, ...]]] = {member.member_id: {} for member in members}
    in_order = sorted(
        members,
        key=lambda each: (
            each.instance_id is None,
            each.member_id if each.instance_id is None else each.instance_id,
        ),
    )
    subscribers: dict[bytes, list[str]] = {}
    for member in in_order:
        for topic_id in member.topic_ids:
            subscribers.setdefault(topic_id, []).append(member.member_id)
    for topic_id in sorted(subscribers):
        least, extra = divmod(partition_counts[topic_id], len(subscribers[topic_id]))
        start = 0
        for number, member_id in enumerate(subscribers[topic_id]):
            end = start + least + (number < extra)
            if end > start:
                found[member_id][topic_id] = tuple(range(start, end))
            start = end
    return dict(found)


ASSIGNORS: Mapping[str, Assignor] = {UNIFORM: assign_uniform, RANGE: assign_range}
"""Those that come with the broker, by name."""
