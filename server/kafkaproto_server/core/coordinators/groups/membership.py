"""Whether the member of a request is who it says it is, in groups of every kind whose members heartbeat."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.requests.consumer_group_requests import JOIN_EPOCH, LEAVE_EPOCH, LEAVE_STATIC_EPOCH


class Member(Protocol):
    """A member of any group."""

    @property
    def member_id(self) -> str:
        """Its id."""

    @property
    def epoch(self) -> int:
        """Its present epoch."""

    @property
    def previous_epoch(self) -> int:
        """The one before."""


MemberT = TypeVar("MemberT", bound=Member)
MemberT_co = TypeVar("MemberT_co", bound=Member, covariant=True)


class Group(Protocol[MemberT_co]):
    """A group of any kind."""

    @property
    def group_id(self) -> str:
        """Its id."""

    @property
    def members(self) -> Mapping[str, MemberT_co]:
        """By their ids."""


class GroupWithInstances(Group[MemberT_co], Protocol[MemberT_co]):
    """A group that may have static members."""

    def static_member(self, instance_id: str) -> MemberT_co | None:
        """The member with an instance id."""


def invalid(message: str) -> CoordinatorError:
    """The error for a request that makes no sense."""
    return CoordinatorError(ErrorCode.INVALID_REQUEST, message)


def is_blank(text: str) -> bool:
    """Whether nothing is left of a text without what Java's String.trim takes away: all up to the space, and no other
    white space."""
    return all(each <= " " for each in text)


def is_leaving(epoch: int) -> bool:
    """Whether a member with this epoch leaves, for good or for a while."""
    return epoch in (LEAVE_EPOCH, LEAVE_STATIC_EPOCH)


def dynamic_member(group: Group[MemberT], member_id: str) -> MemberT:
    """A member by its id. Raises CoordinatorError (UNKNOWN_MEMBER_ID)."""
    member = group.members.get(member_id)
    if member is None:
        raise CoordinatorError(
            ErrorCode.UNKNOWN_MEMBER_ID,
            f"{quoted(member_id)} is no member of group {quoted(group.group_id)}.",
        )
    return member


def static_member(group: GroupWithInstances[MemberT], instance_id: str, member_id: str) -> MemberT:
    """A member by its instance id. Raises CoordinatorError (UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID)."""
    member = group.static_member(instance_id)
    if member is None:
        raise CoordinatorError(
            ErrorCode.UNKNOWN_MEMBER_ID, f"The instance id {quoted(instance_id)} is unknown."
        )
    if member.member_id != member_id:
        raise CoordinatorError(
            ErrorCode.FENCED_INSTANCE_ID,
            f"Instance id {quoted(instance_id)} belongs to member {quoted(member.member_id)}, not to"
            f" {quoted(member_id)}.",
        )
    return member


def check_released(member: Member, instance_id: str) -> None:
    """Raises CoordinatorError (UNRELEASED_INSTANCE_ID) unless another member may take this one's place."""
    if member.epoch != LEAVE_STATIC_EPOCH:
        raise CoordinatorError(
            ErrorCode.UNRELEASED_INSTANCE_ID,
            f"Instance id {quoted(instance_id)} still belongs to member {quoted(member.member_id)}.",
        )


def check_epoch(
    member: Member, epoch: int, has_no_more: Callable[[], bool], *, what: str = "partitions"
) -> None:
    """Raises CoordinatorError (FENCED_MEMBER_EPOCH) unless the member is in this epoch.

    It may be one step behind if the response with the new epoch was lost, and ``has_no_more`` than it may have now. A
    member that was fenced joins again; it has given up everything (KAFKA-19233).
    """
    if epoch in (member.epoch, JOIN_EPOCH):
        return
    if epoch < member.epoch and epoch == member.previous_epoch and has_no_more():
        return
    how = "a greater" if epoch > member.epoch else "a smaller"
    raise CoordinatorError(
        ErrorCode.FENCED_MEMBER_EPOCH,
        f"The member has {how} epoch ({epoch}) than the coordinator knows of it ({member.epoch}). It must abandon all"
        f" its {what} and rejoin.",
    )


def check_room(group: Group[Member], max_size: int, *, is_known: bool) -> None:
    """Raises CoordinatorError (GROUP_MAX_SIZE_REACHED) if the group can take no member in."""
    if len(group.members) >= max_size and not is_known:
        raise CoordinatorError(
            ErrorCode.GROUP_MAX_SIZE_REACHED, f"The group has {max_size} members, as many as it may."
        )
