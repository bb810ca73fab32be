"""Members of classic groups at the edges: who leads, which timeouts hold, who may commit."""

from __future__ import annotations

from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.groups.classic.group import MAX_GENERATION, ClassicGroup
from kafkaproto_server.core.coordinators.groups.classic.groups import NEW_MEMBER_TIMEOUT_MS
from tests.core.coordinators.support.groups import DELAY_MS, REBALANCE_MS, SESSION_MS, Groups
from tests.core.coordinators.support.offsets import of

NONE = ErrorCode.NONE


def static_pair(groups: Groups, **fields: Any) -> tuple[str, str]:
    """The ids of two static members of a stable group; the first one leads."""
    joins = [groups.join(group_instance_id=each, **fields) for each in ("A", "B")]
    groups.advance(2 * DELAY_MS)
    leader, follower = (each[0].member_id for each in joins)
    groups.sync(follower, 1, group_instance_id="B")
    groups.sync(leader, 1, {leader: b"1", follower: b"2"}, group_instance_id="A")
    return leader, follower


def test_a_static_member_that_starts_anew_is_told_who_leads() -> None:
    for knows_skipping in (True, False):
        groups = Groups()
        leader, follower = static_pair(groups)
        (joined,) = groups.join(group_instance_id="B", knows_skipping=knows_skipping)
        assert joined.member_id not in (leader, follower)
        assert (joined.code, joined.generation, joined.leader_id) == (NONE, 1, leader)
        assert (joined.members, joined.skip_assignment) == ([], False)
        assert groups.sync(joined.member_id, 1, group_instance_id="B")[0].assignment == b"2"


def test_if_the_leader_does_not_join_again_the_first_of_those_who_do_leads() -> None:
    groups = Groups(max_session_timeout_ms=10 * REBALANCE_MS)
    long: dict[str, Any] = {"session_timeout_ms": 9 * REBALANCE_MS}
    _, follower = static_pair(groups, **long)
    last = groups.join(**long)
    first = groups.join(follower, group_instance_id="B", **long)
    groups.advance(REBALANCE_MS)
    assert first[0].leader_id == last[0].leader_id == follower


def test_a_session_is_as_long_as_the_member_said_last() -> None:
    groups = Groups()
    (member_id,) = groups.stable(1)
    (joined,) = groups.join(member_id, session_timeout_ms=2 * SESSION_MS)
    groups.sync(member_id, joined.generation, {member_id: b""})
    assert groups.beat(member_id, joined.generation) is NONE
    groups.advance(2 * SESSION_MS - 1)
    assert groups.described().state == "Stable"
    groups.advance(1)
    assert groups.described().state == "Empty"


def test_a_generation_is_that_of_a_member_even_if_the_group_has_none() -> None:
    groups = Groups()
    groups.commit(of("a", 0, 1))
    for generation, code in ((-1, NONE), (0, ErrorCode.UNKNOWN_MEMBER_ID), (1, ErrorCode.UNKNOWN_MEMBER_ID)):
        told = groups.commit(of("a", 0, 2), generation=generation, member_id="m")
        assert [each[0] for each in told.responses] == [code]


def test_what_a_member_likes_best_counts_only_if_all_support_it() -> None:
    groups = Groups()
    likes = [
        (("mine", b""), ("range", b""), ("sticky", b"")),
        (("other", b""), ("sticky", b""), ("range", b"")),
        (("third", b""), ("sticky", b""), ("range", b"")),
    ]
    joins = [groups.join(protocols=each) for each in likes]
    groups.advance(3 * DELAY_MS)
    assert {each[0].protocol for each in joins} == {"sticky"}
    # The one that leads was the first, and hears what all said of that protocol.
    assert [len(each[0].members) for each in joins] == [3, 0, 0]


def test_a_rebalance_takes_all_of_its_time_if_one_who_is_waited_for_is_refused() -> None:
    groups = Groups(max_size=2)
    (first,) = groups.stable(1)
    (handed,) = groups.join(needs_known_id=True)
    groups.join()
    again = groups.join(first)
    groups.advance(0)
    assert groups.refusal(handed.member_id) is ErrorCode.GROUP_MAX_SIZE_REACHED
    groups.advance(SESSION_MS)
    assert again == [], "the rebalance takes all of its time then"
    groups.advance(REBALANCE_MS)
    assert len(again) == 1


