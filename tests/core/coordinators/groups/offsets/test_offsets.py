"""Committed offsets: commits, fetches, deletion, expiry, what is written and what is read again.

Tests: `core.coordinators.groups.modern.commits`, `core.coordinators.groups.offsets.config`,
`core.coordinators.groups.offsets.fetches`, `core.coordinators.groups.offsets.logged`,
`core.coordinators.groups.offsets.pending`, `core.coordinators.values`, `requests.offset_requests`.
"""

from __future__ import annotations

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    GroupMetadataKey,
    LegacyOffsetCommitKey,
    LegacyOffsetCommitValue,
    OffsetCommitKey,
    OffsetCommitValue,
)
from kafkaproto_server.core.coordinators.groups.offsets import offsets as module
from kafkaproto_server.core.coordinators.groups.offsets.expiration import Expiration
from kafkaproto_server.core.coordinators.values import CoordinatorError, Record
from kafkaproto_server.requests.offset_requests import TopicPartitions
from tests.core.coordinators.support.offsets import (
    METADATA_MAX,
    RETENTION_MS,
    Offsets,
    Told,
    of,
    to_nothing,
)

ID, OTHER_ID, ZERO_ID = b"\1" * 16, b"\2" * 16, bytes(16)
DONE = (ErrorCode.NONE, [ErrorCode.NONE])
BY_COMMIT = Expiration(is_subscribed=to_nothing)


# -- OffsetCommit


def test_a_commit_is_what_is_fetched() -> None:
    offsets = Offsets()
    told = offsets.commit("g", of("t", 0, 5, epoch=3, metadata="m"), of("t", 1, 6))
    assert told.responses == [(ErrorCode.NONE, [ErrorCode.NONE] * 2)]
    assert offsets.fetch("g") == {("t", 0): (5, 3, "m"), ("t", 1): (6, -1, "")}
    assert offsets.fetch("h") == {}


def test_a_later_commit_replaces_the_earlier_one_even_by_a_lower_offset() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5, epoch=3, metadata="m"))
    offsets.commit("g", of("t", 0, 2))
    assert offsets.fetch("g") == {("t", 0): (2, -1, "")}


def test_the_last_of_two_commits_of_one_request_counts() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5), of("t", 0, 6))
    assert offsets.fetch("g") == {("t", 0): (6, -1, "")}


def test_a_commit_is_one_batch() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5), of("u", 1, 6), of("u", 2, 7))
    assert offsets.log.batch_ends == [0, 3]


def test_the_response_comes_when_the_records_are_committed() -> None:
    offsets = Offsets(commits_at_once=False)
    told = offsets.commit("g", of("t", 0, 5))
    assert told.responses == []
    offsets.log.commit()
    assert told.responses == [DONE]


def test_a_commit_that_is_not_replicated_in_time_has_no_results() -> None:
    offsets = Offsets(commits_at_once=False)
    told = offsets.commit("g", of("t", 0, 5))
    offsets.log.give_up(ErrorCode.REQUEST_TIMED_OUT)
    assert told.responses == [(ErrorCode.COORDINATOR_NOT_AVAILABLE, [])]


def test_a_commit_that_cannot_be_written_changes_nothing() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5))
    offsets.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    with pytest.raises(CoordinatorError) as caught:
        offsets.commit("g", of("t", 0, 6))
    assert caught.value.code is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert offsets.fetch("g") == {("t", 0): (5, -1, "")}


def test_only_the_partition_with_too_long_metadata_is_refused() -> None:
    offsets = Offsets()
    longest = "m" * METADATA_MAX
    told = offsets.commit("g", of("t", 0, 5, metadata=longest), of("t", 1, 6, metadata=longest + "m"))
    assert told.responses == [(ErrorCode.NONE, [ErrorCode.NONE, ErrorCode.OFFSET_METADATA_TOO_LARGE])]
    assert offsets.fetch("g") == {("t", 0): (5, -1, longest)}


@pytest.mark.parametrize(
    ("metadata", "is_accepted"), [("é" * 8, True), ("é" * 9, False), ("😀" * 4, True), ("😀" * 5, False)]
)
def test_metadata_is_measured_as_java_does(metadata: str, is_accepted: bool) -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5, metadata=metadata))
    assert bool(offsets.fetch("g")) is is_accepted


