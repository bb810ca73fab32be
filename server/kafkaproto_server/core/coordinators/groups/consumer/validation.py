"""What a heartbeat must say, and whether its member is who it says it is."""

from __future__ import annotations

from collections.abc import Collection

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.core.coordinators.groups import membership
from kafkaproto_server.core.coordinators.groups.consumer.member import ConsumerMember
from kafkaproto_server.core.coordinators.groups.membership import invalid, is_blank
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.requests.consumer_group_requests import (
    JOIN_EPOCH,
    LEAVE_STATIC_EPOCH,
    HeartbeatValues,
    Partitions,
)


def check_values(values: HeartbeatValues, assignors: Collection[str]) -> None:
    """Raises CoordinatorError (INVALID_REQUEST, UNSUPPORTED_ASSIGNOR) unless the request makes sense."""
    if is_blank(values.group_id):
        raise invalid("The group id is empty.")
    if values.instance_id is not None and is_blank(values.instance_id):
        raise invalid("The instance id is empty.")
    if values.rack_id is not None and is_blank(values.rack_id):
        raise invalid("The rack id is empty.")
    # Version 0 lets the coordinator make the id of a member that joins.
    if is_blank(values.member_id) and (values.makes_member_id or values.member_epoch != JOIN_EPOCH):
        raise invalid("The member id is empty.")
    if values.member_epoch < LEAVE_STATIC_EPOCH:
        raise invalid(f"There is no member epoch {values.member_epoch}.")
    if values.member_epoch == LEAVE_STATIC_EPOCH and values.instance_id is None:
        raise invalid("Only a member with an instance id may leave for a while.")
    if values.member_epoch == JOIN_EPOCH:
        _check_join(values)
    if values.server_assignor is not None and values.server_assignor not in assignors:
        raise CoordinatorError(
            ErrorCode.UNSUPPORTED_ASSIGNOR,
            f"There is no assignor {quoted(values.server_assignor)}, but {', '.join(assignors)}.",
        )


def _check_join(values: HeartbeatValues) -> None:
    if values.rebalance_timeout_ms == -1:
        raise invalid("A member that joins says its rebalance timeout.")
    if values.topic_partitions is None or values.topic_partitions or values.lists_topics:
        raise invalid("A member that joins owns no partition, and says so.")
    if values.subscribed_topic_names is None and values.subscribed_topic_regex is None:
        raise invalid("A member that joins subscribes to topic names, to a regular expression, or to both.")


def check_epoch(member: ConsumerMember, epoch: int, reported: Partitions | None) -> None:
    """Raises CoordinatorError (FENCED_MEMBER_EPOCH) unless the member is in this epoch, or one step behind."""
    membership.check_epoch(member, epoch, lambda: _owns_no_more(member, reported))


def _owns_no_more(member: ConsumerMember, reported: Partitions | None) -> bool:
    return reported is not None and all(
        index in member.assigned.get(topic_id, ())
        for topic_id, indexes in reported.items()
        for index in indexes
    )
