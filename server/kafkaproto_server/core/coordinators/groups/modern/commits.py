"""Who may commit and fetch the offsets of a group whose members heartbeat: what consumer and streams groups have alike.

Apache Kafka has this in validateOffsetCommit and validateOffsetFetch of ConsumerGroup and StreamsGroup.
"""

from __future__ import annotations

from kafkaproto_server.core.coordinators.groups.membership import Group, Member, MemberT, dynamic_member

NO_EPOCH = -1
FIRST_VERSION = 9
"""The first version of OffsetCommit that members may use: its errors tell them what to do."""


def commits_without_member(
    group: Group[Member],
    *,
    member_id: str,
    member_epoch: int,
    instance_id: str | None,
    is_transactional: bool,
) -> bool:
    """Whether these offsets may be committed although no member says that they are its own."""
    if member_epoch < 0 and not group.members:
        # An administrator, or a consumer that only keeps its offsets here.
        return True
    # A producer that does not know of members (before KIP-447).
    return is_transactional and member_epoch == NO_EPOCH and not member_id and instance_id is None


def fetching_member(group: Group[MemberT], member_id: str | None, member_epoch: int) -> MemberT | None:
    """The member that fetches; None if whoever fetches says that it is none. Raises CoordinatorError
    (UNKNOWN_MEMBER_ID)."""
    if member_id is None and member_epoch < 0:
        return None
    return dynamic_member(group, member_id or "")
