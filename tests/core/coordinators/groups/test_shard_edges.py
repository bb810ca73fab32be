"""Groups of all kinds at the edges: names that are empty, sessions on another broker, commits that are lost.

Tests: `core.coordinators.groups.revocations`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import GroupMetadataKey
from kafkaproto_server.core.coordinators.groups.consumer.regexes import MIN_REFRESH_INTERVAL_MS
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.requests.consumer_group_requests import HeartbeatValues
from kafkaproto_server.requests.streams_group_requests import StreamsHeartbeatValues, UserEndpoint
from tests.core.coordinators.support.derived import check_classic, check_consumer, check_share, check_streams
from tests.core.coordinators.support.groups import REBALANCE_MS, SESSION_MS, Groups
from tests.core.coordinators.support.offsets import of
from tests.core.coordinators.support.share_groups import ShareCoordinator
from tests.core.coordinators.support.streams import subtopology, topology

NONE = ErrorCode.NONE
LOST = ErrorCode.COORDINATOR_NOT_AVAILABLE
LONG_MS = 60_000
"""No session is longer."""


def test_a_classic_group_has_a_name() -> None:
    groups = Groups()
    invalid = ErrorCode.INVALID_GROUP_ID
    assert groups.refusal(group="") is invalid
    assert groups.shard.heartbeat("", "m", None, 1) is invalid
    with pytest.raises(CoordinatorError) as error:
        groups.shard.leave("", [("m", None)])
    assert error.value.code is invalid
    assert groups.commit_in_transaction(1, of("a", 0, 1), group="").responses == [(invalid, [])]
    assert groups.delete_offsets("a", 0, group="").responses == [(invalid, [])]


def test_a_producer_that_is_no_member_is_told_so() -> None:
    groups = Groups()
    groups.stable(1)
    told = groups.commit_in_transaction(1, of("a", 0, 1), member_id="other", generation=1)
    assert told.responses == [(ErrorCode.UNKNOWN_MEMBER_ID, [])]
    groups.consumer(group="new")
    told = groups.commit_in_transaction(1, of("a", 0, 1), group="new", member_id="m", generation=9)
    # Producers know no other error for an epoch that is not the member's.
    assert told.responses == [(ErrorCode.ILLEGAL_GENERATION, [])]
    # An older one is looked at partition by partition.
    told = groups.commit_in_transaction(1, of("a", 0, 1), group="new", member_id="m", generation=1)
    assert told.responses == [(ErrorCode.ILLEGAL_GENERATION, [])]


def test_a_reader_with_an_epoch_is_a_member() -> None:
    groups = Groups()
    groups.consumer(group="consumer")
    groups.streams(group="streams")
    for group in ("consumer", "streams"):
        assert groups.fetch(group) == {}
        for reader in ({"member_epoch": 0}, {"member_id": "other", "member_epoch": -1}):
            assert groups.fetch(group, **reader) is ErrorCode.UNKNOWN_MEMBER_ID
        for epoch in (1, 3):
            found = groups.fetch(group, member_id="m", member_epoch=epoch)
            assert found is ErrorCode.STALE_MEMBER_EPOCH
        assert groups.fetch(group, member_id="m", member_epoch=2) == {}


def test_an_epoch_is_that_of_a_member_even_if_the_group_has_none() -> None:
    groups = Groups()
    groups.consumer("m")
    groups.consumer("m", -1)
    for epoch, code in ((-1, NONE), (0, ErrorCode.UNKNOWN_MEMBER_ID)):
        assert groups.commit(of("a", 0, 1), generation=epoch).responses[0][0] is code


def test_a_group_whose_offsets_are_older_than_its_kind_is_one_group() -> None:
    for kind in ("consumer", "streams", "share"):
        groups = ShareCoordinator()
        groups.commit(of("a", 0, 1))
        if kind == "share":
            groups.shard._classic.groups.discard("group")
            groups.pulse("m", 0, "a")
        else:
            (groups.consumer if kind == "consumer" else groups.streams)("m")
        # Compaction has taken what said that it is no classic group.
        groups.log.entries = [
            each
            for each in groups.log.entries
            if not (each.value is None and isinstance(groups.log.decoded(each)[0], GroupMetadataKey))
        ]
        groups.move()
        assert [(group_id, state != "Empty") for group_id, _, state, _ in groups.listed()] == [
            ("group", True)
        ]


def test_a_share_group_with_offsets_that_are_newer_is_one_group() -> None:
    groups = ShareCoordinator()
    groups.commit(of("a", 0, 1))
    groups.shard._classic.groups.discard("group")
    groups.pulse("m", 0, "a")
    # Somebody else has written the offset.
    groups.log.entries = [*groups.log.entries[1:], groups.log.entries[0]]
    groups.move()
    assert [group_id for group_id, *_ in groups.listed()] == ["group"]
    assert groups.refusal() is ErrorCode.INCONSISTENT_GROUP_PROTOCOL


def test_the_first_responses_of_a_coordinator_wait_for_what_it_has_read() -> None:
    groups = ShareCoordinator()
    groups.consumer(group="consumer")
    groups.streams(group="streams")
    groups.pulse("m", 0, "a")
    groups.settle()
    groups.log.commits_at_once = False
    groups.commit(of("a", 0, 1), group="other")
    groups.move(keeps_uncommitted=True)
    before = groups.log.end_offset
    heard: list[Any] = []
    groups.shard.consumer_heartbeat(
        HeartbeatValues(group_id="consumer", member_id="m", member_epoch=2), heard.append
    )
    groups.shard.streams_heartbeat(
        StreamsHeartbeatValues(group_id="streams", member_id="m", member_epoch=2), heard.append
    )
    of_share = groups.send("m", groups.group.members["m"].epoch)
    assert groups.log.end_offset == before, "none of them wrote anything"
    assert (heard, of_share) == ([], [])
    groups.log.commit()
    assert (len(heard), len(of_share)) == (2, 1)


def test_sessions_of_members_of_all_kinds_begin_anew_on_another_broker() -> None:
    groups = ShareCoordinator()
    groups.stable(1)
    groups.consumer(group="consumer")
    groups.streams(group="streams")
    groups.pulse("m", 0, "a", group_id="share")
    groups.advance(SESSION_MS // 2)
    groups.move()
    shard, world = groups.shard, groups.world
    check_classic(shard._classic.groups["group"], world)
    check_consumer(shard._consumer.groups["consumer"], world)
    check_streams(shard._streams.groups["streams"], world)
    check_share(shard.share.groups.groups["share"], world)
    kinds = (shard._consumer.groups, shard._streams.groups, shard.share.groups.groups)
    assert [group.problem for kind in kinds for group in kind.values()] == [None] * 3
    groups.advance(LONG_MS)
    states = {group_id: state for group_id, _, state, _ in groups.listed()}
    assert states == dict.fromkeys(("group", "consumer", "streams", "share"), "Empty")


def test_a_static_member_that_likes_another_protocol_best_begins_a_rebalance() -> None:
    groups = Groups()
    protocols = (("range", b"s"), ("sticky", b"s"))
    static: dict[str, Any] = {"group_instance_id": "i"}
    (old,) = [each.member_id for each in groups.joined(1, protocols=protocols, **static)]
    groups.sync(old, 1, {}, **static)
    (again,) = groups.join(protocols=protocols, **static)
    assert (again.generation, again.protocol) == (1, "range")
    (again,) = groups.join(protocols=protocols[::-1], **static)
    assert (again.generation, again.protocol) == (2, "sticky")


def test_a_member_whose_session_ends_hears_nothing_of_its_assignment() -> None:
    groups = Groups()
    leader, follower = (each.member_id for each in groups.joined(2))
    found = groups.sync(follower, 1)
    assert groups.leave((follower, None)) == [NONE]
    assert [each.code for each in found] == [ErrorCode.UNKNOWN_MEMBER_ID]
    assert groups.beat(leader, 1) is ErrorCode.REBALANCE_IN_PROGRESS


def test_a_member_that_does_not_revoke_is_fenced_as_soon_as_the_log_takes_it() -> None:
    groups = Groups(consumer_assignment_interval_ms=0, consumer_min_assignment_interval_ms=0)
    groups.consumer("m1", rebalance_timeout_ms=1_000)
    groups.consumer("m2")
    groups.consumer("m1", 2)
    group = groups.shard._consumer.groups["group"]
    check_consumer(group, groups.world)
    groups.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    groups.advance(3_000)
    assert "m1" in group.members
    groups.log.refusal = None
    groups.advance(500)
    assert group.members.keys() == {"m2"}


def test_expressions_are_looked_at_again_only_if_there_are_new_topics() -> None:
    groups = Groups()
    groups.consumer(subscribed_topic_names=None, subscribed_topic_regex="a.*")
    groups.advance(1)
    group = groups.shard._consumer.groups["group"]
    groups.topics.change("ab", 1)
    for has_new in (False, True):
        groups.shard.topics_changed(["b"], has_new=has_new)
        groups.advance(2 * MIN_REFRESH_INTERVAL_MS)
        groups.consumer(epoch=group.members["m"].epoch)
        groups.advance(1)
        assert group.subscribed_topics() == ({"a", "ab"} if has_new else {"a"})


# --- share groups ---


@pytest.mark.parametrize(
    ("ask", "rest"),
    [
        (lambda groups, told: groups.share.alter("group", {"a": {0: 5}}, told), (None, ())),
        (lambda groups, told: groups.share.delete_offsets("group", ["a"], told), (None, ())),
        (lambda groups, told: groups.shard.delete("group", told), ()),
    ],
    ids=["alter", "delete", "end"],
)
def test_what_administrators_ask_of_share_groups_is_not_done_unless_it_is_committed(
    ask: Callable[[ShareCoordinator, Callable[..., None]], None], rest: tuple[object, ...]
) -> None:
    groups = ShareCoordinator()
    groups.pulse("m", 0, "a")
    groups.pulse("m", -1)
    told: list[Any] = []
    groups.log.commits_at_once = False
    asked = len(groups.persister.asked)
    ask(groups, lambda *said: told.append(said))
    assert told == []
    groups.log.give_up(ErrorCode.REQUEST_TIMED_OUT)
    groups.advance(10)
    assert told == [(LOST, *rest)]
    assert len(groups.persister.asked) == asked


def test_a_share_member_keeps_its_epoch_before_until_it_gets_another_one() -> None:
    groups = ShareCoordinator({"a": 1, "b": 1}, share_assignment_interval_ms=2_000)
    groups.pulse("m", 0, "a", "b")
    groups.advance(3_000)
    groups.pulse("m", groups.group.members["m"].epoch)
    before = groups.group.members["m"]
    groups.pulse("m", before.epoch, "b")
    after = groups.group.members["m"]
    assert groups.group.epoch > after.epoch, "the next assignment waits"
    assert (after.epoch, after.previous_epoch) == (before.epoch, before.previous_epoch)
    assert after.assigned.keys() < before.assigned.keys()


# --- streams groups ---


def test_a_member_that_leaves_may_ask_the_application_to_end() -> None:
    groups = Groups()
    groups.streams("m1")
    groups.streams("m2")
    groups.streams("m1", -1, shutdown_application=True)
    group = groups.shard._streams.groups["group"]
    response = groups.streams("m2", group.members["m2"].epoch)
    assert any("'m1' asked" in each.status_detail for each in response.status or ())


def test_without_a_topology_nobody_is_served() -> None:
    groups = Groups()
    groups.streams("m")
    groups.shard._streams.groups["group"].topology = None
    assert groups.streams("m", 2).error_code == ErrorCode.UNKNOWN_SERVER_ERROR


def test_of_a_topic_with_fewer_partitions_some_tasks_read_none() -> None:
    groups = Groups()
    groups.topics.counts = {"a": 2, "b": 3}
    both = topology(subtopology("0", ["a", "b"]))
    groups.streams("m1", topology=both, user_endpoint=UserEndpoint("h", 1))
    response = groups.streams("m2", topology=both)
    (part,) = response.partitions_by_user_endpoint or []
    assert [(each.topic, each.partitions) for each in part.active_partitions] == [
        ("a", [0, 1]),
        ("b", [0, 1, 2]),
    ]


def test_a_session_timeout_of_a_classic_member_has_to_be_within_the_limits() -> None:
    groups = Groups()
    groups.configure(min_session_timeout_ms=SESSION_MS, max_session_timeout_ms=REBALANCE_MS)
    invalid = ErrorCode.INVALID_SESSION_TIMEOUT
    assert groups.refusal(session_timeout_ms=SESSION_MS - 1) is invalid
    assert groups.refusal(session_timeout_ms=REBALANCE_MS + 1) is invalid
    for timeout_ms in (SESSION_MS, REBALANCE_MS):
        assert groups.join(session_timeout_ms=timeout_ms, group=f"g{timeout_ms}") == []
