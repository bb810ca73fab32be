"""One share group: its members, its target assignment, and which of its partitions have a state.

What is kept in records changes by `ShareGroup.replay` only. No decision is made here; `share.heartbeat` has them.

A group has two epochs. The group epoch grows whenever members, topics or initialized partitions change; the assignment
epoch is the group epoch for which the target assignment was made. A member takes its part of the target over with its
next heartbeat, because it need not wait for others to give it up.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kafkaproto.message import Message
from kafkaproto.messages import (
    ShareGroupCurrentMemberAssignmentKey,
    ShareGroupMemberMetadataKey,
    ShareGroupMetadataKey,
    ShareGroupMetadataValue,
    ShareGroupStatePartitionMetadataKey,
    ShareGroupStatePartitionMetadataValue,
    ShareGroupTargetAssignmentMemberKey,
    ShareGroupTargetAssignmentMemberValue,
    ShareGroupTargetAssignmentMetadataKey,
    ShareGroupTargetAssignmentMetadataValue,
)
from kafkaproto_server.core.coordinators.groups.modern.group import ModernGroup
from kafkaproto_server.core.coordinators.groups.sessions import MemberSessionWatch
from kafkaproto_server.core.coordinators.groups.share.member import ShareGroupMember
from kafkaproto_server.core.coordinators.groups.share.partitions import StatePartitions, state_partitions_of
from kafkaproto_server.requests.consumer_group_requests import NO_PARTITIONS, Partitions, partitions_of

FIRST_EPOCH = 1
"""The group epoch, and the assignment epoch, of a group without records about them."""

ShareMembers = Mapping[str, ShareGroupMember]


class ShareGroupState(enum.Enum):
    """The state of a group, by the names that Kafka's tools print."""

    EMPTY = "Empty"
    STABLE = "Stable"


@dataclass(slots=True)
class ShareGroup(ModernGroup[ShareGroupMember, Partitions, MemberSessionWatch]):
    epoch: int = FIRST_EPOCH
    assignment_epoch: int = FIRST_EPOCH
    states: StatePartitions | None = None
    name_counts: Counter[tuple[str, ...]] = field(default_factory=Counter)
    """How many members subscribe to the same topics. Most members of a group say the same."""
    refresh_at_ms: int | None = None
    """When topics are to be looked at again at the latest; None for now. In memory only."""
    initializing_since_ms: int = 0
    """When partitions were found to be initializing; if they still are long after, that is done once more. In memory
    only."""
    _is_pending: bool | None = None
    """`is_assignment_pending`, as long as it cannot have changed."""

    # -- questions -----------------------------------------------------------------------------------------------

    @property
    def state(self) -> ShareGroupState:
        return ShareGroupState.STABLE if self.members else ShareGroupState.EMPTY

    def subscribed_topics(
        self, *, without: Sequence[ShareGroupMember] = (), plus: ShareGroupMember | None = None
    ) -> set[str]:
        """The names of the topics that the members subscribe to, or would without some members or with another one."""
        fewer = Counter(each.subscribed_topic_names for each in without)
        names = [each for each, count in self.name_counts.items() if count > fewer[each]]
        if plus is not None:
            names.append(plus.subscribed_topic_names)
        return set().union(*names)

    def is_assignment_pending(self) -> bool:
        """Whether partitions of subscribed topics are initialized, and the target assignment does not have them."""
        if self._is_pending is None:
            self._is_pending = self._has_unassigned()
        return self._is_pending

    def _has_unassigned(self) -> bool:
        if not self.members or self.states is None or not self.states.initialized:
            return False
        names = self.subscribed_topics()
        assigned: dict[bytes, set[int]] = {}
        for target in self.targets.values():
            for topic_id, indexes in target.items():
                assigned.setdefault(topic_id, set()).update(indexes)
        return any(
            topic.name in names and frozenset(assigned.get(topic_id, ())) != topic.partitions
            for topic_id, topic in self.states.initialized.items()
        )

    def note_changed_topics(self, names: frozenset[str]) -> None:
        """These topics have changed: the group looks at its topics again if it uses one of them."""
        if not names.isdisjoint(self.subscribed_topics()):
            self.refresh_at_ms = None

    # -- records -------------------------------------------------------------------------------------------------

    def replay(self, key: Message, value: Message | None, now_ms: int) -> bool:
        """Take a record over. Returns whether the group is still there.

        A record may be about something that is not known (any more): compaction removes records that others followed.
        Then it says what is so, and nothing of what came before is missed.
        """
        self._is_pending = None
        match key:
            case ShareGroupMetadataKey():
                if value is None:
                    return False
                assert isinstance(value, ShareGroupMetadataValue), "it is the key's value"
                self._replay_epoch(value)
            case ShareGroupTargetAssignmentMetadataKey():
                assert value is None or isinstance(value, ShareGroupTargetAssignmentMetadataValue), (
                    "it is the key's value"
                )
                self._replay_assignment_epoch(value)
            case ShareGroupTargetAssignmentMemberKey():
                assert value is None or isinstance(value, ShareGroupTargetAssignmentMemberValue), (
                    "it is the key's value"
                )
                self._replay_target(key.member_id, None if value is None else _target(value))
            case ShareGroupMemberMetadataKey():
                self._replay_member(key.member_id, value)
            case ShareGroupCurrentMemberAssignmentKey():
                self._replay_current(key.member_id, value)
            case ShareGroupStatePartitionMetadataKey():
                self._replay_states(value, now_ms)
        return True

    def _new_member(self, member_id: str) -> ShareGroupMember:
        return ShareGroupMember(member_id=member_id)

    def _replay_states(self, value: Message | None, now_ms: int) -> None:
        self.initializing_since_ms = now_ms
        if value is None:
            self.states = None
            return
        assert isinstance(value, ShareGroupStatePartitionMetadataValue), "it is the key's value"
        self.states = state_partitions_of(value)

    def _note(self, member: ShareGroupMember) -> None:
        self.name_counts[member.subscribed_topic_names] += 1

    def _release(self, member: ShareGroupMember) -> None:
        names = member.subscribed_topic_names
        self.name_counts[names] -= 1
        if not self.name_counts[names]:
            del self.name_counts[names]

    def target_of(self, member_id: str) -> Partitions:
        """The target of a member."""
        return self.targets.get(member_id, NO_PARTITIONS)


def _target(value: ShareGroupTargetAssignmentMemberValue) -> Partitions:
    return partitions_of([(each.topic_id, each.partitions) for each in value.topic_partitions])
