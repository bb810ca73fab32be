"""A new target assignment: what it is made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kafkaproto_server.core.coordinators.groups.share.assignor import ShareMemberSpec, assign_simple
from kafkaproto_server.core.coordinators.groups.share.group import ShareGroup, ShareMembers
from kafkaproto_server.core.coordinators.groups.topics import Topics
from kafkaproto_server.requests.consumer_group_requests import Partitions


class ShareQuestion(NamedTuple):
    """What targets are made from. None of it changes, so that another thread may answer."""

    members: ShareMembers
    topic_ids: Mapping[str, bytes]
    """Of the topics that members subscribe to and that exist, by name."""
    assignable: Mapping[bytes, frozenset[int]]
    """The initialized partitions."""
    targets: Mapping[str, Partitions]
    """The targets before, by member id."""

    @property
    def size(self) -> int:
        """To which the time for an answer is about proportional."""
        partitions = sum(map(len, self.assignable.values()))
        return partitions + sum(len(each.subscribed_topic_names) for each in self.members.values())

    def answer(self) -> dict[str, Partitions]:
        """The target of each of these members."""
        known: dict[tuple[str, ...], tuple[bytes, ...]] = {}
        specs = []
        for member_id, member in self.members.items():
            names = member.subscribed_topic_names
            if names not in known:
                known[names] = tuple(sorted(self.topic_ids[name] for name in names if name in self.topic_ids))
            specs.append(ShareMemberSpec(member_id, known[names], self.targets.get(member_id, {})))
        return assign_simple(specs, self.assignable)

    def for_present(self, targets: Mapping[str, Partitions], members: ShareMembers) -> dict[str, Partitions]:
        """The answer for those who are members by now."""
        return {member_id: each for member_id, each in targets.items() if member_id in members}


def share_question(group: ShareGroup, members: ShareMembers, topics: Topics) -> ShareQuestion:
    """What the targets of these members of a group are made from."""
    names = set().union(*{each.subscribed_topic_names for each in members.values()})
    topic_ids = {name: view.topic_id for name in names if (view := topics.by_name(name)) is not None}
    initialized = {} if group.states is None else group.states.initialized
    assignable = {
        topic_id: initialized[topic_id].partitions
        for topic_id in topic_ids.values()
        if topic_id in initialized
    }
    return ShareQuestion(members, topic_ids, assignable, dict(group.targets))
