"""What one heartbeat changes: the records so far, and the member as they make it. The group itself stays as it is."""

from __future__ import annotations

import msgspec

from kafkaproto.messages import ConsumerGroupMemberMetadataValue
from kafkaproto_server.core.coordinators.groups.consumer import records as write
from kafkaproto_server.core.coordinators.groups.consumer.group import ConsumerGroup
from kafkaproto_server.core.coordinators.groups.consumer.member import ConsumerMember
from kafkaproto_server.core.coordinators.groups.consumer.reconciliation import next_step
from kafkaproto_server.core.coordinators.groups.consumer.regexes import check_regex
from kafkaproto_server.core.coordinators.groups.consumer.targets import ConsumerQuestion
from kafkaproto_server.core.coordinators.groups.consumer.validation import check_epoch
from kafkaproto_server.core.coordinators.groups.consumer.values import RegexCompiler
from kafkaproto_server.core.coordinators.groups.membership import (
    check_released,
    dynamic_member,
    static_member,
)
from kafkaproto_server.core.coordinators.groups.topics import Topics
from kafkaproto_server.core.coordinators.values import Record
from kafkaproto_server.requests.consumer_group_requests import JOIN_EPOCH, HeartbeatValues, Partitions


class ConsumerChange:
    """The changes of one heartbeat."""

    def __init__(self, group: ConsumerGroup, records: list[Record]) -> None:
        self.group = group
        self.records = records
        self.epoch = group.epoch
        self.member = self._before = ConsumerMember(member_id="")
        self.is_refreshed = False
        """Whether topics were looked at."""
        self.question: ConsumerQuestion | None = None
        """What ``assignor`` is to compute once the records are written: the targets of a large group."""
        self.assignor = ""
        self.has_stepped = False
        self.has_new_names = False
        self.has_new_assignor = False
        self.has_resolved_regex = False
        """Whether another regular expression counts for the member now; one that is not resolved does so later."""
        self._has_new_regex = False
        self._replaced_id: str | None = None

    def members(self) -> dict[str, ConsumerMember]:
        """The group's members with the member of this heartbeat as it is now."""
        found = dict(self.group.members)
        if self._replaced_id is not None:
            found.pop(self._replaced_id, None)
        found[self.member.member_id] = self.member
        return found

    def replaced(self) -> list[ConsumerMember]:
        """The group's members whose place the member of this heartbeat takes: itself as it was, and a static one."""
        ids = (self.member.member_id, self._replaced_id)
        members = self.group.members
        return [members[each] for each in dict.fromkeys(ids) if each is not None and each in members]

    @property
    def has_other_partitions(self) -> bool:
        """Whether the member is assigned other partitions than before."""
        return self.member.assigned != self._before.assigned

    def find_member(self, values: HeartbeatValues, member_id: str) -> None:
        """The member as it was, or a new one. Raises CoordinatorError."""
        group = self.group
        is_joining = values.member_epoch == JOIN_EPOCH
        if values.instance_id is None:
            if is_joining and member_id not in group.members:
                member = ConsumerMember(member_id=member_id)
            else:
                member = dynamic_member(group, member_id)
            check_epoch(member, values.member_epoch, values.topic_partitions)
        elif is_joining:
            old = group.static_member(values.instance_id)
            if old is None:
                member = group.members.get(member_id) or ConsumerMember(member_id=member_id)
            else:
                # A JoinGroup takes the place of a member at once, as in classic groups.
                if values.classic_session_timeout_ms is None:
                    check_released(old, values.instance_id)
                member = self._replace(old, member_id)
        else:
            member = static_member(group, values.instance_id, member_id)
            check_epoch(member, values.member_epoch, values.topic_partitions)
        self.member = self._before = member

    def _replace(self, old: ConsumerMember, member_id: str) -> ConsumerMember:
        """A static member is back under a new member id, and keeps what it had."""
        group_id = self.group.group_id
        member = msgspec.structs.replace(old, member_id=member_id, epoch=0, previous_epoch=0)
        target = self.group.target_of(old.member_id, None)
        self.records += write.removal_records(group_id, old.member_id)
        self.records.append(write.member_record(group_id, member))
        self.records.append(write.target_record(group_id, member_id, target))
        self.records.append(write.current_record(group_id, member))
        if member_id != old.member_id:
            self._replaced_id = old.member_id
        return member

    def update_member(self, values: HeartbeatValues, compile_regex: RegexCompiler) -> None:
        """Take over what the request says of the member. Raises CoordinatorError (INVALID_REGULAR_EXPRESSION)."""
        old = self.member
        new = self.member = _updated(old, values)
        if new != old:
            self.records.append(write.member_record(self.group.group_id, new))
        self.has_new_names = new.subscribed_topic_names != old.subscribed_topic_names
        self.has_new_assignor = new.server_assignor != old.server_assignor
        if new.subscribed_topic_regex == old.subscribed_topic_regex:
            return
        self._has_new_regex = True
        counts = self.group.regex_counts
        if old.subscribed_topic_regex and counts[old.subscribed_topic_regex] == 1:
            self.records.append(write.no_regex_record(self.group.group_id, old.subscribed_topic_regex))
        if not new.subscribed_topic_regex:
            self.has_resolved_regex = True
        elif counts[new.subscribed_topic_regex]:
            self.has_resolved_regex = new.subscribed_topic_regex in self.group.regexes
        else:
            check_regex(new.subscribed_topic_regex, compile_regex)

    def step(
        self, target_epoch: int, target: Partitions, reported: Partitions | None, topics: Topics
    ) -> None:
        """Let the member take its next step. Raises CoordinatorError (FENCED_MEMBER_EPOCH)."""
        member = self.member
        has_new_subscription = self.has_new_names or self._has_new_regex
        if not has_new_subscription and member.is_reconciled_to(target_epoch):
            return
        names = frozenset(self.group.topics_of(member))

        def is_subscribed(topic_id: bytes) -> bool:
            view = topics.by_id(topic_id)
            return view is not None and view.name in names

        self.member = next_step(
            member,
            target_epoch=target_epoch,
            target=target,
            is_subscribed=is_subscribed,
            has_new_subscription=has_new_subscription,
            reported=reported,
            is_owned=lambda topic_id, index: (topic_id, index) in self.group.owners,
        )
        self.has_stepped = self.member != member
        if self.has_stepped:
            self.records.append(write.current_record(self.group.group_id, self.member))


