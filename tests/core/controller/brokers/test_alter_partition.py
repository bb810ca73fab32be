"""AlterPartition: what a leader may say of its ISR, and what it is told."""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AlterPartitionRequest
from tests.core.controller.support.harness import Harness


@pytest.fixture
def harness() -> Harness:
    """Topic t: replicas 1, 2, 3; broker 1 leads. Broker 4 has no replica, 5 is fenced."""
    harness = Harness()
    harness.start_brokers(1, 2, 3, 4)
    harness.register(5)
    harness.create_topic("t", [1, 2, 3])
    return harness


def refused(harness: Harness, version: int = 3, **fields: Any) -> ErrorCode:
    """The error that a partition is refused with, nothing having been written."""
    before = harness.image, harness.next_offset
    response = harness.alter_partition("t", version=version, **fields)
    assert (harness.image, harness.next_offset) == before
    assert (response.leader_id, response.leader_epoch, response.isr) == (0, 0, [])
    assert (response.leader_recovery_state, response.partition_epoch) == (0, 0)
    return ErrorCode(response.error_code)


@pytest.mark.parametrize("version", [2, 3])
def test_a_leader_shrinks_and_grows_its_isr(harness: Harness, version: int) -> None:
    response = harness.alter_partition("t", version=version, isr=(1, 3))
    assert (response.error_code, response.isr) == (0, [1, 3])
    assert (response.leader_id, response.leader_epoch, response.partition_epoch) == (1, 0, 1)
    assert harness.partition("t").isr == (1, 3)
    response = harness.alter_partition("t", version=version, isr=(1, 3, 2))
    assert (response.isr, response.leader_epoch, response.partition_epoch) == ([1, 3, 2], 0, 2)


def test_an_isr_that_is_in_force_is_answered_without_a_record(harness: Harness) -> None:
    end = harness.next_offset
    response = harness.alter_partition("t")
    assert (response.error_code, response.isr, response.partition_epoch) == (0, [1, 2, 3], 0)
    assert harness.next_offset == end


@pytest.mark.parametrize("who", [{"broker_id": 9}, {"broker_epoch": -1}, {"broker_epoch": 10**9}])
def test_a_sender_that_is_not_registered_so_is_refused_as_a_whole(
    harness: Harness, who: dict[str, int]
) -> None:
    response = harness.call(harness.alter_partition_request("t", isr=(1,), **who))
    assert (response.error_code, response.topics) == (ErrorCode.STALE_BROKER_EPOCH, [])
    assert harness.partition("t").isr == (1, 2, 3)


def test_topics_and_partitions_have_to_exist(harness: Harness) -> None:
    assert refused(harness, topic_id=bytes(16)) == ErrorCode.UNKNOWN_TOPIC_ID
    assert refused(harness, partition_index=1) == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert refused(harness, partition_index=-1) == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_who_knows_more_than_this_controller_was_told_by_another(harness: Harness) -> None:
    assert refused(harness, leader_epoch=1) == ErrorCode.NOT_CONTROLLER
    assert refused(harness, partition_epoch=1) == ErrorCode.NOT_CONTROLLER
    # Even where it is behind in the other epoch.
    assert refused(harness, leader_epoch=-1, partition_epoch=1) == ErrorCode.NOT_CONTROLLER


def test_a_leader_of_an_earlier_epoch_is_fenced(harness: Harness) -> None:
    assert refused(harness, leader_epoch=-1) == ErrorCode.FENCED_LEADER_EPOCH
    # Before it is asked who leads.
    assert refused(harness, leader_epoch=-1, broker_id=2) == ErrorCode.FENCED_LEADER_EPOCH


def test_only_the_leader_may_ask(harness: Harness) -> None:
    assert refused(harness, broker_id=2) == ErrorCode.INVALID_REQUEST
    # Before it is asked what it started from.
    assert refused(harness, broker_id=2, partition_epoch=-1) == ErrorCode.INVALID_REQUEST


def test_a_change_starts_from_the_partitions_present_epoch(harness: Harness) -> None:
    harness.alter_partition("t", isr=(1, 2))
    assert refused(harness, partition_epoch=0, isr=(1, 3)) == ErrorCode.INVALID_UPDATE_VERSION
    # Before the ISR is looked at.
    assert refused(harness, partition_epoch=0, isr=(2, 2)) == ErrorCode.INVALID_UPDATE_VERSION


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("isr", [(), (2, 3), (1, 1), (1, 2, 2), (1, 4), (1, -1), (1, 99)])
def test_an_isr_is_some_of_the_replicas_once_each_with_the_leader(
    harness: Harness, version: int, isr: tuple[int, ...]
) -> None:
    assert refused(harness, version=version, isr=isr) == ErrorCode.INVALID_REQUEST


