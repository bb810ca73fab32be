"""OffsetCommit, OffsetFetch, OffsetDelete and DeleteGroups: versions, names and ids of topics, and who may do it.

Tests: `apis.groups.delete_groups`, `apis.groups.offset_commit`, `apis.groups.offset_delete`,
`apis.groups.offset_fetch`, `apis.offset_commits`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    DeleteGroupsRequest,
    DeleteTopicsRequest,
    OffsetCommitRequest,
    OffsetDeleteRequest,
    OffsetFetchRequest,
)
from kafkaproto_server.apis.groups import offset_commit, offset_fetch
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC
from tests.apis.support.data_broker import OTHER, DataBroker

NONE = ErrorCode.NONE
UNKNOWN_ID = b"\x09" * 16
GROUP, TOPIC = ResourceType.GROUP, ResourceType.TOPIC
FIRST_WITH_IDS = 10

Offsets = dict[tuple[str, int], tuple[int, int, int, str]]
"""Error code, offset, leader epoch and metadata, by topic and partition."""


def commit(
    broker: DataBroker, *items: tuple[str, int, int], version: int = 9, group: str = "g", **fields: Any
) -> list[tuple[str, int, int]]:
    """Commit offsets: topic, partition and offset of each. Returns topic, partition and error code."""
    request = OffsetCommitRequest(group_id=group, **fields)
    for name, index, offset in items:
        request.topics.append(
            OffsetCommitRequest.Topic(
                name=name if version < FIRST_WITH_IDS else "",
                topic_id=broker.topic_id(name) if version >= FIRST_WITH_IDS else bytes(16),
                partitions=[
                    OffsetCommitRequest.Partition(
                        partition_index=index,
                        committed_offset=offset,
                        committed_leader_epoch=3 if version >= 6 else -1,
                        committed_metadata="m",
                    )
                ],
            )
        )
    response = broker.ask(request, version)
    return [
        (name_of(broker, topic, version), each.partition_index, each.error_code)
        for topic in response.topics
        for each in topic.partitions
    ]


def name_of(broker: DataBroker, topic: Any, version: int) -> str:
    if version < FIRST_WITH_IDS:
        assert isinstance(topic.name, str)
        return topic.name
    return next(
        (each.name for each in broker.harness.image.topics.values() if each.topic_id == topic.topic_id), "?"
    )


def fetch(
    broker: DataBroker,
    *items: tuple[str, int],
    version: int = 9,
    group: str = "g",
    is_all: bool = False,
    require_stable: bool = False,
) -> tuple[int, Offsets]:
    """Fetch offsets of partitions, or all. Returns the group's error code and what was found."""
    request = OffsetFetchRequest(require_stable=require_stable)
    if version < 8:
        request.group_id = group
        request.topics = (
            None
            if is_all
            else [OffsetFetchRequest.Topic(name=name, partition_indexes=[index]) for name, index in items]
        )
        answer = broker.ask(request, version)
    else:
        topics = [
            OffsetFetchRequest.Topics(
                name=name if version < FIRST_WITH_IDS else "",
                topic_id=broker.topic_id(name) if version >= FIRST_WITH_IDS else bytes(16),
                partition_indexes=[index],
            )
            for name, index in items
        ]
        request.groups = [OffsetFetchRequest.Group(group_id=group, topics=None if is_all else topics)]
        (answer,) = broker.ask(request, version).groups
        assert answer.group_id == group
    return answer.error_code, {
        (name_of(broker, topic, version), each.partition_index): (
            each.error_code,
            each.committed_offset,
            each.committed_leader_epoch,
            each.metadata,
        )
        for topic in answer.topics
        for each in topic.partitions
    }


@pytest.mark.parametrize("version", range(2, 11))
def test_each_version_commits(broker: DataBroker, version: int) -> None:
    assert commit(broker, ("t", 0, 5), ("t", 1, 6), version=version) == [("t", 0, NONE), ("t", 1, NONE)]
    epoch = 3 if version >= 6 else -1
    assert fetch(broker, is_all=True) == (
        NONE,
        {("t", 0): (NONE, 5, epoch, "m"), ("t", 1): (NONE, 6, epoch, "m")},
    )


