"""One consumer group: its members, its target assignment and who owns which partition.

What is kept in records changes by `ConsumerGroup.replay` only. No decision is made here; `consumer.heartbeat` has them.

A group has two epochs. The group epoch grows whenever members or topics change; the assignment epoch is the group epoch
for which the target assignment was made. Each member follows with an epoch of its own as it takes over its part of the
target (KIP-848).
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from kafkaproto.message import Message
from kafkaproto.messages import (
    ConsumerGroupCurrentMemberAssignmentKey,
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMemberMetadataValue,
    ConsumerGroupMetadataKey,
    ConsumerGroupMetadataValue,
    ConsumerGroupPartitionMetadataKey,
    ConsumerGroupRegularExpressionKey,
    ConsumerGroupRegularExpressionValue,
    ConsumerGroupTargetAssignmentMemberKey,
    ConsumerGroupTargetAssignmentMemberValue,
    ConsumerGroupTargetAssignmentMetadataKey,
    ConsumerGroupTargetAssignmentMetadataValue,
)
from kafkaproto_server.core.coordinators.groups.consumer.member import ConsumerMember
from kafkaproto_server.core.coordinators.groups.modern.group import ReconcilingGroup
from kafkaproto_server.core.coordinators.groups.revocations import RevocationWatch
from kafkaproto_server.requests.consumer_group_requests import NO_PARTITIONS, Partitions, partitions_of

Members = Mapping[str, ConsumerMember]


class ConsumerState(enum.Enum):
    """The state of a group, by the names that Kafka's tools print."""

    EMPTY = "Empty"
    ASSIGNING = "Assigning"
    RECONCILING = "Reconciling"
    STABLE = "Stable"


class ResolvedRegex(msgspec.Struct, frozen=True, kw_only=True):
    """What a regular expression matches."""

    topics: frozenset[str]
    version: int
    """The version of the metadata in which its topics were looked for."""
    wall_ms: int
    """When that was."""


def topics_of(member: ConsumerMember, regexes: Mapping[str, ResolvedRegex]) -> Iterable[str]:
    """The names of the topics that a member subscribes to. A regular expression that is not resolved has none."""
    resolved = regexes.get(member.subscribed_topic_regex)
    if resolved is None:
        return member.subscribed_topic_names
    return sorted(resolved.topics.union(member.subscribed_topic_names))


@dataclass(slots=True)
class Watch(RevocationWatch):
    """When a member is fenced unless something happens. In memory only."""

    request_ends_ms: int | None = None
    """When a member of the classic protocol has to have sent its next JoinGroup or SyncGroup; None if none is due."""


