"""A new target assignment: which assignor makes it, and from what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kafkaproto_server.core.coordinators.groups.consumer.group import (
    ConsumerGroup,
    Members,
    ResolvedRegex,
    topics_of,
)
from kafkaproto_server.core.coordinators.groups.consumer.values import Assignor, MemberSpec
from kafkaproto_server.core.coordinators.groups.modern.targets import targets_for_present
from kafkaproto_server.core.coordinators.groups.topics import Topics, TopicView
from kafkaproto_server.requests.consumer_group_requests import Partitions


def preferred_assignor(members: Members, names: Sequence[str]) -> str:
    """The assignor that most members want, of those that the broker has; the first of ``names`` if nobody wants one.

    Of two that equally many want, the one that comes first in the broker's list.
    """
    wanted = Counter(member.server_assignor for member in members.values() if member.server_assignor in names)
    return max(names, key=lambda name: wanted[name])


class ConsumerQuestion(NamedTuple):
    """What targets are made from. None of it changes, so that another thread may answer."""

    members: Members
    regexes: Mapping[str, ResolvedRegex]
    views: Mapping[str, TopicView]
    """The topics that members subscribe to, by name."""
    targets: Mapping[str, Partitions]
    """The targets before, by member id."""

    @property
    def size(self) -> int:
        """To which the time for an answer is about proportional."""
        partitions = sum(view.partition_count for view in self.views.values())
        resolved = {regex: len(each.topics) for regex, each in self.regexes.items()}
        return partitions + sum(
            len(each.subscribed_topic_names) + resolved.get(each.subscribed_topic_regex, 0)
            for each in self.members.values()
        )

    def answer(self, assignor: Assignor) -> dict[str, Partitions]:
        """The target of each of these members."""
        partition_counts = {view.topic_id: view.partition_count for view in self.views.values()}
        known: dict[tuple[tuple[str, ...], str], tuple[bytes, ...]] = {}
        specs = []
        for member_id, member in self.members.items():
            subscription = member.subscribed_topic_names, member.subscribed_topic_regex
            if subscription not in known:
                names = topics_of(member, self.regexes)
                known[subscription] = tuple(
                    sorted(self.views[name].topic_id for name in names if name in self.views)
                )
            target = self.targets[member_id]
            specs.append(MemberSpec(member_id, member.instance_id, known[subscription], target))
        return assignor(specs, partition_counts)

    def for_present(self, targets: Mapping[str, Partitions], members: Members) -> dict[str, Partitions]:
        """The answer for those who are members by now."""
        return targets_for_present(targets, self.members, members)


def question(group: ConsumerGroup, members: Members, topics: Topics) -> ConsumerQuestion:
    """What the targets of these members of a group are made from."""
    # Most members of a group say the same: each subscription is looked at once.
    subscriptions = {
        (each.subscribed_topic_names, each.subscribed_topic_regex): each for each in members.values()
    }
    names: set[str] = set().union(*map(group.topics_of, subscriptions.values()))
    views = {name: view for name in names if (view := topics.by_name(name)) is not None}
    targets = {member_id: group.target_of(member_id, each.instance_id) for member_id, each in members.items()}
    return ConsumerQuestion(members, dict(group.regexes), views, targets)
