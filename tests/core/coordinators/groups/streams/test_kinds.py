"""Streams groups beside groups of other kinds: names, offsets, lists, deletion, and what the next coordinator knows.

Tests: `core.coordinators.groups.streams.commits`, `core.coordinators.groups.streams.describe`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from tests.core.coordinators.support.consumers import topic_id
from tests.core.coordinators.support.groups import GROUP, Groups
from tests.core.coordinators.support.offsets import Told, of
from tests.core.coordinators.support.share_groups import ShareCoordinator
from tests.core.coordinators.support.streams import joining, owned, subtopology, told, topology

NONE = ErrorCode.NONE
A = topic_id("a")


def code(told: Told) -> ErrorCode:
    """The error of the whole request, or else of its only partition."""
    ((whole, results),) = told.responses
    return whole if whole is not NONE else results[0]


def committing(groups: Groups, member_id: str, epoch: int, index: int = 0, **fields: Any) -> ErrorCode:
    """The code of a commit of one partition of the topic a."""
    partition = of("a", index, 5, topic_id=A)
    return code(groups.commit(partition, member_id=member_id, generation=epoch, **fields))


def test_an_empty_classic_group_becomes_a_streams_group_and_keeps_its_offsets() -> None:
    groups = Groups()
    groups.commit(of("a", 0, 5))
    assert groups.streams().error_code == NONE
    assert groups.listed() == [(GROUP, "streams", "Stable", "streams")]
    for _ in range(2):
        assert groups.fetch() == {("a", 0): (5, -1, "")}
        groups.move()
        assert groups.listed() == [(GROUP, "streams", "Stable", "streams")]
    groups.streams("m", -1)
    assert groups.join() == []
    assert [each[3] for each in groups.listed()] == ["classic"]


@pytest.mark.parametrize("kind", ["classic", "consumer"])
def test_a_group_of_another_kind_refuses_its_members(kind: str) -> None:
    groups = Groups()
    groups.stable(1) if kind == "classic" else groups.consumer()
    for epoch in (0, 1, -1):
        assert groups.streams("m", epoch).error_code == ErrorCode.GROUP_ID_NOT_FOUND
    # What makes no sense is said first.
    assert groups.streams("", 1).error_code == ErrorCode.INVALID_REQUEST
    assert groups.shard.streams_described(GROUP).error_code == ErrorCode.GROUP_ID_NOT_FOUND


def test_a_share_group_refuses_its_members() -> None:
    groups = ShareCoordinator()
    groups.pulse("m", 0, "a")
    for epoch in (0, 1, -1):
        assert groups.streams("m", epoch).error_code == ErrorCode.GROUP_ID_NOT_FOUND
    assert groups.listed() == [(GROUP, "share", "Stable", "share")]


def test_a_streams_group_refuses_members_of_other_kinds() -> None:
    groups = Groups()
    groups.streams()
    assert groups.consumer("c").code is ErrorCode.GROUP_ID_NOT_FOUND
    assert groups.refusal() is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert groups.beat("m", 2) is ErrorCode.UNKNOWN_MEMBER_ID
    assert groups.leave(("m", None)) == [ErrorCode.UNKNOWN_MEMBER_ID]
    (synced,) = groups.sync("m", 2)
    assert synced.code is ErrorCode.UNKNOWN_MEMBER_ID
    assert groups.described().code is ErrorCode.GROUP_ID_NOT_FOUND
    groups.streams("m", -1)
    assert groups.consumer("c").code is ErrorCode.GROUP_ID_NOT_FOUND


def test_members_commit_in_their_epoch_and_for_what_they_still_have() -> None:
    groups = Groups()
    groups.streams("m")
    groups.streams("n")
    groups.streams("m", 2)
    groups.streams("m", 2, **owned(active={"0": [0]}))
    assert committing(groups, "m", 3) is NONE
    assert committing(groups, "m", 2) is NONE
    assert committing(groups, "m", 1) is ErrorCode.STALE_MEMBER_EPOCH
    assert committing(groups, "m", 4) is ErrorCode.STALE_MEMBER_EPOCH
    assert committing(groups, "m", 2, 1) is ErrorCode.STALE_MEMBER_EPOCH
    assert committing(groups, "x", 3) is ErrorCode.UNKNOWN_MEMBER_ID
    assert committing(groups, "", -1) is ErrorCode.UNKNOWN_MEMBER_ID
    assert committing(groups, "m", 3, version=8) is ErrorCode.UNSUPPORTED_VERSION
    unread = of("b", 0, 5, topic_id=topic_id("b"))
    assert code(groups.commit(unread, member_id="m", generation=2)) is ErrorCode.STALE_MEMBER_EPOCH
    assert code(groups.commit(unread, member_id="m", generation=3)) is NONE


def test_members_commit_in_transactions() -> None:
    groups = Groups()
    groups.streams("m")
    partition = of("a", 0, 5, topic_id=A)
    assert code(groups.commit_in_transaction(1, partition, member_id="m", generation=2)) is NONE
    # Producers know no other error, also for an older epoch, which is looked at partition by partition.
    for epoch in (3, 1):
        stale = groups.commit_in_transaction(1, partition, member_id="m", generation=epoch)
        assert code(stale) is ErrorCode.ILLEGAL_GENERATION
    assert code(groups.commit_in_transaction(1, partition)) is NONE


def test_members_fetch_offsets_in_their_epoch() -> None:
    groups = Groups()
    groups.streams("m")
    assert groups.fetch(member_id="m", member_epoch=2) == {}
    assert groups.fetch(member_id="m", member_epoch=1) is ErrorCode.STALE_MEMBER_EPOCH
    assert groups.fetch(member_id="x", member_epoch=2) is ErrorCode.UNKNOWN_MEMBER_ID
    assert groups.fetch() == {}


def test_offsets_of_topics_that_are_read_cannot_be_deleted() -> None:
    groups = Groups()
    groups.streams("m")
    committing(groups, "m", 2)
    assert code(groups.delete_offsets("a", 0)) is ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC
    assert code(groups.delete_offsets("b", 0)) is NONE
    assert groups.delete() is ErrorCode.NON_EMPTY_GROUP
    groups.streams("m", -1)
    assert code(groups.delete_offsets("a", 0)) is NONE
    assert groups.delete() is NONE
    assert groups.listed() == []
    groups.move()
    assert groups.listed() == []


def test_a_group_without_members_ends_with_its_offsets() -> None:
    groups = Groups(offsets_retention_ms=1_000, offsets_retention_check_interval_ms=60_000)
    groups.streams("m")
    committing(groups, "m", 2)
    for _ in range(6):
        groups.advance(20_000)
        groups.streams("m", 2)
    assert groups.fetch() == {("a", 0): (5, -1, "")}
    groups.streams("m", -1)
    groups.advance(120_000)
    assert groups.listed() == []


def test_topics_that_change_reach_streams_groups() -> None:
    groups = Groups()
    groups.streams("m")
    groups.streams("m", 2)
    groups.topics.change("a", 3)
    groups.shard.topics_changed(["a"], has_new=False)
    groups.advance(10)
    response = groups.streams("m", 2)
    assert told(response) == {"active": {"0": [0, 1, 2]}, "standby": {}, "warmup": {}}


def test_a_group_is_described_with_its_topology_and_members() -> None:
    groups = Groups()
    groups.topics.change("c", 2)
    value = topology(
        subtopology("0", ["a"], changelogs=["c"], sinks=["r"]), subtopology("1", ["b"], repartition={"r": 0})
    )
    groups.topics.change("b", 1)
    fields = {**joining("m", value), "client_tags": [("zone", "z"), ("a", "b")]}
    groups.streams("m", **fields)
    described = groups.shard.streams_described(GROUP)
    assert described.group_state == "NotReady"
    assert described.topology is not None
    assert described.topology.subtopologies is not None
    # Nobody knows the numbers before the topics are there.
    assert [each.partitions for each in described.topology.subtopologies[1].repartition_source_topics] == [0]
    groups.topics.change("r", 2)
    groups.shard.topics_changed(["r"], has_new=True)
    groups.advance(10)
    groups.streams("m", 2, task_offsets=[("0", 1, 7)])
    described = groups.shard.streams_described(GROUP)
    assert (described.group_state, described.group_epoch, described.assignor_name) == ("Stable", 3, "sticky")
    assert described.topology is not None
    assert described.topology.subtopologies is not None
    assert [each.partitions for each in described.topology.subtopologies[1].repartition_source_topics] == [2]
    (member,) = described.members
    assert [(each.key, each.value) for each in member.client_tags] == [("a", "b"), ("zone", "z")]
    assert [(each.subtopology_id, each.partition, each.offset) for each in member.task_offsets] == [
        ("0", 1, 7)
    ]
    assert [each.partitions for each in member.assignment.active_tasks] == [[0, 1], [0, 1]]
    assert member.assignment == member.target_assignment


def test_settings_of_a_group_go_first_within_the_brokers_limits() -> None:
    groups = Groups()
    own = groups.own_config
    own.update({"streams.heartbeat.interval.ms": "7000", "streams.num.standby.replicas": "9"})
    assert groups.streams("m").heartbeat_interval_ms == 7_000
    own["streams.heartbeat.interval.ms"] = "99000"
    assert groups.streams("m", 2).heartbeat_interval_ms == 15_000
    (record,) = [
        value
        for key, value in groups.log.records()
        if key.NAME == "StreamsGroupMetadataKey" and value is not None
    ]
    assert [each.value for each in record.last_assignment_configs] == ["2"]  # type: ignore[attr-defined]