@pytest.mark.parametrize("state", [-128, -1, 2, 127])
def test_a_recovery_state_is_known(harness: Harness, state: int) -> None:
    assert refused(harness, leader_recovery_state=state) == ErrorCode.INVALID_REQUEST


def test_a_leader_that_has_recovered_does_not_recover_again(harness: Harness) -> None:
    assert refused(harness, isr=(1,), leader_recovery_state=1) == ErrorCode.INVALID_REQUEST


def test_a_leader_in_recovery_is_alone_until_it_has_recovered(harness: Harness) -> None:
    harness.create_topic("u", [1, 2], unclean_leader_election_enable="true", min_insync_replicas="1")
    harness.alter_partition("u", isr=(1,))
    harness.heartbeat(1, want_fence=True)
    assert (harness.partition("u").leader, harness.partition("u").leader_recovery_state) == (2, 1)
    harness.heartbeat(1)
    response = harness.alter_partition("u", isr=(2, 1))
    assert response.error_code == ErrorCode.INVALID_REQUEST
    # To say again that it recovers is no change.
    response = harness.alter_partition("u", isr=(2,))
    assert (response.error_code, response.leader_recovery_state, response.partition_epoch) == (0, 1, 2)
    response = harness.alter_partition("u", isr=(2, 1), leader_recovery_state=0)
    assert (response.error_code, response.isr, response.leader_recovery_state) == (0, [2, 1], 0)
    assert harness.partition("u").leader_recovery_state == 0


def test_only_active_brokers_are_in_sync(harness: Harness) -> None:
    harness.heartbeat(3, want_fence=True)
    assert refused(harness, isr=(1, 2, 3)) == ErrorCode.INELIGIBLE_REPLICA
    harness.heartbeat(3)
    assert harness.alter_partition("t", isr=(1, 2, 3)).error_code == 0
    harness.create_topic("led by 2".replace(" ", "-"), [2, 1])
    harness.heartbeat(2, want_shut_down=True)
    assert harness.image.brokers[2].in_controlled_shutdown
    assert refused(harness, isr=(1, 2, 3)) == ErrorCode.INELIGIBLE_REPLICA


def test_a_follower_counts_under_the_epoch_it_fetched_with_only(harness: Harness) -> None:
    harness.alter_partition("t", isr=(1,))
    epochs = {broker_id: harness.image.brokers[broker_id].epoch for broker_id in (1, 2, 3)}
    assert refused(harness, isr=((1, -1), (2, epochs[2] - 1))) == ErrorCode.INELIGIBLE_REPLICA
    assert refused(harness, isr=((1, epochs[1] + 1), (2, -1))) == ErrorCode.INELIGIBLE_REPLICA
    assert harness.alter_partition("t", isr=((1, epochs[1]), (2, epochs[2]), (3, -1))).error_code == 0
    assert harness.partition("t").isr == (1, 2, 3)


def test_each_partition_is_refused_by_itself(harness: Harness) -> None:
    request = harness.alter_partition_request("t", isr=(1, 2))
    bad = harness.alter_partition_request("t", isr=(2,)).topics[0].partitions[0]
    bad.partition_index = 7
    request.topics[0].partitions.append(bad)
    request.topics.append(AlterPartitionRequest.TopicData(topic_id=b"x" * 16, partitions=[bad]))
    response = harness.call(request)
    assert [[each.error_code for each in topic.partitions] for topic in response.topics] == [[0, 3], [100]]
    assert [each.partition_index for each in response.topics[0].partitions] == [0, 7]
    assert harness.partition("t").isr == (1, 2)


def test_a_partition_that_is_named_twice_is_changed_once(harness: Harness) -> None:
    request = harness.alter_partition_request("t", isr=(1, 2))
    request.topics[0].partitions *= 2
    response = harness.call(request)
    assert [each.error_code for each in response.topics[0].partitions] == [
        0,
        ErrorCode.INVALID_UPDATE_VERSION,
    ]
    assert (harness.partition("t").isr, harness.partition("t").partition_epoch) == ((1, 2), 1)


def test_who_leaves_an_isr_that_is_too_small_stays_eligible(harness: Harness) -> None:
    harness.create_topic("m", [1, 2, 3], min_insync_replicas="2")
    harness.alter_partition("m", isr=(1,))
    assert harness.partition("m").elr == (2, 3)
    harness.alter_partition("m", isr=(1, 3))
    assert harness.partition("m").elr == ()


def test_a_leader_whose_directory_is_gone_learns_that_another_leads(harness: Harness) -> None:
    harness.create_topic("d", [1, 2])
    harness.register(1, log_dirs=[b"another directory"[:16]])
    response = harness.alter_partition("d", isr=(1, 2))
    assert (response.error_code, response.leader_id) == (ErrorCode.NEW_LEADER_ELECTED, 0)
    assert (harness.partition("d").leader, harness.partition("d").leader_epoch) == (2, 1)