def test_if_all_partitions_are_refused_nothing_is_written() -> None:
    offsets = Offsets(commits_at_once=False)
    told = offsets.commit("g", of("t", 0, 5, metadata="m" * 9))
    assert told.responses == [(ErrorCode.NONE, [ErrorCode.OFFSET_METADATA_TOO_LARGE])]
    assert offsets.log.end_offset == 0
    assert offsets.manager.logged.size == 0


# -- what is written


def test_a_value_has_version_4_with_the_topic_id() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 3, 5, epoch=2, metadata="m", topic_id=ID))
    assert offsets.log.versions() == [4]
    key, value = offsets.log.records()[0]
    assert key == OffsetCommitKey(group="g", topic="t", partition=3)
    assert value == OffsetCommitValue(
        offset=5,
        leader_epoch=2,
        metadata="m",
        commit_timestamp=offsets.world.wall_ms(),
        topic_id=ID,
    )


def test_with_a_retention_time_a_value_has_version_1_with_the_expire_timestamp() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5, epoch=2, topic_id=ID), retention_ms=70)
    assert offsets.log.versions() == [1]
    value = offsets.log.records()[0][1]
    now_ms = offsets.world.wall_ms()
    # Nothing that the version cannot hold.
    assert value == OffsetCommitValue(offset=5, commit_timestamp=now_ms, expire_timestamp=now_ms + 70)
    before = offsets.fetch("g")
    offsets.load()
    assert offsets.fetch("g") == before == {("t", 0): (5, -1, "")}


def test_the_longest_retention_time_has_no_end() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5), retention_ms=2**63 - 1)
    value = offsets.log.records()[0][1]
    assert isinstance(value, OffsetCommitValue)
    assert value.expire_timestamp == 2**63 - 1


# -- OffsetFetch


def test_partitions_without_an_offset_are_in_the_response() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5))
    topics = [
        TopicPartitions(topic="t", partitions=(0, 1)),
        TopicPartitions(topic="u", partitions=(0,)),
    ]
    unknown = (-1, -1, "")
    assert offsets.ask("g", topics).offsets == {("t", 0): (5, -1, ""), ("t", 1): unknown, ("u", 0): unknown}
    assert offsets.ask("h", topics[:1]).offsets == {("t", 0): unknown, ("t", 1): unknown}


@pytest.mark.parametrize(
    ("kept", "asked", "is_found"),
    [
        (ID, ID, True),
        (ID, OTHER_ID, False),
        (ID, ZERO_ID, True),
        (ZERO_ID, ID, True),
        (ZERO_ID, ZERO_ID, True),
    ],
)
def test_offsets_of_another_topic_of_the_name_are_not_found(
    kept: bytes, asked: bytes, is_found: bool
) -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5, topic_id=kept))
    seen = offsets.ask("g", [TopicPartitions(topic="t", topic_id=asked, partitions=(0,))])
    assert seen.offsets == {("t", 0): (5 if is_found else -1, -1, "")}
    assert seen.topics[0].topic_id == asked


def test_a_fetch_returns_what_is_committed_in_the_log() -> None:
    offsets = Offsets(commits_at_once=False)
    topics = [TopicPartitions(topic="t", partitions=(0, 1))]
    offsets.commit("g", of("t", 0, 5))
    offsets.commit("g", of("t", 0, 6), of("t", 1, 7))
    assert offsets.fetch("g") == {}
    offsets.log.commit(1)
    assert offsets.fetch("g") == {("t", 0): (5, -1, "")}
    assert offsets.ask("g", topics).offsets == {("t", 0): (5, -1, ""), ("t", 1): (-1, -1, "")}
    offsets.log.commit(1)
    assert offsets.fetch("g") == {("t", 0): (6, -1, ""), ("t", 1): (7, -1, "")}


