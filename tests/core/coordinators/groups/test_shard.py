"""Groups of all kinds in one partition: their names, their offsets, and how they end.

Tests: `base.error_texts`, `core.coordinators.groups.classic.table`, `core.coordinators.groups.cleanup`,
`core.coordinators.groups.config`, `core.coordinators.groups.deletion`, `core.coordinators.groups.kinds`,
`core.coordinators.groups.modern.groups`, `core.coordinators.groups.offsets.rounds`, `core.coordinators.groups.setup`,
`core.coordinators.groups.subscriptions`, `core.coordinators.groups.table`, `core.coordinators.groups.unloading`,
`requests.group_requests`.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ConsumerProtocolSubscription, GroupMetadataKey, OffsetCommitKey
from kafkaproto_server.core.coordinators.groups import unloading
from kafkaproto_server.core.coordinators.groups.offsets import offsets, rounds
from kafkaproto_server.requests.group_requests import JoinOutcome
from tests.core.coordinators.support.consumers import topic_id
from tests.core.coordinators.support.groups import GROUP, SESSION_MS, Groups
from tests.core.coordinators.support.offsets import of
from tests.core.coordinators.support.share_groups import ShareCoordinator
from tests.core.coordinators.support.world import World

NONE = ErrorCode.NONE
CHECK_MS = 600_000
RETENTION_MS = 7 * 24 * 3_600_000


def subscription(*names: str, version: int = 3, owned: Mapping[str, list[int]] | None = None) -> bytes:
    """What a consumer's metadata say."""
    message = ConsumerProtocolSubscription(
        topics=list(names),
        owned_partitions=[
            ConsumerProtocolSubscription.TopicPartition(topic=name, partitions=indexes)
            for name, indexes in (owned or {}).items()
        ],
    )
    return version.to_bytes(2, "big") + message.encode(version)


def consumers(*names: str, version: int = 3, owned: Mapping[str, list[int]] | None = None) -> dict[str, Any]:
    """What a member says that subscribes to topics, and has partitions."""
    return {"protocols": (("range", subscription(*names, version=version, owned=owned)),)}


# -- who may commit


def test_offsets_alone_make_a_simple_group() -> None:
    groups = Groups()
    assert groups.commit(of("t", 0, 5)).responses == [(NONE, [NONE])]
    assert groups.listed() == [(GROUP, "", "Empty", "classic")]
    assert groups.fetch() == {("t", 0): (5, -1, "")}


@pytest.mark.parametrize(
    ("version", "code"), [(8, ErrorCode.ILLEGAL_GENERATION), (9, ErrorCode.GROUP_ID_NOT_FOUND)]
)
def test_a_generation_of_an_unknown_group_is_refused(version: int, code: ErrorCode) -> None:
    groups = Groups()
    told = groups.commit(of("t", 0, 5), member_id="m", generation=1, version=version)
    assert told.responses == [(code, [])]
    assert groups.listed() == []


def test_a_refused_commit_makes_no_group() -> None:
    groups = Groups(offsets_metadata_max_bytes=1)
    told = groups.commit(of("t", 0, 5, metadata="long"))
    assert told.responses == [(NONE, [ErrorCode.OFFSET_METADATA_TOO_LARGE])]
    assert groups.listed() == []


def test_members_of_a_classic_group_commit_in_their_generation() -> None:
    groups = Groups()
    (member_id,) = groups.stable(1)
    cases: list[tuple[dict[str, Any], ErrorCode]] = [
        ({"member_id": member_id, "generation": 1}, NONE),
        ({"member_id": member_id, "generation": 2}, ErrorCode.ILLEGAL_GENERATION),
        ({"member_id": "nobody", "generation": 1}, ErrorCode.UNKNOWN_MEMBER_ID),
        # Somebody who only keeps offsets here, which others use.
        ({}, ErrorCode.UNKNOWN_MEMBER_ID),
        ({"member_id": member_id, "group_instance_id": "x", "generation": 1}, ErrorCode.UNKNOWN_MEMBER_ID),
    ]
    for who, code in cases:
        assert groups.commit(of("t", 0, 5), **who).responses[0][0] is code


def test_a_fenced_static_member_cannot_commit() -> None:
    groups = Groups()
    (old,) = groups.stable(1, group_instance_id="i")
    groups.join(group_instance_id="i")
    told = groups.commit(of("t", 0, 5), member_id=old, group_instance_id="i", generation=1)
    assert told.responses == [(ErrorCode.FENCED_INSTANCE_ID, [])]