@pytest.mark.parametrize("version", range(1, 11))
def test_each_version_fetches(broker: DataBroker, version: int) -> None:
    commit(broker, ("t", 0, 5))
    epoch = 3 if version >= 5 else -1
    assert fetch(broker, ("t", 0), ("t", 1), version=version) == (
        NONE,
        {("t", 0): (NONE, 5, epoch, "m"), ("t", 1): (NONE, -1, -1, "")},
    )
    if version >= 2:
        assert fetch(broker, version=version, is_all=True) == (NONE, {("t", 0): (NONE, 5, epoch, "m")})


def test_an_old_retention_time_ends(broker: DataBroker) -> None:
    commit(broker, ("t", 0, 5), version=4, retention_time_ms=1_000)
    commit(broker, ("t", 1, 6), version=5)
    broker.replicas.pass_time(600_000)
    broker.replicas.pass_time(10)
    assert list(fetch(broker, is_all=True)[1]) == [("t", 1)]


@pytest.mark.parametrize("version", [9, 10])
def test_what_does_not_exist_is_not_committed(broker: DataBroker, version: int) -> None:
    unknown = (
        ErrorCode.UNKNOWN_TOPIC_ID if version >= FIRST_WITH_IDS else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    )
    found = commit(broker, ("x", 0, 5), ("t", 2, 5), ("t", 1, 5), version=version)
    assert [code for _, _, code in found] == [unknown, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, NONE]
    assert list(fetch(broker, is_all=True)[1]) == [("t", 1)]


def test_an_unknown_id_has_an_error_and_an_unknown_name_has_no_offset(broker: DataBroker) -> None:
    assert fetch(broker, ("x", 0), version=10) == (
        NONE,
        {("?", 0): (ErrorCode.UNKNOWN_TOPIC_ID, -1, -1, "")},
    )
    assert fetch(broker, ("x", 0), version=9) == (NONE, {("x", 0): (NONE, -1, -1, "")})


def test_the_offset_of_another_topic_of_that_name_is_not_found_by_id(broker: DataBroker) -> None:
    commit(broker, ("t", 0, 5), version=10)
    request = OffsetFetchRequest(
        groups=[
            OffsetFetchRequest.Group(
                group_id="g", topics=[OffsetFetchRequest.Topics(name="t", partition_indexes=[0])]
            )
        ]
    )
    (group,) = broker.ask(request, 9).groups
    assert group.topics[0].partitions[0].committed_offset == 5


def test_each_unknown_id_has_its_own_place_in_the_response(broker: DataBroker) -> None:
    ids = [bytes([number]) * 16 for number in (1, 2)]
    topics = [
        OffsetFetchRequest.Topics(topic_id=each, partition_indexes=[number])
        for number, each in enumerate(ids)
    ]
    group = OffsetFetchRequest.Group(group_id="g", topics=topics)
    found = broker.ask(OffsetFetchRequest(groups=[group]), FIRST_WITH_IDS).groups[0].topics
    assert [each.topic_id for each in found] == ids
    for number, each in enumerate(found):
        (place,) = each.partitions
        assert (place.partition_index, place.error_code) == (number, ErrorCode.UNKNOWN_TOPIC_ID)


def test_a_topic_that_is_named_twice_is_in_the_response_twice(broker: DataBroker) -> None:
    topics = [OffsetFetchRequest.Topics(name="t", partition_indexes=[number]) for number in (0, 1)]
    group = OffsetFetchRequest.Group(group_id="g", topics=topics)
    found = broker.ask(OffsetFetchRequest(groups=[group]), 9).groups[0].topics
    assert [(each.name, len(each.partitions)) for each in found] == [("t", 1), ("t", 1)]


def test_many_groups_are_fetched_at_once(broker: DataBroker) -> None:
    commit(broker, ("t", 0, 5))
    commit(broker, ("t", 0, 6), group="h")
    topics = [OffsetFetchRequest.Topics(name="t", partition_indexes=[0])]
    request = OffsetFetchRequest(
        groups=[OffsetFetchRequest.Group(group_id=each, topics=topics) for each in ("g", "h", "unknown")]
    )
    response = broker.ask(request, 9)
    assert [
        (each.group_id, each.error_code, each.topics[0].partitions[0].committed_offset)
        for each in response.groups
    ] == [("g", NONE, 5), ("h", NONE, 6), ("unknown", NONE, -1)]