def test_a_deletion_is_seen_when_it_is_committed() -> None:
    offsets = Offsets(commits_at_once=False)
    offsets.commit("g", of("t", 0, 5), of("u", 0, 6))
    offsets.log.commit()
    offsets.delete("g", "t", 0)
    assert offsets.fetch("g") == {("t", 0): (5, -1, ""), ("u", 0): (6, -1, "")}
    offsets.log.commit()
    assert offsets.fetch("g") == {("u", 0): (6, -1, "")}


def test_a_fetch_learns_of_commits_that_nobody_waits_for_any_more() -> None:
    offsets = Offsets(commits_at_once=False)
    offsets.commit("g", of("t", 0, 5))
    offsets.log.give_up(ErrorCode.REQUEST_TIMED_OUT)
    assert offsets.fetch("g") == {}
    offsets.log.commit()
    assert offsets.fetch("g") == {("t", 0): (5, -1, "")}


def test_a_stable_fetch_waits_for_what_it_has_read() -> None:
    offsets = Offsets(commits_at_once=False)
    offsets.commit("g", of("t", 0, 5))
    seen = offsets.ask("g", [TopicPartitions(topic="t", partitions=(0,))], stable=True)
    assert seen.code is None
    # It says what was there at its time.
    offsets.commit("g", of("t", 0, 6))
    offsets.log.commit(1)
    assert seen.offsets == {("t", 0): (5, -1, "")}


def test_a_stable_fetch_fails_if_it_cannot_be_known_what_is_committed() -> None:
    offsets = Offsets(commits_at_once=False)
    offsets.commit("g", of("t", 0, 5))
    seen = offsets.ask("g", stable=True)
    offsets.log.give_up(ErrorCode.NOT_LEADER_OR_FOLLOWER)
    assert (seen.code, seen.offsets) == (ErrorCode.NOT_COORDINATOR, {})


# -- OffsetDelete, DeleteGroups, deleted topics


def test_deleted_offsets_are_gone_also_after_a_reload() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5), of("t", 1, 6))
    told = offsets.delete("g", "t", 0, 9)
    assert told.responses == [(ErrorCode.NONE, [ErrorCode.NONE] * 2)]
    assert offsets.log.versions() == [4, 4, None], "no tombstone without an offset"
    assert offsets.fetch("g") == {("t", 1): (6, -1, "")}
    offsets.load()
    assert offsets.fetch("g") == {("t", 1): (6, -1, "")}


def test_a_deletion_twice_in_a_request_is_one_tombstone() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5))
    assert offsets.delete("g", "t", 0, 0).responses == [(ErrorCode.NONE, [ErrorCode.NONE] * 2)]
    assert offsets.log.end_offset == 2


def test_offsets_of_subscribed_topics_are_not_deleted() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5), of("u", 0, 6))
    told = Told()
    topics = [TopicPartitions(topic=topic, partitions=(0,)) for topic in "tu"]
    offsets.manager.delete("g", topics, lambda topic: topic == "t", told)
    assert told.responses == [(ErrorCode.NONE, [ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC, ErrorCode.NONE])]
    assert offsets.fetch("g") == {("t", 0): (5, -1, "")}


def test_a_deletion_of_what_is_being_deleted_waits_for_that() -> None:
    offsets = Offsets(commits_at_once=False)
    offsets.commit("g", of("t", 0, 5))
    offsets.log.commit()
    told, again = offsets.delete("g", "t", 0), offsets.delete("g", "t", 0)
    assert (told.responses, again.responses) == ([], [])
    offsets.log.commit()
    assert told.responses == again.responses == [DONE]


def test_a_group_is_deleted_with_the_records_of_the_caller_last() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5), of("u", 1, 6))
    offsets.commit("h", of("t", 0, 7))
    told = Told()
    group = GroupMetadataKey(group="g")
    offsets.manager.delete_group("g", told, last=[Record(group, None)])
    assert told.responses == [(ErrorCode.NONE, [])]
    assert offsets.log.batch_ends[-2:] == [3, 6]
    assert [key for key, _ in offsets.log.records()[3:]] == [
        OffsetCommitKey(group="g", topic="t", partition=0),
        OffsetCommitKey(group="g", topic="u", partition=1),
        group,
    ]
    assert offsets.fetch("g") == {}
    assert offsets.fetch("h") == {("t", 0): (7, -1, "")}