def test_between_join_and_assignment_nothing_is_committed() -> None:
    groups = Groups()
    (leader,) = groups.joined(1)
    told = groups.commit(of("t", 0, 5), member_id=leader.member_id, generation=1)
    assert told.responses == [(ErrorCode.REBALANCE_IN_PROGRESS, [])]
    # A transaction may: its producer has the offsets already.
    told = groups.commit_in_transaction(7, of("t", 0, 5), member_id=leader.member_id, generation=1)
    assert told.responses == [(NONE, [NONE])]


def test_during_a_rebalance_members_commit_what_they_have() -> None:
    groups = Groups()
    ids = groups.stable(2)
    groups.join(ids[0])
    assert groups.commit(of("t", 0, 5), member_id=ids[1], generation=1).responses == [(NONE, [NONE])]


# -- transactions


def test_a_transaction_commits_when_its_marker_is_written() -> None:
    groups = Groups()
    assert groups.commit_in_transaction(7, of("t", 0, 5)).responses == [(NONE, [NONE])]
    assert groups.listed() == [(GROUP, "", "Empty", "classic")]
    assert groups.fetch() == {}
    groups.end(7, is_commit=True)
    assert groups.fetch() == {("t", 0): (5, -1, "")}


def test_producers_that_know_of_no_members_commit_in_groups_that_have_some() -> None:
    groups = Groups()
    groups.stable(1)
    assert groups.commit_in_transaction(7, of("t", 0, 5)).responses == [(NONE, [NONE])]


def test_a_transaction_names_group_and_generation() -> None:
    groups = Groups()
    told = groups.commit_in_transaction(7, of("t", 0, 5), group="")
    assert told.responses == [(ErrorCode.INVALID_GROUP_ID, [])]
    for version in (3, 9):
        # Its versions are not those of OffsetCommit, of which a later one knows another error.
        told = groups.commit_in_transaction(7, of("t", 0, 5), member_id="m", generation=1, version=version)
        assert told.responses == [(ErrorCode.ILLEGAL_GENERATION, [])]


# -- fetches


def test_an_unknown_group_has_no_offsets() -> None:
    assert Groups().fetch("unknown") == {}


def test_members_of_a_consumer_group_fetch_in_their_epoch() -> None:
    groups = Groups()
    epoch = groups.consumer("m").member_epoch
    groups.commit(of("a", 0, 5), member_id="m", generation=epoch)
    found = {("a", 0): (5, -1, "")}
    assert groups.fetch() == found
    assert groups.fetch(member_id="m", member_epoch=epoch) == found
    assert groups.fetch(member_id="m", member_epoch=epoch + 1) is ErrorCode.STALE_MEMBER_EPOCH
    assert groups.fetch(member_id="x", member_epoch=epoch) is ErrorCode.UNKNOWN_MEMBER_ID


# -- OffsetDelete


def test_offsets_of_subscribed_topics_are_not_deleted() -> None:
    groups = Groups()
    ids = groups.stable(1, **consumers("t", "u"))
    for each in ("t", "v"):
        groups.commit(of(each, 0, 5), member_id=ids[0], generation=1)
    subscribed = ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC
    assert groups.delete_offsets("t", 0).responses == [(NONE, [subscribed])]
    assert groups.delete_offsets("v", 0).responses == [(NONE, [NONE])]
    assert groups.fetch() == {("t", 0): (5, -1, "")}
    # Once nobody is there, all may go.
    groups.leave((ids[0], None))
    assert groups.delete_offsets("t", 0).responses == [(NONE, [NONE])]


def test_if_subscriptions_cannot_be_read_no_offset_is_deleted() -> None:
    groups = Groups()
    ids = groups.stable(1)
    groups.commit(of("t", 0, 5), member_id=ids[0], generation=1)
    assert groups.delete_offsets("t", 0).responses == [(NONE, [ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC])]


def test_while_a_member_comes_with_another_protocol_no_offset_is_deleted() -> None:
    groups = Groups()
    both = tuple((name, subscription("t")) for name in ("range", "other"))
    ids = groups.stable(2, protocols=both)
    groups.commit(of("v", 0, 5), member_id=ids[0], generation=1)
    assert groups.delete_offsets("v", 1).responses == [(NONE, [NONE])]
    # The group has the protocol "range" until all have joined again.
    assert groups.join(ids[1], protocols=both[1:]) == []
    assert groups.delete_offsets("v", 0).responses == [(NONE, [ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC])]


