"""Who may commit and fetch offsets: members in their epoch, and those that have not heard of the next one."""

from __future__ import annotations

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ConsumerGroupMemberMetadataValue
from kafkaproto_server.core.coordinators.groups.consumer.commits import check_commit, check_fetch
from kafkaproto_server.core.coordinators.groups.consumer.group import ConsumerGroup
from kafkaproto_server.core.coordinators.groups.consumer.member import ConsumerMember
from kafkaproto_server.core.coordinators.values import CoordinatorError

A = bytes([1] * 16)


def group_of(*, is_classic: bool = False) -> ConsumerGroup:
    """A group with a member m in epoch 5."""
    classic = ConsumerGroupMemberMetadataValue.ClassicMemberMetadata() if is_classic else None
    member = ConsumerMember(
        member_id="m",
        epoch=5,
        previous_epoch=4,
        assigned={A: {0: 3}},
        revoking={A: {1: 2}},
        classic_metadata=classic,
    )
    return ConsumerGroup("group", members={"m": member})


def refusal(
    group: ConsumerGroup,
    member_id: str,
    epoch: int,
    index: int = 0,
    *,
    version: int = 9,
    is_transactional: bool = False,
    instance_id: str | None = None,
) -> ErrorCode:
    try:
        check = check_commit(
            group,
            member_id=member_id,
            member_epoch=epoch,
            instance_id=instance_id,
            version=version,
            is_transactional=is_transactional,
        )
        check(A, index)
    except CoordinatorError as error:
        return error.code
    return ErrorCode.NONE


def test_a_member_commits_anything_in_its_epoch() -> None:
    assert refusal(group_of(), "m", 5, index=7) == ErrorCode.NONE


def test_strangers_commit_only_while_there_is_no_member() -> None:
    assert refusal(ConsumerGroup("group"), "", -1) == ErrorCode.NONE
    assert refusal(ConsumerGroup("group"), "m", 1) == ErrorCode.UNKNOWN_MEMBER_ID
    assert refusal(group_of(), "", -1) == ErrorCode.UNKNOWN_MEMBER_ID
    assert refusal(group_of(), "n", 5) == ErrorCode.UNKNOWN_MEMBER_ID


def test_producers_that_know_of_no_members_commit_in_transactions() -> None:
    assert refusal(group_of(), "", -1, is_transactional=True) == ErrorCode.NONE
    for member_id, epoch, instance_id in (("x", -1, None), ("", 0, None), ("", -1, "i")):
        code = refusal(group_of(), member_id, epoch, is_transactional=True, instance_id=instance_id)
        assert code == ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize(
    ("epoch", "index", "is_stale"),
    [(6, 0, True), (4, 0, False), (3, 0, False), (2, 0, True), (2, 1, False), (1, 1, True), (4, 2, True)],
)
def test_an_older_epoch_serves_for_what_the_member_has_had_since_then(
    epoch: int, index: int, is_stale: bool
) -> None:
    code = ErrorCode.STALE_MEMBER_EPOCH if is_stale else ErrorCode.NONE
    assert refusal(group_of(), "m", epoch, index) == code
    classic = ErrorCode.ILLEGAL_GENERATION if is_stale else ErrorCode.NONE
    assert refusal(group_of(is_classic=True), "m", epoch, index) == classic


def test_members_use_a_version_that_tells_them_what_to_do() -> None:
    assert refusal(group_of(), "m", 5, version=8) == ErrorCode.UNSUPPORTED_VERSION
    assert refusal(group_of(), "m", 5, version=3, is_transactional=True) == ErrorCode.NONE
    assert refusal(group_of(is_classic=True), "m", 5, version=8) == ErrorCode.NONE


def fetch_refusal(group: ConsumerGroup, member_id: str | None, epoch: int) -> ErrorCode:
    try:
        check_fetch(group, member_id=member_id, member_epoch=epoch)
    except CoordinatorError as error:
        return error.code
    return ErrorCode.NONE


def test_offsets_are_fetched_by_anybody_who_claims_nothing() -> None:
    assert fetch_refusal(group_of(), None, -1) == ErrorCode.NONE
    assert fetch_refusal(group_of(), None, 5) == ErrorCode.UNKNOWN_MEMBER_ID
    assert fetch_refusal(group_of(), "n", 5) == ErrorCode.UNKNOWN_MEMBER_ID
    assert fetch_refusal(group_of(), "m", 5) == ErrorCode.NONE
    assert fetch_refusal(group_of(), "m", 4) == ErrorCode.STALE_MEMBER_EPOCH
    assert fetch_refusal(group_of(is_classic=True), "m", 4) == ErrorCode.ILLEGAL_GENERATION
