"""A member's next step: what it keeps, revokes and takes, and in which epoch it is then."""

from __future__ import annotations

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.groups.consumer.member import (
    ConsumerMember,
    ConsumerMemberState,
    Owned,
)
from kafkaproto_server.core.coordinators.groups.consumer.reconciliation import next_step
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.requests.consumer_group_requests import Partitions

A, B = bytes([1] * 16), bytes([2] * 16)
STABLE, UNREVOKED, UNRELEASED = (
    ConsumerMemberState.STABLE,
    ConsumerMemberState.UNREVOKED_PARTITIONS,
    ConsumerMemberState.UNRELEASED_PARTITIONS,
)


def member(
    epoch: int,
    state: ConsumerMemberState = STABLE,
    assigned: Owned | None = None,
    revoking: Owned | None = None,
) -> ConsumerMember:
    return ConsumerMember(
        member_id="m",
        epoch=epoch,
        previous_epoch=epoch - 1,
        state=state,
        assigned=assigned or {},
        revoking=revoking or {},
    )


def step(
    before: ConsumerMember,
    target_epoch: int,
    target: Partitions,
    *,
    reported: Partitions | None = None,
    owned: frozenset[tuple[bytes, int]] = frozenset(),
    subscribed: tuple[bytes, ...] = (A, B),
    has_new_subscription: bool = False,
) -> ConsumerMember:
    return next_step(
        before,
        target_epoch=target_epoch,
        target=target,
        is_subscribed=lambda topic_id: topic_id in subscribed,
        has_new_subscription=has_new_subscription,
        reported=reported,
        is_owned=lambda topic_id, index: (topic_id, index) in owned,
    )


def what(after: ConsumerMember) -> tuple[int, int, ConsumerMemberState, Owned, Owned]:
    return after.epoch, after.previous_epoch, after.state, after.assigned, after.revoking


def test_a_member_in_the_targets_epoch_stays_as_it_is() -> None:
    before = member(5, assigned={A: {0: 3}})
    assert step(before, 5, {B: (1,)}) is before


def test_free_partitions_are_taken_in_the_targets_epoch() -> None:
    after = step(member(5, assigned={A: {0: 3}}), 6, {A: (0, 1), B: (2,)})
    assert what(after) == (6, 5, STABLE, {A: {0: 3, 1: 6}, B: {2: 6}}, {})


def test_partitions_to_revoke_come_before_everything_else() -> None:
    after = step(member(5, assigned={A: {0: 3, 1: 4}}), 6, {A: (0,), B: (2,)})
    assert what(after) == (5, 5, UNREVOKED, {A: {0: 3}}, {A: {1: 4}})


def test_a_member_that_reports_that_it_owns_them_no_more_goes_on_at_once() -> None:
    after = step(member(5, assigned={A: {0: 3, 1: 4}}), 6, {A: (0,), B: (2,)}, reported={A: (0,)})
    assert what(after) == (6, 5, STABLE, {A: {0: 3}, B: {2: 6}}, {})


@pytest.mark.parametrize("reported", [None, {A: (1,)}, {A: (0, 1)}])
def test_a_member_stays_until_it_reports_that_it_has_revoked(reported: Partitions | None) -> None:
    before = member(5, UNREVOKED, {A: {0: 3}}, {A: {1: 4}})
    assert step(before, 7, {A: (0,)}, reported=reported) is before


def test_after_the_revocation_the_member_goes_to_the_newest_target() -> None:
    before = member(5, UNREVOKED, {A: {0: 3}}, {A: {1: 4}})
    after = step(before, 7, {A: (0, 2)}, reported={A: (0,)})
    assert what(after) == (7, 5, STABLE, {A: {0: 3, 2: 7}}, {})


def test_the_newest_target_may_give_back_what_was_just_revoked() -> None:
    before = member(5, UNREVOKED, {A: {0: 3}}, {A: {1: 4}})
    owned = frozenset({(A, 0), (A, 1)})
    after = step(before, 7, {A: (0, 1)}, reported={A: (0,)}, owned=owned)
    assert what(after) == (7, 5, STABLE, {A: {0: 3, 1: 7}}, {})


def test_what_others_have_is_waited_for_in_the_targets_epoch() -> None:
    owned = frozenset({(A, 1)})
    after = step(member(5), 6, {A: (0, 1)}, owned=owned)
    assert what(after) == (6, 5, UNRELEASED, {A: {0: 6}}, {})
    again = step(after, 6, {A: (0, 1)}, owned=owned)
    assert what(again) == (6, 6, UNRELEASED, {A: {0: 6}}, {})
    assert step(again, 6, {A: (0, 1)}, owned=owned) == again
    assert what(step(again, 6, {A: (0, 1)})) == (6, 6, STABLE, {A: {0: 6, 1: 6}}, {})


def test_a_target_without_a_subscription_counts_as_empty() -> None:
    after = step(member(5, assigned={B: {0: 3}}), 6, {A: (0,), B: (0,)}, subscribed=(A,))
    assert what(after) == (5, 5, UNREVOKED, {}, {B: {0: 3}})


def test_a_new_subscription_makes_the_member_give_up_the_rest_before_the_target_changes() -> None:
    before = member(5, assigned={A: {0: 3}, B: {0: 4}})
    assert step(before, 5, {}, subscribed=(A,)) is before
    after = step(before, 5, {}, subscribed=(A,), has_new_subscription=True)
    assert what(after) == (5, 5, UNREVOKED, {A: {0: 3}}, {B: {0: 4}})
    assert step(before, 5, {}, has_new_subscription=True) is before


def test_a_new_subscription_adds_to_what_is_being_revoked() -> None:
    before = member(5, UNREVOKED, {A: {0: 3}, B: {0: 4}}, {B: {1: 4}})
    after = step(before, 6, {}, subscribed=(A,), has_new_subscription=True)
    assert what(after) == (5, 5, UNREVOKED, {A: {0: 3}}, {B: {0: 4, 1: 4}})


def test_what_was_given_up_already_is_not_waited_for() -> None:
    before = member(5, assigned={A: {0: 3}, B: {0: 4}})
    after = step(before, 5, {}, subscribed=(A,), has_new_subscription=True, reported={A: (0,)})
    assert what(after) == (5, 5, STABLE, {A: {0: 3}}, {})


@pytest.mark.parametrize("reported", [None, {A: (0,)}])
def test_a_member_in_an_unknown_state_has_to_begin_anew(reported: Partitions | None) -> None:
    with pytest.raises(CoordinatorError) as fenced:
        step(member(5, ConsumerMemberState.UNKNOWN, {A: {0: 3}}), 6, {A: (0,)}, reported=reported)
    assert fenced.value.code == ErrorCode.FENCED_MEMBER_EPOCH


def test_a_member_in_an_unknown_state_that_owns_nothing_goes_on() -> None:
    after = step(member(5, ConsumerMemberState.UNKNOWN, {A: {0: 3}}), 6, {A: (0,)}, reported={})
    assert (after.epoch, after.state, after.assigned) == (6, STABLE, {A: {0: 3}})
