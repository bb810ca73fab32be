"""Which of several replicas a consumer is sent to."""

from __future__ import annotations

import pytest

from kafkaproto_server.core.replicas.preferred_replica import preferred_replica
from tests.core.replicas.test_partition import Replica

ALL = frozenset({1, 2, 3})


@pytest.fixture
def replica() -> Replica:
    """Broker 1 leads with four records, and brokers 2 and 3 have all of them."""
    replica = Replica()
    replica.see()
    replica.append(4)
    replica.now_ms = 100
    replica.fetch(2, 4)
    replica.fetch(3, 4)
    return replica


def chosen(replica: Replica, offset: int, near: frozenset[int]) -> int:
    return preferred_replica(replica.partition, offset, near.__contains__)


def test_a_near_leader_keeps_its_consumers(replica: Replica) -> None:
    assert chosen(replica, 0, ALL) == -1
    assert chosen(replica, 0, frozenset()) == -1


def test_the_one_with_the_longest_log_is_chosen(replica: Replica) -> None:
    replica.append(2)
    replica.fetch(2, 6)
    assert chosen(replica, 4, ALL - {1}) == 2
    replica.fetch(3, 6)
    assert chosen(replica, 4, frozenset({3})) == 3


def test_of_equals_it_is_the_one_that_was_caught_up_last_then_the_highest(replica: Replica) -> None:
    assert chosen(replica, 4, ALL - {1}) == 3
    replica.now_ms = 200
    replica.fetch(2, 4)
    assert chosen(replica, 4, ALL - {1}) == 2


def test_only_members_of_the_isr_are_chosen(replica: Replica) -> None:
    replica.see(isr=(1, 2), partition_epoch=3)
    assert chosen(replica, 0, ALL - {1}) == 2
    assert chosen(replica, 0, frozenset({3})) == -1


def test_the_offset_has_to_be_there(replica: Replica) -> None:
    assert chosen(replica, 4, frozenset({2})) == 2
    assert chosen(replica, 5, frozenset({2})) == -1
    replica.partition.follower_fetched(2, 4, 3, 5, now_ms=200)
    assert chosen(replica, 2, frozenset({2})) == -1
    assert chosen(replica, 3, frozenset({2})) == 2
