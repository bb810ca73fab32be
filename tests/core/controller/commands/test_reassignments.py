"""AlterPartitionReassignments: beginning, redirecting, finishing and taking back (KIP-455).

Tests: `core.controller.commands.alter_partition_reassignments`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AlterPartitionReassignmentsRequest
from kafkaproto_server.metadata.image.entries import UNASSIGNED_DIRECTORY, PartitionImage
from tests.core.controller.support.harness import Harness, directory


@pytest.fixture
def harness() -> Harness:
    """Brokers 1 to 6, of which 6 is fenced; topic t: replicas 1, 2, 3, led by 1."""
    harness = Harness(features=())
    harness.start_brokers(1, 2, 3, 4, 5)
    harness.register(6)
    harness.create_topic("t", [1, 2, 3])
    return harness


def request(
    *partitions: tuple[str, int, list[int] | None], allow_replication_factor_change: bool = True
) -> AlterPartitionReassignmentsRequest:
    topics = [
        AlterPartitionReassignmentsRequest.ReassignableTopic(
            name=name,
            partitions=[
                AlterPartitionReassignmentsRequest.ReassignablePartition(
                    partition_index=index, replicas=replicas
                )
            ],
        )
        for name, index, replicas in partitions
    ]
    return AlterPartitionReassignmentsRequest(
        topics=topics, allow_replication_factor_change=allow_replication_factor_change
    )


def reassign(harness: Harness, replicas: list[int] | None, name: str = "t", **fields: Any) -> ErrorCode:
    """Reassign one partition, None for taking it back; returns its error."""
    response = harness.call(request((name, 0, replicas), **fields))
    assert (response.error_code, response.error_message) == (0, None)
    ((result,),) = (topic.partitions for topic in response.responses)
    assert (result.error_message is None) == (result.error_code == 0)
    return ErrorCode(result.error_code)


def shown(partition: PartitionImage) -> tuple[tuple[int, ...], ...]:
    """(replicas, adding, removing)."""
    return partition.replicas, partition.adding_replicas, partition.removing_replicas


def in_sync(harness: Harness, *isr: int, name: str = "t") -> ErrorCode:
    return ErrorCode(harness.alter_partition(name, isr=isr).error_code)


def test_the_new_replicas_come_before_those_that_are_to_go(harness: Harness) -> None:
    assert reassign(harness, [5, 4, 1]) == ErrorCode.NONE
    partition = harness.partition("t")
    assert shown(partition) == ((5, 4, 1, 2, 3), (4, 5), (2, 3))
    assert (partition.isr, partition.leader, partition.leader_epoch) == ((1, 2, 3), 1, 0)
    assert partition.directories == tuple(directory(broker_id) for broker_id in (5, 4, 1, 2, 3))


def test_a_reassignment_ends_once_all_new_replicas_are_in_sync(harness: Harness) -> None:
    reassign(harness, [5, 4, 1])
    assert in_sync(harness, 1, 2, 3, 4) == ErrorCode.NONE
    assert harness.partition("t").is_being_reassigned()
    assert in_sync(harness, 1, 2, 3, 4, 5) == ErrorCode.NONE
    partition = harness.partition("t")
    assert shown(partition) == ((5, 4, 1), (), ())
    assert (partition.isr, partition.leader) == ((1, 4, 5), 1)
    assert partition.directories == tuple(directory(broker_id) for broker_id in (5, 4, 1))
    # Replicas went, so a new epoch begins.
    assert partition.leader_epoch == 1


def test_a_leader_that_is_to_go_learns_that_another_one_leads(harness: Harness) -> None:
    reassign(harness, [4, 5])
    assert in_sync(harness, 1, 2, 3, 4) == ErrorCode.NONE
    assert in_sync(harness, 1, 2, 3, 4, 5) == ErrorCode.NEW_LEADER_ELECTED
    partition = harness.partition("t")
    assert shown(partition) == ((4, 5), (), ())
    assert (partition.isr, partition.leader, partition.leader_epoch) == ((4, 5), 4, 1)


def test_fewer_replicas_wait_until_all_of_them_are_in_sync(harness: Harness) -> None:
    harness.create_topic("u", [1, 2, 3])
    harness.alter_partition("u", isr=(1, 3))
    reassign(harness, [1, 2], name="u")
    assert harness.partition("u").is_being_reassigned()
    assert in_sync(harness, 1, 2, 3, name="u") == ErrorCode.NONE
    assert shown(harness.partition("u")) == ((1, 2), (), ())


def test_fewer_replicas_that_are_all_in_sync_are_so_at_once(harness: Harness) -> None:
    assert reassign(harness, [3, 1]) == ErrorCode.NONE
    partition = harness.partition("t")
    assert shown(partition) == ((3, 1), (), ())
    assert (partition.isr, partition.leader, partition.leader_epoch) == ((1, 3), 1, 1)


def test_a_leader_that_is_dropped_at_once_is_replaced(harness: Harness) -> None:
    assert reassign(harness, [3, 2]) == ErrorCode.NONE
    assert (harness.partition("t").leader, harness.partition("t").isr) == (3, (2, 3))


def test_another_order_is_no_reassignment(harness: Harness) -> None:
    assert reassign(harness, [3, 2, 1]) == ErrorCode.NONE
    partition = harness.partition("t")
    assert shown(partition) == ((3, 2, 1), (), ())
    assert (partition.leader, partition.leader_epoch, partition.partition_epoch) == (1, 0, 1)
    assert partition.directories == (directory(3), directory(2), directory(1))


def test_the_present_replicas_are_no_change(harness: Harness) -> None:
    end = harness.next_offset
    assert reassign(harness, [1, 2, 3]) == ErrorCode.NONE
    assert harness.next_offset == end


def test_replicas_may_be_put_on_fenced_brokers(harness: Harness) -> None:
    assert reassign(harness, [1, 2, 3, 6]) == ErrorCode.NONE
    assert shown(harness.partition("t")) == ((1, 2, 3, 6), (6,), ())


def test_a_replica_on_a_broker_with_several_directories_lies_in_none_of_them_yet(harness: Harness) -> None:
    harness.register(7, log_dirs=[directory(7, 0), directory(7, 1)])
    reassign(harness, [1, 7])
    assert harness.partition("t").directories[:2] == (directory(1), UNASSIGNED_DIRECTORY)


def test_a_new_target_counts_from_all_replicas_of_the_moment(harness: Harness) -> None:
    reassign(harness, [4, 5])
    assert reassign(harness, [4, 2]) == ErrorCode.NONE
    partition = harness.partition("t")
    assert shown(partition) == ((4, 2, 1, 3, 5), (4, 5), (1, 3, 5))
    assert in_sync(harness, 1, 2, 3, 4) == ErrorCode.NEW_LEADER_ELECTED
    assert shown(harness.partition("t")) == ((4, 2), (), ())


def test_what_an_earlier_target_added_is_taken_back_with_a_later_one(harness: Harness) -> None:
    """4 stays marked where 5 joins it (stock forgets 4 then) and where 4 is to go again."""
    reassign(harness, [1, 2, 3, 4])
    reassign(harness, [1, 2, 3, 4, 5])
    assert shown(harness.partition("t")) == ((1, 2, 3, 4, 5), (4, 5), ())
    reassign(harness, [5, 1, 2])
    assert shown(harness.partition("t")) == ((5, 1, 2, 3, 4), (4, 5), (3, 4))
    assert reassign(harness, None) == ErrorCode.NONE
    assert shown(harness.partition("t")) == ((1, 2, 3), (), ())


def test_nobody_waits_for_a_replica_that_is_to_go_again(harness: Harness) -> None:
    """Stock waits for it, because it counts as added."""
    reassign(harness, [1, 2, 3, 4])
    harness.heartbeat(3, want_fence=True)
    assert harness.partition("t").isr == (1, 2)
    reassign(harness, [1, 2, 3])
    assert shown(harness.partition("t")) == ((1, 2, 3), (), ())


def test_what_a_later_target_brings_back_is_not_removed(harness: Harness) -> None:
    """Stock removes it all the same where the later target removes nothing."""
    reassign(harness, [2, 3, 4])
    reassign(harness, [1, 2, 3, 4])
    assert shown(harness.partition("t")) == ((1, 2, 3, 4), (4,), ())
    assert in_sync(harness, 1, 2, 3, 4) == ErrorCode.NONE
    assert shown(harness.partition("t")) == ((1, 2, 3, 4), (), ())


def test_what_is_being_reassigned_can_be_taken_back(harness: Harness) -> None:
    reassign(harness, [4, 5, 1])
    in_sync(harness, 1, 2, 3, 4)
    assert reassign(harness, None) == ErrorCode.NONE
    partition = harness.partition("t")
    assert shown(partition) == ((1, 2, 3), (), ())
    assert (partition.isr, partition.leader, partition.leader_epoch) == ((1, 2, 3), 1, 1)


def test_a_leader_that_was_being_added_gives_way(harness: Harness) -> None:
    reassign(harness, [4, 5])
    in_sync(harness, 1, 2, 4)
    harness.heartbeat(1, want_fence=True)
    assert harness.partition("t").leader == 4
    assert reassign(harness, None) == ErrorCode.NONE
    assert (harness.partition("t").leader, harness.partition("t").isr) == (2, (2,))


def test_what_is_not_being_reassigned_cannot_be_taken_back(harness: Harness) -> None:
    assert reassign(harness, None) == ErrorCode.NO_REASSIGNMENT_IN_PROGRESS
    assert harness.partition("t").partition_epoch == 0


def only_new_replicas_in_sync(harness: Harness, name: str) -> None:
    reassign(harness, [4, 5], name=name)
    in_sync(harness, 1, 4, name=name)
    harness.heartbeat(1, want_fence=True)
    assert harness.partition(name).isr == (4,)
    harness.heartbeat(1)


def test_taking_back_never_elects_uncleanly_unasked(harness: Harness) -> None:
    only_new_replicas_in_sync(harness, "t")
    before = harness.partition("t")
    assert reassign(harness, None) == ErrorCode.INVALID_REPLICA_ASSIGNMENT
    assert harness.partition("t") == before


def test_taking_back_elects_uncleanly_where_the_topic_allows_it(harness: Harness) -> None:
    harness.create_topic("u", [1, 2, 3], unclean_leader_election_enable="true")
    only_new_replicas_in_sync(harness, "u")
    assert reassign(harness, None, name="u") == ErrorCode.NONE
    partition = harness.partition("u")
    assert shown(partition) == ((1, 2, 3), (), ())
    assert (partition.leader, partition.isr, partition.leader_recovery_state) == (1, (1,), 1)


@pytest.mark.parametrize("replicas", [[], [1, 1], [1, 9], [-1], [1, 2, 2]])
def test_a_target_is_some_registered_brokers_once_each(harness: Harness, replicas: list[int]) -> None:
    end = harness.next_offset
    assert reassign(harness, replicas) == ErrorCode.INVALID_REPLICA_ASSIGNMENT
    assert harness.next_offset == end


def test_the_replication_factor_stays_where_it_is_not_to_change(harness: Harness) -> None:
    end = harness.next_offset
    for replicas in ([1, 2], [1, 2, 3, 4]):
        error = reassign(harness, replicas, allow_replication_factor_change=False)
        assert error == ErrorCode.INVALID_REPLICATION_FACTOR
    assert harness.next_offset == end
    assert reassign(harness, [4, 5, 1], allow_replication_factor_change=False) == ErrorCode.NONE
    # While a reassignment runs, the replicas that are to go do not count.
    assert reassign(harness, [4, 5, 2], allow_replication_factor_change=False) == ErrorCode.NONE


def test_partitions_are_refused_one_by_one(harness: Harness) -> None:
    harness.create_topic("u", [1])
    response = harness.call(
        request(("x", 0, [1]), ("t", 3, [1]), ("t", -1, None), ("t", 0, [9]), ("u", 0, [2]), ("x", 0, None))
    )
    found = [each.error_code for topic in response.responses for each in topic.partitions]
    assert found == [3, 3, 3, 39, 0, 3]
    assert "Topic 'x' " in response.responses[0].partitions[0].error_message
    assert "Broker 9 " in response.responses[3].partitions[0].error_message
    assert shown(harness.partition("u")) == ((2, 1), (2,), (1,))


def test_a_partition_that_is_named_twice_goes_to_the_latter_target(harness: Harness) -> None:
    response = harness.call(request(("t", 0, [4, 5]), ("t", 0, [2, 1, 3, 4, 5])))
    assert [each.error_code for topic in response.responses for each in topic.partitions] == [0, 0]
    assert shown(harness.partition("t")) == ((2, 1, 3, 4, 5), (4, 5), ())


def test_who_leaves_with_a_reassignment_is_not_eligible_any_more() -> None:
    """Unlike with stock controllers: the ELR is always among the replicas."""
    harness = Harness()
    harness.start_brokers(1, 2, 3)
    harness.create_topic("t", [1, 2], min_insync_replicas="2")
    harness.alter_partition("t", isr=(1,))
    assert harness.partition("t").elr == (2,)
    assert reassign(harness, [1]) == ErrorCode.NONE
    assert (harness.partition("t").replicas, harness.partition("t").elr) == ((1,), ())


def test_taking_back_waits_until_somebody_is_in_sync() -> None:
    harness = Harness()
    harness.start_brokers(1, 2, 3)
    harness.create_topic("t", [1, 2], min_insync_replicas="2")
    reassign(harness, [3])
    for broker_id in (1, 2):
        harness.heartbeat(broker_id, want_fence=True)
    assert (harness.partition("t").isr, harness.partition("t").elr) == ((), (1, 2))
    before = harness.partition("t")
    assert reassign(harness, None) == ErrorCode.INVALID_REPLICA_ASSIGNMENT
    assert harness.partition("t") == before
    harness.heartbeat(1)
    assert reassign(harness, None) == ErrorCode.NONE
    partition = harness.partition("t")
    assert shown(partition) == ((1, 2), (), ())
    assert (partition.leader, partition.isr, partition.elr) == (1, (1,), (2,))
