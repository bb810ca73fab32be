"""Who may commit and fetch the offsets of a streams group."""

from __future__ import annotations

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.core.coordinators.groups.kinds import PartitionCheck, accept
from kafkaproto_server.core.coordinators.groups.membership import dynamic_member
from kafkaproto_server.core.coordinators.groups.modern.commits import (
    FIRST_VERSION,
    commits_without_member,
    fetching_member,
)
from kafkaproto_server.core.coordinators.groups.streams.group import StreamsGroup
from kafkaproto_server.core.coordinators.groups.streams.member import StreamsMember
from kafkaproto_server.core.coordinators.groups.topics import Topics
from kafkaproto_server.core.coordinators.values import CoordinatorError


def check_commit(
    group: StreamsGroup,
    topics: Topics,
    *,
    member_id: str,
    member_epoch: int,
    instance_id: str | None,
    version: int,
    is_transactional: bool,
) -> PartitionCheck:
    """The check for each partition of an OffsetCommit or TxnOffsetCommit request.

    A member that has not heard of its new epoch yet may still commit for the tasks that it had before, and has still
    (KIP-1251). If one partition fails the check, the whole request does.

    Raises CoordinatorError: UNKNOWN_MEMBER_ID, STALE_MEMBER_EPOCH, UNSUPPORTED_VERSION.
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
    if version < FIRST_VERSION and not is_transactional:
        raise CoordinatorError(
            ErrorCode.UNSUPPORTED_VERSION,
            f"Members of streams groups use OffsetCommit in version {FIRST_VERSION} or later.",
        )
    if member_epoch == member.epoch:
        return accept
    if member_epoch > member.epoch:
        raise _stale(f"The epoch {member_epoch} is newer than the member's, {member.epoch}.")

    def check(topic_id: bytes, index: int) -> None:
        view = topics.by_id(topic_id)
        _check_task(group, member, member_epoch, "" if view is None else view.name, index)

    return check


def _check_task(group: StreamsGroup, member: StreamsMember, epoch: int, topic: str, index: int) -> None:
    """Raises CoordinatorError (STALE_MEMBER_EPOCH) unless the member had a task of the partition in an epoch."""
    subtopology_id = None if group.topology is None else group.topology.subtopology_of.get(topic)
    if subtopology_id is None:
        raise _stale(f"The group does not read the topic {quoted(topic)}.")
    given: int | None = None
    for held in (member.assigned, member.revoking):
        if given is None:
            given = held.active.get(subtopology_id, {}).get(index)
    if given is None:
        raise _stale(f"Partition {index} of {quoted(topic)} is not assigned to the member.")
    if epoch < given:
        raise _stale(f"The epoch {epoch} is older than {given}, in which the member got the task.")


def check_fetch(group: StreamsGroup, *, member_id: str | None, member_epoch: int) -> None:
    """Raises CoordinatorError unless these may fetch the group's offsets: UNKNOWN_MEMBER_ID, STALE_MEMBER_EPOCH."""
    member = fetching_member(group, member_id, member_epoch)
    if member is not None and member_epoch != member.epoch:
        raise _stale(f"The epoch {member_epoch} is not the member's, {member.epoch}.")


def _stale(text: str) -> CoordinatorError:
    return CoordinatorError(ErrorCode.STALE_MEMBER_EPOCH, text)
