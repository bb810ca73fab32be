"""One group of the classic protocol: its members, its generation and its state.

No decision is made here; `groups.classic` has them. A group's state is kept as a record (`GroupMetadata`) whenever a
generation is complete, with the members' subscriptions and assignments. What happens between two generations is in
memory only: after a failover, members join again.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from kafkaproto.messages import GroupMetadataKey, GroupMetadataValue
from kafkaproto_server.core.coordinators.values import Record
from kafkaproto_server.requests.group_requests import Joined, Synced

GROUP_METADATA_VERSION = 3
"""The version of the value that Apache Kafka 4.4.0 writes; it reads version 4 as well."""
NO_PROTOCOL = ""
MAX_GENERATION = 2**31 - 1
"""Of an int32. The generation after it is the first again; no member can take it for the one that it knows."""


class ClassicState(enum.Enum):
    """The state of a group, by the names that Kafka's tools print."""

    EMPTY = "Empty"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"


@dataclass(slots=True)
class ClassicMember:
    member_id: str
    group_instance_id: str | None
    client_id: str
    client_host: str
    rebalance_timeout_ms: int
    session_timeout_ms: int
    protocols: tuple[tuple[str, bytes], ...]
    """Name and metadata of each protocol that it supports, the one that it likes most first."""
    assignment: bytes = b""
    is_new: bool = True
    """Whether it has not had the response to its first JoinGroup yet."""
    session_ends_ms: int = 0
    """When it is removed unless it is heard from; of no meaning while it waits for a response."""
    watched_ms: int | None = None
    """When a call is due that looks whether its session has ended; None if there is none."""
    joining: Joined | None = None
    """Takes the result of its JoinGroup, which waits."""
    syncing: Synced | None = None
    """Takes the result of its SyncGroup, which waits."""

    def metadata_of(self, protocol: str) -> bytes:
        """Its metadata of a protocol that it supports."""
        return next(metadata for name, metadata in self.protocols if name == protocol)

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for a response: then its session does not end."""
        return self.joining is not None or self.syncing is not None


@dataclass(slots=True)
class ClassicGroup:
    """A group. It may have no member: then it only has offsets."""

    group_id: str
    state: ClassicState = ClassicState.EMPTY
    state_since_ms: int = -1
    """Wall time."""
    generation: int = 0
    protocol_type: str | None = None
    protocol: str | None = None
    leader_id: str | None = None
    members: dict[str, ClassicMember] = field(default_factory=dict)
    static_ids: dict[str, str] = field(default_factory=dict)
    """Member ids by instance id."""
    pending_ids: set[bytes] = field(default_factory=set)
    """Ids that were handed out to members which have not joined with them yet: see `PendingMembers`."""
    unsynced: set[str] = field(default_factory=set)
    """Members of this generation that have not sent their SyncGroup."""
    supported: Counter[str] = field(default_factory=Counter)
    """By how many members each protocol is supported."""
    has_new_member: bool = False
    """Whether one joined while the first rebalance waits for more."""
    waits_for_delay: bool = False
    """Whether its rebalance is the first one since it was empty: that waits for members that may come."""
    counted: enum.Enum | None = None
    """See `Counted`."""
    rebalance: int = 0
    """Counts rebalances, so that a call for the end of an earlier one is told from this one's."""
    problem: str | None = None
    """What made no sense in the record from which the group was read, and was left out."""

    @property
    def is_unused(self) -> bool:
        """Whether nothing was ever kept of it, and nobody is about to join. The first member brings a protocol type."""
        return not self.generation and self.protocol_type is None and not self.pending_ids

    def become(self, state: ClassicState, wall_ms: int) -> None:
        self.state = state
        self.state_since_ms = wall_ms

    def add(self, member: ClassicMember) -> None:
        """Take a member in; the first one leads."""
        if self.leader_id is None:
            self.leader_id = member.member_id
        self.members[member.member_id] = member
        if member.group_instance_id is not None:
            self.static_ids[member.group_instance_id] = member.member_id
        self.supported.update(dict(member.protocols).keys())

    def remove(self, member: ClassicMember) -> None:
        """Forget a member. If it led, the first of the others does."""
        del self.members[member.member_id]
        if self.static_ids.get(member.group_instance_id or "") == member.member_id:
            del self.static_ids[member.group_instance_id or ""]
        self._support_ends(member)
        self.unsynced.discard(member.member_id)
        if self.leader_id == member.member_id:
            self.leader_id = next(iter(self.members), None)

    def replace_static(self, member: ClassicMember, new_id: str) -> None:
        """A static member begins again: from now on it has another id."""
        del self.members[member.member_id]
        is_leader = self.leader_id == member.member_id
        self.unsynced.discard(member.member_id)
        member.member_id = new_id
        self.members[new_id] = member
        assert member.group_instance_id is not None, "a static member has one"
        self.static_ids[member.group_instance_id] = new_id
        if is_leader:
            self.leader_id = new_id

    def set_protocols(self, member: ClassicMember, protocols: tuple[tuple[str, bytes], ...]) -> None:
        """A member supports other protocols, or says other things with them."""
        self._support_ends(member)
        member.protocols = protocols
        self.supported.update(dict(protocols).keys())

    def _support_ends(self, member: ClassicMember) -> None:
        for name in dict(member.protocols):
            self.supported[name] -= 1
            if not self.supported[name]:
                del self.supported[name]

    def supports(self, protocol_type: str, names: Sequence[str]) -> bool:
        """Whether a member with these protocols could be in the group."""
        if self.state is ClassicState.EMPTY:
            return bool(protocol_type) and bool(names)
        return self.protocol_type == protocol_type and any(
            self.supported[name] == len(self.members) for name in names
        )

    def has_room(self, member_id: str, limit: int) -> bool:
        """Whether the group may take a member in, or the member is in it already and not behind the limit."""
        member = self.members.get(member_id)
        if self.state is ClassicState.EMPTY or len(self.members) < limit:
            return True
        if self.state is ClassicState.PREPARING_REBALANCE:
            # Those count that have joined anew: after a limit was lowered, the first to come stay.
            waiting = sum(each.joining is not None for each in self.members.values())
            return (member is not None and member.joining is not None) or waiting < limit
        return member is not None

    def choose_protocol(self) -> str:
        """The protocol that most members like best of those that all support."""
        count = len(self.members)
        candidates = {name for name, supporters in self.supported.items() if supporters == count}
        votes = Counter(
            next(name for name, _ in member.protocols if name in candidates)
            for member in self.members.values()
        )
        return votes.most_common(1)[0][0]

    @property
    def rebalance_timeout_ms(self) -> int:
        """The longest that any member wants to have for a rebalance."""
        return max(member.rebalance_timeout_ms for member in self.members.values())

    @property
    def has_all_joined(self) -> bool:
        """Whether nobody else is waited for."""
        return not self.pending_ids and all(member.joining is not None for member in self.members.values())

    def begin_generation(self, wall_ms: int) -> None:
        """All who are here have joined."""
        self.generation = self.generation + 1 if self.generation < MAX_GENERATION else 1
        if self.members:
            self.protocol = self.choose_protocol()
            self.become(ClassicState.COMPLETING_REBALANCE, wall_ms)
        else:
            self.protocol = None
            self.become(ClassicState.EMPTY, wall_ms)
        self.unsynced = set(self.members)

    def record(self, assignments: dict[str, bytes]) -> Record:
        """The group as it is kept, with these assignments."""
        protocol = self.protocol or NO_PROTOCOL
        value = GroupMetadataValue(
            protocol_type=self.protocol_type or "",
            generation=self.generation,
            protocol=self.protocol,
            leader=self.leader_id,
            current_state_timestamp=self.state_since_ms,
            members=[
                GroupMetadataValue.MemberMetadata(
                    member_id=member.member_id,
                    group_instance_id=member.group_instance_id,
                    client_id=member.client_id,
                    client_host=member.client_host,
                    rebalance_timeout=member.rebalance_timeout_ms,
                    session_timeout=member.session_timeout_ms,
                    subscription=member.metadata_of(protocol),
                    assignment=assignments.get(member.member_id, b""),
                )
                for member in self.members.values()
            ],
        )
        return Record(GroupMetadataKey(group=self.group_id), value, GROUP_METADATA_VERSION)

    @property
    def has_common_protocol(self) -> bool:
        """Whether there is a protocol that all members support."""
        return any(supporters == len(self.members) for supporters in self.supported.values())

    @classmethod
    def from_record(cls, group_id: str, value: GroupMetadataValue) -> ClassicGroup:
        """The group that a record describes. Its members' sessions begin when the coordinator takes over.

        Anybody may have written the record. Members that make no sense are left out, and join again; `problem` says
        what was wrong. The offsets of the group are not affected.
        """
        group = cls(
            group_id=group_id,
            state_since_ms=value.current_state_timestamp,
            generation=max(value.generation, 0),
            protocol_type=value.protocol_type or None,
        )
        if value.members and (group.protocol_type is None or value.protocol is None):
            group.problem = "it has members and no protocol"
            return group
        for each in value.members:
            if problem := group._problem_of(each):
                group.problem = problem
                continue
            group.add(cls._member_of(value, each))
        if group.members:
            group.state, group.protocol = ClassicState.STABLE, value.protocol
        if value.leader is not None and value.leader in group.members:
            group.leader_id = value.leader
        elif group.members and group.problem is None:
            group.problem = f"its leader {value.leader!r} is no member"
        return group

    def _problem_of(self, member: GroupMetadataValue.MemberMetadata) -> str | None:
        """Why a member of a record cannot be taken in; None if it can."""
        if not member.member_id or member.session_timeout <= 0:
            return f"its member {member.member_id!r} has no id or no session timeout"
        if member.member_id in self.members or member.group_instance_id in self.static_ids:
            return f"its member {member.member_id!r} or the instance id of that is there twice"
        return None

    @staticmethod
    def _member_of(value: GroupMetadataValue, each: GroupMetadataValue.MemberMetadata) -> ClassicMember:
        return ClassicMember(
            member_id=each.member_id,
            group_instance_id=each.group_instance_id,
            client_id=each.client_id,
            client_host=each.client_host,
            rebalance_timeout_ms=(
                each.rebalance_timeout if each.rebalance_timeout >= 0 else each.session_timeout
            ),
            session_timeout_ms=each.session_timeout,
            protocols=((value.protocol or NO_PROTOCOL, bytes(each.subscription)),),
            assignment=bytes(each.assignment),
            is_new=False,
        )


def no_group_record(group_id: str) -> Record:
    """The record that says that there is no such group."""
    return Record(GroupMetadataKey(group=group_id), None)