def test_offsets_of_members_of_another_protocol_are_not_deleted() -> None:
    groups = Groups()
    responses = groups.join(protocol_type="connect")
    groups.advance(SESSION_MS)
    assert responses[0].code is NONE
    assert groups.delete_offsets("t", 0).responses == [(ErrorCode.NON_EMPTY_GROUP, [])]


def test_offsets_of_a_consumer_groups_topics_are_not_deleted() -> None:
    groups = Groups()
    groups.consumer("m")
    for each in ("a", "b"):
        groups.commit(of(each, 0, 5), member_id="m", generation=2)
    assert groups.delete_offsets("a", 0).responses == [(NONE, [ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC])]
    assert groups.delete_offsets("b", 0).responses == [(NONE, [NONE])]


def test_an_unknown_group_has_nothing_to_delete() -> None:
    groups = Groups()
    assert groups.delete_offsets("t", 0).responses == [(ErrorCode.GROUP_ID_NOT_FOUND, [])]
    assert groups.delete() is ErrorCode.GROUP_ID_NOT_FOUND


# -- DeleteGroups


def test_a_group_with_members_stays() -> None:
    groups = Groups()
    groups.stable(1)
    groups.consumer("m", group="new")
    assert groups.delete() is ErrorCode.NON_EMPTY_GROUP
    assert groups.delete("new") is ErrorCode.NON_EMPTY_GROUP


def test_a_deleted_group_is_gone_for_good() -> None:
    groups = Groups()
    (member_id,) = groups.stable(1)
    groups.commit(of("t", 0, 5), member_id=member_id, generation=1)
    groups.leave((member_id, None))
    groups.consumer("m", group="new")
    groups.commit(of("a", 0, 5), group="new", member_id="m", generation=2)
    groups.consumer("m", -1, group="new")
    groups.commit(of("t", 0, 5), group="simple")
    for each in (GROUP, "new", "simple"):
        assert groups.delete(each) is NONE
    for _ in range(2):
        assert groups.listed() == []
        assert [groups.fetch(each) for each in (GROUP, "new", "simple")] == [{}, {}, {}]
        groups.move()


def test_a_group_is_deleted_with_thousands_of_offsets_in_one_batch() -> None:
    groups = Groups()
    for number in range(3_000):
        groups.commit(of("t", number, 5))
    assert groups.delete(GROUP) is NONE
    assert groups.log.batch_ends[-2:] == [3_000, 6_001]
    assert groups.fetch() == {}


@pytest.mark.parametrize("is_over", [False, True])
def test_a_group_with_too_many_offsets_for_a_turn_is_deleted_in_many_turns(
    monkeypatch: pytest.MonkeyPatch, is_over: bool
) -> None:
    monkeypatch.setattr(offsets, "OFFSETS_AT_ONCE", 10)
    groups = Groups()
    for number in range(35):
        groups.commit(of("t", number, 5))
    codes: list[ErrorCode] = []
    groups.shard.delete(GROUP, codes.append)
    assert codes == []
    assert len(groups.log.records()) == 45
    # Nobody joins what is half deleted, by no protocol.
    assert groups.refusal() is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    assert groups.consumer("m").code is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    assert groups.streams("m").error_code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    if is_over:
        groups.shard.unload()
    groups.advance(10)
    assert codes == [ErrorCode.NOT_COORDINATOR if is_over else NONE]
    assert len(groups.log.records()) == (45 if is_over else 71)
    if not is_over:
        assert groups.consumer("m").code is NONE


def test_a_group_whose_tombstones_are_larger_than_a_batch_is_deleted_in_many() -> None:
    groups = Groups()
    for number in range(35):
        groups.commit(of("é" * 200, number, 5))
    groups.log.max_batch_bytes = offsets.OTHER_BYTES + 20_000
    codes: list[ErrorCode] = []
    groups.shard.delete(GROUP, codes.append)
    groups.advance(10)
    assert (codes, groups.fetch()) == ([NONE], {})
    assert groups.log.batch_ends[-3:] == [35, 70, 71]


def test_a_deletion_that_fails_in_the_middle_may_be_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offsets, "OFFSETS_AT_ONCE", 10)
    groups = Groups()
    for number in range(15):
        groups.commit(of("t", number, 5))
    codes: list[ErrorCode] = []
    groups.shard.delete(GROUP, codes.append)
    groups.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    groups.advance(10)
    assert codes == [ErrorCode.COORDINATOR_NOT_AVAILABLE]
    groups.log.refusal = None
    assert groups.fetch() == {("t", number): (5, -1, "") for number in range(10, 15)}
    assert groups.delete(GROUP) is NONE


