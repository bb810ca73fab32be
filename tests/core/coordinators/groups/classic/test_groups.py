"""The classic protocol: who joins a group, which generation it makes of them, and who is not heard any more.

Tests: `core.coordinators.groups.classic.config`, `core.coordinators.groups.classic.describe`,
`core.coordinators.groups.classic.group`, `core.coordinators.groups.classic.rebalances`,
`core.coordinators.groups.classic.sessions`, `core.coordinators.groups.classic.static_members`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import GroupMetadataKey, GroupMetadataValue
from tests.core.coordinators.support.groups import (
    DELAY_MS,
    GROUP,
    RANGE,
    REBALANCE_MS,
    SESSION_MS,
    Groups,
)
from tests.core.coordinators.support.offsets import of

NONE = ErrorCode.NONE
OTHER = (("range", b"another subscription"),)
STATIC = "instance"


def last_record(groups: Groups) -> GroupMetadataValue:
    key, value = groups.log.records()[-1]
    assert key == GroupMetadataKey(group=GROUP)
    assert isinstance(value, GroupMetadataValue)
    return value


# -- the first rebalance


def test_the_first_generation_waits_for_others() -> None:
    groups = Groups()
    first = groups.join()
    groups.advance(DELAY_MS - 1)
    assert first == []
    groups.advance(1)
    (joined,) = first
    assert (joined.code, joined.generation, joined.protocol) == (NONE, 1, "range")
    assert joined.leader_id == joined.member_id
    assert joined.member_id.startswith("client-")
    assert joined.members == [(joined.member_id, None, b"subscription")]


def test_members_that_come_put_the_first_generation_off() -> None:
    groups = Groups()
    first = groups.join()
    groups.advance(DELAY_MS - 1)
    second = groups.join()
    groups.advance(DELAY_MS)
    assert (first, second) == ([], [])
    groups.advance(1)
    (leader,), (follower,) = first, second
    assert [leader.generation, follower.generation] == [1, 1]
    assert leader.leader_id == follower.leader_id == leader.member_id
    assert [member_id for member_id, _, _ in leader.members] == [leader.member_id, follower.member_id]
    assert follower.members == []


def test_the_first_generation_waits_no_longer_than_a_rebalance() -> None:
    groups = Groups()
    responses = [groups.join(rebalance_timeout_ms=2 * DELAY_MS + 1)]
    for _ in range(2):
        groups.advance(DELAY_MS - 1)
        responses.append(groups.join(rebalance_timeout_ms=2 * DELAY_MS + 1))
    groups.advance(2)
    assert not any(responses)
    groups.advance(1)
    assert all(responses)


def test_without_a_delay_the_first_generation_comes_at_once() -> None:
    groups = Groups(initial_rebalance_delay_ms=0)
    first = groups.join()
    groups.advance(0)
    assert first[0].generation == 1


# -- ids of members


def test_a_member_without_an_id_gets_one_and_joins_with_it() -> None:
    groups = Groups()
    (refused,) = groups.join(needs_known_id=True)
    assert refused.code is ErrorCode.MEMBER_ID_REQUIRED
    joined = groups.join(refused.member_id)
    groups.advance(DELAY_MS)
    assert joined[0].member_id == refused.member_id
    assert joined[0].code is NONE


def test_an_id_that_nobody_joins_with_is_forgotten() -> None:
    groups = Groups()
    (refused,) = groups.join(needs_known_id=True)
    groups.advance(SESSION_MS)
    assert groups.refusal(refused.member_id) is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_rebalance_waits_for_ids_that_were_handed_out() -> None:
    groups = Groups()
    (member_id,) = groups.stable(1)
    (pending,) = groups.join(needs_known_id=True, session_timeout_ms=SESSION_MS)
    again = groups.join(member_id, protocols=OTHER)
    assert again == []
    groups.join(pending.member_id)
    assert again[0].generation == 2
    assert len(again[0].members) == 2


def test_a_rebalance_waits_for_an_id_no_longer_than_its_session() -> None:
    groups = Groups()
    (member_id,) = groups.stable(1)
    groups.join(needs_known_id=True)
    again = groups.join(member_id, protocols=OTHER)
    groups.advance(SESSION_MS)
    assert again[0].generation == 2


def test_a_group_of_ids_alone_is_forgotten_with_them() -> None:
    groups = Groups()
    groups.join(needs_known_id=True)
    groups.join(needs_known_id=True, group="h")
    groups.commit(of("t", 0, 5), group="h")
    assert [name for name, *_ in groups.listed()] == ["group", "h"]
    groups.advance(SESSION_MS)
    # The other one has an offset.
    assert [name for name, *_ in groups.listed()] == ["h"]


def test_a_group_waits_for_each_of_its_ids() -> None:
    groups = Groups()
    groups.join(needs_known_id=True)
    (second,) = groups.join(needs_known_id=True, session_timeout_ms=2 * SESSION_MS)
    groups.advance(SESSION_MS)
    joined = groups.join(second.member_id)
    groups.advance(DELAY_MS)
    assert [each.code for each in joined] == [NONE]


def test_a_group_that_has_members_stays_when_an_id_expires() -> None:
    groups = Groups()
    (member_id,) = groups.stable(1, session_timeout_ms=3 * SESSION_MS)
    groups.join(needs_known_id=True)
    groups.advance(SESSION_MS)
    assert groups.beat(member_id, 1) is NONE


def test_a_group_whose_first_member_waits_for_others_stays_when_an_id_expires() -> None:
    groups = Groups(initial_rebalance_delay_ms=2 * SESSION_MS)
    first = groups.join()
    groups.join(needs_known_id=True)
    groups.advance(SESSION_MS)
    groups.advance(SESSION_MS)
    assert [each.code for each in first] == [NONE]


def test_an_unknown_id_is_refused() -> None:
    groups = Groups()
    assert groups.refusal("nobody") is ErrorCode.UNKNOWN_MEMBER_ID
    groups.stable(1)
    assert groups.refusal("nobody") is ErrorCode.UNKNOWN_MEMBER_ID
    assert groups.beat("nobody", 1) is ErrorCode.UNKNOWN_MEMBER_ID
    (synced,) = groups.sync("nobody", 1)
    assert synced.code is ErrorCode.UNKNOWN_MEMBER_ID


# -- what is refused


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"session_timeout_ms": 5_999}, ErrorCode.INVALID_SESSION_TIMEOUT),
        ({"session_timeout_ms": 1_800_001}, ErrorCode.INVALID_SESSION_TIMEOUT),
        ({"group": ""}, ErrorCode.INVALID_GROUP_ID),
        ({"protocol_type": ""}, ErrorCode.INCONSISTENT_GROUP_PROTOCOL),
        ({"protocols": ()}, ErrorCode.INCONSISTENT_GROUP_PROTOCOL),
        # With an id that is made of it, no record could hold it.
        ({"group_instance_id": "x" * 32_760}, ErrorCode.INVALID_REQUEST),
        ({"client_id": "x" * 32_760}, ErrorCode.INVALID_REQUEST),
    ],
)
def test_what_makes_no_sense_is_refused(fields: dict[str, Any], code: ErrorCode) -> None:
    groups = Groups()
    assert groups.refusal(**fields) is code
    assert groups.listed() == []


@pytest.mark.parametrize(
    "fields", [{"protocol_type": "connect"}, {"protocols": (("sticky", b""),)}], ids=["type", "protocols"]
)
def test_a_member_with_nothing_in_common_is_refused(fields: dict[str, Any]) -> None:
    groups = Groups()
    groups.stable(1)
    assert groups.refusal(**fields) is ErrorCode.INCONSISTENT_GROUP_PROTOCOL


def test_a_full_group_takes_nobody_in() -> None:
    groups = Groups(max_size=2)
    ids = groups.stable(2)
    assert groups.refusal() is ErrorCode.GROUP_MAX_SIZE_REACHED
    # Its members may join again.
    assert groups.join(ids[1])[0].code is NONE


def test_of_too_many_that_join_anew_the_first_come_stay() -> None:
    groups = Groups()
    ids = groups.stable(3)
    groups.configure(max_size=2)
    first = groups.join(ids[0], protocols=OTHER)
    groups.join(ids[1])
    assert groups.refusal(ids[2]) is ErrorCode.GROUP_MAX_SIZE_REACHED
    groups.advance(REBALANCE_MS)
    assert [member_id for member_id, _, _ in first[0].members] == ids[:2]


# -- which protocol


def test_the_protocol_is_one_that_all_have_and_most_like() -> None:
    groups = Groups()
    likes = ["sticky range other", "range sticky", "range sticky"]
    responses = [
        groups.join(protocols=tuple((name, name.encode()) for name in each.split())) for each in likes
    ]
    groups.advance(2 * DELAY_MS)
    assert [response[0].protocol for response in responses] == ["range"] * 3
    assert [metadata for _, _, metadata in responses[0][0].members] == [b"range"] * 3


# -- later rebalances


def test_a_new_member_makes_all_others_join_again() -> None:
    groups = Groups()
    ids = groups.stable(2)
    third = groups.join()
    assert [groups.beat(each, 1) for each in ids] == [ErrorCode.REBALANCE_IN_PROGRESS] * 2
    again = [groups.join(each) for each in ids]
    # All are there: nobody waits any longer.
    assert [response[0].generation for response in (*again, third)] == [2, 2, 2]
    assert again[0][0].leader_id == ids[0]


def test_members_that_do_not_join_again_are_removed() -> None:
    groups = Groups(max_session_timeout_ms=10 * REBALANCE_MS)
    ids = groups.stable(3, session_timeout_ms=5 * REBALANCE_MS)
    again = groups.join(ids[1], protocols=OTHER, session_timeout_ms=5 * REBALANCE_MS)
    groups.advance(REBALANCE_MS - 1)
    assert again == []
    groups.advance(1)
    assert again[0].generation == 2
    # The leader is gone as well.
    assert again[0].leader_id == ids[1]
    assert [member_id for member_id, _, _ in again[0].members] == [ids[1]]
    assert groups.beat(ids[0], 2) is ErrorCode.UNKNOWN_MEMBER_ID


def test_the_longest_rebalance_timeout_of_all_counts() -> None:
    groups = Groups(max_session_timeout_ms=10 * REBALANCE_MS)
    session: dict[str, Any] = {"session_timeout_ms": 9 * REBALANCE_MS}
    slow, fast = groups.join(rebalance_timeout_ms=3 * REBALANCE_MS, **session), groups.join(**session)
    groups.advance(2 * DELAY_MS)
    groups.sync(slow[0].member_id, 1, {})
    groups.sync(fast[0].member_id, 1)
    again = groups.join(fast[0].member_id, protocols=OTHER, **session)
    groups.advance(3 * REBALANCE_MS - 1)
    assert again == []
    groups.advance(1)
    assert again[0].generation == 2


def test_a_follower_that_changes_nothing_stays_in_its_generation() -> None:
    groups = Groups()
    ids = groups.stable(2)
    (joined,) = groups.join(ids[1])
    assert (joined.generation, joined.leader_id, joined.members) == (1, ids[0], [])
    assert groups.described().state == "Stable"


@pytest.mark.parametrize(("number", "protocols"), [(0, RANGE), (1, OTHER)], ids=["leader", "changed"])
def test_a_leader_or_another_subscription_begins_a_rebalance(number: int, protocols: Any) -> None:
    groups = Groups()
    ids = groups.stable(2)
    assert groups.join(ids[number], protocols=protocols) == []
    assert groups.described().state == "PreparingRebalance"


def test_a_member_whose_response_was_lost_hears_of_its_generation_again() -> None:
    groups = Groups()
    leader, follower = groups.joined(2)
    (again,) = groups.join(leader.member_id)
    assert (again.generation, again.members) == (1, leader.members)
    (again,) = groups.join(follower.member_id)
    assert (again.generation, again.members) == (1, [])


def test_of_two_requests_of_one_member_the_first_is_given_up() -> None:
    groups = Groups()
    ids = groups.stable(2)
    first = groups.join(ids[1], protocols=OTHER)
    groups.join(ids[1], protocols=OTHER)
    assert first[0].code is ErrorCode.UNKNOWN_MEMBER_ID


# -- assignments


def test_all_get_what_the_leader_assigns_once_it_is_kept() -> None:
    groups = Groups()
    leader, follower = groups.joined(2)
    groups.log.commits_at_once = False
    waiting = groups.sync(follower.member_id, 1)
    assert waiting == []
    assigned = groups.sync(leader.member_id, 1, {leader.member_id: b"L", follower.member_id: b"F"})
    assert (waiting, assigned) == ([], [])
    groups.log.commit()
    assert [waiting[0].assignment, assigned[0].assignment] == [b"F", b"L"]
    assert (assigned[0].protocol_type, assigned[0].protocol) == ("consumer", "range")
    kept = last_record(groups)
    assert (kept.generation, kept.protocol, kept.leader) == (1, "range", leader.member_id)
    assert [(each.member_id, each.subscription, each.assignment) for each in kept.members] == [
        (leader.member_id, b"subscription", b"L"),
        (follower.member_id, b"subscription", b"F"),
    ]
    # Who asks later gets it at once.
    assert groups.sync(follower.member_id, 1)[0].assignment == b"F"


def test_an_assignment_that_cannot_be_written_begins_a_rebalance() -> None:
    groups = Groups()
    leader, follower = groups.joined(2)
    groups.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    waiting = groups.sync(follower.member_id, 1)
    assigned = groups.sync(leader.member_id, 1, {})
    assert [each[0].code for each in (waiting, assigned)] == [ErrorCode.COORDINATOR_NOT_AVAILABLE] * 2
    assert groups.described().state == "PreparingRebalance"


def test_an_assignment_that_is_not_replicated_begins_a_rebalance() -> None:
    groups = Groups()
    leader, _ = groups.joined(2)
    groups.log.commits_at_once = False
    assigned = groups.sync(leader.member_id, 1, {})
    groups.log.give_up(ErrorCode.REQUEST_TIMED_OUT)
    assert assigned[0].code is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert groups.described().state == "PreparingRebalance"


def test_an_assignment_of_an_earlier_generation_comes_too_late() -> None:
    groups = Groups()
    leader, follower = groups.joined(2)
    groups.log.commits_at_once = False
    assigned = groups.sync(leader.member_id, 1, {leader.member_id: b"late"})
    again = groups.join(follower.member_id, protocols=OTHER)
    assert assigned[0].code is ErrorCode.REBALANCE_IN_PROGRESS
    groups.join(leader.member_id)
    assert again[0].generation == 2
    groups.log.commit()
    assert groups.described().state == "CompletingRebalance"


@pytest.mark.parametrize(
    ("generation", "fields", "code"),
    [
        (2, {}, ErrorCode.ILLEGAL_GENERATION),
        (0, {}, ErrorCode.ILLEGAL_GENERATION),
        (1, {"protocol": "sticky"}, ErrorCode.INCONSISTENT_GROUP_PROTOCOL),
        (1, {"protocol_type": "connect"}, ErrorCode.INCONSISTENT_GROUP_PROTOCOL),
        # Clients of early versions do not say.
        (1, {"protocol": None, "protocol_type": None}, NONE),
    ],
)
def test_a_sync_is_of_the_present_generation_and_protocol(
    generation: int, fields: dict[str, Any], code: ErrorCode
) -> None:
    groups = Groups()
    ids = groups.stable(2)
    assert groups.sync(ids[1], generation, **fields)[0].code is code


def test_during_a_rebalance_nothing_is_assigned() -> None:
    groups = Groups()
    ids = groups.stable(2)
    groups.join(ids[0])
    assert groups.sync(ids[1], 1)[0].code is ErrorCode.REBALANCE_IN_PROGRESS


def test_members_that_do_not_fetch_their_assignments_are_removed() -> None:
    groups = Groups(max_session_timeout_ms=10 * REBALANCE_MS)
    leader, follower = groups.joined(2, session_timeout_ms=5 * REBALANCE_MS)
    groups.sync(leader.member_id, 1, {})
    groups.advance(REBALANCE_MS)
    assert groups.beat(follower.member_id, 1) is ErrorCode.UNKNOWN_MEMBER_ID
    assert groups.beat(leader.member_id, 1) is ErrorCode.REBALANCE_IN_PROGRESS


# -- sessions


def test_heartbeats_are_of_the_present_generation() -> None:
    groups = Groups()
    (member_id,) = groups.stable(1)
    assert groups.beat(member_id, 1) is NONE
    assert groups.beat(member_id, 2) is ErrorCode.ILLEGAL_GENERATION


def test_a_member_that_is_not_heard_is_removed() -> None:
    groups = Groups()
    ids = groups.stable(2)
    groups.advance(SESSION_MS - 1)
    assert groups.beat(ids[0], 1) is NONE
    groups.advance(1)
    assert groups.beat(ids[1], 1) is ErrorCode.UNKNOWN_MEMBER_ID
    assert groups.beat(ids[0], 1) is ErrorCode.REBALANCE_IN_PROGRESS


def test_heartbeats_and_commits_keep_a_session() -> None:
    groups = Groups()
    ids = groups.stable(2)
    for _ in range(5):
        groups.advance(SESSION_MS - 1)
        assert groups.beat(ids[0], 1) is NONE
        groups.commit(member_id=ids[1], generation=1)
    assert groups.described().state == "Stable"


def test_a_member_that_waits_keeps_its_session() -> None:
    groups = Groups()
    ids = groups.stable(2)
    again = groups.join(ids[0])
    groups.advance(3 * SESSION_MS)
    assert groups.beat(ids[1], 1) is ErrorCode.UNKNOWN_MEMBER_ID
    # The other one is gone: nobody else is waited for.
    assert again[0].generation == 2


def test_a_member_that_waits_for_its_assignment_keeps_its_session() -> None:
    groups = Groups()
    leader, follower = groups.joined(2, rebalance_timeout_ms=10 * SESSION_MS)
    waiting = groups.sync(follower.member_id, 1)
    for _ in range(5):
        groups.advance(SESSION_MS - 1)
        groups.beat(leader.member_id, 1)
    assert waiting == []
    groups.sync(leader.member_id, 1, {follower.member_id: b"mine"})
    assert (waiting[0].code, waiting[0].assignment) == (NONE, b"mine")


def test_a_group_whose_last_member_is_gone_is_empty() -> None:
    groups = Groups()
    groups.stable(1)
    groups.advance(SESSION_MS)
    assert groups.described().state == "Empty"
    kept = last_record(groups)
    assert (kept.generation, kept.protocol, kept.leader, kept.members) == (2, None, None, [])
    # Its next generation waits as that of a new group.
    again = groups.join()
    groups.advance(DELAY_MS - 1)
    assert again == []
    groups.advance(1)
    assert again[0].generation == 3


def test_a_group_whose_last_member_leaves_does_not_wait_for_ids() -> None:
    groups = Groups()
    (member_id,) = groups.stable(1)
    groups.join(needs_known_id=True)
    groups.leave((member_id, None))
    assert groups.described().state == "Empty"


# -- LeaveGroup


def test_a_member_that_leaves_is_gone_at_once() -> None:
    groups = Groups()
    ids = groups.stable(2)
    assert groups.leave((ids[0], None), ("nobody", None)) == [NONE, ErrorCode.UNKNOWN_MEMBER_ID]
    assert groups.beat(ids[1], 1) is ErrorCode.REBALANCE_IN_PROGRESS
    (joined,) = groups.join(ids[1])
    assert (joined.generation, joined.leader_id) == (2, ids[1])


def test_who_leaves_an_unknown_group_was_no_member() -> None:
    groups = Groups()
    assert groups.leave(("a", None), ("b", None)) == [ErrorCode.UNKNOWN_MEMBER_ID] * 2


def test_who_only_has_an_id_may_leave() -> None:
    groups = Groups()
    (refused,) = groups.join(needs_known_id=True)
    assert groups.leave((refused.member_id, None)) == [NONE]
    assert groups.refusal(refused.member_id) is ErrorCode.UNKNOWN_MEMBER_ID


def test_static_members_leave_by_their_instance_ids() -> None:
    groups = Groups()
    groups.stable(1, group_instance_id=STATIC)
    assert groups.leave(("", "unknown"), ("", STATIC)) == [ErrorCode.UNKNOWN_MEMBER_ID, NONE]
    assert groups.described().state == "Empty"


# -- static members


def test_a_static_member_that_starts_anew_keeps_generation_and_assignment() -> None:
    groups = Groups()
    (old,) = groups.stable(1, group_instance_id=STATIC)
    (joined,) = groups.join(group_instance_id=STATIC)
    assert joined.member_id.startswith(f"{STATIC}-")
    assert joined.member_id != old
    # It leads, and need not assign.
    assert (joined.generation, joined.leader_id, joined.skip_assignment) == (1, joined.member_id, True)
    assert [each.member_id for each in last_record(groups).members] == [joined.member_id]
    assert groups.sync(joined.member_id, 1, group_instance_id=STATIC)[0].assignment == old.encode()


def test_a_client_that_cannot_skip_the_assignment_is_not_told_that_it_leads() -> None:
    groups = Groups()
    (old,) = groups.stable(1, group_instance_id=STATIC)
    (joined,) = groups.join(group_instance_id=STATIC, knows_skipping=False)
    assert joined.leader_id != joined.member_id
    assert joined.leader_id != old
    assert (joined.members, joined.skip_assignment) == ([], False)


def test_the_earlier_life_of_a_static_member_is_fenced() -> None:
    groups = Groups()
    (old,) = groups.stable(1, group_instance_id=STATIC)
    groups.join(group_instance_id=STATIC)
    assert groups.beat(old, 1, STATIC) is ErrorCode.FENCED_INSTANCE_ID
    assert groups.refusal(old, group_instance_id=STATIC) is ErrorCode.FENCED_INSTANCE_ID
    assert groups.sync(old, 1, group_instance_id=STATIC)[0].code is ErrorCode.FENCED_INSTANCE_ID
    assert groups.leave((old, STATIC)) == [ErrorCode.FENCED_INSTANCE_ID]
    assert groups.beat(old, 1, "unknown") is ErrorCode.UNKNOWN_MEMBER_ID


def test_what_the_earlier_life_of_a_static_member_waits_for_does_not_come() -> None:
    groups = Groups()
    first = groups.join(group_instance_id=STATIC)
    second = groups.join(group_instance_id=STATIC)
    assert first[0].code is ErrorCode.FENCED_INSTANCE_ID
    groups.advance(2 * DELAY_MS)
    assert second[0].code is NONE
    assert len(second[0].members) == 1


def test_a_static_member_with_another_subscription_begins_a_rebalance() -> None:
    groups = Groups()
    groups.stable(1, group_instance_id=STATIC)
    (joined,) = groups.join(group_instance_id=STATIC, protocols=OTHER)
    assert joined.generation == 2


def test_a_static_member_is_waited_for_until_its_session_ends() -> None:
    groups = Groups(max_session_timeout_ms=10 * REBALANCE_MS)
    (static,) = [each.member_id for each in groups.joined(1, group_instance_id=STATIC)]
    groups.sync(static, 1, {}, group_instance_id=STATIC)
    other = groups.join(session_timeout_ms=9 * REBALANCE_MS, needs_known_id=False)
    # It has joined, and the static one has not: it stays a member all the same.
    groups.beat(static, 1, STATIC)
    groups.advance(SESSION_MS - 1)
    assert other == []
    groups.advance(1)
    assert [instance_id for _, instance_id, _ in other[0].members] == [None]


def test_a_static_member_that_does_not_join_again_stays_but_does_not_lead() -> None:
    groups = Groups(max_session_timeout_ms=10 * REBALANCE_MS)
    long: dict[str, Any] = {"session_timeout_ms": 9 * REBALANCE_MS}
    (static,) = [each.member_id for each in groups.joined(1, group_instance_id=STATIC, **long)]
    groups.sync(static, 1, {}, group_instance_id=STATIC)
    other = groups.join(**long)
    groups.advance(REBALANCE_MS)
    assert other[0].leader_id == other[0].member_id
    assert [instance_id for _, instance_id, _ in other[0].members] == [STATIC, None]
    assert groups.beat(static, 2, STATIC) is NONE


def test_a_new_id_of_a_static_member_that_cannot_be_kept_is_not_told() -> None:
    groups = Groups()
    groups.stable(1, group_instance_id=STATIC)
    groups.log.commits_at_once = False
    joined = groups.join(group_instance_id=STATIC)
    assert joined == []
    groups.log.give_up(ErrorCode.REQUEST_TIMED_OUT)
    assert joined[0].code is ErrorCode.COORDINATOR_NOT_AVAILABLE


def test_a_static_member_whose_new_id_is_kept_too_late_joins_the_next_generation() -> None:
    groups = Groups()
    groups.stable(1, group_instance_id=STATIC)
    groups.log.commits_at_once = False
    joined = groups.join(group_instance_id=STATIC)
    other = groups.join()
    groups.log.commit()
    assert [each[0].generation for each in (joined, other)] == [2, 2]


def test_a_static_member_that_left_before_its_new_id_was_kept_is_no_member() -> None:
    groups = Groups()
    groups.stable(1, group_instance_id=STATIC)
    groups.log.commits_at_once = False
    joined = groups.join(group_instance_id=STATIC)
    groups.leave(("", STATIC))
    groups.log.commit()
    assert joined[0].code is ErrorCode.UNKNOWN_MEMBER_ID


# -- another coordinator


def test_another_coordinator_knows_members_generation_and_assignments() -> None:
    groups = Groups()
    ids = groups.stable(2)
    groups.move()
    assert groups.described().state == "Stable"
    assert [groups.beat(each, 1) for each in ids] == [NONE, NONE]
    assert groups.sync(ids[1], 1)[0].assignment == ids[1].encode()
    # Sessions begin anew.
    groups.advance(SESSION_MS - 1)
    assert groups.beat(ids[0], 1) is NONE
    groups.advance(1)
    assert groups.beat(ids[1], 1) is ErrorCode.UNKNOWN_MEMBER_ID


def test_members_that_do_not_follow_to_another_coordinator_are_removed() -> None:
    groups = Groups()
    groups.stable(2)
    groups.move()
    groups.advance(SESSION_MS)
    assert groups.described().state == "Empty"


def test_another_coordinator_knows_static_members() -> None:
    groups = Groups()
    (old,) = groups.stable(1, group_instance_id=STATIC)
    groups.move()
    assert groups.join(group_instance_id=STATIC)[0].generation == 1
    assert groups.beat(old, 1, STATIC) is ErrorCode.FENCED_INSTANCE_ID


def test_another_coordinator_goes_on_with_the_next_generation() -> None:
    groups = Groups()
    ids = groups.stable(2)
    groups.move()
    again = [groups.join(each, protocols=OTHER) for each in ids]
    assert [each[0].generation for each in again] == [2, 2]


def test_who_waits_hears_that_the_coordinator_is_elsewhere() -> None:
    groups = Groups()
    joining = groups.join(group="other")
    leader, follower = groups.joined(2)
    syncing = groups.sync(follower.member_id, 1)
    groups.log.commits_at_once = False
    assigning = groups.sync(leader.member_id, 1, {})
    joining = groups.join(group="third")
    groups.move()
    told = [joining[0].code, syncing[0].code, assigning[0].code]
    assert told == [ErrorCode.NOT_COORDINATOR] * 3
    # A generation whose assignment was not kept is not known.
    assert groups.described().state == "Dead"
