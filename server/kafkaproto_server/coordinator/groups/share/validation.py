"""What a heartbeat of a share group must say, and whether its member is who it says it is."""

from __future__ import annotations

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.coordinator.groups.share.group import ShareGroup
from kafkaproto_server.coordinator.groups.share.member import ShareMember
from kafkaproto_server.coordinator.values import CoordinatorError
from kafkaproto_server.error_texts import quoted
from kafkaproto_server.requests.consumer_group_requests import JOIN_EPOCH, LEAVE_EPOCH
from kafkaproto_server.requests.share_group_requests import ShareHeartbeatValues


def check_values(values: ShareHeartbeatValues) -> None:
    """Raises CoordinatorError (INVALID_REQUEST) unless the request makes sense."""
    if not values.member_id.strip():
        raise _invalid("The member id is empty.")
    if not values.group_id.strip():
        raise _invalid("The group id is empty.")
    if values.rack_id is not None and not values.rack_id.strip():
        raise _invalid("The rack id is empty.")
    if values.member_epoch < LEAVE_EPOCH:
        raise _invalid(f"There is no member epoch {values.member_epoch}.")
    if values.member_epoch == JOIN_EPOCH and not values.subscribed_topic_names:
        raise _invalid("A member that joins subscribes to topics.")


def _invalid(message: str) -> CoordinatorError:
    return CoordinatorError(ErrorCode.INVALID_REQUEST, message)


def existing_member(group: ShareGroup, member_id: str) -> ShareMember:
    """A member by its id. Raises CoordinatorError (UNKNOWN_MEMBER_ID)."""
    member = group.members.get(member_id)
    if member is None:
        raise CoordinatorError(
            ErrorCode.UNKNOWN_MEMBER_ID,
            f"{quoted(member_id)} is no member of group {quoted(group.group_id)}.",
        )
    return member


def check_epoch(member: ShareMember, epoch: int) -> None:
    """Raises CoordinatorError (FENCED_MEMBER_EPOCH) unless the member is in this epoch.

    It may be one step behind if the response with the new epoch was lost.
    """
    if epoch in (member.epoch, JOIN_EPOCH) or (epoch < member.epoch and epoch == member.previous_epoch):
        return
    what = "a greater" if epoch > member.epoch else "a smaller"
    raise CoordinatorError(
        ErrorCode.FENCED_MEMBER_EPOCH,
        f"The member has {what} epoch ({epoch}) than the coordinator knows of it ({member.epoch}). It must abandon all"
        " its partitions and rejoin.",
    )


def check_room(group: ShareGroup, member_id: str, max_size: int) -> None:
    """Raises CoordinatorError (GROUP_MAX_SIZE_REACHED) if the group can take no member in."""
    if len(group.members) >= max_size and member_id not in group.members:
        raise CoordinatorError(
            ErrorCode.GROUP_MAX_SIZE_REACHED, f"The group has {max_size} members, as many as it may."
        )
