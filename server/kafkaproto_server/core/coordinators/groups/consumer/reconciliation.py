"""A member's next step towards the target assignment: revoke, wait, take.

A member goes to the target's epoch only after it has revoked what the target takes away from it. It gets a partition
only when nobody else has it or still has to give it up. So no partition ever has two owners, and members that lose or
gain nothing are not disturbed (KIP-848; `CurrentAssignmentBuilder` in Apache Kafka).
"""

from __future__ import annotations

from collections.abc import Callable

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.groups.consumer.member import (
    NOTHING,
    ConsumerMember,
    ConsumerMemberState,
    Owned,
)
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.requests.consumer_group_requests import NO_PARTITIONS, Partitions


def next_step(
    member: ConsumerMember,
    *,
    target_epoch: int,
    target: Partitions,
    is_subscribed: Callable[[bytes], bool],
    has_new_subscription: bool,
    reported: Partitions | None,
    is_owned: Callable[[bytes, int], bool],
) -> ConsumerMember:
    """The member after this step; the same object if it cannot or need not go further.

    ``is_subscribed`` says whether the member subscribes to a topic, ``reported`` is what the member says it owns (None
    if it does not say), ``is_owned`` whether any member has a partition.

    Raises CoordinatorError (FENCED_MEMBER_EPOCH) if the member has to begin anew.
    """
    step = _ConsumerStep(member, target_epoch, target, is_subscribed, reported, is_owned)
    if member.state is ConsumerMemberState.STABLE:
        if member.epoch != target_epoch:
            return step.towards_target(member.epoch)
        return step.without_unsubscribed() if has_new_subscription else member
    if member.state is ConsumerMemberState.UNREVOKED_PARTITIONS:
        if step.may_own(member.revoking):
            return step.without_unsubscribed() if has_new_subscription else member
        return step.towards_target(member.epoch)
    if member.state is ConsumerMemberState.UNRELEASED_PARTITIONS:
        return step.towards_target(member.epoch)
    # After a downgrade of this broker.
    if reported is None or reported:
        raise CoordinatorError(
            ErrorCode.FENCED_MEMBER_EPOCH,
            "The consumer group member is in an unknown state. It must abandon all its partitions and rejoin.",
        )
    return step.towards_target(target_epoch)


class _ConsumerStep:
    """What one step is decided by."""

    def __init__(
        self,
        member: ConsumerMember,
        target_epoch: int,
        target: Partitions,
        is_subscribed: Callable[[bytes], bool],
        reported: Partitions | None,
        is_owned: Callable[[bytes, int], bool],
    ) -> None:
        self._member = member
        self._target_epoch = target_epoch
        self._target = target
        self._is_subscribed = is_subscribed
        self._reported = reported
        self._is_owned = is_owned

    def may_own(self, owned: Owned) -> bool:
        """Whether the member may still have one of these partitions: it reports one, or does not report."""
        if self._reported is None:
            return True
        return any(
            index in epochs
            for topic_id, epochs in owned.items()
            for index in self._reported.get(topic_id, ())
        )

    def towards_target(self, epoch: int) -> ConsumerMember:
        """``epoch`` is the member's as long as it has something to revoke."""
        kept, lost, free, has_unreleased = self._compare()
        if lost and self.may_own(lost):
            return self._member.at_epoch(epoch, ConsumerMemberState.UNREVOKED_PARTITIONS, kept, lost)
        assigned = {topic_id: dict(epochs) for topic_id, epochs in kept.items()}
        for topic_id, indexes in free.items():
            assigned.setdefault(topic_id, {}).update(dict.fromkeys(indexes, self._target_epoch))
        state = ConsumerMemberState.UNRELEASED_PARTITIONS if has_unreleased else ConsumerMemberState.STABLE
        return self._member.at_epoch(self._target_epoch, state, assigned)

    def _compare(self) -> tuple[Owned, Owned, Partitions, bool]:
        """What the member keeps, what it loses, what it may take now, and whether there is more that is not free."""
        kept: dict[bytes, dict[int, int]] = {}
        lost: dict[bytes, dict[int, int]] = {}
        free: dict[bytes, tuple[int, ...]] = {}
        has_unreleased = False
        assigned, revoking = self._member.assigned, self._member.revoking
        for topic_id in sorted(self._target.keys() | assigned.keys()):
            wanted = frozenset(self._target.get(topic_id, ()) if self._is_subscribed(topic_id) else ())
            own = assigned.get(topic_id, {})
            for index, epoch in own.items():
                (kept if index in wanted else lost).setdefault(topic_id, {})[index] = epoch
            # What the member itself has just revoked is free for it.
            revoked = revoking.get(topic_id, {})
            missing = sorted(wanted - own.keys())
            found = tuple(
                index for index in missing if index in revoked or not self._is_owned(topic_id, index)
            )
            has_unreleased = has_unreleased or len(found) < len(missing)
            if found:
                free[topic_id] = found
        return kept, lost, free or NO_PARTITIONS, has_unreleased

    def without_unsubscribed(self) -> ConsumerMember:
        """The member gives up the topics that it does not subscribe to any more, without a new target for it."""
        member = self._member
        lost = {
            topic_id: epochs
            for topic_id, epochs in member.assigned.items()
            if not self._is_subscribed(topic_id)
        }
        if not lost:
            return member
        kept = {topic_id: epochs for topic_id, epochs in member.assigned.items() if topic_id not in lost}
        revoking = {topic_id: dict(epochs) for topic_id, epochs in member.revoking.items()}
        for topic_id, epochs in lost.items():
            revoking.setdefault(topic_id, {}).update(epochs)
        if self.may_own(revoking):
            return member.at_epoch(member.epoch, ConsumerMemberState.UNREVOKED_PARTITIONS, kept, revoking)
        # The client has given them up already.
        return member.at_epoch(member.epoch, member.state, kept, NOTHING)