def test_the_deletion_of_a_group_waits_for_all_its_records() -> None:
    offsets = Offsets(commits_at_once=False)
    offsets.commit("g", of("t", 0, 5))
    offsets.log.commit()
    told = Told()
    offsets.manager.delete_group("g", told, last=[Record(GroupMetadataKey(group="g"), None)])
    assert told.responses == []
    offsets.log.commit()
    assert told.responses == [(ErrorCode.NONE, [])]


def test_a_group_without_offsets_is_deleted_with_the_records_of_the_caller_alone() -> None:
    offsets = Offsets()
    told = Told()
    offsets.manager.delete_group("g", told)
    assert (told.responses, offsets.log.end_offset) == ([(ErrorCode.NONE, [])], 0)
    offsets.manager.delete_group("g", told, last=[Record(GroupMetadataKey(group="g"), None)])
    assert offsets.log.records() == [(GroupMetadataKey(group="g"), None)]


def test_the_deletion_of_a_group_without_offsets_waits_for_the_records_of_the_caller() -> None:
    offsets = Offsets(commits_at_once=False)
    told = Told()
    offsets.manager.delete_group("g", told, last=[Record(GroupMetadataKey(group="g"), None)])
    assert told.responses == []
    offsets.log.commit()
    assert told.responses == [(ErrorCode.NONE, [])]


def test_many_offsets_of_a_deleted_topic_are_deleted_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TOMBSTONES_PER_BATCH", 2)
    offsets = Offsets()
    offsets.commit("g", *(of("t", partition, 5) for partition in range(5)))
    assert offsets.manager.delete_topics([("t", ID)], "g") == 5
    assert offsets.log.batch_ends == [0, 5, 7, 9, 10]
    assert offsets.manager.logged.size == 0


def test_batches_of_tombstones_are_no_larger_than_the_log_takes() -> None:
    offsets = Offsets()
    offsets.log.max_batch_bytes = 10_000
    group_id = "g" * 3_000
    offsets.commit(group_id, *(of("t", partition, 5) for partition in range(5)))
    assert offsets.manager.delete_topics([("t", ID)], group_id) == 5
    assert offsets.log.batch_ends == [0, 5, 8, 10]


def test_with_a_topic_its_offsets_are_deleted_in_all_groups() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5, topic_id=ID), of("u", 0, 6, topic_id=OTHER_ID))
    offsets.commit("h", of("t", 1, 7), of("u", 0, 8))
    offsets.commit_in_transaction(1, "i", of("t", 0, 9, topic_id=ID))
    assert [offsets.manager.delete_topics([("t", ID)], each) for each in offsets.manager.logged.groups()] == [
        1,
        1,
        1,
    ]
    offsets.end(1, True)
    for _ in range(2):
        assert offsets.fetch("g") == {("u", 0): (6, -1, "")}
        assert offsets.fetch("h") == {("u", 0): (8, -1, "")}
        assert offsets.fetch("i") == {}
        offsets.load()


def test_offsets_of_a_new_topic_of_the_same_name_stay() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5, topic_id=ID), of("t", 1, 6, topic_id=OTHER_ID))
    assert offsets.manager.delete_topics([("t", ID)], "g") == 1
    assert offsets.fetch("g") == {("t", 1): (6, -1, "")}


# -- transactions


def test_pending_offsets_are_seen_after_the_marker() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5))
    told = offsets.commit_in_transaction(1, "g", of("t", 0, 7, epoch=2, metadata="m", topic_id=ID))
    assert told.responses == [DONE]
    assert offsets.log.versions() == [4, 4]
    assert offsets.fetch("g") == {("t", 0): (5, -1, "")}
    offsets.end(1, True)
    assert offsets.fetch("g") == {("t", 0): (7, 2, "m")}


def test_pending_offsets_of_an_aborted_transaction_vanish() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5))
    offsets.commit_in_transaction(1, "g", of("t", 0, 7), of("u", 0, 8))
    offsets.end(1, False)
    # The next transaction of the producer has nothing of the one before.
    offsets.end(1, True)
    assert offsets.fetch("g", stable=True) == {("t", 0): (5, -1, "")}