def test_pending_offsets_count_for_a_turn_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offsets, "OFFSETS_AT_ONCE", 10)
    groups = Groups()
    for number in range(15):
        groups.commit_in_transaction(1, of("t", number, 5))
    groups.shard.delete(GROUP, lambda code: None)
    assert groups.log.end_offset == 25
    groups.advance(1)
    assert groups.log.end_offset == 15 + 15 + 1


# -- names


def test_a_group_of_one_kind_gives_way_only_if_it_is_empty() -> None:
    groups = Groups()
    (member_id,) = groups.stable(1, **consumers("a"))
    groups.configure(consumer_migration_policy="disabled")
    assert groups.consumer("m").code is ErrorCode.GROUP_ID_NOT_FOUND
    groups.leave((member_id, None))
    assert groups.consumer("m").code is NONE
    assert groups.listed() == [(GROUP, "consumer", "Stable", "consumer")]
    assert groups.refusal(protocol_type="connect") is ErrorCode.INCONSISTENT_GROUP_PROTOCOL


def test_offsets_stay_when_a_group_becomes_one_of_another_kind() -> None:
    groups = Groups()
    groups.commit(of("t", 0, 5))
    groups.consumer("m")
    assert groups.fetch() == {("t", 0): (5, -1, "")}
    groups.consumer("m", -1)
    assert groups.join() == []
    for _ in range(2):
        assert groups.fetch() == {("t", 0): (5, -1, "")}
        assert [each[3] for each in groups.listed()] == ["classic"]
        groups.move()


def test_a_join_that_is_refused_leaves_the_offsets_of_an_empty_consumer_group() -> None:
    groups = Groups()
    groups.commit(of("t", 0, 5))
    groups.consumer("m")
    groups.consumer("m", -1)
    assert groups.refusal("nobody") is ErrorCode.UNKNOWN_MEMBER_ID
    assert [each[0] for each in groups.listed()] == [GROUP]
    assert groups.delete() is NONE


def test_another_coordinator_knows_the_kinds_of_groups() -> None:
    groups = Groups()
    groups.stable(1)
    groups.commit(of("a", 0, 5), group="new")
    groups.consumer("m", group="new")
    groups.commit(of("t", 0, 5), group="simple")
    expected = [
        (GROUP, "consumer", "Stable", "classic"),
        ("new", "consumer", "Stable", "consumer"),
        ("simple", "", "Empty", "classic"),
    ]
    assert groups.listed() == expected
    groups.move()
    assert groups.listed() == expected
    assert groups.fetch("new") == {("a", 0): (5, -1, "")}


def test_a_heartbeat_of_a_group_of_another_kind_is_refused() -> None:
    groups = Groups()
    groups.stable(1)
    groups.consumer("m", group="new")
    assert groups.consumer("m", 1).code is ErrorCode.GROUP_ID_NOT_FOUND
    assert groups.described("new").code is ErrorCode.GROUP_ID_NOT_FOUND
    assert groups.shard.consumer_described(GROUP).error_code == ErrorCode.GROUP_ID_NOT_FOUND
    assert groups.shard.heartbeat("new", "x", None, 1) is ErrorCode.UNKNOWN_MEMBER_ID


# -- expiry


def pass_retention(groups: Groups) -> None:
    groups.advance(RETENTION_MS + CHECK_MS)


def test_offsets_of_simple_groups_expire_and_so_does_the_group() -> None:
    groups = Groups()
    groups.commit(of("t", 0, 5))
    groups.advance(RETENTION_MS - CHECK_MS)
    assert groups.fetch() == {("t", 0): (5, -1, "")}
    groups.advance(2 * CHECK_MS)
    assert groups.listed() == []
    assert groups.log.records()[-2:] == [
        (OffsetCommitKey(group=GROUP, topic="t", partition=0), None),
        (GroupMetadataKey(group=GROUP), None),
    ]


def test_the_interval_of_checks_is_the_keys() -> None:
    groups = Groups(offsets_retention_ms=1_000, offsets_retention_check_interval_ms=5_000)
    groups.commit(of("t", 0, 5))
    groups.advance(4_999)
    assert groups.fetch() != {}
    groups.advance(1)
    assert groups.fetch() == {}


def gone_by_turn(groups: Groups, turns: int) -> list[int]:
    """How many records each of the next milliseconds adds."""
    found = []
    for _ in range(turns):
        before = groups.log.end_offset
        groups.advance(1)
        found.append(groups.log.end_offset - before)
    return found