@dataclass(slots=True)
class ConsumerGroup(ReconcilingGroup[ConsumerMember, Partitions, Watch]):
    """A group. It may have no member: then it only has offsets."""

    has_partition_metadata: bool = False
    """Whether an older release left a record of type 4, which is to be removed."""
    owners: dict[tuple[bytes, int], str] = field(default_factory=dict)
    """Member id by partition: it has the partition, or has not given it up yet."""
    regexes: dict[str, ResolvedRegex] = field(default_factory=dict)
    regex_counts: Counter[str] = field(default_factory=Counter)
    """How many members subscribe to each regular expression."""
    name_counts: Counter[tuple[str, ...]] = field(default_factory=Counter)
    """How many members subscribe to the same topics by name. Most members of a group say the same."""
    refresh_at_ms: int | None = None
    """When topics are to be looked at again at the latest; None for now. In memory only."""
    is_resolving: bool = False
    """Whether its regular expressions are about to be resolved. In memory only."""

    # -- questions -----------------------------------------------------------------------------------------------

    @property
    def state(self) -> ConsumerState:
        """The state, which follows from the epochs."""
        if not self.members:
            return ConsumerState.EMPTY
        if self.epoch > self.assignment_epoch:
            return ConsumerState.ASSIGNING
        return ConsumerState.STABLE if self.is_reconciled else ConsumerState.RECONCILING

    def target_of(self, member_id: str, instance_id: str | None) -> Partitions:
        """The target of a member. One that takes a static member's place takes its target, too."""
        target = self.targets.get(member_id)
        if target is None and instance_id is not None:
            target = self.targets.get(self.static_ids.get(instance_id, ""))
        return NO_PARTITIONS if target is None else target

    def topics_of(self, member: ConsumerMember) -> Iterable[str]:
        return topics_of(member, self.regexes)

    def subscribed_topics(
        self,
        *,
        without: Sequence[ConsumerMember] = (),
        plus: ConsumerMember | None = None,
        regexes: Mapping[str, ResolvedRegex] | None = None,
    ) -> set[str]:
        """The names of the topics that the members subscribe to, or would without some members, with another one, or
        with other topics for regular expressions. A regular expression that is not resolved has none."""
        resolved = self.regexes if regexes is None else regexes
        fewer_names = Counter(each.subscribed_topic_names for each in without)
        fewer_regexes = Counter(each.subscribed_topic_regex for each in without)
        names = [each for each, count in self.name_counts.items() if count > fewer_names[each]]
        used = [each for each, count in self.regex_counts.items() if count > fewer_regexes[each]]
        if plus is not None:
            names.append(plus.subscribed_topic_names)
            used.append(plus.subscribed_topic_regex)
        topics = (resolved[each].topics for each in used if each in resolved)
        return set().union(*names, *topics)

    def note_changed_topics(self, names: frozenset[str]) -> None:
        """These topics have changed: the group looks at its topics again if it uses one of them."""
        if not names.isdisjoint(self.subscribed_topics()):
            self.refresh_at_ms = None

    # -- records -------------------------------------------------------------------------------------------------

    def replay(self, key: Message, value: Message | None) -> bool:
        """Take a record over. Returns whether the group is still there.

        A record may be about something that is not known (any more): compaction removes records that others followed.
        Then it says what is so, and nothing of what came before is missed.
        """
        match key:
            case ConsumerGroupMetadataKey():
                if value is None:
                    return False
                assert isinstance(value, ConsumerGroupMetadataValue), "it is the key's value"
                self._replay_epoch(value)
            case ConsumerGroupPartitionMetadataKey():
                self.has_partition_metadata = value is not None
            case ConsumerGroupTargetAssignmentMetadataKey():
                assert value is None or isinstance(value, ConsumerGroupTargetAssignmentMetadataValue), (
                    "it is the key's value"
                )
                self._replay_assignment_epoch(value)
            case ConsumerGroupTargetAssignmentMemberKey():
                assert value is None or isinstance(value, ConsumerGroupTargetAssignmentMemberValue), (
                    "it is the key's value"
                )
                self._replay_target(key.member_id, None if value is None else _target(value))
            case ConsumerGroupMemberMetadataKey():
                self._replay_member(key.member_id, value)
            case ConsumerGroupCurrentMemberAssignmentKey():
                self._replay_current(key.member_id, value)
            case ConsumerGroupRegularExpressionKey():
                self._replay_regex(key.regular_expression, value)
        return True

    def _new_member(self, member_id: str) -> ConsumerMember:
        return ConsumerMember(member_id=member_id)

    def _replay_member(self, member_id: str, value: Message | None) -> None:
        ReconcilingGroup._replay_member(self, member_id, value)
        if value is None:
            return
        assert isinstance(value, ConsumerGroupMemberMetadataValue), "it is the key's value"
        if value.classic_member_metadata is not None and not self.members[member_id].is_classic:
            self.problem = "a member of the classic protocol has no protocol"

    def _replay_regex(self, regex: str, value: Message | None) -> None:
        if value is None:
            self.regexes.pop(regex, None)
            return
        assert isinstance(value, ConsumerGroupRegularExpressionValue), "it is the key's value"
        self.regexes[regex] = ResolvedRegex(
            topics=frozenset(value.topics), version=value.version, wall_ms=value.timestamp
        )

    def _note(self, member: ConsumerMember) -> None:
        ReconcilingGroup._note(self, member)
        self.name_counts[member.subscribed_topic_names] += 1
        if member.subscribed_topic_regex:
            self.regex_counts[member.subscribed_topic_regex] += 1
        for partition in member.held():
            self.owners[partition] = member.member_id

    def _release(self, member: ConsumerMember) -> None:
        ReconcilingGroup._release(self, member)
        names, regex = member.subscribed_topic_names, member.subscribed_topic_regex
        self.name_counts[names] -= 1
        if not self.name_counts[names]:
            del self.name_counts[names]
        if regex:
            self.regex_counts[regex] -= 1
            if not self.regex_counts[regex]:
                del self.regex_counts[regex]
        # Only what is still its own: a later record may have given a partition to somebody else already, if the
        # record in which this member gave it up was compacted away.
        for partition in member.held():
            if self.owners.get(partition) == member.member_id:
                del self.owners[partition]


def _target(value: ConsumerGroupTargetAssignmentMemberValue) -> Partitions:
    return partitions_of([(each.topic_id, each.partitions) for each in value.topic_partitions])