def test_a_marker_ends_the_transaction_of_its_producer_alone() -> None:
    offsets = Offsets()
    offsets.commit_in_transaction(1, "g", of("t", 0, 7))
    offsets.commit_in_transaction(2, "g", of("t", 1, 8))
    offsets.commit_in_transaction(2, "h", of("t", 1, 9))
    offsets.end(2, True)
    assert offsets.fetch("g") == {("t", 1): (8, -1, "")}
    assert offsets.fetch("h") == {("t", 1): (9, -1, "")}
    assert offsets.manager.logged.has_pending("g")
    assert not offsets.manager.logged.has_pending("h")


def test_a_plain_commit_after_the_pending_one_counts() -> None:
    offsets = Offsets()
    offsets.commit_in_transaction(1, "g", of("t", 0, 7))
    offsets.commit("g", of("t", 0, 5))
    offsets.end(1, True)
    assert offsets.fetch("g") == {("t", 0): (5, -1, "")}


def test_of_two_transactions_the_newer_commit_counts() -> None:
    offsets = Offsets()
    offsets.commit_in_transaction(1, "g", of("t", 0, 7))
    offsets.commit_in_transaction(2, "g", of("t", 0, 8))
    offsets.end(2, True)
    offsets.end(1, True)
    assert offsets.fetch("g") == {("t", 0): (8, -1, "")}


def test_a_stable_fetch_refuses_partitions_with_pending_offsets() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5), of("t", 1, 6))
    offsets.commit_in_transaction(1, "g", of("t", 0, 7), of("u", 0, 8))
    topics = [
        TopicPartitions(topic="t", topic_id=ID, partitions=(0, 1)),
        TopicPartitions(topic="u", partitions=(0,)),
    ]
    unstable = (-2, -1, "")
    expected = {("t", 0): unstable, ("t", 1): (6, -1, "")}
    assert offsets.ask("g", topics, stable=True).offsets == {**expected, ("u", 0): unstable}
    # Among all offsets are only partitions with a committed one.
    assert offsets.fetch("g", stable=True) == expected
    assert offsets.fetch("g") == {("t", 0): (5, -1, ""), ("t", 1): (6, -1, "")}
    offsets.end(1, True)
    assert offsets.fetch("g", stable=True) == {
        ("t", 0): (7, -1, ""),
        ("t", 1): (6, -1, ""),
        ("u", 0): (8, -1, ""),
    }


def test_a_partition_stays_unstable_until_the_last_transaction_ends() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5))
    offsets.commit_in_transaction(1, "g", of("t", 0, 7))
    offsets.commit_in_transaction(2, "g", of("t", 0, 8))
    offsets.end(1, True)
    assert offsets.fetch("g", stable=True) == {("t", 0): (-2, -1, "")}
    offsets.end(2, False)
    assert offsets.fetch("g", stable=True) == {("t", 0): (7, -1, "")}


def test_the_response_to_a_commit_in_a_transaction_comes_when_its_records_are_committed() -> None:
    offsets = Offsets(commits_at_once=False)
    told = offsets.commit_in_transaction(1, "g", of("t", 0, 7))
    assert told.responses == []
    offsets.log.commit()
    assert told.responses == [DONE]


def test_a_marker_is_seen_when_it_is_committed() -> None:
    offsets = Offsets(commits_at_once=False)
    offsets.commit_in_transaction(1, "g", of("t", 0, 7))
    offsets.log.commit()
    offsets.end(1, True)
    assert offsets.fetch("g") == {}
    seen = offsets.ask("g", stable=True)
    assert seen.code is None
    offsets.log.commit()
    assert offsets.fetch("g") == seen.offsets == {("t", 0): (7, -1, "")}


def test_a_fenced_producer_commits_nothing() -> None:
    offsets = Offsets()
    offsets.log.fenced_epochs[1] = 5
    with pytest.raises(CoordinatorError) as caught:
        offsets.commit_in_transaction(1, "g", of("t", 0, 7), epoch=4)
    assert caught.value.code is ErrorCode.INVALID_PRODUCER_EPOCH
    assert not offsets.manager.logged.has_pending("g")
    offsets.commit_in_transaction(1, "g", of("t", 0, 7), epoch=5)
    assert offsets.manager.logged.has_pending("g")


