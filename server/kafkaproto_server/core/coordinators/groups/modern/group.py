"""What consumer, share and streams groups keep alike: members, a target assignment, and the epochs of both.

What is kept in records changes by `replay` only. No decision is made here.

A group has two epochs. The group epoch grows whenever something changes by which members are assigned; the assignment
epoch is the group epoch for which the target assignment was made.

Apache Kafka has this in ModernGroup, ModernGroupMember and, for streams groups, StreamsGroup.
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, Self, TypeVar

from kafkaproto.message import Message
from kafkaproto_server.core.coordinators.groups.problems import usable_epoch
from kafkaproto_server.core.coordinators.groups.sessions import MemberSessionWatch

NO_EPOCH = -1


class EpochValue(Protocol):
    """The value of a record with the group epoch."""

    @property
    def epoch(self) -> int:
        """The epoch."""

    @property
    def metadata_hash(self) -> int:
        """The hash of the topics that it was made for."""


class TargetEpochValue(Protocol):
    """The value of a record with the assignment epoch."""

    @property
    def assignment_epoch(self) -> int:
        """The epoch."""

    @property
    def assignment_timestamp(self) -> int:
        """When the target was made, in wall time."""


class ModernMember(Protocol):
    """A member: a value that is replaced when its records are replayed."""

    @property
    def member_id(self) -> str:
        """Its id."""

    @property
    def epoch(self) -> int:
        """Its epoch."""

    def with_metadata(self, value: Any) -> Self:
        """The member with what a record says of it."""

    def with_assignment(self, value: Any) -> Self:
        """The member with the assignment that a record gives it."""

    def without_assignment(self) -> Self:
        """The member after a tombstone for its assignment: it is about to be removed."""


class ReconcilingMember(ModernMember, Protocol):
    """A member that has to give up what others are to get."""

    @property
    def instance_id(self) -> str | None:
        """That of a static member."""

    @property
    def is_stable(self) -> bool:
        """Whether it has what the target assignment of its epoch gives it."""


MemberT = TypeVar("MemberT", bound=ModernMember)
ReconcilingMemberT = TypeVar("ReconcilingMemberT", bound=ReconcilingMember)
TargetT = TypeVar("TargetT")
WatchT = TypeVar("WatchT", bound=MemberSessionWatch)


@dataclass(slots=True)
class ModernGroup(ABC, Generic[MemberT, TargetT, WatchT]):
    """A group. It may have no member: then it only has offsets."""

    group_id: str
    epoch: int = 0
    metadata_hash: int = 0
    """Of the topics that the members use, when the epoch grew last."""
    assignment_epoch: int = 0
    assignment_wall_ms: int = 0
    members: dict[str, MemberT] = field(default_factory=dict)
    targets: dict[str, TargetT] = field(default_factory=dict)
    """The target assignment, by member id."""
    watches: dict[str, WatchT] = field(default_factory=dict)
    """By member id. In memory only."""
    is_assigning: bool = False
    """Whether its next target assignment is computed elsewhere. In memory only."""
    counted: enum.Enum | None = None
    """See `Counted`."""
    problem: str | None = None
    """What made no sense in the group's records, and was mended."""

    @property
    @abstractmethod
    def state(self) -> enum.Enum:
        """The state, which follows from the members and epochs."""

    @abstractmethod
    def note_changed_topics(self, names: frozenset[str]) -> None:
        """These topics have changed: the group looks at its topics again if it uses one of them."""

    # -- records -------------------------------------------------------------------------------------------------

    @abstractmethod
    def _new_member(self, member_id: str) -> MemberT:
        """A member of which nothing else is known."""

    def _replay_epoch(self, value: EpochValue) -> None:
        self.epoch, self.metadata_hash = usable_epoch(self, value.epoch), value.metadata_hash

    def _replay_assignment_epoch(self, value: TargetEpochValue | None) -> None:
        if value is None:
            self.assignment_epoch, self.assignment_wall_ms = NO_EPOCH, 0
            return
        self.assignment_epoch = usable_epoch(self, value.assignment_epoch)
        self.assignment_wall_ms = value.assignment_timestamp

    def _replay_target(self, member_id: str, target: TargetT | None) -> None:
        if target is None:
            self.targets.pop(member_id, None)
        else:
            self.targets[member_id] = target

    def _replay_member(self, member_id: str, value: Message | None) -> None:
        member = self.members.get(member_id)
        if value is not None:
            self._put((member or self._new_member(member_id)).with_metadata(value))
        elif member is not None:
            self._forget(member)

    def _replay_current(self, member_id: str, value: Message | None) -> None:
        member = self.members.get(member_id)
        if value is not None:
            self._put((member or self._new_member(member_id)).with_assignment(value))
        elif member is not None:
            self._put(member.without_assignment())

    def _put(self, member: MemberT) -> None:
        old = self.members.get(member.member_id)
        if old is not None:
            self._release(old)
        self.members[member.member_id] = member
        self._note(member)

    def _forget(self, member: MemberT) -> None:
        del self.members[member.member_id]
        self._release(member)
        self.watches.pop(member.member_id, None)

    @abstractmethod
    def _note(self, member: MemberT) -> None:
        """Take a member into what is derived of the members."""

    @abstractmethod
    def _release(self, member: MemberT) -> None:
        """Take a member out of it."""


@dataclass(slots=True)
class ReconcilingGroup(ModernGroup[ReconcilingMemberT, TargetT, WatchT]):
    """A group whose members follow the target with epochs of their own, because they give up what others are to get.
    It may have static members."""

    static_ids: dict[str, str] = field(default_factory=dict)
    """Member ids by instance id."""
    stable_counts: Counter[int] = field(default_factory=Counter)
    """How many members have reached each epoch, and have nothing to give up."""

    def static_member(self, instance_id: str) -> ReconcilingMemberT | None:
        """The member of an instance id."""
        return self.members.get(self.static_ids.get(instance_id, ""))

    @property
    def is_reconciled(self) -> bool:
        """Whether all members have what the target gives them."""
        return self.stable_counts[self.assignment_epoch] == len(self.members)

    def _note(self, member: ReconcilingMemberT) -> None:
        if member.is_stable:
            self.stable_counts[member.epoch] += 1
        if member.instance_id is not None:
            self.static_ids[member.instance_id] = member.member_id

    def _release(self, member: ReconcilingMemberT) -> None:
        if member.is_stable:
            self.stable_counts[member.epoch] -= 1
            if not self.stable_counts[member.epoch]:
                del self.stable_counts[member.epoch]
        instance_id = member.instance_id
        if instance_id is not None and self.static_ids.get(instance_id) == member.member_id:
            del self.static_ids[instance_id]
