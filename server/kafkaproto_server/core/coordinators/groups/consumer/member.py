"""One member of a consumer group: a value that is replaced when its records are replayed."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from typing import TypeAlias

import msgspec

from kafkaproto.messages import ConsumerGroupCurrentMemberAssignmentValue, ConsumerGroupMemberMetadataValue
from kafkaproto_server.requests.consumer_group_requests import Partitions

Owned: TypeAlias = Mapping[bytes, Mapping[int, int]]
"""By topic id and partition index: the member epoch at which the member got the partition (KIP-1251)."""

NOTHING: Owned = {}


class ConsumerMemberState(enum.IntEnum):
    """How far a member is on its way to the target assignment, by the numbers in records."""

    STABLE = 0
    """It has what the target assignment of its epoch gives it."""
    UNREVOKED_PARTITIONS = 1
    """It has to revoke partitions before it may go to the next epoch."""
    UNRELEASED_PARTITIONS = 2
    """It is in the target's epoch, and waits for partitions that others have not given up yet."""
    UNKNOWN = 127
    """A later release wrote a state that this one does not know."""


class ConsumerMember(msgspec.Struct, frozen=True, kw_only=True):
    """A member. Equal members have equal records."""

    member_id: str
    instance_id: str | None = None
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    subscribed_topic_names: tuple[str, ...] = ()
    """In ascending order."""
    subscribed_topic_regex: str = ""
    """Empty if it subscribes to none."""
    rebalance_timeout_ms: int = -1
    server_assignor: str | None = None
    classic_metadata: ConsumerGroupMemberMetadataValue.ClassicMemberMetadata | None = None
    """What a member of the classic protocol said when it joined; None if it uses this one."""
    epoch: int = 0
    previous_epoch: int = 0
    """A request may still have this epoch: the response with the current one may be lost."""
    state: ConsumerMemberState = ConsumerMemberState.STABLE
    assigned: Owned = NOTHING
    """What it has or should take now."""
    revoking: Owned = NOTHING
    """What it should give up, and has not yet."""

    @property
    def is_classic(self) -> bool:
        """Whether it uses the classic protocol."""
        return self.classic_metadata is not None

    @property
    def must_revoke(self) -> bool:
        """Whether it has to revoke partitions within its rebalance timeout.

        A static member that is away has nothing to revoke, and one of the classic protocol has timeouts of its own.
        """
        return (
            self.state is ConsumerMemberState.UNREVOKED_PARTITIONS and self.epoch >= 0 and not self.is_classic
        )

    @property
    def is_stable(self) -> bool:
        """Whether it has what the target assignment of its epoch gives it."""
        return self.state is ConsumerMemberState.STABLE

    def is_reconciled_to(self, epoch: int) -> bool:
        """Whether it has all that the target assignment of an epoch gives it."""
        return self.is_stable and self.epoch == epoch

    def held(self) -> Iterator[tuple[bytes, int]]:
        """All partitions that nobody else may have."""
        for owned in (self.assigned, self.revoking):
            for topic_id, epochs in owned.items():
                for index in epochs:
                    yield topic_id, index

    def at_epoch(
        self, epoch: int, state: ConsumerMemberState, assigned: Owned, revoking: Owned = NOTHING
    ) -> ConsumerMember:
        """The member one step further."""
        return msgspec.structs.replace(
            self,
            epoch=epoch,
            previous_epoch=self.epoch,
            state=state,
            assigned=assigned,
            revoking=revoking,
        )

    def with_metadata(self, value: ConsumerGroupMemberMetadataValue) -> ConsumerMember:
        """The member with what a record says of it. One of the classic protocol that supports no protocol cannot be
        one: it counts as a member of this protocol until it joins again or its session ends."""
        classic = value.classic_member_metadata
        return msgspec.structs.replace(
            self,
            instance_id=value.instance_id,
            rack_id=value.rack_id,
            client_id=value.client_id,
            client_host=value.client_host,
            subscribed_topic_names=tuple(sorted(set(value.subscribed_topic_names))),
            subscribed_topic_regex=value.subscribed_topic_regex or "",
            rebalance_timeout_ms=value.rebalance_timeout_ms,
            server_assignor=value.server_assignor,
            classic_metadata=classic if classic is not None and classic.supported_protocols else None,
        )

    def with_assignment(self, value: ConsumerGroupCurrentMemberAssignmentValue) -> ConsumerMember:
        """The member with the assignment that a record gives it."""
        return msgspec.structs.replace(
            self,
            epoch=value.member_epoch,
            previous_epoch=value.previous_member_epoch,
            state=_state(value.state),
            assigned=_owned(value.assigned_partitions, value.member_epoch),
            revoking=_owned(value.partitions_pending_revocation, value.member_epoch),
        )

    def without_assignment(self) -> ConsumerMember:
        """The member after a tombstone for its assignment: it is about to be removed."""
        return msgspec.structs.replace(self, epoch=-1, previous_epoch=-1, assigned=NOTHING, revoking=NOTHING)


def indexes_of(owned: Owned) -> Partitions:
    return {topic_id: tuple(sorted(owned[topic_id])) for topic_id in sorted(owned) if owned[topic_id]}


def indexes_held(member: ConsumerMember) -> Partitions:
    """All partitions that nobody else may have, those that it is to give up among them."""
    indexes: dict[bytes, list[int]] = {}
    for topic_id, index in sorted(member.held()):
        indexes.setdefault(topic_id, []).append(index)
    return {topic_id: tuple(each) for topic_id, each in indexes.items()}


def _state(number: int) -> ConsumerMemberState:
    return (
        ConsumerMemberState(number)
        if number in ConsumerMemberState._value2member_map_
        else ConsumerMemberState.UNKNOWN
    )


def _owned(
    topics: list[ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions], default_epoch: int
) -> Owned:
    """Older releases wrote no epochs; then those partitions count as if they were given in the member's epoch."""
    found: dict[bytes, dict[int, int]] = {}
    for each in topics:
        epochs = each.assignment_epochs
        if epochs is None or len(epochs) != len(each.partitions):
            epochs = [default_epoch] * len(each.partitions)
        if each.partitions:
            found.setdefault(each.topic_id, {}).update(zip(each.partitions, epochs, strict=True))
    return found