def test_what_the_earlier_life_of_a_static_member_is_assigned_does_not_come() -> None:
    groups = Groups()
    joins = [groups.join(group_instance_id=each) for each in ("A", "B")]
    groups.advance(2 * DELAY_MS)
    syncing = groups.sync(joins[1][0].member_id, 1, group_instance_id="B")
    groups.join(group_instance_id="B")
    assert [each.code for each in syncing] == [ErrorCode.FENCED_INSTANCE_ID]


def test_if_none_of_the_static_members_joins_again_there_is_no_generation_yet() -> None:
    groups = Groups(max_session_timeout_ms=10 * REBALANCE_MS)
    long: dict[str, Any] = {"session_timeout_ms": 9 * REBALANCE_MS}
    _, follower = static_pair(groups, **long)
    (handed,) = groups.join(needs_known_id=True, **long)
    groups.join(handed.member_id, **long)
    assert groups.leave((handed.member_id, None)) == [NONE]
    groups.advance(2 * REBALANCE_MS)
    assert groups.described().state == "PreparingRebalance"
    assert groups.beat(follower, 1, "B") is ErrorCode.REBALANCE_IN_PROGRESS


def test_who_has_not_fetched_its_assignment_has_all_of_the_next_rebalance() -> None:
    groups = Groups(max_session_timeout_ms=10 * REBALANCE_MS)
    long: dict[str, Any] = {"session_timeout_ms": 9 * REBALANCE_MS}
    leader, follower = (each.member_id for each in groups.joined(2, **long))
    groups.sync(leader, 1, {})
    groups.advance(REBALANCE_MS // 2)
    groups.join(leader, **long)
    groups.advance(REBALANCE_MS - 1)
    assert groups.beat(follower, 1) is ErrorCode.REBALANCE_IN_PROGRESS
    groups.advance(1)
    assert groups.beat(follower, 2) is ErrorCode.UNKNOWN_MEMBER_ID


def test_if_nobody_leaves_nobody_has_to_join_again() -> None:
    groups = Groups()
    (member_id,) = groups.stable(1)
    assert groups.leave(("nobody", None), ("", "unknown")) == [ErrorCode.UNKNOWN_MEMBER_ID] * 2
    assert groups.beat(member_id, 1) is NONE


def test_who_leaves_while_it_joins_is_told_so() -> None:
    groups = Groups()
    (handed,) = groups.join(needs_known_id=True)
    joining = groups.join(handed.member_id)
    assert joining == []
    assert groups.leave((handed.member_id, None)) == [NONE]
    assert [each.code for each in joining] == [ErrorCode.UNKNOWN_MEMBER_ID]


def test_one_call_is_due_for_a_session_also_after_a_longer_one() -> None:
    groups = Groups()
    (member_id,) = groups.stable(1)
    for _ in range(4 * NEW_MEMBER_TIMEOUT_MS // SESSION_MS):
        groups.advance(SESSION_MS // 3)
        assert groups.beat(member_id, 1) is NONE
    soon_ms = groups.world.now_ms() + SESSION_MS
    assert len([each for each in groups.world.due() if each <= soon_ms]) == 1


def test_a_new_member_waits_for_its_first_generation_so_long_and_no_longer() -> None:
    groups = Groups(max_session_timeout_ms=10 * NEW_MEMBER_TIMEOUT_MS)
    long: dict[str, Any] = {
        "session_timeout_ms": 9 * NEW_MEMBER_TIMEOUT_MS,
        "rebalance_timeout_ms": 2 * NEW_MEMBER_TIMEOUT_MS,
    }
    groups.stable(1, **long)
    joining = groups.join(**long)
    groups.advance(NEW_MEMBER_TIMEOUT_MS - 1)
    assert joining == []
    groups.advance(1)
    assert [each.code for each in joining] == [ErrorCode.UNKNOWN_MEMBER_ID]


def test_the_generation_after_the_last_one_is_the_first() -> None:
    group = ClassicGroup("group", generation=MAX_GENERATION - 1)
    group.begin_generation(0)
    assert group.generation == MAX_GENERATION
    group.begin_generation(0)
    assert group.generation == 1
