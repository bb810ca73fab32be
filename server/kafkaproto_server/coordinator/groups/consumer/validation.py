"""What a heartbeat must say, and whether its member is who it says it is."""

from __future__ import annotations

from collections.abc import Collection

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.coordinator.groups.consumer.group import ConsumerGroup
from kafkaproto_server.coordinator.groups.consumer.member import ConsumerMember
from kafkaproto_server.coordinator.values import CoordinatorError
from kafkaproto_server.error_texts import quoted
from kafkaproto_server.requests.consumer_group_requests import (
    JOIN_EPOCH,
    LEAVE_EPOCH,
    LEAVE_STATIC_EPOCH,
    HeartbeatValues,
    Partitions,
)


def check_values(values: HeartbeatValues, assignors: Collection[str]) -> None:
    """Raises CoordinatorError (INVALID_REQUEST, UNSUPPORTED_ASSIGNOR) unless the request makes sense."""
    if _is_blank(values.group_id):
        raise _invalid("The group id is empty.")
    if _is_blank(values.instance_id):
        raise _invalid("The instance id is empty.")
    if _is_blank(values.rack_id):
        raise _invalid("The rack id is empty.")
    # Version 0 lets the coordinator make the id of a member that joins.
    if _is_blank(values.member_id) and (values.makes_member_id or values.member_epoch != JOIN_EPOCH):
        raise _invalid("The member id is empty.")
    if values.member_epoch < LEAVE_STATIC_EPOCH:
        raise _invalid(f"There is no member epoch {values.member_epoch}.")
    if values.member_epoch == LEAVE_STATIC_EPOCH and values.instance_id is None:
        raise _invalid("Only a member with an instance id may leave for a while.")
    if values.member_epoch == JOIN_EPOCH:
        _check_join(values)
    if values.server_assignor is not None and values.server_assignor not in assignors:
        raise CoordinatorError(
            ErrorCode.UNSUPPORTED_ASSIGNOR,
            f"There is no assignor {quoted(values.server_assignor)}, but {', '.join(assignors)}.",
        )


def _check_join(values: HeartbeatValues) -> None:
    if values.rebalance_timeout_ms == -1:
        raise _invalid("A member that joins says its rebalance timeout.")
    if values.topic_partitions is None or values.topic_partitions:
        raise _invalid("A member that joins owns no partition, and says so.")
    if values.subscribed_topic_names is None and values.subscribed_topic_regex is None:
        raise _invalid("A member that joins subscribes to topic names, to a regular expression, or to both.")


def _is_blank(text: str | None) -> bool:
    """Whether there is a text, but nothing in it."""
    return text is not None and not text.strip()


def _invalid(message: str) -> CoordinatorError:
    return CoordinatorError(ErrorCode.INVALID_REQUEST, message)


def is_leaving(values: HeartbeatValues) -> bool:
    """Whether the member leaves, for good or for a while."""
    return values.member_epoch in (LEAVE_EPOCH, LEAVE_STATIC_EPOCH)


def dynamic_member(group: ConsumerGroup, member_id: str) -> ConsumerMember:
    """A member by its id. Raises CoordinatorError (UNKNOWN_MEMBER_ID)."""
    member = group.members.get(member_id)
    if member is None:
        raise CoordinatorError(
            ErrorCode.UNKNOWN_MEMBER_ID,
            f"{quoted(member_id)} is no member of group {quoted(group.group_id)}.",
        )
    return member


def static_member(group: ConsumerGroup, instance_id: str, member_id: str) -> ConsumerMember:
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


def check_released(member: ConsumerMember, instance_id: str) -> None:
    """Raises CoordinatorError (UNRELEASED_INSTANCE_ID) unless another member may take this one's place."""
    if member.epoch != LEAVE_STATIC_EPOCH:
        raise CoordinatorError(
            ErrorCode.UNRELEASED_INSTANCE_ID,
            f"Instance id {quoted(instance_id)} still belongs to member {quoted(member.member_id)}.",
        )


def check_epoch(member: ConsumerMember, epoch: int, reported: Partitions | None) -> None:
    """Raises CoordinatorError (FENCED_MEMBER_EPOCH) unless the member is in this epoch.

    It may be one step behind if the response with the new epoch was lost. Then it owns no more than it may have now. A
    member that was fenced joins again; it has given up everything (KAFKA-19233).
    """
    if epoch in (member.epoch, JOIN_EPOCH):
        return
    if epoch < member.epoch and epoch == member.previous_epoch and _owns_no_more(member, reported):
        return
    what = "a greater" if epoch > member.epoch else "a smaller"
    raise CoordinatorError(
        ErrorCode.FENCED_MEMBER_EPOCH,
        f"The member has {what} epoch ({epoch}) than the coordinator knows of it ({member.epoch}). It must abandon all"
        " its partitions and rejoin.",
    )


def _owns_no_more(member: ConsumerMember, reported: Partitions | None) -> bool:
    return reported is not None and all(
        index in member.assigned.get(topic_id, ())
        for topic_id, indexes in reported.items()
        for index in indexes
    )


def check_room(group: ConsumerGroup, member_id: str, max_size: int) -> None:
    """Raises CoordinatorError (GROUP_MAX_SIZE_REACHED) if the group can take no member in."""
    if len(group.members) >= max_size and member_id not in group.members:
        raise CoordinatorError(
            ErrorCode.GROUP_MAX_SIZE_REACHED, f"The group has {max_size} members, as many as it may."
        )
