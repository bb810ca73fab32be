"""Who may commit and fetch the offsets of a consumer group."""

from __future__ import annotations

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.groups.consumer.group import ConsumerGroup
from kafkaproto_server.core.coordinators.groups.consumer.member import ConsumerMember
from kafkaproto_server.core.coordinators.groups.kinds import PartitionCheck, accept
from kafkaproto_server.core.coordinators.groups.membership import dynamic_member
from kafkaproto_server.core.coordinators.groups.modern.commits import (
    FIRST_VERSION,
    commits_without_member,
    fetching_member,
)
from kafkaproto_server.core.coordinators.values import CoordinatorError


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
    if commits_without_member(
        group,
        member_id=member_id,
        member_epoch=member_epoch,
        instance_id=instance_id,
        is_transactional=is_transactional,
    ):
        return accept
    member = dynamic_member(group, member_id)
    if version < FIRST_VERSION and not is_transactional and not member.is_classic:
        raise CoordinatorError(
            ErrorCode.UNSUPPORTED_VERSION,
            f"Members of consumer groups use OffsetCommit in version {FIRST_VERSION} or later.",
        )
    if member_epoch == member.epoch:
        return accept
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
    member = fetching_member(group, member_id, member_epoch)
    if member is not None and member_epoch != member.epoch:
        raise _stale(member, f"The epoch {member_epoch} is not the member's, {member.epoch}.")


def _stale(member: ConsumerMember, text: str) -> CoordinatorError:
    code = ErrorCode.ILLEGAL_GENERATION if member.is_classic else ErrorCode.STALE_MEMBER_EPOCH
    return CoordinatorError(code, text)
