"""Who may commit and fetch the offsets of a consumer group."""

from __future__ import annotations

from collections.abc import Callable

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.groups.consumer.group import ConsumerGroup
from kafkaproto_server.core.coordinators.groups.consumer.member import ConsumerMember
from kafkaproto_server.core.coordinators.groups.membership import dynamic_member
from kafkaproto_server.core.coordinators.values import CoordinatorError

NO_EPOCH = -1
FIRST_VERSION = 9
"""The first version of OffsetCommit that members of consumer groups may use: its errors tell them what to do."""

PartitionCheck = Callable[[bytes, int], None]
"""Takes the id of a topic and the index of a partition; raises CoordinatorError if its offset is not to be taken."""


def check_commit(
    group: ConsumerGroup,
    *,
    member_id: str,
    member_epoch: int,
    instance_id: str | None,
    version: int,
    is_transactional: bool,
) -> PartitionCheck:
    """The check for each partition of an OffsetCommit or TxnOffsetCommit request.

    A member that has not heard of its new epoch yet may still commit for the partitions that it had before, and has
    still (KIP-1251). If one partition fails the check, the whole request does.

    Raises CoordinatorError: UNKNOWN_MEMBER_ID, STALE_MEMBER_EPOCH, UNSUPPORTED_VERSION; ILLEGAL_GENERATION to a member
    of the classic protocol.
    """
    if member_epoch < 0 and not group.members:
        # An administrator, or a consumer that only keeps its offsets here.
        return _accept
    if is_transactional and member_epoch == NO_EPOCH and not member_id and instance_id is None:
        # A producer that does not know of members (before KIP-447).
        return _accept
    member = dynamic_member(group, member_id)
    if version < FIRST_VERSION and not is_transactional and not member.is_classic:
        raise CoordinatorError(
            ErrorCode.UNSUPPORTED_VERSION,
            f"Members of consumer groups use OffsetCommit in version {FIRST_VERSION} or later.",
        )
    if member_epoch == member.epoch:
        return _accept
    if member_epoch > member.epoch:
        raise _stale(member, f"The epoch {member_epoch} is newer than the member's, {member.epoch}.")

    def check(topic_id: bytes, index: int) -> None:
        owned = member.assigned.get(topic_id, {})
        if index not in owned:
            owned = member.revoking.get(topic_id, {})
        if index not in owned:
            raise _stale(member, f"Partition {index} is not assigned to the member.")
        if member_epoch < owned[index]:
            text = f"The epoch {member_epoch} is older than {owned[index]}, in which the member got the partition."
            raise _stale(member, text)

    return check


def check_fetch(group: ConsumerGroup, *, member_id: str | None, member_epoch: int) -> None:
    """Raises CoordinatorError unless these may fetch the group's offsets: UNKNOWN_MEMBER_ID, STALE_MEMBER_EPOCH;
    ILLEGAL_GENERATION to a member of the classic protocol."""
    if member_id is None and member_epoch < 0:
        return
    member = dynamic_member(group, member_id or "")
    if member_epoch != member.epoch:
        raise _stale(member, f"The epoch {member_epoch} is not the member's, {member.epoch}.")


def _accept(topic_id: bytes, index: int) -> None:
    """All partitions are fine."""


def _stale(member: ConsumerMember, text: str) -> CoordinatorError:
    code = ErrorCode.ILLEGAL_GENERATION if member.is_classic else ErrorCode.STALE_MEMBER_EPOCH
    return CoordinatorError(code, text)
