"""A new target assignment: which assignor makes it, from what, and the records that keep it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from kafkaproto_server.coordinator.groups.consumer.group import ConsumerGroup, Members
from kafkaproto_server.coordinator.groups.consumer.records import target_epoch_record, target_record
from kafkaproto_server.coordinator.groups.consumer.topics import Topics
from kafkaproto_server.coordinator.groups.consumer.values import Assignor, MemberSpec
from kafkaproto_server.coordinator.values import Record
from kafkaproto_server.requests.consumer_group_requests import Partitions


def preferred_assignor(members: Members, names: Sequence[str]) -> str:
    """The assignor that most members want, of those that the broker has; the first of ``names`` if nobody wants one.

    Of two that equally many want, the one that comes first in the broker's list.
    """
    wanted = Counter(member.server_assignor for member in members.values() if member.server_assignor in names)
    return max(names, key=lambda name: wanted[name])


def new_targets(
    group: ConsumerGroup, members: Members, assignor: Assignor, topics: Topics
) -> dict[str, Partitions]:
    """The target of each of these members."""
    partition_counts: dict[bytes, int] = {}
    known: dict[tuple[tuple[str, ...], str], tuple[bytes, ...]] = {}
    specs = []
    for member in members.values():
        subscription = member.subscribed_topic_names, member.subscribed_topic_regex
        if subscription not in known:
            views = [topics.by_name(name) for name in group.topics_of(member)]
            found = {view.topic_id: view.partition_count for view in views if view is not None}
            partition_counts.update(found)
            known[subscription] = tuple(sorted(found))
        target = group.target_of(member.member_id, member.instance_id)
        specs.append(MemberSpec(member.member_id, member.instance_id, known[subscription], target))
    return assignor(specs, partition_counts)


def records_of_targets(
    group: ConsumerGroup, targets: Mapping[str, Partitions], epoch: int, wall_ms: int
) -> list[Record]:
    """Records for those members whose target changes, and the epoch behind them: with it, all are there."""
    records = [
        target_record(group.group_id, member_id, target)
        for member_id, target in targets.items()
        if group.targets.get(member_id) != target
    ]
    records.append(target_epoch_record(group.group_id, epoch, wall_ms))
    return records
