"""ElectLeaders: preferred and unclean elections that somebody asks for.

Tests: `apis.admin.elect_leaders`.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ElectLeadersRequest, ElectLeadersResponse
from tests.core.controller.support.harness import Harness

PREFERRED, UNCLEAN = 0, 1


@pytest.fixture
def harness() -> Harness:
    """Brokers 1, 2 and 3; topics a (partitions 0 and 1) and b prefer broker 1, but 2 leads all; c prefers 2."""
    harness = Harness()
    harness.start_brokers(1, 2, 3)
    harness.create_topic("a", [1, 2, 3], [1, 2, 3])
    harness.create_topic("b", [1, 2])
    harness.create_topic("c", [2, 1])
    harness.heartbeat(1, want_fence=True)
    harness.heartbeat(1)
    for name, index in (("a", 0), ("a", 1), ("b", 0), ("c", 0)):
        isr = (*harness.partition(name, index).isr, 1)
        assert harness.alter_partition(name, index, isr=isr).error_code == 0
    return harness


def elect(
    harness: Harness,
    election_type: int,
    *partitions: tuple[str, Sequence[int]],
    everything: bool = False,
    version: int = 2,
) -> list[tuple[str, int, ErrorCode]]:
    """(topic, partition, error) of every result."""
    topics = [ElectLeadersRequest.TopicPartitions(topic=name, partitions=[*own]) for name, own in partitions]
    request = ElectLeadersRequest(
        election_type=election_type, topic_partitions=None if everything else topics
    )
    response: ElectLeadersResponse = harness.call(request, version=version)
    assert response.error_code == 0, response
    return [
        (topic.topic, each.partition_id, ErrorCode(each.error_code))
        for topic in response.replica_election_results
        for each in topic.partition_result
    ]


def test_the_preferred_replica_leads_again(harness: Harness) -> None:
    assert harness.partition("a").leader == 2
    assert elect(harness, PREFERRED, ("a", [0])) == [("a", 0, ErrorCode.NONE)]
    assert (harness.partition("a").leader, harness.partition("a").leader_epoch) == (1, 2)
    assert harness.partition("a").isr == (2, 3, 1)
    assert harness.partition("a", 1).leader == 2


def test_version_0_knows_preferred_elections(harness: Harness) -> None:
    assert elect(harness, PREFERRED, ("a", [0]), version=0) == [("a", 0, ErrorCode.NONE)]
    assert harness.partition("a").leader == 1


def test_all_partitions_that_need_it_are_elected_for_if_none_is_named(harness: Harness) -> None:
    expected = [("a", 0, ErrorCode.NONE), ("a", 1, ErrorCode.NONE), ("b", 0, ErrorCode.NONE)]
    assert elect(harness, PREFERRED, everything=True) == expected
    assert [harness.partition(name).leader for name in ("a", "b", "c")] == [1, 1, 2]
    # Those that need none are left out, other than where they are named.
    assert elect(harness, PREFERRED, everything=True) == []
    assert elect(harness, PREFERRED, ("c", [0])) == [("c", 0, ErrorCode.ELECTION_NOT_NEEDED)]


def test_a_preferred_replica_that_is_not_in_sync_is_not_available(harness: Harness) -> None:
    harness.alter_partition("b", isr=(2,))
    end = harness.next_offset
    assert elect(harness, PREFERRED, ("b", [0])) == [("b", 0, ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE)]
    assert harness.next_offset == end


def test_a_preferred_replica_on_a_fenced_broker_is_not_available(harness: Harness) -> None:
    harness.heartbeat(1, want_fence=True)
    assert elect(harness, PREFERRED, ("b", [0])) == [("b", 0, ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE)]


def test_an_unclean_election_finds_a_leader_among_those_that_lag(harness: Harness) -> None:
    harness.create_topic("d", [3, 1], min_insync_replicas="1")
    harness.alter_partition("d", isr=(3,))
    harness.heartbeat(3, want_fence=True)
    assert harness.partition("d").leader == -1
    assert elect(harness, PREFERRED, ("d", [0])) == [("d", 0, ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE)]
    assert elect(harness, UNCLEAN, ("d", [0])) == [("d", 0, ErrorCode.NONE)]
    partition = harness.partition("d")
    assert (partition.leader, partition.isr, partition.leader_recovery_state) == (1, (1,), 1)


def test_an_unclean_election_is_not_needed_where_anybody_leads(harness: Harness) -> None:
    assert elect(harness, UNCLEAN, ("b", [0])) == [("b", 0, ErrorCode.ELECTION_NOT_NEEDED)]
    assert elect(harness, UNCLEAN, everything=True) == []


def test_an_unclean_election_takes_a_replica_that_lives(harness: Harness) -> None:
    harness.create_topic("d", [3])
    harness.heartbeat(3, want_fence=True)
    end = harness.next_offset
    assert elect(harness, UNCLEAN, ("d", [0])) == [("d", 0, ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE)]
    assert harness.next_offset == end


@pytest.mark.parametrize("election_type", [PREFERRED, UNCLEAN])
def test_topics_and_partitions_have_to_exist(harness: Harness, election_type: int) -> None:
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    found = elect(harness, election_type, ("x", [0]), ("a", [-1, 7]), ("", [0]))
    assert found == [("x", 0, unknown), ("a", -1, unknown), ("a", 7, unknown), ("", 0, unknown)]


def test_a_partition_that_is_named_twice_has_one_election(harness: Harness) -> None:
    assert elect(harness, PREFERRED, ("a", [0, 0])) == [("a", 0, ErrorCode.NONE)]
    again = elect(harness, PREFERRED, ("a", [1]), ("a", [1]))
    assert again == [("a", 1, ErrorCode.NONE), ("a", 1, ErrorCode.ELECTION_NOT_NEEDED)]
    assert [harness.partition("a", index).leader_epoch for index in (0, 1)] == [2, 2]


@pytest.mark.parametrize("election_type", [-1, 2, 127])
def test_an_election_of_another_type_is_refused_on_top_and_for_each_partition(
    harness: Harness, election_type: int
) -> None:
    asked = [ElectLeadersRequest.TopicPartitions(topic="a", partitions=[0, 1])]
    end = harness.next_offset
    response = harness.call(ElectLeadersRequest(election_type=election_type, topic_partitions=asked))
    assert response.error_code == ErrorCode.INVALID_REQUEST
    (topic,) = response.replica_election_results
    assert [each.error_code for each in topic.partition_result] == [ErrorCode.INVALID_REQUEST] * 2
    assert f"ElectionType {election_type} " in topic.partition_result[0].error_message
    assert harness.next_offset == end
    response = harness.call(ElectLeadersRequest(election_type=election_type, topic_partitions=None))
    assert (response.error_code, response.replica_election_results) == (ErrorCode.INVALID_REQUEST, [])
