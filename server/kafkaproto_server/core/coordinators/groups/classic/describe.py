"""Descriptions of classic groups, as DescribeGroups responds."""

from __future__ import annotations

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.core.coordinators.groups.classic.group import ClassicGroup, ClassicState
from kafkaproto_server.requests.group_requests import DescribedGroup, DescribedMember


def unknown_classic(group_id: str) -> DescribedGroup:
    """What the response says of a group that does not exist, or is of another kind."""
    return DescribedGroup(
        code=ErrorCode.GROUP_ID_NOT_FOUND,
        message=f"Group {quoted(group_id)} not found.",
        state=ClassicState.DEAD.value,
    )


def values_of_classic(group: ClassicGroup) -> int:
    """How many values the description of a group holds, about."""
    return 10 * len(group.members)


def described_classic(group: ClassicGroup) -> DescribedGroup:
    """A group. Between two generations nobody knows what counts: metadata and assignments are empty then."""
    is_stable = group.state is ClassicState.STABLE
    return DescribedGroup(
        state=group.state.value,
        protocol_type=group.protocol_type or "",
        protocol=(group.protocol or "") if is_stable else "",
        members=[
            DescribedMember(
                each.member_id,
                each.group_instance_id,
                each.client_id,
                each.client_host,
                each.metadata_of(group.protocol or "") if is_stable else b"",
                each.assignment if is_stable else b"",
            )
            for each in group.members.values()
        ],
    )