def _updated(member: ConsumerMember, values: HeartbeatValues) -> ConsumerMember:
    names, regex = values.subscribed_topic_names, values.subscribed_topic_regex
    return msgspec.structs.replace(
        member,
        instance_id=member.instance_id if values.instance_id is None else values.instance_id,
        rack_id=member.rack_id if values.rack_id is None else values.rack_id,
        client_id=values.client_id,
        client_host=values.client_host,
        subscribed_topic_names=member.subscribed_topic_names if names is None else tuple(sorted(set(names))),
        subscribed_topic_regex=member.subscribed_topic_regex if regex is None else regex,
        rebalance_timeout_ms=(
            member.rebalance_timeout_ms if values.rebalance_timeout_ms == -1 else values.rebalance_timeout_ms
        ),
        server_assignor=member.server_assignor if values.server_assignor is None else values.server_assignor,
        classic_metadata=_classic_metadata(values),
    )


def _classic_metadata(
    values: HeartbeatValues,
) -> ConsumerGroupMemberMetadataValue.ClassicMemberMetadata | None:
    if values.classic_session_timeout_ms is None:
        return None
    return ConsumerGroupMemberMetadataValue.ClassicMemberMetadata(
        session_timeout_ms=values.classic_session_timeout_ms,
        supported_protocols=[
            ConsumerGroupMemberMetadataValue.ClassicProtocol(name=name, metadata=metadata)
            for name, metadata in values.classic_protocols
        ],
    )