def test_too_long_metadata_is_refused_in_transactions_too() -> None:
    offsets = Offsets()
    told = offsets.commit_in_transaction(1, "g", of("t", 0, 5, metadata="m" * 9), of("t", 1, 6))
    assert told.responses == [(ErrorCode.NONE, [ErrorCode.OFFSET_METADATA_TOO_LARGE, ErrorCode.NONE])]
    told = offsets.commit_in_transaction(2, "h", of("t", 0, 5, metadata="m" * 9))
    assert told.responses == [(ErrorCode.NONE, [ErrorCode.OFFSET_METADATA_TOO_LARGE])]
    assert offsets.log.end_offset == 1


def test_a_deletion_removes_pending_offsets_too() -> None:
    offsets = Offsets()
    offsets.commit_in_transaction(1, "g", of("t", 0, 7), of("t", 1, 8))
    offsets.commit_in_transaction(2, "g", of("t", 0, 9))
    offsets.delete("g", "t", 0)
    offsets.end(1, True)
    offsets.end(2, True)
    for _ in range(2):
        assert offsets.fetch("g", stable=True) == {("t", 1): (8, -1, "")}
        offsets.load()


def test_a_group_is_deleted_with_its_pending_offsets() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5))
    offsets.commit_in_transaction(1, "g", of("t", 0, 7), of("t", 1, 8))
    offsets.commit_in_transaction(1, "h", of("t", 1, 8))
    offsets.manager.delete_group("g", Told())
    assert offsets.log.end_offset == 6, "one tombstone a partition"
    offsets.end(1, True)
    assert offsets.fetch("g") == {}
    assert offsets.fetch("h") == {("t", 1): (8, -1, "")}


# -- expiry


def test_offsets_expire_and_are_gone_after_a_reload() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5))
    offsets.world.advance(RETENTION_MS // 2)
    offsets.commit("g", of("t", 1, 6))
    offsets.world.advance(RETENTION_MS // 2)
    assert not offsets.manager.expire("g", BY_COMMIT)
    for _ in range(2):
        assert offsets.fetch("g") == {("t", 1): (6, -1, "")}
        offsets.load()
    offsets.world.advance(RETENTION_MS // 2)
    assert offsets.manager.expire("g", BY_COMMIT)
    assert offsets.fetch("g") == {}
    assert offsets.manager.expire("g", BY_COMMIT)


def test_offsets_of_an_empty_group_expire_together() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5))
    offsets.world.advance(RETENTION_MS * 3)
    rule = Expiration(empty_since_ms=offsets.world.wall_ms(), is_subscribed=to_nothing)
    assert not offsets.manager.expire("g", rule)
    offsets.world.advance(RETENTION_MS)
    assert offsets.manager.expire("g", rule)
    assert offsets.manager.logged.size == 0


def test_offsets_of_subscribed_topics_do_not_expire() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5), of("u", 0, 6))
    offsets.world.advance(RETENTION_MS)
    assert not offsets.manager.expire("g", Expiration(is_subscribed=lambda topic: topic == "t"))
    assert offsets.fetch("g") == {("t", 0): (5, -1, "")}


def test_nothing_expires_while_there_is_no_rule() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5))
    offsets.world.advance(RETENTION_MS)
    assert not offsets.manager.expire("g", None)
    assert offsets.manager.logged.count("g") == 1


def test_an_expire_timestamp_is_kept_through_a_reload() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5), retention_ms=RETENTION_MS * 2)
    offsets.load()
    offsets.world.advance(RETENTION_MS * 2 - 1)
    assert not offsets.manager.expire("g", BY_COMMIT)
    offsets.world.advance(1)
    assert offsets.manager.expire("g", BY_COMMIT)