def test_many_offsets_expire_in_many_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offsets, "GONE_AT_ONCE", 10)
    monkeypatch.setattr(rounds, "GONE_AT_ONCE", 10)
    groups = Groups(offsets_retention_ms=1_000, offsets_retention_check_interval_ms=5_000)
    for group, count in (("a", 25), ("b", 6), ("c", 6), ("d", 6)):
        groups.commit(*(of("t", number, 5) for number in range(count)), group=group)
    groups.advance(4_999)
    # With the tombstones of the groups.
    assert gone_by_turn(groups, 6) == [10, 10, 5 + 1 + 6 + 1, 6 + 1 + 6 + 1, 0, 0]
    assert groups.listed() == []


def test_offsets_of_a_deleted_topic_are_deleted_in_many_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offsets, "GONE_AT_ONCE", 10)
    monkeypatch.setattr(rounds, "GONE_AT_ONCE", 10)
    groups = Groups()
    for group in "ab":
        groups.commit(*(of("t", number, 5) for number in range(15)), group=group)
    groups.shard.topics_deleted([("t", topic_id("t"))])
    assert groups.log.end_offset == 30 + 10
    assert gone_by_turn(groups, 3) == [5 + 10, 5, 0]


def test_offsets_of_subscribed_topics_do_not_expire() -> None:
    groups = Groups(max_session_timeout_ms=2**31)
    ids = groups.stable(1, session_timeout_ms=2**31 - 1, **consumers("t", version=0))
    for each in ("t", "u"):
        groups.commit(of(each, 0, 5), member_id=ids[0], generation=1)
    groups.consumer("m", group="new", subscribed_topic_names=("a",))
    pass_retention(groups)
    assert groups.fetch() == {("t", 0): (5, -1, "")}
    assert groups.described().state == "Stable"


def test_an_empty_group_without_offsets_is_removed_at_the_next_check() -> None:
    groups = Groups()
    groups.stable(1)
    groups.consumer("m", group="new")
    groups.advance(2 * SESSION_MS)
    assert groups.described().state == "Empty"
    groups.advance(CHECK_MS)
    assert groups.listed() == []
    groups.move()
    assert groups.listed() == []


def test_what_cannot_be_written_expires_later() -> None:
    groups = Groups()
    groups.commit(of("t", 0, 5))
    groups.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    pass_retention(groups)
    assert groups.listed() != []
    groups.log.refusal = None
    groups.advance(CHECK_MS)
    assert groups.listed() == []


def test_a_check_of_many_groups_takes_many_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = Groups(offsets_retention_ms=1, offsets_retention_check_interval_ms=5_000)
    for number in range(250):
        groups.commit(of("t", 0, 5), group=f"g{number}")
    calls: list[int] = []
    call_at = World.call_at

    def counting(world: World, at_ms: int, call: Any) -> None:
        calls.append(at_ms)
        call_at(world, at_ms, call)

    monkeypatch.setattr(World, "call_at", counting)
    groups.advance(5_100)
    assert groups.listed() == []
    assert len(calls) >= 3


def test_many_groups_are_let_go_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unloading, "AT_ONCE", 10)
    groups = Groups()
    joined = [groups.join(group=f"classic {number}") for number in range(40)]
    for number in range(40):
        groups.consumer(group=f"consumer {number}")
    classic, consumer = groups.shard._classic.groups, groups.shard._consumer.groups
    assert (len(classic), len(consumer)) == (40, 40)
    before = len(groups.log.records())
    groups.shard.unload()
    # Nobody finds them any more.
    assert groups.listed() == []
    sizes = []
    while calls := groups.world.due():
        sizes.append((sum(map(len, joined)), len(classic), len(consumer)))
        groups.advance(min(calls) - groups.world.now_ms())
    assert len(sizes) >= 12
    for earlier, later in pairwise(sizes):
        assert sum(abs(a - b) for a, b in zip(earlier, later, strict=True)) <= 12
    assert [each.code for (each,) in joined] == [ErrorCode.NOT_COORDINATOR] * 40
    assert (len(classic), len(consumer)) == (0, 0)
    assert len(groups.log.records()) == before


def test_after_it_was_unloaded_nothing_expires() -> None:
    groups = Groups()
    groups.commit(of("t", 0, 5))
    before = len(groups.log.records())
    groups.shard.unload()
    pass_retention(groups)
    assert len(groups.log.records()) == before
    # And nobody looks any more.
    assert groups.world._calls == []