def test_a_group_that_is_named_twice_is_fetched_once(broker: DataBroker) -> None:
    commit(broker, ("t", 0, 5))
    request = OffsetFetchRequest(
        groups=[OffsetFetchRequest.Group(group_id=each, topics=None) for each in ("g", "h", "g")]
    )
    response = broker.ask(request, 9)
    assert [(each.group_id, each.error_code, len(each.topics)) for each in response.groups] == [
        ("g", NONE, 1),
        ("h", NONE, 0),
        ("g", ErrorCode.INVALID_REQUEST, 0),
    ]


def test_requests_that_are_larger_than_a_batch(broker: DataBroker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offset_commit, "AT_ONCE", 3)
    monkeypatch.setattr(offset_fetch, "AT_ONCE", 3)
    items = [("t", number % 2, number) for number in range(8)]
    assert commit(broker, *items) == [("t", number % 2, NONE) for number in range(8)]
    _, found = fetch(broker, *(("t", number % 2) for number in range(8)))
    assert found == {("t", 0): (NONE, 6, 3, "m"), ("t", 1): (NONE, 7, 3, "m")}


# -- who may


def test_who_may_not_read_the_group_commits_nothing(broker: DataBroker) -> None:
    broker.allow((Operation.READ, TOPIC, "t"))
    assert commit(broker, ("t", 0, 5), ("t", 1, 5)) == [
        ("t", 0, ErrorCode.GROUP_AUTHORIZATION_FAILED),
        ("t", 1, ErrorCode.GROUP_AUTHORIZATION_FAILED),
    ]


@pytest.mark.parametrize("version", [9, 10])
def test_offsets_are_committed_for_topics_that_one_may_read(broker: DataBroker, version: int) -> None:
    broker.topic("secret")
    broker.allow((Operation.READ, GROUP, "g"), (Operation.READ, TOPIC, "t"))
    denied = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    found = commit(broker, ("secret", 0, 5), ("t", 0, 5), version=version)
    assert [code for _, _, code in found] == [denied, NONE]


@pytest.mark.parametrize("version", range(1, 11))
def test_who_may_not_describe_the_group_fetches_nothing(broker: DataBroker, version: int) -> None:
    broker.allow((Operation.DESCRIBE, TOPIC, "t"))
    denied = ErrorCode.GROUP_AUTHORIZATION_FAILED
    code, found = fetch(broker, ("t", 0), version=version)
    if version == 1:
        # There is no place for the group's error.
        assert found == {("t", 0): (denied, -1, -1, "")}
    else:
        assert (code, found) == (denied, {})


@pytest.mark.parametrize("version", [9, 10])
def test_offsets_are_seen_of_topics_that_one_may_describe(broker: DataBroker, version: int) -> None:
    broker.topic("secret")
    commit(broker, ("secret", 0, 5), ("t", 0, 6))
    broker.allow((Operation.DESCRIBE, GROUP, "g"), (Operation.DESCRIBE, TOPIC, "t"))
    assert list(fetch(broker, is_all=True, version=version)[1]) == [("t", 0)]
    _, found = fetch(broker, ("secret", 0), ("t", 0), version=version)
    assert [each[0] for _, each in sorted(found.items())] == [ErrorCode.TOPIC_AUTHORIZATION_FAILED, NONE]


def test_all_offsets_by_id_are_those_of_topics_that_exist(broker: DataBroker) -> None:
    broker.topic("gone")
    commit(broker, ("gone", 0, 5), ("t", 0, 6))
    state = DeleteTopicsRequest.DeleteTopicState(name="gone")
    broker.harness.call(DeleteTopicsRequest(topics=[state], timeout_ms=1000))
    assert list(fetch(broker, is_all=True, version=9)[1]) == [("gone", 0), ("t", 0)]
    assert list(fetch(broker, is_all=True, version=10)[1]) == [("t", 0)]


# -- OffsetDelete, DeleteGroups


def delete(broker: DataBroker, *items: tuple[str, int], group: str = "g") -> tuple[int, list[int]]:
    """Delete offsets. Returns the group's error code, and the partitions'."""
    request = OffsetDeleteRequest(group_id=group)
    for name, index in items:
        partition = OffsetDeleteRequest.Partition(partition_index=index)
        request.topics.append(OffsetDeleteRequest.Topic(name=name, partitions=[partition]))
    response = broker.ask(request, 0)
    return response.error_code, [each.error_code for topic in response.topics for each in topic.partitions]


