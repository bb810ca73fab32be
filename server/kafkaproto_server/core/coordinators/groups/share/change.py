"""What one heartbeat of a share group changes: the records so far, and the member as they make it.

The group itself stays as it is.
"""

from __future__ import annotations

import msgspec

from kafkaproto_server.core.coordinators.groups.membership import check_epoch, dynamic_member
from kafkaproto_server.core.coordinators.groups.share import records as write
from kafkaproto_server.core.coordinators.groups.share.group import ShareGroup
from kafkaproto_server.core.coordinators.groups.share.member import ShareGroupMember
from kafkaproto_server.core.coordinators.groups.share.targets import ShareQuestion
from kafkaproto_server.core.coordinators.groups.topics import Topics
from kafkaproto_server.core.coordinators.values import Record
from kafkaproto_server.requests.consumer_group_requests import JOIN_EPOCH, Partitions
from kafkaproto_server.requests.share_group_requests import ShareHeartbeatValues


class ShareChange:
    """The changes of one heartbeat."""

    def __init__(self, group: ShareGroup, values: ShareHeartbeatValues) -> None:
        """Take over what the request says of its member. Raises CoordinatorError (UNKNOWN_MEMBER_ID,
        FENCED_MEMBER_EPOCH)."""
        self.group = group
        self.records: list[Record] = []
        self.epoch = group.epoch
        self.before = self._find(values)
        self.member = _updated(self.before, values)
        if self.member != self.before:
            self.records.append(write.member_record(group.group_id, self.member))
        self.has_new_names = self.member.subscribed_topic_names != self.before.subscribed_topic_names
        self.names: set[str] | None = None
        """What the group subscribes to, if that was looked at anew."""
        self.question: ShareQuestion | None = None
        """What is to be computed once the records are written: the targets of a large group."""

    def _find(self, values: ShareHeartbeatValues) -> ShareGroupMember:
        if values.member_epoch == JOIN_EPOCH and values.member_id not in self.group.members:
            return ShareGroupMember(member_id=values.member_id)
        member = dynamic_member(self.group, values.member_id)
        check_epoch(member, values.member_epoch, lambda: True)
        return member

    @property
    def has_new_epoch(self) -> bool:
        """Whether the group epoch grows."""
        return self.epoch != self.group.epoch

    @property
    def has_other_partitions(self) -> bool:
        """Whether the member is assigned other partitions than before."""
        return self.member.assigned != self.before.assigned

    def members(self) -> dict[str, ShareGroupMember]:
        """The group's members with the member of this heartbeat as it is now."""
        return {**self.group.members, self.member.member_id: self.member}

    def look_at_names(self) -> set[str]:
        """What the group subscribes to now."""
        before = self.group.members.get(self.member.member_id)
        without = [] if before is None else [before]
        self.names = self.group.subscribed_topics(without=without, plus=self.member)
        return self.names

    def subscribed_topics(self) -> set[str]:
        """The same, or what is known of it."""
        return self.group.subscribed_topics() if self.names is None else self.names

    def step(self, target_epoch: int, target: Partitions, topics: Topics) -> None:
        """Give the member its part of the target, without the topics to which it does not subscribe."""
        member = self.member
        if not self.has_new_epoch and member.epoch == target_epoch:
            return
        names = frozenset(member.subscribed_topic_names)
        assigned = {
            topic_id: indexes
            for topic_id, indexes in target.items()
            if (view := topics.by_id(topic_id)) is not None and view.name in names
        }
        if member.epoch != target_epoch:
            self.member = member.at_epoch(target_epoch, assigned)
        else:
            self.member = msgspec.structs.replace(member, assigned=assigned)
        if self.member != member:
            self.records.append(write.current_record(self.group.group_id, self.member))


def _updated(member: ShareGroupMember, values: ShareHeartbeatValues) -> ShareGroupMember:
    names = values.subscribed_topic_names
    return msgspec.structs.replace(
        member,
        rack_id=member.rack_id if values.rack_id is None else values.rack_id,
        client_id=values.client_id,
        client_host=values.client_host,
        subscribed_topic_names=member.subscribed_topic_names if names is None else tuple(sorted(set(names))),
    )
