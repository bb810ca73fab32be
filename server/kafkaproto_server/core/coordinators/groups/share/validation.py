"""What a heartbeat of a share group must say."""

from __future__ import annotations

from kafkaproto_server.core.coordinators.groups.membership import invalid, is_blank
from kafkaproto_server.requests.consumer_group_requests import JOIN_EPOCH, LEAVE_EPOCH
from kafkaproto_server.requests.share_group_requests import ShareHeartbeatValues


def check_values(values: ShareHeartbeatValues) -> None:
    """Raises CoordinatorError (INVALID_REQUEST) unless the request makes sense."""
    if is_blank(values.member_id):
        raise invalid("The member id is empty.")
    if is_blank(values.group_id):
        raise invalid("The group id is empty.")
    if values.rack_id is not None and is_blank(values.rack_id):
        raise invalid("The rack id is empty.")
    if values.member_epoch < LEAVE_EPOCH:
        raise invalid(f"There is no member epoch {values.member_epoch}.")
    if values.member_epoch == JOIN_EPOCH and not values.subscribed_topic_names:
        raise invalid("A member that joins subscribes to topics.")