# -- topics that change


def test_offsets_of_deleted_topics_go_and_those_of_new_topics_stay() -> None:
    groups = Groups()
    groups.commit(of("t", 0, 5, topic_id=topic_id("t")), of("t", 1, 6, topic_id=topic_id("new")))
    groups.commit(of("t", 0, 7), of("u", 0, 8), group="other")
    groups.commit_in_transaction(7, of("t", 2, 9), group="third")
    groups.shard.topics_deleted([("t", topic_id("t"))])
    groups.advance(10)
    groups.end(7, is_commit=True)
    assert groups.fetch() == {("t", 1): (6, -1, "")}
    assert groups.fetch("other") == {("u", 0): (8, -1, "")}
    assert groups.fetch("third") == {}


def test_many_consumer_groups_hear_of_topics_some_at_a_time() -> None:
    groups = Groups()
    names = [f"g{number}" for number in range(rounds.GROUPS_AT_ONCE + 1)]
    for name in names:
        groups.consumer("m", group=name)
    found = groups.shard._consumer.groups
    groups.shard.topics_changed(["a"], has_new=False)
    assert sum(each.refresh_at_ms is None for each in found.values()) == rounds.GROUPS_AT_ONCE
    groups.advance(1)
    assert all(each.refresh_at_ms is None for each in found.values())


def test_sessions_of_many_groups_begin_some_at_a_time() -> None:
    groups = Groups()
    names = [f"g{number}" for number in range(rounds.GROUPS_AT_ONCE + 1)]
    for name in names:
        groups.consumer("m", group=name)
    groups.move()
    found = groups.shard._consumer.groups
    assert sum(bool(each.watches) for each in found.values()) == rounds.GROUPS_AT_ONCE
    groups.advance(2 * groups.config["consumer"].session_timeout_ms)
    # Nobody was heard from.
    assert not any(each.members for each in found.values())


def test_a_consumer_group_hears_of_new_partitions() -> None:
    groups = Groups()
    epoch = groups.consumer("m").member_epoch
    groups.advance(2_000)
    assert groups.consumer("m", epoch, topic_partitions={topic_id("a"): (0, 1)}).assignment is None
    groups.topics.change("a", 3)
    groups.shard.topics_changed(["a"], has_new=False)
    outcome = groups.consumer("m", epoch, topic_partitions={topic_id("a"): (0, 1)})
    assert outcome.assignment == {topic_id("a"): (0, 1, 2)}


def test_a_share_group_is_nothing_that_other_protocols_know() -> None:
    groups = ShareCoordinator()
    groups.pulse("m", 0, "a")
    assert groups.join()[0] == JoinOutcome(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, "")
    assert groups.consumer().code is ErrorCode.GROUP_ID_NOT_FOUND
    for generation in (-1, 2):
        told = groups.commit(of("t", 0, 5), generation=generation, member_id="m", version=8)
        assert told.responses == [(ErrorCode.GROUP_ID_NOT_FOUND, [])]
        told = groups.commit_in_transaction(7, of("t", 0, 5), generation=generation, member_id="m")
        assert told.responses == [(ErrorCode.GROUP_ID_NOT_FOUND, [])]
    assert groups.fetch() == {}
    assert groups.delete_offsets("a", 0).responses == [(ErrorCode.GROUP_ID_NOT_FOUND, [])]
    assert groups.described().code is ErrorCode.GROUP_ID_NOT_FOUND
    assert groups.listed() == [("group", "share", "Stable", "share")]


def test_groups_of_other_kinds_are_no_share_groups_even_without_members() -> None:
    groups = ShareCoordinator()
    groups.commit(of("t", 0, 5))
    assert groups.pulse("m", 0, "a").code is ErrorCode.GROUP_ID_NOT_FOUND
    assert groups.alter({"a": {0: 0}}) == {"": ErrorCode.GROUP_ID_NOT_FOUND}
    groups.consumer(group="other")
    assert groups.pulse("m", 0, "a", group_id="other").code is ErrorCode.GROUP_ID_NOT_FOUND
    assert groups.forget("a", group="other") == {"": ErrorCode.GROUP_ID_NOT_FOUND}


def test_a_share_group_does_not_expire() -> None:
    groups = ShareCoordinator()
    groups.pulse("m", 0, "a")
    groups.pulse("m", -1)
    groups.advance(30 * 24 * 3_600_000)
    assert groups.listed() == [("group", "share", "Empty", "share")]