def test_offsets_are_deleted(broker: DataBroker) -> None:
    commit(broker, ("t", 0, 5), ("t", 1, 6))
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert delete(broker, ("t", 0), ("t", 2), ("x", 0)) == (NONE, [NONE, unknown, unknown])
    assert list(fetch(broker, is_all=True)[1]) == [("t", 1)]
    assert delete(broker, ("t", 0), group="unknown") == (ErrorCode.GROUP_ID_NOT_FOUND, [])
    assert delete(broker, ("x", 0), group="unknown") == (ErrorCode.GROUP_ID_NOT_FOUND, [])
    assert delete(broker, ("t", 0), group="") == (ErrorCode.INVALID_GROUP_ID, [])


def test_who_may_delete_offsets(broker: DataBroker) -> None:
    commit(broker, ("t", 0, 5))
    broker.allow((Operation.READ, TOPIC, "t"))
    assert delete(broker, ("t", 0)) == (ErrorCode.GROUP_AUTHORIZATION_FAILED, [])
    broker.allow((Operation.DELETE, GROUP, "g"))
    assert delete(broker, ("t", 0)) == (NONE, [ErrorCode.TOPIC_AUTHORIZATION_FAILED])
    broker.allow((Operation.DELETE, GROUP, "g"), (Operation.READ, TOPIC, "t"))
    assert delete(broker, ("t", 0)) == (NONE, [NONE])


@pytest.mark.parametrize("version", range(4))
def test_groups_are_deleted_each_once(broker: DataBroker, version: int) -> None:
    for each in ("g", "secret"):
        commit(broker, ("t", 0, 5), group=each)
    broker.allow((Operation.DELETE, GROUP, "g"), (Operation.DELETE, GROUP, "unknown"))
    request = DeleteGroupsRequest(groups_names=["g", "unknown", "secret", "g"])
    response = broker.ask(request, version)
    assert [(each.group_id, each.error_code) for each in response.results] == [
        ("g", NONE),
        ("unknown", ErrorCode.GROUP_ID_NOT_FOUND),
        ("secret", ErrorCode.GROUP_AUTHORIZATION_FAILED),
    ]
    broker.guard = None
    assert fetch(broker, is_all=True)[1] == {}


# -- brokers that do not coordinate


def test_a_broker_that_does_not_lead_says_so() -> None:
    broker = DataBroker()
    broker.topic(GROUPS_TOPIC, [OTHER])
    broker.topic("t")
    code = ErrorCode.NOT_COORDINATOR
    assert commit(broker, ("t", 0, 5)) == [("t", 0, code)]
    assert fetch(broker, ("t", 0)) == (code, {})
    assert fetch(broker, ("t", 0), version=1)[1] == {("t", 0): (code, -1, -1, "")}
    assert delete(broker, ("t", 0)) == (code, [])
    response = broker.ask(DeleteGroupsRequest(groups_names=["g"]), 3)
    assert [each.error_code for each in response.results] == [code]


def test_another_leader_epoch_knows_what_was_committed() -> None:
    broker = DataBroker()
    broker.topic(GROUPS_TOPIC, [1, 0])
    broker.topic("t")
    found = broker.send(
        OffsetCommitRequest(
            group_id="g",
            topics=[
                OffsetCommitRequest.Topic(
                    name="t",
                    partitions=[OffsetCommitRequest.Partition(partition_index=0, committed_offset=5)],
                )
            ],
        ),
        9,
    )
    # It is not committed before the follower has it.
    assert found == []
    assert fetch(broker, ("t", 0)) == (NONE, {("t", 0): (NONE, -1, -1, "")})
    broker.replicate(GROUPS_TOPIC, 1)
    assert found[0].topics[0].partitions[0].error_code == NONE
    assert fetch(broker, ("t", 0)) == (NONE, {("t", 0): (NONE, 5, -1, "")})
    broker.lead_anew(GROUPS_TOPIC)
    assert fetch(broker, ("t", 0)) == (NONE, {("t", 0): (NONE, 5, -1, "")})