def test_a_partition_with_a_pending_offset_does_not_expire() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5), of("t", 1, 6))
    offsets.commit_in_transaction(1, "g", of("t", 0, 7))
    offsets.world.advance(RETENTION_MS)
    assert not offsets.manager.expire("g", BY_COMMIT)
    assert offsets.fetch("g") == {("t", 0): (5, -1, "")}
    offsets.end(1, True)
    assert offsets.fetch("g") == {("t", 0): (7, -1, "")}


def test_a_group_with_pending_offsets_alone_is_not_empty() -> None:
    offsets = Offsets()
    offsets.commit_in_transaction(1, "g", of("t", 0, 7))
    assert not offsets.manager.expire("g", BY_COMMIT)
    offsets.commit("g", of("u", 0, 7))
    offsets.world.advance(RETENTION_MS)
    assert not offsets.manager.expire("g", BY_COMMIT)
    assert offsets.manager.logged.count("g") == 0
    offsets.end(1, False)
    assert offsets.manager.expire("g", BY_COMMIT)


def test_the_retention_may_change() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5))
    offsets.world.advance(5)
    offsets.set(retention_ms=5)
    assert offsets.manager.expire("g", BY_COMMIT)


# -- replay


def test_records_of_old_releases_are_read() -> None:
    offsets = Offsets()
    offsets.log.high_watermark = 3
    offsets.manager.logged.replay(
        LegacyOffsetCommitKey(group="g", topic="t", partition=0),
        LegacyOffsetCommitValue(offset=5, metadata="m", commit_timestamp=9),
        0,
    )
    offsets.manager.logged.replay(
        OffsetCommitKey(group="g", topic="t", partition=1),
        OffsetCommitValue(offset=6, metadata="n", commit_timestamp=9),
        1,
    )
    assert offsets.fetch("g") == {("t", 0): (5, -1, "m"), ("t", 1): (6, -1, "n")}
    offsets.manager.logged.replay(LegacyOffsetCommitKey(group="g", topic="t", partition=0), None, 2)
    assert offsets.fetch("g") == {("t", 1): (6, -1, "n")}


def test_records_beyond_the_high_watermark_are_seen_when_they_are_committed() -> None:
    offsets = Offsets(commits_at_once=False)
    offsets.commit("g", of("t", 0, 5))
    offsets.log.commit()
    offsets.commit("g", of("t", 0, 6))
    offsets.load()
    assert offsets.fetch("g") == {("t", 0): (5, -1, "")}
    offsets.log.commit()
    assert offsets.fetch("g") == {("t", 0): (6, -1, "")}


def test_an_open_transaction_goes_on_after_a_reload() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5))
    offsets.commit_in_transaction(1, "g", of("t", 0, 7))
    offsets.load()
    assert offsets.fetch("g", stable=True) == {("t", 0): (-2, -1, "")}
    offsets.end(1, True)
    assert offsets.fetch("g", stable=True) == {("t", 0): (7, -1, "")}


def test_a_tombstone_of_what_is_unknown_changes_nothing() -> None:
    # Compaction may leave the tombstone alone.
    offsets = Offsets()
    offsets.commit("g", of("t", 1, 5))
    offsets.manager.logged.replay(OffsetCommitKey(group="g", topic="t", partition=0), None, 7)
    offsets.manager.logged.replay(OffsetCommitKey(group="h", topic="t", partition=0), None, 8)
    assert (
        offsets.manager.logged.size,
        offsets.manager.logged.count("g"),
        offsets.manager.logged.count("h"),
    ) == (1, 1, 0)


def test_groups_are_counted() -> None:
    offsets = Offsets()
    offsets.commit("g", of("t", 0, 5), of("u", 0, 6))
    offsets.commit("g", of("t", 0, 7))
    offsets.commit("h", of("t", 0, 8))
    offsets.commit_in_transaction(1, "h", of("t", 1, 9))
    manager = offsets.manager
    assert (
        manager.logged.count("g"),
        manager.logged.count("h"),
        manager.logged.count("i"),
        manager.logged.size,
    ) == (2, 1, 0, 3)
    offsets.end(1, True)
    assert (manager.logged.count("h"), manager.logged.size) == (2, 4)
    offsets.delete("g", "t", 0)
    assert (manager.logged.count("g"), manager.logged.size) == (1, 3)
